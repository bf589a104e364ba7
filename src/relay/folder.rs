//! The documents of the folder that LiveChess writes, which programs watch and upload (section 5.3
//! of `peers.md`).
//!
//! Games are counted from 1 in the order of tables, without holes: whoever reads an index finds the
//! file of a game by its place in it.

use super::livechess::LiveClock;
use super::pgn::Tags;
use crate::game::{Pairing, Player, ScoreSheet, Scored};
use serde_json::{Value, json};
use shakmaty::{CastlingMode, KnownOutcome, Position as _};

/// The number of the usual start position among those of Chess960.
const USUAL_START: u16 = 518;

/// One round of a tournament.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct RoundCount {
    /// How many games it has.
    pub n_games: usize,
    /// How many of them are on.
    pub n_live: usize,
}

/// `tournament.json`: the rounds from the first on.
pub fn tournament(name: &str, rounds: &[RoundCount]) -> String {
    let of = |round: &RoundCount| json!({ "count": round.n_games, "live": round.n_live });
    let rounds: Vec<Value> = rounds.iter().map(of).collect();
    json!({ "id": name, "name": name, "rounds": rounds }).to_string()
}

/// `index.json` of a round: who plays, in the order of the games' files. A place where nobody plays
/// keeps those behind it where they are.
pub fn index<'a>(
    date: &str,
    games: impl Iterator<Item = Option<(&'a Pairing, Option<KnownOutcome>, bool)>>,
) -> String {
    let of = |game: Option<(&Pairing, Option<KnownOutcome>, bool)>| match game {
        Some((pairing, outcome, is_live)) => json!({
            "white": player(&pairing.players.white),
            "black": player(&pairing.players.black),
            "result": outcome.map_or("*", KnownOutcome::as_str),
            "live": is_live,
        }),
        None => json!({ "white": null, "black": null, "result": null, "live": false }),
    };
    let pairings: Vec<Value> = games.map(of).collect();
    json!({ "date": date, "pairings": pairings }).to_string()
}

/// Readers put the parts of a name together again, the first one first.
pub(super) fn player(player: &Player) -> Value {
    let (last, first) = match player.name.split_once(',') {
        Some((last, first)) => (last.trim(), Some(first.trim())),
        None => (player.name.as_str(), None),
    };
    let known = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    json!({
        "fname": first,
        "mname": null,
        "lname": known(last),
        "title": known(&player.title),
        "federation": known(&player.federation),
        "gender": null,
        "fideid": player.fide_id.parse::<u32>().ok(),
    })
}

/// `game-1.json`: the moves with the seconds that the mover had left, and took. It ends before a
/// move that the Laws do not allow and where moves are not known: the PGN beside it goes on.
/// The clock is told of a game that is on.
pub fn game(
    tags: &Tags,
    sheet: &ScoreSheet,
    n: usize,
    outcome: Option<KnownOutcome>,
    clock: Option<LiveClock>,
) -> String {
    let moves = moves(sheet, n);
    let is_960 = sheet.mode() == CastlingMode::Chess960;
    json!({
        "live": outcome.is_none(),
        "firstMove": null,
        "chess960": (!is_960).then_some(USUAL_START),
        "result": outcome.map_or("*", KnownOutcome::as_str),
        "comment": tags.event,
        "clock": clock.map(LiveClock::told),
        "moves": moves,
    })
    .to_string()
}

/// The first `n` half-moves with the seconds that the mover had left, and behind a `+` those that
/// the move took, as far as either is known.
fn moves(sheet: &ScoreSheet, n: usize) -> Vec<String> {
    let first_gap = sheet.gaps().first().map_or(n, |gap| gap.ply.min(n));
    let known = sheet.moves().iter().take(first_gap).take_while(|scored| !scored.is_illegal);
    let of = |(idx, scored): (usize, &Scored)| {
        let turn = sheet.position(idx).turn();
        let left = scored.completed.and_then(|it| it.times).map(|it| it.get(turn).as_secs());
        let took = scored.completed.and_then(|it| it.elapsed).map(|it| it.as_secs());
        let left = left.map_or_else(String::new, |left| left.to_string());
        let took = took.map_or_else(String::new, |took| format!("+{took}"));
        format!("{} {left}{took}", scored.san).trim_end().to_owned()
    };
    known.enumerate().map(of).collect()
}
