//! What the referee orders of the chess clock: passed to whatever drives it, or told to the person
//! who has to do it.

use super::ClockSide;
use crate::clock::Hms;
use crate::game::entry::Fact;
use crate::game::settings::ClockRole;
use crate::laws::ClockOrder;
use crate::table::Times;
use crate::time::Mono;

use std::fmt;

/// An order as a person at the clock carries it out.
struct ByHand(ClockOrder);

impl fmt::Display for ByHand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            ClockOrder::Stop => f.write_str("stop both sides"),
            ClockOrder::Run(side) => write!(f, "let {side}'s side run"),
            ClockOrder::Set(side, to) => write!(f, "set {side} to {}", Hms(to.as_secs())),
            ClockOrder::Add(side, span) => write!(f, "give {side} {} more", Hms(span.as_secs())),
            ClockOrder::Subtract(side, span) => {
                write!(f, "take {} from {side}", Hms(span.as_secs()))
            }
            ClockOrder::Credit(side, span) => {
                write!(f, "{} of the next period for {side}", Hms(span.as_secs()))
            }
            ClockOrder::Increment(span) => {
                write!(f, "{} s for each move from now on", span.as_secs())
            }
            ClockOrder::Moves(n) => write!(f, "move counter to {n}"),
        }
    }
}

impl ClockSide {
    /// The referee has ordered this of the clock, after which both have so much time left. Of one
    /// that is not ours to drive it goes on record what is to be set by hand.
    pub(in crate::game) fn order(
        &mut self,
        now: Mono,
        orders: &[ClockOrder],
        after: Times,
        is_over: bool,
        facts: &mut Vec<Fact>,
    ) {
        self.expect(now, orders, facts);
        if self.role != ClockRole::Read {
            return;
        }
        let running = self.running();
        let is_due = |order: &&ClockOrder| match **order {
            // Players stop the clock of a game that is over themselves.
            ClockOrder::Stop => running.is_some() && !is_over,
            ClockOrder::Run(side) => self.is_heard() && running != Some(side),
            // Such a clock adds the time of the next period itself.
            ClockOrder::Credit(..) => false,
            _ => true,
        };
        let due: Vec<_> = orders.iter().copied().filter(|order| is_due(&order)).collect();
        let what: Vec<_> = due.iter().map(|order| ByHand(*order).to_string()).collect();
        let has_times = self.times().is_some() && due.iter().any(sets_time);
        let times = has_times.then_some(after);
        if !what.is_empty() {
            facts.push(Fact::ClockDue { what: what.join(", "), times });
        }
    }

    /// The clock will show other times, and that will be no news.
    fn expect(&mut self, now: Mono, orders: &[ClockOrder], facts: &mut Vec<Fact>) {
        if orders.iter().any(sets_time) {
            self.keeper.close_time_set();
            self.tell_notes(facts);
        }
        let Some(mut left) = self.estimate(now).map(|estimate| estimate.times) else { return };
        for order in orders {
            let (side, to) = match *order {
                ClockOrder::Set(side, to) => (side, to),
                ClockOrder::Add(side, span) => (side, *left.get(side) + span),
                ClockOrder::Subtract(side, span) => (side, left.get(side).saturating_sub(span)),
                _ => continue,
            };
            let before = *left.get(side);
            let (more, less) = (to.saturating_sub(before), before.saturating_sub(to));
            self.keeper.expect_order(side, more, less);
            *left.get_mut(side) = to;
        }
    }
}

const fn sets_time(order: &ClockOrder) -> bool {
    matches!(order, ClockOrder::Set(..) | ClockOrder::Add(..) | ClockOrder::Subtract(..))
}
