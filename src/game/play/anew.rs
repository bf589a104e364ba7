//! A board that was taken over, and is taken over once more: it was the other player's move, or it
//! stood otherwise, or something lay on it that was no piece of the game.

use super::Play;
use crate::game::entry::Fact;
use crate::table::{Placement, Reading};
use crate::time::Mono;
use crate::track::line::{Completion, Ply, squares_of};
use crate::track::repair::Explanation;
use crate::track::{bridge, legal, search};
use shakmaty::{Bitboard, Board, Chess, Color, Move, Position, Square};
use std::time::Duration;

/// What lay on the board when that was taken over is found out within so many half-moves.
const LAY_WITHIN: usize = 6;
/// A piece that was knocked over is set right within this, at times later.
const SET_RIGHT: Duration = Duration::from_secs(5);

impl Play {
    /// The board stood as `seen` at `at`, as it does after what is on record, and its sensors have
    /// said `steps` since.
    pub(in crate::game) fn follow_from(
        &mut self,
        at: Mono,
        seen: Placement,
        steps: &[(Mono, Square, Reading)],
    ) {
        self.tracker.go_on_from(at, seen);
        for (at, sq, reading) in steps {
            self.sense(*at, *sq, *reading);
        }
    }

    /// Who is on move where the board was taken over was not known, and it is the other player: a
    /// legal move of his is what is seen. True if that is so.
    pub(in crate::game) fn turn_around(&mut self, at: Mono, facts: &mut Vec<Fact>) -> bool {
        let pos = self.sheet.last();
        let Some(turned) = self.taken_over(pos.board(), !pos.turn()) else { return false };
        let mut budget = search::NODES_MAX;
        let (seen, untold) = (self.tracker.seen(), self.tracker.untold());
        if search::lines(&turned, seen, 1, 0, untold, &mut budget).is_empty() {
            return false;
        }
        self.take_over(at, turned, 0, facts);
        // What is seen of the move came before these lines did.
        self.tracker.branch(at);
        self.tracker.look(at, 0);
        true
    }

    /// The player who is on move where the board was taken over presses the clock, and it shows a
    /// move of the other one and his reply to that: he had moved before without pressing, and was
    /// answered.
    pub(in crate::game) fn turn_around_if_answered(&mut self, at: Mono, facts: &mut Vec<Fact>) {
        let pos = self.sheet.last();
        let Some(turned) = self.taken_over(pos.board(), !pos.turn()) else { return };
        let mut budget = search::NODES_MAX;
        let (tracker, by) = (&self.tracker, pos.turn());
        let (seen, untold) = (tracker.seen(), tracker.untold());
        let mut lines = |pos, n| search::lines(pos, seen, n, 0, untold, &mut budget);
        let is_in_order = |line: &Vec<Move>| {
            let (theirs, his) = (squares_of(line[0], !by), squares_of(line[1], by));
            let changed = |squares: Bitboard| squares.into_iter().map(|sq| tracker.changed_at(sq));
            changed(theirs & !his).max() < changed(his & !theirs).min()
        };
        if lines(pos, 1).is_empty() && lines(&turned, 2).iter().any(is_in_order) {
            self.take_over(at, turned, 0, facts);
            self.tracker.branch(at);
            self.tracker.look(at, 0);
        }
    }

    /// Whoever is not on move where the board was taken over presses the clock, and it shows a
    /// legal move of his: so he was on move. What the other one has lifted since is for his reply;
    /// if he lifted it before, it may have moved.
    pub(in crate::game) fn turn_around_if_shown(&mut self, at: Mono, facts: &mut Vec<Fact>) {
        let pos = self.sheet.last();
        let Some(turned) = self.taken_over(pos.board(), !pos.turn()) else { return };
        let tracker = &self.tracker;
        let shows = |m: Move| {
            let mut after = turned.clone();
            after.play_unchecked(m);
            let made = squares_of(m, turned.turn()).into_iter().map(|sq| tracker.changed_at(sq));
            let made = made.max().unwrap_or_default();
            let is_reply = |sq: Square| {
                let is_his = after.us().contains(sq) && tracker.changed_at(sq) > made;
                is_his && tracker.seen().get(sq) == Reading::Empty
            };
            let differs = tracker.seen().differs(after.board()) & !tracker.untold();
            differs.is_empty() || differs.single_square().is_some_and(is_reply)
        };
        if legal::moves(&turned).any(shows) {
            self.take_over(at, turned, 0, facts);
        }
    }

    /// The player who is on move where the board was taken over presses the clock: his move stood
    /// already.
    pub(in crate::game) fn pass_turn(&mut self, at: Mono, facts: &mut Vec<Fact>) {
        let pos = self.sheet.last();
        if let Some(turned) = self.taken_over(pos.board(), !pos.turn()) {
            self.take_over(at, turned, 0, facts);
        }
    }

    /// Takes the board over once more, as it is seen. False if it is no position.
    pub(in crate::game) fn adopt_as_seen(
        &mut self,
        at: Mono,
        turn: Option<Color>,
        facts: &mut Vec<Fact>,
    ) -> bool {
        let seen = self.tracker.seen();
        // Pieces that are only missing are in a hand, for as long as it likes.
        let is_put = (self.tracker.difference() & seen.occupied()).any();
        if seen.unnamed().any() || !is_put {
            return false;
        }
        let turn = turn.unwrap_or(self.sheet.last().turn());
        let Some(pos) = self.taken_over(seen.known(), turn) else { return false };
        self.take_over(at, pos, 0, facts);
        true
    }

    /// The whole board was read. What was missing where it was taken over, and has come since, had
    /// been knocked over, or was not read: it is taken over with that. So it is if it stands as it
    /// was `found` before: what was moved then was tried out.
    pub(in crate::game) fn take_over_again(
        &mut self,
        at: Mono,
        found: Option<&Board>,
        facts: &mut Vec<Fact>,
    ) {
        let (seen, last) = (self.tracker.seen(), self.sheet.last());
        let is_named = seen.unnamed().is_empty();
        let is_back = is_named && found == Some(seen.known()) && seen.known() != last.board();
        let come = self.tracker.difference();
        let count = |board: &Board, sq: Square| {
            seen.known().piece_at(sq).map_or(0, |piece| board.by_piece(piece).count())
        };
        let was_missing = |sq: Square| {
            let is_free = !last.board().occupied().contains(sq);
            is_free && count(seen.known(), sq) > count(last.board(), sq)
        };
        let has_come = || self.is_fresh() && come.any() && come.into_iter().all(was_missing);
        if !(self.is_bare() && is_back || has_come()) {
            return;
        }
        if let Some(pos) = self.taken_over(seen.known(), last.turn()) {
            self.take_over(at, pos, 0, facts);
        }
    }

    /// What was taken for a piece when the board was taken over was carried off before anything was
    /// played, and all that was played since is legal without it: it was taken over without that,
    /// a captured piece that still lay there. True if that is so.
    pub(in crate::game) fn take_over_without(&mut self, at: Mono, facts: &mut Vec<Fact>) -> bool {
        if self.is_over() {
            return false;
        }
        let n = self.sheet.len();
        let since =
            (n.saturating_sub(LAY_WITHIN)..n).rev().find(|n| self.sheet.is_taken_over_at(*n));
        let Some((first, pos)) =
            since.and_then(|first| Some((first, self.without_parked(at, first)?)))
        else {
            return false;
        };
        let moves = &self.sheet.moves()[first..];
        let plies: Vec<Ply> = moves
            .iter()
            .map(|scored| Ply {
                m: scored.m,
                is_illegal: false,
                released: scored.completed.map_or(at, |done| done.at),
                completion: scored.completed.map(|done| Completion { at: done.at, by: done.by }),
                is_unwatched: false,
            })
            .collect();
        let others = vec![Vec::new(); plies.len()];
        self.sheet.truncate(first);
        facts.push(Fact::MoveRetracted { ply: first + 1 });
        self.take_over(at, pos, 0, facts);
        let found = Explanation {
            since: at,
            plies,
            cost: 0,
            recorded: None,
            is_record_exact: false,
            others,
        };
        self.correct(at, first, found, facts);
        true
    }

    /// The position after `first` half-moves, where the board was taken over, without what lay
    /// there, if that alone is missing from what the board shows.
    fn without_parked(&self, at: Mono, first: usize) -> Option<Chess> {
        let seen = self.tracker.seen();
        let sq = seen.differs(self.sheet.last().board()).single_square()?;
        let before = self.sheet.position(first);
        let moves = &self.sheet.moves()[first..];
        let gone = self.tracker.changed_at(sq);
        let is_early = seen.get(sq) == Reading::Empty
            && at.since(gone) >= SET_RIGHT
            && moves.iter().all(|scored| self.tracker.changed_at(scored.m.to()) > gone);
        let mut board = before.board().clone();
        let piece = board.remove_piece_at(sq).filter(|_| is_early)?;
        let is_still_there = self.sheet.last().board().piece_at(sq) == Some(piece);
        // What had stood there before nobody saw the board was no captured piece.
        let mut gaps = self.sheet.gaps().iter();
        if gaps.any(|gap| gap.ply == first && gap.before.board().piece_at(sq) == Some(piece)) {
            return None;
        }
        let mode = self.sheet.mode();
        let pos = bridge::standing(&board, None, mode, before.turn(), before.fullmoves())?;
        let mut last = pos.clone();
        for scored in moves {
            let m = legal::moves(&last).find(|m| *m == scored.m)?;
            last.play_unchecked(m);
        }
        (is_still_there && seen.differs(last.board()).is_empty()).then_some(pos)
    }
}
