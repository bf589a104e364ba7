//! Games played by hands at a simulated board, as long as real ones.

use rokade::sim::games::random_game;
use rokade::sim::hands::Span;
use rokade::sim::{Manners, Performance, TableKind, perform};
use rokade::table::Sight;
use shakmaty::{CastlingMode, Chess};

/// Half-moves of a game that takes its time.
const N_PLIES: usize = 160;
/// What each player thinks, so that the game takes two hours.
const THINK: Span = Span::new(10_000, 79_000);

/// A board that names its pieces, with a clock.
const TABLE: TableKind = TableKind { sight: Sight::Pieces, has_clock: true };

/// The first game of at least so many half-moves from `seed` on, played by hands of `manners`.
pub(crate) fn played(seed: u64, manners: &Manners) -> Performance {
    let moves = (0..)
        .map(|n| random_game(seed + 1_000 * n, N_PLIES))
        .find(|moves| moves.len() == N_PLIES)
        .expect("some game is long enough");
    perform(&Chess::new(), CastlingMode::Standard, &moves, None, manners, TABLE, seed)
}

/// A game of two hours at a club.
pub(crate) fn of_two_hours(seed: u64) -> Performance {
    played(seed, &Manners { think: THINK, ..Manners::club() })
}
