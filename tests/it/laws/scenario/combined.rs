//! Pairs of acts that no single row names: a flag, a claim, an offer, a touch, an illegal move, an
//! adjournment, a result, a correction, in both orders, with and without a move in between, for
//! both colors and in each edition. What the Laws leave to nobody must hold after each event.

use super::Scenario;
use super::table::Table;
use rokade::game::Fact;
use rokade::laws::{Binding, Code, OfferState, Ruling, Verdict, Wrong};
use serde_json::json;
use shakmaty::{Color, Position, Square};
use std::time::Duration;

const EDITIONS: [&str; 5] = ["hu2005", "dk2009", "no2009", "m2018", "m2023"];

/// What may happen on the turn of White, who stands as at the start but for the e-pawns.
const ACTS: [(&str, &[&str]); 8] = [
    ("flag", &["flag white", "arbiter flag white"]),
    ("claim", &["player white claim threefold"]),
    ("offer", &["player white offer_draw"]),
    ("touch", &["lift g1", "place g1 N"]),
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

/// The squares that hands have reached since a move went on record, and who is to move.
#[derive(Default)]
struct Touched {
    by: Option<Color>,
    squares: Vec<Square>,
    /// Those of illegal moves, which bind the moves that replace them.
    owed: Vec<Square>,
}

impl Touched {
    /// Before `event` is played at a table where `by` is to move.
    fn take(&mut self, event: &str, by: Color) {
        if self.by.replace(by) != Some(by) {
            self.squares.clear();
        }
        let (verb, rest) = event.split_once(' ').unwrap_or((event, ""));
        let sq: Option<Square> = rest.split(' ').next().and_then(|word| word.parse().ok());
        self.squares.extend(sq.filter(|_| verb == "lift" || verb == "place"));
    }

    /// What the event said.
    fn hear(&mut self, said: &[(usize, Ruling)]) {
        let is_illegal =
            |(_, ruling): &(usize, Ruling)| matches!(ruling, Ruling::IllegalCompleted { .. });
        if said.iter().any(is_illegal) {
            self.owed.append(&mut self.squares);
        }
    }

    /// Whether `binding` rests on nothing that was touched: who is bound is bound by a touch of
    /// his own turn, and to the pieces that he touched.
    fn is_foreign(&self, binding: &Binding) -> bool {
        let named = match binding {
            Binding::Move(sq) | Binding::Capture(sq) | Binding::Destination(sq) => vec![*sq],
            Binding::CaptureWith(sq, with) => vec![*sq, *with],
            _ => Vec::new(),
        };
        named.iter().any(|sq| !self.squares.contains(sq) && !self.owed.contains(sq))
    }
}

/// What does not hold while it is played, in words.
fn broken(scenario: &Scenario, edition: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut table = Table::set(scenario, edition).unwrap_or_else(|e| panic!("{e}"));
    let sum = |table: &Table| table.clocks().left.into_iter().sum::<Duration>().as_secs_f64();
    let start = sum(&table);
    let mut touched = Touched::default();
    for (idx, event) in scenario.events.iter().enumerate() {
        let result = table.referee().result().cloned();
        let offers = Color::ALL.map(|by| table.referee().offer(by));
        let n_before = n_made(&table);
        let n_said = table.said.len();
        touched.take(event, table.referee().position().turn());
        table.play(event, false).unwrap_or_else(|e| panic!("{event}: {e}"));
        touched.hear(&table.said[n_said..]);
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
        if let Some(binding) = table.referee().binding().filter(|it| touched.is_foreign(it)) {
            say(&format!("bound to {binding} by no touch of his own"));
        }
        let is_lost = |(_, ruling): &(usize, Ruling)| match ruling {
            Ruling::Log(note) => note.code == Code::TouchClaimLost,
            _ => false,
        };
        if table.said[n_said..].iter().any(is_lost) && !event.starts_with("lift") {
            say("a right to claim lapsed without a touch");
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
    assert_eq!(n_played, 1280, "pairs");
    assert!(wrong.is_empty(), "{} do not hold\n{}", wrong.len(), wrong.join("\n"));
}

/// White touches a knight and moves a pawn, which Black may claim until he touches a piece; what
/// White does on Black's turn takes nothing from him.
#[test]
fn the_opponents_right_lapses_by_his_own_touch_alone() {
    let breach: &[&str] = &["lift b1", "place b1 N", "lift a2", "place a3 P", "press white"];
    let claim: &[&str] = &["player black claim touch"];
    let acts: [(&str, bool, &[&str]); 7] = [
        ("nothing", true, &[]),
        ("a word", true, &["player black offer_draw"]),
        ("an answer", true, &["player white offer_draw", "player black decline_draw"]),
        ("time", true, &["wait 30"]),
        ("a stop", true, &["arbiter pause", "arbiter resume black"]),
        ("a piece of White's", true, &["lift g1", "place g1 N"]),
        ("his own touch", false, &["lift b8", "place b8 n"]),
    ];
    let mut wrong = Vec::new();
    for (id, may_claim, act) in acts {
        for by in Color::ALL {
            let scenario = scenario(by, id.to_owned(), events_of(by, &[breach, act, claim]));
            for edition in EDITIONS {
                let mut table = Table::set(&scenario, edition).unwrap_or_else(|e| panic!("{e}"));
                for event in &scenario.events {
                    table.play(event, false).unwrap_or_else(|e| panic!("{event}: {e}"));
                    table.next_event();
                }
                let verdicts = table.said.iter().filter_map(|(_, ruling)| match ruling {
                    Ruling::Claimed { by: who, verdict, .. } => Some((*who, *verdict)),
                    _ => None,
                });
                let due = if may_claim { Verdict::Correct } else { Verdict::Inadmissible };
                let verdicts: Vec<_> = verdicts.collect();
                if verdicts != [(!by, due)] {
                    wrong.push(format!("{id}, {by} {edition}: {verdicts:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} do not hold\n{}", wrong.len(), wrong.join("\n"));
}

/// A binding to what nobody touched, or to what was touched on the turn before, is noticed.
#[test]
fn a_touch_binds_on_its_own_turn_alone() {
    let mut touched = Touched::default();
    touched.take("lift b1", Color::White);
    let knight = Binding::Move(Square::B1);
    assert!(!touched.is_foreign(&knight) && !touched.is_foreign(&Binding::Any));
    assert!(touched.is_foreign(&Binding::Move(Square::G1)));
    assert!(touched.is_foreign(&Binding::CaptureWith(Square::B1, Square::G1)));
    touched.take("press white", Color::Black);
    assert!(touched.is_foreign(&knight));
    touched.take("lift b1", Color::White);
    touched.hear(&[(0, Ruling::IllegalCompleted { by: Color::White, nth: 1, why: Wrong::NoMove })]);
    touched.take("press white", Color::Black);
    assert!(!touched.is_foreign(&knight), "a move that replaces an illegal one is bound");
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
