//! Certabo's and Tabutronic's boards: lines of decimal numbers, all squares again and again.
//!
//! A board with chips below its pieces tells the chip of each square, one that sees occupied
//! squares a byte for each rank. Neither line has a sum. Protocol 7.3.

use crate::wire::blocks::{BlockLanguage, Cut};
use crate::wire::field::{Field, N_FIELDS, Orientation};
use shakmaty::{Bitboard, Piece, Square};
use std::collections::BTreeMap;

/// Bits in a second on its line (protocol 7.3).
pub const BAUD: u32 = 38_400;
/// Numbers that make a chip.
const CHIP_LEN: usize = 5;
/// The longest line: 320 numbers of three digits, their blanks, and both ends.
const LINE_MAX: usize = N_FIELDS * CHIP_LEN * 4 + 16;
/// Lights on the corners of the squares of a board with colors.
const N_LIGHTS: usize = 81;
/// What is lit, in red, green and blue. Ours.
const COLOR: [u8; 3] = [0, 0, 80];

/// The number of a chip below a piece; all zero is none.
#[derive(Debug, Copy, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Chip(pub [u8; CHIP_LEN]);

impl Chip {
    /// Nothing stands there.
    pub const NONE: Self = Self([0; CHIP_LEN]);
}

/// Which chip is below which piece.
pub type Chips = BTreeMap<Chip, Piece>;

/// Reads the chips of a set: lines of a letter of FEN and five numbers, as in `"K 12 0 7 200 1"`.
///
/// # Errors
/// A line is none, or a chip is named twice, in one sentence.
pub fn parse_chips(lines: &[String]) -> Result<Chips, String> {
    let mut chips = Chips::new();
    for line in lines {
        let wrong = || format!("{line:?} is no piece with its chip, as in \"K 12 0 7 200 1\"");
        let (letter, numbers) = line.trim().split_once(' ').ok_or_else(wrong)?;
        let piece = letter.parse().ok().and_then(Piece::from_char).ok_or_else(wrong)?;
        let numbers: Result<Vec<u8>, _> = numbers.split_whitespace().map(str::parse).collect();
        let chip = numbers.ok().and_then(|numbers| numbers.try_into().ok()).ok_or_else(wrong)?;
        if chips.insert(Chip(chip), piece).is_some() {
            return Err(format!("{line:?} names a chip that another piece has"));
        }
    }
    Ok(chips)
}

/// The lines that [`parse_chips`] reads.
pub fn lines_of(chips: &Chips) -> Vec<String> {
    let line = |(Chip(numbers), piece): (&Chip, &Piece)| {
        let words: Vec<String> = numbers.iter().map(u8::to_string).collect();
        format!("{} {}", piece.char(), words.join(" "))
    };
    chips.iter().map(line).collect()
}

/// What a board says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CertaboMessage {
    /// The chip on each field.
    Chips(Box<[Chip; N_FIELDS]>),
    /// Whether each field is occupied.
    Occupied([bool; N_FIELDS]),
    /// `L`: a light for each square.
    HasLights,
    /// `D`: lights of three colors at the corners.
    HasColors,
}

/// How a board is lit.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum CertaboLights {
    /// A light for each square.
    Squares,
    /// Lights of three colors at the corners.
    Corners,
}

/// What a board says, as a language.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct FromCertabo;

impl BlockLanguage for FromCertabo {
    type Message = CertaboMessage;

    fn cut(bytes: &[u8]) -> Cut<CertaboMessage> {
        match bytes[0] {
            b'L' => return Cut::Whole(CertaboMessage::HasLights, 1),
            b'D' => return Cut::Whole(CertaboMessage::HasColors, 1),
            b'*' | b'\r' | b'\n' | b' ' => return Cut::Blank,
            b':' => {}
            _ => return Cut::Noise,
        }
        let line = &bytes[1..bytes.len().min(LINE_MAX)];
        let may_stand = |byte: &u8| byte.is_ascii_digit() || b" *\r\n".contains(byte);
        let is_hurt = |byte: &u8| !may_stand(byte);
        let end = line.iter().position(|byte| *byte == b'\n');
        if line[..end.unwrap_or(line.len())].iter().any(is_hurt) {
            return Cut::Noise;
        }
        match end {
            Some(end) => parse(&line[..end]).map_or(Cut::Noise, |it| Cut::Whole(it, end + 2)),
            None if bytes.len() >= LINE_MAX => Cut::Noise,
            None => Cut::Partial,
        }
    }
}

fn parse(line: &[u8]) -> Option<CertaboMessage> {
    let text = std::str::from_utf8(line).ok()?.replace('*', " ");
    let numbers: Result<Vec<u8>, _> = text.split_whitespace().map(str::parse).collect();
    let numbers = numbers.ok()?;
    if let Ok(ranks) = <[u8; 8]>::try_from(numbers.as_slice()) {
        let is_there = |idx: usize| ranks[idx / 8] & (0x80 >> (idx % 8)) != 0;
        return Some(CertaboMessage::Occupied(std::array::from_fn(is_there)));
    }
    if numbers.len() != N_FIELDS * CHIP_LEN {
        return None;
    }
    let mut chips = Box::new([Chip::NONE; N_FIELDS]);
    for (chip, bytes) in chips.iter_mut().zip(numbers.chunks_exact(CHIP_LEN)) {
        chip.0.copy_from_slice(bytes);
    }
    Some(CertaboMessage::Chips(chips))
}

impl CertaboMessage {
    /// The bytes on the line.
    pub fn encode(&self) -> Vec<u8> {
        let line = |numbers: &mut dyn Iterator<Item = u8>| {
            let words: Vec<String> = numbers.map(|number| number.to_string()).collect();
            format!(":{}\r\n", words.join(" ")).into_bytes()
        };
        match self {
            Self::Chips(chips) => line(&mut chips.iter().flat_map(|chip| chip.0)),
            Self::Occupied(fields) => {
                let rank = |fields: &[bool]| {
                    fields.iter().fold(0, |byte: u8, is_there| byte << 1 | u8::from(*is_there))
                };
                line(&mut fields.chunks(8).map(rank))
            }
            Self::HasLights => b"L".to_vec(),
            Self::HasColors => b"D".to_vec(),
        }
    }
}

/// What lights these squares on a board that lies so, and no others.
pub fn encode_lights(squares: Bitboard, lies: Orientation, kind: CertaboLights) -> Vec<u8> {
    let is_lit = |row: usize, column: usize| {
        u8::try_from(row * 8 + column)
            .is_ok_and(|idx| squares.contains(lies.square(Field::new(idx))))
    };
    match kind {
        // The first file is bit 0 here, and bit 7 in what the board tells.
        CertaboLights::Squares => (0..8)
            .map(|row| (0..8).fold(0, |byte, file| byte | u8::from(is_lit(row, file)) << file))
            .collect(),
        CertaboLights::Corners => {
            let mut lights = [[0; 3]; N_LIGHTS];
            for (row, column) in (0..8).flat_map(|row| (0..8).map(move |column| (row, column))) {
                if is_lit(row, column) {
                    // From the corner of h1: along the first rank to a, then the next rank up.
                    let first = (7 - row) * 9 + (7 - column);
                    for idx in [first, first + 1, first + 9, first + 10] {
                        lights[idx] = COLOR;
                    }
                }
            }
            let mut bytes = vec![0xff, 0x55];
            bytes.extend(lights.concat());
            bytes.extend([0x0d, 0x0a]);
            bytes
        }
    }
}

/// The squares that the bytes of a host light, if they are for a board of single lights.
pub fn decode_squares(bytes: &[u8], lies: Orientation) -> Option<Bitboard> {
    let rows = <[u8; 8]>::try_from(bytes).ok()?;
    let is_lit = |sq: &Square| {
        let idx = lies.field(*sq).index();
        rows[usize::from(idx / 8)] >> (idx % 8) & 1 == 1
    };
    Some(Square::ALL.into_iter().filter(is_lit).collect())
}
