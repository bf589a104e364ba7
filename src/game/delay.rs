//! How far the public is behind a board, so that nobody outside the hall can help a player in time.
//! European team events ask for 15 minutes.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// The longest time: a day.
const MINUTES_MAX: u64 = 24 * 60;
/// The most moves.
const MOVES_MAX: usize = 200;

/// How far the public is behind the board.
///
/// ```
/// use rokade::game::Delay;
/// assert_eq!("15 minutes".parse(), Ok(Delay::Minutes(15)));
/// assert_eq!("3 moves".parse(), Ok(Delay::Moves(3)));
/// assert_eq!("".parse(), Ok(Delay::None));
/// assert!("a while".parse::<Delay>().is_err());
/// ```
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Delay {
    /// Not at all.
    #[default]
    None,
    /// By so many minutes, the result too.
    Minutes(u64),
    /// By so many moves, of both players each. What ends the game lets all of it through.
    Moves(usize),
}

impl Delay {
    /// Whether the public sees what is on record at once.
    pub const fn is_none(self) -> bool {
        matches!(self, Self::None)
    }
}

impl fmt::Display for Delay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Minutes(n) => write!(f, "{n} minutes"),
            Self::Moves(n) => write!(f, "{n} moves"),
        }
    }
}

impl FromStr for Delay {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "write \"15 minutes\" (up to {MINUTES_MAX}), \"3 moves\" (up to {MOVES_MAX}), or \
                 \"\" for no delay, and for one round \"3 moves; round 9: 15 minutes\""
            )
        };
        let words: Vec<&str> = text.split_whitespace().collect();
        let delay = match words.as_slice() {
            [] | ["none"] => Self::None,
            [n, "minute" | "minutes" | "min"] => Self::Minutes(n.parse().map_err(|_| wrong())?),
            [n, "move" | "moves"] => Self::Moves(n.parse().map_err(|_| wrong())?),
            _ => return Err(wrong()),
        };
        match delay {
            Self::Minutes(0) | Self::Moves(0) => Ok(Self::None),
            Self::Minutes(n) if n > MINUTES_MAX => Err(wrong()),
            Self::Moves(n) if n > MOVES_MAX => Err(wrong()),
            delay => Ok(delay),
        }
    }
}

/// How far the public is behind a board: usually, and in single rounds.
///
/// ```
/// use rokade::game::{Delay, RoundDelays};
/// let delays: RoundDelays = "3 moves; round 9: 15 minutes".parse().unwrap();
/// assert_eq!(delays.of(Some(8)), Delay::Moves(3));
/// assert_eq!(delays.of(Some(9)), Delay::Minutes(15));
/// assert_eq!(delays.of(None), Delay::Moves(3));
/// assert_eq!(delays.to_string(), "3 moves; round 9: 15 minutes");
/// for wrong in ["round 9", "round 0: 3 moves", "round 9: 3 moves; round 9: none", "3 moves; x"] {
///     assert!(wrong.parse::<RoundDelays>().is_err(), "{wrong}");
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoundDelays {
    usual: Delay,
    rounds: BTreeMap<u16, Delay>,
}

impl RoundDelays {
    /// That of a round, or where nothing is paired.
    pub fn of(&self, round: Option<u16>) -> Delay {
        let own = round.and_then(|round| self.rounds.get(&round));
        own.copied().unwrap_or(self.usual)
    }

    /// Whether it has none in any round.
    pub fn is_none(&self) -> bool {
        self.usual.is_none() && self.rounds.values().all(|delay| delay.is_none())
    }
}

impl From<Delay> for RoundDelays {
    fn from(usual: Delay) -> Self {
        Self { usual, rounds: BTreeMap::new() }
    }
}

impl fmt::Display for RoundDelays {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.usual)?;
        self.rounds.iter().try_for_each(|(round, delay)| write!(f, "; round {round}: {delay}"))
    }
}

impl FromStr for RoundDelays {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut delays = Self::default();
        let mut parts = text.split(';').peekable();
        if let Some(usual) = parts.next_if(|part| !part.contains(':')) {
            delays.usual = usual.parse()?;
        }
        for part in parts {
            let (round, delay) = part.split_once(':').unwrap_or((part, ""));
            let number = round.trim().strip_prefix("round ").and_then(|it| it.trim().parse().ok());
            let number: u16 = number.filter(|it| *it > 0).ok_or_else(|| {
                format!("{:?} is not a round; write \"round 9: 15 minutes\"", round.trim())
            })?;
            if delays.rounds.insert(number, delay.parse()?).is_some() {
                return Err(format!("round {number} has two delays"));
            }
        }
        Ok(delays)
    }
}
