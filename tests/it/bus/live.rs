//! Games through the real program on a line that several boards share: from the configuration, over
//! one pseudo-terminal, to the PGN of each board.
//!
//! `ROKADE_LIVE` says how many games each row has, and with ten or more they are long.

use std::time::Duration;

use rokade::shell::pty::{PtyBus, PtyBusStub, Speed};
use rokade::sim::SharedLine;
use rokade::sim::hands::{Performance, Span};
use rokade::sim::script::Happening;
use rokade::table::Sight;
use rokade::time::Mono;
use tokio::time::{Instant, sleep};

use super::house::{FIRST, table};
use crate::matrix::{PLIES, Row, configure, is_recorded, live_seed, performance, wait_until_live};
use crate::program::{LIMIT, Place, STEP, is_live, moves_of};

struct Seat {
    row: Row,
    intended: Vec<String>,
    played: Performance,
}

/// Club and blitz, with a referee and without.
fn rows() -> [Row; 4] {
    [("club", ""), ("blitz", "m2023"), ("club", "m2023"), ("blitz", "")]
        .map(|(profile, laws)| Row { profile, laws, has_clock: true })
}

fn seat(number: usize, row: Row, n_plies: usize) -> Seat {
    let (seed, think) = (number + live_seed(), Span::new(300, 1_500));
    // A button that is down already completes no move, and the last one is to be completed.
    let in_turn = |played: &Performance| played.truth.plies.is_sorted_by_key(|ply| ply.completed);
    let (intended, played) = performance(seed, &row, Sight::Pieces, (n_plies, think), in_turn);
    Seat { row, intended, played }
}

/// A line along these addresses, and the settings of the boards on it.
pub(crate) fn plug(place: &Place, addresses: &[u16]) -> PtyBusStub {
    let boards = (1..).zip(addresses).map(|(seed, address)| table(*address, seed));
    let (stub, actor) =
        PtyBus::open(SharedLine::new(boards.collect()), Some(place.path("line"))).unwrap();
    tokio::spawn(actor.run());
    stub
}

pub(crate) fn section(place: &Place, number: usize, address: u16, laws: &str) -> String {
    let port = place.path("line");
    format!(
        "[[board]]\nname = \"table-{number}\"\nport = {port:?}\nbus_address = {address}\n\
         laws = {laws:?}\n"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn games_on_one_line_are_recorded_from_the_settings_to_the_pgn() {
    let n: usize = std::env::var("ROKADE_LIVE").map_or(1, |n| n.parse().unwrap());
    let n_plies = if n >= 10 { PLIES.1 } else { PLIES.0 };
    for _ in 0..n.div_ceil(4) {
        let place = Place::new();
        let rows = (0..n.min(4)).flat_map(|_| rows());
        let seats: Vec<Seat> =
            (1..).zip(rows).map(|(number, row)| seat(number, row, n_plies)).collect();
        let addresses: Vec<u16> = (FIRST..).take(seats.len()).collect();
        let mut line = plug(&place, &addresses);
        let sections = (1..).zip(&seats).zip(&addresses);
        let text: String = sections
            .map(|((number, seat), address)| section(&place, number, *address, seat.row.laws))
            .collect();
        configure(&place, &text);
        let daemon = place.start();
        for number in 1..=seats.len() {
            wait_until_live(&place, number, &daemon).await;
        }
        let scripts = seats.iter().map(|seat| seat.played.script.happenings.clone());
        line.play(scripts.enumerate().collect(), Speed::REAL).await.unwrap();
        line.played().await.unwrap();
        for (number, seat) in (1..).zip(&seats) {
            is_recorded((&place, number, &daemon), &seat.row, &seat.intended).await;
        }
        assert_eq!(daemon.stop().await.0, Some(0));
    }
}

/// A board that is pulled out is told of, and the others go on; so does it once it is back, with
/// what was played on it meanwhile from its own memory.
#[tokio::test(flavor = "multi_thread")]
async fn a_board_that_is_pulled_out_is_told_and_the_others_go_on() {
    let place = Place::new();
    let line = plug(&place, &[FIRST, FIRST + 1]);
    let sections = [(1, FIRST), (2, FIRST + 1)];
    let text = sections.map(|(number, address)| section(&place, number, address, "m2023")).concat();
    configure(&place, &text);
    let daemon = place.start();
    for number in [1, 2] {
        wait_until_live(&place, number, &daemon).await;
    }
    let row = || Row { profile: "clean", laws: "m2023", has_clock: true };
    let (first, second) = (seat(1, row(), PLIES.0), seat(2, row(), PLIES.0));
    let script = |seat: &Seat| seat.played.script.happenings.clone();
    let third = second.played.truth.plies[2].made;
    let gone = Duration::from_millis(third.millis() + 300);
    let pull = |what| vec![(1, vec![(Mono::default(), what)])];
    line.play(vec![(0, script(&first)), (1, script(&second))], Speed::REAL).await.unwrap();
    sleep(gone).await;
    line.play(pull(Happening::LineDown), Speed::REAL).await.unwrap();
    place.seen_of(2, LIMIT, |view| !is_live(view)).await;
    assert!(is_live(&place.view_of(1).await.unwrap()));
    line.play(pull(Happening::LineUp), Speed::REAL).await.unwrap();
    place.seen_of(2, LIMIT, |view| is_live(view) && moves_of(view) == second.intended).await;
    is_recorded((&place, 1, &daemon), &first.row, &first.intended).await;
    daemon.says("no board answers to bus_address 1026").await;
    assert_eq!(daemon.stop().await.0, Some(0));
}

/// A board comes to a line: those that were on it are asked anew, and lose nothing.
#[tokio::test(flavor = "multi_thread")]
async fn a_board_that_comes_to_a_line_is_recorded_with_those_on_it() {
    let place = Place::new();
    let line = plug(&place, &[FIRST, FIRST + 1]);
    let sections = [(1, FIRST), (2, FIRST + 1)];
    let sections = sections.map(|(number, address)| section(&place, number, address, ""));
    configure(&place, &sections[0]);
    let daemon = place.start();
    wait_until_live(&place, 1, &daemon).await;
    let row = || Row { profile: "clean", laws: "", has_clock: true };
    let (first, second) = (seat(1, row(), PLIES.0), seat(2, row(), PLIES.0));
    let script = |seat: &Seat| seat.played.script.happenings.clone();
    line.play(vec![(0, script(&first))], Speed::REAL).await.unwrap();
    sleep(Duration::from_millis(first.played.truth.plies[1].made.millis())).await;
    configure(&place, &sections.concat());
    daemon.hangup();
    wait_until_live(&place, 2, &daemon).await;
    line.play(vec![(1, script(&second))], Speed::REAL).await.unwrap();
    for (number, seat) in (1..).zip([&first, &second]) {
        is_recorded((&place, number, &daemon), &seat.row, &seat.intended).await;
    }
    daemon.says("end=\"table-1\" begin=\"table-1, table-2\"").await;
    assert_eq!(daemon.stop().await.0, Some(0));
}

/// A daemon that is killed while half of a game is played has that half from what the boards on
/// its line have kept: what each was played with its press, and nobody is left to guess.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_played_while_no_daemon_asks_is_fetched_by_the_next() {
    let place = Place::new();
    let line = plug(&place, &[FIRST]);
    configure(&place, &section(&place, 1, FIRST, "m2023"));
    let daemon = place.start();
    wait_until_live(&place, 1, &daemon).await;
    let seat = seat(1, Row { profile: "clean", laws: "m2023", has_clock: true }, PLIES.0);
    let plies = &seat.played.truth.plies;
    line.play(vec![(0, seat.played.script.happenings.clone())], Speed::REAL).await.unwrap();
    place.seen_of(1, LIMIT, |view| moves_of(view).len() == 1).await;
    daemon.kill().await;
    sleep(Duration::from_millis(plies[6].made.millis() - plies[0].made.millis())).await;
    let daemon = place.start();
    is_recorded((&place, 1, &daemon), &seat.row, &seat.intended).await;
    let log = place.run(&["log"]).await.out;
    let n_pressed =
        log.lines().filter(|line| line.contains("completed") && !line.contains("by the reply"));
    assert_eq!(n_pressed.count(), plies.len(), "{log}");
    assert!(!log.contains("MEMORY_SET_ASIDE"), "{log}");
    assert_eq!(daemon.stop().await.0, Some(0));
}

/// Two boards have one address: one sentence says so, and the board with another one is recorded.
#[tokio::test(flavor = "multi_thread")]
async fn two_boards_with_one_address_are_told_in_one_sentence() {
    let place = Place::new();
    let line = plug(&place, &[FIRST, FIRST + 1, FIRST + 1, FIRST + 7]);
    let sections = [(1, FIRST), (2, FIRST + 1)];
    let text = sections.map(|(number, address)| section(&place, number, address, "")).concat();
    configure(&place, &text);
    let daemon = place.start();
    wait_until_live(&place, 1, &daemon).await;
    let seat = seat(1, Row { profile: "clean", laws: "", has_clock: true }, PLIES.0);
    line.play(vec![(0, seat.played.script.happenings.clone())], Speed::REAL).await.unwrap();
    place.seen_of(1, LIMIT, |view| moves_of(view) == seat.intended).await;
    // Those that answer to a call may drown each other. They are called again each minute, as long
    // as two have one address.
    let end = Instant::now() + Duration::from_secs(200);
    while !daemon.said().contains("a board with the address 1032 answers") {
        assert!(Instant::now() < end, "{}", daemon.said());
        sleep(STEP).await;
    }
    let said = daemon.said();
    let n_told = said.matches("two boards answer to bus_address 1026").count();
    assert_eq!(n_told, 1, "{said}");
    assert_eq!(daemon.stop().await.0, Some(0));
}

/// `rokade doctor` says who answers on the line, and takes no changes from whoever follows them.
#[tokio::test(flavor = "multi_thread")]
async fn doctor_says_who_answers_on_a_line() {
    let place = Place::new();
    let _line = plug(&place, &[FIRST, FIRST + 4]);
    let sections = [(1, FIRST), (2, FIRST + 1)];
    let text = sections.map(|(number, address)| section(&place, number, address, "")).concat();
    configure(&place, &text);
    let looked = place.run(&["doctor"]).await;
    for words in [
        "good  table-1: answers to bus_address 1025",
        "BAD   table-1: a board with the address 1029 answers on its line",
        "BAD   table-2: no board answers to bus_address 1026",
    ] {
        assert!(looked.out.contains(words), "{words}: {}", looked.out);
    }
    assert_eq!(looked.code, Some(4), "{}", looked.err);
}
