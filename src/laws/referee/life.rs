//! Dead positions are looked for in small steps between events, so that no event waits for them.
//! All editions: Art. 5.2b, 9.6 (from 2018: 5.2.2).

use super::super::code::Code;
use super::super::dead::{self, Answer, Search};
use super::super::score::Score;
use super::Referee;
use crate::time::Mono;
use shakmaty::{Chess, Color, Position};
use std::time::Duration;

/// Between two steps.
const STEP_EVERY: Duration = Duration::from_millis(1);
/// Positions that one step looks at: an event waits for no more.
const STEP: u32 = 100;

/// Positions with more men are not looked at.
const MEN_MAX: usize = 22;
/// So few replies may force what kills a position.
const FEW_REPLIES: usize = 3;

/// The search for a mate of either side after the last move.
#[derive(Clone, Debug)]
pub(super) struct Doubt {
    searches: [Option<Search>; 2],
    next: usize,
    pub due: Mono,
    n_left: u32,
}

impl Referee {
    /// A move was made: whether the position is dead will be found out, where it may have become
    /// so. A move that can be taken back by playing on does not kill a position, unless it leaves
    /// hardly any reply; nor is one dead with this many men.
    pub(super) fn doubt(&mut self) {
        let pos = self.cx.game.last();
        let is_irreversible = pos.halfmoves() == 0;
        let is_forcing = pos.legal_moves().len() <= FEW_REPLIES;
        self.doubt = None;
        self.dead_after = None;
        if pos.board().occupied().count() > MEN_MAX || !is_irreversible && !is_forcing {
            return;
        }
        let due = self.cx.now + STEP_EVERY;
        self.doubt = Some(Doubt { searches: [None, None], next: 0, due, n_left: dead::BUDGET });
    }

    /// A copy who can be asked what he would say. He does not look for dead positions, and so costs
    /// little.
    pub fn without_search(&mut self) -> Self {
        let doubt = self.doubt.take();
        let copy = self.clone();
        self.doubt = doubt;
        copy
    }

    pub(super) fn watch_life(&mut self) {
        if self.cx.is_over() || self.doubt.as_ref().is_none_or(|doubt| doubt.due > self.cx.now) {
            return;
        }
        let pos = self.cx.game.last().clone();
        let is_illegal = self.cx.game.last_ply().is_none_or(|ply| ply.is_illegal);
        let Some(mut doubt) = self.doubt.take().filter(|_| !is_illegal) else { return };
        let by = [Color::White, Color::Black][doubt.next];
        let search = doubt.searches[doubt.next].get_or_insert_with(|| Search::new(&pos, by));
        match search.run(STEP) {
            Answer::Yes(_) => {}
            Answer::No if doubt.next == 0 => {
                doubt.next = 1;
                doubt.due = self.cx.now + STEP_EVERY;
                self.doubt = Some(doubt);
            }
            Answer::No => self.dead_position(),
            Answer::Undecided if doubt.n_left > STEP => {
                doubt.n_left -= STEP;
                doubt.due = self.cx.now + STEP_EVERY;
                self.doubt = Some(doubt);
            }
            Answer::Undecided => {}
        }
    }

    /// It is proven; but a game that began in a dead position was not ended by a move.
    pub(super) fn dead_position(&mut self) {
        let Some(idx) = self.cx.game.len().checked_sub(1) else { return };
        let was_dead = dead::life(self.cx.game.before_last(), dead::BUDGET) == dead::Life::Dead;
        if was_dead
            || self.is_end_open()
            || self.cx.is_over()
            || self.cx.matters.flag_seen().is_some()
        {
            return;
        }
        if !self.cx.game.is_final() && !self.cx.is_tidy() {
            self.dead_after = Some(self.cx.game.len());
            return;
        }
        if self.cx.game.last_ply().is_some_and(|ply| !ply.is_completed) {
            self.cx.complete_last(idx);
        }
        self.cx.finish(Code::DeadPosition, Score::DRAW, "dead position");
    }
}

/// Whether `side` cannot mate in `pos` by any series of legal moves. What is not proven counts as
/// possible.
pub(super) fn cannot_mate(pos: &Chess, side: Color) -> bool {
    dead::can_mate(pos, side, dead::BUDGET) == Answer::No
}

/// Whether it is not proven either way that `side` can mate in `pos`.
pub(super) fn is_mate_undecided(pos: &Chess, side: Color) -> bool {
    dead::can_mate(pos, side, dead::BUDGET) == Answer::Undecided
}
