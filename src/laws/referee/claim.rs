//! Claims: draws under Articles 9 and 10, touches, illegal moves, time, array.

use super::super::code::Code;
use super::super::declaration::Ground;
use super::super::edition::Pace;
use super::super::order_words::Judgment;
use super::super::profile::{ClaimStops, LapsesBy, QuickplayClaim};
use super::super::said::{Binding, ClockOrder, Ruling, Verdict};
use super::super::score::Score;
use super::super::terms::Venue;
use super::clock::PausedBy;
use super::context::Context;
use super::matter::{Case, MayAct};
use super::offer::Offers;
use super::penalty::row_of_claim;
use shakmaty::san::San;
use shakmaty::{Color, Position};
use std::time::Duration;

/// In the last two minutes a draw may be claimed under Article 10.2 (Guideline III.5).
const QUICKPLAY: Duration = Duration::from_secs(120);
/// Half-moves without a capture or a pawn move that make fifty moves of each.
const FIFTY: u32 = 100;
/// Why a claim waits for no other: it cannot be withdrawn, 9.5.
const UNDECIDED: &str = "a claim is open that was not decided";

/// What an open claim asks for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum ClaimKind {
    Threefold,
    Fifty,
    Quickplay(Option<Ground>),
    Increment,
}

/// A claim that the arbiter is to decide.
#[derive(Clone, Debug)]
pub(super) struct OpenClaim {
    /// By which it is named.
    pub number: u32,
    pub by: Color,
    pub asked: ClaimKind,
    pub verdict: Verdict,
    pub san: Option<San>,
}

impl OpenClaim {
    /// Whether the record decides what is claimed, so that it is confirmed or dismissed.
    pub(super) fn is_for_the_record(&self) -> bool {
        matches!(self.asked, ClaimKind::Threefold | ClaimKind::Fifty)
    }
}

impl ClaimKind {
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

/// The claims of a draw.
#[derive(Clone, Debug)]
pub(super) struct Claims {
    /// It stopped play.
    open: Option<OpenClaim>,
    /// The arbiter has not decided it yet, while play goes on. 10.2b.
    postponed: Option<OpenClaim>,
    /// The last decision is final. 10.2d.
    was_final: bool,
    /// The game began from a wrong array.
    is_array_wrong: bool,
}

impl Claims {
    pub(super) fn new(is_array_wrong: bool) -> Self {
        Self { open: None, postponed: None, was_final: false, is_array_wrong }
    }

    /// Whether play stands still for a claim. For an increment that is asked for it does not.
    pub(super) fn stops_play(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.asked != ClaimKind::Increment)
    }

    /// The claims that the arbiter has not decided.
    pub(super) fn undecided(&self) -> impl Iterator<Item = &OpenClaim> {
        self.open.iter().chain(&self.postponed)
    }

    /// The claim that stopped play is none any more.
    pub(super) fn drop_open(&mut self) -> Option<OpenClaim> {
        self.open.take()
    }

    /// The claim that stopped play is decided later, and play goes on.
    pub(super) fn put_off(&mut self) {
        if self.stops_play() {
            self.postponed = self.open.take();
        }
    }

    /// Whether the record decides what is claimed, so that it is confirmed or dismissed.
    pub(super) fn is_for_the_record(&self) -> bool {
        self.undecided().any(OpenClaim::is_for_the_record)
    }

    /// The claim that is dismissed: the one that stopped play, or one that the record decides.
    pub(super) fn dismiss(&mut self) -> bool {
        let postponed = || self.postponed.take_if(|it| it.is_for_the_record());
        self.open.take().or_else(postponed).is_some()
    }

    /// Whether the decision on the last claim was final; that is answered once.
    pub(super) fn take_final(&mut self) -> bool {
        std::mem::take(&mut self.was_final)
    }

    /// The third occurrence or fifty moves are claimed, of the position that stands or that `san`
    /// would lead to.
    pub(super) fn claim_draw(
        &mut self,
        cx: &mut Context,
        offers: &mut Offers,
        by: Color,
        (asked, san): (ClaimKind, Option<&San>),
        has_touched: bool,
    ) {
        let kind = asked.kind();
        let is_late = cx.rules.claim_lost_by == LapsesBy::Touch && has_touched;
        if cx.matters.flag_seen().is_some() {
            cx.out.inadmissible(by, kind, "a flag has been seen down");
            return;
        }
        if self.stops_play() {
            cx.out.inadmissible(by, kind, UNDECIDED);
            return;
        }
        if by != cx.mover() {
            cx.out.inadmissible(by, kind, "the player is not on move");
            return;
        }
        if is_late {
            cx.out.inadmissible(by, kind, "a piece was touched before the claim");
            return;
        }
        let history = &cx.game;
        let announced = match san {
            None => None,
            Some(san) => match san.to_move(history.last()) {
                Ok(m) => Some(m),
                Err(_) => {
                    cx.out.inadmissible(by, kind, "the announced move is not legal");
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
            ClaimKind::Threefold => n >= 3,
            _ => after.halfmoves() >= FIFTY,
        };
        let n_plies = history.len() + usize::from(announced.is_some());
        let verdict = match is_right {
            true => Verdict::Correct,
            false if history.may_have_stood_unseen(&after, n_plies) => Verdict::Unknown,
            false => Verdict::Incorrect,
        };
        let code =
            if asked == ClaimKind::Threefold { Code::ClaimThreefold } else { Code::ClaimFifty };
        cx.out.log(code, Some(by));
        cx.out.claimed(by, kind, verdict, san.map(ToString::to_string));
        let (number, san) = (cx.matters.next_number(), san.cloned());
        self.open_claim(cx, offers, OpenClaim { number, by, asked, verdict, san });
    }

    fn open_claim(&mut self, cx: &mut Context, offers: &mut Offers, open: OpenClaim) {
        let by = open.by;
        if cx.rules.claim_stops == ClaimStops::Must && cx.clock.running().is_some() {
            let facts = "he had to stop the clocks".to_owned();
            cx.out.log_with(Code::ArbiterNote, Some(by), facts);
        }
        self.open = Some(open);
        offers.open(cx, by);
        cx.order_clock(ClockOrder::Stop);
        cx.clock.pause(PausedBy::Player(by));
    }

    /// A draw is claimed in the last two minutes. `is_down` is the claimant's flag.
    pub(super) fn claim_quickplay(
        &mut self,
        cx: &mut Context,
        offers: &mut Offers,
        by: Color,
        ground: Option<Ground>,
        is_down: bool,
    ) {
        let is_on_move = by == cx.mover();
        let is_without = cx.terms.venue == Venue::WithoutArbiter;
        let may = match cx.rules.quickplay_claim {
            QuickplayClaim::AnyPlayer => true,
            // Where nobody can come, "a player" may claim. D1 (III.6.1).
            QuickplayClaim::PlayerOnMove => is_on_move || is_without,
            QuickplayClaim::IfAnnounced if is_without => {
                cx.terms.has_announced("III.6") || cx.terms.has_announced("III.5")
            }
            QuickplayClaim::IfAnnounced => is_on_move && cx.terms.has_announced("III.5"),
            QuickplayClaim::Nobody => false,
        };
        let why = if cx.rules.quickplay_claim == QuickplayClaim::Nobody {
            "no such claim in this form of chess"
        } else if cx.matters.flag_seen().is_some() {
            "a flag has been seen down"
        } else if self.stops_play() {
            UNDECIDED
        } else if !cx.is_quickplay(by) {
            "not the last period of a game without increments"
        } else if !may {
            "not this player's claim"
        } else if cx.clock.left(by) >= QUICKPLAY {
            "two minutes or more are left"
        } else if is_down {
            "the flag is down"
        } else {
            self.open_quickplay(cx, offers, by, ground);
            return;
        };
        cx.out.inadmissible(by, "quickplay", why);
    }

    fn open_quickplay(
        &mut self,
        cx: &mut Context,
        offers: &mut Offers,
        by: Color,
        ground: Option<Ground>,
    ) {
        let asked = ClaimKind::Quickplay(ground);
        let (number, verdict) = (cx.matters.next_number(), Verdict::Correct);
        let open = OpenClaim { number, by, asked, verdict, san: None };
        if cx.terms.venue == Venue::WithoutArbiter {
            self.conclude_without_arbiter(cx, offers, open);
            return;
        }
        cx.out.log(Code::ClaimQuickplay, Some(by));
        self.open_claim(cx, offers, open);
        cx.open(Case::Question, &["draw", "postpone", "reject"], MayAct::Yes);
    }

    /// Without an arbiter in the venue the claim concludes the game: no flag falls after it, no
    /// move counts, and an arbiter decides later. 2005, 2009: Art. D1. From 2018: Guideline III.6.
    fn conclude_without_arbiter(&mut self, cx: &mut Context, offers: &mut Offers, open: OpenClaim) {
        let by = open.by;
        self.open_claim(cx, offers, open);
        self.write_down(cx, by);
        cx.open(Case::Question, &["draw", "loss"], MayAct::Yes);
    }

    /// What the arbiter needs who decides later is written down.
    fn write_down(&self, cx: &mut Context, by: Color) {
        let Some(OpenClaim { asked: ClaimKind::Quickplay(ground), .. }) = self.open else { return };
        let parts = match ground {
            Some(Ground::NoEffort) => {
                vec!["final position", "complete scoresheet", "opponent confirmation of both"]
            }
            _ => vec!["final position", "opponent confirmation"],
        };
        cx.out.log(Code::ClaimQuickplay, Some(by));
        cx.out.say(Ruling::Package { parts });
    }

    /// Whether a claim has concluded the game, and an arbiter who is not there decides on it later.
    pub(super) fn is_concluded(&self, cx: &Context) -> bool {
        let is_quickplay = |open: &OpenClaim| matches!(open.asked, ClaimKind::Quickplay(_));
        cx.terms.venue == Venue::WithoutArbiter && self.open.as_ref().is_some_and(is_quickplay)
    }

    /// The claimant stops the clocks too: the papers are for him. True if it is so.
    pub(super) fn asks_without_arbiter(&self, cx: &mut Context, by: Color) -> bool {
        let is_his = self.is_concluded(cx) && self.open.as_ref().is_some_and(|it| it.by == by);
        if is_his {
            self.write_down(cx, by);
        }
        is_his
    }

    pub(super) fn on_request_increment(
        &mut self,
        cx: &mut Context,
        offers: &mut Offers,
        by: Color,
        is_down: bool,
    ) {
        let is_short = cx.clock.left(by) < QUICKPLAY && !is_down;
        // III.2.2: not in blitz.
        let is_announced = cx.terms.has_announced("III.4") && cx.terms.pace() != Pace::Blitz;
        let may_ask = by == cx.mover() && !self.stops_play();
        if !is_announced || !is_short || !cx.is_quickplay(by) || !may_ask {
            cx.out.refuse(Some(by), "no increment can be asked for");
            return;
        }
        cx.out.log(Code::ClaimQuickplay, Some(by));
        let (asked, verdict) = (ClaimKind::Increment, Verdict::Correct);
        let number = cx.matters.next_number();
        self.open = Some(OpenClaim { number, by, asked, verdict, san: None });
        offers.open(cx, by);
        cx.open(Case::Question, &["grant", "reject"], MayAct::Yes);
    }

    pub(super) fn claim_setup(&self, cx: &mut Context, by: Color) {
        cx.out.log(Code::ClaimSetup, Some(by));
        if is_setup_late(cx) {
            cx.out.inadmissible(by, "setup", "too many moves have been completed");
        } else if self.is_array_wrong {
            cx.out.log(Code::BadSetup, None);
            cx.out.claimed(by, "setup", Verdict::Correct, None);
            cx.open(Case::WrongArray, &["new game", "play on"], MayAct::Yes);
        } else {
            cx.out.incorrect(by, "setup", "the game began from its initial array");
        }
    }

    /// A player says that the clock was set wrong. `is_from_start` if how it was set can be known.
    pub(super) fn claim_clock(cx: &mut Context, by: Color, is_from_start: bool) {
        const KIND: &str = "clock_wrong";
        cx.out.log(Code::ClaimSetup, Some(by));
        if is_setup_late(cx) {
            cx.out.inadmissible(by, KIND, "too many moves have been completed");
            return;
        }
        match cx.clock.was_misset(&cx.terms).filter(|_| is_from_start) {
            Some(false) => {
                cx.out.incorrect(by, KIND, "the clock began with what was announced, or was set");
                return;
            }
            Some(true) => {
                cx.out.log(Code::ClockMisset, None);
                cx.out.claimed(by, KIND, Verdict::Correct, None);
                // Whoever finds it stops the clock at once. 6.10b (6.10.2).
                cx.order_clock(ClockOrder::Stop);
                cx.clock.pause(PausedBy::Player(by));
            }
            None => cx.out.claimed(by, KIND, Verdict::Unknown, None),
        }
        cx.open(Case::Misset, &["set it right", "play on"], MayAct::Yes);
    }

    pub(super) fn on_withdraw(&self, cx: &mut Context, by: Color) {
        cx.out.refuse(Some(by), "a claim cannot be withdrawn");
        if let Some(open) = self.open.clone().filter(|open| open.by == by) {
            let san = open.san.map(|san| san.to_string());
            cx.out.claimed(by, open.asked.kind(), open.verdict, san);
        }
    }

    /// The arbiter confirms what the record says to the claim. What it announced binds if it was
    /// wrong, unless the claimant has moved meanwhile: it is the opponent's turn then.
    pub(super) fn confirm(&mut self, cx: &mut Context) -> Option<Binding> {
        let is_put_off = !self.open.as_ref().is_some_and(OpenClaim::is_for_the_record);
        let open = if is_put_off { self.postponed.take()? } else { self.open.take()? };
        if matches!(open.verdict, Verdict::Correct | Verdict::Unknown) {
            cx.finish(Code::ClaimUpheld, Score::DRAW, open.asked.reason());
            return None;
        }
        let opponent = !open.by;
        let rule = cx.rules.wrong_claim;
        let row = row_of_claim(&cx.terms);
        cx.out.say(Ruling::Penalty { to: opponent, span: rule.give, row });
        cx.order_clock(ClockOrder::Add(opponent, rule.give));
        let before = cx.clock.left(open.by);
        let after = rule.claimant.after(before);
        if after < before {
            let span = before.saturating_sub(after);
            cx.out.say(Ruling::Deducted { from: open.by, span, row });
            cx.order_clock(ClockOrder::Set(open.by, after));
        }
        let is_his_turn = !is_put_off && cx.mover() == open.by;
        open.san.filter(|_| is_his_turn).map(|san| Binding::Play(san.to_string()))
    }

    /// A judgment on a claim under Article 10.2 or Guideline III.
    pub(super) fn on_judgment(&mut self, cx: &mut Context, judgment: Judgment) {
        if judgment == Judgment::Draw && cx.matters.close(|case| matches!(case, Case::Undecided(_)))
        {
            let reason = "time, opponent cannot mate";
            cx.finish(Code::TimeDraw, Score::DRAW, reason);
            return;
        }
        let Some(open) = self.open.clone().or_else(|| self.postponed.clone()) else {
            cx.out.refuse(None, "no claim is open");
            return;
        };
        cx.matters.close(|case| matches!(case, Case::Question));
        let by = open.by;
        match judgment {
            Judgment::Draw => {
                self.open = None;
                self.postponed = None;
                cx.finish(Code::ClaimUpheld, Score::DRAW, open.asked.reason());
            }
            Judgment::Loss => {
                cx.finish(Code::ArbiterResult, Score::win(!by), "claim rejected");
            }
            Judgment::Postpone | Judgment::PostponeOnly => {
                cx.out.log_with(Code::ArbiterNote, Some(by), "decision postponed".to_owned());
                self.open = None;
                let is_first = self.postponed.is_none();
                self.postponed = Some(open);
                if judgment == Judgment::Postpone && is_first {
                    give_two_minutes(cx, !by, "L10.2b");
                }
            }
            Judgment::Reject => {
                self.open = None;
                self.postponed = None;
                give_two_minutes(cx, !by, "L10.2c");
            }
            Judgment::Grant => {
                self.open = None;
                give_two_minutes(cx, !by, "LM.III.4");
                let per_move = Duration::from_secs(5);
                cx.terms.add_per_move(per_move);
                cx.out.say(Ruling::Mode { per_move });
                cx.order_clock(ClockOrder::Increment(per_move));
            }
        }
        self.was_final = matches!(judgment, Judgment::Draw | Judgment::Reject);
    }
}

fn is_setup_late(cx: &Context) -> bool {
    let Some(limit) = cx.rules.setup_claims else { return false };
    Color::ALL.into_iter().all(|side| cx.completed(side) >= u32::from(limit))
}

fn give_two_minutes(cx: &mut Context, to: Color, row: &'static str) {
    cx.out.say(Ruling::Penalty { to, span: QUICKPLAY, row });
    cx.order_clock(ClockOrder::Add(to, QUICKPLAY));
}
