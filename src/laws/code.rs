//! The codes of the arbiter's log: how much each matters, and which row of the Laws speaks of it.
//!
//! All of them are the arbiter's. What the public sees has a type of its own, [`super::Display`],
//! which has no room for a code.

use super::Severity;
use crate::table::words;

/// Declares [`Code`] with name, severity and row of each.
macro_rules! codes {
    ($($(#[doc = $doc:literal])* $id:ident $word:literal $severity:ident $row:literal,)*) => {
        words! {
            /// What an entry of the arbiter's log says.
            #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub enum Code { $($(#[doc = $doc])* $id = $word,)* }
        }

        impl Code {
            /// How much it matters.
            pub const fn severity(self) -> Severity {
                match self { $(Self::$id => Severity::$severity,)* }
            }

            /// The row of the Laws that speaks of it, where the case names no other.
            pub const fn row(self) -> &'static str {
                match self { $(Self::$id => $row,)* }
            }
        }
    };
}

codes! {
    /// Play begins; the profile is fixed.
    GameStart "GAME_START" Info "L6.5",
    /// A legal move stands, released.
    MoveMade "MOVE_MADE" Info "L4.6",
    /// The mover has pressed the clock, or his move ended the game.
    MoveCompleted "MOVE_COMPLETED" Info "L6.7a3",
    /// Both clocks were stopped.
    ClockPaused "CLOCK_PAUSED" Info "L6.12b",
    /// The arbiter set a clock running.
    ClockResumed "CLOCK_RESUMED" Info "L6.12c",
    /// A time or the move counter was changed.
    TimeAdjusted "TIME_ADJUSTED" Info "L6.13",
    /// A time control was met; the next allotment is credited.
    PeriodPassed "PERIOD_PASSED" Info "L6.2b1",
    /// The player said that he adjusts before he touched.
    AdjustAnnounced "ADJUST_ANNOUNCED" Info "L4.2",
    /// The board lies the other way round; its squares are mapped.
    BoardRemapped "BOARD_REMAPPED" Info "L2.1b",
    /// A player came to the board.
    Arrival "ARRIVAL" Info "L6.6a",
    /// The board shows the demanded position.
    Restored "RESTORED" Info "L7.5",
    /// The arbiter noted something, or ruled.
    ArbiterNote "ARBITER_NOTE" Info "L0.2",
    /// A paper was produced.
    Exported "EXPORTED" Info "L8.5c",
    /// The game is followed from a position that is not yet ruled upon.
    ShadowTracking "SHADOW_TRACKING" Info "L7.4a2",
    /// A piece was lifted and put back without a word.
    TouchedReturned "TOUCHED_RETURNED" Notice "L4.2",
    /// A piece of the player who is not to move was lifted and put back.
    AdjustOutOfTurn "ADJUST_OUT_OF_TURN" Notice "L4.2",
    /// Pieces of both colors were lifted at once; the own one counts as first.
    SimultaneousTouch "SIMULTANEOUS_TOUCH" Notice "L4.3c2",
    /// An illegal move stands and is not completed.
    IllegalOnBoard "ILLEGAL_ON_BOARD" Notice "L4.6L",
    /// An illegal move was replaced by a legal one before the press.
    CorrectedBeforePress "CORRECTED_BEFORE_PRESS" Notice "L4.6L",
    /// The opponent replied before the mover pressed.
    ReplyBeforePress "REPLY_BEFORE_PRESS" Notice "L1.1b",
    /// A move was made and the clock still runs.
    NotPressed "NOT_PRESSED" Notice "L6.7a4",
    /// The button of a clock that does not run was pressed.
    PressAgain "PRESS_AGAIN" Notice "L6.1a",
    /// Under five minutes without 30 s a move: no duty to keep score.
    LowTime "LOW_TIME" Notice "L8.4a",
    /// Under two minutes in the last period: Article 10.2 may be invoked.
    QuickplayWindow "QPF_WINDOW" Notice "L10.2",
    /// The position stands for the third time.
    ThirdOccurrence "REPEAT_3" Notice "L5.2d",
    /// Fifty moves of each without a capture or a pawn move.
    FiftyMoves "FIFTY_50" Notice "L5.2e",
    /// A flag fell that the arbiter must not call.
    FlagDownSilent "FLAG_DOWN_SILENT" Notice "LA4d1",
    /// A flag fell after the prescribed moves.
    FlagEnoughMoves "FLAG_ENOUGH_MOVES" Notice "L6.3",
    /// A player came late, within or beyond the default time.
    Late "LATE" Notice "L6.6a",
    /// The clocks were stopped to fetch a piece for a promotion.
    PieceNotAvailable "PIECE_NOT_AVAILABLE" Notice "L6.12b",
    /// A draw was offered at another moment than between making and pressing.
    OfferOffMoment "OFFER_OFF_MOMENT" Notice "L9.1b1b",
    /// A draw is offered again and again.
    EarlyRepetitionOffers "EARLY_REPETITION_OFFERS" Notice "L12.6",
    /// By touching a piece the opponent lost the right to claim a breach of Article 4.
    TouchClaimLost "TOUCH_CLAIM_LOST" Notice "L4.7",
    /// A draw is offered.
    DrawOffer "DRAW_OFFER" Claim "L9.1b1a",
    /// The third occurrence of a position is claimed.
    ClaimThreefold "CLAIM_3X" Claim "L9.2b",
    /// Fifty moves are claimed.
    ClaimFifty "CLAIM_50" Claim "L9.3b",
    /// A win on time is claimed.
    ClaimTime "CLAIM_TIME" Claim "L6.8",
    /// An illegal move of the opponent is claimed.
    ClaimIllegal "CLAIM_ILLEGAL" Claim "L7.4a1",
    /// A breach of Article 4 is claimed.
    ClaimTouch "CLAIM_TOUCH" Claim "L4.7",
    /// A draw under Article 10.2 is claimed.
    ClaimQuickplay "CLAIM_QPF" Claim "L10.2",
    /// A wrong array, board or clock setting is claimed.
    ClaimSetup "CLAIM_SETUP" Claim "L7.1a",
    /// The clock is said to be defective.
    ClaimDefect "CLAIM_DEFECT" Claim "L6.10a",
    /// A claim or declaration is not admissible.
    ClaimRefused "CLAIM_REFUSED" Claim "L0.2",
    /// A ruling or result is protested against.
    Protest "PROTEST" Claim "L12.10",
    /// The pieces do not form the initial array.
    BadSetup "BAD_SETUP" Irregularity "L2.3",
    /// The board is turned a quarter.
    BoardRotated "BOARD_ROTATED" Irregularity "L7.1b",
    /// The game was begun with colors reversed.
    ColorsReversed "COLOURS_REVERSED" Irregularity "L7.2",
    /// The side not having the move made one.
    OutOfTurn "OUT_OF_TURN" Irregularity "L1.1a",
    /// A further piece was moved after the move was made.
    SecondMove "SECOND_MOVE" Irregularity "L1.1a",
    /// The clock was pressed without a move.
    PressWithoutMove "PRESS_WITHOUT_MOVE" Irregularity "L6.7a1",
    /// An illegal move was completed by the press.
    IllegalCompleted "ILLEGAL_COMPLETED" Irregularity "L7.4a1",
    /// A king was captured.
    KingCaptured "KING_CAPTURED" Irregularity "L1.2b",
    /// The clock was pressed with a pawn on the last rank.
    PromotionIncomplete "PROMOTION_INCOMPLETE" Irregularity "L7.4a1",
    /// Both kings stand in check.
    BothKingsInCheck "BOTH_KINGS_IN_CHECK" Irregularity "LA4c2",
    /// Pieces stand off their squares.
    Displaced "DISPLACED" Irregularity "L7.3a",
    /// Another piece than the bound one was moved or captured.
    TouchMove "TOUCH_MOVE" Irregularity "L4.3a",
    /// The rook was touched before the king in castling.
    RookFirst "ROOK_FIRST" Irregularity "L4.4b",
    /// A released piece went on, or a promotion was exchanged.
    MovedAfterRelease "MOVED_AFTER_RELEASE" Irregularity "L4.6",
    /// A move was made with two hands.
    TwoHands "TWO_HANDS" Irregularity "L4.1",
    /// The clock is evidently defective.
    ClockDefect "CLOCK_DEFECT" Irregularity "L6.10a",
    /// The clock was found wrongly set.
    ClockMisset "CLOCK_MISSET" Irregularity "L6.10b",
    /// A player stopped the clocks without a valid reason.
    PauseWithoutReason "PAUSE_WITHOUT_REASON" Irregularity "L6.12d",
    /// A flag fell with moves missing.
    FlagDown "FLAG_DOWN" Irregularity "L6.3",
    /// Both flags are down.
    BothFlags "BOTH_FLAGS" Irregularity "L6.11a",
    /// The two boards of a blind game disagree.
    BoardsDiffer "BOARDS_DIFFER" Irregularity "LE2.7",
    /// The arbiter imposed a penalty.
    Penalty "PENALTY" Irregularity "L13.4a",
    /// Checkmate.
    Mate "MATE" GameOver "L5.1a",
    /// Stalemate.
    Stalemate "STALEMATE" GameOver "L5.2a",
    /// A dead position.
    DeadPosition "DEAD" GameOver "L5.2b",
    /// A player resigned.
    Resigned "RESIGNED" GameOver "L5.1b",
    /// A draw was agreed.
    Agreed "AGREED" GameOver "L5.2c",
    /// Lost on time.
    TimeLoss "TIME_LOSS" GameOver "L6.9a",
    /// Time exceeded, but the opponent cannot mate; or both flags.
    TimeDraw "TIME_DRAW" GameOver "L6.9b",
    /// Lost by illegal moves.
    IllegalLimit "ILLEGAL_LIMIT" GameOver "L7.4b2",
    /// A draw claim was correct.
    ClaimUpheld "CLAIM_UPHELD" GameOver "L9.5a",
    /// Lost by lateness or absence.
    Default "DEFAULT" GameOver "L6.6a",
    /// The arbiter declared the result.
    ArbiterResult "ARBITER_RESULT" GameOver "L13.4d",
    /// The game is annulled.
    Annulled "ANNULLED" GameOver "L7.1a",
    /// The fifth occurrence of a position.
    Fivefold "FIVEFOLD" GameOver "LM9.6.1",
    /// 75 moves of each without a capture or a pawn move.
    SeventyFive "SEVENTYFIVE" GameOver "LM9.6.2",
}

impl Code {
    /// Whether a game ends so by the position on the board, or by how often it has stood there.
    pub const fn is_end_by_position(self) -> bool {
        matches!(
            self,
            Self::Mate | Self::Stalemate | Self::DeadPosition | Self::Fivefold | Self::SeventyFive
        )
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.word())
    }
}
