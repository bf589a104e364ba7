//! How records and traces write readings, and which characters they may show.

use crate::table::{Reading, Word};
use shakmaty::{Color, Piece};
use std::borrow::Cow;

/// The letter of a reading, as in traces: a FEN letter, `x` for something, nothing for empty. Where
/// only colors are seen it is the word for the color, because `b` is a bishop.
pub fn letter(reading: Reading) -> String {
    match reading {
        Reading::Empty => String::new(),
        Reading::Something => "x".to_owned(),
        Reading::Colored(color) => color.word().to_owned(),
        Reading::Piece(piece) => piece.char().to_string(),
    }
}

/// The reading that a trace writes as `letter`.
pub fn parse_letter(letter: &str) -> Option<Reading> {
    if let Some(color) = Color::parse(letter) {
        return Some(Reading::Colored(color));
    }
    let mut chars = letter.chars();
    match (chars.next(), chars.next()) {
        (None, _) => Some(Reading::Empty),
        (Some('x'), None) => Some(Reading::Something),
        (Some(c), None) => Piece::from_char(c).map(Reading::Piece),
        _ => None,
    }
}

/// `text` as it may be shown: characters that steer a terminal, break a line or turn the direction
/// of what follows stand there by their numbers.
///
/// ```
/// use rokade::relay::words::plain;
/// assert_eq!(plain("Kis\u{1b}[2J"), "Kis\\u{1b}[2J");
/// assert_eq!(plain("Žižka"), "Žižka");
/// ```
pub fn plain(text: &str) -> Cow<'_, str> {
    let steers = |c: char| {
        c.is_control()
            || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}')
            || matches!(c, '\u{2066}'..='\u{2069}')
    };
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if steers(c) {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}
