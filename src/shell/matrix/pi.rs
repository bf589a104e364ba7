//! The buses and pins of a Raspberry Pi, by rppal.

use super::registers::ShiftRegisters;
use super::{MatrixError, Scanner};
use crate::shell::config::{Matrix, SwitchReader};
use rppal::gpio::{Gpio, OutputPin, Pin};
use rppal::spi::{Bus, Error, Mode, SimpleHalSpiDevice, SlaveSelect, Spi};
use rustix::fs::FlockOperation;
use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::Path;

/// rppal's device, which tells nothing of itself, for this program alone.
struct Device {
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

/// Opens the chips that the settings name.
pub(super) fn open(settings: &Matrix) -> Result<Box<dyn Scanner>, MatrixError> {
    match settings.chips {
        SwitchReader::ShiftRegisters => {
            let spi = spi(settings)?;
            let lock = lock(Path::new(&settings.bus))?;
            let mut load = output(settings.load)?;
            load.set_low();
            let device = Device { device: SimpleHalSpiDevice::new(spi), _lock: lock };
            Ok(Box::new(ShiftRegisters::new(device, load, settings.registers())))
        }
    }
}

fn spi(settings: &Matrix) -> Result<Spi, MatrixError> {
    let path = Path::new(&settings.bus);
    let no_bus = || MatrixError::NoBus(path.to_owned());
    let (bus, select) = settings.bus_numbers().and_then(known).ok_or_else(no_bus)?;
    match Spi::new(bus, select, settings.speed_khz * 1_000, Mode::Mode0) {
        Ok(spi) => Ok(spi),
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
        Err(rustix::io::Errno::WOULDBLOCK) => Err(MatrixError::Busy(path.to_owned())),
        Err(e) => Err(failed(e.into())),
    }
}

/// The bus of these numbers, if a Pi has it.
fn known((bus, select): (u8, u8)) -> Option<(Bus, SlaveSelect)> {
    let buses = [Bus::Spi0, Bus::Spi1, Bus::Spi2, Bus::Spi3, Bus::Spi4, Bus::Spi5, Bus::Spi6];
    let selects = [SlaveSelect::Ss0, SlaveSelect::Ss1, SlaveSelect::Ss2];
    Some((*buses.get(usize::from(bus))?, *selects.get(usize::from(select))?))
}

fn output(number: u8) -> Result<OutputPin, MatrixError> {
    let chip = Gpio::new().map_err(|e| MatrixError::NoPins(e.to_string()))?;
    let pin = chip.get(number).map(Pin::into_output_low);
    pin.map_err(|e| MatrixError::Pin { pin: number, why: e.to_string() })
}
