//! The moves as the Laws see them: made, completed, standing although illegal.

use crate::table::defaults;
use crate::time::Mono;
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::{
    CastlingMode, Chess, Color, EnPassantMode, FromSetup, Move, Position, PositionError,
};
use std::num::NonZeroU32;

/// One half-move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PastPly {
    pub m: Move,
    pub by: Color,
    /// In PGN's notation.
    pub san: String,
    pub uci: String,
    /// The move number as the record has it.
    pub no: u32,
    pub made: Mono,
    pub is_completed: bool,
    /// The Laws do not allow it.
    pub is_illegal: bool,
    /// A draw was offered with it.
    pub has_offer: bool,
    pub is_capture: bool,
}

/// A stretch whose half-moves nobody knows.
#[derive(Clone, Debug)]
struct UnseenStretch {
    /// Half-moves before it.
    ply: usize,
    /// The position after those. The one that the game goes on from stands in its place.
    before: Chess,
}

impl UnseenStretch {
    /// How many half-moves of `color` it has until `adopted`, by the numbers of the moves: as many
    /// as is likely.
    fn n_of(&self, adopted: &Chess, color: Color) -> u32 {
        let n_made = |pos: &Chess| {
            pos.fullmoves().get() + u32::from(color.is_white() && pos.turn().is_black())
        };
        n_made(adopted).saturating_sub(n_made(&self.before))
    }
}

defaults! {
    /// The half-moves since the start, and every position between them.
    #[derive(Clone, Debug)]
    pub(super) struct History {
        given {
            positions: Vec<Chess>,
            mode: CastlingMode,
        }
        plies: Vec<PastPly>,
        /// In their order; at most one after the same half-move.
        gaps: Vec<UnseenStretch>,
        /// What was played before the start nobody knows.
        is_joined: bool,
        /// The first position that counts for repetition: what stands by an illegal move begins
        /// anew.
        counts_from: usize,
        /// So many half-moves stand on record for good.
        n_final: usize,
        /// What is added to the numbers of later moves.
        shift: i64,
    }
}

impl History {
    pub(super) fn new(start: Chess, mode: CastlingMode) -> Self {
        Self::begin(vec![start], mode)
    }

    pub(super) fn mode(&self) -> CastlingMode {
        self.mode
    }

    pub(super) fn plies(&self) -> &[PastPly] {
        &self.plies
    }

    pub(super) fn last_ply(&self) -> Option<&PastPly> {
        self.plies.last()
    }

    pub(super) fn len(&self) -> usize {
        self.plies.len()
    }

    /// The position after `n` half-moves.
    pub(super) fn position(&self, n: usize) -> &Chess {
        &self.positions[n.min(self.plies.len())]
    }

    pub(super) fn last(&self) -> &Chess {
        self.positions.last().expect("a history has its start")
    }

    /// The position before the last half-move; the start if there is none.
    pub(super) fn before_last(&self) -> &Chess {
        self.position(self.plies.len().saturating_sub(1))
    }

    pub(super) fn fen(&self, n: usize) -> String {
        fen_of(self.position(n))
    }

    /// The number of the next move.
    pub(super) fn next_no(&self) -> u32 {
        let plain = i64::from(self.last().fullmoves().get());
        u32::try_from(plain + self.shift).unwrap_or(1)
    }

    /// The next move has number `no`.
    pub(super) fn renumber(&mut self, no: u32) {
        self.shift = i64::from(no) - i64::from(self.last().fullmoves().get());
    }

    /// How many half-moves of `color` are completed, with as many unseen ones as are likely.
    pub(super) fn completed(&self, color: Color) -> u32 {
        self.count(color, |ply| ply.is_completed)
    }

    /// How many half-moves of `color` are made, with as many unseen ones as are likely.
    pub(super) fn made(&self, color: Color) -> u32 {
        self.count(color, |ply| !ply.is_illegal)
    }

    fn count(&self, color: Color, counts: impl Fn(&PastPly) -> bool) -> u32 {
        let is_it = |ply: &&PastPly| ply.by == color && counts(ply);
        let n = u32::try_from(self.plies.iter().filter(is_it).count()).unwrap_or(u32::MAX);
        let unseen = self.gaps.iter().map(|gap| gap.n_of(&self.positions[gap.ply], color));
        n.saturating_add(unseen.sum())
    }

    /// What was played before the start nobody knows.
    pub(super) fn set_joined(&mut self) {
        self.is_joined = true;
    }

    /// After how many half-moves come some that nobody knows, and from where the game goes on.
    pub(super) fn gaps(&self) -> impl Iterator<Item = (usize, &Chess)> {
        self.gaps.iter().map(|gap| (gap.ply, &self.positions[gap.ply]))
    }

    /// From which position the game goes on where nobody knows what came after `n` half-moves.
    pub(super) fn adopted(&self, n: usize) -> Option<&Chess> {
        self.gaps().find(|(ply, _)| *ply == n).map(|(_, adopted)| adopted)
    }

    /// What comes after the last half-move nobody knows; the game goes on from `adopted`.
    pub(super) fn open_gap(&mut self, adopted: Chess) {
        self.close_gap();
        let ply = self.len();
        let before = std::mem::replace(&mut self.positions[ply], adopted);
        self.gaps.push(UnseenStretch { ply, before });
    }

    /// What comes after the last half-move is known.
    pub(super) fn close_gap(&mut self) {
        let ply = self.len();
        if let Some(gap) = self.gaps.pop_if(|gap| gap.ply == ply) {
            self.positions[ply] = gap.before;
        }
    }

    /// Whether `pos`, which `n` half-moves led to, may have stood while nobody looked, or moves
    /// without progress were made then that count: nothing irreversible was played since.
    pub(super) fn may_have_stood_unseen(&self, pos: &Chess, n: usize) -> bool {
        let first = self.is_joined.then_some(0);
        let last = self.gaps.last().map(|gap| gap.ply).or(first);
        let n_quiet = usize::try_from(pos.halfmoves()).unwrap_or(usize::MAX);
        last.is_some_and(|ply| ply >= self.counts_from && n - ply <= n_quiet)
    }

    pub(super) fn push(&mut self, m: Move, made: Mono, is_illegal: bool) -> &PastPly {
        let before = self.last().clone();
        let mut after = before.clone();
        let san = if is_illegal {
            after.play_unchecked(m);
            m.to_string()
        } else {
            SanPlus::from_move_and_play_unchecked(&mut after, m).to_string()
        };
        let ply = PastPly {
            m,
            by: before.turn(),
            san,
            uci: m.to_uci(self.mode).to_string(),
            no: self.next_no(),
            made,
            is_completed: false,
            is_illegal,
            has_offer: false,
            is_capture: m.is_capture(),
        };
        self.plies.push(ply);
        self.positions.push(after);
        self.plies.last().expect("a ply was pushed")
    }

    pub(super) fn truncate(&mut self, n: usize) {
        self.plies.truncate(n);
        self.positions.truncate(n + 1);
        self.gaps.retain(|gap| gap.ply <= n);
        self.counts_from = self.counts_from.min(n);
        self.n_final = self.n_final.min(n);
    }

    /// The record has nothing more to say of the half-moves so far.
    pub(super) fn set_final(&mut self) {
        self.n_final = self.plies.len();
    }

    /// Whether that is so.
    pub(super) fn is_final(&self) -> bool {
        self.n_final == self.plies.len()
    }

    pub(super) fn complete(&mut self, idx: usize) {
        self.plies[idx].is_completed = true;
    }

    pub(super) fn mark_offer(&mut self, idx: usize) {
        self.plies[idx].has_offer = true;
    }

    /// The first half-move of `color` that is not completed.
    pub(super) fn first_open(&self, color: Color) -> Option<usize> {
        self.plies.iter().position(|ply| ply.by == color && !ply.is_completed && !ply.is_illegal)
    }

    /// The last half-move of `color`, if it is not completed.
    pub(super) fn last_open(&self, color: Color) -> Option<usize> {
        let idx = self.plies.iter().rposition(|ply| ply.by == color && !ply.is_illegal)?;
        (!self.plies[idx].is_completed).then_some(idx)
    }

    /// How often the position after the last half-move has stood since counting began, where nobody
    /// looked at the least. All editions: Art. 9.2.
    pub(super) fn occurrences(&self) -> usize {
        self.occurrences_of(self.last())
    }

    /// How often `pos` has stood.
    pub(super) fn occurrences_of(&self, pos: &Chess) -> usize {
        let gaps = self.gaps.iter().filter(|gap| gap.ply >= self.counts_from);
        let known = self.positions[self.counts_from..].iter().chain(gaps.map(|gap| &gap.before));
        known.filter(|known| *known == pos).count()
    }

    /// What stands by an illegal move stands for good: no legal series led to it, so repetition
    /// and the fifty moves are counted from it.
    pub(super) fn begin_anew(&mut self) {
        self.counts_from = self.plies.len();
        let last = self.last().clone();
        let mut setup = last.to_setup(EnPassantMode::Legal);
        setup.halfmoves = 0;
        setup.fullmoves = NonZeroU32::from(last.fullmoves());
        // No legal play leads there, so there may be pieces that no pawn could have become.
        let pos =
            Chess::from_setup(setup, self.mode).or_else(PositionError::ignore_too_much_material);
        if let (Ok(pos), Some(slot)) = (pos, self.positions.last_mut()) {
            *slot = pos;
        }
    }
}

/// The position as a FEN; en passant only where it is legal.
pub(super) fn fen_of(pos: &Chess) -> String {
    Fen::from_position(pos, EnPassantMode::Legal).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_has_as_many_half_moves_as_the_numbers_say() {
        let mut line = vec![Chess::default()];
        for uci in ["e2e4", "e7e5", "g1f3"] {
            let mut pos = line[line.len() - 1].clone();
            let uci: shakmaty::uci::UciMove = uci.parse().unwrap();
            pos.play_unchecked(uci.to_move(&pos).unwrap());
            line.push(pos);
        }
        for (before, adopted, white, black) in
            [(0, 1, 1, 0), (0, 2, 1, 1), (1, 2, 0, 1), (1, 3, 1, 1), (2, 3, 1, 0), (0, 3, 2, 1)]
        {
            let gap = UnseenStretch { ply: before, before: line[before].clone() };
            let n_of = |color| gap.n_of(&line[adopted], color);
            assert_eq!((n_of(Color::White), n_of(Color::Black)), (white, black), "{before}");
        }
    }
}
