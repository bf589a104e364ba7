//! Which moves may be played. After an illegal move a king may stand to be taken, and for shakmaty
//! that is a capture like any other, behind which it cannot go on: no position has lost its king.

use crate::table::Placement;
use shakmaty::uci::{IllegalUciMoveError, UciMove};
use shakmaty::{Chess, Move, Position, Role};

/// The legal moves in `pos`, none of which takes a king.
pub fn moves(pos: &Chess) -> impl Iterator<Item = Move> {
    pos.legal_moves().into_iter().filter(|m| m.capture() != Some(Role::King))
}

/// Whether `m` is one of them.
pub fn is_legal(pos: &Chess, m: Move) -> bool {
    m.capture() != Some(Role::King) && pos.is_legal(m)
}

/// Whether `m`, a rook's move from `pos`, was the first half of a castling, by a king that stands
/// where castling brings it `then`.
pub fn is_half_of_castling(pos: &Chess, m: Move, then: &Placement) -> bool {
    let turn = pos.turn();
    moves(pos).any(|whole| match (whole, whole.castling_side()) {
        (Move::Castle { rook, .. }, Some(side)) => {
            m.from() == Some(rook)
                && m.to() == side.rook_to(turn)
                && then.get(side.king_to(turn)).may_be(Role::King.of(turn))
        }
        _ => false,
    })
}

/// `uci` as one of them.
///
/// # Errors
/// It is none.
pub fn read(uci: &UciMove, pos: &Chess) -> Result<Move, IllegalUciMoveError> {
    uci.to_move(pos).and_then(|m| match m.capture() {
        Some(Role::King) => Err(IllegalUciMoveError),
        _ => Ok(m),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::{CastlingMode, Square, fen::Fen};

    #[test]
    fn no_move_takes_a_king() {
        let before: Fen = "4k3/4b3/8/8/8/8/8/K3R3 b - - 0 1".parse().unwrap();
        let mut pos: Chess = before.into_position(CastlingMode::Standard).unwrap();
        let (from, to) = (Square::E7, Square::D6);
        let illegal = Move::Normal { role: Role::Bishop, from, capture: None, to, promotion: None };
        pos.play_unchecked(illegal);
        let takes = |m: &Move| m.to() == Square::E8;
        let taken = pos.legal_moves().into_iter().find(takes).unwrap();
        assert!(moves(&pos).next().is_some() && !moves(&pos).any(|m| takes(&m)));
        assert!(!is_legal(&pos, taken));
        assert!(read(&taken.to_uci(CastlingMode::Standard), &pos).is_err());
    }
}
