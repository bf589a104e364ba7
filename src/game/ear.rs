//! Bytes of a line to the events of its game.

use super::effect::Effect;
use super::event::Event;
use super::machine::Game;
use crate::time::{Mono, Stamp};
use crate::wire::{BoardMessage, Decoder, Item};

/// Decodes what one line says and hands it to the core, message by message.
#[derive(Debug, Default)]
pub struct Ear {
    decoder: Decoder,
    items: Vec<Item>,
    is_deaf_to_clock: bool,
}

impl Ear {
    /// An ear for a board whose clock is none of the game's: the clock stands elsewhere.
    pub fn deaf_to_clock() -> Self {
        Self { is_deaf_to_clock: true, ..Self::default() }
    }

    /// Bytes have arrived, cut anyhow. Returns how many of them were noise.
    pub fn hear(
        &mut self,
        at: Stamp,
        bytes: &[u8],
        game: &mut Game,
        effects: &mut Vec<Effect>,
    ) -> usize {
        if game.settings().board.has_own_language() {
            game.handle(at, &Event::Said(bytes.to_vec()), effects);
            return 0;
        }
        let items = self.decode(at.mono, bytes);
        self.tell(at, items, game, effects)
    }

    /// What bytes say that have arrived, for whoever is to hear of it before the game, which is to
    /// be [told](Self::tell) next.
    pub fn decode(&mut self, at: Mono, bytes: &[u8]) -> Vec<Item> {
        self.decoder.push(at, bytes, &mut self.items);
        std::mem::take(&mut self.items)
    }

    /// The game hears what has arrived. Returns how many bytes of it were noise.
    pub fn tell(
        &mut self,
        at: Stamp,
        mut items: Vec<Item>,
        game: &mut Game,
        effects: &mut Vec<Effect>,
    ) -> usize {
        game.handle(at, &Event::Bytes, effects);
        let mut n_noise = 0;
        for item in items.drain(..) {
            let event = match item {
                Item::Message(BoardMessage::Clock(_)) if self.is_deaf_to_clock => continue,
                Item::Message(message) => Event::Board(message),
                Item::Skipped { bytes, .. } => {
                    n_noise += bytes;
                    Event::Noise
                }
            };
            game.handle(at, &event, effects);
        }
        // Their room serves again.
        self.items = items;
        n_noise
    }

    /// The line was opened anew: what was half said will not be finished.
    pub fn forget(&mut self) {
        *self = Self { is_deaf_to_clock: self.is_deaf_to_clock, ..Self::default() };
    }
}
