//! How values are written in documents, for serde's `with`: by their word, or by their text.

/// Values of a fixed list, by their word.
pub mod word {
    use crate::table::Word;
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;
    use std::borrow::Cow;

    /// Writes the word for `value`.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<T: Word, S: Serializer>(value: &T, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(value.word())
    }

    /// Reads the value that a word stands for.
    ///
    /// # Errors
    /// It stands for none.
    pub fn deserialize<'de, T: Word, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
        let word = Cow::<str>::deserialize(from)?;
        T::parse(&word).ok_or_else(|| Error::custom(format_args!("unknown word {word:?}")))
    }
}

/// Values of a fixed list that may be absent, by their word.
pub mod maybe {
    use crate::table::Word;
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::{Serialize, Serializer};
    use std::borrow::Cow;

    /// Writes the word for `value`, if there is one.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<T: Word, S: Serializer>(value: &Option<T>, out: S) -> Result<S::Ok, S::Error> {
        value.map(T::word).serialize(out)
    }

    /// Reads the value that a word stands for, if there is one.
    ///
    /// # Errors
    /// It stands for none.
    pub fn deserialize<'de, T: Word, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
        let Some(word) = Option::<Cow<str>>::deserialize(from)? else { return Ok(None) };
        let value = T::parse(&word);
        value.map(Some).ok_or_else(|| Error::custom(format_args!("unknown word {word:?}")))
    }
}

/// Values that are written and read as text.
pub mod text {
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;
    use std::borrow::Cow;
    use std::fmt::Display;
    use std::str::FromStr;

    /// Writes `value` as it is shown.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<T: Display, S: Serializer>(value: &T, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(value)
    }

    /// Reads the value that a text stands for.
    ///
    /// # Errors
    /// It stands for none.
    pub fn deserialize<'de, T, D>(from: D) -> Result<T, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        Cow::<str>::deserialize(from)?.parse().map_err(Error::custom)
    }
}
