//! A second look with hindsight: which moves lead through all that the board showed at rest and at
//! presses since an undisputed position, and end on exactly what it shows now.
//!
//! The tracker weighs each change as it comes and forgets what has become unlikely. Here the whole
//! stretch is known, so that a piece that was knocked over, that stood half on a square or was not
//! read is told from a move by what came later. What is on record goes the same way as any other
//! line and is held against them.

use super::line::{CompletedBy, Completion, OpenPress, Ply, departures_of, squares_of};
use super::past::Snap;
use super::placement::{Placement, Reading};
use super::tracker::PRESS_AHEAD;
use super::weigh::{self, Cost, POINT};
use crate::time::Mono;
use shakmaty::{Bitboard, Chess, Move, Position, Role, Square, attacks};
use std::time::Duration;

/// Explanations that are followed at once, at the most.
const KEPT_MAX: usize = 24;
/// Positions that are looked at, at the most.
const NODES_MAX: usize = 60_000;
/// Plies between two snaps, at the most.
const STEP_MAX: usize = 2;
/// The same where so many squares have stirred.
const BUSY: usize = 6;
/// A piece may be read where it went this many snaps after it was lifted.
const READ_WITHIN: usize = 8;

/// What was lifted before a press is seen this much after it, at the latest. Source: protocol 1.10.
const SEEN_LATE: Duration = Duration::from_millis(400);

/// A piece that is missed and stands on a square beside its own: badly placed.
const BESIDE: Cost = 3 * POINT / 2;
/// One that stands further away.
const ASTRAY: Cost = 3 * POINT;
/// A piece that is not read, or one that is too much.
const UNREAD: Cost = 3 * POINT / 2;
/// Another piece than the one that should stand there.
const OTHER: Cost = 3 * POINT;
/// A piece that whoever is to move holds in his hand.
const IN_HAND: Cost = 3 * POINT / 10;
/// One that he has put elsewhere already.
const BEGUN: Cost = 7 * POINT / 10;
/// What has not changed since the snap before, for each square.
const STILL_THERE: Cost = POINT / 5;
/// What stays so to the end.
const LEFT: Cost = POINT;
/// A press for a move that has been answered.
const LATE: Cost = 3 * POINT / 10;
/// Within this lead another explanation is named beside the best.
const NAMED_WITHIN: Cost = weigh::SURE_LEAD;

/// A half-move as it is on record.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The move.
    pub m: Move,
    /// The Laws do not allow it.
    pub is_illegal: bool,
}

/// The best explanation that ends on what the board shows.
#[derive(Clone, Debug)]
pub struct Found {
    /// When the stretch begins.
    pub since: Mono,
    /// The moves, with their completions.
    pub plies: Vec<Ply>,
    /// What speaks against it.
    pub cost: Cost,
    /// What speaks against the record; `None` if it explains so little that it was given up.
    pub recorded: Option<Cost>,
    /// Whether the record ends on what the board shows too, by legal moves.
    pub is_record_exact: bool,
    /// For each half-move, what else it may have been.
    pub others: Vec<Vec<Move>>,
}

#[derive(Clone, Debug)]
struct State {
    pos: Chess,
    plies: Vec<Ply>,
    cost: Cost,
    /// Where the last snap contradicts it.
    diff: Bitboard,
    open: Option<OpenPress>,
    is_on_record: bool,
    has_illegal: bool,
}

/// How far a search has come.
struct Search {
    /// Only what is on record is followed.
    is_record: bool,
    bound: Cost,
    budget: usize,
    grown: Vec<State>,
}

/// A stretch of the game to be looked at again.
#[derive(Clone, Debug)]
pub struct Stretch<'a> {
    /// The position that it begins from.
    pub start: &'a Chess,
    /// What is on record since.
    pub record: &'a [Recorded],
    /// What was seen since; the first snap shows the start, the last one what stands now.
    pub snaps: &'a [Snap],
    /// Squares whose sensors do not tell.
    pub untold: Bitboard,
}

impl Stretch<'_> {
    /// The best explanation of the stretch by legal moves, if one ends on what the board shows.
    /// What is on record is followed first: what is not cheaper by the `lead` is left aside.
    pub fn explain(&self, lead: Cost) -> Option<Found> {
        let recorded = self.states(true, Cost::MAX).and_then(|states| {
            states.into_iter().find(|state| state.plies.len() == self.record.len())
        });
        let bound = recorded.as_ref().map_or(Cost::MAX, |state| state.cost - lead);
        let states = self.states(false, bound)?;
        let best = states.iter().find(|state| is_exact(state))?;
        Some(Found {
            others: others(best, states.iter().filter(|state| is_exact(state))),
            since: self.snaps.first().map_or(Mono::default(), |snap| snap.at),
            plies: best.plies.clone(),
            cost: best.cost,
            is_record_exact: recorded.as_ref().is_some_and(is_exact),
            recorded: recorded.map(|state| state.cost),
        })
    }

    /// What the stretch may have been, the cheapest first, that costs no more than `bound`: what is
    /// on record only, or everything. `None` if there is too much to be looked at.
    fn states(&self, is_record: bool, bound: Cost) -> Option<Vec<State>> {
        let mut states = vec![State {
            pos: self.start.clone(),
            plies: Vec::new(),
            cost: 0,
            diff: Bitboard::EMPTY,
            open: None,
            is_on_record: true,
            has_illegal: false,
        }];
        let mut search = Search { is_record, bound, budget: NODES_MAX, grown: Vec::new() };
        for k in 1..self.snaps.len() {
            for state in states {
                self.grow(state, k, self.depth(k), &mut search);
            }
            if search.budget == 0 {
                return None;
            }
            let mut grown = std::mem::take(&mut search.grown);
            grown.iter_mut().for_each(|state| self.weigh(state, k));
            grown.retain(|state| state.cost <= bound);
            states = best_of(grown);
        }
        let has_clock = self.snaps.iter().any(|snap| snap.press.is_some());
        states.iter_mut().for_each(|state| conclude(state, has_clock));
        states.retain(|state| state.cost <= bound);
        states.sort_by_key(|state| (state.cost, state.plies.len()));
        Some(states)
    }

    fn depth(&self, k: usize) -> usize {
        STEP_MAX + usize::from(self.snaps[k].stirred.count() >= BUSY)
    }

    /// Adds `state` and what becomes of it by up to `depth` plies before snap `k`.
    fn grow(&self, state: State, k: usize, depth: usize, search: &mut Search) {
        if depth > 0 && state.cost + weigh::PLY <= search.bound {
            let next = self.record.get(state.plies.len()).filter(|_| state.is_on_record);
            let mut moves = if search.is_record { Vec::new() } else { self.moves(&state, k) };
            if let Some(next) = next
                && !moves.contains(next)
            {
                moves.push(*next);
            }
            for Recorded { m, is_illegal } in moves {
                if search.budget == 0 {
                    return;
                }
                search.budget -= 1;
                let child = self.played(&state, m, is_illegal, k);
                self.grow(child, k, depth - 1, search);
            }
        }
        search.grown.push(state);
    }

    /// The legal moves that may have been made before snap `k`.
    fn moves(&self, state: &State, k: usize) -> Vec<Recorded> {
        let lifted = self.lifted(k);
        let put = self.stirred(k.saturating_sub(1), k + READ_WITHIN);
        let turn = state.pos.turn();
        let stirs = |m: &Move| {
            let from = m.from().expect("pieces come from a square");
            match m.castling_side() {
                Some(side) => {
                    let left = departures_of(*m) & squares_of(*m, turn);
                    left.is_subset(lifted) && put.contains(side.king_to(turn))
                }
                None => lifted.contains(from) && put.contains(m.to()),
            }
        };
        if (lifted & state.pos.us()).is_empty() {
            return Vec::new();
        }
        let moves = state.pos.legal_moves().into_iter();
        moves
            .filter(|m| stirs(m) && m.capture() != Some(Role::King))
            .map(|m| Recorded { m, is_illegal: false })
            .collect()
    }

    /// What becomes of `state` by `m`, seen in snap `k` for the first time.
    fn played(&self, state: &State, m: Move, is_illegal: bool, k: usize) -> State {
        let mut child = state.clone();
        let (snap, turn) = (&self.snaps[k], state.pos.turn());
        let next = self.record.get(state.plies.len());
        child.is_on_record &= next == Some(&Recorded { m, is_illegal });
        child.has_illegal |= is_illegal;
        child.cost += weigh::PLY + if is_illegal { weigh::ILLEGAL } else { 0 };
        child.diff &= !squares_of(m, turn);
        child.pos.play_unchecked(m);
        let press = state.open.filter(|open| open.by == turn);
        let completion = press.map(|open| Completion { at: open.at, by: CompletedBy::Press });
        child.open = child.open.filter(|_| press.is_none());
        child.plies.push(Ply { m, is_illegal, released: snap.at, completion, is_unwatched: false });
        child
    }

    /// The squares from which pieces may have been lifted for a move of snap `k`: the scan may show
    /// that only just after a press.
    fn lifted(&self, k: usize) -> Bitboard {
        let is_soon = |next: &Snap| next.began.since(self.snaps[k].at) <= SEEN_LATE;
        let n_later = usize::from(self.snaps.get(k + 1).is_some_and(is_soon));
        self.stirred(k.saturating_sub(1), k + n_later)
    }

    /// The squares that have stirred in the snaps from `first` to `last`.
    fn stirred(&self, first: usize, last: usize) -> Bitboard {
        let snaps = self.snaps.iter().take(last + 1).skip(first.max(1));
        snaps.fold(Bitboard::EMPTY, |all, snap| all | snap.stirred)
    }

    /// Takes what snap `k` speaks against `state`.
    fn weigh(&self, state: &mut State, k: usize) {
        let snap = &self.snaps[k];
        if state.open.is_some_and(|open| snap.began.since(open.at) > PRESS_AHEAD) {
            state.open = None;
            state.cost += weigh::OPEN_PRESS;
        }
        if let Some(by) = snap.press {
            press(state, OpenPress { by, at: snap.at });
        }
        let board = state.pos.board();
        let diff = snap.seen.differs(board) & !self.untold;
        let old = diff & state.diff & !snap.stirred;
        state.cost += STILL_THERE * old.count() as Cost;
        state.cost += disorder(&snap.seen, &state.pos, diff & !old, diff);
        state.diff = diff;
    }
}

/// The cheapest, each once.
fn best_of(mut states: Vec<State>) -> Vec<State> {
    states.sort_by_key(|state| (state.cost, state.plies.len()));
    let mut kept: Vec<State> = Vec::with_capacity(KEPT_MAX);
    for state in states {
        if kept.len() == KEPT_MAX {
            break;
        }
        if !kept.iter().any(|known| is_same(known, &state)) {
            kept.push(state);
        }
    }
    kept
}

/// Whether `state` ends on what the board shows, by legal moves.
fn is_exact(state: &State) -> bool {
    state.diff.is_empty() && !state.has_illegal
}

fn is_same(one: &State, other: &State) -> bool {
    one.plies.len() == other.plies.len()
        && one.open == other.open
        && one.plies.iter().rev().zip(other.plies.iter().rev()).all(|(a, b)| a.m == b.m)
}

/// Lets `press` complete the move in `state` that it belongs to. 2023: Art. 6.2.1.
fn press(state: &mut State, press: OpenPress) {
    let n = state.plies.len();
    let is_to_move = state.pos.turn() == press.by;
    let idx = n.checked_sub(if is_to_move { 2 } else { 1 });
    let pressed = Completion { at: press.at, by: CompletedBy::Press };
    match idx.filter(|idx| state.plies[*idx].completion.is_none()) {
        Some(idx) => {
            for ply in state.plies[..idx].iter_mut().filter(|ply| ply.completion.is_none()) {
                ply.completion = Some(Completion { at: press.at, by: CompletedBy::Reply });
                state.cost += weigh::UNPRESSED;
            }
            state.plies[idx].completion = Some(pressed);
            state.cost += if is_to_move { LATE } else { 0 };
        }
        None => {
            state.cost += if state.open.is_some() { weigh::OPEN_PRESS } else { 0 };
            state.open = Some(press);
        }
    }
}

/// What the squares `new` of `seen`, which contradict `pos` since now, speak against it, as all of
/// `diff` do.
fn disorder(seen: &Placement, pos: &Chess, new: Bitboard, diff: Bitboard) -> Cost {
    let (board, turn) = (pos.board(), pos.turn());
    let missing = diff & board.occupied() & !seen.occupied();
    let mut unmatched = missing & new;
    let mut cost = 0;
    for sq in new & seen.occupied() {
        if board.occupied().contains(sq) {
            cost += OTHER;
            continue;
        }
        let reading = seen.get(sq);
        let is_it =
            |from: &Square| board.piece_at(*from).is_some_and(|piece| reading.may_be(piece));
        let from: Bitboard = missing.into_iter().filter(is_it).collect();
        let near = from & attacks::king_attacks(sq);
        let Some(home) = near.first().or(from.first()) else {
            cost += UNREAD;
            continue;
        };
        unmatched.discard(home);
        let is_movers = board.by_color(turn).contains(home) && reading != Reading::Empty;
        cost += match near.any() {
            _ if is_movers => BEGUN,
            true => BESIDE,
            false => ASTRAY,
        };
    }
    let in_hand = (unmatched & board.by_color(turn)).first();
    cost += if in_hand.is_some() { IN_HAND } else { 0 };
    cost + UNREAD * (unmatched.count() - usize::from(in_hand.is_some())) as Cost
}

/// What remains to be said against `state` at the end: moves that nobody pressed for, a press that
/// no move came for.
fn conclude(state: &mut State, has_clock: bool) {
    let n = state.plies.len();
    let replies: Vec<_> = state.plies.iter().skip(1).map(|ply| ply.released).collect();
    for (ply, at) in state.plies.iter_mut().zip(replies) {
        if ply.completion.is_none() {
            ply.completion = Some(Completion { at, by: CompletedBy::Reply });
            state.cost += if has_clock { weigh::UNPRESSED } else { 0 };
        }
    }
    debug_assert!(state.plies.iter().take(n.saturating_sub(1)).all(|ply| ply.completion.is_some()));
    state.cost += if state.open.is_some() { weigh::OPEN_PRESS } else { 0 };
    state.cost += LEFT * state.diff.count() as Cost;
}

/// For each half-move of `best`, what it was in others that are hardly worse.
fn others<'a>(best: &State, states: impl Iterator<Item = &'a State>) -> Vec<Vec<Move>> {
    let mut others = vec![Vec::new(); best.plies.len()];
    for state in states.filter(|state| state.cost < best.cost + NAMED_WITHIN) {
        let parts = best.plies.iter().zip(&state.plies).position(|(a, b)| a.m != b.m);
        if let Some(idx) = parts
            && !others[idx].contains(&state.plies[idx].m)
            && !state.plies[idx].is_illegal
        {
            others[idx].push(state.plies[idx].m);
        }
    }
    others
}
