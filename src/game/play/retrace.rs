//! What a board that looks at its squares in rounds has said of a stretch of quick play is looked
//! at again as a whole once it rests, and corrects the record, or marks it.

use super::Play;
use crate::game::entry::Fact;
use crate::laws::Ending;
use crate::time::Mono;
use crate::track::line::{CompletedBy, Ply};
use crate::track::mismatch::{self, Mismatch};
use crate::track::repair::Explanation;
use crate::track::retrace::{PlayTape, RestingBoard, Retraced, retrace};
use crate::track::weigh::{Cost, POINT};
use shakmaty::{Chess, Move, Position};

/// Fewer half-moves than this since the board rested were not so quick that one hid another.
const PLIES_MIN: usize = 3;
/// By so much another course must be better than what is on record, at the least, and by what so
/// many of its half-moves cost: the less it explains of all that was said, the less it tells.
const LEAD: Cost = 3 * POINT;
const LEAD_PLIES: Cost = 2;
/// What a half-move costs, all in all, where hands are in a hurry and nothing is wrong.
const ORDINARY: Cost = 5 * POINT / 2;
/// And where the clock is late.
const ORDINARY_LATE: Cost = 7 * POINT / 2;
/// So much more it may cost for each illegal move that stands on record and was not played by it.
const SPARED_ILLEGAL: Cost = 8 * POINT;

impl Play {
    /// Looks at all that was said since the board rested, when it rests again, and corrects the
    /// record if another course explains it better. True if that is so.
    pub(in crate::game) fn retrace(&mut self, at: Mono, facts: &mut Vec<Fact>) -> bool {
        let Some(mut tape) = self.past.take_tape().filter(|tape| self.begins_right(tape)) else {
            return false;
        };
        let n = tape.began().n;
        let is_new = self.believed_since(tape.n_rested()).is_some_and(|record| !record.is_empty());
        let may_look = is_new && self.may_retrace();
        let is_long = |record: &Vec<Move>| record.len() >= PLIES_MIN;
        let record = self.believed_since(n).filter(|_| may_look).filter(is_long);
        let corrected = record.is_some_and(|record| {
            let found =
                retrace(&tape, self.sheet.position(n), &record, self.tracker.round_if_unknown());
            found.is_some_and(|found| self.take_retraced(at, n, &record, found, facts))
        });
        self.note_rest(at, &mut tape);
        self.past.set_tape(Some(tape));
        corrected
    }

    /// Whether the tape begins with a position on record, and tells all there is to know since.
    fn begins_right(&self, tape: &PlayTape) -> bool {
        let RestingBoard { at, n, wood } = tape.began();
        !self.tracker.has_missed_since(*at)
            && *n <= self.sheet.len()
            && self.sheet.gaps().iter().all(|gap| gap.ply <= *n)
            && wood.differs(self.sheet.position(*n).board()).is_empty()
    }

    /// Whether the record may be held against what was said: the board looks at its squares in
    /// rounds, and nothing else is the matter.
    fn may_retrace(&self) -> bool {
        !self.tracker.round_if_unknown().is_zero()
            && self.tracker.seen().unnamed().is_empty()
            && !self.is_set_aside
            && !self.is_ended_otherwise()
    }

    /// The half-moves after the first `n` as they are believed to have been: those on record, or
    /// with what the tracker is about to tell.
    fn believed_since(&self, n: usize) -> Option<Vec<Move>> {
        let settled = self.tracker.n_settled();
        let on_record: Vec<Move> =
            self.sheet.moves().get(n..)?.iter().map(|scored| scored.m).collect();
        let best = self.tracker.best().plies.iter().map(|ply| ply.m);
        let all = self.sheet.moves()[..settled.min(self.sheet.len())].iter().map(|scored| scored.m);
        let believed: Vec<Move> = all.chain(best).skip(n).collect();
        let is_more = believed.starts_with(&on_record);
        Some(if is_more { believed } else { on_record })
    }

    /// The board rests, if it shows the record and its last move was pressed.
    fn note_rest(&self, at: Mono, tape: &mut PlayTape) {
        let last = self.sheet.moves().last();
        let is_pressed = last.is_none_or(|last| {
            last.completed.is_some_and(|done| done.by == CompletedBy::Press) && !last.is_illegal
        });
        let wood = self.tracker.seen().clone();
        if is_pressed && wood.differs(self.sheet.last().board()).is_empty() {
            tape.rest(RestingBoard { at, n: self.sheet.len(), wood });
        }
    }

    /// Takes what was `found` after `n` half-moves for what was played, if it is better than the
    /// `record`, or names it there. True if the record is another one now.
    fn take_retraced(
        &mut self,
        at: Mono,
        n: usize,
        record: &[Move],
        found: Retraced,
        facts: &mut Vec<Fact>,
    ) -> bool {
        let moves: Vec<Move> = found.plies.iter().map(|ply| ply.m).collect();
        let n_shared = moves.iter().zip(record).take_while(|(a, b)| a == b).count();
        let is_pressed =
            |ply: &Ply| ply.completion.is_some_and(|done| done.by == CompletedBy::Press);
        let goes_on = found.plies[n_shared..].iter().any(is_pressed);
        let is_record = n_shared == record.len() && !goes_on;
        let mut others = found.others;
        if !is_record {
            let is_apart = self.tracker.bare_difference().any();
            let of_ply = found.cost / moves.len().max(1) as Cost;
            let lead = LEAD.max(LEAD_PLIES * of_ply);
            let ordinary = if found.is_clock_late { ORDINARY_LATE } else { ORDINARY };
            let illegal = self.sheet.moves()[n..].iter().filter(|scored| scored.is_illegal);
            let most = ordinary * moves.len() as Cost + SPARED_ILLEGAL * illegal.count() as Cost;
            let is_better =
                found.recorded.map_or(found.cost <= most, |recorded| found.cost + lead <= recorded);
            let is_likelier =
                moves.len() <= record.len() + 1 || !self.shows_illegal_after(n, record);
            if is_better && is_likelier && self.may_end_with(n, &moves) {
                let mut by_ply = vec![Vec::new(); moves.len()];
                others.into_iter().for_each(|(idx, m)| by_ply[idx].push(m));
                let found = Explanation {
                    since: at,
                    plies: found.plies,
                    cost: found.cost,
                    // What was believed to explain nothing is named all the same.
                    recorded: found.recorded.or(Some(found.cost)),
                    is_record_exact: !is_apart,
                    others: by_ply,
                };
                self.correct(at, n, found, facts);
                return true;
            }
            others.retain(|(idx, _)| *idx < n_shared);
            others.extend(moves.get(n_shared).map(|m| (n_shared, *m)));
        }
        // A board that may not look in rounds at all is told of what is better, not of doubts.
        let is_known = !self.tracker.round().is_zero();
        for (idx, m) in others.into_iter().filter(|_| is_known) {
            if n + idx < self.sheet.len() && self.sheet.moves()[n + idx].m != m {
                self.name_moves(n + idx + 1, &[m], facts);
            }
        }
        false
    }

    /// Whether the board shows one illegal move after the `record`: that is likelier than several
    /// half-moves of which nothing was seen, and a course has legal moves only.
    fn shows_illegal_after(&self, n: usize, record: &[Move]) -> bool {
        let seen = mismatch::classify(&self.after(n, record), self.tracker.seen());
        !matches!(seen, None | Some(Mismatch::Disorder(_)))
    }

    /// Whether the game has ended as `moves` after `n` half-moves would end it, if it has.
    fn may_end_with(&self, n: usize, moves: &[Move]) -> bool {
        let last = self.after(n, moves);
        self.ending.is_none_or(|ending| Ending::of(&last) == Some(ending))
    }

    /// The position after the first `n` half-moves on record and these.
    fn after(&self, n: usize, moves: &[Move]) -> Chess {
        let mut pos = self.sheet.position(n).clone();
        moves.iter().for_each(|m| pos.play_unchecked(*m));
        pos
    }
}
