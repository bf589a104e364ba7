//! The board's own memory: when it is asked for, and how it is joined to the record.
//!
//! A board remembers every change in its order, also while nobody listens. To read that takes
//! seconds in which nothing else comes over the line, so it is asked for rarely, only to decide
//! what was missed, and when the board is still. Until then a copy of the tracker is kept as it was
//! when the board was last read and found as believed; that copy sees what the board remembers and
//! takes the place of the one that had to guess.

use super::timers::Timer;
use super::{Cx, Recorder};
use crate::game::entry::{Fact, LinkState};
use crate::game::play::{Play, Remembered};
use crate::game::settings::ClockRole;
use crate::laws::{Finding, FindingKind};
use crate::table::{Reading, Times};
use crate::time::Mono;
use crate::track::memory::{self, Joint, PriorPresses};
use crate::track::{Recalled, Step, Tracker};
use std::collections::VecDeque;
use std::time::Duration;

/// The board must have been still this long to be asked while the clock runs.
const STILL: Duration = Duration::from_millis(1_500);
/// Between two questions, at least, while the game is on.
const EVERY: Duration = Duration::from_secs(60);
/// The same while the clock is stopped, when nothing is kept waiting.
const EVERY_AT_REST: Duration = Duration::from_secs(15);
/// The same of a memory that is at hand.
const EVERY_AT_HAND: Duration = Duration::from_secs(5);
/// A log that has not come after this long will not come. Source: protocol 1.5.
const ANSWER_MAX: Duration = Duration::from_secs(15);
/// What a board was about to say when it was asked has come by then. Ours.
const UNDER_WAY: Duration = Duration::from_secs(1);
/// Questions without an answer after which a board counts as one without a memory.
const TRIES_MAX: u32 = 2;
/// Changes and presses that are kept at the most until the memory is read.
const HEARD_MAX: usize = 2_000;

/// Changes that are kept to tell moments apart that look alike: those of some six moves.
const RECENT_MAX: usize = 24;

/// What is kept so that the board's memory can be joined to the record.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    base: Option<Base>,
    /// Changes and presses since then, as they were heard.
    heard: Vec<(Mono, Step)>,
    /// How many of these were heard before any were missed, where that is known.
    n_whole: Option<usize>,
    /// The last changes that were heard while the line was whole, oldest first.
    recent: VecDeque<Step>,
    /// What was missed since then and is not decided.
    missed: Option<Missed>,
    asked: Option<Mono>,
    last_asked: Option<Mono>,
    n_unanswered: u32,
    /// When the clock was stopped: what came later is no play.
    stopped: Option<Stop>,
    /// A log that has come; the next picture shows what else has happened by then.
    told: Option<BoardLog>,
}

/// A log of the board.
#[derive(Clone, Debug)]
struct BoardLog {
    steps: Vec<Recalled>,
    /// How much had been heard since the base when it came.
    n_heard: usize,
}

/// A picture of the whole board beside what was believed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum PictureCheck {
    /// It is the same.
    AsBelieved,
    /// It differs: messages were lost.
    Different,
    /// It differs, after a time in which none came.
    AfterGap,
}

/// When the clock was stopped.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Stop {
    /// The clock was stopped at this time.
    At(Mono),
    /// While the line was down: at some time after the last press.
    Unseen,
}

/// What was missed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Missed {
    /// A change here or there, while the line was whole.
    Changes,
    /// All that happened for a while.
    Span,
}

/// The last moment at which the board was read as a whole and was as believed.
#[derive(Clone, Debug)]
struct Base {
    at: Mono,
    tracker: Tracker,
    /// The last changes that were heard before.
    before: Vec<Step>,
    shown: Option<Times>,
    /// No press had been heard in this game.
    is_unpressed: bool,
}

/// What a daemon that is gone had seen of the board.
pub(in crate::game) struct Legacy {
    /// What it believed, with its own times; not known if its record does not tell.
    pub(in crate::game) followed: Option<Tracker>,
    /// When it put something on record for the last time.
    pub(in crate::game) until: Mono,
    /// The last changes of the sensors, oldest first.
    pub(in crate::game) sensed: VecDeque<Step>,
}

impl Memory {
    /// A change or a press was heard.
    pub(super) fn hear(&mut self, at: Mono, step: Step) {
        if let Step::Sensed { .. } = step {
            if self.recent.len() == RECENT_MAX {
                self.recent.pop_front();
            }
            self.recent.push_back(step.clone());
        }
        if self.base.is_some() {
            self.heard.push((at, step));
        }
        if self.heard.len() > HEARD_MAX {
            self.forget();
        }
    }

    /// What was kept is of no use any more: the game does not go on from there.
    pub(super) fn forget(&mut self) {
        *self = Self {
            asked: self.asked,
            last_asked: self.last_asked,
            n_unanswered: self.n_unanswered,
            recent: std::mem::take(&mut self.recent),
            ..Self::default()
        };
    }

    /// The game is over, and nothing of it was missed: what the board remembers of later is none.
    pub(super) fn forget_play(&mut self) {
        if self.missed.is_none() {
            self.forget();
        }
    }

    /// It is another board.
    pub(super) fn forget_board(&mut self) {
        self.recent.clear();
        self.forget();
    }

    /// What was heard since something was missed came from another board.
    pub(super) fn drop_missed(&mut self) {
        let n_whole = self.n_whole.unwrap_or(self.heard.len());
        self.heard.truncate(n_whole);
        self.recent.clear();
        (self.asked, self.told) = (None, None);
    }

    /// The line is gone, and with it any answer.
    pub(super) fn link_down(&mut self) {
        self.asked = None;
        self.recent.clear();
    }

    /// What happens from now on is not heard.
    pub(super) fn begin_silence(&mut self) {
        self.n_whole.get_or_insert(self.heard.len());
    }

    /// The clock was stopped.
    pub(super) fn stop(&mut self, at: Mono) {
        self.stopped.get_or_insert(Stop::At(at));
    }

    /// The clock was stopped while the line was down.
    pub(super) fn stop_unseen(&mut self) {
        self.stopped.get_or_insert(Stop::Unseen);
    }

    /// The clock runs again. If anything was moved meanwhile, the memory tells no longer what was
    /// play and what was not.
    pub(super) fn resume(&mut self) {
        let stopped = self.stopped.take();
        let is_later = |at: Mono| match stopped {
            Some(Stop::At(stopped)) => at > stopped,
            Some(Stop::Unseen) => true,
            None => false,
        };
        if self.heard.last().is_some_and(|(at, _)| is_later(*at)) {
            self.forget();
        }
    }
}

impl Recorder {
    /// The board was read as a whole, perhaps after a gap. It was as believed, or something had
    /// been missed.
    pub(super) fn note_picture(&mut self, cx: &mut Cx<'_>, now: Mono, picture: PictureCheck) {
        let told = self.memory.told.take();
        if self.is_noise() {
            // A log is too long to come through.
            return;
        }
        if let Some(log) = told {
            self.join_memory(cx, now, &log);
        }
        if cx.clock.is_interrupted() {
            // Only the memory can tell what was play before the clock was stopped unseen.
            if picture == PictureCheck::AfterGap && self.memory.stopped == Some(Stop::Unseen) {
                self.memory.missed = self.memory.base.as_ref().map(|_| Missed::Span);
                self.await_memory(cx, now);
            }
            return;
        }
        let missed = match picture {
            PictureCheck::AsBelieved if self.is_silent() => Some(Missed::Span),
            PictureCheck::AsBelieved => None,
            PictureCheck::Different => Some(Missed::Changes),
            PictureCheck::AfterGap => Some(Missed::Span),
        };
        if self.memory.base.is_some() && self.memory.missed != Some(Missed::Span) {
            self.memory.missed = missed.or(self.memory.missed);
        }
        if self.memory.missed.is_some() {
            self.await_memory(cx, now);
        } else if missed.is_none() {
            self.remember_base(cx, now);
        }
    }

    /// Everything up to now is known: the memory will be wanted from here on.
    fn remember_base(&mut self, cx: &mut Cx<'_>, now: Mono) {
        let Some(play) = self.play.as_ref().filter(|play| !play.is_over()) else {
            return;
        };
        let shown = play.shown_last().or(cx.clock.times());
        let (tracker, is_unpressed) = (play.tracker().clone(), !play.is_pressed());
        let before = self.memory.recent.iter().cloned().collect();
        let base = Base { at: now, tracker, before, shown, is_unpressed };
        self.memory.forget();
        self.memory.base = Some(base);
    }

    /// The game goes on at `begins` from what is on record: what the board remembers since that is
    /// wanted.
    pub(in crate::game) fn recover_base(&mut self, cx: &mut Cx<'_>, begins: Mono, legacy: Legacy) {
        let Legacy { followed, until, mut sensed } = legacy;
        sensed.drain(..sensed.len().saturating_sub(RECENT_MAX));
        self.memory.recent = sensed;
        self.remember_base(cx, begins);
        if let (Some(base), Some(tracker)) = (&mut self.memory.base, followed) {
            (base.at, base.tracker) = (until, tracker);
        }
    }

    fn await_memory(&mut self, cx: &Cx<'_>, now: Mono) {
        if !self.timers.is_set(Timer::Memory) {
            self.timers.set(Timer::Memory, now + self.stillness(cx));
        }
    }

    /// How long the board must have been still to be asked. A memory that is at hand keeps nothing
    /// waiting, but whether a single change was missed is seen a while later.
    fn stillness(&self, cx: &Cx<'_>) -> Duration {
        let is_at_hand = cx.board.has_memory_at_hand() && self.memory.missed == Some(Missed::Span);
        if is_at_hand { Duration::ZERO } else { STILL }
    }

    /// Whether something was missed that the board's memory may yet tell.
    pub(in crate::game) fn awaits_memory(&self) -> bool {
        let is_wanted = self.memory.missed.is_some() && self.memory.base.is_some();
        is_wanted && self.link == LinkState::Live && !self.is_away()
    }

    /// Whether the board is telling its memory: until it has, it says nothing of how it stands now.
    /// One of which anything else is heard meanwhile has none to tell.
    pub(super) fn is_telling_memory(&self, cx: &Cx<'_>) -> bool {
        let heard = self.last_change().unwrap_or_default().max(cx.clock.read_at());
        let is_deaf = |asked: Mono| heard <= asked + UNDER_WAY;
        self.memory.asked.is_some_and(is_deaf) || self.memory.told.is_some()
    }

    /// Asks for the memory if it is wanted and nothing is kept waiting by that.
    pub(super) fn ask_memory(&mut self, cx: &mut Cx<'_>, now: Mono) {
        if let Some(asked) = self.memory.asked.filter(|asked| now.since(*asked) >= ANSWER_MAX) {
            self.memory.last_asked = Some(asked);
            self.memory.asked = None;
            self.memory.n_unanswered += 1;
        }
        // What takes seconds to tell does not come through noise.
        let may_ask = cx.board.has_memory() && !cx.board.is_noisy(now) && !self.is_away();
        let Some(missed) = self.memory.missed.filter(|_| may_ask) else { return };
        let is_at_rest = cx.clock.is_interrupted();
        let is_at_hand = cx.board.has_memory_at_hand();
        let every = match is_at_rest {
            _ if is_at_hand => EVERY_AT_HAND,
            true => EVERY_AT_REST,
            false => EVERY,
        };
        let rested = self.memory.last_asked.map_or(now, |last| last + every);
        let stirred = self.last_change().unwrap_or_default();
        let heard = self.memory.heard.last().map_or(stirred, |(at, _)| *at);
        let still = stirred.max(heard) + self.stillness(cx);
        let due = if is_at_rest { rested } else { rested.max(still) };
        let is_told = now >= still && self.memory.asked.is_none() && !self.is_doubtful(missed);
        if is_told || self.memory.n_unanswered >= TRIES_MAX {
            self.memory.missed = None;
            return;
        }
        // Seconds of reading for a game that gives way to the next one would cost that its moves.
        let is_kept = self.memory.asked.is_some()
            || self.watch.has_suspect()
            || self.timers.is_set(Timer::Restart);
        if is_kept || due > now || !self.may_be_deaf(cx) {
            self.timers.set(Timer::Memory, due.max(now + STILL));
        } else if cx.board.want_memory(now) {
            self.memory.asked = Some(now);
            self.memory.last_asked = Some(now);
            self.timers.set(Timer::Memory, now + ANSWER_MAX);
        }
    }

    /// Whether seconds may pass in which no press is heard. A clock that runs by itself turns all
    /// the same; one that we drive would go on taking the time of him who has pressed.
    fn may_be_deaf(&self, cx: &Cx<'_>) -> bool {
        match cx.settings.clock_role {
            _ if cx.board.has_memory_at_hand() => true,
            ClockRole::Read | ClockRole::Own => true,
            ClockRole::Driven => !cx.clock.is_running() || self.is_over(),
        }
    }

    /// Whether the record leaves open what was played since something was missed.
    fn is_doubtful(&self, missed: Missed) -> bool {
        let (Some(play), Some(base)) = (&self.play, &self.memory.base) else { return false };
        if self.is_silent() {
            return true;
        }
        let n_before = base.tracker.n_settled() + base.tracker.best().n_standing();
        let n_new = play.sheet().len().saturating_sub(n_before);
        let Some(from) = play.joins_at(&base.tracker) else { return false };
        if play.sheet().gaps().iter().any(|gap| gap.ply >= from) {
            return true;
        }
        match missed {
            Missed::Span if self.memory.stopped == Some(Stop::Unseen) => true,
            Missed::Span if n_new > 1 => true,
            Missed::Span | Missed::Changes => play.is_doubted_since(n_before),
        }
    }

    /// The board has told what it remembers. What was done meanwhile comes now, all at once and
    /// without its times; the picture that is asked for here comes after it.
    pub(in crate::game) fn on_remembered(
        &mut self,
        cx: &mut Cx<'_>,
        now: Mono,
        steps: Vec<Recalled>,
    ) {
        if self.is_away() {
            // It is another game's.
            return;
        }
        let asked = self.memory.asked.take();
        self.memory.n_unanswered = 0;
        cx.board.want_picture(now);
        if self.memory.missed.is_some() {
            let n_heard = self.memory.heard.len();
            self.memory.told = Some(BoardLog { steps, n_heard });
        }
        self.begin_reading(cx, asked.unwrap_or(now));
    }

    fn join_memory(&mut self, cx: &mut Cx<'_>, now: Mono, log: &BoardLog) {
        let (Some(play), Some(base)) = (&self.play, &self.memory.base) else { return };
        let (heard, later) = self.memory.heard.split_at(log.n_heard);
        let mut recalled = log.steps.clone();
        recalled.extend(untimed(later));
        let clocks = match base.shown {
            _ if base.is_unpressed => PriorPresses::Unpressed,
            Some(times) => PriorPresses::Shown([times.white, times.black]),
            None => PriorPresses::Unknown,
        };
        let joint = Joint { seen: base.tracker.seen(), clocks, before: &base.before, heard };
        match memory::join(&recalled, &joint, play.tracker().seen()) {
            Ok(from) => {
                let span = &recalled[from..];
                let n_whole = self.memory.n_whole.unwrap_or_default();
                let steps = memory::align(span, heard, n_whole, base.at, now);
                self.recall(cx, now, &steps, log.n_heard);
            }
            Err(_) => self.set_memory_aside(cx, now, log.n_heard),
        }
    }

    fn recall(&mut self, cx: &mut Cx<'_>, now: Mono, steps: &[(Mono, Step)], n_heard: usize) {
        let Some(base) = self.memory.base.take() else { return };
        let last_press = steps.iter().rev().find(|(_, step)| matches!(step, Step::Pressed { .. }));
        let stopped = self.memory.stopped.map(|stopped| match stopped {
            Stop::At(at) => at,
            Stop::Unseen => last_press.map_or(base.at, |(at, _)| *at),
        });
        let Base { tracker, shown, .. } = base;
        let remembers = Remembered { base: tracker, steps, stopped, shown, must_explain: false };
        if !self.recall_from(cx, now, remembers) {
            self.set_memory_aside(cx, now, n_heard);
        }
    }

    /// Takes what is remembered for what happened. False if that does not lead to the board.
    fn recall_from(&mut self, cx: &mut Cx<'_>, now: Mono, remembers: Remembered<'_>) -> bool {
        let Some(play) = &mut self.play else { return false };
        let fits = play.recall(now, remembers, cx.facts);
        if fits {
            self.forget_silence();
            self.memory.forget();
            // What a press had been for was looked at without what is known now.
            self.watch.pressed = None;
            self.rejudge(cx, now);
        }
        fits
    }

    /// The memory tells nothing. What was heard after it came is taken for itself, if all was
    /// explained when the board was asked, and is by that: moves must not hide what is not.
    fn set_memory_aside(&mut self, cx: &mut Cx<'_>, now: Mono, n_heard: usize) {
        let later = self.memory.heard.split_off(n_heard.min(self.memory.heard.len()));
        self.memory.forget();
        let kind = FindingKind::MemorySetAside;
        cx.facts.push(Fact::Found(Finding { kind, by: None }));
        let read = self.read_since().filter(|(_, base)| base.bare_difference().is_empty());
        let Some((asked, base)) = read else { return };
        let steps = memory::align(&untimed(&later), &[], 0, asked, now);
        let shown = self.play.as_ref().and_then(Play::shown_last);
        let remembers =
            Remembered { base, steps: &steps, stopped: None, shown, must_explain: true };
        self.recall_from(cx, now, remembers);
    }
}

/// What came behind a log, all at once: when it was done is not known. Whoever has lifted a piece
/// puts it down soon, and presses; a piece that leaves where it has only just come is slid on.
fn untimed(steps: &[(Mono, Step)]) -> Vec<Recalled> {
    let mut stirred = None;
    let recalled = steps.iter().map(|(_, step)| {
        let (sq, is_lift) = match step {
            Step::Sensed { sq, reading } => (Some(*sq), *reading == Reading::Empty),
            _ => (None, false),
        };
        let before = std::mem::replace(&mut stirred, sq);
        Recalled { step: step.clone(), is_fast: !is_lift || before == sq }
    });
    recalled.collect()
}
