//! What the host asks of the clock behind a board: texts, times, beeps.
//!
//! The board only forwards these; whether the clock obeys depends on an option set by hand on the
//! clock, and the answer may take two seconds. One command may be in flight at a time (protocol
//! 3.5): queueing is the caller's business. Protocol 3 to 3.4.

use crate::wire::clock::{SECONDS_MAX, hms};
use crate::wire::segments::N_PLACES;

/// Board command that wraps all of these (protocol 1.4).
pub(crate) const WRAP: u8 = 0x2b;
const START: u8 = 0x03;
const STOP: u8 = 0x00;

const DISPLAY: u8 = 0x01;
const ICONS: u8 = 0x02;
const END: u8 = 0x03;
const BUTTON_QUERY: u8 = 0x08;
const VERSION_QUERY: u8 = 0x09;
const SET_AND_RUN: u8 = 0x0a;
const BEEP: u8 = 0x0b;
const TEXT: u8 = 0x0c;
const LONG_TEXT: u8 = 0x0d;

/// Characters that a DGT3000 shows (protocol 3.4).
pub const TEXT_LEN: usize = 8;
/// Characters that a Revelation II shows (protocol 3.4).
pub const LONG_TEXT_LEN: usize = 11;

const SOUND: u8 = 0x03;
const SILENCE: u8 = 0x01;
const RUN_LEFT: u8 = 0x01;
const RUN_RIGHT: u8 = 0x02;
const PAUSE: u8 = 0x04;
const TOGGLE: u8 = 0x08;
/// Added to the hours: the display counts up (protocol 3.3).
const COUNTS_UP: u8 = 0x10;

/// A command to the clock (protocol 3).
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum ClockCommand {
    /// `01`: segments on an XL; see [`crate::wire::segments::segments`] for texts.
    Display {
        /// Places A to F, left to right.
        places: [u8; N_PLACES],
        /// 01 right dot, 02 right colon, 04 right leading "1"; 08, 10, 20 the same at the left.
        dots: u8,
        /// Sound the beeper once.
        beep: bool,
    },
    /// `02`: icons on an XL.
    Icons(Icons),
    /// `03`: away with the text, back to the times.
    End,
    /// `08`: useless; the answer carries no buttons (protocol 2.4).
    ButtonQuery,
    /// `09`: asks for the clock's version.
    VersionQuery,
    /// `0A`: sets both times and who runs.
    SetAndRun(SetAndRun),
    /// `0B`: a beep of this many times 64 ms, 0..=127.
    Beep(u8),
    /// `0C`: text on a DGT3000.
    Text {
        /// ASCII 20..=7E; see [`padded`].
        text: [u8; TEXT_LEN],
        /// 0 silent; 1..=15 beep for 62.5 ms + beep/16 s.
        beep: u8,
    },
    /// `0D`: text on a Revelation II from firmware 3.24 or 3.25.
    LongText {
        /// ASCII 20..=7E; see [`padded`].
        text: [u8; LONG_TEXT_LEN],
        /// As for [`ClockCommand::Text`].
        beep: u8,
    },
}

/// Icons of an XL, as bits (protocol 3.2; a single source).
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash, Default)]
pub struct Icons {
    /// From bit 0: TIME, FISCH, DELAY, HGLASS, UPCNT, BYO, END.
    pub left: u8,
    /// The same at the right.
    pub right: u8,
    /// From bit 0: period 1 to 5, flag.
    pub left_period: u8,
    /// The same at the right.
    pub right_period: u8,
    /// Bit 0 clears all icons; bit 6 lets them survive a change of the time.
    pub special: u8,
}

/// Which side counts down after [`ClockCommand::SetAndRun`] (protocol 3.3).
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum Runs {
    /// The left side.
    Left,
    /// The right side.
    Right,
    /// Both at once.
    Both,
    /// Neither side runs.
    Pause,
}

/// A time to set (protocol 3.3).
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub struct SetTime {
    /// Seconds, at most 9:59:59; more sets the most.
    pub seconds: u32,
    /// Count up instead of down; an XL up to 1.14 cannot.
    pub counts_up: bool,
}

impl SetTime {
    /// Counts down from `seconds`.
    pub fn of_seconds(seconds: u32) -> Self {
        Self { seconds: seconds.min(SECONDS_MAX), counts_up: false }
    }

    fn encode(self) -> [u8; 3] {
        let (hours, minutes, seconds) = hms(self.seconds);
        // Plain binary here, unlike the time message (protocol 3.3).
        [hours | if self.counts_up { COUNTS_UP } else { 0 }, minutes, seconds]
    }

    fn parse([hours, minutes, seconds]: [u8; 3]) -> Option<Self> {
        let (hours, counts_up) = (hours & !COUNTS_UP, hours & COUNTS_UP != 0);
        let is_sound = hours <= 9 && minutes <= 59 && seconds <= 59;
        let total = u32::from(hours) * 3600 + u32::from(minutes) * 60 + u32::from(seconds);
        is_sound.then_some(Self { seconds: total, counts_up })
    }
}

/// Times for both sides and who runs (protocol 3.3).
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub struct SetAndRun {
    /// For the left display.
    pub left: SetTime,
    /// For the right display.
    pub right: SetTime,
    /// Who counts down.
    pub runs: Runs,
    /// The clock changes sides by itself when the lever moves. Without it the host must send a new
    /// command at each press.
    pub toggle: bool,
}

impl SetAndRun {
    fn encode(self) -> [u8; 7] {
        let runs = match self.runs {
            Runs::Left => RUN_LEFT,
            Runs::Right => RUN_RIGHT,
            Runs::Both => RUN_LEFT | RUN_RIGHT,
            Runs::Pause => PAUSE,
        };
        let flags = runs | if self.toggle { TOGGLE } else { 0 };
        let ([l0, l1, l2], [r0, r1, r2]) = (self.left.encode(), self.right.encode());
        [l0, l1, l2, r0, r1, r2, flags]
    }

    fn parse([l0, l1, l2, r0, r1, r2, flags]: [u8; 7]) -> Option<Self> {
        let runs = match flags & (RUN_LEFT | RUN_RIGHT) {
            _ if flags & PAUSE != 0 => Runs::Pause,
            RUN_LEFT => Runs::Left,
            RUN_RIGHT => Runs::Right,
            // No bit at all is one program's way to say pause (protocol 3.3).
            0 => Runs::Pause,
            _ => Runs::Both,
        };
        let left = SetTime::parse([l0, l1, l2])?;
        let right = SetTime::parse([r0, r1, r2])?;
        Some(Self { left, right, runs, toggle: flags & TOGGLE != 0 })
    }
}

/// `text` as exactly `N` characters for [`ClockCommand::Text`] and [`ClockCommand::LongText`]:
/// padded with spaces, cut, and with a space for what the clock cannot show.
pub fn padded<const N: usize>(text: &str) -> [u8; N] {
    let mut bytes = [b' '; N];
    for (byte, letter) in bytes.iter_mut().zip(text.chars()) {
        if (' '..='~').contains(&letter) {
            *byte = u8::try_from(letter).expect("a character up to 7E is one byte");
        }
    }
    bytes
}

impl ClockCommand {
    /// The bytes to send, board command `2B` included.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![WRAP, 0, START, self.id()];
        match self {
            Self::Display { places: [a, b, c, d, e, f], dots, beep } => {
                let sound = if *beep { SOUND } else { SILENCE };
                bytes.extend([c, b, a, f, e, d].map(|segments| segments & 0x7f));
                bytes.extend([dots & 0x3f, sound]);
            }
            Self::Icons(icons) => {
                let Icons { left, right, left_period, right_period, special } = *icons;
                let used = [left, right, left_period, right_period, special];
                bytes.extend(used.map(|icons| icons & 0x7f));
                bytes.extend([0; 3]);
            }
            Self::End | Self::ButtonQuery | Self::VersionQuery => {}
            Self::SetAndRun(set) => bytes.extend(set.encode()),
            Self::Beep(units) => bytes.push(units & 0x7f),
            Self::Text { text, beep } => {
                bytes.extend(text);
                bytes.push(beep & 0x0f);
            }
            Self::LongText { text, beep } => {
                bytes.extend(text);
                bytes.push(beep & 0x0f);
            }
        }
        bytes.push(STOP);
        bytes[1] = u8::try_from(bytes.len() - 2).expect("a clock command is at most 17 bytes");
        bytes
    }

    /// The command id, which the acknowledgement repeats in ack1 (protocol 2.4, 3).
    pub const fn id(&self) -> u8 {
        match self {
            Self::Display { .. } => DISPLAY,
            Self::Icons(_) => ICONS,
            Self::End => END,
            Self::ButtonQuery => BUTTON_QUERY,
            Self::VersionQuery => VERSION_QUERY,
            Self::SetAndRun(_) => SET_AND_RUN,
            Self::Beep(_) => BEEP,
            Self::Text { .. } => TEXT,
            Self::LongText { .. } => LONG_TEXT,
        }
    }

    /// The command in `body`, which is what follows the size byte: start, id, arguments, end.
    /// `None` if it is none that we know.
    pub fn parse(body: &[u8]) -> Option<Self> {
        let [START, id, arguments @ .., STOP] = body else {
            return None;
        };
        match (*id, arguments) {
            (DISPLAY, &[c, b, a, f, e, d, dots, sound]) => {
                let beep = sound == SOUND;
                let places = [a, b, c, d, e, f].map(|segments| segments & 0x7f);
                Some(Self::Display { places, dots: dots & 0x3f, beep })
            }
            (ICONS, &[left, right, left_period, right_period, special, ..]) => {
                let used = [left, right, left_period, right_period, special];
                let [left, right, left_period, right_period, special] =
                    used.map(|icons| icons & 0x7f);
                Some(Self::Icons(Icons { left, right, left_period, right_period, special }))
            }
            (END, []) => Some(Self::End),
            (BUTTON_QUERY, []) => Some(Self::ButtonQuery),
            (VERSION_QUERY, []) => Some(Self::VersionQuery),
            (SET_AND_RUN, set) => SetAndRun::parse(set.try_into().ok()?).map(Self::SetAndRun),
            (BEEP, &[units]) => Some(Self::Beep(units & 0x7f)),
            (TEXT, [text @ .., beep]) => {
                Some(Self::Text { text: text.try_into().ok()?, beep: *beep & 0x0f })
            }
            (LONG_TEXT, [text @ .., beep]) => {
                Some(Self::LongText { text: text.try_into().ok()?, beep: *beep & 0x0f })
            }
            _ => None,
        }
    }
}
