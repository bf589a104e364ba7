//! The life of a move: touched, bound, on its way, made. All editions: Art. 4.2 to 4.7.

use super::super::code::Code;
use super::super::picture::{
    Thing, disturbed, exact, partial, target_of, victim_of, with_other_turn,
};
use super::super::profile::{HandlingWatch, KingRelease, Unpressed};
use super::super::said::{Binding, Ruling};
use super::super::touch::{castling, names};
use super::super::why::{Stage, attempt, castle_of};
use super::matter::{Breach, Case, MayAct};
use super::{OnBoard, Referee, Turn};
use shakmaty::{CastlingMode, CastlingSide, Chess, Color, Move, Piece, Position, Role, Square};

/// Whether a clock was pressed on what is judged.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// The piece has been at rest.
    Rest,
    /// The clock was pressed: whatever stands is meant.
    Press,
}

impl Referee {
    /// A sensor reads something else.
    pub(super) fn on_square(&mut self, sq: Square, thing: Option<Thing>) {
        let sq = self.cx.board.mapped(sq);
        let before = self.cx.board.seen().get(sq);
        if before == thing {
            return;
        }
        self.cx.board.set(sq, thing);
        self.cx.board.change_at(self.cx.now);
        self.turn.missing = None;
        if self.cx.is_over() || self.is_play_over() {
            self.cx.out.say(Ruling::Ignored);
            return;
        }
        if let Some(demand) = self.cx.matters.demand() {
            if self.cx.shows(&demand.board) {
                self.restored();
            }
            return;
        }
        self.cx.await_rest();
        if self.sitting.keeps_still(&self.cx) {
            return;
        }
        self.turn.stirred.add(sq);
        if self.is_idle() {
            return;
        }
        self.note_withdrawn(sq, thing);
        let recorded = self.cx.game.last().board().piece_at(sq);
        let stood = match before {
            Some(Thing::Piece(piece)) => recorded.filter(|known| *known == piece),
            Some(Thing::Something) => recorded,
            None => None,
        };
        let stands = match thing {
            Some(Thing::Piece(piece)) => recorded == Some(piece),
            Some(Thing::Something) => recorded.is_some(),
            None => false,
        };
        let is_misread = self.note_misread(sq, before, thing);
        if let Some(piece) = stood.filter(|_| !is_misread) {
            self.lifted(sq, piece);
        } else if stands {
            self.put_back(sq);
        }
        // A promotion is final at first contact, 4.4d (4.4.4).
        let is_promotion = |m: &Move| m.is_promotion() && m.to() == sq;
        let is_promoted =
            || exact(self.cx.game.last(), self.cx.board.seen()).iter().any(is_promotion);
        let is_exchanged = || {
            let last = self.cx.game.last_ply().filter(|ply| !ply.is_completed);
            self.cx.is_tidy() && last.is_some_and(|ply| is_promotion(&ply.m))
        };
        if thing.is_some() && (is_promoted() || is_exchanged()) {
            self.cx.board.judged();
            self.settle();
        }
    }

    fn lifted(&mut self, sq: Square, piece: Piece) {
        let by = self.cx.mover();
        let is_own = piece.color == by;
        let last = self.cx.game.last_ply();
        let is_second_thought = !is_own
            && last.is_some_and(|ply| {
                !ply.is_completed && target_of(ply.m, ply.by) == sq && !ply.is_illegal
            });
        if is_second_thought {
            return;
        }
        if !self.turn.is_adjusting {
            let window = self.cx.terms.touch_window;
            if self.turn.touches.add(sq, piece, self.cx.now, window) {
                if self.cx.is_tidy() {
                    self.cx.out.log(Code::SimultaneousTouch, Some(by));
                } else {
                    self.turn.is_simultaneous = true;
                }
            }
            let pos = self.cx.game.last();
            let side = self.turn.touches.held(self.cx.terms.evidence.held).rook_first(pos);
            let side = side.filter(|_| !self.is_castling_by_rook());
            if let Some(side) = side.filter(|_| self.turn.rook_first.is_none()) {
                self.turn.rook_first = Some(side);
                self.cx.out.log(Code::RookFirst, Some(by));
            }
        }
        self.cx.out.say(Ruling::Touched { by, sq });
        if is_own || self.may_be_captured(sq) {
            // What the envelope's move takes is the arbiter's hand.
            if !self.sitting.is_opened() {
                self.late.came(by);
            }
            if !self.turn.is_adjusting {
                self.touched_on_purpose(by);
            }
        }
    }

    /// In Chess960 a rook may castle alone: touching it first says nothing.
    fn is_castling_by_rook(&self) -> bool {
        let pos = self.cx.game.last();
        self.cx.game.mode() == CastlingMode::Chess960
            && pos.legal_moves().iter().any(|m| match m {
                Move::Castle { king, .. } => target_of(*m, pos.turn()) == *king,
                _ => false,
            })
    }

    fn may_be_captured(&self, sq: Square) -> bool {
        let takes = |m: &Move| m.is_capture() && victim_of(*m) == sq;
        self.cx.game.last().legal_moves().iter().any(takes)
    }

    /// `by`, who is to move, has touched a piece: he can no longer claim how the move before was
    /// made, and declines an offer. 4.7 (4.8), 9.1b(1) (9.1.2.1).
    fn touched_on_purpose(&mut self, by: Color) {
        self.illegal_lapses(by);
        let lapses = |breach: &Breach| breach.by != by && breach.may_lapse() && !breach.is_answered;
        if self.breaches.iter().any(lapses) {
            if self.breaches.iter().any(|breach| lapses(breach) && !breach.is_doubtful) {
                self.cx.out.log(Code::TouchClaimLost, Some(by));
            }
            self.lapse();
        }
        if self.cx.is_over() {
            return;
        }
        self.offers.decline_by_touch(&mut self.cx, by);
        self.flags.ask_for_sheet(&mut self.cx, by);
    }

    fn put_back(&mut self, sq: Square) {
        if !self.turn.touches.includes(sq) {
            return;
        }
        if self.is_set_right(sq) {
            return;
        }
        let by = self.cx.mover();
        self.note_taken_back(sq);
        let is_impaired = self.cx.terms.impaired.is_some_and(|impaired| impaired.side == by);
        if !is_impaired {
            self.turn.touches.put_back(sq, self.cx.now, self.cx.terms.brush);
        }
        if self.cx.matters.has(|case| matches!(case, Case::OutOfTurn | Case::Displaced)) {
            return;
        }
        let evidence = self.cx.terms.evidence;
        if !evidence.is_tidy()
            && self.turn.touches.forgive(sq, self.cx.now, evidence.adjusting)
            && !is_impaired
        {
            return;
        }
        self.cx.out.log_with(Code::TouchedReturned, Some(by), sq.to_string());
        let is_own = self.cx.game.last().us().contains(sq);
        if !is_own && !self.may_be_captured(sq) {
            // Which hand it was no sensor sees: the owner's, who is not to move, or the other's.
            self.cx.out.log_with(Code::AdjustOutOfTurn, Some(!by), sq.to_string());
        }
    }

    /// The board has been at rest: what stands on it counts as released.
    pub(super) fn settle(&mut self) {
        self.judge(Cause::Rest);
    }

    /// Says what stands on the board.
    pub(super) fn judge(&mut self, cause: Cause) {
        let is_stopped = self.sitting.keeps_still(&self.cx);
        if self.cx.is_over() || self.is_play_over() || self.cx.matters.demand().is_some() {
            return;
        }
        if self.is_put_right() {
            return;
        }
        let pos = self.cx.game.last().clone();
        if self.cx.shows(pos.board()) {
            self.agrees();
            return;
        }
        if is_stopped || self.is_idle() {
            return;
        }
        if self.is_called && self.names_exchange(&pos) {
            return;
        }
        let found = self.moves_shown(&pos, cause);
        if let [m] = found[..] {
            self.found(&pos, m, cause);
            return;
        }
        let is_open = self.cx.is_last_open();
        if is_open && (self.has_gone_on() || cause == Cause::Press && self.has_slid_beyond(&pos)) {
            return;
        }
        let ways = partial(&pos, self.cx.board.seen());
        if found.is_empty() && ways.is_empty() && !self.may_blame(cause) {
            self.suspect(&pos);
            return;
        }
        if is_open && self.has_second_thoughts(&pos) {
            return;
        }
        if !found.is_empty() || !ways.is_empty() {
            self.on_the_way(&pos, if ways.is_empty() { &found } else { &ways });
            return;
        }
        let arrived = self.cx.board.seen().differs(pos.board()) & self.cx.board.seen().occupied();
        if !arrived.is_empty() {
            self.irregular(&pos, cause);
        }
    }

    /// The legal moves that the board shows. Where pieces have no names a capture must have been
    /// seen to happen, unless the clock says that something was played.
    fn moves_shown(&self, pos: &Chess, cause: Cause) -> Vec<Move> {
        let mut found = exact(pos, self.cx.board.seen());
        found.retain(|m| {
            let is_unnamed = m.is_capture() && self.cx.board.seen().something().contains(m.to());
            cause == Cause::Press || !is_unnamed || self.turn.stirred.contains(m.to())
        });
        if let Some(role) = self.turn.promotes_to {
            found.retain(|m| !m.is_promotion() || m.promotion() == Some(role));
        }
        found
    }

    /// One legal move explains the board.
    fn found(&mut self, pos: &Chess, m: Move, cause: Cause) {
        let is_doubtful = self.may_become_castling(pos, m);
        let waits = cause == Cause::Rest || self.turn.castling_announced;
        if is_doubtful && waits {
            self.turn.on_board = None;
            if !self.turn.castling_announced {
                self.two_readings(pos, m);
            }
            return;
        }
        if self.waits_for_words(pos, m) {
            return;
        }
        if self.sitting.seals(pos.turn()) {
            let san = shakmaty::san::SanPlus::from_move(pos.clone(), m).to_string();
            self.cx.out.say(Ruling::SealedMustBe { san });
            return;
        }
        self.make(m);
    }

    /// A king's move and a castling that begins alike.
    fn two_readings(&mut self, pos: &Chess, m: Move) {
        let reaches = |other: &Move| other.is_castle() && target_of(*other, pos.turn()) == m.to();
        let castle = pos.legal_moves().into_iter().find(reaches);
        let san = |m: Move| shakmaty::san::SanPlus::from_move(pos.clone(), m).to_string();
        let candidates = [Some(m), castle].into_iter().flatten().map(san).collect();
        self.cx.out.say(Ruling::Unresolved { candidates });
    }

    /// In Chess960 a king one step away may be on its way to castle.
    fn may_become_castling(&self, pos: &Chess, m: Move) -> bool {
        let stands = |side: &CastlingSide| {
            castling(pos, *side).is_some() && side.king_to(pos.turn()) == m.to()
        };
        m.role() == Role::King && !m.is_castle() && CastlingSide::ALL.iter().any(stands)
    }

    /// The board shows the position on record.
    fn agrees(&mut self) {
        let is_of_board =
            |case: &Case| matches!(case, Case::OutOfTurn | Case::Displaced | Case::Second { .. });
        let pressed = self.cx.matters.second_pressed();
        let was_astray = self.cx.matters.close(is_of_board);
        if was_astray || self.has_gone_beyond() {
            self.cx.out.log(Code::Restored, None);
            self.turn.touches.clear();
        }
        self.come_back();
        // An order may have taken the move back meanwhile.
        let is_open =
            |idx: &usize| self.cx.game.plies().get(*idx).is_some_and(|ply| !ply.is_completed);
        if let Some(idx) = pressed.filter(is_open) {
            self.cx.complete(idx);
        }
        if self.turn.on_board.take().is_some() {
            self.turn.was_illegal = true;
        }
    }

    /// The board shows a part of one or more legal moves.
    fn on_the_way(&mut self, pos: &Chess, ways: &[Move]) {
        let turn = pos.turn();
        if self.turn.on_board.take().is_some() {
            self.turn.was_illegal = true;
        }
        let king = Role::King.of(turn);
        let castles = ways.iter().find_map(|m| {
            let side = m.castling_side()?;
            let to = side.king_to(turn);
            let is_down = self.cx.board.seen().piece_at(to) == Some(king);
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
        let is_down = match self.cx.board.seen().get(to) {
            Some(Thing::Piece(piece)) => piece == Role::Pawn.of(turn),
            Some(Thing::Something) => self.turn.stirred.contains(to),
            None => false,
        };
        if is_promotion && is_down {
            self.turn.released.get_or_insert(Binding::Promote(to, None));
        }
        // The captured pawn is still there. Unlike later texts that of 2005 binds by touch alone.
        let is_passing = ways.iter().all(|m| m.is_en_passant() && m.to() == to);
        if is_passing && is_down && self.cx.rules.king_release != KingRelease::Free {
            self.turn.released.get_or_insert(Binding::Destination(to));
        }
    }

    /// No legal move, and no part of one, explains the board.
    fn irregular(&mut self, pos: &Chess, cause: Cause) {
        let by = pos.turn();
        let diff = self.cx.board.seen().differs(pos.board());
        let concerns_mover = diff.into_iter().any(|sq| {
            let is_his = |piece: Option<Piece>| piece.is_some_and(|piece| piece.color == by);
            is_his(pos.board().piece_at(sq)) || is_his(self.cx.board.seen().piece_at(sq))
        });
        if !concerns_mover {
            self.not_on_move(pos);
            return;
        }
        if self.is_disturbed_before_press(pos) {
            self.displaced(Some(!by));
            return;
        }
        let lifted = self.turn.touches.squares();
        let tried = attempt(pos, self.cx.board.seen(), &lifted);
        let is_castling = tried.is_some_and(|tried| castle_of(pos, &tried).is_some());
        let disorder = disturbed(pos, self.cx.board.seen()).filter(|_| !is_castling);
        let is_known = self.turn.on_board.is_some();
        if let Some((_, astray)) = disorder.filter(|_| !is_known) {
            // A piece that is missing may be in a hand; one that stands astray was displaced.
            if cause == Cause::Rest && !(astray & self.cx.board.seen().occupied()).is_empty() {
                self.displaced(Some(by));
            }
            return;
        }
        let arrived = diff & self.cx.board.seen().known().by_color(by);
        let is_disorder = tried.is_none() || arrived.count() > 1 && !is_castling && !is_known;
        if is_disorder && cause == Cause::Rest {
            self.displaced(Some(by));
            return;
        }
        let Some(tried) = tried else { return };
        if cause == Cause::Rest && !is_castling && self.may_lie_astray(&tried) {
            self.displaced(None);
            return;
        }
        let why = tried.why(&self.cx.game, self.cx.board.seen(), Stage::OnBoard);
        self.turn.suspect = None;
        if self.turn.on_board.replace(OnBoard { by, why }).is_none() && cause == Cause::Rest {
            self.cx.out.log_with(Code::IllegalOnBoard, Some(by), why.to_owned());
        }
    }

    /// Pieces of the player who is to move stand wrongly while the other's clock still runs: the
    /// other, who has moved and not pressed, knocked them over. 7.3.
    fn is_disturbed_before_press(&self, pos: &Chess) -> bool {
        let by = pos.turn();
        let is_open = self.cx.is_last_open();
        is_open && self.cx.clock.running() == Some(!by)
    }

    /// Pieces of the player who is not to move went elsewhere. 1.1, 7.5.
    fn not_on_move(&mut self, pos: &Chess) {
        let is_known = |case: &Case| matches!(case, Case::OutOfTurn | Case::Displaced);
        if self.cx.matters.has(is_known) {
            return;
        }
        let played =
            with_other_turn(pos).map_or_else(Vec::new, |pos| exact(&pos, self.cx.board.seen()));
        if played.is_empty() {
            self.displaced(Some(!pos.turn()));
            return;
        }
        self.turn.touches.clear();
        self.cx.out.log(Code::OutOfTurn, Some(!pos.turn()));
        self.cx.open(Case::OutOfTurn, &["restore", "other"], MayAct::Yes);
    }

    /// Pieces stand astray. Of hands that are not tidy no sensor tells who displaced them.
    pub(super) fn displaced(&mut self, by: Option<Color>) {
        let by = by.filter(|_| self.cx.is_tidy());
        if self.cx.matters.has(|case| matches!(case, Case::Displaced)) {
            return;
        }
        let pos = self.cx.game.last();
        // Beside a move that stands its own squares are as they should be.
        let squares = match disturbed(pos, self.cx.board.seen()) {
            Some((_, astray)) => astray,
            None => self.cx.board.seen().differs(pos.board()),
        };
        if (squares & !self.cx.board.misread()).is_empty() {
            return;
        }
        let names: Vec<String> = squares.into_iter().map(|sq| sq.to_string()).collect();
        self.cx.out.log_with(Code::Displaced, by, names.join(" "));
        self.cx.open(Case::Displaced, &["restore", "other"], MayAct::Yes);
    }

    /// What the player who is to move is bound to by what he touched, released or announced.
    pub(super) fn bound(&self) -> Option<Binding> {
        let pos = self.cx.game.last();
        if let Some(carried) = &self.turn.carried {
            return Some(carried.clone());
        }
        let touched = || self.turn.touches.binding(pos);
        if self.turn.castling_announced
            && let Some(announced) = self.announced_castling(pos)
        {
            let is_side = |bound: &Binding| matches!(bound, Binding::Castle(..));
            let side = self.turn.released.clone().or_else(touched).filter(is_side);
            return Some(side.unwrap_or(announced));
        }
        self.turn.released.clone().or_else(touched)
    }

    /// What the announcement of castling binds to: the side stays open until king or rook is
    /// released, if both are legal.
    fn announced_castling(&self, pos: &Chess) -> Option<Binding> {
        let is_legal = |side| castling(pos, side).is_some();
        match CastlingSide::ALL.map(is_legal) {
            [true, true] => Some(Binding::CastleEither),
            [true, false] => Some(Binding::Castle(CastlingSide::ALL[0], names(pos))),
            [false, true] => Some(Binding::Castle(CastlingSide::ALL[1], names(pos))),
            [false, false] => None,
        }
    }

    /// The move `m` is made: released on the board. 4.6 (4.7).
    pub(super) fn make(&mut self, m: Move) {
        let pos = self.cx.game.last().clone();
        let by = pos.turn();
        if self.cx.matters.has(|case| matches!(case, Case::Displaced)) {
            // What lay about was set right beside the move, and touched for nothing else.
            self.turn.touches.clear();
        }
        let last = self.cx.game.last_ply();
        let is_early = last.is_some_and(|ply| !ply.is_completed && !ply.is_illegal);
        let is_broken = |bound: &Binding| !bound.allows(m, &pos);
        let beside = || match &self.turn.carried {
            Some(_) => self.turn.released_before.clone(),
            None => self.turn.touches.binding(&pos),
        };
        let broken = self.bound().filter(is_broken).or_else(|| beside().filter(is_broken));
        let turn = std::mem::take(&mut self.turn);
        self.note_simultaneous(m, &turn, by);
        if self.cx.rules.unpressed == Unpressed::NextMove
            && let Some(idx) = self.cx.game.first_open(by)
        {
            self.cx.complete(idx);
        }
        let stands = self.answers_illegal(by);
        let ply = self.cx.game.push(m, self.cx.now, false);
        let (san, uci) = (ply.san.clone(), ply.uci.clone());
        self.turn.touches = turn.touches.clone().begun(self.cx.game.last());
        if stands {
            self.illegal_stands();
        }
        if !self.sitting.is_opened() {
            self.late.came(by);
            self.sitting.end_resuming();
        }
        self.cx.out.say(Ruling::Made { by, san: san.clone(), uci });
        self.cx.out.log_with(Code::MoveMade, Some(by), san);
        if is_early {
            self.cx.out.log(Code::ReplyBeforePress, Some(by));
        }
        if turn.was_illegal || turn.on_board.is_some() {
            self.cx.out.log(Code::CorrectedBeforePress, Some(by));
        }
        if let Some(binding) = broken {
            self.broke(&pos, m, &turn, binding);
        }
        if self.cx.matters.close(|case| matches!(case, Case::BoardsDiffer | Case::Displaced)) {
            self.cx.out.log(Code::Restored, None);
        }
        self.offers.decline(&mut self.cx, by);
        self.claims.lapse(by);
        self.sitting.note_if_missing(&mut self.cx);
        self.after_made();
    }

    /// `m` is not what the player was bound to.
    fn broke(&mut self, pos: &Chess, m: Move, turn: &Turn, binding: Binding) {
        let by = pos.turn();
        let (mut first, mut is_doubtful, mut is_release) = (None, false, false);
        if turn.carried.is_none() && turn.released.as_ref() == Some(&binding) {
            if matches!(binding, Binding::Castle(..))
                && self.cx.rules.king_release == KingRelease::Free
            {
                return;
            }
            first = first_reading(pos, m, &binding);
            is_release = true;
            self.cx.out.log(Code::MovedAfterRelease, Some(by));
        } else if turn.rook_first.is_none() || m.castling_side() != turn.rook_first {
            is_doubtful = self.is_doubtful_touch(pos, m, turn);
            if !is_doubtful {
                self.cx.out.log_with(Code::TouchMove, Some(by), format!("bound to {binding}"));
            }
        }
        let breach = Breach::by_release(by, self.cx.game.len() - 1, binding);
        self.breaches.push(Breach { first, is_release, is_doubtful, ..breach });
        if !is_doubtful {
            self.note_handling();
        }
    }

    pub(super) fn note_handling(&mut self) {
        self.cx.matters.set_may_act(match self.cx.rules.handling_watch {
            HandlingWatch::Arbiter => MayAct::Yes,
            HandlingWatch::OnRequest => MayAct::OnRequest,
        });
    }

    /// The move ends the game, or the next one begins.
    pub(super) fn after_made(&mut self) {
        let idx = self.cx.game.len() - 1;
        if self.ends_game() {
            return;
        }
        let has_pressed = self.pressed_early.take().is_some_and(|by| by != self.cx.mover());
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
