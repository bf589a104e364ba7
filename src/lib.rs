//! Rokade reads the sensors of a chess board, works out the moves as the FIDE Laws define them,
//! and keeps the record that an arbiter can trust.

#[cfg(feature = "shell")]
#[allow(clippy::disallowed_methods)]
pub mod shell;
pub mod time;
