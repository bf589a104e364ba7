//! Boards of other makers than DGT: their languages, what is said to them, whole games in virtual
//! time, and games through the real program.

#![allow(clippy::unwrap_used)]

pub(crate) mod bluez;
mod codec;
pub(crate) mod live;
pub(crate) mod radio;
mod talk;
mod whole;
