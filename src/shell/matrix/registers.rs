//! Shift registers 74HC165 on SPI, by whatever driver speaks embedded-hal: one transfer a scan.
//!
//! The load input is low between scans, while the registers follow their inputs, and rises before a
//! transfer, so that no pulse can be too short. What is sent goes through all chips and must come
//! out behind the inputs: chips without supply, or a wire that is off, read as nothing else.

use super::{MatrixError, Scanner};
use embedded_hal::digital::OutputPin;
use embedded_hal::spi::SpiDevice;
use std::fmt::Debug;
use std::path::PathBuf;

/// What is sent through the chips, in turns: no line that is stuck gives both.
const MARKS: [u8; 2] = [0xa5, 0x5a];
/// Eight chips.
const N_CHIPS: usize = 8;

/// How the chips are used.
#[derive(Clone, Debug)]
pub struct Registers {
    /// The bus, for what is said about it.
    pub bus: PathBuf,
    /// Whether a switch that is closed pulls its input to ground.
    pub is_low_active: bool,
    /// Whether what is sent comes back through the chips.
    pub loops_back: bool,
}

/// Eight shift registers in a row.
#[derive(Debug)]
pub struct ShiftRegisters<S, L> {
    spi: S,
    load: L,
    how: Registers,
    n_scans: usize,
}

impl<S: SpiDevice + Debug, L: OutputPin + Debug> ShiftRegisters<S, L> {
    /// The chips on this bus, loaded by this pin.
    pub fn new(spi: S, load: L, how: Registers) -> Self {
        Self { spi, load, how, n_scans: 0 }
    }

    fn transfer(&mut self, sent: &[u8]) -> Result<[u8; N_CHIPS + 1], String> {
        let mut got = [0; N_CHIPS + 1];
        self.load.set_high().map_err(|e| format!("{e:?}"))?;
        let done = self.spi.transfer(&mut got[..sent.len()], sent);
        self.load.set_low().map_err(|e| format!("{e:?}"))?;
        done.map_err(|e| format!("{e:?}"))?;
        Ok(got)
    }
}

impl<S: SpiDevice + Debug, L: OutputPin + Debug> Scanner for ShiftRegisters<S, L> {
    fn scan(&mut self) -> Result<u64, MatrixError> {
        let mark = MARKS[self.n_scans % MARKS.len()];
        self.n_scans = self.n_scans.wrapping_add(1);
        let mut sent = [0; N_CHIPS + 1];
        sent[0] = mark;
        let n = if self.how.loops_back { N_CHIPS + 1 } else { N_CHIPS };
        let got = self.transfer(&sent[..n]);
        let got = got.map_err(|why| MatrixError::Bus { bus: self.how.bus.clone(), why })?;
        let [inputs @ .., last] = got;
        if self.how.loops_back && last != mark {
            return Err(MatrixError::Silent { sent: mark, got: last });
        }
        let levels = u64::from_le_bytes(inputs);
        Ok(if self.how.is_low_active { !levels } else { levels })
    }
}
