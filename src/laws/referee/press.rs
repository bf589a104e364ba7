//! What a press of the clock means. All editions: Art. 6.7 (2005: 6.8, from 2018: 6.2), 7.4 (7.5).

use super::super::code::Code;
use super::super::picture::{disturbed, exact};
use super::super::profile::{Fault, Impossible};
use super::super::said::{Binding, ClockOrder, Ruling};
use super::super::terms::PeriodCredit;
use super::super::why::{Attempt, Stage, attempt};
use super::illegal::Fall;
use super::matter::{Case, MayAct};
use super::turn::Cause;
use super::{PausedBy, Phase, Referee};
use shakmaty::{Bitboard, Chess, Color, Move, Position, Role};

impl Referee {
    /// A player pressed his side of the clock.
    pub(super) fn on_press(&mut self, by: Color) {
        if self.result.is_some() || self.is_play_over() {
            self.say(Ruling::Ignored);
            return;
        }
        if self.paused == Some(PausedBy::Arbiter) && self.clocks.running.is_none() {
            self.say(Ruling::Ignored);
            return;
        }
        if self.clocks.running != Some(by) && !self.begins_on_move(by) {
            if self.clocks.running.is_none() && self.phase == Phase::Ready && by.is_black() {
                self.late.came(by);
                self.begin();
            } else if !self.pressed_on_reply(by) {
                self.log(Code::PressAgain, Some(by));
            }
            return;
        }
        self.late.came(by);
        if self.sitting.presses_sealed(by) {
            return;
        }
        self.settle_at = None;
        if self.demand.is_none() {
            self.judge(Cause::Press);
        }
        if self.result.is_some() {
            return;
        }
        if let Some(idx) = self.game.last_open(by) {
            self.complete_before(by, idx);
            self.press_on_made(by, idx);
            if by == self.mover() && self.is_astray() && self.demand.is_none() {
                // He was answered before he pressed; what he pressed on now is another matter.
                self.judge_press(by);
            }
        } else if by == self.mover() && self.demand.is_none() {
            self.judge_press(by);
        } else if !self.is_handed_back() {
            self.log(Code::PressAgain, Some(by));
        }
        self.charge_two_hands(by);
        self.clocks.running = (self.result.is_none()).then_some(!by);
    }

    /// `by`, who has the first move, has moved while the clock stood: his press sets the clock
    /// going and completes that move. True if it is so.
    fn begins_on_move(&mut self, by: Color) -> bool {
        let stands = self.clocks.running.is_none() && self.phase == Phase::Ready;
        let has_moved =
            self.game.first_open(by).is_some() || by == self.mover() && self.is_astray();
        if !stands || !has_moved {
            return false;
        }
        self.late.all_present();
        self.begin();
        true
    }

    /// `by` presses although the other's clock runs: he has answered a move that was not pressed
    /// on, or the presses came in the wrong order. What he moved is judged all the same. True if
    /// that is all that there is to say of it.
    fn pressed_on_reply(&mut self, by: Color) -> bool {
        let last = self.game.plies().iter().rev().find(|ply| ply.by != by);
        let is_owed = last.is_some_and(|ply| !ply.is_completed && !ply.is_illegal);
        let is_mover = by == self.mover();
        let has_moved = is_mover && self.is_astray();
        if !is_owed && !has_moved || self.clocks.running != Some(!by) {
            return false;
        }
        if self.terms.evidence.is_tidy() || self.demand.is_some() || self.paused.is_some() {
            return false;
        }
        self.settle_at = None;
        if has_moved && !exact(self.game.last(), &self.seen).is_empty() {
            self.judge(Cause::Press);
        } else if has_moved {
            self.judge_press(by);
            return true;
        }
        self.game.first_open(by).is_some()
    }

    /// Whether the board does not show what is on record.
    pub(super) fn is_astray(&self) -> bool {
        !self.shows(self.game.last().board())
    }

    /// Who stops his clock has done so for every move that he made before, too. Until 2009 those on
    /// which he had not pressed are completed only now. 6.7a (2005: 6.8a).
    pub(super) fn complete_before(&mut self, by: Color, idx: usize) {
        while let Some(earlier) = self.game.first_open(by).filter(|earlier| *earlier < idx) {
            self.complete(earlier);
        }
    }

    fn press_on_made(&mut self, by: Color, idx: usize) {
        let breach = self.breaches.iter_mut().find(|breach| breach.ply == idx && breach.by == by);
        if let Some(breach) = breach
            && let Some(first) = breach.first.clone()
        {
            breach.is_pressed = true;
            let second = breach.second(self.game.position(idx));
            let second = second.unwrap_or_else(|| self.game.plies()[idx].san.clone());
            let candidates = vec![first, second];
            self.say(Ruling::Unresolved { candidates });
            return;
        }
        let second = self.matters.iter_mut().find_map(|matter| match &mut matter.case {
            Case::Second { pressed } => Some(pressed),
            _ => None,
        });
        match second {
            Some(pressed) => *pressed = Some(idx),
            None => self.complete(idx),
        }
    }

    /// A press without a move that is made.
    pub(super) fn judge_press(&mut self, by: Color) {
        let pos = self.game.last().clone();
        let is_other = self.is_announced_otherwise();
        let waits_for_words = self.is_unannounced(by) || is_other;
        if self.shows(pos.board()) || waits_for_words {
            self.press_without_move(by);
            return;
        }
        let lifted = self.turn.touches.squares();
        let tried = attempt(&pos, &self.seen, &lifted);
        if let Some(fall) = self.unfinished(&pos, tried.as_ref()) {
            self.illegal_completed(fall);
            return;
        }
        let is_displaced = self.turn.on_board.is_none() && disturbed(&pos, &self.seen).is_some();
        if is_displaced {
            self.displaced(Some(by));
            self.pressed_early = Some(by);
            return;
        }
        let has_king = self.seen.known().king_of(!by).is_some() || self.seen.something().any();
        let why = match tried {
            _ if !has_king => "king captured",
            Some(tried) => tried.why(&self.game, &self.seen, Stage::Completed),
            None => "no legal move explains the board",
        };
        let shadow = tried.and_then(|tried| tried.as_move(&pos, &self.seen));
        self.illegal_completed(Fall { by, why, shadow, promotion: None });
    }

    /// A move that was begun and not carried out.
    fn unfinished(&self, pos: &Chess, tried: Option<&Attempt>) -> Option<Fall> {
        let by = pos.turn();
        if let Some(Binding::Castle(side, _)) = &self.turn.released
            && self.seen.piece_at(side.king_to(by)) == Some(Role::King.of(by))
        {
            let shadow = tried.and_then(|tried| tried.as_move(pos, &self.seen));
            return Some(Fall { by, why: "castling not carried out", shadow, promotion: None });
        }
        let tried = tried.filter(|tried| !tried.is_exchanged(&self.seen))?;
        let reached = |m: &Move| m.from() == Some(tried.from) && m.to() == tried.to;
        let legal = pos.legal_moves();
        let queen = |m: &&Move| reached(m) && m.promotion() == Some(Role::Queen);
        let is_pawn = self.seen.piece_at(tried.to) == Some(Role::Pawn.of(by));
        let shadow = tried.as_move(pos, &self.seen);
        if is_pawn && let Some(queen) = legal.iter().find(queen).copied() {
            let why = "pawn not replaced";
            return Some(Fall { by, why, shadow, promotion: Some(queen) });
        }
        let is_en_passant = legal.iter().any(|m| reached(m) && m.is_en_passant());
        let why = "captured pawn not removed";
        is_en_passant.then_some(Fall { by, why, shadow, promotion: None })
    }

    fn press_without_move(&mut self, by: Color) {
        self.log(Code::PressWithoutMove, Some(by));
        let options: &[&str] = match self.rules.empty_press {
            Fault::Handling => &["reset clock", "warn", "time penalty"],
            Fault::IllegalMove => &["illegal move", "reset clock"],
        };
        let ply = self.game.len();
        self.open(Case::EmptyPress { by, ply }, options, MayAct::Yes);
    }

    /// Half-move `idx` is completed.
    pub(super) fn complete(&mut self, idx: usize) {
        self.complete_last(idx);
        let by = self.game.plies()[idx].by;
        let is_last = idx + 1 == self.game.len() && self.game.last().is_game_over();
        if self.terms.credit == PeriodCredit::OnMoves && !is_last {
            let n = self.flags.period[by];
            if self.terms.required(by, n) == Some(self.completed(by)) {
                self.pass_period(by);
            }
        }
        self.watch_impossible();
    }

    /// A pawn that was left on the last rank still stands there after the opponent's next completed
    /// move. From 2018, few arbiters: Art. A.5.4.
    fn watch_impossible(&mut self) {
        let pawns = self.game.last().board().pawns();
        let is_left = (pawns & Bitboard::BACKRANKS).any();
        if is_left && self.rules.impossible == Impossible::WaitThenDraw {
            self.log(Code::PromotionIncomplete, Some(self.mover()));
            self.may_act = Some(MayAct::Yes);
            self.open(Case::StillImpossible, &["draw", "other"], MayAct::Yes);
        }
    }

    /// Half-move `idx` is completed, and no period follows: it may have ended the game.
    pub(super) fn complete_last(&mut self, idx: usize) {
        self.game.complete(idx);
        let ply = &self.game.plies()[idx];
        let (by, san, no) = (ply.by, ply.san.clone(), ply.no);
        self.say(Ruling::Completed { by, san: san.clone(), no });
        self.log_with(Code::MoveCompleted, Some(by), format!("{no}. {san}"));
    }

    /// `side` has met a time control: the next allotment is his. All editions: Art. 6.2b (6.3.2).
    pub(super) fn pass_period(&mut self, side: Color) {
        let n = self.flags.period[side];
        let Some(add) = self.terms.allotment(side, n) else { return };
        self.flags.period[side] = n + 1;
        self.low_time[side] = false;
        self.say(Ruling::Period { side, add });
        self.log_with(Code::PeriodPassed, Some(side), format!("{} s", add.as_secs()));
        self.order_clock(ClockOrder::Credit(side, add));
    }

    /// How many moves of `side` are completed in the whole game.
    pub(super) fn completed(&self, side: Color) -> u32 {
        self.terms.completed[side] + self.game.completed(side)
    }
}
