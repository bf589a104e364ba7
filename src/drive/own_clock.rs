//! A clock whose works are the Pi: two buttons or a rocker, two displays, a buzzer. Or only the
//! contact, at the lever of any other clock.
//!
//! It reckons by the same model as everything else and speaks to the game as a clock behind a board
//! does, so the game cannot tell it from one. A press counts from its first edge, though it is
//! believed a few milliseconds later; nothing is reckoned in between that would have to be taken
//! back.

use super::obey::obey;
use crate::clock::{Change, ClockModel, PerMove, TimeControl};
use crate::game::ClockOnRecord;
use crate::laws::ClockOrder;
use crate::table::End;
use crate::time::Mono;
use crate::wire::contact::{Contact, Contacts, Level};
use crate::wire::ht16k33::FourDigits;
use crate::wire::{ClockMessage, ClockTime, SideTime};
use shakmaty::Color;
use std::time::Duration;

/// The buzzer at the fall of a flag.
pub const FLAG_SOUND: Duration = Duration::from_secs(1);
/// The buzzer at a press: short, for players hear it often.
pub const PRESS_SOUND: Duration = Duration::from_millis(20);

/// What is asked of the things around the clock, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnAct {
    /// This display shows this from now on.
    Show(End, FourDigits),
    /// The buzzer sounds for so long.
    Sound(Duration),
    /// What a board would have read, and when it was so: of a press, its first edge.
    Reading(Mono, ClockMessage),
    /// Somebody pressed a clock that is not ours and shows its own times.
    Pressed(Mono, Color),
}

/// What is ordered of the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnOrder {
    /// The arbiter, or the referee in the arbiter's place, wants this of it.
    Obey(ClockOrder),
    /// A new game begins: the clock is set for it, unless it runs already.
    NewGame,
    /// The program was started anew in the middle of a game: the clock stands as it stood.
    TakeUp(ClockOnRecord),
}

impl From<ClockOrder> for OwnOrder {
    fn from(order: ClockOrder) -> Self {
        Self::Obey(order)
    }
}

/// The clock.
#[derive(Clone, Debug)]
pub struct OwnClock {
    model: ClockModel,
    /// The model as it is before the first move, for the next game.
    fresh: ClockModel,
    white: End,
    contacts: Contacts,
    /// The button in the middle, which stops the clock and lets it go on.
    middle: Contact,
    /// The player whose time runs, or will run.
    turn: Color,
    has_run: bool,
    faces: [Option<FourDigits>; 2],
    told: Option<ClockMessage>,
    /// When a display shows something else.
    changes_at: Option<Mono>,
}

impl OwnClock {
    /// A clock that stands, White at the `white` end.
    pub fn new(model: ClockModel, white: End, contacts: Contacts) -> Self {
        // A rocker says before the game who pressed last.
        let turn = match contacts.down() {
            Some(down) if down == white => Color::Black,
            _ => Color::White,
        };
        Self {
            fresh: model.clone(),
            model,
            white,
            contacts,
            middle: Contact::new(Level::Open),
            turn,
            has_run: false,
            faces: [None; 2],
            told: None,
            changes_at: Some(Mono::default()),
        }
    }

    /// The model that it reckons by.
    pub const fn model(&self) -> &ClockModel {
        &self.model
    }

    /// The contact at `end` was read, or an edge of it was seen. A rocker has one, at the left.
    pub fn read(&mut self, at: Mono, end: End, level: Level, out: &mut Vec<OwnAct>) {
        if let Some((when, pressed)) = self.contacts.read(at, end, level) {
            self.press(when, self.color(pressed), out);
        }
        self.show(at, out);
    }

    /// The button in the middle was read, or an edge of it was seen.
    pub fn read_middle(&mut self, at: Mono, level: Level, out: &mut Vec<OwnAct>) {
        if let Some((when, Level::Closed)) = self.middle.read(at, level) {
            let changes = match self.model.running() {
                Some(_) => self.model.stop(when),
                None => self.start(when, self.turn),
            };
            self.tell(when, &changes, out);
        }
        self.show(at, out);
    }

    /// Something is ordered of the clock.
    pub fn order(&mut self, at: Mono, order: impl Into<OwnOrder>, out: &mut Vec<OwnAct>) {
        let changes = match order.into() {
            OwnOrder::Obey(ClockOrder::Run(color)) => self.start(at, color),
            OwnOrder::Obey(order) => obey(&mut self.model, at, self.turn, order),
            OwnOrder::NewGame if self.model.running().is_none() => {
                self.model = self.fresh.clone();
                self.model.stop(at);
                self.has_run = false;
                Vec::new()
            }
            OwnOrder::NewGame => Vec::new(),
            OwnOrder::TakeUp(clock) => {
                self.take_up(at, &clock);
                Vec::new()
            }
        };
        self.tell(at, &changes, out);
        self.show(at, out);
    }

    /// A moment of [`OwnClock::wake_at`] has come.
    pub fn on_timeout(&mut self, at: Mono, out: &mut Vec<OwnAct>) {
        // A press that is not believed yet may have come before the flag fell.
        let is_undecided = self.contacts.wake_at().is_some();
        if !is_undecided && self.model.wake_at().is_some_and(|falls| falls <= at) {
            let changes = self.model.advance(at);
            self.tell(at, &changes, out);
        }
        self.show(at, out);
    }

    /// When [`OwnClock::on_timeout`] is due; before it, all contacts must be read.
    pub fn wake_at(&self) -> Option<Mono> {
        let contacts = [self.contacts.wake_at(), self.middle.wake_at()];
        let contact = contacts.into_iter().flatten().min();
        let flag = self.model.wake_at().filter(|_| self.contacts.wake_at().is_none());
        [contact, flag, self.changes_at].into_iter().flatten().min()
    }

    fn press(&mut self, at: Mono, by: Color, out: &mut Vec<OwnAct>) {
        if self.is_foreign() {
            out.push(OwnAct::Pressed(at, by));
            return;
        }
        let changes = match self.model.running() {
            // The first press of all starts the clock: of Black's end, White's time (Art. 6.2.2 of
            // 2023). Who stops a clock starts it again with the middle button, not by chance.
            None if !self.has_run => self.start(at, !by),
            _ => self.model.press(at, by),
        };
        if !changes.is_empty() {
            self.turn = self.model.running().unwrap_or(self.turn);
            out.push(OwnAct::Sound(PRESS_SOUND));
        }
        self.tell(at, &changes, out);
    }

    fn start(&mut self, at: Mono, color: Color) -> Vec<Change> {
        self.has_run = true;
        self.turn = color;
        self.model.start(at, color)
    }

    /// The middle button lets it go on; no press starts it by chance.
    fn take_up(&mut self, at: Mono, clock: &ClockOnRecord) {
        self.model.stop(at);
        for color in Color::ALL {
            self.model.set_completed(color, *clock.completed.get(color));
            self.model.adopt(color, *clock.times.get(color));
        }
        (self.turn, self.has_run) = (clock.turn, true);
    }

    /// Changes are known as of `at`.
    fn tell(&mut self, at: Mono, changes: &[Change], out: &mut Vec<OwnAct>) {
        if changes.iter().any(|change| matches!(change, Change::FlagFell { .. })) {
            out.push(OwnAct::Sound(FLAG_SOUND));
        }
        if !changes.is_empty() {
            self.say(at, out);
        }
    }

    /// Without a time control there is only the lever of another clock.
    fn is_foreign(&self) -> bool {
        *self.model.control() == TimeControl::NoClock
    }

    /// Displays and game are told what has changed by `at`, without booking the time up to it.
    fn show(&mut self, at: Mono, out: &mut Vec<OwnAct>) {
        if self.is_foreign() {
            self.changes_at = None;
            return;
        }
        let times = self.model.times(at);
        for end in [End::Left, End::Right] {
            let color = self.color(end);
            let mut face = FourDigits::of_seconds(seconds(*times.get(color)));
            if self.model.running() == Some(color) {
                face = face.running();
            }
            if self.model.is_flagged(color) {
                face = face.blinking();
            }
            if self.faces[end.idx()].replace(face) != Some(face) {
                out.push(OwnAct::Show(end, face));
            }
        }
        self.changes_at = self.model.running().map(|color| {
            let rest = times.get(color).as_micros() % 1_000_000;
            let rest = if rest == 0 { 1_000_000 } else { rest };
            at + Duration::from_micros(u64::try_from(rest).expect("less than a second"))
        });
        self.say(at, out);
    }

    fn say(&mut self, at: Mono, out: &mut Vec<OwnAct>) {
        if self.is_foreign() {
            return;
        }
        let message = ClockMessage::Time(self.time(at));
        if self.told.as_ref() != Some(&message) {
            self.told = Some(message.clone());
            out.push(OwnAct::Reading(at, message));
        }
    }

    /// What a board would read of this clock.
    fn time(&self, at: Mono) -> ClockTime {
        let times = self.model.times(at);
        let side = |end| {
            let color = self.color(end);
            SideTime {
                per_move: self.model.per_move(color) != PerMove::Nothing,
                flag_blocked: self.model.is_flagged(color),
                ..SideTime::of_seconds(seconds(*times.get(color)))
            }
        };
        ClockTime {
            left: side(End::Left),
            right: side(End::Right),
            running: self.model.running().is_some(),
            high: if self.turn == Color::White { self.white } else { self.white.other() },
            battery_low: false,
        }
    }

    fn color(&self, end: End) -> Color {
        if end == self.white { Color::White } else { Color::Black }
    }
}

/// A second that has begun is shown until it is over.
fn seconds(left: Duration) -> u32 {
    u32::try_from(left.as_micros().div_ceil(1_000_000)).unwrap_or(u32::MAX)
}
