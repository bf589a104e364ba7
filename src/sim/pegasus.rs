//! A Pegasus of DGT's: until it has heard the key it tells nonsense; then it tells occupied
//! squares, as they change if it was asked to, and not all of them. Protocol 1.12.

use super::maker::MakerSim;
use super::outgoing::Outgoing;
use crate::table::Reading;
use crate::time::Mono;
use crate::wire::pegasus::{self, KEY_LEN};
use crate::wire::{
    BoardCommand, BoardMessage, CommandDecoder, Dump, FieldCode, HostItem, Orientation,
};
use shakmaty::{Bitboard, Board, Color, Role, Square};
use std::time::Duration;

/// How often it looks at its squares. Nobody has told; ours, as for a Sentio.
const LOOKS_EVERY: Duration = Duration::from_millis(50);
/// One change in so many is not told.
const UNTOLD: u32 = 50;
/// What a square says before the key is known (protocol 1.12).
const NONSENSE: u8 = 0x7f;

/// The key that wakes the model.
pub const KEY: [u8; KEY_LEN] = [0x10, 0x32, 0x54, 0x76, 0x98, 0xba];

/// The model of such a board.
#[derive(Clone, Debug, Default)]
pub struct PegasusSim {
    occupied: Bitboard,
    /// As it was told last.
    told: Bitboard,
    lies: Orientation,
    decoder: CommandDecoder,
    out: Outgoing,
    is_unlocked: bool,
    /// It tells changes by itself.
    tells: bool,
    n_changes: u32,
    looks_at: Mono,
    loses_change: bool,
    lit: Bitboard,
    is_on: bool,
}

impl PegasusSim {
    /// A board that lies so, with these pieces on it.
    pub fn new(start: &Board, lies: Orientation) -> Self {
        Self {
            occupied: start.occupied(),
            told: start.occupied(),
            lies,
            is_on: true,
            ..Self::default()
        }
    }

    /// The squares that are lit.
    pub fn lit(&self) -> Bitboard {
        self.lit
    }

    fn code(&self, sq: Square) -> FieldCode {
        let piece = Role::Pawn.of(Color::White);
        FieldCode::from(self.occupied.contains(sq).then_some(piece))
    }

    fn dump(&self) -> Dump {
        let mut dump = Dump([FieldCode::from_byte(NONSENSE); 64]);
        if self.is_unlocked {
            for sq in Square::ALL {
                dump.0[usize::from(self.lies.field(sq).index())] = self.code(sq);
            }
        }
        dump
    }

    fn say(&mut self, now: Mono, message: &BoardMessage) {
        if !self.out.is_cut() {
            self.out.send(now, &message.encode());
        }
    }

    fn obey(&mut self, now: Mono, command: &BoardCommand) {
        match command {
            BoardCommand::PegasusKey(key) => self.is_unlocked |= *key == KEY,
            BoardCommand::PegasusKeyState => {
                self.say(now, &BoardMessage::KeyState { accepted: self.is_unlocked });
            }
            BoardCommand::Reset => self.tells = false,
            BoardCommand::SendBoard => {
                self.told = self.occupied;
                self.say(now, &BoardMessage::Dump(Box::new(self.dump())));
            }
            BoardCommand::UpdateBoard => (self.tells, self.looks_at) = (true, now),
            BoardCommand::SendVersion => {
                self.say(now, &BoardMessage::Version { major: 1, minor: 0 });
            }
            BoardCommand::PegasusLeds(leds) => self.lit = pegasus::lit(leds, self.lies),
            _ => {}
        }
    }

    /// What has changed since it looked last.
    fn look(&mut self, now: Mono) {
        let changed = self.occupied ^ self.told;
        self.told = self.occupied;
        for sq in changed {
            self.n_changes += 1;
            let is_told = !self.n_changes.is_multiple_of(UNTOLD);
            if is_told && !std::mem::take(&mut self.loses_change) {
                let (field, code) = (self.lies.field(sq), self.code(sq));
                self.say(now, &BoardMessage::Field { field, code });
            }
        }
    }
}

impl MakerSim for PegasusSim {
    fn sense(&mut self, sq: Square, reading: Reading, is_lost: bool) {
        self.occupied.set(sq, reading != Reading::Empty);
        self.loses_change |= is_lost;
    }

    fn host_bytes(&mut self, now: Mono, bytes: &[u8]) {
        if !self.is_on || self.out.is_cut() {
            return;
        }
        let mut items = Vec::new();
        self.decoder.push(bytes, &mut items);
        for item in &items {
            if let HostItem::Command(command) = item {
                self.obey(now, command);
            }
        }
    }

    fn next_at(&self) -> Option<Mono> {
        let looks = (self.is_on && self.tells && self.is_unlocked).then_some(self.looks_at);
        self.out.arrives_at().into_iter().chain(looks).min()
    }

    fn take(&mut self, now: Mono, bytes: &mut Vec<u8>) {
        if self.is_on && self.tells && self.is_unlocked && now >= self.looks_at {
            self.looks_at = now + LOOKS_EVERY;
            self.look(now);
        }
        self.out.take(now, bytes);
    }

    fn cut(&mut self, is_cut: bool) {
        self.out.cut(is_cut);
    }

    fn power(&mut self, _now: Mono, is_on: bool) {
        (self.is_on, self.tells, self.is_unlocked) = (is_on, false, false);
        self.lit = Bitboard::EMPTY;
        self.decoder.reset();
        self.out.lose();
    }

    fn is_awake(&self) -> bool {
        self.tells && self.is_unlocked
    }
}
