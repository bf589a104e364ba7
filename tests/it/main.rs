//! All integration tests are one binary; its modules are named after what they hold to account.

mod journal;
mod service;
