//! A journal as it grows, for those who pass on what is in it: nothing that is not safe.

use std::collections::VecDeque;

use super::line::JournalLine;
use super::reader::JournalReader;
use super::storage::Storage;
use super::{JournalError, Position};

/// Reads a journal from its start, as far as that is safe on its disk.
///
/// A [`JournalReader`] shows what is in the file. A line of it may be lost with the power, and then
/// never was; what is passed on to others must not be one of those.
#[derive(Debug)]
pub struct Follower<S: Storage> {
    reader: JournalReader<S>,
    /// What was read and may not be safe.
    held: VecDeque<JournalLine>,
    /// The number of the last line that was given.
    given: u64,
}

impl<S: Storage> Follower<S> {
    /// A follower at the start of the journal in `storage`.
    pub fn new(storage: S) -> Self {
        Self { reader: JournalReader::new(storage), held: VecDeque::new(), given: 0 }
    }

    /// Whether all lines up to `to` have been given.
    pub const fn has_read(&self, to: Position) -> bool {
        self.given >= to.seq
    }

    /// The next lines up to `to`, at most some hundred kilobytes of them. None: there are no more,
    /// or the next cannot be read at the moment.
    ///
    /// # Errors
    /// [`JournalError::Io`]. A later call may work.
    pub fn poll(&mut self, to: Position) -> Result<Vec<JournalLine>, JournalError> {
        if self.given >= to.seq {
            return Ok(Vec::new());
        }
        if self.held.back().is_none_or(|last| last.seq < to.seq) {
            self.held.extend(self.reader.poll()?);
        }
        let n = self.held.partition_point(|line| line.seq <= to.seq);
        let lines: Vec<JournalLine> = self.held.drain(..n).collect();
        self.given = lines.last().map_or(self.given, |last| last.seq);
        Ok(lines)
    }
}
