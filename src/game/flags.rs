//! Flags by the clock behind the board: a time that has come to zero and stays there.

use super::entry::Fact;
use super::machine::{Game, end_of};
use super::timers::Timer;
use crate::laws::Told;
use crate::time::Mono;
use crate::wire::{self, ClockTime};
use shakmaty::{ByColor, Color};
use std::time::Duration;

/// A clock that shows zero and says nothing of a flag may be about to add the time of the next
/// period. Ours: it would do so at once.
const ZERO_LASTS: Duration = Duration::from_secs(2);

/// What the clock has shown of the flags in this game.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Flags {
    /// Since when a time is zero.
    zero_since: ByColor<Option<Mono>>,
    is_told: ByColor<bool>,
}

impl Game {
    /// A reading of the clock may show that a flag is down.
    pub(super) fn watch_flags(&mut self, now: Mono, time: &ClockTime) {
        for end in [wire::End::Left, wire::End::Right] {
            let (side, color) = (time.side(end), self.clock.color(end_of(end)));
            let flags = &mut self.flags;
            if side.seconds != 0 {
                flags.zero_since[color] = None;
                flags.is_told[color] = false;
            } else if !flags.is_told[color] {
                let since = *flags.zero_since[color].get_or_insert(now);
                let due = if side.flag_blocked { now } else { since + ZERO_LASTS };
                self.timers.set(Timer::Flag, due);
            }
        }
    }

    /// What has been at zero for long enough is a flag. Both at once were set so, not used up.
    pub(super) fn tell_flags(&mut self, now: Mono) {
        let ByColor { white, black } = self.flags.zero_since;
        let is_reset = white.is_some() && white == black;
        let may_fall = self.play.is_some() && self.clock.has_run() && !self.is_over() && !is_reset;
        for side in Color::ALL.into_iter().filter(|_| may_fall) {
            let is_down = self.flags.zero_since[side].is_some();
            if is_down && !std::mem::replace(&mut self.flags.is_told[side], true) {
                self.facts.push(Fact::Flag { side: Some(side) });
                self.tell(now, &Told::Flag(side));
            }
        }
    }
}
