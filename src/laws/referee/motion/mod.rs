//! What hands do with the pieces: the life of a move, from touch to press, and what breaks the
//! Laws on the way. All editions: Art. 4, 7.4 (7.5).

mod blind;
mod evidence;
mod illegal;
mod judge;
mod press;
mod release;
mod turn;

pub(super) use illegal::{answers_illegal, illegal_stands, is_handed_back};
pub(super) use judge::displaced;

use super::super::said::Binding;
use super::super::touch::Touches;
use super::super::why::Attempt;
use super::context::Context;
use super::matter::{Beyond, Breach};
use shakmaty::{Bitboard, Color, Move, Position, Role, Square};
use turn::{OnBoard, Turn};

/// Whether a clock was pressed on what is judged.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// The piece has been at rest.
    Rest,
    /// The clock was pressed: whatever stands is meant.
    Press,
    /// The record asks, although nobody pressed.
    Called,
    /// The record has found an illegal move that stands, although nobody pressed.
    Stands,
}

/// Whose hand is at the board, as others know.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Hand {
    /// A player's, who plays.
    Plays,
    /// A player's, whose move is for the envelope.
    Seals,
    /// Nobody's that plays: the clocks stand, or the envelope is closed.
    Idle,
}

/// Breaches are counted by themselves, from here on: they come and go with what hands do, and the
/// numbers of matters, which orders on record name, do not shift with them.
const BREACHES_FROM: u32 = 1_001;

/// What the players do with the pieces.
#[derive(Clone, Debug, Default)]
pub(super) struct Motion {
    turn: Turn,
    /// That before the half-move made last, which may yet be withdrawn.
    before: Option<Box<Turn>>,
    /// The half-move that was told last as one that answers a move before its press.
    replied: Option<usize>,
    /// Breaches of Article 4 by the player who moved last.
    breaches: Vec<Breach>,
    /// How many breaches there were.
    n_breaches: u32,
    /// Who pressed on a move that other pieces in disorder still hide.
    pressed_early: Option<Color>,
    /// The half-move whose piece stood beyond its move when it was answered, and where to. The
    /// record says whether that was played.
    answered: Option<(usize, Attempt)>,
}

impl Motion {
    /// What the player who is to move is bound to from before, if to anything.
    pub(super) fn carried(&self) -> Option<&Binding> {
        self.turn.carried.as_ref()
    }

    /// The player who is to move is bound to this besides what he did before.
    pub(super) fn carry(&mut self, binding: Option<Binding>) {
        if binding.is_some() {
            self.turn.carried = binding;
        }
    }

    /// The turn begins anew: what was done so far does not count.
    pub(super) fn begin_turn(&mut self) {
        self.turn = Turn::default();
    }

    /// The turn begins anew, and nobody may claim how an earlier move was made.
    pub(super) fn begin_anew(&mut self) {
        self.begin_turn();
        self.breaches.clear();
    }

    /// What was shown while the clock stood was no play; what binds from before binds.
    pub(super) fn forget_shown(&mut self) {
        self.turn = Turn { carried: self.turn.carried.take(), ..Turn::default() };
    }

    /// The moves on record are others, or more: of those that there are now. Where the last one
    /// was taken back after its piece was released, the player is bound to it; if he has pressed
    /// since, that was for no move.
    pub(super) fn follow(&mut self, cx: &mut Context) {
        let n_plies = cx.game.len();
        let is_back = |breach: &&Breach| {
            let is_at = |beyond: &Beyond| beyond.tried.is_none();
            breach.ply == n_plies && breach.beyond.as_ref().is_some_and(is_at)
        };
        let back = self.breaches.iter().find(is_back).cloned();
        self.breaches.retain(|breach| breach.first.is_none() && breach.ply < n_plies);
        self.answered = None;
        let touches = std::mem::take(&mut self.turn.touches).begun(cx.game.last());
        let presser = back.as_ref().filter(|breach| breach.is_pressed).map(|breach| breach.by);
        let released = back.map(|breach| breach.binding);
        self.turn = Turn { touches, released, ..Turn::default() };
        if let Some(by) = presser.filter(|_| cx.shows(cx.game.last().board())) {
            self.press_without_move(cx, by);
        }
    }

    /// Nothing was touched so far.
    pub(super) fn clear_touches(&mut self) {
        self.turn.touches.clear();
    }

    /// The piece on `sq` was not touched.
    pub(super) fn forget_touch(&mut self, sq: Square) {
        self.turn.touches.forget(sq);
    }

    /// The board shows what was demanded of it.
    pub(super) fn restored(&mut self) {
        self.turn.touches.clear();
        self.turn.on_board = None;
        self.turn.was_illegal = false;
    }

    pub(super) fn touches(&self) -> &Touches {
        &self.turn.touches
    }

    /// The squares whose sensors stirred on this turn.
    pub(super) fn stirred(&self) -> Bitboard {
        self.turn.stirred
    }

    /// What stands illegally, as was noted.
    pub(super) fn on_board(&self) -> Option<OnBoard> {
        self.turn.on_board
    }

    /// Whether the player who is to move was seen to release a piece and take it back.
    pub(super) fn has_taken_back(&self) -> bool {
        matches!(self.turn.released, Some(Binding::Destination(_)))
    }

    /// The promotion that stands on the board, which is not on record yet: its choice is final.
    /// 4.4d (4.4.4).
    pub(super) fn promoted(&self) -> Option<Move> {
        self.turn.release.as_ref().map(|release| release.m).filter(|m| m.is_promotion())
    }

    /// Where a pawn was released whose promotion is not finished, and for which piece.
    pub(super) fn promotes(&self) -> Option<(Square, Option<Role>)> {
        match self.turn.released {
            Some(Binding::Promote(sq, role)) => Some((sq, role)),
            _ => None,
        }
    }

    pub(super) fn adjust(&mut self) {
        self.turn.is_adjusting = true;
    }

    pub(super) fn announce(&mut self, m: Option<Move>) {
        self.turn.announced = m;
    }

    pub(super) fn announce_castling(&mut self) {
        self.turn.castling_announced = true;
    }

    /// Whether the piece of a promotion was named.
    pub(super) fn has_named(&self) -> bool {
        self.turn.promotes_to.is_some()
    }

    pub(super) fn promote_to(&mut self, role: Role) {
        self.turn.promotes_to = Some(role);
    }

    /// Who pressed on a move that other pieces in disorder hid; that is answered once.
    pub(super) fn take_early(&mut self) -> Option<Color> {
        self.pressed_early.take()
    }

    /// Whether it was noted that the clock was not pressed on the last move.
    pub(super) fn is_not_pressed_noted(&self) -> bool {
        self.turn.not_pressed_noted
    }

    pub(super) fn note_not_pressed(&mut self) {
        self.turn.not_pressed_noted = true;
    }

    /// The breaches of Article 4 that may be claimed, in their order.
    pub(super) fn breaches(&self) -> impl DoubleEndedIterator<Item = &Breach> {
        self.breaches.iter()
    }

    /// The number of a breach that comes up.
    fn next_breach(&mut self) -> u32 {
        self.n_breaches += 1;
        BREACHES_FROM - 1 + self.n_breaches
    }

    /// The breach of this number.
    pub(super) fn breach(&self, number: Option<u32>) -> Option<&Breach> {
        self.breaches.iter().find(|breach| Some(breach.number) == number)
    }

    /// Takes out the breach of this number: it is none any more.
    pub(super) fn take_breach(&mut self, number: Option<u32>) -> Option<Breach> {
        let idx = self.breaches.iter().position(|breach| Some(breach.number) == number)?;
        Some(self.breaches.remove(idx))
    }

    /// The breach that is ruled upon next.
    pub(super) fn last_breach(&self) -> Option<&Breach> {
        self.breaches.last()
    }

    /// The last breach is none any more.
    pub(super) fn drop_breach(&mut self) -> Option<Breach> {
        self.breaches.pop()
    }

    /// How half-move `ply` was made is decided.
    pub(super) fn drop_breaches_of(&mut self, ply: usize) {
        self.breaches.retain(|known| known.ply != ply);
    }

    /// Half-move `n` and what came after it was taken back, with the breaches that came with it.
    pub(super) fn drop_breaches_from(&mut self, n: usize) {
        self.breaches.retain(|breach| breach.ply < n);
    }

    /// Whether the move made last ends the game only if nobody claims how it was made. A piece
    /// that was exchanged for another one is none that the pawn became, in any edition.
    pub(super) fn is_end_open(&self, cx: &Context) -> bool {
        let n = cx.game.len();
        let ends_if_kept = cx.terms.ends_if_kept();
        self.breaches.iter().any(|breach| {
            let is_open = ends_if_kept || matches!(breach.binding, Binding::Promote(_, Some(_)));
            breach.ply + 1 == n && is_open && !breach.is_doubtful
        })
    }
}
