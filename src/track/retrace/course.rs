//! One course that play may have taken, and what is said against it by the readings and presses
//! that its moves do not explain.

use super::tape::{SquareSpan, TapeEvent, Timeline};
use crate::table::{Reading, defaults};
use crate::time::Mono;
use crate::track::line::squares_of;
use crate::track::tracker::grow::way;
use shakmaty::{Bitboard, Chess, Color, Move, Piece, Position, Square, attacks};

/// What speaks against a course, in hundredths of a point.
pub(super) type Price = i32;

/// A half-move that nobody pressed for.
pub(super) const UNPRESSED: Price = 280;
/// A press that no half-move accounts for.
const STRAY_PRESS: Price = 500;
/// For each later move of the presser that was made by then.
const ANSWERED: Price = 200;
/// The opponent has made his move before the press.
const OVERTAKEN: Price = 80;
/// What is otherwise than the position while the board rests, for each square.
const AT_REST: Price = 70;
/// What is read for long.
const STAYS: Price = 300;
/// A piece that is read once where it passes; longer.
const PASSES: Price = 40;
const RESTS: Price = 250;
/// A piece that is read beside its way.
const STRAYS: Price = 350;
/// A piece that is not read for a moment after it was put down.
pub(super) const WOBBLES: Price = 130;
/// A piece that is read beside the square on which it was put down, too.
pub(super) const STRADDLES: Price = 220;
/// A piece that was taken is read while it is carried off.
const CARRIED_OFF: Price = 200;
/// A piece that is not read where it stands; and one that lies beside its square.
const LIFTED: Price = 300;
const LIES: Price = 300;
/// A reading that nothing accounts for.
const GHOST: Price = 420;

/// A board on which nothing has changed for so long rests, in milliseconds.
const REST_MS: i64 = 600;
/// What is read for longer stays.
const STAY_MS: i64 = 1_500;
/// So much later a piece may wobble, be read beside its square, or be carried off when taken.
const WOBBLE_MS: i64 = 900;
const STRADDLE_MS: i64 = 2_000;
const CARRY_OFF_MS: i64 = 1_200;
/// A press comes within this; of what it is later ten milliseconds cost one, up to a limit.
const PRESS_MS: i64 = 500;
const LATE_MAX: i64 = 150;
/// What two things cost that came in the wrong order, for each millisecond, up to a limit.
const DISORDER: i64 = 6;
const DISORDER_MAX: i64 = 900;
/// Moves that a press may be for, the last ones of both players.
pub(super) const PRESSABLE: usize = 6;

/// What it costs that something came so many milliseconds too early.
pub(super) fn disorder(ms: i64) -> Price {
    (ms.clamp(0, DISORDER_MAX) * DISORDER).min(DISORDER_MAX) as Price
}

/// A half-move of a course. Times are in milliseconds since the tape began.
#[derive(Copy, Clone, Debug)]
pub(super) struct Made {
    pub(super) m: Move,
    pub(super) by: Color,
    /// When its piece was lifted, and when it was let go: the earliest that is possible.
    pub(super) lifted: i64,
    pub(super) released: i64,
    /// When it was read where it went, at the latest.
    pub(super) read: i64,
    pub(super) pressed: Option<Mono>,
    pub(super) piece: Piece,
    pub(super) to: Square,
    pub(super) victim: Option<Piece>,
}

defaults! {
    /// The moves so far, and how far the tape has been read.
    #[derive(Clone, Debug)]
    pub(super) struct Course {
        given {
            pub(super) pos: Chess,
        }
        pub(super) price: Price,
        /// For each square the number of the last reading that is accounted for.
        pub(super) told: [u8; 64] = [0; 64],
        n_said: usize,
        pub(super) made: Vec<Made>,
        /// When the last move was made.
        pub(super) until: i64,
        /// A piece that was put down and not read there, and when.
        pub(super) unseen: Option<(Square, i64)>,
        /// What single moves may have been instead, with the same outcome.
        pub(super) twins: Vec<(usize, Move)>,
    }
}

impl Course {
    pub(super) fn new(start: &Chess) -> Self {
        Self::begin(start.clone())
    }

    /// The reading of `sq` that is accounted for last.
    pub(super) fn now(&self, line: &Timeline, sq: Square) -> SquareSpan {
        line.span(sq, self.told[usize::from(sq)])
    }

    /// Accounts for what was read on `sq` up to reading `idx`, which is explained. Between them
    /// only what is `free` costs nothing.
    pub(super) fn take(
        &mut self,
        line: &Timeline,
        round: i64,
        (sq, idx): (Square, u8),
        free: impl Fn(Reading) -> bool,
    ) {
        for between in self.told[usize::from(sq)] + 1..idx {
            if !free(line.span(sq, between).reading) {
                self.price += self.against(line, round, sq, between);
            }
        }
        let told = &mut self.told[usize::from(sq)];
        *told = idx.max(*told);
    }

    /// Pays for what was said until then and is not explained.
    pub(super) fn pay(&mut self, line: &Timeline, round: i64, until: i64) {
        while let Some((at, said)) = line.said.get(self.n_said).copied() {
            if at > until {
                return;
            }
            let before = self.n_said.checked_sub(1).map_or(at, |idx| line.said[idx].0);
            if at - before >= REST_MS {
                self.price += self.against_rest(line, at);
            }
            self.n_said += 1;
            match said {
                TapeEvent::Pressed(by, press) => self.press(at, by, press),
                TapeEvent::Read(sq, idx) if idx > self.told[usize::from(sq)] => {
                    self.price += self.against(line, round, sq, idx);
                    self.told[usize::from(sq)] = idx;
                }
                TapeEvent::Read(..) => {}
            }
        }
    }

    /// Pays for all that is left of the tape. False if it costs more than `bound`.
    pub(super) fn finish(&mut self, line: &Timeline, round: i64, bound: Price) -> bool {
        while let Some((at, _)) = line.said.get(self.n_said) {
            self.pay(line, round, *at);
            if self.price > bound {
                return false;
            }
        }
        let is_over = self.pos.is_game_over();
        let last = self.made.iter().rev().take(PRESSABLE).skip(usize::from(is_over));
        let n_unpressed = last.filter(|made| made.pressed.is_none()).count();
        self.price += UNPRESSED * n_unpressed as Price;
        self.price <= bound
    }

    /// What a board at rest until `at` says against the position.
    fn against_rest(&self, line: &Timeline, at: i64) -> Price {
        let recent = self.made.iter().rev().take(2).filter(|made| made.lifted > at - REST_MS);
        let moving = recent.fold(Bitboard::EMPTY, |all, made| all | squares_of(made.m, made.by));
        let board = self.pos.board();
        let differs = |sq: &Square| !self.now(line, *sq).shows(board.piece_at(*sq));
        AT_REST * (!moving).into_iter().filter(differs).count() as Price
    }

    /// What reading `idx` of `sq` costs, which no move explains.
    fn against(&self, line: &Timeline, round: i64, sq: Square, idx: u8) -> Price {
        let span = line.span(sq, idx);
        if span.shows(self.pos.board().piece_at(sq)) {
            return 0;
        }
        let long = span.until.saturating_sub(span.from);
        let stays = if long > STAY_MS { STAYS } else { 0 };
        let Reading::Piece(piece) = span.reading else {
            let is_fresh = |made: &Made| {
                made.to == sq && (-50..WOBBLE_MS).contains(&(span.from - made.released))
            };
            let wobbles = self.made.iter().rev().take(4).any(is_fresh);
            return stays + if wobbles { WOBBLES } else { LIFTED };
        };
        let is_long = long > round * 13 / 10;
        let by_move =
            |made: &Made| self.against_mover(made, piece, (sq, span.from), round, is_long);
        if let Some(price) = self.made.iter().rev().take(4).find_map(by_move) {
            return price + stays;
        }
        let near = attacks::king_attacks(sq) & self.pos.board().by_piece(piece);
        let lies = near.into_iter().any(|home| !self.now(line, home).shows(Some(piece)));
        stays + if lies { LIES } else { GHOST }
    }

    /// What it costs that `piece` is read on a square, if that comes of the move that was `made`.
    fn against_mover(
        &self,
        made: &Made,
        piece: Piece,
        (sq, at): (Square, i64),
        round: i64,
        is_long: bool,
    ) -> Option<Price> {
        let is_amid = at >= made.lifted - 20 && at - round <= made.released + 20;
        if made.piece == piece {
            let from = made.m.from().unwrap_or(made.to);
            let way = way(from, made.to).without(from).without(made.to);
            if is_amid && way.contains(sq) {
                return Some(if is_long { RESTS } else { PASSES });
            }
            let since = at - made.released;
            if attacks::king_attacks(made.to).contains(sq) && (-50..STRADDLE_MS).contains(&since) {
                return Some(STRADDLES);
            }
            if is_amid && way.into_iter().any(|by| attacks::king_attacks(by).contains(sq)) {
                return Some(STRAYS);
            }
        }
        let is_off = at >= made.lifted - 300 && at - made.released < CARRY_OFF_MS;
        (made.victim == Some(piece) && is_off).then_some(CARRIED_OFF)
    }

    /// Lets a press complete the move that it suits best.
    fn press(&mut self, at: i64, by: Color, press: Mono) {
        let first = self.made.len().saturating_sub(PRESSABLE);
        let of = |idx: usize| {
            let made = &self.made[idx];
            let later = || self.made[idx + 1..].iter().filter(|later| later.released <= at);
            let n_own = later().filter(|later| later.by == by).count() as Price;
            let is_overtaken = later().any(|later| later.by != by);
            let late = ((at - made.released - PRESS_MS) / 10).clamp(0, LATE_MAX) as Price;
            let overtaken = if is_overtaken { OVERTAKEN } else { 0 };
            disorder(made.released - at) + ANSWERED * n_own + late + overtaken
        };
        let may_be = |idx: &usize| self.made[*idx].by == by && self.made[*idx].pressed.is_none();
        let best = (first..self.made.len()).filter(may_be).map(|idx| (of(idx), idx)).min();
        match best.filter(|(price, _)| *price < STRAY_PRESS) {
            Some((price, idx)) => {
                self.made[idx].pressed = Some(press);
                self.price += price;
            }
            None => self.price += STRAY_PRESS,
        }
    }
}
