//! A simulated bridge with a DGT 3000 on its jack, behind a pseudo-terminal of its own.
//!
//! Its time is that of whoever drives the clock, however fast the hands are: a clock that is set by
//! a host shall agree with the host.

use super::cable::{self, Cable, CableStub};
use super::{PtyError, READ_MAX};
use crate::shell::now::Now;
use crate::sim::script::Happening;
use crate::sim::{BridgeSim, Dgt3000Sim, dgt3000::Dgt3000State};
use std::path::PathBuf;
use tokio::sync::{mpsc, watch};
use tokio::time::sleep_until;
use tracing::{debug, info, warn};

/// As good a crystal as any, in parts of a million.
const DRIFT_PPM: i32 = 20;

/// A simulated bridge behind a pseudo-terminal: where it begins.
#[derive(Debug)]
pub struct PtyBridge;

impl PtyBridge {
    /// Plugs in a bridge, with a clock that sleeps. With a `link` the host's end has that name as
    /// often as the bridge is plugged in. Nothing answers until the actor runs.
    ///
    /// Must be called inside a runtime.
    ///
    /// # Errors
    /// There is no pseudo-terminal or no link.
    pub fn open(
        now: Now,
        link: Option<PathBuf>,
    ) -> Result<(PtyBridgeStub, PtyBridgeActor), PtyError> {
        let (cable_stub, cable) = Cable::open(link)?;
        let (hands_tx, hands_rx) = mpsc::unbounded_channel();
        let (is_set_tx, is_set_rx) = watch::channel(false);
        let (is_running_tx, is_running_rx) = watch::channel(false);
        let actor = PtyBridgeActor {
            bridge: BridgeSim::new(Dgt3000Sim::new(Dgt3000State::Asleep, DRIFT_PPM)),
            now,
            cable,
            hands: hands_rx,
            is_set: is_set_tx,
            is_running: is_running_tx,
        };
        let (is_set, is_running) = (is_set_rx, is_running_rx);
        let stub = PtyBridgeStub { cable: cable_stub, hands: hands_tx, is_set, is_running };
        Ok((stub, actor))
    }
}

/// Hands and cable of a simulated bridge. Once all its copies are dropped it is put away.
#[derive(Clone, Debug)]
pub struct PtyBridgeStub {
    /// The hand at its cable.
    pub cable: CableStub,
    hands: mpsc::UnboundedSender<Happening>,
    is_set: watch::Receiver<bool>,
    is_running: watch::Receiver<bool>,
}

impl PtyBridgeStub {
    /// Where hands do something to the clock; what is not about clocks does nothing.
    pub fn hands(&self) -> mpsc::UnboundedSender<Happening> {
        self.hands.clone()
    }

    /// Waits until a host has set the clock.
    ///
    /// # Errors
    /// The bridge has been put away.
    pub async fn is_set(&mut self) -> Result<(), PtyError> {
        self.is_set.wait_for(|is| *is).await.map(drop).map_err(|_| PtyError::Ended)
    }

    /// Waits until the clock counts.
    ///
    /// # Errors
    /// The bridge has been put away.
    pub async fn is_running(&mut self) -> Result<(), PtyError> {
        self.is_running.wait_for(|is| *is).await.map(drop).map_err(|_| PtyError::Ended)
    }
}

/// The simulated bridge itself.
#[derive(Debug)]
pub struct PtyBridgeActor {
    bridge: BridgeSim,
    now: Now,
    cable: Cable,
    hands: mpsc::UnboundedReceiver<Happening>,
    is_set: watch::Sender<bool>,
    is_running: watch::Sender<bool>,
}

impl PtyBridgeActor {
    /// Serves until all stubs are dropped.
    pub async fn run(mut self) {
        info!(path = %self.cable.path().display(), "simulated bridge plugged in");
        let mut buf = [0; READ_MAX];
        loop {
            let wake = self.now.instant(self.bridge.next_at());
            tokio::select! {
                pull = self.cable.pulls.recv() => match pull {
                    Some(pull) => {
                        let now = self.now.stamp().mono;
                        self.cable.obey(pull, || self.bridge.power_cycle(now));
                    }
                    None => break,
                },
                Some(what) = self.hands.recv() => {
                    self.bridge.happen(self.now.stamp().mono, &what);
                }
                n = cable::read(self.cable.plugged.as_ref(), &mut buf) => match n {
                    Ok(n) => self.bridge.host_bytes(self.now.stamp().mono, &buf[..n]),
                    Err(e) => {
                        warn!(error = %e, "the simulated bridge lost its cable");
                        self.cable.plugged = None;
                    }
                },
                () = sleep_until(wake) => {}
            }
            self.pass();
        }
        debug!("simulated bridge put away");
    }

    fn pass(&mut self) {
        let bytes = self.bridge.take(self.now.stamp().mono);
        let is_set = self.bridge.is_set();
        self.is_set.send_if_modified(|was| std::mem::replace(was, is_set) != is_set);
        let is_running = self.bridge.is_running();
        self.is_running.send_if_modified(|was| std::mem::replace(was, is_running) != is_running);
        self.cable.write(&bytes);
    }
}
