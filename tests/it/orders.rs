//! Orders from a shell to the daemon: on record before they are answered, refused with the reason,
//! and no way to disturb the recording.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;

use rokade::laws::act::CHAPTERS;
use rokade::laws::{Declaration, Order};
use rokade::shell::orders::REQUEST_MAX;
use rokade::shell::pty::{PtyBoard, PtyBoardStub, Speed};
use rokade::sim::{DgtClockSim, Obedience, Script, Table};
use rokade::wire::ClockKind;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::cli::assert_sentence;
use crate::program::{Daemon, LIMIT, Outcome, Place, STEP, is_live, moves_of, plug, run};

/// White's second move is illegal, and he presses. The clock is set running at 1.5 s.
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
{"t":62000,"end":true}
"#;

fn referee(lines: &str) -> Place {
    let place = Place::new();
    place.add(&format!("laws = \"m2023\"\n{lines}"));
    place
}

async fn order(place: &Place, words: &[&str]) -> Outcome {
    place.run(&[&["order"], words].concat()).await
}

/// Asks until the answer has these words.
async fn until_open(place: &Place, words: &str) -> String {
    let end = Instant::now() + LIMIT;
    loop {
        let open = order(place, &["--open"]).await;
        if open.out.contains(words) {
            return open.out;
        }
        assert!(Instant::now() < end, "{words}: {open:?}\n{}", log(place).await);
        sleep(STEP * 20).await;
    }
}

async fn log(place: &Place) -> String {
    place.run(&["log"]).await.out
}

/// A board with a clock that is driven, and a daemon that knows it.
async fn driven(place: &Place) -> (PtyBoardStub, Daemon) {
    let script = Script::parse(ILLEGAL).unwrap();
    let clock = DgtClockSim::new(ClockKind::Dgt3000, Obedience::Remote, 0);
    let table = Table::new(&script.header).with_driven_clock(clock);
    let (stub, actor) = PtyBoard::open(table, Some(place.board())).unwrap();
    tokio::spawn(actor.run());
    let daemon = place.start();
    place.seen(is_live).await;
    // The clock is set before the game.
    place.seen(|view| view["clock"]["white_ms"] == 5_400_000).await;
    (stub, daemon)
}

/// A board on which nothing has been done yet, and a daemon that follows it.
async fn live(place: &Place) -> (PtyBoardStub, Daemon) {
    let mut board = plug(&Script::parse(ILLEGAL).unwrap(), &place.board());
    let daemon = place.start();
    board.woken().await.unwrap();
    place.seen(is_live).await;
    (board, daemon)
}

#[tokio::test]
async fn an_illegal_move_is_ruled_upon_from_a_shell() {
    let place = referee("time_control = \"90m+30s\"\ndrive_clock = true\n");
    let (board, daemon) = driven(&place).await;
    let script = Script::parse(ILLEGAL).unwrap();
    board.play(script.happenings, Speed::REAL).await.unwrap();
    let open = until_open(&place, "waits      1: illegal move of white").await;
    assert!(open.contains("\"confirm 1\" or \"dismiss 1\""), "{open}");
    place.seen(|view| view["clock"]["running"].is_null()).await;

    let confirmed =
        order(&place, &["confirm", "--by", "A. Arbiter", "--reason", "seen by me"]).await;
    assert_eq!((confirmed.code, &*confirmed.err), (Some(0), ""), "{confirmed:?}");
    let is_mine = |line: &str| {
        line.contains("order      confirm by A. Arbiter [") && line.ends_with("] (seen by me)")
    };
    assert!(confirmed.out.lines().any(is_mine), "{}", confirmed.out);
    assert!(confirmed.out.contains("120 s to black"), "{}", confirmed.out);
    // The clock shows it, and the record says whose doing it was.
    let is_paid = |view: &Value| view["clock"]["black_ms"].as_u64().unwrap() > 5_460_000;
    place.seen(is_paid).await;
    let end = Instant::now() + LIMIT;
    while !log(&place).await.contains("black: 0:02:00 added as ordered") {
        assert!(Instant::now() < end, "{}", log(&place).await);
        sleep(STEP * 20).await;
    }
    let resumed = order(&place, &["resume", "white"]).await;
    assert_eq!(resumed.code, Some(0), "{resumed:?}");
    // What was answered is on the disk, however the daemon ends.
    daemon.kill().await;
    let kept = log(&place).await;
    assert!(kept.lines().any(is_mine) && kept.contains("order      resume white by"), "{kept}");
    assert!(!kept.contains("CLOCK_SET"), "{kept}");
}

/// What is said in the help can be entered; a word that it forgets would be found by nobody.
#[tokio::test]
async fn the_help_teaches_every_word() {
    let list = run(&["order", "--list"]).await;
    assert_eq!((list.code, &*list.err), (Some(0), ""));
    let has = |text: &str| list.out.lines().any(|line| line.trim_start().starts_with(text));
    for word in Order::words() {
        assert!(has(word), "{word}");
    }
    for word in Declaration::WORDS {
        assert!(has(&format!("white {word}")) || has(&format!("black {word}")), "{word}");
    }
    for chapter in CHAPTERS {
        for lesson in chapter.lessons {
            assert!(has(lesson.example) && list.out.contains(lesson.does), "{}", lesson.example);
        }
    }
}

#[tokio::test]
async fn what_cannot_be_is_refused_by_its_class() {
    let place = referee("");
    let nobody = order(&place, &["confirm"]).await;
    assert_sentence(&nobody, 4, &["no daemon takes orders", "orders.sock"]);
    let unknown = run(&["order", "conform"]).await;
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.err.contains("did you mean confirm"), "{unknown:?}");
    let (_board, daemon) = live(&place).await;
    let refused = order(&place, &["confirm"]).await;
    assert_eq!(refused.code, Some(7), "{refused:?}");
    assert!(refused.err.contains("nothing waits for a ruling"), "{refused:?}");
    let no_board = order(&place, &["--board", "table-9", "confirm"]).await;
    assert_sentence(&no_board, 2, &["no such board", "table-1"]);
    let settle = order(&place, &["settle", "3", "e2e4"]).await;
    assert_eq!(settle.code, Some(7), "{settle:?}");
    assert!(settle.err.contains("no half-move 3 on record"), "{settle:?}");
    // A refusal is on record too, and changes nothing.
    assert!(log(&place).await.contains("CLAIM_REFUSED nothing waits"), "{}", log(&place).await);
    let mode = fs::metadata(place.path("state/orders.sock")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o660);
    assert_eq!(daemon.stop().await.0, Some(0));
    assert!(!place.path("state/orders.sock").exists());
}

#[tokio::test]
async fn without_a_referee_moves_and_results_can_be_entered() {
    let place = Place::new();
    let (board, daemon) = live(&place).await;
    let script = Script::parse(ILLEGAL).unwrap();
    board.play(script.happenings[..3].to_vec(), Speed::REAL).await.unwrap();
    place.seen(|view| moves_of(view) == ["e2e4"]).await;
    let refused = order(&place, &["confirm"]).await;
    assert_eq!(refused.code, Some(7), "{refused:?}");
    assert!(refused.err.contains("no referee") && refused.err.contains("laws = \"m2023\""));
    let settled = order(&place, &["settle", "1", "d2d4", "--reason", "the sheets say so"]).await;
    assert_eq!(settled.code, Some(0), "{settled:?}");
    assert!(settled.out.contains("1. d4"), "{settled:?}");
    let illegal = order(&place, &["settle", "1", "e2e5"]).await;
    assert_eq!(illegal.code, Some(7));
    assert!(illegal.err.contains("not legal"), "{illegal:?}");
    assert!(illegal.err.contains("did you mean e2e"), "{illegal:?}");

    // A wrong resignation, made good, and the game goes on.
    let is_over = |result: &'static str| move |view: &Value| view["result"] == result;
    assert_eq!(order(&place, &["black", "resign"]).await.code, Some(0));
    place.seen(is_over("1-0")).await;
    let replaced = order(&place, &["result", "1/2-1/2", "agreement"]).await;
    assert_eq!(replaced.code, Some(0), "{replaced:?}");
    place.seen(is_over("1/2-1/2")).await;
    let again = order(&place, &["result", "1/2-1/2", "agreement"]).await;
    assert_eq!(again.code, Some(7), "{again:?}");
    assert!(again.err.contains("already"), "{again:?}");
    let pgn = || fs::read_to_string(place.path("state/table-1/game-0001.pgn")).unwrap();
    let end = Instant::now() + LIMIT;
    while !pgn().contains("[Result \"1/2-1/2\"]") {
        assert!(Instant::now() < end, "{}", pgn());
        sleep(STEP).await;
    }
    assert_eq!(order(&place, &["continue"]).await.code, Some(0));
    place.seen(is_over("*")).await;
    daemon.kill().await;
    let exported = place.run(&["export"]).await;
    assert!(exported.out.contains("1. d4") && exported.out.contains("[Result \"*\"]"));
    assert!(log(&place).await.contains("reopened   1/2-1/2 agreement is withdrawn"));
}

#[tokio::test]
async fn words_of_players_have_an_author_too() {
    let place = referee("");
    let (_board, daemon) = live(&place).await;
    let said = order(&place, &["black", "resign", "--by", "A. Arbiter", "--reason", "told me"]);
    let said = said.await;
    assert_eq!(said.code, Some(0), "{said:?}");
    let line = said.out.lines().find(|line| line.contains("says       black resign")).unwrap();
    assert!(line.contains("entered by A. Arbiter [") && line.ends_with("(told me)"), "{line}");
    assert!(said.out.contains("1-0"), "{}", said.out);
    daemon.kill().await;
    assert!(log(&place).await.contains(line), "{}", log(&place).await);
}

/// Each order names what it answers, and what its author has seen.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_overtaken_or_contradicts_is_not_done() {
    let place = referee("");
    let (board, daemon) = live(&place).await;
    let script = Script::parse(ILLEGAL).unwrap();
    board.play(script.happenings, Speed::REAL).await.unwrap();
    let open = until_open(&place, "waits      1: illegal move of white").await;
    let state = open.lines().last().unwrap().strip_prefix("state      ").unwrap();
    let state = state.split(';').next().unwrap().to_owned();
    let gone = order(&place, &["confirm", "7"]).await;
    assert_eq!(gone.code, Some(7), "{gone:?}");
    assert!(gone.err.contains("matter 7 is not open") && gone.err.contains("confirm 1"));
    let overtaken = order(&place, &["--at", &state, "result", "1-0"]).await;
    assert_eq!(overtaken.code, Some(7), "{overtaken:?}");
    assert!(overtaken.err.contains("overtaken") && overtaken.out.contains("confirm 7"));

    // Who says only that he confirms is asked which of two matters he means.
    let seen = order(&place, &["flag", "black"]).await;
    assert_eq!(seen.code, Some(0), "{seen:?}");
    let which = order(&place, &["confirm"]).await;
    assert_eq!(which.code, Some(7), "{which:?}");
    let asks = ["2 matters are open", "confirm 1", "confirm 2"];
    assert!(asks.iter().all(|words| which.err.contains(words)), "{which:?}");

    // Eight results at once: one is done, the others are told so.
    let results = ["1-0", "0-1", "1/2-1/2", "1-0 a", "0-1 b", "1/2-1/2 c", "1-0 d", "0-1 e"];
    let ask = |score: &&str| json!({ "rokade": 1, "order": format!("result {score}") });
    let requests: Vec<_> = results.iter().map(ask).collect();
    let answers: Vec<Value> = std::thread::scope(|scope| {
        let told = |request| {
            let place = &place;
            scope.spawn(move || tell(place, format!("{request}\n").as_bytes()))
        };
        let told: Vec<_> = requests.iter().map(told).collect();
        told.into_iter().map(|answer| answer.join().unwrap()).collect()
    });
    let n = |class: &str| answers.iter().filter(|answer| answer["class"] == class).count();
    assert_eq!((n("done"), n("overtaken")), (1, 7), "{answers:?}");
    daemon.stop().await;
}

/// Somebody's file stands where the daemon would listen: it stays, and that is said.
#[tokio::test]
async fn a_file_in_the_place_of_the_socket_stays() {
    let place = referee("");
    let file = place.path("state/orders.sock");
    fs::create_dir_all(place.path("state")).unwrap();
    fs::write(&file, "the sheets of last year").unwrap();
    let daemon = place.start();
    daemon.says("NO ORDERS CAN BE GIVEN").await;
    daemon.says("not a socket").await;
    assert_eq!(daemon.stop().await.0, Some(0));
    assert_eq!(fs::read_to_string(file).unwrap(), "the sheets of last year");
}

/// A connection to the socket, as soon as it is there.
fn connect(place: &Place) -> UnixStream {
    let end = Instant::now() + LIMIT;
    let stream = loop {
        match UnixStream::connect(place.path("state/orders.sock")) {
            Ok(stream) => break stream,
            Err(e) => assert!(Instant::now() < end, "{e}"),
        }
        std::thread::park_timeout(STEP);
    };
    stream.set_read_timeout(Some(LIMIT)).unwrap();
    stream
}

/// What the daemon says to these bytes; empty if it only hangs up.
fn tell(place: &Place, bytes: &[u8]) -> Value {
    let mut stream = connect(place);
    // It need not read on once it knows enough.
    stream.write_all(bytes).ok();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok();
    serde_json::from_str(&answer).unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_client_disturbs_the_recording() {
    let place = referee("");
    let (board, daemon) = live(&place).await;
    let script = Script::parse(ILLEGAL).unwrap();
    board.play(script.happenings, Speed::REAL).await.unwrap();

    let garbage: Vec<u8> = (0..=255).cycle().take(3_000).chain([b'\n']).collect();
    let huge = vec![b'x'; 1 << 20];
    let long = format!("{{\"rokade\":1,\"order\":\"note {}\"}}\n", "x".repeat(REQUEST_MAX));
    let unknown = "{\"rokade\":1,\"order\":\"confirm\",\"please\":true}\n";
    let forged = "{\"rokade\":1,\"order\":\"note a\\nresult     1-0\"}\n";
    for bytes in [&garbage, &huge, long.as_bytes(), unknown.as_bytes(), forged.as_bytes()] {
        assert_eq!(tell(&place, bytes)["class"], "unclear", "{:?}", &bytes[..20]);
    }
    for (request, words) in [
        (json!({ "rokade": 2, "order": "confirm" }), "version 2"),
        (json!({ "rokade": 1 }), "either an order or"),
        (json!({ "rokade": 1, "order": "confirm", "open": true }), "either an order or"),
        (json!({ "rokade": 1, "board": "../etc", "open": true }), "no such board"),
    ] {
        let answer = tell(&place, format!("{request}\n").as_bytes());
        assert!(answer["why"].as_str().unwrap().contains(words), "{answer}");
    }
    // Who goes in the middle of a sentence has not said it; who goes after it has.
    connect(&place).write_all(b"{\"rokade\":1,\"order\":\"note half\"}").unwrap();
    connect(&place).write_all(b"{\"rokade\":1,\"order\":\"note whole\"}\n").unwrap();
    // All seats are taken by clients that say nothing; the others are told so, or wait.
    let silent: Vec<_> = (0..200)
        .filter_map(|_| UnixStream::connect(place.path("state/orders.sock")).ok())
        .collect();
    assert!(silent.len() >= 16);
    // The game goes on meanwhile.
    place.seen(|view| moves_of(view).len() >= 2).await;
    drop(silent);
    until_open(&place, "illegal move of white").await;
    let kept = log(&place).await;
    assert!(kept.contains("note whole") && !kept.contains("note half"), "{kept}");
    assert!(!kept.contains("\nresult"), "{kept}");
    assert_eq!(daemon.stop().await.0, Some(0));
}

/// Silent clients lose their seats.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_seat_is_not_kept_by_silence() {
    let place = referee("");
    let daemon = place.start();
    place.seen(|_| true).await;
    let mut silent: Vec<_> = (0..16).map(|_| connect(&place)).collect();
    // The daemon lets them in one after the other.
    let end = Instant::now() + LIMIT;
    while tell(&place, b"{\"rokade\":1,\"open\":true}\n")["class"] != "busy" {
        assert!(Instant::now() < end, "all seats are taken");
    }
    let mut byte = [0];
    assert_eq!(silent[0].read(&mut byte).unwrap_or(0), 0, "it is shown the door");
    assert_eq!(tell(&place, b"{\"rokade\":1,\"open\":true}\n")["class"], "done");
    daemon.stop().await;
}
