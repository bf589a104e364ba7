//! Everything that can happen to a game. Closed on purpose.

use super::pairing::Paired;
use crate::clock::ClockModel;
use crate::laws::{Act, Clocks};
use crate::table::{Placement, Reading};
use crate::wire::{BoardMessage, ClockMessage};
use shakmaty::{Color, Square};
use std::time::Duration;

/// What a clock says that speaks for itself.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Clocked {
    /// What it shows.
    Shows(Clocks),
    /// A flag is down.
    Flag(Color),
    /// Both are, and the order is unknown.
    FlagsUnknown,
}

/// How a clock is driven, as far as it lets itself be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Driving {
    /// It is set to what this model says.
    Obeys(Box<ClockModel>),
    /// It does nothing it is told, and does not go by itself either: its lever tells of presses,
    /// and nothing else is believed of it. Times are those of the model; `waits` until the first
    /// press starts it.
    Lever {
        /// What reckons the times.
        model: Box<ClockModel>,
        /// The model has not run in this game yet.
        waits: bool,
    },
    /// It does nothing it is told and goes by itself, as hands have set it: it is read like any
    /// other.
    ByItself,
}

impl Driving {
    /// The model that the times are by, if it is ours.
    pub fn model(&self) -> Option<&ClockModel> {
        match self {
            Self::Obeys(model) | Self::Lever { model, .. } => Some(model),
            Self::ByItself => None,
        }
    }

    /// The same for a game that counts so much ahead of the time of the model.
    pub(super) fn ahead(&self, by: Duration) -> Self {
        match self {
            Self::Obeys(model) => Self::Obeys(Box::new(model.ahead(by))),
            Self::Lever { model, waits } => {
                Self::Lever { model: Box::new(model.ahead(by)), waits: *waits }
            }
            Self::ByItself => Self::ByItself,
        }
    }
}

/// One thing that happened at a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The line to the board is open; the board has not spoken yet.
    LinkUp,
    /// The line to the board is gone.
    LinkDown,
    /// Bytes have arrived: the line is alive, whatever they will turn out to say.
    Bytes,
    /// Bytes of a board whose language its driver alone knows, cut anyhow.
    Said(Vec<u8>),
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
    /// How the clock is driven has changed, or the model that it is driven by has changed by more
    /// than time passing.
    Driven(Driving),
    /// What people at the table do and say.
    Act(Act),
    /// It is said who plays the next game, and the one that has begun if that is said as well.
    Paired(Box<Paired>),
    /// What comes next, if it is no order, is put on record by this person.
    Entered {
        /// The person who enters it.
        author: String,
        /// The reason that is given with it; may be empty.
        reason: String,
    },
    /// The moment named by [`super::Game::wake_at`] has come.
    Timeout,
}
