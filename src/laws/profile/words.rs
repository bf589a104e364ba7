//! The rules of a profile in words, as they are printed at the start of a game.

use super::{ClaimantTime, IllegalCost, IllegalRule, ReversedColors, Rules, WrongClaim};
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
            ("illegal move is raised", say(self.illegal.raised.word())),
            ("illegal move, opponent cannot mate", say(self.illegal.cannot_mate.word())),
            ("pawn left on the last rank", say(self.promotion_left.word())),
            ("press without a move", say(self.empty_press.word())),
            ("two hands", say(self.two_hands.word())),
            ("wrong claim", wrong_claim(self.wrong_claim)),
            ("claim is lost by", say(self.claim_lost_by.word())),
            ("claimant stops the clocks", say(self.claim_stops.word())),
            ("offer is declined by words or", say(self.offer_declined_by.word())),
            ("agreement after moves each", self.agreement_after.to_string()),
            ("automatic draws", say(self.automatic_draws.word())),
            ("handling claims lapse", say(self.handling_lapse.word())),
            ("breaches of Article 4", say(self.handling_watch.word())),
            ("replacing move is bound by", say(self.replacement_bound.word())),
            ("king released while castling", say(self.king_release.word())),
            ("reversed colors", reversed(self.reversed_colors)),
            ("setup claims until moves each", limit(self.setup_claims)),
            ("both kings in check", say(self.impossible.word())),
            ("arbiter tells of a flag", say(self.flag_call.word())),
            ("both flags down", say(self.both_flags.word())),
            ("quickplay claim by", say(self.quickplay_claim.word())),
            ("resigning, opponent cannot mate", say(self.resignation.word())),
            ("telephone", say(self.device.word())),
            ("keeping score", say(self.recording.word())),
            ("move not pressed on", say(self.unpressed.word())),
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

fn wrong_claim(rule: WrongClaim) -> String {
    let halved = match rule.claimant {
        ClaimantTime::Unchanged => "",
        ClaimantTime::Halved => ", the claimant's time is halved",
    };
    format!("{} to the opponent{halved}", seconds(rule.give))
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
