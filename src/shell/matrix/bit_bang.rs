//! SPI by three pins that are set one after the other, for shift registers where no bus is free.
//! Mode 0: data are taken where the clock rises, the highest bit first.

use embedded_hal::digital::{InputPin, OutputPin};
use embedded_hal::spi::{self, ErrorType, Operation, SpiDevice};
use std::fmt::{self, Debug};

/// Three pins that are used as a bus.
#[derive(Debug)]
pub struct BitBang<C, I, O> {
    clock: C,
    data_in: I,
    data_out: O,
}

/// A pin could not be used.
pub struct BitBangError(String);

impl Debug for BitBangError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl spi::Error for BitBangError {
    fn kind(&self) -> spi::ErrorKind {
        spi::ErrorKind::Other
    }
}

impl<C: OutputPin, I: InputPin, O: OutputPin> BitBang<C, I, O> {
    /// A clock that is low, and the data to this machine and from it.
    pub const fn new(clock: C, data_in: I, data_out: O) -> Self {
        Self { clock, data_in, data_out }
    }

    fn exchange(&mut self, sent: u8) -> Result<u8, BitBangError> {
        let mut got = 0;
        for bit in (0..8).rev() {
            self.data_out.set_state((sent >> bit & 1 == 1).into()).map_err(failed)?;
            let is_high = self.data_in.is_high().map_err(failed)?;
            got = got << 1 | u8::from(is_high);
            // Twice: chips at 3.3 V want a pulse of some 50 ns, and setting a pin may take less.
            self.clock.set_high().map_err(failed)?;
            self.clock.set_high().map_err(failed)?;
            self.clock.set_low().map_err(failed)?;
        }
        Ok(got)
    }
}

fn failed<E: Debug>(why: E) -> BitBangError {
    BitBangError(format!("{why:?}"))
}

impl<C, I, O> ErrorType for BitBang<C, I, O> {
    type Error = BitBangError;
}

impl<C: OutputPin, I: InputPin, O: OutputPin> SpiDevice for BitBang<C, I, O> {
    fn transaction(&mut self, operations: &mut [Operation<'_, u8>]) -> Result<(), BitBangError> {
        for operation in operations {
            match operation {
                Operation::Read(read) => {
                    for byte in read.iter_mut() {
                        *byte = self.exchange(0)?;
                    }
                }
                Operation::Write(write) => {
                    for byte in *write {
                        self.exchange(*byte)?;
                    }
                }
                Operation::Transfer(read, write) => {
                    for idx in 0..read.len().max(write.len()) {
                        let got = self.exchange(write.get(idx).copied().unwrap_or(0))?;
                        if let Some(byte) = read.get_mut(idx) {
                            *byte = got;
                        }
                    }
                }
                Operation::TransferInPlace(both) => {
                    for byte in both.iter_mut() {
                        *byte = self.exchange(*byte)?;
                    }
                }
                // Nothing here is as quick as to need it.
                Operation::DelayNs(_) => {}
            }
        }
        Ok(())
    }
}
