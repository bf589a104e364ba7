//! Boards of other makers than DGT: their languages, what is said to them, whole games in virtual
//! time, and games through the real program.

#![allow(clippy::unwrap_used)]

mod codec;
mod live;
mod talk;
mod whole;
