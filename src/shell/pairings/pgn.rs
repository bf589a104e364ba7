//! Games without moves, as pairing programs export a round: Swiss-Manager, for one.

use super::{Listed, Pairings, PairingsError};
use crate::game::Player;
use pgn_reader::{RawTag, Reader, Visitor};
use shakmaty::ByColor;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ops::ControlFlow;

/// The tags of one game.
type Tagged = BTreeMap<String, String>;

struct TagReader;

impl Visitor for TagReader {
    type Tags = Tagged;
    type Movetext = Infallible;
    type Output = Tagged;

    fn begin_tags(&mut self) -> ControlFlow<Tagged, Tagged> {
        ControlFlow::Continue(Tagged::new())
    }

    fn tag(&mut self, tags: &mut Tagged, name: &[u8], value: RawTag<'_>) -> ControlFlow<Tagged> {
        let name = String::from_utf8_lossy(name).into_owned();
        tags.insert(name, value.decode_utf8_lossy().trim().to_owned());
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Tagged) -> ControlFlow<Tagged, Infallible> {
        ControlFlow::Break(tags)
    }

    fn end_game(&mut self, moves: Infallible) -> Tagged {
        match moves {}
    }
}

/// Whether the text is PGN.
pub(super) fn is_it(text: &str) -> bool {
    text.trim_start().starts_with('[')
}

pub(super) fn parse(text: &str) -> Result<Pairings, PairingsError> {
    let mut found = Pairings::default();
    let mut starts = starts(text).into_iter();
    for tags in Reader::new(text.as_bytes()).read_games(&mut TagReader) {
        let line = starts.next().unwrap_or_default();
        let tags = tags.map_err(|e| PairingsError::at(line, format!("this is no PGN: {e}")))?;
        let known = |name: &str| {
            let value = tags.get(name).map(String::as_str).unwrap_or_default();
            if matches!(value, "?" | "-" | "0") { String::new() } else { value.to_owned() }
        };
        for (of, name) in [(&mut found.event, "Event"), (&mut found.site, "Site")] {
            if of.is_empty() {
                *of = known(name);
            }
        }
        let (round, table) = round(line, &known("Round"))?;
        let table = match (table, known("Board"), known("Table")) {
            (Some(table), ..) => Some(table),
            (None, board, _) if !board.is_empty() => Some(number(line, "Board", &board)?),
            (None, _, table) if !table.is_empty() => Some(number(line, "Table", &table)?),
            _ => None,
        };
        let player = |color: &str| {
            let of = |what: &str| known(&format!("{color}{what}"));
            Player {
                name: of(""),
                title: of("Title"),
                rating: of("Elo"),
                fide_id: of("FideId"),
                federation: of("Fed"),
                team: of("Team"),
            }
        };
        let players = ByColor { white: player("White"), black: player("Black") };
        let is_played = !matches!(known("Result").as_str(), "" | "*");
        found.games.push(Listed { round, table, players, is_played, line });
    }
    Ok(found)
}

/// Round and table out of the tag: `3`, `3.1`; of `3.2.1`, a match of teams, only the round.
fn round(line: usize, tag: &str) -> Result<(u16, Option<u16>), PairingsError> {
    let mut parts = tag.split('.');
    let round = number(line, "Round", parts.next().unwrap_or_default())?;
    match (parts.next(), parts.next()) {
        (Some(table), None) => Ok((round, Some(number(line, "Round", table)?))),
        _ => Ok((round, None)),
    }
}

fn number(line: usize, tag: &str, text: &str) -> Result<u16, PairingsError> {
    text.trim().parse().ok().filter(|n| *n > 0).ok_or_else(|| {
        let why = match text {
            "" => format!("this game has no {tag}; export it with its round, as in \"3.1\""),
            _ => format!("{text:?} in {tag} is no number; write round and board, as in \"3.1\""),
        };
        PairingsError::at(line, why)
    })
}

/// The lines in which the tags of a game begin.
fn starts(text: &str) -> Vec<usize> {
    let is_tag = |line: &str| {
        let name = line.trim_start().strip_prefix('[');
        name.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
    };
    let mut was_tag = false;
    let mut starts = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let is_tag = is_tag(line);
        if is_tag && !was_tag {
            starts.push(number);
        }
        was_tag = is_tag;
    }
    starts
}
