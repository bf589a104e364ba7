//! `rokade verify`: an arbiter's answer to "has anyone touched this record?", found by reading
//! the files alone, without the daemon, its lock or its index.

use std::fmt;

use super::JournalError;
use super::chain::{len_without_zeros, read_all, walk};
use super::line::{Flaw, LineHash};
use super::storage::Storage;

/// What is the matter with the first line that cannot be believed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The end of the journal was being written when the power went. Nothing acknowledged is in it.
    ///
    /// A change to the very last commit looks the same, for no later line vouches for it.
    TornTail,
    /// Lines that once were safely on the disk were changed, removed, moved or have rotted.
    Damage,
}

/// The first line that cannot be believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The file it is in.
    pub file: String,
    /// Where in the file, in bytes.
    pub offset: u64,
    /// What is wrong with it.
    pub flaw: Flaw,
    /// Whether that is to be expected after a power cut.
    pub kind: Kind,
    /// How many bytes follow from there, in this segment and the later ones, without the zeros at
    /// their ends.
    pub bytes: u64,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, offset, flaw, bytes, .. } = self;
        let kind = match self.kind {
            Kind::TornTail => "unfinished end",
            Kind::Damage => "DAMAGED",
        };
        write!(f, "{kind}: {file} at byte {offset}: {flaw} ({bytes} bytes from there on)")
    }
}

/// What the files say about themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// How many lines can be believed.
    pub lines: u64,
    /// How many segments there are.
    pub segments: usize,
    /// The hash of the last good line. Whoever noted it down can tell later whether anything up to
    /// that line was changed, even by someone who rewrote all hashes.
    pub head: LineHash,
    /// Where that ends, if not at the end of the journal.
    pub broken: Option<Broken>,
    /// Ends that earlier recoveries have put aside.
    pub kept_aside: Vec<String>,
}

impl Verdict {
    /// Whether nothing that was once acknowledged is changed or missing, as far as the files tell.
    pub fn is_sound(&self) -> bool {
        self.broken.as_ref().is_none_or(|broken| broken.kind == Kind::TornTail)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lines, segments, head, .. } = self;
        write!(f, "{lines} lines in {segments} segments, last hash {head}")?;
        self.broken.iter().try_for_each(|broken| write!(f, "; {broken}"))?;
        self.kept_aside.iter().try_for_each(|name| write!(f, "; kept aside: {name}"))
    }
}

/// Reads the whole journal and says how far it can be believed.
///
/// Needs no lock. While a daemon writes, a line that is just being written may show as a
/// [`Kind::TornTail`].
pub fn verify<S: Storage>(storage: &S) -> Result<Verdict, JournalError> {
    let walk = walk(storage, &mut |_| ())?;
    let mut kept_aside: Vec<String> = storage
        .list()
        .map_err(|e| JournalError::io("list", storage.label(), e))?
        .into_iter()
        .filter(|name| name.contains(".journal.torn"))
        .collect();
    kept_aside.sort();
    let mut broken = None;
    if let Some(found) = &walk.broken {
        let kind = if walk.is_damage(storage, found)? { Kind::Damage } else { Kind::TornTail };
        let mut bytes = 0;
        for (idx, segment) in walk.segments.iter().enumerate().skip(found.segment_idx) {
            let from = if idx == found.segment_idx { found.offset } else { 0 };
            bytes += len_without_zeros(&read_all(storage, &segment.name, from)?) as u64;
        }
        let file = walk.segments[found.segment_idx].name.clone();
        broken = Some(Broken { file, offset: found.offset, flaw: found.flaw, kind, bytes });
    }
    let (lines, segments, head) = (walk.chain.last(), walk.segments.len(), walk.chain.head);
    Ok(Verdict { lines, segments, head, broken, kept_aside })
}
