//! What a scan of 64 switches costs: by each of what reads them, on a mock bus, checked, decoded
//! and debounced, while pieces come and go. The models of the chips are in the figures.

#![allow(clippy::disallowed_methods, reason = "a bench measures time")]

mod figure;
#[path = "../it/matrix/mock.rs"]
#[allow(dead_code, reason = "tests need more of it")]
mod mock;

use criterion::{Criterion, criterion_group};
use figure::{Spread, Target};
use mock::MockBus;
use rokade::board::Wiring;
use rokade::shell::config::SwitchReader;
use rokade::shell::matrix::{Scanner, Scans};
use rokade::time::Mono;
use shakmaty::{Board, Square};
use std::hint::black_box;
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
        for chips in SwitchReader::ALL {
            let mut desk = Desk::new(chips);
            let spans = (0..N_SCANS).map(|_| {
                let began = Instant::now();
                desk.scan();
                began.elapsed()
            });
            let spread = Spread::of(spans.collect());
            spread.print(&format!("matrix.scan.{}", chips.word()), Target::Under(TARGET_US));
        }
    }
}

fn scan(criterion: &mut Criterion) {
    for chips in SwitchReader::ALL {
        let mut desk = Desk::new(chips);
        let name = format!("matrix/scan of 64 switches, {}", chips.word());
        criterion.bench_function(&name, |bencher| bencher.iter(|| desk.scan()));
    }
}

/// A board on which somebody moves pieces, and who scans it.
struct Desk {
    bus: MockBus,
    scanner: Box<dyn Scanner>,
    scans: Scans,
    now: Mono,
    n_scans: usize,
}

impl Desk {
    fn new(chips: SwitchReader) -> Self {
        let bus = MockBus::of(chips, Board::new().occupied());
        let scanner = bus.scanner(chips);
        let scans = Scans::new(Wiring::default(), Duration::from_millis(10));
        Self { bus, scanner, scans, now: Mono::default(), n_scans: 0 }
    }

    fn scan(&mut self) {
        self.n_scans += 1;
        self.now = self.now + PERIOD;
        self.bus.set_now(self.now);
        if self.n_scans.is_multiple_of(STIRS_EVERY) {
            // Half of the board, so that no more pieces are on it than a set has.
            let sq = Square::ALL[self.n_scans / STIRS_EVERY % 16];
            self.bus.set(self.now, sq, !self.bus.occupied().contains(sq));
        }
        let scan = self.scanner.scan().expect("chips that answer");
        black_box(self.scans.scan(self.now, scan, self.scanner.black(), false));
    }
}
