//! Recorded moves that may as well have been others are marked before they are settled.

use super::{DOUBT_TOLD_AFTER, Play};
use crate::game::entry::Fact;
use crate::time::Mono;
use crate::track::audit::{OpenMoves, Testimony};
use crate::track::repair::Explanation;
use shakmaty::Move;
use shakmaty::uci::UciMove;

impl Play {
    /// What was heard so far tells nothing of what is played from here on.
    pub(super) fn forget_heard(&mut self, at: Mono) {
        self.heard = Testimony::new(at, self.tracker.seen().clone());
        self.open_since = at;
    }

    /// Settles the moves that can no longer change.
    pub(super) fn settle_agreed(&mut self) {
        let n_agreed = self.n_agreed();
        let last = self.tracker.n_ripe(n_agreed).checked_sub(1);
        let last = last.map(|idx| self.tracker.best().plies[idx]);
        self.tracker.settle(n_agreed);
        if let Some(last) = last {
            self.open_since = last.released;
        }
    }

    /// Names what the moves that are about to be settled may as well have been, by all that was
    /// heard of them since; of all open ones if the board is still.
    pub(super) fn audit(&mut self, at: Mono, facts: &mut Vec<Fact>) {
        let n_agreed = self.n_agreed();
        let changed = self.tracker.last_change();
        let is_still = at.since(changed) >= DOUBT_TOLD_AFTER && self.audited != Some(changed);
        if is_still {
            self.audited = Some(changed);
        }
        let n = if is_still { n_agreed } else { self.tracker.n_ripe(n_agreed) };
        let base = self.tracker.n_settled();
        for idx in 0..n {
            let open = OpenMoves {
                root: self.tracker.root(),
                plies: &self.tracker.best().plies,
                since: self.open_since,
                seen: self.tracker.seen(),
                late: self.tracker.round(),
            };
            let others = self.heard.others(&open, idx);
            self.name_moves(base + idx + 1, &others, facts);
        }
    }

    /// Names what else the moves from the `n`th on may have been, which hindsight has put on record
    /// as it `found` them after `first` half-moves.
    pub(super) fn audit_found(
        &mut self,
        first: usize,
        n: usize,
        found: &Explanation,
        facts: &mut Vec<Fact>,
    ) {
        for idx in n - first..found.plies.len() {
            let open = OpenMoves {
                root: self.sheet.position(first),
                plies: &found.plies,
                since: found.since,
                seen: self.tracker.seen(),
                late: self.tracker.round(),
            };
            let others = self.heard.others(&open, idx);
            self.name_moves(first + idx + 1, &others, facts);
        }
    }

    /// Names `others` beside half-move `ply`, counted from 1, as far as they are not.
    pub(super) fn name_moves(&mut self, ply: usize, others: &[Move], facts: &mut Vec<Fact>) {
        let mode = self.sheet.mode();
        let others: Vec<UciMove> = others.iter().map(|m| m.to_uci(mode)).collect();
        self.name_others(ply, &others, facts);
    }

    /// As [`Self::name_moves`], with the moves in UCI notation.
    pub(super) fn name_others(&mut self, ply: usize, others: &[UciMove], facts: &mut Vec<Fact>) {
        let known = &self.sheet.moves()[ply - 1].alternatives;
        let mut named = known.clone();
        for other in others {
            if !named.contains(other) {
                named.push(*other);
            }
        }
        if named.len() > known.len() {
            let alternatives = named.iter().map(UciMove::to_string).collect();
            self.sheet.mark(ply, named);
            facts.push(Fact::MoveMarked { ply, alternatives });
        }
    }
}
