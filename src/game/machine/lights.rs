//! Which squares are lit for those who play.

use super::Game;
use crate::game::settings::{LightCause, Lights, Lit};
use crate::time::Mono;
use shakmaty::uci::UciMove;
use shakmaty::{Bitboard, Board};

/// A board on which more squares are otherwise than in the start position is not being set up for
/// the next game: pieces stand about from the last one, or somebody analyses. Ours: half a set.
const SET_UP_MAX: usize = 16;

impl Game {
    /// The squares that are to be lit, and why.
    pub fn lit(&self, now: Mono) -> Lit {
        let lights = self.settings.lights;
        if lights == Lights::Off {
            return Lit::default();
        }
        let (wrong, helps_set_up) = (self.contradicted(now), lights != Lights::LastMove);
        let is_played = self.recorder.play().is_some_and(|play| !play.sheet().is_empty());
        if helps_set_up && !wrong.is_empty() && !is_played {
            // It stood there, and does not any more.
            return Lit { squares: wrong, cause: LightCause::SetUp };
        }
        if lights == Lights::Help && !wrong.is_empty() {
            return Lit { squares: wrong, cause: LightCause::Contradicted };
        }
        if let Some(squares) = self.to_set_up().filter(|_| helps_set_up) {
            return Lit { squares, cause: LightCause::SetUp };
        }
        Lit { squares: self.last_public(), cause: LightCause::LastMove }
    }

    /// The squares that are not yet as the next game begins, while no game is on and the board is
    /// being set up for it. `None` at any other time.
    fn to_set_up(&self) -> Option<Bitboard> {
        if !self.recorder.is_over() || self.recorder.link() != super::LinkState::Live {
            return None;
        }
        let differs = self.recorder.seen()?.differs(&self.start_board()?);
        (differs.count() <= SET_UP_MAX).then_some(differs)
    }

    /// How the next game begins, if that is known: of Chess960 it is not before it is drawn.
    fn start_board(&self) -> Option<Board> {
        match &self.settings.start {
            Some(fen) => Some(fen.as_setup().board.clone()),
            None => (!self.settings.is_chess960).then(Board::new),
        }
    }

    /// The squares of the last move that everybody may see; where it was castling, those of the
    /// king.
    fn last_public(&self) -> Bitboard {
        let last = self.recorder.play().and_then(|play| {
            let public = self.n_public().checked_sub(1)?;
            play.sheet().moves().get(public)
        });
        let Some(UciMove::Normal { from, to, .. }) = last.map(|scored| scored.uci) else {
            return Bitboard::EMPTY;
        };
        Bitboard::from(from) | to
    }
}
