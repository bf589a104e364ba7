//! Bytes of a line to the events of its game.

use super::effect::Effect;
use super::event::Event;
use super::machine::Game;
use crate::time::Stamp;
use crate::wire::{Decoder, Item};

/// Decodes what one line says and hands it to the core, message by message.
#[derive(Debug, Default)]
pub struct Ear {
    decoder: Decoder,
    items: Vec<Item>,
}

impl Ear {
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
        *self = Self::default();
    }
}
