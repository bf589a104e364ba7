//! What happens to the record itself, as documents, and back.

use crate::game::{Delay, Keeping};
use crate::table::written;
use crate::time::Wall;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How such matters are written, each under its code, [`Keeping::code`]. One of an unknown code, as
/// in a record of a newer program, is not read.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Keeping", tag = "code")]
enum KeepingBody {
    #[serde(rename = "RECORD_NONSENSE")]
    Nonsense {
        #[serde(rename = "line")]
        first: u64,
        last: u64,
        n: u64,
        why: String,
    },
    #[serde(rename = "RECORD_LOST")]
    Lost {
        #[serde(rename = "line")]
        first: u64,
        last: u64,
        file: String,
        offset: u64,
    },
    #[serde(rename = "RECORD_MENDED")]
    Mended { line: u64, file: String, offset: u64 },
    #[serde(rename = "RECORD_SET_ASIDE")]
    SetAside {
        #[serde(rename = "n")]
        bytes: u64,
        file: String,
        offset: u64,
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        kept_as: Vec<String>,
    },
    #[serde(rename = "RECORD_GAMES_BEFORE")]
    GamesBefore { n: usize },
    #[serde(rename = "RECORD_ARCHIVED")]
    Archived { n: usize, noted: String },
    #[serde(rename = "PUBLIC_DELAY")]
    PublicDelay {
        #[serde(skip_serializing_if = "Option::is_none", default)]
        round: Option<u16>,
        #[serde(with = "written::text")]
        delay: Delay,
    },
    #[serde(rename = "WALL_CLOCK_UNKNOWN")]
    WallUnknown,
    #[serde(rename = "WALL_CLOCK_KNOWN")]
    WallKnown,
    #[serde(rename = "WALL_CLOCK_JUMPED")]
    WallJumped {
        #[serde(rename = "from_us", with = "WallBody")]
        from: Wall,
        #[serde(rename = "to_us", with = "WallBody")]
        to: Wall,
    },
}

/// A time of day, in microseconds since 1970-01-01 UTC.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Wall")]
struct WallBody(i64);

/// Such a matter, and behind it a sentence for the reader.
#[derive(Serialize)]
struct ToldKeeping<'a> {
    #[serde(flatten, with = "KeepingBody")]
    keeping: &'a Keeping,
    text: String,
}

pub(super) fn serialize<S: Serializer>(keeping: &Keeping, out: S) -> Result<S::Ok, S::Error> {
    ToldKeeping { keeping, text: keeping.to_string() }.serialize(out)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(read: D) -> Result<Keeping, D::Error> {
    KeepingBody::deserialize(read)
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
            Keeping::PublicDelay { round: None, delay: Delay::None },
            Keeping::PublicDelay { round: Some(9), delay: Delay::Minutes(15) },
            Keeping::PublicDelay { round: Some(1), delay: Delay::Moves(3) },
            Keeping::WallUnknown,
            Keeping::WallKnown,
            Keeping::WallJumped { from: Wall(-1), to: Wall(1_700_000_000_000_000) },
        ] {
            let json = serialize(&keeping, serde_json::value::Serializer).unwrap();
            assert_eq!(json["code"], keeping.code());
            assert_eq!(deserialize(&json).unwrap(), keeping, "{json}");
        }
    }
}
