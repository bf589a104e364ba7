//! A cross-check by another idea: a map of all placements that legal moves reach from any position
//! seen so far, which forgets no branch.
//!
//! Nothing of the tracker is in it: no lines, no weights, and of a press only its moment. Each
//! time the sensors show a placement of the map exactly, its positions have been seen, and what
//! their moves reach is added. A record whose positions all are on the map, in the order in which
//! they were seen, and whose last one stands on the board in the end, is one that could be read off
//! the board without any judgment; of any other it is told why it could not.
//!
//! The idea is that of other programs' move parsers (`dgtdriver`); this is for boards that name
//! their pieces.

use super::script::{Happening, Script};
use crate::game::ScoreSheet;
use crate::table::{Reading, defaults};
use fastrand::Rng;
use shakmaty::{Bitboard, Chess, Color, Move, Piece, Position, Role, Square, attacks};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Half-moves that may have been made between two pictures of which neither shows a position that
/// could be reached: hasty hands, exchanges within a scan.
const HIDDEN_MAX: usize = 8;
/// Of those, so many are searched for to complete the map.
const SEARCHED_MAX: usize = 4;
/// Positions from which hidden half-moves are looked for: the last ones that were seen.
const TIPS: usize = 24;
/// Pieces that may be in the air at once.
const LIFTED_MAX: usize = 5;
/// Pieces that may stand on two squares at once, of the last that came down.
const ARRIVED_MAX: usize = 2;
/// Positions that one such look may visit.
const VISITS: usize = 4_000;
/// A board that nothing has changed for so long is looked at for hidden half-moves.
const AT_REST_US: u64 = 300_000;

/// Why a record could not be read off the map.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// The record marks this half-move itself: as uncertain, as illegal, or as of a gap.
    Marked(usize),
    /// The position after this half-move was never on the board by itself: hands overlapped. Those
    /// around it were.
    Overlapped(usize),
    /// The position after this half-move cannot be reached from any that was seen.
    OffTheMap(usize),
    /// In the end a piece lies or stands beside this square, on which the record has it.
    Astray(Square),
    /// In the end the board shows something else than the record, on so many squares.
    Elsewhere(usize),
}

impl Why {
    /// Whether the record is to blame: no reading of the board led to it.
    pub const fn is_contradiction(self) -> bool {
        matches!(self, Self::OffTheMap(_) | Self::Elsewhere(_))
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Marked(ply) => write!(f, "half-move {ply} is marked on the record"),
            Self::Overlapped(ply) => {
                write!(f, "the position after half-move {ply} never stood by itself")
            }
            Self::OffTheMap(ply) => {
                write!(f, "no placement that was seen leads to half-move {ply}")
            }
            Self::Astray(sq) => write!(f, "a piece ends beside {sq}"),
            Self::Elsewhere(n) => write!(f, "the board ends elsewhere, on {n} squares"),
        }
    }
}

/// Holds `sheet` against the map of what `script` shows. `None` if it agrees.
pub fn disagreement(script: &Script, sheet: &ScoreSheet) -> Option<Why> {
    let mut map = Map::new(sheet.start());
    map.watch(script);
    map.judge(sheet)
}

/// Tells positions apart: the placement, and what the placement does not show.
type Key = (u64, bool, u64);

defaults! {
    /// The placements that legal moves reach from all positions seen so far.
    struct Map {
        given {
            numbers: Vec<u64>,
        }
        wood: [Option<Piece>; 64] = [None; 64],
        wood_hash: u64,
        seen: BTreeSet<Key>,
        /// Their placements.
        stood: BTreeSet<u64>,
        /// Seen positions in the order in which they were seen first.
        order: Vec<Chess>,
        /// What each placement would be.
        reached: BTreeMap<u64, Vec<(usize, Move)>>,
        /// Each placement that the sensors showed, in order, also as it would be with what is in
        /// the air back where it was lifted.
        shown: Vec<u64>,
        /// The last pieces that were lifted, from where, and whether such a piece has come down
        /// since.
        lifted: Vec<(Square, Piece, bool)>,
        /// The last squares on which a piece came down.
        arrived: Vec<Square>,
    }
}

impl Map {
    fn new(start: &Chess) -> Self {
        let mut rng = Rng::with_seed(0x000b_0a4d);
        let mut map = Self::begin((0..64 * 12).map(|_| rng.u64(..)).collect());
        for (sq, piece) in start.board().iter() {
            map.set(sq, Some(piece));
        }
        map.shown.push(map.wood_hash);
        map.see(start.clone());
        map
    }

    fn number(&self, sq: Square, piece: Piece) -> u64 {
        let of_piece = usize::from(piece.role) - 1 + if piece.color.is_white() { 6 } else { 0 };
        self.numbers[of_piece * 64 + usize::from(sq)]
    }

    fn set(&mut self, sq: Square, piece: Option<Piece>) {
        let before = std::mem::replace(&mut self.wood[usize::from(sq)], piece);
        for changed in [before, piece].into_iter().flatten() {
            self.wood_hash ^= self.number(sq, changed);
        }
        self.arrived.retain(|known| *known != sq);
        self.lifted.retain(|(known, ..)| *known != sq);
        match (before, piece) {
            (_, Some(put)) => {
                let is_it = |(_, lifted, _): &&mut (Square, Piece, bool)| *lifted == put;
                if let Some((_, _, has_landed)) = self.lifted.iter_mut().rev().find(is_it) {
                    *has_landed = true;
                }
                self.arrived.push(sq);
                let n_old = self.arrived.len().saturating_sub(ARRIVED_MAX);
                self.arrived.drain(..n_old);
            }
            (Some(lifted), None) => {
                self.lifted.push((sq, lifted, false));
                if self.lifted.len() > LIFTED_MAX {
                    let landed = self.lifted.iter().position(|(_, _, has_landed)| *has_landed);
                    self.lifted.remove(landed.unwrap_or(0));
                }
            }
            (None, None) => {}
        }
    }

    /// The placement on the board, and what it would be with pieces in the air back, as a hasty
    /// reply is begun before the move is done, and without what stands half on another square.
    fn placements(&self) -> Vec<u64> {
        let mut all = vec![self.wood_hash];
        let doubled = self.arrived.iter().filter_map(|sq| {
            let piece = self.wood[usize::from(*sq)]?;
            let mut near = attacks::king_attacks(*sq).into_iter();
            near.any(|near| self.wood[usize::from(near)] == Some(piece)).then_some((*sq, piece))
        });
        let lifted = self.lifted.iter().map(|(sq, piece, _)| (*sq, *piece));
        for (sq, piece) in lifted.chain(doubled) {
            let number = self.number(sq, piece);
            all.extend(all.clone().into_iter().map(|hash| hash ^ number));
        }
        all
    }

    fn hash(&self, pos: &Chess) -> u64 {
        pos.board().iter().fold(0, |hash, (sq, piece)| hash ^ self.number(sq, piece))
    }

    fn key(&self, pos: &Chess) -> Key {
        let passed = pos.legal_ep_square().map_or(Bitboard::EMPTY, Bitboard::from);
        let rights = pos.castles().castling_rights() | passed;
        (self.hash(pos), pos.turn().is_white(), rights.0)
    }

    /// The placement after `m`, by what changes.
    fn after(&self, hash: u64, turn: Color, m: Move) -> u64 {
        let number = |sq: Square, color: Color, role: Role| self.number(sq, Piece { color, role });
        let changes = match m {
            Move::Normal { role, from, capture, to, promotion } => {
                let taken = capture.map_or(0, |role| number(to, !turn, role));
                number(from, turn, role) ^ number(to, turn, promotion.unwrap_or(role)) ^ taken
            }
            Move::EnPassant { from, to } => {
                let passed = Square::from_coords(to.file(), from.rank());
                number(from, turn, Role::Pawn)
                    ^ number(to, turn, Role::Pawn)
                    ^ number(passed, !turn, Role::Pawn)
            }
            Move::Castle { king, rook } => {
                let side = m.castling_side().expect("a castling has a side");
                number(king, turn, Role::King)
                    ^ number(side.king_to(turn), turn, Role::King)
                    ^ number(rook, turn, Role::Rook)
                    ^ number(side.rook_to(turn), turn, Role::Rook)
            }
            Move::Put { .. } => 0,
        };
        hash ^ changes
    }

    /// A position is on the board: all that its moves reach is on the map from now on.
    fn see(&mut self, pos: Chess) {
        let key = self.key(&pos);
        if !self.seen.insert(key) {
            return;
        }
        self.stood.insert(key.0);
        let idx = self.order.len();
        for m in pos.legal_moves() {
            let after = self.after(key.0, pos.turn(), m);
            self.reached.entry(after).or_default().push((idx, m));
        }
        self.order.push(pos);
    }

    /// Sees all positions that the board can be. True if there is any.
    fn look(&mut self) -> bool {
        let mut is_known = false;
        for hash in self.placements() {
            self.shown.push(hash);
            for (idx, m) in self.reached.get(&hash).cloned().unwrap_or_default() {
                let mut pos = self.order[idx].clone();
                pos.play_unchecked(m);
                self.see(pos);
            }
            is_known |= self.stood.contains(&hash);
        }
        is_known
    }

    /// Takes in what the sensors show, until the clock is stopped.
    fn watch(&mut self, script: &Script) {
        let mut happenings = script.happenings.iter().peekable();
        while let Some((at, happening)) = happenings.next() {
            match happening {
                Happening::Sensed { sq, reading: Reading::Piece(piece), .. } => {
                    self.set(*sq, Some(*piece));
                }
                Happening::Sensed { sq, .. } => self.set(*sq, None),
                Happening::ClockStopped => break,
                _ => {}
            }
            let is_known = self.look();
            let rests = happenings.peek().is_none_or(|(next, _)| next.0 - at.0 >= AT_REST_US);
            let is_pressed = matches!(happening, Happening::Press(_));
            if (rests || is_pressed) && !is_known {
                self.look_for_hidden();
            }
        }
    }

    /// Several half-moves were made before the board showed a position: all ways to it are seen.
    fn look_for_hidden(&mut self) {
        let first = self.order.len().saturating_sub(TIPS);
        let tips = self.order[first..].to_vec();
        let mut visits = VISITS;
        for n in 2..=SEARCHED_MAX {
            let mut found = Vec::new();
            for tip in &tips {
                self.descend(tip, n, &mut vec![], &mut visits, &mut found);
            }
            if !found.is_empty() {
                found.into_iter().for_each(|pos| self.see(pos));
                return;
            }
        }
    }

    /// Adds to `found` all positions of lines of `n` half-moves from `pos` that end on the board.
    fn descend(
        &self,
        pos: &Chess,
        n: usize,
        way: &mut Vec<Chess>,
        visits: &mut usize,
        found: &mut Vec<Chess>,
    ) {
        let differing = self.differing(pos);
        // A half-move changes four squares at most.
        if differing.count() > 4 * n || *visits == 0 {
            return;
        }
        if n == 0 {
            if differing.is_empty() {
                found.extend(way.iter().cloned());
            }
            return;
        }
        for m in pos.legal_moves() {
            let is_wanted = m.from().is_some_and(|from| differing.contains(from));
            if !is_wanted || *visits == 0 {
                continue;
            }
            *visits -= 1;
            let mut after = pos.clone();
            after.play_unchecked(m);
            way.push(after.clone());
            self.descend(&after, n - 1, way, visits, found);
            way.pop();
        }
    }

    /// The squares on which the board is not `pos`.
    fn differing(&self, pos: &Chess) -> Bitboard {
        let board = pos.board();
        Square::ALL
            .into_iter()
            .filter(|&sq| board.piece_at(sq) != self.wood[usize::from(sq)])
            .collect()
    }

    fn judge(&self, sheet: &ScoreSheet) -> Option<Why> {
        let (mut from, mut last_shown, mut why) = (0, 0, None);
        for ply in 1..=sheet.len() {
            let scored = &sheet.moves()[ply - 1];
            // What follows a marked half-move is its consequence.
            if scored.is_uncertain() || scored.is_illegal || !scored.is_timed {
                return Some(Why::Marked(ply));
            }
            let pos = sheet.position(ply);
            let hash = self.hash(pos);
            let Some(n) = self.shown[from..].iter().position(|shown| *shown == hash) else {
                continue;
            };
            from += n;
            let n_hidden = ply - last_shown - 1;
            // Behind half-moves that never stood by themselves the map may be blind.
            let is_on_map = why.is_some() || n_hidden > 0 || self.seen.contains(&self.key(pos));
            if n_hidden >= HIDDEN_MAX || !is_on_map {
                return Some(Why::OffTheMap(last_shown + 1));
            }
            if n_hidden > 0 {
                why = why.or(Some(Why::Overlapped(last_shown + 1)));
            }
            last_shown = ply;
        }
        self.ends_elsewhere(sheet.last()).or(why)
    }

    /// What the board shows in the end instead of `last`.
    fn ends_elsewhere(&self, last: &Chess) -> Option<Why> {
        if self.placements().contains(&self.hash(last)) {
            return None;
        }
        let differing = self.differing(last);
        let (home, lies) =
            (differing & last.board().occupied(), differing & !last.board().occupied());
        if let (Some(home), Some(lies)) = (home.single_square(), lies.single_square())
            && self.wood[usize::from(lies)] == last.board().piece_at(home)
            && attacks::king_attacks(home).contains(lies)
            && self.wood[usize::from(home)].is_none()
        {
            return Some(Why::Astray(home));
        }
        Some(Why::Elsewhere(differing.count()))
    }
}
