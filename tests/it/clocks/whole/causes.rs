//! What accounts for a note about the clock, and why nobody could know better.

use super::{INCREMENT, Kind, SLACK};
use rokade::clock::ClockNote;

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
    pub(super) fn explains(self, kind: Kind, note: &ClockNote) -> bool {
        match self {
            Self::Forgot => matches!(note, ClockNote::Reset { .. } | ClockNote::Back { .. }),
            Self::Gone => {
                matches!(
                    note,
                    ClockNote::Back { .. }
                        | ClockNote::PressesMissed { .. }
                        | ClockNote::Late { .. }
                )
            }
            // What is heard late by some seconds looks like time that was added or taken; so do
            // the increment of a press that was not heard, where the stop before or after it was
            // lost as well. Three messages in a row, each a second, are lost once in some forty.
            Self::Bad => match note {
                ClockNote::Late { .. }
                | ClockNote::PressesMissed { .. }
                | ClockNote::Back { .. }
                | ClockNote::Drift { .. } => true,
                // What a clock was told to show has not reached it, or its answer not us.
                ClockNote::Unexplained { .. } if kind == Kind::Driven => true,
                ClockNote::SetByHand { from, to, .. } | ClockNote::Unexplained { from, to, .. } => {
                    let off = from.abs_diff(*to);
                    off.min(off.abs_diff(INCREMENT)) <= 3 * SLACK
                }
                ClockNote::Increment { expected, shown, .. } => {
                    expected.abs_diff(*shown) <= 3 * SLACK
                }
                _ => false,
            },
            Self::Set => matches!(note, ClockNote::SetByHand { .. }),
            Self::Ordered => {
                matches!(note, ClockNote::AsOrdered { .. } | ClockNote::SetByHand { .. })
            }
            Self::Reset => matches!(note, ClockNote::Reset { .. } | ClockNote::SetByHand { .. }),
            Self::Turned => matches!(note, ClockNote::Turned { .. } | ClockNote::SetByHand { .. }),
            Self::Battery => matches!(note, ClockNote::BatteryLow),
            Self::Period => matches!(note, ClockNote::Period { .. } | ClockNote::PeriodDue { .. }),
            Self::Twice => match note {
                ClockNote::PressesMissed { .. } => true,
                // Of three presses in a second the last two look like a reading that was overtaken.
                ClockNote::Late { .. } if kind == Kind::Driven => true,
                // Where the clock was stopped or started at once nobody can tell a press from a
                // hand. Of several in a row each may have been too soon after the one before.
                ClockNote::SetByHand { from, to, .. } | ClockNote::Unexplained { from, to, .. } => {
                    let off = from.abs_diff(*to);
                    (1..=2).any(|n| off.abs_diff(n * INCREMENT) <= SLACK)
                }
                _ => false,
            },
        }
    }
}
