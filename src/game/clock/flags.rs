//! Flags by the clock behind the board: a time that has come to zero and stays there.

use crate::clock::Reader;
use crate::time::Mono;
use crate::wire::ClockTime;
use shakmaty::{ByColor, Color};
use std::time::Duration;

/// A clock that shows zero and says nothing of a flag may be about to add the time of the next
/// period. Ours: it would do so at once.
const ZERO_LASTS: Duration = Duration::from_secs(2);

/// What the clock has shown of the flags in this game.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct ShownFlags {
    /// Since when a time is zero.
    zero_since: ByColor<Option<Mono>>,
    is_told: ByColor<bool>,
    /// When one of them has been so for long enough.
    due: Option<Mono>,
}

impl ShownFlags {
    /// A reading of the clock may show that a flag is down.
    pub(super) fn watch(&mut self, now: Mono, time: &ClockTime, reader: &Reader) {
        for end in [crate::table::End::Left, crate::table::End::Right] {
            let (side, color) = (time.side(end), reader.color(end));
            if side.seconds != 0 {
                self.zero_since[color] = None;
                self.is_told[color] = false;
            } else if !self.is_told[color] {
                let since = *self.zero_since[color].get_or_insert(now);
                self.due = Some(if side.flag_blocked { now } else { since + ZERO_LASTS });
            }
        }
    }

    pub(super) const fn due(&self) -> Option<Mono> {
        self.due
    }

    /// Whose flag is down, once: a time has been at zero for long enough. Both at once were set so,
    /// not used up; nor does a flag fall unless one `may_fall`.
    pub(super) fn fallen(&mut self, now: Mono, may_fall: bool) -> Vec<Color> {
        if self.due.take_if(|due| *due <= now).is_none() {
            return Vec::new();
        }
        let ByColor { white, black } = self.zero_since;
        let is_reset = white.is_some() && white == black;
        let is_down = |side: &Color| {
            let is_zero = may_fall && !is_reset && self.zero_since[*side].is_some();
            is_zero && !std::mem::replace(&mut self.is_told[*side], true)
        };
        Color::ALL.into_iter().filter(is_down).collect()
    }
}
