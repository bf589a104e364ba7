//! Words that were not understood: the error that names the nearest choice.

use crate::table::Word;
use std::cmp::Reverse;
use std::error::Error;
use std::fmt;

/// The longest part of an unknown word that is repeated to the user, in characters.
const SHOWN_MAX: usize = 40;

/// A word that names none of the choices.
///
/// Its text says what was given, what is nearest, and all that there is.
///
/// ```
/// use rokade::laws::Edition;
/// let error = "m2032".parse::<Edition>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "no edition \"m2032\"; did you mean m2023? Known: hu2005, dk2009, no2009, m2018, m2023"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    /// What kind of thing was to be named.
    pub what: &'static str,
    /// The word, cut to 40 characters.
    pub given: String,
    /// The choice that resembles it most, if any does.
    pub nearest: Option<&'static str>,
    /// Every choice.
    pub known: Vec<&'static str>,
    /// What would have done, where there is no list of choices.
    pub wanted: Option<&'static str>,
}

impl UnknownName {
    /// The error for `given` where only `known` would have done.
    pub fn new(what: &'static str, given: &str, known: &[&'static str]) -> Self {
        let word = given.to_lowercase();
        let nearest = nearest(&word, known.iter().copied()).first().copied();
        let given = given.chars().take(SHOWN_MAX).collect();
        Self { what, given, nearest, known: known.to_vec(), wanted: None }
    }

    /// The error for `given` where `wanted`, of which there are too many to name, would have done.
    pub fn wanting(what: &'static str, given: &str, wanted: &'static str) -> Self {
        Self { wanted: Some(wanted), ..Self::new(what, given, &[]) }
    }
}

/// The value of this word, whatever the case of its letters; `what` kind of value it is.
pub(super) fn find<T: Word>(word: &str, what: &'static str) -> Result<T, UnknownName> {
    let word = word.trim();
    let found = T::VALUES.iter().find(|value| value.word().eq_ignore_ascii_case(word));
    found.copied().ok_or_else(|| {
        let known: Vec<_> = T::VALUES.iter().map(|value| value.word()).collect();
        UnknownName::new(what, word, &known)
    })
}

/// Lets values be written as their word, and read from it.
macro_rules! read_by_word {
    ($($name:ident = $what:literal,)+) => {$(
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.word())
            }
        }

        impl std::str::FromStr for $name {
            type Err = crate::laws::UnknownName;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                crate::laws::name::find(word, $what)
            }
        }
    )+};
}
pub(super) use read_by_word;

/// Declares an enumeration and the word of each value, behind which stands what the value holds.
macro_rules! first_words {
    ($(#[$about:meta])* pub enum $name:ident {
        $($(#[$what:meta])* $variant:ident $(($($held:ty),+))? = $word:literal,)+
    }) => {
        $(#[$about])*
        pub enum $name { $($(#[$what])* $variant $(($($held),+))?,)+ }

        impl $name {
            /// The first word of each.
            pub const WORDS: [&'static str; [$($word),+].len()] = [$($word),+];

            /// The word with which it begins.
            pub const fn word(&self) -> &'static str {
                match self { $(Self::$variant { .. } => $word,)+ }
            }

            /// The value that this word says all of.
            fn of_word(word: &str) -> Option<Self> {
                match word {
                    $($word => first_words!(@all $variant $(($($held),+))?),)+
                    _ => None,
                }
            }
        }
    };
    (@all $variant:ident) => { Some(Self::$variant) };
    (@all $variant:ident ($($held:ty),+)) => { None };
}
pub(super) use first_words;

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no {} {:?}; ", self.what, self.given)?;
        if let Some(wanted) = self.wanted {
            return write!(f, "expected {wanted}");
        }
        match self.nearest {
            Some(nearest) => write!(f, "did you mean {nearest}? Known: ")?,
            None => f.write_str("known: ")?,
        }
        f.write_str(&self.known.join(", "))
    }
}

impl Error for UnknownName {}

/// The words of `known` that resemble `word`, the most alike first; at most half of the letters may
/// differ. Of equally distant words those come first that begin alike, else the order is kept.
pub(crate) fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let word: Vec<char> = word.chars().take(SHOWN_MAX).flat_map(char::to_lowercase).collect();
    let weigh = |other: &'a str| {
        let letters: Vec<char> = other.chars().flat_map(char::to_lowercase).collect();
        let n_edits = distance(&word, &letters);
        let n_alike = word.iter().zip(&letters).take_while(|(a, b)| a == b).count();
        let is_near = 2 * n_edits <= word.len().max(letters.len());
        is_near.then_some((n_edits, Reverse(n_alike), other))
    };
    let mut found: Vec<_> = known.filter_map(weigh).collect();
    found.sort_by_key(|&(n_edits, n_alike, _)| (n_edits, n_alike));
    found.into_iter().map(|(.., other)| other).collect()
}

/// How many letters must be added, left out, exchanged or swapped with their neighbor to make one
/// word of the other.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, &x) in a.iter().enumerate() {
        let mut row = vec![i + 1; b.len() + 1];
        for (j, &y) in b.iter().enumerate() {
            let exchanged = last[j] + usize::from(x != y);
            row[j + 1] = exchanged.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && x == b[j - 1] && y == a[i - 1] {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_named_and_far_ones_are_not() {
        let known = ["standard", "quickplay", "rapid", "blitz", "chess960"];
        let of = |word: &str| nearest(word, known.into_iter()).first().copied();
        assert_eq!(of("Rapids"), Some("rapid"));
        assert_eq!(of("bilt"), Some("blitz"));
        assert_eq!(of("chess690"), Some("chess960"));
        assert_eq!(of("bughouse"), None);
        assert_eq!(of(""), None);
    }

    #[test]
    fn a_long_word_is_cut() {
        let error = UnknownName::new("edition", &"é".repeat(5_000), &["m2023"]);
        assert_eq!(error.given.chars().count(), SHOWN_MAX);
        assert_eq!(error.nearest, None);
    }
}
