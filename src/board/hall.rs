//! Linear hall sensors below the squares, which tell a piece's color by the pole of its magnet:
//! what was learned of each of them, and what follows from what they show.
//!
//! Values are those of a converter of ten bits. A sensor shows about half of them where no magnet
//! is, more for one pole and less for the other, and drifts as it warms.

use shakmaty::{ByColor, Color, Square};
use std::fmt;

/// A magnet is seen, while a board is learned, that moves a value by so much.
pub const SEEN: u16 = 20;
/// Outside of these a sensor is dead, has no supply, or its wire is off.
pub const RAILS: (u16, u16) = (40, 983);
/// What a value must be beyond is this part of what a piece has moved it by.
const THRESHOLD: i32 = 2;
/// A piece is gone when its value has come back to this part of its threshold, in quarters.
const BACK_QUARTERS: i32 = 3;
/// A sensor's drift is followed in parts of a step.
const FINE: i32 = 1 << 12;
/// It is followed this slowly: at 50 scans in a second within some 40 s.
const SLOWNESS: i32 = 1 << 11;
/// And no further than to this part of the nearer threshold.
const DRIFT_PART: i32 = 2;

/// What was learned of one sensor that works.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct HallLevels {
    /// What it shows with no piece there.
    pub empty: u16,
    /// Beyond this stands a piece of this color, on one side of `empty` each.
    pub beyond: ByColor<u16>,
}

impl HallLevels {
    /// What follows from the values with no piece there, and with one of each color in its middle.
    /// `None` if both move it to the same side, or too little.
    pub fn learned(empty: u16, stands: ByColor<u16>) -> Option<Self> {
        let by = stands.map(|value| i32::from(value) - i32::from(empty));
        let is_clear = |color: Color| by.get(color).unsigned_abs() >= SEEN.into();
        if !is_clear(Color::White) || !is_clear(Color::Black) || (by.white > 0) == (by.black > 0) {
            return None;
        }
        let half = |by: i32| u16::try_from(i32::from(empty) + by / THRESHOLD).ok();
        Some(Self { empty, beyond: ByColor { white: half(by.white)?, black: half(by.black)? } })
    }

    /// How far the threshold of a color is from `empty`, and to which side.
    fn way(&self, color: Color) -> i32 {
        i32::from(*self.beyond.get(color)) - i32::from(self.empty)
    }
}

/// A square's place on the wires, and its sensor.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct HallSquare {
    /// The input: `16 * channel + place on its multiplexer`.
    pub input: usize,
    /// `None` of a sensor that shows nothing.
    pub levels: Option<HallLevels>,
}

/// What was learned of a board, as it is kept in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HallTable([HallSquare; 64]);

/// Why a text is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HallTableError {
    /// A line does not say what it should.
    Line(usize),
    /// A square is missing.
    Square(Square),
    /// An input is that of two squares.
    Input(usize),
    /// Both colors are to the same side of the empty square.
    Sides(Square),
}

impl fmt::Display for HallTableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(n) => write!(f, "line {n} is not a square with its input and three values"),
            Self::Square(sq) => write!(f, "{sq} is missing"),
            Self::Input(input) => write!(f, "input {input} belongs to two squares"),
            Self::Sides(sq) => write!(f, "on {sq} both colors read on the same side of empty"),
        }
    }
}

impl std::error::Error for HallTableError {}

impl HallTable {
    /// What was learned, for each square from a1 to h8.
    pub const fn new(squares: [HallSquare; 64]) -> Self {
        Self(squares)
    }

    /// Reads what [`HallTable`]'s `Display` has written.
    ///
    /// ```
    /// use rokade::board::hall::{HallSquare, HallTable};
    /// let dead = HallTable::new(std::array::from_fn(|input| HallSquare { input, levels: None }));
    /// assert_eq!(HallTable::parse(&dead.to_string()), Ok(dead));
    /// ```
    ///
    /// # Errors
    /// A line cannot be read, a square is missing, or an input stands twice.
    pub fn parse(text: &str) -> Result<Self, HallTableError> {
        let mut squares: [Option<HallSquare>; 64] = [None; 64];
        let mut taken = [false; 64];
        for (line, n) in text.lines().zip(1..) {
            let line = line.split('#').next().unwrap_or_default();
            let words: Vec<&str> = line.split_whitespace().collect();
            let Some((first, rest)) = words.split_first() else { continue };
            let sq: Square = first.parse().map_err(|_| HallTableError::Line(n))?;
            let square = parse_square(rest).ok_or(HallTableError::Line(n))?;
            if std::mem::replace(&mut taken[square.input], true) {
                return Err(HallTableError::Input(square.input));
            }
            let has_sides =
                |it: HallLevels| (it.way(Color::White) > 0) != (it.way(Color::Black) > 0);
            if !square.levels.is_none_or(has_sides) {
                return Err(HallTableError::Sides(sq));
            }
            if squares[usize::from(sq)].replace(square).is_some() {
                return Err(HallTableError::Square(sq));
            }
        }
        let missing = Square::ALL.into_iter().find(|sq| squares[usize::from(*sq)].is_none());
        if let Some(sq) = missing {
            return Err(HallTableError::Square(sq));
        }
        Ok(Self(squares.map(|it| it.expect("none is missing"))))
    }

    /// What was learned of a square.
    pub fn get(&self, sq: Square) -> HallSquare {
        self.0[usize::from(sq)]
    }

    /// The squares whose sensors show nothing.
    pub fn dead(&self) -> Vec<Square> {
        Square::ALL.into_iter().filter(|sq| self.get(*sq).levels.is_none()).collect()
    }
}

fn parse_square(words: &[&str]) -> Option<HallSquare> {
    let input = words.first()?.parse().ok().filter(|input| *input < 64)?;
    let value = |word: &str| word.parse().ok().filter(|it| *it <= crate::wire::mcp3008::MAX);
    let levels = match words[1..] {
        ["dead"] => None,
        [empty, white, black] => {
            let beyond = ByColor { white: value(white)?, black: value(black)? };
            Some(HallLevels { empty: value(empty)?, beyond })
        }
        _ => return None,
    };
    Some(HallSquare { input, levels })
}

impl fmt::Display for HallTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "# square, input, value when empty, thresholds of white and black")?;
        for sq in Square::ALL {
            let HallSquare { input, levels } = self.get(sq);
            match levels {
                Some(HallLevels { empty, beyond: ByColor { white, black } }) => {
                    writeln!(f, "{sq} {input} {empty} {white} {black}")?;
                }
                None => writeln!(f, "{sq} {input} dead")?,
            }
        }
        Ok(())
    }
}

/// What the values of all sensors say, one scan after the other.
#[derive(Clone, Debug)]
pub struct Halls {
    table: HallTable,
    /// The color that stands on each square.
    stands: [Option<Color>; 64],
    /// How far each sensor has drifted since it was learned, in parts of a step.
    drift: [i32; 64],
}

impl Halls {
    /// Sensors of which this was learned.
    pub const fn new(table: HallTable) -> Self {
        Self { table, stands: [None; 64], drift: [0; 64] }
    }

    /// These are the values of the inputs now. What stands on each square, from a1 to h8.
    pub fn judge(&mut self, values: &[u16; 64]) -> [Option<Color>; 64] {
        for sq in Square::ALL {
            let HallSquare { input, levels } = self.table.get(sq);
            let value = values[input];
            let is_told = (RAILS.0..=RAILS.1).contains(&value);
            let Some(levels) = levels.filter(|_| is_told) else {
                self.stands[usize::from(sq)] = None;
                continue;
            };
            let by = (i32::from(value) - i32::from(levels.empty)) * FINE;
            let (stood, drift) = (self.stands[usize::from(sq)], &mut self.drift[usize::from(sq)]);
            let stands = [Color::White, Color::Black].into_iter().find(|color| {
                let way = levels.way(*color) * FINE;
                let way = if stood == Some(*color) { way / 4 * BACK_QUARTERS } else { way };
                (by - *drift) * way.signum() >= way.abs()
            });
            if stands.is_none() {
                let ways = levels.beyond.as_ref().map(|it| it.abs_diff(levels.empty));
                let most = i32::from(ways.white.min(ways.black)) * FINE / DRIFT_PART;
                *drift = (*drift + (by - *drift) / SLOWNESS).clamp(-most, most);
            }
            self.stands[usize::from(sq)] = stands;
        }
        self.stands
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels() -> HallLevels {
        HallLevels::learned(510, ByColor { white: 590, black: 430 }).expect("clear")
    }

    fn table() -> HallTable {
        HallTable::new(std::array::from_fn(|sq| HallSquare {
            input: 63 - sq,
            levels: (sq != 9).then(levels),
        }))
    }

    fn of_a1(halls: &mut Halls, value: u16) -> Option<Color> {
        let mut values = [510; 64];
        values[63] = value;
        let stands = halls.judge(&values);
        assert_eq!(stands[1..].iter().flatten().count(), 0, "{value}");
        stands[0]
    }

    #[test]
    fn a_square_is_read_by_its_thresholds() {
        let mut halls = Halls::new(table());
        // Half of what a piece does brings it, and three quarters of that keep it.
        for (value, stands) in [
            (510, None),
            (548, None),
            (552, Some(Color::White)),
            (541, Some(Color::White)),
            (538, None),
            (468, Some(Color::Black)),
            (479, Some(Color::Black)),
            (483, None),
            (590, Some(Color::White)),
            (430, Some(Color::Black)),
            (0, None),
            (1023, None),
        ] {
            assert_eq!(of_a1(&mut halls, value), stands, "{value}");
        }
    }

    #[test]
    fn a_sensor_that_drifts_is_followed_so_far_and_no_further() {
        let mut halls = Halls::new(table());
        for step in 0..15_000 {
            assert_eq!(of_a1(&mut halls, 510 + step / 1_000), None);
        }
        assert_eq!(of_a1(&mut halls, 560), None, "it has drifted up");
        assert_eq!(of_a1(&mut halls, 566), Some(Color::White));
        assert_eq!(of_a1(&mut halls, 481), Some(Color::Black));
        // What stands there half beside its square never becomes an empty one.
        let mut halls = Halls::new(table());
        for _ in 0..60_000 {
            of_a1(&mut halls, 545);
        }
        assert_eq!(of_a1(&mut halls, 590), Some(Color::White));
        assert_eq!(of_a1(&mut halls, 430), Some(Color::Black));
    }

    #[test]
    fn what_was_learned_is_kept_as_text() {
        assert_eq!(HallTable::parse(&table().to_string()), Ok(table()));
        assert_eq!(table().dead(), [Square::B2]);
        let text = table().to_string();
        for (from, to, words) in [
            ("a1 63 510 550 470", "a1 63 510 550", "line 2 is not a square with its input"),
            ("a1 63 510 550 470", "a1 63 510 550 1470", "line 2 is not a square"),
            ("a1 63 510 550 470", "a1 64 510 550 470", "line 2 is not a square"),
            ("a1 63 510 550 470", "", "a1 is missing"),
            ("b1 62", "a1 62", "a1 is missing"),
            ("b1 62", "b1 63", "input 63 belongs to two squares"),
            ("a1 63 510 550 470", "a1 63 510 550 570", "on a1 both colors read on the same side"),
        ] {
            let why = HallTable::parse(&text.replacen(from, to, 1)).expect_err(to).to_string();
            assert!(why.contains(words), "{to}: {why}");
        }
    }

    #[test]
    fn only_what_is_clear_is_learned() {
        let learned = |white, black| HallLevels::learned(510, ByColor { white, black });
        assert_eq!(learned(590, 430), Some(levels()));
        assert_eq!(learned(430, 590).map(|it| it.beyond.white), Some(470));
        assert_eq!(learned(590, 580), None);
        assert_eq!(learned(590, 495), None);
    }
}
