//! Writes the folder that LiveChess writes: broadcasters' programs watch it.
//!
//! All of it is made from what the gates let out, and written anew where it differs. A folder that
//! cannot be written is said once, and tried again; no recording waits for it.

use super::book::{Book, Page};
use crate::relay::folder::{self, RoundCount};
use crate::relay::livechess::Live;
use crate::table::Times;
use shakmaty::Color;
use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tracing::{info, warn};

/// What changes within this time is written together: those who watch wait longer for more.
const TOGETHER: Duration = Duration::from_millis(200);
/// How long to wait before what could not be written is tried again.
const RETRY: Duration = Duration::from_secs(5);

/// What is known of a board: the games of the event, and what is on now.
#[derive(Clone, Debug)]
pub struct FolderBoard {
    /// The games.
    pub book: watch::Receiver<Arc<Book>>,
    /// What is on; of that the clock.
    pub live: watch::Receiver<Arc<Live>>,
}

/// The number of the game that is on, and of the clock both times when they were read, and whose
/// time runs.
type KnownNow = (usize, Option<(Times, Option<Color>)>);
/// A board at the moment.
type BoardNow = (Arc<Book>, Arc<Live>);

impl FolderBoard {
    fn now(&self) -> BoardNow {
        (self.book.borrow().clone(), self.live.borrow().clone())
    }

    /// Waits until its games have changed, or another game or clock is on than is `known`; `None`
    /// once nothing more comes.
    async fn changed(&mut self, known: &mut KnownNow) -> Option<()> {
        loop {
            tokio::select! {
                book = self.book.changed() => return book.ok(),
                live = self.live.changed() => {
                    live.ok()?;
                    let (game, clock) = {
                        let live = self.live.borrow_and_update();
                        (live.game, live.clock.map(|it| (it.times, it.running)))
                    };
                    if std::mem::replace(known, (game, clock)) != (game, clock) {
                        return Some(());
                    }
                }
            }
        }
    }
}

/// Keeps the folder at `root` as the boards' books are, until nothing more comes. The boards are in
/// the order of tables.
pub async fn keep(root: PathBuf, boards: Vec<FolderBoard>) {
    let changed = Arc::new(Notify::new());
    let mut watches = JoinSet::new();
    for mut board in boards.clone() {
        let changed = Arc::clone(&changed);
        watches.spawn(async move {
            let mut known = KnownNow::default();
            while board.changed(&mut known).await.is_some() {
                changed.notify_one();
            }
        });
    }
    let mut written = BTreeMap::new();
    let mut said: Option<String> = None;
    loop {
        let now: Vec<BoardNow> = boards.iter().map(FolderBoard::now).collect();
        let trouble = write_all(&root, &documents(&now), &mut written).err();
        let trouble = trouble.map(|(path, error)| format!("{}: {error}", path.display()));
        match &trouble {
            Some(why) if said.as_ref() != Some(why) => {
                warn!(why, "THE FOLDER FOR BROADCASTS IS NOT WRITTEN; recording goes on");
            }
            None if said.is_some() => info!("the folder for broadcasts is written again"),
            _ => {}
        }
        let wait = if trouble.is_some() { RETRY } else { Duration::MAX };
        said = trouble;
        tokio::select! {
            _ = timeout(wait, changed.notified()) => {}
            Some(_) = watches.join_next() => {
                if watches.is_empty() {
                    return;
                }
            }
        }
        sleep(TOGETHER).await;
    }
}

/// Writes what is other than it was; the first that cannot be, after all that can.
fn write_all(
    root: &Path,
    documents: &BTreeMap<PathBuf, String>,
    written: &mut BTreeMap<PathBuf, String>,
) -> Result<(), (PathBuf, io::Error)> {
    let mut failed = Ok(());
    // A round that was a slip is taken back.
    written.retain(|name, _| {
        let is_wanted = documents.contains_key(name);
        is_wanted || fs::remove_file(root.join(name)).is_err()
    });
    for (name, text) in documents {
        let path = root.join(name);
        if written.get(name) == Some(text) && path.exists() {
            continue;
        }
        let is_there = fs::read(&path).is_ok_and(|before| before == text.as_bytes());
        match if is_there { Ok(()) } else { replace(&path, text) } {
            Ok(()) => drop(written.insert(name.clone(), text.clone())),
            Err(error) if failed.is_ok() => failed = Err((path, error)),
            Err(_) => {}
        }
    }
    failed
}

/// Replaces a file as a whole. It is not synced: all of it is made anew after a power cut. Programs
/// of other users read it, whatever the records' mask is.
pub(super) fn replace(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        let missing: Vec<&Path> = folder.ancestors().take_while(|it| !it.exists()).collect();
        fs::create_dir_all(folder)?;
        missing.into_iter().for_each(|folder| allow(folder, 0o755));
    }
    let temporary = path.with_extension("tmp");
    let written = fs::write(&temporary, text);
    allow(&temporary, 0o644);
    written.and_then(|()| fs::rename(&temporary, path)).inspect_err(|_| {
        drop(fs::remove_file(&temporary));
    })
}

/// A disk that knows no such rights lets everybody read.
fn allow(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).ok();
}

/// All files, by their names in the folder.
fn documents(boards: &[BoardNow]) -> BTreeMap<PathBuf, String> {
    let mut files = BTreeMap::new();
    let last = boards.iter().flat_map(|(book, _)| book.pages().keys()).max().copied().unwrap_or(0);
    let mut counts = Vec::new();
    for round in 1..=last {
        let pages: Vec<Option<&Page>> =
            boards.iter().map(|(book, _)| book.pages().get(&round)).collect();
        let known: Vec<&Page> = pages.iter().copied().flatten().collect();
        let of_boards = || pages.iter().copied().zip(boards.iter().map(|(_, live)| live));
        let n_live = of_boards().filter(|(page, live)| page.is_some_and(|it| it.is_live(live)));
        let n_live = n_live.count();
        counts.push(RoundCount { n_games: known.len(), n_live });
        let Some(first) = known.first() else { continue };
        let folder = PathBuf::from(format!("round-{round}"));
        let listed = of_boards().map(|(page, live)| {
            page.map(|page| (&*page.pairing, page.outcome(), page.is_live(live)))
        });
        files.insert(folder.join("index.json"), folder::index(&first.date, listed));
        let all = known.iter().map(|page| &**page.pgn()).collect::<String>();
        files.insert(folder.join("games.pgn"), all);
        for ((page, (_, live)), place) in pages.into_iter().zip(boards).zip(1..) {
            if let Some(page) = page {
                files.insert(folder.join(format!("game-{place}.pgn")), page.pgn().to_string());
                files.insert(folder.join(format!("game-{place}.json")), page.json(live));
            }
        }
    }
    if let Some(event) = boards.iter().map(|(book, _)| book.event()).find(|event| !event.is_empty())
    {
        files.insert(PathBuf::from("tournament.json"), folder::tournament(event, &counts));
    }
    files
}
