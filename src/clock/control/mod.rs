//! Time controls: how much time for which moves. Laws of 2023: Art. 6.3; 2009: Art. 6.2.
//!
//! How they are written stands in [`notation`].

pub mod notation;

use shakmaty::Color;
use std::fmt;
use std::num::NonZeroU16;
use std::time::Duration;

/// The longest time that a period may give: no chess clock shows more (protocol 2.1).
pub const ALLOTMENT_MAX: Duration = Duration::from_secs(9 * 3600 + 59 * 60 + 59);
/// The longest increment or delay. Ours: no control comes near it.
pub const PER_MOVE_MAX: Duration = Duration::from_secs(60 * 60);
/// The most periods of one player. Ours: clocks know five at the most.
pub const N_PERIODS_MAX: usize = 9;
/// The most moves of one period. Ours.
pub const N_MOVES_MAX: u16 = 999;

/// What a player is given for each move, beside the time of the period.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum PerMove {
    /// No time is added.
    #[default]
    Nothing,
    /// An increment, credited with the press: what is saved stays. Fischer's mode; 2009: Art. 6.2a;
    /// 2023: Art. 6.3.1.
    Increment(Duration),
    /// A delay: the main time begins to run after it, and what is left of it is lost. 2009: Art.
    /// 6.2b; 2023: Art. 6.3.2.
    Delay(Duration),
    /// The same delay on a clock that shows the time running at once and gives back at the press
    /// what was used, up to the delay. Bronstein's mode.
    Bronstein(Duration),
}

impl PerMove {
    /// How long it is; zero for nothing.
    pub const fn span(self) -> Duration {
        match self {
            Self::Nothing => Duration::ZERO,
            Self::Increment(span) | Self::Delay(span) | Self::Bronstein(span) => span,
        }
    }

    /// How long the main time does not count, at the beginning of each move.
    pub const fn free(self) -> Duration {
        match self {
            Self::Nothing | Self::Increment(_) => Duration::ZERO,
            Self::Delay(span) | Self::Bronstein(span) => span,
        }
    }
}

/// One period: moves to be completed and the time for them.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Period {
    /// How many moves; `None` for all the rest of the game.
    pub moves: Option<NonZeroU16>,
    /// The time that is added when the period begins.
    pub allotment: Duration,
    /// What each of its moves is given beside that.
    pub per_move: PerMove,
}

/// The periods of one player, in their order: at least one. Only the last may be for all moves; if
/// it is for a number of moves too, it is repeated for ever.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Periods(Vec<Period>);

impl Periods {
    /// Periods that can be played.
    ///
    /// # Errors
    /// There is none, or there are more than [`N_PERIODS_MAX`]; a time is not in whole seconds or
    /// longer than [`ALLOTMENT_MAX`] or [`PER_MOVE_MAX`]; a number of moves is above
    /// [`N_MOVES_MAX`]; an increment or delay of zero; nothing for the first move; a period that
    /// follows one for all the rest.
    pub fn new(periods: Vec<Period>) -> Result<Self, ControlFault> {
        let Some((last, earlier)) = periods.split_last() else { return Err(ControlFault::Empty) };
        if periods.len() > N_PERIODS_MAX {
            return Err(ControlFault::TooManyPeriods);
        }
        if earlier.iter().any(|period| period.moves.is_none()) {
            return Err(ControlFault::AfterTheRest);
        }
        periods.iter().try_for_each(check)?;
        // A period repeated for ever must give something.
        let is_endless = last.moves.is_some() && last.allotment.is_zero();
        if periods[0].allotment.is_zero() || is_endless && last.per_move.span().is_zero() {
            return Err(ControlFault::NoTime);
        }
        Ok(Self(periods))
    }

    /// The periods as written; the last may stand for many.
    pub fn as_slice(&self) -> &[Period] {
        &self.0
    }

    /// The period with this index, counted from 0. The last one stands for all after it.
    pub fn get(&self, index: usize) -> &Period {
        &self.0[index.min(self.0.len() - 1)]
    }

    /// Whether a period follows the one with this index.
    pub fn has_next(&self, index: usize) -> bool {
        index + 1 < self.0.len() || self.get(index).moves.is_some()
    }

    /// How many moves must be completed, counted from the first of the game, before the period
    /// with this index is over; `None` if it is for all the rest.
    pub fn required(&self, index: usize) -> Option<u32> {
        let n_written = self.0.len().min(index + 1);
        let moves = |period: &Period| period.moves.map(|moves| u32::from(moves.get()));
        let written: u32 = self.0[..n_written].iter().map(moves).sum::<Option<u32>>()?;
        let repeats = u32::try_from(index + 1 - n_written).unwrap_or(u32::MAX);
        Some(written.saturating_add(repeats.saturating_mul(moves(self.get(index))?)))
    }

    /// The index of the period in which the move after `completed` moves is played.
    pub fn index_after(&self, completed: u32) -> usize {
        let last = self.0.len() - 1;
        let in_written = (0..last).find(|idx| self.required(*idx).is_some_and(|n| n > completed));
        let before_last = last.checked_sub(1).and_then(|idx| self.required(idx)).unwrap_or(0);
        in_written.unwrap_or_else(|| {
            let moves = self.0[last].moves.map_or(u32::MAX, |moves| u32::from(moves.get()));
            last + ((completed - before_last) / moves) as usize
        })
    }

    /// All the time that a player gets who completes `n_moves`, as the Laws reckon it to tell
    /// rapid from blitz: the allotments up to there and all that is given for each move. 2023:
    /// Art. A.1, B.1.
    pub fn total(&self, n_moves: u32) -> Duration {
        let n_periods = self.index_after(n_moves.saturating_sub(1)) + 1;
        let allotments: Duration = (0..n_periods).map(|idx| self.get(idx).allotment).sum();
        let of_move = |n: u32| self.get(self.index_after(n)).per_move.span();
        allotments + (0..n_moves).map(of_move).sum::<Duration>()
    }
}

fn check(period: &Period) -> Result<(), ControlFault> {
    let spans = [period.allotment, period.per_move.span()];
    if spans.iter().any(|span| span.subsec_nanos() != 0) {
        return Err(ControlFault::Fraction);
    }
    if period.allotment > ALLOTMENT_MAX {
        return Err(ControlFault::TooLong);
    }
    if period.per_move.span() > PER_MOVE_MAX {
        return Err(ControlFault::TooMuchPerMove);
    }
    if period.per_move != PerMove::Nothing && period.per_move.span().is_zero() {
        return Err(ControlFault::NothingPerMove);
    }
    if period.moves.is_some_and(|moves| moves.get() > N_MOVES_MAX) {
        return Err(ControlFault::TooManyMoves);
    }
    Ok(())
}

/// The time control of a game.
///
/// ```
/// use rokade::clock::TimeControl;
/// use std::time::Duration;
/// let control: TimeControl = "90m/40+30m+30s".parse()?;
/// assert_eq!(control.to_string(), "40/90m+30s:30m+30s");
/// assert_eq!(control.to_pgn(), "40/5400+30:1800+30");
/// # Ok::<(), rokade::clock::ControlError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TimeControl {
    /// The game is played without a clock.
    NoClock,
    /// An hourglass: what one player uses the other gains.
    Hourglass {
        /// White's time at the start.
        white: Duration,
        /// Black's time at the start.
        black: Duration,
    },
    /// Periods, which may differ between the players.
    Periods {
        /// White's periods.
        white: Periods,
        /// Black's periods.
        black: Periods,
    },
}

impl TimeControl {
    /// The same periods for both players.
    pub fn even(periods: Periods) -> Self {
        Self::Periods { white: periods.clone(), black: periods }
    }

    /// One period for all moves, the same for both players.
    ///
    /// # Errors
    /// As for [`Periods::new`].
    pub fn sudden_death(allotment: Duration, per_move: PerMove) -> Result<Self, ControlFault> {
        Periods::new(vec![Period { moves: None, allotment, per_move }]).map(Self::even)
    }

    /// An hourglass.
    ///
    /// # Errors
    /// A time is zero, not in whole seconds, or longer than [`ALLOTMENT_MAX`].
    pub fn hourglass(white: Duration, black: Duration) -> Result<Self, ControlFault> {
        for allotment in [white, black] {
            check(&Period { moves: None, allotment, per_move: PerMove::Nothing })?;
            if allotment.is_zero() {
                return Err(ControlFault::NoTime);
            }
        }
        Ok(Self::Hourglass { white, black })
    }

    /// The periods of `color`; `None` without a clock or with an hourglass.
    pub const fn periods(&self, color: Color) -> Option<&Periods> {
        match (self, color) {
            (Self::Periods { white, .. }, Color::White) => Some(white),
            (Self::Periods { black, .. }, Color::Black) => Some(black),
            _ => None,
        }
    }

    /// What the clock of `color` is set to before the game; `None` without a clock.
    pub fn initial(&self, color: Color) -> Option<Duration> {
        match (self, color) {
            (Self::NoClock, _) => None,
            (Self::Hourglass { white, .. }, Color::White) => Some(*white),
            (Self::Hourglass { black, .. }, Color::Black) => Some(*black),
            (Self::Periods { white, .. }, Color::White) => Some(white.get(0).allotment),
            (Self::Periods { black, .. }, Color::Black) => Some(black.get(0).allotment),
        }
    }
}

/// Why no time control can be made of something.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum ControlFault {
    /// There is nothing.
    Empty,
    /// It is in no notation that is known.
    Unreadable,
    /// A number without a unit may be minutes or seconds.
    Ambiguous,
    /// No time for the first move, or none in a period that is repeated.
    NoTime,
    /// An increment or a delay of zero.
    NothingPerMove,
    /// A time that is not in whole seconds.
    Fraction,
    /// More than [`ALLOTMENT_MAX`].
    TooLong,
    /// More than [`PER_MOVE_MAX`].
    TooMuchPerMove,
    /// No moves at all in a period.
    NoMoves,
    /// More than [`N_MOVES_MAX`].
    TooManyMoves,
    /// More than [`N_PERIODS_MAX`].
    TooManyPeriods,
    /// A period follows one that is for all the rest of the game.
    AfterTheRest,
    /// One player with an hourglass, or without a clock, and the other with periods.
    Mixed,
}

impl fmt::Display for ControlFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "no time control",
            Self::Unreadable => "not a time control",
            Self::Ambiguous => "minutes or seconds?",
            Self::NoTime => "no time to make a move in",
            Self::NothingPerMove => "zero seconds a move are none",
            Self::Fraction => "a time that is not in whole seconds",
            Self::TooLong => "more than 9 h 59 min 59 s, which no clock shows",
            Self::TooMuchPerMove => "more than an hour for each move",
            Self::NoMoves => "a period of no moves",
            Self::TooManyMoves => "more than 999 moves in a period",
            Self::TooManyPeriods => "more than nine periods",
            Self::AfterTheRest => "a period after one that is for all moves",
            Self::Mixed => "two players with different kinds of clock",
        })
    }
}

impl std::error::Error for ControlFault {}

#[cfg(test)]
mod tests {
    use super::*;

    fn periods(text: &str) -> Periods {
        let control: TimeControl = text.parse().unwrap();
        control.periods(Color::White).unwrap().clone()
    }

    #[test]
    fn the_last_period_is_repeated_if_it_has_moves() {
        let periods = periods("40/2h:20/1h");
        assert_eq!(periods.required(0), Some(40));
        assert_eq!(periods.required(3), Some(100));
        assert_eq!(periods.index_after(39), 0);
        assert_eq!(periods.index_after(40), 1);
        assert_eq!(periods.index_after(99), 3);
        assert!(periods.has_next(7));
    }

    #[test]
    fn the_time_for_sixty_moves_tells_rapid_from_blitz() {
        let minutes = |n: u64| Duration::from_secs(60 * n);
        assert_eq!(periods("3m+2s").total(60), minutes(5));
        assert_eq!(periods("15m+10s").total(60), minutes(25));
        assert_eq!(periods("40/90m+30s:30m+30s").total(60), minutes(150));
        assert_eq!(periods("40/90m:30m+30s").total(60), minutes(130));
        assert_eq!(periods("40/90m:30m+30s").total(40), minutes(90));
    }
}
