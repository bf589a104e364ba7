//! What a DGT3000 says over I2C: times, keys, and answers.
//!
//! A key message holds the keys before and after, so one lost message can be told from the next.
//! The lever is a key among them. Bytes whose meaning is unknown are passed over. Protocol 6.4.

use super::command::{CHANGE_STATE, DISPLAY, END_DISPLAY, SET_AND_RUN, seconds};
use super::{Address, FROM_CLOCK, FrameFault, open, seal};
use crate::table::End;
use crate::wire::clock::{bcd, hms};
use crate::wire::{Button, Buttons};

const ACK: u8 = 0x01;
const HELLO: u8 = 0x02;
const TIME: u8 = 0x04;
const KEYS: u8 = 0x05;

/// Data of the hello (protocol 6.4).
const HELLO_DATA: [u8; 2] = [0x22, 0x01];
/// Data bytes of a time message: 24 with head and checksum (protocol 6.4).
const TIME_LEN: usize = 19;
const LEVER_RIGHT_HIGH: u8 = 0x01;

const POWER: u8 = 0x20;
const LEVER: u8 = 0x40;
/// The five buttons of the front.
const BUTTONS: u8 = 0x1f;

/// A message from the clock.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum I2cMessage {
    /// `01`: an answer to a command.
    Ack(I2cAck),
    /// `02`: the clock has woken.
    Hello,
    /// `04`: a reading, about once a second.
    Time(I2cTime),
    /// `05`: keys went down or up.
    Keys {
        /// Those down now.
        now: Keys,
        /// Those down before.
        before: Keys,
    },
    /// Two zero bytes, which the clock sends after some messages. Means nothing.
    Empty,
    /// A frame of another type, whole but of no use to us.
    Other(u8),
}

/// An answer to a command.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub struct I2cAck {
    /// The address that it came on: an answer to `07` means another thing on each.
    pub on: Address,
    /// The command's id.
    pub command: u8,
    /// The status, which means another thing for each command.
    pub status: u8,
}

/// What an answer says of its command.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum AckVerdict {
    /// The command was carried out.
    Done,
    /// A text is shown already, so this one was not taken.
    TextShown,
    /// The clock does not obey: it has not been put into option 25, or runs a game of its own.
    Refused,
}

/// A reading (protocol 6.4).
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub struct I2cTime {
    /// Seconds on the left display.
    pub left: u32,
    /// Seconds on the right display.
    pub right: u32,
    /// The end of the lever that is up.
    pub high: End,
    /// Nothing new: the last message once more.
    pub is_repeat: bool,
}

/// Which keys are down; the lever counts as down while its right end is up.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash, Default)]
pub struct Keys(pub u8);

/// What a change of the keys means.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum KeyEvent {
    /// A button of the front went down; with it those that were down already.
    Pressed(Buttons),
    /// The on/off key went down.
    PowerPressed,
    /// The on/off key came up, and the clock is still on.
    PowerReleased,
    /// The lever turned; this end is up now.
    Lever(End),
}

impl Keys {
    /// The end of the lever that is up.
    pub const fn high(self) -> End {
        if self.0 & LEVER != 0 { End::Right } else { End::Left }
    }

    /// The same keys with this end of the lever up.
    #[must_use]
    pub const fn with_high(self, high: End) -> Self {
        match high {
            End::Right => Self(self.0 | LEVER),
            End::Left => Self(self.0 & !LEVER),
        }
    }

    /// The same keys with exactly these buttons down.
    #[must_use]
    pub fn with_buttons(self, buttons: Buttons) -> Self {
        Self(buttons.iter().fold(self.0 & !BUTTONS, |keys, button| keys | bit(button)))
    }

    /// What has happened since `before`: the lever first, for it is worth most.
    pub fn since(self, before: Self) -> Vec<KeyEvent> {
        let (rose, fell) = (self.0 & !before.0, before.0 & !self.0);
        let mut events = Vec::new();
        if (rose | fell) & LEVER != 0 {
            events.push(KeyEvent::Lever(self.high()));
        }
        if rose & POWER != 0 {
            events.push(KeyEvent::PowerPressed);
        }
        if fell & POWER != 0 {
            events.push(KeyEvent::PowerReleased);
        }
        if rose & BUTTONS != 0 {
            let down: Vec<_> = Button::ALL.into_iter().filter(|b| self.0 & bit(*b) != 0).collect();
            events.push(KeyEvent::Pressed(Buttons::of(&down)));
        }
        events
    }
}

/// A button's bit: the leftmost one has the lowest (protocol 6.4).
const fn bit(button: Button) -> u8 {
    1 << button as u8
}

impl I2cAck {
    /// What it says (protocol 6.3).
    pub const fn verdict(self) -> AckVerdict {
        let is_done = match (self.command, self.on) {
            (DISPLAY, _) => {
                let is_shown = self.status & 0xf3 == 0x23;
                return if is_shown { AckVerdict::TextShown } else { AckVerdict::Done };
            }
            (END_DISPLAY, Address::HostAck) => self.status & 0x07 == 0x05,
            (END_DISPLAY, _) => self.status & 0x07 == 0x00,
            (SET_AND_RUN | CHANGE_STATE, _) => self.status == 0x08,
            _ => self.status & 0x08 != 0,
        };
        if is_done { AckVerdict::Done } else { AckVerdict::Refused }
    }
}

impl I2cTime {
    fn encode(self) -> [u8; TIME_LEN] {
        let mut data = [0; TIME_LEN];
        // Indices of protocol 6.4, less the four bytes before the data.
        for (idx, seconds) in [(1, self.left), (7, self.right)] {
            let (hours, minutes, seconds) = hms(seconds);
            data[idx..idx + 3].copy_from_slice(&[hours, bcd(minutes), bcd(seconds)]);
        }
        data[15] = if self.high == End::Right { LEVER_RIGHT_HIGH } else { 0 };
        data[16] = u8::from(self.is_repeat);
        data
    }

    fn parse(data: &[u8]) -> Result<Self, FrameFault> {
        if data.len() != TIME_LEN {
            return Err(FrameFault::Short);
        }
        Ok(Self {
            left: seconds([data[1], data[2], data[3]], End::Left)?,
            right: seconds([data[7], data[8], data[9]], End::Right)?,
            high: if data[15] & LEVER_RIGHT_HIGH != 0 { End::Right } else { End::Left },
            is_repeat: data[16] == 1,
        })
    }
}

impl I2cMessage {
    /// The frame, its address byte first, as a clock would send it.
    pub fn encode(&self) -> Vec<u8> {
        let frame = |kind, data: &[u8]| seal(Address::General, FROM_CLOCK, kind, data);
        match *self {
            // What the byte after the status says is unknown.
            Self::Ack(I2cAck { on, command, status }) => {
                seal(on, FROM_CLOCK, ACK, &[command, status, 0])
            }
            Self::Hello => frame(HELLO, &HELLO_DATA),
            Self::Time(time) => frame(TIME, &time.encode()),
            Self::Keys { now, before } => frame(KEYS, &[now.0, before.0]),
            Self::Empty => vec![0; 3],
            Self::Other(kind) => frame(kind, &[]),
        }
    }

    /// Reads a frame, its address byte first; hardware that keeps that byte has it put back.
    ///
    /// # Errors
    /// The bytes are no frame of a clock, or its time cannot be.
    pub fn decode(frame: &[u8]) -> Result<Self, FrameFault> {
        if let [_, 0, 0] = frame {
            return Ok(Self::Empty);
        }
        let (on, kind, data) = open(frame, FROM_CLOCK)?;
        match (kind, data) {
            (ACK, [command, status, ..]) => {
                Ok(Self::Ack(I2cAck { on, command: *command, status: *status }))
            }
            (HELLO, _) => Ok(Self::Hello),
            (TIME, data) => I2cTime::parse(data).map(Self::Time),
            (KEYS, [now, before, ..]) => Ok(Self::Keys { now: Keys(*now), before: Keys(*before) }),
            (ACK | KEYS, _) => Err(FrameFault::Short),
            (other, _) => Ok(Self::Other(other)),
        }
    }
}
