//! What stands on the board, held against a position and its legal moves.

use crate::table::{Placement, Reading};
use shakmaty::{Bitboard, Chess, Color, Move, Position, Role, Square};

/// The squares on which `m` changes what stands there.
pub(super) fn squares_of(m: Move, turn: Color) -> Bitboard {
    match m {
        Move::Castle { king, rook } => {
            let side = shakmaty::CastlingSide::from_king_side(king < rook);
            Bitboard::from(king).with(rook).with(side.king_to(turn)).with(side.rook_to(turn))
        }
        Move::EnPassant { from, to } => Bitboard::from(from).with(to).with(victim_of(m)),
        Move::Normal { from, to, .. } => Bitboard::from(from).with(to),
        Move::Put { to, .. } => to.into(),
    }
}

/// Where the piece that `m` captures stands; the target of a move that captures nothing.
pub(super) fn victim_of(m: Move) -> Square {
    match m {
        Move::EnPassant { from, to } => Square::from_coords(to.file(), from.rank()),
        _ => m.to(),
    }
}

/// Where the moving piece comes to stand: of castling, the king.
pub(super) fn target_of(m: Move, turn: Color) -> Square {
    m.castling_side().map_or(m.to(), |side| side.king_to(turn))
}

/// The legal moves. Where a king stands in a check that was ignored, its capture is none of them.
fn legal(pos: &Chess) -> impl Iterator<Item = Move> {
    pos.legal_moves().into_iter().filter(|m| m.capture() != Some(Role::King))
}

/// The legal moves after which the board would look as it does.
pub(super) fn exact(pos: &Chess, seen: &Placement) -> Vec<Move> {
    let diff = seen.differs(pos.board());
    let fits = |m: &Move| {
        if !(diff & !squares_of(*m, pos.turn())).is_empty() {
            return false;
        }
        let mut after = pos.clone();
        after.play_unchecked(*m);
        seen.differs(after.board()).is_empty()
    };
    legal(pos).filter(fits).collect()
}

/// The legal moves on the way of which the board may look as it does.
pub(super) fn partial(pos: &Chess, seen: &Placement) -> Vec<Move> {
    let diff = seen.differs(pos.board());
    legal(pos).filter(|m| is_on_the_way(pos, seen, *m, diff)).collect()
}

/// Whether each square of `diff` shows what it may show while `m` is being made.
fn is_on_the_way(pos: &Chess, seen: &Placement, m: Move, diff: Bitboard) -> bool {
    let turn = pos.turn();
    if !(diff & !squares_of(m, turn)).is_empty() {
        return false;
    }
    let mut after = pos.clone();
    after.play_unchecked(m);
    let is_pawn_arriving = |sq: Square| {
        m.is_promotion() && sq == m.to() && seen.piece_at(sq) == Some(Role::Pawn.of(turn))
    };
    diff.into_iter().all(|sq| {
        seen.get(sq) == Reading::Empty || seen.fits(sq, after.board()) || is_pawn_arriving(sq)
    })
}

/// A legal move all of whose own squares show its end while other squares are in disorder.
pub(super) fn disturbed(pos: &Chess, seen: &Placement) -> Option<(Move, Bitboard)> {
    let diff = seen.differs(pos.board());
    let turn = pos.turn();
    let mut found = legal(pos).filter_map(|m| {
        let mut after = pos.clone();
        after.play_unchecked(m);
        let own = squares_of(m, turn);
        let is_done = own.into_iter().all(|sq| seen.fits(sq, after.board()));
        let astray = seen.differs(after.board());
        (is_done && !astray.is_empty() && !(diff & !astray).is_empty()).then_some((m, astray))
    });
    let first = found.next()?;
    let fewest =
        found.fold(first, |best, next| if next.1.count() < best.1.count() { next } else { best });
    Some(fewest)
}

/// The position with the other side to move, where that makes one.
pub(super) fn with_other_turn(pos: &Chess) -> Option<Chess> {
    pos.clone().swap_turn().ok()
}
