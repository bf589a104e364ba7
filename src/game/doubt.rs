//! A press that looks to the referee like a breach of the Laws: hands are messy, and the record,
//! which weighs all that was seen, may know a legal move.
//!
//! Until it does, or the time for it is over, the referee is told nothing; then all in its order.
//! What the record finds nothing wrong with is held against nobody.

use super::entry::{Fact, Stage, Weighed};
use super::machine::Game;
use super::rules::{Bench, picture_of, record_of};
use crate::laws::{self, Code, Note, Picture, Recorded, Ruling, Severity, Told};
use crate::time::Mono;
use shakmaty::Color;

/// What a referee would say to a press.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Blame {
    /// Nothing that is held against anybody.
    None,
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
    fn of(ruling: &Ruling) -> Self {
        match ruling {
            Ruling::IllegalCompleted { why: laws::EXCHANGED, .. } => Self::Exchanged,
            Ruling::IllegalCompleted { .. } => Self::Illegal,
            // How a legal move was made is not in doubt.
            Ruling::Log(Note {
                code: Code::TouchMove | Code::RookFirst | Code::MovedAfterRelease,
                ..
            }) => Self::None,
            Ruling::Log(note) if note.code.severity() == Severity::Irregularity => Self::Disorder,
            _ => Self::None,
        }
    }
}

impl Bench {
    /// What the referee would say if he were told this now.
    fn blame(&mut self, now: Mono, told: &Told) -> Blame {
        let mut referee = self.referee.copy();
        let said = referee.tell(now, told);
        let is_beyond = referee.has_gone_beyond() && !self.referee.has_gone_beyond();
        let beyond = is_beyond.then_some(Blame::Beyond);
        let blames = || said.rulings.iter().map(Blame::of);
        let is_illegal = |blame: &Blame| matches!(blame, Blame::Illegal | Blame::Exchanged);
        let worst = blames().find(is_illegal).or(beyond);
        worst.or_else(|| blames().find(|blame| *blame != Blame::None)).unwrap_or(Blame::None)
    }

    /// Whether a piece would still stand where it may not have gone on to, by all that waits.
    fn is_still_beyond(&self) -> bool {
        let mut referee = self.referee.clone();
        for (at, told) in &self.waiting {
            referee.tell(*at, told);
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
        let told = Told::Pressed(by);
        if !self.is_closed() && !self.keep_waiting(now, &told) {
            self.tell_or_wait(now, told);
        }
    }

    fn tell_or_wait(&mut self, now: Mono, told: Told) {
        let may_wait = !self.settings.settle.illegal_press.is_zero() && self.play.is_some();
        match &mut self.bench {
            Some(bench) if may_wait => {
                bench.blamed = bench.blame(now, &told);
                if bench.blamed == Blame::None {
                    self.tell_now(now, &told);
                } else {
                    bench.waiting.push((now, told));
                }
            }
            _ => self.tell_now(now, &told),
        }
    }

    /// What comes while a press is in doubt waits with it, unless somebody speaks. True if it was
    /// taken.
    pub(super) fn keep_waiting(&mut self, now: Mono, told: &Told) -> bool {
        let Some(bench) = self.bench.as_mut().filter(|bench| !bench.waiting.is_empty()) else {
            return false;
        };
        bench.waiting.push((now, told.clone()));
        let may_wait = told.is_observed() || matches!(told, Told::Pressed(_));
        if !may_wait {
            self.end_doubt();
        }
        true
    }

    /// When a press in doubt is judged by what the referee saw.
    pub(super) fn doubt_ends_at(&self) -> Option<Mono> {
        let (at, _) = self.bench.as_ref()?.waiting.first()?;
        Some(*at + self.settings.settle.illegal_press)
    }

    /// A press in doubt that completes a legal move on record does so for the referee. One that
    /// the record finds fault with too is told as it came.
    pub(super) fn settle_doubt(&mut self, now: Mono) {
        let Some(due) = self.doubt_ends_at() else { return };
        let (Some(play), Some(bench)) = (&self.play, &self.bench) else { return };
        if bench.blamed == Blame::Beyond && (due > now || bench.is_still_beyond()) {
            if due <= now {
                self.facts.push(Fact::Weighed(Weighed::Shared));
                self.end_doubt();
            }
            return;
        }
        let (pressed, told) = bench.waiting[0].clone();
        let is_illegal = play.tracker().is_illegal_press(pressed);
        let is_legal = play.stands_pressed(pressed) && !is_illegal;
        let follows = is_legal && bench.referee.may_follow();
        if !follows && (due > now || self.watch.has_suspect()) {
            return;
        }
        let Told::Pressed(by) = told else { return };
        let is_shared = match bench.blamed {
            Blame::None => true,
            Blame::Illegal => self.facts.iter().any(|fact| is_illegal_of(fact, by)),
            Blame::Exchanged | Blame::Beyond | Blame::Disorder => {
                self.facts.iter().any(|fact| is_disorder_of(fact, by))
            }
        };
        let outcome = match (follows, is_shared) {
            (true, _) => Weighed::Legal,
            (false, true) => Weighed::Shared,
            // What nobody else finds is not held against a player.
            (false, false) => Weighed::Dropped,
        };
        let (record, seen) = (record_of(play.sheet()), picture_of(play.tracker().seen()));
        self.facts.push(Fact::Weighed(outcome));
        self.take_outcome(now, outcome, record, seen);
    }

    /// The press in doubt is settled so, while `record` is on record and the sensors show `seen`.
    pub(super) fn take_outcome(
        &mut self,
        now: Mono,
        outcome: Weighed,
        record: Vec<Recorded>,
        seen: Picture,
    ) {
        match outcome {
            Weighed::Followed => self.tell(now, &Told::Record(record)),
            Weighed::Shared => self.end_doubt(),
            Weighed::Legal => {
                let waiting = self.take_waiting();
                self.tell_now(now, &Told::Record(record));
                self.tell_in_order(waiting.into_iter().skip(1));
            }
            Weighed::Dropped => {
                let waiting = self.take_waiting();
                let is_clock = |told: &Told| matches!(told, Told::Clock(_));
                let clock = waiting.into_iter().rev().map(|(_, told)| told).find(is_clock);
                let seen = Told::Unseen(Box::new(seen));
                for told in [Some(seen), clock].into_iter().flatten() {
                    self.tell_now(now, &told);
                }
            }
        }
    }

    fn take_waiting(&mut self) -> Vec<(Mono, Told)> {
        self.bench.as_mut().map(|bench| std::mem::take(&mut bench.waiting)).unwrap_or_default()
    }

    /// The referee is told of the press and of what waited with it.
    pub(super) fn end_doubt(&mut self) {
        let mut waiting = self.take_waiting().into_iter();
        if let Some((at, press)) = waiting.next() {
            self.tell_now(at, &press);
        }
        self.tell_in_order(waiting);
    }

    /// The same of what came after a press that is settled: another press may be in doubt.
    fn tell_in_order(&mut self, waiting: impl Iterator<Item = (Mono, Told)>) {
        for (at, told) in waiting {
            match told {
                Told::Pressed(_) if !self.is_in_doubt() => self.tell_or_wait(at, told),
                _ => self.tell(at, &told),
            }
        }
    }

    pub(super) fn is_in_doubt(&self) -> bool {
        self.bench.as_ref().is_some_and(|bench| !bench.waiting.is_empty())
    }
}

/// Whether the record has just found an illegal move that `by` completed.
fn is_illegal_of(fact: &Fact, by: Color) -> bool {
    matches!(fact, Fact::IllegalMove { stage: Stage::Completed, by: known, .. } if *known == by)
}

/// Whether the record has just found another fault with a press of `by`.
fn is_disorder_of(fact: &Fact, by: Color) -> bool {
    match fact {
        Fact::Found(finding) => {
            finding.by == Some(by) && finding.severity() == Severity::Irregularity
        }
        Fact::PositionLost(finding) => finding.by == Some(by),
        _ => is_illegal_of(fact, by),
    }
}
