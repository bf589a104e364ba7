//! A simulated board and its clock behind a real pseudo-terminal, for those who have no board.
//!
//! A host cannot tell it from a board on a cable, except that it says what it is: it is asleep
//! until it is woken, answers at the pace of its line, sees pieces moved by a script, and can be
//! unplugged. The wood and the clock go on whether anybody listens or not.

mod board;
mod bridge;
mod bus;
mod cable;
pub mod demo_board;
mod pace;
mod pair;
mod stub;

pub use super::now::Speed;
pub use board::{PtyBoard, PtyBoardActor, PtyBoardStub};
pub use bridge::{PtyBridge, PtyBridgeActor, PtyBridgeStub};
pub use bus::{PtyBus, PtyBusActor, PtyBusStub};
pub use cable::CableStub;
pub use pair::{Pty, PtyError};
pub use stub::PtyStub;

use super::now::Now;
use crate::sim::script::Happening;
use crate::sim::trouble::Noise;
use crate::time::Mono;
use cable::Cable;
pub(super) use pace::{ActsToDo, TableTime};
use std::collections::VecDeque;
use std::path::PathBuf;
use stub::PtyHands;
use tokio::time::sleep_until;
use tracing::{debug, info, warn};

/// Orders that may wait for the board; whoever gives more waits.
const ORDERS_MAX: usize = 8;
/// The most that is taken from a host at once.
const READ_MAX: usize = 1_024;

/// What hands do at a table, and when.
type TableScript = Vec<(Mono, Happening)>;

/// What stands at the far end of a cable, with the people at it.
pub trait Simulated {
    /// What hands are to do, as they are told it.
    type Script;
    /// One thing that they do.
    type Act;

    /// What it is, in the log.
    const NAME: &str;

    /// When it does something by itself, if ever.
    fn next_at(&self) -> Option<Mono>;

    /// What was due at `now` happens.
    fn tick(&mut self, now: Mono);

    /// Appends the bytes that have left it until `now`.
    fn take(&mut self, now: Mono, bytes: &mut Vec<u8>);

    /// The host sends `bytes`.
    fn host_bytes(&mut self, now: Mono, bytes: &[u8]);

    /// Hands do something.
    fn happen(&mut self, now: Mono, act: Self::Act);

    /// The host has woken all of it.
    fn is_awake(&self) -> bool;

    /// Its cable is plugged in again.
    fn power_cycle(&mut self, now: Mono);

    /// Hands begin with `script` now. What is `left` of the last one gives way where it must; what
    /// is to be done, and when, is returned in order.
    fn begin(
        &mut self,
        now: Mono,
        script: Self::Script,
        left: VecDeque<(Mono, Self::Act)>,
    ) -> VecDeque<(Mono, Self::Act)>;
}

/// The actor of something simulated, and its end of the cable.
#[derive(Debug)]
pub struct PtyActor<T: Simulated> {
    simulated: T,
    pace: TableTime,
    /// What is yet to happen, in the tables' time.
    script: ActsToDo<T::Act>,
    cable: Cable,
    hands: PtyHands<T::Script>,
    /// What hurts the bytes on the cable.
    noise: Option<Noise>,
}

impl<T: Simulated> PtyActor<T> {
    /// Plugs it in. With a `link` the host's end has that name as often as it is plugged in. Its
    /// time begins now.
    fn open(simulated: T, link: Option<PathBuf>) -> Result<(PtyStub<T::Script>, Self), PtyError> {
        let (cable_stub, cable) = Cable::open(link)?;
        let (stub, hands) = PtyHands::new(cable_stub);
        let pace = TableTime::start(Now::start());
        let script = ActsToDo::new(VecDeque::new());
        Ok((stub, Self { simulated, pace, script, cable, hands, noise: None }))
    }

    /// The cable has this noise on it, in both directions.
    pub fn with_noise(mut self, noise: Noise) -> Self {
        self.noise = Some(noise);
        self
    }

    /// It stands in a world whose time this is. Its own begins anew.
    pub fn in_time_of(mut self, now: Now) -> Self {
        self.pace = TableTime::start(now);
        self
    }

    /// Serves until all stubs are dropped.
    pub async fn run(mut self) {
        info!(path = %self.cable.path().display(), "simulated {} plugged in", T::NAME);
        let mut buf = [0; READ_MAX];
        loop {
            let next = [self.simulated.next_at(), self.script.next_at()];
            let next = next.into_iter().flatten().min();
            let wake = self.pace.instant(next.unwrap_or_default());
            tokio::select! {
                play = self.hands.plays.recv() => match play {
                    Some((script, speed, begun)) => {
                        self.begin(script, speed);
                        // Who asked may have stopped waiting.
                        begun.send(()).ok();
                    }
                    None => break,
                },
                Some(pull) = self.cable.pulls.recv() => {
                    let now = self.pace.now();
                    self.cable.obey(pull, || self.simulated.power_cycle(now));
                }
                n = cable::read(self.cable.plugged.as_ref(), &mut buf) => match n {
                    Ok(n) => {
                        let mut bytes = buf[..n].to_vec();
                        self.spoil(&mut bytes);
                        self.simulated.host_bytes(self.pace.now(), &bytes);
                    }
                    Err(e) => {
                        warn!(error = %e, "the simulated {} lost its cable", T::NAME);
                        self.cable.plugged = None;
                    }
                },
                () = sleep_until(wake), if next.is_some() => {}
            }
            self.pass();
        }
        debug!("simulated {} put away", T::NAME);
    }

    /// Everything that was due happens, each at its own time, and is sent.
    fn pass(&mut self) {
        self.script.catch_up(&self.pace);
        let now = self.pace.now();
        let mut bytes = Vec::new();
        loop {
            let acts_at = self.script.next_at().filter(|at| *at <= now);
            let ticks_at = self.simulated.next_at().filter(|at| *at <= now);
            match (acts_at, ticks_at) {
                (Some(acts_at), ticks_at) if ticks_at.is_none_or(|at| acts_at <= at) => {
                    let (at, act) = self.script.pop_due(now).expect("an act was due");
                    self.simulated.happen(at, act);
                }
                (_, Some(at)) => {
                    self.simulated.tick(at);
                    self.simulated.take(at, &mut bytes);
                }
                (_, None) => break,
            }
        }
        self.hands.wake(self.simulated.is_awake());
        if self.script.is_empty() && self.hands.end() {
            self.pace.set(Speed::REAL);
        }
        self.spoil(&mut bytes);
        self.cable.write(&bytes);
    }

    fn spoil(&mut self, bytes: &mut Vec<u8>) {
        if let Some(noise) = &mut self.noise {
            noise.spoil(bytes);
        }
    }

    fn begin(&mut self, script: T::Script, speed: Speed) {
        let now = self.pace.now();
        self.pace.set(speed);
        let left = self.script.take();
        self.script = ActsToDo::new(self.simulated.begin(now, script, left));
        self.hands.begin();
    }
}
