//! Illegal moves that were pressed for and are put back, whatever the record makes of the press.
//!
//! A piece that was drawn over a square on its way to where it may not go, or that may have been
//! set right where it stood before, has a legal move to explain the press, with the piece beside
//! its square. Nobody puts such a piece back to where it came from.

use super::timers::Timer;
use super::watch::{PressSource, PressedFor, SUSPECT_AFTER, Suspect};
use super::{Cx, Recorder};
use crate::game::entry::Fact;
use crate::game::score::ScoreSheet;
use crate::laws::{Finding, FindingKind, Stage};
use crate::time::Mono;
use crate::track::Mismatch;
use crate::track::mismatch::classify;
use shakmaty::{Color, Position};
use std::time::Duration;

/// What is put back has been judged by this, where the record has it as an illegal move itself.
const BACK_AFTER: Duration = Duration::from_secs(1);
/// What is put back later is another matter.
const PUT_BACK_WITHIN: Duration = Duration::from_secs(20);

impl Recorder {
    /// `by` is about to press: what the presses before left open is told first. Whoever presses
    /// back what stands there has made no move.
    pub(super) fn note_pressed(&mut self, cx: &mut Cx<'_>, now: Mono, by: Color) {
        self.tell_for_nothing(cx);
        if self.watch.pressed.as_ref().is_some_and(|pressed| pressed.back.is_some()) {
            self.tell_put_back(cx, now);
        }
        let Some(play) = &self.play else { return };
        let is_back = |pressed: &PressedFor| {
            pressed.by != by
                && pressed.illegal.is_some()
                && !play.tracker().has_stirred(by, pressed.at)
        };
        if self.watch.pressed.as_ref().is_some_and(is_back) {
            return;
        }
        self.watch.pressed = pressed_for(play.sheet(), by, now);
        self.timers.set(Timer::Stood, now + SUSPECT_AFTER);
    }

    /// `by` had pressed, shortly before a daemon was gone that has not told for what.
    pub(in crate::game) fn recover_press(&mut self, at: Mono, by: Color) {
        let Some(play) = &self.play else { return };
        let is_on_move = self.watch.is_on_move(play, by);
        let how = PressSource::Lever;
        let (_, before) = self.watch.note_press(at, by);
        let grace = Duration::ZERO;
        self.watch.suspect = Some(Suspect { by, at, how, before, is_on_move, grace });
        self.watch.pressed = pressed_for(play.sheet(), by, at);
        self.look_at_pressed();
    }

    /// Whether an illegal move stands where a press was a moment ago.
    fn look_at_pressed(&mut self) {
        let (Some(pressed), Some(play)) = (&mut self.watch.pressed, &self.play) else { return };
        let tracker = play.tracker();
        let (by, at, latest) = (pressed.by, pressed.at, pressed.at + tracker.scan());
        let is_it = |mismatch: &Mismatch| {
            matches!(*mismatch, Mismatch::IllegalMove { by: mover, from, to, .. } if mover == by
                && tracker.changed_at(from) <= latest
                && tracker.changed_at(to) <= latest
                && !tracker.may_be_for_earlier(by, at, to))
        };
        let is_late = tracker.may_be_late_press(at);
        let shown = classify(&pressed.before, tracker.seen());
        pressed.illegal = shown.filter(|mismatch| !is_late && is_it(mismatch));
    }

    /// Watches for an illegal move that was pressed for to be put back.
    pub(super) fn watch_put_back(&mut self, now: Mono) {
        let (Some(pressed), Some(play)) = (&mut self.watch.pressed, &self.play) else { return };
        if pressed.illegal.is_none() || pressed.back.is_some() {
            return;
        }
        if now.since(pressed.at) > PUT_BACK_WITHIN {
            self.watch.pressed = None;
        } else if classify(&pressed.before, play.tracker().seen()).is_none() {
            pressed.back = Some(now);
            self.timers.set(Timer::Stood, now + BACK_AFTER);
        }
    }

    /// Tells that it was put back, if it has not been told otherwise.
    fn tell_put_back(&mut self, cx: &mut Cx<'_>, now: Mono) {
        let (Some(pressed), Some(play)) = (self.watch.pressed.take(), &self.play) else { return };
        let Some(Mismatch::IllegalMove { by, from, to, .. }) = pressed.illegal else { return };
        let is_known = !play.is_fresh() && !play.has_faulty_sensors();
        if !is_known || self.is_over() || self.is_silent() || self.is_after_gap(now) {
            return;
        }
        let n_plies = play.sheet().len();
        (self.watch.on_border, self.watch.left) = (None, None);
        self.watch.illegal_by = Some((by, n_plies));
        let kind = FindingKind::IllegalCompleted { from, to };
        let finding = Finding { kind, by: Some(by) };
        cx.facts.push(Fact::IllegalMove { stage: Stage::Completed, by, finding });
    }

    /// What stood at the last press is looked at, or told.
    pub(super) fn judge_pressed(&mut self, cx: &mut Cx<'_>, now: Mono) {
        match &self.watch.pressed {
            Some(pressed) if pressed.back.is_some() => self.tell_put_back(cx, now),
            _ => self.look_at_pressed(),
        }
    }
}

/// A press of `by` at `at`, and how the pieces stood when he was to move.
fn pressed_for(sheet: &ScoreSheet, by: Color, at: Mono) -> Option<PressedFor> {
    let n = sheet.len();
    let before = [n, n.saturating_sub(1)].map(|n| sheet.position(n));
    let before = before.into_iter().find(|pos| pos.turn() == by).cloned()?;
    Some(PressedFor { by, at, before, illegal: None, back: None })
}
