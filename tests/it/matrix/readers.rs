//! What reads switches: rows and columns, and port expanders on I2C and SPI.

use std::time::Duration;

use embedded_hal::digital::OutputPin as _;
use rokade::board::Wiring;
use rokade::shell::config::SwitchReader;
use rokade::shell::matrix::bit_bang::BitBang;
use rokade::shell::matrix::registers::{Registers, ShiftRegisters};
use rokade::shell::matrix::simulated;
use rokade::shell::matrix::{MatrixError, Scanner};
use rokade::shell::pty::Speed;
use rokade::sim::script::{Happening, Header};
use rokade::sim::{ReaderSim, RowsSim, Switches};
use rokade::table::{Reading, Sight};
use rokade::time::Mono;
use shakmaty::{Bitboard, Square};
use std::path::PathBuf;
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::time::{Instant, sleep, timeout};

use super::mock::{MockBus, SETTLE};
use super::{configure, name, start_squares, wait_until_live};
use crate::program::{LIMIT, Place, STEP, is_live};

/// Before all that happens.
const BEGIN: Mono = Mono(0);

/// Rows and columns without their diodes, or with one wire at ground.
fn rows(occupied: Bitboard, change: impl FnOnce(RowsSim) -> RowsSim) -> Box<dyn ReaderSim> {
    let usual = rokade::shell::config::Matrix::default();
    let [rows, columns] = [usual.rows, usual.columns].map(|pins| pins.try_into().unwrap());
    Box::new(change(RowsSim::new(Switches::new(occupied, 1), rows, columns)))
}

fn squares(scanner: &mut dyn Scanner) -> Bitboard {
    Wiring::default().squares(scanner.scan().unwrap())
}

#[test]
fn each_reader_reads_each_square() {
    for chips in SwitchReader::ALL {
        let bus = MockBus::of(chips, start_squares());
        let mut scanner = bus.scanner(chips);
        for _ in 0..3 {
            assert_eq!(squares(scanner.as_mut()), start_squares(), "{chips:?}");
        }
        bus.set_now(Mono::from_millis(100));
        bus.set(BEGIN, Square::E2, false);
        bus.set(BEGIN, Square::E4, true);
        let expected = start_squares().without(Square::E2).with(Square::E4);
        assert_eq!(squares(scanner.as_mut()), expected, "{chips:?}");
        for sq in Square::ALL {
            let bus = MockBus::of(chips, sq.into());
            assert_eq!(squares(bus.scanner(chips).as_mut()), sq.into(), "{chips:?}");
        }
    }
}

/// Each random set of up to 32 squares is read as it is; without diodes it is read with the corners
/// that are missing, and a picture with an open corner is never taken for one of those.
/// Shift registers whose bus is three pins are read as those on SPI, and are checked as those are.
#[test]
fn three_pins_read_as_a_bus_does() {
    for sq in Square::ALL {
        let chips = MockBus::of(SwitchReader::ShiftRegisters, sq.into());
        let bus = BitBang::new(chips.pin(11), chips.pin(9), chips.pin(10));
        let how = Registers { bus: PathBuf::from("pins"), is_low_active: true, loops_back: true };
        let mut load = chips.pin(25);
        load.set_low().unwrap();
        let mut scanner = ShiftRegisters::new(bus, load, how);
        assert_eq!(squares(&mut scanner), sq.into());
        assert_eq!(squares(&mut scanner), sq.into(), "again, with the other mark");
        chips.power(false);
        let why = scanner.scan().unwrap_err();
        assert_eq!(why, MatrixError::Silent { sent: 0xa5, got: 0xff });
    }
}

#[test]
fn diodes_keep_squares_apart() {
    let mut rng = fastrand::Rng::with_seed(5);
    for _ in 0..500 {
        let n = rng.usize(0..=32);
        let occupied: Bitboard = (0..n).map(|_| Square::ALL[rng.usize(0..64)]).collect();
        let bus = MockBus::of(SwitchReader::Rows, occupied);
        assert_eq!(squares(bus.scanner(SwitchReader::Rows).as_mut()), bus.occupied());
        let bare = MockBus::new(rows(occupied, |rows| rows.without_diodes(u64::MAX)));
        match bare.scanner(SwitchReader::Rows).scan() {
            Ok(scan) => assert_eq!(rokade::board::rows::diodes_shown(scan), 0),
            Err(why) => assert!(matches!(why, MatrixError::NoDiodes(33..)), "{why}"),
        }
    }
    let (_, waited) = {
        let bus = MockBus::of(SwitchReader::Rows, start_squares());
        bus.scanner(SwitchReader::Rows).scan().unwrap();
        bus.used()
    };
    assert_eq!(waited, SETTLE * 9, "before the first row and after each");
}

#[test]
fn a_matrix_without_diodes_is_refused_after_a_move() {
    let bare = MockBus::new(rows(start_squares(), |rows| rows.without_diodes(u64::MAX)));
    let mut scanner = bare.scanner(SwitchReader::Rows);
    assert_eq!(squares(scanner.as_mut()), start_squares());
    bare.set_now(Mono::from_millis(100));
    bare.set(BEGIN, Square::E2, false);
    bare.set(BEGIN, Square::E4, true);
    let why = scanner.scan().unwrap_err();
    assert_eq!(why, MatrixError::NoDiodes(40));
    assert!(why.to_string().contains("there are no diodes; put one in series"), "{why}");
}

#[test]
fn a_wire_at_ground_is_named() {
    let column = MockBus::new(rows(start_squares(), |rows| rows.with_shorted_column(2)));
    let why = column.scanner(SwitchReader::Rows).scan().unwrap_err();
    assert_eq!(why, MatrixError::Grounded(vec![24]));
    let row = MockBus::new(rows(start_squares(), |rows| rows.with_shorted_row(0)));
    let why = row.scanner(SwitchReader::Rows).scan().unwrap_err();
    assert_eq!(why, MatrixError::Grounded(vec![18, 23, 24, 25, 8, 7, 16, 20]));
    assert!(why.to_string().contains("or a row in which a piece stands, touch ground"), "{why}");
}

#[test]
fn chips_on_a_bus_are_checked() {
    for chips in SwitchReader::ALL.into_iter().filter(|it| it.expander().is_some()) {
        let bus = MockBus::of(chips, start_squares());
        let mut scanner = bus.scanner(chips);
        assert_eq!(squares(scanner.as_mut()), start_squares());
        bus.power(false);
        let why = scanner.scan().unwrap_err().to_string();
        let kind = chips.expander().unwrap();
        assert!(why.contains(&format!("no {kind} answers at 0x20 of /dev/")), "{why}");
        bus.power(true);
        // It is set up anew, and read again.
        assert_eq!(squares(scanner.as_mut()), start_squares(), "{chips:?}");
        // A supply that fails for a moment is noticed where a chip forgets by it what it needs.
        bus.power(false);
        bus.power(true);
        let read = scanner.scan();
        match chips {
            SwitchReader::Mcp23017 => {
                let why = read.unwrap_err().to_string();
                assert!(why.contains("has restarted; its supply fails now and then"), "{why}");
            }
            SwitchReader::Mcp23s17 => _ = read.unwrap_err(),
            _ => assert_eq!(Wiring::default().squares(read.unwrap()), start_squares()),
        }
        assert_eq!(squares(scanner.as_mut()), start_squares(), "{chips:?}");
    }
}

/// While the line says that nothing has changed the bus is left alone nine times of ten. A line
/// that says nothing any more costs time, and no change.
#[test]
fn an_interrupt_line_is_a_hint() {
    for chips in [SwitchReader::Pcf8575, SwitchReader::Pca9555, SwitchReader::Mcp23017] {
        let bus = MockBus::of(chips, start_squares());
        let mut scanner = bus.expanders(chips, 400, true);
        scanner.scan().unwrap();
        let n_chips = chips.expander().unwrap().n_chips();
        let (before, _) = bus.used();
        for _ in 0..100 {
            assert_eq!(squares(scanner.as_mut()), start_squares());
        }
        assert_eq!(bus.used().0 - before, 10 * n_chips, "{chips:?}");
        bus.set_now(Mono::from_millis(100));
        bus.set(BEGIN, Square::E2, false);
        assert_eq!(squares(scanner.as_mut()), start_squares().without(Square::E2), "{chips:?}");
    }
}

#[test]
fn a_slow_bus_halves_the_rate_and_says_so() {
    let settings = rokade::shell::config::Matrix {
        chips: SwitchReader::Pca9555,
        ..rokade::shell::config::Matrix::default()
    };
    let bus = MockBus::of(SwitchReader::Pca9555, start_squares());
    let pace = |khz| {
        let scanner = bus.expanders(SwitchReader::Pca9555, khz, false);
        rokade::shell::matrix::pace(&settings, scanner.as_ref())
    };
    assert_eq!(pace(400), (Duration::from_millis(10), None));
    let (period, told) = pace(100);
    assert_eq!(period, Duration::from_millis(20));
    let told = told.unwrap();
    let words = "/dev/i2c-1 runs at 100 kHz, so the squares are read 50 times a second; \
                 dtparam=i2c_arm_baudrate=400000 in config.txt doubles that";
    assert_eq!(told, words);
}

fn header() -> Header {
    Header {
        sight: Sight::Occupied,
        start: Some(shakmaty::fen::Fen::try_from(shakmaty::Setup::initial()).unwrap()),
        ..Header::dgt()
    }
}

/// A bus on which nothing moves is told in a sentence and tried again; the other board plays on,
/// and both are there once it is free.
#[tokio::test(flavor = "multi_thread")]
async fn a_stuck_bus_holds_up_nobody() {
    let place = Place::new();
    let chips = SwitchReader::Pcf8575;
    let paths = [place.path("stuck"), place.path("free")];
    let board = |number: usize| {
        format!(
            "[[board]]\nname = \"table-{number}\"\nport = \"gpio\"\n[board.matrix]\nbus = {:?}\n\
             chips = {:?}\n",
            paths[number - 1],
            name(chips)
        )
    };
    configure(&place, &(board(1) + &board(2)));
    let [stuck, free] = paths.each_ref().map(|path| {
        let (stub, actor) = simulated::open(&header(), path, chips).unwrap();
        tokio::spawn(actor.with_bus_at(100).run());
        stub
    });
    let daemon = place.start();
    wait_until_live(&place, 1, &daemon).await;
    wait_until_live(&place, 2, &daemon).await;
    assert!(daemon.said().contains("runs at 100 kHz"), "{}", daemon.said());
    stuck.hold(true).unwrap();
    let end = Instant::now() + LIMIT;
    while place.view_of(1).await.is_some_and(|view| is_live(&view)) {
        assert!(Instant::now() < end, "{}", daemon.said());
        sleep(STEP * 20).await;
    }
    assert!(daemon.said().contains("is stuck: a chip without supply"), "{}", daemon.said());
    let lift = |sq, reading| Happening::Sensed { sq, reading, is_lost: false };
    let moved = vec![
        (BEGIN, lift(Square::E2, Reading::Empty)),
        (Mono::from_millis(300), lift(Square::E4, Reading::Something)),
    ];
    free.play(moved, Speed::REAL).await.unwrap();
    let end = Instant::now() + LIMIT;
    while place.view_of(2).await.is_none_or(|view| crate::program::moves_of(&view) != ["e2e4"]) {
        assert!(Instant::now() < end, "{}", daemon.said());
        sleep(STEP * 20).await;
    }
    stuck.hold(false).unwrap();
    wait_until_live(&place, 1, &daemon).await;
    assert_eq!(daemon.stop().await.0, Some(0));
}

/// `rokade doctor` sees what diodes the pieces show, and refuses a matrix without any: by its
/// rectangles once there is a move, and by three corners when the wiring is learned.
#[tokio::test(flavor = "multi_thread")]
async fn doctor_refuses_a_matrix_without_diodes() {
    let place = Place::new();
    let [good, bare] = ["good", "bare"].map(|name| place.path(name));
    let board = |name: &str, bus: &std::path::Path| {
        format!(
            "[[board]]\nname = {name:?}\nport = \"gpio\"\n[board.matrix]\nchips = \"rows\"\n\
             bus = {bus:?}\n"
        )
    };
    configure(&place, &(board("good", &good) + &board("bare", &bare)));
    let e4 = start_squares().without(Square::E2).with(Square::E4);
    let chips = SwitchReader::Rows;
    let (_good, actor) = simulated::open(&header(), &good, chips).unwrap();
    tokio::spawn(actor.read_by(rows(e4, |rows| rows)).run());
    let (stub, actor) = simulated::open(&header(), &bare, chips).unwrap();
    let without = |rows: RowsSim| rows.without_diodes(u64::MAX);
    tokio::spawn(actor.read_by(rows(e4, without)).run());
    let looked = place.run(&["doctor"]).await;
    assert_eq!(looked.code, Some(4), "{}", looked.out);
    assert!(looked.out.contains("good  good: 24 diodes are seen to be there"), "{}", looked.out);
    let words = "BAD   bare: 40 squares read as occupied, in full rectangles";
    assert!(looked.out.contains(words), "{}", looked.out);

    let set = async |sq: Square, reading| {
        let sensed = Happening::Sensed { sq, reading, is_lost: false };
        stub.play(vec![(BEGIN, sensed)], Speed::REAL).await.unwrap();
    };
    for sq in e4 {
        set(sq, Reading::Empty).await;
    }
    // Switches that bounce all at once read as full rectangles, where there are no diodes.
    sleep(4 * STEP).await;
    let mut command = place.command(&["doctor", "--calibrate", "--board", "bare"]);
    let mut doctor = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(doctor.stdout.take().unwrap()).lines();
    while let Some(line) = timeout(LIMIT, said.next_line()).await.unwrap().unwrap() {
        if let Some(sq) = line.strip_prefix("Put a piece on ") {
            set(sq.trim_end_matches('.').parse().unwrap(), Reading::Something).await;
        } else if let Some(found) = line.strip_suffix(". Lift it.") {
            assert!(!found.starts_with("a1 ") || found == "a1 is BCM 4 x BCM 18", "{found}");
            set(found[..2].parse().unwrap(), Reading::Empty).await;
        } else if line.starts_with("Put pieces on a1, c1 and a3") {
            for sq in [Square::A1, Square::C1, Square::A3] {
                set(sq, Reading::Something).await;
            }
        }
    }
    let outcome = doctor.wait_with_output().await.unwrap();
    let why = String::from_utf8(outcome.stderr).unwrap();
    assert_eq!(outcome.status.code(), Some(4), "{why}");
    assert!(why.contains("c3 reads as occupied, but is empty"), "{why}");
}
