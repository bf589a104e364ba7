//! Which legal lines lead from a position to what is seen.
//!
//! A plain search would drown in its own width. It is held back by conservation: a move brings one
//! piece to one new square (castling two), so a placement that shows three white pieces where
//! the position has none of them cannot be reached with one white move.

use super::legal;
use super::line::{arrivals_of, departures_of};
use crate::table::{Placement, Reading, defaults};
use shakmaty::{Bitboard, Chess, Color, Move, Position, Role, Square};

/// Positions looked at for one event, at the most, over all lines that are searched on.
pub const NODES_MAX: usize = 20_000;
/// Lines that one search returns, at the most.
pub const FOUND_MAX: usize = 64;

defaults! {
    /// A search for lines of exactly `depth` plies that end in what is `seen`.
    struct Search<'a> {
        given {
            seen: &'a Placement,
            depth: usize,
            /// Arrived pieces that the line may leave unexplained: ghosts, a reply already begun.
            slack: usize,
            /// Squares whose sensors do not tell.
            faulty: Bitboard,
            /// Positions that may still be looked at.
            budget: &'a mut usize,
        }
        /// Squares on which what arrives may be hidden.
        masked: Bitboard,
        line: Vec<Move>,
        arrived: Vec<Bitboard>,
        left: Vec<(Bitboard, Chess)>,
        found: Vec<Vec<Move>>,
    }
}

/// All lines of exactly `depth` plies from `pos` whose last effects are all seen, and that leave at
/// most `slack` arrived pieces unexplained. What the sensors of `faulty` squares read says nothing.
///
/// Takes what it looks at from `budget`, which begins at [`NODES_MAX`], and finds [`FOUND_MAX`] at
/// the most: a line missed for want of room is not reported, so
/// an empty answer proves nothing for deep searches.
pub fn lines(
    pos: &Chess,
    seen: &Placement,
    depth: usize,
    slack: usize,
    faulty: Bitboard,
    budget: &mut usize,
) -> Vec<Vec<Move>> {
    let mut search = Search::begin(seen, depth, slack, faulty, budget);
    search.descend(pos);
    search.found
}

/// The moves from `pos` that bring a piece to a square on which something else has been seen since
/// before, and whose other effects are all seen. Takes what it looks at from `budget`.
pub fn masked(pos: &Chess, seen: &Placement, faulty: Bitboard, budget: &mut usize) -> Vec<Move> {
    let diff = seen.differs(pos.board()) & !faulty;
    // A piece that is missed elsewhere hides nothing: it is being moved.
    let is_ghost = |sq: &Square| match seen.get(*sq) {
        Reading::Piece(piece) => {
            let missed = pos.board().by_piece(piece) & diff;
            missed.count() < (seen.known().by_piece(piece) & diff).count()
        }
        Reading::Colored(_) | Reading::Something | Reading::Empty => false,
    };
    let ghosts: Bitboard = (diff & !pos.board().occupied()).into_iter().filter(is_ghost).collect();
    if ghosts.is_empty() {
        return Vec::new();
    }
    // The piece that came may stand half on another square, and a reply may have begun.
    let slack = ghosts.count() + 2;
    let mut search = Search { masked: ghosts, ..Search::begin(seen, 1, slack, faulty, budget) };
    search.descend(pos);
    // What stands where a pawn is exchanged is what it was exchanged for.
    let is_masked = |m: &Move| !m.is_promotion() && (arrivals_of(*m, pos.turn()) & ghosts).any();
    search.found.into_iter().flatten().filter(is_masked).collect()
}

impl Search<'_> {
    fn descend(&mut self, pos: &Chess) {
        if self.line.len() == self.depth {
            if self.effects_are_seen(pos) {
                self.found.push(self.line.clone());
            }
            return;
        }
        for m in legal::moves(pos) {
            if *self.budget == 0 || self.found.len() >= FOUND_MAX {
                return;
            }
            let is_last = self.line.len() + 1 == self.depth;
            if is_last && !self.may_end(pos.turn(), m) {
                continue;
            }
            *self.budget -= 1;
            let mut after = pos.clone();
            after.play_unchecked(m);
            if self.is_out_of_reach(&after, self.depth - self.line.len() - 1) {
                continue;
            }
            self.line.push(m);
            self.arrived.push(arrivals_of(m, pos.turn()));
            self.left.push((departures_of(m), pos.clone()));
            self.descend(&after);
            self.left.pop();
            self.arrived.pop();
            self.line.pop();
        }
    }

    /// Whether what `turn` moves with `m` is seen where it goes, and not where it came from, as it
    /// must be where nothing comes after. Most moves fail here, before they are played.
    fn may_end(&self, turn: Color, m: Move) -> bool {
        let arrives = |sq: Square, role: Role| {
            (self.faulty | self.masked).contains(sq) || self.seen.get(sq).may_be(role.of(turn))
        };
        let has_left = |from: Square, role: Role| {
            self.faulty.contains(from) || !self.seen.get(from).may_be(role.of(turn))
        };
        match (m, m.castling_side()) {
            (Move::Castle { .. }, Some(side)) => {
                arrives(side.king_to(turn), Role::King) && arrives(side.rook_to(turn), Role::Rook)
            }
            (Move::Normal { role, from, to, promotion, .. }, _) => {
                arrives(to, promotion.unwrap_or(role)) && has_left(from, role)
            }
            _ => true,
        }
    }

    /// Whether `n_left` further plies are too few to bring every piece where it is seen.
    fn is_out_of_reach(&self, pos: &Chess, n_left: usize) -> bool {
        let diff = self.seen.differs(pos.board()) & !self.faulty & self.seen.occupied();
        let over = |color: Color| {
            let arrived = (diff & self.seen.by_color(color)).count();
            let n_moves = if pos.turn() == color { n_left.div_ceil(2) } else { n_left / 2 };
            let castling = usize::from(n_moves > 0 && pos.castles().has_color(color));
            arrived.saturating_sub(n_moves + castling)
        };
        let unnamed = (diff & self.seen.something()).count();
        let over_unnamed = unnamed.saturating_sub(n_left + usize::from(n_left > 0));
        (over(Color::White) + over(Color::Black)).saturating_add(over_unnamed) > self.slack
    }

    /// Every piece that moved is seen where the line put it, and not where it came from.
    fn effects_are_seen(&self, pos: &Chess) -> bool {
        let diff = self.seen.differs(pos.board()) & !self.faulty;
        if self.arrived.iter().any(|&squares| (squares & diff & !self.masked).any()) {
            return false;
        }
        self.left.iter().all(|(squares, before)| {
            (*squares & diff).into_iter().all(|sq| {
                let left = before.board().piece_at(sq);
                !left.is_some_and(|left| self.seen.get(sq).may_be(left))
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A knight that stands half on f4 hides the bishop that comes there, also while another knight
    /// moves.
    #[test]
    fn a_piece_hides_another_while_its_like_moves() {
        let fen: shakmaty::fen::Fen = "7k/8/8/6b1/8/2N3N1/8/1K6 b - - 0 1".parse().unwrap();
        let pos: Chess = fen.into_position(shakmaty::CastlingMode::Standard).unwrap();
        let seen = Placement::parse("7k/8/8/5b2/5N2/6N1/4N3/1K6").unwrap();
        let found = masked(&pos, &seen, Bitboard::EMPTY, &mut NODES_MAX.clone());
        let is_the_bishop = |m: &Move| (m.from(), m.to()) == (Some(Square::G5), Square::F4);
        assert!(found.iter().any(is_the_bishop), "{found:?}");
    }
}
