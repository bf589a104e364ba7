//! Millennium's ChessLink. It tells the whole board whenever something on it has changed, so what
//! does not arrive is made good by the next report. Each has a sum, which noise passes once in some
//! thousand times; so where noise was heard a field needs two reports to change. Commands are
//! answered, and said again one at a time until they are.

use super::doubts::{AGREE, Doubts, NEAR_AFTER_GAP, differs};
use super::mirror::{Mirror, by_mirror};
use super::{Driver, News};
use crate::time::Mono;
use crate::wire::blocks::Blocks;
use crate::wire::chesslink::{FromBoard, LightTable, Register};
use crate::wire::{ChessLinkCommand, ChessLinkMessage, Dump, Field, Orientation};
use shakmaty::Bitboard;
use std::collections::VecDeque;
use std::time::Duration;

/// From the opening of the line to the first byte sent: a bridge of USB may be setting itself up.
const OPENING_PAUSE: Duration = Duration::from_millis(500);
/// An answer takes 20 ms on the line, and may wait for a report and a scan. Ours.
const ANSWER_WAIT: Duration = Duration::from_millis(500);
/// Questions for the version before the line is given up.
const N_VERSION_TRIES: u32 = 6;
/// Other commands that are not answered are given up after so many tries.
const N_TRIES: u32 = 3;
/// Without a byte for this long the board is asked what stands on it.
const QUIET: Duration = Duration::from_secs(1);
/// Without a position for so long reports may have been lost, whatever else was heard. A board that
/// is asked once a second answers.
const GAP_AFTER: Duration = Duration::from_millis(2_500);
/// Without a position for this long, though asked for, the board is lost.
const STARVED: Duration = Duration::from_secs(5);
/// Reports after each change of the board (protocol 7.1).
const ON_CHANGE: u8 = 3;

/// The driver of a ChessLink board.
#[derive(Clone, Debug, Default)]
pub struct ChessLink {
    mirror: Mirror,
    doubts: Doubts,
    blocks: Blocks,
    phase: ChessLinkPhase,
    /// What is to be said, after what was.
    queue: VecDeque<ChessLinkCommand>,
    errand: Option<Unanswered>,
    last_heard: Mono,
    /// When the board last said what stands on it.
    shown_at: Mono,
    lit: Bitboard,
    sent: Vec<Vec<u8>>,
}

#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
enum ChessLinkPhase {
    #[default]
    Down,
    /// The line rests until then.
    Pausing(Mono),
    /// The board has not told its version.
    Asking,
    Up,
    GivenUp,
}

/// A command that was sent and is not answered yet.
#[derive(Clone, Debug)]
struct Unanswered {
    command: ChessLinkCommand,
    n_sent: u32,
    again_at: Mono,
}

impl ChessLink {
    /// A board that has not spoken yet, and lies so, if that is known.
    pub fn new(lies: Option<Orientation>) -> Self {
        Self { mirror: Mirror::new(lies), ..Self::default() }
    }

    fn enqueue(&mut self, command: ChessLinkCommand) {
        let is_under_way = self.errand.as_ref().is_some_and(|it| it.command == command);
        if !is_under_way && !self.queue.contains(&command) {
            self.queue.push_back(command);
        }
    }

    /// Sends what is next, if nothing waits for its answer.
    fn send(&mut self, now: Mono) {
        if self.errand.is_none()
            && let Some(command) = self.queue.pop_front()
        {
            self.sent.push(command.encode());
            self.errand = Some(Unanswered { command, n_sent: 1, again_at: now + ANSWER_WAIT });
        }
    }

    fn hear(&mut self, now: Mono, message: ChessLinkMessage) {
        if self.errand.as_ref().is_some_and(|it| is_answer(&it.command, &message)) {
            self.errand = None;
        }
        match message {
            ChessLinkMessage::Version { .. } if self.phase == ChessLinkPhase::Asking => {
                self.phase = ChessLinkPhase::Up;
                self.shown_at = now;
                self.queue.clear();
                self.enqueue(ChessLinkCommand::Read(Register::Reports));
                self.enqueue(ChessLinkCommand::Position);
                self.enqueue(self.lights());
            }
            // It is kept without power, and can be written so often only.
            ChessLinkMessage::Read(Register::Reports, 1 | 2) => {
                self.enqueue(ChessLinkCommand::Write(Register::Reports, ON_CHANGE));
            }
            ChessLinkMessage::Position(dump) if self.phase == ChessLinkPhase::Up => {
                self.weigh(now, &dump)
            }
            _ => {}
        }
    }

    /// A position has come: what of it is believed is shown.
    fn weigh(&mut self, now: Mono, dump: &Dump) {
        if now.since(self.shown_at) > GAP_AFTER && self.mirror.is_live() {
            self.mirror.tell(News::WasQuiet(self.shown_at));
            self.mirror.want();
        }
        self.shown_at = now;
        let Some(dump) = self.believed(now, dump) else { return };
        self.mirror.show(now, dump);
    }

    /// What may be believed of a position. If not all of it, the board is asked again.
    fn believed(&mut self, now: Mono, dump: &Dump) -> Option<Dump> {
        let shown = self.mirror.shown().cloned();
        let is_known = shown.as_ref() == Some(dump);
        let before = self.doubts.read(now, is_known);
        let is_same = before.as_ref().is_some_and(|before| differs(before, dump) <= AGREE);
        if !self.doubts.is_noisy(now) {
            let is_near = shown.as_ref().is_none_or(|shown| differs(shown, dump) <= NEAR_AFTER_GAP);
            if is_near || is_same {
                return Some(dump.clone());
            }
        } else if is_known {
            return Some(dump.clone());
        }
        self.doubts.doubt(now, dump);
        self.enqueue(ChessLinkCommand::Position);
        let before =
            before.filter(|_| self.doubts.is_noisy(now) && (is_same || shown.is_some()))?;
        let mut agreed = shown.unwrap_or(*before.clone());
        for field in Field::all().filter(|field| before.code(*field) == dump.code(*field)) {
            agreed.0[usize::from(field.index())] = dump.code(field);
        }
        Some(agreed)
    }

    /// What is not answered is said again, or given up.
    fn repeat(&mut self, now: Mono) {
        let Some(errand) = self.errand.as_mut().filter(|it| now >= it.again_at) else { return };
        let n_tries = match errand.command {
            ChessLinkCommand::Version => N_VERSION_TRIES,
            // The board is lost before.
            ChessLinkCommand::Position => u32::MAX,
            _ => N_TRIES,
        };
        if errand.command == ChessLinkCommand::Position && self.mirror.is_live() {
            // Who presses a clock beside the board meanwhile has made a move that nobody saw.
            self.mirror.tell(News::WasQuiet(self.shown_at));
        }
        if errand.n_sent < n_tries {
            (errand.n_sent, errand.again_at) = (errand.n_sent + 1, now + ANSWER_WAIT);
            self.sent.push(errand.command.encode());
        } else if self.phase == ChessLinkPhase::Asking {
            self.phase = ChessLinkPhase::GivenUp;
        } else {
            self.errand = None;
        }
    }

    fn lights(&self) -> ChessLinkCommand {
        let lies = self.mirror.lies().unwrap_or(Orientation::Normal);
        match self.lit {
            Bitboard::EMPTY => ChessLinkCommand::Dark,
            lit => ChessLinkCommand::Light(Box::new(LightTable::around(lit, lies))),
        }
    }

    fn asks_at(&self) -> Mono {
        self.last_heard + QUIET
    }
}

/// Whether that is what the board says to a command.
fn is_answer(command: &ChessLinkCommand, message: &ChessLinkMessage) -> bool {
    match (command, message) {
        (ChessLinkCommand::Version, ChessLinkMessage::Version { .. })
        | (ChessLinkCommand::Position, ChessLinkMessage::Position(_))
        | (ChessLinkCommand::Light(_), ChessLinkMessage::Lit)
        | (ChessLinkCommand::Dark, ChessLinkMessage::Dark) => true,
        (ChessLinkCommand::Read(asked), ChessLinkMessage::Read(said, _)) => asked == said,
        (ChessLinkCommand::Write(to, value), ChessLinkMessage::Written(said, is)) => {
            (to, value) == (said, is)
        }
        _ => false,
    }
}

impl Driver for ChessLink {
    by_mirror!();

    fn link_up(&mut self, now: Mono, _asks_clock: bool) {
        self.link_down();
        self.phase = ChessLinkPhase::Pausing(now + OPENING_PAUSE);
        self.doubts = Doubts::default();
        self.last_heard = now;
    }

    fn link_down(&mut self) {
        (self.phase, self.errand) = (ChessLinkPhase::Down, None);
        self.blocks = Blocks::default();
        self.queue.clear();
        self.mirror.lose();
    }

    fn on_said(&mut self, now: Mono, bytes: &[u8]) {
        self.last_heard = now;
        let cuttings = self.blocks.push::<FromBoard>(now, bytes);
        if cuttings.n_noise > 0 {
            self.doubts.note_noise(now);
            if self.doubts.is_dense(now) && self.mirror.is_live() {
                self.mirror.tell(News::Noise);
            }
            self.want_picture(now);
        }
        for message in cuttings.messages {
            self.hear(now, message);
        }
        self.send(now);
    }

    fn wake_at(&self) -> Option<Mono> {
        let again_at = self.errand.as_ref().map(|it| it.again_at);
        match self.phase {
            ChessLinkPhase::Down | ChessLinkPhase::GivenUp => None,
            ChessLinkPhase::Pausing(until) => Some(until),
            ChessLinkPhase::Asking => again_at,
            ChessLinkPhase::Up => {
                let lost_at = self.shown_at + STARVED;
                Some(again_at.unwrap_or(self.asks_at()).min(lost_at))
            }
        }
    }

    fn on_timeout(&mut self, now: Mono) {
        match self.phase {
            ChessLinkPhase::Pausing(until) if now >= until => {
                self.phase = ChessLinkPhase::Asking;
                self.enqueue(ChessLinkCommand::Version);
            }
            ChessLinkPhase::Up if now >= self.shown_at + STARVED => {
                self.phase = ChessLinkPhase::GivenUp
            }
            ChessLinkPhase::Up if now >= self.asks_at() => self.enqueue(ChessLinkCommand::Position),
            _ => {}
        }
        self.repeat(now);
        if matches!(self.phase, ChessLinkPhase::Asking | ChessLinkPhase::Up) {
            self.send(now);
        }
    }

    fn is_given_up(&self) -> bool {
        self.phase == ChessLinkPhase::GivenUp
    }

    fn leave(&mut self) {
        if self.phase == ChessLinkPhase::Up {
            self.sent.push(ChessLinkCommand::Dark.encode());
        }
        self.link_down();
    }

    fn want_picture(&mut self, now: Mono) {
        if self.phase == ChessLinkPhase::Up {
            self.mirror.want();
            self.enqueue(ChessLinkCommand::Position);
            self.send(now);
        }
    }

    fn light(&mut self, now: Mono, squares: Bitboard) {
        if std::mem::replace(&mut self.lit, squares) != squares && self.phase == ChessLinkPhase::Up
        {
            let is_light = |it: &ChessLinkCommand| {
                matches!(it, ChessLinkCommand::Light(_) | ChessLinkCommand::Dark)
            };
            self.queue.retain(|it| !is_light(it));
            self.queue.push_back(self.lights());
            self.send(now);
        }
    }

    fn doubts(&self) -> Option<&Doubts> {
        Some(&self.doubts)
    }
}
