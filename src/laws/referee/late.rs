//! Who has come, and when. All editions: Art. 6.6 (2005: 6.7, from 2018: 6.7); Guidelines 10.

use super::super::code::Code;
use super::super::score::Score;
use super::context::Context;
use super::matter::{ByAbsence, Case, MayAct};
use crate::time::Mono;
use shakmaty::{ByColor, Color};
use std::time::Duration;

/// Who is there, and since when he ought to be.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Presence {
    scheduled: Option<Mono>,
    started: Option<Mono>,
    /// When a clock was started at the resumption of an adjourned game.
    resumed: Option<Mono>,
    /// Who is late at the resumption unless he comes in time.
    expected: ByColor<bool>,
    arrived: ByColor<bool>,
    /// Arrivals are entered at this table: who was not is away.
    is_entered: bool,
    is_late_noted: bool,
}

impl Presence {
    /// Time is counted anew: who was expected still is, from now on.
    pub(super) fn begin_again(&mut self, now: Mono) {
        let moments = [&mut self.scheduled, &mut self.started, &mut self.resumed];
        for moment in moments.into_iter().flatten() {
            *moment = now;
        }
    }

    /// The announced start is reached.
    pub(super) fn schedule(&mut self, now: Mono) {
        self.scheduled = Some(now);
    }

    /// Play begins.
    pub(super) fn start(&mut self, now: Mono) {
        self.started = Some(now);
    }

    /// When play began.
    pub(super) fn started(&self) -> Option<Mono> {
        self.started
    }

    /// A clock is started at the resumption of an adjourned game.
    pub(super) fn resume(&mut self, now: Mono) {
        self.resumed.get_or_insert(now);
    }

    /// Whether an adjourned game was taken up again.
    pub(super) fn is_resumed(&self) -> bool {
        self.resumed.is_some()
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

    pub(super) fn on_arrive(&mut self, cx: &mut Context, by: Color, is_resuming: bool) {
        let was_there = self.is_there(by);
        self.came(by);
        self.is_entered = true;
        cx.out.log(Code::Arrival, Some(by));
        if was_there || cx.is_over() {
            return;
        }
        let limit = if is_resuming || self.resumed.is_some() {
            cx.terms.resumption()
        } else {
            cx.terms.lateness()
        };
        let Some(since) = self.since() else { return };
        let late = Self::seconds_since(cx, since);
        if late > Duration::ZERO {
            cx.out.log_with(Code::Late, Some(by), format!("{} s", late.as_secs()));
        }
        let is_known = |case: &Case| matches!(case, Case::Late(ByAbsence::One(one)) if *one == by);
        if late > limit && !cx.matters.has(is_known) {
            Self::default_of(cx, ByAbsence::One(by));
        }
    }

    /// Full seconds: by the clock on the wall nobody is late by less.
    fn seconds_since(cx: &Context, since: Mono) -> Duration {
        Duration::from_secs(cx.now.since(since).as_secs())
    }

    fn default_of(cx: &mut Context, absent: ByAbsence) {
        let loss = match absent {
            ByAbsence::One(_) => "declare default",
            ByAbsence::Both => "both lose",
        };
        cx.matters.close(|case| matches!(case, Case::Late(_)));
        cx.open(Case::Late(absent), &[loss, "arbiter decides otherwise"], MayAct::Yes);
    }

    /// Who is away, and when that costs the game. Who may come at once or not at all is late if he
    /// is not there at the start.
    fn lateness_due(&self, cx: &Context) -> Option<(Mono, ByAbsence)> {
        let is_over = cx.is_over() || cx.matters.has(|case| matches!(case, Case::Late(_)));
        let is_under_way = self.started.is_some() || self.resumed.is_some();
        let absent = self.absent().filter(|absent| match absent {
            ByAbsence::One(_) => is_under_way || self.is_entered,
            ByAbsence::Both => is_under_way,
        });
        let (since, absent) = self.since().filter(|_| !is_over).zip(absent)?;
        let limit = match self.resumed {
            Some(_) => cx.terms.resumption(),
            None if self.is_entered => cx.terms.lateness(),
            None => cx.terms.lateness().max(cx.terms.evidence.away),
        };
        let is_at_once = limit.is_zero() && self.is_entered && self.resumed.is_none();
        let grace = if is_at_once { Duration::ZERO } else { Duration::from_secs(1) };
        Some((since + limit + grace, absent))
    }

    /// When somebody is too late.
    pub(super) fn due_at(&self, cx: &Context) -> Option<Mono> {
        self.lateness_due(cx).map(|(due, _)| due)
    }

    pub(super) fn watch(&mut self, cx: &mut Context) {
        let Some((_, absent)) = self.lateness_due(cx).filter(|(due, _)| *due <= cx.now) else {
            return;
        };
        if let (ByAbsence::One(side), Some(_)) = (absent, self.resumed)
            && !std::mem::replace(&mut self.is_late_noted, true)
        {
            cx.out.log(Code::Late, Some(side));
        }
        Self::default_of(cx, absent);
    }

    pub(super) fn confirm(cx: &mut Context, absent: ByAbsence) {
        let score = match absent {
            ByAbsence::One(side) => Score::win(!side),
            ByAbsence::Both => Score::NOBODY,
        };
        cx.finish(Code::Default, score, "default");
    }
}
