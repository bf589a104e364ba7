//! A dump of the whole board is evidence and not the truth: a stray byte shifts all that follows
//! it. One that cannot be, or that is far from what was known, is asked for again before it changes
//! anything; it is believed when the next one says the same.

use super::entry::LinkState;
use super::machine::Game;
use crate::time::Mono;
use crate::wire::{Code, Dump};
use shakmaty::{Color, Role};

/// Messages that get lost on a line that is up change so few fields, at the most.
const NEAR: usize = 4;
/// Hands change so many while a line is down for a while; more are looked at twice.
const NEAR_AFTER_GAP: usize = 12;
/// Two dumps that differ in so many fields at the most say the same: play goes on between them.
const AGREE: usize = 2;
/// Pieces of both colors.
const PIECES_MAX: usize = 32;

impl Game {
    /// Whether `dump` may change what is believed. If not, the board is asked again.
    pub(super) fn is_believed(&mut self, now: Mono, dump: &Dump) -> bool {
        let is_near = |other: &Dump, n| differs(dump, other) <= n;
        let doubted = self.doubted.take();
        let is_whole = self.link == LinkState::Live && !self.is_blind && !self.has_gap;
        let near = if is_whole { NEAR } else { NEAR_AFTER_GAP };
        // Before a game is on, and after it, boards are set up and swept clear.
        let is_known = self.play.is_some() && !self.is_over() && self.has_dumped;
        let is_likely = !is_known || can_be(dump) && is_near(&self.fields, near);
        if is_likely || doubted.is_some_and(|before| is_near(&before, AGREE)) {
            self.has_dumped = true;
            return true;
        }
        self.doubted = Some(Box::new(dump.clone()));
        self.session.want_dump(now, &mut self.commands);
        false
    }
}

fn differs(a: &Dump, b: &Dump) -> usize {
    a.0.iter().zip(&b.0).filter(|(a, b)| a != b).count()
}

/// Whether the pieces may be those of a game: one king each, and no more than there are.
fn can_be(dump: &Dump) -> bool {
    let count = |color, role| dump.0.iter().filter(|code| code.is(color, role)).count();
    let has_one_king = |color| count(color, Role::King) <= 1;
    let n = dump.0.iter().filter(|code| **code != Code::Empty).count();
    n <= PIECES_MAX && Color::ALL.into_iter().all(has_one_king)
}
