//! What happened to the record itself. It is on record like everything else, so that whoever reads
//! the record later knows where it has a hole, and since when.

use super::delay::Delay;
use crate::time::Wall;
use std::fmt;

/// Something that the keeper of the record found out about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keeping {
    /// Lines that can be read tell something that cannot be. They were passed over, and what the
    /// others tell was taken up.
    Nonsense {
        /// The number of the first such line.
        first: u64,
        /// The number of the last.
        last: u64,
        /// How many there are.
        n: u64,
        /// What is wrong with the first.
        why: String,
    },
    /// Lines that once were safely on the disk cannot be read any more.
    Lost {
        /// The number of the first.
        first: u64,
        /// The number of the last.
        last: u64,
        /// The file in which they stood.
        file: String,
        /// Where in the file the damage begins, in bytes.
        offset: u64,
    },
    /// A line was damaged, and what it said is proven by the line behind it.
    Mended {
        /// The line's number.
        line: u64,
        /// The file in which it stands.
        file: String,
        /// Where in the file the damaged byte is.
        offset: u64,
    },
    /// The end of the record was unfinished and never confirmed to anyone. It was set aside.
    SetAside {
        /// The file from which it was cut.
        file: String,
        /// Where it was cut, in bytes.
        offset: u64,
        /// How many bytes there were.
        bytes: u64,
        /// The files that have them now.
        kept_as: Vec<String>,
    },
    /// Games were recorded before that are not on this record; the numbers go on behind them.
    GamesBefore {
        /// The number of those games.
        n: usize,
    },
    /// The record before this one was archived; this one goes on from its end.
    Archived {
        /// The number of the games up to there; those to come are numbered on.
        n: usize,
        /// Its last line and the hash of it, as `LINE:HASH`.
        noted: String,
    },
    /// From here on the public is as far behind the board as this. It is on record once it is
    /// otherwise than before, so that anybody can tell later who could have seen what.
    PublicDelay {
        /// The round in which it is; `None` where nothing is paired.
        round: Option<u16>,
        /// How far.
        delay: Delay,
    },
    /// No server has told this machine the time of day since it was started: unless it has a clock
    /// of its own, dates and times of the record may be wrong.
    WallUnknown,
    /// A server has told it.
    WallKnown,
    /// The time of day jumped: the clock was set, or nobody knew it before.
    WallJumped {
        /// The time that it would have been.
        from: Wall,
        /// The time that was set.
        to: Wall,
    },
}

impl Keeping {
    /// The code, which does not change between versions.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Nonsense { .. } => "RECORD_NONSENSE",
            Self::Lost { .. } => "RECORD_LOST",
            Self::Mended { .. } => "RECORD_MENDED",
            Self::SetAside { .. } => "RECORD_SET_ASIDE",
            Self::GamesBefore { .. } => "RECORD_GAMES_BEFORE",
            Self::Archived { .. } => "RECORD_ARCHIVED",
            Self::PublicDelay { .. } => "PUBLIC_DELAY",
            Self::WallUnknown => "WALL_CLOCK_UNKNOWN",
            Self::WallKnown => "WALL_CLOCK_KNOWN",
            Self::WallJumped { .. } => "WALL_CLOCK_JUMPED",
        }
    }

    /// Whether something that was once on record is missing, or not to be understood.
    pub const fn is_loss(&self) -> bool {
        matches!(self, Self::Nonsense { .. } | Self::Lost { .. })
    }
}

impl fmt::Display for Keeping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nonsense { first, n: 1, why, .. } => {
                write!(f, "line {first} cannot be followed: {why}")
            }
            Self::Nonsense { first, last, n, why } => write!(
                f,
                "{n} lines between {first} and {last} cannot be followed; the first: {why}"
            ),
            Self::Lost { first, last, file, offset } if first == last => {
                write!(f, "line {first} is damaged and cannot be read ({file} at byte {offset})")
            }
            Self::Lost { first, last, file, offset } => write!(
                f,
                "lines {first} to {last} are damaged and cannot be read ({file} at byte {offset})"
            ),
            Self::Mended { line, file, offset } => write!(
                f,
                "line {line} is damaged ({file} at byte {offset}); what it said is proven by the \
                 line behind it"
            ),
            Self::SetAside { file, offset, bytes, kept_as } => write!(
                f,
                "an unfinished end that was never confirmed was set aside: {bytes} bytes of \
                 {file} from byte {offset} are in {}",
                kept_as.join(", ")
            ),
            Self::GamesBefore { n } => {
                write!(f, "{n} earlier games are not on this record")
            }
            Self::Archived { n, noted } => {
                let games = if *n == 1 { "game" } else { "games" };
                write!(f, "this record continues one with {n} {games} that ends with {noted}")
            }
            Self::PublicDelay { round, delay } => {
                if let Some(round) = round {
                    write!(f, "round {round}: ")?;
                }
                match delay {
                    Delay::None => f.write_str("the public is not behind the board"),
                    delay => write!(f, "the public is {delay} behind the board"),
                }
            }
            Self::WallUnknown => f.write_str(
                "the time of day has not been set from a time server since this machine started: \
                 dates and times may be wrong",
            ),
            Self::WallKnown => f.write_str(
                "the time of day was set from a time server: dates and times are right from here \
                 on",
            ),
            Self::WallJumped { from, to } => write!(
                f,
                "the time of day jumped by {}",
                Jump(i128::from(to.0) - i128::from(from.0))
            ),
        }
    }
}

/// A span in microseconds, in words.
struct Jump(i128);

impl fmt::Display for Jump {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, sign) = (self.0.abs() / 1_000_000, if self.0 < 0 { "-" } else { "+" });
        let (minutes, hours) = (seconds / 60, seconds / 3_600);
        match hours {
            0..48 => write!(f, "{sign}{hours}:{:02}:{:02}", minutes % 60, seconds % 60),
            _ => write!(f, "{sign}{} days", hours / 24),
        }
    }
}
