//! Sensors that do not tell: a square that is blind, or stuck at what it once read.
//!
//! Such a sensor contradicts the conservation of material: a piece has left its square and stands
//! nowhere, or stands on another one without having left. A hand may do the same for a while, so
//! that a sensor is at fault is the last thing to be believed: these lines are kept apart, in a
//! tracker of their own, until they explain clearly more than the ordinary ones.

use super::{SEARCH_WITHIN, Tracker, total};
use crate::table::Reading;
use crate::time::Mono;
use crate::track::line::{Line, arrivals_of, squares_of};
use crate::track::search;
use crate::track::weigh::{self, Cost};
use shakmaty::{Bitboard, Color, Move, Piece, Position, Role, Square};

/// Sensors that a line believes to be at fault, at the most.
pub const FAULTY_MAX: usize = 3;
/// Lines from which a fault is looked for, at the most.
const BASES_MAX: usize = 6;
/// Plies that stay open to revision where sensors are at fault, at the most.
const TAIL_MAX: usize = 40;
/// Plies that are looked for with a sensor that is not known yet to be at fault.
const DEPTH_MAX: usize = 2;

impl Tracker {
    /// This tracker with the lines in which one more sensor does not tell, if any of them explains
    /// the board: a legal move, and perhaps the reply to it, contradicts one square of its own,
    /// which has not stirred since the move was begun, or has shown the piece and lost it.
    pub fn suspecting(&self, at: Mono) -> Option<Self> {
        let mut budget = search::NODES_MAX;
        let within = total(self.best()) + SEARCH_WITHIN;
        let is_base = |line: &&Line| {
            total(line) <= within
                && line.n_standing() == line.plies.len()
                && line.faulty.count() < FAULTY_MAX
        };
        let mut found = Vec::new();
        for base in self.lines.iter().filter(is_base).take(BASES_MAX) {
            for depth in 1..=DEPTH_MAX {
                let n_before = found.len();
                for sq in !base.faulty {
                    found.extend(self.without(base, sq, depth, at, &mut budget));
                }
                if found.len() > n_before {
                    break;
                }
            }
        }
        let mut suspecting = self.clone();
        suspecting.lines = found;
        suspecting.prune();
        (!suspecting.lines.is_empty()).then_some(suspecting)
    }

    /// This tracker with a best line in which a sensor has died under its piece, if that is all
    /// that the board contradicts. Whoever has the piece in his hand will put it down again, so it
    /// takes some plies to be believed.
    pub fn suspecting_beneath(&self) -> Option<Self> {
        let best = self.best();
        let sq = best.differs(&self.seen).single_square()?;
        let is_missing =
            !self.seen.occupied().contains(sq) && best.pos.board().occupied().contains(sq);
        if !is_missing || best.faulty.count() >= FAULTY_MAX || best.n_standing() < best.plies.len()
        {
            return None;
        }
        let mut suspecting = self.clone();
        suspecting.lines.truncate(1);
        suspecting.lines[0].faulty.add(sq);
        suspecting.lines[0].cost += weigh::DIED;
        Some(suspecting)
    }

    /// What becomes of `base` by `depth` plies, one of which the sensor of `sq` does not tell, or
    /// does no more.
    fn without(
        &self,
        base: &Line,
        sq: Square,
        depth: usize,
        at: Mono,
        budget: &mut usize,
    ) -> Vec<Line> {
        let mut base = base.clone();
        base.faulty.add(sq);
        let n = base.plies.len();
        let has_worked = self.changed_at(sq) != Mono::default();
        let fault = weigh::FAULTY + if has_worked { weigh::HAS_WORKED } else { 0 };
        let mut grown = self.children(&base, depth, 0, at, budget);
        grown.retain_mut(|line| {
            let mut plies = n..line.plies.len();
            let is_silent =
                |idx| self.is_silent_about(line, idx, sq) || self.is_unread(line, idx, sq);
            line.cost += if plies.clone().any(is_silent) {
                fault + if self.names_victim(line, n, sq) { weigh::MASKED } else { 0 }
            } else if plies.any(|idx| self.has_lost(line, idx, sq)) {
                weigh::DIED
            } else {
                return false;
            };
            self.is_explained_by(line) && !self.is_belied_by(line)
        });
        grown
    }

    /// Whether the best line has a piece on a square that does not tell, and that piece was read
    /// elsewhere since its move was completed, or since that square has lost it: it does not stand
    /// there.
    pub fn is_belied(&self) -> bool {
        self.is_belied_by(self.best())
    }

    fn is_belied_by(&self, line: &Line) -> bool {
        line.plies.iter().enumerate().any(|(idx, ply)| {
            let by = line.mover(idx);
            let later = (idx + 1..line.plies.len())
                .map(|later| arrivals_of(line.plies[later].m, line.mover(later)));
            let expected = later.fold(arrivals_of(ply.m, by), |all, squares| all | squares);
            let unread = arrivals_of(ply.m, by) & line.faulty;
            unread.into_iter().any(|sq| {
                let piece = arrived_piece(ply.m, by, sq);
                let lost = self.history.last_shown(sq, piece).filter(|lost| *lost > ply.released);
                let since = lost.or(ply.completion.map(|done| done.at));
                let mut seen = since.into_iter().flat_map(|at| self.history.sightings(piece, at));
                seen.any(|(sq, _)| !expected.contains(sq))
            })
        })
    }

    /// Whether `sq` has told that a piece came there with ply `idx` of `line`, and shows nothing
    /// any more: the sensor has died under it.
    fn has_lost(&self, line: &Line, idx: usize, sq: Square) -> bool {
        let (m, by) = (line.plies[idx].m, line.mover(idx));
        let came = match (m, m.castling_side()) {
            (Move::Castle { king, .. }, Some(side)) if side.king_to(by) == sq => {
                Some((king, Role::King))
            }
            (Move::Castle { rook, .. }, Some(side)) if side.rook_to(by) == sq => {
                Some((rook, Role::Rook))
            }
            (Move::Normal { role, from, to, .. }, None) if to == sq => Some((from, role)),
            _ => None,
        };
        came.is_some_and(|(from, role)| {
            let was_seen = self.history.last_shown(sq, role.of(by));
            was_seen.is_some_and(|seen| seen > self.changed_at(from))
                && self.seen.get(sq) == Reading::Empty
        })
    }

    /// Whether the sensor of `sq` should have told ply `idx` of `line`, and has not stirred since
    /// that move was begun.
    fn is_silent_about(&self, line: &Line, idx: usize, sq: Square) -> bool {
        let squares = squares_of(line.plies[idx].m, line.mover(idx));
        let told = squares.without(sq) & !line.faulty;
        let begun = told.into_iter().map(|sq| self.changed_at(sq)).min();
        squares.contains(sq) && begun.is_none_or(|begun| self.changed_at(sq) < begun)
    }

    /// Whether ply `idx` of `line` is a promotion on `sq` from which a piece was taken, and that
    /// has shown nothing since: the new piece may be one that the board does not know.
    fn is_unread(&self, line: &Line, idx: usize, sq: Square) -> bool {
        let m = line.plies[idx].m;
        m.is_promotion() && m.is_capture() && m.to() == sq && self.seen.get(sq) == Reading::Empty
    }

    /// Whether `sq` shows by its name a piece that a pawn has taken there and become another, by
    /// the plies of `line` from `n` on: it stands there, rather than that the sensor is silent.
    fn names_victim(&self, line: &Line, n: usize, sq: Square) -> bool {
        let takes = |idx: &usize| {
            let m = line.plies[*idx].m;
            m.is_promotion() && m.is_capture() && m.to() == sq
        };
        let Reading::Piece(piece) = self.seen.get(sq) else { return false };
        (n..line.plies.len()).find(takes).is_some_and(|idx| piece.color != line.mover(idx))
    }

    /// Whether the board shows what `line` leads to, but for a piece in the hand of whoever is to
    /// move.
    fn is_explained_by(&self, line: &Line) -> bool {
        self.contradicts(line, line.pos.turn()) < weigh::POINT
    }

    /// Whether the board shows what the best line leads to, but for a piece in the hand of whoever
    /// is to move.
    pub fn is_explained(&self) -> bool {
        self.is_explained_by(self.best())
    }

    /// What speaks against the best that is known to this tracker. Comparable with what speaks
    /// against one that it was cloned from.
    pub fn burden(&self) -> Cost {
        let against = |line: &Line| total(line) + self.contradicts(line, line.pos.turn());
        self.forgiven + self.lines.iter().map(against).min().unwrap_or(0)
    }

    /// The squares whose sensors do not tell, by the best line and those that explain as much.
    pub fn faulty(&self) -> Bitboard {
        let rivals = self.rivals(weigh::CLEAR_LEAD).map(|line| line.faulty);
        rivals.fold(self.best().faulty, |all, faulty| all | faulty)
    }

    /// How many plies of the best line no line disputes that believes other sensors to be at fault:
    /// what nobody saw is told by later moves. All of them where they are too many to wait.
    pub(in crate::track) fn n_beyond_faults(&self) -> usize {
        let best = self.best();
        let n_all = best.plies.len();
        if best.faulty.is_empty() || n_all >= TAIL_MAX {
            return n_all;
        }
        let others = self.rivals(weigh::SURE_LEAD).filter(|line| line.faulty.any());
        others.map(|line| best.n_shared(line)).fold(n_all, usize::min)
    }

    /// When the whole board was read last.
    pub fn pictured_at(&self) -> Mono {
        self.pictured
    }
}

/// The piece that comes to `sq` with `m`.
fn arrived_piece(m: Move, by: Color, sq: Square) -> Piece {
    let role = match m.castling_side() {
        Some(side) if side.rook_to(by) == sq => Role::Rook,
        _ => m.promotion().unwrap_or(m.role()),
    };
    role.of(by)
}

/// What it speaks against `m` that its end is not seen: to what a pawn was promoted, and whether it
/// went one step or two.
pub(in crate::track) fn unseen(line: &Line, m: Move) -> Cost {
    if !line.faulty.contains(m.to()) {
        return 0;
    }
    let is_rare = m.promotion().is_some_and(|role| role != Role::Queen);
    let has_choice = m.role() == Role::Pawn
        && m.from().is_some_and(|from| {
            from.rank() == line.pos.turn().relative_rank(shakmaty::Rank::Second)
                && from.distance(m.to()) == 1
        });
    weigh::UNSEEN
        + if is_rare { weigh::UNDERPROMOTION } else { 0 }
        + if has_choice { weigh::SINGLE_STEP } else { 0 }
}
