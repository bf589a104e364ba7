//! Illegal moves that stand on the board: before the press, and where a press may have been meant
//! for something else.

use super::entry::{Fact, Stage};
use super::machine::Game;
use super::timers::Timer;
use super::watch::LOOK_EVERY;
use crate::laws::{Finding, FindingKind};
use crate::time::Mono;
use crate::track::Mismatch;
use crate::track::tracker::SCAN;
use shakmaty::{Color, Position, Role, Square};
use std::time::Duration;

/// An illegal move must stand this long on a still board to be told before it is completed.
const ILLEGAL_AFTER: Duration = Duration::from_secs(3);
/// Whoever lets his illegal move stand for so long, while the opponent's time runs, has completed
/// it.
const LEFT_AFTER: Duration = Duration::from_millis(4_500);

impl Game {
    /// The arbiter hears of an illegal move as soon as it stands, although it may be corrected
    /// without penalty until the press.
    pub(super) fn tell_illegal_on_board(&mut self, now: Mono) {
        let Some(play) = &self.play else { return };
        let mismatch = play.mismatch();
        let Some(Mismatch::IllegalMove { by, from, to, piece }) = mismatch else { return };
        let is_castling = piece.role == Role::King && from.distance(to) > 1;
        let is_en_passant = piece.role == Role::Pawn && from.file() != to.file();
        let still = now.since(play.tracker().last_change());
        if self.watch.told_illegal == mismatch
            || self.watch.has_suspect()
            || play.has_faulty_sensors()
            || by != play.sheet().last().turn()
            || is_castling
            || is_en_passant
            || self.watch.is_after_gap(now)
        {
            return;
        }
        if still < ILLEGAL_AFTER {
            if !self.timers.is_set(Timer::Settle) {
                self.timers.set(Timer::Settle, now + (ILLEGAL_AFTER - still));
            }
            return;
        }
        let finding = Finding { kind: FindingKind::IllegalOnBoard { from, to }, by: Some(by) };
        self.facts.push(Fact::IllegalMove { stage: Stage::Made, by, finding });
        self.watch.told_illegal = mismatch;
    }

    /// An illegal move that stood when its player pressed, and that he leaves there while his
    /// opponent's time runs, is completed, whatever else he may have pressed for.
    pub(super) fn tell_illegal_left(&mut self, now: Mono) {
        let Some(play) = &self.play else { return };
        let Some(mismatch) = play.mismatch() else { return };
        let Some((by, from, to, kind)) = self.illegal_of(&mismatch) else { return };
        let changed_at = |sq| play.tracker().changed_at(sq);
        let came = changed_at(to);
        let has_pressed =
            self.watch.last_press.is_some_and(|(presser, at)| presser == by && came <= at + SCAN);
        if self.watch.told_completed == Some(came)
            || !has_pressed
            || !play.tracker().is_last_of(by, to)
            || self.clock.running() != Some(!by)
            || play.has_faulty_sensors()
            || self.is_after_gap(now)
        {
            return;
        }
        let stood = now.since(came.max(changed_at(from)));
        if self.watch.has_suspect() || stood < LEFT_AFTER {
            if !self.timers.is_set(Timer::Settle) {
                self.timers
                    .set(Timer::Settle, now + LEFT_AFTER.saturating_sub(stood).max(LOOK_EVERY));
            }
            return;
        }
        // What was put right while the clock stood has not been searched for yet.
        if play.shows_one_more_move() {
            return;
        }
        self.tell_completed(by, mismatch, Finding { kind, by: Some(by) });
    }

    /// Who made the illegal move that `mismatch` shows, from where to where, and what it is called
    /// once it is completed. `None` if it shows none.
    pub(super) fn illegal_of(
        &self,
        mismatch: &Mismatch,
    ) -> Option<(Color, Square, Square, FindingKind)> {
        match *mismatch {
            Mismatch::IllegalMove { by, from, to, .. } => {
                Some((by, from, to, self.illegal_king_move(from, to)))
            }
            Mismatch::PawnOnLastRank { by, from, to } => {
                Some((by, from, to, FindingKind::PromotionIncomplete { at: to }))
            }
            Mismatch::Disorder(_) => None,
        }
    }

    /// Tells that `by` has completed the illegal move `mismatch`.
    pub(super) fn tell_completed(&mut self, by: Color, mismatch: Mismatch, finding: Finding) {
        let Some(play) = &self.play else { return };
        self.watch.illegal_by = Some((by, play.sheet().len()));
        if let Mismatch::IllegalMove { to, .. } | Mismatch::PawnOnLastRank { to, .. } = mismatch {
            self.watch.told_completed = Some(play.tracker().changed_at(to));
        }
        self.watch.told_illegal = Some(mismatch);
        self.facts.push(Fact::IllegalMove { stage: Stage::Completed, by, finding });
    }
}
