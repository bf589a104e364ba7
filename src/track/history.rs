//! What the squares showed, and for how long.

use crate::table::Reading;
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
struct Showing {
    sq: Square,
    reading: Reading,
    from: Mono,
    until: Mono,
}

impl Showing {
    fn is_flicker(&self) -> bool {
        self.until.since(self.from) < FLICKER
    }
}

/// The last readings of all squares, newest last.
#[derive(Clone, Debug, Default)]
pub struct ReadingHistory {
    spans: VecDeque<Showing>,
}

impl ReadingHistory {
    /// `sq` showed `reading` from `from` until now.
    pub fn note(&mut self, from: Mono, now: Mono, sq: Square, reading: Reading) {
        if reading == Reading::Empty {
            return;
        }
        if self.spans.len() == SPANS_MAX {
            self.spans.pop_front();
        }
        self.spans.push_back(Showing { sq, reading, from, until: now });
    }

    /// When `sq` last ceased to show `piece`, or something that may have been it.
    pub fn last_shown(&self, sq: Square, piece: Piece) -> Option<Mono> {
        self.of(sq, piece).next_back().map(|span| span.until)
    }

    /// When `sq` first came to show `piece`, or something that may have been it, of what ceased to
    /// show there after `since`.
    pub fn first_shown(&self, sq: Square, piece: Piece, since: Mono) -> Option<Mono> {
        self.of(sq, piece).find(|span| span.until > since).map(|span| span.from)
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

    fn of(&self, sq: Square, piece: Piece) -> impl DoubleEndedIterator<Item = &Showing> {
        self.spans.iter().filter(move |span| span.sq == sq && span.reading.may_be(piece))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNIGHT: Piece = Color::White.knight();
    const F3: Square = Square::F3;
    const TICK: Duration = Duration::from_micros(1);

    const fn at(ms: u64) -> Mono {
        Mono::from_millis(ms)
    }

    /// Squares that showed a knight, each from a moment until another one.
    fn knight(stays: &[(Square, Mono, Mono)]) -> ReadingHistory {
        let mut history = ReadingHistory::default();
        for (sq, from, until) in stays {
            history.note(*from, *until, *sq, Reading::Piece(KNIGHT));
        }
        history
    }

    #[test]
    fn what_is_read_for_eight_milliseconds_is_a_stay() {
        for (stay, rested) in [(FLICKER - TICK, Duration::ZERO), (FLICKER, FLICKER)] {
            let history = knight(&[(F3, at(1_000), at(1_000) + stay)]);
            assert_eq!(history.rested(F3, KNIGHT, at(0)), rested);
        }
    }

    #[test]
    fn a_stay_counts_from_when_it_is_asked_for_and_not_beyond_another_square() {
        let stays = [(F3, at(1_000), at(1_400)), (F3, at(1_500), at(1_800))];
        let rested =
            |history: &ReadingHistory, since| history.rested(F3, KNIGHT, at(since)).as_millis();
        let history = knight(&stays);
        for (since, ms) in [(0, 700), (1_000, 700), (1_300, 400), (1_400, 300), (1_800, 0)] {
            assert_eq!(rested(&history, since), ms, "since {since}");
        }
        // Seen elsewhere in between it came anew; before or after that says nothing.
        for (seen, ms) in [(1_399, 700), (1_400, 300), (1_500, 300), (1_501, 700)] {
            let all = [stays[0], (Square::G5, at(seen), at(seen + 10)), stays[1]];
            assert_eq!(rested(&knight(&all), 0), ms, "seen at {seen}");
        }
    }

    #[test]
    fn a_piece_wobbles_for_a_moment_and_came_before_that() {
        for (gap, came) in [(WOBBLE, at(1_000)), (WOBBLE + TICK, at(1_400) + WOBBLE + TICK)] {
            let history = knight(&[(F3, at(1_000), at(1_400))]);
            assert_eq!(history.came(F3, KNIGHT, at(1_400) + gap), came);
        }
        let elsewhere = knight(&[(F3, at(1_000), at(1_400)), (Square::G5, at(1_420), at(1_440))]);
        assert_eq!(elsewhere.came(F3, KNIGHT, at(1_450)), at(1_450));
    }

    #[test]
    fn what_hid_a_piece_was_there_until_just_before() {
        let history = knight(&[(F3, at(1_000), at(1_400))]);
        assert_eq!(history.shown_before(F3, at(1_400) + AT_ONCE), Some(KNIGHT));
        assert_eq!(history.shown_before(F3, at(1_400) + AT_ONCE + TICK), None);
        assert_eq!(history.shown_before(Square::G5, at(1_400)), None);
    }

    #[test]
    fn a_square_shows_a_piece_from_when_it_came_until_it_left() {
        let history = knight(&[(F3, at(1_000), at(1_400))]);
        for (ms, is_shown) in [(999, false), (1_000, true), (1_399, true), (1_400, false)] {
            assert_eq!(history.showed_at(F3, KNIGHT, at(ms)), is_shown, "at {ms}");
        }
        for (since, has_left) in [(1_399, true), (1_400, false)] {
            assert_eq!(history.has_left(Color::White, at(since)), has_left, "since {since}");
            assert!(!history.has_left(Color::Black, at(since)));
        }
        for (since, n) in [(1_000, 1), (1_001, 0)] {
            assert_eq!(history.sightings(KNIGHT, at(since)).count(), n, "since {since}");
        }
        assert_eq!(history.last_shown(F3, KNIGHT), Some(at(1_400)));
    }

    #[test]
    fn nothing_is_remembered_of_an_empty_square_or_beyond_the_last_stays() {
        let mut history = ReadingHistory::default();
        history.note(at(1), at(2), F3, Reading::Empty);
        assert!(history.spans.is_empty());
        for n in 0..=SPANS_MAX as u64 {
            history.note(at(n), at(n + 1), F3, Reading::Something);
        }
        assert_eq!((history.spans.len(), history.spans[0].from), (SPANS_MAX, at(1)));
    }
}
