//! The session against the simulated board: waking, keeping awake, losing and finding again.

use rokade::sim::{BoardSim, Delivery, Mode};
use rokade::table::End;
use rokade::time::Mono;
use rokade::wire::{
    BoardCommand, ClockTime, FieldCode, Orientation, Session, SessionFault, SessionState, SideTime,
    Streams,
};
use shakmaty::{Board, Square};

use super::describe::unhex;
use super::pair::Pair;

fn times(left: u32, right: u32) -> ClockTime {
    let (left, right) = (SideTime::of_seconds(left), SideTime::of_seconds(right));
    ClockTime { left, right, running: false, high: End::Left, battery_low: false }
}

fn board() -> BoardSim {
    BoardSim::new(Board::new(), Orientation::Normal, Some(times(300, 300)))
}

fn pair(board: BoardSim) -> Pair {
    Pair::new(Session::new(Streams::BoardAndClock), board)
}

/// A board that has been brought to life.
fn live() -> Pair {
    let mut pair = pair(board());
    pair.link_up();
    pair.pass(2_000);
    assert_eq!(pair.session.state(), SessionState::Live);
    pair.heard.clear();
    pair
}

#[test]
fn a_board_is_woken_step_by_step() {
    let mut pair = pair(board());
    assert_eq!(pair.session.state(), SessionState::Absent);
    pair.link_up();
    assert_eq!(pair.session.state(), SessionState::Opening);
    pair.pass(1_200);
    assert_eq!(pair.session.state(), SessionState::Live);
    assert_eq!(pair.board.mode(), Mode::UpdateNice);
    let start = "dump rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR normal";
    let expected = [
        "0.000 > send-version",
        "0.006 < version 1.08",
        "0.100 > return-serial",
        "0.109 < serial 01025",
        "0.200 > update-nice",
        "0.211 < clock L 0:05:00 R 0:05:00 stopped left-high",
        "0.300 > send-board",
        &format!("0.370 < {start}"),
        "0.400 > return-long-serial",
        "0.414 < long-serial 3000001025",
        "0.500 > send-trademark",
        "0.570 < trademark Rokade simulated board|not a product of Digital Game Technology",
    ];
    let heard: Vec<_> = pair.heard.iter().map(String::as_str).collect();
    assert_eq!(heard, expected);
}

#[test]
fn a_board_without_a_clock_streams_fields_only() {
    let mut pair = Pair::new(Session::new(Streams::BoardOnly), board());
    pair.link_up();
    pair.pass(2_000);
    assert_eq!(pair.board.mode(), Mode::UpdateBoard);
    assert_eq!(pair.drain("clock"), [] as [&str; 0]);
}

#[test]
fn a_silent_line_is_given_up_after_the_last_question() {
    let mut pair = pair(board());
    pair.board.line_down(Mono(0));
    pair.link_up();
    pair.pass(8_599);
    assert_eq!(pair.session.failed(), None);
    pair.pass(1);
    assert_eq!(pair.session.failed(), Some(SessionFault::NoAnswer));
    assert_eq!(pair.session.state(), SessionState::Lost);
    assert_eq!(pair.session.wake_at(), None);
    let expected = [
        "0.000 > send-version",
        "0.600 > send-version",
        "2.600 > send-version",
        "4.600 > send-version",
        "6.600 > send-version",
    ];
    assert_eq!(pair.drain(">"), expected);
}

/// A path may lead to somebody's terminal, since numbers of pseudo-terminals are given again.
#[test]
fn whoever_has_not_told_a_version_is_sent_one_question_and_nothing_else() {
    let mut session = Session::new(Streams::BoardAndClock);
    let mut out = Vec::new();
    session.link_up(Mono(0), &mut out);
    for ms in (0..9_000).step_by(50) {
        let now = Mono::from_millis(ms);
        session.on_bytes(now);
        let chatter = rokade::wire::BoardMessage::Serial("echo".to_owned());
        session.on_message(now, &chatter, &mut out);
        session.want_dump(now, &mut out);
        session.ask_log(now, &mut out);
        session.on_timeout(now, &mut out);
    }
    session.link_up(Mono::from_millis(10_000), &mut out);
    session.on_timeout(Mono::from_millis(11_000), &mut out);
    session.leave(&mut out);
    assert!(
        !out.is_empty() && out.iter().all(|sent| *sent == BoardCommand::SendVersion),
        "{out:?}"
    );
}

#[test]
fn a_board_plugged_in_late_is_found_by_a_later_question() {
    let mut pair = pair(board());
    pair.board.line_down(Mono(0));
    pair.link_up();
    pair.pass(6_550);
    pair.board.line_up(pair.now);
    pair.pass(1_500);
    assert_eq!(pair.session.state(), SessionState::Live);
}

/// Cables are pulled during play: a board that misses the first byte is back within two seconds.
#[test]
fn a_first_byte_that_is_lost_costs_no_two_seconds() {
    let mut pair = pair(board());
    pair.board.line_down(Mono(0));
    pair.link_up();
    pair.pass(300);
    pair.board.line_up(pair.now);
    pair.pass(700);
    assert_eq!(pair.session.state(), SessionState::Live);
}

#[test]
fn a_board_that_starts_inside_a_message_is_understood() {
    // The tail of a dump, then whole messages; and a header that lies about its length.
    for stray in
        ["01 01 01 02 03 04 06 05 04 03 02", "8E 00 05 34 00 8E 00", "86 00 43 08", "B0 02 03"]
    {
        let mut pair = pair(board().awake());
        pair.link_up();
        pair.stray(&unhex(stray));
        pair.pass(2_000);
        assert_eq!(pair.session.state(), SessionState::Live, "{stray}");
    }
}

#[test]
fn a_host_that_comes_back_finds_the_board_streaming() {
    let mut pair = pair(board().awake());
    pair.link_up();
    pair.board.set(pair.now, Square::E2, FieldCode::Empty, Delivery::Sent);
    pair.pass(10);
    assert_eq!(pair.drain("<"), ["0.005 < field e2 ."]);
    assert_eq!(pair.session.state(), SessionState::Opening);
    pair.pass(400);
    assert_eq!(pair.session.state(), SessionState::Live);
}

#[test]
fn a_quiet_board_is_probed_every_second_and_pictured_every_ten() {
    let mut pair = live();
    pair.pass(10_000);
    let sent = pair.drain(">");
    assert_eq!(sent.iter().filter(|line| line.ends_with("return-serial")).count(), 9, "{sent:?}");
    assert_eq!(sent.iter().filter(|line| line.ends_with("update-nice")).count(), 1);
    assert_eq!(sent.iter().filter(|line| line.ends_with("send-board")).count(), 1);
}

#[test]
fn a_busy_board_is_not_probed() {
    let mut pair = live();
    for second in 1..9 {
        pair.board.clock(pair.now, times(300 - second, 300));
        pair.pass(900);
    }
    assert_eq!(pair.drain("return-serial"), [] as [&str; 0]);
}

#[test]
fn a_line_that_falls_silent_is_lost_after_five_seconds() {
    let mut pair = live();
    let last = pair.now;
    pair.board.line_down(pair.now);
    pair.pass(5_000);
    assert_eq!(pair.session.failed(), Some(SessionFault::Silent));
    assert!(pair.drain("return-serial").len() >= 3);
    // The shell opens the line anew; meanwhile somebody has moved.
    pair.board.set(last, Square::E2, FieldCode::Empty, Delivery::Sent);
    pair.session.link_down();
    assert_eq!(pair.session.state(), SessionState::Absent);
    pair.board.line_up(pair.now);
    pair.link_up();
    pair.pass(2_000);
    let dump = "dump rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR unknown";
    assert!(pair.drain("dump")[0].ends_with(dump));
    assert_eq!(pair.session.state(), SessionState::Live);
}

#[test]
fn a_board_that_lost_its_power_for_a_moment_streams_again() {
    let mut pair = live();
    pair.board.power_cycle(pair.now);
    pair.pass(1_500);
    // The probe is answered, and yet no change would be sent.
    assert_eq!(pair.board.mode(), Mode::Idle);
    pair.pass(10_000);
    assert_eq!(pair.board.mode(), Mode::UpdateNice);
}

/// Who watches the clock behind a board knows sooner, and asks how it stands before it is told of
/// changes again. A board whose clock goes on telling is not asked.
#[test]
fn a_board_that_answers_and_says_nothing_of_its_running_clock_is_pictured() {
    let mut pair = Pair::new(Session::new(Streams::BoardAndClock).watching_clock(), board());
    pair.link_up();
    pair.pass(2_000);
    let tick = |pair: &mut Pair, left| {
        let running = ClockTime { running: true, ..times(left, 300) };
        pair.board.clock(pair.now, running);
        pair.pass(1_000);
    };
    pair.heard.clear();
    (0..5).for_each(|second| tick(&mut pair, 300 - second));
    assert_eq!(pair.drain("send-board"), [] as [&str; 0]);
    pair.board.power_cycle(pair.now);
    pair.board.set(pair.now, Square::E2, FieldCode::Empty, Delivery::Sent);
    pair.pass(1_500);
    assert_eq!(pair.board.mode(), Mode::UpdateNice);
    let said = pair.drain("");
    let place = |word: &str| said.iter().position(|line| line.contains(word));
    assert!(place("> send-board") < place("> update-nice"), "{said:?}");
    assert!(said.iter().any(|line| line.contains("PPPP1PPP")), "{said:?}");
}

#[test]
fn dumps_that_are_wanted_while_one_is_coming_are_one() {
    let mut pair = live();
    for _ in 0..5 {
        pair.want_dump();
        pair.pass(5);
    }
    pair.pass(500);
    assert_eq!(pair.drain("dump").len(), 1);
    pair.want_dump();
    pair.pass(500);
    assert_eq!(pair.drain("dump").len(), 1);
}

#[test]
fn a_dump_that_does_not_come_is_asked_for_again() {
    let mut pair = live();
    pair.board.line_down(pair.now);
    pair.want_dump();
    pair.pass(200);
    pair.board.line_up(pair.now);
    pair.pass(1_500);
    assert_eq!(pair.drain("send-board").len(), 2);
    assert_eq!(pair.session.state(), SessionState::Live);
}

#[test]
fn a_lost_update_is_found_by_the_next_dump() {
    let mut pair = live();
    pair.board.set(pair.now, Square::E2, FieldCode::Empty, Delivery::Lost);
    pair.pass(100);
    assert_eq!(pair.drain("field"), [] as [&str; 0]);
    pair.want_dump();
    // A probe may be just before it, and a dump takes its time.
    pair.pass(200);
    assert!(pair.drain("dump")[0].contains("PPPP1PPP"));
}

#[test]
fn a_log_that_nobody_asked_for_is_read_to_its_end() {
    let mut pair = live();
    // Half an hour of moves, then a stray byte 49 on the line.
    for n in 0..2_000 {
        let code = if n % 2 == 0 { FieldCode::Empty } else { FieldCode::from_byte(1) };
        pair.board.set(pair.now, Square::E2, code, Delivery::Sent);
        pair.pass(10);
    }
    pair.pass(1_000);
    pair.heard.clear();
    pair.board.host_bytes(pair.now, &[0x49]);
    // A real line delivers the log byte by byte; the session hears it coming.
    let mut passed = 0;
    while passed < 5_000 {
        let now = pair.now;
        pair.session.on_bytes(now);
        pair.pass(100);
        passed += 100;
    }
    assert_eq!(pair.session.failed(), None);
    assert_eq!(pair.drain("log").len(), 1);
}

#[test]
fn a_line_that_speaks_but_shows_nothing_is_given_up() {
    let mut session = Session::new(Streams::BoardAndClock);
    let mut out = Vec::new();
    session.link_up(Mono(0), &mut out);
    let version = rokade::wire::BoardMessage::Version { major: 1, minor: 8 };
    for ms in (0..60_000).step_by(50) {
        let now = Mono::from_millis(ms);
        session.on_bytes(now);
        if ms == 1_000 {
            session.on_message(now, &version, &mut out);
        }
        session.on_timeout(now, &mut out);
    }
    assert_eq!(session.failed(), Some(SessionFault::NoDump));
}

#[test]
fn commands_leave_a_gap_and_the_end_is_said() {
    let mut pair = live();
    for _ in 0..3 {
        pair.pass(3_500);
    }
    let stamps: Vec<f64> = pair
        .drain(">")
        .iter()
        .map(|line| line.split(' ').next().unwrap().parse().unwrap())
        .collect();
    assert!(stamps.windows(2).all(|two| two[1] - two[0] >= 0.099), "{stamps:?}");
    let mut out = Vec::new();
    pair.session.leave(&mut out);
    assert_eq!(out, [BoardCommand::Reset]);
    assert_eq!(pair.session.state(), SessionState::Absent);
}

#[test]
fn an_early_call_does_no_harm() {
    let mut pair = pair(board());
    let mut out = Vec::new();
    pair.session.on_timeout(Mono(0), &mut out);
    pair.session.want_dump(Mono(0), &mut out);
    pair.session.leave(&mut out);
    assert_eq!(out, []);
    assert_eq!(pair.session.wake_at(), None);
    pair.link_up();
    for ms in 0..500 {
        pair.session.on_timeout(Mono::from_millis(ms), &mut out);
    }
    assert_eq!(out, []);
}
