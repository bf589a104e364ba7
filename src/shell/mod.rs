//! Everything that touches the world: devices, disk, network, clocks. It stamps what happens,
//! hands it to the core, carries out what the core asks for, and does nothing else.

pub mod apart;
pub mod backoff;
pub mod board;
pub mod book;
mod bus;
pub mod cli;
pub mod clock;
pub mod config;
pub mod copy;
pub mod counts;
pub mod delays;
pub mod disk;
pub mod folder;
pub mod gate;
pub mod heard;
pub mod host;
pub mod http;
pub mod journal;
pub mod keeper;
mod link;
pub mod matrix;
pub mod now;
pub mod orders;
pub mod pairings;
mod pins;
pub mod pty;
pub mod publish;
pub mod push;
pub mod record;
mod reload;
pub mod report;
pub mod run;
pub mod serial;
pub mod status;
pub mod tape;
