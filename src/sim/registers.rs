//! Eight shift registers 74HC165 in a row, with a switch at each of their 64 inputs.
//!
//! Source: 74HC165 data sheet (Nexperia, rev. 8): while the load input is low the registers take
//! what stands at their inputs; at each rising edge of the clock the row moves on by one, the last
//! input of the first chip first, and what stands at the serial input of the last chip follows.

use crate::time::Mono;
use fastrand::Rng;
use shakmaty::{Bitboard, Square};

/// A switch bounces for so long at the most, in microseconds. Reed contacts take a few
/// milliseconds.
const BOUNCE_US: u64 = 4_000;
/// While it bounces it may read otherwise this often.
const BOUNCE_STEP_US: u64 = 150;

/// The chips, and the switches at them.
#[derive(Clone, Debug)]
pub struct RegistersSim {
    /// The square below which the switch of each input lies: chips in their order, inputs A to H.
    inputs: [Square; 64],
    /// The pieces on the board.
    occupied: Bitboard,
    /// When each switch changed last.
    changed: [Option<Mono>; 64],
    seed: u64,
    /// The row of the registers, the next bit to leave in the highest place.
    row: u64,
    is_loading: bool,
    is_powered: bool,
}

impl RegistersSim {
    /// Chips with switches below the squares of a board on which these are occupied: a chip for
    /// each rank, its inputs from the a-file on.
    pub fn new(occupied: Bitboard, seed: u64) -> Self {
        Self {
            inputs: Square::ALL,
            occupied,
            changed: [None; 64],
            seed,
            row: 0,
            is_loading: false,
            is_powered: true,
        }
    }

    /// The same chips, otherwise wired.
    pub fn wired(mut self, inputs: [Square; 64]) -> Self {
        self.inputs = inputs;
        self
    }

    /// The squares on which a piece stands.
    pub fn occupied(&self) -> Bitboard {
        self.occupied
    }

    /// A piece comes to a square, or leaves it.
    pub fn set(&mut self, at: Mono, sq: Square, is_there: bool) {
        if self.occupied.contains(sq) != is_there {
            self.occupied.toggle(sq);
            self.changed[usize::from(sq)] = Some(at);
        }
    }

    /// Whether the chips have power. Without it the data line reads as high.
    pub fn power(&mut self, is_on: bool) {
        self.is_powered = is_on;
    }

    /// The level of the load input. What stands at the inputs when it rises is what will be read.
    pub fn load(&mut self, at: Mono, is_high: bool) {
        if !is_high || self.is_loading {
            self.row = self.levels(at);
        }
        self.is_loading = !is_high;
    }

    /// Moves these bytes in at the far end, highest bit first. What comes out at the near end.
    pub fn transfer(&mut self, at: Mono, bytes: &[u8]) -> Vec<u8> {
        if !self.is_powered {
            return vec![0xff; bytes.len()];
        }
        let mut out = Vec::with_capacity(bytes.len());
        for byte in bytes {
            let mut read = 0;
            for bit in (0..8).rev() {
                if self.is_loading {
                    self.row = self.levels(at);
                }
                read = read << 1 | u8::from(self.row >> 63 == 1);
                if !self.is_loading {
                    self.row = self.row << 1 | u64::from(byte >> bit & 1);
                }
            }
            out.push(read);
        }
        out
    }

    /// What stands at the inputs, in the order in which it leaves: high where no piece closes the
    /// switch to ground.
    fn levels(&self, at: Mono) -> u64 {
        let mut row = 0;
        for chip in self.inputs.chunks(8) {
            for sq in chip.iter().rev() {
                row = row << 1 | u64::from(!self.is_closed(at, *sq));
            }
        }
        row
    }

    fn is_closed(&self, at: Mono, sq: Square) -> bool {
        let is_there = self.occupied.contains(sq);
        let Some(changed) = self.changed[usize::from(sq)] else { return is_there };
        let us = at.0.saturating_sub(changed.0);
        if us >= BOUNCE_US {
            return is_there;
        }
        let step = us / BOUNCE_STEP_US;
        Rng::with_seed(self.seed ^ changed.0 ^ (step << 40) ^ (u64::from(sq) << 48)).bool()
    }
}
