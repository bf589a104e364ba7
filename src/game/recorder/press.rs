//! What is done at presses and stops and in quiet moments: when to look at the board, and what to
//! report to the arbiter.

use super::timers::Timer;
use super::watch::{LOOK_EVERY, PressSource, SUSPECT_AFTER, Suspect};
use super::{Cx, KINGS_HOLD, Recorder, VERIFY_AFTER};
use crate::clock::ClockPresence;
use crate::game::bench::Bench;
use crate::game::entry::{Fact, LinkState};
use crate::game::play::{BOUNCE, Play, REPAIR_AFTER};
use crate::laws::{Ending, Finding, FindingKind};
use crate::table::Reading;
use crate::time::Mono;
use crate::track::legal;
use crate::track::tracker::STEP_MAX;
use crate::track::{Ply, Step};
use shakmaty::{Bitboard, Color, Position, Square};
use std::time::Duration;

/// A lever that was pushed back at once is pressed again within this time.
const PUSHED_BACK: Duration = Duration::from_secs(2);
/// Board and record may differ this long before it is reported.
pub(super) const DISPLACED_AFTER: Duration = Duration::from_secs(5);
/// So long after the clock was stopped on it a difference is reported that is still there. Less
/// than it takes the kings to announce a result.
const STOPPED_AFTER: Duration = Duration::from_secs(2);
/// A single lifted piece may be held this long.
const HELD_AFTER: Duration = Duration::from_secs(30);
/// After this stillness nothing more comes of looking.
const LOOK_UNTIL: Duration = Duration::from_secs(10);
/// A board that contradicts the best line tells by that for this long; see
/// [`crate::track::tracker::STILL_MAX`].
const WEIGH_UNTIL: Duration = Duration::from_millis(2_000);

impl Recorder {
    /// Whether what was pressed or moved may have been missed.
    pub(super) fn is_after_gap(&self, now: Mono) -> bool {
        self.watch.is_after_gap(now) || self.has_gap
    }

    /// Whether the board has been seen since it was last away, and all that was played is known.
    pub(in crate::game) fn is_in_step(&self, now: Mono) -> bool {
        self.silence.is_none() && !self.watch.is_after_gap(now)
    }

    pub(in crate::game) fn is_over(&self) -> bool {
        self.play.as_ref().is_none_or(Play::is_over)
    }

    pub(super) fn may_judge(&self, cx: &Cx<'_>) -> bool {
        !self.is_over() && !cx.clock.is_interrupted() && self.is_heard(cx)
    }

    /// Whether what stands on the board is known: only then does it rest.
    pub(super) fn is_heard(&self, cx: &Cx<'_>) -> bool {
        !self.is_blind && !self.is_silent() && !self.is_telling_memory(cx)
    }

    pub(super) fn rest_time(&self, cx: &Cx<'_>) -> Duration {
        let rests = &cx.settings.rests;
        // Nothing heard of a clock yet means that there may be one.
        let has_none = cx.clock.device() == ClockPresence::Absent
            || cx.clock.device() == ClockPresence::Present && !cx.clock.has_run();
        if has_none { rests.without_clock } else { rests.with_clock }
    }

    /// The board is to be judged once it has been still for long enough from now.
    pub(in crate::game) fn look_at_rest(&mut self, cx: &Cx<'_>, now: Mono) {
        self.timers.set(Timer::Rest, now + self.rest_time(cx));
    }

    /// The board has been still for long enough.
    pub(super) fn judge_rest(&mut self, cx: &mut Cx<'_>, now: Mono) {
        // Once the board has been searched as it stands, only time tells more.
        let depth = if self.watch.note_search(self.last_change()) { 0 } else { STEP_MAX };
        self.adopt_anew(cx, now);
        self.look(cx, now, depth);
        self.tell_illegal_on_board(cx, now);
        self.tell_illegal_left(cx, now);
    }

    pub(super) fn board_changed(&mut self, cx: &mut Cx<'_>, now: Mono) {
        self.timers.set(Timer::Verify, now + VERIFY_AFTER);
        self.look_at_rest(cx, now);
        self.timers.set(Timer::Shown, now + cx.settings.rests.without_clock);
        self.note_stir(cx, now);
        self.timers.set(Timer::Repair, now + REPAIR_AFTER);
        if let Some(play) = &mut self.play {
            play.note_left();
        }
        if !cx.clock.is_interrupted() && self.difference().is_empty() {
            // What was held is back, or where it belongs: what differs later has not differed yet.
            (self.watch.differs_since, self.watch.held) = (None, None);
            self.timers.clear(Timer::Displaced);
        }
        self.watch_for_restart(cx, now);
        self.watch_kings(now);
    }

    /// Waits until both kings have stood in the center for long enough, if they stand there.
    pub(super) fn watch_kings(&mut self, now: Mono) {
        if self.kings_in_center().is_none() {
            self.timers.clear(Timer::Kings);
        } else if !self.timers.is_set(Timer::Kings) {
            self.timers.set(Timer::Kings, now + KINGS_HOLD);
        }
    }

    pub(in crate::game) fn take_press(
        &mut self,
        cx: &mut Cx<'_>,
        now: Mono,
        by: Color,
        how: PressSource,
    ) {
        self.joining.press(by);
        self.found = None;
        if self.is_over() {
            return self.press_after_end(cx, now, by);
        }
        cx.facts.push(Fact::Pressed { by });
        let left = cx.clock.times().map(|times| *times.get(by));
        self.keep_step(now, Step::Pressed { by, left });
        let times = cx.clock.times_at_press(now, by);
        if self.is_silent() {
            self.watch.last_press = Some((by, now));
            return self.press_in_silence(now);
        }
        if self.pass_taken_over(cx, now, by) {
            return;
        }
        self.note_pressed(cx, now, by);
        let Some(play) = &mut self.play else { return };
        let suspect = self.watch.suspect;
        let is_touch = |known: &Suspect| known.is_touch(now, by, play.tracker(), cx.clock);
        if let Some(bounced) = suspect.filter(is_touch) {
            // It was touched, not pressed. What was moved before may have waited for this press.
            play.forget_press(bounced.at);
            self.watch.suspect = None;
            play.press(now, by, times, cx.facts);
            if !play.stands_pressed(now) {
                play.forget_press(now);
            }
            return;
        }
        let (last_press, before) = self.watch.note_press(now, by);
        play.press(now, by, times, cx.facts);
        self.press_stand(cx, now, by);
        let Some(play) = &mut self.play else { return };
        // Whoever presses after an illegal move has answered it, unless he presses for what he did
        // before: what stands now is another matter.
        if !play.tracker().is_late_press(now) {
            self.watch.told_illegal = None;
        }
        let is_answered = |suspect: Suspect| play.stands_pressed(suspect.at);
        let is_unclear =
            self.watch.suspect.is_none_or(is_answered) && play.is_unclear_press(now, by);
        if !play.stands_pressed(now) || is_unclear {
            // The lever may have been pushed back on the move that it was just pressed for; then
            // it will be pressed again.
            let is_back = last_press.is_some_and(|(other, at)| {
                other != by && now.since(at) < BOUNCE && play.tracker().last_change() < at
            });
            let (grace, after) = match is_back {
                _ if is_unclear => (Duration::ZERO, SUSPECT_AFTER),
                true => (PUSHED_BACK, PUSHED_BACK),
                false => (BOUNCE, SUSPECT_AFTER),
            };
            let is_on_move = self.watch.is_on_move(play, by);
            self.suspect_press(cx, Suspect { by, at: now, how, before, is_on_move, grace }, after);
        } else {
            if self.is_last_astray() {
                cx.board.want_picture(now);
            }
            self.note_untidy(now, by);
        }
        self.note_difference(cx, now);
    }

    /// No move is known yet for which `press` was: it is looked at again some time `after` it.
    fn suspect_press(&mut self, cx: &mut Cx<'_>, press: Suspect, after: Duration) {
        // The lever of a clock that stands is turned for an arbiter.
        let is_play = press.how == PressSource::Button || !cx.clock.is_interrupted();
        self.watch.suspect = is_play.then_some(press);
        self.timers.set(Timer::Suspect, press.at + after);
        cx.board.want_picture(press.at);
    }

    pub(in crate::game) fn on_stopped(&mut self, cx: &mut Cx<'_>, now: Mono) {
        // The players stop the clock on a finished position: the last move needs no press to be
        // believed, but it must stand exactly.
        let is_exact = |play: &Play| play.mismatch().is_none() || play.shows_one_more_move();
        let is_exact = self.play.as_ref().is_some_and(is_exact);
        if is_exact && !self.is_over() && !self.is_silent() {
            self.look(cx, now, STEP_MAX);
        }
        if !self.is_over() {
            self.tell_illegal_stopped(cx, None);
        }
        if self.has_gap {
            self.memory.stop_unseen();
        } else {
            self.memory.stop(now);
        }
        self.timers.clear(Timer::Rest);
        self.timers.clear(Timer::Displaced);
        self.watch.is_stop_unseen = true;
        cx.board.want_picture(now);
        self.watch_stopped(now);
    }

    /// Remembers on what the clock was stopped, to report it.
    pub(super) fn watch_stopped(&mut self, now: Mono) {
        self.watch.stopped_on = self.difference_at_stop();
        if self.watch.stopped_on.any() && !self.is_over() {
            self.timers.set(Timer::Displaced, now + STOPPED_AFTER);
        }
    }

    /// The clock runs again. What was shown meanwhile was not played; but an earlier position may
    /// have been put back on the board, or one move made for which the clock was stopped.
    pub(in crate::game) fn on_resumed(&mut self, cx: &mut Cx<'_>, now: Mono) {
        self.memory.resume();
        self.timers.set(Timer::Rest, now + self.rest_time(cx));
        if self.is_silent() {
            self.timers.set(Timer::Bridge, now);
            return;
        }
        let (turn, is_over) = (cx.clock.running(), self.is_over());
        if turn.is_some() && !is_over {
            self.tell_illegal_stopped(cx, turn);
        }
        self.give_back_press(turn);
        if !is_over && self.shows_next_game(cx) {
            self.timers.set(Timer::Restart, now);
        } else if self.is_taken_over_unread(cx, now) {
            // How it stands now is not known yet.
            self.on_noise(cx, now);
        } else if let (Some(play), Some(turn), false) = (&mut self.play, turn, is_over) {
            play.take_back_to(now, turn, cx.clock.times(), cx.facts);
        }
        // What was moved about meanwhile has not stood yet while time ran.
        self.watch.differs_since = None;
        self.watch.held = None;
        self.note_difference(cx, now);
    }

    /// The clock is set going for `turn`: if that is whose illegal move was told of last, and a
    /// legal one has taken its place meanwhile, he is to press for that.
    fn give_back_press(&mut self, turn: Option<Color>) {
        let Some(play) = self.play.as_mut().filter(|play| play.shows_one_more_move()) else {
            return;
        };
        let is_his = |by: &Color| self.watch.illegal_by == Some((*by, play.sheet().len()));
        let of_his = |by: Color| self.watch.last_press.filter(|(presser, _)| *presser == by);
        if let Some((_, at)) = turn.filter(is_his).and_then(of_his) {
            play.give_back_press(at);
        }
    }

    pub(in crate::game) fn look(&mut self, cx: &mut Cx<'_>, now: Mono, depth: usize) {
        let rests = (!cx.clock.is_running()).then_some(&cx.settings.rests);
        let Some(play) = &mut self.play else { return };
        play.look(now, depth, rests, cx.facts);
        // Stillness convinces by lasting: look again while there is more to be told.
        let still = now.since(play.tracker().last_change());
        let weighs = play.mismatch().is_some() && still < WEIGH_UNTIL;
        if (weighs || play.has_more_to_tell() && still < LOOK_UNTIL) && !cx.clock.is_interrupted() {
            self.timers.set(Timer::Rest, now + LOOK_EVERY);
        }
        self.note_difference(cx, now);
    }

    /// Shows a move whose piece has rested while a clock runs, as if there was none: the press
    /// that is to come completes it.
    pub(super) fn show_rested(&mut self, cx: &mut Cx<'_>, now: Mono) {
        let is_told = cx.bench.as_ref().is_some_and(Bench::is_clock_running);
        let (rests, is_running) = (&cx.settings.rests, cx.clock.is_running() || is_told);
        let Some(play) = self.play.as_mut().filter(|_| is_running) else { return };
        if let Some(due) = play.show(now, rests, cx.facts) {
            self.timers.set(Timer::Shown, due);
        }
    }

    /// The whole board is known again: what waited for it is due anew.
    pub(super) fn rejudge(&mut self, cx: &mut Cx<'_>, now: Mono) {
        self.timers.set(Timer::Rest, now + self.rest_time(cx));
        self.await_suspect(now);
    }

    /// A press that waits for its move is judged, now that the board is known, unless that comes.
    pub(super) fn await_suspect(&mut self, now: Mono) {
        if self.watch.has_suspect() {
            self.timers.set(Timer::Suspect, now + SUSPECT_AFTER);
        }
    }

    /// Starts, or ends, the watch over a board that differs from the record.
    pub(in crate::game) fn note_difference(&mut self, cx: &mut Cx<'_>, now: Mono) {
        let in_hand = self.in_hand();
        let Some(play) = &self.play else { return };
        if play.mismatch().is_some() || play.missing().any() {
            if in_hand.is_some() {
                self.watch.held = in_hand;
            } else {
                self.count_from_put();
            }
            let since = *self.watch.differs_since.get_or_insert(now);
            if !self.watch.is_displaced && !self.timers.is_set(Timer::Displaced) {
                self.timers.set(Timer::Displaced, since + DISPLACED_AFTER);
            }
            return;
        }
        self.watch.differs_since = None;
        self.watch.held = None;
        self.watch.told_illegal = None;
        self.timers.clear(Timer::Displaced);
        let is_faulty = play.has_faulty_sensors();
        if !is_faulty && std::mem::take(&mut self.watch.is_displaced) {
            cx.facts.push(Fact::Found(Finding { kind: FindingKind::Restored, by: None }));
        }
    }

    pub(super) fn last_change(&self) -> Option<Mono> {
        self.play.as_ref().map(|play| play.tracker().last_change())
    }

    pub(super) fn difference(&self) -> Bitboard {
        let Some(play) = &self.play else { return Bitboard::EMPTY };
        play.tracker().difference()
    }

    /// Whether the piece that moved last is not seen where it is believed to stand: it may have
    /// come to rest elsewhere, and the message got lost.
    fn is_last_astray(&self) -> bool {
        let Some(play) = &self.play else { return false };
        let last = play.tracker().best().plies.last();
        last.is_some_and(|ply| self.difference().contains(ply.m.to()))
    }

    /// From where a piece was lifted that is the only difference: it is in the hand of the player
    /// who is to move, or was moved last and goes on.
    fn in_hand(&self) -> Option<Square> {
        let (play, sq) = (self.play.as_ref()?, self.difference().single_square()?);
        let best = play.tracker().best();
        let goes_on = |ply: &Ply| ply.m.to() == sq && ply.completion.is_none();
        let is_last = best.plies.last().is_some_and(goes_on);
        let may_be_his = is_last || best.standing().us().contains(sq);
        (may_be_his && !play.tracker().seen().occupied().contains(sq)).then_some(sq)
    }

    /// When what was held was put down, if it was: what differs counts from there on.
    fn count_from_put(&mut self) -> Option<Mono> {
        let put_at = self.put_at()?;
        self.watch.held = None;
        self.watch.differs_since = Some(put_at);
        self.timers.clear(Timer::Displaced);
        Some(put_at)
    }

    /// When what was in a hand was put down where the best line does not have it.
    fn put_at(&self) -> Option<Mono> {
        let (play, from) = (self.play.as_ref()?, self.watch.held?);
        let (tracker, seen) = (play.tracker(), play.tracker().seen());
        let piece = tracker.best().standing().board().piece_at(from)?;
        let is_it = |sq: &Square| match seen.get(*sq) {
            Reading::Empty => false,
            // A pawn may have become another piece, which may be exchanged.
            Reading::Piece(known) => known.color == piece.color,
            _ => true,
        };
        let mut ends = (self.difference() & seen.occupied()).into_iter().filter(is_it);
        ends.next().map(|sq| tracker.changed_at(sq))
    }

    /// Whether the only difference is a pawn that is about to be exchanged. A player may stop the
    /// clock to have the new piece brought. 2023: Art. 6.11.2.
    fn awaits_new_piece(&self) -> bool {
        let (Some(play), Some(sq)) = (&self.play, self.difference().single_square()) else {
            return false;
        };
        let pos = play.tracker().best().standing();
        let promotes = |m: shakmaty::Move| m.from() == Some(sq) && m.is_promotion();
        self.in_hand().is_some() && legal::moves(pos).any(promotes)
    }

    pub(super) fn tell_displaced(&mut self, cx: &mut Cx<'_>, now: Mono) {
        let missing = self.play.as_ref().map_or(Bitboard::EMPTY, Play::missing);
        let differs = self.difference() | missing;
        if differs.is_empty() || self.watch.told_illegal.is_some() {
            return;
        }
        let is_unheard = self.is_silent() && self.link != LinkState::Live;
        let is_weighed = self.watch.on_border.is_some();
        if is_unheard || is_weighed || self.play.as_ref().is_some_and(Play::is_held) {
            // Whoever goes through moves displaces nothing, and that has been told. Of what may be
            // an illegal move it will be; of what nobody hears, once the line is open again.
            self.timers.set(Timer::Displaced, now + DISPLACED_AFTER);
            return;
        }
        let since = self.watch.differs_since.unwrap_or(now);
        if self.in_hand().is_some() && now.since(since) < HELD_AFTER {
            self.timers.set(Timer::Displaced, since + HELD_AFTER);
            return;
        }
        if let Some(put) = self.count_from_put().filter(|put| now.since(*put) < DISPLACED_AFTER) {
            self.timers.set(Timer::Displaced, put + DISPLACED_AFTER);
            return;
        }
        // One piece that is missing may be in a hand. Where play has gone on it is not.
        let is_played_on = differs.more_than_one();
        if let Some(play) = self.play.as_mut().filter(|_| is_played_on)
            && let Some(faulty) = play.suspected().filter(|faulty| faulty.any())
        {
            play.tell_sensors(faulty, cx.facts);
            self.watch.note_displaced();
            return;
        }
        self.displaced(cx, self.off_record(differs).into_iter().collect());
    }

    /// Where the board differs from what is on record. That may be behind what the tracker makes of
    /// it, from which the board `differs` too.
    fn off_record(&self, differs: Bitboard) -> Bitboard {
        let Some(play) = &self.play else { return differs };
        let off = play.tracker().seen().differs(play.sheet().last().board());
        if off.is_empty() { differs } else { off }
    }

    /// Where the board is not as the record has it: nothing that follows will tell whether a piece
    /// that seems to lie astray does.
    fn difference_at_stop(&self) -> Bitboard {
        let Some(play) = &self.play else { return Bitboard::EMPTY };
        let is_hidden = play.difference_is_hidden();
        if is_hidden { play.tracker().bare_difference() } else { self.difference() }
    }

    /// The clock was stopped on a board that no move on record explains: what follows is not
    /// judged, so that must be said now.
    pub(super) fn tell_stopped(&mut self, cx: &mut Cx<'_>) {
        let differs = self.difference_at_stop() & self.watch.stopped_on;
        if differs.is_empty() || self.watch.told_illegal.is_some() || self.awaits_new_piece() {
            return;
        }
        self.displaced(cx, differs.into_iter().collect());
    }

    /// The game is over, by something else than a move on record.
    pub(in crate::game) fn end(&mut self, ending: Ending, facts: &mut Vec<Fact>) {
        self.leave_open(facts);
        if let Some(play) = &mut self.play {
            play.end(ending, facts);
        }
    }

    /// The game is over without a result.
    pub(in crate::game) fn close(&mut self, facts: &mut Vec<Fact>) {
        self.leave_open(facts);
        if let Some(play) = &mut self.play {
            play.close(facts);
        }
    }

    pub(super) fn kings_in_center(&self) -> Option<Ending> {
        let seen = self.play.as_ref()?.tracker().seen().known();
        Ending::of_kings(seen.king_of(Color::White)?, seen.king_of(Color::Black)?)
    }

    pub(super) fn judge_kings(&mut self, cx: &mut Cx<'_>) {
        let may_end = !self.is_over() && !self.is_away();
        let Some(ending) = self.kings_in_center().filter(|_| may_end) else { return };
        if let Some(play) = &mut self.play {
            play.withdraw_way_of_king(cx.facts);
        }
        self.end(ending, cx.facts);
    }
}
