//! What the squares showed, and for how long.

use super::placement::Reading;
use crate::time::Mono;
use shakmaty::{Piece, Square};
use std::collections::VecDeque;
use std::time::Duration;

/// What is remembered: more than hands do in the few plies that are open to revision.
const SPANS_MAX: usize = 128;

/// What is read this soon after something else was there before.
const AT_ONCE: Duration = Duration::from_millis(20);

/// A square showed one reading for a time.
#[derive(Copy, Clone, Debug)]
struct Span {
    sq: Square,
    reading: Reading,
    from: Mono,
    until: Mono,
}

/// The last readings of all squares, newest last.
#[derive(Clone, Debug, Default)]
pub struct History {
    spans: VecDeque<Span>,
}

impl History {
    /// `sq` showed `reading` from `from` until now.
    pub fn note(&mut self, from: Mono, now: Mono, sq: Square, reading: Reading) {
        if reading == Reading::Empty {
            return;
        }
        if self.spans.len() == SPANS_MAX {
            self.spans.pop_front();
        }
        self.spans.push_back(Span { sq, reading, from, until: now });
    }

    /// When `sq` last ceased to show `piece`, or something that may have been it.
    pub fn last_shown(&self, sq: Square, piece: Piece) -> Option<Mono> {
        self.of(sq, piece).map(|span| span.until).max()
    }

    /// How long `sq` showed `piece` since `since`, all in all, up to when it last ceased to.
    pub fn shown(&self, sq: Square, piece: Piece, since: Mono) -> Duration {
        self.of(sq, piece).map(|span| span.until.since(span.from.max(since))).sum()
    }

    /// The piece that `sq` showed until just before `at`, when it showed another reading.
    pub fn shown_before(&self, sq: Square, at: Mono) -> Option<Piece> {
        let span = self.spans.iter().rev().find(|span| span.sq == sq)?;
        match span.reading {
            Reading::Piece(piece) if at.since(span.until) <= AT_ONCE => Some(piece),
            _ => None,
        }
    }

    fn of(&self, sq: Square, piece: Piece) -> impl Iterator<Item = &Span> {
        self.spans.iter().filter(move |span| span.sq == sq && span.reading.may_be(piece))
    }
}
