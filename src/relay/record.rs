//! Records as JSON: the one vocabulary that the journal, `rokade log --json` and
//! `rokade replay --json` share. One object a record; `type` says which, `t` is milliseconds since
//! the start.
//!
//! Core types are not serializable: a renamed field in the core must not change what is on disk. So
//! `Body` spells out how each fact is written, and serde makes both ways of it; it does not
//! compile where a fact is written otherwise than it is. What people at the table do and say is its
//! own document ([`Act`]).

use super::table::RulingBody;
use super::words;
use crate::clock::{ClockNote, TimeControl};
use crate::game::entry::{Basis, Fact, LinkState, Ruled, Weighed};
use crate::game::{Gap, Keeping, PairedFor, Pairing, ScoreSheet, Unknown};
use crate::laws::{Act, Ending, Finding, FindingKind, Reason, Severity, Stage};
use crate::table::{End, Placement, Reading, Sight, Times, Word, written};
use crate::time::millis;
use crate::track::line::CompletedBy;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use shakmaty::fen::Fen;
use shakmaty::{Chess, Color, EnPassantMode, KnownOutcome, Square};
use std::time::Duration;

/// The version of these documents.
pub const VERSION: u32 = 1;

/// A record as it is written: the fact, and when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The fact.
    #[serde(flatten, with = "Body")]
    pub fact: Fact,
    /// Milliseconds since the start of the daemon or of the replay.
    pub t: u64,
}

/// How facts are written, field by field. The words in them are those of [`written`] and [`words`].
#[derive(Serialize, Deserialize)]
#[serde(remote = "Fact", tag = "type", rename_all = "snake_case")]
enum Body {
    GameStarted {
        fen: String,
        #[serde(rename = "chess960")]
        is_chess960: bool,
        white: String,
        black: String,
        event: String,
        #[serde(skip_serializing_if = "String::is_empty", default)]
        site: String,
        round: String,
    },
    MoveMade {
        ply: usize,
        uci: String,
        san: String,
        #[serde(rename = "illegal", skip_serializing_if = "std::ops::Not::not", default)]
        is_illegal: bool,
        #[serde(with = "written::word")]
        basis: Basis,
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        alternatives: Vec<String>,
        #[serde(rename = "released_before_ms", with = "span")]
        released_before: Duration,
    },
    MoveRetracted {
        ply: usize,
    },
    MoveMarked {
        ply: usize,
        alternatives: Vec<String>,
    },
    Gap {
        ply: usize,
        fen: String,
        #[serde(flatten, with = "UnknownBody")]
        n: Unknown,
    },
    GapClosed {
        ply: usize,
    },
    Began {
        fen: String,
        #[serde(rename = "joined")]
        is_joined: bool,
    },
    MoveCompleted {
        ply: usize,
        #[serde(with = "written::word")]
        by: CompletedBy,
        #[serde(rename = "pressed_before_ms", with = "span")]
        pressed_before: Duration,
        #[serde(rename = "clock", with = "times", default)]
        #[serde(skip_serializing_if = "Option::is_none")]
        times: Option<Times>,
    },
    IllegalMove {
        #[serde(with = "written::word")]
        stage: Stage,
        #[serde(with = "written::word")]
        by: Color,
        #[serde(flatten, with = "finding")]
        finding: Finding,
    },
    #[serde(with = "finding")]
    PositionLost(Finding),
    #[serde(rename = "result", with = "EndingBody")]
    Ended(Ending),
    #[serde(with = "EndingBody")]
    Reopened(Ending),
    GameClosed,
    Pressed {
        #[serde(rename = "side", with = "written::word")]
        by: Color,
    },
    Clock {
        #[serde(with = "written::maybe", default)]
        running: Option<Color>,
        #[serde(rename = "clock", with = "times", default)]
        #[serde(skip_serializing_if = "Option::is_none")]
        times: Option<Times>,
        #[serde(rename = "connected")]
        is_connected: bool,
    },
    #[serde(with = "control")]
    TimeControl(TimeControl),
    #[serde(with = "super::clock_note")]
    ClockNote(ClockNote),
    Sensed {
        #[serde(with = "written::text")]
        sq: Square,
        #[serde(rename = "p", with = "letter")]
        reading: Reading,
    },
    #[serde(with = "picture")]
    Pictured(Placement),
    SearchCut {
        n: u64,
    },
    #[serde(with = "link")]
    Link(LinkState),
    Seated {
        #[serde(with = "written::word")]
        connector: End,
        #[serde(rename = "clock_white", with = "written::word")]
        white_end: End,
    },
    Identified {
        serial: String,
    },
    #[serde(with = "sight")]
    Sees(Sight),
    #[serde(with = "weighed")]
    Weighed(Weighed),
    Entered {
        author: String,
        reason: String,
    },
    Paired {
        #[serde(flatten, with = "super::pairing")]
        pairing: Box<Pairing>,
        #[serde(with = "written::word")]
        holds: PairedFor,
        #[serde(skip_serializing_if = "String::is_empty", default)]
        author: String,
        #[serde(skip_serializing_if = "String::is_empty", default)]
        reason: String,
    },
    ClockDue {
        what: String,
        #[serde(rename = "clock", with = "times", default)]
        #[serde(skip_serializing_if = "Option::is_none")]
        times: Option<Times>,
    },
    Flag {
        #[serde(with = "written::maybe", default)]
        side: Option<Color>,
    },
    #[serde(rename = "ruling", with = "RulingBody")]
    Ruled(Ruled),
    #[serde(with = "super::keeping")]
    Record(Keeping),
    // These have their type in themselves.
    #[serde(untagged, with = "found")]
    Found(Finding),
    #[serde(untagged)]
    Act(Act),
}

/// How many half-moves are unknown, as it is written.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Unknown")]
struct UnknownBody {
    at_least: usize,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    at_most: Option<usize>,
}

/// A result as it is written.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Ending")]
struct EndingBody {
    #[serde(rename = "result", with = "written::text")]
    outcome: KnownOutcome,
    #[serde(with = "written::word")]
    reason: Reason,
}

/// Values that are written as another type, which may stand for none of them: `from` makes it,
/// `back` undoes that.
macro_rules! written_as {
    ($($name:ident: $value:ty as $document:ty, $from:expr, $back:expr;)+) => {$(
        pub(super) mod $name {
            use super::*;

            pub(in crate::relay) fn serialize<S: Serializer>(
                value: &$value,
                out: S,
            ) -> Result<S::Ok, S::Error> {
                let from: fn(&$value) -> $document = $from;
                from(value).serialize(out)
            }

            pub(in crate::relay) fn deserialize<'de, D: Deserializer<'de>>(
                read: D,
            ) -> Result<$value, D::Error> {
                let back: fn(&$document) -> Option<$value> = $back;
                back(&<$document>::deserialize(read)?).ok_or_else(|| D::Error::custom("unknown"))
            }
        }
    )+};
}

written_as! {
    span: Duration as u64, |span| millis(*span), |ms| Some(Duration::from_millis(*ms));
    pair: Times as RecordedTimes, |times| (*times).into(), |clocks| Some((*clocks).into());
    times: Option<Times> as Option<RecordedTimes>,
        |times| times.map(RecordedTimes::from), |clocks| Some(clocks.map(Times::from));
    letter: Reading as String, |reading| words::letter(*reading), |p| words::parse_letter(p);
    finding: Finding as FindingBody, |finding| finding.into(), FindingBody::to_finding;
    found: Finding as FoundBody, |finding| finding.into(), |found| found.finding.to_finding();
    picture: Placement as PictureBody,
        |placement| PictureBody { fen: placement.fen() }, |it| Placement::parse(&it.fen).ok();
    control: TimeControl as ControlBody,
        |control| ControlBody { control: control.to_string() }, |it| it.control.parse().ok();
    link: LinkState as LinkBody,
        |link| LinkBody { state: link.word().to_owned() }, |it| Word::parse(&it.state);
    sight: Sight as SightBody,
        |sight| SightBody { sight: sight.word().to_owned() }, |it| Word::parse(&it.sight);
    weighed: Weighed as WeighedBody,
        |weighed| WeighedBody { outcome: weighed.word().to_owned() }, |it| Word::parse(&it.outcome);
}

/// Documents that hold one text.
macro_rules! texts {
    ($($name:ident { $text:ident })+) => {$(
        #[derive(Serialize, Deserialize)]
        struct $name {
            $text: String,
        }
    )+};
}

texts! {
    PictureBody { fen }
    ControlBody { control }
    LinkBody { state }
    SightBody { sight }
    WeighedBody { outcome }
}

/// A finding that is all there is to say, as it is written.
#[derive(Serialize, Deserialize)]
struct FoundBody {
    r#type: FoundType,
    #[serde(flatten)]
    finding: FindingBody,
}

/// How much it matters.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum FoundType {
    Irregularity,
    Notice,
}

impl From<&Finding> for FoundBody {
    fn from(finding: &Finding) -> Self {
        let is_irregular = finding.severity() == Severity::Irregularity;
        let r#type = if is_irregular { FoundType::Irregularity } else { FoundType::Notice };
        Self { r#type, finding: finding.into() }
    }
}

/// Both clocks, in milliseconds.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedTimes {
    /// White's time left.
    pub white_ms: u64,
    /// Black's time left.
    pub black_ms: u64,
}

/// A finding as it is written: code, article, squares, and a sentence for the reader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingBody {
    /// The code, [`Finding::code`].
    pub code: String,
    /// The player concerned.
    #[serde(rename = "player", with = "written::maybe")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub by: Option<Color>,
    /// The article, in the edition named beside it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub article: Option<String>,
    /// The edition of the Laws that the article is numbered in.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub edition: Option<String>,
    /// The squares concerned, in the order that the code gives them.
    pub squares: Vec<String>,
    /// The finding as a sentence.
    pub text: String,
}

impl Record {
    /// The record of `fact` at `t` milliseconds.
    pub fn new(t: u64, fact: &Fact) -> Self {
        Self { t, fact: fact.clone() }
    }

    /// The record as one line of JSON, without the line's end.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a record is plain data")
    }
}

impl From<Times> for RecordedTimes {
    fn from(times: Times) -> Self {
        Self { white_ms: millis(times.white), black_ms: millis(times.black) }
    }
}

impl From<RecordedTimes> for Times {
    fn from(clocks: RecordedTimes) -> Self {
        let of = Duration::from_millis;
        Self { white: of(clocks.white_ms), black: of(clocks.black_ms) }
    }
}

impl From<&Finding> for FindingBody {
    fn from(finding: &Finding) -> Self {
        Self {
            code: finding.code().to_owned(),
            by: finding.by,
            article: finding.article().map(str::to_owned),
            edition: finding.article().map(|_| "2023".to_owned()),
            squares: finding.squares().iter().map(Square::to_string).collect(),
            text: finding.to_string(),
        }
    }
}

impl FindingBody {
    fn to_finding(&self) -> Option<Finding> {
        let squares = self.squares.iter().map(|sq| sq.parse().ok()).collect::<Option<Vec<_>>>()?;
        Some(Finding { kind: FindingKind::parse(&self.code, &squares)?, by: self.by })
    }
}

/// The last record of a replay: the game as recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GameRecord {
    /// Always `game`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The final position as a FEN.
    pub fen: String,
    /// The moves in UCI notation; Chess960 castling is king takes rook.
    pub moves: Vec<String>,
    /// Where moves are not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<GapRecord>,
    /// The position that the game was joined in, if its beginning was not seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joined: Option<String>,
    /// `*` for a game without a result.
    pub result: &'static str,
}

/// A stretch of moves that nobody knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GapRecord {
    /// Half-moves on record before it.
    pub ply: usize,
    /// The position from which the record goes on.
    pub fen: String,
    /// How many half-moves it is at the least.
    pub at_least: usize,
    /// How many at the most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<usize>,
}

impl GapRecord {
    /// The gap `gap` of `sheet`.
    pub fn new(sheet: &ScoreSheet, gap: &Gap) -> Self {
        let Unknown { at_least, at_most } = gap.n;
        Self { ply: gap.ply, fen: fen(sheet.position(gap.ply)), at_least, at_most }
    }
}

fn fen(pos: &Chess) -> String {
    Fen::from_position(pos, EnPassantMode::Legal).to_string()
}

impl GameRecord {
    /// The game on `sheet`, with its result if it has one.
    pub fn new(sheet: &ScoreSheet, outcome: Option<KnownOutcome>) -> Self {
        Self {
            kind: "game",
            fen: fen(sheet.last()),
            moves: sheet.moves().iter().map(|scored| scored.uci.to_string()).collect(),
            gaps: sheet.gaps().iter().map(|gap| GapRecord::new(sheet, gap)).collect(),
            joined: sheet.is_joined().then(|| fen(sheet.start())),
            result: outcome.map_or("*", KnownOutcome::as_str),
        }
    }

    /// The record as one line of JSON, without the line's end.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a record is plain data")
    }
}
