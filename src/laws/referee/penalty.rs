//! What a fault costs, and the row of the Laws that says so.

use super::super::code::Code;
use super::super::edition::Pace;
use super::super::profile::{CannotMate, IllegalCost};
use super::super::said::{ClockOrder, Ruling};
use super::super::score::Score;
use super::super::terms::Terms;
use super::super::why::Wrong;
use super::context::Context;
use super::life::cannot_mate;
use shakmaty::{Chess, Color};

/// The opponent of a player who made an illegal move is given time.
pub(super) fn pay(cx: &mut Context, to: Color, row: fn(&Terms) -> &'static str) {
    let IllegalCost::Time { give, .. } = cx.rules.illegal.cost else { return };
    cx.out.say(Ruling::Penalty { to, span: give, row: row(&cx.terms) });
    cx.order_clock(ClockOrder::Add(to, give));
}

pub(super) fn lose_by_illegal(cx: &mut Context, before: &Chess, by: Color, reason: &str) {
    let is_draw = cx.rules.illegal.cannot_mate == CannotMate::Draw && cannot_mate(before, !by);
    let (score, reason) = if is_draw {
        (Score::DRAW, format!("{reason}, opponent cannot mate"))
    } else {
        (Score::win(!by), reason.to_owned())
    };
    cx.finish(Code::IllegalLimit, score, &reason);
}

/// Counts what is dealt with as an illegal move although the position is not touched: a press
/// without a move, two hands. From 2018: Art. 7.5.3, 7.5.4.
pub(super) fn charge(cx: &mut Context, by: Color, why: Wrong) {
    let nth = cx.faults.count_illegal(by);
    cx.out.say(Ruling::IllegalCompleted { by, nth, why });
    let IllegalCost::Time { lose_on, .. } = cx.rules.illegal.cost else { return };
    if nth >= lose_on {
        let pos = cx.game.last().clone();
        lose_by_illegal(cx, &pos, by, "second illegal move");
    } else {
        pay(cx, !by, row_of_fault);
    }
}

/// `by` has pressed the clock on a move that was made with two hands. From 2018: Art. 7.5.4. If it
/// is an illegal move besides, it is one.
pub(super) fn charge_two_hands(cx: &mut Context, by: Color) {
    let is_faulty = cx.matters.is_faulty(by, cx.game.len());
    if cx.faults.take_two_hands(by) && !is_faulty && !cx.is_over() {
        charge_hands_of_last(cx, by);
    }
}

/// The move that `by` made last is dealt with as one by two hands, once.
pub(super) fn charge_hands_of_last(cx: &mut Context, by: Color) {
    if let Some(idx) = cx.game.plies().iter().rposition(|ply| ply.by == by) {
        cx.faults.set_by_two_hands(by, idx);
    }
    charge(cx, by, Wrong::TwoHands);
}

pub(super) fn row_of_illegal(terms: &Terms) -> &'static str {
    modern_row(terms, "L7.4b1")
}

/// The row for what is dealt with as an illegal move since 2018.
pub(super) fn row_of_fault(terms: &Terms) -> &'static str {
    modern_row(terms, "LM7.5.5")
}

pub(super) fn row_of_claim(terms: &Terms) -> &'static str {
    if terms.profile.edition.is_modern() { modern_row(terms, "LM9.5.3") } else { "L9.5b" }
}

/// The row that says how much time is given at this pace since 2018.
fn modern_row(terms: &Terms, standard: &'static str) -> &'static str {
    let edition = terms.profile.edition;
    match (terms.pace(), edition) {
        (Pace::Blitz, _) if edition.is_modern() => "LM.B",
        (Pace::Rapid, _) if edition.year() >= 2023 => "LM.A.3",
        _ => standard,
    }
}
