//! A board's own log as the board writes it: a ring that forgets its oldest bytes.
//!
//! Protocol 5. Not modeled: a figure that flickers overwriting its own last entry.

use crate::table::End;
use std::collections::VecDeque;
use std::time::Duration;

use shakmaty::{Board, Square};

use crate::time::Mono;
use crate::wire::field::{Dump, Field, FieldCode, Orientation};
use crate::wire::log::{LogEvent, RING_LEN};

/// Changes closer than this are marked as fast (protocol 5).
const FAST: Duration = Duration::from_millis(250);
/// Figures that must have left a start before its tag is written again (protocol 5).
const N_LEFT_START: u32 = 2;

/// The ring and what decides on its tags.
#[derive(Debug, Clone, Default)]
pub(super) struct Ring {
    /// Oldest first, without the end mark; below [`RING_LEN`].
    bytes: VecDeque<u8>,
    changed_at: Option<Mono>,
    /// The tag that the board showed last; none once enough has left it.
    tag: Option<(LogEvent, Dump)>,
    /// What has been written since it was asked for in bus mode.
    fresh: Vec<u8>,
    /// What was told since the start of a game was marked, and for that.
    since_start: Vec<u8>,
    /// What was answered then.
    answered: Vec<u8>,
}

impl Ring {
    /// A ring that is full of games that begin like any other: after the start position two knights
    /// and a pawn on each side move, and go back. Made up.
    pub(super) fn of_years(orientation: Orientation) -> Self {
        let mut ring = Self::default();
        let (mut at, mut dump) = (Mono::default(), Dump::new(&Board::new(), orientation));
        let moves = [(Square::E2, Square::E4), (Square::E7, Square::E5), (Square::G1, Square::F3)];
        let back = moves.iter().rev().map(|&(from, to)| (to, from));
        let there_and_back: Vec<_> = moves.iter().copied().chain(back).collect();
        let mut n_moves = 0;
        while ring.bytes.len() < RING_LEN - 1 {
            let (from, to) = there_and_back[n_moves % there_and_back.len()];
            let (from, to) = (orientation.field(from), orientation.field(to));
            let code = std::mem::replace(&mut dump.0[usize::from(from.index())], FieldCode::Empty);
            at = at + Duration::from_secs(5);
            ring.change(at, from, &dump);
            dump.0[usize::from(to.index())] = code;
            at = at + FAST;
            ring.change(at, to, &dump);
            let end = if n_moves.is_multiple_of(2) { End::Left } else { End::Right };
            let seconds = 5_400 - u32::try_from(n_moves % 300).unwrap_or(0);
            ring.write(LogEvent::Time { end, seconds });
            n_moves += 1;
        }
        // Somebody has fetched all that.
        ring.fresh.clear();
        ring
    }

    /// The board was switched on with this on it (protocol 5, `6A`).
    pub(super) fn power_up(&mut self, at: Mono, dump: &Dump) {
        for event in [LogEvent::Nop, LogEvent::Nop, LogEvent::Nop, LogEvent::PowerUp] {
            self.write(event);
        }
        for field in Field::all().filter(|&field| dump.code(field) != FieldCode::Empty) {
            self.change(at, field, dump);
        }
    }

    /// `field` reads what it now reads in `dump`.
    pub(super) fn change(&mut self, at: Mono, field: Field, dump: &Dump) {
        let fast = self.changed_at.is_some_and(|before| at.since(before) < FAST);
        self.changed_at = Some(at);
        self.write(LogEvent::Change { field, code: dump.code(field), fast });
        if let Some((_, start)) = &self.tag {
            let n_left = start.0.iter().zip(&dump.0).filter(|(was, is)| was != is).count();
            if n_left > N_LEFT_START as usize {
                self.tag = None;
            }
        }
        if let Some(event) = tag(dump)
            && self.tag.as_ref().is_none_or(|(before, _)| *before != event)
        {
            self.write(event);
            self.tag = Some((event, dump.clone()));
        }
    }

    /// Appends one event; the oldest bytes make room for it.
    pub(super) fn write(&mut self, event: LogEvent) {
        let mut bytes = Vec::new();
        event.encode(&mut bytes);
        if self.fresh.len() + bytes.len() < RING_LEN {
            self.fresh.extend(&bytes);
        }
        self.bytes.extend(bytes);
        let n_over = self.bytes.len().saturating_sub(RING_LEN - 1);
        self.bytes.drain(..n_over);
    }

    /// What was written since this was asked last: it is answered once (protocol 4.2, `83`).
    pub(super) fn changes(&mut self) -> &[u8] {
        self.answered = std::mem::take(&mut self.fresh);
        let room = RING_LEN.saturating_sub(self.since_start.len());
        self.since_start.extend(self.answered.iter().take(room));
        &self.answered
    }

    /// The same answer once more (protocol 4.2, `84`).
    pub(super) fn changes_again(&self) -> &[u8] {
        &self.answered
    }

    /// A game begins with what stands on the board: a tag, and all its pieces (protocol 4.2, `85`).
    pub(super) fn begin_game(&mut self, at: Mono, dump: &Dump) {
        self.fresh.clear();
        if let Some(event) = tag(dump) {
            self.write(event);
        }
        for field in Field::all().filter(|&field| dump.code(field) != FieldCode::Empty) {
            self.change(at, field, dump);
        }
        self.since_start = std::mem::take(&mut self.fresh);
    }

    /// What was written since then, and was told before (protocol 4.2, `86`).
    pub(super) fn told_since_start(&self) -> Vec<u8> {
        self.since_start.clone()
    }

    /// When a field changed last.
    pub(super) fn changed_at(&self) -> Option<Mono> {
        self.changed_at
    }

    /// The payload of a log dump, end mark included. The log remembers that it was read.
    pub(super) fn download(&mut self) -> Vec<u8> {
        let mut payload: Vec<u8> = self.bytes.iter().copied().collect();
        LogEvent::Eof.encode(&mut payload);
        self.write(LogEvent::Downloaded);
        payload
    }
}

/// The tag for the whole board, if it deserves one (protocol 5: 6F, 7A, 6C, 6D).
fn tag(dump: &Dump) -> Option<LogEvent> {
    if dump.0.iter().all(|code| *code == FieldCode::Empty) {
        return Some(LogEvent::EmptyBoard);
    }
    for orientation in [Orientation::Normal, Orientation::Rotated] {
        if *dump == Dump::new(&shakmaty::Board::new(), orientation) {
            return Some(LogEvent::Start(orientation));
        }
    }
    let is_outer = |n: usize| !(16..48).contains(&n);
    let four_rows = (0..64).all(|n| is_outer(n) == (dump.0[n] != FieldCode::Empty));
    four_rows.then_some(LogEvent::FourRows)
}
