//! Port expanders on I2C, by whatever driver of the bus speaks embedded-hal.
//!
//! Each chip is set up when it is first read, and an answer is checked as far as it can be: one
//! that had no supply for a moment has forgotten that its pins are pulled up. An interrupt line is
//! a hint alone: while it says that nothing has changed, chips are read less often.

use super::{MatrixError, Scanner};
use crate::wire::expander::{Expander, mcp23, pca9555};
use embedded_hal::digital::InputPin;
use embedded_hal::i2c::{Error as _, ErrorKind, I2c};
use std::fmt::Debug;
use std::path::PathBuf;

/// After so many scans in which the interrupt line said that nothing has changed the chips are read
/// all the same.
const QUIET_MAX: u32 = 9;
/// Below this a bus is too slow for the usual rate, in kHz.
const FAST_KHZ: u32 = 200;

/// Where the chips are, and how they are used.
#[derive(Clone, Debug)]
pub struct ExpanderChips {
    /// The bus, for what is said about it.
    pub bus: PathBuf,
    /// What kind they are of.
    pub kind: Expander,
    /// Their addresses.
    pub addresses: Vec<u8>,
    /// Whether a switch that is closed pulls its input to ground.
    pub is_low_active: bool,
}

/// Chips on an I2C bus.
#[derive(Debug)]
pub struct Expanders<B, I> {
    bus: B,
    how: ExpanderChips,
    interrupt: Option<I>,
    /// How fast the bus is, if that is known.
    khz: Option<u32>,
    /// What was read last, once the chips are set up.
    last: Option<u64>,
    n_quiet: u32,
}

impl<B: I2c + Debug, I: InputPin + Debug> Expanders<B, I> {
    /// The chips on this bus, which is so fast, if that is known. Nothing is sent yet.
    pub const fn new(bus: B, interrupt: Option<I>, khz: Option<u32>, how: ExpanderChips) -> Self {
        Self { bus, how, interrupt, khz, last: None, n_quiet: 0 }
    }

    fn failed(&self, address: u8, error: &B::Error) -> MatrixError {
        let (bus, chip) = (self.how.bus.clone(), self.how.kind);
        match error.kind() {
            ErrorKind::NoAcknowledge(_) => MatrixError::NoChip { bus, chip, address },
            ErrorKind::Bus | ErrorKind::ArbitrationLoss => MatrixError::Stuck(bus),
            _ => MatrixError::Bus { bus, why: format!("{error:?}") },
        }
    }

    fn write(&mut self, address: u8, bytes: &[u8]) -> Result<(), MatrixError> {
        self.bus.write(address, bytes).map_err(|e| self.failed(address, &e))
    }

    fn set_up(&mut self, address: u8) -> Result<(), MatrixError> {
        match self.how.kind {
            Expander::Pcf8575 => self.write(address, &[0xff, 0xff]),
            Expander::Pca9555 => self.write(address, &[pca9555::CONFIG, 0xff, 0xff]),
            Expander::Mcp23017 | Expander::Mcp23s17 => {
                self.write(address, &[mcp23::IOCON, mcp23::ONE_OPEN_LINE])?;
                self.write(address, &[mcp23::IODIR, 0xff, 0xff])?;
                self.write(address, &[mcp23::GPINTEN, 0xff, 0xff])?;
                self.write(address, &[mcp23::GPPU, 0xff, 0xff])
            }
        }
    }

    fn read(&mut self, address: u8) -> Result<u16, MatrixError> {
        let mut port = [0; 2];
        let done = match self.how.kind {
            Expander::Pcf8575 => self.bus.read(address, &mut port),
            Expander::Pca9555 => self.bus.write_read(address, &[pca9555::INPUT], &mut port),
            Expander::Mcp23017 | Expander::Mcp23s17 => {
                let mut read = [0; mcp23::N_READ];
                let done = self.bus.write_read(address, &[mcp23::FIRST_READ], &mut read);
                let [con, _, pulls, more @ .., first, second] = read;
                port = [first, second];
                let is_set_up = con == mcp23::ONE_OPEN_LINE && (pulls, more[0]) == (0xff, 0xff);
                if done.is_ok() && !is_set_up {
                    let (bus, chip) = (self.how.bus.clone(), self.how.kind);
                    return Err(MatrixError::Forgot { bus, chip, address });
                }
                done
            }
        };
        done.map_err(|e| self.failed(address, &e))?;
        Ok(u16::from_le_bytes(port))
    }

    /// Whether the interrupt line says that nothing has changed, and may be believed once more.
    fn is_quiet(&mut self) -> bool {
        let Some(pin) = &mut self.interrupt else { return false };
        let is_quiet = self.n_quiet < QUIET_MAX && pin.is_high().unwrap_or(false);
        self.n_quiet = if is_quiet { self.n_quiet + 1 } else { 0 };
        is_quiet
    }
}

impl<B: I2c + Debug, I: InputPin + Debug> Scanner for Expanders<B, I> {
    fn scan(&mut self) -> Result<u64, MatrixError> {
        let is_quiet = self.is_quiet();
        if let Some(last) = self.last.filter(|_| is_quiet) {
            return Ok(last);
        }
        let is_set_up = self.last.take().is_some();
        let mut ports = Vec::with_capacity(self.how.addresses.len());
        for address in self.how.addresses.clone() {
            if !is_set_up {
                self.set_up(address)?;
            }
            ports.push(self.read(address)?);
        }
        let levels = self.how.kind.gather(&ports);
        let scan = if self.how.is_low_active { !levels } else { levels };
        self.last = Some(scan);
        Ok(scan)
    }

    fn slow_khz(&self) -> Option<u32> {
        self.khz.filter(|khz| *khz < FAST_KHZ)
    }
}
