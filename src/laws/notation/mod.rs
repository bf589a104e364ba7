//! Moves in the players' languages: written as the appendix on notation says, and spoken as in
//! blind play.
//!
//! 2005: Art. E. 2009: Art. C, E2.1. From 2018: Art. C, D.2.1. A text must come with its language:
//! `B` is a rook in Hungary and a bishop in England.

mod read;
mod spoken;

pub use read::{Misread, read};
pub use spoken::{Vocabulary, speak};

use super::name::read_by_word;
use crate::table::words;
use shakmaty::san::{San, SanPlus, Suffix};
use shakmaty::{CastlingSide, Chess, Move, Role};

words! {
    /// A language in which moves are written and spoken; its word is its code (ISO 639-1).
    #[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Language {
        /// English.
        #[default]
        English = "en",
        /// Danish.
        Danish = "da",
        /// Norwegian (Bokmål).
        Norwegian = "nb",
        /// Hungarian.
        Hungarian = "hu",
        /// German; its numbers are those of announcements between players of different languages.
        German = "de",
    }
}

impl Language {
    /// The letter of a piece, in capitals; pawns have none. 2009: Art. C2, C4.
    ///
    /// ```
    /// use rokade::laws::notation::Language;
    /// use shakmaty::Role;
    /// assert_eq!(Language::Hungarian.letter(Role::Rook), Some('B'));
    /// assert_eq!(Language::English.letter(Role::Bishop), Some('B'));
    /// assert_eq!(Language::Danish.letter(Role::Pawn), None);
    /// ```
    pub fn letter(self, role: Role) -> Option<char> {
        let letters = match self {
            Self::English => "NBRQK",
            Self::Danish | Self::Norwegian | Self::German => "SLTDK",
            Self::Hungarian => "HFBVK",
        };
        let idx = usize::from(role).checked_sub(usize::from(Role::Knight))?;
        letters.chars().nth(idx)
    }

    /// The piece that a capital letter stands for.
    pub fn role(self, letter: char) -> Option<Role> {
        Role::ALL.into_iter().find(|&role| self.letter(role) == Some(letter))
    }
}

read_by_word! {
    Language = "language",
}

/// How a mate is marked; the Laws allow both. 2009: Art. C, abbreviations.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum MateSign {
    /// `#`
    #[default]
    Hash,
    /// `++`
    DoublePlus,
}

/// A legal move of `pos` as a score sheet in this language has it: letter and square of arrival,
/// `x`, `0-0`, the new piece without a sign, `+` and the sign for mate, ` e.p.` last. Of like
/// pieces those are told apart that could legally go there. 2009: Art. C8 to C12.
///
/// ```
/// use rokade::laws::notation::{Language, MateSign, write};
/// use shakmaty::{Chess, Position};
/// let pos = Chess::default();
/// let m = pos.legal_moves().into_iter().find(|m| m.to() == shakmaty::Square::F3
///     && m.role() == shakmaty::Role::Knight).expect("a knight's move");
/// assert_eq!(write(&pos, m, Language::Hungarian, MateSign::Hash), "Hf3");
/// ```
///
/// # Panics
/// `m` is not legal in `pos`.
pub fn write(pos: &Chess, m: Move, language: Language, mate: MateSign) -> String {
    let SanPlus { san, suffix } = SanPlus::from_move(pos.clone(), m);
    let mut text = String::new();
    match san {
        San::Castle(CastlingSide::KingSide) => text.push_str("0-0"),
        San::Castle(CastlingSide::QueenSide) => text.push_str("0-0-0"),
        San::Normal { role, file, rank, capture, to, promotion } => {
            text.extend(language.letter(role));
            text.extend(file.map(shakmaty::File::char));
            text.extend(rank.map(shakmaty::Rank::char));
            if capture {
                text.push('x');
            }
            text.push_str(&to.to_string());
            text.extend(promotion.and_then(|role| language.letter(role)));
        }
        // Neither exists in chess as the Laws know it.
        San::Put { .. } | San::Null => {}
    }
    text.push_str(match (suffix, mate) {
        (None, _) => "",
        (Some(Suffix::Check), _) => "+",
        (Some(Suffix::Checkmate), MateSign::Hash) => "#",
        (Some(Suffix::Checkmate), MateSign::DoublePlus) => "++",
    });
    if m.is_en_passant() {
        text.push_str(" e.p.");
    }
    text
}
