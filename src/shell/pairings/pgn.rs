//! Games without moves, as pairing programs export a round: Swiss-Manager, for one.
//!
//! Only their tags are read, by what they are written like rather than by the standard: programs
//! that do not escape quotes in names, and leave out the `*` behind a game, are in use.

use super::{Listed, Pairings, PairingsError};
use crate::game::Player;
use shakmaty::ByColor;
use std::collections::BTreeMap;

/// The tags of one game.
#[derive(Debug, Default)]
struct Tagged {
    /// The line in which they begin, from 1.
    line: usize,
    tags: BTreeMap<String, String>,
}

/// Whether the text is PGN.
pub(super) fn is_it(text: &str) -> bool {
    text.trim_start().starts_with('[')
}

pub(super) fn parse(text: &str) -> Result<Pairings, PairingsError> {
    let mut found = Pairings::default();
    for Tagged { line, tags } in games(text)? {
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

/// The games of the text. One ends with its moves, or where a tag comes that it has already.
fn games(text: &str) -> Result<Vec<Tagged>, PairingsError> {
    let mut games: Vec<Tagged> = Vec::new();
    let (mut has_moves, mut is_comment) = (false, false);
    for (number, line) in (1..).zip(text.lines()) {
        let mut rest = line.trim();
        if is_comment || !is_tag(rest) {
            has_moves |= !rest.is_empty();
            is_comment = is_comment_after(rest, is_comment);
            continue;
        }
        while !rest.is_empty() {
            let (name, value, behind) = tag(rest).ok_or_else(|| {
                let why = "this is no tag; write it as in [White \"Last, First\"]";
                PairingsError::at(number, why)
            })?;
            let game = games.last_mut().filter(|it| !has_moves && !it.tags.contains_key(name));
            if let Some(game) = game {
                game.tags.insert(name.to_owned(), value);
            } else {
                let tags = BTreeMap::from([(name.to_owned(), value)]);
                games.push(Tagged { line: number, tags });
            }
            (rest, has_moves) = (behind, false);
        }
    }
    Ok(games)
}

/// Whether a tag begins here: a command in a comment is none.
fn is_tag(text: &str) -> bool {
    text.strip_prefix('[').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// Whether a comment is open behind a line of moves, if it `is_open` before.
fn is_comment_after(line: &str, mut is_open: bool) -> bool {
    for c in line.chars() {
        match c {
            '{' => is_open = true,
            '}' => is_open = false,
            ';' if !is_open => return false,
            _ => {}
        }
    }
    is_open
}

/// The name and the value of the tag that the text begins with, and what comes behind it.
///
/// The value ends at a quote that the tag ends behind, and the line or another tag begins: of those
/// before it nobody says that they are escaped.
fn tag(text: &str) -> Option<(&str, String, &str)> {
    let (name, rest) = text.strip_prefix('[')?.split_once('"')?;
    let name = name.trim_end();
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let mut ends = rest.match_indices('"').filter_map(|(at, quote)| {
        let behind = rest[at + quote.len()..].trim_start().strip_prefix(']')?.trim_start();
        (behind.is_empty() || is_tag(behind)).then_some((at, behind))
    });
    let (end, behind) = ends.next().filter(|_| is_name)?;
    Some((name, unescaped(&rest[..end]), behind))
}

/// A value as it was meant: a backslash stands before a quote or another one, or for itself.
fn unescaped(value: &str) -> String {
    let mut meant = String::new();
    let mut rest = value.trim().chars().peekable();
    while let Some(c) = rest.next() {
        let escaped = rest.next_if(|next| c == '\\' && matches!(next, '"' | '\\'));
        meant.push(escaped.unwrap_or(c));
    }
    meant
}
