//! The judging side of a game: when to look at the board, and what to report to the arbiter.

use super::disorder::{InHand, Unpressed, Untidy};
use super::entry::Fact;
use super::play::{Play, REPAIR_AFTER};
use super::recorder::{Cx, KINGS_HOLD, Recorder, VERIFY_AFTER};
use super::standing::OnBorder;
use super::timers::Timer;
use crate::clock::Device;
use crate::laws::{Ending, Finding, FindingKind};
use crate::time::Mono;
use crate::track::legal;
use crate::track::tracker::STEP_MAX;
use crate::track::{Mismatch, Step};
use shakmaty::{Bitboard, ByColor, Color, Position};
use std::time::Duration;

/// A press without a legal move is reported after this: hand, scan and dump have had their time.
pub(super) const SUSPECT_AFTER: Duration = Duration::from_millis(900);
/// A lever that comes back within this time, with nothing moved, was touched and not pressed.
pub(super) const BOUNCE: Duration = Duration::from_millis(700);
/// A lever that was pushed back at once is pressed again within this time.
const PUSHED_BACK: Duration = Duration::from_secs(2);
/// After the line was down, findings wait this long for the moves that were missed.
const GAP_GRACE: Duration = Duration::from_secs(5);
/// Board and record may differ this long before it is reported.
const DISPLACED_AFTER: Duration = Duration::from_secs(5);
/// So long after the clock was stopped on it a difference is reported that is still there. Less
/// than it takes the kings to announce a result.
const STOPPED_AFTER: Duration = Duration::from_secs(2);
/// A single lifted piece may be held this long.
const HELD_AFTER: Duration = Duration::from_secs(30);

/// Between looks at a board that is still while not everything is told.
pub(super) const LOOK_EVERY: Duration = Duration::from_millis(50);
/// After this stillness nothing more comes of looking.
const LOOK_UNTIL: Duration = Duration::from_secs(10);

/// A board that contradicts the best line tells by that for this long; see
/// [`crate::track::tracker::STILL_MAX`].
const WEIGH_UNTIL: Duration = Duration::from_millis(2_000);

/// What is being watched, and what has been reported already.
#[derive(Clone, Debug, Default)]
pub(super) struct Watch {
    pub(super) suspect: Option<Suspect>,
    /// The illegal move that it may have been for, if that may be a piece over a border.
    pub(super) on_border: Option<OnBorder>,
    has_pressed: bool,
    last_gap: Option<Mono>,
    searched: Option<Mono>,
    differs_since: Option<Mono>,
    /// That was a single piece in a hand for so long that its time was extended.
    is_held: bool,
    is_displaced: bool,
    pub(super) told_illegal: Option<Mismatch>,
    /// When the piece came to its square of whose illegal move it was told that it was completed.
    pub(super) told_completed: Option<Mono>,
    /// Who completed an illegal move, and how many half-moves were on record: the clock is set
    /// going for him again.
    pub(super) illegal_by: Option<(Color, usize)>,
    told_no_start: bool,
    pub(super) untidy: Option<Untidy>,
    pub(super) in_hand: Option<InHand>,
    pub(super) unpressed: Option<Unpressed>,
    /// The last press.
    pub(super) last_press: Option<(Color, Mono)>,
    /// The last press of each player.
    presses: ByColor<Mono>,
    /// The clock was stopped, and nothing has been heard of the board since: what the next picture
    /// shows was there before.
    is_stop_unseen: bool,
    /// Where board and record differed when the clock was stopped.
    stopped_on: Bitboard,
    /// Searches cut short that have been told.
    n_cut: u64,
}

/// How a press was heard.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Pressed {
    /// The lever went over.
    Lever,
    /// A button was pressed whose end may have been down already.
    Button,
}

/// A press that no legal move accounts for yet.
#[derive(Copy, Clone, Debug)]
pub(super) struct Suspect {
    pub(super) by: Color,
    pub(super) at: Mono,
    pub(super) how: Pressed,
    /// When its player had pressed before.
    pub(super) before: Mono,
    /// A lever that comes back within this time was touched.
    grace: Duration,
}

impl Watch {
    /// A lever went over. True if it was not the first of the game.
    pub(super) fn note_lever(&mut self) -> bool {
        std::mem::replace(&mut self.has_pressed, true)
    }

    /// The record has been corrected: what was held against somebody rested on what it was before.
    pub(super) fn forget_blame(&mut self) {
        (self.told_illegal, self.told_completed) = (None, None);
        (self.suspect, self.illegal_by) = (None, None);
    }

    /// The line was down: what was pressed meanwhile, nobody knows.
    pub(super) fn note_gap(&mut self, now: Mono) {
        self.last_gap = Some(now);
        self.suspect = None;
    }

    /// The board as it has stood since `changed` is searched. True if it has been before.
    fn note_search(&mut self, changed: Option<Mono>) -> bool {
        std::mem::replace(&mut self.searched, changed) == changed && changed.is_some()
    }

    pub(super) fn is_after_gap(&self, now: Mono) -> bool {
        self.last_gap.is_some_and(|gap| now.since(gap) < GAP_GRACE)
    }

    pub(super) fn new_game(&mut self) {
        *self = Self::default();
    }

    /// Whether a press waits for the move that it completes.
    pub(super) fn has_suspect(&self) -> bool {
        self.suspect.is_some()
    }

    /// `by` presses at `now`. The last press before, and his own last.
    fn note_press(&mut self, now: Mono, by: Color) -> (Option<(Color, Mono)>, Mono) {
        let last = self.last_press.replace((by, now));
        (last, std::mem::replace(&mut self.presses[by], now))
    }

    /// What `suspect` was for is not clear yet.
    pub(super) fn await_suspect(&mut self, suspect: Suspect) {
        self.suspect = Some(suspect);
    }

    /// How long board and record have differed.
    pub(super) fn differs_for(&self, now: Mono) -> Duration {
        self.differs_since.map_or(Duration::ZERO, |since| now.since(since))
    }

    /// That pieces are displaced is being told. True if it has been before.
    pub(super) fn note_displaced(&mut self) -> bool {
        std::mem::replace(&mut self.is_displaced, true)
    }

    /// Whether it has been told that pieces are displaced, and they still are.
    pub(super) fn is_displaced(&self) -> bool {
        self.is_displaced
    }

    /// A sensor changed, or the whole board was read. True if that is the first that is heard of
    /// the board since the clock was stopped.
    pub(super) fn note_board(&mut self) -> bool {
        std::mem::take(&mut self.is_stop_unseen)
    }

    pub(super) fn is_new_cut(&mut self, n: u64) -> bool {
        std::mem::replace(&mut self.n_cut, n) < n
    }

    pub(super) fn note_no_start(&mut self, facts: &mut Vec<Fact>) {
        if !std::mem::replace(&mut self.told_no_start, true) {
            facts.push(Fact::Found(Finding { kind: FindingKind::NoStartPosition, by: None }));
        }
    }
}

impl Recorder {
    /// Whether what was pressed or moved may have been missed.
    pub(super) fn is_after_gap(&self, now: Mono) -> bool {
        self.watch.is_after_gap(now) || self.has_gap
    }

    pub(super) fn is_over(&self) -> bool {
        self.play.as_ref().is_none_or(Play::is_over)
    }

    pub(super) fn may_judge(&self, cx: &Cx<'_>) -> bool {
        !self.is_over() && !cx.clock.is_interrupted() && !self.is_blind && !self.is_silent()
    }

    pub(super) fn settle_time(&self, cx: &Cx<'_>) -> Duration {
        let settle = &cx.settings.settle;
        // Nothing heard of a clock yet means that there may be one.
        let has_none = cx.clock.device() == Device::Absent
            || cx.clock.device() == Device::Present && !cx.clock.has_run();
        if has_none { settle.without_clock } else { settle.with_clock }
    }

    /// The board is to be judged once it has been still for long enough from now.
    pub(super) fn settle_later(&mut self, cx: &Cx<'_>, now: Mono) {
        self.timers.set(Timer::Settle, now + self.settle_time(cx));
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
        self.settle_later(cx, now);
        self.timers.set(Timer::Shown, now + cx.settings.settle.without_clock);
        self.note_stir(now);
        self.timers.set(Timer::Repair, now + REPAIR_AFTER);
        if let Some(play) = &mut self.play {
            play.note_left();
        }
        let kings = self.kings_in_center();
        if kings.is_none() {
            self.timers.clear(Timer::Kings);
        } else if !self.timers.is_set(Timer::Kings) {
            self.timers.set(Timer::Kings, now + KINGS_HOLD);
        }
    }

    pub(super) fn take_press(&mut self, cx: &mut Cx<'_>, now: Mono, by: Color, how: Pressed) {
        if self.is_over() {
            return self.press_after_end(cx, now, by);
        }
        cx.facts.push(Fact::Pressed { by });
        let left = cx.clock.times().map(|times| times.of(by));
        self.memory.hear(now, Step::Pressed { by, left });
        let times = cx.clock.times_at_press(now, by);
        if self.is_silent() {
            self.watch.last_press = Some((by, now));
            return self.press_in_silence(now);
        }
        let Some(play) = &mut self.play else { return };
        if play.is_fresh() && play.mismatch().is_none() && by == play.sheet().last().turn() {
            // What he presses for stood already when the board was taken over.
            play.pass_turn(now, cx.facts);
            return;
        }
        if let Some(bounced) = self.watch.suspect.filter(|suspect| {
            suspect.by != by
                && now.since(suspect.at) < suspect.grace
                && play.tracker().last_change() < suspect.at
                && !play.tracker().may_be_illegal_press(suspect.at)
        }) {
            // The lever came back and nothing has moved: it was touched, not pressed. What the
            // player moved before may have waited for this press all the same.
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
        let is_settled = |suspect: Suspect| play.stands_pressed(suspect.at);
        let is_unclear =
            self.watch.suspect.is_none_or(is_settled) && play.is_unclear_press(now, by);
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
            // The lever of a clock that stands is turned for an arbiter.
            let is_play = how == Pressed::Button || !cx.clock.is_interrupted();
            self.watch.suspect = is_play.then_some(Suspect { by, at: now, how, before, grace });
            self.timers.set(Timer::Suspect, now + after);
            cx.board.want_picture(now);
        } else {
            if self.is_last_astray() {
                cx.board.want_picture(now);
            }
            self.note_untidy(now, by);
        }
        self.note_difference(cx, now);
    }

    pub(super) fn on_stopped(&mut self, cx: &mut Cx<'_>, now: Mono) {
        // The players stop the clock on a finished position: the last move needs no press to be
        // believed, but it must stand exactly.
        let is_exact = |play: &Play| play.mismatch().is_none() || play.shows_one_more_move();
        let is_exact = self.play.as_ref().is_some_and(is_exact);
        if is_exact && !self.is_over() && !self.is_silent() {
            self.look(cx, now, STEP_MAX);
        }
        if self.has_gap {
            self.memory.stop_unseen();
        } else {
            self.memory.stop(now);
        }
        self.timers.clear(Timer::Settle);
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
    pub(super) fn on_resumed(&mut self, cx: &mut Cx<'_>, now: Mono) {
        self.memory.resume();
        self.timers.set(Timer::Settle, now + self.settle_time(cx));
        if self.is_silent() {
            self.timers.set(Timer::Bridge, now);
            return;
        }
        let (turn, is_over) = (cx.clock.running(), self.is_over());
        if let (Some(play), Some(turn), false) = (&mut self.play, turn, is_over) {
            play.take_back_to(now, turn, cx.clock.times(), cx.facts);
        }
        // What was moved about meanwhile has not stood yet while time ran.
        self.watch.differs_since = None;
        self.note_difference(cx, now);
    }

    pub(super) fn look(&mut self, cx: &mut Cx<'_>, now: Mono, depth: usize) {
        let settle = (!cx.clock.is_running()).then_some(&cx.settings.settle);
        let Some(play) = &mut self.play else { return };
        play.look(now, depth, settle, cx.facts);
        // Stillness convinces by lasting: look again while there is more to be told.
        let still = now.since(play.tracker().last_change());
        let weighs = play.mismatch().is_some() && still < WEIGH_UNTIL;
        if (weighs || play.has_more_to_tell() && still < LOOK_UNTIL) && !cx.clock.is_interrupted() {
            self.timers.set(Timer::Settle, now + LOOK_EVERY);
        }
        self.note_difference(cx, now);
    }

    /// Shows a move whose piece has rested while a clock runs, as if there was none: the press
    /// that is to come completes it.
    pub(super) fn show_rested(&mut self, cx: &mut Cx<'_>, now: Mono) {
        let (settle, is_running) = (&cx.settings.settle, cx.clock.is_running());
        let Some(play) = self.play.as_mut().filter(|_| is_running) else { return };
        if let Some(due) = play.show(now, settle, cx.facts) {
            self.timers.set(Timer::Shown, due);
        }
    }

    /// The whole board is known again: what waited for it is due anew.
    pub(super) fn rejudge(&mut self, cx: &mut Cx<'_>, now: Mono) {
        self.timers.set(Timer::Settle, now + self.settle_time(cx));
        if self.watch.has_suspect() {
            self.timers.set(Timer::Suspect, now + SUSPECT_AFTER);
        }
    }

    /// Starts, or ends, the watch over a board that differs from the record.
    pub(super) fn note_difference(&mut self, cx: &mut Cx<'_>, now: Mono) {
        let Some(play) = &self.play else { return };
        if play.mismatch().is_some() || play.missing().any() {
            if self.watch.is_held && !self.is_in_hand() {
                // What was held for long is down: it counts from there on.
                self.watch.is_held = false;
                self.watch.differs_since = Some(play.tracker().last_change());
                self.timers.clear(Timer::Displaced);
            }
            let since = *self.watch.differs_since.get_or_insert(now);
            if !self.watch.is_displaced && !self.timers.is_set(Timer::Displaced) {
                self.timers.set(Timer::Displaced, since + DISPLACED_AFTER);
            }
            return;
        }
        self.watch.differs_since = None;
        self.watch.is_held = false;
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

    /// Whether the only difference is a piece in the hand of the player who is to move.
    fn is_in_hand(&self) -> bool {
        let (Some(play), Some(sq)) = (&self.play, self.difference().single_square()) else {
            return false;
        };
        let pos = play.tracker().best().standing();
        pos.us().contains(sq) && !play.tracker().seen().occupied().contains(sq)
    }

    /// Whether the only difference is a pawn that is about to be exchanged. A player may stop the
    /// clock to have the new piece brought. 2023: Art. 6.11.2.
    fn awaits_new_piece(&self) -> bool {
        let (Some(play), Some(sq)) = (&self.play, self.difference().single_square()) else {
            return false;
        };
        let pos = play.tracker().best().standing();
        let promotes = |m: shakmaty::Move| m.from() == Some(sq) && m.is_promotion();
        self.is_in_hand() && legal::moves(pos).any(promotes)
    }

    pub(super) fn tell_displaced(&mut self, cx: &mut Cx<'_>, now: Mono) {
        let missing = self.play.as_ref().map_or(Bitboard::EMPTY, Play::missing);
        let differs = self.difference() | missing;
        if differs.is_empty() || self.watch.told_illegal.is_some() {
            return;
        }
        let is_weighed = self.watch.on_border.is_some();
        if is_weighed || self.play.as_ref().is_some_and(Play::is_held) {
            // Whoever goes through moves displaces nothing, and that has been told. Of what may be
            // an illegal move it will be.
            self.timers.set(Timer::Displaced, now + DISPLACED_AFTER);
            return;
        }
        let since = self.watch.differs_since.unwrap_or(now);
        if self.is_in_hand() && now.since(since) < HELD_AFTER {
            self.watch.is_held = true;
            self.timers.set(Timer::Displaced, since + HELD_AFTER);
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

    fn kings_in_center(&self) -> Option<Ending> {
        let seen = self.play.as_ref()?.tracker().seen().known();
        Ending::of_kings(seen.king_of(Color::White)?, seen.king_of(Color::Black)?)
    }

    pub(super) fn judge_kings(&mut self, cx: &mut Cx<'_>) {
        let ending = self.kings_in_center();
        if let (Some(ending), Some(play)) = (ending, &mut self.play)
            && !play.is_over()
        {
            play.end_by_kings(ending, cx.facts);
        }
    }
}
