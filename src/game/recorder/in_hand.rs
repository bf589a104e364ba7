//! Pieces in somebody's hand: lifted of late from where they stood, and seen nowhere since. Where a
//! board is taken over they are on their squares.

use crate::table::defaults;
use crate::time::Mono;
use shakmaty::{Bitboard, Board, Color, Piece, Rank, Role, Square, attacks};
use std::time::Duration;

/// A piece that was lifted longer ago is in nobody's hand any more, and one that stood on a square
/// for a shorter time was on its way.
const IN_HAND: Duration = Duration::from_millis(1_500);

/// A piece that was knocked over, or is not read, is set right within this, at times later.
const SET_RIGHT: Duration = Duration::from_secs(5);

defaults! {
    /// What was lifted of late, and when each piece came to its square.
    #[derive(Clone, Debug)]
    pub(super) struct Handling {
        /// `None` if it stood there when the board was first read.
        came: [Option<Mono>; 64] = [None; 64],
        lifted: Vec<Lifted>,
        /// When the board was first read.
        read: Option<Mono>,
        /// Pieces that were seen on their new square before they had left the old one.
        early: Vec<(Mono, Piece, Square)>,
        /// From where each piece came to its square, on whatever way.
        origins: [Option<Square>; 64] = [None; 64],
        /// Where a piece came to last, from another square.
        last: Option<Square>,
        /// Whose piece came last to a square that it had not left: from another one, or out of a
        /// hand.
        pub(super) moved: Option<Color>,
    }
}

/// A piece that has left its square and stands nowhere.
#[derive(Copy, Clone, Debug)]
struct Lifted {
    at: Mono,
    from: Square,
    /// The same, or from where it was on its way.
    origin: Square,
    piece: Piece,
    /// It was seen to stand there, and not only when the board was first read, as what is on its
    /// way is too.
    has_stood: bool,
    /// It had just come there, and was on its way.
    is_passing: bool,
    /// Its player has pressed the clock since: it is not in his hand.
    is_pressed: bool,
}

impl Handling {
    /// The board was read for the first time.
    pub(super) fn begin(&mut self, now: Mono) {
        *self = Self { read: Some(now), ..Self::default() };
    }

    /// `piece` has left its square.
    pub(super) fn lift(&mut self, now: Mono, from: Square, piece: Piece) {
        self.lifted.retain(|lifted| now.since(lifted.at) <= SET_RIGHT);
        self.early.retain(|(at, ..)| now.since(*at) <= IN_HAND);
        let early = self.early.iter().rposition(|(_, early, _)| *early == piece);
        let came = self.came[usize::from(from)];
        let has_stood = came.or(self.read).is_some_and(|came| now.since(came) > IN_HAND);
        let is_passing = !has_stood && came.is_some();
        let origin = self.origins[usize::from(from)].filter(|_| is_passing).unwrap_or(from);
        if let Some(idx) = early {
            let (_, _, to) = self.early.remove(idx);
            self.origins[usize::from(to)] = Some(origin);
        } else {
            let (at, is_pressed) = (now, false);
            self.lifted.push(Lifted { at, from, origin, piece, has_stood, is_passing, is_pressed });
        }
    }

    /// `piece` has come to `sq`: what was lifted there before was captured, and a pawn that stood
    /// before it may have become it. Neither is in a hand, wherever `piece` goes next.
    pub(super) fn put(&mut self, now: Mono, sq: Square, piece: Piece) {
        let is_taken = |known: &Lifted| known.from == sq && known.piece.color != piece.color;
        self.lifted.retain(|known| !is_taken(known));
        if self.lifted.iter().all(|known| known.piece != piece) {
            self.lifted.retain(|known| !known.becomes(sq, piece));
        }
        let lifted = self.lifted.iter().rposition(|lifted| lifted.piece == piece);
        let lifted = lifted.map(|idx| self.lifted.remove(idx));
        let from = lifted.map(|lifted| lifted.from);
        if from.is_none() {
            self.early.push((now, piece, sq));
        }
        if from != Some(sq) {
            (self.moved, self.last) = (Some(piece.color), Some(sq));
            self.origins[usize::from(sq)] = lifted.map(|lifted| lifted.origin);
        }
        self.came[usize::from(sq)] = Some(now);
    }

    /// The player of `color` presses: he has put down what he had in hand, or it has left the game.
    pub(super) fn press(&mut self, color: Color) {
        let his = self.lifted.iter_mut().filter(|lifted| lifted.piece.color == color);
        his.for_each(|lifted| lifted.is_pressed = true);
    }

    /// Whether something has left its square of late that was only seen there when the board was
    /// first read: it may have been on its way, or have stood there and be in somebody's hand.
    pub(super) fn is_unclear(&self, now: Mono) -> bool {
        let is_late = |lifted: &Lifted| !lifted.has_stood && !lifted.is_passing;
        let mut all = self.lifted.iter().filter(|lifted| lifted.may_be_held(now));
        all.any(is_late)
    }

    /// Whether what left `sq` after `at` had only just come there.
    pub(super) fn has_passed(&self, at: Mono, sq: Square) -> bool {
        self.came[usize::from(sq)].is_some_and(|came| at.since(came) <= IN_HAND)
    }

    /// The whole board was read, and has changed: which piece came last to its square, that does
    /// not tell.
    pub(super) fn forget_order(&mut self) {
        (self.moved, self.last) = (None, None);
    }

    /// Whose piece came last to where it stands on `board`, if it may have been moved there from
    /// where it stood: one that is set right seldom goes as it moves.
    pub(super) fn made(&self, board: &Board) -> Option<Color> {
        let to = self.last?;
        let piece = board.piece_at(to)?;
        let from = self.origins[usize::from(to)].filter(|from| board.piece_at(*from).is_none())?;
        may_go(piece, from, to, board).then_some(piece.color)
    }

    /// Puts what is in hand back to where it stood on `board`, if as many stood there `before`: one
    /// more than that was seen twice on its way.
    pub(super) fn put_back(&self, now: Mono, before: &Board, board: &mut Board) {
        for lifted in &self.lifted {
            let piece = lifted.piece;
            let is_missing = board.by_piece(piece).count() < before.by_piece(piece).count();
            if is_missing && !lifted.is_passing && lifted.is_held(now, board) {
                board.set_piece_at(lifted.from, piece);
            }
        }
    }
}

impl Handling {
    /// Until when a piece is waited for that stood on `board` and was neither taken nor put down:
    /// it was knocked over, or is not read where it stands. `None` if nothing is missing, by as
    /// many as stood there `before`.
    pub(super) fn missed_until(&self, now: Mono, before: &Board, board: &Board) -> Option<Mono> {
        let count = |board: &Board, lifted: &Lifted| board.by_piece(lifted.piece).count();
        let is_missing = |lifted: &&Lifted| {
            now.since(lifted.at) < SET_RIGHT
                && lifted.has_vanished(board)
                && count(board, lifted) < count(before, lifted)
        };
        let missing = self.lifted.iter().filter(is_missing);
        missing.map(|lifted| lifted.at + SET_RIGHT).max()
    }
}

impl Handling {
    /// Until when one piece may be seen twice, on its way or where it left, by how many of its kind
    /// stood on the board `before`: another one is there that came from nowhere, or was there when
    /// the board was first read. `None` if there is none, or it has stood for long.
    pub(super) fn seen_twice_until(
        &self,
        now: Mono,
        before: &Board,
        board: &Board,
    ) -> Option<Mono> {
        let is_more = |sq: &Square| {
            board
                .piece_at(*sq)
                .is_some_and(|piece| board.by_piece(piece).count() > before.by_piece(piece).count())
        };
        let appeared = |sq: Square| match self.came[usize::from(sq)] {
            None => self.read,
            Some(_) => {
                let known = self.early.iter().rev().find(|(.., to)| *to == sq);
                known.map(|(at, ..)| *at)
            }
        };
        let all = board.occupied().into_iter().filter(is_more).filter_map(appeared);
        all.map(|at| at + IN_HAND).max().filter(|until| *until > now)
    }
}

impl Lifted {
    /// Whether its player may have it in his hand.
    fn may_be_held(&self, now: Mono) -> bool {
        !self.is_pressed && now.since(self.at) <= IN_HAND
    }

    /// Whether it is a pawn that may have gone to `sq` and become `piece`.
    fn becomes(&self, sq: Square, piece: Piece) -> bool {
        let last = Bitboard::from(piece.color.relative_rank(Rank::Eighth));
        let is_near = attacks::king_attacks(self.from).contains(sq) && last.contains(sq);
        is_near && self.piece == Role::Pawn.of(piece.color) && piece.role != Role::Pawn
    }

    /// Whether the piece may be in a hand still, by what stands on the `board`.
    fn is_held(&self, now: Mono, board: &Board) -> bool {
        self.may_be_held(now) && self.has_vanished(board)
    }

    /// Whether the piece was neither taken nor put down, by what stands on the `board`: a pawn that
    /// was taken in passing, or exchanged, has left the game, and one that was put down before it
    /// was lifted stands one square ahead.
    fn has_vanished(&self, board: &Board) -> bool {
        let (sq, Piece { color, role }) = (self.from, self.piece);
        if board.piece_at(sq).is_some() {
            return false;
        }
        let ahead = sq.offset(color.fold_wb(8, -8));
        let behind = sq.offset(color.fold_wb(-8, 8));
        let last = Bitboard::from(color.relative_rank(Rank::Eighth));
        let has_gone_on = ahead.is_some_and(|sq| board.piece_at(sq) == Some(self.piece));
        let ahead = ahead.filter(|ahead| last.contains(*ahead));
        let near = ahead.map_or(Bitboard::EMPTY, |sq| attacks::king_attacks(sq).with(sq));
        let is_passed = behind.is_some_and(|sq| board.piece_at(sq) == Some(Role::Pawn.of(!color)));
        let is_exchanged = (near & last & board.by_color(color)).any();
        role != Role::Pawn || !(has_gone_on || is_passed || is_exchanged)
    }
}

/// Whether `piece` may have gone from one square to the other where it stands on `board` now. The
/// king of a rook that has castled is in nobody's way.
fn may_go(piece: Piece, from: Square, to: Square, board: &Board) -> bool {
    let king = board.king_of(piece.color).map_or(Bitboard::EMPTY, Bitboard::from);
    let others = board.occupied() & !king & !Bitboard::from(to);
    if piece.role != Role::Pawn {
        return attacks::attacks(from, piece, others).contains(to);
    }
    let ahead = |sq: Square| sq.offset(piece.color.fold_wb(8, -8));
    let one = ahead(from);
    let is_home = from.rank() == piece.color.relative_rank(Rank::Second);
    let two = one.filter(|sq| is_home && !others.contains(*sq)).and_then(ahead);
    one == Some(to) || two == Some(to) || attacks::pawn_attacks(piece.color, from).contains(to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::Color::{Black, White};

    /// Pieces lifted and put down, a tenth of a second apart; nothing for one that is lifted.
    fn board_after(before: &str, steps: &[(Square, Option<Piece>)]) -> Board {
        let before: Board = Board::from_ascii_board_fen(before.as_bytes()).unwrap();
        let (mut board, mut hands) = (before.clone(), Handling::default());
        let mut now = Mono::from_millis(10_000);
        hands.begin(Mono::default());
        for (sq, piece) in steps {
            now = now + Duration::from_millis(100);
            match piece {
                Some(piece) => {
                    hands.put(now, *sq, *piece);
                    board.set_piece_at(*sq, *piece);
                }
                None => {
                    let lifted = board.remove_piece_at(*sq).unwrap();
                    hands.lift(now, *sq, lifted);
                }
            }
        }
        hands.put_back(now, &before, &mut board);
        board
    }

    #[test]
    fn what_was_captured_is_in_no_hand_wherever_the_capturing_piece_goes() {
        use Square::{A3, A6, C6};
        let rook = Some(White.rook());
        let taken = [(A3, None), (A6, None), (A6, rook), (A6, None), (C6, rook)];
        let after = board_after("4k3/8/b7/8/8/R7/8/4K3", &taken);
        assert_eq!(after.to_string(), "4k3/8/2R5/8/8/8/8/4K3");
        let held = board_after("4k3/8/b7/8/8/R7/8/4K3", &[(A6, None)]);
        assert_eq!(held.to_string(), "4k3/8/b7/8/8/R7/8/4K3");
    }

    #[test]
    fn a_pawn_that_was_promoted_is_in_no_hand_though_the_new_piece_is_taken() {
        use Square::{F7, G8, H8};
        let taken = [
            (G8, None),
            (F7, None),
            (G8, Some(White.bishop())),
            (H8, None),
            (G8, Some(Black.rook())),
        ];
        let after = board_after("4k1nr/5P2/8/8/8/8/8/4K3", &taken);
        assert_eq!(after.to_string(), "4k1r1/8/8/8/8/8/8/4K3");
    }

    #[test]
    fn what_was_knocked_over_is_waited_for_until_it_is_set_right_or_taken() {
        let before = Board::from_ascii_board_fen(b"4k3/8/b7/8/8/R7/8/4K3").unwrap();
        let (lifted, rook) = (Mono::from_millis(10_000), White.rook());
        let missed = |taker: Option<(Square, Piece)>, ms: u64| {
            let (mut hands, mut board) = (Handling::default(), before.clone());
            hands.begin(Mono::default());
            board.discard_piece_at(Square::A3);
            hands.lift(lifted, Square::A3, rook);
            hands.press(White);
            if let Some((sq, piece)) = taker {
                hands.put(lifted + Duration::from_millis(400), sq, piece);
                board.set_piece_at(sq, piece);
            }
            hands.missed_until(lifted + Duration::from_millis(ms), &before, &board)
        };
        assert_eq!(missed(None, 4_999), Some(lifted + SET_RIGHT));
        assert_eq!(missed(None, 5_000), None);
        assert_eq!(missed(Some((Square::A3, rook)), 1_000), None);
        assert_eq!(missed(Some((Square::C3, rook)), 1_000), None);
        assert_eq!(missed(Some((Square::A3, Black.bishop())), 1_000), None);
    }

    #[test]
    fn who_presses_has_put_his_piece_down() {
        let mut hands = Handling::default();
        hands.begin(Mono::default());
        let before = Board::from_ascii_board_fen(b"4k3/8/b7/8/8/R7/8/4K3").unwrap();
        let mut board = before.clone();
        let now = Mono::from_millis(10_000);
        for sq in [Square::A3, Square::A6] {
            hands.lift(now, sq, board.remove_piece_at(sq).unwrap());
        }
        hands.press(White);
        hands.put_back(now, &before, &mut board);
        assert_eq!(board.to_string(), "4k3/8/b7/8/8/8/8/4K3");
    }
}
