//! A table with a line for each game: CSV, or what a spreadsheet makes of it with semicolons or
//! tabs. The first line names the columns.

use super::{Listed, Pairings, PairingsError};
use crate::game::Player;
use csv::{ReaderBuilder, StringRecord, Trim};
use shakmaty::ByColor;

/// What separates the fields, the most likely first.
const SEPARATORS: [u8; 3] = [b',', b';', b'\t'];
/// The columns, by all names that they go by. Case, blanks, `_`, `-` and `.` do not count; those of
/// players are behind `white` and `black`.
const ROUND: &[&str] = &["round", "rd", "rnd", "runde"];
const TABLE: &[&str] = &["board", "table", "bo", "boardno", "boardnumber", "tableno", "brett"];
const RESULT: &[&str] = &["result", "res"];
const NAME: &[&str] = &["", "name", "player"];
const TITLE: &[&str] = &["title"];
const RATING: &[&str] = &["rating", "elo", "rtg"];
const FIDE_ID: &[&str] = &["fideid", "fide", "id"];
const FEDERATION: &[&str] = &["federation", "fed", "country"];
const TEAM: &[&str] = &["team", "club"];

/// Where the fields of a player stand.
struct PlayerColumns {
    name: usize,
    title: Option<usize>,
    rating: Option<usize>,
    fide_id: Option<usize>,
    federation: Option<usize>,
    team: Option<usize>,
}

pub(super) fn parse(text: &str) -> Result<Pairings, PairingsError> {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let count = |separator: &u8| first.bytes().filter(|byte| byte == separator).count();
    let separator = SEPARATORS.into_iter().rev().max_by_key(count).unwrap_or(b',');
    let mut reader = ReaderBuilder::new()
        .delimiter(separator)
        .flexible(true)
        .trim(Trim::All)
        .from_reader(text.as_bytes());
    let head = reader.headers().map_err(|e| unread(&e))?.clone();
    let head_line = text.lines().position(|line| !line.trim().is_empty()).map_or(1, |n| n + 1);
    let names: Vec<String> = head.iter().map(plain).collect();
    let place = |known: &[&str]| names.iter().position(|name| known.contains(&name.as_str()));
    let missing = |what: &str| {
        let why = format!(
            "there is no column {what}; the first line names the columns, at least round, board, \
             white and black"
        );
        PairingsError::at(head_line, why)
    };
    let round = place(ROUND).ok_or_else(|| missing("round"))?;
    let table = place(TABLE);
    let result = place(RESULT);
    let white = PlayerColumns::find(&names, "white").ok_or_else(|| missing("white"))?;
    let black = PlayerColumns::find(&names, "black").ok_or_else(|| missing("black"))?;
    let mut found = Pairings::default();
    let (mut seen, mut line) = (0, 1);
    for record in reader.records() {
        let record = record.map_err(|e| unread(&e))?;
        // Where a record begins is told with the empty lines before it.
        let at = record.position().map_or(seen, |at| usize::try_from(at.byte()).unwrap_or(seen));
        let blank = text[at..].bytes().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        line += text[seen..at + blank].matches('\n').count();
        seen = at + blank;
        if record.iter().all(str::is_empty) {
            continue;
        }
        if record.len() != head.len() {
            return Err(PairingsError::at(
                line,
                format!(
                    "there are {} fields, and {} columns; put quotes around a field with a \
                     separator in it, as in \"Carlsen, Magnus\"",
                    record.len(),
                    head.len()
                ),
            ));
        }
        let players = ByColor { white: white.player(&record), black: black.player(&record) };
        let field = |at: Option<usize>| at.and_then(|at| record.get(at)).unwrap_or_default();
        let table = match field(table) {
            "" => None,
            text => Some(number(line, "board", text)?),
        };
        let is_played = !matches!(field(result), "" | "*");
        let round = number(line, "round", field(Some(round)))?;
        found.games.push(Listed { round, table, players, is_played, line });
    }
    Ok(found)
}

/// The name of a column as far as it counts.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn number(line: usize, column: &str, text: &str) -> Result<u16, PairingsError> {
    text.parse().ok().filter(|n| *n > 0).ok_or_else(|| {
        let why = match text {
            "" => format!("the {column} is missing; write its number"),
            _ => format!("{text:?} is no {column}; write its number, from 1"),
        };
        PairingsError::at(line, why)
    })
}

fn unread(error: &csv::Error) -> PairingsError {
    let line = error.position().map(|at| usize::try_from(at.line()).unwrap_or(0));
    PairingsError { line, why: format!("this is no table: {error}") }
}

impl PlayerColumns {
    fn find(names: &[String], color: &str) -> Option<Self> {
        let place = |known: &[&str]| {
            let is_it =
                |name: &String| name.strip_prefix(color).is_some_and(|rest| known.contains(&rest));
            names.iter().position(is_it)
        };
        Some(Self {
            name: place(NAME)?,
            title: place(TITLE),
            rating: place(RATING),
            fide_id: place(FIDE_ID),
            federation: place(FEDERATION),
            team: place(TEAM),
        })
    }

    fn player(&self, record: &StringRecord) -> Player {
        let of = |at: Option<usize>| {
            at.and_then(|at| record.get(at)).filter(|it| *it != "0").unwrap_or_default().to_owned()
        };
        Player {
            name: of(Some(self.name)),
            title: of(self.title),
            rating: of(self.rating),
            fide_id: of(self.fide_id),
            federation: of(self.federation),
            team: of(self.team),
        }
    }
}
