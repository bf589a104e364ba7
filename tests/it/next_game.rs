//! The next game at a board, however soon it begins after the one before, and however that ended.

use rokade::game::Fact;
use rokade::sim::{Replay, Script};
use shakmaty::san::San;
use shakmaty::{Board, Chess, Move, Position, Square};
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
/// Milliseconds from a move to the next.
const PACES: [u64; 3] = [900, 1_500, 3_000];
const SECOND: &str = "e4 e5 Nf3 Nc6 Bc4 Nf6 Ng5 d5 exd5 Nxd5 Nxf7 Kxf7";

/// Hands, and what they do as lines of a trace.
struct Hands {
    text: String,
    pos: Chess,
    t: u64,
    has_clock: bool,
}

impl Hands {
    fn put(&mut self, sq: Square, what: &str) {
        writeln!(self.text, r#"{{"t":{},"sq":"{sq}","p":"{what}"}}"#, self.t)
            .expect("text takes more");
    }

    fn play(&mut self, san: &str, pace: u64) {
        let m = san.parse::<San>().expect("a move").to_move(&self.pos).expect("a legal move");
        let Move::Normal { role, from, to, capture, .. } = m else { panic!("{san} is plain") };
        let mover = self.pos.turn();
        self.put(from, "");
        if capture.is_some() {
            self.t += 150;
            self.put(to, "");
        }
        self.t += 250;
        self.put(to, &role.of(mover).char().to_string());
        self.pos.play_unchecked(m);
        if self.has_clock && !self.pos.is_checkmate() {
            self.t += 200;
            writeln!(self.text, r#"{{"t":{},"press":"{mover}"}}"#, self.t)
                .expect("text takes more");
        }
        self.t += pace - 600;
    }

    /// The pieces go back to where they stood before the game, those of the ranks from `first` on
    /// first.
    fn set_up(&mut self, first: usize) {
        let (stands, start) = (self.pos.board().clone(), Board::new());
        let wrong: Vec<Square> = Square::ALL
            .into_iter()
            .cycle()
            .skip(first)
            .take(64)
            .filter(|sq| stands.piece_at(*sq) != start.piece_at(*sq))
            .collect();
        for sq in wrong.iter().filter(|sq| stands.piece_at(**sq).is_some()) {
            self.t += 250;
            self.put(*sq, "");
        }
        for (sq, piece) in wrong.iter().filter_map(|sq| Some((sq, start.piece_at(*sq)?))) {
            self.t += 250;
            self.put(*sq, &piece.char().to_string());
        }
        self.pos = Chess::new();
    }
}

fn trace(first: &str, idx: usize, rest: u64, pace: u64, has_clock: bool) -> String {
    let header = format!(r#"{{"trace":1,"board":"dgt","clock":{has_clock},"note":"{first}"}}"#);
    let mut hands = Hands { text: header + "\n", pos: Chess::new(), t: 3_000, has_clock };
    first.split(' ').for_each(|san| hands.play(san, pace));
    hands.t += 6_000;
    if has_clock {
        writeln!(hands.text, r#"{{"t":{},"clock":"stopped"}}"#, hands.t).expect("text takes more");
    }
    hands.set_up(13 * idx);
    hands.t += rest;
    if has_clock {
        let t = hands.t - rest / 2;
        writeln!(hands.text, r#"{{"t":{t},"arbiter":"resume","turn":"white"}}"#)
            .expect("text takes more");
    }
    SECOND.split(' ').for_each(|san| hands.play(san, pace));
    hands.text
}

#[test]
fn the_next_game_is_recorded_however_soon_it_begins() {
    let mut n_games = 0;
    for (idx, (first, is_mate)) in FIRST.into_iter().enumerate() {
        for (rest, pace) in RESTS.into_iter().flat_map(|rest| PACES.map(|pace| (rest, pace))) {
            for has_clock in [false, true] {
                let text = trace(first, idx + n_games, rest, pace, has_clock);
                let run = Replay::run(&Script::parse(&text).unwrap());
                let facts = || run.entries.iter().map(|entry| &entry.fact);
                let wrong = |what: &str| {
                    panic!("{what}: {first}, rest {rest}, pace {pace}, clock {has_clock}\n{text}")
                };
                let n_begun = facts().filter(|it| matches!(it, Fact::GameStarted { .. })).count();
                if n_begun != 2 {
                    wrong(&format!("{n_begun} games have begun"));
                }
                if facts().any(|it| matches!(it, Fact::Reopened(_))) {
                    wrong("the first result is withdrawn");
                }
                let n_ended = facts().filter(|it| matches!(it, Fact::Ended(_))).count();
                if n_ended != usize::from(is_mate) {
                    wrong(&format!("{n_ended} results"));
                }
                let sheet = run.game.play().expect("a game").sheet();
                let moves: Vec<String> = sheet.moves().iter().map(|m| m.san.to_string()).collect();
                if moves.join(" ") != SECOND {
                    wrong(&format!("the second game is {}", moves.join(" ")));
                }
                n_games += 1;
            }
        }
    }
    assert_eq!(n_games, FIRST.len() * RESTS.len() * PACES.len() * 2);
}
