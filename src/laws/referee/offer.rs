//! Offers of a draw. All editions: Art. 9.1.

use super::super::code::Code;
use super::super::profile::LapsesBy;
use super::super::said::{OfferState, Ruling};
use super::super::score::Score;
use super::Referee;
use super::matter::{Case, MayAct};
use shakmaty::{ByColor, Chess, Color, Position};

/// So many offers of one player are too many. All editions: Art. 12.6 (11.5).
const OFFERS_MAX: u32 = 3;

/// The offers of both players.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Offers {
    pub state: ByColor<Option<OfferState>>,
    n_made: ByColor<u32>,
}

impl Offers {
    pub(super) fn is_open(&self, by: Color) -> bool {
        self.state[by] == Some(OfferState::Open)
    }
}

impl Referee {
    pub(super) fn on_offer(&mut self, by: Color) {
        let too_early = self.cx.terms.no_draw_before.is_some_and(|no| self.cx.game.next_no() < no);
        if too_early {
            self.cx
                .out
                .refuse(Some(by), "no draw may be agreed before the move that was laid down");
            return;
        }
        let ply = self.cx.game.last_ply();
        let is_moment = ply.is_some_and(|ply| ply.by == by && !ply.is_completed);
        let is_adjourned = self.sitting.is_adjourned;
        if !is_moment && !is_adjourned {
            self.cx.out.log(Code::OfferOffMoment, Some(by));
        }
        if let Some(idx) = self.cx.game.plies().iter().rposition(|ply| ply.by == by) {
            self.cx.game.mark_offer(idx);
        }
        self.open_offer(by);
        self.cx.out.log(Code::DrawOffer, Some(by));
        if is_adjourned {
            self.fill_envelope();
        }
        self.offers.n_made[by] += 1;
        if self.offers.n_made[by] >= OFFERS_MAX {
            self.cx.out.log(Code::EarlyRepetitionOffers, Some(by));
            self.cx.open(Case::Question, &["warn", "ignore"], MayAct::Yes);
        }
    }

    /// What was offered may have been answered by a move that nobody saw.
    pub(super) fn offer_lapses(&mut self, by: Color) {
        if self.offers.is_open(by) {
            self.offers.state[by] = Some(OfferState::Lapsed);
            self.cx.out.say(Ruling::Offer { by, state: OfferState::Lapsed });
        }
    }

    /// An offer, or a claim, which is one too: 9.1b(3) (9.1.2.3).
    pub(super) fn open_offer(&mut self, by: Color) {
        self.offers.state[by] = Some(OfferState::Open);
        self.cx.out.say(Ruling::Offer { by, state: OfferState::Open });
    }

    pub(super) fn on_accept(&mut self, by: Color) {
        let offered = self.offers.is_open(!by);
        let n = u32::from(self.cx.rules.agreement_after);
        let made = |side: Color| self.cx.made(side) >= n;
        let has_moved = made(Color::White) && made(Color::Black) || self.is_under_way();
        if !offered {
            self.cx.out.refuse(Some(by), "no offer is open");
        } else if !has_moved {
            self.cx.out.refuse(Some(by), "a draw may be agreed once both have made a move");
        } else {
            self.offers.state[!by] = Some(OfferState::Accepted);
            self.cx.out.say(Ruling::Offer { by: !by, state: OfferState::Accepted });
            self.cx.finish(Code::Agreed, Score::DRAW, "agreement");
        }
    }

    /// Whether the record begins in the middle of a game.
    fn is_under_way(&self) -> bool {
        self.cx.game.position(0).fullmoves_played()
    }

    pub(super) fn on_decline(&mut self, by: Color) {
        if self.offers.is_open(!by) {
            self.decline(!by);
        } else {
            self.cx.out.refuse(Some(by), "no offer is open");
        }
    }

    fn decline(&mut self, offer_of: Color) {
        self.offers.state[offer_of] = Some(OfferState::Declined);
        self.cx.out.say(Ruling::Offer { by: offer_of, state: OfferState::Declined });
    }

    pub(super) fn on_withdraw_offer(&mut self, by: Color) {
        self.cx.out.refuse(Some(by), "an offer cannot be withdrawn");
        if let Some(state) = self.offers.state[by] {
            self.cx.out.say(Ruling::Offer { by, state });
        }
    }

    /// `by` touches a piece to move or capture it.
    pub(super) fn decline_by_touch(&mut self, by: Color) {
        if self.cx.rules.offer_declined_by == LapsesBy::Touch && self.offers.is_open(!by) {
            self.decline(!by);
        }
    }

    /// `by` has made a move.
    pub(super) fn decline_by_reply(&mut self, by: Color) {
        if self.offers.is_open(!by) {
            self.decline(!by);
        }
    }
}

/// Whether a position is not the first of its game.
trait Played {
    fn fullmoves_played(&self) -> bool;
}

impl Played for Chess {
    fn fullmoves_played(&self) -> bool {
        self.fullmoves().get() > 1
    }
}
