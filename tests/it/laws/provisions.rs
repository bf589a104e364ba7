//! Provisions that no scenario can show: one test each, named for the row in the table of coverage.

use rokade::game::{Clocked, Effect, Entry, Event, Fact, Game, Settings};
use rokade::laws::{Act, Clocks, Code, Terms};
use rokade::relay::log::Log;
use rokade::relay::times::{LastTimes, shortest_first};
use rokade::table::{Placement, Reading, Times};
use rokade::time::{Mono, Stamp, Wall};
use shakmaty::{Board, ByColor, Chess, Color, Square};
use std::time::Duration;

/// A game with a referee, and what it puts on record.
struct Seat {
    game: Game,
    entries: Vec<Entry>,
}

impl Seat {
    fn new(settings: Settings) -> Self {
        let game = Game::new(Settings { terms: Some(Terms::default()), ..settings });
        let mut seat = Self { game, entries: Vec::new() };
        seat.handle(0, Event::Pictured(Placement::from(Board::new())));
        seat
    }

    fn handle(&mut self, ms: u64, event: Event) {
        let at = Stamp { mono: Mono::from_millis(ms), wall: Wall(0) };
        let mut effects = Vec::new();
        self.game.handle(at, &event, &mut effects);
        self.entries.extend(effects.into_iter().filter_map(|effect| match effect {
            Effect::Record(entry) => Some(entry),
            _ => None,
        }));
    }

    /// A piece goes from one square to the other.
    fn moves(&mut self, ms: u64, from: Square, to: Square, piece: shakmaty::Piece) {
        self.handle(ms, Event::Sensed(from, Reading::Empty));
        self.handle(ms + 300, Event::Sensed(to, Reading::Piece(piece)));
        self.handle(ms + 900, Event::Timeout);
    }

    fn facts(&self) -> impl Iterator<Item = &Fact> {
        self.entries.iter().map(|entry| &entry.fact)
    }
}

/// Row L3.1c: what a piece attacks is what it may capture.
#[test]
fn attacks_are_those_of_the_moves() {
    let n = |depth| shakmaty::perft(&Chess::new(), depth);
    assert_eq!((n(1), n(2), n(3)), (20, 400, 8_902));
}

/// Row L12.2b: who was on move when somebody left the playing room.
#[test]
fn the_log_says_who_was_on_move_when_a_player_left() {
    let mut seat = Seat::new(Settings::default());
    let left = ByColor { white: Duration::from_secs(600), black: Duration::from_secs(600) };
    seat.handle(10, Event::Clocked(Clocked::Shows(Clocks { left, running: Some(Color::White) })));
    let note = || {
        let order = "note Black has left the room".parse().expect("an order");
        Event::Act(Act::Ordered { order, author: "A".to_owned(), reason: String::new() })
    };
    seat.handle(500, note());
    seat.moves(1_000, Square::E2, Square::E4, Color::White.pawn());
    seat.handle(2_500, note());
    let mut log = Log::default();
    let lines = seat.facts().filter_map(|fact| match fact {
        Fact::Ruled(ruled) if ruled.code == Some(Code::ArbiterNote) => log.line(fact),
        _ => None,
    });
    let lines: Vec<String> = lines.collect();
    assert!(lines[0].contains("Black has left the room (white on move)"), "{lines:?}");
    assert!(lines[1].contains("Black has left the room (black on move)"), "{lines:?}");
}

/// Row L13.3: the arbiter watches above all those who are short of time.
#[test]
fn the_board_with_the_shortest_time_is_listed_first() {
    let shown = |white, black| {
        let mut seat = Seat::new(Settings::default());
        let (white, black) = (Duration::from_secs(white), Duration::from_secs(black));
        let left = ByColor { white, black };
        let running = Some(Color::White);
        seat.handle(10, Event::Clocked(Clocked::Shows(Clocks { left, running })));
        let mut shown = LastTimes::default();
        seat.facts().for_each(|fact| shown.take(fact));
        assert_eq!(shown.times(), Some(Times { white, black }));
        let is_low = seat
            .facts()
            .any(|fact| matches!(fact, Fact::Ruled(ruled) if ruled.code == Some(Code::LowTime)));
        assert_eq!(is_low, white.min(black) < Duration::from_secs(300));
        shown
    };
    let mut over = shown(5, 5);
    over.take(&Fact::GameClosed);
    let boards =
        [("1", shown(900, 1_000)), ("2", shown(800, 20)), ("3", shown(200, 300)), ("4", over)];
    let listed: Vec<&str> = shortest_first(boards).into_iter().map(|(name, _)| name).collect();
    assert_eq!(listed, ["2", "3", "1"]);
}
