//! The chess clock: what the device shows, told in the colors of the players.

pub mod reading;

pub use reading::{Device, End, Face, Reader, Times, Turned};
