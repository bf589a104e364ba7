//! Settings that are one of several words: what is none of them is refused with all of them.

use crate::table::Word;
use serde::de::Error as _;
use serde::{Deserialize as _, Deserializer};
use std::str::FromStr;

/// Begins every complaint of this file.
pub(super) const UNKNOWN: &str = "unknown word ";

/// Reads one of the words of `T`.
///
/// # Errors
/// It is none of them.
pub(super) fn one_of<'de, D: Deserializer<'de>, T: Word>(from: D) -> Result<T, D::Error> {
    let word = String::deserialize(from)?;
    T::parse(&word).ok_or_else(|| {
        let known: Vec<_> = T::VALUES.iter().map(|it| format!("{:?}", it.word())).collect();
        let known = match &known[..] {
            [one, other] => format!("{one} or {other}"),
            _ => known.join(", "),
        };
        D::Error::custom(format!("{UNKNOWN}{word:?}; write {known}"))
    })
}

/// Reads a setting that is written as text.
///
/// # Errors
/// It is not so written.
pub(super) fn parsed<'de, D, T>(from: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err = String>,
{
    let word = String::deserialize(from)?;
    word.parse().map_err(|how| D::Error::custom(format!("{UNKNOWN}{word:?}; {how}")))
}
