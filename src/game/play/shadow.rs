//! What a marked move may have been instead, followed as long as nothing tells.
//!
//! Where sensors do not name pieces, a capture or a promotion may be ambiguous for many moves: the
//! board looks the same after either. The tracker keeps such rivals for as long as it keeps moves
//! open. From then on a shadow of the game is kept here, in which the other move was played and
//! everything after it as recorded. When a recorded move could not have been played there, the
//! question is answered and the mark is withdrawn; when the board shows what only the shadow
//! explains, the shadow takes the place of the record.

use super::Play;
use crate::game::entry::{Basis, Fact};
use crate::table::Placement;
use crate::time::Mono;
use crate::track::legal;
use crate::track::weigh::Cost;
use crate::track::{search, tracker};
use shakmaty::uci::UciMove;
use shakmaty::{Board, Chess, Color, Move, Position, Role};

/// Shadows of one game, at the most; of more, the oldest are given up, and their marks stay.
pub(super) const SHADOWS_MAX: usize = 24;

/// The game as it would be if one marked move had been another.
#[derive(Clone, Debug)]
struct Shadow {
    /// The half-move, from 1.
    ply: usize,
    /// What it was in the shadow.
    other: UciMove,
    /// The position after as many half-moves as are followed.
    pos: Chess,
    /// So many half-moves were on record once the marked one was: they rest on the same belief, and
    /// say nothing of it.
    n_told: usize,
}

/// All that are followed.
#[derive(Clone, Debug, Default)]
pub(super) struct Shadows {
    open: Vec<Shadow>,
    /// Recorded half-moves that they have followed.
    n: usize,
    /// For each half-move on record, how many were once it was told; none where that is not known.
    told: Vec<usize>,
}

/// What takes the place of a recorded half-move.
pub(super) struct Chosen<'a> {
    /// The move.
    pub(super) m: Move,
    /// What else it may have been.
    pub(super) others: Vec<UciMove>,
    /// The recorded moves after it, as they read then.
    pub(super) later: &'a [Move],
    /// What that rests on.
    pub(super) basis: Basis,
}

impl Shadows {
    /// The half-moves from `from` on, up to `n` in all, were put on record together.
    pub(super) fn note_told(&mut self, from: usize, n: usize) {
        self.told.resize(from, 0);
        self.told.resize(n, n);
    }
}

impl Play {
    /// Has the shadows follow what the tracker holds to be beyond doubt, and withdraws the marks
    /// that this answers.
    pub(super) fn follow_shadows(&mut self, facts: &mut Vec<Fact>) {
        let n = self.tracker.n_settled();
        if n < self.shadows.n {
            self.shadows = Shadows::default();
        }
        let is_at_fault = self.has_faulty_sensors();
        let mut excluded: Vec<(usize, UciMove)> = Vec::new();
        for idx in self.shadows.n..n.min(self.sheet.len()) {
            let scored = &self.sheet.moves()[idx];
            let is_certain = !scored.is_uncertain() && !scored.is_illegal && !is_at_fault;
            let (seen, after) = (self.tracker.seen(), self.sheet.position(idx + 1));
            self.shadows.open.retain_mut(|shadow| {
                let moves = moves_like(&shadow.pos, &scored.uci, seen, after.board());
                if let [m] = moves[..] {
                    shadow.pos.play_unchecked(m);
                    return true;
                }
                if moves.is_empty() && is_certain && idx >= shadow.n_told {
                    excluded.push((shadow.ply, shadow.other));
                }
                false
            });
            let n_told = self.shadows.told.get(idx).copied().unwrap_or_default();
            for &other in &scored.alternatives {
                let mut pos = self.sheet.position(idx).clone();
                let Ok(m) = legal::read(&other, &pos) else { continue };
                pos.play_unchecked(m);
                if looks_alike(self.tracker.seen(), pos.board(), after.board()) {
                    self.shadows.open.push(Shadow { ply: idx + 1, other, pos, n_told });
                }
            }
        }
        self.shadows.n = n;
        let n_old = self.shadows.open.len().saturating_sub(SHADOWS_MAX);
        self.shadows.open.drain(..n_old);
        self.withdraw_marks(&excluded, facts);
    }

    /// What else ply `idx` of the best line may have been, by lines that are worse than the best by
    /// less than `lead`. What a pawn became is never known where sensors know no names. All plies
    /// before it are on record.
    pub(super) fn others(&self, idx: usize, lead: Cost) -> Vec<UciMove> {
        let mode = self.sheet.mode();
        let mut others: Vec<UciMove> =
            self.tracker.alternatives(idx, lead).into_iter().map(|m| m.to_uci(mode)).collect();
        if let Move::Normal { role, from, capture, to, promotion: Some(known) } =
            self.tracker.best().plies[idx].m
        {
            let roles = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
            for promotion in roles.into_iter().filter(|role| *role != known).map(Some) {
                let other = Move::Normal { role, from, capture, to, promotion };
                let uci = other.to_uci(mode);
                if !others.contains(&uci) && self.may_have_been(idx, other) {
                    others.push(uci);
                }
            }
        }
        others
    }

    /// Whether what the tracker believes to have been played since would look the same if ply `idx`
    /// of the best line was `other`.
    fn may_have_been(&self, idx: usize, other: Move) -> bool {
        let (seen, mode) = (self.tracker.seen(), self.sheet.mode());
        let mut after = self.sheet.position(self.tracker.n_settled() + idx).clone();
        let mut shadow = after.clone();
        let open = &self.tracker.best().plies[idx..];
        shadow.play_unchecked(other);
        for (idx, ply) in open.iter().enumerate() {
            after.play_unchecked(ply.m);
            if idx == 0 {
                if !looks_alike(seen, shadow.board(), after.board()) {
                    return false;
                }
                continue;
            }
            match moves_like(&shadow, &ply.m.to_uci(mode), seen, after.board())[..] {
                [] => return ply.is_illegal,
                [m] => shadow.play_unchecked(m),
                _ => return true,
            }
        }
        true
    }

    /// Takes what a half-move cannot have been out of its alternatives.
    fn withdraw_marks(&mut self, excluded: &[(usize, UciMove)], facts: &mut Vec<Fact>) {
        let mut plies: Vec<usize> = excluded.iter().map(|(ply, _)| *ply).collect();
        plies.dedup();
        for ply in plies {
            let mut others = self.sheet.moves()[ply - 1].alternatives.clone();
            others.retain(|other| !excluded.contains(&(ply, *other)));
            let alternatives = others.iter().map(UciMove::to_string).collect();
            self.sheet.mark(ply, others);
            facts.push(Fact::MoveMarked { ply, alternatives });
        }
    }

    /// Lets a shadow take the place of the record if the board shows one legal move more than it,
    /// and nothing that the record explains. `by` has pressed just now, if anybody has. True if
    /// that is so.
    pub(super) fn recast(&mut self, at: Mono, by: Option<Color>, facts: &mut Vec<Fact>) -> bool {
        let best = self.tracker.best();
        let is_explained =
            best.plies.iter().all(|ply| !ply.is_illegal) && self.tracker.is_explained();
        let is_behind = self.shadows.n != self.tracker.n_settled();
        if self.shadows.open.is_empty() || is_explained || is_behind {
            return false;
        }
        let fits: Vec<&Shadow> = self.shadows.open.iter().filter(|s| self.explains(s)).collect();
        // Whoever does not want a queen wants a knight.
        let is_knight = |shadow: &&&Shadow| shadow.other.promotion() == Some(Role::Knight);
        let Some(&&Shadow { ply, other, .. }) =
            fits.iter().find(is_knight).or_else(|| fits.first())
        else {
            return false;
        };
        let Ok(choice) = legal::read(&other, self.sheet.position(ply - 1)) else { return false };
        let Ok(later) = self.later_moves(ply, choice) else { return false };
        // What was on record until now stays a rival until a settled move excludes it.
        let is_rival = |shadow: &&&Shadow| shadow.ply == ply && shadow.other != other;
        let mut others: Vec<UciMove> = fits.iter().filter(is_rival).map(|s| s.other).collect();
        others.insert(0, self.sheet.moves()[ply - 1].uci);
        let chosen = Chosen { m: choice, others, later: &later, basis: Basis::Later };
        self.replace(at, ply, chosen, facts);
        match by {
            Some(by) => self.tracker.press(at, by),
            None => self.tracker.look(at, tracker::STEP_MAX),
        }
        true
    }

    /// Whether all that is recorded is legal in `shadow`, and the board shows a move that is legal
    /// there only, or a recorded one is.
    fn explains(&self, shadow: &Shadow) -> bool {
        let mut pos = shadow.pos.clone();
        let open = &self.sheet.moves()[self.tracker.n_settled()..];
        for scored in open {
            let Ok(m) = legal::read(&scored.uci, &pos) else { return false };
            pos.play_unchecked(m);
        }
        let seen = self.tracker.seen();
        let (recorded, mode) = (self.sheet.last(), self.sheet.mode());
        let mut budget = search::NODES_MAX;
        let tells = |m: Move| {
            let mut after = pos.clone();
            after.play_unchecked(m);
            is_tidy(seen, &after) && legal::read(&m.to_uci(mode), recorded).is_err()
        };
        open.iter().any(|scored| scored.is_illegal) && is_tidy(seen, &pos)
            || search::lines(&pos, seen, 1, 0, self.tracker.untold(), &mut budget)
                .into_iter()
                .flatten()
                .any(tells)
    }
}

/// What may have been played from `pos` where `recorded` is on record: that, or if it could not
/// have been, all that leads to what looks like `after` to sensors that read `seen`.
fn moves_like(pos: &Chess, recorded: &UciMove, seen: &Placement, after: &Board) -> Vec<Move> {
    if let Ok(m) = legal::read(recorded, pos) {
        return vec![m];
    }
    let leads_there = |m: &Move| {
        let mut shadow = pos.clone();
        shadow.play_unchecked(*m);
        looks_alike(seen, shadow.board(), after)
    };
    legal::moves(pos).filter(leads_there).collect()
}

/// Whether the board shows `pos`, or that the one who is to move has lifted a piece.
fn is_tidy(seen: &Placement, pos: &Chess) -> bool {
    let differs = seen.differs(pos.board());
    let lifted = differs & pos.us() & !seen.occupied();
    differs.is_empty() || differs.count() == 1 && lifted == differs
}

/// Whether sensors of the kind that see `seen`, whatever they see now, show the same of both
/// boards.
fn looks_alike(seen: &Placement, one: &Board, other: &Board) -> bool {
    let same_colors = one.white() == other.white() && one.black() == other.black();
    let names_some = seen.known().occupied().any();
    let names_none = seen.something().any();
    !names_some && (same_colors || names_none && one.occupied() == other.occupied())
}
