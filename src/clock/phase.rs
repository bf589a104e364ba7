//! The fraction of a second that no display shows.
//!
//! A clock sends whole seconds, begun ones counting as whole, and they arrive up to a second late
//! (protocol 2.6). When a display has just gone from one second to the next, the true time is that
//! second or, if the message was under way for long, a little less. Of several such moments the one
//! with the shortest way tells best.

use std::time::Duration;

/// So many changes of the display are looked at before the estimate is raised. Ours.
const N_TICKS: u32 = 8;
/// A smaller error is not worth a correction. Ours.
const WORTH: Duration = Duration::from_millis(20);
/// The longest way of a reading (protocol 2.6).
const WAY_MAX: Duration = Duration::from_secs(1);

/// What one side's display tells of the fraction.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct SecondFraction {
    last: Option<Duration>,
    n_ticks: u32,
    /// Of the last ticks the smallest lag of the estimate behind the display.
    least: Option<Duration>,
}

impl SecondFraction {
    /// The best estimate after a reading: `estimated` was reckoned, `shown` is on the display.
    pub(super) fn correct(
        &mut self,
        estimated: Duration,
        shown: Duration,
        is_running: bool,
    ) -> Duration {
        let before = self.last.replace(shown);
        let way = if is_running { WAY_MAX } else { Duration::ZERO };
        let least = shown.saturating_sub(Duration::from_secs(1) + way);
        if estimated > shown || estimated < least {
            self.forget();
            return estimated.clamp(least, shown);
        }
        let has_ticked = before.is_some_and(|before| shown + Duration::from_secs(1) == before);
        if !has_ticked || !is_running {
            return estimated;
        }
        let lag = shown - estimated;
        self.least = Some(self.least.map_or(lag, |least| least.min(lag)));
        self.n_ticks += 1;
        if self.n_ticks < N_TICKS {
            return estimated;
        }
        let lag = self.least.unwrap_or_default();
        self.forget();
        if lag > WORTH { estimated + lag } else { estimated }
    }

    /// The estimate has changed for another reason.
    pub(super) fn forget(&mut self) {
        self.n_ticks = 0;
        self.least = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One that stands is right to the second; one that runs may have been long under way.
    #[test]
    fn an_estimate_stays_within_what_the_display_says() {
        let of = |ms: u64, is_running: bool| {
            let (estimated, shown) = (Duration::from_millis(ms), Duration::from_secs(10));
            SecondFraction::default().correct(estimated, shown, is_running).as_millis()
        };
        for (ms, standing, running) in [
            (10_400, 10_000, 10_000),
            (9_500, 9_500, 9_500),
            (8_500, 9_000, 8_500),
            (7_500, 9_000, 8_000),
        ] {
            assert_eq!((of(ms, false), of(ms, true)), (standing, running), "{ms} ms");
        }
    }

    /// The least lag of eight ticks is made good, if it is more than twenty milliseconds.
    #[test]
    fn an_estimate_is_raised_at_the_eighth_tick() {
        let last = |n_ticks: u64, lag: u64, least: u64| {
            let mut phase = SecondFraction::default();
            let mut raised = 0;
            for n in 0..=n_ticks {
                let shown = Duration::from_secs(100 - n);
                let estimated = shown - Duration::from_millis(if n == 3 { least } else { lag });
                let better = phase.correct(estimated, shown, true);
                raised = (better - estimated).as_millis();
            }
            raised
        };
        assert_eq!(last(7, 400, 400), 0, "one tick short");
        assert_eq!(last(8, 400, 400), 400);
        assert_eq!(last(8, 400, 150), 150, "the least of them");
        assert_eq!((last(8, 20, 20), last(8, 21, 21)), (0, 21));
        assert_eq!(last(9, 400, 400), 0, "then it begins anew");
    }
}
