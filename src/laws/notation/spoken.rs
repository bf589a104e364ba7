//! Words of announced moves: what is said in a language, and what words mean.

use super::Language;
use shakmaty::{CastlingSide, Chess, File, Move, Rank, Role, Square};
use std::sync::LazyLock;

/// What a word means.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Piece(Role),
    File(File),
    Rank(Rank),
    /// That a piece is captured.
    Capture,
    /// That a pawn is taken in passing.
    Passing,
    /// That castling is meant, on a side still to be named.
    Castle,
    /// On which side.
    Side(CastlingSide),
    /// Nothing that the move depends on: "to", "check".
    Other,
}

/// A word, or what two words of castling say.
#[derive(Clone, Debug)]
struct SpokenWord {
    /// `None`: any language.
    language: Option<Language>,
    meaning: Meaning,
    /// As it is said, if this is the form that we say.
    says: Option<&'static str>,
    /// As it is recognized: without marks, and with marks spelled out.
    forms: [String; 2],
}

static WORDS: LazyLock<Vec<SpokenWord>> =
    LazyLock::new(|| include_str!("words.csv").lines().skip(1).flat_map(words_of).collect());

/// The words of one row of the file.
fn words_of(row: &'static str) -> Vec<SpokenWord> {
    let columns: Vec<&'static str> = row.split(';').collect();
    let [language, kind, value, says, also] = columns.try_into().expect("a row of five columns");
    let language = Language::ALL.into_iter().find(|known| known.word() == language);
    let letter = value.chars().next();
    let meaning = match kind {
        "piece" => Meaning::Piece(letter.and_then(Role::from_char).expect("a piece")),
        "file" => Meaning::File(letter.and_then(File::from_char).expect("a file")),
        "rank" => Meaning::Rank(letter.and_then(Rank::from_char).expect("a rank")),
        "castling" if value == "short" => Meaning::Side(CastlingSide::KingSide),
        "castling" => Meaning::Side(CastlingSide::QueenSide),
        "castle" => Meaning::Castle,
        "capture" => Meaning::Capture,
        "passing" => Meaning::Passing,
        kind => {
            assert_eq!(kind, "other", "a kind of the file");
            Meaning::Other
        }
    };
    // Of "kurze Rochade" the first word names the side; the second is a word of its own.
    let first = says.split_whitespace().next().unwrap_or(says);
    let said = SpokenWord { language, meaning, says: Some(says), forms: forms(first) };
    let others = also.split_whitespace().map(|word| SpokenWord {
        language,
        meaning,
        says: None,
        forms: forms(word),
    });
    std::iter::once(said).chain(others).collect()
}

/// Small letters without marks: `Cæsar` is `caesar`, `öt` is `ot`.
pub(super) fn plain(word: &str) -> String {
    let mut out = String::new();
    for c in word.chars().flat_map(char::to_lowercase) {
        match c {
            'á' | 'å' | 'ä' => out.push('a'),
            'æ' => out.push_str("ae"),
            'é' => out.push('e'),
            'í' => out.push('i'),
            'ó' | 'ö' | 'ő' | 'ø' => out.push('o'),
            'ú' | 'ü' | 'ű' => out.push('u'),
            ',' | '.' | '!' | '?' => {}
            c => out.push(c),
        }
    }
    out
}

/// The two ways in which a word is written without marks: `funf` and `fuenf`.
fn forms(word: &str) -> [String; 2] {
    let mut spelled = String::new();
    for c in word.chars().flat_map(char::to_lowercase) {
        match c {
            'ä' => spelled.push_str("ae"),
            'ö' | 'ø' => spelled.push_str("oe"),
            'ü' => spelled.push_str("ue"),
            'å' => spelled.push_str("aa"),
            c => spelled.push(c),
        }
    }
    [plain(word), plain(&spelled)]
}

/// What a word means to somebody who speaks `language`: first in that language, then between
/// players of different languages, then in any other.
pub(super) fn meaning(word: &str, language: Language) -> Option<Meaning> {
    let word = plain(word);
    let closeness = |known: Option<Language>| match known {
        Some(known) if known == language => 0,
        None => 1,
        Some(_) => 2,
    };
    let known = WORDS.iter().filter(|known| known.forms.contains(&word));
    let nearest = known.min_by_key(|known| closeness(known.language));
    nearest.map(|known| known.meaning)
}

/// How `language` says `meaning`.
fn say(meaning: Meaning, language: Language) -> &'static str {
    let of = |wanted: Option<Language>| {
        let same = |word: &&SpokenWord| word.language == wanted && word.meaning == meaning;
        WORDS.iter().filter(same).find_map(|word| word.says)
    };
    of(Some(language)).or_else(|| of(None)).unwrap_or_default()
}

/// A move as it is announced: the piece unless it is a pawn, where it comes from, where it goes,
/// what a pawn becomes; castling by its own words. 2009: Art. E2.1. From 2018: Art. D.2.1.
///
/// ```
/// use rokade::laws::notation::{Language, speak};
/// use shakmaty::{Move, Role, Square};
/// let m = Move::Normal {
///     role: Role::Knight, from: Square::G1, capture: None, to: Square::F3, promotion: None,
/// };
/// assert_eq!(speak(m, Language::German), "Springer Gustav eins Felix drei");
/// assert_eq!(speak(m, Language::Danish), "springer Gustav et Frederik tre");
/// ```
pub fn speak(m: Move, language: Language) -> String {
    if let Some(side) = m.castling_side() {
        return say(Meaning::Side(side), language).to_owned();
    }
    let mut words = Vec::new();
    if m.role() != Role::Pawn {
        words.push(say(Meaning::Piece(m.role()), language));
    }
    for sq in m.from().into_iter().chain([m.to()]) {
        words.push(say(Meaning::File(Square::file(sq)), language));
        words.push(say(Meaning::Rank(Square::rank(sq)), language));
    }
    if let Some(role) = m.promotion() {
        words.push(say(Meaning::Piece(role), language));
    }
    words.join(" ")
}

/// All that [`speak`] puts moves together from, in one language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vocabulary {
    /// The pieces, from the pawn to the king.
    pub pieces: [&'static str; 6],
    /// The files, from a to h.
    pub files: [&'static str; 8],
    /// The ranks, from 1 to 8.
    pub ranks: [&'static str; 8],
    /// Castling, on the king's side and on the queen's.
    pub castling: [&'static str; 2],
}

impl Vocabulary {
    /// That of `language`.
    ///
    /// ```
    /// use rokade::laws::notation::{Language, Vocabulary};
    /// let words = Vocabulary::of(Language::Hungarian);
    /// assert_eq!((words.pieces[1], words.files[6], words.ranks[0]), ("huszár", "Gustav", "egy"));
    /// assert_eq!(words.castling, ["rövidsánc", "hosszúsánc"]);
    /// ```
    pub fn of(language: Language) -> Self {
        let say = |meaning| say(meaning, language);
        Self {
            pieces: Role::ALL.map(|role| say(Meaning::Piece(role))),
            files: File::ALL.map(|file| say(Meaning::File(file))),
            ranks: Rank::ALL.map(|rank| say(Meaning::Rank(rank))),
            castling: CastlingSide::ALL.map(|side| say(Meaning::Side(side))),
        }
    }
}

/// The one castling of `side`, if it is legal.
pub(super) fn castling(pos: &Chess, side: CastlingSide) -> Option<Move> {
    use shakmaty::Position;
    pos.legal_moves().into_iter().find(|m| m.castling_side() == Some(side))
}
