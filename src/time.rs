//! Time as the core knows it: monotonic for order and durations, wall time for the record.

use std::fmt;
use std::ops::{Add, Sub};
use std::time::Duration;

/// Microseconds since the daemon (or the replay) started.
///
/// The only time that the core computes with. It never goes back. Only the shell makes one from a
/// real clock.
///
/// ```
/// use rokade::time::Mono;
/// use std::time::Duration;
/// assert_eq!(Mono::from_millis(2) + Duration::from_millis(1), Mono(3_000));
/// ```
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mono(pub u64);

impl Mono {
    /// The moment `ms` milliseconds after the start.
    pub const fn from_millis(ms: u64) -> Self {
        Self(ms * 1_000)
    }

    /// Whole milliseconds since the start.
    pub const fn millis(self) -> u64 {
        self.0 / 1_000
    }

    /// The moment `span` before, or the start if that is before it.
    pub fn earlier(self, span: Duration) -> Self {
        Self(self.0.saturating_sub(u64::try_from(span.as_micros()).unwrap_or(u64::MAX)))
    }

    /// Time passed since `earlier`; zero if `earlier` is later.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_micros(self.0.saturating_sub(earlier.0))
    }

    /// How much later than `earlier` this is by the record, which keeps milliseconds: what is
    /// reckoned from moments of the record comes out the same for whoever reads it.
    pub fn since_on_record(self, earlier: Self) -> Duration {
        Duration::from_millis(self.millis().saturating_sub(earlier.millis()))
    }
}

impl Add<Duration> for Mono {
    type Output = Self;

    fn add(self, span: Duration) -> Self {
        let micros = u64::try_from(span.as_micros()).unwrap_or(u64::MAX);
        Self(self.0.saturating_add(micros))
    }
}

impl Sub for Mono {
    type Output = Duration;

    fn sub(self, earlier: Self) -> Duration {
        self.since(earlier)
    }
}

impl fmt::Display for Mono {
    /// Seconds with three decimals, as in traces: `12.345`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1_000_000, self.0 / 1_000 % 1_000)
    }
}

/// Microseconds since 1970-01-01 UTC. May jump at any moment; copied into records. Below the shell
/// it is never compared.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Wall(pub i64);

/// What the shell attaches to every event.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stamp {
    /// When it happened, for order and durations.
    pub mono: Mono,
    /// What the clock on the wall said, for the reader.
    pub wall: Wall,
}

/// A span in whole milliseconds.
pub fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

/// A span as people write it: `1:30:00`, `5:00`, or seconds, with a part of one if need be: `12.5`.
///
/// ```
/// use rokade::time::parse_span;
/// use std::time::Duration;
/// assert_eq!(parse_span("1:30:00"), Some(Duration::from_secs(5_400)));
/// assert_eq!(parse_span("2:00"), Some(Duration::from_secs(120)));
/// assert_eq!(parse_span("12.5"), Some(Duration::from_millis(12_500)));
/// assert_eq!(parse_span("1:75"), None);
/// ```
pub fn parse_span(text: &str) -> Option<Duration> {
    text.bytes().next().filter(u8::is_ascii_digit)?;
    let Some((first, rest)) = text.split_once(':') else {
        return Duration::try_from_secs_f64(text.parse().ok()?).ok();
    };
    let is_number = |part: &str| part.len() <= 2 && part.bytes().all(|b| b.is_ascii_digit());
    let mut seconds: u64 = Some(first).filter(|part| is_number(part))?.parse().ok()?;
    for (idx, part) in rest.split(':').enumerate() {
        let number: u64 = part.parse().ok()?;
        if idx > 1 || part.len() != 2 || !is_number(part) || number >= 60 {
            return None;
        }
        seconds = seconds * 60 + number;
    }
    Some(Duration::from_secs(seconds))
}
