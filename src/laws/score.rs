//! Scores, as sheets and orders write them: `1-0`, `1/2-1/2`, `0-1/2`, `*`.

use super::name::UnknownName;
use shakmaty::{ByColor, Color, KnownOutcome};
use std::fmt;
use std::str::FromStr;

/// What both players score, in half points; or that the game has no result.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Score {
    /// Half points, 0 to 2 each. All editions: Art. 11 (from 2018: Art. 10).
    Halves(ByColor<u8>),
    /// None: the game was annulled.
    Open,
}

impl Score {
    /// The usual scores and the unusual ones that an arbiter may declare.
    const KNOWN: [&'static str; 8] = ["1-0", "0-1", "1/2-1/2", "0-0", "0-1/2", "1/2-0", "1-1", "*"];
    /// A draw.
    pub const DRAW: Self = Self::Halves(ByColor { white: 1, black: 1 });
    /// Both lose. All editions: Art. 12.9 (from 2018: Art. 11.8).
    pub const NOBODY: Self = Self::Halves(ByColor { white: 0, black: 0 });

    /// The score of a game that `winner` won.
    pub const fn win(winner: Color) -> Self {
        match winner {
            Color::White => Self::Halves(ByColor { white: 2, black: 0 }),
            Color::Black => Self::Halves(ByColor { white: 0, black: 2 }),
        }
    }

    /// The loser scores nothing, the other as for a draw. 2009: Art. 12.3b.
    pub const fn loss_without_win(loser: Color) -> Self {
        match loser {
            Color::White => Self::Halves(ByColor { white: 0, black: 1 }),
            Color::Black => Self::Halves(ByColor { white: 1, black: 0 }),
        }
    }

    /// The half points of `color`; 0 without a result.
    pub const fn of(self, color: Color) -> u8 {
        match (self, color) {
            (Self::Halves(halves), Color::White) => halves.white,
            (Self::Halves(halves), Color::Black) => halves.black,
            (Self::Open, _) => 0,
        }
    }

    /// The outcome for programs that know only won, drawn and lost.
    pub const fn outcome(self) -> Option<KnownOutcome> {
        match self {
            Self::Halves(ByColor { white: 2, black: 0 }) => {
                Some(KnownOutcome::Decisive { winner: Color::White })
            }
            Self::Halves(ByColor { white: 0, black: 2 }) => {
                Some(KnownOutcome::Decisive { winner: Color::Black })
            }
            Self::Halves(ByColor { white: 1, black: 1 }) => Some(KnownOutcome::Draw),
            Self::Halves(_) | Self::Open => None,
        }
    }
}

impl From<KnownOutcome> for Score {
    fn from(outcome: KnownOutcome) -> Self {
        outcome.winner().map_or(Self::DRAW, Self::win)
    }
}

/// Half points as they are written: `0`, `1/2`, `1`.
pub fn halves(n: u8) -> &'static str {
    match n {
        0 => "0",
        1 => "1/2",
        _ => "1",
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Halves(of) => write!(f, "{}-{}", halves(of.white), halves(of.black)),
            Self::Open => f.write_str("*"),
        }
    }
}

impl FromStr for Score {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let wrong = || UnknownName::new("score", text, &Self::KNOWN);
        if text == "*" {
            return Ok(Self::Open);
        }
        let points = |word: &str| match word {
            "0" => Ok(0),
            "1/2" | "½" => Ok(1),
            "1" => Ok(2),
            _ => Err(wrong()),
        };
        let (white, black) = text.split_once('-').ok_or_else(wrong)?;
        Ok(Self::Halves(ByColor { white: points(white)?, black: points(black)? }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_read_as_they_are_written() {
        for word in Score::KNOWN {
            assert_eq!(word.parse::<Score>().unwrap().to_string(), word);
        }
        let error = "1-2".parse::<Score>().unwrap_err();
        assert_eq!(error.nearest, Some("1-0"));
    }
}
