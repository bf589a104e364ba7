//! What a referee is told.

use super::super::act::Act;
use super::clock::Clocks;
use super::sheet::Sheet;
use crate::table::{Placement, Reading};
use shakmaty::{Color, Square};

/// What a referee is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// A sensor reads something else.
    Square(Square, Reading),
    /// The whole board, before the game or after a gap.
    Picture(Box<Placement>),
    /// The whole board after a gap in what was seen.
    Unseen(Box<Placement>),
    /// The moves on record, where they differ from the referee's for long.
    Record(Sheet),
    /// The moves on record are these now. Whether they are completed, presses tell.
    Moves(Sheet),
    /// A player pressed his side of the clock. Told before the clock is read anew.
    Pressed(Color),
    /// The clock says that this flag is down.
    Flag(Color),
    /// Both flags were found down, and nobody knows which was first.
    FlagsUnknown,
    /// Somebody did or said something.
    Act(Act),
    /// The game's result is withdrawn, and the game goes on.
    Reopened,
    /// The clock was read.
    Clock(Clocks),
    /// The record has nothing more to say of the half-moves that the referee knows.
    Final,
    /// Those who keep the record have found no move in what stands, or find order again.
    Looked,
    /// They have found that an illegal move stands, on which nobody has pressed.
    Stands,
    /// They have found that this player completed an illegal move.
    Illegal(Color),
    /// Time has passed.
    Passed,
}

impl Told {
    /// Whether it is of the board, the clock's times or time itself: nobody's act, and no one waits
    /// for an answer. A flag that falls is not: it may end the game, and what came before counts.
    pub const fn is_observed(&self) -> bool {
        matches!(
            self,
            Self::Square(..)
                | Self::Picture(_)
                | Self::Unseen(_)
                | Self::Clock(_)
                | Self::Looked
                | Self::Moves(_)
                | Self::Stands
                | Self::Illegal(_)
                | Self::Passed
        )
    }
}
