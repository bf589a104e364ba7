//! `rokade round`: who plays in the next round, to the daemon that runs.

use super::Failure;
use super::order::Author;
use crate::shell::config::Config;
use crate::shell::orders::Request;
use clap::Args;

/// Reads the pairings of a round from the list, for the daemon that runs on this machine.
///
/// The list is the file that `pairings` in [event] names; it is read again each time. The players
/// go on the record of each board, for its next game or for a game that has no moves yet. A game in
/// progress stays as it is, unless --now says that it already belongs to this round; a finished
/// game stays as it is in any case.
///
/// A list with an error is not used: the boards keep the pairings that they have.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  rokade round next                       the round after the current one
  rokade round 3                          round 3, or round 3 again after its list was corrected
  rokade round 3 --board table-4 --now    this board's game in progress belongs to round 3
  rokade round 3 --board table-4 --anew   only this board's next game belongs to round 3")]
pub(super) struct Round {
    /// The number of the round, or next
    #[arg(value_name = "ROUND")]
    round: String,
    /// Only this board
    #[arg(long, value_name = "NAME")]
    board: Option<String>,
    /// Games in progress belong to this round, too
    #[arg(long)]
    now: bool,
    /// Games played at this board since the round was paired do not count; the next one does
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
