//! Port expanders MCP23S17 on SPI, by whatever driver of the bus speaks embedded-hal: four chips at
//! one chip select, told apart by their address pins.
//!
//! What holds for a whole chip is read with its inputs: without supply, or with a wire off, it does
//! not come out as it was set.

use super::{MatrixError, Scanner};
use crate::wire::expander::{ADDRESS, Expander, mcp23};
use embedded_hal::spi::SpiDevice;
use std::fmt::Debug;
use std::path::PathBuf;

/// The opcode of a chip, as its address.
const OPCODE: u8 = ADDRESS << 1;
/// A transfer that reads: opcode and register before what comes back.
const N_TRANSFER: usize = 2 + mcp23::N_READ;

/// Four chips at one chip select.
#[derive(Debug)]
pub struct SpiExpanders<S> {
    spi: S,
    /// The bus, for what is said about it.
    bus: PathBuf,
    is_low_active: bool,
    is_set_up: bool,
}

impl<S: SpiDevice + Debug> SpiExpanders<S> {
    /// The chips on this bus. A switch that is closed pulls its input to ground, or up.
    pub const fn new(spi: S, bus: PathBuf, is_low_active: bool) -> Self {
        Self { spi, bus, is_low_active, is_set_up: false }
    }

    fn failed(&self, error: &S::Error) -> MatrixError {
        MatrixError::Bus { bus: self.bus.clone(), why: format!("{error:?}") }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), MatrixError> {
        self.spi.write(bytes).map_err(|e| self.failed(&e))
    }

    fn set_up(&mut self) -> Result<(), MatrixError> {
        // After a reset all of them listen to the first address, and after that each to its own.
        self.write(&[OPCODE, mcp23::IOCON, mcp23::BY_ADDRESS])?;
        for opcode in opcodes() {
            self.write(&[opcode, mcp23::IOCON, mcp23::BY_ADDRESS])?;
            self.write(&[opcode, mcp23::IODIR, 0xff, 0xff])?;
            self.write(&[opcode, mcp23::GPPU, 0xff, 0xff])?;
        }
        Ok(())
    }

    fn read(&mut self, opcode: u8) -> Result<u16, MatrixError> {
        let mut sent = [0; N_TRANSFER];
        sent[..2].copy_from_slice(&[opcode | 1, mcp23::FIRST_READ]);
        let mut got = [0; N_TRANSFER];
        self.spi.transfer(&mut got, &sent).map_err(|e| self.failed(&e))?;
        let [_, _, con, _, pulls_a, pulls_b, .., first, second] = got;
        if con != mcp23::BY_ADDRESS || (pulls_a, pulls_b) != (0xff, 0xff) {
            let (bus, chip, address) = (self.bus.clone(), Expander::Mcp23s17, opcode >> 1);
            return Err(MatrixError::NoChip { bus, chip, address });
        }
        Ok(u16::from_le_bytes([first, second]))
    }
}

fn opcodes() -> impl Iterator<Item = u8> {
    (0..4).map(|chip| OPCODE | chip << 1)
}

impl<S: SpiDevice + Debug> Scanner for SpiExpanders<S> {
    fn scan(&mut self) -> Result<u64, MatrixError> {
        if !std::mem::replace(&mut self.is_set_up, false) {
            self.set_up()?;
        }
        let mut ports = [0; 4];
        for (port, opcode) in ports.iter_mut().zip(opcodes()) {
            *port = self.read(opcode)?;
        }
        self.is_set_up = true;
        let levels = Expander::Mcp23s17.gather(&ports);
        Ok(if self.is_low_active { !levels } else { levels })
    }
}
