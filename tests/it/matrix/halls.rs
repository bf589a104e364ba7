//! Hall sensors that tell colors, behind multiplexers and a converter.

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use rokade::board::Wiring;
use rokade::board::hall::HallTable;
use rokade::game::Event;
use rokade::shell::matrix::simulated::{self, SimulatedStub};
use rokade::shell::matrix::{MatrixError, Scanner, Scans, seen};
use rokade::shell::pty::Speed;
use rokade::sim::script::{Happening, Header};
use rokade::sim::{HallsSim, Switches};
use rokade::table::{Placement, Reading, Sight};
use rokade::time::Mono;
use rustix::process::Signal;
use shakmaty::{Board, Color, Square};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::time::{sleep, timeout};

use super::mock::MockBus;
use super::{DEBOUNCE, HALL, PLIES, configure, play_all, rows, wait_until_live};
use crate::program::{LIMIT, Place, signal};

const WHITE: Reading = Reading::Colored(Color::White);
const BLACK: Reading = Reading::Colored(Color::Black);
/// Something is lowered in less time.
const LOWERED: Mono = Mono::from_millis(100);

fn shown(scanner: &mut dyn Scanner) -> Placement {
    let scan = scanner.scan().unwrap();
    seen(&Wiring::default(), scan, scanner.black())
}

/// The start position on hall sensors, one of which may be dead.
fn start(dead: Option<Square>) -> MockBus {
    let board = Board::new();
    let switches = Switches::new(board.occupied(), 1);
    let select = rokade::shell::config::Matrix::default().select.try_into().unwrap();
    let halls = HallsSim::new(switches, select, 7);
    let bus = MockBus::new(Box::new(match dead {
        Some(sq) => halls.with_dead(sq),
        None => halls,
    }));
    for (sq, piece) in board {
        bus.put(Mono::default(), sq, Reading::Colored(piece.color));
    }
    bus.set_now(LOWERED);
    bus
}

#[test]
fn each_square_is_read_in_both_colors() {
    let mut inputs = Square::ALL;
    fastrand::Rng::with_seed(11).shuffle(&mut inputs);
    for reading in [WHITE, BLACK] {
        let switches = Switches::new(shakmaty::Bitboard::EMPTY, 1).wired(inputs);
        let select = rokade::shell::config::Matrix::default().select.try_into().unwrap();
        let bus = MockBus::new(Box::new(HallsSim::new(switches, select, 3)));
        let mut scanner = bus.scanner(HALL);
        let mut now = LOWERED;
        for sq in Square::ALL {
            bus.put(now, sq, reading);
            now = now + Duration::from_millis(100);
            bus.set_now(now);
            let mut expected = Placement::empty();
            expected.set(sq, reading);
            assert_eq!(shown(scanner.as_mut()), expected, "{sq}");
            bus.put(now, sq, Reading::Empty);
            now = now + Duration::from_millis(100);
            bus.set_now(now);
            assert_eq!(shown(scanner.as_mut()), Placement::empty(), "{sq}");
        }
    }
}

#[test]
fn a_converter_that_does_not_answer_is_no_empty_board() {
    let bus = start(None);
    let mut scanner = bus.scanner(HALL);
    assert_eq!(shown(scanner.as_mut()), Sight::Colors.of_board(&Board::new()));
    bus.power(false);
    let why = scanner.scan().unwrap_err();
    assert_eq!(why, MatrixError::NoConverter("/dev/spidev0.0".into()));
    assert!(why.to_string().contains("no MCP3008 answers at /dev/spidev0.0"), "{why}");
    bus.power(true);
    scanner.scan().unwrap();
}

/// The start position stands for an hour, with noise and drift and a dead sensor in the middle:
/// nothing is told. Then a move is, whatever its sensors have drifted to.
#[test]
fn noise_and_drift_are_no_moves() {
    let bus = start(Some(Square::D5));
    let mut scanner = bus.scanner(HALL);
    let mut scans = Scans::new(Wiring::default(), DEBOUNCE);
    let mut now = LOWERED;
    let mut scan = |now: Mono| {
        bus.set_now(now);
        let scan = scanner.scan().unwrap();
        let events = scans.scan(now, scan, scanner.black(), false);
        events.into_iter().filter(|it| matches!(it, Event::Sensed(..))).collect::<Vec<_>>()
    };
    let hour = now + Duration::from_secs(3_600);
    while now < hour {
        assert_eq!(scan(now), [], "{now:?}");
        now = now + Duration::from_millis(200);
    }
    let put = |sq, reading| bus.put(now, sq, reading);
    for (sq, reading) in [
        (Square::E2, Reading::Empty),
        (Square::E4, WHITE),
        (Square::D7, Reading::Empty),
        (Square::D5, BLACK),
    ] {
        put(sq, reading);
    }
    let mut told = Vec::new();
    for ms in (0..200).step_by(20) {
        told.extend(scan(now + Duration::from_millis(ms)));
    }
    told.sort_by_key(|event| match event {
        Event::Sensed(sq, _) => u32::from(*sq),
        _ => u32::MAX,
    });
    let sensed = |sq, reading| Event::Sensed(sq, reading);
    // That of d5 tells nothing.
    let expected = [
        sensed(Square::E2, Reading::Empty),
        sensed(Square::E4, WHITE),
        sensed(Square::D7, Reading::Empty),
    ];
    assert_eq!(told, expected);
}

/// Club and blitz hands, with a referee and without: from the settings to the PGN.
#[tokio::test(flavor = "multi_thread")]
async fn games_on_hall_sensors_are_recorded_with_and_without_a_referee() {
    let n: usize = std::env::var("ROKADE_LIVE").map_or(1, |n| n.parse().unwrap());
    let n_plies = if n >= 10 { PLIES.1 } else { PLIES.0 };
    for _ in 0..n {
        // A scan is some seventy questions over a socket: two boards at once.
        for pair in rows().chunks(2) {
            play_all(pair.iter().map(|row| (row.clone(), HALL)).collect(), n_plies).await;
        }
    }
}

fn settings(place: &Place) -> String {
    format!(
        "[[board]]\nname = \"table-1\"\nport = \"gpio\"\n[board.matrix]\nchips = \"mcp3008\"\n\
         bus = {:?}\ncalibration = {:?}\n",
        place.path("bus"),
        place.path("table-1.halls")
    )
}

fn header() -> Header {
    Header { sight: Sight::Colors, ..Header::dgt() }
}

async fn put(stub: &SimulatedStub, sq: Square, reading: Reading) {
    let sensed = Happening::Sensed { sq, reading, is_lost: false };
    stub.play(vec![(Mono::default(), sensed)], Speed::REAL).await.unwrap();
}

/// Nobody has learned what the sensors show: that is said once, and the board is read as soon as
/// there is a file.
#[tokio::test(flavor = "multi_thread")]
async fn a_board_that_was_never_learned_is_read_once_it_was() {
    let place = Place::new();
    configure(&place, &settings(&place));
    let (_stub, actor) = simulated::open(&header(), &place.path("bus"), HALL).unwrap();
    let learned = actor.learned().unwrap();
    tokio::spawn(actor.run());
    let daemon = place.start();
    let words = "which says what the sensors of this board show; stop the service and let";
    daemon.says(words).await;
    fs::write(place.path("table-1.halls"), learned).unwrap();
    wait_until_live(&place, 1, &daemon).await;
    assert_eq!(daemon.said().matches(words).count(), 1, "{}", daemon.said());
    assert_eq!(daemon.stop().await.0, Some(0));
}

/// Who breaks a calibration off, at any of its squares, has what was learned before.
#[tokio::test(flavor = "multi_thread")]
async fn a_calibration_that_is_broken_off_changes_nothing() {
    let place = Place::new();
    configure(&place, &settings(&place));
    let (stub, actor) = simulated::open(&header(), &place.path("bus"), HALL).unwrap();
    let before = actor.learned().unwrap();
    fs::write(place.path("table-1.halls"), &before).unwrap();
    tokio::spawn(actor.run());
    let mut doctor = place
        .command(&["doctor", "--calibrate"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut enter = doctor.stdin.take().unwrap();
    let mut said = BufReader::new(doctor.stdout.take().unwrap()).lines();
    while let Some(line) = timeout(LIMIT, said.next_line()).await.unwrap().unwrap() {
        match line.split([' ', '.']).collect::<Vec<_>>()[..] {
            ["Take", ..] => enter.write_all(b"\n").await.unwrap(),
            ["Put", "a", "white", "piece", "on", "c1", ..] => break,
            ["Put", "a", "white", "piece", "on", sq, ..] => {
                put(&stub, sq.parse().unwrap(), WHITE).await;
            }
            [sq, "is", ..] => put(&stub, sq.parse().unwrap(), Reading::Empty).await,
            _ => {}
        }
    }
    // Not the one of Ctrl-C: a shell that runs tests in the background has it ignored.
    signal(&doctor, Signal::TERM);
    let ended = timeout(LIMIT, doctor.wait()).await.unwrap().unwrap();
    assert!(!ended.success());
    assert_eq!(fs::read_to_string(place.path("table-1.halls")).unwrap(), before);
}

/// `rokade doctor --calibrate` is led over some squares, with a piece of each color, and passes the
/// others over; what it has learned reads a board.
#[tokio::test(flavor = "multi_thread")]
async fn doctor_learns_what_the_sensors_show() {
    const LED: [Square; 4] = [Square::A1, Square::H1, Square::D4, Square::H8];
    let place = Place::new();
    configure(&place, &settings(&place));
    let mut inputs = Square::ALL;
    fastrand::Rng::with_seed(5).shuffle(&mut inputs);
    let (stub, actor) = simulated::open(&header(), &place.path("bus"), HALL).unwrap();
    let actor = actor.wired(inputs);
    let truth = HallTable::parse(&actor.learned().unwrap()).unwrap();
    tokio::spawn(actor.run());
    let mut command = place.command(&["doctor", "--calibrate"]);
    let mut doctor = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut enter = doctor.stdin.take().unwrap();
    let mut said = BufReader::new(doctor.stdout.take().unwrap()).lines();
    let mut printed = Vec::new();
    while let Some(line) = timeout(LIMIT, said.next_line()).await.unwrap().unwrap() {
        let words: Vec<&str> = line.split([' ', '.']).collect();
        match words[..] {
            ["Take", ..] => enter.write_all(b"\n").await.unwrap(),
            ["Put", "a", color, "piece", "on", sq, ..] => {
                let sq = sq.parse().unwrap();
                if LED.contains(&sq) {
                    put(&stub, sq, if color == "white" { WHITE } else { BLACK }).await;
                } else {
                    enter.write_all(b"\n").await.unwrap();
                }
            }
            [sq, "is", ..] => put(&stub, sq.parse().unwrap(), Reading::Empty).await,
            _ => {}
        }
        printed.push(line);
    }
    let outcome = doctor.wait_with_output().await.unwrap();
    let why = String::from_utf8(outcome.stderr).unwrap();
    assert_eq!(outcome.status.code(), Some(4), "{printed:?} {why}");
    assert!(why.contains("nothing is known of b1, c1, d1"), "{why}");
    let file = fs::read_to_string(place.path("table-1.halls")).unwrap();
    let learned = HallTable::parse(&file).unwrap();
    assert_eq!(learned.dead().len(), 64 - LED.len());
    for sq in LED {
        let (learned, truth) = (learned.get(sq), truth.get(sq));
        assert_eq!(learned.input, truth.input, "{sq}");
        let (learned, truth) = (learned.levels.unwrap(), truth.levels.unwrap());
        let is_near = |one: u16, other: u16| one.abs_diff(other) <= 4;
        assert!(is_near(learned.empty, truth.empty), "{sq}: {learned:?} {truth:?}");
        assert!(is_near(learned.beyond.white, truth.beyond.white), "{sq}: {learned:?} {truth:?}");
        assert!(is_near(learned.beyond.black, truth.beyond.black), "{sq}: {learned:?} {truth:?}");
    }
    put(&stub, Square::D4, WHITE).await;
    put(&stub, Square::H8, BLACK).await;
    sleep(Duration::from_millis(100)).await;
    let looked = place.run(&["doctor"]).await;
    assert_eq!((looked.code, &*looked.err), (Some(0), ""), "{}", looked.out);
    for words in ["8  . . . . . . . b", "4  . . . w . . . .", "each hall sensor shows something"] {
        assert!(looked.out.contains(words), "{}", looked.out);
    }
}
