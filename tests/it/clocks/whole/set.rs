//! A clock that the arbiter has set, and sets.

use super::up;
use rokade::clock::ClockModel;
use rokade::table::End;
use rokade::time::Mono;
use rokade::wire::{ClockTime, SideTime};
use shakmaty::Color;

/// A clock that runs by a program of its own.
pub(super) struct Set {
    pub(super) truth: ClockModel,
    /// Its second in microseconds of the world.
    pub(super) second: u64,
    pub(super) is_turned: bool,
    pub(super) turn: Color,
    pub(super) is_battery_low: bool,
}

impl Set {
    pub(super) fn own(&self, now: Mono) -> Mono {
        Mono(
            u64::try_from(u128::from(now.0) * 1_000_000 / u128::from(self.second)).expect("a time"),
        )
    }

    pub(super) fn time(&self, now: Mono) -> ClockTime {
        let times = self.truth.times(self.own(now));
        let white = if self.is_turned { End::Right } else { End::Left };
        let side = |color| SideTime::of_seconds(up(*times.get(color)));
        let of_end = |end| if end == white { side(Color::White) } else { side(Color::Black) };
        ClockTime {
            left: of_end(End::Left),
            right: of_end(End::Right),
            running: self.truth.running().is_some(),
            high: if self.turn == Color::White { white } else { white.other() },
            battery_low: self.is_battery_low,
        }
    }
}
