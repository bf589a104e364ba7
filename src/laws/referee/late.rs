//! Who has come, and when. All editions: Art. 6.6 (2005: 6.7, from 2018: 6.7); Guidelines 10.

use super::super::code::Code;
use super::super::score::Score;
use super::Referee;
use super::matter::{ByAbsence, Case, MayAct};
use crate::time::Mono;
use shakmaty::{ByColor, Color};
use std::time::Duration;

/// How late one may be when an adjourned game is taken up again. 2005, 2009: Guidelines 10. From
/// 2018 it is the default time.
const RESUMPTION: Duration = Duration::from_secs(3_600);

/// Who is there, and since when he ought to be.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Presence {
    pub scheduled: Option<Mono>,
    pub started: Option<Mono>,
    /// The side whose clock was started at the resumption of an adjourned game, and when.
    pub resumed: Option<(Color, Mono)>,
    arrived: ByColor<bool>,
    is_late_noted: bool,
}

impl Presence {
    /// Time is counted anew: who was expected still is, from now on.
    pub(super) fn begin_again(&mut self) {
        for moment in [&mut self.scheduled, &mut self.started].into_iter().flatten() {
            *moment = Mono::default();
        }
        self.resumed = self.resumed.map(|(side, _)| (side, Mono::default()));
    }

    pub(super) fn came(&mut self, by: Color) {
        self.arrived[by] = true;
    }

    pub(super) fn all_present(&mut self) {
        self.arrived = ByColor { white: true, black: true };
    }

    pub(super) fn is_there(&self, side: Color) -> bool {
        self.arrived[side]
    }

    /// Since when both are expected: the announced start, or the real one.
    fn since(&self) -> Option<Mono> {
        self.scheduled.or(self.started)
    }
}

impl Referee {
    pub(super) fn on_arrive(&mut self, by: Color) {
        let was_there = self.late.is_there(by);
        self.late.came(by);
        self.log(Code::Arrival, Some(by));
        if was_there || self.result.is_some() {
            return;
        }
        let (since, limit) = match self.late.resumed {
            Some((side, since)) if side == by => (Some(since), self.resumption()),
            _ => (self.late.since(), self.terms.lateness()),
        };
        let Some(since) = since else { return };
        let late = self.seconds_since(since);
        if late > Duration::ZERO {
            self.log_with(Code::Late, Some(by), format!("{} s", late.as_secs()));
        }
        let is_known = |case: &Case| matches!(case, Case::Late(ByAbsence::One(one)) if *one == by);
        if late > limit && !self.has(is_known) {
            self.default_of(ByAbsence::One(by));
        }
    }

    /// Full seconds: by the clock on the wall nobody is late by less.
    fn seconds_since(&self, since: Mono) -> Duration {
        Duration::from_secs(self.now.since(since).as_secs())
    }

    fn resumption(&self) -> Duration {
        if self.terms.profile.edition.is_modern() { self.terms.lateness() } else { RESUMPTION }
    }

    fn default_of(&mut self, absent: ByAbsence) {
        let loss = match absent {
            ByAbsence::One(_) => "declare default",
            ByAbsence::Both => "both lose",
        };
        self.close(|case| matches!(case, Case::Late(_)));
        self.open(Case::Late(absent), &[loss, "arbiter decides otherwise"], MayAct::Yes);
    }

    pub(super) fn watch_lateness(&mut self) {
        if self.has(|case| matches!(case, Case::Late(_))) {
            return;
        }
        if let Some((side, since)) = self.late.resumed {
            let is_over =
                self.seconds_since(since) > self.resumption() && !self.late.is_there(side);
            if is_over && !std::mem::replace(&mut self.late.is_late_noted, true) {
                self.log(Code::Late, Some(side));
                self.default_of(ByAbsence::One(side));
            }
            return;
        }
        let Some(since) = self.late.since() else { return };
        let limit = self.terms.lateness().max(self.terms.evidence.away);
        if self.late.started.is_none() || self.seconds_since(since) <= limit {
            return;
        }
        let absent: Vec<Color> = [Color::White, Color::Black]
            .into_iter()
            .filter(|side| !self.late.is_there(*side))
            .collect();
        match absent[..] {
            [] => {}
            [one] => self.default_of(ByAbsence::One(one)),
            _ => self.default_of(ByAbsence::Both),
        }
    }

    pub(super) fn confirm_default(&mut self, absent: ByAbsence) {
        let score = match absent {
            ByAbsence::One(side) => Score::win(!side),
            ByAbsence::Both => Score::NOBODY,
        };
        self.finish(Code::Default, score, "default");
    }
}
