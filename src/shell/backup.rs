//! All records in one file, to be kept elsewhere or to be moved to another machine.
//!
//! A backup is a tar archive, which other programs open too. Its first file, `rokade-backup`, has
//! the version of this list; then come `settings/rokade.toml` and the files of each record, as
//! `records/BOARD/FILE`; the last, `manifest.json`, has the size and the hash of all of them, and
//! a line of each record with its hash. Segments are without the zeros at their ends.
//!
//! It can be made while boards are recorded: a record only grows, so what is read of it is its
//! beginning. It is read back as a whole or not at all.

use super::journal::{self, DiskStorage, JournalError, Noted, Storage, open_file};
use super::now;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, chown};
use std::path::{Path, PathBuf};

/// The version of the list above.
const FORMAT: &str = "1";
/// The first file, which says so.
const FIRST: &str = "rokade-backup";
/// The last one.
const MANIFEST: &str = "manifest.json";
/// The settings, in the backup.
pub const SETTINGS: &str = "settings/rokade.toml";
/// No manifest is longer, in bytes.
const MANIFEST_MAX: u64 = 16 << 20;

/// Why there is no backup, or why one is not taken.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
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
    /// A record cannot be read, or is in use.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// It is something else.
    #[error(
        "this is not a backup made by rokade; name a file that `rokade export all` has written"
    )]
    Other,
    /// It is newer than this program.
    #[error(
        "this backup is of version {0}, and this rokade reads version {FORMAT}: install the newer \
         one"
    )]
    Newer(String),
    /// It is not what was written.
    #[error("the backup is damaged: {0}; nothing was changed, use another copy")]
    Damaged(String),
    /// There are records in the place of those of the backup.
    #[error(
        "there is already a record in {0}; nothing was changed. `rokade archive FOLDER` moves \
         records out of the way"
    )]
    Taken(String),
}

impl BackupError {
    fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { doing, path: path.to_owned(), source }
    }
}

/// What is in a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupManifest {
    /// The version of the program that has made it.
    pub program: String,
    /// When, in microseconds since 1970-01-01 UTC.
    pub made_us: i64,
    /// The records.
    pub records: Vec<PackedRecord>,
    files: BTreeMap<String, PackedFile>,
}

/// A record in a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackedRecord {
    /// The board's name.
    pub board: String,
    /// Its last line when the backup was begun, with its hash, as `rokade verify --noted` takes it.
    pub noted: String,
    /// Whether nothing of it was damaged or missing.
    pub is_sound: bool,
}

/// A file in a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct PackedFile {
    bytes: u64,
    blake3: String,
}

/// The names of the files in `folder` that make up a record, sorted: segments, ends of them that
/// were set aside, and the games. Locks, what is reserved, and what others put there is left out.
///
/// # Errors
/// The folder cannot be read.
pub fn record_files(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        names.extend(entry?.file_name().into_string().ok().filter(|name| is_record_file(name)));
    }
    names.sort();
    Ok(names)
}

fn is_record_file(name: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let game = name.strip_prefix("game-").and_then(|rest| rest.strip_suffix(".pgn"));
    let is_segment = name.split_once(".journal").is_some_and(|(number, rest)| {
        let of_torn = rest.strip_prefix(".torn").map(|n| n.strip_prefix('.').unwrap_or("0"));
        is_number(number) && (rest.is_empty() || of_torn.is_some_and(is_number))
    });
    is_segment || game.is_some_and(is_number)
}

/// What is in a file of a record, without the zeros that are kept for lines to come.
///
/// # Errors
/// It cannot be read, or is no file.
pub fn read_record_file(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_file(path, OpenOptions::new().read(true))?.read_to_end(&mut bytes)?;
    if path.extension().is_some_and(|it| it == "journal") {
        bytes.truncate(bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1));
    }
    Ok(bytes)
}

/// The archive being written.
struct Packing<W: Write> {
    tar: tar::Builder<W>,
    made_us: i64,
    files: BTreeMap<String, PackedFile>,
}

impl<W: Write> Packing<W> {
    fn add(&mut self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o640);
        header.set_mtime(u64::try_from(self.made_us / 1_000_000).unwrap_or(0));
        self.tar.append_data(&mut header, path, bytes)?;
        let blake3 = blake3::hash(bytes).to_string();
        self.files.insert(path.to_owned(), PackedFile { bytes: bytes.len() as u64, blake3 });
        Ok(())
    }
}

/// Writes the records, each with its board's name, and the settings. Boards that have no record
/// yet are left out.
///
/// # Errors
/// Something cannot be read or written.
pub fn pack(
    records: &[(String, PathBuf)],
    settings: Option<&Path>,
    out: impl Write,
) -> Result<BackupManifest, BackupError> {
    let written = |e| BackupError::io("write", Path::new("the backup"))(e);
    let (tar, made_us) = (tar::Builder::new(out), now::wall().0);
    let mut packing = Packing { tar, made_us, files: BTreeMap::new() };
    packing.add(FIRST, FORMAT.as_bytes()).map_err(written)?;
    if let Some(path) = settings {
        let text = fs::read(path).map_err(BackupError::io("read", path))?;
        packing.add(SETTINGS, &text).map_err(written)?;
    }
    let mut packed = Vec::new();
    for (board, folder) in records.iter().filter(|(_, folder)| folder.is_dir()) {
        let verdict = journal::verify(&DiskStorage::new(folder))?;
        let files = record_files(folder).map_err(BackupError::io("list", folder))?;
        if files.is_empty() {
            continue;
        }
        for name in files {
            let path = folder.join(&name);
            let bytes = read_record_file(&path).map_err(BackupError::io("read", &path))?;
            packing.add(&format!("records/{board}/{name}"), &bytes).map_err(written)?;
        }
        packed.push(PackedRecord {
            board: board.clone(),
            noted: Noted::of(verdict.last, verdict.head).to_string(),
            is_sound: verdict.is_sound(),
        });
    }
    let manifest = BackupManifest {
        program: env!("CARGO_PKG_VERSION").to_owned(),
        made_us,
        records: packed,
        files: packing.files.clone(),
    };
    let json = serde_json::to_vec_pretty(&manifest).expect("names and numbers");
    packing.add(MANIFEST, &json).map_err(written)?;
    packing.tar.into_inner().and_then(|mut out| out.flush()).map_err(written)?;
    Ok(manifest)
}

/// Where a file of a backup goes below the folder that it is unpacked to; `None` if it is none of
/// ours.
fn place_of(path: &str) -> Option<PathBuf> {
    if path == SETTINGS {
        return Some(PathBuf::from(SETTINGS));
    }
    let (board, name) = path.strip_prefix("records/")?.split_once('/')?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let is_board = !board.is_empty() && !board.starts_with('.') && board.chars().all(is_plain);
    (is_board && is_record_file(name)).then(|| Path::new("records").join(board).join(name))
}

/// Unpacks a backup into `folder`, which is made, and says what was in it once all of it is as it
/// was written.
///
/// # Errors
/// It is no backup, is damaged or newer; or `folder` is there, or cannot be written.
pub fn unpack(input: impl Read, folder: &Path) -> Result<BackupManifest, BackupError> {
    let (mut found, mut manifest) = (BTreeMap::new(), None);
    let mut archive = tar::Archive::new(input);
    make_folder(folder)?;
    for (idx, entry) in archive.entries().map_err(damaged)?.enumerate() {
        let mut entry =
            entry.map_err(|e| if idx == 0 { BackupError::Other } else { damaged(e) })?;
        let path = entry.path_bytes();
        let path = String::from_utf8_lossy(&path).into_owned();
        if idx == 0 {
            check_first(&path, &mut entry, &mut found)?;
        } else if path == MANIFEST && manifest.is_none() {
            let mut json = Vec::new();
            entry.by_ref().take(MANIFEST_MAX).read_to_end(&mut json).map_err(damaged)?;
            let read: Result<BackupManifest, _> = serde_json::from_slice(&json);
            manifest = Some(read.map_err(|e| damaged(format!("{MANIFEST}: {e}")))?);
        } else {
            let is_file = entry.header().entry_type().is_file() && manifest.is_none();
            let place = place_of(&path).filter(|_| is_file && !found.contains_key(&path));
            let unknown = || damaged(format!("{path:?} does not belong in it"));
            let place = folder.join(place.ok_or_else(unknown)?);
            found.insert(path, write_down(&mut entry, &place)?);
        }
    }
    let cut = || damaged(format!("its end with {MANIFEST} is missing"));
    let manifest: BackupManifest = manifest.ok_or_else(cut)?;
    let differs = manifest.files.iter().find(|(path, file)| found.get(*path) != Some(file));
    if let Some((path, _)) = differs {
        return Err(damaged(format!("{path} is missing or is not as it was")));
    }
    if found.len() > manifest.files.len() {
        return Err(damaged("it contains files that do not belong there".to_owned()));
    }
    Ok(manifest)
}

/// That the backup is not what was written: what is said of a damaged file may have its line ends.
fn damaged(why: impl ToString) -> BackupError {
    let why = why.to_string();
    let words =
        why.split(|c: char| c.is_whitespace() || c.is_control()).filter(|it| !it.is_empty());
    BackupError::Damaged(words.collect::<Vec<_>>().join(" "))
}

/// Whether the first file is that of a backup that can be read.
fn check_first(
    path: &str,
    entry: &mut impl Read,
    found: &mut BTreeMap<String, PackedFile>,
) -> Result<(), BackupError> {
    let mut version = String::new();
    let read = entry.take(64).read_to_string(&mut version);
    if path != FIRST || read.is_err() {
        return Err(BackupError::Other);
    }
    if version != FORMAT {
        return Err(BackupError::Newer(version.chars().filter(|c| !c.is_control()).collect()));
    }
    let blake3 = blake3::hash(version.as_bytes()).to_string();
    found.insert(path.to_owned(), PackedFile { bytes: version.len() as u64, blake3 });
    Ok(())
}

/// Writes what comes from a backup to a new file at `place`, and brings it to the disk.
fn write_down(from: &mut impl Read, place: &Path) -> Result<PackedFile, BackupError> {
    if let Some(folder) = place.parent() {
        make_folder(folder)?;
    }
    let write = |e| BackupError::io("write", place)(e);
    let mut options = OpenOptions::new();
    let mut file = options.write(true).create_new(true).mode(0o640).open(place).map_err(write)?;
    let (mut hasher, mut bytes, mut part) = (blake3::Hasher::new(), 0, vec![0; 1 << 16]);
    loop {
        let n = from.read(&mut part).map_err(damaged)?;
        if n == 0 {
            break;
        }
        hasher.update(&part[..n]);
        bytes += n as u64;
        file.write_all(&part[..n]).map_err(write)?;
    }
    file.sync_all().map_err(write)?;
    Ok(PackedFile { bytes, blake3: hasher.finalize().to_string() })
}

fn make_folder(folder: &Path) -> Result<(), BackupError> {
    let made = DirBuilder::new().recursive(true).mode(0o750).create(folder);
    made.map_err(BackupError::io("make", folder))
}

/// Puts the records that were unpacked into `from` in their places below `state_dir`, and gives
/// them to whom that belongs.
///
/// # Errors
/// In one of those places is a record, in use or not: nothing is changed then. Or something cannot
/// be put there.
pub fn put_in_place(
    manifest: &BackupManifest,
    from: &Path,
    state_dir: &Path,
) -> Result<(), BackupError> {
    let places: Vec<_> = manifest.records.iter().map(|it| state_dir.join(&it.board)).collect();
    let mut locks = Vec::new();
    let mut taken = Vec::new();
    for place in places.iter().filter(|place| place.exists()) {
        let mut storage = DiskStorage::new(place);
        if !storage.lock().map_err(BackupError::io("lock", place))? {
            return Err(JournalError::Busy(storage.label()).into());
        }
        if has_record(place)? {
            taken.push(place.display().to_string());
        }
        locks.push(storage);
    }
    if !taken.is_empty() {
        return Err(BackupError::Taken(taken.join(", ")));
    }
    for (record, place) in manifest.records.iter().zip(&places) {
        let packed = from.join("records").join(&record.board);
        give_to_owner_of(state_dir, &packed)?;
        if place.exists() {
            fs::remove_dir_all(place).map_err(BackupError::io("remove the empty", place))?;
        }
        fs::rename(&packed, place).map_err(BackupError::io("make", place))?;
    }
    let synced = File::open(state_dir).and_then(|it| it.sync_all());
    synced.map_err(BackupError::io("sync", state_dir))
}

/// Whether there is anything in the folder of a record beside the room that is kept for it.
fn has_record(folder: &Path) -> Result<bool, BackupError> {
    let read = |e| BackupError::io("read", folder)(e);
    for entry in fs::read_dir(folder).map_err(read)? {
        let name = entry.map_err(read)?.file_name();
        let is_room = name == "lock" || name == journal::RESERVE;
        let path = folder.join(&name);
        let is_empty = || path.is_file() && read_record_file(&path).is_ok_and(|it| it.is_empty());
        if !is_room && !is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Gives `folder` and what is in it to whom `model` belongs.
///
/// # Errors
/// That is not allowed.
pub fn give_to_owner_of(model: &Path, folder: &Path) -> Result<(), BackupError> {
    let owner = fs::metadata(model).map_err(BackupError::io("read", model))?;
    let mut paths = vec![folder.to_owned()];
    for entry in fs::read_dir(folder).map_err(BackupError::io("read", folder))? {
        paths.push(entry.map_err(BackupError::io("read", folder))?.path());
    }
    for path in paths {
        let now = fs::metadata(&path).map_err(BackupError::io("read", &path))?;
        if (now.uid(), now.gid()) != (owner.uid(), owner.gid()) {
            let given = chown(&path, Some(owner.uid()), Some(owner.gid()));
            given.map_err(BackupError::io("give away", &path))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_up_a_record_is_known_by_its_name() {
        for name in
            ["000001.journal", "000002.journal.torn", "000002.journal.torn.2", "game-0012.pgn"]
        {
            assert!(is_record_file(name), "{name}");
        }
        for name in [
            "lock",
            "reserve",
            ".journal",
            "a.journal",
            "1.journal.torn.x",
            "1.journals",
            "game-.pgn",
            "..",
        ] {
            assert!(!is_record_file(name), "{name}");
        }
        for path in [
            "records/../1.journal",
            "records/a/b/1.journal",
            "records/.a/1.journal",
            "/etc/passwd",
            "records/a/..",
            "settings/other.toml",
            "records//1.journal",
        ] {
            assert_eq!(place_of(path), None, "{path}");
        }
        assert!(place_of("records/table-1/000001.journal").is_some());
    }
}
