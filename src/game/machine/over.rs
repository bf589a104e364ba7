//! The end that a position brings by itself, with a referee at the board: it says what it is, the
//! record says when it is certain that the move was made.

use super::Game;
use super::told::record_of;
use crate::game::bench::Bench;
use crate::game::entry::Fact;
use crate::game::play::Play;
use crate::laws::{Act, Declaration, Order, Told};
use crate::time::Mono;
use crate::track::tracker::STEP_MAX;
use shakmaty::Position;

impl Game {
    /// Tells the referee that the last move is on record for good, if it ends the game.
    pub(super) fn end_by_position(&mut self, now: Mono) {
        let (Some(play), Some(bench)) = (self.recorder.play(), &mut self.bench) else { return };
        let is_ended = play.ending().is_some_and(|ending| ending.reason.is_of_position());
        if bench.referee().result().is_some() || !is_ended && !bench.referee().awaits_record() {
            return;
        }
        if !is_ended && self.clock.is_interrupted() {
            self.take_made_at_stop(now);
        }
        let (Some(play), Some(bench)) = (self.recorder.play(), &mut self.bench) else { return };
        let is_ended = play.ending().is_some_and(|ending| ending.reason.is_of_position());
        let record = record_of(play.sheet());
        let is_known = !bench.referee().differs(&record);
        if !is_ended && (!is_known || bench.doubt().is_some()) {
            return;
        }
        if !is_ended {
            let Some(due) = play.final_at() else { return };
            if now < due {
                self.recorder.wait_until_final(due);
                return;
            }
        }
        if is_ended {
            // No press counts after the end, and nobody is blamed for one.
            bench.take_doubt();
        }
        if !is_known {
            self.tell_now(now, &Told::Record(record));
        }
        self.tell_final(now);
    }

    /// The referee has seen a move that ends the game, made while the clock stands: out of the
    /// envelope, or with a new piece that was fetched. Nobody will set the clock going for a reply,
    /// so the record takes it now.
    fn take_made_at_stop(&mut self, now: Mono) {
        let may_take =
            |bench: &&Bench| bench.referee().may_move_at_stop() && self.recorder.sees_all();
        let Some(bench) = self.bench.as_ref().filter(may_take) else { return };
        let (n, times) = (bench.referee().moves().len(), self.clock.times());
        let after = bench.referee().position().board().clone();
        if let Some(play) = self.recorder.play_mut().filter(|play| play.sheet().len() + 1 == n) {
            play.take_made(now, &after, times, &mut self.out.facts);
        }
    }

    /// Somebody speaks, or a flag falls: what stands on the board by then was played. A mate is one
    /// however soon a flag falls after it. All editions: Art. 5.1a (5.1.1), 6.9.
    pub(super) fn look_before(&mut self, now: Mono, told: &Told) {
        if !self.clock.is_interrupted() && self.recorder.wake_at().is_some_and(|due| due <= now) {
            self.run_timers(now);
        }
        self.tell_made(now);
        self.take_before(now, told);
        self.tell_made(now);
        let is_shown = self.recorder.play().is_some_and(|play| play.mismatch().is_none());
        if is_shown && self.bench.as_ref().is_some_and(|bench| bench.referee().awaits_record()) {
            self.tell_final(now);
        }
    }

    /// The record takes what stands on the board for as long as a move must.
    fn take_before(&mut self, now: Mono, told: &Told) {
        let awaits =
            |game: &Self| game.bench.as_ref().is_some_and(|bench| bench.referee().awaits_record());
        let is_open = !self.recorder.is_over() && !self.clock.is_interrupted();
        if !is_open || !awaits(self) && !may_end_game(told) {
            return;
        }
        let is_exact = |play: &Play| play.mismatch().is_none() || play.shows_one_more_move();
        if self.recorder.play().is_some_and(is_exact) {
            let (recorder, mut cx) = self.parts();
            recorder.look(&mut cx, now, STEP_MAX);
        }
    }

    /// The record has withdrawn an end that the position had brought.
    pub(super) fn tell_reopened(&mut self, now: Mono) {
        let is_known = |bench: &Bench| {
            bench.referee().result().is_some_and(|known| known.code.is_end_by_position())
        };
        let is_reopened = self.out.facts.iter().any(|fact| matches!(fact, Fact::Reopened(_)));
        if is_reopened && !self.recorder.is_over() && self.bench.as_ref().is_some_and(is_known) {
            self.tell_now(now, &Told::Reopened);
        }
    }

    /// The referee and the record know the same moves: these are final.
    pub(super) fn tell_final(&mut self, now: Mono) {
        let (Some(play), Some(bench)) = (self.recorder.play(), &self.bench) else { return };
        if !bench.referee().differs(&record_of(play.sheet())) {
            self.tell_now(now, &Told::Final);
        }
    }
}

/// Whether what is told may be the end of the game: no move is looked for after it.
const fn may_end_game(told: &Told) -> bool {
    matches!(
        told,
        Told::Flag(_)
            | Told::FlagsUnknown
            | Told::Act(
                Act::Signed { .. }
                    | Act::Declared { said: Declaration::Resign | Declaration::AcceptDraw, .. }
                    | Act::Ordered { order: Order::Result(..), .. }
            )
    )
}
