//! A host and a board in virtual time: the session and the decoder on one side, the simulated board
//! on the other, and between them a clock that jumps to the next event.

use std::time::Duration;

use rokade::sim::BoardSim;
use rokade::time::Mono;
use rokade::wire::{BoardCommand, BoardMessage, Decoder, Item, Session};

use super::describe::{command, item};

pub(crate) struct Pair {
    pub(crate) now: Mono,
    pub(crate) session: Session,
    pub(crate) board: BoardSim,
    pub(crate) decoder: Decoder,
    /// Everything that passed, in words: `0.500 > send-version`, `0.506 < version 1.08`.
    pub(crate) heard: Vec<String>,
}

impl Pair {
    pub(crate) fn new(session: Session, board: BoardSim) -> Self {
        let decoder = Decoder::default();
        Self { now: Mono(0), session, board, decoder, heard: Vec::new() }
    }

    pub(crate) fn link_up(&mut self) {
        let mut out = Vec::new();
        self.session.link_up(self.now, &mut out);
        self.send(&out);
    }

    pub(crate) fn want_dump(&mut self) {
        let mut out = Vec::new();
        self.session.want_dump(self.now, &mut out);
        self.send(&out);
    }

    /// Lets `ms` milliseconds pass.
    pub(crate) fn pass(&mut self, ms: u64) {
        let until = self.now + Duration::from_millis(ms);
        for _ in 0..100_000 {
            let events = [self.session.wake_at(), self.board.next_at(), self.decoder.wake_at()];
            let Some(at) = events.into_iter().flatten().min().filter(|at| *at <= until) else {
                self.now = until;
                return;
            };
            self.now = self.now.max(at);
            self.turn();
        }
        panic!("time stands still at {}", self.now);
    }

    /// Bytes from nowhere, as from a board that was in the middle of something.
    pub(crate) fn stray(&mut self, bytes: &[u8]) {
        let mut items = Vec::new();
        self.session.on_bytes(self.now);
        self.decoder.push(self.now, bytes, &mut items);
        self.take(items);
    }

    /// The lines of what passed since the last call that contain `word`.
    pub(crate) fn drain(&mut self, word: &str) -> Vec<String> {
        let lines = std::mem::take(&mut self.heard);
        lines.into_iter().filter(|line| line.contains(word)).collect()
    }

    fn turn(&mut self) {
        let (mut bytes, mut items, mut out) = (Vec::new(), Vec::new(), Vec::new());
        self.board.take(self.now, &mut bytes);
        if !bytes.is_empty() {
            self.session.on_bytes(self.now);
        }
        self.decoder.push(self.now, &bytes, &mut items);
        self.take(items);
        self.session.on_timeout(self.now, &mut out);
        self.send(&out);
    }

    fn take(&mut self, items: Vec<Item>) {
        for it in items {
            self.heard.push(format!("{} < {}", self.now, item(&it)));
            let mut out = Vec::new();
            if let Item::Message(message) = it {
                self.on_message(&message, &mut out);
            }
            self.send(&out);
        }
    }

    fn on_message(&mut self, message: &BoardMessage, out: &mut Vec<BoardCommand>) {
        self.session.on_message(self.now, message, out);
    }

    fn send(&mut self, commands: &[BoardCommand]) {
        for it in commands {
            self.heard.push(format!("{} > {}", self.now, command(it)));
            self.board.host_bytes(self.now, &it.encode());
        }
    }
}
