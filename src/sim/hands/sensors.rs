//! The sensors under the squares, and which of their messages get through.

use super::TableKind;
use super::also::Also;
use super::chance::chance;
use super::manners::Manners;
use super::{Odd, Oddity, scan};
use crate::sim::script::Happening;
use crate::table::Reading;
use crate::time::Mono;
use fastrand::Rng;
use shakmaty::{Bitboard, Board, Color, Piece, Square};

/// A message of the clock that is late comes so many milliseconds after the press.
const LAG_MS: (u64, u64) = (200, 450);

/// A piece that is not where it belongs: knocked over, or put down on a border.
#[derive(Copy, Clone, Debug)]
struct Loose {
    /// When it is set right, unless a hand takes it before.
    until_ms: u64,
    home: Square,
    /// Where it reads meanwhile, if anywhere.
    lies: Option<Square>,
    piece: Piece,
}

/// What the sensors read, and all that has happened so far.
#[derive(Debug)]
pub(super) struct Sensors {
    table: TableKind,
    also: Also,
    /// Chance of its own, so that a better line leaves the hands as they were.
    rng: Rng,
    /// Chance for what happens beyond the usual, so that the usual stays as it was.
    other: Rng,
    lost: f64,
    first: [Option<Piece>; 64],
    reads: [Option<Piece>; 64],
    /// When each sensor changed last, in milliseconds.
    changed_ms: [Option<u64>; 64],
    loose: Vec<Loose>,
    dead_until_ms: u64,
    down_until_ms: u64,
    /// When the clock was last heard of.
    heard_ms: u64,
    badly: Vec<Oddity>,
    happenings: Vec<(u64, Happening)>,
}

impl Sensors {
    pub(super) fn new(
        board: &Board,
        manners: &Manners,
        table: TableKind,
        rng: Rng,
        other: Rng,
    ) -> Self {
        let mut reads = [None; 64];
        for (sq, piece) in board.iter() {
            reads[usize::from(sq)] = Some(piece);
        }
        Self {
            table,
            also: manners.also,
            rng,
            other,
            lost: manners.lost,
            first: reads,
            reads,
            changed_ms: [None; 64],
            loose: Vec::new(),
            dead_until_ms: 0,
            down_until_ms: 0,
            heard_ms: 0,
            badly: Vec::new(),
            happenings: Vec::new(),
        }
    }

    /// What `sq` reads after everything that was told so far.
    pub(super) fn reads(&self, sq: Square) -> Option<Piece> {
        self.reads[usize::from(sq)]
    }

    /// Squares that a piece belongs to or lies on which is not where it belongs.
    pub(super) fn loose(&self) -> Bitboard {
        self.loose.iter().flat_map(|loose| [Some(loose.home), loose.lies]).flatten().collect()
    }

    /// `sq` reads `piece` from `at_ms` on. Readings of one square never overtake each other: one
    /// that would comes a millisecond after the one before. A piece that was not where it belongs
    /// is taken along or set right by the hand that comes there.
    pub(super) fn set(&mut self, at_ms: u64, sq: Square, piece: Option<Piece>) {
        self.set_right_until(at_ms);
        while let Some(idx) =
            self.loose.iter().position(|loose| loose.home == sq || loose.lies == Some(sq))
        {
            let loose = self.loose.swap_remove(idx);
            if loose.home != sq {
                self.change(at_ms, loose.home, Some(loose.piece));
            } else if let Some(lies) = loose.lies {
                self.change(at_ms, lies, None);
            }
        }
        self.change(at_ms, sq, piece);
    }

    /// What stands on `home` reads on `lies` instead, or nowhere, until a hand comes or `until_ms`.
    pub(super) fn displace(
        &mut self,
        at_ms: u64,
        until_ms: u64,
        home: Square,
        lies: Option<Square>,
    ) {
        let Some(piece) = self.reads(home) else { return };
        self.set(at_ms, home, None);
        if let Some(lies) = lies {
            self.set(at_ms + 1, lies, Some(piece));
        }
        self.loose.push(Loose { until_ms, home, lies, piece });
    }

    /// What stands on `home` reads on `other` too, until a hand comes or `until_ms`.
    pub(super) fn straddle(&mut self, at_ms: u64, until_ms: u64, home: Square, other: Square) {
        let Some(piece) = self.reads(home) else { return };
        self.set(at_ms, other, Some(piece));
        self.loose.push(Loose { until_ms, home, lies: Some(other), piece });
    }

    /// Sets right what is due by `at_ms`.
    fn set_right_until(&mut self, at_ms: u64) {
        let (mut due, rest): (Vec<Loose>, Vec<Loose>) =
            self.loose.iter().partition(|loose| loose.until_ms <= at_ms);
        self.loose = rest;
        due.sort_by_key(|loose| loose.until_ms);
        for Loose { until_ms, home, lies, piece } in due {
            if let Some(lies) = lies {
                self.change(until_ms, lies, None);
            }
            self.change(until_ms, home, Some(piece));
        }
    }

    fn change(&mut self, at_ms: u64, sq: Square, piece: Option<Piece>) {
        let idx = usize::from(sq);
        let reading = self.reading(piece);
        let before = std::mem::replace(&mut self.reads[idx], piece);
        if reading == self.reading(before) {
            return;
        }
        let at_ms = self.changed_ms[idx].map_or(at_ms, |changed| at_ms.max(changed + 1));
        self.changed_ms[idx] = Some(at_ms);
        let is_cut_off = at_ms < self.dead_until_ms || at_ms < self.down_until_ms;
        let is_lost = chance(&mut self.rng, self.lost) || is_cut_off;
        self.happenings.push((at_ms, Happening::Sensed { sq, reading, is_lost }));
    }

    fn reading(&self, piece: Option<Piece>) -> Reading {
        self.table.sight.of(piece)
    }

    /// No message about a sensor arrives before `until_ms`.
    pub(super) fn go_dead(&mut self, until_ms: u64) {
        self.dead_until_ms = self.dead_until_ms.max(until_ms);
    }

    /// The cable comes out, unless it is out already.
    pub(super) fn unplug(&mut self, at_ms: u64, until_ms: u64) {
        if self.down_until_ms >= at_ms && self.down_until_ms > 0 {
            return;
        }
        self.down_until_ms = until_ms;
        self.happenings.push((at_ms, Happening::LineDown));
        self.happenings.push((until_ms, Happening::LineUp));
    }

    /// Presses that came while a piece was not where it belongs.
    pub(super) fn badly(&self) -> &[Oddity] {
        &self.badly
    }

    pub(super) fn press(&mut self, at_ms: u64, by: Color) {
        let loose = self.loose.iter().filter(|loose| loose.until_ms > at_ms);
        if let Some(until_ms) = loose.map(|loose| loose.until_ms).max() {
            let (from, until) = (Mono::from_millis(at_ms), Mono::from_millis(until_ms));
            self.badly.push(Oddity { by, from, until, what: Odd::PressedBadly });
        }
        self.note(at_ms, Happening::Press(by));
    }

    /// Something happens to the clock. What it says never overtakes what it said before.
    pub(super) fn note(&mut self, at_ms: u64, happening: Happening) {
        let mut heard_ms = at_ms;
        if self.also.has(Also::LAG) {
            heard_ms += self.other.u64(LAG_MS.0..=LAG_MS.1);
            heard_ms = heard_ms.max(self.heard_ms + 1);
            self.heard_ms = heard_ms;
        }
        self.happenings.push((heard_ms, happening));
    }

    /// All that has happened, in the order of time, and the end at `end_ms` or after.
    pub(super) fn finish(mut self, end_ms: u64) -> Vec<(Mono, Happening)> {
        self.set_right_until(u64::MAX);
        self.happenings.sort_by_key(|(at_ms, _)| *at_ms);
        if self.also.has(Also::SCAN) {
            let (sight, first) = (self.table.sight, self.first);
            let reads_first = |sq: Square| sight.of(first[usize::from(sq)]);
            self.happenings = scan::scanned(self.happenings, reads_first, &mut self.other);
        }
        let last_ms = self.happenings.last().map_or(0, |(at_ms, _)| *at_ms);
        self.happenings.push((end_ms.max(last_ms), Happening::End));
        self.happenings.into_iter().map(|(ms, what)| (Mono::from_millis(ms), what)).collect()
    }
}
