//! What a difference between device and model is, once it has lasted.

use super::{Check, GAP, PendingDifference, TOLERANCE, begun, micros, off};
use crate::clock::control::PerMove;
use crate::clock::model::{ClockModel, Crediting};
use crate::clock::note::{ClockNote, Rate};
use crate::table::Times;
use crate::time::Mono;
use shakmaty::{ByColor, Color};
use std::time::Duration;

/// No increment is longer. Ours.
const PER_MOVE_MOST: Duration = Duration::from_secs(61);
/// No new period is shorter. Ours.
const PERIOD_LEAST: Duration = Duration::from_secs(5 * 60);
/// Drift is told from here. Ours: no arbiter would see less.
pub(super) const DRIFT_MIN: Duration = Duration::from_secs(3);
/// Drift is told above one part in so many. Ours: ten times what a cheap crystal does.
const DRIFT_PART: u32 = 1_000;
/// Drift is told of no shorter time. Ours: before that it may be a line that is slow to begin.
const DRIFT_OVER: Duration = Duration::from_secs(10 * 60);
/// From a press, start or stop on, what it moves has been evened out. Ours: some changes of the
/// display.
const STEADY: Duration = Duration::from_secs(30);
/// Two differences are the same if they are not farther apart, in microseconds. Ours.
const SAME: u64 = 1_000_000;
/// An increment above this, in microseconds, can be counted in a sum. Ours: twice the tolerance.
const INCREMENT_TELLS: i64 = 4_000_000;
/// Increments that are in use; what lies in between is one of them misread.
const USUAL: [u64; 12] = [1, 2, 3, 5, 8, 10, 12, 15, 20, 30, 45, 60];
/// Without a time control, a difference of a running clock below this is taken as it comes. Ours:
/// delays and the like, which no control has told us of.
const PLAIN: Duration = Duration::from_secs(61);
/// A difference belongs to a press for so long.
const AFTER_PRESS: Duration = Duration::from_millis(2_500);
/// A clock that runs on is taken for turned round if its times differ by more. Ours: hurt readings
/// of the lever move some seconds from one side to the other.
const TURNED_RUNNING: Duration = Duration::from_secs(30);
/// Late times are told once in this time.
const LATE_EVERY: Duration = Duration::from_secs(60);

impl Check {
    /// Holds a reading against the model, whose time is up to date.
    pub(super) fn compare(
        &mut self,
        at: Mono,
        shown: Times,
        has_stood: bool,
        has_gap: bool,
        notes: &mut Vec<ClockNote>,
    ) {
        self.learn(at, shown);
        self.take_ordered(shown, notes);
        let Some(expected) = self.now() else { return };
        if has_stood {
            self.agreed = at;
        }
        let offs = [Color::White, Color::Black].map(|color| off(&expected, &shown, color));
        if offs == [None, None] {
            self.agreed = at;
            if let Some(pending) = self.pending.take() {
                self.tell_late(at, &pending, notes);
            }
            if let Some((by, credit)) = self.begun.take() {
                notes.push(ClockNote::Period { by, credit });
            }
            self.tune(at, shown, notes);
            return;
        }
        let stands = self.model.as_ref().is_some_and(|model| model.running().is_none());
        let [white, black] = offs.map(Option::unwrap_or_default);
        let off = ByColor { white, black };
        let pressed = self.pressed.filter(|(then, _)| at.since(*then) < AFTER_PRESS);
        let fresh = PendingDifference {
            since: at,
            off,
            shown,
            pressed: pressed.map(|(_, by)| by),
            has_stood: has_stood || stands,
            stands,
            has_gap,
            unheard: at.since(self.agreed),
        };
        if self.is_old(at, &shown) && !fresh.has_stood {
            self.tell_late(at, &fresh, notes);
            return;
        }
        let same = self.pending.filter(|before| {
            let apart = |color| (before.off.get(color) - off.get(color)).unsigned_abs();
            Color::ALL.into_iter().all(|color| u128::from(apart(color)) < TOLERANCE.as_micros())
        });
        self.pending = Some(same.map_or(fresh, |before| PendingDifference {
            off,
            shown,
            has_stood: before.has_stood || fresh.has_stood,
            stands,
            ..before
        }));
        if self.wake_at().is_some_and(|due| due <= at) {
            self.judge(notes);
        }
    }

    /// Whether this was shown lately, and something else since.
    fn is_old(&self, at: Mono, shown: &Times) -> bool {
        let mut before = self.recent.iter().rev();
        before.next().is_some_and(|(_, last)| last != shown)
            && before.any(|(then, times)| times == shown && at.since(*then) <= GAP)
    }

    /// The clock shows what the arbiter has ordered: so does the model from now on.
    fn take_ordered(&mut self, shown: Times, notes: &mut Vec<ClockNote>) {
        let (Some(ordered), Some(before)) = (self.ordered, self.now()) else { return };
        let Some(model) = &mut self.model else { return };
        let of = |color: Color| without(*before.get(color), -ordered.get(color));
        let after = Times { white: of(Color::White), black: of(Color::Black) };
        if Color::ALL.iter().any(|color| off(&after, &shown, *color).is_some()) {
            return;
        }
        self.ordered = None;
        self.pending = None;
        self.moved = self.read_at;
        for by in Color::ALL.into_iter().filter(|color| *ordered.get(*color) != 0) {
            model.adopt(by, *after.get(by));
            self.phases.get_mut(by).forget();
            let from = *begun(before).get(by);
            notes.push(ClockNote::AsOrdered { by, from, to: *shown.get(by) });
        }
    }

    pub(super) fn now(&self) -> Option<Times> {
        let model = self.model.as_ref()?;
        Some(Times { white: model.left(Color::White), black: model.left(Color::Black) })
    }

    /// Without a time control the first press tells the increment.
    fn learn(&mut self, at: Mono, shown: Times) {
        let (Some((then, by)), None, Some(expected)) = (self.pressed, &self.control, self.now())
        else {
            return;
        };
        let is_known = self.model.as_ref().is_some_and(|m| m.per_move(by) != PerMove::Nothing);
        if then == at && !is_known {
            self.learn_increment(by, shown.get(by).saturating_sub(*expected.get(by)));
        }
    }

    /// A press of `by` added about `rise`, of which up to a second is that of the display.
    fn learn_increment(&mut self, by: Color, rise: Duration) {
        let Some(model) = &mut self.model else { return };
        let floor = rise.as_secs();
        if floor == 0 || rise > PER_MOVE_MOST {
            return;
        }
        let is_usual = |n: &u64| USUAL.contains(n);
        let seconds = [floor, floor + 1].into_iter().find(is_usual).unwrap_or(floor);
        let increment = Duration::from_secs(seconds);
        let left = model.left(by);
        model.set_per_move(self.read_at, PerMove::Increment(increment));
        model.adopt(by, left + increment);
    }

    fn tell_late(&mut self, at: Mono, pending: &PendingDifference, notes: &mut Vec<ClockNote>) {
        let is_told = self.told_late.is_some_and(|then| at.since(then) < LATE_EVERY);
        if is_told || pending.pressed.is_some() || pending.has_stood {
            return;
        }
        self.told_late = Some(at);
        let most = pending.off.white.unsigned_abs().max(pending.off.black.unsigned_abs());
        notes.push(ClockNote::Late { by: Duration::from_micros(most) });
    }

    /// Brings the fraction of a second into line, and tells if that adds up.
    fn tune(&mut self, at: Mono, shown: Times, notes: &mut Vec<ClockNote>) {
        let Some(model) = &mut self.model else { return };
        for color in Color::ALL {
            let estimated = model.left(color);
            let is_running = model.running() == Some(color);
            let better =
                self.phases.get_mut(color).correct(estimated, *shown.get(color), is_running);
            if better != estimated {
                // A press that was heard late moves time from one player to the other, a start or
                // stop from the clock's account to ours. Neither is the clock's fault.
                let is_of_move = at.since(self.moved) < STEADY;
                self.drift += if is_of_move { 0 } else { micros(better) - micros(estimated) };
                model.adopt(color, better);
            }
        }
        let over = model.account(Color::White).spent + model.account(Color::Black).spent;
        let by = Duration::from_micros(self.drift.unsigned_abs());
        // A clock that is driven is kept right.
        let is_told = !self.is_driven && by >= self.drift_told.max(DRIFT_MIN);
        if is_told && by > over / DRIFT_PART && over >= DRIFT_OVER {
            let rate = if self.drift < 0 { Rate::Fast } else { Rate::Slow };
            notes.push(ClockNote::Drift { rate, by, over });
            self.drift_told = by * 2;
        }
    }

    /// The difference has lasted: says what it is, and believes the device.
    pub(super) fn judge(&mut self, notes: &mut Vec<ClockNote>) {
        let Some(pending) = self.pending.take() else { return };
        let expected = begun(Times {
            white: without(pending.shown.white, pending.off.white),
            black: without(pending.shown.black, pending.off.black),
        });
        self.name(&pending, expected, notes);
        if pending.has_stood {
            // Whoever set it has dealt with what was ordered, in his own way.
            self.ordered = None;
        }
        let Some(model) = &mut self.model else { return };
        for color in Color::ALL {
            let off = *pending.off.get(color);
            if off != 0 {
                let left = model.left(color);
                model.adopt(color, without(left, -off));
                self.phases.get_mut(color).forget();
                self.moved = self.read_at;
            }
        }
    }

    fn name(&mut self, pending: &PendingDifference, expected: Times, notes: &mut Vec<ClockNote>) {
        let shown = pending.shown;
        // Presses that nobody heard bring times over to the other side as well, but no more than
        // has run meanwhile.
        let apart = expected.white.abs_diff(expected.black);
        let least = if pending.has_stood { TOLERANCE * 3 } else { TURNED_RUNNING };
        let are_apart = apart > least && apart > pending.unheard + TOLERANCE;
        if are_apart && is_near(shown.white, expected.black) && is_near(shown.black, expected.white)
        {
            notes.push(ClockNote::Turned { to: shown });
            return;
        }
        let is_used =
            |color| self.first.is_some_and(|first| *first.get(color) > *expected.get(color));
        let is_zero = shown.white.is_zero() && shown.black.is_zero();
        if (self.first == Some(shown) || is_zero) && Color::ALL.into_iter().all(is_used) {
            notes.push(ClockNote::Reset { from: expected, to: shown });
            return;
        }
        // Where a press was heard and the other side shows what it should, the clock has added
        // something else, even if that is twice as much.
        let is_of_press = pending.pressed.is_some_and(|by| *pending.off.get(!by) == 0);
        let is_transfer = |model: &ClockModel| {
            !is_of_press && is_transfer(model, pending.off.white, pending.off.black)
        };
        if !pending.has_stood && self.model.as_ref().is_some_and(is_transfer) {
            notes.push(ClockNote::PressesMissed { expected, shown });
            return;
        }
        if pending.has_gap {
            notes.push(ClockNote::Back { estimated: expected, shown });
            return;
        }
        for color in Color::ALL {
            let off = *pending.off.get(color);
            if off != 0 {
                let (from, to) = (*expected.get(color), *shown.get(color));
                notes.extend(self.name_one(pending, color, off, from, to));
            }
        }
    }

    fn name_one(
        &mut self,
        pending: &PendingDifference,
        by: Color,
        off: i64,
        from: Duration,
        to: Duration,
    ) -> Option<ClockNote> {
        let amount = Duration::from_micros(off.unsigned_abs());
        if let Some(note) = self.name_period(by, off, amount) {
            return Some(note);
        }
        if pending.has_stood {
            return Some(ClockNote::SetByHand { by, from, to });
        }
        let is_of_press = pending.pressed == Some(by) && amount <= PER_MOVE_MOST;
        if is_of_press && self.control.is_none() {
            self.relearn(by, off);
            return None;
        }
        if is_of_press && self.model.as_ref()?.is_flagged(by) {
            // Some clocks go on adding after the flag has fallen.
            return None;
        }
        if is_of_press {
            let expected = self.model.as_ref()?.per_move(by).span();
            let shown = without(expected, -off);
            // Whoever has set it meanwhile has set it as it should be.
            let is_right = self.ordered_per_move(by).is_some_and(|span| is_near(span, shown));
            let is_known = self.relearn(by, off);
            return (!is_right && !is_known).then_some(ClockNote::Increment {
                by,
                expected,
                shown,
            });
        }
        if self.control.is_none() && amount <= PLAIN {
            return None;
        }
        Some(ClockNote::Unexplained { by, from, to })
    }

    /// What the time control gives `by` for a move, now.
    fn ordered_per_move(&self, by: Color) -> Option<Duration> {
        let (control, model) = (self.control.as_ref()?, self.model.as_ref()?);
        Some(control.periods(by)?.get(model.period(by)).per_move.span())
    }

    /// The clock adds something else than it was believed to add, if two presses say the same:
    /// true if so, and it is believed from now on.
    fn relearn(&mut self, by: Color, off: i64) -> bool {
        let before = self.doubt.replace(off);
        let Some(model) = &mut self.model else { return false };
        let is_added = matches!(model.per_move(by), PerMove::Increment(_) | PerMove::Nothing);
        if !is_added || before.is_none_or(|before| off.abs_diff(before) > SAME) {
            return false;
        }
        let span = without(model.per_move(by).span(), -off);
        let seconds = span.as_secs();
        let per_move = if seconds == 0 {
            PerMove::Nothing
        } else {
            PerMove::Increment(Duration::from_secs(seconds))
        };
        model.set_per_move(self.read_at, per_move);
        true
    }

    /// The time of a period, added or not added.
    fn name_period(&mut self, by: Color, off: i64, amount: Duration) -> Option<ClockNote> {
        let model = self.model.as_mut()?;
        let index = model.period(by);
        self.begun = self.begun.filter(|(begun, _)| *begun != by);
        let Some(control) = &self.control else {
            let is_long = off > 0 && amount >= PERIOD_LEAST;
            return (is_long && self.pressed.is_some_and(|(_, last)| last == by))
                .then_some(ClockNote::Period { by, credit: amount });
        };
        let periods = control.periods(by)?;
        let is_credit = |span: Duration| !span.is_zero() && is_near(span, amount);
        if off > 0 && periods.has_next(index) {
            let credit = periods.get(index + 1).allotment;
            if is_credit(credit) {
                model.set_period(by, index + 1);
                return Some(ClockNote::Period { by, credit });
            }
        }
        let credit = periods.get(index).allotment;
        if off < 0 && index > 0 && is_credit(credit) {
            // It will come when the time has run down to zero.
            model.set_period(by, index - 1);
            model.set_crediting(Crediting::OnZero);
            return Some(ClockNote::PeriodDue { by, credit });
        }
        None
    }
}

/// Whether what the sides show too much, in microseconds, is what presses that nobody saw make of
/// it: time gone over from one player to the other, and an increment for each.
pub(super) fn is_transfer(model: &ClockModel, white: i64, black: i64) -> bool {
    let increment = micros(model.per_move(Color::White).span()).max(1);
    let is_opposite = white.signum() * black.signum() < 0;
    let explains = |sum: i64| {
        let n_presses = (sum + increment / 2).div_euclid(increment);
        let rest = (sum - n_presses * increment).unsigned_abs();
        // With a short increment any sum would be some number of presses.
        let is_pair = n_presses >= 2 && increment > INCREMENT_TELLS;
        (is_opposite && n_presses >= 0 || is_pair) && u128::from(rest) <= TOLERANCE.as_micros()
    };
    // Each display shows the second that has begun, so both may be ahead.
    explains(white + black) || explains(white + black - 1_000_000)
}

fn is_near(a: Duration, b: Duration) -> bool {
    a.abs_diff(b) <= TOLERANCE
}

/// `span` without `off` microseconds, which may be negative.
fn without(span: Duration, off: i64) -> Duration {
    let off_span = Duration::from_micros(off.unsigned_abs());
    if off < 0 { span + off_span } else { span.saturating_sub(off_span) }
}
