//! `rokade doctor` at lines of boards and clocks: it asks who is there, and says what that means.

use crate::program::{Place, plug};
use rokade::game::BoardKind;
use rokade::shell::now::Now;
use rokade::shell::pty::{PtyBoard, PtyBridge};
use rokade::sim::Table;
use rokade::sim::script::{Header, Script};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// A simulated board of this kind at the end of the first cable.
fn open(place: &Place, header: &Header) -> rokade::shell::pty::PtyBoardStub {
    let (stub, actor) = PtyBoard::open(Table::new(header), Some(place.board())).expect("a board");
    tokio::spawn(actor.run());
    stub
}

fn of_kind(kind: BoardKind) -> Header {
    Header { maker: Some(kind), has_clock: false, ..Header::dgt() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_board_says_who_it_is_and_what_its_clock_shows() {
    let place = Place::new();
    let _board = plug(&Script { header: Header::dgt(), happenings: Vec::new() }, &place.board());
    let looked = place.run(&["doctor"]).await;
    let port = place.board().display().to_string();
    for words in [
        format!("good  table-1: a board answers on {port} at 9600 baud, serial number "),
        "; 32 squares are occupied".to_owned(),
        "good  table-1: the clock behind it shows 1:30:00 on the left".to_owned(),
    ] {
        assert!(looked.out.contains(&words), "{words}: {}", looked.out);
    }
    assert_eq!(looked.code, Some(0), "{}", looked.err);
    // Whether a clock can be driven is its option's affair, which nobody can ask for.
    place.add("drive_clock = true\ntime_control = \"90m+30s\"\n");
    let looked = place.run(&["doctor", "--json"]).await;
    assert!(looked.out.contains("option 23 on a DGT XL, 25 on a DGT 3000"), "{}", looked.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_is_to_be_driven_and_is_not_there_is_a_finding() {
    let place = Place::new();
    place.add("drive_clock = true\ntime_control = \"90m+30s\"\n");
    let _board = open(&place, &Header { has_clock: false, ..Header::dgt() });
    let looked = place.run(&["doctor"]).await;
    let words = "BAD   table-1: no clock answers behind it, and drive_clock is set";
    assert!(looked.out.contains(words), "{}", looked.out);
    assert_eq!(looked.code, Some(4), "{}", looked.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn boards_of_other_makers_answer_too() {
    for (kind, maker) in [
        (BoardKind::ChessLink, "millennium"),
        (BoardKind::Certabo, "certabo"),
        (BoardKind::Chessnut, "chessnut"),
        (BoardKind::Ucb, "novag"),
    ] {
        let place = Place::new();
        place.add(&format!("maker = \"{maker}\"\n"));
        let _board = open(&place, &of_kind(kind));
        let looked = place.run(&["doctor"]).await;
        let words = "good  table-1: a board answers on ";
        assert!(looked.out.contains(words), "{maker}: {}", looked.out);
        assert!(!looked.out.contains("clock"), "{maker}: {}", looked.out);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_port_that_says_nothing_and_one_that_says_something_else_are_told_apart() {
    let place = Place::new();
    place.add("maker = \"millennium\"\n");
    // What Millennium's boards are asked says nothing to one of DGT.
    let _board = open(&place, &Header { has_clock: false, ..Header::dgt() });
    let looked = place.run(&["doctor"]).await;
    assert!(looked.out.contains("nothing answers on "), "{}", looked.out);
    assert!(looked.out.contains(" at 38400 baud"), "{}", looked.out);
    assert_eq!(looked.code, Some(4), "{}", looked.err);
    // A board with chips talks all the time, and no word of it is DGT's.
    let place = Place::new();
    let _board = open(&place, &of_kind(BoardKind::Certabo));
    let looked = place.run(&["doctor"]).await;
    assert!(looked.out.contains("no board is understood on "), "{}", looked.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_port_that_the_daemon_has_is_told_in_one_sentence() {
    let place = Place::new();
    let mut board = open(&place, &Header::dgt());
    let daemon = place.start();
    board.woken().await.expect("a recorded board");
    let looked = place.run(&["doctor"]).await;
    assert!(looked.out.contains("another program is using it"), "{}", looked.out);
    assert!(looked.out.contains("`sudo systemctl stop rokade` first"), "{}", looked.out);
    assert_eq!(daemon.stop().await.0, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bridge_says_what_clock_it_hears() {
    let place = Place::new();
    let line = place.path("bridge");
    place.add(&format!("clock = \"bridge\"\nclock_port = {line:?}\ntime_control = \"90m+30s\"\n"));
    let looked = place.run(&["doctor"]).await;
    assert!(looked.out.contains("BAD   table-1: clock_port = "), "{}", looked.out);
    let (_bridge, actor) = PtyBridge::open(Now::start(), Some(line)).expect("a bridge");
    tokio::spawn(actor.run());
    let looked = place.run(&["doctor"]).await;
    let words = "good  table-1: the bridge answers, and a DGT 3000 behind it shows ";
    assert!(looked.out.contains(words), "{}", looked.out);
}

/// Settings that cannot be used are a finding for programs too.
#[tokio::test(flavor = "multi_thread")]
async fn refused_settings_are_a_finding() {
    let place = Place::new();
    place.add("porrt = 1\n");
    let looked = place.run(&["doctor", "--json"]).await;
    let found: serde_json::Value = serde_json::from_str(&looked.out).expect("one finding");
    assert_eq!((&found["board"], &found["is_good"]), (&"settings".into(), &false.into()));
    assert!(found["saw"].as_str().is_some_and(|saw| saw.contains("unknown field `porrt`")));
    assert_eq!(looked.code, Some(3), "{}", looked.err);
    assert!(place.run(&["doctor"]).await.out.is_empty());
}

/// Boards that say nothing are waited for at the same time.
#[tokio::test(flavor = "multi_thread")]
async fn silent_boards_are_asked_together() {
    let place = Place::with_boards(8);
    let silent: Vec<_> = (1..=8)
        .map(|number| {
            let pty = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
            grantpt(&pty).and_then(|()| unlockpt(&pty)).expect("it is ours");
            let name = ptsname(&pty, Vec::new()).expect("a name");
            let name = name.to_str().expect("plain letters");
            std::os::unix::fs::symlink(name, place.cable(number)).expect("a link");
            pty
        })
        .collect();
    let begun = tokio::time::Instant::now();
    let looked = place.run(&["doctor"]).await;
    let took = begun.elapsed();
    assert_eq!(looked.out.matches("nothing answers").count(), 8, "{}", looked.out);
    let order: Vec<_> = (1..=8).map(|n| looked.out.find(&format!("BAD   table-{n}: "))).collect();
    assert!(order.iter().all(Option::is_some) && order.is_sorted(), "{}", looked.out);
    assert!(took < std::time::Duration::from_secs(20), "{took:?}");
    drop(silent);
}
