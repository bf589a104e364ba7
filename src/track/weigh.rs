//! How much a reading speaks against a position.
//!
//! The numbers are ranks, not probabilities: what matters is which disorder is more ordinary. They
//! were set from what hands do on a DGT board: the reply's piece is often in the air when the
//! clock is pressed, a captured piece shows up on its way out in one capture of seven, and a piece
//! that stands on a wrong square while it is missing on its own is hardly ever an accident.
//!
//! Disorder counts in two ways. While it lasts it costs by the second: a rook that rests on its
//! way for a moment speaks little against not having moved yet. And it costs at once when a clock
//! is pressed, because the presser says that his move stands. That vouches for his own pieces: the
//! opponent's hand may already be at work.

use super::line::Line;
use crate::table::{Placement, Reading};
use shakmaty::{Color, Position};
use std::time::Duration;

/// What speaks against a line, in millionths of a point.
pub type Cost = i64;

/// `span` in the unit of what is weighed by the microsecond.
pub fn micros(span: Duration) -> Cost {
    Cost::try_from(span.as_micros()).unwrap_or(Cost::MAX)
}

/// One point.
pub const POINT: Cost = 1_000_000;

/// What each kind of disorder weighs, for each square on which it is seen.
#[derive(Copy, Clone, Debug)]
pub struct Weights {
    /// The side to move, or at a press the one that has not pressed, has lifted a piece: it is
    /// about to move. One piece; any more are missing.
    pub lifted: u32,
    /// Any other piece that should stand there is not seen.
    pub missing: u32,
    /// A piece is seen where none should be, and none of its kind is missed: passing, carried off,
    /// parked.
    pub ghost: u32,
    /// A piece of that side is seen where none should be, and one of its kind is missed
    /// elsewhere: it is being moved.
    pub moving: u32,
    /// The same with a piece of the other side: it has moved.
    pub displaced: u32,
    /// Another piece is seen than the one that should stand there.
    pub changed: u32,
}

/// Thousandths of a point for each second that it lasts.
pub const PER_SECOND: Weights = Weights {
    lifted: 200,
    missing: 1_000,
    ghost: 1_400,
    moving: 3_000,
    displaced: 3_000,
    changed: 5_000,
};
/// Thousandths of a point when a clock is pressed.
pub const AT_PRESS: Weights = Weights {
    lifted: 300,
    missing: 3_000,
    ghost: 1_500,
    moving: 700,
    displaced: 6_000,
    changed: 8_000,
};

/// A move, of any kind: the shorter explanation is the better one.
pub const PLY: Cost = 500_000;
/// A move that the Laws do not allow: it was made by mistake.
pub const ILLEGAL: Cost = 9 * POINT;
/// A move to a square on which something else was seen before, and still is.
pub const MASKED: Cost = 2 * POINT;
/// A sensor that does not tell what stands on its square.
pub const FAULTY: Cost = 8 * POINT;
/// A sensor that has told a change before, and does not tell now. Less than [`CLEAR_LEAD`].
pub const HAS_WORKED: Cost = POINT / 2;
/// A sensor that has died under its piece: nobody has moved it, and play goes on.
pub const DIED: Cost = 2 * POINT;
/// A move to a square whose sensor does not tell.
pub const UNSEEN: Cost = POINT;
/// A pawn's single step where nobody saw whether it was two. Of 3400 first steps of masters' pawns
/// 51 of 100 were double: next to nothing.
pub const SINGLE_STEP: Cost = POINT / 20;
/// Moves taken back, however many.
pub const TAKE_BACK: Cost = 5 * POINT / 2;
/// Each of them.
pub const TAKEN_BACK: Cost = POINT;
/// A move none of whose squares stirred since the move before, for each such square.
pub const UNSTIRRED: Cost = 4 * POINT;
/// A piece that has just moved, and then shows beside its square.
pub const BESIDE: Cost = 3 * POINT;
/// A piece that nobody has moved, and that shows beside its square: it was knocked over.
pub const KNOCKED: Cost = 4 * POINT;
/// A piece beside its square, of the side that is to move: it may have been moved.
pub const KNOCKED_OWN: Cost = 6 * POINT;
/// A piece that goes back to the next square, where it came from, and nobody has pressed: it was
/// knocked over.
pub const SET_UP_AGAIN: Cost = 3 * POINT;
/// The same of pieces of both players, one after the other: then all stands as it did before.
pub const ALL_SET_UP_AGAIN: Cost = 5 * POINT;
/// A piece that came to a square and went on before the board looked at it.
pub const PASSED: Cost = 2 * POINT;
/// A piece that was seen beside the square that it went to, and came right later.
pub const AMENDED: Cost = 9 * POINT / 2;
/// A piece that came right later, where it may as well have moved on by a move of its own.
pub const AMENDED_LEGAL: Cost = 7 * POINT;
/// A move of a piece that came right in the same turn: it may have been let go on its way.
pub const JUST_AMENDED: Cost = 5 * POINT;
/// A piece that came right farther away.
pub const AMENDED_FAR: Cost = 6 * POINT;
/// A move that was released before the one that it follows, for each microsecond.
pub const EARLY_PER_MICRO: Cost = 10;
/// A move of a piece that had hardly come to rest after its move before, for each microsecond that
/// it rested too short.
pub const HURRIED_PER_MICRO: Cost = 40;
/// A move whose piece was lifted before the one that it answers was released, for each microsecond.
pub const EAGER_PER_MICRO: Cost = 8;
/// A move to a square where its piece stood before the mover's last move.
pub const STALE: Cost = 6 * POINT;
/// A move to a square while the same piece is still seen on another, short of its own.
pub const DOUBLED: Cost = 3 * POINT / 2;
/// A move to a square where its piece was seen before it was lifted.
pub const LEFT_OVER: Cost = 3 * POINT;
/// A move whose piece was seen off the way meanwhile.
pub const STRAYED: Cost = 4 * POINT;
/// A piece that was seen elsewhere on its way before it was lifted, however shortly before: no more
/// than breaks a tie, or a board at rest would have to wait.
pub const TWIN: Cost = POINT / 10;
/// A piece that was seen elsewhere before it was lifted, for each microsecond.
pub const UNLIFTED_PER_MICRO: Cost = 20;
/// A piece of the opponent that was touched while the move was made, but not captured.
pub const TOUCHED: Cost = 3 * POINT / 2;
/// A capture of what nobody touched, where pieces have no names, while one was put down elsewhere.
pub const ELSEWHERE: Cost = 6 * POINT;
/// A promotion to anything but a queen, where the sensors do not know the piece. Less than
/// [`CLEAR_LEAD`]: the queen is assumed, not known.
pub const UNDERPROMOTION: Cost = POINT / 2;
/// A piece that its player has taken up for his next move when he presses for the last one.
pub const BEGUN: Cost = 3 * POINT / 2;
/// A piece that its player takes up again before he presses for its move.
pub const GONE_ON: Cost = 4 * POINT;
/// A press that no move accounts for.
pub const OPEN_PRESS: Cost = 5 * POINT;
/// A move that no press followed although the clock was running.
pub const UNPRESSED: Cost = 3 * POINT / 2;
/// A press for a move that has been answered, for each microsecond that it comes late.
pub const LATE_PER_MICRO: Cost = 3;
/// From this lead on the best line is shown; below it the question stays open.
pub const CLEAR_LEAD: Cost = POINT;
/// A move that is pressed with less lead than this is recorded with what else it may have been: the
/// press comes whether or not the board has become clear.
pub const SURE_LEAD: Cost = 3 * POINT;
/// Within this lead a move that looks the same afterward may have been played all the same: one of
/// its pieces has not been seen to stir, which speaks against it only where nothing is lost.
pub const TOUCH_LEAD: Cost = UNSTIRRED + POINT;
/// A board that contradicts the best line this much is explained too badly: longer lines are
/// searched.
pub const POOR: Cost = 4 * POINT;
/// A line this much worse than the best is given up.
pub const HOPELESS: Cost = 32 * POINT;

/// What `seen` speaks against the position of `line`, while `hand` may have a piece in the air.
/// Thousandths of a point.
pub fn disorder(seen: &Placement, line: &Line, hand: Color, weights: &Weights) -> u32 {
    let (board, diff) = (line.pos.board(), line.differs(seen));
    if diff.is_empty() {
        return 0;
    }
    let missing = diff & board.occupied() & !seen.occupied();
    let lifted = u32::from((missing & board.by_color(hand)).any());
    let is_missed = |reading| match reading {
        Reading::Piece(piece) => (missing & board.by_piece(piece)).any(),
        Reading::Colored(color) => (missing & board.by_color(color)).any(),
        Reading::Something => missing.any(),
        Reading::Empty => false,
    };
    // A hand with two pieces in the air castles: what has no name may be one of them, unless the
    // other side's is missed.
    let castles = (missing & board.by_color(hand)).more_than_one();
    let is_in_hand = |reading: Reading| match reading {
        Reading::Something => castles && (missing & !board.by_color(hand)).is_empty(),
        _ => reading.color() == Some(hand),
    };
    let mut sum = (missing.count() as u32 - lifted) * weights.missing + lifted * weights.lifted;
    for sq in diff & !missing {
        let reading = seen.get(sq);
        sum += if is_in_hand(reading) && is_missed(reading) {
            weights.moving
        } else if line.masked.contains(sq) {
            weights.ghost
        } else if board.occupied().contains(sq) {
            weights.changed
        } else if is_missed(reading) {
            weights.displaced
        } else {
            weights.ghost
        };
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::fen::Fen;
    use shakmaty::{CastlingMode, Chess};

    /// One digit for each kind, so that a sum says how many there are of each.
    const DIGITS: Weights = Weights {
        lifted: 1,
        missing: 10,
        ghost: 100,
        moving: 1_000,
        displaced: 10_000,
        changed: 100_000,
    };

    #[test]
    fn each_kind_of_disorder_is_counted_as_what_it_is() {
        let rows = [
            ("4k3/8/8/8/8/8/PP6/4K3", Color::White, 0, "nothing"),
            ("4k3/8/8/8/8/8/1P6/4K3", Color::White, 1, "a pawn in the hand of the mover"),
            ("4k3/8/8/8/8/8/1P6/4K3", Color::Black, 10, "a pawn, and it is not his move"),
            ("4k3/8/8/8/8/8/8/4K3", Color::White, 11, "two pawns: one in the hand"),
            ("4k3/8/8/8/8/P7/1P6/4K3", Color::White, 1_001, "a pawn on its way"),
            ("4k3/8/8/8/8/P7/1P6/4K3", Color::Black, 10_010, "the same, but not his move"),
            ("4k3/8/8/8/8/P7/PP6/4K3", Color::White, 100, "a pawn too many"),
            ("4k3/8/8/8/8/8/pP6/4K3", Color::White, 100_000, "another piece in its place"),
            ("8/8/8/8/8/8/PP6/4K3", Color::White, 10, "the other king is not there"),
            ("8/4k3/8/8/8/8/PP6/4K3", Color::White, 10_010, "the other king has moved"),
            ("8/4k3/8/8/8/8/PP6/4K3", Color::Black, 1_001, "and it is his move"),
            ("4k3/8/8/8/8/x7/1P6/4K3", Color::White, 10_001, "something came, a pawn is gone"),
            ("4k3/8/8/8/8/x7/8/4K3", Color::White, 1_011, "two are gone: he may castle"),
            ("8/8/8/8/8/x7/8/4K3", Color::White, 10_021, "but not if the king is gone, too"),
            ("4k3/8/8/8/8/x7/PP6/4K3", Color::White, 100, "something is too much"),
            ("4k3/8/8/8/8/U7/1P6/4K3", Color::White, 1_001, "something white on its way"),
            ("4k3/8/8/8/8/u7/1P6/4K3", Color::White, 101, "something black is another thing"),
        ];
        let fen: Fen = "4k3/8/8/8/8/8/PP6/4K3 w - - 0 1".parse().unwrap();
        let line = Line::new(fen.into_position::<Chess>(CastlingMode::Standard).unwrap());
        for (seen, hand, sum, what) in rows {
            let seen = Placement::parse(seen).unwrap();
            assert_eq!(disorder(&seen, &line, hand, &DIGITS), sum, "{what}");
        }
        let mut hides = line;
        hides.masked = shakmaty::Square::A2.into();
        let seen = Placement::parse("4k3/8/8/8/8/8/pP6/4K3").unwrap();
        assert_eq!(disorder(&seen, &hides, Color::White, &DIGITS), 100, "what hides a piece");
    }

    /// Which number must be below which, and why: the numbers themselves are ranks.
    #[test]
    fn what_is_rarer_weighs_more() {
        let ranks: [(Cost, Cost, &str); 14] = [
            (PLY, TAKE_BACK, "a move is commoner than one that is taken back"),
            (CLEAR_LEAD, SURE_LEAD, "what is shown may still be named beside another"),
            (UNDERPROMOTION, CLEAR_LEAD, "the queen is assumed, and told"),
            (HAS_WORKED, CLEAR_LEAD, "a sensor that has worked may have failed since"),
            (TWIN, PLY, "a trace of a piece breaks a tie and decides nothing"),
            (DIED, FAULTY, "a sensor dies under its piece before it lies of another"),
            (FAULTY, ILLEGAL, "a blind square is likelier than an illegal move"),
            (KNOCKED, KNOCKED_OWN, "one's own piece was rather moved than knocked over"),
            (AMENDED, AMENDED_FAR, "a piece lies beside its square, not farther away"),
            (AMENDED_FAR, AMENDED_LEGAL, "what may have moved on has"),
            (UNPRESSED, OPEN_PRESS, "a press is forgotten sooner than made for nothing"),
            (UNPRESSED, SET_UP_AGAIN, "a press is forgotten sooner than two and a way back made"),
            (SURE_LEAD, POOR, "what is sure is not searched again"),
            (POOR, HOPELESS, "what is poor is not given up"),
        ];
        for (less, more, why) in ranks {
            assert!(less < more, "{why}: {less} and {more}");
        }
        assert_eq!(micros(Duration::from_millis(3)), 3_000);
    }
}
