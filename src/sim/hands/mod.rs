//! Human hands at a board: what the sensors and the clock say while two people play given moves.
//!
//! Hands know the moves and how they are made; what comes out is a [`Script`] that a replay can
//! run, and the [`Truth`] that the record made of it can be held against. All chance comes from
//! the seed: the same arguments give the same performance.

mod also;
mod beyond;
mod castling;
mod chance;
mod finale;
mod gesture;
mod manners;
mod mishaps;
mod scan;
mod sensors;

pub use also::Also;
pub use manners::{Manners, Span};

use super::script::{Happening, Header, Script};
use crate::table::Sight;
use crate::time::Mono;
use crate::track::line::squares_of;
use chance::{chance, one_of};
use fastrand::Rng;
use gesture::Gesture;
use sensors::Sensors;
use shakmaty::fen::Fen;
use shakmaty::{Bitboard, CastlingMode, Chess, Color, EnPassantMode, KnownOutcome, Move, Position};
use shakmaty::{Square, attacks};

/// Before this, nobody touches anything: the host has woken the board and the clock runs.
const FIRST_HAND_MS: u64 = 2_000;
/// The script goes on this long after the last thing that the players did.
const AFTER_LAST_MS: u64 = 3_000;
/// For so long a piece stands on two squares.
const BETWEEN_SQUARES: Span = Span::new(100, 1_500);
/// Makes of a seed another one.
const OTHERWISE: u64 = 0x5eed_a150;

/// What stands on the table.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct TableKind {
    /// What the board can tell of a piece.
    pub sight: Sight,
    /// There is a clock, and the players press it.
    pub has_clock: bool,
}

/// A game as it was played, and what the devices said.
#[derive(Clone, Debug, PartialEq)]
pub struct Performance {
    /// What the devices said.
    pub script: Script,
    /// What was played.
    pub truth: Truth,
}

/// What was really played.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Truth {
    /// The moves, in order.
    pub plies: Vec<Performed>,
    /// Illegal moves, none of which stayed on the board.
    pub irregularities: Vec<Irregularity>,
    /// What else was done that is no move and may be spoken of.
    pub oddities: Vec<Oddity>,
    /// The position after the last move.
    pub last: Chess,
    /// The result that the kings in the center announced.
    pub signalled: Option<KnownOutcome>,
    /// Moves were tried out after the end, with the clock stopped.
    pub has_post_mortem: bool,
}

/// A move as it was performed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Performed {
    /// The move.
    pub m: Move,
    /// When the last piece was let go.
    pub made: Mono,
    /// When the sensors had come to rest.
    pub rested: Mono,
    /// When the clock was pressed, if it was.
    pub completed: Option<Mono>,
    /// How it was done, such as `capture, victim unseen`.
    pub gesture: String,
}

/// An illegal move that was made, and taken back or restored.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Irregularity {
    /// Who made it.
    pub by: Color,
    /// The square the piece left.
    pub from: Square,
    /// The square it went to.
    pub to: Square,
    /// The half-move, from 1, that was played in its place.
    pub ply: usize,
    /// When the piece was let go.
    pub made: Mono,
    /// When the clock was pressed on it; `None` if it was taken back first.
    pub completed: Option<Mono>,
    /// When the position before it stood on the board again.
    pub restored: Mono,
    /// When the arbiter who was called for it had set the clock going again, if one was.
    pub resumed: Option<Mono>,
}

/// Something that a player did which an arbiter may hear of, and need not.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Oddity {
    /// Who did it.
    pub by: Color,
    /// When it began.
    pub from: Mono,
    /// When all was in order again.
    pub until: Mono,
    /// What it was.
    pub what: Odd,
}

/// What a player did that is no move.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Odd {
    /// Made a move and took it back by agreement.
    TakenBack,
    /// Pressed the clock back without a move.
    PressedBack,
    /// Pressed the clock before the second piece of a move.
    PressedAmid,
    /// Pressed the clock while a piece was not where it belongs.
    PressedBadly,
    /// Touched a piece and let it stand.
    Touched(Square),
}

/// Plays `moves` from `start` by hand. `outcome` is what the players agree on or the position
/// brings; without one they just leave.
///
/// # Panics
/// If a move is not legal in its position.
pub fn perform(
    start: &Chess,
    mode: CastlingMode,
    moves: &[Move],
    outcome: Option<KnownOutcome>,
    manners: &Manners,
    table: TableKind,
    seed: u64,
) -> Performance {
    let mut rng = Rng::with_seed(seed);
    // Drawn apart, so that a profile plays the same game whatever else can happen.
    let mut other = Rng::with_seed(seed ^ OTHERWISE);
    let sensors = Sensors::new(start.board(), manners, table, rng.fork(), other.fork());
    let mut hands = Hands {
        rng,
        other,
        manners,
        table,
        sensors,
        now_ms: FIRST_HAND_MS,
        truth: Truth {
            plies: Vec::with_capacity(moves.len()),
            last: start.clone(),
            ..Truth::default()
        },
    };
    let mut ahead = None;
    for (idx, &m) in moves.iter().enumerate() {
        ahead = hands.ply(m, moves.get(idx + 1).copied(), ahead);
    }
    hands.finish(outcome);
    let header = Header {
        sight: table.sight,
        has_clock: table.has_clock,
        start: Some(Fen::from_position(start, EnPassantMode::Legal)),
        is_chess960: mode.is_chess960(),
        ..Header::dgt()
    };
    let Hands { sensors, mut truth, now_ms, .. } = hands;
    truth.oddities.extend(sensors.badly().iter().copied());
    let happenings = sensors.finish(now_ms + AFTER_LAST_MS);
    Performance { script: Script { header, happenings }, truth }
}

/// A hand that is out before the clock was pressed, and since when.
type Ahead = Option<u64>;

/// The players in the middle of their game.
struct Hands<'a> {
    rng: Rng,
    /// Chance for what the profiles leave out.
    other: Rng,
    manners: &'a Manners,
    table: TableKind,
    sensors: Sensors,
    /// When the last thing ended that the next one waits for.
    now_ms: u64,
    truth: Truth,
}

impl Hands<'_> {
    /// The position on the board, as far as the players agree.
    fn pos(&self) -> &Chess {
        &self.truth.last
    }

    fn chance(&mut self, share: f64) -> bool {
        chance(&mut self.rng, share)
    }

    fn between(&mut self, min_ms: u64, max_ms: u64) -> u64 {
        self.rng.u64(min_ms..=max_ms)
    }

    /// One half-move, from the thought to the press. Returns whether the reply is already begun.
    fn ply(&mut self, m: Move, reply: Option<Move>, ahead: Ahead) -> Ahead {
        assert!(self.pos().is_legal(m), "{m} is legal where it is played");
        self.now_ms = match ahead {
            Some(at_ms) => at_ms,
            None => self.now_ms + self.manners.time(self.manners.think, &mut self.rng),
        };
        self.disturb();
        self.trouble_line();
        self.misplay();
        self.take_back(m);
        let by = self.pos().turn();
        let start_ms = self.now_ms;
        let mut gesture = gesture::of(&mut self.rng, self.manners, self.table, &self.truth.last, m);
        let amid_ms = self.press_amid(&mut gesture, start_ms, by);
        for touch in &gesture.touches {
            self.sensors.set(start_ms + touch.at_ms, touch.sq, touch.piece);
        }
        let made_ms = start_ms + gesture.released_ms;
        let (rested_ms, straddled) = self.come_to_rest(made_ms, &gesture);
        self.truth.last.play_unchecked(m);
        let press_ms = amid_ms.or_else(|| {
            let is_early = self.manners.also.has(Also::EARLY);
            self.press(if is_early { made_ms } else { rested_ms }, by)
        });
        let in_use = self.squares_in_use(&gesture) | straddled;
        self.now_ms = match press_ms {
            Some(press_ms) => press_ms.max(made_ms),
            None => rested_ms + self.rng.u64(50..=300),
        };
        let ahead = self.begin_reply(made_ms, reply, in_use);
        if ahead.is_none() && press_ms.is_some() {
            self.press_back(gesture.landed.0, by);
        }
        self.truth.plies.push(Performed {
            m,
            made: Mono::from_millis(made_ms),
            rested: Mono::from_millis(rested_ms),
            completed: press_ms.map(Mono::from_millis),
            gesture: gesture.name,
        });
        ahead
    }

    fn squares_in_use(&self, gesture: &Gesture) -> Bitboard {
        gesture.touches.iter().map(|touch| touch.sq).collect()
    }

    /// The press, unless it is forgotten or there is nothing to press.
    fn press(&mut self, rested_ms: u64, by: Color) -> Option<u64> {
        if !self.table.has_clock || self.chance(self.manners.no_press) {
            return None;
        }
        let press_ms = rested_ms + self.manners.time(self.manners.reach, &mut self.rng);
        self.sensors.press(press_ms, by);
        Some(press_ms)
    }

    /// Whether the opponent's hand goes out early, and when. Never to a square that the move before
    /// still uses: hands do not pass through each other.
    fn begin_reply(&mut self, made_ms: u64, reply: Option<Move>, in_use: Bitboard) -> Ahead {
        let at_ms = if self.chance(self.manners.overlap) {
            Some((made_ms + self.between(0, 90)).saturating_sub(60))
        } else if self.chance(self.manners.early_reply) {
            Some(made_ms + self.between(30, 150))
        } else {
            None
        };
        let reply = reply?;
        let mut wanted = squares_of(reply, self.pos().turn());
        if let (Some(from), false) = (reply.from(), reply.is_castle()) {
            wanted.extend(gesture::passed(self.pos(), from, reply.to()));
        }
        if self.manners.also.has(Also::RECAPTURE) {
            return at_ms;
        }
        at_ms.filter(|_| (wanted & in_use).is_empty())
    }

    /// The piece that was put down may flicker, or stand on two squares. Returns when it is still
    /// and the other square.
    fn come_to_rest(&mut self, made_ms: u64, gesture: &Gesture) -> (u64, Bitboard) {
        let (sq, piece) = gesture.landed;
        if self.chance(self.manners.wobble) {
            let mut at_ms = made_ms;
            for _ in 0..self.between(1, 3) {
                at_ms += self.between(15, 120);
                self.sensors.set(at_ms, sq, None);
                at_ms += self.between(15, 90);
                self.sensors.set(at_ms, sq, Some(piece));
            }
            return (at_ms, Bitboard::EMPTY);
        }
        if self.chance(self.manners.straddle) {
            let near: Vec<Square> = attacks::king_attacks(sq)
                .into_iter()
                .filter(|&near| self.sensors.reads(near).is_none())
                .collect();
            if let Some(other) = one_of(&mut self.rng, &near) {
                let seen_ms = made_ms + self.between(10, 60);
                let gone_ms = seen_ms + self.manners.time(BETWEEN_SQUARES, &mut self.rng);
                let also = self.manners.also;
                if also.has(Also::BESIDE) {
                    self.sensors.displace(seen_ms, gone_ms, sq, Some(other));
                } else if also.has(Also::EARLY) {
                    self.sensors.straddle(seen_ms, gone_ms, sq, other);
                } else {
                    self.sensors.set(seen_ms, other, Some(piece));
                    self.sensors.set(gone_ms, other, None);
                }
                return (gone_ms, other.into());
            }
        }
        (made_ms, Bitboard::EMPTY)
    }

    /// The line goes bad, or the cable comes out.
    fn trouble_line(&mut self) {
        if self.chance(self.manners.dead_burst) {
            let until_ms = self.now_ms + self.between(300, 3_000);
            self.sensors.go_dead(until_ms);
        }
        if self.chance(self.manners.unplugged) {
            let until_ms = self.now_ms + self.between(2_000, 20_000);
            self.sensors.unplug(self.now_ms, until_ms);
        }
    }

    fn note(&mut self, happening: Happening) {
        self.sensors.note(self.now_ms, happening);
    }
}
