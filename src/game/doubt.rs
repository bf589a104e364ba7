//! A press that looks to the referee like an illegal move: hands are messy, and the record, which
//! weighs all that was seen, may know a legal one.
//!
//! Until it does, or the time for it is over, the referee is told nothing; then all in its order.

use super::machine::Game;
use super::rules::{picture_of, record_of};
use crate::laws::{Ruling, Told};
use crate::time::Mono;
use shakmaty::Color;

impl Game {
    /// Tells the referee of a press, unless it waits for the record.
    pub(super) fn tell_press(&mut self, now: Mono, by: Color) {
        let told = Told::Pressed(by);
        self.settle_doubt(now);
        if self.keep_waiting(now, &told) {
            return;
        }
        let would_be_illegal = self.bench.as_ref().is_some_and(|bench| {
            let said = bench.referee.clone().tell(now, &told);
            said.rulings.iter().any(|ruling| matches!(ruling, Ruling::IllegalCompleted { .. }))
        });
        match &mut self.bench {
            Some(bench) if would_be_illegal && self.play.is_some() => {
                bench.waiting.push((now, told));
            }
            _ => self.tell_now(now, &told),
        }
    }

    /// What comes while a press is in doubt waits with it, unless somebody speaks. True if it was
    /// taken.
    pub(super) fn keep_waiting(&mut self, now: Mono, told: &Told) -> bool {
        let Some(bench) = self.bench.as_mut().filter(|bench| !bench.waiting.is_empty()) else {
            return false;
        };
        bench.waiting.push((now, told.clone()));
        let is_seen = matches!(
            told,
            Told::Square(..)
                | Told::Picture(_)
                | Told::Unseen(_)
                | Told::Pressed(_)
                | Told::Clock(_)
                | Told::Passed
        );
        if !is_seen {
            self.end_doubt();
        }
        true
    }

    /// When a press in doubt is judged by what the referee saw.
    pub(super) fn doubt_ends_at(&self) -> Option<Mono> {
        let (at, _) = self.bench.as_ref()?.waiting.first()?;
        Some(*at + self.settings.settle.illegal_press)
    }

    /// A press in doubt that completes a legal move on record does so for the referee.
    pub(super) fn settle_doubt(&mut self, now: Mono) {
        let Some(due) = self.doubt_ends_at() else { return };
        let (Some(play), Some(bench)) = (&self.play, &mut self.bench) else { return };
        let pressed = bench.waiting[0].0;
        let is_illegal = play.tracker().is_illegal_press(pressed);
        let is_legal = play.stands_pressed(pressed) && !is_illegal;
        let seen = Told::Unseen(Box::new(picture_of(play.tracker().seen())));
        let record = (is_legal && bench.referee.may_follow()).then(|| record_of(play.sheet()));
        let is_at_once = self.settings.settle.illegal_press.is_zero();
        if record.is_none() && due > now {
            return;
        }
        if record.is_none() && (is_illegal || is_at_once) {
            self.end_doubt();
            return;
        }
        // Without a word on record of an illegal move there is none: what else is wrong with the
        // board is reported by those who watch it.
        let waiting = std::mem::take(&mut bench.waiting);
        let is_clock = |told: &Told| matches!(told, Told::Clock(_));
        let clock = waiting.into_iter().rev().map(|(_, told)| told).find(is_clock);
        for told in [Some(seen), record, clock].into_iter().flatten() {
            self.tell_now(now, &told);
        }
    }

    /// The referee is told what waited, in its order.
    fn end_doubt(&mut self) {
        let Some(bench) = &mut self.bench else { return };
        for (at, told) in std::mem::take(&mut bench.waiting) {
            self.tell_now(at, &told);
        }
    }
}
