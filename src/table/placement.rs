//! What the sensors see, which is not yet a position: two kings of one color, a piece in the air,
//! or a square of which only "something stands here" is known.

use super::words;
use shakmaty::fen::{Fen, ParseFenError};
use shakmaty::{
    Bitboard, Board, ByColor, CastlingSide, Chess, Color, Piece, Position, Rank, Role, Square,
};

/// What one square's sensor reads.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Reading {
    /// Nothing stands there, or something the sensor cannot see.
    Empty,
    /// A piece that the sensor knows by color and role.
    Piece(Piece),
    /// A piece of this color: all that a sensor of the magnet's pole can say.
    Colored(Color),
    /// Something stands there: all that a reed or hall sensor can say.
    Something,
}

impl Reading {
    /// Whether `piece` may be what is read.
    pub fn may_be(self, piece: Piece) -> bool {
        match self {
            Self::Empty => false,
            Self::Piece(seen) => seen == piece,
            Self::Colored(color) => color == piece.color,
            Self::Something => true,
        }
    }

    /// The color of what is read, where the sensor can tell.
    pub fn color(self) -> Option<Color> {
        match self {
            Self::Piece(piece) => Some(piece.color),
            Self::Colored(color) => Some(color),
            Self::Empty | Self::Something => None,
        }
    }
}

words! {
    /// What the sensors of a board can tell of a piece.
    ///
    /// ```
    /// use rokade::table::{Reading, Sight};
    /// use shakmaty::Color;
    /// let pawn = Color::White.pawn();
    /// assert_eq!(Sight::Colors.of(Some(pawn)), Reading::Colored(Color::White));
    /// assert_eq!(Sight::Colors.of(None), Reading::Empty);
    /// ```
    #[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
    pub enum Sight {
        /// Its color and role, as a DGT board.
        #[default]
        Pieces = "dgt",
        /// Its color.
        Colors = "color",
        /// That it is there.
        Occupied = "reed",
    }
}

impl Sight {
    /// What is read where `piece` stands, or nothing.
    pub fn of(self, piece: Option<Piece>) -> Reading {
        match (self, piece) {
            (_, None) => Reading::Empty,
            (Self::Pieces, Some(piece)) => Reading::Piece(piece),
            (Self::Colors, Some(piece)) => Reading::Colored(piece.color),
            (Self::Occupied, Some(_)) => Reading::Something,
        }
    }

    /// What is read of a whole board.
    pub fn of_board(self, board: &Board) -> Placement {
        let mut placement = Placement::empty();
        for (sq, piece) in board.iter() {
            placement.set(sq, self.of(Some(piece)));
        }
        placement
    }
}

/// What stands where, as far as the sensors can tell.
///
/// ```
/// use rokade::table::{Placement, Reading};
/// use shakmaty::{Board, Square};
/// let mut seen = Placement::from(Board::new());
/// seen.set(Square::E2, Reading::Empty);
/// assert_eq!(seen.differs(&Board::new()), Square::E2.into());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    known: Board,
    colored: ByColor<Bitboard>,
    something: Bitboard,
}

impl Default for Placement {
    /// An empty board.
    fn default() -> Self {
        Self::empty()
    }
}

impl Placement {
    /// No piece anywhere.
    pub const fn empty() -> Self {
        let colored = ByColor { black: Bitboard::EMPTY, white: Bitboard::EMPTY };
        Self { known: Board::empty(), colored, something: Bitboard::EMPTY }
    }

    /// What the sensor of `sq` reads.
    pub fn get(&self, sq: Square) -> Reading {
        match self.known.piece_at(sq) {
            Some(piece) => Reading::Piece(piece),
            None if self.something.contains(sq) => Reading::Something,
            None if self.colored.white.contains(sq) => Reading::Colored(Color::White),
            None if self.colored.black.contains(sq) => Reading::Colored(Color::Black),
            None => Reading::Empty,
        }
    }

    /// From now on the sensor of `sq` reads `reading`.
    pub fn set(&mut self, sq: Square, reading: Reading) {
        self.known.discard_piece_at(sq);
        self.something.discard(sq);
        self.colored.white.discard(sq);
        self.colored.black.discard(sq);
        match reading {
            Reading::Empty => {}
            Reading::Piece(piece) => self.known.set_piece_at(sq, piece),
            Reading::Colored(color) => self.colored.get_mut(color).add(sq),
            Reading::Something => self.something.add(sq),
        }
    }

    /// The piece on `sq`, if it is known by name.
    pub fn piece_at(&self, sq: Square) -> Option<Piece> {
        self.known.piece_at(sq)
    }

    /// The squares on which anything is seen.
    pub fn occupied(&self) -> Bitboard {
        self.known.occupied() | self.unnamed()
    }

    /// The squares that read "something" and no more.
    pub fn something(&self) -> Bitboard {
        self.something
    }

    /// The squares on which a piece is seen whose role is not.
    pub fn unnamed(&self) -> Bitboard {
        self.something | self.colored.white | self.colored.black
    }

    /// The squares on which a piece of `color` is seen for certain.
    pub fn by_color(&self, color: Color) -> Bitboard {
        self.known.by_color(color) | *self.colored.get(color)
    }

    /// The pieces that are known by name.
    pub fn known(&self) -> &Board {
        &self.known
    }

    /// The squares on which the sensors contradict `board`. Something unnamed contradicts only an
    /// empty square; where its color is seen, also a piece of the other one.
    pub fn differs(&self, board: &Board) -> Bitboard {
        let seen = &self.known;
        let colors = (seen.white() ^ board.white()) | (seen.black() ^ board.black());
        let named = Role::ALL
            .into_iter()
            .fold(colors, |all, role| all | (seen.by_role(role) ^ board.by_role(role)));
        (named & !self.unnamed())
            | (self.something & !board.occupied())
            | (self.colored.white & !board.white())
            | (self.colored.black & !board.black())
    }

    /// Whether `sq` may show what `board` has there.
    pub fn fits(&self, sq: Square, board: &Board) -> bool {
        match (self.get(sq), board.piece_at(sq)) {
            (Reading::Empty, piece) => piece.is_none(),
            (reading, piece) => piece.is_some_and(|piece| reading.may_be(piece)),
        }
    }

    /// The squares on which a pawn is seen where no pawn can stand: it was left on its last rank,
    /// or has not been exchanged yet.
    pub fn unexchanged(&self) -> Bitboard {
        let pawns = |color: Color| {
            let last = Bitboard::from(color.relative_rank(Rank::Eighth));
            self.known.by_piece(Role::Pawn.of(color)) & last
        };
        pawns(Color::White) | pawns(Color::Black)
    }

    /// What is seen, with the sensors in `faulty` reading what `board` has there.
    pub fn trusting(&self, board: &Board, faulty: Bitboard) -> Self {
        let mut trusting = self.clone();
        for sq in faulty {
            trusting.set(sq, board.piece_at(sq).map_or(Reading::Empty, Reading::Piece));
        }
        trusting
    }

    /// Whether the sensors can tell `a` from `b`: on some square where the boards differ, and that
    /// is not `faulty`, what is seen may not be both.
    pub fn tells_apart(&self, a: &Board, b: &Board, faulty: Bitboard) -> bool {
        (!faulty).into_iter().any(|sq| match (a.piece_at(sq), b.piece_at(sq)) {
            (Some(one), Some(other)) if one != other => {
                let reading = self.get(sq);
                !reading.may_be(one) || !reading.may_be(other)
            }
            (one, other) => one != other,
        })
    }

    /// Whether the player to move may have castled and these sensors read what they did before: in
    /// Chess960 king and rook may go to squares on which they stand, and neither is known by name.
    pub fn hides_castling(&self, pos: &Chess) -> bool {
        let turn = pos.turn();
        CastlingSide::ALL.into_iter().any(|side| {
            let Some(rook) = pos.castles().rook(turn, side) else { return false };
            let stood = pos.board().king_of(turn).map(|king| Bitboard::from(king).with(rook));
            let stand = Bitboard::from(side.king_to(turn)).with(side.rook_to(turn));
            stood == Some(stand) && stand.is_subset(self.unnamed())
        })
    }

    /// The squares on which `self` and `other` read differently.
    pub fn changes(&self, other: &Self) -> Bitboard {
        Square::ALL.into_iter().filter(|&sq| self.get(sq) != other.get(sq)).collect()
    }

    /// The first field of a FEN, with three letters of our own for pieces without names: `x` for
    /// something, `U` for something white and `u` for something black.
    ///
    /// ```
    /// use rokade::table::{Placement, Sight};
    /// use shakmaty::Board;
    /// let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    /// assert_eq!(Placement::from(Board::new()).fen(), fen);
    /// let colors = Sight::Colors.of_board(&Board::new());
    /// assert_eq!(colors.fen(), "uuuuuuuu/uuuuuuuu/8/8/8/8/UUUUUUUU/UUUUUUUU");
    /// ```
    pub fn fen(&self) -> String {
        // A man takes the place of each piece without a name until its letter is put there.
        let mut board = self.known.clone();
        for sq in self.unnamed() {
            board.set_piece_at(sq, Color::White.pawn());
        }
        let text = board.board_fen().to_string();
        let letter = |sq: Square, letter: char| match self.get(sq) {
            Reading::Something => SOMETHING,
            Reading::Colored(Color::White) => SOMETHING_WHITE,
            Reading::Colored(Color::Black) => SOMETHING_BLACK,
            Reading::Empty | Reading::Piece(_) => letter,
        };
        squares_of_fen(&text).map(|(sq, c)| sq.map_or(c, |sq| letter(sq, c))).collect()
    }

    /// Reads what [`Self::fen`] writes, which may be the first field of a FEN.
    ///
    /// # Errors
    /// The text is no placement of eight ranks.
    pub fn parse(fen: &str) -> Result<Self, ParseFenError> {
        let reading = |c: char| match c {
            SOMETHING => Some(Reading::Something),
            SOMETHING_WHITE => Some(Reading::Colored(Color::White)),
            SOMETHING_BLACK => Some(Reading::Colored(Color::Black)),
            _ => None,
        };
        let fen = fen.split(' ').next().unwrap_or_default();
        let named: String = fen.chars().map(|c| reading(c).map_or(c, |_| 'P')).collect();
        let mut placement = Self::from(Fen::from_ascii(named.as_bytes())?.into_setup().board);
        for (sq, c) in squares_of_fen(fen) {
            if let (Some(sq), Some(reading)) = (sq, reading(c)) {
                placement.set(sq, reading);
            }
        }
        Ok(placement)
    }
}

/// The letters of [`Placement::fen`] for what has no name.
const SOMETHING: char = 'x';
const SOMETHING_WHITE: char = 'U';
const SOMETHING_BLACK: char = 'u';

/// Each character of the first field of a FEN, with its square where it stands for a piece.
fn squares_of_fen(fen: &str) -> impl Iterator<Item = (Option<Square>, char)> {
    let mut next: u32 = 0;
    fen.chars().map(move |c| {
        let at = next;
        next += c.to_digit(10).unwrap_or(u32::from(c.is_ascii_alphabetic()));
        // A FEN begins with the eighth rank; the first square is a1.
        let sq = Square::try_from(at.min(63) ^ 56).ok().filter(|_| c.is_ascii_alphabetic());
        (sq, c)
    })
}

impl From<Board> for Placement {
    fn from(known: Board) -> Self {
        Self { known, ..Self::empty() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read tells two boards apart only where they differ, and not where both may be it.
    #[test]
    fn boards_are_told_apart_by_what_is_read_where_they_differ() {
        let board = |fen: &str| Placement::parse(fen).unwrap().known().clone();
        let (queen, rook) = (board("Q7/8/8/8/8/8/8/K7"), board("R7/8/8/8/8/8/8/K7"));
        let none = Bitboard::EMPTY;
        for (seen, a, b, faulty, is_told) in [
            ("Q7/8/8/8/8/8/8/K7", &queen, &rook, none, true),
            ("U7/8/8/8/8/8/8/K7", &queen, &rook, none, false),
            ("x7/8/8/8/8/8/8/K7", &queen, &rook, none, false),
            ("u7/8/8/8/8/8/8/K7", &queen, &rook, none, true),
            ("Q7/8/8/8/8/8/8/k7", &queen, &queen, none, false),
            ("8/8/8/8/8/8/8/K7", &queen, &board("8/8/8/8/8/8/8/K7"), none, true),
            ("Q7/8/8/8/8/8/8/K7", &queen, &rook, Square::A8.into(), false),
        ] {
            let seen = Placement::parse(seen).unwrap();
            assert_eq!(seen.tells_apart(a, b, faulty), is_told, "{}", seen.fen());
        }
    }
}
