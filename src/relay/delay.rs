//! What is on record waits here for as long as the public is behind the board.

use crate::game::{Delay, Entry, Fact, PairedFor, RoundDelays};
use crate::time::{Mono, Stamp};
use std::collections::VecDeque;
use std::time::Duration;

/// An entry that waits.
#[derive(Clone, Debug)]
struct HeldEntry {
    entry: Entry,
    /// The round whose delay it waits for.
    round: Option<u16>,
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
    delays: RoundDelays,
    /// The round of the game that is on or was last: its delay is in force.
    current: Option<u16>,
    /// The round of the next game.
    round: Option<u16>,
    waiting: VecDeque<HeldEntry>,
    /// Half-moves on record.
    n_plies: usize,
    /// So many of those that wait may pass, because their game is over.
    n_free: usize,
    has_begun: bool,
    is_over: bool,
}

impl Held {
    /// Nothing is held yet.
    pub fn new(delays: RoundDelays) -> Self {
        Self { delays, ..Self::default() }
    }

    /// From now on these delays hold, also for what waits.
    pub fn renew(&mut self, delays: RoundDelays) {
        self.delays = delays;
    }

    /// Takes the next entry of a record at `now`, which this run of the program made or one before.
    pub fn take(&mut self, entry: &Entry, is_of_this_run: bool, now: Stamp) {
        self.follow_rounds(&entry.fact);
        if matches!(entry.fact, Fact::Sensed { .. } | Fact::Pictured(_)) && !self.may_be_read() {
            return;
        }
        self.has_begun |= matches!(
            entry.fact,
            Fact::GameStarted { .. } | Fact::MoveMade { .. } | Fact::MoveRetracted { .. }
        );
        match entry.fact {
            Fact::GameStarted { .. } => self.n_plies = 0,
            Fact::MoveMade { ply, .. } => self.n_plies = ply,
            Fact::MoveRetracted { ply } => self.n_plies = ply.saturating_sub(1),
            _ => {}
        }
        // Who plays next is no secret: it waits for nothing but what comes before it.
        let is_secret = |(idx, it): (usize, &HeldEntry)| match self.delays.of(it.round) {
            Delay::Moves(_) => idx >= self.n_free,
            _ => !it.is_free,
        };
        let is_behind_secrets = self.waiting.iter().enumerate().any(is_secret);
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
        let (entry, round, taken_at) = (entry.clone(), self.current, now.mono);
        self.waiting.push_back(HeldEntry { entry, round, ply, is_of_this_run, taken_at, is_free });
        if self.is_over || is_free {
            // What was missed may be found behind the end.
            self.n_free = self.waiting.len();
        }
    }

    /// A delay holds from the beginning of a game on: who plays next does not let the game before
    /// out, nor hold it back.
    fn follow_rounds(&mut self, fact: &Fact) {
        let is_now = match fact {
            Fact::Paired { pairing, holds, .. } => {
                self.round = Some(pairing.round);
                *holds == PairedFor::Current
            }
            Fact::GameStarted { .. } | Fact::Began { .. } => true,
            _ => false,
        };
        if is_now {
            self.current = self.round;
        }
    }

    /// Whether what the sensors tell now is ever shown. While no game is on it may be the beginning
    /// of one that nobody has recorded yet, whose half-moves cannot be counted: that is shown where
    /// nothing is held back, or all of it for the same minutes. The position from which the game is
    /// recorded then takes its place.
    fn may_be_read(&self) -> bool {
        let is_on = self.has_begun && !self.is_over;
        let next = self.delays.of(self.round);
        is_on || self.delays.of(self.current) == next && !matches!(next, Delay::Moves(_))
    }

    /// Whether the public is behind now: there is a delay, or something of one still waits.
    pub fn is_behind(&self) -> bool {
        !self.delays.of(self.current).is_none() || !self.waiting.is_empty()
    }

    /// What may pass at `now`, in its order.
    pub fn due(&mut self, now: Stamp) -> Vec<Entry> {
        let n = self.waiting.iter().enumerate().take_while(|(idx, it)| self.may(*idx, it, now));
        let n = n.count();
        self.n_free = self.n_free.saturating_sub(n);
        self.waiting.drain(..n).map(|it| it.entry).collect()
    }

    fn may(&self, idx: usize, it: &HeldEntry, now: Stamp) -> bool {
        match self.delays.of(it.round) {
            Delay::None => true,
            Delay::Minutes(_) => it.is_free || self.missing(it, now).is_zero(),
            Delay::Moves(n) => idx < self.n_free || it.ply + 2 * n <= self.n_plies,
        }
    }

    /// How long an entry has yet to wait for its minutes.
    fn missing(&self, it: &HeldEntry, now: Stamp) -> Duration {
        let Delay::Minutes(n) = self.delays.of(it.round) else { return Duration::ZERO };
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
        matches!(self.delays.of(first.round), Delay::Minutes(_)).then(|| self.missing(first, now))
    }
}
