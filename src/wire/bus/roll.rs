//! A call to all who are on a line. Each answers at a random moment, and answers that meet spoil
//! each other: so all are called more than once.

use crate::time::Mono;
use std::collections::BTreeSet;
use std::time::Duration;

/// Pings for all are answered within 1100 ms (protocol 4.3).
const WINDOW: Duration = Duration::from_millis(1_200);
/// All are called so often,
const N_CALLS: u32 = 2;
/// and before they are followed up to so often, as long as answers meet: of forty boards one in
/// three spoils another's. Ours.
const N_CALLS_MOST: u32 = 4;

/// All are called, and answer.
#[derive(Debug, Clone, Default)]
pub(super) struct RollCall {
    /// All may answer until then.
    pub(super) until: Mono,
    n_calls: u32,
    n_calls_most: u32,
    /// Answers to the last call have met.
    has_met: bool,
    /// Who has answered to the last call.
    answered: Vec<u16>,
    /// Who has answered to any.
    there: BTreeSet<u16>,
    /// Who has answered twice to one.
    doubled: BTreeSet<u16>,
}

impl RollCall {
    /// The first call before anybody is followed.
    pub(super) fn at_opening(now: Mono) -> Self {
        Self { n_calls_most: N_CALLS_MOST, ..Self::amid_play(now) }
    }

    /// The first call while boards are followed, which wait for it to end.
    pub(super) fn amid_play(now: Mono) -> Self {
        Self { until: now + WINDOW, n_calls: 1, n_calls_most: N_CALLS, ..Self::default() }
    }

    /// A board answers.
    pub(super) fn hear(&mut self, address: u16) {
        if self.answered.contains(&address) {
            self.doubled.insert(address);
        }
        self.answered.push(address);
        self.there.insert(address);
    }

    /// Something came that is no answer.
    pub(super) fn note_hurt(&mut self) {
        self.has_met = true;
    }

    /// All who could answer have. True if all are called once more.
    pub(super) fn goes_on(&mut self, now: Mono) -> bool {
        let n_wanted = if self.has_met { self.n_calls_most } else { N_CALLS };
        if self.n_calls >= n_wanted {
            return false;
        }
        self.until = now + WINDOW;
        self.n_calls += 1;
        self.has_met = false;
        self.answered.clear();
        true
    }

    /// Who is there, and who has an address together with another one.
    pub(super) fn found(self) -> (BTreeSet<u16>, BTreeSet<u16>) {
        (self.there, self.doubled)
    }
}
