//! Sensors that may be at fault: what they would explain is held against what is believed.

use super::Play;
use crate::game::entry::Fact;
use crate::game::faulty::SensorFaults;
use crate::laws::{Finding, FindingKind};
use crate::time::Mono;
use crate::track::Tracker;
use crate::track::tracker::STEP_MAX;
use crate::track::weigh::{HOPELESS, SURE_LEAD};
use shakmaty::{Bitboard, Position};
use std::time::Duration;

/// So many squares are named at the most where one of them is at fault.
const NAMED_MAX: usize = 3;
/// What a board that has been still for so long does not explain is searched for faults, and so
/// long a fault must have been thought of to be believed: a hand may hold a piece for a moment.
const STILL: Duration = Duration::from_secs(1);
/// Another explanation is followed for so many plies at the most: its own are never settled.
const PLIES_MAX: usize = 48;

/// Another explanation of what was seen since a moment.
#[derive(Clone, Debug)]
pub(super) struct Other {
    pub(super) tracker: Tracker,
    since: Mono,
    /// Squares that have lost their piece: of these the arbiter hears otherwise.
    beneath: Bitboard,
}

impl Play {
    /// Looks at the board with sensors that may be at fault, for up to `depth` moves. After a gap
    /// none is suspected: moves were missed.
    pub(super) fn look_at_sensors(&mut self, at: Mono, depth: usize) {
        if depth > STEP_MAX {
            self.other = None;
            return;
        }
        if let Some(other) = &mut self.other {
            other.tracker.look(at, depth);
        }
        let still = at.since(self.tracker.last_change());
        if still >= STILL && self.searched != Some(self.tracker.last_change()) {
            self.searched = Some(self.tracker.last_change());
            self.suspect(at);
            if self.other.is_none()
                && let Some(tracker) = self.tracker.suspecting_beneath()
            {
                let beneath = tracker.best().faulty & !self.tracker.best().faulty;
                self.other = Some(Other { tracker, since: at, beneath });
            }
        }
        self.compare(at);
    }

    /// If the board is not explained, looks whether it is if a sensor is at fault.
    pub(super) fn suspect(&mut self, at: Mono) {
        let is_explained = self.tracker.is_explained() && self.tracker.best().open.is_empty();
        if is_explained || self.other.as_ref().is_some_and(|other| other.tracker.is_explained()) {
            return;
        }
        self.other = None;
        if let Some(tracker) = self.tracker.suspecting(at) {
            self.other = Some(Other { tracker, since: at, beneath: Bitboard::EMPTY });
        }
    }

    /// Goes on with the other explanation if it has become clearly the better one, and gives it up
    /// if it is hopeless. The whole board must have been read since it was thought of: it is no
    /// lost message then.
    pub(super) fn compare(&mut self, at: Mono) {
        let Some(other) = &mut self.other else { return };
        let (ours, theirs) = (self.tracker.burden(), other.tracker.burden());
        let is_clear = self.tracker.mismatch().is_none() && self.tracker.best().open.is_empty();
        let is_old = at.since(other.since) >= STILL;
        let is_proven =
            is_old && other.tracker.pictured_at() > other.since && !other.tracker.is_belied();
        if theirs + SURE_LEAD <= ours && is_proven {
            std::mem::swap(&mut self.tracker, &mut other.tracker);
            self.beneath |= std::mem::take(&mut other.beneath);
            self.told_faulty |= self.beneath;
            return;
        }
        // A hand that was slow with its piece looks like a sensor that died, until it has moved.
        let is_same = self.tracker.best().pos == other.tracker.best().pos;
        let lead = if is_same { 0 } else { SURE_LEAD };
        // Once its piece stands elsewhere, a square that reads empty is right.
        let has_moved =
            is_same && (other.beneath & self.tracker.best().pos.board().occupied()).is_empty();
        let is_needless = is_clear && (ours + lead <= theirs || other.beneath.any() && has_moved);
        let is_long = other.tracker.best().plies.len() > PLIES_MAX;
        if is_needless || is_long || ours + HOPELESS / 2 <= theirs {
            self.other = None;
        }
    }

    /// Goes on with what was known of the sensors when the record stops.
    pub(in crate::game) fn distrust(&mut self, known: SensorFaults) {
        self.tracker.distrust(known.all());
        self.beneath = known.beneath;
        self.told_faulty = known.told | known.beneath;
    }

    /// The squares whose sensors may be at fault, if the board is explained by that. Empty where
    /// they are too many to be named.
    pub(in crate::game) fn suspected(&self) -> Option<Bitboard> {
        let other = self.other.as_ref().filter(|other| other.tracker.is_explained())?;
        let faulty = other.tracker.faulty();
        Some(if faulty.count() <= NAMED_MAX { faulty } else { Bitboard::EMPTY })
    }

    /// The squares on which pieces have been missing for so long that play is followed without
    /// them.
    pub(in crate::game) fn missing(&self) -> Bitboard {
        self.beneath & self.tracker.best().faulty
    }

    /// Whether a sensor is at fault by what is believed.
    pub(in crate::game) fn has_faulty_sensors(&self) -> bool {
        self.tracker.best().faulty.any()
    }

    /// Whether sensors of this board were said to be at fault in this game.
    pub(in crate::game) fn has_told_sensors(&self) -> bool {
        self.told_faulty.any() || self.has_faulty_sensors()
    }

    /// Tells of sensors that are at fault by what is believed, once for each.
    pub(super) fn tell_faulty(&mut self, facts: &mut Vec<Fact>) {
        if (self.tracker.best().faulty & !self.told_faulty).any() {
            let faulty = self.tracker.faulty();
            self.tell_sensors(faulty, facts);
        }
    }

    /// Tells of sensors that are at fault, unless that has been told of all of them.
    pub(in crate::game) fn tell_sensors(&mut self, faulty: Bitboard, facts: &mut Vec<Fact>) {
        if (faulty & !self.told_faulty).any() {
            self.told_faulty |= faulty;
            let kind = FindingKind::SensorFault { squares: faulty.into_iter().collect() };
            facts.push(Fact::Found(Finding { kind, by: None }));
        }
    }
}
