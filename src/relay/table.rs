//! The JSON of what people at the table do and say, and of what the referee makes of it.

use super::record::{Body, RecordedTimes};
use crate::game::entry::{Fact, Ruled, Weighed};
use crate::game::{PairedFor, Unknown};
use crate::laws::{Code, Confidence, rows};
use crate::table::{Times, Word};
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
    fn to_ruled(&self) -> Option<Ruled> {
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

/// How a fact of the table is written.
///
/// # Panics
/// If it is none of them.
pub(super) fn body(fact: &Fact) -> Body {
    let word = |color: &Color| color.word().to_owned();
    match fact {
        Fact::Act(act) => Body::Act(act.clone()),
        Fact::Weighed(outcome) => Body::Weighed { outcome: outcome.word().to_owned() },
        Fact::Entered { author, reason } => {
            Body::Entered { author: author.clone(), reason: reason.clone() }
        }
        Fact::Paired { pairing, holds, author, reason } => Body::Paired {
            pairing: Box::new(pairing.as_ref().into()),
            holds: holds.word().to_owned(),
            author: author.clone(),
            reason: reason.clone(),
        },
        Fact::ClockDue { what, times } => {
            Body::ClockDue { what: what.clone(), clock: times.map(RecordedTimes::from) }
        }
        Fact::Flag { side } => Body::Flag { side: side.as_ref().map(word) },
        Fact::Ruled(ruled) => Body::Ruling { ruling: ruled.into() },
        Fact::Gap { ply, fen, n: Unknown { at_least, at_most } } => {
            let (fen, at_least, at_most) = (fen.clone(), *at_least, *at_most);
            Body::Gap { ply: *ply, fen, at_least, at_most }
        }
        Fact::GapClosed { ply } => Body::GapClosed { ply: *ply },
        Fact::Began { fen, is_joined } => Body::Began { fen: fen.clone(), joined: *is_joined },
        _ => unreachable!("every other fact is written where it is read"),
    }
}

/// The fact of the table that `body` stands for; `None` if it is none, or has words of no meaning.
pub(super) fn fact(body: &Body) -> Option<Fact> {
    let color = |word: &str| Color::parse(word);
    Some(match body {
        Body::Act(act) => Fact::Act(act.clone()),
        Body::Weighed { outcome } => Fact::Weighed(Weighed::parse(outcome)?),
        Body::Entered { author, reason } => {
            Fact::Entered { author: author.clone(), reason: reason.clone() }
        }
        Body::Paired { pairing, holds, author, reason } => Fact::Paired {
            pairing: Box::new(pairing.to_pairing()?),
            holds: PairedFor::parse(holds)?,
            author: author.clone(),
            reason: reason.clone(),
        },
        Body::ClockDue { what, clock } => {
            Fact::ClockDue { what: what.clone(), times: clock.map(Times::from) }
        }
        Body::Flag { side: None } => Fact::Flag { side: None },
        Body::Flag { side: Some(side) } => Fact::Flag { side: Some(color(side)?) },
        Body::Ruling { ruling } => Fact::Ruled(ruling.to_ruled()?),
        Body::Gap { ply, fen, at_least, at_most } => {
            let n = Unknown { at_least: *at_least, at_most: *at_most };
            Fact::Gap { ply: *ply, fen: fen.clone(), n }
        }
        Body::GapClosed { ply } => Fact::GapClosed { ply: *ply },
        Body::Began { fen, joined } => Fact::Began { fen: fen.clone(), is_joined: *joined },
        _ => return None,
    })
}
