//! The only reader of clocks: the core is told the time, and all of the shell tells the same.
//!
//! A world that is only simulated may have a time of its own, faster than ours. It is let pass in
//! small steps between which everybody gets his turn: on a machine that is busy it passes more
//! slowly, and nobody is late for anything.

use crate::table::defaults;
use crate::time::{Mono, Stamp, Wall};
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::time::Instant;

/// A sleep longer than this is a sleep without end; some clocks cannot be added to further.
const FAR: Duration = Duration::from_secs(30 * 365 * 24 * 3_600);

/// A time of its own passes in steps of the world's, at least so long: what a timer can do.
const STEP: Duration = Duration::from_millis(1);
/// And no more of it passes at once: a tenth of what hands and boards take for anything.
const STEP_MAX: Duration = Duration::from_millis(50);

/// How fast a time passes, against that of the world.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Speed(pub NonZeroU32);

impl Speed {
    /// As in the world.
    pub const REAL: Self = Self(NonZeroU32::MIN);
}

/// A time that is let pass.
#[derive(Debug)]
struct OwnTime {
    micros: AtomicU64,
    speed: Speed,
    /// The time of day when it began.
    wall: Wall,
}

impl OwnTime {
    fn mono(&self) -> Mono {
        Mono(self.micros.load(Ordering::Relaxed))
    }

    /// Lets it pass, for ever.
    async fn pass(&self) {
        let mut passed_at = Instant::now();
        loop {
            tokio::time::sleep(STEP).await;
            let span = passed_at.elapsed().saturating_mul(self.speed.0.get()).min(STEP_MAX);
            passed_at = Instant::now();
            let micros = u64::try_from(span.as_micros()).expect("a small step");
            self.micros.fetch_add(micros, Ordering::Relaxed);
        }
    }
}

/// The clock of a process. All copies count from the same moment.
#[derive(Copy, Clone, Debug)]
pub struct Now {
    start: Instant,
    own: Option<&'static OwnTime>,
}

impl Now {
    /// Begins to count time from now.
    pub fn start() -> Self {
        Self { start: Instant::now(), own: None }
    }

    /// Starts a time of its own, at most this fast, and lets it pass as long as the runtime runs.
    /// For a process that does nothing else: the time is never put away. Must be called inside a
    /// runtime.
    pub fn start_at(speed: Speed) -> Self {
        if speed == Speed::REAL {
            return Self::start();
        }
        let own = OwnTime { micros: AtomicU64::new(0), speed, wall: wall() };
        let own: &'static OwnTime = Box::leak(Box::new(own));
        tokio::spawn(own.pass());
        Self { start: Instant::now(), own: Some(own) }
    }

    /// The present moment.
    pub fn stamp(&self) -> Stamp {
        let Some(own) = self.own else {
            return Stamp { mono: self.mono(Instant::now()), wall: wall() };
        };
        let mono = own.mono();
        let passed = i64::try_from(mono.0).unwrap_or(i64::MAX);
        Stamp { mono, wall: Wall(own.wall.0.saturating_add(passed)) }
    }

    /// The moment that the kernel stamped with this time since the system's start.
    pub fn stamp_since_boot(&self, since_boot: Duration) -> Stamp {
        let clock = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        let nanos = i128::from(clock.tv_sec) * 1_000_000_000 + i128::from(clock.tv_nsec);
        let age = nanos - i128::try_from(since_boot.as_nanos()).unwrap_or(nanos);
        let age = Duration::from_nanos(u64::try_from(age).unwrap_or(0));
        self.stamp_before(age)
    }

    /// The moment this long ago.
    pub fn stamp_before(&self, age: Duration) -> Stamp {
        let Stamp { mono, wall: Wall(wall) } = self.stamp();
        let micros = u64::try_from(age.as_micros()).unwrap_or(u64::MAX);
        let past = wall.saturating_sub(i64::try_from(micros).unwrap_or(i64::MAX));
        Stamp { mono: Mono(mono.0.saturating_sub(micros)), wall: Wall(past) }
    }

    /// When `instant` was. Whatever lies before the start is the start.
    fn mono(&self, instant: Instant) -> Mono {
        Mono::default() + instant.saturating_duration_since(self.start)
    }

    /// The same moment for `tokio::time::sleep_until`. A time of its own may not have come so far
    /// then.
    pub fn instant(&self, mono: Mono) -> Instant {
        let Some(own) = self.own else {
            return self.start + mono.since(Mono::default()).min(FAR);
        };
        let wait = mono.since(own.mono()).min(FAR) / own.speed.0.get();
        Instant::now() + wait.max(Duration::from_micros(1))
    }

    /// Waits until `mono`.
    pub async fn sleep_until(&self, mono: Mono) {
        while self.stamp().mono < mono {
            tokio::time::sleep_until(self.instant(mono)).await;
        }
    }
}

/// The time of day may be set by this much without being spoken of: clocks are kept right.
const JUMP_MIN_US: i64 = 5_000_000;

/// Watches the time of day against the time that only passes.
#[derive(Clone, Debug, Default)]
pub struct WallWatch {
    /// Whether the time of day is known at all.
    pub source: WallSource,
    /// What the first was ahead of the second when it was looked at last, in microseconds.
    ahead: Option<i64>,
}

impl WallWatch {
    /// What the time of day would have been at this moment, if it has jumped since the last one.
    pub fn jumped_from(&mut self, at: Stamp) -> Option<Wall> {
        let passed = i64::try_from(at.mono.0).unwrap_or(i64::MAX);
        let ahead = at.wall.0.saturating_sub(passed);
        let before = self.ahead.replace(ahead)?;
        let is_jump = ahead.abs_diff(before) >= JUMP_MIN_US.unsigned_abs();
        is_jump.then(|| Wall(before.saturating_add(passed)))
    }
}

/// The folder of systemd-timesyncd. It is there while that runs, and has a file of this name once a
/// server has told the time of day since the system was started.
const TIMESYNC: &str = "/run/systemd/timesync";
const TOLD: &str = "synchronized";
/// How often it is looked at whether one has.
const LOOK_EVERY: Duration = Duration::from_secs(10);

defaults! {
    /// Watches whether the time of day is known. Where another program keeps it right, nothing is
    /// said.
    #[derive(Clone, Debug)]
    pub struct WallSource {
        folder: PathBuf = TIMESYNC.into(),
        looked: Option<Mono>,
        /// What was said last, or would not have to be said.
        is_known: bool = true,
    }
}

impl WallSource {
    /// Whether a server has told the time of day, if that is another than was believed: at first
    /// that one has.
    pub fn news(&mut self, now: Mono) -> Option<bool> {
        if self.looked.is_some_and(|at| now.since(at) < LOOK_EVERY) || !self.folder.is_dir() {
            return None;
        }
        self.looked = Some(now);
        let is_known = self.folder.join(TOLD).exists();
        (std::mem::replace(&mut self.is_known, is_known) != is_known).then_some(is_known)
    }
}

/// A clock that was set before 1970 reads as 1970.
pub(super) fn wall() -> Wall {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Wall(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_go_there_and_back() {
        let now = Now::start();
        for mono in [Mono(0), Mono(1), Mono::from_millis(86_400_000)] {
            assert_eq!(now.mono(now.instant(mono)), mono);
        }
        let before = now.start.checked_sub(Duration::from_secs(1)).unwrap();
        assert_eq!(now.mono(before), Mono(0));
        assert!(now.instant(Mono(u64::MAX)) > now.instant(Mono::from_millis(1 << 32)));
    }

    #[test]
    fn what_the_kernel_has_stamped_just_now_is_now() {
        let now = Now::start();
        let before = now.stamp().mono;
        let clock = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        let seconds = u64::try_from(clock.tv_sec).unwrap();
        let nanos = u32::try_from(clock.tv_nsec).unwrap();
        let stamp = now.stamp_since_boot(Duration::new(seconds, nanos));
        let after = now.stamp().mono;
        // Two clocks are read one after the other.
        let slack = 2_000;
        assert!(before.0 <= stamp.mono.0 + slack && stamp.mono.0 <= after.0 + slack);
    }

    #[tokio::test(start_paused = true)]
    async fn a_time_of_its_own_is_faster_and_never_leaps() {
        let now = Now::start_at(Speed(NonZeroU32::new(30).unwrap()));
        let (before, began) = (now.stamp(), Instant::now());
        assert_eq!(before.mono, Mono(0));
        now.sleep_until(Mono::from_millis(60_000)).await;
        let after = now.stamp();
        assert!(after.mono < Mono::from_millis(60_100), "{}", after.mono);
        assert_eq!(after.wall.0 - before.wall.0, i64::try_from(after.mono.0).unwrap());
        assert!((1_999..2_100).contains(&began.elapsed().as_millis()), "{:?}", began.elapsed());
        // The machine has something else to do for a second.
        tokio::time::advance(Duration::from_secs(1)).await;
        tokio::task::yield_now().await;
        assert!(now.stamp().mono.since(after.mono) <= 2 * STEP_MAX);
    }

    #[test]
    fn a_jump_of_the_time_of_day_is_noticed_once_and_what_keeps_it_right_is_not() {
        let mut watch = WallWatch::default();
        let at = |seconds: u64, wall: i64| Stamp {
            mono: Mono::from_millis(seconds * 1_000),
            wall: Wall(wall * 1_000_000),
        };
        assert_eq!(watch.jumped_from(at(1, 100)), None);
        // A clock that is brought right slowly, in the end by more than a jump.
        for n in 1..20 {
            let n_ahead = i64::try_from(n).unwrap();
            assert_eq!(watch.jumped_from(at(1 + 10 * n, 100 + 11 * n_ahead)), None);
        }
        assert_eq!(watch.jumped_from(at(192, 1_000_000)), Some(Wall(310_000_000)));
        assert_eq!(watch.jumped_from(at(193, 1_000_001)), None);
        assert_eq!(watch.jumped_from(at(194, 5)), Some(Wall(1_000_002_000_000)));
    }

    #[test]
    fn whether_the_time_of_day_is_known_is_said_when_it_changes() {
        let run = tempfile::tempdir().unwrap();
        let folder = run.path().join("timesync");
        let mut source = WallSource { folder: folder.clone(), ..WallSource::default() };
        let at = |seconds: u64| Mono::from_millis(seconds * 1_000);
        assert_eq!(source.news(at(1)), None, "another program keeps the time");
        std::fs::create_dir(&folder).unwrap();
        assert_eq!(source.news(at(2)), Some(false));
        std::fs::write(folder.join(TOLD), "").unwrap();
        assert_eq!(source.news(at(3)), None, "it is not looked at so often");
        assert_eq!(source.news(at(13)), Some(true));
        assert_eq!(source.news(at(99)), None);
    }

    #[test]
    fn stamps_go_forward() {
        let now = Now::start();
        let (first, second) = (now.stamp(), now.stamp());
        assert!(first.mono <= second.mono);
        assert!(first.wall.0 > 1_700_000_000_000_000, "the wall clock counts from 1970");
    }
}
