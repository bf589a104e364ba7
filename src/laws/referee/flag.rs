//! Flags: seen by the clock, effective when the arbiter sees them or a player claims. All editions:
//! Art. 6.8 to 6.11 (2005: 6.9 to 6.12).

use super::super::code::Code;
use super::super::profile::{BothFlags, FlagCall, QuickplayClaim, Recording};
use super::super::said::{ClockOrder, Ruling};
use super::super::score::Score;
use super::super::terms::{Bonus, FlagWatch, FlagWitness, PeriodCredit, Terms};
use super::matter::{Case, MayAct};
use super::{PausedBy, Referee};
use shakmaty::{ByColor, Color};
use std::time::Duration;

/// Below this nobody need keep score. All editions: Art. 8.4.
const LOW: Duration = Duration::from_secs(300);
/// Unless so much is added for each move.
const ENOUGH_BONUS: Duration = Duration::from_secs(30);
/// The last two minutes of Article 10.2.
const QUICKPLAY: Duration = Duration::from_secs(120);

/// What is known of the flags.
#[derive(Copy, Clone, Debug)]
pub(super) struct Flags {
    /// Down with moves missing.
    missing: ByColor<bool>,
    down: ByColor<bool>,
    /// Which was first, by the clock.
    first: Option<Color>,
    is_order_unknown: bool,
    /// The flag that has been seen or claimed.
    pub legal: Option<Color>,
    /// The period that each is in, from 1.
    pub period: ByColor<usize>,
    /// The sheet must be completed before a piece is moved. 8.4 (8.5.2).
    sheet_due: ByColor<bool>,
}

impl Flags {
    pub(super) fn new(terms: &Terms) -> Self {
        Self {
            missing: ByColor::default(),
            down: ByColor::default(),
            first: None,
            is_order_unknown: false,
            legal: None,
            period: ByColor { white: terms.period, black: terms.period },
            sheet_due: ByColor::default(),
        }
    }

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
        if self.legal == Some(side) {
            self.legal = None;
        }
    }
}

impl Referee {
    /// A flag was seen or claimed: what is moved from now on does not count until it is ruled upon.
    pub(super) fn is_time_settled(&self) -> bool {
        self.flags.legal.is_some()
    }

    /// Whether what is moved or pressed from now on does not count: a flag is being ruled upon, or
    /// a claim has concluded the game.
    pub(super) fn is_play_over(&self) -> bool {
        self.is_time_settled() || self.is_concluded()
    }

    fn has_enough(&self, side: Color) -> bool {
        let n = self.flags.period[side];
        self.terms.required(side, n).is_some_and(|required| self.completed(side) >= required)
    }

    pub(super) fn on_flag(&mut self, side: Color) {
        self.say(Ruling::Flag { side });
        if self.result.is_some() || self.flags.down[side] || self.is_concluded() {
            return;
        }
        self.flags.down[side] = true;
        let are_both = self.flags.down[!side];
        if self.has_enough(side) {
            if are_both {
                self.log(Code::BothFlags, None);
            }
            self.flag_after_enough(side);
            return;
        }
        self.flags.missing[side] = true;
        self.flags.first.get_or_insert(side);
        match self.rules.flag_call {
            FlagCall::Called => self.call_flag(side),
            FlagCall::WhenBothDown | FlagCall::Never => {
                self.log(Code::FlagDownSilent, Some(side));
                self.may_act = Some(MayAct::OnRequest);
            }
        }
        if are_both {
            self.both_flags();
        }
    }

    /// The prescribed moves were completed: the next period begins. 6.3 (6.4).
    fn flag_after_enough(&mut self, side: Color) {
        self.log(Code::FlagEnoughMoves, Some(side));
        if self.terms.credit == PeriodCredit::OnZero {
            self.pass_period(side);
            self.flags.down[side] = false;
        }
        if self.rules.recording == Recording::NotRequired {
            return;
        }
        self.flags.sheet_due[side] = true;
        if self.clocks.left[!side] >= LOW {
            let (he, other) = (name(side), name(!side));
            let option = format!("{he} updates, may use {other}'s sheet on his own move");
            self.open(Case::Question, &[&option], MayAct::Yes);
        }
    }

    /// The flag fell with moves missing and the arbiter calls it.
    fn call_flag(&mut self, side: Color) {
        self.log(Code::FlagDown, Some(side));
        self.may_act = Some(MayAct::Yes);
        if self.terms.flag_watch == FlagWatch::Full {
            self.order_clock(ClockOrder::Stop);
            self.paused = Some(PausedBy::Arbiter);
        }
        self.open(Case::Flag(side), &[], MayAct::Yes);
        if self.terms.flag_witness == FlagWitness::Authoritative {
            self.witness_flag(side);
        }
    }

    fn both_flags(&mut self) {
        self.log(Code::BothFlags, None);
        let may_act = match self.rules.flag_call {
            FlagCall::Called | FlagCall::WhenBothDown => MayAct::Yes,
            FlagCall::Never => MayAct::OnRequest,
        };
        self.may_act = Some(may_act);
        let keeps_first = self.flags.legal.is_some();
        if !keeps_first {
            self.close(|case| matches!(case, Case::Flag(_)));
            self.open(Case::BothFlags, &[], may_act);
        }
    }

    /// Both flags were found down, and no source knows the order.
    pub(super) fn on_flags_unknown(&mut self) {
        for side in [Color::White, Color::Black] {
            self.say(Ruling::Flag { side });
            self.flags.down[side] = true;
            self.flags.missing[side] = !self.has_enough(side);
        }
        self.flags.is_order_unknown = true;
        if self.result.is_some() {
            return;
        }
        let missing = self.flags.missing;
        match (missing.white, missing.black) {
            (true, true) => self.both_flags(),
            (false, false) => {
                self.log(Code::BothFlags, None);
                for side in [Color::White, Color::Black] {
                    self.flag_after_enough(side);
                }
            }
            // Only one has moves missing: which flag was first does not matter.
            (white, _) => {
                let side = Color::from_white(white);
                self.log(Code::BothFlags, None);
                self.flag_after_enough(!side);
                self.call_flag(side);
            }
        }
    }

    /// The arbiter sees a flag, or a player claims it. Of two the first that was seen decides. 6.8,
    /// 6.9 (2005: 6.9, 6.10).
    pub(super) fn witness_flag(&mut self, side: Color) {
        let first = *self.flags.legal.get_or_insert(side);
        self.flags.missing[side] = true;
        if !self.has(|case| matches!(case, Case::Flag(known) if *known == side)) {
            self.open(Case::Flag(side), &[], MayAct::Yes);
        }
        self.raise(|case| matches!(case, Case::Flag(known) if *known == first));
    }

    /// The arbiter does not rule on the flag of `side`: it counts as up. The other's may be down.
    pub(super) fn dismiss_flag(&mut self, side: Color) {
        self.flags.raise(side);
        let is_known = self.has(|case| matches!(case, Case::Flag(known) if *known == !side));
        if self.flags.missing[!side] && !is_known && self.rules.flag_call == FlagCall::Called {
            self.open(Case::Flag(!side), &[], MayAct::Yes);
        }
    }

    pub(super) fn on_arbiter_flag(&mut self, side: Color) {
        if self.result.is_some() || self.is_concluded() {
            self.say(Ruling::Ignored);
        } else if self.has_enough(side) {
            self.log(Code::FlagEnoughMoves, Some(side));
        } else {
            self.log(Code::FlagDown, Some(side));
            self.witness_flag(side);
        }
    }

    /// The ruling on one flag. 6.9 (6.10).
    pub(super) fn confirm_flag(&mut self, flagged: Color) {
        let are_both = self.flags.down[Color::White] && self.flags.down[Color::Black];
        if are_both && self.rules.both_flags == BothFlags::Draw {
            self.finish(Code::TimeDraw, Score::DRAW, "both flags, rapid/blitz");
            return;
        }
        let pos = self.game.last().clone();
        if self.cannot_mate(&pos, !flagged) {
            let reason = "time, opponent cannot mate";
            self.finish_flagged(Code::TimeDraw, Score::DRAW, reason, Some(flagged));
        } else if self.is_mate_undecided(&pos, !flagged) {
            // Nobody has proven it either way: the arbiter decides.
            let options = ["lost on time", "draw, opponent cannot mate"];
            self.open(Case::Undecided(flagged), &options, MayAct::Yes);
        } else {
            self.finish_flagged(Code::TimeLoss, Score::win(!flagged), "time", Some(flagged));
        }
    }

    /// The ruling on two flags: the table of the Norwegian commentary.
    pub(super) fn confirm_both_flags(&mut self) {
        let is_last = self.terms.is_last(Color::White, self.flags.period[Color::White]);
        let is_shown = self.rules.both_flags == BothFlags::FirstLoses
            || self.terms.flag_witness == FlagWitness::Authoritative;
        let first = self.flags.first.filter(|_| is_shown && !self.flags.is_order_unknown);
        match (self.rules.both_flags, first) {
            (BothFlags::Draw, _) => {
                self.finish(Code::TimeDraw, Score::DRAW, "both flags, rapid/blitz");
            }
            (_, Some(first)) => self.confirm_flag(first),
            (_, None) if is_last => {
                let reason = "both flags, order unknown, last period";
                self.finish(Code::TimeDraw, Score::DRAW, reason);
            }
            (_, None) => {
                // Nobody can show who overstepped: the next move is the first of the next period,
                // 8.6.
                let n = self.flags.period[Color::White];
                if let Some(required) = self.terms.required(Color::White, n) {
                    self.game.renumber(required + 1);
                }
                self.flags.raise(Color::White);
                self.flags.raise(Color::Black);
                self.log_with(Code::ArbiterNote, None, "play on".to_owned());
            }
        }
    }

    pub(super) fn watch_low_time(&mut self) {
        if self.initial.is_none() || self.phase != super::Phase::Running {
            return;
        }
        for side in [Color::White, Color::Black] {
            let left = self.clocks.left[side];
            let bonus = self.terms.bonus_in(side, self.flags.period[side]);
            let has_bonus = matches!(bonus, Bonus::PerMove(span) if span >= ENOUGH_BONUS);
            let is_noted = self.rules.recording == Recording::Required && !has_bonus;
            if is_noted && left < LOW && !self.low_time[side] && !self.flags.down[side] {
                self.low_time[side] = true;
                self.log(Code::LowTime, Some(side));
            }
            let may = match self.rules.quickplay_claim {
                QuickplayClaim::AnyPlayer => true,
                QuickplayClaim::PlayerOnMove => self.mover() == side,
                QuickplayClaim::IfAnnounced => self.terms.has_announced("III.5"),
                QuickplayClaim::Nobody => false,
            };
            let is_short = left < QUICKPLAY && !left.is_zero() && self.is_quickplay(side);
            if may && is_short && !self.quickplay_noted[side] {
                self.quickplay_noted[side] = true;
                self.log(Code::QuickplayWindow, Some(side));
            }
        }
    }

    /// After a flag the sheet must be complete before a piece is moved.
    pub(super) fn ask_for_sheet(&mut self, by: Color) {
        if std::mem::take(&mut self.flags.sheet_due[by]) {
            self.open(Case::Question, &["sheet complete", "stop and update"], MayAct::Yes);
        }
    }

    pub(super) fn sheets_ok(&mut self) {
        self.flags.sheet_due = ByColor::default();
        self.log_with(Code::ArbiterNote, None, "score sheets complete".to_owned());
    }
}

const fn name(side: Color) -> &'static str {
    match side {
        Color::White => "White",
        Color::Black => "Black",
    }
}
