//! The arbiter confirms or dismisses what is pending.

use super::super::code::Code;
use super::super::profile::{Fault, ReversedColors};
use super::super::said::{Binding, Ruling};
use super::super::score::Score;
use super::illegal::NO_MOVE;
use super::matter::{Breach, Case, Demand, Illegal, Matter, Then};
use super::{Referee, Turn};
use shakmaty::san::SanPlus;
use shakmaty::{Color, Move, Position};

impl Referee {
    /// Carries out what was proposed or claimed: the matter of this number, or else what came last.
    pub(super) fn on_confirm(&mut self, number: Option<u32>) {
        let named = self.take_matter(number);
        if let Some(open) = self.claim.clone().filter(|_| named.is_none())
            && matches!(open.asked, super::claim::Asked::Threefold | super::claim::Asked::Fifty)
        {
            self.confirm_claim(&open);
            return;
        }
        if let Some(matter) = named.or_else(|| self.matters.pop()) {
            self.confirm_case(matter);
        } else if let Some(breach) = self.breaches.last().cloned() {
            self.enforce(&breach);
        } else {
            self.refuse(None, "nothing waits for a ruling");
        }
    }

    fn confirm_case(&mut self, matter: Matter) {
        let n = self.game.len();
        match matter.case {
            Case::OutOfTurn | Case::Displaced => self.demand_ply(n, Then::Nothing),
            Case::Second { .. } => self.demand_ply(n, Then::Complete),
            Case::Illegal(illegal) => self.confirm_illegal(&illegal),
            Case::EmptyPress { by, .. } => self.confirm_empty_press(by),
            Case::Flag(side) => self.confirm_flag(side),
            Case::Undecided(flagged) => {
                self.finish_flagged(Code::TimeLoss, Score::win(!flagged), "time", Some(flagged));
            }
            Case::Device(side) => {
                self.finish(Code::ArbiterResult, Score::win(!side), "electronic device");
            }
            Case::BothFlags => self.confirm_both_flags(),
            Case::Late(absent) => self.confirm_default(absent),
            Case::WrongArray | Case::PositionLost => self.annul(),
            Case::Reversed => self.confirm_reversed(),
            Case::Reason => self.note("the reason is valid"),
            Case::Envelope(by) => self.lose_by_envelope(by),
            Case::Agreed(score, reason) => self.finish(Code::ArbiterResult, score, &reason),
            Case::StillImpossible => {
                let reason = "illegal position still on the board";
                self.finish(Code::ArbiterResult, Score::DRAW, reason);
            }
            Case::Touch(breach) => self.enforce(&breach),
            Case::BoardsDiffer => {
                self.note("the board is corrected to the record");
                self.matters.push(Matter { case: Case::BoardsDiffer, ..matter });
            }
            Case::TwoHands | Case::Question => self.note("noted"),
        }
    }

    pub(super) fn note(&mut self, text: &str) {
        self.log_with(Code::ArbiterNote, None, text.to_owned());
    }

    /// A breach of Article 4: back to before that half-move, where its binding must be obeyed.
    fn enforce(&mut self, breach: &Breach) {
        let Breach { ply, binding, .. } = breach.clone();
        self.breaches.clear();
        self.game.truncate(ply);
        if let Some(m) = self.released_first(breach) {
            self.game.push(m, self.now, false);
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
        san.san.to_move(self.game.position(breach.ply)).ok()
    }

    fn confirm_empty_press(&mut self, by: Color) {
        match self.rules.empty_press {
            Fault::Handling => self.note("press without a move"),
            Fault::IllegalMove => self.charge(by, NO_MOVE),
        }
    }

    pub(super) fn annul(&mut self) {
        self.finish(Code::Annulled, Score::Open, "annulled, new game");
    }

    fn confirm_reversed(&mut self) {
        match self.rules.reversed_colors {
            ReversedColors::NewGameBelow(_) => self.annul(),
            ReversedColors::Continues => self.note("the game goes on"),
        }
    }

    /// The arbiter does not carry out what was proposed.
    pub(super) fn on_dismiss(&mut self, number: Option<u32>) {
        if let Some(matter) = self.take_matter(number) {
            self.dismiss_case(&matter.case);
        } else if self.claim.take().is_some() {
            self.note("the claim is dismissed");
        } else if let Some(matter) = self.matters.pop() {
            self.dismiss_case(&matter.case);
        } else if let Some(score) = self.signed {
            self.note("the protest is dismissed");
            self.replace_result(score, "signed result");
        } else if let Some(breach) = self.breaches.pop() {
            self.note("the move stands");
            self.stands_beyond(&breach);
            self.settle_end();
        } else {
            self.refuse(None, "nothing waits for a ruling");
        }
    }

    fn dismiss_case(&mut self, case: &Case) {
        self.note("dismissed");
        match case {
            Case::Displaced => self.demand = None,
            Case::Late(_) => self.late.all_present(),
            Case::Flag(side) => self.dismiss_flag(*side),
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

    pub(super) fn replace_result(&mut self, score: Score, reason: &str) {
        let reason = reason.to_owned();
        let code = Code::ArbiterResult;
        let verdicted = super::Verdicted { code, score, reason, flagged: None };
        self.say(Ruling::Result(verdicted.clone()));
        self.result = Some(verdicted);
    }

    /// The board shows the demanded position.
    pub(super) fn restored(&mut self) {
        let Some(Demand { then, .. }) = self.demand.take() else { return };
        self.settle_at = None;
        self.turn.touches.clear();
        self.turn.on_board = None;
        self.turn.was_illegal = false;
        self.close(|case| matches!(case, Case::Displaced));
        self.log(Code::Restored, None);
        match then {
            Then::Nothing => {}
            Then::Complete => {
                let by = self.game.last_ply().map(|ply| ply.by);
                if let Some(idx) = by.and_then(|by| self.game.first_open(by)) {
                    self.complete(idx);
                }
            }
            Then::Promoted(m) => {
                let by = self.mover();
                self.make(m);
                self.pay(!by, self.row_of_fault());
                if self.result.is_none() {
                    self.complete(self.game.len() - 1);
                }
            }
        }
    }

    /// The end that the move made last brings by itself: mate, stalemate, and from 2018 the fifth
    /// occurrence and the 75 moves. 5.1a, 5.2a (5.1.1, 5.2.1, 9.6).
    pub(super) fn end_by_position(&self) -> Option<(Code, Score, &'static str)> {
        use super::super::profile::AutomaticDraws;
        let pos = self.game.last();
        self.game.last_ply().filter(|ply| !ply.is_illegal)?;
        let is_modern = self.rules.automatic_draws == AutomaticDraws::FivefoldAnd75;
        if self.is_end_open() {
            None
        } else if pos.is_checkmate() {
            Some((Code::Mate, Score::win(!pos.turn()), "checkmate"))
        } else if pos.is_stalemate() {
            Some((Code::Stalemate, Score::DRAW, "stalemate"))
        } else if is_modern && self.game.occurrences() >= 5 {
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
        let n = self.game.len();
        self.terms.profile.edition.is_modern()
            && self.breaches.iter().any(|breach| breach.ply + 1 == n && !breach.is_doubtful)
    }

    /// Nobody may claim any more how the last move was made: what it brought stands.
    pub(super) fn settle_end(&mut self) {
        let is_final = self.game.is_final() || self.terms.evidence.is_tidy();
        if self.result.is_some() || !is_final {
            return;
        }
        if let Some(end) = self.end_by_position() {
            self.end_by_move(end);
        } else if self.game.last().is_insufficient_material() && !self.is_end_open() {
            self.dead_position();
        }
    }

    /// The move just made may end the game by itself. It does once the record has it for good: what
    /// sensors show of it may still be a piece on its way. True if it ends the game.
    pub(super) fn ends_game(&mut self) -> bool {
        if let Some(end) = self.end_by_position() {
            if self.game.is_final() || self.terms.evidence.is_tidy() {
                self.end_by_move(end);
            }
            return true;
        }
        if self.is_end_open() && self.game.last().legal_moves().is_empty() {
            return true;
        }
        self.doubt();
        let n = self.game.occurrences();
        if n >= 3 {
            self.log_with(Code::ThirdOccurrence, None, format!("{n} times"));
        }
        let n = self.game.last().halfmoves();
        if n >= 100 {
            self.log_with(Code::FiftyMoves, None, format!("{n} half-moves"));
        }
        false
    }

    fn end_by_move(&mut self, (code, score, reason): (Code, Score, &str)) {
        // A move that ends the game needs no press. 6.7a (6.2.1.1).
        self.complete_last(self.game.len() - 1);
        self.finish(code, score, reason);
    }

    /// The record has nothing more to say of the moves so far: what the last one brings by itself
    /// is so from now on.
    pub(super) fn on_final(&mut self) {
        self.game.set_final();
        if self.result.is_some() || self.is_time_settled() {
            return;
        }
        let is_bare = self.game.last().is_insufficient_material();
        if let Some(end) = self.end_by_position() {
            self.end_by_move(end);
        } else if is_bare || self.dead_after == Some(self.game.len()) {
            self.dead_position();
        }
    }

    /// Whether the game is over as soon as the record has the last move for good.
    pub fn awaits_record(&self) -> bool {
        let is_dead = || self.dead_after == Some(self.game.len());
        self.result.is_none() && (self.end_by_position().is_some() || is_dead())
    }
}
