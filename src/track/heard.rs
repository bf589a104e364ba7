//! What the sensors said one by one while messages were hurt: too little to go on by alone, but
//! enough to tell which of the moves that lead to a board were played.

use crate::table::{Placement, Reading};
use shakmaty::{Bitboard, Board, Chess, Color, Move, Piece, Position, Role, Square, attacks};

/// More than that is said in a stretch that is too long to be told by a few moves.
const READINGS_MAX: usize = 96;

/// Readings of single squares since the board was known as a whole, in their order.
#[derive(Clone, Debug)]
pub struct HeardReadings {
    /// How the board was read then.
    began: Placement,
    readings: Vec<HeardReading>,
    /// Behind how many readings the clock was pressed, and by whom.
    presses: Vec<(usize, Color)>,
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
        Self { began, readings: Vec::new(), presses: Vec::new() }
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

    /// `by` has pressed the clock.
    pub fn note_press(&mut self, by: Color) {
        if self.readings.len().max(self.presses.len()) < READINGS_MAX {
            self.presses.push((self.readings.len(), by));
        }
    }

    fn push(&mut self, heard: HeardReading) {
        if self.readings.len() < READINGS_MAX {
            self.readings.push(heard);
        }
    }

    /// Whether `moves`, played from `pos` on, are what was heard: each piece came where it went,
    /// one move after the other. `None` if not.
    pub fn tells(&self, pos: &Chess, moves: &[Move]) -> Option<HeardAs> {
        let mut course = HeardCourse::of(pos, moves);
        let (mut next, mut has_rested, mut has_passed) = (0, false, false);
        for (before, strides) in course.after.iter().zip(&course.steps) {
            has_rested |= strides.iter().any(|stride| self.has_rested(next, stride));
            next = match self.comes(before, strides, next) {
                Some(next) => next,
                None => {
                    has_passed = true;
                    self.passes(strides, next)?
                }
            };
            course.came.push(next);
        }
        let is_told = |heard: &HeardReading| match heard.reading {
            // Where a piece goes from, one has been.
            Reading::Empty => course.has_been(heard.sq),
            _ => course.has_shown(heard),
        };
        if !self.readings.iter().all(is_told) {
            return None;
        }
        if has_passed {
            return Some(HeardAs::OnItsWay);
        }
        let shows = |(idx, heard): (usize, &HeardReading)| match heard.reading {
            Reading::Empty => heard.is_pictured || self.goes(idx, &course, heard.sq),
            _ => course.shows(idx, heard),
        };
        let stands = |press: &(usize, Color)| self.stands_at(press, &course);
        let is_exact = !has_rested
            && self.readings.iter().enumerate().all(shows)
            && self.presses.iter().all(stands);
        Some(if is_exact { HeardAs::Exactly } else { HeardAs::Loosely })
    }

    /// Whether pieces were heard, again or on several squares, where none of their kind stands, is
    /// put straight or carried if `moves` were played from `pos` on: more was played than that.
    pub fn tells_of_more(&self, pos: &Chess, moves: &[Move]) -> bool {
        let course = HeardCourse::of(pos, moves);
        let takes = |(before, m): (&Chess, &Move)| Some(m.capture()?.of(!before.turn()));
        let taken: Vec<Piece> = course.after.iter().zip(moves).filter_map(takes).collect();
        let is_strange = |heard: &&HeardReading| {
            let may_be = |piece: &Piece| heard.reading.may_be(*piece);
            let is_carried = course.steps.iter().flatten().any(|stride| stride.is_near(heard));
            !heard.is_pictured
                && heard.reading != Reading::Empty
                && !course.has_shown(heard)
                && !is_carried
                && !course.stands_near(heard)
                && !taken.iter().any(may_be)
        };
        self.readings.iter().filter(is_strange).count() > 1
    }

    /// Behind which reading all pieces of a move have come, looking from the one at `next` on.
    /// `None` if one has not.
    fn comes(&self, pos: &Chess, strides: &[Stride], next: usize) -> Option<usize> {
        let mut last = next;
        for &Stride { to, piece, .. } in strides {
            let stood = |piece| self.began.get(to).may_be(piece);
            let is_there =
                next == 0 && stood(piece) && !pos.board().piece_at(to).is_some_and(stood);
            // A picture says that it had come, and not when.
            let came = self.came(next, to, piece);
            let came = came.map(|(idx, heard)| if heard.is_pictured { next } else { idx + 1 });
            last = last.max(came.or(is_there.then_some(next))?);
        }
        Some(last)
    }

    /// Behind which reading the piece of a move was on its way, looking from the one at `next` on:
    /// that it has come may have been hurt. `None` if it was not.
    fn passes(&self, strides: &[Stride], next: usize) -> Option<usize> {
        let [stride] = strides else { return None };
        let mut later = self.readings.iter().enumerate().skip(next);
        let passed = later.find(|(_, heard)| !heard.is_pictured && stride.passes(heard));
        passed.map(|(idx, _)| idx + 1)
    }

    /// Whether what was pressed for then stood where it had come. What has gone again before was
    /// put back, or exchanged for another piece.
    fn stands_at(&self, &(idx, by): &(usize, Color), course: &HeardCourse) -> bool {
        let n = course.n_come(idx);
        let own = (0..n).rev().find(|n| course.after[*n].turn() == by);
        let last = |sq| self.readings[..idx].iter().rfind(|heard| heard.sq == sq);
        let has_gone =
            |stride: &Stride| last(stride.to).is_some_and(|heard| heard.reading == Reading::Empty);
        own.is_none_or(|n| !course.steps[n].iter().any(has_gone))
    }

    /// The first reading from the one at `next` on that says that `piece` has come `to` there.
    fn came(&self, next: usize, to: Square, piece: Piece) -> Option<(usize, &HeardReading)> {
        let mut later = self.readings.iter().enumerate().skip(next);
        later.find(|(_, heard)| heard.sq == to && heard.reading.may_be(piece))
    }

    /// Whether a piece may have gone from `sq` when the reading of this number said so: to where it
    /// was played, or to be put back. Where the other player put one down since it had come, it was
    /// not slid on.
    fn goes(&self, idx: usize, course: &HeardCourse, sq: Square) -> bool {
        let stood = course.after[course.n_come(idx)].board().piece_at(sq);
        let is_put_back = || stood.is_some_and(|piece| self.came(idx, sq, piece).is_some());
        if !course.leaves(idx, sq) && !is_put_back() {
            return false;
        }
        let Some(came) = self.readings[..idx].iter().rposition(|heard| heard.sq == sq) else {
            return true;
        };
        let reading = self.readings[came].reading;
        let is_answer = |heard: &HeardReading| {
            !heard.is_pictured && heard.reading.color() == reading.color().map(|color| !color)
        };
        let mut answers = (came + 1..idx).filter(|idx| is_answer(&self.readings[*idx]));
        reading.color().is_none() || answers.all(|idx| course.stands(idx, sq, reading))
    }

    /// Whether a piece of which a picture told that it had come was seen on its way from the
    /// reading at `next` on, and the other player put one down after that: it was not slid on.
    fn has_rested(&self, next: usize, stride: &Stride) -> bool {
        let came = self.came(next, stride.to, stride.piece).filter(|(_, heard)| heard.is_pictured);
        let Some((came, _)) = came else { return false };
        let mut heard = self.readings[next..came].iter().filter(|heard| !heard.is_pictured);
        heard.any(|heard| stride.passes(heard))
            && heard.any(|heard| heard.reading.color() == Some(!stride.piece.color))
    }
}

/// How well a series of moves is what was heard.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum HeardAs {
    /// A piece was seen on its way only, and not where it was put down.
    OnItsWay,
    /// Pieces were seen where they stood or went, but not when.
    Loosely,
    /// Each was seen where it was then.
    Exactly,
}

/// A series of moves, as it would be seen.
struct HeardCourse {
    /// The positions, from before the first move to after the last.
    after: Vec<Chess>,
    steps: Vec<Vec<Stride>>,
    /// Behind which reading the pieces of each move have come.
    came: Vec<usize>,
}

impl HeardCourse {
    /// That of `moves`, played from `pos` on, of which nothing has come yet.
    fn of(pos: &Chess, moves: &[Move]) -> Self {
        let (mut after, mut steps_of) = (vec![pos.clone()], Vec::new());
        for m in moves {
            let mut next = after[after.len() - 1].clone();
            steps_of.push(steps(*m, next.turn()));
            next.play_unchecked(*m);
            after.push(next);
        }
        Self { after, steps: steps_of, came: Vec::new() }
    }

    /// Whether anything ever stood on `sq`, or was slid over it.
    fn has_been(&self, sq: Square) -> bool {
        let slid = self.steps.iter().flatten().any(|stride| stride.passed().contains(sq));
        slid || self.after.iter().any(|pos| pos.board().occupied().contains(sq))
    }

    /// Whether what was `heard` stood there at any time, or was slid over it.
    fn has_shown(&self, heard: &HeardReading) -> bool {
        let may_be = |piece| heard.reading.may_be(piece);
        let stood = |pos: &Chess| pos.board().piece_at(heard.sq).is_some_and(may_be);
        let slid = |stride: &Stride| stride.passes(heard);
        self.after.iter().any(stood) || self.steps.iter().flatten().any(slid)
    }

    /// Whether what was `heard` ever stood beside that square, from where it may have been put
    /// straight.
    fn stands_near(&self, heard: &HeardReading) -> bool {
        let near = attacks::king_attacks(heard.sq);
        let may_be = |piece| heard.reading.may_be(piece);
        let stands =
            |board: &Board| near.into_iter().any(|sq| board.piece_at(sq).is_some_and(may_be));
        self.after.iter().any(|pos| stands(pos.board()))
    }

    /// How many moves had come by the reading of this number.
    fn n_come(&self, idx: usize) -> usize {
        self.came.iter().take_while(|came| **came <= idx).count()
    }

    /// Whether what is `seen` stood on `sq` when the reading of this number came.
    fn stands(&self, idx: usize, sq: Square, seen: Reading) -> bool {
        let n = self.n_come(idx);
        let near = &self.after[n.saturating_sub(1)..=n];
        near.iter().any(|pos| pos.board().piece_at(sq).is_some_and(|piece| seen.may_be(piece)))
    }

    /// Whether nothing stood on `sq` when the reading of this number came, or it was about to go.
    fn leaves(&self, idx: usize, sq: Square) -> bool {
        let n = self.n_come(idx);
        let stood = |n: usize| self.after[n].board().piece_at(sq);
        let last = (n + 2).min(self.after.len() - 1);
        stood(n).is_none() || (n.saturating_sub(1)..last).any(|n| stood(n) != stood(n + 1))
    }

    /// Whether what was `heard` as the reading of this number stood there then, was on its way, or
    /// had come.
    fn shows(&self, idx: usize, heard: &HeardReading) -> bool {
        let may_be = |piece| heard.reading.may_be(piece);
        let n = self.n_come(idx);
        let stands = self.after[n].board().piece_at(heard.sq).is_some_and(may_be);
        let comes = self.steps.get(n).into_iter().flatten();
        let comes = || comes.clone().any(|stride| stride.to == heard.sq && may_be(stride.piece));
        // One move is under way, the reply to it, and the one of which only a picture told that it
        // had come.
        let under_way = self.steps[n.saturating_sub(1)..].iter().take(3).flatten();
        let slid = |stride: &Stride| stride.passes(heard);
        stands || comes() || under_way.clone().any(slid)
    }
}

/// A piece that is put down elsewhere by a move.
struct Stride {
    from: Square,
    to: Square,
    piece: Piece,
}

impl Stride {
    /// The squares that it may be slid over.
    fn passed(&self) -> Bitboard {
        attacks::between(self.from, self.to)
    }

    /// Whether it may be what was `heard`, on its way.
    fn passes(&self, heard: &HeardReading) -> bool {
        self.passed().contains(heard.sq) && heard.reading.may_be(self.piece)
    }

    /// Whether it may be what was `heard`, carried past its way or put down beside its square.
    fn is_near(&self, heard: &HeardReading) -> bool {
        let way = self.passed().with(self.from).with(self.to);
        let near = way.into_iter().any(|sq| attacks::king_attacks(sq).contains(heard.sq));
        near && heard.reading.may_be(self.piece)
    }
}

/// Which pieces `m` of `turn` puts down.
fn steps(m: Move, turn: Color) -> Vec<Stride> {
    let own = |role: Role| role.of(turn);
    if let (Move::Castle { king, rook }, Some(side)) = (m, m.castling_side()) {
        let king = Stride { from: king, to: side.king_to(turn), piece: own(Role::King) };
        return vec![king, Stride { from: rook, to: side.rook_to(turn), piece: own(Role::Rook) }];
    }
    let piece = own(m.promotion().unwrap_or(m.role()));
    m.from().map(|from| Stride { from, to: m.to(), piece }).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::uci::UciMove;

    /// What is heard of `changes`, such as `e2- Pe4 White`, since the start position was read: e2
    /// reads empty, e4 a pawn, and White has pressed.
    fn heard(changes: &str) -> HeardReadings {
        let mut heard = HeardReadings::since(Placement::from(Chess::new().board().clone()));
        for change in changes.split_whitespace() {
            if let "White" | "Black" = change {
                heard.note_press(Color::from_white(change == "White"));
                continue;
            }
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
            // It had rested where it seems to have been slid over, and been answered.
            ("e2- Pe3 e7- pe5 e3- Pe4", "e2e4 e7e5", false),
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
            // It was lifted three half-moves before it was played, and never put back.
            ("e7- e2- Pe4 d7- pd5 g1- Nf3 pe5", "e2e4 d7d5 g1f3 e7e5", false),
            ("e7- pe7 e2- Pe4 d7- pd5 g1- Nf3 e7- pe5", "e2e4 d7d5 g1f3 e7e5", true),
            // It stood on e3 until the other player had put one down, and was not slid over it.
            ("e2- Pe3 Pe4 e7- pe5 e3-", "e2e4 e7e5", false),
            // Each stood where it was played when it was pressed for, or was put back before.
            ("e2- Pe4 White e7- pe5 Black", "e2e4 e7e5", true),
            ("e2- Pe4 e4- White e7- pe5 Black", "e2e4 e7e5", false),
            ("e2- Pe4 e4- Pe4 White e7- pe5 Black", "e2e4 e7e5", true),
            ("e2- Pe4 White d7- pd5 Black e4- d5- Pd5 White", "e2e4 d7d5 e4d5", true),
        ];
        for (changes, moves, is_told) in rows {
            let told = heard(changes).tells(&Chess::new(), &played(moves));
            assert_eq!(told == Some(HeardAs::Exactly), is_told, "{changes}");
        }
    }

    /// That a bishop had come to e6 was hurt: on d7, where it was heard, it need not have rested.
    #[test]
    fn a_piece_that_was_heard_once_may_have_gone_on() {
        let heard = heard("e2- Pe4 d7- pd6 g1- Nf3 c8- bd7 b1- Nc3 bf5");
        let rows = [
            ("e2e4 d7d6 g1f3 c8d7 b1c3 d7f5", Some(HeardAs::Exactly)),
            ("e2e4 d7d6 g1f3 c8e6 b1c3 e6f5", Some(HeardAs::OnItsWay)),
            ("e2e4 d7d6 g1f3 c8g4 b1c3 g4f5", Some(HeardAs::OnItsWay)),
            ("e2e4 d7d6 g1h3 c8d7 b1c3 d7f5", None),
        ];
        for (moves, told) in rows {
            assert_eq!(heard.tells(&Chess::new(), &played(moves)), told, "{moves}");
        }
    }

    fn played(moves: &str) -> Vec<Move> {
        let mut pos = Chess::new();
        let play = |uci: &str| {
            let m = uci.parse::<UciMove>().unwrap().to_move(&pos).unwrap();
            pos.play_unchecked(m);
            m
        };
        moves.split_whitespace().map(play).collect()
    }

    /// A knight that has gone and come back was heard on its way, and so was the reply.
    #[test]
    fn pieces_where_no_move_brings_them_tell_of_more() {
        let rows = [
            ("Nc3 nc6 Nb1 nb8 Pe4", "e2e4", true),
            ("Nc3 Nc3 Pe4", "e2e4", true),
            // One reading may be hurt, and what is carried passes squares beside its way.
            ("Nc3 Pe4", "e2e4", false),
            ("Pd3 Pd4 Pe4", "e2e4", false),
            ("Pd3 Ph5 Ph5 Pe4", "e2e4", true),
            // A piece that is taken off is carried anywhere.
            ("Pe4 pd5 ph4 ph3 Pd5", "e2e4 d7d5 e4d5", false),
            ("Nc3 c3- Nb1 b1- Nc3 ne4 nf6 ng8", "b1c3 g8f6", false),
            // Both have moved out and back again, or one was put straight.
            ("b1- Nc3 b8- nc6 c3- Nb1 c6- nb8", "", true),
            ("b1- Nb2 b2- Nb1 b8- na7 a7- nb8", "", false),
        ];
        for (changes, moves, is_more) in rows {
            let told = heard(changes).tells_of_more(&Chess::new(), &played(moves));
            assert_eq!(told, is_more, "{changes}");
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
        let mut heard = heard("e2- Pe4");
        heard.note_picture(&after(&[e4]), &after(&[e4, e5, f3]));
        for moves in ["e2e4 e7e5 g1f3", "g1f3 e7e5 e2e4"] {
            let told = heard.tells(&Chess::new(), &played(moves));
            assert_eq!(told, Some(HeardAs::Exactly), "{moves}");
        }
        let told = heard.tells(&Chess::new(), &played("e2e4 e7e5 g1h3"));
        assert_eq!(told, None, "it is on f3");
    }

    /// One hurt byte put a queen on h5; it stands on g4 in the picture that follows the reply.
    #[test]
    fn what_stands_in_a_picture_was_not_slid_over() {
        let moves = played("e2e4 e7e5 d1h5 b8c6");
        let mut heard = heard("e2- Pe4 e7- pe5 d1- Qh5 b8- nc6");
        assert_eq!(heard.tells(&Chess::new(), &moves), Some(HeardAs::Exactly));
        let mut pos = Chess::new();
        moves.iter().for_each(|m| pos.play_unchecked(*m));
        let before = Placement::from(pos.board().clone());
        let mut shown = before.clone();
        shown.set(Square::H5, Reading::Empty);
        shown.set(Square::G4, Reading::Piece(Role::Queen.of(Color::White)));
        heard.note_picture(&before, &shown);
        assert_eq!(heard.tells(&Chess::new(), &moves), Some(HeardAs::Loosely));
    }
}
