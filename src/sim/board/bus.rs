//! What a DGT board in bus mode hears and says. Protocol 4.

use super::{BoardSim, HostCommand, INPUT_MAX, Mode, VERSION};
use crate::sim::bus::Chunk;
use crate::time::Mono;
use crate::wire::Dump;
use crate::wire::bus::{
    ADDRESS_MAX, ALL, BusAnswer, BusCommand, BusMessage, BusRequest, REQUEST_LEN,
};
use fastrand::Rng;
use std::time::Duration;

/// From the last byte of a question to the first of its answer: some milliseconds (protocol 4.3).
const ANSWER_AFTER: Duration = Duration::from_millis(3);
/// While a change is being kept for good the board does not answer (protocol 4.3).
const KEEPS_FOR: Duration = Duration::from_millis(20);
/// The start of a game takes so long to be marked (protocol 4.3).
const MARKS_FOR: Duration = Duration::from_millis(70);
/// A ping for all is answered at a random moment within this time (protocol 4.2).
const PONG_WITHIN: Duration = Duration::from_millis(1_100);

/// What a board knows of the line that it shares.
#[derive(Debug, Clone, Default)]
pub(super) struct OnBus {
    /// A command, as far as it has come.
    pub(super) partial: Vec<u8>,
    /// So many bytes more belong to a command that has only changed the mode.
    pub(super) n_swallowed: usize,
    /// At the next ping that is for all it is silent.
    ignores_ping: bool,
    /// It was asked for its changes.
    is_polled: bool,
    n_pongs: u64,
    chance: u64,
}

impl BoardSim {
    /// The same board with another serial number, which is its address as well.
    #[must_use]
    pub fn numbered(mut self, serial: &str) -> Self {
        serial.clone_into(&mut self.serial);
        self
    }

    /// The address on a line that many boards share: the serial number, as far as it fits.
    pub fn bus_address(&self) -> u16 {
        self.serial.parse().unwrap_or(0) & ADDRESS_MAX
    }

    /// Whether somebody asks for changes.
    pub fn is_polled(&self) -> bool {
        self.bus.is_polled
    }

    /// All that the board has to say, also what is not through yet. For lines that others speak on
    /// as well, in place of [`BoardSim::take`].
    pub fn take_chunks(&mut self, now: Mono) -> Vec<Chunk> {
        self.advance(now);
        self.outbox.drain(..).map(|(end, bytes)| Chunk { end, bytes }).collect()
    }

    /// Takes a byte of a bus command. True if it was one.
    pub(super) fn hear_bus(&mut self, byte: u8) -> bool {
        let is_first = self.mode == Mode::Bus && self.inbox.len() < INPUT_MAX && byte > 0x80;
        if self.bus.partial.is_empty() && !is_first {
            return false;
        }
        if byte > 0x80 {
            // What came before was cut off.
            self.bus.partial.clear();
        }
        self.bus.partial.push(byte);
        if let Ok(bytes) = <[u8; REQUEST_LEN]>::try_from(self.bus.partial.as_slice()) {
            self.bus.partial.clear();
            let own = self.bus_address();
            let request = BusRequest::decode(bytes);
            if let Some(request) = request.filter(|it| it.address == own || it.address == ALL) {
                self.queue(HostCommand::Bus(request));
            }
        }
        true
    }

    pub(super) fn obey_bus(&mut self, at: Mono, request: BusRequest) {
        let kept = self.ring.changed_at().map_or(at, |changed| changed + KEEPS_FOR);
        let mut ready = (at + ANSWER_AFTER).max(kept);
        let clock = |board: &Self| BusAnswer::Clock(board.clock_message());
        let board = |dump: &Dump| BusAnswer::Board(Box::new(dump.clone()));
        let answers = match request.command {
            BusCommand::Ping if request.address == ALL => {
                if std::mem::take(&mut self.bus.ignores_ping) {
                    return;
                }
                ready = at + self.moment(at);
                vec![BusAnswer::Pong]
            }
            BusCommand::Ping => vec![BusAnswer::Pong],
            BusCommand::IgnoreNextPing => {
                self.bus.ignores_ping = true;
                vec![BusAnswer::Pong]
            }
            BusCommand::SendClock => vec![clock(self)],
            BusCommand::SendBoard => vec![board(&self.dump)],
            BusCommand::SendChanges => {
                self.bus.is_polled = true;
                vec![BusAnswer::Changes(self.ring.changes().to_vec())]
            }
            BusCommand::RepeatChanges => {
                vec![BusAnswer::Changes(self.ring.changes_again().to_vec())]
            }
            BusCommand::SendFromStart => vec![BusAnswer::FromStart(self.ring.told_since_start())],
            BusCommand::SendAll => {
                let changes = BusAnswer::Changes(self.ring.changes().to_vec());
                vec![changes, clock(self), board(&self.dump)]
            }
            BusCommand::SetStartOfGame => {
                self.ring.begin_game(at, &self.dump);
                ready = at + MARKS_FOR;
                vec![BusAnswer::StartSet]
            }
            BusCommand::SendVersion => {
                let (major, minor) = VERSION;
                vec![BusAnswer::Version { major, minor }]
            }
            BusCommand::EndBusMode => {
                self.mode = Mode::Idle;
                Vec::new()
            }
            BusCommand::Reset => Vec::new(),
        };
        for answer in answers {
            let message = BusMessage { address: self.bus_address(), answer };
            self.send(ready, &message.encode());
        }
    }

    /// The moment of an answer to a ping for all: two boards with one number have their own each.
    fn moment(&mut self, at: Mono) -> Duration {
        self.bus.n_pongs += 1;
        let seed =
            at.0 ^ self.bus.chance ^ u64::from(self.bus_address()) << 32 ^ self.bus.n_pongs << 48;
        Duration::from_micros(Rng::with_seed(seed).u64(0..PONG_WITHIN.as_micros() as u64))
    }

    /// The same board as another piece of wood: what it leaves to chance is another.
    #[must_use]
    pub fn with_chance(mut self, seed: u64) -> Self {
        self.bus.chance = seed;
        self
    }
}
