//! `rokade replay`: tapes and traces through the core, in virtual time.

use super::{Failure, read};
use crate::clock::TimeControl;
use crate::game::{Entry, Fact, Game, Recovered, ScoreSheet, Settings};
use crate::laws::Edition;
use crate::relay;
use crate::relay::log::Log;
use crate::relay::pgn::{self, Tags};
use crate::relay::record::{GameRecord, Record};
use crate::shell::config::{BoardConfig, Config};
use crate::sim::script::Header;
use crate::sim::still::Rule;
use crate::sim::trouble::Trouble;
use crate::sim::{self, Script};
use clap::Args;
use shakmaty::KnownOutcome;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Tapes are what `rokade record` writes: the bytes of a real board. Traces say what the sensors
/// and the clock buttons report; a simulated board plays them. Either way nothing waits: a two-hour
/// game takes milliseconds.
#[derive(Debug, Args)]
pub(super) struct ReplayCommand {
    /// Print the record as JSON, one object per line, instead of the arbiter's log
    #[arg(long)]
    json: bool,
    /// Also print what else the open moves may have been, and how unlikely that is
    #[arg(long, conflicts_with_all = ["json", "rule"])]
    lines: bool,
    /// Write the games as PGN to this file
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Find the moves by a plain rule instead, for comparison: still:300 takes any position that
    /// has been still for 300 ms and is one legal move away, press any at which the clock is
    /// pressed
    #[arg(long, value_name = "RULE", value_parser = rule)]
    rule: Option<Rule>,
    /// Seat a referee of this edition: hu2005, dk2009, no2009, m2018 or m2023
    #[arg(long, value_name = "EDITION")]
    laws: Option<Edition>,
    /// The time control, such as 90m+30s, instead of the file's own or that of --config
    #[arg(long, value_name = "CONTROL")]
    time_control: Option<TimeControl>,
    /// The board of --config whose settings to use, if there are several
    #[arg(long, value_name = "NAME")]
    board: Option<String>,
    /// The tapes and traces
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

fn rule(name: &str) -> Result<Rule, String> {
    Rule::parse(name).ok_or_else(|| "use still:MILLISECONDS or press".to_owned())
}

/// What a file came to: the record, the game, and its result.
struct Outcome {
    entries: Vec<Entry>,
    /// What was held to have been played, behind so many entries.
    held: Vec<(usize, Vec<String>)>,
    /// The games before the last one.
    earlier: Vec<(ScoreSheet, Option<KnownOutcome>)>,
    sheet: Option<ScoreSheet>,
    outcome: Option<KnownOutcome>,
}

impl ReplayCommand {
    /// Replays the files with the settings of `config`, if one is named.
    pub(super) fn run(&self, config: Option<&Config>) -> Result<(), Failure> {
        let board = self.board_of(config)?;
        let mut out = BufWriter::new(std::io::stdout().lock());
        let mut games = String::new();
        for path in &self.files {
            let script = parse(path)?;
            let outcome = self.outcome(&script, &board);
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

    /// The board whose settings hold; without a configuration one that nothing is set of.
    fn board_of(&self, config: Option<&Config>) -> Result<BoardConfig, Failure> {
        let mut board = match (config, &self.board) {
            (None, None) => BoardConfig::default(),
            (None, Some(_)) => {
                let why = "--board names a board of a configuration; give that with --config";
                return Err(Failure::Usage(why.to_owned()));
            }
            (Some(config), None) => config.boards[0].clone(),
            (Some(config), Some(name)) => {
                let found = config.boards.iter().find(|board| board.name == *name);
                let known: Vec<_> = config.boards.iter().map(|board| &*board.name).collect();
                let known = known.join(", ");
                let none = || Failure::Usage(format!("no board {name:?}; known: {known}"));
                found.ok_or_else(none)?.clone()
            }
        };
        if let Some(laws) = self.laws {
            board.laws = laws.word().to_owned();
        }
        Ok(board)
    }

    /// What `board` is set to, for a file that says more of its own game.
    fn settings(&self, header: &Header, board: &BoardConfig) -> Settings {
        let mut board = board.clone();
        let named = [
            (&mut board.white, &header.white),
            (&mut board.black, &header.black),
            (&mut board.event, &header.event),
        ];
        for (setting, name) in named.into_iter().filter(|(_, name)| !name.is_empty()) {
            setting.clone_from(name);
        }
        board.chess960 |= header.is_chess960;
        if let Some(control) = self.time_control.as_ref().or(header.time_control.as_ref()) {
            board.time_control = control.to_string();
        }
        Settings { start: header.start.clone(), ..board.settings() }
    }

    fn outcome(&self, script: &Script, board: &BoardConfig) -> Outcome {
        let settings = self.settings(&script.header, board);
        let mut held: Vec<(usize, Vec<String>)> = Vec::new();
        let mut watch = |game: &Game, entries: &[Entry]| {
            let play = game.play().filter(|_| self.lines);
            let lines = play.map(|play| relay::held::lines(play.tracker())).unwrap_or_default();
            if held.last().is_none_or(|(_, known)| *known != lines) {
                held.push((entries.len(), lines));
            }
        };
        let trouble = Trouble::default();
        let sim::Replay { entries, game } =
            sim::Replay::run_watched(script, settings, &trouble, &mut watch);
        if let Some(rule) = self.rule {
            let read = rule.read(&entries);
            let (sheet, entries) = read.map(|read| (read.sheet, read.entries)).unzip();
            let entries = entries.unwrap_or_default();
            return Outcome { entries, held, earlier: Vec::new(), sheet, outcome: None };
        }
        let outcome = game.play().and_then(|play| play.ending()).map(|end| end.outcome);
        let sheet = game.play().map(|play| play.sheet().clone());
        Outcome { earlier: earlier_games(&entries), entries, held, sheet, outcome }
    }

    fn print(&self, replay: &Outcome, out: &mut impl Write) -> std::io::Result<()> {
        let mut log = Log::default();
        let mut held = replay.held.iter().peekable();
        for (idx, entry) in replay.entries.iter().enumerate() {
            let at = entry.at.mono;
            if self.json {
                writeln!(out, "{}", Record::new(at.millis(), &entry.fact).to_json())?;
            } else if let Some(line) = log.line(&entry.fact) {
                writeln!(out, "{:>9}  {line}", at.to_string())?;
            }
            for line in held.next_if(|(n, _)| *n == idx + 1).iter().flat_map(|(_, lines)| lines) {
                writeln!(out, "           {line}")?;
            }
        }
        match &replay.sheet {
            Some(sheet) if self.json => {
                writeln!(out, "{}", GameRecord::new(sheet, replay.outcome).to_json())
            }
            Some(_) => Ok(()),
            None => {
                eprintln!("rokade: no start position was seen, so no game was recorded");
                Ok(())
            }
        }
    }
}

fn parse(path: &Path) -> Result<Script, Failure> {
    Script::parse(&read(path)?).map_err(|e| Failure::Input(format!("{}, {e}", path.display())))
}

/// The games on record before the last one, of which moves are known.
pub(super) fn earlier_games(entries: &[Entry]) -> Vec<(ScoreSheet, Option<KnownOutcome>)> {
    let mut record = Recovered::default();
    let mut games = Vec::new();
    for (idx, entry) in entries.iter().enumerate() {
        if matches!(entry.fact, Fact::GameStarted { .. }) {
            let played = record.sheet().filter(|sheet| !sheet.is_empty()).cloned();
            games.extend(played.map(|sheet| (sheet, record.ending().map(|end| end.outcome))));
        }
        record.fold(idx, entry).expect("a record that was just made can be read");
    }
    games
}

fn pgn_of(script: &Script, replay: &Outcome) -> String {
    let tags = Tags {
        event: script.header.event.clone(),
        white: script.header.white.clone(),
        black: script.header.black.clone(),
        time_control: script.header.time_control.clone(),
        ..Tags::default()
    };
    let last = replay.sheet.iter().map(|sheet| (sheet, replay.outcome));
    let games = replay.earlier.iter().map(|(sheet, outcome)| (sheet, *outcome)).chain(last);
    games.map(|(sheet, outcome)| pgn::render(&tags, sheet, sheet.len(), outcome)).collect()
}
