//! Chessnut's boards on USB: reports of a HID device, each a letter, a length and so many bytes.
//!
//! A position comes as half a byte for each field and has no sum; USB has one for each report. The
//! long report of a board on USB and the short one of Bluetooth are the same but for what follows
//! the position. Protocol 7.2.

use crate::wire::blocks::{BlockLanguage, Cut};
use crate::wire::field::{Dump, Field, FieldCode, N_FIELDS, Orientation};
use shakmaty::{Bitboard, Color, Piece, Role, Square};

/// The maker's number on USB (protocol 7.2).
pub const VENDOR: u16 = 0x2d80;
/// The numbers of its boards on USB.
pub const PRODUCTS: std::ops::RangeInclusive<u16> = 0x8000..=0x8600;

/// A report that tells a position.
const POSITION: u8 = 0x01;
/// How many bytes follow in one of a board on USB, and in one on Bluetooth.
const LONG: u8 = 0x3d;
const SHORT: u8 = 0x24;
/// Bytes of a position.
const N_POSITION: usize = N_FIELDS / 2;
/// A report that tells how full the battery is, and how many bytes follow.
const BATTERY: u8 = 0x2a;
const N_BATTERY: u8 = 0x02;
/// What a host says to have positions told from then on.
const START: [u8; 3] = [0x21, 0x01, 0x00];
/// What it says to light squares, before a byte for each rank.
const LIGHT: [u8; 2] = [0x0a, 0x08];
/// The pieces by their numbers, from 1 on.
const PIECES: [Piece; 12] = [
    Piece { color: Color::Black, role: Role::Queen },
    Piece { color: Color::Black, role: Role::King },
    Piece { color: Color::Black, role: Role::Bishop },
    Piece { color: Color::Black, role: Role::Pawn },
    Piece { color: Color::Black, role: Role::Knight },
    Piece { color: Color::White, role: Role::Rook },
    Piece { color: Color::White, role: Role::Pawn },
    Piece { color: Color::Black, role: Role::Rook },
    Piece { color: Color::White, role: Role::Bishop },
    Piece { color: Color::White, role: Role::Knight },
    Piece { color: Color::White, role: Role::Queen },
    Piece { color: Color::White, role: Role::King },
];

/// What a host says.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum ChessnutCommand {
    /// Positions are to be told, from now on and at each change.
    Start,
    /// These fields are to be lit, from the last rank down and from the a-file on, and no others.
    Light([u8; 8]),
}

/// What a board says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChessnutMessage {
    /// What stands on each field.
    Position {
        /// The position.
        dump: Box<Dump>,
        /// It is the long report of a board on USB.
        is_long: bool,
    },
    /// How full the battery is.
    Battery {
        /// In a hundred.
        percent: u8,
        /// It is being charged.
        is_charging: bool,
    },
}

/// What a board says, as a language.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct FromChessnut;

/// What is said to a board, as a language.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct ToChessnut;

impl BlockLanguage for FromChessnut {
    type Message = ChessnutMessage;

    fn cut(bytes: &[u8]) -> Cut<ChessnutMessage> {
        let len = match *bytes {
            // A report is filled up to its length.
            [0, ..] => return Cut::Blank,
            [POSITION | BATTERY] => return Cut::Partial,
            [POSITION, len @ (SHORT | LONG), ..] => usize::from(len) + 2,
            [BATTERY, N_BATTERY, ..] => 4,
            _ => return Cut::Noise,
        };
        let is_position = bytes[0] == POSITION;
        let codes = &bytes[2..bytes.len().min(2 + N_POSITION)];
        if is_position && codes.iter().any(|pair| [pair & 15, pair >> 4].iter().any(|it| *it > 12))
        {
            return Cut::Noise;
        }
        if bytes.len() < len {
            return Cut::Partial;
        }
        if !is_position {
            let (percent, is_charging) = (bytes[2], bytes[3] == 1);
            return match bytes[2..4] {
                [0..=100, 0 | 1] => {
                    Cut::Whole(ChessnutMessage::Battery { percent, is_charging }, 4)
                }
                _ => Cut::Noise,
            };
        }
        let is_long = bytes[1] == LONG;
        Cut::Whole(ChessnutMessage::Position { dump: Box::new(parse(codes)), is_long }, len)
    }
}

/// Each rank, the last one first, is told from the h-file on, the lower half of a byte before the
/// upper.
fn parse(codes: &[u8]) -> Dump {
    let code = |idx: usize| {
        let place = idx / 8 * 8 + 7 - idx % 8;
        let number = codes[place / 2] >> (place % 2 * 4) & 15;
        let piece = usize::from(number).checked_sub(1).map(|idx| PIECES[idx]);
        FieldCode::from(piece)
    };
    Dump(std::array::from_fn(code))
}

impl ChessnutMessage {
    /// The bytes of the report; nobody has told what follows a position in a long one.
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Battery { percent, is_charging } => {
                vec![BATTERY, N_BATTERY, *percent, u8::from(*is_charging)]
            }
            Self::Position { dump, is_long } => {
                let len = if *is_long { LONG } else { SHORT };
                let mut bytes = vec![POSITION, len];
                bytes.resize(2 + usize::from(len), 0);
                for field in Field::all() {
                    let idx = usize::from(field.index());
                    let place = idx / 8 * 8 + 7 - idx % 8;
                    let piece = dump.code(field).piece();
                    let number = piece.and_then(|it| PIECES.iter().position(|one| *one == it));
                    let number = number.map_or(0, |idx| u8::try_from(idx + 1).unwrap_or(0));
                    bytes[2 + place / 2] |= number << (place % 2 * 4);
                }
                bytes
            }
        }
    }
}

impl BlockLanguage for ToChessnut {
    type Message = ChessnutCommand;

    fn cut(bytes: &[u8]) -> Cut<ChessnutCommand> {
        let starts = |whole: &[u8]| whole.starts_with(&bytes[..bytes.len().min(whole.len())]);
        if bytes.starts_with(&START) {
            return Cut::Whole(ChessnutCommand::Start, START.len());
        }
        if let Some(ranks) = bytes.strip_prefix(&LIGHT) {
            return match ranks.first_chunk() {
                Some(ranks) => Cut::Whole(ChessnutCommand::Light(*ranks), 10),
                None => Cut::Partial,
            };
        }
        if starts(&START) || starts(&LIGHT) { Cut::Partial } else { Cut::Noise }
    }
}

impl ChessnutCommand {
    /// What lights these squares on a board that lies so, and no others.
    pub fn light(squares: Bitboard, lies: Orientation) -> Self {
        let mut ranks = [0; 8];
        for sq in squares {
            let idx = lies.field(sq).index();
            ranks[usize::from(idx / 8)] |= 0x80 >> (idx % 8);
        }
        Self::Light(ranks)
    }

    /// The squares that it lights.
    pub fn lit(&self, lies: Orientation) -> Bitboard {
        let Self::Light(ranks) = self else { return Bitboard::EMPTY };
        let is_lit = |sq: &Square| {
            let idx = lies.field(*sq).index();
            ranks[usize::from(idx / 8)] & (0x80 >> (idx % 8)) != 0
        };
        Square::ALL.into_iter().filter(is_lit).collect()
    }

    /// The bytes of the report.
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Start => START.to_vec(),
            Self::Light(ranks) => [&LIGHT[..], ranks].concat(),
        }
    }
}
