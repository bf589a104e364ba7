//! Clocks that the host runs for a game: it keeps the time, and the clock shows it.
//!
//! A desk is told what goes on record and what the referee orders, and says what is to be sent to
//! the clock and what the game is to hear of it. Pure as the game is: no clock is read here, and
//! nothing outside is touched.

pub mod clock_desk;
mod obey;
pub mod own_clock;

pub use clock_desk::{ArbiterCall, ClockDesk, PortAct, PortDesk, Starter};
pub use own_clock::{OwnAct, OwnClock, OwnOrder};
