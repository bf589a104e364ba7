//! Bytes of a line to the events of its game.

use super::effect::Effect;
use super::event::Event;
use super::machine::Game;
use crate::time::Stamp;
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
        self.decoder.push(at.mono, bytes, &mut self.items);
        game.handle(at, &Event::Bytes, effects);
        let mut n_noise = 0;
        for item in self.items.drain(..) {
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
        n_noise
    }

    /// The line was opened anew: what was half said will not be finished.
    pub fn forget(&mut self) {
        *self = Self { is_deaf_to_clock: self.is_deaf_to_clock, ..Self::default() };
    }
}
