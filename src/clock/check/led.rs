//! A clock that a host drives by a model of its own: what it shows is held against that model and
//! never believed, for it will be mended.

use super::{Check, ClockReading, LASTS_DRIVEN, begun, off};
use crate::clock::model::ClockModel;
use crate::clock::note::ClockNote;
use crate::table::Times;
use crate::time::Mono;
use shakmaty::Color;
use std::time::Duration;

/// A reading that was overtaken is so old at the most (protocol 2.6).
const OVERTAKEN: Duration = Duration::from_secs(1);

/// The clock shows something else than the host's model says.
#[derive(Copy, Clone, Debug)]
pub(super) struct Deviation {
    since: Mono,
    shown: Times,
    is_told: bool,
}

impl Check {
    /// The host drives the clock by this model, which has changed other than by elapsed time. It is
    /// ours as well from now on.
    pub fn lead(&mut self, at: Mono, mut model: ClockModel) {
        model.advance(at);
        if let Some(before) = self.model.as_ref().filter(|_| self.is_led) {
            // A press is taken back by an order, which leaves the times to another one, or because
            // the reading that told of it was an old one.
            let is_withdrawn = |color: &Color| {
                model.completed(*color) < before.completed(*color)
                    && model.left(*color) < before.left(*color)
            };
            self.has_withdrawn |= Color::ALL.iter().any(is_withdrawn);
        }
        self.begun = self.model.as_ref().filter(|_| self.is_led).and_then(|before| {
            let has_begun = |color: &Color| model.period(*color) > before.period(*color);
            let by = Color::ALL.into_iter().find(has_begun)?;
            let periods = model.control().periods(by)?;
            Some((by, periods.get(model.period(by)).allotment))
        });
        self.model = Some(model);
        (self.is_led, self.pending) = (true, None);
    }

    /// The clock obeys no host and goes by itself: what it shows counts, whatever the host has
    /// reckoned.
    pub fn release(&mut self) {
        self.is_lost |= self.is_led;
        (self.is_led, self.apart) = (false, None);
    }

    /// Nothing that the clock shows is believed, or it is again. The times are those of the model,
    /// whatever was shown first.
    pub fn doubt(&mut self, is_doubted: bool) {
        self.is_doubted = is_doubted;
        if is_doubted && self.first.is_none() {
            self.first = self.now().map(begun);
        }
        if is_doubted {
            self.apart = None;
        }
    }

    /// Whether the times are those of a host's model.
    pub const fn is_led(&self) -> bool {
        self.is_led
    }

    /// When a difference has lasted long enough to be told.
    pub(super) fn apart_until(&self) -> Option<Mono> {
        self.apart.filter(|apart| !apart.is_told).map(|apart| apart.since + LASTS_DRIVEN)
    }

    /// A reading of a clock that is led by a host's model.
    pub(super) fn read_led(&mut self, at: Mono, shown: &ClockReading, notes: &mut Vec<ClockNote>) {
        let Some(model) = &mut self.model else { return };
        model.advance(at);
        self.read_at = at;
        self.has_run |= shown.running.is_some();
        let Some(times) = shown.times else { return };
        self.first.get_or_insert(times);
        self.is_lost = false;
        let Some(expected) = self.now() else { return };
        if Color::ALL.into_iter().any(|color| off(&expected, &times, color).is_some()) {
            let fresh = Deviation { since: at, shown: times, is_told: false };
            self.apart = Some(Deviation { shown: times, ..self.apart.unwrap_or(fresh) });
            self.tell_apart(at, notes);
        } else {
            self.apart = None;
            self.tell_agreed(expected, times, notes);
        }
    }

    /// What was ordered, and a new period, are told once the clock shows them.
    fn tell_agreed(&mut self, expected: Times, shown: Times, notes: &mut Vec<ClockNote>) {
        if let Some((by, credit)) = self.begun.take() {
            notes.push(ClockNote::Period { by, credit });
        }
        let Some(ordered) = self.ordered.take() else { return };
        for by in Color::ALL.into_iter().filter(|color| *ordered.get(*color) != 0) {
            let amount = Duration::from_micros(ordered.get(by).unsigned_abs());
            let after = *begun(expected).get(by);
            let is_more = *ordered.get(by) > 0;
            let from = if is_more { after.saturating_sub(amount) } else { after + amount };
            notes.push(ClockNote::AsOrdered { by, from, to: *shown.get(by) });
        }
    }

    /// A press that was none has been taken back.
    pub(super) fn tell_withdrawn(&mut self, notes: &mut Vec<ClockNote>) {
        if std::mem::take(&mut self.has_withdrawn) {
            notes.push(ClockNote::Late { by: OVERTAKEN });
        }
    }

    /// Once: the clock has not shown what it should for a while.
    pub(super) fn tell_apart(&mut self, at: Mono, notes: &mut Vec<ClockNote>) {
        if self.apart_until().is_none_or(|due| due > at) {
            return;
        }
        let (Some(expected), Some(apart)) = (self.now(), &mut self.apart) else { return };
        apart.is_told = true;
        for by in Color::ALL {
            if off(&expected, &apart.shown, by).is_some() {
                let from = *begun(expected).get(by);
                notes.push(ClockNote::Unexplained { by, from, to: *apart.shown.get(by) });
            }
        }
    }
}
