//! The buses and pins of a Raspberry Pi, by rppal.

use super::buttons::WithButtons;
use super::expanders::Expanders;
use super::halls::{HallConverter, HallReader, HallScanner};
use super::registers::ShiftRegisters;
use super::rows::RowScanner;
use super::spi_expanders::SpiExpanders;
use super::{MatrixError, Scanner, learned};
use crate::shell::config::{Matrix, SwitchReader};
use embedded_hal::i2c::{ErrorKind as I2cKind, NoAcknowledgeSource, Operation};
use rppal::gpio::{Bias, Gpio, IoPin, Mode as PinMode, OutputPin, Pin};
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

impl embedded_hal::spi::ErrorType for Device {
    type Error = Error;
}

impl embedded_hal::spi::SpiDevice for Device {
    fn transaction(
        &mut self,
        operations: &mut [embedded_hal::spi::Operation<'_, u8>],
    ) -> Result<(), Error> {
        self.device.transaction(operations)
    }
}

/// rppal's I2C bus, with errors that say what was wrong.
#[derive(Debug)]
pub(in crate::shell) struct PiBus(I2c);

/// What the kernel said of a bus.
#[derive(Debug)]
pub(in crate::shell) struct PiBusError(I2cError);

impl embedded_hal::i2c::Error for PiBusError {
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
    type Error = PiBusError;
}

impl embedded_hal::i2c::I2c for PiBus {
    fn transaction(
        &mut self,
        address: u8,
        operations: &mut [Operation<'_>],
    ) -> Result<(), PiBusError> {
        // rppal would let others on the bus between the two.
        if let [Operation::Write(sent), Operation::Read(asked)] = operations {
            self.0.set_slave_address(address.into()).map_err(PiBusError)?;
            return self.0.write_read(sent, asked).map_err(PiBusError);
        }
        self.0.transaction(address, operations).map_err(PiBusError)
    }
}

/// A pin that is pulled low or let go.
#[derive(Debug)]
struct OpenDrain(IoPin);

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
struct Pause;

impl embedded_hal::delay::DelayNs for Pause {
    fn delay_ns(&mut self, ns: u32) {
        thread::sleep(Duration::from_nanos(ns.into()));
    }
}

/// Opens what the settings name.
pub(super) fn open(settings: &Matrix) -> Result<Box<dyn Scanner>, MatrixError> {
    let path = Path::new(settings.bus());
    let scanner: Box<dyn Scanner> = match (settings.chips, settings.chips.expander()) {
        (SwitchReader::Mcp3008, _) => {
            let table = learned(&settings.calibration)?;
            Box::new(HallScanner::new(open_halls(settings)?, table))
        }
        (SwitchReader::Rows, _) => Box::new(rows(settings)?),
        (SwitchReader::Mcp23s17, _) => Box::new(SpiExpanders::new(
            spi_of(settings)?,
            path.to_owned(),
            settings.is_low_active(),
        )),
        (_, Some(kind)) => {
            let bus = i2c(path)?;
            let khz = bus.0.clock_speed().ok().map(|hz| hz / 1_000);
            let interrupt = settings.interrupt().map(|pin| Ok(pin_of(pin)?.into_input_pullup()));
            Box::new(Expanders::new(bus, interrupt.transpose()?, khz, settings.expanders(kind)))
        }
        (_, None) => {
            let device = spi_of(settings)?;
            let mut load: OutputPin = pin_of(settings.load)?.into_output_low();
            load.set_low();
            Box::new(ShiftRegisters::new(device, load, settings.registers()))
        }
    };
    let Some(pins) = settings.promotion_pins() else { return Ok(scanner) };
    let pins = pins.into_iter().map(|pin| Ok(pin_of(pin)?.into_input_pullup()));
    let pins: Vec<rppal::gpio::InputPin> = pins.collect::<Result<_, MatrixError>>()?;
    let pins: [_; 4] = pins.try_into().expect("four pins, as many as numbers");
    Ok(Box::new(WithButtons::new(scanner, pins)))
}

/// Opens the hall sensors that the settings name.
pub(super) fn open_halls(settings: &Matrix) -> Result<Box<dyn HallReader>, MatrixError> {
    let pins = settings.select_pins().into_iter().map(pin_of);
    let pins: Vec<OutputPin> =
        pins.map(|pin| pin.map(Pin::into_output_low)).collect::<Result<_, _>>()?;
    let select: [OutputPin; 4] = pins.try_into().expect("four pins, as many as numbers");
    let (device, bus) = (spi_of(settings)?, Path::new(settings.bus()).to_owned());
    Ok(Box::new(HallConverter::new(device, select, Pause, settings.settle(), bus)))
}

type PiRows = RowScanner<OpenDrain, [rppal::gpio::InputPin; 8], Pause>;

fn rows(settings: &Matrix) -> Result<PiRows, MatrixError> {
    let (rows, columns) = settings.lines();
    let lines = |pins: [u8; 8]| pins.into_iter().map(pin_of).collect::<Result<Vec<_>, _>>();
    let (row_pins, column_pins) = (lines(rows)?, lines(columns)?);
    let eight = "eight pins, as many as there are numbers";
    let rows: Vec<OpenDrain> = row_pins.into_iter().map(open_drain).collect();
    let inputs: Vec<_> = column_pins.into_iter().map(Pin::into_input_pullup).collect();
    Ok(RowScanner::new(
        rows.try_into().expect(eight),
        inputs.try_into().expect(eight),
        Pause,
        settings.settle(),
        columns.to_vec(),
    ))
}

fn open_drain(pin: Pin) -> OpenDrain {
    let mut pin = pin.into_io(PinMode::Input);
    pin.set_bias(Bias::Off);
    OpenDrain(pin)
}

/// Opens an I2C bus.
pub(in crate::shell) fn i2c(path: &Path) -> Result<PiBus, MatrixError> {
    let number = path.to_str().and_then(|it| it.strip_prefix("/dev/i2c-")?.parse().ok());
    let no_bus = || MatrixError::NoI2c(path.to_owned());
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
fn spi_of(settings: &Matrix) -> Result<Device, MatrixError> {
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
