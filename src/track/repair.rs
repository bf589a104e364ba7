//! A second look with hindsight: which moves lead through all that the board showed at rest and at
//! presses since an undisputed position, and end on exactly what it shows now.
//!
//! The tracker weighs each change as it comes and forgets what has become unlikely. Here the whole
//! stretch is known, so that a piece that was knocked over, that stood half on a square or was not
//! read is told from a move by what came later. What is on record goes the same way as any other
//! line and is held against them.

use super::legal;
use super::line::{CompletedBy, Completion, OpenPress, Ply, departures_of, squares_of};
use super::past::Snap;
use super::tracker::PRESS_AHEAD;
use super::weigh::{self, Cost, POINT};
use crate::table::{Placement, Reading};
use crate::time::Mono;
use shakmaty::{Bitboard, Chess, Move, Position, Square, attacks};
use std::rc::Rc;
use std::time::Duration;

/// Explanations that are followed at once, at the most.
const KEPT_MAX: usize = 24;
/// Positions that are looked at, at the most.
const NODES_MAX: usize = 60_000;
/// Plies between two snaps, at the most.
const STEP_MAX: usize = 2;
/// One more where so many squares have stirred.
const BUSY: usize = 6;
/// Plies between two snaps, in any case.
const ADDED_MAX: usize = STEP_MAX + 1;
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
pub struct RecordedMove {
    /// The move.
    pub m: Move,
    /// The Laws do not allow it.
    pub is_illegal: bool,
}

/// The best explanation that ends on what the board shows.
#[derive(Clone, Debug)]
pub struct Explanation {
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

/// An explanation of the snaps so far that is followed.
#[derive(Clone, Debug)]
struct State {
    plies: Rc<Vec<Ply>>,
    /// So many of these are completed from the first on without a gap.
    n_done: usize,
    stand: Stand,
}

/// What changes with each move and each snap.
#[derive(Clone, Debug, Default)]
struct Stand {
    pos: Chess,
    /// Differs where the moves that led here do, nearly always.
    key: u64,
    cost: Cost,
    /// Where the last snap contradicts it.
    diff: Bitboard,
    open: Option<OpenPress>,
    is_on_record: bool,
    has_illegal: bool,
}

/// What becomes of a state by a few moves. Most are given up at once, so that what leads to it is
/// not copied before it is kept.
#[derive(Clone, Debug)]
struct Grown<'a> {
    from: &'a State,
    added: [Option<Ply>; ADDED_MAX],
    n_added: usize,
    stand: Stand,
    /// What the press of the snap completes, by its place.
    pressed: Option<(usize, Completion)>,
}

/// What is the same for all states before one snap.
struct SnapStep {
    /// The number of that snap.
    k: usize,
    /// The squares from which pieces may have been lifted.
    lifted: Bitboard,
    /// The squares to which they may have gone.
    put: Bitboard,
}

/// How far a search has come.
struct RepairSearch {
    /// Only what is on record is followed.
    is_record: bool,
    bound: Cost,
    budget: usize,
}

/// A stretch of the game to be looked at again.
#[derive(Clone, Debug)]
pub struct Stretch<'a> {
    /// The position that it begins from.
    pub start: &'a Chess,
    /// What is on record since.
    pub record: &'a [RecordedMove],
    /// What was seen since; the first snap shows the start, the last one what stands now.
    pub snaps: &'a [Snap],
    /// Squares whose sensors do not tell.
    pub untold: Bitboard,
}

impl Stretch<'_> {
    /// The best explanation of the stretch by legal moves, if one ends on what the board shows.
    /// What is on record is followed first: what is not cheaper by the `lead` is left aside.
    pub fn explain(&self, lead: Cost) -> Option<Explanation> {
        let recorded = self.states(true, Cost::MAX).and_then(|states| {
            states.into_iter().find(|state| state.plies.len() == self.record.len())
        });
        let bound = recorded.as_ref().map_or(Cost::MAX, |state| state.stand.cost - lead);
        let states = self.states(false, bound)?;
        let best = states.iter().find(|state| is_exact(state))?;
        Some(Explanation {
            others: others(best, states.iter().filter(|state| is_exact(state))),
            since: self.snaps.first().map_or(Mono::default(), |snap| snap.at),
            plies: best.plies.to_vec(),
            cost: best.stand.cost,
            is_record_exact: recorded.as_ref().is_some_and(is_exact),
            recorded: recorded.map(|state| state.stand.cost),
        })
    }

    /// What the stretch may have been, the cheapest first, that costs no more than `bound`: what is
    /// on record only, or everything. `None` if there is too much to be looked at.
    fn states(&self, is_record: bool, bound: Cost) -> Option<Vec<State>> {
        let stand = Stand { pos: self.start.clone(), is_on_record: true, ..Stand::default() };
        let mut states = vec![State { plies: Rc::default(), n_done: 0, stand }];
        let mut search = RepairSearch { is_record, bound, budget: NODES_MAX };
        for k in 1..self.snaps.len() {
            let put = self.stirred(k.saturating_sub(1), k + READ_WITHIN);
            let step = SnapStep { k, lifted: self.lifted(k), put };
            let mut grown = Vec::new();
            for state in &states {
                self.grow(Grown::new(state), &step, self.depth(k), &mut search, &mut grown);
            }
            if search.budget == 0 {
                return None;
            }
            grown.iter_mut().for_each(|state| self.weigh(state, k));
            grown.retain(|state| state.stand.cost <= bound);
            states = best_of(&grown).into_iter().map(Grown::state).collect();
        }
        let has_clock = self.snaps.iter().any(|snap| snap.press.is_some());
        states.iter_mut().for_each(|state| conclude(state, has_clock));
        states.retain(|state| state.stand.cost <= bound);
        states.sort_by_key(|state| (state.stand.cost, state.plies.len()));
        Some(states)
    }

    fn depth(&self, k: usize) -> usize {
        STEP_MAX + usize::from(self.snaps[k].stirred.count() >= BUSY)
    }

    /// Adds what becomes of `state` by up to `depth` plies before a snap to `grown`, and `state`
    /// itself.
    fn grow<'a>(
        &self,
        state: Grown<'a>,
        step: &SnapStep,
        depth: usize,
        search: &mut RepairSearch,
        grown: &mut Vec<Grown<'a>>,
    ) {
        if depth > 0 && state.stand.cost + weigh::PLY <= search.bound {
            let next = self.record.get(state.len()).filter(|_| state.stand.is_on_record);
            let mut moves = if search.is_record { Vec::new() } else { moves(&state, step) };
            if let Some(next) = next
                && !moves.contains(next)
            {
                moves.push(*next);
            }
            for RecordedMove { m, is_illegal } in moves {
                if search.budget == 0 {
                    return;
                }
                search.budget -= 1;
                let child = self.played(&state, m, is_illegal, step.k);
                self.grow(child, step, depth - 1, search, grown);
            }
        }
        grown.push(state);
    }

    /// What becomes of `state` by `m`, seen in snap `k` for the first time.
    fn played<'a>(&self, state: &Grown<'a>, m: Move, is_illegal: bool, k: usize) -> Grown<'a> {
        let mut child = state.clone();
        let (snap, turn) = (&self.snaps[k], state.stand.pos.turn());
        let next = self.record.get(state.len());
        let stand = &mut child.stand;
        stand.is_on_record &= next == Some(&RecordedMove { m, is_illegal });
        stand.has_illegal |= is_illegal;
        stand.cost += weigh::PLY + if is_illegal { weigh::ILLEGAL } else { 0 };
        stand.diff &= !squares_of(m, turn);
        stand.pos.play_unchecked(m);
        stand.key = key_of(stand.key, m);
        let press = stand.open.take_if(|open| open.by == turn);
        let completion = press.map(|open| Completion { at: open.at, by: CompletedBy::Press });
        let ply = Ply { m, is_illegal, released: snap.at, completion, is_unwatched: false };
        child.added[child.n_added] = Some(ply);
        child.n_added += 1;
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
    fn weigh(&self, state: &mut Grown<'_>, k: usize) {
        let snap = &self.snaps[k];
        if state.stand.open.is_some_and(|open| snap.began.since(open.at) > PRESS_AHEAD) {
            state.stand.open = None;
            state.stand.cost += weigh::OPEN_PRESS;
        }
        if let Some(by) = snap.press {
            state.press(OpenPress { by, at: snap.at });
        }
        let stand = &mut state.stand;
        let diff = snap.differs(stand.pos.board()) & !self.untold;
        let old = diff & stand.diff & !snap.stirred;
        stand.cost += STILL_THERE * old.count() as Cost;
        stand.cost += disorder(&snap.seen, &stand.pos, diff & !old, diff);
        stand.diff = diff;
    }
}

impl<'a> Grown<'a> {
    fn new(from: &'a State) -> Self {
        Self {
            from,
            added: [None; ADDED_MAX],
            n_added: 0,
            stand: from.stand.clone(),
            pressed: None,
        }
    }

    fn added(&self) -> impl DoubleEndedIterator<Item = &Ply> {
        self.added.iter().flatten()
    }

    /// How many plies lead to it.
    fn len(&self) -> usize {
        self.from.plies.len() + self.n_added
    }

    /// Its plies from the `n`th on, as they were before the press of the snap.
    fn plies_from(&self, n: usize) -> impl Iterator<Item = &Ply> {
        let n_old = self.from.plies.len();
        self.from.plies[n.min(n_old)..].iter().chain(self.added().skip(n.saturating_sub(n_old)))
    }

    /// Lets `press` complete the move that it belongs to. 2023: Art. 6.2.1.
    fn press(&mut self, press: OpenPress) {
        let is_to_move = self.stand.pos.turn() == press.by;
        let idx = self.len().checked_sub(if is_to_move { 2 } else { 1 });
        let is_open = |ply: &&Ply| ply.completion.is_none();
        match idx.filter(|idx| self.plies_from(*idx).next().is_some_and(|ply| is_open(&ply))) {
            Some(idx) => {
                let n_done = self.from.n_done.min(idx);
                let n_open = self.plies_from(n_done).take(idx - n_done).filter(is_open).count();
                self.pressed = Some((idx, Completion { at: press.at, by: CompletedBy::Press }));
                self.stand.cost += weigh::UNPRESSED * n_open as Cost;
                self.stand.cost += if is_to_move { LATE } else { 0 };
            }
            None => {
                self.stand.cost += if self.stand.open.is_some() { weigh::OPEN_PRESS } else { 0 };
                self.stand.open = Some(press);
            }
        }
    }

    /// Its moves, from the last one back.
    fn backward(&self) -> impl Iterator<Item = Move> {
        self.from.plies.iter().chain(self.added()).rev().map(|ply| ply.m)
    }

    /// Whether both are the same moves.
    fn is_same(&self, other: &Self) -> bool {
        self.stand.key == other.stand.key
            && self.stand.open == other.stand.open
            && self.len() == other.len()
            && self.backward().eq(other.backward())
    }

    /// It with all that leads to it.
    fn state(&self) -> State {
        if self.n_added == 0 && self.pressed.is_none() {
            return State { stand: self.stand.clone(), ..self.from.clone() };
        }
        let mut plies = Vec::with_capacity(self.from.plies.len() + ADDED_MAX);
        plies.extend(self.plies_from(0).copied());
        if let Some((idx, pressed)) = self.pressed {
            for ply in plies[..idx].iter_mut().filter(|ply| ply.completion.is_none()) {
                ply.completion = Some(Completion { at: pressed.at, by: CompletedBy::Reply });
            }
            plies[idx].completion = Some(pressed);
        }
        let is_done = |ply: &&Ply| ply.completion.is_some();
        let n_done = plies.iter().take_while(is_done).count();
        State { plies: Rc::new(plies), n_done, stand: self.stand.clone() }
    }
}

/// The key of the moves of `key` and `m`.
fn key_of(key: u64, m: Move) -> u64 {
    let from = m.from().map_or(0, u64::from);
    let promotion = m.promotion().map_or(0, |role| role as u64);
    let word = from | u64::from(m.to()) << 6 | promotion << 12 | 1 << 16;
    (key.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95)
}

/// The legal moves that may have been made before a snap.
fn moves(state: &Grown<'_>, step: &SnapStep) -> Vec<RecordedMove> {
    let (pos, lifted, put) = (&state.stand.pos, step.lifted, step.put);
    let turn = pos.turn();
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
    if (lifted & pos.us()).is_empty() {
        return Vec::new();
    }
    legal::moves(pos).filter(stirs).map(|m| RecordedMove { m, is_illegal: false }).collect()
}

/// The cheapest, each once.
fn best_of<'g, 'a>(states: &'g [Grown<'a>]) -> Vec<&'g Grown<'a>> {
    let mut order: Vec<&Grown<'_>> = states.iter().collect();
    order.sort_by_key(|state| (state.stand.cost, state.len()));
    let mut kept: Vec<&Grown<'_>> = Vec::with_capacity(KEPT_MAX);
    for state in order {
        if kept.len() == KEPT_MAX {
            break;
        }
        if !kept.iter().any(|known| known.is_same(state)) {
            kept.push(state);
        }
    }
    kept
}

/// Whether `state` ends on what the board shows, by legal moves.
fn is_exact(state: &State) -> bool {
    state.stand.diff.is_empty() && !state.stand.has_illegal
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
    for (ply, at) in Rc::make_mut(&mut state.plies).iter_mut().zip(replies) {
        if ply.completion.is_none() {
            ply.completion = Some(Completion { at, by: CompletedBy::Reply });
            state.stand.cost += if has_clock { weigh::UNPRESSED } else { 0 };
        }
    }
    debug_assert!(state.plies.iter().take(n.saturating_sub(1)).all(|ply| ply.completion.is_some()));
    state.stand.cost += if state.stand.open.is_some() { weigh::OPEN_PRESS } else { 0 };
    state.stand.cost += LEFT * state.stand.diff.count() as Cost;
}

/// For each half-move of `best`, what it was in others that are hardly worse.
fn others<'a>(best: &State, states: impl Iterator<Item = &'a State>) -> Vec<Vec<Move>> {
    let mut others = vec![Vec::new(); best.plies.len()];
    for state in states.filter(|state| state.stand.cost < best.stand.cost + NAMED_WITHIN) {
        let parts = best.plies.iter().zip(state.plies.iter()).position(|(a, b)| a.m != b.m);
        if let Some(idx) = parts
            && !others[idx].contains(&state.plies[idx].m)
            && !state.plies[idx].is_illegal
        {
            others[idx].push(state.plies[idx].m);
        }
    }
    others
}
