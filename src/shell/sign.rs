//! What shows a board to people in the room: lights, a display. It is written on a thread of its
//! own on which nothing waits. What cannot be had is said once, and tried again.

use super::apart::{Apart, Share};
use super::backoff::Backoff;
use super::config::Config;
use super::http::Feed;
use super::keeper::stopped;
use super::{display, leds};
use crate::game::Lit;
use std::fmt::Display;
use std::future::Future;
use std::io;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::sleep;
use tracing::{info, warn};

/// How long to wait before a sign that cannot be had is tried again.
const BACKOFF: Backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(30));
/// Between two writings at the least: eyes are no faster.
const TOGETHER: Duration = Duration::from_millis(30);

/// Something that shows a board.
pub(super) trait Sign: Send + 'static {
    /// What writes it, once it is open.
    type Driver: Send;
    /// Why it cannot be used.
    type Fault: Display + PartialEq + Send;
    /// What it is, for what is said about it.
    const NAME: &'static str;
    /// Between two writings where nothing has changed.
    const REFRESH: Duration;

    /// The bus that it is on.
    fn bus(&self) -> &str;

    /// Opens it.
    ///
    /// # Errors
    /// It cannot be had.
    fn open(&self) -> Result<Self::Driver, Self::Fault>;

    /// Shows what is to be shown now.
    ///
    /// # Errors
    /// It cannot be had any more, and has to be opened anew.
    fn show(&mut self, driver: &mut Self::Driver) -> Result<(), Self::Fault>;

    /// Shows nothing any more.
    ///
    /// # Errors
    /// It cannot be had any more.
    fn clear(&self, driver: &mut Self::Driver) -> Result<(), Self::Fault>;

    /// Waits until something else is to be shown. False once nothing more comes.
    fn changed(&mut self) -> impl Future<Output = bool> + Send;
}

/// Starts what keeps the lights and displays that are set: `lits` says what is lit below each
/// board. They go dark once `stops` turns true.
///
/// # Errors
/// The system gives no thread.
pub(super) fn start(
    config: &Config,
    feeds: &[Feed],
    lits: &[watch::Receiver<Lit>],
    stops: &watch::Receiver<bool>,
) -> io::Result<Vec<Apart>> {
    let lights = keep_all(leds::all(config, feeds, lits), stops)?;
    let displays = keep_all(display::all(config, feeds), stops)?;
    Ok(lights.into_iter().chain(displays).collect())
}

/// Keeps these, each with its board's name, on a thread of their own; without any there is none.
fn keep_all<S: Sign>(
    signs: Vec<(String, S)>,
    stops: &watch::Receiver<bool>,
) -> io::Result<Option<Apart>> {
    if signs.is_empty() {
        return Ok(None);
    }
    let stops = stops.clone();
    let keep = move |(board, sign)| keep(board, sign, stops.clone());
    let work = move || async move {
        drop(signs.into_iter().map(keep).collect::<JoinSet<()>>().join_all().await)
    };
    Apart::start(S::NAME, Share::Spare, work).map(Some)
}

/// Keeps the sign of a board up to date until nothing more comes.
async fn keep<S: Sign>(board: String, mut sign: S, mut stops: watch::Receiver<bool>) {
    let (mut driver, mut said, mut backoff) = (None, None, BACKOFF);
    loop {
        let (wait, together) = match write(&mut sign, &mut driver) {
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
            () = stopped(&mut stops) => false,
            () = sleep(wait) => true,
        };
        if !is_on {
            // What cannot be had now is dark already, or not to be helped.
            if let Ok(mut driver) = driver.map_or_else(|| sign.open(), Ok) {
                sign.clear(&mut driver).ok();
            }
            return;
        }
        sleep(together).await;
    }
}

/// Has it show what is to be shown; what has failed before is opened anew.
fn write<S: Sign>(sign: &mut S, kept: &mut Option<S::Driver>) -> Result<(), S::Fault> {
    let mut driver = kept.take().map_or_else(|| sign.open(), Ok)?;
    sign.show(&mut driver)?;
    *kept = Some(driver);
    Ok(())
}
