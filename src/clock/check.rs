//! What the device shows against what the model says.
//!
//! Their difference is an observation: it is named and told, and then the device is believed,
//! because its indication counts unless the arbiter finds it defective (2009: Art. 6.10a; 2023:
//! Art. 6.10.1). A difference must last to be told, since times come late, out of order and in
//! bursts, and an arbiter who sets a clock goes through many digits.
//!
//! Where no time control is known, one is taken from what the clock shows, and its increment from
//! the first press. Then only what no time control could account for is told.

mod judge;
mod led;

use super::control::{PerMove, Period, Periods, TimeControl};
use super::model::{Change, ClockModel, FirstIncrement, Manner};
use super::note::ClockNote;
use super::phase::SecondFraction;
use crate::table::Times;
use crate::time::Mono;
use shakmaty::{ByColor, Color};
use std::collections::VecDeque;
use std::time::Duration;

/// A reading this far from the model is none of its second and its way (protocol 2.6).
const TOLERANCE: Duration = Duration::from_millis(2_000);
/// A difference must stand so long to be told. Ours: longer than the times after a command are
/// doubtful (protocol 2.6), or a finger takes from digit to digit.
const LASTS: Duration = Duration::from_secs(3);
/// How long a difference must stand on a clock that is set anew wherever it shows something else:
/// its driver proves and mends that within some seconds.
const LASTS_DRIVEN: Duration = Duration::from_secs(10);
/// After this silence of a running clock nobody knows what was done to it. Source: protocol 2.6, a
/// running clock is heard of every second.
const GAP: Duration = Duration::from_secs(5);
/// So many readings are remembered to tell an old one.
const N_RECENT: usize = 16;

/// One reading of a clock, in the players' colors.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ClockReading {
    /// What it shows; `None` if nothing that can be.
    pub times: Option<Times>,
    /// Whose time runs.
    pub running: Option<Color>,
    /// Who pressed to bring that about.
    pub pressed: Option<Color>,
    /// Whether the clock shows that its battery is low.
    pub is_battery_low: bool,
}

/// The times as well as they are known.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Both players' times, to the millisecond as far as the device allows.
    pub times: Times,
    /// Whose time runs.
    pub running: Option<Color>,
    /// The device is gone: this is reckoned alone, and no flag may be called by it.
    pub is_estimated: bool,
}

/// A difference that may last.
#[derive(Copy, Clone, Debug)]
struct PendingDifference {
    since: Mono,
    /// Shown minus expected, in microseconds.
    off: ByColor<i64>,
    shown: Times,
    /// Who pressed shortly before it was first seen.
    pressed: Option<Color>,
    /// The clock has stood since it was first seen.
    has_stood: bool,
    /// It stands now.
    stands: bool,
    /// It was not heard for a while before.
    has_gap: bool,
    /// How long the clock had run since a reading agreed.
    unheard: Duration,
}

/// Follows one clock through one game.
#[derive(Clone, Debug, Default)]
pub struct Check {
    control: Option<TimeControl>,
    model: Option<ClockModel>,
    phases: ByColor<SecondFraction>,
    read_at: Mono,
    pressed: Option<(Mono, Color)>,
    /// When something was last done to the clock, or believed of it, that its readings may tell
    /// late.
    moved: Mono,
    /// When a reading last agreed with the model, or the clock last stood.
    agreed: Mono,
    /// What was shown lately, and when last.
    recent: VecDeque<(Mono, Times)>,
    pending: Option<PendingDifference>,
    first: Option<Times>,
    has_run: bool,
    is_lost: bool,
    is_battery_low: bool,
    told_late: Option<Mono>,
    /// What the arbiter ordered to be given to each side or taken, in microseconds, until it is
    /// seen on the clock.
    ordered: Option<ByColor<i64>>,
    /// The host runs the clock.
    is_driven: bool,
    /// The model is that of the host.
    is_led: bool,
    /// Nothing that the clock shows is believed.
    is_doubted: bool,
    /// The clock shows something else than the host's model.
    apart: Option<led::Deviation>,
    /// The host has taken back a press.
    has_withdrawn: bool,
    /// The clock shows nothing but zeros, and that was told.
    is_blank: bool,
    /// A new period by the model, whose time has not been seen on the clock yet.
    begun: Option<(Color, Duration)>,
    /// What the last press added too much, in microseconds.
    doubt: Option<i64>,
    /// Sum of the corrections to the fraction, in microseconds: positive for a slow clock.
    drift: i64,
    drift_told: Duration,
}

impl Estimate {
    /// The times as a display would show them.
    pub fn shown(&self) -> Times {
        begun(self.times)
    }
}

impl Check {
    /// A check for a game with `control`, or with one that the clock must tell.
    pub fn new(control: Option<TimeControl>) -> Self {
        Self {
            control: control.filter(|control| *control != TimeControl::NoClock),
            ..Self::default()
        }
    }

    /// For a clock that is driven: what it shows is not what counts, and will be mended.
    #[must_use]
    pub fn driven(self) -> Self {
        Self { is_driven: true, ..self }
    }

    /// A check for a game that goes on after `completed` moves of White and Black.
    pub fn resumed(control: Option<TimeControl>, completed: ByColor<u32>) -> Self {
        let mut check = Self::new(control);
        // What the clock shows cannot be held against what it was set to.
        (check.has_run, check.is_lost) = (true, true);
        if let Some(control) = &check.control {
            let mut model = ClockModel::new(control.clone(), Manner::default());
            for color in Color::ALL {
                model.set_completed(color, *completed.get(color));
            }
            check.model = Some(model);
        }
        check
    }

    /// The model, once the clock has shown a time.
    pub fn model(&self) -> Option<&ClockModel> {
        self.model.as_ref()
    }

    /// The times at `at`; `None` if the clock never showed any.
    pub fn estimate(&self, at: Mono) -> Option<Estimate> {
        let model = self.model.as_ref().filter(|_| self.first.is_some())?;
        let (running, is_estimated) = (model.running(), self.is_lost || self.is_doubted);
        Some(Estimate { times: model.times(at), running, is_estimated })
    }

    /// When [`Check::on_timeout`] is due. Calling early does no harm.
    pub fn wake_at(&self) -> Option<Mono> {
        if self.is_led {
            return self.apart_until().filter(|_| !self.is_lost);
        }
        let lasts = if self.is_driven { LASTS_DRIVEN } else { LASTS };
        self.pending.filter(|_| !self.is_lost).map(|pending| pending.since + lasts)
    }

    /// Whether the times are reckoned because the clock cannot be heard.
    pub const fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// The clock, or the line to it, is gone: from now on the times are reckoned.
    pub fn lost(&mut self) {
        self.is_lost = true;
        self.pending = None;
        self.apart = None;
        self.ordered = None;
    }

    /// The arbiter orders that `by` has `span` more, or less: once the clock shows it, that is no
    /// difference. Nothing while no time is known.
    pub fn order(&mut self, by: Color, more: Duration, less: Duration) {
        if self.model.is_none() || self.is_lost {
            return;
        }
        let ordered = self.ordered.get_or_insert_default();
        *ordered.get_mut(by) += micros(more) - micros(less);
    }

    /// What stands differently on a clock that stands is dealt with now: what comes next is another
    /// matter.
    pub fn close(&mut self, notes: &mut Vec<ClockNote>) {
        if self.pending.is_some_and(|pending| pending.has_stood) {
            self.judge(notes);
        }
    }

    /// White's end of the clock is Black's, and was from the beginning: what has been reckoned for
    /// one player belongs to the other.
    pub fn turned(&mut self) {
        if let Some(model) = &mut self.model {
            model.turn();
        }
        let swap = |times: Times| Times { white: times.black, black: times.white };
        self.first = self.first.map(swap);
        self.recent.clear();
        self.pending = None;
        self.ordered = None;
        self.phases = ByColor::default();
    }

    /// What the clock will show when the press of `by` at `at` has taken effect, in whole seconds.
    pub fn pressed_at(&self, at: Mono, by: Color) -> Option<Times> {
        let mut then = self.model.clone().filter(|_| self.first.is_some())?;
        then.press(at, by);
        Some(begun(then.times(at)))
    }

    /// While the clock is gone: `by` has made a move. Its press cannot be seen.
    pub fn made_unseen(&mut self, at: Mono, by: Color) {
        if let (true, Some(model)) = (self.is_lost, &mut self.model) {
            model.press(at, by);
        }
    }

    /// A reading of the clock. Appends what is to be told about it.
    pub fn read(&mut self, at: Mono, shown: ClockReading, notes: &mut Vec<ClockNote>) {
        if shown.is_battery_low && !self.is_battery_low {
            notes.push(ClockNote::BatteryLow);
        }
        self.is_battery_low |= shown.is_battery_low;
        // What a clock shows that runs when it is first read is not what it was set to.
        let is_setting_known = self.first.is_some();
        if let Some(times) = shown.times {
            if self.shows_nothing(at, times, notes) {
                return;
            }
            if !self.is_led {
                self.seed(times, shown.running.is_some());
            }
        }
        if self.is_led {
            return self.read_led(at, &shown, notes);
        }
        let is_final = !self.is_driven && self.pending.is_some_and(|pending| pending.stands);
        if shown.running.is_some() && is_final {
            // Nobody sets a clock that runs: what was set before is final.
            self.judge(notes);
        }
        let Some(model) = &mut self.model else { return };
        let has_stood = model.running().is_none();
        // A clock that has come to zero has nothing more to say.
        let is_at_zero = model.running().is_some_and(|color| model.left(color).is_zero());
        let has_gap = !has_stood && !is_at_zero && at.since(self.read_at) > GAP;
        self.read_at = at;
        let mut changes = model.advance(at);
        if let Some(by) = shown.pressed.filter(|by| is_press(model, *by, &shown)) {
            model.start(at, by);
            changes.extend(model.press(at, by));
            self.pressed = Some((at, by));
        }
        let is_missed = self.is_driven
            && shown.pressed.is_none()
            && shown.running.is_some_and(|color| model.running() == Some(!color));
        if let (true, Some(color)) = (is_missed, shown.running) {
            // The host has heard of no press either, and counts one all the same.
            let expected = begun(model.times(at));
            changes.extend(model.press(at, !color));
            notes.push(ClockNote::PressesMissed { expected, shown: begun(model.times(at)) });
        }
        if model.running() != shown.running || self.pressed.is_some_and(|(then, _)| then == at) {
            self.moved = at;
        }
        match shown.running {
            Some(color) => model.start(at, color),
            None => model.stop(at),
        };
        self.begun = changes.iter().find_map(new_period).or(self.begun);
        let is_start = shown.running.is_some() && !self.has_run;
        self.has_run |= shown.running.is_some();
        let Some(times) = shown.times else { return };
        let is_back = std::mem::take(&mut self.is_lost);
        if is_back && (!self.is_driven || self.recent.is_empty()) {
            self.come_back(at, times, notes);
        } else if is_start && is_setting_known {
            self.check_setting(notes);
        } else if !is_start {
            self.compare(at, times, has_stood, has_gap, notes);
        }
        match self.recent.back_mut().filter(|(_, last)| *last == times) {
            Some((then, _)) => *then = at,
            None => self.recent.push_back((at, times)),
        }
        let n_old = self.recent.len().saturating_sub(N_RECENT);
        self.recent.drain(..n_old);
    }

    /// [`Check::wake_at`] has come, or not.
    pub fn on_timeout(&mut self, at: Mono, notes: &mut Vec<ClockNote>) {
        self.tell_withdrawn(notes);
        if self.wake_at().is_some_and(|due| due <= at) {
            if let Some(model) = &mut self.model {
                model.advance(at);
            }
            if self.is_led {
                self.tell_apart(at, notes);
            } else {
                self.judge(notes);
            }
        }
    }

    /// Before the game what the clock shows is what it is set to.
    fn seed(&mut self, times: Times, is_running: bool) {
        let is_set = self.first.is_some() && (self.has_run || is_running);
        if is_set {
            return;
        }
        self.first = Some(times);
        if self.has_run && self.model.is_some() {
            return;
        }
        let control = self.control.clone().or_else(|| told_by(times));
        let Some(control) = control else { return };
        let is_before = Color::ALL.into_iter().all(|color| {
            let [without, with] = start_times(&control, color);
            without != with && *times.get(color) == with
        });
        let first_increment =
            if is_before { FirstIncrement::BeforeStart } else { FirstIncrement::WithPress };
        let mut model = ClockModel::new(control, Manner { first_increment, ..Manner::default() });
        Color::ALL.into_iter().for_each(|color| model.adopt(color, *times.get(color)));
        self.model = Some(model);
    }

    /// The game begins: is the clock set to the time control?
    fn check_setting(&mut self, notes: &mut Vec<ClockNote>) {
        let (Some(control), Some(first)) = (&self.control, self.first) else { return };
        for by in Color::ALL {
            let [expected, also] = start_times(control, by);
            let shown = *first.get(by);
            let is_near = |time: Duration| time.abs_diff(shown) <= TOLERANCE;
            if !is_near(expected) && !is_near(also) {
                notes.push(ClockNote::Misset { by, expected, shown });
            }
        }
    }

    /// A clock that has lost its memory stands and shows zeros on both sides. That is told, and
    /// says nothing of the players' times.
    fn shows_nothing(&mut self, at: Mono, shown: Times, notes: &mut Vec<ClockNote>) -> bool {
        let Some(model) = self.model.as_ref().filter(|_| self.has_run) else { return false };
        let from = model.times(at);
        let is_blank = shown.white.is_zero()
            && shown.black.is_zero()
            && Color::ALL.into_iter().all(|color| *from.get(color) > TOLERANCE);
        if is_blank && !self.is_blank {
            notes.push(ClockNote::Reset { from: begun(from), to: shown });
        }
        self.is_blank = is_blank;
        if is_blank {
            self.pending = None;
            self.apart = None;
            // Who runs a clock will set it again, and the game goes on meanwhile.
            if let (false, Some(model)) = (self.is_driven, &mut self.model) {
                model.stop(at);
            }
        }
        is_blank
    }

    /// The clock is back after it was gone. It is believed at once: nobody watched it.
    fn come_back(&mut self, at: Mono, shown: Times, notes: &mut Vec<ClockNote>) {
        let Some(model) = &mut self.model else { return };
        let estimated = model.times(at);
        let [white, black] = [Color::White, Color::Black]
            .map(|color| micros(*shown.get(color)) - micros(*estimated.get(color)));
        let is_far = |color| off(&estimated, &shown, color).is_some();
        // Without a time control nobody knows yet what unheard presses have added.
        let is_known = self.control.is_some() || model.per_move(Color::White) != PerMove::Nothing;
        let is_news = is_known
            && Color::ALL.into_iter().any(is_far)
            && !judge::is_transfer(model, white, black);
        if !self.recent.is_empty() && is_news {
            notes.push(ClockNote::Back { estimated, shown });
        }
        for color in Color::ALL {
            model.adopt(color, *shown.get(color));
            self.phases.get_mut(color).forget();
        }
        self.moved = at;
    }
}

fn new_period(change: &Change) -> Option<(Color, Duration)> {
    match *change {
        Change::PeriodBegun { by, credit, .. } => Some((by, credit)),
        _ => None,
    }
}

/// Whether a lever that went over was pressed by its player. One that is found over when the clock
/// has just been stopped may have been put there by an arbiter: then nothing was added.
fn is_press(model: &ClockModel, by: Color, shown: &ClockReading) -> bool {
    let PerMove::Increment(increment) = model.per_move(by) else { return true };
    let (None, Some(times)) = (shown.running, shown.times) else { return true };
    let (without, shown) = (model.left(by), *times.get(by));
    (without + increment).abs_diff(shown) < without.abs_diff(shown)
}

/// What the clock of `color` may show before the game: without and with the first increment.
fn start_times(control: &TimeControl, color: Color) -> [Duration; 2] {
    let initial = control.initial(color).unwrap_or_default();
    let first = control.periods(color).map(|periods| periods.get(0).per_move);
    match first {
        Some(PerMove::Increment(increment)) => [initial, initial + increment],
        _ => [initial, initial],
    }
}

/// A time control as far as a clock tells it before the game: all moves in the time it shows.
fn told_by(times: Times) -> Option<TimeControl> {
    let all = |allotment| {
        Periods::new(vec![Period { moves: None, allotment, per_move: PerMove::Nothing }]).ok()
    };
    Some(TimeControl::Periods { white: all(times.white)?, black: all(times.black)? })
}

/// As displays show times: a second that has begun counts as whole.
fn begun(times: Times) -> Times {
    let up = |span: Duration| {
        let rest = Duration::from_nanos(u64::from(span.subsec_nanos()));
        if rest.is_zero() { span } else { span - rest + Duration::from_secs(1) }
    };
    Times { white: up(times.white), black: up(times.black) }
}

/// By how many microseconds more `shown` is than `expected`, if that is more than a second and its
/// way account for.
fn off(expected: &Times, shown: &Times, color: Color) -> Option<i64> {
    let off = micros(*shown.get(color)) - micros(*expected.get(color));
    // A display shows the second that has begun: it is up to one ahead.
    let middle = off - 500_000;
    (middle.unsigned_abs() > TOLERANCE.as_micros() as u64).then_some(off)
}

fn micros(span: Duration) -> i64 {
    i64::try_from(span.as_micros()).unwrap_or(i64::MAX)
}
