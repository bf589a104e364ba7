//! Moves as they are said aloud in blind play: files by names, ranks in any of the languages.
//! 2009: Art. E2.1. From 2018: Guidelines (2023: Art. D.2.1).

use shakmaty::{CastlingSide, Chess, File, Move, Position, Rank, Role, Square};

/// Names of the files; a letter alone is understood too.
const FILES: [(&str, File); 15] = [
    ("anna", File::A),
    ("bella", File::B),
    ("bodil", File::B),
    ("caesar", File::C),
    ("cesar", File::C),
    ("cecilie", File::C),
    ("david", File::D),
    ("dora", File::D),
    ("eva", File::E),
    ("erik", File::E),
    ("felix", File::F),
    ("frederik", File::F),
    ("gustav", File::G),
    ("hector", File::H),
    ("henrik", File::H),
];

/// Numbers in German, Danish, Norwegian, Hungarian and English, without marks on letters.
const RANKS: [&[&str]; 8] = [
    &["1", "eins", "et", "en", "ett", "egy", "one"],
    &["2", "zwei", "to", "ketto", "ket", "two"],
    &["3", "drei", "tre", "harom", "three"],
    &["4", "vier", "fire", "negy", "four"],
    &["5", "funf", "fuenf", "fem", "ot", "five"],
    &["6", "sechs", "seks", "hat", "six"],
    &["7", "sieben", "syv", "sju", "het", "seven"],
    &["8", "acht", "otte", "atte", "nyolc", "eight"],
];

/// Names of the pieces.
const PIECES: [(&str, Role); 24] = [
    ("konge", Role::King),
    ("kiraly", Role::King),
    ("king", Role::King),
    ("konig", Role::King),
    ("koenig", Role::King),
    ("dronning", Role::Queen),
    ("vezer", Role::Queen),
    ("queen", Role::Queen),
    ("dame", Role::Queen),
    ("tarn", Role::Rook),
    ("bastya", Role::Rook),
    ("rook", Role::Rook),
    ("turm", Role::Rook),
    ("lober", Role::Bishop),
    ("loper", Role::Bishop),
    ("futar", Role::Bishop),
    ("futo", Role::Bishop),
    ("bishop", Role::Bishop),
    ("laufer", Role::Bishop),
    ("laeufer", Role::Bishop),
    ("springer", Role::Knight),
    ("huszar", Role::Knight),
    ("knight", Role::Knight),
    ("bonde", Role::Pawn),
];

/// What was understood.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// One legal move.
    Move(Move),
    /// A promotion without its piece.
    PieceMissing,
    /// No legal move, or more than one.
    Nothing,
}

/// The legal move of `pos` that `words` announce.
pub(super) fn hear(pos: &Chess, words: &str) -> Heard {
    let plain: Vec<String> = words.split_whitespace().map(plain).collect();
    let text = plain.join(" ");
    if let Some(side) = castling(&text) {
        let found = pos.legal_moves().into_iter().find(|m| m.castling_side() == Some(side));
        return found.map_or(Heard::Nothing, Heard::Move);
    }
    let files: Vec<File> = plain.iter().filter_map(|word| file(word)).collect();
    let ranks: Vec<Rank> = plain.iter().filter_map(|word| rank(word)).collect();
    let roles: Vec<Role> = plain.iter().filter_map(|word| piece(word)).collect();
    let squares: Vec<Square> =
        files.iter().zip(&ranks).map(|(file, rank)| Square::from_coords(*file, *rank)).collect();
    let fits = |m: &Move| match squares[..] {
        [from, to] => m.from() == Some(from) && m.to() == to,
        [to] => m.to() == to && roles.first().is_none_or(|role| *role == m.role()),
        _ => false,
    };
    let found: Vec<Move> = pos.legal_moves().into_iter().filter(|m| fits(m)).collect();
    let named = roles.last().copied();
    match found[..] {
        [m] if !m.is_promotion() => Heard::Move(m),
        [first, ..] if first.is_promotion() => {
            let m = found.iter().find(|m| m.promotion() == named && named.is_some());
            m.map_or(Heard::PieceMissing, |m| Heard::Move(*m))
        }
        _ => Heard::Nothing,
    }
}

fn castling(text: &str) -> Option<CastlingSide> {
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if has(&["lang rokade", "lange rochade", "hosszusanc", "long castl", "queenside"]) {
        Some(CastlingSide::QueenSide)
    } else if has(&["kort rokade", "kurze rochade", "rovidsanc", "short castl", "kingside"]) {
        Some(CastlingSide::KingSide)
    } else {
        None
    }
}

fn file(word: &str) -> Option<File> {
    let named = FILES.iter().find(|(name, _)| *name == word).map(|(_, file)| *file);
    let mut letters = word.chars();
    let letter = letters.next().filter(|_| word.len() == 1).and_then(File::from_char);
    named.or(letter)
}

fn rank(word: &str) -> Option<Rank> {
    let idx = RANKS.iter().position(|names| names.contains(&word))?;
    u32::try_from(idx).ok().map(Rank::new)
}

fn piece(word: &str) -> Option<Role> {
    PIECES.iter().find(|(name, _)| *name == word).map(|(_, role)| *role)
}

/// Small letters without marks.
fn plain(word: &str) -> String {
    word.to_lowercase()
        .chars()
        .filter_map(|c| {
            match c {
                'á' | 'å' | 'ä' => Some("a"),
                'æ' => Some("ae"),
                'é' => Some("e"),
                'ó' | 'ö' | 'ő' | 'ø' => Some("o"),
                'ú' | 'ü' | 'ű' => Some("u"),
                'í' => Some("i"),
                ',' | '.' | '!' => None,
                _ => Some(""),
            }
            .map(|known| (known, c))
        })
        .map(|(known, c)| if known.is_empty() { c.to_string() } else { known.to_owned() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_several_languages_are_understood() {
        let pos = Chess::default();
        for (words, uci) in [
            ("Eva zwei Eva vier", "e2e4"),
            ("erik to Erik fire", "e2e4"),
            ("Gustav eins, Felix drei", "g1f3"),
            ("knight felix three", "g1f3"),
            ("Cæsar kettő Cesar NÉGY", "c2c4"),
        ] {
            let Heard::Move(m) = hear(&pos, words) else { panic!("{words}") };
            assert_eq!(m.to_uci(shakmaty::CastlingMode::Standard).to_string(), uci, "{words}");
        }
        assert_eq!(hear(&pos, "Eva zwei Eva sieben"), Heard::Nothing);
    }
}
