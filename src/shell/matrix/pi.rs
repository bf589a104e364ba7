//! The buses and pins of a Raspberry Pi: the buses by rppal, which asks the kernel for them, the
//! pins by rppal too or by the kernel's character devices.

use super::MatrixError;
use super::machine::{HalError, Machine, each};
use crate::shell::config::Matrix;
use embedded_hal::i2c::{ErrorKind as I2cKind, NoAcknowledgeSource, Operation};
use rppal::gpio::{Bias, Gpio, InputPin, IoPin, Mode as PinMode, OutputPin, Pin};
use rppal::i2c::{Error as I2cError, I2c};
use rppal::spi::{Bus, Error, Mode, SimpleHalSpiDevice, SlaveSelect, Spi};
use rustix::fs::FlockOperation;
use rustix::io::Errno;
use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::thread;
use std::time::Duration;

/// rppal's device, which tells nothing of itself, for this program alone.
pub(in crate::shell) struct Device {
    device: SimpleHalSpiDevice,
    _lock: File,
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Device")
    }
}

impl embedded_hal::spi::Error for HalError<Error> {
    fn kind(&self) -> embedded_hal::spi::ErrorKind {
        self.0.kind()
    }
}

impl embedded_hal::spi::ErrorType for Device {
    type Error = HalError<Error>;
}

impl embedded_hal::spi::SpiDevice for Device {
    fn transaction(
        &mut self,
        operations: &mut [embedded_hal::spi::Operation<'_, u8>],
    ) -> Result<(), HalError<Error>> {
        self.device.transaction(operations).map_err(HalError)
    }
}

/// rppal's I2C bus, with errors that say what was wrong.
#[derive(Debug)]
pub(in crate::shell) struct PiBus(I2c);

impl embedded_hal::i2c::Error for HalError<I2cError> {
    fn kind(&self) -> I2cKind {
        let I2cError::Io(error) = &self.0 else { return I2cKind::Other };
        match error.raw_os_error().map(Errno::from_raw_os_error) {
            Some(Errno::REMOTEIO | Errno::NXIO) => {
                I2cKind::NoAcknowledge(NoAcknowledgeSource::Address)
            }
            Some(Errno::TIMEDOUT | Errno::AGAIN | Errno::BUSY) => I2cKind::Bus,
            _ => I2cKind::Other,
        }
    }
}

impl embedded_hal::i2c::ErrorType for PiBus {
    type Error = HalError<I2cError>;
}

impl embedded_hal::i2c::I2c for PiBus {
    fn transaction(
        &mut self,
        address: u8,
        operations: &mut [Operation<'_>],
    ) -> Result<(), HalError<I2cError>> {
        // rppal would let others on the bus between the two.
        if let [Operation::Write(sent), Operation::Read(asked)] = operations {
            self.0.set_slave_address(address.into()).map_err(HalError)?;
            return self.0.write_read(sent, asked).map_err(HalError);
        }
        self.0.transaction(address, operations).map_err(HalError)
    }
}

/// A pin that is pulled low or let go.
#[derive(Debug)]
pub(super) struct OpenDrain(IoPin);

impl embedded_hal::digital::ErrorType for OpenDrain {
    type Error = std::convert::Infallible;
}

impl embedded_hal::digital::OutputPin for OpenDrain {
    fn set_low(&mut self) -> Result<(), Self::Error> {
        self.0.set_low();
        self.0.set_mode(PinMode::Output);
        Ok(())
    }

    fn set_high(&mut self) -> Result<(), Self::Error> {
        self.0.set_mode(PinMode::Input);
        Ok(())
    }
}

/// Waits as the system lets it.
#[derive(Debug)]
pub(super) struct Pause;

impl embedded_hal::delay::DelayNs for Pause {
    fn delay_ns(&mut self, ns: u32) {
        thread::sleep(Duration::from_nanos(ns.into()));
    }
}

/// The pins of a Pi by rppal, and its buses.
#[derive(Debug)]
pub(super) struct ByRppal;

impl Machine for ByRppal {
    type Spi = Device;
    type I2c = PiBus;
    type Input = InputPin;
    type Output = OutputPin;
    type Drain = OpenDrain;
    type Columns = [InputPin; 8];
    type Delay = Pause;

    fn spi(&self, settings: &Matrix) -> Result<Device, MatrixError> {
        spi_of(settings)
    }

    fn i2c(&self, settings: &Matrix) -> Result<(PiBus, Option<u32>), MatrixError> {
        i2c_of(settings)
    }

    fn input(&self, pin: u8) -> Result<InputPin, MatrixError> {
        Ok(pin_of(pin)?.into_input_pullup())
    }

    fn output(&self, pin: u8) -> Result<OutputPin, MatrixError> {
        Ok(pin_of(pin)?.into_output_low())
    }

    fn drain(&self, pin: u8) -> Result<OpenDrain, MatrixError> {
        let mut pin = pin_of(pin)?.into_io(PinMode::Input);
        pin.set_bias(Bias::Off);
        Ok(OpenDrain(pin))
    }

    fn columns(&self, pins: [u8; 8]) -> Result<[InputPin; 8], MatrixError> {
        each(pins, |pin| self.input(pin))
    }

    fn delay(&self) -> Pause {
        Pause
    }
}

/// The I2C bus of a matrix, and its speed in kHz.
pub(super) fn i2c_of(settings: &Matrix) -> Result<(PiBus, Option<u32>), MatrixError> {
    let bus = i2c(Path::new(settings.bus()))?;
    let khz = bus.0.clock_speed().ok().map(|hz| hz / 1_000);
    Ok((bus, khz))
}

/// Opens an I2C bus.
pub(in crate::shell) fn i2c(path: &Path) -> Result<PiBus, MatrixError> {
    let number = path.to_str().and_then(|it| it.strip_prefix("/dev/i2c-")?.parse().ok());
    let no_bus = || MatrixError::NoBus(path.to_owned());
    match I2c::with_bus(number.ok_or_else(no_bus)?) {
        Ok(bus) => Ok(PiBus(bus)),
        Err(I2cError::Io(e)) if e.kind() == ErrorKind::NotFound => Err(no_bus()),
        Err(I2cError::Io(e)) if e.kind() == ErrorKind::PermissionDenied => {
            Err(MatrixError::Forbidden(path.to_owned()))
        }
        Err(e) => Err(MatrixError::Bus { bus: path.to_owned(), why: e.to_string() }),
    }
}

/// Opens the bus of a matrix.
pub(super) fn spi_of(settings: &Matrix) -> Result<Device, MatrixError> {
    spi(Path::new(settings.bus()), settings.bus_numbers(), settings.speed_khz)
}

/// Opens an SPI bus of these numbers, so fast.
pub(in crate::shell) fn spi(
    path: &Path,
    numbers: Option<(u8, u8)>,
    khz: u32,
) -> Result<Device, MatrixError> {
    let no_bus = || MatrixError::NoBus(path.to_owned());
    let (bus, select) = numbers.and_then(known).ok_or_else(no_bus)?;
    match Spi::new(bus, select, khz * 1_000, Mode::Mode0) {
        Ok(spi) => Ok(Device { device: SimpleHalSpiDevice::new(spi), _lock: lock(path)? }),
        Err(Error::Io(e)) if e.kind() == ErrorKind::NotFound => Err(no_bus()),
        Err(Error::Io(e)) if e.kind() == ErrorKind::PermissionDenied => {
            Err(MatrixError::Forbidden(path.to_owned()))
        }
        Err(e) => Err(MatrixError::Bus { bus: path.to_owned(), why: e.to_string() }),
    }
}

/// Two programs that scan one chain spoil each other's readings.
fn lock(path: &Path) -> Result<File, MatrixError> {
    let failed = |e: io::Error| MatrixError::Bus { bus: path.to_owned(), why: e.to_string() };
    let file = File::open(path).map_err(failed)?;
    match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(file),
        Err(Errno::WOULDBLOCK) => Err(MatrixError::Busy(path.to_owned())),
        Err(e) => Err(failed(e.into())),
    }
}

/// The bus of these numbers, if a Pi has it.
fn known((bus, select): (u8, u8)) -> Option<(Bus, SlaveSelect)> {
    let buses = [Bus::Spi0, Bus::Spi1, Bus::Spi2, Bus::Spi3, Bus::Spi4, Bus::Spi5, Bus::Spi6];
    let selects = [SlaveSelect::Ss0, SlaveSelect::Ss1, SlaveSelect::Ss2];
    Some((*buses.get(usize::from(bus))?, *selects.get(usize::from(select))?))
}

fn pin_of(number: u8) -> Result<Pin, MatrixError> {
    let chip = Gpio::new().map_err(|e| MatrixError::NoPins(e.to_string()))?;
    chip.get(number).map_err(|e| MatrixError::Pin { pin: number, why: e.to_string() })
}
