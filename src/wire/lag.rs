//! How old a reading of a clock is that we have set ourselves.
//!
//! Readings come up to a second late (protocol 2.6), and nothing in them says how late. But what
//! the clock shows at each moment is known, for we have set it: a reading that shows the second
//! before is so old at least, and one that shows the next second is so young at most. When a
//! display has just changed, its age is known to the tenth; the median of those is that of any
//! reading.

use super::clock::ClockTime;
use crate::table::End;
use crate::time::Mono;
use std::time::Duration;

/// The oldest that a reading can be, in microseconds; what looks older tells of something else.
const OLDEST: i64 = 1_500_000;
/// Behind a command readings of before it may come for so long. Ours.
const TAKES_EFFECT: Duration = Duration::from_millis(600);
/// The usual age is the median of so many: one that was held up does not move it. Ours.
const N_AGES: usize = 15;
/// A reading that is so much older than usual was held up. A board that looks at its clock two or
/// three times a second is in order: its readings differ by less (protocol 2.6). Ours.
const HELD_UP: i64 = 300_000;
/// Readings after which it is known what is usual. Ours.
const N_KNOWN: usize = 4;
/// Over a line that holds readings up the board is asked for one this often while a side runs: a
/// press is seen in the next of them if the board's own message comes late. Over others it is not,
/// for reading a clock delays what a board has to tell (protocol 2.6). Ours; 7 of 100 bytes that a
/// line carries.
const ASKS_EVERY: Duration = Duration::from_millis(150);
/// A line is tried with so many questions, so far apart, while its clock stands: so it is known
/// before a game whether it holds readings up, and how old they are. Ours.
const N_TRIALS: u32 = 60;
const TRIES_EVERY: Duration = Duration::from_millis(600);

const SECOND: i64 = 1_000_000;

/// Ages of one kind, in microseconds, the oldest overwritten first.
#[derive(Debug, Copy, Clone, Default)]
struct Ages {
    last: [i64; N_AGES],
    n: usize,
}

impl Ages {
    /// One more. True if it was held up.
    fn note(&mut self, age: i64) -> bool {
        let is_late = self.n >= N_KNOWN && self.usual().is_some_and(|it| age - it > HELD_UP);
        self.last[self.n % N_AGES] = age;
        self.n += 1;
        is_late
    }

    fn usual(&self) -> Option<i64> {
        let mut last = self.last;
        let last = &mut last[..self.n.min(N_AGES)];
        last.sort_unstable();
        last.get(last.len().checked_sub(1)? / 2).copied()
    }
}

/// What is known of the age of readings.
#[derive(Debug, Copy, Clone, Default)]
pub(super) struct Lag {
    /// The end that runs, to what it was set, in seconds, and when.
    set: Option<(End, u32, Mono)>,
    /// What it showed last.
    shown: Option<u32>,
    last: Option<ClockTime>,
    /// The board was asked then, and has not answered.
    unanswered: Option<Mono>,
    n_asked: u32,
    ticks: Ages,
    answers: Ages,
    is_unsteady: bool,
    is_told: bool,
}

impl Lag {
    /// A command leaves that sets this end running with so many seconds; or nothing runs.
    pub(super) fn is_set(&mut self, at: Mono, running: Option<(End, u32)>) {
        self.set = running.map(|(end, seconds)| (end, seconds, at));
        self.shown = None;
    }

    /// The board is asked for a reading.
    pub(super) fn asked(&mut self, at: Mono) {
        self.unanswered.get_or_insert(at);
        self.n_asked = self.n_asked.saturating_add(1);
    }

    /// How long after a question the next one is due, if any is.
    pub(super) fn asks_every(&self, is_running: bool) -> Option<Duration> {
        let is_on_trial = !self.is_unsteady && self.n_asked < N_TRIALS;
        match is_running {
            true => self.is_unsteady.then_some(ASKS_EVERY),
            false => is_on_trial.then_some(TRIES_EVERY),
        }
    }

    /// When the clock showed what a reading tells that comes at `at`, as far as can be told.
    pub(super) fn read(&mut self, at: Mono, time: &ClockTime) -> Mono {
        // A board tells by itself of changes only, and of each change of a clock that runs.
        let is_answer = self.last.replace(*time) == Some(*time);
        let asked = self.unanswered.take_if(|_| is_answer || time.running);
        if let Some(asked) = asked.filter(|_| !time.running && !self.is_unsteady) {
            let way = i64::try_from(at.since(asked).as_micros()).unwrap_or(OLDEST);
            self.is_unsteady |= self.answers.note(way.min(OLDEST));
        }
        let usual = self.usual();
        let Some((end, seconds, set_at)) =
            self.set.filter(|(.., then)| at.since(*then) > TAKES_EFFECT)
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
        if self.shown.is_some_and(|last| shown > last) {
            // It shows a second that was over when the last one was read.
            self.is_unsteady = true;
            return before(at, most);
        }
        let has_ticked = self.shown.replace(shown) == Some(shown + 1);
        if has_ticked && time.high == end {
            self.is_unsteady |= self.ticks.note(most);
        }
        before(at, self.usual().clamp((most - SECOND).max(0), most))
    }

    /// A reading was overtaken, as the lever tells.
    pub(super) fn is_overtaken(&mut self) {
        self.is_unsteady = true;
    }

    /// Whether it has shown, since this was asked last, that this line holds readings up.
    pub(super) fn has_news(&mut self) -> bool {
        self.is_unsteady && !std::mem::replace(&mut self.is_told, true)
    }

    /// How old readings are. Of two medians the lesser: what is held up is older, and none is
    /// younger than it can be.
    fn usual(&self) -> i64 {
        self.answers.usual().into_iter().chain(self.ticks.usual()).min().unwrap_or_default()
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
    fn a_line_that_holds_readings_up_is_known() {
        let mut lag = Lag::default();
        lag.is_set(Mono::from_millis(10_000), Some((End::Left, 60)));
        let mut read = |ms, left| {
            lag.read(Mono::from_millis(ms), &reading(left));
            lag.is_unsteady
        };
        // Looked at every 0.4 s.
        let steady = [(10_900, 60), (11_300, 59), (12_100, 58), (13_300, 57), (14_100, 56)];
        assert!(steady.into_iter().all(|(ms, left)| !read(ms, left)));
        assert!(!read(15_300, 55) && !read(16_100, 54));
        assert!(read(17_650, 53), "0.45 s later than the others");

        let mut lag = Lag::default();
        lag.is_set(Mono::from_millis(10_000), Some((End::Left, 60)));
        for (ms, left) in [(11_020, 59), (12_020, 58), (12_200, 59)] {
            assert!(!lag.is_unsteady);
            lag.read(Mono::from_millis(ms), &reading(left));
        }
        assert!(lag.is_unsteady, "59 came behind 58");
    }

    #[test]
    fn a_line_is_tried_by_questions() {
        let mut lag = Lag::default();
        let standing = ClockTime { running: false, ..reading(60) };
        for n in 0..10 {
            let asked = Mono::from_millis(n * 600);
            assert_eq!(lag.asks_every(false), Some(TRIES_EVERY));
            lag.asked(asked);
            assert!(!lag.has_news());
            let way = if n == 9 { 520 } else { 70 };
            lag.read(asked + Duration::from_millis(way), &standing);
        }
        assert!(lag.has_news() && !lag.has_news(), "it is told once");
        assert_eq!((lag.asks_every(false), lag.asks_every(true)), (None, Some(ASKS_EVERY)));
    }

    #[test]
    fn readings_held_up_in_the_beginning_are_not_the_usual_ones() {
        let mut lag = Lag::default();
        let standing = ClockTime { running: false, ..reading(60) };
        lag.read(Mono::default(), &standing);
        for (n, way) in [962, 511, 470, 957, 495, 975].into_iter().enumerate() {
            let asked = Mono::from_millis(u64::try_from(n).expect("a few") * 1_200);
            lag.asked(asked);
            lag.read(asked + Duration::from_millis(way), &standing);
        }
        assert_eq!(lag.usual(), 511_000, "as many came late as did not");
        lag.answers.note(957_000);
        assert_eq!(lag.usual(), 957_000, "more came late");
        lag.is_set(Mono::from_millis(10_000), Some((End::Left, 60)));
        for second in 1..6_u32 {
            lag.read(Mono::from_millis(10_480 + u64::from(second) * 1_000), &reading(60 - second));
        }
        assert_eq!(lag.usual(), 480_000, "those of a clock that runs do not");
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
