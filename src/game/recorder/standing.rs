//! Illegal moves that stand on the board: before the press, and where a press may have been meant
//! for something else.

use super::timers::Timer;
use super::watch::{LOOK_EVERY, LeftStanding, OnBorder, PressSource, SUSPECT_AFTER, Suspect};
use super::{Cx, Recorder};
use crate::game::entry::Fact;
use crate::game::play::Play;
use crate::laws::{Finding, FindingKind, Stage};
use crate::time::Mono;
use crate::track::Mismatch;
use crate::track::legal;
use crate::track::tracker::STEP_MAX;
use shakmaty::{Color, Piece, Position, Role, Square};
use std::time::Duration;

/// An illegal move must stand this long on a still board to be told before it is completed.
const ILLEGAL_AFTER: Duration = Duration::from_secs(3);
/// Whoever lets his illegal move stand for so long, while the opponent's time runs, has completed
/// it.
const LEFT_AFTER: Duration = Duration::from_millis(4_500);

/// A piece that is read where it may not go, and may stand half on a square where it may, gets this
/// long from the press to be set right before its player is blamed.
const BORDER_AFTER: Duration = Duration::from_millis(2_400);
/// And this long from when it came there.
const ASTRAY_AFTER: Duration = Duration::from_secs(8);
/// Any other gets so long that the record has looked at it with hindsight.
const LOOKED_AFTER: Duration = Duration::from_millis(1_800);
/// A press without a move is not told before its player's opponent has had so long to take his last
/// move back, for which the time may have been given back to him.
const GIVEN_BACK_AFTER: Duration = Duration::from_millis(2_400);
/// A clock that runs has sent its next message by then (protocol 2.6).
const LEVER_AFTER: Duration = Duration::from_secs(2);
/// Between looks at such a piece, or at the lever.
const BORDER_EVERY: Duration = Duration::from_millis(200);

impl Recorder {
    /// Whether the board has not been read twice since a press, where a message may be hurt. It is
    /// asked for then: nobody is named for what is read once. Its memory is heard to its end first.
    fn is_to_be_read(&mut self, cx: &mut Cx<'_>, now: Mono, suspect: Suspect) -> bool {
        if self.is_telling_memory(cx) {
            self.look_again(suspect, now);
            return true;
        }
        if cx.board.confirmed(now).is_some_and(|confirmed| confirmed >= suspect.at) {
            return false;
        }
        cx.board.want_picture(now);
        self.watch.suspect = Some(suspect);
        self.timers.set(Timer::Suspect, now + SUSPECT_AFTER);
        true
    }

    /// A move may be missing that a board of moves was to say: once behind each half-move.
    pub(in crate::game) fn tell_untold(&mut self, cx: &mut Cx<'_>) {
        let n_plies = Some(self.play.as_ref().map_or(0, |play| play.sheet().len()));
        if std::mem::replace(&mut self.watch.untold_after, n_plies) != n_plies {
            cx.facts.push(Fact::Found(Finding { kind: FindingKind::NotTold, by: None }));
        }
    }

    /// The arbiter has entered what was played: a board of moves stands so from now on.
    pub(in crate::game) fn note_entered(&mut self) {
        self.watch.untold_after = None;
    }

    /// A press has stood without a legal move: say what stands on the board instead.
    pub(super) fn judge_suspect(&mut self, cx: &mut Cx<'_>, now: Mono) {
        let Some(suspect) = self.watch.suspect.take() else { return };
        let Suspect { by, at: pressed, how, before, .. } = suspect;
        if self.is_over() || self.is_to_be_read(cx, now, suspect) {
            return;
        }
        self.look(cx, now, STEP_MAX);
        if self.judge_border(cx, now, suspect) {
            return;
        }
        // A board that was taken over as it stood may have been in motion then.
        let is_blamable = |play: &&Play| !play.is_fresh() && !play.stands_pressed(pressed);
        let Some(play) = self.play.as_ref().filter(is_blamable) else {
            return;
        };
        let mismatch = play.tracker().mismatch_at(pressed);
        let is_illegal = play.tracker().is_illegal_press(pressed);
        let stood = |sq| {
            let at = play.tracker().changed_at(sq);
            at <= pressed + play.tracker().scan() && (is_illegal || play.tracker().is_astray(by))
        };
        let kind = match mismatch {
            None if self.watch.told_illegal.is_some() || how == PressSource::Button => return,
            None if self.watch.is_after_gap(now) || self.has_gap => return,
            None if !play.has_open_press(pressed) => return,
            // It was for something that a hand did, however that is recorded in the end; or the
            // opponent had pressed without a move, and is given back his time.
            None if may_have_moved(play, by, before) => return,
            // By now a move may have been made.
            None if !suspect.is_on_move || !self.watch.is_on_move(play, by) => return,
            None if cx.board.is_reckoned() => return self.tell_untold(cx),
            None if may_be_hurt(cx, now, suspect) => return self.look_again(suspect, now),
            None => FindingKind::PressWithoutMove,
            Some(ref mismatch) => match self.illegal_of(mismatch) {
                Some((mover, from, to, _))
                    if mover == by && play.tracker().is_press_for_other(pressed, from, to) =>
                {
                    // What is astray beside the move that was pressed for was knocked over, or
                    // stands over a border until it is set right.
                    if !play.tracker().may_stand_beside(from, to) {
                        self.tell_disorder_at_press(cx, now, by, pressed);
                    }
                    return;
                }
                Some((mover, _, to, kind)) if mover == by && stood(to) => kind,
                _ => return self.tell_disorder_at_press(cx, now, by, pressed),
            },
        };
        let finding = Finding { kind, by: Some(by) };
        let Some(mismatch) = mismatch else {
            self.watch.for_nothing = Some((by, pressed));
            return self.timers.set(Timer::ForNothing, pressed + GIVEN_BACK_AFTER);
        };
        if self.waits_for_border(cx, now, suspect, &mismatch, &finding) {
            return;
        }
        let Some(play) = &self.play else { return };
        if play.has_faulty_sensors() {
            // Nobody is blamed for what a sensor does not tell.
            return self.displaced(cx, self.difference().into_iter().collect());
        }
        let is_late = is_illegal && play.tracker().may_be_late_press(pressed);
        if is_late || is_for_earlier(play, by, pressed, &mismatch) {
            // Whether he pressed for it is told by whether he lets it stand, or is given the move
            // once more.
            self.watch.left = Some(LeftStanding { by, mismatch, finding });
            return self.tell_illegal_left(cx, now);
        }
        self.tell_completed(cx, by, mismatch, finding);
    }

    /// Tells a press without a move, unless its player's opponent has moved his own pieces since:
    /// he takes his last move back, and was given back his time for that.
    pub(super) fn tell_for_nothing(&mut self, cx: &mut Cx<'_>) {
        self.timers.clear(Timer::ForNothing);
        let (Some((by, at)), Some(play)) = (self.watch.for_nothing.take(), &self.play) else {
            return;
        };
        if self.is_over() || self.is_silent() || play.tracker().has_stirred(!by, at) {
            return;
        }
        (self.watch.illegal_by, self.watch.told_illegal) = (None, None);
        let kind = FindingKind::PressWithoutMove;
        cx.facts.push(Fact::Found(Finding { kind, by: Some(by) }));
    }

    /// Whether the illegal move that `by` pressed for at `pressed`, and that `mismatch` shows, may
    /// be a piece that stands half on another square: then it is looked again. Where his opponent
    /// has answered, that is what it was.
    pub(super) fn waits_for_border(
        &mut self,
        cx: &mut Cx<'_>,
        now: Mono,
        suspect: Suspect,
        mismatch: &Mismatch,
        finding: &Finding,
    ) -> bool {
        let (Some(play), Suspect { by, at: pressed, .. }) = (&self.play, suspect) else {
            return false;
        };
        let &Mismatch::IllegalMove { piece, from, to, .. } = mismatch else { return false };
        let may_wait = matches!(
            finding.kind,
            FindingKind::IllegalCompleted { .. } | FindingKind::RookForgotten { .. }
        );
        // Where an illegal move is on record already, the next one may only look like it.
        let is_beside = play.tracker().may_stand_beside(from, to) || play.has_recent_illegal();
        // The rook of a king that went far may follow.
        let is_castling = piece.role == Role::King && from.distance(to) > 1;
        let until = match is_beside {
            true => (pressed + BORDER_AFTER).max(play.tracker().changed_at(to) + ASTRAY_AFTER),
            false if is_castling => pressed + BORDER_AFTER,
            false => pressed + LOOKED_AFTER,
        };
        // Whether it was pressed for at all is told by whether it is left there.
        let is_late = !is_beside && play.tracker().may_be_late_press(pressed)
            || is_for_earlier(play, by, pressed, mismatch);
        if !may_wait || is_late || now >= until || !cx.clock.is_running() {
            return false;
        }
        let is_answer = |(last, at): (Color, Mono)| {
            last != by && at > pressed && play.tracker().is_press_for_later(at, to)
        };
        if !self.watch.last_press.is_some_and(is_answer) {
            let mismatch = mismatch.clone();
            let finding = finding.clone();
            let border = OnBorder { by, pressed, piece, from, to, mismatch, finding };
            self.await_border(border, suspect, now);
        }
        true
    }

    /// Judges the piece that may have stood half on another square. Back where it came from it was
    /// an illegal move, which was pressed for; in the air it is waited for. True if that is all.
    pub(super) fn judge_border(&mut self, cx: &mut Cx<'_>, now: Mono, suspect: Suspect) -> bool {
        let Some(border) = self.watch.on_border.take() else { return false };
        let Some(play) = &self.play else { return false };
        if play.stands_pressed(border.pressed) {
            // Answered, it is on record as what it is, unless that came too soon to set it right.
            let is_illegal = play.tracker().is_illegal_press(border.pressed)
                && now >= border.pressed + BORDER_AFTER;
            if is_illegal && now < play.tracker().changed_at(border.to) + ILLEGAL_AFTER {
                // It has only just left: what it was, the record is about to look at.
                self.await_border(border, suspect, now);
            } else if is_illegal {
                self.tell_completed(cx, border.by, border.mismatch, border.finding);
            }
            return is_illegal;
        }
        let seen = play.tracker().seen();
        let reads = |sq| seen.get(sq).may_be(border.piece);
        // Who presses without a move of his own gives the opponent back his time.
        let is_claimed = suspect.by != border.by;
        if is_claimed && play.has_told_sensors() {
            // Both press for moves that a sensor does not tell.
            self.displaced(cx, self.difference().into_iter().collect());
            return true;
        }
        if play.tracker().came_before_reply(border.by, border.to) {
            return false;
        }
        if reads(border.from) || is_claimed {
            self.tell_completed(cx, border.by, border.mismatch, border.finding);
            return true;
        }
        let is_in_the_air = !reads(border.to) && now < suspect.at + BORDER_AFTER + ASTRAY_AFTER;
        if is_in_the_air {
            self.await_border(border, suspect, now);
        }
        is_in_the_air
    }

    /// Looks at such a piece again in a moment.
    fn await_border(&mut self, border: OnBorder, suspect: Suspect, now: Mono) {
        self.watch.on_border = Some(border);
        self.look_again(suspect, now);
    }

    /// Looks at a press again in a moment.
    fn look_again(&mut self, suspect: Suspect, now: Mono) {
        self.watch.await_suspect(suspect);
        self.timers.set(Timer::Suspect, now + BORDER_EVERY);
    }

    /// The arbiter hears of an illegal move as soon as it stands, although it may be corrected
    /// without penalty until the press.
    pub(super) fn tell_illegal_on_board(&mut self, cx: &mut Cx<'_>, now: Mono) {
        let Some(play) = &self.play else { return };
        let mismatch = play.mismatch();
        let Some(Mismatch::IllegalMove { by, from, to, piece }) = mismatch else { return };
        let is_castling = piece.role == Role::King && from.distance(to) > 1;
        let is_en_passant = piece.role == Role::Pawn && from.file() != to.file();
        let tracker = play.tracker();
        let has_pressed = self.watch.last_press.is_some_and(|(presser, at)| {
            presser == by && tracker.changed_at(to) <= at + tracker.scan()
        });
        let still = now.since(tracker.last_change());
        if self.watch.told_illegal == mismatch
            || self.watch.has_suspect()
            || play.has_faulty_sensors()
            || by != play.sheet().last().turn()
            || is_castling
            || is_en_passant
            || play.tracker().came_before_reply(by, to)
            || play.is_taking_back(from, to, has_pressed)
            || self.watch.is_after_gap(now)
        {
            return;
        }
        if still < ILLEGAL_AFTER {
            if !self.timers.is_set(Timer::Rest) {
                self.timers.set(Timer::Rest, now + (ILLEGAL_AFTER - still));
            }
            return;
        }
        let finding = Finding { kind: FindingKind::IllegalOnBoard { from, to }, by: Some(by) };
        cx.facts.push(Fact::IllegalMove { stage: Stage::Made, by, finding });
        self.watch.told_illegal = mismatch;
    }

    /// An illegal move that stood when its player pressed, and that he leaves there while his
    /// opponent's time runs, is completed, whatever else he may have pressed for.
    pub(super) fn tell_illegal_left(&mut self, cx: &mut Cx<'_>, now: Mono) {
        let Some(play) = &self.play else { return };
        let Some(mismatch) = play.mismatch() else { return };
        let Some((by, from, to, kind)) = self.illegal_of(&mismatch) else { return };
        let changed_at = |sq| play.tracker().changed_at(sq);
        let came = changed_at(to);
        let has_pressed = self
            .watch
            .last_press
            .is_some_and(|(presser, at)| presser == by && came <= at + play.tracker().scan());
        if self.watch.told_completed == Some(came)
            || !has_pressed
            || !play.tracker().is_last_of(by, to)
            || cx.clock.running() != Some(!by)
            || play.has_faulty_sensors()
            || self.is_after_gap(now)
        {
            return;
        }
        let stood = now.since(came.max(changed_at(from)));
        if self.watch.has_suspect() || stood < LEFT_AFTER {
            if !self.timers.is_set(Timer::Rest) {
                self.timers
                    .set(Timer::Rest, now + LEFT_AFTER.saturating_sub(stood).max(LOOK_EVERY));
            }
            return;
        }
        // What was put right while the clock stood has not been searched for yet.
        if play.shows_one_more_move() {
            return;
        }
        self.tell_completed(cx, by, mismatch, Finding { kind, by: Some(by) });
    }

    /// The clock was stopped on an illegal move that may not have been pressed for, or is set going
    /// `again` for whoever had left one standing: it had been.
    pub(super) fn tell_illegal_stopped(&mut self, cx: &mut Cx<'_>, again: Option<Color>) {
        let (Some(left), Some(play)) = (&self.watch.left, &self.play) else { return };
        let stands = match left.mismatch {
            Mismatch::IllegalMove { to, .. } | Mismatch::PawnOnLastRank { to, .. } => {
                play.tracker().seen().occupied().contains(to)
            }
            Mismatch::Disorder(_) => false,
        };
        if again.map_or(stands, |turn| turn == left.by)
            && let Some(LeftStanding { by, mismatch, finding }) = self.watch.left.take()
        {
            self.tell_completed(cx, by, mismatch, finding);
        }
    }

    /// Who made the illegal move that `mismatch` shows, from where to where, and what it is called
    /// once it is completed. `None` if it shows none.
    pub(super) fn illegal_of(
        &self,
        mismatch: &Mismatch,
    ) -> Option<(Color, Square, Square, FindingKind)> {
        match *mismatch {
            // A king that comes to its rook has castled, and something of it was not read.
            Mismatch::IllegalMove { piece, .. } if self.follows_rook(piece) => None,
            Mismatch::IllegalMove { by, from, to, .. } => {
                Some((by, from, to, self.illegal_king_move(from, to)))
            }
            Mismatch::PawnOnLastRank { by, from, to } => {
                Some((by, from, to, FindingKind::PromotionIncomplete { at: to }))
            }
            Mismatch::Disorder(_) => None,
        }
    }

    /// Whether `piece` is a king that stands where it castles to, with the rook's half of that on
    /// record as its player's last move.
    fn follows_rook(&self, piece: Piece) -> bool {
        let Some(play) = self.play.as_ref().filter(|_| piece.role == Role::King) else {
            return false;
        };
        let sheet = play.sheet();
        let last = sheet.moves().last().filter(|_| sheet.last().turn() != piece.color);
        last.is_some_and(|last| {
            let before = sheet.position(sheet.len() - 1);
            legal::is_half_of_castling(before, last.m, play.tracker().seen())
        })
    }

    /// Tells that `by` has completed the illegal move `mismatch`.
    pub(super) fn tell_completed(
        &mut self,
        cx: &mut Cx<'_>,
        by: Color,
        mismatch: Mismatch,
        finding: Finding,
    ) {
        let Some(play) = &self.play else { return };
        (self.watch.left, self.watch.pressed) = (None, None);
        self.watch.illegal_by = Some((by, play.sheet().len()));
        if let Mismatch::IllegalMove { to, .. } | Mismatch::PawnOnLastRank { to, .. } = mismatch {
            self.watch.told_completed = Some(play.tracker().changed_at(to));
        }
        self.watch.told_illegal = Some(mismatch);
        cx.facts.push(Fact::IllegalMove { stage: Stage::Completed, by, finding });
    }
}

/// Whether a hand of `by` did anything after `before`, or castled where no sensor shows it: the
/// reply tells.
fn may_have_moved(play: &Play, by: Color, before: Mono) -> bool {
    let tracker = play.tracker();
    tracker.has_stirred(by, before) || tracker.seen().hides_castling(play.sheet().last())
}

/// Whether the lever has gone over in one message alone, and the next is still to come: nobody is
/// named for what a hurt bit can say.
fn may_be_hurt(cx: &Cx<'_>, now: Mono, suspect: Suspect) -> bool {
    cx.clock.is_turned_once() && now < suspect.at + LEVER_AFTER
}

/// Whether the press of `by` at `pressed` may have been for what he had moved before the illegal
/// move that `mismatch` shows.
fn is_for_earlier(play: &Play, by: Color, pressed: Mono, mismatch: &Mismatch) -> bool {
    match *mismatch {
        Mismatch::IllegalMove { to, .. } | Mismatch::PawnOnLastRank { to, .. } => {
            play.tracker().may_be_for_earlier(by, pressed, to)
        }
        Mismatch::Disorder(_) => false,
    }
}
