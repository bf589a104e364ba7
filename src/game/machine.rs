//! The dispatch: each event to its place, timers, and the effects in their order.

use super::clock_stands::ClockStands;
use super::dump::Doubts;
use super::effect::Effect;
use super::entry::{Entry, Fact, LinkState};
use super::event::Event;
use super::flags::Flags;
use super::gap::Silence;
use super::identity::{Identity, Serials};
use super::join::Joining;
use super::memory::{Memory, Picture};
use super::play::Play;
use super::rules::Bench;
use super::settings::{ClockRole, Settings};
use super::timekeeper::Timekeeper;
use super::timers::{Timer, Timers};
use super::watch::Pressed;
use crate::clock::{Device, End, Face, Reader, Times, Turned};
use crate::laws::{Ending, Reason};
use crate::time::{Mono, Stamp};
use crate::track::tracker::STEP_MAX;
use crate::track::{Placement, Reading, Sight, Step};
use crate::wire::lever_watch::{LeverWatch, Turn};
use crate::wire::{self, BoardMessage, ClockMessage, Code, Command, Dump, Field, Orientation};
use crate::wire::{Session, Signal, Streams};
use shakmaty::{Board, Color, KnownOutcome, Piece, Position, Role, Square};
use std::time::Duration;

/// Silence after which messages may have been lost. A board that is asked once a second answers.
pub(super) const GAP_AFTER: Duration = Duration::from_millis(2_500);
/// A change of the board must be this old before the board is asked for a whole picture.
/// Source: protocol 1.10, a normal game over USB.
pub(super) const VERIFY_AFTER: Duration = Duration::from_millis(250);
/// Between records of the clock's times while nothing else is recorded of them.
const SNAPSHOT_EVERY: Duration = Duration::from_secs(10);
/// How many pawns a player has.
const N_PAWNS: usize = 8;
/// What stands on each occupied square by the word of a board that tells no pieces apart.
const WHITE_PAWN: Piece = Piece { color: Color::White, role: Role::Pawn };
/// Both kings must stand in the center this long. Source: protocol 9.1.
pub(super) const KINGS_HOLD: Duration = Duration::from_secs(3);

/// One board's game, as a pure state machine.
#[derive(Clone, Debug)]
pub struct Game {
    pub(super) settings: Settings,
    pub(super) session: Session,
    pub(super) orientation: Option<Orientation>,
    pub(super) fields: Dump,
    /// What the board can tell of a piece, as its pictures show.
    pub(super) sight: Sight,
    pub(super) link: LinkState,
    pub(super) clock: Reader,
    /// The lever of a clock that is driven, whose times cannot tell old readings from new ones.
    pub(super) lever: LeverWatch,
    /// The clock does not hang on the board, and stays when the line to the board is lost.
    pub(super) is_clock_beside: bool,
    pub(super) timekeeper: Timekeeper,
    pub(super) flags: Flags,
    pub(super) clock_stands: ClockStands,
    pub(super) play: Option<Play>,
    pub(super) timers: Timers,
    pub(super) watch: super::watch::Watch,
    pub(super) serials: Serials,
    pub(super) bench: Option<Bench>,
    /// Why the order that came last cannot be carried out.
    pub(super) refused: Option<String>,
    pub(super) memory: Memory,
    pub(super) last_heard: Mono,
    pub(super) clock_recorded: Mono,
    /// What the clock showed then.
    pub(super) times_recorded: Option<Times>,
    pub(super) has_gap: bool,
    /// What was played of late is not known.
    pub(super) silence: Option<Silence>,
    pub(super) joining: Joining,
    /// What has been read and is not believed yet.
    pub(super) doubts: Doubts,
    /// One has been believed since this run of the program began.
    pub(super) has_dumped: bool,
    /// The line is open, but the whole board has not been read since: single changes may come, and
    /// mean little.
    pub(super) is_blind: bool,
    pub(super) facts: Vec<Fact>,
    pub(super) commands: Vec<Command>,
    pub(super) wants_show: bool,
    pub(super) wants_reopen: bool,
}

impl Game {
    /// A board that has not spoken yet.
    pub fn new(settings: Settings) -> Self {
        let session = Session::new(Streams::BoardAndClock);
        Self {
            session: match settings.clock_role {
                ClockRole::Read => session.watching_clock(),
                ClockRole::Driven | ClockRole::Own => session,
            },
            orientation: settings.orientation,
            fields: Dump::new(&Board::empty(), Orientation::Normal),
            sight: Sight::Pieces,
            link: LinkState::Absent,
            clock: Reader::new(settings.white_end.unwrap_or(End::Left)),
            lever: LeverWatch::default(),
            is_clock_beside: false,
            timekeeper: Timekeeper::new(&settings),
            flags: Flags::default(),
            clock_stands: ClockStands::default(),
            play: None,
            timers: Timers::default(),
            watch: super::watch::Watch::default(),
            serials: Serials::default(),
            bench: Bench::of(&settings),
            refused: None,
            memory: Memory::default(),
            last_heard: Mono::default(),
            clock_recorded: Mono::default(),
            times_recorded: None,
            has_gap: false,
            silence: None,
            joining: Joining::default(),
            doubts: Doubts::default(),
            has_dumped: false,
            is_blind: false,
            facts: Vec::new(),
            commands: Vec::new(),
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
        self.lend_times(now);
        match event {
            Event::LinkUp => {
                self.last_heard = now;
                self.is_blind = true;
                self.doubts.link_up();
                self.note_line_up(now);
                self.session.link_up(now, &mut self.commands);
                if self.clock.is_heard() && !self.is_clock_beside {
                    self.session.ask_clock();
                }
            }
            Event::LinkDown => self.on_link_down(),
            Event::Bytes => {
                self.note_heard(now);
                self.session.on_bytes(now);
            }
            Event::Board(message) => self.on_message(now, message),
            Event::Noise => self.on_noise(now),
            Event::Sensed(sq, reading) => self.on_sensed(now, *sq, *reading),
            Event::Pictured(placement) => self.on_picture(now, placement),
            Event::Clock(message) => {
                self.is_clock_beside = true;
                self.on_clock(now, message);
            }
            Event::Pressed(by) => self.on_press(now, *by, Pressed::Button),
            Event::Clocked(clocked) => self.on_clocked(now, *clocked),
            Event::Kept(driving) => self.keep_clock(now, driving),
            Event::Act(act) => self.on_act(now, act),
            Event::Timeout => {}
        }
        self.run_session(now);
        self.run_timers(now);
        self.run_timekeeper(now);
        self.press_unseen(now);
        self.watch_start();
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
        let dues = [
            self.session.wake_at(),
            self.timers.next(),
            self.timekeeper.wake_at(),
            self.bench_wakes_at(),
        ];
        dues.into_iter().flatten().min()
    }

    /// The line will be closed on purpose: appends what tells the board so.
    pub fn leave(&mut self, effects: &mut Vec<Effect>) {
        self.session.leave(&mut self.commands);
        effects.extend(self.commands.drain(..).map(Effect::Send));
    }

    fn flush(&mut self, at: Stamp, effects: &mut Vec<Effect>) {
        effects.extend(self.commands.drain(..).map(Effect::Send));
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

    fn run_session(&mut self, now: Mono) {
        if self.session.wake_at().is_some_and(|due| due <= now) {
            self.session.on_timeout(now, &mut self.commands);
            self.wants_reopen |= self.session.failed().is_some();
        }
    }

    fn on_link_down(&mut self) {
        self.session.link_down();
        if !self.is_clock_beside {
            self.timekeeper.lost();
        }
        self.memory.link_down();
        if self.is_over() && self.play.is_some() {
            self.memory.forget_play();
        }
        self.joining.link_down();
        self.begin_silence(Some(self.last_heard));
        if self.link == LinkState::Live {
            self.set_link(LinkState::Lost);
        }
    }

    fn set_link(&mut self, link: LinkState) {
        self.link = link;
        self.facts.push(Fact::Link(link));
    }

    /// Something has come over the line. If it was silent before, messages may have been lost.
    fn note_heard(&mut self, now: Mono) {
        if now.since(self.last_heard) > GAP_AFTER && self.link == LinkState::Live {
            self.suspect_silence(self.last_heard);
            self.session.want_dump(now, &mut self.commands);
        }
        self.last_heard = now;
    }

    fn on_message(&mut self, now: Mono, message: &BoardMessage) {
        self.note_heard(now);
        self.session.on_message(now, message, &mut self.commands);
        match message {
            BoardMessage::Dump(dump) => self.on_dump(now, dump),
            BoardMessage::Field { field, code } => self.on_field(now, *field, *code),
            BoardMessage::Clock(clock) => self.on_clock(now, clock),
            BoardMessage::Log(log) => self.on_log(now, log),
            BoardMessage::Serial(serial) => self.on_serial(now, serial, Command::ReturnSerial),
            BoardMessage::LongSerial(serial) => {
                self.on_serial(now, serial, Command::ReturnLongSerial);
            }
            _ => {}
        }
    }

    fn on_serial(&mut self, now: Mono, serial: &str, ask_again: Command) {
        let identity = self.serials.hear(now, serial);
        match identity {
            Identity::Known => {}
            Identity::Doubtful => self.commands.push(ask_again),
            Identity::New | Identity::Other => {
                self.facts.push(Fact::Identified { serial: serial.to_owned() });
            }
        }
        if identity == Identity::Other {
            self.on_exchanged();
        }
    }

    fn on_dump(&mut self, now: Mono, dump: &Dump) {
        if let Some(signal) = self.signal_shown(dump) {
            self.on_signal(signal);
        }
        if let Some(dump) = &self.believed(now, dump) {
            self.take_dump(now, dump);
        }
    }

    /// What stands on the board is known.
    pub(super) fn take_dump(&mut self, now: Mono, dump: &Dump) {
        self.fields = dump.clone();
        self.note_sight(dump);
        if self.link != LinkState::Live {
            self.set_link(LinkState::Live);
        }
        if self.orientation.is_none() {
            self.orientation = dump.orientation();
            if self.orientation == Some(Orientation::Rotated) && self.settings.white_end.is_none() {
                self.clock.bind_white(End::Right);
            }
        }
        let orientation = self.orientation.unwrap_or(Orientation::Normal);
        self.on_picture(now, &self.sight.of_board(&dump.placement(orientation)));
    }

    fn note_sight(&mut self, dump: &Dump) {
        let sight = self.sight_by(dump);
        if std::mem::replace(&mut self.sight, sight) != sight {
            self.facts.push(Fact::Sees(sight));
        }
    }

    /// Some boards say of a piece only that it is there, by the code of a white pawn (protocol
    /// 1.12). More of those than there are white pawns, and nothing else, is no chess.
    pub(super) fn sight_by(&self, dump: &Dump) -> Sight {
        let pieces = || dump.0.iter().filter(|code| **code != Code::Empty);
        let are_pawns = pieces().all(|code| *code == Code::Piece(WHITE_PAWN));
        match (self.sight, are_pawns) {
            (Sight::Pieces, true) if pieces().count() > N_PAWNS => Sight::Occupied,
            (Sight::Occupied, false) => Sight::Pieces,
            (same, _) => same,
        }
    }

    fn on_field(&mut self, now: Mono, field: Field, code: Code) {
        self.believe_unanswered(now);
        if !self.may_have_come(now, field, code) {
            return;
        }
        self.fields.0[usize::from(field.index())] = code;
        let sq = self.orientation.unwrap_or(Orientation::Normal).square(field);
        let reading = self.sight.of(code.piece());
        self.on_sensed(now, sq, reading);
    }

    pub(super) fn on_signal(&mut self, signal: Signal) {
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
        self.confirm_base(now);
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
        if self.is_overtaken(message) {
            return;
        }
        if matches!(message, ClockMessage::NoClock) && self.clock.lost() {
            self.lever = LeverWatch::default();
            self.timekeeper.lost();
            self.record_clock();
        }
        let Some(lever) = message.lever() else { return };
        let is_driven = self.settings.clock_role == ClockRole::Driven;
        if is_driven && self.lever.read(now, lever.high) == Turn::Overtaken {
            return;
        }
        let by_lever = self.timekeeper.runs_by_lever();
        let times = match message {
            ClockMessage::Time(time) if by_lever.is_none() => {
                Some((time.left.time(), time.right.time()))
            }
            _ => None,
        };
        let is_running = by_lever.unwrap_or(lever.running);
        let face = Face { times, is_running, high: end_of(lever.high) };
        let is_first = !self.clock.is_heard();
        let is_back = self.timekeeper.is_lost();
        self.note_times(now, message);
        let turned = self.clock.read(now, face);
        let is_late = self.note_clock(now);
        self.take_turns(now, &turned, is_late);
        self.keep_time(now, message, &turned);
        self.watch_standing_clock(lever.high);
        let is_turn = turned.iter().any(|turn| !matches!(turn, Turned::Pressed(_)));
        if is_first {
            self.timers.set(Timer::Settle, now + self.settle_time());
        }
        // A clock that stands as it stood is no news.
        let is_due = now.since(self.clock_recorded) >= SNAPSHOT_EVERY
            && self.times_recorded != self.clock.times();
        if is_first || is_back || is_turn || is_due {
            self.clock_recorded = now;
            self.record_clock();
        }
        self.tell_reading(now);
        if let (ClockMessage::Time(time), None) = (message, by_lever) {
            self.watch_flags(now, time);
        }
        self.wants_show = true;
    }

    /// The clock was pressed, started or stopped; `is_late` if nobody knows when.
    pub(super) fn take_turns(&mut self, now: Mono, turned: &[Turned], is_late: bool) {
        for turn in turned {
            match turn {
                Turned::Pressed(end) if self.timekeeper.follows(now, self.clock.color(*end)) => {}
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

    pub(super) fn record_seats(&mut self) {
        let connector = match self.orientation {
            Some(Orientation::Rotated) => End::Right,
            Some(Orientation::Normal) | None => End::Left,
        };
        self.facts.push(Fact::Seated { connector, white_end: self.clock.white_end() });
    }

    fn record_clock(&mut self) {
        self.times_recorded = self.clock.times();
        self.facts.push(Fact::Clock {
            running: self.clock.running(),
            times: self.clock.times(),
            is_connected: self.clock.device() == Device::Present,
        });
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
                self.seat_white(white);
            }
        }
        let Some(play) = &self.play else { return };
        // An arbiter who starts the clock with the lever has not made a move.
        if !sets_running || play.mismatch().is_some() {
            self.on_press(now, self.clock.color(end), Pressed::Lever);
        }
    }
}

pub(super) fn end_of(end: wire::End) -> End {
    match end {
        wire::End::Left => End::Left,
        wire::End::Right => End::Right,
    }
}
