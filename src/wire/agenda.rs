//! What is still to be done until a clock agrees: the part of a driver that no cable knows.
//!
//! Each job is due at some moment or not at all; a driver does the first that is due, one at a
//! time, and says how it went. Times can be read back and are set again when readings contradict
//! them; a text cannot, so it is said again from time to time.

use std::collections::VecDeque;
use std::time::Duration;

use super::clock_command::{Icons, Runs};
use super::clock_wish::{ClockNews, ClockText, Difference, DriverOutput, Wanted, WantedTimes};
use super::in_step::InStep;
use crate::table::End;
use crate::time::Mono;

/// Readings are not believed for this long after times were set: old ones come back, and a
/// stopped clock needs up to 2 s (protocol 2.6, 6.6).
pub(super) const TAKES_EFFECT: Duration = Duration::from_millis(2_500);
/// From a reading that contradicts to the one that proves it. Ours.
pub(super) const CONFIRM: Duration = Duration::from_secs(1);
/// How far a running side may be from what is wanted, in seconds: a reading is up to 1.5 s old
/// (protocol 2.6), and a clock is set in whole seconds. Ours.
pub(super) const TOLERANCE: u32 = 3;
/// Contradicted settings before the driver pauses, and for how long. Ours.
pub(super) const N_SETTINGS: u32 = 3;
/// As long a clock is left in peace that will not show what it is told. Ours.
pub(super) const PEACE: Duration = Duration::from_secs(30);
/// A clock that is set is looked at this often, in case a message was lost. Ours.
pub(super) const LOOK_EVERY: Duration = Duration::from_secs(10);
/// From one request for a reading to the next: for a second after a command the answer may be the
/// last acknowledgement once more (protocol 2.6).
pub(super) const LOOK_GAP: Duration = Duration::from_secs(1);
/// A clock that runs and was not heard for so long is not asked any more than one that stands: it
/// changes each second. Ours.
const CURRENT: Duration = Duration::from_secs(3);
/// A text is shown again this often, for nothing tells that it is gone. Ours.
pub(super) const TEXT_EVERY: Duration = Duration::from_secs(30);
/// After a job that failed, before it is tried again; doubled each time up to [`PEACE`]. Ours.
pub(super) const BACKOFF: Duration = Duration::from_secs(4);
/// A clock that differs from what is wanted for this long is told of. Ours.
const DIFFERS_AFTER: Duration = Duration::from_secs(10);
/// Beeps that may wait; more would be noise. Ours.
const BEEPS_MAX: usize = 4;

/// One thing to be done, most urgent first.
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Job {
    Set,
    /// Set the same once more, at the right moment.
    Step,
    Beep,
    EndText,
    Text,
    Icons,
    /// Ask for a reading.
    Look,
}

impl Job {
    const ALL: [Self; 7] =
        [Self::Set, Self::Step, Self::Beep, Self::EndText, Self::Text, Self::Icons, Self::Look];

    const fn idx(self) -> usize {
        self as usize
    }
}

/// What lies over the times.
#[derive(Debug, Copy, Clone, Default, PartialEq, Eq)]
enum OverlayState {
    /// Not touched by us.
    #[default]
    Unknown,
    /// Touched, and how that ended is not known.
    Perhaps,
    Nothing,
    Text(ClockText),
}

/// A reading, as far as it matters here.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) left: u32,
    pub(super) right: u32,
    /// `None` where the clock does not tell.
    pub(super) running: Option<bool>,
    pub(super) high: End,
}

impl Shown {
    /// Whether this, read at `at`, is what was wanted of the times; wherever the lever stands.
    pub(super) fn shows(self, at: Mono, wanted: &Wanted) -> bool {
        let why = wanted.times.and_then(|times| contradiction(&times, at, self));
        why.is_none_or(|why| why == Difference::Lever)
    }
}

/// The list of what is to be done.
#[derive(Debug, Clone, Default)]
pub(super) struct Agenda {
    wanted: Wanted,
    /// The times that the clock has confirmed, and when.
    set: Option<(WantedTimes, Mono)>,
    step: InStep,
    over: OverlayState,
    over_at: Mono,
    icons: Option<Icons>,
    beeps: VecDeque<u8>,
    reading: Option<(Mono, Shown)>,
    looked_at: Mono,
    /// Since when readings contradict, and how.
    against: Option<(Mono, Difference)>,
    /// When one last did.
    against_at: Mono,
    n_contradicted: u32,
    /// Settings that came to nothing since the clock last showed what was wanted.
    n_in_vain: u32,
    /// No job before its moment.
    held: [Mono; Job::ALL.len()],
    n_failed: [u32; Job::ALL.len()],
    is_refused: bool,
}

impl Agenda {
    pub(super) const fn wanted(&self) -> &Wanted {
        &self.wanted
    }

    /// What is wanted from now on. New times are worth a new attempt, however many failed.
    pub(super) fn want(&mut self, wanted: Wanted) {
        if wanted.times != self.wanted.times && !self.is_refused {
            self.release(Job::Set);
        }
        if wanted.text != self.wanted.text {
            self.release(Job::Text);
            self.release(Job::EndText);
        }
        self.wanted = wanted;
    }

    pub(super) fn beep(&mut self, units: u8) {
        if self.beeps.len() < BEEPS_MAX {
            self.beeps.push_back(units);
        }
    }

    /// How long the next beep shall be.
    pub(super) fn next_beep(&self) -> Option<u8> {
        self.beeps.front().copied()
    }

    /// The clock was plugged in anew, or has lost its memory: nothing is known of it.
    pub(super) fn forget(&mut self) {
        let (wanted, beeps) = (self.wanted, std::mem::take(&mut self.beeps));
        *self = Self { wanted, beeps, ..Self::default() };
    }

    /// When the job may be done; `None` if there is no need.
    fn due(&self, job: Job) -> Option<Mono> {
        let held = self.held[job.idx()];
        let is_driven = self.wanted.times.is_some();
        match job {
            Job::Set => (is_driven && !self.is_set()).then_some(held),
            // A setting takes the text away, and the display tells nothing meanwhile.
            Job::Step => {
                let may = is_driven && self.is_set() && self.wanted.text.is_none();
                self.step.due().filter(|_| may).map(|due| due.max(held))
            }
            Job::Beep => (!self.beeps.is_empty()).then_some(held),
            Job::EndText => match (self.wanted.text, self.over) {
                (None, OverlayState::Unknown) => is_driven.then_some(held),
                (None, OverlayState::Text(_) | OverlayState::Perhaps) => Some(held),
                _ => None,
            },
            Job::Text => self.wanted.text.map(|text| {
                let is_shown = self.over == OverlayState::Text(text);
                if is_shown { held.max(self.over_at + TEXT_EVERY) } else { held }
            }),
            Job::Icons => {
                (self.wanted.icons.is_some() && self.wanted.icons != self.icons).then_some(held)
            }
            Job::Look => self.look_at().map(|at| at.max(held)),
        }
    }

    /// When a reading should be asked for.
    fn look_at(&self) -> Option<Mono> {
        let (_, set_at) = self.set.filter(|_| self.is_set())?;
        let believed_from = set_at + TAKES_EFFECT;
        let due = match self.reading {
            Some((at, _)) if at >= believed_from => match self.against {
                Some(_) => at + CONFIRM,
                None => at + LOOK_EVERY,
            },
            _ => believed_from,
        };
        Some(due.max(self.looked_at + LOOK_GAP))
    }

    /// The most urgent job that is due and that `allows` permits from its moment on.
    pub(super) fn next(&self, at: Mono, allows: impl Fn(Job) -> Option<Mono>) -> Option<Job> {
        let is_due = |job: &Job| self.moment(*job, &allows).is_some_and(|due| due <= at);
        Job::ALL.into_iter().find(is_due)
    }

    /// When [`Agenda::next`] has something, as far as is known now.
    pub(super) fn wake_at(&self, allows: impl Fn(Job) -> Option<Mono>) -> Option<Mono> {
        Job::ALL.into_iter().filter_map(|job| self.moment(job, &allows)).min()
    }

    /// From when on a job is due and permitted.
    pub(super) fn moment(&self, job: Job, allows: impl Fn(Job) -> Option<Mono>) -> Option<Mono> {
        Some(self.due(job)?.max(allows(job)?))
    }

    /// A job was done: `times` is what was set, if it was that.
    pub(super) fn done(&mut self, at: Mono, job: Job, wanted: &Wanted) {
        self.n_failed[job.idx()] = 0;
        match job {
            Job::Set => {
                self.set = wanted.times.map(|times| (times, at));
                self.step.is_set(at, wanted.times.as_ref());
                self.against = None;
                self.is_refused = false;
                // Setting takes the text away, on some clocks only half (protocol 3.5).
                if matches!(self.over, OverlayState::Text(_)) {
                    self.over = OverlayState::Perhaps;
                }
                self.icons = None;
            }
            Job::Step => {
                self.step.is_in_step(at, wanted.times.as_ref());
                self.icons = None;
            }
            Job::Beep => drop(self.beeps.pop_front()),
            Job::EndText => self.over = OverlayState::Nothing,
            Job::Text => {
                self.over = wanted.text.map_or(OverlayState::Perhaps, OverlayState::Text);
                self.over_at = at;
            }
            Job::Icons => self.icons = wanted.icons,
            Job::Look => self.looked_at = at,
        }
    }

    /// The moment of a job may have passed while another command was under way.
    pub(super) fn go_on(&mut self, at: Mono) {
        self.step.go_on(at, self.wanted.times.as_ref());
    }

    /// Whether the times are seen, beyond doubt.
    pub(super) fn is_bare(&self) -> bool {
        self.over == OverlayState::Nothing
    }

    /// Whether a text is shown, beyond doubt.
    pub(super) const fn knows_text(&self) -> bool {
        matches!(self.over, OverlayState::Text(_))
    }

    /// Whether it is the one that is wanted.
    pub(super) fn shows_text(&self) -> bool {
        self.wanted.text.is_some_and(|text| self.over == OverlayState::Text(text))
    }

    /// Nothing lies over the times any more.
    pub(super) fn uncovered(&mut self) {
        self.over = OverlayState::Nothing;
    }

    /// Whether the wanted times are those that the clock has confirmed.
    pub(super) fn is_confirmed(&self) -> bool {
        self.set.is_some() && self.is_set()
    }

    /// A text is sent: until the answer comes nobody knows what is shown, unless it was this.
    pub(super) fn cover(&mut self) {
        if self.wanted.text.is_none_or(|text| self.over != OverlayState::Text(text)) {
            self.over = OverlayState::Perhaps;
        }
    }

    /// A job was given up; it is tried again later.
    pub(super) fn failed(&mut self, at: Mono, job: Job) {
        if job == Job::Text {
            self.over = OverlayState::Perhaps;
        }
        if job == Job::Set {
            self.n_in_vain = self.n_in_vain.saturating_add(1);
        }
        let n_failed = &mut self.n_failed[job.idx()];
        self.held[job.idx()] = at + (BACKOFF * (1 << (*n_failed).min(3))).min(PEACE);
        *n_failed = n_failed.saturating_add(1);
    }

    /// The clock will not be set; it is asked again now and then.
    pub(super) fn refused(&mut self, at: Mono, job: Job) {
        self.is_refused = true;
        self.held[job.idx()] = at + PEACE;
    }

    pub(super) const fn is_refused(&self) -> bool {
        self.is_refused
    }

    fn release(&mut self, job: Job) {
        self.held[job.idx()] = Mono::default();
        self.n_failed[job.idx()] = 0;
        if job == Job::Set {
            self.n_contradicted = 0;
        }
    }

    fn is_set(&self) -> bool {
        self.set.map(|(times, _)| times) == self.wanted.times
    }

    /// Whether the clock was last seen to show other times than are wanted.
    pub(super) fn shows_else(&self, at: Mono) -> bool {
        self.reading.is_some_and(|(_, shown)| !shown.shows(at, &self.wanted))
    }

    /// Whether the clock was lately read, and ran.
    pub(super) fn runs_at(&self, at: Mono) -> bool {
        let runs = |shown: Shown| shown.running == Some(true);
        self.reading.is_some_and(|(read, shown)| runs(shown) && at < read + CURRENT)
    }

    /// Whether readings are believed at `at`.
    pub(super) fn has_taken_effect(&self, at: Mono) -> bool {
        self.set.is_none_or(|(_, set_at)| at >= set_at + TAKES_EFFECT)
    }

    /// A reading has come.
    pub(super) fn read(&mut self, at: Mono, shown: Shown) {
        let before = self.reading.replace((at, shown));
        if shown.shows(at, &self.wanted) {
            self.n_in_vain = 0;
        }
        if before.is_some_and(|(_, before)| before.high != shown.high) && !self.is_refused {
            // A clock that would not run against its lever may run now.
            self.release(Job::Set);
        }
        let Some((times, _)) = self.set.filter(|_| self.is_set() && self.has_taken_effect(at))
        else {
            return;
        };
        let why = contradiction(&times, at, shown);
        // A clock that is off by a little more than may be is so in a part of each second only.
        if why.is_none() && self.against.is_some() && at < self.against_at + CONFIRM {
            return;
        }
        if why.is_some() {
            self.against_at = at;
        }
        match (why, self.against) {
            (None, _) => {
                self.against = None;
                self.n_contradicted = 0;
            }
            (Some(Difference::Lever), _) => self.against = Some((at, Difference::Lever)),
            (Some(why), Some((first, _))) if at >= first + CONFIRM => self.contradicted(at, why),
            (Some(why), None) => self.against = Some((at, why)),
            (Some(why), Some((first, _))) => self.against = Some((first, why)),
        }
    }

    /// The clock shows something else, beyond doubt. What it says of its times holds for its
    /// memory: the text may be lost as well.
    fn contradicted(&mut self, at: Mono, why: Difference) {
        self.set = None;
        self.against = Some((at, why));
        self.over = OverlayState::Perhaps;
        self.icons = None;
        self.n_contradicted += 1;
        self.n_in_vain = self.n_in_vain.saturating_add(1);
        if self.n_contradicted >= N_SETTINGS {
            self.n_contradicted = 0;
            self.held[Job::Set.idx()] = at + PEACE;
        }
    }

    /// Whether the clock is there, is set over and over, and shows something else.
    pub(super) const fn is_defied(&self) -> bool {
        self.n_in_vain >= N_SETTINGS
    }

    /// How the clock differs from what is wanted, as far as is known.
    pub(super) fn difference(&self) -> Option<Difference> {
        if self.wanted.times.is_some() {
            if self.is_refused {
                return Some(Difference::Refused);
            }
            if !self.is_set() {
                return Some(self.against.map_or(Difference::Times, |(_, why)| why));
            }
            if let Some((_, why)) = self.against {
                return Some(why);
            }
            let read_at = self.reading.map_or(Mono::default(), |(at, _)| at);
            if self.set.is_none_or(|(_, at)| read_at < at + TAKES_EFFECT) {
                return Some(Difference::Unread);
            }
        }
        match (self.wanted.text, self.over) {
            (None, OverlayState::Text(_) | OverlayState::Perhaps) => Some(Difference::Text),
            (None, OverlayState::Unknown) if self.wanted.times.is_some() => Some(Difference::Text),
            (Some(text), over) if over != OverlayState::Text(text) => Some(Difference::Text),
            _ => None,
        }
    }
}

/// Whether a reading at `at` speaks against times that were set.
fn contradiction(times: &WantedTimes, at: Mono, shown: Shown) -> Option<Difference> {
    let (left, right) = times.shown(at);
    let runs = |end| times.runs == Runs::Both || times.end() == Some(end);
    let is_off = |end, wanted: u32, shown: u32| {
        let tolerance = if runs(end) { TOLERANCE } else { 0 };
        wanted.abs_diff(shown) > tolerance
    };
    let most = super::clock::SECONDS_MAX;
    if is_off(End::Left, left.min(most), shown.left)
        || is_off(End::Right, right.min(most), shown.right)
    {
        return Some(Difference::Times);
    }
    let should_run = times.runs != Runs::Pause;
    // At zero a clock stops by itself.
    let may_stand =
        (runs(End::Left) && left <= TOLERANCE) || (runs(End::Right) && right <= TOLERANCE);
    if shown.running.is_some_and(|is| is != should_run) && !may_stand {
        return Some(Difference::Running);
    }
    times.end().filter(|end| *end != shown.high).map(|_| Difference::Lever)
}

/// Tells of a difference once, when it has lasted, and of its end.
#[derive(Debug, Copy, Clone, Default)]
pub(super) struct DifferenceWatch {
    since: Option<Mono>,
    has_told: bool,
    is_defied: bool,
}

impl DifferenceWatch {
    pub(super) fn look<C>(
        &mut self,
        at: Mono,
        difference: Option<Difference>,
        is_defied: bool,
        out: &mut Vec<DriverOutput<C>>,
    ) {
        if is_defied && !std::mem::replace(&mut self.is_defied, is_defied) {
            out.push(DriverOutput::Tell(ClockNews::Defies));
        }
        self.is_defied = is_defied;
        let Some(difference) = difference else {
            self.since = None;
            if std::mem::take(&mut self.has_told) {
                out.push(DriverOutput::Tell(ClockNews::Agrees));
            }
            return;
        };
        let since = *self.since.get_or_insert(at);
        if !self.has_told && at >= since + DIFFERS_AFTER {
            self.has_told = true;
            out.push(DriverOutput::Tell(ClockNews::Differs(difference)));
        }
    }

    /// Something else is wanted. Where the last settings only waited to be read, the waiting begins
    /// anew; else players who press every few seconds would look like a fault.
    pub(super) fn restart(&mut self, difference: Option<Difference>) {
        if difference == Some(Difference::Unread) && !self.has_told {
            self.since = None;
        }
    }

    pub(super) fn wake_at(&self) -> Option<Mono> {
        self.since.filter(|_| !self.has_told).map(|since| since + DIFFERS_AFTER)
    }
}
