//! The dispatch: each event to its place, timers, and the effects in their order.

use super::clock::{self, ClockSide};
use super::effect::Effect;
use super::entry::{Entry, Fact, LinkState};
use super::event::{Driving, Event};
use super::gap::Silence;
use super::join::Joining;
use super::memory::{Memory, Picture};
use super::play;
use super::play::Play;
use super::rules::Bench;
use super::settings::{BoardKind, ClockRole, Settings};
use super::start;
use super::timers::{Timer, Timers};
use super::watch::Pressed;
use crate::board::{AnyBoard, Dgt, Expects, News, Scanned};
use crate::clock::{Device, End, Estimate, Note, Reader, Times, Turned};
use crate::laws::{Ending, Reason, Told};
use crate::time::{Mono, Stamp};
use crate::track::tracker::STEP_MAX;
use crate::track::{Placement, Reading, Step, Tracker};
use crate::wire::{self, ClockMessage, Signal};
use shakmaty::{Board, Color, KnownOutcome, Position, Square};
use std::time::Duration;

/// A change of the board must be this old before the board is asked for a whole picture.
/// Source: protocol 1.10, a normal game over USB.
pub(super) const VERIFY_AFTER: Duration = Duration::from_millis(250);
/// Both kings must stand in the center this long. Source: protocol 9.1.
pub(super) const KINGS_HOLD: Duration = Duration::from_secs(3);

/// One board's game, as a pure state machine.
#[derive(Clone, Debug)]
pub struct Game {
    pub(super) settings: Settings,
    pub(super) board: AnyBoard,
    pub(super) link: LinkState,
    pub(super) clock: ClockSide,
    pub(super) play: Option<Play>,
    pub(super) timers: Timers,
    pub(super) watch: super::watch::Watch,
    pub(super) bench: Option<Bench>,
    /// Why the order that came last cannot be carried out.
    pub(super) refused: Option<String>,
    pub(super) memory: Memory,
    pub(super) has_gap: bool,
    /// What was played of late is not known.
    pub(super) silence: Option<Silence>,
    pub(super) joining: Joining,
    /// What was believed when the board was last read twice, on a line with noise on it.
    pub(super) vouched: Option<(Mono, Tracker)>,
    /// The line is open, but the whole board has not been read since: single changes may come, and
    /// mean little.
    pub(super) is_blind: bool,
    pub(super) facts: Vec<Fact>,
    pub(super) wants_show: bool,
    pub(super) wants_reopen: bool,
}

impl Game {
    /// A board that has not spoken yet.
    pub fn new(settings: Settings) -> Self {
        // Whoever drives a clock must know what it was asked.
        let watches_clock = settings.clock_role == ClockRole::Read;
        Self {
            board: match settings.board {
                BoardKind::Dgt => {
                    AnyBoard::Dgt(Dgt::new(settings.orientation, watches_clock).into())
                }
                BoardKind::Scanned => AnyBoard::Scanned(Scanned::default()),
            },
            link: LinkState::Absent,
            clock: ClockSide::new(&settings),
            play: None,
            timers: Timers::default(),
            watch: super::watch::Watch::default(),
            bench: Bench::of(&settings),
            refused: None,
            memory: Memory::default(),
            has_gap: false,
            silence: None,
            joining: Joining::default(),
            vouched: None,
            is_blind: false,
            facts: Vec::new(),
            wants_show: false,
            wants_reopen: false,
            settings,
        }
    }

    /// The settings that the game was made with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The game in progress, or the last one.
    pub fn play(&self) -> Option<&Play> {
        self.play.as_ref()
    }

    /// The clock as it was last read.
    pub fn clock(&self) -> &Reader {
        &self.clock
    }

    /// How many recorded half-moves the public may see: with a clock only completed ones, because
    /// a move may be corrected without penalty until the press. 2023: Art. 6.2.1, 7.5.
    pub fn n_public(&self) -> usize {
        let Some(play) = &self.play else { return 0 };
        let waits_for_press = self.clock.device() == Device::Present && self.clock.has_run();
        if waits_for_press && !play.is_over() {
            play.sheet().n_completed()
        } else {
            play.sheet().len()
        }
    }

    /// The times as well as they are known at `at`: by the clock while it is heard, reckoned while
    /// it is gone. `None` if there never was one.
    pub fn estimate(&self, at: Mono) -> Option<Estimate> {
        self.clock.estimate(at)
    }

    /// The clock is our own and was given these times, which are on record.
    pub fn clock_restored(&mut self, to: Times) {
        self.clock.restore(to);
        self.facts.push(Fact::ClockNote(Note::Restored { to }));
    }

    /// The line to the board.
    pub fn link(&self) -> LinkState {
        self.link
    }

    /// Takes one event and appends what is to be done about it.
    ///
    /// Never fails: what the Laws or the sensors cannot explain is a finding. Events must come in
    /// the order of their time.
    pub fn handle(&mut self, at: Stamp, event: &Event, effects: &mut Vec<Effect>) {
        let now = at.mono;
        self.clear_bench();
        if let Some(play) = &mut self.play {
            play.lend_times(self.clock.times_to_lend(now));
        }
        match event {
            Event::LinkUp => {
                (self.is_blind, self.vouched) = (true, None);
                self.note_line_up(now);
                let asks_clock = self.clock.is_heard() && self.clock.hangs_on_board();
                self.board.link_up(now, asks_clock);
            }
            Event::LinkDown => self.on_link_down(),
            Event::Bytes => self.board.on_bytes(now),
            Event::Board(message) => self.board.on_message(now, message),
            Event::Noise => self.board.on_noise(now),
            Event::Sensed(sq, reading) => self.board.on_sensed(now, *sq, *reading),
            Event::Pictured(placement) => self.board.on_picture(now, placement),
            Event::Clock(message) => {
                self.clock.note_beside();
                self.on_clock(now, message);
            }
            Event::Pressed(by) => self.on_press(now, *by, Pressed::Button),
            Event::Clocked(clocked) => self.on_clocked(now, *clocked),
            Event::Kept(driving) => self.keep_clock(now, driving),
            Event::Act(act) => self.on_act(now, act),
            Event::Timeout => {}
        }
        while let Some(news) = self.next_news(now) {
            self.take_news(now, news);
        }
        self.run_board(now);
        self.run_timers(now);
        self.clock.on_timeout(now, &mut self.facts);
        if let Some(play) = &self.play {
            self.clock.press_unseen(now, play, &self.facts);
        }
        self.clock.watch_start(self.play.as_ref(), &mut self.facts);
        self.run_bench(now, effects);
        self.note_cut();
        self.flush(at, effects);
    }

    /// Says on record, once for each event, that the search for moves was cut short.
    fn note_cut(&mut self) {
        let n = self.play.as_ref().map_or(0, |play| play.tracker().n_cut());
        if self.watch.is_new_cut(n) {
            self.facts.push(Fact::SearchCut { n });
        }
    }

    /// When [`Event::Timeout`] is due. Calling early, or late, does no harm.
    pub fn wake_at(&self) -> Option<Mono> {
        let dues =
            [self.board.wake_at(), self.timers.next(), self.clock.wake_at(), self.bench_wakes_at()];
        dues.into_iter().flatten().min()
    }

    /// The line will be closed on purpose: appends what tells the board so.
    pub fn leave(&mut self, effects: &mut Vec<Effect>) {
        self.board.leave();
        effects.extend(self.board.take_sent().into_iter().map(Effect::Send));
    }

    fn flush(&mut self, at: Stamp, effects: &mut Vec<Effect>) {
        effects.extend(self.board.take_sent().into_iter().map(Effect::Send));
        self.wants_show |= self.facts.iter().any(Fact::is_public);
        if self.bench.is_some() {
            // What the referee says of a matter goes before what the record found of it.
            self.facts.sort_by_key(|fact| fact.finding().is_some());
        }
        effects.extend(self.facts.drain(..).map(|fact| Effect::Record(Entry { at, fact })));
        if std::mem::take(&mut self.wants_show) {
            effects.push(Effect::Show);
        }
        if std::mem::take(&mut self.wants_reopen) {
            effects.push(Effect::Reopen);
        }
    }

    fn run_board(&mut self, now: Mono) {
        if self.board.wake_at().is_some_and(|due| due <= now) {
            self.board.on_timeout(now);
            self.wants_reopen |= self.board.is_given_up();
        }
    }

    /// What the board has to say next, as it is to be believed in view of the game.
    fn next_news(&mut self, now: Mono) -> Option<News> {
        let view = View {
            open: self.play.as_ref().filter(|play| !play.is_over()),
            settings: &self.settings,
            clock: &self.clock,
            is_whole: !self.is_blind && !self.has_gap,
        };
        self.board.poll(now, &view)
    }

    fn take_news(&mut self, now: Mono, news: News) {
        match news {
            News::WasQuiet(since) => self.suspect_silence(since),
            News::Noise => self.on_noise(now),
            News::Live => self.set_link(LinkState::Live),
            News::Sees(sight) => self.facts.push(Fact::Sees(sight)),
            News::Lies(orientation) => self.clock.note_board_lies(orientation),
            News::Sensed(sq, reading) => self.on_sensed(now, sq, reading),
            News::Pictured(placement) => self.on_picture(now, &placement),
            News::Clock(message) => self.on_clock(now, &message),
            News::Signal(signal) => self.on_signal(signal),
            News::Remembered(steps) => self.on_remembered(now, steps),
            News::Identified { serial, is_exchanged } => {
                self.facts.push(Fact::Identified { serial });
                if is_exchanged {
                    self.on_exchanged();
                }
            }
        }
    }

    fn on_link_down(&mut self) {
        self.board.link_down();
        self.clock.line_lost();
        self.memory.link_down();
        if self.is_over() && self.play.is_some() {
            self.memory.forget_play();
        }
        self.joining.link_down();
        self.begin_silence(Some(self.board.last_heard()));
        if self.link == LinkState::Live {
            self.set_link(LinkState::Lost);
        }
    }

    fn set_link(&mut self, link: LinkState) {
        self.link = link;
        self.facts.push(Fact::Link(link));
    }

    fn on_signal(&mut self, signal: Signal) {
        let outcome = match signal {
            Signal::Draw => KnownOutcome::Draw,
            Signal::WhiteWins => KnownOutcome::Decisive { winner: Color::White },
            Signal::BlackWins => KnownOutcome::Decisive { winner: Color::Black },
        };
        if let Some(play) = self.play.as_mut().filter(|play| !play.is_over()) {
            play.end(Ending { outcome, reason: Reason::SignalPiece }, &mut self.facts);
        }
    }

    fn on_sensed(&mut self, now: Mono, sq: Square, reading: Reading) {
        self.timers.set(Timer::Verify, now + VERIFY_AFTER);
        if self.is_blind {
            // It is in the picture to come, beside what was missed before it. To take it now would
            // be to believe that it came first.
            return;
        }
        self.joining.sense(now, sq, reading);
        self.note_stand(now);
        self.watch.note_board();
        let is_interrupted = self.is_interrupted() || self.is_suspended() && !self.is_over();
        self.tell_square(now, sq, reading);
        let is_silent = self.is_silent();
        let Some(play) = &mut self.play else { return };
        let has_changed = if is_interrupted || is_silent {
            play.observe(now, sq, reading)
        } else {
            play.sense(now, sq, reading)
        };
        if has_changed {
            self.memory.hear(now, Step::Sensed { sq, reading });
            self.facts.push(Fact::Sensed { sq, reading });
            self.board_changed(now);
        }
    }

    pub(super) fn on_picture(&mut self, now: Mono, placement: &Placement) {
        self.timers.clear(Timer::Verify);
        self.joining.picture(now, placement);
        self.note_stand(now);
        self.tell_picture(now, placement);
        let Some(play) = &mut self.play else {
            self.is_blind = false;
            self.try_start(now, placement);
            return;
        };
        let is_silent = self.silence.is_some() && play.ending().is_none();
        let has_changed = match is_silent {
            true => self.picture_in_silence(now, placement),
            false => play.picture(now, placement),
        };
        if has_changed {
            self.facts.push(Fact::Pictured(placement.clone()));
            self.board_changed(now);
        }
        if std::mem::take(&mut self.is_blind) {
            self.rejudge(now);
        }
        self.vouch(now);
        let had_gap = std::mem::take(&mut self.has_gap);
        let was_before_the_stop = self.watch.note_board();
        if has_changed
            && !is_silent
            && (!self.is_interrupted() || was_before_the_stop && !self.is_over())
            && (self.watch.has_suspect() || was_before_the_stop)
        {
            self.look(now, STEP_MAX);
        }
        if was_before_the_stop && self.is_interrupted() {
            self.adopt_stopped(now);
            self.watch_stopped(now);
        }
        self.note_picture(
            now,
            match (has_changed, had_gap) {
                (false, _) => Picture::AsBelieved,
                (true, false) => Picture::Different,
                (true, true) => Picture::AfterGap,
            },
        );
        self.watch_for_restart(now, placement);
    }

    fn on_clock(&mut self, now: Mono, message: &ClockMessage) {
        let Some(heard) = self.clock.hear(now, message, &mut self.facts) else { return };
        let is_late = self.note_clock(now);
        self.take_turns(now, &heard.turned, is_late);
        self.clock.check(now, message, &heard, self.play.as_ref(), &mut self.facts);
        if heard.is_first {
            self.timers.set(Timer::Settle, now + self.settle_time());
        }
        self.clock.record_news(now, &heard, &mut self.facts);
        self.tell_reading(now);
        self.clock.watch_flags(now, message, &heard);
        self.wants_show = true;
    }

    /// How the clock is driven, or the model that it is driven by, has changed.
    fn keep_clock(&mut self, now: Mono, driving: &Driving) {
        for face in self.clock.keep(now, driving, self.play.as_ref(), &mut self.facts) {
            let turned = self.clock.turn(now, face);
            self.take_turns(now, &turned, false);
        }
    }

    /// What has been at zero for long enough is a flag.
    pub(super) fn tell_flags(&mut self, now: Mono) {
        for side in self.clock.fallen(now, self.play.as_ref()) {
            self.facts.push(Fact::Flag { side: Some(side) });
            self.tell(now, &Told::Flag(side));
        }
    }

    /// The clock was pressed, started or stopped; `is_late` if nobody knows when.
    pub(super) fn take_turns(&mut self, now: Mono, turned: &[Turned], is_late: bool) {
        for turn in turned {
            match turn {
                Turned::Pressed(end) if self.clock.follows(now, *end) => {}
                // When it was pressed nobody knows.
                Turned::Pressed(end) if is_late => {
                    self.turned_in_silence(now, self.clock.color(*end));
                }
                Turned::Pressed(end) => {
                    self.on_lever(now, *end, turned.contains(&Turned::Started));
                }
                Turned::Started => {
                    self.start_stand(now);
                    self.on_resumed(now);
                }
                Turned::Stopped => self.on_stopped(now),
            }
        }
    }

    fn on_lever(&mut self, now: Mono, end: End, sets_running: bool) {
        if self.play.is_none() {
            return self.press_stand(now, self.clock.color(end));
        }
        let is_first = !self.watch.note_lever();
        // An arbiter who starts the clock may use either end: that contradicts no setting.
        let may_tell = self.settings.white_end.is_none() || !sets_running;
        let is_silent = self.is_silent();
        let Some(play) = &mut self.play else { return };
        if is_first && may_tell && !is_silent && play.is_fresh() && !play.shows_first_move() {
            // By the lever it was the other one: perhaps the lever is the other way round.
            play.turn_around(now, &mut self.facts);
        }
        if is_first && may_tell && !is_silent && play.shows_first_move() {
            let is_whites = play.sheet().start().turn().is_white();
            let white = if is_whites { end } else { end.other() };
            if white != self.clock.white_end() {
                self.clock.seat_white(white, &mut self.facts);
            }
        }
        let Some(play) = &self.play else { return };
        // An arbiter who starts the clock with the lever has not made a move.
        if !sets_running || play.mismatch().is_some() {
            self.on_press(now, self.clock.color(end), Pressed::Lever);
        }
    }
}

/// What a board's driver may know of the game.
struct View<'a> {
    /// The game that is on.
    open: Option<&'a Play>,
    settings: &'a Settings,
    clock: &'a Reader,
    is_whole: bool,
}

impl Expects for View<'_> {
    fn on_record(&self) -> Option<&Board> {
        self.open.map(|play| play.sheet().last().board())
    }

    fn standing(&self) -> Option<&Board> {
        self.open.map(|play| play.tracker().best().standing().board())
    }

    fn may_begin_from(&self, shown: &Placement) -> bool {
        let named = play::start_of(self.settings);
        named.is_some_and(|(start, _)| shown.differs(start.board()).is_empty())
            || start::start_shown(self.settings, shown).is_some()
    }

    fn is_whole(&self) -> bool {
        self.is_whole
    }

    fn player_at(&self, end: wire::End) -> Color {
        self.clock.color(clock::end_of(end))
    }
}
