//! A chess clock with an increment, as far as a board behind it can tell.

use crate::table::End;
use crate::time::{Mono, millis};
use crate::wire::{ClockTime, SideTime};
use shakmaty::Color;
use std::time::Duration;

/// Ninety minutes and thirty seconds a move: what a simulated game is played with unless told.
pub const USUAL: (Duration, Duration) = (Duration::from_secs(90 * 60), Duration::from_secs(30));

/// A clock with a lever and two displays.
#[derive(Clone, Debug)]
pub struct ClockSim {
    left_ms: [u64; 2],
    increment_ms: u64,
    white: End,
    /// Whose end is up.
    turn: Color,
    is_running: bool,
    /// Up to when the times are reckoned.
    now: Mono,
}

impl ClockSim {
    /// A clock that stands, with `base` for each side and White's end up.
    pub fn new(base: Duration, increment: Duration, white: End) -> Self {
        let base = millis(base);
        let increment_ms = millis(increment);
        let left_ms = [base, base];
        let (turn, is_running, now) = (Color::White, false, Mono(0));
        Self { left_ms, increment_ms, white, turn, is_running, now }
    }

    /// Sets `turn`'s side running.
    pub fn run(&mut self, at: Mono, turn: Color) {
        self.advance(at);
        self.turn = turn;
        self.is_running = true;
    }

    /// Moves the lever without setting anything running, as an arbiter does.
    pub fn set_lever(&mut self, at: Mono, turn: Color) {
        self.advance(at);
        self.turn = turn;
    }

    /// Both sides stand still.
    pub fn stop(&mut self, at: Mono) {
        self.advance(at);
        self.is_running = false;
    }

    /// `by` presses. True if his end went down; it may have been down already.
    pub fn press(&mut self, at: Mono, by: Color) -> bool {
        self.advance(at);
        if self.turn != by {
            return false;
        }
        self.turn = !by;
        self.left_ms[idx(by)] += self.increment_ms;
        self.is_running = true;
        true
    }

    /// Lets the time pass.
    pub fn advance(&mut self, at: Mono) {
        let passed = millis(at.since(self.now));
        if self.is_running {
            let left = &mut self.left_ms[idx(self.turn)];
            *left = left.saturating_sub(passed);
        }
        // What is less than a millisecond is reckoned next time.
        self.now = Mono(self.now.0 + passed * 1_000);
    }

    /// When the displays change next.
    pub fn next_at(&self) -> Option<Mono> {
        let left = self.left_ms[idx(self.turn)];
        (self.is_running && left > 0).then(|| {
            let rest = if left.is_multiple_of(1_000) { 1_000 } else { left % 1_000 };
            self.now + Duration::from_millis(rest)
        })
    }

    /// What it shows.
    pub fn time(&self) -> ClockTime {
        let side = |color: Color| {
            let seconds = self.left_ms[idx(color)].div_ceil(1_000);
            SideTime::of_seconds(u32::try_from(seconds).unwrap_or(u32::MAX))
        };
        let (left, right) = match self.white {
            End::Left => (side(Color::White), side(Color::Black)),
            End::Right => (side(Color::Black), side(Color::White)),
        };
        let high = if self.turn == Color::White { self.white } else { self.white.other() };
        ClockTime { left, right, running: self.is_running, high, battery_low: false }
    }
}

const fn idx(color: Color) -> usize {
    match color {
        Color::White => 0,
        Color::Black => 1,
    }
}
