//! What happens at a board between the moves and is none, or is one that the Laws forbid.

use super::chance::{one_of, place, shuffle};
use super::{Also, Hands, Irregularity, Odd, Span};
use crate::sim::script::Happening;
use crate::time::Mono;
use shakmaty::{Bitboard, Color, Piece, Position, Rank, Role, Square, attacks};

/// An illegal move goes no farther than this.
const ILLEGAL_REACH: u32 = 3;
/// For so long a piece that was knocked over lies.
const KNOCKED_OVER: Span = Span::new(400, 2_500);

impl Hands<'_> {
    /// Pieces are set right, lifted and put back, misread, knocked over.
    pub(super) fn disturb(&mut self) {
        let turn = self.pos().turn();
        if self.chance(self.manners.adjust) {
            let theirs = self.chance(self.manners.adjust_theirs);
            self.adjust(if theirs { !turn } else { turn });
        }
        if self.chance(self.manners.change_mind) {
            self.change_mind(turn);
        }
        if self.chance(self.manners.ghost) {
            self.misread();
        }
        if self.chance(self.manners.knock_over) {
            self.knock_over();
        }
    }

    /// Up to `n` different squares out of `squares`.
    fn pick(&mut self, squares: Bitboard, n: usize) -> Vec<Square> {
        let mut all: Vec<Square> = squares.into_iter().collect();
        shuffle(&mut self.rng, &mut all);
        all.truncate(n);
        all
    }

    /// Lifts what stands on `sq` and puts it back after `hold_ms`.
    fn lift_and_return(&mut self, sq: Square, hold_ms: u64) {
        let piece = self.pos().board().piece_at(sq);
        self.sensors.set(self.now_ms, sq, None);
        self.sensors.set(self.now_ms + hold_ms, sq, piece);
    }

    fn adjust(&mut self, color: Color) {
        let by = self.pos().turn();
        let n = one_of(&mut self.rng, &[1, 1, 2]).expect("there are three");
        for sq in self.pick(self.pos().board().by_color(color), n) {
            let hold_ms = self.between(80, 700);
            self.lift_and_return(sq, hold_ms);
            self.odd(by, self.now_ms, self.now_ms + hold_ms, Odd::Touched(sq));
            self.now_ms += hold_ms + self.between(50, 400);
        }
    }

    fn change_mind(&mut self, turn: Color) {
        for sq in self.pick(self.pos().board().by_color(turn), 1) {
            let hold_ms = self.between(300, 2_500);
            self.lift_and_return(sq, hold_ms);
            self.odd(turn, self.now_ms, self.now_ms + hold_ms, Odd::Touched(sq));
            self.now_ms += hold_ms + self.between(300, 2_500);
        }
    }

    /// One sensor reads something that is not there, or misses or mistakes what is.
    fn misread(&mut self) {
        let sq = Square::new(self.rng.u32(0..64));
        if self.sensors.loose().contains(sq) {
            return;
        }
        let stands = self.pos().board().piece_at(sq);
        let other = self.other_piece(stands);
        let reads = if stands.is_none() || self.chance(0.3) { Some(other) } else { None };
        let for_ms = self.between(10, 60);
        self.sensors.set(self.now_ms, sq, reads);
        self.sensors.set(self.now_ms + for_ms, sq, stands);
        self.now_ms += 80;
    }

    fn other_piece(&mut self, than: Option<Piece>) -> Piece {
        loop {
            let color = if self.rng.bool() { Color::White } else { Color::Black };
            let role = Role::ALL[place(&mut self.rng, Role::ALL.len())];
            let piece = Piece { color, role };
            if Some(piece) != than {
                return piece;
            }
        }
    }

    fn knock_over(&mut self) {
        let n = one_of(&mut self.rng, &[1, 1, 2, 3]).expect("there are four");
        let also = self.manners.also;
        for sq in self.pick(self.pos().board().occupied(), n) {
            let down_ms = self.manners.time(KNOCKED_OVER, &mut self.rng);
            if also.has(Also::LIES) || also.has(Also::NOWAIT) {
                let lies = self.lies_near(sq).filter(|_| also.has(Also::LIES));
                self.sensors.displace(self.now_ms, self.now_ms + down_ms, sq, lies);
            } else {
                self.lift_and_return(sq, down_ms);
            }
            self.now_ms += self.between(0, 200);
        }
        self.now_ms += if also.has(Also::NOWAIT) { 100 } else { 2_800 };
    }

    /// A square beside `sq` on which nothing reads.
    fn lies_near(&mut self, sq: Square) -> Option<Square> {
        let near: Vec<Square> = attacks::king_attacks(sq)
            .into_iter()
            .filter(|&near| self.sensors.reads(near).is_none())
            .filter(|&near| !self.sensors.loose().contains(near))
            .collect();
        one_of(&mut self.other, &near)
    }

    /// Perhaps an illegal move, taken back at once or restored after a press.
    pub(super) fn misplay(&mut self) {
        let (fixed, pressed) = (self.manners.illegal_fixed, self.manners.illegal_pressed);
        if self.pos().is_check() || !self.chance(fixed + pressed) {
            return;
        }
        let Some((from, to)) = self.illegal_way() else { return };
        let by = self.pos().turn();
        let piece = self.pos().board().piece_at(from);
        let carry_ms = self.manners.time(self.manners.carry, &mut self.rng);
        let made_ms = self.now_ms + carry_ms;
        self.sensors.set(self.now_ms, from, None);
        self.sensors.set(made_ms, to, piece);
        let is_pressed = self.chance(pressed / (fixed + pressed)) && self.table.has_clock;
        let press_ms =
            is_pressed.then(|| made_ms + self.manners.time(self.manners.reach, &mut self.rng));
        let back_ms = match press_ms {
            Some(press_ms) => {
                self.sensors.press(press_ms, by);
                press_ms + self.between(3_000, 15_000)
            }
            None => made_ms + self.between(600, 4_000),
        };
        let restored_ms = back_ms + carry_ms;
        self.sensors.set(back_ms, to, None);
        self.sensors.set(restored_ms, from, piece);
        self.now_ms = restored_ms + self.between(400, 3_000);
        let resumed = is_pressed.then(|| Mono::from_millis(self.now_ms));
        if is_pressed {
            self.note(Happening::Resume(by));
            self.now_ms += self.between(300, 2_000);
        }
        self.truth.irregularities.push(Irregularity {
            by,
            from,
            to,
            ply: self.truth.plies.len() + 1,
            made: Mono::from_millis(made_ms),
            completed: press_ms.map(Mono::from_millis),
            restored: Mono::from_millis(restored_ms),
            resumed,
        });
    }

    /// Where a piece of the player on move, not the king, may not go and yet can stand.
    fn illegal_way(&mut self) -> Option<(Square, Square)> {
        let pos = self.pos().clone();
        let legal = pos.legal_moves();
        let movers = pos.board().by_color(pos.turn()) & !pos.board().kings();
        for from in self.pick(movers, 16) {
            let is_pawn = pos.board().pawns().contains(from);
            let targets: Bitboard = (!pos.board().occupied())
                .into_iter()
                .filter(|to| from.distance(*to) <= ILLEGAL_REACH)
                .filter(|to| !is_pawn || ![Rank::First, Rank::Eighth].contains(&to.rank()))
                .filter(|to| !legal.iter().any(|m| m.from() == Some(from) && m.to() == *to))
                .collect();
            if let Some(&to) = self.pick(targets, 1).first() {
                return Some((from, to));
            }
        }
        None
    }
}
