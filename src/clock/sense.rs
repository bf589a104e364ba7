//! Whether a clock that nobody drives goes as clocks do: the side whose end is up runs down by a
//! second in a second, the other stands, and a press adds to it what time controls add.
//!
//! A display that is set by hand shows many times in turn, so what a clock shows while it stands
//! speaks neither for it nor against it.

use super::reading::Face;
use crate::table::End;
use crate::time::Mono;
use std::time::Duration;

/// Readings come up to 1.5 s late, and in whole seconds (protocol 2.6).
const TOLERANCE: Duration = Duration::from_secs(2);
/// No increment is longer. Ours.
const PER_MOVE_MOST: Duration = Duration::from_secs(61);
/// No new period is shorter. Ours.
const PERIOD_LEAST: Duration = Duration::from_secs(5 * 60);
/// A clock that has run so long as it should goes. Ours: more than is let pass of one that stands
/// still and says that it runs.
const GOES_AFTER: Duration = Duration::from_secs(3);
/// Readings that follow from nothing, in a row, until none of the clock's times is believed. Ours.
const N_WILD: u32 = 4;
/// As long that must last. Ours: what a line holds up comes within seconds.
const WILD_AFTER: Duration = Duration::from_secs(10);

/// A reading with times.
#[derive(Copy, Clone, Debug)]
struct TimedReading {
    at: Mono,
    left: Duration,
    right: Duration,
    is_running: bool,
    high: End,
}

impl TimedReading {
    /// The time of the side whose end is up, and of the other.
    const fn sides(&self, high: End) -> (Duration, Duration) {
        match high {
            End::Left => (self.left, self.right),
            End::Right => (self.right, self.left),
        }
    }
}

/// What a clock's readings say of it.
#[derive(Clone, Debug, Default)]
pub struct Sense {
    /// The reading that the next ones are held against: the first of this turn.
    base: Option<TimedReading>,
    last: Option<TimedReading>,
    /// How long the clock has run as it should, and how much its displays have run down meanwhile.
    ran: Duration,
    used: Duration,
    goes: bool,
    /// Since when readings follow from nothing, and how many did.
    wild: Option<(Mono, u32)>,
    is_wild: bool,
}

impl Sense {
    /// Takes a reading. False if it does not follow from those before.
    pub fn read(&mut self, at: Mono, face: &Face) -> bool {
        let Some((left, right)) = face.times else { return false };
        let now = TimedReading { at, left, right, is_running: face.is_running, high: face.high };
        let (Some(base), Some(last)) = (self.base, self.last.replace(now)) else {
            self.base = Some(now);
            return true;
        };
        let follows = follows(&base, &last, &now);
        if now.is_running && !follows {
            self.go_wild(at);
        }
        if !follows || now.high != base.high || now.is_running != base.is_running {
            self.book(&base, &last);
            self.base = Some(now);
        }
        if !follows {
            (self.ran, self.used) = (Duration::ZERO, Duration::ZERO);
        }
        self.judge(&now);
        follows
    }

    /// Whether the clock was seen to run by itself, and has not stopped making sense since.
    pub const fn goes(&self) -> bool {
        self.goes
    }

    /// Whether its readings have followed from nothing for so long that none is to be believed.
    pub const fn is_wild(&self) -> bool {
        self.is_wild
    }

    /// Whether a reading did not follow from those before, and the clock has not gone well since.
    pub const fn is_broken(&self) -> bool {
        self.wild.is_some()
    }

    /// Whether it runs as it should at this time, and has for some seconds.
    pub fn is_going(&self) -> bool {
        let (ran, used) = self.run_with(self.last.as_ref());
        ran >= GOES_AFTER && used * 2 >= ran
    }

    fn go_wild(&mut self, at: Mono) {
        let (since, n) = self.wild.unwrap_or((at, 0));
        self.wild = Some((since, n + 1));
        if n + 1 >= N_WILD && at.since(since) >= WILD_AFTER {
            (self.is_wild, self.goes) = (true, false);
        }
    }

    fn judge(&mut self, now: &TimedReading) {
        let (ran, used) = self.run_with(Some(now));
        if ran >= GOES_AFTER && used * 2 >= ran {
            (self.goes, self.is_wild, self.wild) = (true, false, None);
        }
    }

    /// The turn that began with `base` is over; `last` was its last reading.
    fn book(&mut self, base: &TimedReading, last: &TimedReading) {
        let (ran, used) = stretch(base, last);
        self.ran += ran;
        self.used += used;
    }

    fn run_with(&self, last: Option<&TimedReading>) -> (Duration, Duration) {
        let now = self.base.as_ref().zip(last).map(|(base, last)| stretch(base, last));
        let (ran, used) = now.unwrap_or_default();
        (self.ran + ran, self.used + used)
    }
}

/// How long a turn of the lever has lasted from reading to reading, and what it has used.
fn stretch(base: &TimedReading, last: &TimedReading) -> (Duration, Duration) {
    if !base.is_running || base.high != last.high {
        return Default::default();
    }
    let (before, after) = (base.sides(base.high).0, last.sides(base.high).0);
    (last.at.since(base.at), before.saturating_sub(after))
}

/// Whether `now` can come after `base`, and `last` before it.
fn follows(base: &TimedReading, last: &TimedReading, now: &TimedReading) -> bool {
    let (ran, stood) = base.sides(base.high);
    let (after, other) = now.sides(base.high);
    let passed = now.at.since(base.at);
    if !base.is_running {
        // It was set by hand, and started.
        return !now.is_running || is_near(ran, after, passed) && is_near(stood, other, passed);
    }
    if now.high == base.high {
        let is_stopped = !now.is_running;
        let least = ran.saturating_sub(passed + TOLERANCE);
        let most = if is_stopped { ran } else { ran.saturating_sub(passed) } + TOLERANCE;
        return (least..=most).contains(&after) && is_near(stood, other, Duration::ZERO);
    }
    // A press: what it added is not known.
    let least = ran.saturating_sub(passed + TOLERANCE);
    let is_credited = after >= least
        && (after <= ran + PER_MOVE_MOST + TOLERANCE || after >= least + PERIOD_LEAST);
    is_credited && is_near(stood, other, now.at.since(last.at))
}

/// Whether `before` has become `after`, having run for `passed` at the most.
fn is_near(before: Duration, after: Duration, passed: Duration) -> bool {
    after <= before + TOLERANCE && after + passed + TOLERANCE >= before
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a clock says each second: its times, whether it runs, and the end that is up.
    fn sense(readings: impl IntoIterator<Item = (u64, u64, bool, End)>) -> Sense {
        let mut sense = Sense::default();
        for (second, (left, right, is_running, high)) in readings.into_iter().enumerate() {
            let times = Some((Duration::from_secs(left), Duration::from_secs(right)));
            let at = Mono::from_millis(u64::try_from(second).unwrap() * 1_000);
            sense.read(at, &Face { times, is_running, high });
        }
        sense
    }

    #[test]
    fn a_clock_that_runs_down_goes_and_a_press_stops_it_not() {
        let down = |from: u64| (0..7).map(move |n| (from - n, 300, true, End::Left));
        assert!(!sense(down(300).take(3)).goes());
        assert!(sense(down(300)).goes());
        let pressed = (0..7).map(|n| (297, 300 - n, true, End::Right));
        let played = sense(down(300).chain(pressed));
        assert!(played.goes() && !played.is_wild() && played.is_going());
        let stopped = (0..60).map(|_| (297, 294, false, End::Right));
        let stopped = sense(down(300).chain(pressed_for(7)).chain(stopped));
        assert!(stopped.goes() && !stopped.is_wild());
    }

    fn pressed_for(n: u64) -> impl Iterator<Item = (u64, u64, bool, End)> {
        (0..n).map(|n| (297, 300 - n, true, End::Right))
    }

    #[test]
    fn quick_presses_with_increments_go_as_well() {
        // Each thinks for two seconds and is given three.
        let quick = (0..60_u64).map(|n| {
            let (pair, of_pair) = (n / 4, n % 4);
            let (left, right) = (300 + pair, 300 + pair);
            match of_pair {
                0 | 1 => (left - of_pair, right, true, End::Left),
                _ => (left + 1, right - (of_pair - 2), true, End::Right),
            }
        });
        let quick = sense(quick);
        assert!(!quick.is_wild(), "{quick:?}");
    }

    #[test]
    fn any_times_are_wild_and_so_is_a_display_that_never_changes() {
        let any = (1..40_u64).map(|n| (n * 7_919 % 9_000, n * 104_729 % 9_000, true, End::Left));
        let any = sense(any);
        assert!(any.is_wild() && !any.goes());
        let stuck = sense((0..40).map(|_| (300, 300, true, End::Left)));
        assert!(stuck.is_wild() && !stuck.goes());
        // With the bit that says whether it runs as it comes.
        let any = (1..60_u64)
            .map(|n| (n * 7_919 % 9_000, n * 104_729 % 9_000, n * 31 % 7 < 4, End::Left));
        assert!(sense(any).is_wild());
    }

    #[test]
    fn a_clock_that_is_set_by_hand_is_not_wild() {
        let set = (1..40_u64).map(|n| (n * 601 % 9_000, n * 60, false, End::Left));
        let sense = sense(set);
        assert!(!sense.is_wild() && !sense.goes());
    }

    #[test]
    fn a_clock_that_comes_to_its_senses_is_believed_again() {
        let any = (1..40_u64).map(|n| (n * 7_919 % 9_000, n * 104_729 % 9_000, true, End::Left));
        let goes = (0..9).map(|n| (300 - n, 300, true, End::Left));
        let sense = sense(any.chain(goes));
        assert!(sense.goes() && !sense.is_wild());
    }

    /// A reading so many milliseconds after the first, with the left side's end up or the right's.
    fn read(at: u64, left: u64, right: u64, is_running: bool, high: End) -> TimedReading {
        let (left, right) = (Duration::from_millis(left), Duration::from_millis(right));
        TimedReading { at: Mono::from_millis(at), left, right, is_running, high }
    }

    #[test]
    fn what_follows_a_reading_ends_at_its_limits() {
        use End::{Left, Right};
        let runs = read(0, 300_000, 300_000, true, Left);
        let stands = read(0, 300_000, 300_000, false, Left);
        // Ten seconds later: the least and the most that may be shown.
        let rows = [
            (&runs, true, Left, (288_000, 292_000), (298_000, 302_000), "it runs on"),
            (&runs, false, Left, (288_000, 302_000), (298_000, 302_000), "it is stopped"),
            (&runs, true, Right, (288_000, 363_000), (288_000, 302_000), "it is pressed"),
            (&stands, true, Left, (288_000, 302_000), (288_000, 302_000), "it is started"),
        ];
        for (base, is_running, high, (least, most), (low, top), what) in rows {
            for (left, right, is_within) in [
                (least, low, true),
                (most, top, true),
                (least - 1, low, false),
                (most + 1, low, false),
                (least, low - 1, false),
                (least, top + 1, false),
            ] {
                let now = read(10_000, left, right, is_running, high);
                assert_eq!(follows(base, base, &now), is_within, "{what}: {left} and {right}");
            }
        }
        // A new period comes with a press, and whatever is set while it stands.
        for (left, is_within) in [(587_999, false), (588_000, true)] {
            let now = read(10_000, left, 300_000, true, Right);
            assert_eq!(follows(&runs, &runs, &now), is_within, "{left}");
        }
        assert!(follows(&stands, &stands, &read(1, 1, 1, false, Left)));
    }

    #[test]
    fn it_goes_after_three_seconds_and_is_wild_after_four_readings_and_ten() {
        let down = |n: usize| sense((0..7).map(|n| (300 - n, 300, true, End::Left)).take(n));
        assert!(!down(3).goes() && !down(3).is_going());
        assert!(down(4).goes() && down(4).is_going());
        // Every reading but the first follows from nothing.
        let wild = |times: &[u64]| {
            let mut sense = Sense::default();
            for (n, at) in times.iter().enumerate() {
                let left = Duration::from_secs(1_000 * (n as u64 % 2 + 1));
                let face = Face { times: Some((left, left)), is_running: true, high: End::Left };
                sense.read(Mono::from_millis(*at), &face);
            }
            sense.is_wild()
        };
        assert!(wild(&[0, 1_000, 2_000, 3_000, 11_000]));
        assert!(!wild(&[0, 1_000, 2_000, 3_000, 10_999]), "less than ten seconds");
        assert!(!wild(&[0, 1_000, 2_000, 11_000]), "three readings");
    }
}
