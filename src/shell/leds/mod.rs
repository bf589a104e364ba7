//! Lights for the squares of a board: below it what helps those who play, on a wall the game as the
//! public may see it.
//!
//! They are written on a thread of their own on which nothing waits. Lights that cannot be had are
//! said once, and tried again. All is written anew every second: lights that were without supply
//! would stay dark.

mod colors;
mod driver;
pub mod simulated;

pub use self::colors::{LightPicture, of_game, of_lit};
pub use self::driver::{LightChain, LightDriver, MatrixLights};

use super::apart::{Apart, Share};
use super::backoff::Backoff;
use super::config::{Config, LedSettings};
use super::http::Feed;
use super::matrix::{self, MatrixError};
use crate::game::Lit;
use crate::relay::livechess::Live;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::sleep;
use tracing::{info, warn};

/// How long to wait before lights that cannot be had are tried again.
const BACKOFF: Backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(30));
/// Between two writings of the same.
const REFRESH: Duration = Duration::from_secs(1);
/// Between two writings at the least: eyes are no faster.
const TOGETHER: Duration = Duration::from_millis(30);

/// Why lights cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LedError {
    /// The bus.
    #[error(transparent)]
    Bus(#[from] MatrixError),
    /// Nobody answers at the socket of simulated lights.
    #[error("opening {}: no simulated lights are there; start `rokade simulate --leds {}`, or name \
             a bus of this machine", .0.display(), .0.display())]
    NoSocket(PathBuf),
    /// The chip does not answer.
    #[error("no HT16K33 answers at {address:#04x} of {}; check its supply, the wires of the bus \
             and its pads, or set its address", bus.display())]
    NoChip {
        /// The bus.
        bus: PathBuf,
        /// The address.
        address: u8,
    },
    /// The bus failed.
    #[error("writing to {}: the bus failed ({why})", bus.display())]
    Failed {
        /// The bus.
        bus: PathBuf,
        /// What was said.
        why: String,
    },
}

/// What lights follow.
#[derive(Clone, Debug)]
enum Follows {
    /// What is lit below the board.
    Lit(watch::Receiver<Lit>),
    /// The game as far as the public may see it.
    Game(watch::Receiver<Arc<Live>>),
}

impl Follows {
    /// What is to be shown now.
    fn picture(&mut self) -> LightPicture {
        match self {
            Self::Lit(lit) => of_lit(&lit.borrow_and_update()),
            Self::Game(live) => of_game(&live.borrow_and_update()),
        }
    }

    /// Waits until it has changed. False once nothing more comes.
    async fn changed(&mut self) -> bool {
        match self {
            Self::Lit(lit) => lit.changed().await.is_ok(),
            Self::Game(live) => live.changed().await.is_ok(),
        }
    }
}

/// Lights that are to be kept.
#[derive(Debug)]
struct LightKeeper {
    board: String,
    settings: LedSettings,
    follows: Follows,
    driver: Option<Box<dyn LightDriver>>,
    /// What was said against them.
    said: Option<LedError>,
    backoff: Backoff,
}

/// Starts what keeps the lights that are set, if any are: those below a board follow what is lit
/// there, those on a wall the board's feed.
///
/// # Errors
/// The system gives no thread.
pub fn start(
    config: &Config,
    feeds: &[Feed],
    lits: &[watch::Receiver<Lit>],
) -> io::Result<Option<Apart>> {
    let mut kept = Vec::new();
    for ((board, feed), lit) in config.boards.iter().zip(feeds).zip(lits) {
        let below = (&board.leds, Follows::Lit(lit.clone()));
        let wall = (&board.wall, Follows::Game(feed.live.clone()));
        for (settings, follows) in [below, wall].into_iter().filter(|(it, _)| it.is_set()) {
            let (board, settings) = (board.name.clone(), settings.clone());
            kept.push((board, settings, follows));
        }
    }
    if kept.is_empty() {
        return Ok(None);
    }
    let keep = |(board, settings, follows)| {
        let said = None;
        LightKeeper { board, settings, follows, driver: None, said, backoff: BACKOFF }.keep()
    };
    let work = move || async move {
        drop(kept.into_iter().map(keep).collect::<JoinSet<()>>().join_all().await)
    };
    Apart::start("lights", Share::Spare, work).map(Some)
}

impl LightKeeper {
    /// Shows what is to be shown until nothing more comes; then all are dark.
    async fn keep(mut self) {
        loop {
            let picture = self.follows.picture();
            let wait = match self.show(&picture) {
                Ok(()) => REFRESH,
                Err(why) => {
                    self.tell(why);
                    self.backoff.wait()
                }
            };
            let is_on = tokio::select! {
                is_on = self.follows.changed() => is_on,
                () = sleep(wait) => true,
            };
            if !is_on {
                // Whoever is gone by now is dark or not to be helped.
                self.show(&LightPicture::default()).ok();
                return;
            }
            // Lights that are not to be had are not asked with each move.
            sleep(if self.driver.is_some() { TOGETHER } else { wait }).await;
        }
    }

    fn show(&mut self, picture: &LightPicture) -> Result<(), LedError> {
        let mut driver = match self.driver.take() {
            Some(driver) => driver,
            None => open(&self.settings)?,
        };
        driver.show(picture)?;
        self.driver = Some(driver);
        self.backoff.reset();
        if self.said.take().is_some() {
            info!(board = self.board, bus = self.settings.bus(), "the lights are lit again");
        }
        Ok(())
    }

    fn tell(&mut self, why: LedError) {
        if self.said.as_ref() != Some(&why) {
            let board = &self.board;
            warn!(board, why = %why, "THE LIGHTS CANNOT BE USED; recording goes on");
            self.said = Some(why);
        }
    }
}

/// Opens the lights that the settings name.
///
/// # Errors
/// Their bus is not there, or not ours to use.
pub fn open(settings: &LedSettings) -> Result<Box<dyn LightDriver>, LedError> {
    if !settings.is_real() {
        let socket = matrix::remote::Remote::at(settings.bus());
        let no_socket = |_| LedError::NoSocket(PathBuf::from(settings.bus()));
        let remote = socket.map_err(no_socket)?;
        return Ok(driver::on_buses(settings, remote.clone(), remote));
    }
    #[cfg(feature = "pi")]
    return driver::on_pi(settings);
    #[cfg(not(feature = "pi"))]
    Err(MatrixError::NotBuilt.into())
}
