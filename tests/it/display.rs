//! A display of four rows: bytes against what is read, what is said of a view, and through the real
//! program a game on it.

#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::time::Duration;

use rokade::laws::notation::Language;
use rokade::relay::rows::{self, FourRows};
use rokade::shell::display::simulated::SimulatedDisplay;
use rokade::shell::matrix::socket::BusSocket;
use rokade::shell::pty::Speed;
use rokade::sim::CharacterDisplaySim;
use rokade::sim::hands::Span;
use rokade::wire::hd44780::{self, N_COLUMNS};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::daemon::game;
use crate::program::{LIMIT, Place, moves_of, plug};
use crate::stage::{Clock, View};
use crate::wire::describe::hex;

fn start(display: &mut CharacterDisplaySim) {
    hd44780::start().iter().for_each(|(frame, _)| display.write(frame));
}

#[test]
fn a_display_reads_what_was_meant_wherever_it_was_in_a_byte() {
    let texts = ["Kis, Ann      1:29:58", "back\\slash ~ é", "", "12345678901234567890and"];
    // Cut off after any byte of what somebody else wrote, or just switched on.
    let before = hd44780::row(1, "x");
    for n in 0..before.len() {
        let mut display = CharacterDisplaySim::default();
        if n > 0 {
            start(&mut display);
            display.write(&before[..n]);
        }
        start(&mut display);
        for (number, text) in texts.iter().enumerate() {
            display.write(&hd44780::row(number, text));
        }
        let read = ["Kis, Ann      1:29:5", "back/slash - ?", "", "12345678901234567890"];
        assert_eq!(display.rows(), read, "cut off after {n}");
    }
    // What was just switched on takes whole bytes: without a start nobody reads what was meant.
    let mut display = CharacterDisplaySim::default();
    display.write(&hd44780::row(0, "Kis"));
    assert_ne!(display.rows()[0], "Kis");
}

#[test]
fn pins_stand_as_the_data_sheet_has_them() {
    let [(wake, wait), _, (last, _)] = hd44780::start();
    assert_eq!((hex(&wake), wait >= Duration::from_micros(4_100)), ("08 3C 38".into(), true));
    // Half a byte three, half a byte two, then 28, 0C and 06.
    let halves = "08 3C 38 2C 28 2C 28 8C 88 0C 08 CC C8 0C 08 6C 68";
    assert_eq!(hex(&last), halves);
    // The place, then letters, by another pin that stands before E rises.
    let row = hd44780::row(1, "A");
    assert_eq!(hex(&row[..14]), "08 CC C8 0C 08 09 4D 49 1D 19 2D 29 0D 09");
}

fn said(view: &View, age_s: u64, language: Language) -> FourRows {
    rows::of(
        &serde_json::to_string(view).unwrap(),
        Duration::from_secs(age_s),
        true,
        language,
        deunicode::deunicode,
    )
}

#[test]
fn what_matters_of_a_game_stands_in_four_rows() {
    let clock = |white_ms, black_ms, estimated| {
        Some(Clock { white_ms, black_ms, running: Some("black"), age_ms: 2_000, estimated })
    };
    let view = View {
        white: "Kovács-Szabó, Ágnes Zsófia".to_owned(),
        black: "Ødegård, Bo".to_owned(),
        round: "3.12".to_owned(),
        clock: clock(3_725_900, 605_000, false),
        ..View::after_e4()
    };
    let rows = said(&view, 3, Language::Danish);
    let meant = [
        " Kovacs-Szab 1:02:05",
        ">Odegard, Bo   10:00",
        "1. e4               ",
        "Runde 3 Bord 12     ",
    ];
    assert_eq!(rows, meant);
    let other = View { clock: clock(0, 1_000, true), link: "lost", ..view.clone() };
    let rows = said(&other, 3, Language::Hungarian);
    assert_eq!(rows[0], " Kovacs-Szabo  0:00?");
    assert_eq!((&*rows[1], &*rows[3]), (">Odegard, Bo   0:00?", "nem valaszol        "));
    let mut over = View { result: "1/2-1/2", round: String::new(), ..view.clone() };
    over.moves[0].san = "bxa8=Q+";
    over.event = "Club championship of the town".to_owned();
    let rows = said(&over, 0, Language::German);
    assert_eq!(rows[2..], ["1. bxa8D+    1/2-1/2", "Club championship of"]);
    assert!(!rows.concat().contains('>'), "{rows:?}");
    assert_eq!(rows::of("{}", Duration::ZERO, true, Language::English, str::to_owned), [""; 4]);
    // Whatever a name holds, a row has twenty letters.
    for name in ["北京大学", "\u{202e}<b>\"'\\", "Ann\n\u{1b}[2J", &"ß".repeat(40), ""] {
        let rows = said(&View { white: name.to_owned(), ..view.clone() }, 0, Language::English);
        assert!(rows.iter().all(|row| row.chars().count() == N_COLUMNS), "{rows:?}");
        let mut display = CharacterDisplaySim::default();
        start(&mut display);
        rows.iter().enumerate().for_each(|(n, row)| display.write(&hd44780::row(n, row)));
        assert_eq!(display.rows()[1], rows[1].trim_end());
    }
}

pub(crate) async fn display(path: &Path, address: u8) -> watch::Receiver<FourRows> {
    let (display, seen) = BusSocket::open(path, SimulatedDisplay::at(address)).unwrap();
    tokio::spawn(display.run());
    seen
}

async fn reads(
    seen: &mut watch::Receiver<FourRows>,
    what: &str,
    is_it: impl Fn(&FourRows) -> bool,
) -> FourRows {
    let last = seen.clone();
    match timeout(LIMIT, seen.wait_for(is_it)).await {
        Ok(rows) => rows.unwrap().clone(),
        Err(_) => panic!("{what}: it shows {:?}", last.borrow()),
    }
}

/// A display shows what the public may see, and is empty once nobody writes it any more.
#[tokio::test]
async fn a_game_is_followed_as_far_as_the_public_may_see_it() {
    let place = Place::new();
    let socket = place.path("display.sock");
    place.add(&format!(
        "round = \"2\"\ndelay = \"3 moves\"\n\
         [board.display]\nchips = \"hd44780\"\nbus = {socket:?}\nlanguage = \"de\"\n"
    ));
    let (intended, played) = game(10, Span::new(300, 500), 5);
    let mut board = plug(&played.script, &place.board());
    let daemon = place.start();
    timeout(LIMIT, board.woken()).await.expect("a recorded board").unwrap();
    board.play(played.script.happenings, Speed::REAL).await.unwrap();
    place.seen(|view| moves_of(view) == intended[..4]).await;
    // Nobody has answered at the socket until now: that was said, and is said once.
    assert_eq!(daemon.said().matches("THE DISPLAY CANNOT BE USED").count(), 1, "{}", daemon.said());
    let mut seen = display(&socket, 0x27).await;
    // It is written from above.
    let rows = reads(&mut seen, "all rows", |rows| rows[3] == "Runde 2").await;
    assert!(rows[0].starts_with(">Ann ") && rows[1].starts_with(" Ben "), "{rows:?}");
    assert!(rows[2].starts_with("2... "), "{rows:?}");
    let order = ["order", "--board", "table-1", "result", "1-0"];
    assert_eq!(place.run(&order).await.code, Some(0));
    let rows = reads(&mut seen, "the result", |rows| rows[2].ends_with("1-0")).await;
    assert!(rows[2].starts_with("5... "), "{rows:?}");
    assert_eq!(daemon.stop().await.0, Some(0));
    reads(&mut seen, "nothing", |rows| rows == &FourRows::default()).await;
}

/// A clock goes on on the display though nothing is said of it; the doctor says what is wrong.
#[tokio::test]
async fn a_display_that_does_not_answer_is_named_and_a_clock_runs_on_it() {
    let place = Place::new();
    let socket = place.path("display.sock");
    place.add(&format!("[board.display]\nchips = \"hd44780\"\nbus = {socket:?}\n"));
    let told = place.run(&["doctor"]).await.out;
    assert!(told.contains("[board.display]: opening"), "{told}");
    let (other, _) = BusSocket::open(&socket, SimulatedDisplay::at(0x26)).unwrap();
    let other = tokio::spawn(other.run());
    let told = place.run(&["doctor"]).await.out;
    assert!(told.contains("[board.display]: no PCF8574 answers at 0x27"), "{told}");
    other.abort();
    other.await.ok();
    let mut seen = display(&socket, 0x27).await;
    let told = place.run(&["doctor"]).await.out;
    assert!(told.contains("[board.display]: it shows \"Rokade\""), "{told}");
    let rows = reads(&mut seen, "a test", |rows| rows[0] == "Rokade").await;
    assert_eq!(rows, ["Rokade", "table-1", "3", "4"]);
    let (_, played) = game(2, Span::new(300, 600), 5);
    let mut board = plug(&played.script, &place.board());
    let daemon = place.start();
    timeout(LIMIT, board.woken()).await.expect("a recorded board").unwrap();
    board.play(played.script.happenings, Speed::REAL).await.unwrap();
    let rows = reads(&mut seen, "two half-moves", |rows| rows[2].starts_with("1... ")).await;
    let later = reads(&mut seen, "a second later", |now| now[0] != rows[0]).await;
    assert_eq!(later[1..], rows[1..], "white's time alone runs");
    assert_eq!(daemon.stop().await.0, Some(0));
}
