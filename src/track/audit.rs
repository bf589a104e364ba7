//! Whether the last moves may as well have been others, by all that was heard of them.
//!
//! The lines are weighed as things happen, and what they give up is gone. Before a move is settled
//! it is held once more against everything that sensors and clock have said since: each
//! explanation is priced by what hands would have had to do beyond its moves. What is no dearer
//! than the record, be it that two moves of a player came the other way round, or that a piece
//! rested elsewhere before it went on, is as good as the record.

use super::costs::GameCosts;
use super::legal;
use super::line::{Ply, squares_of};
use crate::table::{Placement, Reading};
use crate::time::Mono;
use shakmaty::{Bitboard, Chess, Color, Move, Piece, Position, Square, attacks};
use std::collections::VecDeque;
use std::time::Duration;

/// Happenings that are kept, at the most: those of some 50 half-moves.
const HEARD_MAX: usize = 512;
/// A hand may be at work this long before the move that it answers is released.
const AHEAD: Duration = Duration::from_millis(1_000);
/// A board that nothing has changed for so long shows what stands on it.
const AT_REST: Duration = Duration::from_millis(500);
/// Two moves of a player whose pieces come closer than this to the reply between may have come the
/// other way round: within a round of the scan.
const CLOSE: Duration = Duration::from_millis(350);
#[derive(Copy, Clone, Debug)]
enum HeardItem {
    Reads(Square, Reading),
    Pressed(Color),
}

/// What sensors and clock have said of the moves that are still open.
#[derive(Clone, Debug)]
pub struct Testimony {
    /// What was seen before the first of it.
    wood: Placement,
    all: VecDeque<(Mono, HeardItem)>,
    has_clock: bool,
    /// What came before is not known.
    since: Mono,
}

impl Testimony {
    /// Nothing since `at`, when the board shows `seen`.
    pub fn new(at: Mono, seen: Placement) -> Self {
        Self { wood: seen, all: VecDeque::new(), has_clock: false, since: at }
    }

    /// The sensor of `sq` has changed to `reading`.
    pub fn note(&mut self, at: Mono, sq: Square, reading: Reading) {
        self.push(at, HeardItem::Reads(sq, reading));
    }

    /// `by` has pressed the clock.
    pub fn press(&mut self, at: Mono, by: Color) {
        self.has_clock = true;
        self.push(at, HeardItem::Pressed(by));
    }

    fn push(&mut self, at: Mono, what: HeardItem) {
        if self.all.len() == HEARD_MAX {
            self.since = self.all.front().map_or(at, |(first, _)| *first);
            self.drop_first();
        }
        self.all.push_back((at, what));
    }

    fn drop_first(&mut self) {
        if let Some((_, HeardItem::Reads(sq, reading))) = self.all.pop_front() {
            self.wood.set(sq, reading);
        }
    }

    /// What ply `idx` of the `open` ones may as well have been.
    pub fn others(&self, open: &OpenMoves<'_>, idx: usize) -> Vec<Move> {
        let OpenMoves { root, plies, .. } = *open;
        let moves: Vec<Move> = plies.iter().map(|ply| ply.m).collect();
        let before = moves[..idx].iter().fold(root.clone(), |mut pos, m| {
            pos.play_unchecked(*m);
            pos
        });
        let mut others = Vec::new();
        let is_unheard = plies[idx].released <= self.since;
        if is_unheard || plies.iter().any(|ply| ply.is_illegal || ply.is_unwatched) {
            return others;
        }
        let candidates = self.candidates(&before, open, idx);
        if candidates.is_empty() {
            return others;
        }
        let price = Explained::new(self, open, &moves).price();
        for later in candidates {
            let Some(later) = relinked(&before, &later) else { continue };
            let m = later[0];
            let other: Vec<Move> = moves[..idx].iter().copied().chain(later).collect();
            if !others.contains(&m) && Explained::new(self, open, &other).price() <= price {
                others.push(m);
            }
        }
        others
    }

    /// What the moves from ply `idx` on, which was played from `before`, may have been instead.
    fn candidates(&self, before: &Chess, open: &OpenMoves<'_>, idx: usize) -> Vec<Vec<Move>> {
        let plies = open.plies;
        let moves: Vec<Move> = plies[idx..].iter().map(|ply| ply.m).collect();
        let mut candidates = Vec::new();
        for n in [2, 4] {
            let is_close = plies
                .get(idx + n)
                .is_some_and(|later| later.released <= plies[idx + n - 1].released + CLOSE);
            if is_close {
                let mut swapped = moves.clone();
                swapped.swap(0, n);
                candidates.push(swapped);
            }
        }
        let m = moves[0];
        let piece = m.promotion().unwrap_or(m.role()).of(before.turn());
        let touches = |later: &Move| later.from() == Some(m.to()) || later.to() == m.to();
        let Some(next) = moves[1..].iter().position(touches).map(|n| n + 1) else {
            if open.seen.get(m.to()).may_be(piece) {
                return candidates;
            }
            return Vec::new();
        };
        let goes_on = next % 2 == 0 && moves[next].from() == Some(m.to());
        let since = plies[idx].released;
        let since = idx.checked_sub(1).map_or(since, |idx| plies[idx].released.min(since));
        let until = plies[idx + next].released;
        let shown = self.shown(piece, since, until);
        let was_told = shown.contains(m.to());
        for other in legal::moves(before) {
            let may_have_gone = !was_told || shown.contains(other.to());
            if other.from() != m.from() || other == m || !may_have_gone {
                continue;
            }
            let mut later = moves.clone();
            later[0] = other;
            if goes_on && other.to() != m.to() {
                later[next] = from(moves[next], other.to());
            }
            candidates.push(later);
        }
        candidates
    }

    /// The squares that have shown `piece` from a second before `since` until `until`.
    fn shown(&self, piece: Piece, since: Mono, until: Mono) -> Bitboard {
        let in_time = self.all.iter().filter(|(at, _)| *at + AHEAD >= since && *at <= until);
        let shown = in_time.filter_map(|(_, what)| match what {
            HeardItem::Reads(sq, Reading::Piece(read)) if *read == piece => Some(*sq),
            HeardItem::Reads(..) | HeardItem::Pressed(_) => None,
        });
        shown.collect()
    }
}

/// Moves that may still have been others.
#[derive(Copy, Clone, Debug)]
pub struct OpenMoves<'a> {
    /// The position before the first of them.
    pub root: &'a Chess,
    /// The open half-moves.
    pub plies: &'a [Ply],
    /// When the move before them was released.
    pub since: Mono,
    /// What the board shows now.
    pub seen: &'a Placement,
    /// How late the board may tell of a change.
    pub late: Duration,
}

/// `m`, but from another square.
fn from(m: Move, from: Square) -> Move {
    match m {
        Move::Normal { role, capture, to, promotion, .. } => {
            Move::Normal { role, from, capture, to, promotion }
        }
        other => other,
    }
}

/// `moves` from `pos` on, with what they capture there. `None` if one is not legal.
fn relinked(pos: &Chess, moves: &[Move]) -> Option<Vec<Move>> {
    let mut pos = pos.clone();
    let mut relinked = Vec::with_capacity(moves.len());
    for m in moves {
        let is_same = |other: &Move| {
            (other.from(), other.to(), other.role()) == (m.from(), m.to(), m.role())
                && other.promotion() == m.promotion()
                && other.is_castle() == m.is_castle()
        };
        let m = legal::moves(&pos).find(is_same)?;
        relinked.push(m);
        pos.play_unchecked(m);
    }
    Some(relinked)
}

/// One way in which the open moves may have gone.
struct Explained<'a> {
    heard: &'a Testimony,
    since: Mono,
    late: Duration,
    plies: Vec<AuditStep>,
    last: Chess,
}

/// One of its moves.
struct AuditStep {
    before: Chess,
    /// The squares that it changes.
    squares: Bitboard,
    /// The piece, and the squares that it may pass.
    passing: (Piece, Bitboard),
}

impl<'a> Explained<'a> {
    fn new(heard: &'a Testimony, open: &OpenMoves<'_>, moves: &[Move]) -> Self {
        let mut last = open.root.clone();
        let mut plies = Vec::with_capacity(moves.len());
        for m in moves {
            let turn = last.turn();
            let way = m.from().map_or(Bitboard::EMPTY, |from| attacks::between(from, m.to()));
            let passing = (m.role().of(turn), way);
            plies.push(AuditStep { before: last.clone(), squares: squares_of(*m, turn), passing });
            last.play_unchecked(*m);
        }
        Self { heard, since: open.since, late: open.late, plies, last }
    }

    /// What hands would have had to do beyond the moves: changes that no move explains, a board
    /// that is not the position when it rests or a clock is pressed, presses too many and too few.
    /// For each number of half-moves that may have been played, and which of the last two were
    /// pressed for, the least of it is kept.
    fn price(&self) -> u32 {
        let mut costs = GameCosts::new(self.plies.len(), self.heard.has_clock);
        let mut wood = self.heard.wood.clone();
        for (idx, (at, what)) in self.heard.all.iter().enumerate() {
            if *at + AHEAD < self.since {
                if let HeardItem::Reads(sq, reading) = *what {
                    wood.set(sq, reading);
                }
                continue;
            }
            costs.advance();
            let later = || self.heard.all.iter().skip(idx + 1);
            match *what {
                HeardItem::Reads(sq, reading) => {
                    wood.set(sq, reading);
                    costs.pay(|n| u32::from(!self.explains(n, sq, reading)));
                }
                HeardItem::Pressed(by) => {
                    costs.press(|n| self.plies[n - 1].before.turn() == by);
                    costs.advance();
                    let untold = later().take_while(|(next, _)| *next <= *at + self.late);
                    self.stand(&mut costs, &wood, untold.filter_map(square).collect());
                }
            }
            if later().next().is_none_or(|(next, _)| next.since(*at) >= AT_REST) {
                costs.advance();
                self.stand(&mut costs, &wood, Bitboard::EMPTY);
            }
        }
        // The last move may yet be pressed for.
        costs.whole(false)
    }

    /// The position after `n` half-moves.
    fn position(&self, n: usize) -> &Chess {
        self.plies.get(n).map_or(&self.last, |step| &step.before)
    }

    /// The board is looked at: what differs costs, but on squares that it has not told yet.
    fn stand(&self, costs: &mut GameCosts, wood: &Placement, untold: Bitboard) {
        costs.pay(|n| (wood.differs(self.position(n).board()) & !untold).count() as u32);
    }

    /// Whether `reading` is what stands on `sq` after `n` half-moves or one more, or is the hand
    /// that makes that one, or its piece on the way.
    fn explains(&self, n: usize, sq: Square, reading: Reading) -> bool {
        let stands = |n: usize| match self.position(n).board().piece_at(sq) {
            Some(piece) => reading.may_be(piece),
            None => reading == Reading::Empty,
        };
        let is_moved = |step: &AuditStep| {
            let (piece, way) = step.passing;
            step.squares.contains(sq) && (reading == Reading::Empty || stands(n + 1))
                || way.contains(sq) && reading.may_be(piece)
        };
        stands(n) || self.plies.get(n).is_some_and(is_moved)
    }
}

fn square((_, what): &(Mono, HeardItem)) -> Option<Square> {
    match what {
        HeardItem::Reads(sq, _) => Some(*sq),
        HeardItem::Pressed(_) => None,
    }
}
