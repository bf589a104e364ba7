//! What a scan of 64 switches costs: eight shift registers on a mock bus, read, checked, decoded
//! and debounced, while pieces come and go.

#![allow(clippy::disallowed_methods, reason = "a bench measures time")]

mod figure;

use criterion::{Criterion, criterion_group};
use embedded_hal::digital::OutputPin;
use embedded_hal::spi::{ErrorKind, Operation, SpiDevice};
use figure::{Spread, Target};
use rokade::board::Wiring;
use rokade::shell::matrix::registers::{Registers, ShiftRegisters};
use rokade::shell::matrix::{Scanner, Scans};
use rokade::sim::RegistersSim;
use rokade::time::Mono;
use shakmaty::{Board, Square};
use std::cell::RefCell;
use std::convert::Infallible;
use std::hint::black_box;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Scans that are measured: a minute and forty seconds of play.
const N_SCANS: usize = 20_000;
/// Between two scans.
const PERIOD: Duration = Duration::from_millis(5);
/// A piece comes or goes every so many scans.
const STIRS_EVERY: usize = 20;
/// Of the processor, for 99 of 100 scans.
const TARGET_US: f64 = 1_000.0;

criterion_group!(benches, scan);

fn main() {
    benches();
    Criterion::default().configure_from_args().final_summary();
    if figure::is_wanted() {
        let mut desk = Desk::new();
        let spans = (0..N_SCANS).map(|_| {
            let began = Instant::now();
            desk.scan();
            began.elapsed()
        });
        let spread = Spread::of(spans.collect());
        spread.print("matrix.scan", Target::Under(TARGET_US));
    }
}

fn scan(criterion: &mut Criterion) {
    let mut desk = Desk::new();
    criterion.bench_function("matrix/scan of 64 switches", |bencher| bencher.iter(|| desk.scan()));
}

/// The chips on a bus that takes no time, and the pin that loads them.
#[derive(Clone, Debug)]
struct Bus(Rc<RefCell<(RegistersSim, Mono)>>);

impl embedded_hal::spi::ErrorType for Bus {
    type Error = ErrorKind;
}

impl SpiDevice for Bus {
    fn transaction(&mut self, operations: &mut [Operation<'_, u8>]) -> Result<(), ErrorKind> {
        let (chips, now) = &mut *self.0.borrow_mut();
        for operation in operations {
            let Operation::Transfer(read, write) = operation else { return Err(ErrorKind::Other) };
            read.copy_from_slice(&chips.transfer(*now, write));
        }
        Ok(())
    }
}

impl embedded_hal::digital::ErrorType for Bus {
    type Error = Infallible;
}

impl OutputPin for Bus {
    fn set_low(&mut self) -> Result<(), Infallible> {
        let (chips, now) = &mut *self.0.borrow_mut();
        chips.load(*now, false);
        Ok(())
    }

    fn set_high(&mut self) -> Result<(), Infallible> {
        let (chips, now) = &mut *self.0.borrow_mut();
        chips.load(*now, true);
        Ok(())
    }
}

/// A board on which somebody moves pieces, and who scans it.
struct Desk {
    bus: Bus,
    scanner: ShiftRegisters<Bus, Bus>,
    scans: Scans,
    n_scans: usize,
}

impl Desk {
    fn new() -> Self {
        let chips = RegistersSim::new(Board::new().occupied(), 1);
        let bus = Bus(Rc::new(RefCell::new((chips, Mono::default()))));
        let mut load = bus.clone();
        load.set_low().expect("a pin of ours");
        let how = Registers { bus: "mock".into(), is_low_active: true, loops_back: true };
        let scanner = ShiftRegisters::new(bus.clone(), load, how);
        let scans = Scans::new(Wiring::default(), Duration::from_millis(10));
        Self { bus, scanner, scans, n_scans: 0 }
    }

    fn scan(&mut self) {
        self.n_scans += 1;
        let now = {
            let (chips, now) = &mut *self.bus.0.borrow_mut();
            *now = *now + PERIOD;
            if self.n_scans.is_multiple_of(STIRS_EVERY) {
                let sq = Square::ALL[self.n_scans / STIRS_EVERY % 64];
                let is_there = chips.occupied().contains(sq);
                chips.set(*now, sq, !is_there);
            }
            *now
        };
        let scan = self.scanner.scan().expect("chips that answer");
        black_box(self.scans.scan(now, scan, false));
    }
}
