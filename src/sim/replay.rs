//! A tape or a trace through the very core that runs at the board, in virtual time.
//!
//! The bytes of a tape are fed as they came; nobody answers what the core sends. The readings of a
//! trace move the pieces of a simulated board, which sends what a real one would send over its
//! line, and answers what it is asked.

use super::board::{BoardSim, Delivery};
use super::clock::{self, ClockSim};
use super::script::{Happening, Header, Script};
use crate::game::{Effect, Entry, Event, Game, Settings};
use crate::time::{Mono, Stamp, Wall};
use crate::track::{Placement, Reading};
use crate::wire::{BoardMessage, ClockMessage, Code, Decoder, End, Item, Orientation};
use shakmaty::{Board, Color, Square};
use std::time::Duration;

/// After the last line of a script the core gets this long to come to its conclusions.
const AFTERMATH: Duration = Duration::from_secs(5);
/// When the clock of a trace is set running.
const CLOCK_STARTS: Mono = Mono::from_millis(1_500);
/// Between closing a line and opening it again.
const REOPEN_AFTER: Duration = Duration::from_millis(50);

/// A finished replay: what was put on record, and the game as it stands.
#[derive(Debug)]
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
        ..Settings::default()
    }
}

impl Replay {
    /// Runs `script` from its beginning to its end. Takes no real time but that of computing.
    pub fn run(script: &Script) -> Self {
        let mut run = Run::new(&script.header);
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
    decoder: Decoder,
    items: Vec<Item>,
    effects: Vec<Effect>,
    entries: Vec<Entry>,
    /// What the core has sent since it was last looked at, in bytes.
    sent: Vec<u8>,
    wants_reopen: bool,
}

impl Run {
    fn new(header: &Header) -> Self {
        Self {
            game: Game::new(settings_of(header)),
            decoder: Decoder::default(),
            items: Vec::new(),
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
        let mut happenings = script.happenings.iter().peekable();
        let end = script.happenings.last().map_or(Mono::default(), |(at, _)| *at) + AFTERMATH;
        if table.board.is_some() {
            self.event(Mono::default(), &Event::LinkUp);
        } else {
            self.event(Mono::default(), &Event::Pictured(table.placement.clone()));
        }
        loop {
            let next_happening = happenings.peek().map(|(at, _)| *at);
            let next = [next_happening, table.next_at(), self.game.wake_at()];
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
        if let Some(board) = &mut table.board {
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
            self.decoder = Decoder::default();
            self.event(now + REOPEN_AFTER, &Event::LinkUp);
        }
        let sent = std::mem::take(&mut self.sent);
        if let (Some(board), false) = (&mut table.board, sent.is_empty()) {
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
        let mut items = std::mem::take(&mut self.items);
        self.decoder.push(at, bytes, &mut items);
        self.event(at, &Event::Bytes);
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
            match effect {
                Effect::Record(entry) => self.entries.push(entry),
                Effect::Send(command) => self.sent.extend(command.encode()),
                Effect::Reopen => self.wants_reopen = true,
                Effect::Show => {}
            }
        }
    }
}

/// What stands on the table of a trace: a board (a DGT board behind its line, or a scanned one
/// that names no pieces) and a clock.
struct Table {
    board: Option<BoardSim>,
    placement: Placement,
    clock: Option<ClockSim>,
    starts_at: Option<(Mono, Color)>,
}

impl Table {
    fn new(header: &Header) -> Self {
        let setup = header.start.clone().map(shakmaty::fen::Fen::into_setup);
        let start = setup.as_ref().map_or_else(Board::new, |setup| setup.board.clone());
        let turn = setup.map_or(Color::White, |setup| setup.turn);
        let mut clock =
            header.has_clock.then(|| ClockSim::new(clock::USUAL.0, clock::USUAL.1, End::Left));
        if let Some(clock) = &mut clock {
            clock.set_lever(Mono::default(), turn);
        }
        let time = clock.as_ref().map(ClockSim::time);
        let board =
            header.names_pieces.then(|| BoardSim::new(start.clone(), Orientation::Normal, time));
        let mut placement = Placement::from(start.clone());
        if !header.names_pieces {
            for sq in start.occupied() {
                placement.set(sq, Reading::Something);
            }
        }
        let starts_at = clock.is_some().then_some((CLOCK_STARTS, turn));
        Self { board, placement, clock, starts_at }
    }

    fn next_at(&self) -> Option<Mono> {
        let board = self.board.as_ref().and_then(BoardSim::next_at);
        let clock = self.clock.as_ref().and_then(ClockSim::next_at);
        [board, clock, self.starts_at.map(|(at, _)| at)].into_iter().flatten().min()
    }

    /// The clock goes on. A scanned board has no line: its clock is heard at once.
    fn tick(&mut self, now: Mono) -> Option<Event> {
        let clock = self.clock.as_mut()?;
        if let Some((_, turn)) = self.starts_at.take_if(|(at, _)| *at <= now) {
            clock.run(now, turn);
        }
        clock.advance(now);
        self.show_clock(now)
    }

    fn show_clock(&mut self, now: Mono) -> Option<Event> {
        let time = self.clock.as_ref()?.time();
        match &mut self.board {
            Some(board) => {
                board.clock(now, time);
                None
            }
            None => Some(Event::Board(BoardMessage::Clock(ClockMessage::Time(time)))),
        }
    }

    fn happen(&mut self, now: Mono, happening: &Happening) -> Option<Event> {
        match happening {
            Happening::Sensed { sq, reading, is_lost } => self.sense(now, *sq, *reading, *is_lost),
            Happening::Press(by) => {
                let has_moved = self.clock.as_mut()?.press(now, *by);
                // A button that is already down is heard by no lever, but by the clock.
                if has_moved { self.show_clock(now) } else { Some(Event::Pressed(*by)) }
            }
            Happening::ClockStopped => {
                self.clock.as_mut()?.stop(now);
                self.show_clock(now)
            }
            Happening::Resume(turn) => {
                let clock = self.clock.as_mut()?;
                clock.stop(now);
                clock.set_lever(now, *turn);
                let event = self.show_clock(now);
                self.starts_at = Some((now + Duration::from_millis(50), *turn));
                event
            }
            Happening::LineDown => {
                self.board.as_mut()?.line_down(now);
                None
            }
            Happening::LineUp => {
                self.board.as_mut()?.line_up(now);
                None
            }
            Happening::Received(_) | Happening::Sent(_) | Happening::End => None,
        }
    }

    fn sense(&mut self, now: Mono, sq: Square, reading: Reading, is_lost: bool) -> Option<Event> {
        let Some(board) = &mut self.board else {
            self.placement.set(sq, reading);
            return (!is_lost).then_some(Event::Sensed(sq, reading));
        };
        let code = match reading {
            Reading::Piece(piece) => Code::Piece(piece),
            Reading::Empty | Reading::Something => Code::Empty,
        };
        let delivery = if is_lost { Delivery::Lost } else { Delivery::Sent };
        board.set(now, sq, code, delivery);
        None
    }
}
