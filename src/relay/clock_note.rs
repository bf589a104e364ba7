//! Notes about the clock as documents, and back.

use super::record::{Clocks, millis};
use super::words::Word;
use crate::clock::{Note, Rate};
use serde::{Deserialize, Serialize};
use shakmaty::Color;
use std::time::Duration;

/// A note as it is written: code, values, and a sentence for the reader. Which values there are
/// depends on the code; times are in milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteBody {
    /// The code, [`Note::code`].
    pub code: String,
    /// The player concerned.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub player: Option<String>,
    /// What was expected of his time, or what it was before.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expected_ms: Option<u64>,
    /// What is shown, or how much it is about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub shown_ms: Option<u64>,
    /// What was expected of both times, or what they were before.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expected: Option<Clocks>,
    /// What both show.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub shown: Option<Clocks>,
    /// `fast` or `slow`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rate: Option<String>,
    /// The time in which the clock went wrong.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub over_ms: Option<u64>,
    /// The article, in the edition of 2023.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub article: Option<String>,
    /// The note as a sentence.
    pub text: String,
}

impl From<&Note> for NoteBody {
    fn from(note: &Note) -> Self {
        let ms = |span: Duration| Some(millis(span));
        let mut body = Self {
            code: note.code().to_owned(),
            player: note.by().map(|color| color.word().to_owned()),
            article: note.article().map(str::to_owned),
            text: note.to_string(),
            ..Self::default()
        };
        match *note {
            Note::Misset { expected, shown, .. }
            | Note::Increment { expected, shown, .. }
            | Note::SetByHand { from: expected, to: shown, .. }
            | Note::AsOrdered { from: expected, to: shown, .. }
            | Note::Unexplained { from: expected, to: shown, .. } => {
                (body.expected_ms, body.shown_ms) = (ms(expected), ms(shown));
            }
            Note::Period { credit, .. } | Note::PeriodDue { credit, .. } => {
                body.shown_ms = ms(credit);
            }
            Note::Reset { from: expected, to: shown }
            | Note::PressesMissed { expected, shown }
            | Note::Back { estimated: expected, shown } => {
                (body.expected, body.shown) = (Some(expected.into()), Some(shown.into()));
            }
            Note::Turned { to } | Note::Restored { to } => body.shown = Some(to.into()),
            Note::Late { by } => body.shown_ms = ms(by),
            Note::Drift { rate, by, over } => {
                body.rate = Some(rate.word().to_owned());
                (body.shown_ms, body.over_ms) = (ms(by), ms(over));
            }
            Note::OtherEnd | Note::NoTimes | Note::BatteryLow => {}
        }
        body
    }
}

impl NoteBody {
    /// The note that this tells; `None` if the code is unknown or a value of it is missing.
    pub(super) fn to_note(&self) -> Option<Note> {
        let by = || self.player.as_deref().and_then(Color::parse);
        let expected_ms = || self.expected_ms.map(Duration::from_millis);
        let shown_ms = || self.shown_ms.map(Duration::from_millis);
        let (expected, shown) = (|| self.expected.map(Into::into), || self.shown.map(Into::into));
        Some(match self.code.as_str() {
            "CLOCK_MISSET" => {
                Note::Misset { by: by()?, expected: expected_ms()?, shown: shown_ms()? }
            }
            "CLOCK_INCREMENT" => {
                Note::Increment { by: by()?, expected: expected_ms()?, shown: shown_ms()? }
            }
            "CLOCK_PERIOD" => Note::Period { by: by()?, credit: shown_ms()? },
            "CLOCK_PERIOD_DUE" => Note::PeriodDue { by: by()?, credit: shown_ms()? },
            "CLOCK_SET" => Note::SetByHand { by: by()?, from: expected_ms()?, to: shown_ms()? },
            "CLOCK_ORDERED" => Note::AsOrdered { by: by()?, from: expected_ms()?, to: shown_ms()? },
            "CLOCK_RESET" => Note::Reset { from: expected()?, to: shown()? },
            "CLOCK_TURNED" => Note::Turned { to: shown()? },
            "CLOCK_OTHER_END" => Note::OtherEnd,
            "CLOCK_PRESSES_MISSED" => {
                Note::PressesMissed { expected: expected()?, shown: shown()? }
            }
            "CLOCK_UNEXPLAINED" => {
                Note::Unexplained { by: by()?, from: expected_ms()?, to: shown_ms()? }
            }
            "CLOCK_LATE" => Note::Late { by: shown_ms()? },
            "CLOCK_DRIFT" => Note::Drift {
                rate: Rate::parse(self.rate.as_deref()?)?,
                by: shown_ms()?,
                over: self.over_ms.map(Duration::from_millis)?,
            },
            "CLOCK_BACK" => Note::Back { estimated: expected()?, shown: shown()? },
            "CLOCK_RESTORED" => Note::Restored { to: shown()? },
            "CLOCK_NO_TIMES" => Note::NoTimes,
            "CLOCK_BATTERY" => Note::BatteryLow,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Times;

    #[test]
    fn every_note_comes_back_from_its_document() {
        let (by, s) = (Color::Black, Duration::from_secs);
        let (a, b) = (Times { white: s(1), black: s(2) }, Times { white: s(3), black: s(4) });
        let notes = [
            Note::Misset { by, expected: s(5), shown: s(6) },
            Note::Increment { by, expected: s(5), shown: s(6) },
            Note::Period { by, credit: s(5) },
            Note::PeriodDue { by, credit: s(5) },
            Note::SetByHand { by, from: s(5), to: s(6) },
            Note::Reset { from: a, to: b },
            Note::Turned { to: a },
            Note::OtherEnd,
            Note::PressesMissed { expected: a, shown: b },
            Note::Unexplained { by, from: s(5), to: s(6) },
            Note::Late { by: s(5) },
            Note::Drift { rate: Rate::Slow, by: s(5), over: s(6) },
            Note::Back { estimated: a, shown: b },
            Note::Restored { to: a },
            Note::NoTimes,
            Note::BatteryLow,
        ];
        for note in notes {
            let json = serde_json::to_string(&NoteBody::from(&note)).unwrap();
            let body: NoteBody = serde_json::from_str(&json).unwrap();
            assert_eq!(body.to_note(), Some(note), "{json}");
        }
    }
}
