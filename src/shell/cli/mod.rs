//! The command line: what can be asked for, and how failure is told.

#![deny(clippy::print_stdout)]

mod archive;
mod ask;
mod backup;
mod boot;
mod bus;
mod chips;
mod clock;
mod daemon;
mod demo;
mod doctor;
mod export;
mod games;
mod halls;
mod interview;
mod laws;
mod lights;
mod log;
mod machine;
mod order;
mod probe;
mod replay;
mod round;
mod setup;
mod sim_bus;
mod sim_desk;
mod sim_matrix;
mod sim_sign;
mod status;
mod switches;
mod tools;
mod troubles;

use super::config::{BoardConfig, Config, ConfigError};
use super::record::RecordError;
use clap::{Args, Parser, Subcommand};
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Records chess games from electronic boards by the FIDE Laws.
///
/// Reads the sensors of a chess board, works out the moves, keeps a record that an arbiter can
/// trust, and shows the game on a page. Try it without a board: `rokade demo`.
#[derive(Debug, Parser)]
#[command(version, propagate_version = true, max_term_width = 100)]
pub struct Cli {
    /// The settings file [default: /etc/rokade/rokade.toml, if it exists]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print more in the program's own log: -v for messages, -vv for bytes
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    verbose: u8,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write the settings file by answering questions
    Setup(setup::SetupCommand),
    /// Run the daemon: every board in the configuration
    Run,
    /// Play a famous game on a simulated board, with the whole daemon at work
    Demo(demo::Demo),
    /// Run tapes and traces through the core in virtual time
    Replay(replay::ReplayCommand),
    /// Write the bytes of a real board to a tape
    Record(tools::RecordCommand),
    /// Show the state of the running daemon's boards
    Status(status::StatusCommand),
    /// Check ports and boards, and learn how switches are wired
    Doctor(doctor::Doctor),
    /// Show or set the clock on the table
    Clock(clock::Clock),
    /// Offer a simulated board to any program, or play many games through the core
    Simulate(tools::Simulate),
    /// Print the arbiter's log
    Log(log::LogCommand),
    /// Print recorded games as PGN, JSON or score sheets, or put all records into one file
    Export(export::Export),
    /// Import the records of a backup, or of another machine
    Import(backup::Import),
    /// Move old games from the records to another folder
    Archive(archive::Archive),
    /// Check that the journal is whole and unchanged
    Verify(log::Verify),
    /// Give an arbiter's order, or enter what a player says
    Order(order::OrderCommand),
    /// Read the pairings of a round
    Round(round::Round),
    /// Print what the Laws say and how the program applies them
    Laws(laws::Laws),
}

/// Which board's journal is meant.
#[derive(Debug, Args)]
struct Which {
    /// Only this board, instead of all boards in the settings
    #[arg(long, value_name = "NAME")]
    board: Option<String>,
    /// The folder of a journal, instead of those in the settings
    #[arg(long, value_name = "FOLDER", conflicts_with = "board")]
    journal: Option<PathBuf>,
}

/// A board's journal.
#[derive(Clone, Debug)]
struct JournalPlace {
    /// The board's name, where several are meant.
    board: Option<String>,
    folder: PathBuf,
}

impl JournalPlace {
    /// The board's name; that of its folder, where no board of the configuration is meant.
    fn name(&self, config: &Config) -> String {
        let board = config.boards.iter().find(|board| config.folder(board) == self.folder);
        let folder = || Some(self.folder.file_name()?.to_string_lossy().into_owned());
        board.map(|board| board.name.clone()).or_else(folder).unwrap_or_default()
    }
}

impl Which {
    /// The journals that are meant: the named one, or those of all boards.
    fn places(&self, config: &Config) -> Result<Vec<JournalPlace>, Failure> {
        if let Some(folder) = &self.journal {
            return Ok(vec![JournalPlace { board: None, folder: existing(folder.clone())? }]);
        }
        let is_meant =
            |board: &&BoardConfig| self.board.as_ref().is_none_or(|it| *it == board.name);
        let meant: Vec<_> = config.boards.iter().filter(is_meant).collect();
        match (meant.as_slice(), &self.board) {
            ([], named) => {
                let known: Vec<_> = config.boards.iter().map(|board| &*board.name).collect();
                let (named, known) = (named.as_deref().unwrap_or_default(), known.join(", "));
                Err(Failure::Usage(format!("no board {named:?}; known: {known}")))
            }
            ([only], _) => {
                Ok(vec![JournalPlace { board: None, folder: existing(config.folder(only))? }])
            }
            (several, _) => Ok(several
                .iter()
                .map(|board| JournalPlace {
                    board: Some(board.name.clone()),
                    folder: config.folder(board),
                })
                .collect()),
        }
    }

    /// Does `each` for every journal that is meant. What goes wrong with one is told with the
    /// others', once all have been looked at.
    fn for_each(
        &self,
        config: &Config,
        mut each: impl FnMut(&JournalPlace) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut failed = Vec::new();
        for place in self.places(config)? {
            match existing(place.folder.clone()).and_then(|_| each(&place)) {
                Err(failure @ Failure::Journal(_)) => failed.push(failure),
                other => other?,
            }
        }
        if failed.len() > 1 {
            let all: Vec<_> = failed.iter().map(|failure| chain(failure)).collect();
            return Err(Failure::Journal(all.join("; ")));
        }
        failed.pop().map_or(Ok(()), Err)
    }
}

fn existing(folder: PathBuf) -> Result<PathBuf, Failure> {
    let why = match folder.read_dir() {
        Ok(_) => return Ok(folder),
        Err(e) if e.kind() == io::ErrorKind::PermissionDenied => {
            "you may not read the journal; as root, `usermod -aG rokade YOUR-NAME` lets you, once \
             you have logged in again"
        }
        Err(_) => {
            "there is no journal; name its folder with --journal, or start `rokade run` first"
        }
    };
    Err(Failure::Journal(format!("{}: {why}", folder.display())))
}

/// Why a command failed. Each class has its exit code.
#[derive(Debug, thiserror::Error)]
enum Failure {
    /// The arguments fit together badly. Exit code 2, as clap's.
    #[error("{0}")]
    Usage(String),
    /// Exit code 3.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// No board, or no daemon, or not ours to use. Exit code 4.
    #[error("{0}")]
    Device(String),
    /// Exit code 5.
    #[error("{0}")]
    Journal(String),
    /// A file that was to be read is not what it should be. Exit code 6.
    #[error("{0}")]
    Input(String),
    /// An address is taken, or cannot be had. Exit code 8.
    #[error("{0}")]
    Address(String),
    /// The referee, or the record, does not take an order. Exit code 7.
    #[error("refused: {0}")]
    Refused(String),
    /// Anything else. Exit code 1.
    #[error("{what}")]
    Io {
        /// What was tried.
        what: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// What the daemon cannot do without. Exit code 1.
    #[error("{0}")]
    Other(String),
}

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Self {
        Self::Journal(chain(&error))
    }
}

impl Failure {
    fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |source| Self::Io { what, source }
    }

    fn code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Config(_) => 3,
            Self::Device(_) => 4,
            Self::Journal(_) => 5,
            Self::Input(_) => 6,
            Self::Refused(_) => 7,
            Self::Address(_) => 8,
            Self::Io { .. } | Self::Other(_) => 1,
        }
    }
}

/// An error with its causes, as one sentence.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

/// Reads the command line, does what it says, and returns the exit code.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    match dispatch(&cli) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads our output, `head` say, has seen enough.
        Err(Failure::Io { source, .. }) if source.kind() == io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("rokade: {}", chain(&failure));
            ExitCode::from(failure.code())
        }
    }
}

fn dispatch(cli: &Cli) -> Result<(), Failure> {
    let config = || Config::load_apart(cli.config.as_deref());
    // What is about one board has nothing to go on with if that is at fault.
    let whole = || Config::load(cli.config.as_deref());
    match &cli.command {
        Command::Setup(setup) => setup.run(cli.config.as_deref()),
        Command::Run => daemon::run(&config()?, cli.verbose),
        Command::Demo(demo) => demo.run(cli.config.as_deref(), cli.verbose),
        // What replays a file by itself reads no configuration of this machine.
        Command::Replay(replay) => {
            let config = cli.config.is_some().then(whole).transpose()?;
            replay.run(config.as_ref())
        }
        Command::Record(record) => record.run(&whole()?, cli.verbose),
        Command::Status(status) => status.run(|| Ok(config()?)),
        Command::Doctor(doctor) => doctor.run(config()),
        Command::Clock(clock) => clock.run(&whole()?, cli.verbose),
        Command::Simulate(simulate) => simulate.run(cli.verbose),
        Command::Log(log) => log.run(&config()?),
        Command::Export(export) => export.run(cli.config.as_deref()),
        Command::Import(import) => import.run(cli.config.as_deref()),
        Command::Archive(archive) => archive.run(&config()?),
        Command::Verify(verify) => verify.run(&config()?),
        Command::Order(order) => order.run(|| Ok(config()?)),
        Command::Round(round) => round.run(|| Ok(config()?)),
        Command::Laws(laws) => laws.run(),
    }
}

/// Prints a line for the user.
///
/// # Errors
/// Nobody reads it any more, or the file that it goes to takes no more.
fn say(line: impl fmt::Display) -> Result<(), Failure> {
    writeln!(io::stdout(), "{line}").map_err(Failure::io("cannot print"))
}

/// Reads a text file that the user named.
fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path)
        .map_err(|e| Failure::Input(format!("{}: cannot be read: {e}", path.display())))
}

/// Puts a text in the place of a file, whole or not at all.
fn replace(path: &Path, text: &str) -> Result<(), Failure> {
    crate::shell::folder::replace(path, text)
        .and_then(|()| std::fs::File::open(path)?.sync_all())
        .map_err(|e| Failure::Device(format!("{}: cannot be written: {e}", path.display())))
}

/// The program's own log: to the system's journal under systemd, else to standard error. A thread
/// of its own writes there, for what reads it, or the disk below, may stand still; it goes on until
/// what is returned is dropped.
#[must_use]
fn start_tracing(verbose: u8) -> Option<tracing_appender::non_blocking::WorkerGuard> {
    use tracing_subscriber::prelude::*;
    let level = match verbose {
        0 => "info",
        1 => "debug",
        _ => "trace",
    };
    let filter = tracing_subscriber::EnvFilter::try_from_env("ROKADE_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(level));
    let registry = tracing_subscriber::registry().with(filter);
    let journald = std::env::var_os("JOURNAL_STREAM").and(tracing_journald::layer().ok());
    // Fails only if a log is set up already, as in a test.
    if let Some(layer) = journald {
        registry.with(layer).try_init().ok();
        return None;
    }
    let (writer, guard) = tracing_appender::non_blocking(io::stderr());
    let layer = tracing_subscriber::fmt::layer()
        .with_writer(writer)
        .with_target(false)
        .with_ansi(io::IsTerminal::is_terminal(&io::stderr()));
    registry.with(layer).try_init().ok();
    Some(guard)
}

/// So many devices are set up at once, at most; the others wait for their turn.
const OPENING_MAX: usize = 16;

/// The one-threaded runtime that the boards run on.
fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(OPENING_MAX)
        .build()
        .map_err(Failure::io("cannot start the event loop"))
}
