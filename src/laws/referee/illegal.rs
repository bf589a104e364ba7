//! Completed illegal moves. 2005, 2009: Art. 7.4. From 2018: Art. 7.5.

use super::super::code::Code;
use super::super::profile::{
    IllegalCost, IllegalRaised, Impossible, PromotionLeft, ReplacementBound,
};
use super::super::said::{Binding, Ruling};
use super::matter::{Case, Illegal, MayAct, Then};
use super::penalty::{lose_by_illegal, pay, row_of_illegal};
use super::{Referee, Turn};
use shakmaty::{Chess, Color, Move, Position};

/// An illegal move at the moment of the press.
#[derive(Clone, Debug)]
pub(super) struct Fall {
    pub by: Color,
    pub why: &'static str,
    /// The move by which the game may be followed from what stands.
    pub shadow: Option<Move>,
    /// The promotion that was not carried out, to a queen.
    pub promotion: Option<Move>,
}

impl Referee {
    pub(super) fn illegal_completed(&mut self, fall: Fall) {
        let Fall { by, why, shadow, promotion } = fall;
        if self.cx.matters.has(|case| matches!(case, Case::StillImpossible)) {
            return;
        }
        // A king can be taken only because a check was ignored: that came first.
        let first = self.cx.matters.standing_illegal().filter(|known| known.by != by).cloned();
        let was_impossible =
            self.cx.matters.standing_illegal().is_some_and(|known| known.is_impossible);
        let nth = self.cx.faults.next(by);
        self.cx.out.say(Ruling::IllegalCompleted { by, nth, why });
        if promotion.is_some() {
            self.cx.out.log(Code::PromotionIncomplete, Some(by));
        }
        if why == "king captured" {
            self.cx.out.log(Code::KingCaptured, Some(by));
        }
        self.cx.out.log_with(Code::IllegalCompleted, Some(by), why.to_owned());
        let ply = self.cx.game.len();
        let turn = std::mem::take(&mut self.turn);
        if let Some(m) = shadow {
            self.cx.game.push(m, self.cx.now, true);
        }
        let is_double = shadow.is_some() && are_both_in_check(self.cx.game.last());
        if is_double {
            self.cx.out.log(Code::BothKingsInCheck, Some(by));
        }
        let is_impossible = is_double || promotion.is_some();
        if was_impossible && is_impossible && self.cx.rules.impossible == Impossible::WaitThenDraw {
            self.cx.ask_about_impossible();
            return;
        }
        if why == "king captured" && first.is_some() {
            // The ruling goes back to before the first of them.
            let standing = self.cx.matters.illegal_moves().filter(|known| !known.is_put_right);
            let first = standing.map(|known| known.ply).min();
            self.cx
                .matters
                .raise(|case| matches!(case, Case::Illegal(known) if Some(known.ply) == first));
            return;
        }
        let may_act = self.may_act_on(is_impossible);
        self.cx.matters.set_may_act(may_act);
        if shadow.is_some() && self.cx.rules.illegal.raised == IllegalRaised::AnyTime {
            let facts = "play is followed from what stands".to_owned();
            self.cx.out.log_with(Code::ShadowTracking, Some(by), facts);
        }
        let case = Illegal {
            by,
            ply,
            why,
            touches: turn.touches,
            released: turn.released,
            has_shadow: shadow.is_some(),
            promotion,
            is_lapsed: false,
            is_claimed: false,
            is_impossible,
            is_put_right: false,
            times: self.cx.clock.times_at_start_of(by),
        };
        self.cx.open(Case::Illegal(case), &[], may_act);
    }

    fn may_act_on(&self, is_impossible: bool) -> MayAct {
        let by_kind = match self.cx.rules.illegal.raised {
            IllegalRaised::AnyTime | IllegalRaised::UntilReply => MayAct::Yes,
            IllegalRaised::ByClaim | IllegalRaised::ByClaimUntouched => MayAct::OnRequest,
        };
        match self.cx.rules.impossible {
            Impossible::ArbiterActs if is_impossible => MayAct::Yes,
            Impossible::WaitThenDraw if is_impossible => MayAct::OnRequest,
            _ => by_kind,
        }
    }

    /// `by` begins his own move: in rapid chess of 2005 he may not claim an illegal move after
    /// that.
    pub(super) fn illegal_lapses(&mut self, by: Color) {
        if self.cx.rules.illegal.raised != IllegalRaised::ByClaimUntouched {
            return;
        }
        for known in self.cx.matters.illegal_moves_mut() {
            known.is_lapsed |= known.by != by && !known.is_put_right;
        }
    }

    /// The opponent has answered an illegal move. True if it stands from now on.
    pub(super) fn answers_illegal(&mut self, by: Color) -> bool {
        let known = self.cx.matters.standing_illegal().filter(|known| known.by != by);
        let Some(known) = known else { return false };
        let is_first = known.has_shadow && self.cx.game.len() == known.ply + 1;
        if !is_first || known.is_claimed {
            return false;
        }
        if self.cx.rules.illegal.raised == IllegalRaised::AnyTime {
            let facts = "the illegal move was answered".to_owned();
            self.cx.out.log_with(Code::ShadowTracking, Some(by), facts);
            return false;
        }
        self.cx.matters.close(|case| matches!(case, Case::Illegal(_)))
    }

    /// The position before a completed illegal move may stand on the board again, by the players'
    /// own hands. Play goes on from there, with the same player; the penalty still waits for the
    /// arbiter. 7.4a (7.5.1). True if that is so.
    pub(super) fn is_put_right(&mut self) -> bool {
        let Some(case) = self.cx.matters.standing_illegal().cloned() else { return false };
        let before = self.cx.game.position(case.ply).clone();
        let is_last = self.cx.game.len() == case.ply + usize::from(case.has_shadow);
        if !is_last || !self.cx.shows(before.board()) {
            return false;
        }
        self.cx.game.truncate(case.ply);
        self.breaches.retain(|breach| breach.ply < case.ply);
        let (carried, released) = self.replacement(&case, &before);
        self.turn = Turn { carried, released_before: released, ..Turn::default() };
        self.pressed_early = None;
        self.cx
            .matters
            .close(|case| matches!(case, Case::OutOfTurn | Case::Displaced | Case::Second { .. }));
        for known in self.cx.matters.illegal_moves_mut() {
            known.is_put_right = true;
        }
        self.cx.out.log_with(Code::Restored, None, "before the illegal move".to_owned());
        true
    }

    /// Whether a completed illegal move was put right just now: the clock is set going again for
    /// the player who made it.
    pub(super) fn is_handed_back(&self) -> bool {
        let n = self.cx.game.len();
        self.cx.matters.illegal_case().is_some_and(|case| {
            let is_here = case.ply == n && self.cx.game.adopted(n).is_none();
            case.is_put_right && is_here && case.by == self.cx.game.last().turn()
        })
    }

    /// What stands on the board after the opponent's own move is the position of the game.
    pub(super) fn illegal_stands(&mut self) {
        self.cx.game.begin_anew();
        let fen = self.cx.game.fen(self.cx.game.len());
        self.cx.out.say(Ruling::IllegalStands { fen });
    }

    /// The arbiter confirms that a move was illegal.
    pub(super) fn confirm_illegal(&mut self, case: &Illegal) {
        let (by, winner) = (case.by, !case.by);
        let nth = self.cx.faults.count_illegal(by);
        let before = self.cx.game.position(case.ply).clone();
        match self.cx.rules.illegal.cost {
            IllegalCost::Game => lose_by_illegal(&mut self.cx, &before, by, "illegal move"),
            IllegalCost::Time { lose_on, .. } if nth >= lose_on => {
                let ordinal = match nth {
                    2 => "second illegal move",
                    3 => "third illegal move",
                    _ => "too many illegal moves",
                };
                lose_by_illegal(&mut self.cx, &before, by, ordinal);
            }
            IllegalCost::Time { .. } if case.is_put_right && self.was_played_on(case.ply) => {
                pay(&mut self.cx, winner, row_of_illegal);
            }
            IllegalCost::Time { .. } => {
                self.cx.game.truncate(case.ply);
                self.breaches.retain(|breach| breach.ply < case.ply);
                // What was played after it was not played.
                self.cx
                    .matters
                    .close(|it| matches!(it, Case::Illegal(later) if later.ply > case.ply));
                self.turn = Turn::default();
                let becomes =
                    case.promotion.filter(|_| self.cx.rules.promotion_left == PromotionLeft::Queen);
                if let Some(m) = becomes {
                    let mut after = before;
                    after.play_unchecked(m);
                    let fen = super::super::history::fen_of(&after);
                    self.demand_board(after.board().clone(), fen, Then::Promoted(m));
                    return;
                }
                let (carried, released) = self.replacement(case, &before);
                self.turn = Turn { carried, released_before: released, ..Turn::default() };
                pay(&mut self.cx, winner, row_of_illegal);
                self.demand_ply(case.ply, Then::Nothing);
            }
        }
    }

    /// Whether anything was played after half-move `ply`, seen or not.
    fn was_played_on(&self, ply: usize) -> bool {
        self.cx.game.len() > ply || self.cx.game.adopted(ply).is_some()
    }

    /// What binds the move that replaces an illegal one: what was touched, 4.3, and beside it the
    /// square on which a pawn was released, 4.6 (4.7). A king that was released is both at once.
    fn replacement(&self, case: &Illegal, before: &Chess) -> (Option<Binding>, Option<Binding>) {
        let touched = case.touches.binding(before);
        match (&case.released, self.cx.rules.replacement_bound) {
            (_, ReplacementBound::Touch) | (None, _) => (touched, None),
            (Some(castle @ Binding::Castle(..)), _) => (Some(castle.clone()), None),
            (Some(released), _) => (touched, Some(released.clone())),
        }
    }
}

/// Whether the king of the side that has just moved can be captured while the other is in check.
fn are_both_in_check(pos: &Chess) -> bool {
    let (us, them) = (pos.turn(), !pos.turn());
    let board = pos.board();
    let is_attacked = |king: Color| {
        board
            .king_of(king)
            .is_some_and(|sq| !board.attacks_to(sq, !king, board.occupied()).is_empty())
    };
    is_attacked(us) && is_attacked(them)
}
