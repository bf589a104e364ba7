//! A disk in memory that can be made to fail at a chosen call, and from which the state after a
//! power cut can be taken: what was synced is there, and of the rest any part.
//!
//! It is harder than a real disk on one point that bit real databases: a sync that failed has
//! thrown its bytes away, and the next sync of the same file succeeds without them.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rokade::shell::journal::{Storage, StorageFile};

/// The kinds of calls.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Call {
    /// [`Storage::lock`]
    Lock,
    /// [`Storage::create`]
    Create,
    /// [`Storage::open`]
    Open,
    /// [`Storage::rename`]
    Rename,
    /// [`Storage::remove`]
    Remove,
    /// [`Storage::sync_dir`]
    SyncDir,
    /// [`StorageFile::put`]
    Write,
    /// [`StorageFile::set_len`]
    SetLen,
    /// [`StorageFile::sync_data`]
    SyncData,
    /// [`Storage::read`]
    Read,
}

/// Which of the bytes that were not synced are there after a power cut.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Survival {
    /// Nothing that was not synced is kept.
    Nothing,
    /// All.
    Everything,
    /// Chosen by a seed: each write whole, lost, cut at a byte, or in pieces of 512 bytes.
    Torn(u64),
}

/// Whether a sync does what it says.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Honesty {
    /// What was synced is kept.
    #[default]
    Honest,
    /// It returns at once and nothing is kept. For the negative control.
    Lying,
}

#[derive(Clone, Debug)]
enum FileChange {
    Write { offset: usize, bytes: Vec<u8> },
    SetLen(usize),
}

#[derive(Clone, Debug)]
enum Naming {
    Create { name: String, inode: usize },
    Rename { from: String, to: String },
    Remove { name: String },
}

#[derive(Clone, Debug, Default)]
struct Inode {
    durable: Vec<u8>,
    seen: Vec<u8>,
    unsynced: Vec<FileChange>,
}

#[derive(Debug, Default)]
struct MemDisk {
    inodes: Vec<Inode>,
    durable_names: BTreeMap<String, usize>,
    names: BTreeMap<String, usize>,
    unsynced_names: Vec<Naming>,
    locked: bool,
    honesty: Honesty,
    /// No file can grow, and none be made.
    is_full: bool,
    calls: BTreeMap<Call, u64>,
    n_calls: u64,
    /// Fail these kinds of calls from these counts on, so many times.
    faults: Vec<(Call, u64, u64)>,
    /// The count of all calls at which the power goes.
    power_cut: Option<u64>,
}

/// A folder in memory. A clone is another way into the same folder.
#[derive(Debug, Default)]
pub(crate) struct MemStorage {
    disk: Arc<Mutex<MemDisk>>,
    holds_lock: bool,
}

/// A file of a [`MemStorage`].
#[derive(Debug)]
pub(crate) struct MemFile {
    disk: Arc<Mutex<MemDisk>>,
    inode: usize,
}

impl Clone for MemStorage {
    fn clone(&self) -> Self {
        Self { disk: Arc::clone(&self.disk), holds_lock: false }
    }
}

impl Drop for MemStorage {
    fn drop(&mut self) {
        if self.holds_lock {
            guard(&self.disk).locked = false;
        }
    }
}

fn guard(disk: &Mutex<MemDisk>) -> MutexGuard<'_, MemDisk> {
    disk.lock().unwrap_or_else(PoisonError::into_inner)
}

impl MemStorage {
    /// An empty folder.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// An empty folder that keeps what it is told to keep, or not.
    pub(crate) fn with_honesty(honesty: Honesty) -> Self {
        let storage = Self::default();
        guard(&storage.disk).honesty = honesty;
        storage
    }

    /// From the `nth` call of this kind on, counted from now and from 1, `times` calls fail.
    pub(crate) fn fail(&self, call: Call, nth: u64, times: u64) {
        let mut disk = guard(&self.disk);
        let count = disk.calls.get(&call).copied().unwrap_or(0);
        disk.faults.push((call, count + nth, times));
    }

    /// There is no room for anything more, or there is again.
    pub(crate) fn fill(&self, is_full: bool) {
        guard(&self.disk).is_full = is_full;
    }

    /// No call fails any more.
    pub(crate) fn mend(&self) {
        guard(&self.disk).faults.clear();
    }

    /// The power goes at the `nth` changing call from now, counted from 1: that call may have done
    /// a part of its work, and every later one fails.
    pub(crate) fn cut_power_at(&self, nth: u64) {
        let mut disk = guard(&self.disk);
        disk.power_cut = Some(disk.n_calls + nth);
    }

    /// Whether the power has gone.
    pub(crate) fn is_off(&self) -> bool {
        let disk = guard(&self.disk);
        disk.power_cut.is_some_and(|at| disk.n_calls >= at)
    }

    /// How many calls of this kind there were.
    pub(crate) fn n_calls(&self, call: Call) -> u64 {
        guard(&self.disk).calls.get(&call).copied().unwrap_or(0)
    }

    /// What a file holds, as a running program sees it.
    pub(crate) fn bytes(&self, name: &str) -> Option<Vec<u8>> {
        let disk = guard(&self.disk);
        disk.names.get(name).map(|inode| disk.inodes[*inode].seen.clone())
    }

    /// Puts a file there, durable, whatever was there before.
    pub(crate) fn put(&self, name: &str, bytes: &[u8]) {
        let mut disk = guard(&self.disk);
        let inode = disk.inodes.len();
        let content = bytes.to_vec();
        disk.inodes.push(Inode { durable: content.clone(), seen: content, unsynced: Vec::new() });
        disk.names.insert(name.to_owned(), inode);
        disk.durable_names.insert(name.to_owned(), inode);
    }

    /// Another disk, as this one would be found after a power cut now.
    pub(crate) fn after_power_cut(&self, survival: Survival) -> Self {
        let disk = guard(&self.disk);
        let mut dice = match survival {
            Survival::Torn(seed) => Dice(seed.wrapping_mul(2).wrapping_add(0x9e37_79b9_7f4a_7c15)),
            _ => Dice(1),
        };
        let kept_names = match survival {
            Survival::Nothing => 0,
            Survival::Everything => disk.unsynced_names.len(),
            Survival::Torn(_) => dice.below(disk.unsynced_names.len() + 1),
        };
        let mut names = disk.durable_names.clone();
        for naming in &disk.unsynced_names[..kept_names] {
            naming.apply(&mut names);
        }
        let inodes = disk.inodes.iter().map(|inode| inode.survive(survival, &mut dice)).collect();
        let image = MemDisk {
            inodes,
            durable_names: names.clone(),
            names,
            honesty: disk.honesty,
            ..MemDisk::default()
        };
        Self { disk: Arc::new(Mutex::new(image)), holds_lock: false }
    }
}

impl MemDisk {
    /// Counts a call. `Ok(true)`: do it; `Ok(false)`: do a part of it and then fail.
    fn enter(&mut self, call: Call) -> io::Result<bool> {
        if self.power_cut.is_some_and(|at| self.n_calls >= at) {
            return Err(io::Error::other("the power is off"));
        }
        self.n_calls += 1;
        Ok(self.enter_only(call) && self.power_cut != Some(self.n_calls))
    }

    /// Counts a call that leaves nothing behind, whatever becomes of the power.
    fn enter_only(&mut self, call: Call) -> bool {
        let count = self.calls.entry(call).or_insert(0);
        *count += 1;
        !self.faults.iter().any(|(kind, from, times)| {
            *kind == call && (*from..from.saturating_add(*times)).contains(count)
        })
    }

    fn name(&mut self, naming: Naming) {
        naming.apply(&mut self.names);
        self.unsynced_names.push(naming);
    }

    fn inode(&self, name: &str) -> io::Result<usize> {
        self.names.get(name).copied().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

fn failed() -> io::Error {
    io::Error::other("the disk failed on request")
}

impl Naming {
    fn apply(&self, names: &mut BTreeMap<String, usize>) {
        match self {
            Self::Create { name, inode } => {
                names.insert(name.clone(), *inode);
            }
            Self::Rename { from, to } => {
                if let Some(inode) = names.remove(from) {
                    names.insert(to.clone(), inode);
                }
            }
            Self::Remove { name } => {
                names.remove(name);
            }
        }
    }
}

impl FileChange {
    fn apply(&self, content: &mut Vec<u8>) {
        match self {
            Self::Write { offset, bytes } => {
                if content.len() < offset + bytes.len() {
                    content.resize(offset + bytes.len(), 0);
                }
                content[*offset..offset + bytes.len()].copy_from_slice(bytes);
            }
            Self::SetLen(len) => content.resize(*len, 0),
        }
    }

    /// What of this change reached the disk.
    fn tear(&self, dice: &mut Dice, content: &mut Vec<u8>) {
        let Self::Write { offset, bytes } = self else {
            if dice.below(2) == 0 {
                self.apply(content);
            }
            return;
        };
        match dice.below(4) {
            0 => {}
            1 => self.apply(content),
            2 => {
                let bytes = bytes[..dice.below(bytes.len() + 1)].to_vec();
                Self::Write { offset: *offset, bytes }.apply(content);
            }
            _ => {
                for (n, piece) in bytes.chunks(512).enumerate() {
                    if dice.below(2) == 0 {
                        let piece = Self::Write { offset: offset + n * 512, bytes: piece.to_vec() };
                        piece.apply(content);
                    }
                }
            }
        }
    }
}

impl Inode {
    fn change(&mut self, change: FileChange) {
        change.apply(&mut self.seen);
        self.unsynced.push(change);
    }

    fn survive(&self, survival: Survival, dice: &mut Dice) -> Self {
        let mut content = self.durable.clone();
        for change in &self.unsynced {
            match survival {
                Survival::Nothing => {}
                Survival::Everything => change.apply(&mut content),
                Survival::Torn(_) => change.tear(dice, &mut content),
            }
        }
        Self { durable: content.clone(), seen: content, unsynced: Vec::new() }
    }
}

impl Storage for MemStorage {
    type File = MemFile;

    fn lock(&mut self) -> io::Result<bool> {
        let mut disk = guard(&self.disk);
        if !disk.enter_only(Call::Lock) {
            return Err(failed());
        }
        if self.holds_lock {
            return Ok(true);
        }
        if disk.locked {
            return Ok(false);
        }
        disk.locked = true;
        drop(disk);
        self.holds_lock = true;
        Ok(true)
    }

    fn list(&self) -> io::Result<Vec<String>> {
        Ok(guard(&self.disk).names.keys().cloned().collect())
    }

    fn read(&self, name: &str, from: u64, most: usize) -> io::Result<Vec<u8>> {
        let mut disk = guard(&self.disk);
        if !disk.enter_only(Call::Read) {
            return Err(failed());
        }
        let content = &disk.inodes[disk.inode(name)?].seen;
        let start = usize::try_from(from).unwrap_or(usize::MAX).min(content.len());
        let end = start.saturating_add(most).min(content.len());
        Ok(content[start..end].to_vec())
    }

    fn create(&self, name: &str) -> io::Result<MemFile> {
        let mut disk = guard(&self.disk);
        let works = disk.enter(Call::Create)?;
        if disk.is_full {
            return Err(io::ErrorKind::StorageFull.into());
        }
        if disk.names.contains_key(name) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        if !works {
            return Err(failed());
        }
        let inode = disk.inodes.len();
        disk.inodes.push(Inode::default());
        disk.name(Naming::Create { name: name.to_owned(), inode });
        Ok(MemFile { disk: Arc::clone(&self.disk), inode })
    }

    fn open(&self, name: &str) -> io::Result<MemFile> {
        let mut disk = guard(&self.disk);
        let works = disk.enter(Call::Open)?;
        let inode = disk.inode(name)?;
        if works { Ok(MemFile { disk: Arc::clone(&self.disk), inode }) } else { Err(failed()) }
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let mut disk = guard(&self.disk);
        let works = disk.enter(Call::Rename)?;
        disk.inode(from)?;
        if disk.names.contains_key(to) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        if !works {
            return Err(failed());
        }
        disk.name(Naming::Rename { from: from.to_owned(), to: to.to_owned() });
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let mut disk = guard(&self.disk);
        let works = disk.enter(Call::Remove)?;
        disk.inode(name)?;
        if !works {
            return Err(failed());
        }
        disk.name(Naming::Remove { name: name.to_owned() });
        Ok(())
    }

    fn sync_dir(&self) -> io::Result<()> {
        let mut disk = guard(&self.disk);
        if !disk.enter(Call::SyncDir)? {
            return Err(failed());
        }
        if disk.honesty == Honesty::Honest {
            disk.durable_names = disk.names.clone();
            disk.unsynced_names.clear();
        }
        Ok(())
    }

    fn label(&self) -> String {
        "memory".to_owned()
    }
}

impl StorageFile for MemFile {
    fn put(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let mut disk = guard(&self.disk);
        let works = disk.enter(Call::Write)?;
        let offset = usize::try_from(offset).expect("a test file fits into memory");
        if disk.is_full && offset + bytes.len() > disk.inodes[self.inode].seen.len() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let len = if works { bytes.len() } else { bytes.len() / 2 };
        let change = FileChange::Write { offset, bytes: bytes[..len].to_vec() };
        disk.inodes[self.inode].change(change);
        if works { Ok(()) } else { Err(failed()) }
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        let mut disk = guard(&self.disk);
        if !disk.enter(Call::SetLen)? {
            return Err(failed());
        }
        let len = usize::try_from(len).expect("a test file fits into memory");
        disk.inodes[self.inode].change(FileChange::SetLen(len));
        Ok(())
    }

    fn sync_data(&mut self) -> io::Result<()> {
        let mut disk = guard(&self.disk);
        let works = disk.enter(Call::SyncData)?;
        let off = disk.power_cut == Some(disk.n_calls);
        let lies = disk.honesty == Honesty::Lying;
        let inode = &mut disk.inodes[self.inode];
        if works && !lies {
            inode.durable = inode.seen_durably();
            inode.unsynced.clear();
        } else if !works && !off {
            // The kernel marks the pages clean all the same: nobody will ever write them.
            inode.unsynced.clear();
        }
        if works { Ok(()) } else { Err(failed()) }
    }
}

impl Inode {
    /// What a sync leaves: the durable bytes with the changes since. Not what a program sees, for
    /// changes that a failed sync threw away are seen but will never be there.
    fn seen_durably(&self) -> Vec<u8> {
        let mut content = self.durable.clone();
        for change in &self.unsynced {
            change.apply(&mut content);
        }
        content
    }
}

/// A small random number generator (SplitMix64), so that a seed names a power cut for ever.
#[derive(Debug)]
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        usize::try_from(z % n as u64).expect("a remainder is below its divisor")
    }
}

#[test]
fn only_what_was_synced_is_sure() {
    let disk = MemStorage::new();
    let mut file = disk.create("a").unwrap();
    file.put(0, b"one").unwrap();
    file.sync_data().unwrap();
    assert_eq!(disk.after_power_cut(Survival::Nothing).bytes("a"), None);
    disk.sync_dir().unwrap();
    file.put(3, b"two").unwrap();
    let bytes = |survival| disk.after_power_cut(survival).bytes("a").unwrap();
    assert_eq!(bytes(Survival::Nothing), b"one");
    assert_eq!(bytes(Survival::Everything), b"onetwo");
    for seed in 0..64 {
        assert!(bytes(Survival::Torn(seed)).starts_with(b"one"));
    }
}

#[test]
fn a_sync_that_failed_has_lost_its_bytes_for_ever() {
    let disk = MemStorage::new();
    let mut file = disk.create("a").unwrap();
    disk.sync_dir().unwrap();
    disk.fail(Call::SyncData, 1, 1);
    file.put(0, b"one").unwrap();
    assert!(file.sync_data().is_err());
    assert!(file.sync_data().is_ok());
    assert_eq!(disk.bytes("a").unwrap(), b"one");
    assert_eq!(disk.after_power_cut(Survival::Everything).bytes("a").unwrap(), b"");
}

#[test]
fn after_the_cut_nothing_works() {
    let disk = MemStorage::new();
    disk.cut_power_at(2);
    let mut file = disk.create("a").unwrap();
    assert!(!disk.is_off());
    assert!(file.put(0, b"four").is_err());
    assert!(disk.is_off());
    assert!(file.sync_data().is_err());
    assert!(disk.create("b").is_err());
}
