//! A timer that comes late was not late by itself: the machine was held up. What lines have said
//! meanwhile is read first, or a board that has answered in time would be taken for a silent one.

use crate::time::Mono;
use std::time::Duration;

/// So late a timer is told only where nothing ran.
const HELD_UP: Duration = Duration::from_millis(100);
/// What lies there to be read is read within this time.
const READS_WITHIN: Duration = Duration::from_millis(100);

/// Lets a late timer wait for what is to be read, once.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LateTimers {
    /// The timer that waits, and until when.
    waits: Option<(Mono, Mono)>,
}

impl LateTimers {
    /// When the timer that is due at `due` is to be told.
    pub(super) fn until(&self, due: Mono) -> Mono {
        match self.waits {
            Some((of, until)) if of == due => until,
            _ => due,
        }
    }

    /// Whether the timer that is due at `due`, waited for since `armed` and told at `now`, has come
    /// late and is to wait.
    pub(super) fn waits(&mut self, now: Mono, due: Option<Mono>, armed: Mono) -> bool {
        let Some(due) = due else { return false };
        let has_waited = self.waits.is_some_and(|(of, _)| of == due);
        let is_late = now.since(due.max(armed)) > HELD_UP && !has_waited;
        self.waits = is_late.then(|| (due, now + READS_WITHIN));
        is_late
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_timer_waits_once_and_no_other_does() {
        let ms = Mono::from_millis;
        let mut patience = LateTimers::default();
        assert!(!patience.waits(ms(1_050), Some(ms(1_000)), ms(0)), "it is in time");
        assert!(!patience.waits(ms(1_150), Some(ms(1_000)), ms(1_140)), "it was due before");
        assert!(!patience.waits(ms(9_000), None, ms(0)));
        assert!(patience.waits(ms(1_500), Some(ms(1_000)), ms(0)));
        assert_eq!(patience.until(ms(1_000)), ms(1_600));
        assert_eq!(patience.until(ms(1_300)), ms(1_300), "another one has not waited");
        // However late it is by then.
        assert!(!patience.waits(ms(2_500), Some(ms(1_000)), ms(1_500)));
        assert_eq!(patience.until(ms(1_000)), ms(1_000));
    }
}
