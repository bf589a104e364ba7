//! Learns how a matrix is wired: a piece is put on each square once, and lifted again.

use super::matrix::{Debounce, Wiring, placement_of};
use crate::table::defaults;
use crate::time::Mono;
use shakmaty::{Bitboard, Square};
use std::time::Duration;

/// What a step of the walk has brought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WalkStep {
    /// The empty board was read. These inputs read as occupied all the same, and are passed over.
    Begun(Vec<usize>),
    /// The square has this input.
    Found(Square, usize),
    /// Its input is that of another square already: the two are joined somewhere.
    Joined(Square, Square),
    /// Several inputs read as occupied at once.
    Several(Vec<usize>),
}

defaults! {
    /// The walk over the board, from a1 to h8.
    #[derive(Clone, Debug)]
    pub struct Calibration {
        given {
            debounce: Debounce,
        }
        /// Inputs that read as occupied with the board empty.
        stuck: Option<Bitboard>,
        found: [Option<Square>; 64] = [None; 64],
        dead: Vec<Square>,
        next: usize,
        /// The piece has to be lifted first.
        is_held: bool,
    }
}

impl Calibration {
    /// Believes an input that has read the same for so long.
    pub fn new(wait: Duration) -> Self {
        Self::begin(Debounce::new(wait))
    }

    /// The square on which a piece is to be put next. `None` before the empty board was read, while
    /// the last piece is to be lifted, and once all is done.
    pub fn wants(&self) -> Option<Square> {
        let is_ready = self.stuck.is_some() && !self.is_held;
        Square::ALL.get(self.next).copied().filter(|_| is_ready)
    }

    /// Whether each square has had its turn, and the last piece is lifted.
    pub fn is_done(&self) -> bool {
        self.next == Square::ALL.len() && !self.is_held
    }

    /// The square that was asked for shows nothing: it goes without an input.
    pub fn skip(&mut self) {
        if let Some(sq) = self.wants() {
            self.dead.push(sq);
            self.next += 1;
        }
    }

    /// The inputs that are occupied now, as a scanner reads them.
    pub fn scan(&mut self, now: Mono, scan: u64) -> Option<WalkStep> {
        let changed = self.debounce.scan(now, placement_of(Bitboard(scan)));
        let known = self.debounce.known()?.occupied();
        let Some(stuck) = self.stuck else {
            self.stuck = Some(known);
            return Some(WalkStep::Begun(inputs(known)));
        };
        let closed = known & !stuck;
        if closed.is_empty() {
            self.is_held = false;
            return None;
        }
        if changed.is_empty() || self.is_held {
            return None;
        }
        self.is_held = true;
        let closed = inputs(closed);
        let (&[input], Some(&sq)) = (closed.as_slice(), Square::ALL.get(self.next)) else {
            return Some(WalkStep::Several(closed));
        };
        if let Some(other) = self.found[input] {
            return Some(WalkStep::Joined(sq, other));
        }
        self.found[input] = Some(sq);
        self.next += 1;
        Some(WalkStep::Found(sq, input))
    }

    /// The squares that were passed over.
    pub fn dead(&self) -> &[Square] {
        &self.dead
    }

    /// What was learned. Squares that were passed over share what inputs are left.
    pub fn wiring(&self) -> Wiring {
        Wiring::of_inputs(&self.found)
    }
}

fn inputs(closed: Bitboard) -> Vec<usize> {
    closed.into_iter().map(usize::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(walk: &mut Calibration, ms: &mut u64, scan: u64) -> Vec<WalkStep> {
        let mut scan_at = |ms: u64| walk.scan(Mono::from_millis(ms), scan);
        let steps = (0..10).filter_map(|n| scan_at(*ms + 5 * n)).collect();
        *ms += 50;
        steps
    }

    #[test]
    fn the_walk_learns_each_input_and_says_what_is_wrong() {
        let mut walk = Calibration::new(Duration::from_millis(20));
        let mut ms = 0;
        assert_eq!(walk.wants(), None);
        assert_eq!(read(&mut walk, &mut ms, 1 << 63), [WalkStep::Begun(vec![63])]);
        assert_eq!(walk.wants(), Some(Square::A1));
        assert_eq!(read(&mut walk, &mut ms, 1 << 63 | 1 << 9), [WalkStep::Found(Square::A1, 9)]);
        assert_eq!(walk.wants(), None, "the piece is to be lifted");
        assert_eq!(read(&mut walk, &mut ms, 1 << 63), []);
        assert_eq!(walk.wants(), Some(Square::B1));
        let joined = WalkStep::Joined(Square::B1, Square::A1);
        assert_eq!(read(&mut walk, &mut ms, 1 << 63 | 1 << 9), [joined]);
        read(&mut walk, &mut ms, 1 << 63);
        assert_eq!(read(&mut walk, &mut ms, 1 << 63 | 0b110), [WalkStep::Several(vec![1, 2])]);
        read(&mut walk, &mut ms, 1 << 63);
        walk.skip();
        assert_eq!((walk.wants(), walk.dead()), (Some(Square::C1), [Square::B1].as_slice()));
        for sq in Square::ALL.into_iter().skip(2) {
            assert_eq!(walk.wants(), Some(sq));
            let input = if sq == Square::C1 { 1 } else { (usize::from(sq) + 7) % 63 };
            let input = if input == 9 { 0 } else { input };
            read(&mut walk, &mut ms, 1 << 63 | 1 << input);
            read(&mut walk, &mut ms, 1 << 63);
            if walk.wants() == Some(sq) {
                walk.skip();
            }
        }
        assert!(walk.is_done());
        let wiring = walk.wiring();
        assert_eq!((wiring.square(9), wiring.square(1)), (Square::A1, Square::C1));
        assert_eq!(Wiring::parse(&wiring.groups()), Ok(wiring));
    }
}
