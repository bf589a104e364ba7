//! Before the game: does the board lie rightly, and do the pieces stand as they must? All editions:
//! Art. 2, 7.1 (7.2).

use super::super::code::Code;
use super::super::terms::Terms;
use super::context::{Context, Phase};
use crate::table::Placement;
use shakmaty::{Bitboard, Board, CastlingMode, Chess, Color, File, Position, Rank, Square};

/// Looks at the board before the game.
pub(super) fn check(cx: &mut Context, picture: &Placement) {
    let wanted = cx.game.position(0).board().clone();
    let turned = rotated(picture);
    let is_known = cx.phase == Phase::Setup && cx.board.seen() == picture;
    cx.phase = Phase::Ready;
    if is_accepted(cx, picture, &wanted) {
        cx.board.show(picture.clone());
        cx.board.lie(false);
    } else if is_accepted(cx, &turned, &wanted) {
        cx.board.show(turned);
        cx.board.lie(true);
        cx.out.log(Code::BoardRemapped, None);
    } else {
        cx.phase = Phase::Setup;
        cx.board.show(picture.clone());
        let armies = picture.occupied();
        let files = Bitboard::from(File::A) | Bitboard::from(File::H);
        let is_quarter = armies.count() == 32 && (files & !armies).is_empty();
        let code = if is_quarter { Code::BoardRotated } else { Code::BadSetup };
        if !is_known && is_array(armies) {
            cx.out.log(code, None);
        }
    }
}

/// Whether what stands at `occupied` was set up for a game, rightly or not: the men are in two
/// double rows, and two are missing at the most. Anything else may be a game that goes on already,
/// or men on their way to or from their box.
fn is_array(occupied: Bitboard) -> bool {
    let rows = |line: [Bitboard; 4]| line.into_iter().fold(Bitboard::EMPTY, |all, one| all | one);
    let ranks = rows([Rank::First, Rank::Second, Rank::Seventh, Rank::Eighth].map(Bitboard::from));
    let files = rows([File::A, File::B, File::G, File::H].map(Bitboard::from));
    occupied.count() >= 30 && (occupied.is_subset(ranks) || occupied.is_subset(files))
}

/// Whether a game may begin from what is seen.
fn is_accepted(cx: &Context, seen: &Placement, wanted: &Board) -> bool {
    if cx.game.mode() != CastlingMode::Chess960 || wanted.occupied().count() != 32 {
        return seen.differs(wanted).is_empty();
    }
    // An array that was named is the only one; without a name any of the 960 will do.
    if cx.terms.array.is_none() && *wanted != Board::new() {
        return seen.differs(wanted).is_empty();
    }
    let is_it = |board: &Board| seen.differs(board).is_empty() && is_named(board, &cx.terms);
    (0..960).map(Board::chess960).any(|board| is_it(&board))
}

/// Whether this is the array that was announced, if one was.
fn is_named(board: &Board, terms: &Terms) -> bool {
    let pieces = Square::ALL[..8].iter().filter_map(|sq| board.piece_at(*sq));
    let row: String = pieces.map(|piece| piece.role.upper_char()).collect();
    terms.array.as_ref().is_none_or(|array| *array == row)
}

fn rotated(picture: &Placement) -> Placement {
    let mut turned = Placement::empty();
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

/// Whether a game that begins here begins from a wrong array. In Chess960 that is one that was not
/// announced.
pub(super) fn is_wrong_array(start: &Chess, terms: &Terms, mode: CastlingMode) -> bool {
    let initial = Board::new();
    let is_wrong = match mode {
        CastlingMode::Standard => start.board() != &initial,
        CastlingMode::Chess960 => !is_named(start.board(), terms),
    };
    is_wrong && start.board().occupied() == initial.occupied() && !is_under_way(start, terms)
}
