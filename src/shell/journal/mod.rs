//! The record that an arbiter can trust: files that are only ever added to, in which a power cut,
//! a full card or a curious hand can change nothing without being seen, and which `less` can read
//! on a card taken out of a dead machine.
//!
//! # The format, byte by byte
//!
//! A journal is a folder. Its segments are `000001.journal`, `000002.journal` and so on; beside
//! them stand `lock` (empty, locked by the one writer), `reserve` (zeros: the next segment, where
//! the disk has room for no other) and, after an accident,
//! `NNNNNN.journal.torn` with `.torn.2` and on. A segment has no header. It is lines, then zeros:
//!
//! ```text
//! offset 0                                        where the next line goes        multiple of the
//! |                                               |                               step (1 MiB)
//! v                                               v                               v
//! +--------+--------+--------+--- ... ---+--------+0000000000000000000000000000000+
//! | line 1 | line 2 | line 3 |           | line n |   zeros, already allocated    |
//! +--------+--------+--------+--- ... ---+--------+0000000000000000000000000000000+
//!
//! 9c3f01aa {"v":1,"seq":2,"synced":1,"boot":"..","mono_us":7,"wall_us":9,"prev":"..","body":..}\n
//! \______/ \___________________________________________________________________________________/
//!  CRC-32  JSON: exactly these fields, in this order, without blanks
//!
//!  v        1, the version of this table
//!  seq      1 for the first line of the journal, one more for each line; no number is missing
//!  synced   all lines up to this one were known to be on the disk when this one was made
//!  boot     32 hexadecimal digits: `mono_us` compares only between lines with the same ones
//!  mono_us  microseconds since the daemon started; mono and wall are the time of the event
//!  wall_us  microseconds since 1970-01-01 UTC, as the clock on the wall had it
//!  prev     the first 16 bytes of the BLAKE3 hash of the line before, its newline included,
//!           also over the border of a segment; 32 zeros in line 1
//!  body     the entry itself, one JSON object; characters that steer a terminal are escaped
//! ```
//!
//! The CRC-32 (IEEE, eight lower-case digits) is over the JSON without the newline. JSON holds no
//! zero byte and no raw newline, so a zero byte, or the end of the file, where a line would start
//! is the end of the segment. A segment is left when it has passed 8 MiB; what one sync carries is
//! never divided between two.
//!
//! # What one `fdatasync` buys
//!
//! [`Journal::commit`] writes everything that waits with one write and syncs once. The zeros were
//! there before, so the sync has the lines to bring to the disk and, all but once in a mebibyte,
//! no change of the file's length. A new segment costs one sync of the folder more. Only then is
//! a line acknowledged, and only what is acknowledged may be shown to anyone. The card may tear
//! what was not yet synced at any byte and in any order: recovery finds the first line that
//! fails and that nothing vouches for, and all acknowledged lines are before it.
//!
//! # When a write or a sync fails
//!
//! The kernel may have thrown the bytes away and think the pages clean, so a second sync of the
//! same file proves nothing. The file is left as it is. A new segment begins with the same lines
//! again, byte for byte, from the first that was not acknowledged. Hence the one rule that a
//! reader needs: *a segment may begin by repeating lines that no line vouches for (`synced`); if
//! it does, or goes on with the next line, a broken end of the segment before does not count.*
//! Also a line found at the start may be such a page, read from the kernel's memory; so
//! [`Journal::open`] writes all lines that nothing vouches for once more and syncs them before it
//! goes on.
//!
//! # When a line rots
//!
//! A later line that vouches for it (`synced`) tells damage from an unfinished end. Damage stays
//! where it is, and the lines behind it are read: one changed byte costs one line at the most. If
//! one bit has turned, turning it back must give a line whose checksum is right and whose hash is
//! the one in the line behind it; there is no other line of which that is true, so it is read as
//! that line. Whoever verifies is told of either.
//!
//! # What is not promised
//!
//! The hashes show a change to anyone who kept a later hash; someone who can write to the card can
//! make a whole new journal. The last commit has no later line to vouch for it, so a change there
//! looks like a torn end.

mod chain;
mod damage;
mod detached;
mod follower;
mod line;
mod mirror;
mod reader;
mod recover;
mod reserve;
mod storage;
mod verify;
mod writer;

use std::collections::VecDeque;
use std::io;

use thiserror::Error;

use self::chain::{Chain, Walk, segment_name};
pub use self::damage::{Aside, Damage};
use self::detached::Continuation;
pub use self::detached::Joined;
pub use self::follower::Follower;
pub use self::line::{BootId, Flaw, JournalLine, LineHash, MAX_BODY, NewLine, Noted, VERSION};
use self::line::{Head, encode, sound};
pub use self::mirror::JournalCopy;
pub use self::reader::JournalReader;
pub use self::recover::{Defects, RecoveredJournal, TornTail};
pub use self::reserve::RESERVE;
pub use self::storage::{DiskStorage, Storage, StorageFile};
pub(super) use self::storage::{leads_nowhere, open_file};
pub use self::verify::{Broken, BrokenBy, Salvaged, Verification, contains, salvage, verify};
pub use self::writer::{BACKOFF, Batch, QUEUE, Reached, Room, Writer, WriterEvent};

/// What can be wrong with a journal.
#[derive(Debug, Error)]
pub enum JournalError {
    /// Someone else writes to this folder.
    #[error(
        "another program is recording into {0}: stop it (systemctl stop rokade) or give this \
         board a folder of its own"
    )]
    Busy(String),
    /// The disk said no.
    #[error("cannot {doing} {file}: {source}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// To which file or folder.
        file: String,
        /// What the system said.
        source: io::Error,
    },
    /// A newer program has written it. Nothing was changed.
    #[error("{file} was written in version {version} of the format: use the newer program")]
    Version {
        /// The segment.
        file: String,
        /// The version it says.
        version: u32,
    },
    /// Nothing was taken: what begins so is none of our entries.
    #[error("an entry must be one JSON object, not {0}")]
    Body(String),
    /// Nothing was taken: [`Limits::waiting`] lines already wait for a disk that does not answer.
    #[error("{0} entries wait for the disk, and no more can be held in memory")]
    Full(usize),
}

impl JournalError {
    pub(super) fn io(doing: &'static str, file: impl Into<String>, source: io::Error) -> Self {
        Self::Io { doing, file: file.into(), source }
    }
}

/// Sizes. The defaults are the ones to use; tests have smaller ones.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// A segment is left when it has grown past this, in bytes.
    pub segment: u64,
    /// Files are filled with zeros in steps of this, in bytes. Also the most that one sync carries.
    pub step: u64,
    /// How many lines wait in memory while the disk does not answer.
    pub waiting: usize,
}

impl Limits {
    /// 8 MiB are some ten games; 1 MiB was measured (4.4 kB to the card for one event, not 8.4); a
    /// day of play is some 10,000 lines, a tenth of what may wait.
    pub const USUAL: Self = Self { segment: 8 << 20, step: 1 << 20, waiting: 100_000 };
}

impl Default for Limits {
    fn default() -> Self {
        Self::USUAL
    }
}

/// Up to where the journal is safe.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// The number of the last acknowledged line; 0 if there is none.
    pub seq: u64,
    /// The number of the segment in use; 0 if there is none.
    pub segment: u64,
    /// Where the next line goes in that segment, in bytes.
    pub offset: u64,
}

/// A segment that can be written to.
#[derive(Debug)]
struct Segment<F> {
    file: F,
    number: u64,
    name: String,
    /// Where the next line goes.
    at: u64,
    /// Up to here the file exists.
    filled: u64,
}

impl<F: StorageFile> Segment<F> {
    /// Writes `bytes` and syncs. After an error this must not be used again.
    fn write(&mut self, bytes: &[u8], step: u64) -> Result<(), JournalError> {
        let end = self.at + bytes.len() as u64;
        while self.filled < end {
            let next = (self.filled / step + 1) * step;
            let zeros = vec![0; usize::try_from(next - self.filled).expect("a step fits")];
            let fill = |e| JournalError::io("make room in", &self.name, e);
            self.file.put(self.filled, &zeros).map_err(fill)?;
            self.filled = next;
        }
        let write = |e| JournalError::io("write to", &self.name, e);
        self.file.put(self.at, bytes).map_err(write)?;
        self.file.sync_data().map_err(|e| JournalError::io("sync", &self.name, e))?;
        self.at = end;
        Ok(())
    }
}

/// The one writer of a journal.
#[derive(Debug)]
pub struct Journal<S: Storage> {
    storage: S,
    boot: BootId,
    limits: Limits,
    segment: Option<Segment<S::File>>,
    /// The number that the next new segment gets.
    next_segment: u64,
    /// Lines that are not acknowledged.
    waiting: VecDeque<Vec<u8>>,
    /// The number of the last acknowledged line.
    acknowledged: u64,
    /// The number of the next line.
    next: u64,
    /// The hash of the line before it.
    head: LineHash,
    mishap: Option<JournalError>,
    /// Set while the folder is not ours: what was read of it.
    known: Option<Continuation>,
    joined: Option<Joined>,
    has_reserve: bool,
    is_on_reserve: bool,
}

impl<S: Storage> Journal<S> {
    /// Takes the folder, recovers the journal in it, or starts one.
    ///
    /// If the segments can be read but not written, the journal opens all the same, with lines that
    /// wait ([`Journal::n_waiting`]), and the error is kept for [`Journal::take_mishap`].
    ///
    /// # Errors
    ///
    /// [`JournalError::Busy`], [`JournalError::Version`], and [`JournalError::Io`] if the folder
    /// cannot be read or a torn end not put aside.
    pub fn open(storage: S, boot: BootId) -> Result<(Self, RecoveredJournal), JournalError> {
        let mut lines = Vec::new();
        let (journal, Defects { torn, damage }) =
            Self::open_with(storage, boot, Limits::default(), &mut |line| lines.push(line))?;
        Ok((journal, RecoveredJournal { lines, torn, damage }))
    }

    /// As [`Journal::open`], with other sizes, and without holding all lines in memory at once.
    pub fn open_with(
        mut storage: S,
        boot: BootId,
        limits: Limits,
        each: &mut dyn FnMut(JournalLine),
    ) -> Result<(Self, Defects), JournalError> {
        match storage.lock() {
            Ok(true) => {}
            Ok(false) => return Err(JournalError::Busy(storage.label())),
            Err(e) => return Err(JournalError::io("lock", storage.label(), e)),
        }
        let (mut walk, torn) = recover::recover(&storage, &mut |parsed| each(parsed.to_line()))?;
        let damage = std::mem::take(&mut walk.damage);
        let mut journal = Self::after(storage, boot, limits, &walk.chain, None);
        journal.next_segment = walk.next_segment();
        journal.resume(walk);
        if let Err(error) = journal.commit() {
            journal.mishap = Some(error);
        }
        Ok((journal, Defects { torn, damage }))
    }

    /// A journal that goes on behind `chain`, with no segment yet.
    fn after(
        storage: S,
        boot: BootId,
        limits: Limits,
        chain: &Chain,
        known: Option<Continuation>,
    ) -> Self {
        Self {
            storage,
            boot,
            limits,
            segment: None,
            next_segment: 1,
            waiting: VecDeque::new(),
            acknowledged: chain.proven,
            next: chain.next,
            head: chain.head,
            mishap: None,
            known,
            joined: None,
            has_reserve: false,
            is_on_reserve: false,
        }
    }

    /// Goes on in the last segment, if all lines that nothing vouches for are in it: they are
    /// written over themselves. Else a new segment will begin with them.
    fn resume(&mut self, walk: Walk) {
        let again: usize = walk.chain.unproven.iter().map(Vec::len).sum();
        let fits = walk.segments.last().filter(|last| match last.span {
            None => true,
            Some((first, end)) => end == walk.chain.last() && first <= walk.chain.proven + 1,
        });
        if let Some(last) = fits {
            let name = last.name.clone();
            let at = last.used - if last.span.is_none() { 0 } else { again as u64 };
            match self.storage.open(&name) {
                Ok(file) => {
                    let (number, filled) = (last.number, last.len);
                    self.segment = Some(Segment { file, number, name, at, filled });
                }
                Err(e) => self.mishap = Some(JournalError::io("open", name, e)),
            }
        }
        self.waiting = walk.chain.unproven;
    }

    /// Puts lines at the end, in memory. All of them or, after an error, none.
    ///
    /// # Errors
    ///
    /// [`JournalError::Body`] and [`JournalError::Full`].
    pub fn append(&mut self, lines: &[NewLine]) -> Result<(), JournalError> {
        let mut bodies = Vec::with_capacity(lines.len());
        for line in lines {
            let start = || line.body.chars().take(40).collect();
            bodies.push(sound(&line.body).ok_or_else(|| JournalError::Body(start()))?);
        }
        let limit = self.limits.waiting;
        if self.waiting.len() + lines.len() > limit {
            return Err(JournalError::Full(limit));
        }
        for (line, body) in lines.iter().zip(bodies) {
            let (seq, synced) = (self.next, self.acknowledged);
            let head = Head { seq, synced, boot: self.boot, prev: self.head };
            let raw = encode(&head, line.stamp, &body);
            self.head = LineHash::of(&raw);
            self.next += 1;
            self.waiting.push_back(raw);
        }
        Ok(())
    }

    /// Brings all that waits to the disk and returns once it is there. One sync, or one for each
    /// [`Limits::step`] if a long backlog waits; none if nothing does.
    ///
    /// If the segment fails, a new one takes over within this call (see
    /// [`Journal::take_mishap`]). If that fails too, the lines go on waiting and a later call tries
    /// again, in a new file.
    ///
    /// # Errors
    ///
    /// [`JournalError::Io`]: [`Journal::n_waiting`] lines are not safe.
    pub fn commit(&mut self) -> Result<Position, JournalError> {
        self.join()?;
        while !self.waiting.is_empty() {
            let mut bytes = Vec::new();
            let mut n_lines = 0;
            for raw in &self.waiting {
                if n_lines > 0 && (bytes.len() + raw.len()) as u64 > self.limits.step {
                    break;
                }
                bytes.extend_from_slice(raw);
                n_lines += 1;
            }
            self.write(&bytes)?;
            self.waiting.drain(..n_lines);
            self.acknowledged += n_lines as u64;
        }
        Ok(self.position())
    }

    /// Up to where the journal is safe.
    pub fn position(&self) -> Position {
        let (segment, offset) = self.segment.as_ref().map_or((0, 0), |s| (s.number, s.at));
        Position { seq: self.acknowledged, segment, offset }
    }

    /// The hash of the last line, acknowledged or not.
    pub fn head(&self) -> LineHash {
        self.head
    }

    /// The last line that is safe, with its hash, if all are.
    pub fn noted(&self) -> Option<Noted> {
        let is_safe = self.known.is_none() && self.waiting.is_empty() && self.acknowledged > 0;
        is_safe.then(|| Noted::of(self.acknowledged, self.head))
    }

    /// How many lines are not acknowledged.
    pub fn n_waiting(&self) -> usize {
        self.waiting.len()
    }

    /// What went wrong with a segment that was then replaced, once. Nothing is lost by it, but a
    /// disk that fails once may fail again.
    pub fn take_mishap(&mut self) -> Option<JournalError> {
        self.mishap.take()
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), JournalError> {
        let Err(error) = self.write_here(bytes) else { return Ok(()) };
        match self.use_reserve(bytes, &error) {
            Some(()) => {
                self.mishap = Some(error);
                Ok(())
            }
            None => Err(error),
        }
    }

    /// Writes to the segment in use, or to a new one.
    fn write_here(&mut self, bytes: &[u8]) -> Result<(), JournalError> {
        if let Some(mut segment) = self.segment.take()
            && segment.at < self.limits.segment
        {
            match segment.write(bytes, self.limits.step) {
                Ok(()) => {
                    self.segment = Some(segment);
                    return Ok(());
                }
                Err(error) => self.mishap = Some(error),
            }
        }
        let (number, name) = (self.next_segment, segment_name(self.next_segment));
        self.next_segment += 1;
        let file = match self.storage.create(&name) {
            Ok(file) => file,
            Err(e) => {
                if e.kind() != io::ErrorKind::AlreadyExists {
                    self.next_segment = number;
                }
                return Err(JournalError::io("create", name, e));
            }
        };
        let mut segment = Segment { file, number, name, at: 0, filled: 0 };
        let written = segment.write(bytes, self.limits.step).and_then(|()| {
            self.storage.sync_dir().map_err(|e| JournalError::io("sync", self.storage.label(), e))
        });
        match written {
            Ok(()) => {
                self.segment = Some(segment);
                Ok(())
            }
            Err(error) => {
                // Nothing in it is acknowledged, and all of it still waits. If it cannot be
                // removed, it is one more segment that the next one supersedes.
                if self.storage.remove(&segment.name).is_ok() {
                    self.next_segment = number;
                }
                Err(error)
            }
        }
    }
}
