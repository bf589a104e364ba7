//! What happened to the record itself, as documents, and back.

use crate::game::Keeping;
use crate::time::Wall;
use serde::{Deserialize, Serialize};

/// Such a matter as it is written: code, values, and a sentence for the reader. Which values there
/// are depends on the code.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KeepingBody {
    /// The code, [`Keeping::code`].
    code: String,
    /// The line, or the first of several.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    line: Option<u64>,
    /// The last of them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    last: Option<u64>,
    /// Their number.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    n: Option<u64>,
    /// What is wrong.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    why: Option<String>,
    /// The file concerned.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    file: Option<String>,
    /// Where in it, in bytes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    offset: Option<u64>,
    /// A line of another record with its hash.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    noted: Option<String>,
    /// Where the bytes are now.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    kept_as: Vec<String>,
    /// The time of day as it would have been, in microseconds since 1970-01-01 UTC.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    from_us: Option<i64>,
    /// The time of day as it is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    to_us: Option<i64>,
    /// The matter as a sentence.
    text: String,
}

impl From<&Keeping> for KeepingBody {
    fn from(keeping: &Keeping) -> Self {
        let mut body =
            Self { code: keeping.code().to_owned(), text: keeping.to_string(), ..Self::default() };
        match keeping.clone() {
            Keeping::Nonsense { first, last, n, why } => {
                (body.line, body.last, body.n) = (Some(first), Some(last), Some(n));
                body.why = Some(why);
            }
            Keeping::Lost { first, last, file, offset } => {
                (body.line, body.last) = (Some(first), Some(last));
                (body.file, body.offset) = (Some(file), Some(offset));
            }
            Keeping::Mended { line, file, offset } => {
                (body.line, body.file, body.offset) = (Some(line), Some(file), Some(offset));
            }
            Keeping::SetAside { file, offset, bytes, kept_as } => {
                (body.file, body.offset, body.n) = (Some(file), Some(offset), Some(bytes));
                body.kept_as = kept_as;
            }
            Keeping::GamesBefore { n } => body.n = u64::try_from(n).ok(),
            Keeping::Archived { n, noted } => {
                (body.n, body.noted) = (u64::try_from(n).ok(), Some(noted));
            }
            Keeping::WallKnown { .. } => {}
            Keeping::WallJumped { from, to } => {
                (body.from_us, body.to_us) = (Some(from.0), Some(to.0));
            }
        }
        body
    }
}

impl KeepingBody {
    /// The matter; `None` if the code is unknown, as in a record of a newer program.
    pub(super) fn to_keeping(&self) -> Option<Keeping> {
        let Self { line, last, n, why, file, offset, noted, kept_as, from_us, to_us, .. } =
            self.clone();
        Some(match self.code.as_str() {
            "RECORD_NONSENSE" => Keeping::Nonsense { first: line?, last: last?, n: n?, why: why? },
            "RECORD_LOST" => {
                Keeping::Lost { first: line?, last: last?, file: file?, offset: offset? }
            }
            "RECORD_MENDED" => Keeping::Mended { line: line?, file: file?, offset: offset? },
            "RECORD_SET_ASIDE" => {
                Keeping::SetAside { file: file?, offset: offset?, bytes: n?, kept_as }
            }
            "RECORD_GAMES_BEFORE" => Keeping::GamesBefore { n: usize::try_from(n?).ok()? },
            "RECORD_ARCHIVED" => Keeping::Archived { n: usize::try_from(n?).ok()?, noted: noted? },
            "WALL_CLOCK_UNKNOWN" => Keeping::WallKnown { is_known: false },
            "WALL_CLOCK_KNOWN" => Keeping::WallKnown { is_known: true },
            "WALL_CLOCK_JUMPED" => Keeping::WallJumped { from: Wall(from_us?), to: Wall(to_us?) },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_matter_comes_back_as_it_was() {
        let file = || "000001.journal".to_owned();
        for keeping in [
            Keeping::Nonsense { first: 3, last: 9, n: 4, why: "no such square".to_owned() },
            Keeping::Lost { first: 3, last: 3, file: file(), offset: 7 },
            Keeping::Mended { line: 3, file: file(), offset: 7 },
            Keeping::SetAside { file: file(), offset: 7, bytes: 8, kept_as: vec![file()] },
            Keeping::GamesBefore { n: 5 },
            Keeping::Archived { n: 5, noted: "431:9c3f01aa".to_owned() },
            Keeping::WallKnown { is_known: false },
            Keeping::WallKnown { is_known: true },
            Keeping::WallJumped { from: Wall(-1), to: Wall(1_700_000_000_000_000) },
        ] {
            let json = serde_json::to_string(&KeepingBody::from(&keeping)).unwrap();
            let body: KeepingBody = serde_json::from_str(&json).unwrap();
            assert_eq!(body.to_keeping(), Some(keeping), "{json}");
        }
    }
}
