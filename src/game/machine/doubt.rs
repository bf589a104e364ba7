//! A press that looks to the referee like a breach of the Laws: hands are messy, and the record,
//! which weighs all that was seen, may know a legal move.
//!
//! Until it does, or the time for it is over, the referee is told nothing; then all in its order.
//! What the record finds nothing wrong with is held against nobody.

use super::Game;
use super::told::record_of;
use crate::game::bench::{Bench, Blame, Doubt};
use crate::game::entry::{Fact, Weighed};
use crate::laws::{Sheet, Told};
use crate::table::Placement;
use crate::time::Mono;
use shakmaty::Color;

impl Game {
    /// Tells the referee of a press, unless it waits for the record.
    pub(super) fn tell_press(&mut self, now: Mono, by: Color) {
        self.decide_doubt(now);
        self.press_told(now, by);
    }

    /// The referee is told of a press now, or after those that are in doubt.
    pub(super) fn press_told(&mut self, now: Mono, by: Color) {
        if !self.is_closed() && !self.keep_waiting(now, &Told::Pressed(by)) {
            self.tell_or_doubt(now, by);
        }
    }

    fn tell_or_doubt(&mut self, pressed: Mono, by: Color) {
        // In blind play words decide, which the record does not hear.
        let has_words = |bench: &Bench| bench.referee().terms().impaired.is_some();
        let may_wait = self.recorder.play().is_some();
        let is_in_step = self.recorder.is_in_step(pressed);
        let bench = self.bench.as_mut().filter(|bench| may_wait && !has_words(bench));
        if !bench.is_some_and(|bench| bench.doubts(pressed, by, is_in_step)) {
            self.tell_now(pressed, &Told::Pressed(by));
        }
    }

    /// What comes while a press is in doubt waits with it, unless somebody speaks. True if it was
    /// taken.
    pub(super) fn keep_waiting(&mut self, now: Mono, told: &Told) -> bool {
        if !self.bench.as_mut().is_some_and(|bench| bench.keep_waiting(now, told)) {
            return false;
        }
        let may_wait = told.is_observed() || matches!(told, Told::Pressed(_));
        if !may_wait {
            self.end_doubt();
        }
        true
    }

    /// When a press in doubt is judged by what the referee saw.
    pub(super) fn doubt_ends_at(&self) -> Option<Mono> {
        let doubt = self.bench.as_ref()?.doubt()?;
        Some(doubt.pressed + self.settings.rests.illegal_press)
    }

    /// A press in doubt that completes a legal move on record does so for the referee. One that
    /// the record finds fault with too is told as it came. What waited behind it may be another
    /// press, whose time is over by now.
    pub(super) fn decide_doubt(&mut self, now: Mono) {
        while let Some(outcome) = self.outcome(now) {
            let Some(play) = self.recorder.play() else { return };
            let (record, seen) = (record_of(play.sheet()), play.tracker().seen().clone());
            self.out.facts.push(Fact::Weighed(outcome));
            self.take_outcome(now, outcome, record, seen);
        }
    }

    /// A press in doubt is held against nobody any more: play went on while nobody looked.
    pub(super) fn drop_doubt(&mut self, now: Mono) {
        let Some(play) = self.recorder.play().filter(|_| self.is_in_doubt()) else { return };
        let (record, seen) = (record_of(play.sheet()), play.tracker().seen().clone());
        self.out.facts.push(Fact::Weighed(Weighed::Dropped));
        self.take_outcome(now, Weighed::Dropped, record, seen);
    }

    /// What the record makes of a press in doubt; `None` as long as that is open. Asking changes
    /// nothing.
    fn outcome(&self, now: Mono) -> Option<Weighed> {
        let is_due = self.doubt_ends_at()? <= now;
        let bench = self.bench.as_ref()?;
        let Doubt { pressed, by, blame, .. } = *bench.doubt()?;
        if blame == Blame::Beyond && !is_due {
            return None;
        }
        if blame == Blame::Beyond && bench.is_still_beyond(now) {
            return Some(Weighed::Shared);
        }
        if blame == Blame::Exchanged && self.recorder.shows_exchange() {
            return Some(Weighed::Shared);
        }
        let play = self.recorder.play()?;
        let is_legal = play.stands_pressed(pressed) && !play.tracker().is_illegal_press(pressed);
        if is_legal && bench.referee().may_follow() {
            return Some(Weighed::Legal);
        }
        if !is_due || self.recorder.has_suspect() {
            return None;
        }
        let is_known = match blame {
            Blame::Exchanged => self.recorder.is_displaced(),
            // Beside an illegal move that stands, the record finds no other one.
            Blame::Illegal => self.recorder.was_illegal(!by) && bench.still_blames(now, by),
            Blame::Disorder => bench.referee().has_taken_back(),
            Blame::Beyond => false,
            Blame::Again => self.recorder.is_in_step(now),
        };
        let is_shared = is_known || self.out.facts.iter().any(|fact| blame.is_shared_by(fact, by));
        // What nobody else finds is not held against a player.
        Some(if is_shared { Weighed::Shared } else { Weighed::Dropped })
    }

    /// The press in doubt is decided so, while `record` is on record and the sensors show `seen`.
    pub(super) fn take_outcome(
        &mut self,
        now: Mono,
        outcome: Weighed,
        record: Sheet,
        seen: Placement,
    ) {
        match outcome {
            Weighed::Followed => self.tell(now, &Told::Record(record)),
            Weighed::Shared => self.end_doubt(),
            Weighed::Legal => {
                let doubt = self.take_doubt();
                self.tell_now(now, &Told::Record(record));
                self.tell_behind(doubt);
            }
            Weighed::Dropped => {
                let behind = self.take_doubt().map(|doubt| doubt.behind).unwrap_or_default();
                let is_clock = |told: &Told| matches!(told, Told::Clock(_));
                let clock = behind.into_iter().rev().map(|(_, told)| told).find(is_clock);
                let seen = Told::Unseen(Box::new(seen));
                for told in [Some(seen), clock].into_iter().flatten() {
                    self.tell_now(now, &told);
                }
            }
        }
    }

    fn take_doubt(&mut self) -> Option<Doubt> {
        self.bench.as_mut()?.take_doubt()
    }

    /// The referee is told of the press and of what waited with it.
    pub(super) fn end_doubt(&mut self) {
        let doubt = self.take_doubt();
        if let Some(doubt) = &doubt {
            self.tell_now(doubt.pressed, &Told::Pressed(doubt.by));
        }
        self.tell_behind(doubt);
    }

    /// The referee is told of what came after a press that is decided: another may be in doubt.
    fn tell_behind(&mut self, doubt: Option<Doubt>) {
        for (at, told) in doubt.into_iter().flat_map(|doubt| doubt.behind) {
            match told {
                Told::Pressed(by) if !self.is_in_doubt() => self.tell_or_doubt(at, by),
                _ => self.tell(at, &told),
            }
        }
    }

    pub(super) fn is_in_doubt(&self) -> bool {
        self.bench.as_ref().is_some_and(|bench| bench.doubt().is_some())
    }
}
