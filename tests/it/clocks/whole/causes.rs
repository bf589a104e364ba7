//! What accounts for a note about the clock, and why nobody could know better.

use super::{INCREMENT, Kind, SLACK};
use rokade::clock::Note;

/// What was done that the arbiter may hear of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// The clock has lost its memory.
    Forgot,
    /// It was unplugged, or the line to the board was down.
    Gone,
    /// The line loses messages, or is slow.
    Bad,
    /// An arbiter set a time.
    Set,
    /// He said so first, and did perhaps what he had said.
    Ordered,
    /// Both times are those of the beginning.
    Reset,
    Turned,
    Battery,
    /// A player has completed the moves of his period.
    Period,
    /// Two things were done between two looks of the board.
    Twice,
}

impl Cause {
    pub(super) fn explains(self, kind: Kind, note: &Note) -> bool {
        match self {
            Self::Forgot => matches!(note, Note::Reset { .. } | Note::Back { .. }),
            Self::Gone => {
                matches!(note, Note::Back { .. } | Note::PressesMissed { .. } | Note::Late { .. })
            }
            // What is heard late by some seconds looks like time that was added or taken; so do
            // the increment of a press that was not heard, where the stop before or after it was
            // lost as well. Three messages in a row, each a second, are lost once in some forty.
            Self::Bad => match note {
                Note::Late { .. }
                | Note::PressesMissed { .. }
                | Note::Back { .. }
                | Note::Drift { .. } => true,
                // What a clock was told to show has not reached it, or its answer not us.
                Note::Unexplained { .. } if kind == Kind::Driven => true,
                Note::SetByHand { from, to, .. } | Note::Unexplained { from, to, .. } => {
                    let off = from.abs_diff(*to);
                    off.min(off.abs_diff(INCREMENT)) <= 3 * SLACK
                }
                Note::Increment { expected, shown, .. } => expected.abs_diff(*shown) <= 3 * SLACK,
                _ => false,
            },
            Self::Set => matches!(note, Note::SetByHand { .. }),
            Self::Ordered => matches!(note, Note::AsOrdered { .. } | Note::SetByHand { .. }),
            Self::Reset => matches!(note, Note::Reset { .. } | Note::SetByHand { .. }),
            Self::Turned => matches!(note, Note::Turned { .. } | Note::SetByHand { .. }),
            Self::Battery => matches!(note, Note::BatteryLow),
            Self::Period => matches!(note, Note::Period { .. } | Note::PeriodDue { .. }),
            Self::Twice => match note {
                Note::PressesMissed { .. } => true,
                // Of three presses in a second the last two look like a reading that was overtaken.
                Note::Late { .. } if kind == Kind::Driven => true,
                // Where the clock was stopped or started at once nobody can tell a press from a
                // hand. Of several in a row each may have been too soon after the one before.
                Note::SetByHand { from, to, .. } | Note::Unexplained { from, to, .. } => {
                    let off = from.abs_diff(*to);
                    (1..=2).any(|n| off.abs_diff(n * INCREMENT) <= SLACK)
                }
                _ => false,
            },
        }
    }
}
