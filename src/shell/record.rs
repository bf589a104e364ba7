//! A board's record on disk: journal lines to facts and back, and the games in them.

use super::journal::{
    BootId, Damage, Defects, DiskStorage, Journal, JournalError, JournalLine, Limits, NewLine,
    TornTail,
};
use super::orders::desk::OrderDesk;
use crate::game::entry::{Entry, Fact};
use crate::game::{Delay, Keeping, PairedFor, Pairing, Recovered, ScoreSheet, Settings};
use crate::laws::Ending;
use crate::laws::notation::Language;
use crate::relay::log::Log;
use crate::relay::pgn::{self, Tags};
use crate::relay::record::Record;
use crate::time::Wall;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

/// Why a record cannot be gone on with.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The journal itself.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The boot's identity cannot be read.
    #[error("cannot read this boot's identity")]
    Boot(#[source] std::io::Error),
}

impl RecordError {
    /// Another program records there: there is nothing to be done here that is not done there.
    pub fn is_taken(&self) -> bool {
        matches!(self, Self::Journal(JournalError::Busy { .. }))
    }

    /// The disk does not take the record, which may pass.
    pub fn is_of_disk(&self) -> bool {
        matches!(self, Self::Journal(JournalError::Io { .. }))
    }

    /// The error and its causes, in one sentence.
    pub fn sentence(&self) -> String {
        let mut sentence = self.to_string();
        let mut next = std::error::Error::source(self);
        while let Some(cause) = next {
            let cause_said = cause.to_string();
            if !sentence.contains(&cause_said) {
                sentence += &format!(": {cause_said}");
            }
            next = cause.source();
        }
        sentence
    }
}

/// A journal line for an entry.
pub fn line_of(entry: &Entry) -> NewLine {
    NewLine { stamp: entry.at, body: Record::new(entry.at.mono.millis(), &entry.fact).to_json() }
}

/// The entry in a journal line; `None` for a record of a newer program.
pub fn entry_of(line: &JournalLine) -> Option<Entry> {
    let record: Record = serde_json::from_str(&line.body).ok()?;
    Some(Entry { at: line.stamp, fact: record.fact })
}

/// What a record tells of before.
#[derive(Debug, Default)]
pub struct PriorRecord {
    /// Its games.
    pub games: Games,
    /// The log as it stands behind the last line.
    pub log: Log,
    /// The desk of those who give orders, which knows how much is on record.
    pub desk: OrderDesk,
    /// What of it cannot be followed.
    pub nonsense: Nonsense,
    /// How far the public is behind the board, as it is on record.
    pub delay: Delay,
    /// Damage that is on record already: the lines concerned.
    told: BTreeSet<u64>,
    /// In which run of the system the last line was written, and when.
    last: Option<(BootId, Wall)>,
}

impl PriorRecord {
    /// Takes the next line.
    pub fn take(&mut self, line: &JournalLine) {
        self.last = Some((line.boot, line.stamp.wall));
        let Some(entry) = entry_of(line) else { return };
        match &entry.fact {
            Fact::Record(Keeping::Lost { first, .. }) => self.told.insert(*first),
            Fact::Record(Keeping::Mended { line, .. }) => self.told.insert(*line),
            Fact::Record(Keeping::PublicDelay { delay, .. }) => {
                self.delay = *delay;
                false
            }
            _ => false,
        };
        let said = self.log.line(&entry.fact);
        let time = time_of_day(entry.at.wall);
        self.desk.note(said.map(|line| format!("{time}  {line}")).as_deref());
        let Taken { nonsense, .. } = self.games.take(&entry);
        self.nonsense.note(line.seq, &entry.fact, nonsense);
    }

    /// How long before `now` the last line was written, if that was in this run of the system: a
    /// machine that was off does not know for how long.
    pub fn gone(&self, now: Wall) -> Option<Duration> {
        let boot = BootId::of_this_boot().ok()?;
        let (_, Wall(last)) = self.last.filter(|(of, _)| *of == boot)?;
        u64::try_from(now.0.checked_sub(last)?).ok().map(Duration::from_micros)
    }

    /// What is to be put on record about the record itself, after `found` was found in `folder`.
    pub fn news(&self, found: Defects, folder: &Path) -> Vec<Keeping> {
        let is_new = |damage: &Damage| !self.told.contains(&damage.first);
        let mut news: Vec<Keeping> =
            found.damage.into_iter().filter(is_new).map(keeping_of).collect();
        news.extend(found.torn.map(|TornTail { file, offset, bytes, kept_as, .. }| {
            Keeping::SetAside { file, offset, bytes, kept_as }
        }));
        news.extend(self.nonsense.news());
        let n = n_files(folder);
        if n > self.games.n_games() {
            news.push(Keeping::GamesBefore { n });
        }
        news
    }
}

fn keeping_of(damage: Damage) -> Keeping {
    let Damage { file, offset, first, n, is_mended, .. } = damage;
    if is_mended {
        Keeping::Mended { line: first, file, offset }
    } else {
        Keeping::Lost { first, last: first + n.saturating_sub(1), file, offset }
    }
}

/// The name of a game's file.
pub fn file_name(number: usize) -> String {
    format!("game-{number:04}.pgn")
}

/// The highest number of a game's file in `folder`: none of them is ever written over by another
/// game, whatever became of the record.
pub fn n_files(folder: &Path) -> usize {
    let number = |name: std::ffi::OsString| -> Option<usize> {
        name.to_str()?.strip_prefix("game-")?.strip_suffix(".pgn")?.parse().ok()
    };
    let Ok(files) = std::fs::read_dir(folder) else { return 0 };
    files.filter_map(|file| number(file.ok()?.file_name())).max().unwrap_or(0)
}

/// Opens the journal in `folder` for writing and hands every line in it to `each`.
///
/// # Errors
/// The folder cannot be used, or another daemon has it.
pub fn open(
    folder: &Path,
    each: &mut dyn FnMut(JournalLine),
) -> Result<(Journal<DiskStorage>, Defects), RecordError> {
    let boot = BootId::of_this_boot().map_err(RecordError::Boot)?;
    Ok(Journal::open_with(DiskStorage::new(folder), boot, Limits::default(), each)?)
}

/// Reads what can be read of the journal in `folder`, which is not to be had at the moment, and
/// keeps what happens in memory until it is. The second is false if nothing can be read: what came
/// to `each` then does not count.
///
/// # Errors
/// The boot's identity cannot be read.
pub fn open_detached(
    folder: &Path,
    each: &mut dyn FnMut(JournalLine),
) -> Result<(Journal<DiskStorage>, Option<Defects>), RecordError> {
    let boot = BootId::of_this_boot().map_err(RecordError::Boot)?;
    let (journal, found) =
        Journal::detached(DiskStorage::new(folder), boot, Limits::default(), each);
    Ok((journal, found.ok()))
}

/// A journal in `folder` of which nothing is known yet.
///
/// # Errors
/// The boot's identity cannot be read.
pub fn unread(folder: &Path) -> Result<Journal<DiskStorage>, RecordError> {
    let boot = BootId::of_this_boot().map_err(RecordError::Boot)?;
    Ok(Journal::unread(DiskStorage::new(folder), boot, Limits::default()))
}

/// One game out of a record.
#[derive(Clone, Debug)]
pub struct RecordedGame {
    /// Its number in the journal, from 1.
    pub number: usize,
    /// Its tags.
    pub tags: Tags,
    /// Its moves.
    pub sheet: ScoreSheet,
    /// So many of its half-moves the public may see.
    pub n_public: usize,
    /// How it ended, if it has.
    pub ending: Option<Ending>,
    /// Its pairing, if it has one.
    pub pairing: Option<Box<Pairing>>,
}

impl RecordedGame {
    /// The whole game as PGN, with its comments in this language.
    pub fn to_pgn(&self, language: Language) -> String {
        let outcome = self.ending.map(|ending| ending.outcome);
        pgn::render_in(language, &self.tags, &self.sheet, self.sheet.len(), outcome)
    }

    /// What the public may have of it as one game of PGN, for the house. The record of an older
    /// version does not tell the `site`.
    pub fn own_pgn(&self, site: &str) -> String {
        let outcome = self.ending.map(|ending| ending.outcome);
        pgn::render(&self.tags_at(site), &self.sheet, self.n_public, outcome)
    }

    /// What the public may have of it, for programs: they take no move that the Laws do not allow,
    /// so there is another game behind each.
    pub fn public_pgn(&self, site: &str) -> String {
        self.public_parts(site).concat()
    }

    /// The same games, each by itself.
    pub fn public_parts(&self, site: &str) -> Vec<String> {
        let outcome = self.ending.map(|ending| ending.outcome);
        pgn::render_apart(&self.tags_at(site), &self.sheet, self.n_public, outcome)
    }

    fn tags_at(&self, site: &str) -> Tags {
        let mut tags = self.tags.clone();
        if tags.site.is_empty() {
            site.clone_into(&mut tags.site);
        }
        tags
    }
}

/// What an entry did.
#[derive(Debug)]
pub struct Taken {
    /// The game that it closed.
    pub closed: Option<RecordedGame>,
    /// Why it cannot be followed, if it tells what cannot be.
    pub nonsense: Option<String>,
}

/// Which lines of a record cannot be followed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nonsense {
    /// The numbers of the first and the last of them, and what is wrong with the first.
    found: Option<(u64, u64, String)>,
    n: u64,
    /// Up to this line all of them are on record already.
    told: u64,
}

impl Nonsense {
    /// Takes what a line told, and what is wrong with it.
    pub fn note(&mut self, seq: u64, fact: &Fact, why: Option<String>) {
        if let Fact::Record(Keeping::Nonsense { last, .. }) = fact {
            self.told = *last;
        }
        if let Some(why) = why {
            self.n += 1;
            self.found.get_or_insert((seq, seq, why)).1 = seq;
        }
    }

    /// All that there is of it.
    pub fn all(&self) -> Option<Keeping> {
        let (first, last, why) = self.found.clone()?;
        Some(Keeping::Nonsense { first, last, n: self.n, why })
    }

    /// All that there is of it, if that is not on record yet.
    pub fn news(&self) -> Option<Keeping> {
        self.all().filter(|_| self.found.as_ref().is_some_and(|(_, last, _)| *last > self.told))
    }
}

/// Counts the games of a record and knows the tags of the last.
#[derive(Clone, Debug, Default)]
struct Ledger {
    n_games: usize,
    /// That of the last game. Files that were found count games of which nothing is on record.
    number: usize,
    tags: Tags,
    /// The pairing of the last game, if it has one.
    pairing: Option<Box<Pairing>>,
    /// The pairing that came last: of the last game, or of the next.
    due: Option<Box<Pairing>>,
}

impl Ledger {
    /// Takes the next entry.
    fn take(&mut self, entry: &Entry) {
        match &entry.fact {
            Fact::GameStarted { white, black, event, site, round, .. } => {
                self.n_games += 1;
                self.number = self.n_games;
                self.tags = Tags {
                    event: event.clone(),
                    site: site.clone(),
                    date: date(entry.at.wall),
                    round: round.clone(),
                    white: white.clone(),
                    black: black.clone(),
                    ..Tags::default()
                };
                let is_of = |it: &Pairing| it.is_of(white, black, round);
                self.pairing = self.due.clone().filter(|it| is_of(it));
                if let Some(pairing) = &self.pairing {
                    self.tags.pair(pairing);
                }
            }
            Fact::Paired { pairing, holds, .. } => {
                self.due = Some(pairing.clone());
                if *holds == PairedFor::Current {
                    self.tags.pair(pairing);
                    self.pairing = Some(pairing.clone());
                }
            }
            Fact::TimeControl(control) => self.tags.time_control = Some(control.clone()),
            Fact::Record(Keeping::GamesBefore { n } | Keeping::Archived { n, .. }) => {
                self.n_games = self.n_games.max(*n)
            }
            _ => {}
        }
    }

    /// A game begins whose beginning is not on record.
    fn begin_unseen(&mut self, at: Wall) {
        self.n_games += 1;
        self.number = self.n_games;
        self.tags = Tags { date: date(at), ..Tags::default() };
        self.pairing = None;
    }
}

/// Folds a record into its games.
#[derive(Clone, Debug, Default)]
pub struct Games {
    fold: Recovered,
    n_entries: usize,
    ledger: Ledger,
}

impl Games {
    /// Takes the next entry. One that tells what cannot be is passed over.
    pub fn take(&mut self, entry: &Entry) -> Taken {
        let is_start = matches!(entry.fact, Fact::GameStarted { .. });
        let closed = is_start.then(|| self.current()).flatten();
        self.ledger.take(entry);
        let had_game = self.fold.sheet().is_some();
        let nonsense = self.fold.fold(self.n_entries, entry).err().map(|error| error.why);
        if !had_game && matches!(entry.fact, Fact::MoveMade { .. }) && self.fold.sheet().is_some() {
            self.ledger.begin_unseen(entry.at.wall);
        }
        self.n_entries += 1;
        Taken { closed, nonsense }
    }

    /// The game in progress, or the last one.
    pub fn current(&self) -> Option<RecordedGame> {
        Some(RecordedGame {
            number: self.ledger.number,
            tags: self.ledger.tags.clone(),
            sheet: self.fold.sheet()?.clone(),
            n_public: self.fold.n_public(),
            ending: self.fold.ending(),
            pairing: self.ledger.pairing.clone(),
        })
    }

    /// How many games have begun.
    pub const fn n_games(&self) -> usize {
        self.ledger.n_games
    }

    /// The number of the last game that has a move or a result.
    pub fn last_played(&self) -> usize {
        let is_fresh = self.fold.sheet().is_some_and(ScoreSheet::is_empty);
        let is_unplayed = is_fresh && self.fold.ending().is_none();
        self.ledger.number.saturating_sub(usize::from(is_unplayed))
    }

    /// The record of the game in progress, or the last one.
    pub const fn fold(&self) -> &Recovered {
        &self.fold
    }

    /// The tags of that game.
    pub const fn tags(&self) -> &Tags {
        &self.ledger.tags
    }

    /// The pairing that came last, for the next game.
    pub fn due(&self) -> Option<&Pairing> {
        self.ledger.due.as_deref()
    }

    /// Has `settings` name who plays the game on record and the next one, as far as pairings are on
    /// record.
    pub fn pair(&self, settings: &mut Settings) {
        let Ledger { pairing, due, .. } = self.ledger.clone();
        let is_begun = self.fold.sheet().is_some();
        match (pairing, due) {
            (None, Some(due)) if !is_begun => settings.pair(due),
            (pairing, due) => {
                settings.next = due.filter(|due| pairing.as_ref() != Some(due));
                if let Some(pairing) = pairing {
                    let next = settings.next.take();
                    settings.pair(pairing);
                    settings.next = next;
                }
            }
        }
    }

    /// What the core needs to go on.
    pub fn into_fold(self) -> Recovered {
        self.fold
    }
}

/// The date as PGN writes it, where this machine stands.
pub fn date(wall: Wall) -> String {
    let at = jiff::Timestamp::from_microsecond(wall.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    at.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y.%m.%d").to_string()
}

/// Date and time of day, to the second, where this machine stands: a log is read days later, and
/// the clock may have been set meanwhile.
pub fn moment(wall: Wall) -> String {
    let at = jiff::Timestamp::from_microsecond(wall.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    at.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// The time of day, to the second, where this machine stands.
pub fn time_of_day(wall: Wall) -> String {
    let at = jiff::Timestamp::from_microsecond(wall.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    at.to_zoned(jiff::tz::TimeZone::system()).strftime("%H:%M:%S").to_string()
}
