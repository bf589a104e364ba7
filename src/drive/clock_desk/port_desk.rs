//! A clock with a port to itself, as a DGT 3000 on its jack is behind a bridge, run by a time
//! control: the game hears of it what a board would have read.
//!
//! Such a clock need not say whether it runs, and for a second after it was set its times may be
//! old. So presses, starts and stops are told with the model's times, which the clock is being set
//! to, and its own readings only once it has had the time to show them. While the clock is gone,
//! each move that goes on record counts as a press that nobody could see; when it is back it is set
//! to the model's times. One that comes back between a move and its press tells so by its lever.

use super::{ClockDesk, first_of};
use crate::clock::ClockModel;
use crate::game::{Event, Fact};
use crate::laws::ClockOrder;
use crate::table::{End, defaults};
use crate::time::Mono;
use crate::wire::{
    ClockMessage, ClockNews, ClockTime, Difference, DriverOutput, PortDriver, PortInput, SideTime,
    WantedTimes,
};
use shakmaty::Color;
use std::time::Duration;

/// What the clock shows is believed so long after it was told something else: a stopped clock needs
/// up to two seconds to say its new times (protocol 6.6), and it says them once a second.
const BELIEVED_AFTER: Duration = Duration::from_secs(3);
/// A clock that is back says where its lever stands within this time: it speaks once a second.
const SAYS_LEVER: Duration = Duration::from_millis(1_500);
/// A clock that was set before us stands if it shows the same so many times in a row.
const N_STANDS: u32 = 3;

/// What is to be done about a clock with a port to itself, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PortAct {
    /// Bytes for the port.
    Send(Vec<u8>),
    /// The driver has this to say, for the log.
    Tell(ClockNews),
    /// The game hears this: how the clock is driven, and what it says.
    Hear(Event),
}

impl From<DriverOutput<Vec<u8>>> for PortAct {
    fn from(act: DriverOutput<Vec<u8>>) -> Self {
        match act {
            DriverOutput::Send(bytes) => Self::Send(bytes),
            DriverOutput::Tell(news) => Self::Tell(news),
        }
    }
}

defaults! {
    /// The host's side of a clock with a port to itself.
    #[derive(Clone, Debug)]
    pub struct PortDesk<D> {
        given {
            desk: ClockDesk<D>,
        }
        /// Who makes the odd half-moves.
        first: Color = Color::White,
        /// A clock answers.
        is_there: bool,
        /// A clock that somebody has set before us: its first reading, and how often it came.
        found: Option<(ClockTime, u32)>,
        /// What the game knows of: the end that is up, and the times that were set.
        told: Option<(End, WantedTimes)>,
        told_at: Mono,
        /// Whose press was counted last that nobody could see, and the model before it.
        unseen: Option<(Color, ClockModel)>,
        /// Until then the game hears nothing of the clock: it is not known whether that press has
        /// been made.
        held_until: Option<Mono>,
    }
}

impl<D: PortDriver> PortDesk<D> {
    /// The desk of such a clock, made of one for any clock.
    pub fn new(desk: ClockDesk<D>) -> Self {
        // What the game hears of it is the model's in any case.
        Self::begin(desk.trusted())
    }

    /// How the clock differs from the model, as far as is known.
    pub fn difference(&self) -> Option<Difference> {
        self.desk.difference()
    }

    /// Whether the device at the port answers.
    pub fn is_linked(&self) -> bool {
        self.desk.driver.is_linked()
    }

    /// The port was opened or lost, or has brought bytes.
    pub fn handle(&mut self, at: Mono, input: &PortInput, out: &mut Vec<PortAct>) {
        let mut acts = Vec::new();
        self.desk.driver.handle(at, input, &mut acts);
        self.take(at, acts, out);
    }

    /// Something is due.
    pub fn on_timeout(&mut self, at: Mono, out: &mut Vec<PortAct>) {
        self.held_until = self.held_until.filter(|until| at < *until);
        let mut acts = Vec::new();
        self.desk.on_timeout(at, &mut acts);
        self.take(at, acts, out);
    }

    /// When [`PortDesk::on_timeout`] is due.
    pub fn wake_at(&self) -> Option<Mono> {
        [self.desk.wake_at(), self.held_until].into_iter().flatten().min()
    }

    /// Something was recorded that the clock shows.
    pub fn note(&mut self, at: Mono, fact: &Fact, out: &mut Vec<PortAct>) {
        match fact {
            Fact::GameStarted { fen, .. } => (self.first, self.unseen) = (first_of(fen), None),
            Fact::MoveMade { ply, .. } if !self.is_there => {
                let by = if ply.is_multiple_of(2) { !self.first } else { self.first };
                self.press_unseen(at, by);
            }
            _ => {}
        }
        let mut acts = Vec::new();
        self.desk.note(at, fact, &mut acts);
        self.take(at, acts, out);
    }

    /// The arbiter, or the referee in the arbiter's place, orders something of the clock.
    pub fn obey(&mut self, at: Mono, order: ClockOrder, out: &mut Vec<PortAct>) {
        self.unseen = None;
        let mut acts = Vec::new();
        self.desk.obey(at, order, &mut acts);
        self.take(at, acts, out);
    }

    fn press_unseen(&mut self, at: Mono, by: Color) {
        if self.desk.model.running() == Some(by) {
            self.unseen = Some((by, self.desk.model.clone()));
            self.desk.model.press(at, by);
            self.desk.turn = !by;
            self.desk.changed(at);
        }
    }

    /// Does what the driver asks, and takes in what it tells.
    fn take(&mut self, at: Mono, acts: Vec<DriverOutput<Vec<u8>>>, out: &mut Vec<PortAct>) {
        for act in acts {
            match act {
                DriverOutput::Send(bytes) => out.push(PortAct::Send(bytes)),
                DriverOutput::Tell(news) => {
                    out.push(PortAct::Tell(news));
                    self.on_news(at, news, out);
                    // Each by itself: a start and a press may come in one breath.
                    self.say(at, out);
                }
            }
        }
        self.say(at, out);
        out.extend(self.desk.take_driving().map(PortAct::Hear));
        let mut acts = Vec::new();
        self.desk.want(at, &mut acts);
        out.extend(acts.into_iter().map(PortAct::from));
    }

    /// The game hears of the clock, and before it how the clock is driven as of then: of two
    /// presses in one breath each is told with the model that had it, and no later one.
    fn hear(&mut self, message: ClockMessage, out: &mut Vec<PortAct>) {
        out.extend(self.desk.take_driving().map(PortAct::Hear));
        out.push(PortAct::Hear(Event::Clock(message)));
    }

    fn on_news(&mut self, at: Mono, news: ClockNews, out: &mut Vec<PortAct>) {
        match news {
            ClockNews::Found(_) => {
                self.is_there = true;
                self.held_until = self.unseen.as_ref().map(|_| at + SAYS_LEVER);
            }
            ClockNews::Reading(time) => {
                self.unseen = None;
                self.on_reading(at, time, out);
            }
            ClockNews::Lever(high) => match self.unseen.take() {
                Some((by, before)) if self.is_to_come(by, high) => self.unpress(at, by, before),
                _ => self.desk.on_news(at, &news),
            },
            ClockNews::Gone | ClockNews::Refuses(_) | ClockNews::Cable => {
                (self.found, self.told, self.held_until) = (None, None, None);
                if std::mem::replace(&mut self.is_there, false) {
                    self.hear(ClockMessage::NoClock, out);
                }
            }
            // It may have forgotten its times, and is being set.
            ClockNews::Restarted | ClockNews::PowerKey => self.told_at = at,
            _ => self.desk.on_news(at, &news),
        }
    }

    /// Whether the press of `by` that was counted is still to come: his end is `high`, and nothing
    /// has been done to the clock or the game since.
    fn is_to_come(&self, by: Color, high: End) -> bool {
        self.desk.color(high) == by && self.desk.model.running() == Some(!by)
    }

    /// The move of `by` is made, and his time goes on.
    fn unpress(&mut self, at: Mono, by: Color, before: ClockModel) {
        self.desk.model = before;
        self.desk.turn = by;
        self.desk.changed(at);
    }

    fn on_reading(&mut self, at: Mono, time: ClockTime, out: &mut Vec<PortAct>) {
        if !self.desk.is_set {
            self.find(at, time);
            return;
        }
        if self.desk.model.running().is_none() {
            self.desk.turn = self.desk.color(time.high);
        } else if self.told.is_some() && at >= self.told_at + BELIEVED_AFTER {
            let running = self.desk.model.running().is_some();
            self.hear(ClockMessage::Time(ClockTime { running, ..time }), out);
        }
    }

    /// The clock was set by somebody before us, or is new. Whether it runs is told by its times.
    fn find(&mut self, at: Mono, time: ClockTime) {
        let is_new = time.left.seconds == 0 && time.right.seconds == 0;
        let (first, n) = self.found.unwrap_or((time, 0));
        let runs = |end| time.side(end).seconds < first.side(end).seconds;
        let running = runs(time.high);
        if is_new || running || n + 1 >= N_STANDS {
            self.desk.adopt(at, &ClockTime { running, ..time });
        }
        self.found = Some((first, n + 1));
    }

    /// Tells the game what has changed other than by elapsed time.
    fn say(&mut self, at: Mono, out: &mut Vec<PortAct>) {
        let is_held = self.unseen.is_some() && self.held_until.is_some();
        let Some(times) = self.desk.times.filter(|_| self.is_there && !is_held) else { return };
        let high = self.desk.end(self.desk.turn);
        if self.told.replace((high, times)) == Some((high, times)) {
            return;
        }
        self.told_at = at;
        let (left, right) = times.shown(at);
        let told = ClockTime {
            left: SideTime::of_seconds(left),
            right: SideTime::of_seconds(right),
            running: self.desk.model.running().is_some(),
            high,
            battery_low: false,
        };
        self.hear(ClockMessage::Time(told), out);
    }
}
