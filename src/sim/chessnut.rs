//! A board of Chessnut's: once it was asked to, it tells its position then and at each change. What
//! comes sooner than 200 ms after the last write it does not take. Protocol 7.2.

use super::maker::MakerSim;
use super::outgoing::Outgoing;
use crate::table::Reading;
use crate::time::Mono;
use crate::wire::blocks::Blocks;
use crate::wire::chessnut::ToChessnut;
use crate::wire::{ChessnutCommand, ChessnutMessage, Dump, Orientation};
use shakmaty::{Bitboard, Board, Square};
use std::time::Duration;

/// It bears no two writes within this time.
const WRITE_GAP: Duration = Duration::from_millis(200);
/// It looks at its sensors so often. Nobody has told how often it does; ours.
const LOOKS_EVERY: Duration = Duration::from_millis(50);

/// The model of such a board.
#[derive(Clone, Debug, Default)]
pub struct ChessnutSim {
    board: Board,
    lies: Orientation,
    blocks: Blocks,
    out: Outgoing,
    /// It tells its positions.
    tells: bool,
    /// Something has changed that it has not told.
    has_changed: bool,
    looks_at: Mono,
    loses_report: bool,
    lit: Bitboard,
    written_at: Option<Mono>,
    n_missed: usize,
    is_on: bool,
}

impl ChessnutSim {
    /// A board that lies so, with these pieces on it.
    pub fn new(board: Board, lies: Orientation) -> Self {
        Self { board, lies, is_on: true, ..Self::default() }
    }

    /// The squares that are lit.
    pub fn lit(&self) -> Bitboard {
        self.lit
    }

    fn tell(&mut self, now: Mono) {
        let dump = Box::new(Dump::new(&self.board, self.lies));
        if !self.out.is_cut() && !std::mem::take(&mut self.loses_report) {
            self.out.send(now, &ChessnutMessage::Position { dump, is_long: true }.encode());
        }
    }

    /// How many writes came too soon.
    pub fn n_missed(&self) -> usize {
        self.n_missed
    }
}

impl MakerSim for ChessnutSim {
    fn sense(&mut self, sq: Square, reading: Reading, is_lost: bool) {
        match reading {
            Reading::Piece(piece) => self.board.set_piece_at(sq, piece),
            _ => self.board.discard_piece_at(sq),
        }
        self.has_changed = true;
        self.loses_report |= is_lost;
    }

    fn host_bytes(&mut self, now: Mono, bytes: &[u8]) {
        if !self.is_on || self.out.is_cut() {
            return;
        }
        let is_soon = self.written_at.is_some_and(|at| now.since(at) < WRITE_GAP);
        self.written_at = Some(now);
        if is_soon {
            self.n_missed += 1;
            return;
        }
        for command in self.blocks.push::<ToChessnut>(now, bytes).messages {
            match command {
                ChessnutCommand::Start => {
                    (self.tells, self.has_changed, self.looks_at) = (true, true, now);
                }
                ChessnutCommand::Light(_) => self.lit = command.lit(self.lies),
            }
        }
    }

    fn next_at(&self) -> Option<Mono> {
        let tells = (self.is_on && self.tells).then_some(self.looks_at);
        self.out.arrives_at().into_iter().chain(tells).min()
    }

    fn take(&mut self, now: Mono, bytes: &mut Vec<u8>) {
        if self.is_on && self.tells && now >= self.looks_at {
            self.looks_at = now + LOOKS_EVERY;
            if std::mem::take(&mut self.has_changed) {
                self.tell(now);
            }
        }
        self.out.take(now, bytes);
    }

    fn cut(&mut self, is_cut: bool) {
        self.out.cut(is_cut);
    }

    fn power(&mut self, _now: Mono, is_on: bool) {
        (self.is_on, self.tells, self.lit) = (is_on, false, Bitboard::EMPTY);
        self.out.lose();
    }

    fn is_awake(&self) -> bool {
        self.tells
    }
}
