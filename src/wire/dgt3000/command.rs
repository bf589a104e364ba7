//! What the host asks of a DGT3000 over I2C.
//!
//! Two habits differ from the commands that a board forwards: minutes and seconds are in BCD here,
//! and both sides are set running each for itself. Protocol 6.3.

use super::{Address, FROM_HOST, FrameFault, open, seal};
use crate::table::End;
use crate::wire::LONG_TEXT_LEN;
use crate::wire::clock::{TimeFault, bcd, hms, sixty};

/// Wakes a sleeping clock. Its checksum is that of a frame to `10` and wrong for its own address;
/// it is what the maker's program sends, and a clock that sleeps does not mind (protocol 6.2).
const WAKE: [u8; 5] = [0x50, 0x20, 0x05, 0x0d, 0x46];

pub(super) const DEBUG: u8 = 0x03;
pub(super) const DISPLAY: u8 = 0x06;
pub(super) const END_DISPLAY: u8 = 0x07;
pub(super) const SET_AND_RUN: u8 = 0x0a;
pub(super) const CHANGE_STATE: u8 = 0x0b;
pub(super) const CENTRAL_CONTROL: u8 = 0x0f;

/// On, in option 25 (protocol 6.3).
const ON_25: u8 = 0x20 + 25;
const OFF: u8 = 0x00;
/// No automatic messages, for searching faults (protocol 6.3).
const SILENT: u8 = 0xd1;
/// Between text and beep.
const AFTER_TEXT: u8 = 0xff;
/// Between beep and dots.
const AFTER_BEEP: u8 = 0x03;
/// Longest beep, in units of 62.5 ms: 3 s (protocol 6.3).
pub const BEEP_MAX: u8 = 0x30;

/// What a side of the clock does (protocol 6.3).
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum SideRun {
    /// The side stands.
    Stop,
    /// The side counts down.
    Down,
    /// The side counts up.
    Up,
}

/// Times and who runs (protocol 6.3).
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub struct I2cSet {
    /// Seconds for the left display, at most 9:59:59; more sets the most.
    pub left: u32,
    /// Seconds for the right display.
    pub right: u32,
    /// What the left side does.
    pub left_runs: SideRun,
    /// What the right side does.
    pub right_runs: SideRun,
}

/// A command to a DGT3000 on its jack.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum I2cCommand {
    /// `0D` to the wake address. Never acknowledged on the bus; a clock that wakes says hello.
    Wake,
    /// `0F`: the clock shall obey us from now on.
    SetCentralControl,
    /// `0B`: on, in option 25, in which it obeys.
    Mode25,
    /// `0B`: off.
    Off,
    /// `0A`: sets times and sides running.
    SetAndRun(I2cSet),
    /// `06`: a text with its dots. Refused while another text is shown.
    Display {
        /// ASCII 20..=7E; see [`crate::wire::clock_command::padded`].
        text: [u8; LONG_TEXT_LEN],
        /// Units of 62.5 ms, at most [`BEEP_MAX`].
        beep: u8,
        /// 01 flag, 02 white king, 04 black king, 08 colon, 10 dot, 20 extra dot.
        left_dots: u8,
        /// Dots of the right side, without the extra one.
        right_dots: u8,
    },
    /// `07`: away with the text.
    EndDisplay,
    /// `03`: no automatic messages. For searching faults.
    Silent,
}

impl I2cSet {
    fn encode(self) -> [u8; 7] {
        let side = |seconds| {
            let (hours, minutes, seconds) = hms(seconds);
            [hours, bcd(minutes), bcd(seconds)]
        };
        let runs = |run| match run {
            SideRun::Stop => 0,
            SideRun::Down => 1,
            SideRun::Up => 2,
        };
        let ([l0, l1, l2], [r0, r1, r2]) = (side(self.left), side(self.right));
        [l0, l1, l2, r0, r1, r2, runs(self.left_runs) | (runs(self.right_runs) << 2)]
    }

    fn parse(data: &[u8]) -> Result<Self, FrameFault> {
        let &[l0, l1, l2, r0, r1, r2, runs] = data else { return Err(FrameFault::Short) };
        let run = |bits| match bits & 3 {
            1 => SideRun::Down,
            2 => SideRun::Up,
            _ => SideRun::Stop,
        };
        Ok(Self {
            left: seconds([l0, l1, l2], End::Left)?,
            right: seconds([r0, r1, r2], End::Right)?,
            left_runs: run(runs),
            right_runs: run(runs >> 2),
        })
    }
}

/// Hours in the low nibble, minutes and seconds in BCD, both ways (protocol 6.3, 6.4).
pub(super) fn seconds(bytes: [u8; 3], end: End) -> Result<u32, FrameFault> {
    let hours = u32::from(bytes[0] & 0x0f);
    if hours > 9 {
        return Err(FrameFault::Time(TimeFault::Hours(end)));
    }
    let minutes = sixty(bytes[1]).ok_or(FrameFault::Time(TimeFault::Minutes(end)))?;
    let seconds = sixty(bytes[2]).ok_or(FrameFault::Time(TimeFault::Seconds(end)))?;
    Ok(hours * 3600 + minutes * 60 + seconds)
}

impl I2cCommand {
    /// The command id, which an acknowledgement repeats.
    pub const fn id(&self) -> u8 {
        match self {
            Self::Wake => WAKE[3],
            Self::SetCentralControl => CENTRAL_CONTROL,
            Self::Mode25 | Self::Off => CHANGE_STATE,
            Self::SetAndRun(_) => SET_AND_RUN,
            Self::Display { .. } => DISPLAY,
            Self::EndDisplay => END_DISPLAY,
            Self::Silent => DEBUG,
        }
    }

    /// The address on which the host must listen before it sends this: where the answer goes
    /// (protocol 6.3, 6.6).
    pub const fn answers_on(&self) -> Address {
        match self {
            Self::Wake | Self::Display { .. } => Address::General,
            _ => Address::HostAck,
        }
    }

    /// The frame, its address byte first.
    pub fn encode(&self) -> Vec<u8> {
        let frame = |data: &[u8]| seal(Address::Clock, FROM_HOST, self.id(), data);
        match *self {
            Self::Wake => WAKE.to_vec(),
            Self::SetCentralControl | Self::EndDisplay => frame(&[]),
            Self::Mode25 => frame(&[ON_25]),
            Self::Off => frame(&[OFF]),
            Self::Silent => frame(&[SILENT]),
            Self::SetAndRun(set) => frame(&set.encode()),
            Self::Display { text, beep, left_dots, right_dots } => {
                let mut data = text.to_vec();
                data.extend([AFTER_TEXT, beep.min(BEEP_MAX), AFTER_BEEP, left_dots, right_dots]);
                frame(&data)
            }
        }
    }

    /// What a clock hears.
    ///
    /// # Errors
    /// The bytes are no frame from a host to a clock; [`FrameFault::Stranger`] also for a type that
    /// no host should send.
    pub fn decode(frame: &[u8]) -> Result<Self, FrameFault> {
        if frame == WAKE {
            return Ok(Self::Wake);
        }
        let (to, kind, data) = open(frame, FROM_HOST)?;
        if to != Address::Clock {
            return Err(FrameFault::Stranger);
        }
        match (kind, data) {
            (CENTRAL_CONTROL, []) => Ok(Self::SetCentralControl),
            (CHANGE_STATE, [ON_25]) => Ok(Self::Mode25),
            (CHANGE_STATE, [OFF]) => Ok(Self::Off),
            (END_DISPLAY, []) => Ok(Self::EndDisplay),
            (DEBUG, [SILENT]) => Ok(Self::Silent),
            (SET_AND_RUN, data) => I2cSet::parse(data).map(Self::SetAndRun),
            (DISPLAY, [text @ .., AFTER_TEXT, beep, AFTER_BEEP, left_dots, right_dots]) => {
                let text = text.try_into().map_err(|_| FrameFault::Short)?;
                let (beep, left_dots, right_dots) = (*beep, *left_dots, *right_dots);
                Ok(Self::Display { text, beep, left_dots, right_dots })
            }
            _ => Err(FrameFault::Stranger),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::crc;
    use super::*;

    #[test]
    fn the_wake_frame_carries_the_published_checksum() {
        assert_eq!(crc(&[0x10, 0x20, 0x05, 0x0d]), WAKE[4]);
        assert_eq!(crc(&WAKE[..4]), 0xdd);
    }
}
