//! The journal for those who only look: `rokade log --follow` and `rokade export` must neither
//! disturb the writer nor be disturbed by a line that is half written when they look.

use super::JournalError;
use super::chain::{Chain, NextLine, Novelty, first_line, read_all, segments};
use super::damage::{Damage, Remainder, Rest};
use super::line::{JournalLine, parse};
use super::storage::Storage;

/// How much is read at a time. Lines longer than this are read in a second attempt.
const CHUNK: usize = 64 * 1024;

/// The most that is read at a time: no line is longer.
const MAX_CHUNK: usize = 4 * super::MAX_BODY;

/// Reads a journal from its start, without a lock, as often as it is asked.
///
/// It shows lines that are in the file. The very last of them may be a moment away from being
/// acknowledged; what must be durable before it is seen comes from [`super::Writer`] instead.
#[derive(Debug)]
pub struct JournalReader<S: Storage> {
    storage: S,
    chain: Chain,
    /// The segment being read: 0 before the first.
    number: u64,
    name: String,
    offset: u64,
    /// The number of the last line in this segment.
    before: Option<u64>,
    /// Damage that was passed and not told yet.
    damage: Vec<Damage>,
}

impl<S: Storage> JournalReader<S> {
    /// A reader at the start of the journal in `storage`.
    pub fn new(storage: S) -> Self {
        Self {
            storage,
            chain: Chain::new(),
            number: 0,
            name: String::new(),
            offset: 0,
            before: None,
            damage: Vec::new(),
        }
    }

    /// The damage behind which the lines of the last [`JournalReader::poll`] stand, once.
    pub fn take_damage(&mut self) -> Vec<Damage> {
        std::mem::take(&mut self.damage)
    }

    /// The next lines, at most some hundred kilobytes of them. None means that there are no more
    /// at the moment, or that the next one cannot be read yet, or not at all:
    /// [`super::verify`] tells which.
    ///
    /// # Errors
    ///
    /// [`JournalError::Io`]. A later call may work.
    pub fn poll(&mut self) -> Result<Vec<JournalLine>, JournalError> {
        let mut lines = Vec::new();
        loop {
            if self.number != 0 {
                self.read_on(&mut lines)?;
            }
            if !lines.is_empty() {
                return Ok(lines);
            }
            if self.switch()? {
                continue;
            }
            // A line that was mended is given at once: the next read may fail.
            if !self.pass_damage(&mut lines)? || !lines.is_empty() {
                return Ok(lines);
            }
        }
    }

    /// Takes what is whole from one chunk of this segment.
    fn read_on(&mut self, lines: &mut Vec<JournalLine>) -> Result<(), JournalError> {
        let mut most = CHUNK;
        loop {
            let bytes = self.read(&self.name, self.offset, most)?;
            let mut taken = 0;
            while let Some(len) = self.take(&bytes[taken..], lines) {
                taken += len;
            }
            self.offset += taken as u64;
            // Repeated lines are taken but not shown, so the chunk may have been used up.
            let is_cut = bytes.len() == most && !bytes[taken..].contains(&b'\n');
            if taken > 0 && lines.is_empty() && bytes.len() == most {
                continue;
            }
            if taken > 0 || !is_cut || bytes[0] == 0 || most >= MAX_CHUNK {
                return Ok(());
            }
            most *= 2;
        }
    }

    /// Takes one line from the start of `bytes`, and says how long it is.
    fn take(&mut self, bytes: &[u8], lines: &mut Vec<JournalLine>) -> Option<usize> {
        let raw = first_line(bytes)?;
        let parsed = parse(raw).ok()?;
        if self.chain.judge(&parsed, raw, self.before).ok()? == Novelty::Fresh {
            self.chain.accept(&parsed, raw);
            lines.push(parsed.to_line());
        }
        self.before = Some(parsed.seq);
        Some(raw.len())
    }

    /// Goes to a later segment if one continues from here.
    fn switch(&mut self) -> Result<bool, JournalError> {
        for (number, name) in segments(&self.storage)? {
            if number <= self.number {
                continue;
            }
            let mut most = CHUNK;
            let bytes = loop {
                let bytes = self.read(&name, 0, most)?;
                if bytes.len() < most || bytes.contains(&b'\n') || most >= MAX_CHUNK {
                    break bytes;
                }
                most *= 2;
            };
            let Some(raw) = first_line(&bytes) else { continue };
            if parse(raw).is_ok_and(|parsed| self.chain.judge(&parsed, raw, None).is_ok()) {
                (self.number, self.name, self.offset, self.before) = (number, name, 0, None);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Goes on behind what is damaged, here or at the start of the next segment. What is only half
    /// written has nothing behind it that vouches for it.
    fn pass_damage(&mut self, lines: &mut Vec<JournalLine>) -> Result<bool, JournalError> {
        let all = segments(&self.storage)?;
        let later = all.partition_point(|(number, _)| *number <= self.number);
        if self.number != 0 {
            let bytes = self.read(&self.name, self.offset, usize::MAX)?;
            if bytes.iter().any(|byte| *byte != 0) {
                return self.pass(&all, later, &bytes, lines);
            }
        }
        let Some((number, name)) = all.get(later).cloned() else { return Ok(false) };
        let bytes = read_all(&self.storage, &name, 0)?;
        let here = (self.number, self.name.clone(), self.offset, self.before);
        (self.number, self.name, self.offset, self.before) = (number, name, 0, None);
        let has_passed = self.pass(&all, later + 1, &bytes, lines)?;
        if !has_passed {
            (self.number, self.name, self.offset, self.before) = here;
        }
        Ok(has_passed)
    }

    /// Passes the damage at the start of `bytes`, the rest of this segment.
    fn pass(
        &mut self,
        all: &[(u64, String)],
        later: usize,
        bytes: &[u8],
        lines: &mut Vec<JournalLine>,
    ) -> Result<bool, JournalError> {
        let NextLine::Flaw(flaw) = self.chain.read(bytes, self.before) else { return Ok(false) };
        let mut rest = Rest::new(&self.storage, all);
        rest.later = &all[later..];
        let Remainder::Damage(found) = rest.beyond(&self.chain, bytes, self.before, flaw)? else {
            return Ok(false);
        };
        let found = found.at(&self.name, self.offset);
        if let Some(raw) = &found.mended {
            let parsed = parse(raw).expect("a line that was mended");
            self.chain.accept(&parsed, raw);
            self.chain.confirm();
            lines.push(parsed.to_line());
        }
        self.chain.skip_to(found.next, found.prev);
        self.offset += found.skips as u64;
        self.before = Some(self.chain.last()).filter(|last| *last > 0);
        self.damage.push(found.damage);
        Ok(true)
    }

    /// A file that is gone, as one that the writer has put aside, has nothing more to say.
    fn read(&self, name: &str, from: u64, most: usize) -> Result<Vec<u8>, JournalError> {
        match self.storage.read(name, from, most) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            read => read.map_err(|e| JournalError::io("read", name, e)),
        }
    }
}
