//! The clock's model beside its readings, for one game, and what that tells the record.

use super::entry::Fact;
use super::event::Driving;
use super::machine::Game;
use super::settings::{ClockRole, Settings};
use super::start::Beginning;
use crate::clock::{Check, ClockModel, End, Estimate, Face, Note, Shown, Times, Turned};
use crate::time::Mono;
use crate::wire::ClockMessage;
use shakmaty::{ByColor, Color, Position};
use std::time::Duration;

/// A lever that turns so soon after our own setting, to the side that was set running, follows it:
/// some clocks do that. Ours; a reading comes up to 1.5 s late (protocol 2.6).
const FOLLOWS_WITHIN: Duration = Duration::from_millis(1_500);

/// A clock that was started by hand shows so soon that it goes. Ours: readings come each second,
/// up to 1.5 s late (protocol 2.6).
const BY_HAND_WITHIN: Duration = Duration::from_secs(5);

/// Keeps the time of one game.
#[derive(Clone, Debug)]
pub(super) struct Timekeeper {
    check: Check,
    /// When the clock last showed times that can be.
    shown_at: Option<Mono>,
    /// Whose time runs by the model that the host drives the clock by, and since when.
    kept: Option<(Mono, Color)>,
    /// A clock of ours was given these times, and has not shown them yet.
    restored: Option<Times>,
    /// Of a driven clock nothing is believed but its lever; whether its first press starts it.
    lever: Option<bool>,
    /// Since when the game's time is reckoned from that lever, and whether that was told.
    by_lever: Option<(Mono, bool)>,
    notes: Vec<Note>,
}

impl Timekeeper {
    pub(super) fn new(settings: &Settings) -> Self {
        let check = Self::patient(Check::new(settings.time_control.clone()), settings);
        Self {
            check,
            shown_at: None,
            kept: None,
            restored: None,
            lever: None,
            by_lever: None,
            notes: Vec::new(),
        }
    }

    /// For a game that was begun before the daemon was started anew: `first` had the first move,
    /// and `n_plies` are on record.
    pub(super) fn resumed(settings: &Settings, first: Color, n_plies: usize) -> Self {
        let n = u32::try_from(n_plies).unwrap_or(u32::MAX);
        let of = |color| if color == first { n.div_ceil(2) } else { n / 2 };
        let check = Check::resumed(settings.time_control.clone(), ByColor::new_with(of));
        Self { check: Self::patient(check, settings), ..Self::new(settings) }
    }

    fn patient(check: Check, settings: &Settings) -> Check {
        match settings.clock_role {
            ClockRole::Read | ClockRole::Own => check,
            ClockRole::Driven => check.driven(),
        }
    }

    pub(super) fn wake_at(&self) -> Option<Mono> {
        self.check.wake_at()
    }

    /// Whether the clock cannot be heard.
    pub(super) const fn is_lost(&self) -> bool {
        self.check.is_lost()
    }

    /// How the host drives the clock from now on.
    fn keep(&mut self, now: Mono, driving: &Driving) {
        self.lever = match driving {
            Driving::Lever { waits, .. } => Some(*waits),
            Driving::Obeys(_) | Driving::ByItself => None,
        };
        let model = driving.model();
        let running = model.and_then(ClockModel::running);
        if self.kept.map(|(_, side)| side) != running {
            self.kept = running.map(|side| (now, side));
        }
        match model {
            Some(model) => self.check.keep(now, model.clone()),
            None => self.check.release(),
        }
        self.check.doubt(self.lever.is_some());
    }

    /// Whether time runs where nothing is believed of the clock but its lever: any press counts
    /// until one has started the game's time.
    pub(super) fn runs_by_lever(&self) -> Option<bool> {
        self.lever.map(|waits| waits || self.kept.is_some())
    }

    /// Whether the lever, by which `by` has pressed, only follows what the host has set a moment
    /// before. What it was that made the host set it came with the same message, or earlier.
    pub(super) fn follows(&self, now: Mono, by: Color) -> bool {
        self.kept
            .is_some_and(|(at, side)| side == !by && at < now && now.since(at) < FOLLOWS_WITHIN)
    }

    /// The clock cannot be heard: its times are reckoned from now on.
    pub(super) fn lost(&mut self) {
        self.check.lost();
        self.shown_at = None;
    }
}

impl Game {
    /// The times as well as they are known at `at`: by the clock while it is heard, reckoned while
    /// it is gone. `None` if there never was one.
    pub fn estimate(&self, at: Mono) -> Option<Estimate> {
        self.timekeeper.check.estimate(at)
    }

    /// How the clock is driven, or the model that it is driven by, has changed.
    pub(super) fn keep_clock(&mut self, now: Mono, driving: &Driving) {
        let has_waited = self.timekeeper.lever == Some(true);
        self.timekeeper.keep(now, driving);
        let runs = self.timekeeper.runs_by_lever();
        self.clock.doubt(runs.is_some());
        if has_waited && runs.is_none() && self.timekeeper.kept.is_none() {
            // It obeys, and nobody has started it.
            self.clock.stand_unstarted();
        }
        let Some(is_running) = runs else { return };
        self.tell_lever_alone(now);
        let Some(high) = self.clock.high().filter(|_| self.clock.is_running() != is_running) else {
            return;
        };
        // It may be a press of a moment ago that has started it.
        let has_pressed = |side: Color| {
            let n_pressed = driving.model().map_or(0, |model| model.completed(!side));
            n_pressed > 0 && self.clock.color(high) == side
        };
        let before = if self.timekeeper.kept.is_some_and(|(_, side)| has_pressed(side)) {
            high.other()
        } else {
            high
        };
        for high in [before, high] {
            let turned = self.clock.read(now, Face { times: None, is_running, high });
            self.take_turns(now, &turned, false);
        }
    }

    /// Once a game: what the clock shows is not believed. Not before it is clear that it was not
    /// started by hand a moment before the first press.
    fn tell_lever_alone(&mut self, now: Mono) {
        let is_due = self.timekeeper.lever == Some(false) && self.play.is_some() && !self.is_over();
        if !is_due {
            return;
        }
        let (since, is_told) = self.timekeeper.by_lever.get_or_insert((now, false));
        if now.since(*since) >= BY_HAND_WITHIN && !std::mem::replace(is_told, true) {
            self.facts.push(Fact::ClockNote(Note::NoTimes));
        }
    }

    /// The clock is our own and was given these times, which are on record.
    pub fn clock_restored(&mut self, to: Times) {
        self.timekeeper.restored = Some(to);
        self.facts.push(Fact::ClockNote(Note::Restored { to }));
    }

    /// Whether a reading was under way before our own clock was given the times on record.
    pub(super) fn is_overtaken(&mut self, message: &ClockMessage) -> bool {
        let (Some(to), ClockMessage::Time(time)) = (self.timekeeper.restored, message) else {
            return false;
        };
        let sum = to.white.as_secs() + to.black.as_secs();
        let shown = u64::from(time.left.seconds) + u64::from(time.right.seconds);
        let is_old = !time.running && sum.abs_diff(shown) > 2;
        if !is_old {
            self.timekeeper.restored = None;
        }
        is_old
    }

    /// Before anything is made of a clock message: whether it shows times.
    pub(super) fn note_times(&mut self, now: Mono, message: &ClockMessage) {
        if matches!(message, ClockMessage::Time(_)) {
            self.timekeeper.shown_at = Some(now);
        }
    }

    /// The times for the record of a press at `now`: those of the clock, or reckoned ones where it
    /// sent none that can be, or is only being set to them.
    pub(super) fn times_at_press(&self, now: Mono, by: Color) -> Option<Times> {
        let is_fresh = self.timekeeper.shown_at == Some(now) && !self.timekeeper.check.is_kept();
        let reckoned = || self.timekeeper.check.pressed_at(now, by);
        self.clock.times().filter(|_| is_fresh).or_else(reckoned)
    }

    /// A clock message was heard and its presses taken: holds it against the model.
    pub(super) fn keep_time(&mut self, now: Mono, message: &ClockMessage, turned: &[Turned]) {
        let pressed = turned.iter().find_map(|turn| match turn {
            Turned::Pressed(end) => Some(self.clock.color(*end)),
            Turned::Started | Turned::Stopped => None,
        });
        let is_driven = self.settings.clock_role == ClockRole::Driven;
        let has_times = matches!(message, ClockMessage::Time(_));
        let is_low = matches!(message, ClockMessage::Time(time) if time.battery_low);
        let is_battery_low = is_low && self.timekeeper.lever.is_none();
        let shown = Shown {
            times: self.clock.times().filter(|_| has_times),
            running: self.clock.running(),
            // An arbiter who starts the clock with the lever has not made a move. One that is
            // driven is not started so.
            pressed: pressed.filter(|_| is_driven || !turned.contains(&Turned::Started)),
            is_battery_low,
        };
        let keeper = &mut self.timekeeper;
        keeper.check.read(now, shown, &mut keeper.notes);
        self.tell_notes();
    }

    /// A new game begins, perhaps with a clock that was set long before; or one is joined, whose
    /// times cannot be held against what the clock was set to.
    pub(super) fn begin_time(&mut self, now: Mono, beginning: Beginning) {
        let keeper = &mut self.timekeeper;
        *keeper = match beginning {
            Beginning::Seen => Timekeeper::new(&self.settings),
            Beginning::Unseen => Timekeeper::resumed(&self.settings, Color::White, 0),
        };
        // A clock that we drive is being set for the game just now; its next reading tells.
        let is_set = self.settings.clock_role != ClockRole::Driven;
        if is_set && self.clock.times().is_some() {
            let (times, running) = (self.clock.times(), self.clock.running());
            let shown = Shown { times, running, pressed: None, is_battery_low: false };
            keeper.check.read(now, shown, &mut keeper.notes);
        }
        if let Some(control) = &self.settings.time_control {
            self.facts.push(Fact::TimeControl(control.clone()));
        }
        self.tell_notes();
    }

    /// What was set at the clock before an order is told before it.
    pub(super) fn settle_time_set(&mut self) {
        let keeper = &mut self.timekeeper;
        keeper.check.settle(&mut keeper.notes);
        self.tell_notes();
    }

    /// The arbiter has ordered that `by` has so much more, or less, time.
    pub(super) fn expect_order(&mut self, by: Color, more: Duration, less: Duration) {
        self.timekeeper.check.order(by, more, less);
    }

    /// The first press tells that White's end of the clock is the other one.
    pub(super) fn seat_white(&mut self, end: End) {
        self.clock.bind_white(end);
        self.timekeeper.check.turned();
        self.record_seats();
        if self.settings.white_end.is_some() {
            self.facts.push(Fact::ClockNote(Note::OtherEnd));
        }
    }

    pub(super) fn run_timekeeper(&mut self, now: Mono) {
        let keeper = &mut self.timekeeper;
        keeper.check.on_timeout(now, &mut keeper.notes);
        self.tell_notes();
    }

    /// Moves that no press completes take the times that the clock shows then, or reckoned ones.
    pub(super) fn lend_times(&mut self, now: Mono) {
        let reckoned = || self.timekeeper.check.estimate(now).map(|estimate| estimate.shown());
        let times = self.clock.times().or_else(reckoned);
        if let Some(play) = &mut self.play {
            play.lend_times(times);
        }
    }

    /// While the clock is gone: each move that was put on record counts as a press, which nobody
    /// could see.
    pub(super) fn press_unseen(&mut self, now: Mono) {
        let Some(play) = &self.play else { return };
        let sheet = play.sheet();
        for fact in &self.facts {
            if let Fact::MoveMade { ply, .. } = fact {
                let by = sheet.position((ply - 1).min(sheet.len())).turn();
                self.timekeeper.check.made_unseen(now, by);
            }
        }
    }

    fn tell_notes(&mut self) {
        for note in std::mem::take(&mut self.timekeeper.notes) {
            if matches!(note, Note::Turned { .. }) {
                self.clock.bind_white(self.clock.white_end().other());
                self.timekeeper.check.turned();
                self.record_seats();
            }
            self.facts.push(Fact::ClockNote(note));
        }
    }
}
