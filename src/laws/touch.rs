//! What was touched, and to what that obliges. All editions: Art. 4.2 to 4.5.

use super::picture::victim_of;
use super::said::{Binding, SideNames};
use crate::time::Mono;
use shakmaty::{
    CastlingMode, CastlingSide, Chess, Color, Move, Piece, Position, Role, Square, attacks,
};
use std::time::Duration;

/// A piece that was off for longer when the next one went was in the hand that knocked that one
/// over. Ours.
const TOGETHER: Duration = Duration::from_secs(1);

/// A piece that was lifted from where it stood.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Touch {
    pub sq: Square,
    pub piece: Piece,
    pub at: Mono,
    /// Lifted within the touch window of the one before.
    pub is_simultaneous: bool,
    /// Put back so soon that it was not on purpose.
    pub is_brushed: bool,
    /// It is off its square.
    is_off: bool,
    /// How long it was off.
    held: Duration,
    /// Another one was off its square when it went, or went with it: a hand takes one, but knocks
    /// over several.
    is_one_of_many: bool,
}

impl Touch {
    /// Whether it is a piece of the one who has the move in `pos`, and off its square.
    fn is_held_by(&self, pos: &Chess) -> bool {
        self.is_off
            && self.piece.color == pos.turn()
            && pos.board().piece_at(self.sq) == Some(self.piece)
    }
}

/// What a player who is to move has touched so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Touches(Vec<Touch>);

impl Touches {
    /// Takes the next one. True if it came within `window` of one of the other color: the order is
    /// then in doubt.
    pub(super) fn add(&mut self, sq: Square, piece: Piece, at: Mono, window: Duration) -> bool {
        let last = self.0.last().copied();
        let is_simultaneous = last.is_some_and(|last| at.since(last.at) <= window);
        let is_one_of_many = self.0.iter().any(|touch| touch.is_off);
        let is_with_it = |touch: &&mut Touch| touch.is_off && at.since(touch.at) <= TOGETHER;
        for touch in self.0.iter_mut().filter(is_with_it) {
            touch.is_one_of_many = true;
        }
        let (is_brushed, is_off, held) = (false, true, Duration::ZERO);
        self.0.push(Touch {
            sq,
            piece,
            at,
            is_simultaneous,
            is_brushed,
            is_off,
            held,
            is_one_of_many,
        });
        is_simultaneous && last.is_some_and(|last| last.piece.color != piece.color)
    }

    /// The piece from `sq` was put back at `at`. If that was within `brush`, it binds to nothing.
    pub(super) fn put_back(&mut self, sq: Square, at: Mono, brush: Duration) {
        if let Some(touch) = self.0.iter_mut().rev().find(|touch| touch.sq == sq) {
            touch.is_off = false;
            touch.held = at.since(touch.at);
            touch.is_brushed = touch.held < brush;
        }
    }

    /// The piece from `sq`, which was put back, was set right or knocked over: that binds to
    /// nothing. True if it seems so.
    pub(super) fn forgive(&mut self, sq: Square, at: Mono, adjusting: Duration) -> bool {
        let Some(touch) = self.0.iter_mut().rev().find(|touch| touch.sq == sq) else {
            return false;
        };
        touch.is_brushed |= touch.is_one_of_many || at.since(touch.at) < adjusting;
        touch.is_brushed
    }

    /// Those that were in a hand for at least `held`, or are still off their squares.
    pub(super) fn held(&self, held: Duration) -> Self {
        let is_held = |touch: &&Touch| touch.is_off || touch.held >= held;
        Self(self.0.iter().filter(is_held).copied().collect())
    }

    /// Those whose pieces are back on their squares, and those of `m`. What else is off its square
    /// may be in anybody's hand.
    pub(super) fn told_of(mut self, m: Move) -> Self {
        let is_of_move =
            |touch: &Touch| m.from() == Some(touch.sq) || touch.sq == victim_of(m) || m.is_castle();
        self.0.retain(|touch| !touch.is_off || is_of_move(touch));
        self
    }

    /// The piece from `sq` stands there again, and nobody saw when that was done: it binds to
    /// nothing.
    pub(super) fn forget(&mut self, sq: Square) {
        self.0.retain(|touch| touch.sq != sq);
    }

    /// What the player who has the move in `pos` took into his hand before his opponent's move was
    /// known to be made.
    pub(super) fn begun(mut self, pos: &Chess) -> Self {
        self.0.retain(|touch| touch.is_held_by(pos));
        self
    }

    /// Takes out what the one who has the move in `pos` has touched, after `m`, whose piece was
    /// `released`: what came later, and what is still in a hand, which does not move that piece.
    /// What he took before his opponent did, he touched out of turn: that binds nobody.
    pub(super) fn split_reply(&mut self, m: Move, pos: &Chess, released: Mono) -> Self {
        let is_lifted = |touch: &&Touch| m.from() == Some(touch.sq);
        let lifted = self.0.iter().find(is_lifted).map(|touch| touch.at);
        let is_of_reply = |touch: &mut Touch| touch.at > released || touch.is_held_by(pos);
        let reply = self.0.extract_if(.., is_of_reply);
        Self(reply.filter(|touch| lifted.is_none_or(|lifted| touch.at >= lifted)).collect())
    }

    /// What `by` has touched since, whose move goes on.
    pub(super) fn go_on(&mut self, since: Self, by: Color) {
        self.0.extend(since.0.into_iter().filter(|touch| touch.piece.color == by));
    }

    /// Whether the piece from `sq` is among them.
    pub(super) fn includes(&self, sq: Square) -> bool {
        self.0.iter().any(|touch| touch.sq == sq)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.meant().next().is_none()
    }

    /// The squares, in order.
    pub(super) fn squares(&self) -> Vec<Square> {
        self.0.iter().map(|touch| touch.sq).collect()
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    fn meant(&self) -> impl Iterator<Item = &Touch> {
        self.0.iter().filter(|touch| !touch.is_brushed)
    }

    /// Those that were meant, the own piece before one of the opponent's at the same moment.
    fn in_order(&self, turn: Color) -> Vec<Touch> {
        let mut ordered: Vec<Touch> = Vec::new();
        for touch in self.meant() {
            let before = ordered.len().saturating_sub(1);
            let is_swapped = touch.is_simultaneous
                && touch.piece.color == turn
                && ordered.last().is_some_and(|last| last.piece.color != turn);
            ordered.insert(if is_swapped { before } else { ordered.len() }, *touch);
        }
        ordered
    }

    /// The rook that was touched before the king, and the king after it: no castling with it. 4.4b.
    pub(super) fn rook_first(&self, pos: &Chess) -> Option<CastlingSide> {
        let turn = pos.turn();
        let touches = self.in_order(turn);
        let king = touches.iter().position(|touch| touch.piece == Role::King.of(turn))?;
        let rook = touches[..king].iter().rev().find(|touch| touch.piece == Role::Rook.of(turn))?;
        let is_first = !touches[king].is_simultaneous && touches[0].sq == rook.sq;
        let side = CastlingSide::ALL
            .into_iter()
            .find(|side| pos.castles().rook(turn, *side) == Some(rook.sq))?;
        (is_first && castling(pos, side).is_some()).then_some(side)
    }

    /// The first own piece touched, if only a pin keeps it from moving. While it is off its square
    /// it is taken to be meant to move; once the position is looked at any move will do, 4.5.
    pub(super) fn pinned(&self, pos: &Chess) -> Option<Binding> {
        let turn = pos.turn();
        let touches = self.in_order(turn);
        let own = touches.iter().find(|touch| touch.piece.color == turn)?;
        let (occupied, us) = (pos.board().occupied(), pos.us());
        let may_go = match own.piece.role {
            Role::King | Role::Pawn => return None,
            _ => attacks::attacks(own.sq, own.piece, occupied) & !us,
        };
        may_go.any().then_some(Binding::Move(own.sq))
    }

    /// What they bind to; `None` if nothing was touched.
    pub(super) fn binding(&self, pos: &Chess) -> Option<Binding> {
        let turn = pos.turn();
        let touches = self.in_order(turn);
        if touches.is_empty() {
            return None;
        }
        let legal = pos.legal_moves();
        let ours = |touch: &&Touch| touch.piece.color == turn;
        if let Some(bound) = self.castling_binding(pos, &touches) {
            return Some(bound);
        }
        let own = touches.iter().find(ours);
        let enemy = touches.iter().find(|touch| !ours(touch));
        if let (Some(own), Some(enemy)) = (own, enemy) {
            let takes = |m: &Move| m.from() == Some(own.sq) && captures(*m, enemy.sq);
            if legal.iter().any(takes) {
                return Some(Binding::CaptureWith(enemy.sq, own.sq));
            }
        }
        let bound = touches.iter().find_map(|touch| {
            if touch.piece.color == turn {
                let moves = |m: &Move| moves_piece(*m, touch.sq);
                legal.iter().any(moves).then_some(Binding::Move(touch.sq))
            } else {
                let takes = |m: &Move| captures(*m, touch.sq);
                legal.iter().any(takes).then_some(Binding::Capture(touch.sq))
            }
        });
        Some(bound.unwrap_or(Binding::Any))
    }

    /// Whether king and rook were touched for a legal castling, the king first or with it. 4.4a.
    pub(super) fn castles(&self, pos: &Chess) -> bool {
        let touches = self.in_order(pos.turn());
        matches!(self.castling_binding(pos, &touches), Some(Binding::Castle(..)))
    }

    /// King and rook touched: castle with it if that is legal, else move the king, else anything.
    /// 4.4a, 4.4c. The rook first: it must be moved, 4.4b.
    fn castling_binding(&self, pos: &Chess, touches: &[Touch]) -> Option<Binding> {
        let turn = pos.turn();
        let king = touches.iter().position(|touch| touch.piece == Role::King.of(turn))?;
        let is_rook = |touch: &&Touch| touch.piece == Role::Rook.of(turn);
        if self.rook_first(pos).is_some() {
            let rook = touches.iter().find(is_rook)?;
            return Some(Binding::Move(rook.sq));
        }
        // Whatever else he touched before the king he must move, if he can: also a rook, 4.4b.
        let may_castle = |touch: &Touch| is_rook(&touch) && touches[king].is_simultaneous;
        if touches[..king].iter().any(|touch| touch.piece.color == turn && !may_castle(touch)) {
            return None;
        }
        let with = touches.iter().find(is_rook)?;
        let side = CastlingSide::ALL
            .into_iter()
            .find(|side| pos.castles().rook(turn, *side) == Some(with.sq));
        if let Some(side) = side.filter(|side| castling(pos, *side).is_some()) {
            return Some(Binding::Castle(side, names(pos)));
        }
        let king = touches[king].sq;
        let may_move = pos.legal_moves().iter().any(|m| moves_piece(*m, king));
        Some(if may_move { Binding::Move(king) } else { Binding::Any })
    }
}

/// How the sides are called in the game of `pos`.
pub(super) fn names(pos: &Chess) -> SideNames {
    match pos.castles().mode() {
        CastlingMode::Standard => SideNames::KingAndQueen,
        CastlingMode::Chess960 => SideNames::Files,
    }
}

/// The legal castling on `side`.
pub(super) fn castling(pos: &Chess, side: CastlingSide) -> Option<Move> {
    pos.legal_moves().into_iter().find(|m| m.castling_side() == Some(side))
}

fn moves_piece(m: Move, sq: Square) -> bool {
    m.from() == Some(sq)
}

pub(super) fn captures(m: Move, sq: Square) -> bool {
    m.is_capture() && victim_of(m) == sq
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::fen::Fen;

    /// What lifting the pieces from `squares`, one after the other, binds to.
    fn bound(fen: &str, squares: &[&str]) -> String {
        let mode = CastlingMode::Standard;
        let pos: Chess = fen.parse::<Fen>().unwrap().into_position(mode).unwrap();
        let mut touches = Touches::default();
        for (idx, name) in squares.iter().enumerate() {
            let sq: Square = name.trim_end_matches('+').parse().unwrap();
            let at = Mono::from_millis(if name.ends_with('+') {
                idx as u64 * 1_000 - 960
            } else {
                idx as u64 * 1_000
            });
            let piece = pos.board().piece_at(sq).unwrap();
            touches.add(sq, piece, at, Duration::from_millis(50));
        }
        touches.binding(&pos).map_or_else(String::new, |bound| bound.to_string())
    }

    #[test]
    fn within_the_window_the_order_is_in_doubt() {
        let window = Duration::from_millis(50);
        for (ms, is_doubtful) in [(49, true), (50, true), (51, false)] {
            let mut touches = Touches::default();
            touches.add(Square::E2, Color::White.pawn(), Mono(0), window);
            let at = Mono::from_millis(ms);
            assert_eq!(touches.add(Square::D7, Color::Black.pawn(), at, window), is_doubtful);
        }
    }

    #[test]
    fn what_was_begun_is_what_the_player_on_move_still_holds() {
        let mut pos = Chess::default();
        let lift = |touches: &mut Touches, sq: Square, pos: &Chess| {
            let piece = pos.board().piece_at(sq).unwrap();
            touches.add(sq, piece, Mono(0), Duration::ZERO);
        };
        let mut touches = Touches::default();
        for sq in [Square::E2, Square::B8, Square::G8, Square::D7] {
            lift(&mut touches, sq, &pos);
        }
        touches.put_back(Square::G8, Mono::from_millis(3_000), Duration::ZERO);
        let e4 = pos.legal_moves().into_iter().find(|m| m.to() == Square::E4).unwrap();
        pos.play_unchecked(e4);
        assert_eq!(touches.clone().begun(&pos).squares(), [Square::B8, Square::D7]);
        let mut board = pos.board().clone();
        board.discard_piece_at(Square::D7);
        let mut setup = pos.to_setup(shakmaty::EnPassantMode::Legal);
        setup.board = board;
        let pos: Chess = setup.position(CastlingMode::Standard).unwrap();
        assert_eq!(touches.begun(&pos).squares(), [Square::B8]);
    }

    #[test]
    fn the_order_of_touches_decides() {
        let open = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";
        let castle = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1";
        let rook = "4k3/4r3/7p/8/8/8/4R3/4K3 w - - 0 1";
        for (fen, squares, expected) in [
            (open, &["a1"][..], "any"),
            (open, &["a1", "h1"], "move h1"),
            (open, &["c1", "f3"], "move f3"),
            (open, &["e5"], "capture e5"),
            (open, &["d8"], "any"),
            (open, &["f3", "e5"], "capture e5 with f3"),
            (open, &["e5", "f1"], "capture e5"),
            (open, &["f1", "e5"], "move f1"),
            (open, &["e5", "f1+"], "move f1"),
            (castle, &["e1", "h1"], "castle K"),
            (castle, &["e1", "a1"], "castle Q"),
            (castle, &["h1", "e1"], "move h1"),
            (castle, &["h1", "e1+"], "castle K"),
            (rook, &["e2", "e1"], "move e2"),
            (rook, &["e1", "e2"], "move e1"),
        ] {
            assert_eq!(bound(fen, squares), expected, "{squares:?}");
        }
    }
}
