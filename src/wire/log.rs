//! The board's own memory of the game: every change since long before it was switched on.
//!
//! The log is a ring without any mark for its beginning, so a dump may start inside an event, and
//! it holds no time of day. It serves to recover moves made while nobody listened, never live play.
//! Protocol 5.

use crate::table::End;
use crate::wire::clock::{SideTime, bcd, hms, sixty};
use crate::wire::field::{Field, FieldCode, Orientation};

/// Size of the ring in bytes, end mark included (protocol 5).
pub const RING_LEN: usize = 0x1f00;

const CHANGE: u8 = 0x40;
const FAST_CHANGE: u8 = 0x50;
const TIME_RIGHT: u8 = 0x60;
const TIME_LEFT: u8 = 0x70;

/// One event of the log (protocol 5).
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum LogEvent {
    /// A field changed.
    Change {
        /// Where, in the board's numbering.
        field: Field,
        /// What it read then.
        code: FieldCode,
        /// Less than about 250 ms after the change before.
        fast: bool,
    },
    /// The lever moved; this is the time of the side that it halted.
    Time {
        /// The halted side.
        end: End,
        /// What its display showed, whole seconds.
        seconds: u32,
    },
    /// `6A`: the board was switched on; a change for each piece on it follows.
    PowerUp,
    /// `6B`: the end of the log.
    Eof,
    /// `6C`: sixteen figures on the two outer rows at each end, but not the normal start.
    FourRows,
    /// `6D`: the board is empty.
    EmptyBoard,
    /// `6E`: the log was read.
    Downloaded,
    /// `6F` or `7A`: the start position, and how the board lies.
    Start(Orientation),
    /// `7B`: a host marked the start of a game.
    StartTag,
    /// `7C`: the board restarted itself; what follows is as after [`LogEvent::PowerUp`].
    Watchdog,
    /// `7D` or `7E`: no meaning known.
    Reserved(u8),
    /// `7F` or `00`: nothing.
    Nop,
    /// Bytes that begin no event, one run.
    Skipped {
        /// The length of the run.
        bytes: usize,
    },
}

/// The events in `payload`, oldest first, up to and with the end mark. Never fails: what cannot
/// begin an event, or is not finished, becomes [`LogEvent::Skipped`].
///
/// The very first event may be false: a ring that starts inside a clock time can look like a change
/// of a field, and the format offers no way to tell.
pub fn decode_log(payload: &[u8]) -> Vec<LogEvent> {
    let mut events = Vec::new();
    let (mut rest, mut n_skipped) = (payload, 0);
    while !rest.is_empty() {
        let Some((event, len)) = first_event(rest) else {
            n_skipped += 1;
            rest = &rest[1..];
            continue;
        };
        if n_skipped > 0 {
            events.push(LogEvent::Skipped { bytes: n_skipped });
            n_skipped = 0;
        }
        events.push(event);
        rest = &rest[len..];
        if event == LogEvent::Eof {
            return events;
        }
    }
    if n_skipped > 0 {
        events.push(LogEvent::Skipped { bytes: n_skipped });
    }
    events
}

/// The event at the head of `bytes` and its length.
fn first_event(bytes: &[u8]) -> Option<(LogEvent, usize)> {
    let event = match *bytes.first()? {
        first @ 0x40..=0x5f => {
            let field = *bytes.get(1).filter(|&&field| field < 0x40)?;
            let (field, code) = (Field::new(field), FieldCode::from_byte(first));
            return Some((LogEvent::Change { field, code, fast: first >= FAST_CHANGE }, 2));
        }
        first @ (0x60..=0x69 | 0x70..=0x79) => {
            let end = if first < TIME_LEFT { End::Right } else { End::Left };
            let (minutes, seconds) = (sixty(*bytes.get(1)?)?, sixty(*bytes.get(2)?)?);
            let seconds = u32::from(first & 0x0f) * 3600 + minutes * 60 + seconds;
            return Some((LogEvent::Time { end, seconds }, 3));
        }
        0x6a => LogEvent::PowerUp,
        0x6b => LogEvent::Eof,
        0x6c => LogEvent::FourRows,
        0x6d => LogEvent::EmptyBoard,
        0x6e => LogEvent::Downloaded,
        0x6f => LogEvent::Start(Orientation::Normal),
        0x7a => LogEvent::Start(Orientation::Rotated),
        0x7b => LogEvent::StartTag,
        0x7c => LogEvent::Watchdog,
        reserved @ (0x7d | 0x7e) => LogEvent::Reserved(reserved),
        0x7f | 0x00 => LogEvent::Nop,
        _ => return None,
    };
    Some((event, 1))
}

impl LogEvent {
    /// A clock event for what `side` shows.
    pub fn of_time(end: End, side: SideTime) -> Self {
        Self::Time { end, seconds: side.seconds }
    }

    /// Appends the event as a board stores it. Skipped bytes become as many that begin no event.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match *self {
            Self::Change { field, code, fast } => {
                let tag = if fast { FAST_CHANGE } else { CHANGE };
                out.extend([tag | code.byte(), field.index()]);
            }
            Self::Time { end, seconds } => {
                let tag = if end == End::Right { TIME_RIGHT } else { TIME_LEFT };
                let (hours, minutes, seconds) = hms(seconds);
                out.extend([tag | hours, bcd(minutes), bcd(seconds)]);
            }
            Self::PowerUp => out.push(0x6a),
            Self::Eof => out.push(0x6b),
            Self::FourRows => out.push(0x6c),
            Self::EmptyBoard => out.push(0x6d),
            Self::Downloaded => out.push(0x6e),
            Self::Start(Orientation::Normal) => out.push(0x6f),
            Self::Start(Orientation::Rotated) => out.push(0x7a),
            Self::StartTag => out.push(0x7b),
            Self::Watchdog => out.push(0x7c),
            Self::Reserved(byte) => out.push(byte),
            Self::Nop => out.push(0x7f),
            Self::Skipped { bytes } => out.extend(std::iter::repeat_n(0x01, bytes)),
        }
    }
}
