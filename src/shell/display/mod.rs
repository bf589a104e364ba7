//! A display of four rows beside a board or at the door, which shows the board as the public may
//! see it: the view document of its page, in twenty letters a row.

mod driver;
pub mod simulated;

pub use self::driver::{CharacterDisplay, RowDriver};

use super::config::{Config, DisplaySettings};
use super::http::Feed;
use super::matrix;
use super::sign::{Sign, SignError};
use crate::relay::rows::{self, FourRows};
use std::path::PathBuf;
use std::time::Duration;

/// How often is looked what a clock shows.
const REFRESH: Duration = Duration::from_millis(250);

/// The display of a board.
#[derive(Debug)]
pub(super) struct BoardDisplay {
    settings: DisplaySettings,
    feed: Feed,
}

/// The displays that are set, each with its board.
pub(super) fn all(config: &Config, feeds: &[Feed]) -> Vec<(String, BoardDisplay)> {
    let set = config.boards.iter().zip(feeds).filter(|(it, _)| it.display.is_set());
    set.map(|(board, feed)| {
        let (settings, feed) = (board.display.clone(), feed.clone());
        (board.name.clone(), BoardDisplay { settings, feed })
    })
    .collect()
}

impl Sign for BoardDisplay {
    type Driver = Box<dyn RowDriver>;
    const NAME: &'static str = "display";
    const REFRESH: Duration = REFRESH;

    fn bus(&self) -> &str {
        self.settings.bus()
    }

    fn open(&self) -> Result<Box<dyn RowDriver>, SignError> {
        open(&self.settings)
    }

    fn show(&mut self, driver: &mut Box<dyn RowDriver>) -> Result<(), SignError> {
        let shown = self.feed.view.borrow_and_update().clone();
        let is_recorded = self.feed.status.borrow().is_recorded();
        let age = shown.made.elapsed();
        let language = self.settings.language;
        driver.show(&rows::of(&shown.text, age, is_recorded, language, deunicode::deunicode))
    }

    fn clear(&self, driver: &mut Box<dyn RowDriver>) -> Result<(), SignError> {
        driver.show(&FourRows::default())
    }

    async fn changed(&mut self) -> bool {
        self.feed.view.changed().await.is_ok()
    }
}

/// Opens the display that the settings name.
///
/// # Errors
/// Its bus is not there, or not ours to use.
pub fn open(settings: &DisplaySettings) -> Result<Box<dyn RowDriver>, SignError> {
    if !settings.is_real() {
        let path = PathBuf::from(settings.bus());
        let remote = matrix::remote::Remote::at(settings.bus());
        let remote = remote.map_err(|_| SignError::NoDisplay(path))?;
        return Ok(Box::new(CharacterDisplay::new(remote, settings)));
    }
    #[cfg(feature = "pi")]
    return Ok(Box::new(CharacterDisplay::new(
        matrix::pi::i2c(std::path::Path::new(settings.bus()))?,
        settings,
    )));
    #[cfg(not(feature = "pi"))]
    Err(matrix::MatrixError::NotBuilt.into())
}
