//! What a written or spoken move means: one legal move, or why not.
//!
//! 2009: Art. C8 to C13, E2.1; guidelines on adjournment 8 (a sealed move that is ambiguous,
//! unintelligible or illegal loses).

use super::Language;
use super::spoken::{Meaning, castling, meaning};
use shakmaty::{CastlingSide, Chess, File, Move, Position, Rank, Role, Square};
use std::error::Error;
use std::fmt;

/// The longest text that is read, in characters.
const TEXT_MAX: usize = 100;

/// Why a text means no single legal move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misread {
    /// No move can be made of it.
    Unintelligible,
    /// More than one legal move fits: these.
    Ambiguous(Vec<Move>),
    /// A pawn arrives on the last rank, and what it becomes is not said.
    PieceMissing(Square),
    /// What is meant is clear enough, and not legal.
    Illegal,
}

impl fmt::Display for Misread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unintelligible => f.write_str("these words are not a move"),
            Self::Ambiguous(moves) => {
                write!(f, "{} legal moves fit these words", moves.len())
            }
            Self::PieceMissing(sq) => {
                write!(f, "the promotion piece of the pawn on {sq} is missing")
            }
            Self::Illegal => f.write_str("that move is not legal"),
        }
    }
}

impl Error for Misread {}

/// A part of a move's description, in the order in which it is given.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum MovePart {
    Piece(Role),
    File(File),
    Rank(Rank),
}

/// What a text says of a move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Description {
    parts: Vec<MovePart>,
    is_capture: bool,
    is_passing: bool,
    /// Castling, with its side if it was named.
    castling: Option<Option<CastlingSide>>,
}

/// The legal move of `pos` that `text` means in `language`.
///
/// Written: letters of the language or figurines; `x`, `e.p.`, signs for check and mate may be
/// missing; castling with zeros or letters O and any dash; the departure may be told although it
/// need not; a move number before it and `(=)` behind it are passed over. Spoken: names of pieces,
/// files and numbers, with or without marks on letters; where the language does not know a word,
/// the others are asked. What is said too much must be true: `Bxe5` without a piece on e5 is
/// illegal.
///
/// ```
/// use rokade::laws::notation::{Language, Misread, read};
/// use shakmaty::{Chess, Square};
/// let pos = Chess::default();
/// let m = read(&pos, "Hg1-f3", Language::Hungarian)?;
/// assert_eq!((m.from(), m.to()), (Some(Square::G1), Square::F3));
/// assert_eq!(read(&pos, "Gustav eins, Felix drei", Language::German), Ok(m));
/// assert_eq!(read(&pos, "Nf4", Language::English), Err(Misread::Illegal));
/// assert_eq!(read(&pos, "Nf3", Language::German), Err(Misread::Unintelligible));
/// # Ok::<(), Misread>(())
/// ```
///
/// # Errors
/// No move, no legal move, or more than one is meant. A text over 100 characters is not read.
pub fn read(pos: &Chess, text: &str, language: Language) -> Result<Move, Misread> {
    if text.chars().nth(TEXT_MAX).is_some() {
        return Err(Misread::Unintelligible);
    }
    let told = written(text, language).or_else(|| spoken(text, language));
    resolve(pos, &told.ok_or(Misread::Unintelligible)?)
}

/// A text without what may stand before and behind a move, and whether it said `e.p.`.
fn bare(text: &str) -> (&str, bool) {
    const BEHIND: [&str; 12] =
        ["(=)", "+", "#", "†", "‡", "!", "?", "e.p.", "e. p.", "e.p", "ep", "."];
    let text = text.trim();
    // A number is followed by dots or a space: "12. ", "12...".
    let digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = digits.len() < text.len() && digits.starts_with(['.', '…']);
    let mut rest = if is_numbered { digits.trim_start_matches(['.', '…', ' ']) } else { text };
    let mut is_passing = false;
    while let Some((sign, shorter)) =
        BEHIND.iter().find_map(|sign| Some((sign, rest.strip_suffix(sign)?)))
    {
        is_passing |= sign.contains('p');
        rest = shorter.trim_end();
    }
    (rest, is_passing)
}

/// What a text says that is written letter by letter; `None` if it is no such text.
fn written(text: &str, language: Language) -> Option<Description> {
    let (rest, is_passing) = bare(text);
    let signs: Vec<char> = rest.chars().filter(|c| !c.is_whitespace()).collect();
    let mut told = Description { is_passing, ..Description::default() };
    if let Some(side) = zeros(&signs) {
        told.castling = Some(Some(side));
        return Some(told);
    }
    for (idx, &c) in signs.iter().enumerate() {
        let is_last = idx + 1 == signs.len();
        let is_arrived = is_last && matches!(told.parts.last(), Some(MovePart::Rank(_)));
        match c {
            'x' | 'X' | '×' | ':' => told.is_capture = true,
            '-' | '–' | '—' | '=' | '/' | '(' | ')' if idx > 0 => {}
            c => told.parts.push(letter(c, is_arrived, language)?),
        }
    }
    (!told.parts.is_empty()).then_some(told)
}

/// What one letter says. Behind the square of arrival it can only be a piece, even in small
/// letters, as some prints have it.
fn letter(c: char, is_arrived: bool, language: Language) -> Option<MovePart> {
    let figurine = "♘♗♖♕♔♞♝♜♛♚".chars().position(|known| known == c);
    if let Some(idx) = figurine {
        return Role::ALL.get(1 + idx % 5).copied().map(MovePart::Piece);
    }
    let small = c.to_lowercase().next()?;
    let piece = language.role(c.to_uppercase().next()?).map(MovePart::Piece);
    let file = File::from_char(small).map(MovePart::File);
    let square = file.or_else(|| Rank::from_char(c).map(MovePart::Rank));
    if c.is_uppercase() || is_arrived { piece.or(square) } else { square.or(piece) }
}

/// Castling written with zeros or letters O, with or without dashes.
fn zeros(signs: &[char]) -> Option<CastlingSide> {
    let n_dashes = signs.iter().filter(|c| "-–—".contains(**c)).count();
    let n_zeros = signs.iter().filter(|c| "0Oo".contains(**c)).count();
    match (n_zeros, n_dashes) {
        (zeros, dashes) if zeros + dashes != signs.len() => None,
        (2, 0 | 1) => Some(CastlingSide::KingSide),
        (3, 0 | 2) => Some(CastlingSide::QueenSide),
        _ => None,
    }
}

/// What a text says that is spoken word by word; `None` if a word is not known.
fn spoken(text: &str, language: Language) -> Option<Description> {
    let mut told = Description::default();
    let mut side = None;
    let mut is_castling = false;
    let text = text.replace(['-', '–', '—', ','], " ");
    let lower = text.to_lowercase().replace("en passant", "e.p.").replace("e. p.", "e.p.");
    for word in lower.split_whitespace() {
        if let Some(parts) = square(word) {
            told.parts.extend(parts);
            continue;
        }
        match meaning(word, language)? {
            Meaning::Piece(role) => told.parts.push(MovePart::Piece(role)),
            Meaning::File(file) => told.parts.push(MovePart::File(file)),
            Meaning::Rank(rank) => told.parts.push(MovePart::Rank(rank)),
            Meaning::Capture => told.is_capture = true,
            Meaning::Passing => told.is_passing = true,
            Meaning::Castle => is_castling = true,
            Meaning::Side(named) => {
                is_castling = true;
                side = Some(named);
            }
            Meaning::Other => {}
        }
    }
    told.castling = is_castling.then_some(side);
    (told.parts.is_empty() || !is_castling).then_some(told)
}

/// A square, a file or a rank by its own sign.
fn square(word: &str) -> Option<Vec<MovePart>> {
    let mut parts = Vec::new();
    for c in word.chars() {
        let file = File::from_char(c).map(MovePart::File);
        parts.push(file.or_else(|| Rank::from_char(c).map(MovePart::Rank))?);
    }
    (!parts.is_empty() && parts.len() <= 2).then_some(parts)
}

/// A description taken apart: what moves, from where, to where, and what it becomes.
#[derive(Copy, Clone, Debug)]
struct Pattern {
    role: Option<Role>,
    file: Option<File>,
    rank: Option<Rank>,
    to: Square,
    promotion: Option<Role>,
}

fn pattern(parts: &[MovePart]) -> Option<Pattern> {
    let (role, rest) = match parts {
        [MovePart::Piece(role), rest @ ..] => (Some(*role), rest),
        rest => (None, rest),
    };
    let (promotion, rest) = match rest {
        [rest @ .., MovePart::Piece(role)] => (Some(*role), rest),
        rest => (None, rest),
    };
    let [from @ .., MovePart::File(file), MovePart::Rank(rank)] = rest else { return None };
    let to = Square::from_coords(*file, *rank);
    let (file, rank) = match from {
        [] => (None, None),
        [MovePart::File(file)] => (Some(*file), None),
        [MovePart::Rank(rank)] => (None, Some(*rank)),
        [MovePart::File(file), MovePart::Rank(rank)] => (Some(*file), Some(*rank)),
        _ => return None,
    };
    Some(Pattern { role, file, rank, to, promotion })
}

impl Pattern {
    /// Without a name a man is a pawn, unless its square of departure tells what it is.
    fn fits(&self, m: Move) -> bool {
        let is_told = self.file.is_some() && self.rank.is_some();
        let is_role = match self.role {
            Some(role) => m.role() == role,
            None => is_told || m.role() == Role::Pawn,
        };
        let from = m.from();
        is_role
            && self.file.is_none_or(|file| from.is_some_and(|sq| sq.file() == file))
            && self.rank.is_none_or(|rank| from.is_some_and(|sq| sq.rank() == rank))
    }
}

/// Where a king arrives: castling is told by its own two squares as well.
fn arrival(m: Move) -> Square {
    match m {
        Move::Castle { king, rook } => {
            let side = CastlingSide::from_queen_side(rook < king);
            Square::from_coords(side.king_to_file(), king.rank())
        }
        m => m.to(),
    }
}

fn resolve(pos: &Chess, told: &Description) -> Result<Move, Misread> {
    if let Some(side) = told.castling {
        let sides = CastlingSide::ALL.into_iter().filter(|known| side.is_none_or(|s| s == *known));
        return one(sides.filter_map(|side| castling(pos, side)).collect());
    }
    let pattern = pattern(&told.parts).ok_or(Misread::Unintelligible)?;
    let fitting = pos.legal_moves().into_iter().filter(|&m| {
        arrival(m) == pattern.to
            && pattern.fits(m)
            && (!told.is_capture || m.is_capture())
            && (!told.is_passing || m.is_en_passant())
    });
    let (castlings, plain): (Vec<Move>, Vec<Move>) = fitting.partition(|m| m.is_castle());
    // In Chess960 castling may end where a step of the king does: that is the step.
    let mut found = if plain.is_empty() { castlings } else { plain };
    if pattern.promotion.is_none() && found.iter().any(|m| m.is_promotion()) {
        return match one(of_queens(&found)) {
            Ok(_) => Err(Misread::PieceMissing(pattern.to)),
            error => error,
        };
    }
    found.retain(|m| m.promotion() == pattern.promotion);
    one(found)
}

/// Of each pawn's promotions one, to count the pawns.
fn of_queens(moves: &[Move]) -> Vec<Move> {
    moves.iter().copied().filter(|m| m.promotion().is_none_or(|r| r == Role::Queen)).collect()
}

fn one(mut found: Vec<Move>) -> Result<Move, Misread> {
    match found.len() {
        0 => Err(Misread::Illegal),
        1 => Ok(found.remove(0)),
        _ => Err(Misread::Ambiguous(found)),
    }
}
