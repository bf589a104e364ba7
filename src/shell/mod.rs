//! Everything that touches the world: devices, disk, network, clocks. It stamps what happens,
//! hands it to the core, carries out what the core asks for, and does nothing else.

pub mod apart;
pub mod board;
mod board_clock;
mod bridge_clock;
pub mod cli;
pub mod config;
pub mod copy;
pub mod disk;
#[cfg(feature = "pi")]
pub mod gpio;
pub mod http;
#[cfg(feature = "pi")]
pub mod i2c;
pub mod journal;
pub mod keeper;
pub mod now;
pub mod orders;
pub mod own_clock;
#[cfg(feature = "pi")]
pub mod pi_clock;
pub mod pty;
pub mod publish;
pub mod record;
pub mod run;
pub mod serial;
pub mod status;
pub mod tape;
