//! Castling by hand, with two pieces that may stand in each other's way.

use super::gesture::{Gesture, HandTouch};
use super::manners::Manners;
use fastrand::Rng;
use shakmaty::{Chess, Move, Position, Square};

/// From lifting one piece out of the other's way to putting the other down.
const OUT_OF_THE_WAY_MS: u64 = 30;

/// When one piece is in the air.
#[derive(Copy, Clone)]
struct Hop {
    from: Square,
    to: Square,
    lifted_ms: u64,
    put_ms: u64,
}

impl Hop {
    fn moves(self) -> bool {
        self.from != self.to
    }
}

/// The gesture of a castling. In Chess960 a piece may stay where it is, or go where the other
/// comes from: then the other is lifted first, whoever is put down first.
pub(super) fn of(
    rng: &mut Rng,
    manners: &Manners,
    pos: &Chess,
    m: Move,
    king: Square,
    rook: Square,
) -> Gesture {
    let turn = pos.turn();
    let side = m.castling_side().expect("a castling has a side");
    let (short, long) = (manners.time(manners.carry, rng), manners.time(manners.carry, rng));
    let gap = rng.u64(40..=400);
    let style = rng.f64();
    let hop =
        |from, to, lifted_ms, carry_ms| Hop { from, to, lifted_ms, put_ms: lifted_ms + carry_ms };
    let king_hop = |lifted_ms| hop(king, side.king_to(turn), lifted_ms, short);
    let rook_hop = |lifted_ms| hop(rook, side.rook_to(turn), lifted_ms, long);
    let (mut first, mut second, mut name) = if style < manners.rook_first {
        (rook_hop(0), king_hop(long + gap), "castling, rook first")
    } else if style < manners.rook_first + manners.both_hands {
        (king_hop(0), rook_hop(rng.u64(0..=short)), "castling, both hands")
    } else {
        (king_hop(0), rook_hop(short + gap), "castling, king first")
    };
    if !first.moves() || !second.moves() {
        // One piece goes alone, and at once.
        let wait_ms = if first.moves() { 0 } else { second.lifted_ms };
        second.lifted_ms -= wait_ms;
        second.put_ms -= wait_ms;
        name = if king == side.king_to(turn) {
            "castling, rook alone"
        } else {
            "castling, king alone"
        };
    } else {
        make_way(&mut first, &mut second);
    }
    gesture(pos, &[first, second], name)
}

/// Lifts the second piece while the first is in the air, if it stands where the first goes.
fn make_way(first: &mut Hop, second: &mut Hop) {
    if first.to == second.from && second.lifted_ms + OUT_OF_THE_WAY_MS > first.put_ms {
        second.lifted_ms = first.lifted_ms + (first.put_ms - first.lifted_ms) / 2;
        first.put_ms = first.put_ms.max(second.lifted_ms + OUT_OF_THE_WAY_MS);
    }
    if second.to == first.from {
        second.put_ms = second.put_ms.max(first.lifted_ms + OUT_OF_THE_WAY_MS);
    }
}

fn gesture(pos: &Chess, hops: &[Hop; 2], name: &str) -> Gesture {
    let mut touches = Vec::new();
    let mut landed = None;
    for hop in hops.iter().filter(|hop| hop.moves()) {
        let piece = pos.board().piece_at(hop.from).expect("king and rook stand before castling");
        touches.push(HandTouch::lift(hop.lifted_ms, hop.from));
        touches.push(HandTouch::put(hop.put_ms, hop.to, piece));
        if landed.is_none_or(|(at_ms, _, _)| at_ms <= hop.put_ms) {
            landed = Some((hop.put_ms, hop.to, piece));
        }
    }
    touches.sort_by_key(|touch| touch.at_ms);
    let (released_ms, sq, piece) = landed.expect("a castling moves a piece");
    Gesture { touches, released_ms, landed: (sq, piece), name: name.to_owned() }
}
