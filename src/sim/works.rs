//! What turns inside a simulated clock: two sides, a lever, and a crystal that is never right.

use crate::table::{End, defaults};
use crate::time::Mono;
use crate::wire::dgt3000::SideRun;
use std::time::Duration;

/// The longest time a side can hold: 9:59:59, in microseconds.
const MOST_US: u64 = (10 * 3_600 - 1) * 1_000_000;

defaults! {
    /// Two times and a lever.
    #[derive(Clone, Debug)]
    pub struct Works {
        given {
            /// Parts in a million that it runs too fast.
            drift_ppm: i32,
        }
        left_us: [u64; 2],
        runs: [SideRun; 2] = [SideRun::Stop; 2],
        high: End = End::Left,
        now: Mono,
        /// What a microsecond of the world is more or less here, carried over.
        rest: i64,
    }
}

impl Works {
    /// Stands at 0:00 on both sides, the left end up.
    pub fn new(drift_ppm: i32) -> Self {
        Self::begin(drift_ppm)
    }

    /// Lets the time pass up to `at`.
    pub fn advance(&mut self, at: Mono) {
        let passed = i64::try_from(at.0.saturating_sub(self.now.0)).unwrap_or(0);
        self.now = self.now.max(at);
        let millionths = passed.saturating_mul(1_000_000 + i64::from(self.drift_ppm)) + self.rest;
        self.rest = millionths.rem_euclid(1_000_000);
        let felt = u64::try_from(millionths.div_euclid(1_000_000)).unwrap_or(0);
        for (left, runs) in self.left_us.iter_mut().zip(&mut self.runs) {
            match runs {
                SideRun::Stop => {}
                SideRun::Up => *left = (*left + felt).min(MOST_US),
                SideRun::Down => {
                    *left = left.saturating_sub(felt);
                    if *left == 0 {
                        *runs = SideRun::Stop;
                    }
                }
            }
        }
    }

    /// Up to when time has passed.
    pub const fn now(&self) -> Mono {
        self.now
    }

    /// Sets a side, in seconds.
    pub fn set(&mut self, end: End, seconds: u32, runs: SideRun) {
        self.left_us[end.idx()] = (u64::from(seconds) * 1_000_000).min(MOST_US);
        self.runs[end.idx()] = runs;
    }

    /// Sets a side running, or stops it.
    pub fn run(&mut self, end: End, runs: SideRun) {
        self.runs[end.idx()] = runs;
    }

    /// What a side does.
    pub const fn runs(&self, end: End) -> SideRun {
        self.runs[end.idx()]
    }

    /// Turns the lever.
    pub fn turn(&mut self, high: End) {
        self.high = high;
    }

    /// The end of the lever that is up.
    pub const fn high(&self) -> End {
        self.high
    }

    /// Whether any side runs.
    pub fn is_running(&self) -> bool {
        self.runs.iter().any(|runs| *runs != SideRun::Stop)
    }

    /// What a side shows, in seconds; a second that has begun is shown until it is over.
    pub fn seconds(&self, end: End) -> u32 {
        let seconds = match self.runs[end.idx()] {
            SideRun::Up => self.left_us[end.idx()] / 1_000_000,
            SideRun::Down | SideRun::Stop => self.left_us[end.idx()].div_ceil(1_000_000),
        };
        u32::try_from(seconds).expect("a side holds less than ten hours")
    }

    /// What a side holds, to the microsecond.
    pub const fn left(&self, end: End) -> Duration {
        Duration::from_micros(self.left_us[end.idx()])
    }

    /// When a display changes next, or a little before.
    pub fn next_at(&self) -> Option<Mono> {
        let rest = |(left, runs): (&u64, &SideRun)| match runs {
            SideRun::Stop => None,
            SideRun::Up => Some(1_000_000 - left % 1_000_000),
            SideRun::Down => {
                Some(if left.is_multiple_of(1_000_000) { 1 } else { left % 1_000_000 })
            }
        };
        let soonest = self.left_us.iter().zip(&self.runs).filter_map(rest).min()?;
        Some(Mono(self.now.0 + soonest))
    }

    /// Loses its memory: both sides stand at 0:00. The lever stays where it is.
    pub fn forget(&mut self) {
        self.left_us = [0; 2];
        self.runs = [SideRun::Stop; 2];
    }
}
