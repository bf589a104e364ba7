//! What is on record of the sensors and the presses of the last few moves: enough to see them again
//! as a daemon saw them that is gone.

use super::entry::{Basis, Fact, LinkState};
use super::faulty::SensorFaults;
use super::score::ScoreSheet;
use crate::laws::{Finding, FindingKind, Stage};
use crate::table::{Placement, defaults};
use crate::time::Mono;
use crate::track::line::CompletedBy;
use crate::track::tracker::{RESTED, STEP_MAX, TAIL_MAX};
use crate::track::{Step, Tracker};
use shakmaty::{Bitboard, Board, Color, Position};
use std::collections::VecDeque;
use std::time::Duration;

/// Steps that are kept at the most; of more, those before are no few moves any more.
const STEPS_MAX: usize = 2_000;

/// A press that was for an illegal move has been told of by then.
const UNTOLD_MAX: Duration = Duration::from_secs(11);

/// The board stood as the record has it.
#[derive(Clone, Debug)]
struct Waypoint {
    /// After so many half-moves.
    n: usize,
    /// How many steps had been taken by then.
    idx: usize,
    seen: Placement,
    faulty: Bitboard,
}

defaults! {
    /// What was heard of a board while the line was whole and the game went on, since it last stood
    /// as the record has it, some half-moves ago.
    #[derive(Clone, Debug)]
    pub(super) struct Trail {
        seen: Placement = Board::new().into(),
        steps: VecDeque<(Mono, Step)>,
        /// Steps that are forgotten.
        n_gone: usize,
        waypoints: VecDeque<Waypoint>,
        has_run: bool,
        /// The clock stands: what is moved is no play.
        is_stopped: bool,
        /// When the last press was that has not completed a move yet.
        open_press: Option<Mono>,
        /// When that was, and whose, as long as it may be for an illegal move of which nobody has
        /// been told.
        untold_press: Option<(Mono, Color)>,
        /// Sensors that do not tell.
        faulty: SensorFaults,
        /// How the board stood before nobody heard it, while what was played then is not on record.
        missed: Option<Placement>,
        /// Nobody hears the board.
        is_unheard: bool,
        /// It was read since, and stood otherwise.
        is_other: bool,
        /// When the last move was put on record: it may be by nothing but the board's stillness.
        made: Option<Mono>,
        /// The times of the daemon that is gone are so much later on this trail, which those before
        /// it began.
        later: Duration,
    }
}

impl Trail {
    fn from(board: &Board) -> Self {
        Self { seen: board.clone().into(), ..Self::default() }
    }

    /// From now on nobody hears the board, or nobody has since the last fact.
    pub(super) fn miss(&mut self) {
        self.is_unheard = true;
        if self.missed.is_none() {
            (self.missed, self.is_other) = (Some(self.seen.clone()), false);
        }
    }

    /// A daemon begins, which counts its time anew, where the one before it had `before` last.
    /// Nobody has heard the board since that.
    pub(super) fn begin_anew(&mut self, before: Mono) {
        self.later += before.since(Mono::default());
        self.miss();
    }

    /// How much later the times of the last daemon are on this trail.
    pub(super) const fn later(&self) -> Duration {
        self.later
    }

    /// Takes `fact`, recorded at `at`; by then the record is as `sheet` has it.
    pub(super) fn note(&mut self, at: Mono, fact: &Fact, sheet: &ScoreSheet) {
        let at = at + self.later;
        self.faulty.note(fact, sheet, &self.seen);
        self.note_missed(fact);
        match fact {
            Fact::GameStarted { .. } => *self = Self::from(sheet.start().board()),
            Fact::Sensed { sq, reading } => {
                self.step(at, Step::Sensed { sq: *sq, reading: *reading }, sheet);
                self.seen.set(*sq, *reading);
            }
            Fact::Pictured(placement) => {
                if self.missed.is_some() {
                    self.forget();
                }
                self.step(at, Step::Found(placement.clone()), sheet);
                self.seen = placement.clone();
            }
            Fact::Pressed { by } => {
                self.step(at, Step::Pressed { by: *by, left: None }, sheet);
                (self.has_run, self.open_press) = (true, Some(at));
                self.untold_press = Some((at, *by));
            }
            Fact::MoveCompleted { ply, by, .. } => {
                self.open_press = self.open_press.filter(|_| *by != CompletedBy::Press);
                self.untold_press = self.untold_press.filter(|_| *by != CompletedBy::Press);
                self.forget_before(*ply);
            }
            Fact::IllegalMove { stage: Stage::Completed, .. }
            | Fact::Found(Finding { kind: FindingKind::PressWithoutMove, .. }) => {
                self.untold_press = None;
            }
            Fact::MoveRetracted { ply } => {
                self.waypoints.retain(|known| known.n < *ply);
                self.made = None;
            }
            Fact::Clock { running, is_connected, .. } => {
                self.has_run |= running.is_some();
                let was_stopped = self.is_stopped;
                self.is_stopped = *is_connected && self.has_run && running.is_none();
                if was_stopped || self.is_stopped {
                    self.forget();
                }
            }
            _ if is_break(fact) => self.forget(),
            Fact::MoveMade { .. } => self.made = Some(at),
            _ => {}
        }
    }

    /// Whether `fact` begins a time in which nobody hears the board, or tells what was played then.
    fn note_missed(&mut self, fact: &Fact) {
        match fact {
            Fact::Link(LinkState::Lost) => self.miss(),
            // What is read from now on is another board, or it was until now.
            Fact::Found(Finding {
                kind: FindingKind::BoardExchanged | FindingKind::BoardBack,
                ..
            }) => {
                self.missed.get_or_insert_with(|| self.seen.clone());
                self.is_other = true;
            }
            Fact::Link(LinkState::Live) => self.is_unheard = false,
            Fact::Pictured(_) => self.is_other = true,
            // The board stood as before when it was read.
            Fact::Sensed { .. } | Fact::Pressed { .. } if !self.is_other => self.missed = None,
            Fact::MoveMade { .. } | Fact::Gap { .. } if !self.is_unheard => self.missed = None,
            _ => {}
        }
    }

    fn step(&mut self, at: Mono, step: Step, sheet: &ScoreSheet) {
        if self.steps.len() == STEPS_MAX {
            self.forget();
        }
        let n = sheet.len();
        let is_new = self.waypoints.back().is_none_or(|last| last.n < n);
        let faulty = self.faulty.all();
        let differs = self.seen.differs(sheet.last().board()) & !faulty;
        if is_new && !self.is_stopped && differs.is_empty() {
            let idx = self.n_gone + self.steps.len();
            self.waypoints.push_back(Waypoint { n, idx, seen: self.seen.clone(), faulty });
        }
        self.steps.push_back((at, step));
    }

    /// What was heard so far leads to nothing.
    fn forget(&mut self) {
        self.n_gone += self.steps.len();
        self.steps.clear();
        self.waypoints.clear();
        self.untold_press = None;
    }

    /// `n` half-moves are completed: only the last are open to revision.
    fn forget_before(&mut self, n: usize) {
        while self.waypoints.get(1).is_some_and(|next| next.n + TAIL_MAX <= n) {
            self.waypoints.pop_front();
        }
        if let Some(first) = self.waypoints.front() {
            self.steps.drain(..first.idx - self.n_gone);
            self.n_gone = first.idx;
        }
    }

    /// What the sensors showed last, or before what was played is not known.
    pub(super) fn seen(&self) -> &Placement {
        self.missed.as_ref().unwrap_or(&self.seen)
    }

    /// Whether what was played is not known since before the last daemon was gone.
    pub(super) fn has_missed(&self) -> bool {
        self.missed.as_ref().is_some_and(|before| *before != self.seen)
    }

    /// The sensors that do not tell what stands on their squares.
    pub(super) const fn faulty(&self) -> SensorFaults {
        self.faulty
    }

    /// When the clock was pressed for what is not on record as completed.
    pub(super) const fn open_press(&self) -> Option<Mono> {
        self.open_press
    }

    /// When the clock was pressed shortly before `until`, the end of the trail, and by whom, if
    /// that was for no move on record and may have been for an illegal one.
    pub(super) fn untold_press(&self, until: Mono) -> Option<(Mono, Color)> {
        self.untold_press.filter(|(at, _)| until.since(*at) <= UNTOLD_MAX)
    }

    /// What was seen on this trail, as a tracker had it that saw it, with the times of then; `None`
    /// if that does not lead to the completed moves of `sheet`.
    pub(super) fn followed(&self, sheet: &ScoreSheet) -> Option<Tracker> {
        let n_completed = sheet.n_completed();
        let known = self.waypoints.front().filter(|_| !self.has_missed());
        let from = known.filter(|from| from.n <= n_completed)?;
        let mut tracker = Tracker::new(sheet.position(from.n).clone(), from.n);
        if sheet.is_taken_over_at(from.n) {
            tracker.note_taken_over();
        }
        let (first, _) = self.steps.get(from.idx - self.n_gone)?;
        tracker.witness(*first, &from.seen);
        tracker.distrust(from.faulty);
        for (at, step) in self.steps.range(from.idx - self.n_gone..) {
            let rested = tracker.last_change() + RESTED;
            if rested < *at {
                tracker.look(rested, STEP_MAX);
            }
            match step {
                Step::Sensed { sq, reading } => {
                    tracker.sense(*at, *sq, *reading);
                }
                Step::Found(placement) => {
                    tracker.picture(*at, placement);
                    tracker.look(*at, 1);
                }
                Step::Pressed { by, .. } => tracker.press(*at, *by),
                Step::Showed(_) => {}
            }
        }
        if let Some(made) = self.made.filter(|made| *made >= tracker.last_change()) {
            tracker.look(made, STEP_MAX);
        }
        let recorded = &sheet.moves()[from.n..];
        let shared = recorded.iter().zip(&tracker.best().plies);
        let n_shared = shared.take_while(|(scored, ply)| scored.m == ply.m).count();
        if from.n + n_shared < n_completed {
            return None;
        }
        tracker.settle(n_shared);
        Some(tracker)
    }

    /// The changes of the sensors, oldest first.
    pub(super) fn into_sensed(self) -> VecDeque<Step> {
        let steps = self.steps.into_iter().map(|(_, step)| step);
        steps.filter(|step| matches!(step, Step::Sensed { .. })).collect()
    }
}

/// Whether what comes after `fact` does not follow from what was heard before it.
const fn is_break(fact: &Fact) -> bool {
    matches!(
        fact,
        Fact::MoveMade { basis: Basis::Gap | Basis::Memory | Basis::Later | Basis::Order, .. }
            | Fact::Gap { .. }
            | Fact::GapClosed { .. }
            | Fact::Began { .. }
            | Fact::Ended(_)
            | Fact::Reopened(_)
            | Fact::GameClosed
    )
}
