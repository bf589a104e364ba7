//! Dead positions: can this side, or either, still mate by any series of legal moves?
//!
//! Two-sided it ends the game (2005, 2009: Art. 5.2b, 9.6. From 2018: Art. 1.5, 5.2.2). One-sided
//! it turns a loss into a draw: a flag (2009: Art. 6.9), an illegal move (2009: Art. 7.4b), from
//! 2023 a resignation (Art. 5.1.2).
//!
//! Three means answer, the cheapest first: what material rules out, what the mobility of all men
//! rules out (`mobility`), and a search that both sides work for (`search`). The answers yes
//! and no are proofs, the first with a line of moves. The search is bounded by the caller and can
//! be taken up again.
//!
//! How much is answered: 177 of the 184 questions of `tests/tables/laws/dead.csv` (the other seven
//! are compositions around walled-in pieces), and 7379 of 7410 questions about positions from
//! random games; what stays open there is one minor piece against many men. Of 289,828 questions
//! about random walls of pawns, before and after random moves, the look at mobility answered 3,363
//! with no; trying out every position confirmed 3,360 of them, and three were too large for that.

mod guide;
mod mobility;
mod picture;
mod search;
mod seen;

pub use search::MateSearch;

use shakmaty::{Chess, Color, Move};

/// Positions that a single question may look at by default: about 20 ms of a desk computer's time
/// where all are needed, less than one on average. Keep it off the path of events.
pub const BUDGET: u32 = 60_000;

/// Whether a side can mate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CanMate {
    /// It can: these moves lead there, in order; none if it is mate already.
    Yes(Vec<Move>),
    /// It cannot, whatever both sides do.
    No,
    /// The budget was spent before either was proven.
    Undecided,
}

/// Whether a position is dead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Life {
    /// Neither side can mate: the game is drawn.
    Dead,
    /// A side may still mate.
    Live {
        /// The side that can mate.
        by: Color,
        /// The moves that lead to the mate.
        line: Vec<Move>,
    },
    /// The budget was spent before either was proven: the game goes on.
    Undecided,
}

/// Whether `by` can mate by any series of legal moves, the other side helping, looking at no more
/// than `n_positions` or so.
///
/// ```
/// use rokade::laws::dead::{self, CanMate};
/// use shakmaty::{CastlingMode, Chess, Color, fen::Fen};
/// // The pawns lock, and neither king gets past them.
/// let fen: Fen = "k7/8/8/p1p1p1p1/P1P1P1P1/8/8/K7 w - - 0 1".parse()?;
/// let pos: Chess = fen.into_position(CastlingMode::Standard)?;
/// assert_eq!(dead::can_mate(&pos, Color::White, dead::BUDGET), CanMate::No);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn can_mate(pos: &Chess, by: Color, n_positions: u32) -> CanMate {
    MateSearch::new(pos, by).run(n_positions)
}

/// Whether a position is dead, looking at no more than `n_positions` or so for both sides together.
///
/// ```
/// use rokade::laws::dead::{self, Life};
/// use shakmaty::{CastlingMode, Chess, fen::Fen};
/// // The queen must be taken.
/// let fen: Fen = "7k/6Q1/8/8/8/8/8/K7 b - - 0 1".parse()?;
/// let pos: Chess = fen.into_position(CastlingMode::Standard)?;
/// assert_eq!(dead::life(&pos, dead::BUDGET), Life::Dead);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn life(pos: &Chess, n_positions: u32) -> Life {
    /// What each side gets in turn, so that the one that can mate is soon found.
    const SHARE: u32 = 2_000;
    let mut searches = Color::ALL.map(|by| (by, MateSearch::new(pos, by)));
    let mut n_before = 0;
    loop {
        let mut n_closed = 0;
        for (by, search) in &mut searches {
            match search.run(SHARE.min(n_positions)) {
                CanMate::Yes(line) => return Life::Live { by: *by, line },
                CanMate::No => n_closed += 1,
                CanMate::Undecided => {}
            }
        }
        let n_spent =
            searches.iter().map(|(_, search)| search.spent()).fold(0, u32::saturating_add);
        if n_closed == searches.len() {
            return Life::Dead;
        } else if n_spent >= n_positions || n_spent == n_before {
            return Life::Undecided;
        }
        n_before = n_spent;
    }
}
