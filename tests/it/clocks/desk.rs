//! A clock behind a board that the host runs, in virtual time.

use rokade::drive::{ArbiterCall, ClockDesk};
use rokade::game::{Basis, Ear, Fact};
use rokade::laws::Stage;
use rokade::laws::{Finding, FindingKind};
use rokade::sim::script::{Happening, Header};
use rokade::sim::{DgtClockSim, Glass, Obedience, Table};
use rokade::table::End;
use rokade::time::Mono;
use rokade::track::line::CompletedBy;
use rokade::wire::{
    BoardCommand, BoardMessage, ClockKind, ClockMessage, ClockNews, DriverOutput, Item,
};
use shakmaty::{Color, Square};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

struct Room {
    now: Mono,
    desk: ClockDesk,
    table: Table,
    ear: Ear,
    news: Vec<ClockNews>,
}

fn desk() -> ClockDesk {
    ClockDesk::new("90m+30s".parse().expect("a time control"), End::Left)
}

impl Room {
    fn new() -> Self {
        Self::of(DgtClockSim::new(ClockKind::Dgt3000, Obedience::Remote, 0), desk())
    }

    fn of(clock: DgtClockSim, desk: ClockDesk) -> Self {
        let table = Table::new(&Header::dgt()).with_driven_clock(clock);
        let (now, ear, news) = (Mono::default(), Ear::default(), Vec::new());
        let mut room = Self { now, desk, table, ear, news };
        room.wake();
        room
    }

    /// What the daemon does when it opens the line.
    fn wake(&mut self) {
        let now = self.now;
        let board = self.table.board_mut().expect("a board");
        board.host_bytes(now, &BoardCommand::UpdateNice.encode());
        board.host_bytes(now, &BoardCommand::SendBoard.encode());
    }

    fn drive(
        &mut self,
        act: impl FnOnce(&mut ClockDesk, Mono, &mut Vec<DriverOutput<BoardCommand>>),
    ) {
        let mut out = Vec::new();
        act(&mut self.desk, self.now, &mut out);
        for act in out {
            match act {
                DriverOutput::Tell(news) => self.news.push(news),
                DriverOutput::Send(command) => {
                    let board = self.table.board_mut().expect("a board");
                    board.host_bytes(self.now, &command.encode());
                }
            }
        }
    }

    fn pass(&mut self, span: Duration) {
        let until = self.now + span;
        loop {
            // The board is looked after even when nothing of its own is due: commands travel.
            let tick = Some(self.now + Duration::from_millis(200));
            let wakes = [self.desk.wake_at(), self.table.next_at(), tick];
            let next = wakes.into_iter().flatten().min();
            let Some(at) = next.filter(|at| *at <= until) else { break };
            self.now = at.max(Mono(self.now.0 + 1));
            let now = self.now;
            self.table.tick(now);
            let mut bytes = Vec::new();
            self.table.board_mut().expect("a board").take(now, &mut bytes);
            if !bytes.is_empty() {
                let items = self.ear.decode(now, &bytes);
                for item in &items {
                    if let Item::Message(message) = item {
                        self.drive(|desk, at, out| desk.hear(at, message, out));
                    }
                }
            }
            self.drive(|desk, at, out| desk.on_timeout(at, out));
        }
        self.now = until.max(self.now);
    }

    fn happen(&mut self, happening: &Happening) {
        self.table.happen(self.now, happening);
        self.pass(2 * SECOND);
    }

    /// Left and right in seconds, and whether any runs.
    fn shown(&self) -> (u32, u32, bool) {
        let time = self.table.driven().expect("a clock").time();
        (time.left.seconds, time.right.seconds, time.running)
    }
}

#[test]
fn a_game_is_run_at_its_time_control() {
    let mut room = Room::new();
    room.pass(10 * SECOND);
    assert_eq!(room.shown(), (5_400, 5_400, false));
    // The button in the middle starts it, for the player whose end is up.
    room.happen(&Happening::ClockStopped);
    room.pass(8 * SECOND);
    let (left, right, runs) = room.shown();
    assert!((5_390..=5_391).contains(&left) && right == 5_400 && runs, "{:?}", room.shown());
    room.happen(&Happening::Press(Color::White));
    let (left, right, runs) = room.shown();
    assert!((5_419..=5_421).contains(&left), "ten seconds used, thirty gained: {left}");
    assert!((5_397..=5_400).contains(&right) && runs, "{right}");
    room.pass(60 * SECOND);
    room.happen(&Happening::Press(Color::Black));
    let (_, right, _) = room.shown();
    assert!((5_366..=5_369).contains(&right), "{right}");
    room.happen(&Happening::ClockStopped);
    let before = room.shown();
    assert!(!before.2);
    room.pass(60 * SECOND);
    assert_eq!(room.shown(), before);
}

#[test]
fn a_daemon_that_is_started_anew_takes_the_times_from_the_clock() {
    let mut room = Room::new();
    room.pass(10 * SECOND);
    room.happen(&Happening::ClockStopped);
    room.pass(100 * SECOND);
    let (before, ..) = room.shown();
    room.desk = desk();
    room.wake();
    room.pass(30 * SECOND);
    let (left, right, runs) = room.shown();
    assert!(before - 31 <= left && left <= before - 29, "{before} became {left}");
    assert!(right == 5_400 && runs);
    let left = room.desk.model().times(room.now).white.as_secs();
    assert!(left.abs_diff(u64::from(room.shown().0)) <= 2, "the model says {left}");
}

#[test]
fn a_clock_that_loses_its_memory_is_set_again() {
    let mut room = Room::new();
    room.pass(10 * SECOND);
    room.happen(&Happening::ClockStopped);
    room.pass(20 * SECOND);
    let (before, ..) = room.shown();
    // The plug is pulled, and with it the clock's memory goes.
    let clock = DgtClockSim::new(ClockKind::Dgt3000, Obedience::Remote, 0);
    let now = room.now;
    room.table.board_mut().expect("a board").no_clock(now);
    room.table = room.table.with_driven_clock(clock);
    room.pass(20 * SECOND);
    let (left, right, runs) = room.shown();
    assert!(before - 21 <= left && left <= before - 19, "{before} became {left}");
    assert!(right == 5_400 && runs);
    assert_eq!(room.desk.difference(), None);
}

#[test]
fn the_result_stays_on_the_clock_until_the_next_game() {
    let mut room = Room::new();
    room.pass(10 * SECOND);
    room.happen(&Happening::ClockStopped);
    room.drive(|desk, at, out| desk.end_game(at, "1-0", out));
    room.pass(5 * SECOND);
    let clock = room.table.driven().expect("a clock");
    assert_eq!(clock.glass(), Glass::Letters(*b"1-0     "));
    assert!(!room.shown().2);
    // The arbiter's hand comes too late to stop it, and starts nothing.
    room.happen(&Happening::ClockStopped);
    assert!(!room.shown().2);
    room.drive(|desk, at, out| desk.new_game(at, out));
    room.pass(10 * SECOND);
    assert_eq!(room.shown(), (5_400, 5_400, false));
    assert_eq!(room.table.driven().expect("a clock").glass(), Glass::Times);
}

fn illegal(stage: Stage) -> Fact {
    let kind = FindingKind::IllegalCompleted { from: Square::E1, to: Square::E3 };
    let by = Color::White;
    Fact::IllegalMove { stage, by, finding: Finding { kind, by: Some(by) } }
}

fn press_without_move() -> Fact {
    Fact::Found(Finding { kind: FindingKind::PressWithoutMove, by: Some(Color::White) })
}

impl Room {
    /// A room in which White's clock has run for a while, and he has pressed.
    fn in_play(with: impl FnOnce(ClockDesk) -> ClockDesk) -> Self {
        let mut room = Self::new();
        room.desk = with(desk());
        room.wake();
        room.pass(10 * SECOND);
        room.happen(&Happening::ClockStopped);
        room.pass(20 * SECOND);
        room.happen(&Happening::Press(Color::White));
        room
    }

    fn note(&mut self, fact: &Fact) {
        self.drive(|desk, at, out| desk.note(at, fact, out));
        self.pass(SECOND);
    }

    fn glass(&self) -> Glass {
        self.table.driven().expect("a clock").glass()
    }

    fn n_beeps(&self) -> u32 {
        self.table.driven().expect("a clock").n_beeps()
    }
}

#[test]
fn a_completed_illegal_move_stops_both_sides_and_calls_the_arbiter() {
    let mut room = Room::in_play(|desk| desk);
    room.note(&illegal(Stage::Made));
    assert!(room.shown().2 && room.glass() == Glass::Times, "it may still be corrected");
    room.note(&illegal(Stage::Completed));
    assert!(!room.shown().2, "the times come first");
    room.pass(2 * SECOND);
    let before = room.shown();
    assert!(!before.2);
    assert_eq!(room.glass(), Glass::Letters(*b"arbiter "));
    assert_eq!(room.n_beeps(), 1);
    room.pass(120 * SECOND);
    assert_eq!((room.shown(), room.glass()), (before, Glass::Letters(*b"arbiter ")));
    // The move is taken back, White's end goes up, and the arbiter lets the clock go on.
    room.happen(&Happening::Press(Color::Black));
    assert!(!room.shown().2, "a press starts nothing");
    room.happen(&Happening::ClockStopped);
    room.pass(10 * SECOND);
    let (left, right, runs) = room.shown();
    assert!(runs && right == before.1 && left < before.0, "{:?} after {before:?}", room.shown());
    assert_eq!(room.glass(), Glass::Times);
    assert_eq!(room.n_beeps(), 1);
}

#[test]
fn for_what_the_arbiter_is_called_is_a_setting() {
    for (calls, fact, is_call) in [
        (ArbiterCall::Never, illegal(Stage::Completed), false),
        (ArbiterCall::IllegalMove, press_without_move(), false),
        (ArbiterCall::Irregularity, press_without_move(), true),
        (ArbiterCall::Irregularity, illegal(Stage::Completed), true),
    ] {
        let mut room = Room::in_play(|desk| desk.calling_for(calls));
        room.note(&fact);
        room.pass(2 * SECOND);
        assert_eq!(room.glass() != Glass::Times, is_call, "{calls:?} {fact:?}");
        assert_eq!(room.shown().2, !is_call, "{calls:?} {fact:?}");
        assert_eq!(room.n_beeps(), u32::from(is_call), "{calls:?} {fact:?}");
    }
}

#[test]
fn nobody_is_called_to_a_clock_that_stands_or_to_a_game_that_is_over() {
    let mut room = Room::in_play(|desk| desk);
    room.happen(&Happening::ClockStopped);
    room.note(&illegal(Stage::Completed));
    assert_eq!((room.glass(), room.n_beeps()), (Glass::Times, 0));
    room.drive(|desk, at, out| desk.end_game(at, "0-1", out));
    room.pass(4 * SECOND);
    room.note(&illegal(Stage::Completed));
    assert_eq!((room.glass(), room.n_beeps()), (Glass::Letters(*b"0-1     "), 0));
}

/// Half-move 1, and its press so long before.
fn move_of_white(is_illegal: bool, pressed_before: Duration) -> [Fact; 2] {
    let (uci, san) = ("g1f3".to_owned(), "Nf3".to_owned());
    let (basis, released_before) = (Basis::Press, Duration::ZERO);
    let alternatives = Vec::new();
    [
        Fact::MoveMade { ply: 1, uci, san, is_illegal, basis, alternatives, released_before },
        Fact::MoveCompleted { ply: 1, by: CompletedBy::Press, pressed_before, times: None },
    ]
}

#[test]
fn a_completed_move_is_shown_for_three_seconds_if_that_is_wished() {
    let fresh = Duration::from_millis(100);
    let mut room = Room::in_play(ClockDesk::showing_moves);
    let [made, completed] = move_of_white(false, fresh);
    room.note(&made);
    assert_eq!(room.glass(), Glass::Times, "it is not completed");
    room.note(&completed);
    assert_eq!(room.glass(), Glass::Letters(*b"Nf3     "));
    assert!(room.shown().2);
    room.pass(4 * SECOND);
    assert_eq!(room.glass(), Glass::Times);

    let hidden = [
        (Room::in_play(|desk| desk), move_of_white(false, fresh)),
        (Room::in_play(ClockDesk::showing_moves), move_of_white(true, fresh)),
        (Room::in_play(ClockDesk::showing_moves), move_of_white(false, 5 * SECOND)),
    ];
    for (mut room, facts) in hidden {
        facts.iter().for_each(|fact| room.note(fact));
        assert_eq!(room.glass(), Glass::Times, "{facts:?}");
    }
}

#[test]
fn no_move_covers_the_times_when_they_are_short() {
    let mut room = Room::in_play(ClockDesk::showing_moves);
    room.pass(5_350 * SECOND);
    for fact in move_of_white(false, Duration::ZERO) {
        room.note(&fact);
    }
    let (_, right, _) = room.shown();
    assert!(right < 60, "{right}");
    assert_eq!(room.glass(), Glass::Times);
}

#[test]
fn a_thousand_stops_lose_no_second_between_model_and_clock() {
    let mut room = Room::in_play(|desk| desk);
    for n in 0..2_000 {
        let runs_before = room.shown().2;
        room.happen(&Happening::ClockStopped);
        assert_ne!(room.shown().2, runs_before, "press {n} of the button");
    }
    room.happen(&Happening::ClockStopped);
    room.pass(10 * SECOND);
    let (left, right, runs) = room.shown();
    assert!(!runs);
    let times = room.desk.model().times(room.now);
    for (shown, reckoned) in [(left, times.white), (right, times.black)] {
        let shown = Duration::from_secs(shown.into());
        // A display shows the second that has begun.
        assert!(shown >= reckoned && shown - reckoned < SECOND, "{shown:?} for {reckoned:?}");
    }
}

/// How far a clock that is driven was from the model in four hours of play.
struct Apart {
    /// Of the side that runs, in time.
    most: Duration,
    /// The longest time for which a display showed another second than the model would.
    shown: Duration,
    /// The same from two seconds after each press on.
    later: Duration,
}

fn apart_in_four_hours(drift_ppm: i32) -> Apart {
    let clock = DgtClockSim::new(ClockKind::Dgt3000, Obedience::Remote, drift_ppm);
    let control = "3h+30s".parse().expect("a time control");
    let mut room = Room::of(clock, ClockDesk::new(control, End::Left));
    room.pass(10 * SECOND);
    room.happen(&Happening::ClockStopped);
    let mut apart = Apart { most: Duration::ZERO, shown: Duration::ZERO, later: Duration::ZERO };
    let (mut turn, mut n) = (Color::White, 0_u64);
    while room.now < Mono::from_millis(4 * 3_600_000) {
        room.table.happen(room.now, &Happening::Press(turn));
        turn = !turn;
        // Moves of 1 to 137 seconds, with odd milliseconds; one is thought of for forty minutes.
        let span = if n == 20 { 2_400_000 } else { 1_000 + n * 7_919_173 % 136_000 };
        n += 1;
        let (pressed, until) = (room.now, room.now + Duration::from_millis(span));
        let mut other_since = None;
        while room.now < until {
            room.pass(Duration::from_millis(20));
            let (times, since) = (room.desk.model().times(room.now), room.now.since(pressed));
            let mut clock = room.table.driven().expect("a clock").clone();
            clock.advance(room.now);
            let ends = [(End::Left, times.white), (End::Right, times.black)];
            let up = |left: Duration| u32::try_from(left.as_millis().div_ceil(1_000));
            let is_same =
                ends.iter().all(|(end, left)| up(*left) == Ok(clock.time().side(*end).seconds));
            let is_later = since > 2 * SECOND;
            if is_same {
                other_since = None;
            } else {
                let (begun, was_later) = *other_since.get_or_insert((room.now, is_later));
                let longest = if was_later { &mut apart.later } else { &mut apart.shown };
                *longest = (*longest).max(room.now.since(begun));
            }
            if is_later {
                let (end, left) = ends[usize::from(turn == Color::Black)];
                apart.most = apart.most.max(left.abs_diff(clock.left(end)));
            }
        }
    }
    assert!(n > 150, "{n} moves");
    apart
}

#[test]
fn a_driven_clock_stays_with_the_model_over_four_hours() {
    for drift_ppm in [50, -50] {
        let Apart { most, shown, later } = apart_in_four_hours(drift_ppm);
        println!("{drift_ppm} ppm: {most:?} apart; display {shown:?}, later {later:?}");
        assert!(most < Duration::from_millis(100), "{drift_ppm} ppm: {most:?}");
        assert!(later < Duration::from_millis(100), "{drift_ppm} ppm: {later:?}");
        assert!(shown < Duration::from_millis(1_500), "{drift_ppm} ppm: {shown:?}");
    }
}

/// A reading that was overtaken on its way shows the lever as it was before.
#[test]
fn an_overtaken_reading_gives_no_increment() {
    for color in Color::ALL {
        let mut room = Room::new();
        room.pass(10 * SECOND);
        room.happen(&Happening::ClockStopped);
        room.pass(8 * SECOND);
        if color == Color::Black {
            room.happen(&Happening::Press(Color::White));
            room.pass(4 * SECOND);
        }
        let before = room.table.driven().expect("a clock").time();
        room.table.happen(room.now, &Happening::Press(color));
        room.pass(Duration::from_millis(600));
        let times = room.desk.model().times(room.now);
        let after = room.table.driven().expect("a clock").time();
        for old in [before, after] {
            let message = BoardMessage::Clock(ClockMessage::Time(old));
            room.drive(|desk, at, out| desk.hear(at, &message, out));
            room.pass(Duration::from_millis(100));
        }
        room.pass(5 * SECOND);
        let now = room.desk.model().times(room.now);
        assert_eq!(*now.get(color), *times.get(color), "no more and no less for {color}");
        assert!(*now.get(!color) < *times.get(!color), "{color}'s opponent is on move");
        assert_eq!(room.desk.model().running(), Some(!color));
        let (left, right, _) = room.shown();
        let shown = [u64::from(left), u64::from(right)];
        let wanted = [now.white.as_secs(), now.black.as_secs()];
        assert!(shown.iter().zip(wanted).all(|(a, b)| a.abs_diff(b) <= 2), "{shown:?} {wanted:?}");
    }
}
