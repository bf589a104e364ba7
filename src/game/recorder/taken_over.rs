//! A board that was taken over as it stood: who was on move there, and whether it stood otherwise.

use super::timers::Timer;
use super::{Cx, Recorder};
use crate::clock::ClockPresence;
use crate::game::entry::LinkState;
use crate::game::play::Play;
use crate::game::score::Unknown;
use crate::table::Placement;
use crate::time::Mono;
use crate::track::bridge;
use shakmaty::{Bitboard, Board, Color, Position, Square};
use std::time::Duration;

/// A board taken over as it stands may have been in motion: as long as no move is on record after
/// it, it is taken over again if it has rested so long on something else.
pub(super) const ADOPTED_ANEW: Duration = Duration::from_secs(3);
/// Amid noise it is looked at again after this.
const LOOKED_AGAIN: Duration = Duration::from_secs(1);
/// A position that the board has contradicted for so long is not shown as if it were certain.
const CONTRADICTED: Duration = Duration::from_secs(5);

impl Recorder {
    /// The clock was pressed by `by` where the board was taken over. If he is on move and it shows
    /// just that, what he presses for stood already, or it is yet to be read that he has moved:
    /// true if so. If a legal move of his is seen and he is not on move, he was; if it answers one
    /// of the other player's, that one was.
    pub(super) fn pass_taken_over(&mut self, cx: &mut Cx<'_>, now: Mono, by: Color) -> bool {
        self.is_turn_open = false;
        let Some(play) = self.play.as_mut().filter(|play| play.is_fresh()) else { return false };
        if by != play.sheet().last().turn() {
            // Amid noise the other player may have moved, and nobody heard it.
            if !cx.board.is_noisy(now) {
                play.turn_around_if_shown(now, cx.facts);
            }
            return false;
        }
        if play.mismatch().is_some() {
            if !cx.board.is_noisy(now) {
                play.turn_around_if_answered(now, cx.facts);
            }
            return false;
        }
        if cx.board.is_noisy(now) {
            self.is_turn_open = true;
            self.press_stand(cx, now, by);
        } else {
            play.pass_turn(now, cx.facts);
        }
        true
    }

    /// The clock was pressed by `by` on `board`, as it was read since. If that is how it was taken
    /// over, what he pressed for stood already.
    pub(super) fn pass_if_still(&mut self, cx: &mut Cx<'_>, now: Mono, board: &Board, by: Color) {
        let is_fresh = |play: &&mut Play| !play.is_over() && play.is_fresh();
        let Some(play) = self.play.as_mut().filter(is_fresh) else { return };
        let last = play.sheet().last();
        if last.turn() == by && last.board() == board {
            self.is_turn_open = false;
            play.pass_turn(now, cx.facts);
        }
    }

    /// Whether the board was taken over, nothing has been played since, and it is yet to be read as
    /// it stands now.
    pub(super) fn is_taken_over_unread(&self, cx: &Cx<'_>, now: Mono) -> bool {
        self.play.as_ref().is_some_and(Play::is_bare) && cx.board.confirmed(now).is_none()
    }

    /// The record goes on from `board`, with a gap before it. False if that cannot be.
    pub(in crate::game) fn adopt_unseen(
        &mut self,
        cx: &mut Cx<'_>,
        now: Mono,
        board: &Board,
        turn: Option<Color>,
    ) -> bool {
        let Some(play) = &mut self.play else { return false };
        let before = play.sheet().last().clone();
        let seen = Placement::from(board.clone());
        let n = Unknown::at_least(bridge::least(&before, &seen, turn));
        let Some(pos) = play.adoptable(&before, board, (turn, None), (n, n.likely())) else {
            return false;
        };
        play.adopt(now, pos, n, cx.facts);
        self.forget_silence();
        self.go_on_here(cx);
        true
    }

    /// Whether the player who has the `turn` by the clock moved a piece last, by what was seen: he
    /// has not pressed for it, and it may not stay there.
    pub(super) fn is_at_it(&self, turn: Option<Color>) -> bool {
        turn.is_some() && turn == self.joining.moved()
    }

    /// Whether nobody holds a piece, by what stands `between_moves`. Where there is noise on the
    /// line it may as well have been captured.
    pub(super) fn is_hand_empty(
        &self,
        cx: &Cx<'_>,
        now: Mono,
        between_moves: Option<&Board>,
    ) -> bool {
        !cx.board.is_noisy(now) || between_moves == self.joining.board()
    }

    /// A board was taken over where no clock told who was on move, and it changes. True if it shows
    /// a move of the one who was not believed to be: so he was.
    pub(super) fn turn_if_moved(&mut self, cx: &mut Cx<'_>, now: Mono) -> bool {
        if cx.clock.device() == ClockPresence::Present || cx.board.is_noisy(now) || self.is_away() {
            return false;
        }
        let open = self.play.as_mut().filter(|play| play.mismatch().is_some());
        open.is_some_and(|play| play.turn_around(now, cx.facts))
    }

    /// After a gap with no move on record since: whose move it is may be known better now, and the
    /// board may have been in motion when it was taken over. True if it has been taken over anew.
    /// While nobody hears it, it tells neither.
    pub(super) fn adopt_anew(&mut self, cx: &mut Cx<'_>, now: Mono) -> bool {
        if cx.clock.is_interrupted() || self.is_away() || self.is_silent() {
            return false;
        }
        let turn = cx.clock.on_move().filter(|_| cx.clock.is_running());
        let Some(play) = &self.play else { return false };
        let is_fresh = play.is_fresh() && play.ending().is_none();
        let still = now.since(play.tracker().last_change());
        if !is_fresh || play.mismatch().is_none() {
            return false;
        }
        let pressed = self.watch.last_press.map(|(_, at)| at);
        if cx.board.is_noisy(now) && !self.is_told_amid_noise(cx, now, pressed) {
            cx.board.want_picture(now);
            self.timers.set(Timer::Bridge, now + LOOKED_AGAIN);
            return false;
        }
        let is_at_it = self.is_at_it(turn);
        let Some(play) = &mut self.play else { return false };
        if turn.is_none() && play.turn_around(now, cx.facts) {
            return true;
        }
        !is_at_it && still >= ADOPTED_ANEW && play.adopt_as_seen(now, turn, cx.facts)
    }
}

impl Recorder {
    /// The squares on which the board has contradicted the position of the record for long, so that
    /// whoever looks at that position is told.
    pub(in crate::game) fn contradicted(&self, now: Mono) -> Bitboard {
        let is_seen = self.link == LinkState::Live && !self.is_over();
        let Some(play) = self.play.as_ref().filter(|_| is_seen) else { return Bitboard::EMPTY };
        let tracker = play.tracker();
        let differs = tracker.seen().differs(play.sheet().last().board()) & !tracker.untold();
        if now.since(tracker.last_change()) >= CONTRADICTED {
            return differs;
        }
        // Meanwhile others may be moving, and what moves is not wrong.
        let is_old = |sq: &Square| now.since(tracker.changed_at(*sq)) >= CONTRADICTED;
        match self.watch.differs_for(now) >= CONTRADICTED {
            true => differs.into_iter().filter(is_old).collect(),
            false => Bitboard::EMPTY,
        }
    }
}
