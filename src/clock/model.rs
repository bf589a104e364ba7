//! The clock as it should be: whose time runs, how much is left, which flag is down.
//!
//! A model knows the time control and what was done to the clock, and nothing of any device. It is
//! handed the time with each call; calls must come in the order of their time. It reckons in
//! microseconds and loses none: every microsecond of each player is in one of the columns of his
//! [`Account`], and [`Account::left`] is their sum.
//!
//! Sources: Laws of 2009, Art. 6.1 to 6.3 and 6.9 to 6.13; of 2023, Art. 6.1 to 6.4, 6.8 to 6.11,
//! Guideline III.4.

use super::control::{PerMove, Period, TimeControl};
use crate::table::Times;
use crate::time::Mono;
use shakmaty::{ByColor, Color};
use std::time::Duration;

/// When the time of the next period is added.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Crediting {
    /// As soon as the moves of the period are completed: the clock counts presses.
    #[default]
    OnMoves,
    /// When the time of the period is used up, if its moves are completed. 2009: Art. 6.3.
    OnZero,
}

/// When the increment of a player's first move is added.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum FirstIncrement {
    /// With his first press, as all others.
    #[default]
    WithPress,
    /// Before the game, as most clocks do: then none is lost, and his first press adds the one
    /// for his second move.
    BeforeStart,
}

/// How a clock is set beside its time control.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Manner {
    /// When the next period's time comes.
    pub crediting: Crediting,
    /// When the first increment comes.
    pub first_increment: FirstIncrement,
}

/// Where the time of one player went. All in microseconds' resolution.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// What the clock was set to, and every allotment, increment and hourglass gain since.
    pub credited: Duration,
    /// How long his side ran.
    pub spent: Duration,
    /// Of that: what cost no main time, in a delay or after his flag had fallen.
    pub free: Duration,
    /// What the arbiter gave, or the device was found to show more.
    pub given: Duration,
    /// What the arbiter took, or the device was found to show less.
    pub taken: Duration,
}

impl Account {
    /// What is left of it all.
    pub fn left(&self) -> Duration {
        (self.credited + self.given + self.free).saturating_sub(self.spent + self.taken)
    }
}

/// What happened to the clock, in order.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The time of this player began to run.
    Started(Color),
    /// Both sides stand still.
    Stopped,
    /// This player pressed and so completed a move, as far as a clock can tell.
    Pressed {
        /// The player who pressed.
        by: Color,
        /// What the press added to his time, without a new period's.
        credit: Duration,
    },
    /// A new period begins for this player.
    PeriodBegun {
        /// The player whose period begins.
        by: Color,
        /// The index of the period that begins, from 1 for the second.
        index: usize,
        /// What was added.
        credit: Duration,
    },
    /// This player's time is used up. If his moves were completed, a new period begins as the next
    /// change and the flag is up again: 2009, Art. 6.3.
    FlagFell {
        /// The player whose time is used up.
        by: Color,
        /// When, which may be before the call that noticed it.
        at: Mono,
        /// Whether the moves of the period were completed.
        has_enough_moves: bool,
    },
    /// The arbiter changed this player's time.
    Adjusted {
        /// The player whose time was changed.
        by: Color,
        /// The time before.
        from: Duration,
        /// The time after.
        to: Duration,
    },
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct PlayerClock {
    account: Account,
    /// What his side has run since the last press of either player.
    used: Duration,
    completed: u32,
    period: usize,
    is_flagged: bool,
}

/// The clock of one game.
///
/// ```
/// use rokade::clock::{Change, ClockModel, Manner};
/// use rokade::time::Mono;
/// use shakmaty::Color;
/// use std::time::Duration;
///
/// let mut clock = ClockModel::new("3m+2s".parse()?, Manner::default());
/// clock.start(Mono(0), Color::White);
/// clock.press(Mono::from_millis(5_000), Color::White);
/// assert_eq!(clock.left(Color::White), Duration::from_secs(177));
/// assert_eq!(clock.running(), Some(Color::Black));
/// // Black's flag will fall three minutes later.
/// assert_eq!(clock.wake_at(), Some(Mono::from_millis(185_000)));
/// # Ok::<(), rokade::clock::ControlError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockModel {
    control: TimeControl,
    manner: Manner,
    /// In place of the control's, since the arbiter ordered it.
    per_move: Option<PerMove>,
    sides: ByColor<PlayerClock>,
    running: Option<Color>,
    /// Up to when the running side is reckoned.
    now: Mono,
}

impl ClockModel {
    /// A clock set for the game, standing still.
    pub fn new(control: TimeControl, manner: Manner) -> Self {
        let sides = ByColor::new_with(|color| {
            let mut credited = control.initial(color).unwrap_or_default();
            let first = control.periods(color).map(|periods| periods.get(0).per_move);
            if let (FirstIncrement::BeforeStart, Some(PerMove::Increment(increment))) =
                (manner.first_increment, first)
            {
                credited += increment;
            }
            let account = Account { credited, ..Account::default() };
            PlayerClock { account, ..PlayerClock::default() }
        });
        let (per_move, running, now) = (None, None, Mono(0));
        Self { control, manner, per_move, sides, running, now }
    }

    /// The time control.
    pub fn control(&self) -> &TimeControl {
        &self.control
    }

    /// Whose time runs.
    pub fn running(&self) -> Option<Color> {
        self.running
    }

    /// What `color` has left, as a clock shows it, at the time of the last call. With a delay the
    /// main time; with Bronstein's less than that during a move.
    pub fn left(&self, color: Color) -> Duration {
        self.sides.get(color).account.left().saturating_sub(self.lent(color))
    }

    /// What a Bronstein clock shows as gone during a move and gives back at the press.
    fn lent(&self, color: Color) -> Duration {
        match self.per_move(color) {
            PerMove::Bronstein(span) => self.sides.get(color).used.min(span),
            _ => Duration::ZERO,
        }
    }

    /// The same clock for whoever counts so much ahead of the time that it was told.
    #[must_use]
    pub fn ahead(&self, by: Duration) -> Self {
        Self { now: self.now + by, ..self.clone() }
    }

    /// [`ClockModel::left`] of both players at `at`, without any change to the clock.
    pub fn times(&self, at: Mono) -> Times {
        let mut then = self.clone();
        then.advance(at);
        Times { white: then.left(Color::White), black: then.left(Color::Black) }
    }

    /// How many moves `color` has completed.
    pub fn completed(&self, color: Color) -> u32 {
        self.sides.get(color).completed
    }

    /// The index of the period that `color` is in, from 0.
    pub fn period(&self, color: Color) -> usize {
        self.sides.get(color).period
    }

    /// Whether the flag of `color` is down.
    pub fn is_flagged(&self, color: Color) -> bool {
        self.sides.get(color).is_flagged
    }

    /// Where the time of `color` went, as far as it has been reckoned.
    pub fn account(&self, color: Color) -> Account {
        self.sides.get(color).account
    }

    /// What each move of `color` is given now.
    pub fn per_move(&self, color: Color) -> PerMove {
        self.per_move
            .unwrap_or_else(|| self.of_period(color).map_or(PerMove::Nothing, |p| p.per_move))
    }

    fn of_period(&self, color: Color) -> Option<&Period> {
        let periods = self.control.periods(color)?;
        Some(periods.get(self.period(color)))
    }

    /// When the flag of the player whose time runs falls, unless something happens before.
    pub fn wake_at(&self) -> Option<Mono> {
        let color = self.running.filter(|color| !self.is_flagged(*color))?;
        self.control.initial(color)?;
        let side = self.sides.get(color);
        let free = self.per_move(color).free().saturating_sub(side.used);
        Some(self.now + side.account.left() + free)
    }

    /// Lets the time pass up to `at`.
    pub fn advance(&mut self, at: Mono) -> Vec<Change> {
        let mut changes = Vec::new();
        while let Some(falls) = self.wake_at().filter(|falls| *falls <= at) {
            self.reckon(falls);
            let Some(color) = self.running else { break };
            self.exhaust(color, falls, &mut changes);
        }
        self.reckon(at);
        changes
    }

    /// Books the time up to `at`, in which no flag falls.
    fn reckon(&mut self, at: Mono) {
        let passed = at.since(self.now);
        self.now = self.now.max(at);
        let Some(color) = self.running else { return };
        let free = self.per_move(color).free();
        let is_timed = self.control != TimeControl::NoClock;
        let side = self.sides.get_mut(color);
        side.account.spent += passed;
        side.account.free += if side.is_flagged || !is_timed {
            passed
        } else {
            free.saturating_sub(side.used).min(passed)
        };
        side.used += passed;
        // Sand that has run out stays out, and none follows it.
        let is_hourglass = matches!(self.control, TimeControl::Hourglass { .. });
        if is_hourglass && !self.sides.iter().any(|side| side.is_flagged) {
            self.sides.get_mut(!color).account.credited += passed;
        }
    }

    /// The time of `color` is used up.
    fn exhaust(&mut self, color: Color, at: Mono, changes: &mut Vec<Change>) {
        let has_enough_moves = self.has_enough_moves(color);
        changes.push(Change::FlagFell { by: color, at, has_enough_moves });
        if has_enough_moves {
            self.begin_period(color, changes);
        } else {
            self.sides.get_mut(color).is_flagged = true;
        }
    }

    /// Whether `color` has completed the moves of his period.
    pub fn has_enough_moves(&self, color: Color) -> bool {
        let required = self.control.periods(color).and_then(|p| p.required(self.period(color)));
        required.is_some_and(|required| self.completed(color) >= required)
    }

    fn begin_period(&mut self, color: Color, changes: &mut Vec<Change>) {
        let Some(periods) = self.control.periods(color) else { return };
        let side = self.sides.get_mut(color);
        side.period += 1;
        let credit = periods.get(side.period).allotment;
        side.account.credited += credit;
        changes.push(Change::PeriodBegun { by: color, index: side.period, credit });
    }

    /// Sets the time of `color` running: at the start of the game, or when the arbiter lets it go
    /// on. What he has used of a delay stays used.
    pub fn start(&mut self, at: Mono, color: Color) -> Vec<Change> {
        let mut changes = self.advance(at);
        if self.running.replace(color) != Some(color) {
            changes.push(Change::Started(color));
        }
        changes
    }

    /// Stops both sides.
    pub fn stop(&mut self, at: Mono) -> Vec<Change> {
        let mut changes = self.advance(at);
        if self.running.take().is_some() {
            changes.push(Change::Stopped);
        }
        changes
    }

    /// `by` presses his end down: his time stops, the opponent's runs, a move is counted, and what
    /// the mode gives for it is credited. A press on the side that does not run, or on a clock
    /// that stands, does nothing. 2009: Art. 6.7a; 2023: Art. 6.2.1.
    ///
    /// Where no move was made the arbiter sets counter and time right; the clock cannot know.
    pub fn press(&mut self, at: Mono, by: Color) -> Vec<Change> {
        let mut changes = self.advance(at);
        if self.running != Some(by) {
            return changes;
        }
        let per_move = self.per_move(by);
        let side = self.sides.get_mut(by);
        side.completed += 1;
        let credit = match per_move {
            PerMove::Increment(increment) if !side.is_flagged => increment,
            _ => Duration::ZERO,
        };
        side.account.credited += credit;
        self.sides.iter_mut().for_each(|side| side.used = Duration::ZERO);
        changes.push(Change::Pressed { by, credit });
        let is_over = self.manner.crediting == Crediting::OnMoves && self.has_enough_moves(by);
        if is_over && !self.is_flagged(by) {
            self.begin_period(by, &mut changes);
        }
        self.running = Some(!by);
        changes.push(Change::Started(!by));
        changes
    }

    /// The arbiter sets the time of `color`. Zero brings his flag down, more puts it up. 2009: Art.
    /// 6.13; 2023: Art. 7.1.
    pub fn set_time(&mut self, at: Mono, color: Color, to: Duration) -> Vec<Change> {
        let mut changes = self.advance(at);
        let from = self.left(color);
        self.put(color, if to.is_zero() { to } else { to + self.lent(color) });
        changes.push(Change::Adjusted { by: color, from, to });
        if to.is_zero() && !self.is_flagged(color) {
            self.exhaust(color, at, &mut changes);
        } else if !to.is_zero() {
            self.sides.get_mut(color).is_flagged = false;
        }
        changes
    }

    /// The arbiter adds `span` to the time of `color`, as for an illegal move of the opponent.
    pub fn add(&mut self, at: Mono, color: Color, span: Duration) -> Vec<Change> {
        let mut changes = self.advance(at);
        let to = self.left(color) + span;
        changes.extend(self.set_time(at, color, to));
        changes
    }

    /// The arbiter takes `span` from the time of `color`. If no more than that is left, his flag
    /// falls.
    pub fn subtract(&mut self, at: Mono, color: Color, span: Duration) -> Vec<Change> {
        let mut changes = self.advance(at);
        let to = self.left(color).saturating_sub(span);
        changes.extend(self.set_time(at, color, to));
        changes
    }

    /// The device is believed: `color` has `to` left. The arbiter did not do it, so no flag falls;
    /// one that is down goes up again if there is time left.
    pub fn adopt(&mut self, color: Color, to: Duration) {
        self.put(color, to + self.lent(color));
        if !to.is_zero() {
            self.sides.get_mut(color).is_flagged = false;
        }
    }

    /// What has been reckoned for one player belongs to the other.
    pub fn turn(&mut self) {
        let sides = &mut self.sides;
        std::mem::swap(&mut sides.white, &mut sides.black);
        self.running = self.running.map(|color| !color);
    }

    /// From now on the clock adds new periods in this way.
    pub fn set_crediting(&mut self, crediting: Crediting) {
        self.manner.crediting = crediting;
    }

    fn put(&mut self, color: Color, to: Duration) {
        let account = &mut self.sides.get_mut(color).account;
        let from = account.left();
        account.given += to.saturating_sub(from);
        account.taken += from.saturating_sub(to);
    }

    /// The arbiter sets how many moves `color` has completed. Where periods follow the count, so
    /// does the period; its time is the arbiter's to set.
    pub fn set_completed(&mut self, color: Color, completed: u32) {
        let index = self.control.periods(color).map(|periods| periods.index_after(completed));
        let side = self.sides.get_mut(color);
        side.completed = completed;
        if self.manner.crediting == Crediting::OnMoves {
            side.period = index.unwrap_or(0);
        }
    }

    /// The arbiter sets the period of `color`, counted from 0.
    pub fn set_period(&mut self, color: Color, index: usize) {
        self.sides.get_mut(color).period = index;
    }

    /// From now on each move of both players is given `per_move`, in every period. 2023: Guideline
    /// III.4, where five seconds are introduced. The two minutes for the opponent are
    /// [`ClockModel::add`].
    pub fn set_per_move(&mut self, at: Mono, per_move: PerMove) -> Vec<Change> {
        let changes = self.advance(at);
        self.per_move = Some(per_move);
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a device shows decides about a flag that has fallen by the model: time that is left
    /// puts it up again.
    #[test]
    fn a_flag_goes_up_again_with_time_and_not_without() {
        for (shown, is_down) in [(0, true), (1, false)] {
            let minute = TimeControl::sudden_death(Duration::from_secs(60), PerMove::Nothing);
            let mut model = ClockModel::new(minute.expect("a minute"), Manner::default());
            model.start(Mono(0), Color::White);
            model.advance(Mono::from_millis(60_000));
            assert!(model.is_flagged(Color::White));
            model.adopt(Color::White, Duration::from_secs(shown));
            assert_eq!(model.is_flagged(Color::White), is_down, "{shown} s");
        }
    }
}
