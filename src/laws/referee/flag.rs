//! Flags: seen by the clock, effective when the arbiter sees them or a player claims. All editions:
//! Art. 6.8 to 6.11 (2005: 6.9 to 6.12).

use super::super::code::Code;
use super::super::profile::{BothFlags, FlagCall, QuickplayClaim, Recording};
use super::super::said::{ClockOrder, Ruling};
use super::super::score::Score;
use super::super::terms::{Bonus, FlagWatch, FlagWitness, PeriodCredit};
use super::Referee;
use super::clock::PausedBy;
use super::context::Phase;
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
    /// Which was first, by the clock.
    first: Option<Color>,
    is_order_unknown: bool,
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

    /// The flag of `side` is up again: its time was set.
    pub(super) fn raise(&mut self, side: Color) {
        self.down[side] = false;
        self.missing[side] = false;
    }
}

impl Referee {
    /// The flag of `side` is up: its time was set, or nobody rules on it.
    pub(super) fn raise_flag(&mut self, side: Color) {
        self.flags.raise(side);
        self.cx.matters.forget_flag(Some(side));
    }

    /// Whether what is moved or pressed from now on does not count: a flag is being ruled upon, or
    /// a claim has concluded the game.
    pub(super) fn is_play_over(&self) -> bool {
        self.cx.matters.flag_seen().is_some() || self.claims.is_concluded(&self.cx)
    }

    fn has_enough(&self, side: Color) -> bool {
        let n = self.cx.clock.period(side);
        self.cx.terms.required(side, n).is_some_and(|required| self.cx.completed(side) >= required)
    }

    pub(super) fn on_flag(&mut self, side: Color) {
        self.cx.out.say(Ruling::Flag { side });
        if self.cx.is_over() || self.flags.down[side] || self.claims.is_concluded(&self.cx) {
            return;
        }
        self.flags.down[side] = true;
        let are_both = self.flags.down[!side];
        if self.has_enough(side) {
            if are_both {
                self.cx.out.log(Code::BothFlags, None);
            }
            self.flag_after_enough(side);
            return;
        }
        self.flags.missing[side] = true;
        self.flags.first.get_or_insert(side);
        match self.cx.rules.flag_call {
            FlagCall::Called => self.call_flag(side),
            FlagCall::WhenBothDown | FlagCall::Never => {
                self.cx.out.log(Code::FlagDownSilent, Some(side));
                self.cx.matters.set_may_act(MayAct::OnRequest);
            }
        }
        if are_both {
            self.both_flags();
        }
    }

    /// The prescribed moves were completed: the next period begins. 6.3 (6.4).
    fn flag_after_enough(&mut self, side: Color) {
        self.cx.out.log(Code::FlagEnoughMoves, Some(side));
        if self.cx.terms.credit == PeriodCredit::OnZero {
            self.cx.pass_period(side);
            self.flags.down[side] = false;
        }
        if self.cx.rules.recording == Recording::NotRequired {
            return;
        }
        self.flags.sheet_due[side] = true;
        if self.cx.clock.left(!side) >= LOW {
            let (he, other) = (name(side), name(!side));
            let option = format!("{he} updates, may use {other}'s sheet on his own move");
            self.cx.open(Case::Question, &[&option], MayAct::Yes);
        }
    }

    /// The flag fell with moves missing and the arbiter calls it.
    fn call_flag(&mut self, side: Color) {
        self.cx.out.log(Code::FlagDown, Some(side));
        self.cx.matters.set_may_act(MayAct::Yes);
        if self.cx.terms.flag_watch == FlagWatch::Full {
            self.cx.order_clock(ClockOrder::Stop);
            self.cx.clock.pause(PausedBy::Arbiter);
        }
        self.cx.open(Case::Flag(side), &[], MayAct::Yes);
        if self.cx.terms.flag_witness == FlagWitness::Authoritative {
            self.witness_flag(side);
        }
    }

    fn both_flags(&mut self) {
        self.cx.out.log(Code::BothFlags, None);
        let may_act = match self.cx.rules.flag_call {
            FlagCall::Called | FlagCall::WhenBothDown => MayAct::Yes,
            FlagCall::Never => MayAct::OnRequest,
        };
        self.cx.matters.set_may_act(may_act);
        let keeps_first = self.cx.matters.flag_seen().is_some();
        if !keeps_first {
            self.cx.matters.close(|case| matches!(case, Case::Flag(_)));
            self.cx.open(Case::BothFlags, &[], may_act);
        }
    }

    /// Both flags were found down, and no source knows the order.
    pub(super) fn on_flags_unknown(&mut self) {
        for side in [Color::White, Color::Black] {
            self.cx.out.say(Ruling::Flag { side });
            self.flags.down[side] = true;
            self.flags.missing[side] = !self.has_enough(side);
        }
        self.flags.is_order_unknown = true;
        if self.cx.is_over() {
            return;
        }
        let missing = self.flags.missing;
        match (missing.white, missing.black) {
            (true, true) => self.both_flags(),
            (false, false) => {
                self.cx.out.log(Code::BothFlags, None);
                for side in [Color::White, Color::Black] {
                    self.flag_after_enough(side);
                }
            }
            // Only one has moves missing: which flag was first does not matter.
            (white, _) => {
                let side = Color::from_white(white);
                self.cx.out.log(Code::BothFlags, None);
                self.flag_after_enough(!side);
                self.call_flag(side);
            }
        }
    }

    /// The arbiter sees a flag, or a player claims it. Of two the first that was seen decides. 6.8,
    /// 6.9 (2005: 6.9, 6.10).
    pub(super) fn witness_flag(&mut self, side: Color) {
        self.flags.missing[side] = true;
        self.cx.matters.see_flag(side);
    }

    /// The arbiter does not rule on the flag of `side`: it counts as up. The other's may be down.
    pub(super) fn dismiss_flag(&mut self, side: Color) {
        self.raise_flag(side);
        let is_known =
            self.cx.matters.has(|case| matches!(case, Case::Flag(known) if *known == !side));
        if self.flags.missing[!side] && !is_known && self.cx.rules.flag_call == FlagCall::Called {
            self.cx.open(Case::Flag(!side), &[], MayAct::Yes);
        }
    }

    pub(super) fn on_arbiter_flag(&mut self, side: Color) {
        if self.cx.is_over() || self.claims.is_concluded(&self.cx) {
            self.cx.out.say(Ruling::Ignored);
        } else if self.has_enough(side) {
            self.cx.out.log(Code::FlagEnoughMoves, Some(side));
        } else {
            self.cx.out.log(Code::FlagDown, Some(side));
            self.witness_flag(side);
        }
    }

    /// The ruling on one flag. 6.9 (6.10).
    pub(super) fn confirm_flag(&mut self, flagged: Color) {
        let are_both = self.flags.down[Color::White] && self.flags.down[Color::Black];
        if are_both && self.cx.rules.both_flags == BothFlags::Draw {
            self.cx.finish(Code::TimeDraw, Score::DRAW, "both flags, rapid/blitz");
            return;
        }
        let pos = self.cx.game.last().clone();
        if cannot_mate(&pos, !flagged) {
            let reason = "time, opponent cannot mate";
            self.cx.finish_flagged(Code::TimeDraw, Score::DRAW, reason, Some(flagged));
        } else if is_mate_undecided(&pos, !flagged) {
            // Nobody has proven it either way: the arbiter decides.
            let options = ["lost on time", "draw, opponent cannot mate"];
            self.cx.open(Case::Undecided(flagged), &options, MayAct::Yes);
        } else {
            self.cx.finish_flagged(Code::TimeLoss, Score::win(!flagged), "time", Some(flagged));
        }
    }

    /// The ruling on two flags: the table of the Norwegian commentary.
    pub(super) fn confirm_both_flags(&mut self) {
        let is_last = self.cx.terms.is_last(Color::White, self.cx.clock.period(Color::White));
        let is_shown = self.cx.rules.both_flags == BothFlags::FirstLoses
            || self.cx.terms.flag_witness == FlagWitness::Authoritative;
        let first = self.flags.first.filter(|_| is_shown && !self.flags.is_order_unknown);
        match (self.cx.rules.both_flags, first) {
            (BothFlags::Draw, _) => {
                self.cx.finish(Code::TimeDraw, Score::DRAW, "both flags, rapid/blitz");
            }
            (_, Some(first)) => self.confirm_flag(first),
            (_, None) if is_last => {
                let reason = "both flags, order unknown, last period";
                self.cx.finish(Code::TimeDraw, Score::DRAW, reason);
            }
            (_, None) => {
                // Nobody can show who overstepped: the next move is the first of the next period,
                // 8.6.
                let n = self.cx.clock.period(Color::White);
                if let Some(required) = self.cx.terms.required(Color::White, n) {
                    self.cx.game.renumber(required + 1);
                }
                self.raise_flag(Color::White);
                self.raise_flag(Color::Black);
                self.cx.out.log_with(Code::ArbiterNote, None, "play on".to_owned());
            }
        }
    }

    pub(super) fn watch_low_time(&mut self) {
        if !self.cx.clock.is_known() || self.cx.phase != Phase::Running {
            return;
        }
        for side in [Color::White, Color::Black] {
            let left = self.cx.clock.left(side);
            let period = self.cx.clock.period(side);
            let bonus = self.cx.terms.bonus_in(side, period);
            let has_bonus = matches!(bonus, Bonus::PerMove(span) if span >= ENOUGH_BONUS);
            let is_noted = self.cx.rules.recording == Recording::Required && !has_bonus;
            let is_known = self.flags.low_time[side] == period;
            if is_noted && left < LOW && !is_known && !self.flags.down[side] {
                self.flags.low_time[side] = period;
                self.cx.out.log(Code::LowTime, Some(side));
            }
            let may = match self.cx.rules.quickplay_claim {
                QuickplayClaim::AnyPlayer => true,
                QuickplayClaim::PlayerOnMove => self.cx.mover() == side,
                QuickplayClaim::IfAnnounced => self.cx.terms.has_announced("III.5"),
                QuickplayClaim::Nobody => false,
            };
            let is_short = left < QUICKPLAY && !left.is_zero() && self.cx.is_quickplay(side);
            if may && is_short && !self.flags.quickplay_noted[side] {
                self.flags.quickplay_noted[side] = true;
                self.cx.out.log(Code::QuickplayWindow, Some(side));
            }
        }
    }

    /// After a flag the sheet must be complete before a piece is moved.
    pub(super) fn ask_for_sheet(&mut self, by: Color) {
        if std::mem::take(&mut self.flags.sheet_due[by]) {
            self.cx.open(Case::Question, &["sheet complete", "stop and update"], MayAct::Yes);
        }
    }

    pub(super) fn sheets_ok(&mut self) {
        self.flags.sheet_due = ByColor::default();
        self.cx.out.log_with(Code::ArbiterNote, None, "score sheets complete".to_owned());
    }
}

const fn name(side: Color) -> &'static str {
    match side {
        Color::White => "White",
        Color::Black => "Black",
    }
}
