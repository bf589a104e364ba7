//! The words that a file of scenarios may use. Any other is refused, with the nearest that there is:
//! a word that nobody knows would otherwise hold or fail by chance.

use super::Scenario;
use rokade::laws::{Code, UnknownName};
use serde_json::Value;

/// What may happen.
const VERBS: [&str; 18] = [
    "lift",
    "lift+",
    "place",
    "place+",
    "swap",
    "press",
    "wait",
    "pause",
    "flag",
    "flags",
    "scheduled",
    "start",
    "setup",
    "play",
    "announce",
    "seal",
    "player",
    "arbiter",
];

/// What may be expected.
const OUTCOMES: [&str; 50] = [
    "touched",
    "bound",
    "not_bound",
    "not_made",
    "made",
    "completed",
    "illegal_on_board",
    "illegal_completed",
    "illegal_stands",
    "replaced",
    "unresolved",
    "penalty",
    "deduct",
    "clock",
    "period",
    "mode",
    "restore",
    "transfer",
    "restore_point",
    "position_demanded",
    "flag",
    "claim",
    "claim_package",
    "offer",
    "occurrences",
    "prompt",
    "arbiter_may_act",
    "log",
    "no_log",
    "demo",
    "players_see",
    "speaks",
    "result",
    "signed",
    "points",
    "game_continues",
    "ready",
    "not_ready",
    "ignored",
    "no_penalty",
    "next_move_no",
    "castling_rights",
    "notation",
    "snapshot",
    "seal_requested",
    "sealed_pending",
    "sealed_must_be",
    "sealed",
    "sealed_invalid",
    "envelope",
];

/// Why a move is illegal.
const WHY_ILLEGAL: [&str; 39] = [
    "not a pawn move",
    "not a knight move",
    "not a bishop move",
    "not a rook move",
    "not a queen move",
    "not a king move",
    "passes over a piece",
    "square ahead occupied",
    "square occupied by an own piece",
    "double step not from the original square",
    "three squares",
    "four squares",
    "five squares",
    "nothing to capture",
    "en passant only directly after the double step",
    "captured pawn not removed",
    "pawn not replaced",
    "promotion only to queen, rook, bishop or knight",
    "promotion piece of the wrong colour",
    "own king exposed",
    "check not answered",
    "square attacked",
    "king captured",
    "king in check",
    "king has moved before",
    "rook has moved before",
    "piece between king and rook",
    "square on the path occupied",
    "castling out of check",
    "crosses an attacked square",
    "target square attacked",
    "castling only along the first rank",
    "castling not carried out",
    "two hands",
    "no move made",
    "no legal move explains the board",
    "illegal",
    "ambiguous",
    "unintelligible",
];

/// Why a game is over.
const WHY_OVER: [&str; 37] = [
    "checkmate",
    "stalemate",
    "dead position",
    "resignation",
    "resignation, opponent cannot mate",
    "agreement",
    "time",
    "time, opponent cannot mate",
    "both flags, rapid/blitz",
    "both flags, order unknown, last period",
    "illegal move",
    "illegal move, opponent cannot mate",
    "second illegal move",
    "second illegal move, opponent cannot mate",
    "third illegal move",
    "third illegal move, opponent cannot mate",
    "too many illegal moves",
    "too many illegal moves, opponent cannot mate",
    "illegal position still on the board",
    "threefold",
    "fivefold",
    "fifty moves",
    "seventy-five moves",
    "quickplay finish",
    "default",
    "default, both absent",
    "absence",
    "electronic device",
    "electronic device, opponent cannot win",
    "persistent refusal",
    "signed result",
    "sealed move invalid",
    "sealed move invalid, opponent cannot mate",
    "envelope missing",
    "annulled, new game",
    "agreement before round",
    "arbiter",
];

fn known(what: &'static str, word: &str, words: &[&'static str]) -> Result<(), String> {
    if words.contains(&word) {
        return Ok(());
    }
    Err(UnknownName::new(what, word, words).to_string())
}

/// Whether every word of a scenario is one that the runner knows.
pub(super) fn check(scenario: &Scenario) -> Result<(), String> {
    for event in &scenario.events {
        let verb = event.split(' ').next().unwrap_or_default();
        known("verb", verb, &VERBS).map_err(|why| format!("{event:?}: {why}"))?;
    }
    scenario.expected.iter().try_for_each(|wanted| {
        check_outcome(scenario, wanted).map_err(|why| format!("{wanted}: {why}"))
    })
}

fn check_outcome(scenario: &Scenario, wanted: &Value) -> Result<(), String> {
    let kind = wanted["o"].as_str().unwrap_or_default();
    known("outcome", kind, &OUTCOMES)?;
    if let Some(code) = wanted["code"].as_str() {
        let codes: Vec<&'static str> = Code::ALL.iter().map(|code| code.word()).collect();
        known("code", code, &codes)?;
    }
    let is_illegal = ["illegal_on_board", "illegal_completed", "sealed_invalid"].contains(&kind);
    match (kind, wanted["why"].as_str(), wanted["reason"].as_str()) {
        (_, Some(why), _) if is_illegal => known("reason", why, &WHY_ILLEGAL),
        // An arbiter may give any reason for the result that he declares.
        ("result", _, Some(why)) if !is_ordered(scenario, why) => known("reason", why, &WHY_OVER),
        _ => Ok(()),
    }
}

fn is_ordered(scenario: &Scenario, why: &str) -> bool {
    let why = why.replace(' ', "_");
    let ordered = scenario.events.iter().filter_map(|event| event.strip_prefix("arbiter result "));
    ordered.into_iter().any(|rest| rest.replace(' ', "_").ends_with(&why))
}
