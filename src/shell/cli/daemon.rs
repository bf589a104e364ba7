//! `rokade run`: the daemon.

use super::{Failure, chain, runtime, start_tracing};
use crate::shell::config::Config;
use crate::shell::now::Now;
use crate::shell::run::{self, Manner, RunError};
use tracing::info;

/// What a daemon makes that somebody started by hand is its user's alone. The unit gives the
/// service's group a share (`StateDirectoryMode=`, `UMask=`).
const PRIVATE: rustix::fs::Mode = rustix::fs::Mode::RWXG.union(rustix::fs::Mode::RWXO);

pub(super) fn run(config: &Config, verbose: u8) -> Result<(), Failure> {
    start_tracing(verbose);
    if std::env::var_os("STATE_DIRECTORY").is_none() {
        rustix::process::umask(PRIVATE);
    }
    for board in &config.boards {
        info!(
            board = board.name,
            port = board.port,
            journal = %config.folder(board).display(),
            "starting"
        );
    }
    let ready = |address: Option<std::net::SocketAddr>| {
        if let Some(address) = address {
            info!("the demo board is at http://{address}/");
        }
    };
    runtime()?
        .block_on(run::run(
            config,
            Now::start(),
            run::Clocks::new(),
            Manner::Service,
            std::future::pending(),
            ready,
        ))
        .map_err(|error| failure(&error))
}

/// Sorts what ended the daemon into the classes of exit codes.
pub(super) fn failure(error: &RunError) -> Failure {
    match error {
        RunError::Taken { .. } | RunError::Record { .. } => Failure::Journal(chain(error)),
        RunError::Listen { .. } => Failure::Usage(chain(error)),
        RunError::Threads(_) | RunError::Signals(_) => Failure::Other(chain(error)),
    }
}
