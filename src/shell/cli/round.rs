//! `rokade round`: who plays in the next round, to the daemon that runs.

use super::Failure;
use super::order::Author;
use crate::shell::config::Config;
use crate::shell::orders::Request;
use clap::Args;

/// Reads who plays in a round from the list of pairings, for the daemon that runs on this machine.
///
/// The list is the file that `pairings` in [event] names; it is read anew each time. Who plays goes
/// on the record of each board, for its next game, and for one that has begun and has no moves. A
/// game that is on stays as it is, unless --now says that it is one of this round already; one that
/// is over stays as it is in any case.
///
/// A list with a fault is not used: the boards go on with what they had.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  rokade round next                       the round after the one that is on
  rokade round 3                          round 3, also if its list was corrected
  rokade round 3 --board table-4 --now    the game that is on at this board is of round 3
  rokade round 3 --board table-4 --anew   what was played there is none of round 3; the next is")]
pub(super) struct Round {
    /// The number of the round, or next
    #[arg(value_name = "ROUND")]
    round: String,
    /// Only this board
    #[arg(long, value_name = "NAME")]
    board: Option<String>,
    /// The games that are on are of this round, too
    #[arg(long)]
    now: bool,
    /// What was played at this board since the round was paired does not count: the next game does
    #[arg(long, requires = "board", conflicts_with = "now")]
    anew: bool,
    #[command(flatten)]
    author: Author,
}

impl Round {
    pub(super) fn run(
        &self,
        config: impl FnOnce() -> Result<Config, Failure>,
    ) -> Result<(), Failure> {
        let request = Request {
            board: self.board.clone(),
            round: Some(self.round.clone()),
            now: self.now,
            anew: self.anew,
            ..Request::default()
        };
        self.author.have_done(request, config)
    }
}
