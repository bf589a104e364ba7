//! Brings the seconds of a clock that runs into step with those that are wanted.
//!
//! A clock is set in whole seconds, so one that is set at a press shows up to a second more than is
//! left. It is set once more at the moment at which what is wanted is a whole number of seconds.
//! Nobody sees that: the display changes as it would have.

use super::clock_wish::WantedTimes;
use crate::time::Mono;
use std::time::Duration;

/// A command that would leave later than this waits for the next second. Ours.
const LATE: Duration = Duration::from_millis(40);
/// In a long think it is done again this often: a crystal drifts, and a command may have been late.
/// Ours.
const AGAIN: Duration = Duration::from_secs(120);

/// When a clock is to be set once more, if it is.
#[derive(Debug, Copy, Clone, Default)]
pub(super) struct InStep {
    due: Option<Mono>,
}

impl InStep {
    /// When the clock is to be set once more.
    pub(super) const fn due(&self) -> Option<Mono> {
        self.due
    }

    /// The clock has been set to `times`, at any moment of a second.
    pub(super) fn is_set(&mut self, at: Mono, times: Option<&WantedTimes>) {
        self.due = times.and_then(|times| times.next_change(at));
    }

    /// It has been set at the right moment.
    pub(super) fn is_in_step(&mut self, at: Mono, times: Option<&WantedTimes>) {
        self.is_set(at + AGAIN, times);
    }

    /// The moment may have passed while another command was under way: there will be another.
    pub(super) fn go_on(&mut self, at: Mono, times: Option<&WantedTimes>) {
        if self.due.is_some_and(|due| at > due + LATE) {
            self.is_set(at, times);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Runs;

    const fn ms(ms: u64) -> Mono {
        Mono::from_millis(ms)
    }

    /// 9.3 s and 20.6 s, as they are at 5 s.
    fn times(runs: Runs) -> WantedTimes {
        let (left, right) = (Duration::from_millis(9_300), Duration::from_millis(20_600));
        WantedTimes { left, right, runs, turns_by_lever: false, since: ms(5_000) }
    }

    #[test]
    fn a_clock_is_set_again_when_whole_seconds_are_left_on_the_side_that_runs() {
        let rows = [
            (Runs::Left, 5_100, Some(5_300)),
            (Runs::Left, 5_300, Some(5_300)),
            (Runs::Left, 5_301, Some(6_300)),
            (Runs::Left, 14_300, None),
            (Runs::Right, 5_100, Some(5_600)),
            (Runs::Right, 14_300, Some(14_600)),
            (Runs::Both, 5_100, None),
            (Runs::Pause, 5_100, None),
        ];
        for (runs, at, due) in rows {
            let mut step = InStep::default();
            step.is_set(ms(at), Some(&times(runs)));
            assert_eq!(step.due(), due.map(ms), "{runs:?} at {at}");
        }
    }

    #[test]
    fn a_moment_that_has_passed_is_not_made_up_for() {
        let times = times(Runs::Right);
        let mut step = InStep::default();
        step.go_on(ms(9_000), Some(&times));
        assert_eq!(step.due(), None, "it was never set");
        step.is_set(ms(5_100), Some(&times));
        step.go_on(ms(5_640), Some(&times));
        assert_eq!(step.due(), Some(ms(5_600)), "nobody sees that it is late");
        step.go_on(ms(5_641), Some(&times));
        assert_eq!(step.due(), Some(ms(6_600)));
        step.is_set(ms(6_000), None);
        assert_eq!(step.due(), None);
    }

    #[test]
    fn in_a_long_think_it_is_done_again_now_and_then() {
        let right = Duration::from_millis(600_600);
        let times = WantedTimes { right, ..times(Runs::Right) };
        let mut step = InStep::default();
        step.is_in_step(ms(5_600), Some(&times));
        assert_eq!(step.due(), Some(ms(125_600)));
    }
}
