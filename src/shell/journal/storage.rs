//! The only door to the disk. Everything the journal knows about files goes through these two
//! traits, so that a test can stand behind the door and pull the plug at any call.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

/// The file whose lock keeps a second writer out.
const LOCK: &str = "lock";

/// One folder of files.
pub trait Storage {
    /// A file opened for writing.
    type File: StorageFile + std::fmt::Debug;

    /// Takes the folder for one writer, and makes the folder if there is none. `false` if someone
    /// else has it. Held until the storage is dropped.
    fn lock(&mut self) -> io::Result<bool>;
    /// The names of the files, in any order.
    fn list(&self) -> io::Result<Vec<String>>;
    /// At most `most` bytes from `from` on; fewer only at the end of the file.
    fn read(&self, name: &str, from: u64, most: usize) -> io::Result<Vec<u8>>;
    /// A new empty file. An error if the name is taken.
    fn create(&self, name: &str) -> io::Result<Self::File>;
    /// An existing file.
    fn open(&self, name: &str) -> io::Result<Self::File>;
    /// Gives a file another name; the new one must be free.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;
    /// Deletes a file.
    fn remove(&self, name: &str) -> io::Result<()>;
    /// Returns once the names of the files survive a power cut.
    fn sync_dir(&self) -> io::Result<()>;
    /// How messages call the folder.
    fn label(&self) -> String;
}

/// One file opened for writing.
pub trait StorageFile {
    /// Writes all of `bytes` at `offset`; the file grows if need be.
    fn put(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()>;
    /// Cuts the file or lengthens it with zeros.
    fn set_len(&mut self, len: u64) -> io::Result<()>;
    /// Returns once everything written, and the length, survives a power cut.
    fn sync_data(&mut self) -> io::Result<()>;
}

/// A real folder.
#[derive(Debug)]
pub struct DiskStorage {
    folder: PathBuf,
    lock: Option<File>,
}

impl DiskStorage {
    /// The folder at `folder`, which need not exist before it is locked.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), lock: None }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

impl Storage for DiskStorage {
    type File = File;

    fn lock(&mut self) -> io::Result<bool> {
        // What was locked before may be another disk's by now.
        self.lock = None;
        make_folder(&self.folder)?;
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        let file = open_file(&self.path(LOCK), &mut options)?;
        match file.try_lock() {
            Ok(()) => {
                self.lock = Some(file);
                Ok(true)
            }
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    fn list(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            // A name that is not UTF-8 is none of ours.
            names.extend(entry?.file_name().into_string());
        }
        Ok(names)
    }

    fn read(&self, name: &str, from: u64, most: usize) -> io::Result<Vec<u8>> {
        let mut file = open_file(&self.path(name), OpenOptions::new().read(true))?;
        file.seek(SeekFrom::Start(from))?;
        let mut bytes = Vec::new();
        file.take(most as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn create(&self, name: &str) -> io::Result<File> {
        OpenOptions::new().write(true).create_new(true).open(self.path(name))
    }

    fn open(&self, name: &str) -> io::Result<File> {
        open_file(&self.path(name), OpenOptions::new().write(true))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        if self.path(to).try_exists()? {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        fs::rename(self.path(from), self.path(to))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.path(name))
    }

    fn sync_dir(&self) -> io::Result<()> {
        File::open(&self.folder)?.sync_all()
    }

    fn label(&self) -> String {
        self.folder.display().to_string()
    }
}

/// Opens what is a file, or can become one. A pipe would let its opener wait for ever, a device has
/// no end, and a link leads out of the folder.
///
/// # Errors
/// Something else stands at `path`, and those of the file system.
pub(in crate::shell) fn open_file(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let refused = || {
        let what = "it is not a file but a link, a pipe, a folder or a device; remove it";
        io::Error::new(io::ErrorKind::InvalidInput, what)
    };
    match fs::symlink_metadata(path) {
        Ok(found) if !found.is_file() => return Err(refused()),
        // What is missing may be made by this very call.
        Ok(_) | Err(_) => {}
    }
    // Nobody can put something else in its place before it is opened.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = options.custom_flags(flags.bits().cast_signed()).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(refused()) }
}

/// Why there can be no `folder`: in its place, or in that of one above it, is a link that leads
/// nowhere.
pub(in crate::shell) fn leads_nowhere(folder: &Path) -> Option<String> {
    let is_gone = |it: &Path| it.is_symlink() && it.try_exists().is_ok_and(|is_there| !is_there);
    let link = folder.ancestors().find(|it| is_gone(it))?;
    let target = fs::read_link(link).ok()?;
    let (link, target) = (link.display(), target.display());
    Some(format!(
        "{link} is a link to {target}, which does not exist; create that folder, mount its disk, \
         or remove the link"
    ))
}

/// Makes `folder` and the folders above it, each one durable in the one above.
fn make_folder(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    if let Some(why) = leads_nowhere(folder) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    let parent = match folder.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    make_folder(parent)?;
    match fs::create_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        made => made?,
    }
    File::open(parent)?.sync_all()
}

impl StorageFile for File {
    fn put(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.write_all_at(bytes, offset)
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        File::set_len(self, len)
    }

    fn sync_data(&mut self) -> io::Result<()> {
        File::sync_data(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_made_when_it_is_locked_and_held_by_one() {
        let base = tempfile::tempdir().unwrap();
        let folder = base.path().join("a/b");
        let mut first = DiskStorage::new(&folder);
        assert!(first.list().is_err());
        assert!(first.lock().unwrap());
        assert!(!DiskStorage::new(&folder).lock().unwrap());
        drop(first);
        assert!(DiskStorage::new(&folder).lock().unwrap());
    }

    #[test]
    fn nothing_is_overwritten_by_name() {
        let base = tempfile::tempdir().unwrap();
        let mut disk = DiskStorage::new(base.path());
        assert!(disk.lock().unwrap());
        disk.create("one").unwrap().put(2, b"xy").unwrap();
        assert!(disk.create("one").is_err());
        disk.create("two").unwrap();
        assert!(disk.rename("two", "one").is_err());
        disk.rename("two", "three").unwrap();
        disk.sync_dir().unwrap();
        assert_eq!(disk.read("one", 1, 2).unwrap(), b"\0x");
        assert_eq!(disk.read("one", 9, 2).unwrap(), b"");
        disk.open("one").unwrap().set_len(3).unwrap();
        assert_eq!(disk.read("one", 0, 99).unwrap(), b"\0\0x");
    }
}
