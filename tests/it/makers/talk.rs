//! What a driver says to its board, when, and what it makes of an answer that does not come.

use rokade::game::{BoardKind, Effect, Event, Fact, Game, LightCause, Lights, LinkState, Settings};
use rokade::laws::{Act, FindingKind};
use rokade::sim::script::Header;
use rokade::sim::{
    CertaboSim, ChessLinkSim, ChessnutSim, MakerSim, PegasusSim, Table, UcbSim, certabo, pegasus,
};
use rokade::table::{Reading, Sight};
use rokade::time::{Mono, Stamp, Wall};
use rokade::wire::blocks::Blocks;
use rokade::wire::chesslink::{Register, ToBoard};
use rokade::wire::{ChessLinkCommand, ChessLinkMessage, Dump, Orientation};
use shakmaty::{Bitboard, Board, Color, Position as _, Role, Square};
use std::time::Duration;

/// The program, a board and the line between them.
struct Room<B> {
    game: Game,
    board: B,
    now: Mono,
    /// What the program has sent, with the milliseconds.
    said: Vec<(u64, ChessLinkCommand)>,
    /// The same in bytes.
    sent: Vec<(u64, Vec<u8>)>,
    facts: Vec<Fact>,
    n_reopened: usize,
    blocks: Blocks,
}

impl Room<ChessLinkSim> {
    fn new(board: ChessLinkSim, lights: Lights) -> Self {
        Self::of(board, BoardKind::ChessLink, lights)
    }
}

impl<B: MakerSim> Room<B> {
    fn of(board: B, kind: BoardKind, lights: Lights) -> Self {
        let (chips, key) = (certabo::set(), pegasus::KEY);
        Self::with(board, Settings { board: kind, chips, key, lights, ..Settings::default() })
    }

    fn with(board: B, settings: Settings) -> Self {
        let mut room = Self {
            game: Game::new(settings),
            board,
            now: Mono::default(),
            said: Vec::new(),
            sent: Vec::new(),
            facts: Vec::new(),
            n_reopened: 0,
            blocks: Blocks::default(),
        };
        room.event(&Event::LinkUp);
        room
    }

    fn event(&mut self, event: &Event) {
        let mut effects = Vec::new();
        let wall = Wall(i64::try_from(self.now.0).unwrap());
        self.game.handle(Stamp { mono: self.now, wall }, event, &mut effects);
        for effect in effects {
            match effect {
                Effect::Send(bytes) => {
                    let commands = self.blocks.push::<ToBoard>(self.now, &bytes);
                    let at = self.now.millis();
                    self.sent.push((at, bytes.clone()));
                    self.said.extend(commands.messages.into_iter().map(|it| (at, it)));
                    self.board.host_bytes(self.now, &bytes);
                }
                Effect::Record(entry) => self.facts.push(entry.fact),
                Effect::Reopen => self.n_reopened += 1,
                Effect::Show | Effect::Clock(_) => {}
            }
        }
    }

    fn pass(&mut self, millis: u64) {
        let end = self.now + Duration::from_millis(millis);
        while self.now < end {
            let dues = [self.game.wake_at(), self.board.next_at(), Some(end)];
            self.now = dues.into_iter().flatten().min().unwrap().max(Mono(self.now.0 + 1));
            let mut bytes = Vec::new();
            self.board.take(self.now, &mut bytes);
            let said = if bytes.is_empty() { Event::Timeout } else { Event::Said(bytes) };
            self.event(&said);
        }
    }

    fn put(&mut self, sq: Square, reading: Reading) {
        self.board.sense(sq, reading, false);
    }

    /// A pawn is put from one square onto another, and the board rests.
    fn play(&mut self, from: Square, to: Square, color: Color) {
        self.put(from, Reading::Empty);
        self.pass(300);
        self.put(to, Reading::Piece(Role::Pawn.of(color)));
        self.pass(3_000);
    }

    fn n_moves(&self) -> usize {
        self.game.play().map_or(0, |play| play.sheet().len())
    }
}

fn board() -> ChessLinkSim {
    ChessLinkSim::new(Board::new(), Orientation::Normal)
}

/// One that tells what has changed, as other programs leave it behind.
fn used() -> ChessLinkSim {
    board().with_register(Register::Reports, 3)
}

#[test]
fn a_board_is_asked_for_its_version_its_reports_and_its_position() {
    let mut room = Room::new(used(), Lights::Off);
    room.pass(900);
    let said: Vec<_> = room.said.iter().map(|(_, it)| it.clone()).collect();
    assert_eq!(room.sent.len(), said.len());
    let reports = ChessLinkCommand::Read(Register::Reports);
    let expected =
        [ChessLinkCommand::Version, reports, ChessLinkCommand::Position, ChessLinkCommand::Dark];
    assert_eq!(said, expected);
    assert_eq!(room.said[0].0, 500, "a bridge of USB has time to set itself up");
    assert_eq!(room.game.link(), LinkState::Live);
    // At rest it is asked once a second, which keeps the line from looking dead.
    room.said.clear();
    room.pass(10_000);
    assert!((8..=10).contains(&room.said.len()), "{:?}", room.said);
    assert!(room.said.iter().all(|(_, it)| *it == ChessLinkCommand::Position));
}

/// What is kept without power is written only where it must be: a board that tells its position by
/// itself, however often, is left as it is.
#[test]
fn registers_are_written_only_where_nothing_would_be_told() {
    for (before, after) in [(0, 0), (1, 3), (2, 3), (3, 3), (5, 5)] {
        let mut room = Room::new(board().with_register(Register::Reports, before), Lights::Off);
        room.pass(2_000);
        assert_eq!(room.board.register(Register::Reports), after, "{before}");
        room.play(Square::E2, Square::E4, Color::White);
        assert_eq!(room.n_moves(), 1, "{before}");
    }
}

#[test]
fn the_last_move_is_lit_and_what_is_wrong_where_that_is_wanted() {
    for lights in [Lights::Off, Lights::LastMove, Lights::SetUp, Lights::Help] {
        let mut room = Room::new(used(), lights);
        room.pass(2_000);
        room.play(Square::E2, Square::E4, Color::White);
        assert_eq!(room.n_moves(), 1);
        let lit = |squares: &[Square]| -> Bitboard { squares.iter().copied().collect() };
        let of_move = lit(&[Square::E2, Square::E4]);
        let shown = |room: &Room<ChessLinkSim>| room.board.lit() & !Bitboard::from(Square::E3);
        let expected = if lights == Lights::Off { Bitboard::EMPTY } else { of_move };
        assert_eq!(shown(&room), expected, "{lights:?}");
        // A piece is knocked off.
        room.put(Square::B1, Reading::Empty);
        room.pass(8_000);
        let expected = match lights {
            Lights::Off => Bitboard::EMPTY,
            Lights::LastMove | Lights::SetUp => of_move,
            Lights::Help => lit(&[Square::B1]),
        };
        assert_eq!(shown(&room), expected, "{lights:?}");
        // Who has lost its power shows it again.
        room.put(Square::B1, Reading::Piece(Role::Knight.of(Color::White)));
        room.board.power(room.now, true);
        room.event(&Event::LinkDown);
        room.event(&Event::LinkUp);
        room.pass(6_000);
        let expected = if lights == Lights::Off { Bitboard::EMPTY } else { of_move };
        assert_eq!(shown(&room), expected, "{lights:?}");
    }
}

/// Pieces in the hands of those who set the board up have differed for long, and then play begins
/// at once: what moves is not lit as wrong.
#[test]
fn what_moves_is_not_wrong_because_something_else_was() {
    let is_tidy = |room: &Room<ChessLinkSim>| room.game.lit(room.now).cause == LightCause::LastMove;
    for pause in [40, 120, 190, 250, 350, 600] {
        let mut room = Room::new(used(), Lights::Help);
        room.pass(2_000);
        room.put(Square::D1, Reading::Empty);
        room.put(Square::G8, Reading::Empty);
        room.pass(7_000);
        assert_eq!(room.game.lit(room.now).cause, LightCause::SetUp);
        room.put(Square::G8, Reading::Piece(Role::Knight.of(Color::Black)));
        room.put(Square::D1, Reading::Piece(Role::Queen.of(Color::White)));
        room.pass(pause);
        for (color, from, to) in [
            (Color::White, Square::E2, Square::E4),
            (Color::Black, Square::E7, Square::E5),
            (Color::White, Square::D2, Square::D4),
            (Color::Black, Square::D7, Square::D6),
        ] {
            room.put(from, Reading::Empty);
            room.pass(pause);
            assert!(is_tidy(&room), "{pause} ms, {from}: {:?}", room.game.lit(room.now));
            room.put(to, Reading::Piece(Role::Pawn.of(color)));
            room.pass(pause);
            assert!(is_tidy(&room), "{pause} ms, {to}: {:?}", room.game.lit(room.now));
        }
        room.pass(3_000);
        assert_eq!(room.n_moves(), 4);
    }
}

#[test]
fn a_board_that_lies_the_other_way_is_found_out_and_lit_so() {
    let turned = ChessLinkSim::new(Board::new(), Orientation::Rotated);
    let mut room = Room::new(turned.with_register(Register::Reports, 3), Lights::LastMove);
    room.pass(2_000);
    room.play(Square::D2, Square::D4, Color::White);
    room.play(Square::D7, Square::D5, Color::Black);
    assert_eq!(room.n_moves(), 2);
    let lit = room.board.lit() & !Bitboard::from(Square::D6);
    assert_eq!(lit, Bitboard::from(Square::D7) | Square::D5);
}

/// The board is never wrong for longer than a second: at rest it is asked.
#[test]
fn a_report_that_is_lost_is_made_good() {
    let mut room = Room::new(used(), Lights::Off);
    room.pass(2_000);
    room.put(Square::E2, Reading::Empty);
    room.pass(300);
    room.board.sense(Square::E4, Reading::Piece(Role::Pawn.of(Color::White)), true);
    room.pass(100);
    assert_eq!(room.n_moves(), 0);
    room.pass(3_000);
    assert_eq!(room.n_moves(), 1);
}

#[test]
fn a_board_that_is_silent_has_its_line_opened_anew() {
    // Nobody there.
    let mut room = Room::new(board(), Lights::Off);
    room.board.power(room.now, false);
    room.pass(3_400);
    assert_eq!((room.n_reopened, room.said.len()), (0, 6), "{:?}", room.said);
    room.pass(200);
    assert_eq!((room.n_reopened, room.said.len()), (1, 6));
    // One that has been there.
    let mut room = Room::new(used(), Lights::Off);
    room.pass(2_000);
    room.board.power(room.now, false);
    room.pass(3_800);
    assert_eq!(room.n_reopened, 0);
    room.pass(1_500);
    assert_eq!(room.n_reopened, 1);
    // Once it is back, it is asked from the beginning.
    room.board.power(room.now, true);
    room.event(&Event::LinkDown);
    room.event(&Event::LinkUp);
    room.pass(5_000);
    assert_eq!(room.game.link(), LinkState::Live);
}

/// Noise passes the sum once in some thousand times. Where it was heard, one report proves nothing.
#[test]
fn where_noise_was_heard_a_square_needs_two_reports() {
    for is_noisy in [false, true] {
        let mut room = Room::new(used(), Lights::Off);
        room.pass(2_000);
        if is_noisy {
            room.event(&Event::Said(vec![0x55, 0x00]));
            room.pass(500);
        }
        let mut placement = Board::new();
        placement.discard_piece_at(Square::E2);
        let dump = Dump::new(&placement, Orientation::Normal);
        let report = ChessLinkMessage::Position(Box::new(dump)).encode();
        let seen = |room: &Room<ChessLinkSim>| {
            room.game.play().unwrap().tracker().seen().differs(&Board::new())
        };
        room.event(&Event::Said(report.clone()));
        let expected = if is_noisy { Bitboard::EMPTY } else { Square::E2.into() };
        assert_eq!(seen(&room), expected);
        room.event(&Event::Said(report));
        assert_eq!(seen(&room), Square::E2.into());
    }
}

/// Whatever comes over the line, the driver says nothing but its questions, and takes it up again.
#[test]
fn babble_is_no_board() {
    let mut room = Room::new(board(), Lights::Off);
    room.board.power(room.now, false);
    let mut rng = fastrand::Rng::with_seed(5);
    for _ in 0..200 {
        room.pass(10);
        let babble = (0..rng.usize(1..80)).map(|_| rng.u8(..)).collect();
        room.event(&Event::Said(babble));
    }
    assert!(room.said.iter().all(|(_, it)| *it == ChessLinkCommand::Version), "{:?}", room.said);
    assert_ne!(room.game.link(), LinkState::Live);
}

/// Lights are the only thing that a Certabo is told, never sooner than 600 ms after the last, and
/// of those that come meanwhile only the newest.
#[test]
fn a_certabo_is_lit_no_faster_than_it_bears() {
    for (sight, settles) in [(Sight::Pieces, 5_000), (Sight::Occupied, 2_000)] {
        let board = CertaboSim::new(&Board::new(), Orientation::Normal, sight);
        let mut room = Room::of(board, BoardKind::Certabo, Lights::LastMove);
        room.pass(settles);
        assert_eq!(room.game.link(), LinkState::Live);
        for (from, to, color) in [
            (Square::E2, Square::E4, Color::White),
            (Square::E7, Square::E5, Color::Black),
            (Square::D2, Square::D4, Color::White),
        ] {
            room.put(from, Reading::Empty);
            room.pass(settles / 10);
            room.put(to, sight.of(Some(Role::Pawn.of(color))));
            room.pass(settles / 5);
        }
        room.pass(settles);
        assert_eq!(room.n_moves(), 3, "{sight:?}");
        assert_eq!(room.board.lit(), Bitboard::from(Square::D2) | Square::D4);
        let times: Vec<u64> = room.sent.iter().map(|(at, _)| *at).collect();
        assert!(times.windows(2).all(|two| two[1] - two[0] >= 600), "{times:?}");
        assert!(room.sent.iter().all(|(_, bytes)| bytes.len() == 8));
    }
}

/// Without the chips of its pieces it tells that squares are occupied; a piece of another set is
/// not seen at all.
#[test]
fn a_certabo_without_chips_in_the_settings_sees_occupied_squares() {
    let board = CertaboSim::new(&Board::new(), Orientation::Normal, Sight::Pieces);
    let mut room = Room::of(board, BoardKind::Certabo, Lights::Off);
    room.game = Game::new(Settings { board: BoardKind::Certabo, ..Settings::default() });
    room.event(&Event::LinkUp);
    room.pass(4_000);
    let has_seen = |sight| room.facts.contains(&Fact::Sees(sight));
    assert!(has_seen(Sight::Occupied) && !has_seen(Sight::Pieces));
    room.play(Square::E2, Square::E4, Color::White);
    assert_eq!(room.n_moves(), 1);
}

#[test]
fn a_certabo_that_is_silent_is_opened_anew() {
    for is_on in [false, true] {
        let board = CertaboSim::new(&Board::new(), Orientation::Normal, Sight::Occupied);
        let mut room = Room::of(board, BoardKind::Certabo, Lights::Off);
        room.board.power(room.now, is_on);
        room.pass(2_000);
        room.board.power(room.now, false);
        room.pass(3_900);
        assert_eq!(room.n_reopened, 0);
        room.pass(2_500);
        assert_eq!(room.n_reopened, 1);
    }
}

fn chessnut() -> ChessnutSim {
    ChessnutSim::new(Board::new(), Orientation::Normal)
}

/// No write comes sooner than 200 ms after the last, and of lights that wait only the newest.
#[test]
fn a_chessnut_is_written_to_no_faster_than_it_bears() {
    let mut room = Room::of(chessnut(), BoardKind::Chessnut, Lights::LastMove);
    room.pass(1_000);
    assert_eq!(room.game.link(), LinkState::Live);
    room.play(Square::E2, Square::E4, Color::White);
    room.play(Square::E7, Square::E5, Color::Black);
    room.pass(1_000);
    assert_eq!(room.n_moves(), 2);
    assert_eq!(room.board.lit(), Bitboard::from(Square::E7) | Square::E5);
    assert_eq!(room.board.n_missed(), 0);
    let times: Vec<u64> = room.sent.iter().map(|(at, _)| *at).collect();
    assert!(times.windows(2).all(|two| two[1] - two[0] >= 200), "{times:?}");
}

/// A board that was without power is told again to speak, and to light what was lit.
#[test]
fn a_chessnut_that_was_without_power_is_asked_again() {
    let mut room = Room::of(chessnut(), BoardKind::Chessnut, Lights::LastMove);
    room.pass(1_000);
    room.play(Square::E2, Square::E4, Color::White);
    room.board.power(room.now, false);
    room.pass(10_000);
    assert_eq!(room.n_reopened, 0, "a board at rest is silent");
    room.board.power(room.now, true);
    room.pass(3_000);
    room.play(Square::E7, Square::E5, Color::Black);
    assert_eq!(room.n_moves(), 2);
    room.pass(1_000);
    assert_eq!(room.board.lit(), Bitboard::from(Square::E7) | Square::E5);
}

/// What never tells a position is opened anew.
#[test]
fn what_is_no_chessnut_is_opened_anew() {
    let mut board = chessnut();
    board.power(Mono::default(), false);
    let mut room = Room::of(board, BoardKind::Chessnut, Lights::Off);
    room.pass(9_000);
    assert_eq!(room.n_reopened, 0);
    room.pass(2_000);
    assert_eq!(room.n_reopened, 1);
}

/// Castling, a pawn that is taken in passing, a promotion and a move that is taken back: all of it
/// is told by squares of moves alone.
#[test]
fn what_novag_leaves_out_of_a_move_is_known() {
    let mut room = Room::of(UcbSim::new(Board::new()), BoardKind::Ucb, Lights::Off);
    room.pass(1_000);
    assert_eq!(room.game.link(), LinkState::Live);
    let moves = "e2e4 a7a6 e4e5 d7d5 e5d6 a6a5 d6c7 a5a4 c7b8n a8b8 g1f3 b8a8 f1e2 a8a7 e1g1";
    for (n, uci) in moves.split(' ').enumerate() {
        let promotion = if uci.len() > 4 { "/N" } else { "" };
        room.event(&Event::Said(format!("M{}{promotion}\r\n", &uci[..4]).into_bytes()));
        room.pass(2_000);
        assert_eq!(room.n_moves(), n + 1, "{uci}: {:?}", room.facts);
    }
    let play = room.game.play().unwrap();
    let board = play.sheet().last().board();
    let expected = "2bqkbnr/rp2pppp/8/8/p7/5N2/PPPPBPPP/RNBQ1RK1";
    assert_eq!(board.to_string(), expected);
    room.event(&Event::Said(b"T..\r\n".to_vec()));
    room.pass(3_000);
    assert_eq!(room.game.play().unwrap().sheet().len(), 14);
}

/// What was played while it was not heard it cannot say, so that is said of it; once the arbiter
/// has entered it, play is followed from there.
#[test]
fn what_novag_was_not_heard_to_say_is_said_to_be_missing() {
    let mut room = Room::of(UcbSim::new(Board::new()), BoardKind::Ucb, Lights::Off);
    room.pass(1_000);
    let says = |room: &mut Room<UcbSim>, line: &str| {
        room.event(&Event::Said(format!("{line}\r\n").into_bytes()));
        room.pass(2_000);
    };
    let is_told = |room: &Room<UcbSim>| {
        let found = room.facts.iter().filter_map(Fact::finding);
        found.filter(|finding| finding.kind == FindingKind::NotTold).count()
    };
    says(&mut room, "Me2e4");
    assert_eq!((room.n_moves(), is_told(&room)), (1, 0), "{:?}", room.facts);
    room.event(&Event::LinkDown);
    room.pass(5_000);
    room.event(&Event::LinkUp);
    room.pass(2_000);
    assert_eq!((room.game.link(), is_told(&room)), (LinkState::Live, 1), "{:?}", room.facts);
    room.event(&Event::Act(Act::read("insert 2 e7e5", "arbiter", "").unwrap()));
    room.pass(2_000);
    says(&mut room, "Mg1f3");
    let play = room.game.play().unwrap();
    let moves: Vec<_> = play.sheet().moves().iter().map(|m| m.uci.to_string()).collect();
    assert_eq!(moves, ["e2e4", "e7e5", "g1f3"], "{:?}", room.facts);
    assert_eq!(is_told(&room), 1);
}

/// What it says behind a move that nobody heard leads to no word against the players.
#[test]
fn nobody_is_asked_to_restore_what_novag_was_not_heard_to_say() {
    let mut room = Room::of(UcbSim::new(Board::new()), BoardKind::Ucb, Lights::Off);
    room.pass(1_000);
    room.event(&Event::Said(b"Me2e4\r\n".to_vec()));
    room.pass(2_000);
    room.event(&Event::LinkDown);
    room.pass(5_000);
    room.event(&Event::LinkUp);
    room.pass(2_000);
    for line in ["Mg1f3\r\n", "Mb8c6\r\n", "Mf1c4\r\n"] {
        room.event(&Event::Said(line.into()));
        room.pass(15_000);
    }
    let told: Vec<_> = room.facts.iter().filter_map(Fact::finding).map(|it| &it.kind).collect();
    assert_eq!(told, [&FindingKind::NotTold], "{:?}", room.facts);
}

/// It is asked until it answers; what never does is opened anew.
#[test]
fn a_novag_that_does_not_answer_is_asked_again() {
    let mut board = UcbSim::new(Board::new());
    board.power(Mono::default(), false);
    let mut room = Room::of(board, BoardKind::Ucb, Lights::Off);
    room.pass(2_500);
    assert_eq!(room.sent.len(), 6, "{:?}", room.sent);
    room.board.power(room.now, true);
    room.pass(1_500);
    assert_eq!(room.game.link(), LinkState::Live);
    room.event(&Event::LinkDown);
    room.board.power(room.now, false);
    room.event(&Event::LinkUp);
    room.pass(7_000);
    assert_eq!(room.n_reopened, 1);
}

fn pegasus() -> PegasusSim {
    PegasusSim::new(&Board::new(), Orientation::Normal)
}

/// The key, the reset, a picture and the changes, in the order and with the pauses in which other
/// programs wake it (protocol 1.12); after that it is asked again and again.
#[test]
fn a_pegasus_is_woken_by_its_key() {
    let mut room = Room::of(pegasus(), BoardKind::Pegasus, Lights::LastMove);
    room.pass(1_000);
    assert_eq!(room.game.link(), LinkState::Live);
    assert!(room.facts.contains(&Fact::Sees(Sight::Occupied)), "{:?}", room.facts);
    let sent: Vec<_> = room.sent.iter().take(6).cloned().collect();
    let key = [&[0x63, 7][..], &pegasus::KEY, &[0]].concat();
    let expected = [
        (200, key),
        (400, vec![0x5a]),
        (500, vec![0x40]),
        (700, vec![0x42]),
        (800, vec![0x44]),
        (900, vec![0x60, 2, 0, 0]),
    ];
    assert_eq!(sent, expected);
    room.play(Square::E2, Square::E4, Color::White);
    room.play(Square::E7, Square::E5, Color::Black);
    assert_eq!(room.n_moves(), 2);
    assert_eq!(room.board.lit(), Bitboard::from(Square::E7) | Square::E5);
    let n_asked = room.sent.iter().filter(|(_, bytes)| *bytes == [0x42]).count();
    assert!((12..=16).contains(&n_asked), "{n_asked} in 7.6 s");
    room.event(&Event::LinkDown);
    assert_eq!(room.game.link(), LinkState::Lost);
}

/// Of a change that it does not tell nobody knows until it is asked, which is soon.
#[test]
fn a_change_that_a_pegasus_keeps_to_itself_is_found() {
    let mut room = Room::of(pegasus(), BoardKind::Pegasus, Lights::Off);
    room.pass(2_000);
    room.board.sense(Square::E2, Reading::Empty, true);
    room.pass(600);
    room.board.sense(Square::E4, Reading::Something, true);
    room.pass(3_000);
    assert_eq!(room.n_moves(), 1, "{:?}", room.facts);
}

/// With a wrong key every square says something. That is no board, and the board says why.
#[test]
fn what_a_pegasus_tells_without_its_key_is_not_believed() {
    let settings = Settings { board: BoardKind::Pegasus, key: [1; 6], ..Settings::default() };
    let mut room = Room::with(pegasus(), settings);
    room.pass(5_000);
    assert!(room.facts.iter().all(|fact| !matches!(fact, Fact::Sees(_))), "{:?}", room.facts);
    assert_eq!((room.game.link(), room.n_reopened), (LinkState::Absent, 0));
    room.pass(5_500);
    assert_eq!(room.n_reopened, 1);
    assert!(room.game.why_given_up().unwrap().contains("set developer_key"));
}

/// A board that says nothing is lost, and so is one that was switched off and on: it has forgotten
/// the key.
#[test]
fn a_pegasus_that_was_without_power_is_woken_anew() {
    let mut room = Room::of(pegasus(), BoardKind::Pegasus, Lights::Off);
    room.pass(2_000);
    room.board.power(room.now, false);
    room.pass(5_000);
    assert_eq!(room.n_reopened, 0);
    room.pass(2_000);
    assert_eq!((room.n_reopened, room.game.why_given_up()), (1, None));
    room.board.power(room.now, true);
    room.event(&Event::LinkDown);
    room.event(&Event::LinkUp);
    room.pass(2_000);
    assert_eq!(room.game.link(), LinkState::Live);
    room.play(Square::E2, Square::E4, Color::White);
    assert_eq!(room.n_moves(), 1);
}

/// Hands begin their game when somebody listens, and not before: who starts the board first and the
/// program after it would find it in the middle of play.
#[test]
fn no_board_is_awake_before_somebody_listens() {
    for kind in [
        BoardKind::ChessLink,
        BoardKind::Certabo,
        BoardKind::Chessnut,
        BoardKind::Ucb,
        BoardKind::Pegasus,
    ] {
        let header = Header { maker: Some(kind), has_clock: false, ..Header::dgt() };
        let mut table = Table::new(&header);
        for ms in (0..5_000).step_by(10) {
            let now = Mono::from_millis(ms);
            table.tick(now);
            table.take(now, &mut Vec::new());
        }
        assert!(!table.is_awake(), "{kind:?}");
    }
}
