//! Sixty-four linear hall sensors, four multiplexers 74HC4067 and a converter MCP3008.
//!
//! Each sensor shows another value when no magnet is near, and is moved by another amount; all of
//! them have noise, and drift as the room warms. A piece comes and goes within some hundredths of a
//! second, as a hand lowers and lifts it.

use super::switches::{ReaderSim, Switches};
use crate::table::Reading;
use crate::time::Mono;
use crate::wire::mcp3008;
use fastrand::Rng;
use shakmaty::{Color, Square};
use std::array;
use std::fmt::Write as _;

/// A sensor at rest shows about this, and each another value within so much.
const MIDDLE: (u16, u16) = (512, 24);
/// A piece moves it by this at least, and by so much more.
const MOVED: (u16, u16) = (60, 40);
/// A value is off by as much as this, each time.
const NOISE: u16 = 3;
/// A sensor drifts by so much at the most, within this time.
const DRIFT: (i32, u64) = (12, 3_600_000_000);
/// So long a hand takes to put a piece down, or to lift it out of reach, in microseconds.
const LOWERED_US: u64 = 30_000;

/// One sensor.
#[derive(Copy, Clone, Debug)]
struct HallSim {
    empty: u16,
    /// By how much a piece moves it: up for White.
    moved: u16,
    /// How far it has drifted in the end.
    drift: i32,
    is_dead: bool,
    /// What stood there before, what does now, and since when.
    was: Option<Color>,
    stands: Option<Color>,
    changed: Option<Mono>,
}

/// The board, with what reads it.
#[derive(Clone, Debug)]
pub struct HallsSim {
    switches: Switches,
    halls: [HallSim; 64],
    /// The pins that set the multiplexers, the lowest bit first, and how they stand.
    select: [u8; 4],
    place: usize,
    seed: u64,
    is_powered: bool,
}

impl HallsSim {
    /// Sensors wired as these switches are, all of whose pieces are white, and multiplexers that
    /// are set by these pins.
    pub fn new(switches: Switches, select: [u8; 4], seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let occupied = switches.occupied();
        let halls = array::from_fn(|idx| {
            let stands = occupied.contains(Square::ALL[idx]).then_some(Color::White);
            HallSim {
                empty: MIDDLE.0 - MIDDLE.1 + rng.u16(0..=2 * MIDDLE.1),
                moved: MOVED.0 + rng.u16(0..=MOVED.1),
                drift: rng.i32(-DRIFT.0..=DRIFT.0),
                is_dead: false,
                was: stands,
                stands,
                changed: None,
            }
        });
        Self { switches, halls, select, place: 0, seed, is_powered: true }
    }

    /// The sensor of this square shows nothing.
    pub fn with_dead(mut self, sq: Square) -> Self {
        self.halls[usize::from(sq)].is_dead = true;
        self
    }

    /// What stands at the output of the multiplexer at an input of the converter.
    fn value(&self, at: Mono, input: u8) -> u16 {
        let idx = match input {
            0..=3 => usize::from(input) * 16 + self.place,
            7 => return mcp3008::MAX,
            _ => return 0,
        };
        let sq = self.switches.square_of(idx);
        let HallSim { empty, moved, drift, is_dead, was, stands, changed } =
            self.halls[usize::from(sq)];
        if is_dead {
            return 0;
        }
        let us = changed.map_or(LOWERED_US, |changed| at.0.saturating_sub(changed.0));
        let part = i32::try_from(us.min(LOWERED_US)).unwrap_or(i32::MAX);
        let full = i32::try_from(LOWERED_US).unwrap_or(i32::MAX);
        let field = |stands: Option<Color>| stands.map_or(0, |it| it.fold_wb(1, -1));
        let moved = i32::from(moved) * (field(was) * (full - part) + field(stands) * part) / full;
        let so_far = i64::try_from(at.0.min(DRIFT.1)).unwrap_or(i64::MAX);
        let drift = i64::from(drift) * so_far / i64::try_from(DRIFT.1).unwrap_or(i64::MAX);
        let mut rng = Rng::with_seed(self.seed ^ at.0 ^ (u64::from(sq) << 48));
        let noise = i32::from(rng.u16(0..=2 * NOISE)) - i32::from(NOISE);
        let value = i32::from(empty) + moved + i32::try_from(drift).unwrap_or(0) + noise;
        u16::try_from(value.clamp(0, mcp3008::MAX.into())).unwrap_or(0)
    }
}

impl ReaderSim for HallsSim {
    fn switches(&mut self) -> &mut Switches {
        &mut self.switches
    }

    /// A piece without a color is a white one.
    fn put(&mut self, at: Mono, sq: Square, reading: Reading) {
        let is_there = reading != Reading::Empty;
        self.switches.set(at, sq, is_there);
        let hall = &mut self.halls[usize::from(sq)];
        let stands = is_there.then(|| reading.color().unwrap_or(Color::White));
        if stands != hall.stands {
            (hall.was, hall.stands, hall.changed) = (hall.stands, stands, Some(at));
        }
    }

    fn power(&mut self, is_on: bool) {
        self.is_powered = is_on;
    }

    fn drive(&mut self, _at: Mono, pin: u8, is_high: bool) {
        if let Some(bit) = self.select.iter().position(|it| *it == pin) {
            self.place = self.place & !(1 << bit) | usize::from(is_high) << bit;
        }
    }

    fn transfer(&mut self, at: Mono, bytes: &[u8]) -> Vec<u8> {
        let asked = bytes.try_into().ok().and_then(mcp3008::asked).filter(|_| self.is_powered);
        let Some(input) = asked else { return vec![0xff; bytes.len()] };
        mcp3008::answer(self.value(at, input)).to_vec()
    }

    fn learned(&self) -> Option<String> {
        let mut text = String::new();
        for sq in Square::ALL {
            let HallSim { empty, moved, is_dead, .. } = self.halls[usize::from(sq)];
            let input = self.switches.input_of(sq);
            if is_dead {
                writeln!(text, "{sq} {input} dead").ok();
            } else {
                let half = moved / 2;
                writeln!(text, "{sq} {input} {empty} {} {}", empty + half, empty - half).ok();
            }
        }
        Some(text)
    }
}
