//! `rokade demo`: the whole daemon at work, on a board that is only simulated.

use super::daemon::failure;
use super::tools::{Game, SimulateOptions};
use super::{Failure, chain, runtime, start_tracing};
use crate::shell::config::{Board, Config, Http};
use crate::shell::pty::PtyError;
use crate::shell::publish::Echo;
use crate::shell::run;
use clap::Args;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tracing::debug;

/// After the hands have ended the daemon gets this long to come to its conclusions: more than the
/// kings in the center have to stand.
const LAST_LOOK: Duration = Duration::from_secs(4);

/// A simulated board and clock behind a real pseudo-terminal play a game with human hands; the
/// daemon reads them as it would read a board on a cable. Prints the arbiter's log and the address
/// of the page.
#[derive(Debug, Args)]
pub(super) struct Demo {
    #[command(flatten)]
    simulate: SimulateOptions,
    /// Where the page is served
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8960")]
    listen: SocketAddr,
    /// Keep the journal and the PGN in this folder, instead of a temporary one
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    /// End when the game has ended, instead of serving the page until Ctrl-C
    #[arg(long)]
    once: bool,
}

impl Demo {
    pub(super) fn run(&self, verbose: u8) -> Result<(), Failure> {
        if verbose > 0 {
            start_tracing(verbose);
        }
        let game = self.simulate.game()?;
        let (folder, is_temporary) = match &self.keep {
            Some(folder) => (folder.clone(), false),
            None => (temporary_folder()?, true),
        };
        let done = runtime()?.block_on(self.play(game, &folder));
        if is_temporary {
            // It holds nothing that anyone was promised.
            std::fs::remove_dir_all(&folder).ok();
        }
        done
    }

    async fn play(&self, game: Game, folder: &Path) -> Result<(), Failure> {
        let (stub, actor) = self.simulate.open(&game, None)?;
        let board = tokio::spawn(actor.run());
        let config = Config {
            state_dir: folder.to_owned(),
            http: Http { enabled: true, listen: self.listen },
            boards: vec![Board {
                name: "demo".to_owned(),
                port: stub.path().display().to_string(),
                white: game.white.clone(),
                black: game.black.clone(),
                event: game.event.clone(),
                ..Board::default()
            }],
        };
        let port = stub.path();
        let journal = folder.join("demo");
        let ready = |address: Option<SocketAddr>| {
            let page = address.map_or_else(|| "none".to_owned(), |it| format!("http://{it}/"));
            let (port, journal) = (port.display(), journal.display());
            say(&format!("Board     {port} (simulated)\nPage      {page}\nJournal   {journal}"));
            say("Stop it with Ctrl-C.\n");
        };
        let is_once = self.once;
        let speed = self.simulate.speed();
        let stop = async move {
            let mut stub = stub;
            let played = async {
                stub.woken().await?;
                stub.play(game.script.happenings, speed).await?;
                stub.played().await?;
                // The last position needs its time to be believed, however fast it was reached.
                tokio::time::sleep(LAST_LOOK).await;
                Ok::<_, PtyError>(())
            };
            if let Err(error) = played.await {
                debug!("{}", chain(&error));
            }
            if !is_once {
                say("\nThe game is over; the page stays until Ctrl-C.");
                std::future::pending::<()>().await;
            }
        };
        let ended = run::run(&config, Echo::Stdout, stop, ready).await;
        board.abort();
        ended.map_err(|error| failure(&error))
    }
}

/// Prints for whoever still reads: `head` may have seen enough, but the page goes on.
fn say(text: &str) {
    writeln!(io::stdout(), "{text}").ok();
}

fn temporary_folder() -> Result<PathBuf, Failure> {
    let folder = std::env::temp_dir().join(format!("rokade-demo-{}", std::process::id()));
    std::fs::create_dir_all(&folder)
        .map_err(Failure::io(format!("{}: cannot be made", folder.display())))?;
    Ok(folder)
}
