//! What a game puts on record. The journal and `rokade replay --json` hold nothing else, and the
//! log, the page and the PGN are made from it.

use super::keeping::Keeping;
use super::pairing::{Paired, PairedFor, Pairing};
use super::score::Unknown;
use crate::clock::{ClockNote, TimeControl};
use crate::laws::{
    self, Act, Code, Confidence, Edition, Ending, Finding, FindingKind, Ruling, Severity, Stage,
    rows,
};
use crate::table::{End, Placement, Reading, Sight, Times, words};
use crate::time::Stamp;
use crate::track::line::CompletedBy;
use shakmaty::{Color, Square};
use std::time::Duration;

/// One entry: a fact and when it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The time at which it was recorded.
    pub at: Stamp,
    /// The fact that was recorded.
    pub fact: Fact,
}

words! {
    /// What the record of a move rests on.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub enum Basis {
        /// The mover pressed the clock on it.
        Press = "press",
        /// The board was still.
        Quiet = "quiet",
        /// It was answered.
        Reply = "reply",
        /// Found by search after the line, or the daemon, had been down.
        Gap = "gap",
        /// Told by the board's own memory: the order is certain, the moment is an estimate.
        Memory = "memory",
        /// What was played later could only follow it, and not what was on record before.
        Later = "later",
        /// The arbiter said so.
        Order = "order",
    }
}

words! {
    /// What became of a press in doubt, and when the referee follows the record.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub enum Weighed {
        /// The record finds fault with the press too: the referee is told of it as it came.
        Shared = "shared",
        /// The record has a legal move for it, which the referee follows.
        Legal = "legal",
        /// Nothing is found wrong: the press is held against nobody.
        Dropped = "dropped",
        /// No press is in doubt; the referee has other moves than the record, which it follows.
        Followed = "followed",
    }
}

/// What a referee said, as it goes on record. For the arbiter alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruled {
    /// Its code in the log, if it is an entry of the log.
    pub code: Option<Code>,
    /// The player concerned.
    pub by: Option<Color>,
    /// The row of the Laws, by its id.
    pub row: Option<String>,
    /// The edition whose article is cited.
    pub edition: Edition,
    /// How sure it is.
    pub confidence: Confidence,
    /// What it says.
    pub text: String,
}

impl Ruled {
    /// What goes on record of `ruling`; `None` where the record of moves says it already.
    pub fn of(ruling: &Ruling, edition: Edition) -> Option<Self> {
        let said = |row: Option<&str>, by| Self {
            code: None,
            by,
            row: row.map(str::to_owned),
            edition,
            confidence: Confidence::Observed,
            text: ruling.to_string(),
        };
        Some(match ruling {
            Ruling::Log(laws::Note { code: Code::MoveMade | Code::MoveCompleted, .. })
            | Ruling::Made { .. }
            | Ruling::Completed { .. }
            | Ruling::Ignored => return None,
            Ruling::Log(note) => Self {
                code: Some(note.code),
                confidence: note.confidence,
                ..said(Some(note.row), note.by)
            },
            Ruling::Penalty { to, row, .. } => said(Some(row), Some(*to)),
            Ruling::Deducted { from, row, .. } => said(Some(row), Some(*from)),
            Ruling::Touched { by, .. }
            | Ruling::IllegalCompleted { by, .. }
            | Ruling::Claimed { by, .. }
            | Ruling::Offer { by, .. } => said(None, Some(*by)),
            _ => said(None, None),
        })
    }

    /// The article of the row, as the edition numbers it.
    pub fn article(&self) -> Option<String> {
        rows::row(self.row.as_deref()?).ok()?.cite(self.edition)
    }
}

#[cfg(test)]
impl Fact {
    /// The beginning of a game from this position, between players without names.
    pub(crate) fn started(fen: &str) -> Self {
        Self::GameStarted {
            fen: fen.to_owned(),
            is_chess960: false,
            white: String::new(),
            black: String::new(),
            event: String::new(),
            site: String::new(),
            round: String::new(),
        }
    }

    /// A half-move for which the clock was pressed.
    pub(super) fn made(ply: usize, uci: &str) -> Self {
        Self::MoveMade {
            ply,
            uci: uci.to_owned(),
            san: String::new(),
            is_illegal: false,
            basis: Basis::Press,
            alternatives: Vec::new(),
            released_before: Duration::ZERO,
        }
    }
}

impl Basis {
    /// Whether the move was seen as it was made, so that its time is known.
    pub const fn is_timed(self) -> bool {
        !matches!(self, Self::Gap | Self::Memory)
    }
}

words! {
    /// The state of the line to the board.
    #[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
    pub enum LinkState {
        /// No board has been found yet.
        #[default]
        Absent = "absent",
        /// The board speaks and its whole placement is known.
        Live = "live",
        /// It did, and no longer does.
        Lost = "lost",
    }
}

/// A recorded fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// A game begins.
    GameStarted {
        /// Its start position as a FEN.
        fen: String,
        /// Whether castling is that of Chess960.
        is_chess960: bool,
        /// White's name.
        white: String,
        /// Black's name.
        black: String,
        /// The event.
        event: String,
        /// The place; empty also in records of older versions.
        site: String,
        /// The round.
        round: String,
    },
    /// A move is made: released on the board. 2023: Art. 4.7.
    MoveMade {
        /// Half-move, from 1.
        ply: usize,
        /// In UCI notation.
        uci: String,
        /// In PGN's notation.
        san: String,
        /// The Laws do not allow it; it stands, and has been answered.
        is_illegal: bool,
        /// What that rests on.
        basis: Basis,
        /// Other moves, in UCI notation, that explain what the sensors have shown about as well.
        /// Empty where no such move is known.
        alternatives: Vec<String>,
        /// How long before this record the sensors last changed on its squares.
        released_before: Duration,
    },
    /// Half-move `ply` and all after it are withdrawn: they were not made after all.
    MoveRetracted {
        /// Half-move, from 1.
        ply: usize,
    },
    /// Nobody knows what was played after half-move `ply`. The record goes on from how the board
    /// stands; half-moves are counted on as they are on record. Takes the place of what was said of
    /// this gap before.
    Gap {
        /// Half-moves on record before it.
        ply: usize,
        /// The position from which the record goes on, as a FEN.
        fen: String,
        /// How many half-moves nobody knows.
        n: Unknown,
    },
    /// The gap after half-move `ply` is none any more: what was played there follows.
    GapClosed {
        /// Half-moves on record before it.
        ply: usize,
    },
    /// The record of the game that was begun last begins from this position, before any move.
    Began {
        /// The position as a FEN.
        fen: String,
        /// The beginning of the game was not seen: that is how the board was found.
        is_joined: bool,
    },
    /// What else half-move `ply` may have been is known otherwise now. The move stays.
    MoveMarked {
        /// Half-move, from 1.
        ply: usize,
        /// Other moves, in UCI notation; empty where later moves have told that it was none.
        alternatives: Vec<String>,
    },
    /// A move is completed. 2023: Art. 6.2.1.
    MoveCompleted {
        /// Half-move, from 1.
        ply: usize,
        /// What completed it.
        by: CompletedBy,
        /// How long before this record the press came.
        pressed_before: Duration,
        /// Both clocks as shown at the press.
        times: Option<Times>,
    },
    /// An illegal move stands on the board, or was completed.
    IllegalMove {
        /// How far it got.
        stage: Stage,
        /// The player who made it.
        by: Color,
        /// The finding about it.
        finding: Finding,
    },
    /// Another finding.
    Found(Finding),
    /// Board and record differ, and no legal move explains it.
    PositionLost(Finding),
    /// The game is over; if it was over before, this result takes the place of that one.
    Ended(Ending),
    /// This result is withdrawn: the game goes on, as play has shown or the arbiter has said.
    Reopened(Ending),
    /// The record of the game is closed without a result: another game begins.
    GameClosed,
    /// The clock was pressed.
    Pressed {
        /// Whose end went down.
        by: Color,
    },
    /// The clock began to run, stood still, appeared or was lost.
    Clock {
        /// Whose time runs.
        running: Option<Color>,
        /// What it shows.
        times: Option<Times>,
        /// Whether a clock is connected.
        is_connected: bool,
    },
    /// The time control of the game that has begun, where the settings name one.
    TimeControl(TimeControl),
    /// The clock shows something else than it should, or tells something of itself.
    ClockNote(ClockNote),
    /// A sensor changed.
    Sensed {
        /// The square of the sensor.
        sq: Square,
        /// What it reads.
        reading: Reading,
    },
    /// The whole board was read, and it was not as believed.
    Pictured(Placement),
    /// What was seen could not be searched to the end: an explanation may have been overlooked.
    SearchCut {
        /// How often that has been so in this game.
        n: u64,
    },
    /// The line to the board.
    Link(LinkState),
    /// How board and clock stand to the players, as far as is known. Recorded so that a daemon that
    /// is started anew in the middle of a game need not find it out again.
    Seated {
        /// White's side on which the board's connector is.
        connector: End,
        /// White's end of the clock.
        white_end: End,
    },
    /// Somebody did or said something. A sealed move is not told before the envelope is opened.
    Act(Act),
    /// What the record has made of a press that a referee would have blamed somebody for, or that
    /// it follows the record. A referee that takes over cannot find that out itself.
    Weighed(Weighed),
    /// What follows was put on record by this person.
    Entered {
        /// The person who entered it.
        author: String,
        /// The reason that was given with it; may be empty.
        reason: String,
    },
    /// It was said who plays, and in which round.
    Paired {
        /// The players, with round and table.
        pairing: Box<Pairing>,
        /// The game that it holds for.
        holds: PairedFor,
        /// The person who said so; empty if it was read at the start.
        author: String,
        /// The reason that was given with it; may be empty.
        reason: String,
    },
    /// What is to be done by hand to a clock that the program does not drive.
    ClockDue {
        /// What, in words.
        what: String,
        /// What it is to show then, if times are to be set and the clock was heard.
        times: Option<Times>,
    },
    /// A flag is down by the clock; `None` if both were found down.
    Flag {
        /// The player whose flag it is.
        side: Option<Color>,
    },
    /// The referee said something.
    Ruled(Ruled),
    /// What board it is.
    Identified {
        /// Serial number, short or long.
        serial: String,
    },
    /// The board tells more or less of its pieces than was believed; a DGT board names them.
    Sees(Sight),
    /// Something happened to the record itself.
    Record(Keeping),
}

impl Fact {
    /// What goes on record of a pairing that `holds` for this game.
    pub(super) fn paired(paired: &Paired, holds: PairedFor) -> Self {
        let Paired { pairing, author, reason, .. } = paired.clone();
        Self::Paired { pairing: Box::new(pairing), holds, author, reason }
    }

    /// The finding that an arbiter is to look into, if this is one.
    pub fn alarm(&self) -> Option<&Finding> {
        match self {
            Self::IllegalMove { finding, .. } | Self::PositionLost(finding) => Some(finding),
            Self::Found(finding) if finding.severity() == Severity::Irregularity => Some(finding),
            Self::Found(finding) if matches!(finding.kind, FindingKind::SensorFault { .. }) => {
                Some(finding)
            }
            _ => None,
        }
    }

    /// The finding that it states, if it states one.
    pub fn finding(&self) -> Option<&Finding> {
        match self {
            Self::IllegalMove { finding, .. }
            | Self::PositionLost(finding)
            | Self::Found(finding) => Some(finding),
            _ => None,
        }
    }

    /// Whether it may change what the public sees. Findings never do.
    pub const fn is_public(&self) -> bool {
        matches!(
            self,
            Self::GameStarted { .. }
                | Self::Paired { .. }
                | Self::MoveMade { .. }
                | Self::MoveRetracted { .. }
                | Self::Gap { .. }
                | Self::GapClosed { .. }
                | Self::Began { .. }
                | Self::MoveMarked { .. }
                | Self::MoveCompleted { .. }
                | Self::Ended(_)
                | Self::Reopened(_)
                | Self::GameClosed
                | Self::Clock { .. }
                | Self::Link(_)
        )
    }
}
