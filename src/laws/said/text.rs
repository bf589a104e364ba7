//! Rulings in words, for the log of the arbiter.

use super::{ClockOrder, Ruling};
use std::fmt;
use std::time::Duration;

/// Seconds, without a fraction that is zero.
struct Seconds(Duration);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} s", self.0.as_secs_f64())
    }
}

impl fmt::Display for Ruling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Log(note) if note.facts.is_empty() => f.write_str(note.code.word()),
            Self::Log(note) => write!(f, "{} {}", note.code, note.facts),
            Self::Touched { sq, .. } => write!(f, "touched {sq}"),
            Self::Made { san, .. } => write!(f, "made {san}"),
            Self::Completed { san, no, .. } => write!(f, "completed {no}. {san}"),
            Self::IllegalCompleted { nth, why, .. } => {
                write!(f, "illegal move, number {nth} if confirmed: {}", why.word())
            }
            Self::IllegalStands { fen } => write!(f, "the illegal move stands: {fen}"),
            Self::Replaced { old, san, .. } => write!(f, "{san} replaces {old}"),
            Self::Unresolved { candidates } => {
                write!(f, "not resolved: {}", candidates.join(" or "))
            }
            Self::Penalty { to, span, .. } => write!(f, "{} to {to}", Seconds(*span)),
            Self::Deducted { from, span, .. } => write!(f, "{} off {from}", Seconds(*span)),
            Self::Period { side, add } => write!(f, "next period of {side}: {}", Seconds(*add)),
            Self::Mode { per_move } => write!(f, "{} a move from now on", Seconds(*per_move)),
            _ => self.rest(f),
        }
    }
}

impl Ruling {
    /// What concerns results, papers and claims.
    fn rest(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Transfer { placement } => write!(f, "carry over {placement}"),
            Self::RestorePoint { fen } => write!(f, "may be restored: {fen}"),
            Self::PositionDemanded { san } => {
                let what = san.as_deref().unwrap_or("the position at the start");
                write!(f, "the board must show {what}")
            }
            Self::Flag { side } => write!(f, "flag of {side} down by the clock"),
            Self::Claimed { kind, verdict, san, .. } => {
                write!(f, "claim {kind}")?;
                if let Some(san) = san {
                    write!(f, " by {san}")?;
                }
                write!(f, ": {} by the record", verdict.word())
            }
            Self::Package { parts } => write!(f, "for an arbiter: {}", parts.join(", ")),
            Self::Offer { state, .. } => write!(f, "offer {}", state.word()),
            Self::Prompt { options } => write!(f, "choose: {}", options.join(" | ")),
            Self::Result(verdicted) if verdicted.reason.is_empty() => {
                write!(f, "{}", verdicted.score)
            }
            Self::Result(verdicted) => write!(f, "{} {}", verdicted.score, verdicted.reason),
            Self::Signed { score } => write!(f, "signed {score}"),
            Self::Points(of) => {
                let points = super::super::score::halves;
                write!(f, "white scores {}, black {}", points(of.white), points(of.black))
            }
            Self::Ignored => f.write_str("no effect"),
            Self::Snapshot { fen, white, black, moves, .. } => {
                let (white, black) = (Seconds(*white), Seconds(*black));
                write!(f, "{fen}, white {white}, black {black}, {moves} moves")
            }
            Self::SealRequested { by } => write!(f, "{by} is to seal"),
            Self::SealedPending => f.write_str("a move is written"),
            Self::SealedMustBe { .. } => f.write_str("the move on the board is to be sealed"),
            Self::Sealed { by, no } => write!(f, "{by} has sealed move {no}"),
            Self::SealedInvalid { why } => write!(f, "the sealed move is {why}"),
            Self::Envelope { fields } => write!(f, "envelope: {}", fields.join(", ")),
            Self::Speaks { to, text } => write!(f, "told {to}: {text}"),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for ClockOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stop => f.write_str("stop"),
            Self::Run(side) => write!(f, "run {side}"),
            Self::Set(side, span) => write!(f, "set {side} {}", Seconds(*span)),
            Self::Add(side, span) => write!(f, "add {side} {}", Seconds(*span)),
            Self::Subtract(side, span) => write!(f, "subtract {side} {}", Seconds(*span)),
            Self::Credit(side, span) => write!(f, "credit {side} {}", Seconds(*span)),
            Self::Increment(span) => write!(f, "increment {}", Seconds(*span)),
            Self::Moves(n) => write!(f, "moves {n}"),
        }
    }
}
