//! Notes about the clock as documents, and back.

use super::record::{RecordedTimes, millis};
use crate::clock::{ClockNote, Rate};
use crate::table::Word;
use serde::{Deserialize, Serialize};
use shakmaty::Color;
use std::time::Duration;

/// A note as it is written: code, values, and a sentence for the reader. Which values there are
/// depends on the code; times are in milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct NoteBody {
    /// The code, [`ClockNote::code`].
    code: String,
    /// The player concerned.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    player: Option<String>,
    /// What was expected of the time, or what it was before.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    expected_ms: Option<u64>,
    /// What is shown, or how much it is about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    shown_ms: Option<u64>,
    /// What was expected of both times, or what they were before.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    expected: Option<RecordedTimes>,
    /// What both show.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    shown: Option<RecordedTimes>,
    /// `fast` or `slow`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    rate: Option<String>,
    /// The time in which the clock went wrong.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    over_ms: Option<u64>,
    /// The article, in the edition of 2023.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    article: Option<String>,
    /// The note as a sentence.
    text: String,
}

impl From<&ClockNote> for NoteBody {
    fn from(note: &ClockNote) -> Self {
        let ms = |span: Duration| Some(millis(span));
        let mut body = Self {
            code: note.code().to_owned(),
            player: note.by().map(|color| color.word().to_owned()),
            article: note.article().map(str::to_owned),
            text: note.to_string(),
            ..Self::default()
        };
        match *note {
            ClockNote::Misset { expected, shown, .. }
            | ClockNote::Increment { expected, shown, .. }
            | ClockNote::SetByHand { from: expected, to: shown, .. }
            | ClockNote::AsOrdered { from: expected, to: shown, .. }
            | ClockNote::Unexplained { from: expected, to: shown, .. } => {
                (body.expected_ms, body.shown_ms) = (ms(expected), ms(shown));
            }
            ClockNote::Period { credit, .. } | ClockNote::PeriodDue { credit, .. } => {
                body.shown_ms = ms(credit);
            }
            ClockNote::Reset { from: expected, to: shown }
            | ClockNote::PressesMissed { expected, shown }
            | ClockNote::Back { estimated: expected, shown } => {
                (body.expected, body.shown) = (Some(expected.into()), Some(shown.into()));
            }
            ClockNote::Turned { to } | ClockNote::Restored { to } => body.shown = Some(to.into()),
            ClockNote::Late { by } => body.shown_ms = ms(by),
            ClockNote::Drift { rate, by, over } => {
                body.rate = Some(rate.word().to_owned());
                (body.shown_ms, body.over_ms) = (ms(by), ms(over));
            }
            ClockNote::OtherEnd | ClockNote::NoTimes | ClockNote::BatteryLow => {}
        }
        body
    }
}

impl NoteBody {
    /// The note that this tells; `None` if the code is unknown or a value of it is missing.
    pub(super) fn to_note(&self) -> Option<ClockNote> {
        let by = || self.player.as_deref().and_then(Color::parse);
        let expected_ms = || self.expected_ms.map(Duration::from_millis);
        let shown_ms = || self.shown_ms.map(Duration::from_millis);
        let (expected, shown) = (|| self.expected.map(Into::into), || self.shown.map(Into::into));
        Some(match self.code.as_str() {
            "CLOCK_MISSET" => {
                ClockNote::Misset { by: by()?, expected: expected_ms()?, shown: shown_ms()? }
            }
            "CLOCK_INCREMENT" => {
                ClockNote::Increment { by: by()?, expected: expected_ms()?, shown: shown_ms()? }
            }
            "CLOCK_PERIOD" => ClockNote::Period { by: by()?, credit: shown_ms()? },
            "CLOCK_PERIOD_DUE" => ClockNote::PeriodDue { by: by()?, credit: shown_ms()? },
            "CLOCK_SET" => {
                ClockNote::SetByHand { by: by()?, from: expected_ms()?, to: shown_ms()? }
            }
            "CLOCK_ORDERED" => {
                ClockNote::AsOrdered { by: by()?, from: expected_ms()?, to: shown_ms()? }
            }
            "CLOCK_RESET" => ClockNote::Reset { from: expected()?, to: shown()? },
            "CLOCK_TURNED" => ClockNote::Turned { to: shown()? },
            "CLOCK_OTHER_END" => ClockNote::OtherEnd,
            "CLOCK_PRESSES_MISSED" => {
                ClockNote::PressesMissed { expected: expected()?, shown: shown()? }
            }
            "CLOCK_UNEXPLAINED" => {
                ClockNote::Unexplained { by: by()?, from: expected_ms()?, to: shown_ms()? }
            }
            "CLOCK_LATE" => ClockNote::Late { by: shown_ms()? },
            "CLOCK_DRIFT" => ClockNote::Drift {
                rate: Rate::parse(self.rate.as_deref()?)?,
                by: shown_ms()?,
                over: self.over_ms.map(Duration::from_millis)?,
            },
            "CLOCK_BACK" => ClockNote::Back { estimated: expected()?, shown: shown()? },
            "CLOCK_RESTORED" => ClockNote::Restored { to: shown()? },
            "CLOCK_NO_TIMES" => ClockNote::NoTimes,
            "CLOCK_BATTERY" => ClockNote::BatteryLow,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Times;

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
            let json = serde_json::to_string(&NoteBody::from(&note)).unwrap();
            let body: NoteBody = serde_json::from_str(&json).unwrap();
            assert_eq!(body.to_note(), Some(note), "{json}");
        }
    }
}
