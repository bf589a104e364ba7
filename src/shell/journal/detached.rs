//! A journal whose folder cannot be used yet: a disk that is full or read-only from the start, a
//! folder that is not there. What could be read of it is gone on from, what happens waits in
//! memory, and with each attempt to write the folder is asked for anew.

use super::chain::{Chain, Walk, walk};
use super::line::{Head, LineHash, encode, parse};
use super::recover::{Defects, TornTail, recover};
use super::storage::Storage;
use super::{BootId, Journal, JournalError, JournalLine, Limits};

/// Where a journal goes on that was read, but is not ours to write yet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Continuation {
    next: u64,
    head: LineHash,
}

impl Continuation {
    fn of(chain: &Chain) -> Self {
        Self { next: chain.next, head: chain.head }
    }
}

/// What came of it once the folder could be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joined {
    /// An end that had to be put aside.
    pub torn: Option<TornTail>,
    /// There were other lines than those that had been read. What had waited follows them, from
    /// this line on.
    pub late: Option<u64>,
}

impl<S: Storage> Journal<S> {
    /// A journal that takes lines, and its folder once that can be used. Hands every line that can
    /// be read already to `each`; if that ends with an error, none of them counts, and the journal
    /// is taken for an empty one until more is known.
    ///
    /// [`Journal::n_waiting`] lines are not safe until [`Journal::commit`] has worked.
    pub fn detached(
        storage: S,
        boot: BootId,
        limits: Limits,
        each: &mut dyn FnMut(JournalLine),
    ) -> (Self, Result<Defects, JournalError>) {
        let (chain, read) = match walk(&storage, &mut |parsed| each(parsed.to_line())) {
            Ok(Walk { chain, damage, .. }) => (chain, Ok(Defects { torn: None, damage })),
            Err(error) => (Chain::new(), Err(error)),
        };
        let known = Continuation::of(&chain);
        (Self::after(storage, boot, limits, &chain, Some(known)), read)
    }

    /// As [`Journal::detached`], without asking the disk for anything.
    pub fn unread(storage: S, boot: BootId, limits: Limits) -> Self {
        let chain = Chain::new();
        Self::after(storage, boot, limits, &chain, Some(Continuation::of(&chain)))
    }

    /// Takes the folder, if that is still to be done. What waits goes behind what is there.
    pub(super) fn join(&mut self) -> Result<(), JournalError> {
        let Some(known) = self.known else { return Ok(()) };
        match self.storage.lock() {
            Ok(true) => {}
            Ok(false) => return Err(JournalError::Busy(self.storage.label())),
            Err(e) => return Err(JournalError::io("lock", self.storage.label(), e)),
        }
        let (walk, torn) = recover(&self.storage, &mut |_| {})?;
        self.known = None;
        self.next_segment = walk.next_segment();
        self.acknowledged = walk.chain.proven;
        let is_other = Continuation::of(&walk.chain) != known;
        let late = (is_other && walk.chain.last() > 0).then_some(walk.chain.next);
        let ours = std::mem::take(&mut self.waiting);
        (self.next, self.head) = (walk.chain.next, walk.chain.head);
        self.resume(walk);
        for raw in ours {
            let parsed = parse(&raw).expect("a line of ours");
            let (seq, synced) = (self.next, self.acknowledged);
            let head = Head { seq, synced, boot: parsed.boot, prev: self.head };
            let raw = encode(&head, parsed.stamp, parsed.body);
            self.head = LineHash::of(&raw);
            self.next += 1;
            self.waiting.push_back(raw);
        }
        self.joined = Some(Joined { torn, late });
        Ok(())
    }

    /// What was found when the folder could be used at last, once.
    pub fn take_joined(&mut self) -> Option<Joined> {
        self.joined.take()
    }
}
