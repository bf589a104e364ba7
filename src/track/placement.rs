//! What the sensors see, which is not yet a position: two kings of one color, a piece in the air,
//! or a square of which only "something stands here" is known.

use shakmaty::fen::{Fen, ParseFenError};
use shakmaty::{Bitboard, Board, Piece, Role, Square};

/// What one square's sensor reads.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Reading {
    /// Nothing stands there, or something the sensor cannot see.
    Empty,
    /// A piece that the sensor knows by color and role.
    Piece(Piece),
    /// Something stands there: all that a reed or hall sensor can say.
    Something,
}

/// What stands where, as far as the sensors can tell.
///
/// ```
/// use rokade::track::{Placement, Reading};
/// use shakmaty::{Board, Square};
/// let mut seen = Placement::from(Board::new());
/// seen.set(Square::E2, Reading::Empty);
/// assert_eq!(seen.differs(&Board::new()), Square::E2.into());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    known: Board,
    something: Bitboard,
}

impl Placement {
    /// No piece anywhere.
    pub const fn empty() -> Self {
        Self { known: Board::empty(), something: Bitboard::EMPTY }
    }

    /// What the sensor of `sq` reads.
    pub fn get(&self, sq: Square) -> Reading {
        match self.known.piece_at(sq) {
            Some(piece) => Reading::Piece(piece),
            None if self.something.contains(sq) => Reading::Something,
            None => Reading::Empty,
        }
    }

    /// From now on the sensor of `sq` reads `reading`.
    pub fn set(&mut self, sq: Square, reading: Reading) {
        self.known.discard_piece_at(sq);
        self.something.discard(sq);
        match reading {
            Reading::Empty => {}
            Reading::Piece(piece) => self.known.set_piece_at(sq, piece),
            Reading::Something => self.something.add(sq),
        }
    }

    /// The squares on which anything is seen.
    pub fn occupied(&self) -> Bitboard {
        self.known.occupied() | self.something
    }

    /// The squares that read "something" and no more.
    pub fn something(&self) -> Bitboard {
        self.something
    }

    /// The pieces that are known by name.
    pub fn known(&self) -> &Board {
        &self.known
    }

    /// The squares on which the sensors contradict `board`. Something unnamed contradicts only an
    /// empty square.
    pub fn differs(&self, board: &Board) -> Bitboard {
        let seen = &self.known;
        let colors = (seen.white() ^ board.white()) | (seen.black() ^ board.black());
        let named = Role::ALL
            .into_iter()
            .fold(colors, |all, role| all | (seen.by_role(role) ^ board.by_role(role)));
        (named & !self.something) | (self.something & !board.occupied())
    }

    /// The squares on which `self` and `other` read differently.
    pub fn changes(&self, other: &Self) -> Bitboard {
        Square::ALL.into_iter().filter(|&sq| self.get(sq) != other.get(sq)).collect()
    }

    /// The first field of a FEN; unnamed pieces are left out.
    ///
    /// ```
    /// use rokade::track::Placement;
    /// use shakmaty::Board;
    /// let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    /// assert_eq!(Placement::from(Board::new()).fen(), fen);
    /// ```
    pub fn fen(&self) -> String {
        self.known.board_fen().to_string()
    }

    /// Reads the first field of a FEN.
    ///
    /// # Errors
    /// The text is no placement of eight ranks.
    pub fn parse(fen: &str) -> Result<Self, ParseFenError> {
        Ok(Self::from(Fen::from_ascii(fen.as_bytes())?.into_setup().board))
    }
}

impl From<Board> for Placement {
    fn from(known: Board) -> Self {
        Self { known, something: Bitboard::EMPTY }
    }
}
