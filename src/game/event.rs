//! Everything that can happen to a game. Closed on purpose.

use super::orders::Act;
use super::rules::Clocked;
use crate::clock::ClockModel;
use crate::track::{Placement, Reading};
use crate::wire::{BoardMessage, ClockMessage};
use shakmaty::{Color, Square};

/// One thing that happened at a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The line to the board is open; the board has not spoken yet.
    LinkUp,
    /// The line to the board is gone.
    LinkDown,
    /// Bytes have arrived: the line is alive, whatever they will turn out to say.
    Bytes,
    /// A DGT board, or the clock behind it, sent a message.
    Board(BoardMessage),
    /// Bytes that were no message: something may have been lost.
    Noise,
    /// A square of a scanned board reads something else now.
    Sensed(Square, Reading),
    /// A scanned board was read as a whole.
    Pictured(Placement),
    /// A clock that does not hang on the board says what the board would have read of it: nothing
    /// about the line to the board follows from it.
    Clock(ClockMessage),
    /// A clock button of its own, beside any lever, was pressed.
    Pressed(Color),
    /// A clock that speaks for itself, to the millisecond.
    Clocked(Clocked),
    /// The clock is driven by this model, which has changed by more than time passing; `None` once
    /// it turns out to obey nobody.
    Kept(Option<Box<ClockModel>>),
    /// What people at the table do and say.
    Act(Act),
    /// The moment named by [`super::Game::wake_at`] has come.
    Timeout,
}
