//! A game as its score sheet has it, in the reader's language.

use crate::laws::notation::{Language, MateSign, write};
use crate::track::legal;
use shakmaty::{Chess, Color, Move, Position};

/// How a score sheet is written.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Style {
    /// For the letters of the pieces.
    pub language: Language,
    /// The sign for mate.
    pub mate: MateSign,
}

/// A move, and whether its player offered a draw with it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Written {
    /// What was played.
    pub m: Move,
    /// What stands behind it.
    pub mark: Annotation,
}

/// What is noted behind a move.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Annotation {
    /// The move bears no mark.
    #[default]
    Plain,
    /// An offer of a draw, `(=)`. 2009: Art. C13. From 2018: Art. C.12.
    DrawOffer,
}

/// The moves of a game on one line, numbered by White's from the number of `start`; the sheet ends
/// before the first move that is not legal.
///
/// ```
/// use rokade::laws::notation::{Language, read};
/// use rokade::relay::notation::{Annotation, Style, Written, line};
/// let start = shakmaty::Chess::default();
/// let m = read(&start, "Sf3", Language::German)?;
/// let sheet = line(&start, &[Written { m, mark: Annotation::DrawOffer }], Style::default());
/// assert_eq!(sheet, "1. Nf3 (=)");
/// # Ok::<(), rokade::laws::notation::Misread>(())
/// ```
pub fn line(start: &Chess, moves: &[Written], style: Style) -> String {
    let mut pos = start.clone();
    let mut words = Vec::new();
    for Written { m, mark } in moves {
        if !legal::is_legal(&pos, *m) {
            break;
        }
        match (pos.turn(), words.is_empty()) {
            (Color::White, _) => words.push(format!("{}.", pos.fullmoves())),
            (Color::Black, true) => words.push(format!("{}...", pos.fullmoves())),
            (Color::Black, false) => {}
        }
        words.push(write(&pos, *m, style.language, style.mate));
        if *mark == Annotation::DrawOffer {
            words.push("(=)".to_owned());
        }
        pos.play_unchecked(*m);
    }
    words.join(" ")
}
