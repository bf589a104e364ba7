//! Lines that were once safely on the disk and are not as they were: where the record goes on
//! behind them, and what they said.
//!
//! Nothing is ever repaired in the file: what is damaged is evidence too. A line in which one bit
//! has turned is read all the same, for there is one way only to turn it back: its own checksum and
//! the hash in the line behind it must both agree.

use std::collections::BTreeSet;
use std::fmt;

use super::JournalError;
use super::chain::{Chain, first_line, len_without_zeros, read_all, read_start};
use super::line::{Flaw, LineHash, Parsed, parse};
use super::storage::Storage;

/// A bit is looked for in so many damaged bytes at the most; a line has some hundreds.
const MEND_MAX: usize = 2_048;

/// A place in a journal that is damaged. The lines around it are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The file.
    pub file: String,
    /// Where the first damaged line begins, in bytes.
    pub offset: u64,
    /// How many bytes cannot be read.
    pub bytes: u64,
    /// What is wrong with the first line of it.
    pub flaw: Flaw,
    /// The number of the first line concerned.
    pub first: u64,
    /// How many lines are concerned; 0 for one that is doubled or does not continue the others.
    pub n: u64,
    /// Whether one bit was found that had turned. Then nothing is missing.
    pub is_mended: bool,
}

impl Damage {
    /// How many lines cannot be read for it.
    pub fn n_lost(&self) -> u64 {
        if self.is_mended { 0 } else { self.n }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, offset, flaw, first, .. } = self;
        let last = first + self.n.saturating_sub(1);
        write!(f, "DAMAGED: {file} at byte {offset}: {flaw}")?;
        match (self.n, self.is_mended) {
            (0, _) => Ok(()),
            (_, true) => write!(f, " (line {first}: one bit was flipped, nothing is missing)"),
            (1, false) => write!(f, " (line {first} cannot be read)"),
            (_, false) => write!(f, " (lines {first} to {last} cannot be read)"),
        }
    }
}

/// What is behind a place that cannot be read.
#[derive(Debug)]
pub(super) enum Remainder {
    /// A later segment goes on from here: the writer had given this one up.
    Superseded,
    /// Nothing that was ever confirmed.
    Torn,
    /// Damage.
    Damage(Resumption),
}

/// Damage, and how to go on behind it.
#[derive(Debug)]
pub(super) struct Resumption {
    pub(super) damage: Damage,
    /// The damaged line as it was.
    pub(super) mended: Option<Vec<u8>>,
    /// How many bytes are to be passed over in this segment.
    pub(super) skips: usize,
    /// The number of the line that comes then, and the hash that it says was before it.
    pub(super) next: u64,
    pub(super) prev: LineHash,
}

impl Resumption {
    /// The same with its place.
    pub(super) fn at(mut self, file: &str, offset: u64) -> Self {
        (self.damage.file, self.damage.offset) = (file.to_owned(), offset);
        self
    }
}

/// A line that can be believed by itself.
#[derive(Copy, Clone, Debug)]
struct Next {
    /// Where it begins, behind the damage.
    at: usize,
    seq: u64,
    prev: LineHash,
}

/// What else there is of a journal than the segment that is being read.
#[derive(Debug)]
pub(super) struct Rest<'a, S> {
    storage: &'a S,
    all: &'a [(u64, String)],
    /// The segments behind it.
    pub(super) later: &'a [(u64, String)],
    /// All lines up to this one were once on the disk; found out when it is asked for.
    vouched: Option<u64>,
}

impl<'a, S: Storage> Rest<'a, S> {
    pub(super) fn new(storage: &'a S, all: &'a [(u64, String)]) -> Self {
        Self { storage, all, later: all, vouched: None }
    }

    /// What is behind the `flaw` at the start of `bytes`, the rest of a segment. `before` is the
    /// number of the line before it in there.
    pub(super) fn beyond(
        &mut self,
        chain: &Chain,
        bytes: &[u8],
        before: Option<u64>,
        flaw: Flaw,
    ) -> Result<Remainder, JournalError> {
        if let Flaw::Version(_) = flaw {
            return Ok(Remainder::Torn);
        }
        if self.goes_on_later(chain)? {
            return Ok(Remainder::Superseded);
        }
        let next = next_line(bytes, chain, before);
        let end = next.map_or_else(|| len_without_zeros(bytes), |next| next.at);
        let mended = mend(&bytes[..end], chain, next);
        let is_damage = mended.is_some() || !flaw.can_be_torn() || chain.next <= self.vouched()?;
        if !is_damage {
            return Ok(Remainder::Torn);
        }
        let mut behind = chain.next + u64::from(mended.is_some());
        let mut prev = mended.as_ref().map_or(chain.head, |raw| LineHash::of(raw));
        if let Some(next) = next {
            (behind, prev) = (next.seq.max(behind), next.prev);
        }
        let damage = Damage {
            file: String::new(),
            offset: 0,
            bytes: end as u64,
            flaw,
            first: chain.next,
            n: behind - chain.next,
            is_mended: mended.is_some(),
        };
        let skips = end;
        Ok(Remainder::Damage(Resumption { damage, mended, skips, next: behind, prev }))
    }

    /// Whether a later segment begins with a line that follows the last one, or repeats it.
    fn goes_on_later(&self, chain: &Chain) -> Result<bool, JournalError> {
        for (_, name) in self.later {
            let bytes = read_start(self.storage, name)?;
            let Some(raw) = first_line(&bytes) else { continue };
            if parse(raw).is_ok_and(|parsed| chain.judge(&parsed, raw, None).is_ok()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Up to which line some line says that all were on the disk.
    fn vouched(&mut self) -> Result<u64, JournalError> {
        if let Some(vouched) = self.vouched {
            return Ok(vouched);
        }
        let mut vouched = 0;
        for (_, name) in self.all {
            let bytes = read_all(self.storage, name, 0)?;
            believed(&bytes, &mut |_, parsed, _| vouched = vouched.max(parsed.synced));
        }
        self.vouched = Some(vouched);
        Ok(vouched)
    }
}

/// Shows each line in `bytes` that can be believed by itself to `each`: where it begins, what it
/// says, and its bytes.
pub(super) fn believed(bytes: &[u8], each: &mut dyn FnMut(usize, &Parsed<'_>, &[u8])) {
    let mut at = 0;
    while let Some(raw) = first_line(&bytes[at..]) {
        // The end of the line before may be what is damaged.
        for start in starts(raw) {
            if let Ok(parsed) = parse(&raw[start..]) {
                each(at + start, &parsed, &raw[start..]);
                break;
            }
        }
        at += raw.len();
    }
}

/// Where in `raw` a line may begin: at its start, or eight digits before such a mark.
fn starts(raw: &[u8]) -> impl Iterator<Item = usize> {
    const MARK: &[u8] = b" {\"v\":";
    let marks = raw.windows(MARK.len()).enumerate().filter(|(_, word)| *word == MARK);
    std::iter::once(0).chain(marks.filter_map(|(at, _)| at.checked_sub(8)).filter(|at| *at > 0))
}

/// The first line in `bytes` with which the journal can go on.
fn next_line(bytes: &[u8], chain: &Chain, before: Option<u64>) -> Option<Next> {
    let least = before.map_or(chain.next, |before| chain.next.max(before + 1));
    let mut found: Option<Next> = None;
    believed(bytes, &mut |at, parsed, _| {
        if found.is_none() && parsed.seq >= least {
            found = Some(Next { at, seq: parsed.seq, prev: parsed.prev });
        }
    });
    found
}

/// The line that `bytes` would be if one bit in it were another: exactly the one that is missing
/// between `chain` and `next`. Of two lines one bit hurts one alone, even if it is in the newline
/// between them. The last line of a journal has no hash behind it.
fn mend(bytes: &[u8], chain: &Chain, next: Option<Next>) -> Option<Vec<u8>> {
    let is_one = next.is_none_or(|next| next.seq == chain.next + 1);
    if bytes.is_empty() || bytes.len() > MEND_MAX || !is_one {
        return None;
    }
    let mut bytes = bytes.to_vec();
    for bit in 0..bytes.len() * 8 {
        bytes[bit / 8] ^= 1 << (bit % 8);
        if follows(&bytes, chain) && next.is_none_or(|next| LineHash::of(&bytes) == next.prev) {
            return Some(bytes);
        }
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
    None
}

/// Whether `bytes` is the next line of the journal, and nothing else.
fn follows(bytes: &[u8], chain: &Chain) -> bool {
    let is_next = |parsed: Parsed<'_>| parsed.seq == chain.next && parsed.prev == chain.head;
    first_line(bytes) == Some(bytes) && parse(bytes).is_ok_and(is_next)
}

/// What was set aside in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aside {
    /// The file's name.
    pub file: String,
    /// The numbers of the lines in it that can be read.
    pub lines: BTreeSet<u64>,
    /// Whether lines in it had been confirmed: then it was no unfinished end.
    pub is_damage: bool,
}

impl fmt::Display for Aside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.is_damage { "DAMAGED, and set aside" } else { "set aside" };
        write!(f, "{kind}: {} ({} lines can be read)", self.file, self.lines.len())
    }
}
