//! A DGT 3000 on its jack that the host runs through a bridge, in virtual time.

use rokade::clock::{ClockModel, Manner};
use rokade::drive::{ClockDesk, PortAct, PortDesk};
use rokade::game::{
    Basis, BoardKind, ClockRole, Driving, Effect, Event, Fact, Game, Recovered, Settings,
};
use rokade::laws::{Ending, Reason};
use rokade::sim::script::Happening;
use rokade::table::{End, Placement, Reading};
use rokade::time::{Mono, Stamp, Wall};
use rokade::track::line::CompletedBy;
use rokade::wire::dgt3000::SideRun;
use rokade::wire::{BridgeLink, ClockMessage, ClockNews, ClockTime, PortInput, SideTime};
use shakmaty::{Board, Color, KnownOutcome, Square};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

type Room = super::behind::Room<PortDesk<BridgeLink>>;

fn desk() -> PortDesk<BridgeLink> {
    let control = "90m+30s".parse().expect("a time control");
    PortDesk::new(ClockDesk::with_driver(BridgeLink::default(), control, End::Left))
}

impl Room {
    /// The clock is set, and its time runs for White.
    fn in_play() -> Self {
        let mut room = Self::open(desk(), 0);
        room.pass(10 * SECOND);
        room.happen(&Happening::Resume(Color::White));
        room
    }

    fn happen(&mut self, happening: &Happening) {
        self.bridge.happen(self.now, happening);
        self.pass(2 * SECOND);
    }

    fn note(&mut self, fact: &Fact) {
        self.drive(|desk, at, out| desk.note(at, fact, out));
    }

    /// What the game has heard last.
    fn last(&self) -> ClockTime {
        match self.heard.last() {
            Some(ClockMessage::Time(time)) => *time,
            other => panic!("{other:?}"),
        }
    }

    /// Left and right in seconds on the clock itself, and which side runs.
    fn shown(&self) -> (u32, u32, Option<End>) {
        let (time, clock) = (self.bridge.clock.time(), &self.bridge.clock);
        let runs =
            [End::Left, End::Right].into_iter().find(|end| clock.runs(*end) != SideRun::Stop);
        (time.left, time.right, runs)
    }
}

fn made(ply: usize) -> Fact {
    Fact::MoveMade {
        ply,
        uci: "e2e4".to_owned(),
        san: "e4".to_owned(),
        is_illegal: false,
        basis: Basis::Quiet,
        alternatives: Vec::new(),
        released_before: SECOND,
    }
}

#[test]
fn a_game_is_run_at_its_time_control() {
    let mut room = Room::open(desk(), 0);
    room.pass(10 * SECOND);
    assert_eq!(room.shown(), (5_400, 5_400, None));
    let time = room.last();
    assert_eq!((time.left.seconds, time.right.seconds, time.running), (5_400, 5_400, false));
    room.happen(&Happening::Resume(Color::White));
    room.pass(8 * SECOND);
    room.happen(&Happening::Press(Color::White));
    let presses: Vec<_> = room.heard.windows(2).filter(|two| two[0] != two[1]).collect();
    let pressed = presses.iter().find_map(|two| match two {
        [ClockMessage::Time(before), ClockMessage::Time(after)]
            if before.running && before.high == End::Left && after.high == End::Right =>
        {
            Some(*after)
        }
        _ => None,
    });
    // Told at the press, with what the clock will show only after it has been set.
    let pressed = pressed.expect("a press");
    assert_eq!(
        (pressed.left.seconds, pressed.right.seconds, pressed.running),
        (5_420, 5_400, true)
    );
    room.pass(5 * SECOND);
    assert_eq!(room.host.difference(), None);
    let (left, right, runs) = room.shown();
    assert!(left == 5_420 && (5_393..=5_394).contains(&right), "{left} {right}");
    assert_eq!(runs, Some(End::Right));
    // Its own readings are heard as well, once they are new.
    assert!(room.last().right.seconds < 5_396, "{:?}", room.last());
    room.happen(&Happening::ClockStopped);
    assert!(room.shown().2.is_none() && !room.last().running);
}

/// A clock on its own jack tells each turn of its lever, so none of them is taken for a reading
/// that came late, however soon the reply is pressed for.
#[test]
fn a_reply_at_once_is_a_press() {
    let (board, clock_role) = (BoardKind::Scanned, ClockRole::Driven);
    let settings =
        Settings { board, clock_role, white_end: Some(End::Left), ..Settings::default() };
    let mut game = Game::new(settings);
    let mut facts = Vec::new();
    let mut handle = |ms, event: &Event| {
        let mut effects = Vec::new();
        let at = Stamp { mono: Mono::from_millis(ms), wall: Wall(0) };
        game.handle(at, event, &mut effects);
        facts.extend(effects.into_iter().filter_map(|effect| match effect {
            Effect::Record(entry) => Some(entry.fact),
            _ => None,
        }));
    };
    let shows = |high| {
        let (left, right) = (SideTime::of_seconds(180), SideTime::of_seconds(180));
        let time = ClockTime { left, right, running: true, high, battery_low: false };
        Event::Clock(ClockMessage::Time(time))
    };
    let stands = Placement::from(Board::new());
    handle(0, &Event::LinkUp);
    handle(100, &Event::Pictured(stands));
    handle(1_000, &shows(End::Left));
    handle(2_000, &Event::Sensed(Square::E2, Reading::Empty));
    handle(2_300, &Event::Sensed(Square::E4, Reading::Piece(Color::White.pawn())));
    handle(2_500, &shows(End::Right));
    handle(2_600, &Event::Sensed(Square::E7, Reading::Empty));
    handle(2_750, &Event::Sensed(Square::E5, Reading::Piece(Color::Black.pawn())));
    handle(2_850, &shows(End::Left));
    handle(4_000, &Event::Timeout);
    let presses: Vec<_> = facts.iter().filter(|it| matches!(it, Fact::Pressed { .. })).collect();
    let expected = [Color::White, Color::Black].map(|by| Fact::Pressed { by });
    assert_eq!(presses, expected.iter().collect::<Vec<_>>(), "{facts:?}");
    let by_press = |it: &&Fact| matches!(it, Fact::MoveCompleted { by: CompletedBy::Press, .. });
    assert_eq!(facts.iter().filter(by_press).count(), 2, "{facts:?}");
}

#[test]
fn moves_that_go_on_record_while_the_clock_is_gone_count_as_presses() {
    let mut room = Room::in_play();
    room.is_mute = true;
    room.pass(4 * SECOND);
    assert_eq!(room.heard.last(), Some(&ClockMessage::NoClock));
    let n_gone = room.heard.iter().filter(|it| **it == ClockMessage::NoClock).count();
    assert_eq!(n_gone, 1);
    room.pass(4 * SECOND);
    // White moves and presses at ten seconds, Black six seconds later.
    room.happen(&Happening::Press(Color::White));
    room.note(&made(1));
    room.pass(4 * SECOND);
    room.happen(&Happening::Press(Color::Black));
    room.note(&made(2));
    room.is_mute = false;
    room.pass(10 * SECOND);
    assert_eq!(room.host.difference(), None);
    let (left, right, runs) = room.shown();
    // Ten seconds, and what has passed since; half a minute each.
    assert!((5_408..=5_409).contains(&left), "{left}");
    assert!((5_423..=5_425).contains(&right), "{right}");
    assert_eq!(runs, Some(End::Left));
    assert!(room.last().running && room.last().high == End::Left);
}

/// The clock is back between a move and its press: by the lever that is still to come.
#[test]
fn a_press_that_is_still_to_come_is_not_counted() {
    let mut room = Room::in_play();
    room.is_mute = true;
    room.pass(8 * SECOND);
    room.happen(&Happening::Press(Color::White));
    room.note(&made(1));
    room.pass(4 * SECOND);
    room.note(&made(2));
    room.is_mute = false;
    let n_heard = room.heard.len();
    room.pass(10 * SECOND);
    assert_eq!((room.host.difference(), room.shown().2), (None, Some(End::Right)));
    let is_whites = |message: &ClockMessage| match message {
        ClockMessage::Time(time) => time.running && time.high == End::Left,
        _ => false,
    };
    let back = &room.heard[n_heard..];
    assert!(!back.is_empty() && !back.iter().any(is_whites), "{back:?}");
    room.happen(&Happening::Press(Color::Black));
    let (left, right, runs) = (room.last().left, room.last().right, room.shown().2);
    assert!(room.last().high == End::Left && runs == Some(End::Left), "{:?}", room.last());
    // White has had twelve seconds, Black fourteen, and each half a minute.
    assert!((5_416..=5_420).contains(&left.seconds), "{left:?}");
    assert!((5_414..=5_417).contains(&right.seconds), "{right:?}");
}

/// A mate needs no press: the clock that comes back behind it stands.
#[test]
fn a_game_that_ended_while_the_clock_was_gone_is_over() {
    let mut room = Room::in_play();
    room.is_mute = true;
    room.pass(8 * SECOND);
    room.happen(&Happening::Press(Color::White));
    room.note(&made(1));
    room.note(&made(2));
    let outcome = KnownOutcome::Decisive { winner: Color::Black };
    room.note(&Fact::Ended(Ending { outcome, reason: Reason::Checkmate }));
    room.is_mute = false;
    room.pass(10 * SECOND);
    assert_eq!((room.host.difference(), room.shown().2), (None, None));
    assert!(!room.last().running, "{:?}", room.last());
}

#[test]
fn a_press_that_nobody_saw_is_told_by_the_lever() {
    let mut room = Room::in_play();
    room.is_mute = true;
    room.pass(4 * SECOND);
    room.happen(&Happening::Press(Color::White));
    room.is_mute = false;
    room.pass(10 * SECOND);
    assert_eq!(room.shown().2, Some(End::Right));
    assert!(room.last().running && room.last().high == End::Right);
}

#[test]
fn a_daemon_that_is_started_anew_takes_the_times_from_the_clock() {
    let mut room = Room::in_play();
    room.pass(100 * SECOND);
    let (before, ..) = room.shown();
    (room.host, room.heard) = (desk(), Vec::new());
    room.plug();
    room.pass(20 * SECOND);
    let (left, right, runs) = room.shown();
    assert!((19..=21).contains(&(before - left)), "{before} became {left}");
    assert_eq!((right, runs), (5_400, Some(End::Left)));
    let first = match room.heard.first() {
        Some(ClockMessage::Time(time)) => *time,
        other => panic!("{other:?}"),
    };
    assert!(first.running && before - first.left.seconds <= 4, "{first:?}");
    // The same of a clock that stands.
    room.happen(&Happening::ClockStopped);
    let (before, ..) = room.shown();
    room.host = desk();
    room.plug();
    room.pass(20 * SECOND);
    assert_eq!(room.shown(), (before, 5_400, None));
}

#[test]
fn a_clock_that_forgets_is_set_again_and_the_game_hears_no_zero() {
    let mut room = Room::in_play();
    room.pass(5 * SECOND);
    let now = room.now;
    room.bridge.clock.press_power(now);
    room.pass(10 * SECOND);
    assert!(room.news.contains(&ClockNews::PowerKey), "{:?}", room.news);
    assert_eq!(room.host.difference(), None);
    assert!((5_381..=5_385).contains(&room.shown().0), "{:?}", room.shown());
    let lowest = room.heard.iter().filter_map(|it| match it {
        ClockMessage::Time(time) => Some(time.left.seconds.min(time.right.seconds)),
        _ => None,
    });
    assert!(lowest.min() > Some(5_000), "{:?}", room.heard);
}

#[test]
fn the_result_stays_on_the_clock() {
    let mut room = Room::in_play();
    let outcome = KnownOutcome::Decisive { winner: Color::White };
    room.note(&Fact::Ended(Ending { outcome, reason: Reason::Checkmate }));
    room.pass(5 * SECOND);
    assert_eq!(room.bridge.clock.text().as_ref(), Some(b"1-0        "));
    assert_eq!(room.shown().2, None);
}

/// Who reads late finds two presses in one breath: each is told with the model that had it and no
/// other, or the first would be told with the times after both, and the second taken for the echo
/// of what the clock was set to.
#[test]
fn presses_that_are_heard_at_once_are_told_one_after_the_other() {
    let mut room = Room::in_play();
    let bytes = [(Color::White, 400), (Color::Black, 300)].map(|(by, thinks)| {
        room.now = room.now + Duration::from_millis(thinks);
        room.bridge.happen(room.now, &Happening::Press(by));
        room.bridge.take(room.now + Duration::from_millis(2))
    });
    let mut out = Vec::new();
    room.host.handle(room.now, &PortInput::Bytes(bytes.concat()), &mut out);
    let told: Vec<_> = out
        .iter()
        .filter_map(|act| match act {
            PortAct::Hear(Event::Driven(Driving::Obeys(model))) => Some(model.running()),
            PortAct::Hear(Event::Clock(ClockMessage::Time(time))) => {
                Some(Some(if time.high == End::Left { Color::White } else { Color::Black }))
            }
            _ => None,
        })
        .collect();
    let (white, black) = (Some(Color::White), Some(Color::Black));
    assert_eq!(told, [black, black, white, white], "{out:?}");
}

/// A daemon that takes a game up counts its time from zero, and the game goes on where its record
/// ends: the model that the clock is driven by is in the time of the daemon.
#[test]
fn a_restart_takes_nobody_any_time() {
    let (board, clock_role) = (BoardKind::Scanned, ClockRole::Driven);
    let settings =
        Settings { board, clock_role, white_end: Some(End::Left), ..Settings::default() };
    let mut game = Game::new(settings.clone());
    let mut record = Recovered::default();
    let stamp = |ms| Stamp { mono: Mono::from_millis(ms), wall: Wall(0) };
    let stands = Event::Pictured(Placement::from(Board::new()));
    let mut effects = Vec::new();
    for (ms, event) in [(0, Event::LinkUp), (40_000, stands)] {
        game.handle(stamp(ms), &event, &mut effects);
    }
    let entries = effects.iter().filter_map(|effect| match effect {
        Effect::Record(entry) => Some(entry),
        _ => None,
    });
    for (idx, entry) in entries.enumerate() {
        record.fold(idx, entry).expect("it was just recorded");
    }
    let mut game = record.into_game(settings);
    let mut model = ClockModel::new("3m+2s".parse().expect("a control"), Manner::default());
    model.start(Mono::from_millis(1_000), Color::White);
    game.handle(stamp(1_000), &Event::Driven(Driving::Obeys(Box::new(model))), &mut effects);
    let (left, right) = (SideTime::of_seconds(180), SideTime::of_seconds(180));
    let shows = ClockTime { left, right, running: true, high: End::Left, battery_low: false };
    game.handle(stamp(1_000), &Event::Clock(ClockMessage::Time(shows)), &mut effects);
    let estimate = game.estimate(Mono::from_millis(11_000)).expect("the model has times");
    assert_eq!(*estimate.times.get(Color::White), Duration::from_secs(170));
}
