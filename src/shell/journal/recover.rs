//! What happens to a journal before it is written to again: an end that was never confirmed to
//! anyone is put aside under another name, and nothing else is touched. What is damaged stays where
//! it is; every "repair" in the file would be a guess, and a guess has no place in evidence.

use super::chain::{Walk, Walked, len_without_zeros, read_all, walk};
use super::damage::Damage;
use super::line::{Flaw, Parsed};
use super::storage::{Storage, StorageFile};
use super::{JournalError, JournalLine};

/// What was found when the journal was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecoveredJournal {
    /// Every line that can be believed, in order.
    pub lines: Vec<JournalLine>,
    /// What had to be put aside.
    pub torn: Option<TornTail>,
    /// What is damaged. The lines around it were read.
    pub damage: Vec<Damage>,
}

/// What was found beside the lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Defects {
    /// What had to be put aside.
    pub torn: Option<TornTail>,
    /// What is damaged. The lines around it were read.
    pub damage: Vec<Damage>,
}

/// An end that was cut off. Not one byte of it is deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TornTail {
    /// The segment it was cut from.
    pub file: String,
    /// Where it was cut, in bytes.
    pub offset: u64,
    /// How many bytes were put aside, without the zeros at the end.
    pub bytes: u64,
    /// What was wrong with the first line of it.
    pub flaw: Flaw,
    /// The files that have it now.
    pub kept_as: Vec<String>,
}

/// Reads the journal, cuts off what cannot be believed, and says where to go on.
pub(super) fn recover<S: Storage>(
    storage: &S,
    each: &mut dyn FnMut(&Parsed<'_>),
) -> Result<(Walk, Option<TornTail>), JournalError> {
    let mut walk = walk(storage, each)?;
    let Some(broken) = walk.broken.take() else { return Ok((walk, None)) };
    let Walked { name: file, .. } = walk.segments[broken.segment_idx].clone();
    if let Flaw::Version(version) = broken.flaw {
        return Err(JournalError::Version { file, version });
    }
    let mut torn =
        TornTail { file, offset: broken.offset, bytes: 0, flaw: broken.flaw, kept_as: vec![] };
    // Later segments first: if the power goes in between, the break is still there to be found.
    for later in walk.segments.split_off(broken.segment_idx + 1).iter().rev() {
        torn.bytes += len_without_zeros(&read_all(storage, &later.name, 0)?) as u64;
        torn.kept_as.insert(0, set_aside_whole(storage, &later.name)?);
    }
    let segment = &mut walk.segments[broken.segment_idx];
    let tail = read_all(storage, &segment.name, broken.offset)?;
    let tail = &tail[..len_without_zeros(&tail)];
    torn.bytes += tail.len() as u64;
    torn.kept_as.insert(0, set_aside(storage, &segment.name, tail)?);
    let cut = |e| JournalError::io("cut", &segment.name, e);
    let mut file = storage.open(&segment.name).map_err(cut)?;
    file.set_len(broken.offset).map_err(cut)?;
    file.sync_data().map_err(cut)?;
    segment.len = broken.offset;
    Ok((walk, Some(torn)))
}

/// A name for the end of segment `name` that no file has.
fn torn_name<S: Storage>(storage: &S, name: &str) -> Result<String, JournalError> {
    let taken = storage.list().map_err(|e| JournalError::io("list", storage.label(), e))?;
    let first = format!("{name}.torn");
    let mut names =
        std::iter::once(first.clone()).chain((2..).map(|n: u64| format!("{first}.{n}")));
    Ok(names.find(|name| !taken.contains(name)).expect("there are more numbers than files"))
}

/// Copies `tail` into a file of its own and returns its name once it is safe there.
fn set_aside<S: Storage>(storage: &S, name: &str, tail: &[u8]) -> Result<String, JournalError> {
    let kept_as = torn_name(storage, name)?;
    let fail = |e| JournalError::io("write", &kept_as, e);
    let mut file = storage.create(&kept_as).map_err(fail)?;
    file.put(0, tail).map_err(fail)?;
    file.sync_data().map_err(fail)?;
    storage.sync_dir().map_err(fail)?;
    Ok(kept_as)
}

/// Gives a whole segment another name.
fn set_aside_whole<S: Storage>(storage: &S, name: &str) -> Result<String, JournalError> {
    let kept_as = torn_name(storage, name)?;
    let fail = |e| JournalError::io("rename", name, e);
    storage.rename(name, &kept_as).map_err(fail)?;
    storage.sync_dir().map_err(fail)?;
    Ok(kept_as)
}
