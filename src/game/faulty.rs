//! What is on record of sensors that do not tell what stands on their squares: enough for a daemon
//! that is started in the middle of the game to go on without them.

use super::entry::Fact;
use super::score::ScoreSheet;
use crate::laws::FindingKind;
use crate::table::{Placement, Reading};
use shakmaty::{Bitboard, Position, Square};

/// The sensors of a board in the game that is on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SensorFaults {
    /// The arbiter was told of these.
    pub(super) told: Bitboard,
    /// These were told of and have not stirred since.
    still: Bitboard,
    /// Pieces that were missing after the last half-move, and have not stirred since.
    missing: Bitboard,
    /// The same after the last two: nobody holds a piece for so long.
    pub(super) beneath: Bitboard,
}

impl SensorFaults {
    /// Those that do not tell, as far as is known.
    pub(super) fn all(&self) -> Bitboard {
        self.still | self.beneath
    }

    /// Takes `fact`; by then the record is as `sheet` has it, and `seen` is what the sensors showed
    /// before it.
    pub(super) fn note(&mut self, fact: &Fact, sheet: &ScoreSheet, seen: &Placement) {
        match fact {
            Fact::GameStarted { .. } => *self = Self::default(),
            Fact::Began { .. } => *self = Self { told: self.told, ..Self::default() },
            Fact::Sensed { sq, .. } => self.stir((*sq).into()),
            Fact::Pictured(placement) => self.stir(seen.changes(placement)),
            Fact::Found(finding) => {
                if let FindingKind::SensorFault { squares } = &finding.kind {
                    self.told.extend(squares.iter().copied());
                    self.still.extend(squares.iter().copied());
                }
            }
            Fact::MoveMade { .. } => {
                let stands = |sq: &Square| seen.get(*sq) != Reading::Empty;
                let pieces = sheet.last().board().occupied().into_iter();
                let missing: Bitboard = pieces.filter(|sq| !stands(sq)).collect();
                self.beneath = missing & self.missing & !self.still;
                self.missing = missing;
            }
            _ => {}
        }
    }

    /// These read something else now: they tell.
    fn stir(&mut self, squares: Bitboard) {
        for known in [&mut self.still, &mut self.missing, &mut self.beneath] {
            *known &= !squares;
        }
    }
}
