//! What is said on a line that many DGT boards share.
//!
//! A board in bus mode says nothing unasked. Each frame carries an address and a checksum of seven
//! bits, and all bytes but the first have their high bit clear, as in single mode. The answers have
//! ids that mean something else there. Protocol 4.

mod board;
mod line;
mod roll;

pub use board::BusFault;
pub use line::{BusLine, BusNews};

use crate::wire::clock::{ClockMessage, N_CLOCK_BYTES};
use crate::wire::field::{Dump, FieldCode, N_FIELDS};
use crate::wire::log::RING_LEN;
use crate::wire::message::total_len;

/// To this address all boards listen (protocol 4.2).
pub const ALL: u16 = 0;
/// The highest address: 14 bits (protocol 4.2).
pub const ADDRESS_MAX: u16 = 0x3fff;
/// A request has so many bytes: what, two of address, checksum (protocol 4.2).
pub const REQUEST_LEN: usize = 4;
/// An answer without data has so many: id, two of length, two of address, checksum.
pub const EMPTY_LEN: usize = 6;
/// No board was ever seen to say its version without telling it, but for those up to this one
/// (protocol 4.2).
const OLD_VERSION: (u8, u8) = (1, 2);

/// What a host may want of a board (protocol 4.2). What draughts need is not among it.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum BusCommand {
    /// `81`: what the clock shows.
    SendClock,
    /// `82`: all fields.
    SendBoard,
    /// `83`: all changes since this was asked last.
    SendChanges,
    /// `84`: the same changes once more.
    RepeatChanges,
    /// `85`: the start of a game is marked in the board's memory.
    SetStartOfGame,
    /// `86`: all changes since that mark, but for those that `83` would tell.
    SendFromStart,
    /// `87`: is anybody there? If it is for all, each answers at a random moment.
    Ping,
    /// `88`: back to single mode.
    EndBusMode,
    /// `89`: takes seconds.
    Reset,
    /// `8A`: answered at once; the next ping for all is not.
    IgnoreNextPing,
    /// `8B`: the version of the firmware.
    SendVersion,
    /// `8D`: changes, clock and board, one after the other.
    SendAll,
}

impl BusCommand {
    const BYTES: [(u8, Self); 12] = [
        (0x81, Self::SendClock),
        (0x82, Self::SendBoard),
        (0x83, Self::SendChanges),
        (0x84, Self::RepeatChanges),
        (0x85, Self::SetStartOfGame),
        (0x86, Self::SendFromStart),
        (0x87, Self::Ping),
        (0x88, Self::EndBusMode),
        (0x89, Self::Reset),
        (0x8a, Self::IgnoreNextPing),
        (0x8b, Self::SendVersion),
        (0x8d, Self::SendAll),
    ];

    /// Whether its answer is told once, and again only to who asks for the same once more.
    pub(super) const fn is_for_changes(self) -> bool {
        matches!(self, Self::SendChanges | Self::RepeatChanges)
    }

    /// Only these may be for all (protocol 4.2).
    const fn may_be_for_all(self) -> bool {
        matches!(self, Self::Ping | Self::EndBusMode | Self::Reset)
    }
}

/// A command for one board, or for all.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub struct BusRequest {
    /// What is wanted.
    pub command: BusCommand,
    /// Of whom, 1..=[`ADDRESS_MAX`]; or [`ALL`].
    pub address: u16,
}

impl BusRequest {
    /// The bytes to send.
    pub fn encode(self) -> [u8; REQUEST_LEN] {
        let known = BusCommand::BYTES.iter().find(|(_, command)| *command == self.command);
        let (byte, _) = known.expect("the table holds every command");
        let [high, low] = seven_bits(self.address);
        [*byte, high, low, checksum(&[*byte, high, low])]
    }

    /// The request in exactly these bytes; `None` if they are broken, unknown, or for all though
    /// that cannot be.
    pub fn decode(bytes: [u8; REQUEST_LEN]) -> Option<Self> {
        let [byte, high, low, sum] = bytes;
        let is_sound = sum == checksum(&bytes[..3]) && (high | low) & 0x80 == 0;
        let known = BusCommand::BYTES.iter().find(|(known, _)| *known == byte);
        let (_, command) = known.filter(|_| is_sound)?;
        let address = u16::from(high) << 7 | u16::from(low);
        (address != ALL || command.may_be_for_all()).then_some(Self { command: *command, address })
    }
}

/// What a board answers (protocol 4.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BusAnswer {
    /// `83`: all fields.
    Board(Box<Dump>),
    /// `84`: the clock behind the board.
    Clock(ClockMessage),
    /// `85`: bytes for [`crate::wire::decode_log`], without an end mark; perhaps none.
    Changes(Vec<u8>),
    /// `86`: the same.
    FromStart(Vec<u8>),
    /// `87`: I am here.
    Pong,
    /// `88`: the start of the game is marked.
    StartSet,
    /// `89`: as in single mode.
    Version {
        /// 0..=127.
        major: u8,
        /// 0..=127.
        minor: u8,
    },
}

impl BusAnswer {
    /// Whether a board answers the command so.
    pub const fn answers(&self, command: BusCommand) -> bool {
        matches!(
            (self, command),
            (Self::Board(_), BusCommand::SendBoard)
                | (Self::Clock(_), BusCommand::SendClock)
                | (Self::Changes(_), BusCommand::SendChanges | BusCommand::RepeatChanges)
                | (Self::FromStart(_), BusCommand::SendFromStart)
                | (Self::Pong, BusCommand::Ping | BusCommand::IgnoreNextPing)
                | (Self::StartSet, BusCommand::SetStartOfGame)
                | (Self::Version { .. }, BusCommand::SendVersion)
        )
    }
}

/// An answer and the board that gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BusMessage {
    /// Its address, 0..=[`ADDRESS_MAX`].
    pub address: u16,
    /// What it says.
    pub answer: BusAnswer,
}

impl BusMessage {
    /// The frame that a board would send.
    pub fn encode(&self) -> Vec<u8> {
        let (id, data) = match &self.answer {
            BusAnswer::Board(dump) => (0x83, dump.0.iter().map(|code| code.byte()).collect()),
            BusAnswer::Clock(clock) => (0x84, clock.encode().to_vec()),
            BusAnswer::Changes(log) => (0x85, log.clone()),
            BusAnswer::FromStart(log) => (0x86, log.clone()),
            BusAnswer::Pong => (0x87, Vec::new()),
            BusAnswer::StartSet => (0x88, Vec::new()),
            BusAnswer::Version { major, minor } => (0x89, vec![*major, *minor]),
        };
        let [high, low] = seven_bits(self.address);
        let mut bytes = vec![id, 0, 0, high, low];
        bytes.extend(data.into_iter().take(RING_LEN).map(|byte| byte & 0x7f));
        let total = u16::try_from(bytes.len() + 1).expect("a memory fits 14 bits");
        bytes[1..3].copy_from_slice(&seven_bits(total));
        bytes.push(checksum(&bytes));
        bytes
    }

    /// The message in exactly one frame; `None` if anything about it is wrong.
    pub fn decode(frame: &[u8]) -> Option<Self> {
        let (&[id, len_high, len_low, high, low], rest) = frame.split_first_chunk()?;
        let (sum, data) = rest.split_last()?;
        let total = total_len(len_high, len_low);
        let is_sound = total == frame.len()
            && is_plausible(id, total)
            && frame[1..].iter().all(|byte| byte & 0x80 == 0)
            && *sum == checksum(&frame[..frame.len() - 1]);
        if !is_sound {
            return None;
        }
        let answer = match id {
            0x83 => {
                let codes: &[u8; N_FIELDS] = data.try_into().ok()?;
                BusAnswer::Board(Box::new(Dump(codes.map(FieldCode::from_byte))))
            }
            0x84 => BusAnswer::Clock(ClockMessage::decode(data.try_into().ok()?)),
            0x85 => BusAnswer::Changes(data.to_vec()),
            0x86 => BusAnswer::FromStart(data.to_vec()),
            0x87 => BusAnswer::Pong,
            0x88 => BusAnswer::StartSet,
            0x89 => {
                let (major, minor) =
                    data.first().copied().zip(data.get(1).copied()).unwrap_or(OLD_VERSION);
                BusAnswer::Version { major, minor }
            }
            _ => return None,
        };
        Some(Self { address: u16::from(high) << 7 | u16::from(low), answer })
    }
}

/// Whether an answer may have this id and this total length (protocol 4.2).
fn is_plausible(id: u8, total: usize) -> bool {
    match id {
        0x83 => total == EMPTY_LEN + N_FIELDS,
        0x84 => total == EMPTY_LEN + N_CLOCK_BYTES,
        0x85 | 0x86 => (EMPTY_LEN..=EMPTY_LEN + RING_LEN).contains(&total),
        0x87 | 0x88 => total == EMPTY_LEN,
        0x89 => total == EMPTY_LEN || total == EMPTY_LEN + 2,
        _ => false,
    }
}

/// What came out of the stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BusItem {
    /// A whole answer whose checksum is right.
    Message(BusMessage),
    /// So many bytes that made none, at least 1.
    Hurt(usize),
}

/// Cuts a stream into answers. However it is cut into reads, the answers are the same.
#[derive(Debug, Clone, Default)]
pub struct BusDecoder {
    /// An answer, as far as it has come.
    partial: Vec<u8>,
    n_noise: usize,
}

impl BusDecoder {
    /// Takes bytes and appends what they complete to `out`.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<BusItem>) {
        for &byte in bytes {
            if byte & 0x80 != 0 {
                self.reset(out);
            }
            if byte & 0x80 == 0 && self.partial.is_empty() {
                self.n_noise += 1;
                continue;
            }
            self.partial.push(byte);
            self.look(out);
        }
        self.tell_noise(out);
    }

    /// Gives up what is unfinished, as when nothing comes any more.
    pub fn reset(&mut self, out: &mut Vec<BusItem>) {
        self.n_noise += std::mem::take(&mut self.partial).len();
        self.tell_noise(out);
    }

    fn look(&mut self, out: &mut Vec<BusItem>) {
        let &[id, high, low, ..] = &self.partial[..] else { return };
        let total = total_len(high, low);
        if !is_plausible(id, total) {
            return self.reset(out);
        }
        if self.partial.len() == total {
            match BusMessage::decode(&self.partial) {
                Some(message) => {
                    self.partial.clear();
                    out.push(BusItem::Message(message));
                }
                None => self.reset(out),
            }
        }
    }

    fn tell_noise(&mut self, out: &mut Vec<BusItem>) {
        if self.n_noise > 0 {
            out.push(BusItem::Hurt(std::mem::take(&mut self.n_noise)));
        }
    }
}

/// The low 14 bits, seven and seven, high first.
fn seven_bits(value: u16) -> [u8; 2] {
    [value >> 7, value].map(|bits| u8::try_from(bits & 0x7f).expect("seven bits"))
}

/// The sum of all bytes before it, seven bits of it (protocol 4.2).
fn checksum(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte)) & 0x7f
}
