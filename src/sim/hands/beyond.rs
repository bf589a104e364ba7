//! What two players do beyond making a move and pressing the clock: a move is taken back, the clock
//! is pressed back, the second piece of a move follows after the press.

use super::chance::one_of;
use super::gesture::Gesture;
use super::{Also, Hands, Odd, Oddity};
use crate::time::Mono;
use shakmaty::{Color, Move, Position, Role, Square};

/// Per half-move: another move is made first and taken back by agreement.
const TAKEN_BACK: f64 = 0.01;
/// Of those: after the press.
const TAKEN_BACK_LATE: f64 = 0.7;
/// Per press: the opponent presses back without a move.
const PRESSED_BACK: f64 = 0.02;
/// Of the moves of two pieces: the clock is pressed before the second.
const SECOND_AFTER: f64 = 0.3;

impl Hands<'_> {
    fn also(&mut self, habit: Also, share: f64) -> bool {
        self.manners.also.has(habit) && self.other.f64() < share
    }

    fn a_while(&mut self, min_ms: u64, max_ms: u64) -> u64 {
        self.other.u64(min_ms..=max_ms)
    }

    pub(super) fn odd(&mut self, by: Color, from_ms: u64, until_ms: u64, what: Odd) {
        let (from, until) = (Mono::from_millis(from_ms), Mono::from_millis(until_ms));
        self.truth.oddities.push(Oddity { by, from, until, what });
    }

    /// Perhaps another move than `m` is made, and taken back by agreement.
    pub(super) fn take_back(&mut self, m: Move) {
        if !self.also(Also::TAKEBACK, TAKEN_BACK) {
            return;
        }
        let Some(other) = self.other_move(m) else { return };
        let (by, from, to) = (self.pos().turn(), other.from().unwrap_or(other.to()), other.to());
        let (piece, victim) = (self.pos().board().piece_at(from), self.pos().board().piece_at(to));
        let carry_ms = self.manners.time(self.manners.carry, &mut self.other);
        let made_ms = self.now_ms + carry_ms;
        self.sensors.set(self.now_ms, from, None);
        self.sensors.set(made_ms, to, piece);
        self.now_ms = made_ms;
        let is_pressed = self.table.has_clock && self.other.f64() < TAKEN_BACK_LATE;
        if is_pressed {
            self.now_ms += self.manners.time(self.manners.reach, &mut self.other);
            self.sensors.press(self.now_ms, by);
        }
        self.now_ms += self.a_while(900, 6_000);
        self.sensors.set(self.now_ms, to, None);
        self.now_ms += carry_ms;
        self.sensors.set(self.now_ms, from, piece);
        if victim.is_some() {
            self.now_ms += self.a_while(150, 900);
            self.sensors.set(self.now_ms, to, victim);
        }
        if is_pressed {
            self.now_ms += self.a_while(300, 1_500);
            self.sensors.press(self.now_ms, !by);
        }
        self.now_ms += self.a_while(400, 3_000);
        self.odd(by, made_ms, self.now_ms, Odd::TakenBack);
    }

    /// A legal move of one piece other than `m`, after which the game goes on.
    fn other_move(&mut self, m: Move) -> Option<Move> {
        let pos = self.pos().clone();
        let mut legal = pos.legal_moves();
        legal.retain(|other| {
            let is_plain = matches!(other, Move::Normal { promotion: None, .. });
            let goes_on = pos.clone().play(*other).is_ok_and(|after| !after.is_game_over());
            *other != m && is_plain && goes_on
        });
        one_of(&mut self.other, &legal)
    }

    /// Perhaps the clock is pressed before the second piece of a move follows. Returns when; the
    /// rest of the gesture then comes later.
    pub(super) fn press_amid(
        &mut self,
        gesture: &mut Gesture,
        start_ms: u64,
        by: Color,
    ) -> Option<u64> {
        let first = n_of_first_piece(gesture).filter(|_| self.table.has_clock)?;
        if !self.also(Also::AFTER, SECOND_AFTER) {
            return None;
        }
        let reach_ms = self.manners.time(self.manners.reach, &mut self.other);
        let press_ms = gesture.touches[first - 1].at_ms + reach_ms;
        let goes_on_ms = press_ms + self.a_while(80, 700);
        let later_ms = goes_on_ms.saturating_sub(gesture.touches[first].at_ms);
        for touch in &mut gesture.touches[first..] {
            touch.at_ms += later_ms;
        }
        gesture.released_ms += later_ms;
        gesture.name.push_str(", pressed amid");
        self.sensors.press(start_ms + press_ms, by);
        self.odd(by, start_ms + press_ms, start_ms + gesture.released_ms, Odd::PressedAmid);
        Some(start_ms + press_ms)
    }

    /// Perhaps the opponent presses back; then the piece is set right and the clock pressed again.
    pub(super) fn press_back(&mut self, landed: Square, by: Color) {
        if !self.also(Also::BACK, PRESSED_BACK) {
            return;
        }
        let back_ms = self.now_ms + self.a_while(300, 2_000);
        self.sensors.press(back_ms, !by);
        let lift_ms = back_ms + self.a_while(300, 1_500);
        let put_ms = lift_ms + self.a_while(100, 700);
        let piece = self.pos().board().piece_at(landed);
        self.sensors.set(lift_ms, landed, None);
        self.sensors.set(put_ms, landed, piece);
        self.now_ms = put_ms + self.manners.time(self.manners.reach, &mut self.other);
        self.sensors.press(self.now_ms, by);
        self.odd(by, lift_ms, put_ms, Odd::Touched(landed));
        self.odd(!by, back_ms, self.now_ms, Odd::PressedBack);
    }
}

/// How many of the touches belong to the first piece of a move of two, if it is done first.
fn n_of_first_piece(gesture: &Gesture) -> Option<usize> {
    let touches = &gesture.touches;
    let n = match gesture.name.as_str() {
        "castling, king first" => 2,
        "en passant, victim last" => touches.len().checked_sub(1)?,
        name if name.contains("pawn exchanged") => {
            let is_pawn = |role: Role| role == Role::Pawn;
            let stands = touches.iter().position(|touch| {
                touch.sq == gesture.landed.0 && touch.piece.is_some_and(|piece| is_pawn(piece.role))
            });
            stands? + 1
        }
        _ => return None,
    };
    // In Chess960 the pieces may have to make way for each other.
    let has_landed = touches.get(n - 1).is_some_and(|touch| touch.piece.is_some());
    (has_landed && n < touches.len()).then_some(n)
}
