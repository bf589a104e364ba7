//! What else may have been played: the lines beside the best one.

use super::press::match_presses;
use super::{Tracker, total};
use crate::time::Mono;
use crate::track::line::Line;
use crate::track::weigh::{self, Cost};
use shakmaty::{Move, Position};

impl Tracker {
    /// How many plies of the best line no living rival disputes. A rival that leads to the same
    /// position does not count, nor does one that leads to what looks the same to these sensors:
    /// waiting will not tell the two apart ([`Self::alternatives`]).
    pub fn n_undisputed(&self) -> usize {
        self.n_shared_with(|_, _| true)
    }

    /// The same among lines that have got as far: one that only waits for the move disputes
    /// nothing.
    pub fn n_uncontradicted(&self) -> usize {
        self.n_shared_with(|best, rival| best.n_shared(rival) < rival.plies.len())
    }

    fn n_shared_with(&self, counts: impl Fn(&Line, &Line) -> bool) -> usize {
        let best = self.best();
        self.rivals(weigh::CLEAR_LEAD)
            .filter(|rival| !self.looks_alike(rival) && counts(best, rival))
            .map(|rival| best.n_shared(rival))
            .fold(best.n_standing(), usize::min)
    }

    /// Whether `rival` leads to the best line's position, or to one that looks like it to these
    /// sensors: they do not know which pawn was captured, or to what a pawn was promoted.
    fn looks_alike(&self, rival: &Line) -> bool {
        let best = self.best();
        let (one, other) = (best.pos.board(), rival.pos.board());
        let is_twin = best.pos.turn() == rival.pos.turn()
            && one != other
            && !self.seen.tells_apart(
                one,
                other,
                best.untold(&self.seen) | rival.untold(&self.seen),
            );
        is_twin || best.pos == rival.pos
    }

    /// Other moves that may have been played as ply `idx` of the best line, by lines that are worse
    /// than it by less than `lead`.
    ///
    /// Where only the touch of a piece tells two moves apart, as the board shows the same after
    /// either, a touch that was not seen proves little: castling may leave pieces where others
    /// stood, and messages may have been lost.
    pub fn alternatives(&self, idx: usize, lead: Cost) -> Vec<Move> {
        let best = self.best();
        let since = idx.checked_sub(1).map_or(Mono::default(), |idx| best.plies[idx].released);
        let is_unsure = self.missed > Some(since);
        let within = total(best) + lead;
        let m = best.plies[idx].m;
        let takes_unseen = self.takes_unseen(m);
        let lead = lead.max(weigh::TOUCH_LEAD) + if takes_unseen { weigh::STALE } else { 0 };
        self.others(idx, lead, |rival| {
            let other = rival.plies[idx].m;
            let castles = other.is_castle() != m.is_castle();
            total(rival) < within
                || (is_unsure || castles) && self.looks_alike(rival)
                || takes_unseen && other.from() == m.from() && self.takes_unseen(other)
        })
    }

    /// Whether `m` captures what nobody was seen to touch, where pieces have no names: it may have
    /// captured anything else that it could, as well.
    fn takes_unseen(&self, m: Move) -> bool {
        let Some(from) = m.from().filter(|_| m.is_capture()) else { return false };
        self.seen.something().contains(m.to()) && self.changed_at(m.to()) < self.changed_at(from)
    }

    /// Other moves that may have been played as ply `idx` of the best line, by lines that lead to
    /// what looks the same, so that nothing to come need tell them apart.
    pub fn equals(&self, idx: usize) -> Vec<Move> {
        self.others(idx, weigh::CLEAR_LEAD, |rival| self.looks_alike(rival))
    }

    /// What lines that part from the best one at ply `idx` have there, each once.
    fn others(&self, idx: usize, lead: Cost, counts: impl Fn(&Line) -> bool) -> Vec<Move> {
        let best = self.best();
        let parts = |rival: &&Line| idx < rival.plies.len() && best.n_shared(rival) == idx;
        let mut others: Vec<Move> = Vec::new();
        for rival in self.rivals(lead).filter(parts).filter(|rival| counts(rival)) {
            if !others.contains(&rival.plies[idx].m) {
                others.push(rival.plies[idx].m);
            }
        }
        others
    }

    /// Lines that are worse than the best by less than `lead`. One that ends with an illegal move
    /// which the board does not show is none.
    pub(in crate::track) fn rivals(&self, lead: Cost) -> impl Iterator<Item = &Line> {
        let limit = total(self.best()) + lead;
        self.lines[1..].iter().filter(move |line| total(line) < limit && !self.has_gone(line))
    }

    /// Goes on with the last of `moves`, which begin where the lines do and were made by `at`, if
    /// the best line has the first of them. Presses that wait are for these. False, and nothing is
    /// changed, if it has others.
    pub fn follow(&mut self, at: Mono, moves: &[Move]) -> bool {
        let known = self.best().plies.iter().map(|ply| ply.m);
        let n = self.best().plies.len();
        if moves.len() < n || !known.zip(moves).all(|(known, m)| known == *m) {
            return false;
        }
        let pressed = self.best().open.iter().map(|press| press.at).min();
        let made = pressed.map_or(at, |pressed| pressed.min(at));
        moves[n..].iter().for_each(|m| self.believe(*m, made));
        let scan = self.scan();
        match_presses(&mut self.lines[0], scan);
        true
    }

    /// The lines that live, the best first, and how much worse than that each is.
    pub fn held(&self) -> impl Iterator<Item = (&Line, Cost)> {
        let best = total(self.best());
        self.lines.iter().map(move |line| (line, total(line) - best))
    }

    /// Whether `line` ends with an illegal move that the board does not show.
    pub(in crate::track) fn has_gone(&self, line: &Line) -> bool {
        line.n_standing() < line.plies.len() && line.differs(&self.seen).any()
    }

    /// Whether the best line leads clearly over every line that `speaks` for something else.
    pub fn is_clear_of(&self, speaks: impl Fn(&Line) -> bool) -> bool {
        let limit = total(self.best()) + weigh::CLEAR_LEAD;
        !self.lines.iter().any(|line| total(line) < limit && speaks(line))
    }
}
