//! One board's game: the place where sensors, moves, clock and Laws meet.
//!
//! [`Game::handle`] takes what happened, stamped, and says what is to be done about it. It never
//! fails, reads no clock and touches nothing outside itself; the same events give the same effects.

pub mod act;
mod clock;
mod correct;
mod disorder;
mod doubt;
pub mod ear;
pub mod effect;
pub mod entry;
pub mod event;
mod gap;
mod in_hand;
mod join;
pub mod keeping;
mod machine;
mod memory;
mod minutes;
mod order_start;
mod orders;
mod over;
mod play;
mod recorder;
pub mod recover;
pub mod rules;
pub mod score;
pub mod settings;
mod standing;
mod start;
pub mod terms;
mod timers;
mod watch;

pub use ear::Ear;
pub use effect::Effect;
pub use entry::{Basis, Entry, Fact, LinkState, Ruled, Stage};
pub use event::{Driving, Event};
pub use keeping::Keeping;
pub use machine::Game;
pub use orders::Act;
pub use play::{OrderError, Play};
pub use recover::{Kept, RecoverError, Recovered};
pub use rules::Clocked;
pub use score::{Completed, Gap, ScoreSheet, Scored, Unknown, Unplayable};
pub use settings::{BoardKind, ClockRole, Settings};
