//! The record of the game, which weighs more than what a referee saw: it has heard every sensor,
//! lost lines and the presses together.

use super::super::code::Code;
use super::super::history::PastPly;
use super::super::profile::Unpressed;
use super::super::said::Ruling;
use super::Referee;
use super::life::Liveness;
use super::matter::Case;
use super::motion::{Motion, answers_illegal, illegal_stands};
use super::penalty::charge_two_hands;
use super::sheet::{Sheet, SheetMove};
use crate::table::Placement;
use shakmaty::{Color, Move, Position};

impl Referee {
    /// Whether nothing is open that the record could not know of. A breach may be that no player
    /// has claimed, what seemed to be moved beyond one move, and a penalty for what is over.
    pub fn may_follow(&self) -> bool {
        !self.cx.is_over()
            && self.cx.matters.iter().all(|matter| stands_beside_play(&matter.case))
            && self.cx.matters.demand().is_none()
            && !self.claims.stops_play()
            && self.cx.terms.impaired.is_none()
            && !self.is_suspended()
    }

    /// Whether the move made last is one that is made with the clock stopped: out of the envelope,
    /// or with a new piece that was fetched. While a claim or a ruling is open it may be a piece
    /// that is being shown.
    pub fn may_move_at_stop(&self) -> bool {
        let is_fetched = || self.cx.game.last_ply().is_some_and(|ply| ply.m.is_promotion());
        (self.sitting.is_resuming() || is_fetched()) && self.may_follow()
    }

    /// Whether a pawn has come to its last rank and nobody has said what it becomes: the record
    /// assumes a queen where sensors know no names.
    pub fn waits_for_piece(&self) -> bool {
        matches!(self.motion.promotes(), Some((_, None))) || self.motion.shows_promotion(&self.cx)
    }

    /// Whether `sheet` has completed a half-move that the referee does not know, or not as
    /// completed. What was moved on after its release stays open for it.
    pub fn is_behind(&self, sheet: &Sheet) -> bool {
        if self.has_both(sheet) {
            return false;
        }
        let plies = self.cx.game.plies();
        let is_open =
            |idx| self.motion.breaches().any(|known| known.ply == idx && known.is_pressed);
        sheet.moves.iter().enumerate().filter(|(_, known)| known.is_completed).any(
            |(idx, known)| {
                let is_known = |ply: &PastPly| {
                    ply.m == known.m && (ply.is_completed || known.is_replied || is_open(idx))
                };
                !plies.get(idx).is_some_and(is_known)
            },
        )
    }

    /// Whether the moves on record are others than the referee's, or gaps among them.
    pub fn differs(&self, sheet: &Sheet) -> bool {
        let n = self.cx.game.len();
        if self.has_both(sheet) {
            return false;
        }
        n != sheet.moves.len()
            || self.n_shared(sheet) != n
            || self.cx.game.adopted(n) != sheet.adopted(n)
    }

    /// Whether the record has a move and a further one after it as the one move that both would be,
    /// and nobody has answered: which of them was played is for the arbiter. 4.4b (4.4.2).
    fn has_both(&self, sheet: &Sheet) -> bool {
        let n = self.cx.game.len();
        let is_last = sheet.moves.len() == n && self.n_shared(sheet) == n;
        is_last && self.cx.matters.pressed_both() == sheet.moves.last().map(|known| known.m)
    }

    /// What was played before the record begins nobody knows.
    pub fn set_joined(&mut self) {
        self.cx.game.set_joined();
    }

    /// The first half-move, from 1, that is known here as the promotion of a pawn to something
    /// else than `record` has: a player has named the piece.
    pub fn promotes_otherwise(&self, sheet: &Sheet) -> Option<(usize, Move)> {
        let pairs = self.cx.game.plies().iter().zip(&sheet.moves);
        let (idx, (ply, _)) = pairs.enumerate().find(|(_, (ply, known))| ply.m != known.m)?;
        let known = sheet.moves[idx].m;
        let is_same_pawn = ply.m.is_promotion()
            && known.is_promotion()
            && (ply.m.from(), ply.m.to()) == (known.from(), known.to());
        is_same_pawn.then_some((idx + 1, ply.m))
    }

    /// The board after nobody saw it for a while: it is not judged before the record has been.
    pub(super) fn on_unseen(&mut self, picture: &Placement) {
        self.cx.board.take_unseen(picture);
        self.motion.clear_touches();
    }

    /// The record is this. Where it differs the referee follows it.
    pub(super) fn on_record(&mut self, sheet: &Sheet) {
        let n = self.n_shared(sheet);
        let has_other_gaps = !self.cx.game.gaps().eq(sheet.gaps());
        let is_unseen = has_other_gaps && !self.cx.is_over() && !self.is_suspended();
        if !is_unseen && !self.may_follow() {
            return;
        }
        let is_replaced = n < self.cx.game.len();
        self.cx.game.truncate(n);
        if is_unseen {
            self.forget_unseen();
        }
        self.take_gap(sheet);
        let missing = &sheet.moves[n..];
        for on_record in missing {
            let pos = self.cx.game.last();
            if !on_record.is_illegal && !pos.is_legal(on_record.m) {
                break;
            }
            let by = pos.turn();
            if on_record.is_illegal && self.motion.is_played_beyond(&mut self.cx, on_record.m) {
                self.take_gap(sheet);
                continue;
            }
            if answers_illegal(&mut self.cx, by) {
                illegal_stands(&mut self.cx);
            }
            let ply = self.cx.game.push(on_record.m, self.cx.now, on_record.is_illegal);
            let (san, uci) = (ply.san.clone(), ply.uci.clone());
            self.late.came(by);
            self.cx.out.say(Ruling::Made { by, san, uci });
            self.take_gap(sheet);
        }
        self.complete_by(&sheet.moves);
        if is_unseen && !self.cx.game.last().is_game_over() {
            Color::ALL.into_iter().for_each(|side| self.cx.pass_periods(side));
        }
        self.cx.matters.close(is_of_the_board);
        self.motion.follow(&mut self.cx);
        self.cx.board.judged();
        if self.cx.is_astray() {
            self.cx.await_rest();
        }
        if is_replaced {
            self.cx.out.log_with(Code::ArbiterNote, None, "the record is followed".to_owned());
        }
        let is_last_legal = self.cx.game.last_ply().is_some_and(|ply| !ply.is_illegal);
        if is_last_legal && !missing.is_empty() {
            self.ends_game();
        }
    }

    /// How many half-moves are the same here and on record, with the gaps before each of them.
    fn n_shared(&self, sheet: &Sheet) -> usize {
        self.n_alike(sheet, |ply, known| ply.m == known.m)
    }

    /// How many half-moves the record goes along with. What stood at the end of an illegal move it
    /// does not say.
    pub(super) fn n_followed(&self, sheet: &Sheet) -> usize {
        self.n_alike(sheet, |ply, known| {
            let is_it = ply.is_illegal || ply.m.promotion() == known.m.promotion();
            is_it && is_same_way(ply.m, known.m)
        })
    }

    fn n_alike(&self, sheet: &Sheet, is_alike: impl Fn(&PastPly, &SheetMove) -> bool) -> usize {
        let pairs = self.cx.game.plies().iter().zip(&sheet.moves).enumerate();
        let is_same = |(n, (ply, known)): &(usize, (&PastPly, &SheetMove))| {
            is_alike(ply, known) && self.cx.game.adopted(*n) == sheet.adopted(*n)
        };
        pairs.take_while(is_same).count()
    }

    /// Takes what the record has after the last half-move: a gap, or none.
    fn take_gap(&mut self, sheet: &Sheet) {
        let n = self.cx.game.len();
        let adopted = sheet.adopted(n);
        if self.cx.game.adopted(n) == adopted {
            return;
        }
        self.cx.game.close_gap();
        if let Some(adopted) = adopted {
            self.cx.game.open_gap(adopted.clone());
            let facts = "moves were played that nobody saw; what is counted is the least";
            self.cx.out.log_with(Code::ArbiterNote, None, facts.to_owned());
        }
    }

    /// What was played unseen may have decided what hangs on the board and on whose
    /// turn it is. Results, warnings, times and what illegal moves cost are none of that.
    fn forget_unseen(&mut self) {
        self.cx.matters.close(|case| match case {
            Case::Reason | Case::BoardsDiffer | Case::Touch(_) => true,
            case => is_of_the_board(case),
        });
        for known in self.cx.matters.illegal_moves_mut() {
            known.is_put_right = true;
        }
        self.motion = Motion::default();
        self.cx.matters.take_demand();
        self.claims.drop_open();
        self.life = Liveness::default();
        self.completes_on_resume = None;
        for by in Color::ALL {
            self.cx.faults.take_two_hands(by);
        }
        self.late.all_present();
        self.offers.lapse(&mut self.cx);
    }

    /// Completes what the record has as completed.
    pub(super) fn complete_by(&mut self, moves: &[SheetMove]) {
        for (idx, on_record) in moves.iter().enumerate().take(self.cx.game.len()) {
            let (by, is_open) =
                (self.cx.game.plies()[idx].by, !self.cx.game.plies()[idx].is_completed);
            let has_moved_on = || self.cx.game.plies()[idx + 1..].iter().any(|ply| ply.by == by);
            let is_by_next = self.cx.rules.unpressed == Unpressed::NextMove && has_moved_on();
            if is_open && on_record.is_completed && !on_record.is_replied {
                self.cx.complete_before(by, idx);
                self.cx.complete(idx);
                charge_two_hands(&mut self.cx, by);
            } else if is_open && is_by_next {
                self.cx.complete(idx);
            }
        }
    }
}

/// Whether both moves lead the same way, whatever they capture.
fn is_same_way(one: Move, other: Move) -> bool {
    one.is_castle() == other.is_castle() && (one.from(), one.to()) == (other.from(), other.to())
}

/// Whether the game may go on while this waits for the arbiter.
const fn stands_beside_play(case: &Case) -> bool {
    match case {
        Case::EmptyPress { .. }
        | Case::TwoHands
        | Case::Misset
        | Case::PositionLost
        | Case::Question => true,
        Case::Illegal(illegal) => illegal.is_put_right,
        _ => is_of_the_board(case),
    }
}

/// Whether the record of moves decides this by itself.
const fn is_of_the_board(case: &Case) -> bool {
    matches!(case, Case::Second { .. } | Case::OutOfTurn | Case::Displaced)
}
