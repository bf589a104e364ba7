//! Games through the real program: from the configuration, over a pseudo-terminal, to the PGN, with
//! a clock on a bridge beside the board or none, with and without a referee.
//!
//! `ROKADE_LIVE` says how many games each row has, and with ten or more they are long.

use std::process::Stdio;
use std::time::Duration;

use rokade::game::{BoardKind, Fact};
use rokade::shell::config::Config;
use rokade::shell::pty::{PtyBoard, PtyBoardStub, PtyBridgeStub, Speed};
use rokade::sim::hands::{Performance, Span};
use rokade::sim::script::{Happening, Header, Script};
use rokade::sim::{Table, certabo, maker, pegasus};
use rokade::table::Sight;
use rokade::wire::certabo::lines_of;
use rustix::process::Signal;
use serde_json::{Value, json};
use shakmaty::Color;
use tokio::time::{sleep, timeout};

use crate::cli::assert_sentence;
use crate::live::journal;
use crate::matrix::{
    PLIES, Row, clock_beside, configure, is_recorded, is_unhurried, live_seed, performance, rows,
    start, wait_until_live,
};
use crate::program::{Daemon, LIMIT, Place, is_live, moves_of, parts, run, signal};
use crate::wire::describe::hex;

/// Players think so long,
const THINKS: Span = Span::new(300, 1_500);
/// and so long on a board of chips, which is a second behind.
const THINKS_SLOWLY: Span = Span::new(2_000, 3_500);

/// A game on a board of its own, with a clock beside it or none.
pub(super) struct Seat {
    pub(super) row: Row,
    pub(super) intended: Vec<String>,
    pub(super) played: Performance,
    pub(super) board: PtyBoardStub,
    clock: Option<PtyBridgeStub>,
}

/// A simulated board behind a pseudo-terminal, with its settings and its clock.
pub(crate) fn plug(
    (place, number): (&Place, usize),
    row: &Row,
    (kind, header): (BoardKind, &mut Header),
    text: &mut String,
) -> (PtyBoardStub, Option<PtyBridgeStub>) {
    (header.maker, header.has_clock) = (Some(kind), false);
    let port = place.cable(number);
    *text += &format!("[[board]]\nname = \"table-{number}\"\nport = {port:?}\n");
    *text += &format!("maker = {:?}\nlaws = \"{}\"\n", maker::word(kind), row.laws);
    if kind == BoardKind::Certabo && header.sight == Sight::Pieces {
        *text += &format!("chips = {:?}\n", lines_of(&certabo::set()));
    }
    if kind == BoardKind::Pegasus {
        *text += &format!("developer_key = \"{}\"\n", hex(&pegasus::KEY));
    }
    let (board, mut actor) = PtyBoard::open(Table::new(header), Some(port)).unwrap();
    let clock = clock_beside(place, number, row, text);
    if let Some(clock) = &clock {
        actor = actor.with_clock_beside(clock.hands());
    }
    tokio::spawn(actor.run());
    (board, clock)
}

pub(super) fn seat(
    (place, kind, sight): (&Place, BoardKind, Sight),
    number: usize,
    row: Row,
    (n_plies, think): (usize, Span),
    text: &mut String,
) -> Seat {
    // How often boards of occupied squares look nobody has told; what quick captures cost is told
    // in virtual time, and what forgotten presses do.
    let may_be = |it: &Performance| {
        (sight == Sight::Pieces || is_unhurried(&it.script)) && presses_alternate(&it.script)
    };
    let seed = number + live_seed();
    let (intended, mut played) = performance(seed, &row, sight, (n_plies, think), may_be);
    let of_kind = (kind, &mut played.script.header);
    let (board, clock) = plug((place, number), &row, of_kind, text);
    Seat { row, intended, played, board, clock }
}

pub(super) async fn play(mut seat: Seat) -> Seat {
    if let Some(clock) = &mut seat.clock {
        clock.is_set().await.unwrap();
    }
    seat.board.woken().await.unwrap();
    seat.board.play(seat.played.script.happenings.clone(), Speed::REAL).await.unwrap();
    if let Some(clock) = &mut seat.clock {
        start(clock).await;
    }
    seat.board.played().await.unwrap();
    seat
}

/// Plays all these games at once, and finds each on record as it was meant. Then the daemon ends.
pub(super) async fn play_all(place: &Place, daemon: Daemon, seats: Vec<Seat>) {
    for number in 1..=seats.len() {
        wait_until_live(place, number, &daemon).await;
    }
    let games: Vec<_> = seats.into_iter().map(|seat| tokio::spawn(play(seat))).collect();
    for (number, game) in (1..).zip(games) {
        let Seat { row, intended, .. } = &game.await.unwrap();
        is_recorded((place, number, &daemon), row, intended).await;
    }
    assert_eq!(daemon.stop().await.0, Some(0));
}

async fn games_are_recorded(kind: BoardKind, sight: Sight) {
    let n: usize = std::env::var("ROKADE_LIVE").map_or(1, |n| n.parse().unwrap());
    let n_plies = if n >= 10 { PLIES.1 } else { PLIES.0 };
    let is_slow = kind == BoardKind::Certabo && sight == Sight::Pieces;
    let thinks = if is_slow { THINKS_SLOWLY } else { THINKS };
    for _ in 0..n.div_ceil(4) {
        let place = Place::new();
        let mut text = String::new();
        // Presses overtake a board of chips: it has no clock.
        let may_be = |row: &Row| !(is_slow && row.has_clock);
        let rows: Vec<Row> = (0..n.min(4)).flat_map(|_| rows()).filter(may_be).collect();
        let of =
            |(number, row)| seat((&place, kind, sight), number, row, (n_plies, thinks), &mut text);
        let seats: Vec<Seat> = (1..).zip(rows).map(of).collect();
        configure(&place, &text);
        play_all(&place, place.start(), seats).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn games_on_chesslink_are_recorded_from_the_settings_to_the_pgn() {
    games_are_recorded(BoardKind::ChessLink, Sight::Pieces).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn games_on_certabo_are_recorded_from_the_settings_to_the_pgn() {
    games_are_recorded(BoardKind::Certabo, Sight::Pieces).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn games_on_sentio_are_recorded_from_the_settings_to_the_pgn() {
    games_are_recorded(BoardKind::Certabo, Sight::Occupied).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn games_on_chessnut_are_recorded_from_the_settings_to_the_pgn() {
    games_are_recorded(BoardKind::Chessnut, Sight::Pieces).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn games_on_pegasus_are_recorded_from_the_settings_to_the_pgn() {
    games_are_recorded(BoardKind::Pegasus, Sight::Occupied).await;
}

/// Who presses, in this order.
fn presses(script: &Script) -> Vec<Color> {
    let by = |what: &Happening| if let Happening::Press(by) = what { Some(*by) } else { None };
    script.happenings.iter().filter_map(|(_, what)| by(what)).collect()
}

/// Whether each press turns the lever: an end that is down already turns none.
fn presses_alternate(script: &Script) -> bool {
    presses(script).windows(2).all(|pair| pair[0] != pair[1])
}

/// A machine that does nothing for a moment reads several presses at once, and the board between
/// them: none is missed, and none taken for what the host has set the clock to.
#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_that_is_held_up_misses_no_press() {
    let place = Place::new();
    let mut text = String::new();
    let of = |number| {
        let laws = if number % 2 == 0 { "m2023" } else { "" };
        let row = Row { profile: "blitz", laws, has_clock: true };
        let kind = (&place, BoardKind::ChessLink, Sight::Pieces);
        seat(kind, number, row, (PLIES.0, THINKS), &mut text)
    };
    let seats: Vec<Seat> = (1..=6).map(of).collect();
    configure(&place, &text);
    let daemon = place.start();
    for number in 1..=seats.len() {
        wait_until_live(&place, number, &daemon).await;
    }
    let games: Vec<_> = seats.into_iter().map(|seat| tokio::spawn(play(seat))).collect();
    let mut rng = fastrand::Rng::with_seed(live_seed() as u64);
    while !games.iter().all(tokio::task::JoinHandle::is_finished) {
        sleep(Duration::from_millis(rng.u64(100..500))).await;
        signal(&daemon.child, Signal::STOP);
        sleep(Duration::from_millis(rng.u64(50..350))).await;
        signal(&daemon.child, Signal::CONT);
    }
    let mut played = Vec::new();
    for (number, game) in (1..).zip(games) {
        let seat = game.await.unwrap();
        is_recorded((&place, number, &daemon), &seat.row, &seat.intended).await;
        played.push(seat);
    }
    assert_eq!(daemon.stop().await.0, Some(0));
    for (number, seat) in (1..).zip(played) {
        let entries = journal(&place, number);
        let pressed = entries.iter().filter_map(|entry| match entry.fact {
            Fact::Pressed { by } => Some(by),
            _ => None,
        });
        assert_eq!(pressed.collect::<Vec<_>>(), presses(&seat.played.script), "table-{number}");
    }
}

/// It says moves that were finished, by hands that do nothing else.
#[tokio::test(flavor = "multi_thread")]
async fn games_on_novag_are_recorded_from_the_settings_to_the_pgn() {
    let place = Place::new();
    let mut text = String::new();
    let row = |laws, has_clock| Row { profile: "clean", laws, has_clock };
    let rows = [row("", false), row("m2023", true)];
    let of = |(number, row)| {
        let kind = (BoardKind::Ucb, Sight::Pieces);
        seat((&place, kind.0, kind.1), number, row, (PLIES.0, Span::new(1_000, 1_500)), &mut text)
    };
    let seats: Vec<Seat> = (1..).zip(rows).map(of).collect();
    configure(&place, &text);
    play_all(&place, place.start(), seats).await;
}

/// A board whose cable is pulled in the middle of a game is taken up again, and what was played
/// meanwhile is found.
async fn a_pulled_cable_ends_no_game(kind: BoardKind) {
    let place = Place::new();
    let mut text = String::new();
    let slow = Span::new(2_000, 2_500);
    let row = Row { profile: "clean", laws: "m2023", has_clock: false };
    let seat = seat((&place, kind, Sight::Pieces), 1, row, (PLIES.0, slow), &mut text);
    configure(&place, &(text + "lights = \"last-move\"\n"));
    let daemon = place.start();
    wait_until_live(&place, 1, &daemon).await;
    let (mut board, cable) = (seat.board.clone(), seat.board.cable.clone());
    let mut parts = parts(&seat.played, [4, 5]).into_iter();
    let mut play = async |n_plies: usize| {
        board.play(parts.next().unwrap(), Speed::REAL).await.unwrap();
        board.played().await.unwrap();
        if n_plies > 0 {
            place.seen(|view| is_live(view) && moves_of(view) == seat.intended[..n_plies]).await;
        }
    };
    play(4).await;
    cable.unplug().await.unwrap();
    place.seen(|view| !is_live(view)).await;
    // Nobody sees the fifth.
    play(0).await;
    cable.plug().await.unwrap();
    place.seen(|view| is_live(view) && moves_of(view) == seat.intended[..5]).await;
    play(seat.intended.len()).await;
    assert_eq!(daemon.stop().await.0, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cable_that_is_pulled_ends_no_game_on_chesslink() {
    a_pulled_cable_ends_no_game(BoardKind::ChessLink).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cable_that_is_pulled_ends_no_game_on_chessnut() {
    a_pulled_cable_ends_no_game(BoardKind::Chessnut).await;
}

/// `rokade doctor` learns which chip is below which piece: what it prints is put into the settings.
#[tokio::test(flavor = "multi_thread")]
async fn doctor_learns_the_chips_of_a_set() {
    let place = Place::new();
    let port = place.cable(1);
    let board = format!("[[board]]\nport = {port:?}\nmaker = \"certabo\"\n");
    configure(&place, &board);
    let header = Header { maker: Some(BoardKind::Certabo), has_clock: false, ..Header::dgt() };
    let (_stub, actor) = PtyBoard::open(Table::new(&header), Some(port)).unwrap();
    tokio::spawn(actor.run());
    let learnt = place.run(&["doctor", "--calibrate"]).await;
    assert_eq!((learnt.code, &*learnt.err), (Some(0), ""), "{}", learnt.out);
    let chips = &learnt.out[learnt.out.find("chips = [").unwrap()..];
    configure(&place, &(board + chips));
    let config = Config::load(Some(&place.path("rokade.toml"))).unwrap();
    let chips = config.boards[0].settings().chips;
    assert_eq!(chips.len(), 32);
    assert!(chips.iter().all(|(chip, piece)| certabo::set().get(chip) == Some(piece)));
}

/// Taped at the second board of the configuration, and replayed without one: the driver asks again
/// what it asked then.
#[tokio::test(flavor = "multi_thread")]
async fn a_board_of_any_maker_can_be_taped_and_replayed() {
    let kinds = [
        (BoardKind::ChessLink, Sight::Pieces),
        (BoardKind::Certabo, Sight::Pieces),
        (BoardKind::Certabo, Sight::Occupied),
        (BoardKind::Pegasus, Sight::Occupied),
        (BoardKind::Ucb, Sight::Pieces),
    ];
    for taped in kinds.map(|(kind, sight)| tokio::spawn(tape_and_replay(kind, sight))) {
        taped.await.unwrap();
    }
}

async fn tape_and_replay(kind: BoardKind, sight: Sight) {
    let place = Place::new();
    let mut text = "[[board]]\nname = \"table-1\"\nport = \"/dev/none\"\n".to_owned();
    let row = Row { profile: "clean", laws: "", has_clock: false };
    let Seat { intended, played, mut board, .. } =
        seat((&place, kind, sight), 2, row, (4, THINKS_SLOWLY), &mut text);
    configure(&place, &text);
    let (port, tape) = (place.cable(2), place.text("new.tape"));
    let mut command = place.command(&["record", "--port", port.to_str().unwrap(), &tape]);
    let mut recording = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    timeout(LIMIT, board.woken()).await.unwrap().unwrap();
    // A board of chips is believed after three pictures.
    sleep(Duration::from_secs(3)).await;
    board.play(played.script.happenings, Speed::REAL).await.unwrap();
    timeout(LIMIT, board.played()).await.unwrap().unwrap();
    signal(&recording, Signal::INT);
    assert_eq!(timeout(LIMIT, recording.wait()).await.unwrap().unwrap().code(), Some(0));
    let replayed = run(&["replay", "--json", &tape]).await;
    let last: Value = serde_json::from_str(replayed.out.lines().last().unwrap()).unwrap();
    assert_eq!(last["moves"], json!(intended), "{kind:?}: {}{}", replayed.out, replayed.err);
}

#[tokio::test]
async fn a_tape_is_made_of_the_board_that_is_named() {
    let place = Place::new();
    let of = |name: &str, maker: &str| {
        format!("[[board]]\nname = \"{name}\"\nport = \"/dev/{name}\"\nmaker = \"{maker}\"\n")
    };
    configure(&place, &(of("a", "dgt") + &of("b", "certabo")));
    let refused = place.run(&["record", "--port", "/dev/c", &place.text("new.tape")]).await;
    assert_sentence(&refused, 2, &["/dev/c", "several makers", "section of the board that it is"]);
}
