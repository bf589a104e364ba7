//! What the pages say, in the languages in which moves are written: their own phrases
//! (`phrases.csv`), and beside them letters and words of moves, which the Laws' notation has.

use crate::laws::notation::{Language, Vocabulary};
use serde_json::{Map, Value, json};
use shakmaty::{File, Rank, Role};
use std::sync::LazyLock;

/// A row is a phrase by its name, then as each language has it, in the order of
/// [`Language::ALL`].
static PHRASES: LazyLock<Vec<(&str, [&str; Language::ALL.len()])>> =
    LazyLock::new(|| include_str!("phrases.csv").lines().skip(1).map(row_of).collect());

fn row_of(line: &'static str) -> (&'static str, [&'static str; Language::ALL.len()]) {
    let (name, said) = line.split_once(';').expect("a name and a phrase");
    let said: Vec<_> = said.split(';').collect();
    (name, said.try_into().expect("a phrase in each language"))
}

/// A phrase by its name; nothing if there is none of that name.
///
/// ```
/// use rokade::laws::notation::Language;
/// use rokade::relay::phrases::say;
/// assert_eq!(say(Language::Danish, "all"), "Alle brætter");
/// assert_eq!(say(Language::Danish, "all of them"), "");
/// ```
pub fn say(language: Language, name: &str) -> &'static str {
    let phrase = PHRASES.iter().find(|(known, _)| *known == name);
    phrase.map_or("", |(_, said)| said[column(language)])
}

/// All that a page needs to speak `language`, as one JSON object: `letters` of the pieces by those
/// of PGN; words of announced moves: `pieces` by the letters of a FEN, `files`, `ranks`, `castling`
/// as PGN writes it; `phrases` by their names, with places such as `{n}` for what is said of.
///
/// ```
/// use rokade::laws::notation::Language;
/// let words = rokade::relay::phrases::to_json(Language::German);
/// for part in [r#""N":"S""#, r#""n":"Springer""#, r#""O-O":"Kurze Rochade""#] {
///     assert!(words.contains(part), "{part}");
/// }
/// ```
pub fn to_json(language: Language) -> String {
    let letters = Role::ALL.into_iter().filter_map(|role| {
        Some((role.upper_char().to_string(), language.letter(role)?.to_string()))
    });
    let words = Vocabulary::of(language);
    let pieces = Role::ALL.map(|role| role.char().to_string()).into_iter().zip(words.pieces);
    let files = File::ALL.map(|file| file.char().to_string()).into_iter().zip(words.files);
    let ranks = Rank::ALL.map(|rank| rank.char().to_string()).into_iter().zip(words.ranks);
    let castling = ["O-O", "O-O-O"].map(str::to_owned).into_iter().zip(words.castling);
    let column = column(language);
    let phrases = PHRASES.iter().map(|(name, said)| ((*name).to_owned(), said[column]));
    json!({
        "language": language.word(),
        "letters": object(letters),
        "pieces": object(pieces),
        "files": object(files),
        "ranks": object(ranks),
        "castling": object(castling),
        "phrases": object(phrases),
    })
    .to_string()
}

fn column(language: Language) -> usize {
    Language::ALL.iter().position(|known| *known == language).expect("one of all")
}

fn object<T: Into<Value>>(of: impl IntoIterator<Item = (String, T)>) -> Map<String, Value> {
    of.into_iter().map(|(name, value)| (name, value.into())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::Reason;
    use std::collections::BTreeSet;

    #[test]
    fn each_phrase_is_said_once_in_each_language_with_the_same_places() {
        let places = |phrase: &str| -> BTreeSet<String> {
            phrase.split('{').skip(1).filter_map(|it| Some(it.split_once('}')?.0.into())).collect()
        };
        let mut names = BTreeSet::new();
        for (name, said) in PHRASES.iter() {
            assert!(names.insert(name), "{name} twice");
            for phrase in said {
                assert_eq!(phrase.trim(), *phrase, "{name}");
                assert!(!phrase.is_empty(), "{name}");
                assert_eq!(places(phrase), places(said[0]), "{name}: {phrase}");
            }
        }
    }

    #[test]
    fn each_reason_why_a_game_is_over_has_its_phrase() {
        for reason in Reason::ALL {
            let name = format!("reason {}", reason.word());
            assert!(PHRASES.iter().any(|(known, _)| *known == name), "{name}");
        }
    }
}
