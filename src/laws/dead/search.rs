//! The search for a mate that both sides work for.
//!
//! Three orders take turns: by the net around the king, by what must be promoted or captured first,
//! and by age. The last one makes sure that every position is reached: when none is left the answer
//! is no, and that is a proof.

use super::mobility::Mobility;
use super::seen::Seen;
use super::{CanMate, guide};
use crate::table::defaults;
use shakmaty::zobrist::Zobrist128;
use shakmaty::{Bitboard, Chess, Color, EnPassantMode, Move, Position, Role};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What one look at the mobility of all men costs, in positions.
const MOBILITY_COST: u32 = 50;
/// So many looks at the mobility are free, and so many more for each that decided.
const LOOKS_FREE: u32 = 20;
const LOOKS_EACH: u32 = 10;

#[derive(Clone, Debug)]
struct Node {
    pos: Chess,
    /// The move that led here, and from where; `None` for the first.
    from: Option<(usize, Move)>,
    is_expanded: bool,
}

/// The lowest first, of equal ones the latest.
type Queue = BinaryHeap<(Reverse<i32>, usize)>;

defaults! {
    /// A search that can be interrupted and taken up again.
    ///
    /// ```
    /// use rokade::laws::dead::{CanMate, MateSearch};
    /// use shakmaty::{Chess, Color};
    /// let mut search = MateSearch::new(&Chess::default(), Color::Black);
    /// let line = loop {
    ///     // Other work may be done between two calls.
    ///     if let CanMate::Yes(line) = search.run(1_000) {
    ///         break line;
    ///     }
    /// };
    /// assert!(line.len() >= 4 && line.len() % 2 == 0);
    /// ```
    #[derive(Clone, Debug)]
    pub struct MateSearch {
        given {
            by: Color,
        }
        nodes: Vec<Node>,
        seen: Seen = Seen::new(),
        net: Queue,
        strip: Queue,
        /// Nodes before this one were expanded in order of age.
        oldest: usize,
        n_rounds: usize,
        /// Positions looked at, mobility counted as [`MOBILITY_COST`] each.
        n_spent: u32 = MOBILITY_COST,
        /// How often the mobility was looked at, and how often it decided.
        n_looks: u32,
        n_locked: u32,
        answer: Option<CanMate>,
    }
}

impl MateSearch {
    /// The search for a mate by `by`. What material or mobility exclude is known at once.
    pub fn new(pos: &Chess, by: Color) -> Self {
        let mut search = Self::begin(by);
        if pos.is_checkmate() && pos.turn() != by {
            search.answer = Some(CanMate::Yes(Vec::new()));
        } else if pos.has_insufficient_material(by) || Mobility::of(pos).excludes_mate(by) {
            search.answer = Some(CanMate::No);
        } else {
            search.seen.insert(hash(pos));
            search.add(Node { pos: pos.clone(), from: None, is_expanded: false });
        }
        search
    }

    /// Goes on for about `n_positions` more, at least one step. [`CanMate::Undecided`] means that
    /// it can be called again.
    pub fn run(&mut self, n_positions: u32) -> CanMate {
        let limit = self.n_spent.saturating_add(n_positions);
        while self.answer.is_none() && self.n_spent < limit {
            match self.next() {
                None => self.answer = Some(CanMate::No),
                Some(idx) => self.expand(idx),
            }
        }
        self.answer.clone().unwrap_or(CanMate::Undecided)
    }

    /// How many positions were looked at, roughly: the measure of the budget.
    pub const fn spent(&self) -> u32 {
        self.n_spent
    }

    fn add(&mut self, node: Node) {
        let idx = self.nodes.len();
        self.net.push((Reverse(guide::net(&node.pos, self.by)), idx));
        self.strip.push((Reverse(guide::strip(&node.pos, self.by)), idx));
        self.nodes.push(node);
    }

    /// The next node in the order whose turn it is.
    fn next(&mut self) -> Option<usize> {
        self.n_rounds += 1;
        let queue = match self.n_rounds % 4 {
            0 => {
                while self.nodes.get(self.oldest).is_some_and(|node| node.is_expanded) {
                    self.oldest += 1;
                }
                return (self.oldest < self.nodes.len()).then_some(self.oldest);
            }
            1 => &mut self.strip,
            _ => &mut self.net,
        };
        while let Some((_, idx)) = queue.pop() {
            if !self.nodes[idx].is_expanded {
                return Some(idx);
            }
        }
        None
    }

    fn expand(&mut self, idx: usize) {
        self.nodes[idx].is_expanded = true;
        let pos = self.nodes[idx].pos.clone();
        // A king that an illegal move has left in check is taken by nobody.
        for m in pos.legal_moves().into_iter().filter(|m| m.capture() != Some(Role::King)) {
            self.n_spent = self.n_spent.saturating_add(1);
            let mut next = pos.clone();
            next.play_unchecked(m);
            if next.turn() != self.by && next.is_checkmate() {
                self.answer = Some(CanMate::Yes(self.line(idx, m)));
                return;
            }
            let is_hopeless = next.has_insufficient_material(self.by) || self.is_locked(&next, m);
            if !is_hopeless && self.seen.insert(hash(&next)) {
                self.add(Node { pos: next, from: Some((idx, m)), is_expanded: false });
            }
        }
    }

    /// Whether a move that cannot be taken back has locked the position. Looked at only where pawns
    /// stand against each other, and only as long as it is found often enough.
    fn is_locked(&mut self, pos: &Chess, m: Move) -> bool {
        let is_final = m.is_capture() || m.role() == Role::Pawn;
        if !is_final || self.n_looks > LOOKS_FREE + LOOKS_EACH * self.n_locked {
            return false;
        }
        let pawns = pos.board().pawns();
        let ahead: Bitboard = (pawns & pos.board().white()).shift(8);
        if (ahead & pawns & pos.board().black()).is_empty() {
            return false;
        }
        self.n_looks += 1;
        self.n_spent = self.n_spent.saturating_add(MOBILITY_COST);
        let is_locked = Mobility::of(pos).excludes_mate(self.by);
        self.n_locked += u32::from(is_locked);
        is_locked
    }

    /// The moves that lead from the first position by node `idx` and then `m`.
    fn line(&self, idx: usize, m: Move) -> Vec<Move> {
        let mut line = vec![m];
        let mut from = self.nodes[idx].from;
        while let Some((idx, m)) = from {
            line.push(m);
            from = self.nodes[idx].from;
        }
        line.reverse();
        line
    }
}

fn hash(pos: &Chess) -> u128 {
    let Zobrist128(hash) = pos.zobrist_hash(EnPassantMode::Legal);
    hash
}
