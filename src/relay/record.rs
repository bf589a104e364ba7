//! Records as JSON: the one vocabulary that the journal, `rokade log --json` and
//! `rokade replay --json` share. One object a record; `type` says which, `t` is milliseconds since
//! the start.
//!
//! Core types are not serializable: a renamed field in the core must not change what is on disk.
//! So the documents have types of their own here, and the conversions are written out.

use super::clock_note::NoteBody;
use super::keeping::KeepingBody;
use super::pairing::PairingBody;
use super::table::{self, RulingBody};
use super::words;
use crate::game::entry::Fact;
use crate::game::{Gap, ScoreSheet, Unknown};
use crate::laws::{Act, Ending, Finding, FindingKind, Reason, Severity};
use crate::table::{Placement, Times, Word};
use serde::{Deserialize, Serialize};
use shakmaty::fen::Fen;
use shakmaty::{Chess, Color, EnPassantMode, KnownOutcome, Square};
use std::time::Duration;

/// The version of these documents.
pub const VERSION: u32 = 1;

/// A record as it is written: the fact, and when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The fact.
    #[serde(flatten)]
    pub body: Body,
    /// Milliseconds since the start of the daemon or of the replay.
    pub t: u64,
}

/// The facts, field by field. The words in them are those of [`words`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[allow(missing_docs, reason = "each field is documented where the fact is")]
pub enum Body {
    GameStarted {
        fen: String,
        chess960: bool,
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
        #[serde(skip_serializing_if = "is_false", default)]
        illegal: bool,
        basis: String,
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        alternatives: Vec<String>,
        released_before_ms: u64,
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
        at_least: usize,
        #[serde(skip_serializing_if = "Option::is_none", default)]
        at_most: Option<usize>,
    },
    GapClosed {
        ply: usize,
    },
    Began {
        fen: String,
        joined: bool,
    },
    MoveCompleted {
        ply: usize,
        by: String,
        pressed_before_ms: u64,
        #[serde(skip_serializing_if = "Option::is_none", default)]
        clock: Option<RecordedTimes>,
    },
    IllegalMove {
        stage: String,
        by: String,
        #[serde(flatten)]
        finding: FindingBody,
    },
    Irregularity {
        #[serde(flatten)]
        finding: FindingBody,
    },
    Notice {
        #[serde(flatten)]
        finding: FindingBody,
    },
    PositionLost {
        #[serde(flatten)]
        finding: FindingBody,
    },
    Result {
        result: String,
        reason: String,
    },
    Reopened {
        result: String,
        reason: String,
    },
    GameClosed {},
    Pressed {
        side: String,
    },
    Clock {
        running: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none", default)]
        clock: Option<RecordedTimes>,
        connected: bool,
    },
    TimeControl {
        control: String,
    },
    ClockNote {
        #[serde(flatten)]
        note: NoteBody,
    },
    Sensed {
        sq: String,
        p: String,
    },
    Pictured {
        fen: String,
    },
    SearchCut {
        n: u64,
    },
    Link {
        state: String,
    },
    Seated {
        connector: String,
        clock_white: String,
    },
    Identified {
        serial: String,
    },
    Sees {
        sight: String,
    },
    Weighed {
        outcome: String,
    },
    Entered {
        author: String,
        reason: String,
    },
    Paired {
        #[serde(flatten)]
        pairing: Box<PairingBody>,
        holds: String,
        #[serde(skip_serializing_if = "String::is_empty", default)]
        author: String,
        #[serde(skip_serializing_if = "String::is_empty", default)]
        reason: String,
    },
    ClockDue {
        what: String,
        #[serde(skip_serializing_if = "Option::is_none", default)]
        clock: Option<RecordedTimes>,
    },
    Flag {
        side: Option<String>,
    },
    Ruling {
        #[serde(flatten)]
        ruling: RulingBody,
    },
    Record {
        #[serde(flatten)]
        keeping: KeepingBody,
    },
    #[serde(untagged)]
    Act(Act),
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
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub player: Option<String>,
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
        Self { t, body: Body::from(fact) }
    }

    /// The record as one line of JSON, without the line's end.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a record is plain data")
    }

    /// The fact that this record tells; `None` if a name in it is unknown, as in a record of a
    /// newer program.
    pub fn to_fact(&self) -> Option<Fact> {
        self.body.to_fact()
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
            player: finding.by.map(|color| color.word().to_owned()),
            article: finding.article().map(str::to_owned),
            edition: finding.article().map(|_| "2023".to_owned()),
            squares: finding.squares().iter().map(Square::to_string).collect(),
            text: finding.to_string(),
        }
    }
}

impl FindingBody {
    fn to_finding(&self) -> Option<Finding> {
        let squares: Vec<Square> =
            self.squares.iter().map(|sq| sq.parse().ok()).collect::<Option<_>>()?;
        let kind = match (self.code.as_str(), squares.as_slice()) {
            ("ILLEGAL_ON_BOARD", &[from, to]) => FindingKind::IllegalOnBoard { from, to },
            ("ILLEGAL_COMPLETED", &[from, to]) => FindingKind::IllegalCompleted { from, to },
            ("ILLEGAL_COMPLETED", &[from, to, rook]) => {
                FindingKind::RookForgotten { from, to, rook }
            }
            ("KING_CAPTURED", &[at]) => FindingKind::KingCaptured { at },
            ("NOT_PRESSED", []) => FindingKind::NotPressed,
            ("BAD_SETUP", _) => FindingKind::BadSetup { squares },
            ("BOARD_EXCHANGED", []) => FindingKind::BoardExchanged,
            ("CLOCK_STANDS", []) => FindingKind::ClockStands,
            ("MAY_BE_OVER", []) => FindingKind::MayBeOver,
            ("PLAYED_ON", []) => FindingKind::PlayedOn,
            ("PROMOTION_INCOMPLETE", &[at]) => FindingKind::PromotionIncomplete { at },
            ("DISPLACED", _) => FindingKind::Displaced { squares },
            ("SENSOR_FAULT", _) => FindingKind::SensorFault { squares },
            ("PRESS_WITHOUT_MOVE", []) => FindingKind::PressWithoutMove,
            ("RESTORED", []) => FindingKind::Restored,
            ("CORRECTED", _) => FindingKind::Corrected { squares },
            ("NO_START_POSITION", []) => FindingKind::NoStartPosition,
            ("MEMORY_SET_ASIDE", []) => FindingKind::MemorySetAside,
            ("LINE_HURT", []) => FindingKind::LineHurt,
            _ => return None,
        };
        Some(Finding { kind, by: optional(self.player.as_deref())? })
    }
}

impl From<&Fact> for Body {
    fn from(fact: &Fact) -> Self {
        match fact.clone() {
            Fact::GameStarted { fen, is_chess960: chess960, white, black, event, site, round } => {
                Self::GameStarted { fen, chess960, white, black, event, site, round }
            }
            Fact::MoveMade {
                ply,
                uci,
                san,
                is_illegal: illegal,
                basis,
                alternatives,
                released_before,
            } => {
                let released_before_ms = millis(released_before);
                let basis = basis.word().to_owned();
                Self::MoveMade { ply, uci, san, illegal, basis, alternatives, released_before_ms }
            }
            Fact::MoveRetracted { ply } => Self::MoveRetracted { ply },
            Fact::MoveMarked { ply, alternatives } => Self::MoveMarked { ply, alternatives },
            Fact::MoveCompleted { ply, by, pressed_before, times } => Self::MoveCompleted {
                ply,
                by: by.word().to_owned(),
                pressed_before_ms: millis(pressed_before),
                clock: times.map(RecordedTimes::from),
            },
            Fact::IllegalMove { stage, by, finding } => Self::IllegalMove {
                stage: stage.word().to_owned(),
                by: by.word().to_owned(),
                finding: (&finding).into(),
            },
            Fact::Found(finding) if finding.severity() == Severity::Irregularity => {
                Self::Irregularity { finding: (&finding).into() }
            }
            Fact::Found(finding) => Self::Notice { finding: (&finding).into() },
            Fact::PositionLost(finding) => Self::PositionLost { finding: (&finding).into() },
            Fact::Ended(Ending { outcome, reason }) => {
                Self::Result { result: outcome.to_string(), reason: reason.word().to_owned() }
            }
            Fact::Reopened(Ending { outcome, reason }) => {
                Self::Reopened { result: outcome.to_string(), reason: reason.word().to_owned() }
            }
            Fact::GameClosed => Self::GameClosed {},
            Fact::Pressed { by } => Self::Pressed { side: by.word().to_owned() },
            Fact::Clock { running, times, is_connected } => Self::Clock {
                running: running.map(|color| color.word().to_owned()),
                clock: times.map(RecordedTimes::from),
                connected: is_connected,
            },
            Fact::TimeControl(control) => Self::TimeControl { control: control.to_string() },
            Fact::ClockNote(note) => Self::ClockNote { note: (&note).into() },
            Fact::Sensed { sq, reading } => {
                Self::Sensed { sq: sq.to_string(), p: words::letter(reading) }
            }
            Fact::Pictured(placement) => Self::Pictured { fen: placement.fen() },
            Fact::SearchCut { n } => Self::SearchCut { n },
            Fact::Link(state) => Self::Link { state: state.word().to_owned() },
            Fact::Seated { connector, white_end } => Self::Seated {
                connector: connector.word().to_owned(),
                clock_white: white_end.word().to_owned(),
            },
            Fact::Identified { serial } => Self::Identified { serial },
            Fact::Sees(sight) => Self::Sees { sight: sight.word().to_owned() },
            Fact::Record(keeping) => Self::Record { keeping: (&keeping).into() },
            other => table::body(&other),
        }
    }
}

impl Body {
    fn to_fact(&self) -> Option<Fact> {
        Some(match self.clone() {
            Self::GameStarted { fen, chess960: is_chess960, white, black, event, site, round } => {
                Fact::GameStarted { fen, is_chess960, white, black, event, site, round }
            }
            Self::MoveMade {
                ply,
                uci,
                san,
                illegal: is_illegal,
                basis,
                alternatives,
                released_before_ms,
            } => {
                let released_before = Duration::from_millis(released_before_ms);
                let basis = Word::parse(&basis)?;
                Fact::MoveMade { ply, uci, san, is_illegal, basis, alternatives, released_before }
            }
            Self::MoveRetracted { ply } => Fact::MoveRetracted { ply },
            Self::MoveMarked { ply, alternatives } => Fact::MoveMarked { ply, alternatives },
            Self::MoveCompleted { ply, by, pressed_before_ms, clock } => Fact::MoveCompleted {
                ply,
                by: Word::parse(&by)?,
                pressed_before: Duration::from_millis(pressed_before_ms),
                times: clock.map(Times::from),
            },
            Self::IllegalMove { stage, by, finding } => Fact::IllegalMove {
                stage: Word::parse(&stage)?,
                by: Word::parse(&by)?,
                finding: finding.to_finding()?,
            },
            Self::Irregularity { finding } | Self::Notice { finding } => {
                Fact::Found(finding.to_finding()?)
            }
            Self::PositionLost { finding } => Fact::PositionLost(finding.to_finding()?),
            Self::Result { result, reason } => Fact::Ended(ending(&result, &reason)?),
            Self::Reopened { result, reason } => Fact::Reopened(ending(&result, &reason)?),
            Self::GameClosed {} => Fact::GameClosed,
            Self::Pressed { side } => Fact::Pressed { by: Word::parse(&side)? },
            Self::Clock { running, clock, connected } => Fact::Clock {
                running: optional(running.as_deref())?,
                times: clock.map(Times::from),
                is_connected: connected,
            },
            Self::TimeControl { control } => Fact::TimeControl(control.parse().ok()?),
            Self::ClockNote { note } => Fact::ClockNote(note.to_note()?),
            Self::Sensed { sq, p } => {
                Fact::Sensed { sq: sq.parse().ok()?, reading: words::parse_letter(&p)? }
            }
            Self::Pictured { fen } => Fact::Pictured(Placement::parse(&fen).ok()?),
            Self::SearchCut { n } => Fact::SearchCut { n },
            Self::Link { state } => Fact::Link(Word::parse(&state)?),
            Self::Seated { connector, clock_white } => Fact::Seated {
                connector: Word::parse(&connector)?,
                white_end: Word::parse(&clock_white)?,
            },
            Self::Identified { serial } => Fact::Identified { serial },
            Self::Sees { sight } => Fact::Sees(Word::parse(&sight)?),
            Self::Record { keeping } => Fact::Record(keeping.to_keeping()?),
            other => return table::fact(&other),
        })
    }
}

/// A result and its reason by their words.
fn ending(result: &str, reason: &str) -> Option<Ending> {
    let outcome = KnownOutcome::from_ascii(result.as_bytes()).ok()?;
    Some(Ending { outcome, reason: Reason::parse(reason)? })
}

/// A color that may be absent: the outer `None` is a word that is no color.
fn optional(word: Option<&str>) -> Option<Option<Color>> {
    match word {
        Some(word) => Color::parse(word).map(Some),
        None => Some(None),
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

pub(super) fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}
/// For serde, which asks by reference.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
fn is_false(flag: &bool) -> bool {
    !flag
}
