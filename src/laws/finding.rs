//! A finding: something that the Laws make the arbiter's business, or that he ought to know.
//!
//! Findings go to the arbiter alone. They state what was seen and which article speaks of it; they
//! rule nothing.

use crate::table::words;
use shakmaty::{Color, Square};
use std::fmt;

words! {
    /// How much a finding matters to the arbiter.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Severity {
        /// Worth knowing; nobody has done anything wrong.
        Info = "info",
        /// Worth a look.
        Notice = "notice",
        /// A player claims or offers something.
        Claim = "claim",
        /// The Laws were broken, as far as the sensors can tell.
        Irregularity = "irregularity",
        /// The game is over.
        GameOver = "game over",
    }
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FindingKind {
    /// An illegal move stands on the board and is not completed yet.
    IllegalOnBoard {
        /// From where the piece went.
        from: Square,
        /// The square it went to.
        to: Square,
    },
    /// An illegal move was completed by a press of the clock.
    IllegalCompleted {
        /// From where the piece went.
        from: Square,
        /// The square it went to.
        to: Square,
    },
    /// The clock was pressed with a pawn left on the last rank.
    PromotionIncomplete {
        /// Where the pawn stands.
        at: Square,
    },
    /// The clock was pressed although no move had been made.
    PressWithoutMove,
    /// Board and record have differed for a while, or at a press; no move explains it.
    Displaced {
        /// The squares that differ.
        squares: Vec<Square>,
    },
    /// The sensor of a square does not tell what stands there: of one of these.
    SensorFault {
        /// The squares.
        squares: Vec<Square>,
    },
    /// Board and record agree again.
    Restored,
    /// The record contradicted the board and was corrected: what was said of the moves that were
    /// withdrawn does not hold.
    Corrected {
        /// The squares of the first move that was withdrawn, and of the one in its place.
        squares: Vec<Square>,
    },
    /// The board shows no start position: recording waits for one.
    NoStartPosition,
    /// The board's own memory was read, and does not fit what was seen: it decides nothing.
    MemorySetAside,
    /// Bytes on the line to the board are hurt, and what stands on it has not been known for long.
    LineHurt,
    /// The board does not name its pieces, and nobody saw how they came to stand as they do.
    PositionUnknown,
    /// The board says moves and not how it stands, and a move of it may be missing.
    NotTold,
    /// A king was moved as if to castle and the clock pressed, with the rook still at home.
    RookForgotten {
        /// From where the king went.
        from: Square,
        /// The square it went to.
        to: Square,
        /// Where the rook stands.
        rook: Square,
    },
    /// A king was captured.
    KingCaptured {
        /// Where it stood.
        at: Square,
    },
    /// A move was made, and the clock not pressed for long.
    NotPressed,
    /// The game begins with pieces in each other's places.
    BadSetup {
        /// The squares on which they stand.
        squares: Vec<Square>,
    },
    /// Another board stands there than the one on record.
    BoardExchanged,
    /// The game goes on on the board that is there: its own again, or a spare.
    BoardBack,
    /// Moves are played and pressed while the clock, which the host runs, has not been started.
    ClockStands,
    /// Moves of both sides are played and taken back while no clock is pressed, as after a game.
    MayBeOver,
    /// Moves are pressed after a result that no position has brought.
    PlayedOn,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What was found.
    pub kind: FindingKind,
    /// The player concerned, where one is.
    pub by: Option<Color>,
}

impl Finding {
    /// How much it matters.
    pub const fn severity(&self) -> Severity {
        match self.kind {
            FindingKind::IllegalCompleted { .. }
            | FindingKind::PromotionIncomplete { .. }
            | FindingKind::RookForgotten { .. }
            | FindingKind::KingCaptured { .. }
            | FindingKind::BadSetup { .. }
            | FindingKind::PressWithoutMove => Severity::Irregularity,
            FindingKind::Displaced { .. } if self.by.is_some() => Severity::Irregularity,
            FindingKind::IllegalOnBoard { .. }
            | FindingKind::NotPressed
            | FindingKind::ClockStands
            | FindingKind::BoardExchanged
            | FindingKind::MayBeOver
            | FindingKind::PlayedOn
            | FindingKind::LineHurt
            | FindingKind::PositionUnknown
            | FindingKind::NotTold
            | FindingKind::SensorFault { .. }
            | FindingKind::Displaced { .. } => Severity::Notice,
            FindingKind::Restored
            | FindingKind::BoardBack
            | FindingKind::Corrected { .. }
            | FindingKind::NoStartPosition
            | FindingKind::MemorySetAside => Severity::Info,
        }
    }

    /// The article that speaks of it, in the edition of 2023.
    pub const fn article(&self) -> Option<&'static str> {
        match self.kind {
            FindingKind::IllegalCompleted { .. }
            | FindingKind::RookForgotten { .. }
            | FindingKind::KingCaptured { .. } => Some("7.5.1"),
            FindingKind::NotPressed => Some("6.2.1"),
            FindingKind::ClockStands => Some("6.2"),
            FindingKind::BadSetup { .. } => Some("7.2.1"),
            FindingKind::PromotionIncomplete { .. } => Some("7.5.2"),
            FindingKind::PressWithoutMove => Some("7.5.3"),
            FindingKind::IllegalOnBoard { .. } => Some("3.10.2"),
            FindingKind::Displaced { .. } => Some("7.4"),
            FindingKind::Restored
            | FindingKind::Corrected { .. }
            | FindingKind::NoStartPosition
            | FindingKind::BoardExchanged
            | FindingKind::BoardBack
            | FindingKind::MayBeOver
            | FindingKind::PlayedOn
            | FindingKind::SensorFault { .. }
            | FindingKind::LineHurt
            | FindingKind::PositionUnknown
            | FindingKind::NotTold
            | FindingKind::MemorySetAside => None,
        }
    }

    /// The squares concerned. Where a piece went somewhere, from there and to there.
    pub fn squares(&self) -> Vec<Square> {
        self.kind.squares()
    }

    /// The code under which logs name it.
    pub const fn code(&self) -> &'static str {
        self.kind.code()
    }
}

/// Gives each kind its code, and the squares that records name behind it: these, or any number.
macro_rules! codes {
    ($($kind:ident $({ $($sq:ident),* })? $([$squares:ident])? = $code:literal,)+) => {
        impl FindingKind {
            const fn code(&self) -> &'static str {
                match self {
                    $(Self::$kind { .. } => $code,)+
                }
            }

            fn squares(&self) -> Vec<Square> {
                match self {
                    $(Self::$kind { $($($sq,)*)? $($squares)? } => {
                        [$($(*$sq),*)?].into_iter()$(.chain($squares.iter().copied()))?.collect()
                    })+
                }
            }

            /// The kind that a record names by this code and these squares.
            pub fn parse(code: &str, squares: &[Square]) -> Option<Self> {
                match (code, squares) {
                    $(($code, $([$($sq),*])? $($squares)?) => Some(Self::$kind {
                        $($($sq: *$sq,)*)? $($squares: $squares.to_vec())?
                    }),)+
                    _ => None,
                }
            }
        }
    };
}

codes! {
    IllegalOnBoard { from, to } = "ILLEGAL_ON_BOARD",
    IllegalCompleted { from, to } = "ILLEGAL_COMPLETED",
    RookForgotten { from, to, rook } = "ILLEGAL_COMPLETED",
    KingCaptured { at } = "KING_CAPTURED",
    NotPressed {} = "NOT_PRESSED",
    BadSetup [squares] = "BAD_SETUP",
    BoardExchanged {} = "BOARD_EXCHANGED",
    BoardBack {} = "BOARD_BACK",
    ClockStands {} = "CLOCK_STANDS",
    MayBeOver {} = "MAY_BE_OVER",
    PlayedOn {} = "PLAYED_ON",
    PromotionIncomplete { at } = "PROMOTION_INCOMPLETE",
    PressWithoutMove {} = "PRESS_WITHOUT_MOVE",
    Displaced [squares] = "DISPLACED",
    SensorFault [squares] = "SENSOR_FAULT",
    Restored {} = "RESTORED",
    Corrected [squares] = "CORRECTED",
    NoStartPosition {} = "NO_START_POSITION",
    MemorySetAside {} = "MEMORY_SET_ASIDE",
    LineHurt {} = "LINE_HURT",
    PositionUnknown {} = "POSITION_UNKNOWN",
    NotTold {} = "NOT_TOLD",
}

/// What is said of a board on which no game begins,
const NO_START: &str = "no start position on the board; recording starts with one, or when moves \
                        are played";
/// of a board's memory that does not fit,
const SET_ASIDE: &str = "the board's own memory does not fit what was played, and is ignored";
/// and of a line on which bytes are hurt.
const HURT: &str = "the line to the board corrupts bytes, and the position is not known: check the \
                    cable; moves played until then may remain unknown";

/// What is said of a board that nobody saw for a while, or from its beginning.
const UNKNOWN: &str = "this board does not name its pieces, and the position is not known: set up \
                       the start position, or order \"position\" with a FEN, or \"insert\" with \
                       the moves that were not seen";

/// What is said of a board that says moves alone, where one may be missing.
const NOT_TOLD: &str = "this board reports moves, not positions, and a move may be missing: look \
                        at the board, and order \"insert\" with what was played";

/// What is said of another board.
const BOARD_EXCHANGED: &str = "a different board is connected: the game goes on when its own board \
                               is back, or when this one shows the game's position";

/// What is said of play that looks like analysis,
const MAY_BE_OVER: &str = "moves are played and taken back without pressing the clock: the game \
                           may be over; nothing more is recorded until it is pressed";
/// and of play after the end.
const PLAYED_ON: &str = "moves are played after the result and not recorded: order \"continue\" \
                         to withdraw the result";

/// `text`, and the `squares` that it ends with.
fn name(f: &mut fmt::Formatter<'_>, text: &str, squares: &[Square]) -> fmt::Result {
    f.write_str(text)?;
    squares.iter().try_for_each(|sq| write!(f, " {sq}"))
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(color) = self.by {
            write!(f, "{color}: ")?;
        }
        match &self.kind {
            FindingKind::IllegalOnBoard { from, to } => {
                write!(f, "an illegal move stands on the board, {from} to {to}")?;
            }
            FindingKind::IllegalCompleted { from, to } => {
                write!(f, "illegal move completed, {from} to {to}")?;
            }
            FindingKind::PromotionIncomplete { at } => {
                write!(f, "clock pressed with the pawn left on {at}")?;
            }
            FindingKind::RookForgotten { from, to, rook } => write!(
                f,
                "illegal move completed, {from} to {to}; it looks like castling without the rook \
                 on {rook}"
            )?,
            FindingKind::KingCaptured { at } => write!(f, "the king on {at} was captured")?,
            FindingKind::NotPressed => {
                f.write_str("a move was made, but the clock was not pressed")?
            }
            FindingKind::BadSetup { squares } => {
                name(f, "king and queen are exchanged on", squares)?;
            }
            FindingKind::BoardExchanged => f.write_str(BOARD_EXCHANGED)?,
            FindingKind::BoardBack => {
                f.write_str("the game goes on with the board that is connected")?
            }
            FindingKind::ClockStands => f.write_str(
                "moves are played while the clock is stopped: start it with its middle button or \
                 by an order",
            )?,
            FindingKind::MayBeOver => f.write_str(MAY_BE_OVER)?,
            FindingKind::PlayedOn => f.write_str(PLAYED_ON)?,
            FindingKind::PressWithoutMove => f.write_str("clock pressed without a move")?,
            FindingKind::Displaced { squares } => {
                let text = match self.by {
                    Some(_) => "clock pressed while the board differs from the record on",
                    None => "the board differs from the record on",
                };
                name(f, text, squares)?;
            }
            FindingKind::SensorFault { squares } => {
                let text = match squares.len() {
                    1 => "the sensor does not tell what stands on",
                    _ => "a sensor does not tell what stands on one of",
                };
                name(f, text, squares)?;
            }
            FindingKind::Restored => f.write_str("the board agrees with the record again")?,
            FindingKind::Corrected { squares } => {
                let text = "the record contradicted the board and was corrected; disregard what \
                            was reported about";
                name(f, text, squares)?;
            }
            FindingKind::NoStartPosition => f.write_str(NO_START)?,
            FindingKind::MemorySetAside => f.write_str(SET_ASIDE)?,
            FindingKind::LineHurt => f.write_str(HURT)?,
            FindingKind::PositionUnknown => f.write_str(UNKNOWN)?,
            FindingKind::NotTold => f.write_str(NOT_TOLD)?,
        }
        match self.article() {
            Some(article) => write!(f, " [Art. {article}, Laws of 2023]"),
            None => Ok(()),
        }
    }
}
