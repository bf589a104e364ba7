//! Millennium's ChessLink: the boards of The King, eONE and Exclusive, by a cable or by Bluetooth.
//!
//! Text both ways: a letter, what belongs to it, and two digits that are the exclusive or of all
//! before them. Seven bits with odd parity, which is written into the eighth here, so that a line
//! of eight bits carries it. Protocol 7.1.

use crate::wire::blocks::{BlockLanguage, Cut};
use crate::wire::field::{Dump, Field, FieldCode, N_FIELDS, Orientation};
use shakmaty::{Bitboard, Piece, Square};

/// Bits in a second on its line (protocol 7.1).
pub const BAUD: u32 = 38_400;
/// LightTable on the corners of the squares: nine rows of nine (protocol 7.1).
pub const N_LIGHTS: usize = 81;
/// A square without a piece.
const EMPTY: u8 = b'.';

/// A byte of the board's memory that says how it behaves (protocol 7.1).
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum Register {
    /// Bit 0 set: messages end without their two digits.
    Checks,
    /// Between two scans, in 2.048 ms; 15 is the least, 20 the usual.
    ScanTime,
    /// When it tells its position unasked: 0 after every scan, 1 never, 2 by its timer, 3 when
    /// something has changed.
    Reports,
    /// Another one, by its address.
    Other(u8),
}

impl Register {
    /// The register at this address.
    pub fn at(address: u8) -> Self {
        match address {
            0 => Self::Checks,
            1 => Self::ScanTime,
            2 => Self::Reports,
            other => Self::Other(other),
        }
    }

    /// Its address.
    pub fn address(self) -> u8 {
        match self {
            Self::Checks => 0,
            Self::ScanTime => 1,
            Self::Reports => 2,
            Self::Other(address) => address,
        }
    }
}

/// Which lights are on: bit 7 is the first of eight slots of time that follow each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LightTable {
    /// How long a slot lasts, in 4.096 ms.
    pub slot: u8,
    /// The slots of each light, in the board's numbering.
    pub slots: [u8; N_LIGHTS],
}

impl LightTable {
    /// The four corners of each of these squares are lit all the time.
    pub fn around(squares: Bitboard, lies: Orientation) -> Self {
        let mut slots = [0; N_LIGHTS];
        for sq in squares {
            for idx in corners(lies.field(sq)) {
                slots[idx] = 0xff;
            }
        }
        Self { slot: 0x32, slots }
    }

    /// The squares of which all corners are lit at some time.
    pub fn squares(&self, lies: Orientation) -> Bitboard {
        let is_lit = |sq: &Square| corners(lies.field(*sq)).iter().all(|idx| self.slots[*idx] > 0);
        Square::ALL.into_iter().filter(is_lit).collect()
    }
}

/// The lights at the corners of a field. They are counted from the corner of a8 down the a-file,
/// then down the next line between files (protocol 7.1).
fn corners(field: Field) -> [usize; 4] {
    let (row, column) = (usize::from(field.index()) / 8, usize::from(field.index()) % 8);
    let first = column * 9 + row;
    [first, first + 1, first + 9, first + 10]
}

/// What a host says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChessLinkCommand {
    /// `V`: which firmware is it?
    Version,
    /// `S`: what stands on the board?
    Position,
    /// `L`: these lights.
    Light(Box<LightTable>),
    /// `X`: no lights.
    Dark,
    /// `T`: start anew, which takes 3 s.
    Restart,
    /// `R`: what is in a register?
    Read(Register),
    /// `W`: this goes into a register, and stays there without power.
    Write(Register, u8),
}

/// What a board says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChessLinkMessage {
    /// `v`: its firmware.
    Version {
        /// The number before the point.
        major: u8,
        /// The number behind the point.
        minor: u8,
    },
    /// `s`: what stands on each field.
    Position(Box<Dump>),
    /// `l`: the lights are as they were to be.
    Lit,
    /// `x`: all lights are off.
    Dark,
    /// `r`: what is in a register.
    Read(Register, u8),
    /// `w`: what is in a register now.
    Written(Register, u8),
}

/// What is said to a board.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct ToBoard;

/// What a board says.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct FromBoard;

impl ChessLinkCommand {
    /// The bytes on the line.
    pub fn encode(&self) -> Vec<u8> {
        let hex = |byte: u8| format!("{byte:02X}");
        block(match self {
            Self::Version => "V".to_owned(),
            Self::Position => "S".to_owned(),
            Self::Light(lights) => {
                let slots: String = lights.slots.iter().map(|slots| hex(*slots)).collect();
                format!("L{}{slots}", hex(lights.slot))
            }
            Self::Dark => "X".to_owned(),
            Self::Restart => "T".to_owned(),
            Self::Read(register) => format!("R{}", hex(register.address())),
            Self::Write(register, value) => format!("W{}{}", hex(register.address()), hex(*value)),
        })
    }
}

impl ChessLinkMessage {
    /// The bytes on the line.
    pub fn encode(&self) -> Vec<u8> {
        block(match self {
            Self::Version { major, minor } => format!("v{major:02X}{minor:02X}"),
            Self::Position(dump) => {
                let letter = |code: &FieldCode| code.piece().map_or('.', Piece::char);
                format!("s{}", dump.0.iter().map(letter).collect::<String>())
            }
            Self::Lit => "l".to_owned(),
            Self::Dark => "x".to_owned(),
            Self::Read(register, value) => format!("r{:02X}{value:02X}", register.address()),
            Self::Written(register, value) => format!("w{:02X}{value:02X}", register.address()),
        })
    }
}

impl BlockLanguage for ToBoard {
    type Message = ChessLinkCommand;

    fn cut(bytes: &[u8]) -> Cut<ChessLinkCommand> {
        let len = match bytes[0] & 0x7f {
            b'V' | b'S' | b'X' | b'T' => 0,
            b'R' => 2,
            b'W' => 4,
            b'L' => 2 + 2 * N_LIGHTS,
            _ => return Cut::Noise,
        };
        checked(
            bytes,
            len,
            |byte| byte.is_ascii_hexdigit(),
            |letter, body| {
                Some(match letter {
                    b'V' => ChessLinkCommand::Version,
                    b'S' => ChessLinkCommand::Position,
                    b'X' => ChessLinkCommand::Dark,
                    b'T' => ChessLinkCommand::Restart,
                    b'R' => ChessLinkCommand::Read(Register::at(digits(body)?)),
                    b'W' => {
                        ChessLinkCommand::Write(Register::at(digits(body)?), digits(&body[2..])?)
                    }
                    _ => {
                        let mut lights = LightTable { slot: digits(body)?, slots: [0; N_LIGHTS] };
                        for (slots, pair) in lights.slots.iter_mut().zip(body[2..].chunks(2)) {
                            *slots = digits(pair)?;
                        }
                        ChessLinkCommand::Light(Box::new(lights))
                    }
                })
            },
        )
    }
}

impl BlockLanguage for FromBoard {
    type Message = ChessLinkMessage;

    fn cut(bytes: &[u8]) -> Cut<ChessLinkMessage> {
        let is_hex = |byte: u8| byte.is_ascii_hexdigit();
        let register = |body: &[u8]| Some((Register::at(digits(body)?), digits(&body[2..])?));
        match bytes[0] & 0x7f {
            b's' => checked(
                bytes,
                N_FIELDS,
                |byte| code(byte).is_some(),
                |_, body| {
                    let mut dump = Dump([FieldCode::Empty; N_FIELDS]);
                    for (to, byte) in dump.0.iter_mut().zip(body) {
                        *to = code(*byte)?;
                    }
                    Some(ChessLinkMessage::Position(Box::new(dump)))
                },
            ),
            b'v' => checked(bytes, 4, is_hex, |_, body| {
                let (major, minor) = (digits(body)?, digits(&body[2..])?);
                Some(ChessLinkMessage::Version { major, minor })
            }),
            b'r' => checked(bytes, 4, is_hex, |_, body| {
                register(body).map(|(register, value)| ChessLinkMessage::Read(register, value))
            }),
            b'w' => checked(bytes, 4, is_hex, |_, body| {
                register(body).map(|(register, value)| ChessLinkMessage::Written(register, value))
            }),
            b'l' => checked(bytes, 0, is_hex, |_, _| Some(ChessLinkMessage::Lit)),
            b'x' => checked(bytes, 0, is_hex, |_, _| Some(ChessLinkMessage::Dark)),
            _ => Cut::Noise,
        }
    }
}

/// A message of a letter, `len` characters that may stand there, and the two digits.
fn checked<T>(
    bytes: &[u8],
    len: usize,
    may_stand: impl Fn(u8) -> bool,
    decode: impl Fn(u8, &[u8]) -> Option<T>,
) -> Cut<T> {
    let total = 1 + len + 2;
    let mut text = Vec::with_capacity(total);
    for (idx, byte) in bytes.iter().take(total).enumerate() {
        let Some(character) = unframed(*byte) else { return Cut::Noise };
        let may = match idx {
            0 => true,
            _ if idx <= len => may_stand(character),
            _ => character.is_ascii_hexdigit() && !character.is_ascii_lowercase(),
        };
        if !may {
            return Cut::Noise;
        }
        text.push(character);
    }
    if text.len() < total {
        return Cut::Partial;
    }
    let (said, sum) = text.split_at(1 + len);
    if digits(sum) != Some(sum_of(said)) {
        return Cut::Noise;
    }
    decode(said[0], &said[1..]).map_or(Cut::Noise, |message| Cut::Whole(message, total))
}

/// Text with its two digits, in bytes with their parity.
fn block(text: String) -> Vec<u8> {
    let sum = format!("{:02X}", sum_of(text.as_bytes()));
    text.bytes().chain(sum.bytes()).map(framed).collect()
}

fn sum_of(text: &[u8]) -> u8 {
    text.iter().fold(0, |sum, byte| sum ^ byte)
}

/// Seven bits and, above them, what makes the number of ones odd.
fn framed(character: u8) -> u8 {
    if character.count_ones().is_multiple_of(2) { character | 0x80 } else { character }
}

/// The character in a byte, if its number of ones is odd.
fn unframed(byte: u8) -> Option<u8> {
    (!byte.count_ones().is_multiple_of(2)).then_some(byte & 0x7f)
}

/// The byte that the first two characters are.
fn digits(text: &[u8]) -> Option<u8> {
    u8::from_str_radix(std::str::from_utf8(text.get(..2)?).ok()?, 16).ok()
}

/// What a letter of a position says.
fn code(letter: u8) -> Option<FieldCode> {
    match letter {
        EMPTY => Some(FieldCode::Empty),
        _ => Piece::from_char(char::from(letter)).map(FieldCode::Piece),
    }
}
