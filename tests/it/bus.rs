//! Many boards on one line: their words, who is asked when, and games through the real program.

#![allow(clippy::unwrap_used)]

mod codec;
mod house;
mod live;
mod talk;
