//! The life of a move: touched, bound, on its way, made. All editions: Art. 4.2 to 4.7.

use super::super::super::code::Code;
use super::super::super::picture::{
    disturbed, exact, partial, target_of, victim_of, with_other_turn,
};
use super::super::super::profile::{HandlingWatch, KingRelease, Unpressed};
use super::super::super::said::{Binding, Ruling};
use super::super::super::touch::{castling, names};
use super::super::super::why::{Stage, attempt, castle_of};
use super::super::context::Context;
use super::super::matter::{Breach, Case, MayAct};
use super::illegal::{answers_illegal, illegal_lapses, illegal_stands};
use super::turn::{OnBoard, Turn};
use super::{Cause, Hand, Motion};
use crate::table::Reading;
use shakmaty::{CastlingMode, CastlingSide, Chess, Color, Move, Piece, Position, Role, Square};

impl Motion {
    /// The board is touched: what was missing may be in a hand.
    pub(in super::super) fn change(&mut self) {
        self.turn.missing = None;
    }

    /// The sensor of `sq` stirred on this turn.
    pub(in super::super) fn stir(&mut self, sq: Square) {
        self.turn.stirred.add(sq);
    }

    /// What a sensor that stirred tells of touches. If the player on move touched a piece to move
    /// or capture it, the answer is whether he did so on purpose.
    pub(in super::super) fn sense(
        &mut self,
        cx: &mut Context,
        sq: Square,
        before: Reading,
    ) -> Option<bool> {
        let reading = cx.board.seen().get(sq);
        self.note_withdrawn(cx, sq, reading);
        let recorded = cx.game.last().board().piece_at(sq);
        let stood = recorded.filter(|known| before.may_be(*known));
        let stands = recorded.is_some_and(|known| reading.may_be(known));
        let is_misread = self.note_misread(cx, sq, before, reading);
        if let Some(piece) = stood.filter(|_| !is_misread) {
            return self.lifted(cx, sq, piece);
        }
        if stands {
            self.put_back(cx, sq);
        }
        None
    }

    /// A promotion is final at first contact, 4.4d (4.4.4).
    pub(in super::super) fn is_promoted_on(&self, cx: &Context, sq: Square) -> bool {
        let is_promotion = |m: &Move| m.is_promotion() && m.to() == sq;
        let found = || exact(cx.game.last(), cx.board.seen());
        cx.board.seen().occupied().contains(sq) && found().iter().any(is_promotion)
    }

    fn lifted(&mut self, cx: &mut Context, sq: Square, piece: Piece) -> Option<bool> {
        let by = cx.mover();
        let is_own = piece.color == by;
        let last = cx.game.last_ply();
        let is_second_thought = !is_own
            && last.is_some_and(|ply| {
                !ply.is_completed && target_of(ply.m, ply.by) == sq && !ply.is_illegal
            });
        if is_second_thought {
            return None;
        }
        if !self.turn.is_adjusting {
            self.touched(cx, sq, piece);
        }
        cx.out.say(Ruling::Touched { by, sq });
        (is_own || may_be_captured(cx, sq)).then_some(!self.turn.is_adjusting)
    }

    fn touched(&mut self, cx: &mut Context, sq: Square, piece: Piece) {
        let window = cx.terms.touch_window;
        self.turn.is_simultaneous |= self.turn.touches.add(sq, piece, cx.now, window);
        self.note_rook_first(cx);
    }

    /// Whether the player who is to move has taken the rook before the king.
    pub(super) fn note_rook_first(&mut self, cx: &mut Context) {
        let by = cx.mover();
        let pos = cx.game.last();
        let side = self.turn.touches.held(cx.terms.evidence.held).rook_first(pos);
        let side = side.filter(|_| !is_castling_by_rook(cx));
        if let Some(side) = side.filter(|_| self.turn.rook_first.is_none()) {
            self.turn.rook_first = Some(side);
            cx.out.log(Code::RookFirst, Some(by));
        }
    }

    /// `by`, who is to move, has touched a piece: he can no longer claim how the move before was
    /// made. 4.7 (4.8). True if anything lapsed.
    pub(in super::super) fn lapse_by_touch(&mut self, cx: &mut Context, by: Color) -> bool {
        illegal_lapses(cx, by);
        let lapses = |breach: &Breach| breach.by != by && breach.may_lapse() && !breach.is_answered;
        if !self.breaches.iter().any(lapses) {
            return false;
        }
        if self.breaches.iter().any(|breach| lapses(breach) && !breach.is_doubtful) {
            cx.out.log(Code::TouchClaimLost, Some(by));
        }
        self.lapse(cx);
        true
    }

    /// Says what stands on the board. The answer is the legal move at whose end it is.
    pub(in super::super) fn judge(
        &mut self,
        cx: &mut Context,
        cause: Cause,
        hand: Hand,
    ) -> Option<Move> {
        if self.is_put_right(cx) {
            return None;
        }
        self.undo_second(cx);
        let pos = cx.game.last().clone();
        if cx.shows(pos.board()) {
            self.agrees(cx);
            return None;
        }
        if hand == Hand::Idle {
            return None;
        }
        if cause == Cause::Called && self.names_exchange(cx, &pos) {
            return None;
        }
        let found = self.moves_shown(cx, &pos, cause);
        if let [m] = found[..] {
            return self.found(cx, &pos, m, cause, hand);
        }
        let is_open = cx.is_last_open();
        if is_open && self.has_gone_on(cx) {
            return None;
        }
        if is_open && cause == Cause::Press && self.has_slid_beyond(cx, &pos) {
            return None;
        }
        let ways = partial(&pos, cx.board.seen());
        // Hands slide pieces, put them between squares and knock them over, and messages get lost:
        // somebody is blamed for what stands when the clock is pressed or the record calls.
        if found.is_empty() && ways.is_empty() && cause == Cause::Rest {
            if is_open && self.left_release(cx, &pos) {
                return None;
            }
            self.suspect(cx, &pos);
            return None;
        }
        if is_open && self.has_second_thoughts(cx, &pos) {
            return None;
        }
        if !found.is_empty() || !ways.is_empty() {
            self.on_the_way(cx, &pos, if ways.is_empty() { &found } else { &ways });
            return None;
        }
        let arrived = cx.board.seen().differs(pos.board()) & cx.board.seen().occupied();
        if !arrived.is_empty() {
            self.irregular(cx, &pos, cause);
        }
        None
    }

    /// One legal move explains the board.
    fn found(
        &mut self,
        cx: &mut Context,
        pos: &Chess,
        m: Move,
        cause: Cause,
        hand: Hand,
    ) -> Option<Move> {
        let is_doubtful = may_become_castling(pos, m);
        let waits = cause != Cause::Press || self.turn.castling_announced;
        if is_doubtful && waits {
            self.turn.on_board = None;
            if !self.turn.castling_announced {
                two_readings(cx, pos, m);
            }
            return None;
        }
        if self.waits_for_words(cx, pos, m) {
            return None;
        }
        if hand == Hand::Seals {
            let san = shakmaty::san::SanPlus::from_move(pos.clone(), m).to_string();
            cx.out.say(Ruling::SealedMustBe { san });
            return None;
        }
        Some(m)
    }

    fn put_back(&mut self, cx: &mut Context, sq: Square) {
        if !self.turn.touches.includes(sq) {
            return;
        }
        if self.is_set_right(sq) {
            return;
        }
        let by = cx.mover();
        self.note_taken_back(cx);
        let is_impaired = cx.terms.impaired.is_some_and(|impaired| impaired.side == by);
        if !is_impaired {
            self.turn.touches.put_back(sq, cx.now, cx.terms.brush);
        }
        let is_of_board =
            |case: &Case| matches!(case, Case::OutOfTurn | Case::Displaced | Case::Second { .. });
        if cx.matters.has(is_of_board) {
            return;
        }
        if !self.castles_with(cx, sq)
            && self.turn.touches.forgive(sq, cx.now, cx.terms.evidence.adjusting)
            && !is_impaired
        {
            return;
        }
        cx.out.log_with(Code::TouchedReturned, Some(by), sq.to_string());
        let is_own = cx.game.last().us().contains(sq);
        if !is_own && !may_be_captured(cx, sq) {
            // Which hand it was no sensor sees: the owner's, who is not to move, or the other's.
            cx.out.log_with(Code::AdjustOutOfTurn, Some(!by), sq.to_string());
        }
    }

    /// Whether the rook from `sq`, which is back there, was taken for as long as hands hold what
    /// they mean to move, while the king was in a hand that may castle with it: nobody knocks over
    /// a rook so far from his king. 4.4a (4.4.1).
    fn castles_with(&self, cx: &Context, sq: Square) -> bool {
        let pos = cx.game.last();
        let is_rook = pos.board().piece_at(sq) == Some(Role::Rook.of(pos.turn()));
        let king = pos.board().king_of(pos.turn());
        let is_rook = is_rook && king.is_some_and(|king| king.distance(sq) > 1);
        let held = self.turn.touches.held(cx.terms.evidence.held);
        is_rook && held.includes(sq) && held.castles(pos)
    }

    /// The legal moves that the board shows. Where pieces have no names a capture must have been
    /// seen to happen, unless the clock says that something was played.
    fn moves_shown(&self, cx: &Context, pos: &Chess, cause: Cause) -> Vec<Move> {
        let mut found = exact(pos, cx.board.seen());
        found.retain(|m| {
            let is_unnamed = m.is_capture() && cx.board.seen().something().contains(m.to());
            cause == Cause::Press || !is_unnamed || self.turn.stirred.contains(m.to())
        });
        if let Some(role) = self.turn.promotes_to {
            found.retain(|m| !m.is_promotion() || m.promotion() == Some(role));
        }
        found
    }

    /// Whether the board shows a promotion, and not to what: pieces have no names, and nobody has
    /// said it.
    pub(in super::super) fn shows_promotion(&self, cx: &Context) -> bool {
        let found = self.moves_shown(cx, cx.game.last(), Cause::Rest);
        found.len() > 1 && found.iter().all(|m| m.is_promotion())
    }

    /// The board shows the position on record.
    fn agrees(&mut self, cx: &mut Context) {
        let last = cx.game.last_ply().map(|ply| ply.m);
        let is_of_board = |case: &Case| match case {
            // Both are on record as one, and which was played is for the arbiter.
            Case::Second { both: Some(m), .. } => Some(*m) != last,
            Case::OutOfTurn | Case::Displaced | Case::Second { .. } => true,
            _ => false,
        };
        let pressed = cx.matters.second_pressed().filter(|_| cx.matters.has(is_of_board));
        let was_astray = cx.matters.close(is_of_board);
        if was_astray || self.has_gone_beyond() || self.stands_elsewhere(cx) {
            cx.out.log(Code::Restored, None);
            self.turn.touches.clear();
        }
        self.come_back(cx);
        self.note_gone_back(cx);
        // An order may have taken the move back meanwhile.
        let is_open = |idx: &usize| cx.game.plies().get(*idx).is_some_and(|ply| !ply.is_completed);
        if let Some(idx) = pressed.filter(is_open) {
            cx.complete(idx);
        }
        if self.turn.on_board.take().is_some() {
            self.turn.was_illegal = true;
        }
    }

    /// The board shows a part of one or more legal moves.
    fn on_the_way(&mut self, cx: &mut Context, pos: &Chess, ways: &[Move]) {
        let turn = pos.turn();
        if self.turn.on_board.take().is_some() {
            self.turn.was_illegal = true;
        }
        let king = Role::King.of(turn);
        let castles = ways.iter().find_map(|m| {
            let side = m.castling_side()?;
            let to = side.king_to(turn);
            let is_down = cx.board.seen().piece_at(to) == Some(king);
            (is_down && pos.board().piece_at(to) != Some(king)).then_some(side)
        });
        // What was touched before binds to something else.
        let bound = self.turn.touches.binding(pos);
        if bound.is_some_and(|bound| !ways.iter().any(|m| bound.allows(*m, pos))) {
            return;
        }
        // Whoever touched the rook first may not castle with it.
        if let Some(side) = castles.filter(|side| self.turn.rook_first != Some(*side)) {
            self.turn.released.get_or_insert(Binding::Castle(side, names(pos)));
            return;
        }
        let to = ways[0].to();
        let is_promotion = ways.iter().all(|m| m.is_promotion() && m.to() == to);
        let shown = cx.board.seen();
        let is_stirred = self.turn.stirred.contains(to) || !shown.unnamed().contains(to);
        let is_down = shown.get(to).may_be(Role::Pawn.of(turn)) && is_stirred;
        if is_promotion && is_down {
            self.turn.released.get_or_insert(Binding::Promote(to, None));
        }
        // The captured pawn is still there. Unlike later texts that of 2005 binds by touch alone.
        let is_passing = ways.iter().all(|m| m.is_en_passant() && m.to() == to);
        if is_passing && is_down && cx.rules.king_release != KingRelease::Free {
            self.turn.released.get_or_insert(Binding::Destination(to));
        }
    }

    /// No legal move, and no part of one, explains the board.
    fn irregular(&mut self, cx: &mut Context, pos: &Chess, cause: Cause) {
        let by = pos.turn();
        let diff = cx.board.seen().differs(pos.board());
        let concerns_mover = diff.into_iter().any(|sq| {
            let is_his = |piece: Option<Piece>| piece.is_some_and(|piece| piece.color == by);
            is_his(pos.board().piece_at(sq)) || is_his(cx.board.seen().piece_at(sq))
        });
        if !concerns_mover {
            self.not_on_move(cx, pos);
            return;
        }
        if is_disturbed_before_press(cx, pos) {
            displaced(cx);
            return;
        }
        let lifted = self.turn.touches.squares();
        let tried = attempt(pos, cx.board.seen(), &lifted);
        let is_castling = tried.is_some_and(|tried| castle_of(pos, &tried).is_some());
        let disorder = disturbed(pos, cx.board.seen()).filter(|_| !is_castling);
        let is_known = self.turn.on_board.is_some();
        if let Some((_, astray)) = disorder.filter(|_| !is_known) {
            // A piece that is missing may be in a hand; one that stands astray was displaced.
            if cause != Cause::Press && !(astray & cx.board.seen().occupied()).is_empty() {
                displaced(cx);
            }
            return;
        }
        let arrived = diff & cx.board.seen().by_color(by);
        let is_disorder = tried.is_none() || arrived.count() > 1 && !is_castling && !is_known;
        if is_disorder && cause != Cause::Press {
            displaced(cx);
            return;
        }
        let Some(tried) = tried else { return };
        let is_known_to_stand = matches!(cause, Cause::Press | Cause::Stands);
        if !is_known_to_stand && !is_castling && self.may_lie_astray(cx, &tried) {
            displaced(cx);
            return;
        }
        self.turn.lying.discard(tried.from);
        let why = tried.why(&cx.game, cx.board.seen(), Stage::Made);
        self.turn.suspect = None;
        if self.turn.on_board.replace(OnBoard { by, why }).is_none() && cause != Cause::Press {
            cx.out.log_with(Code::IllegalOnBoard, Some(by), why.word().to_owned());
        }
    }

    /// Pieces of the player who is not to move went elsewhere. 1.1, 7.5.
    fn not_on_move(&mut self, cx: &mut Context, pos: &Chess) {
        let is_known = |case: &Case| matches!(case, Case::OutOfTurn | Case::Displaced);
        if cx.matters.has(is_known) {
            return;
        }
        let played = with_other_turn(pos).map_or_else(Vec::new, |pos| exact(&pos, cx.board.seen()));
        if played.is_empty() {
            displaced(cx);
            return;
        }
        self.turn.touches.clear();
        cx.out.log(Code::OutOfTurn, Some(!pos.turn()));
        cx.open(Case::OutOfTurn, &["restore", "other"], MayAct::Yes);
    }

    /// What the player who is to move is bound to by what he touched, released or announced.
    pub(in super::super) fn bound(&self, cx: &Context) -> Option<Binding> {
        let pos = cx.game.last();
        if let Some(carried) = &self.turn.carried {
            return Some(carried.clone());
        }
        let touched = || self.turn.touches.binding(pos);
        if self.turn.castling_announced
            && let Some(announced) = announced_castling(pos)
        {
            let is_side = |bound: &Binding| matches!(bound, Binding::Castle(..));
            let side = self.turn.released.clone().or_else(touched).filter(is_side);
            return Some(side.unwrap_or(announced));
        }
        self.turn.released.clone().or_else(touched)
    }

    /// The move `m` is made: released on the board. 4.6 (4.7).
    pub(in super::super) fn make(&mut self, cx: &mut Context, m: Move) {
        let pos = cx.game.last().clone();
        let by = pos.turn();
        let mut after = pos.clone();
        after.play_unchecked(m);
        let released = cx.board.came(target_of(m, by));
        let reply = self.turn.touches.split_reply(m, &after, released);
        if cx.matters.has(|case| matches!(case, Case::Displaced)) {
            // What lay about was set right beside the move, and touched for nothing else.
            self.turn.touches.clear();
        }
        self.stands_as_both(cx);
        self.note_reply(cx, by);
        let is_broken = |bound: &Binding| !bound.allows(m, &pos);
        let beside = || match &self.turn.carried {
            Some(_) => self.turn.released_before.clone(),
            None => self.turn.touches.binding(&pos),
        };
        let broken = self.bound(cx).filter(is_broken).or_else(|| beside().filter(is_broken));
        let mut turn = std::mem::take(&mut self.turn);
        let rested = turn.release.take_if(|release| release.m == m);
        self.before = Some(Box::new(turn.clone()));
        self.note_simultaneous(cx, m, &turn, by);
        if cx.rules.unpressed == Unpressed::NextMove
            && let Some(idx) = cx.game.first_open(by)
        {
            cx.complete(idx);
        }
        let stands = answers_illegal(cx, by);
        let ply = cx.game.push(m, rested.map_or(cx.now, |release| release.made), false);
        let (san, uci) = (ply.san.clone(), ply.uci.clone());
        self.turn.touches = reply.begun(&after);
        self.note_rook_first(cx);
        if stands {
            illegal_stands(cx);
        }
        cx.out.say(Ruling::Made { by, san: san.clone(), uci });
        cx.out.log_with(Code::MoveMade, Some(by), san);
        if turn.was_illegal || turn.on_board.is_some() {
            cx.out.log(Code::CorrectedBeforePress, Some(by));
        }
        let is_astray = cx.is_astray();
        let is_both = |case: &Case| matches!(case, Case::Second { both, .. } if *both == Some(m));
        if cx.matters.has(is_both) {
            // Which of both moves was played is for the arbiter.
            return;
        }
        if let Some(binding) = broken {
            self.broke(cx, &pos, m, &turn, binding);
        }
        let is_set_right = |case: &Case| match case {
            Case::BoardsDiffer => true,
            Case::Displaced => !is_astray,
            _ => false,
        };
        if cx.matters.close(is_set_right) {
            cx.out.log(Code::Restored, None);
        }
        if let Some(release) = turn.release {
            self.moved_on(cx, &pos, &release);
        }
    }

    /// `m` is not what the player was bound to.
    fn broke(&mut self, cx: &mut Context, pos: &Chess, m: Move, turn: &Turn, binding: Binding) {
        let by = pos.turn();
        let (mut first, mut is_doubtful, mut is_release) = (None, false, false);
        if turn.carried.is_none() && turn.released.as_ref() == Some(&binding) {
            if matches!(binding, Binding::Castle(..)) && cx.rules.king_release == KingRelease::Free
            {
                return;
            }
            first = first_reading(pos, m, &binding);
            is_release = true;
            cx.out.log(Code::MovedAfterRelease, Some(by));
        } else if turn.rook_first.is_none() || m.castling_side() != turn.rook_first {
            is_doubtful = self.is_doubtful_touch(cx, pos, m, turn);
            if !is_doubtful {
                cx.out.log_with(Code::TouchMove, Some(by), format!("bound to {binding}"));
            }
        }
        let breach = Breach::by_release(self.next_breach(), by, cx.game.len() - 1, binding);
        self.breaches.push(Breach { first, is_release, is_doubtful, ..breach });
        if !is_doubtful {
            note_handling(cx);
        }
    }
}

/// What would have been played if the first release had been the end of it.
fn first_reading(pos: &Chess, m: Move, binding: &Binding) -> Option<String> {
    let legal = pos.legal_moves();
    let first = legal.into_iter().find(|first| match binding {
        Binding::Castle(side, _) => first.castling_side() == Some(*side),
        Binding::Promote(sq, _) => first.to() == *sq && first.promotion() == m.promotion(),
        _ => false,
    })?;
    Some(shakmaty::san::San::from_move(pos, first).to_string())
}

/// Pieces stand astray. No sensor tells who displaced them.
pub(in super::super) fn displaced(cx: &mut Context) {
    if cx.matters.has(|case| matches!(case, Case::Displaced)) {
        return;
    }
    let pos = cx.game.last();
    // Beside a move that stands its own squares are as they should be.
    let squares = match disturbed(pos, cx.board.seen()) {
        Some((_, astray)) => astray,
        None => cx.board.seen().differs(pos.board()),
    };
    if (squares & !cx.board.misread()).is_empty() {
        return;
    }
    let names: Vec<String> = squares.into_iter().map(|sq| sq.to_string()).collect();
    cx.out.log_with(Code::Displaced, None, names.join(" "));
    cx.open(Case::Displaced, &["restore", "other"], MayAct::Yes);
}

/// In Chess960 a rook may castle alone: touching it first says nothing.
fn is_castling_by_rook(cx: &Context) -> bool {
    let pos = cx.game.last();
    cx.game.mode() == CastlingMode::Chess960
        && pos.legal_moves().iter().any(|m| match m {
            Move::Castle { king, .. } => target_of(*m, pos.turn()) == *king,
            _ => false,
        })
}

fn may_be_captured(cx: &Context, sq: Square) -> bool {
    let takes = |m: &Move| m.is_capture() && victim_of(*m) == sq;
    cx.game.last().legal_moves().iter().any(takes)
}

/// A king's move and a castling that begins alike.
fn two_readings(cx: &mut Context, pos: &Chess, m: Move) {
    let reaches = |other: &Move| other.is_castle() && target_of(*other, pos.turn()) == m.to();
    let castle = pos.legal_moves().into_iter().find(reaches);
    let san = |m: Move| shakmaty::san::SanPlus::from_move(pos.clone(), m).to_string();
    let candidates = [Some(m), castle].into_iter().flatten().map(san).collect();
    cx.out.say(Ruling::Unresolved { candidates });
}

/// In Chess960 a king one step away may be on its way to castle.
fn may_become_castling(pos: &Chess, m: Move) -> bool {
    let stands =
        |side: &CastlingSide| castling(pos, *side).is_some() && side.king_to(pos.turn()) == m.to();
    m.role() == Role::King && !m.is_castle() && CastlingSide::ALL.iter().any(stands)
}

/// Pieces of the player who is to move stand wrongly while the other's clock still runs: the
/// other, who has moved and not pressed, knocked them over. 7.3.
fn is_disturbed_before_press(cx: &Context, pos: &Chess) -> bool {
    let by = pos.turn();
    let is_open = cx.is_last_open();
    is_open && cx.clock.running() == Some(!by)
}

pub(in super::super) fn note_handling(cx: &mut Context) {
    cx.matters.set_may_act(match cx.rules.handling_watch {
        HandlingWatch::Arbiter => MayAct::Yes,
        HandlingWatch::OnRequest => MayAct::OnRequest,
    });
}

/// What the announcement of castling binds to: the side stays open until king or rook is
/// released, if both are legal.
fn announced_castling(pos: &Chess) -> Option<Binding> {
    let is_legal = |side| castling(pos, side).is_some();
    match CastlingSide::ALL.map(is_legal) {
        [true, true] => Some(Binding::CastleEither),
        [true, false] => Some(Binding::Castle(CastlingSide::ALL[0], names(pos))),
        [false, true] => Some(Binding::Castle(CastlingSide::ALL[1], names(pos))),
        [false, false] => None,
    }
}
