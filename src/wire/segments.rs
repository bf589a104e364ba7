//! Letters on a display made for digits: the seven-segment alphabet of the older clocks.
//!
//! The host draws the glyphs, so any pattern is allowed; this alphabet is one usable choice and no
//! standard (protocol 3.1).

/// Places on the glass, A to F, left to right (protocol 3.1).
pub const N_PLACES: usize = 6;

/// Glyphs in ASCII order of their characters (protocol 3.1).
const GLYPHS: [(u8, u8); 45] = [
    (b' ', 0x00),
    (b'-', 0x40),
    (b'/', 0x52),
    (b'0', 0x3f),
    (b'1', 0x06),
    (b'2', 0x5b),
    (b'3', 0x4f),
    (b'4', 0x66),
    (b'5', 0x6d),
    (b'6', 0x7d),
    (b'7', 0x07),
    (b'8', 0x7f),
    (b'9', 0x6f),
    (b'=', 0x48),
    (b'?', 0x53),
    (b'@', 0x65),
    (b'\\', 0x64),
    (b'_', 0x08),
    (b'a', 0x5f),
    (b'b', 0x7c),
    (b'c', 0x58),
    (b'd', 0x5e),
    (b'e', 0x7b),
    (b'f', 0x71),
    (b'g', 0x3d),
    (b'h', 0x74),
    (b'i', 0x10),
    (b'j', 0x1e),
    (b'k', 0x75),
    (b'l', 0x38),
    (b'm', 0x55),
    (b'n', 0x54),
    (b'o', 0x5c),
    (b'p', 0x73),
    (b'q', 0x67),
    (b'r', 0x50),
    (b's', 0x6d),
    (b't', 0x78),
    (b'u', 0x3e),
    (b'v', 0x2a),
    (b'w', 0x7e),
    (b'x', 0x64),
    (b'y', 0x6e),
    (b'z', 0x5b),
    (b'|', 0x36),
];

/// The segments of `letter`; upper and lower case look alike, and what has no glyph is left dark.
///
/// Bits: 01 top, 02 upper right, 04 lower right, 08 bottom, 10 lower left, 20 upper left and
/// 40 middle.
pub fn glyph(letter: char) -> u8 {
    let lower = letter.to_ascii_lowercase();
    let known = GLYPHS.iter().find(|(byte, _)| char::from(*byte) == lower);
    known.map_or(0, |(_, segments)| *segments)
}

/// The first six letters of `text` as segments for the places A to F, the rest dark.
///
/// ```
/// use rokade::wire::segments::segments;
/// assert_eq!(segments("e2e4"), [0x7b, 0x5b, 0x7b, 0x66, 0, 0]);
/// ```
pub fn segments(text: &str) -> [u8; N_PLACES] {
    let mut places = [0; N_PLACES];
    for (place, letter) in places.iter_mut().zip(text.chars()) {
        *place = glyph(letter);
    }
    places
}
