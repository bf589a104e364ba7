//! How people handle pieces, in numbers.
//!
//! The frequencies lean on three blitz games recorded on a DGT board (198 moves), in which the
//! victim's lift was never seen in 72 % of the captures, the victim showed up on another square
//! while it was carried off in 14 %, one move in twenty rested on or passed a square where it would
//! have been legal, and one in a hundred was put down before it was lifted. The rest is made up,
//! and rather too rough than too gentle.

use super::also::Also;
use fastrand::Rng;

/// A span from which times are drawn evenly, in milliseconds, both ends included.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The shortest time.
    pub min_ms: u64,
    /// The longest time.
    pub max_ms: u64,
}

impl Span {
    /// The span from `min_ms` to `max_ms`.
    pub const fn new(min_ms: u64, max_ms: u64) -> Self {
        Self { min_ms, max_ms }
    }

    fn draw(self, rng: &mut Rng) -> u64 {
        rng.u64(self.min_ms..=self.max_ms)
    }

    /// A log-normal time: nine of ten lie in the span. One in [`TAIL_ONE_IN`] is several times as
    /// long, as when a hand stays over the board.
    fn draw_with_tail(self, rng: &mut Rng) -> u64 {
        let shortest = self.min_ms.max(self.max_ms / 20).max(1) as f64;
        let longest = (self.max_ms as f64).max(shortest + 1.0);
        let width = (longest / shortest).ln();
        // The sum of twelve is normal enough.
        let deviation = (0..12).map(|_| rng.f64()).sum::<f64>() - 6.0;
        let time = (shortest.ln() + width / 2.0 + deviation * width / NINE_OF_TEN).exp();
        let tail = if rng.u64(0..TAIL_ONE_IN) == 0 { 2.0 + 6.0 * rng.f64() } else { 1.0 };
        (time * tail) as u64
    }
}

/// One time in so many is far longer than the others.
const TAIL_ONE_IN: u64 = 50;
/// So many deviations hold nine of ten times of a normal distribution.
const NINE_OF_TEN: f64 = 3.29;

/// How two players handle pieces and clock, and how good the line to their board is.
///
/// Numbers without a word on them are probabilities per half-move.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Manners {
    /// From the opponent's press to the hand going out.
    pub think: Span,
    /// From lifting a piece to putting it down.
    pub carry: Span,
    /// From the release to the press.
    pub reach: Span,
    /// The piece is dragged over the squares between.
    pub slide: f64,
    /// The piece is dragged and rests for a moment on a square between.
    pub rest: f64,
    /// One or two of the mover's pieces are lifted and set right.
    pub adjust: f64,
    /// Of such adjustments: it is the opponent's pieces that are set right.
    pub adjust_theirs: f64,
    /// A piece is lifted and put back, and another one moves.
    pub change_mind: f64,
    /// The piece flickers after it was put down.
    pub wobble: f64,
    /// The piece stands on two squares at once for a while.
    pub straddle: f64,
    /// One sensor misreads for some ten milliseconds.
    pub ghost: f64,
    /// Up to three pieces are knocked over and set up again.
    pub knock_over: f64,
    /// Of castlings: the rook goes first.
    pub rook_first: f64,
    /// Of castlings: king and rook go together.
    pub both_hands: f64,
    /// Of promotions: another piece is put there first, and exchanged.
    pub wrong_piece: f64,
    /// The opponent's hand goes out after the release but before the press.
    pub early_reply: f64,
    /// The opponent's hand goes out before the release is complete.
    pub overlap: f64,
    /// The clock is not pressed; the opponent replies anyway.
    pub no_press: f64,
    /// An illegal move is made and taken back before the press.
    pub illegal_fixed: f64,
    /// An illegal move is completed by a press; then the arbiter has the position restored.
    pub illegal_pressed: f64,
    /// Per change of a sensor: the message about it never arrives.
    pub lost: f64,
    /// No message about a sensor arrives for up to three seconds.
    pub dead_burst: f64,
    /// The cable comes out for up to twenty seconds, while play goes on.
    pub unplugged: f64,
    /// Of captures: no sensor ever sees the victim's square empty.
    pub unseen_victim: f64,
    /// Of captures: the victim is seen elsewhere while it is carried off.
    pub in_transit: f64,
    /// The new square is seen occupied before the old one is seen empty.
    pub placed_first: f64,
    /// Of games with a result: the clock is stopped and the kings are put in the center.
    pub kings: f64,
    /// Of the other games with a result: the clock is stopped and moves are tried out.
    pub post_mortem: f64,
    /// What else happens.
    pub also: Also,
}

/// What most players share; every profile changes some of it.
const ORDINARY: Manners = Manners {
    think: Span::new(1_500, 20_000),
    carry: Span::new(250, 900),
    reach: Span::new(150, 900),
    slide: 0.25,
    rest: 0.0,
    adjust: 0.01,
    adjust_theirs: 0.15,
    change_mind: 0.0,
    wobble: 0.02,
    straddle: 0.01,
    ghost: 0.01,
    knock_over: 0.0,
    rook_first: 0.05,
    both_hands: 0.05,
    wrong_piece: 0.05,
    early_reply: 0.0,
    overlap: 0.0,
    no_press: 0.0,
    illegal_fixed: 0.0,
    illegal_pressed: 0.0,
    lost: 0.0,
    dead_burst: 0.0,
    unplugged: 0.0,
    unseen_victim: 0.6,
    in_transit: 0.10,
    placed_first: 0.01,
    kings: 0.5,
    post_mortem: 0.25,
    also: Also::NONE,
};

impl Manners {
    /// The names that [`Manners::named`] knows.
    pub const NAMES: [&'static str; 6] = ["clean", "club", "blitz", "scramble", "school", "lossy"];

    /// Nothing ever goes wrong: lift, put down, press.
    pub const fn clean() -> Self {
        Self {
            slide: 0.0,
            adjust: 0.0,
            wobble: 0.0,
            straddle: 0.0,
            ghost: 0.0,
            rook_first: 0.0,
            both_hands: 0.0,
            wrong_piece: 0.0,
            unseen_victim: 0.0,
            in_transit: 0.0,
            placed_first: 0.0,
            kings: 0.0,
            post_mortem: 0.0,
            ..ORDINARY
        }
    }

    /// An evening at the club: slow, and sometimes careless.
    pub const fn club() -> Self {
        Self {
            rest: 0.01,
            adjust: 0.03,
            change_mind: 0.01,
            knock_over: 0.004,
            illegal_fixed: 0.003,
            ..ORDINARY
        }
    }

    /// Five minutes each.
    pub const fn blitz() -> Self {
        Self {
            think: Span::new(80, 1_800),
            carry: Span::new(90, 350),
            reach: Span::new(40, 250),
            slide: 0.45,
            rest: 0.005,
            wobble: 0.06,
            straddle: 0.03,
            ghost: 0.02,
            knock_over: 0.01,
            early_reply: 0.10,
            rook_first: 0.08,
            both_hands: 0.15,
            illegal_fixed: 0.003,
            illegal_pressed: 0.003,
            ..ORDINARY
        }
    }

    /// The last seconds of a game, for a whole game.
    pub const fn scramble() -> Self {
        Self {
            think: Span::new(0, 400),
            carry: Span::new(60, 220),
            reach: Span::new(20, 120),
            slide: 0.6,
            wobble: 0.10,
            straddle: 0.06,
            ghost: 0.03,
            knock_over: 0.03,
            early_reply: 0.35,
            overlap: 0.15,
            no_press: 0.05,
            rook_first: 0.1,
            both_hands: 0.3,
            illegal_fixed: 0.005,
            illegal_pressed: 0.01,
            ..ORDINARY
        }
    }

    /// Children.
    pub const fn school() -> Self {
        Self {
            think: Span::new(300, 6_000),
            slide: 0.5,
            rest: 0.05,
            adjust: 0.08,
            adjust_theirs: 0.3,
            change_mind: 0.06,
            wobble: 0.05,
            straddle: 0.05,
            knock_over: 0.03,
            no_press: 0.05,
            rook_first: 0.3,
            both_hands: 0.3,
            wrong_piece: 0.15,
            illegal_fixed: 0.04,
            illegal_pressed: 0.02,
            ..ORDINARY
        }
    }

    /// Ordinary players at the end of a bad cable.
    pub const fn lossy() -> Self {
        Self {
            adjust: 0.02,
            ghost: 0.03,
            lost: 0.03,
            dead_burst: 0.02,
            unplugged: 0.005,
            ..ORDINARY
        }
    }

    /// A time of this span, in milliseconds.
    pub(super) fn time(&self, span: Span, rng: &mut Rng) -> u64 {
        if self.also.has(Also::TAILS) { span.draw_with_tail(rng) } else { span.draw(rng) }
    }

    /// The profile of this name.
    ///
    /// ```
    /// use rokade::sim::Manners;
    /// assert_eq!(Manners::named("club"), Some(Manners::club()));
    /// assert!(Manners::NAMES.iter().all(|name| Manners::named(name).is_some()));
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "clean" => Self::clean(),
            "club" => Self::club(),
            "blitz" => Self::blitz(),
            "scramble" => Self::scramble(),
            "school" => Self::school(),
            "lossy" => Self::lossy(),
            _ => return None,
        })
    }
}
