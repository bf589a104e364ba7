//! A clock that does not do what it is told: one that answers nothing, or anything, or refuses to
//! be set, or says yes and shows something else.
//!
//! If it goes by itself, hands have set it, and it is read like any other. If not, nothing is
//! believed of it but its lever, and the times are reckoned from presses.

use super::{ClockDesk, Overlay, Starter};
use crate::clock::{ClockModel, Face, Manner, Sense};
use crate::game::Driving;
use crate::table::End;
use crate::time::Mono;
use crate::wire::{ClockDriver, ClockTime, Difference, DriverOutput};
use shakmaty::Color;

/// Whether the clock does what it is told.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    /// It has shown nothing yet that it was told.
    Unproven,
    Obeys,
    Disobeys,
}

impl<D: ClockDriver> ClockDesk<D> {
    /// Makes the desk believe from the start that the clock obeys.
    pub(super) fn trusted(self) -> Self {
        Self { trust: Trust::Obeys, ..self }
    }

    /// How the clock is driven.
    pub(super) fn driving(&self) -> Driving {
        let model = || Box::new(self.model.clone());
        match (self.is_trusted(), self.sense.goes()) {
            (true, _) => Driving::Obeys(model()),
            (false, false) => Driving::Lever { model: model(), waits: self.waits() },
            (false, true) => Driving::ByItself,
        }
    }

    /// Whether nothing but the lever is believed of the clock.
    pub(super) const fn is_lever(&self) -> bool {
        !self.is_trusted() && !self.sense.goes()
    }

    /// Whether what the clock shows is taken for what it was told: also at first, as long as one
    /// reading follows from the other.
    const fn is_trusted(&self) -> bool {
        match self.trust {
            Trust::Obeys => true,
            Trust::Unproven => !self.sense.is_broken(),
            Trust::Disobeys => false,
        }
    }

    /// Whether the first press starts a clock of which only the lever is believed.
    fn waits(&self) -> bool {
        let has_begun = self.trust == Trust::Disobeys || self.opens.is_some() || self.has_moved;
        has_begun && self.may_be_started() && !self.has_run
    }

    fn may_be_started(&self) -> bool {
        self.starter == Starter::Anybody && !matches!(self.over, Overlay::Result(_))
    }

    /// Whether the clock is to be set for a game that begins although it seemed to run.
    pub(super) fn is_set_for_game(&self) -> bool {
        self.is_lever() && (self.trust == Trust::Disobeys || self.has_doubtful_times())
    }

    /// Whether the times that the clock showed when it was found have gone on to others that do not
    /// follow from them, and nothing has been moved yet.
    fn has_doubtful_times(&self) -> bool {
        self.is_adopted && self.opens.is_some() && self.sense.is_broken()
    }

    /// The model of a game that begins.
    pub(super) fn set_anew(&mut self) {
        self.model = ClockModel::new(self.control.clone(), Manner::default());
        (self.is_adopted, self.has_run) = (false, false);
    }

    /// The lever of a clock of which nothing else is believed has turned: true if that is how the
    /// time of the game begins.
    pub(super) fn begins_by_lever(&mut self, at: Mono, turn: Color) -> bool {
        if !self.is_lever() || !self.may_be_started() {
            return false;
        }
        if self.opens == Some(turn) {
            // What was done to the lever before belonged to no game.
            self.set_anew();
            self.model.start(at, turn);
            return true;
        }
        // A clock that may yet obey is not started because somebody tries its lever.
        let has_begun = self.has_moved || self.trust == Trust::Disobeys;
        if self.has_run || !has_begun {
            return false;
        }
        // How long the player has thought about the first move was not measured.
        self.model.start(at, !turn);
        self.model.press(at, !turn);
        true
    }

    /// A move is made. If its player has pressed before, that has started the game's time where
    /// nothing but the lever tells.
    pub(super) fn first_move(&mut self, at: Mono, out: &mut Vec<DriverOutput<D::Command>>) {
        self.has_moved = true;
        let Some(by) = self.opens.take() else { return };
        if self.is_lever() && self.may_be_started() && !self.has_run && self.turn != by {
            self.model.start(at, by);
            self.model.press(at, by);
            self.changed(at);
            self.want(at, out);
        }
    }

    /// The clock does not do what it is told.
    pub(super) fn is_disobeyed(&mut self, at: Mono) {
        if std::mem::replace(&mut self.trust, Trust::Disobeys) == Trust::Disobeys {
            return;
        }
        // What it has shown may have been no time of the game's.
        if self.is_lever() && (self.opens.is_some() || self.is_adopted) {
            self.set_anew();
        }
        self.changed(at);
    }

    /// The clock was set, and shows something else. It may have gone as long as it obeyed, so it
    /// has to show anew that it goes.
    pub(super) fn defied(&mut self, at: Mono) {
        if !self.sense.is_going() {
            self.sense = Sense::default();
        }
        self.is_disobeyed(at);
        self.has_defied = true;
    }

    /// It obeys again once it shows what it was set to; an answer alone may be anything.
    pub(super) fn reconsider(&mut self, at: Mono) {
        let shows = matches!(self.difference(), None | Some(Difference::Text | Difference::Lever));
        // One that goes by itself and says yes to everything shows nearly what it is told.
        let is_proof = !(self.has_defied && self.sense.goes() && self.model.running().is_some());
        if self.trust != Trust::Obeys && shows && is_proof && self.wanted.times.is_some() {
            (self.trust, self.has_defied) = (Trust::Obeys, false);
            // What it went on to show by itself is what it is set to.
            self.changed(at);
        }
    }

    /// The clock shows this, whoever has set it.
    pub(super) fn watch(&mut self, at: Mono, time: &ClockTime) {
        self.prove(at, time);
        let before = (self.is_trusted(), self.sense.goes());
        let times = Some((time.left.time(), time.right.time()));
        let follows =
            self.sense.read(at, &Face { times, is_running: time.running, high: time.high });
        let is_trusted = self.is_trusted();
        self.has_changed |= before != (is_trusted, self.sense.goes());
        if !is_trusted && self.has_doubtful_times() {
            self.set_anew();
            self.changed(at);
        } else if !is_trusted && self.sense.goes() && follows {
            self.go_along(at, time);
        }
    }

    /// A clock that showed something else and shows what it was set to has been told so.
    fn prove(&mut self, at: Mono, time: &ClockTime) {
        let Some(times) = self.wanted.times.filter(|_| self.trust == Trust::Unproven) else {
            return;
        };
        let (left, right) = times.shown(at);
        let shows = left.abs_diff(time.left.seconds).max(right.abs_diff(time.right.seconds)) <= 1;
        if shows && self.has_shown_else {
            self.trust = Trust::Obeys;
            self.has_changed = true;
        }
        self.has_shown_else |= !shows;
    }

    /// The model goes along with a clock that goes by itself.
    fn go_along(&mut self, at: Mono, time: &ClockTime) {
        self.model.advance(at);
        for end in [End::Left, End::Right] {
            self.model.adopt(self.color(end), time.side(end).time());
        }
        if time.running {
            self.model.start(at, self.color(time.high));
        } else {
            self.model.stop(at);
        }
        self.has_run |= time.running;
    }
}
