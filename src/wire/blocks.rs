//! Cuts a stream without any marks into messages of which the first byte tells the length.
//!
//! Other makers' boards send text: a letter, then so many characters. Nothing marks where a message
//! begins, and its letter may stand within another one too. So a message is believed when all its
//! characters are such as may stand there; otherwise it is looked for one byte further on.

use crate::time::Mono;
use crate::wire::frame::STALLED;

/// What the bytes from some place on may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cut<T> {
    /// A message of so many bytes, at least one.
    Whole(T, usize),
    /// The beginning of one.
    Partial,
    /// A byte that stands between messages.
    Blank,
    /// None: a message can begin one byte further on at the earliest.
    Noise,
}

/// A language: looks at bytes, at least one, and says what they begin with.
pub trait BlockLanguage {
    /// What is said in it.
    type Message;

    /// What stands at the beginning of `bytes`.
    fn cut(bytes: &[u8]) -> Cut<Self::Message>;
}

/// What a push of bytes has brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cuttings<T> {
    /// Whole messages, in their order.
    pub messages: Vec<T>,
    /// Bytes that made none.
    pub n_noise: usize,
}

/// The unfinished message between two reads.
#[derive(Debug, Clone, Default)]
pub struct Blocks {
    partial: Vec<u8>,
    last: Mono,
}

impl Blocks {
    /// Takes the bytes that were read at `at`. A message whose next byte takes longer than
    /// [`STALLED`] is given up.
    pub fn push<L: BlockLanguage>(&mut self, at: Mono, bytes: &[u8]) -> Cuttings<L::Message> {
        let mut cuttings = Cuttings { messages: Vec::new(), n_noise: 0 };
        if !self.partial.is_empty() && at.since(self.last) >= STALLED {
            // Another one may have begun within what seemed to be one.
            cuttings.n_noise += 1;
            self.partial.remove(0);
            self.take::<L>(&mut cuttings);
            cuttings.n_noise += self.partial.len();
            self.partial.clear();
        }
        self.last = at;
        self.partial.extend_from_slice(bytes);
        self.take::<L>(&mut cuttings);
        cuttings
    }

    fn take<L: BlockLanguage>(&mut self, cuttings: &mut Cuttings<L::Message>) {
        let mut start = 0;
        while start < self.partial.len() {
            match L::cut(&self.partial[start..]) {
                Cut::Whole(message, len) => {
                    cuttings.messages.push(message);
                    start += len.max(1);
                }
                Cut::Noise => {
                    cuttings.n_noise += 1;
                    start += 1;
                }
                Cut::Blank => start += 1,
                Cut::Partial => break,
            }
        }
        self.partial.drain(..start);
    }
}
