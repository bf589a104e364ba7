//! What the clock says through the board: times, the lever, and answers to commands.
//!
//! One message id carries two languages, times and acknowledgements, told apart by a digit that no
//! clock can show; and the lever, which is worth more than the times, sits in the same byte as the
//! flag that there is no clock at all. Protocol 2.

use crate::table::End;
use std::time::Duration;

/// Payload bytes of a clock message (protocol 2, d0..d6).
pub const N_CLOCK_BYTES: usize = 7;

/// Longest time that a clock can report: 9 h 59 min 59 s (protocol 2.1).
pub const SECONDS_MAX: u32 = 9 * 3600 + 59 * 60 + 59;

/// Low nibble of d0 or d3 that marks an acknowledgement (protocol 2.3).
const ACK_MARK: u8 = 0x0a;

const FLAG_BLOCKED: u8 = 0x10;
const PER_MOVE: u8 = 0x20;
const FLAG_SHOWN: u8 = 0x40;
const RUNNING: u8 = 0x01;
const RIGHT_HIGH: u8 = 0x02;
const BATTERY_LOW: u8 = 0x04;
const TURN_LEFT: u8 = 0x08;
const TURN_RIGHT: u8 = 0x10;
const NO_CLOCK: u8 = 0x20;

/// One display of the clock (protocol 2.1).
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub struct SideTime {
    /// Whole seconds shown, 0..=[`SECONDS_MAX`].
    pub seconds: u32,
    /// The flag has fallen and the clock is stopped at zero.
    pub flag_blocked: bool,
    /// The indicator for increment or delay is lit.
    pub per_move: bool,
    /// A fallen flag is shown; the clock may run on in the next period.
    pub flag_shown: bool,
}

impl SideTime {
    /// A side that shows `seconds` and nothing else; more than [`SECONDS_MAX`] shows the most.
    pub fn of_seconds(seconds: u32) -> Self {
        let seconds = seconds.min(SECONDS_MAX);
        Self { seconds, flag_blocked: false, per_move: false, flag_shown: false }
    }

    /// The time shown.
    pub fn time(self) -> Duration {
        Duration::from_secs(u64::from(self.seconds))
    }

    fn decode(bytes: [u8; 3], end: End) -> Result<Self, TimeFault> {
        let hours = u32::from(bytes[0] & 0x0f);
        if hours > 9 {
            return Err(TimeFault::Hours(end));
        }
        let minutes = sixty(bytes[1]).ok_or(TimeFault::Minutes(end))?;
        let seconds = sixty(bytes[2]).ok_or(TimeFault::Seconds(end))?;
        Ok(Self {
            seconds: hours * 3600 + minutes * 60 + seconds,
            flag_blocked: bytes[0] & FLAG_BLOCKED != 0,
            per_move: bytes[0] & PER_MOVE != 0,
            flag_shown: bytes[0] & FLAG_SHOWN != 0,
        })
    }

    fn encode(self) -> [u8; 3] {
        let (hours, minutes, seconds) = hms(self.seconds);
        let flags = bit(self.flag_blocked, FLAG_BLOCKED)
            | bit(self.per_move, PER_MOVE)
            | bit(self.flag_shown, FLAG_SHOWN);
        [hours | flags, bcd(minutes), bcd(seconds)]
    }
}

/// Hours, minutes and seconds of `seconds`, of which more than [`SECONDS_MAX`] counts as the most.
pub(crate) fn hms(seconds: u32) -> (u8, u8, u8) {
    let seconds = seconds.min(SECONDS_MAX);
    let byte = |n: u32| u8::try_from(n).expect("hours, minutes and seconds are below 60");
    (byte(seconds / 3600), byte(seconds / 60 % 60), byte(seconds % 60))
}

/// A value below 60 in binary coded decimal; `None` if a digit or the value is impossible.
pub(crate) fn sixty(byte: u8) -> Option<u32> {
    let (tens, units) = (byte >> 4, byte & 0x0f);
    (tens <= 5 && units <= 9).then(|| u32::from(tens * 10 + units))
}

/// Binary coded decimal of a value below 100.
pub(crate) const fn bcd(value: u8) -> u8 {
    ((value / 10) << 4) | (value % 10)
}

const fn bit(on: bool, mask: u8) -> u8 {
    if on { mask } else { 0 }
}

/// The lever and whether time runs: more urgent than the times themselves (protocol 2.6).
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub struct Lever {
    /// A side counts down.
    pub running: bool,
    /// The end that is up: that side is on move (protocol 2.2).
    pub high: End,
}

/// A reading of the clock (protocol 2.1). The bits for "whose turn" are not kept: their sources
/// disagree (protocol 10).
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub struct ClockTime {
    /// The left display.
    pub left: SideTime,
    /// The right display.
    pub right: SideTime,
    /// The side whose end is up counts down.
    pub running: bool,
    /// The end of the lever that is up: that side is on move (protocol 2.2).
    pub high: End,
    /// The clock shows that its battery is low.
    pub battery_low: bool,
}

impl ClockTime {
    /// The display at `end`.
    pub fn side(&self, end: End) -> SideTime {
        match end {
            End::Left => self.left,
            End::Right => self.right,
        }
    }
}

/// Why a time was rejected (protocol 2.3, rule 4).
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum TimeFault {
    /// More than nine hours.
    Hours(End),
    /// Minutes that are no number below 60 in BCD.
    Minutes(End),
    /// Seconds that are no number below 60 in BCD.
    Seconds(End),
}

/// What message `8D` said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClockMessage {
    /// A reading.
    Time(ClockTime),
    /// No clock is connected; the reading is void.
    NoClock,
    /// The clock answers a command, or reports something of its own accord.
    Ack(Ack),
    /// All bytes zero: Bluetooth firmware sends that after a clock command. Means nothing.
    Empty,
    /// A reading with an impossible time, whose lever still counts (protocol 2.6).
    Rejected {
        /// What was impossible; the first of several, right side first.
        why: TimeFault,
        /// As in [`ClockTime`].
        running: bool,
        /// As in [`ClockTime`].
        high: End,
        /// The bytes as they came, for the log.
        payload: [u8; N_CLOCK_BYTES],
    },
}

impl ClockMessage {
    /// Reads d0..d6 in the order of protocol 2.3. Never fails.
    pub fn decode(payload: [u8; N_CLOCK_BYTES]) -> Self {
        let [d0, d1, d2, d3, d4, d5, d6] = payload;
        if payload == [0; N_CLOCK_BYTES] {
            return Self::Empty;
        }
        if d0 & 0x0f == ACK_MARK || d3 & 0x0f == ACK_MARK {
            return Self::Ack(Ack::unpack(payload));
        }
        if d6 & NO_CLOCK != 0 {
            return Self::NoClock;
        }
        let running = d6 & RUNNING != 0;
        let high = if d6 & RIGHT_HIGH != 0 { End::Right } else { End::Left };
        let right = SideTime::decode([d0, d1, d2], End::Right);
        let left = SideTime::decode([d3, d4, d5], End::Left);
        match (left, right) {
            (Ok(left), Ok(right)) => {
                let battery_low = d6 & BATTERY_LOW != 0;
                Self::Time(ClockTime { left, right, running, high, battery_low })
            }
            (_, Err(why)) | (Err(why), _) => Self::Rejected { why, running, high, payload },
        }
    }

    /// d0..d6 as a board would send them. The bits for "whose turn" are set as in the captures of
    /// protocol 2.2, so a reading is never all zero.
    pub fn encode(&self) -> [u8; N_CLOCK_BYTES] {
        match self {
            Self::Time(time) => {
                let [d0, d1, d2] = time.right.encode();
                let [d3, d4, d5] = time.left.encode();
                let lever = match time.high {
                    End::Left => TURN_LEFT,
                    End::Right => TURN_RIGHT | RIGHT_HIGH,
                };
                let d6 = lever | bit(time.running, RUNNING) | bit(time.battery_low, BATTERY_LOW);
                [d0, d1, d2, d3, d4, d5, d6]
            }
            Self::NoClock => [0, 0, 0, 0, 0, 0, NO_CLOCK],
            Self::Ack(ack) => ack.pack(),
            Self::Empty => [0; N_CLOCK_BYTES],
            Self::Rejected { payload, .. } => *payload,
        }
    }

    /// The lever, from a reading whose time may be impossible; `None` if nothing is known of it.
    pub fn lever(&self) -> Option<Lever> {
        match *self {
            Self::Time(ClockTime { running, high, .. }) | Self::Rejected { running, high, .. } => {
                Some(Lever { running, high })
            }
            Self::NoClock | Self::Ack(_) | Self::Empty => None,
        }
    }
}

/// An acknowledgement: ack0..ack3 of protocol 2.4.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub struct Ack(pub [u8; 4]);

/// How the command fared (ack0, protocol 2.4).
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum AckOutcome {
    /// `10`: all is well.
    Normal,
    /// `40`: the clock is not in the mode in which it obeys.
    NotRemote,
    /// `20` or anything else: the command was lost; once more may help (protocol 3.5).
    Error(u8),
}

/// What is acknowledged or reported (ack1, protocol 2.4).
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum AckKind {
    /// `01`: segments are on the display.
    Display,
    /// `02`: icons are set.
    Icons,
    /// `03`: the text is gone.
    End,
    /// `08`: the query for buttons was heard; it says nothing about buttons.
    ButtonQuery,
    /// `09`: the clock's version. Major 1 is the XL family, 2 the DGT3000's (protocol 3.7).
    Version {
        /// 0..=15.
        major: u8,
        /// 0..=15.
        minor: u8,
    },
    /// `0A`: times are set.
    SetAndRun,
    /// `0B`: the beep is sounding.
    Beep,
    /// `0C`: the text is on the display.
    Text,
    /// `81`: the clock is ready.
    Ready,
    /// `88`: somebody pressed these buttons.
    Pressed(Buttons),
    /// `8A`: perhaps the number of the clock's mode. For the log only.
    Mode(u8),
    /// `90`: perhaps "not in the remote mode". For the log only.
    NotInMode,
    /// Any other ack1.
    Other(u8),
}

impl Ack {
    fn unpack([d0, d1, d2, d3, d4, d5, _]: [u8; N_CLOCK_BYTES]) -> Self {
        Self([
            d1 & 0x7f | (d3 << 3) & 0x80,
            d2 & 0x7f | (d3 << 2) & 0x80,
            d4 & 0x7f | (d0 << 3) & 0x80,
            d5 & 0x7f | (d0 << 2) & 0x80,
        ])
    }

    fn pack(self) -> [u8; N_CLOCK_BYTES] {
        let [a0, a1, a2, a3] = self.0;
        let d0 = ACK_MARK | bit(a2 & 0x80 != 0, 0x10) | bit(a3 & 0x80 != 0, 0x20);
        let d3 = ACK_MARK | bit(a0 & 0x80 != 0, 0x10) | bit(a1 & 0x80 != 0, 0x20);
        [d0, a0 & 0x7f, a1 & 0x7f, d3, a2 & 0x7f, a3 & 0x7f, 0]
    }

    /// How the command fared.
    pub fn outcome(self) -> AckOutcome {
        match self.0[0] {
            0x10 => AckOutcome::Normal,
            0x40 => AckOutcome::NotRemote,
            other => AckOutcome::Error(other),
        }
    }

    /// The clock spoke of its own accord; such a report answers no command (protocol 3.5).
    pub fn is_spontaneous(self) -> bool {
        self.0[1] & 0x80 != 0
    }

    /// What is acknowledged or reported.
    pub fn kind(self) -> AckKind {
        let [_, ack1, ack2, ack3] = self.0;
        match ack1 {
            0x01 => AckKind::Display,
            0x02 => AckKind::Icons,
            0x03 => AckKind::End,
            0x08 => AckKind::ButtonQuery,
            0x09 => AckKind::Version { major: ack2 >> 4, minor: ack2 & 0x0f },
            0x0a => AckKind::SetAndRun,
            0x0b => AckKind::Beep,
            0x0c => AckKind::Text,
            0x81 => AckKind::Ready,
            0x88 => AckKind::Pressed(Buttons::of_ack(ack2, ack3)),
            0x8a => AckKind::Mode(ack3),
            0x90 => AckKind::NotInMode,
            other => AckKind::Other(other),
        }
    }

    /// A report that `buttons` were pressed; ack3 names the rightmost (protocol 2.5).
    pub fn pressed(buttons: Buttons) -> Self {
        let ack2 = buttons.iter().fold(0x01, |sum, button| sum | button.ack2_bit());
        let ack3 = buttons.iter().last().map_or(0, Button::ack3);
        Self([0x10, 0x88, ack2, ack3])
    }
}

/// A button on the clock's front, left to right (protocol 2.5).
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Button {
    /// The leftmost button.
    Back,
    /// The button marked minus.
    Minus,
    /// Run or pause, in the middle.
    Run,
    /// The button marked plus.
    Plus,
    /// Forward or "ok", the rightmost.
    Forward,
}

impl Button {
    /// All of them, left to right.
    pub const ALL: [Self; 5] = [Self::Back, Self::Minus, Self::Run, Self::Plus, Self::Forward];

    /// Its digit in ack3. The numbering runs against the order on the front (protocol 2.5).
    const fn ack3(self) -> u8 {
        [0x31, 0x34, 0x33, 0x32, 0x35][self as usize]
    }

    /// Its bit in ack2, whose base is 01 (protocol 2.5).
    const fn ack2_bit(self) -> u8 {
        [0x04, 0x20, 0x10, 0x08, 0x40][self as usize]
    }
}

/// The buttons of one press; several if they went down together.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub struct Buttons(u8);

impl Buttons {
    /// These buttons together.
    pub fn of(buttons: &[Button]) -> Self {
        Self(buttons.iter().fold(0, |set, button| set | button.ack2_bit()))
    }

    /// ack3 names one for certain; ack2, whose reading is less sure, adds those pressed with it.
    fn of_ack(ack2: u8, ack3: u8) -> Self {
        let sum = if ack2 & 0x01 != 0 { ack2 } else { 0 };
        let is_down = |b: &Button| b.ack3() == ack3 || b.ack2_bit() & sum != 0;
        Self(Button::ALL.iter().filter(|b| is_down(b)).fold(0, |set, b| set | b.ack2_bit()))
    }

    /// The buttons, left to right; none if the report could not be read.
    pub fn iter(self) -> impl Iterator<Item = Button> {
        Button::ALL.into_iter().filter(move |button| self.0 & button.ack2_bit() != 0)
    }

    /// The button, if it was a single one.
    pub fn single(self) -> Option<Button> {
        let mut buttons = self.iter();
        buttons.next().filter(|_| buttons.next().is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mark stands in two bytes, and either tells (protocol 2.3).
    #[test]
    fn an_answer_to_a_command_is_known_by_either_of_its_marks() {
        let time = [0x10, 0x25, 0x01, 0x10, 0x25, 0x01, 0x01];
        assert!(matches!(ClockMessage::decode(time), ClockMessage::Time(_)));
        for marked in [0, 3] {
            let mut ack = time;
            ack[marked] = 0x1a;
            assert!(matches!(ClockMessage::decode(ack), ClockMessage::Ack(_)), "{marked}");
        }
    }
}
