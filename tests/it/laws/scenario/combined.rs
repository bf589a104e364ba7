//! Pairs of acts that no single row names: a flag, a claim, an offer, a touch, an illegal move, an
//! adjournment, a result, a correction, in both orders, with and without a move in between, for
//! both colors and in each edition. What the Laws leave to nobody must hold after each event.

use super::Scenario;
use super::table::Table;
use rokade::game::Fact;
use rokade::laws::{Binding, Code, GameResult, OfferState, Ruling, Score, Verdict, Wrong};
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

/// What must hold of a table from one event to the next.
#[derive(Clone, Debug, Default)]
struct Look {
    /// The times of both players, less what rulings gave and took, in seconds.
    left: f64,
    result: Option<GameResult>,
    offers: [Option<OfferState>; 2],
    n_made: usize,
    is_running: bool,
    /// What says that a right to claim a touch has lapsed, so far.
    n_lapsed: usize,
}

impl Look {
    fn at(table: &Table) -> Self {
        let referee = table.referee();
        let is_lapse = |(_, ruling): &&(usize, Ruling)| match ruling {
            Ruling::Log(note) => note.code == Code::TouchClaimLost,
            _ => false,
        };
        let left = table.clocks().left.into_iter().sum::<Duration>().as_secs_f64();
        Self {
            left: left - granted(table),
            result: referee.result().cloned(),
            offers: Color::ALL.map(|by| referee.offer(by)),
            n_made: n_made(table),
            is_running: table.clocks().running.is_some(),
            n_lapsed: table.said.iter().filter(is_lapse).count(),
        }
    }

    /// What the Laws leave to nobody, and `event` has brought about since `before`.
    fn broken(&self, before: &Self, event: &str) -> Vec<&'static str> {
        let is_over = before.result.is_some() && !event.starts_with("arbiter");
        let is_declined = |by: Color| {
            let [was, is] = [before, self].map(|look| look.offers[usize::from(by.is_black())]);
            was == Some(OfferState::Open)
                && is == Some(OfferState::Declined)
                && !may_decline(event, !by)
        };
        let kinds = [
            ((self.left - before.left).abs() > 1e-3, MADE),
            (is_over && self.result != before.result, CHANGED),
            (is_over && self.n_made != before.n_made, WENT_ON),
            (Color::ALL.into_iter().any(is_declined), DECLINED),
            (self.is_running && self.result.is_some(), RUNS),
            (self.n_lapsed > before.n_lapsed && !event.starts_with("lift"), LAPSED),
        ];
        kinds.into_iter().filter_map(|(is_broken, why)| is_broken.then_some(why)).collect()
    }
}

const MADE: &str = "time was made or lost";
const CHANGED: &str = "a result was changed without an order";
const WENT_ON: &str = "the record went on after the end";
const DECLINED: &str = "an offer was declined by nobody";
const RUNS: &str = "a clock runs after the end";
const LAPSED: &str = "a right to claim lapsed without a touch";

/// What does not hold while it is played, in words.
fn broken(scenario: &Scenario, edition: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut table = Table::set(scenario, edition).unwrap_or_else(|e| panic!("{e}"));
    let mut touched = Touched::default();
    for (idx, event) in scenario.events.iter().enumerate() {
        let (before, n_said) = (Look::at(&table), table.said.len());
        touched.take(event, table.referee().position().turn());
        table.play(event, false).unwrap_or_else(|e| panic!("{event}: {e}"));
        touched.hear(&table.said[n_said..]);
        let mut say = |why: &str| {
            wrong.push(format!("{} {edition} after {idx} {event:?}: {why}", scenario.id));
        };
        Look::at(&table).broken(&before, event).into_iter().for_each(&mut say);
        if let Some(binding) = table.referee().binding().filter(|it| touched.is_foreign(it)) {
            say(&format!("bound to {binding} by no touch of his own"));
        }
        table.next_event();
    }
    wrong
}

/// Each of the rules is seen to be broken, by events that may not do it, and by no other.
#[test]
fn what_the_laws_leave_to_nobody_is_noticed() {
    let won = |winner: Color| GameResult {
        code: Code::Resigned,
        score: Score::win(winner),
        reason: "resignation".to_owned(),
        flagged: None,
    };
    let open = Look { left: 1_800.0, is_running: true, n_made: 3, ..Look::default() };
    let over = Look { is_running: false, result: Some(won(Color::White)), ..open.clone() };
    let offered = Look { offers: [Some(OfferState::Open), None], ..open.clone() };
    let declined = Look { offers: [Some(OfferState::Declined), None], ..open.clone() };
    let rows: [(&str, &Look, Look, &str, &[&str]); 18] = [
        ("a move", &open, Look { n_made: 4, ..open.clone() }, "press white", &[]),
        ("time", &open, Look { left: 1_801.0, ..open.clone() }, "press white", &[MADE]),
        ("time lost", &open, Look { left: 1_799.0, ..open.clone() }, "arbiter pause", &[MADE]),
        ("a result", &open, over.clone(), "player black resign", &[]),
        (
            "another",
            &over,
            Look { result: Some(won(Color::Black)), ..over.clone() },
            "press black",
            &[CHANGED],
        ),
        ("none", &over, Look { result: None, ..over.clone() }, "player white resign", &[CHANGED]),
        ("ordered", &over, Look { result: None, ..over.clone() }, "arbiter continue", &[]),
        ("a move after it", &over, Look { n_made: 4, ..over.clone() }, "place a3 P", &[WENT_ON]),
        ("entered", &over, Look { n_made: 4, ..over.clone() }, "arbiter moves", &[]),
        ("runs on", &open, Look { is_running: true, ..over.clone() }, "flag white", &[RUNS]),
        ("runs again", &over, Look { is_running: true, ..over.clone() }, "arbiter x", &[RUNS]),
        ("by himself", &offered, declined.clone(), "player white claim x", &[DECLINED]),
        ("by a press", &offered, declined.clone(), "press white", &[DECLINED]),
        ("by White's piece", &offered, declined.clone(), "place a3 P", &[DECLINED]),
        ("by Black's", &offered, declined.clone(), "place a6 p", &[]),
        ("by Black", &offered, declined, "player black decline_draw", &[]),
        ("a right", &open, Look { n_lapsed: 1, ..open.clone() }, "press black", &[LAPSED]),
        ("by a touch", &open, Look { n_lapsed: 1, ..open.clone() }, "lift b8", &[]),
    ];
    for (name, before, after, event, expected) in rows {
        assert_eq!(after.broken(before, event), expected, "{name}");
    }
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
