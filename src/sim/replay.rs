//! A tape or a trace through the very core that runs at the board, in virtual time.

use super::script::{Happening, Script};
use crate::game::{Effect, Entry, Event, Game, Settings};
use crate::time::{Mono, Stamp, Wall};
use crate::wire::{Decoder, Item};
use std::time::Duration;

/// After the last line of a tape the core gets this long to come to its conclusions.
const AFTERMATH: Duration = Duration::from_secs(5);

/// A finished replay: what was put on record, and the game as it stands.
#[derive(Debug)]
pub struct Replay {
    /// The record, in order.
    pub entries: Vec<Entry>,
    /// The core after the last event.
    pub game: Game,
}

/// Settings for a script: those of its header.
pub fn settings_of(script: &Script) -> Settings {
    let header = &script.header;
    Settings {
        white: header.white.clone(),
        black: header.black.clone(),
        event: header.event.clone(),
        start: header.start.clone(),
        is_chess960: header.is_chess960,
        ..Settings::default()
    }
}

impl Replay {
    /// Runs `script` from its beginning to its end. Takes no real time but that of computing.
    pub fn run(script: &Script) -> Self {
        let mut run = Run {
            game: Game::new(settings_of(script)),
            decoder: Decoder::default(),
            items: Vec::new(),
            effects: Vec::new(),
            entries: Vec::new(),
        };
        run.tape(script);
        Self { entries: run.entries, game: run.game }
    }
}

struct Run {
    game: Game,
    decoder: Decoder,
    items: Vec<Item>,
    effects: Vec<Effect>,
    entries: Vec<Entry>,
}

impl Run {
    fn tape(&mut self, script: &Script) {
        let mut last = Mono::default();
        for (at, happening) in &script.happenings {
            self.wake_until(*at);
            last = *at;
            if let Happening::Received(bytes) = happening {
                self.receive(*at, bytes);
            }
        }
        self.wake_until(last + AFTERMATH);
    }

    /// Lets every timer that is due before `until` fire at its time.
    fn wake_until(&mut self, until: Mono) {
        while let Some(due) = self.game.wake_at().filter(|due| *due < until) {
            self.event(due, &Event::Timeout);
        }
    }

    fn receive(&mut self, at: Mono, bytes: &[u8]) {
        let mut items = std::mem::take(&mut self.items);
        self.decoder.push(at, bytes, &mut items);
        for item in items.drain(..) {
            let event = match item {
                Item::Message(message) => Event::Board(message),
                Item::Skipped { .. } => Event::Noise,
            };
            self.event(at, &event);
        }
        self.items = items;
    }

    fn event(&mut self, at: Mono, event: &Event) {
        let wall = Wall(i64::try_from(at.0).unwrap_or(i64::MAX));
        self.game.handle(Stamp { mono: at, wall }, event, &mut self.effects);
        for effect in self.effects.drain(..) {
            if let Effect::Record(entry) = effect {
                self.entries.push(entry);
            }
        }
    }
}
