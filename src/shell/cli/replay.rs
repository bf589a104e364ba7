//! `rokade replay`: tapes and traces through the core, in virtual time.

use super::{Failure, read};
use crate::relay::log::Log;
use crate::relay::pgn::{self, Tags};
use crate::relay::record::{GameRecord, Record};
use crate::sim::{self, Script};
use clap::Args;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Tapes are what `rokade record` writes: the bytes of a real board. Traces say what the sensors
/// and the clock buttons report; a simulated board plays them. Either way nothing waits: a two-hour
/// game takes milliseconds.
#[derive(Debug, Args)]
pub(super) struct Replay {
    /// Print the record as JSON, one object a line, instead of the arbiter's log
    #[arg(long)]
    json: bool,
    /// Write the games as PGN to this file
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// The tapes and traces
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

impl Replay {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let mut out = BufWriter::new(std::io::stdout().lock());
        let mut games = String::new();
        for path in &self.files {
            let script = parse(path)?;
            let replay = sim::Replay::run(&script);
            self.print(&replay, &mut out).map_err(Failure::io("cannot write the record"))?;
            games.push_str(&pgn_of(&script, &replay));
        }
        out.flush().map_err(Failure::io("cannot write the record"))?;
        if let Some(path) = &self.pgn {
            std::fs::write(path, games)
                .map_err(Failure::io(format!("{}: cannot be written", path.display())))?;
        }
        Ok(())
    }

    fn print(&self, replay: &sim::Replay, out: &mut impl Write) -> std::io::Result<()> {
        let mut log = Log::default();
        for entry in &replay.entries {
            let at = entry.at.mono;
            if self.json {
                writeln!(out, "{}", Record::new(at.millis(), &entry.fact).to_json())?;
            } else if let Some(line) = log.line(&entry.fact) {
                writeln!(out, "{:>9}  {line}", at.to_string())?;
            }
        }
        match replay.game.play() {
            Some(play) if self.json => writeln!(out, "{}", GameRecord::new(play).to_json()),
            Some(_) => Ok(()),
            None => {
                eprintln!("rokade: no start position came up, so no game was recorded");
                Ok(())
            }
        }
    }
}

fn parse(path: &Path) -> Result<Script, Failure> {
    Script::parse(&read(path)?).map_err(|e| Failure::Input(format!("{}, {e}", path.display())))
}

fn pgn_of(script: &Script, replay: &sim::Replay) -> String {
    let Some(play) = replay.game.play() else { return String::new() };
    let tags = Tags {
        event: script.header.event.clone(),
        white: script.header.white.clone(),
        black: script.header.black.clone(),
        time_control: script.header.time_control.clone(),
        ..Tags::default()
    };
    let outcome = play.ending().map(|ending| ending.outcome);
    pgn::render(&tags, play.sheet(), play.sheet().len(), outcome)
}
