//! A public that is behind the board sees nothing of it before its time, on no way out.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::StreamExt as _;
use rokade::game::{Delay, Entry, Fact, PairedFor, Pairing};
use rokade::relay::delay::Held;
use rokade::shell::pty::Speed;
use rokade::sim::hands::Span;
use rokade::time::{Mono, Stamp, Wall};
use rokade::wire::ws2812::Rgb;
use serde_json::{Value, json};
use shakmaty::uci::UciMove;
use shakmaty::{Bitboard, Chess, Position as _, Square};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tokio_tungstenite::{connect_async, tungstenite::Message};

use crate::cli::pgn_moves;
use crate::daemon::game;
use crate::demo_board;
use crate::display;
use crate::leds;
use crate::livechess;
use crate::program::{LIMIT, Place, STEP, moves_of, parts, plug};
use crate::push;
use crate::round;

/// The moment so many seconds after a start; a run before this one counted from another.
pub(crate) fn at(seconds: u64) -> Stamp {
    let wall = 1_790_000_000_000_000 + i64::try_from(seconds).unwrap() * 1_000_000;
    Stamp { mono: Mono::from_millis(seconds * 1_000), wall: Wall(wall) }
}

pub(crate) fn made(ply: usize, seconds: u64) -> Entry {
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

fn over(seconds: u64) -> Entry {
    Entry { at: at(seconds), fact: Fact::GameClosed }
}

/// Who plays the next game, which is of this round.
fn paired(round: u16, seconds: u64) -> Entry {
    let pairing = Box::new(Pairing { round, ..Pairing::default() });
    let (holds, author, reason) = (PairedFor::Next, String::new(), String::new());
    Entry { at: at(seconds), fact: Fact::Paired { pairing, holds, author, reason } }
}

#[test]
fn minutes_hold_everything_back_for_as_long() {
    for is_of_this_run in [true, false] {
        let mut held = Held::new(Delay::Minutes(15).into());
        held.take(&made(1, 100), is_of_this_run, at(100));
        held.take(&over(130), is_of_this_run, at(130));
        assert_eq!(held.due(at(100 + 899)).len(), 0);
        assert_eq!(held.due_in(at(100 + 899)).unwrap().as_secs(), 1);
        assert_eq!(held.due(at(100 + 900)), [made(1, 100)]);
        assert_eq!(held.due(at(130 + 899)).len(), 0, "not even the end of the game");
        assert_eq!(held.due(at(130 + 900)).len(), 1);
        assert_eq!(held.due_in(at(2_000)), None);
    }
    // The time of day was ahead by a day in the run before: it waits as long as it was ours.
    let mut held = Held::new(Delay::Minutes(15).into());
    held.take(&made(1, 86_400), false, at(100));
    assert_eq!(held.due(at(100 + 899)).len(), 0);
    assert_eq!(held.due(at(100 + 900)).len(), 1);
    // The clock on the wall is set an hour on: what this run recorded still waits.
    let mut held = Held::new(Delay::Minutes(15).into());
    held.take(&made(1, 100), true, at(100));
    let later = Stamp { wall: at(3_700).wall, ..at(101) };
    assert_eq!(held.due(later).len(), 0);
}

#[test]
fn moves_are_held_back_until_so_many_are_made_or_the_game_is_over() {
    let mut held = Held::new(Delay::Moves(2).into());
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
    held.take(&over(2), true, at(2));
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
    let mut held = Held::new(Delay::Moves(2).into());
    held.take(&made(1, 1), true, at(1));
    held.take(&sensed, true, at(1));
    for ply in 2..=5 {
        held.take(&made(ply, 1), true, at(1));
    }
    assert_eq!(held.due(at(1)), [made(1, 1)]);
    held.take(&made(6, 1), true, at(1));
    assert_eq!(held.due(at(1)), [sensed, made(2, 1)]);
}

/// While no game is on, what the sensors say may be the beginning of one that is not on record yet.
#[test]
fn what_sensors_say_between_games_is_not_shown_ahead_of_the_next() {
    let sensed = |seconds| {
        let fact = Fact::Sensed { sq: Square::E2, reading: rokade::table::Reading::Empty };
        Entry { at: at(seconds), fact }
    };
    for (delay, shown) in [
        ("1 moves", [0, 0, 0]),
        ("15 minutes", [1, 1, 1]),
        // By the game that is over nothing is held back; by the next it is.
        ("none; round 2: 1 moves", [1, 1, 0]),
        ("none; round 2: 15 minutes", [1, 1, 0]),
        ("15 minutes; round 2: none", [1, 1, 0]),
    ] {
        let mut held = Held::new(delay.parse().unwrap());
        let mut told = |entries: &[Entry]| {
            entries.iter().for_each(|entry| held.take(entry, true, at(10)));
            let due = held.due(at(1_000));
            due.iter().filter(|entry| matches!(entry.fact, Fact::Sensed { .. })).count()
        };
        assert_eq!(told(&[sensed(1)]), shown[0], "{delay}: before the first game");
        let in_game = [started(2), made(1, 3), sensed(3), over(4)];
        assert_eq!(told(&in_game), 1, "{delay}: in a game that is over");
        assert_eq!(told(&[sensed(5)]), shown[1], "{delay}: after it");
        assert_eq!(told(&[paired(2, 6), sensed(7)]), shown[2], "{delay}: before the next");
    }
}

/// Who plays next is no secret, but it does not overtake what waits.
#[test]
fn pairings_wait_for_nothing_but_what_comes_before_them() {
    let paired = |seconds| paired(0, seconds);
    let mut held = Held::new(Delay::Minutes(15).into());
    held.take(&paired(1), true, at(1));
    held.take(&paired(2), true, at(2));
    assert_eq!(held.due(at(2)).len(), 2);
    held.take(&started(3), true, at(3));
    held.take(&paired(4), true, at(4));
    assert_eq!(held.due(at(5)).len(), 0);
    let mut held = Held::new(Delay::Moves(2).into());
    held.take(&paired(1), true, at(1));
    assert_eq!(held.due(at(1)).len(), 1);
    held.take(&started(2), true, at(2));
    held.take(&made(1, 3), true, at(3));
    held.take(&paired(4), true, at(4));
    assert_eq!(held.due(at(4)).len(), 0);
    held.take(&over(5), true, at(5));
    held.take(&paired(6), true, at(6));
    assert_eq!(held.due(at(6)).len(), 5);
}

/// A round may have a delay of its own, which holds for its games from their beginning on.
#[test]
fn each_round_is_held_back_for_as_long_as_it_says() {
    let mut held = Held::new("none; round 2: 15 minutes; round 3: 1 moves".parse().unwrap());
    let mut told = |entry: Entry, seconds| {
        held.take(&entry, true, at(seconds));
        held.due(at(seconds)).len()
    };
    assert_eq!(told(paired(1, 1), 1), 1);
    assert_eq!(told(started(2), 2) + told(made(1, 3), 3) + told(over(4), 4), 3, "round 1");
    // What is said of the game before, once the next is paired, does not wait.
    assert_eq!(told(paired(2, 5), 5) + told(over(6), 6), 2);
    assert_eq!(told(started(7), 7) + told(made(1, 8), 8) + told(over(9), 9), 0, "round 2");
    // The next round overtakes nothing, and does not let out what waits.
    assert_eq!(told(paired(3, 10), 10) + told(started(11), 11) + told(made(1, 12), 12), 0);
    assert_eq!(told(made(2, 13), 13), 0);
    assert_eq!(told(made(3, 14), 910), 6, "all of round 2, and one move of round 3");
    assert_eq!(told(over(15), 911), 3);
    assert!(held.is_behind(), "by one move");
    let mut held = Held::new("none; round 2: 15 minutes".parse().unwrap());
    held.take(&started(1), true, at(1));
    assert_eq!((held.due(at(1)).len(), held.is_behind()), (1, false), "as if there were no other");
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
pub(crate) fn n_filed(place: &Place) -> usize {
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
    let log = place.run(&["log"]).await.out;
    assert_eq!(log.matches("the public is 2 moves behind the board").count(), 1, "{log}");
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

/// Looks at the screen with all boards, and notes how far its first board has come once it is read.
async fn look(addr: SocketAddr, stood: Vec<String>, n_shown: Arc<AtomicUsize>) {
    let mut socket = connect_async(format!("ws://{addr}/hall/ws")).await.unwrap().0;
    while let Some(Ok(message)) = socket.next().await {
        let Message::Text(text) = message else { continue };
        let news: Value = serde_json::from_str(&text).unwrap_or_default();
        for tile in news["boards"].as_array().into_iter().flatten() {
            let fen = tile["view"]["fen"].as_str().filter(|_| tile["n"] == 0);
            let Some(fen) = fen.filter(|fen| !fen.starts_with("8/8/8/8/8/8/8/8")) else {
                continue;
            };
            let n = stood.iter().position(|placement| fen.starts_with(placement.as_str()));
            n_shown.fetch_max(n.unwrap_or(usize::MAX), Ordering::Relaxed);
        }
    }
}

/// What a page of the board is told: the most half-moves that stand in any of its documents.
async fn read_page(addr: SocketAddr, n_shown: Arc<AtomicUsize>) {
    let mut socket = connect_async(format!("ws://{addr}/board/table-1/ws")).await.unwrap().0;
    while let Some(Ok(message)) = socket.next().await {
        let Message::Text(text) = message else { continue };
        let view: Value = serde_json::from_str(&text).unwrap_or_default();
        n_shown.fetch_max(moves_of(&view["view"]).len(), Ordering::Relaxed);
    }
}

/// Looks at 64 lights on a wall, and notes how far they have come: a position is known by the
/// squares of White's and Black's pieces; one more is lit, which was left last.
async fn look_at_wall(path: PathBuf, intended: Vec<String>, n_shown: Arc<AtomicUsize>) {
    let mut seen = leds::lights(&path).await;
    let mut pos = Chess::new();
    let mut stood = vec![(pos.board().white(), pos.board().black(), Bitboard::EMPTY)];
    for uci in &intended {
        pos.play_unchecked(uci.parse::<UciMove>().unwrap().to_move(&pos).unwrap());
        let left: Square = uci[..2].parse().unwrap();
        stood.push((pos.board().white(), pos.board().black(), Bitboard::from(left)));
    }
    while seen.changed().await.is_ok() {
        let colors = leds::on_squares(&seen.borrow_and_update());
        let of = |is_it: fn(&Rgb) -> bool| -> Bitboard {
            Square::ALL.into_iter().filter(|sq| is_it(&colors[usize::from(*sq)])).collect()
        };
        let (reds, blues) = (of(|Rgb([r, _, b])| r > b), of(|Rgb([r, _, b])| b > r));
        let lit = of(|light| *light != Rgb::default());
        let is_it = |(white, black, left): &(Bitboard, Bitboard, Bitboard)| {
            lit == *white | *black | *left && white.is_subset(reds) && black.is_subset(blues)
        };
        if let Some(n) = stood.iter().position(is_it) {
            n_shown.fetch_max(n, Ordering::Relaxed);
        }
    }
}

/// Reads a display of four rows, and notes which half-move its third row names.
async fn read_display(path: PathBuf, n_shown: Arc<AtomicUsize>) {
    let mut seen = display::display(&path, 0x27).await;
    while seen.changed().await.is_ok() {
        let row = seen.borrow_and_update()[2].clone();
        let Some((number, rest)) = row.split_once('.') else { continue };
        let Ok(number) = number.parse::<usize>() else { continue };
        let ply = 2 * number - usize::from(!rest.starts_with('.'));
        n_shown.fetch_max(ply, Ordering::Relaxed);
    }
}

/// What is told of the first board to whoever looks after the machine: none of it may change with
/// the moves.
async fn told_of_machine(place: &Place) -> (Value, Vec<String>) {
    let health: Value = serde_json::from_str(&place.get("/healthz").await.unwrap()).unwrap();
    let metrics = place.get("/metrics").await.unwrap();
    let of_board = metrics.lines().filter(|line| line.contains("board=\"table-1\""));
    (health["boards"][0].clone(), of_board.map(str::to_owned).collect())
}

/// Which of what [`WaysOut`] tells is the pieces as the sensors show them.
const ON_BOARD: usize = 0;

/// An event of three boards with all ways out that there are, the public of the first of them
/// behind it by this.
pub(crate) fn with_all_ways_out(delay: &str) -> Place {
    let place = round::event(round::ROUND_1);
    place.add(&format!("[folder]\npath = {:?}\n", place.path("out")));
    let text = fs::read_to_string(place.path("rokade.toml")).unwrap();
    let (own, others) = text.split_once("[[board]]\nname = \"table-2\"").unwrap();
    let own = own.replacen("[[board]]\n", &format!("[[board]]\ndelay = {delay:?}\n"), 1);
    let text = format!(
        "{own}demo_board = {:?}\n[board.wall]\nchips = \"ws2812\"\nbus = {:?}\n[board.display]\n\
         chips = \"hd44780\"\nbus = {:?}\n[[board]]\nname = \"table-2\"{others}",
        place.path("demo-board"),
        place.path("wall.sock"),
        place.path("display.sock"),
    );
    fs::write(place.path("rokade.toml"), text).unwrap();
    place
}

/// All ways on which an event's first game reaches the public: its rounds and earlier games, the
/// folder, a file on another server, what programs that know LiveChess may ask for, a demo board,
/// the screen with all boards, a board's page, a wall of lights and a display.
pub(crate) struct WaysOut<'a> {
    place: &'a Place,
    livechess: u16,
    /// What LiveChess calls the game.
    game: String,
    /// How the pieces stand behind each half-move.
    stood: Vec<String>,
    elsewhere: push::Broadcast,
    /// What those have seen so far that are told without asking.
    seen: Vec<Arc<AtomicUsize>>,
    _watchers: JoinSet<()>,
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

impl<'a> WaysOut<'a> {
    pub(crate) async fn watch(
        place: &'a Place,
        livechess: u16,
        elsewhere: push::Broadcast,
        intended: &[String],
    ) -> Self {
        let (stood, mut watchers) = (placements(intended), JoinSet::new());
        let mut seen: Vec<Arc<AtomicUsize>> = Vec::new();
        let mut next = || {
            seen.push(Arc::default());
            Arc::clone(&seen[seen.len() - 1])
        };
        watchers.spawn(look(place.addr, stood.clone(), next()));
        watchers.spawn(read_page(place.addr, next()));
        watchers.spawn(look_at_wall(place.path("wall.sock"), intended.to_owned(), next()));
        watchers.spawn(read_display(place.path("display.sock"), next()));
        seen.push(demo_board::watch(&place.path("demo-board"), intended).await);
        let event = read(&livechess::get(livechess, "tournaments").await)[0]["uuid"].clone();
        let round = format!("round/{}/0", event.as_str().unwrap());
        let pairing = read(&livechess::get(livechess, &round).await)["pairings"][0].clone();
        let game = format!("game/{}", pairing["uuid"].as_str().unwrap());
        Self { place, livechess, game, stood, elsewhere, seen, _watchers: watchers }
    }

    fn filed(&self, name: &str) -> String {
        fs::read_to_string(self.place.path("out/round-1").join(name)).unwrap_or_default()
    }

    /// How many half-moves each of them has told, those first that are asked.
    pub(crate) async fn told(&self) -> Vec<usize> {
        let place = self.place;
        let boards = read(&livechess::get(self.livechess, "eboards").await);
        let on_board = boards.as_array().into_iter().flatten().find_map(|board| {
            let shown = board["board"].as_str()?;
            self.stood.iter().position(|placement| placement == shown)
        });
        let of_round = place.get("/round/1/games.pgn").await.unwrap_or_default();
        let game = read(&livechess::get(self.livechess, &self.game).await);
        let json = read(&self.filed("game-1.json"));
        let earlier = read(&place.get("/board/table-1/games.json").await.unwrap_or_default());
        assert_eq!(earlier["games"].as_array().map_or(0, Vec::len), 0, "the game is on: {earlier}");
        let n_moves = |game: &Value| game["moves"].as_array().map_or(0, Vec::len);
        let mut told = vec![
            on_board.unwrap_or(0),
            n_in(&of_round),
            n_moves(&game),
            n_in(&self.filed("game-1.pgn")),
            n_in(&self.filed("games.pgn")),
            n_moves(&json),
            self.elsewhere.n_moves(),
        ];
        told.extend(self.seen.iter().map(|n| n.load(Ordering::Relaxed)));
        told
    }
}

#[tokio::test]
async fn an_event_stays_behind_on_all_its_ways_out() {
    let place = with_all_ways_out("none; round 1: 2 moves");
    let elsewhere = push::to_file(&place);
    let livechess = livechess::serve(&place);
    let (intended, played) = game(10, Span::new(300, 600), 5);
    let mut board = plug(&played.script, &place.board());
    let daemon = place.start();
    timeout(LIMIT, board.woken()).await.expect("a recorded board").unwrap();
    place.seen(|view| view["link"] == "live").await;
    let ways = WaysOut::watch(&place, livechess, elsewhere, &intended).await;
    let machine = told_of_machine(&place).await;
    let watching = async {
        let end = Instant::now() + LIMIT;
        while n_filed(&place) < intended.len() {
            let told = ways.told().await;
            assert_eq!(told_of_machine(&place).await, machine);
            let on_file = n_filed(&place);
            // A half-move may be on record and not in the file yet.
            assert!(told.iter().all(|n| *n <= (on_file + 1).saturating_sub(4)), "{told:?}");
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
    let is_all = |told: &[usize]| {
        told.iter().enumerate().all(|(idx, n)| *n == due || idx == ON_BOARD && *n < due)
    };
    while !is_all(&ways.told().await) {
        assert!(Instant::now() < end, "{:?}", ways.told().await);
        sleep(STEP).await;
    }
    let boards = read(&livechess::get(livechess, "eboards").await);
    assert_eq!(boards[0]["state"], "DELAYED", "{boards}");
    // Who asks later can tell how far the public was behind, and since when.
    let log = place.run(&["log", "--board", "table-1"]).await.out;
    let noted = "record     round 1: the public is 2 moves behind the board PUBLIC_DELAY";
    assert_eq!(log.matches("PUBLIC_DELAY").count(), 1, "{log}");
    assert!(log.find(noted).unwrap() < log.find("1. ").unwrap(), "{log}");
    assert_eq!(daemon.stop().await.0, Some(0));
}

/// A game that is on when its board is first read is recorded from a moment later: until then what
/// the sensors show is no less secret.
#[tokio::test]
async fn a_game_that_is_joined_stays_behind() {
    const MISSED: usize = 4;
    let place = Place::new();
    place.add("delay = \"2 moves\"\n");
    let livechess = livechess::serve(&place);
    let (intended, played) = game(12, Span::new(600, 900), 5);
    let stood = placements(&intended);
    let [_, rest] = &parts(&played, [MISSED])[..] else { panic!("two parts") };
    let mut script = played.script.clone();
    script.header.start = Some(format!("{} w - - 0 1", stood[MISSED]).parse().unwrap());
    let mut board = plug(&script, &place.board());
    let daemon = place.start();
    timeout(LIMIT, board.woken()).await.expect("a recorded board").unwrap();
    let shown = async || {
        let boards = read(&livechess::get(livechess, "eboards").await);
        let view = place.view().await.unwrap_or_default();
        let fens = [&boards[0]["board"], &view["fen"]].map(|fen| fen.as_str().unwrap_or("?"));
        let n = fens.map(|fen| stood.iter().rposition(|it| fen.starts_with(it)));
        n.into_iter().flatten().max().unwrap_or(0)
    };
    // From where it is on record, and how far.
    let recorded = || {
        let pgn = fs::read_to_string(place.journal().join("game-0001.pgn")).unwrap_or_default();
        let fen = pgn.lines().find_map(|line| line.strip_prefix("[FEN \""));
        let from = fen.and_then(|fen| stood.iter().rposition(|it| fen.starts_with(it)));
        (from, n_in(&pgn))
    };
    let watching = async {
        let end = Instant::now() + LIMIT;
        loop {
            let n = shown().await;
            let (from, on_file) = recorded();
            assert!(Instant::now() < end, "{}", daemon.said());
            // A half-move may be on record and not in the file yet.
            let due = from.zip((on_file + 1).checked_sub(4)).map_or(0, |(from, n)| from + n);
            assert!(n <= due, "{n} shown, {from:?} and {on_file} on record");
            if from.is_some_and(|from| from + on_file == intended.len()) {
                return;
            }
            sleep(STEP).await;
        }
    };
    let (played, ()) = tokio::join!(board.play(rest.clone(), Speed::REAL), watching);
    played.unwrap();
    let (from, on_file) = recorded();
    let due = from.unwrap() + on_file - 4;
    let end = Instant::now() + LIMIT;
    while shown().await < due - 1 {
        assert!(Instant::now() < end, "{} of {due} shown", shown().await);
        sleep(STEP).await;
    }
    assert_eq!(daemon.stop().await.0, Some(0));
}
