//! How time controls are written and read.
//!
//! Two notations share one grammar. PGN's tag `TimeControl` counts in seconds (PGN standard 1994,
//! section 9.6.1) and is extended by `d` for a delay and `b` for Bronstein's, which it does not
//! know. People write minutes for the game and seconds for the move, with or without units. What we
//! print for people always has its units, so that nobody takes minutes for seconds.
//!
//! ```text
//! control  = "-" | side | side "|" side              White's first, if they differ
//! side     = "*" time | period (":" period)*         "*" is an hourglass
//! period   = [moves "/"] time [permove]              or  time "/" moves [permove]
//! permove  = ("+" | "d" | "b") time                  increment, delay, Bronstein
//! time     = digits unit, as often as needed         1h30m, 90m, 30s; or digits alone
//! ```
//!
//! Also read: `90m/40+30m+30s` for `40/90m+30s:30m+30s`, and `G/90;d5`, `40/90,SD/30;d5` as in the
//! United States.

use super::{ControlFault, PerMove, Period, Periods, TimeControl};
use std::fmt;
use std::num::NonZeroU16;
use std::str::FromStr;
use std::time::Duration;

/// A bare number below this is minutes: nobody is given less than a minute for a game.
const SECONDS_FROM: u64 = 60;
/// A bare number above this is seconds: three hours are the longest that are written in minutes.
const MINUTES_TO: u64 = 180;
/// With so many seconds a move, a bare number in between is minutes.
const LONG_PER_MOVE: Duration = Duration::from_secs(10);

/// What units are called, the longer names first.
const UNITS: [(&str, &str); 12] = [
    ("hours", "h"),
    ("hour", "h"),
    ("minutes", "m"),
    ("minute", "m"),
    ("min", "m"),
    ("'", "m"),
    ("\u{2032}", "m"),
    ("seconds", "s"),
    ("second", "s"),
    ("sec", "s"),
    ("\"", "s"),
    ("\u{2033}", "s"),
];

/// A text that is no time control, and what may have been meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlError {
    /// The text.
    pub text: String,
    /// What is wrong with it.
    pub why: ControlFault,
    /// The nearest right forms: at least one.
    pub forms: Vec<String>,
}

impl fmt::Display for ControlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let forms = self.forms.join(" or ");
        write!(f, "time control {:?}: {}, write {forms}", self.text, self.why)
    }
}

impl std::error::Error for ControlError {}

/// What a number without a unit means.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Bare {
    Seconds,
    Minutes,
    /// To be told from all the numbers together.
    Open,
}

impl TimeControl {
    /// Reads the value of PGN's tag `TimeControl`: as [`TimeControl::from_str`], but numbers
    /// without a unit are always seconds.
    ///
    /// # Errors
    /// The text is no time control. So is `?`, PGN's word for an unknown one.
    pub fn from_pgn(text: &str) -> Result<Self, ControlError> {
        read(text, Bare::Seconds).map_err(|why| error(text, why))
    }

    /// The value of PGN's tag `TimeControl`, in seconds.
    pub fn to_pgn(&self) -> String {
        let seconds = |span: Duration| span.as_secs().to_string();
        written(self, seconds, seconds, "")
    }
}

impl FromStr for TimeControl {
    type Err = ControlError;

    /// Reads a time control as people write it. Where numbers have no units, those above 180 are
    /// seconds, and so are an hourglass's; those below 60 are minutes; in between they are minutes
    /// if ten seconds a move or more go with them, and refused otherwise.
    fn from_str(text: &str) -> Result<Self, ControlError> {
        read(text, Bare::Open).map_err(|why| error(text, why))
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let per_move = |span: Duration| format!("{}s", span.as_secs());
        f.write_str(&written(self, with_units, per_move, " "))
    }
}

/// In minutes up to three hours, as such times are announced.
fn with_units(span: Duration) -> String {
    let seconds = span.as_secs();
    let (minutes, rest) = (seconds / 60, seconds % 60);
    match (minutes, rest) {
        (0, _) => format!("{seconds}s"),
        (_, 0) if minutes.is_multiple_of(60) => format!("{}h", minutes / 60),
        (..=MINUTES_TO, 0) => format!("{minutes}m"),
        (..=MINUTES_TO, _) => format!("{minutes}m{rest}s"),
        _ => {
            let part = |n: u64, unit| if n == 0 { String::new() } else { format!("{n}{unit}") };
            part(minutes / 60, "h") + &part(minutes % 60, "m") + &part(rest, "s")
        }
    }
}

fn written(
    control: &TimeControl,
    time: impl Fn(Duration) -> String,
    short: impl Fn(Duration) -> String,
    gap: &str,
) -> String {
    let period = |period: &Period| {
        let moves = period.moves.map_or_else(String::new, |moves| format!("{moves}/"));
        let per_move = match period.per_move {
            PerMove::Nothing => String::new(),
            PerMove::Increment(span) => format!("+{}", short(span)),
            PerMove::Delay(span) => format!("{gap}d{}", short(span)),
            PerMove::Bronstein(span) => format!("{gap}b{}", short(span)),
        };
        format!("{moves}{}{per_move}", time(period.allotment))
    };
    let side = |periods: &Periods| {
        let written: Vec<String> = periods.as_slice().iter().map(period).collect();
        written.join(":")
    };
    let (white, black) = match control {
        TimeControl::NoClock => return "-".to_owned(),
        TimeControl::Hourglass { white, black } => {
            (format!("*{}", time(*white)), format!("*{}", time(*black)))
        }
        TimeControl::Periods { white, black } => (side(white), side(black)),
    };
    if white == black { white } else { format!("{white}{gap}|{gap}{black}") }
}

fn read(text: &str, bare: Bare) -> Result<TimeControl, ControlFault> {
    let text = plain(text)?;
    if text.is_empty() {
        return Err(ControlFault::Empty);
    }
    if text == "-" || text == "none" {
        return Ok(TimeControl::NoClock);
    }
    let (text, is_american) = without_american(&text);
    let bare = if is_american && bare == Bare::Open { Bare::Minutes } else { bare };
    let bare = if bare == Bare::Open { meant(&text)? } else { bare };
    let (white, black) = text.split_once('|').unwrap_or((&text, &text));
    match (white.strip_prefix('*'), black.strip_prefix('*')) {
        (Some(white), Some(black)) => {
            TimeControl::hourglass(time(white, bare)?, time(black, bare)?)
        }
        (None, None) => {
            let white = side(white, bare, is_american)?;
            let black = side(black, bare, is_american)?;
            Ok(TimeControl::Periods { white, black })
        }
        _ => Err(ControlFault::Mixed),
    }
}

/// Small letters without spaces, and one letter for each unit. A space between two numbers is no
/// sign that can be left out.
fn plain(text: &str) -> Result<String, ControlFault> {
    let mut text = text.trim().to_lowercase();
    for (unit, letter) in UNITS {
        text = text.replace(unit, letter);
    }
    let mut out = String::new();
    let mut is_after_space = false;
    for c in text.chars() {
        if c == ' ' {
            is_after_space = true;
            continue;
        }
        if is_after_space && c.is_ascii_digit() && out.ends_with(|c: char| c.is_ascii_digit()) {
            return Err(ControlFault::Unreadable);
        }
        is_after_space = false;
        out.push(c);
    }
    Ok(out)
}

/// `G/90;d5` and `40/90,SD/30;d5` with our signs, and whether it was in that notation.
fn without_american(text: &str) -> (String, bool) {
    let is_american = text.contains("g/") || text.contains("sd/");
    if !is_american {
        return (text.to_owned(), false);
    }
    (text.replace("sd/", "").replace("g/", "").replace(',', ":").replace(';', ""), true)
}

/// What the numbers without a unit mean, told from all of them together.
fn meant(text: &str) -> Result<Bare, ControlFault> {
    let Ok(control) = read(text, Bare::Seconds) else {
        // Whatever is wrong with it will be found in either reading.
        return Ok(Bare::Minutes);
    };
    if text.starts_with('*') {
        return Ok(Bare::Seconds);
    }
    let bare = bare_times(text);
    if bare.iter().any(|n| *n > MINUTES_TO) {
        return Ok(Bare::Seconds);
    }
    let is_long = |periods: &Periods| {
        periods.as_slice().iter().any(|period| period.per_move.span() >= LONG_PER_MOVE)
    };
    let has_long = match &control {
        TimeControl::Periods { white, black } => is_long(white) || is_long(black),
        TimeControl::NoClock | TimeControl::Hourglass { .. } => false,
    };
    if bare.is_empty() || has_long || bare.iter().any(|n| *n < SECONDS_FROM) {
        return Ok(Bare::Minutes);
    }
    Err(ControlFault::Ambiguous)
}

/// The allotments that are written without a unit.
fn bare_times(text: &str) -> Vec<u64> {
    let mut found = Vec::new();
    for period in text.split(['|', ':']) {
        let period = period.trim_start_matches('*');
        let main = period.split(['+', 'd', 'b']).next().unwrap_or_default();
        let time = main.rsplit('/').next().unwrap_or_default();
        found.extend(time.parse::<u64>().ok());
    }
    found
}

fn side(text: &str, bare: Bare, is_american: bool) -> Result<Periods, ControlFault> {
    let periods = text.split(':').map(|text| chain(text, bare)).collect::<Result<Vec<_>, _>>()?;
    let mut periods: Vec<Period> = periods.into_iter().flatten().collect();
    let last = periods.last().map_or(PerMove::Nothing, |period| period.per_move);
    if is_american {
        // What is given for a move is named once, at the end, and is for the whole game.
        periods.iter_mut().for_each(|period| period.per_move = last);
    }
    Periods::new(periods)
}

/// One period, or several joined by `+`: the time of each with a unit above seconds, and at the
/// end the increment for all of them.
fn chain(text: &str, bare: Bare) -> Result<Vec<Period>, ControlFault> {
    let (text, free) = without_delay(text)?;
    let mut parts: Vec<&str> = text.split('+').collect();
    let is_period = |part: &str| part.contains(['h', 'm', '/']);
    let mut per_move = free;
    if parts.len() > 1 && !is_period(parts[parts.len() - 1]) {
        let span = time(parts.pop().unwrap_or_default(), Bare::Seconds)?;
        if free != PerMove::Nothing {
            return Err(ControlFault::Unreadable);
        }
        // "10+0" is how programs write that there is none.
        if !span.is_zero() {
            per_move = PerMove::Increment(span);
        }
    }
    if parts.iter().skip(1).any(|part| !is_period(part)) {
        return Err(ControlFault::Unreadable);
    }
    parts.into_iter().map(|part| period(part, per_move, bare)).collect()
}

/// The text before a delay, and the delay.
fn without_delay(text: &str) -> Result<(&str, PerMove), ControlFault> {
    let Some(at) = text.find(['d', 'b']) else { return Ok((text, PerMove::Nothing)) };
    let span = time(&text[at + 1..], Bare::Seconds)?;
    let make = if text[at..].starts_with('d') { PerMove::Delay } else { PerMove::Bronstein };
    let per_move = if span.is_zero() { PerMove::Nothing } else { make(span) };
    Ok((text[..at].trim_end_matches('+'), per_move))
}

/// `40/90m`, `90m/40`, or `30m` alone.
fn period(text: &str, per_move: PerMove, bare: Bare) -> Result<Period, ControlFault> {
    let (moves, allotment) = match text.split_once('/') {
        Some((a, b)) if a.contains(['h', 'm', 's']) => (Some(b), a),
        Some((a, b)) => (Some(a), b),
        None => (None, text),
    };
    let moves = match moves.map(digits).transpose()? {
        Some(n) => {
            let n = u16::try_from(n).map_err(|_| ControlFault::TooManyMoves)?;
            Some(NonZeroU16::new(n).ok_or(ControlFault::NoMoves)?)
        }
        None => None,
    };
    Ok(Period { moves, allotment: time(allotment, bare)?, per_move })
}

/// `90`, `90m`, `1h30m`, `30s`.
fn time(text: &str, bare: Bare) -> Result<Duration, ControlFault> {
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
        let unit = if bare == Bare::Minutes { 60 } else { 1 };
        return Ok(Duration::from_secs(digits(text)? * unit));
    }
    if text.contains('.') && text.chars().all(|c| c.is_ascii_digit() || ".hms".contains(c)) {
        return Err(ControlFault::Fraction);
    }
    let mut rest = text;
    let mut seconds = 0;
    for (unit, worth) in [('h', 3600), ('m', 60), ('s', 1)] {
        if let Some((n, after)) = rest.split_once(unit) {
            seconds += digits(n)? * worth;
            rest = after;
        }
    }
    if text.is_empty() || !rest.is_empty() {
        return Err(ControlFault::Unreadable);
    }
    Ok(Duration::from_secs(seconds))
}

/// A number of at most six digits: nothing here is longer.
fn digits(text: &str) -> Result<u64, ControlFault> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(ControlFault::Unreadable);
    }
    if text.len() > 6 {
        return Err(ControlFault::TooLong);
    }
    text.parse().map_err(|_| ControlFault::Unreadable)
}

fn error(text: &str, why: ControlFault) -> ControlError {
    ControlError { text: text.to_owned(), why, forms: forms(text, why) }
}

/// What may have been meant: the text with the usual slips mended, if that can be read; else an
/// example of what is wrong.
fn forms(text: &str, why: ControlFault) -> Vec<String> {
    let of = |bare| read(text, bare).map(|control| control.to_string());
    if let (ControlFault::Ambiguous, Ok(minutes), Ok(seconds)) =
        (why, of(Bare::Minutes), of(Bare::Seconds))
    {
        return vec![minutes, seconds];
    }
    if let Some(mended) = slips(text).iter().find_map(|text| read(text, Bare::Open).ok()) {
        return vec![mended.to_string()];
    }
    let example = match why {
        ControlFault::Empty => "90m+30s or - for none",
        ControlFault::NoMoves | ControlFault::TooManyMoves => "40/90m:30m",
        ControlFault::AfterTheRest | ControlFault::TooManyPeriods => "40/90m+30s:30m+30s",
        ControlFault::Mixed => "*3m | *2m",
        ControlFault::NothingPerMove => "90m",
        _ => "90m+30s",
    };
    vec![example.to_owned()]
}

/// The text with one slip or another mended, the smallest changes first.
fn slips(text: &str) -> Vec<String> {
    let text = text.trim().to_lowercase();
    let parts = text.split(['-', '_', ',', ';', '&', 'x', ' ', '+']).enumerate();
    let parts = parts.filter(|(idx, part)| *idx == 0 || !part.is_empty());
    let parts: Vec<&str> = parts.map(|(_, part)| part).collect();
    let known = |c: &char| "0123456789.hms/+:*|db".contains(*c);
    vec![
        text.trim_end_matches(['+', ':']).to_owned(),
        text.replace(".5m", "m30s").replace(".5", "m30s"),
        parts.join("+"),
        text.replace("moves", "").replace(" in ", "/").replace("and", "+"),
        time_of_day(&text),
        text.chars().filter(known).collect(),
    ]
}

/// `1:30:00+30` with units.
fn time_of_day(text: &str) -> String {
    let (time, rest) = text.split_once('+').unwrap_or((text, "0"));
    match time.split(':').collect::<Vec<_>>().as_slice() {
        [hours, minutes, seconds] => format!("{hours}h{minutes}m{seconds}s+{rest}"),
        _ => String::new(),
    }
}
