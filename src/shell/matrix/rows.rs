//! Switches between rows and columns, by whatever driver of pins speaks embedded-hal: one row after
//! the other is pulled low, and the columns are read once they have settled.
//!
//! A row that is not read is let go, not driven high: two closed switches would join it to the one
//! that is low.

use super::{MatrixError, Scanner};
use crate::board::rows::is_impossible;
use embedded_hal::delay::DelayNs;
use embedded_hal::digital::{InputPin, OutputPin};
use std::fmt::Debug;
use std::time::Duration;

/// Inputs that are read together.
pub trait Inputs: Debug {
    /// Those that are low.
    ///
    /// # Errors
    /// They cannot be read.
    fn low(&mut self) -> Result<u8, String>;
}

impl<P: InputPin + Debug> Inputs for [P; 8] {
    fn low(&mut self) -> Result<u8, String> {
        let mut low = 0;
        for (bit, pin) in self.iter_mut().enumerate() {
            low |= u8::from(pin.is_low().map_err(|e| format!("{e:?}"))?) << bit;
        }
        Ok(low)
    }
}

/// Eight rows and eight columns.
#[derive(Debug)]
pub struct RowScanner<R, C, D> {
    rows: [R; 8],
    columns: C,
    delay: D,
    settle: Duration,
    /// The BCM numbers of the columns, for what is said about them.
    names: Vec<u8>,
}

impl<R: OutputPin + Debug, C: Inputs, D: DelayNs> RowScanner<R, C, D> {
    /// Rows that are let go when they are set high, and columns with pull-ups and these names,
    /// which have settled after a while.
    pub const fn new(rows: [R; 8], columns: C, delay: D, settle: Duration, names: Vec<u8>) -> Self {
        Self { rows, columns, delay, settle, names }
    }

    fn settle(&mut self) {
        self.delay.delay_us(u32::try_from(self.settle.as_micros()).unwrap_or(u32::MAX));
    }

    fn low(&mut self) -> Result<u8, MatrixError> {
        self.columns.low().map_err(MatrixError::Pins)
    }
}

impl<R: OutputPin + Debug, C: Inputs, D: DelayNs + Debug> Scanner for RowScanner<R, C, D> {
    fn scan(&mut self) -> Result<u64, MatrixError> {
        // The row before was let go just now, where scans follow each other.
        self.settle();
        let grounded = self.low()?;
        if grounded != 0 {
            let is_low = |(bit, name): (usize, &u8)| (grounded >> bit & 1 == 1).then_some(*name);
            let columns = self.names.iter().enumerate().filter_map(is_low).collect();
            return Err(MatrixError::Grounded(columns));
        }
        let mut read = [0; 8];
        for (row, read) in read.iter_mut().enumerate() {
            let failed = |e: R::Error| MatrixError::Pins(format!("{e:?}"));
            self.rows[row].set_low().map_err(failed)?;
            self.settle();
            let low = self.low();
            self.rows[row].set_high().map_err(failed)?;
            *read = low?;
        }
        let scan = u64::from_le_bytes(read);
        if is_impossible(scan) {
            return Err(MatrixError::NoDiodes(scan.count_ones()));
        }
        Ok(scan)
    }
}
