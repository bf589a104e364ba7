//! How long records take from the bytes to the disk: for those who look after a hall, and for the
//! benches.

use crate::table::defaults;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Each doubling of a delay has so many steps: a figure is at most a sixteenth too long.
const STEPS: usize = 16;
/// From 16 microseconds to a minute.
const DOUBLINGS: usize = 22;

defaults! {
    /// Counts the delays of one board's records. Whoever reads them holds up nobody who counts,
    /// hence no lock: readers give way to the recording, and could be stopped while they held one.
    #[derive(Debug)]
    pub struct Delays {
        counts: [AtomicU64; STEPS * DOUBLINGS] = [const { AtomicU64::new(0) }; STEPS * DOUBLINGS],
        /// The longest delay and all of them together, in microseconds.
        longest: AtomicU64 = AtomicU64::new(0),
        sum: AtomicU64 = AtomicU64::new(0),
        /// How many batches are on their way to the disk.
        waiting: AtomicU64 = AtomicU64::new(0),
    }
}

/// What is told of them, in milliseconds.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// So many records.
    pub n: u64,
    /// Half of them took no longer than this.
    pub median: f64,
    /// And 99 of 100 no longer than this.
    pub p99: f64,
    /// The longest delay.
    pub longest: f64,
}

/// Delays by length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histogram {
    /// The longest of each length, in seconds, and how many there were of it. The last is infinite.
    pub lengths: Vec<(f64, u64)>,
    /// All of them together, in seconds.
    pub sum: f64,
}

impl Delays {
    /// One more record is on the disk.
    pub fn note(&self, delay: Duration) {
        let micros = u64::try_from(delay.as_micros()).unwrap_or(u64::MAX);
        self.counts[step_of(micros)].fetch_add(1, Ordering::Relaxed);
        self.longest.fetch_max(micros, Ordering::Relaxed);
        self.sum.fetch_add(micros, Ordering::Relaxed);
    }

    /// So many batches are on their way to the disk.
    pub fn note_waiting(&self, n: usize) {
        self.waiting.store(n as u64, Ordering::Relaxed);
    }

    /// How many batches are on their way to the disk.
    pub fn waiting(&self) -> u64 {
        self.waiting.load(Ordering::Relaxed)
    }

    /// How many delays there were of each length, by the longest in seconds, and the sum of all:
    /// each doubling is one length.
    pub fn histogram(&self) -> Histogram {
        let steps = self.counts.chunks(STEPS).enumerate();
        let lengths = steps.map(|(doubling, counts)| {
            let longest = (2 * STEPS as u64) << doubling;
            let n = counts.iter().map(|n| n.load(Ordering::Relaxed)).sum();
            (longest as f64 / 1e6, n)
        });
        let mut lengths: Vec<(f64, u64)> = lengths.collect();
        // Whatever took longer is in the last of them.
        if let Some((longest, _)) = lengths.last_mut() {
            *longest = f64::INFINITY;
        }
        let sum = self.sum.load(Ordering::Relaxed) as f64 / 1e6;
        Histogram { lengths, sum }
    }

    /// All since the daemon was started.
    pub fn summary(&self) -> Summary {
        let counts: Vec<u64> = self.counts.iter().map(|n| n.load(Ordering::Relaxed)).collect();
        let n: u64 = counts.iter().sum();
        let longest = self.longest.load(Ordering::Relaxed);
        let within = |share: u64| {
            let wanted = (n * share).div_ceil(100);
            let mut so_far = 0;
            let step = counts.iter().position(|n| {
                so_far += n;
                so_far >= wanted
            });
            step.map_or(0, |step| end_of(step).min(longest)) as f64 / 1e3
        };
        Summary { n, median: within(50), p99: within(99), longest: longest as f64 / 1e3 }
    }
}

fn step_of(micros: u64) -> usize {
    let micros = micros.max(STEPS as u64);
    let doubling = (micros / STEPS as u64).ilog2();
    let within = (micros >> doubling) as usize - STEPS;
    (doubling as usize * STEPS + within).min(STEPS * DOUBLINGS - 1)
}

/// The longest delay of a step.
fn end_of(step: usize) -> u64 {
    (((STEPS + step % STEPS + 1) as u64) << (step / STEPS)) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_follow_each_other_without_a_gap() {
        for step in 1..STEPS * DOUBLINGS - 1 {
            assert_eq!((step_of(end_of(step)), step_of(end_of(step) + 1)), (step, step + 1));
        }
        assert_eq!((step_of(0), step_of(u64::MAX)), (0, STEPS * DOUBLINGS - 1));
    }

    #[test]
    fn figures_are_a_sixteenth_too_long_at_most() {
        let delays = Delays::default();
        assert_eq!(delays.summary(), Summary::default());
        for micros in 1..=1_000 {
            delays.note(Duration::from_micros(micros * 7));
        }
        let Summary { n, median, p99, longest } = delays.summary();
        assert_eq!((n, longest), (1_000, 7.0));
        assert!((3.5..3.5 * 17.0 / 16.0).contains(&median), "{median}");
        assert!((6.93..=7.0).contains(&p99), "{p99}");
    }

    #[test]
    fn every_delay_is_within_its_length() {
        let delays = Delays::default();
        for micros in [0, 31, 32, 2_000, 90_000_000, u64::MAX >> 1] {
            delays.note(Duration::from_micros(micros));
        }
        let Histogram { lengths, .. } = delays.histogram();
        let some: Vec<_> = lengths.iter().filter(|(_, n)| *n > 0).copied().collect();
        assert_eq!(some, [(32e-6, 2), (64e-6, 1), (2.048e-3, 1), (f64::INFINITY, 2)]);
        assert_eq!(lengths.len(), DOUBLINGS);
    }
}
