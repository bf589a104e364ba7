//! The simulated board, held to what is known of the real one.

use rokade::sim::script::Header;
use rokade::sim::{BoardSim, Delivery, DgtClockSim, Glass, Mode, Obedience, Table};
use rokade::table::End;
use rokade::time::Mono;
use rokade::wire::{
    Ack, BoardCommand, BoardMessage, Button, Buttons, ClockCommand, ClockKind, ClockMessage,
    ClockTime, Decoder, FieldCode, Item, LogEvent, Orientation, Runs, SetAndRun, SetTime, SideTime,
    decode_log,
};
use shakmaty::{Board, Square};
use std::time::Duration;

use crate::wire::describe::{events, hex, items};

fn times(left: u32, right: u32, high: End) -> ClockTime {
    let (left, right) = (SideTime::of_seconds(left), SideTime::of_seconds(right));
    ClockTime { left, right, running: true, high, battery_low: false }
}

fn board() -> BoardSim {
    let clock = Some(times(300, 300, End::Left));
    BoardSim::new(Board::new(), Orientation::Normal, clock)
}

fn ms(ms: u64) -> Mono {
    Mono::from_millis(ms)
}

/// What the host has read by `at`.
fn taken(board: &mut BoardSim, at: Mono) -> Vec<Item> {
    let (mut bytes, mut out) = (Vec::new(), Vec::new());
    board.take(at, &mut bytes);
    Decoder::default().push(at, &bytes, &mut out);
    out
}

/// The same in words.
fn read(board: &mut BoardSim, at: u64) -> String {
    items(&taken(board, ms(at)))
}

fn tell(board: &mut BoardSim, at: u64, command: BoardCommand) {
    board.host_bytes(ms(at), &command.encode());
}

#[test]
fn a_board_is_mute_until_it_is_woken() {
    let mut board = board();
    board.set(ms(10), Square::E2, FieldCode::Empty, Delivery::Sent);
    assert_eq!(read(&mut board, 1_000), "");
    assert_eq!(board.mode(), Mode::Bus);
    // Any command of single mode wakes it, and is obeyed.
    tell(&mut board, 1_000, BoardCommand::SendVersion);
    assert_eq!(read(&mut board, 2_000), "version 1.08");
    assert_eq!(board.mode(), Mode::Idle);
    board.set(ms(2_100), Square::E4, FieldCode::from_byte(1), Delivery::Sent);
    assert_eq!(read(&mut board, 3_000), "");
}

#[test]
fn each_mode_sends_what_it_should() {
    let rows = [
        // mode, what one lift and one clock change bring, in 2.5 s
        (BoardCommand::Reset, "", "idle"),
        (BoardCommand::ToBusMode, "", "bus"),
        (BoardCommand::UpdateBoard, "field e2 .", "fields only"),
        (
            BoardCommand::UpdateNice,
            "clock L 0:05:00 R 0:05:00 running left-high, field e2 ., \
             clock L 0:04:59 R 0:05:00 running left-high",
            "fields, and the clock as it changes",
        ),
        (
            BoardCommand::Update,
            "clock L 0:05:00 R 0:05:00 running left-high, field e2 ., \
             clock L 0:04:59 R 0:05:00 running left-high, \
             clock L 0:04:59 R 0:05:00 running left-high",
            "fields, and the clock every second",
        ),
    ];
    for (mode, expected, comment) in rows {
        let mut board = board();
        tell(&mut board, 0, mode);
        board.set(ms(200), Square::E2, FieldCode::Empty, Delivery::Sent);
        board.clock(ms(900), times(299, 300, End::Left));
        assert_eq!(read(&mut board, 2_500), expected, "{comment}");
    }
}

#[test]
fn every_question_has_its_answer() {
    let rows = [
        (BoardCommand::SendClock, "clock L 0:05:00 R 0:05:00 running left-high"),
        (BoardCommand::SendBoard, "dump rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR normal"),
        (BoardCommand::ReturnSerial, "serial 01025"),
        (BoardCommand::ReturnBusAddress, "bus-address 1025"),
        (BoardCommand::SendHardwareVersion, "hardware 1.00"),
        (BoardCommand::SendBattery, "battery 84% left - on 90 standby 720 discharging"),
        (BoardCommand::SendVersion, "version 1.08"),
        (BoardCommand::ReturnLongSerial, "long-serial 3000001025"),
    ];
    for (command, expected) in rows {
        let mut board = board();
        tell(&mut board, 0, command.clone());
        assert_eq!(read(&mut board, 1_000), expected, "{command:?}");
    }
}

#[test]
fn bytes_take_their_time_and_messages_come_whole() {
    let mut board = board().awake();
    board.set(ms(0), Square::E2, FieldCode::Empty, Delivery::Sent);
    board.set(ms(0), Square::E4, FieldCode::from_byte(1), Delivery::Sent);
    // Five bytes of ten bits at 9600 baud are 5.208 ms.
    assert_eq!(board.next_at(), Some(Mono(5_209)));
    assert_eq!(taken(&mut board, Mono(5_208)), []);
    assert_eq!(items(&taken(&mut board, Mono(5_209))), "field e2 .");
    assert_eq!(board.next_at(), Some(Mono(10_418)));
    assert_eq!(items(&taken(&mut board, Mono(10_418))), "field e4 P");
    assert_eq!(board.next_at(), None);
    // A dump takes 70 ms, after the one byte of the question.
    tell(&mut board, 100, BoardCommand::SendBoard);
    assert_eq!(read(&mut board, 170), "");
    assert!(read(&mut board, 171).starts_with("dump "));
}

#[test]
fn a_rotated_board_numbers_its_fields_from_h1() {
    let mut board = BoardSim::new(Board::new(), Orientation::Rotated, None).awake();
    board.set(ms(0), Square::E2, FieldCode::Empty, Delivery::Sent);
    let mut bytes = Vec::new();
    board.take(ms(100), &mut bytes);
    assert_eq!(hex(&bytes), "8E 00 05 0B 00");
    board.set(ms(200), Square::E2, FieldCode::from_byte(1), Delivery::Sent);
    tell(&mut board, 300, BoardCommand::SendBoard);
    let read = read(&mut board, 400);
    assert!(read.ends_with("dump rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR rotated"), "{read}");
    assert_eq!(board.placement(), Board::new());
}

#[test]
fn a_lost_message_leaves_the_wood_as_it_is() {
    let mut board = board().awake();
    board.set(ms(0), Square::E2, FieldCode::Empty, Delivery::Lost);
    assert_eq!(read(&mut board, 100), "");
    assert_eq!(board.code(Square::E2), FieldCode::Empty);
    // The same reading again is no change; a wobble is.
    board.set(ms(200), Square::E2, FieldCode::Empty, Delivery::Sent);
    assert_eq!(read(&mut board, 300), "");
    board.report(ms(300), Square::E2);
    assert_eq!(read(&mut board, 400), "field e2 .");
}

#[test]
fn nothing_passes_a_broken_line() {
    let mut board = board().awake();
    board.set(ms(0), Square::E2, FieldCode::Empty, Delivery::Sent);
    board.line_down(ms(3));
    tell(&mut board, 10, BoardCommand::SendBoard);
    board.set(ms(20), Square::E4, FieldCode::from_byte(1), Delivery::Sent);
    board.clock(ms(900), times(299, 300, End::Left));
    assert_eq!(board.next_at(), None);
    board.line_up(ms(5_000));
    assert_eq!(read(&mut board, 9_000), "");
    assert_eq!(board.mode(), Mode::UpdateNice);
    assert_eq!(board.code(Square::E4), FieldCode::from_byte(1));
}

#[test]
fn a_line_that_is_mended_brings_no_old_times() {
    let mut board = board();
    tell(&mut board, 0, BoardCommand::Update);
    board.line_down(ms(500));
    board.line_up(ms(60_000));
    assert_eq!(taken(&mut board, ms(62_100)).len(), 2);
}

#[test]
fn clock_commands_are_acknowledged_in_the_update_modes_only() {
    let set = ClockCommand::SetAndRun(SetAndRun {
        left: SetTime::of_seconds(5_400),
        right: SetTime::of_seconds(5_399),
        runs: Runs::Right,
        toggle: false,
    });
    for (mode, expected) in [
        (BoardCommand::UpdateNice, "ack 10 0A 00 00 normal set-and-run"),
        (BoardCommand::UpdateBoard, ""),
        (BoardCommand::Reset, ""),
    ] {
        let mut board = board();
        tell(&mut board, 0, mode);
        read(&mut board, 100);
        tell(&mut board, 100, BoardCommand::Clock(set));
        assert_eq!(read(&mut board, 1_000), expected);
        assert_eq!(board.take_clock_commands(Mono::from_millis(1_000)), [set]);
        assert_eq!(board.take_clock_commands(Mono::from_millis(1_000)), []);
    }
}

#[test]
fn the_clock_tells_its_version_its_buttons_and_its_absence() {
    let mut board = board().awake();
    tell(&mut board, 0, BoardCommand::Clock(ClockCommand::VersionQuery));
    assert_eq!(read(&mut board, 1_000), "ack 10 09 20 00 normal version 2.0");
    board.press(ms(1_000), Buttons::of(&[Button::Back, Button::Forward]));
    let pressed = "ack 10 88 45 35 normal pressed back+forward spontaneous";
    assert_eq!(read(&mut board, 2_000), pressed);
    board.no_clock(ms(2_000));
    assert_eq!(read(&mut board, 3_000), "clock none");
    tell(&mut board, 3_000, BoardCommand::Clock(ClockCommand::VersionQuery));
    assert_eq!(read(&mut board, 6_000), "");
}

#[test]
fn a_host_that_asks_too_fast_is_not_heard() {
    let mut board = board().awake();
    board.host_bytes(ms(0), &[0x4d; 25]);
    assert_eq!(taken(&mut board, ms(5_000)).len(), 10);
}

#[test]
fn a_bus_command_sends_the_board_to_sleep() {
    let mut board = board().awake();
    board.host_bytes(ms(0), &[0x81, 0x08, 0x01, 0x0a]);
    board.set(ms(100), Square::E2, FieldCode::Empty, Delivery::Sent);
    assert_eq!(read(&mut board, 1_000), "");
    assert_eq!(board.mode(), Mode::Bus);
}

/// The events of the log that the board sends at `at`.
fn log(board: &mut BoardSim, at: u64) -> Vec<LogEvent> {
    tell(board, at, BoardCommand::SendLog);
    match &taken(board, ms(at + 10_000))[..] {
        [.., Item::Message(BoardMessage::Log(payload))] => decode_log(payload),
        other => panic!("a log was asked for: {other:?}"),
    }
}

#[test]
fn the_log_tells_what_happened_while_nobody_listened() {
    let mut board =
        BoardSim::new(Board::empty(), Orientation::Normal, Some(times(300, 300, End::Left)));
    board.set(ms(1_000), Square::E2, FieldCode::from_byte(1), Delivery::Sent);
    board.set(ms(2_000), Square::E2, FieldCode::Empty, Delivery::Lost);
    board.set(ms(2_100), Square::E4, FieldCode::from_byte(1), Delivery::Lost);
    board.clock(ms(2_500), times(295, 300, End::Right));
    let expected = "nop, nop, nop, power-up, change e2 P, change e2 ., empty-board, \
                    change e4 P fast, time left 0:04:55, eof";
    assert_eq!(events(&log(&mut board, 3_000)), expected);
    // That it was read is remembered.
    assert!(events(&log(&mut board, 20_000)).ends_with("time left 0:04:55, downloaded, eof"));
}

#[test]
fn the_log_marks_a_start_again_only_after_three_have_left_it() {
    for orientation in [Orientation::Normal, Orientation::Rotated] {
        let mut board = BoardSim::new(Board::new(), orientation, None);
        let pieces = [Square::E2, Square::D2, Square::C2];
        let mut at = 0;
        for n_lifted in [2, 3, 3] {
            for code in [FieldCode::Empty, FieldCode::from_byte(1)] {
                for square in &pieces[..n_lifted] {
                    at += 1_000;
                    board.set(ms(at), *square, code, Delivery::Sent);
                }
            }
        }
        let log = log(&mut board, at + 1_000);
        let n_starts = log.iter().filter(|it| **it == LogEvent::Start(orientation)).count();
        assert_eq!(n_starts, 3, "at power-up, and after each time that three had left");
    }
}

#[test]
fn the_log_is_a_ring() {
    let mut board = board();
    for n in 0..10_000_u64 {
        let code = if n % 2 == 0 { FieldCode::Empty } else { FieldCode::from_byte(1) };
        board.set(ms(n * 300), Square::E2, code, Delivery::Lost);
    }
    tell(&mut board, 3_000_000, BoardCommand::SendLog);
    let items = taken(&mut board, ms(3_008_300));
    let [Item::Message(message @ BoardMessage::Log(payload))] = &items[..] else {
        panic!("a log within 8.3 s: {items:?}");
    };
    assert_eq!(message.encode().len(), 0x1f03);
    // The oldest byte is inside an event, and all the others are understood.
    let log = decode_log(payload);
    assert_eq!(log[0], LogEvent::Skipped { bytes: 1 });
    let is_change = |event: &LogEvent| matches!(event, LogEvent::Change { fast: false, .. });
    assert!(log[1..log.len() - 1].iter().all(is_change));
    assert_eq!(log.last(), Some(&LogEvent::Eof));
}

#[test]
fn the_same_calls_give_the_same_bytes() {
    let play = || {
        let mut board = board();
        let mut bytes = Vec::new();
        tell(&mut board, 0, BoardCommand::Update);
        board.set(ms(700), Square::E2, FieldCode::Empty, Delivery::Sent);
        board.clock(ms(800), times(299, 300, End::Left));
        tell(&mut board, 900, BoardCommand::SendBoard);
        while let Some(at) = board.next_at().filter(|at| *at <= ms(5_000)) {
            board.take(at, &mut bytes);
        }
        bytes
    };
    assert_eq!(play(), play());
    assert!(!play().is_empty());
}

/// A table as `rokade simulate` offers it, and a host that sends bytes and reads.
struct Host {
    table: Table,
    now: Mono,
    decoder: Decoder,
}

impl Host {
    fn new(option: Obedience) -> Self {
        let clock = DgtClockSim::new(ClockKind::Dgt3000, option, 0);
        let table = Table::new(&Header::dgt()).with_clock_that_answers(clock);
        let mut host = Self { table, now: Mono::default(), decoder: Decoder::default() };
        host.table.begin(Mono::default());
        host.ask(&BoardCommand::UpdateNice.encode(), 200);
        host
    }

    /// What comes within so many milliseconds after `bytes` were sent.
    fn ask(&mut self, bytes: &[u8], for_ms: u64) -> Vec<Item> {
        let board = self.table.board_mut().expect("a board");
        board.host_bytes(self.now, bytes);
        let mut out = Vec::new();
        let until = self.now + Duration::from_millis(for_ms);
        while self.now < until {
            self.now = self.now + Duration::from_millis(20);
            self.table.tick(self.now);
            let mut bytes = Vec::new();
            self.table.board_mut().expect("a board").take(self.now, &mut bytes);
            self.decoder.push(self.now, &bytes, &mut out);
        }
        out
    }

    fn clock(&mut self, command: ClockCommand, for_ms: u64) -> Vec<ClockMessage> {
        let clock = |item| match item {
            Item::Message(BoardMessage::Clock(message)) => Some(message),
            _ => None,
        };
        self.ask(&BoardCommand::Clock(command).encode(), for_ms)
            .into_iter()
            .filter_map(clock)
            .collect()
    }
}

fn acks(heard: &[ClockMessage]) -> Vec<Ack> {
    let ack = |message: &ClockMessage| match message {
        ClockMessage::Ack(ack) => Some(*ack),
        _ => None,
    };
    heard.iter().filter_map(ack).collect()
}

/// The last seconds at the left and right, and whether they run.
fn shown(heard: &[ClockMessage]) -> Option<(u32, u32, bool)> {
    heard.iter().rev().find_map(|message| match message {
        ClockMessage::Time(time) => Some((time.left.seconds, time.right.seconds, time.running)),
        _ => None,
    })
}

fn setting(seconds: u32, runs: Runs) -> ClockCommand {
    let time = SetTime::of_seconds(seconds);
    ClockCommand::SetAndRun(SetAndRun { left: time, right: time, runs, toggle: false })
}

#[test]
fn the_clock_counts_by_itself_until_a_host_sets_it() {
    let mut host = Host::new(Obedience::Remote);
    let heard = host.clock(ClockCommand::VersionQuery, 4_000);
    assert_eq!(acks(&heard), [Ack([0x10, 0x09, 0x20, 0])]);
    let (left, right, runs) = shown(&heard).expect("times");
    assert!(left < 5_400 && right == 5_400 && runs, "White's side was set running: {heard:?}");
    // It stands as it was set, runs when it is told, and can be read back.
    let heard = host.clock(setting(300, Runs::Pause), 3_000);
    assert_eq!(acks(&heard), [Ack([0x10, 0x0a, 0, 0])]);
    assert_eq!(shown(&heard), Some((300, 300, false)));
    let heard = host.clock(setting(300, Runs::Right), 5_000);
    let (left, right, runs) = shown(&heard).expect("times");
    assert!(left == 300 && (294..=296).contains(&right) && runs, "{heard:?}");
    let text = ClockCommand::Text { text: *b"e2e4    ", beep: 0 };
    assert_eq!(acks(&host.clock(text, 1_000)), [Ack([0x10, 0x0c, 0, 0])]);
    assert_eq!(host.table.driven().expect("a clock").glass(), Glass::Letters(*b"e2e4    "));
    assert_eq!(acks(&host.clock(ClockCommand::End, 1_000)), [Ack([0x10, 0x03, 0, 0])]);
}

#[test]
fn a_clock_that_a_trace_owns_refuses_to_be_set() {
    let mut host = Host::new(Obedience::WrongOption);
    let heard = host.clock(setting(300, Runs::Left), 3_000);
    assert_eq!(acks(&heard), [Ack([0x40, 0x0a, 0, 0])]);
    let (left, right, _) = shown(&heard).expect("times");
    assert!(left > 5_000 && right == 5_400, "{heard:?}");
}

#[test]
fn a_board_in_bus_mode_answers_for_itself_alone() {
    let mut board = board();
    let mut ask = |at: u64, bytes: &[u8]| {
        board.host_bytes(ms(at), bytes);
        let mut out = Vec::new();
        board.take(ms(at + 1_150), &mut out);
        out
    };
    let command = |what: u8, high: u8, low: u8| {
        [what, high, low, what.wrapping_add(high).wrapping_add(low) & 0x7f]
    };
    // Protocol 4.2: the address is the serial number, 01025.
    let pong = hex(&ask(0, &command(0x87, 8, 1)));
    assert_eq!(pong, "87 00 06 08 01 16");
    assert_eq!(hex(&ask(2_000, &command(0x87, 0, 0))), pong, "a ping for all");
    assert_eq!(hex(&ask(4_000, &command(0x8a, 8, 1))), pong, "it will ignore the next");
    assert_eq!(ask(6_000, &command(0x87, 0, 0)), [0_u8; 0], "and does");
    assert_eq!(ask(8_000, &command(0x87, 8, 2)), [0_u8; 0], "for another board");
    assert_eq!(hex(&ask(10_000, &command(0x8b, 8, 1))), "89 00 08 08 01 01 08 23");
    let dump = ask(12_000, &command(0x82, 8, 1));
    assert_eq!((dump[0], dump.len()), (0x83, 70));
    let clock = ask(14_000, &command(0x81, 8, 1));
    assert_eq!((clock[0], clock.len()), (0x84, 13));
    let changes = ask(16_000, &command(0x83, 8, 1));
    assert_eq!(changes[0], 0x85);
    assert_eq!(ask(18_000, &command(0x84, 8, 1)), changes, "once more");
    assert_eq!(ask(20_000, &command(0x83, 8, 1)).len(), 6, "nothing has changed since");
}

#[test]
fn questions_of_other_kinds_of_boards_are_answered() {
    for (byte, id) in [(0x50, 0x94), (0x52, 0x95), (0x56, 0xa3), (0x59, 0xa4), (0x5a, 0xa5)] {
        let mut board = board();
        board.host_bytes(ms(0), &[byte]);
        let mut out = Vec::new();
        board.take(ms(1_000), &mut out);
        assert_eq!(out.first(), Some(&id), "{byte:02x}: {}", hex(&out));
        assert_eq!(out.len(), usize::from(out[2]), "{byte:02x}: {}", hex(&out));
    }
}
