//! Which moves satisfy what a player is bound to.

use super::super::touch::{captures, names};
use super::{Binding, SideNames};
use shakmaty::{Chess, Move};

impl Binding {
    /// Whether `m` satisfies it in `pos`.
    pub fn allows(&self, m: Move, pos: &Chess) -> bool {
        match self {
            Self::Any => true,
            Self::Move(sq) => {
                // In Chess960 the rook alone may castle.
                let is_rooks = matches!(m, Move::Castle { rook, .. } if rook == *sq);
                m.from() == Some(*sq) || is_rooks && names(pos) == SideNames::Files
            }
            Self::Capture(sq) => captures(m, *sq),
            Self::CaptureWith(sq, with) => captures(m, *sq) && m.from() == Some(*with),
            Self::Castle(side, _) => m.castling_side() == Some(*side),
            Self::CastleEither => m.is_castle(),
            Self::Promote(sq, role) => {
                m.is_promotion() && m.to() == *sq && (role.is_none() || m.promotion() == *role)
            }
            Self::Destination(sq) => m.to() == *sq,
            Self::Play(san) => {
                let played = shakmaty::san::San::from_move(pos, m).to_string();
                played == san.trim_end_matches(['+', '#'])
            }
        }
    }
}
