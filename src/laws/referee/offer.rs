//! Offers of a draw. All editions: Art. 9.1.

use super::super::code::Code;
use super::super::profile::LapsesBy;
use super::super::said::{OfferState, Ruling};
use super::super::score::Score;
use super::adjourn::fill_envelope;
use super::context::Context;
use super::matter::{Case, MayAct};
use shakmaty::{ByColor, Color, Position};

/// So many offers of one player are too many. All editions: Art. 12.6 (11.5).
const OFFERS_MAX: u32 = 3;

const TOO_EARLY: &str = "a draw may not be agreed before the number of moves that is set";

/// The offers of both players.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Offers {
    state: ByColor<Option<OfferState>>,
    n_made: ByColor<u32>,
}

impl Offers {
    pub(super) fn is_open(&self, by: Color) -> bool {
        self.state[by] == Some(OfferState::Open)
    }

    /// How the offer of `by` stands.
    pub(super) fn state(&self, by: Color) -> Option<OfferState> {
        self.state[by]
    }

    fn set(&mut self, cx: &mut Context, by: Color, state: OfferState) {
        self.state[by] = Some(state);
        cx.out.say(Ruling::Offer { by, state });
    }

    pub(super) fn on_offer(&mut self, cx: &mut Context, by: Color, is_adjourned: bool) {
        if is_too_early(cx) {
            cx.out.refuse(Some(by), TOO_EARLY);
            return;
        }
        let ply = cx.game.last_ply();
        let is_moment = ply.is_some_and(|ply| ply.by == by && !ply.is_completed);
        if !is_moment && !is_adjourned {
            cx.out.log(Code::OfferOffMoment, Some(by));
        }
        if let Some(idx) = cx.game.plies().iter().rposition(|ply| ply.by == by) {
            cx.game.mark_offer(idx);
        }
        self.open(cx, by);
        cx.out.log(Code::DrawOffer, Some(by));
        if is_adjourned {
            fill_envelope(cx);
        }
        self.n_made[by] += 1;
        if self.n_made[by] >= OFFERS_MAX {
            cx.out.log(Code::EarlyRepetitionOffers, Some(by));
            cx.open(Case::Question, &["warn", "ignore"], MayAct::Yes);
        }
    }

    /// What was offered may have been answered by a move that nobody saw.
    pub(super) fn lapse(&mut self, cx: &mut Context) {
        for by in Color::ALL {
            if self.is_open(by) {
                self.set(cx, by, OfferState::Lapsed);
            }
        }
    }

    /// An offer, or a claim, which is one too: 9.1b(3) (9.1.2.3).
    pub(super) fn open(&mut self, cx: &mut Context, by: Color) {
        self.set(cx, by, OfferState::Open);
    }

    pub(super) fn on_accept(&mut self, cx: &mut Context, by: Color) {
        let n = u32::from(cx.rules.agreement_after);
        let is_under_way = cx.game.position(0).fullmoves().get() > 1;
        let has_moved = cx.made(Color::White) >= n && cx.made(Color::Black) >= n || is_under_way;
        if !self.is_open(!by) {
            cx.out.refuse(Some(by), "no offer is open");
        } else if is_too_early(cx) {
            // A claim is an offer, too.
            cx.out.refuse(Some(by), TOO_EARLY);
        } else if !has_moved {
            cx.out.refuse(Some(by), "a draw may be agreed once both have made a move");
        } else {
            self.set(cx, !by, OfferState::Accepted);
            cx.finish(Code::Agreed, Score::DRAW, "agreement");
        }
    }

    pub(super) fn on_decline(&mut self, cx: &mut Context, by: Color) {
        if self.is_open(!by) {
            self.decline(cx, by);
        } else {
            cx.out.refuse(Some(by), "no offer is open");
        }
    }

    /// `by` declines what he is offered, in words or by his move.
    pub(super) fn decline(&mut self, cx: &mut Context, by: Color) {
        if self.is_open(!by) {
            self.set(cx, !by, OfferState::Declined);
        }
    }

    /// `by` touches a piece to move or capture it.
    pub(super) fn decline_by_touch(&mut self, cx: &mut Context, by: Color) {
        if cx.rules.offer_declined_by == LapsesBy::Touch {
            self.decline(cx, by);
        }
    }

    pub(super) fn on_withdraw(&mut self, cx: &mut Context, by: Color) {
        cx.out.refuse(Some(by), "an offer cannot be withdrawn");
        if let Some(state) = self.state[by] {
            cx.out.say(Ruling::Offer { by, state });
        }
    }
}

/// Whether the move before which no draw may be agreed is still to come. From 2009: 9.1a (9.1.1).
fn is_too_early(cx: &Context) -> bool {
    cx.terms.no_draw_before.is_some_and(|no| cx.game.next_no() < no)
}
