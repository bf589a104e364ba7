//! The clock's model beside its readings, for one game, and what that tells the record.

use crate::clock::{Check, ClockModel, ClockNote, ClockReading, Estimate, Reader, TimeControl};
use crate::game::event::Driving;
use crate::game::settings::ClockRole;
use crate::table::Times;
use crate::time::Mono;
use crate::wire::ClockMessage;
use shakmaty::{ByColor, Color};
use std::time::Duration;

/// Whether the beginning of a game was seen.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(in crate::game) enum Beginning {
    Seen,
    Unseen,
}

/// A lever that turns so soon after our own setting, to the side that was set running, follows it:
/// some clocks do that. Ours; a reading comes up to 1.5 s late (protocol 2.6).
const FOLLOWS_WITHIN: Duration = Duration::from_millis(1_500);

/// A clock that was started by hand shows so soon that it goes. Ours: readings come each second,
/// up to 1.5 s late (protocol 2.6).
const BY_HAND_WITHIN: Duration = Duration::from_secs(5);

/// Keeps the time of one game.
#[derive(Clone, Debug, Default)]
pub(super) struct Timekeeper {
    role: ClockRole,
    control: Option<TimeControl>,
    check: Check,
    /// When the clock last showed times that can be.
    shown_at: Option<Mono>,
    /// Whose time runs by the model that the host drives the clock by, and since when.
    runs: Option<(Mono, Color)>,
    /// A clock of ours was given these times, and has not shown them yet.
    restored: Option<Times>,
    /// Of a driven clock nothing is believed but its lever; whether its first press starts it.
    lever: Option<bool>,
    /// Since when the game's time is reckoned from that lever, and whether that was told.
    by_lever: Option<(Mono, bool)>,
    notes: Vec<ClockNote>,
}

impl Timekeeper {
    pub(super) fn new(role: ClockRole, control: Option<TimeControl>) -> Self {
        let check = Check::new(control.clone());
        Self::with(check, role, control)
    }

    fn with(check: Check, role: ClockRole, control: Option<TimeControl>) -> Self {
        let check = match role {
            ClockRole::Read | ClockRole::Own => check,
            ClockRole::Driven => check.driven(),
        };
        Self { role, control, check, ..Self::default() }
    }

    /// For a game that was begun before the daemon was started anew: `first` had the first move,
    /// and `n_plies` are on record.
    pub(super) fn resumed(&self, first: Color, n_plies: usize) -> Self {
        let n = u32::try_from(n_plies).unwrap_or(u32::MAX);
        let of = |color| if color == first { n.div_ceil(2) } else { n / 2 };
        let check = Check::resumed(self.control.clone(), ByColor::new_with(of));
        Self::with(check, self.role, self.control.clone())
    }

    pub(super) fn wake_at(&self) -> Option<Mono> {
        self.check.wake_at()
    }

    /// Whether the clock cannot be heard.
    pub(super) const fn is_lost(&self) -> bool {
        self.check.is_lost()
    }

    /// How the host drives the clock from now on.
    pub(super) fn drive(&mut self, now: Mono, driving: &Driving) {
        self.lever = match driving {
            Driving::Lever { waits, .. } => Some(*waits),
            Driving::Obeys(_) | Driving::ByItself => None,
        };
        let model = driving.model();
        let running = model.and_then(ClockModel::running);
        if self.runs.map(|(_, side)| side) != running {
            self.runs = running.map(|side| (now, side));
        }
        match model {
            Some(model) => self.check.lead(now, model.clone()),
            None => self.check.release(),
        }
        self.check.doubt(self.lever.is_some());
    }

    /// Whether time runs where nothing is believed of the clock but its lever: any press counts
    /// until one has started the game's time.
    pub(super) fn runs_by_lever(&self) -> Option<bool> {
        self.lever.map(|waits| waits || self.runs.is_some())
    }

    /// Whether the lever, by which `by` has pressed, only follows what the host has set a moment
    /// before. What it was that made the host set it came with the same message, or earlier.
    pub(super) fn follows(&self, now: Mono, by: Color) -> bool {
        self.runs
            .is_some_and(|(at, side)| side == !by && at < now && now.since(at) < FOLLOWS_WITHIN)
    }

    /// The clock cannot be heard: its times are reckoned from now on.
    pub(super) fn lost(&mut self) {
        self.check.lost();
        self.shown_at = None;
    }

    /// The times as well as they are known at `at`.
    pub(super) fn estimate(&self, at: Mono) -> Option<Estimate> {
        self.check.estimate(at)
    }

    /// Whose time runs by the model that the host drives the clock by.
    pub(super) fn runs_for(&self) -> Option<Color> {
        self.runs.map(|(_, side)| side)
    }

    /// Whether nothing is believed but the lever, and its first press is waited for.
    pub(super) fn waits_for_lever(&self) -> bool {
        self.lever == Some(true)
    }

    /// Whether it is to be told, once a game, that what the clock shows is not believed. Not before
    /// it is clear that it was not started by hand a moment before the first press.
    pub(super) fn is_lever_alone(&mut self, now: Mono) -> bool {
        if self.lever != Some(false) {
            return false;
        }
        let (since, is_told) = self.by_lever.get_or_insert((now, false));
        now.since(*since) >= BY_HAND_WITHIN && !std::mem::replace(is_told, true)
    }

    /// The clock is our own and was given these times.
    pub(super) fn restore(&mut self, to: Times) {
        self.restored = Some(to);
    }

    /// Whether a reading was under way before our own clock was given the times on record.
    pub(super) fn is_overtaken(&mut self, message: &ClockMessage) -> bool {
        let (Some(to), ClockMessage::Time(time)) = (self.restored, message) else {
            return false;
        };
        let sum = to.white.as_secs() + to.black.as_secs();
        let shown = u64::from(time.left.seconds) + u64::from(time.right.seconds);
        let is_old = !time.running && sum.abs_diff(shown) > 2;
        if !is_old {
            self.restored = None;
        }
        is_old
    }

    /// Before anything is made of a clock message: whether it shows times.
    pub(super) fn note_times(&mut self, now: Mono, message: &ClockMessage) {
        if matches!(message, ClockMessage::Time(_)) {
            self.shown_at = Some(now);
        }
    }

    /// The times for the record of a press at `now`: those of the clock, or reckoned ones where it
    /// sent none that can be, or is only being set to them.
    pub(super) fn times_at_press(&self, now: Mono, by: Color, reader: &Reader) -> Option<Times> {
        let is_fresh = self.shown_at == Some(now) && !self.check.is_led();
        reader.times().filter(|_| is_fresh).or_else(|| self.check.pressed_at(now, by))
    }

    /// A clock message was heard, by which `pressed` pressed: holds it against the model.
    pub(super) fn read(
        &mut self,
        now: Mono,
        message: &ClockMessage,
        pressed: Option<Color>,
        reader: &Reader,
    ) {
        let has_times = matches!(message, ClockMessage::Time(_));
        let is_low = matches!(message, ClockMessage::Time(time) if time.battery_low);
        let shown = ClockReading {
            times: reader.times().filter(|_| has_times),
            running: reader.running(),
            pressed,
            is_battery_low: is_low && self.lever.is_none(),
        };
        self.check.read(now, shown, &mut self.notes);
    }

    /// A new game begins, perhaps with a clock that was set long before; or one is joined, whose
    /// times cannot be held against what the clock was set to.
    pub(super) fn begin(&mut self, now: Mono, beginning: Beginning, reader: &Reader) {
        *self = match beginning {
            Beginning::Seen => Self::new(self.role, self.control.clone()),
            Beginning::Unseen => self.resumed(Color::White, 0),
        };
        // A clock that we drive is being set for the game just now; its next reading tells.
        let is_set = self.role != ClockRole::Driven;
        if is_set && reader.times().is_some() {
            let (times, running) = (reader.times(), reader.running());
            let shown = ClockReading { times, running, pressed: None, is_battery_low: false };
            self.check.read(now, shown, &mut self.notes);
        }
    }

    /// What was set at the clock before an order is told before it.
    pub(super) fn close_time_set(&mut self) {
        self.check.close(&mut self.notes);
    }

    /// The arbiter has ordered that `by` has so much more, or less, time.
    pub(super) fn expect_order(&mut self, by: Color, more: Duration, less: Duration) {
        self.check.order(by, more, less);
    }

    /// White's end of the clock is the other one.
    pub(super) fn turned(&mut self) {
        self.check.turned();
    }

    pub(super) fn on_timeout(&mut self, now: Mono) {
        self.check.on_timeout(now, &mut self.notes);
    }

    /// A move of `by` was put on record, which counts as a press while the clock is gone.
    pub(super) fn made_unseen(&mut self, now: Mono, by: Color) {
        self.check.made_unseen(now, by);
    }

    /// The time control of the game, if one is known.
    pub(super) fn control(&self) -> Option<&TimeControl> {
        self.control.as_ref()
    }

    /// What there is to say since this was asked last.
    pub(super) fn take_notes(&mut self) -> Vec<ClockNote> {
        std::mem::take(&mut self.notes)
    }
}
