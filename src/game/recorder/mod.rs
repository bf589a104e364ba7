//! The recorder's side of a game: what is seen on the board held against the record, and what the
//! arbiter is told of it. Each of its tasks has a file; what it needs of the other parts is handed
//! to it.

mod away;
mod correct;
mod disorder;
mod gap;
mod in_hand;
mod join;
mod memory;
mod pause;
mod press;
mod put_back;
mod standing;
mod start;
mod taken_over;
mod timers;
mod unheard;
mod watch;

pub(super) use gap::LastRead;
pub(super) use memory::Legacy;
pub(super) use start::{start_due, start_shown};
pub(super) use watch::PressSource;

use super::bench::Bench;
use super::clock::ClockSide;
use super::entry::{Fact, LinkState};
use super::own_board::OwnBoard;
use super::play::Play;
use super::settings::Settings;
use crate::board::AnyBoard;
use crate::laws::{Ending, Reason};
use crate::table::{End, Placement, Reading};
use crate::time::Mono;
use crate::track::Step;
use crate::track::tracker::STEP_MAX;
use crate::wire::Signal;
use gap::Silence;
use join::Joining;
use memory::{Memory, PictureCheck};
use shakmaty::{Board, CastlingMode, Chess, Color, KnownOutcome, Position, Square};
use std::time::Duration;
use timers::{Timer, Timers};
use watch::Watch;

/// A change of the board must be this old before the board is asked for a whole picture.
/// Source: protocol 1.10, a normal game over USB.
pub(super) const VERIFY_AFTER: Duration = Duration::from_millis(250);
/// Both kings must stand in the center this long. Source: protocol 9.1.
pub(super) const KINGS_HOLD: Duration = Duration::from_secs(3);

/// Keeps the record of a board's games.
#[derive(Clone, Debug, Default)]
pub(super) struct Recorder {
    play: Option<Play>,
    timers: Timers,
    watch: Watch,
    memory: Memory,
    joining: Joining,
    /// What is on record of the sensors before the first game; none before they were read.
    idle: Option<Placement>,
    /// The line to the board.
    link: LinkState,
    /// The line is open, but the whole board has not been read since: single changes may come, and
    /// mean little.
    is_blind: bool,
    /// Messages may have been lost since the board was last read as a whole.
    has_gap: bool,
    /// What was played of late is not known.
    silence: Option<Silence>,
    /// How the board stood when it was first read after the silence that is over, if nobody has
    /// pressed the clock since.
    found: Option<Board>,
    /// Amid noise the player on move where the board was taken over has pressed the clock: his move
    /// stood already, or was not heard, and it is not known yet which.
    is_turn_open: bool,
    /// Whose board is heard.
    own_board: OwnBoard,
    /// What was believed when the board was last read twice, on a line with noise on it.
    vouched: Option<gap::Vouched>,
}

/// What the recorder may use of the other parts of a game.
pub(super) struct Cx<'a> {
    pub(super) settings: &'a Settings,
    pub(super) board: &'a mut AnyBoard,
    pub(super) clock: &'a mut ClockSide,
    pub(super) facts: &'a mut Vec<Fact>,
    pub(super) wants_show: &'a mut bool,
    bench: &'a mut Option<Bench>,
}

impl<'a> Cx<'a> {
    pub(super) fn new(
        settings: &'a Settings,
        board: &'a mut AnyBoard,
        clock: &'a mut ClockSide,
        bench: &'a mut Option<Bench>,
        out: &'a mut GameOutbox,
    ) -> Self {
        let GameOutbox { facts, wants_show, .. } = out;
        Self { settings, board, clock, facts, wants_show, bench }
    }

    /// A new game begins: so do the terms of a referee who has followed another one.
    pub(super) fn seat_referee(&mut self, start: &Chess, mode: CastlingMode) {
        if self.bench.as_ref().is_some_and(Bench::is_used) {
            self.reseat(start, mode);
        }
    }

    /// The game begins anew from `start`, and so does a referee.
    pub(super) fn reseat(&mut self, start: &Chess, mode: CastlingMode) {
        if let (Some(terms), true) = (&self.settings.terms, self.bench.is_some()) {
            *self.bench = Some(Bench::seated(terms.clone(), start.clone(), mode));
        }
    }
}

/// What leaves a game with the event that it is told.
#[derive(Clone, Debug, Default)]
pub(super) struct GameOutbox {
    pub(super) facts: Vec<Fact>,
    pub(super) wants_show: bool,
    pub(super) wants_reopen: bool,
}

impl Recorder {
    /// The game that is recorded, or the last one.
    pub(super) const fn play(&self) -> Option<&Play> {
        self.play.as_ref()
    }

    /// The score sheet hears of the clock what its readers have in these facts.
    pub(super) fn hear_clock(&mut self, at: Mono, facts: &[Fact]) {
        let Some(play) = &mut self.play else { return };
        let begins = |fact: &Fact| matches!(fact, Fact::GameStarted { .. } | Fact::Began { .. });
        let since = facts.iter().rposition(begins).map_or(0, |idx| idx + 1);
        for fact in &facts[since..] {
            if let Fact::Clock { running, times: Some(times), is_connected: true } = fact {
                play.hear_clock(at, *running, *times);
            }
        }
    }

    /// The game that is recorded, to carry out what people order of it.
    pub(super) const fn play_mut(&mut self) -> Option<&mut Play> {
        self.play.as_mut()
    }

    /// The game of a record that is gone on with.
    pub(super) fn set_play(&mut self, play: Play) {
        self.play = Some(play);
    }

    /// The line to the board.
    pub(super) const fn link(&self) -> LinkState {
        self.link
    }

    /// Whether the whole board was read, and nothing may have been missed since.
    pub(super) const fn sees_all(&self) -> bool {
        !self.is_blind && !self.has_gap
    }

    /// What stands on the board, as far as it is known by name.
    pub(super) fn board(&self) -> Option<&Board> {
        self.joining.board()
    }

    /// Whether the sensors name no pieces.
    pub(super) fn is_unnamed(&self) -> bool {
        self.seen().is_some_and(|seen| seen.unnamed().any())
    }

    /// What the sensors see, with names or without.
    pub(super) fn seen(&self) -> Option<&Placement> {
        self.joining.seen()
    }

    /// Whether a press without a legal move is being looked at.
    pub(super) fn has_suspect(&self) -> bool {
        self.watch.has_suspect() || self.watch.for_nothing.is_some()
    }

    /// Whether `by` has completed an illegal move, and nothing is on record since.
    pub(super) fn was_illegal(&self, by: Color) -> bool {
        let is_it = |play: &Play| self.watch.illegal_by == Some((by, play.sheet().len()));
        self.play.as_ref().is_some_and(is_it)
    }

    /// Whether it is on record that pieces are displaced.
    pub(super) fn is_displaced(&self) -> bool {
        self.watch.is_displaced()
    }

    /// Whether that is on record, and nothing else is wrong by now but that another piece stands
    /// where the last move ended.
    pub(super) fn shows_exchange(&self) -> bool {
        let Some(play) = self.play.as_ref().filter(|_| self.is_displaced()) else { return false };
        let last = play.sheet().moves().last().map(|last| last.m.to());
        let shown = play.tracker().seen().differs(play.sheet().last().board());
        last.is_some() && shown.single_square() == last
    }

    /// Nobody followed what was played until `now`.
    pub(super) fn note_gap(&mut self, now: Mono) {
        self.watch.note_gap(now);
    }

    /// The referee waits until `due`, when the last move is beyond a second thought.
    pub(super) fn wait_until_final(&mut self, due: Mono) {
        self.timers.set(Timer::Final, due);
    }

    /// When the recorder has something to do.
    pub(super) fn wake_at(&self) -> Option<Mono> {
        self.timers.next()
    }

    /// The line is open; nothing is known of the board.
    pub(super) fn line_up(&mut self, cx: &mut Cx<'_>, now: Mono) {
        (self.is_blind, self.vouched) = (true, None);
        self.note_line_up(cx, now);
    }

    /// The line is gone, over which something came last at `heard`.
    pub(super) fn line_down(&mut self, cx: &mut Cx<'_>, heard: Mono) {
        self.memory.link_down();
        if self.is_over() && self.play.is_some() {
            self.memory.forget_play();
        }
        self.joining.link_down();
        self.begin_silence(cx, Some(heard));
        self.note_line_down();
        if self.link == LinkState::Live {
            self.set_link(cx, LinkState::Lost);
        }
    }

    pub(super) fn set_link(&mut self, cx: &mut Cx<'_>, link: LinkState) {
        self.link = link;
        cx.facts.push(Fact::Link(link));
    }

    /// A figure on the board says how the game ended.
    pub(super) fn on_signal(&mut self, cx: &mut Cx<'_>, signal: Signal) {
        let outcome = match signal {
            Signal::Draw => KnownOutcome::Draw,
            Signal::WhiteWins => KnownOutcome::Decisive { winner: Color::White },
            Signal::BlackWins => KnownOutcome::Decisive { winner: Color::Black },
        };
        if !self.is_over() && !self.is_away() {
            self.end(Ending { outcome, reason: Reason::SignalPiece }, cx.facts);
        }
    }

    /// A square reads something else. False if that means nothing yet: it is in the picture to
    /// come, beside what was missed before it. To take it now would be to believe that it came
    /// first.
    pub(super) fn stir(
        &mut self,
        cx: &mut Cx<'_>,
        now: Mono,
        sq: Square,
        reading: Reading,
    ) -> bool {
        self.timers.set(Timer::Verify, now + VERIFY_AFTER);
        if self.is_blind {
            return false;
        }
        self.note_pause(cx, now, sq, reading);
        self.joining.sense(now, sq, reading);
        self.record_idle(cx, sq, reading);
        self.note_stand(cx, now);
        self.watch.note_board();
        true
    }

    /// Before the first game no tracker says what is news of the board.
    fn record_idle(&mut self, cx: &mut Cx<'_>, sq: Square, reading: Reading) {
        let Some(idle) = self.idle.as_mut().filter(|_| self.play.is_none()) else { return };
        if idle.get(sq) != reading {
            idle.set(sq, reading);
            cx.facts.push(Fact::Sensed { sq, reading });
        }
    }

    /// The reading goes to the tracker: as a part of play, unless that `is_interrupted`.
    pub(super) fn sense(
        &mut self,
        cx: &mut Cx<'_>,
        now: Mono,
        (sq, reading): (Square, Reading),
        is_interrupted: bool,
    ) {
        let is_silent = self.is_silent();
        self.note_heard(sq, reading);
        let Some(play) = &mut self.play else { return };
        let has_changed = if is_interrupted || is_silent {
            play.observe(now, sq, reading)
        } else {
            play.sense(now, sq, reading)
        };
        if has_changed {
            self.keep_step(now, Step::Sensed { sq, reading });
            cx.facts.push(Fact::Sensed { sq, reading });
            self.board_changed(cx, now);
        }
    }

    /// The whole board was read, which is first of all how it stands.
    pub(super) fn stir_all(&mut self, cx: &mut Cx<'_>, now: Mono, placement: &Placement) {
        self.timers.clear(Timer::Verify);
        self.joining.picture(now, placement);
        self.note_stand(cx, now);
    }

    /// The picture is held against the game, or begins one. True if it does: then it is to be
    /// looked at again.
    pub(super) fn picture(&mut self, cx: &mut Cx<'_>, now: Mono, placement: &Placement) -> bool {
        let Some(play) = &mut self.play else {
            self.is_blind = false;
            if self.begin_if_shown(cx, now, placement) {
                return true;
            }
            if self.idle.as_ref() != Some(placement) {
                self.idle = Some(placement.clone());
                cx.facts.push(Fact::Pictured(placement.clone()));
            }
            return false;
        };
        let is_silent = self.silence.is_some() && play.ending().is_none();
        let before = play.tracker().seen().clone();
        self.note_pictured(&before, placement);
        let Some(play) = &mut self.play else { return false };
        if self.has_gap && before != *placement {
            play.forget_before_gap();
        }
        let has_changed = match is_silent {
            true => self.picture_in_silence(cx, now, placement),
            false => {
                let has_changed = play.picture(now, placement);
                play.take_over_again(now, self.found.as_ref(), cx.facts);
                self.see_end(cx, now);
                has_changed
            }
        };
        if has_changed {
            cx.facts.push(Fact::Pictured(placement.clone()));
            self.board_changed(cx, now);
        }
        if std::mem::take(&mut self.is_blind) {
            self.rejudge(cx, now);
            self.watch_kings(now);
        }
        self.vouch(cx, now);
        let had_gap = std::mem::take(&mut self.has_gap);
        let was_before_the_stop = self.watch.note_board();
        let is_stopped = cx.clock.is_interrupted();
        if has_changed
            && !is_silent
            && (!is_stopped || was_before_the_stop && !self.is_over())
            && (self.watch.has_suspect() || was_before_the_stop)
        {
            self.look(cx, now, STEP_MAX);
        }
        if was_before_the_stop && is_stopped {
            self.adopt_stopped(cx, now);
            self.watch_stopped(now);
        }
        let picture = match (has_changed, had_gap) {
            (false, _) => PictureCheck::AsBelieved,
            (true, false) => PictureCheck::Different,
            (true, true) => PictureCheck::AfterGap,
        };
        self.note_picture(cx, now, picture);
        self.watch_for_restart(cx, now);
        false
    }

    /// The lever went over to `end`. Whether that is a press in the game: an arbiter who starts the
    /// clock with the lever has not made a move.
    pub(super) fn on_lever(
        &mut self,
        cx: &mut Cx<'_>,
        now: Mono,
        end: End,
        sets_running: bool,
    ) -> bool {
        if self.play.is_none() {
            let by = cx.clock.color(end);
            self.press_stand(cx, now, by);
            self.joining.press(by);
            return false;
        }
        let is_first = !self.watch.note_lever();
        // An arbiter who starts the clock may use either end: that contradicts no setting.
        let may_tell = cx.settings.white_end.is_none() || !sets_running;
        // Amid noise it may be a press of before that is heard only now.
        let is_told_by = is_first && may_tell && !self.is_silent() && !cx.board.is_noisy(now);
        let Some(play) = &mut self.play else { return false };
        if is_told_by && play.is_fresh() && play.first_mover().is_none() {
            // By the lever it was the other one: perhaps the lever is the other way round.
            play.turn_around(now, cx.facts);
        }
        if is_told_by && let Some(mover) = play.first_mover() {
            let white = if mover.is_white() { end } else { end.other() };
            if white != cx.clock.white_end() {
                cx.clock.seat_white(white, cx.facts);
            }
        }
        !sets_running || play.mismatch().is_some()
    }

    /// What is due by the table of timers before a game may begin anew.
    pub(super) fn run_timers(&mut self, cx: &mut Cx<'_>, now: Mono) {
        if self.timers.take(Timer::Bridge, now) {
            self.bridge_silence(cx, now);
            self.adopt_anew(cx, now);
        }
        if self.timers.take(Timer::Join, now) {
            self.watch_join(cx, now);
        }
        if self.timers.take(Timer::Verify, now) {
            cx.board.want_picture(now);
        }
        if self.timers.take(Timer::Shown, now) && self.may_judge(cx) {
            self.show_rested(cx, now);
        }
        if self.timers.take(Timer::Rest, now) && self.may_judge(cx) {
            self.judge_rest(cx, now);
        }
        self.repair_if_due(cx, now);
        self.watch_end(cx, now);
        if self.timers.take(Timer::Suspect, now) && !self.is_blind && !self.is_silent() {
            self.judge_suspect(cx, now);
        }
        if self.timers.take(Timer::Stood, now) {
            self.judge_pressed(cx, now);
        }
        if self.timers.take(Timer::ForNothing, now) {
            self.tell_for_nothing(cx);
        }
        if self.timers.take(Timer::Displaced, now) {
            let is_stopped = cx.clock.is_interrupted();
            let is_open = !is_stopped && !self.is_over();
            let is_own = !self.is_away();
            if is_own && (self.may_judge(cx) || self.is_silent() && is_open) {
                self.tell_displaced(cx, now);
            } else if is_stopped && !self.is_over() {
                self.tell_stopped(cx);
            }
        }
        if self.timers.take(Timer::Kings, now) {
            self.judge_kings(cx);
        }
        if self.timers.take(Timer::Unread, now) {
            self.tell_unread(cx, now);
        }
        if self.timers.take(Timer::Unnamed, now) {
            self.tell_unnamed(cx);
        }
    }

    /// What is due by the table of timers after that.
    pub(super) fn run_late_timers(&mut self, cx: &mut Cx<'_>, now: Mono) {
        if self.timers.take(Timer::Untidy, now) && self.may_judge(cx) {
            self.tell_untidy(cx, now);
        }
        if self.timers.take(Timer::InHand, now) && self.may_judge(cx) {
            self.judge_in_hand(cx, now);
        }
        if self.timers.take(Timer::Unpressed, now) && self.may_judge(cx) {
            self.tell_unpressed(cx);
        }
    }

    /// What is watched for after each event.
    pub(super) fn run_last_timers(&mut self, cx: &mut Cx<'_>, now: Mono) {
        self.watch_unpressed(cx, now);
        self.watch_put_back(now);
        // The referee is asked after each event.
        self.timers.take(Timer::Final, now);
        if self.timers.take(Timer::Memory, now) {
            self.ask_memory(cx, now);
        }
    }

    /// Says on record, once for each event, that the search for moves was cut short.
    pub(super) fn note_cut(&mut self, facts: &mut Vec<Fact>) {
        let n = self.play.as_ref().map_or(0, |play| play.tracker().n_cut());
        if self.watch.is_new_cut(n) {
            facts.push(Fact::SearchCut { n });
        }
    }
}
