//! The sensors under the squares, and which of their messages get through.

use super::TableKind;
use super::manners::{Manners, chance};
use crate::sim::script::Happening;
use crate::time::Mono;
use crate::track::Reading;
use fastrand::Rng;
use shakmaty::{Board, Color, Piece, Square};

/// What the sensors read, and all that has happened so far.
#[derive(Debug)]
pub(super) struct Sensors {
    table: TableKind,
    /// Chance of its own, so that a better line leaves the hands as they were.
    rng: Rng,
    lost: f64,
    reads: [Option<Piece>; 64],
    /// When each sensor changed last, in milliseconds.
    changed_ms: [Option<u64>; 64],
    dead_until_ms: u64,
    down_until_ms: u64,
    happenings: Vec<(u64, Happening)>,
}

impl Sensors {
    pub(super) fn new(board: &Board, manners: &Manners, table: TableKind, rng: Rng) -> Self {
        let mut reads = [None; 64];
        for (sq, piece) in board.iter() {
            reads[usize::from(sq)] = Some(piece);
        }
        Self {
            table,
            rng,
            lost: manners.lost,
            reads,
            changed_ms: [None; 64],
            dead_until_ms: 0,
            down_until_ms: 0,
            happenings: Vec::new(),
        }
    }

    /// What `sq` reads after everything that was told so far.
    pub(super) fn reads(&self, sq: Square) -> Option<Piece> {
        self.reads[usize::from(sq)]
    }

    /// `sq` reads `piece` from `at_ms` on. Readings of one square never overtake each other: one
    /// that would comes a millisecond after the one before.
    pub(super) fn set(&mut self, at_ms: u64, sq: Square, piece: Option<Piece>) {
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
        self.note(at_ms, Happening::LineDown);
        self.note(until_ms, Happening::LineUp);
    }

    pub(super) fn press(&mut self, at_ms: u64, by: Color) {
        self.note(at_ms, Happening::Press(by));
    }

    pub(super) fn note(&mut self, at_ms: u64, happening: Happening) {
        self.happenings.push((at_ms, happening));
    }

    /// All that has happened, in the order of time, and the end at `end_ms` or after.
    pub(super) fn finish(mut self, end_ms: u64) -> Vec<(Mono, Happening)> {
        self.happenings.sort_by_key(|(at_ms, _)| *at_ms);
        let last_ms = self.happenings.last().map_or(0, |(at_ms, _)| *at_ms);
        self.happenings.push((end_ms.max(last_ms), Happening::End));
        self.happenings.into_iter().map(|(ms, what)| (Mono::from_millis(ms), what)).collect()
    }
}
