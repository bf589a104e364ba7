//! What is not held against hands: a piece that slides on, what lies about for a moment, and what
//! is moved while the clock stands.

use super::super::code::Code;
use super::super::picture::{Thing, disturbed, exact, target_of, victim_of};
use super::super::said::Ruling;
use super::super::why::{Attempt, Stage, attempt};
use super::context::Phase;
use super::turn::Cause;
use super::{OnBoard, Referee, Turn};
use crate::time::Mono;
use shakmaty::{CastlingMode, Chess, Color, Move, Piece, Position, Role, Square};

impl Referee {
    /// The clock has run and stands, and nobody has said why. What is moved now is no play: a claim
    /// is being shown, or the game is over by the players' word.
    pub(super) fn is_idle(&self) -> bool {
        !self.cx.is_tidy()
            && self.cx.phase == Phase::Running
            && self.cx.clock.running().is_none()
            && self.cx.clock.paused().is_none()
            && !self.sitting.is_opened()
    }

    /// Remembers when the piece that was moved last left its new square again.
    pub(super) fn note_withdrawn(&mut self, sq: Square, thing: Option<Thing>) {
        let last = self.cx.game.last_ply().filter(|ply| !ply.is_completed && !ply.is_illegal);
        let is_it = last.is_some_and(|ply| target_of(ply.m, ply.by) == sq);
        if is_it && thing.is_none() {
            self.turn.withdrawn.get_or_insert(self.cx.now);
        } else if is_it {
            self.turn.withdrawn = None;
        }
    }

    /// Whether what stands may be blamed on somebody. Hands slide pieces, put them between squares
    /// and knock them over, and messages get lost: without a press it is, when the record calls.
    pub(super) fn may_blame(&self, cause: Cause) -> bool {
        cause == Cause::Press || self.is_called || self.cx.is_tidy()
    }

    /// When pieces that are missing beside a move that stands are in no hand any more. 7.3 (7.4).
    pub(super) fn missing_at(&self) -> Option<Mono> {
        let is_open = !self.cx.is_over() && self.cx.matters.demand().is_none() && !self.is_idle();
        let since = self.turn.missing.filter(|_| is_open)?;
        Some(since + self.cx.terms.evidence.missing)
    }

    pub(super) fn watch_missing(&mut self) {
        if self.missing_at().is_some_and(|due| due <= self.cx.now) {
            self.turn.missing = None;
            self.displaced(None);
        }
    }

    /// Whether a move stands beside which nothing is wrong but that pieces are missing which were
    /// there when the turn began, or the opponent's stand elsewhere: no move carries those. What
    /// was touched first may still be in the hand.
    fn lacks_others(&self, pos: &Chess) -> bool {
        let astray = disturbed(pos, self.cx.board.seen()).map(|(_, astray)| astray);
        astray.is_some_and(|astray| {
            let may_be_his = self.cx.board.seen().known().by_color(pos.turn())
                | self.cx.board.seen().something();
            let is_missing = (astray & may_be_his).is_empty();
            let first = self.turn.touches.squares().first().copied();
            is_missing
                && first.is_some_and(|first| !astray.contains(first))
                && (astray & !self.turn.stirred).is_empty()
        })
    }

    /// A piece rests where it could not go. It may be on its way, or held up by another one.
    pub(super) fn suspect(&mut self, pos: &Chess) {
        let by = pos.turn();
        self.turn.missing = self.lacks_others(pos).then_some(self.cx.board.last_change());
        let tried = attempt(pos, self.cx.board.seen(), &self.turn.touches.squares());
        let is_his = |tried: &Attempt| {
            self.cx.board.seen().get(tried.from).is_none()
                && self.cx.board.seen().known().by_color(by).contains(tried.to)
        };
        let tried = tried.filter(is_his);
        if let Some(tried) = tried.filter(|tried| self.may_lie_astray(tried)) {
            self.turn.lying.add(tried.from);
            self.turn.suspect = None;
            return;
        }
        self.turn.suspect = tried.map(|tried| {
            let why = tried.why(&self.cx.game, self.cx.board.seen(), Stage::OnBoard);
            (tried.from, OnBoard { by, why })
        });
    }

    /// Whether a piece was likelier knocked over, or put half on a square, than moved: it lies
    /// right beside where it stood. Nobody is named for that. What became another piece on the way
    /// was put there.
    pub(super) fn may_lie_astray(&self, tried: &Attempt) -> bool {
        !self.cx.is_tidy()
            && tried.from.distance(tried.to) == 1
            && !tried.is_exchanged(self.cx.board.seen())
    }

    /// A piece that lay beside `sq` is back there: it was set right, and touched for nothing else.
    /// True if it is so.
    pub(super) fn is_set_right(&mut self, sq: Square) -> bool {
        let was_lying = self.turn.lying.contains(sq);
        if was_lying {
            self.turn.lying.discard(sq);
            self.turn.touches.forget(sq);
        }
        was_lying
    }

    /// A piece that rested where it could not go is back on `sq`, and the board shows the position
    /// again: that was an illegal move, and it was corrected.
    pub(super) fn note_taken_back(&mut self, sq: Square) {
        let Some((_, OnBoard { by, why })) = self.turn.suspect.filter(|(from, _)| *from == sq)
        else {
            return;
        };
        if self.cx.shows(self.cx.game.last().board()) {
            self.turn.suspect = None;
            self.turn.was_illegal = true;
            self.cx.out.log_with(Code::IllegalOnBoard, Some(by), why.to_owned());
        }
    }

    /// The record has long found no move in what stands, or finds order again.
    pub(super) fn on_looked(&mut self) {
        self.is_called = true;
        self.judge(Cause::Rest);
        self.is_called = false;
    }

    /// A sensor reads another piece of the same color than the one that stands there, and was not
    /// empty in between: a hand takes longer. Nobody touched it. In Chess960 king and rook may
    /// change places so. True if it is so.
    pub(super) fn note_misread(
        &mut self,
        sq: Square,
        before: Option<Thing>,
        thing: Option<Thing>,
    ) -> bool {
        let recorded = self.cx.game.last().board().piece_at(sq).map(Thing::Piece);
        let is_right = before == recorded || self.cx.board.misread().contains(sq);
        let is_other = match (recorded, thing) {
            (Some(Thing::Piece(known)), Some(Thing::Piece(read))) => {
                let may_castle = |piece: Piece| matches!(piece.role, Role::King | Role::Rook);
                let is_castling = self.cx.game.mode() == CastlingMode::Chess960
                    && may_castle(known)
                    && may_castle(read);
                known.color == read.color && known != read && !is_castling
            }
            _ => false,
        };
        let is_promoted = self
            .cx
            .game
            .last_ply()
            .is_some_and(|ply| !ply.is_completed && ply.m.is_promotion() && ply.m.to() == sq);
        let is_misread = is_right && is_other && !is_promoted && !self.cx.is_tidy();
        self.cx.board.set_misread(sq, is_misread);
        is_misread
    }

    /// The record has completed the last move, and has long been told that another piece stands at
    /// its end than the one that went: that was no legal move. True if it is so.
    pub(super) fn names_exchange(&mut self, pos: &Chess) -> bool {
        let Some(ply) = self.cx.game.last_ply().filter(|ply| ply.is_completed && !ply.is_illegal)
        else {
            return false;
        };
        let m = ply.m;
        let is_alone = self.cx.board.seen().differs(pos.board()).single_square() == Some(m.to());
        if !is_alone
            || m.is_promotion()
            || m.is_castle()
            || self.cx.board.misread().contains(m.to())
        {
            return false;
        }
        let before = self.cx.game.before_last().clone();
        let Some(tried) = attempt(&before, self.cx.board.seen(), &[]) else { return false };
        if m.from() != Some(tried.from) || !tried.is_exchanged(self.cx.board.seen()) {
            return false;
        }
        let shadow = tried.as_move(&before, self.cx.board.seen());
        self.was_illegal(self.cx.game.len() - 1, tried, shadow);
        true
    }

    /// The record has found a completed illegal move. He has seen it himself, unless the presses
    /// came in such an order that none seemed to be for it.
    pub(super) fn on_illegal_found(&mut self, by: Color) {
        let is_settled = self.cx.is_over()
            || self.cx.matters.demand().is_some()
            || self.cx.matters.flag_seen().is_some();
        let is_known = self.cx.matters.standing_illegal().is_some() || self.cx.is_tidy();
        if !is_settled && !is_known && by == self.cx.mover() && self.cx.is_astray() {
            self.judge_press(by);
        }
    }

    /// Own and enemy piece were touched at once. Where the one takes the other it says nothing.
    pub(super) fn note_simultaneous(&mut self, m: Move, turn: &Turn, by: Color) {
        let touched = |sq| turn.touches.includes(sq);
        let takes = m.is_capture() && touched(victim_of(m)) && m.from().is_some_and(touched);
        if turn.is_simultaneous && !takes {
            self.cx.out.log(Code::SimultaneousTouch, Some(by));
        }
    }

    /// Whether `m` breaks only what a touch binds to that may have been none: the piece was off its
    /// square for a while and stood nowhere else.
    pub(super) fn is_doubtful_touch(&self, pos: &Chess, m: Move, turn: &Turn) -> bool {
        let evidence = self.cx.terms.evidence;
        let was_elsewhere = turn.was_illegal || turn.on_board.is_some() || turn.carried.is_some();
        if evidence.is_tidy() || was_elsewhere || turn.castling_announced {
            return false;
        }
        let held = turn.touches.held(evidence.held);
        held.binding(pos).is_none_or(|bound| bound.allows(m, pos))
    }

    /// Whether the piece that was moved last has left its new square again so soon that it was not
    /// released there.
    pub(super) fn is_sliding(&self) -> bool {
        let last = self.cx.game.last_ply().zip(self.turn.withdrawn);
        last.is_some_and(|(ply, left)| {
            left.since(ply.made) + self.cx.terms.settle < self.cx.terms.evidence.released
        })
    }

    /// A piece that rested for a moment on a square where it might have stayed has gone on: it was
    /// slid, and not released there. True if that explains the board.
    pub(super) fn has_gone_on(&mut self) -> bool {
        let Some(ply) = self.cx.game.last_ply().filter(|_| self.is_sliding()) else { return false };
        let (old, by) = (ply.m, ply.by);
        let [other] = exact(self.cx.game.before_last(), self.cx.board.seen())[..] else {
            return false;
        };
        if old.is_promotion() || other.role() != old.role() || other.from() != old.from() {
            return false;
        }
        let idx = self.cx.game.len() - 1;
        self.cx.game.truncate(idx);
        let ply = self.cx.game.push(other, self.cx.now, false);
        let (san, uci) = (ply.san.clone(), ply.uci.clone());
        self.turn.withdrawn = None;
        self.cx.out.say(Ruling::Made { by, san, uci });
        self.is_back(idx);
        self.after_made();
        true
    }
}
