//! A simulated bridge with a DGT 3000 on its jack, behind a pseudo-terminal of its own.
//!
//! Its time is that of whoever drives the clock, however fast the hands are: a clock that is set by
//! a host shall agree with the host.

use super::{ORDERS_MAX, Pty, PtyError, READ_MAX, read, register};
use crate::shell::now::Now;
use crate::sim::script::Happening;
use crate::sim::{BridgeSim, Dgt3000Sim, dgt3000::State};
use std::path::PathBuf;
use tokio::io::unix::AsyncFd;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::sleep_until;
use tracing::{debug, info, warn};

/// As good a crystal as any, in parts of a million.
const DRIFT_PPM: i32 = 20;

/// What can be done to a simulated bridge.
#[derive(Debug)]
enum Order {
    Unplug(oneshot::Sender<()>),
    Plug(oneshot::Sender<Result<(), PtyError>>),
}

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
        let pty = Pty::open(link.clone())?;
        let (path_tx, path_rx) = watch::channel(pty.path().to_owned());
        let (hands_tx, hands_rx) = mpsc::unbounded_channel();
        let (orders_tx, orders_rx) = mpsc::channel(ORDERS_MAX);
        let (is_set_tx, is_set_rx) = watch::channel(false);
        let actor = PtyBridgeActor {
            bridge: BridgeSim::new(Dgt3000Sim::new(State::Asleep, DRIFT_PPM)),
            now,
            plugged: Some(register(pty)?),
            link,
            path: path_tx,
            hands: hands_rx,
            orders: orders_rx,
            is_set: is_set_tx,
        };
        let stub =
            PtyBridgeStub { path: path_rx, hands: hands_tx, orders: orders_tx, is_set: is_set_rx };
        Ok((stub, actor))
    }
}

/// Hands and cable of a simulated bridge. Once all its copies are dropped it is put away.
#[derive(Clone, Debug)]
pub struct PtyBridgeStub {
    path: watch::Receiver<PathBuf>,
    hands: mpsc::UnboundedSender<Happening>,
    orders: mpsc::Sender<Order>,
    is_set: watch::Receiver<bool>,
}

impl PtyBridgeStub {
    /// What a host opens. Without a link it changes whenever the bridge is plugged in.
    pub fn path(&self) -> PathBuf {
        self.path.borrow().clone()
    }

    /// Where hands do something to the clock; what is not about clocks does nothing.
    pub fn hands(&self) -> mpsc::UnboundedSender<Happening> {
        self.hands.clone()
    }

    /// Waits until a host has set the clock.
    ///
    /// # Errors
    /// The bridge has been put away.
    pub async fn is_set(&mut self) -> Result<(), PtyError> {
        self.is_set.wait_for(|is| *is).await.map_err(|_| PtyError::Ended)?;
        Ok(())
    }

    /// Pulls the cable of the bridge; the clock goes on.
    ///
    /// # Errors
    /// The bridge has been put away.
    pub async fn unplug(&self) -> Result<(), PtyError> {
        let (done_tx, done_rx) = oneshot::channel();
        self.orders.send(Order::Unplug(done_tx)).await.map_err(|_| PtyError::Ended)?;
        done_rx.await.map_err(|_| PtyError::Ended)
    }

    /// Plugs it in again: it gets its power from the cable, and has forgotten everything.
    ///
    /// # Errors
    /// The bridge has been put away, or there is no pseudo-terminal or no link.
    pub async fn plug(&self) -> Result<(), PtyError> {
        let (done_tx, done_rx) = oneshot::channel();
        self.orders.send(Order::Plug(done_tx)).await.map_err(|_| PtyError::Ended)?;
        done_rx.await.map_err(|_| PtyError::Ended)?
    }
}

/// The simulated bridge itself.
#[derive(Debug)]
pub struct PtyBridgeActor {
    bridge: BridgeSim,
    now: Now,
    plugged: Option<AsyncFd<Pty>>,
    link: Option<PathBuf>,
    path: watch::Sender<PathBuf>,
    hands: mpsc::UnboundedReceiver<Happening>,
    orders: mpsc::Receiver<Order>,
    is_set: watch::Sender<bool>,
}

impl PtyBridgeActor {
    /// Serves until all stubs are dropped.
    pub async fn run(mut self) {
        info!(path = %self.path.borrow().display(), "simulated bridge plugged in");
        let mut buf = [0; READ_MAX];
        loop {
            let wake = self.now.instant(self.bridge.next_at());
            tokio::select! {
                order = self.orders.recv() => match order {
                    Some(order) => self.obey(order),
                    None => break,
                },
                Some(what) = self.hands.recv() => {
                    self.bridge.happen(self.now.stamp().mono, &what);
                }
                n = read(self.plugged.as_ref(), &mut buf) => match n {
                    Ok(n) => self.bridge.host_bytes(self.now.stamp().mono, &buf[..n]),
                    Err(e) => {
                        warn!(error = %e, "the simulated bridge lost its cable");
                        self.plugged = None;
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
        if let Some(pty) = &self.plugged
            && let Err(e) = pty.get_ref().write(&bytes)
        {
            debug!(error = %e, "nobody hears the simulated bridge");
        }
    }

    fn obey(&mut self, order: Order) {
        match order {
            Order::Unplug(done) => {
                self.plugged = None;
                // Who asked may have stopped waiting.
                done.send(()).ok();
            }
            Order::Plug(done) => {
                let plugged = self.plug();
                done.send(plugged).ok();
            }
        }
    }

    fn plug(&mut self) -> Result<(), PtyError> {
        // First out, so that the link of the old cable is not taken for that of the new.
        self.plugged = None;
        let pty = Pty::open(self.link.clone())?;
        self.path.send_replace(pty.path().to_owned());
        self.plugged = Some(register(pty)?);
        self.bridge.power_cycle(self.now.stamp().mono);
        Ok(())
    }
}
