//! The JSON of what the referee makes of what people at the table do and say.

use crate::game::Ruled;
use crate::laws::{Code, Confidence, rows};
use crate::table::Word;
use serde::{Deserialize, Serialize};
use shakmaty::Color;

/// A ruling as it is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RulingBody {
    /// The code in the arbiter's log, of an entry of it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub code: Option<String>,
    /// How much it matters, of an entry of the log.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub severity: Option<String>,
    /// The player concerned.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub player: Option<String>,
    /// The row of the Laws, by its id.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub row: Option<String>,
    /// Its article in that edition.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub article: Option<String>,
    /// The edition.
    pub edition: String,
    /// `observed` or `presumed`.
    pub confidence: String,
    /// What it says.
    pub text: String,
}

impl From<&Ruled> for RulingBody {
    fn from(ruled: &Ruled) -> Self {
        let row = ruled.row.as_deref().and_then(|id| rows::row(id).ok());
        Self {
            code: ruled.code.map(|code| code.word().to_owned()),
            severity: ruled.code.map(|code| code.severity().word().to_owned()),
            player: ruled.by.map(|color| color.word().to_owned()),
            row: ruled.row.clone(),
            article: row.and_then(|row| row.article(ruled.edition)).map(str::to_owned),
            edition: ruled.edition.to_string(),
            confidence: ruled.confidence.word().to_owned(),
            text: ruled.text.clone(),
        }
    }
}

impl RulingBody {
    pub(super) fn to_ruled(&self) -> Option<Ruled> {
        let confidence = match self.confidence.as_str() {
            "observed" => Confidence::Observed,
            "presumed" => Confidence::Presumed,
            _ => return None,
        };
        let code = match &self.code {
            Some(word) => Some(Code::parse(word)?),
            None => None,
        };
        let by = match &self.player {
            Some(word) => Some(Color::parse(word)?),
            None => None,
        };
        Some(Ruled {
            code,
            by,
            row: self.row.clone(),
            edition: self.edition.parse().ok()?,
            confidence,
            text: self.text.clone(),
        })
    }
}
