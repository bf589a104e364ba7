//! What a press of the clock means. All editions: Art. 6.7 (2005: 6.8, from 2018: 6.2), 7.4 (7.5).

use super::super::code::Code;
use super::super::picture::{disturbed, exact};
use super::super::profile::Fault;
use super::super::said::{Binding, Ruling};
use super::super::why::{Attempt, Stage, attempt};
use super::Referee;
use super::clock::PausedBy;
use super::context::Phase;
use super::illegal::Fall;
use super::matter::{Case, MayAct};
use super::penalty::charge_two_hands;
use super::turn::Cause;
use shakmaty::{Chess, Color, Move, Position, Role};

impl Referee {
    /// A player pressed his side of the clock.
    pub(super) fn on_press(&mut self, by: Color) {
        if self.cx.is_over() || self.is_play_over() {
            self.cx.out.say(Ruling::Ignored);
            return;
        }
        if self.cx.clock.paused() == Some(PausedBy::Arbiter) && self.cx.clock.running().is_none() {
            self.cx.out.say(Ruling::Ignored);
            return;
        }
        if self.cx.clock.running() != Some(by) && !self.begins_on_move(by) {
            if self.cx.clock.running().is_none() && self.cx.phase == Phase::Ready && by.is_black() {
                self.late.came(by);
                self.begin();
            } else if !self.pressed_on_reply(by) {
                self.cx.out.log(Code::PressAgain, Some(by));
            }
            return;
        }
        self.late.came(by);
        if self.sitting.presses_sealed(by) {
            return;
        }
        self.cx.board.judged();
        if self.cx.matters.demand().is_none() {
            self.judge(Cause::Press);
        }
        if self.cx.is_over() {
            return;
        }
        if let Some(idx) = self.cx.game.last_open(by) {
            self.cx.complete_before(by, idx);
            self.press_on_made(by, idx);
            if by == self.cx.mover() && self.cx.is_astray() && self.cx.matters.demand().is_none() {
                // He was answered before he pressed; what he pressed on now is another matter.
                self.judge_press(by);
            }
        } else if by == self.cx.mover() && self.cx.matters.demand().is_none() {
            self.judge_press(by);
        } else if !self.is_handed_back() {
            self.cx.out.log(Code::PressAgain, Some(by));
        }
        charge_two_hands(&mut self.cx, by);
        self.cx.clock.turn_to((!self.cx.is_over()).then_some(!by));
    }

    /// `by`, who has the first move, has moved while the clock stood: his press sets the clock
    /// going and completes that move. True if it is so.
    fn begins_on_move(&mut self, by: Color) -> bool {
        let stands = self.cx.clock.running().is_none() && self.cx.phase == Phase::Ready;
        let has_moved =
            self.cx.game.first_open(by).is_some() || by == self.cx.mover() && self.cx.is_astray();
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
        let last = self.cx.game.plies().iter().rev().find(|ply| ply.by != by);
        let is_owed = last.is_some_and(|ply| !ply.is_completed && !ply.is_illegal);
        let is_mover = by == self.cx.mover();
        let has_moved = is_mover && self.cx.is_astray();
        if !is_owed && !has_moved || self.cx.clock.running() != Some(!by) {
            return false;
        }
        if self.cx.is_tidy()
            || self.cx.matters.demand().is_some()
            || self.cx.clock.paused().is_some()
        {
            return false;
        }
        self.cx.board.judged();
        if has_moved && !exact(self.cx.game.last(), self.cx.board.seen()).is_empty() {
            self.judge(Cause::Press);
        } else if has_moved {
            self.judge_press(by);
            return true;
        }
        self.cx.game.first_open(by).is_some()
    }

    fn press_on_made(&mut self, by: Color, idx: usize) {
        let breach = self.breaches.iter_mut().find(|breach| breach.ply == idx && breach.by == by);
        if let Some(breach) = breach
            && let Some(first) = breach.first.clone()
        {
            breach.is_pressed = true;
            let second = breach.second(self.cx.game.position(idx));
            let second = second.unwrap_or_else(|| self.cx.game.plies()[idx].san.clone());
            let candidates = vec![first, second];
            self.cx.out.say(Ruling::Unresolved { candidates });
            return;
        }
        if !self.cx.matters.press_second(idx) {
            self.cx.complete(idx);
        }
    }

    /// A press without a move that is made.
    pub(super) fn judge_press(&mut self, by: Color) {
        let pos = self.cx.game.last().clone();
        let is_other = self.is_announced_otherwise();
        let waits_for_words = self.is_unannounced(by) || is_other;
        if self.cx.shows(pos.board()) || waits_for_words {
            self.press_without_move(by);
            return;
        }
        let lifted = self.turn.touches.squares();
        let tried = attempt(&pos, self.cx.board.seen(), &lifted);
        if let Some(fall) = self.unfinished(&pos, tried.as_ref()) {
            self.illegal_completed(fall);
            return;
        }
        let is_displaced =
            self.turn.on_board.is_none() && disturbed(&pos, self.cx.board.seen()).is_some();
        if is_displaced {
            self.displaced(Some(by));
            self.pressed_early = Some(by);
            return;
        }
        let has_king = self.cx.board.seen().known().king_of(!by).is_some()
            || self.cx.board.seen().something().any();
        let why = match tried {
            _ if !has_king => "king captured",
            Some(tried) => tried.why(&self.cx.game, self.cx.board.seen(), Stage::Completed),
            None => "no legal move explains the board",
        };
        let shadow = tried.and_then(|tried| tried.as_move(&pos, self.cx.board.seen()));
        self.illegal_completed(Fall { by, why, shadow, promotion: None });
    }

    /// A move that was begun and not carried out.
    fn unfinished(&self, pos: &Chess, tried: Option<&Attempt>) -> Option<Fall> {
        let by = pos.turn();
        if let Some(Binding::Castle(side, _)) = &self.turn.released
            && self.cx.board.seen().piece_at(side.king_to(by)) == Some(Role::King.of(by))
        {
            let shadow = tried.and_then(|tried| tried.as_move(pos, self.cx.board.seen()));
            return Some(Fall { by, why: "castling not carried out", shadow, promotion: None });
        }
        let tried = tried.filter(|tried| !tried.is_exchanged(self.cx.board.seen()))?;
        let reached = |m: &Move| m.from() == Some(tried.from) && m.to() == tried.to;
        let legal = pos.legal_moves();
        let queen = |m: &&Move| reached(m) && m.promotion() == Some(Role::Queen);
        let is_pawn = self.cx.board.seen().piece_at(tried.to) == Some(Role::Pawn.of(by));
        let shadow = tried.as_move(pos, self.cx.board.seen());
        if is_pawn && let Some(queen) = legal.iter().find(queen).copied() {
            let why = "pawn not replaced";
            return Some(Fall { by, why, shadow, promotion: Some(queen) });
        }
        let is_en_passant = legal.iter().any(|m| reached(m) && m.is_en_passant());
        let why = "captured pawn not removed";
        is_en_passant.then_some(Fall { by, why, shadow, promotion: None })
    }

    fn press_without_move(&mut self, by: Color) {
        self.cx.out.log(Code::PressWithoutMove, Some(by));
        let options: &[&str] = match self.cx.rules.empty_press {
            Fault::Handling => &["reset clock", "warn", "time penalty"],
            Fault::IllegalMove => &["illegal move", "reset clock"],
        };
        let ply = self.cx.game.len();
        self.cx.open(Case::EmptyPress { by, ply }, options, MayAct::Yes);
    }
}
