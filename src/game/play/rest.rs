//! How long a piece must rest where it was put for its move to be believed, where no press tells:
//! without a clock, and before the press that is to come.

use super::Play;
use crate::game::entry::{Basis, Fact};
use crate::game::settings::Rests;
use crate::time::Mono;
use crate::track::legal;
use crate::track::weigh::{CLEAR_LEAD, Cost};
use shakmaty::{Chess, Move, Position, Role, attacks};
use std::time::Duration;

/// Whoever lifts a piece and puts it down, and is not in a hurry, takes at least this long.
const LIFTED_MIN: Duration = Duration::from_millis(250);

impl Play {
    /// Shows the moves of the line that is best by now, if the board stands exactly so, no line
    /// that has got as far disputes them, and the last has rested as long as `rests` says. Which
    /// lines live on is left to the press that is to come, and so is what else the moves may have
    /// been; until then they can be withdrawn, but none that is more than shown. An illegal move
    /// waits for a press. Returns when to ask again, if the last has not rested yet.
    pub(in crate::game) fn show(
        &mut self,
        at: Mono,
        rests: &Rests,
        facts: &mut Vec<Fact>,
    ) -> Option<Mono> {
        let unlooked = self.tracker.clone();
        self.tracker.look(at, 0);
        let due = self.tracker.last_change() + self.rest_of(rests);
        let is_exact = self.tracker.mismatch().is_none() && !self.is_analysis();
        if is_exact && !self.is_set_aside && at >= due {
            self.show_best(at, facts);
        }
        self.tracker = unlooked;
        (is_exact && at < due).then_some(due)
    }

    fn show_best(&mut self, at: Mono, facts: &mut Vec<Fact>) {
        let differs = self.sheet.moves().get(self.tracker.n_settled() + self.n_agreed());
        if differs.is_some_and(|scored| !scored.is_only_shown) {
            return;
        }
        let n = self.tracker.best().n_standing() - usize::from(self.may_become_castling());
        let n = n.min(self.tracker.n_uncontradicted()).min(self.n_legal());
        self.withdraw(n, facts);
        let n_recorded = self.sheet.len();
        self.record(at, n, Basis::Quiet, CLEAR_LEAD, facts);
        self.sheet.only_show_from(n_recorded);
    }

    /// How many plies of the best line come before an illegal one that is not on record.
    fn n_legal(&self) -> usize {
        let plies = &self.tracker.best().plies;
        let n_agreed = self.n_agreed();
        let illegal = plies.iter().skip(n_agreed).position(|ply| ply.is_illegal);
        illegal.map_or(plies.len(), |idx| n_agreed + idx)
    }

    /// The first `n` plies of the best line are more than shown, as far as they are on record:
    /// those that were not yet are marked with what else they may have been by lines that are
    /// worse by less than `lead`.
    pub(super) fn vouch(&mut self, n: usize, lead: Cost, facts: &mut Vec<Fact>) {
        let base = self.tracker.n_settled();
        for idx in 0..n.min(self.n_agreed()) {
            let scored = &self.sheet.moves()[base + idx];
            let (is_only_shown, is_illegal) = (scored.is_only_shown, scored.is_illegal);
            self.sheet.vouch(base + idx + 1);
            if is_only_shown && !is_illegal {
                let others = self.others(idx, lead);
                self.name_others(base + idx + 1, &others, facts);
            }
        }
    }

    /// Whether nobody can tell yet, not even from a board at rest, whether the last move of the
    /// best line is a step of its king or the first half of castling in Chess960: the clock or the
    /// reply tells. Laws of 2023: Guidelines II.3.
    pub(super) fn may_become_castling(&self) -> bool {
        self.last_standing().is_some_and(|(before, last)| {
            last.completion.is_none() && steps_to_castle(&before, last.m)
        })
    }

    /// How long the board must have been still for the last move of the best line to be believed
    /// without a clock.
    pub(super) fn rest_of(&self, rests: &Rests) -> Duration {
        let Some((before, last)) = self.last_standing() else { return rests.without_clock };
        if begins_castling(&before, last.m) {
            rests.doubtful
        } else if may_go_on(&before, last.m) {
            let is_slid =
                self.tracker.carried(&before, last.m).is_some_and(|time| time < LIFTED_MIN);
            if is_slid { rests.slid } else { rests.on_its_way }
        } else {
            rests.without_clock
        }
    }
}

/// Whether the piece could have gone on in the direction of `m`: it may rest on its way. So may a
/// king that castles.
fn may_go_on(before: &Chess, m: Move) -> bool {
    let Some(from) = m.from() else { return false };
    legal::moves(before).any(|other| {
        let end = other.castling_side().map_or(other.to(), |side| side.king_to(before.turn()));
        other.from() == Some(from) && attacks::between(from, end).contains(m.to())
    })
}

/// Whether a rook's move `m` may be the first half of castling: it has gone to where it stands
/// after that, with the king still at home.
fn begins_castling(before: &Chess, m: Move) -> bool {
    let Move::Normal { role: Role::Rook, from, to, .. } = m else { return false };
    let turn = before.turn();
    shakmaty::CastlingSide::ALL
        .into_iter()
        .any(|side| before.castles().rook(turn, side) == Some(from) && side.rook_to(turn) == to)
}

/// Whether a king's move `m` leads to where the king stands after a castling that is legal in
/// Chess960: its rook may follow.
fn steps_to_castle(before: &Chess, m: Move) -> bool {
    let is_step = matches!(m, Move::Normal { role: Role::King, .. });
    is_step
        && legal::moves(before).any(|other| {
            other.castling_side().is_some_and(|side| side.king_to(before.turn()) == m.to())
        })
}
