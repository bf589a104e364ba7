//! Lights for the squares of a board: below it what helps those who play, on a wall the game as the
//! public may see it.
//!
//! All is written anew every second: lights that were without supply would stay dark.

mod colors;
mod driver;
pub mod simulated;

pub use self::colors::{LightPicture, of_game, of_lit};
pub use self::driver::{LightChain, LightDriver, MatrixLights};
pub use super::sign::SignError;

use super::config::{Config, LedSettings};
use super::http::Feed;
use super::matrix;
use super::sign::Sign;
use crate::game::Lit;
use crate::relay::livechess::Live;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// Between two writings of the same.
const REFRESH: Duration = Duration::from_secs(1);

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

/// The lights of a board.
#[derive(Debug)]
pub(super) struct BoardLights {
    settings: LedSettings,
    follows: Follows,
}

/// The lights that are set, each with its board: those below it follow what is lit there, those on
/// a wall the board's feed.
pub(super) fn all(
    config: &Config,
    feeds: &[Feed],
    lits: &[watch::Receiver<Lit>],
) -> Vec<(String, BoardLights)> {
    let mut all = Vec::new();
    for ((board, feed), lit) in config.boards.iter().zip(feeds).zip(lits) {
        let below = (&board.leds, Follows::Lit(lit.clone()));
        let wall = (&board.wall, Follows::Game(feed.live.clone()));
        for (settings, follows) in [below, wall].into_iter().filter(|(it, _)| it.is_set()) {
            let settings = settings.clone();
            all.push((board.name.clone(), BoardLights { settings, follows }));
        }
    }
    all
}

impl Sign for BoardLights {
    type Driver = Box<dyn LightDriver>;
    const NAME: &'static str = "lights";
    const REFRESH: Duration = REFRESH;

    fn bus(&self) -> &str {
        self.settings.bus()
    }

    fn open(&self) -> Result<Box<dyn LightDriver>, SignError> {
        open(&self.settings)
    }

    fn show(&mut self, driver: &mut Box<dyn LightDriver>) -> Result<(), SignError> {
        driver.show(&self.follows.picture())
    }

    fn clear(&self, driver: &mut Box<dyn LightDriver>) -> Result<(), SignError> {
        driver.show(&LightPicture::default())
    }

    async fn changed(&mut self) -> bool {
        self.follows.changed().await
    }
}

/// Opens the lights that the settings name.
///
/// # Errors
/// Their bus is not there, or not ours to use.
pub fn open(settings: &LedSettings) -> Result<Box<dyn LightDriver>, SignError> {
    if !settings.is_real() {
        let socket = matrix::remote::Remote::at(settings.bus());
        let no_socket = |_| SignError::NoLights(PathBuf::from(settings.bus()));
        let remote = socket.map_err(no_socket)?;
        return Ok(driver::on_buses(settings, remote.clone(), remote));
    }
    #[cfg(feature = "pi")]
    return driver::on_pi(settings);
    #[cfg(not(feature = "pi"))]
    Err(matrix::MatrixError::NotBuilt.into())
}
