//! Boards, clocks and hands that exist only in memory: what replay, demo and tests play on.
//!
//! Pure like the core: time is passed in, chance comes from a seed, bytes go in and out by value.

pub mod replay;
pub mod script;

pub use replay::Replay;
pub use script::{Script, ScriptError};
