//! What a screen with all boards shows of each: a [`View`](super::view::View) without its moves.

use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::fmt;

/// What is passed on as it stands, and what the moves come to.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Brief {
    pub(super) board: String,
    pub(super) white: String,
    pub(super) black: String,
    pub(super) event: String,
    pub(super) round: String,
    fen: String,
    last: Value,
    check: Value,
    pub(super) turn: String,
    orientation: String,
    /// The last one, with its number.
    #[serde(rename(deserialize = "moves"), deserialize_with = "last_move")]
    pub(super) r#move: String,
    pub(super) result: String,
    pub(super) clock: Value,
    pub(super) link: String,
    pub(super) idle: bool,
    unnamed: Value,
    /// Whether the board contradicts the position.
    #[serde(deserialize_with = "are_any")]
    pub(super) differs: bool,
}

impl Brief {
    /// The brief of a view document; nothing if it is none.
    pub(super) fn read(view: &str) -> Option<Self> {
        serde_json::from_str(view).ok()
    }
}

/// The brief of a view document, as one JSON object; nothing if it is none.
///
/// ```
/// use rokade::game::{Game, Settings};
/// use rokade::relay::{brief, view::View};
/// use rokade::time::Mono;
/// let game = Game::new(Settings::default());
/// let brief = brief::of(&View::new("table-1", &game, Mono::default()).to_json()).unwrap();
/// assert!(brief.contains("\"board\":\"table-1\"") && brief.contains("\"move\":\"\""));
/// assert_eq!(brief::of("{}"), None);
/// ```
pub fn of(view: &str) -> Option<String> {
    serde_json::to_string(&Brief::read(view)?).ok()
}

/// A move as far as the brief tells of it.
#[derive(Deserialize)]
struct BriefMove {
    number: u32,
    color: String,
    san: String,
}

/// The last of a list, of which nothing is kept before it.
struct LastOfMoves;

impl<'de> Visitor<'de> for LastOfMoves {
    type Value = Option<BriefMove>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the moves of a view")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut moves: A) -> Result<Option<BriefMove>, A::Error> {
        let mut last = None;
        while let Some(told) = moves.next_element()? {
            last = Some(told);
        }
        Ok(last)
    }
}

fn last_move<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let last = from.deserialize_seq(LastOfMoves)?;
    Ok(last.map_or_else(String::new, |BriefMove { number, color, san }| {
        let dots = if color == "black" { "…" } else { "." };
        format!("{number}{dots} {san}")
    }))
}

fn are_any<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    let all = Vec::<IgnoredAny>::deserialize(from)?;
    Ok(!all.is_empty())
}
