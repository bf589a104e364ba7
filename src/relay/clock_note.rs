//! Notes about the clock as documents, and back.

use super::record::{pair, span};
use crate::clock::{ClockNote, Rate};
use crate::table::{Times, written};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use shakmaty::Color;
use std::time::Duration;

/// How notes are written, each under its code, [`ClockNote::code`], with times in milliseconds. One
/// of an unknown code, as in a record of a newer program, is not read.
#[derive(Serialize, Deserialize)]
#[serde(remote = "ClockNote", tag = "code")]
enum NoteBody {
    #[serde(rename = "CLOCK_MISSET")]
    Misset {
        #[serde(rename = "player", with = "written::word")]
        by: Color,
        #[serde(rename = "expected_ms", with = "span")]
        expected: Duration,
        #[serde(rename = "shown_ms", with = "span")]
        shown: Duration,
    },
    #[serde(rename = "CLOCK_INCREMENT")]
    Increment {
        #[serde(rename = "player", with = "written::word")]
        by: Color,
        #[serde(rename = "expected_ms", with = "span")]
        expected: Duration,
        #[serde(rename = "shown_ms", with = "span")]
        shown: Duration,
    },
    #[serde(rename = "CLOCK_PERIOD")]
    Period {
        #[serde(rename = "player", with = "written::word")]
        by: Color,
        #[serde(rename = "shown_ms", with = "span")]
        credit: Duration,
    },
    #[serde(rename = "CLOCK_PERIOD_DUE")]
    PeriodDue {
        #[serde(rename = "player", with = "written::word")]
        by: Color,
        #[serde(rename = "shown_ms", with = "span")]
        credit: Duration,
    },
    #[serde(rename = "CLOCK_SET")]
    SetByHand {
        #[serde(rename = "player", with = "written::word")]
        by: Color,
        #[serde(rename = "expected_ms", with = "span")]
        from: Duration,
        #[serde(rename = "shown_ms", with = "span")]
        to: Duration,
    },
    #[serde(rename = "CLOCK_ORDERED")]
    AsOrdered {
        #[serde(rename = "player", with = "written::word")]
        by: Color,
        #[serde(rename = "expected_ms", with = "span")]
        from: Duration,
        #[serde(rename = "shown_ms", with = "span")]
        to: Duration,
    },
    #[serde(rename = "CLOCK_RESET")]
    Reset {
        #[serde(rename = "expected", with = "pair")]
        from: Times,
        #[serde(rename = "shown", with = "pair")]
        to: Times,
    },
    #[serde(rename = "CLOCK_TURNED")]
    Turned {
        #[serde(rename = "shown", with = "pair")]
        to: Times,
    },
    #[serde(rename = "CLOCK_OTHER_END")]
    OtherEnd,
    #[serde(rename = "CLOCK_PRESSES_MISSED")]
    PressesMissed {
        #[serde(with = "pair")]
        expected: Times,
        #[serde(with = "pair")]
        shown: Times,
    },
    #[serde(rename = "CLOCK_UNEXPLAINED")]
    Unexplained {
        #[serde(rename = "player", with = "written::word")]
        by: Color,
        #[serde(rename = "expected_ms", with = "span")]
        from: Duration,
        #[serde(rename = "shown_ms", with = "span")]
        to: Duration,
    },
    #[serde(rename = "CLOCK_LATE")]
    Late {
        #[serde(rename = "shown_ms", with = "span")]
        by: Duration,
    },
    #[serde(rename = "CLOCK_DRIFT")]
    Drift {
        #[serde(rename = "shown_ms", with = "span")]
        by: Duration,
        #[serde(with = "written::word")]
        rate: Rate,
        #[serde(rename = "over_ms", with = "span")]
        over: Duration,
    },
    #[serde(rename = "CLOCK_BACK")]
    Back {
        #[serde(rename = "expected", with = "pair")]
        estimated: Times,
        #[serde(with = "pair")]
        shown: Times,
    },
    #[serde(rename = "CLOCK_RESTORED")]
    Restored {
        #[serde(rename = "shown", with = "pair")]
        to: Times,
    },
    #[serde(rename = "CLOCK_NO_TIMES")]
    NoTimes,
    #[serde(rename = "CLOCK_BATTERY")]
    BatteryLow,
}

/// A note, and behind it its article in the edition of 2023 and a sentence for the reader.
#[derive(Serialize)]
struct ToldNote<'a> {
    #[serde(flatten, with = "NoteBody")]
    note: &'a ClockNote,
    #[serde(skip_serializing_if = "Option::is_none")]
    article: Option<&'static str>,
    text: String,
}

pub(super) fn serialize<S: Serializer>(note: &ClockNote, out: S) -> Result<S::Ok, S::Error> {
    ToldNote { note, article: note.article(), text: note.to_string() }.serialize(out)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(read: D) -> Result<ClockNote, D::Error> {
    NoteBody::deserialize(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_note_comes_back_from_its_document() {
        let (by, s) = (Color::Black, Duration::from_secs);
        let (a, b) = (Times { white: s(1), black: s(2) }, Times { white: s(3), black: s(4) });
        let notes = [
            ClockNote::Misset { by, expected: s(5), shown: s(6) },
            ClockNote::Increment { by, expected: s(5), shown: s(6) },
            ClockNote::Period { by, credit: s(5) },
            ClockNote::PeriodDue { by, credit: s(5) },
            ClockNote::SetByHand { by, from: s(5), to: s(6) },
            ClockNote::AsOrdered { by, from: s(5), to: s(6) },
            ClockNote::Reset { from: a, to: b },
            ClockNote::Turned { to: a },
            ClockNote::OtherEnd,
            ClockNote::PressesMissed { expected: a, shown: b },
            ClockNote::Unexplained { by, from: s(5), to: s(6) },
            ClockNote::Late { by: s(5) },
            ClockNote::Drift { rate: Rate::Slow, by: s(5), over: s(6) },
            ClockNote::Back { estimated: a, shown: b },
            ClockNote::Restored { to: a },
            ClockNote::NoTimes,
            ClockNote::BatteryLow,
        ];
        for note in notes {
            let json = serialize(&note, serde_json::value::Serializer).unwrap();
            assert_eq!(json["code"], note.code());
            assert_eq!(deserialize(&json).unwrap(), note, "{json}");
        }
    }
}
