//! DGT's Pegasus. It is woken by a key that DGT gives to developers, and tells occupied squares
//! alone: changes by themselves, but not all of them, so that it is asked for the whole again and
//! again.

use super::mirror::{Mirror, by_mirror};
use super::{Driver, News};
use crate::table::Sight;
use crate::time::Mono;
use crate::wire::pegasus::{self, KEY_LEN};
use crate::wire::{
    BoardCommand, BoardMessage, Decoder, Dump, Field, FieldCode, Item, Orientation, PegasusLeds,
};
use shakmaty::{Bitboard, Color, Piece, Role};
use std::collections::VecDeque;
use std::time::Duration;

/// After the key and after the reset, the board takes so long (protocol 1.12).
const WAKE_GAP: Duration = Duration::from_millis(200);
/// Between other commands (protocol 1.2).
const GAP: Duration = Duration::from_millis(100);
/// How often it is asked for the whole board: changes get lost (protocol 1.12). Ours.
const ASK_EVERY: Duration = Duration::from_millis(500);
/// Without a word for so long changes may have been lost: it is asked twice a second.
const GAP_AFTER: Duration = Duration::from_millis(2_500);
/// Without a word for so long the line is opened anew.
const LOST_AFTER: Duration = Duration::from_secs(6);
/// Without a board that can be believed for so long, it is none, or its key is wrong.
const BLIND_AFTER: Duration = Duration::from_secs(10);
/// The code of a piece on a board that tells none apart (protocol 1.6).
const PIECE: FieldCode = FieldCode::Piece(Piece { color: Color::White, role: Role::Pawn });

/// The driver of such a board.
#[derive(Clone, Debug, Default)]
pub struct Pegasus {
    mirror: Mirror,
    decoder: Decoder,
    key: [u8; KEY_LEN],
    /// It has said that the key is not accepted.
    is_key_refused: bool,
    is_up: bool,
    is_given_up: bool,
    /// It was told that nothing is heard.
    is_quiet: bool,
    up_at: Mono,
    last_heard: Mono,
    asked_at: Mono,
    /// What is to be sent, after what was.
    queue: VecDeque<BoardCommand>,
    /// The next may be sent then.
    free_at: Mono,
    lit: Bitboard,
    sent: Vec<Vec<u8>>,
}

impl Pegasus {
    /// A board that has not spoken yet, and lies so, if that is known, to be woken by this key.
    pub fn new(lies: Option<Orientation>, key: [u8; KEY_LEN]) -> Self {
        Self { mirror: Mirror::new(lies), key, ..Self::default() }
    }

    fn lights(&self) -> BoardCommand {
        let lies = self.mirror.lies().unwrap_or(Orientation::Normal);
        BoardCommand::PegasusLeds(pegasus::light(self.lit, lies))
    }

    /// Of two of a kind that wait the newest is of use.
    fn enqueue(&mut self, command: BoardCommand) {
        let is_alike = |it: &BoardCommand| match (it, &command) {
            (BoardCommand::PegasusLeds(_), BoardCommand::PegasusLeds(_)) => true,
            (it, other) => it == other,
        };
        self.queue.retain(|it| !is_alike(it));
        self.queue.push_back(command);
    }

    fn send_due(&mut self, now: Mono) {
        if self.is_up
            && now >= self.free_at
            && let Some(command) = self.queue.pop_front()
        {
            let is_slow = matches!(command, BoardCommand::PegasusKey(_) | BoardCommand::Reset);
            if command == BoardCommand::SendBoard {
                self.asked_at = now;
            }
            self.sent.push(command.encode());
            self.free_at = now + if is_slow { WAKE_GAP } else { GAP };
        }
    }

    /// What it shows, if that can be: before the key is accepted every square says something.
    fn shows(dump: &Dump) -> bool {
        let is_code = |code: &FieldCode| [FieldCode::Empty, PIECE].contains(code);
        dump.0.iter().all(is_code) && dump.0.contains(&FieldCode::Empty)
    }

    fn hear(&mut self, now: Mono, message: &BoardMessage) {
        match message {
            BoardMessage::Dump(dump) if Self::shows(dump) => {
                self.mirror.see(Sight::Occupied);
                self.mirror.show(now, (**dump).clone());
            }
            BoardMessage::Field { field, code } if [FieldCode::Empty, PIECE].contains(code) => {
                self.change(now, *field, *code);
            }
            BoardMessage::KeyState { accepted } => self.is_key_refused = !accepted,
            _ => {}
        }
    }

    /// One field has changed, of a board that is known.
    fn change(&mut self, now: Mono, field: Field, code: FieldCode) {
        if let Some(shown) = self.mirror.shown().filter(|_| self.mirror.is_live()) {
            let mut dump = shown.clone();
            dump.0[usize::from(field.index())] = code;
            self.mirror.show(now, dump);
        }
    }

    /// Nothing is heard: who presses a clock beside the board meanwhile has made a move that nobody
    /// saw.
    fn tell_quiet(&mut self, now: Mono) {
        let is_quiet = self.mirror.is_live() && now >= self.last_heard + GAP_AFTER;
        if is_quiet && !std::mem::replace(&mut self.is_quiet, true) {
            self.mirror.tell(News::WasQuiet(self.last_heard));
            self.mirror.want();
        }
    }

    /// When it is lost.
    fn lost_at(&self) -> Mono {
        let silent = self.last_heard + LOST_AFTER;
        if self.mirror.is_live() { silent } else { silent.min(self.up_at + BLIND_AFTER) }
    }
}

impl Driver for Pegasus {
    by_mirror!();

    fn link_up(&mut self, now: Mono, _asks_clock: bool) {
        self.link_down();
        (self.is_up, self.is_given_up, self.is_quiet) = (true, false, false);
        self.is_key_refused = false;
        (self.up_at, self.last_heard, self.asked_at) = (now, now, now);
        self.free_at = now + WAKE_GAP;
        for command in [
            BoardCommand::PegasusKey(self.key),
            BoardCommand::PegasusKeyState,
            BoardCommand::Reset,
            BoardCommand::SendBoard,
            BoardCommand::UpdateBoard,
            self.lights(),
        ] {
            self.enqueue(command);
        }
    }

    fn link_down(&mut self) {
        self.is_up = false;
        self.decoder = Decoder::default();
        self.queue.clear();
        self.mirror.lose();
    }

    fn on_said(&mut self, now: Mono, bytes: &[u8]) {
        self.tell_quiet(now);
        (self.last_heard, self.is_quiet) = (now, false);
        let mut items = Vec::new();
        self.decoder.push(now, bytes, &mut items);
        for item in &items {
            match item {
                Item::Message(message) => self.hear(now, message),
                // Whatever it was going to say, it says it again when asked.
                Item::Skipped { .. } => self.want_picture(now),
                Item::Unknown { .. } => {}
            }
        }
        self.send_due(now);
    }

    fn wake_at(&self) -> Option<Mono> {
        if !self.is_up || self.is_given_up {
            return None;
        }
        let tells = self.mirror.is_live() && !self.is_quiet;
        let quiet = tells.then_some(self.last_heard + GAP_AFTER);
        let next = if self.queue.is_empty() { self.asked_at + ASK_EVERY } else { self.free_at };
        [quiet, Some(next), Some(self.lost_at())].into_iter().flatten().min()
    }

    fn on_timeout(&mut self, now: Mono) {
        if !self.is_up {
            return;
        }
        self.tell_quiet(now);
        self.is_given_up |= now >= self.lost_at();
        if self.queue.is_empty() && now >= self.asked_at + ASK_EVERY {
            self.enqueue(BoardCommand::SendBoard);
        }
        self.send_due(now);
    }

    fn is_given_up(&self) -> bool {
        self.is_given_up
    }

    fn why_given_up(&self) -> Option<&'static str> {
        self.is_key_refused
            .then_some("the Pegasus rejects the key; ask DGT for one and set developer_key")
    }

    fn leave(&mut self) {
        if self.is_up {
            let dark = BoardCommand::PegasusLeds(PegasusLeds::AllOff);
            self.sent.extend([dark, BoardCommand::Reset].map(|command| command.encode()));
        }
        self.link_down();
    }

    fn want_picture(&mut self, now: Mono) {
        self.mirror.want();
        if self.is_up {
            self.enqueue(BoardCommand::SendBoard);
            self.send_due(now);
        }
    }

    fn light(&mut self, now: Mono, squares: Bitboard) {
        if std::mem::replace(&mut self.lit, squares) != squares && self.is_up {
            self.enqueue(self.lights());
            self.send_due(now);
        }
    }
}
