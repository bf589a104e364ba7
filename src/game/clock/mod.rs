//! The clock's side of a game: its readings, the model that they are held against, flags, and what
//! the referee orders of it.

mod by_hand;
mod flags;
mod keeper;
mod stands;

use self::flags::ShownFlags;
pub(super) use self::keeper::Beginning;
use self::keeper::Timekeeper;
use self::stands::ClockStands;
use super::entry::Fact;
use super::event::Driving;
use super::play::Play;
use super::settings::{ClockRole, Settings};
use crate::clock::{ClockNote, ClockPresence, Estimate, Face, Reader, Turned};
use crate::table::{End, Times};
use crate::time::Mono;
use crate::wire::lever_watch::{LeverTurn, LeverWatch};
use crate::wire::{ClockMessage, Orientation};
use shakmaty::{Color, Position};
use std::ops::Deref;
use std::time::Duration;

/// Between records of the clock's times while nothing else is recorded of them.
const SNAPSHOT_EVERY: Duration = Duration::from_secs(10);

/// A clock and all that is known of it. What it showed last is read as of its [`Reader`].
#[derive(Clone, Debug)]
pub(super) struct ClockSide {
    role: ClockRole,
    /// The settings say which end is White's.
    is_end_named: bool,
    /// A clock can hang on the board, and then stands on the side of its connector.
    has_socket: bool,
    /// There is none, unless one is heard.
    has_none: bool,
    /// The end at which the board is connected.
    connector: End,
    reader: Reader,
    /// The lever of a clock that is driven, whose times cannot tell old readings from new ones.
    lever: LeverWatch,
    /// It does not hang on the board, and stays when the line to the board is lost.
    is_beside: bool,
    keeper: Timekeeper,
    flags: ShownFlags,
    stands: ClockStands,
    recorded_at: Mono,
    /// What it showed then.
    times_recorded: Option<Times>,
}

/// What a message of the clock says.
pub(super) struct ClockHeard {
    pub(super) turned: Vec<Turned>,
    /// The end that is up.
    high: End,
    /// Nothing was heard of the clock before.
    pub(super) is_first: bool,
    /// It was gone.
    is_back: bool,
    /// Its times are believed.
    has_times: bool,
}

impl Deref for ClockSide {
    type Target = Reader;

    fn deref(&self) -> &Reader {
        &self.reader
    }
}

/// A reader of which it is known at once if there is no clock.
fn reader(white: End, has_none: bool) -> Reader {
    let mut reader = Reader::new(white);
    if has_none {
        reader.lost();
    }
    reader
}

impl ClockSide {
    /// A clock of which nothing has been heard.
    pub(super) fn new(settings: &Settings) -> Self {
        let has_socket = settings.board.has_clock_socket();
        let has_none = !has_socket && settings.clock_role == ClockRole::Read;
        Self {
            role: settings.clock_role,
            is_end_named: settings.white_end.is_some(),
            has_socket,
            has_none,
            connector: connector(settings.orientation),
            reader: reader(settings.white_end.unwrap_or(End::Left), has_none),
            lever: LeverWatch::default(),
            is_beside: false,
            keeper: Timekeeper::new(settings.clock_role, settings.time_control.clone()),
            flags: ShownFlags::default(),
            stands: ClockStands::default(),
            recorded_at: Mono::default(),
            times_recorded: None,
        }
    }

    /// Goes on with what is on record: which end is White's, whether the clock was heard, and how
    /// the board lay.
    pub(super) fn take_up(&mut self, white: End, has_clock: bool, lies: Option<Orientation>) {
        self.connector = connector(lies);
        self.reader = if has_clock { Reader::resumed(white) } else { reader(white, self.has_none) };
    }

    /// Goes on with a game in which `first` had the first move, and `n_plies` are on record.
    pub(super) fn take_up_game(&mut self, first: Color, n_plies: usize) {
        self.keeper = self.keeper.resumed(first, n_plies);
    }

    /// The board lies so. Where nothing else is said White sits at its connector's other end.
    pub(super) fn note_board_lies(&mut self, orientation: Orientation) {
        let connector = connector(Some(orientation));
        let is_turned = std::mem::replace(&mut self.connector, connector) != connector;
        if is_turned && !self.is_end_named && self.has_socket {
            self.reader.bind_white(connector);
        }
    }

    /// The clock does not hang on the board.
    pub(super) fn note_beside(&mut self) {
        self.is_beside = true;
    }

    /// Whether it hangs on the board, and is heard by the same line.
    pub(super) fn hangs_on_board(&self) -> bool {
        !self.is_beside
    }

    /// The line to the board is gone.
    pub(super) fn line_lost(&mut self) {
        if !self.is_beside {
            self.keeper.lost();
        }
    }

    /// The clock has said something. `None` if nothing follows from it.
    pub(super) fn hear(
        &mut self,
        now: Mono,
        message: &ClockMessage,
        facts: &mut Vec<Fact>,
    ) -> Option<ClockHeard> {
        if self.keeper.is_overtaken(message) {
            return None;
        }
        if matches!(message, ClockMessage::NoClock) && self.reader.lost() {
            self.lever = LeverWatch::default();
            self.keeper.lost();
            self.record(facts);
        }
        let lever = message.lever()?;
        let is_driven = self.role == ClockRole::Driven;
        // Only a board looks at its clock now and then; one beside it tells each turn itself.
        let may_be_late = is_driven && self.hangs_on_board();
        if may_be_late && self.lever.read(now, lever.high) == LeverTurn::Overtaken {
            return None;
        }
        let by_lever = self.keeper.runs_by_lever();
        let times = match message {
            ClockMessage::Time(time) if by_lever.is_none() => {
                Some((time.left.time(), time.right.time()))
            }
            _ => None,
        };
        let is_running = by_lever.unwrap_or(lever.running);
        let face = Face { times, is_running, high: lever.high };
        let (is_first, is_back) = (!self.reader.is_heard(), self.keeper.is_lost());
        self.keeper.note_times(now, message);
        let turned = self.reader.read(now, face);
        let has_times = times.is_some();
        Some(ClockHeard { turned, high: lever.high, is_first, is_back, has_times })
    }

    /// What was heard has been taken for what it tells of the game: holds it against the model.
    pub(super) fn check(
        &mut self,
        now: Mono,
        message: &ClockMessage,
        heard: &ClockHeard,
        play: Option<&Play>,
        facts: &mut Vec<Fact>,
    ) {
        let pressed = heard.turned.iter().find_map(|turn| match turn {
            Turned::Pressed(end) => Some(self.reader.color(*end)),
            Turned::Started | Turned::Stopped => None,
        });
        // An arbiter who starts the clock with the lever has not made a move. One that is driven is
        // not started so.
        let is_driven = self.role == ClockRole::Driven;
        let pressed = pressed.filter(|_| is_driven || !heard.turned.contains(&Turned::Started));
        self.keeper.read(now, message, pressed, &self.reader);
        self.tell_notes(facts);
        let has_turned = self.stands.note_high(heard.high);
        if is_driven {
            self.stands.watch_lever(has_turned, &self.reader, play, facts);
        }
    }

    /// Puts on record what the clock shows, if that is news: a clock that stands as it stood is
    /// none.
    pub(super) fn record_news(&mut self, now: Mono, heard: &ClockHeard, facts: &mut Vec<Fact>) {
        let is_turn = heard.turned.iter().any(|turn| !matches!(turn, Turned::Pressed(_)));
        let is_due = now.since(self.recorded_at) >= SNAPSHOT_EVERY
            && self.times_recorded != self.reader.times();
        if heard.is_first || heard.is_back || is_turn || is_due {
            self.recorded_at = now;
            self.record(facts);
        }
    }

    fn record(&mut self, facts: &mut Vec<Fact>) {
        self.times_recorded = self.reader.times();
        facts.push(Fact::Clock {
            running: self.reader.running(),
            times: self.reader.times(),
            is_connected: self.reader.device() == ClockPresence::Present,
        });
    }

    /// Whether the clock has been stopped in the middle of the game. What is moved meanwhile is
    /// analysis, a claim being shown, or the kings announcing a result.
    pub(super) fn is_interrupted(&self) -> bool {
        self.reader.device() == ClockPresence::Present
            && self.reader.has_run()
            && !self.reader.is_running()
    }

    /// What was heard may show that a flag is down.
    pub(super) fn watch_flags(&mut self, now: Mono, message: &ClockMessage, heard: &ClockHeard) {
        if let (ClockMessage::Time(time), true) = (message, heard.has_times) {
            self.flags.watch(now, time, &self.reader);
        }
    }

    /// Whose flags are found to be down.
    pub(super) fn fallen(&mut self, now: Mono, play: Option<&Play>) -> Vec<Color> {
        let is_on = play.is_some_and(|play| !play.is_over());
        self.flags.fallen(now, is_on && self.reader.has_run())
    }

    /// Tells of a driven clock that nobody has started while moves are played.
    pub(super) fn watch_start(&mut self, play: Option<&Play>, facts: &mut Vec<Fact>) {
        if self.role == ClockRole::Driven {
            self.stands.watch_start(&self.reader, play, facts);
        }
    }

    /// How the clock is driven, or the model that it is driven by, has changed. What the lever is
    /// to be taken to have shown, in this order, each handed to [`ClockSide::turn`].
    pub(super) fn drive(
        &mut self,
        now: Mono,
        driving: &Driving,
        play: Option<&Play>,
        facts: &mut Vec<Fact>,
    ) -> Vec<Face> {
        let has_waited = self.keeper.waits_for_lever();
        self.keeper.drive(now, driving);
        let runs = self.keeper.runs_by_lever();
        self.reader.doubt(runs.is_some());
        if has_waited && runs.is_none() && self.keeper.runs_for().is_none() {
            // It obeys, and nobody has started it.
            self.reader.stand_unstarted();
        }
        let Some(is_running) = runs else { return Vec::new() };
        let is_on = play.is_some_and(|play| !play.is_over());
        if is_on && self.keeper.is_lever_alone(now) {
            facts.push(Fact::ClockNote(ClockNote::NoTimes));
        }
        let high = self.reader.high().filter(|_| self.reader.is_running() != is_running);
        let Some(high) = high else { return Vec::new() };
        // It may be a press of a moment ago that has started it.
        let has_pressed = |side: Color| {
            let n_pressed = driving.model().map_or(0, |model| model.completed(!side));
            n_pressed > 0 && self.reader.color(high) == side
        };
        let before = match self.keeper.runs_for() {
            Some(side) if has_pressed(side) => high.other(),
            _ => high,
        };
        [before, high].map(|high| Face { times: None, is_running, high }).to_vec()
    }

    /// The lever is taken to show this.
    pub(super) fn turn(&mut self, now: Mono, face: Face) -> Vec<Turned> {
        self.reader.read(now, face)
    }

    /// Whether the lever, by which `end` was pressed, only follows what the host has set.
    pub(super) fn follows(&self, now: Mono, end: End) -> bool {
        self.keeper.follows(now, self.reader.color(end))
    }

    /// The clock is our own and was given these times, which are on record.
    pub(super) fn restore(&mut self, to: Times) {
        self.keeper.restore(to);
    }

    /// A new game begins, or one is joined.
    pub(super) fn begin(&mut self, now: Mono, beginning: Beginning, facts: &mut Vec<Fact>) {
        self.reader.forget_run();
        self.keeper.begin(now, beginning, &self.reader);
        facts.extend(self.keeper.control().cloned().map(Fact::TimeControl));
        self.tell_notes(facts);
        self.flags = ShownFlags::default();
        self.stands = self.stands.new_game();
    }

    /// The first press tells that White's end is the other one.
    pub(super) fn seat_white(&mut self, end: End, facts: &mut Vec<Fact>) {
        self.reader.bind_white(end);
        self.keeper.turned();
        self.record_seats(facts);
        if self.is_end_named {
            facts.push(Fact::ClockNote(ClockNote::OtherEnd));
        }
    }

    /// Puts on record which end is whose.
    pub(super) fn record_seats(&self, facts: &mut Vec<Fact>) {
        let white_end = self.reader.white_end();
        facts.push(Fact::Seated { connector: self.connector, white_end });
    }

    /// The times as well as they are known at `at`: by the clock while it is heard, reckoned while
    /// it is gone. `None` if there never was one.
    pub(super) fn estimate(&self, at: Mono) -> Option<Estimate> {
        self.keeper.estimate(at)
    }

    /// The times for the record of a press of `by`.
    pub(super) fn times_at_press(&self, now: Mono, by: Color) -> Option<Times> {
        self.keeper.times_at_press(now, by, &self.reader)
    }

    /// The times for a move that no press completes: what the clock shows then, or reckoned ones.
    pub(super) fn times_to_lend(&self, now: Mono) -> Option<Times> {
        let reckoned = || self.estimate(now).map(|estimate| estimate.shown());
        self.reader.times().or_else(reckoned)
    }

    /// While the clock is gone each move that was put on record counts as a press, which nobody
    /// could see.
    pub(super) fn press_unseen(&mut self, now: Mono, play: &Play, facts: &[Fact]) {
        let sheet = play.sheet();
        for fact in facts {
            if let Fact::MoveMade { ply, .. } = fact {
                let by = sheet.position((ply - 1).min(sheet.len())).turn();
                self.keeper.made_unseen(now, by);
            }
        }
    }

    pub(super) fn wake_at(&self) -> Option<Mono> {
        [self.keeper.wake_at(), self.flags.due()].into_iter().flatten().min()
    }

    /// Holds the passing of time against the model.
    pub(super) fn on_timeout(&mut self, now: Mono, facts: &mut Vec<Fact>) {
        self.keeper.on_timeout(now);
        self.tell_notes(facts);
    }

    fn tell_notes(&mut self, facts: &mut Vec<Fact>) {
        for note in self.keeper.take_notes() {
            if matches!(note, ClockNote::Turned { .. }) {
                self.reader.bind_white(self.reader.white_end().other());
                self.keeper.turned();
                self.record_seats(facts);
            }
            facts.push(Fact::ClockNote(note));
        }
    }
}

fn connector(orientation: Option<Orientation>) -> End {
    match orientation {
        Some(Orientation::Rotated) => End::Right,
        Some(Orientation::Normal) | None => End::Left,
    }
}
