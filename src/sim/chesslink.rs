//! A ChessLink board: it looks at all squares every 41 ms, tells its position when it has changed,
//! and keeps its registers without power. Protocol 7.1.

use super::maker::MakerSim;
use super::outgoing::Outgoing;
use crate::table::{Reading, defaults};
use crate::time::Mono;
use crate::wire::blocks::Blocks;
use crate::wire::chesslink::{LightTable, N_LIGHTS, Register, ToBoard};
use crate::wire::{ChessLinkCommand, ChessLinkMessage, Dump, Orientation};
use shakmaty::{Bitboard, Board, Square};
use std::time::Duration;

/// What registers count in (protocol 7.1).
const SCAN_STEP: Duration = Duration::from_micros(2_048);
/// What is in the registers of a new board: sums, a scan in 41 ms, a report after each scan.
const USUAL: [u8; 5] = [0, 20, 0, 0, 10];
/// It does nothing for so long after it got its power, or was told to start anew.
const STARTS_IN: Duration = Duration::from_secs(3);

defaults! {
    /// The model of a ChessLink board.
    #[derive(Clone, Debug)]
    pub struct ChessLinkSim {
        given {
            placement: Board,
            lies: Orientation,
        }
        registers: [u8; 5] = USUAL,
        blocks: Blocks,
        out: Outgoing,
        scans_at: Mono,
        /// What it told last.
        told: Option<Board>,
        /// The next report is one that gets lost.
        loses_report: bool,
        lights: LightTable = LightTable { slot: 0, slots: [0; N_LIGHTS] },
        is_on: bool = true,
        /// A host has said something to it.
        is_heard: bool,
    }
}

impl ChessLinkSim {
    /// A board that lies so, with these pieces on it. It is new: it reports after each scan.
    pub fn new(placement: Board, lies: Orientation) -> Self {
        Self::begin(placement, lies)
    }

    /// The same with this in a register.
    #[must_use]
    pub fn with_register(mut self, register: Register, value: u8) -> Self {
        self.write(register, value);
        self
    }

    /// What is in a register.
    pub fn register(&self, register: Register) -> u8 {
        self.registers.get(usize::from(register.address())).copied().unwrap_or(0xff)
    }

    /// The squares that are lit.
    pub fn lit(&self) -> Bitboard {
        self.lights.squares(self.lies)
    }

    fn obey(&mut self, now: Mono, command: &ChessLinkCommand) {
        let answer = match command {
            ChessLinkCommand::Version => ChessLinkMessage::Version { major: 1, minor: 3 },
            ChessLinkCommand::Position => self.position(),
            ChessLinkCommand::Light(lights) => {
                self.lights = (**lights).clone();
                ChessLinkMessage::Lit
            }
            ChessLinkCommand::Dark => {
                self.lights.slots = [0; N_LIGHTS];
                ChessLinkMessage::Dark
            }
            ChessLinkCommand::Restart => return self.power(now, true),
            ChessLinkCommand::Read(register) => {
                ChessLinkMessage::Read(*register, self.register(*register))
            }
            ChessLinkCommand::Write(register, value) => {
                self.write(*register, *value);
                ChessLinkMessage::Written(*register, self.register(*register))
            }
        };
        self.say(now, &answer);
    }

    fn write(&mut self, register: Register, value: u8) {
        if let Some(to) = self.registers.get_mut(usize::from(register.address())) {
            *to = value;
        }
    }

    fn position(&self) -> ChessLinkMessage {
        ChessLinkMessage::Position(Box::new(Dump::new(&self.placement, self.lies)))
    }

    fn say(&mut self, now: Mono, message: &ChessLinkMessage) {
        self.out.send(now, &message.encode());
    }

    fn report(&mut self, now: Mono) {
        let has_changed = self.told.as_ref() != Some(&self.placement);
        let is_due = match self.register(Register::Reports) {
            0 => true,
            1 | 2 => false,
            _ => has_changed,
        };
        if !is_due || self.out.is_cut() {
            return;
        }
        self.told = Some(self.placement.clone());
        if !std::mem::take(&mut self.loses_report) {
            self.say(now, &self.position());
        }
    }
}

impl MakerSim for ChessLinkSim {
    fn sense(&mut self, sq: Square, reading: Reading, is_lost: bool) {
        match reading {
            Reading::Piece(piece) => self.placement.set_piece_at(sq, piece),
            _ => self.placement.discard_piece_at(sq),
        }
        self.loses_report |= is_lost;
    }

    fn host_bytes(&mut self, now: Mono, bytes: &[u8]) {
        if !self.is_on || self.out.is_cut() {
            return;
        }
        for command in self.blocks.push::<ToBoard>(now, bytes).messages {
            self.is_heard = true;
            self.obey(now, &command);
        }
    }

    fn next_at(&self) -> Option<Mono> {
        let scans = self.is_on.then_some(self.scans_at);
        self.out.arrives_at().into_iter().chain(scans).min()
    }

    fn take(&mut self, now: Mono, bytes: &mut Vec<u8>) {
        if self.is_on && now >= self.scans_at {
            let period = SCAN_STEP * u32::from(self.register(Register::ScanTime).max(15));
            self.scans_at = now + period;
            self.report(now);
        }
        self.out.take(now, bytes);
    }

    fn cut(&mut self, is_cut: bool) {
        self.out.cut(is_cut);
    }

    fn power(&mut self, now: Mono, is_on: bool) {
        self.is_on = is_on;
        self.out.lose();
        self.blocks = Blocks::default();
        self.lights.slots = [0; N_LIGHTS];
        (self.told, self.scans_at) = (None, now + STARTS_IN);
    }

    /// A new one tells of its squares with nobody there.
    fn is_awake(&self) -> bool {
        self.told.is_some() && self.is_heard
    }
}
