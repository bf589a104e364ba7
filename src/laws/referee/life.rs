//! Dead positions are looked for between events, so that no event waits for them.
//! All editions: Art. 5.2b, 9.6 (from 2018: 5.2.2).

use super::super::code::Code;
use super::super::dead::{self, CanMate};
use super::super::score::Score;
use super::context::Context;
use crate::time::Mono;
use shakmaty::{Chess, Color, Position};
use std::time::Duration;

/// How long after a move the look is due.
const AFTER: Duration = Duration::from_millis(1);
/// Positions that are looked at for each side. Of 190,000 questions about walls of pawns and games
/// of random moves none was answered with no by looking at more.
const LOOK: u32 = 100;

/// Positions with more men are not looked at.
const MEN_MAX: usize = 22;
/// So few replies may force what kills a position.
const FEW_REPLIES: usize = 3;

/// Whether there is any life in the position.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Liveness {
    due: Option<Mono>,
    /// The position after so many half-moves is proven to be dead.
    dead_after: Option<usize>,
}

impl Liveness {
    /// When the look is due.
    pub(super) fn due_at(&self) -> Option<Mono> {
        self.due
    }

    /// Nothing is looked for any more. What was found so far stands.
    pub(super) fn stop(&mut self) {
        self.due = None;
    }

    /// Whether the position after the last of `n` half-moves is proven to be dead.
    pub(super) fn is_dead_after(&self, n: usize) -> bool {
        self.dead_after == Some(n)
    }

    /// A move was made: whether the position is dead will be found out, where it may have become
    /// so. A move that can be taken back by playing on does not kill a position, unless it leaves
    /// hardly any reply; nor is one dead with this many men.
    pub(super) fn begin(&mut self, cx: &Context) {
        let pos = cx.game.last();
        let is_irreversible = pos.halfmoves() == 0;
        let is_forcing = pos.legal_moves().len() <= FEW_REPLIES;
        let may_be = pos.board().occupied().count() <= MEN_MAX && (is_irreversible || is_forcing);
        self.due = may_be.then(|| cx.now + AFTER);
        self.dead_after = None;
    }

    pub(super) fn watch(&mut self, cx: &mut Context, is_end_open: bool) {
        if cx.is_over() || self.due.take_if(|due| *due <= cx.now).is_none() {
            return;
        }
        let is_legal = cx.game.last_ply().is_some_and(|ply| !ply.is_illegal);
        let cannot_mate = |by| dead::can_mate(cx.game.last(), by, LOOK) == CanMate::No;
        if is_legal && Color::ALL.into_iter().all(cannot_mate) {
            self.dead_position(cx, is_end_open);
        }
    }

    /// It is proven; but a game that began in a dead position was not ended by a move.
    pub(super) fn dead_position(&mut self, cx: &mut Context, is_end_open: bool) {
        let Some(idx) = cx.game.len().checked_sub(1) else { return };
        let was_dead = dead::life(cx.game.before_last(), dead::BUDGET) == dead::Life::Dead;
        if was_dead || is_end_open || cx.is_over() || cx.matters.flag_seen().is_some() {
            return;
        }
        if !cx.game.is_final() {
            self.dead_after = Some(cx.game.len());
            return;
        }
        if cx.game.last_ply().is_some_and(|ply| !ply.is_completed) {
            cx.complete_last(idx);
        }
        cx.finish(Code::DeadPosition, Score::DRAW, "dead position");
    }
}

/// Whether `side` cannot mate in `pos` by any series of legal moves. What is not proven counts as
/// possible.
pub(super) fn cannot_mate(pos: &Chess, side: Color) -> bool {
    dead::can_mate(pos, side, dead::BUDGET) == CanMate::No
}

/// Whether it is not proven either way that `side` can mate in `pos`.
pub(super) fn is_mate_undecided(pos: &Chess, side: Color) -> bool {
    dead::can_mate(pos, side, dead::BUDGET) == CanMate::Undecided
}
