//! How long records take from the bytes to the disk: for those who look after a hall, and for the
//! benches.

use serde::Serialize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Each doubling of a delay has so many steps: a figure is at most a sixteenth too long.
const STEPS: usize = 16;
/// From 16 microseconds to a minute.
const DOUBLINGS: usize = 22;

/// Counts the delays of one board's records. Whoever reads them holds up nobody who counts, hence
/// no lock: readers give way to the recording, and could be stopped while they held one.
#[derive(Debug)]
pub struct Delays {
    counts: [AtomicU64; STEPS * DOUBLINGS],
    /// The longest delay, in microseconds.
    longest: AtomicU64,
}

impl Default for Delays {
    fn default() -> Self {
        Self {
            counts: [const { AtomicU64::new(0) }; STEPS * DOUBLINGS],
            longest: AtomicU64::new(0),
        }
    }
}

/// What is told of them, in milliseconds.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize)]
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

impl Delays {
    /// One more record is on the disk.
    pub fn note(&self, delay: Duration) {
        let micros = u64::try_from(delay.as_micros()).unwrap_or(u64::MAX);
        self.counts[step_of(micros)].fetch_add(1, Ordering::Relaxed);
        self.longest.fetch_max(micros, Ordering::Relaxed);
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
}
