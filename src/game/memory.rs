//! The board's own memory: when it is asked for, and how it is joined to the record.
//!
//! A board remembers every change in its order, also while nobody listens. To read that takes
//! seconds in which nothing else comes over the line, so it is asked for rarely, only to settle
//! what was missed, and when the board is still. Until then a copy of the tracker is kept as it was
//! when the board was last read and found as believed; that copy sees what the board remembers and
//! takes the place of the one that had to guess.

use super::entry::{Fact, LinkState};
use super::machine::{Game, end_of};
use super::timers::Timer;
use super::watch::BOUNCE;
use crate::clock::Times;
use crate::laws::{Finding, FindingKind};
use crate::time::Mono;
use crate::track::memory::{self, Joint};
use crate::track::tracker::GAP_STEP_MAX;
use crate::track::{Misfit, Placement, Reading, Recalled, Step, Tracker};
use crate::wire::{Code, Dump, LogEvent, Orientation, decode_log};
use shakmaty::{Board, Color};
use std::time::Duration;

/// The board must have been still this long to be asked while the clock runs.
const STILL: Duration = Duration::from_millis(1_500);
/// Between two questions, at least, while the game is on.
const EVERY: Duration = Duration::from_secs(60);
/// The same while the clock is stopped, when nothing is kept waiting.
const EVERY_AT_REST: Duration = Duration::from_secs(15);
/// A log that has not come after this long will not come. Source: protocol 1.5.
const ANSWER_MAX: Duration = Duration::from_secs(15);
/// Questions without an answer after which a board counts as one without a memory.
const TRIES_MAX: u32 = 2;
/// Changes and presses that are kept at the most until the memory is read.
const HEARD_MAX: usize = 2_000;

/// What is kept so that the board's memory can be joined to the record.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    base: Option<Base>,
    /// Changes and presses since then, as they were heard.
    heard: Vec<(Mono, Step)>,
    /// Something was missed since then, and is not settled.
    is_wanted: bool,
    asked: Option<Mono>,
    last_asked: Option<Mono>,
    n_unanswered: u32,
    /// When the clock was stopped: what came later is no play.
    stopped: Option<Mono>,
    /// A log that did not end in what was believed; the next picture may tell why.
    unfit: Option<Log>,
}

/// A log, with the moments at which it was asked for and came.
#[derive(Clone, Debug)]
struct Log {
    asked: Mono,
    came: Mono,
    events: Vec<LogEvent>,
}

/// Whether a log is held against what is believed for the first time, or after a picture.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Attempt {
    First,
    Last,
}

/// The last moment at which the board was read as a whole and was as believed.
#[derive(Clone, Debug)]
struct Base {
    at: Mono,
    tracker: Tracker,
    shown: Option<Times>,
}

impl Memory {
    /// A change or a press was heard.
    pub(super) fn hear(&mut self, at: Mono, step: Step) {
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
            ..Self::default()
        };
    }

    /// The line is gone, and with it any answer.
    pub(super) fn link_down(&mut self) {
        self.asked = None;
    }

    /// The clock was stopped.
    pub(super) fn stop(&mut self, at: Mono) {
        self.stopped.get_or_insert(at);
    }
}

impl Game {
    /// The board was read as a whole. It was as believed, or something had been missed.
    pub(super) fn note_picture(&mut self, now: Mono, is_as_believed: bool) {
        if let Some(log) = self.memory.unfit.take() {
            self.join_memory(now, log, Attempt::Last);
        }
        if !is_as_believed && self.memory.base.is_some() && !self.is_interrupted() {
            self.memory.is_wanted = true;
        }
        if self.memory.is_wanted {
            self.await_memory(now);
        } else if is_as_believed && !self.is_interrupted() {
            self.remember_base(now);
        }
    }

    /// Everything up to now is known: the memory will be wanted from here on.
    fn remember_base(&mut self, now: Mono) {
        let Some(play) = self.play.as_ref().filter(|play| play.ending().is_none()) else {
            return;
        };
        let (tracker, shown) = (play.tracker().clone(), play.shown_last());
        self.memory.forget();
        self.memory.base = Some(Base { at: now, tracker, shown });
    }

    /// The game goes on from what is on record: what the board remembers since then is wanted.
    pub(super) fn recover_base(&mut self) {
        self.remember_base(Mono::default());
    }

    fn await_memory(&mut self, now: Mono) {
        if !self.timers.is_set(Timer::Memory) {
            self.timers.set(Timer::Memory, now + STILL);
        }
    }

    /// Whether something was missed that the board's memory may yet tell.
    pub fn awaits_memory(&self) -> bool {
        self.memory.is_wanted && self.memory.base.is_some() && self.link == LinkState::Live
    }

    /// Asks for the memory if it is wanted and nothing is kept waiting by that.
    pub(super) fn ask_memory(&mut self, now: Mono) {
        if let Some(asked) = self.memory.asked.filter(|asked| now.since(*asked) >= ANSWER_MAX) {
            self.memory.last_asked = Some(asked);
            self.memory.asked = None;
            self.memory.n_unanswered += 1;
        }
        if !self.memory.is_wanted || self.memory.n_unanswered >= TRIES_MAX {
            self.memory.is_wanted = false;
            return;
        }
        let every = if self.is_interrupted() { EVERY_AT_REST } else { EVERY };
        let rested = self.memory.last_asked.map_or(now, |last| last + every);
        let stirred = self.last_change().unwrap_or_default();
        let heard = self.memory.heard.last().map_or(stirred, |(at, _)| *at);
        let is_at_rest = self.is_interrupted();
        let due = if is_at_rest { rested } else { rested.max(stirred.max(heard) + STILL) };
        if self.memory.asked.is_some() || due > now || self.watch.has_suspect() {
            self.timers.set(Timer::Memory, due.max(now + STILL));
        } else if self.session.ask_log(now, &mut self.commands) {
            self.memory.asked = Some(now);
            self.memory.last_asked = Some(now);
            self.timers.set(Timer::Memory, now + ANSWER_MAX);
        }
    }

    /// The board has told what it remembers.
    pub(super) fn on_log(&mut self, now: Mono, payload: &[u8]) {
        let asked = self.memory.asked.take();
        self.memory.n_unanswered = 0;
        self.session.want_dump(now, &mut self.commands);
        if self.memory.is_wanted {
            let events = decode_log(payload);
            let log = Log { asked: asked.unwrap_or(now), came: now, events };
            self.join_memory(now, log, Attempt::First);
        }
    }

    fn join_memory(&mut self, now: Mono, log: Log, attempt: Attempt) {
        let (Some(play), Some(base)) = (&self.play, &self.memory.base) else { return };
        let mut recalled = self.recalled(&log.events);
        if attempt == Attempt::Last {
            // What was heard after the log came later than all of it.
            let later = self.memory.heard.iter().filter(|(at, _)| *at > log.came);
            let later = later.map(|(_, step)| Recalled { step: step.clone(), is_fast: false });
            recalled.extend(later);
        }
        let left = base.shown.map(|times| [Some(times.white), Some(times.black)]);
        let joint = Joint { seen: base.tracker.seen(), left: left.unwrap_or_default() };
        match memory::join(&recalled, &joint, play.tracker().seen()) {
            Ok(from) => {
                let span = &recalled[from..];
                let steps = memory::align(span, &self.memory.heard, base.at, log.asked);
                self.recall(now, &steps);
            }
            Err(Misfit::End) if attempt == Attempt::First => self.memory.unfit = Some(log),
            Err(_) => self.set_memory_aside(),
        }
    }

    fn recall(&mut self, now: Mono, steps: &[(Mono, Step)]) {
        let (Some(play), Some(base)) = (&mut self.play, self.memory.base.take()) else { return };
        let stopped = self.memory.stopped;
        let fits = play.recall(now, base.tracker, steps, stopped, base.shown, &mut self.facts);
        if fits {
            self.memory.forget();
            self.rejudge(now);
        } else {
            self.set_memory_aside();
        }
    }

    fn set_memory_aside(&mut self) {
        self.memory.forget();
        let kind = FindingKind::MemorySetAside;
        self.facts.push(Fact::Found(Finding { kind, by: None }));
    }

    /// What the board remembers, in the words of the tracker.
    fn recalled(&self, events: &[LogEvent]) -> Vec<Recalled> {
        let lies = self.orientation.unwrap_or(Orientation::Normal);
        let mut steps: Vec<Recalled> = Vec::new();
        let mut scan = None;
        for event in events {
            if let (LogEvent::Change { field, code, .. }, Some(after)) = (event, scan)
                && *code != Code::Empty
                && after < Some(field.index())
                && let Some(Recalled { step: Step::Found(placement), .. }) = steps.last_mut()
            {
                placement.set(lies.square(*field), reading_of(*code));
                scan = Some(Some(field.index()));
                continue;
            }
            let (step, is_fast) = match *event {
                LogEvent::Change { field, code, fast } => {
                    (Step::Sensed { sq: lies.square(field), reading: reading_of(code) }, fast)
                }
                LogEvent::Time { end, seconds } => {
                    let left = Some(Duration::from_secs(u64::from(seconds)));
                    (Step::Pressed { by: self.clock.color(end_of(end)), left }, false)
                }
                LogEvent::PowerUp | LogEvent::Watchdog => {
                    scan = Some(None);
                    steps.push(Recalled { step: Step::Found(Placement::empty()), is_fast: false });
                    continue;
                }
                LogEvent::EmptyBoard => (Step::Showed(Placement::empty()), true),
                LogEvent::Start(how) => {
                    (Step::Showed(Dump::new(&Board::new(), how).placement(lies).into()), true)
                }
                _ => continue,
            };
            if !matches!(step, Step::Showed(_)) || scan.is_none() {
                scan = None;
                steps.push(Recalled { step, is_fast });
            }
        }
        steps
    }
}

fn reading_of(code: Code) -> Reading {
    code.piece().map_or(Reading::Empty, Reading::Piece)
}

/// A tracker to which is told what a board remembers.
pub(super) struct Recall {
    pub(super) tracker: Tracker,
    /// What the clocks showed when one of them was last pressed.
    pub(super) shown: Option<Times>,
    /// Presses that were not heard, with what both clocks showed.
    pub(super) presses: Vec<(Mono, Option<Times>)>,
    /// The last press, if nothing has stirred since.
    pub(super) untouched: Option<(Mono, Color)>,
}

impl Recall {
    /// The next step, at the time `when`. `heard` are the presses that came over the line.
    pub(super) fn step(
        &mut self,
        when: Mono,
        step: &Step,
        is_play: bool,
        heard: &[(Mono, Option<Times>)],
    ) {
        match step {
            Step::Sensed { sq, reading } => {
                self.untouched = None;
                if is_play {
                    self.tracker.sense(when, *sq, *reading);
                } else {
                    self.tracker.observe(when, *sq, *reading);
                }
            }
            Step::Pressed { by, left } if is_play => {
                match heard.iter().find(|(at, _)| *at == when) {
                    Some((_, times)) => self.shown = times.or(self.shown),
                    None => {
                        self.shown = self.shown.zip(*left).map(|(shown, left)| match by {
                            Color::White => Times { white: left, ..shown },
                            Color::Black => Times { black: left, ..shown },
                        });
                        self.presses.push((when, self.shown));
                    }
                }
                self.press(when, *by);
            }
            Step::Found(placement) => {
                self.untouched = None;
                self.tracker.picture(when, placement);
                self.tracker.look(when, GAP_STEP_MAX);
            }
            Step::Pressed { .. } | Step::Showed(_) => {}
        }
    }

    /// A lever that comes back at once was touched and not pressed, as in live play.
    fn press(&mut self, when: Mono, by: Color) {
        let is_open = |at| self.tracker.best().open.iter().any(|press| press.at == at);
        if let Some((at, other)) = self.untouched.take()
            && other != by
            && when.since(at) < BOUNCE
            && is_open(at)
        {
            self.tracker.forget_press(at);
            return;
        }
        self.tracker.press(when, by);
        self.untouched = Some((when, by));
    }
}
