//! The dispatch: each event to its place, timers, and the effects in their order.

mod doubt;
mod lights;
mod minutes;
mod order_start;
mod orders;
mod over;
mod pair;
mod rules;
mod told;

pub(super) use minutes::Minutes;

use super::bench::Bench;
use super::clock::ClockSide;
use super::effect::Effect;
use super::entry::{Entry, Fact, LinkState};
use super::event::{Driving, Event};
use super::own_board::OwnBoard;
use super::play;
use super::play::Play;
use super::recorder::{Cx, GameOutbox, LastRead, Legacy, PressSource, Recorder, start_shown};
use super::settings::{ClockRole, Lights, Settings};
use crate::board::{AnyBoard, Connection, Expects, Known, News};
use crate::clock::{ClockNote, ClockPresence, Estimate, Reader, Turned};
use crate::laws::Told;
use crate::table::{End, Placement, Reading, Times, defaults};
use crate::time::{Mono, Stamp};
use crate::wire::ClockMessage;
use shakmaty::{Bitboard, Board, Color, Position, Square};
use std::time::Duration;

defaults! {
    /// One board's game, as a pure state machine.
    #[derive(Clone, Debug)]
    pub struct Game {
        given {
            settings: Settings,
            board: AnyBoard,
            clock: ClockSide,
            bench: Option<Bench>,
        }
        recorder: Recorder,
        /// Why the order that came last cannot be carried out.
        refused: Option<String>,
        /// So many of the facts so far were looked at for moves that the referee is to be told.
        n_told: usize,
        out: GameOutbox,
        /// The time of a game goes on where its record ends: so much ahead of the daemon's.
        ahead: Duration,
    }
}

impl Game {
    /// A board that has not spoken yet.
    pub fn new(settings: Settings) -> Self {
        let connection = Connection {
            orientation: settings.orientation,
            chips: &settings.chips,
            key: settings.key,
            shares_line: settings.shares_line,
            watches_clock: settings.clock_role == ClockRole::Read,
        };
        let board = AnyBoard::new(settings.board, &connection);
        let (clock, bench) = (ClockSide::new(&settings), Bench::of(&settings));
        Self::begin(settings, board, clock, bench)
    }

    /// The game goes on where its record stops.
    pub(super) fn take_up(&mut self, before: Before) {
        let Before { known, white, has_clock, play, bench, begins, clocked, legacy, .. } = before;
        self.ahead = begins.since(Mono::default());
        self.board.take_up(known);
        self.clock.take_up(white, has_clock, self.board.lies());
        if let Some(mut play) = play {
            play.hold_end(bench.as_ref().is_some_and(|bench| bench.referee().is_end_open()));
            let sheet = play.sheet();
            self.clock.take_up_game(sheet.start().turn(), sheet.len());
            self.recorder.set_play(play);
            self.bench = bench;
        }
        let (recorder, mut cx) = self.parts();
        recorder.set_own_board(before.own_board);
        recorder.begin_silence(&mut cx, Some(legacy.until).filter(|_| before.is_gone_known));
        recorder.note_gone(clocked);
        recorder.recover_base(&mut cx, begins, legacy);
        if let Some((at, by)) = before.untold_press {
            recorder.recover_press(at, by);
        }
    }

    /// The settings that the game was made with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The game in progress, or the last one.
    pub fn play(&self) -> Option<&Play> {
        self.recorder.play()
    }

    /// The clock as it was last read.
    pub fn clock(&self) -> &Reader {
        &self.clock
    }

    /// How many recorded half-moves the public may see: with a clock only completed ones, because
    /// a move may be corrected without penalty until the press. 2023: Art. 6.2.1, 7.5.
    pub fn n_public(&self) -> usize {
        let Some(play) = self.recorder.play() else { return 0 };
        let waits_for_press = self.clock.device() == ClockPresence::Present && self.clock.has_run();
        if waits_for_press && !play.is_over() {
            play.sheet().n_completed()
        } else {
            play.sheet().len()
        }
    }

    /// The times as well as they are known at `at`: by the clock while it is heard, reckoned while
    /// it is gone. `None` if there never was one.
    pub fn estimate(&self, at: Mono) -> Option<Estimate> {
        self.clock.estimate(at + self.ahead)
    }

    /// The clock is our own and was given these times, which are on record.
    pub fn clock_restored(&mut self, to: Times) {
        self.clock.restore(to);
        self.out.facts.push(Fact::ClockNote(ClockNote::Restored { to }));
    }

    /// The line to the board.
    pub fn link(&self) -> LinkState {
        self.recorder.link()
    }

    /// Whether the board that is heard is that of the game and none in its place, as far as boards
    /// tell their numbers.
    pub fn hears_own_board(&self) -> bool {
        self.board.is_identified() && !self.recorder.is_away()
    }

    /// Why the board was given up, if it has said so itself.
    pub fn why_given_up(&self) -> Option<&'static str> {
        self.board.why_given_up()
    }

    /// What is seen on a board on which no game is on record.
    pub fn unrecorded(&self) -> Option<&Placement> {
        self.recorder.unrecorded()
    }

    /// Whether something was missed that the board's memory may yet tell.
    pub fn awaits_memory(&self) -> bool {
        self.recorder.awaits_memory()
    }

    /// The squares on which the board has contradicted the position of the record for long, so that
    /// whoever looks at that position is told.
    pub fn contradicted(&self, now: Mono) -> Bitboard {
        self.recorder.contradicted(now + self.ahead)
    }

    /// The recorder, with what it may use of the other parts.
    pub(super) fn parts(&mut self) -> (&mut Recorder, Cx<'_>) {
        let Self { settings, board, clock, bench, out, recorder, .. } = self;
        (recorder, Cx::new(settings, board, clock, bench, out))
    }

    /// Takes one event and appends what is to be done about it.
    ///
    /// Never fails: what the Laws or the sensors cannot explain is a finding. Events must come in
    /// the order of their time.
    pub fn handle(&mut self, at: Stamp, event: &Event, effects: &mut Vec<Effect>) {
        let now = at.mono + self.ahead;
        self.clear_bench();
        if let Some(play) = self.recorder.play_mut() {
            play.lend_times(self.clock.times_to_lend(now));
        }
        match event {
            Event::LinkUp => {
                let (recorder, mut cx) = self.parts();
                recorder.line_up(&mut cx, now);
                // Also by a daemon that is new, and knows of the clock from the record.
                let has_clock = self.clock.device() == ClockPresence::Present;
                let asks_clock = has_clock && self.clock.hangs_on_board();
                self.board.link_up(now, asks_clock);
            }
            Event::LinkDown => self.on_link_down(),
            Event::Bytes => self.board.on_bytes(now),
            Event::Said(bytes) => self.board.on_said(now, bytes),
            Event::Board(message) => self.board.on_message(now, message),
            Event::Noise => self.board.on_noise(now),
            Event::Sensed(sq, reading) => self.board.on_sensed(now, *sq, *reading),
            Event::Pictured(placement) => self.board.on_picture(now, placement),
            Event::Clock(message) => {
                self.clock.note_beside();
                self.on_clock(now, message);
            }
            Event::Pressed(by) => self.on_press(now, *by, PressSource::Button),
            Event::Clocked(clocked) => self.on_clocked(now, *clocked),
            Event::Driven(driving) => self.drive_clock(now, &driving.ahead(self.ahead)),
            Event::Act(act) => self.on_act(now, act),
            Event::Paired(paired) => self.pair(paired),
            Event::Entered { author, reason } => {
                let (author, reason) = (author.clone(), reason.clone());
                self.out.facts.push(Fact::Entered { author, reason });
            }
            Event::Timeout => {}
        }
        self.run_board(now);
        while let Some(news) = self.next_news(now) {
            self.take_news(now, news);
        }
        self.run_timers(now);
        self.clock.on_timeout(now, &mut self.out.facts);
        if let Some(play) = self.recorder.play() {
            self.clock.press_unseen(now, play, &self.out.facts);
        }
        self.clock.watch_start(self.recorder.play(), &mut self.out.facts);
        self.note_paired();
        self.run_bench(now, effects);
        self.recorder.note_cut(&mut self.out.facts);
        if self.settings.lights != Lights::Off {
            let lit = self.lit(at.mono);
            self.board.light(now, lit.squares);
        }
        self.flush(at, now, effects);
    }

    /// When [`Event::Timeout`] is due. Calling early, or late, does no harm.
    pub fn wake_at(&self) -> Option<Mono> {
        let dues = [
            self.board.wake_at(),
            self.recorder.wake_at(),
            self.clock.wake_at(),
            self.bench_wakes_at(),
        ];
        Some(dues.into_iter().flatten().min()?.earlier(self.ahead))
    }

    /// The line will be closed on purpose: appends what tells the board so.
    pub fn leave(&mut self, effects: &mut Vec<Effect>) {
        self.board.leave();
        effects.extend(self.board.take_sent().into_iter().map(Effect::Send));
    }

    fn flush(&mut self, at: Stamp, now: Mono, effects: &mut Vec<Effect>) {
        effects.extend(self.board.take_sent().into_iter().map(Effect::Send));
        self.out.wants_show |= self.out.facts.iter().any(Fact::is_public);
        if self.bench.is_some() {
            // What the referee says of a matter goes before what the record found of it.
            self.out.facts.sort_by_key(|fact| fact.finding().is_some());
        }
        self.recorder.hear_clock(now, &self.out.facts);
        self.n_told = 0;
        effects.extend(self.out.facts.drain(..).map(|fact| Effect::Record(Entry { at, fact })));
        if std::mem::take(&mut self.out.wants_show) {
            effects.push(Effect::Show);
        }
        if std::mem::take(&mut self.out.wants_reopen) {
            effects.push(Effect::Reopen);
        }
    }

    fn run_board(&mut self, now: Mono) {
        if self.board.wake_at().is_some_and(|due| due <= now) {
            self.board.on_timeout(now);
            self.out.wants_reopen |= self.board.is_given_up();
        }
    }

    /// What the board has to say next, as it is to be believed in view of the game.
    fn next_news(&mut self, now: Mono) -> Option<News> {
        let view = DriverView {
            open: self.recorder.play().filter(|play| !play.is_over()),
            settings: &self.settings,
            clock: &self.clock,
            is_whole: self.recorder.sees_all(),
        };
        self.board.poll(now, &view)
    }

    fn take_news(&mut self, now: Mono, news: News) {
        let (recorder, mut cx) = self.parts();
        match news {
            News::WasQuiet(since) => recorder.suspect_silence(&mut cx, since),
            News::Noise => recorder.on_noise(&mut cx, now),
            News::Live => recorder.set_link(&mut cx, LinkState::Live),
            News::Sees(sight) => cx.facts.push(Fact::Sees(sight)),
            // How another board lies says nothing of who sits where.
            News::Lies(_) if recorder.is_away() => {}
            News::Lies(orientation) => cx.clock.note_board_lies(orientation),
            News::Sensed(sq, reading) => self.on_sensed(now, sq, reading),
            News::Pictured(placement) => self.on_picture(now, &placement),
            News::Untold => recorder.tell_untold(&mut cx),
            News::Clock(message) => self.on_clock(now, &message),
            News::Signal(signal) => recorder.on_signal(&mut cx, signal),
            News::Remembered(steps) => recorder.on_remembered(&mut cx, now, steps),
            News::Identified(serial) => recorder.on_identified(&mut cx, now, serial),
        }
    }

    fn on_link_down(&mut self) {
        self.board.link_down();
        self.clock.line_lost();
        let heard = self.board.last_heard();
        let (recorder, mut cx) = self.parts();
        recorder.line_down(&mut cx, heard);
    }

    fn on_sensed(&mut self, now: Mono, sq: Square, reading: Reading) {
        if reading == Reading::Empty {
            self.restart_if_left(now, sq.into());
        }
        let (recorder, mut cx) = self.parts();
        if !recorder.stir(&mut cx, now, sq, reading) {
            return;
        }
        let is_interrupted =
            self.clock.is_interrupted() || self.is_suspended() && !self.recorder.is_over();
        self.tell_square(now, sq, reading);
        let (recorder, mut cx) = self.parts();
        recorder.sense(&mut cx, now, (sq, reading), is_interrupted);
    }

    /// Pieces are about to leave `lifted`: where that is the array of the next game, it begins.
    fn restart_if_left(&mut self, now: Mono, lifted: Bitboard) {
        let (recorder, mut cx) = self.parts();
        if let Some(shown) = recorder.restart_if_left(&mut cx, now, lifted) {
            self.on_picture(now, &shown);
        }
    }

    fn on_picture(&mut self, now: Mono, placement: &Placement) {
        self.restart_if_left(now, !placement.occupied());
        let (recorder, mut cx) = self.parts();
        recorder.stir_all(&mut cx, now, placement);
        self.tell_picture(now, placement);
        let (recorder, mut cx) = self.parts();
        if recorder.picture(&mut cx, now, placement) {
            self.on_picture(now, placement);
        }
    }

    pub(super) fn run_timers(&mut self, now: Mono) {
        let (recorder, mut cx) = self.parts();
        recorder.run_timers(&mut cx, now);
        if let Some(shown) = recorder.restart_if_due(&mut cx, now) {
            self.on_picture(now, &shown);
        }
        let (recorder, mut cx) = self.parts();
        recorder.run_late_timers(&mut cx, now);
        self.tell_flags(now);
        let (recorder, mut cx) = self.parts();
        recorder.run_last_timers(&mut cx, now);
    }

    fn on_clock(&mut self, now: Mono, message: &ClockMessage) {
        if self.recorder.is_away() && self.clock.hangs_on_board() {
            // It is the clock of another game.
            return;
        }
        let Some(heard) = self.clock.hear(now, message, &mut self.out.facts) else { return };
        let is_late = self.recorder.note_clock(now);
        self.take_turns(now, &heard.turned, is_late);
        self.clock.check(now, message, &heard, self.recorder.play(), &mut self.out.facts);
        if heard.is_first {
            let (recorder, cx) = self.parts();
            recorder.look_at_rest(&cx, now);
        }
        self.clock.record_news(now, &heard, &mut self.out.facts);
        self.tell_reading(now);
        self.clock.watch_flags(now, message, &heard);
        self.out.wants_show = true;
    }

    /// How the clock is driven, or the model that it is driven by, has changed.
    fn drive_clock(&mut self, now: Mono, driving: &Driving) {
        for face in self.clock.drive(now, driving, self.recorder.play(), &mut self.out.facts) {
            let turned = self.clock.turn(now, face);
            self.take_turns(now, &turned, false);
        }
    }

    /// What has been at zero for long enough is a flag.
    pub(super) fn tell_flags(&mut self, now: Mono) {
        for side in self.clock.fallen(now, self.recorder.play()) {
            self.out.facts.push(Fact::Flag { side: Some(side) });
            self.tell(now, &Told::Flag(side));
        }
    }

    /// The clock was pressed, started or stopped; `is_late` if nobody knows when.
    fn take_turns(&mut self, now: Mono, turned: &[Turned], is_late: bool) {
        for turn in turned {
            let (recorder, mut cx) = self.parts();
            match turn {
                Turned::Pressed(end) if cx.clock.follows(now, *end) => {}
                // When it was pressed nobody knows.
                Turned::Pressed(end) if is_late => {
                    let by = cx.clock.color(*end);
                    recorder.turned_in_silence(&mut cx, now, by);
                }
                Turned::Pressed(end) => {
                    let sets_running = turned.contains(&Turned::Started);
                    if recorder.on_lever(&mut cx, now, *end, sets_running) {
                        self.on_press(now, self.clock.color(*end), PressSource::Lever);
                    }
                }
                Turned::Started => {
                    recorder.start_stand(&mut cx, now);
                    recorder.on_resumed(&mut cx, now);
                }
                Turned::Stopped => recorder.on_stopped(&mut cx, now),
            }
        }
    }

    fn on_press(&mut self, now: Mono, by: Color, how: PressSource) {
        let (recorder, mut cx) = self.parts();
        recorder.note_heard_press(by);
        recorder.take_press(&mut cx, now, by, how);
        self.tell_made(now);
        self.tell_press(now, by);
        if self.is_unsure(now) {
            self.drop_doubt(now);
        }
        self.decide_doubt(now);
    }
}

/// What is on record of a board that was watched before.
pub(super) struct Before {
    /// What its driver knew.
    pub known: Known,
    /// White's end of the clock,
    pub white: End,
    /// and whether one has run.
    pub has_clock: bool,
    /// The last game, with the referee that has followed it.
    pub play: Option<Play>,
    pub bench: Option<Bench>,
    /// When it goes on, by its own time,
    pub begins: Mono,
    /// whether that is known,
    pub is_gone_known: bool,
    /// and what the clock showed before.
    pub clocked: Option<LastRead>,
    /// What was seen of the board.
    pub legacy: Legacy,
    /// When the clock was pressed last, and by whom, if nobody has been told for what.
    pub untold_press: Option<(Mono, Color)>,
    /// Whose board was heard last.
    pub own_board: OwnBoard,
}

/// What a board's driver may know of the game.
struct DriverView<'a> {
    /// The game that is on.
    open: Option<&'a Play>,
    settings: &'a Settings,
    clock: &'a Reader,
    is_whole: bool,
}

impl Expects for DriverView<'_> {
    fn on_record(&self) -> Option<&Board> {
        self.open.map(|play| play.sheet().last().board())
    }

    fn standing(&self) -> Option<&Board> {
        self.open.map(|play| play.tracker().best().standing().board())
    }

    fn may_begin_from(&self, shown: &Placement) -> bool {
        let named = play::start_of(self.settings);
        named.is_some_and(|(start, _)| shown.differs(start.board()).is_empty())
            || start_shown(self.settings, shown).is_some()
    }

    fn is_whole(&self) -> bool {
        self.is_whole
    }

    fn player_at(&self, end: End) -> Color {
        self.clock.color(end)
    }
}
