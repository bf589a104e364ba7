//! From what the sensors read to the moves that explain it.
//!
//! A chess board with sensors never shows moves. It shows placements, most of them in the middle
//! of some hand's business: pieces lifted, dragged over squares, adjusted, carried off, half on a
//! line. This layer keeps the few *lines* of legal moves that explain the placements best, several
//! at once. They branch at every change of the board, and what each leaves unexplained is weighed
//! by the second and when a clock is pressed. It knows nothing of wires, of articles of the Laws or
//! of the clock's time.

pub mod audit;
pub mod bridge;
pub mod costs;
pub mod heard;
pub mod history;
pub mod illegal;
pub mod legal;
pub mod line;
pub mod memory;
pub mod mismatch;
pub mod past;
pub mod repair;
pub mod retrace;
pub mod search;
pub mod tracker;
pub mod weigh;

pub use line::{Completion, Line, Ply};
pub use memory::{Misfit, Recalled, Step};
pub use mismatch::Mismatch;
pub use tracker::Tracker;
