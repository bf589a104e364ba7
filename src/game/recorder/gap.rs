//! Silence: a cable that was out, a daemon that was down, messages that got lost for a while. What
//! was played then is told by how the board stands after it, once it is at rest, by the clock and
//! by the lever; what they do not tell is a gap in the record.

use super::press::DISPLACED_AFTER;
use super::taken_over::ADOPTED_ANEW;
use super::timers::Timer;
use super::{Cx, Recorder};
use crate::clock::ClockPresence;
use crate::game::entry::Fact;
use crate::game::play::{GapEvidence, Play};
use crate::table::{Placement, Reading, Times, defaults};
use crate::time::Mono;
use crate::track::heard::HeardReadings;
use crate::track::{Step, Tracker};
use shakmaty::{Board, Color, Position, Square};
use std::time::Duration;

/// The board must have been still this long to be taken as it stands: a piece may be in a hand, or
/// a move made and not yet pressed.
const AT_REST: Duration = Duration::from_millis(1_000);
/// The same after the clock was pressed: the presser's move stands, and has been read.
const PRESSED: Duration = Duration::from_millis(250);
/// The same on a line with noise on it, where the press may have been lost.
pub(super) const RESTED: Duration = Duration::from_secs(5);
/// Whoever is on move by the clock, and gives check on a board that has rested for so long, has not
/// pressed the clock. Who has not seen a check, and pressed, is told so sooner.
const UNPRESSED: Duration = Duration::from_secs(10);
/// A clock that was heard before the silence is waited for so long after it.
const CLOCK_AWAITED: Duration = Duration::from_secs(3);
/// Nobody makes a half-move in less, in the long run.
const PLY_MIN: Duration = Duration::from_millis(150);

/// What stands on a board is told to be unknown if it has been so for so long,
const UNREAD: Duration = Duration::from_secs(30);
/// and where pieces have no names so long after it has stood still unexplained.
const UNNAMED: Duration = Duration::from_secs(10);

/// What the clock showed when it was read last.
#[derive(Copy, Clone, Debug)]
pub(in crate::game) struct LastRead {
    pub(in crate::game) times: Times,
    /// Whose time ran.
    pub(in crate::game) turn: Color,
    /// When that was.
    pub(in crate::game) at: Mono,
    /// How often it was pressed since, as was heard.
    pub(in crate::game) n_since: usize,
}

impl LastRead {
    /// Who was on move by what was heard of it since.
    fn on_move(&self) -> Color {
        if self.n_since.is_multiple_of(2) { self.turn } else { self.turn.other() }
    }
}

defaults! {
    /// A time in which nobody saw the board.
    #[derive(Clone, Debug)]
    pub(super) struct Silence {
        given {
            /// What was believed before it.
            pub(super) base: Tracker,
            /// Since when, if that is known.
            since: Option<Mono>,
            /// What the clock showed before it.
            clock: Option<LastRead>,
            /// A clock may come to be heard.
            awaits_clock: bool,
        }
        /// When the board was read as a whole after it.
        pub(super) pictured: Option<Mono>,
        /// How it stood then.
        pub(super) found: Option<Board>,
        /// When the line was open again.
        up: Option<Mono>,
        /// The last press since the board was read.
        pressed: Option<Mono>,
        /// When the lever was first found over, pressed at some time before.
        turned: Option<Mono>,
        /// The line was quiet, and no message needs to be lost: what comes is believed until a
        /// picture of the board tells otherwise.
        is_suspected: bool,
        /// Noise was heard: any message may have been hurt, so that only what has been read twice
        /// counts.
        is_noise: bool,
        /// What came nevertheless.
        heard: Option<HeardReadings>,
        /// The board was telling its memory, and nothing else.
        is_reading: bool,
    }
}

/// What was believed when the board was last read twice.
#[derive(Clone, Debug)]
pub(super) struct Vouched {
    at: Mono,
    tracker: Tracker,
    /// What the sensors have said since.
    heard: HeardReadings,
}

impl Recorder {
    /// Nothing more is heard of the board, or has not been since `since`.
    pub(in crate::game) fn begin_silence(&mut self, cx: &mut Cx<'_>, since: Option<Mono>) {
        self.has_gap = true;
        let Some(play) = self.play.as_ref().filter(|play| play.ending().is_none()) else { return };
        if self.silence.is_some() {
            return;
        }
        let at = cx.clock.read_at();
        let times = cx.clock.times().zip(cx.clock.running());
        let clock = times.map(|(times, turn)| LastRead { times, turn, at, n_since: 0 });
        let awaits = cx.clock.device() == ClockPresence::Present && cx.clock.hangs_on_board();
        self.silence = Some(Silence::begin(play.tracker().clone(), since, clock, awaits));
        self.timers.clear(Timer::Suspect);
        self.memory.begin_silence();
    }

    /// The clock had shown that before nobody was there.
    pub(in crate::game) fn note_gone(&mut self, clock: Option<LastRead>) {
        if let Some(silence) = &mut self.silence {
            silence.clock = clock;
        }
    }

    /// Something is heard after the line was quiet since `since`.
    pub(in crate::game) fn suspect_silence(&mut self, cx: &mut Cx<'_>, since: Mono) {
        let is_new = self.silence.is_none();
        self.begin_silence(cx, Some(since));
        if let Some(silence) = self.silence.as_mut().filter(|_| is_new) {
            silence.is_suspected = true;
            silence.awaits_clock = false;
            // What was read of it meanwhile does not tell how often it was pressed.
            silence.clock.take_if(|read| read.at > since);
        }
    }

    /// There is noise on the line: what has come since the board was last known as a whole, as
    /// `base` has it, may be hurt, and so may be what comes until it is known again.
    fn begin_noise(&mut self, cx: &mut Cx<'_>, now: Mono, base: Option<Vouched>) {
        let is_new = self.silence.is_none();
        let had_gap = self.has_gap;
        self.begin_silence(cx, Some(base.as_ref().map_or(now, |known| known.at)));
        self.has_gap = had_gap;
        let Some(silence) = &mut self.silence else { return };
        if is_new {
            (silence.is_noise, silence.awaits_clock, silence.clock) = (true, false, None);
            if let Some(known) = base {
                (silence.base, silence.heard) = (known.tracker, Some(known.heard));
            }
        }
        if silence.is_noise {
            (silence.pictured, silence.is_suspected) = (None, false);
        }
    }

    /// There is so much noise on the line that any message may be hurt.
    pub(in crate::game) fn on_noise(&mut self, cx: &mut Cx<'_>, now: Mono) {
        if !self.timers.is_set(Timer::Unread) {
            self.timers.set(Timer::Unread, now + UNREAD);
        }
        if !self.is_blind {
            let base = self.vouched.take();
            self.begin_noise(cx, now, base);
        }
    }

    /// There has been noise for long: says so, if what stands on the board is still not known.
    pub(super) fn tell_unread(&mut self, cx: &mut Cx<'_>, now: Mono) {
        let is_unread = self.play.is_none() && cx.board.confirmed(now).is_none();
        if self.is_blind || self.is_silent() || is_unread {
            self.watch.note_hurt(cx.facts);
        }
    }

    /// A board whose pieces have no names has not been explained since nobody heard it: says so.
    pub(super) fn tell_unnamed(&mut self, cx: &mut Cx<'_>) {
        if self.is_silent() && self.is_unnamed() {
            self.watch.note_unknown(cx.facts);
        }
    }

    /// The board was read as a whole. If that was needed to be sure of it, what is believed now has
    /// been read twice.
    pub(super) fn vouch(&mut self, cx: &mut Cx<'_>, now: Mono) {
        if cx.board.confirmed(now).is_some() && !self.is_silent() {
            (self.watch.told_hurt, self.watch.told_unknown) = (false, false);
            self.timers.clear(Timer::Unread);
            let is_contradicted = self.play.as_ref().is_some_and(|play| {
                let tracker = play.tracker();
                (tracker.difference() & tracker.seen().occupied()).any()
            });
            if self.vouched.is_some() && is_contradicted {
                // What was believed before may lead to what stands there.
                return;
            }
            self.vouch_as_is(now);
        }
    }

    /// What is believed now is what noise from here on leads back to.
    pub(super) fn vouch_as_is(&mut self, now: Mono) {
        self.vouched = self.play.as_ref().map(|play| {
            let tracker = play.tracker().clone();
            Vouched { at: now, heard: HeardReadings::since(tracker.seen().clone()), tracker }
        });
    }

    /// A square reads something else, which may be needed to tell what was played amid noise.
    pub(super) fn note_heard(&mut self, sq: Square, reading: Reading) {
        if let Some(heard) = self.heard_mut() {
            heard.note(sq, reading);
        }
    }

    /// The clock was pressed: what stood there then was pressed for.
    pub(in crate::game) fn note_heard_press(&mut self, by: Color) {
        if let Some(heard) = self.heard_mut() {
            heard.note_press(by);
        }
    }

    /// The whole board was read, which was known to stand as `before`.
    pub(super) fn note_pictured(&mut self, before: &Placement, shown: &Placement) {
        if let Some(heard) = self.heard_mut() {
            heard.note_picture(before, shown);
        }
    }

    fn heard_mut(&mut self) -> Option<&mut HeardReadings> {
        match &mut self.silence {
            Some(silence) => silence.heard.as_mut(),
            None => self.vouched.as_mut().map(|known| &mut known.heard),
        }
    }

    /// The board was asked for its memory at `asked` and has told it: while it did, nothing else
    /// came, and what comes until the next picture has lost its times.
    pub(super) fn begin_reading(&mut self, cx: &mut Cx<'_>, asked: Mono) {
        if cx.clock.is_interrupted() {
            return;
        }
        let (is_new, had_gap) = (self.silence.is_none(), self.has_gap);
        self.begin_silence(cx, Some(asked));
        self.has_gap = had_gap;
        let Some(silence) = &mut self.silence else { return };
        if is_new {
            (silence.is_reading, silence.awaits_clock) = (true, false);
        }
        (silence.pictured, silence.is_suspected) = (None, false);
    }

    /// Since when nothing was heard because the board told its memory, and what was believed then,
    /// if nothing else was missed.
    pub(super) fn read_since(&self) -> Option<(Mono, Tracker)> {
        let silence = self.silence.as_ref().filter(|silence| silence.is_reading)?;
        silence.since.map(|since| (since, silence.base.clone()))
    }

    /// Whether what was played is not known for noise.
    pub(super) fn is_noise(&self) -> bool {
        self.silence.as_ref().is_some_and(|silence| silence.is_noise)
    }

    /// The line is gone: how the board stood when it was read tells nothing any more.
    pub(super) fn note_line_down(&mut self) {
        if let Some(silence) = &mut self.silence {
            silence.pictured = None;
        }
    }

    /// The line is open again.
    pub(super) fn note_line_up(&mut self, cx: &mut Cx<'_>, now: Mono) {
        if let Some(silence) = &mut self.silence {
            (silence.up, silence.pictured, silence.is_suspected) = (Some(now), None, false);
            (silence.is_noise, silence.is_reading) = (false, false);
            silence.awaits_clock |=
                cx.clock.device() == ClockPresence::Present && cx.clock.hangs_on_board();
            if self.timers.is_set(Timer::Displaced) {
                // What was played meanwhile is looked for first.
                self.watch.differs_since = None;
                self.timers.set(Timer::Displaced, now + DISPLACED_AFTER);
            }
        }
    }

    /// The clock is heard. True if that is the first since the silence began: what the lever says
    /// now was done at some time before.
    pub(in crate::game) fn note_clock(&mut self, now: Mono) -> bool {
        let Some(silence) = &mut self.silence else { return false };
        let was_awaited = std::mem::take(&mut silence.awaits_clock);
        if was_awaited {
            self.timers.set(Timer::Bridge, now + PRESSED);
        }
        was_awaited
    }

    /// The lever is found over, and was pressed by `by` at some time before.
    pub(in crate::game) fn turned_in_silence(&mut self, cx: &mut Cx<'_>, now: Mono, by: Color) {
        let times = cx.clock.times();
        let left = times.map(|times| *times.get(by));
        self.keep_step(now, Step::Pressed { by, left });
        if let (Some(silence), Some(play)) = (&mut self.silence, &mut self.play) {
            silence.turned = Some(now);
            play.note_press(now, times);
        }
    }

    /// The clock was pressed before it was known what had been played.
    pub(super) fn press_in_silence(&mut self, now: Mono) {
        if let Some(silence) = &mut self.silence {
            silence.pressed = Some(now);
            self.timers.set(Timer::Bridge, now + PRESSED);
        }
    }

    /// The whole board was read after a silence. True if it has changed since before.
    pub(super) fn picture_in_silence(
        &mut self,
        cx: &mut Cx<'_>,
        now: Mono,
        placement: &Placement,
    ) -> bool {
        let (Some(silence), Some(play)) = (&mut self.silence, &mut self.play) else { return false };
        if silence.is_suspected {
            if play.tracker().seen() == placement {
                self.forget_silence();
                self.await_suspect(now);
                return false;
            }
            silence.is_suspected = false;
        }
        let has_changed = play.witness(now, placement);
        if cx.board.confirmed(now).is_none() {
            return has_changed;
        }
        if silence.pictured.is_none() {
            (silence.pictured, silence.found) = (Some(now), self.joining.board().cloned());
        }
        let is_same = play.is_as(&silence.base) && play.has_none_since(&silence.base);
        if is_same && !silence.awaits_clock && !cx.clock.is_interrupted() {
            self.end_silence(cx, now);
            return has_changed;
        }
        self.bridge_after(cx, now, PRESSED);
        has_changed
    }

    /// The game ends, or gives way to another one: what is not known yet of what was played is a
    /// gap.
    pub(super) fn leave_open(&mut self, facts: &mut Vec<Fact>) {
        if let Some(play) = self.play.as_mut().filter(|play| !play.is_over())
            && self.silence.as_ref().is_some_and(|silence| !silence.is_suspected)
        {
            play.leave_open(facts);
        }
    }

    /// The board is read for the first time since a game ended that nobody heard by then. If it
    /// stands as it was known, nothing was missed.
    pub(super) fn see_end(&mut self, cx: &mut Cx<'_>, now: Mono) {
        let is_known = cx.board.confirmed(now).is_some();
        let (Some(silence), Some(play)) = (&mut self.silence, &mut self.play) else { return };
        if !is_known || silence.pictured.replace(now).is_some() {
            return;
        }
        if play.is_as(&silence.base) && play.has_none_since(&silence.base) {
            play.close_end(cx.facts);
        }
    }

    /// Nothing was missed: what was believed stands.
    fn end_silence(&mut self, cx: &mut Cx<'_>, now: Mono) {
        let (Some(silence), Some(play)) = (self.silence.take(), &mut self.play) else { return };
        play.resume_from(silence.base);
        self.go_on_here(cx);
        self.timers.clear(Timer::Bridge);
        self.vouch(cx, now);
        // What was pressed before it stands as it stood: it is still to be judged.
        self.watch.note_silence(now);
        self.rejudge(cx, now);
        if cx.clock.is_interrupted() && self.kings_in_center().is_none() {
            self.watch_stopped(now);
        }
    }

    /// The silence is over, or will never be spoken of.
    pub(in crate::game) fn forget_silence(&mut self) {
        self.silence = None;
        self.vouched = None;
        self.timers.clear(Timer::Bridge);
    }

    /// Whether what was played is not known, so that what is seen now says nothing yet.
    pub(in crate::game) fn is_silent(&self) -> bool {
        self.silence.as_ref().is_some_and(|silence| !silence.is_suspected)
    }

    /// The board has changed: what was not known may be told by it once it is at rest.
    pub(super) fn note_stir(&mut self, cx: &mut Cx<'_>, now: Mono) {
        if self.is_silent() {
            self.bridge_after(cx, now, AT_REST);
        } else if self.play.as_ref().is_some_and(Play::is_fresh) && !self.turn_if_moved(cx, now) {
            self.timers.set(Timer::Bridge, now + ADOPTED_ANEW);
        }
    }

    /// The board is to be looked at after `wait`, or at once if nothing is to be waited for.
    fn bridge_after(&mut self, cx: &Cx<'_>, now: Mono, wait: Duration) {
        let turn = self.silence.as_ref().and_then(|silence| Self::turn(cx, silence));
        let wait = if self.is_back(turn) { Duration::ZERO } else { wait };
        self.timers.set(Timer::Bridge, now + wait);
    }

    /// Tries to tell what was played, once the board is at rest.
    pub(super) fn bridge_silence(&mut self, cx: &mut Cx<'_>, now: Mono) {
        let Some(silence) = self.silence.as_ref().filter(|known| !known.is_suspected) else {
            return;
        };
        let is_known = !self.is_blind && cx.board.confirmed(now).is_some();
        let Some(pictured) = silence.pictured.filter(|_| is_known) else { return };
        let awaited = silence.up.unwrap_or(pictured) + CLOCK_AWAITED;
        if silence.awaits_clock && now < awaited {
            self.timers.set(Timer::Bridge, awaited);
            return;
        }
        let stirred = self.last_change().unwrap_or_default();
        let evidence = self.evidence(cx, silence, pictured);
        let is_pressed = silence.pressed.is_some_and(|pressed| pressed >= stirred);
        let rests = match silence.pressed.filter(|_| is_pressed) {
            Some(pressed) => pressed + PRESSED,
            None => stirred.max(pictured) + AT_REST,
        };
        let due = if self.is_back(evidence.turn) { now } else { rests };
        if now < due {
            self.timers.set(Timer::Bridge, due);
            return;
        }
        let before = silence.base.best().pos.board();
        let seen = self.joining.between_moves(now, before);
        let missed = seen.as_ref().and_then(|seen| self.joining.missed_until(now, before, seen));
        let is_noise = silence.is_noise || cx.board.is_noisy(now);
        let is_told = missed.is_none()
            && (!is_noise || self.is_told_amid_noise(cx, now, silence.pressed))
            && self.is_hand_empty(cx, now, seen.as_ref());
        let rested = stirred.max(pictured) + UNPRESSED;
        let has_rested = now >= rested && !is_pressed;
        let is_told = is_told && (has_rested || is_pressed || !self.is_at_it(evidence.turn));
        let is_stirred = is_noise && !is_pressed;
        let evidence = GapEvidence { is_told, has_rested, is_pressed, is_stirred, ..evidence };
        let (base, heard) = (silence.base.clone(), silence.heard.clone());
        if let Some(until) = missed {
            self.timers.set(Timer::Bridge, until);
        }
        let may_have_left = is_noise && self.may_have_left(&base, seen.as_ref(), evidence);
        let was_pressed = evidence.turned.is_some_and(|pressed| pressed >= stirred);
        if may_have_left || !is_told && was_pressed {
            cx.board.want_picture(now);
            self.timers.set(Timer::Bridge, now + PRESSED);
        }
        if may_have_left {
            return;
        }
        let found = silence.found.clone().filter(|_| silence.pressed.is_none());
        let on_move = silence.clock.map_or(base.best().pos.turn(), |known| known.on_move());
        if self.join_next(cx, now, evidence) {
            return;
        }
        let Some(play) = &mut self.play else { return };
        let is_same = play.is_as(&base) && play.has_none_since(&base);
        let is_turned = evidence.turn.is_some_and(|turn| turn != on_move);
        if is_same && (!is_turned || evidence.is_stopped) {
            return self.end_silence(cx, now);
        }
        let seen = seen.map_or_else(|| play.tracker().seen().clone(), Placement::from);
        if play.bridge(now, &base, (&seen, heard.as_ref()), evidence, cx.facts) {
            self.found = found;
            self.go_on_bridged(cx, now);
        } else {
            self.await_rest(now, rested);
        }
        self.note_difference(cx, now);
    }

    /// What was played is on record, or the gap is: the game goes on from there.
    fn go_on_bridged(&mut self, cx: &mut Cx<'_>, now: Mono) {
        self.is_turn_open = false;
        self.forget_silence();
        self.go_on_here(cx);
        self.vouch(cx, now);
        self.watch.note_gap(now);
        self.look(cx, now, 0);
        self.rejudge(cx, now);
    }

    /// The board does not tell yet what was played. It may once it has `rested`; pieces without
    /// names never may.
    fn await_rest(&mut self, now: Mono, rested: Mono) {
        if now < rested && !self.timers.is_set(Timer::Bridge) {
            self.timers.set(Timer::Bridge, rested);
        }
        if self.is_unnamed() && !self.timers.is_set(Timer::Unnamed) {
            self.timers.set(Timer::Unnamed, now + UNNAMED);
        }
    }

    /// An order has said what was played after the first `n` half-moves that it leaves as they
    /// were. What nobody saw is looked for behind that, unless it is about moves long before.
    pub(in crate::game) fn order_in_silence(&mut self, now: Mono, n: usize) {
        let (Some(silence), Some(play)) = (&mut self.silence, &self.play) else { return };
        if n >= silence.base.n_settled() {
            silence.base = play.told_until(now);
            // How often the clock was pressed since that, its times do not tell.
            silence.clock = None;
            self.watch.told_unknown = false;
        }
        self.timers.set(Timer::Bridge, now);
    }

    /// Whether the board stands again as it was known before the silence, with `turn` to move as
    /// then: nothing is in a hand, and no rest needs to be waited for. What was tried out, or was
    /// illegal, has been set right.
    fn is_back(&self, turn: Option<Color>) -> bool {
        let silence = self.silence.as_ref().filter(|silence| !silence.is_noise);
        let Some((silence, play)) = silence.zip(self.play.as_ref()) else { return false };
        let base = silence.base.best();
        let differs = play.tracker().seen().differs(base.standing().board());
        (differs & !silence.base.untold()).is_empty() && turn == Some(base.standing().turn())
    }

    /// Who is on move by the clock.
    fn turn(cx: &Cx<'_>, silence: &Silence) -> Option<Color> {
        let is_clocked = cx.clock.device() == ClockPresence::Present && cx.clock.has_run();
        cx.clock.on_move().filter(|_| is_clocked && !silence.awaits_clock)
    }

    /// What is known of the silence beside what the board shows.
    pub(super) fn evidence(&self, cx: &Cx<'_>, silence: &Silence, pictured: Mono) -> GapEvidence {
        let turn = Self::turn(cx, silence);
        let lasted = silence.since.map(|since| pictured.since(since) + AT_REST);
        let n_max = lasted.map_or(usize::MAX / 2, |lasted| {
            let n = lasted.as_micros() / PLY_MIN.as_micros();
            usize::try_from(n).unwrap_or(usize::MAX / 2) + 1
        });
        // Where there is noise on the line, the times that it shows may be hurt.
        let is_noise = silence.is_noise || cx.board.is_noisy(cx.clock.read_at());
        let clock = silence.clock.filter(|_| !is_noise);
        let n_pressed = turn.zip(clock).and_then(|(turn, clock)| self.n_pressed(cx, clock, turn));
        GapEvidence {
            since: silence.since,
            turned: silence.pressed.or(silence.turned),
            moved: self.joining.moved(),
            made: self.joining.made(),
            turn,
            n_pressed,
            n_max,
            is_stopped: cx.clock.is_interrupted(),
            is_told: true,
            is_turn_open: self.is_turn_open,
            is_other_board: self.is_away(),
            ..GapEvidence::default()
        }
    }

    /// Whether the board without what somebody seems to hold, who has put that back in what stands
    /// `between_moves`, may have been played since `base`: a piece whose loss only a picture has
    /// told may have left the game long before.
    fn may_have_left(
        &self,
        base: &Tracker,
        between_moves: Option<&Board>,
        evidence: GapEvidence,
    ) -> bool {
        let shown = self.joining.board().filter(|board| Some(*board) != between_moves);
        let shown = shown.map(|board| Placement::from(board.clone()));
        shown
            .zip(self.play.as_ref())
            .is_some_and(|(shown, play)| play.is_bridged(base, &shown, evidence))
    }

    /// Whether the board may be taken over as it stands although there is noise on the line. Where
    /// a clock runs, it may as it stood when it was `pressed`: nothing has stirred since, and it
    /// has been read twice. A board that rests for a moment may be in the middle of a move, or one
    /// is tried out.
    pub(super) fn is_told_amid_noise(&self, cx: &Cx<'_>, now: Mono, pressed: Option<Mono>) -> bool {
        let stirred = self.last_change().unwrap_or_default();
        if !cx.clock.is_running() {
            let is_there = cx.clock.device() == ClockPresence::Present;
            return !is_there || cx.clock.read_at() >= stirred;
        }
        let pressed = pressed.filter(|pressed| *pressed >= stirred).map(|at| at + PRESSED);
        // Nobody may have heard of a press, but the lever was read since.
        let rested = Some(stirred + RESTED).filter(|rested| cx.clock.read_at() >= *rested);
        let due = pressed.or(rested);
        due.zip(cx.board.confirmed(now)).is_some_and(|(due, confirmed)| confirmed >= due)
    }
}
