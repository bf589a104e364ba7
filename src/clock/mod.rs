//! The chess clock: what the time should be, and what the device shows, told in the colors of the
//! players.

pub mod check;
pub mod control;
pub mod model;
pub mod note;
mod phase;
pub mod reading;
mod sense;

pub use crate::table::End;
pub use check::{Check, ClockReading, Estimate};
pub use control::notation::ControlError;
pub use control::{ControlFault, PerMove, Period, Periods, TimeControl};
pub use model::{Account, Change, ClockModel, Crediting, FirstIncrement, Manner};
pub use note::{ClockNote, Hms, Rate};
pub use reading::{ClockPresence, Face, Reader, Turned};
pub use sense::Sense;
