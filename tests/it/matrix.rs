//! Switches on the pins: from the configuration to the PGN through the real program, on simulated
//! boards whose bus is a socket, by all that reads switches; and whole games in virtual time, in
//! which contacts bounce and are scanned.
//!
//! `ROKADE_LIVE` says how many games each row of the live test has, and with ten or more they are
//! long. `ROKADE_LIVE_SEED` has them played by other hands, and other games.

#![allow(clippy::unwrap_used)]

#[path = "matrix/buttons.rs"]
mod buttons;
#[path = "matrix/halls.rs"]
mod halls;
#[path = "matrix/mock.rs"]
pub(crate) mod mock;
#[path = "matrix/readers.rs"]
mod readers;

use std::fs;
use std::time::Duration;

use mock::MockBus;
use rokade::board::Wiring;
use rokade::game::Event;
use rokade::shell::config::SwitchReader;
use rokade::shell::matrix::simulated::{self, SimulatedStub};
use rokade::shell::matrix::{MatrixError, Scans};
use rokade::shell::now::Now;
use rokade::shell::pty::{PtyBridge, PtyBridgeStub, Speed};
use rokade::sim::hands::{Manners, Performance, Span};
use rokade::sim::script::{Happening, Header};
use rokade::sim::trial::{Recipe, Trial};
use rokade::sim::verdict::TrialVerdict;
use rokade::sim::{RegistersSim, Replay, Script, Switches, TableKind, hands};
use rokade::table::{Reading, Sight};
use rokade::time::Mono;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Color, Square};
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::time::{Instant, sleep, timeout};

use crate::cli::pgn_moves;
use crate::games::classics;
use crate::program::{Daemon, LIMIT, Place, STEP, is_live, moves_of};

/// The pin that loads the registers, unless it is set otherwise.
const LOAD: u8 = 25;
/// Half-moves of a live game, of the small version and of the large.
pub(crate) const PLIES: (usize, usize) = (8, 60);
/// What is read half as often.
const SLOW: SwitchReader = SwitchReader::Pcf8575;
/// What reads hall sensors that tell colors.
pub(crate) const HALL: SwitchReader = SwitchReader::Mcp3008;
/// What reads shift registers.
const REED: SwitchReader = SwitchReader::ShiftRegisters;
/// How long a square must read the same.
const DEBOUNCE: Duration = Duration::from_millis(10);
/// What lasts so long is seen also by scans that are late.
const SEEN_FOR_SURE: Duration = Duration::from_millis(150);
/// A game that was played is on record within this time.
const CONCLUDES: Duration = Duration::from_secs(20);

/// The inputs as the settings name them.
fn groups(inputs: &[Square; 64]) -> Vec<String> {
    let words = |chip: &[Square]| chip.iter().map(Square::to_string).collect::<Vec<_>>();
    inputs.chunks(8).map(|chip| words(chip).join(" ")).collect()
}

fn start_squares() -> shakmaty::Bitboard {
    shakmaty::Board::new().occupied()
}

#[test]
fn a_scan_reads_each_square_at_its_input() {
    let chips = MockBus::of(REED, start_squares());
    let mut scanner = chips.registers(true);
    let wiring = Wiring::default();
    for _ in 0..3 {
        assert_eq!(wiring.squares(scanner.scan().unwrap()), start_squares());
    }
    chips.set_now(Mono::from_millis(100));
    chips.set(Mono::from_millis(50), Square::E2, false);
    let expected = start_squares().without(Square::E2);
    assert_eq!(wiring.squares(scanner.scan().unwrap()), expected);
    // Each square by itself, however it is wired.
    let mut inputs = Square::ALL;
    fastrand::Rng::with_seed(7).shuffle(&mut inputs);
    let groups = groups(&inputs);
    let wiring = Wiring::parse(&groups).unwrap();
    for sq in Square::ALL {
        let switches = Switches::new(sq.into(), 1).wired(inputs);
        let chips = MockBus::new(Box::new(RegistersSim::new(switches)));
        assert_eq!(wiring.squares(chips.registers(true).scan().unwrap()), sq.into());
        assert_eq!(wiring.squares(chips.registers(false).scan().unwrap()), sq.into());
    }
}

#[test]
fn chips_that_do_not_answer_are_no_empty_board() {
    let chips = MockBus::of(REED, start_squares());
    let mut scanner = chips.registers(true);
    chips.power(false);
    let why = scanner.scan().unwrap_err();
    assert_eq!(why, MatrixError::Silent { sent: 0xa5, got: 0xff });
    assert!(why.to_string().contains("a5 was sent through them, and ff came back"), "{why}");
    chips.power(true);
    scanner.scan().unwrap();
    // Who has not wired that wire sees none of it.
    chips.power(false);
    assert_eq!(chips.registers(false).scan(), Ok(0));
}

/// What a daemon hears of the same hands when it scans switches that bounce: each change is later
/// by a few scans, and readings that last too short are none.
fn scanned(script: &Script, seed: u64, chips: SwitchReader) -> Script {
    let start = script.header.start.clone().unwrap().into_setup();
    let switches = Switches::new(start.board.occupied(), seed);
    let kind = chips;
    let period = Duration::from_millis(match kind {
        REED => 5,
        HALL => 20,
        _ => 10,
    });
    let chips = MockBus::new(simulated::reader(kind, switches));
    for (sq, piece) in start.board {
        chips.put(Mono::default(), sq, kind.sight().of(Some(piece)));
    }
    let mut scanner = chips.scanner(kind);
    let mut scans = Scans::new(Wiring::default(), DEBOUNCE);
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut told = Vec::new();
    // All pieces stand by then.
    let mut due = Mono::from_millis(100);
    let mut scan_until = |until: Mono, told: &mut Vec<(Mono, Happening)>| {
        while due < until {
            chips.set_now(due);
            for event in scans.scan(due, scanner.scan().unwrap(), scanner.black(), false) {
                if let Event::Sensed(sq, reading) = event {
                    told.push((due, Happening::Sensed { sq, reading, is_lost: false }));
                }
            }
            // The thread has no priority: now and then a scan is late.
            let late = if rng.u8(..) == 0 {
                Duration::from_millis(rng.u64(1..60))
            } else {
                Duration::ZERO
            };
            due = due + period + late;
        }
    };
    for (at, what) in &script.happenings {
        scan_until(*at, &mut told);
        match what {
            Happening::Sensed { sq, reading, .. } => {
                chips.put(*at, *sq, *reading);
            }
            other => told.push((*at, other.clone())),
        }
    }
    told.sort_by_key(|(at, _)| *at);
    Script { header: script.header.clone(), happenings: told }
}

#[test]
fn what_is_scanned_is_recorded_as_well_as_what_was_done() {
    let rows = [("club", true, REED), ("club", false, REED), ("blitz", true, REED)];
    let rows = rows.into_iter().chain([("club", true, SLOW), ("blitz", true, SLOW)]);
    let rows = rows.chain([("club", true, HALL), ("club", false, HALL), ("blitz", true, HALL)]);
    for (profile, has_clock, chips) in rows {
        let (mut n_direct, mut n_scanned) = (0, 0);
        let table = TableKind { sight: chips.sight(), has_clock };
        for seed in 0..20 {
            let recipe = Recipe::invented(seed, profile, table, 40);
            let Trial { start, performance, verdict, .. } = Trial::run(recipe, &[]);
            let script = scanned(&performance.script, seed, chips);
            let replay = Replay::run(&script);
            let by_scans = TrialVerdict::new(&start, &performance.truth, &replay, &script);
            assert!(!by_scans.is_silently_wrong(), "{recipe}: {by_scans}");
            if !by_scans.is_right() {
                println!("{recipe}: {verdict} // {by_scans}");
            }
            n_direct += usize::from(verdict.is_right());
            n_scanned += usize::from(by_scans.is_right());
        }
        let chips = chips.board_word();
        println!("{profile}, {chips}, clock {has_clock}: {n_direct} directly, {n_scanned} scanned");
        assert!(n_scanned + 1 >= n_direct, "{profile}: {n_scanned} for {n_direct}");
    }
}

/// Added to the seeds of live games.
pub(crate) fn live_seed() -> usize {
    std::env::var("ROKADE_LIVE_SEED").map_or(0, |seed| seed.parse().unwrap())
}

/// A row of the live test.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) profile: &'static str,
    pub(crate) laws: &'static str,
    pub(crate) has_clock: bool,
}

/// A game on switches of its own, with a clock beside them or none.
struct Seat {
    row: Row,
    intended: Vec<String>,
    played: Performance,
    board: SimulatedStub,
    clock: Option<PtyBridgeStub>,
}

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for profile in ["club", "blitz"] {
        for laws in ["", "m2023"] {
            rows.extend([true, false].map(|has_clock| Row { profile, laws, has_clock }));
        }
    }
    rows
}

/// Whether each square that is captured on is empty for long enough to be seen also where a scan
/// is late, as on a machine that builds and plays at once. What such scans cost is told in virtual
/// time.
pub(crate) fn is_unhurried(script: &Script) -> bool {
    let mut emptied = [None; 64];
    script.happenings.iter().all(|(at, what)| match what {
        Happening::Sensed { sq, reading: Reading::Empty, .. } => {
            emptied[usize::from(*sq)] = Some(*at);
            true
        }
        Happening::Sensed { sq, .. } => {
            emptied[usize::from(*sq)].is_none_or(|since| at.since(since) >= SEEN_FOR_SURE)
        }
        _ => true,
    })
}

/// A game of the classics at such a board, in which the usual hands do what may be: its moves, and
/// what is done. Nobody plays an illegal move: the record is to be what the classics say.
pub(crate) fn performance(
    seed: usize,
    row: &Row,
    sight: Sight,
    (n_plies, think): (usize, Span),
    may_be: impl Fn(&Performance) -> bool,
) -> (Vec<String>, Performance) {
    let classics = classics();
    let long: Vec<_> = classics.iter().filter(|game| game.moves.len() >= n_plies).collect();
    let moves = &long[seed % long.len()].moves[..n_plies];
    let manners = Manners::named(row.profile).unwrap();
    let manners = Manners { think, illegal_fixed: 0.0, illegal_pressed: 0.0, ..manners };
    let table = TableKind { sight, has_clock: row.has_clock };
    let mode = CastlingMode::Standard;
    let perform = |seed| hands::perform(&Chess::new(), mode, moves, None, &manners, table, seed);
    let mut performances = (seed as u64..).step_by(100).map(perform);
    let played = performances.find(may_be).unwrap();
    (moves.iter().map(|m| UciMove::from_move(*m, mode).to_string()).collect(), played)
}

/// A clock on a bridge beside a board, and its settings; none if this row has none.
pub(crate) fn clock_beside(
    place: &Place,
    number: usize,
    row: &Row,
    text: &mut String,
) -> Option<PtyBridgeStub> {
    row.has_clock.then(|| {
        let jack = place.path(&format!("jack-{number}"));
        let control = if row.profile == "blitz" { "3m+2s" } else { "90m+30s" };
        *text += &format!("clock = \"bridge\"\nclock_port = {jack:?}\n");
        *text += &format!("time_control = \"{control}\"\n");
        let (stub, works) = PtyBridge::open(Now::start(), Some(jack)).unwrap();
        tokio::spawn(works.run());
        stub
    })
}

/// A simulated board of switches, with its settings and its clock.
pub(crate) fn plug(
    (place, number): (&Place, usize),
    row: &Row,
    (chips, header): (SwitchReader, &Header),
    text: &mut String,
) -> (SimulatedStub, Option<PtyBridgeStub>) {
    let bus = place.path(&format!("bus-{number}"));
    *text += &format!("[[board]]\nname = \"table-{number}\"\nport = \"gpio\"\n");
    *text += &format!("laws = \"{}\"\n", row.laws);
    let clock = clock_beside(place, number, row, text);
    *text += &format!("[board.matrix]\nbus = {bus:?}\nload = {LOAD}\nchips = {:?}\n", name(chips));
    let (board, mut actor) = simulated::open(header, &bus, chips).unwrap();
    if let Some(learned) = actor.learned() {
        let file = place.path(&format!("halls-{number}"));
        fs::write(&file, learned).unwrap();
        *text += &format!("calibration = {file:?}\n");
    }
    if let Some(clock) = &clock {
        actor = actor.with_clock_beside(clock.hands());
    }
    tokio::spawn(actor.run());
    (board, clock)
}

fn seat(
    (place, number): (&Place, usize),
    row: Row,
    chips: SwitchReader,
    n_plies: usize,
    text: &mut String,
) -> Seat {
    let (seed, think) = (number + live_seed(), Span::new(300, 1_500));
    let is_seen = |it: &Performance| is_unhurried(&it.script);
    let (intended, played) = performance(seed, &row, chips.sight(), (n_plies, think), is_seen);
    let (board, clock) = plug((place, number), &row, (chips, &played.script.header), text);
    Seat { row, intended, played, board, clock }
}

/// What chips are called in the settings.
pub(crate) fn name(chips: SwitchReader) -> &'static str {
    match chips {
        REED => "74hc165",
        HALL => "mcp3008",
        _ => chips.board_word(),
    }
}

/// The arbiter starts White's clock, and looks whether it runs: while the bridge speaks it is deaf.
pub(crate) async fn start(clock: &mut PtyBridgeStub) {
    let hands = clock.hands();
    loop {
        hands.send(Happening::Resume(Color::White)).unwrap();
        if timeout(Duration::from_millis(600), clock.is_running()).await.is_ok() {
            return;
        }
        hands.send(Happening::ClockStopped).unwrap();
    }
}

async fn play(mut seat: Seat) -> Seat {
    if let Some(clock) = &mut seat.clock {
        clock.is_set().await.unwrap();
    }
    seat.board.play(seat.played.script.happenings.clone(), Speed::REAL).await.unwrap();
    if let Some(clock) = &mut seat.clock {
        start(clock).await;
    }
    seat.board.played().await.unwrap();
    seat
}

pub(crate) async fn wait_until_live(place: &Place, number: usize, daemon: &Daemon) {
    let end = Instant::now() + LIMIT;
    while !place.view_of(number).await.is_some_and(|view| is_live(&view)) {
        assert!(Instant::now() < end, "board {number} is not read\n{}", daemon.said());
        sleep(STEP * 20).await;
    }
}

/// Waits until a game is on the page as it was meant, and finds it in the PGN and nobody blamed in
/// the log.
pub(crate) async fn is_recorded(
    (place, number, daemon): (&Place, usize, &Daemon),
    row: &Row,
    intended: &[String],
) {
    let end = Instant::now() + CONCLUDES;
    let moves = loop {
        let moves = place.view_of(number).await.map_or(Vec::new(), |view| moves_of(&view));
        if moves == intended || Instant::now() > end {
            break moves;
        }
        sleep(STEP * 20).await;
    };
    let name = format!("table-{number}");
    let log = place.run(&["log", "--board", &name]).await.out;
    assert_eq!(moves, intended, "{number}: {row:?}\n{log}\n{}", daemon.said());
    let pgn = place.run(&["export", "--board", &name]).await.out;
    assert_eq!(pgn_moves(&pgn).last().map(Vec::len), Some(intended.len()), "{pgn}");
    assert_eq!(pgn.contains("%clk"), row.has_clock, "{pgn}");
    // Nobody is blamed for what he has not done.
    assert!(!log.contains("illegal"), "{number}: {row:?}\n{log}");
}

/// A configuration with boards beside the pages and the records.
pub(crate) fn configure(place: &Place, boards: &str) {
    let head =
        format!("state_dir = {:?}\n[http]\nlisten = \"{}\"\n", place.path("state"), place.addr);
    fs::write(place.path("rokade.toml"), head + boards).unwrap();
}

/// Plays these games at once, each on a board of its own.
async fn play_all(games: Vec<(Row, SwitchReader)>, n_plies: usize) {
    let place = Place::new();
    let mut text = String::new();
    let seats = (1..)
        .zip(games)
        .map(|(number, (row, chips))| seat((&place, number), row, chips, n_plies, &mut text));
    let seats: Vec<Seat> = seats.collect();
    configure(&place, &text);
    let daemon = place.start();
    for number in 1..=seats.len() {
        wait_until_live(&place, number, &daemon).await;
    }
    let games: Vec<_> = seats.into_iter().map(|seat| tokio::spawn(play(seat))).collect();
    for (number, game) in (1..).zip(games) {
        let seat = game.await.unwrap();
        let Seat { row, intended, .. } = &seat;
        is_recorded((&place, number, &daemon), row, intended).await;
    }
    assert_eq!(daemon.stop().await.0, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn games_on_switches_are_recorded_from_the_settings_to_the_pgn() {
    let n: usize = std::env::var("ROKADE_LIVE").map_or(1, |n| n.parse().unwrap());
    let n_plies = if n >= 10 { PLIES.1 } else { PLIES.0 };
    for _ in 0..n.div_ceil(4) {
        let rows = (0..n.min(4)).flat_map(|_| rows());
        play_all(rows.map(|row| (row, REED)).collect(), n_plies).await;
    }
}

/// Of each kind one game, in turns by club and blitz hands, with and without referee and clock;
/// with `ROKADE_LIVE` so many, in each of these ways.
#[tokio::test(flavor = "multi_thread")]
async fn games_are_recorded_whatever_reads_the_switches() {
    let others = SwitchReader::ALL.into_iter().filter(|chips| *chips != REED);
    let Ok(n) = std::env::var("ROKADE_LIVE") else {
        let games = rows().into_iter().zip(others).collect();
        return play_all(games, PLIES.0).await;
    };
    let n: usize = n.parse().unwrap();
    let n_plies = if n >= 10 { PLIES.1 } else { PLIES.0 };
    for chips in others {
        for _ in 0..n {
            play_all(rows().into_iter().map(|row| (row, chips)).collect(), n_plies).await;
        }
    }
}

/// `rokade doctor` draws the board, says what does not rest or answer, and learns the wiring: the
/// game that is played on what it has printed is on record as it was played.
#[tokio::test(flavor = "multi_thread")]
async fn doctor_learns_how_switches_are_wired() {
    let place = Place::new();
    let mut inputs = Square::ALL;
    fastrand::Rng::with_seed(3).shuffle(&mut inputs);
    let bus = place.path("bus");
    let board = format!("[[board]]\nport = \"gpio\"\n[board.matrix]\nbus = {bus:?}\n");
    configure(&place, &board);
    let header = rokade::sim::script::Header {
        sight: Sight::Occupied,
        ..rokade::sim::script::Header::dgt()
    };
    let (stub, actor) = simulated::open(&header, &bus, REED).unwrap();
    tokio::spawn(actor.wired(inputs).run());

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
    let set = async |sq: Square, reading| {
        let sensed = Happening::Sensed { sq, reading, is_lost: false };
        stub.play(vec![(Mono::default(), sensed)], Speed::REAL).await.unwrap();
    };
    while let Some(line) = timeout(LIMIT, said.next_line()).await.unwrap().unwrap() {
        if let Some(rest) = line.strip_prefix("Put a piece on ") {
            let sq: Square = rest.trim_end_matches('.').parse().unwrap();
            if sq == Square::E4 {
                // Its switch is broken.
                enter.write_all(b"\n").await.unwrap();
            } else {
                set(sq, Reading::Something).await;
            }
        } else if let Some((sq, _)) =
            line.strip_suffix(". Lift it.").and_then(|it| it.split_once(' '))
        {
            set(sq.parse().unwrap(), Reading::Empty).await;
        }
        printed.push(line);
    }
    let outcome = doctor.wait_with_output().await.unwrap();
    assert_eq!(outcome.status.code(), Some(4), "{printed:?}");
    let why = String::from_utf8(outcome.stderr).unwrap();
    assert!(why.contains("no input was found for e4; check their switches"), "{why}");
    let begin = printed.iter().position(|line| line == "inputs = [").unwrap();
    let learned = printed[begin..].join("\n");
    configure(&place, &format!("{board}{learned}\n"));
    let config = rokade::shell::config::Config::load(Some(&place.path("rokade.toml"))).unwrap();
    let groups = groups(&inputs);
    // The one that was passed over has the input that was left.
    assert_eq!(config.boards[0].matrix.inputs, groups);

    set(Square::C7, Reading::Something).await;
    let looked = place.run(&["doctor"]).await;
    assert_eq!((looked.code, &*looked.err), (Some(0), ""), "{}", looked.out);
    assert!(looked.out.contains("1 squares are occupied"), "{}", looked.out);
    assert!(looked.out.contains("7  . . x . . . . ."), "{}", looked.out);
    stub.power(false).unwrap();
    let dead = place.run(&["doctor", "--json"]).await;
    assert_eq!(dead.code, Some(4), "{}", dead.out);
    let finding: serde_json::Value = serde_json::from_str(dead.out.trim()).unwrap();
    assert_eq!(finding["is_good"], false);
    assert!(finding["saw"].as_str().unwrap().contains("do not answer"), "{finding}");
}

/// A bus that is not there, chips without supply and a socket that nobody serves are each one
/// sentence; another board is recorded meanwhile, and each is read once it is there.
#[tokio::test(flavor = "multi_thread")]
async fn a_matrix_that_is_not_there_keeps_nobody_waiting() {
    let place = Place::new();
    let header = rokade::sim::script::Header {
        sight: Sight::Occupied,
        start: Some(shakmaty::fen::Fen::try_from(shakmaty::Setup::initial()).unwrap()),
        ..rokade::sim::script::Header::dgt()
    };
    let (works, dead) = (place.path("works"), place.path("dead"));
    let board = |name: &str, bus: &str| {
        format!("[[board]]\nname = \"{name}\"\nport = \"gpio\"\n[board.matrix]\nbus = \"{bus}\"\n")
    };
    let text = board("table-1", works.to_str().unwrap())
        + &board("table-2", dead.to_str().unwrap())
        + &board("table-3", "/dev/spidev6.2").replace("bus = ", "load = 24\nbus = ")
        + &board("table-4", place.path("none").to_str().unwrap());
    configure(&place, &text);
    let (_works, actor) = simulated::open(&header, &works, REED).unwrap();
    tokio::spawn(actor.run());
    let (chips, actor) = simulated::open(&header, &dead, REED).unwrap();
    chips.power(false).unwrap();
    tokio::spawn(actor.run());
    let daemon = place.start();
    wait_until_live(&place, 1, &daemon).await;
    let sentences = [
        "the shift registers do not answer",
        "opening /dev/spidev6.2: there is no such bus",
        "none: there is no simulated board; start",
    ];
    for sentence in sentences {
        daemon.says(sentence).await;
    }
    // Each attempt fails again, and is not told again.
    sleep(Duration::from_secs(1)).await;
    let said = daemon.said();
    for sentence in sentences {
        assert_eq!(said.matches(sentence).count(), 1, "{sentence}: {said}");
    }
    chips.power(true).unwrap();
    wait_until_live(&place, 2, &daemon).await;
    // What was read is lost again, and found.
    chips.power(false).unwrap();
    let end = Instant::now() + LIMIT;
    while place.view_of(2).await.is_some_and(|view| is_live(&view)) {
        assert!(Instant::now() < end, "{}", daemon.said());
        sleep(STEP * 20).await;
    }
    chips.power(true).unwrap();
    wait_until_live(&place, 2, &daemon).await;
    assert_eq!(daemon.stop().await.0, Some(0));
}
