//! What shows a board to people in the room: lights, a display. It is written on a thread of its
//! own on which nothing waits. What cannot be had is said once, and tried again.

use super::apart::{Apart, Share};
use super::backoff::Backoff;
use super::config::Config;
use super::http::Feed;
use super::keeper::stopped;
use super::matrix::MatrixError;
use super::{display, leds};
use crate::game::Lit;
use embedded_hal::i2c::{Error as _, ErrorKind, I2c};
use std::future::Future;
use std::io;
use std::path::PathBuf;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::sleep;
use tracing::{info, warn};

/// How long to wait before a sign that cannot be had is tried again.
const BACKOFF: Backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(30));
/// Between two writings at the least: eyes are no faster.
const TOGETHER: Duration = Duration::from_millis(30);

/// Why lights or a display cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignError {
    /// The bus.
    #[error(transparent)]
    Bus(#[from] MatrixError),
    /// Nobody answers at the socket of simulated lights.
    #[error("opening {}: there are no simulated lights; start `rokade simulate --leds {}`, or name \
             a bus of this machine", .0.display(), .0.display())]
    NoLights(PathBuf),
    /// Nobody answers at the socket of a simulated display.
    #[error("opening {}: there is no simulated display; start `rokade simulate --display {}`, or \
             name a bus of this machine", .0.display(), .0.display())]
    NoDisplay(PathBuf),
    /// The chip of lights does not answer on this bus, at this address.
    #[error("no HT16K33 answers at {:#04x} of {}; check its supply, the wires of the bus and its \
             pads, or set its address", .1, .0.display())]
    NoHt16k33(PathBuf, u8),
    /// That of a display does not.
    #[error("no PCF8574 answers at {:#04x} of {}; check its supply and the wires of the bus, or \
             set its address: 0x27 or 0x3f, less its bridged pads", .1, .0.display())]
    NoPcf8574(PathBuf, u8),
    /// This bus failed, and so much was said of it.
    #[error("writing to {}: the bus failed ({})", .0.display(), .1)]
    Failed(PathBuf, String),
}

/// The chip of a sign on an I2C bus, and what is said where it is `missing`.
#[derive(Debug)]
pub(super) struct SignChip<I> {
    i2c: I,
    bus: PathBuf,
    address: u8,
    missing: fn(PathBuf, u8) -> SignError,
}

impl<I: I2c> SignChip<I> {
    pub(super) fn new(
        i2c: I,
        bus: &str,
        address: u8,
        missing: fn(PathBuf, u8) -> SignError,
    ) -> Self {
        Self { i2c, bus: bus.into(), address, missing }
    }

    pub(super) fn write(&mut self, frame: &[u8]) -> Result<(), SignError> {
        self.i2c.write(self.address, frame).map_err(|e| match e.kind() {
            ErrorKind::NoAcknowledge(_) => (self.missing)(self.bus.clone(), self.address),
            _ => SignError::Failed(self.bus.clone(), format!("{e:?}")),
        })
    }
}

/// Something that shows a board.
pub(super) trait Sign: Send + 'static {
    /// What writes it, once it is open.
    type Driver: Send;
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
    fn open(&self) -> Result<Self::Driver, SignError>;

    /// Shows what is to be shown now.
    ///
    /// # Errors
    /// It cannot be had any more, and has to be opened anew.
    fn show(&mut self, driver: &mut Self::Driver) -> Result<(), SignError>;

    /// Shows nothing any more.
    ///
    /// # Errors
    /// It cannot be had any more.
    fn clear(&self, driver: &mut Self::Driver) -> Result<(), SignError>;

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
fn write<S: Sign>(sign: &mut S, kept: &mut Option<S::Driver>) -> Result<(), SignError> {
    let mut driver = kept.take().map_or_else(|| sign.open(), Ok)?;
    sign.show(&mut driver)?;
    *kept = Some(driver);
    Ok(())
}
