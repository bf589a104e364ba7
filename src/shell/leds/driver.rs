//! The ways to lights, by whatever driver of a bus speaks embedded-hal.

use super::LightPicture;
use crate::shell::config::{LedChips, LedSettings};
use crate::shell::sign::{SignChip, SignError};
use crate::wire::ht16k33::LightMatrix;
use crate::wire::ws2812;
use embedded_hal::i2c::I2c;
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
    fn show(&mut self, picture: &LightPicture) -> Result<(), SignError>;
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
    fn show(&mut self, picture: &LightPicture) -> Result<(), SignError> {
        let lights = self.squares.map(|sq| picture.colors[usize::from(sq)]);
        let bytes = ws2812::encode(&ws2812::within(&lights, self.limit_ma));
        self.spi.write(&bytes).map_err(|e| SignError::Failed(self.bus.clone(), format!("{e:?}")))
    }
}

/// A matrix of lights behind an HT16K33.
#[derive(Debug)]
pub struct MatrixLights<I> {
    chip: SignChip<I>,
    squares: [Square; 64],
    limit_ma: u32,
}

impl<I: I2c + Debug + Send> MatrixLights<I> {
    /// The chip on this bus, as the settings have it.
    pub fn new(i2c: I, settings: &LedSettings) -> Self {
        let missing = SignError::NoHt16k33;
        let chip = SignChip::new(i2c, settings.bus(), settings.address, missing);
        Self { chip, squares: settings.squares(), limit_ma: settings.limit_ma }
    }
}

impl<I: I2c + Debug + Send> LightDriver for MatrixLights<I> {
    /// The chip is woken each time: it may have been without supply.
    fn show(&mut self, picture: &LightPicture) -> Result<(), SignError> {
        let bit = |(light, sq): (usize, &Square)| u64::from(picture.lit.contains(*sq)) << light;
        let lit = self.squares.iter().enumerate().map(bit).sum();
        let (setup, memory) = LightMatrix { lit, blinks: picture.blinks }.frames();
        for command in LightMatrix::start(self.limit_ma) {
            self.chip.write(&[command])?;
        }
        // What it remembers from its last power-on is never shown.
        self.chip.write(&memory)?;
        self.chip.write(&setup)
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
pub(super) fn on_pi(settings: &LedSettings) -> Result<Box<dyn LightDriver>, SignError> {
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
