//! Many simulated boards on one line, behind one pseudo-terminal.

use super::cable::{self, Cable};
use super::stub::PtyHands;
use super::{PtyError, PtyStub, READ_MAX, Speed, TableScript, TableTime};
use crate::shell::now::Now;
use crate::sim::SharedLine;
use crate::sim::script::Happening;
use crate::sim::trouble::Noise;
use crate::time::Mono;
use std::collections::VecDeque;
use std::path::PathBuf;
use tokio::time::sleep_until;
use tracing::{info, warn};

/// What hands do at which of the tables.
type BusScript = Vec<(usize, TableScript)>;

/// Hands at the tables along a line, and at its cable. What is still to be done at tables that a
/// script does not name goes on.
pub type PtyBusStub = PtyStub<BusScript>;

/// Where many boards on one line begin.
#[derive(Debug)]
pub struct PtyBus;

impl PtyBus {
    /// Plugs in the `line`. With a `link` the host's end has that name.
    ///
    /// Must be called inside a runtime.
    ///
    /// # Errors
    /// There is no pseudo-terminal or no link.
    pub fn open(
        line: SharedLine,
        link: Option<PathBuf>,
    ) -> Result<(PtyBusStub, PtyBusActor), PtyError> {
        let (cable_stub, cable) = Cable::open(link)?;
        let (stub, hands) = PtyHands::new(cable_stub);
        let pace = TableTime::start(Now::start());
        let (script, noise) = (VecDeque::new(), None);
        let actor = PtyBusActor { line, pace, script, cable, hands, noise };
        Ok((stub, actor))
    }
}

/// The simulated line itself.
#[derive(Debug)]
pub struct PtyBusActor {
    line: SharedLine,
    pace: TableTime,
    /// What is yet to happen, in the tables' time.
    script: VecDeque<(Mono, usize, Happening)>,
    cable: Cable,
    hands: PtyHands<BusScript>,
    noise: Option<Noise>,
}

impl PtyBusActor {
    /// The line has this noise on it, in both directions.
    pub fn with_noise(mut self, noise: Noise) -> Self {
        self.noise = Some(noise);
        self
    }

    /// Serves until all stubs are dropped.
    pub async fn run(mut self) {
        info!(path = %self.cable.path().display(), "simulated line plugged in");
        let mut buf = [0; READ_MAX];
        loop {
            let next = [self.line.next_at(), self.script.front().map(|(at, ..)| *at)];
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
                // The boards have their power from elsewhere.
                Some(pull) = self.cable.pulls.recv() => self.cable.obey(pull, || {}),
                n = cable::read(self.cable.plugged.as_ref(), &mut buf) => match n {
                    Ok(n) => {
                        let mut bytes = buf[..n].to_vec();
                        self.spoil(&mut bytes);
                        self.line.host_bytes(self.pace.now(), &bytes);
                    }
                    Err(e) => {
                        warn!(error = %e, "the simulated line lost its cable");
                        self.cable.plugged = None;
                    }
                },
                () = sleep_until(wake), if next.is_some() => {}
            }
            self.pass();
        }
    }

    /// Everything that was due happens, each at its own time, and is sent.
    fn pass(&mut self) {
        let now = self.pace.now();
        let mut bytes = Vec::new();
        loop {
            let acts_at = self.script.front().map(|(at, ..)| *at).filter(|at| *at <= now);
            let ticks_at = self.line.next_at().filter(|at| *at <= now);
            match (acts_at, ticks_at) {
                (Some(acts_at), ticks_at) if ticks_at.is_none_or(|at| acts_at <= at) => {
                    let (at, table, what) = self.script.pop_front().expect("it was peeked");
                    self.line.happen(at, table, &what);
                }
                (_, Some(at)) => {
                    self.line.tick(at);
                    self.line.take(at, &mut bytes);
                }
                (_, None) => break,
            }
        }
        self.hands.wake(self.line.are_awake());
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

    fn begin(&mut self, scripts: BusScript, speed: Speed) {
        let now = self.pace.now();
        self.pace.set(speed);
        for (table, _) in scripts.iter().filter(|(_, script)| !script.is_empty()) {
            self.line.table_mut(*table).begin(now);
        }
        let later = scripts.into_iter().flat_map(|(table, script)| {
            let at_table =
                move |(at, what): (Mono, Happening)| (now + at.since(Mono::default()), table, what);
            script.into_iter().map(at_table)
        });
        let mut script: Vec<_> = self.script.drain(..).chain(later).collect();
        script.sort_by_key(|(at, ..)| *at);
        self.script = script.into();
        self.hands.begin();
    }
}
