//! What each order and each word changes in record, clock and outputs: a table with a row for every
//! one of them in every situation, `tests/tables/orders.txt`, and the same after a restart.
//!
//! `UPDATE_GOLDEN=1` writes the table anew: read it as an arbiter would.

#![allow(clippy::unwrap_used)]

use rokade::game::{
    Basis, Effect, Entry, Event, Fact, Game, Play, Recovered, ScoreSheet, Settings,
};
use rokade::laws::act::CHAPTERS;
use rokade::laws::{Act, Declaration, Ending, Order, Reason, Referee, Score, Terms};
use rokade::relay::log::Log;
use rokade::relay::pgn::{self, Tags};
use rokade::relay::record::Record;
use rokade::relay::view::View;
use rokade::sim::{Replay, Script};
use rokade::table::Reading;
use rokade::time::{Mono, Stamp, Wall};
use rokade::wire::{BoardMessage, Dump, Orientation};
use shakmaty::fen::Fen;
use shakmaty::{Color, KnownOutcome};
use std::fmt::Write;
use std::fs;
use std::time::Duration;

/// Two moves each, all pressed.
const PLAYED: &str = r#"{"trace":1,"board":"dgt","clock":true}
{"t":3000,"sq":"e2","p":""}
{"t":3200,"sq":"e4","p":"P"}
{"t":3600,"press":"white"}
{"t":4600,"sq":"e7","p":""}
{"t":4800,"sq":"e5","p":"p"}
{"t":5200,"press":"black"}
{"t":6200,"sq":"g1","p":""}
{"t":6400,"sq":"f3","p":"N"}
{"t":6900,"press":"white"}
{"t":7900,"sq":"b8","p":""}
{"t":8100,"sq":"c6","p":"n"}
{"t":8600,"press":"black"}
{"t":12000,"end":true}
"#;
/// White's second move is illegal, and he presses.
const ILLEGAL: &str = r#"{"trace":1,"board":"dgt","clock":true}
{"t":3000,"sq":"e2","p":""}
{"t":3200,"sq":"e4","p":"P"}
{"t":3600,"press":"white"}
{"t":4600,"sq":"e7","p":""}
{"t":4800,"sq":"e5","p":"p"}
{"t":5200,"press":"black"}
{"t":6200,"sq":"e1","p":""}
{"t":6400,"sq":"e3","p":"K"}
{"t":6900,"press":"white"}
{"t":12000,"end":true}
"#;
const UNCERTAIN: &str = "6k1/2p1p3/8/3N4/8/8/8/6K1 w - - 0 12";
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const MATE: [(&str, &str); 4] = [("f2f3", ""), ("e7e5", ""), ("g2g4", ""), ("d8h4", "")];
const MATED: Ending =
    Ending { outcome: KnownOutcome::Decisive { winner: Color::Black }, reason: Reason::Checkmate };
const BISHOP: Reading = Reading::Piece(Color::White.bishop());
const PAWN: Reading = Reading::Piece(Color::White.pawn());
const KNIGHTS: &str = "r1bqkb1r/pppp1ppp/2n2n2/4p3/4P3/2N2N2/PPPP1PPP/R1BQKB1R w - - 0 1";
const TABLE: &str = "tests/tables/orders.txt";

/// A board with all that it put on record.
#[derive(Clone)]
struct Board {
    game: Game,
    entries: Vec<Entry>,
    at: u64,
}

impl Board {
    fn played(text: &str, settings: Settings) -> Self {
        let run = Replay::run_with(&Script::parse(text).unwrap(), settings);
        Self { game: run.game, entries: run.entries, at: 13_000 }
    }

    /// A board that nothing has been heard of.
    fn unseen(settings: Settings) -> Self {
        let mut board = Self { game: Game::new(settings), entries: Vec::new(), at: 0 };
        board.wait(1_000);
        board
    }

    /// A board that was read and shows this, with no referee and no clock.
    fn standing(fen: &str) -> Self {
        let mut board = Self { game: Game::new(Settings::default()), entries: Vec::new(), at: 0 };
        board.show(fen);
        board
    }

    /// The board is plugged in, and shows this.
    fn show(&mut self, fen: &str) {
        let fen: Fen = fen.parse().unwrap();
        let dump = Dump::new(&fen.as_setup().board, Orientation::Normal);
        self.handle(&Event::LinkUp);
        self.at += 1_000;
        let dump = Event::Board(BoardMessage::Dump(Box::new(dump)));
        self.handle(&dump);
        // No start position: it is asked for again, and the board says the same.
        self.wait(100);
        self.handle(&dump);
        self.wait(1_000);
    }

    /// A board on which pieces were moved that no legal moves bring there.
    fn moved_on() -> Self {
        let mut board = Self::played(PLAYED, Settings::default());
        for (from, to, reading) in [("f1", "c4", BISHOP), ("d2", "d4", PAWN), ("a2", "a4", PAWN)] {
            board.handle(&Event::Sensed(from.parse().unwrap(), Reading::Empty));
            board.handle(&Event::Sensed(to.parse().unwrap(), reading));
        }
        board
    }

    /// A game of which this is on record.
    fn recorded(fen: &str, moves: &[(&str, &str)], ending: Option<Ending>) -> Self {
        let started = Fact::GameStarted {
            fen: fen.to_owned(),
            is_chess960: false,
            white: String::new(),
            black: String::new(),
            event: String::new(),
            site: String::new(),
            round: String::new(),
        };
        let made = moves.iter().zip(1..).map(|((uci, other), ply)| Fact::MoveMade {
            ply,
            uci: (*uci).to_owned(),
            san: (*uci).to_owned(),
            is_illegal: false,
            basis: Basis::Press,
            alternatives: other.split_whitespace().map(str::to_owned).collect(),
            released_before: Duration::ZERO,
        });
        let facts = [started].into_iter().chain(made).chain(ending.map(Fact::Ended));
        let entries: Vec<_> = facts.map(|fact| Entry { at: stamp(0), fact }).collect();
        let game = recovered(&entries, Settings::default());
        Self { game, entries, at: 1_000 }
    }

    /// Takes an order; says what came of it.
    fn order(&mut self, text: &str) -> Came {
        self.at += 1_000;
        let act = Act::read(text, "arbiter", "").unwrap();
        let mut came = self.handle(&Event::Act(act));
        let refusals = self.game.refusals();
        came.why = (!refusals.is_empty()).then(|| refusals.join("; "));
        came
    }

    fn handle(&mut self, event: &Event) -> Came {
        let mut effects = Vec::new();
        self.game.handle(stamp(self.at), event, &mut effects);
        let mut came = Came::default();
        for effect in effects {
            match effect {
                Effect::Record(entry) => self.entries.push(entry),
                Effect::Clock(order) => came.clock.push(format!("{order:?}")),
                Effect::Show => came.is_shown = true,
                Effect::Send(_) | Effect::Reopen => {}
            }
        }
        came
    }

    fn log(&self) -> Vec<String> {
        let mut log = Log::default();
        self.entries.iter().filter_map(|entry| log.line(&entry.fact)).collect()
    }

    fn outputs(&self) -> Outputs {
        Outputs::of(&self.game, self.at)
    }

    /// The game that a restart finds, by way of the journal's text.
    fn after_kill(&self) -> Game {
        recovered(&self.entries, self.game.settings().clone())
    }
}

fn recovered(entries: &[Entry], settings: Settings) -> Game {
    let mut fold = Recovered::default();
    for (idx, entry) in entries.iter().enumerate() {
        let line = Record::new(entry.at.mono.millis(), &entry.fact).to_json();
        let record: Record = serde_json::from_str(&line).unwrap();
        let fact = record.fact;
        fold.fold(idx, &Entry { at: entry.at, fact }).unwrap_or_else(|e| panic!("{line}: {e}"));
    }
    fold.into_game(settings)
}

fn stamp(ms: u64) -> Stamp {
    Stamp { mono: Mono::from_millis(ms), wall: Wall(0) }
}

#[derive(Default)]
struct Came {
    why: Option<String>,
    clock: Vec<String>,
    is_shown: bool,
}

/// What anybody can read of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Outputs {
    moves: String,
    result: String,
    page: String,
    pgn: String,
}

impl Outputs {
    fn of(game: &Game, at: u64) -> Self {
        let view = View::new("board", game, Mono::from_millis(at));
        let result = format!("{} {}", view.result, view.reason.unwrap_or("")).trim_end().to_owned();
        let page = view.moves.iter().map(|m| &*m.san).collect::<Vec<_>>().join(" ");
        let (moves, pgn) = match game.play() {
            None => (String::new(), String::new()),
            Some(play) => {
                let outcome = play.ending().map(|ending| ending.outcome);
                let n = game.n_public();
                let pgn = pgn::render(&Tags::default(), play.sheet(), n, outcome);
                (numbered(play.sheet()), pgn)
            }
        };
        Self { moves, result: result.clone(), page: format!("{result} {page}"), pgn }
    }
}

fn numbered(sheet: &ScoreSheet) -> String {
    let of = |m: &rokade::game::Scored| {
        let mark = if m.is_uncertain() { "?" } else { "" };
        let open = if m.completed.is_none() { "..." } else { "" };
        format!("{}{mark}{open}", m.san)
    };
    sheet.moves().iter().map(of).collect::<Vec<_>>().join(" ")
}

/// The situations in which every word is tried, with the name of the Laws that a referee goes by.
fn situations() -> Vec<(&'static str, Board)> {
    let with = || Settings { terms: Some(Terms::default()), ..Settings::default() };
    let without = Settings::default;
    let resigned = |settings| {
        let mut board = Board::played(PLAYED, settings);
        board.order("black resign");
        board
    };
    vec![
        ("in play, no referee", Board::played(PLAYED, without())),
        ("resigned, no referee", resigned(without())),
        ("uncertain, no referee", Board::recorded(UNCERTAIN, &[("d5c7", "d5e7")], None)),
        ("mated, no referee", Board::recorded(START, &MATE, Some(MATED))),
        ("in play", Board::played(PLAYED, with())),
        ("illegal move", Board::played(ILLEGAL, with())),
        ("resigned", resigned(with())),
        ("no game, a board set up", Board::standing(KNIGHTS)),
        ("a start position, no moves", Board::standing(START)),
        ("nobody at the board", Board::unseen(with())),
        ("nobody at the board, no referee", Board::unseen(without())),
        ("moved on unseen, no referee", Board::moved_on()),
    ]
}

/// Every word that can be entered: the examples of the help, and what the situations make of them.
fn words() -> Vec<&'static str> {
    let lessons = CHAPTERS.iter().flat_map(|chapter| chapter.lessons);
    let mut words: Vec<_> = lessons.map(|lesson| lesson.example).collect();
    words.extend([
        "result 1/2-1/2",
        "result 0-1 default",
        "result 0-0 default",
        "result *",
        "settle 1 d5c7",
        "settle 1 d5e7",
        "replace 3 f1c4",
        "replace 3 g1f3",
        "replace 1 d2d4",
        "insert 1 a2a3 a7a6",
        "insert 5 f1c4 g8f6",
        "insert 3 a2a3",
        "remove 3 2",
        "remove 3",
        "remove 4",
        "remove 9",
        "replace 4 d8g5",
        "insert 5 f1c4",
        "position 4k3/8/8/8/8/8/8/8 w - - 0 1",
        "adopt white",
    ]);
    words
}

/// The row of one word in one situation.
fn row(board: &Board, text: &str) -> String {
    let (before, n_log) = (board.outputs(), board.log().len());
    let mut board = board.clone();
    let came = board.order(text);
    let after = board.outputs();
    let restarted = Outputs::of(&board.after_kill(), board.at);
    // A line that ends in a blank says less than it was made for.
    let said = board.log();
    assert_eq!(said.iter().find(|line| line.ends_with(' ')), None, "{text}");
    // What a clock that has not been heard again would hold back is not what this is about.
    if board.game.play().is_some() {
        assert_eq!(
            (&restarted.moves, &restarted.result),
            (&after.moves, &after.result),
            "{text}, killed"
        );
    }
    let ruled = board.game.referee().and_then(Referee::result).map(|known| known.score);
    let ended = board.game.play().and_then(Play::ending).map(|known| known.outcome);
    assert_eq!(ruled.and_then(Score::outcome), ended.filter(|_| ruled.is_some()), "{text}");
    let mut changes = Vec::new();
    if after.moves != before.moves {
        changes.push(format!("moves {}", after.moves));
    }
    if after.result != before.result {
        changes.push(format!("result {}", after.result));
    }
    let is_public = after.page != before.page;
    assert!(!is_public || came.is_shown, "{text}: the page is old");
    changes.extend(is_public.then(|| "page".to_owned()));
    changes.extend((after.pgn != before.pgn).then(|| "PGN".to_owned()));
    changes.extend((board.log().len() > n_log).then(|| "log".to_owned()));
    let mut line = match &came.why {
        Some(why) => format!("refused: {why}"),
        None => changes.join(", "),
    };
    if came.why.is_some() {
        // What is refused changes nothing, and the log says that it was.
        assert_eq!(after, before, "{text}");
        assert_eq!(changes, ["log"], "{text}");
    }
    if !came.clock.is_empty() {
        write!(line, "; clock {}", came.clock.join(", ")).unwrap();
    }
    line
}

#[test]
fn every_order_changes_what_the_table_says() {
    let mut table = String::new();
    for (situation, board) in situations() {
        writeln!(table, "# {situation}: {}\n", board.outputs().moves).unwrap();
        for text in words() {
            writeln!(table, "{text:<34} {}", row(&board, text)).unwrap();
        }
        table.push('\n');
    }
    for word in Order::words().iter().chain(&Declaration::WORDS) {
        let has = |line: &str| line.split_whitespace().take(2).any(|first| first == *word);
        assert!(table.lines().any(has), "{word} has no row");
    }
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(TABLE);
    if std::env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1") {
        fs::write(&path, &table).unwrap();
    }
    let known = fs::read_to_string(&path).unwrap_or_default();
    for (known, found) in known.lines().zip(table.lines()) {
        assert_eq!(known, found, "run with UPDATE_GOLDEN=1 and read {TABLE}");
    }
    assert_eq!(known.lines().count(), table.lines().count());
}

/// The table's outputs are those that are on disk and on the page in the end: PGN and page too.
#[test]
fn a_wrong_resignation_is_made_good_everywhere() {
    for terms in [None, Some(Terms::default())] {
        let mut board = Board::played(PLAYED, Settings { terms, ..Settings::default() });
        assert_eq!(board.order("black resign").why, None);
        assert!(board.outputs().pgn.contains("[Result \"1-0\"]"));
        assert_eq!(board.order("result 1/2-1/2 agreement").why, None);
        let after = board.outputs();
        assert_eq!(after.result, "1/2-1/2 agreement");
        assert!(after.pgn.contains("[Result \"1/2-1/2\"]") && after.pgn.ends_with("1/2-1/2\n\n"));
        assert!(board.log().iter().any(|line| line == "result     1/2-1/2 agreement"));
        let again = board.order("result 1/2-1/2 agreement").why.unwrap();
        assert!(again.contains("already"), "{again}");

        assert_eq!(board.order("continue").why, None);
        assert_eq!(board.outputs().result, "*");
        // The rest of the game is recorded.
        board.play("f1", "c4", BISHOP);
        assert_eq!(board.outputs().moves, "e4 e5 Nf3 Nc6 Bc4...");
        let killed = Outputs::of(&board.after_kill(), board.at);
        assert_eq!(killed.moves, board.outputs().moves);
    }
}

/// Who does not come loses on record too, and the next game at that board has a referee.
#[test]
fn a_game_that_nobody_plays_is_a_game() {
    for terms in [None, Some(Terms::default())] {
        let mut board = Board::unseen(Settings { terms, ..Settings::default() });
        assert_eq!(board.order("result 1-0 default").why, None);
        let after = board.outputs();
        assert_eq!((&*after.result, &*after.moves), ("1-0 default", ""));
        assert!(after.pgn.contains("[Result \"1-0\"]"), "{}", after.pgn);
        assert_eq!(Outputs::of(&board.after_kill(), board.at).pgn, after.pgn);

        board.show(START);
        board.wait(4_000);
        board.play("e2", "e4", PAWN);
        assert_eq!(board.outputs().moves, "e4...");
        let referee = board.game.referee();
        assert!(referee.is_none_or(|known| known.result().is_none() && !known.moves().is_empty()));
    }
}

/// Whoever confirms one thing does not confirm another that came up meanwhile.
#[test]
fn a_matter_is_answered_by_its_number() {
    let mut board =
        Board::played(ILLEGAL, Settings { terms: Some(Terms::default()), ..Settings::default() });
    board.order("position_lost");
    let open = board.game.referee().unwrap().pending();
    let numbers: Vec<_> = open.iter().filter_map(|known| known.number).collect();
    assert_eq!(numbers, [2, 1], "{open:?}");
    let bare = Act::read("confirm", "arbiter", "").unwrap();
    let why = board.game.unclear(&bare).unwrap();
    assert!(why.contains("2 matters are open") && why.contains("\"confirm 1\""), "{why}");
    // The illegal move is ruled upon; the game is not annulled.
    let came = board.order("confirm 1");
    assert_eq!((came.why, &*came.clock), (None, &["Add(Black, 120s)".to_owned()][..]));
    assert!(board.order("dismiss 1").why.unwrap().contains("not open"));
    let restarted = board.after_kill();
    assert_eq!(restarted.referee().unwrap().pending()[0].number, Some(2));
    assert_eq!(board.order("dismiss 2").why, None);
}

/// A breach that the opponent may claim is named by a number too, which no matter has.
#[test]
fn a_breach_that_may_be_claimed_is_named_by_its_number() {
    let touched = r#"{"trace":1,"board":"dgt","clock":true}
{"t":3000,"sq":"e2","p":""}
{"t":3200,"sq":"e4","p":"P"}
{"t":3600,"press":"white"}
{"t":4600,"sq":"e7","p":""}
{"t":4800,"sq":"e5","p":"p"}
{"t":5200,"press":"black"}
{"t":6200,"sq":"d1","p":""}
{"t":8400,"sq":"d1","p":"Q"}
{"t":9000,"sq":"g1","p":""}
{"t":9300,"sq":"f3","p":"N"}
{"t":9800,"press":"white"}
{"t":12000,"end":true}
"#;
    let settings = || Settings { terms: Some(Terms::default()), ..Settings::default() };
    let mut board = Board::played(touched, settings());
    let why = board.order("dismiss 3").why.unwrap();
    assert!(why.contains("open: \"dismiss 1001\" (white did not move d1"), "{why}");
    assert_eq!(board.after_kill().referee().unwrap().pending()[0].number, Some(1001));
    // Something else came up: who means the one does not get the other.
    board.order("position_lost");
    let bare = Act::read("dismiss", "arbiter", "").unwrap();
    let why = board.game.unclear(&bare).unwrap();
    assert!(why.contains("\"dismiss 1\"") && why.contains("\"dismiss 1001\""), "{why}");
    assert_eq!(board.order("dismiss 1001").why, None);
    assert!(board.order("dismiss 1001").why.unwrap().contains("open: \"dismiss 1\" (the pos"));
    assert_eq!(board.order("dismiss 1").why, None);
    assert!(board.order("dismiss 3").why.unwrap().ends_with("open: nothing"));

    let mut board = Board::played(touched, settings());
    assert_eq!(board.order("confirm 1001").why, None);
    let open = board.game.referee().unwrap().pending();
    assert!(open.iter().any(|known| known.what.starts_with("white must move d1")), "{open:?}");
}

/// What was played while the game was taken to be over is found when it is reopened.
#[test]
fn what_was_played_before_it_was_reopened_is_found() {
    let mut board = Board::played(PLAYED, Settings::default());
    board.order("black resign");
    board.play("f1", "c4", BISHOP);
    assert_eq!(board.outputs().moves, "e4 e5 Nf3 Nc6");
    board.order("continue");
    board.wait(6_000);
    assert_eq!(board.outputs().moves, "e4 e5 Nf3 Nc6 Bc4...");
}

/// Whoever enters a result at the wrong board hears of it.
#[test]
fn moves_that_are_pressed_after_a_result_are_told_of_once() {
    let black = |role: fn(Color) -> shakmaty::Piece| Reading::Piece(role(Color::Black));
    let moves = [
        ("f1", "c4", BISHOP),
        ("f8", "c5", black(Color::bishop)),
        ("d2", "d3", PAWN),
        ("d7", "d6", black(Color::pawn)),
        ("a2", "a3", PAWN),
        ("a7", "a6", black(Color::pawn)),
    ];
    for terms in [None, Some(Terms::default())] {
        let mut board = Board::played(PLAYED, Settings { terms, ..Settings::default() });
        assert_eq!(board.order("result 1-0").why, None);
        let told =
            |board: &Board| board.log().iter().filter(|line| line.ends_with("PLAYED_ON")).count();
        for (n, (from, to, reading)) in moves.into_iter().enumerate() {
            board.play(from, to, reading);
            let by = if n % 2 == 0 { Color::White } else { Color::Black };
            board.handle(&Event::Pressed(by));
            assert_eq!(told(&board), usize::from(n >= 3), "{n}");
        }
        assert_eq!(board.outputs().moves, "e4 e5 Nf3 Nc6");
        board.order("continue");
        board.wait(6_000);
        // The reply completes the last of them.
        assert_eq!(board.outputs().moves, "e4 e5 Nf3 Nc6 Bc4 Bc5 d3 d6 a3 a6...");
    }
}

impl Board {
    fn play(&mut self, from: &str, to: &str, reading: Reading) {
        let changes = [(from, Reading::Empty), (to, reading)];
        for (sq, reading) in changes {
            self.at += 300;
            self.handle(&Event::Sensed(sq.parse().unwrap(), reading));
        }
        self.wait(6_000);
    }

    fn wait(&mut self, ms: u64) {
        for _ in 0..ms / 50 {
            self.at += 50;
            self.handle(&Event::Timeout);
        }
    }
}
