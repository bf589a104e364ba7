//! Pure models of boards, clocks and hands, for the demo, for replay and for tests.
//!
//! A model speaks the same bytes as the device and obeys the same clock as the rest of the core:
//! it is told the time and never reads it.

pub mod board;
mod ring;

pub use board::{BoardSim, Delivery, Mode};
