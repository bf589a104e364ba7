//! Room on the disk that is kept for the record: a file of zeros which becomes the next segment
//! where no other can be made, so that the game in progress fits on a disk that others have filled.
//!
//! Its bytes are the disk's already, so what is written into it needs no more of them. (Not so on
//! file systems that never write in place, such as btrfs.)

use super::chain::segment_name;
use super::storage::{Storage, StorageFile};
use super::{Journal, JournalError, Segment};
use std::io;

/// Its name in the folder.
pub const RESERVE: &str = "reserve";

/// Whether the error says that there is no room.
fn is_full(error: &JournalError) -> bool {
    let JournalError::Io { source, .. } = error else { return false };
    matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

impl<S: Storage> Journal<S> {
    /// Makes the reserve, of one step of the journal's files, unless it is there.
    ///
    /// # Errors
    /// [`JournalError::Io`]: there is no room for it. Nothing else is the worse for that.
    pub fn keep_reserve(&mut self) -> Result<(), JournalError> {
        let len = self.limits.step;
        if self.known.is_some() || self.has_reserve {
            return Ok(());
        }
        if self.storage.read(RESERVE, len - 1, 2).is_ok_and(|end| end == [0]) {
            self.has_reserve = true;
            return Ok(());
        }
        let made = self.make_reserve(len);
        match made {
            Ok(()) => {
                self.has_reserve = true;
                self.is_on_reserve = false;
                Ok(())
            }
            Err(error) => {
                // Half of it is of no use, and may be what others lack.
                self.storage.remove(RESERVE).ok();
                Err(JournalError::io("keep room in", RESERVE, error))
            }
        }
    }

    fn make_reserve(&self, len: u64) -> io::Result<()> {
        // What is too short was never finished.
        self.storage.remove(RESERVE).ok();
        let mut file = self.storage.create(RESERVE)?;
        file.put(0, &vec![0; usize::try_from(len).expect("a step fits")])?;
        file.sync_data()?;
        self.storage.sync_dir()
    }

    /// Whether the record is written to what was the reserve, and no other could be made since.
    pub fn is_on_reserve(&self) -> bool {
        self.is_on_reserve
    }

    /// Writes `bytes` into the reserve, which becomes the next segment. `None` if it is not there
    /// or does not help, or if `error`, why no other can be had, is not that the disk is full.
    pub(super) fn use_reserve(&mut self, bytes: &[u8], error: &JournalError) -> Option<()> {
        if !is_full(error) || bytes.len() as u64 > self.limits.step {
            return None;
        }
        self.has_reserve = false;
        let (number, name) = (self.next_segment, segment_name(self.next_segment));
        self.storage.rename(RESERVE, &name).ok()?;
        self.next_segment += 1;
        let file = self.storage.open(&name).ok()?;
        let mut segment = Segment { file, number, name, at: 0, filled: self.limits.step };
        segment.write(bytes, self.limits.step).ok()?;
        self.storage.sync_dir().ok()?;
        self.segment = Some(segment);
        self.is_on_reserve = true;
        Some(())
    }
}
