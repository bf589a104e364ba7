//! What the squares showed, and for how long.

use super::placement::Reading;
use crate::time::Mono;
use shakmaty::{Color, Piece, Square};
use std::collections::VecDeque;
use std::time::Duration;

/// What is remembered: more than hands do in the few plies that are open to revision.
const SPANS_MAX: usize = 128;

/// What is read this soon after something else was there before.
const AT_ONCE: Duration = Duration::from_millis(20);

/// A piece that is not yet still is not seen for this long.
const WOBBLE: Duration = Duration::from_millis(120);

/// What is read for less than this is no stay: a sensor let go of what had been there.
const FLICKER: Duration = Duration::from_millis(8);

/// A square showed one reading for a time.
#[derive(Copy, Clone, Debug)]
struct Span {
    sq: Square,
    reading: Reading,
    from: Mono,
    until: Mono,
}

impl Span {
    fn is_flicker(&self) -> bool {
        self.until.since(self.from) < FLICKER
    }
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
        self.of(sq, piece).next_back().map(|span| span.until)
    }

    /// How long `sq` showed `piece` since `since`, all in all, up to when it last ceased to and
    /// from when it last came there from a square on which its name was seen.
    pub fn rested(&self, sq: Square, piece: Piece, since: Mono) -> Duration {
        let (mut rested, mut came) = (Duration::ZERO, None);
        let stays = self.of(sq, piece).rev().filter(|span| !span.is_flicker());
        for span in stays.take_while(|span| span.until > since) {
            let mut elsewhere = self.sightings(piece, span.until).filter(|(other, _)| *other != sq);
            if came.is_some_and(|came| elsewhere.any(|(_, at)| at <= came)) {
                break;
            }
            rested += span.until.since(span.from.max(since));
            came = Some(span.from);
        }
        rested
    }

    /// When `piece`, which came to `sq` at `at`, came there first: it may have wobbled since, but
    /// was not seen elsewhere, where its name is seen.
    pub fn came(&self, sq: Square, piece: Piece, at: Mono) -> Mono {
        let mut came = at;
        for span in self.of(sq, piece).rev() {
            let mut elsewhere = self.sightings(piece, span.until).filter(|(other, _)| *other != sq);
            if came.since(span.until) > WOBBLE || elsewhere.any(|(_, at)| at <= came) {
                break;
            }
            came = span.from;
        }
        came
    }

    /// Where `piece`, by its name, was seen to come to since `since`, and when; where it still is
    /// is left out.
    pub fn sightings(
        &self,
        piece: Piece,
        since: Mono,
    ) -> impl Iterator<Item = (Square, Mono)> + '_ {
        let of_piece = self.spans.iter().filter(move |span| span.reading == Reading::Piece(piece));
        of_piece.filter(move |span| span.from >= since).map(|span| (span.sq, span.from))
    }

    /// Whether a square has ceased to show a piece of `color`, or one without a name, since then.
    pub fn has_left(&self, color: Color, since: Mono) -> bool {
        let is_his = |reading| match reading {
            Reading::Piece(piece) => piece.color == color,
            Reading::Colored(known) => known == color,
            Reading::Something => true,
            Reading::Empty => false,
        };
        self.spans.iter().any(|span| span.until > since && is_his(span.reading))
    }

    /// Whether `sq` showed `piece` at `at`; not, if it still does.
    pub fn showed_at(&self, sq: Square, piece: Piece, at: Mono) -> bool {
        self.of(sq, piece).any(|span| span.from <= at && at < span.until)
    }

    /// The piece that `sq` showed until just before `at`, when it showed another reading.
    pub fn shown_before(&self, sq: Square, at: Mono) -> Option<Piece> {
        let span = self.spans.iter().rev().find(|span| span.sq == sq)?;
        match span.reading {
            Reading::Piece(piece) if at.since(span.until) <= AT_ONCE => Some(piece),
            _ => None,
        }
    }

    fn of(&self, sq: Square, piece: Piece) -> impl DoubleEndedIterator<Item = &Span> {
        self.spans.iter().filter(move |span| span.sq == sq && span.reading.may_be(piece))
    }
}
