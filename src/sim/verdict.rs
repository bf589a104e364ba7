//! A replayed game held against what was really played.

use rokade::game::{Entry, Fact, Stage};
use rokade::laws::Severity;
use rokade::sim::{Replay, Truth};
use rokade::time::Mono;
use rokade::track::line::CompletedBy;
use shakmaty::{Move, Position};
use std::fmt;
use std::time::Duration;

/// A finding may come this much after the board is in order again.
const GRACE: Duration = Duration::from_secs(2);

/// What came out right.
#[derive(Clone, Debug)]
pub(super) struct Verdict {
    pub(super) is_exact: bool,
    /// The first half-move, from 1, that differs, with what was played and what is on record.
    pub(super) parting: Option<(usize, Option<Move>, Option<Move>)>,
    pub(super) n_presses: usize,
    /// Presses whose moves are on record as completed.
    pub(super) n_completed: usize,
    /// Of those, completed by that press and not by something else.
    pub(super) n_by_press: usize,
    pub(super) n_retracted: usize,
    /// Findings about what no player did.
    pub(super) n_false_alarms: usize,
    /// Completed illegal moves that no finding names.
    pub(super) n_missed: usize,
    pub(super) is_result_right: bool,
}

impl Verdict {
    pub(super) fn new(truth: &Truth, replay: &Replay, names_pieces: bool) -> Self {
        let recorded = replay.game.play().map_or(&[][..], |play| play.sheet().moves());
        let intent: Vec<Move> = truth.plies.iter().map(|ply| ply.m).collect();
        let record: Vec<Move> = recorded.iter().map(|scored| scored.m).collect();
        let n_same = intent.iter().zip(&record).take_while(|(a, b)| a == b).count();
        let is_exact = intent == record;
        let pressed = || truth.plies.iter().zip(recorded).take(n_same);
        let pressed = || pressed().filter(|(ply, _)| ply.completed.is_some());
        let is_by_press = |by| by == CompletedBy::Press;
        let by_position = truth.last.outcome().known();
        // A board that cannot tell a king from a pawn cannot read the kings either.
        let expected = truth.signalled.filter(|_| names_pieces).or(by_position);
        let ending = replay.game.play().and_then(|play| play.ending()).map(|end| end.outcome);
        let alarms = replay.entries.iter().filter(|entry| is_alarm(&entry.fact));
        Self {
            is_exact,
            parting: (!is_exact)
                .then(|| (n_same + 1, intent.get(n_same).copied(), record.get(n_same).copied())),
            n_presses: truth.plies.iter().filter(|ply| ply.completed.is_some()).count(),
            n_completed: pressed().filter(|(_, scored)| scored.completed.is_some()).count(),
            n_by_press: pressed()
                .filter(|(_, scored)| scored.completed.is_some_and(|done| is_by_press(done.by)))
                .count(),
            n_retracted: replay
                .entries
                .iter()
                .filter(|entry| matches!(entry.fact, Fact::MoveRetracted { .. }))
                .count(),
            n_false_alarms: alarms.filter(|entry| !is_about_something(truth, entry)).count(),
            n_missed: n_missed(truth, &replay.entries),
            is_result_right: ending == expected,
        }
    }

    /// The core panicked: nothing is on record.
    pub(super) fn of_panic(truth: &Truth) -> Self {
        Self {
            is_exact: false,
            parting: Some((1, truth.plies.first().map(|ply| ply.m), None)),
            n_presses: truth.plies.iter().filter(|ply| ply.completed.is_some()).count(),
            n_completed: 0,
            n_by_press: 0,
            n_retracted: 0,
            n_false_alarms: 0,
            n_missed: 0,
            is_result_right: false,
        }
    }

    /// Nothing is left to wish for.
    pub(super) fn is_perfect(&self) -> bool {
        self.is_exact && self.n_by_press == self.n_presses && self.is_result_right
    }

    /// The record is wrong and nobody was told.
    pub(super) fn is_silently_wrong(&self) -> bool {
        !self.is_exact && self.n_false_alarms == 0
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((ply, intent, record)) = self.parting {
            let word = |m: Option<Move>| m.map_or("nothing".to_owned(), |m| m.to_string());
            write!(f, "ply {ply} was {} and is on record as {}; ", word(intent), word(record))?;
        }
        write!(
            f,
            "{} of {} presses, {} findings too many, {} too few, result {}",
            self.n_by_press,
            self.n_presses,
            self.n_false_alarms,
            self.n_missed,
            if self.is_result_right { "right" } else { "wrong" }
        )
    }
}

fn is_alarm(fact: &Fact) -> bool {
    match fact {
        Fact::IllegalMove { .. } | Fact::PositionLost(_) => true,
        Fact::Found(finding) => finding.severity() == Severity::Irregularity,
        _ => false,
    }
}

/// Whether something irregular was going on when the finding was recorded.
fn is_about_something(truth: &Truth, entry: &Entry) -> bool {
    truth.irregularities.iter().any(|wrong| is_within(entry.at.mono, wrong.made, wrong.restored))
}

fn is_within(at: Mono, from: Mono, to: Mono) -> bool {
    from <= at && at <= to + GRACE
}

fn n_missed(truth: &Truth, entries: &[Entry]) -> usize {
    let completed = truth.irregularities.iter().filter(|wrong| wrong.completed.is_some());
    let is_named = |wrong: &&rokade::sim::hands::Irregularity| {
        entries.iter().any(|entry| {
            let is_completed = matches!(
                entry.fact,
                Fact::IllegalMove { stage: Stage::Completed, by, .. } if by == wrong.by
            );
            is_completed && is_within(entry.at.mono, wrong.made, wrong.restored)
        })
    };
    completed.filter(|wrong| !is_named(wrong)).count()
}
