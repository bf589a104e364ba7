//! All integration tests are one binary; its modules are named after what they hold to account.

mod board_sim;
mod bounds;
#[cfg(feature = "web")]
mod browser;
mod bus;
mod chaos;
#[cfg(feature = "web")]
mod chromium;
mod cli;
mod clock;
mod clocks;
mod config;
mod copy;
mod daemon;
mod delay;
mod effects;
mod games;
mod hall;
mod hands;
mod http;
mod journal;
mod laws;
mod line;
mod live;
mod livechess;
mod makers;
mod matrix;
mod memory;
mod narrow;
mod oracle;
mod orders;
mod program;
mod replay;
mod sensors;
mod service;
mod shown;
mod simulate;
mod space;
mod stage;
mod stall;
mod table;
mod tidy;
mod timekeeper;
mod track;
mod trouble;
mod wire;
