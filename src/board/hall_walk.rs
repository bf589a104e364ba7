//! Learns what hall sensors show: the empty board first, then a piece of each color on each square.

use super::calibration::Calibration;
use super::hall::{HallLevels, HallSquare, HallTable, RAILS, SEEN};
use shakmaty::{ByColor, Color, Square};

/// What was seen of all inputs so far.
#[derive(Clone, Debug)]
pub struct HallWalk {
    empty: [u16; 64],
    /// The value furthest from the empty one, with a piece of each color.
    peaks: ByColor<[u16; 64]>,
}

impl HallWalk {
    /// The values of an empty board.
    pub const fn new(empty: [u16; 64]) -> Self {
        Self { empty, peaks: ByColor { black: empty, white: empty } }
    }

    /// The inputs whose sensors are dead, or have no supply.
    pub fn silent(&self) -> Vec<usize> {
        (0..64).filter(|input| !is_told(self.empty[*input])).collect()
    }

    /// The values while one piece of a color is put from square to square. The inputs that see it,
    /// as a walk over the board is told of them.
    pub fn see(&mut self, color: Color, values: &[u16; 64]) -> u64 {
        let mut seen = 0;
        let peaks = self.peaks.get_mut(color);
        for (input, (value, empty)) in values.iter().zip(self.empty).enumerate() {
            if !is_told(empty) || value.abs_diff(empty) < SEEN {
                continue;
            }
            seen |= 1 << input;
            if value.abs_diff(empty) > peaks[input].abs_diff(empty) {
                peaks[input] = *value;
            }
        }
        seen
    }

    /// What was learned by a walk with a piece of each color. A square that was passed over, or at
    /// which the colors cannot be told apart, goes without its sensor.
    ///
    /// # Errors
    /// This square had one input by the first walk, and another one by the second.
    pub fn table(&self, walks: &ByColor<Calibration>) -> Result<HallTable, Square> {
        let wirings = walks.as_ref().map(Calibration::wiring);
        let mut squares = [HallSquare { input: 0, levels: None }; 64];
        for input in 0..64 {
            let sq = wirings.white.square(input);
            let is_dead = walks.as_ref().into_iter().any(|walk| walk.dead().contains(&sq));
            if !is_dead && wirings.black.square(input) != sq {
                return Err(sq);
            }
            let stands = self.peaks.as_ref().map(|peaks| peaks[input]);
            let levels = HallLevels::learned(self.empty[input], stands).filter(|_| !is_dead);
            squares[usize::from(sq)] = HallSquare { input, levels };
        }
        Ok(HallTable::new(squares))
    }
}

fn is_told(value: u16) -> bool {
    (RAILS.0..=RAILS.1).contains(&value)
}
