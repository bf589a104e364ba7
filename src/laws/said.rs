//! What the referee says: rulings for the arbiter and orders for the clock.

mod binding;
mod text;

use super::code::Code;
use super::score::Score;
use super::why::Wrong;
use crate::table::words;
use shakmaty::{ByColor, CastlingSide, Color, Role, Square};
use std::fmt;
use std::time::Duration;

words! {
    /// How sure an entry is.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Confidence {
        /// The board and the clock were seen to do it, or a person said it.
        Observed = "observed",
        /// No sensor sees a hand: that a piece was let go is taken from its rest.
        Presumed = "presumed",
    }
}

/// An entry of the arbiter's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What it says.
    pub code: Code,
    /// The player concerned.
    pub by: Option<Color>,
    /// The row of the Laws.
    pub row: &'static str,
    /// How sure it is.
    pub confidence: Confidence,
    /// What was seen, in words.
    pub facts: String,
}

/// What a player is obliged to do with his move. All editions: Art. 4.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Binding {
    /// Any legal move: what was touched can neither move nor be captured.
    Any,
    /// Move this piece.
    Move(Square),
    /// Capture this piece.
    Capture(Square),
    /// Capture the first with the second.
    CaptureWith(Square, Square),
    /// Castle on this side; the last field says how the side is named.
    Castle(CastlingSide, SideNames),
    /// Castle, on either side: that was announced. 2009: Art. F3. From 2018: Guidelines II.3.2.
    CastleEither,
    /// Promote on this square, to this piece where it has been put there.
    Promote(Square, Option<Role>),
    /// The released piece stays on this square.
    Destination(Square),
    /// Play the announced move.
    Play(String),
}

/// How the sides of castling are called.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum SideNames {
    /// `K` and `Q`.
    KingAndQueen,
    /// `g` and `c`, as in Chess960.
    Files,
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any"),
            Self::Move(sq) => write!(f, "move {sq}"),
            Self::Capture(sq) => write!(f, "capture {sq}"),
            Self::CaptureWith(sq, with) => write!(f, "capture {sq} with {with}"),
            Self::Castle(side, names) => {
                let name = match (side, names) {
                    (CastlingSide::KingSide, SideNames::KingAndQueen) => 'K',
                    (CastlingSide::QueenSide, SideNames::KingAndQueen) => 'Q',
                    (CastlingSide::KingSide, SideNames::Files) => 'g',
                    (CastlingSide::QueenSide, SideNames::Files) => 'c',
                };
                write!(f, "castle {name}")
            }
            Self::CastleEither => f.write_str("castle"),
            Self::Promote(sq, None) => write!(f, "promote {sq}"),
            Self::Promote(sq, Some(role)) => write!(f, "promote {sq}={}", role.upper_char()),
            Self::Destination(sq) => write!(f, "destination {sq}"),
            Self::Play(san) => write!(f, "play {san}"),
        }
    }
}

words! {
    /// What became of a claim at first sight; the arbiter decides.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub enum Verdict {
        /// The record bears it out.
        Correct = "correct",
        /// The record contradicts it.
        Incorrect = "incorrect",
        /// The record does not tell: some of what it rests on nobody saw.
        Unknown = "not known",
        /// It may not be made, or not now.
        Inadmissible = "inadmissible",
    }
}

words! {
    /// How an offer of a draw stands.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub enum OfferState {
        /// It may be accepted.
        Open = "open",
        /// It was accepted.
        Accepted = "accepted",
        /// It was declined.
        Declined = "declined",
        /// It was open when the game ended.
        Lapsed = "lapsed",
    }
}

/// How the game ended, as far as the Laws and the arbiter say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameResult {
    /// Under which code the log has it.
    pub code: Code,
    /// The score.
    pub score: Score,
    /// Why, in words.
    pub reason: String,
    /// Whose flag decided it.
    pub flagged: Option<Color>,
}

/// One ruling. All are for the arbiter; see [`super::Display`] for the public.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields repeat the vocabulary of the variant")]
pub enum Ruling {
    /// An entry of the log.
    Log(Note),
    /// A piece was touched.
    Touched { by: Color, sq: Square },
    /// A legal move is made.
    Made { by: Color, san: String, uci: String },
    /// It is completed, as move number `no`.
    Completed { by: Color, san: String, no: u32 },
    /// An illegal move was completed, the `nth` of this player if it is confirmed.
    IllegalCompleted { by: Color, nth: u8, why: Wrong },
    /// It can no longer be undone: the game goes on from this position.
    IllegalStands { fen: String },
    /// In the record one move takes the place of another.
    Replaced { by: Color, old: String, san: String, uci: String },
    /// Either of these may have been played.
    Unresolved { candidates: Vec<String> },
    /// Time is given.
    Penalty { to: Color, span: Duration, row: &'static str },
    /// Time is taken.
    Deducted { from: Color, span: Duration, row: &'static str },
    /// A period's allotment is credited.
    Period { side: Color, add: Duration },
    /// From now on so much is added for each move.
    Mode { per_move: Duration },
    /// The pieces are to be carried to a board that lies rightly.
    Transfer { placement: String },
    /// This position is offered to restore.
    RestorePoint { fen: String },
    /// The board must show the position after this move, or the one at the start.
    PositionDemanded { san: Option<String> },
    /// A flag is down, by the clock.
    Flag { side: Color },
    /// A claim and what the record says to it.
    Claimed { kind: &'static str, by: Color, verdict: Verdict, san: Option<String> },
    /// Papers for an arbiter who was not there.
    Package { parts: Vec<&'static str> },
    /// An offer of a draw.
    Offer { by: Color, state: OfferState },
    /// The arbiter is asked to choose.
    Prompt { options: Vec<String> },
    /// The game is over.
    Result(GameResult),
    /// The score sheets were signed.
    Signed { score: Score },
    /// What both players score.
    Points(ByColor<u8>),
    /// What was done has no effect.
    Ignored,
    /// What is written down before a reconstruction.
    Snapshot { fen: String, white: Duration, black: Duration, turn: Color, moves: u32 },
    /// This player is to seal.
    SealRequested { by: Color },
    /// A move is in the envelope; it may be changed until the clock is stopped.
    SealedPending,
    /// The move on the board is the one to be sealed.
    SealedMustBe { san: String },
    /// The sealed move is final. The move itself stays secret.
    Sealed { by: Color, no: u32 },
    /// What is in the envelope is no move that can be played.
    SealedInvalid { why: &'static str },
    /// The sheet on the envelope has these fields filled.
    Envelope { fields: Vec<&'static str> },
    /// Said aloud, to the player who asked.
    Speaks { to: Color, text: String },
}

/// What the clock is to do.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum ClockOrder {
    /// Both sides stop.
    Stop,
    /// This side runs.
    Run(Color),
    /// A time is set.
    Set(Color, Duration),
    /// Time is given.
    Add(Color, Duration),
    /// Time is taken; below zero the flag falls.
    Subtract(Color, Duration),
    /// A period's allotment, which a clock that knows the control adds by itself.
    Credit(Color, Duration),
    /// So much is added for each move from now on.
    Increment(Duration),
    /// The move counter shows so many completed moves of both.
    Moves(u16),
}
