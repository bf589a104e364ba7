//! Pure models of boards, clocks and hands, for the demo, for replay and for tests.
//!
//! A model speaks the same bytes as the device and obeys the same clock as the rest of the core:
//! it is told the time and never reads it. Chance comes from a seed.

pub mod account;
pub mod blame;
pub mod board;
pub mod bridge;
pub mod bus;
pub mod certabo;
pub mod character_display;
pub mod chesslink;
pub mod chessnut;
pub mod clock;
pub mod demo_board;
pub mod dgt3000;
pub mod dgt_clock;
pub mod expanders;
pub mod explain;
pub mod games;
pub mod gpio_clock;
pub mod halls;
pub mod hands;
pub mod light_chain;
pub mod maker;
mod outgoing;
pub mod reach;
pub mod registers;
pub mod replay;
mod ring;
pub mod rows;
pub mod script;
pub mod shrink;
pub mod still;
pub mod switches;
pub mod table;
pub mod trial;
pub mod trouble;
pub mod ucb;
pub mod verdict;
pub mod works;

pub use board::{BoardSim, Delivery, Mode};
pub use bridge::BridgeSim;
pub use bus::{Chunk, SharedLine};
pub use certabo::CertaboSim;
pub use character_display::CharacterDisplaySim;
pub use chesslink::ChessLinkSim;
pub use chessnut::ChessnutSim;
pub use clock::ClockSim;
pub use demo_board::{DemoBoard, ShownTimes};
pub use dgt_clock::{DgtClockSim, Glass, Obedience};
pub use dgt3000::Dgt3000Sim;
pub use expanders::ExpandersSim;
pub use gpio_clock::DisplaySim;
pub use halls::HallsSim;
pub use hands::{Also, Manners, Performance, TableKind, Truth, perform};
pub use light_chain::LightChainSim;
pub use maker::{AnyMaker, MakerSim};
pub use registers::RegistersSim;
pub use replay::Replay;
pub use rows::RowsSim;
pub use script::{Script, ScriptError};
pub use switches::{ReaderSim, Switches};
pub use table::Table;
pub use ucb::UcbSim;
pub use works::Works;
