//! Whom a record blames, and whether he did it.
//!
//! A finding or ruling that names a player is an accusation. Truth knows what hands really did: a
//! piece that was knocked over, stood half on a square or was not read is nobody's fault.

use super::hands::{Odd, Oddity, Truth};
use crate::game::{Entry, Fact};
use crate::laws::{Code, Finding, FindingKind};
use crate::time::Mono;
use shakmaty::{Color, Square};
use std::time::Duration;

/// What is said may come this much after all was in order again.
const GRACE: Duration = Duration::from_millis(2_500);
/// A touch may be spoken of until the move that is made instead, and that may take its time.
const TOUCH_GRACE: Duration = Duration::from_secs(45);

/// A player is named for something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accusation {
    /// When that went on record.
    pub at: Mono,
    /// The player who is accused.
    pub by: Color,
    /// What is said.
    pub text: String,
    charge: Charge,
}

/// What somebody is said to have done.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Charge {
    /// An illegal move stands on the board.
    IllegalOnBoard,
    /// An illegal move was completed.
    IllegalCompleted,
    /// The clock was pressed with a move half made.
    Unfinished,
    /// The clock was pressed without a move.
    NoMove,
    /// The clock was pressed with pieces displaced.
    Displaced,
    /// A touched piece was not moved.
    TouchMove,
    /// A piece went on after it was released.
    WentOn,
    /// The rook was touched before the king.
    RookFirst,
    /// Something that the hands of these games never do.
    Never,
}

/// The accusations in `entries` of players who, by `truth`, did nothing of the kind.
pub fn undeserved(truth: &Truth, entries: &[Entry]) -> Vec<Accusation> {
    let accusations = entries.iter().filter_map(accusation);
    accusations.filter(|accusation| !is_deserved(truth, accusation)).collect()
}

fn accusation(entry: &Entry) -> Option<Accusation> {
    let at = entry.at.mono;
    if let Fact::Ruled(ruled) = &entry.fact {
        let charge = charge_of_code(ruled.code?)?;
        return Some(Accusation { at, by: ruled.by?, text: ruled.text.clone(), charge });
    }
    let finding = entry.fact.finding()?;
    let charge = charge_of(finding)?;
    Some(Accusation { at, by: finding.by?, text: finding.to_string(), charge })
}

const fn charge_of(finding: &Finding) -> Option<Charge> {
    Some(match finding.kind {
        FindingKind::IllegalOnBoard { .. } => Charge::IllegalOnBoard,
        FindingKind::IllegalCompleted { .. } => Charge::IllegalCompleted,
        FindingKind::RookForgotten { .. } | FindingKind::PromotionIncomplete { .. } => {
            Charge::Unfinished
        }
        FindingKind::PressWithoutMove => Charge::NoMove,
        FindingKind::Displaced { .. } => Charge::Displaced,
        FindingKind::KingCaptured { .. } => Charge::Never,
        _ => return None,
    })
}

const fn charge_of_code(code: Code) -> Option<Charge> {
    Some(match code {
        Code::IllegalOnBoard => Charge::IllegalOnBoard,
        Code::IllegalCompleted => Charge::IllegalCompleted,
        Code::PromotionIncomplete => Charge::Unfinished,
        Code::PressWithoutMove => Charge::NoMove,
        Code::Displaced => Charge::Displaced,
        Code::TouchMove => Charge::TouchMove,
        Code::MovedAfterRelease => Charge::WentOn,
        Code::RookFirst => Charge::RookFirst,
        Code::KingCaptured | Code::OutOfTurn | Code::SecondMove | Code::TwoHands => Charge::Never,
        _ => return None,
    })
}

fn is_deserved(truth: &Truth, accusation: &Accusation) -> bool {
    let Accusation { at, by, charge, .. } = *accusation;
    let grace = if charge == Charge::TouchMove { TOUCH_GRACE } else { GRACE };
    let is_then = |from: Mono, until: Mono| from <= at && at <= until + grace;
    let mut wrongs = truth.irregularities.iter();
    let is_of_wrong = wrongs.any(|wrong| {
        let is_far_enough = wrong.completed.is_some() || charge != Charge::IllegalCompleted;
        let until = wrong.resumed.unwrap_or(wrong.restored);
        wrong.by == by && is_far_enough && is_then(wrong.made, until)
    });
    let is_of_odd = |odd: &Oddity| is_then(odd.from, odd.until) && excuses(odd, accusation);
    is_of_wrong || truth.oddities.iter().any(is_of_odd) || is_of_gesture(truth, accusation)
}

/// Whether who did that is rightly named for it.
fn excuses(odd: &Oddity, Accusation { by, charge, text, .. }: &Accusation) -> bool {
    let is_same = odd.by == *by;
    match odd.what {
        // The opponent presses the clock back.
        Odd::TakenBack if !is_same => *charge == Charge::NoMove,
        Odd::TakenBack => {
            matches!(charge, Charge::TouchMove | Charge::WentOn | Charge::Displaced | Charge::Never)
        }
        Odd::PressedBack => matches!(charge, Charge::NoMove | Charge::Displaced),
        Odd::PressedAmid => {
            let is_about_pieces = matches!(
                charge,
                Charge::Unfinished
                    | Charge::IllegalOnBoard
                    | Charge::IllegalCompleted
                    | Charge::NoMove
                    | Charge::Displaced
                    | Charge::WentOn
                    | Charge::Never
            );
            is_same && is_about_pieces
        }
        Odd::PressedBadly => is_same && *charge == Charge::Displaced,
        Odd::Touched(sq) => is_same && *charge == Charge::TouchMove && names(text, sq),
    }
}

fn names(text: &str, sq: Square) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == sq.to_string())
}

/// Whether the way in which a move was made is what is said.
fn is_of_gesture(truth: &Truth, Accusation { at, charge, .. }: &Accusation) -> bool {
    let mut near = truth.plies.iter().filter(|ply| {
        ply.made <= *at + GRACE && *at <= ply.completed.unwrap_or(ply.rested) + TOUCH_GRACE
    });
    match charge {
        // A promotion is final at first contact.
        Charge::WentOn => near.any(|ply| ply.gesture.contains("wrong piece first")),
        Charge::RookFirst => {
            near.any(|ply| ply.m.is_castle() && !ply.gesture.contains("king first"))
        }
        _ => false,
    }
}
