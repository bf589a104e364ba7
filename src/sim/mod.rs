//! Pure models of boards, clocks and hands, for the demo, for replay and for tests.
//!
//! A model speaks the same bytes as the device and obeys the same clock as the rest of the core:
//! it is told the time and never reads it. Chance comes from a seed.

pub mod board;
pub mod clock;
pub mod games;
pub mod hands;
pub mod replay;
mod ring;
pub mod script;
pub mod shrink;
pub mod still;
pub mod table;
pub mod trial;
pub mod verdict;

pub use board::{BoardSim, Delivery, Mode};
pub use clock::ClockSim;
pub use hands::{Manners, Performance, TableKind, Truth, perform};
pub use replay::Replay;
pub use script::{Script, ScriptError};
pub use table::Table;
