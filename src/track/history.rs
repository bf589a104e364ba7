//! When each square last showed each piece.

use super::placement::Reading;
use crate::time::Mono;
use shakmaty::{Color, Piece, Role, Square};

/// Twelve pieces, something unnamed, and something white or black.
const N_READINGS: usize = 15;
const SOMETHING: usize = 12;

/// The last moment at which each square showed each piece, as far back as the tracker lives.
#[derive(Clone)]
pub struct History {
    until: Box<[[Option<Mono>; N_READINGS]; 64]>,
}

impl std::fmt::Debug for History {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("History")
    }
}

impl Default for History {
    fn default() -> Self {
        Self { until: Box::new([[None; N_READINGS]; 64]) }
    }
}

impl History {
    /// `sq` shows, or showed until now, `reading`.
    pub fn note(&mut self, at: Mono, sq: Square, reading: Reading) {
        let idx = match reading {
            Reading::Empty => return,
            Reading::Something => SOMETHING,
            Reading::Colored(color) => index_of_color(color),
            Reading::Piece(piece) => index(piece),
        };
        self.until[usize::from(sq)][idx] = Some(at);
    }

    /// When `sq` last showed `piece`, or something that may have been it.
    pub fn last_shown(&self, sq: Square, piece: Piece) -> Option<Mono> {
        let square = &self.until[usize::from(sq)];
        let readings = [index(piece), SOMETHING, index_of_color(piece.color)];
        readings.into_iter().filter_map(|idx| square[idx]).max()
    }
}

fn index_of_color(color: Color) -> usize {
    match color {
        Color::White => 13,
        Color::Black => 14,
    }
}

fn index(piece: Piece) -> usize {
    let color = match piece.color {
        Color::White => 0,
        Color::Black => 6,
    };
    let role = match piece.role {
        Role::Pawn => 0,
        Role::Knight => 1,
        Role::Bishop => 2,
        Role::Rook => 3,
        Role::Queen => 4,
        Role::King => 5,
    };
    color + role
}
