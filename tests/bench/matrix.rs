//! What a scan of 64 switches costs: by each of what reads them, on a mock bus, checked, decoded
//! and debounced, while pieces come and go, and which share of a core that is at its usual rate.
//! The models of the chips are in the figures, and what a bus of this kind takes is not.

#![allow(clippy::disallowed_methods, reason = "a bench measures time")]

mod figure;
#[path = "../it/matrix/mock.rs"]
#[allow(dead_code, reason = "tests need more of it")]
mod mock;

use criterion::{Criterion, criterion_group};
use figure::{Spread, Target};
use mock::MockBus;
use rokade::board::Wiring;
use rokade::shell::config::{Matrix, SwitchReader};
use rokade::shell::matrix::{self, Scanner, Scans};
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
            let spans: Vec<Duration> = spans.collect();
            let share = spans.iter().sum::<Duration>().as_secs_f64()
                / N_SCANS as f64
                / desk.period(chips).as_secs_f64();
            let rate = 1.0 / desk.period(chips).as_secs_f64();
            let word = chips.board_word();
            let spread = Spread::of(spans);
            spread.print(&format!("matrix.scan.{word}"), Target::Under(TARGET_US));
            figure::print(&format!("matrix.rate.{word}"), rate, "/s", Target::Free);
            figure::print(&format!("matrix.mock-share.{word}"), 100.0 * share, "%", Target::Free);
        }
    }
}

fn scan(criterion: &mut Criterion) {
    for chips in SwitchReader::ALL {
        let mut desk = Desk::new(chips);
        let name = format!("matrix/scan of 64 switches, {}", chips.board_word());
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

    /// Between two scans of such chips, unless it is set otherwise.
    fn period(&self, chips: SwitchReader) -> Duration {
        matrix::pace(&Matrix { chips, ..Matrix::default() }, self.scanner.as_ref()).0
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
