//! In which order the squares of a board have their lights.

use crate::table::words;
use shakmaty::{File, Rank, Square};

words! {
    /// Along which lines a chain of lights is laid.
    #[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
    pub enum LedLines {
        /// Rank by rank.
        #[default]
        Ranks = "ranks",
        /// File by file.
        Files = "files",
    }
}

/// The way of a chain over the board.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct LedOrder {
    /// The corner at which it begins.
    pub first: Square,
    /// The lines that it follows.
    pub lines: LedLines,
    /// It turns at the end of each line and comes back along the next; else each line begins on the
    /// same side.
    pub is_serpentine: bool,
}

impl LedOrder {
    /// The squares in the order of their lights.
    pub fn squares(self) -> [Square; 64] {
        // Counted from the corner.
        let file = |n: u32| if self.first.file() == File::A { n } else { 7 - n };
        let rank = |n: u32| if self.first.rank() == Rank::First { n } else { 7 - n };
        std::array::from_fn(|light| {
            let light = u32::try_from(light).unwrap_or(0);
            let (line, step) = (light / 8, light % 8);
            let step = if self.is_serpentine && line % 2 == 1 { 7 - step } else { step };
            let (x, y) = match self.lines {
                LedLines::Ranks => (step, line),
                LedLines::Files => (line, step),
            };
            Square::from_coords(File::new(file(x)), Rank::new(rank(y)))
        })
    }
}
