//! New settings for a daemon that runs.

#![allow(clippy::unwrap_used)]

use rokade::shell::config::SwitchReader;
use rokade::shell::matrix::simulated::{self, SimulatedStub};
use rokade::shell::pty::Speed;
use rokade::sim::script::{Happening, Header};
use rokade::table::{Reading, Sight};
use rokade::time::Mono;
use shakmaty::Square;
use tokio::time::{Instant, sleep};

use crate::matrix::{configure, wait_until_live};
use crate::program::{Daemon, LIMIT, Place, STEP, moves_of};

fn board(place: &Place, bus: &str) -> SimulatedStub {
    let header = Header {
        sight: Sight::Occupied,
        start: Some(shakmaty::fen::Fen::try_from(shakmaty::Setup::initial()).unwrap()),
        ..Header::dgt()
    };
    let chips = SwitchReader::ShiftRegisters;
    let (stub, actor) = simulated::open(&header, &place.path(bus), chips).unwrap();
    tokio::spawn(actor.run());
    stub
}

async fn moves(board: &SimulatedStub, from: Square, to: Square) {
    let sensed = |sq, reading| Happening::Sensed { sq, reading, is_lost: false };
    let script = vec![
        (Mono::default(), sensed(from, Reading::Empty)),
        (Mono::from_millis(300), sensed(to, Reading::Something)),
    ];
    board.play(script, Speed::REAL).await.unwrap();
}

async fn wait_for(daemon: &Daemon, is_so: impl AsyncFn() -> bool) {
    let end = Instant::now() + LIMIT;
    while !is_so().await {
        assert!(Instant::now() < end, "{}", daemon.said());
        sleep(STEP * 20).await;
    }
}

/// The board that is moved to another bus is read there; the other one is never put away, and its
/// game goes on. Settings that make no sense change nothing, and other sections no board.
#[tokio::test(flavor = "multi_thread")]
async fn boards_that_have_not_changed_go_on() {
    let place = Place::new();
    let settings = |bus: &str, more: &str| {
        format!(
            "[[board]]\nname = \"table-1\"\nport = \"gpio\"\n[board.matrix]\nbus = {:?}\n\
             [[board]]\nname = \"table-2\"\nport = \"gpio\"\n{more}[board.matrix]\nbus = {:?}\n",
            place.path("first"),
            place.path(bus)
        )
    };
    configure(&place, &settings("second", ""));
    let (first, _second, mut third) =
        (board(&place, "first"), board(&place, "second"), board(&place, "third"));
    let daemon = place.start();
    wait_until_live(&place, 1, &daemon).await;
    wait_until_live(&place, 2, &daemon).await;
    moves(&first, Square::E2, Square::E4).await;
    let has_moves = async |number, moves: &[&str]| {
        place.view_of(number).await.is_some_and(|view| moves_of(&view) == moves)
    };
    wait_for(&daemon, async || has_moves(1, &["e2e4"]).await).await;

    configure(&place, &settings("third", "white = \"Anderssen\"\n"));
    daemon.hangup();
    third.scanned().await.unwrap();
    wait_until_live(&place, 2, &daemon).await;
    moves(&third, Square::D2, Square::D4).await;
    moves(&first, Square::E7, Square::E5).await;
    wait_for(&daemon, async || has_moves(2, &["d2d4"]).await).await;
    wait_for(&daemon, async || has_moves(1, &["e2e4", "e7e5"]).await).await;
    let said = daemon.said();
    assert_eq!(said.matches("the board uses its new settings").count(), 1, "{said}");
    // Once for the first board, twice for the second.
    assert_eq!(said.matches("matrix up").count(), 3, "{said}");

    configure(&place, &settings("second", "porrt = 1\n"));
    daemon.hangup();
    daemon.says("THE NEW SETTINGS ARE NOT USED; everything goes on").await;
    let text = settings("third", "white = \"Anderssen\"\n") + "[orders]\nenabled = false\n";
    configure(&place, &text);
    daemon.hangup();
    wait_for(&daemon, async || !place.path("state/orders.sock").exists()).await;
    let said = daemon.said();
    assert_eq!(said.matches("the board uses its new settings").count(), 1, "{said}");
    assert_eq!(daemon.stop().await.0, Some(0));
}

/// Boards that come are recorded, take orders and are on the pages; those that go end in order; and
/// a board that was there all the time goes on without a break, whatever begins anew around it.
#[tokio::test(flavor = "multi_thread")]
async fn boards_come_and_go_while_another_plays() {
    let place = Place::new();
    let section = |number: u8, bus: &str| {
        let bus = place.path(bus);
        format!(
            "[[board]]\nname = \"table-{number}\"\nport = \"gpio\"\n[board.matrix]\nbus = {bus:?}\n"
        )
    };
    let (first, second, third) = (section(1, "first"), section(2, "second"), section(3, "third"));
    configure(&place, &(first.clone() + &second));
    let (one, two, three) =
        (board(&place, "first"), board(&place, "second"), board(&place, "third"));
    let daemon = place.start();
    for number in [1, 2] {
        wait_until_live(&place, number, &daemon).await;
    }
    moves(&one, Square::E2, Square::E4).await;
    moves(&two, Square::C2, Square::C4).await;
    let has_moves = async |number, moves: &[&str]| {
        place.view_of(number).await.is_some_and(|view| moves_of(&view) == moves)
    };
    wait_for(&daemon, async || has_moves(1, &["e2e4"]).await).await;
    wait_for(&daemon, async || has_moves(2, &["c2c4"]).await).await;

    // The second goes, the third comes and is the first on the list.
    configure(&place, &(third.clone() + &first));
    daemon.hangup();
    wait_until_live(&place, 3, &daemon).await;
    moves(&three, Square::D2, Square::D4).await;
    moves(&one, Square::E7, Square::E5).await;
    wait_for(&daemon, async || has_moves(3, &["d2d4"]).await).await;
    wait_for(&daemon, async || has_moves(1, &["e2e4", "e7e5"]).await).await;
    let report = place.run(&["status", "--json"]).await;
    let report: serde_json::Value = serde_json::from_str(&report.out).unwrap();
    let names: Vec<_> = report["boards"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["table-3", "table-1"]);
    let told = place.run(&["order", "--board", "table-3", "note", "here now"]).await;
    assert_eq!(told.code, Some(0), "{}", told.err);
    assert!(!place.said().contains("THE PAGES ARE NOT SERVED"), "{}", place.said());

    // It comes back, and what was on record goes on.
    configure(&place, &(first + &second + &third));
    daemon.hangup();
    wait_until_live(&place, 2, &daemon).await;
    moves(&two, Square::G8, Square::F6).await;
    wait_for(&daemon, async || has_moves(2, &["c2c4", "g8f6"]).await).await;
    let verified = place.run(&["verify"]).await;
    assert_eq!(verified.code, Some(0), "{} {}", verified.out, verified.err);
    let said = daemon.said();
    assert_eq!(said.matches("matrix up").count(), 4, "{said}");
    assert_eq!(said.matches("the board ends").count(), 1, "{said}");
    assert_eq!(daemon.stop().await.0, Some(0));
}

/// A board whose settings are wrong is told of in the log, in the health check, by `rokade status`
/// and by the doctor; the other one is recorded. Once it is mended, and the settings were reloaded,
/// it is recorded as well, and the other one has not noticed.
#[tokio::test(flavor = "multi_thread")]
async fn a_board_with_wrong_settings_keeps_no_other_from_being_recorded() {
    let place = Place::new();
    let settings = |load: u8| {
        format!(
            "[[board]]\nname = \"table-1\"\nport = \"gpio\"\n[board.matrix]\nbus = {:?}\n\
             [[board]]\nname = \"table-2\"\nport = \"gpio\"\n[board.matrix]\nload = {load}\n\
             bus = {:?}\n",
            place.path("first"),
            place.path("second")
        )
    };
    configure(&place, &settings(40));
    let (first, _second) = (board(&place, "first"), board(&place, "second"));
    let looked = place.run(&["doctor"]).await;
    let words = "BAD   table-2: [board.matrix] load = 40: there is no pin BCM 40 on the header";
    assert!(looked.out.contains(words), "{}", looked.out);
    assert!(looked.out.contains("good  table-1: read "), "{}", looked.out);
    assert_eq!(looked.code, Some(4), "{}", looked.err);

    let daemon = place.start();
    wait_until_live(&place, 1, &daemon).await;
    moves(&first, Square::E2, Square::E4).await;
    let has_moves = async |number, moves: &[&str]| {
        place.view_of(number).await.is_some_and(|view| moves_of(&view) == moves)
    };
    wait_for(&daemon, async || has_moves(1, &["e2e4"]).await).await;
    daemon.says("THIS BOARD IS NOT RECORDED: [board.matrix] load = 40").await;
    let health = place.get("/healthz").await;
    let report = place.run(&["status"]).await.out;
    let log = place.run(&["log", "--board", "table-1"]).await;
    assert!(report.contains("there is no pin BCM 40"), "{report}");
    assert!(log.out.contains("1. e4"), "{} {}", log.out, log.err);
    // What is wrong there is told to who may see the machine; that it is not recorded, to all.
    assert!(health.is_none_or(|it| it.contains("\"recorded\":false")));

    configure(&place, &settings(25));
    daemon.hangup();
    wait_until_live(&place, 2, &daemon).await;
    moves(&first, Square::E7, Square::E5).await;
    wait_for(&daemon, async || has_moves(1, &["e2e4", "e7e5"]).await).await;
    let said = daemon.said();
    assert_eq!(said.matches("matrix up").count(), 2, "{said}");
    assert_eq!(said.matches("THIS BOARD IS NOT RECORDED").count(), 1, "{said}");
    assert_eq!(daemon.stop().await.0, Some(0));
}
