//! What players declare.

use super::super::code::Code;
use super::super::declaration::{Claim, Declaration};
use super::super::profile::{CannotMate, Fault, IllegalRaised};
use super::super::said::{Ruling, Verdict};
use super::super::score::Score;
use super::super::why::Wrong;
use super::Referee;
use super::claim::{ClaimKind, Claims};
use super::context::Phase;
use super::life::cannot_mate;
use super::matter::{Case, MayAct};
use super::motion::Cause;
use shakmaty::san::San;
use shakmaty::{Color, Role};

impl Referee {
    pub(super) fn on_declared(&mut self, by: Color, said: &Declaration) {
        let is_void = self.cx.is_over()
            && !matches!(said, Declaration::Claim(_) | Declaration::Protest | Declaration::Arrive);
        if is_void {
            self.cx.out.refuse(Some(by), "the game is over");
            return;
        }
        let is_end = matches!(said, Declaration::Resign | Declaration::AcceptDraw);
        if is_end && self.cx.matters.flag_seen().is_some() {
            self.cx.out.refuse(Some(by), "a flag has been seen down");
            return;
        }
        match said {
            Declaration::Adjust => self.on_adjust(by),
            Declaration::OfferDraw => {
                self.offers.on_offer(&mut self.cx, by, self.sitting.is_adjourned());
            }
            Declaration::AcceptDraw => self.offers.on_accept(&mut self.cx, by),
            Declaration::DeclineDraw => self.offers.on_decline(&mut self.cx, by),
            Declaration::WithdrawOffer => self.offers.on_withdraw(&mut self.cx, by),
            Declaration::Resign => self.on_resign(by),
            Declaration::Arrive => {
                let is_resuming = self.sitting.is_resuming();
                self.late.on_arrive(&mut self.cx, by, is_resuming);
            }
            Declaration::Claim(claim) => self.on_claim(by, claim),
            Declaration::WithdrawClaim => self.claims.on_withdraw(&mut self.cx, by),
            Declaration::Promote(role) => self.on_promote(by, *role),
            Declaration::AnnounceCastling => self.on_announce_castling(by),
            Declaration::RequestIncrement => {
                let is_down = self.flags.is_down(by);
                self.claims.on_request_increment(&mut self.cx, &mut self.offers, by, is_down);
            }
            Declaration::Adjourn => self.sitting.on_adjourn(&mut self.cx, by),
            Declaration::AskStatus => self.on_ask_status(by),
            Declaration::Protest => self.on_protest(by),
        }
    }

    fn on_claim(&mut self, by: Color, claim: &Claim) {
        if self.cx.is_over() {
            self.cx.out.inadmissible(by, claim.word(), "the game is over");
            return;
        }
        // Wrong the clocks were stopped is answered.
        self.cx.matters.close(|case| matches!(case, Case::Reason));
        match claim {
            Claim::Touch => self.claim_touch(by),
            Claim::Illegal => self.claim_illegal(by),
            Claim::Time => self.flags.claim(&mut self.cx, by),
            Claim::Threefold(san) => self.claim_draw(by, (ClaimKind::Threefold, san.as_ref())),
            Claim::Fifty(san) => self.claim_draw(by, (ClaimKind::Fifty, san.as_ref())),
            Claim::Quickplay(ground) => {
                let is_down = self.flags.is_down(by);
                let offers = &mut self.offers;
                self.claims.claim_quickplay(&mut self.cx, offers, by, *ground, is_down);
            }
            Claim::Setup => self.claims.claim_setup(&mut self.cx, by),
            Claim::Defect => self.cx.out.log(Code::ClaimDefect, Some(by)),
            Claim::ClockWrong => {
                let is_from_start = self.is_from_start();
                Claims::claim_clock(&mut self.cx, by, is_from_start);
            }
        }
    }

    fn claim_draw(&mut self, by: Color, asked: (ClaimKind, Option<&San>)) {
        let has_touched = !self.motion.touches().is_empty();
        self.claims.claim_draw(&mut self.cx, &mut self.offers, by, asked, has_touched);
    }

    fn claim_touch(&mut self, by: Color) {
        let Some(breach) = self.motion.breaches().rev().find(|breach| breach.by != by).cloned()
        else {
            self.cx.out.inadmissible(by, "touch", "no breach can be claimed now");
            return;
        };
        self.cx.out.log(Code::ClaimTouch, Some(by));
        self.cx.out.claimed(by, "touch", Verdict::Correct, None);
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
            self.cx.out.inadmissible(by, "illegal", "a piece was touched before the claim");
            return;
        }
        let is_answered = self.cx.game.len() > found.ply + 1;
        if is_answered && self.cx.rules.illegal.raised != IllegalRaised::AnyTime {
            self.cx.out.inadmissible(by, "illegal", "the move has been answered");
            return;
        }
        self.cx.out.log(Code::ClaimIllegal, Some(by));
        self.cx.out.claimed(by, "illegal", Verdict::Correct, None);
        let nth = self.cx.faults.next(found.by);
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
            self.cx.out.inadmissible(by, "illegal", "it has been answered by a move");
            return true;
        }
        self.cx.out.log(Code::ClaimIllegal, Some(by));
        self.cx.out.claimed(by, "illegal", Verdict::Correct, None);
        let nth = self.cx.faults.next(!by);
        self.cx.out.say(Ruling::IllegalCompleted { by: !by, nth, why: Wrong::NoMove });
        self.cx.matters.set_may_act(MayAct::Yes);
        self.cx.matters.raise(is_it);
        true
    }

    /// There is none, or none that may be claimed any more.
    fn refuse_illegal(&mut self, by: Color) {
        if self.cx.game.plies().iter().any(|ply| ply.is_illegal && ply.by != by) {
            self.cx.out.inadmissible(by, "illegal", "no illegal move can be claimed now");
        } else {
            self.cx.out.incorrect(
                by,
                "illegal",
                "the record shows no illegal move of the opponent",
            );
        }
    }

    fn on_adjust(&mut self, by: Color) {
        if by == self.cx.mover() {
            self.motion.adjust();
            self.cx.out.log(Code::AdjustAnnounced, Some(by));
        } else {
            self.cx.out.log(Code::AdjustOutOfTurn, Some(by));
        }
    }

    /// All editions: Art. 5.1b (5.1.2). From 2023 a draw if the opponent cannot mate.
    fn on_resign(&mut self, by: Color) {
        if self.cx.phase == Phase::Setup {
            self.cx.out.refuse(Some(by), "the game has not begun");
            return;
        }
        let pos = self.cx.game.last().clone();
        let is_draw = self.cx.rules.resignation == CannotMate::Draw && cannot_mate(&pos, !by);
        if is_draw {
            let reason = "resignation, opponent cannot mate";
            self.cx.finish(Code::Resigned, Score::DRAW, reason);
        } else {
            self.cx.finish(Code::Resigned, Score::win(!by), "resignation");
        }
    }

    fn on_promote(&mut self, by: Color, role: Role) {
        let waits = |m: &shakmaty::Move| m.is_promotion();
        let found = super::super::picture::exact(self.cx.game.last(), self.cx.board.seen());
        if by == self.cx.mover() && found.iter().any(waits) {
            self.motion.promote_to(role);
            self.cx.board.judged();
            self.judge(Cause::Rest);
        } else {
            self.cx.out.refuse(Some(by), "no promotion waits for its piece");
        }
    }

    fn on_announce_castling(&mut self, by: Color) {
        if by == self.cx.mover() {
            self.motion.announce_castling();
        } else {
            self.cx.out.refuse(Some(by), "the player is not on move");
        }
    }

    fn on_protest(&mut self, by: Color) {
        if self.claims.take_final() {
            self.cx.out.refuse(Some(by), "the decision on such a claim is final");
            return;
        }
        let is_late = self.cx.end.signed().is_some();
        let facts = if is_late { "after signing" } else { "" };
        self.cx.out.log_with(Code::Protest, Some(by), facts.to_owned());
    }

    /// Both players sign. A wrong result that was signed stands unless the arbiter decides
    /// otherwise, 8.7.
    pub(super) fn on_signed(&mut self, score: Score) {
        if self.is_end_open() {
            self.motion.lapse(&mut self.cx);
            self.let_end_stand();
        }
        self.cx.end.sign(score);
        self.cx.out.say(Ruling::Signed { score });
        let is_other = self.cx.end.result().is_some_and(|known| known.score != score);
        let facts = if is_other { "signed, not the computed result" } else { "signed" };
        self.cx.out.log_with(Code::ArbiterNote, None, format!("{facts}: {score}"));
    }

    /// The clock showed something else at the start than both were to have. 2009: Art. 6.10b. From
    /// 2018: Art. 6.10.2.
    pub(super) fn is_misset(&self) -> bool {
        let has_article = self.cx.terms.sets_clock_right();
        let is_wrong = self.cx.clock.was_misset(&self.cx.terms) == Some(true);
        has_article && self.is_from_start() && is_wrong && !self.is_misset_decided()
    }

    /// Whether the record has the game from its first move, and so how the clock was set.
    fn is_from_start(&self) -> bool {
        !super::setup::is_under_way(self.cx.game.position(0), &self.cx.terms)
    }

    fn is_misset_decided(&self) -> bool {
        self.cx.matters.has(|case| matches!(case, Case::BothFlags))
    }

    /// Moves and times, told to the impaired player alone and only when he asks. E2.9d (D.2.11).
    pub(super) fn on_ask_status(&mut self, by: Color) {
        if !self.cx.is_impaired(by) {
            self.cx.out.refuse(Some(by), "only an impaired player may be told");
            return;
        }
        let left = |side: Color| self.cx.clock.left(side).as_secs();
        let text = format!(
            "{} moves, white {} s, black {} s",
            self.cx.completed(by),
            left(Color::White),
            left(Color::Black)
        );
        self.cx.out.say(Ruling::Speaks { to: by, text });
    }
}
