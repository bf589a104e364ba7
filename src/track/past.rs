//! What the board showed whenever it rested or a clock was pressed: enough to look again, with
//! hindsight, at what was played since a position that nobody disputes.

use super::retrace::{PlayTape, RestingBoard};
use crate::table::{Placement, Reading};
use crate::time::Mono;
use shakmaty::{Bitboard, Board, Color, Square};
use std::collections::VecDeque;
use std::time::Duration;

/// Pictures that are kept, at the most: some 25 to 40 half-moves of play with a clock.
pub const PAST_MAX: usize = 96;
/// What the board showed exactly at so many presses, the players have seen as well. Decision 139.
pub const PRESSED_ON: usize = 3;
/// A board that has been still for so long rested.
const RESTED: Duration = Duration::from_millis(300);

/// What the board showed at one moment.
#[derive(Clone, Debug)]
pub struct Snap {
    /// When: at the press, or when the board came to rest.
    pub at: Mono,
    /// What was seen.
    pub seen: Placement,
    /// The squares that have changed since the snap before.
    pub stirred: Bitboard,
    /// When the first of them did; as [`Self::at`] if none has.
    pub began: Mono,
    /// Who pressed the clock, if anybody did.
    pub press: Option<Color>,
    /// After how many half-moves the game stood exactly so, as it was believed then.
    pub n_plies: Option<usize>,
    /// What was seen within a round of the scan after a press: it may have stood at the press.
    pub soon: Vec<(Square, Reading)>,
}

impl Snap {
    /// The squares on which it contradicts `board`.
    pub fn differs(&self, board: &Board) -> Bitboard {
        let may_be = |reading: Reading, sq: Square| {
            board.piece_at(sq).map_or(reading == Reading::Empty, |piece| reading.may_be(piece))
        };
        let right = self.soon.iter().filter(|(sq, reading)| may_be(*reading, *sq));
        self.seen.differs(board) & !right.map(|(sq, _)| *sq).collect::<Bitboard>()
    }
}

/// The last snaps of one game, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Past {
    snaps: VecDeque<Snap>,
    stirred: Bitboard,
    began: Option<Mono>,
    last_change: Mono,
    agreed: Mono,
    /// All that was said since the board rested on a position of the record.
    tape: Option<PlayTape>,
}

impl Past {
    /// The sensor of `sq` changes to `reading` at `at`; until now the board showed `seen`, which
    /// was the position after `n_plies` if it was one. It looks at each square once in a `round`.
    pub fn stir(
        &mut self,
        (at, sq, reading): (Mono, Square, Reading),
        round: Duration,
        seen: &Placement,
        n_plies: Option<usize>,
    ) {
        let presses = self.snaps.iter_mut().rev().take_while(|snap| at < snap.at + round);
        presses.filter(|snap| snap.press.is_some()).for_each(|snap| snap.soon.push((sq, reading)));
        if n_plies.is_some() {
            self.agreed = at;
        }
        if at.since(self.last_change) >= RESTED {
            self.rest(seen, n_plies);
            self.begin_tape(seen, n_plies);
        }
        self.tell(|tape| tape.read(at, sq, reading));
        self.stirred.add(sq);
        self.began.get_or_insert(at);
        self.last_change = at;
    }

    /// The board has come to rest and shows `seen`.
    pub fn rest(&mut self, seen: &Placement, n_plies: Option<usize>) {
        if self.stirred.any() || self.snaps.is_empty() {
            self.push(self.last_change, seen, None, n_plies);
        } else if let Some(last) = self.snaps.back_mut() {
            last.n_plies = last.n_plies.or(n_plies);
        }
    }

    /// `by` presses the clock while the board shows `seen`.
    pub fn press(&mut self, at: Mono, by: Color, seen: &Placement, n_plies: Option<usize>) {
        if n_plies.is_some() {
            self.agreed = at;
        }
        self.tell(|tape| tape.press(at, by));
        self.push(at, seen, Some(by), n_plies);
    }

    fn begin_tape(&mut self, seen: &Placement, n_plies: Option<usize>) {
        if let Some(n) = n_plies.filter(|_| self.tape.is_none()) {
            let rest = RestingBoard { at: self.last_change, n, wood: seen.clone() };
            self.tape = Some(PlayTape::new(rest));
        }
    }

    fn tell(&mut self, what: impl FnOnce(&mut PlayTape)) {
        self.tape = self.tape.take().filter(|tape| !tape.is_full());
        self.tape.as_mut().map(what);
    }

    /// All that was said since the board rested on a position of the record, if that is known.
    /// It is kept no more.
    pub fn take_tape(&mut self) -> Option<PlayTape> {
        self.tape.take()
    }

    /// Keeps what is said from now on with what was said before.
    pub fn set_tape(&mut self, tape: Option<PlayTape>) {
        self.tape = tape;
    }

    /// Nothing is known of what came before.
    pub fn forget(&mut self) {
        *self = Self { last_change: self.last_change, ..Self::default() };
    }

    /// Until when the board showed a position of the game, as was believed then.
    pub fn agreed(&self) -> Mono {
        self.agreed
    }

    /// Whether anybody has pressed a clock.
    pub fn has_presses(&self) -> bool {
        self.snaps.iter().any(|snap| snap.press.is_some())
    }

    /// All snaps.
    pub fn snaps(&mut self) -> &[Snap] {
        self.snaps.make_contiguous()
    }

    /// All snaps, oldest first.
    pub fn all(&self) -> impl Iterator<Item = &Snap> {
        self.snaps.iter()
    }

    /// What the board showed at each press.
    pub fn at_presses(&self) -> impl Iterator<Item = &Snap> {
        self.snaps.iter().filter(|snap| snap.press.is_some())
    }

    fn push(&mut self, at: Mono, seen: &Placement, press: Option<Color>, n_plies: Option<usize>) {
        if self.snaps.len() == PAST_MAX {
            self.snaps.pop_front();
        }
        let stirred = std::mem::take(&mut self.stirred);
        let began = self.began.take().unwrap_or(at);
        self.snaps.push_back(Snap {
            at,
            seen: seen.clone(),
            stirred,
            began,
            press,
            n_plies,
            soon: Vec::new(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(ms: u64) -> Mono {
        Mono::from_millis(ms)
    }

    /// The pictures that are kept of two squares that stir, the second so long after the first.
    fn snaps(later: Duration) -> Vec<Snap> {
        let (mut past, seen) = (Past::default(), Placement::from(Board::new()));
        past.rest(&seen, Some(0));
        past.stir((at(1_000), Square::E2, Reading::Empty), Duration::ZERO, &seen, None);
        past.stir((at(1_000) + later, Square::E4, Reading::Empty), Duration::ZERO, &seen, None);
        past.rest(&seen, None);
        past.snaps().to_vec()
    }

    #[test]
    fn a_board_that_was_still_for_a_while_rested() {
        let (e2, e4) = (Bitboard::from(Square::E2), Bitboard::from(Square::E4));
        let quick = RESTED - Duration::from_micros(1);
        let stirred = |later| snaps(later).iter().map(|snap| snap.stirred).collect::<Vec<_>>();
        assert_eq!(stirred(quick), [Bitboard::EMPTY, e2 | e4]);
        assert_eq!(stirred(RESTED), [Bitboard::EMPTY, e2, e4]);
        let last = snaps(RESTED).pop().unwrap();
        assert_eq!((last.began, last.at), (at(1_000) + RESTED, at(1_000) + RESTED));
        let both = snaps(quick).pop().unwrap();
        assert_eq!((both.began, both.at), (at(1_000), at(1_000) + quick));
    }

    #[test]
    fn what_is_read_within_a_round_after_a_press_may_have_stood_then() {
        let (start, mut board) = (Board::default(), Board::default());
        let pawn = board.remove_piece_at(Square::E2).unwrap();
        board.set_piece_at(Square::E4, pawn);
        let differs = |ms: u64, press: bool| {
            let (mut past, seen, round) =
                (Past::default(), start.clone().into(), Duration::from_millis(250));
            match press {
                true => past.press(at(1_000), Color::White, &seen, None),
                false => past.rest(&seen, None),
            }
            past.stir((at(1_000 + ms), Square::E2, Reading::Empty), round, &seen, None);
            past.stir((at(1_000 + ms), Square::E4, Reading::Piece(pawn)), round, &seen, None);
            (past.snaps()[0].differs(&start), past.snaps()[0].differs(&board))
        };
        let both = Bitboard::from(Square::E2) | Bitboard::from(Square::E4);
        assert_eq!(differs(249, true), (Bitboard::EMPTY, Bitboard::EMPTY));
        assert_eq!(differs(250, true), (Bitboard::EMPTY, both));
        assert_eq!(differs(249, false), (Bitboard::EMPTY, both));
    }

    #[test]
    fn a_picture_learns_later_what_stood_then_and_the_oldest_goes() {
        let (mut past, seen) = (Past::default(), Placement::from(Board::new()));
        past.rest(&seen, None);
        past.rest(&seen, Some(7));
        past.rest(&seen, Some(8));
        assert_eq!(past.snaps().iter().map(|snap| snap.n_plies).collect::<Vec<_>>(), [Some(7)]);
        assert!(!past.has_presses() && past.agreed() == at(0));
        for n in 1..=PAST_MAX as u64 {
            past.press(at(n), Color::White, &seen, (n == 5).then_some(1));
        }
        assert_eq!((past.snaps().len(), past.snaps()[0].at), (PAST_MAX, at(1)));
        assert!(past.has_presses() && past.agreed() == at(5));
        assert_eq!(past.at_presses().count(), PAST_MAX);
        past.stir((at(900), Square::E2, Reading::Empty), Duration::ZERO, &seen, Some(2));
        assert_eq!(past.agreed(), at(900));
    }
}
