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

#[cfg(test)]
mod tests {
    use super::*;

    const RIGHT: u32 = 300;

    const fn ms(ms: u64) -> Mono {
        Mono::from_millis(ms)
    }

    fn times(left: u64, runs: Runs) -> WantedTimes {
        let (left, right) = (Duration::from_secs(left), Duration::from_secs(u64::from(RIGHT)));
        WantedTimes { left, right, runs, turns_by_lever: false, since: Mono::default() }
    }

    /// A clock that shall stand at so many seconds.
    fn stands(left: u64) -> Wanted {
        Wanted { times: Some(times(left, Runs::Pause)), ..Wanted::default() }
    }

    fn text(words: &str) -> Option<ClockText> {
        Some(ClockText::plain(words))
    }

    /// A clock that stands at so many seconds.
    const fn shown(left: u32) -> Shown {
        Shown { left, right: RIGHT, running: Some(false), high: End::Left }
    }

    fn due(agenda: &Agenda, job: Job) -> Option<Mono> {
        agenda.moment(job, |_| Some(Mono::default()))
    }

    fn wanting(wanted: Wanted) -> Agenda {
        let mut agenda = Agenda::default();
        agenda.want(wanted);
        agenda
    }

    /// The clock is set at `at`, answers that all is well, and shows something else. When that is
    /// beyond doubt.
    fn in_vain(agenda: &mut Agenda, at: Mono) -> Mono {
        let wanted = *agenda.wanted();
        agenda.done(at, Job::Set, &wanted);
        agenda.read(at + TAKES_EFFECT, shown(7));
        assert_eq!(due(agenda, Job::Set), None, "one reading proves nothing");
        let proven = at + TAKES_EFFECT + CONFIRM;
        agenda.read(proven, shown(7));
        assert!(due(agenda, Job::Set).is_some());
        proven
    }

    #[test]
    fn a_clock_is_left_in_peace_after_three_settings_in_vain() {
        let (mut agenda, mut at) = (wanting(stands(60)), ms(1_000));
        for round in 0..3 {
            for n in 1..=N_SETTINGS {
                at = in_vain(&mut agenda, at);
                let again = due(&agenda, Job::Set).expect("it is still wanted");
                let is_last = n == N_SETTINGS;
                assert_eq!(again > at, is_last, "round {round}, setting {n}");
                assert_eq!(again == at + PEACE, is_last, "round {round}, setting {n}");
            }
            at = at + PEACE;
        }
        // New times are worth a new attempt at once, and so many more.
        for n in 0..N_SETTINGS {
            agenda.want(stands(61 + u64::from(n)));
            assert!(due(&agenda, Job::Set).is_some_and(|due| due <= at));
            at = in_vain(&mut agenda, at);
        }
        assert!(due(&agenda, Job::Set).is_some_and(|due| due <= at), "one attempt for each");
    }

    /// Settings in vain count until the clock shows what was wanted.
    #[test]
    fn a_clock_that_obeys_now_and_then_does_not_defy() {
        let (mut agenda, mut at) = (wanting(stands(60)), ms(1_000));
        for _ in 0..4 {
            for _ in 1..N_SETTINGS {
                at = in_vain(&mut agenda, at);
                assert!(!agenda.is_defied());
            }
            let wanted = *agenda.wanted();
            agenda.done(at, Job::Set, &wanted);
            at = at + TAKES_EFFECT + CONFIRM;
            agenda.read(at, shown(60));
            assert_eq!(due(&agenda, Job::Set), None);
        }
        for _ in 0..N_SETTINGS {
            assert!(!agenda.is_defied());
            at = in_vain(&mut agenda, at);
        }
        assert!(agenda.is_defied());
        agenda.read(at, shown(60));
        assert!(!agenda.is_defied());
    }

    #[test]
    fn only_what_is_new_is_worth_an_attempt_before_its_time() {
        let mut agenda = wanting(Wanted { text: text("e2e4"), ..stands(60) });
        let at = ms(1_000);
        for job in [Job::Set, Job::Text] {
            agenda.failed(at, job);
        }
        let is_held = |agenda: &Agenda, job| due(agenda, job) == Some(at + BACKOFF);
        assert!(is_held(&agenda, Job::Set) && is_held(&agenda, Job::Text));
        agenda.want(*agenda.wanted());
        assert!(is_held(&agenda, Job::Set) && is_held(&agenda, Job::Text), "the same once more");
        agenda.want(Wanted { text: text("e2e4"), ..stands(61) });
        assert!(!is_held(&agenda, Job::Set) && is_held(&agenda, Job::Text), "other times");
        agenda.failed(at, Job::Set);
        agenda.want(Wanted { text: text("e7e5"), ..stands(61) });
        assert!(is_held(&agenda, Job::Set) && !is_held(&agenda, Job::Text), "another text");
        agenda.failed(at, Job::EndText);
        agenda.want(stands(61));
        assert!(is_held(&agenda, Job::Set) && !is_held(&agenda, Job::EndText), "no text");
    }

    #[test]
    fn who_will_not_be_set_is_asked_now_and_then_whatever_is_wanted() {
        let (mut agenda, at) = (wanting(stands(60)), ms(1_000));
        agenda.refused(at, Job::Set);
        agenda.want(stands(61));
        agenda.read(at, shown(7));
        agenda.read(at, Shown { high: End::Right, ..shown(7) });
        assert_eq!(due(&agenda, Job::Set), Some(at + PEACE));
        assert_eq!(agenda.difference(), Some(Difference::Refused));
        agenda.done(at + PEACE, Job::Set, &stands(61));
        assert!(!agenda.is_refused());
    }

    #[test]
    fn a_lever_that_turns_is_worth_a_new_attempt() {
        let (mut agenda, at) = (wanting(stands(60)), ms(1_000));
        agenda.read(at, shown(7));
        agenda.failed(at, Job::Set);
        agenda.read(at, shown(8));
        assert_eq!(due(&agenda, Job::Set), Some(at + BACKOFF));
        agenda.read(at, Shown { high: End::Right, ..shown(8) });
        assert_eq!(due(&agenda, Job::Set), Some(Mono::default()));
    }

    #[test]
    fn what_fails_is_tried_ever_less_often() {
        let (mut agenda, at) = (wanting(stands(60)), ms(1_000));
        let mut waits = Vec::new();
        for _ in 0..6 {
            agenda.failed(at, Job::Set);
            waits.push(due(&agenda, Job::Set).expect("it is wanted").since(at).as_secs());
        }
        assert_eq!(waits, [4, 8, 16, 30, 30, 30]);
        agenda.done(at, Job::Set, &stands(61));
        agenda.failed(at, Job::Set);
        assert_eq!(due(&agenda, Job::Set), Some(at + BACKOFF), "it was done meanwhile");
        assert!(agenda.is_defied(), "settings that were never answered are in vain too");
    }

    /// How a clock differs is told as it was read last: it may have stood at first, and show other
    /// times by now.
    #[test]
    fn a_difference_is_that_of_the_last_reading() {
        let wanted = Wanted { times: Some(times(60, Runs::Left)), ..Wanted::default() };
        let (stands, is_off) = (shown(60), Shown { running: Some(true), ..shown(7) });
        for is_proven in [false, true] {
            let mut agenda = wanting(wanted);
            agenda.done(Mono::default(), Job::Set, &wanted);
            assert_eq!(agenda.difference(), Some(Difference::Unread));
            let at = Mono::default() + TAKES_EFFECT;
            agenda.read(at, Shown { left: 58, ..stands });
            assert_eq!(agenda.difference(), Some(Difference::Running));
            agenda.read(at + if is_proven { CONFIRM } else { CONFIRM / 2 }, is_off);
            assert_eq!(agenda.difference(), Some(Difference::Times));
            assert_eq!(due(&agenda, Job::Set).is_some(), is_proven);
        }
    }

    #[test]
    fn readings_of_before_a_setting_took_effect_say_nothing() {
        let mut agenda = wanting(stands(60));
        assert_eq!(agenda.difference(), Some(Difference::Times));
        agenda.done(ms(1_000), Job::Set, &stands(60));
        agenda.read(ms(3_499), shown(7));
        assert_eq!(agenda.difference(), Some(Difference::Unread));
        agenda.read(ms(3_500), shown(60));
        assert_eq!(agenda.difference(), Some(Difference::Text), "nobody has ended a text");
        agenda.done(ms(3_500), Job::EndText, &stands(60));
        assert_eq!(agenda.difference(), None);
    }

    /// Seconds of the two clocks begin at different moments, so one that is off by a little too
    /// much agrees in a part of each second.
    #[test]
    fn one_good_reading_among_bad_ones_takes_nothing_back() {
        let mut agenda = wanting(stands(60));
        agenda.done(Mono::default(), Job::Set, &stands(60));
        agenda.read(ms(3_000), shown(7));
        agenda.read(ms(3_900), shown(60));
        assert_eq!(agenda.difference(), Some(Difference::Times));
        agenda.read(ms(4_000), shown(7));
        assert!(due(&agenda, Job::Set).is_some());
        agenda.done(ms(5_000), Job::Set, &stands(60));
        agenda.read(ms(8_000), shown(7));
        agenda.read(ms(9_000), shown(60));
        assert_eq!((agenda.difference(), due(&agenda, Job::Set)), (Some(Difference::Text), None));
    }

    /// Some clocks run nothing against their lever; only a hand can mend that.
    #[test]
    fn a_lever_that_stands_against_the_times_is_no_reason_to_set_them() {
        let wanted = Wanted { times: Some(times(60, Runs::Right)), ..Wanted::default() };
        let mut agenda = wanting(wanted);
        agenda.done(Mono::default(), Job::Set, &wanted);
        for n in 3..20 {
            let right = RIGHT - u32::try_from(n).expect("a few");
            agenda.read(ms(n * 1_000), Shown { right, running: Some(true), ..shown(60) });
            assert_eq!(agenda.difference(), Some(Difference::Lever));
            assert_eq!(due(&agenda, Job::Set), None);
        }
        assert!(!agenda.is_defied());
    }

    #[test]
    fn a_clock_is_looked_at_more_often_while_it_contradicts() {
        let mut agenda = wanting(stands(60));
        assert_eq!(due(&agenda, Job::Look), None, "it was never set");
        agenda.done(ms(1_000), Job::Set, &stands(60));
        let believed = ms(1_000) + TAKES_EFFECT;
        assert_eq!(due(&agenda, Job::Look), Some(believed));
        agenda.done(believed, Job::Look, &Wanted::default());
        assert_eq!(due(&agenda, Job::Look), Some(believed + LOOK_GAP));
        agenda.read(ms(5_000), shown(60));
        assert_eq!(due(&agenda, Job::Look), Some(ms(5_000) + LOOK_EVERY));
        agenda.read(ms(9_000), shown(7));
        assert_eq!(due(&agenda, Job::Look), Some(ms(9_000) + CONFIRM));
        agenda.want(stands(61));
        assert_eq!(due(&agenda, Job::Look), None, "it is to be set first");
    }

    #[test]
    fn a_text_is_said_again_now_and_then_and_at_once_where_it_may_be_gone() {
        let wanted = Wanted { text: text("e2e4"), ..stands(60) };
        let mut agenda = wanting(wanted);
        assert_eq!(agenda.difference(), Some(Difference::Times));
        agenda.done(ms(1_000), Job::Set, &wanted);
        agenda.done(ms(1_100), Job::Text, &wanted);
        assert!(agenda.knows_text() && agenda.shows_text());
        assert_eq!(due(&agenda, Job::Text), Some(ms(1_100) + TEXT_EVERY));
        agenda.cover();
        assert!(agenda.shows_text(), "the same text leaves no doubt");
        let now = Some(Mono::default());
        // Some clocks lose half of a text when they are set.
        agenda.done(ms(2_000), Job::Set, &wanted);
        assert_eq!((due(&agenda, Job::Text), agenda.shows_text()), (now, false));
        agenda.done(ms(2_100), Job::Text, &wanted);
        // What a clock has forgotten of its times it has of its text.
        in_vain(&mut agenda, ms(3_000));
        assert_eq!(due(&agenda, Job::Text), now);
        agenda.done(ms(7_000), Job::Text, &wanted);
        agenda.failed(ms(8_000), Job::Text);
        assert_eq!(due(&agenda, Job::Text), Some(ms(8_000) + BACKOFF));
        assert!(!agenda.knows_text());
        // Of another one nobody knows what is shown until it is answered.
        agenda.done(ms(20_000), Job::Text, &wanted);
        agenda.want(Wanted { text: text("e7e5"), ..wanted });
        assert!(agenda.knows_text() && !agenda.shows_text());
        agenda.cover();
        assert!(!agenda.knows_text() && !agenda.is_bare());
        agenda.want(Wanted { text: None, ..wanted });
        assert_eq!((due(&agenda, Job::Text), due(&agenda, Job::EndText)), (None, now));
        agenda.done(ms(21_000), Job::EndText, &stands(60));
        assert_eq!((due(&agenda, Job::EndText), agenda.is_bare()), (None, true));
    }

    #[test]
    fn who_is_not_driven_and_shows_no_text_of_ours_is_left_alone() {
        let mut agenda = Agenda::default();
        assert_eq!(agenda.wake_at(|_| Some(Mono::default())), None);
        assert_eq!(agenda.difference(), None);
        agenda.want(Wanted { text: text("1-0"), ..Wanted::default() });
        assert_eq!(agenda.next(Mono::default(), |_| Some(Mono::default())), Some(Job::Text));
        assert_eq!(agenda.difference(), Some(Difference::Text));
    }

    #[test]
    fn icons_are_said_again_after_each_setting() {
        let icons = Some(Icons { left: 1, ..Icons::default() });
        let wanted = Wanted { icons, ..stands(60) };
        for job in [Job::Set, Job::Step] {
            let mut agenda = wanting(wanted);
            agenda.done(ms(1_000), Job::Icons, &wanted);
            assert_eq!(due(&agenda, Job::Icons), None);
            agenda.done(ms(2_000), job, &wanted);
            assert_eq!(due(&agenda, Job::Icons), Some(Mono::default()), "{job:?}");
        }
    }

    #[test]
    fn beeps_that_nobody_can_sound_are_not_collected() {
        let mut agenda = Agenda::default();
        for units in 1..=6 {
            agenda.beep(units);
        }
        // A clock that starts anew has not sounded them.
        agenda.forget();
        let mut sounded = Vec::new();
        while let Some(units) = agenda.next_beep() {
            sounded.push(units);
            agenda.done(Mono::default(), Job::Beep, &Wanted::default());
        }
        assert_eq!(sounded, [1, 2, 3, 4]);
    }

    #[test]
    fn readings_speak_against_times_as_the_table_says() {
        use Difference::{Lever, Running, Times};
        let (left, right) = (End::Left, End::Right);
        let (off, on) = (Some(false), Some(true));
        let most = crate::wire::clock::SECONDS_MAX;
        // Runs, left wanted; what is shown left, right, whether it runs and its lever.
        let rows = [
            (Runs::Pause, 60, (60, RIGHT, off, right), None),
            (Runs::Pause, 60, (61, RIGHT, off, right), Some(Times)),
            (Runs::Pause, 60, (60, RIGHT - 1, off, right), Some(Times)),
            (Runs::Pause, 60, (60, RIGHT, on, left), Some(Running)),
            (Runs::Pause, 60, (60, RIGHT, None, left), None),
            (Runs::Pause, u64::from(most) + 9, (most, RIGHT, off, left), None),
            (Runs::Left, 60, (57, RIGHT, on, left), None),
            (Runs::Left, 60, (63, RIGHT, on, left), None),
            (Runs::Left, 60, (56, RIGHT, on, left), Some(Times)),
            (Runs::Left, 60, (60, RIGHT + 1, on, left), Some(Times)),
            (Runs::Left, 60, (60, RIGHT, off, left), Some(Running)),
            (Runs::Left, 60, (60, RIGHT, on, right), Some(Lever)),
            (Runs::Right, 60, (60, RIGHT - 3, on, right), None),
            (Runs::Right, 60, (59, RIGHT, on, right), Some(Times)),
            (Runs::Both, 60, (58, RIGHT - 2, on, right), None),
            // At zero a clock stops by itself.
            (Runs::Left, 3, (0, RIGHT, off, left), None),
            (Runs::Left, 4, (1, RIGHT, off, left), Some(Running)),
            (Runs::Right, 3, (3, RIGHT, off, right), Some(Running)),
        ];
        for (runs, wanted, (left, right, running, high), expected) in rows {
            let shown = Shown { left, right, running, high };
            let found = contradiction(&times(wanted, runs), Mono::default(), shown);
            assert_eq!(found, expected, "{runs:?} {wanted}: {shown:?}");
            let wanted = Wanted { times: Some(times(wanted, runs)), ..Wanted::default() };
            let shows = matches!(expected, None | Some(Lever));
            assert_eq!(shown.shows(Mono::default(), &wanted), shows);
        }
    }

    /// Looks every second, from the first on: what is told, and in which second.
    fn told(looks: impl IntoIterator<Item = (Option<Difference>, bool)>) -> Vec<(u64, ClockNews)> {
        let (mut watch, mut told) = (DifferenceWatch::default(), Vec::new());
        for (second, (difference, is_defied)) in (1..).zip(looks) {
            let mut out = Vec::<DriverOutput<()>>::new();
            watch.look(ms(second * 1_000), difference, is_defied, &mut out);
            for act in out {
                let DriverOutput::Tell(news) = act else { panic!("{act:?}") };
                told.push((second, news));
            }
        }
        told
    }

    #[test]
    fn a_difference_is_told_once_it_has_lasted_and_so_is_its_end() {
        let (differs, agrees) = ((Some(Difference::Times), false), (None, false));
        let looks = |n, it| std::iter::repeat_n(it, n);
        let short = looks(10, differs).chain(looks(1, agrees)).chain(looks(10, differs));
        assert_eq!(told(short), [], "ten seconds each, not one after the other");
        let long = looks(30, differs).chain(looks(5, agrees)).chain(looks(12, differs));
        let expected = [
            (11, ClockNews::Differs(Difference::Times)),
            (31, ClockNews::Agrees),
            (46, ClockNews::Differs(Difference::Times)),
        ];
        assert_eq!(told(long), expected);
    }

    #[test]
    fn a_clock_that_defies_is_told_of_each_time_it_begins_to() {
        let looks = [false, true, true, false, false, true, true].map(|is| (None, is));
        assert_eq!(told(looks), [(2, ClockNews::Defies), (6, ClockNews::Defies)]);
    }

    #[test]
    fn only_what_waits_to_be_read_waits_anew_with_each_wish() {
        let expected = [(Difference::Unread, ms(19_000)), (Difference::Times, ms(11_000))];
        for (difference, wakes) in expected {
            let (mut watch, mut out) = (DifferenceWatch::default(), Vec::<DriverOutput<()>>::new());
            watch.look(ms(1_000), Some(difference), false, &mut out);
            watch.restart(Some(difference));
            watch.look(ms(9_000), Some(difference), false, &mut out);
            assert_eq!(watch.wake_at(), Some(wakes));
            watch.look(wakes, Some(difference), false, &mut out);
            assert_eq!((out.len(), watch.wake_at()), (1, None));
            watch.restart(Some(difference));
            watch.look(ms(60_000), Some(difference), false, &mut out);
            assert_eq!((out.len(), watch.wake_at()), (1, None), "it was told already");
        }
    }
}
