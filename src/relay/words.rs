//! The words that records use for the core's values, in one table each.

use crate::clock::Rate;
use crate::game::entry::{Basis, LinkState};
use crate::laws::Stage;
use crate::table::End;
use crate::track::line::CompletedBy;
use crate::track::{Reading, Sight};
use shakmaty::{Color, Piece};
use std::borrow::Cow;

/// A value that records write as one word out of a fixed list.
pub trait Word: Sized + Copy + PartialEq + 'static {
    /// Every value with its word.
    const TABLE: &'static [(Self, &'static str)];

    /// The word for this value.
    fn word(self) -> &'static str {
        let entry = Self::TABLE.iter().find(|(value, _)| *value == self);
        entry.expect("every value has its word").1
    }

    /// The value that `word` stands for.
    fn parse(word: &str) -> Option<Self> {
        Self::TABLE.iter().find(|(_, known)| *known == word).map(|(value, _)| *value)
    }
}

impl Word for Color {
    const TABLE: &'static [(Self, &'static str)] =
        &[(Self::White, "white"), (Self::Black, "black")];
}

impl Word for Stage {
    const TABLE: &'static [(Self, &'static str)] =
        &[(Self::Made, "made"), (Self::Completed, "completed")];
}

impl Word for Basis {
    const TABLE: &'static [(Self, &'static str)] = &[
        (Self::Press, "press"),
        (Self::Quiet, "quiet"),
        (Self::Reply, "reply"),
        (Self::Gap, "gap"),
        (Self::Memory, "memory"),
        (Self::Later, "later"),
        (Self::Order, "order"),
    ];
}

impl Word for CompletedBy {
    const TABLE: &'static [(Self, &'static str)] =
        &[(Self::Press, "press"), (Self::Reply, "reply"), (Self::GameEnd, "end of game")];
}

impl Word for End {
    const TABLE: &'static [(Self, &'static str)] = &[(Self::Left, "left"), (Self::Right, "right")];
}

impl Word for Rate {
    const TABLE: &'static [(Self, &'static str)] = &[(Self::Fast, "fast"), (Self::Slow, "slow")];
}

impl Word for LinkState {
    const TABLE: &'static [(Self, &'static str)] =
        &[(Self::Absent, "absent"), (Self::Live, "live"), (Self::Lost, "lost")];
}

impl Word for Sight {
    const TABLE: &'static [(Self, &'static str)] =
        &[(Self::Pieces, "dgt"), (Self::Colors, "color"), (Self::Occupied, "reed")];
}

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
