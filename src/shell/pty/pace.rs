//! Lets the time of a table pass as fast as one likes, without it ever going back.

use crate::time::Mono;
use std::num::NonZeroU32;
use tokio::time::Instant;

/// How fast the time of a table passes, against that of the world.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Speed(pub NonZeroU32);

impl Speed {
    /// As in the world.
    pub const REAL: Self = Self(NonZeroU32::MIN);
}

/// Two times that were the same once, and how fast one of them passes since.
#[derive(Copy, Clone, Debug)]
pub(super) struct Pace {
    world: Instant,
    table: Mono,
    speed: Speed,
}

impl Pace {
    pub(super) fn start() -> Self {
        Self { world: Instant::now(), table: Mono::default(), speed: Speed::REAL }
    }

    /// The table's time.
    pub(super) fn now(&self) -> Mono {
        self.table + self.world.elapsed().saturating_mul(self.speed.0.get())
    }

    /// When `mono` comes. Rounded up, so that it has come when somebody wakes.
    pub(super) fn instant(&self, mono: Mono) -> Instant {
        let micros = mono.since(self.table);
        self.world + micros / self.speed.0.get() + std::time::Duration::from_micros(1)
    }

    pub(super) fn set(&mut self, speed: Speed) {
        let table = self.now();
        *self = Self { world: Instant::now(), table, speed };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test(start_paused = true)]
    async fn time_changes_its_speed_but_not_its_place() {
        let mut pace = Pace::start();
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
