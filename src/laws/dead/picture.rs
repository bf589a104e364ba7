//! Mates by one minor piece: the pictures that lead there.
//!
//! The king stands in a corner, a man of its own on one square of the edge beside it, and the other
//! king two squares off where it covers the rest. There are eight of them.

use super::guide::distance;
use shakmaty::attacks::{attacks, king_attacks, knight_attacks};
use shakmaty::{Bitboard, Board, Color, Rank, Role, Square};
use std::sync::LazyLock;

/// More moves than any man needs.
const NEVER: i32 = 9;

#[derive(Clone, Debug)]
struct MatingPicture {
    corner: Square,
    /// Where the man stands in its king's way.
    block: Square,
    /// From each square, how many steps the other king needs to a post.
    post: [i32; 64],
    /// From each square, how many moves a knight needs to `block`.
    knight: [i32; 64],
}

static PICTURES: LazyLock<Vec<MatingPicture>> = LazyLock::new(|| {
    let corners = [Square::A1, Square::H1, Square::A8, Square::H8].into_iter();
    let beside = |corner: Square| {
        let on_edge = move |sq: &Square| sq.file() == corner.file() || sq.rank() == corner.rank();
        king_attacks(corner).into_iter().filter(on_edge).map(move |block| (corner, block))
    };
    corners.flat_map(beside).map(|(corner, block)| MatingPicture::of(corner, block)).collect()
});

impl MatingPicture {
    fn of(corner: Square, block: Square) -> Self {
        let rest = king_attacks(corner).without(block);
        let is_post = |sq: &Square| corner.distance(*sq) == 2 && rest.is_subset(king_attacks(*sq));
        let posts: Bitboard = Square::ALL.into_iter().filter(is_post).collect();
        let (mut post, mut knight) = ([NEVER; 64], [NEVER; 64]);
        for sq in Square::ALL {
            let steps = posts.into_iter().map(|to| distance(sq, to)).min();
            post[usize::from(sq)] = steps.unwrap_or(NEVER);
        }
        let mut reached = Bitboard::from_square(block);
        for n_moves in 0..NEVER {
            for sq in reached {
                let best = &mut knight[usize::from(sq)];
                *best = n_moves.min(*best);
            }
            reached = reached.into_iter().map(knight_attacks).fold(reached, |a, b| a | b);
        }
        Self { corner, block, post, knight }
    }

    /// How many moves the man on `from` needs to the square where it is wanted, on a board without
    /// others.
    fn moves_away(&self, board: &Board, from: Square) -> i32 {
        let to = self.block;
        let Some(piece) = board.piece_at(from).filter(|_| from != to) else { return 0 };
        match piece.role {
            Role::Bishop if from.is_light() != to.is_light() => NEVER,
            Role::Bishop | Role::Rook | Role::Queen => {
                2 - i32::from(attacks(from, piece, Bitboard::EMPTY).contains(to))
            }
            Role::Knight => self.knight[usize::from(from)],
            Role::King => distance(from, to),
            Role::Pawn => {
                let last = piece.color.fold_wb(Rank::Eighth, Rank::First);
                let left = from.rank().distance(last);
                let wanted = to.rank().distance(last);
                let is_ahead = from.file() == to.file() && 0 < wanted && wanted < left;
                let n_moves = if is_ahead { left - wanted } else { left + 2 };
                i32::try_from(n_moves).unwrap_or(NEVER)
            }
        }
    }
}

/// How far the nearest picture is in which `by` mates with its one piece, in a corner that
/// `is_wanted`; a bishop mates in corners of its own color only. `king` is the victim's.
pub(super) fn corner(
    board: &Board,
    king: Square,
    own: Square,
    by: Color,
    is_wanted: impl Fn(Square) -> bool,
) -> i32 {
    let piece = board.by_color(by).without(own).first();
    let bishop = piece.filter(|&sq| board.bishops().contains(sq));
    let is_fit = |corner: Square| bishop.is_none_or(|sq| sq.is_light() == corner.is_light());
    // Those could capture the piece that checks, or step between.
    let unfit = if bishop.is_some() { board.rooks_and_queens() } else { board.queens() };
    let men = board.by_color(!by).without(king).without(unfit);
    let far = |picture: &MatingPicture| {
        let blocker = men.into_iter().map(|sq| picture.moves_away(board, sq)).min();
        3 * distance(king, picture.corner)
            + 2 * picture.post[usize::from(own)]
            + 3 * blocker.unwrap_or(NEVER)
    };
    let fit = PICTURES.iter().filter(|it| is_fit(it.corner) && is_wanted(it.corner));
    fit.map(far).min().unwrap_or(99) + piece.map_or(8, |sq| distance(sq, king)) / 2
}
