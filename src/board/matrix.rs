//! A matrix of switches under the squares: which input belongs to which square, and when a contact
//! that bounces is believed.

use crate::table::{Placement, Reading};
use crate::time::Mono;
use shakmaty::{Bitboard, Square};
use std::fmt;
use std::time::Duration;

/// Squares of a group: the inputs of one chip, of one port, or of one row.
const IN_GROUP: usize = 8;
/// Groups of a board.
const N_GROUPS: usize = 8;

/// Which square each input belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wiring([Square; 64]);

/// Why a list of inputs is no wiring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WiringError {
    /// There are not eight groups.
    Groups(usize),
    /// A group does not name eight squares.
    InGroup {
        /// Which group, from 1.
        group: usize,
        /// How many it names.
        n: usize,
    },
    /// No square is called so.
    NoSquare(String),
    /// A square is named twice, and so another one never.
    Twice(Square),
}

impl fmt::Display for WiringError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Groups(n) => write!(f, "there are {n} groups of inputs; a board has eight"),
            Self::InGroup { group, n } => {
                write!(f, "group {group} names {n} squares; each has eight, with blanks between")
            }
            Self::NoSquare(word) => {
                write!(f, "{word:?} is not a square; write squares as in \"e4\"")
            }
            Self::Twice(sq) => write!(f, "{sq} is named twice; each square has one input"),
        }
    }
}

impl std::error::Error for WiringError {}

impl Default for Wiring {
    /// A group for each rank from the first on, and in it the files from a to h.
    fn default() -> Self {
        let mut squares = [Square::A1; 64];
        for sq in Square::ALL {
            let (group, input) = (usize::from(sq.rank()), usize::from(sq.file()));
            squares[group * IN_GROUP + input] = sq;
        }
        Self(squares)
    }
}

impl Wiring {
    /// Reads eight groups of eight squares each.
    ///
    /// ```
    /// use rokade::board::Wiring;
    /// let usual = Wiring::default();
    /// assert_eq!(Wiring::parse(&usual.groups()), Ok(usual));
    /// ```
    ///
    /// # Errors
    /// A square is missing, or there is none of that name.
    pub fn parse<S: AsRef<str>>(groups: &[S]) -> Result<Self, WiringError> {
        if groups.len() != N_GROUPS {
            return Err(WiringError::Groups(groups.len()));
        }
        let mut squares = [Square::A1; 64];
        let mut named = Bitboard::EMPTY;
        for (idx, group) in groups.iter().enumerate() {
            let words: Vec<&str> = group.as_ref().split_whitespace().collect();
            if words.len() != IN_GROUP {
                return Err(WiringError::InGroup { group: idx + 1, n: words.len() });
            }
            for (input, word) in words.into_iter().enumerate() {
                let no_square = |_| WiringError::NoSquare(word.to_owned());
                let sq: Square = word.parse().map_err(no_square)?;
                if named.contains(sq) {
                    return Err(WiringError::Twice(sq));
                }
                named.add(sq);
                squares[idx * IN_GROUP + input] = sq;
            }
        }
        Ok(Self(squares))
    }

    /// The groups, as [`Wiring::parse`] reads them.
    pub fn groups(&self) -> Vec<String> {
        let words = |group: &[Square]| group.iter().map(Square::to_string).collect::<Vec<_>>();
        self.0.chunks(IN_GROUP).map(|group| words(group).join(" ")).collect()
    }

    /// The square of an input. Bit `8 * group + input` of a scan is its reading.
    pub fn square(&self, input: usize) -> Square {
        self.0[input]
    }

    /// The squares whose inputs are set in a scan.
    pub fn squares(&self, scan: u64) -> Bitboard {
        let is_set = |input: &usize| scan >> input & 1 == 1;
        (0..self.0.len()).filter(is_set).map(|input| self.0[input]).collect()
    }

    /// The wiring in which each square has the input that was found for it, where one was. What is
    /// left of squares and inputs goes together in the order of the groups.
    pub fn of_inputs(found: &[Option<Square>; 64]) -> Self {
        let taken: Bitboard = found.iter().flatten().copied().collect();
        let mut free = Self::default().0.into_iter().filter(|sq| !taken.contains(*sq));
        let mut next = || free.next().expect("as many squares are left as inputs");
        Self(found.map(|sq| sq.unwrap_or_else(&mut next)))
    }
}

/// Believes of each square what it has read for a while.
#[derive(Clone, Debug)]
pub struct Debounce {
    wait: Duration,
    /// When the first scan came.
    began: Option<Mono>,
    /// What is believed, once the first scans have been.
    known: Option<Placement>,
    /// What was read last, and since when.
    seen: Placement,
    since: [Mono; 64],
}

impl Debounce {
    /// A change is believed after it has been read for so long.
    pub fn new(wait: Duration) -> Self {
        let (began, known, seen) = (None, None, Placement::empty());
        Self { wait, began, known, seen, since: [Mono::default(); 64] }
    }

    /// What is believed of the board. `None` before the first scans have been.
    pub fn known(&self) -> Option<&Placement> {
        self.known.as_ref()
    }

    /// Whether every square reads what is believed of it.
    pub fn is_still(&self) -> bool {
        self.known.as_ref() == Some(&self.seen)
    }

    /// This is what the squares read now. Returns those of which something else is believed from
    /// now on; none with the first picture, which is whole.
    pub fn scan(&mut self, now: Mono, seen: Placement) -> Bitboard {
        let began = *self.began.get_or_insert(now);
        for sq in seen.changes(&self.seen) {
            self.since[usize::from(sq)] = now;
        }
        self.seen = seen;
        let Some(known) = &mut self.known else {
            if now.since(began) >= self.wait {
                self.known = Some(self.seen.clone());
            }
            return Bitboard::EMPTY;
        };
        let is_old = |sq: &Square| now.since(self.since[usize::from(*sq)]) >= self.wait;
        let changed: Bitboard = self.seen.changes(known).into_iter().filter(is_old).collect();
        for sq in changed {
            known.set(sq, self.seen.get(sq));
        }
        changed
    }
}

/// What is read of a board on which these squares are occupied.
pub fn placement_of(occupied: Bitboard) -> Placement {
    let mut placement = Placement::empty();
    for sq in occupied {
        placement.set(sq, Reading::Something);
    }
    placement
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scans of two squares, a1 and b1, and what is believed after each. Times in milliseconds.
    const TABLE: &str = "
        # what                           scans                    believed
        a contact that closes cleanly  | 0:-- 20:-- 25:a- 40:a- 45:a-     | ?? -- -- -- a-
        a bounce is not believed       | 0:-- 20:-- 25:a- 30:-- 60:--     | ?? -- -- -- --
        each bounce begins anew        | 0:-- 20:-- 25:a- 30:-- 35:a- 55:a- | ?? -- -- -- -- a-
        squares wait each for itself   | 0:-- 20:-- 25:a- 35:ab 45:ab 55:ab | ?? -- -- -- a- ab
        a late scan is late by itself  | 0:-- 20:-- 25:a- 300:a-          | ?? -- -- a-
        what came and went unscanned   | 0:-- 20:-- 25:a- 300:-- 330:--   | ?? -- -- -- --
        the first picture is whole     | 0:ab 10:ab 20:ab 25:-b 45:-b     | ?? ?? ab ab -b
        one that rests at last         | 0:a- 20:a- 25:-- 30:a- 35:-- 60:-- | ?? a- a- a- a- --
    ";

    fn squares(text: &str) -> Bitboard {
        let pair = [('a', Square::A1), ('b', Square::B1)];
        pair.into_iter().filter(|(c, _)| text.contains(*c)).map(|(_, sq)| sq).collect()
    }

    #[test]
    fn a_contact_is_believed_once_it_rests() {
        for row in TABLE.lines().filter(|line| line.contains('|')) {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            let mut debounce = Debounce::new(Duration::from_millis(20));
            let believed = cells[2].split_whitespace();
            for (scan, believed) in cells[1].split_whitespace().zip(believed) {
                let (ms, read) = scan.split_once(':').expect("a time and a reading");
                let before = debounce.known().cloned();
                let at = Mono::from_millis(ms.parse().expect("a time"));
                let changed = debounce.scan(at, placement_of(squares(read)));
                let expected = (believed != "??").then(|| placement_of(squares(believed)));
                assert_eq!(debounce.known(), expected.as_ref(), "{row} at {ms}");
                if let (Some(before), Some(after)) = (before, debounce.known()) {
                    assert_eq!(changed, before.changes(after), "{row} at {ms}");
                }
            }
        }
    }

    #[test]
    fn a_wiring_names_each_square_once() {
        let usual = Wiring::default();
        assert_eq!(usual.groups()[1], "a2 b2 c2 d2 e2 f2 g2 h2");
        assert_eq!(
            usual.squares(1 << 8 | 1 << 63),
            Bitboard::EMPTY.with(Square::A2).with(Square::H8)
        );
        let with = |from: &str, to: &str| {
            let groups = usual.groups().iter().map(|it| it.replace(from, to)).collect::<Vec<_>>();
            Wiring::parse(&groups).expect_err(to).to_string()
        };
        for (from, to, words) in [
            ("e4", "e5", "e5 is named twice"),
            ("e4", "e9", "\"e9\" is not a square"),
            ("e4", "", "group 4 names 7"),
        ] {
            assert!(with(from, to).contains(words), "{}", with(from, to));
        }
        let few = Wiring::parse(&usual.groups()[1..]).expect_err("seven");
        assert!(few.to_string().contains("7 groups"), "{few}");
    }

    #[test]
    fn a_wiring_is_made_of_what_was_found() {
        let mut found = [None; 64];
        assert_eq!(Wiring::of_inputs(&found), Wiring::default());
        (found[0], found[1]) = (Some(Square::H8), Some(Square::A1));
        let wiring = Wiring::of_inputs(&found);
        assert_eq!((wiring.square(0), wiring.square(1)), (Square::H8, Square::A1));
        assert_eq!(Wiring::parse(&wiring.groups()), Ok(wiring));
    }
}
