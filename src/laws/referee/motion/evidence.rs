//! What is not held against hands: a piece that slides on, what lies about for a moment, and what
//! is moved while the clock stands.

use super::super::super::code::Code;
use super::super::super::picture::{disturbed, exact, target_of, victim_of};
use super::super::super::why::{Attempt, Stage, attempt};
use super::super::context::Context;
use super::Motion;
use super::judge::displaced;
use super::turn::{OnBoard, Release, Turn};
use crate::table::Reading;
use crate::time::Mono;
use shakmaty::{CastlingMode, Chess, Color, Move, Piece, Position, Role, Square};

impl Motion {
    /// Remembers when the piece that was moved last left its new square again.
    pub(in super::super) fn note_withdrawn(
        &mut self,
        cx: &mut Context,
        sq: Square,
        reading: Reading,
    ) {
        if let Some(release) = &mut self.turn.release
            && target_of(release.m, cx.mover()) == sq
        {
            match reading {
                Reading::Empty => _ = release.left.get_or_insert(cx.now),
                _ => release.left = None,
            }
        }
        let last = cx.game.last_ply().filter(|ply| !ply.is_completed && !ply.is_illegal);
        let is_it = last.is_some_and(|ply| target_of(ply.m, ply.by) == sq);
        if is_it && reading == Reading::Empty {
            self.turn.withdrawn.get_or_insert(cx.now);
        } else if is_it {
            self.turn.withdrawn = None;
        }
    }

    /// When pieces that are missing beside a move that stands are in no hand any more. 7.3 (7.4).
    pub(in super::super) fn missing_at(&self, cx: &Context, is_idle: bool) -> Option<Mono> {
        let is_open = !cx.is_over() && cx.matters.demand().is_none() && !is_idle;
        let since = self.turn.missing.filter(|_| is_open)?;
        Some(since + cx.terms.evidence.missing)
    }

    pub(in super::super) fn watch_missing(&mut self, cx: &mut Context, is_idle: bool) {
        if self.missing_at(cx, is_idle).is_some_and(|due| due <= cx.now) {
            self.turn.missing = None;
            displaced(cx);
        }
    }

    /// Whether a move stands beside which nothing is wrong but that pieces are missing which were
    /// there when the turn began, or the opponent's stand elsewhere: no move carries those. What
    /// was touched first may still be in the hand.
    fn lacks_others(&self, cx: &Context, pos: &Chess) -> bool {
        let astray = disturbed(pos, cx.board.seen()).map(|(_, astray)| astray);
        astray.is_some_and(|astray| {
            let may_be_his = cx.board.seen().by_color(pos.turn()) | cx.board.seen().something();
            let is_missing = (astray & may_be_his).is_empty();
            let first = self.turn.touches.squares().first().copied();
            is_missing
                && first.is_some_and(|first| !astray.contains(first))
                && (astray & !self.turn.stirred).is_empty()
        })
    }

    /// A piece rests where it could not go. It may be on its way, or held up by another one.
    pub(in super::super) fn suspect(&mut self, cx: &mut Context, pos: &Chess) {
        let by = pos.turn();
        self.turn.missing = self.lacks_others(cx, pos).then_some(cx.board.last_change());
        let tried = attempt(pos, cx.board.seen(), &self.turn.touches.squares());
        let is_his = |tried: &Attempt| {
            !cx.board.seen().occupied().contains(tried.from)
                && cx.board.seen().by_color(by).contains(tried.to)
        };
        let tried = tried.filter(is_his);
        if let Some(tried) = tried.filter(|tried| self.may_lie_astray(cx, tried)) {
            self.turn.lying.add(tried.from);
            self.turn.suspect = None;
            return;
        }
        self.turn.suspect = tried.map(|tried| {
            let why = tried.why(&cx.game, cx.board.seen(), Stage::Made);
            OnBoard { by, why }
        });
    }

    /// Whether a piece was likelier knocked over, or put half on a square, than moved: it lies
    /// right beside where it stood. Nobody is named for that. What became another piece on the way
    /// was put there.
    pub(in super::super) fn may_lie_astray(&self, cx: &Context, tried: &Attempt) -> bool {
        tried.from.distance(tried.to) == 1 && !tried.is_exchanged(cx.board.seen())
    }

    /// A piece that lay beside `sq` is back there: it was set right, and touched for nothing else.
    /// True if it is so.
    pub(in super::super) fn is_set_right(&mut self, sq: Square) -> bool {
        let was_lying = self.turn.lying.contains(sq);
        if was_lying {
            self.turn.lying.discard(sq);
            self.turn.touches.forget(sq);
        }
        was_lying
    }

    /// A piece had rested where it could not go, and the board shows the position again: that was
    /// an illegal move, and it was corrected. What it took may come back after it.
    pub(in super::super) fn note_taken_back(&mut self, cx: &mut Context) {
        let Some(OnBoard { by, why }) = self.turn.suspect else { return };
        if cx.shows(cx.game.last().board()) {
            self.turn.suspect = None;
            self.turn.was_illegal = true;
            cx.out.log_with(Code::IllegalOnBoard, Some(by), why.word().to_owned());
        }
    }

    /// A sensor reads another piece of the same color than the one that stands there, and was not
    /// empty in between: a hand takes longer. Nobody touched it. In Chess960 king and rook may
    /// change places so. True if it is so.
    pub(in super::super) fn note_misread(
        &mut self,
        cx: &mut Context,
        sq: Square,
        before: Reading,
        reading: Reading,
    ) -> bool {
        let recorded = cx.game.last().board().piece_at(sq).map_or(Reading::Empty, Reading::Piece);
        let is_right = before == recorded || cx.board.misread().contains(sq);
        let is_other = match (recorded, reading) {
            (Reading::Piece(known), Reading::Piece(read)) => {
                let may_castle = |piece: Piece| matches!(piece.role, Role::King | Role::Rook);
                let is_castling = cx.game.mode() == CastlingMode::Chess960
                    && may_castle(known)
                    && may_castle(read);
                known.color == read.color && known != read && !is_castling
            }
            _ => false,
        };
        let is_promoted = cx
            .game
            .last_ply()
            .is_some_and(|ply| !ply.is_completed && ply.m.is_promotion() && ply.m.to() == sq);
        let is_misread = is_right && is_other && !is_promoted;
        cx.board.set_misread(sq, is_misread);
        is_misread
    }

    /// The record has completed the last move, and has long been told that another piece stands at
    /// its end than the one that went: that was no legal move. True if it is so.
    pub(in super::super) fn names_exchange(&mut self, cx: &mut Context, pos: &Chess) -> bool {
        let Some(ply) = cx.game.last_ply().filter(|ply| ply.is_completed && !ply.is_illegal) else {
            return false;
        };
        let m = ply.m;
        let is_alone = cx.board.seen().differs(pos.board()).single_square() == Some(m.to());
        if !is_alone || m.is_promotion() || m.is_castle() || cx.board.misread().contains(m.to()) {
            return false;
        }
        let before = cx.game.before_last().clone();
        let Some(tried) = attempt(&before, cx.board.seen(), &[]) else { return false };
        if m.from() != Some(tried.from) || !tried.is_exchanged(cx.board.seen()) {
            return false;
        }
        let shadow = tried.as_move(&before, cx.board.seen());
        self.was_illegal(cx, cx.game.len() - 1, tried, shadow);
        true
    }

    /// Own and enemy piece were touched at once. Where the one takes the other it says nothing.
    pub(in super::super) fn note_simultaneous(
        &mut self,
        cx: &mut Context,
        m: Move,
        turn: &Turn,
        by: Color,
    ) {
        let touched = |sq| turn.touches.includes(sq);
        let takes = m.is_capture() && touched(victim_of(m)) && m.from().is_some_and(touched);
        if turn.is_simultaneous && !takes {
            cx.out.log(Code::SimultaneousTouch, Some(by));
        }
    }

    /// Whether `m` breaks only what a touch binds to that may have been none: the piece was off its
    /// square for a while and stood nowhere else.
    pub(in super::super) fn is_doubtful_touch(
        &self,
        cx: &Context,
        pos: &Chess,
        m: Move,
        turn: &Turn,
    ) -> bool {
        let was_elsewhere = turn.was_illegal || turn.on_board.is_some() || turn.carried.is_some();
        if was_elsewhere || turn.castling_announced {
            return false;
        }
        let held = turn.touches.held(cx.terms.evidence.held);
        // Of a board with pegs a piece is on its square when its player says so.
        let held = if cx.is_impaired(pos.turn()) { held } else { held.told_of(m) };
        held.binding(pos).is_none_or(|bound| bound.allows(m, pos))
    }

    /// The board has rested at the end of `m`, of which the record says nothing yet.
    pub(in super::super) fn note_release(&mut self, cx: &Context, m: Move) {
        let is_it = |known: &Release| known.m == m;
        let is_kept = |known: &Release| is_it(known) || self.was_released(cx, known);
        if !self.turn.release.as_ref().is_some_and(is_kept) {
            self.turn.release = Some(Release { m, made: cx.now, left: None });
        }
    }

    /// Whether the piece rested for so long that it was released.
    pub(in super::super) fn was_released(&self, cx: &Context, release: &Release) -> bool {
        if release.m.is_promotion() {
            // Its choice is final at first contact. 4.4d (4.4.4).
            return true;
        }
        let left = release.left.unwrap_or(cx.now);
        left.since(release.made) + cx.terms.rest >= cx.terms.evidence.released
    }

    /// The half-move made last was none: the record has withdrawn it. What was released is.
    pub(in super::super) fn withdraw(&mut self, cx: &mut Context) {
        let Some(ply) = cx.game.last_ply().cloned() else { return };
        let idx = cx.game.len() - 1;
        cx.game.truncate(idx);
        let left = self.turn.withdrawn;
        let since = std::mem::take(&mut self.turn.touches);
        self.turn = self.before.take().map_or_else(Turn::default, |turn| *turn);
        self.turn.touches.go_on(since, ply.by);
        self.note_rook_first(cx);
        self.breaches.retain(|breach| breach.ply < idx || breach.first.is_some());
        let release = Release { m: ply.m, made: ply.made, left };
        if !self.turn.release.as_ref().is_some_and(|known| self.was_released(cx, known)) {
            self.turn.release = Some(release);
        }
    }

    /// Whether the piece that was moved last has left its new square again so soon that it was not
    /// released there.
    pub(in super::super) fn is_sliding(&self, cx: &Context) -> bool {
        let last = cx.game.last_ply().zip(self.turn.withdrawn);
        last.is_some_and(|(ply, left)| {
            left.since(ply.made) + cx.terms.rest < cx.terms.evidence.released
        })
    }

    /// Whether a piece that rested for a moment on a square where it might have stayed has gone on:
    /// it was slid, and not released there. What it played, the record says.
    pub(in super::super) fn has_gone_on(&self, cx: &Context) -> bool {
        let Some(ply) = cx.game.last_ply().filter(|_| self.is_sliding(cx)) else { return false };
        let [other] = exact(cx.game.before_last(), cx.board.seen())[..] else { return false };
        !ply.m.is_promotion() && other.role() == ply.m.role() && other.from() == ply.m.from()
    }
}
