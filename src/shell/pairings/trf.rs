//! FIDE's report of a tournament, TRF16 and TRF26: fixed columns, counted from 1 as its tables do.
//!
//! A report tells who meets whom in which round, and no tables: they are given out in the order in
//! which pairings are published, which is that of the Swiss rules (C.04.2, D.9): the score of the
//! higher ranked player, the sum of both, and the rank. A game that is paired and not played has
//! an opponent and a color, and no result.

use super::{Listed, Pairings, PairingsError};
use crate::game::Player;
use shakmaty::ByColor;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The first column of the first round, and how many a round has.
const ROUNDS_FROM: usize = 92;
const ROUND_WIDTH: usize = 10;
/// Columns that are empty in each player's line, whatever the fields hold.
const GAPS: [usize; 4] = [4, 48, 53, 57];

/// One player's round.
#[derive(Clone, Debug)]
struct Cell {
    opponent: u16,
    color: char,
    result: char,
}

#[derive(Clone, Debug)]
struct Entrant {
    line: usize,
    player: Player,
    rounds: Vec<Cell>,
}

impl Entrant {
    /// Half points before this round, the first of which is 0.
    fn score_before(&self, round: usize) -> u32 {
        let points = |cell: &Cell| match cell.result.to_ascii_lowercase() {
            '1' | '+' | 'w' | 'f' | 'u' => 2,
            '=' | 'd' | 'h' => 1,
            _ => 0,
        };
        self.rounds.iter().take(round).map(points).sum()
    }
}

/// Whether the text is such a report.
pub(super) fn is_it(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty() && !line.starts_with("###"));
    first.is_some_and(|line| {
        let code = line.get(..4).unwrap_or(line);
        let is_number = code.chars().take(3).filter(char::is_ascii_digit).count() == 3;
        (is_number || code.starts_with("XX")) && code.chars().nth(3).is_none_or(|c| c == ' ')
    })
}

pub(super) fn parse(text: &str) -> Result<Pairings, PairingsError> {
    let mut entrants = BTreeMap::new();
    let mut found = Pairings::default();
    let mut federation = String::new();
    for (line, text) in (1..).zip(text.lines()) {
        let rest = || text.get(4..).unwrap_or_default().trim().to_owned();
        match text.get(..3) {
            Some("012") => found.event = rest(),
            Some("022") => found.site = rest(),
            Some("032") => federation = rest(),
            Some("001") => {
                let (rank, entrant) = entrant(line, text)?;
                if let Some(Entrant { line: first, .. }) = entrants.insert(rank, entrant) {
                    return Err(PairingsError::at(
                        line,
                        format!("player {rank} is also in line {first}; export the report again"),
                    ));
                }
            }
            Some("013" | "310") => {
                return Err(PairingsError::at(
                    line,
                    "a report of teams does not tell which match is at which tables; export the \
                     pairings as PGN or CSV",
                ));
            }
            _ => {}
        }
    }
    if !federation.is_empty() && !found.site.is_empty() {
        found.site = format!("{} {federation}", found.site);
    }
    let n_rounds = entrants.values().map(|it: &Entrant| it.rounds.len()).max().unwrap_or(0);
    for round in 0..n_rounds {
        found.games.extend(games(&entrants, round)?);
    }
    Ok(found)
}

/// The columns from one to another, both counted from 1, without what is empty around.
fn columns(line: &[char], from: usize, to: usize) -> String {
    let cut = line.get(from - 1..to.min(line.len())).unwrap_or_default();
    cut.iter().collect::<String>().trim().to_owned()
}

/// A line in its columns. Most programs count letters; some count bytes.
fn in_columns(text: &str) -> Vec<char> {
    let letters: Vec<char> = text.chars().collect();
    let fits = |line: &[char]| {
        let is_rating = columns(line, 49, 52).bytes().all(|byte| byte.is_ascii_digit());
        let is_gap = |column: &usize| line.get(column - 1).is_none_or(|c| c.is_whitespace());
        is_rating && GAPS.iter().all(is_gap)
    };
    if fits(&letters) {
        return letters;
    }
    // Each letter takes as many columns as it has bytes; what follows the first is filled up.
    let pad = |c: char| std::iter::once(c).chain(std::iter::repeat_n('\0', c.len_utf8() - 1));
    let bytes: Vec<char> = text.chars().flat_map(pad).collect();
    if fits(&bytes) { bytes } else { letters }
}

fn entrant(line: usize, text: &str) -> Result<(u16, Entrant), PairingsError> {
    let text = in_columns(text);
    let field = |from, to| columns(&text, from, to).replace('\0', "");
    let number = field(5, 8);
    let rank = number.parse().ok().filter(|rank| *rank > 0).ok_or_else(|| {
        let why = format!("{number:?} in columns 5 to 8 is no starting rank");
        PairingsError::at(line, why + "; export the report again")
    })?;
    let known = |value: String| if value == "0" { String::new() } else { value };
    let player = Player {
        name: field(15, 47),
        title: title(&field(11, 14)),
        rating: known(field(49, 52)),
        federation: field(54, 56),
        fide_id: known(field(58, 68)),
        team: String::new(),
    };
    let mut rounds = Vec::new();
    for from in (ROUNDS_FROM..=text.len()).step_by(ROUND_WIDTH) {
        let (opponent, one) = (field(from, from + 3), |at: usize| text.get(at - 1).copied());
        let opponent = match opponent.as_str() {
            "" => 0,
            number => number.parse().map_err(|_| {
                let n = (from - ROUNDS_FROM) / ROUND_WIDTH + 1;
                PairingsError::at(
                    line,
                    format!("{number:?} in column {from} is no opponent of round {n}"),
                )
            })?,
        };
        let color = one(from + 5).unwrap_or(' ').to_ascii_lowercase();
        rounds.push(Cell { opponent, color, result: one(from + 7).unwrap_or(' ') });
    }
    Ok((rank, Entrant { line, player, rounds }))
}

/// Titles as reports for rating shorten them, and as players write them.
const TITLES: [(&str, &str); 8] = [
    ("g", "GM"),
    ("m", "IM"),
    ("f", "FM"),
    ("c", "CM"),
    ("wg", "WGM"),
    ("wm", "WIM"),
    ("wf", "WFM"),
    ("wc", "WCM"),
];

fn title(written: &str) -> String {
    let short = TITLES.iter().find(|(short, _)| written.eq_ignore_ascii_case(short));
    short.map_or_else(|| written.to_ascii_uppercase(), |(_, title)| (*title).to_owned())
}

/// The games of a round, the first of which is 0, in the order of their tables.
fn games(entrants: &BTreeMap<u16, Entrant>, round: usize) -> Result<Vec<Listed>, PairingsError> {
    let mut games = Vec::new();
    for (rank, white) in entrants {
        let Some(cell) = white.rounds.get(round).filter(|cell| cell.opponent != 0) else {
            continue;
        };
        let number = round + 1;
        let wrong =
            |why: String| Err(PairingsError::at(white.line, why + "; export the report again"));
        if cell.opponent == *rank {
            return wrong(format!("round {number} is against himself"));
        }
        let Some(black) = entrants.get(&cell.opponent) else {
            return wrong(format!("round {number} is against {}, whom it has not", cell.opponent));
        };
        let answer = black.rounds.get(round);
        let is_mutual = answer.is_some_and(|it| it.opponent == *rank);
        if !is_mutual {
            let why = format!("round {number} is against {}, who plays another", cell.opponent);
            return wrong(why);
        }
        match (cell.color, answer.map(|it| it.color)) {
            ('w', Some('b')) => {}
            ('b', Some('w')) => continue,
            _ => return wrong(format!("round {number} does not tell who is White")),
        }
        let scores = [white, black].map(|it| it.score_before(round));
        let order = (
            Reverse(scores[0].max(scores[1])),
            Reverse(scores[0] + scores[1]),
            (*rank).min(cell.opponent),
        );
        games.push((order, white, black, cell.result));
    }
    games.sort_by_key(|(order, ..)| *order);
    let listed = |(_, white, black, result): (_, &Entrant, &Entrant, char)| Listed {
        round: u16::try_from(round + 1).unwrap_or(u16::MAX),
        table: None,
        players: ByColor { white: white.player.clone(), black: black.player.clone() },
        is_played: !result.is_whitespace(),
        line: white.line,
    };
    Ok(games.into_iter().map(listed).collect())
}
