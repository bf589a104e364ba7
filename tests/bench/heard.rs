//! What a core hears while a script is played on a simulated board, message by message, so that
//! each call can be measured by itself.

use rokade::game::{Ear, Effect, Event, Game};
use rokade::sim::replay::settings_of;
use rokade::sim::{Script, Table};
use rokade::time::{Mono, Stamp, Wall};
use std::collections::VecDeque;
use std::time::Duration;

/// After the last line of a script the core gets this long.
const AFTERMATH: Duration = Duration::from_secs(5);

/// Between closing a line and opening it again.
const REOPEN_AFTER: Duration = Duration::from_millis(50);
/// Half-moves that the core has to find in a game.
const N_RECORDED_MIN: usize = 80;

/// One call of the core.
#[derive(Clone, Debug)]
pub(crate) enum Heard {
    /// The bytes of one message, or of several that came at once.
    Bytes(Vec<u8>),
    /// Anything else.
    Event(Event),
}

/// All calls of the core in one game, in order. The same calls have the same effects every time.
#[derive(Clone, Debug)]
pub(crate) struct Recording {
    script: Script,
    pub(crate) calls: Vec<(Stamp, Heard)>,
}

impl Recording {
    /// Plays `script` once.
    ///
    /// # Panics
    /// If the core understood next to nothing, for then its speed would mean nothing.
    pub(crate) fn of(script: &Script) -> Self {
        let mut table = Table::new(&script.header);
        table.begin(Mono::default());
        let mut listener = Listener::new(script);
        let mut calls = Vec::new();
        let mut happenings = script.happenings.iter().peekable();
        let end = script.happenings.last().map_or(Mono::default(), |(at, _)| *at) + AFTERMATH;
        let mut next_calls = VecDeque::from([(Mono::default(), Heard::Event(Event::LinkUp))]);
        loop {
            while let Some((at, heard)) = next_calls.pop_front() {
                let stamp = stamp(at);
                if answer(&mut table, at, listener.hear(stamp, &heard)) {
                    next_calls.push_back((at, Heard::Event(Event::LinkDown)));
                    next_calls.push_back((at + REOPEN_AFTER, Heard::Event(Event::LinkUp)));
                }
                calls.push((stamp, heard));
            }
            let happens = happenings.peek().map(|(at, _)| *at);
            let next = [happens, table.next_at(), listener.game.wake_at()];
            let Some(now) = next.into_iter().flatten().min().filter(|now| *now <= end) else {
                let n_recorded = listener.game.play().map_or(0, |play| play.sheet().len());
                assert!(n_recorded >= N_RECORDED_MIN, "{n_recorded} moves were recorded");
                return Self { script: script.clone(), calls };
            };
            if happens == Some(now) {
                let (_, happening) = happenings.next().expect("a happening was peeked");
                let event = table.happen(now, happening);
                next_calls.extend(event.map(|event| (now, Heard::Event(event))));
            } else if table.next_at() == Some(now) {
                let bytes = message(&mut table, now);
                next_calls.extend(bytes.map(|bytes| (now, Heard::Bytes(bytes))));
            } else {
                next_calls.push_back((now, Heard::Event(Event::Timeout)));
            }
        }
    }

    /// A core that has heard nothing yet.
    pub(crate) fn listener(&self) -> Listener {
        Listener::new(&self.script)
    }
}

/// A core with its ear.
#[derive(Debug)]
pub(crate) struct Listener {
    pub(crate) game: Game,
    ear: Ear,
    effects: Vec<Effect>,
}

impl Listener {
    fn new(script: &Script) -> Self {
        let game = Game::new(settings_of(&script.header));
        Self { game, ear: Ear::default(), effects: Vec::new() }
    }

    /// From the last byte of a message to the effects.
    pub(crate) fn hear(&mut self, at: Stamp, heard: &Heard) -> std::vec::Drain<'_, Effect> {
        match heard {
            Heard::Bytes(bytes) => {
                self.ear.hear(at, bytes, &mut self.game, &mut self.effects);
            }
            Heard::Event(event) => {
                if *event == Event::LinkUp {
                    self.ear.forget();
                }
                self.game.handle(at, event, &mut self.effects);
            }
        }
        self.effects.drain(..)
    }
}

fn message(table: &mut Table, now: Mono) -> Option<Vec<u8>> {
    let event = table.tick(now);
    assert!(event.is_none(), "everything comes through the line");
    let mut bytes = Vec::new();
    table.board_mut()?.take(now, &mut bytes);
    (!bytes.is_empty()).then_some(bytes)
}

/// Hands the board what is sent to it. Whether the line is to be opened anew.
fn answer(table: &mut Table, at: Mono, effects: impl Iterator<Item = Effect>) -> bool {
    let mut wants_reopen = false;
    for effect in effects {
        match effect {
            Effect::Send(bytes) => {
                let board = table.board_mut().expect("a board with a line");
                board.host_bytes(at, &bytes);
            }
            Effect::Reopen => wants_reopen = true,
            Effect::Record(_) | Effect::Show | Effect::Clock(_) => {}
        }
    }
    wants_reopen
}

fn stamp(at: Mono) -> Stamp {
    Stamp { mono: at, wall: Wall(i64::try_from(at.0).unwrap_or(i64::MAX)) }
}
