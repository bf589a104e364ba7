//! Who plays whom at which table: lists of pairings as programs for tournaments write them, and
//! what of them is each board's.
//!
//! A list is PGN without moves, a report to FIDE (TRF16, TRF26) or a table (CSV); which of them is
//! found out by how it begins. A list with a fault is not used at all: the boards go on with what
//! they had, and one sentence says where the fault is and what mends it.

mod pgn;
mod table;
mod trf;

use super::config::{Config, EventSettings};
use crate::game::{Pairing, Player};
use shakmaty::ByColor;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// The longest list, in bytes.
const FILE_MAX: u64 = 4 << 20;
/// The longest name or title, in characters: as in the settings.
const TEXT_MAX: usize = 200;
/// A list is waited for so long, of a disk in the network for one.
const PATIENCE: Duration = Duration::from_secs(10);
/// What stands in the place of an opponent where there is none.
const BYES: [&str; 7] = ["bye", "spielfrei", "freilos", "oversidder", "frirunde", "exempt", "---"];

/// What is wrong with a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairingsError {
    /// In which line, from 1, if it is in one.
    pub line: Option<usize>,
    /// What it is, and what mends it.
    pub why: String,
}

impl PairingsError {
    fn at(line: usize, why: impl Into<String>) -> Self {
        Self { line: Some(line), why: why.into() }
    }

    fn of_all(why: impl Into<String>) -> Self {
        Self { line: None, why: why.into() }
    }
}

impl fmt::Display for PairingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.why)
    }
}

impl std::error::Error for PairingsError {}

/// A game of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Listed {
    round: u16,
    /// The table, if the list names it; else it is the game's place in its round.
    table: Option<u16>,
    players: ByColor<Player>,
    /// It has a result.
    is_played: bool,
    /// Its line, from 1.
    line: usize,
}

/// A list of pairings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairings {
    /// The event, if the list names it.
    pub event: String,
    /// The place, if the list names it.
    pub site: String,
    games: Vec<Listed>,
    /// It is no UTF-8, and was read as Latin-1.
    pub is_latin: bool,
}

impl Pairings {
    /// Reads a list.
    ///
    /// # Errors
    /// It is none, or does not tell what it must.
    pub fn parse(bytes: &[u8]) -> Result<Self, PairingsError> {
        let (text, is_latin) = super::text::decode(bytes);
        let found = match () {
            () if text.trim().is_empty() => {
                Err(PairingsError::of_all("it is empty; export it again"))
            }
            () if pgn::is_it(&text) => pgn::parse(&text),
            () if trf::is_it(&text) => trf::parse(&text),
            () => table::parse(&text),
        }?;
        if found.games.is_empty() {
            return Err(PairingsError::of_all(
                "there is no game in it; pair the round, and export it",
            ));
        }
        Ok(Self { is_latin, ..found })
    }

    /// Whether there is such a round in it.
    pub fn has(&self, number: u16) -> bool {
        self.games.iter().any(|game| game.round == number)
    }

    /// The rounds in it.
    fn rounds(&self) -> BTreeSet<u16> {
        self.games.iter().map(|game| game.round).collect()
    }

    /// The first round with a game that has no result, or else the last.
    pub fn first_open(&self) -> Option<u16> {
        let open = self.games.iter().filter(|game| !game.is_played).map(|game| game.round);
        open.min().or_else(|| self.rounds().last().copied())
    }

    /// The games of a round by their tables.
    ///
    /// # Errors
    /// There is no such round, or it cannot be played as it is paired.
    pub fn round(&self, number: u16) -> Result<BTreeMap<u16, ByColor<Player>>, PairingsError> {
        let known = self.rounds();
        if !self.has(number) {
            let known: Vec<_> = known.iter().map(u16::to_string).collect();
            return Err(PairingsError::of_all(format!(
                "there is no round {number} in it, only {}; pair the round, and export the list \
                 anew",
                known.join(", ")
            )));
        }
        for (what, text) in [("the event", &self.event), ("the place", &self.site)] {
            shown(text)
                .map_err(|why| PairingsError::of_all(format!("in the name of {what}, {why}")))?;
        }
        let games = self.games.iter().filter(|game| game.round == number);
        let mut tables: BTreeMap<u16, &Listed> = BTreeMap::new();
        let mut seated: BTreeMap<(&str, &str), &Listed> = BTreeMap::new();
        for (game, place) in games.zip(1..) {
            check(game)?;
            if game.is_bye() {
                continue;
            }
            let table = game.table.unwrap_or(place);
            if let Some(other) = tables.insert(table, game) {
                return Err(PairingsError::at(
                    game.line,
                    format!(
                        "board {table} of round {number} is also in line {}; give each game a \
                         board of its own",
                        other.line
                    ),
                ));
            }
            for player in [&game.players.white, &game.players.black] {
                if let Some(other) = seated.insert((&player.name, &player.fide_id), game) {
                    return Err(PairingsError::at(game.line, twice(player, game, other)));
                }
            }
        }
        Ok(tables.into_iter().map(|(table, game)| (table, game.players.clone())).collect())
    }
}

impl Listed {
    /// Whether one of them has no opponent.
    fn is_bye(&self) -> bool {
        let is_nobody = |player: &Player| {
            let name = player.name.to_lowercase();
            name.is_empty() || BYES.contains(&name.as_str())
        };
        is_nobody(&self.players.white) || is_nobody(&self.players.black)
    }
}

fn twice(player: &Player, game: &Listed, other: &Listed) -> String {
    let name = &player.name;
    if game.line == other.line {
        return format!("{name:?} is paired with himself; write the opponent");
    }
    format!(
        "{name:?} also plays in line {}, in the same round; correct one of them, or tell the two \
         apart by their FIDE ids",
        other.line
    )
}

/// Nothing is in the texts that could not be shown.
fn check(game: &Listed) -> Result<(), PairingsError> {
    for player in [&game.players.white, &game.players.black] {
        let Player { name, title, rating, fide_id, federation, team } = player;
        for text in [name, title, rating, fide_id, federation, team] {
            shown(text).map_err(|why| PairingsError::at(game.line, why))?;
        }
    }
    Ok(())
}

/// A text is not too long, and all of it could be shown.
fn shown(text: &str) -> Result<(), String> {
    if text.chars().count() > TEXT_MAX {
        return Err(format!("a text has more than {TEXT_MAX} characters; shorten it"));
    }
    match text.chars().find(|c| super::config::is_unseen(*c)) {
        None => Ok(()),
        Some(c) => Err(format!(
            "there is a character U+{:04X}, which cannot be seen; leave it out, or save the file \
             as UTF-8",
            u32::from(c)
        )),
    }
}

/// What the settings say of the event, and which board is at which table.
#[derive(Clone, Debug)]
pub struct Roster {
    event: EventSettings,
    /// The table of each board, in the order of the settings.
    tables: Vec<u16>,
}

impl Roster {
    /// That of these settings, if they name a list.
    pub fn of(config: &Config) -> Option<Self> {
        let event = config.event.clone();
        if !event.has_list() {
            return None;
        }
        Some(Self { event, tables: config.tables() })
    }

    /// The list's path.
    pub fn path(&self) -> &Path {
        &self.event.pairings
    }

    /// The round that the settings name for the start, if they do.
    pub fn first_round(&self) -> Option<u16> {
        (self.event.round > 0).then_some(self.event.round)
    }

    /// Reads the list as it is now.
    ///
    /// # Errors
    /// It cannot be read, or is none: in one sentence.
    pub async fn read(&self) -> Result<Pairings, String> {
        let path = self.event.pairings.clone();
        let wrong = |why: String| format!("{}: {why}", self.path().display());
        let reading = spawn_blocking(move || read(&path));
        match timeout(PATIENCE, reading).await {
            Ok(Ok(read)) => read.map_err(wrong),
            Ok(Err(_)) => Err(wrong("its reader has failed".to_owned())),
            Err(_) => Err(wrong("the disk does not give it; copy it to this machine".to_owned())),
        }
    }

    /// Who plays at each board in this round, in the order of the settings.
    ///
    /// # Errors
    /// The round cannot be played as it is paired: in one sentence.
    pub fn pair(&self, list: &Pairings, round: u16) -> Result<Vec<Pairing>, String> {
        let games = list.round(round);
        let mut games = games.map_err(|why| format!("{}, {why}", self.path().display()))?;
        let (name, place) = (&self.event.name, self.event.place());
        let named = |set: &str, listed: &str| {
            if set.is_empty() { listed.to_owned() } else { set.to_owned() }
        };
        let site = named(&place, &list.site);
        let of = |table: &u16| Pairing {
            event: named(name, &list.event),
            site: site.clone(),
            round,
            table: *table,
            players: games.remove(table).unwrap_or_default(),
            time_control: self.event.time_control(),
        };
        Ok(self.tables.iter().map(of).collect())
    }
}

/// Reads the file, which must be one: nothing else is waited for.
fn read(path: &PathBuf) -> Result<Pairings, String> {
    let unread = |e: std::io::Error| format!("it cannot be read: {e}");
    let about = std::fs::metadata(path).map_err(unread)?;
    if !about.is_file() {
        return Err("it is no file".to_owned());
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(FILE_MAX).read_to_end(&mut bytes))
        .map_err(unread)?;
    if bytes.len() as u64 == FILE_MAX {
        return Err("it is too long for a list of pairings".to_owned());
    }
    Pairings::parse(&bytes).map_err(|why| why.to_string())
}
