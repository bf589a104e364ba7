//! What the player who is to move has done so far.

use super::super::super::said::Binding;
use super::super::super::touch::Touches;
use super::super::super::why::Wrong;
use crate::time::Mono;
use shakmaty::{Bitboard, CastlingSide, Color, Move, Role};

/// A placement that no legal move explains, before the clock is pressed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct OnBoard {
    pub by: Color,
    pub why: Wrong,
}

/// What the player who is to move has done so far.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Turn {
    pub touches: Touches,
    /// He said "I adjust".
    pub is_adjusting: bool,
    /// Something was announced as on the way and released: it binds beyond the touch.
    pub released: Option<Binding>,
    /// What stands illegally, as was noted.
    pub on_board: Option<OnBoard>,
    /// It stood so, and was taken back.
    pub was_illegal: bool,
    /// The rook was touched before the king.
    pub rook_first: Option<CastlingSide>,
    pub castling_announced: bool,
    /// The move announced aloud.
    pub announced: Option<Move>,
    /// The piece named for a promotion.
    pub promotes_to: Option<Role>,
    /// What binds from before: an illegal move taken back, an announced one.
    pub carried: Option<Binding>,
    /// Where a pawn was released by an illegal move that was taken back.
    pub released_before: Option<Binding>,
    /// The squares whose sensors stirred.
    pub stirred: Bitboard,
    pub not_pressed_noted: bool,
    /// What seems to be an illegal move: no press and no record has said so yet.
    pub suspect: Option<OnBoard>,
    /// Whose pieces lay right beside them, knocked over or put there by half.
    pub lying: Bitboard,
    /// Since when pieces are missing beside a move that stands.
    pub missing: Option<Mono>,
    /// Own and enemy piece were touched at once.
    pub is_simultaneous: bool,
    /// When the piece that was moved last left its new square again.
    pub withdrawn: Option<Mono>,
    /// The move at whose end the board has rested, which is not on record, or not any more.
    pub release: Option<Release>,
}

/// The end of a legal move, at which the board has rested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Release {
    pub m: Move,
    pub made: Mono,
    /// When its piece left that square again.
    pub left: Option<Mono>,
}
