//! How much a reading speaks against a position, as small whole numbers that add up.
//!
//! The numbers are ranks, not probabilities: what matters is which disorder is more ordinary. They
//! were set from what hands do on a DGT board: the reply's piece is often in the air when the
//! clock is pressed, a captured piece shows up on its way out in one capture of seven, and a piece
//! that stands on a wrong square while it is missing on its own is hardly ever an accident.

use super::placement::{Placement, Reading};
use shakmaty::{Board, Color};

/// The side to move has lifted a piece: it is about to move.
pub const LIFTED: u32 = 1;
/// Any other piece that should stand there is not seen.
pub const MISSING: u32 = 2;
/// A piece is seen where none should be, and none of its kind is missed: passing, carried, parked.
pub const GHOST: u32 = 2;
/// A piece is seen where none should be, and one of its kind is missed elsewhere: it has moved.
pub const DISPLACED: u32 = 4;
/// Another piece is seen than the one that should stand there.
pub const CHANGED: u32 = 5;
/// A press that no move accounts for.
pub const OPEN_PRESS: u32 = 6;
/// A move that no press followed although the clock was running.
pub const UNPRESSED: u32 = 2;
/// A further move taken from one picture, or one that nothing but stillness vouches for.
pub const EXTRA_PLY: u32 = 1;
/// From this lead on the best line is shown; below it the question stays open.
pub const CLEAR_LEAD: u32 = 2;
/// Above this the best line explains too little, and longer lines are searched.
pub const POOR: u32 = 4;
/// A line this much worse than the best is given up.
pub const HOPELESS: u32 = 24;

/// What `seen` speaks against `board`, with `turn` to move.
pub fn residual(seen: &Placement, board: &Board, turn: Color) -> u32 {
    let diff = seen.differs(board);
    if diff.is_empty() {
        return 0;
    }
    let missing = diff & board.occupied() & !seen.occupied();
    let lifted = u32::from((missing & board.by_color(turn)).any());
    let mut cost = (missing.count() as u32) * MISSING - lifted * (MISSING - LIFTED);
    for sq in diff & !missing {
        cost += match seen.get(sq) {
            _ if board.occupied().contains(sq) => CHANGED,
            Reading::Piece(piece) if (missing & board.by_piece(piece)).any() => DISPLACED,
            Reading::Something if missing.any() => DISPLACED,
            _ => GHOST,
        };
    }
    cost
}
