//! One board's game: the place where sensors, moves, clock and Laws meet.
//!
//! [`Game::handle`] takes what happened, stamped, and says what is to be done about it. It never
//! fails, reads no clock and touches nothing outside itself; the same events give the same effects.

mod bench;
mod clock;
mod delay;
pub mod ear;
pub mod effect;
pub mod entry;
pub mod event;
mod faulty;
pub mod keeping;
mod machine;
mod own_board;
pub mod pairing;
mod play;
mod recorder;
pub mod recover;
pub mod score;
pub mod settings;
pub mod terms;
mod trail;

pub use crate::board::BoardKind;
pub use delay::{Delay, RoundDelays};
pub use ear::Ear;
pub use effect::Effect;
pub use entry::{Basis, Entry, Fact, LinkState, Ruled};
pub use event::{Clocked, Driving, Event};
pub use keeping::Keeping;
pub use machine::Game;
pub use pairing::{Paired, PairedFor, Pairing, Player};
pub use play::{OrderError, Play};
pub use recover::{ClockOnRecord, RecoverError, Recovered};
pub use score::{Completed, Gap, ScoreSheet, Scored, Unknown, Unplayable};
pub use settings::{ClockRole, LightCause, Lights, Lit, Settings};
