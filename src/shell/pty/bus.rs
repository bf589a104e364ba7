//! Many simulated boards on one line, behind one pseudo-terminal.

use super::cable::{self, Cable};
use super::{CableStub, ORDERS_MAX, PtyError, READ_MAX, Speed, TableTime};
use crate::shell::now::Now;
use crate::sim::SharedLine;
use crate::sim::script::Happening;
use crate::sim::trouble::Noise;
use crate::time::Mono;
use std::collections::VecDeque;
use std::path::PathBuf;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::sleep_until;
use tracing::{info, warn};

/// What hands do at which of the tables.
type BusScript = Vec<(Mono, usize, Happening)>;

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
        let (plays_tx, plays) = mpsc::channel(ORDERS_MAX);
        let (has_played, played_rx) = watch::channel(true);
        let (are_awake, awake_rx) = watch::channel(false);
        let stub = PtyBusStub {
            cable: cable_stub,
            plays: plays_tx,
            has_played: played_rx,
            are_awake: awake_rx,
        };
        let pace = TableTime::start(Now::start());
        let (script, noise) = (VecDeque::new(), None);
        let actor = PtyBusActor { line, pace, script, cable, plays, has_played, are_awake, noise };
        Ok((stub, actor))
    }
}

/// Hands at the tables along a line, and at its cable. Once all copies are dropped the boards are
/// put away.
#[derive(Clone, Debug)]
pub struct PtyBusStub {
    /// The hand at the cable of the line.
    pub cable: CableStub,
    plays: mpsc::Sender<(BusScript, Speed, oneshot::Sender<()>)>,
    has_played: watch::Receiver<bool>,
    are_awake: watch::Receiver<bool>,
}

impl PtyBusStub {
    /// Lets hands do what the scripts say, each at the table of its place, all from now on. What is
    /// still to be done of others goes on. Returns once the hands have begun.
    ///
    /// # Errors
    /// The boards have been put away.
    pub async fn play(
        &self,
        scripts: Vec<(usize, Vec<(Mono, Happening)>)>,
        speed: Speed,
    ) -> Result<(), PtyError> {
        let at_table = |(table, script): (usize, Vec<(Mono, Happening)>)| {
            script.into_iter().map(move |(at, what)| (at, table, what))
        };
        let script = scripts.into_iter().flat_map(at_table).collect();
        let (begun_tx, begun) = oneshot::channel();
        self.plays.send((script, speed, begun_tx)).await.map_err(|_| PtyError::Ended)?;
        begun.await.map_err(|_| PtyError::Ended)
    }

    /// Waits until a host asks each board for its changes.
    ///
    /// # Errors
    /// The boards have been put away.
    pub async fn woken(&mut self) -> Result<(), PtyError> {
        self.are_awake.wait_for(|are| *are).await.map_err(|_| PtyError::Ended)?;
        Ok(())
    }

    /// Waits until all scripts have been played.
    ///
    /// # Errors
    /// The boards have been put away.
    pub async fn played(&mut self) -> Result<(), PtyError> {
        self.has_played.wait_for(|has| *has).await.map_err(|_| PtyError::Ended)?;
        Ok(())
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
    plays: mpsc::Receiver<(BusScript, Speed, oneshot::Sender<()>)>,
    has_played: watch::Sender<bool>,
    are_awake: watch::Sender<bool>,
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
                play = self.plays.recv() => match play {
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
        let are_awake = self.line.are_awake();
        self.are_awake.send_if_modified(|were| std::mem::replace(were, are_awake) != are_awake);
        if self.script.is_empty() && !*self.has_played.borrow() {
            self.pace.set(Speed::REAL);
            self.has_played.send_replace(true);
        }
        self.spoil(&mut bytes);
        self.cable.write(&bytes);
    }

    fn spoil(&mut self, bytes: &mut Vec<u8>) {
        if let Some(noise) = &mut self.noise {
            noise.spoil(bytes);
        }
    }

    fn begin(&mut self, script: BusScript, speed: Speed) {
        let now = self.pace.now();
        self.pace.set(speed);
        for idx in 0..self.line.n_tables() {
            if script.iter().any(|(_, table, _)| *table == idx) {
                self.line.table_mut(idx).begin(now);
            }
        }
        let later = script
            .into_iter()
            .map(|(at, table, what)| (now + at.since(Mono::default()), table, what));
        let mut script: BusScript = self.script.drain(..).chain(later).collect();
        script.sort_by_key(|(at, ..)| *at);
        self.script = script.into();
        self.has_played.send_replace(false);
    }
}
