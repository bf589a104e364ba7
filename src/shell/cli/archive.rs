//! `rokade archive`: old games are taken out of the records.

use super::{Failure, chain, say};
use crate::shell::archive::{self, ArchiveError, Archived};
use crate::shell::config::{BoardConfig, Config};
use clap::Args;
use std::path::PathBuf;

/// The record of each board becomes a folder of its own below FOLDER, which `log`, `export` and
/// `verify` read by `--journal`, and the board begins a new one that names the end of the old.
/// Games are numbered on. The daemon must be stopped for it; do it between events, for the PGN of
/// an event has the games that are on record. A second copy (`copy` of `[journal]`) of the old
/// record stays as it is, and the new one gets a folder beside it.
#[derive(Debug, Args)]
pub(super) struct Archive {
    /// The folder for the old records, for example on a stick; it is created if needed
    #[arg(value_name = "FOLDER")]
    to: PathBuf,
    /// Only this board
    #[arg(long, value_name = "NAME")]
    board: Option<String>,
    /// Archive a record even if its last game has no result
    #[arg(long)]
    unfinished: bool,
}

impl Archive {
    pub(super) fn run(&self, config: &Config) -> Result<(), Failure> {
        let is_meant =
            |board: &&BoardConfig| self.board.as_ref().is_none_or(|it| *it == board.name);
        let boards: Vec<_> = config.boards.iter().filter(is_meant).collect();
        if boards.is_empty() {
            let named = self.board.as_deref().unwrap_or_default();
            return Err(Failure::Usage(format!("there is no board {named:?} in the settings")));
        }
        for board in boards {
            let name = &board.name;
            match archive::archive(&config.folder(board), name, &self.to, self.unfinished) {
                Ok(None) => say(format_args!("{name}: no game is on record"))?,
                Ok(Some(Archived { folder, noted })) => say(format_args!(
                    "{name}: its record is in {} now, up to line {noted}",
                    folder.display()
                ))?,
                Err(error @ ArchiveError::Unfinished(_)) => {
                    return Err(Failure::Usage(error.to_string()));
                }
                Err(error) => return Err(Failure::Journal(chain(&error))),
            }
        }
        Ok(())
    }
}
