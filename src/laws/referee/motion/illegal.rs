//! Completed illegal moves. 2005, 2009: Art. 7.4. From 2018: Art. 7.5.

use super::super::super::code::Code;
use super::super::super::profile::{IllegalRaised, Impossible, ReplacementBound};
use super::super::super::said::{Binding, Ruling};
use super::super::super::why::Wrong;
use super::super::context::Context;
use super::super::matter::{Case, Illegal, MayAct};
use super::super::sheet::Sheet;
use super::Motion;
use super::turn::Turn;
use shakmaty::{Chess, Color, Move, Position};

/// An illegal move at the moment of the press.
#[derive(Clone, Debug)]
pub(in super::super) struct Fall {
    pub by: Color,
    pub why: Wrong,
    /// The move by which the game may be followed from what stands.
    pub shadow: Option<Move>,
    /// The promotion that was not carried out, to a queen.
    pub promotion: Option<Move>,
}

impl Motion {
    pub(in super::super) fn illegal_completed(&mut self, cx: &mut Context, fall: Fall) {
        let Fall { by, why, shadow, promotion } = fall;
        if cx.matters.has(|case| matches!(case, Case::StillImpossible)) {
            return;
        }
        // A king can be taken only because a check was ignored: that came first.
        let first = cx.matters.standing_illegal().filter(|known| known.by != by).cloned();
        let was_impossible = cx.matters.standing_illegal().is_some_and(|known| known.is_impossible);
        let nth = cx.faults.next(by);
        cx.out.say(Ruling::IllegalCompleted { by, nth, why });
        if promotion.is_some() {
            cx.out.log(Code::PromotionIncomplete, Some(by));
        }
        if why == Wrong::KingCaptured {
            cx.out.log(Code::KingCaptured, Some(by));
        }
        cx.out.log_with(Code::IllegalCompleted, Some(by), why.word().to_owned());
        let ply = cx.game.len();
        let turn = std::mem::take(&mut self.turn);
        if let Some(m) = shadow {
            cx.game.push(m, cx.now, true);
        }
        let is_double = shadow.is_some() && are_both_in_check(cx.game.last());
        if is_double {
            cx.out.log(Code::BothKingsInCheck, Some(by));
        }
        let is_impossible = is_double || promotion.is_some();
        if was_impossible && is_impossible && cx.rules.impossible == Impossible::WaitThenDraw {
            cx.ask_about_impossible();
            return;
        }
        if why == Wrong::KingCaptured && first.is_some() {
            // The ruling goes back to before the first of them.
            let standing = cx.matters.illegal_moves().filter(|known| !known.is_put_right);
            let first = standing.map(|known| known.ply).min();
            cx.matters
                .raise(|case| matches!(case, Case::Illegal(known) if Some(known.ply) == first));
            return;
        }
        let may_act = may_act_on(cx, is_impossible);
        cx.matters.set_may_act(may_act);
        if shadow.is_some() && cx.rules.illegal.raised == IllegalRaised::AnyTime {
            let facts = "play is followed from what stands".to_owned();
            cx.out.log_with(Code::ShadowTracking, Some(by), facts);
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
            times: cx.clock.times_at_start_of(by),
        };
        cx.open(Case::Illegal(case), &[], may_act);
    }

    /// The turn begins anew for the player who is to replace an illegal move by a legal one.
    pub(in super::super) fn replace(&mut self, cx: &Context, case: &Illegal, before: &Chess) {
        let (carried, released) = replacement(cx, case, before);
        self.turn = Turn { carried, released_before: released, ..Turn::default() };
    }

    /// The position before a completed illegal move may stand on the board again, by the players'
    /// own hands. Play goes on from there, with the same player; the penalty still waits for the
    /// arbiter. 7.4a (7.5.1). True if that is so.
    pub(in super::super) fn is_put_right(&mut self, cx: &mut Context) -> bool {
        let Some(case) = cx.matters.standing_illegal().cloned() else { return false };
        let is_last = cx.game.len() == case.ply + usize::from(case.has_shadow);
        if !is_last || !cx.shows(cx.game.position(case.ply).board()) {
            return false;
        }
        self.put_right(cx, &case);
        true
    }

    /// The record has a legal move in the place of a completed illegal one: the piece went on from
    /// there at once. True if it has.
    pub(in super::super) fn note_replaced(&mut self, cx: &mut Context, sheet: &Sheet) -> bool {
        let Some(case) = cx.matters.standing_illegal().cloned() else { return false };
        let is_last = cx.game.len() == case.ply + usize::from(case.has_shadow);
        let is_next = sheet.moves.len() == case.ply + 1 && sheet.has_legal(case.ply);
        let is_replaced = is_last && is_next && case.promotion.is_none();
        if is_replaced {
            self.put_right(cx, &case);
        }
        is_replaced
    }

    fn put_right(&mut self, cx: &mut Context, case: &Illegal) {
        let before = cx.game.position(case.ply).clone();
        cx.game.truncate(case.ply);
        self.drop_breaches_from(case.ply);
        self.replace(cx, case, &before);
        self.pressed_early = None;
        cx.matters
            .close(|case| matches!(case, Case::OutOfTurn | Case::Displaced | Case::Second { .. }));
        for known in cx.matters.illegal_moves_mut() {
            known.is_put_right = true;
        }
        cx.out.log_with(Code::Restored, None, "before the illegal move".to_owned());
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

fn may_act_on(cx: &Context, is_impossible: bool) -> MayAct {
    let by_kind = match cx.rules.illegal.raised {
        IllegalRaised::AnyTime | IllegalRaised::UntilReply => MayAct::Yes,
        IllegalRaised::ByClaim | IllegalRaised::ByClaimUntouched => MayAct::OnRequest,
    };
    match cx.rules.impossible {
        Impossible::ArbiterActs if is_impossible => MayAct::Yes,
        Impossible::WaitThenDraw if is_impossible => MayAct::OnRequest,
        _ => by_kind,
    }
}

/// `by` begins his own move: in rapid chess of 2005 he may not claim an illegal move after
/// that.
pub(in super::super) fn illegal_lapses(cx: &mut Context, by: Color) {
    if cx.rules.illegal.raised != IllegalRaised::ByClaimUntouched {
        return;
    }
    for known in cx.matters.illegal_moves_mut() {
        known.is_lapsed |= known.by != by && !known.is_put_right;
    }
}

/// The opponent has answered an illegal move. True if it stands from now on.
pub(in super::super) fn answers_illegal(cx: &mut Context, by: Color) -> bool {
    let known = cx.matters.standing_illegal().filter(|known| known.by != by);
    let Some(known) = known else { return false };
    let is_first = known.has_shadow && cx.game.len() == known.ply + 1;
    if !is_first || known.is_claimed {
        return false;
    }
    if cx.rules.illegal.raised == IllegalRaised::AnyTime {
        let facts = "the illegal move was answered".to_owned();
        cx.out.log_with(Code::ShadowTracking, Some(by), facts);
        return false;
    }
    cx.matters.close(|case| matches!(case, Case::Illegal(_)))
}

/// Whether a completed illegal move was put right just now: the clock is set going again for
/// the player who made it.
pub(in super::super) fn is_handed_back(cx: &Context) -> bool {
    let n = cx.game.len();
    cx.matters.illegal_case().is_some_and(|case| {
        let is_here = case.ply == n && cx.game.adopted(n).is_none();
        case.is_put_right && is_here && case.by == cx.game.last().turn()
    })
}

/// What stands on the board after the opponent's own move is the position of the game.
pub(in super::super) fn illegal_stands(cx: &mut Context) {
    cx.game.begin_anew();
    let fen = cx.game.fen(cx.game.len());
    cx.out.say(Ruling::IllegalStands { fen });
}

/// What binds the move that replaces an illegal one: what was touched, 4.3, and beside it the
/// square on which a pawn was released, 4.6 (4.7). A king that was released is both at once.
fn replacement(cx: &Context, case: &Illegal, before: &Chess) -> (Option<Binding>, Option<Binding>) {
    let touched = case.touches.binding(before);
    match (&case.released, cx.rules.replacement_bound) {
        (_, ReplacementBound::Touch) | (None, _) => (touched, None),
        (Some(castle @ Binding::Castle(..)), _) => (Some(castle.clone()), None),
        (Some(released), _) => (touched, Some(released.clone())),
    }
}
