//! What a board tells the host: one whole frame against one message.
//!
//! A frame has an id, a length and a payload of seven-bit bytes, and no checksum, so a length that
//! the id cannot have is the only sign of a damaged header. Protocol 1.5 to 1.9.

use crate::wire::clock::ClockMessage;
use crate::wire::field::{Dump, Field, FieldCode, N_FIELDS};

/// Bytes before the payload: id and two length bytes (protocol 1.2).
pub const HEADER_LEN: usize = 3;
/// Longest log dump, header included (protocol 1.2).
pub const LOG_LEN_MAX: usize = 0x1f03;
/// Longest frame of any other kind, header included (protocol 1.2).
pub const OTHER_LEN_MAX: usize = 0x103;
/// Fields of one color on a 10x10 board (protocol 1.5).
pub const N_HALF_FIELDS: usize = 50;

/// Message ids (protocol 1.5).
pub(crate) mod id {
    pub(crate) const DUMP: u8 = 0x86;
    pub(crate) const CLOCK: u8 = 0x8d;
    pub(crate) const FIELD: u8 = 0x8e;
    pub(crate) const LOG: u8 = 0x8f;
    pub(crate) const BUS_ADDRESS: u8 = 0x90;
    pub(crate) const SERIAL: u8 = 0x91;
    pub(crate) const TRADEMARK: u8 = 0x92;
    pub(crate) const VERSION: u8 = 0x93;
    pub(crate) const BLACK_FIELDS: u8 = 0x94;
    pub(crate) const WHITE_FIELDS: u8 = 0x95;
    pub(crate) const HARDWARE_VERSION: u8 = 0x96;
    pub(crate) const BATTERY: u8 = 0xa0;
    pub(crate) const LONG_SERIAL: u8 = 0xa2;
    pub(crate) const PEGASUS_ANSWER: u8 = 0xa3;
    pub(crate) const LOCK_STATE: u8 = 0xa4;
    pub(crate) const KEY_STATE: u8 = 0xa5;
}

/// The battery of a board without a cable (protocol 1.9). `None` is "not available" or not sent.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub struct Battery {
    /// Charge left, percent.
    pub percent: u8,
    /// Running time left (or until charged), minutes, at most 126 h 59 min.
    pub left_min: Option<u16>,
    /// Time switched on, minutes.
    pub on_min: Option<u16>,
    /// Time in standby, minutes, at most 126 days.
    pub standby_min: Option<u32>,
    /// The charger is connected.
    pub charging: bool,
    /// The battery is being used.
    pub discharging: bool,
}

/// A message from board to host (protocol 1.5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BoardMessage {
    /// `86`: all fields at once.
    Dump(Box<Dump>),
    /// `8E`: one field changed, or seemed to.
    Field {
        /// The field that the board names.
        field: Field,
        /// What it reads now.
        code: FieldCode,
    },
    /// `8D`: the clock plugged into the board.
    Clock(ClockMessage),
    /// `8F`: the payload of a log dump, for [`crate::wire::decode_log`]; at most 7936 bytes.
    Log(Vec<u8>),
    /// `90`: 14 bits.
    BusAddress(u16),
    /// `91`: the serial number, usually five digits; whatever stands there where it is no number.
    Serial(String),
    /// `A2`: ten characters; a Revelation II puts its firmware version in the first four.
    LongSerial(String),
    /// `92`: text in lines, ASCII.
    Trademark(String),
    /// `93`: firmware; 1 and 2 read "1.02".
    Version {
        /// 0..=127.
        major: u8,
        /// 0..=127.
        minor: u8,
    },
    /// `96`.
    HardwareVersion {
        /// 0..=127.
        major: u8,
        /// 0..=127.
        minor: u8,
    },
    /// `A0`.
    Battery(Battery),
    /// `94`: the black fields of a draughts board, codes as sent, 00..=0F.
    BlackFields(Box<[u8; N_HALF_FIELDS]>),
    /// `95`: the white fields of a draughts board, codes as sent, 00..=0F.
    WhiteFields(Box<[u8; N_HALF_FIELDS]>),
    /// `A4`: Pegasus.
    LockState {
        /// The board may be used.
        unlocked: bool,
    },
    /// `A5`: Pegasus.
    KeyState {
        /// The developer's key was accepted.
        accepted: bool,
    },
    /// `A3`: Pegasus; nobody knows what it says.
    PegasusAnswer(Vec<u8>),
}

/// Whether `id` may have the total length `total` (protocol 1.2, 1.5; serial and battery as wide as
/// protocol 10 asks). Unknown ids may have any length up to [`OTHER_LEN_MAX`].
pub(crate) fn is_plausible(id: u8, total: usize) -> bool {
    match id {
        id::DUMP => total == 67 || total == 103,
        id::CLOCK => total == 10,
        id::FIELD | id::BUS_ADDRESS | id::VERSION | id::HARDWARE_VERSION => total == 5,
        id::LOG => (HEADER_LEN..=LOG_LEN_MAX).contains(&total),
        id::SERIAL => (4..=20).contains(&total),
        id::BLACK_FIELDS | id::WHITE_FIELDS => total == HEADER_LEN + N_HALF_FIELDS,
        id::BATTERY => (7..=12).contains(&total),
        id::LONG_SERIAL => total == 13,
        id::LOCK_STATE | id::KEY_STATE => total == 4,
        _ => (HEADER_LEN..=OTHER_LEN_MAX).contains(&total),
    }
}

/// Whether protocol 1.5 lists `id` for a board in single mode.
pub(crate) fn is_known(id: u8) -> bool {
    matches!(id, id::DUMP | id::CLOCK..=id::HARDWARE_VERSION | id::BATTERY)
        || matches!(id, id::LONG_SERIAL..=id::KEY_STATE)
}

/// Total length in a header, 0..=16383.
pub(crate) fn total_len(high: u8, low: u8) -> usize {
    usize::from(high & 0x7f) << 7 | usize::from(low & 0x7f)
}

impl BoardMessage {
    /// The message in exactly one frame, header included. `None` if the length is not one that the
    /// id can have, a payload byte has its high bit set, the id is unknown, or the board is not
    /// 8x8.
    pub fn decode(frame: &[u8]) -> Option<Self> {
        let (&[id, high, low], payload) = frame.split_first_chunk()?;
        let total = total_len(high, low);
        let is_sound = total == frame.len() && is_plausible(id, total);
        if !is_sound || frame[1..].iter().any(|byte| byte & 0x80 != 0) {
            return None;
        }
        Some(match id {
            id::DUMP => Self::Dump(Box::new(decode_dump(payload)?)),
            id::CLOCK => Self::Clock(ClockMessage::decode(payload.try_into().ok()?)),
            id::FIELD => Self::Field {
                field: Field::new(payload[0]),
                code: FieldCode::from_byte(payload[1]),
            },
            id::LOG => Self::Log(payload.to_vec()),
            id::BUS_ADDRESS => Self::BusAddress(u16::from(payload[0]) << 7 | u16::from(payload[1])),
            id::SERIAL => Self::Serial(serial(payload)),
            id::TRADEMARK => Self::Trademark(text(payload)),
            id::VERSION => Self::Version { major: payload[0], minor: payload[1] },
            id::BLACK_FIELDS => Self::BlackFields(decode_half(payload)?),
            id::WHITE_FIELDS => Self::WhiteFields(decode_half(payload)?),
            id::HARDWARE_VERSION => Self::HardwareVersion { major: payload[0], minor: payload[1] },
            id::BATTERY => Self::Battery(decode_battery(payload)),
            id::LONG_SERIAL => Self::LongSerial(text(payload)),
            id::PEGASUS_ANSWER => Self::PegasusAnswer(payload.to_vec()),
            id::LOCK_STATE => Self::LockState { unlocked: payload[0] == 0 },
            id::KEY_STATE => Self::KeyState { accepted: payload[0] == 1 },
            _ => return None,
        })
    }

    /// The frame that a board would send. Texts lose what is not ASCII and what exceeds the longest
    /// frame; numbers lose what exceeds their bits.
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Dump(dump) => frame(id::DUMP, dump.0.iter().map(|code| code.byte())),
            Self::Field { field, code } => frame(id::FIELD, [field.index(), code.byte()]),
            Self::Clock(clock) => frame(id::CLOCK, clock.encode()),
            Self::Log(log) => frame(id::LOG, log.iter().copied().take(LOG_LEN_MAX - HEADER_LEN)),
            Self::BusAddress(address) => frame(id::BUS_ADDRESS, seven_bits(*address)),
            Self::Serial(digits) => frame(id::SERIAL, ascii(digits).take(20 - HEADER_LEN)),
            Self::LongSerial(serial) => {
                let padded = ascii(serial).chain(std::iter::repeat(b' '));
                frame(id::LONG_SERIAL, padded.take(13 - HEADER_LEN))
            }
            Self::Trademark(text) => {
                frame(id::TRADEMARK, ascii(text).take(OTHER_LEN_MAX - HEADER_LEN))
            }
            Self::Version { major, minor } => frame(id::VERSION, [*major, *minor]),
            Self::HardwareVersion { major, minor } => frame(id::HARDWARE_VERSION, [*major, *minor]),
            Self::Battery(battery) => frame(id::BATTERY, encode_battery(battery)),
            Self::BlackFields(codes) => frame(id::BLACK_FIELDS, **codes),
            Self::WhiteFields(codes) => frame(id::WHITE_FIELDS, **codes),
            Self::LockState { unlocked } => frame(id::LOCK_STATE, [u8::from(!unlocked)]),
            Self::KeyState { accepted } => frame(id::KEY_STATE, [u8::from(*accepted)]),
            Self::PegasusAnswer(bytes) => {
                frame(id::PEGASUS_ANSWER, bytes.iter().copied().take(OTHER_LEN_MAX - HEADER_LEN))
            }
        }
    }
}

/// Header and payload; every payload byte is cut to seven bits.
fn frame(id: u8, payload: impl IntoIterator<Item = u8>) -> Vec<u8> {
    let mut bytes = vec![id, 0, 0];
    bytes.extend(payload.into_iter().map(|byte| byte & 0x7f));
    let total = u16::try_from(bytes.len()).expect("a frame is at most 1F03 long");
    bytes[1..HEADER_LEN].copy_from_slice(&seven_bits(total));
    bytes
}

/// The low 14 bits, seven and seven, high first.
fn seven_bits(value: u16) -> [u8; 2] {
    let [_, low] = value.to_be_bytes();
    let [_, high] = (value >> 7).to_be_bytes();
    [high & 0x7f, low & 0x7f]
}

fn ascii(text: &str) -> impl Iterator<Item = u8> {
    text.bytes().filter(u8::is_ascii)
}

fn text(payload: &[u8]) -> String {
    payload.iter().map(|&byte| char::from(byte)).collect()
}

/// The digits, before which nothing stands and behind which a blank may; boards of other makers
/// send names, and those are taken as they are.
fn serial(payload: &[u8]) -> String {
    let is_blank = |byte: &u8| matches!(byte, b' ' | 0);
    let digits = payload.split(is_blank).next().unwrap_or_default();
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    text(if is_number { digits } else { payload })
}

/// `None` for the 100 fields of a 10x10 board, on which no chess is played.
fn decode_dump(payload: &[u8]) -> Option<Dump> {
    let bytes: &[u8; N_FIELDS] = payload.try_into().ok()?;
    Some(Dump(bytes.map(FieldCode::from_byte)))
}

fn decode_half(payload: &[u8]) -> Option<Box<[u8; N_HALF_FIELDS]>> {
    let bytes: &[u8; N_HALF_FIELDS] = payload.try_into().ok()?;
    Some(Box::new(bytes.map(|byte| byte & 0x0f)))
}

/// Stands for "not available" in a battery status (protocol 1.9).
const NOT_AVAILABLE: u8 = 0x7f;

fn decode_battery(payload: &[u8]) -> Battery {
    let value = |at: usize| payload.get(at).copied().filter(|&byte| byte != NOT_AVAILABLE);
    let hours_minutes = |at| Some(u16::from(value(at)?) * 60 + u16::from(value(at + 1)?));
    let state = payload.get(8).copied().unwrap_or(0);
    let days_min = value(5).map(|days| u32::from(days) * 24 * 60);
    Battery {
        percent: payload[0],
        left_min: hours_minutes(1),
        on_min: hours_minutes(3),
        standby_min: days_min.and_then(|days| Some(days + u32::from(hours_minutes(6)?))),
        charging: state & 0x01 != 0,
        discharging: state & 0x02 != 0,
    }
}

fn encode_battery(battery: &Battery) -> [u8; 9] {
    let capped = |n: u32| u8::try_from(n.min(126)).expect("126 fits a byte");
    let hours_minutes = |minutes: Option<u16>| match minutes.map(u32::from) {
        Some(n) => [capped(n / 60), capped(n % 60)],
        None => [NOT_AVAILABLE; 2],
    };
    let [left_h, left_m] = hours_minutes(battery.left_min);
    let [on_h, on_m] = hours_minutes(battery.on_min);
    let [days, standby_h, standby_m] = match battery.standby_min {
        Some(n) => [capped(n / (24 * 60)), capped(n / 60 % 24), capped(n % 60)],
        None => [NOT_AVAILABLE; 3],
    };
    let state = u8::from(battery.charging) | u8::from(battery.discharging) << 1;
    [battery.percent, left_h, left_m, on_h, on_m, days, standby_h, standby_m, state]
}
