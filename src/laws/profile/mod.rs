//! What differs between editions, forms of chess and supervision: one table, as data.
//!
//! Everything that holds in every edition is code elsewhere. Each field of [`Rules`] is a row of
//! the table; [`Profile::rules`] picks the column. Later editions are written as what changed.

mod words;

use super::edition::{Edition, Pace, Supervision, Variant};
use crate::table::words;
use std::fmt;
use std::time::Duration;

/// The Laws of one game: chosen before it starts, fixed while it lasts.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Profile {
    /// The text in force.
    pub edition: Edition,
    /// The form of chess.
    pub variant: Variant,
    /// How closely it is watched.
    pub supervision: Supervision,
}

words! {
    /// What becomes of a loss when the opponent could not mate by any series of legal moves.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub enum CannotMate {
        /// It stays a loss.
        Loss = "loss",
        /// The game is drawn.
        Draw = "draw",
    }
}

/// What a completed illegal move costs.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum IllegalCost {
    /// Time for the opponent, and the game when the player does it for the `lose_on`-th time.
    Time {
        /// What the opponent is given.
        give: Duration,
        /// Which illegal move of the same player loses.
        lose_on: u8,
    },
    /// The opponent may claim the game. 2005: Art. C3. 2009: Art. B3c.
    Game,
}

words! {
    /// Who may bring up a completed illegal move, and until when.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub enum IllegalRaised {
        /// The arbiter or a player, until the game is over.
        AnyTime = "at any time",
        /// The arbiter or the opponent, until the opponent has made his next move.
        UntilReply = "before the reply",
        /// The opponent alone, by a claim before he makes his next move.
        ByClaim = "by a claim before the reply",
        /// The opponent alone, by a claim before he begins his next move. 2005: Art. B6.
        ByClaimUntouched = "by a claim before touching a piece",
    }
}

/// The rule for completed illegal moves. 2005, 2009: Art. 7.4. From 2018: Art. 7.5.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct IllegalRule {
    /// What it costs.
    pub cost: IllegalCost,
    /// Who may bring it up.
    pub raised: IllegalRaised,
    /// When the game would be lost by it.
    pub cannot_mate: CannotMate,
}

words! {
    /// What becomes of a pawn that is left on the last rank when the clock is pressed.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub enum PromotionLeft {
        /// The move is taken back, and the pawn must be promoted.
        Undo = "the move is taken back",
        /// It becomes a queen. From 2018: Art. 7.5.2.
        Queen = "becomes a queen",
    }
}

words! {
    /// How a press without a move, or a move with two hands, is dealt with.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub enum Fault {
        /// The arbiter chooses a penalty. 2005, 2009: Art. 13.4.
        Handling = "the arbiter's penalty",
        /// As an illegal move. From 2018: Art. 7.5.3, 7.5.4.
        IllegalMove = "as an illegal move",
    }
}

/// What a wrong claim under Articles 9.2 and 9.3 costs. All editions: Art. 9.5.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct WrongClaim {
    /// What the opponent is given.
    pub give: Duration,
    /// What the claimant keeps.
    pub claimant: ClaimantTime,
}

/// What happens to the claimant's own time.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum ClaimantTime {
    /// The claimant keeps it.
    Unchanged,
    /// Half of it is taken, at most three minutes; nobody is left with less than one minute who had
    /// more, and below one minute nothing is taken. 2005: Art. 9.5(b).
    Halved,
}

impl ClaimantTime {
    /// What the claimant has left of `before`.
    ///
    /// ```
    /// use rokade::laws::ClaimantTime;
    /// use std::time::Duration;
    /// let after = ClaimantTime::Halved.after(Duration::from_secs(119));
    /// assert_eq!(after, Duration::from_secs(60));
    /// ```
    pub fn after(self, before: Duration) -> Duration {
        const MINUTE: Duration = Duration::from_secs(60);
        match self {
            Self::Unchanged => before,
            Self::Halved if before <= MINUTE => before,
            Self::Halved => (before - (before / 2).min(3 * MINUTE)).max(MINUTE),
        }
    }
}

words! {
    /// By what act a right is lost or an offer declined, besides words.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub enum LapsesBy {
        /// By making a move.
        MakingMove = "making a move",
        /// By touching a piece with the intention of moving it.
        Touch = "touching a piece",
    }
}

words! {
    /// Whether who claims a draw stops the clocks.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub enum ClaimStops {
        /// The claimant must, at once.
        Must = "must",
        /// The claimant may.
        May = "may",
        /// The claimant or the arbiter does.
        PlayerOrArbiter = "he or the arbiter does",
    }
}

words! {
    /// Draws that no one need claim, besides stalemate and the dead position.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub enum AutomaticDraws {
        /// No draw is automatic.
        Nothing = "none",
        /// The fifth occurrence of a position and 75 moves without progress. From 2018: Art. 9.6.
        FivefoldAnd75 = "fivefold repetition, 75 moves",
    }
}

words! {
    /// What completes a move on which its player has not pressed, besides the end of the game.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub enum Unpressed {
        /// Nothing: it counts for no time control until he stops his clock. 2005: Art. 6.8(a).
        /// 2009: Art. 6.7a.
        Open = "is completed by the next press",
        /// His next move. From 2018: Art. 6.2.1.2.
        NextMove = "is completed by the next move",
    }
}

words! {
    /// Which claims under Article 4 are lost when the claimant touches a piece.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub enum HandlingLapse {
        /// Those under 4.3 and 4.4.
        TouchOnly = "4.3 and 4.4",
        /// All of Article 4; in the modern numbering 4.1 to 4.7.
        All = "all of Article 4",
    }
}

words! {
    /// What a move that replaces an illegal one is bound by.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub enum ReplacementBound {
        /// By the touch (4.3).
        Touch = "touch",
        /// By the touch and by the release (2009: 4.3, 4.6; modern: 4.3, 4.7).
        TouchAndRelease = "touch and release",
    }
}

words! {
    /// Whether a king that was released two squares off binds its player to castle.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub enum KingRelease {
        /// Only the touch does. The print of 2005 has no sentence on it.
        Free = "only touched",
        /// It does. 2009: Art. 4.6b. From 2018: Art. 4.7.2.
        Binds = "must castle",
    }
}

/// What happens when the game was begun with colors reversed.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum ReversedColors {
    /// It goes on unless the arbiter decides otherwise.
    Continues,
    /// A new game, if fewer than this many moves were made by both; else it goes on.
    NewGameBelow(u16),
}

words! {
    /// Whether the arbiter tells that a flag has fallen.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub enum FlagCall {
        /// The arbiter does.
        Called = "yes",
        /// Only when both are down.
        WhenBothDown = "only when both are down",
        /// He does not; only the players may.
        Never = "never",
    }
}

words! {
    /// What two fallen flags mean, as long as either side could mate.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub enum BothFlags {
        /// The first to fall loses. Where the order is unknown: a draw in the last period, else the
        /// game goes on. 2005: Art. 6.12. 2009: Art. 6.11.
        ByPeriod = "the first loses, order unknown: drawn in the last period",
        /// A draw. 2005: Art. B9. 2009: Art. A4d(3).
        Draw = "draw",
        /// The first to fall loses, and the clock shows which it was. Where it does not: Guideline
        /// III.3.1, if it was announced.
        FirstLoses = "the first loses",
    }
}

words! {
    /// Who may claim that the opponent makes no effort to win in the last two minutes. 2005, 2009:
    /// Art. 10.2. From 2018: Guideline III.5.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub enum QuickplayClaim {
        /// Either player.
        AnyPlayer = "either player",
        /// The player who has the move.
        PlayerOnMove = "the player on move",
        /// The player who has the move, if the guideline was announced and no time is added.
        IfAnnounced = "the player on move, if announced",
        /// No player may claim it.
        Nobody = "nobody",
    }
}

words! {
    /// What the sound of a telephone costs.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub enum DeviceRule {
        /// The game; the arbiter decides what the opponent scores. 2005: Art. 12.2(b).
        LossScoreByArbiter = "sound loses, the arbiter sets the opponent's score",
        /// The game; the opponent wins, or scores as for a draw if he could not mate. 2009: Art.
        /// 12.3b.
        LossIfSounds = "sound loses, half a point where the opponent cannot mate",
        /// The game, once a device is found on the player. From 2018: Art. 11.3.2.
        LossIfCarried = "carrying one loses",
    }
}

words! {
    /// Whether the players must keep score.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub enum ScoreDuty {
        /// Yes, until the time is short.
        Required = "required",
        /// The players need not.
        NotRequired = "not required",
    }
}

words! {
    /// Who acts on breaches of Article 4 (touch, release, castling).
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub enum HandlingWatch {
        /// The arbiter, as soon as he sees one.
        Arbiter = "the arbiter acts",
        /// The arbiter, only at a player's request. 2005: Art. B5. 2009: Art. A4b.
        OnRequest = "only at a player's request",
    }
}

words! {
    /// What is done when both kings are in check, or a promotion was not carried out, and no one
    /// claims.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub enum Impossible {
        /// It is an illegal move like any other.
        AsIllegal = "as an illegal move",
        /// The arbiter steps in by himself. 2005: Art. B6. 2009: Art. A4c.
        ArbiterActs = "the arbiter acts",
        /// Nothing, unless the opponent claims. 2005: Art. C2. 2009: Art. B3b.
        Nothing = "nothing without a claim",
        /// He waits for one more move; if it is still so, the game is drawn. 2018: Art. A.4.4.
        /// 2023: Art. A.5.4.
        WaitThenDraw = "after one more move a draw",
    }
}

/// What one [`Profile`] says: each field is a row of the table.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// How late a player may be before he loses, unless the competition says otherwise. 2005: Art.
    /// 6.7. 2009: Art. 6.6a. From 2018: Art. 6.7.1.
    pub default_time: Duration,
    /// Completed illegal moves.
    pub illegal: IllegalRule,
    /// A pawn left on the last rank.
    pub promotion_left: PromotionLeft,
    /// A press without a move.
    pub empty_press: Fault,
    /// A move with two hands.
    pub two_hands: Fault,
    /// Wrong claims of a draw.
    pub wrong_claim: WrongClaim,
    /// When the right to claim a draw is lost for this move. All editions: Art. 9.4.
    pub claim_lost_by: LapsesBy,
    /// Whether the claimant stops the clocks. All editions: Art. 9.5.
    pub claim_stops: ClaimStops,
    /// How an offer of a draw is declined without words. 2005: Art. 9.1(b). 2009: Art. 9.1b.
    pub offer_declined_by: LapsesBy,
    /// How many moves each player must have made before a draw may be agreed. From 2018: Art.
    /// 5.2.3.
    pub agreement_after: u16,
    /// Draws without a claim.
    pub automatic_draws: AutomaticDraws,
    /// Which claims lapse by a touch. 2005, 2009: Art. 4.7. From 2018: Art. 4.8.
    pub handling_lapse: HandlingLapse,
    /// Who acts on breaches of Article 4.
    pub handling_watch: HandlingWatch,
    /// What a replacing move is bound by.
    pub replacement_bound: ReplacementBound,
    /// A king released on its castling square.
    pub king_release: KingRelease,
    /// Colors reversed. 2005, 2009: Art. 7.2. From 2018: Art. 7.3.
    pub reversed_colors: ReversedColors,
    /// After how many completed moves of each player array, board and clock setting may no longer
    /// be claimed; `None` for no limit. 2005: Art. B4. 2009: Art. A4a. 2023: Art. A.5.1.
    pub setup_claims: Option<u16>,
    /// Two kings in check, a promotion not carried out.
    pub impossible: Impossible,
    /// Who tells of a flag. 2005: Art. B7. 2009: Art. A4d(1). 2023: Art. A.5.5.
    pub flag_call: FlagCall,
    /// What two fallen flags mean.
    pub both_flags: BothFlags,
    /// Claims in the last two minutes.
    pub quickplay_claim: QuickplayClaim,
    /// When a player resigns whose opponent cannot mate. 2023: Art. 5.1.2.
    pub resignation: CannotMate,
    /// Telephones.
    pub device: DeviceRule,
    /// Keeping score. 2005: Art. B3. Later: Art. A.2.
    pub recording: ScoreDuty,
    /// A move that was not pressed on. From 2018: Art. 6.2.1.2.
    pub unpressed: Unpressed,
}

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3_600);

/// The rule by which the player's `lose_on`-th illegal move loses, at any time.
const fn illegal(give: Duration, lose_on: u8, cannot_mate: CannotMate) -> IllegalRule {
    let cost = IllegalCost::Time { give, lose_on };
    IllegalRule { cost, raised: IllegalRaised::AnyTime, cannot_mate }
}

/// Standard chess in 2005.
const HU2005: Rules = Rules {
    default_time: HOUR,
    illegal: illegal(Duration::from_secs(120), 3, CannotMate::Loss),
    promotion_left: PromotionLeft::Undo,
    empty_press: Fault::Handling,
    two_hands: Fault::Handling,
    wrong_claim: WrongClaim { give: Duration::from_secs(180), claimant: ClaimantTime::Halved },
    claim_lost_by: LapsesBy::MakingMove,
    claim_stops: ClaimStops::Must,
    offer_declined_by: LapsesBy::MakingMove,
    agreement_after: 0,
    automatic_draws: AutomaticDraws::Nothing,
    handling_lapse: HandlingLapse::TouchOnly,
    handling_watch: HandlingWatch::Arbiter,
    replacement_bound: ReplacementBound::Touch,
    king_release: KingRelease::Free,
    reversed_colors: ReversedColors::Continues,
    setup_claims: None,
    impossible: Impossible::AsIllegal,
    flag_call: FlagCall::Called,
    both_flags: BothFlags::ByPeriod,
    quickplay_claim: QuickplayClaim::AnyPlayer,
    resignation: CannotMate::Loss,
    device: DeviceRule::LossScoreByArbiter,
    recording: ScoreDuty::Required,
    unpressed: Unpressed::Open,
};

/// Standard chess in 2009.
const DK2009: Rules = Rules {
    default_time: Duration::ZERO,
    illegal: illegal(Duration::from_secs(120), 3, CannotMate::Draw),
    wrong_claim: WrongClaim { give: Duration::from_secs(180), claimant: ClaimantTime::Unchanged },
    claim_lost_by: LapsesBy::Touch,
    claim_stops: ClaimStops::May,
    offer_declined_by: LapsesBy::Touch,
    handling_lapse: HandlingLapse::All,
    replacement_bound: ReplacementBound::TouchAndRelease,
    king_release: KingRelease::Binds,
    quickplay_claim: QuickplayClaim::PlayerOnMove,
    device: DeviceRule::LossIfSounds,
    ..HU2005
};

/// Standard chess in Norway in 2009: one note on Article 6.6.
const NO2009: Rules = Rules { default_time: HOUR, ..DK2009 };

/// Standard chess in 2018.
const M2018: Rules = Rules {
    illegal: illegal(Duration::from_secs(120), 2, CannotMate::Draw),
    promotion_left: PromotionLeft::Queen,
    empty_press: Fault::IllegalMove,
    two_hands: Fault::IllegalMove,
    wrong_claim: WrongClaim { give: Duration::from_secs(120), claimant: ClaimantTime::Unchanged },
    claim_stops: ClaimStops::PlayerOrArbiter,
    agreement_after: 1,
    automatic_draws: AutomaticDraws::FivefoldAnd75,
    reversed_colors: ReversedColors::NewGameBelow(10),
    both_flags: BothFlags::FirstLoses,
    quickplay_claim: QuickplayClaim::IfAnnounced,
    device: DeviceRule::LossIfCarried,
    unpressed: Unpressed::NextMove,
    ..DK2009
};

/// Standard chess in 2023.
const M2023: Rules = Rules { resignation: CannotMate::Draw, ..M2018 };

impl Profile {
    /// What this profile says.
    ///
    /// ```
    /// use rokade::laws::{Edition, FlagCall, Profile, Supervision, Variant};
    /// let profile = Profile {
    ///     edition: Edition::Dk2009,
    ///     variant: Variant::Rapid,
    ///     supervision: Supervision::Inadequate,
    /// };
    /// assert_eq!(profile.rules().flag_call, FlagCall::WhenBothDown);
    /// assert_eq!(Profile::default().to_string(), "m2023 standard adequate");
    /// ```
    pub const fn rules(self) -> Rules {
        self.rules_at(self.variant.pace())
    }

    /// The rules at this pace, where that is not the variant's own: Chess960 is played fast, too.
    pub const fn rules_at(self, pace: Pace) -> Rules {
        let standard = standard(self.edition);
        match (self.edition, pace, self.supervision) {
            (_, Pace::Standard, _) => standard,
            (Edition::Hu2005, pace, _) => {
                let rules = unsupervised(standard, pace, FlagCall::Never);
                // Only of rapid chess does the print say "begins".
                let raised = match pace {
                    Pace::Rapid => IllegalRaised::ByClaimUntouched,
                    _ => rules.illegal.raised,
                };
                Rules { illegal: IllegalRule { raised, ..rules.illegal }, ..rules }
            }
            (Edition::Dk2009 | Edition::No2009, pace, Supervision::Inadequate) => {
                unsupervised(standard, pace, FlagCall::WhenBothDown)
            }
            (Edition::Dk2009 | Edition::No2009, _, Supervision::Adequate) => {
                Rules { recording: ScoreDuty::NotRequired, ..standard }
            }
            (Edition::M2018 | Edition::M2023, pace, supervision) => {
                fast(standard, self.edition, pace, supervision)
            }
        }
    }
}

/// The rules of standard chess.
const fn standard(edition: Edition) -> Rules {
    match edition {
        Edition::Hu2005 => HU2005,
        Edition::Dk2009 => DK2009,
        Edition::No2009 => NO2009,
        Edition::M2018 => M2018,
        Edition::M2023 => M2023,
    }
}

/// Rapid chess and blitz of 2005, and those of 2009 where there are too few arbiters: what no
/// player claims does not happen. 2005: Art. B, C. 2009: Art. A4, B3.
const fn unsupervised(standard: Rules, pace: Pace, flag_call: FlagCall) -> Rules {
    let is_blitz = matches!(pace, Pace::Blitz);
    let cost = if is_blitz { IllegalCost::Game } else { standard.illegal.cost };
    Rules {
        illegal: IllegalRule { cost, raised: IllegalRaised::ByClaim, ..standard.illegal },
        handling_watch: HandlingWatch::OnRequest,
        setup_claims: Some(3),
        impossible: if is_blitz { Impossible::Nothing } else { Impossible::ArbiterActs },
        flag_call,
        both_flags: BothFlags::Draw,
        quickplay_claim: if is_blitz { QuickplayClaim::Nobody } else { standard.quickplay_claim },
        recording: ScoreDuty::NotRequired,
        ..standard
    }
}

/// Rapid chess and blitz since 2018. 2018: Art. A.2 to A.4, B.2 to B.4. 2023: Art. A.2 to A.5, B.2,
/// B.3.
const fn fast(standard: Rules, edition: Edition, pace: Pace, supervision: Supervision) -> Rules {
    let is_blitz = matches!(pace, Pace::Blitz);
    let is_one_minute = is_blitz || edition.year() >= 2023;
    let give = if is_one_minute { MINUTE } else { Duration::from_secs(120) };
    let illegal = illegal(give, 2, CannotMate::Draw);
    let rules = Rules {
        illegal,
        wrong_claim: WrongClaim { give, claimant: ClaimantTime::Unchanged },
        quickplay_claim: if is_blitz { QuickplayClaim::Nobody } else { standard.quickplay_claim },
        recording: ScoreDuty::NotRequired,
        ..standard
    };
    match supervision {
        Supervision::Adequate => rules,
        Supervision::Inadequate => Rules {
            illegal: IllegalRule { raised: IllegalRaised::UntilReply, ..illegal },
            setup_claims: Some(10),
            impossible: Impossible::WaitThenDraw,
            ..rules
        },
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.edition, self.variant, self.supervision)
    }
}
