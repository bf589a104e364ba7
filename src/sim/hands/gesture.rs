//! One move by hand: which sensors change, in which order, and when.

use super::TableKind;
use super::also::Also;
use super::castling;
use super::chance::{chance, one_of, place};
use super::manners::Manners;
use crate::table::Sight;
use fastrand::Rng;
use shakmaty::{Chess, Move, Piece, Position, Role, Square, attacks};

/// Of captures whose victim is seen to leave: it is taken off before the mover is lifted.
const VICTIM_FIRST: f64 = 0.45;
/// Of the rest: the mover is lifted well before the victim; otherwise one hand lifts both.
const MOVER_FIRST: f64 = 0.8;
/// A reed switch opens before the next piece closes it: hardly any victim leaves unseen, unless it
/// is pushed off.
const UNSEEN_BY_REED: f64 = 0.005;
/// Of captures en passant: the victim is taken off before the pawn moves.
const PASSED_FIRST: f64 = 0.3;
/// Of promotions: the pawn stands on the last rank and is exchanged there.
const EXCHANGED: f64 = 0.45;
/// Of promotions: the new piece stands there before the pawn has left; the rest never lands a pawn.
const NEW_PIECE_FIRST: f64 = 0.1;
/// Of the moves of hands that drag: those without a capture that are dragged.
const DRAGGED: f64 = 0.8;
/// Of the captures of hands that drag: those that are dragged.
const DRAGGED_CAPTURES: f64 = 0.5;
/// Of the squares on the way of a piece that is dragged: it reads on one beside it.
const STRAYS: f64 = 0.1;

/// From `at_ms` after the hand went out, `sq` reads `piece`.
#[derive(Copy, Clone, Debug)]
pub(super) struct HandTouch {
    pub(super) at_ms: u64,
    pub(super) sq: Square,
    pub(super) piece: Option<Piece>,
}

impl HandTouch {
    pub(super) const fn lift(at_ms: u64, sq: Square) -> Self {
        Self { at_ms, sq, piece: None }
    }

    pub(super) const fn put(at_ms: u64, sq: Square, piece: Piece) -> Self {
        Self { at_ms, sq, piece: Some(piece) }
    }
}

/// What the hands do for one move.
#[derive(Clone, Debug)]
pub(super) struct Gesture {
    /// In the order of time.
    pub(super) touches: Vec<HandTouch>,
    /// When the last piece is let go.
    pub(super) released_ms: u64,
    /// The last piece that came down, and where.
    pub(super) landed: (Square, Piece),
    pub(super) name: String,
}

/// The gesture of `m` in `pos`.
pub(super) fn of(
    rng: &mut Rng,
    manners: &Manners,
    table: TableKind,
    pos: &Chess,
    m: Move,
) -> Gesture {
    if let Move::Castle { king, rook } = m {
        return castling::of(rng, manners, pos, m, king, rook);
    }
    let from = m.from().expect("a move of chess comes from a square");
    let piece = pos.board().piece_at(from).expect("a legal move starts from a piece");
    let mut hand = MovingHand {
        rng,
        manners,
        table,
        pos,
        m,
        from,
        piece,
        touches: Vec::new(),
        name: "plain".to_owned(),
    };
    let mut gesture = match m {
        Move::Normal { promotion: Some(role), .. } => hand.promote(role),
        Move::EnPassant { .. } => hand.take_in_passing(),
        _ => hand.move_piece(),
    };
    gesture.touches.sort_by_key(|touch| touch.at_ms);
    gesture
}

/// The empty squares that a piece dragged from `from` to `to` passes, nearest first.
pub(super) fn passed(pos: &Chess, from: Square, to: Square) -> Vec<Square> {
    let start = [i32::from(from.file()), i32::from(from.rank())];
    let way = [i32::from(to.file()) - start[0], i32::from(to.rank()) - start[1]];
    let n_steps = way[0].abs().max(way[1].abs());
    let mut squares = Vec::new();
    for step in 1..n_steps {
        // Rounded to the nearest square; halves, on the way of a knight, towards the start.
        let along =
            |way: i32| way.signum() * ((way.abs() * step * 2 + n_steps - 1) / (n_steps * 2));
        let file = shakmaty::File::new((start[0] + along(way[0])).unsigned_abs());
        let rank = shakmaty::Rank::new((start[1] + along(way[1])).unsigned_abs());
        let sq = Square::from_coords(file, rank);
        if pos.board().piece_at(sq).is_none() && !squares.contains(&sq) {
            squares.push(sq);
        }
    }
    squares
}

/// A hand in the middle of a move that is no castling.
struct MovingHand<'a> {
    rng: &'a mut Rng,
    manners: &'a Manners,
    table: TableKind,
    pos: &'a Chess,
    m: Move,
    from: Square,
    piece: Piece,
    touches: Vec<HandTouch>,
    name: String,
}

impl MovingHand<'_> {
    fn done(&mut self, released_ms: u64, piece: Piece) -> Gesture {
        Gesture {
            touches: std::mem::take(&mut self.touches),
            released_ms,
            landed: (self.m.to(), piece),
            name: std::mem::take(&mut self.name),
        }
    }

    fn move_piece(&mut self) -> Gesture {
        let end = self.bring();
        let (to, piece) = (self.m.to(), self.piece);
        self.touches.push(HandTouch::put(end, to, piece));
        if self.m.is_capture() || !chance(self.rng, self.manners.placed_first) {
            return self.done(end, piece);
        }
        // What was seen on the way is not seen either: it all happened at once.
        let lifted = end + self.rng.u64(5..=40);
        self.touches = vec![HandTouch::put(end, to, piece), HandTouch::lift(lifted, self.from)];
        self.name.push_str(", placed first");
        self.done(lifted, piece)
    }

    /// The piece is brought over its new square. Returns when it is there.
    fn bring(&mut self) -> u64 {
        let carry = self.manners.time(self.manners.carry, self.rng);
        let rests = chance(self.rng, self.manners.rest);
        let victim = self.pos.board().piece_at(self.m.to());
        if let Some(victim) = victim {
            let (start, carry) = self.lift_both(carry);
            let drags = self.manners.also.has(Also::DRAGS) && chance(self.rng, DRAGGED_CAPTURES);
            let end = if drags { self.drag(start, carry, rests) } else { start + carry };
            if chance(self.rng, self.manners.in_transit) {
                self.carry_off(victim, start, end);
            }
            return end;
        }
        self.touches.push(HandTouch::lift(0, self.from));
        let slide = if self.manners.also.has(Also::DRAGS) { DRAGGED } else { self.manners.slide };
        if chance(self.rng, slide) || rests {
            self.name.push_str(if rests { ", dragged with a rest" } else { ", dragged" });
            self.drag(0, carry, rests)
        } else {
            carry
        }
    }

    /// Lifts the mover and its victim. Returns when the way begins and how long it takes.
    fn lift_both(&mut self, carry: u64) -> (u64, u64) {
        let is_reed = self.table.sight == Sight::Occupied;
        let by_reed =
            if is_reed && !self.manners.also.has(Also::PUSH) { UNSEEN_BY_REED } else { 1.0 };
        let (from, to) = (self.from, self.m.to());
        if chance(self.rng, self.manners.unseen_victim * by_reed) {
            self.touches.push(HandTouch::lift(0, from));
            self.name = "capture, victim unseen".to_owned();
            (0, carry)
        } else if chance(self.rng, VICTIM_FIRST) {
            let off = self.manners.time(self.manners.carry, self.rng);
            self.touches.extend([HandTouch::lift(0, to), HandTouch::lift(off, from)]);
            self.name = "capture, victim first".to_owned();
            (off, carry)
        } else if chance(self.rng, MOVER_FIRST) {
            let off = self.rng.u64(30..=(carry.saturating_sub(20)).max(40));
            self.touches.extend([HandTouch::lift(0, from), HandTouch::lift(off, to)]);
            self.name = "capture, mover first".to_owned();
            (off, carry.saturating_sub(off).max(20))
        } else {
            let off = self.rng.u64(0..=15);
            self.touches.extend([HandTouch::lift(0, from), HandTouch::lift(off, to)]);
            self.name = "capture, both at once".to_owned();
            (15, carry)
        }
    }

    /// The victim is seen over some empty square on its way off the board.
    fn carry_off(&mut self, victim: Piece, start: u64, end: u64) {
        let to = self.m.to();
        let goes_right = self.rng.bool();
        let is_on_way = |sq: &Square| {
            let is_ahead = if goes_right { sq.file() > to.file() } else { sq.file() < to.file() };
            sq.rank() == to.rank() && is_ahead
        };
        let free: Vec<Square> = Square::ALL
            .into_iter()
            .filter(|sq| is_on_way(sq) && *sq != self.from)
            .filter(|&sq| self.pos.board().piece_at(sq).is_none())
            .collect();
        let Some(over) = one_of(self.rng, &free) else { return };
        let seen = (end + self.rng.u64(0..=500)).saturating_sub(100).max(start);
        let gone = seen + self.rng.u64(20..=300);
        self.touches.extend([HandTouch::put(seen, over, victim), HandTouch::lift(gone, over)]);
        self.name.push_str(", seen in transit");
    }

    /// Drags the piece over the squares between, from `start` on. Returns when it has arrived.
    fn drag(&mut self, start: u64, carry: u64, rests: bool) -> u64 {
        let squares = passed(self.pos, self.from, self.m.to());
        if squares.is_empty() {
            return start + carry;
        }
        let share = (carry / (squares.len() as u64 + 1)).max(40);
        let rest_idx = place(self.rng, squares.len());
        let mut at = start;
        for (idx, sq) in squares.into_iter().enumerate() {
            at += self.rng.u64(share / 2..=share);
            let sq = self.stray(sq);
            let stay = if rests && idx == rest_idx {
                self.rng.u64(300..=1_200)
            } else {
                self.rng.u64(10..=(share / 2).max(20))
            };
            self.touches.push(HandTouch::put(at, sq, self.piece));
            at += stay;
            self.touches.push(HandTouch::lift(at, sq));
        }
        (start + carry).max(at + 10)
    }

    /// The square that a piece reads on which is dragged over `sq`: now and then one beside it.
    fn stray(&mut self, sq: Square) -> Square {
        if !self.manners.also.has(Also::DRAGS) || !chance(self.rng, STRAYS) {
            return sq;
        }
        let ends = [self.from, self.m.to()];
        let is_free =
            |near: &Square| self.pos.board().piece_at(*near).is_none() && !ends.contains(near);
        let near: Vec<Square> = attacks::king_attacks(sq).into_iter().filter(is_free).collect();
        one_of(self.rng, &near).unwrap_or(sq)
    }

    fn take_in_passing(&mut self) -> Gesture {
        let end = self.bring();
        let (to, piece) = (self.m.to(), self.piece);
        let victim = Square::from_coords(to.file(), self.from.rank());
        if chance(self.rng, PASSED_FIRST) {
            let lead = self.manners.time(self.manners.carry, self.rng);
            for touch in &mut self.touches {
                touch.at_ms += lead;
            }
            self.touches
                .extend([HandTouch::lift(0, victim), HandTouch::put(end + lead, to, piece)]);
            self.name = "en passant, victim first".to_owned();
            return self.done(end + lead, piece);
        }
        let off = end + self.rng.u64(60..=600);
        self.touches.extend([HandTouch::put(end, to, piece), HandTouch::lift(off, victim)]);
        self.name = "en passant, victim last".to_owned();
        self.done(off, piece)
    }

    fn promote(&mut self, role: Role) -> Gesture {
        let new = Piece { color: self.piece.color, role };
        let to = self.m.to();
        if chance(self.rng, NEW_PIECE_FIRST) {
            return self.place_before_pawn_leaves(new);
        }
        let mut at = self.bring();
        let capture = if self.m.is_capture() { " with capture" } else { "" };
        if chance(self.rng, EXCHANGED / (1.0 - NEW_PIECE_FIRST)) {
            self.touches.push(HandTouch::put(at, to, self.piece));
            at += self.rng.u64(100..=1_500);
            self.touches.push(HandTouch::lift(at, to));
            at += self.rng.u64(100..=2_500);
            self.name = format!("promotion{capture}, pawn exchanged");
        } else {
            at += self.rng.u64(50..=1_500);
            self.name = format!("promotion{capture}, piece placed");
        }
        if chance(self.rng, self.manners.wrong_piece) {
            at = self.place_wrong_piece(at, new);
        }
        self.touches.push(HandTouch::put(at, to, new));
        self.done(at, new)
    }

    fn place_before_pawn_leaves(&mut self, new: Piece) -> Gesture {
        let (from, to) = (self.from, self.m.to());
        let carry = self.manners.time(self.manners.carry, self.rng);
        let mut placed = 0;
        if self.m.is_capture() {
            placed = self.rng.u64(150..=900);
            self.touches.push(HandTouch::lift(0, to));
        }
        let left = placed + carry;
        self.touches.extend([HandTouch::put(placed, to, new), HandTouch::lift(left, from)]);
        self.name = "promotion, piece first".to_owned();
        self.done(left, new)
    }

    /// Another piece than `new` comes first, and is exchanged. Returns when `new` comes.
    fn place_wrong_piece(&mut self, at: u64, new: Piece) -> u64 {
        let roles = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
        let others: Vec<Role> = roles.into_iter().filter(|role| *role != new.role).collect();
        let Some(role) = one_of(self.rng, &others) else { return at };
        let to = self.m.to();
        let off = at + self.rng.u64(100..=1_500);
        let wrong = Piece { color: new.color, role };
        self.touches.extend([HandTouch::put(at, to, wrong), HandTouch::lift(off, to)]);
        self.name.push_str(", wrong piece first");
        off + self.rng.u64(100..=2_500)
    }
}
