//! What a DGT board in bus mode hears and says: commands of four bytes and answers with an address
//! and a checksum. Protocol 4.

use super::{BUS_ADDRESS, BoardSim, Mode, Order, VERSION};
use crate::time::Mono;
use crate::wire::{ClockMessage, Code, Dump};

/// A command has so many bytes: what, two of address, checksum.
const COMMAND_LEN: usize = 4;

/// A command of bus mode that the model answers (protocol 4.2).
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(super) enum BusCommand {
    SendClock,
    SendBoard,
    SendChanges,
    RepeatChanges,
    SetStartOfGame,
    Ping,
    /// The board is silent at the next ping that is for all.
    IgnoreNextPing,
    EndBusMode,
    Reset,
    SendVersion,
    /// Changes, clock and board in turn.
    SendAll,
}

/// Whom a command is for.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(super) enum For {
    This,
    All,
}

impl BoardSim {
    /// Takes a byte of a bus command. True if it was one.
    pub(super) fn hear_bus(&mut self, byte: u8) -> bool {
        let is_first = self.mode == Mode::Bus && self.inbox.is_empty() && byte > 0x80;
        if self.bus_partial.is_empty() && !is_first {
            return false;
        }
        if byte > 0x80 {
            // What came before was cut off.
            self.bus_partial.clear();
        }
        self.bus_partial.push(byte);
        if let Ok(bytes) = <[u8; COMMAND_LEN]>::try_from(self.bus_partial.as_slice()) {
            self.bus_partial.clear();
            if let Some((what, to)) = command(bytes, BUS_ADDRESS) {
                self.queue(Order::Bus(what, to));
            }
        }
        true
    }

    pub(super) fn obey_bus(&mut self, at: Mono, what: BusCommand, to: For) {
        let shown = |board: &Self| clock(BUS_ADDRESS, &board.clock_message());
        let answers = match what {
            BusCommand::Ping if to == For::All && std::mem::take(&mut self.ignores_ping) => {
                Vec::new()
            }
            BusCommand::Ping => vec![pong(BUS_ADDRESS)],
            BusCommand::IgnoreNextPing => {
                self.ignores_ping = true;
                vec![pong(BUS_ADDRESS)]
            }
            BusCommand::SendClock => vec![shown(self)],
            BusCommand::SendBoard => vec![board(BUS_ADDRESS, &self.dump)],
            BusCommand::SendChanges => vec![changes(BUS_ADDRESS, self.ring.changes())],
            BusCommand::RepeatChanges => {
                vec![changes(BUS_ADDRESS, self.ring.changes_again())]
            }
            BusCommand::SendAll => vec![
                changes(BUS_ADDRESS, self.ring.changes()),
                shown(self),
                board(BUS_ADDRESS, &self.dump),
            ],
            BusCommand::SetStartOfGame => {
                self.ring.begin_game(at, &self.dump);
                vec![start_set(BUS_ADDRESS)]
            }
            BusCommand::SendVersion => vec![version(BUS_ADDRESS, VERSION)],
            BusCommand::EndBusMode => {
                self.mode = Mode::Idle;
                Vec::new()
            }
            BusCommand::Reset => Vec::new(),
        };
        for bytes in answers {
            self.send(at, &bytes);
        }
    }
}

/// The command in `bytes` for the board at `address`; `None` if it is for another, broken, or
/// nothing that the model knows.
fn command(bytes: [u8; COMMAND_LEN], address: u16) -> Option<(BusCommand, For)> {
    let [what, high, low, sum] = bytes;
    let to = match u16::from(high) << 7 | u16::from(low) {
        0 => For::All,
        to if to == address => For::This,
        _ => return None,
    };
    if sum != checksum(&bytes[..3]) {
        return None;
    }
    let command = match what {
        0x81 => BusCommand::SendClock,
        0x82 => BusCommand::SendBoard,
        0x83 => BusCommand::SendChanges,
        0x84 => BusCommand::RepeatChanges,
        0x85 => BusCommand::SetStartOfGame,
        0x87 => BusCommand::Ping,
        0x88 => BusCommand::EndBusMode,
        0x89 => BusCommand::Reset,
        0x8a => BusCommand::IgnoreNextPing,
        0x8b => BusCommand::SendVersion,
        0x8d => BusCommand::SendAll,
        _ => return None,
    };
    // Only these may be for all (protocol 4.2).
    let may_be_for_all =
        matches!(command, BusCommand::Ping | BusCommand::EndBusMode | BusCommand::Reset);
    (to == For::This || may_be_for_all).then_some((command, to))
}

/// The frame of an answer.
fn frame(id: u8, address: u16, data: impl IntoIterator<Item = u8>) -> Vec<u8> {
    let seven = |value: usize| u8::try_from(value & 0x7f).expect("seven bits");
    let mut bytes = vec![id, 0, 0, seven(usize::from(address >> 7)), seven(usize::from(address))];
    bytes.extend(data.into_iter().map(|byte| byte & 0x7f));
    let total = bytes.len() + 1;
    (bytes[1], bytes[2]) = (seven(total >> 7), seven(total));
    bytes.push(checksum(&bytes));
    bytes
}

fn pong(address: u16) -> Vec<u8> {
    frame(0x87, address, [])
}

fn start_set(address: u16) -> Vec<u8> {
    frame(0x88, address, [])
}

fn board(address: u16, dump: &Dump) -> Vec<u8> {
    frame(0x83, address, dump.0.iter().map(|code: &Code| code.byte()))
}

fn clock(address: u16, message: &ClockMessage) -> Vec<u8> {
    frame(0x84, address, message.encode())
}

/// `log` are the bytes of events as in a log (protocol 5).
fn changes(address: u16, log: &[u8]) -> Vec<u8> {
    frame(0x85, address, log.iter().copied())
}

fn version(address: u16, (major, minor): (u8, u8)) -> Vec<u8> {
    frame(0x89, address, [major, minor])
}

/// The sum of all bytes before it, seven bits of it.
fn checksum(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte)) & 0x7f
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_protocol_is_understood() {
        // Protocol 4.2: 81 10 06 -> 17.
        assert_eq!(checksum(&[0x81, 0x10, 0x06]), 0x17);
        let address = 0x10 << 7 | 0x06;
        let heard = command([0x81, 0x10, 0x06, 0x17], address);
        assert_eq!(heard, Some((BusCommand::SendClock, For::This)));
        assert_eq!(command([0x81, 0x10, 0x06, 0x18], address), None);
        assert_eq!(command([0x81, 0x10, 0x06, 0x17], address + 1), None);
        assert_eq!(command([0x87, 0, 0, 0x07], address), Some((BusCommand::Ping, For::All)));
        assert_eq!(command([0x82, 0, 0, 0x02], address), None);
    }

    #[test]
    fn answers_have_the_lengths_of_the_protocol() {
        assert_eq!(pong(1025).len(), 6);
        assert_eq!(version(1025, (1, 8)).len(), 8);
        let dump = Dump::new(&shakmaty::Board::new(), crate::wire::Orientation::Normal);
        let bytes = board(1025, &dump);
        assert_eq!((bytes.len(), bytes[2]), (0x46, 0x46));
        assert_eq!(bytes[3..5], [0x08, 0x01]);
    }
}
