//! When the record is held against a board that it contradicts, and when a position ends the game.

use super::timers::Timer;
use super::{Cx, Recorder};
use crate::game::entry::Fact;
use crate::game::play::ADDED_AFTER;
use crate::time::Mono;
use shakmaty::Color;

impl Recorder {
    /// Holds the board at rest against the record, and corrects that. A board that nobody hears
    /// does not rest.
    pub(super) fn repair_if_due(&mut self, cx: &mut Cx<'_>, now: Mono) {
        let is_due = self.timers.take(Timer::Repair, now);
        if !is_due || !self.is_heard(cx) || cx.clock.is_interrupted() {
            return;
        }
        let is_noisy = cx.board.is_noisy(now);
        let Some(play) = &mut self.play else { return };
        if !is_noisy && play.take_over_without(now, cx.facts)
            || play.retrace(now, cx.facts)
            || play.repair(now, cx.facts)
        {
            self.note_corrected(cx, now);
            return;
        }
        let (rested, astray) = (play.tracker().last_change(), play.tracker().bare_difference());
        if astray.is_empty() && play.mismatch().is_none() {
            return;
        }
        if now.since(rested) < ADDED_AFTER {
            self.timers.set(Timer::Repair, rested + ADDED_AFTER);
        } else if astray.any() && play.difference_is_hidden() {
            // No line explains it; that a piece lies astray is only the likeliest guess.
            self.displaced(cx, astray.into_iter().collect());
        }
    }

    /// The clock was stopped on a board that the record contradicts, and that has been read as a
    /// whole since: what it shows is where the game stands.
    pub(super) fn adopt_stopped(&mut self, cx: &mut Cx<'_>, now: Mono) {
        // An illegal move that was told of is what the clock is stopped for.
        let is_told = self.watch.told_illegal.is_some() || self.watch.has_suspect();
        let open = self.play.as_mut().filter(|play| !play.is_over() && !is_told);
        let Some(play) = open else { return };
        if play.retrace(now, cx.facts) || play.repair(now, cx.facts) {
            self.note_corrected(cx, now);
        } else if self.silence.is_none() && play.adopt_apart(now, cx.facts) {
            self.watch.note_gap(now);
            self.note_corrected(cx, now);
        }
    }

    /// What was said of the moves that were withdrawn is past.
    fn note_corrected(&mut self, cx: &mut Cx<'_>, now: Mono) {
        self.watch.forget_blame();
        self.timers.set(Timer::Rest, now + self.rest_time(cx));
        self.note_difference(cx, now);
    }

    /// A position that ends the game does so once it was scanned, even if the clock is stopped.
    pub(super) fn watch_end(&mut self, cx: &mut Cx<'_>, now: Mono) {
        self.timers.clear(Timer::End);
        let Some(play) = self.play.as_mut().filter(|_| !self.is_blind) else { return };
        let was_over = play.is_over();
        if let Some(due) = play.end_by_position(now, cx.facts) {
            self.timers.set(Timer::End, due);
        }
        if play.is_over() && !was_over {
            self.joining.forget_stands();
        }
    }

    /// A press after the end: if play has gone on, it was no end; or another game was begun.
    pub(super) fn press_after_end(&mut self, cx: &mut Cx<'_>, now: Mono, by: Color) {
        let times = cx.clock.times_at_press(now, by);
        let is_watched = !cx.clock.is_interrupted();
        if let Some(play) = self.play.as_mut().filter(|_| is_watched)
            && play.press_after_end(now, by, times, cx.facts)
        {
            cx.facts.insert(0, Fact::Pressed { by });
            self.note_corrected(cx, now);
        }
        self.press_stand(cx, now, by);
    }
}
