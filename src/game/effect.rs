//! Everything a game may ask of the world, in the order in which it must be done.

use super::entry::Entry;
use crate::laws::ClockOrder;

/// One thing to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// To be sent to the board. Comes before all records of its batch: it discloses nothing, and a
    /// slow card must not keep the board waiting.
    Send(Vec<u8>),
    /// To be made durable before any later effect of the same batch is carried out.
    Record(Entry),
    /// To be done to the chess clock, where one can be told.
    Clock(ClockOrder),
    /// What the public may see has changed: render it anew.
    Show,
    /// The board does not answer: close the line and open it again.
    Reopen,
}
