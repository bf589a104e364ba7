//! What the sensors said one by one while messages were hurt: too little to go on by alone, but
//! enough to tell which of the moves that lead to a board were played.

use crate::table::{Placement, Reading};
use shakmaty::{Chess, Color, Move, Piece, Position, Role, Square, attacks};

/// More than that is said in a stretch that is too long to be told by a few moves.
const READINGS_MAX: usize = 96;

/// Readings of single squares since the board was known as a whole, in their order.
#[derive(Clone, Debug)]
pub struct HeardReadings {
    /// How the board was read then.
    began: Placement,
    readings: Vec<HeardReading>,
}

/// One of them.
#[derive(Copy, Clone, Debug)]
struct HeardReading {
    sq: Square,
    reading: Reading,
    /// It was told by a picture of the board, and had come at some time before.
    is_pictured: bool,
}

impl HeardReadings {
    /// Nothing since the board stood as `began`.
    pub fn since(began: Placement) -> Self {
        Self { began, readings: Vec::new() }
    }

    /// `sq` reads something else.
    pub fn note(&mut self, sq: Square, reading: Reading) {
        self.push(HeardReading { sq, reading, is_pictured: false });
    }

    /// The whole board was read, and `before` that was known to stand otherwise.
    pub fn note_picture(&mut self, before: &Placement, shown: &Placement) {
        for sq in shown.changes(before) {
            self.push(HeardReading { sq, reading: shown.get(sq), is_pictured: true });
        }
    }

    fn push(&mut self, heard: HeardReading) {
        if self.readings.len() < READINGS_MAX {
            self.readings.push(heard);
        }
    }

    /// Whether `moves`, played from `pos` on, are what was heard, and nothing was but these: each
    /// piece came where it went, one move after the other.
    pub fn tells(&self, pos: &Chess, moves: &[Move]) -> bool {
        let mut pos = pos.clone();
        let mut told: Vec<(Square, Piece)> = pos.board().clone().into_iter().collect();
        let mut next = 0;
        for m in moves {
            let Some(came) = self.comes(&pos, *m, next, &mut told) else { return false };
            next = came;
            pos.play_unchecked(*m);
        }
        // Where a piece goes from, one has been.
        let is_told = |heard: &HeardReading| {
            let may_be = |piece| heard.reading == Reading::Empty || heard.reading.may_be(piece);
            told.iter().any(|(at, piece)| *at == heard.sq && may_be(*piece))
        };
        self.readings.iter().all(is_told)
    }

    /// Behind which reading all pieces of `m` have come, looking from the one at `next` on; what
    /// comes goes to `told`. `None` if one has not.
    fn comes(
        &self,
        pos: &Chess,
        m: Move,
        next: usize,
        told: &mut Vec<(Square, Piece)>,
    ) -> Option<usize> {
        let mut last = next;
        for (from, to, piece) in steps(m, pos.turn()) {
            let stood = |piece| self.began.get(to).may_be(piece);
            let is_there =
                next == 0 && stood(piece) && !pos.board().piece_at(to).is_some_and(stood);
            let mut later = self.readings.iter().enumerate().skip(next);
            let came = later.find(|(_, heard)| heard.sq == to && heard.reading.may_be(piece));
            // A picture says that it had come, and not when.
            let came = came.map(|(idx, heard)| if heard.is_pictured { next } else { idx + 1 });
            let came = came.or(is_there.then_some(next))?;
            last = last.max(came);
            // It may have been slid there.
            let slid = attacks::between(from, to).into_iter().map(|sq| (sq, piece));
            told.extend(slid.chain([(to, piece)]));
        }
        Some(last)
    }
}

/// Which pieces `m` of `turn` puts down, from where and to where.
fn steps(m: Move, turn: Color) -> Vec<(Square, Square, Piece)> {
    let own = |role: Role| role.of(turn);
    if let (Move::Castle { king, rook }, Some(side)) = (m, m.castling_side()) {
        let (to_king, to_rook) = (side.king_to(turn), side.rook_to(turn));
        return vec![(king, to_king, own(Role::King)), (rook, to_rook, own(Role::Rook))];
    }
    let role = m.promotion().unwrap_or(m.role());
    m.from().map(|from| (from, m.to(), own(role))).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::uci::UciMove;

    /// What is heard of `changes`, such as `e2- Pe4`, since the start position was read.
    fn heard(changes: &str) -> HeardReadings {
        let mut heard = HeardReadings::since(Placement::from(Chess::new().board().clone()));
        for change in changes.split_whitespace() {
            let (sq, reading) = match change.strip_suffix('-') {
                Some(sq) => (sq, Reading::Empty),
                None => {
                    let (piece, sq) = change.split_at(1);
                    let piece = Piece::from_char(piece.chars().next().unwrap()).unwrap();
                    (sq, Reading::Piece(piece))
                }
            };
            heard.note(sq.parse().unwrap(), reading);
        }
        heard
    }

    #[test]
    fn moves_are_told_by_what_came_in_its_order() {
        let rows = [
            ("e2- Pe4 e7- pe5", "e2e4 e7e5", true),
            ("Pe4 e7- pe5", "e2e4 e7e5", true),
            // He had lifted before the other one had put down, and a pawn was adjusted.
            ("e2- e7- Pe4 h7- ph7 pe5", "e2e4 e7e5", true),
            // White came second, or not at all.
            ("e7- pe5 e2- Pe4", "e2e4 e7e5", false),
            ("e2- e7- pe5", "e2e4 e7e5", false),
            // It was slid, or came somewhere else.
            ("e2- Pe3 e3- Pe4 e7- pe5", "e2e4 e7e5", true),
            ("g1- Ne2 e2- Nf3", "g1f3", false),
            // Something has left a square where nothing came.
            ("g1- Nf3 e5- e7- pe5", "g1f3 e7e5", true),
            ("g1- Nf3 h5- e7- pe5", "g1f3 e7e5", false),
            // Each piece of a castling, and the one that a pawn became.
            (
                "g1- Nf3 g8- nf6 g2- Pg3 g7- pg6 f1- Bg2 f8- bg7 e1- Kg1 h1- Rf1",
                "g1f3 g8f6 g2g3 g7g6 f1g2 f8g7 e1g1",
                true,
            ),
            (
                "g1- Nf3 g8- nf6 g2- Pg3 g7- pg6 f1- Bg2 f8- bg7 e1- Kg1",
                "g1f3 g8f6 g2g3 g7g6 f1g2 f8g7 e1g1",
                false,
            ),
        ];
        for (changes, moves, is_told) in rows {
            let mut pos = Chess::new();
            let mut played = Vec::new();
            for uci in moves.split_whitespace() {
                let m = uci.parse::<UciMove>().unwrap().to_move(&pos).unwrap();
                pos.play_unchecked(m);
                played.push(m);
            }
            assert_eq!(heard(changes).tells(&Chess::new(), &played), is_told, "{changes}");
        }
    }

    /// What only a picture has told may have come in any order before it.
    #[test]
    fn a_picture_tells_that_a_piece_has_come_and_not_when() {
        let after = |moves: &[(Square, Square)]| {
            let mut board = Chess::new().board().clone();
            for (from, to) in moves {
                let piece = board.remove_piece_at(*from).unwrap();
                board.set_piece_at(*to, piece);
            }
            Placement::from(board)
        };
        let (e4, e5) = ((Square::E2, Square::E4), (Square::E7, Square::E5));
        let f3 = (Square::G1, Square::F3);
        let play = |moves: [&str; 3]| {
            let mut pos = Chess::new();
            moves.map(|uci| {
                let m = uci.parse::<UciMove>().unwrap().to_move(&pos).unwrap();
                pos.play_unchecked(m);
                m
            })
        };
        let mut heard = heard("e2- Pe4");
        heard.note_picture(&after(&[e4]), &after(&[e4, e5, f3]));
        for moves in [["e2e4", "e7e5", "g1f3"], ["g1f3", "e7e5", "e2e4"]] {
            assert!(heard.tells(&Chess::new(), &play(moves)), "{moves:?}");
        }
        assert!(!heard.tells(&Chess::new(), &play(["e2e4", "e7e5", "g1h3"])), "it is on f3");
    }
}
