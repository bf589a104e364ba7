//! What the FIDE Laws say about what was seen. This layer knows positions and facts, not sensors.

pub mod finding;
pub mod outcome;

pub use finding::{Finding, FindingKind, Severity};
pub use outcome::{Ending, Reason};
