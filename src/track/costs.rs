//! What the ways cost in which a game may have been played and pressed: the least for each number
//! of half-moves that may have been made so far, and for which of the last two were pressed for.

/// A press that completes nothing.
const STRAY_PRESS: u32 = 4;
/// A half-move that nobody pressed for.
const UNPRESSED: u32 = 4;
/// No game at all.
const NEVER: u32 = u32::MAX / 2;
/// Whether the last two half-moves are pressed for: the last in bit 0, the one before in bit 1.
const N_MASKS: usize = 4;

/// The costs of one game.
#[derive(Clone, Debug)]
pub struct GameCosts {
    rows: Vec<[u32; N_MASKS]>,
    needs_press: bool,
}

impl GameCosts {
    /// Those of a game of `n_plies` half-moves before anything was heard of it. `needs_press` says
    /// whether there is a clock.
    pub fn new(n_plies: usize, needs_press: bool) -> Self {
        let mut rows = vec![[NEVER; N_MASKS]; n_plies + 1];
        // Nothing is to be pressed before the first move.
        rows[0][N_MASKS - 1] = 0;
        Self { rows, needs_press }
    }

    /// Moves may be made at any moment; one that leaves the last two unpressed costs.
    pub fn advance(&mut self) {
        for n in 1..self.rows.len() {
            for mask in 0..N_MASKS {
                let is_due = self.needs_press && n > 2 && mask & 0b10 == 0;
                let cost = self.rows[n - 1][mask] + if is_due { UNPRESSED } else { 0 };
                // What precedes the first half-move counts as pressed.
                let next = &mut self.rows[n][(mask & 1) << 1];
                *next = cost.min(*next);
            }
        }
    }

    /// Adds what it costs if so many half-moves were made.
    pub fn pay(&mut self, of: impl Fn(usize) -> u32) {
        for (n, masks) in self.rows.iter_mut().enumerate() {
            if masks.iter().all(|cost| *cost >= NEVER) {
                continue;
            }
            let more = of(n);
            masks.iter_mut().for_each(|cost| *cost = NEVER.min(*cost + more));
        }
    }

    /// A press is for the last half-move or, if it comes late, for the one before: for one that
    /// `is_pressers`, counted from 1.
    pub fn press(&mut self, is_pressers: impl Fn(usize) -> bool) {
        for (n, masks) in self.rows.iter_mut().enumerate() {
            let mut pressed = [NEVER; N_MASKS];
            for (mask, &cost) in masks.iter().enumerate() {
                let (after, more) = if n > 0 && mask & 1 == 0 && is_pressers(n) {
                    (mask | 1, 0)
                } else if n > 1 && mask & 0b10 == 0 && is_pressers(n - 1) {
                    (mask | 0b10, 0)
                } else {
                    (mask, STRAY_PRESS)
                };
                pressed[after] = pressed[after].min(NEVER.min(cost + more));
            }
            *masks = pressed;
        }
    }

    /// The cost of the whole game, with what is still unpressed. `needs_last` says whether the last
    /// half-move is to be pressed for.
    pub fn whole(&self, needs_last: bool) -> u32 {
        let n = self.rows.len() - 1;
        let unpressed = |mask: usize| {
            let last = needs_last && n > 0 && mask & 1 == 0;
            let before = n > 1 && mask & 0b10 == 0;
            if self.needs_press { (u32::from(last) + u32::from(before)) * UNPRESSED } else { 0 }
        };
        let all = self.rows[n].iter().enumerate().map(|(mask, cost)| cost + unpressed(mask));
        all.min().unwrap_or(NEVER)
    }
}
