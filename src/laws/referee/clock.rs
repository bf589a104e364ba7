//! The clock as a referee knows it: what it shows, who stopped it, and in which period each is.

use super::super::said::ClockOrder;
use super::super::terms::{Bonus, Terms};
use crate::table::{Times, defaults};
use shakmaty::{ByColor, Color};
use std::time::Duration;

/// A clock that runs already is read so late at the most.
const READING: Duration = Duration::from_secs(2);

/// What the chess clock shows.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Clocks {
    /// The time left to both.
    pub left: Times,
    /// Whose time runs.
    pub running: Option<Color>,
}

/// Who stopped both clocks.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum PausedBy {
    Player(Color),
    Arbiter,
}

defaults! {
    /// What is known of the clock.
    #[derive(Clone, Debug)]
    pub(super) struct ClockSeen {
        given {
            /// The period that each is in, from 1.
            period: ByColor<usize>,
        }
        shown: Clocks,
        /// What it showed before it ran.
        initial: Option<Times>,
        /// The arbiter has set it since.
        was_set: bool,
        /// The clock when it was seen to be set going for the side whose it runs, or ran last.
        began: Option<Clocks>,
        paused: Option<PausedBy>,
    }
}

impl ClockSeen {
    pub(super) fn new(terms: &Terms) -> Self {
        Self::begin(ByColor { white: terms.period, black: terms.period })
    }

    pub(super) fn shown(&self) -> Clocks {
        self.shown
    }

    pub(super) fn running(&self) -> Option<Color> {
        self.shown.running
    }

    pub(super) fn left(&self, side: Color) -> Duration {
        self.shown.left[side]
    }

    /// Whether it was ever read.
    pub(super) fn is_known(&self) -> bool {
        self.initial.is_some()
    }

    /// The clock is read. Before play a clock that stands is still being set.
    pub(super) fn read(&mut self, clocks: Clocks, is_under_way: bool) {
        self.shown = clocks;
        match (clocks.running, &mut self.began) {
            // What the other was given for his move may come a little later.
            (Some(side), Some(began)) if began.running == Some(side) => {
                began.left[!side] = clocks.left[!side];
            }
            (Some(_), began) => *began = Some(clocks),
            (None, _) => {}
        }
        let is_being_set = !is_under_way && clocks.running.is_none();
        if self.initial.is_none() || is_being_set {
            self.initial = Some(clocks.left);
        }
    }

    /// A player's press was told: from now on the time of this side runs, or nobody's.
    pub(super) fn turn_to(&mut self, side: Option<Color>) {
        self.shown.running = side;
    }

    /// What an order will make of it.
    pub(super) fn obey(&mut self, order: ClockOrder) {
        if !matches!(order, ClockOrder::Stop | ClockOrder::Run(_)) {
            self.began = None;
        }
        let left = &mut self.shown.left;
        match order {
            ClockOrder::Stop => self.shown.running = None,
            ClockOrder::Run(side) => self.shown.running = Some(side),
            ClockOrder::Set(side, span) => left[side] = span,
            ClockOrder::Add(side, span) | ClockOrder::Credit(side, span) => left[side] += span,
            ClockOrder::Subtract(side, span) => left[side] = left[side].saturating_sub(span),
            ClockOrder::Increment(_) | ClockOrder::Moves(_) => {}
        }
    }

    /// The times when it was set going for `by`, where nothing was ordered since.
    pub(super) fn times_at_start_of(&self, by: Color) -> Option<Times> {
        self.began.filter(|began| began.running == Some(by)).map(|began| began.left)
    }

    pub(super) fn paused(&self) -> Option<PausedBy> {
        self.paused
    }

    pub(super) fn pause(&mut self, by: PausedBy) {
        self.paused = Some(by);
    }

    pub(super) fn resume(&mut self) {
        self.paused = None;
    }

    pub(super) fn period(&self, side: Color) -> usize {
        self.period[side]
    }

    pub(super) fn next_period(&mut self, side: Color) {
        self.period[side] += 1;
    }

    /// The arbiter has set it: how it was set before does not matter any more.
    pub(super) fn note_set(&mut self) {
        self.was_set = true;
    }

    /// Whether it showed something else at the start than both were to have; `None` if nobody
    /// knows: it was not read, or both had the same and nothing was announced.
    pub(super) fn was_misset(&self, terms: &Terms) -> Option<bool> {
        if self.was_set {
            return Some(false);
        }
        let initial = self.initial?;
        let is_planned = |side: Color| {
            let first = terms.periods[side].first()?;
            let bonus = match terms.bonus_in(side, 1) {
                Bonus::PerMove(span) => span,
                Bonus::Nothing => Duration::ZERO,
            };
            // Most clocks add the increment of the first move before the game.
            let is_it = |time: Duration| time.abs_diff(initial[side]) <= READING;
            Some(is_it(first.time) || is_it(first.time + bonus))
        };
        match (is_planned(Color::White), is_planned(Color::Black)) {
            (Some(white), Some(black)) => Some(!white || !black),
            _ => (initial.white != initial.black).then_some(true),
        }
    }
}
