//! What the host tells a board, and what a (simulated) board makes of the bytes.
//!
//! Three commands that exist are missing on purpose: `4E` jumps into the boot loader and `51`,
//! `53` write to the board's memory; what cannot be said cannot be sent by mistake. `56` is left
//! out too, because nobody knows what it does (protocol 10). Protocol 1.4, 1.11, 1.12.

use crate::wire::clock_command::{ClockCommand, WRAP};
use crate::wire::field::Field;

const LEDS: u8 = 0x60;
const PEGASUS_KEY: u8 = 0x63;
/// First byte of a command to a Pegasus' LEDs that shows something (protocol 1.12).
const PEGASUS_SHOW: u8 = 0x05;
/// Means "no field" to a Revelation II (protocol 1.11).
const NO_FIELD: u8 = 0x40;

/// Longest arguments that [`CommandDecoder`] waits for: all LEDs of a Pegasus (protocol 1.12).
const ARGUMENTS_MAX: usize = 5 + 64;

/// A command from host to board (protocol 1.4). The comments name byte and answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum BoardCommand {
    /// `2B`, answered by an acknowledgement in `8D`, in the update modes with a clock only.
    Clock(ClockCommand),
    /// `40`: to IDLE; no answer.
    Reset,
    /// `41`: answered by `8D`.
    SendClock,
    /// `42`: answered by `86`.
    SendBoard,
    /// `43`: fields as they change, the clock every second.
    Update,
    /// `44`: fields as they change.
    UpdateBoard,
    /// `45`: answered by `91`.
    ReturnSerial,
    /// `46`: answered by `90`.
    ReturnBusAddress,
    /// `47`: answered by `92`.
    SendTrademark,
    /// `48`: answered by `96`.
    SendHardwareVersion,
    /// `49`: answered by `8F`, which takes about 8 s.
    SendLog,
    /// `4A`: to bus mode; no answer.
    ToBusMode,
    /// `4B`: fields and clock as they change.
    UpdateNice,
    /// `4C`: answered by `A0`.
    SendBattery,
    /// `4D`: answered by `93`.
    SendVersion,
    /// `50`: answered by `94`.
    SendBlackFields,
    /// `52`: answered by `95`.
    SendWhiteFields,
    /// `54`: undoes `51` and `53`, which we never send; no answer.
    ScanAllFields,
    /// `55`: answered by `A2`.
    ReturnLongSerial,
    /// `59`, Pegasus: answered by `A4`.
    PegasusLockState,
    /// `5A`, Pegasus: answered by `A5`.
    PegasusKeyState,
    /// `60` on a Revelation II; no answer.
    Leds(Leds),
    /// `60` on a Pegasus; no answer.
    PegasusLeds(PegasusLeds),
    /// `63`, Pegasus: the developer's key.
    PegasusKey([u8; 6]),
}

/// The commands of a single byte (protocol 1.4).
const PLAIN: [(u8, BoardCommand); 20] = [
    (0x40, BoardCommand::Reset),
    (0x41, BoardCommand::SendClock),
    (0x42, BoardCommand::SendBoard),
    (0x43, BoardCommand::Update),
    (0x44, BoardCommand::UpdateBoard),
    (0x45, BoardCommand::ReturnSerial),
    (0x46, BoardCommand::ReturnBusAddress),
    (0x47, BoardCommand::SendTrademark),
    (0x48, BoardCommand::SendHardwareVersion),
    (0x49, BoardCommand::SendLog),
    (0x4a, BoardCommand::ToBusMode),
    (0x4b, BoardCommand::UpdateNice),
    (0x4c, BoardCommand::SendBattery),
    (0x4d, BoardCommand::SendVersion),
    (0x50, BoardCommand::SendBlackFields),
    (0x52, BoardCommand::SendWhiteFields),
    (0x54, BoardCommand::ScanAllFields),
    (0x55, BoardCommand::ReturnLongSerial),
    (0x59, BoardCommand::PegasusLockState),
    (0x5a, BoardCommand::PegasusKeyState),
];

/// The LEDs of a Revelation II (protocol 1.11).
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum Leds {
    /// Light two fields; the same twice lights one.
    On {
        /// In the board's numbering.
        from: Field,
        /// In the board's numbering.
        to: Field,
    },
    /// Switch two fields off; firmware above 3.21.
    Off {
        /// In the board's numbering.
        from: Field,
        /// In the board's numbering.
        to: Field,
    },
    /// Switch all off.
    AllOff,
    /// Whether LEDs go off when a piece changes; firmware above 3.21.
    AutoOff {
        /// The board's default.
        enabled: bool,
    },
    /// Whether the board turns itself when Black's pieces stand at the near side. Switch it off
    /// when the host does the turning.
    AutoReverse {
        /// The board's default.
        enabled: bool,
    },
}

/// The LEDs of a Pegasus (protocol 1.12).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PegasusLeds {
    /// All of them are off.
    AllOff,
    /// Light these and no others.
    Show {
        /// 1 fast, larger slower; 4 is a good choice (protocol 10).
        speed: u8,
        /// 0 until changed, else this many times.
        repeat: u8,
        /// Disputed; 2 is safe (protocol 10).
        intensity: u8,
        /// In the board's numbering; at most 64.
        fields: Vec<Field>,
    },
}

impl BoardCommand {
    /// The bytes to send.
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Clock(command) => command.encode(),
            Self::Leds(leds) => leds.encode(),
            Self::PegasusLeds(leds) => leds.encode(),
            Self::PegasusKey([k1, k2, k3, k4, k5, k6]) => {
                vec![PEGASUS_KEY, 7, *k1, *k2, *k3, *k4, *k5, *k6, 0]
            }
            plain => {
                let byte =
                    PLAIN.iter().find(|(_, command)| command == plain).map(|(byte, _)| *byte);
                vec![byte.expect("the table holds every command without arguments")]
            }
        }
    }

    /// The command in `bytes`, which must be exactly one; `None` otherwise.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        match *bytes {
            [byte] => plain(byte),
            [first, size, ref arguments @ ..] if usize::from(size) == arguments.len() => {
                framed(first, arguments)
            }
            _ => None,
        }
    }
}

fn plain(byte: u8) -> Option<BoardCommand> {
    PLAIN.iter().find(|(known, _)| *known == byte).map(|(_, command)| command.clone())
}

fn has_arguments(byte: u8) -> bool {
    matches!(byte, WRAP | LEDS | PEGASUS_KEY)
}

fn framed(first: u8, arguments: &[u8]) -> Option<BoardCommand> {
    match (first, arguments) {
        (WRAP, body) => ClockCommand::parse(body).map(BoardCommand::Clock),
        (LEDS, &[pattern, from, to, 0]) => Leds::parse(pattern, from, to).map(BoardCommand::Leds),
        (LEDS, [0, 0]) => Some(BoardCommand::PegasusLeds(PegasusLeds::AllOff)),
        (LEDS, &[PEGASUS_SHOW, speed, repeat, intensity, ref fields @ .., 0]) => {
            let fields = fields.iter().map(|&byte| Field::new(byte)).collect();
            Some(BoardCommand::PegasusLeds(PegasusLeds::Show { speed, repeat, intensity, fields }))
        }
        (PEGASUS_KEY, &[k1, k2, k3, k4, k5, k6, 0]) => {
            Some(BoardCommand::PegasusKey([k1, k2, k3, k4, k5, k6]))
        }
        _ => None,
    }
}

impl Leds {
    fn encode(self) -> Vec<u8> {
        let [pattern, from, to] = match self {
            Self::On { from, to } => [1, from.index(), to.index()],
            Self::Off { from, to } => [0, from.index(), to.index()],
            Self::AllOff => [0, NO_FIELD, NO_FIELD],
            Self::AutoOff { enabled } => [2, 1, u8::from(enabled)],
            Self::AutoReverse { enabled } => [2, 2, u8::from(enabled)],
        };
        vec![LEDS, 4, pattern, from, to, 0]
    }

    fn parse(pattern: u8, from: u8, to: u8) -> Option<Self> {
        let fields = (from < NO_FIELD && to < NO_FIELD).then(|| (Field::new(from), Field::new(to)));
        match (pattern, from, to) {
            (0, NO_FIELD, NO_FIELD) => Some(Self::AllOff),
            (0, ..) => fields.map(|(from, to)| Self::Off { from, to }),
            (1, ..) => fields.map(|(from, to)| Self::On { from, to }),
            (2, 1, switch) => Some(Self::AutoOff { enabled: switch != 0 }),
            (2, 2, switch) => Some(Self::AutoReverse { enabled: switch != 0 }),
            _ => None,
        }
    }
}

impl PegasusLeds {
    fn encode(&self) -> Vec<u8> {
        match self {
            Self::AllOff => vec![LEDS, 2, 0, 0],
            Self::Show { speed, repeat, intensity, fields } => {
                let mut bytes = vec![LEDS, 0, PEGASUS_SHOW, *speed, *repeat, *intensity];
                bytes.extend(fields.iter().take(64).map(|field| field.index()));
                bytes.push(0);
                bytes[1] = u8::try_from(bytes.len() - 2).expect("64 fields fit the size byte");
                bytes
            }
        }
    }
}

/// What a board hears.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostItem {
    /// A command of single mode.
    Command(BoardCommand),
    /// The first byte of a bus command, 80 or above. Its further bytes come as items of their own,
    /// for a board in single mode does not know them (protocol 1.3).
    Bus(u8),
    /// A byte, or a whole command with arguments, that means nothing to us.
    Ignored(Vec<u8>),
}

/// Bytes from a host to commands, as a board in single mode reads them. Slicing does not matter.
#[derive(Debug, Clone, Default)]
pub struct CommandDecoder {
    /// The command so far; at most [`ARGUMENTS_MAX`] + 2 bytes.
    partial: Vec<u8>,
}

impl CommandDecoder {
    /// Takes bytes and appends what they complete to `out`.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<HostItem>) {
        for &byte in bytes {
            self.partial.push(byte);
            if let Some(item) = self.look() {
                self.partial.clear();
                out.push(item);
            }
        }
    }

    /// Forgets an unfinished command, as when the line is lost.
    pub fn reset(&mut self) {
        self.partial.clear();
    }

    fn look(&self) -> Option<HostItem> {
        let ignored = || HostItem::Ignored(self.partial.clone());
        let first = self.partial[0];
        if first & 0x80 != 0 {
            return Some(HostItem::Bus(first));
        }
        if !has_arguments(first) {
            return Some(plain(first).map_or_else(ignored, HostItem::Command));
        }
        let size = usize::from(*self.partial.get(1)?);
        if size > ARGUMENTS_MAX {
            return Some(ignored());
        }
        let is_whole = self.partial.len() == size + 2;
        is_whole
            .then(|| BoardCommand::decode(&self.partial).map_or_else(ignored, HostItem::Command))
    }
}
