//! Why no legal move explains the board.

use super::legal;
use crate::table::{Placement, Reading};
use shakmaty::{Bitboard, CastlingSide, Chess, Color, Piece, Position, Role, Square};

/// What the board shows instead of a position that a legal move leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// One piece of `by` went where it may not go.
    IllegalMove {
        /// The player who moved.
        by: Color,
        /// What was moved.
        piece: Piece,
        /// The square it left.
        from: Square,
        /// The square it stands on now.
        to: Square,
    },
    /// A pawn was left on the last rank. 2023: Art. 7.5.2.
    PawnOnLastRank {
        /// The player whose pawn it is.
        by: Color,
        /// Where it came from.
        from: Square,
        /// Where it stands.
        to: Square,
    },
    /// Anything else: the squares on which board and record differ.
    Disorder(Bitboard),
}

/// Names the difference between the position and what is seen; `None` when there is none.
///
/// A difference is a move only where exactly one piece has left its square and stands on another:
/// whatever is more, or less, is disorder.
pub fn classify(pos: &Chess, seen: &Placement) -> Option<Mismatch> {
    let diff = seen.differs(pos.board());
    if diff.is_empty() {
        return None;
    }
    let gone = diff & !seen.occupied();
    let come = diff & seen.occupied();
    if let Some(attempt) = castling_attempt(pos, seen, diff) {
        return Some(attempt);
    }
    let (Some(from), Some(to)) = (gone.single_square(), come.single_square()) else {
        return Some(Mismatch::Disorder(diff));
    };
    let piece =
        pos.board().piece_at(from).expect("a square that differs and is empty held a piece");
    let by = piece.color;
    if !seen.get(to).may_be(piece)
        || pos.board().piece_at(to).is_some_and(|victim| victim.role == Role::King)
    {
        return Some(Mismatch::Disorder(diff));
    }
    if piece.role == Role::Pawn && is_last_rank(to, by) && reaches(pos, from, to) {
        return Some(Mismatch::PawnOnLastRank { by, from, to });
    }
    // En passant with the captured pawn still there is legal in the end, but not as it stands.
    if reaches(pos, from, to) && pos.legal_ep_square() != Some(to) {
        return Some(Mismatch::Disorder(diff));
    }
    Some(Mismatch::IllegalMove { by, piece, from, to })
}

/// King and rook stand as after castling although that is not allowed: it is the king's move that
/// was illegal. Standard castling only.
fn castling_attempt(pos: &Chess, seen: &Placement, diff: Bitboard) -> Option<Mismatch> {
    let (by, side) = (pos.turn(), castling_side(pos, seen, diff)?);
    let (from, to) = (pos.board().king_of(by)?, side.king_to(by));
    Some(Mismatch::IllegalMove { by, piece: Role::King.of(by), from, to })
}

/// The side on which king and rook have come to stand as after castling.
pub(super) fn castling_side(pos: &Chess, seen: &Placement, diff: Bitboard) -> Option<CastlingSide> {
    let by = pos.turn();
    let from = pos.board().king_of(by)?;
    let (king, rook) = (Role::King.of(by), Role::Rook.of(by));
    CastlingSide::ALL.into_iter().find(|side| {
        let (to, rook_to) = (side.king_to(by), side.rook_to(by));
        seen.get(to) == Reading::Piece(king)
            && seen.get(rook_to) == Reading::Piece(rook)
            && diff.contains(to)
            && diff.contains(rook_to)
            && from.distance(to) > 1
    })
}

pub(super) fn is_last_rank(sq: Square, color: Color) -> bool {
    sq.rank() == color.relative_rank(shakmaty::Rank::Eighth)
}

fn reaches(pos: &Chess, from: Square, to: Square) -> bool {
    legal::moves(pos).any(|m| m.from() == Some(from) && m.to() == to)
}
