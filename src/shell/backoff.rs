//! How long to wait before what failed is tried again.

use std::time::Duration;

/// Waits that double, from the first up to the longest.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Backoff {
    first: Duration,
    longest: Duration,
    next: Duration,
}

impl Backoff {
    /// Waits `first` after the first failure, and never longer than `longest` after later ones.
    #[must_use]
    pub const fn new(first: Duration, longest: Duration) -> Self {
        Self { first, longest, next: first }
    }

    /// The longest wait.
    pub const fn longest(&self) -> Duration {
        self.longest
    }

    /// How long to wait after another failure.
    pub fn wait(&mut self) -> Duration {
        let wait = self.next;
        self.next = (wait * 2).min(self.longest);
        wait
    }

    /// It has not failed: the next failure counts as the first.
    pub const fn reset(&mut self) {
        self.next = self.first;
    }
}
