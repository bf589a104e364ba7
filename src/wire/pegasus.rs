//! DGT's Pegasus: what differs from other boards of DGT. It speaks in their messages, over
//! Bluetooth LE, and tells of a piece only that it is there. Protocol 1.12.

use crate::wire::command::PegasusLeds;
use crate::wire::field::{Field, Orientation};
use shakmaty::Bitboard;

/// What its name on the air begins with (protocol 1.12).
pub const NAME: &str = "DGT_PEGASUS";
/// Bytes of a developer's key.
pub const KEY_LEN: usize = 6;
/// How quickly lights blink; a middle way (protocol 10).
const SPEED: u8 = 4;
/// They are on until others are (protocol 1.12).
const UNTIL_CHANGED: u8 = 0;
/// How strong they are; programs disagree which way it counts, and this is safe (protocol 10).
const INTENSITY: u8 = 2;

/// The key that DGT has given to a developer, as it is written: six bytes in hexadecimal.
///
/// # Errors
/// It is not that, in words.
///
/// ```
/// use rokade::wire::pegasus::parse_key;
/// assert_eq!(parse_key("01 02 0A ff 00 10"), Ok([1, 2, 10, 255, 0, 16]));
/// assert!(parse_key("01 02 0A").is_err());
/// ```
pub fn parse_key(text: &str) -> Result<[u8; KEY_LEN], String> {
    let byte = |word: &str| match word.len() {
        2 => u8::from_str_radix(word, 16).ok(),
        _ => None,
    };
    let bytes: Option<Vec<u8>> = text.split_whitespace().map(byte).collect();
    bytes.and_then(|bytes| bytes.try_into().ok()).ok_or_else(|| {
        format!("{text:?} is no key; write its six bytes as in \"01 23 45 67 89 ab\"")
    })
}

/// What lights these squares of a board that lies so, and no others.
pub fn light(squares: Bitboard, lies: Orientation) -> PegasusLeds {
    if squares.is_empty() {
        return PegasusLeds::AllOff;
    }
    let fields: Vec<Field> = squares.into_iter().map(|sq| lies.field(sq)).collect();
    PegasusLeds::Show { speed: SPEED, repeat: UNTIL_CHANGED, intensity: INTENSITY, fields }
}

/// The squares that are lit by it.
pub fn lit(leds: &PegasusLeds, lies: Orientation) -> Bitboard {
    let PegasusLeds::Show { fields, .. } = leds else { return Bitboard::EMPTY };
    fields.iter().map(|field| lies.square(*field)).collect()
}
