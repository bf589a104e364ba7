//! Buses and pins that are not this machine's but a simulated board's, which answers at a socket:
//! for those who have no Pi, and for tests.
//!
//! One line of ASCII for each operation, in their order. `high 25` and `low 25` set a pin, and have
//! no answer. All others have one, a line: `read 18 23` the levels of these pins, as `10`;
//! `transfer a500` the bytes that came back over SPI; `exchange 20 12 2` two bytes that the chip at
//! 0x20 of an I2C bus has sent after it was sent these, or `nack` if there is none; `speed` how
//! fast that bus is, in kHz.

use super::MatrixError;
use super::machine::{HalError, Machine};
use super::rows::Inputs;
use crate::shell::config::Matrix;
use embedded_hal::delay::DelayNs;
use embedded_hal::digital;
use embedded_hal::i2c;
use embedded_hal::spi;
use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A simulated board answers within this time, on a busy machine too.
const PATIENCE: Duration = Duration::from_secs(10);

/// The way to a simulated board. All copies share it.
#[derive(Clone, Debug)]
pub(in crate::shell) struct Remote(Arc<Mutex<BufReader<UnixStream>>>);

/// A pin over there.
#[derive(Debug)]
pub(super) struct RemotePin {
    remote: Remote,
    number: u8,
}

/// Pins over there that are read together.
#[derive(Debug)]
pub(super) struct RemoteInputs {
    remote: Remote,
    numbers: Vec<u8>,
}

/// What is over there takes no time to settle.
#[derive(Debug)]
pub(super) struct NoDelay;

/// What went wrong with the socket.
pub(in crate::shell) type RemoteError = HalError<io::Error>;

impl spi::Error for RemoteError {
    fn kind(&self) -> spi::ErrorKind {
        spi::ErrorKind::Other
    }
}

impl digital::Error for RemoteError {
    fn kind(&self) -> digital::ErrorKind {
        digital::ErrorKind::Other
    }
}

impl i2c::Error for RemoteError {
    fn kind(&self) -> i2c::ErrorKind {
        match self.0.kind() {
            ErrorKind::NotFound => i2c::ErrorKind::NoAcknowledge(i2c::NoAcknowledgeSource::Address),
            // Nothing came for as long as a kernel waits.
            ErrorKind::WouldBlock | ErrorKind::TimedOut => i2c::ErrorKind::Bus,
            _ => i2c::ErrorKind::Other,
        }
    }
}

impl DelayNs for NoDelay {
    fn delay_ns(&mut self, _ns: u32) {}
}

impl Inputs for RemoteInputs {
    fn low(&mut self) -> Result<u8, String> {
        let levels = self.remote.levels(&self.numbers).map_err(|e| e.to_string())?;
        Ok(levels.iter().enumerate().map(|(bit, is_high)| u8::from(!is_high) << bit).sum())
    }
}

/// What an error of the socket means.
fn failed(settings: &Matrix, e: &io::Error) -> MatrixError {
    let path = Path::new(settings.bus());
    match e.kind() {
        ErrorKind::PermissionDenied => MatrixError::Forbidden(path.to_owned()),
        ErrorKind::NotFound | ErrorKind::ConnectionRefused => {
            MatrixError::NoSocket { path: path.to_owned(), board: settings.chips.board_word() }
        }
        ErrorKind::WouldBlock | ErrorKind::TimedOut => MatrixError::Stuck(path.to_owned()),
        _ => MatrixError::Bus { bus: path.to_owned(), why: e.to_string() },
    }
}

/// Goes to the board behind the socket that the settings name.
pub(super) fn connect(settings: &Matrix) -> Result<Remote, MatrixError> {
    Remote::at(settings.bus()).map_err(|e| failed(settings, &e))
}

impl Machine for Remote {
    type Spi = Self;
    type I2c = Self;
    type Input = RemotePin;
    type Output = RemotePin;
    type Drain = RemotePin;
    type Columns = RemoteInputs;
    type Delay = NoDelay;

    fn spi(&self, _: &Matrix) -> Result<Self, MatrixError> {
        Ok(self.clone())
    }

    fn i2c(&self, settings: &Matrix) -> Result<(Self, Option<u32>), MatrixError> {
        let khz = self.ask("speed\n").map_err(|e| failed(settings, &e))?.parse().ok();
        Ok((self.clone(), khz))
    }

    fn input(&self, number: u8) -> Result<RemotePin, MatrixError> {
        Ok(RemotePin { remote: self.clone(), number })
    }

    fn output(&self, number: u8) -> Result<RemotePin, MatrixError> {
        let mut pin = self.input(number)?;
        let why = |HalError(e): RemoteError| MatrixError::Pin { pin: number, why: e.to_string() };
        digital::OutputPin::set_low(&mut pin).map_err(why)?;
        Ok(pin)
    }

    fn drain(&self, number: u8) -> Result<RemotePin, MatrixError> {
        self.input(number)
    }

    fn columns(&self, pins: [u8; 8]) -> Result<RemoteInputs, MatrixError> {
        Ok(RemoteInputs { remote: self.clone(), numbers: pins.to_vec() })
    }

    fn delay(&self) -> NoDelay {
        NoDelay
    }
}

impl Remote {
    /// Goes to what is behind this socket.
    pub(in crate::shell) fn at(path: &str) -> io::Result<Self> {
        let stream = UnixStream::connect(path)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(Self(Arc::new(Mutex::new(BufReader::new(stream)))))
    }

    fn send(&self, line: &str) -> io::Result<()> {
        let stream = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        stream.get_ref().write_all(line.as_bytes())
    }

    fn ask(&self, line: &str) -> io::Result<String> {
        self.send(line)?;
        let mut answer = String::new();
        // Another program may be served before us: that shows as an answer that is late.
        let mut stream = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if stream.read_line(&mut answer)? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        Ok(answer.trim_end().to_owned())
    }

    /// The levels of these pins.
    fn levels(&self, pins: &[u8]) -> io::Result<Vec<bool>> {
        let mut line = "read".to_owned();
        for pin in pins {
            write!(line, " {pin}").ok();
        }
        let answer = self.ask(&(line + "\n"))?;
        if answer.len() != pins.len() {
            return Err(ErrorKind::InvalidData.into());
        }
        Ok(answer.bytes().map(|level| level == b'1').collect())
    }

    /// Bytes over SPI.
    fn exchange(&self, read: &mut [u8], write: &[u8]) -> io::Result<()> {
        let mut line = "transfer ".to_owned();
        for idx in 0..read.len().max(write.len()) {
            write!(line, "{:02x}", write.get(idx).unwrap_or(&0)).ok();
        }
        line.push('\n');
        let answer = bytes(&self.ask(&line)?).ok_or(ErrorKind::InvalidData)?;
        for (to, from) in read.iter_mut().zip(answer) {
            *to = from;
        }
        Ok(())
    }
}

/// The bytes of a hexadecimal text.
pub(in crate::shell) fn bytes(text: &str) -> Option<Vec<u8>> {
    let pairs = text.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

impl spi::ErrorType for Remote {
    type Error = RemoteError;
}

impl spi::SpiDevice for Remote {
    fn transaction(
        &mut self,
        operations: &mut [spi::Operation<'_, u8>],
    ) -> Result<(), RemoteError> {
        for operation in operations {
            let done = match operation {
                spi::Operation::Read(read) => self.exchange(read, &[]),
                spi::Operation::Write(write) => self.exchange(&mut [], write),
                spi::Operation::Transfer(read, write) => self.exchange(read, write),
                spi::Operation::TransferInPlace(both) => {
                    let write = both.to_vec();
                    self.exchange(both, &write)
                }
                spi::Operation::DelayNs(_) => Ok(()),
            };
            done.map_err(HalError)?;
        }
        Ok(())
    }
}

impl i2c::ErrorType for Remote {
    type Error = RemoteError;
}

impl i2c::I2c for Remote {
    /// A chip is sent bytes, then asked for some; more than that nobody needs.
    fn transaction(
        &mut self,
        address: u8,
        operations: &mut [i2c::Operation<'_>],
    ) -> Result<(), RemoteError> {
        let mut line = format!("exchange {address:02x} ");
        let mut n_asked = 0;
        for operation in operations.iter() {
            match operation {
                i2c::Operation::Write(sent) => {
                    sent.iter().for_each(|byte| _ = write!(line, "{byte:02x}"));
                }
                i2c::Operation::Read(asked) => n_asked += asked.len(),
            }
        }
        let answer = self.ask(&format!("{line} {n_asked}\n")).map_err(HalError)?;
        if answer == "nack" {
            return Err(HalError(ErrorKind::NotFound.into()));
        }
        let got = bytes(&answer).filter(|got| got.len() == n_asked);
        let got = got.ok_or(HalError(ErrorKind::InvalidData.into()))?;
        let mut got = got.into_iter();
        for operation in operations {
            if let i2c::Operation::Read(asked) = operation {
                asked.iter_mut().zip(&mut got).for_each(|(to, from)| *to = from);
            }
        }
        Ok(())
    }
}

impl digital::InputPin for RemotePin {
    fn is_high(&mut self) -> Result<bool, RemoteError> {
        let levels = self.remote.levels(&[self.number]).map_err(HalError)?;
        Ok(levels == [true])
    }

    fn is_low(&mut self) -> Result<bool, RemoteError> {
        self.is_high().map(|is_high| !is_high)
    }
}

impl digital::ErrorType for RemotePin {
    type Error = RemoteError;
}

impl digital::OutputPin for RemotePin {
    fn set_low(&mut self) -> Result<(), RemoteError> {
        self.remote.send(&format!("low {}\n", self.number)).map_err(HalError)
    }

    fn set_high(&mut self) -> Result<(), RemoteError> {
        self.remote.send(&format!("high {}\n", self.number)).map_err(HalError)
    }
}
