//! Everything that touches the world.

pub mod http;
pub mod now;
pub mod pty;
pub mod serial;
pub mod tape;
