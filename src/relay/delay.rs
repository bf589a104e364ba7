//! The public may be behind the board, so that nobody outside the hall can help a player in time.
//! European team events ask for 15 minutes.

use crate::game::{Entry, Fact};
use crate::time::{Mono, Stamp};
use std::collections::VecDeque;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// The longest time: a day.
const MINUTES_MAX: u64 = 24 * 60;
/// The most half-moves.
const MOVES_MAX: usize = 200;

/// How far the public is behind the board.
///
/// ```
/// use rokade::relay::delay::Delay;
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
                 \"\" for no delay"
            )
        };
        let words: Vec<&str> = text.split_whitespace().collect();
        let delay = match words.as_slice() {
            [] => Self::None,
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

/// An entry that waits.
#[derive(Clone, Debug)]
struct HeldEntry {
    entry: Entry,
    /// The half-move that it tells of.
    ply: usize,
    /// It was recorded by this run of the program, whose time tells how long ago that was.
    is_of_this_run: bool,
    /// When it was taken: it was made before that.
    taken_at: Mono,
    /// It is no secret, and nothing before it is.
    is_free: bool,
}

/// Whether it may tell of the half-move that comes after those on record: pieces stand where a move
/// has put them before it is made.
const fn is_of_next(fact: &Fact) -> bool {
    matches!(
        fact,
        Fact::Sensed { .. }
            | Fact::Pictured(_)
            | Fact::Found(_)
            | Fact::PositionLost(_)
            | Fact::IllegalMove { .. }
            | Fact::SearchCut { .. }
            | Fact::Act(_)
            | Fact::Ruled(_)
            | Fact::Weighed(_)
    )
}

/// Holds entries back for as long as the public is behind the board.
#[derive(Clone, Debug, Default)]
pub struct Held {
    delay: Delay,
    waiting: VecDeque<HeldEntry>,
    /// Half-moves on record.
    n_plies: usize,
    /// So many of those that wait may pass, because their game is over.
    n_free: usize,
    is_over: bool,
}

impl Held {
    /// Nothing is held yet.
    pub fn new(delay: Delay) -> Self {
        Self { delay, ..Self::default() }
    }

    /// Takes the next entry of a record at `now`, which this run of the program made or one before.
    pub fn take(&mut self, entry: &Entry, is_of_this_run: bool, now: Stamp) {
        if self.delay.is_none() {
            return;
        }
        match entry.fact {
            Fact::GameStarted { .. } => self.n_plies = 0,
            Fact::MoveMade { ply, .. } => self.n_plies = ply,
            Fact::MoveRetracted { ply } => self.n_plies = ply.saturating_sub(1),
            _ => {}
        }
        // Who plays next is no secret: it waits for nothing but what comes before it.
        let is_behind_secrets = match self.delay {
            Delay::Moves(_) => self.n_free < self.waiting.len(),
            _ => !self.waiting.iter().all(|it| it.is_free),
        };
        let is_free = matches!(entry.fact, Fact::Paired { .. }) && !is_behind_secrets;
        match entry.fact {
            // Whatever became of the game before, it is over.
            Fact::GameStarted { .. } => {
                self.n_free = self.waiting.len();
                self.is_over = false;
            }
            Fact::Ended(_) | Fact::GameClosed => self.is_over = true,
            Fact::Reopened(_) => self.is_over = false,
            _ => {}
        }
        let ply = self.n_plies + usize::from(is_of_next(&entry.fact));
        let (entry, taken_at) = (entry.clone(), now.mono);
        self.waiting.push_back(HeldEntry { entry, ply, is_of_this_run, taken_at, is_free });
        if self.is_over || is_free {
            // What was missed may be found behind the end.
            self.n_free = self.waiting.len();
        }
    }

    /// What may pass at `now`, in its order.
    pub fn due(&mut self, now: Stamp) -> Vec<Entry> {
        let n = self.waiting.iter().enumerate().take_while(|(idx, it)| self.may(*idx, it, now));
        let n = n.count();
        self.n_free = self.n_free.saturating_sub(n);
        self.waiting.drain(..n).map(|it| it.entry).collect()
    }

    fn may(&self, idx: usize, it: &HeldEntry, now: Stamp) -> bool {
        match self.delay {
            Delay::None => true,
            Delay::Minutes(_) => it.is_free || self.missing(it, now).is_zero(),
            Delay::Moves(n) => idx < self.n_free || it.ply + 2 * n <= self.n_plies,
        }
    }

    /// How long an entry has yet to wait for its minutes.
    fn missing(&self, it: &HeldEntry, now: Stamp) -> Duration {
        let Delay::Minutes(n) = self.delay else { return Duration::ZERO };
        let then = it.entry.at;
        let passed = if it.is_of_this_run {
            now.mono.since(then.mono)
        } else {
            let micros = now.wall.0.saturating_sub(then.wall.0);
            // The time of day may have been ahead when it was made.
            let by_wall = Duration::from_micros(u64::try_from(micros).unwrap_or(0));
            by_wall.max(now.mono.since(it.taken_at))
        };
        Duration::from_secs(60 * n).saturating_sub(passed)
    }

    /// How long nothing will pass unless more is taken; `None` if only that helps.
    pub fn due_in(&self, now: Stamp) -> Option<Duration> {
        let first = self.waiting.front()?;
        matches!(self.delay, Delay::Minutes(_)).then(|| self.missing(first, now))
    }
}
