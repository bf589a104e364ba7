//! What shows a board to people in the room: lights, a display. It is written on a thread of its
//! own on which nothing waits. What cannot be had is said once, and tried again.

use super::apart::Apart;
use super::backoff::Backoff;
use super::config::Config;
use super::http::Feed;
use super::{display, leds};
use crate::game::Lit;
use std::fmt::Display;
use std::future::Future;
use std::io;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::sleep;
use tracing::{info, warn};

/// How long to wait before a sign that cannot be had is tried again.
const BACKOFF: Backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(30));
/// Between two writings at the least: eyes are no faster.
const TOGETHER: Duration = Duration::from_millis(30);

/// Something that shows a board.
pub(super) trait Sign: Send {
    /// Why it cannot be used.
    type Fault: Display + PartialEq + Send;
    /// What it is, for what is said about it.
    const NAME: &'static str;
    /// Between two writings where nothing has changed.
    const REFRESH: Duration;

    /// The bus that it is on.
    fn bus(&self) -> &str;

    /// Shows what is to be shown now. What has failed before is opened anew.
    ///
    /// # Errors
    /// It cannot be had.
    fn show(&mut self) -> Result<(), Self::Fault>;

    /// Shows nothing any more, if it can be had.
    fn clear(&mut self);

    /// Waits until something else is to be shown. False once nothing more comes.
    fn changed(&mut self) -> impl Future<Output = bool> + Send;
}

/// Starts what keeps the lights and displays that are set: `lits` says what is lit below each
/// board.
///
/// # Errors
/// The system gives no thread.
pub(super) fn start(
    config: &Config,
    feeds: &[Feed],
    lits: &[watch::Receiver<Lit>],
) -> io::Result<Vec<Apart>> {
    let lights = leds::start(config, feeds, lits)?;
    Ok(lights.into_iter().chain(display::start(config, feeds)?).collect())
}

/// Keeps the sign of a board up to date until nothing more comes.
pub(super) async fn keep<S: Sign>(board: String, mut sign: S) {
    let (mut said, mut backoff) = (None, BACKOFF);
    loop {
        let (wait, together) = match sign.show() {
            Ok(()) => {
                backoff.reset();
                if said.take().is_some() {
                    info!(board, bus = sign.bus(), "the {} can be used again", S::NAME);
                }
                (S::REFRESH, TOGETHER)
            }
            Err(why) => {
                if said.as_ref() != Some(&why) {
                    let name = S::NAME.to_uppercase();
                    warn!(board, why = %why, "THE {name} CANNOT BE USED; recording goes on");
                    said = Some(why);
                }
                // One that is not to be had is not asked with each move.
                let wait = backoff.wait();
                (wait, wait)
            }
        };
        let is_on = tokio::select! {
            is_on = sign.changed() => is_on,
            () = sleep(wait) => true,
        };
        if !is_on {
            sign.clear();
            return;
        }
        sleep(together).await;
    }
}
