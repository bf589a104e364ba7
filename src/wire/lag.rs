//! How old a reading of a clock is that we have set ourselves.
//!
//! Readings come up to a second late (protocol 2.6), and nothing in them says how late. But what
//! the clock shows at each moment is known, for we have set it: a reading that shows the second
//! before is so old at least, and one that shows the next second is so young at most. When a
//! display has just changed, its age is known to the tenth; the median of those is that of any
//! reading.

use super::clock::{ClockTime, End};
use crate::time::Mono;
use std::time::Duration;

/// The oldest that a reading can be, in microseconds; what looks older tells of something else.
const OLDEST: i64 = 1_500_000;
/// Behind a command readings of before it may come for so long. Ours.
const SETTLES: Duration = Duration::from_millis(600);
/// The usual age is the median of so many: one that was held up does not move it. Ours.
const N_AGES: usize = 15;
const SECOND: i64 = 1_000_000;

/// What is known of the age of readings. In microseconds.
#[derive(Debug, Copy, Clone, Default)]
pub(super) struct Lag {
    /// The end that runs, to what it was set, in seconds, and when.
    set: Option<(End, u32, Mono)>,
    /// What it showed last.
    shown: Option<u32>,
    /// Of the last changes of a display, the oldest overwritten first.
    ages: [i64; N_AGES],
    n_ages: usize,
}

impl Lag {
    /// A command leaves that sets this end running with so many seconds; or nothing runs.
    pub(super) fn is_set(&mut self, at: Mono, running: Option<(End, u32)>) {
        self.set = running.map(|(end, seconds)| (end, seconds, at));
        self.shown = None;
    }

    /// When the clock showed what a reading tells that comes at `at`, as far as can be told.
    pub(super) fn read(&mut self, at: Mono, time: &ClockTime) -> Mono {
        let usual = self.usual();
        let Some((end, seconds, set_at)) = self.set.filter(|(.., then)| at.since(*then) > SETTLES)
        else {
            return before(at, usual);
        };
        let shown = time.side(end).seconds;
        let passed = i64::try_from(at.since(set_at).as_micros()).unwrap_or(i64::MAX);
        // From the moment at which it began to show this.
        let most = passed.saturating_sub((i64::from(seconds) - i64::from(shown)) * SECOND);
        if !(0..OLDEST).contains(&most) {
            return before(at, usual);
        }
        let has_ticked = self.shown.replace(shown) == Some(shown + 1);
        if has_ticked && time.high == end {
            self.ages[self.n_ages % N_AGES] = most;
            self.n_ages += 1;
        }
        before(at, self.usual().clamp((most - SECOND).max(0), most))
    }

    fn usual(&self) -> i64 {
        let mut ages = self.ages;
        let ages = &mut ages[..self.n_ages.min(N_AGES)];
        ages.sort_unstable();
        ages.get(ages.len() / 2).copied().unwrap_or_default()
    }
}

fn before(at: Mono, micros: i64) -> Mono {
    Mono(at.0.saturating_sub(u64::try_from(micros).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::SideTime;

    fn reading(left: u32) -> ClockTime {
        let (left, right) = (SideTime::of_seconds(left), SideTime::of_seconds(300));
        ClockTime { left, right, running: true, high: End::Left, battery_low: false }
    }

    #[test]
    fn changes_of_the_display_tell_how_old_a_reading_is() {
        let mut lag = Lag::default();
        lag.is_set(Mono::from_millis(10_000), Some((End::Left, 60)));
        let mut read = |ms, left| {
            Mono::from_millis(ms).since(lag.read(Mono::from_millis(ms), &reading(left))).as_millis()
        };
        read(10_700, 60);
        for second in 1..10 {
            let left = 60 - u32::try_from(second).expect("a few");
            read(10_300 + second * 1_000, left);
        }
        assert_eq!(read(19_900, 51), 300, "as old as the others");
        assert_eq!(read(20_100, 51), 300, "ten seconds gone, and it shows nine");
        assert_eq!(read(20_400, 51), 400, "at least that");
        assert_eq!(read(20_100, 50), 100, "no older than what it shows");
    }

    #[test]
    fn what_cannot_be_is_no_age() {
        let mut lag = Lag::default();
        lag.is_set(Mono::from_millis(10_000), Some((End::Left, 60)));
        for (ms, left) in [(15_000, 59), (15_000, 40), (10_100, 60)] {
            assert_eq!(lag.read(Mono::from_millis(ms), &reading(left)), Mono::from_millis(ms));
        }
    }
}
