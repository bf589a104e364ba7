//! The rules of a profile in words, as they are printed at the start of a game.

use super::{
    AutomaticDraws, BothFlags, CannotMate, ClaimStops, ClaimantTime, DeviceRule, Fault, FlagCall,
    HandlingLapse, HandlingWatch, IllegalCost, IllegalRaised, IllegalRule, Impossible, KingRelease,
    LapsesBy, PromotionLeft, QuickplayClaim, ReplacementBound, ReversedColors, Rules, ScoreDuty,
    Unpressed, WrongClaim,
};
use std::time::Duration;

impl Rules {
    /// Every row of the table: its name and what it says, in a fixed order.
    ///
    /// ```
    /// use rokade::laws::Profile;
    /// let rows = Profile::default().rules().describe();
    /// assert_eq!(rows[1], ("illegal move", "120 s to the opponent, the 2nd loses".to_owned()));
    /// ```
    pub fn describe(&self) -> Vec<(&'static str, String)> {
        let say = str::to_owned;
        vec![
            ("default time", seconds(self.default_time)),
            ("illegal move", cost(self.illegal)),
            ("illegal move is raised", say(raised(self.illegal.raised))),
            ("illegal move, opponent cannot mate", say(cannot_mate(self.illegal.cannot_mate))),
            ("pawn left on the last rank", say(promotion_left(self.promotion_left))),
            ("press without a move", say(fault(self.empty_press))),
            ("two hands", say(fault(self.two_hands))),
            ("wrong claim", wrong_claim(self.wrong_claim)),
            ("claim is lost by", say(lapses_by(self.claim_lost_by))),
            ("claimant stops the clocks", say(claim_stops(self.claim_stops))),
            ("offer is declined by words or", say(lapses_by(self.offer_declined_by))),
            ("agreement after moves each", self.agreement_after.to_string()),
            ("automatic draws", say(automatic(self.automatic_draws))),
            ("handling claims lapse", say(handling_lapse(self.handling_lapse))),
            ("breaches of Article 4", say(handling_watch(self.handling_watch))),
            ("replacing move is bound by", say(replacement(self.replacement_bound))),
            ("king released while castling", say(king_release(self.king_release))),
            ("reversed colors", reversed(self.reversed_colors)),
            ("setup claims until moves each", limit(self.setup_claims)),
            ("both kings in check", say(impossible(self.impossible))),
            ("arbiter tells of a flag", say(flag_call(self.flag_call))),
            ("both flags down", say(both_flags(self.both_flags))),
            ("quickplay claim by", say(quickplay(self.quickplay_claim))),
            ("resigning, opponent cannot mate", say(cannot_mate(self.resignation))),
            ("telephone", say(device(self.device))),
            ("keeping score", say(recording(self.recording))),
            ("move not pressed on", say(unpressed(self.unpressed))),
        ]
    }
}

fn seconds(span: Duration) -> String {
    format!("{} s", span.as_secs())
}

fn cost(rule: IllegalRule) -> String {
    match rule.cost {
        IllegalCost::Time { give, lose_on } => {
            let ordinal = if lose_on == 2 { "2nd" } else { "3rd" };
            format!("{} to the opponent, the {ordinal} loses", seconds(give))
        }
        IllegalCost::Game => "the opponent may claim the game".to_owned(),
    }
}

const fn raised(raised: IllegalRaised) -> &'static str {
    match raised {
        IllegalRaised::AnyTime => "at any time",
        IllegalRaised::UntilReply => "before the reply",
        IllegalRaised::ByClaim => "by a claim before the reply",
        IllegalRaised::ByClaimUntouched => "by a claim before touching a piece",
    }
}

const fn cannot_mate(rule: CannotMate) -> &'static str {
    match rule {
        CannotMate::Loss => "loss",
        CannotMate::Draw => "draw",
    }
}

const fn promotion_left(rule: PromotionLeft) -> &'static str {
    match rule {
        PromotionLeft::Undo => "the move is taken back",
        PromotionLeft::Queen => "becomes a queen",
    }
}

const fn fault(rule: Fault) -> &'static str {
    match rule {
        Fault::Handling => "the arbiter's penalty",
        Fault::IllegalMove => "as an illegal move",
    }
}

fn wrong_claim(rule: WrongClaim) -> String {
    let halved = match rule.claimant {
        ClaimantTime::Unchanged => "",
        ClaimantTime::Halved => ", the claimant's time is halved",
    };
    format!("{} to the opponent{halved}", seconds(rule.give))
}

const fn lapses_by(act: LapsesBy) -> &'static str {
    match act {
        LapsesBy::MakingMove => "making a move",
        LapsesBy::Touch => "touching a piece",
    }
}

const fn claim_stops(rule: ClaimStops) -> &'static str {
    match rule {
        ClaimStops::Must => "must",
        ClaimStops::May => "may",
        ClaimStops::PlayerOrArbiter => "he or the arbiter does",
    }
}

const fn automatic(rule: AutomaticDraws) -> &'static str {
    match rule {
        AutomaticDraws::Nothing => "none",
        AutomaticDraws::FivefoldAnd75 => "fivefold repetition, 75 moves",
    }
}

const fn handling_lapse(rule: HandlingLapse) -> &'static str {
    match rule {
        HandlingLapse::TouchOnly => "4.3 and 4.4",
        HandlingLapse::All => "all of Article 4",
    }
}

const fn handling_watch(rule: HandlingWatch) -> &'static str {
    match rule {
        HandlingWatch::Arbiter => "the arbiter acts",
        HandlingWatch::OnRequest => "only at a player's request",
    }
}

const fn replacement(rule: ReplacementBound) -> &'static str {
    match rule {
        ReplacementBound::Touch => "touch",
        ReplacementBound::TouchAndRelease => "touch and release",
    }
}

const fn king_release(rule: KingRelease) -> &'static str {
    match rule {
        KingRelease::Free => "only touched",
        KingRelease::Binds => "must castle",
    }
}

fn reversed(rule: ReversedColors) -> String {
    match rule {
        ReversedColors::Continues => "play goes on unless the arbiter decides otherwise".to_owned(),
        ReversedColors::NewGameBelow(n_moves) => format!("new game below {n_moves} moves each"),
    }
}

fn limit(rule: Option<u16>) -> String {
    rule.map_or_else(|| "any time".to_owned(), |n_moves| n_moves.to_string())
}

const fn impossible(rule: Impossible) -> &'static str {
    match rule {
        Impossible::AsIllegal => "as an illegal move",
        Impossible::ArbiterActs => "the arbiter acts",
        Impossible::Nothing => "nothing without a claim",
        Impossible::WaitThenDraw => "after one more move a draw",
    }
}

const fn flag_call(rule: FlagCall) -> &'static str {
    match rule {
        FlagCall::Called => "yes",
        FlagCall::WhenBothDown => "only when both are down",
        FlagCall::Never => "never",
    }
}

const fn both_flags(rule: BothFlags) -> &'static str {
    match rule {
        BothFlags::ByPeriod => "the first loses, order unknown: drawn in the last period",
        BothFlags::Draw => "draw",
        BothFlags::FirstLoses => "the first loses",
    }
}

const fn quickplay(rule: QuickplayClaim) -> &'static str {
    match rule {
        QuickplayClaim::AnyPlayer => "either player",
        QuickplayClaim::PlayerOnMove => "the player on move",
        QuickplayClaim::IfAnnounced => "the player on move, if announced",
        QuickplayClaim::Nobody => "nobody",
    }
}

const fn device(rule: DeviceRule) -> &'static str {
    match rule {
        DeviceRule::LossScoreByArbiter => "sound loses, the arbiter sets the opponent's score",
        DeviceRule::LossIfSounds => "sound loses, half a point where the opponent cannot mate",
        DeviceRule::LossIfCarried => "carrying one loses",
    }
}

const fn recording(rule: ScoreDuty) -> &'static str {
    match rule {
        ScoreDuty::Required => "required",
        ScoreDuty::NotRequired => "not required",
    }
}

const fn unpressed(rule: Unpressed) -> &'static str {
    match rule {
        Unpressed::Open => "is completed by the next press",
        Unpressed::NextMove => "is completed by the next move",
    }
}
