//! Bytes of a line to the events of its game.

use super::effect::Effect;
use super::event::Event;
use super::machine::Game;
use crate::time::{Mono, Stamp};
use crate::wire::{BoardMessage, Decoder, Item};

/// So many messages of one kind and length are not hurt ones, but the board's own.
const OWN_FROM: u8 = 3;
/// Of so many kinds it is remembered how often they came.
const KINDS_MAX: usize = 16;

/// Kinds of messages that a board sends and that we do not know.
#[derive(Debug, Default)]
struct Kinds(Vec<(u8, usize, u8)>);

impl Kinds {
    /// A message of such a kind and length came. Whether it is one of those that this board sends:
    /// a byte that is hurt makes now this of a message, now that.
    fn note(&mut self, id: u8, bytes: usize) -> bool {
        let at = self.0.iter().position(|&(known, len, _)| (known, len) == (id, bytes));
        let n = at.map_or(0, |at| self.0.remove(at).2).saturating_add(1);
        self.0.insert(0, (id, bytes, n));
        self.0.truncate(KINDS_MAX);
        n >= OWN_FROM
    }
}

/// Decodes what one line says and hands it to the core, message by message.
#[derive(Debug, Default)]
pub struct Ear {
    decoder: Decoder,
    items: Vec<Item>,
    kinds: Kinds,
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
        let mut items = self.decode(at.mono, bytes);
        game.handle(at, &Event::Bytes, effects);
        let n_noise = items.drain(..).map(|item| self.tell(at, item, game, effects)).sum();
        // Their room serves again.
        self.items = items;
        n_noise
    }

    /// What bytes say that have arrived, for whoever is to hear of it before the game, which is to
    /// be [told](Self::tell) each, after an [`Event::Bytes`].
    pub fn decode(&mut self, at: Mono, bytes: &[u8]) -> Vec<Item> {
        self.decoder.push(at, bytes, &mut self.items);
        std::mem::take(&mut self.items)
    }

    /// The game hears one thing that has arrived. Returns how many bytes of it were noise.
    pub fn tell(
        &mut self,
        at: Stamp,
        item: Item,
        game: &mut Game,
        effects: &mut Vec<Effect>,
    ) -> usize {
        let (event, n_noise) = match item {
            Item::Message(BoardMessage::Clock(_)) if self.is_deaf_to_clock => return 0,
            Item::Message(message) => (Event::Board(message), 0),
            Item::Unknown { id, bytes } if self.kinds.note(id, bytes) => return 0,
            Item::Skipped { bytes, .. } | Item::Unknown { bytes, .. } => (Event::Noise, bytes),
        };
        game.handle(at, &event, effects);
        n_noise
    }

    /// The line was opened anew: what was half said will not be finished.
    pub fn forget(&mut self) {
        self.decoder = Decoder::default();
        self.items.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_board_sends_again_and_again_is_not_noise() {
        let mut game = Game::new(Default::default());
        let (mut ear, mut effects) = (Ear::default(), Vec::new());
        let mut hear = |bytes: &[u8]| ear.hear(Stamp::default(), bytes, &mut game, &mut effects);
        assert_eq!([(); 5].map(|()| hear(&[0xb0, 0, 4, 7])), [4, 4, 0, 0, 0]);
        assert_eq!(hear(&[0xb0, 0, 5, 7, 7]), 5, "another length is another kind");
        // What is hurt differs each time, and is noise to the end.
        let hurt: Vec<usize> = (0xc0..0xe0_u8).map(|id| hear(&[id, 0, 4, 7])).collect();
        assert_eq!(hurt, [4; 32]);
        assert_eq!(hear(&[0xb0, 0, 4, 7]), 4, "so is what has not come for long");
    }
}
