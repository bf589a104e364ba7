//! The documents of the folder that LiveChess writes, which programs watch and upload (section 5.3
//! of `peers.md`).
//!
//! Games are counted from 1 in the order of tables, without holes: whoever reads an index finds the
//! file of a game by its place in it.

use super::chess960::start_number;
use super::livechess::LiveClock;
use super::pgn::{Tags, stretches};
use crate::game::{Pairing, Player, ScoreSheet};
use serde_json::{Value, json};
use shakmaty::fen::Fen;
use shakmaty::{Chess, EnPassantMode, KnownOutcome, Position as _};
use std::ops::Range;

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

/// `game-1.json`: the moves with the seconds that the mover had left, and took.
///
/// The format knows no position to begin from but those of Chess960, and no move that the Laws do
/// not allow. So `moves` are those that can be played from there: none of a game whose beginning
/// was not seen. Where that is not all, `parts` has all of it, each with the position that it
/// begins from, as the games of the PGN have; who does not know that key goes by the PGN beside it.
/// The clock is told of a game that is on, if `moves` are all: readers give its times to the last
/// of them.
pub fn game(
    tags: &Tags,
    sheet: &ScoreSheet,
    n: usize,
    outcome: Option<KnownOutcome>,
    is_live: bool,
    clock: Option<LiveClock>,
) -> String {
    let stretches = stretches(sheet, n);
    let chess960 = start_number(sheet.start());
    let first = stretches.first().filter(|_| chess960.is_some()).map(|(_, plies)| plies.clone());
    let is_all = stretches.len() == 1 && first.is_some();
    let part = |(start, plies): &(&Chess, Range<usize>)| {
        let fen = Fen::from_position(*start, EnPassantMode::Legal).to_string();
        json!({ "fen": fen, "moves": moves(sheet, plies.clone()) })
    };
    let mut told = json!({
        "live": is_live,
        "firstMove": null,
        "chess960": chess960,
        "result": outcome.map_or("*", KnownOutcome::as_str),
        "comment": tags.event,
        "clock": clock.filter(|_| is_all).map(LiveClock::told),
        "moves": moves(sheet, first.unwrap_or_default()),
    });
    if !is_all {
        told["parts"] = stretches.iter().map(part).collect();
    }
    told.to_string()
}

/// Half-moves with the seconds that the mover had left, and behind a `+` those that the move took,
/// as far as either is known.
fn moves(sheet: &ScoreSheet, plies: Range<usize>) -> Vec<String> {
    let of = |idx: usize| {
        let (scored, turn) = (&sheet.moves()[idx], sheet.position(idx).turn());
        let left = scored.completed.and_then(|it| it.times).map(|it| it.get(turn).as_secs());
        let took = scored.completed.and_then(|it| it.elapsed).map(|it| it.as_secs());
        let left = left.map_or_else(String::new, |left| left.to_string());
        let took = took.map_or_else(String::new, |took| format!("+{took}"));
        format!("{} {left}{took}", scored.san).trim_end().to_owned()
    };
    plies.map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Unknown;
    use crate::time::Mono;
    use crate::track::line::CompletedBy;
    use shakmaty::CastlingMode;
    use shakmaty::uci::UciMove;
    use std::time::Duration;

    fn legal(sheet: &mut ScoreSheet, uci: &str) {
        let m = uci.parse::<UciMove>().unwrap().to_move(sheet.last()).unwrap();
        sheet.push(m, Vec::new());
    }

    fn position(fen: &str) -> Chess {
        fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap()
    }

    fn told(sheet: &ScoreSheet, n: usize) -> Value {
        let times = shakmaty::ByColor { white: Duration::ZERO, black: Duration::ZERO };
        let clock = Some(LiveClock { times, running: None, read_ms: 0 });
        serde_json::from_str(&game(&Tags::default(), sheet, n, None, true, clock)).unwrap()
    }

    #[test]
    fn behind_an_illegal_move_and_a_gap_the_moves_go_on_from_a_position_of_their_own() {
        let mut sheet = ScoreSheet::new(Chess::new(), CastlingMode::Standard);
        legal(&mut sheet, "e2e4");
        let times = shakmaty::ByColor { white: Duration::from_secs(63), black: Duration::ZERO };
        sheet.complete(1, Mono::default(), CompletedBy::Press, Some(times));
        legal(&mut sheet, "e7e5");
        let ordinary = told(&sheet, 2);
        assert_eq!(ordinary["moves"], json!(["e4 63", "e5"]));
        assert_eq!((&ordinary["parts"], &ordinary["chess960"]), (&Value::Null, &json!(518)));
        assert!(ordinary["clock"].is_object());
        let illegal = sheet.illegal_move(&"f1b6".parse().unwrap()).unwrap();
        sheet.push_illegal(illegal);
        legal(&mut sheet, "a7b6");
        let adopted = position("rnbqkbnr/1ppp1ppp/1p6/8/3NP3/8/PPPP1PPP/RNBQK2R b KQkq - 0 4");
        sheet.open_gap(adopted, Unknown::at_least(2));
        legal(&mut sheet, "g8f6");
        let split = told(&sheet, 5);
        assert_eq!(split["moves"], json!(["e4 63", "e5"]), "as far as all can follow");
        assert!(split["clock"].is_null(), "it is not that of their last move");
        let parts: Vec<_> = split["parts"].as_array().unwrap().iter().collect();
        let [first, second, third] = parts[..] else { panic!("{split}") };
        assert_eq!(first["moves"], split["moves"]);
        assert_eq!(second["moves"], json!(["axb6"]));
        assert!(second["fen"].as_str().unwrap().starts_with("rnbqkbnr/pppp1ppp/1B6/4p3/4P3/"));
        assert_eq!(third["moves"], json!(["Nf6"]));
        assert!(third["fen"].as_str().unwrap().starts_with("rnbqkbnr/1ppp1ppp/1p6/8/3NP3/"));
        // What is not public yet is in none of them.
        assert_eq!(told(&sheet, 2)["parts"], Value::Null);
    }

    #[test]
    fn a_game_that_was_joined_has_no_moves_from_the_usual_start() {
        let found = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";
        let mut sheet = ScoreSheet::joined(position(found), CastlingMode::Standard);
        legal(&mut sheet, "f1b5");
        let told = told(&sheet, 1);
        assert_eq!((&told["moves"], &told["chess960"]), (&json!([]), &Value::Null));
        assert_eq!(told["parts"], json!([{ "fen": found, "moves": ["Bb5"] }]));
    }
}
