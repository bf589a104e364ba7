//! Lines of text between us and a microcontroller that speaks I2C for us.
//!
//! The newer Pis cannot be written to by a clock, and a clock that is one of two masters must be
//! able to. So a microcontroller sits on the bus and tells, over a serial line, what it heard. The
//! lines are read by people with a terminal, and each carries a checksum. The language is ours:
//! `hardware/clock-bridge.md`.

use std::time::Duration;

use super::dgt3000::{Address, FRAME_MAX, WriteEnd, crc};

/// Longest line, line break included: a frame of 51 bytes in hexadecimal and its head.
pub const LINE_MAX: usize = 160;
/// The language's version, in the bridge's greeting.
pub const VERSION: u16 = 1;

const BEGIN: u8 = b'!';
const SUM: char = '*';

/// What the host says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToBridge {
    /// `hi`: who are you?
    Hello,
    /// `listen 10`: frames to this address are ours, in hexadecimal.
    Listen(Address),
    /// `write 07 1020050F48`: write this frame, whose first byte is the address; number 0 to FF.
    Write {
        /// Comes back in the answer.
        number: u8,
        /// At most [`FRAME_MAX`] bytes.
        frame: Vec<u8>,
    },
    /// `reset`: set the bus up anew.
    Reset,
}

/// What the bridge says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FromBridge {
    /// `hi rokade-bridge 1`: the version of the language.
    Hello(u16),
    /// `end 07 ok`: how a write ended; `none` nobody took it, `clash` another master, `stuck` a
    /// line is low.
    End {
        /// Of which write.
        number: u8,
        /// How the write ended.
        end: WriteEnd,
    },
    /// `got 850 0010070522...`: a frame for us, the address byte in front, and the microseconds
    /// since its last byte.
    Got {
        /// How old it is.
        age: Duration,
        /// At most [`FRAME_MAX`] bytes.
        frame: Vec<u8>,
    },
    /// `beat 125 0`: seconds since the bridge was switched on, and frames lost since then because
    /// the line to us was full. Sent every second.
    Beat {
        /// Seconds.
        up: u32,
        /// Frames.
        lost: u32,
    },
}

impl ToBridge {
    /// The whole line.
    pub fn encode(&self) -> Vec<u8> {
        line(&match self {
            Self::Hello => "hi".to_owned(),
            Self::Listen(address) => format!("listen {:02X}", address.bits()),
            Self::Write { number, frame } => format!("write {number:02X} {}", hex(frame)),
            Self::Reset => "reset".to_owned(),
        })
    }

    /// What stands between the marks of a line; `None` if it means nothing.
    pub fn parse(body: &str) -> Option<Self> {
        let words: Vec<_> = body.split(' ').collect();
        match words[..] {
            ["hi"] => Some(Self::Hello),
            ["reset"] => Some(Self::Reset),
            ["listen", address] => Address::of_bits(byte(address)?).map(Self::Listen),
            ["write", number, frame] => {
                Some(Self::Write { number: byte(number)?, frame: unhex(frame)? })
            }
            _ => None,
        }
    }
}

impl FromBridge {
    /// The whole line.
    pub fn encode(&self) -> Vec<u8> {
        line(&match self {
            Self::Hello(version) => format!("hi rokade-bridge {version}"),
            Self::End { number, end } => {
                let end = match end {
                    WriteEnd::Done => "ok",
                    WriteEnd::NoAnswer => "none",
                    WriteEnd::Collision => "clash",
                    WriteEnd::Stuck => "stuck",
                };
                format!("end {number:02X} {end}")
            }
            Self::Got { age, frame } => format!("got {} {}", age.as_micros(), hex(frame)),
            Self::Beat { up, lost } => format!("beat {up} {lost}"),
        })
    }

    /// What stands between the marks of a line; `None` if it means nothing.
    pub fn parse(body: &str) -> Option<Self> {
        let words: Vec<_> = body.split(' ').collect();
        match words[..] {
            ["hi", "rokade-bridge", version] => number(version).map(Self::Hello),
            ["end", at, end] => {
                let end = match end {
                    "ok" => WriteEnd::Done,
                    "none" => WriteEnd::NoAnswer,
                    "clash" => WriteEnd::Collision,
                    "stuck" => WriteEnd::Stuck,
                    _ => return None,
                };
                Some(Self::End { number: byte(at)?, end })
            }
            ["got", age, frame] => {
                let age = Duration::from_micros(number::<u32>(age)?.into());
                Some(Self::Got { age, frame: unhex(frame)? })
            }
            ["beat", up, lost] => Some(Self::Beat { up: number(up)?, lost: number(lost)? }),
            _ => None,
        }
    }
}

/// A body with its marks, its checksum and its end.
fn line(body: &str) -> Vec<u8> {
    let sum = crc(body.as_bytes());
    format!("{}{body}{SUM}{sum:02X}\n", char::from(BEGIN)).into_bytes()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

/// A decimal number as it is written here: digits alone, none of them idle.
fn number<N: std::str::FromStr>(word: &str) -> Option<N> {
    let is_plain = word.bytes().all(|byte| byte.is_ascii_digit());
    let is_idle = word.len() > 1 && word.starts_with('0');
    word.parse().ok().filter(|_| is_plain && !is_idle)
}

/// Two hexadecimal digits, capitals.
fn byte(word: &str) -> Option<u8> {
    let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'A'..=b'F');
    let is_sound = word.len() == 2 && word.bytes().all(is_hex);
    is_sound.then(|| u8::from_str_radix(word, 16).ok()).flatten()
}

fn unhex(word: &str) -> Option<Vec<u8>> {
    let is_sound = word.is_ascii() && word.len().is_multiple_of(2) && !word.is_empty();
    if !is_sound || word.len() > 2 * FRAME_MAX {
        return None;
    }
    (0..word.len()).step_by(2).map(|at| byte(&word[at..at + 2])).collect()
}

/// Cuts bytes into the bodies of lines. What is no line is counted and passed over; the next line
/// begins after the next line break, or at the next mark of a beginning.
#[derive(Debug, Clone, Default)]
pub struct Lines {
    partial: Vec<u8>,
    n_skipped: u64,
}

impl Lines {
    /// Takes bytes and appends the bodies of whole lines to `out`.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<String>) {
        for &byte in bytes {
            match byte {
                b'\n' => {
                    out.extend(self.body());
                    self.partial.clear();
                }
                BEGIN => {
                    self.n_skipped += u64::from(!self.partial.is_empty());
                    self.partial = vec![BEGIN];
                }
                // One byte more than a line may have tells that it is too long.
                _ if self.partial.len() <= LINE_MAX => self.partial.push(byte),
                _ => {}
            }
        }
    }

    /// Lines that were none, since the beginning.
    pub const fn n_skipped(&self) -> u64 {
        self.n_skipped
    }

    fn body(&mut self) -> Option<String> {
        // A break of two bytes is one, too; amid a line its first is a fault as any other.
        let line = self.partial.strip_suffix(b"\r").unwrap_or(&self.partial);
        let text = std::str::from_utf8(line).ok().filter(|text| text.len() < LINE_MAX);
        let body = text.and_then(|text| {
            let (body, sum) = text.strip_prefix(char::from(BEGIN))?.rsplit_once(SUM)?;
            (byte(sum)? == crc(body.as_bytes())).then(|| body.to_owned())
        });
        self.n_skipped += u64::from(body.is_none() && !self.partial.is_empty());
        body
    }
}
