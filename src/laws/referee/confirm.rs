//! The arbiter confirms or dismisses what is pending.

use super::super::code::Code;
use super::super::profile::{Fault, IllegalCost, PromotionLeft, ReversedColors};
use super::super::said::Binding;
use super::super::score::Score;
use super::super::why::Wrong;
use super::Referee;
use super::adjourn::Sitting;
use super::context::Context;
use super::late::Presence;
use super::matter::{Breach, Case, Demand, Illegal, Matter, Then};
use super::motion::illegal_stands;
use super::penalty::{charge, lose_by_illegal, pay, row_of_fault, row_of_illegal};
use shakmaty::{Color, Move, Position};

impl Referee {
    /// Carries out what was proposed or claimed: the matter of this number, or else what came last.
    pub(super) fn on_confirm(&mut self, number: Option<u32>) {
        if let Some(breach) = self.motion.breach(number).cloned() {
            self.enforce(&breach);
            return;
        }
        let named = self.cx.matters.take(number);
        if named.is_none() && self.claims.is_for_the_record() {
            let binding = self.claims.confirm(&mut self.cx);
            self.motion.carry(binding);
            return;
        }
        if let Some(matter) = named.or_else(|| self.cx.matters.pop()) {
            self.confirm_case(matter);
        } else if let Some(breach) = self.motion.last_breach().cloned() {
            self.enforce(&breach);
        } else {
            self.cx.out.refuse(None, "nothing waits for a ruling");
        }
    }

    fn confirm_case(&mut self, matter: Matter) {
        let n = self.cx.game.len();
        match matter.case {
            Case::OutOfTurn | Case::Displaced => self.demand_ply(n, Then::Nothing),
            Case::Second { first, .. } => self.confirm_second(first),
            Case::Illegal(illegal) => self.confirm_illegal(&illegal),
            Case::EmptyPress { by, .. } => self.confirm_empty_press(by),
            Case::Flag(side) => self.flags.confirm(&mut self.cx, side),
            Case::Undecided(flagged) => {
                self.cx.finish_flagged(Code::TimeLoss, Score::win(!flagged), "time", Some(flagged));
            }
            Case::Device(side) => {
                self.cx.finish(Code::ArbiterResult, Score::win(!side), "electronic device");
            }
            Case::BothFlags => self.flags.confirm_both(&mut self.cx),
            Case::Late(absent) => Presence::confirm(&mut self.cx, absent),
            Case::WrongArray | Case::PositionLost => self.annul(),
            Case::Reversed => self.confirm_reversed(),
            Case::Reason => self.cx.out.note("the reason is valid"),
            Case::Envelope(by) => Sitting::lose(&mut self.cx, by),
            Case::Agreed(score, reason) => self.cx.finish(Code::ArbiterResult, score, &reason),
            Case::StillImpossible => {
                let reason = "illegal position still on the board";
                self.cx.finish(Code::ArbiterResult, Score::DRAW, reason);
            }
            Case::Touch(breach) => self.enforce(&breach),
            Case::BoardsDiffer => {
                self.cx.out.note("the board is corrected to the record");
                self.cx.matters.put_back(Matter { case: Case::BoardsDiffer, ..matter });
            }
            Case::Misset | Case::TwoHands | Case::Question => self.cx.out.note("noted"),
        }
    }

    /// Of two moves the first stands. 4.4b (4.4.2).
    fn confirm_second(&mut self, first: Move) {
        let n = self.cx.game.len();
        let is_other = self.cx.game.last_ply().is_some_and(|ply| ply.m != first);
        if is_other && self.cx.game.position(n - 1).is_legal(first) {
            self.cx.game.truncate(n - 1);
            self.cx.game.push(first, self.cx.now, false);
        }
        self.demand_ply(self.cx.game.len(), Then::Complete);
    }

    /// A breach of Article 4: back to before that half-move, where its binding must be obeyed.
    fn enforce(&mut self, breach: &Breach) {
        let Breach { ply, binding, .. } = breach.clone();
        self.cx.game.truncate(ply);
        self.motion.begin_anew();
        if let Some(m) = self.released_first(breach) {
            self.cx.game.push(m, self.cx.now, false);
            let then = if breach.is_pressed { Then::Complete } else { Then::Nothing };
            self.demand_ply(ply + 1, then);
            return;
        }
        self.motion.carry(Some(binding));
        self.demand_ply(ply, Then::Nothing);
    }

    /// The move that was made before the piece went on, 4.6 (4.7): it stands.
    fn released_first(&self, breach: &Breach) -> Option<Move> {
        let Binding::Destination(_) = breach.binding else { return None };
        breach.first_move(self.cx.game.position(breach.ply))
    }

    fn confirm_empty_press(&mut self, by: Color) {
        match self.cx.rules.empty_press {
            Fault::Handling => self.cx.out.note("press without a move"),
            Fault::IllegalMove => charge(&mut self.cx, by, Wrong::NoMove),
        }
    }

    pub(super) fn annul(&mut self) {
        self.cx.finish(Code::Annulled, Score::Open, "annulled, new game");
    }

    fn confirm_reversed(&mut self) {
        match self.cx.rules.reversed_colors {
            ReversedColors::NewGameBelow(_) => self.annul(),
            ReversedColors::Continues => self.cx.out.note("the game goes on"),
        }
    }

    /// The arbiter does not carry out what was proposed.
    pub(super) fn on_dismiss(&mut self, number: Option<u32>) {
        if let Some(breach) = self.motion.take_breach(number) {
            self.dismiss_breach(&breach);
        } else if let Some(matter) = self.cx.matters.take(number) {
            self.dismiss_case(&matter.case);
        } else if self.claims.dismiss() {
            self.cx.out.note("the claim is dismissed");
        } else if let Some(matter) = self.cx.matters.pop() {
            self.dismiss_case(&matter.case);
        } else if let Some(score) = self.cx.end.signed() {
            self.cx.out.note("the protest is dismissed");
            self.cx.set_result(Code::ArbiterResult, score, "signed result", None);
        } else if let Some(breach) = self.motion.drop_breach() {
            self.dismiss_breach(&breach);
        } else {
            self.cx.out.refuse(None, "nothing waits for a ruling");
        }
    }

    fn dismiss_breach(&mut self, breach: &Breach) {
        self.cx.out.note("the move stands");
        self.motion.stands_beyond(breach);
        self.let_end_stand();
    }

    fn dismiss_case(&mut self, case: &Case) {
        self.cx.out.note("dismissed");
        match case {
            Case::Displaced => drop(self.cx.matters.take_demand()),
            Case::Late(_) => self.late.all_present(),
            Case::Flag(side) => self.flags.dismiss(&mut self.cx, *side),
            Case::Touch(breach) => {
                let ply = breach.ply;
                self.motion.drop_breaches_of(ply);
                self.motion.stands_beyond(breach);
                self.let_end_stand();
            }
            // What was put right does not stand any more.
            Case::Illegal(Illegal { has_shadow: true, is_put_right: false, .. }) => {
                illegal_stands(&mut self.cx);
            }
            _ => {}
        }
    }

    /// From now on the board must show the position after `n` half-moves.
    pub(super) fn demand_ply(&mut self, n: usize, then: Then) {
        self.cx.demand_ply(n, then);
        self.restore_if_shown();
    }

    /// The board may show what is demanded of it.
    pub(super) fn restore_if_shown(&mut self) {
        if self.cx.matters.demand().is_some_and(|demand| self.cx.shows(&demand.board)) {
            self.restored();
        }
    }

    /// The board shows the demanded position.
    pub(super) fn restored(&mut self) {
        let Some(Demand { then, .. }) = self.cx.matters.take_demand() else { return };
        self.cx.board.judged();
        self.motion.restored();
        self.cx.matters.close(|case| matches!(case, Case::Displaced));
        self.cx.out.log(Code::Restored, None);
        match then {
            Then::Nothing | Then::Replacing => {}
            Then::Complete => {
                let by = self.cx.game.last_ply().map(|ply| ply.by);
                if let Some(idx) = by.and_then(|by| self.cx.game.first_open(by)) {
                    self.cx.complete(idx);
                }
            }
            Then::Promoted(m) => {
                let by = self.cx.mover();
                self.make(m);
                pay(&mut self.cx, !by, row_of_fault);
                if !self.cx.is_over() {
                    self.cx.complete(self.cx.game.len() - 1);
                }
            }
        }
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
            IllegalCost::Time { .. } if case.is_put_right && was_played_on(&self.cx, case.ply) => {
                pay(&mut self.cx, winner, row_of_illegal);
            }
            IllegalCost::Time { .. } => {
                self.cx.game.truncate(case.ply);
                self.motion.drop_breaches_from(case.ply);
                self.motion.begin_turn();
                // What was played after it was not played.
                self.cx
                    .matters
                    .close(|it| matches!(it, Case::Illegal(later) if later.ply > case.ply));
                let becomes =
                    case.promotion.filter(|_| self.cx.rules.promotion_left == PromotionLeft::Queen);
                if let Some(m) = becomes {
                    let mut after = before;
                    after.play_unchecked(m);
                    let fen = super::super::history::fen_of(&after);
                    self.cx.demand(after.board().clone(), fen, Then::Promoted(m));
                    self.restore_if_shown();
                    return;
                }
                self.motion.replace(&self.cx, case, &before);
                self.flags.take_back(&mut self.cx, winner);
                pay(&mut self.cx, winner, row_of_illegal);
                self.demand_ply(case.ply, Then::Replacing);
            }
        }
    }
}

/// Whether anything was played after half-move `ply`, seen or not.
fn was_played_on(cx: &Context, ply: usize) -> bool {
    cx.game.len() > ply || cx.game.adopted(ply).is_some()
}
