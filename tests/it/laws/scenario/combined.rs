//! Pairs of acts that no single row names: a flag, a claim, an offer, an illegal move, an
//! adjournment, a result, a correction, in both orders, with and without a move in between, for
//! both colors and in each edition. What the Laws leave to nobody must hold after each event.

use super::Scenario;
use super::table::Table;
use rokade::game::Fact;
use rokade::laws::{OfferState, Ruling};
use serde_json::json;
use shakmaty::Color;
use std::time::Duration;

const EDITIONS: [&str; 5] = ["hu2005", "dk2009", "no2009", "m2018", "m2023"];

/// What may happen on the turn of White, who stands as at the start but for the e-pawns.
const ACTS: [(&str, &[&str]); 7] = [
    ("flag", &["flag white", "arbiter flag white"]),
    ("claim", &["player white claim threefold"]),
    ("offer", &["player white offer_draw"]),
    ("illegal", &["lift b1", "place b3 N", "press white"]),
    ("adjournment", &["arbiter seal white", "seal white Nf3", "pause white"]),
    ("result", &["player white resign"]),
    ("correction", &["arbiter restore agreed_ply 2", "arbiter restored"]),
];

/// A legal move of White and one of Black that go with all of them.
const MOVES: [&[&str]; 2] =
    [&["lift a2", "place a3 P", "press white"], &["lift h7", "place h6 p", "press black"]];

/// The same for the other color.
fn mirrored(event: &str) -> String {
    let word = |word: &str| match word {
        "white" => "black".to_owned(),
        "black" => "white".to_owned(),
        "Nf3" => "Nf6".to_owned(),
        _ if word.len() == 1 => {
            let c = word.chars().next().expect("a letter");
            if c.is_ascii_uppercase() { word.to_ascii_lowercase() } else { word.to_uppercase() }
        }
        _ if word.len() == 2 && word.is_char_boundary(1) => {
            let (file, rank) = word.split_at(1);
            rank.parse::<u8>().map_or_else(|_| word.to_owned(), |n| format!("{file}{}", 9 - n))
        }
        _ => word.to_owned(),
    };
    event.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

fn events_of(by: Color, parts: &[&[&str]]) -> Vec<String> {
    let all = parts.iter().flat_map(|part| part.iter());
    match by {
        Color::White => all.map(|event| (*event).to_owned()).collect(),
        Color::Black => all
            .map(|event| match *event {
                "arbiter restore agreed_ply 2" => "arbiter restore agreed_ply 3".to_owned(),
                other => mirrored(other),
            })
            .collect(),
    }
}

fn scenario(by: Color, id: String, events: Vec<String>) -> Scenario {
    let opening = by.fold_wb("play e4 e5", "play e4 e5 d3");
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    Scenario {
        id,
        editions: Vec::new(),
        variant: "standard".to_owned(),
        articles: Vec::new(),
        start: json!({ "fen": fen, "clock": { "white_s": 900, "black_s": 900 } }),
        config: json!({}),
        events: std::iter::once(opening.to_owned()).chain(events).collect(),
        expected: Vec::new(),
    }
}

/// What is given and taken by rulings, in seconds, all in all.
fn granted(table: &Table) -> f64 {
    let of = |ruling: &Ruling| match ruling {
        Ruling::Penalty { span, .. } | Ruling::Period { add: span, .. } => span.as_secs_f64(),
        Ruling::Deducted { span, .. } => -span.as_secs_f64(),
        _ => 0.0,
    };
    table.said.iter().map(|(_, ruling)| of(ruling)).sum()
}

/// How many moves went on record.
fn n_made(table: &Table) -> usize {
    table.entries.iter().filter(|entry| matches!(entry.fact, Fact::MoveMade { .. })).count()
}

/// Whether `event` is a touch or a word of `by`, or an order.
fn may_decline(event: &str, by: Color) -> bool {
    let is_his = |piece: char| piece.is_ascii_uppercase() == by.is_white();
    event.starts_with("arbiter")
        || event.starts_with(&format!("player {by}"))
        || event.starts_with("place") && event.chars().last().is_some_and(is_his)
        || event.starts_with("lift")
}

/// What does not hold while it is played, in words.
fn broken(scenario: &Scenario, edition: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut table = Table::set(scenario, edition).unwrap_or_else(|e| panic!("{e}"));
    let sum = |table: &Table| table.clocks().left.into_iter().sum::<Duration>().as_secs_f64();
    let start = sum(&table);
    for (idx, event) in scenario.events.iter().enumerate() {
        let result = table.referee().result().cloned();
        let offers = Color::ALL.map(|by| table.referee().offer(by));
        let n_before = n_made(&table);
        table.play(event, false).unwrap_or_else(|e| panic!("{event}: {e}"));
        let mut say = |why: &str| {
            wrong.push(format!("{} {edition} after {idx} {event:?}: {why}", scenario.id));
        };
        if (sum(&table) - start - granted(&table)).abs() > 1e-3 {
            say("time was made or lost");
        }
        let is_order = event.starts_with("arbiter");
        if result.is_some() && !is_order && table.referee().result() != result.as_ref() {
            say("a result was changed without an order");
        }
        if result.is_some() && !is_order && n_made(&table) != n_before {
            say("the record went on after the end");
        }
        for (by, before) in Color::ALL.into_iter().zip(offers) {
            let is_declined = table.referee().offer(by) == Some(OfferState::Declined);
            let was_open = before == Some(OfferState::Open);
            if was_open && is_declined && !may_decline(event, !by) {
                say("an offer was declined by nobody");
            }
        }
        if table.clocks().running.is_some() && table.referee().result().is_some() {
            say("a clock runs after the end");
        }
        table.next_event();
    }
    wrong
}

#[test]
fn what_happens_in_pairs_makes_no_time_and_changes_no_result() {
    let mut wrong = Vec::new();
    let mut n_played = 0;
    for (first, one) in ACTS {
        for (second, other) in ACTS {
            for by in Color::ALL {
                for between in [&[][..], &MOVES[..]] {
                    let parts: Vec<&[&str]> = [&[one][..], between, &[other][..]]
                        .into_iter()
                        .flatten()
                        .copied()
                        .collect();
                    let events = events_of(by, &parts);
                    let id = format!("{first}, {second}, {by}, {} between", between.len());
                    let scenario = scenario(by, id, events);
                    for edition in EDITIONS {
                        n_played += 1;
                        wrong.extend(broken(&scenario, edition));
                    }
                }
            }
        }
    }
    assert_eq!(n_played, 980, "pairs");
    assert!(wrong.is_empty(), "{} do not hold\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn time_that_no_ruling_gives_is_noticed() {
    let events = vec!["arbiter add_time black 60".to_owned()];
    let wrong = broken(&scenario(Color::White, "given".to_owned(), events), "m2023");
    assert!(wrong.len() == 1 && wrong[0].ends_with("time was made or lost"), "{wrong:?}");
}

#[test]
fn the_other_color_does_the_same() {
    assert_eq!(mirrored("place b3 N"), "place b6 n");
    assert_eq!(mirrored("seal white Nf3"), "seal black Nf6");
    assert_eq!(mirrored("player white claim threefold"), "player black claim threefold");
}
