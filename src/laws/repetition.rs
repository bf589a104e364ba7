//! Counting: the same position for the third and fifth time, moves without progress.
//!
//! 2005, 2009: Art. 9.2, 9.3. From 2018: Art. 9.2, 9.3, 9.6. The definition of the same position is
//! the same in all editions: what 2005 says of rights that are barred for a while follows from
//! where the men stand.

use shakmaty::{Bitboard, Board, Chess, Color, EnPassantMode, Move, Position, Square};

/// Half-moves without progress after which a player may claim.
pub const FIFTY_MOVES: u32 = 100;
/// Half-moves without progress after which the game is drawn from 2018.
pub const SEVENTY_FIVE_MOVES: u32 = 150;
/// How often a position has to occur for a claim.
pub const THREEFOLD: usize = 3;
/// How often a position has to occur for the game to be drawn from 2018.
pub const FIVEFOLD: usize = 5;

/// What makes two positions the same: the men and where they stand, who has the move, which rooks
/// may still be castled with, and whether a pawn can legally be taken in passing.
///
/// A right to castle counts until king or rook has moved, whether or not castling is possible now
/// (2023: Art. 9.2.3.2). A capture in passing counts only if it is legal (2023: Art. 9.2.3.1).
///
/// ```
/// use rokade::laws::repetition::Sameness;
/// use shakmaty::{CastlingMode, Chess, fen::Fen};
/// let of = |fen: &str| -> Result<Sameness, Box<dyn std::error::Error>> {
///     let pos: Chess = fen.parse::<Fen>()?.into_position(CastlingMode::Standard)?;
///     Ok(Sameness::of(&pos))
/// };
/// // No pawn stands beside e4, so that the double step makes no difference.
/// let passed = of("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1")?;
/// let quiet = of("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 7 9")?;
/// assert_eq!(passed, quiet);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sameness {
    board: Board,
    turn: Color,
    castling: Bitboard,
    en_passant: Option<Square>,
}

impl Sameness {
    /// What is compared of a position.
    pub fn of(pos: &Chess) -> Self {
        Self {
            board: pos.board().clone(),
            turn: pos.turn(),
            castling: pos.castles().castling_rights(),
            en_passant: pos.ep_square(EnPassantMode::Legal),
        }
    }
}

/// How often the last of `history` has occurred, itself included; 0 for an empty history.
///
/// `history` are the positions of the game from the start, one for each half-move made; what was
/// undone is left out. Occurrences need not follow each other.
///
/// ```
/// use rokade::laws::repetition::occurrences;
/// use shakmaty::{Chess, Position, uci::UciMove};
/// let mut history = vec![Chess::default()];
/// for word in ["g1f3", "g8f6", "f3g1", "f6g8"] {
///     let pos = history[history.len() - 1].clone();
///     history.push(pos.clone().play(word.parse::<UciMove>()?.to_move(&pos)?)?);
/// }
/// assert_eq!(occurrences(&history), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn occurrences(history: &[Chess]) -> usize {
    let Some((last, before)) = history.split_last() else { return 0 };
    1 + occurred(last, before)
}

/// How often the position after `m` will have occurred once `m` is made; 0 if `m` is not legal or
/// the history is empty. For a claim with an announced move (2023: Art. 9.2.1).
pub fn occurrences_after(history: &[Chess], m: Move) -> usize {
    let Some(after) = history.last().and_then(|pos| played(pos, m)) else { return 0 };
    1 + occurred(&after, history)
}

/// How often `last` occurred in what came before. Nothing from before the last capture or pawn move
/// can be the same, so no more is looked at.
fn occurred(last: &Chess, before: &[Chess]) -> usize {
    let position = Sameness::of(last);
    let n_quiet = usize::try_from(last.halfmoves()).unwrap_or(usize::MAX);
    let alike = before.iter().rev().take(n_quiet).filter(|pos| pos.board() == last.board());
    alike.filter(|pos| Sameness::of(pos) == position).count()
}

fn played(pos: &Chess, m: Move) -> Option<Chess> {
    pos.is_legal(m).then(|| pos.clone().play(m).ok()).flatten()
}

/// Half-moves made since the last capture or pawn move, as of the last of `history`.
///
/// A history that begins with an earlier count, as a position set up from a FEN may, goes on from
/// it.
pub fn without_progress(history: &[Chess]) -> u32 {
    history.last().map_or(0, Chess::halfmoves)
}

/// Half-moves without progress once `m` is made: 0 if `m` captures or moves a pawn; `None` if it is
/// not legal or the history is empty. For a claim with an announced move (2023: Art. 9.3.1).
pub fn without_progress_after(history: &[Chess], m: Move) -> Option<u32> {
    history.last().and_then(|pos| played(pos, m)).map(|after| after.halfmoves())
}

/// Whether a draw may be claimed, on the board or with an announced move.
///
/// ```
/// use rokade::laws::repetition::{Claimable, Verdict};
/// use shakmaty::{CastlingMode, Chess, Position, fen::Fen};
/// let fen: Fen = "4k3/8/8/8/8/8/8/4K2R w - - 99 80".parse()?;
/// let history = [fen.into_position::<Chess>(CastlingMode::Standard)?];
/// let m = history[0].legal_moves()[0];
/// assert_eq!(Claimable::now(&history).fifty, Verdict::Wrong);
/// assert_eq!(Claimable::after(&history, m).fifty, Verdict::Right);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Claimable {
    /// The position has occurred at least three times.
    pub threefold: Verdict,
    /// At least fifty moves of each player without progress.
    pub fifty: Verdict,
}

/// Whether a claim is right.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The claim is right.
    Right,
    /// It is not.
    Wrong,
}

impl Verdict {
    const fn of(is_right: bool) -> Self {
        if is_right { Self::Right } else { Self::Wrong }
    }
}

impl Claimable {
    /// For a claim on the present position (2023: Art. 9.2.2, 9.3.2).
    pub fn now(history: &[Chess]) -> Self {
        Self {
            threefold: Verdict::of(occurrences(history) >= THREEFOLD),
            fifty: Verdict::of(without_progress(history) >= FIFTY_MOVES),
        }
    }

    /// For a claim with the announced move `m` (2023: Art. 9.2.1, 9.3.1); a move that is not legal
    /// makes every claim wrong.
    pub fn after(history: &[Chess], m: Move) -> Self {
        let n_quiet = without_progress_after(history, m);
        Self {
            threefold: Verdict::of(occurrences_after(history, m) >= THREEFOLD),
            fifty: Verdict::of(n_quiet.is_some_and(|n_quiet| n_quiet >= FIFTY_MOVES)),
        }
    }
}

/// A draw that from 2018 nobody needs to claim. 2018, 2023: Art. 9.6.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Automatic {
    /// The position has occurred five times. Art. 9.6.1.
    Fivefold,
    /// Seventy-five moves of each player without progress. Art. 9.6.2.
    SeventyFive,
}

impl Automatic {
    /// The draw that stands on the board now. Mate goes first (Art. 9.6.2), and so does stalemate,
    /// which ended the game by itself.
    ///
    /// ```
    /// use rokade::laws::repetition::Automatic;
    /// use shakmaty::{CastlingMode, Chess, fen::Fen};
    /// let fen: Fen = "4k3/8/8/8/8/8/8/4K2R w - - 150 99".parse()?;
    /// let history = [fen.into_position::<Chess>(CastlingMode::Standard)?];
    /// assert_eq!(Automatic::of(&history), Some(Automatic::SeventyFive));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(history: &[Chess]) -> Option<Self> {
        let last = history.last()?;
        if last.legal_moves().is_empty() {
            None
        } else if occurrences(history) >= FIVEFOLD {
            Some(Self::Fivefold)
        } else if without_progress(history) >= SEVENTY_FIVE_MOVES {
            Some(Self::SeventyFive)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_counted_before_the_first_position() {
        assert_eq!(occurrences(&[]), 0);
        assert_eq!(without_progress(&[]), 0);
        assert_eq!(Automatic::of(&[]), None);
        let m = Chess::default().legal_moves()[0];
        assert_eq!(occurrences_after(&[], m), 0);
        assert_eq!(without_progress_after(&[], m), None);
        assert_eq!(Claimable::after(&[], m).fifty, Verdict::Wrong);
    }

    #[test]
    fn an_illegal_announced_move_makes_no_claim_right() {
        let start = Chess::default();
        let m = start.legal_moves()[0];
        let after = start.clone().play(m).expect("legal");
        assert_eq!(occurrences_after(&[start, after.clone()], m), 0);
        assert_eq!(without_progress_after(&[after], m), None);
    }
}
