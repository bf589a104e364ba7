//! What the comments of a PGN say in which language. Moves in them are for people: outside English
//! they have the letters of the language.

use super::label::{Label, gap_line, others, written};
use crate::game::{Gap, ScoreSheet};
use crate::laws::notation::Language;
use shakmaty::fen::Fen;
use shakmaty::{Chess, Color, EnPassantMode, Position};
use std::ops::Range;

/// The beginning of the game was not seen.
pub(super) fn joined(language: Language) -> String {
    match language {
        Language::English => {
            "the beginning was not seen; this is how the board was found".to_owned()
        }
        _ => Label::Joined.in_language(language).to_owned(),
    }
}

/// What nobody knows after so many half-moves.
pub(super) fn gap(sheet: &ScoreSheet, gap: &Gap, language: Language) -> String {
    match language {
        Language::English if sheet.is_open_end(gap) => {
            format!("{} not known from here to the end", gap.n)
        }
        Language::English => {
            format!("{} not known; the game goes on from {}", gap.n, fen(sheet.position(gap.ply)))
        }
        _ => gap_line(sheet, gap, language),
    }
}

/// What else half-move `idx` may have been.
pub(super) fn uncertain(sheet: &ScoreSheet, idx: usize, language: Language) -> String {
    if language == Language::English {
        let others: Vec<_> =
            sheet.alternatives(idx).iter().map(|san| format!("or {san}")).collect();
        return format!("uncertain: {}", others.join(" "));
    }
    let uncertain = Label::Uncertain.in_language(language);
    format!("{uncertain}: {}", others(sheet, idx, language))
}

/// What follows from the illegal half-move `idx` on: no reader takes such a move, nor those that
/// are legal only after it.
pub(super) fn illegal(sheet: &ScoreSheet, idx: usize, n: usize, language: Language) -> String {
    let gap = sheet.gaps().iter().find(|gap| gap.ply == idx + 1);
    let after = fen(gap.map_or_else(|| sheet.position(idx + 1), |gap| &gap.before));
    let illegal = numbered(sheet, idx, true, language);
    let mut said = match language {
        Language::English => {
            format!("illegal and answered: {illegal}; the game goes on from {after}")
        }
        _ => {
            let [word, from] = [Label::Illegal, Label::From].map(|it| it.in_language(language));
            format!("{word}: {illegal}; {from} {after}")
        }
    };
    if idx + 1 < n {
        said.push_str(": ");
        said.push_str(&moves(sheet, idx + 1..n, language));
    }
    said
}

/// Half-moves with their numbers, on one line.
pub(super) fn moves(sheet: &ScoreSheet, plies: Range<usize>, language: Language) -> String {
    let first = plies.start;
    let of = |idx: usize| numbered(sheet, idx, idx == first, language);
    plies.map(of).collect::<Vec<_>>().join(" ")
}

/// A half-move with its number, where it is White's or `wants_number`.
fn numbered(sheet: &ScoreSheet, idx: usize, wants_number: bool, language: Language) -> String {
    let before = sheet.position(idx);
    let text = match language {
        Language::English => sheet.moves()[idx].san.to_string(),
        _ => written(sheet, idx, language),
    };
    match before.turn() {
        Color::White => format!("{}. {text}", before.fullmoves()),
        Color::Black if wants_number => format!("{}... {text}", before.fullmoves()),
        Color::Black => text,
    }
}

fn fen(position: &Chess) -> String {
    Fen::from_position(position, EnPassantMode::Legal).to_string()
}
