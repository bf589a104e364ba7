//! The board's own memory, joined to the record after a gap: by a daemon that was started anew, by
//! one whose board has forgotten, and by one whose board does not answer.

use rokade::game::{
    Basis, ClockRole, Effect, Entry, Event, Fact, Game, Recovered, Settings, Unknown,
};
use rokade::laws::{Act, FindingKind, Reason};
use rokade::relay::log::Log;
use rokade::relay::pgn::{self, Tags};
use rokade::sim::{BoardSim, ClockSim, Delivery, clock};
use rokade::table::{End, Times};
use rokade::time::{Mono, Stamp, Wall};
use rokade::track::line::CompletedBy;
use rokade::wire::{BoardCommand, BoardMessage, Decoder, Dump, FieldCode, Item, Orientation};
use shakmaty::{Board, Color, Square};
use std::time::Duration;

/// A board with a clock, and a game that listens while it is plugged in.
struct Table {
    board: BoardSim,
    clock: ClockSim,
    now: Mono,
    game: Game,
    decoder: Decoder,
    facts: Vec<Fact>,
    entries: Vec<Entry>,
    n_logs_asked: usize,
    /// The board answers when it is asked for its memory.
    has_memory: bool,
}

impl Table {
    fn new() -> Self {
        Self::with(Settings::default())
    }

    fn with(settings: Settings) -> Self {
        let clock = ClockSim::new(clock::USUAL.0, clock::USUAL.1, End::Left);
        let board = BoardSim::new(Board::new(), Orientation::Normal, Some(clock.time()));
        let mut table = Self {
            board: board.well_used(),
            clock,
            now: Mono::default(),
            game: Game::new(settings),
            decoder: Decoder::default(),
            facts: Vec::new(),
            entries: Vec::new(),
            n_logs_asked: 0,
            has_memory: true,
        };
        table.event(&Event::LinkUp);
        table.pass(1_500);
        table.clock.run(table.now, Color::White);
        table.pass(500);
        table
    }

    /// Lets this many milliseconds pass with the program listening.
    fn pass(&mut self, ms: u64) {
        let until = self.now + Duration::from_millis(ms);
        loop {
            let next = [self.board.next_at(), self.clock.next_at(), self.game.wake_at()];
            let next = next.into_iter().flatten().min().map(|at| at.max(self.now));
            self.now = next.filter(|at| *at <= until).unwrap_or(until);
            self.tick();
            let mut bytes = Vec::new();
            self.board.take(self.now, &mut bytes);
            let mut items = Vec::new();
            self.decoder.push(self.now, &bytes, &mut items);
            if bytes.is_empty() {
                self.event(&Event::Timeout);
            } else {
                self.event(&Event::Bytes);
            }
            for item in items {
                if let Item::Message(message) = item {
                    self.event(&Event::Board(message));
                }
            }
            if self.now == until {
                return;
            }
        }
    }

    fn tick(&mut self) {
        self.clock.advance(self.now);
        self.board.clock(self.now, self.clock.time());
    }

    fn event(&mut self, event: &Event) {
        let mut effects = Vec::new();
        self.game.handle(Stamp { mono: self.now, wall: Wall(0) }, event, &mut effects);
        for effect in effects {
            match effect {
                Effect::Send(bytes) => {
                    let is_log = bytes == BoardCommand::SendLog.encode();
                    self.n_logs_asked += usize::from(is_log);
                    if self.has_memory || !is_log {
                        self.board.host_bytes(self.now, &bytes);
                    }
                }
                Effect::Record(entry) => {
                    self.facts.push(entry.fact.clone());
                    self.entries.push(entry);
                }
                _ => {}
            }
        }
    }

    fn set(&mut self, square: Square, code: FieldCode) {
        self.board.set(self.now, square, code, Delivery::Sent);
    }

    /// A move without capture and its press; `listens` lets the program hear of it.
    fn play(&mut self, from: Square, to: Square, by: Color, listens: Listens) {
        let code = self.board.code(from);
        for (square, code) in [(from, FieldCode::Empty), (to, code)] {
            self.wait(400, listens);
            self.set(square, code);
        }
        self.wait(400, listens);
        self.clock.press(self.now, by);
        self.tick();
        self.wait(1_500, listens);
    }

    fn wait(&mut self, ms: u64, listens: Listens) {
        match listens {
            Listens::Yes => self.pass(ms),
            Listens::No => {
                self.now = self.now + Duration::from_millis(ms);
                self.tick();
            }
        }
    }

    fn gaps(&self) -> Vec<(usize, Unknown)> {
        let sheet = self.game.play().expect("a game has begun").sheet();
        sheet.gaps().iter().map(|gap| (gap.ply, gap.n)).collect()
    }

    /// The daemon is started anew from what it has recorded.
    fn restart(&mut self) {
        let mut fold = Recovered::default();
        for (idx, entry) in self.entries.iter().enumerate() {
            fold.fold(idx, entry).expect("a record that can be");
        }
        self.game = fold.into_game(Settings::default());
        self.plug();
    }

    /// What the board has said meanwhile is gone; from now on it is heard.
    fn plug(&mut self) {
        self.board.line_down(self.now);
        self.board.line_up(self.now);
        self.decoder = Decoder::default();
        self.event(&Event::LinkDown);
        self.event(&Event::LinkUp);
    }

    fn moves(&self) -> Vec<String> {
        let moves = self.game.play().expect("a game").sheet().moves();
        moves.iter().map(|scored| scored.uci.to_string()).collect()
    }

    fn has_told(&self, kind: &FindingKind) -> bool {
        self.facts.iter().any(|fact| matches!(fact, Fact::Found(found) if found.kind == *kind))
    }
}

/// Whether the program hears what happens.
#[derive(Copy, Clone)]
enum Listens {
    Yes,
    No,
}

/// Three plies of which two orders fit, played while nobody listens.
fn play_unheard(table: &mut Table) {
    table.play(Square::E7, Square::E5, Color::Black, Listens::No);
    table.play(Square::G1, Square::F3, Color::White, Listens::No);
    table.play(Square::D7, Square::D6, Color::Black, Listens::No);
}

#[test]
fn a_daemon_that_is_started_anew_reads_what_was_played_meanwhile() {
    let mut table = Table::new();
    table.play(Square::E2, Square::E4, Color::White, Listens::Yes);
    play_unheard(&mut table);
    table.restart();
    table.pass(25_000);
    assert_eq!(table.moves(), ["e2e4", "e7e5", "g1f3", "d7d6"]);
    assert_eq!(table.n_logs_asked, 1);
    let moves = table.game.play().unwrap().sheet().moves();
    assert!(moves.iter().all(|scored| !scored.is_uncertain()));
    for scored in &moves[1..] {
        let done = scored.completed.expect("each was pressed");
        assert_eq!((done.by, done.elapsed), (CompletedBy::Press, None));
        let Some(Times { white, black }) = done.times else { panic!("the memory has times") };
        assert!(white.as_secs() > 5_400 && black.as_secs() > 5_400, "{white:?} {black:?}");
    }
    let is_recalled = |fact: &Fact| matches!(fact, Fact::MoveMade { basis: Basis::Memory, .. });
    assert!(table.facts.iter().any(is_recalled));
}

#[test]
fn a_memory_that_no_longer_reaches_back_is_set_aside() {
    let mut table = Table::new();
    table.play(Square::E2, Square::E4, Color::White, Listens::Yes);
    play_unheard(&mut table);
    // A piece that trembles on its square fills the whole ring.
    for n in 0..6_000_u64 {
        table.now = table.now + Duration::from_millis(1);
        let code =
            if n % 2 == 0 { FieldCode::Empty } else { FieldCode::Piece(Color::White.rook()) };
        table.set(Square::A1, code);
    }
    table.plug();
    table.pass(40_000);
    assert!(table.has_told(&FindingKind::MemorySetAside));
    // Two orders of the moves fit: none of them is on record, and that is said.
    assert_eq!(table.moves(), ["e2e4"]);
    assert_eq!(table.gaps(), [(1, Unknown::at_least(3))]);
}

#[test]
fn a_board_that_does_not_answer_is_asked_twice() {
    let mut table = Table::new();
    table.has_memory = false;
    table.play(Square::E2, Square::E4, Color::White, Listens::Yes);
    play_unheard(&mut table);
    table.plug();
    table.pass(600_000);
    assert_eq!(table.n_logs_asked, 2);
    // Play goes on from how the board stands, with what nobody knows left open.
    table.play(Square::D2, Square::D4, Color::White, Listens::Yes);
    assert_eq!(table.moves(), ["e2e4", "d2d4"]);
    assert_eq!(table.gaps(), [(1, Unknown::at_least(3))]);
}

/// While a board without a memory is waited for, which speaks of its clock meanwhile, moves are on
/// record as soon as they rest.
#[test]
fn a_board_that_does_not_answer_keeps_no_move_waiting() {
    let mut table = Table::new();
    table.has_memory = false;
    table.play(Square::E2, Square::E4, Color::White, Listens::Yes);
    play_unheard(&mut table);
    table.plug();
    // It has been asked, and answers nothing.
    table.pass(7_000);
    let pawn = table.board.code(Square::D2);
    for (square, code) in [(Square::D2, FieldCode::Empty), (Square::D4, pawn)] {
        table.set(square, code);
        table.pass(400);
    }
    assert_eq!((table.moves(), table.n_logs_asked), (vec!["e2e4".into(), "d2d4".into()], 1));
}

/// Black has taken a pawn off, to put his own in its place, when the cable is in again, and the
/// board is taken over without it. What he does then looks like an illegal move of his pawn: it is
/// none, and the board is taken over anew.
#[test]
fn a_piece_in_hand_where_a_board_is_taken_over_makes_no_illegal_move() {
    let mut table = Table::new();
    table.has_memory = false;
    table.play(Square::E2, Square::E4, Color::White, Listens::Yes);
    table.play(Square::D7, Square::D5, Color::Black, Listens::No);
    table.play(Square::A2, Square::A3, Color::White, Listens::No);
    let pawn = table.board.code(Square::D5);
    table.set(Square::E4, FieldCode::Empty);
    table.plug();
    table.pass(5_000);
    assert_eq!(table.gaps().len(), 1);
    table.set(Square::D5, FieldCode::Empty);
    table.pass(300);
    table.set(Square::E4, pawn);
    table.pass(300);
    table.clock.press(table.now, Color::Black);
    table.pass(1_500);
    table.play(Square::B1, Square::C3, Color::White, Listens::Yes);
    table.play(Square::G8, Square::F6, Color::Black, Listens::Yes);
    assert_eq!(table.moves(), ["e2e4", "b1c3", "g8f6"]);
    let [(1, n)] = table.gaps()[..] else { panic!("{:?}", table.gaps()) };
    assert!(n.at_least <= 3 && n.at_most.is_none_or(|most| most >= 3), "{n:?}");
    let is_blame = |fact: &Fact| matches!(fact, Fact::Found(found) if found.by.is_some());
    assert!(!table.facts.iter().any(is_blame), "{:?}", table.facts);
}

#[test]
fn an_arbiter_fills_a_gap_from_the_score_sheets() {
    let mut table = Table::new();
    table.has_memory = false;
    table.play(Square::E2, Square::E4, Color::White, Listens::Yes);
    play_unheard(&mut table);
    table.plug();
    table.pass(60_000);
    table.play(Square::D2, Square::D4, Color::White, Listens::Yes);
    let pgn = |table: &Table| {
        let sheet = table.game.play().expect("a game has begun").sheet();
        pgn::render(&Tags::default(), sheet, sheet.len(), None)
    };
    let parts = pgn(&table);
    assert_eq!(parts.matches("[SetUp \"1\"]").count(), 1, "{parts}");
    assert!(parts.contains("[Part \"2 of 2\"]") && parts.contains("at least 3 half-moves not"));
    let order = |table: &mut Table, text: &str| {
        table.event(&Event::Act(Act::read(text, "arbiter", "").expect("an order")));
    };
    order(&mut table, "insert 2 e7e5");
    assert_eq!(table.moves(), ["e2e4", "e7e5", "d2d4"]);
    assert_eq!(table.gaps(), [(2, Unknown::at_least(2))]);
    order(&mut table, "insert 3 g1f3 d7d6");
    assert_eq!(table.moves(), ["e2e4", "e7e5", "g1f3", "d7d6", "d2d4"]);
    assert_eq!(table.gaps(), []);
    assert!(!pgn(&table).contains("[Part"));
    // A daemon that is started anew reads the same.
    let sheet = table.game.play().expect("a game has begun").sheet().clone();
    table.restart();
    assert_eq!(table.game.play().expect("a game has begun").sheet().last(), sheet.last());
    assert_eq!((table.moves().len(), table.gaps()), (5, Vec::new()));
}

#[test]
fn what_is_played_while_the_memory_is_read_is_neither_lost_nor_mixed_up() {
    let mut table = Table::new();
    table.play(Square::E2, Square::E4, Color::White, Listens::Yes);
    play_unheard(&mut table);
    table.plug();
    while table.n_logs_asked == 0 {
        table.pass(100);
    }
    table.pass(1_000);
    table.play(Square::D2, Square::D4, Color::White, Listens::Yes);
    table.play(Square::G8, Square::F6, Color::Black, Listens::Yes);
    assert_eq!(table.moves(), ["e2e4"], "the line is still busy with the log");
    table.pass(15_000);
    let all = ["e2e4", "e7e5", "g1f3", "d7d6", "d2d4", "g8f6"];
    assert_eq!(table.moves(), all);
    assert_eq!(table.n_logs_asked, 1);
}

#[test]
fn a_log_that_nobody_asked_for_changes_nothing() {
    let mut table = Table::new();
    table.play(Square::E2, Square::E4, Color::White, Listens::Yes);
    let before = table.facts.len();
    table.event(&Event::Board(BoardMessage::Log(vec![0x6a, 0x40, 0x00, 0x6b])));
    table.pass(3_000);
    assert_eq!(table.moves(), ["e2e4"]);
    let is_news = |fact: &Fact| matches!(fact, Fact::Found(_) | Fact::MoveRetracted { .. });
    assert!(!table.facts[before..].iter().any(is_news));
}

#[test]
fn beside_a_clock_that_is_driven_the_memory_is_read_when_it_stands() {
    let settings = Settings { clock_role: ClockRole::Driven, ..Settings::default() };
    let mut table = Table::with(settings);
    table.play(Square::E2, Square::E4, Color::White, Listens::Yes);
    play_unheard(&mut table);
    table.plug();
    table.pass(120_000);
    assert!(table.game.awaits_memory());
    assert_eq!(table.n_logs_asked, 0, "no press would be heard for eight seconds");
    table.clock.stop(table.now);
    table.pass(30_000);
    assert_eq!(table.n_logs_asked, 1);
    assert_eq!(table.moves(), ["e2e4", "e7e5", "g1f3", "d7d6"]);
    assert!(!table.game.awaits_memory());
}

#[test]
fn a_mate_that_nobody_saw_is_found_by_a_daemon_started_beside_a_standing_clock() {
    for has_memory in [true, false] {
        let mut table = Table::new();
        table.has_memory = has_memory;
        table.play(Square::F2, Square::F3, Color::White, Listens::Yes);
        table.play(Square::E7, Square::E5, Color::Black, Listens::Yes);
        table.play(Square::G2, Square::G4, Color::White, Listens::Yes);
        for (square, code) in
            [(Square::D8, FieldCode::Empty), (Square::H4, table.board.code(Square::D8))]
        {
            table.wait(400, Listens::No);
            table.set(square, code);
        }
        table.wait(400, Listens::No);
        table.clock.stop(table.now);
        table.wait(5_000, Listens::No);
        table.restart();
        table.pass(30_000);
        assert_eq!(table.moves(), ["f2f3", "e7e5", "g2g4", "d8h4"], "memory {has_memory}");
        let ending = table.game.play().expect("a game").ending();
        assert_eq!(ending.map(|ending| ending.reason), Some(Reason::Checkmate));
    }
}

/// A game ends, the cable is out while the pieces are set up, and comes back two half-moves into
/// the next game.
#[test]
fn the_next_game_is_recorded_though_nobody_saw_it_begin() {
    for has_memory in [true, false] {
        let mut table = Table::new();
        table.has_memory = has_memory;
        let mate = [
            (Square::F2, Square::F3),
            (Square::E7, Square::E5),
            (Square::G2, Square::G4),
            (Square::D8, Square::H4),
        ];
        for ((from, to), by) in mate.into_iter().zip([Color::White, Color::Black].repeat(2)) {
            table.play(from, to, by, Listens::Yes);
        }
        table.pass(5_000);
        assert!(table.game.play().expect("a game").ending().is_some());
        table.clock.stop(table.now);
        for (from, to) in mate.into_iter().rev() {
            let code = table.board.code(to);
            table.wait(700, Listens::No);
            table.set(to, FieldCode::Empty);
            table.set(from, code);
        }
        table.clock.run(table.now, Color::White);
        table.play(Square::D2, Square::D4, Color::White, Listens::No);
        table.play(Square::D7, Square::D5, Color::Black, Listens::No);
        table.plug();
        table.pass(30_000);
        let squares = [
            (Square::C2, Square::C4),
            (Square::E7, Square::E6),
            (Square::B1, Square::C3),
            (Square::G8, Square::F6),
            (Square::C1, Square::G5),
            (Square::F8, Square::E7),
            (Square::E2, Square::E3),
            (Square::B8, Square::D7),
            (Square::G1, Square::F3),
            (Square::A7, Square::A6),
        ];
        for ((from, to), by) in squares.into_iter().zip([Color::White, Color::Black].repeat(5)) {
            table.play(from, to, by, Listens::Yes);
        }
        let seen = squares.map(|(from, to)| format!("{from}{to}"));
        assert!(table.moves().ends_with(&seen), "memory {has_memory}: {:?}", table.moves());
    }
}

/// Puts the pieces on `to` as by hands, while nobody listens.
fn set_up(table: &mut Table, to: &Board) {
    for sq in Square::ALL {
        let code = to.piece_at(sq).map_or(FieldCode::Empty, FieldCode::Piece);
        if table.board.code(sq) != code {
            table.set(sq, code);
            table.wait(200, Listens::No);
        }
    }
}

/// What the log, the page and the PGN say of the game that is on record last, or of the one before
/// if `n_back` is 1.
fn told(table: &Table, n_back: usize) -> (String, String) {
    let mut log = Log::default();
    let lines = table.facts.iter().filter_map(|fact| log.line(fact));
    let lines: Vec<String> = lines.collect();
    let is_start = |entry: &Entry| matches!(entry.fact, Fact::GameStarted { .. });
    let starts = table.entries.iter().enumerate().filter(|(_, entry)| is_start(entry));
    let starts: Vec<usize> = starts.map(|(idx, _)| idx).collect();
    let end = match n_back {
        0 => table.entries.len(),
        n => starts[starts.len() - n],
    };
    let mut fold = Recovered::default();
    for (idx, entry) in table.entries[..end].iter().enumerate() {
        fold.fold(idx, entry).expect("a record that can be");
    }
    let sheet = fold.sheet().expect("a game has begun");
    let outcome = fold.ending().map(|ending| ending.outcome);
    let pgn = pgn::render(&Tags::default(), sheet, sheet.len(), outcome);
    (lines.join("\n"), pgn.replace('\n', " "))
}

/// Two half-moves and the end are played while nobody listens: the kings in the center say who has
/// won, and nobody can say by which moves.
#[test]
fn a_game_that_ended_unheard_is_said_to_have_unknown_moves() {
    for (is_killed, has_memory) in [(false, false), (true, false), (false, true)] {
        let mut table = Table::new();
        table.has_memory = has_memory;
        table.play(Square::E2, Square::E4, Color::White, Listens::Yes);
        table.play(Square::E7, Square::E5, Color::Black, Listens::No);
        table.play(Square::G1, Square::F3, Color::White, Listens::No);
        table.clock.stop(table.now);
        table.wait(2_000, Listens::No);
        let mut end = table.board.placement();
        for (color, home, center) in
            [(Color::White, Square::E1, Square::E4), (Color::Black, Square::E8, Square::D5)]
        {
            end.discard_piece_at(home);
            end.set_piece_at(center, color.king());
        }
        set_up(&mut table, &end);
        if is_killed {
            table.restart();
        } else {
            table.plug();
        }
        table.pass(60_000);
        let ending = table.game.play().expect("a game").ending();
        assert_eq!(ending.map(|ending| ending.reason), Some(Reason::KingsInCenter));
        let (log, pgn) = told(&table, 0);
        if has_memory {
            assert_eq!((table.moves().len(), table.gaps()), (3, Vec::new()), "{log}");
            continue;
        }
        assert_eq!(table.gaps(), [(1, Unknown::at_least(0))], "{log}");
        assert!(log.contains("GAP        an unknown number of half-moves not known after 1. e4"));
        assert!(pgn.contains("an unknown number of half-moves not known from here to the end"));
        assert!(!pgn.contains("[SetUp") && pgn.trim_end().ends_with("1-0"), "{pgn}");
        let blame = |fact: &Fact| fact.finding().is_some_and(|found| found.by.is_some());
        assert!(!table.facts.iter().any(blame), "{log}");
    }
}

/// The arbiter enters the result while the cable is out. If the board stands as it stood once it is
/// heard again, nothing was missed.
#[test]
fn what_is_missing_before_a_result_by_order_is_told_while_the_board_is_unheard() {
    for is_played_on in [true, false] {
        let mut table = Table::new();
        table.has_memory = false;
        table.play(Square::E2, Square::E4, Color::White, Listens::Yes);
        table.event(&Event::LinkDown);
        if is_played_on {
            play_unheard(&mut table);
        }
        let order = Act::read("result 1/2-1/2", "arbiter", "").expect("an order");
        table.event(&Event::Act(order));
        assert_eq!(table.gaps(), [(1, Unknown::at_least(0))]);
        table.plug();
        table.pass(30_000);
        assert_eq!(!table.gaps().is_empty(), is_played_on);
        let (log, pgn) = told(&table, 0);
        assert_eq!(pgn.contains("half-moves not known"), is_played_on, "{log}");
        assert!(pgn.trim_end().ends_with("1/2-1/2"));
        // The arbiter has the score sheets.
        if is_played_on {
            let order = Act::read("insert 2 e7e5 g1f3 d7d6", "arbiter", "").expect("an order");
            table.event(&Event::Act(order));
            assert_eq!((table.moves().len(), table.gaps()), (4, Vec::new()));
        }
    }
}

/// The game ends and the pieces are set up for the next one while nobody listens.
#[test]
fn a_game_whose_pieces_were_set_up_anew_unheard_is_said_to_have_unknown_moves() {
    for is_killed in [false, true] {
        let mut table = Table::new();
        table.has_memory = false;
        table.play(Square::E2, Square::E4, Color::White, Listens::Yes);
        table.play(Square::D7, Square::D5, Color::Black, Listens::Yes);
        table.play(Square::G1, Square::F3, Color::White, Listens::No);
        table.play(Square::D5, Square::E4, Color::Black, Listens::No);
        table.clock.stop(table.now);
        set_up(&mut table, &Board::new());
        if is_killed {
            table.restart();
        } else {
            table.plug();
        }
        table.pass(30_000);
        let n_games = |facts: &[Fact]| {
            facts.iter().filter(|fact| matches!(fact, Fact::GameStarted { .. })).count()
        };
        assert_eq!(n_games(&table.facts), 2, "killed {is_killed}");
        assert_eq!((table.moves().len(), table.gaps()), (0, Vec::new()));
        let (log, pgn) = told(&table, 1);
        assert!(pgn.contains("2. Nf3") || pgn.contains("not known from here to the end"), "{log}");
        assert!(log.contains("GAP "), "{log}\n{pgn}");
    }
}

#[test]
fn a_shifted_picture_is_asked_for_again_before_it_changes_anything() {
    let mut table = Table::new();
    table.play(Square::E2, Square::E4, Color::White, Listens::Yes);
    table.play(Square::E7, Square::E5, Color::Black, Listens::Yes);
    let board = table.board.placement();
    let mut shifted = Dump::new(&board, Orientation::Normal);
    shifted.0[3..].rotate_right(1);
    let before = table.facts.len();
    table.event(&Event::Board(BoardMessage::Dump(Box::new(shifted))));
    table.pass(3_000);
    let is_change =
        |fact: &Fact| matches!(fact, Fact::Pictured(_) | Fact::MoveMade { .. } | Fact::Found(_));
    assert!(!table.facts[before..].iter().any(is_change), "{:?}", &table.facts[before..]);
    table.play(Square::G1, Square::F3, Color::White, Listens::Yes);
    assert_eq!(table.moves(), ["e2e4", "e7e5", "g1f3"]);
}
