//! All integration tests are one binary; its modules are named after what they hold to account.

mod board_sim;
#[cfg(feature = "web")]
mod browser;
#[cfg(feature = "web")]
mod chromium;
mod http;
mod replay;
mod stage;
mod wire;
mod journal;
mod service;
