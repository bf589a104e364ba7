//! `rokade run`: the daemon.

use super::{Failure, chain, runtime, start_tracing};
use crate::shell::config::{Config, ConfigError};
use crate::shell::journal::leads_nowhere;
use crate::shell::now::Now;
use crate::shell::run::{self, RunError, RunMode};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use tracing::info;

/// What a daemon makes that somebody started by hand is its user's alone. The unit gives the
/// service's group a share (`StateDirectoryMode=`, `UMask=`).
const PRIVATE: rustix::fs::Mode = rustix::fs::Mode::RWXG.union(rustix::fs::Mode::RWXO);

pub(super) fn run(config: &Config, verbose: u8) -> Result<(), Failure> {
    if let Some(why) = leads_nowhere(&config.state_dir) {
        // A disk that is there and does not take the record is another matter.
        let path = config.state_dir.clone();
        return Err(ConfigError::Wrong { path, why }.into());
    }
    let _log = start_tracing(verbose);
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
    let ready = |address: Option<SocketAddr>| {
        if let Some(address) = address {
            info!("the page is at {}", openable(address));
        }
    };
    runtime()?
        .block_on(run::run(
            config,
            Now::start(),
            run::OwnClocks::new(),
            RunMode::Service,
            std::future::pending(),
            ready,
        ))
        .map_err(|error| failure(&error))
}

/// The addresses under which a person can open the page: a server that listens everywhere is found
/// by the machine's name and by its address in the network.
pub(super) fn openable(address: SocketAddr) -> String {
    if !address.ip().is_unspecified() {
        return format!("http://{address}/");
    }
    let port = address.port();
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = match name.trim() {
        "" => "localhost",
        named => named,
    };
    let mut found = vec![format!("http://{name}:{port}/")];
    found.extend(own_address().map(|ip| format!("http://{}/", SocketAddr::new(ip, port))));
    found.join(" or ")
}

/// This machine's address in the network, if it is in one. Nothing is sent.
fn own_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    // An address that is kept for examples: the way to it is the way out. RFC 5737.
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    socket.local_addr().ok().map(|address| address.ip()).filter(|ip| !ip.is_unspecified())
}

/// Sorts what ended the daemon into the classes of exit codes.
pub(super) fn failure(error: &RunError) -> Failure {
    match error {
        RunError::Taken { .. } | RunError::Record { .. } => Failure::Journal(chain(error)),
        RunError::Listen { .. } => Failure::Address(chain(error)),
        RunError::Threads(_) | RunError::Signals(_) => Failure::Other(chain(error)),
    }
}
