//! Scans that come late: they are counted, and told of now and then.

use crate::time::Mono;
use std::fmt;
use std::time::Duration;

/// Between two sentences about it.
const TOLD_EVERY: Duration = Duration::from_secs(60);

/// Counts late scans.
#[derive(Clone, Debug)]
pub(super) struct Late {
    period: Duration,
    /// Since this is told next.
    since: Option<Mono>,
    n_scans: u64,
    n_late: u64,
    worst: Duration,
}

/// How many scans were late.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LateTally {
    n_late: u64,
    n_scans: u64,
    worst: Duration,
}

impl fmt::Display for LateTally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { n_late, n_scans, worst } = self;
        let ms = worst.as_millis();
        write!(f, "of {n_scans} scans of the matrix {n_late} came late, by {ms} ms at the most")
    }
}

impl Late {
    /// A scan is due after each `period`, and late if it comes after the next one was due.
    pub(super) fn new(period: Duration) -> Self {
        Self { period, since: None, n_scans: 0, n_late: 0, worst: Duration::ZERO }
    }

    /// A scan that was `due` then comes at `at`. What is to be told of those so far, if anything.
    pub(super) fn note(&mut self, at: Mono, due: Mono) -> Option<LateTally> {
        let since = *self.since.get_or_insert(at);
        self.n_scans += 1;
        let by = at.since(due);
        if by > self.period {
            self.n_late += 1;
            self.worst = self.worst.max(by);
        }
        if at.since(since) < TOLD_EVERY {
            return None;
        }
        let Self { n_late, n_scans, worst, .. } = *self;
        *self = Self { since: Some(at), ..Self::new(self.period) };
        (n_late > 0).then_some(LateTally { n_late, n_scans, worst })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_scans_are_told_once_a_minute() {
        let mut late = Late::new(Duration::from_millis(5));
        let at = Mono::from_millis;
        assert_eq!(late.note(at(0), at(0)), None);
        assert_eq!(late.note(at(9), at(5)), None);
        assert_eq!(late.note(at(40), at(10)), None);
        let told = late.note(at(60_000), at(60_000)).expect("a minute is over");
        let text = "of 4 scans of the matrix 1 came late, by 30 ms at the most";
        assert_eq!(told.to_string(), text);
        assert_eq!(late.note(at(130_000), at(130_000)), None);
    }
}
