//! What was played while nobody looked: all series of legal moves that lead to what is seen then,
//! and what they have in common.
//!
//! Only what all of them share is known. The shortest ones are looked at and those that are longer
//! by one move of each side: a piece that goes from square to square may have rested in between.
//! Longer ones, in which both sides move out and back again, are left aside where one series alone
//! explains the board; where several do, and there was time for more moves, nothing is known of how
//! they began. Where a clock tells how many moves there were, only those of that length count.

use super::heard::{HeardAs, HeardReadings};
use super::legal;
use crate::table::{Placement, defaults};
use shakmaty::{
    Bitboard, Board, ByColor, CastlingMode, Chess, Color, Move, Position, PositionError, Rank,
    Role, Setup, Square, attacks,
};
use std::num::NonZeroU32;

/// Half-moves that are searched for, at the most.
pub const DEPTH_MAX: usize = 6;
/// Positions looked at, at the most.
pub const NODES_MAX: usize = 150_000;

/// A position from which play may have gone on unseen.
#[derive(Clone, Debug)]
pub struct Shore {
    /// The moves to it from where all of them begin.
    pub moves: Vec<Move>,
    /// The position that they lead to.
    pub pos: Chess,
}

/// What is known of a stretch of play that nobody saw.
#[derive(Clone, Debug)]
pub struct Unseen<'a> {
    /// Where it may have begun.
    pub shores: &'a [Shore],
    /// What is seen now.
    pub seen: &'a Placement,
    /// Squares whose sensors do not tell.
    pub untold: Bitboard,
    /// Who is on move by the clock. A move of his may stand on which he has not pressed.
    pub turn: Option<Color>,
    /// Whose piece was seen to move last, if any was.
    pub moved: Option<Color>,
    /// How many moves were pressed since the beginning of all shores, where the clock tells.
    pub n_pressed: Option<usize>,
    /// Pieces have moved since the last press that was heard, and one may have been lost: a move
    /// may stand that nobody has pressed for, whatever else explains the board.
    pub is_stirred: bool,
    /// More half-moves than these there was no time for.
    pub n_max: usize,
    /// What the sensors said meanwhile, where only some messages were hurt.
    pub heard: Option<&'a HeardReadings>,
}

impl<'a> Unseen<'a> {
    /// A board that was found so, and nothing is known of how it came to that.
    pub fn found(shores: &'a [Shore], seen: &'a Placement, untold: Bitboard) -> Self {
        Self {
            shores,
            seen,
            untold,
            turn: None,
            moved: None,
            n_pressed: None,
            is_stirred: false,
            n_max: usize::MAX / 2,
            heard: None,
        }
    }
}

/// What explains the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bridged {
    /// The moves from the beginning of all shores that all explanations share.
    pub common: Vec<Move>,
    /// There is one explanation, and that is it.
    pub is_whole: bool,
    /// How many half-moves the shortest explanation has.
    pub least: usize,
    /// The board after all of them, if that is the same.
    pub board: Option<Board>,
    /// Who is on move after all of them, if that is the same. By the clock it may be the other one,
    /// who has not pressed it.
    pub turn: Option<Color>,
    /// The search ended before it had looked at everything: only what all shores share is known.
    pub is_cut: bool,
}

defaults! {
    /// The explanations found so far.
    struct BridgeSearch<'a> {
        given {
            unseen: &'a Unseen<'a>,
        }
        line: Vec<Move>,
        common: Option<Vec<Move>>,
        is_whole: bool = true,
        board: Option<Board>,
        /// Who is on move after each explanation.
        turns: ByColor<bool>,
        /// The explanation that was heard, of those found so far, if it is the only one.
        told: HeardLine = HeardLine::None,
        budget: usize = NODES_MAX,
    }
}

/// Whether an explanation was heard.
#[derive(Clone, Debug, PartialEq, Eq)]
enum HeardLine {
    None,
    One(Vec<Move>, HeardAs),
    Several,
}

/// What was played, as far as all explanations say the same; `None` if nothing explains what is
/// seen.
pub fn bridge(unseen: &Unseen<'_>) -> Option<Bridged> {
    let mut search = BridgeSearch::begin(unseen);
    let base = unseen.shores.iter().map(|shore| shore.moves.len()).min()?;
    let n_max = unseen.n_max.min(DEPTH_MAX);
    let found = (base..=base + n_max).find(|n| search.all_of(*n, true) | search.all_of(*n, false));
    let Some(least) = found else {
        let common = shared(unseen.shores);
        let cut =
            Bridged { common, is_whole: false, least: base, board: None, turn: None, is_cut: true };
        return (search.budget == 0).then_some(cut);
    };
    let (is_searched, board) = (search.budget > 0, search.board.clone());
    if unseen.n_pressed.is_none() {
        // If the shortest one ends in a move that nobody has pressed for, longer ones may do too.
        let is_short =
            unseen.is_stirred || unseen.turn.is_some_and(|turn| !search.is_pressed(least, turn));
        for n in [least + 1, least + 2] {
            if n <= base + unseen.n_max {
                search.all_of(n, true);
                if is_short {
                    search.all_of(n, false);
                }
            }
        }
    }
    let is_cut = search.budget == 0;
    // One that was heard counts, unless a longer one was too: a piece that seems to have been slid
    // on may have rested, and been answered.
    if let (HeardLine::One(common, HeardAs::Exactly), true) = (&search.told, is_searched)
        && common.len() == least
    {
        let common = common.clone();
        return Some(Bridged { common, is_whole: true, least, board, turn: None, is_cut: false });
    }
    // Where there was time for more moves than were looked at, they may have begun otherwise.
    let is_longer = unseen.n_pressed.is_none() && least + 2 < base + unseen.n_max;
    let is_more = is_longer && search.tells_of_more();
    if is_cut || is_more || is_longer && !search.is_whole {
        (search.common, search.is_whole) = (Some(shared(unseen.shores)), false);
    }
    // Each side has moved out and back again.
    let least = if is_more && least == base { base + 2 } else { least };
    let common = search.common.unwrap_or_default();
    let turn = match (search.turns.white, search.turns.black) {
        (true, false) if !is_cut => Some(Color::White),
        (false, true) if !is_cut => Some(Color::Black),
        _ => None,
    };
    Some(Bridged { common, is_whole: search.is_whole, least, board: search.board, turn, is_cut })
}

/// The moves that all shores share.
pub fn shared(shores: &[Shore]) -> Vec<Move> {
    let mut shores = shores.iter();
    let mut shared = shores.next().map_or_else(Vec::new, |shore| shore.moves.clone());
    for shore in shores {
        let n = shared.iter().zip(&shore.moves).take_while(|(a, b)| a == b).count();
        shared.truncate(n);
    }
    shared
}

impl BridgeSearch<'_> {
    /// Whether more was heard than what all explanations say was played.
    fn tells_of_more(&self) -> bool {
        let (Some(line), Some(heard)) = (&self.common, self.unseen.heard) else { return false };
        let shores = self.unseen.shores.iter().filter(|shore| line.starts_with(&shore.moves));
        let shore = shores.max_by_key(|shore| shore.moves.len());
        shore.is_some_and(|shore| heard.tells_of_more(&shore.pos, &line[shore.moves.len()..]))
    }

    /// Takes all explanations of `n` half-moves in all: those in which all moves are pressed, or
    /// those whose last one is not. True if there are any.
    fn all_of(&mut self, n: usize, is_pressed: bool) -> bool {
        let n_pressed = if is_pressed { n } else { n.saturating_sub(1) };
        if self.unseen.n_pressed.is_some_and(|known| known != n_pressed) {
            return false;
        }
        // A move that is still to be pressed for was made last.
        let is_answered = self.unseen.moved.is_some_and(|by| self.unseen.turn == Some(!by));
        if is_answered && !is_pressed {
            return false;
        }
        let mut has_found = false;
        for shore in self.unseen.shores {
            let Some(n_left) = n.checked_sub(shore.moves.len()) else { continue };
            let ends_with =
                if n_left.is_multiple_of(2) { shore.pos.turn() } else { !shore.pos.turn() };
            let is_his = self.unseen.turn.is_none_or(|turn| (turn == ends_with) == is_pressed);
            if !is_his || self.unseen.turn.is_none() && !is_pressed {
                continue;
            }
            self.line.clone_from(&shore.moves);
            if reaches(&shore.pos, self.unseen, n_left) {
                has_found |= self.descend(shore, &shore.pos, n_left);
            }
        }
        has_found
    }

    /// Whether explanations of `n` half-moves end with `turn` to move.
    fn is_pressed(&self, n: usize, turn: Color) -> bool {
        self.unseen.shores.iter().all(|shore| {
            let is_even = n.abs_diff(shore.moves.len()).is_multiple_of(2);
            (shore.pos.turn() == turn) == is_even
        })
    }

    fn descend(&mut self, shore: &Shore, pos: &Chess, n_left: usize) -> bool {
        if n_left == 0 {
            let differs = self.unseen.seen.differs(pos.board()) & !self.unseen.untold;
            if differs.any() {
                return false;
            }
            self.take(shore, pos);
            return true;
        }
        let mut has_found = false;
        for m in legal::moves(pos) {
            if self.budget == 0 {
                return has_found;
            }
            self.budget -= 1;
            let mut after = pos.clone();
            after.play_unchecked(m);
            if reaches(&after, self.unseen, n_left - 1) {
                self.line.push(m);
                has_found |= self.descend(shore, &after, n_left - 1);
                self.line.pop();
            }
        }
        has_found
    }

    /// Another explanation.
    fn take(&mut self, shore: &Shore, pos: &Chess) {
        let board = pos.board();
        *self.turns.get_mut(pos.turn()) = true;
        let unheard = &self.line[shore.moves.len()..];
        if let Some(told) = self.unseen.heard.and_then(|heard| heard.tells(&shore.pos, unheard)) {
            self.told = match std::mem::replace(&mut self.told, HeardLine::Several) {
                HeardLine::None => HeardLine::One(self.line.clone(), told),
                HeardLine::One(known, told) if known == self.line => HeardLine::One(known, told),
                _ => HeardLine::Several,
            };
        }
        match &self.board {
            Some(known) if known != board => self.board = None,
            None if self.common.is_none() => self.board = Some(board.clone()),
            _ => {}
        }
        match &mut self.common {
            None => self.common = Some(self.line.clone()),
            Some(common) if *common != self.line => {
                let n = common.iter().zip(&self.line).take_while(|(a, b)| a == b).count();
                common.truncate(n);
                self.is_whole = false;
            }
            Some(_) => {}
        }
    }
}

/// Whether `n` half-moves from `pos` may lead to what is seen: pieces must come and go, and each
/// move brings and takes one, castling two.
fn reaches(pos: &Chess, unseen: &Unseen<'_>, n: usize) -> bool {
    let (seen, board) = (unseen.seen, pos.board());
    let differs = seen.differs(board) & !unseen.untold;
    let moves_of = |color: Color| if pos.turn() == color { n.div_ceil(2) } else { n / 2 };
    let n_untold = unseen.untold.count();
    let may_be = |color: Color| {
        let (own, others) = (moves_of(color), moves_of(!color));
        let castling = usize::from(own > 0 && pos.castles().has_color(color));
        let arrived = (differs & seen.by_color(color)).count();
        let gone = (differs & board.by_color(color)).count();
        arrived <= own + castling && gone <= own + castling + others
    };
    let n_seen = seen.occupied().count();
    let n_stand = board.occupied().count();
    let unnamed = (differs & seen.something()).count();
    let is_enough = n_stand + n_untold >= n_seen && n_stand <= n_seen + n + n_untold;
    let is_colored = |color: Color| {
        let (stand, seen) = (board.by_color(color).count(), seen.by_color(color).count());
        stand + n_untold >= seen
            && (unseen.seen.something().any() || stand <= seen + moves_of(!color) + n_untold)
    };
    is_enough
        && unnamed <= n + usize::from(n > 0)
        && Color::ALL.into_iter().all(|color| may_be(color) && is_colored(color))
}

/// How many half-moves it takes at the least to get from `pos` to what is seen, with `turn` on
/// move: each side must have moved what stands elsewhere, and taken what is gone.
pub fn least(pos: &Chess, seen: &Placement, turn: Option<Color>) -> usize {
    let differs = seen.differs(pos.board());
    let needs = |color: Color| {
        let arrived = (differs & seen.by_color(color)).count();
        let lost = pos.board().by_color(!color).count();
        let taken = lost.saturating_sub(seen.by_color(!color).count());
        let castling = usize::from(arrived > 1 && pos.castles().has_color(color));
        (arrived - castling).max(if seen.something().any() { 0 } else { taken })
    };
    let (ours, theirs) = (needs(pos.turn()), needs(!pos.turn()));
    let least = (2 * ours).saturating_sub(1).max(2 * theirs);
    let is_his = turn.is_none_or(|turn| (turn == pos.turn()) == least.is_multiple_of(2));
    if is_his { least } else { least + 1 }
}

/// The position of `board` with `turn` to move, if it is one that a game may go on from. It comes
/// after `before`, if that is known: nobody gets a piece or a right to castle back. Otherwise kings
/// and rooks at home may castle.
pub fn standing(
    board: &Board,
    before: Option<&Chess>,
    mode: CastlingMode,
    turn: Color,
    fullmoves: NonZeroU32,
) -> Option<Chess> {
    let count = |board: &Board, color: Color, role: Role| board.by_piece(role.of(color)).count();
    let is_whole = Color::ALL.into_iter().all(|color| {
        let of = |role: Role| count(board, color, role);
        of(Role::King) == 1 && of(Role::Pawn) <= 8 && board.by_color(color).count() <= 16
    });
    let is_from = before.is_none_or(|before| {
        Color::ALL.into_iter().all(|color| {
            let was = before.board();
            let of = |board: &Board, role: Role| count(board, color, role);
            let come = |role: Role| of(board, role).saturating_sub(of(was, role));
            let promoted: usize = Role::ALL.map(come).into_iter().sum();
            of(board, Role::Pawn) + promoted <= of(was, Role::Pawn)
                && board.by_color(color).count() <= was.by_color(color).count()
        })
    });
    if !is_whole || !is_from {
        return None;
    }
    let mut setup = Setup::empty();
    setup.board = board.clone();
    setup.turn = turn;
    setup.fullmoves = fullmoves;
    setup.castling_rights =
        before.map_or_else(|| home_rooks(board), |before| rights_left(board, before));
    setup.ep_square = may_be_passed(board, before, turn);
    let pos =
        setup.clone().position::<Chess>(mode).or_else(PositionError::ignore_too_much_material);
    pos.ok().or_else(|| {
        setup.ep_square = None;
        setup.position(mode).or_else(PositionError::ignore_too_much_material).ok()
    })
}

/// Whether a pawn stands farther back than any of `before` can have come from.
pub fn has_pawn_back(before: &Board, board: &Board) -> bool {
    Color::ALL.into_iter().any(|color| {
        let n =
            |board: &Board, rows: Bitboard| (board.by_piece(Role::Pawn.of(color)) & rows).count();
        let mut behind = Bitboard::EMPTY;
        Rank::ALL.into_iter().any(|rank| {
            behind |= Bitboard::from(color.relative_rank(rank));
            n(board, behind) > n(before, behind)
        })
    })
}

/// The rooks that castle, if a game begins from `board` and nobody says otherwise.
fn home_rooks(board: &Board) -> Bitboard {
    let home = |color: Color| {
        let king =
            board.king_of(color).filter(|king| *king == color.fold_wb(Square::E1, Square::E8));
        let corners = Bitboard::from(color.fold_wb(Square::A1, Square::A8))
            .with(color.fold_wb(Square::H1, Square::H8));
        let rooks = board.by_piece(Role::Rook.of(color)) & corners;
        king.map_or(Bitboard::EMPTY, |_| rooks)
    };
    home(Color::White) | home(Color::Black)
}

/// The rooks that could castle before and have, like their kings, not moved as far as is seen.
fn rights_left(board: &Board, before: &Chess) -> Bitboard {
    let of = |color: Color| {
        let king = before.board().king_of(color).filter(|king| board.king_of(color) == Some(*king));
        let rooks = before.castles().castling_rights() & before.board().by_color(color);
        king.map_or(Bitboard::EMPTY, |_| rooks & board.by_piece(Role::Rook.of(color)))
    };
    of(Color::White) | of(Color::Black)
}

/// The square that a pawn may just have passed in two steps, beside one that could take it: if it
/// was so, that must not be forbidden.
fn may_be_passed(board: &Board, before: Option<&Chess>, turn: Color) -> Option<Square> {
    let by = !turn;
    let pawns = board.by_piece(Role::Pawn.of(by)) & Bitboard::from(by.relative_rank(Rank::Fourth));
    pawns.into_iter().find_map(|sq| {
        let from = Square::from_coords(sq.file(), by.relative_rank(Rank::Second));
        let passed = Square::from_coords(sq.file(), by.relative_rank(Rank::Third));
        let at_home = |before: &Chess| before.board().piece_at(from) == Some(Role::Pawn.of(by));
        let was_home = before.is_none_or(at_home);
        let is_free = !board.occupied().contains(from) && !board.occupied().contains(passed);
        let takers = attacks::pawn_attacks(by, passed) & board.by_piece(Role::Pawn.of(turn));
        (was_home && is_free && takers.any()).then_some(passed)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Reading;
    use shakmaty::uci::UciMove;

    fn after(moves: &str) -> (Vec<Move>, Chess) {
        let (mut pos, mut played) = (Chess::new(), Vec::new());
        for uci in moves.split_whitespace() {
            let m = uci.parse::<UciMove>().unwrap().to_move(&pos).unwrap();
            pos.play_unchecked(m);
            played.push(m);
        }
        (played, pos)
    }

    /// What is known of `unseen` moves after `seen` ones.
    fn told(seen: &str, unseen: &str, turn: Option<Color>, n: Option<usize>) -> (usize, bool) {
        let (moves, pos) = after(seen);
        let (_, end) = after(&format!("{seen} {unseen}"));
        let seen = Placement::from(end.board().clone());
        let shores = [Shore { moves: moves.clone(), pos }];
        let n_pressed = n.map(|n| moves.len() + n);
        let found = Unseen::found(&shores, &seen, Bitboard::EMPTY);
        let unseen = Unseen { turn, n_pressed, ..found };
        let bridged = bridge(&unseen).expect("an explanation");
        (bridged.common.len() - moves.len(), bridged.is_whole)
    }

    #[test]
    fn what_all_explanations_share_is_known_and_nothing_else() {
        let (white, black) = (Some(Color::White), Some(Color::Black));
        type Row = (&'static str, &'static str, Option<Color>, Option<usize>, (usize, bool));
        let rows: [Row; 8] = [
            ("", "e2e4", black, None, (1, true)),
            ("", "g1f3 g8f6", white, None, (2, true)),
            // The pawns may have come in either order.
            ("e2e4", "e7e5 g1f3 d7d6", white, None, (0, false)),
            // The bishop and the pawn may have rested on their way, if nothing tells how often
            // the clock was pressed.
            ("e2e4 e7e5", "f1b5 a7a5", white, None, (0, false)),
            ("e2e4 e7e5", "f1b5 a7a5", white, Some(2), (2, true)),
            // The knight has only one way there.
            ("e2e4 e7e5", "b1c3 g8f6 c3d5", black, Some(3), (3, true)),
            // A move that nobody has pressed for.
            ("e2e4", "e7e5 g1f3", white, None, (0, false)),
            ("e2e4", "e7e5 g1f3", white, Some(1), (2, true)),
        ];
        for (seen, unseen, turn, n, expected) in rows {
            assert_eq!(told(seen, unseen, turn, n), expected, "{seen} - {unseen}");
        }
    }

    #[test]
    fn a_board_that_is_taken_over_keeps_what_may_still_be() {
        let (_, before) = after("e2e4 e7e5 g1f3 b8c6");
        let (_, end) = after("e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 e1e2");
        let one = NonZeroU32::MIN;
        let standing =
            |board, turn| standing(board, Some(&before), CastlingMode::Standard, turn, one);
        let pos = standing(end.board(), Color::Black).expect("a position");
        assert!(!pos.castles().has_color(Color::White), "the king has moved");
        assert!(pos.castles().has_color(Color::Black));
        // Nobody gets a pawn back, and no side has two kings.
        let mut board = before.board().clone();
        board.set_piece_at(Square::E3, Role::Pawn.of(Color::White));
        assert_eq!(standing(&board, Color::White), None);
        let mut board = before.board().clone();
        board.set_piece_at(Square::E3, Role::King.of(Color::White));
        assert_eq!(standing(&board, Color::White), None);
    }

    #[test]
    fn a_pawn_for_a_piece_is_no_board_of_the_same_game() {
        let (_, before) = after("e2e4 d7d5 e4d5 d8d5 b1c3 d5a5");
        let stands = |from: Square, sq: Square, role: Role| {
            let mut board = before.board().clone();
            board.discard_piece_at(from);
            board.set_piece_at(sq, role.of(Color::White));
            let (mode, one) = (CastlingMode::Standard, NonZeroU32::MIN);
            standing(&board, Some(&before), mode, Color::White, one).is_some()
        };
        assert!(!stands(Square::G1, Square::E3, Role::Pawn), "a knight became a pawn");
        assert!(stands(Square::A2, Square::E3, Role::Knight), "a pawn became a knight");
        assert!(!stands(Square::E5, Square::E3, Role::Knight), "a knight came from nowhere");
    }

    #[test]
    fn no_pawn_goes_back() {
        let (_, before) = after("e2e4 e7e5");
        let is_back = |from: Square, to: Square| {
            let mut board = before.board().clone();
            let piece = board.remove_piece_at(from).unwrap();
            board.set_piece_at(to, piece);
            has_pawn_back(before.board(), &board)
        };
        assert!(is_back(Square::E4, Square::E3) && is_back(Square::E5, Square::E6));
        assert!(!is_back(Square::E4, Square::E5) && !is_back(Square::D7, Square::D5));
        assert!(!is_back(Square::G1, Square::F3), "a knight may");
    }

    /// A legal game of up to `n` half-moves, by chance.
    fn walk(rng: &mut fastrand::Rng, n: usize) -> Vec<Chess> {
        let mut line = vec![Chess::new()];
        while line.len() <= n {
            let mut pos = line[line.len() - 1].clone();
            let moves = pos.legal_moves();
            if moves.is_empty() {
                break;
            }
            pos.play_unchecked(moves[rng.usize(..moves.len())]);
            line.push(pos);
        }
        line
    }

    /// What is seen of `pos` where pieces have names or not, and the sensors of `untold` are dead.
    fn sight(pos: &Chess, has_names: bool, untold: Bitboard) -> Placement {
        let mut seen = Placement::from(pos.board().clone());
        for sq in pos.board().occupied().into_iter().filter(|_| !has_names) {
            seen.set(sq, Reading::Something);
        }
        for sq in untold {
            seen.set(sq, Reading::Empty);
        }
        seen
    }

    /// What was played can have been played, whatever sensors do not tell; it is never more than
    /// the least, and one move is one.
    #[test]
    fn what_was_played_is_within_the_bounds() {
        let mut rng = fastrand::Rng::with_seed(14);
        for _ in 0..200 {
            let line = walk(&mut rng, 60);
            let begin = rng.usize(..line.len());
            let end = (begin + rng.usize(..=6)).min(line.len() - 1);
            let (pos, then, n) = (&line[begin], &line[end], end - begin);
            for has_names in [true, false] {
                let dead: Bitboard = (0..3).map(|_| Square::new(rng.u32(..64))).collect();
                for untold in [Bitboard::EMPTY, dead, Bitboard::FULL] {
                    let seen = &sight(then, has_names, untold);
                    let unseen = Unseen::found(&[], seen, untold);
                    assert!(reaches(pos, &unseen, n), "{n} half-moves, {untold:?}");
                }
                let seen = sight(then, has_names, Bitboard::EMPTY);
                let few = least(pos, &seen, Some(then.turn()));
                assert!(few <= n && few % 2 == n % 2, "{few} for {n}");
                if has_names && n <= 1 {
                    assert_eq!(least(pos, &seen, None), n, "{}", then.board());
                }
            }
        }
    }

    /// Each side has so many moves and no more, and takes no more than it has moves.
    #[test]
    fn more_than_its_moves_no_side_can_have_done() {
        let fen: shakmaty::fen::Fen = "4k3/pp6/8/8/8/8/PP6/4K3 w - - 0 1".parse().unwrap();
        let pos: Chess = fen.into_position(CastlingMode::Standard).unwrap();
        let reaches = |from_to: &[(Square, Option<Square>)], n: usize| {
            let mut board = pos.board().clone();
            for &(from, to) in from_to {
                let piece = board.remove_piece_at(from).unwrap();
                to.into_iter().for_each(|to| board.set_piece_at(to, piece));
            }
            let seen = Placement::from(board);
            reaches(&pos, &Unseen::found(&[], &seen, Bitboard::EMPTY), n)
        };
        let least = |moves: &[(Square, Option<Square>)]| (0..9).find(|n| reaches(moves, *n));
        let (a, b) = ((Square::A2, Some(Square::A3)), (Square::B2, Some(Square::B3)));
        let black = (Square::A7, Some(Square::A6));
        assert_eq!(least(&[]), Some(0));
        assert_eq!(least(&[a]), Some(1));
        assert_eq!(least(&[a, black]), Some(2));
        assert_eq!(least(&[black]), Some(2), "White moves first");
        assert_eq!(least(&[a, b]), Some(3));
        assert_eq!(least(&[(Square::A7, None)]), Some(1), "one that White has taken");
        assert_eq!(least(&[(Square::A7, None), (Square::B7, None)]), Some(3));
        assert_eq!(least(&[(Square::A2, None)]), Some(2), "one that Black has taken");
    }

    /// A pawn that may have made two steps could be taken in passing, unless it stood elsewhere or
    /// something stands on its way.
    #[test]
    fn a_pawn_may_have_passed_where_it_came_from_home_and_its_way_is_free() {
        let position = |fen: &str| -> Chess {
            let fen: shakmaty::fen::Fen = format!("{fen} w - - 0 1").parse().unwrap();
            fen.into_position(shakmaty::CastlingMode::Standard).unwrap()
        };
        let home = position("4k3/8/8/8/3p4/8/4P3/4K3");
        let elsewhere = position("4k3/8/8/8/3p4/4P3/8/4K3");
        let e3 = Some(Square::E3);
        for (after, before, passed) in [
            ("4k3/8/8/8/3pP3/8/8/4K3", None, e3),
            ("4k3/8/8/8/3pP3/8/8/4K3", Some(&home), e3),
            ("4k3/8/8/8/3pP3/8/8/4K3", Some(&elsewhere), None),
            ("4k3/8/8/8/3pP3/4B3/8/4K3", Some(&home), None),
            ("4k3/8/8/8/3pP3/8/4B3/4K3", Some(&home), None),
            ("4k3/8/8/8/4P3/8/8/4K3", Some(&home), None),
        ] {
            let board = position(after).board().clone();
            assert_eq!(may_be_passed(&board, before, Color::Black), passed, "{after}");
        }
    }
}
