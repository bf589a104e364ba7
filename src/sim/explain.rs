//! Whether one game explains what the devices said as well as another.
//!
//! Sensors do not tell everything: after a capture that was seen of neither side, or on a board
//! that knows occupied squares only, two games may give the very same readings and presses. So a
//! game is priced by what hands would have had to do beyond its moves: readings that no move of it
//! explains, a board that is not its position when it rests or the clock is pressed, presses too
//! many and too few. A record that is no dearer than what was played is as good an answer as there
//! is; that it says so is another matter.

use super::script::{Happening, Script};
use crate::table::Placement;
use crate::time::Mono;
use crate::track::costs::GameCosts;
use crate::track::line::squares_of;
use shakmaty::{Bitboard, Chess, Move, Position};
use std::time::Duration;

/// A board that nothing has changed for so long shows what stands on it.
const AT_REST: Duration = Duration::from_millis(500);
/// A half-move of a priced game.
struct PricedPly {
    /// The position before it.
    before: Chess,
    /// The squares that it touches.
    squares: Bitboard,
}

/// A game that is being priced.
struct PricedGame<'a> {
    script: &'a Script,
    plies: Vec<PricedPly>,
    last: Chess,
}

/// What hands would have had to do beyond `moves` from `start` to give what `script` says, up to
/// the moment when the clock is stopped. `None` if a move is not legal.
pub fn price(script: &Script, start: &Chess, moves: &[Move]) -> Option<u32> {
    let mut last = start.clone();
    let mut plies = Vec::with_capacity(moves.len());
    for &m in moves {
        if !last.is_legal(m) {
            return None;
        }
        let squares = squares_of(m, last.turn());
        plies.push(PricedPly { before: last.clone(), squares });
        last.play_unchecked(m);
    }
    Some(PricedGame { script, plies, last }.price())
}

impl PricedGame<'_> {
    fn price(&self) -> u32 {
        let mut wood = self.script.header.sight.of_board(self.position(0).board());
        let mut costs = GameCosts::new(self.plies.len(), self.script.header.has_clock);
        let mut happenings = self.script.happenings.iter().peekable();
        while let Some((at, happening)) = happenings.next() {
            costs.advance();
            match happening {
                Happening::Sensed { sq, reading, .. } => {
                    wood.set(*sq, *reading);
                    costs.pay(|n| u32::from(!self.explains(n, &wood, *sq)));
                }
                Happening::Press(by) => {
                    costs.press(|n| self.plies[n - 1].before.turn() == *by);
                    costs.advance();
                    self.stand(&mut costs, &wood);
                }
                Happening::ClockStopped => break,
                _ => {}
            }
            let next: Option<Mono> = happenings.peek().map(|(at, _)| *at);
            if next.is_none_or(|next| next.since(*at) >= AT_REST) {
                costs.advance();
                self.stand(&mut costs, &wood);
            }
        }
        costs.whole(!self.last.is_game_over())
    }

    /// The position after `n` half-moves.
    fn position(&self, n: usize) -> &Chess {
        self.plies.get(n).map_or(&self.last, |ply| &ply.before)
    }

    /// The board is looked at: what differs costs.
    fn stand(&self, costs: &mut GameCosts, wood: &Placement) {
        costs.pay(|n| wood.differs(self.position(n).board()).count() as u32);
    }

    /// Whether what `sq` reads is what stands there after `n` half-moves or one more, or is the
    /// hand that makes that one.
    fn explains(&self, n: usize, wood: &Placement, sq: shakmaty::Square) -> bool {
        let reading = wood.get(sq);
        let sight = self.script.header.sight;
        let stands = |n: usize| sight.of(self.position(n).board().piece_at(sq)) == reading;
        let next = self.plies.get(n);
        stands(n)
            || next.is_some_and(|ply| {
                ply.squares.contains(sq) && (reading == sight.of(None) || stands(n + 1))
            })
    }
}
