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
use crate::track::line::squares_of;
use shakmaty::{Bitboard, Chess, Color, Move, Position};
use std::time::Duration;

/// A board that nothing has changed for so long shows what stands on it.
const AT_REST: Duration = Duration::from_millis(500);
/// What a press costs that completes nothing.
const STRAY_PRESS: u32 = 4;
/// What a half-move costs that nobody pressed for. It needs no press where it ends the game.
const UNPRESSED: u32 = 4;
/// No game at all.
const NEVER: u32 = u32::MAX / 2;

/// Whether the last two half-moves are pressed for: the last in bit 0, the one before in bit 1.
const N_MASKS: usize = 4;

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
        let mut costs = vec![[NEVER; N_MASKS]; self.plies.len() + 1];
        // Nothing is to be pressed before the first move.
        costs[0][N_MASKS - 1] = 0;
        let mut happenings = self.script.happenings.iter().peekable();
        while let Some((at, happening)) = happenings.next() {
            self.advance(&mut costs);
            match happening {
                Happening::Sensed { sq, reading, .. } => {
                    wood.set(*sq, *reading);
                    self.pay(&mut costs, |n| u32::from(!self.explains(n, &wood, *sq)));
                }
                Happening::Press(by) => {
                    self.press(&mut costs, *by);
                    self.advance(&mut costs);
                    self.stand(&mut costs, &wood);
                }
                Happening::ClockStopped => break,
                _ => {}
            }
            let next: Option<Mono> = happenings.peek().map(|(at, _)| *at);
            if next.is_none_or(|next| next.since(*at) >= AT_REST) {
                self.advance(&mut costs);
                self.stand(&mut costs, &wood);
            }
        }
        self.end(&costs)
    }

    /// The position after `n` half-moves.
    fn position(&self, n: usize) -> &Chess {
        self.plies.get(n).map_or(&self.last, |ply| &ply.before)
    }

    /// Who made half-move `n`, from 1.
    fn mover(&self, n: usize) -> Color {
        self.plies[n - 1].before.turn()
    }

    fn needs_press(&self) -> bool {
        self.script.header.has_clock
    }

    /// Moves may be made at any moment; one that leaves the last two unpressed costs.
    fn advance(&self, costs: &mut [[u32; N_MASKS]]) {
        for n in 0..self.plies.len() {
            for mask in 0..N_MASKS {
                let is_due = self.needs_press() && n > 1 && mask & 0b10 == 0;
                let cost = costs[n][mask] + if is_due { UNPRESSED } else { 0 };
                // What precedes the first half-move counts as pressed.
                let next = (mask & 1) << 1;
                let known = &mut costs[n + 1][next];
                *known = cost.min(*known);
            }
        }
    }

    /// The board is looked at: what differs costs.
    fn stand(&self, costs: &mut [[u32; N_MASKS]], wood: &Placement) {
        self.pay(costs, |n| wood.differs(self.position(n).board()).count() as u32);
    }

    fn pay(&self, costs: &mut [[u32; N_MASKS]], of: impl Fn(usize) -> u32) {
        for (n, masks) in costs.iter_mut().enumerate() {
            if masks.iter().all(|cost| *cost >= NEVER) {
                continue;
            }
            let more = of(n);
            masks.iter_mut().for_each(|cost| *cost = NEVER.min(*cost + more));
        }
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

    /// A press is for the last half-move or, if it comes late, for the one before.
    fn press(&self, costs: &mut [[u32; N_MASKS]], by: Color) {
        for (n, masks) in costs.iter_mut().enumerate() {
            let mut pressed = [NEVER; N_MASKS];
            for (mask, &cost) in masks.iter().enumerate() {
                let (after, more) = if n > 0 && mask & 1 == 0 && self.mover(n) == by {
                    (mask | 1, 0)
                } else if n > 1 && mask & 0b10 == 0 && self.mover(n - 1) == by {
                    (mask | 0b10, 0)
                } else {
                    (mask, STRAY_PRESS)
                };
                pressed[after] = pressed[after].min(NEVER.min(cost + more));
            }
            *masks = pressed;
        }
    }

    /// The cost of the whole game, with what is still unpressed.
    fn end(&self, costs: &[[u32; N_MASKS]]) -> u32 {
        let n = self.plies.len();
        let is_over = self.last.is_game_over();
        let unpressed = |mask: usize| {
            let last = n > 0 && !is_over && mask & 1 == 0;
            let before = n > 1 && mask & 0b10 == 0;
            if self.needs_press() { (u32::from(last) + u32::from(before)) * UNPRESSED } else { 0 }
        };
        let all = costs[n].iter().enumerate().map(|(mask, cost)| cost + unpressed(mask));
        all.min().unwrap_or(NEVER)
    }
}
