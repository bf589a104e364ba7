//! Where on the board, and what stands there: DGT's numbering and codes against shakmaty's.
//!
//! A board numbers its fields by its own wood, and the wood may lie either way round. This file is
//! the only place that turns one numbering into the other, so that nothing is ever turned twice.

use shakmaty::{Bitboard, Board, Color, Piece, Rank, Role, Square};

/// Fields on a board (protocol 1.5).
pub const N_FIELDS: usize = 64;

/// A field in the board's own numbering: 0 is a8, 7 is h8, 63 is h1, seen with the connector on
/// the left-hand side (protocol 1.7).
///
/// ```
/// use rokade::wire::{Field, Orientation};
/// use shakmaty::Square;
/// assert_eq!(Orientation::Normal.square(Field::new(0x34)), Square::E2);
/// assert_eq!(Orientation::Rotated.square(Field::new(0x0b)), Square::E2);
/// ```
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Field(u8);

impl Field {
    /// The field in the low six bits of `byte`. Higher bits are dropped: one firmware is said to
    /// put a flag there (protocol 10, "S bit").
    pub const fn new(byte: u8) -> Self {
        Self(byte & 0x3f)
    }

    /// The number, 0..=63.
    pub const fn index(self) -> u8 {
        self.0
    }

    /// All 64 fields in the board's order.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..64).map(Self)
    }
}

/// How the wood lies relative to the players (protocol 1.7).
#[derive(Debug, Copy, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Orientation {
    /// The connector is on White's left: field 0 is a8.
    #[default]
    Normal,
    /// The connector is on White's right: field 0 is h1. A turn by 180 degrees, not a mirror.
    Rotated,
}

impl Orientation {
    /// The other way round.
    pub const fn other(self) -> Self {
        match self {
            Self::Normal => Self::Rotated,
            Self::Rotated => Self::Normal,
        }
    }

    /// The square that `field` is.
    pub fn square(self, field: Field) -> Square {
        let reading = match self {
            Self::Normal => field.0,
            Self::Rotated => 63 - field.0,
        };
        // Reading order starts at a8, shakmaty's at a1: only the rank differs.
        Square::new(u32::from(reading)).flip_vertical()
    }

    /// The field that `square` is.
    pub fn field(self, square: Square) -> Field {
        let reading = u8::try_from(square.flip_vertical().to_u32()).expect("a square is below 64");
        match self {
            Self::Normal => Field(reading),
            Self::Rotated => Field(63 - reading),
        }
    }
}

/// A figure that is not a chess piece but says something (protocol 1.6).
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Signal {
    /// `0D`: the game is drawn.
    Draw,
    /// `0E`: White wins.
    WhiteWins,
    /// `0F`: Black wins. The text of 1998 calls it a pointing device.
    BlackWins,
}

/// What a field reads (protocol 1.6). Boards that only sense occupancy send [`FieldCode::Empty`]
/// and the white pawn.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum FieldCode {
    /// `00`: nothing stands there.
    Empty,
    /// `01`..`0C`.
    Piece(Piece),
    /// `0D`..`0F`.
    Signal(Signal),
}

/// Roles in the order of the codes, white from 1 and black from 7 (protocol 1.6).
const ROLES: [Role; 6] =
    [Role::Pawn, Role::Rook, Role::Knight, Role::Bishop, Role::King, Role::Queen];

impl FieldCode {
    /// The code in the low four bits of `byte`; the rest is dropped (protocol 1.6).
    pub fn from_byte(byte: u8) -> Self {
        let piece = |color, n: u8| Self::Piece(Piece { color, role: ROLES[usize::from(n)] });
        match byte & 0x0f {
            0 => Self::Empty,
            n @ 1..=6 => piece(Color::White, n - 1),
            n @ 7..=12 => piece(Color::Black, n - 7),
            13 => Self::Signal(Signal::Draw),
            14 => Self::Signal(Signal::WhiteWins),
            _ => Self::Signal(Signal::BlackWins),
        }
    }

    /// The byte on the wire, 00..=0F.
    pub fn byte(self) -> u8 {
        match self {
            Self::Empty => 0,
            Self::Piece(Piece { color, role }) => {
                let first = match color {
                    Color::White => 1,
                    Color::Black => 7,
                };
                let n = ROLES.iter().position(|of| *of == role).expect("all roles are there");
                first + n as u8
            }
            Self::Signal(Signal::Draw) => 13,
            Self::Signal(Signal::WhiteWins) => 14,
            Self::Signal(Signal::BlackWins) => 15,
        }
    }

    /// The chess piece, if it is one.
    pub fn piece(self) -> Option<Piece> {
        match self {
            Self::Piece(piece) => Some(piece),
            Self::Empty | Self::Signal(_) => None,
        }
    }

    pub(crate) fn is(self, color: Color, role: Role) -> bool {
        self == Self::Piece(Piece { color, role })
    }
}

impl From<Option<Piece>> for FieldCode {
    fn from(piece: Option<Piece>) -> Self {
        piece.map_or(Self::Empty, Self::Piece)
    }
}

/// A board dump: what each of the 64 fields reads, in the board's numbering (protocol 1.5, `86`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dump(pub [FieldCode; N_FIELDS]);

impl Dump {
    /// What a board lying in `orientation` would send for `placement`.
    pub fn new(placement: &Board, orientation: Orientation) -> Self {
        let mut codes = [FieldCode::Empty; N_FIELDS];
        for (square, piece) in placement {
            codes[usize::from(orientation.field(square).0)] = FieldCode::Piece(piece);
        }
        Self(codes)
    }

    /// What `field` reads.
    pub fn code(&self, field: Field) -> FieldCode {
        self.0[usize::from(field.0)]
    }

    /// The chess pieces on their squares. Signal figures are left out: they are not part of the
    /// placement (protocol 1.6).
    pub fn placement(&self, orientation: Orientation) -> Board {
        let mut board = Board::empty();
        for field in Field::all() {
            if let FieldCode::Piece(piece) = self.code(field) {
                board.set_piece_at(orientation.square(field), piece);
            }
        }
        board
    }

    /// Which way the board lies, decided only on a set-up from which a game may start: eight white
    /// pawns on one second row and eight white pieces, one of them the king, behind them
    /// (protocol 1.7, which calls that enough for Chess960 too). `None` otherwise, also for a start
    /// at odds: then a setting must tell.
    ///
    /// Ask it before a game, never in the middle of one.
    pub fn orientation(&self) -> Option<Orientation> {
        let ways = [Orientation::Normal, Orientation::Rotated];
        ways.into_iter().find(|&way| self.is_set_up(Color::White, way))
    }

    /// Which way the board lies where that was not known, or was known as `lies` and the pieces of
    /// both players are set up the other way round, which no play brings about. `None` if that is
    /// nothing new.
    pub fn lies_anew(&self, lies: Option<Orientation>) -> Option<Orientation> {
        let Some(lies) = lies else { return self.orientation() };
        let is_turned = Color::ALL.into_iter().all(|color| self.is_set_up(color, lies.other()));
        is_turned.then(|| lies.other())
    }

    fn is_set_up(&self, color: Color, orientation: Orientation) -> bool {
        let row = |rank: Rank| {
            let rank = Bitboard::from(color.relative_rank(rank));
            rank.into_iter().map(|sq| self.code(orientation.field(sq)))
        };
        let pawns = row(Rank::Second).all(|code| code.is(color, Role::Pawn));
        let is_behind = |p: Piece| p.color == color && p.role != Role::Pawn;
        let pieces = row(Rank::First).all(|code| code.piece().is_some_and(is_behind));
        let n_kings = row(Rank::First).filter(|code| code.is(color, Role::King)).count();
        pawns && pieces && n_kings == 1
    }
}
