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
