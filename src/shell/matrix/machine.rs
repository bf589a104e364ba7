//! Whose pins and buses a board of switches is joined to: what reads its squares is put together
//! from them in the same way, whether they are a Pi's or a simulated board's.

use super::bit_bang::BitBang;
use super::buttons::{NoSquares, WithButtons};
use super::expanders::Expanders;
use super::halls::{HallConverter, HallReader, HallScanner};
use super::registers::ShiftRegisters;
use super::rows::{Inputs, RowScanner};
use super::spi_expanders::SpiExpanders;
use super::{MatrixError, Scanner, learned};
use crate::shell::config::{Matrix, SwitchReader};
use embedded_hal::delay::DelayNs;
use embedded_hal::digital::{InputPin, OutputPin};
use embedded_hal::i2c::I2c;
use embedded_hal::spi::SpiDevice;
use std::fmt::{self, Debug};
use std::path::PathBuf;

/// Pins and buses, by their numbers and names in the settings. What it opens is ours from then on.
pub(super) trait Machine {
    type Spi: SpiDevice + Debug + 'static;
    type I2c: I2c + Debug + 'static;
    type Input: InputPin + Debug + 'static;
    type Output: OutputPin + Debug + 'static;
    type Drain: OutputPin + Debug + 'static;
    type Columns: Inputs + 'static;
    type Delay: DelayNs + Debug + 'static;

    /// The SPI bus that the settings name.
    fn spi(&self, settings: &Matrix) -> Result<Self::Spi, MatrixError>;

    /// The I2C bus that they name, and how fast it is in kHz, if that is known.
    fn i2c(&self, settings: &Matrix) -> Result<(Self::I2c, Option<u32>), MatrixError>;

    /// An input that is pulled up.
    fn input(&self, pin: u8) -> Result<Self::Input, MatrixError>;

    /// An output that is low.
    fn output(&self, pin: u8) -> Result<Self::Output, MatrixError>;

    /// An output that is let go where it is set high. It is let go now.
    fn drain(&self, pin: u8) -> Result<Self::Drain, MatrixError>;

    /// Inputs that are pulled up and read together.
    fn columns(&self, pins: [u8; 8]) -> Result<Self::Columns, MatrixError>;

    /// What waits for parts to settle.
    fn delay(&self) -> Self::Delay;
}

/// What whoever moves pins and buses has said of a fault: what is told of it is just that.
pub(in crate::shell) struct HalError<E>(pub(super) E);

impl<E: fmt::Display> Debug for HalError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// What reads the board of these settings at this machine.
pub(super) fn open<M: Machine>(
    machine: &M,
    settings: &Matrix,
) -> Result<Box<dyn Scanner>, MatrixError> {
    let path = PathBuf::from(settings.bus());
    let scanner: Box<dyn Scanner> = match (settings.chips, settings.chips.expander()) {
        (SwitchReader::Mcp3008, _) => {
            let table = learned(&settings.calibration)?;
            Box::new(HallScanner::new(open_halls(machine, settings)?, table))
        }
        (SwitchReader::Rows, _) => Box::new(rows(machine, settings)?),
        (SwitchReader::Mcp23s17, _) => {
            let is_low_active = settings.is_low_active();
            Box::new(SpiExpanders::new(machine.spi(settings)?, path, is_low_active))
        }
        (_, Some(kind)) => {
            let (bus, khz) = machine.i2c(settings)?;
            let interrupt = settings.interrupt().map(|pin| machine.input(pin)).transpose()?;
            Box::new(Expanders::new(bus, interrupt, khz, settings.expanders(kind)))
        }
        (_, None) => registers(machine, settings)?,
    };
    with_buttons(machine, settings, scanner)
}

/// The buttons of these settings at this machine, and nothing else.
pub(super) fn open_buttons<M: Machine>(
    machine: &M,
    settings: &Matrix,
) -> Result<Box<dyn Scanner>, MatrixError> {
    with_buttons(machine, settings, Box::new(NoSquares))
}

fn with_buttons<M: Machine>(
    machine: &M,
    settings: &Matrix,
    scanner: Box<dyn Scanner>,
) -> Result<Box<dyn Scanner>, MatrixError> {
    let Some(pins) = settings.promotion_pins() else { return Ok(scanner) };
    Ok(Box::new(WithButtons::new(scanner, each(pins, |pin| machine.input(pin))?)))
}

/// The hall sensors of these settings at this machine.
pub(super) fn open_halls<M: Machine>(
    machine: &M,
    settings: &Matrix,
) -> Result<Box<dyn HallReader>, MatrixError> {
    let select = each(settings.select_pins(), |pin| machine.output(pin))?;
    let (bus, settle) = (PathBuf::from(settings.bus()), settings.settle());
    let spi = machine.spi(settings)?;
    Ok(Box::new(HallConverter::new(spi, select, machine.delay(), settle, bus)))
}

type RowsOf<M> = RowScanner<<M as Machine>::Drain, <M as Machine>::Columns, <M as Machine>::Delay>;

fn rows<M: Machine>(machine: &M, settings: &Matrix) -> Result<RowsOf<M>, MatrixError> {
    let (rows, columns) = settings.lines();
    let drains = each(rows, |pin| machine.drain(pin))?;
    let inputs = machine.columns(columns)?;
    Ok(RowScanner::new(drains, inputs, machine.delay(), settings.settle(), columns.to_vec()))
}

fn registers<M: Machine>(machine: &M, settings: &Matrix) -> Result<Box<dyn Scanner>, MatrixError> {
    let Some([clock, data_in, data_out]) = settings.bit_banged() else {
        // The bus first: that there is none says more than that there are no pins.
        let (spi, load) = (machine.spi(settings)?, machine.output(settings.load)?);
        return Ok(Box::new(ShiftRegisters::new(spi, load, settings.registers())));
    };
    let (clock, data_out) = (machine.output(clock)?, machine.output(data_out)?);
    let spi = BitBang::new(clock, machine.input(data_in)?, data_out);
    Ok(Box::new(ShiftRegisters::new(spi, machine.output(settings.load)?, settings.registers())))
}

/// One for each of these pins.
pub(super) fn each<T, const N: usize>(
    pins: [u8; N],
    open: impl FnMut(u8) -> Result<T, MatrixError>,
) -> Result<[T; N], MatrixError> {
    let opened: Vec<T> = pins.into_iter().map(open).collect::<Result<_, _>>()?;
    Ok(opened.try_into().unwrap_or_else(|_| unreachable!("as many as there are pins")))
}
