//! The JSON of what the referee makes of what people at the table do and say.

use crate::game::Ruled;
use crate::laws::{Code, Confidence, Edition, rows};
use crate::table::written;
use serde::{Deserialize, Serialize};
use shakmaty::Color;

/// A ruling as it is written. What follows from the rest is written for the reader, and not read.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Ruled")]
pub(super) struct RulingBody {
    /// The code in the arbiter's log, of an entry of it.
    #[serde(with = "written::maybe", skip_serializing_if = "Option::is_none", default)]
    code: Option<Code>,
    #[serde(getter = "severity", skip_serializing_if = "Option::is_none", skip_deserializing)]
    severity: Option<&'static str>,
    #[serde(rename = "player", with = "written::maybe")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    by: Option<Color>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    row: Option<String>,
    #[serde(getter = "article", skip_serializing_if = "Option::is_none", skip_deserializing)]
    article: Option<&'static str>,
    #[serde(with = "written::text")]
    edition: Edition,
    #[serde(with = "written::word")]
    confidence: Confidence,
    text: String,
}

/// How much an entry of the log matters.
fn severity(ruled: &Ruled) -> Option<&'static str> {
    ruled.code.map(|code| code.severity().word())
}

/// The article of the row in that edition.
fn article(ruled: &Ruled) -> Option<&'static str> {
    rows::row(ruled.row.as_deref()?).ok()?.article(ruled.edition)
}

impl From<RulingBody> for Ruled {
    fn from(body: RulingBody) -> Self {
        let RulingBody { code, by, row, edition, confidence, text, .. } = body;
        Self { code, by, row, edition, confidence, text }
    }
}
