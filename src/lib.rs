//! Rokade reads the sensors of a chess board, works out the moves as the FIDE Laws define them,
//! and keeps the record that an arbiter can trust.

pub mod sim;
pub mod time;
pub mod wire;
