//! A clock behind a board that the host runs, in virtual time.

use rokade::game::ClockDesk;
use rokade::sim::script::{Happening, Header};
use rokade::sim::{DgtClockSim, Glass, Obedience, Table};
use rokade::time::Mono;
use rokade::wire::{Act, ClockKind, ClockNews, Command, End};
use shakmaty::Color;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

struct Room {
    now: Mono,
    desk: ClockDesk,
    table: Table,
    news: Vec<ClockNews>,
}

fn desk() -> ClockDesk {
    ClockDesk::new("90m+30s".parse().expect("a time control"), End::Left)
}

impl Room {
    fn new() -> Self {
        let clock = DgtClockSim::new(ClockKind::Dgt3000, Obedience::Remote, 0);
        let table = Table::new(&Header::dgt()).with_driven_clock(clock);
        let (now, news) = (Mono::default(), Vec::new());
        let mut room = Self { now, desk: desk(), table, news };
        room.wake();
        room
    }

    /// What the daemon does when it opens the line.
    fn wake(&mut self) {
        let now = self.now;
        let board = self.table.board_mut().expect("a board");
        board.host_bytes(now, &Command::UpdateNice.encode());
        board.host_bytes(now, &Command::SendBoard.encode());
    }

    fn drive(&mut self, act: impl FnOnce(&mut ClockDesk, Mono, &mut Vec<Act<Command>>)) {
        let mut out = Vec::new();
        act(&mut self.desk, self.now, &mut out);
        for act in out {
            match act {
                Act::Tell(news) => self.news.push(news),
                Act::Send(command) => {
                    let board = self.table.board_mut().expect("a board");
                    board.host_bytes(self.now, &command.encode());
                }
            }
        }
    }

    fn pass(&mut self, span: Duration) {
        let until = self.now + span;
        loop {
            let wakes = [self.desk.wake_at(), self.table.next_at()];
            let next = wakes.into_iter().flatten().min();
            let Some(at) = next.filter(|at| *at <= until) else { break };
            self.now = at.max(Mono(self.now.0 + 1));
            let now = self.now;
            self.table.tick(now);
            let mut bytes = Vec::new();
            self.table.board_mut().expect("a board").take(now, &mut bytes);
            if !bytes.is_empty() {
                self.drive(|desk, at, out| desk.hear(at, &bytes, out));
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
    room.table = room.table.clone().with_driven_clock(clock);
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
