//! The DGT3000 on its own jack: the frames that it and the host write to each other over I2C.
//!
//! Two masters share the bus. Whoever has something to say writes a frame to the other's address,
//! so the address byte belongs to the frame and to its checksum, though some hardware keeps it for
//! itself. Protocol 6.

mod command;
mod driver;
mod message;

pub use command::{BEEP_MAX, I2cCommand, I2cSet, SideRun};
pub use driver::{Dgt3000, I2cInput, I2cOp, WriteEnd};
pub use message::{AckVerdict, I2cAck, I2cMessage, I2cTime, KeyEvent, Keys};

use super::clock::TimeFault;

/// Longest frame known, in bytes (protocol 6.2).
pub const FRAME_MAX: usize = 51;
/// Address, source, length, type and checksum: a frame without data.
const FRAME_MIN: usize = 5;
/// Source byte of frames from the host: its acknowledgement address, twice (protocol 6.2).
const FROM_HOST: u8 = 0x20;
/// Source byte of frames from the clock.
const FROM_CLOCK: u8 = 0x10;

/// Who is written to: 7-bit addresses (protocol 6.1).
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Address {
    /// `00`, the general call: the clock reports times, keys and texts to it.
    General,
    /// `08`: the clock.
    Clock,
    /// `10`: the host, for acknowledgements.
    HostAck,
    /// `28`: the clock while it sleeps.
    Wake,
}

impl Address {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::General, Self::Clock, Self::HostAck, Self::Wake];

    /// The address as the bus knows it, 7 bits.
    pub const fn bits(self) -> u8 {
        match self {
            Self::General => 0x00,
            Self::Clock => 0x08,
            Self::HostAck => 0x10,
            Self::Wake => 0x28,
        }
    }

    /// The one with these 7 bits.
    pub fn of_bits(bits: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|address| address.bits() == bits)
    }

    /// The first byte of a frame to it.
    const fn byte(self) -> u8 {
        self.bits() << 1
    }
}

/// What is wrong with bytes that are no frame.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum FrameFault {
    /// Shorter or longer than any frame.
    Size(usize),
    /// The length byte says another number than came.
    Length {
        /// What it says.
        said: u8,
        /// How many came, the address byte included.
        came: usize,
    },
    /// The checksum is wrong.
    Checksum,
    /// Neither the clock nor the host has this address, or the source is another.
    Stranger,
    /// The type is known, but not with so little data.
    Short,
    /// A time that no clock shows.
    Time(TimeFault),
}

/// CRC-8 of `bytes`: polynomial 07, start 00, not reflected, nothing added (protocol 6.2).
///
/// ```
/// use rokade::wire::dgt3000::crc;
/// assert_eq!(crc(&[0x10, 0x20, 0x05, 0x0f]), 0x48);
/// ```
pub fn crc(bytes: &[u8]) -> u8 {
    const POLYNOMIAL: u8 = 0x07;
    bytes.iter().fold(0, |sum, byte| {
        (0..8).fold(sum ^ byte, |sum, _| {
            let carry = if sum & 0x80 != 0 { POLYNOMIAL } else { 0 };
            (sum << 1) ^ carry
        })
    })
}

/// A frame: both addresses, length, type, data and checksum.
fn seal(to: Address, from: u8, kind: u8, data: &[u8]) -> Vec<u8> {
    let length = u8::try_from(FRAME_MIN + data.len()).expect("a frame is at most 51 bytes");
    let mut frame = vec![to.byte(), from, length, kind];
    frame.extend(data);
    frame.push(crc(&frame));
    frame
}

/// The addressee, type and data of a frame from `from`.
fn open(frame: &[u8], from: u8) -> Result<(Address, u8, &[u8]), FrameFault> {
    if !(FRAME_MIN..=FRAME_MAX).contains(&frame.len()) {
        return Err(FrameFault::Size(frame.len()));
    }
    if usize::from(frame[2]) != frame.len() {
        return Err(FrameFault::Length { said: frame[2], came: frame.len() });
    }
    let (body, sum) = frame.split_at(frame.len() - 1);
    if crc(body) != sum[0] {
        return Err(FrameFault::Checksum);
    }
    let to = (body[0] & 1 == 0).then(|| Address::of_bits(body[0] >> 1)).flatten();
    match to {
        Some(to) if body[1] == from => Ok((to, body[3], &body[4..])),
        _ => Err(FrameFault::Stranger),
    }
}
