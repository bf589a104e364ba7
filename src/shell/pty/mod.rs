//! A simulated board and its clock behind a real pseudo-terminal, for those who have no board.
//!
//! A host cannot tell it from a board on a cable, except that it says what it is: it is asleep
//! until it is woken, answers at the pace of its line, sees pieces moved by a script, and can be
//! unplugged. The wood and the clock go on whether anybody listens or not.

mod bridge;
mod bus;
mod cable;
pub mod demo_board;
mod pace;
mod pair;
mod stub;

pub use super::now::Speed;
pub use bridge::{PtyBridge, PtyBridgeActor, PtyBridgeStub};
pub use bus::{PtyBus, PtyBusActor, PtyBusStub};
pub use cable::CableStub;
pub use pair::{Pty, PtyError};
pub use stub::PtyStub;

use super::now::Now;
use crate::sim::Table;
use crate::sim::script::Happening;
use crate::sim::trouble::Noise;
use crate::time::Mono;
use cable::Cable;
pub(super) use pace::TableTime;
use std::collections::VecDeque;
use std::path::PathBuf;
use stub::PtyHands;
use tokio::sync::mpsc;
use tokio::time::sleep_until;
use tracing::{debug, info, warn};

/// Orders that may wait for the board; whoever gives more waits.
const ORDERS_MAX: usize = 8;
/// The most that is taken from a host at once.
const READ_MAX: usize = 1_024;

/// What hands do at a table, and when.
type TableScript = Vec<(Mono, Happening)>;

/// Hands and cable of one board.
pub type PtyBoardStub = PtyStub<TableScript>;

/// A simulated board behind a pseudo-terminal: where it begins.
#[derive(Debug)]
pub struct PtyBoard;

impl PtyBoard {
    /// Plugs in the board of `table`. With a `link` the host's end has that name as often as the
    /// board is plugged in. The table's time begins now; nothing answers until the actor runs.
    ///
    /// Must be called inside a runtime.
    ///
    /// # Errors
    /// The table has no board with a line, or there is no pseudo-terminal or no link.
    pub fn open(
        table: Table,
        link: Option<PathBuf>,
    ) -> Result<(PtyBoardStub, PtyBoardActor), PtyError> {
        if !table.has_line() {
            return Err(PtyError::NoLine);
        }
        let (cable_stub, cable) = Cable::open(link)?;
        let (stub, hands) = PtyHands::new(cable_stub);
        let actor = PtyBoardActor {
            table,
            pace: TableTime::start(Now::start()),
            script: VecDeque::new(),
            cable,
            hands,
            beside: None,
            noise: None,
        };
        Ok((stub, actor))
    }
}

/// The simulated board itself.
#[derive(Debug)]
pub struct PtyBoardActor {
    table: Table,
    pace: TableTime,
    /// What is yet to happen, in the table's time.
    script: VecDeque<(Mono, Happening)>,
    cable: Cable,
    hands: PtyHands<TableScript>,
    /// Where hands go that reach for a clock beside the table.
    beside: Option<mpsc::UnboundedSender<Happening>>,
    /// What hurts the bytes on the cable.
    noise: Option<Noise>,
}

impl PtyBoardActor {
    /// The clock is not on the table: what hands do to it is told to `beside`.
    pub fn with_clock_beside(mut self, beside: mpsc::UnboundedSender<Happening>) -> Self {
        self.beside = Some(beside);
        self
    }

    /// The cable has this noise on it, in both directions.
    pub fn with_noise(mut self, noise: Noise) -> Self {
        self.noise = Some(noise);
        self
    }

    /// The table stands in a world whose time this is. Its own begins anew.
    pub fn in_time_of(mut self, now: Now) -> Self {
        self.pace = TableTime::start(now);
        self
    }

    /// Serves until all stubs are dropped.
    pub async fn run(mut self) {
        info!(path = %self.cable.path().display(), "simulated board plugged in");
        let mut buf = [0; READ_MAX];
        loop {
            let next = [self.table.next_at(), self.script.front().map(|(at, _)| *at)];
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
                    self.cable.obey(pull, || self.table.power_cycle(now));
                }
                n = cable::read(self.cable.plugged.as_ref(), &mut buf) => match n {
                    Ok(n) => {
                        let now = self.pace.now();
                        let mut bytes = buf[..n].to_vec();
                        self.spoil(&mut bytes);
                        self.table.host_bytes(now, &bytes);
                    }
                    Err(e) => {
                        warn!(error = %e, "the simulated board lost its cable");
                        self.cable.plugged = None;
                    }
                },
                () = sleep_until(wake), if next.is_some() => {}
            }
            self.pass();
        }
        debug!("simulated board put away");
    }

    /// Everything that was due happens, each at its own time, and is sent.
    fn pass(&mut self) {
        let now = self.pace.now();
        let mut bytes = Vec::new();
        loop {
            let acts_at = self.script.front().map(|(at, _)| *at).filter(|at| *at <= now);
            let ticks_at = self.table.next_at().filter(|at| *at <= now);
            match (acts_at, ticks_at) {
                (Some(acts_at), ticks_at) if ticks_at.is_none_or(|at| acts_at <= at) => {
                    let (at, what) = self.script.pop_front().expect("a happening was peeked");
                    self.table.happen(at, &what);
                    if let Some(beside) = &self.beside {
                        // Nobody there, nobody to press.
                        beside.send(what).ok();
                    }
                }
                (_, Some(at)) => {
                    self.table.tick(at);
                    self.table.take(at, &mut bytes);
                }
                (_, None) => break,
            }
        }
        self.hands.wake(self.table.is_awake());
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

    fn begin(&mut self, script: TableScript, speed: Speed) {
        let now = self.pace.now();
        self.pace.set(speed);
        self.table.begin(now);
        let later = |(at, what): (Mono, Happening)| (now + at.since(Mono::default()), what);
        self.script = script.into_iter().map(later).collect();
        self.hands.begin();
    }
}
