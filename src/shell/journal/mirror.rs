//! A second copy of a journal, on a disk that may be pulled out at any moment: the same files, byte
//! for byte, up to where the record is safe on its own disk.
//!
//! What is there is compared before anything is added to it. Lines that are not ours, or are ours
//! no more, are somebody's record: the copy then goes into the next free folder. Only an end that
//! was being written when the disk was pulled out, in which no line can be read, is written over.
//! Nothing is kept open between two calls, so that the disk can be unmounted.

use super::chain::{first_line, len_without_zeros, read_all, segments};
use super::damage::believed;
use super::storage::{Storage, StorageFile};
use super::{JournalError, Position};
use std::io;

/// How many folders are looked at for one that can be used.
const PLACES_MAX: usize = 99;

/// The copy of one journal.
#[derive(Debug)]
pub struct JournalCopy<P> {
    /// The folder of this number, from 1.
    places: P,
    at: Option<At>,
}

/// How far the copy goes.
#[derive(Clone, Debug)]
struct At {
    /// The number of its folder.
    place: usize,
    /// The last segment of it.
    segment: CopiedSegment,
}

/// How much of a segment has been copied.
#[derive(Clone, Debug)]
struct CopiedSegment {
    number: u64,
    name: String,
    /// So many bytes are the same.
    same: u64,
    /// So long is the file; `None` if there is none.
    len: Option<u64>,
}

impl<C: Storage, P: Fn(usize) -> C> JournalCopy<P> {
    /// A copy of which nothing is known yet, in the first of these folders that can be used.
    pub const fn new(places: P) -> Self {
        Self { places, at: None }
    }

    /// The number of the folder that is used, from 1; `None` while that is not known.
    pub fn place(&self) -> Option<usize> {
        self.at.as_ref().map(|at| at.place)
    }

    /// Makes the copy of `source` complete up to `to`, and returns once it is on its disk.
    ///
    /// # Errors
    /// [`JournalError::Busy`] if somebody else writes there, and [`JournalError::Io`]. The copy is
    /// then compared anew by the next call.
    pub fn catch_up<S: Storage>(&mut self, source: &S, to: Position) -> Result<(), JournalError> {
        if to.segment == 0 || to.offset == 0 {
            return Ok(());
        }
        let known = self.at.take().filter(|at| at.segment.number <= to.segment);
        let at = match known {
            Some(at) => {
                let mut target = (self.places)(at.place);
                if is_there(&target, &at.segment) {
                    take(&mut target)?;
                    Some((target, at.place, vec![at.segment]))
                } else {
                    None
                }
            }
            None => None,
        };
        let (target, place, parts) = match at {
            Some(found) => found,
            None => self.find(source, to)?,
        };
        let segment = extend(source, &target, parts, to)?;
        self.at = Some(At { place, segment });
        Ok(())
    }

    /// The first folder that has nothing but the beginning of `source`, and how much of it.
    fn find<S: Storage>(
        &self,
        source: &S,
        to: Position,
    ) -> Result<(C, usize, Vec<CopiedSegment>), JournalError> {
        for place in 1..=PLACES_MAX {
            let mut target = (self.places)(place);
            take(&mut target)?;
            if let Some(parts) = compare(source, &target, to)? {
                return Ok((target, place, parts));
            }
        }
        let error = io::Error::other("all of its folders hold other records; move them away");
        Err(JournalError::io("use", (self.places)(1).label(), error))
    }
}

/// Makes the folder, and keeps others out of it as long as `target` lives.
fn take<C: Storage>(target: &mut C) -> Result<(), JournalError> {
    match target.lock() {
        Ok(true) => Ok(()),
        Ok(false) => Err(JournalError::Busy(target.label())),
        Err(e) => Err(JournalError::io("lock", target.label(), e)),
    }
}

/// Whether the file is still as long as it was left.
fn is_there<C: Storage>(target: &C, part: &CopiedSegment) -> bool {
    part.same > 0 && target.read(&part.name, part.same - 1, 2).is_ok_and(|end| end == *b"\n")
}

/// What of a segment is to be copied.
fn content<S: Storage>(
    source: &S,
    part: &CopiedSegment,
    to: Position,
) -> Result<Vec<u8>, JournalError> {
    let from = part.same;
    if part.number != to.segment {
        let mut bytes = read_all(source, &part.name, from)?;
        bytes.truncate(len_without_zeros(&bytes));
        return Ok(bytes);
    }
    let len = usize::try_from(to.offset.saturating_sub(from)).expect("a segment fits");
    let read = source.read(&part.name, from, len);
    let bytes = read.map_err(|e| JournalError::io("read", &part.name, e))?;
    if bytes.len() < len {
        let error = io::ErrorKind::UnexpectedEof.into();
        return Err(JournalError::io("read", &part.name, error));
    }
    Ok(bytes)
}

/// How much of `source` is in `target`. `None` if something else is there.
fn compare<S: Storage, C: Storage>(
    source: &S,
    target: &C,
    to: Position,
) -> Result<Option<Vec<CopiedSegment>>, JournalError> {
    let is_safe = |(number, _): &(u64, String)| *number <= to.segment;
    let ours: Vec<_> = segments(source)?.into_iter().filter(is_safe).collect();
    let theirs = segments(target)?;
    if theirs.iter().any(|segment| !ours.contains(segment)) {
        return Ok(None);
    }
    let mut parts = Vec::new();
    for (number, name) in ours {
        let mut part = CopiedSegment { number, name, same: 0, len: None };
        if theirs.iter().any(|(other, _)| *other == number) {
            let bytes = content(source, &part, to)?;
            let found = read_all(target, &part.name, 0)?;
            let same = bytes.iter().zip(&found).take_while(|(a, b)| a == b).count();
            if is_other(&bytes, &found, same) {
                return Ok(None);
            }
            (part.same, part.len) = (same as u64, Some(found.len() as u64));
        }
        parts.push(part);
    }
    Ok(Some(parts))
}

/// Whether `found`, of which the first `same` bytes are those of `bytes`, holds what is not to be
/// written over: a line that is not in `bytes`, or no line of ours at all.
fn is_other(bytes: &[u8], found: &[u8], same: usize) -> bool {
    let start = found[..same].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    if len_without_zeros(&found[same..]) == 0 {
        return false;
    }
    let mut has_other = start == 0 && first_line(bytes) != first_line(found);
    believed(&found[start..], &mut |at, _, raw| {
        let at = start + at;
        has_other |= bytes.get(at..at + raw.len()) != Some(raw);
    });
    has_other
}

/// Adds what is missing, in the order of the segments, each brought to the disk before the next is
/// begun. The last one, as it is then.
fn extend<S: Storage, C: Storage>(
    source: &S,
    target: &C,
    mut parts: Vec<CopiedSegment>,
    to: Position,
) -> Result<CopiedSegment, JournalError> {
    let last = parts.last().map_or(0, |part| part.number);
    let later = segments(source)?.into_iter().filter(|(it, _)| *it > last && *it <= to.segment);
    parts.extend(later.map(|(number, name)| CopiedSegment { number, name, same: 0, len: None }));
    for part in &mut parts {
        let bytes = content(source, part, to)?;
        let is_longer = part.len.is_some_and(|len| len > part.same);
        if bytes.is_empty() && !is_longer {
            continue;
        }
        let fail = |doing| move |e| JournalError::io(doing, target.label(), e);
        let mut file = match part.len {
            Some(_) => target.open(&part.name).map_err(fail("open a file in"))?,
            None => target.create(&part.name).map_err(fail("make a file in"))?,
        };
        if is_longer {
            file.set_len(part.same).map_err(fail("write to"))?;
        }
        file.put(part.same, &bytes).map_err(fail("write to"))?;
        file.sync_data().map_err(fail("write to"))?;
        if part.len.is_none() {
            target.sync_dir().map_err(fail("write to"))?;
        }
        part.same += bytes.len() as u64;
        part.len = Some(part.same);
    }
    let gone = || JournalError::io("read", source.label(), io::ErrorKind::NotFound.into());
    parts.pop().filter(|part| part.number == to.segment).ok_or_else(gone)
}
