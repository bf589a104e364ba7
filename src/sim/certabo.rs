//! A board of Certabo's: it sends all squares again and again, as fast as its line goes or its
//! sensors are read. Of a piece with a chip, one reading in fifty fails. Protocol 7.3.

use super::maker::MakerSim;
use super::outgoing::Outgoing;
use crate::table::{Placement, Reading, Sight, defaults};
use crate::time::Mono;
use crate::wire::certabo::{Chip, Chips, decode_squares};
use crate::wire::{CertaboMessage, Field, FieldCode, Orientation};
use fastrand::Rng;
use shakmaty::{Bitboard, Board, Color, Piece, Role, Square};
use std::time::Duration;

/// Between two pictures of chips.
const CHIPS_EVERY: Duration = Duration::from_millis(500);
/// Between two pictures of occupied squares. Nobody has told how many there are; ours.
const OCCUPIED_EVERY: Duration = Duration::from_millis(50);
/// One reading of a chip in so many fails.
const FAILS: u8 = 50;
/// Pieces of a kind in a set, and some more.
const N_ALIKE: u8 = 10;

defaults! {
    /// The model of such a board.
    #[derive(Clone, Debug)]
    pub struct CertaboSim {
        given {
            sight: Sight,
            lies: Orientation,
        }
        placement: Placement,
        chips: [Chip; 64] = [Chip::NONE; 64],
        rng: Rng = Rng::with_seed(1),
        out: Outgoing,
        tells_at: Mono,
        loses_picture: bool,
        lit: Bitboard,
        /// A host has said how it is to be lit.
        is_heard: bool,
        is_on: bool = true,
    }
}

/// The chip below the piece of this kind with this number.
fn chip(piece: Piece, number: u8) -> Chip {
    Chip([200, FieldCode::Piece(piece).byte(), number, 7, 1])
}

/// The chips of a set.
pub fn set() -> Chips {
    let pieces = Color::ALL.into_iter().flat_map(|color| Role::ALL.map(|role| role.of(color)));
    pieces.flat_map(|piece| (0..N_ALIKE).map(move |n| (chip(piece, n), piece))).collect()
}

impl CertaboSim {
    /// A board that lies so, with these pieces on it, which it tells apart by chips if it can.
    pub fn new(start: &Board, lies: Orientation, sight: Sight) -> Self {
        let mut board = Self::begin(sight, lies);
        for (sq, piece) in start {
            board.sense(sq, sight.of(Some(piece)), false);
        }
        board
    }

    /// The squares that are lit.
    pub fn lit(&self) -> Bitboard {
        self.lit
    }

    fn picture(&mut self) -> CertaboMessage {
        if self.sight == Sight::Occupied {
            let lies = self.lies;
            let is_there = |idx: usize| {
                let field = Field::new(u8::try_from(idx).unwrap_or(0));
                self.placement.get(lies.square(field)) != Reading::Empty
            };
            return CertaboMessage::Occupied(std::array::from_fn(is_there));
        }
        let mut fields = Box::new([Chip::NONE; 64]);
        for sq in Square::ALL {
            if self.rng.u8(0..FAILS) > 0 {
                fields[usize::from(self.lies.field(sq).index())] = self.chips[usize::from(sq)];
            }
        }
        CertaboMessage::Chips(fields)
    }
}

impl MakerSim for CertaboSim {
    fn sense(&mut self, sq: Square, reading: Reading, is_lost: bool) {
        self.placement.set(sq, reading);
        self.chips[usize::from(sq)] = Chip::NONE;
        if let Reading::Piece(piece) = reading {
            let is_free = |number: &u8| !self.chips.contains(&chip(piece, *number));
            let number = (0..N_ALIKE).find(is_free).unwrap_or(0);
            self.chips[usize::from(sq)] = chip(piece, number);
        }
        self.loses_picture |= is_lost;
    }

    /// It hears of nothing but its lights, which come all at once.
    fn host_bytes(&mut self, _now: Mono, bytes: &[u8]) {
        if self.is_on && !self.out.is_cut() {
            self.lit = decode_squares(bytes, self.lies).unwrap_or(self.lit);
            self.is_heard = true;
        }
    }

    fn next_at(&self) -> Option<Mono> {
        let tells = self.is_on.then_some(self.tells_at);
        self.out.arrives_at().into_iter().chain(tells).min()
    }

    fn take(&mut self, now: Mono, bytes: &mut Vec<u8>) {
        if self.is_on && now >= self.tells_at {
            let is_occupied = self.sight == Sight::Occupied;
            self.tells_at = now + if is_occupied { OCCUPIED_EVERY } else { CHIPS_EVERY };
            let said = [CertaboMessage::HasLights.encode(), self.picture().encode()].concat();
            if !self.out.is_cut() && !std::mem::take(&mut self.loses_picture) {
                self.out.send(now, &said);
            }
        }
        self.out.take(now, bytes);
    }

    fn cut(&mut self, is_cut: bool) {
        self.out.cut(is_cut);
    }

    fn power(&mut self, now: Mono, is_on: bool) {
        (self.is_on, self.lit, self.tells_at) = (is_on, Bitboard::EMPTY, now);
        self.is_heard = false;
        self.out.lose();
    }

    /// It always does; a host that listens has said that no light is to be on.
    fn is_awake(&self) -> bool {
        self.is_heard
    }
}
