//! What the arbiter is told of the clock: each difference between device and model by its kind.

use crate::table::Times;
use crate::table::words;
use shakmaty::Color;
use std::fmt;
use std::time::Duration;

/// One difference, or one thing that the device says of itself.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum ClockNote {
    /// The clock was not set to the time control when the game began. 2009: Art. 6.10b; 2023: Art.
    /// 6.10.2.
    Misset {
        /// The player whose side of the clock was misset.
        by: Color,
        /// What the control says.
        expected: Duration,
        /// What the clock shows.
        shown: Duration,
    },
    /// What a press adds on this clock is not what was expected.
    Increment {
        /// The player who pressed.
        by: Color,
        /// What was expected.
        expected: Duration,
        /// What the clock added.
        shown: Duration,
    },
    /// The clock added the time of the next period.
    Period {
        /// To whose side.
        by: Color,
        /// The time that was added.
        credit: Duration,
    },
    /// The time of the next period was due by the moves completed, and the clock did not add it.
    PeriodDue {
        /// To whose side.
        by: Color,
        /// The time that is to be added.
        credit: Duration,
    },
    /// Somebody set this time while the clock stood. 2023: Art. 7.5.5, 12.9.2, or a correction.
    SetByHand {
        /// The player whose time was set.
        by: Color,
        /// The time before.
        from: Duration,
        /// The time after.
        to: Duration,
    },
    /// This time was set as the arbiter had ordered it. 2023: Art. 6.12.1 and what leads to it.
    AsOrdered {
        /// The player whose time was set.
        by: Color,
        /// The time before.
        from: Duration,
        /// The time after.
        to: Duration,
    },
    /// Both sides show what they showed before the game.
    Reset {
        /// The times before.
        from: Times,
        /// The times after.
        to: Times,
    },
    /// Each side shows what the other should: the clock was turned round.
    Turned {
        /// From now on.
        to: Times,
    },
    /// The first press came from the end that the settings give to the other player.
    OtherEnd,
    /// Presses were not heard, or late: time has gone over from one player to the other.
    PressesMissed {
        /// What was expected.
        expected: Times,
        /// What the clock shows.
        shown: Times,
    },
    /// A time has changed and nothing accounts for it. 2009: Art. 6.10a; 2023: Art. 6.10.1.
    Unexplained {
        /// The player whose time has changed.
        by: Color,
        /// What was expected.
        from: Duration,
        /// What the clock shows.
        to: Duration,
    },
    /// Times came late or out of order; what they said was not believed.
    Late {
        /// By how much, at the most.
        by: Duration,
    },
    /// The clock goes wrong by this much.
    Drift {
        /// How fast it gains or loses.
        rate: Rate,
        /// By how much in all.
        by: Duration,
        /// In this time of running.
        over: Duration,
    },
    /// The clock was gone and is back.
    Back {
        /// What was reckoned meanwhile.
        estimated: Times,
        /// What it shows.
        shown: Times,
    },
    /// A clock of our own was without power, or its program was: it stands, with the times that are
    /// on record.
    Restored {
        /// From now on.
        to: Times,
    },
    /// What the clock shows is not believed: it does not do what it is told, and does not go by
    /// itself either. Times are reckoned from the presses. 2009: Art. 6.10a; 2023: Art. 6.10.1.
    NoTimes,
    /// The clock shows that its battery is low.
    BatteryLow,
}

words! {
    /// How a clock goes wrong.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub enum Rate {
        /// It takes too much time from the players.
        Fast = "fast",
        /// It takes too little.
        Slow = "slow",
    }
}

impl ClockNote {
    /// The player concerned, where one is.
    pub const fn by(&self) -> Option<Color> {
        match self {
            Self::Misset { by, .. }
            | Self::Increment { by, .. }
            | Self::Period { by, .. }
            | Self::PeriodDue { by, .. }
            | Self::SetByHand { by, .. }
            | Self::AsOrdered { by, .. }
            | Self::Unexplained { by, .. } => Some(*by),
            _ => None,
        }
    }

    /// The article that speaks of it, in the edition of 2023.
    pub const fn article(&self) -> Option<&'static str> {
        match self {
            Self::Misset { .. } | Self::Increment { .. } => Some("6.10.2"),
            Self::Drift { .. } | Self::Unexplained { .. } | Self::Reset { .. } | Self::NoTimes => {
                Some("6.10.1")
            }
            _ => None,
        }
    }

    /// The code under which logs name it.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Misset { .. } => "CLOCK_MISSET",
            Self::Increment { .. } => "CLOCK_INCREMENT",
            Self::Period { .. } => "CLOCK_PERIOD",
            Self::PeriodDue { .. } => "CLOCK_PERIOD_DUE",
            Self::SetByHand { .. } => "CLOCK_SET",
            Self::AsOrdered { .. } => "CLOCK_ORDERED",
            Self::Reset { .. } => "CLOCK_RESET",
            Self::Turned { .. } => "CLOCK_TURNED",
            Self::OtherEnd => "CLOCK_OTHER_END",
            Self::PressesMissed { .. } => "CLOCK_PRESSES_MISSED",
            Self::Unexplained { .. } => "CLOCK_UNEXPLAINED",
            Self::Late { .. } => "CLOCK_LATE",
            Self::Drift { .. } => "CLOCK_DRIFT",
            Self::Back { .. } => "CLOCK_BACK",
            Self::Restored { .. } => "CLOCK_RESTORED",
            Self::NoTimes => "CLOCK_NO_TIMES",
            Self::BatteryLow => "CLOCK_BATTERY",
        }
    }
}

/// A number of seconds as hours, minutes and seconds.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Hms(pub u64);

impl Hms {
    /// Seconds that have begun count as whole ones. In milliseconds, as a record has them: what is
    /// read must say the same.
    fn begun(time: Duration) -> Self {
        Self(time.as_secs() + u64::from(time.subsec_millis() != 0))
    }
}

impl fmt::Display for Hms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0;
        write!(f, "{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
    }
}

/// Both times.
struct Both(Times);

impl fmt::Display for Both {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "white {} black {}", Hms::begun(self.0.white), Hms::begun(self.0.black))
    }
}

impl fmt::Display for ClockNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(color) = self.by() {
            write!(f, "{color}: ")?;
        }
        match *self {
            Self::Misset { expected, shown, .. } => {
                write!(
                    f,
                    "set to {}, the time control says {}",
                    Hms::begun(shown),
                    Hms::begun(expected)
                )
            }
            Self::Increment { expected, shown, .. } => write!(
                f,
                "a press added {} s where {} s were expected",
                shown.as_secs(),
                expected.as_secs()
            ),
            Self::Period { credit, .. } => write!(f, "a new period, {} added", Hms::begun(credit)),
            Self::PeriodDue { credit, .. } => {
                write!(
                    f,
                    "{} for the next period are due, but the clock has not added them",
                    Hms::begun(credit)
                )
            }
            Self::SetByHand { from, to, .. } | Self::AsOrdered { from, to, .. } => {
                let (word, span) =
                    if to >= from { ("added", to - from) } else { ("taken", from - to) };
                let is_ordered = matches!(self, Self::AsOrdered { .. });
                let how = if is_ordered { "as ordered" } else { "at the clock" };
                write!(f, "{} {word} {how}, now {}", Hms::begun(span), Hms::begun(to))
            }
            Self::Reset { from, .. } => write!(f, "clock was reset; before that {}", Both(from)),
            Self::Turned { to } => write!(f, "clock turned around; {}", Both(to)),
            Self::OtherEnd => {
                f.write_str("clock stands the other way around from what the settings say")
            }
            Self::PressesMissed { expected, shown } => {
                write!(
                    f,
                    "press missed or heard late; {}, expected {}",
                    Both(shown),
                    Both(expected)
                )
            }
            Self::Unexplained { from, to, .. } => {
                write!(f, "shows {} where {} was expected", Hms::begun(to), Hms::begun(from))
            }
            Self::Late { by } => write!(f, "times came late by up to {} s", by.as_secs()),
            Self::Drift { rate, by, over } => {
                let word = if rate == Rate::Fast { "fast" } else { "slow" };
                write!(f, "clock is {word} by {} s in {}", by.as_secs(), Hms::begun(over))
            }
            Self::Back { estimated, shown } => {
                write!(f, "clock is back; {}, expected {}", Both(shown), Both(estimated))
            }
            Self::Restored { to } => {
                write!(f, "clock had stopped and was set to the times on record; {}", Both(to))
            }
            Self::NoTimes => f.write_str(
                "clock does not obey; its times are ignored and computed from the presses",
            ),
            Self::BatteryLow => f.write_str("battery low"),
        }
    }
}
