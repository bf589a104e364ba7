//! The chess clock: what the time should be, and what the device shows, told in the colors of the
//! players.

pub mod control;
pub mod notation;
pub mod reading;

pub use control::{ControlFault, PerMove, Period, Periods, TimeControl};
pub use notation::ControlError;
pub use reading::{Device, End, Face, Reader, Times, Turned};
