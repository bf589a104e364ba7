//! The cable of a simulated device: a pseudo-terminal that can be pulled out and plugged in.

use super::{ORDERS_MAX, Pty, PtyError};
use std::io;
use std::path::PathBuf;
use tokio::io::unix::AsyncFd;
use tokio::sync::{mpsc, oneshot, watch};
use tracing::debug;

/// What can be done to a cable; it is answered once it is done.
#[derive(Debug)]
pub(super) enum CablePull {
    Out(oneshot::Sender<()>),
    In(oneshot::Sender<Result<(), PtyError>>),
}

/// The hand at the cable of a simulated device. Once all its copies are dropped the device is put
/// away.
#[derive(Clone, Debug)]
pub struct CableStub {
    path: watch::Receiver<PathBuf>,
    pulls: mpsc::Sender<CablePull>,
}

impl CableStub {
    /// What a host opens. Without a link it changes whenever the device is plugged in.
    pub fn path(&self) -> PathBuf {
        self.path.borrow().clone()
    }

    /// Pulls the cable: the host's end vanishes, with all that was under way.
    ///
    /// # Errors
    /// The device has been put away.
    pub async fn unplug(&self) -> Result<(), PtyError> {
        let (done_tx, done_rx) = oneshot::channel();
        self.pulls.send(CablePull::Out(done_tx)).await.map_err(|_| PtyError::Ended)?;
        done_rx.await.map_err(|_| PtyError::Ended)
    }

    /// Plugs it in again. The device gets its power from the cable, so it has forgotten its mode; a
    /// clock that hangs on it goes on.
    ///
    /// # Errors
    /// The device has been put away, or there is no pseudo-terminal or no link.
    pub async fn plug(&self) -> Result<(), PtyError> {
        let (done_tx, done_rx) = oneshot::channel();
        self.pulls.send(CablePull::In(done_tx)).await.map_err(|_| PtyError::Ended)?;
        done_rx.await.map_err(|_| PtyError::Ended)?
    }
}

/// The device's end of a cable.
#[derive(Debug)]
pub(super) struct Cable {
    /// `None` while it is out.
    pub(super) plugged: Option<AsyncFd<Pty>>,
    link: Option<PathBuf>,
    path: watch::Sender<PathBuf>,
    /// What hands want of it. Ends with the last of them.
    pub(super) pulls: mpsc::Receiver<CablePull>,
}

impl Cable {
    /// A cable that is plugged in. With a `link` the host's end has that name as often as it is.
    pub(super) fn open(link: Option<PathBuf>) -> Result<(CableStub, Self), PtyError> {
        let pty = Pty::open(link.clone())?;
        let (path_tx, path_rx) = watch::channel(pty.path().to_owned());
        let (pulls_tx, pulls_rx) = mpsc::channel(ORDERS_MAX);
        let stub = CableStub { path: path_rx, pulls: pulls_tx };
        Ok((stub, Self { plugged: Some(register(pty)?), link, path: path_tx, pulls: pulls_rx }))
    }

    pub(super) fn path(&self) -> PathBuf {
        self.path.borrow().clone()
    }

    /// Pulls it out or plugs it in; then the device `wakes`, as it gets its power from the cable.
    pub(super) fn obey(&mut self, pull: CablePull, wakes: impl FnOnce()) {
        match pull {
            CablePull::Out(done) => {
                self.plugged = None;
                // Who asked may have stopped waiting.
                done.send(()).ok();
            }
            CablePull::In(done) => {
                let plugged = self.plug();
                if plugged.is_ok() {
                    wakes();
                }
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
        Ok(())
    }

    /// Lets every program of this machine open the host's end.
    pub(super) fn allow_all(&self) -> Result<(), PtyError> {
        self.plugged.as_ref().map_or(Ok(()), |pty| pty.get_ref().allow_all())
    }

    /// The next program may open the host's end too.
    pub(super) fn share(&self) {
        self.plugged.iter().for_each(|pty| pty.get_ref().share());
    }

    /// How many bytes the host has not read yet.
    pub(super) fn n_unread(&self) -> u64 {
        self.plugged.as_ref().map_or(0, |pty| pty.get_ref().n_unread())
    }

    /// What the host has not read yet is lost.
    pub(super) fn forget_unread(&self) {
        self.plugged.iter().for_each(|pty| pty.get_ref().forget_unread());
    }

    /// What does not go through, because nobody reads or the cable is out, is lost.
    pub(super) fn write(&self, bytes: &[u8]) {
        if let Some(pty) = &self.plugged
            && let Err(e) = pty.get_ref().write(bytes)
        {
            debug!(error = %e, path = %self.path.borrow().display(), "nobody hears the device");
        }
    }
}

/// Lets the runtime watch over the board's end.
#[expect(deprecated, reason = "its successor is unsafe; a `Pty` keeps its one descriptor for life")]
fn register(pty: Pty) -> Result<AsyncFd<Pty>, PtyError> {
    AsyncFd::new(pty).map_err(PtyError::Open)
}

/// Takes what a host sends; without a cable nothing ever comes.
pub(super) async fn read(plugged: Option<&AsyncFd<Pty>>, buf: &mut [u8]) -> io::Result<usize> {
    let Some(pty) = plugged else { return std::future::pending().await };
    loop {
        let mut ready = pty.readable().await?;
        if let Ok(n) = ready.try_io(|pty| pty.get_ref().read(buf)) {
            return n;
        }
    }
}
