//! The next game at a board, however soon it begins after the one before, and however that ended.

use rokade::game::Fact;
use rokade::sim::{Replay, Script};
use rokade::table::{Reading, Sight};
use shakmaty::san::San;
use shakmaty::{Board, Chess, Color, Move, Piece, Position, Square};
use std::fmt::Write;

/// What is left standing when the pieces are set up again: a mate without a capture, one that
/// captures, a game that nobody has ended, and one as short.
const FIRST: [(&str, bool); 4] = [
    ("f3 e5 g4 Qh4#", true),
    ("e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7#", true),
    ("d4 d5 c4 dxc4 e3 b5 a4 c6 axb5 cxb5 Qf3", false),
    ("d4 d5 c4 e6", false),
];
/// How long the last piece has stood, in milliseconds, when the next game begins.
const RESTS: [u64; 6] = [50, 400, 900, 1_600, 2_600, 5_000];
const CERTABO_RESTS: u64 = 1_600;
/// Milliseconds from a move to the next.
const PACES: [u64; 3] = [900, 1_500, 3_000];
const SECOND: &str = "e4 e5 Nf3 Nc6 Bc4 Nf6 Ng5 d5 exd5 Nxd5 Nxf7 Kxf7";

/// The boards: what they can tell of a piece, and whose they are. Certabo's needs a piece to stand
/// for a while before it is believed.
const BOARDS: [(Sight, &str); 5] = [
    (Sight::Pieces, ""),
    (Sight::Colors, ""),
    (Sight::Occupied, ""),
    (Sight::Pieces, r#""maker":"certabo","#),
    (Sight::Pieces, r#""maker":"millennium","#),
];

/// Hands, and what they do as lines of a trace.
struct Hands {
    text: String,
    sight: Sight,
    pos: Chess,
    t: u64,
    has_clock: bool,
    /// The players sit the other way round than when the board was plugged in.
    is_turned: bool,
}

impl Hands {
    fn tell(&mut self, what: &str) {
        writeln!(self.text, r#"{{"t":{},{what}}}"#, self.t).expect("text takes more");
    }

    fn put(&mut self, sq: Square, piece: Option<Piece>) {
        let what = match self.sight.of(piece) {
            Reading::Empty => String::new(),
            Reading::Piece(piece) => piece.char().to_string(),
            Reading::Colored(color) => color.char().to_string(),
            Reading::Something => "x".to_owned(),
        };
        let sq = if self.is_turned { sq.rotate_180() } else { sq };
        self.tell(&format!(r#""sq":"{sq}","p":"{what}""#));
    }

    fn play(&mut self, san: &str, pace: u64) {
        let m = san.parse::<San>().expect("a move").to_move(&self.pos).expect("a legal move");
        let Move::Normal { role, from, to, capture, .. } = m else { panic!("{san} is plain") };
        let mover = self.pos.turn();
        self.put(from, None);
        if capture.is_some() {
            self.t += 150;
            self.put(to, None);
        }
        self.t += 250;
        self.put(to, Some(role.of(mover)));
        self.pos.play_unchecked(m);
        if self.has_clock && !self.pos.is_checkmate() {
            self.t += 200;
            self.tell(&format!(r#""press":"{mover}""#));
        }
        self.t += pace - 600;
    }

    /// The pieces go to where they stand on `start`, those of the ranks from `first` on
    /// first.
    fn set_up(&mut self, first: usize, start: &Board) {
        let stands = self.pos.board().clone();
        let wrong: Vec<Square> = Square::ALL
            .into_iter()
            .cycle()
            .skip(first)
            .take(64)
            .filter(|sq| stands.piece_at(*sq) != start.piece_at(*sq))
            .collect();
        for sq in wrong.iter().filter(|sq| stands.piece_at(**sq).is_some()) {
            self.t += 250;
            self.put(*sq, None);
        }
        for (sq, piece) in wrong.iter().filter_map(|sq| Some((sq, start.piece_at(*sq)?))) {
            self.t += 250;
            self.put(*sq, Some(piece));
        }
        self.pos = Chess::new();
    }
}

/// Two games at one board, and what lies between.
#[derive(Copy, Clone, Debug)]
struct Two {
    first: &'static str,
    is_mate: bool,
    /// How long the last piece has stood, in milliseconds.
    rest: u64,
    pace: u64,
    has_clock: bool,
    board: (Sight, &'static str),
}

impl Two {
    fn trace(self, first_square: usize) -> String {
        self.trace_with(|hands| hands.set_up(first_square, &Board::new()))
    }

    /// The same, where the pieces are set up so.
    fn trace_with(self, set_up: impl FnOnce(&mut Hands)) -> String {
        let Self { first, rest, pace, has_clock, board: (sight, maker), .. } = self;
        let sees = sight.word();
        let text = format!(r#"{{"trace":1,"board":"{sees}",{maker}"clock":{has_clock}}}"#) + "\n";
        let mut hands =
            Hands { text, sight, pos: Chess::new(), t: 3_000, has_clock, is_turned: false };
        first.split(' ').for_each(|san| hands.play(san, pace));
        hands.t += 6_000;
        if has_clock {
            hands.tell(r#""clock":"stopped""#);
        }
        set_up(&mut hands);
        hands.t += rest / 2;
        if has_clock {
            hands.tell(r#""arbiter":"resume","turn":"white""#);
        }
        hands.t += rest - rest / 2;
        SECOND.split(' ').for_each(|san| hands.play(san, pace));
        hands.text
    }

    /// What is wrong with the record of both, if so many games begin.
    fn fault(self, text: &str, n_games: usize) -> Option<String> {
        let run = Replay::run(&Script::parse(text).expect("a trace"));
        let facts = || run.entries.iter().map(|entry| &entry.fact);
        let n_begun = facts().filter(|it| matches!(it, Fact::GameStarted { .. })).count();
        let n_ended = facts().filter(|it| matches!(it, Fact::Ended(_))).count();
        let sheet = run.game.play().expect("a game").sheet();
        let moves: Vec<String> = sheet.moves().iter().map(|m| m.san.to_string()).collect();
        match moves.join(" ") {
            _ if n_begun != n_games => Some(format!("{n_begun} games have begun")),
            _ if facts().any(|it| matches!(it, Fact::Reopened(_))) => {
                Some("the first result is withdrawn".to_owned())
            }
            _ if n_ended != usize::from(self.is_mate) => Some(format!("{n_ended} results")),
            moves => (moves != SECOND).then(|| format!("the second game is {moves}")),
        }
    }
}

#[test]
fn the_next_game_is_recorded_however_soon_it_begins() {
    let mut n_games = 0;
    let mut faults = Vec::new();
    for (idx, (first, is_mate)) in FIRST.into_iter().enumerate() {
        for (rest, pace) in RESTS.into_iter().flat_map(|rest| PACES.map(|pace| (rest, pace))) {
            for (board, has_clock) in BOARDS.into_iter().flat_map(|it| [(it, false), (it, true)]) {
                if rest < CERTABO_RESTS && board.1.contains("certabo") {
                    continue;
                }
                let two = Two { first, is_mate, rest, pace, has_clock, board };
                let text = two.trace(13 * (idx + n_games));
                faults.extend(two.fault(&text, 2).map(|what| format!("{what}: {two:?}")));
                n_games += 1;
            }
        }
    }
    assert!(faults.is_empty(), "{} of {n_games}\n{}", faults.len(), faults.join("\n"));
    assert_eq!(n_games, 648);
}

/// King and queen of White in each other's places, put right before the first move.
#[test]
fn a_game_does_not_begin_from_an_array_that_is_put_right() {
    for has_clock in [false, true] {
        for (stands, rest) in
            [100, 600, 1_500, 3_000].into_iter().flat_map(|it| [(it, 100), (it, 3_000)])
        {
            let (first, is_mate) = FIRST[1];
            let board = BOARDS[0];
            let two = Two { first, is_mate, rest, pace: 1_500, has_clock, board };
            let text = two.trace_with(|hands| {
                let mut swapped = Board::new();
                swapped.set_piece_at(Square::D1, Color::White.king());
                swapped.set_piece_at(Square::E1, Color::White.queen());
                hands.set_up(0, &swapped);
                hands.t += stands;
                for sq in [Square::D1, Square::E1] {
                    hands.put(sq, None);
                    hands.t += 300;
                }
                hands.put(Square::D1, Some(Color::White.queen()));
                hands.t += 300;
                hands.put(Square::E1, Some(Color::White.king()));
            });
            // What stands for two seconds begins a game, and gives way to the array.
            let n_games = if stands < 2_000 { 2 } else { 3 };
            assert_eq!(two.fault(&text, n_games), None, "{stands} {two:?}\n{text}");
        }
    }
}

/// For the second game the players sit down the other way round.
#[test]
fn the_next_game_is_played_the_other_way_round() {
    let named = BOARDS.into_iter().filter(|(sight, _)| *sight == Sight::Pieces);
    for (board, rest) in named.flat_map(|it| [(it, 1_600), (it, 5_000)]) {
        for (first, is_mate) in FIRST {
            let two = Two { first, is_mate, rest, pace: 1_500, has_clock: false, board };
            let text = two.trace_with(|hands| {
                let mut turned = Board::new();
                turned.rotate_180();
                hands.set_up(0, &turned);
                hands.is_turned = true;
            });
            assert_eq!(two.fault(&text, 2), None, "{two:?}\n{text}");
        }
    }
}
