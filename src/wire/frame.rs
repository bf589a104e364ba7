//! Cuts a stream of bytes from a board into messages.
//!
//! Reads split and join messages as they please, a host may start listening in the middle of one,
//! and there is no checksum and no end mark. One rule saves us: a byte with its high bit set is
//! always the first of a message (protocol 1.2). So a damaged message costs itself and never its
//! successor, except that a plausible lie about the length can hold the stream back until the next
//! such byte or the time-out, whichever is first.

use std::time::Duration;

use crate::table::words;
use crate::time::Mono;
use crate::wire::message::{
    BoardMessage, HEADER_LEN, LOG_LEN_MAX, id, is_known, is_plausible, total_len,
};

/// A message whose next byte takes this long is given up (protocol 1.2, step 5).
pub const STALLED: Duration = Duration::from_millis(500);
/// So long a log may stop, which takes eight seconds (protocol 1.5): a machine that is held up for
/// a moment would lose all of it. Whatever else the board has to say ends it as well. Ours.
pub const LOG_STALLED: Duration = Duration::from_millis(2_500);

/// A run of noise is reported at this length even if it has not ended, so that a line that only
/// makes noise is noticed. A decision of ours.
pub const NOISE_RUN_MAX: usize = 256;

words! {
    /// Why bytes were skipped.
    #[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum SkipReason {
        /// Bytes without high bit outside any message.
        Noise = "noise",
        /// A message was cut short by the start of the next.
        Interrupted = "interrupted",
        /// A header whose length its id cannot have.
        BadLength = "bad-length",
        /// A message of a kind that we do not know ([`Item::Unknown`]).
        UnknownId = "unknown-id",
        /// A message of a known kind that no chess board sends: a dump of 100 fields.
        Unsupported = "unsupported",
        /// A message that stopped for [`STALLED`].
        TimedOut = "timed-out",
    }
}

/// What came out of the stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// A whole message.
    Message(BoardMessage),
    /// Bytes that made none.
    Skipped {
        /// How many, at least 1.
        bytes: usize,
        /// For what reason.
        why: SkipReason,
    },
    /// A whole message of a kind that we do not know: boards differ, or its first byte was hurt.
    Unknown {
        /// Its first byte.
        id: u8,
        /// How long it is, with its head.
        bytes: usize,
    },
}

/// The state between two reads: an unfinished message or an unfinished run of noise, never both.
///
/// What it emits depends on the bytes and on pauses of [`STALLED`] or more, within a log of
/// [`LOG_STALLED`], and on nothing else:
/// however the bytes are cut into reads, the items are the same. To that end a run of noise is
/// reported only when it ends (by a message, a pause, or [`NOISE_RUN_MAX`]), in one item. Every
/// byte pushed is at last in exactly one item.
///
/// ```
/// use rokade::time::Mono;
/// use rokade::wire::{BoardMessage, Decoder, Item};
/// let mut items = Vec::new();
/// let mut decoder = Decoder::default();
/// decoder.push(Mono(0), &[0x93, 0x00], &mut items);
/// decoder.push(Mono(9), &[0x05, 0x01, 0x02], &mut items);
/// assert_eq!(items, [Item::Message(BoardMessage::Version { major: 1, minor: 2 })]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Decoder {
    /// The message so far; at most [`LOG_LEN_MAX`] bytes.
    partial: Vec<u8>,
    /// Length of the current run of noise; below [`NOISE_RUN_MAX`].
    n_noise: usize,
    /// When the last byte came.
    last: Mono,
}

impl Decoder {
    /// Takes the bytes that were read at `at` and appends what they complete to `out`. With no
    /// bytes it only looks at the time.
    pub fn push(&mut self, at: Mono, bytes: &[u8], out: &mut Vec<Item>) {
        if self.wake_at().is_some_and(|due| at >= due) {
            self.flush_noise(out);
            self.abandon(SkipReason::TimedOut, out);
        }
        if !bytes.is_empty() {
            self.last = at;
        }
        for &byte in bytes {
            self.push_byte(byte, out);
        }
    }

    /// When to call [`Decoder::push`] even without bytes, so that what is left unfinished is
    /// reported. Calling early, late or never does no harm to the messages.
    pub fn wake_at(&self) -> Option<Mono> {
        let is_waiting = !self.partial.is_empty() || self.n_noise > 0;
        let is_log = self.partial.first() == Some(&id::LOG) && self.partial.len() > HEADER_LEN;
        is_waiting.then(|| self.last + if is_log { LOG_STALLED } else { STALLED })
    }

    /// Reports what is unfinished and forgets it, as when the line is lost.
    pub fn reset(&mut self, out: &mut Vec<Item>) {
        self.flush_noise(out);
        self.abandon(SkipReason::Interrupted, out);
    }

    fn push_byte(&mut self, byte: u8, out: &mut Vec<Item>) {
        if byte & 0x80 != 0 {
            self.flush_noise(out);
            self.abandon(SkipReason::Interrupted, out);
            self.partial.push(byte);
        } else if self.partial.is_empty() {
            self.n_noise += 1;
            if self.n_noise == NOISE_RUN_MAX {
                self.flush_noise(out);
            }
        } else {
            self.partial.push(byte);
            self.look(out);
        }
    }

    /// Checks the header once it is there, and emits the message once that is.
    fn look(&mut self, out: &mut Vec<Item>) {
        let [id, high, low, ..] = self.partial[..] else {
            return;
        };
        let total = total_len(high, low);
        if self.partial.len() == HEADER_LEN && !is_plausible(id, total) {
            return self.abandon(SkipReason::BadLength, out);
        }
        assert!(self.partial.len() <= LOG_LEN_MAX, "a plausible length bounds the buffer");
        if self.partial.len() < total {
            return;
        }
        match BoardMessage::decode(&self.partial) {
            Some(message) => {
                self.partial.clear();
                out.push(Item::Message(message));
            }
            None if is_known(id) => self.abandon(SkipReason::Unsupported, out),
            None => {
                self.partial.clear();
                out.push(Item::Unknown { id, bytes: total });
            }
        }
    }

    fn abandon(&mut self, why: SkipReason, out: &mut Vec<Item>) {
        skip(self.partial.len(), why, out);
        self.partial.clear();
    }

    fn flush_noise(&mut self, out: &mut Vec<Item>) {
        skip(self.n_noise, SkipReason::Noise, out);
        self.n_noise = 0;
    }
}

fn skip(bytes: usize, why: SkipReason, out: &mut Vec<Item>) {
    if bytes > 0 {
        out.push(Item::Skipped { bytes, why });
    }
}
