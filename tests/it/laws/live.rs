//! Games that end with a referee at a board whose bytes the daemon reads: the last move is on the
//! page, in the log and in the PGN.

#![allow(clippy::unwrap_used)]

use std::fs;

use rokade::shell::pty::Speed;
use rokade::sim::Script;
use serde_json::{Value, json};
use shakmaty::san::SanPlus;
use shakmaty::{Chess, Position, Square};
use tokio::time::{Instant, sleep};

use crate::program::{LIMIT, Place, STEP, is_live, plug};

const MATE: &str = "f3 e5 g4 Qh4#";
const LOYD: &str = "e3 a5 Qh5 Ra6 Qxa5 h5 h4 Rah6 Qxc7 f6 Qxd7+ Kf7 Qxb7 Qd3 Qxb8 Qh7 Qxc8 Kg6 Qe6";
/// A half-move takes so long, in milliseconds.
const PLY_MS: u64 = 800;

/// Quick hands that press on each move but the last.
fn script_of(sans: &str) -> Script {
    let mut lines = vec![json!({"trace": 1, "board": "dgt", "clock": true}).to_string()];
    let mut pos = Chess::new();
    let mut at = 3_000;
    let n = sans.split(' ').count();
    for (idx, san) in sans.split(' ').enumerate() {
        let m = san.parse::<SanPlus>().unwrap().san.to_move(&pos).unwrap();
        let (by, from, to) = (pos.turn(), m.from().unwrap(), m.to());
        if m.is_capture() {
            lines.push(json!({"t": at, "sq": to.to_string(), "p": ""}).to_string());
        }
        let piece = pos.board().piece_at(from).unwrap().char().to_string();
        let sensed =
            |t: u64, sq: Square, p: &str| json!({"t": t, "sq": sq.to_string(), "p": p}).to_string();
        lines.push(sensed(at + 100, from, ""));
        lines.push(sensed(at + 350, to, &piece));
        if idx + 1 < n {
            let by = by.fold_wb("white", "black");
            lines.push(json!({"t": at + 600, "press": by}).to_string());
        }
        pos.play_unchecked(m);
        at += PLY_MS;
    }
    lines.push(json!({"t": at + 20_000, "end": true}).to_string());
    Script::parse(&lines.join("\n")).unwrap()
}

/// Plays these moves before a daemon with a referee, who is told `order` then, and holds its page,
/// log and PGN to the last of them and to the result.
async fn ends(sans: &str, order: Option<&str>, result: &str, reason: &str) {
    let place = Place::new();
    place.add("laws = \"m2023\"\n");
    let script = script_of(sans);
    let mut board = plug(&script, &place.board());
    let daemon = place.start();
    board.woken().await.unwrap();
    place.seen(is_live).await;
    board.play(script.happenings, Speed::REAL).await.unwrap();
    let moves: Vec<&str> = sans.split(' ').collect();
    if let Some(words) = order {
        // The last move has been made by then; nobody has pressed on it.
        let n_pressed = moves.len() - 1;
        place.seen(|view| view["moves"].as_array().unwrap().len() == n_pressed).await;
        sleep(STEP * 400).await;
        let words: Vec<&str> = [&["order"][..], &words.split(' ').collect::<Vec<_>>()].concat();
        let done = place.run(&words).await;
        assert_eq!(done.code, Some(0), "{done:?}");
    }
    let view = place.seen(|view| view["result"] == result).await;
    let shown: Vec<&Value> = view["moves"].as_array().unwrap().iter().map(|m| &m["san"]).collect();
    assert_eq!(shown, moves);
    assert_eq!(view["reason"], reason);
    let last = moves.last().unwrap();
    let log = place.run(&["log"]).await.out;
    assert!(log.lines().any(|line| line.contains("made") && line.contains(last)), "{log}");
    let end = Instant::now() + LIMIT;
    loop {
        let pgn = fs::read_to_string(place.journal().join("game-0001.pgn")).unwrap_or_default();
        if pgn.contains(last) && pgn.contains(&format!("[Result \"{result}\"]")) {
            break;
        }
        assert!(Instant::now() < end, "{pgn}");
        sleep(STEP * 20).await;
    }
    daemon.stop().await;
}

#[tokio::test]
async fn a_mate_is_shown_by_the_move_that_mates() {
    ends(MATE, None, "0-1", "checkmate").await;
}

#[tokio::test]
async fn a_stalemate_is_shown_by_the_move_that_brings_it() {
    ends(LOYD, None, "1/2-1/2", "stalemate").await;
}

#[tokio::test]
async fn a_result_by_order_leaves_the_moves_on_record() {
    ends("e4 e5 Nf3", Some("result 1-0"), "1-0", "arbiter's decision").await;
}
