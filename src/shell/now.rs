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
    fn stamps_go_forward() {
        let now = Now::start();
        let (first, second) = (now.stamp(), now.stamp());
        assert!(first.mono <= second.mono);
        assert!(first.wall.0 > 1_700_000_000_000_000, "the wall clock counts from 1970");
    }
}
