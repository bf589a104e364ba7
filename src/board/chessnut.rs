//! Chessnut's boards on USB. Once asked to, they tell the whole board whenever something on it has
//! changed, and maybe more often; nothing gets lost on the way, so silence means that nothing is
//! moved. Writes need a pause between them.

use super::mirror::{Mirror, by_mirror};
use super::{Driver, News};
use crate::time::Mono;
use crate::wire::blocks::Blocks;
use crate::wire::chessnut::FromChessnut;
use crate::wire::{ChessnutCommand, ChessnutMessage, Orientation};
use shakmaty::Bitboard;
use std::collections::VecDeque;
use std::time::Duration;

/// Between two writes (protocol 7.2).
const WRITE_GAP: Duration = Duration::from_millis(200);
/// A board that has told nothing for so long is asked once more: it may have been without power.
const ASK_EVERY: Duration = Duration::from_secs(2);
/// Without a position for so long from the beginning, what is at the line is no such board.
const LOST_AFTER: Duration = Duration::from_secs(10);

/// The driver of a Chessnut board.
#[derive(Clone, Debug, Default)]
pub struct Chessnut {
    mirror: Mirror,
    blocks: Blocks,
    is_up: bool,
    is_given_up: bool,
    up_at: Mono,
    last_heard: Mono,
    asked_at: Mono,
    /// What is to be written, after what was.
    queue: VecDeque<ChessnutCommand>,
    /// The next write may begin then.
    free_at: Mono,
    lit: Bitboard,
    sent: Vec<Vec<u8>>,
}

impl Chessnut {
    /// A board that has not spoken yet, and lies so, if that is known.
    pub fn new(lies: Option<Orientation>) -> Self {
        Self { mirror: Mirror::new(lies), ..Self::default() }
    }

    fn lights(&self) -> ChessnutCommand {
        ChessnutCommand::light(self.lit, self.mirror.lies().unwrap_or(Orientation::Normal))
    }

    /// Of lights that wait only the newest are of use.
    fn enqueue(&mut self, command: ChessnutCommand) {
        let is_alike =
            |it: &ChessnutCommand| std::mem::discriminant(it) == std::mem::discriminant(&command);
        self.queue.retain(|it| !is_alike(it));
        self.queue.push_back(command);
    }

    fn ask(&mut self, now: Mono) {
        self.asked_at = now;
        self.enqueue(ChessnutCommand::Start);
        self.write(now);
    }

    /// Writes what is next, if the board takes it already.
    fn write(&mut self, now: Mono) {
        if self.is_up
            && now >= self.free_at
            && let Some(command) = self.queue.pop_front()
        {
            self.sent.push(command.encode());
            self.free_at = now + WRITE_GAP;
        }
    }

    /// When the board is to be asked again.
    fn asks_at(&self) -> Mono {
        self.last_heard.max(self.asked_at) + ASK_EVERY
    }
}

impl Driver for Chessnut {
    by_mirror!();

    fn link_up(&mut self, now: Mono, _asks_clock: bool) {
        self.link_down();
        (self.is_up, self.is_given_up, self.up_at) = (true, false, now);
        (self.last_heard, self.free_at) = (now, now);
        self.ask(now);
        self.enqueue(self.lights());
    }

    fn link_down(&mut self) {
        self.is_up = false;
        self.blocks = Blocks::default();
        self.queue.clear();
        self.mirror.lose();
    }

    fn on_said(&mut self, now: Mono, bytes: &[u8]) {
        self.last_heard = now;
        let cuttings = self.blocks.push::<FromChessnut>(now, bytes);
        if cuttings.n_noise > 0 {
            // Whatever it was going to say, it says it again when asked.
            self.ask(now);
        }
        for message in cuttings.messages {
            // How full a battery is concerns no game.
            if let ChessnutMessage::Position { dump, .. } = message {
                let lies = self.mirror.lies();
                self.mirror.show(now, *dump);
                if self.mirror.lies() != lies {
                    self.enqueue(self.lights());
                }
            }
        }
        self.write(now);
    }

    fn wake_at(&self) -> Option<Mono> {
        if !self.is_up || self.is_given_up {
            return None;
        }
        let write = (!self.queue.is_empty()).then_some(self.free_at);
        let lost = (!self.mirror.is_live()).then_some(self.up_at + LOST_AFTER);
        [write, lost, Some(self.asks_at())].into_iter().flatten().min()
    }

    fn on_timeout(&mut self, now: Mono) {
        self.is_given_up |= self.is_up && !self.mirror.is_live() && now >= self.up_at + LOST_AFTER;
        if self.is_up && now >= self.asks_at() {
            self.ask(now);
        }
        self.write(now);
    }

    fn is_given_up(&self) -> bool {
        self.is_given_up
    }

    fn leave(&mut self) {
        if self.is_up {
            self.sent.push(ChessnutCommand::light(Bitboard::EMPTY, Orientation::Normal).encode());
        }
        self.link_down();
    }

    /// It is told when it is asked for, and unasked after each change.
    fn want_picture(&mut self, now: Mono) {
        self.mirror.want();
        if self.is_up {
            self.ask(now);
        }
    }

    fn light(&mut self, now: Mono, squares: Bitboard) {
        if std::mem::replace(&mut self.lit, squares) != squares && self.is_up {
            self.enqueue(self.lights());
            self.write(now);
        }
    }
}
