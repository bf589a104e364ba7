//! Claims: draws under Articles 9 and 10, touches, illegal moves, time, array.

use super::super::code::Code;
use super::super::declaration::{Claim, Ground};
use super::super::edition::Pace;
use super::super::profile::{
    ClaimStops, ClaimantTime, Fault, FlagCall, IllegalRaised, LapsesBy, QuickplayClaim,
};
use super::super::said::{Binding, ClockOrder, OfferState, Ruling, Verdict};
use super::super::score::Score;
use super::super::terms::{Bonus, Venue};
use super::Referee;
use super::clock::PausedBy;
use super::illegal::NO_MOVE;
use super::matter::{Case, MayAct};
use shakmaty::san::San;
use shakmaty::{Color, Position};
use std::time::Duration;

/// In the last two minutes a draw may be claimed under Article 10.2 (Guideline III.5).
const QUICKPLAY: Duration = Duration::from_secs(120);
/// Half-moves without a capture or a pawn move that make fifty moves of each.
const FIFTY: u32 = 100;

/// What an open claim asks for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    Threefold,
    Fifty,
    Quickplay(Option<Ground>),
    Increment,
}

/// A claim that the arbiter is to decide.
#[derive(Clone, Debug)]
pub(super) struct Open {
    /// By which it is named.
    pub number: u32,
    pub by: Color,
    pub asked: Asked,
    pub verdict: Verdict,
    pub san: Option<San>,
    pub is_postponed: bool,
}

impl Asked {
    const fn kind(self) -> &'static str {
        match self {
            Self::Threefold => "threefold",
            Self::Fifty => "fifty",
            Self::Quickplay(_) => "quickplay",
            Self::Increment => "increment",
        }
    }

    const fn reason(self) -> &'static str {
        match self {
            Self::Threefold => "threefold",
            Self::Fifty => "fifty moves",
            Self::Quickplay(_) | Self::Increment => "quickplay finish",
        }
    }
}

impl Referee {
    pub(super) fn on_claim(&mut self, by: Color, claim: &Claim) {
        if self.cx.is_over() {
            self.inadmissible(by, claim.kind(), "the game is over");
            return;
        }
        // Why the clocks were stopped is answered.
        self.cx.matters.close(|case| matches!(case, Case::Reason));
        match claim {
            Claim::Touch => self.claim_touch(by),
            Claim::Illegal => self.claim_illegal(by),
            Claim::Time => self.claim_time(by),
            Claim::Threefold(san) => self.claim_draw(by, Asked::Threefold, san.as_ref()),
            Claim::Fifty(san) => self.claim_draw(by, Asked::Fifty, san.as_ref()),
            Claim::Quickplay(ground) => self.claim_quickplay(by, *ground),
            Claim::Setup => self.claim_setup(by),
            Claim::Defect => self.cx.out.log(Code::ClaimDefect, Some(by)),
            Claim::ClockWrong => self.claim_clock(by),
        }
    }

    pub(super) fn inadmissible(&mut self, by: Color, kind: &'static str, why: &str) {
        self.cx.out.say(Ruling::Claimed { kind, by, verdict: Verdict::Inadmissible, san: None });
        self.cx.out.refuse(Some(by), why);
    }

    fn claimed(&mut self, by: Color, kind: &'static str, verdict: Verdict, san: Option<String>) {
        self.cx.out.say(Ruling::Claimed { kind, by, verdict, san });
    }

    fn claim_touch(&mut self, by: Color) {
        let Some(breach) = self.breaches.iter().rev().find(|breach| breach.by != by).cloned()
        else {
            self.inadmissible(by, "touch", "no breach can be claimed now");
            return;
        };
        self.cx.out.log(Code::ClaimTouch, Some(by));
        self.claimed(by, "touch", Verdict::Correct, None);
        self.cx.open(Case::Touch(breach), &["enforce", "dismiss"], MayAct::Yes);
    }

    fn claim_illegal(&mut self, by: Color) {
        if self.claims_empty_press(by) {
            return;
        }
        let found = self.cx.matters.illegal_case().filter(|known| known.by != by).cloned();
        let Some(found) = found else {
            self.refuse_illegal(by);
            return;
        };
        if found.is_lapsed && !found.is_claimed {
            self.inadmissible(by, "illegal", "a piece was touched before the claim");
            return;
        }
        let is_answered = self.cx.game.len() > found.ply + 1;
        if is_answered && self.cx.rules.illegal.raised != IllegalRaised::AnyTime {
            self.inadmissible(by, "illegal", "the move has been answered");
            return;
        }
        self.cx.out.log(Code::ClaimIllegal, Some(by));
        self.claimed(by, "illegal", Verdict::Correct, None);
        let nth = self.illegal[found.by] + 1;
        self.cx.out.say(Ruling::IllegalCompleted { by: found.by, nth, why: found.why });
        self.cx.matters.claim_illegal();
    }

    /// From 2018 a press without a move counts as an illegal move, which the opponent may claim.
    /// 7.5.3, A.4.2 (A.5.2), B. True if there is one of his opponent.
    fn claims_empty_press(&mut self, by: Color) -> bool {
        let is_it =
            |case: &Case| matches!(case, Case::EmptyPress { by: known, .. } if *known != by);
        let ply = self.cx.matters.iter().rev().find_map(|matter| match matter.case {
            Case::EmptyPress { ply, .. } if is_it(&matter.case) => Some(ply),
            _ => None,
        });
        let Some(ply) = ply.filter(|_| self.cx.rules.empty_press == Fault::IllegalMove) else {
            return false;
        };
        let is_answered =
            self.cx.game.plies()[ply.min(self.cx.game.len())..].iter().any(|it| it.by == by);
        if is_answered && self.cx.rules.illegal.raised != IllegalRaised::AnyTime {
            self.inadmissible(by, "illegal", "it has been answered by a move");
            return true;
        }
        self.cx.out.log(Code::ClaimIllegal, Some(by));
        self.claimed(by, "illegal", Verdict::Correct, None);
        let nth = self.illegal[!by] + 1;
        self.cx.out.say(Ruling::IllegalCompleted { by: !by, nth, why: NO_MOVE });
        self.cx.matters.set_may_act(MayAct::Yes);
        self.cx.matters.raise(is_it);
        true
    }

    /// There is none, or none that may be claimed any more.
    fn refuse_illegal(&mut self, by: Color) {
        if self.cx.game.plies().iter().any(|ply| ply.is_illegal && ply.by != by) {
            self.inadmissible(by, "illegal", "no illegal move can be claimed now");
        } else {
            self.claimed(by, "illegal", Verdict::Incorrect, None);
            self.cx.out.refuse(Some(by), "the record shows no illegal move of the opponent");
        }
    }

    fn claim_time(&mut self, by: Color) {
        let flagged = !by;
        if !self.flags.is_missing(flagged) {
            self.claimed(by, "time", Verdict::Incorrect, None);
            self.cx.out.refuse(Some(by), "the flag is up, or the moves were completed");
            return;
        }
        if self.cx.matters.flag_seen() == Some(by) {
            self.claimed(by, "time", Verdict::Incorrect, None);
            self.cx.out.refuse(Some(by), "the claimant's own flag was seen before");
            return;
        }
        let must_be_up = self.cx.rules.flag_call != FlagCall::Called;
        if must_be_up && self.flags.is_down(by) {
            self.claimed(by, "time", Verdict::Incorrect, None);
            self.cx.out.refuse(Some(by), "the claimant's own flag is down");
            return;
        }
        self.cx.out.log(Code::ClaimTime, Some(by));
        self.claimed(by, "time", Verdict::Correct, None);
        self.witness_flag(flagged);
    }

    fn claim_draw(&mut self, by: Color, asked: Asked, san: Option<&San>) {
        let kind = asked.kind();
        let has_touched = !self.turn.touches.is_empty();
        let is_late = self.cx.rules.claim_lost_by == LapsesBy::Touch && has_touched;
        if self.cx.matters.flag_seen().is_some() {
            self.inadmissible(by, kind, "a flag has been seen down");
            return;
        }
        if by != self.cx.mover() {
            self.inadmissible(by, kind, "the player is not on move");
            return;
        }
        if is_late {
            self.inadmissible(by, kind, "a piece was touched before the claim");
            return;
        }
        let history = &self.cx.game;
        let announced = match san {
            None => None,
            Some(san) => match san.to_move(history.last()) {
                Ok(m) => Some(m),
                Err(_) => {
                    self.inadmissible(by, kind, "the announced move is not legal");
                    return;
                }
            },
        };
        let mut after = history.last().clone();
        let mut n = usize::from(announced.is_some());
        if let Some(m) = announced {
            after.play_unchecked(m);
        }
        n += history.occurrences_of(&after);
        let is_right = match asked {
            Asked::Threefold => n >= 3,
            _ => after.halfmoves() >= FIFTY,
        };
        let n_plies = history.len() + usize::from(announced.is_some());
        let verdict = match is_right {
            true => Verdict::Correct,
            false if history.may_have_stood_unseen(&after, n_plies) => Verdict::Unknown,
            false => Verdict::Incorrect,
        };
        let code = if asked == Asked::Threefold { Code::ClaimThreefold } else { Code::ClaimFifty };
        self.cx.out.log(code, Some(by));
        self.claimed(by, kind, verdict, san.map(ToString::to_string));
        let (number, san) = (self.cx.matters.next_number(), san.cloned());
        self.open_claim(Open { number, by, asked, verdict, san, is_postponed: false });
    }

    fn open_claim(&mut self, open: Open) {
        let by = open.by;
        if self.cx.rules.claim_stops == ClaimStops::Must && self.cx.clock.running().is_some() {
            self.cx.out.log_with(
                Code::ArbiterNote,
                Some(by),
                "he had to stop the clocks".to_owned(),
            );
        }
        self.claim = Some(open);
        self.offers.open(&mut self.cx, by);
        self.cx.order_clock(ClockOrder::Stop);
        self.cx.clock.pause(PausedBy::Player(by));
    }

    /// The claimant has made a move instead of waiting: what he claimed by touching is gone.
    pub(super) fn claim_lapses(&mut self, by: Color) {
        let is_over = |open: &Open| open.by == by && !open.is_postponed;
        if self.claim.as_ref().is_some_and(is_over) {
            self.claim = None;
        }
    }

    fn claim_quickplay(&mut self, by: Color, ground: Option<Ground>) {
        let is_on_move = by == self.cx.mover();
        let is_without = self.cx.terms.venue == Venue::WithoutArbiter;
        let may = match self.cx.rules.quickplay_claim {
            QuickplayClaim::AnyPlayer => true,
            // Where nobody can come, "a player" may claim. D1 (III.6.1).
            QuickplayClaim::PlayerOnMove => is_on_move || is_without,
            QuickplayClaim::IfAnnounced if is_without => {
                self.cx.terms.has_announced("III.6") || self.cx.terms.has_announced("III.5")
            }
            QuickplayClaim::IfAnnounced => is_on_move && self.cx.terms.has_announced("III.5"),
            QuickplayClaim::Nobody => false,
        };
        let why = if self.cx.rules.quickplay_claim == QuickplayClaim::Nobody {
            "no such claim in this form of chess"
        } else if self.cx.matters.flag_seen().is_some() {
            "a flag has been seen down"
        } else if !self.is_quickplay(by) {
            "not the last period of a game without increments"
        } else if !may {
            "not this player's claim"
        } else if self.cx.clock.left(by) >= QUICKPLAY {
            "two minutes or more are left"
        } else if self.flags.is_down(by) {
            "the flag is down"
        } else {
            self.open_quickplay(by, ground);
            return;
        };
        self.inadmissible(by, "quickplay", why);
    }

    /// Whether `side` is in the last period of a game in which nothing is added for a move.
    pub(super) fn is_quickplay(&self, side: Color) -> bool {
        let n = self.cx.clock.period(side);
        self.cx.terms.bonus_in(side, n) == Bonus::Nothing && self.cx.terms.is_last(side, n)
    }

    fn open_quickplay(&mut self, by: Color, ground: Option<Ground>) {
        let asked = Asked::Quickplay(ground);
        let (number, verdict) = (self.cx.matters.next_number(), Verdict::Correct);
        let open = Open { number, by, asked, verdict, san: None, is_postponed: false };
        if self.cx.terms.venue == Venue::WithoutArbiter {
            self.conclude_without_arbiter(open);
            return;
        }
        self.cx.out.log(Code::ClaimQuickplay, Some(by));
        self.open_claim(open);
        self.cx.open(Case::Question, &["draw", "postpone", "reject"], MayAct::Yes);
    }

    /// Without an arbiter in the venue the claim concludes the game: no flag falls after it, no
    /// move counts, and an arbiter decides later. 2005, 2009: Art. D1. From 2018: Guideline III.6.
    fn conclude_without_arbiter(&mut self, open: Open) {
        let by = open.by;
        self.open_claim(open);
        self.write_down(by);
        self.cx.open(Case::Question, &["draw", "loss"], MayAct::Yes);
    }

    /// What the arbiter needs who decides later is written down.
    fn write_down(&mut self, by: Color) {
        let Some(Open { asked: Asked::Quickplay(ground), .. }) = self.claim else { return };
        let parts = match ground {
            Some(Ground::NoEffort) => {
                vec!["final position", "complete scoresheet", "opponent confirmation of both"]
            }
            _ => vec!["final position", "opponent confirmation"],
        };
        self.cx.out.log(Code::ClaimQuickplay, Some(by));
        self.cx.out.say(Ruling::Package { parts });
    }

    /// Whether a claim has concluded the game, and an arbiter who is not there decides on it later.
    pub(super) fn is_concluded(&self) -> bool {
        let is_quickplay = |open: &Open| matches!(open.asked, Asked::Quickplay(_));
        self.cx.terms.venue == Venue::WithoutArbiter
            && self.claim.as_ref().is_some_and(is_quickplay)
    }

    /// The claimant stops the clocks too: the papers are for him. True if it is so.
    pub(super) fn asks_without_arbiter(&mut self, by: Color) -> bool {
        let is_his = self.is_concluded() && self.claim.as_ref().is_some_and(|it| it.by == by);
        if is_his {
            self.write_down(by);
        }
        is_his
    }

    pub(super) fn on_request_increment(&mut self, by: Color) {
        let is_short = self.cx.clock.left(by) < QUICKPLAY && !self.flags.is_down(by);
        // III.2.2: not in blitz.
        let is_announced =
            self.cx.terms.has_announced("III.4") && self.cx.terms.pace() != Pace::Blitz;
        if !is_announced || !is_short || !self.is_quickplay(by) || by != self.cx.mover() {
            self.cx.out.refuse(Some(by), "no increment can be asked for");
            return;
        }
        self.cx.out.log(Code::ClaimQuickplay, Some(by));
        let (asked, verdict) = (Asked::Increment, Verdict::Correct);
        let number = self.cx.matters.next_number();
        self.claim = Some(Open { number, by, asked, verdict, san: None, is_postponed: false });
        self.offers.open(&mut self.cx, by);
        self.cx.open(Case::Question, &["grant", "reject"], MayAct::Yes);
    }

    fn claim_setup(&mut self, by: Color) {
        self.cx.out.log(Code::ClaimSetup, Some(by));
        if self.is_setup_late() {
            self.inadmissible(by, "setup", "too many moves have been completed");
        } else if self.is_array_wrong {
            self.cx.out.log(Code::BadSetup, None);
            self.claimed(by, "setup", Verdict::Correct, None);
            self.cx.open(Case::WrongArray, &["new game", "play on"], MayAct::Yes);
        } else {
            self.claimed(by, "setup", Verdict::Incorrect, None);
            self.cx.out.refuse(Some(by), "the game began from its initial array");
        }
    }

    fn is_setup_late(&self) -> bool {
        let Some(limit) = self.cx.rules.setup_claims else { return false };
        let n = u32::from(limit);
        [Color::White, Color::Black].into_iter().all(|side| self.cx.completed(side) >= n)
    }

    fn claim_clock(&mut self, by: Color) {
        self.cx.out.log(Code::ClaimSetup, Some(by));
        if self.is_setup_late() {
            self.inadmissible(by, "clock_wrong", "too many moves have been completed");
        }
    }

    pub(super) fn on_withdraw_claim(&mut self, by: Color) {
        self.cx.out.refuse(Some(by), "a claim cannot be withdrawn");
        if let Some(open) = self.claim.clone().filter(|open| open.by == by) {
            let san = open.san.map(|san| san.to_string());
            self.claimed(by, open.asked.kind(), open.verdict, san);
        }
    }

    /// The arbiter confirms what the record says to the claim.
    pub(super) fn confirm_claim(&mut self, open: &Open) {
        if matches!(open.verdict, Verdict::Correct | Verdict::Unknown) {
            self.cx.finish(Code::ClaimUpheld, Score::DRAW, open.asked.reason());
            return;
        }
        let opponent = !open.by;
        let rule = self.cx.rules.wrong_claim;
        let row = self.row_of_claim();
        self.cx.out.say(Ruling::Penalty { to: opponent, span: rule.give, row });
        self.cx.order_clock(ClockOrder::Add(opponent, rule.give));
        if rule.claimant == ClaimantTime::Halved {
            let before = self.cx.clock.left(open.by);
            let after = rule.claimant.after(before);
            if after < before {
                let span = before.saturating_sub(after);
                self.cx.out.say(Ruling::Deducted { from: open.by, span, row });
                self.cx.order_clock(ClockOrder::Set(open.by, after));
            }
        }
        if let Some(san) = &open.san {
            self.turn.carried = Some(Binding::Play(san.to_string()));
        }
        self.claim = None;
    }

    /// A judgment on a claim under Article 10.2 or Guideline III.
    pub(super) fn on_judgment(&mut self, judgment: super::super::order::Judgment) {
        use super::super::order::Judgment;
        if judgment == Judgment::Draw
            && self.cx.matters.close(|case| matches!(case, Case::Undecided(_)))
        {
            let reason = "time, opponent cannot mate";
            self.cx.finish(Code::TimeDraw, Score::DRAW, reason);
            return;
        }
        let Some(open) = self.claim.clone().or_else(|| self.postponed.clone()) else {
            self.cx.out.refuse(None, "no claim is open");
            return;
        };
        self.cx.matters.close(|case| matches!(case, Case::Question));
        let by = open.by;
        match judgment {
            Judgment::Draw => {
                self.claim = None;
                self.postponed = None;
                self.cx.finish(Code::ClaimUpheld, Score::DRAW, open.asked.reason());
            }
            Judgment::Loss => {
                self.cx.finish(Code::ArbiterResult, Score::win(!by), "claim rejected")
            }
            Judgment::Postpone | Judgment::PostponeOnly => {
                self.cx.out.log_with(Code::ArbiterNote, Some(by), "decision postponed".to_owned());
                self.claim = None;
                let is_first = self.postponed.is_none();
                self.postponed = Some(Open { is_postponed: true, ..open });
                if judgment == Judgment::Postpone && is_first {
                    self.give_two_minutes(!by, "L10.2b");
                }
            }
            Judgment::Reject => {
                self.claim = None;
                self.postponed = None;
                self.give_two_minutes(!by, "L10.2c");
            }
            Judgment::Grant => {
                self.claim = None;
                self.give_two_minutes(!by, "LM.III.4");
                let per_move = Duration::from_secs(5);
                self.cx.out.say(Ruling::Mode { per_move });
                self.cx.order_clock(ClockOrder::Increment(per_move));
            }
        }
        self.was_final = matches!(judgment, Judgment::Draw | Judgment::Reject);
    }

    fn give_two_minutes(&mut self, to: Color, row: &'static str) {
        self.cx.out.say(Ruling::Penalty { to, span: QUICKPLAY, row });
        self.cx.order_clock(ClockOrder::Add(to, QUICKPLAY));
    }

    /// How the offer of `by` stands. One that is open lapses with the end of the game.
    pub fn offer(&self, by: Color) -> Option<OfferState> {
        match self.offers.state(by) {
            Some(OfferState::Open) if self.cx.is_over() => Some(OfferState::Lapsed),
            state => state,
        }
    }
}
