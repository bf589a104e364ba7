//! Buttons for the piece that a pawn becomes, beside a board whose pieces have no names.

use std::time::Duration;

use rokade::game::BoardKind;
use rokade::shell::matrix::simulated::{self, SimulatedStub};
use rokade::shell::pty::{PtyBoard, Speed};
use rokade::sim::hands::{self, Manners, Span, TableKind};
use rokade::sim::script::Header;
use rokade::sim::{Table, pegasus};
use rokade::table::Sight;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Move, Position};
use tokio::time::{Instant, sleep};

use super::{REED, configure, wait_until_live};
use crate::program::{Daemon, LIMIT, Place, STEP, moves_of};

/// Pins of a queen, a rook, a bishop and a knight.
const BUTTONS: [u8; 4] = [16, 19, 20, 26];
/// A pawn becomes a knight, with its last half-move.
const GAME: &str = "e2e4 d7d5 e4d5 c7c6 d5c6 g8f6 c6b7 f6d5 b7a8n";

fn moves(start: &Chess, text: &str) -> (Vec<Move>, Chess) {
    let mut pos = start.clone();
    let play = |word: &str| {
        let m = word.parse::<UciMove>().unwrap().to_move(&pos).unwrap();
        pos.play_unchecked(m);
        m
    };
    (text.split_whitespace().map(play).collect(), pos)
}

async fn shows(place: &Place, number: usize, daemon: &Daemon, last: &str) {
    let end = Instant::now() + LIMIT;
    loop {
        let moves = place.view_of(number).await.map_or(Vec::new(), |view| moves_of(&view));
        if moves.last().is_some_and(|shown| shown == last) {
            return;
        }
        assert!(Instant::now() < end, "{number}: {moves:?}, not {last}\n{}", daemon.said());
        sleep(STEP * 20).await;
    }
}

async fn press(board: &SimulatedStub, pin: u8) {
    board.button(pin, true).unwrap();
    sleep(Duration::from_millis(300)).await;
    board.button(pin, false).unwrap();
}

/// Pressed before the move, as its player has it in mind, and after it; with a referee and without.
/// `rokade doctor` sees which one is down.
#[tokio::test(flavor = "multi_thread")]
async fn a_button_says_which_piece_a_pawn_becomes() {
    let place = Place::new();
    let mut text = String::new();
    let mut boards = Vec::new();
    let header = Header {
        sight: Sight::Occupied,
        start: Some(shakmaty::fen::Fen::try_from(shakmaty::Setup::initial()).unwrap()),
        ..Header::dgt()
    };
    for (number, laws) in [(1, ""), (2, "m2023"), (3, "")] {
        let bus = place.path(&format!("bus-{number}"));
        let name =
            format!("[[board]]\nname = \"table-{number}\"\nport = \"gpio\"\nlaws = {laws:?}\n");
        text += &(name + &format!("[board.matrix]\nbus = {bus:?}\npromotion = {BUTTONS:?}\n"));
        let (stub, actor) = simulated::open(&header, &bus, REED).unwrap();
        tokio::spawn(actor.run());
        boards.push(stub);
    }
    configure(&place, &text);
    let [_, _, _, knight] = BUTTONS;
    boards[2].button(knight, true).unwrap();
    let looked = place.run(&["doctor", "--board", "table-3"]).await;
    assert!(looked.out.contains("the button for a knight is down"), "{}", looked.out);
    boards[2].button(knight, false).unwrap();
    let looked = place.run(&["doctor", "--board", "table-3"]).await;
    assert!(looked.out.contains("no button for promotions is down"), "{}", looked.out);

    let (before, last) = GAME.rsplit_once(' ').unwrap();
    let start = Chess::new();
    let (first, pos) = moves(&start, before);
    let (promotes, _) = moves(&pos, last);
    let table = TableKind { sight: Sight::Occupied, has_clock: false };
    let manners = Manners { think: Span::new(300, 900), ..Manners::named("clean").unwrap() };
    let perform = |from: &Chess, moves: &[Move]| {
        hands::perform(from, CastlingMode::Standard, moves, None, &manners, table, 1).script
    };
    let daemon = place.start();
    for number in 1..=2 {
        wait_until_live(&place, number, &daemon).await;
    }
    let script = perform(&start, &first).happenings;
    boards[0].play(script.clone(), Speed::REAL).await.unwrap();
    boards[1].play(script, Speed::REAL).await.unwrap();
    for number in 1..=2 {
        shows(&place, number, &daemon, "f6d5").await;
    }
    press(&boards[0], knight).await;
    let script = perform(&pos, &promotes).happenings;
    boards[0].play(script.clone(), Speed::REAL).await.unwrap();
    boards[1].play(script, Speed::REAL).await.unwrap();
    shows(&place, 2, &daemon, "b7a8q").await;
    press(&boards[1], knight).await;
    for number in 1..=2 {
        shows(&place, number, &daemon, "b7a8n").await;
        let log = place.run(&["log", "--board", &format!("table-{number}")]).await.out;
        assert!(log.contains("settle 9 b7a8n by the button"), "{log}");
        assert!(!log.contains("illegal"), "{log}");
    }
    assert_eq!(daemon.stop().await.0, Some(0));
}

/// They stand beside a board that is not on the pins as well. Without them it goes on.
#[tokio::test(flavor = "multi_thread")]
async fn a_pegasus_has_buttons_beside_it() {
    let place = Place::new();
    let mut text = String::new();
    let header = Header {
        sight: Sight::Occupied,
        maker: Some(BoardKind::Pegasus),
        has_clock: false,
        start: Some(shakmaty::fen::Fen::try_from(shakmaty::Setup::initial()).unwrap()),
        ..Header::dgt()
    };
    let key: Vec<String> = pegasus::KEY.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut boards = Vec::new();
    for number in 1..=2 {
        let (port, bus) = (place.cable(number), place.path(&format!("bus-{number}")));
        text += &format!("[[board]]\nname = \"table-{number}\"\nport = {port:?}\n");
        text += &format!("maker = \"pegasus\"\ndeveloper_key = {:?}\n", key.join(" "));
        text += &format!("[board.matrix]\nbus = {bus:?}\npromotion = {BUTTONS:?}\n");
        let (stub, actor) = PtyBoard::open(Table::new(&header), Some(port)).unwrap();
        tokio::spawn(actor.run());
        boards.push(stub);
    }
    configure(&place, &text);
    let pins = Header { maker: None, ..header.clone() };
    let (beside, actor) = simulated::open(&pins, &place.path("bus-1"), REED).unwrap();
    tokio::spawn(actor.run());
    let [_, _, _, knight] = BUTTONS;
    beside.button(knight, true).unwrap();
    let looked = place.run(&["doctor"]).await;
    let words = "good  table-1: the button for a knight is down";
    assert!(looked.out.contains(words), "{}", looked.out);
    assert!(looked.out.contains("BAD   table-2: the buttons for promotions: "), "{}", looked.out);
    beside.button(knight, false).unwrap();

    let (moves, _) = moves(&Chess::new(), GAME);
    let table = TableKind { sight: Sight::Occupied, has_clock: false };
    let manners = Manners { think: Span::new(600, 900), ..Manners::named("clean").unwrap() };
    let script =
        hands::perform(&Chess::new(), CastlingMode::Standard, &moves, None, &manners, table, 1);
    let daemon = place.start();
    for (number, board) in (1..=2).zip(&boards) {
        wait_until_live(&place, number, &daemon).await;
        board.play(script.script.happenings.clone(), Speed::REAL).await.unwrap();
    }
    for number in 1..=2 {
        shows(&place, number, &daemon, "b7a8q").await;
    }
    press(&beside, knight).await;
    shows(&place, 1, &daemon, "b7a8n").await;
    daemon.says("the buttons for promotions are not read").await;
    let said = daemon.said();
    let is_told = |line: &&str| {
        line.contains("the buttons for promotions are not read") && line.contains("table-2")
    };
    assert_eq!(said.lines().filter(is_told).count(), 1, "{said}");
    assert_eq!(daemon.stop().await.0, Some(0));
}
