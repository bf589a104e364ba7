//! How a game ended, and why.

use crate::table::words;
use shakmaty::{Chess, Color, KnownOutcome, Position, Square};
use std::fmt;

words! {
    /// Why a game is over. Articles of the 2023 edition.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub enum Reason {
        /// Art. 5.1.1.
        Checkmate = "checkmate",
        /// Art. 5.2.1.
        Stalemate = "stalemate",
        /// Art. 5.2.2, where the material alone rules mate out.
        DeadPosition = "dead position",
        /// The players put the kings in the center, a custom on electronic boards.
        KingsInCenter = "kings in the center",
        /// Art. 5.1.2.
        Resignation = "resignation",
        /// Art. 5.2.3.
        Agreement = "agreement",
        /// Art. 6.9.
        Time = "time",
        /// Art. 7.5.5.
        IllegalMoves = "illegal moves",
        /// Art. 9.2, 9.3.
        Claim = "claim",
        /// Art. 9.6.1.
        Fivefold = "fivefold repetition",
        /// Art. 9.6.2.
        SeventyFiveMoves = "75 moves",
        /// Art. 6.7.1.
        Default = "default",
        /// Art. 12.9.
        Arbiter = "arbiter's decision",
        /// A signal piece was put on the board, another such custom.
        SignalPiece = "signal piece",
    }
}

impl Reason {
    /// Whether the position on the board, or how often it has stood there, is all the reason.
    pub const fn is_of_position(self) -> bool {
        matches!(
            self,
            Self::Checkmate
                | Self::Stalemate
                | Self::DeadPosition
                | Self::Fivefold
                | Self::SeventyFiveMoves
        )
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A result and its reason.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ending {
    /// Who won, or that it is a draw.
    pub outcome: KnownOutcome,
    /// What ended the game.
    pub reason: Reason,
}

impl Ending {
    /// The end that a position brings by itself: mate, stalemate, or too little material for any
    /// mate. 2023: Art. 5.1.1, 5.2.1, 5.2.2. Other dead positions are not found here.
    ///
    /// ```
    /// use rokade::laws::{Ending, Reason};
    /// use shakmaty::{CastlingMode, Chess, fen::Fen};
    /// let fen: Fen = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1".parse()?;
    /// let pos: Chess = fen.into_position(CastlingMode::Standard)?;
    /// assert_eq!(Ending::of(&pos).map(|end| end.reason), Some(Reason::Stalemate));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(pos: &Chess) -> Option<Self> {
        let outcome = pos.outcome().known()?;
        let reason = if pos.is_checkmate() {
            Reason::Checkmate
        } else if pos.is_stalemate() {
            Reason::Stalemate
        } else {
            Reason::DeadPosition
        };
        Some(Self { outcome, reason })
    }

    /// Whether a position brings such an end by itself, so that it stands and falls with the last
    /// position on record.
    pub const fn is_by_position(&self) -> bool {
        matches!(self.reason, Reason::Checkmate | Reason::Stalemate | Reason::DeadPosition)
    }

    /// Whether `sq` is one of the four on which a king tells the result: d4, e4, d5, e5.
    pub fn is_center(sq: Square) -> bool {
        [Square::D4, Square::E4, Square::D5, Square::E5].contains(&sq)
    }

    /// The result that two kings in the center stand for: both on light squares White won, both on
    /// dark ones Black won, one on each a draw. `None` if the squares are not two of the four.
    /// Source: protocol 9.1.
    pub fn of_kings(white: Square, black: Square) -> Option<Self> {
        if !Self::is_center(white) || !Self::is_center(black) {
            return None;
        }
        let outcome = match (white.is_light(), black.is_light()) {
            (true, true) => KnownOutcome::Decisive { winner: Color::White },
            (false, false) => KnownOutcome::Decisive { winner: Color::Black },
            _ => KnownOutcome::Draw,
        };
        Some(Self { outcome, reason: Reason::KingsInCenter })
    }
}
