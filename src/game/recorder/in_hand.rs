//! Pieces in somebody's hand: lifted of late from where they stood, and seen nowhere since. Where a
//! board is taken over they are on their squares.

use crate::time::Mono;
use shakmaty::{Bitboard, Board, Piece, Rank, Role, Square, attacks};
use std::time::Duration;

/// A piece that was lifted longer ago is in nobody's hand any more, and one that stood on a square
/// for a shorter time was on its way.
const IN_HAND: Duration = Duration::from_millis(1_500);

/// What was lifted of late, and when each piece came to its square.
#[derive(Clone, Debug)]
pub(super) struct Hands {
    /// `None` if it stood there when the board was first read.
    came: [Option<Mono>; 64],
    lifted: Vec<Lifted>,
    /// When the board was first read.
    read: Option<Mono>,
    /// Pieces that were seen on their new square before they had left the old one.
    early: Vec<(Mono, Piece)>,
}

/// A piece that has left its square and stands nowhere.
#[derive(Copy, Clone, Debug)]
struct Lifted {
    at: Mono,
    from: Square,
    piece: Piece,
    /// It was seen to stand there, and not only when the board was first read, as what is on its
    /// way is too.
    has_stood: bool,
}

impl Default for Hands {
    fn default() -> Self {
        Self { came: [None; 64], lifted: Vec::new(), read: None, early: Vec::new() }
    }
}

impl Hands {
    /// The board was read for the first time.
    pub(super) fn begin(&mut self, now: Mono) {
        *self = Self { read: Some(now), ..Self::default() };
    }

    /// `piece` has left its square.
    pub(super) fn lift(&mut self, now: Mono, from: Square, piece: Piece) {
        self.lifted.retain(|lifted| now.since(lifted.at) <= IN_HAND);
        self.early.retain(|(at, _)| now.since(*at) <= IN_HAND);
        let early = self.early.iter().rposition(|(_, early)| *early == piece);
        let came = self.came[usize::from(from)];
        let has_stood = came.or(self.read).is_some_and(|came| now.since(came) > IN_HAND);
        if let Some(idx) = early {
            self.early.remove(idx);
        } else if has_stood || came.is_none() {
            self.lifted.push(Lifted { at: now, from, piece, has_stood });
        }
    }

    /// `piece` has come to `sq`.
    pub(super) fn put(&mut self, now: Mono, sq: Square, piece: Piece) {
        match self.lifted.iter().rposition(|lifted| lifted.piece == piece) {
            Some(idx) => {
                self.lifted.remove(idx);
            }
            None => self.early.push((now, piece)),
        }
        self.came[usize::from(sq)] = Some(now);
    }

    /// Whether something has left its square of late that was only seen there when the board was
    /// first read: it may have been on its way, or have stood there and be in somebody's hand.
    pub(super) fn is_unclear(&self, now: Mono) -> bool {
        self.lifted.iter().any(|lifted| !lifted.has_stood && now.since(lifted.at) <= IN_HAND)
    }

    /// Puts what is in hand back to where it stood on `board`, if as many stood there `before`: one
    /// more than that was seen twice on its way.
    pub(super) fn put_back(&self, now: Mono, before: &Board, board: &mut Board) {
        for lifted in &self.lifted {
            let piece = lifted.piece;
            let is_missing = board.by_piece(piece).count() < before.by_piece(piece).count();
            if is_missing && lifted.is_held(now, board) {
                board.set_piece_at(lifted.from, piece);
            }
        }
    }
}

impl Lifted {
    /// Whether the piece may be in a hand still, by what stands on the `board`: a pawn that was
    /// taken in passing, or exchanged, has left the game, and one that was put down before it was
    /// lifted stands one square ahead.
    fn is_held(&self, now: Mono, board: &Board) -> bool {
        let (sq, Piece { color, role }) = (self.from, self.piece);
        if now.since(self.at) > IN_HAND || board.piece_at(sq).is_some() {
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
