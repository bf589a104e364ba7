//! A tape or a trace through the very core that runs at the board, in virtual time.
//!
//! The bytes of a tape are fed as they came; nobody answers what the core sends. The readings of a
//! trace move the pieces of a simulated board, which sends what a real one would send over its
//! line, and answers what it is asked.

use super::script::{Happening, Header, Script};
use super::table::Table;
use crate::game::{Ear, Effect, Entry, Event, Game, Settings};
use crate::time::{Mono, Stamp, Wall};

use std::time::Duration;

/// After the last line of a script the core gets this long to come to its conclusions: long enough
/// for the board to be read once more ([`crate::wire::session::REFRESH`]).
const AFTERMATH: Duration = Duration::from_secs(11);
/// The same while the board's own memory is awaited, which takes its time.
const AFTERMATH_OF_MEMORY: Duration = Duration::from_secs(90);
/// Between closing a line and opening it again.
const REOPEN_AFTER: Duration = Duration::from_millis(50);

/// A finished replay: what was put on record, and the game as it stands.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The record, in order.
    pub entries: Vec<Entry>,
    /// The core after the last event.
    pub game: Game,
}

/// Settings for a script: those of its header.
pub fn settings_of(header: &Header) -> Settings {
    Settings {
        white: header.white.clone(),
        black: header.black.clone(),
        event: header.event.clone(),
        start: header.start.clone(),
        is_chess960: header.is_chess960,
        time_control: header.time_control.clone(),
        ..Settings::default()
    }
}

impl Replay {
    /// Runs `script` from its beginning to its end. Takes no real time but that of computing.
    pub fn run(script: &Script) -> Self {
        Self::run_with(script, settings_of(&script.header))
    }

    /// The same with other settings than those of its header.
    pub fn run_with(script: &Script, settings: Settings) -> Self {
        let mut run = Run::new(settings);
        if script.is_tape() {
            run.tape(script);
        } else {
            run.trace(script);
        }
        Self { entries: run.entries, game: run.game }
    }
}

/// The core with its effects gathered.
struct Run {
    game: Game,
    ear: Ear,
    effects: Vec<Effect>,
    entries: Vec<Entry>,
    /// What the core has sent since it was last looked at, in bytes.
    sent: Vec<u8>,
    wants_reopen: bool,
}

impl Run {
    fn new(settings: Settings) -> Self {
        Self {
            game: Game::new(settings),
            ear: Ear::default(),
            effects: Vec::new(),
            entries: Vec::new(),
            sent: Vec::new(),
            wants_reopen: false,
        }
    }

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

    fn trace(&mut self, script: &Script) {
        let mut table = Table::new(&script.header);
        table.begin(Mono::default());
        let mut happenings = script.happenings.iter().peekable();
        let last = script.happenings.last().map_or(Mono::default(), |(at, _)| *at);
        if table.board().is_some() {
            self.event(Mono::default(), &Event::LinkUp);
        } else {
            self.event(Mono::default(), &Event::Pictured(table.placement().clone()));
        }
        loop {
            let next_happening = happenings.peek().map(|(at, _)| *at);
            let next = [next_happening, table.next_at(), self.game.wake_at()];
            let awaits_memory = self.game.awaits_memory();
            let end = last + if awaits_memory { AFTERMATH_OF_MEMORY } else { AFTERMATH };
            let Some(now) = next.into_iter().flatten().min().filter(|now| *now <= end) else {
                return;
            };
            if next_happening == Some(now) {
                let (_, happening) = happenings.next().expect("a happening was peeked");
                if let Some(event) = table.happen(now, happening) {
                    self.event(now, &event);
                }
            } else if table.next_at() == Some(now) {
                self.pass(now, &mut table);
            } else {
                self.event(now, &Event::Timeout);
            }
            self.carry_out(now, &mut table);
        }
    }

    /// Lets the clock go on and the bytes arrive.
    fn pass(&mut self, now: Mono, table: &mut Table) {
        if let Some(event) = table.tick(now) {
            self.event(now, &event);
        }
        let mut bytes = Vec::new();
        if let Some(board) = table.board_mut() {
            board.take(now, &mut bytes);
        }
        if !bytes.is_empty() {
            self.receive(now, &bytes);
        }
    }

    /// Hands the board what was sent, and opens the line anew when that was asked for.
    fn carry_out(&mut self, now: Mono, table: &mut Table) {
        if std::mem::take(&mut self.wants_reopen) {
            self.event(now, &Event::LinkDown);
            self.ear.forget();
            self.event(now + REOPEN_AFTER, &Event::LinkUp);
        }
        let sent = std::mem::take(&mut self.sent);
        if let (Some(board), false) = (table.board_mut(), sent.is_empty()) {
            board.host_bytes(now, &sent);
        }
    }

    /// Lets every timer that is due before `until` fire at its time.
    fn wake_until(&mut self, until: Mono) {
        while let Some(due) = self.game.wake_at().filter(|due| *due < until) {
            self.event(due, &Event::Timeout);
        }
    }

    fn receive(&mut self, at: Mono, bytes: &[u8]) {
        self.ear.hear(stamp(at), bytes, &mut self.game, &mut self.effects);
        self.gather();
    }

    fn event(&mut self, at: Mono, event: &Event) {
        self.game.handle(stamp(at), event, &mut self.effects);
        self.gather();
    }

    fn gather(&mut self) {
        for effect in self.effects.drain(..) {
            match effect {
                Effect::Record(entry) => self.entries.push(entry),
                Effect::Send(command) => self.sent.extend(command.encode()),
                Effect::Reopen => self.wants_reopen = true,
                Effect::Show | Effect::Clock(_) => {}
            }
        }
    }
}

/// In a replay the clock on the wall shows the time since the start.
fn stamp(at: Mono) -> Stamp {
    Stamp { mono: at, wall: Wall(i64::try_from(at.0).unwrap_or(i64::MAX)) }
}
