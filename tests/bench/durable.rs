//! From the last byte of a message to its record being durable, and to the page being told.
//!
//! Core, journal, publisher and web server are those of the daemon; the serial line is left out.
//! Beside each record a plain file of the same disk is written and synced with as many bytes, so
//! that the disk's own cost is known, in the same minute.

#![allow(clippy::disallowed_methods, reason = "a bench measures time")]

mod durable {
    pub(crate) mod disk;
    pub(crate) mod house;
}
mod figure;
mod game;
mod heard;

use criterion::{Criterion, criterion_group};
use durable::disk::Plain;
use durable::house::{House, Passed};
use figure::{Spread, Target};
use heard::Recording;
use std::time::{Duration, Instant};

/// Records that are measured.
const N_RECORDS: usize = 1_000;
/// From the last byte to the frame, less the sync, for 99 of 100 records.
const TARGET_US: f64 = 1_000.0;
/// From the last byte to the record being durable, against one plain sync. Medians. What is
/// beyond 1 does not grow with the sync: on a card, whose syncs are slower, it shrinks.
const TARGET_RATIO: f64 = 2.0;
/// From the last byte to the record being durable, less the journal's own sync, in the median.
const TARGET_BEYOND_US: f64 = 50.0;

criterion_group!(benches, plain);

fn main() {
    benches();
    Criterion::default().configure_from_args().final_summary();
    if figure::is_wanted() {
        figures();
    }
}

/// What the disk does by itself.
fn plain(criterion: &mut Criterion) {
    let folder = folder();
    let mut plain = Plain::create(folder.path());
    criterion.bench_function("durable/plain sync", |bencher| bencher.iter(|| plain.sync(300)));
}

/// One record on its way.
#[derive(Copy, Clone, Debug)]
struct Way {
    heard: Instant,
    passed: Passed,
}

impl Way {
    fn durable(&self) -> Duration {
        self.passed.sync.end - self.heard
    }

    /// Until it was given to the journal's thread.
    fn core(&self) -> Duration {
        self.passed.handed - self.heard
    }

    /// Until that began to write.
    fn handing(&self) -> Duration {
        self.passed.sync.start - self.passed.handed
    }

    fn sync(&self) -> Duration {
        self.passed.sync.end - self.passed.sync.start
    }

    fn framed(&self) -> Duration {
        self.passed.framed - self.heard
    }
}

fn figures() {
    let folder = folder();
    let mut plain = Plain::create(folder.path());
    let (mut ways, mut plains) = (Vec::new(), Vec::new());
    for seed in 1.. {
        let recording = Recording::of(&game::of_two_hours(seed).script);
        let mut house = House::open(&folder.path().join(seed.to_string()), recording.listener());
        for (at, heard) in &recording.calls {
            let start = Instant::now();
            let Some(passed) = house.hear(*at, heard) else { continue };
            ways.push(Way { heard: start, passed });
            plains.push(plain.sync(passed.sync.n_bytes));
            if ways.len() == N_RECORDS {
                break;
            }
        }
        house.close();
        if ways.len() == N_RECORDS {
            break;
        }
    }
    let plain = Spread::of(plains);
    let spread = |of: &dyn Fn(&Way) -> Duration| Spread::of(ways.iter().map(of).collect());
    let (durable, synced, framed) =
        (spread(&Way::durable), spread(&Way::sync), spread(&Way::framed));
    let ours = spread(&|way| way.durable() - way.sync());
    let beyond = spread(&|way| way.framed().saturating_sub(way.sync()));
    spread(&Way::core).print("durable.core", Target::Free);
    spread(&Way::handing).print("durable.handing", Target::Free);
    plain.print("durable.plain-sync", Target::Free);
    synced.print("durable.journal-sync", Target::Free);
    durable.print("durable.record", Target::Free);
    let ratio = durable.at_us(0.5) / plain.at_us(0.5);
    figure::print("durable.record-to-plain", ratio, "", Target::Under(TARGET_RATIO));
    let most = Target::Under(TARGET_BEYOND_US);
    figure::print("durable.record-beyond-sync.median", ours.at_us(0.5), "us", most);
    framed.print("durable.frame", Target::Free);
    beyond.print("durable.frame-beyond-sync", Target::Under(TARGET_US));
}

/// On the disk that the program is built on: a folder for temporary files may be in memory.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder")
}
