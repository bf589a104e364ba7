//! Disorder that is no move: what lies about at a press, boards and starts that are not right, and
//! presses that do not come.

use super::timers::Timer;
use super::watch::{InHand, MissingPress, SUSPECT_AFTER, Untidy};
use super::{Cx, Recorder};
use crate::game::entry::Fact;
use crate::laws::{Finding, FindingKind};
use crate::table::Reading;
use crate::time::Mono;
use crate::track::line::CompletedBy;
use std::time::Duration;

use shakmaty::{CastlingSide, Color, Position, Role, Square};

/// Pieces that must be missing beside a move that stands for the press to be told of.
const UNTIDY_MIN: usize = 2;
/// Between looks at whether a piece has come down.
const IN_HAND_EVERY: Duration = Duration::from_millis(300);
/// A piece that has not come down this long after the press will not be seen to.
const IN_HAND_MAX: Duration = Duration::from_secs(4);

impl Recorder {
    /// No legal move explains the press at `pressed`, and none that is not legal: says what of the
    /// presser's stood about then and still does.
    pub(super) fn tell_disorder_at_press(
        &mut self,
        cx: &mut Cx<'_>,
        now: Mono,
        by: Color,
        pressed: Mono,
    ) {
        let differs = self.difference();
        let Some(play) = self.play.as_ref().filter(|_| !self.is_after_gap(now)) else { return };
        let tracker = play.tracker();
        let own = tracker.best().standing().board().by_color(by);
        let of_his = own | tracker.seen().known().by_color(by);
        let stood = |sq: &Square| tracker.changed_at(*sq) <= pressed + tracker.scan();
        let squares: Vec<Square> = (differs & of_his).into_iter().filter(stood).collect();
        if squares.is_empty() {
            return;
        }
        if let Some(at) = self.captured_king(by) {
            let kind = FindingKind::KingCaptured { at };
            cx.facts.push(Fact::Found(Finding { kind, by: Some(by) }));
        } else if differs.count() == 1 && !tracker.seen().occupied().contains(squares[0])
            || play.suspected().is_some()
        {
            // The piece may still be in the hand that should have moved it, or on a square that
            // does not see it.
            self.watch.in_hand = Some(InHand { by, pressed });
            self.timers.set(Timer::InHand, now + IN_HAND_EVERY);
        } else {
            self.displaced(cx, squares);
        }
    }

    /// A press came while a piece stood nowhere. Once it stands, that was its move, and nobody is
    /// charged: a sensor that misses a piece looks the same as a hand that holds it (Decision 120).
    /// If it does not come, all that can be said is that it is missing.
    pub(super) fn judge_in_hand(&mut self, cx: &mut Cx<'_>, now: Mono) {
        let Some(InHand { by, pressed }) = self.watch.in_hand.take() else { return };
        let Some(play) = &self.play else { return };
        let tracker = play.tracker();
        let completed = |done: crate::track::Completion| done.at == pressed;
        if tracker.best().plies.iter().any(|ply| ply.completion.is_some_and(completed)) {
            return;
        }
        if now.since(pressed) < IN_HAND_MAX {
            self.watch.in_hand = Some(InHand { by, pressed });
            self.timers.set(Timer::InHand, now + IN_HAND_EVERY);
        } else {
            let stood = |sq: &Square| tracker.changed_at(*sq) <= pressed + tracker.scan();
            let squares: Vec<Square> = self.difference().into_iter().filter(stood).collect();
            self.lost_or_faulty(cx, squares);
        }
    }

    /// What stood on `squares` at a press is not explained. A sensor may be at fault.
    fn lost_or_faulty(&mut self, cx: &mut Cx<'_>, squares: Vec<Square>) {
        let Some(play) = self.play.as_mut().filter(|_| !squares.is_empty()) else { return };
        match play.suspected() {
            Some(faulty) if faulty.any() => {
                play.tell_sensors(faulty, cx.facts);
                self.watch.note_displaced();
            }
            _ => self.displaced(cx, squares),
        }
    }

    /// The board differs from the record on `squares`. Whoever pressed over it need not have
    /// knocked the pieces over, or have seen that they lie: nobody is named.
    pub(super) fn displaced(&mut self, cx: &mut Cx<'_>, squares: Vec<Square>) {
        if self.watch.untold_after.is_none() && !self.watch.note_displaced() {
            let kind = FindingKind::Displaced { squares };
            cx.facts.push(Fact::PositionLost(Finding { kind, by: None }));
        }
    }

    /// Where a piece of `by` stands instead of the other king, which is nowhere on the board. That
    /// king may have stepped into check before.
    pub(super) fn captured_king(&self, by: Color) -> Option<Square> {
        let tracker = self.play.as_ref()?.tracker();
        let (king, seen) = (Role::King.of(!by), tracker.seen());
        let stood = tracker.best().standing().board().king_of(!by);
        let at = tracker.last_seen(king).or(stood)?;
        let is_gone = seen.known().by_piece(king).is_empty();
        let taken = matches!(seen.get(at), Reading::Piece(piece) if piece.color == by);
        (is_gone && taken).then_some(at)
    }

    /// `by` has pressed on a move that stands. If other pieces of his are missing, it is looked
    /// again whether they are put back.
    pub(super) fn note_untidy(&mut self, now: Mono, by: Color) {
        let differs = self.difference();
        let Some(play) = &self.play else { return };
        let pos = play.tracker().best().standing();
        let squares = differs & pos.board().by_color(by) & !play.tracker().seen().occupied();
        // A single piece may be in the opponent's hand, who is taking or adjusting it.
        if squares.count() < UNTIDY_MIN {
            return;
        }
        self.watch.untidy = Some(Untidy { pressed: now, squares });
        self.timers.set(Timer::Untidy, now + SUSPECT_AFTER);
    }

    /// Tells of pieces that were missing at a press and still are.
    pub(super) fn tell_untidy(&mut self, cx: &mut Cx<'_>, now: Mono) {
        let Some(Untidy { pressed, squares }) = self.watch.untidy.take() else { return };
        let differs = self.difference() & squares;
        let Some(play) = &self.play else { return };
        let stood = |sq: &Square| play.tracker().changed_at(*sq) <= pressed;
        let squares: Vec<Square> = differs.into_iter().filter(stood).collect();
        if squares.len() >= UNTIDY_MIN && !self.is_after_gap(now) {
            self.displaced(cx, squares);
        }
    }

    /// The kind of an illegal king's move: castling without its rook looks like one.
    pub(super) fn illegal_king_move(&self, from: Square, to: Square) -> FindingKind {
        let illegal = FindingKind::IllegalCompleted { from, to };
        let Some(play) = &self.play else { return illegal };
        let pos = play.tracker().best().standing();
        let Some(king) = pos.board().piece_at(from).filter(|piece| piece.role == Role::King) else {
            return illegal;
        };
        let side = CastlingSide::ALL.into_iter().find(|side| side.king_to(king.color) == to);
        let rook = side.and_then(|side| pos.castles().rook(king.color, side));
        match rook.filter(|sq| play.tracker().seen().get(*sq) != Reading::Empty) {
            Some(rook) if from.distance(to) > 1 => FindingKind::RookForgotten { from, to, rook },
            _ => illegal,
        }
    }

    /// Watches over a player whose time runs although he has made his move.
    pub(super) fn watch_unpressed(&mut self, cx: &mut Cx<'_>, now: Mono) {
        let Some(by) = cx.clock.running().filter(|by| self.is_unpressed(*by)) else {
            self.timers.clear(Timer::Unpressed);
            self.watch.unpressed = None;
            return;
        };
        let is_known = matches!(self.watch.unpressed,
            Some(MissingPress::Waits(known) | MissingPress::Told(known)) if known == by);
        if !is_known {
            self.watch.unpressed = Some(MissingPress::Waits(by));
            self.timers.set(Timer::Unpressed, now + cx.settings.rests.unpressed);
        }
    }

    /// Tells of a player who has not pressed for long.
    pub(super) fn tell_unpressed(&mut self, cx: &mut Cx<'_>) {
        if let Some(MissingPress::Waits(by)) = self.watch.unpressed {
            self.watch.unpressed = Some(MissingPress::Told(by));
            cx.facts.push(Fact::Found(Finding { kind: FindingKind::NotPressed, by: Some(by) }));
        }
    }

    /// Whether `by` has made a move and not pressed: the last one, or both of his last two.
    fn is_unpressed(&self, by: Color) -> bool {
        let Some(play) = self.play.as_ref().filter(|play| !play.is_over()) else {
            return false;
        };
        let is_his = |idx: &usize| play.sheet().position(*idx).turn() == by;
        let mut his = (0..play.sheet().len()).rev().filter(is_his).map(|idx| {
            let done = play.sheet().moves()[idx].completed;
            done.is_none_or(|done| done.by != CompletedBy::Press)
        });
        let is_last = play.sheet().last().turn() != by;
        let (last, before) = (his.next() == Some(true), his.next() == Some(true));
        last && (is_last || before)
    }
}
