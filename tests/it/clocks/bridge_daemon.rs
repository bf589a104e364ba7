//! The daemon with a board and a DGT 3000 on its own jack: two real pseudo-terminals, a cable that
//! is pulled in the middle of the game, and a referee.

#![allow(clippy::unwrap_used)]

use crate::games::classics;
use crate::program::{Daemon, Place, is_live, moves_of, parts};
use rokade::shell::now::Now;
use rokade::shell::pty::{PtyBoard, PtyBoardStub, PtyBridge, PtyBridgeStub, Speed};
use rokade::sim::Table;
use rokade::sim::hands::{self, Manners, Performance, Span, TableKind};
use rokade::sim::script::{Happening, Header};
use rokade::table::Sight;
use serde_json::Value;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Color};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The moves of a classic, and hands that play them.
fn game(n_plies: usize) -> (Vec<String>, Performance) {
    let classics = classics();
    let game = classics.iter().find(|game| game.moves.len() >= n_plies).unwrap();
    let (moves, mode) = (&game.moves[..n_plies], CastlingMode::Standard);
    let manners = Manners { think: Span::new(500, 1_000), ..Manners::clean() };
    let table = TableKind { sight: Sight::Pieces, has_clock: true };
    let played = hands::perform(&Chess::new(), mode, moves, None, &manners, table, 7);
    let uci = moves.iter().map(|m| UciMove::from_move(*m, mode).to_string()).collect();
    (uci, played)
}

fn clock_is(view: &serde_json::Value, is_estimated: bool) -> bool {
    view["clock"]["estimated"].as_bool() == Some(is_estimated)
}

/// A daemon whose board is up, and whose clock on its jack is set.
async fn start(
    place: &Place,
    header: &Header,
    more: &str,
) -> (PtyBridgeStub, PtyBoardStub, Daemon) {
    let line = place.path("bridge");
    place.add(&format!(
        "clock = \"bridge\"\nclock_port = {line:?}\ntime_control = \"90m+30s\"\n{more}\n"
    ));
    let (bridge, actor) = PtyBridge::open(Now::start(), Some(line)).unwrap();
    tokio::spawn(actor.run());
    let header = Header { has_clock: false, ..header.clone() };
    let (mut board, actor) = PtyBoard::open(Table::new(&header), Some(place.board())).unwrap();
    tokio::spawn(actor.with_clock_beside(bridge.hands()).run());
    let daemon = place.start();
    board.woken().await.unwrap();
    place.seen(is_live).await;
    bridge.clone().is_set().await.unwrap();
    (bridge, board, daemon)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_on_its_jack_is_driven_lost_and_found() {
    let place = Place::new();
    let (intended, played) = game(16);
    let (bridge, mut board, daemon) = start(&place, &played.script.header, "").await;
    let mut parts = parts(&played, [4, 8]).into_iter();
    let begun = Instant::now();
    bridge.hands().send(Happening::Resume(Color::White)).unwrap();
    board.play(parts.next().unwrap(), Speed::REAL).await.unwrap();
    let view = place.seen(|view| moves_of(view).len() >= 4).await;
    assert!(clock_is(&view, false), "{view}");
    assert_eq!(moves_of(&view), intended[..4]);
    board.played().await.unwrap();
    // What the clock has to tell of that is not for a cable that is out.
    place.seen(|view| view["moves"][3]["state"] == "completed").await;

    bridge.cable.unplug().await.unwrap();
    place.seen(|view| clock_is(view, true)).await;
    // Moves go on without it.
    board.play(parts.next().unwrap(), Speed::REAL).await.unwrap();
    place.seen(|view| moves_of(view).len() >= 8).await;
    // A move is seen before it is pressed for.
    board.played().await.unwrap();
    bridge.cable.plug().await.unwrap();
    place.seen(|view| clock_is(view, false)).await;
    board.play(parts.next().unwrap(), Speed::REAL).await.unwrap();
    let view = place.seen(|view| moves_of(view).len() == intended.len()).await;
    assert_eq!(moves_of(&view), intended);
    // It runs for White again, whose move it is, and has been set to the increments of the record.
    sleep(Duration::from_secs(4)).await;
    let view = place.seen(|view| view["clock"]["running"] == "white").await;
    // Eight moves of half a minute each; the players have used what has gone by, between them.
    let used = ["white_ms", "black_ms"].map(|side| {
        let ms = view["clock"][side].as_u64().unwrap();
        5_640_000_u64.checked_sub(ms).expect("time is used")
    });
    let gone = u64::try_from(begun.elapsed().as_millis()).unwrap();
    let used = used[0] + used[1];
    assert!((8_000..=gone + 1_000).contains(&used), "{used} of {gone} ms: {view}");
    let pgn = place.run(&["export"]).await.out;
    assert_eq!(pgn.matches("%clk").count(), intended.len(), "{pgn}");
    let log = place.run(&["log"]).await.out;
    assert!(!log.contains(" CLOCK_"), "{log}");
    daemon.stop().await;
}

/// Stop, two minutes for the opponent (2023: Art. 7.5.5), a time that is set, and on: the referee's
/// orders reach the clock on its jack through the daemon, and what it shows then is no news.
#[tokio::test(flavor = "multi_thread")]
async fn a_clock_on_its_jack_does_what_the_referee_orders() {
    let place = Place::new();
    let (_bridge, _board, daemon) = start(&place, &Header::dgt(), "laws = \"m2023\"").await;

    let order = async |words: &[&str]| {
        let done = place.run(&[&["order"], words].concat()).await;
        assert_eq!((done.code, &*done.err), (Some(0), ""), "{words:?}: {done:?}");
    };
    let ms = |view: &Value, side: &str| view["clock"][side].as_u64().unwrap_or_default();
    order(&["start"]).await;
    place.seen(|view| view["clock"]["running"] == "white").await;
    // It runs on the device, not only in our books.
    place.seen(|view| ms(view, "white_ms") < 5_398_000).await;
    order(&["pause"]).await;
    let view = place.seen(|view| view["clock"]["running"].is_null()).await;
    let white = ms(&view, "white_ms");
    order(&["add_time", "black", "120"]).await;
    place.seen(|view| ms(view, "black_ms") == 5_520_000).await;
    order(&["set_time", "white", "600"]).await;
    place.seen(|view| ms(view, "white_ms") == 600_000).await;
    assert!((5_390_000..5_398_000).contains(&white), "{white}");
    order(&["resume", "white"]).await;
    place.seen(|view| ms(view, "white_ms") < 598_000).await;
    let view = place.view().await.unwrap();
    assert_eq!((ms(&view, "black_ms"), &view["clock"]["running"]), (5_520_000, &"white".into()));
    sleep(Duration::from_secs(4)).await;
    let log = place.run(&["log"]).await.out;
    assert!(log.contains("black: 0:02:00 added as ordered"), "{log}");
    assert!(log.contains("taken as ordered, now 0:10:00"), "{log}");
    let told: Vec<_> = log.lines().filter(|line| line.contains("  clock      ")).collect();
    assert!(
        told.iter().all(|line| !line.contains(" CLOCK_") || line.ends_with("CLOCK_ORDERED")),
        "{told:?}"
    );
    daemon.stop().await;
}
