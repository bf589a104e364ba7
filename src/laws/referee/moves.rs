//! Moves, as the parts of a referee hear of them: each square, each press, each move that is made,
//! and the end that it brings.

use super::super::code::Code;
use super::super::history::PastPly;
use super::super::notation::{Misread, read};
use super::super::picture::exact;
use super::super::profile::AutomaticDraws;
use super::super::said::Ruling;
use super::super::score::Score;
use super::Referee;
use super::clock::PausedBy;
use super::context::Phase;
use super::matter::{Case, MayAct, Then};
use super::motion::{Cause, Hand, is_handed_back};
use super::penalty::charge_two_hands;
use super::sheet::Sheet;
use crate::table::Reading;
use shakmaty::{Color, Move, Position, Square};

impl Referee {
    /// A sensor reads something else.
    pub(super) fn on_square(&mut self, sq: Square, reading: Reading) {
        let sq = self.cx.board.mapped(sq);
        let before = self.cx.board.seen().get(sq);
        if before == reading {
            return;
        }
        self.cx.board.set(sq, reading);
        self.cx.board.change_at(sq, self.cx.now);
        self.motion.change();
        if self.cx.is_over() || self.is_play_over() {
            self.cx.out.say(Ruling::Ignored);
            return;
        }
        if self.cx.matters.demand().is_some() {
            self.restore_if_shown();
            return;
        }
        self.cx.await_rest();
        if self.sitting.keeps_still(&self.cx) {
            return;
        }
        self.motion.stir(sq);
        if self.is_idle() {
            return;
        }
        if let Some(is_on_purpose) = self.motion.sense(&mut self.cx, sq, before) {
            self.on_touched(is_on_purpose);
        }
        if self.motion.is_promoted_on(&self.cx, sq) {
            self.cx.board.judged();
            self.judge(Cause::Rest);
        }
    }

    /// The player on move has touched a piece that he may move or capture. He declines an offer by
    /// that. 9.1b(1) (9.1.2.1).
    fn on_touched(&mut self, is_on_purpose: bool) {
        let by = self.cx.mover();
        // What the envelope's move takes is the arbiter's hand.
        if !self.sitting.is_opened() {
            self.late.came(by);
        }
        if !is_on_purpose {
            return;
        }
        if self.motion.lapse_by_touch(&mut self.cx, by) {
            self.let_end_stand();
        }
        if self.cx.is_over() {
            return;
        }
        self.offers.decline_by_touch(&mut self.cx, by);
        self.flags.ask_for_sheet(&mut self.cx, by);
    }

    /// Says what stands on the board.
    pub(super) fn judge(&mut self, cause: Cause) {
        if self.cx.is_over() || self.is_play_over() || self.cx.matters.demand().is_some() {
            return;
        }
        let hand = if self.sitting.keeps_still(&self.cx) || self.is_idle() {
            Hand::Idle
        } else if self.sitting.seals(self.cx.mover()) {
            Hand::Seals
        } else {
            Hand::Plays
        };
        match self.motion.judge(&mut self.cx, cause, hand) {
            Some(m) if self.is_beside_record(m) => self.make(m),
            Some(m) => self.motion.note_release(&self.cx, m),
            None => {}
        }
    }

    /// Whether the record says nothing of `m`: words decide what was moved, the clock stands, or
    /// the pawn becomes what sensors cannot tell.
    fn is_beside_record(&self, m: Move) -> bool {
        self.cx.terms.impaired.is_some()
            || self.cx.clock.running().is_none()
            || self.cx.board.is_turned()
            || self.cx.is_unnamed_promotion(m)
    }

    /// The moves on record are these now. What it has withdrawn was released and not played; what
    /// it has besides is made, with what hands did before its piece was released.
    pub(super) fn on_moves(&mut self, sheet: &Sheet) {
        let is_replaced = self.follow_replacement(sheet);
        let is_closed = self.cx.is_over() || self.is_play_over() || self.is_suspended();
        let is_held = self.cx.matters.demand().is_some() || self.cx.terms.impaired.is_some();
        if is_closed || is_held || !self.cx.game.gaps().eq(sheet.gaps()) {
            return;
        }
        let n = self.n_followed(sheet);
        let is_shadow = self.cx.game.plies()[n..].iter().any(|ply| ply.is_illegal);
        if is_shadow || n == self.cx.game.len() && n == sheet.moves.len() {
            return;
        }
        if self.cx.game.len() == n + 1 && self.cx.is_last_open() {
            self.motion.withdraw(&mut self.cx);
        } else if self.cx.game.len() > n {
            self.cx.game.truncate(n);
            self.motion.follow(&mut self.cx);
        }
        for (idx, known) in sheet.moves.iter().enumerate().skip(n) {
            // On what was answered somebody has pressed, if the record says so.
            self.complete_by(&sheet.moves[..idx]);
            let uci = known.m.to_uci(self.cx.game.mode());
            let m = uci.to_move(self.cx.game.last()).ok().filter(|_| !known.is_illegal);
            let is_open = |m: &Move| self.cx.is_unnamed_promotion(*m) && !self.motion.has_named();
            let is_told = |m: &Move| !is_open(m) && !self.cx.shows_other(*m);
            let Some(m) = m.filter(is_told).filter(|_| !self.cx.is_over()) else { break };
            self.make(m);
        }
        if is_replaced {
            // What was pressed for before may be what came right after it.
            self.complete_by(&sheet.moves);
        }
        self.motion.note_gone_back(&mut self.cx);
        self.cx.forget_second();
        if self.cx.is_astray() {
            self.cx.await_rest();
        }
    }

    /// The piece of an illegal move may go on at once to where it may go, and need not be seen
    /// where it came from: the record then has that move in its place. True if it is so.
    fn follow_replacement(&mut self, sheet: &Sheet) -> bool {
        let n = self.cx.game.len();
        let is_demanded =
            self.cx.matters.demand().is_some_and(|demand| matches!(demand.then, Then::Replacing));
        if is_demanded && sheet.has_legal(n) && sheet.moves.len() == n + 1 {
            self.restored();
            return true;
        }
        !is_demanded && self.motion.note_replaced(&mut self.cx, sheet)
    }

    /// The move `m` is made, and whom it concerns is told.
    pub(super) fn make(&mut self, m: Move) {
        let by = self.cx.mover();
        if !self.sitting.is_opened() {
            self.late.came(by);
            self.sitting.end_resuming();
        }
        self.motion.make(&mut self.cx, m);
        self.offers.decline(&mut self.cx, by);
        self.sitting.note_if_missing(&mut self.cx);
        self.after_made();
    }

    /// The move ends the game, or the next one begins.
    fn after_made(&mut self) {
        let idx = self.cx.game.len() - 1;
        if self.ends_game() {
            return;
        }
        let has_pressed = self.motion.take_early().is_some_and(|by| by != self.cx.mover());
        if self.sitting.has_played() {
            self.cx.complete(idx);
        } else if has_pressed {
            if self.cx.clock.paused().is_some() {
                self.completes_on_resume = Some(idx);
            } else {
                self.cx.complete(idx);
            }
        }
    }

    /// The clock has run and stands, and nobody has said why. What is moved now is no play: a claim
    /// is being shown, or the game is over by the players' word.
    pub(super) fn is_idle(&self) -> bool {
        self.cx.phase == Phase::Running
            && self.cx.clock.running().is_none()
            && self.cx.clock.paused().is_none()
            && !self.sitting.is_opened()
    }

    /// The record has found a completed illegal move. The referee has seen it too, unless the
    /// presses came in such an order that none seemed to be for it.
    pub(super) fn on_illegal_found(&mut self, by: Color) {
        let is_decided = self.cx.is_over()
            || self.cx.matters.demand().is_some()
            || self.cx.matters.flag_seen().is_some();
        let is_known = self.cx.matters.standing_illegal().is_some();
        let is_open = self.cx.is_last_open() && by != self.cx.mover();
        if !is_decided && !is_known && is_open && self.motion.breaches().next().is_none() {
            // What it had of him was on its way there.
            self.motion.withdraw(&mut self.cx);
        }
        if !is_decided && !is_known && by == self.cx.mover() && self.cx.is_astray() {
            self.motion.judge_press(&mut self.cx, by);
        }
    }

    /// A move is announced, or repeated by the opponent. The last words before the press count,
    /// E2.6 (D.2.8).
    pub(super) fn on_announced(&mut self, by: Color, words: &str) {
        if self.cx.is_over() {
            self.cx.out.say(Ruling::Ignored);
            return;
        }
        if by != self.cx.mover() {
            self.cx.out.note(&format!("{by} says {words}"));
            return;
        }
        self.cx.out.note(&format!("{by} announces {words}"));
        match read(self.cx.game.last(), words, self.cx.terms.spoken) {
            Ok(m) => {
                self.cx.matters.close(|case| matches!(case, Case::Question));
                self.motion.announce(Some(m));
                if super::super::picture::exact(self.cx.game.last(), self.cx.board.seen())
                    .contains(&m)
                {
                    self.cx.matters.close(|case| matches!(case, Case::BoardsDiffer));
                }
                self.judge(Cause::Rest);
            }
            Err(Misread::PieceMissing(_)) => {
                self.cx.open(Case::Question, &["piece?"], MayAct::Yes);
            }
            Err(why) => {
                self.motion.announce(None);
                self.cx.out.note(&why.to_string());
            }
        }
    }

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
                self.begin_play();
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
            self.motion.press_on_made(&mut self.cx, by, idx);
            if by == self.cx.mover() && self.cx.is_astray() && self.cx.matters.demand().is_none() {
                // He was answered before he pressed; what he pressed on now is another matter.
                self.motion.judge_press(&mut self.cx, by);
            }
        } else if by == self.cx.mover() && self.cx.matters.demand().is_none() {
            self.motion.judge_press(&mut self.cx, by);
        } else if !is_handed_back(&self.cx) {
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
        self.begin_play();
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
        let is_made = |ply: &&PastPly| ply.by == by && !ply.is_completed;
        let has_made = self.cx.game.last_ply().filter(is_made).is_some();
        if !is_owed && !has_moved && !has_made || self.cx.clock.running() != Some(!by) {
            return false;
        }
        if self.cx.matters.demand().is_some() || self.cx.clock.paused().is_some() {
            return false;
        }
        self.cx.board.judged();
        if has_moved && !exact(self.cx.game.last(), self.cx.board.seen()).is_empty() {
            self.judge(Cause::Press);
        } else if has_moved {
            self.motion.judge_press(&mut self.cx, by);
            return true;
        }
        self.cx.game.first_open(by).is_some()
    }

    /// The end that the move made last brings by itself: mate, stalemate, and from 2018 the fifth
    /// occurrence and the 75 moves. 5.1a, 5.2a (5.1.1, 5.2.1, 9.6).
    pub(super) fn end_by_position(&self) -> Option<(Code, Score, &'static str)> {
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
        self.motion.is_end_open(&self.cx)
    }

    /// Nobody may claim any more how the last move was made: what it brought stands.
    pub(super) fn let_end_stand(&mut self) {
        if self.cx.is_over() || !self.cx.game.is_final() {
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
            if self.cx.game.is_final() {
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
