//! A second copy of all records, on a disk that may be pulled out, full or slow: a thread of its
//! own follows what is on the first one. Nothing that is recorded waits for it.

use super::apart::{Apart, Share};
use super::backoff::Backoff;
use super::journal::{DiskStorage, JournalCopy, JournalError, Position};
use super::status::Status;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::future::Future;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, interval, sleep};
use tracing::{info, warn};

/// How long to wait before a copy that failed is tried again. A stick that is put in again is used
/// within the longest of these waits.
const BACKOFF: Backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(10));
/// A copy that has not moved for so long, with something to do, does not keep up.
const SLOW: Duration = Duration::from_secs(10);
/// How often it is looked at how the copies stand.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// How much the copying gives way to the boards.
const COPYING: Share = Share::Nice(10);

/// A record that is to be copied.
#[derive(Clone, Debug)]
pub struct Original {
    /// The board's name.
    pub name: String,
    /// The folder of its record.
    pub folder: PathBuf,
    /// How far that is safe. The copying ends when nobody will tell any more.
    pub safe: watch::Receiver<Position>,
    /// Told what is wrong with the copy.
    pub status: watch::Sender<Status>,
}

/// How far a copy has come.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Copied {
    /// It has all lines up to this one.
    UpTo(u64),
    /// It has not, for this reason.
    Failed(String),
}

/// Starts copying all records in `state_dir` to `root`. Whatever stands in its way is said by what
/// is returned, which never ends.
///
/// # Errors
/// The system gives no thread.
pub fn start(
    root: &Path,
    state_dir: &Path,
    originals: Vec<Original>,
) -> io::Result<(Apart, impl Future<Output = ()> + Send + 'static)> {
    let (root, state_dir) = (root.to_owned(), state_dir.to_owned());
    let (mut jobs, mut watched) = (Vec::new(), Vec::new());
    for Original { name, folder, safe, status } in originals {
        let (copied, copies) = watch::channel(Copied::UpTo(0));
        watched.push(Watched {
            name: name.clone(),
            safe: safe.clone(),
            copied: copies,
            status,
            behind: None,
        });
        let of = Folders { root: root.clone(), state_dir: state_dir.clone(), name, folder };
        jobs.push((of, safe, copied));
    }
    let thread = Apart::start("copy", COPYING, move || async move {
        let mut tasks = JoinSet::new();
        for (of, safe, copied) in jobs {
            tasks.spawn(of.copy(safe, copied));
        }
        tasks.join_all().await;
    })?;
    Ok((thread, look(watched, root, state_dir)))
}

/// Where a record is, and where its copy is to be.
#[derive(Clone, Debug)]
struct Folders {
    root: PathBuf,
    state_dir: PathBuf,
    name: String,
    folder: PathBuf,
}

impl Folders {
    /// Follows the record until nothing more will come.
    async fn copy(self, mut safe: watch::Receiver<Position>, copied: watch::Sender<Copied>) {
        let (root, name) = (self.root.clone(), self.name.clone());
        let mut mirror = JournalCopy::new(|place| DiskStorage::new(folder_of(&root, &name, place)));
        let mut backoff = BACKOFF;
        loop {
            let to = *safe.borrow_and_update();
            let before = mirror.place();
            // This waits for the disk, and with it the copies of the other boards.
            let done = self.check().and_then(|()| {
                mirror.catch_up(&DiskStorage::new(&self.folder), to).map_err(|e| sentence(&e))
            });
            let is_done = done.is_ok();
            if is_done && before != mirror.place() {
                self.tell_place(mirror.place());
            }
            let stands = done.map_or_else(Copied::Failed, |()| Copied::UpTo(to.seq));
            copied.send_if_modified(|it| std::mem::replace(it, stands.clone()) != stands);
            // A copy that is taken away is noticed, even if nothing happens.
            let pause = if is_done { backoff.longest() } else { backoff.wait() };
            if is_done {
                backoff.reset();
            }
            let ended = tokio::select! {
                changed = next(&mut safe, is_done) => changed.is_err(),
                () = sleep(pause) => false,
            };
            if ended && *safe.borrow() == to {
                return;
            }
        }
    }

    /// Whether the folder for all copies can be used. It is never made: without the stick its place
    /// is on the disk of the record.
    fn check(&self) -> Result<(), String> {
        let found = fs::metadata(&self.root).map_err(|e| match e.kind() {
            io::ErrorKind::NotFound => "its folder does not exist".to_owned(),
            _ => format!("its folder cannot be used: {e}"),
        })?;
        if !found.is_dir() {
            return Err("it is no folder".to_owned());
        }
        let is_same = |own: Metadata| (own.dev(), own.ino()) == (found.dev(), found.ino());
        if fs::metadata(&self.state_dir).is_ok_and(is_same) {
            return Err("it is the folder of the records themselves".to_owned());
        }
        Ok(())
    }

    fn tell_place(&self, place: Option<usize>) {
        let Some(place) = place else { return };
        let folder = folder_of(&self.root, &self.name, place);
        let (board, folder) = (&self.name, folder.display());
        if place > 1 {
            warn!(board, %folder, "the copy goes here, as another record is in its place");
        } else {
            info!(board, %folder, "the record is copied");
        }
    }
}

/// More to copy; not asked for while the copying fails, unless it is the end.
async fn next(
    safe: &mut watch::Receiver<Position>,
    is_done: bool,
) -> Result<(), watch::error::RecvError> {
    loop {
        safe.changed().await?;
        if is_done {
            return Ok(());
        }
    }
}

/// The folder of the copy of a board's record. No board's name has such a sign in it.
fn folder_of(root: &Path, name: &str, place: usize) -> PathBuf {
    if place == 1 { root.join(name) } else { root.join(format!("{name}+{place}")) }
}

/// Why a copy failed, in words that are the same for all boards.
fn sentence(error: &JournalError) -> String {
    match error {
        JournalError::Busy { .. } => "another program writes to it".to_owned(),
        JournalError::Io { doing, source, .. } => format!("cannot {doing} it: {source}"),
        other => other.to_string(),
    }
}

/// A copy that is looked at.
#[derive(Debug)]
struct Watched {
    name: String,
    safe: watch::Receiver<Position>,
    copied: watch::Receiver<Copied>,
    status: watch::Sender<Status>,
    /// Since when it has lacked lines behind this one.
    behind: Option<(Instant, u64)>,
}

impl Watched {
    /// What is wrong with it now.
    fn trouble(&mut self) -> Option<String> {
        let up_to = match &*self.copied.borrow() {
            Copied::Failed(why) => return Some(why.clone()),
            Copied::UpTo(seq) => *seq,
        };
        if up_to >= self.safe.borrow().seq {
            self.behind = None;
            return None;
        }
        let (since, at) = *self.behind.get_or_insert((Instant::now(), up_to));
        if up_to > at {
            self.behind = Some((Instant::now(), up_to));
            return None;
        }
        (since.elapsed() >= SLOW).then(|| "its disk does not answer".to_owned())
    }
}

/// Says for ever what is wrong with the copies: to the log once for each reason, for each board
/// where its status is shown.
async fn look(mut copies: Vec<Watched>, root: PathBuf, state_dir: PathBuf) {
    let mut beat = interval(LOOK_EVERY);
    let mut said = BTreeSet::new();
    let mut is_compared = false;
    loop {
        beat.tick().await;
        let mut troubles: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for copy in &mut copies {
            let trouble = copy.trouble();
            let shown = trouble
                .as_ref()
                .map(|why| format!("the copy in {} is not kept: {why}", root.display()));
            copy.status.send_if_modified(|status| {
                std::mem::replace(&mut status.copy, shown.clone()) != shown
            });
            if let Some(why) = trouble {
                troubles.entry(why).or_default().push(&copy.name);
            }
        }
        for (why, boards) in &troubles {
            if !said.contains(why) {
                let (folder, boards) = (root.display(), boards.join(", "));
                warn!(
                    %folder, boards,
                    "THE SECOND COPY IS NOT KEPT: {why}; recording goes on, and this is tried again"
                );
            }
        }
        if troubles.is_empty() && !said.is_empty() {
            info!(folder = %root.display(), "the second copy is complete again");
        }
        said = troubles.into_keys().collect();
        if said.is_empty() && !is_compared {
            is_compared = true;
            tell_if_same_disk(&root, &state_dir);
        }
    }
}

/// A copy on the record's own disk is lost with it.
fn tell_if_same_disk(root: &Path, state_dir: &Path) {
    let disk = |folder: &Path| fs::metadata(folder).ok().map(|it| it.dev());
    if disk(root).is_some() && disk(root) == disk(state_dir) {
        warn!(folder = %root.display(), "the second copy is on the same disk as the record");
    }
}
