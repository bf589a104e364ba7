//! Boards on Bluetooth LE through the real program: a bus of its own, with a Bluetooth service on
//! it whose devices are simulated boards.

use rokade::game::BoardKind;
use rokade::shell::config::Config;
use rokade::shell::pty::Speed;
use rokade::sim::hands::Span;
use rokade::sim::maker;
use rokade::table::Sight;
use rokade::wire::gatt::{CHESSLINK, CHESSNUT, GattPorts, NORDIC_UART};
use std::fs;
use std::time::Duration;
use tokio::time::{Instant, sleep};

use super::bluez::{Bus, FakeBluez, FakeDevice, Health};
use super::live::{Seat, play, play_all, seat};
use crate::matrix::{PLIES, Row, configure, is_recorded, rows, wait_until_live};
use crate::program::{Daemon, LIMIT, Outcome, Place, STEP, finish, is_live, moves_of, parts};

/// Players think so long.
const THINKS: Span = Span::new(300, 1_500);
/// A shutdown takes no longer than this.
const ENDS_WITHIN: Duration = Duration::from_secs(5);

/// What a board of this kind is heard by, and what it is called.
fn on_bluetooth(kind: BoardKind) -> (GattPorts, &'static str) {
    match kind {
        BoardKind::Chessnut => (CHESSNUT, "Chessnut Air"),
        BoardKind::ChessLink => (CHESSLINK, "MILLENNIUM CHESS"),
        BoardKind::Certabo => (NORDIC_UART, "Certabo"),
        _ => (NORDIC_UART, "DGT_PEGASUS_00042"),
    }
}

/// An address that no other test's board has: this program's are locked on the machine.
fn address(place: &Place, number: usize) -> String {
    let [high, low] = place.addr.port().to_be_bytes();
    format!("C0:01:D0:{high:02X}:{low:02X}:{number:02X}")
}

pub(crate) fn on_air(place: &Place, kind: BoardKind, number: usize) -> FakeDevice {
    let (GattPorts { from_board, to_board }, name) = on_bluetooth(kind);
    let cable = place.cable(number);
    FakeDevice { address: address(place, number), name, ports: [from_board, to_board], cable }
}

/// The settings with these boards on the air in place of their cables.
pub(crate) fn by_radio(place: &Place, text: &str, numbers: impl Iterator<Item = usize>) -> String {
    numbers.fold(text.to_owned(), |text, number| {
        let cable = format!("port = {:?}\n", place.cable(number));
        text.replace(&cable, &format!("port = \"bluetooth:{}\"\n", address(place, number)))
    })
}

pub(crate) fn start(place: &Place, bus: &Bus) -> Daemon {
    let mut command = place.command(&["run"]);
    command.env("DBUS_SYSTEM_BUS_ADDRESS", bus.address());
    place.start_as(command)
}

async fn doctor(place: &Place, bus: &Bus) -> Outcome {
    let mut command = place.command(&["doctor"]);
    command.env("DBUS_SYSTEM_BUS_ADDRESS", bus.address());
    finish(command).await
}

async fn games_are_recorded(kind: BoardKind, sight: Sight) {
    let (place, mut text) = (Place::new(), String::new());
    let rows: Vec<Row> = rows().into_iter().collect();
    let seats: Vec<Seat> = (1..)
        .zip(rows)
        .map(|(n, row)| seat((&place, kind, sight), n, row, (PLIES.0, THINKS), &mut text))
        .collect();
    configure(&place, &by_radio(&place, &text, 1..=seats.len()));
    let bus = Bus::start(&place.path("")).await;
    let devices = (1..=seats.len()).map(|n| on_air(&place, kind, n)).collect();
    let bluez = FakeBluez::start(&bus, devices).await;
    play_all(&place, start(&place, &bus), seats).await;
    // Whoever comes next finds the boards free.
    assert!(!bluez.is_connected(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn games_on_pegasus_are_recorded_over_bluetooth() {
    games_are_recorded(BoardKind::Pegasus, Sight::Occupied).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn games_on_chessnut_are_recorded_over_bluetooth() {
    games_are_recorded(BoardKind::Chessnut, Sight::Pieces).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn games_on_chesslink_are_recorded_over_bluetooth() {
    games_are_recorded(BoardKind::ChessLink, Sight::Pieces).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn games_on_sentio_are_recorded_over_bluetooth() {
    games_are_recorded(BoardKind::Certabo, Sight::Occupied).await;
}

/// One board on the air, with its daemon, and how far its game is.
struct Evening {
    place: Place,
    seat: Seat,
    bus: Bus,
    bluez: FakeBluez,
    daemon: Daemon,
}

async fn evening(kind: BoardKind, sight: Sight, lines: &str) -> Evening {
    let (place, mut text) = (Place::new(), String::new());
    let slow = Span::new(2_000, 2_500);
    let row = Row { profile: "clean", laws: "m2023", has_clock: false };
    let seat = seat((&place, kind, sight), 1, row, (PLIES.0, slow), &mut text);
    configure(&place, &(by_radio(&place, &text, 1..=1) + lines));
    let bus = Bus::start(&place.path("")).await;
    let bluez = FakeBluez::start(&bus, vec![on_air(&place, kind, 1)]).await;
    let daemon = start(&place, &bus);
    wait_until_live(&place, 1, &daemon).await;
    Evening { place, seat, bus, bluez, daemon }
}

impl Evening {
    /// Plays a part, and waits until so many half-moves are on record, if any.
    async fn play(
        &mut self,
        part: Vec<(rokade::time::Mono, rokade::sim::script::Happening)>,
        n: usize,
    ) {
        self.seat.board.play(part, Speed::REAL).await.unwrap();
        self.seat.board.played().await.unwrap();
        if n > 0 {
            self.recorded(n).await;
        }
    }

    async fn recorded(&self, n: usize) {
        let intended = &self.seat.intended[..n];
        self.place.seen(|view| is_live(view) && moves_of(view) == intended).await;
    }
}

/// A board that goes out of reach in the middle of a game is taken up again, and what was played
/// meanwhile is found; and so is one whose service went, or whose radio was switched off.
async fn a_lost_link_ends_no_game(kind: BoardKind, sight: Sight) {
    let mut it = evening(kind, sight, "lights = \"last-move\"\n").await;
    let cable = it.seat.board.cable.clone();
    let mut parts = parts(&it.seat.played, [2, 3, 4, 5, 6, 7]).into_iter();
    let mut next = || parts.next().unwrap();
    it.play(next(), 2).await;
    cable.unplug().await.unwrap();
    it.daemon.says("the board is gone; switch it on, and keep it near").await;
    // Nobody sees the third.
    it.play(next(), 0).await;
    cable.plug().await.unwrap();
    it.recorded(3).await;

    it.bluez.set(Health::Off).await;
    it.daemon.says("the Bluetooth adapter is switched off; `sudo rfkill unblock").await;
    it.play(next(), 0).await;
    it.bluez.set(Health::Good).await;
    it.recorded(4).await;

    it.bluez.quit().await;
    it.daemon.says("the Bluetooth service does not run; `sudo apt install bluez`").await;
    it.seat.board.play(next(), Speed::REAL).await.unwrap();
    it.seat.board.played().await.unwrap();
    it.bluez = FakeBluez::start(&it.bus, vec![on_air(&it.place, kind, 1)]).await;
    it.recorded(5).await;
    it.play(next(), 6).await;
    let lit = match kind {
        BoardKind::Chessnut => [0x0a, 8],
        _ => [0x60, 7],
    };
    let written = it.bluez.written(0);
    assert!(written.iter().any(|bytes| bytes.starts_with(&lit)), "{written:?}");
    assert_eq!(it.daemon.stop().await.0, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_that_is_lost_ends_no_game_on_pegasus() {
    a_lost_link_ends_no_game(BoardKind::Pegasus, Sight::Occupied).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_that_is_lost_ends_no_game_on_chessnut() {
    a_lost_link_ends_no_game(BoardKind::Chessnut, Sight::Pieces).await;
}

/// What is wrong with a radio is said once, in words that help; a board on a cable goes on beside
/// it, and once all is well the other one comes, too.
#[tokio::test(flavor = "multi_thread")]
async fn a_radio_that_does_not_work_holds_nobody_up() {
    let (place, mut text) = (Place::new(), String::new());
    let row = || Row { profile: "clean", laws: "", has_clock: false };
    let slow = Span::new(2_000, 2_500);
    let kinds = [(BoardKind::Chessnut, Sight::Pieces), (BoardKind::ChessLink, Sight::Pieces)];
    let seats: Vec<Seat> = (1..)
        .zip(kinds)
        .map(|(n, (kind, sight))| seat((&place, kind, sight), n, row(), (PLIES.0, slow), &mut text))
        .collect();
    configure(&place, &by_radio(&place, &text, 1..=1));
    let bus = Bus::start(&place.path("")).await;
    let daemon = start(&place, &bus);
    daemon.says("the Bluetooth service does not run; `sudo apt install bluez`").await;
    let bluez = FakeBluez::start(&bus, vec![on_air(&place, BoardKind::Chessnut, 1)]).await;
    bluez.set(Health::Bare).await;
    daemon.says("this machine has no Bluetooth adapter; plug one in").await;
    seats[0].board.cable.unplug().await.unwrap();
    bluez.set(Health::Good).await;
    daemon.says("no such board is in reach; switch it on").await;
    // From here on nothing is answered at all.
    bluez.set(Health::Mute).await;
    wait_until_live(&place, 2, &daemon).await;
    let mut seats = seats.into_iter();
    let (first, second) = (seats.next().unwrap(), seats.next().unwrap());
    let Seat { row, intended, .. } = &play(second).await;
    is_recorded((&place, 2, &daemon), row, intended).await;
    first.board.cable.plug().await.unwrap();
    bluez.set(Health::Good).await;
    let (code, took) = daemon.stop().await;
    assert!(code == Some(0) && took < ENDS_WITHIN, "{code:?}, {took:?}");
}

/// A name that two have, a device that is no such board, and a board that somebody has.
#[tokio::test(flavor = "multi_thread")]
async fn a_board_that_is_not_the_one_that_is_meant_is_left_alone() {
    let (place, mut text) = (Place::new(), String::new());
    let row = || Row { profile: "clean", laws: "", has_clock: false };
    let kind = (BoardKind::Pegasus, Sight::Occupied);
    let _seats: Vec<Seat> = (1..=2)
        .map(|n| seat((&place, kind.0, kind.1), n, row(), (PLIES.0, THINKS), &mut text))
        .collect();
    let cable = |n| format!("port = {:?}\n", place.cable(n));
    let board =
        |n: usize| by_radio(&place, &text, 1..=2).split("[[board]]").nth(n).unwrap().to_owned();
    let named = board(1).replace(&address(&place, 1), "DGT_PEGASUS");
    assert!(!text.replace(&cable(1), "").contains(&cable(1)) && named.contains("DGT_PEGASUS"));
    configure(&place, &format!("[[board]]{named}"));
    let bus = Bus::start(&place.path("")).await;
    let devices = || (1..=2).map(|n| on_air(&place, kind.0, n)).collect();
    let bluez = FakeBluez::start(&bus, devices()).await;
    let daemon = start(&place, &bus);
    daemon.says("are in reach; name the address of the one that is meant").await;
    assert_eq!(daemon.stop().await.0, Some(0));
    drop(bluez);

    // One of them is left: it is found by its name, and is nobody else's.
    let twice = format!("[[board]]{named}[[board]]{}", board(1).replace("table-1", "table-2"));
    configure(&place, &twice);
    let bluez = FakeBluez::start(&bus, vec![on_air(&place, kind.0, 1)]).await;
    let daemon = start(&place, &bus);
    daemon.says("another program has this board already").await;
    assert_eq!(daemon.stop().await.0, Some(0));
    drop(bluez);

    configure(&place, &format!("[[board]]{}", board(1)));
    let other =
        FakeDevice { ports: [CHESSNUT.from_board, CHESSNUT.to_board], ..on_air(&place, kind.0, 1) };
    let bluez = FakeBluez::start(&bus, vec![other]).await;
    let daemon = start(&place, &bus);
    daemon.says("the device has nothing by which a board of this maker speaks; check maker").await;
    assert_eq!(daemon.stop().await.0, Some(0));
    drop(bluez);
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_says_what_is_wrong_with_a_radio() {
    let (place, mut text) = (Place::new(), String::new());
    let row = Row { profile: "clean", laws: "", has_clock: false };
    let kind = BoardKind::Pegasus;
    let _seat = seat((&place, kind, Sight::Occupied), 1, row, (PLIES.0, THINKS), &mut text);
    assert_eq!(maker::word(kind), "pegasus");
    configure(&place, &by_radio(&place, &text, 1..=1));
    let bus = Bus::start(&place.path("")).await;
    let address = address(&place, 1);
    let mut alone = place.command(&["doctor"]);
    alone.env("DBUS_SYSTEM_BUS_ADDRESS", format!("unix:path={}", place.text("no-bus")));
    let told = finish(alone).await;
    assert!(told.out.contains("D-Bus does not answer; install it"), "{}", told.out);
    let told = doctor(&place, &bus).await;
    assert!(
        told.out.contains(&format!("BAD   table-1: bluetooth:{address}: the Bluetooth service"))
    );
    let bluez = FakeBluez::start(&bus, vec![on_air(&place, kind, 1)]).await;
    let told = doctor(&place, &bus).await;
    let is_near = format!("good  table-1: DGT_PEGASUS_00042 ({address}) is in reach");
    assert!(told.out.contains(&is_near) && told.code == Some(0), "{}{}", told.out, told.err);
    bluez.set(Health::Off).await;
    let told = doctor(&place, &bus).await;
    assert!(told.out.contains("the Bluetooth adapter is switched off"), "{}", told.out);
    assert!(bluez.written(0).is_empty(), "nothing is said to a board");
}

/// `rokade setup` offers the boards that are in reach, at a terminal and on its page, and knows
/// whose they are.
#[tokio::test(flavor = "multi_thread")]
async fn setup_offers_the_boards_in_reach() {
    let (place, mut text) = (Place::new(), String::new());
    let row = Row { profile: "clean", laws: "", has_clock: false };
    let kind = BoardKind::Chessnut;
    let _seat = seat((&place, kind, Sight::Pieces), 1, row, (PLIES.0, THINKS), &mut text);
    let bus = Bus::start(&place.path("")).await;
    let _bluez = FakeBluez::start(&bus, vec![on_air(&place, kind, 1)]).await;
    let port = format!("bluetooth:{}", address(&place, 1));

    let of_page = place.addr.to_string();
    let mut command = place.command(&["setup", "--replace", "--browser", &of_page]);
    let mut page = command.env("DBUS_SYSTEM_BUS_ADDRESS", bus.address()).spawn().unwrap();
    let end = Instant::now() + LIMIT;
    while !place.get("/").await.unwrap_or_default().contains(&format!("{port} (Chessnut Air)")) {
        assert!(Instant::now() < end, "the page does not offer {port}");
        sleep(STEP * 20).await;
    }
    page.kill().await.unwrap();

    // Enter takes what is usual.
    fs::write(place.path("answers"), "\n".repeat(20)).unwrap();
    let mut command = place.command(&["setup", "--replace"]);
    command.env("DBUS_SYSTEM_BUS_ADDRESS", bus.address());
    command.stdin(fs::File::open(place.path("answers")).unwrap());
    let told = finish(command).await;
    assert!(told.out.contains(&format!("1  {port} (Chessnut Air)")), "{}{}", told.out, told.err);
    let config = Config::load(Some(&place.path("rokade.toml"))).unwrap();
    assert_eq!((&*config.boards[0].port, config.boards[0].maker.kind()), (&*port, kind));
}
