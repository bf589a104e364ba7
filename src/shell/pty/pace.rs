//! Lets the time of a table pass as fast as one likes, without it ever going back.

use crate::shell::now::{Now, Speed};
use crate::time::Mono;
use std::time::Duration;
use tokio::time::Instant;

/// Two times that were the same once, and how fast one of them passes since.
#[derive(Copy, Clone, Debug)]
pub(in crate::shell) struct TableTime {
    now: Now,
    world: Mono,
    table: Mono,
    speed: Speed,
}

impl TableTime {
    /// The table's time begins, in the world whose time this is.
    pub(in crate::shell) fn start(now: Now) -> Self {
        Self { now, world: now.stamp().mono, table: Mono::default(), speed: Speed::REAL }
    }

    /// The table's time.
    pub(in crate::shell) fn now(&self) -> Mono {
        let passed = self.now.stamp().mono.since(self.world);
        self.table + passed.saturating_mul(self.speed.0.get())
    }

    /// When `mono` comes. Rounded up, so that it has come when somebody wakes.
    pub(in crate::shell) fn instant(&self, mono: Mono) -> Instant {
        let span = mono.since(self.table);
        self.now.instant(self.world + span / self.speed.0.get() + Duration::from_micros(1))
    }

    pub(in crate::shell) fn set(&mut self, speed: Speed) {
        *self = Self { table: self.now(), speed, ..Self::start(self.now) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroU32;

    #[tokio::test(start_paused = true)]
    async fn time_changes_its_speed_but_not_its_place() {
        let mut pace = TableTime::start(Now::start());
        tokio::time::advance(Duration::from_secs(2)).await;
        assert_eq!(pace.now(), Mono::from_millis(2_000));
        pace.set(Speed(NonZeroU32::new(10).unwrap()));
        assert_eq!(pace.now(), Mono::from_millis(2_000));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(pace.now(), Mono::from_millis(12_000));
        let in_a_second = Instant::now() + Duration::from_secs(1);
        let off = pace.instant(Mono::from_millis(22_000)) - in_a_second;
        assert_eq!(off, Duration::from_micros(1));
    }
}
