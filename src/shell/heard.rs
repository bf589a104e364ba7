//! What comes in from outside, with its time.

use crate::time::Stamp;

/// Something that was heard of a line, a matrix or a board.
#[derive(Debug)]
pub struct Heard<N> {
    /// When it happened; for bytes, when they were read.
    pub at: Stamp,
    /// What was heard.
    pub what: N,
}
