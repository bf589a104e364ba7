//! The disk under the journal, with a watch in its hand, and the same disk without a journal.

use rokade::shell::journal::{DiskStorage, Storage, StorageFile};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// Room for the plain file's bytes, as the journal makes room for its lines.
const ROOM: usize = 1 << 20;

/// One write with its sync.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Sync {
    pub(crate) start: Instant,
    pub(crate) end: Instant,
    pub(crate) n_bytes: usize,
}

/// A real folder that tells of every sync.
#[derive(Debug)]
pub(crate) struct Watched {
    pub(crate) disk: DiskStorage,
    pub(crate) syncs: Sender<Sync>,
}

/// A file in it.
#[derive(Debug)]
pub(crate) struct WatchedFile {
    file: File,
    n_bytes: usize,
    start: Instant,
    syncs: Sender<Sync>,
}

impl Watched {
    fn watch(&self, file: File) -> WatchedFile {
        WatchedFile { file, n_bytes: 0, start: Instant::now(), syncs: self.syncs.clone() }
    }
}

impl Storage for Watched {
    type File = WatchedFile;

    fn lock(&mut self) -> io::Result<bool> {
        self.disk.lock()
    }

    fn list(&self) -> io::Result<Vec<String>> {
        self.disk.list()
    }

    fn read(&self, name: &str, from: u64, most: usize) -> io::Result<Vec<u8>> {
        self.disk.read(name, from, most)
    }

    fn create(&self, name: &str) -> io::Result<WatchedFile> {
        Ok(self.watch(self.disk.create(name)?))
    }

    fn open(&self, name: &str) -> io::Result<WatchedFile> {
        Ok(self.watch(self.disk.open(name)?))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.disk.rename(from, to)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.disk.remove(name)
    }

    fn sync_dir(&self) -> io::Result<()> {
        self.disk.sync_dir()
    }

    fn label(&self) -> String {
        self.disk.label()
    }
}

impl StorageFile for WatchedFile {
    fn put(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.n_bytes = bytes.len();
        self.start = Instant::now();
        self.file.put(offset, bytes)
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }

    fn sync_data(&mut self) -> io::Result<()> {
        StorageFile::sync_data(&mut self.file)?;
        let sync = Sync { start: self.start, end: Instant::now(), n_bytes: self.n_bytes };
        // At the end nobody counts any more.
        self.syncs.send(sync).ok();
        Ok(())
    }
}

/// A file with room in it, written from its start to its end.
#[derive(Debug)]
pub(crate) struct Plain {
    file: File,
    at: usize,
}

impl Plain {
    pub(crate) fn create(folder: &Path) -> Self {
        let file = File::create(folder.join("plain")).expect("a file");
        file.write_all_at(&vec![0; ROOM], 0).expect("room on the disk");
        file.sync_all().expect("a disk that syncs");
        Self { file, at: 0 }
    }

    /// How long one write of `n_bytes` with its sync takes.
    pub(crate) fn sync(&mut self, n_bytes: usize) -> Duration {
        if self.at + n_bytes > ROOM {
            self.at = 0;
        }
        let bytes = vec![b'x'; n_bytes];
        let start = Instant::now();
        self.file.write_all_at(&bytes, self.at as u64).expect("a disk that writes");
        self.file.sync_data().expect("a disk that syncs");
        self.at += n_bytes;
        start.elapsed()
    }
}
