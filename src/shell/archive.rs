//! Old games, taken out of a board's record to a folder elsewhere, so that no disk fills up with
//! the years. The record begins anew with a line that names the last one of the old record and its
//! hash, so that the two can be shown to belong together.

use super::backup::{BackupError, give_to_owner_of, read_record_file, record_files};
use super::journal::{BootId, DiskStorage, Journal, JournalError, Noted};
use super::now;
use super::record::{self, PriorRecord, RecordError};
use crate::game::{Entry, Fact, Keeping};
use crate::time::{Mono, Stamp};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Why a record is not archived. It is as it was.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// It is in use, or cannot be read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Its owner cannot be kept.
    #[error(transparent)]
    Backup(#[from] BackupError),
    /// The last game goes on.
    #[error(
        "the last game in {0} has no result; end it with an order, or archive it as it is with \
         --unfinished"
    )]
    Unfinished(String),
    /// Something else stands where the archive is to be.
    #[error("{0} exists and is something else; name another folder")]
    Taken(String),
    /// A file cannot be read, written or put in its place.
    #[error("cannot {doing} {path}")]
    Io {
        /// What was tried.
        doing: &'static str,
        /// With which file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl ArchiveError {
    fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { doing, path: path.to_owned(), source }
    }

    fn journal(error: JournalError) -> Self {
        Self::Record(error.into())
    }
}

/// A record that was archived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Archived {
    /// Where it is now: a journal like any other.
    pub folder: PathBuf,
    /// Its last line with its hash.
    pub noted: Noted,
}

/// Takes the record in `folder`, of the board of this name, to a folder of its own in `to`, and
/// begins it anew. `None` if no game is on record.
///
/// The old record is removed only once the copy is on its disk and the same; whenever the power
/// goes, one of them is there.
///
/// # Errors
/// See [`ArchiveError`].
pub fn archive(
    folder: &Path,
    board: &str,
    to: &Path,
    is_unfinished_too: bool,
) -> Result<Option<Archived>, ArchiveError> {
    if !folder.is_dir() {
        return Ok(None);
    }
    let mut prior = PriorRecord::default();
    let mut last = Stamp::default();
    let (journal, _) = record::open(folder, &mut |line| {
        last = line.stamp;
        prior.take(&line);
    })?;
    let (Some(noted), Some(game)) = (journal.noted(), prior.games.current()) else {
        return Ok(None);
    };
    if game.ending.is_none() && !is_unfinished_too {
        return Err(ArchiveError::Unfinished(folder.display().to_string()));
    }
    let date = record::date(last.wall).replace('.', "-");
    let hash: String = journal.head().to_string().chars().take(8).collect();
    let target = to.join(format!("{board}-{date}-{hash}"));
    copy(folder, &target)?;
    begin_anew(folder, prior.games.n_games(), &noted)?;
    Ok(Some(Archived { folder: target, noted }))
}

/// Copies what makes up the record, and reads it again; a copy that is there already is compared.
fn copy(folder: &Path, target: &Path) -> Result<(), ArchiveError> {
    let list = |it: &Path| record_files(it).map_err(ArchiveError::io("read", it));
    let read = |it: PathBuf| read_record_file(&it).map_err(ArchiveError::io("read", &it));
    let names = list(folder)?;
    let mut making = target.as_os_str().to_owned();
    making.push(".new");
    let making = PathBuf::from(making);
    if !target.exists() {
        remove_if_there(&making)?;
        fs::create_dir_all(&making).map_err(ArchiveError::io("make", &making))?;
        for name in &names {
            let path = making.join(name);
            let bytes = read(folder.join(name))?;
            let written = File::create_new(&path).and_then(|mut file| {
                file.write_all(&bytes)?;
                file.sync_all()
            });
            written.map_err(ArchiveError::io("write", &path))?;
        }
        sync(&making)?;
    }
    let made = if target.exists() { target } else { &making };
    let mut is_same = list(made)? == names;
    for name in &names {
        is_same = is_same && read(folder.join(name))? == read(made.join(name))?;
    }
    if !is_same {
        return Err(ArchiveError::Taken(made.display().to_string()));
    }
    if made != target {
        fs::rename(&making, target).map_err(ArchiveError::io("make", target))?;
        sync(target.parent().unwrap_or(target))?;
    }
    Ok(())
}

/// Puts a record that goes on from `noted` in the place of the one in `folder`, in one step.
fn begin_anew(folder: &Path, n_games: usize, noted: &Noted) -> Result<(), ArchiveError> {
    let Some((parent, name)) = folder.parent().zip(folder.file_name()) else {
        return Err(ArchiveError::Taken(folder.display().to_string()));
    };
    // No board's name begins with a dot.
    let new = parent.join(format!(".{}.new", name.to_string_lossy()));
    remove_if_there(&new)?;
    let boot = BootId::of_this_boot().map_err(|e| ArchiveError::Record(RecordError::Boot(e)))?;
    let opened = Journal::open(DiskStorage::new(&new), boot);
    let (mut journal, _) = opened.map_err(ArchiveError::journal)?;
    let fact = Fact::Record(Keeping::Archived { n: n_games, noted: noted.to_string() });
    let entry = Entry { at: Stamp { mono: Mono(0), wall: now::wall() }, fact };
    let kept = journal.append(&[record::line_of(&entry)]).and_then(|()| journal.commit());
    kept.map_err(ArchiveError::journal)?;
    drop(journal);
    let rights = fs::metadata(folder).map(|it| it.permissions());
    rights.and_then(|it| fs::set_permissions(&new, it)).map_err(ArchiveError::io("make", &new))?;
    give_to_owner_of(folder, &new)?;
    renameat_with(CWD, &new, CWD, folder, RenameFlags::EXCHANGE)
        .map_err(|e| ArchiveError::io("put a new record in the place of", folder)(e.into()))?;
    sync(parent)?;
    clear_out(&new, folder)
}

/// Removes the record in `old`; what somebody else has put there goes to `folder`.
fn clear_out(old: &Path, folder: &Path) -> Result<(), ArchiveError> {
    let clear = |e| ArchiveError::io("clear out", old)(e);
    let ours = record_files(old).map_err(clear)?;
    for entry in fs::read_dir(old).map_err(clear)? {
        let name = entry.map_err(clear)?.file_name();
        let is_others = name.to_str().is_none_or(|name| {
            !["lock", super::journal::RESERVE].contains(&name) && !ours.iter().any(|it| it == name)
        });
        if is_others {
            fs::rename(old.join(&name), folder.join(&name)).map_err(clear)?;
        } else {
            fs::remove_file(old.join(&name)).map_err(clear)?;
        }
    }
    fs::remove_dir(old).map_err(clear)
}

fn remove_if_there(folder: &Path) -> Result<(), ArchiveError> {
    if !folder.exists() {
        return Ok(());
    }
    fs::remove_dir_all(folder).map_err(ArchiveError::io("remove", folder))
}

fn sync(folder: &Path) -> Result<(), ArchiveError> {
    let synced = File::open(folder).and_then(|it| it.sync_all());
    synced.map_err(ArchiveError::io("sync", folder))
}
