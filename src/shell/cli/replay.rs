//! `rokade replay`: tapes and traces through the core, in virtual time.

use super::{Failure, read};
use crate::game::{Entry, ScoreSheet};
use crate::relay::log::Log;
use crate::relay::pgn::{self, Tags};
use crate::relay::record::{GameRecord, Record};
use crate::sim::still::Rule;
use crate::sim::{self, Script};
use clap::Args;
use shakmaty::KnownOutcome;
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
    /// Read the moves by a plain rule instead, to compare: still:300 takes a position that has been
    /// still for 300 ms and is one legal move away, press one at which the clock is pressed
    #[arg(long, value_name = "RULE", value_parser = rule)]
    rule: Option<Rule>,
    /// The tapes and traces
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

fn rule(name: &str) -> Result<Rule, String> {
    Rule::parse(name).ok_or_else(|| "there is still:MILLISECONDS, and press".to_owned())
}

/// What a file came to: the record, the game, and its result.
struct Outcome {
    entries: Vec<Entry>,
    sheet: Option<ScoreSheet>,
    outcome: Option<KnownOutcome>,
}

impl Replay {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let mut out = BufWriter::new(std::io::stdout().lock());
        let mut games = String::new();
        for path in &self.files {
            let script = parse(path)?;
            let outcome = self.outcome(&script);
            self.print(&outcome, &mut out).map_err(Failure::io("cannot write the record"))?;
            games.push_str(&pgn_of(&script, &outcome));
        }
        out.flush().map_err(Failure::io("cannot write the record"))?;
        if let Some(path) = &self.pgn {
            std::fs::write(path, games)
                .map_err(Failure::io(format!("{}: cannot be written", path.display())))?;
        }
        Ok(())
    }

    fn outcome(&self, script: &Script) -> Outcome {
        let sim::Replay { entries, game } = sim::Replay::run(script);
        if let Some(rule) = self.rule {
            let read = rule.read(&entries);
            let (sheet, entries) = read.map(|read| (read.sheet, read.entries)).unzip();
            return Outcome { entries: entries.unwrap_or_default(), sheet, outcome: None };
        }
        let outcome = game.play().and_then(|play| play.ending()).map(|end| end.outcome);
        Outcome { entries, sheet: game.play().map(|play| play.sheet().clone()), outcome }
    }

    fn print(&self, replay: &Outcome, out: &mut impl Write) -> std::io::Result<()> {
        let mut log = Log::default();
        for entry in &replay.entries {
            let at = entry.at.mono;
            if self.json {
                writeln!(out, "{}", Record::new(at.millis(), &entry.fact).to_json())?;
            } else if let Some(line) = log.line(&entry.fact) {
                writeln!(out, "{:>9}  {line}", at.to_string())?;
            }
        }
        match &replay.sheet {
            Some(sheet) if self.json => {
                writeln!(out, "{}", GameRecord::new(sheet, replay.outcome).to_json())
            }
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

fn pgn_of(script: &Script, replay: &Outcome) -> String {
    let Some(sheet) = &replay.sheet else { return String::new() };
    let tags = Tags {
        event: script.header.event.clone(),
        white: script.header.white.clone(),
        black: script.header.black.clone(),
        time_control: script.header.time_control.clone(),
        ..Tags::default()
    };
    pgn::render(&tags, sheet, sheet.len(), replay.outcome)
}
