//! Repetition and moves without progress, against the table: what the referee counts, what ends a
//! game by itself, and which claims are right, on the board and with an announced move.

use super::rows;
use super::scenario::{Player, Scenario};
use serde_json::{Value, json};
use shakmaty::{Color, Position};

/// Occurrences, and half-moves without progress, from which a player may claim.
const CLAIMED: (usize, u32) = (3, 100);

/// `events` from `start`, of which the last must come to `expected`.
fn scenario(start: &str, events: &[String], expected: Vec<Value>) -> Scenario {
    let usual = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    Scenario {
        id: start.to_owned(),
        editions: Vec::new(),
        variant: "standard".to_owned(),
        articles: Vec::new(),
        start: json!({ "fen": if start == "startpos" { usual } else { start } }),
        config: Value::Null,
        events: events.to_vec(),
        expected,
    }
}

#[test]
fn positions_and_quiet_moves_are_counted() {
    let table = rows::<6>(include_str!("../../tables/laws/repetition.csv"));
    assert_eq!(table.len(), 25);
    for [start, moves, n_occurrences, n_quiet, automatic, comment] in table {
        let scenario = scenario(start, &[format!("play {moves}"), "wait 5".to_owned()], Vec::new());
        for (edition, is_modern) in [("dk2009", false), ("m2018", true), ("m2023", true)] {
            let case = format!("{edition} {start} {moves}: {comment}");
            let mut player = Player::new(&scenario, edition);
            while player.step() {}
            let referee = player.game().referee().expect("a scenario has terms");
            assert_eq!(referee.occurrences().to_string(), n_occurrences, "{case}");
            assert_eq!(referee.position().halfmoves().to_string(), n_quiet, "{case}");
            let reason = referee.result().map(|found| found.reason.as_str());
            let said = match reason {
                Some("fivefold") => "fivefold",
                Some("seventy-five moves") => "seventy-five",
                Some("checkmate" | "stalemate") | None => "",
                Some(other) => other,
            };
            assert_eq!(said, if is_modern { automatic } else { "" }, "{case}");
        }
    }
}

#[test]
fn a_claim_is_right_from_the_third_time_and_from_fifty_moves() {
    for [start, moves, n_occurrences, n_quiet, _, comment] in
        rows::<6>(include_str!("../../tables/laws/repetition.csv"))
    {
        let played = scenario(start, &[format!("play {moves}")], Vec::new());
        let mut player = Player::new(&played, "dk2009");
        player.step();
        let pos = player.game().referee().expect("a scenario has terms").position().clone();
        let (before, last) = moves.rsplit_once(' ').unwrap_or(("", moves));
        let (n, quiet): (usize, u32) = (n_occurrences.parse().unwrap(), n_quiet.parse().unwrap());
        for (kind, is_right) in [("threefold", n >= CLAIMED.0), ("fifty", quiet >= CLAIMED.1)] {
            let verdict = if is_right { "correct" } else { "incorrect" };
            let wanted = json!({"after": 1, "o": "claim", "kind": kind, "verdict": verdict});
            let claim = |by: Color, played: &str, announced: &str| {
                let by = by.fold_wb("white", "black");
                let words = format!("player {by} claim {kind} {announced}");
                let events = [format!("play {played}"), words.trim_end().to_owned()];
                scenario(start, &events, vec![wanted.clone()]).run("dk2009")
            };
            let case = format!("{start} {moves}, {kind}: {comment}");
            if !pos.is_game_over() {
                assert_eq!(claim(pos.turn(), moves, ""), Vec::<String>::new(), "{case}");
            }
            if !last.is_empty() {
                assert_eq!(claim(!pos.turn(), before, last), Vec::<String>::new(), "{case}");
            }
        }
    }
}
