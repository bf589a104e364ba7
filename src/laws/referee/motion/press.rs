//! What a press of the clock means. All editions: Art. 6.7 (2005: 6.8, from 2018: 6.2), 7.4 (7.5).

use super::super::super::code::Code;
use super::super::super::history::PastPly;
use super::super::super::picture::disturbed;
use super::super::super::profile::Fault;
use super::super::super::said::{Binding, Ruling};
use super::super::super::why::{Attempt, Stage, Wrong, attempt};
use super::super::context::Context;
use super::super::matter::{Case, MayAct};
use super::Motion;
use super::illegal::Fall;
use super::judge::displaced;
use shakmaty::{Chess, Color, Move, Position, Role};

impl Motion {
    /// The clock is pressed on half-move `idx`, which is made.
    pub(in super::super) fn press_on_made(&mut self, cx: &mut Context, by: Color, idx: usize) {
        self.tell_reply(cx, by, idx);
        let breach = self.breaches.iter_mut().find(|breach| breach.ply == idx && breach.by == by);
        if let Some(breach) = breach
            && let Some(first) = breach.first.clone()
        {
            breach.is_pressed = true;
            let second = breach.second(cx.game.position(idx));
            let second = second.unwrap_or_else(|| cx.game.plies()[idx].san.clone());
            let candidates = vec![first, second];
            cx.out.say(Ruling::Unresolved { candidates });
            return;
        }
        if !cx.matters.press_second(idx) {
            cx.complete(idx);
        }
    }

    /// A press without a move that is made.
    pub(in super::super) fn judge_press(&mut self, cx: &mut Context, by: Color) {
        let pos = cx.game.last().clone();
        let is_other = self.is_announced_otherwise(cx);
        let waits_for_words = self.is_unannounced(cx, by) || is_other;
        if cx.board.seen().hides_castling(&pos) {
            return;
        }
        if cx.shows(pos.board()) || waits_for_words {
            self.press_without_move(cx, by);
            return;
        }
        let lifted = self.turn.touches.squares();
        let tried = attempt(&pos, cx.board.seen(), &lifted);
        if let Some(fall) = self.unfinished(cx, &pos, tried.as_ref()) {
            self.illegal_completed(cx, fall);
            return;
        }
        let is_displaced =
            self.turn.on_board.is_none() && disturbed(&pos, cx.board.seen()).is_some();
        if is_displaced {
            displaced(cx);
            self.pressed_early = Some(by);
            return;
        }
        let has_king =
            cx.board.seen().known().king_of(!by).is_some() || cx.board.seen().unnamed().any();
        let why = match tried {
            _ if !has_king => Wrong::KingCaptured,
            Some(tried) => tried.why(&cx.game, cx.board.seen(), Stage::Completed),
            None => Wrong::NoLegalMove,
        };
        let shadow = tried.and_then(|tried| tried.as_move(&pos, cx.board.seen()));
        self.illegal_completed(cx, Fall { by, why, shadow, promotion: None });
    }

    /// A move that was begun and not carried out.
    fn unfinished(&self, cx: &Context, pos: &Chess, tried: Option<&Attempt>) -> Option<Fall> {
        let by = pos.turn();
        if let Some(Binding::Castle(side, _)) = &self.turn.released
            && cx.board.seen().piece_at(side.king_to(by)) == Some(Role::King.of(by))
        {
            let shadow = tried.and_then(|tried| tried.as_move(pos, cx.board.seen()));
            return Some(Fall { by, why: Wrong::CastlingNotDone, shadow, promotion: None });
        }
        let tried = tried.filter(|tried| !tried.is_exchanged(cx.board.seen()))?;
        let reached = |m: &Move| m.from() == Some(tried.from) && m.to() == tried.to;
        let legal = pos.legal_moves();
        let queen = |m: &&Move| reached(m) && m.promotion() == Some(Role::Queen);
        let is_pawn = cx.board.seen().piece_at(tried.to) == Some(Role::Pawn.of(by));
        let shadow = tried.as_move(pos, cx.board.seen());
        if is_pawn && let Some(queen) = legal.iter().find(queen).copied() {
            let why = Wrong::PawnNotReplaced;
            return Some(Fall { by, why, shadow, promotion: Some(queen) });
        }
        let is_en_passant = legal.iter().any(|m| reached(m) && m.is_en_passant());
        let why = Wrong::CaptiveNotRemoved;
        is_en_passant.then_some(Fall { by, why, shadow, promotion: None })
    }

    /// A move that rested for as long as a reply takes, and that nobody has pressed on, is answered
    /// by `by`. Two that are told at once may both be none: what is pressed on tells then.
    pub(super) fn note_reply(&mut self, cx: &mut Context, by: Color) {
        let is_rested = |ply: &PastPly| cx.now.since(ply.made) >= cx.terms.rest;
        // Where no clock runs nobody presses.
        if cx.clock.running().is_some() && cx.game.last_ply().is_some_and(is_rested) {
            self.tell_reply(cx, by, cx.game.len());
        }
    }

    /// Half-move `idx` of `by` answers one that nobody has pressed on. That is told once.
    fn tell_reply(&mut self, cx: &mut Context, by: Color, idx: usize) {
        let answered = idx.checked_sub(1).and_then(|idx| cx.game.plies().get(idx));
        let is_open = answered.is_some_and(|ply| !ply.is_completed && !ply.is_illegal);
        if is_open && self.replied.replace(idx) != Some(idx) {
            cx.out.log(Code::ReplyBeforePress, Some(by));
        }
    }

    pub(super) fn press_without_move(&mut self, cx: &mut Context, by: Color) {
        cx.out.log(Code::PressWithoutMove, Some(by));
        let options: &[&str] = match cx.rules.empty_press {
            Fault::Handling => &["reset clock", "warn", "time penalty"],
            Fault::IllegalMove => &["illegal move", "reset clock"],
        };
        let ply = cx.game.len();
        cx.open(Case::EmptyPress { by, ply }, options, MayAct::Yes);
    }
}
