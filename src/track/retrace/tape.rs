//! What a board and its clock have said since a position that stood on the board.

use crate::table::{Placement, Reading};
use crate::time::Mono;
use shakmaty::{Color, Piece, Square};

/// What is kept, at the most: what is said of some seventy half-moves of a scramble.
const ITEMS_MAX: usize = 1_024;
/// Readings of one square, at the most.
const SPANS_MAX: usize = 250;

/// So many presses tell how late the clock is, at the least.
const PRESSES_MIN: usize = 6;
/// How late it may be, in milliseconds, and in which steps that is looked for.
const LATE_MAX: i64 = 300;
const LATE_STEP: usize = 100;
/// A piece is read so long before the press of a clock that is not late, or so long after it: a
/// round.
const READ_BEFORE: i64 = 100;
const READ_AFTER: i64 = 200;

#[derive(Copy, Clone, Debug)]
enum TapeItem {
    Reads(Square, Reading),
    Pressed(Color),
}

/// The board at rest, as the record had it.
#[derive(Clone, Debug)]
pub struct RestingBoard {
    /// The moment at which it rested.
    pub at: Mono,
    /// The half-moves on record by then.
    pub n: usize,
    /// The readings of all squares.
    pub wood: Placement,
}

/// Everything that was said since the board stood at rest as the record had it, the time before
/// last: what a move was may come to light only when play goes on.
#[derive(Clone, Debug)]
pub struct PlayTape {
    began: RestingBoard,
    /// When it rested last, and how much had been said by then.
    last: Option<(RestingBoard, usize)>,
    items: Vec<(Mono, TapeItem)>,
}

impl PlayTape {
    /// Nothing since the board stood so.
    pub fn new(began: RestingBoard) -> Self {
        Self { began, last: None, items: Vec::new() }
    }

    /// How it begins.
    pub fn began(&self) -> &RestingBoard {
        &self.began
    }

    /// After how many half-moves on record the board rested last.
    pub fn n_rested(&self) -> usize {
        self.last.as_ref().map_or(self.began.n, |(rest, _)| rest.n)
    }

    /// The board rests again. What was said before it rested last is kept no more.
    pub fn rest(&mut self, now: RestingBoard) {
        if let Some((rest, n_said)) = self.last.take() {
            self.began = rest;
            self.items.drain(..n_said);
        }
        self.last = Some((now, self.items.len()));
    }

    /// The sensor of `sq` reads `reading` from `at` on.
    pub fn read(&mut self, at: Mono, sq: Square, reading: Reading) {
        self.items.push((at, TapeItem::Reads(sq, reading)));
    }

    /// `by` has pressed the clock.
    pub fn press(&mut self, at: Mono, by: Color) {
        self.items.push((at, TapeItem::Pressed(by)));
    }

    /// Whether more was said than is kept.
    pub fn is_full(&self) -> bool {
        self.items.len() >= ITEMS_MAX
    }

    /// All of it square by square. `None` where one has been read too often.
    pub(super) fn timeline(&self) -> Option<Timeline> {
        let first =
            |sq: Square| SquareSpan { reading: self.began.wood.get(sq), from: 0, until: i64::MAX };
        let mut spans: Vec<Vec<SquareSpan>> =
            Square::ALL.iter().map(|sq| vec![first(*sq)]).collect();
        let (late, mut last) = (self.clock_late(), self.began.wood.clone());
        let mut said = Vec::with_capacity(self.items.len());
        for (at, item) in &self.items {
            let ms = millis(self.began.at, *at);
            match *item {
                TapeItem::Pressed(by) => said.push((ms - late, TapeEvent::Pressed(by, *at))),
                TapeItem::Reads(sq, reading) => {
                    last.set(sq, reading);
                    let of_square = &mut spans[usize::from(sq)];
                    of_square.last_mut().expect("there is a first reading").until = ms;
                    of_square.push(SquareSpan { reading, from: ms, until: i64::MAX });
                    let idx = u8::try_from(of_square.len() - 1).ok()?;
                    said.push((ms, TapeEvent::Read(sq, idx)));
                }
            }
        }
        said.sort_by_key(|(ms, _)| *ms);
        let is_short = spans.iter().all(|of_square| of_square.len() <= SPANS_MAX);
        is_short.then_some(Timeline { spans, said, last, late })
    }
}

impl PlayTape {
    /// By how many milliseconds the clock's messages come late: by so much most presses lie behind
    /// a reading of a piece that the presser has put down.
    fn clock_late(&self) -> i64 {
        let mut near = Vec::new();
        let mut n_presses = 0;
        for (at, item) in &self.items {
            let TapeItem::Pressed(by) = *item else { continue };
            n_presses += 1;
            let behind = |(read, item): &(Mono, TapeItem)| match *item {
                TapeItem::Reads(_, reading) if reading.color() == Some(by) => {
                    Some(millis(self.began.at, *at) - millis(self.began.at, *read))
                }
                TapeItem::Reads(..) | TapeItem::Pressed(_) => None,
            };
            near.push(self.items.iter().filter_map(behind).collect::<Vec<i64>>());
        }
        if n_presses < PRESSES_MIN {
            return 0;
        }
        let n_near = |late: i64| {
            let is_near = |behind: &i64| (late - READ_AFTER..=late + READ_BEFORE).contains(behind);
            near.iter().filter(|all| all.iter().any(is_near)).count()
        };
        let all = (0..=LATE_MAX).step_by(LATE_STEP);
        all.max_by_key(|late| (n_near(*late), -late)).unwrap_or(0)
    }
}

/// From `since` to `at` in milliseconds.
pub(super) fn millis(since: Mono, at: Mono) -> i64 {
    i64::try_from(at.since(since).as_millis()).unwrap_or(i64::MAX)
}

/// A square showed one reading. Times are in milliseconds since the tape began.
#[derive(Copy, Clone, Debug)]
pub(super) struct SquareSpan {
    pub(super) reading: Reading,
    /// When it was read first.
    pub(super) from: i64,
    /// When another one was.
    pub(super) until: i64,
}

impl SquareSpan {
    pub(super) fn shows(&self, piece: Option<Piece>) -> bool {
        piece.map_or(self.reading == Reading::Empty, |piece| self.reading.may_be(piece))
    }
}

#[derive(Copy, Clone, Debug)]
pub(super) enum TapeEvent {
    /// This square began to show its reading of this number.
    Read(Square, u8),
    /// And when that was, to the microsecond.
    Pressed(Color, Mono),
}

/// A tape, square by square and in the order of time.
#[derive(Clone, Debug)]
pub(super) struct Timeline {
    spans: Vec<Vec<SquareSpan>>,
    pub(super) said: Vec<(i64, TapeEvent)>,
    /// What the board shows in the end.
    pub(super) last: Placement,
    /// By how many milliseconds the clock was late; presses stand here when they were made.
    pub(super) late: i64,
}

impl Timeline {
    /// Reading number `idx` of `sq`.
    pub(super) fn span(&self, sq: Square, idx: u8) -> SquareSpan {
        self.spans[usize::from(sq)][usize::from(idx)]
    }

    /// The readings of `sq` after number `idx`, with their numbers.
    pub(super) fn after(&self, sq: Square, idx: u8) -> impl Iterator<Item = (u8, SquareSpan)> + '_ {
        let of_square = self.spans[usize::from(sq)].iter().zip(0u8..);
        of_square.skip(usize::from(idx) + 1).map(|(span, idx)| (idx, *span))
    }
}
