//! Buses and pins that are not this machine's but a simulated board's, which answers at a socket:
//! for those who have no Pi, and for tests.
//!
//! One line of ASCII for each operation, in their order: `high 25` and `low 25` set a pin, and have
//! no answer; `transfer a500` moves these bytes over SPI, and is answered by a line with those that
//! came back.

use super::registers::ShiftRegisters;
use super::{MatrixError, Scanner};
use crate::shell::config::{Matrix, SwitchReader};
use embedded_hal::digital;
use embedded_hal::spi;
use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A simulated board answers within this time.
const PATIENCE: Duration = Duration::from_secs(2);

/// The way to a simulated board. All copies share it.
#[derive(Clone, Debug)]
struct Remote(Arc<Mutex<BufReader<UnixStream>>>);

/// A pin over there.
#[derive(Debug)]
struct RemotePin {
    remote: Remote,
    number: u8,
}

/// What went wrong with the socket.
#[derive(Debug)]
pub(super) struct RemoteError(io::Error);

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

/// Opens the chips behind the socket that the settings name.
pub(super) fn open(settings: &Matrix) -> Result<Box<dyn Scanner>, MatrixError> {
    let path = Path::new(&settings.bus);
    let failed = |e: io::Error| match e.kind() {
        ErrorKind::PermissionDenied => MatrixError::Forbidden(path.to_owned()),
        ErrorKind::NotFound | ErrorKind::ConnectionRefused => {
            MatrixError::NoSocket(path.to_owned())
        }
        _ => MatrixError::Bus { bus: path.to_owned(), why: e.to_string() },
    };
    let stream = UnixStream::connect(path).map_err(failed)?;
    stream.set_read_timeout(Some(PATIENCE)).map_err(failed)?;
    stream.set_write_timeout(Some(PATIENCE)).map_err(failed)?;
    let remote = Remote(Arc::new(Mutex::new(BufReader::new(stream))));
    match settings.chips {
        SwitchReader::ShiftRegisters => {
            let mut load = RemotePin { remote: remote.clone(), number: settings.load };
            digital::OutputPin::set_low(&mut load).map_err(|RemoteError(e)| failed(e))?;
            Ok(Box::new(ShiftRegisters::new(remote, load, settings.registers())))
        }
    }
}

impl Remote {
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
pub(super) fn bytes(text: &str) -> Option<Vec<u8>> {
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
            done.map_err(RemoteError)?;
        }
        Ok(())
    }
}

impl digital::ErrorType for RemotePin {
    type Error = RemoteError;
}

impl digital::OutputPin for RemotePin {
    fn set_low(&mut self) -> Result<(), RemoteError> {
        self.remote.send(&format!("low {}\n", self.number)).map_err(RemoteError)
    }

    fn set_high(&mut self) -> Result<(), RemoteError> {
        self.remote.send(&format!("high {}\n", self.number)).map_err(RemoteError)
    }
}
