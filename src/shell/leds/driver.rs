//! The ways to lights, by whatever driver of a bus speaks embedded-hal.

use super::{LedError, LightPicture};
use crate::shell::config::{LedChips, LedSettings};
use crate::wire::ht16k33::LightMatrix;
use crate::wire::ws2812;
use embedded_hal::i2c::{Error as _, ErrorKind, I2c};
use embedded_hal::spi::SpiDevice;
use shakmaty::Square;
use std::fmt::Debug;
use std::path::PathBuf;

/// What lights squares.
pub trait LightDriver: Debug + Send {
    /// Shows this.
    ///
    /// # Errors
    /// The bus failed, or nobody is there.
    fn show(&mut self, picture: &LightPicture) -> Result<(), LedError>;
}

/// A chain of WS2812.
#[derive(Debug)]
pub struct LightChain<S> {
    spi: S,
    bus: PathBuf,
    squares: [Square; 64],
    limit_ma: u32,
}

impl<S: SpiDevice + Debug + Send> LightChain<S> {
    /// A chain on this bus, as the settings have it.
    pub fn new(spi: S, settings: &LedSettings) -> Self {
        let (bus, squares) = (PathBuf::from(settings.bus()), settings.squares());
        Self { spi, bus, squares, limit_ma: settings.limit_ma }
    }
}

impl<S: SpiDevice + Debug + Send> LightDriver for LightChain<S> {
    fn show(&mut self, picture: &LightPicture) -> Result<(), LedError> {
        let lights = self.squares.map(|sq| picture.colors[usize::from(sq)]);
        let bytes = ws2812::encode(&ws2812::within(&lights, self.limit_ma));
        let failed =
            |e: S::Error| LedError::Failed { bus: self.bus.clone(), why: format!("{e:?}") };
        self.spi.write(&bytes).map_err(failed)
    }
}

/// A matrix of lights behind an HT16K33.
#[derive(Debug)]
pub struct MatrixLights<I> {
    i2c: I,
    bus: PathBuf,
    address: u8,
    squares: [Square; 64],
    limit_ma: u32,
}

impl<I: I2c + Debug + Send> MatrixLights<I> {
    /// The chip on this bus, as the settings have it.
    pub fn new(i2c: I, settings: &LedSettings) -> Self {
        let (bus, squares) = (PathBuf::from(settings.bus()), settings.squares());
        Self { i2c, bus, address: settings.address, squares, limit_ma: settings.limit_ma }
    }

    fn write(&mut self, frame: &[u8]) -> Result<(), LedError> {
        self.i2c.write(self.address, frame).map_err(|e| match e.kind() {
            ErrorKind::NoAcknowledge(_) => {
                LedError::NoChip { bus: self.bus.clone(), address: self.address }
            }
            _ => LedError::Failed { bus: self.bus.clone(), why: format!("{e:?}") },
        })
    }
}

impl<I: I2c + Debug + Send> LightDriver for MatrixLights<I> {
    /// The chip is woken each time: it may have been without supply.
    fn show(&mut self, picture: &LightPicture) -> Result<(), LedError> {
        let bit = |(light, sq): (usize, &Square)| u64::from(picture.lit.contains(*sq)) << light;
        let lit = self.squares.iter().enumerate().map(bit).sum();
        let (setup, memory) = LightMatrix { lit, blinks: picture.blinks }.frames();
        for command in LightMatrix::start(self.limit_ma) {
            self.write(&[command])?;
        }
        // What it remembers from its last power-on is never shown.
        self.write(&memory)?;
        self.write(&setup)
    }
}

/// Lights on one of these buses, by what the settings say.
pub(super) fn on_buses<S, I>(settings: &LedSettings, spi: S, i2c: I) -> Box<dyn LightDriver>
where
    S: SpiDevice + Debug + Send + 'static,
    I: I2c + Debug + Send + 'static,
{
    match settings.chips {
        LedChips::Ht16k33 => Box::new(MatrixLights::new(i2c, settings)),
        LedChips::None | LedChips::Ws2812 => Box::new(LightChain::new(spi, settings)),
    }
}

/// Lights on a bus of this machine.
#[cfg(feature = "pi")]
pub(super) fn on_pi(settings: &LedSettings) -> Result<Box<dyn LightDriver>, LedError> {
    use crate::shell::matrix::pi;
    use crate::shell::pins;
    let path = std::path::Path::new(settings.bus());
    Ok(match settings.chips {
        LedChips::Ht16k33 => Box::new(MatrixLights::new(pi::i2c(path)?, settings)),
        LedChips::None | LedChips::Ws2812 => {
            let numbers = pins::spi_numbers(settings.bus());
            Box::new(LightChain::new(pi::spi(path, numbers, ws2812::KHZ)?, settings))
        }
    })
}
