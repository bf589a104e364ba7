//! Switches below the squares of a board, which bounce, and what reads them.

use crate::table::Reading;
use crate::time::Mono;
use fastrand::Rng;
use shakmaty::{Bitboard, Square};
use std::fmt::Debug;

/// A switch bounces for so long at the most, in microseconds. Reed contacts take a few
/// milliseconds.
const BOUNCE_US: u64 = 4_000;
/// While it bounces it may read otherwise this often.
const BOUNCE_STEP_US: u64 = 150;

/// A switch below each square.
#[derive(Clone, Debug)]
pub struct Switches {
    /// The square below which the switch of each input lies.
    inputs: [Square; 64],
    /// The pieces on the board.
    occupied: Bitboard,
    /// When each switch changed last.
    changed: [Option<Mono>; 64],
    seed: u64,
}

impl Switches {
    /// Switches below the squares of a board on which these are occupied: eight inputs for each
    /// rank, from the a-file on.
    pub fn new(occupied: Bitboard, seed: u64) -> Self {
        Self { inputs: Square::ALL, occupied, changed: [None; 64], seed }
    }

    /// The same switches, otherwise wired.
    pub fn wired(mut self, inputs: [Square; 64]) -> Self {
        self.inputs = inputs;
        self
    }

    /// The squares on which a piece stands.
    pub fn occupied(&self) -> Bitboard {
        self.occupied
    }

    /// The square at an input.
    pub fn square_of(&self, input: usize) -> Square {
        self.inputs[input]
    }

    /// The input of a square.
    pub fn input_of(&self, sq: Square) -> usize {
        self.inputs.iter().position(|it| *it == sq).expect("each square has an input")
    }

    /// A piece comes to a square, or leaves it.
    pub fn set(&mut self, at: Mono, sq: Square, is_there: bool) {
        if self.occupied.contains(sq) != is_there {
            self.occupied.toggle(sq);
            self.changed[usize::from(sq)] = Some(at);
        }
    }

    /// The inputs whose switches are closed: bit `8 * group + input`.
    pub fn closed(&self, at: Mono) -> u64 {
        let is_set = |idx: usize| u64::from(self.is_closed(at, self.inputs[idx])) << idx;
        (0..self.inputs.len()).map(is_set).sum()
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

/// What reads switches: it answers on the pins and buses of a host.
pub trait ReaderSim: Debug + Send {
    /// The switches.
    fn switches(&mut self) -> &mut Switches;

    /// From now on a square shows something else.
    fn put(&mut self, at: Mono, sq: Square, reading: Reading) {
        self.switches().set(at, sq, reading != Reading::Empty);
    }

    /// What a walk over the board would learn of its sensors, as it is kept in a file, if there is
    /// anything to be learned.
    fn learned(&self) -> Option<String> {
        None
    }

    /// Whether it has power.
    fn power(&mut self, is_on: bool);

    /// The host pulls a pin low, or lets it go high.
    fn drive(&mut self, _at: Mono, _pin: u8, _is_high: bool) {}

    /// Whether a pin of the host is high.
    fn level(&mut self, _at: Mono, _pin: u8) -> bool {
        true
    }

    /// Bytes over SPI: what comes back.
    fn transfer(&mut self, _at: Mono, bytes: &[u8]) -> Vec<u8> {
        vec![0xff; bytes.len()]
    }

    /// Bytes over I2C to an address, and so many back. `None` if nobody answers there.
    fn exchange(&mut self, _at: Mono, _to: u8, _sent: &[u8], _n: usize) -> Option<Vec<u8>> {
        None
    }
}
