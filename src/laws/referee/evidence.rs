//! What is not held against hands: a piece that slides on, what lies about for a moment, and what is
//! moved while the clock stands.

use super::super::code::Code;
use super::super::picture::{Thing, exact, target_of, victim_of};
use super::super::said::Ruling;
use super::turn::Cause;
use super::{Phase, Referee, Turn};
use shakmaty::{Color, Move, Square};

impl Referee {
    /// The clock has run and stands, and nobody has said why. What is moved now is no play: a claim
    /// is being shown, or the game is over by the players' word.
    pub(super) fn is_idle(&self) -> bool {
        !self.terms.evidence.is_tidy()
            && self.phase == Phase::Running
            && self.clocks.running.is_none()
            && self.paused.is_none()
            && !self.sitting.is_opened
    }

    /// Remembers when the piece that was moved last left its new square again.
    pub(super) fn note_withdrawn(&mut self, sq: Square, thing: Option<Thing>) {
        let last = self.game.last_ply().filter(|ply| !ply.is_completed && !ply.is_illegal);
        let is_it = last.is_some_and(|ply| target_of(ply.m, ply.by) == sq);
        if is_it && thing.is_none() {
            self.turn.withdrawn.get_or_insert(self.now);
        } else if is_it {
            self.turn.withdrawn = None;
        }
    }

    /// Whether what stands may be blamed on somebody. Hands slide pieces, put them between squares
    /// and knock them over, and messages get lost: without a press it is, when the record calls.
    pub(super) fn may_blame(&self, cause: Cause) -> bool {
        cause == Cause::Press || self.is_called || self.terms.evidence.is_tidy()
    }

    /// The record has long found no move in what stands, or finds order again.
    pub(super) fn on_looked(&mut self) {
        self.is_called = true;
        self.judge(Cause::Rest);
        self.is_called = false;
    }

    /// Own and enemy piece were touched at once. Where the one takes the other it says nothing.
    pub(super) fn note_simultaneous(&mut self, m: Move, turn: &Turn, by: Color) {
        let touched = |sq| turn.touches.includes(sq);
        let takes = m.is_capture() && touched(victim_of(m)) && m.from().is_some_and(touched);
        if turn.is_simultaneous && !takes {
            self.log(Code::SimultaneousTouch, Some(by));
        }
    }

    /// A piece that rested for a moment on a square where it might have stayed has gone on: it was
    /// slid, and not released there. True if that explains the board.
    pub(super) fn has_gone_on(&mut self) -> bool {
        let Some(ply) = self.game.last_ply() else { return false };
        let Some(left) = self.turn.withdrawn else { return false };
        let rested = left.since(ply.made) + self.terms.settle;
        if rested >= self.terms.evidence.released {
            return false;
        }
        let (old, by) = (ply.m, ply.by);
        let [other] = exact(self.game.before_last(), &self.seen)[..] else { return false };
        if old.is_promotion() || other.role() != old.role() || other.from() != old.from() {
            return false;
        }
        let idx = self.game.len() - 1;
        self.game.truncate(idx);
        let ply = self.game.push(other, self.now, false);
        let (san, uci) = (ply.san.clone(), ply.uci.clone());
        self.turn.withdrawn = None;
        self.say(Ruling::Made { by, san, uci });
        self.after_made();
        true
    }
}
