//! A press that looks to the referee like a breach of the Laws: hands are messy, and the record,
//! which weighs all that was seen, may know a legal move.
//!
//! Until it does, or the time for it is over, the referee is told nothing; then all in its order.
//! What the record finds nothing wrong with is held against nobody.

use super::entry::{Fact, Stage, Weighed};
use super::machine::Game;
use super::rules::{Bench, picture_of, record_of};
use crate::laws::{Code, Finding, FindingKind, Note, Picture, Ruling, Severity, Sheet, Told};
use crate::time::Mono;
use shakmaty::Color;

/// What a referee would blame somebody for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Blame {
    /// That an illegal move was completed.
    Illegal,
    /// That a piece was exchanged for one of another kind on its way. To the record nothing but
    /// disorder can look so.
    Exchanged,
    /// That a released piece went on to where it may not go. Its move stands on record, which has
    /// nothing against it.
    Beyond,
    /// Something else: that nothing was moved, or that pieces lie about.
    Disorder,
}

impl Blame {
    fn of(ruling: &Ruling) -> Option<Self> {
        match ruling {
            Ruling::IllegalCompleted { why, .. } if why.is_exchange() => Some(Self::Exchanged),
            Ruling::IllegalCompleted { .. } => Some(Self::Illegal),
            // How a legal move was made is not in doubt.
            Ruling::Log(Note {
                code: Code::TouchMove | Code::RookFirst | Code::MovedAfterRelease,
                ..
            }) => None,
            Ruling::Log(note) if note.code.severity() == Severity::Irregularity => {
                Some(Self::Disorder)
            }
            _ => None,
        }
    }

    /// Whether `fact`, which the record has just found, holds the same against `by`.
    fn is_shared_by(self, fact: &Fact, by: Color) -> bool {
        match self {
            Self::Illegal => is_illegal_of(fact, by) || is_king_captured(fact, by),
            Self::Exchanged => matches!(fact, Fact::PositionLost(_)) || is_disorder_of(fact, by),
            Self::Beyond | Self::Disorder => is_disorder_of(fact, by),
        }
    }
}

/// A press that waits for the record, because the referee would blame somebody.
#[derive(Clone, Debug)]
pub(super) struct Doubt {
    /// When it came.
    pressed: Mono,
    by: Color,
    blame: Blame,
    /// What came after it.
    behind: Vec<(Mono, Told)>,
}

impl Doubt {
    /// The press and what came after it, in their order.
    fn all(&self) -> impl Iterator<Item = (Mono, Told)> {
        let press = (self.pressed, Told::Pressed(self.by));
        std::iter::once(press).chain(self.behind.iter().cloned())
    }
}

impl Bench {
    /// What the referee would blame somebody for if he were told of this press now.
    fn blame(&mut self, now: Mono, by: Color) -> Option<Blame> {
        let mut referee = self.referee.without_search();
        let said = referee.tell(now, &Told::Pressed(by));
        let is_beyond = referee.has_gone_beyond() && !self.referee.has_gone_beyond();
        let blames = || said.rulings.iter().filter_map(Blame::of);
        let illegal = blames().find(|blame| *blame != Blame::Disorder);
        let beyond = is_beyond.then_some(Blame::Beyond);
        illegal.or(beyond).or_else(|| blames().next())
    }

    /// Whether a piece would still stand where it may not have gone on to, by all that waits.
    fn is_still_beyond(&mut self) -> bool {
        let mut referee = self.referee.without_search();
        for (at, told) in self.doubt.iter().flat_map(Doubt::all) {
            referee.tell(at, &told);
        }
        referee.has_gone_beyond()
    }
}

impl Game {
    /// Tells the referee of a press, unless it waits for the record.
    pub(super) fn tell_press(&mut self, now: Mono, by: Color) {
        self.settle_doubt(now);
        self.press_told(now, by);
    }

    /// The referee is told of a press now, or after those that are in doubt.
    pub(super) fn press_told(&mut self, now: Mono, by: Color) {
        if !self.is_closed() && !self.keep_waiting(now, &Told::Pressed(by)) {
            self.tell_or_doubt(now, by);
        }
    }

    fn tell_or_doubt(&mut self, pressed: Mono, by: Color) {
        // In blind play words decide, which the record does not hear.
        let has_words = |bench: &Bench| bench.referee.terms().impaired.is_some();
        let may_wait =
            !self.settings.settle.illegal_press.is_zero() && self.recorder.play.is_some();
        let bench = self.bench.as_mut().filter(|bench| may_wait && !has_words(bench));
        let doubt = bench.and_then(|bench| {
            let blame = bench.blame(pressed, by)?;
            bench.doubt = Some(Doubt { pressed, by, blame, behind: Vec::new() });
            bench.doubt.as_ref()
        });
        if doubt.is_none() {
            self.tell_now(pressed, &Told::Pressed(by));
        }
    }

    /// What comes while a press is in doubt waits with it, unless somebody speaks. True if it was
    /// taken.
    pub(super) fn keep_waiting(&mut self, now: Mono, told: &Told) -> bool {
        let Some(doubt) = self.bench.as_mut().and_then(|bench| bench.doubt.as_mut()) else {
            return false;
        };
        doubt.behind.push((now, told.clone()));
        let may_wait = told.is_observed() || matches!(told, Told::Pressed(_));
        if !may_wait {
            self.end_doubt();
        }
        true
    }

    /// When a press in doubt is judged by what the referee saw.
    pub(super) fn doubt_ends_at(&self) -> Option<Mono> {
        let doubt = self.bench.as_ref()?.doubt.as_ref()?;
        Some(doubt.pressed + self.settings.settle.illegal_press)
    }

    /// A press in doubt that completes a legal move on record does so for the referee. One that
    /// the record finds fault with too is told as it came. What waited behind it may be another
    /// press, whose time is over by now.
    pub(super) fn settle_doubt(&mut self, now: Mono) {
        while let Some(outcome) = self.outcome(now) {
            let Some(play) = &self.recorder.play else { return };
            let (record, seen) = (record_of(play.sheet()), picture_of(play.tracker().seen()));
            self.out.facts.push(Fact::Weighed(outcome));
            self.take_outcome(now, outcome, record, seen);
        }
    }

    /// A press in doubt is held against nobody any more: play went on while nobody looked.
    pub(super) fn drop_doubt(&mut self, now: Mono) {
        let Some(play) = self.recorder.play.as_ref().filter(|_| self.is_in_doubt()) else { return };
        let (record, seen) = (record_of(play.sheet()), picture_of(play.tracker().seen()));
        self.out.facts.push(Fact::Weighed(Weighed::Dropped));
        self.take_outcome(now, Weighed::Dropped, record, seen);
    }

    /// What the record makes of a press in doubt; `None` as long as that is open. Asking changes
    /// nothing.
    fn outcome(&mut self, now: Mono) -> Option<Weighed> {
        let is_due = self.doubt_ends_at()? <= now;
        let bench = self.bench.as_mut()?;
        let Doubt { pressed, by, blame, .. } = *bench.doubt.as_ref()?;
        if blame == Blame::Beyond && !is_due {
            return None;
        }
        if blame == Blame::Beyond && bench.is_still_beyond() {
            return Some(Weighed::Shared);
        }
        let play = self.recorder.play.as_ref()?;
        let is_legal = play.stands_pressed(pressed) && !play.tracker().is_illegal_press(pressed);
        if is_legal && bench.referee.may_follow() {
            return Some(Weighed::Legal);
        }
        if !is_due || self.recorder.watch.has_suspect() {
            return None;
        }
        let is_known = blame == Blame::Exchanged && self.recorder.watch.is_displaced();
        let is_shared = is_known || self.out.facts.iter().any(|fact| blame.is_shared_by(fact, by));
        // What nobody else finds is not held against a player.
        Some(if is_shared { Weighed::Shared } else { Weighed::Dropped })
    }

    /// The press in doubt is settled so, while `record` is on record and the sensors show `seen`.
    pub(super) fn take_outcome(
        &mut self,
        now: Mono,
        outcome: Weighed,
        record: Sheet,
        seen: Picture,
    ) {
        match outcome {
            Weighed::Followed => self.tell(now, &Told::Record(record)),
            Weighed::Shared => self.end_doubt(),
            Weighed::Legal => {
                let doubt = self.take_doubt();
                self.tell_now(now, &Told::Record(record));
                self.tell_behind(doubt);
            }
            Weighed::Dropped => {
                let behind = self.take_doubt().map(|doubt| doubt.behind).unwrap_or_default();
                let is_clock = |told: &Told| matches!(told, Told::Clock(_));
                let clock = behind.into_iter().rev().map(|(_, told)| told).find(is_clock);
                let seen = Told::Unseen(Box::new(seen));
                for told in [Some(seen), clock].into_iter().flatten() {
                    self.tell_now(now, &told);
                }
            }
        }
    }

    fn take_doubt(&mut self) -> Option<Doubt> {
        self.bench.as_mut()?.doubt.take()
    }

    /// The referee is told of the press and of what waited with it.
    pub(super) fn end_doubt(&mut self) {
        let doubt = self.take_doubt();
        if let Some(doubt) = &doubt {
            self.tell_now(doubt.pressed, &Told::Pressed(doubt.by));
        }
        self.tell_behind(doubt);
    }

    /// The same of what came after a press that is settled: another press may be in doubt.
    fn tell_behind(&mut self, doubt: Option<Doubt>) {
        for (at, told) in doubt.into_iter().flat_map(|doubt| doubt.behind) {
            match told {
                Told::Pressed(by) if !self.is_in_doubt() => self.tell_or_doubt(at, by),
                _ => self.tell(at, &told),
            }
        }
    }

    pub(super) fn is_in_doubt(&self) -> bool {
        self.bench.as_ref().is_some_and(|bench| bench.doubt.is_some())
    }
}

/// Whether the record has just found an illegal move that `by` completed.
fn is_illegal_of(fact: &Fact, by: Color) -> bool {
    matches!(fact, Fact::IllegalMove { stage: Stage::Completed, by: known, .. } if *known == by)
}

/// Whether the record has just found that `by` has captured a king, which is no move.
fn is_king_captured(fact: &Fact, by: Color) -> bool {
    matches!(fact, Fact::Found(Finding { kind: FindingKind::KingCaptured { .. }, by: Some(known) })
        if *known == by)
}

/// Whether the record has just found another fault with a press of `by`.
fn is_disorder_of(fact: &Fact, by: Color) -> bool {
    match fact {
        Fact::Found(finding) => {
            finding.by == Some(by) && finding.severity() == Severity::Irregularity
        }
        _ => is_illegal_of(fact, by),
    }
}
