//! A piece that was released and goes on, and what else is moved after a move was made. All
//! editions: Art. 4.6, 4.7 (from 2018: 4.7, 4.8).

use super::super::super::code::Code;
use super::super::super::history::PastPly;
use super::super::super::picture::{exact, partial, squares_of, target_of};
use super::super::super::profile::HandlingLapse;
use super::super::super::said::{Binding, Ruling};
use super::super::super::why::{Attempt, Stage, Wrong, attempt};
use super::super::context::Context;
use super::super::matter::{Beyond, Breach, Case, MayAct};
use super::Motion;
use super::illegal::Fall;
use super::judge::note_handling;
use super::turn::{Release, Turn};
use shakmaty::san::SanPlus;
use shakmaty::{Bitboard, Chess, Move, Position, Square};
use std::time::Duration;

/// A released piece that rests elsewhere for so long before the press has gone on: a hand that puts
/// it back is quicker. The record, which is followed later than that, keeps nothing of it.
const LEFT_FOR: Duration = Duration::from_secs(2);

/// A released piece that went on to a square to which its move could not have gone.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Gone {
    /// Where it was released.
    released: Square,
    /// Where it is now.
    now: Square,
}

impl Motion {
    /// The player who has moved and not pressed is at it again. True if that explains the board.
    pub(in super::super) fn has_second_thoughts(&mut self, cx: &mut Context, pos: &Chess) -> bool {
        let before = cx.game.before_last().clone();
        let Some(ply) = cx.game.last_ply().cloned() else { return false };
        let by = ply.by;
        let role = ply.m.promotion().unwrap_or(ply.m.role());
        let is_withdrawn =
            cx.board.seen().piece_at(target_of(ply.m, by)).is_none_or(|piece| piece.role != role);
        let played = exact(&before, cx.board.seen());
        if let [other] = played[..] {
            let idx = cx.game.len() - 1;
            if is_withdrawn {
                self.goes_on(cx, idx, &before, ply.m, other);
            } else {
                self.second_move(cx, &ply, Some(other));
            }
            return true;
        }
        if let Some(gone) = self.gone_beyond(cx, &before, pos, &ply) {
            self.moved_beyond(cx, &before, &ply, gone);
            return true;
        }
        if !partial(&before, cx.board.seen()).is_empty() {
            return true;
        }
        let diff = cx.board.seen().differs(pos.board());
        let is_his = diff.into_iter().all(|sq| {
            let stood = pos.board().piece_at(sq).is_none_or(|piece| piece.color == by);
            stood && cx.board.seen().piece_at(sq).is_none_or(|piece| piece.color == by)
        });
        let arrived = !(diff & cx.board.seen().occupied()).is_empty();
        if is_his && arrived {
            self.second_move(cx, &ply, None);
        }
        is_his && arrived
    }

    /// The piece of the open last move has rested for so long that it was released, and is at rest
    /// elsewhere, or in a promotion another one in its place: the choice was final at first
    /// contact, 4.4d (4.4.4). True if that explains the board.
    pub(in super::super) fn left_release(&mut self, cx: &mut Context, pos: &Chess) -> bool {
        let Some(ply) = cx.game.last_ply().cloned() else { return false };
        let at = target_of(ply.m, ply.by);
        let is_there = cx.board.seen().fits(at, pos.board());
        let left = self.turn.withdrawn.unwrap_or(cx.board.last_change());
        if is_there || left.since(ply.made) < cx.terms.evidence.released {
            return false;
        }
        let due = cx.board.last_change() + LEFT_FOR;
        if cx.now < due {
            cx.board.rest_at(due);
            return false;
        }
        let before = cx.game.before_last().clone();
        if let [other] = exact(&before, cx.board.seen())[..] {
            self.goes_on(cx, cx.game.len() - 1, &before, ply.m, other);
            return true;
        }
        let gone = self.gone_beyond(cx, &before, pos, &ply);
        if let Some(gone) = gone {
            self.moved_beyond(cx, &before, &ply, gone);
        }
        gone.is_some()
    }

    /// The piece that was released at the end of `old`, half-move `idx`, stands at that of `other`,
    /// or another one in its place. 4.6 (4.7).
    pub(super) fn goes_on(
        &mut self,
        cx: &mut Context,
        idx: usize,
        before: &Chess,
        old: Move,
        other: Move,
    ) {
        let by = before.turn();
        let san = |m: Move| SanPlus::from_move(before.clone(), m).to_string();
        let is_it = |known: &&mut Breach| known.ply == idx && known.first.is_some();
        if let Some(known) = self.breaches.iter_mut().find(is_it) {
            let was_beyond = known.beyond.take().is_some();
            let is_back = known.first.as_ref() == Some(&san(other));
            if !is_back && (known.other.replace(other) != Some(other) || was_beyond) {
                cx.out.log(Code::MovedAfterRelease, Some(by));
            }
            return;
        }
        let binding = match is_exchange(old, other) {
            true => Binding::Promote(old.to(), old.promotion()),
            false => Binding::Destination(target_of(old, by)),
        };
        cx.out.log(Code::MovedAfterRelease, Some(by));
        let went_on = Breach::by_release(self.next_breach(), by, idx, binding);
        let first = Some(san(old));
        self.breaches.push(Breach { first, other: Some(other), ..went_on });
        note_handling(cx);
    }

    /// The record has another move of the piece that was released at the end of `old`, or the same
    /// again. 4.6 (4.7).
    pub(super) fn moved_on(&mut self, cx: &mut Context, before: &Chess, old: &Release) {
        let Some(other) = cx.game.last_ply().map(|ply| ply.m) else { return };
        let idx = cx.game.len() - 1;
        if self.is_back(cx, idx) {
            cx.out.log(Code::Restored, None);
        } else if old.m != other && old.m.from() == other.from() && self.was_released(cx, old) {
            self.goes_on(cx, idx, before, old.m, other);
        }
    }

    /// A piece that had gone on may be back where it was released first, as half-move `idx` has it:
    /// nothing is open about that move then. True if it is so.
    pub(in super::super) fn is_back(&mut self, cx: &mut Context, idx: usize) -> bool {
        let now = cx.game.plies()[idx].san.clone();
        let is_it = |breach: &Breach| breach.ply == idx && breach.first.as_ref() == Some(&now);
        let Some(known) = self.breaches.iter().position(is_it) else { return false };
        if self.breaches.remove(known).is_pressed {
            cx.complete(idx);
        }
        true
    }

    /// The half-move by which a pawn became a piece, where another one stands in its place and
    /// nobody has pressed: that choice was final, and the first piece is to be put back. 4.4d
    /// (4.4.4).
    pub(in super::super) fn promoted_first(&self, cx: &Context) -> Option<(usize, Move)> {
        let is_it = |breach: &&Breach| {
            let is_piece = matches!(breach.binding, Binding::Promote(_, Some(_)));
            is_piece && !breach.is_pressed && breach.ply + 1 == cx.game.len()
        };
        let breach = self.breaches.iter().find(is_it)?;
        Some((breach.ply, breach.first_move(cx.game.position(breach.ply))?))
    }

    /// A further piece was moved after the move was made.
    fn second_move(&mut self, cx: &mut Context, ply: &PastPly, other: Option<Move>) {
        if cx.matters.has(|case| matches!(case, Case::Second { .. })) {
            return;
        }
        cx.out.log(Code::SecondMove, Some(ply.by));
        let stands = format!("{} stands", ply.san);
        let accept = match other {
            Some(m) if m.is_castle() => "accept castling".to_owned(),
            Some(m) => format!("accept {m}"),
            None => "accept what stands".to_owned(),
        };
        let case = Case::Second { first: ply.m, both: other, pressed: None };
        cx.open(case, &[&stands, &accept], MayAct::Yes);
    }

    /// The opponent answers two moves that are on record as one: that one stands.
    pub(super) fn stands_as_both(&mut self, cx: &mut Context) {
        let last = cx.game.len().checked_sub(1);
        if let Some(idx) = cx.matters.second_pressed().filter(|idx| Some(*idx) == last) {
            cx.matters.close(|case| matches!(case, Case::Second { .. }));
            cx.complete(idx);
        }
    }

    /// A further piece that was moved, and pressed on, is back: the first move stands, and is
    /// completed by that press. 4.4b (4.4.2).
    pub(super) fn undo_second(&mut self, cx: &mut Context) {
        let Some((first, idx)) = cx.matters.second_undone(&cx.game, cx.board.seen()) else {
            return;
        };
        cx.game.truncate(idx);
        cx.game.push(first, cx.now, false);
        cx.matters.close(|case| matches!(case, Case::Second { .. }));
        cx.out.log(Code::Restored, None);
        cx.complete(idx);
    }

    /// Whether the piece that `ply` released, and nothing else, has gone on: to a square that it
    /// could not have reached before `ply`, or back to where it came from.
    fn gone_beyond(
        &self,
        cx: &Context,
        before: &Chess,
        pos: &Chess,
        ply: &PastPly,
    ) -> Option<Gone> {
        let diff = cx.board.seen().differs(pos.board());
        // What the move took may have been put back, wholly or in part.
        let is_undone = |sq: &Square| cx.board.seen().fits(*sq, before.board());
        let undone: Bitboard =
            (diff & squares_of(ply.m, ply.by)).into_iter().filter(is_undone).collect();
        let from = ply.m.from()?;
        let rook = ply.m.castling_side().map(|side| side.rook_to(ply.by));
        let released = [Some(target_of(ply.m, ply.by)), rook].into_iter().flatten();
        let mut gone = released.filter_map(|released| {
            let piece = pos.board().piece_at(released)?;
            if !diff.contains(released) || cx.board.seen().piece_at(released) == Some(piece) {
                return None;
            }
            let is_it = |sq: &Square| cx.board.seen().get(*sq).may_be(piece);
            let others = diff & !Bitboard::from(released);
            let arrived: Vec<Square> = (others & !undone).into_iter().filter(is_it).collect();
            let (now, rest) = match arrived[..] {
                [now] => (now, others & !Bitboard::from(now)),
                [] if undone.contains(from) && cx.board.seen().occupied().contains(from) => {
                    (from, others)
                }
                _ => return None,
            };
            (rest & !undone).is_empty().then_some(Gone { released, now })
        });
        gone.next()
    }

    /// The released piece went on to where its move could not have gone: where it was released
    /// stands. 4.6 (4.7).
    fn moved_beyond(&mut self, cx: &mut Context, before: &Chess, ply: &PastPly, gone: Gone) {
        let by = ply.by;
        let tried = attempt(before, cx.board.seen(), ply.m.from().as_slice());
        let tried = tried.filter(|tried| tried.to == gone.now && tried.from != gone.now);
        let beyond = Beyond { at: gone.now, tried };
        self.turn.touches.forget(gone.now);
        let idx = cx.game.len() - 1;
        let is_it = |known: &&mut Breach| known.ply == idx && known.first.is_some();
        if let Some(known) = self.breaches.iter_mut().find(is_it) {
            let is_known = known.beyond.as_ref().is_some_and(|known| known.at == gone.now);
            known.beyond = Some(beyond);
            if !is_known {
                cx.out.log(Code::MovedAfterRelease, Some(by));
            }
            return;
        }
        cx.out.log(Code::MovedAfterRelease, Some(by));
        let (binding, first) = (Binding::Destination(gone.released), Some(ply.san.clone()));
        let went_on = Breach::by_release(self.next_breach(), by, idx, binding);
        self.breaches.push(Breach { first, beyond: Some(beyond), ..went_on });
        note_handling(cx);
    }

    /// A piece that had gone on is back where its move ended. Nothing is open any more about a move
    /// that ended there at first: if the clock was pressed on it, it is completed.
    pub(in super::super) fn come_back(&mut self, cx: &mut Context) {
        let plies = cx.game.plies();
        let mut pressed = Vec::new();
        self.breaches.retain_mut(|breach| {
            let is_back = breach.first.as_ref() == plies.get(breach.ply).map(|ply| &ply.san);
            let was_beyond = breach.beyond.take().is_some();
            let is_over = is_back && (was_beyond || breach.other.take().is_some());
            if is_over && breach.is_pressed {
                pressed.push(breach.ply);
            }
            !is_over
        });
        for idx in pressed {
            cx.complete(idx);
        }
    }

    /// Whether a released piece stands where its move could not have gone.
    pub(in super::super) fn has_gone_beyond(&self) -> bool {
        self.breaches.iter().any(|breach| breach.beyond.is_some())
    }

    /// Whether a released piece stands at the end of another move than is on record.
    pub(super) fn stands_elsewhere(&self, cx: &Context) -> bool {
        let is_first = |breach: &Breach| {
            breach.first.as_ref() == cx.game.plies().get(breach.ply).map(|ply| &ply.san)
        };
        self.breaches.iter().any(|breach| breach.other.is_some() && is_first(breach))
    }

    /// A piece that was released is back where it came from, as is the record: its player is bound
    /// to where he released it. 4.6 (4.7).
    pub(in super::super) fn note_gone_back(&mut self, cx: &mut Context) {
        let is_over = |known: &Release| self.was_released(cx, known);
        let Some(known) = self.turn.release.as_ref().filter(|known| is_over(known)) else { return };
        let by = cx.mover();
        let at = Binding::Destination(target_of(known.m, by));
        if cx.is_astray() || self.turn.released.as_ref() == Some(&at) {
            return;
        }
        self.turn.release = None;
        self.turn.released = Some(at);
        cx.out.log(Code::MovedAfterRelease, Some(by));
        note_handling(cx);
    }

    /// The clock is pressed on a piece that rested for so short a time where it might have stayed
    /// that it was slid there, and has gone on to where it may not go: its move is none. True if it
    /// is so.
    pub(in super::super) fn has_slid_beyond(&mut self, cx: &mut Context, pos: &Chess) -> bool {
        let before = cx.game.before_last().clone();
        let Some(ply) = cx.game.last_ply().filter(|_| self.is_sliding(cx)).cloned() else {
            return false;
        };
        if self.gone_beyond(cx, &before, pos, &ply).is_none() {
            return false;
        }
        let from = ply.m.from().and_then(|from| Some((from, before.board().piece_at(from)?)));
        cx.game.truncate(cx.game.len() - 1);
        self.turn = Turn::default();
        if let Some((from, piece)) = from {
            self.turn.touches.add(from, piece, cx.now, Duration::ZERO);
        }
        true
    }

    /// The right to claim a breach of Article 4 is gone: what was played stands.
    pub(in super::super) fn lapse(&mut self, cx: &mut Context) {
        for mut breach in std::mem::take(&mut self.breaches) {
            if !breach.may_lapse() || breach.is_answered {
                self.breaches.push(breach);
                continue;
            }
            if breach.beyond.is_some() {
                self.stands_beyond(&breach);
                continue;
            }
            if let Some(old) = breach.first.clone().filter(|_| breach.is_pressed)
                && let Some(ply) = cx.game.plies().get(breach.ply)
            {
                let (by, san, uci) = (ply.by, ply.san.clone(), ply.uci.clone());
                cx.out.say(Ruling::Replaced { by, old, san, uci });
                cx.complete(breach.ply);
            }
            if self.outlives_touch(cx, &breach) {
                breach.is_answered = true;
                self.breaches.push(breach);
            }
        }
    }

    /// Whether the right to claim `breach` is kept although the opponent has touched a piece: in
    /// 2005 only that under 4.3 and 4.4 is lost. HU 4.7.
    pub(in super::super) fn outlives_touch(&self, cx: &Context, breach: &Breach) -> bool {
        cx.rules.handling_lapse == HandlingLapse::TouchOnly && breach.is_release
    }

    /// Nobody holds a player to where he released his piece first. Where it stands now was the end
    /// of an illegal move, which he has completed.
    pub(in super::super) fn stands_beyond(&mut self, breach: &Breach) {
        let beyond = breach.beyond.as_ref().filter(|_| breach.is_pressed);
        if let Some(tried) = beyond.and_then(|beyond| beyond.tried) {
            // The record says what was played.
            self.answered = Some((breach.ply, tried));
        }
    }

    /// The record has `m` after all half-moves so far, which is not legal. A piece that had gone on
    /// went there, and was answered: that was a completed illegal move. True if it is so.
    pub(in super::super) fn is_played_beyond(&mut self, cx: &mut Context, m: Move) -> bool {
        let is_it = |(idx, tried): &mut (usize, Attempt)| {
            *idx == cx.game.len() && m.from() == Some(tried.from) && m.to() == tried.to
        };
        let Some((idx, tried)) = self.answered.take_if(is_it) else { return false };
        self.was_illegal(cx, idx, tried, Some(m));
        true
    }

    /// Half-move `idx` was not played: `tried` was, an illegal move, and it is completed. The game
    /// may be followed by `shadow`; what was touched since was then touched by the opponent.
    pub(in super::super) fn was_illegal(
        &mut self,
        cx: &mut Context,
        idx: usize,
        tried: Attempt,
        shadow: Option<Move>,
    ) {
        cx.game.truncate(idx);
        let reaches = |m: &Move| m.from() == Some(tried.from) && m.to() == tried.to;
        let is_reached = cx.game.last().legal_moves().iter().any(reaches);
        let why = if is_reached && !tried.is_exchanged(cx.board.seen()) {
            Wrong::NoLegalMove
        } else {
            tried.why(&cx.game, cx.board.seen(), Stage::Completed)
        };
        let since = std::mem::take(&mut self.turn);
        self.turn.touches.add(tried.from, tried.piece, cx.now, Duration::ZERO);
        let by = tried.piece.color;
        self.illegal_completed(cx, Fall { by, why, shadow, promotion: None });
        if shadow.is_some() {
            self.turn = since;
        }
    }
}

/// Whether `old` and `new` bring the same pawn to the same square, as two different pieces.
fn is_exchange(old: Move, new: Move) -> bool {
    old.is_promotion()
        && (old.from(), old.to()) == (new.from(), new.to())
        && old.promotion() != new.promotion()
}
