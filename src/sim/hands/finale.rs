//! What players do when their game is over: stop the clock, announce the result with the kings,
//! try out what might have been.

use super::Hands;
use super::chance::{one_of, shuffle};
use crate::sim::script::Happening;
use shakmaty::{Chess, Color, KnownOutcome, Piece, Position, Role, Square};

/// The kings stay in the center at least this long.
const KINGS_STAY_MS: u64 = 6_000;

impl Hands<'_> {
    pub(super) fn finish(&mut self, outcome: Option<KnownOutcome>) {
        let Some(outcome) = outcome.filter(|_| self.table.has_clock) else { return };
        self.now_ms += self.between(1_000, 8_000);
        self.note(Happening::ClockStopped);
        if self.chance(self.manners.kings) {
            self.announce(outcome);
        } else if self.chance(self.manners.post_mortem) {
            self.analyze();
        }
    }

    /// Both kings on light squares: White won; both on dark ones: Black won; else a draw.
    fn announce(&mut self, outcome: KnownOutcome) {
        let mut squares = match outcome {
            KnownOutcome::Decisive { winner: Color::White } => [Square::E4, Square::D5],
            KnownOutcome::Decisive { winner: Color::Black } => [Square::D4, Square::E5],
            KnownOutcome::Draw if self.rng.bool() => [Square::E4, Square::E5],
            KnownOutcome::Draw => [Square::D4, Square::D5],
        };
        shuffle(&mut self.rng, &mut squares);
        self.now_ms += self.between(500, 4_000);
        let board = self.pos().board().clone();
        for sq in squares {
            if board.piece_at(sq).is_some_and(|piece| piece.role != Role::King) {
                self.sensors.set(self.now_ms, sq, None);
                self.now_ms += self.between(200, 900);
            }
        }
        for color in Color::ALL {
            if let Some(sq) = board.king_of(color) {
                self.sensors.set(self.now_ms, sq, None);
                self.now_ms += self.between(100, 900);
            }
        }
        for (color, sq) in Color::ALL.into_iter().zip(squares) {
            self.sensors.set(self.now_ms, sq, Some(Piece { color, role: Role::King }));
            self.now_ms += self.between(200, 1_500);
        }
        self.truth.signalled = Some(outcome);
        self.now_ms += KINGS_STAY_MS;
    }

    fn analyze(&mut self) {
        let mut pos: Chess = self.pos().clone();
        for _ in 0..self.between(3, 14) {
            let legal = pos.legal_moves();
            let Some(m) = one_of(&mut self.rng, &legal) else { break };
            let Some(from) = m.from() else { break };
            if m.is_castle() || m.is_promotion() || m.is_en_passant() {
                continue;
            }
            self.now_ms += self.between(600, 4_000);
            let piece = pos.board().piece_at(from);
            self.sensors.set(self.now_ms, from, None);
            self.now_ms += self.between(150, 700);
            self.sensors.set(self.now_ms, m.to(), piece);
            pos.play_unchecked(m);
        }
        self.truth.has_post_mortem = true;
    }
}
