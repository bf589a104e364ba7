//! Moves that the Laws do not allow, as far as the board shows them.
//!
//! An illegal move that nobody notices stands, and the game goes on from it. So that what follows
//! is not lost, a line may go on from it too.

use super::legal;
use super::line::arrivals_of;
use super::mismatch;
use crate::table::{Placement, Reading};
use shakmaty::{Bitboard, CastlingSide, Chess, Move, Piece, Position, Role, Square, attacks};

/// The one illegal move of the side to move that the board shows: a piece of his that stands where
/// it may not have gone, and that is missed on one other square. What the other side's pieces show
/// is left aside: a reply may have begun.
///
/// A king that went two squares with its rook in place is a king's move; with the rook beside it,
/// castling. `None` if the board shows a legal move, none at all, or more than one.
///
/// ```
/// use rokade::table::Placement;
/// use rokade::track::illegal;
/// use shakmaty::Chess;
/// let seen = Placement::parse("rnbqkbnr/pppppppp/8/8/8/1N6/PPPPPPPP/R1BQKBNR")?;
/// let m = illegal::shown(&Chess::default(), &seen).expect("a knight went from b1 to b3");
/// assert_eq!(m.to_string(), "Nb1-b3");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn shown(pos: &Chess, seen: &Placement) -> Option<Move> {
    let turn = pos.turn();
    let diff = seen.differs(pos.board());
    if let Some(castling) = castling_shown(pos, seen) {
        return Some(castling);
    }
    let ours = (seen.by_color(turn) | seen.something()) & diff;
    let to = ours.single_square()?;
    let arrived = match seen.get(to) {
        Reading::Piece(piece) => Some(piece),
        _ => None,
    };
    let is_gone =
        |sq: &Square| pos.board().piece_at(*sq) != arrived || !seen.occupied().contains(*sq);
    let may_be = |sq: &Square| arrived.is_none_or(|piece| may_become(pos, *sq, piece, to));
    let mut from = (diff & pos.us()).into_iter().filter(is_gone).filter(may_be);
    let (from, None) = (from.next()?, from.next()) else { return None };
    let role = pos.board().role_at(from)?;
    let capture = pos.board().role_at(to).filter(|_| pos.them().contains(to));
    let promotion = arrived.map(|piece| piece.role).filter(|new| *new != role);
    let m = Move::Normal { role, from, capture, to, promotion };
    // A piece that stands on another of its own side leaves no position to go on from; nor does a
    // pawn that jumped over a man, which it would then seem to have passed.
    let has_jumped = role == Role::Pawn
        && from.file() == to.file()
        && (attacks::between(from, to) & pos.board().occupied()).any();
    let has_room = !pos.us().contains(to) && capture != Some(Role::King) && !has_jumped;
    let is_move = has_room && !legal::is_legal(pos, m);
    is_move.then_some(m)
}

/// Whether what stood on `from` may stand as `piece` on `to`: it is the same, or a pawn that was
/// exchanged on its last rank.
fn may_become(pos: &Chess, from: Square, piece: Piece, to: Square) -> bool {
    match pos.board().piece_at(from) {
        Some(before) if before == piece => true,
        Some(Piece { role: Role::Pawn, color }) => {
            piece.color == color && mismatch::is_last_rank(to, color) && piece.role != Role::King
        }
        _ => false,
    }
}

/// King and rook as after castling, although it is not allowed.
fn castling_shown(pos: &Chess, seen: &Placement) -> Option<Move> {
    let side = mismatch::castling_side(pos, seen, seen.differs(pos.board()))?;
    let turn = pos.turn();
    let king = pos.board().king_of(turn).filter(|king| king.rank() == turn.backrank())?;
    let rooks = pos.board().by_piece(Role::Rook.of(turn)) & Bitboard::from(turn.backrank());
    let is_beyond = |rook: &Square| match side {
        CastlingSide::KingSide => rook.file() > king.file(),
        CastlingSide::QueenSide => rook.file() < king.file(),
    };
    let is_gone = |rook: &Square| seen.get(*rook) != Reading::Piece(Role::Rook.of(turn));
    let rook = rooks.into_iter().filter(is_beyond).find(is_gone)?;
    let castling = Move::Castle { king, rook };
    let others = pos.board().occupied().without(king).without(rook);
    let has_room = (arrivals_of(castling, turn) & others).is_empty();
    (has_room && !legal::is_legal(pos, castling)).then_some(castling)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown_from(fen: &str, placement: &str) -> Option<String> {
        let fen: shakmaty::fen::Fen = fen.parse().unwrap();
        let pos: Chess = fen.into_position(shakmaty::CastlingMode::Standard).unwrap();
        shown(&pos, &Placement::parse(placement).unwrap()).map(|m| m.to_string())
    }

    #[test]
    fn what_no_position_follows_from_is_not_gone_on_from() {
        let start = "4k3/8/8/8/8/n7/PR6/4K3 w - - 0 1";
        // A knight that went like a rook; it could not, but it stands.
        let knight = shown_from("4k3/8/8/8/8/8/N7/4K3 w - - 0 1", "4k3/8/8/N7/8/8/8/4K3");
        assert_eq!(knight.as_deref(), Some("Na2-a5"));
        // A pawn that jumped over a man would be one to take in passing.
        assert_eq!(shown_from(start, "4k3/8/8/8/P7/n7/1R6/4K3"), None);
        // Nobody castles from another rank than his first.
        assert_eq!(
            shown_from("4k3/8/8/8/8/8/2P1K3/RN6 w - - 0 1", "4k3/8/8/8/8/8/2P5/1NKR4"),
            None
        );
        // A rook on its own pawn's square, a king that was taken: no position.
        assert_eq!(shown_from(start, "4k3/8/8/8/8/n7/R7/4K3"), None);
        assert_eq!(shown_from("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "4R3/8/8/8/8/8/8/4K3"), None);
    }
}
