//! The record of the moves, as a referee is told of it.

use shakmaty::{Chess, Move};

/// A half-move on record.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SheetMove {
    /// The move.
    pub m: Move,
    /// The Laws do not allow it; it stands.
    pub is_illegal: bool,
    /// It is completed.
    pub is_completed: bool,
    /// A reply alone says so, and no press: the Laws of 2009 do not.
    pub is_replied: bool,
}

/// The moves on record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sheet {
    /// The half-moves, in their order.
    pub moves: Vec<SheetMove>,
    /// After so many of them come some that nobody knows, and the game goes on from this position.
    pub gaps: Vec<(usize, Chess)>,
}

impl Sheet {
    /// From which position the game goes on where nobody knows what came after `n` half-moves.
    pub(super) fn adopted(&self, n: usize) -> Option<&Chess> {
        self.gaps().find(|(ply, _)| *ply == n).map(|(_, adopted)| adopted)
    }

    /// Whether a legal move comes after `n` half-moves.
    pub(super) fn has_legal(&self, n: usize) -> bool {
        self.moves.get(n).is_some_and(|known| !known.is_illegal)
    }

    pub(super) fn gaps(&self) -> impl Iterator<Item = (usize, &Chess)> {
        self.gaps.iter().map(|(ply, adopted)| (*ply, adopted))
    }
}
