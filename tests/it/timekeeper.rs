//! The clock's model beside its readings, in whole games.
use rokade::game::{Effect, Entry, Event, Fact, Game, Settings};
use rokade::relay::pgn::{self, Tags};
use rokade::relay::view::View;
use rokade::sim::trial::{Recipe, Trial};
use rokade::sim::{Manners, Replay, Script, TableKind};
use rokade::table::{End, Sight};
use rokade::time::{Mono, Stamp, Wall};
use rokade::wire::{BoardMessage, ClockMessage, ClockTime, Dump, Orientation, SideTime};
use shakmaty::{Board, Color, Square};

/// The script in `tests/traces` with this name, and `control` in its header.
fn trace(name: &str, control: Option<&str>) -> Script {
    let path = format!("{}/tests/traces/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the trace is there");
    let mut script = Script::parse(&text).expect("it is a script");
    if let Some(control) = control {
        script.header.time_control = control.parse().ok();
    }
    script
}

fn notes(replay: &Replay) -> Vec<String> {
    let note = |fact: &Fact| match fact {
        Fact::ClockNote(note) => Some(format!("{} {note}", note.code())),
        _ => None,
    };
    replay.entries.iter().filter_map(|entry| note(&entry.fact)).collect()
}

#[test]
fn a_true_clock_is_not_spoken_of() {
    let table = TableKind { sight: Sight::Pieces, has_clock: true };
    // On a line that loses messages presses are heard late, and that is told.
    let profiles = Manners::NAMES.into_iter().filter(|name| *name != "lossy");
    for (seed, profile) in (0..20).zip(profiles.cycle()) {
        let recipe = Recipe::invented(seed, profile, table, 60);
        let trial = Trial::run(recipe, &[]);
        let untold = trial.replay.expect("no panic");
        let mut script = trial.performance.script;
        script.header.time_control = "90m+30s".parse().ok();
        let told = Replay::run(&script);
        for replay in [untold, told] {
            let codes = notes(&replay);
            assert_eq!(codes, Vec::<String>::new(), "{profile}, seed {seed}");
        }
    }
}

#[test]
fn a_clock_that_is_set_otherwise_is_spoken_of_when_the_game_begins() {
    let replay = Replay::run(&trace("21-castling-king-first.trace", Some("5m")));
    let said = notes(&replay);
    assert!(said[..2].iter().all(|note| note.starts_with("CLOCK_MISSET")), "{said:?}");
}

#[test]
fn the_view_says_that_times_are_reckoned() {
    let clock = |script: &Script| {
        let game = Replay::run(script).game;
        let at = script.happenings.last().expect("a line").0;
        View::new("table-1", &game, at).clock.expect("times")
    };
    let mut script = trace("49c-clock-back.tape", None);
    assert!(!clock(&script).estimated);
    // Before the clock is back.
    script.happenings.retain(|(at, _)| *at < Mono::from_millis(23_000));
    let reckoned = clock(&script);
    assert!(reckoned.estimated);
    assert_eq!(reckoned.running, Some("black"));
    assert_eq!(reckoned.white_ms / 1_000, 5_478);
}

#[test]
fn the_pgn_names_the_control_and_the_times_at_the_end() {
    let render = |control: &str| {
        let game = Replay::run(&trace("51b-mate-with-a-press.trace", None)).game;
        let play = game.play().expect("a game");
        let tags = Tags { time_control: control.parse().ok(), ..Tags::default() };
        let outcome = play.ending().map(|ending| ending.outcome);
        pgn::render(&tags, play.sheet(), play.sheet().len(), outcome)
    };
    let pgn = render("40/90m+30s:30m+30s");
    assert!(pgn.contains("[TimeControl \"40/5400+30:1800+30\"]\n"), "{pgn}");
    assert!(pgn.contains("[WhiteClock \"1:30:2"), "{pgn}");
    assert!(pgn.contains("[BlackClock \"1:30:00\"]\n"), "{pgn}");
    let pgn = render("5m | 4m");
    assert!(pgn.contains("[WhiteTimeControl \"300\"]\n[BlackTimeControl \"240\"]\n"), "{pgn}");
}

/// A game to which a board and a clock speak directly.
struct Hall {
    game: Game,
    codes: Vec<&'static str>,
    board: Board,
}

impl Hall {
    fn new(settings: Settings) -> Self {
        let mut hall = Self { game: Game::new(settings), codes: Vec::new(), board: Board::new() };
        hall.tell(0, &Event::LinkUp);
        hall.picture(10);
        hall
    }

    fn tell(&mut self, ms: u64, event: &Event) {
        let (mut effects, at) = (Vec::new(), Mono::from_millis(ms));
        while let Some(due) = self.game.wake_at().filter(|due| *due < at) {
            let stamp = Stamp { mono: due, wall: Wall(0) };
            self.game.handle(stamp, &Event::Timeout, &mut effects);
        }
        self.game.handle(Stamp { mono: at, wall: Wall(0) }, event, &mut effects);
        self.codes.extend(effects.iter().filter_map(|effect| match effect {
            Effect::Record(Entry { fact: Fact::ClockNote(note), .. }) => Some(note.code()),
            _ => None,
        }));
    }

    fn picture(&mut self, ms: u64) {
        let dump = Dump::new(&self.board, Orientation::Normal);
        self.tell(ms, &Event::Board(BoardMessage::Dump(Box::new(dump))));
    }

    fn play(&mut self, ms: u64, from: Square, to: Square) {
        let piece = self.board.remove_piece_at(from).expect("a piece");
        self.picture(ms);
        self.board.set_piece_at(to, piece);
        self.picture(ms + 300);
    }

    /// The clock shows `left` and `right` seconds, the time of the `high` end running or not.
    fn clock(&mut self, ms: u64, left: u32, right: u32, high: End, running: bool) {
        let side = SideTime::of_seconds;
        let time =
            ClockTime { left: side(left), right: side(right), running, high, battery_low: false };
        self.tell(ms, &Event::Board(BoardMessage::Clock(ClockMessage::Time(time))));
    }
}

#[test]
fn a_clock_that_stands_otherwise_than_set_is_told_by_the_first_press() {
    use End::{Left, Right};
    let white_end = Some(End::Right);
    let mut hall = Hall::new(Settings { white_end, ..Settings::default() });
    hall.clock(500, 300, 300, Left, false);
    hall.clock(1_000, 300, 300, Left, true);
    hall.play(2_000, Square::E2, Square::E4);
    hall.clock(4_000, 297, 300, Right, true);
    hall.clock(9_000, 297, 295, Right, true);
    assert_eq!(hall.game.clock().white_end(), End::Left);
    assert_eq!(hall.codes, ["CLOCK_OTHER_END"]);
    let estimate = hall.game.estimate(Mono::from_millis(9_000)).expect("times");
    assert_eq!(estimate.running, Some(Color::Black));
    assert_eq!(estimate.shown().white.as_secs(), 297);
    assert_eq!(estimate.shown().black.as_secs(), 295);
}

#[test]
fn a_clock_that_is_turned_round_in_the_game_keeps_its_players() {
    use End::{Left, Right};
    let mut hall = Hall::new(Settings::default());
    hall.clock(500, 300, 300, Left, false);
    hall.clock(1_000, 300, 300, Left, true);
    hall.play(20_000, Square::E2, Square::E4);
    hall.clock(21_000, 280, 300, Right, true);
    hall.clock(22_000, 280, 299, Right, false);
    // The arbiter turns it, the lever with it, and lets it go on.
    hall.clock(25_000, 299, 280, Left, false);
    hall.clock(30_000, 299, 280, Left, true);
    hall.clock(40_000, 289, 280, Left, true);
    assert_eq!(hall.codes, ["CLOCK_TURNED"]);
    assert_eq!(hall.game.clock().white_end(), End::Right);
    let estimate = hall.game.estimate(Mono::from_millis(40_000)).expect("times");
    assert_eq!(estimate.running, Some(Color::Black));
    assert_eq!(estimate.shown().white.as_secs(), 280);
    assert_eq!(estimate.shown().black.as_secs(), 289);
}

#[test]
fn a_time_that_cannot_be_is_reckoned_for_the_record() {
    let mut hall = Hall::new(Settings::default());
    hall.clock(500, 300, 300, End::Left, false);
    hall.clock(1_000, 300, 300, End::Left, true);
    hall.play(2_000, Square::E2, Square::E4);
    // The press is told beside a minute of 6A.
    let payload = [0, 0x6a, 0, 0, 0x04, 0x57, 0x13];
    let message = ClockMessage::decode(payload);
    assert!(matches!(message, ClockMessage::Rejected { .. }));
    hall.tell(4_500, &Event::Board(BoardMessage::Clock(message)));
    let play = hall.game.play().expect("a game");
    let times = play.sheet().moves()[0].completed.expect("pressed").times.expect("reckoned");
    assert_eq!((times.white.as_secs(), times.black.as_secs()), (297, 300));
}

#[test]
fn no_wrong_time_is_ever_taken_over() {
    // 65 minutes, seconds of 6A, minutes of 5A, seconds of 60: right side first (protocol 2.1).
    for payload in [
        [0, 0x65, 0, 0, 0x04, 0x57, 0x09],
        [0, 0x04, 0x6a, 0, 0x04, 0x57, 0x09],
        [0, 0x05, 0, 0, 0x5a, 0, 0x09],
        [0, 0x05, 0, 0, 0x04, 0x60, 0x09],
    ] {
        let mut hall = Hall::new(Settings::default());
        hall.clock(500, 300, 300, End::Left, false);
        hall.clock(1_000, 300, 300, End::Left, true);
        hall.clock(4_000, 297, 300, End::Left, true);
        let message = ClockMessage::decode(payload);
        assert!(matches!(message, ClockMessage::Rejected { .. }), "{payload:?}");
        hall.tell(4_500, &Event::Board(BoardMessage::Clock(message)));
        let times = hall.game.clock().times().expect("those of before");
        assert_eq!((times.white.as_secs(), times.black.as_secs()), (297, 300), "{payload:?}");
        let estimate = hall.game.estimate(Mono::from_millis(6_000)).expect("times").shown();
        assert_eq!((estimate.white.as_secs(), estimate.black.as_secs()), (295, 300));
        assert_eq!(hall.codes, [""; 0], "{payload:?}");
    }
}

#[test]
fn a_clock_beside_the_board_vouches_for_no_line() {
    let side = SideTime::of_seconds;
    let reading = |left: u32| {
        let high = End::Left;
        let (left, right) = (side(left), side(300));
        let time = ClockTime { left, right, running: true, high, battery_low: false };
        Event::Clock(ClockMessage::Time(time))
    };
    let mut hall = Hall::new(Settings::default());
    let (mut effects, mut left) = (Vec::new(), 300);
    // The board has fallen silent; the clock has not.
    for ms in (1_000..60_000).step_by(1_000) {
        left -= 1;
        while let Some(due) = hall.game.wake_at().filter(|due| *due < Mono::from_millis(ms)) {
            hall.game.handle(Stamp { mono: due, wall: Wall(0) }, &Event::Timeout, &mut effects);
        }
        let stamp = Stamp { mono: Mono::from_millis(ms), wall: Wall(0) };
        hall.game.handle(stamp, &reading(left), &mut effects);
    }
    assert!(effects.contains(&Effect::Reopen), "nobody noticed that the board is gone");
    // And when its line goes, the clock is heard as before.
    hall.tell(60_000, &Event::LinkDown);
    hall.tell(60_500, &Event::Timeout);
    let estimate = hall.game.estimate(Mono::from_millis(60_500)).expect("a clock");
    assert!(!estimate.is_estimated);
}
