//! The way to a display, by whatever driver of a bus speaks embedded-hal.

use crate::relay::rows::{FourRows, N_ROWS};
use crate::shell::config::DisplaySettings;
use crate::shell::sign::{SignChip, SignError};
use crate::wire::hd44780;
use embedded_hal::i2c::I2c;
use std::fmt::Debug;
use std::thread;

/// After so many pictures the display is brought to its senses again, in case a spark has put it
/// out of step: about once a minute.
const ANEW: usize = 240;

/// What shows four rows.
pub trait RowDriver: Debug + Send {
    /// Shows these.
    ///
    /// # Errors
    /// The bus failed, or nobody is there.
    fn show(&mut self, rows: &FourRows) -> Result<(), SignError>;
}

/// An HD44780 behind a PCF8574.
#[derive(Debug)]
pub struct CharacterDisplay<I> {
    chip: SignChip<I>,
    /// What was written, by rows.
    written: [Option<String>; N_ROWS],
    /// Pictures until it is started anew.
    n_left: usize,
}

impl<I: I2c + Debug + Send> CharacterDisplay<I> {
    /// The display on this bus, as the settings have it.
    pub fn new(i2c: I, settings: &DisplaySettings) -> Self {
        let missing = SignError::NoPcf8574;
        let chip = SignChip::new(i2c, settings.bus(), settings.address, missing);
        Self { chip, written: Default::default(), n_left: 0 }
    }
}

impl<I: I2c + Debug + Send> RowDriver for CharacterDisplay<I> {
    /// Only what has changed is written: others may wait for the bus.
    fn show(&mut self, rows: &FourRows) -> Result<(), SignError> {
        match self.n_left.checked_sub(1) {
            Some(n_left) => self.n_left = n_left,
            None => {
                for (frame, wait) in hd44780::start() {
                    self.chip.write(&frame)?;
                    thread::sleep(wait);
                }
                (self.n_left, self.written) = (ANEW, Default::default());
            }
        }
        for (number, row) in rows.iter().enumerate() {
            if self.written[number].as_ref() != Some(row) {
                self.chip.write(&hd44780::row(number, row))?;
                self.written[number] = Some(row.clone());
            }
        }
        Ok(())
    }
}
