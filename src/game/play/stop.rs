//! What was moved while the clock stood: moves that were taken back, and the one that was made.

use super::Play;
use super::gap::is_same;
use crate::game::entry::Fact;
use crate::table::Times;
use crate::time::Mono;
use crate::track::legal;
use shakmaty::{Board, Chess, Color, Move, Position};

impl Play {
    /// Goes back to the last position on record that the board shows exactly, with `turn` to move:
    /// the players have taken moves back, or put an illegal one right. If it shows none, but what
    /// one legal move makes of one, that move was made while the clock stood: it was sealed, or
    /// takes the place of an illegal one. Who set the clock going with `times` has pressed for it,
    /// or for a move that was made before the clock was stopped.
    pub(in crate::game) fn take_back_to(
        &mut self,
        at: Mono,
        turn: Color,
        times: Option<Times>,
        facts: &mut Vec<Fact>,
    ) {
        self.past.forget();
        let found = self.stands_at(turn);
        if self.is_bare() && found.is_none_or(|(n, _)| n < self.sheet.len()) {
            return self.take_over_resumed(at, turn, facts);
        }
        let Some((n, made)) = found else { return };
        if n < self.sheet.len() {
            self.sheet.truncate(n);
            facts.push(Fact::MoveRetracted { ply: n + 1 });
        } else if made.is_none() && self.tracker.mismatch().is_none() {
            let best = self.tracker.best();
            let is_open = best.plies.iter().any(|ply| ply.completion.is_none());
            if is_open && best.standing().turn() == turn {
                self.press(at, !turn, times, facts);
                return;
            }
            if self.sheet.n_completed() < n {
                // A press of before may yet be found to be for what is on record.
                return;
            }
            // What else seemed to be played was put right.
        }
        self.go_on_at_rest(at, made, times, facts);
    }

    /// The clock is set running for `turn` on a board that was taken over otherwise, and on which
    /// nothing is on record since: what stood there was illegal, and has been set right.
    fn take_over_resumed(&mut self, at: Mono, turn: Color, facts: &mut Vec<Fact>) {
        let seen = self.tracker.seen();
        let pos = self.taken_over(seen.known(), turn).filter(|_| seen.unnamed().is_empty());
        if let Some(pos) = pos.filter(|pos| !is_same(pos, self.sheet.last())) {
            self.take_over(at, pos, 0, facts);
        }
    }

    /// The one legal move that leads from the last position on record to `after`, which the board
    /// shows, was made while the clock stood.
    pub(in crate::game) fn take_made(
        &mut self,
        at: Mono,
        after: &Board,
        times: Option<Times>,
        facts: &mut Vec<Fact>,
    ) {
        let pos = self.sheet.last();
        let leads_there = |m: &Move| pos.clone().play(*m).is_ok_and(|pos| pos.board() == after);
        let made = legal::moves(pos).find(leads_there);
        let astray = self.tracker.seen().differs(after) & !self.tracker.untold();
        if made.is_some() && astray.is_empty() {
            self.past.forget();
            self.go_on_at_rest(at, made, times, facts);
        }
    }

    /// What is on record stands on the board, and after it, if there is one, the move that was
    /// `made` while the clock stood, and is completed.
    fn go_on_at_rest(
        &mut self,
        at: Mono,
        made: Option<Move>,
        times: Option<Times>,
        facts: &mut Vec<Fact>,
    ) {
        let n_settled = self.sheet.n_completed();
        self.tracker.restart(self.sheet.position(n_settled).clone(), n_settled);
        self.forget_heard(self.tracker.last_change());
        self.other = None;
        self.believe_rest();
        if let Some(m) = made {
            let by = self.sheet.last().turn();
            self.tracker.believe(m, at);
            self.press(at, by, times, facts);
        }
    }

    /// After how many half-moves on record, and which one beside them, the board stands as it is
    /// with `turn` to move.
    fn stands_at(&self, turn: Color) -> Option<(usize, Option<Move>)> {
        let (seen, untold) = (self.tracker.seen(), self.tracker.untold());
        let shows =
            |pos: &Chess| pos.turn() == turn && (seen.differs(pos.board()) & !untold).is_empty();
        let all = || (0..=self.sheet.len()).rev();
        let is_last = |n: &usize| shows(self.sheet.position(*n));
        let made = |n: usize| {
            let pos = self.sheet.position(n);
            let after = |m: &Move| pos.clone().play(*m).is_ok_and(|after| shows(&after));
            let mut found = legal::moves(pos).filter(after);
            // Of two moves that look the same nobody knows which was made.
            found.next().filter(|_| found.next().is_none()).map(|m| (n, Some(m)))
        };
        // A move that brought a position about anew is likelier than several that were taken back.
        let n = self.sheet.len();
        let last = if is_last(&n) { Some((n, None)) } else { made(n) };
        let shown = || all().find(is_last).map(|n| (n, None));
        last.or_else(shown).or_else(|| all().find_map(made))
    }
}
