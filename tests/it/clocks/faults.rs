//! What a line does to messages: some never come, some come late, some come twice.

use rokade::time::Mono;
use std::time::Duration;

/// How bad a line is, in percent of its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Badness {
    /// Messages that never arrive.
    pub(super) lost: u8,
    /// Messages that arrive twice.
    pub(super) twice: u8,
    /// The longest that one takes; each takes any time up to this.
    pub(super) late: Duration,
}

impl Badness {
    /// A line in order: nothing is lost, and all takes a tenth of a second at most.
    pub(super) const NONE: Self = Self { lost: 0, twice: 0, late: Duration::from_millis(100) };
}

/// One direction of a line with faults, from a seed. What arrives does so in the order in which it
/// was sent.
#[derive(Clone, Debug)]
pub(super) struct FaultyLine {
    badness: Badness,
    chance: fastrand::Rng,
    /// When the last one arrives.
    last: Mono,
}

impl FaultyLine {
    /// A line that is as bad as said.
    pub(super) fn new(badness: Badness, seed: u64) -> Self {
        Self { badness, chance: fastrand::Rng::with_seed(seed), last: Mono::default() }
    }

    /// From now on it is as bad as said.
    pub(super) fn set(&mut self, badness: Badness) {
        self.badness = badness;
    }

    /// When a message that is sent now arrives: never, once, or twice.
    pub(super) fn pass(&mut self, at: Mono) -> Vec<Mono> {
        let copies = match self.chance.u8(0..100) {
            n if n < self.badness.lost => 0,
            n if n < self.badness.lost.saturating_add(self.badness.twice) => 2,
            _ => 1,
        };
        let latest = u64::try_from(self.badness.late.as_micros()).unwrap_or(u64::MAX);
        let mut arrive = || {
            self.last = self.last.max(Mono(at.0 + self.chance.u64(0..=latest)));
            self.last
        };
        (0..copies).map(|_| arrive()).collect()
    }
}
