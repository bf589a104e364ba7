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
    /// When a clock was started at the resumption of an adjourned game.
    pub resumed: Option<Mono>,
    /// Who is late at the resumption unless he comes in time.
    expected: ByColor<bool>,
    arrived: ByColor<bool>,
    /// Arrivals are entered at this table: who was not is away.
    is_entered: bool,
    is_late_noted: bool,
}

impl Presence {
    /// Time is counted anew: who was expected still is, from now on.
    pub(super) fn begin_again(&mut self) {
        let moments = [&mut self.scheduled, &mut self.started, &mut self.resumed];
        for moment in moments.into_iter().flatten() {
            *moment = Mono::default();
        }
    }

    /// An adjourned game is taken up again: this side must come in time.
    pub(super) fn expect(&mut self, side: Color) {
        self.expected[side] = true;
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
        self.scheduled.or(self.resumed).or(self.started)
    }

    /// Those who ought to be there and are not.
    fn absent(&self) -> Option<ByAbsence> {
        let is_expected = |side: Color| self.resumed.is_none() || self.expected[side];
        let absent = |side: Color| is_expected(side) && !self.arrived[side];
        match (absent(Color::White), absent(Color::Black)) {
            (false, false) => None,
            (true, true) => Some(ByAbsence::Both),
            (white, _) => Some(ByAbsence::One(Color::from_white(white))),
        }
    }
}

impl Referee {
    pub(super) fn on_arrive(&mut self, by: Color) {
        let was_there = self.late.is_there(by);
        self.late.came(by);
        self.late.is_entered = true;
        self.cx.out.log(Code::Arrival, Some(by));
        if was_there || self.cx.is_over() {
            return;
        }
        let limit = if self.is_resuming() { self.resumption() } else { self.cx.terms.lateness() };
        let Some(since) = self.late.since() else { return };
        let late = self.seconds_since(since);
        if late > Duration::ZERO {
            self.cx.out.log_with(Code::Late, Some(by), format!("{} s", late.as_secs()));
        }
        let is_known = |case: &Case| matches!(case, Case::Late(ByAbsence::One(one)) if *one == by);
        if late > limit && !self.cx.matters.has(is_known) {
            self.default_of(ByAbsence::One(by));
        }
    }

    /// Whether an adjourned game is being taken up again, or has been.
    fn is_resuming(&self) -> bool {
        self.late.resumed.is_some() || self.sitting.is_resuming
    }

    /// Full seconds: by the clock on the wall nobody is late by less.
    fn seconds_since(&self, since: Mono) -> Duration {
        Duration::from_secs(self.cx.now.since(since).as_secs())
    }

    fn resumption(&self) -> Duration {
        if self.cx.terms.profile.edition.is_modern() {
            self.cx.terms.lateness()
        } else {
            RESUMPTION
        }
    }

    fn default_of(&mut self, absent: ByAbsence) {
        let loss = match absent {
            ByAbsence::One(_) => "declare default",
            ByAbsence::Both => "both lose",
        };
        self.cx.matters.close(|case| matches!(case, Case::Late(_)));
        self.cx.open(Case::Late(absent), &[loss, "arbiter decides otherwise"], MayAct::Yes);
    }

    /// Who is away, and when that costs the game. Who may come at once or not at all is late if he
    /// is not there at the start.
    fn lateness_due(&self) -> Option<(Mono, ByAbsence)> {
        let is_over =
            self.cx.is_over() || self.cx.matters.has(|case| matches!(case, Case::Late(_)));
        let is_under_way = self.late.started.is_some() || self.late.resumed.is_some();
        let absent = self.late.absent().filter(|absent| match absent {
            ByAbsence::One(_) => is_under_way || self.late.is_entered,
            ByAbsence::Both => is_under_way,
        });
        let (since, absent) = self.late.since().filter(|_| !is_over).zip(absent)?;
        let limit = match self.late.resumed {
            Some(_) => self.resumption(),
            None if self.late.is_entered => self.cx.terms.lateness(),
            None => self.cx.terms.lateness().max(self.cx.terms.evidence.away),
        };
        let is_at_once = limit.is_zero() && self.late.is_entered && self.late.resumed.is_none();
        let grace = if is_at_once { Duration::ZERO } else { Duration::from_secs(1) };
        Some((since + limit + grace, absent))
    }

    /// When somebody is too late.
    pub(super) fn late_at(&self) -> Option<Mono> {
        self.lateness_due().map(|(due, _)| due)
    }

    pub(super) fn watch_lateness(&mut self) {
        let Some((_, absent)) = self.lateness_due().filter(|(due, _)| *due <= self.cx.now) else {
            return;
        };
        if let (ByAbsence::One(side), Some(_)) = (absent, self.late.resumed)
            && !std::mem::replace(&mut self.late.is_late_noted, true)
        {
            self.cx.out.log(Code::Late, Some(side));
        }
        self.default_of(absent);
    }

    pub(super) fn confirm_default(&mut self, absent: ByAbsence) {
        let score = match absent {
            ByAbsence::One(side) => Score::win(!side),
            ByAbsence::Both => Score::NOBODY,
        };
        self.cx.finish(Code::Default, score, "default");
    }
}
