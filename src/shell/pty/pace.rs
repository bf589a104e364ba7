//! Lets the time of a table pass as fast as one likes, without it ever going back. Boards and
//! clocks keep to it; hands are later where nobody could have watched them.

use crate::shell::now::{Now, Speed};
use crate::time::Mono;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::time::Instant;

/// What comes so late was due while the machine was held up, and nothing ran.
const HELD_UP: Duration = Duration::from_millis(50);

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

/// What hands are yet to do at a table, and when.
#[derive(Debug)]
pub(in crate::shell) struct ActsToDo<A>(VecDeque<(Mono, A)>);

impl<A> ActsToDo<A> {
    /// These, in their order.
    pub(in crate::shell) fn new(acts: VecDeque<(Mono, A)>) -> Self {
        Self(acts)
    }

    /// What is left, which nobody does any more.
    pub(in crate::shell) fn take(&mut self) -> VecDeque<(Mono, A)> {
        std::mem::take(&mut self.0)
    }

    pub(in crate::shell) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(in crate::shell) fn next_at(&self) -> Option<Mono> {
        self.0.front().map(|(at, _)| *at)
    }

    /// The next act that is due by `now`.
    pub(in crate::shell) fn pop_due(&mut self, now: Mono) -> Option<(Mono, A)> {
        self.0.pop_front_if(|(at, _)| *at <= now)
    }

    /// Where the machine was held up, everything is done as much later: what hands do one after
    /// the other must not happen at once.
    pub(in crate::shell) fn catch_up(&mut self, pace: &TableTime) {
        let Some(due) = self.next_at() else { return };
        let late = pace.now().since(due);
        if late > HELD_UP.saturating_mul(pace.speed.0.get()) {
            self.0.iter_mut().for_each(|(at, _)| *at = *at + late);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroU32;

    #[tokio::test(start_paused = true)]
    async fn hands_go_on_where_they_were_after_the_machine_was_held_up() {
        let ms = Mono::from_millis;
        let mut pace = TableTime::start(Now::start());
        let acts = [(100, "lift"), (400, "put"), (900, "press")];
        let mut acts = ActsToDo::new(acts.map(|(at, what)| (ms(at), what)).into());
        tokio::time::advance(Duration::from_millis(130)).await;
        acts.catch_up(&pace);
        assert_eq!(acts.pop_due(pace.now()), Some((ms(100), "lift")), "as late as any timer");
        tokio::time::advance(Duration::from_millis(5_000)).await;
        acts.catch_up(&pace);
        assert_eq!(acts.pop_due(pace.now()), Some((ms(5_130), "put")));
        assert_eq!((acts.pop_due(pace.now()), acts.next_at()), (None, Some(ms(5_630))));
        // Ten times as fast, ten times as much passes until a timer comes.
        pace.set(Speed(NonZeroU32::new(10).unwrap()));
        tokio::time::advance(Duration::from_millis(90)).await;
        acts.catch_up(&pace);
        assert_eq!(acts.pop_due(pace.now()), Some((ms(5_630), "press")));
    }

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
