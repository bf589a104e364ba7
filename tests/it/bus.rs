//! Many boards on one line: their words, who is asked when, and games through the real program.

#![allow(clippy::unwrap_used)]

mod asked;
mod away;
mod codec;
pub(crate) mod house;
pub(crate) mod live;
mod talk;
