//! Rokade reads the sensors of a chess board, works out the moves as the FIDE Laws define them,
//! and keeps the record that an arbiter can trust.
#![doc = include_str!("ARCHITECTURE.md")]

pub mod board;
pub mod clock;
pub mod drive;
pub mod game;
pub mod laws;
pub mod relay;
#[cfg(feature = "shell")]
#[allow(clippy::disallowed_methods, reason = "the shell is where time enters")]
pub mod shell;
pub mod sim;
pub mod table;
pub mod time;
pub mod track;
pub mod wire;
