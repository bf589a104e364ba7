//! How long hands take, and how sure of them the referee is.

use super::Scenario;
use rokade::game::settings::{ClockRole, Settle};
use rokade::laws::terms;
use std::time::Duration;

/// Steps in which a clock runs.
pub(super) const SECOND: Duration = Duration::from_secs(1);

/// What hands take between two events.
#[derive(Copy, Clone, Debug)]
pub(super) struct Pauses {
    /// After what a sensor tells, unless the scenario measures it.
    pub hand: Duration,
    /// After anything else.
    pub other: Duration,
    /// Nothing is taken to be by chance, and all is said at once.
    pub is_tidy: bool,
}

impl Pauses {
    /// Slow hands: whoever takes a piece holds it, what is put down has been released, and what is
    /// on the board stays there until it has been told.
    const REAL: Self =
        Self { hand: Duration::from_secs(6), other: Duration::from_secs(6), is_tidy: false };
    const TIDY: Self = Self { hand: SECOND, other: Duration::from_millis(200), is_tidy: true };

    pub(super) fn of(scenario: &Scenario) -> Self {
        if STILL_TIDY.contains(&scenario.id.as_str()) { Self::TIDY } else { Self::REAL }
    }

    pub(super) fn evidence(self) -> terms::Evidence {
        if self.is_tidy { terms::Evidence::TIDY } else { terms::Evidence::default() }
    }

    /// A clock whose readings stand while nothing happens is one that is driven.
    pub(super) fn clock_role(self) -> ClockRole {
        if self.is_tidy { ClockRole::Read } else { ClockRole::Driven }
    }

    pub(super) fn settle(self) -> Settle {
        let standard = Settle::default();
        let illegal_press = if self.is_tidy { Duration::ZERO } else { standard.illegal_press };
        Settle { illegal_press, ..standard }
    }
}

/// Scenarios whose expectations still ask for hands that do nothing by chance, which no board
/// has: each is to be brought to what ships. Decision 64.
const STILL_TIDY: &[&str] = &["4.3c-1", "4.4a-1", "4.4b-2", "4.4d-1", "6.6-5", "7.3-2"];
