//! Every way in which a game ends, played at a board of its own through the real program, up to the
//! page, the arbiter's log and the PGN.

#![allow(clippy::unwrap_used)]

use rokade::shell::pty::{PtyBoard, PtyBoardStub, Speed};
use rokade::sim::{DgtClockSim, Obedience, Script, Table};
use rokade::wire::ClockKind;
use serde_json::Value;
use shakmaty::fen::Fen;
use shakmaty::san::San;
use shakmaty::{CastlingMode, Chess, Move, Position};
use std::fmt::Write;
use std::fs;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::program::{LIMIT, Outcome, Place, STEP, is_live};

/// All games together, while the machine is busy.
const GAMES: Duration = Duration::from_secs(120);
/// From one move to the next, in milliseconds.
const PACE: u64 = 1_000;
const REFEREE: &str = "laws = \"m2023\"\n";

/// A game that ends.
struct End {
    /// What the settings say of its board.
    settings: &'static str,
    /// The position that is ordered before the first move, or `""`.
    fen: &'static str,
    /// The moves, by players who press the clock except after one that ends the game.
    moves: &'static str,
    /// What the hands do after the moves, as lines of a trace without their times.
    then: &'static [&'static str],
    /// What is ordered then.
    orders: &'static [&'static str],
    /// The result and the reason.
    result: &'static str,
    reason: &'static str,
}

const PLAIN: End =
    End { settings: "", fen: "", moves: "e4 e5", then: &[], orders: &[], result: "", reason: "" };
const MATE: End = End { moves: "f3 e5 g4 Qh4#", result: "0-1", reason: "checkmate", ..PLAIN };
const STALEMATE: End = End {
    fen: "7k/8/6K1/8/8/8/8/5Q2 w - - 0 60",
    moves: "Qf7",
    result: "1/2-1/2",
    reason: "stalemate",
    ..PLAIN
};
const DEAD: End = End {
    fen: "8/8/8/4k3/8/8/1p6/K7 w - - 0 60",
    moves: "Kxb2",
    result: "1/2-1/2",
    reason: "dead position",
    ..PLAIN
};
const KINGS: [&str; 5] = [
    r#""clock":"stopped""#,
    r#""sq":"e1","p":"""#,
    r#""sq":"e4","p":"K""#,
    r#""sq":"e8","p":"""#,
    r#""sq":"d5","p":"k""#,
];

static ENDS: [End; 14] = [
    MATE,
    End { settings: REFEREE, ..MATE },
    STALEMATE,
    End { settings: REFEREE, ..STALEMATE },
    DEAD,
    End { settings: REFEREE, ..DEAD },
    End {
        settings: REFEREE,
        fen: "4k3/8/8/8/8/8/R7/4K3 w - - 149 120",
        moves: "Ra3",
        result: "1/2-1/2",
        reason: "75 moves",
        ..PLAIN
    },
    End {
        settings: REFEREE,
        moves: "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8",
        result: "1/2-1/2",
        reason: "fivefold repetition",
        ..PLAIN
    },
    End {
        settings: "laws = \"m2023\"\ntime_control = \"6s\"\ndrive_clock = true\n",
        moves: "",
        orders: &["start", "", "black claim time", "confirm"],
        result: "0-1",
        reason: "time",
        ..PLAIN
    },
    End { orders: &["white resign"], result: "0-1", reason: "resignation", ..PLAIN },
    End {
        settings: REFEREE,
        orders: &["black resign"],
        result: "1-0",
        reason: "resignation",
        ..PLAIN
    },
    End {
        settings: REFEREE,
        orders: &["white offer_draw", "black accept_draw"],
        result: "1/2-1/2",
        reason: "agreement",
        ..PLAIN
    },
    End { moves: "d4 e5", then: &KINGS, result: "1-0", reason: "kings in the center", ..PLAIN },
    End { orders: &["result 1-0 default"], result: "1-0", reason: "default", ..PLAIN },
];

impl End {
    /// What the hands do from so many milliseconds on, and the moves as they are written.
    fn trace(&self) -> (Script, Vec<String>) {
        let fen: Fen = self.fen.parse().unwrap_or_else(|_| Fen::default());
        let mut pos: Chess = fen.clone().into_position(CastlingMode::Standard).unwrap();
        let mut text =
            format!("{{\"trace\":1,\"board\":\"dgt\",\"clock\":true,\"start\":\"{fen}\"}}\n");
        let (mut t, mut moves) = (2_500, Vec::new());
        let tell = |text: &mut String, t: u64, what: &str| {
            writeln!(text, "{{\"t\":{t},{what}}}").unwrap();
        };
        for san in self.moves.split_whitespace() {
            let m = san.parse::<San>().unwrap().to_move(&pos).unwrap();
            let Move::Normal { role, from, to, capture, .. } = m else { panic!("{san} is plain") };
            let mover = pos.turn();
            tell(&mut text, t, &format!("\"sq\":\"{from}\",\"p\":\"\""));
            if capture.is_some() {
                tell(&mut text, t + 100, &format!("\"sq\":\"{to}\",\"p\":\"\""));
            }
            let piece = role.of(mover).char();
            tell(&mut text, t + 250, &format!("\"sq\":\"{to}\",\"p\":\"{piece}\""));
            pos.play_unchecked(m);
            moves.push(san.to_owned());
            if !pos.is_game_over() {
                tell(&mut text, t + 500, &format!("\"press\":\"{mover}\""));
            }
            t += PACE;
        }
        for what in self.then {
            t += 300;
            tell(&mut text, t, what);
        }
        (Script::parse(&text).unwrap(), moves)
    }

    fn plug(&self, place: &Place, number: usize) -> PtyBoardStub {
        let mut table = Table::new(&self.trace().0.header);
        if self.settings.contains("drive_clock") {
            let clock = DgtClockSim::new(ClockKind::Dgt3000, Obedience::Remote, 0);
            table = table.with_driven_clock(clock);
        }
        let (stub, actor) = PtyBoard::open(table, Some(place.cable(number))).unwrap();
        tokio::spawn(actor.run());
        stub
    }
}

async fn order(place: &Place, number: usize, words: &str) -> Outcome {
    let name = format!("table-{number}");
    let words: Vec<&str> = words.splitn(2, ' ').collect();
    place.run(&[&["order", "--board", &name], &words[..]].concat()).await
}

/// Orders that until it is done: what it answers may be yet to come.
async fn until_done(place: &Place, number: usize, words: &str) {
    let end = Instant::now() + LIMIT;
    loop {
        let done = order(place, number, words).await;
        if done.code == Some(0) {
            return;
        }
        assert!(Instant::now() < end, "{number}: {words}: {done:?}");
        sleep(STEP * 40).await;
    }
}

/// Plays the game of a board to its end.
async fn play(place: Arc<Place>, number: usize, end: &'static End, board: PtyBoardStub) {
    let (script, moves) = end.trace();
    if !end.fen.is_empty() {
        until_done(&place, number, &format!("position {}", end.fen)).await;
    }
    if end.moves.is_empty() {
        place.seen_of(number, LIMIT, |view| view["clock"]["white_ms"].is_u64()).await;
    } else {
        board.play(script.happenings, Speed::REAL).await.unwrap();
        place.seen_of(number, GAMES, |view| written(view) == moves).await;
    }
    for words in end.orders {
        match *words {
            // The time of White runs out.
            "" => drop(place.seen_of(number, LIMIT, |view| view["clock"]["white_ms"] == 0).await),
            words => until_done(&place, number, words).await,
        }
    }
    let said = place.seen_of(number, LIMIT, |view| view["result"] == end.result).await;
    assert_eq!((&said["reason"], written(&said)), (&end.reason.into(), moves), "{number}");
}

/// The moves of a page, as they are written.
fn written(view: &Value) -> Vec<String> {
    let moves = view["moves"].as_array().unwrap();
    moves.iter().map(|m| m["san"].as_str().unwrap().to_owned()).collect()
}

/// The moves of a PGN game, without its comments.
fn exported(pgn: &str) -> Vec<String> {
    let text = pgn.lines().filter(|line| !line.starts_with('[')).collect::<Vec<_>>().join(" ");
    let bare = text.split('{').map(|part| part.split_once('}').map_or(part, |(_, after)| after));
    let words = bare.collect::<Vec<_>>().join(" ");
    let words = words.split_whitespace().filter(|word| !word.starts_with(|c: char| c.is_numeric()));
    words.map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_end_of_a_game_reaches_page_log_and_pgn() {
    let place = Place::with_boards(ENDS.len());
    let path = place.path("rokade.toml");
    let mut text = fs::read_to_string(&path).unwrap();
    for (number, end) in (1..).zip(&ENDS) {
        let name = format!("name = \"table-{number}\"\n");
        text = text.replace(&name, &format!("{name}{}", end.settings));
    }
    fs::write(&path, text).unwrap();
    let boards: Vec<_> = (1..).zip(&ENDS).map(|(number, end)| end.plug(&place, number)).collect();
    let daemon = place.start();
    for number in 1..=ENDS.len() {
        place.seen_of(number, LIMIT, is_live).await;
    }
    let place = Arc::new(place);
    let mut games = JoinSet::new();
    for ((number, end), board) in (1..).zip(&ENDS).zip(boards) {
        games.spawn(play(Arc::clone(&place), number, end, board));
    }
    while let Some(game) = games.join_next().await {
        game.unwrap();
    }
    assert_eq!(daemon.stop().await.0, Some(0));

    for (number, end) in (1..).zip(&ENDS) {
        let name = format!("table-{number}");
        let log = place.run(&["log", "--board", &name]).await.out;
        let result = format!("result     {} {}", end.result, end.reason);
        let n = log.lines().filter(|line| line.contains("  result  ")).count();
        assert!(n == 1 && log.contains(&result), "{number}: {result}\n{log}");
        let pgn = place.run(&["export", "--board", &name]).await.out;
        assert!(pgn.contains(&format!("[Result \"{}\"]", end.result)), "{number}\n{pgn}");
        assert_eq!(exported(&pgn), end.trace().1, "{number}\n{pgn}");
        assert_eq!(place.run(&["verify", "--board", &name]).await.code, Some(0), "{number}");
    }
}
