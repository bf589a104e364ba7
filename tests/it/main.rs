//! All integration tests are one binary; its modules are named after what they hold to account.

mod board_sim;
mod games;
mod hands;
mod simulate;
mod wire;
