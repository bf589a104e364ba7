//! A public that is behind the board sees nothing of it before its time, on no way out.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::StreamExt as _;
use rokade::game::{Entry, Fact};
use rokade::relay::delay::{Delay, Held};
use rokade::shell::pty::Speed;
use rokade::sim::hands::Span;
use rokade::time::{Mono, Stamp, Wall};
use serde_json::{Value, json};
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position as _};
use tokio::time::{Instant, sleep, timeout};
use tokio_tungstenite::connect_async;

use crate::cli::pgn_moves;
use crate::daemon::game;
use crate::demo_board;
use crate::livechess;
use crate::program::{LIMIT, Place, STEP, moves_of, plug};
use crate::push;
use crate::round;

/// The moment so many seconds after a start; a run before this one counted from another.
fn at(seconds: u64) -> Stamp {
    let wall = 1_790_000_000_000_000 + i64::try_from(seconds).unwrap() * 1_000_000;
    Stamp { mono: Mono::from_millis(seconds * 1_000), wall: Wall(wall) }
}

fn made(ply: usize, seconds: u64) -> Entry {
    let fact = Fact::MoveRetracted { ply: ply + 1 };
    Entry { at: at(seconds), fact }
}

fn started(seconds: u64) -> Entry {
    let text = String::new;
    let fact = Fact::GameStarted {
        fen: livechess::START_FEN.to_owned(),
        is_chess960: false,
        white: text(),
        black: text(),
        event: text(),
        site: text(),
        round: text(),
    };
    Entry { at: at(seconds), fact }
}

#[test]
fn minutes_hold_everything_back_for_as_long() {
    for is_of_this_run in [true, false] {
        let mut held = Held::new(Delay::Minutes(15));
        held.take(&made(1, 100), is_of_this_run, at(100));
        held.take(&Entry { at: at(130), fact: Fact::GameClosed }, is_of_this_run, at(130));
        assert_eq!(held.due(at(100 + 899)).len(), 0);
        assert_eq!(held.due_in(at(100 + 899)).unwrap().as_secs(), 1);
        assert_eq!(held.due(at(100 + 900)), [made(1, 100)]);
        assert_eq!(held.due(at(130 + 899)).len(), 0, "not even the end of the game");
        assert_eq!(held.due(at(130 + 900)).len(), 1);
        assert_eq!(held.due_in(at(2_000)), None);
    }
    // The time of day was ahead by a day in the run before: it waits as long as it was ours.
    let mut held = Held::new(Delay::Minutes(15));
    held.take(&made(1, 86_400), false, at(100));
    assert_eq!(held.due(at(100 + 899)).len(), 0);
    assert_eq!(held.due(at(100 + 900)).len(), 1);
    // The clock on the wall is set an hour on: what this run recorded still waits.
    let mut held = Held::new(Delay::Minutes(15));
    held.take(&made(1, 100), true, at(100));
    let later = Stamp { wall: at(3_700).wall, ..at(101) };
    assert_eq!(held.due(later).len(), 0);
}

#[test]
fn moves_are_held_back_until_so_many_are_made_or_the_game_is_over() {
    let mut held = Held::new(Delay::Moves(2));
    for ply in 1..=6 {
        held.take(&made(ply, 1), true, at(1));
    }
    assert_eq!(held.due(at(1)), [made(1, 1), made(2, 1)]);
    // A half-move is withdrawn: what was let through was, but nothing follows it.
    held.take(&made(5, 1), true, at(1));
    held.take(&made(6, 1), true, at(1));
    assert_eq!(held.due(at(1)), []);
    held.take(&made(7, 1), true, at(1));
    assert_eq!(held.due(at(1)), [made(3, 1)]);
    held.take(&Entry { at: at(2), fact: Fact::GameClosed }, true, at(2));
    assert_eq!(held.due(at(2)).len(), 7);
    // Moves that nobody saw are found once the game is over; the next game is another.
    held.take(&made(8, 3), true, at(3));
    assert_eq!(held.due(at(3)), [made(8, 3)]);
    held.take(&started(4), true, at(4));
    held.take(&made(1, 4), true, at(4));
    assert_eq!(held.due(at(4)), []);
    assert_eq!(held.due_in(at(4)), None);
}

/// The pieces of a move stand on the board before it is made.
#[test]
fn what_sensors_say_of_a_move_waits_with_it() {
    let reading = rokade::table::Reading::Empty;
    let fact = Fact::Sensed { sq: shakmaty::Square::E2, reading };
    let sensed = Entry { at: at(1), fact };
    let mut held = Held::new(Delay::Moves(2));
    held.take(&made(1, 1), true, at(1));
    held.take(&sensed, true, at(1));
    for ply in 2..=5 {
        held.take(&made(ply, 1), true, at(1));
    }
    assert_eq!(held.due(at(1)), [made(1, 1)]);
    held.take(&made(6, 1), true, at(1));
    assert_eq!(held.due(at(1)), [sensed, made(2, 1)]);
}

/// Who plays next is no secret, but it does not overtake what waits.
#[test]
fn pairings_wait_for_nothing_but_what_comes_before_them() {
    let paired = |seconds| {
        let holds = rokade::game::PairedFor::Next;
        let (author, reason, pairing) = (String::new(), String::new(), Box::default());
        Entry { at: at(seconds), fact: Fact::Paired { pairing, holds, author, reason } }
    };
    let mut held = Held::new(Delay::Minutes(15));
    held.take(&paired(1), true, at(1));
    held.take(&paired(2), true, at(2));
    assert_eq!(held.due(at(2)).len(), 2);
    held.take(&started(3), true, at(3));
    held.take(&paired(4), true, at(4));
    assert_eq!(held.due(at(5)).len(), 0);
    let mut held = Held::new(Delay::Moves(2));
    held.take(&paired(1), true, at(1));
    assert_eq!(held.due(at(1)).len(), 1);
    held.take(&started(2), true, at(2));
    held.take(&made(1, 3), true, at(3));
    held.take(&paired(4), true, at(4));
    assert_eq!(held.due(at(4)).len(), 0);
    held.take(&Entry { at: at(5), fact: Fact::GameClosed }, true, at(5));
    held.take(&paired(6), true, at(6));
    assert_eq!(held.due(at(6)).len(), 5);
}

/// Follows the board as a program does that knows LiveChess, and counts the moves it is told, until
/// the daemon is gone.
async fn follow(port: u16, n_told: Arc<AtomicUsize>) {
    let mut program = livechess::come(port, "https://lichess.org").await.unwrap();
    for call in [
        json!({"id": 1, "call": "subscribe", "param": {"feed": "eboardevent", "id": 1}}),
        json!({"id": 2, "call": "call", "param":
            {"id": 1, "method": "setup", "param": {"fen": livechess::START_FEN}}}),
    ] {
        livechess::say(&mut program, call).await;
    }
    while let Some(heard) = livechess::next(&mut program).await {
        let n = heard["param"]["san"].as_array().map_or(0, Vec::len);
        n_told.fetch_max(n, Ordering::Relaxed);
    }
}

/// How many half-moves the first game of a file has.
fn n_in(pgn: &str) -> usize {
    if pgn.is_empty() { 0 } else { pgn_moves(pgn)[0].len() }
}

/// How many half-moves the file of the first game has.
fn n_filed(place: &Place) -> usize {
    n_in(&fs::read_to_string(place.journal().join("game-0001.pgn")).unwrap_or_default())
}

/// The daemon, with a board whose public is two moves behind, killed in the middle of the game.
#[tokio::test]
async fn the_public_stays_behind_over_a_restart() {
    let place = Place::new();
    let walls = place.path("demo-board");
    place.add(&format!("delay = \"2 moves\"\ndemo_board = {walls:?}\n"));
    let port = livechess::serve(&place);
    let broadcast = push::to_round(&place);
    let (intended, played) = game(10, Span::new(300, 600), 5);
    let mut board = plug(&played.script, &place.board());
    let daemon = place.start();
    timeout(LIMIT, board.woken()).await.expect("a recorded board").unwrap();
    let filed = || n_filed(&place);
    let behind = async || {
        // What is public is read first: the board only gets on meanwhile.
        let pgn = place.get("/board/table-1/game.pgn").await.unwrap_or_default();
        let all = place.get("/games.pgn").await.unwrap_or_default();
        let view = place.view().await.as_ref().map_or(0, |view| moves_of(view).len());
        [n_in(&pgn), n_in(&all), view]
    };
    let n_told = Arc::new(AtomicUsize::new(0));
    let program = tokio::spawn(follow(port, Arc::clone(&n_told)));
    let on_walls = demo_board::watch(&walls, &intended).await;
    let watching = async {
        let end = Instant::now() + LIMIT;
        while filed() < intended.len() {
            let mut shown = behind().await.to_vec();
            shown.extend([&n_told, &on_walls].map(|n| n.load(Ordering::Relaxed)));
            shown.push(broadcast.n_moves());
            let on_file = filed();
            // A half-move may be on record and not in the file yet.
            assert!(shown.iter().all(|n| *n <= (on_file + 1).saturating_sub(4)), "{shown:?}");
            assert!(Instant::now() < end, "{}", daemon.said());
            sleep(STEP).await;
        }
    };
    let (played, ()) = tokio::join!(board.play(played.script.happenings, Speed::REAL), watching);
    played.unwrap();
    let due = intended.len() - 4;
    place.seen(|view| moves_of(view).len() == due).await;
    assert_eq!(behind().await, [due; 3]);
    demo_board::shows(&n_told, due).await;
    demo_board::shows(&on_walls, due).await;
    let told = |health: &Value| health["sent"][0]["games"][0]["moves"] == due;
    push::health(&place, told).await;
    assert_eq!(broadcast.n_moves(), due);
    // What grows with each line of the record tells of moves too.
    let health = place.get("/healthz").await.unwrap();
    let page = place.get("/board/table-1/view.json").await.unwrap();
    assert!(
        health.contains("\"head\":null,") && health.contains("\"durable_ms\":null"),
        "{health}"
    );
    assert!(page.contains("\"head\":\"\","), "{page}");
    daemon.kill().await;
    program.await.unwrap();

    let daemon = place.start();
    place.seen(|view| moves_of(view).len() == due).await;
    assert_eq!(behind().await, [due; 3], "nothing more, nothing less");
    let order = ["order", "--board", "table-1", "result", "1-0"];
    let outcome = place.run(&order).await;
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let over = place.seen(|view| moves_of(view).len() == intended.len()).await;
    assert_eq!(over["result"], "1-0");
    let pgn = place.get("/board/table-1/game.pgn").await.unwrap();
    assert!(pgn.contains("[Result \"1-0\"]"), "{pgn}");
    assert_eq!(daemon.stop().await.0, Some(0));
}

/// After how many half-moves of the game each position stood first.
fn placements(moves: &[String]) -> Vec<String> {
    let mut pos = Chess::new();
    let mut all = vec![pos.board().board_fen().to_string()];
    for uci in moves {
        let m = uci.parse::<UciMove>().unwrap().to_move(&pos).unwrap();
        pos.play_unchecked(m);
        all.push(pos.board().board_fen().to_string());
    }
    all
}

/// Looks at the screen with all boards, and notes how far its first board has come.
async fn look(addr: SocketAddr, stood: Vec<String>, n_shown: Arc<AtomicUsize>) {
    let mut socket = connect_async(format!("ws://{addr}/hall/ws")).await.unwrap().0;
    while let Some(Ok(message)) = socket.next().await {
        let Ok(text) = message.into_text() else { continue };
        let news: Value = serde_json::from_str(&text).unwrap_or_default();
        for tile in news["boards"].as_array().into_iter().flatten() {
            let Some(fen) = tile["view"]["fen"].as_str().filter(|_| tile["n"] == 0) else {
                continue;
            };
            let n = stood.iter().position(|placement| fen.starts_with(placement.as_str()));
            n_shown.fetch_max(n.unwrap_or(usize::MAX), Ordering::Relaxed);
        }
    }
}

/// Which of the ways out below shows the pieces as the sensors tell them.
const ON_BOARD: usize = 2;

/// What an event hands out besides: its rounds and earlier games, the folder, what programs that
/// know LiveChess may ask for, and the screen with all boards.
#[tokio::test]
async fn an_event_stays_behind_on_all_its_ways_out() {
    let place = round::event(round::ROUND_1);
    place.add(&format!("[folder]\npath = {:?}\n", place.path("out")));
    let text = fs::read_to_string(place.path("rokade.toml")).unwrap();
    let text = text.replacen("[[board]]\n", "[[board]]\ndelay = \"2 moves\"\n", 1);
    fs::write(place.path("rokade.toml"), text).unwrap();
    let port = livechess::serve(&place);
    let (intended, played) = game(10, Span::new(300, 600), 5);
    let stood = placements(&intended);
    let mut board = plug(&played.script, &place.board());
    let daemon = place.start();
    timeout(LIMIT, board.woken()).await.expect("a recorded board").unwrap();
    let read = |text: String| serde_json::from_str::<Value>(&text).unwrap_or_default();
    let n_shown = Arc::new(AtomicUsize::new(0));
    let hall = tokio::spawn(look(place.addr, stood.clone(), Arc::clone(&n_shown)));
    let event = read(livechess::get(port, "tournaments").await)[0]["uuid"].clone();
    let round = format!("round/{}/0", event.as_str().unwrap());
    let pairing = read(livechess::get(port, &round).await)["pairings"][0].clone();
    let game = format!("game/{}", pairing["uuid"].as_str().unwrap());
    let filed = |name: &str| fs::read_to_string(place.path("out/round-1").join(name));
    let behind = async || {
        let of_round = place.get("/round/1/games.pgn").await.unwrap_or_default();
        let told = read(livechess::get(port, &game).await)["moves"].as_array().map_or(0, Vec::len);
        let boards = read(livechess::get(port, "eboards").await);
        let on_board = boards.as_array().into_iter().flatten().find_map(|board| {
            let shown = board["board"].as_str()?;
            stood.iter().position(|placement| placement == shown)
        });
        let json = read(filed("game-1.json").unwrap_or_default());
        let earlier = read(place.get("/board/table-1/games.json").await.unwrap_or_default());
        assert_eq!(earlier["games"].as_array().map_or(0, Vec::len), 0, "the game is on: {earlier}");
        [
            n_in(&of_round),
            told,
            on_board.unwrap_or(0),
            n_in(&filed("game-1.pgn").unwrap_or_default()),
            n_in(&filed("games.pgn").unwrap_or_default()),
            json["moves"].as_array().map_or(0, Vec::len),
            n_shown.load(Ordering::Relaxed),
        ]
    };
    let watching = async {
        let end = Instant::now() + LIMIT;
        while n_filed(&place) < intended.len() {
            let shown = behind().await;
            let on_file = n_filed(&place);
            // A half-move may be on record and not in the file yet.
            assert!(shown.iter().all(|n| *n <= (on_file + 1).saturating_sub(4)), "{shown:?}");
            assert!(Instant::now() < end, "{}", daemon.said());
            sleep(STEP).await;
        }
    };
    let (played, ()) = tokio::join!(board.play(played.script.happenings, Speed::REAL), watching);
    played.unwrap();
    let due = intended.len() - 4;
    let end = Instant::now() + LIMIT;
    // The pieces of the last public half-move need not all be where they came to: what the sensors
    // tell behind it waits.
    let is_all = |shown: [usize; 7]| {
        shown.iter().enumerate().all(|(idx, n)| *n == due || idx == ON_BOARD && *n < due)
    };
    while !is_all(behind().await) {
        assert!(Instant::now() < end, "{:?}", behind().await);
        sleep(STEP).await;
    }
    assert_eq!(daemon.stop().await.0, Some(0));
    hall.await.unwrap();
}
