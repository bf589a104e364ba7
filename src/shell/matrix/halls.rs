//! Linear hall sensors through four multiplexers 74HC4067 into one converter MCP3008 on SPI, by
//! whatever drivers of pins and buses speak embedded-hal.
//!
//! Sixteen times four sensors: the multiplexers are set together, and what comes out of them is
//! measured once it has settled. Two more inputs of the converter are wired to ground and to its
//! reference, so that one that does not answer is no board of dead sensors.

use super::{MatrixError, Scanner};
use crate::board::hall::{HallTable, Halls, RAILS};
use crate::wire::mcp3008::{self, N_TRANSFER};
use embedded_hal::delay::DelayNs;
use embedded_hal::digital::OutputPin;
use embedded_hal::spi::SpiDevice;
use shakmaty::{Color, Square};
use std::fmt::Debug;
use std::path::PathBuf;
use std::time::Duration;

/// Multiplexers, one at each of the first inputs of the converter.
const N_CHANNELS: u8 = 4;
/// Sensors at each of them.
const N_PLACES: usize = 16;
/// The input that is wired to ground.
const AT_GROUND: u8 = 6;
/// The input that is wired to the reference.
const AT_REFERENCE: u8 = 7;
/// How far off those two may be.
const SLACK: u16 = 16;

/// What measures all sensors at once.
pub trait HallReader: Debug {
    /// The values of the inputs, `16 * channel + place`, from 0 to 1023.
    ///
    /// # Errors
    /// The converter does not answer, or no sensor has its supply.
    fn values(&mut self) -> Result<[u16; 64], MatrixError>;
}

/// A converter with its multiplexers.
#[derive(Debug)]
pub struct HallConverter<S, P, D> {
    spi: S,
    /// What sets the multiplexers, the lowest bit first.
    select: [P; 4],
    delay: D,
    settle: Duration,
    bus: PathBuf,
}

impl<S: SpiDevice + Debug, P: OutputPin + Debug, D: DelayNs> HallConverter<S, P, D> {
    /// A converter on this bus, and multiplexers that are set by these pins, the lowest bit first,
    /// and have settled after a while.
    pub const fn new(spi: S, select: [P; 4], delay: D, settle: Duration, bus: PathBuf) -> Self {
        Self { spi, select, delay, settle, bus }
    }

    fn failed(&self, why: &dyn Debug) -> MatrixError {
        MatrixError::Bus { bus: self.bus.clone(), why: format!("{why:?}") }
    }

    fn measure(&mut self, input: u8) -> Result<u16, MatrixError> {
        let mut got = [0; N_TRANSFER];
        let done = self.spi.transfer(&mut got, &mcp3008::request(input));
        done.map_err(|e| self.failed(&e))?;
        mcp3008::value(got).ok_or_else(|| MatrixError::NoConverter(self.bus.clone()))
    }

    fn set(&mut self, place: usize) -> Result<(), MatrixError> {
        for (bit, pin) in self.select.iter_mut().enumerate() {
            let done = pin.set_state((place >> bit & 1 == 1).into());
            done.map_err(|e| MatrixError::Pins(format!("{e:?}")))?;
        }
        self.delay.delay_us(u32::try_from(self.settle.as_micros()).unwrap_or(u32::MAX));
        Ok(())
    }
}

impl<S, P, D> HallReader for HallConverter<S, P, D>
where
    S: SpiDevice + Debug,
    P: OutputPin + Debug,
    D: DelayNs + Debug,
{
    fn values(&mut self) -> Result<[u16; 64], MatrixError> {
        let (ground, reference) = (self.measure(AT_GROUND)?, self.measure(AT_REFERENCE)?);
        if ground > SLACK || reference < mcp3008::MAX - SLACK {
            return Err(MatrixError::NoConverter(self.bus.clone()));
        }
        let mut values = [0; 64];
        for place in 0..N_PLACES {
            self.set(place)?;
            for channel in 0..N_CHANNELS {
                values[usize::from(channel) * N_PLACES + place] = self.measure(channel)?;
            }
        }
        if values.iter().all(|value| !(RAILS.0..=RAILS.1).contains(value)) {
            return Err(MatrixError::NoSensors);
        }
        Ok(values)
    }
}

/// A board of hall sensors of which it is known what they show.
#[derive(Debug)]
pub struct HallScanner {
    reader: Box<dyn HallReader>,
    halls: Halls,
    black: u64,
}

impl HallScanner {
    /// What measures the sensors, and what was learned of them.
    pub const fn new(reader: Box<dyn HallReader>, table: HallTable) -> Self {
        Self { reader, halls: Halls::new(table), black: 0 }
    }
}

impl Scanner for HallScanner {
    /// By squares: what was learned knows their inputs.
    fn scan(&mut self) -> Result<u64, MatrixError> {
        let stands = self.halls.judge(&self.reader.values()?);
        let of = |color: Color| {
            let is_there = |sq: &Square| stands[usize::from(*sq)] == Some(color);
            Square::ALL.into_iter().filter(is_there).map(|sq| 1 << u32::from(sq)).sum::<u64>()
        };
        self.black = of(Color::Black);
        Ok(self.black | of(Color::White))
    }

    fn black(&self) -> Option<u64> {
        Some(self.black)
    }
}
