//! The only reader of clocks: the core is told the time, and all of the shell tells the same.

use crate::time::{Mono, Stamp, Wall};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::time::Instant;

/// A sleep longer than this is a sleep without end; some clocks cannot be added to further.
const FAR: Duration = Duration::from_secs(30 * 365 * 24 * 3_600);

/// The clock of a process. All copies count from the same moment.
#[derive(Copy, Clone, Debug)]
pub struct Now {
    start: Instant,
}

impl Now {
    /// Starts counting.
    pub fn start() -> Self {
        Self { start: Instant::now() }
    }

    /// The present moment.
    pub fn stamp(&self) -> Stamp {
        Stamp { mono: self.mono(Instant::now()), wall: wall() }
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

    /// When `instant` was, or will be. Whatever lies before the start is the start.
    pub fn mono(&self, instant: Instant) -> Mono {
        Mono::default() + instant.saturating_duration_since(self.start)
    }

    /// The same moment for `tokio::time::sleep_until`.
    pub fn instant(&self, mono: Mono) -> Instant {
        self.start + mono.since(Mono::default()).min(FAR)
    }
}

/// A clock that was set before 1970 reads as 1970.
fn wall() -> Wall {
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

    #[test]
    fn stamps_go_forward() {
        let now = Now::start();
        let (first, second) = (now.stamp(), now.stamp());
        assert!(first.mono <= second.mono);
        assert!(first.wall.0 > 1_700_000_000_000_000, "the wall clock counts from 1970");
    }
}
