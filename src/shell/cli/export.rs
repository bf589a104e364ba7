//! `rokade export`: recorded games for other programs, and as score sheets for people.

use super::backup::ExportAll;
use super::log::fold;
use super::{Failure, Which, chain};
use crate::game::{Entry, Fact, PairedFor};
use crate::laws::notation::Language;
use crate::laws::{Act, Declaration};
use crate::relay::paper::ScorePaper;
use crate::relay::whole::WholeGame;
use crate::shell::book::{Book, Page};
use crate::shell::config::Config;
use crate::shell::pdf;
use crate::shell::record::{self, Games, RecordedGame};
use clap::{Args, Subcommand, ValueEnum};
use shakmaty::Position as _;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

/// As what a game is printed.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
enum ExportFormat {
    /// PGN, with clock times as %clk and thinking times as %emt
    Pgn,
    /// JSON, one game per line, with everything on record about its moves
    Json,
    /// A score sheet as plain text
    Text,
    /// A score sheet to print and sign, on A4
    Pdf,
}

/// Prints recorded games as PGN, JSON or score sheets.
///
/// By default all games of all boards are printed as they are on record, including what the public
/// may not see yet. For a round, the game that counts is printed for each paired board, in the
/// order of tables; for a game that has not started, only the names.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "Examples:
  rokade export > all.pgn
  rokade export --board table-4 --round 3 --format text --language hu
  rokade export --round 3 --format pdf --language de --output round-3.pdf")]
pub(super) struct Export {
    #[command(subcommand)]
    whole: Option<WholeRecords>,
    #[command(flatten)]
    which: Which,
    /// Only this game, by its number in the journal, from 1
    #[arg(long, value_name = "NUMBER", conflicts_with = "round")]
    game: Option<usize>,
    /// Only the games of this round, by its pairings
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..))]
    round: Option<u16>,
    /// The format
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "pgn")]
    format: ExportFormat,
    /// The language of moves and words: en, da, nb, hu or de. In PGN only comments use it, because
    /// programs read moves with English letters only
    #[arg(long, value_name = "LANGUAGE")]
    language: Option<Language>,
    /// Write to this file, and replace it, instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum WholeRecords {
    /// Put all records and the settings into one file, for `rokade import`
    All(ExportAll),
}

/// The draws that are offered in the games of a record: the number of the game, and the half-move.
#[derive(Debug, Default)]
struct DrawOffers(Vec<(usize, usize)>);

impl DrawOffers {
    /// Takes the next entry, behind which `games` stand as they do. A draw is offered with a move:
    /// the last one that its player made. 2023: Art. 9.1.2.1.
    fn take(&mut self, entry: &Entry, games: &Games) {
        let Fact::Act(Act::Declared { by, said: Declaration::OfferDraw }) = &entry.fact else {
            return;
        };
        let Some(game) = games.current() else { return };
        let is_theirs = |ply: &usize| game.sheet.position(*ply - 1).turn() == *by;
        let last = (1..=game.sheet.len()).rev().find(is_theirs);
        self.0.extend(last.map(|ply| (game.number, ply)));
    }

    fn of(&self, number: usize) -> Vec<usize> {
        self.0.iter().filter(|(of, _)| *of == number).map(|(_, ply)| *ply).collect()
    }
}

/// What is printed.
#[derive(Debug)]
struct Printed {
    format: ExportFormat,
    language: Language,
    n: usize,
    bytes: Vec<u8>,
    papers: Vec<ScorePaper>,
}

impl Printed {
    fn add(&mut self, board: &str, game: &RecordedGame, offers: &[usize]) {
        self.n += 1;
        let RecordedGame { tags, sheet, ending, .. } = game;
        let whole = WholeGame { tags, sheet, ending: *ending, offers };
        match self.format {
            ExportFormat::Pgn => self.bytes.extend(game.to_pgn(self.language).bytes()),
            ExportFormat::Json => {
                self.bytes.extend(whole.to_json(board, game.number, self.language).bytes());
                self.bytes.push(b'\n');
            }
            ExportFormat::Text => {
                self.bytes.extend(ScorePaper::new(&whole, self.language).to_text().bytes());
            }
            ExportFormat::Pdf => self.papers.push(ScorePaper::new(&whole, self.language)),
        }
    }

    fn into_bytes(self) -> Result<Vec<u8>, Failure> {
        if self.format != ExportFormat::Pdf {
            return Ok(self.bytes);
        }
        pdf::render(&self.papers).map_err(|error| Failure::Other(chain(&error)))
    }
}

impl Export {
    pub(super) fn run(&self, settings: Option<&Path>) -> Result<(), Failure> {
        let config = &Config::load_apart(settings)?;
        if let Some(WholeRecords::All(all)) = &self.whole {
            return all.run(config, settings);
        }
        self.check()?;
        let mut printed = Printed {
            format: self.format,
            language: self.language.unwrap_or_default(),
            n: 0,
            bytes: Vec::new(),
            papers: Vec::new(),
        };
        let done = match self.round {
            Some(round) => self.print_round(config, round, &mut printed),
            None => self.print_games(config, &mut printed),
        };
        if printed.n > 0 {
            self.write(&printed.into_bytes()?)?;
        } else if done.is_ok() {
            eprintln!("no game is on record yet");
        }
        done
    }

    fn check(&self) -> Result<(), Failure> {
        let is_terminal = self.output.is_none() && io::stdout().is_terminal();
        if self.format == ExportFormat::Pdf && is_terminal {
            let why = "a terminal cannot show a PDF; name a file with --output";
            return Err(Failure::Usage(why.to_owned()));
        }
        // Said beside what is asked for: whoever wants moves to read finds out where they are.
        if self.format == ExportFormat::Pgn
            && self.language.unwrap_or_default() != Language::English
        {
            eprintln!(
                "PGN has English letters in every language, because programs read it; its comments \
                 use this language, and so do the moves with --format text, pdf or json"
            );
        }
        Ok(())
    }

    fn write(&self, bytes: &[u8]) -> Result<(), Failure> {
        match &self.output {
            Some(path) => fs::write(path, bytes)
                .map_err(Failure::io(format!("{} cannot be written", path.display()))),
            None => io::stdout().lock().write_all(bytes).map_err(Failure::io("cannot print")),
        }
    }

    /// Prints the games of each journal that is meant, in the order in which they were played.
    fn print_games(&self, config: &Config, printed: &mut Printed) -> Result<(), Failure> {
        let mut n_games = 0;
        self.which.for_each(config, |place| {
            let board = place.name(config);
            let mut offers = DrawOffers::default();
            let mut print = |game: &RecordedGame, offers: &DrawOffers| {
                if self.game.is_none_or(|number| number == game.number) {
                    printed.add(&board, game, &offers.of(game.number));
                }
            };
            let (games, nonsense) = fold(&place.folder, &mut |entry, games, closed| {
                offers.take(entry, games);
                closed.iter().for_each(|game| print(game, &offers));
            })?;
            if let Some(nonsense) = nonsense.all() {
                eprintln!("{}: {nonsense}", place.folder.display());
            }
            n_games = n_games.max(games.n_games());
            games.current().iter().for_each(|game| print(game, &offers));
            Ok(())
        })?;
        match self.game {
            Some(number) if printed.n == 0 => {
                Err(Failure::Usage(format!("there is no game {number}; the journal has {n_games}")))
            }
            _ => Ok(()),
        }
    }

    /// Prints the game that counts of each board that is paired in the round, by tables.
    fn print_round(
        &self,
        config: &Config,
        round: u16,
        printed: &mut Printed,
    ) -> Result<(), Failure> {
        let mut pages: Vec<(String, Page, DrawOffers)> = Vec::new();
        let mut known = BTreeSet::new();
        let done = self.which.for_each(config, |place| {
            let (mut book, mut offers) = (Book::default(), DrawOffers::default());
            let (games, _) = fold(&place.folder, &mut |entry, games, closed| {
                offers.take(entry, games);
                if let Fact::Paired { pairing, holds, .. } = &entry.fact {
                    if *holds == PairedFor::Anew {
                        book.void(pairing.round, games.last_played());
                    }
                    book.pair(pairing, *holds, record::date(entry.at.wall));
                }
                closed.into_iter().for_each(|game| book.take(game, ""));
            })?;
            games.current().into_iter().for_each(|game| book.take(game, ""));
            known.extend(book.pages().keys().copied());
            if let Some(page) = book.pages().get(&round) {
                pages.push((place.name(config), page.clone(), offers));
            }
            Ok(())
        });
        pages.sort_by_key(|(_, page, _)| page.pairing.table);
        for (board, page, offers) in &pages {
            let game = page.game();
            printed.add(board, &game, &offers.of(game.number));
        }
        if pages.is_empty() && done.is_ok() {
            let known: Vec<String> = known.iter().map(ToString::to_string).collect();
            let known = if known.is_empty() { "no round".to_owned() } else { known.join(", ") };
            let why = format!("nothing is paired in round {round}; on record: {known}");
            return Err(Failure::Usage(why));
        }
        done
    }
}
