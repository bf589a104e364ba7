//! Pins and buses that take no time, with what reads the switches of a board at their other end.

#![allow(clippy::unwrap_used)]

use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use embedded_hal::delay::DelayNs;
use embedded_hal::digital::{InputPin, OutputPin};
use embedded_hal::i2c::{self, I2c, NoAcknowledgeSource};
use embedded_hal::spi::{self, SpiDevice};
use rokade::board::hall::HallTable;
use rokade::shell::config::{Matrix, SwitchReader};
use rokade::shell::matrix::Scanner;
use rokade::shell::matrix::expanders::{ExpanderChips, Expanders};
use rokade::shell::matrix::halls::{HallConverter, HallReader, HallScanner};
use rokade::shell::matrix::registers::{Registers, ShiftRegisters};
use rokade::shell::matrix::rows::RowScanner;
use rokade::shell::matrix::simulated;
use rokade::shell::matrix::spi_expanders::SpiExpanders;
use rokade::sim::{ReaderSim, Switches};
use rokade::table::Reading;
use rokade::time::Mono;
use rokade::wire::expander::ADDRESS;
use shakmaty::{Bitboard, Square};

/// Columns settle within this time.
pub(crate) const SETTLE: Duration = Duration::from_micros(100);

/// The other end of pins and buses. All copies are the same.
#[derive(Clone, Debug)]
pub(crate) struct MockBus(Arc<Mutex<Mocked>>);

#[derive(Debug)]
struct Mocked {
    reader: Box<dyn ReaderSim>,
    at: Mono,
    n_transactions: usize,
    waited: Duration,
}

/// A pin of it.
#[derive(Debug)]
pub(crate) struct MockPin(MockBus, u8);

impl MockBus {
    pub(crate) fn new(reader: Box<dyn ReaderSim>) -> Self {
        let (at, n_transactions, waited) = (Mono::default(), 0, Duration::ZERO);
        Self(Arc::new(Mutex::new(Mocked { reader, at, n_transactions, waited })))
    }

    /// Switches on which these squares are occupied, read by such chips.
    pub(crate) fn of(chips: SwitchReader, occupied: Bitboard) -> Self {
        Self::new(simulated::reader(chips, Switches::new(occupied, 1)))
    }

    fn with<T>(&self, act: impl FnOnce(&mut Mocked) -> T) -> T {
        act(&mut self.0.lock().unwrap())
    }

    pub(crate) fn set_now(&self, at: Mono) {
        self.with(|it| it.at = at);
    }

    /// A piece comes to a square, or leaves it.
    pub(crate) fn set(&self, at: Mono, sq: Square, is_there: bool) {
        self.put(at, sq, if is_there { Reading::Something } else { Reading::Empty });
    }

    /// From now on a square shows something else.
    pub(crate) fn put(&self, at: Mono, sq: Square, reading: Reading) {
        self.with(|it| it.reader.put(at, sq, reading));
    }

    /// What a walk over the board would learn of its sensors.
    pub(crate) fn learned(&self) -> HallTable {
        HallTable::parse(&self.with(|it| it.reader.learned()).unwrap()).unwrap()
    }

    /// Hall sensors.
    pub(crate) fn halls(&self) -> Box<dyn HallReader> {
        let pins = Matrix::default().select;
        let pins: Vec<MockPin> = pins.into_iter().map(|pin| self.pin(pin)).collect();
        let select: [MockPin; 4] = pins.try_into().unwrap();
        let bus = "/dev/spidev0.0".into();
        Box::new(HallConverter::new(self.clone(), select, self.clone(), SETTLE, bus))
    }

    pub(crate) fn power(&self, is_on: bool) {
        self.with(|it| it.reader.power(is_on));
    }

    /// The squares on which pieces stand.
    pub(crate) fn occupied(&self) -> Bitboard {
        self.with(|it| it.reader.switches().occupied())
    }

    /// How often a bus was used, and how long somebody waited for columns.
    pub(crate) fn used(&self) -> (usize, Duration) {
        self.with(|it| (it.n_transactions, it.waited))
    }

    pub(crate) fn pin(&self, number: u8) -> MockPin {
        MockPin(self.clone(), number)
    }

    /// Shift registers, of which the wire back is looked at or not.
    pub(crate) fn registers(&self, loops_back: bool) -> Box<dyn Scanner> {
        let how = Registers { bus: "/dev/spidev0.0".into(), is_low_active: true, loops_back };
        let mut load = self.pin(25);
        load.set_low().unwrap();
        Box::new(ShiftRegisters::new(self.clone(), load, how))
    }

    /// Expanders on an I2C bus that is so fast, and their interrupt line, if it is wired.
    pub(crate) fn expanders(
        &self,
        chips: SwitchReader,
        khz: u32,
        has_line: bool,
    ) -> Box<dyn Scanner> {
        let kind = chips.expander().unwrap();
        let addresses = (ADDRESS..).take(kind.n_chips()).collect();
        let how = ExpanderChips { bus: "/dev/i2c-1".into(), kind, addresses, is_low_active: true };
        let line = has_line.then(|| self.pin(simulated::INTERRUPT));
        Box::new(Expanders::new(self.clone(), line, Some(khz), how))
    }

    /// What reads such chips, as it is usually set.
    pub(crate) fn scanner(&self, chips: SwitchReader) -> Box<dyn Scanner> {
        match chips {
            SwitchReader::ShiftRegisters => self.registers(true),
            SwitchReader::Rows => {
                let usual = Matrix::default();
                let pins = |numbers: &[u8]| -> [MockPin; 8] {
                    let pins: Vec<MockPin> = numbers.iter().map(|pin| self.pin(*pin)).collect();
                    pins.try_into().unwrap()
                };
                let (rows, columns) = (pins(&usual.rows), pins(&usual.columns));
                Box::new(RowScanner::new(rows, columns, self.clone(), SETTLE, usual.columns))
            }
            SwitchReader::Mcp23s17 => {
                Box::new(SpiExpanders::new(self.clone(), "/dev/spidev0.0".into(), true))
            }
            SwitchReader::Mcp3008 => Box::new(HallScanner::new(self.halls(), self.learned())),
            chips => self.expanders(chips, 400, false),
        }
    }
}

impl spi::ErrorType for MockBus {
    type Error = spi::ErrorKind;
}

impl SpiDevice for MockBus {
    fn transaction(
        &mut self,
        operations: &mut [spi::Operation<'_, u8>],
    ) -> Result<(), Self::Error> {
        self.with(|it| {
            it.n_transactions += 1;
            for operation in operations {
                match operation {
                    spi::Operation::Transfer(read, write) => {
                        read.copy_from_slice(&it.reader.transfer(it.at, write));
                    }
                    spi::Operation::Write(write) => _ = it.reader.transfer(it.at, write),
                    _ => return Err(spi::ErrorKind::Other),
                }
            }
            Ok(())
        })
    }
}

impl i2c::ErrorType for MockBus {
    type Error = i2c::ErrorKind;
}

impl I2c for MockBus {
    fn transaction(
        &mut self,
        address: u8,
        operations: &mut [i2c::Operation<'_>],
    ) -> Result<(), Self::Error> {
        let nobody = i2c::ErrorKind::NoAcknowledge(NoAcknowledgeSource::Address);
        self.with(|it| {
            it.n_transactions += 1;
            for operation in operations {
                let (sent, asked): (&[u8], &mut [u8]) = match operation {
                    i2c::Operation::Write(sent) => (sent, &mut []),
                    i2c::Operation::Read(asked) => (&[], asked),
                };
                let got = it.reader.exchange(it.at, address, sent, asked.len()).ok_or(nobody)?;
                asked.copy_from_slice(&got);
            }
            Ok(())
        })
    }
}

impl DelayNs for MockBus {
    fn delay_ns(&mut self, ns: u32) {
        self.with(|it| it.waited += Duration::from_nanos(ns.into()));
    }
}

impl embedded_hal::digital::ErrorType for MockPin {
    type Error = Infallible;
}

impl OutputPin for MockPin {
    fn set_low(&mut self) -> Result<(), Self::Error> {
        self.0.with(|it| it.reader.drive(it.at, self.1, false));
        Ok(())
    }

    fn set_high(&mut self) -> Result<(), Self::Error> {
        self.0.with(|it| it.reader.drive(it.at, self.1, true));
        Ok(())
    }
}

impl InputPin for MockPin {
    fn is_high(&mut self) -> Result<bool, Self::Error> {
        Ok(self.0.with(|it| it.reader.level(it.at, self.1)))
    }

    fn is_low(&mut self) -> Result<bool, Self::Error> {
        self.is_high().map(|is_high| !is_high)
    }
}
