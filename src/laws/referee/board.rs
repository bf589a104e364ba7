//! The board as a referee knows it, and when what lies on it counts as at rest.

use crate::table::{Placement, Reading, defaults};
use crate::time::Mono;
use shakmaty::{Bitboard, Board, Square};
use std::time::Duration;

/// A piece that is gone from its square for no longer is being put there.
const BOUNCE: Duration = Duration::from_millis(150);

defaults! {
    /// What the sensors show.
    #[derive(Clone, Debug)]
    pub(super) struct BoardSeen {
        given {
            seen: Placement,
            /// The board lies the other way round: its squares are counted from the opposite
            /// corner.
            is_turned: bool,
        }
        /// Squares whose piece reads as another of its color, and was never seen to leave.
        misread: Bitboard,
        /// When what lies on it will have been at rest.
        rests_at: Option<Mono>,
        last_change: Mono,
        /// When each square was left, and when what stands there came.
        left: [Mono; 64] = [Mono::default(); 64],
        came: [Mono; 64] = [Mono::default(); 64],
    }
}

impl BoardSeen {
    pub(super) fn new(seen: Placement, is_turned: bool) -> Self {
        Self::begin(seen, is_turned)
    }

    pub(super) fn seen(&self) -> &Placement {
        &self.seen
    }

    /// A raw square, as the game counts it.
    pub(super) fn mapped(&self, sq: Square) -> Square {
        if self.is_turned { sq.rotate_180() } else { sq }
    }

    pub(super) fn set(&mut self, sq: Square, reading: Reading) {
        self.seen.set(sq, reading);
    }

    /// It lies in one of the two ways in which it may lie.
    pub(super) fn lie(&mut self, is_turned: bool) {
        self.is_turned = is_turned;
    }

    pub(super) fn show(&mut self, seen: Placement) {
        self.seen = seen;
    }

    /// It shows `board` now: somebody has said so.
    pub(super) fn correct_to(&mut self, board: Board) {
        self.show(Placement::from(board));
    }

    /// Nobody saw it for a while, and it shows this now.
    pub(super) fn take_unseen(&mut self, picture: &Placement) {
        for sq in Square::ALL {
            self.seen.set(self.mapped(sq), picture.get(sq));
        }
        self.rests_at = None;
        self.misread = Bitboard::EMPTY;
    }

    /// A hand is at `sq`, where this is read now.
    pub(super) fn change_at(&mut self, sq: Square, now: Mono) {
        self.last_change = now;
        let (is_left, idx) = (!self.seen.occupied().contains(sq), usize::from(sq));
        if is_left {
            self.left[idx] = now;
        } else if now.since(self.left[idx]) > BOUNCE || self.came[idx] > self.left[idx] {
            self.came[idx] = now;
        }
    }

    /// When what stands on `sq` came there.
    pub(super) fn came(&self, sq: Square) -> Mono {
        self.came[usize::from(sq)]
    }

    /// It lies the other way round, and the record does not know.
    pub(super) fn is_turned(&self) -> bool {
        self.is_turned
    }

    pub(super) fn last_change(&self) -> Mono {
        self.last_change
    }

    pub(super) fn misread(&self) -> Bitboard {
        self.misread
    }

    pub(super) fn set_misread(&mut self, sq: Square, is_misread: bool) {
        self.misread.set(sq, is_misread);
    }

    pub(super) fn rests_at(&self) -> Option<Mono> {
        self.rests_at
    }

    pub(super) fn rest_at(&mut self, due: Mono) {
        self.rests_at = Some(due);
    }

    /// What lies on it has been judged, or is not to be.
    pub(super) fn judged(&mut self) {
        self.rests_at = None;
    }

    /// Whether it has come to rest by `now`; that is told once.
    pub(super) fn has_come_to_rest(&mut self, now: Mono) -> bool {
        self.rests_at.take_if(|due| *due <= now).is_some()
    }

    /// Nobody has seen it until `now`: what was awaited is due.
    pub(super) fn begin_again(&mut self, now: Mono) {
        self.rests_at = self.rests_at.map(|_| now);
        self.last_change = now;
        self.left = [now; 64];
        self.came = [now; 64];
    }
}
