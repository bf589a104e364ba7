//! `rokade doctor` asks all lines at the same time: one that is silent is waited for, and many
//! would be waited for one after the other.

use super::bus::{self, Looked};
use super::doctor::Diagnosis;
use super::{Failure, ask, runtime};
use crate::shell::bus::lines;
use crate::shell::config::{BoardConfig, Config};
use crate::shell::serial::{LineError, RadioPeer};
use std::collections::BTreeMap;
use tokio::task::{JoinSet, LocalSet};

/// What all lines said that were named and could be asked.
#[derive(Debug, Default)]
pub(super) struct Probes {
    /// Of the boards, by their names.
    pub(super) boards: BTreeMap<String, Vec<Diagnosis>>,
    /// Of the bridges at their clocks.
    pub(super) bridges: BTreeMap<String, Diagnosis>,
    /// Of the lines that boards share, by their ports.
    pub(super) lines: BTreeMap<String, Result<Looked, LineError>>,
}

/// What one line said.
enum Probe {
    Board(String, Vec<Diagnosis>),
    Bridge(String, Diagnosis),
    Line(String, Result<Looked, LineError>),
}

/// Whether the board is asked at a line of its own, by the name of that.
pub(super) fn has_own_line(board: &BoardConfig) -> bool {
    let is_other = board.is_on_pins() || board.is_on_bus() || board.port == "auto";
    !is_other && RadioPeer::parse(&board.port).is_none()
}

/// The addresses in the settings on the line of this port.
pub(super) fn addresses(config: &Config, port: &str) -> Vec<u16> {
    let sharing = lines(config).remove(port).unwrap_or_default();
    sharing.into_iter().map(|(_, address)| address).collect()
}

/// Asks what is at the end of every line of these boards; of one with a line of its own if
/// `may_be_asked`.
pub(super) fn all(
    config: &Config,
    boards: &[&BoardConfig],
    may_be_asked: impl Fn(&BoardConfig) -> bool,
) -> Result<Probes, Failure> {
    let mut asking = JoinSet::new();
    let (runtime, here) = (runtime()?, LocalSet::new());
    let mut lines: Vec<&str> =
        boards.iter().filter(|it| it.is_on_bus()).map(|it| it.port.as_str()).collect();
    lines.sort_unstable();
    lines.dedup();
    for port in lines {
        let (port, addresses) = (port.to_owned(), addresses(config, port));
        asking.spawn_local_on(
            async move {
                let looked = bus::look(&port, &addresses).await;
                Probe::Line(port, looked)
            },
            &here,
        );
    }
    for board in boards {
        if has_own_line(board) && may_be_asked(board) {
            let board = (*board).clone();
            asking.spawn_local_on(
                async move {
                    let found = ask::board(&board, &board.port).await;
                    Probe::Board(board.name, found)
                },
                &here,
            );
        }
        if board.clock.has_port() {
            let board = (*board).clone();
            asking.spawn_local_on(
                async move {
                    let found = ask::bridge(&board).await;
                    Probe::Bridge(board.name, found)
                },
                &here,
            );
        }
    }
    let mut probes = Probes::default();
    for probe in here.block_on(&runtime, asking.join_all()) {
        match probe {
            Probe::Board(name, found) => drop(probes.boards.insert(name, found)),
            Probe::Bridge(name, found) => drop(probes.bridges.insert(name, found)),
            Probe::Line(port, looked) => drop(probes.lines.insert(port, looked)),
        }
    }
    Ok(probes)
}
