//! What players declare.

use super::super::code::Code;
use super::super::declaration::Declaration;
use super::super::profile::CannotMate;
use super::super::said::Ruling;
use super::super::score::Score;
use super::Referee;
use super::context::Phase;
use super::life::cannot_mate;
use super::matter::Case;
use shakmaty::{Color, Role};

impl Referee {
    pub(super) fn on_declared(&mut self, by: Color, said: &Declaration) {
        let is_void = self.cx.is_over()
            && !matches!(said, Declaration::Claim(_) | Declaration::Protest | Declaration::Arrive);
        if is_void {
            self.cx.out.refuse(Some(by), "the game is over");
            return;
        }
        match said {
            Declaration::Adjust => self.on_adjust(by),
            Declaration::OfferDraw => {
                self.offers.on_offer(&mut self.cx, by, self.sitting.is_adjourned);
            }
            Declaration::AcceptDraw => self.offers.on_accept(&mut self.cx, by),
            Declaration::DeclineDraw => self.offers.on_decline(&mut self.cx, by),
            Declaration::WithdrawOffer => self.offers.on_withdraw(&mut self.cx, by),
            Declaration::Resign => self.on_resign(by),
            Declaration::Arrive => self.on_arrive(by),
            Declaration::Claim(claim) => self.on_claim(by, claim),
            Declaration::WithdrawClaim => self.on_withdraw_claim(by),
            Declaration::Promote(role) => self.on_promote(by, *role),
            Declaration::AnnounceCastling => self.on_announce_castling(by),
            Declaration::RequestIncrement => self.on_request_increment(by),
            Declaration::Adjourn => self.on_adjourn(by),
            Declaration::AskStatus => self.on_ask_status(by),
            Declaration::Protest => self.on_protest(by),
        }
    }

    fn on_adjust(&mut self, by: Color) {
        if by == self.cx.mover() {
            self.turn.is_adjusting = true;
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
            self.turn.promotes_to = Some(role);
            self.cx.board.judged();
            self.settle();
        } else {
            self.cx.out.refuse(Some(by), "no promotion waits for its piece");
        }
    }

    fn on_announce_castling(&mut self, by: Color) {
        if by == self.cx.mover() {
            self.turn.castling_announced = true;
        } else {
            self.cx.out.refuse(Some(by), "the player is not on move");
        }
    }

    fn on_protest(&mut self, by: Color) {
        if std::mem::take(&mut self.was_final) {
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
            self.lapse();
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
        let has_article = self.cx.terms.profile.edition.year() >= 2009;
        let is_from_start = !super::setup::is_under_way(self.cx.game.position(0), &self.cx.terms);
        let is_wrong = self.cx.clock.was_misset(&self.cx.terms);
        has_article && is_from_start && is_wrong && !self.is_settled_misset()
    }

    fn is_settled_misset(&self) -> bool {
        self.cx.matters.has(|case| matches!(case, Case::BothFlags))
    }
}
