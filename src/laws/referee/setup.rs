//! Before the game: does the board lie rightly, and do the pieces stand as they must? All editions:
//! Art. 2, 7.1 (7.2).

use super::super::code::Code;
use super::super::picture::Picture;
use super::super::terms::Terms;
use super::{Phase, Referee};
use shakmaty::{Bitboard, Board, CastlingMode, Chess, Color, Position, Square};

impl Referee {
    /// A raw square, as the game counts it.
    pub(super) fn mapped(&self, sq: Square) -> Square {
        if self.is_remapped { sq.rotate_180() } else { sq }
    }

    /// The whole board.
    pub(super) fn on_picture(&mut self, picture: &Picture) {
        let is_before = self.game.plies().is_empty()
            && self.clocks.running.is_none()
            && self.result.is_none()
            && self.turn.stirred.is_empty()
            && self.phase != Phase::Running;
        if is_before {
            self.check_setup(picture);
            return;
        }
        let changed = Square::ALL.into_iter().filter(|sq| self.seen.get(*sq) != picture.get(*sq));
        let changed: Vec<Square> = changed.collect();
        let is_news = !changed.is_empty();
        for sq in changed {
            self.seen.set(sq, picture.get(sq));
            self.turn.touches.forget(sq);
        }
        if let Some(demand) = &self.demand {
            if self.shows(&demand.board) {
                self.restored();
            }
        } else if is_news || self.settle_at.is_none() {
            // What shows nothing new postpones nothing.
            self.settle_at = Some(self.now + self.terms.settle);
        }
    }

    fn check_setup(&mut self, picture: &Picture) {
        let wanted = self.game.position(0).board().clone();
        let turned = rotated(picture);
        self.phase = Phase::Ready;
        if self.is_accepted(picture, &wanted) {
            self.seen = picture.clone();
            self.is_remapped = false;
        } else if self.is_accepted(&turned, &wanted) {
            self.seen = turned;
            self.is_remapped = true;
            self.log(Code::BoardRemapped, None);
        } else {
            self.phase = Phase::Setup;
            self.seen = picture.clone();
            let armies = picture.occupied();
            let files = Bitboard::from(shakmaty::File::A) | Bitboard::from(shakmaty::File::H);
            let is_quarter = armies.count() == 32 && (files & !armies).is_empty();
            let code = if is_quarter { Code::BoardRotated } else { Code::BadSetup };
            self.log(code, None);
        }
    }

    /// Whether a game may begin from what is seen.
    fn is_accepted(&self, seen: &Picture, wanted: &Board) -> bool {
        if self.game.mode() != CastlingMode::Chess960 || wanted.occupied().count() != 32 {
            return seen.differs(wanted).is_empty();
        }
        // An array that was named is the only one; without a name any of the 960 will do.
        if self.terms.array.is_none() && *wanted != Board::new() {
            return seen.differs(wanted).is_empty();
        }
        let named = |board: &Board| {
            let row: String = Square::ALL[..8]
                .iter()
                .filter_map(|sq| board.piece_at(*sq))
                .map(|piece| piece.role.upper_char())
                .collect();
            self.terms.array.as_ref().is_none_or(|array| *array == row)
        };
        (0..960).map(Board::chess960).any(|board| seen.differs(&board).is_empty() && named(&board))
    }
}

fn rotated(picture: &Picture) -> Picture {
    let mut turned = Picture::new(Board::empty(), Bitboard::EMPTY);
    for sq in Square::ALL {
        turned.set(sq.rotate_180(), picture.get(sq));
    }
    turned
}

/// Whether moves had been made before the start of this record.
pub(super) fn is_under_way(start: &Chess, terms: &Terms) -> bool {
    start.fullmoves().get() > 1
        || start.turn() == Color::Black
        || terms.completed.white + terms.completed.black > 0
}

/// Whether a game that begins here begins from a wrong array.
pub(super) fn is_wrong_array(start: &Chess, terms: &Terms, mode: CastlingMode) -> bool {
    let initial = Board::new();
    start.board().occupied() == initial.occupied()
        && start.board() != &initial
        && mode != CastlingMode::Chess960
        && !is_under_way(start, terms)
}
