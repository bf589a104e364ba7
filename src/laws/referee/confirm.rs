//! The arbiter confirms or dismisses what is pending.

use super::super::code::Code;
use super::super::profile::{Fault, ReversedColors};
use super::super::said::Binding;
use super::super::score::Score;
use super::adjourn::Sitting;
use super::late::Presence;
use super::matter::{Breach, Case, Demand, Illegal, Matter, Then};
use super::penalty::{NO_MOVE, charge, pay, row_of_fault};
use super::{Referee, Turn};
use shakmaty::san::SanPlus;
use shakmaty::{Board, Color, Move, Position};

impl Referee {
    /// Carries out what was proposed or claimed: the matter of this number, or else what came last.
    pub(super) fn on_confirm(&mut self, number: Option<u32>) {
        let named = self.cx.matters.take(number);
        if named.is_none() && self.claims.is_for_the_record() {
            if let Some(binding) = self.claims.confirm(&mut self.cx) {
                self.turn.carried = Some(binding);
            }
            return;
        }
        if let Some(matter) = named.or_else(|| self.cx.matters.pop()) {
            self.confirm_case(matter);
        } else if let Some(breach) = self.breaches.last().cloned() {
            self.enforce(&breach);
        } else {
            self.cx.out.refuse(None, "nothing waits for a ruling");
        }
    }

    fn confirm_case(&mut self, matter: Matter) {
        let n = self.cx.game.len();
        match matter.case {
            Case::OutOfTurn | Case::Displaced => self.demand_ply(n, Then::Nothing),
            Case::Second { .. } => self.demand_ply(n, Then::Complete),
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
            Case::TwoHands | Case::Question => self.cx.out.note("noted"),
        }
    }

    /// A breach of Article 4: back to before that half-move, where its binding must be obeyed.
    fn enforce(&mut self, breach: &Breach) {
        let Breach { ply, binding, .. } = breach.clone();
        self.breaches.clear();
        self.cx.game.truncate(ply);
        if let Some(m) = self.released_first(breach) {
            self.cx.game.push(m, self.cx.now, false);
            self.turn = Turn::default();
            let then = if breach.is_pressed { Then::Complete } else { Then::Nothing };
            self.demand_ply(ply + 1, then);
            return;
        }
        self.turn = Turn { carried: Some(binding), ..Turn::default() };
        self.demand_ply(ply, Then::Nothing);
    }

    /// The move that was made before the piece went on, 4.6 (4.7): it stands.
    fn released_first(&self, breach: &Breach) -> Option<Move> {
        let Binding::Destination(_) = breach.binding else { return None };
        let san: SanPlus = breach.first.as_ref()?.parse().ok()?;
        san.san.to_move(self.cx.game.position(breach.ply)).ok()
    }

    fn confirm_empty_press(&mut self, by: Color) {
        match self.cx.rules.empty_press {
            Fault::Handling => self.cx.out.note("press without a move"),
            Fault::IllegalMove => charge(&mut self.cx, by, NO_MOVE),
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
        if let Some(matter) = self.cx.matters.take(number) {
            self.dismiss_case(&matter.case);
        } else if self.claims.drop_open().is_some() {
            self.cx.out.note("the claim is dismissed");
        } else if let Some(matter) = self.cx.matters.pop() {
            self.dismiss_case(&matter.case);
        } else if let Some(score) = self.cx.end.signed() {
            self.cx.out.note("the protest is dismissed");
            self.cx.set_result(Code::ArbiterResult, score, "signed result", None);
        } else if let Some(breach) = self.breaches.pop() {
            self.cx.out.note("the move stands");
            self.stands_beyond(&breach);
            self.settle_end();
        } else {
            self.cx.out.refuse(None, "nothing waits for a ruling");
        }
    }

    fn dismiss_case(&mut self, case: &Case) {
        self.cx.out.note("dismissed");
        match case {
            Case::Displaced => drop(self.cx.matters.take_demand()),
            Case::Late(_) => self.late.all_present(),
            Case::Flag(side) => self.flags.dismiss(&mut self.cx, *side),
            Case::Touch(breach) => {
                let ply = breach.ply;
                self.breaches.retain(|known| known.ply != ply);
                self.stands_beyond(breach);
                self.settle_end();
            }
            Case::Illegal(Illegal { has_shadow: true, .. }) => self.illegal_stands(),
            _ => {}
        }
    }

    /// From now on the board must show the position after `n` half-moves.
    pub(super) fn demand_ply(&mut self, n: usize, then: Then) {
        let board = self.cx.game.position(n).board().clone();
        self.demand_board(board, self.cx.game.fen(n), then);
    }

    pub(super) fn demand_board(&mut self, board: Board, fen: String, then: Then) {
        self.cx.board.judged();
        let is_shown = self.cx.shows(&board);
        self.cx.matters.set_demand(Demand { board, fen, then });
        if is_shown {
            self.restored();
        }
    }

    /// The board shows the demanded position.
    pub(super) fn restored(&mut self) {
        let Some(Demand { then, .. }) = self.cx.matters.take_demand() else { return };
        self.cx.board.judged();
        self.turn.touches.clear();
        self.turn.on_board = None;
        self.turn.was_illegal = false;
        self.cx.matters.close(|case| matches!(case, Case::Displaced));
        self.cx.out.log(Code::Restored, None);
        match then {
            Then::Nothing => {}
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

    /// The end that the move made last brings by itself: mate, stalemate, and from 2018 the fifth
    /// occurrence and the 75 moves. 5.1a, 5.2a (5.1.1, 5.2.1, 9.6).
    pub(super) fn end_by_position(&self) -> Option<(Code, Score, &'static str)> {
        use super::super::profile::AutomaticDraws;
        let pos = self.cx.game.last();
        self.cx.game.last_ply().filter(|ply| !ply.is_illegal)?;
        let is_modern = self.cx.rules.automatic_draws == AutomaticDraws::FivefoldAnd75;
        if self.is_end_open() {
            None
        } else if pos.is_checkmate() {
            Some((Code::Mate, Score::win(!pos.turn()), "checkmate"))
        } else if pos.is_stalemate() {
            Some((Code::Stalemate, Score::DRAW, "stalemate"))
        } else if is_modern && self.cx.game.occurrences() >= 5 {
            Some((Code::Fivefold, Score::DRAW, "fivefold"))
        } else if is_modern && pos.halfmoves() >= 150 {
            Some((Code::SeventyFive, Score::DRAW, "seventy-five moves"))
        } else {
            None
        }
    }

    /// Whether the move made last ends the game only if nobody claims how it was made: from 2018
    /// mate, stalemate and a dead position do so if Articles 4.2 to 4.7 were kept. 5.1.1, 5.2.1,
    /// 5.2.2.
    pub fn is_end_open(&self) -> bool {
        let n = self.cx.game.len();
        self.cx.terms.profile.edition.is_modern()
            && self.breaches.iter().any(|breach| breach.ply + 1 == n && !breach.is_doubtful)
    }

    /// Nobody may claim any more how the last move was made: what it brought stands.
    pub(super) fn settle_end(&mut self) {
        let is_final = self.cx.game.is_final() || self.cx.is_tidy();
        if self.cx.is_over() || !is_final {
            return;
        }
        if let Some(end) = self.end_by_position() {
            self.end_by_move(end);
        } else if self.cx.game.last().is_insufficient_material() && !self.is_end_open() {
            self.dead_position();
        }
    }

    /// The move just made may end the game by itself. It does once the record has it for good: what
    /// sensors show of it may still be a piece on its way. True if it ends the game.
    pub(super) fn ends_game(&mut self) -> bool {
        if let Some(end) = self.end_by_position() {
            if self.cx.game.is_final() || self.cx.is_tidy() {
                self.end_by_move(end);
            }
            return true;
        }
        if self.is_end_open() && self.cx.game.last().legal_moves().is_empty() {
            return true;
        }
        self.life.begin(&self.cx);
        let n = self.cx.game.occurrences();
        if n >= 3 {
            self.cx.out.log_with(Code::ThirdOccurrence, None, format!("{n} times"));
        }
        let n = self.cx.game.last().halfmoves();
        if n >= 100 {
            self.cx.out.log_with(Code::FiftyMoves, None, format!("{n} half-moves"));
        }
        false
    }

    fn end_by_move(&mut self, (code, score, reason): (Code, Score, &str)) {
        // A move that ends the game needs no press. 6.7a (6.2.1.1).
        self.cx.complete_last(self.cx.game.len() - 1);
        self.cx.finish(code, score, reason);
    }

    /// The record has nothing more to say of the moves so far: what the last one brings by itself
    /// is so from now on.
    pub(super) fn on_final(&mut self) {
        self.cx.game.set_final();
        if self.cx.is_over() || self.cx.matters.flag_seen().is_some() {
            return;
        }
        let is_bare = self.cx.game.last().is_insufficient_material();
        if let Some(end) = self.end_by_position() {
            self.end_by_move(end);
        } else if is_bare || self.life.is_dead_after(self.cx.game.len()) {
            self.dead_position();
        }
    }

    fn dead_position(&mut self) {
        let is_end_open = self.is_end_open();
        self.life.dead_position(&mut self.cx, is_end_open);
    }

    /// Whether the game is over as soon as the record has the last move for good.
    pub fn awaits_record(&self) -> bool {
        let is_dead = || self.life.is_dead_after(self.cx.game.len());
        !self.cx.is_over() && (self.end_by_position().is_some() || is_dead())
    }
}
