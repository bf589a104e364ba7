//! Settings that are one of several words: what is none of them is refused with all of them.

use serde::de::value::{Error as Unknown, StrDeserializer};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize as _, Deserializer};
use std::str::FromStr;

/// Begins every complaint of this file.
pub(super) const UNKNOWN: &str = "unknown word ";

/// Reads one of the words of `T`.
///
/// # Errors
/// It is none of them.
pub(super) fn one_of<'de, D, T>(from: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    let word = String::deserialize(from)?;
    let read = T::deserialize(StrDeserializer::<Unknown>::new(&word));
    read.map_err(|why| {
        // serde says: unknown variant `up`, expected one of `auto`, `left`, `right`
        let why = why.to_string();
        let known = why.split_once("expected ").map_or(why.as_str(), |(_, known)| known);
        let known = known.trim_start_matches("one of ").replace('`', "\"");
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
