//! A line: one way in which the game may have gone since a position that nobody doubts any more.

use super::legal;
use super::weigh::Cost;
use crate::table::{Placement, Reading, words};
use crate::time::Mono;
use shakmaty::{Bitboard, ByColor, Chess, Color, Move, Piece, Position, Role, Square};

/// Presses without a move that a line remembers, at the most; older ones concern nobody any more.
pub const UNEXPLAINED_MAX: usize = 8;

words! {
    /// Why a move counts as completed. 2023: Art. 6.2.1, 6.2.1.1, 6.2.1.2.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub enum CompletedBy {
        /// The mover pressed the clock.
        Press = "press",
        /// The opponent, or the mover's next turn, came without a press in between.
        Reply = "reply",
        /// The move ended the game; no press is needed.
        GameEnd = "end of game",
    }
}

/// When and by what a move was completed.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Completion {
    /// The moment of the press or of the evidence that stands for it.
    pub at: Mono,
    /// What completed it.
    pub by: CompletedBy,
}

/// One half-move of a line.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Ply {
    /// The move.
    pub m: Move,
    /// It is none that the Laws allow; it stands on the board all the same.
    pub is_illegal: bool,
    /// When the sensors last changed on a square of this move: the best guess of the release.
    pub released: Mono,
    /// Set once the move is completed.
    pub completion: Option<Completion>,
    /// The line was down when it was played: nobody can say that no press followed.
    pub is_unwatched: bool,
}

/// A press of the clock that no move accounts for yet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct OpenPress {
    /// Whose end of the clock went down.
    pub by: Color,
    /// The time of the press.
    pub at: Mono,
}

/// A piece that does not show where it stands by the record: it was knocked over, or stands half
/// on another square.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Astray {
    /// The piece.
    pub piece: Piece,
    /// Where it stands by the record.
    pub home: Square,
    /// Where it is seen instead, if anywhere.
    pub lies: Option<Square>,
}

/// Pieces that are astray in one line, at the most.
pub const ASTRAY_MAX: usize = 3;

/// A hypothesis: moves from the tracker's root, and what speaks against them.
#[derive(Debug, Default)]
pub struct Line {
    /// The moves since the root.
    pub plies: Vec<Ply>,
    /// The position after the last of them.
    pub pos: Chess,
    /// The position before the last of them, if that is illegal: nobody has answered it, so it may
    /// still be taken back.
    before_illegal: Option<Chess>,
    /// Squares on which its pieces are hidden by what was seen there before they came.
    pub masked: Bitboard,
    /// Squares whose sensors do not tell what stands there.
    pub faulty: Bitboard,
    /// Pieces that do not show where they stand.
    pub astray: Vec<Astray>,
    /// What the evidence so far speaks against this line, in the units of [`super::weigh`].
    pub cost: Cost,
    /// What of that was said by the board at presses whose picture is not closed yet, and when.
    pub charged: Vec<(Mono, Cost)>,
    /// Presses that wait for the move that they complete.
    pub open: Vec<OpenPress>,
    /// Presses that no move came to account for, oldest first; the last [`UNEXPLAINED_MAX`].
    pub unexplained: Vec<OpenPress>,
    /// Whose moves were taken back since a clock was pressed last, moves on which nobody had
    /// pressed.
    pub taken_back: ByColor<bool>,
}

impl Clone for Line {
    /// With room for another move: most lines are cloned to be carried on.
    fn clone(&self) -> Self {
        let mut plies = Vec::with_capacity(self.plies.len() + 1);
        plies.extend_from_slice(&self.plies);
        Self {
            plies,
            pos: self.pos.clone(),
            before_illegal: self.before_illegal.clone(),
            masked: self.masked,
            faulty: self.faulty,
            astray: self.astray.clone(),
            cost: self.cost,
            charged: self.charged.clone(),
            open: self.open.clone(),
            unexplained: self.unexplained.clone(),
            taken_back: self.taken_back,
        }
    }
}

impl Line {
    /// The line of no moves from `root`.
    pub fn new(root: Chess) -> Self {
        Self { pos: root, ..Self::default() }
    }

    /// Who made ply number `idx` of this line.
    pub fn mover(&self, idx: usize) -> Color {
        if (self.plies.len() - idx).is_multiple_of(2) { self.pos.turn() } else { !self.pos.turn() }
    }

    /// How many plies from the start of the line are completed. Completion has no gaps: a move
    /// that is answered is completed by the answer's completion.
    pub fn n_completed(&self) -> usize {
        self.plies.iter().take_while(|ply| ply.completion.is_some()).count()
    }

    /// Adds a move that is legal in the line's position.
    pub fn push(&mut self, m: Move, released: Mono, is_unwatched: bool) {
        self.pos.play_unchecked(m);
        self.before_illegal = None;
        self.plies.push(Ply { m, is_illegal: false, released, completion: None, is_unwatched });
    }

    /// Adds a move of [`super::illegal::shown`].
    pub fn push_illegal(&mut self, m: Move, released: Mono) {
        let before = self.pos.clone();
        self.push(m, released, false);
        self.before_illegal = Some(before);
        self.plies.last_mut().expect("a ply was pushed").is_illegal = true;
    }

    /// Goes back to its first `n` plies, after which `pos` stood: the others were taken back.
    pub fn take_back(&mut self, n: usize, pos: Chess) {
        self.plies.truncate(n);
        self.pos = pos;
        self.before_illegal = None;
    }

    /// The position that ought to stand: without a last move that is illegal and not answered.
    pub fn standing(&self) -> &Chess {
        self.before_illegal.as_ref().unwrap_or(&self.pos)
    }

    /// The squares on which `seen` contradicts its position.
    pub fn differs(&self, seen: &Placement) -> Bitboard {
        seen.differs(self.pos.board()) & !self.untold(seen)
    }

    /// The squares on which what is seen does not tell what stands there: the sensor is at fault,
    /// or a pawn was left on the last rank, pressed and answered. It counts as a queen.
    /// 2023: Art. 7.5.2.
    pub fn untold(&self, seen: &Placement) -> Bitboard {
        let pawns = seen.unexchanged();
        let untold = self.faulty | self.strewn(seen);
        if pawns.is_empty() {
            return untold;
        }
        let board = self.pos.board();
        let is_queen = |sq: &Square| {
            let color = seen.get(*sq).color();
            color.is_some_and(|color| board.piece_at(*sq) == Some(Role::Queen.of(color)))
                && self.plies.last().is_none_or(|last| last.m.to() != *sq)
        };
        untold | pawns.into_iter().filter(is_queen).collect::<Bitboard>()
    }

    /// The squares on which pieces that are astray are missing, or lie.
    pub fn strewn(&self, seen: &Placement) -> Bitboard {
        let board = self.pos.board();
        let mut squares = Bitboard::EMPTY;
        for astray in &self.astray {
            if board.piece_at(astray.home) != Some(astray.piece) {
                continue;
            }
            if seen.get(astray.home) == Reading::Empty {
                squares.add(astray.home);
            }
            let is_there = |sq: &Square| {
                seen.get(*sq) == Reading::Piece(astray.piece)
                    && board.piece_at(*sq) != Some(astray.piece)
            };
            squares |= astray.lies.filter(is_there).map_or(Bitboard::EMPTY, Bitboard::from);
        }
        squares
    }

    /// This line with its last move, an illegal one that left a pawn on the last rank, become a
    /// promotion to a queen, as it does when it is answered. 2023: Art. 7.5.2.
    pub fn queened(&self) -> Option<Self> {
        let (before, last) = (self.before_illegal.as_ref()?, self.plies.last()?);
        let Move::Normal { role: Role::Pawn, from, capture, to, promotion: None } = last.m else {
            return None;
        };
        let queen = Some(Role::Queen);
        let m = Move::Normal { role: Role::Pawn, from, capture, to, promotion: queen };
        if !legal::is_legal(before, m) {
            return None;
        }
        let mut queened = self.clone();
        queened.take_back(self.n_standing(), before.clone());
        queened.push(m, last.released, last.is_unwatched);
        queened.plies.last_mut().expect("a ply was pushed").completion = last.completion;
        Some(queened)
    }

    /// How many plies lead to [`Self::standing`].
    pub fn n_standing(&self) -> usize {
        self.plies.len() - usize::from(self.before_illegal.is_some())
    }

    /// Whether `self` and `other` are the same moves.
    pub fn has_moves_of(&self, other: &Self) -> bool {
        // Lines part at their ends.
        self.plies.len() == other.plies.len()
            && self.plies.iter().rev().zip(other.plies.iter().rev()).all(|(a, b)| a.m == b.m)
    }

    /// Whether `self` and `other` name the same first `n` moves.
    pub fn agrees(&self, other: &Self, n: usize) -> bool {
        self.n_shared(other) >= n
    }

    /// How many moves from the start `self` and `other` share.
    pub fn n_shared(&self, other: &Self) -> usize {
        self.plies.iter().zip(&other.plies).take_while(|(a, b)| a.m == b.m).count()
    }
}

/// The squares on which `m` changes what stands there, in the position before it. A king or rook
/// that castles without moving changes nothing.
pub fn squares_of(m: Move, turn: Color) -> Bitboard {
    let all = arrivals_of(m, turn) | departures_of(m);
    match (m, m.castling_side()) {
        (Move::Castle { king, .. }, Some(side)) if side.king_to(turn) == king => all.without(king),
        (Move::Castle { rook, .. }, Some(side)) if side.rook_to(turn) == rook => all.without(rook),
        _ => all,
    }
}

/// The squares on which a piece arrives with `m`.
pub fn arrivals_of(m: Move, turn: Color) -> Bitboard {
    match m.castling_side() {
        Some(side) => Bitboard::from(side.king_to(turn)).with(side.rook_to(turn)),
        None => m.to().into(),
    }
}

/// The squares that `m` leaves empty, unless something arrives there with the same move.
pub fn departures_of(m: Move) -> Bitboard {
    match m {
        Move::Castle { king, rook } => Bitboard::from(king).with(rook),
        Move::EnPassant { from, to } => {
            Bitboard::from(from).with(Square::from_coords(to.file(), from.rank()))
        }
        Move::Normal { from, .. } => from.into(),
        Move::Put { .. } => Bitboard::EMPTY,
    }
}
