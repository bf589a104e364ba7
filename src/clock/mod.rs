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
pub use check::{Check, Estimate, Shown};
pub use control::notation::ControlError;
pub use control::{ControlFault, PerMove, Period, Periods, TimeControl};
pub use model::{Account, Change, ClockModel, Crediting, FirstIncrement, Flag, Flags, Manner};
pub use note::{Note, Rate};
pub use reading::{Device, Face, Reader, Times, Turned};
pub use sense::Sense;
