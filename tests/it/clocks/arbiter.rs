//! The arbiter's orders on clocks that the daemon drives, and on one that it only reads: game,
//! referee, driver and a model of the device, in virtual time.

use rokade::clock::{ClockModel, Manner, TimeControl};
use rokade::drive::{ClockDesk, OwnAct, OwnClock};
use rokade::game::terms::at_control;
use rokade::game::{ClockRole, Ear, Effect, Event, Game, Settings};
use rokade::laws::{self, Act, Terms};
use rokade::relay::log::Log;
use rokade::relay::open;
use rokade::sim::script::{Happening, Header};
use rokade::sim::{DgtClockSim, DisplaySim, Glass, Obedience, Table};
use rokade::table::{End, Reading};
use rokade::time::{Mono, Stamp, Wall};
use rokade::wire::contact::{Contacts, Level, Shape};
use rokade::wire::ht16k33::FourDigits;
use rokade::wire::{self, BoardCommand, BoardMessage, ClockKind, Item};
use shakmaty::{Color, Piece, Square};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

/// What stands beside the board.
enum Works {
    /// A DGT 3000 behind it, driven.
    Driven(Box<ClockDesk>),
    /// A clock on the pins.
    Pins(Box<OwnClock>, [DisplaySim; 2]),
    /// A clock that is set by hand.
    Read,
}

pub(super) struct Hall {
    pub(super) now: Mono,
    pub(super) game: Game,
    ear: Ear,
    table: Table,
    works: Works,
    writer: Log,
    pub(super) log: Vec<String>,
    /// Commands that the clock was sent.
    pub(super) n_commands: usize,
}

fn settings(control: &TimeControl, clock_role: ClockRole) -> Settings {
    Settings {
        terms: Some(at_control(Terms::default(), control)),
        time_control: Some(control.clone()),
        white_end: Some(End::Left),
        clock_role,
        ..Settings::default()
    }
}

impl Hall {
    fn new(role: ClockRole, control: &str) -> Self {
        let header = Header { has_clock: role != ClockRole::Own, ..Header::dgt() };
        let mut table = Table::new(&header);
        if role == ClockRole::Driven {
            let clock = DgtClockSim::new(ClockKind::Dgt3000, Obedience::Remote, 0);
            table = table.with_driven_clock(clock);
        }
        Self::at(table, role, control)
    }

    /// A hall with this table, whose clock is behind its board unless it is our own.
    pub(super) fn at(table: Table, role: ClockRole, control: &str) -> Self {
        let control: TimeControl = control.parse().expect("a time control");
        let mut ear = Ear::default();
        let works = match role {
            ClockRole::Driven => {
                Works::Driven(Box::new(ClockDesk::new(control.clone(), End::Left)))
            }
            ClockRole::Own => {
                ear = Ear::deaf_to_clock();
                let model = ClockModel::new(control.clone(), Manner::default());
                let contacts = Contacts::new(Shape::Buttons, Level::Open, Level::Open);
                let mut displays = [DisplaySim::default(), DisplaySim::default()];
                for display in &mut displays {
                    FourDigits::start(15).into_iter().for_each(|byte| display.write(&[byte]));
                }
                Works::Pins(Box::new(OwnClock::new(model, End::Left, contacts)), displays)
            }
            ClockRole::Read => Works::Read,
        };
        let game = Game::new(settings(&control, role));
        let (now, writer, log) = (Mono::default(), Log::default(), Vec::new());
        let mut hall = Self { now, game, ear, table, works, writer, log, n_commands: 0 };
        hall.handle(&Event::LinkUp);
        hall.pass(10 * SECOND);
        hall
    }

    fn stamp(&self) -> Stamp {
        Stamp { mono: self.now, wall: Wall(0) }
    }

    fn handle(&mut self, event: &Event) {
        let mut effects = Vec::new();
        self.game.handle(self.stamp(), event, &mut effects);
        self.carry_out(effects);
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Send(bytes) => self.host_bytes(&bytes),
                Effect::Clock(order) => self.obey(order),
                Effect::Record(entry) => {
                    let line = self.writer.line(&entry.fact);
                    self.log.extend(line);
                    match &self.works {
                        Works::Driven(_) => {
                            self.drive_desk(|desk, at, out| desk.note(at, &entry.fact, out));
                        }
                        Works::Pins(..) if matches!(entry.fact, rokade::game::Fact::Ended(_)) => {
                            self.drive_pins(|clock, at, out| {
                                clock.order(at, laws::ClockOrder::Stop, out)
                            });
                        }
                        _ => {}
                    }
                }
                Effect::Show | Effect::Reopen => {}
            }
        }
    }

    fn send(&mut self, command: &BoardCommand) {
        self.n_commands += usize::from(matches!(command, BoardCommand::Clock(_)));
        self.host_bytes(&command.encode());
    }

    fn host_bytes(&mut self, bytes: &[u8]) {
        let board = self.table.board_mut().expect("a board");
        board.host_bytes(self.now, bytes);
    }

    fn obey(&mut self, order: laws::ClockOrder) {
        match &self.works {
            Works::Driven(_) => self.drive_desk(|desk, at, out| desk.obey(at, order, out)),
            Works::Pins(..) => {
                self.drive_pins(|clock, at, out| clock.order(at, order, out));
            }
            Works::Read => {}
        }
    }

    fn drive_desk(
        &mut self,
        act: impl FnOnce(&mut ClockDesk, Mono, &mut Vec<wire::DriverOutput<BoardCommand>>),
    ) {
        let Works::Driven(desk) = &mut self.works else { return };
        let mut out = Vec::new();
        act(desk, self.now, &mut out);
        for act in out {
            if let wire::DriverOutput::Send(command) = act {
                self.send(&command);
            }
        }
    }

    /// The game hears of the desk before anything else.
    fn tell_kept(&mut self) {
        let Works::Driven(desk) = &mut self.works else { return };
        if let Some(driven) = desk.take_driving() {
            self.handle(&driven);
        }
    }

    fn drive_pins(&mut self, act: impl FnOnce(&mut OwnClock, Mono, &mut Vec<OwnAct>)) {
        let Works::Pins(clock, displays) = &mut self.works else { return };
        let (mut out, mut readings) = (Vec::new(), Vec::new());
        act(clock, self.now, &mut out);
        for act in out {
            match act {
                OwnAct::Show(end, face) => {
                    let (setup, digits) = face.frames();
                    let display = &mut displays[usize::from(end == End::Right)];
                    display.write(&setup);
                    display.write(&digits);
                }
                OwnAct::Reading(_, message) => readings.push(message),
                OwnAct::Sound(_) | OwnAct::Pressed(..) => {}
            }
        }
        for message in readings {
            self.handle(&Event::Board(BoardMessage::Clock(message)));
        }
    }

    fn wake_at(&self) -> Option<Mono> {
        let works = match &self.works {
            Works::Driven(desk) => desk.wake_at(),
            Works::Pins(clock, _) => clock.wake_at(),
            Works::Read => None,
        };
        // The board is looked after even when nothing of its own is due: commands travel.
        let tick = Some(self.now + Duration::from_millis(200));
        [works, self.game.wake_at(), self.table.next_at(), tick].into_iter().flatten().min()
    }

    pub(super) fn pass(&mut self, span: Duration) {
        let until = self.now + span;
        while let Some(at) = self.wake_at().filter(|at| *at <= until) {
            self.now = at.max(Mono(self.now.0 + 1));
            self.table.tick(self.now);
            self.tell_kept();
            let mut bytes = Vec::new();
            self.table.board_mut().expect("a board").take(self.now, &mut bytes);
            if !bytes.is_empty() {
                self.handle(&Event::Bytes);
                for item in self.ear.decode(self.now, &bytes) {
                    if let Item::Message(message) = &item {
                        self.drive_desk(|desk, at, out| desk.hear(at, message, out));
                    }
                    self.tell_kept();
                    let (mut effects, stamp) = (Vec::new(), self.stamp());
                    self.ear.tell(stamp, item, &mut self.game, &mut effects);
                    self.carry_out(effects);
                }
            }
            self.drive_desk(ClockDesk::on_timeout);
            self.finger(None);
            if self.game.wake_at().is_some_and(|due| due <= self.now) {
                self.handle(&Event::Timeout);
            }
        }
        self.now = until.max(self.now);
    }

    /// The contacts of a clock on the pins, as they are now.
    fn finger(&mut self, on: Option<End>) {
        self.drive_pins(|clock, at, out| {
            for end in [End::Left, End::Right] {
                let level = if on == Some(end) { Level::Closed } else { Level::Open };
                clock.read(at, end, level, out);
            }
            clock.on_timeout(at, out);
        });
    }

    pub(super) fn happen(&mut self, happening: &Happening) {
        self.table.happen(self.now, happening);
    }

    pub(super) fn moves(&mut self, from: Square, to: Square, piece: Piece) {
        for (sq, reading) in [(from, Reading::Empty), (to, Reading::Piece(piece))] {
            self.happen(&Happening::Sensed { sq, reading, is_lost: false });
            self.pass(Duration::from_millis(300));
        }
    }

    /// A hand on the clock.
    pub(super) fn press(&mut self, by: Color) {
        if matches!(self.works, Works::Pins(..)) {
            let end = if by.is_white() { End::Left } else { End::Right };
            self.finger(Some(end));
            self.now = self.now + Duration::from_millis(80);
            self.finger(Some(end));
            self.finger(None);
        } else {
            self.happen(&Happening::Press(by));
        }
        self.pass(2 * SECOND);
    }

    pub(super) fn plays(&mut self, from: Square, to: Square, piece: Piece) {
        self.pass(3 * SECOND);
        self.moves(from, to, piece);
        self.pass(SECOND);
        self.press(piece.color);
    }

    pub(super) fn order(&mut self, text: &str) {
        let act = Act::read(text, "arbiter", "").unwrap_or_else(|why| panic!("{text}: {why}"));
        self.handle(&Event::Act(act));
        assert_eq!(self.game.refusals(), Vec::<String>::new(), "{text}\n{}", self.log.join("\n"));
        self.pass(4 * SECOND);
    }

    /// Both times in seconds, as they can be read on the device.
    pub(super) fn shown(&self) -> [u32; 2] {
        match &self.works {
            Works::Driven(_) => {
                let board = || self.table.board().and_then(|board| board.shown());
                let time = self.table.driven().map(DgtClockSim::time).or_else(board);
                let time = time.expect("a clock");
                [time.left.seconds, time.right.seconds]
            }
            Works::Pins(_, displays) => {
                let number = |word: &str| word.parse::<u32>().expect("a number");
                let read = |display: &DisplaySim| {
                    let text = display.shown();
                    let text = text.trim().trim_end_matches('.');
                    let (hours, minutes) = text.split_once(':').expect("a time");
                    // Above an hour the display has hours and minutes.
                    60 * (60 * number(hours) + number(minutes))
                };
                [read(&displays[0]), read(&displays[1])]
            }
            Works::Read => {
                let time = self.table.board().expect("a board").shown().expect("a clock");
                [time.left.seconds, time.right.seconds]
            }
        }
    }

    pub(super) fn sans(&self) -> Vec<String> {
        let sheet = self.game.play().expect("a game").sheet();
        sheet.moves().iter().map(|scored| scored.san.to_string()).collect()
    }

    /// How often a line of the log has these words.
    pub(super) fn n_lines(&self, words: &str) -> usize {
        self.log.iter().filter(|line| line.contains(words)).count()
    }

    /// White's king goes to e3 with the second move, and White presses.
    fn illegal_move(&mut self) {
        self.plays(Square::E2, Square::E4, Color::White.pawn());
        self.plays(Square::E7, Square::E5, Color::Black.pawn());
        self.plays(Square::E1, Square::E3, Color::White.king());
        self.pass(3 * SECOND);
        assert_eq!(self.n_lines("ILLEGAL_COMPLETED"), 1, "{}", self.log.join("\n"));
        let waits = open::lines(&self.game, self.now).join("\n");
        let next = "waits      1: illegal move of white";
        assert!(waits.contains(next) && waits.contains("120 s for black if confirmed"), "{waits}");
        self.suggests_times(&waits);
        assert_eq!(self.n_lines("both lose"), 0, "nobody is absent who thinks for some seconds");
    }

    /// The increment of an illegal move is not among the times that are suggested: they are those
    /// at its start, with the penalty. Rows L6.13, L7.4a3.
    fn suggests_times(&self, waits: &str) {
        let times = waits.split_once("by the times at its start then ").expect("a suggestion").1;
        let secs: Vec<u64> = times.split(' ').filter_map(|word| word.parse().ok()).collect();
        let now = self.game.estimate(self.now).expect("a clock").shown();
        assert!(secs[0] < now.white.as_secs() && now.white.as_secs() - secs[0] <= 30, "{waits}");
        assert!(secs[1].abs_diff(now.black.as_secs() + 120) <= 5, "{waits}");
    }
}

/// Art. 7.5.1 and 7.5.5 of 2023: the move is taken back, the opponent gets two minutes.
fn an_illegal_move_is_ruled_upon(mut hall: Hall, step: u32) {
    hall.order("start");
    hall.illegal_move();
    hall.order("pause");
    let before = hall.shown();
    hall.order("confirm");
    let after = hall.shown();
    assert_eq!(after[0], before[0]);
    assert!((after[1] - before[1]).abs_diff(120) <= step, "{before:?} {after:?}");
    if let Some(clock) = hall.table.driven() {
        assert_eq!(clock.glass(), Glass::Times, "nobody need be called any more");
    }
    hall.moves(Square::E3, Square::E1, Color::White.king());
    hall.pass(3 * SECOND);
    if hall.table.driven().is_some() {
        // The arbiter puts White's end of the lever up.
        hall.press(Color::Black);
    }
    hall.order("resume white");
    hall.plays(Square::E1, Square::E2, Color::White.king());
    hall.plays(Square::G8, Square::F6, Color::Black.knight());
    let log = hall.log.join("\n");
    assert_eq!(hall.sans(), ["e4", "e5", "Ke2", "Nf6"], "{log}");
    assert_eq!(hall.n_lines("black: 0:02:00 added as ordered"), 1, "{log}");
    for code in ["CLOCK_SET", "CLOCK_UNEXPLAINED", "CLOCK_PRESSES", "CLOCK_LATE", "BY HAND"] {
        assert_eq!(hall.n_lines(code), 0, "{code}\n{log}");
    }
    // What the record reckons is what the clock shows.
    let reckoned = hall.game.estimate(hall.now).expect("a clock").shown();
    let shown = hall.shown();
    for (shown, reckoned) in [(shown[0], reckoned.white), (shown[1], reckoned.black)] {
        let apart = u64::from(shown).abs_diff(reckoned.as_secs());
        assert!(apart <= u64::from(step.max(2)), "{shown} {reckoned:?}\n{log}");
    }
}

#[test]
fn a_clock_behind_the_board_is_set_as_the_arbiter_confirms() {
    an_illegal_move_is_ruled_upon(Hall::new(ClockRole::Driven, "90m+30s"), 0);
}

#[test]
fn a_clock_on_the_pins_is_set_as_the_arbiter_confirms() {
    // Its displays have hours and minutes.
    an_illegal_move_is_ruled_upon(Hall::new(ClockRole::Own, "90m+30s"), 60);
}

#[test]
fn times_are_set_taken_and_given_on_a_driven_clock() {
    let mut hall = Hall::new(ClockRole::Driven, "90m+30s");
    hall.order("set_time both 600");
    assert_eq!(hall.shown(), [600, 600]);
    hall.order("sub_time white 60");
    hall.order("add_time black 30");
    assert_eq!(hall.shown(), [540, 630]);
    hall.order("start");
    hall.pass(10 * SECOND);
    let [white, black] = hall.shown();
    assert!((525..=528).contains(&white) && black == 630, "{white} {black}");
    hall.order("pause");
    let before = hall.shown();
    hall.pass(60 * SECOND);
    assert_eq!(hall.shown(), before);
}

/// A clock that is not ours: the log says what is to be done, and knows it when it is done.
#[test]
fn what_must_be_set_by_hand_is_said() {
    let mut hall = Hall::new(ClockRole::Read, "90m+30s");
    hall.happen(&Happening::Resume(Color::White));
    hall.pass(2 * SECOND);
    hall.illegal_move();
    hall.happen(&Happening::ClockStopped);
    hall.pass(2 * SECOND);
    let [white, black] = hall.shown();
    hall.order("confirm");
    let due = hall.log.iter().find(|line| line.starts_with("BY HAND")).expect("what is due");
    let due = due.clone();
    let times = format!(
        "give black 0:02:00 more; then it shows white {}, black {}",
        super::hms(white),
        super::hms(black + 120)
    );
    assert!(due.contains(&times), "{due}; {times}");
    assert_eq!(hall.shown(), [white, black]);
    hall.order("resume white");
    assert_eq!(hall.n_lines("let white's side run"), 1, "{}", hall.log.join("\n"));
}

/// Art. 6.9 of 2023: the clock tells the flag, the referee the arbiter, and he confirms.
#[test]
fn a_flag_of_the_clock_is_the_referees() {
    let mut hall = Hall::new(ClockRole::Own, "40/6m:15m");
    hall.order("start");
    hall.plays(Square::E2, Square::E4, Color::White.pawn());
    hall.pass(350 * SECOND);
    assert_eq!(hall.n_lines("FLAG_DOWN"), 0);
    assert_eq!(hall.n_lines("black: LOW_TIME"), 1, "under five minutes: {}", hall.log.join("\n"));
    hall.pass(12 * SECOND);
    let log = hall.log.join("\n");
    assert_eq!((hall.n_lines("flag       black"), hall.n_lines("FLAG_DOWN")), (1, 1), "{log}");
    hall.order("confirm");
    assert!(hall.n_lines("1-0") >= 1, "{}", hall.log.join("\n"));
}

/// With thirty seconds a move everybody keeps score to the end, Art. 8.4; and who has made his
/// moves is given the next period, Art. 6.3.2.
#[test]
fn periods_and_increments_are_the_referees() {
    let mut hall = Hall::new(ClockRole::Own, "2/6m+30s:15m+30s");
    hall.order("start");
    for (from, to, piece) in [
        (Square::E2, Square::E4, Color::White.pawn()),
        (Square::E7, Square::E5, Color::Black.pawn()),
        (Square::G1, Square::F3, Color::White.knight()),
    ] {
        hall.plays(from, to, piece);
    }
    assert_eq!(hall.n_lines("white: PERIOD_PASSED 900 s"), 1, "{}", hall.log.join("\n"));
    hall.pass(380 * SECOND);
    let log = hall.log.join("\n");
    assert_eq!(hall.n_lines("LOW_TIME"), 0, "{log}");
    hall.pass(30 * SECOND);
    let log = hall.log.join("\n");
    assert_eq!(hall.n_lines("black: FLAG_DOWN"), 1, "one move is missing: {log}");
    // A wrong wall of the model would have set it down for White as well.
    assert_eq!(hall.n_lines("white: FLAG"), 0, "{log}");
}

/// With a lever alone, no button in the middle: Black's first press starts White's clock.
#[test]
fn the_first_press_of_black_starts_the_clock() {
    let mut hall = Hall::new(ClockRole::Driven, "5m+3s");
    // White's end is down as the clock was put there; Black pushes his down.
    hall.press(Color::White);
    hall.press(Color::Black);
    hall.pass(5 * SECOND);
    let [white, black] = hall.shown();
    assert!(white < 300 && black == 300, "{white} {black}: {}", hall.log.join("\n"));
    hall.plays(Square::E2, Square::E4, Color::White.pawn());
    hall.plays(Square::E7, Square::E5, Color::Black.pawn());
    assert_eq!(hall.sans(), ["e4", "e5"]);
    assert_eq!(hall.n_lines("CLOCK_STANDS"), 0, "{}", hall.log.join("\n"));
    assert_eq!(hall.n_lines("PRESS_WITHOUT_MOVE"), 0, "{}", hall.log.join("\n"));
}

/// A driven clock that nobody has started is told of at the first press.
#[test]
fn moves_while_a_driven_clock_stands_are_told_at_once() {
    let mut hall = Hall::new(ClockRole::Driven, "5m+3s");
    hall.plays(Square::E2, Square::E4, Color::White.pawn());
    assert_eq!(hall.n_lines("CLOCK_STANDS"), 1, "{}", hall.log.join("\n"));
    hall.plays(Square::E7, Square::E5, Color::Black.pawn());
    assert_eq!(hall.n_lines("CLOCK_STANDS"), 1, "once: {}", hall.log.join("\n"));
    assert_eq!(hall.sans(), ["e4", "e5"]);
}
