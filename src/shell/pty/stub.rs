//! The hands at simulated boards: scripts that are to be played, and who waits for what.

use super::{CableStub, ORDERS_MAX, PtyError, Speed};
use tokio::sync::{mpsc, oneshot, watch};

/// What hands are to do, how fast, and who hears that they have begun.
type PacedPlay<S> = (S, Speed, oneshot::Sender<()>);

/// Hands and cable of what is simulated; a script is an `S`. Once all copies are dropped it is put
/// away.
#[derive(Clone, Debug)]
pub struct PtyStub<S> {
    /// The hand at the cable.
    pub cable: CableStub,
    plays: mpsc::Sender<PacedPlay<S>>,
    has_played: watch::Receiver<bool>,
    is_awake: watch::Receiver<bool>,
}

impl<S> PtyStub<S> {
    /// Lets hands do what `script` says, its times counted from now. All that is on the table,
    /// its clock and its line as well, is as fast as `speed` says until the script ends; then the
    /// board keeps serving. A script that is still being played at a table gives way. Returns once
    /// the hands have begun.
    ///
    /// # Errors
    /// The board has been put away.
    pub async fn play(&self, script: S, speed: Speed) -> Result<(), PtyError> {
        let (begun_tx, begun_rx) = oneshot::channel();
        self.plays.send((script, speed, begun_tx)).await.map_err(|_| PtyError::Ended)?;
        begun_rx.await.map_err(|_| PtyError::Ended)
    }

    /// Waits until a host has woken the board, or each of them, so that it hears of every change.
    ///
    /// # Errors
    /// The board has been put away.
    pub async fn woken(&mut self) -> Result<(), PtyError> {
        self.is_awake.wait_for(|is| *is).await.map(drop).map_err(|_| PtyError::Ended)
    }

    /// Waits until all that is to be played has been.
    ///
    /// # Errors
    /// The board has been put away.
    pub async fn played(&mut self) -> Result<(), PtyError> {
        self.has_played.wait_for(|has| *has).await.map(drop).map_err(|_| PtyError::Ended)
    }
}

/// What an actor hears from its stubs, and tells them.
#[derive(Debug)]
pub(super) struct PtyHands<S> {
    /// What is to be played next.
    pub(super) plays: mpsc::Receiver<PacedPlay<S>>,
    has_played: watch::Sender<bool>,
    is_awake: watch::Sender<bool>,
}

impl<S> PtyHands<S> {
    pub(super) fn new(cable: CableStub) -> (PtyStub<S>, Self) {
        let (plays_tx, plays) = mpsc::channel(ORDERS_MAX);
        let (has_played, played_rx) = watch::channel(true);
        let (is_awake, awake_rx) = watch::channel(false);
        let stub = PtyStub { cable, plays: plays_tx, has_played: played_rx, is_awake: awake_rx };
        (stub, Self { plays, has_played, is_awake })
    }

    /// A script is being played.
    pub(super) fn begin(&self) {
        self.has_played.send_replace(false);
    }

    /// Whether the host has woken all there is.
    pub(super) fn wake(&self, is_awake: bool) {
        self.is_awake.send_if_modified(|was| std::mem::replace(was, is_awake) != is_awake);
    }

    /// Nothing is left to be done. True if that is news.
    pub(super) fn end(&self) -> bool {
        self.has_played.send_if_modified(|has| !std::mem::replace(has, true))
    }
}
