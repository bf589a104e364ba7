//! Flags: seen by the clock, effective when the arbiter sees them or a player claims. All editions:
//! Art. 6.8 to 6.11 (2005: 6.9 to 6.12).

use super::super::code::Code;
use super::super::profile::{BothFlags, FlagCall, QuickplayClaim, ScoreDuty};
use super::super::said::{ClockOrder, Ruling, Verdict};
use super::super::score::Score;
use super::super::terms::{Bonus, FlagWatch, FlagWitness, PeriodCredit};
use super::clock::PausedBy;
use super::context::{Context, Phase};
use super::life::{cannot_mate, is_mate_undecided};
use super::matter::{Case, MayAct};
use shakmaty::{ByColor, Color};
use std::time::Duration;

/// Below this nobody need keep score. All editions: Art. 8.4.
const LOW: Duration = Duration::from_secs(300);
/// Unless so much is added for each move.
const ENOUGH_BONUS: Duration = Duration::from_secs(30);
/// The last two minutes of Article 10.2.
const QUICKPLAY: Duration = Duration::from_secs(120);

/// What is known of the flags.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Flags {
    /// Down with moves missing.
    missing: ByColor<bool>,
    down: ByColor<bool>,
    /// Fallen while an illegal move of the opponent stood on the board.
    behind: ByColor<bool>,
    /// Which was first to fall with moves missing, by the clock; none if both were found down.
    first: Option<Color>,
    /// The sheet must be completed before a piece is moved. 8.4 (8.5.2).
    sheet_due: ByColor<bool>,
    /// In which period it was noted that little time is left; 0 for none.
    low_time: ByColor<usize>,
    quickplay_noted: ByColor<bool>,
}

impl Flags {
    pub(super) fn is_missing(&self, side: Color) -> bool {
        self.missing[side]
    }

    pub(super) fn is_down(&self, side: Color) -> bool {
        self.down[side]
    }

    /// Whether any is down.
    pub(super) fn down_any(&self) -> bool {
        self.down.white || self.down.black
    }

    /// The flag of `side` is up: its time was set, or nobody rules on it.
    pub(super) fn raise(&mut self, cx: &mut Context, side: Color) {
        self.down[side] = false;
        self.missing[side] = false;
        self.behind[side] = false;
        if self.first == Some(side) {
            self.first = Some(!side).filter(|other| self.missing[*other]);
        }
        cx.matters.forget_flag(Some(side));
    }

    /// The illegal move of his opponent is taken back, and with it the time in which the flag of
    /// `side` fell. 7.4a (7.5.1).
    pub(super) fn take_back(&mut self, cx: &mut Context, side: Color) {
        if self.behind[side] {
            self.raise(cx, side);
            cx.matters.close(|case| matches!(case, Case::Flag(known) if *known == side));
        }
    }

    pub(super) fn on_flag(&mut self, cx: &mut Context, side: Color, is_concluded: bool) {
        cx.out.say(Ruling::Flag { side });
        if cx.is_over() || self.down[side] || is_concluded {
            return;
        }
        self.down[side] = true;
        let are_both = self.down[!side];
        if has_enough(cx, side) {
            if are_both {
                cx.out.log(Code::BothFlags, None);
            }
            self.flag_after_enough(cx, side);
            return;
        }
        self.missing[side] = true;
        self.behind[side] = cx.matters.standing_illegal().is_some_and(|known| known.by != side);
        self.first.get_or_insert(side);
        match cx.rules.flag_call {
            FlagCall::Called => self.call_flag(cx, side),
            FlagCall::WhenBothDown | FlagCall::Never => {
                cx.out.log(Code::FlagDownSilent, Some(side));
                cx.matters.set_may_act(MayAct::OnRequest);
            }
        }
        if are_both {
            Self::both_flags(cx);
        }
    }

    /// The prescribed moves were completed: the next period begins. 6.3 (6.4).
    fn flag_after_enough(&mut self, cx: &mut Context, side: Color) {
        cx.out.log(Code::FlagEnoughMoves, Some(side));
        if cx.terms.credit == PeriodCredit::OnZero {
            cx.pass_period(side);
            self.down[side] = false;
        }
        if cx.rules.recording == ScoreDuty::NotRequired {
            return;
        }
        self.sheet_due[side] = true;
        if cx.clock.left(!side) >= LOW {
            let (he, other) = (name(side), name(!side));
            let option = format!("{he} updates, may use {other}'s sheet on his own move");
            cx.open(Case::Question, &[&option], MayAct::Yes);
        }
    }

    /// The flag fell with moves missing and the arbiter calls it.
    fn call_flag(&mut self, cx: &mut Context, side: Color) {
        cx.out.log(Code::FlagDown, Some(side));
        cx.matters.set_may_act(MayAct::Yes);
        if cx.terms.flag_watch == FlagWatch::Full {
            cx.order_clock(ClockOrder::Stop);
            cx.clock.pause(PausedBy::Arbiter);
        }
        cx.open(Case::Flag(side), &[], MayAct::Yes);
        if cx.terms.flag_witness == FlagWitness::Authoritative {
            self.witness(cx, side);
        }
    }

    fn both_flags(cx: &mut Context) {
        cx.out.log(Code::BothFlags, None);
        let may_act = match cx.rules.flag_call {
            FlagCall::Called | FlagCall::WhenBothDown => MayAct::Yes,
            FlagCall::Never => MayAct::OnRequest,
        };
        cx.matters.set_may_act(may_act);
        let keeps_first = cx.matters.flag_seen().is_some();
        if !keeps_first {
            cx.matters.close(|case| matches!(case, Case::Flag(_)));
            cx.open(Case::BothFlags, &[], may_act);
        }
    }

    /// Both flags were found down, and no source knows the order, unless one was down before.
    pub(super) fn on_order_unknown(&mut self, cx: &mut Context) {
        for side in Color::ALL {
            cx.out.say(Ruling::Flag { side });
            self.down[side] = true;
            self.missing[side] = !has_enough(cx, side);
        }
        if cx.is_over() {
            return;
        }
        let missing = self.missing;
        match (missing.white, missing.black) {
            (true, true) => Self::both_flags(cx),
            (false, false) => {
                cx.out.log(Code::BothFlags, None);
                for side in Color::ALL {
                    self.flag_after_enough(cx, side);
                }
            }
            // Only one has moves missing: which flag was first does not matter.
            (white, _) => {
                let side = Color::from_white(white);
                cx.out.log(Code::BothFlags, None);
                self.flag_after_enough(cx, !side);
                self.call_flag(cx, side);
            }
        }
    }

    /// The arbiter sees a flag, or a player claims it. Of two the first that was seen decides. 6.8,
    /// 6.9 (2005: 6.9, 6.10).
    pub(super) fn witness(&mut self, cx: &mut Context, side: Color) {
        self.missing[side] = true;
        cx.matters.see_flag(side);
    }

    /// A player claims that the flag of his opponent is down.
    pub(super) fn claim(&mut self, cx: &mut Context, by: Color) {
        let flagged = !by;
        if !self.is_missing(flagged) {
            cx.out.incorrect(by, "time", "the flag is up, or the moves were completed");
            return;
        }
        if cx.matters.flag_seen() == Some(by) {
            cx.out.incorrect(by, "time", "the claimant's own flag was seen before");
            return;
        }
        let must_be_up = cx.rules.flag_call != FlagCall::Called;
        if must_be_up && self.is_down(by) {
            cx.out.incorrect(by, "time", "the claimant's own flag is down");
            return;
        }
        cx.out.log(Code::ClaimTime, Some(by));
        cx.out.claimed(by, "time", Verdict::Correct, None);
        self.witness(cx, flagged);
    }

    /// The arbiter does not rule on the flag of `side`: it counts as up. The other's may be down.
    pub(super) fn dismiss(&mut self, cx: &mut Context, side: Color) {
        self.raise(cx, side);
        let is_known = cx.matters.has(|case| matches!(case, Case::Flag(known) if *known == !side));
        if self.missing[!side] && !is_known && cx.rules.flag_call == FlagCall::Called {
            cx.open(Case::Flag(!side), &[], MayAct::Yes);
        }
    }

    pub(super) fn on_arbiter_flag(&mut self, cx: &mut Context, side: Color, is_concluded: bool) {
        if cx.is_over() || is_concluded {
            cx.out.say(Ruling::Ignored);
        } else if has_enough(cx, side) {
            cx.out.log(Code::FlagEnoughMoves, Some(side));
        } else {
            cx.out.log(Code::FlagDown, Some(side));
            self.witness(cx, side);
        }
    }

    /// The ruling on one flag. 6.9 (6.10).
    pub(super) fn confirm(&self, cx: &mut Context, flagged: Color) {
        let are_both = self.down.white && self.down.black;
        if are_both && cx.rules.both_flags == BothFlags::Draw {
            cx.finish(Code::TimeDraw, Score::DRAW, "both flags, rapid/blitz");
            return;
        }
        let pos = cx.game.last().clone();
        if cannot_mate(&pos, !flagged) {
            let reason = "time, opponent cannot mate";
            cx.finish_flagged(Code::TimeDraw, Score::DRAW, reason, Some(flagged));
        } else if is_mate_undecided(&pos, !flagged) {
            // Nobody has proven it either way: the arbiter decides.
            let options = ["lost on time", "draw, opponent cannot mate"];
            cx.open(Case::Undecided(flagged), &options, MayAct::Yes);
        } else {
            cx.finish_flagged(Code::TimeLoss, Score::win(!flagged), "time", Some(flagged));
        }
    }

    /// The ruling on two flags: the table of the Norwegian commentary.
    pub(super) fn confirm_both(&mut self, cx: &mut Context) {
        let is_last = cx.terms.is_last(Color::White, cx.clock.period(Color::White));
        let is_shown = cx.rules.both_flags == BothFlags::FirstLoses
            || cx.terms.flag_witness == FlagWitness::Authoritative;
        let first = self.first.filter(|_| is_shown);
        match (cx.rules.both_flags, first) {
            (BothFlags::Draw, _) => {
                cx.finish(Code::TimeDraw, Score::DRAW, "both flags, rapid/blitz");
            }
            (_, Some(first)) => self.confirm(cx, first),
            (_, None) if is_last => {
                let reason = "both flags, order unknown, last period";
                cx.finish(Code::TimeDraw, Score::DRAW, reason);
            }
            (_, None) => {
                // Nobody can show who overstepped: the next move is the first of the next period,
                // 8.6.
                let n = cx.clock.period(Color::White);
                if let Some(required) = cx.terms.required(Color::White, n) {
                    cx.game.renumber(required + 1);
                }
                self.raise(cx, Color::White);
                self.raise(cx, Color::Black);
                cx.out.log_with(Code::ArbiterNote, None, "play on".to_owned());
            }
        }
    }

    pub(super) fn watch(&mut self, cx: &mut Context) {
        if !cx.clock.is_known() || cx.phase != Phase::Running {
            return;
        }
        for side in Color::ALL {
            let left = cx.clock.left(side);
            let period = cx.clock.period(side);
            let bonus = cx.terms.bonus_in(side, period);
            let has_bonus = matches!(bonus, Bonus::PerMove(span) if span >= ENOUGH_BONUS);
            let is_noted = cx.rules.recording == ScoreDuty::Required && !has_bonus;
            let is_known = self.low_time[side] == period;
            if is_noted && left < LOW && !is_known && !self.down[side] {
                self.low_time[side] = period;
                cx.out.log(Code::LowTime, Some(side));
            }
            let may = match cx.rules.quickplay_claim {
                QuickplayClaim::AnyPlayer => true,
                QuickplayClaim::PlayerOnMove => cx.mover() == side,
                QuickplayClaim::IfAnnounced => cx.terms.has_announced("III.5"),
                QuickplayClaim::Nobody => false,
            };
            let is_short = left < QUICKPLAY && !left.is_zero() && cx.is_quickplay(side);
            if may && is_short && !self.quickplay_noted[side] {
                self.quickplay_noted[side] = true;
                cx.out.log(Code::QuickplayWindow, Some(side));
            }
        }
    }

    /// After a flag the sheet must be complete before a piece is moved.
    pub(super) fn ask_for_sheet(&mut self, cx: &mut Context, by: Color) {
        if std::mem::take(&mut self.sheet_due[by]) {
            cx.open(Case::Question, &["sheet complete", "stop and update"], MayAct::Yes);
        }
    }

    pub(super) fn sheets_ok(&mut self, cx: &mut Context) {
        self.sheet_due = ByColor::default();
        cx.out.log_with(Code::ArbiterNote, None, "score sheets complete".to_owned());
    }
}

/// Whether `side` has completed the moves of its period.
fn has_enough(cx: &Context, side: Color) -> bool {
    let n = cx.clock.period(side);
    cx.terms.required(side, n).is_some_and(|required| cx.completed(side) >= required)
}

const fn name(side: Color) -> &'static str {
    match side {
        Color::White => "White",
        Color::Black => "Black",
    }
}
