//! `rokade verify`: an arbiter's answer to "has anyone touched this record?", found by reading
//! the files alone, without the daemon, its lock or its index.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::chain::{Walk, len_without_zeros, read_all, walk};
use super::damage::{Aside, Damage, believed};
use super::line::{Flaw, LineHash, Noted};
use super::storage::Storage;
use super::{JournalError, JournalLine};

/// What is the matter with the first line that cannot be believed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum BrokenBy {
    /// The end of the journal was being written when the power went. Nothing acknowledged is in it.
    ///
    /// A change to the very last commit looks the same, for no later line vouches for it, unless
    /// one bit of it has turned.
    TornTail,
    /// Lines that once were safely on the disk were changed, removed, moved or have rotted.
    Damage,
}

/// The first place that cannot be believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The file it is in.
    pub file: String,
    /// Where in the file, in bytes.
    pub offset: u64,
    /// What is wrong with it.
    pub flaw: Flaw,
    /// Whether that is to be expected after a power cut.
    pub kind: BrokenBy,
    /// How many bytes are concerned, without the zeros at the end.
    pub bytes: u64,
}

/// What the files say about themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verification {
    /// How many lines can be read.
    pub lines: u64,
    /// How many segments there are.
    pub segments: usize,
    /// The number of the last good line.
    pub last: u64,
    /// The hash of the last good line. Whoever noted it down can tell later whether anything up to
    /// that line was changed, even by someone who rewrote all hashes.
    pub head: LineHash,
    /// All places that are damaged.
    pub damage: Vec<Damage>,
    /// Where the journal ends, if in the middle of a line.
    pub torn: Option<Broken>,
    /// Ends that earlier recoveries have put aside.
    pub kept_aside: Vec<Aside>,
}

impl Verification {
    /// Whether nothing that was once acknowledged is changed or missing, as far as the files tell.
    pub fn is_sound(&self) -> bool {
        self.damage.is_empty()
            && self.torn.as_ref().is_none_or(|torn| torn.kind == BrokenBy::TornTail)
            && !self.kept_aside.iter().any(|aside| aside.is_damage)
    }

    /// The first place that cannot be believed.
    pub fn broken(&self) -> Option<Broken> {
        let damage = self.damage.first().map(|damage| Broken {
            file: damage.file.clone(),
            offset: damage.offset,
            flaw: damage.flaw,
            kind: BrokenBy::Damage,
            bytes: damage.bytes,
        });
        damage.or_else(|| self.torn.clone())
    }
}

impl fmt::Display for Verification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lines, segments, last, head, .. } = self;
        write!(f, "{lines} lines in {segments} segments, line {last} has the hash {head}")?;
        self.damage.iter().try_for_each(|damage| write!(f, "; {damage}"))?;
        if let Some(Broken { file, offset, flaw, bytes, kind }) = &self.torn {
            let kind = if *kind == BrokenBy::Damage { "DAMAGED" } else { "unfinished end" };
            write!(f, "; {kind}: {file} at byte {offset}: {flaw} ({bytes} bytes from there on)")?;
        }
        self.kept_aside.iter().try_for_each(|aside| write!(f, "; {aside}"))
    }
}

/// Reads the whole journal and says how far it can be believed.
///
/// Needs no lock. While a daemon writes, a line that is just being written may show as a
/// [`BrokenBy::TornTail`].
pub fn verify<S: Storage>(storage: &S) -> Result<Verification, JournalError> {
    let aside = set_aside(storage)?;
    let mut wanted: BTreeMap<u64, Option<LineHash>> = BTreeMap::new();
    for file in &aside {
        wanted.extend(file.lines.iter().map(|line| (line.seq, None)));
    }
    let walk = walk(storage, &mut |parsed| {
        if let Some(prev) = wanted.get_mut(&parsed.seq) {
            *prev = Some(parsed.prev);
        }
    })?;
    wanted.insert(walk.chain.next, Some(walk.chain.head));
    let last = walk.chain.last();
    let kept_aside = aside.iter().map(|file| file.judge(&wanted, last)).collect();
    let torn = torn(storage, &walk)?;
    Ok(Verification {
        lines: walk.n_lines,
        segments: walk.segments.len(),
        last: walk.chain.last(),
        head: walk.chain.head,
        damage: walk.damage,
        torn,
        kept_aside,
    })
}

/// Whether the journal still has the line that was noted: `None` if it ends before that, else
/// whether that line is as it was, and with it all lines up to it.
///
/// # Errors
/// [`JournalError::Io`].
pub fn contains<S: Storage>(storage: &S, noted: &Noted) -> Result<Option<bool>, JournalError> {
    let mut found = None;
    let walk = walk(storage, &mut |parsed| {
        if parsed.seq == noted.line + 1 {
            found = Some(parsed.prev);
        }
    })?;
    if walk.chain.last() == noted.line {
        found = Some(walk.chain.head);
    }
    Ok(found.map(|hash| noted.is(hash)))
}

fn torn<S: Storage>(storage: &S, walk: &Walk) -> Result<Option<Broken>, JournalError> {
    let Some(found) = &walk.broken else { return Ok(None) };
    let mut bytes = 0;
    for (idx, segment) in walk.segments.iter().enumerate().skip(found.segment_idx) {
        let from = if idx == found.segment_idx { found.offset } else { 0 };
        bytes += len_without_zeros(&read_all(storage, &segment.name, from)?) as u64;
    }
    let file = walk.segments[found.segment_idx].name.clone();
    let kind = if found.flaw.can_be_torn() { BrokenBy::TornTail } else { BrokenBy::Damage };
    Ok(Some(Broken { file, offset: found.offset, flaw: found.flaw, kind, bytes }))
}

/// A line in a file that was set aside.
#[derive(Clone, Debug)]
struct AsideLine {
    seq: u64,
    synced: u64,
    prev: LineHash,
    line: JournalLine,
}

/// A file that was set aside.
#[derive(Clone, Debug)]
struct AsideFile {
    file: String,
    lines: Vec<AsideLine>,
    bytes: usize,
}

impl AsideFile {
    /// Whether what is in it had once been confirmed. `prevs` are the hashes that the lines of the
    /// journal, which took the place of those in here, say were before them; `last` is its end.
    fn judge(&self, prevs: &BTreeMap<u64, Option<LineHash>>, last: u64) -> Aside {
        let lines: BTreeSet<u64> = self.lines.iter().map(|line| line.seq).collect();
        let first = lines.first().copied().unwrap_or(u64::MAX);
        let is_damage = self.lines.iter().any(|line| {
            let other = prevs.get(&line.seq).copied().flatten();
            let is_other = other.is_some_and(|prev| prev != line.prev);
            let is_gone = line.synced >= first || line.synced > last;
            is_gone || line.synced + 1 == line.seq && is_other
        });
        Aside { file: self.file.clone(), lines, is_damage }
    }
}

fn set_aside<S: Storage>(storage: &S) -> Result<Vec<AsideFile>, JournalError> {
    let mut names: Vec<String> = storage
        .list()
        .map_err(|e| JournalError::io("list", storage.label(), e))?
        .into_iter()
        .filter(|name| name.contains(".journal.torn"))
        .collect();
    names.sort();
    let mut files = Vec::new();
    for file in names {
        let bytes = read_all(storage, &file, 0)?;
        let mut lines = Vec::new();
        let mut n_believed = 0;
        believed(&bytes, &mut |_, parsed, raw| {
            n_believed += raw.len();
            let (seq, synced, prev) = (parsed.seq, parsed.synced, parsed.prev);
            lines.push(AsideLine { seq, synced, prev, line: parsed.to_line() });
        });
        let bytes = len_without_zeros(&bytes).saturating_sub(n_believed);
        files.push(AsideFile { file, lines, bytes });
    }
    Ok(files)
}

/// What can still be read where the journal itself does not go on from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Salvaged {
    /// The file.
    pub file: String,
    /// The lines in it that can be believed by themselves, as they stand.
    pub lines: Vec<JournalLine>,
    /// How many bytes in it are no such line.
    pub unread: usize,
}

/// Reads everything that earlier recoveries have put aside.
pub fn salvage<S: Storage>(storage: &S) -> Result<Vec<Salvaged>, JournalError> {
    let files = set_aside(storage)?.into_iter().map(|AsideFile { file, lines, bytes }| Salvaged {
        file,
        lines: lines.into_iter().map(|line| line.line).collect(),
        unread: bytes,
    });
    Ok(files.collect())
}
