//! Boards of other makers than DGT: their languages, what is said to them, whole games in virtual
//! time, and games through the real program.

#![allow(clippy::unwrap_used)]

mod bluez;
mod codec;
mod live;
mod radio;
mod talk;
mod whole;
