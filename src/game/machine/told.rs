//! What is seen and recorded at a table, in the referee's words, and the referee's reasons in those
//! of the record.

use crate::game::entry::Fact;
use crate::game::score::ScoreSheet;
use crate::laws::{self, Clocks, Code, FindingKind, Reason, SheetMove, Stage, Told};
use crate::track::line::CompletedBy;

/// What a referee is told of `fact`.
pub(super) fn told_of(fact: &Fact) -> Option<Told> {
    Some(match fact {
        Fact::Sensed { sq, reading } => Told::Square(*sq, *reading),
        // So older records have a picture of a board that names no pieces.
        Fact::Pictured(placement) if placement.occupied().is_empty() => return None,
        Fact::Pictured(placement) => Told::Picture(Box::new(placement.clone())),
        Fact::Pressed { by } => Told::Pressed(*by),
        Fact::Clock { running, times: Some(times), .. } => {
            Told::Clock(Clocks { left: *times, running: *running })
        }
        Fact::Act(act) => Told::Act(act.clone()),
        Fact::Flag { side: Some(side) } => Told::Flag(*side),
        Fact::Flag { side: None } => Told::FlagsUnknown,
        Fact::IllegalMove { stage: Stage::Completed, by, .. } => Told::Illegal(*by),
        fact => return call_of(fact),
    })
}

/// What the record finds that a referee is to look at.
pub(super) fn call_of(fact: &Fact) -> Option<Told> {
    match fact {
        Fact::PositionLost(_) => Some(Told::Looked),
        Fact::IllegalMove { stage: Stage::Made, .. } => Some(Told::Stands),
        Fact::Found(finding) if finding.kind == FindingKind::Restored => Some(Told::Looked),
        _ => None,
    }
}

/// What is on record, as the referee takes it.
pub(super) fn record_of(sheet: &ScoreSheet) -> laws::Sheet {
    let moves = sheet.moves().iter().map(|scored| SheetMove {
        m: scored.m,
        is_illegal: scored.is_illegal,
        is_completed: scored.completed.is_some(),
        is_replied: scored.completed.is_some_and(|done| done.by == CompletedBy::Reply),
    });
    let gaps = sheet.gaps().iter().map(|gap| (gap.ply, sheet.position(gap.ply).clone()));
    laws::Sheet { moves: moves.collect(), gaps: gaps.collect() }
}

/// The reason as the record of the game has it; `None` if the game has no result.
pub(super) fn reason_of(code: Code) -> Option<Reason> {
    Some(match code {
        Code::Mate => Reason::Checkmate,
        Code::Stalemate => Reason::Stalemate,
        Code::DeadPosition => Reason::DeadPosition,
        Code::Resigned => Reason::Resignation,
        Code::Agreed => Reason::Agreement,
        Code::TimeLoss | Code::TimeDraw => Reason::Time,
        Code::IllegalLimit => Reason::IllegalMoves,
        Code::ClaimUpheld => Reason::Claim,
        Code::Fivefold => Reason::Fivefold,
        Code::SeventyFive => Reason::SeventyFiveMoves,
        Code::Default => Reason::Default,
        Code::Annulled => return None,
        _ => Reason::Arbiter,
    })
}
