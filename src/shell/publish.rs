//! What leaves the house once it is durable: the page, the PGN, the lines of the log.

use super::disk::Disk;
use super::http::Shown;
use super::journal::WriterEvent;
use super::orders::Reply;
use std::future::Future;
use std::io;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::sync::{Semaphore, mpsc, oneshot, watch};
use tracing::{error, info, warn};

/// What is to be published when a batch of the journal has been written.
#[derive(Debug, Default)]
pub struct After {
    /// The new view document.
    pub shown: Option<Arc<Shown>>,
    /// The new PGN of the game.
    pub pgn: Option<PgnFile>,
    /// New lines of the arbiter's log.
    pub lines: Vec<String>,
    /// The answer to an order.
    pub reply: Option<Reply>,
    /// Asked by the event loop whether journal and publisher are alive.
    pub is_ping: bool,
}

/// A game's PGN and its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgnFile {
    /// The game's number in the journal, from 1.
    pub number: usize,
    /// The whole file.
    pub text: Arc<str>,
}

/// Where lines of the log go, besides the journal.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Echo {
    /// To the system's log.
    Tracing,
    /// To standard output, as in a demo.
    Stdout,
}

/// Publishes one board's news.
#[derive(Debug)]
pub struct Publisher {
    /// The board's name.
    pub name: String,
    /// Where the games' files go.
    pub folder: PathBuf,
    /// Where the log's lines go.
    pub echo: Echo,
    /// The page's view document.
    pub view: watch::Sender<Arc<Shown>>,
    /// The page's PGN.
    pub pgn: watch::Sender<Arc<str>>,
    /// Told when a ping has come through.
    pub alive: watch::Sender<u64>,
}

impl Publisher {
    /// Publishes until the journal's writer is gone and the games' files are written. Those are
    /// written on a thread of `disk`, to which they are given before anything is published.
    pub fn run(
        self,
        disk: &Disk,
        events: mpsc::UnboundedReceiver<WriterEvent<After>>,
    ) -> impl Future<Output = ()> + Send + 'static {
        let (files, received) = mpsc::unbounded_channel();
        let (folder, name) = (self.folder.clone(), self.name.clone());
        let (written, writing) = oneshot::channel();
        let permits = disk.files();
        disk.spawn(async move {
            write_files(received, permits, &folder, &name).await;
            written.send(()).ok();
        });
        self.publish_all(events, files, writing)
    }

    async fn publish_all(
        self,
        mut events: mpsc::UnboundedReceiver<WriterEvent<After>>,
        files: UnboundedSender<PgnFile>,
        writing: oneshot::Receiver<()>,
    ) {
        while let Some(event) = events.recv().await {
            match event {
                WriterEvent::Written { after, durable } => self.publish(after, durable, &files),
                WriterEvent::Refused { error } => {
                    error!(board = self.name, %error, "an entry was not taken into the journal");
                }
                WriterEvent::Mishap { error } => {
                    warn!(board = self.name, %error, "the journal goes on in a new file");
                }
                WriterEvent::Failing { error } => error!(
                    board = self.name,
                    %error,
                    "NOT RECORDING TO DISK: the record is in memory only; free or replace the disk"
                ),
                WriterEvent::Recovered { .. } => {
                    info!(board = self.name, "the journal is on the disk again, without a gap");
                }
            }
        }
        drop(files);
        if let Err(error) = writing.await {
            warn!(board = self.name, %error, "the games' files are not up to date");
        }
    }

    fn publish(&self, after: After, is_durable: bool, files: &UnboundedSender<PgnFile>) {
        for line in &after.lines {
            match self.echo {
                Echo::Tracing => info!(board = self.name, "{line}"),
                // Whoever reads our output may have seen enough.
                Echo::Stdout => drop(writeln!(io::stdout(), "{line}")),
            }
        }
        if let Some(reply) = after.reply {
            reply.give(is_durable);
        }
        if let Some(shown) = after.shown {
            self.view.send_replace(shown);
        }
        if let Some(file) = after.pgn {
            self.pgn.send_replace(Arc::clone(&file.text));
            // The writer ends only when this sender does.
            files.send(file).ok();
        }
        if after.is_ping {
            self.alive.send_modify(|n| *n += 1);
        }
    }
}

/// Keeps the games' files up to date. Of several versions that wait, only the newest of each game
/// is written.
async fn write_files(
    mut received: UnboundedReceiver<PgnFile>,
    permits: Arc<Semaphore>,
    folder: &Path,
    board: &str,
) {
    while let Some(first) = received.recv().await {
        let _permit = permits.acquire().await.expect("permits that are never withdrawn");
        let mut files = vec![first];
        while let Ok(file) = received.try_recv() {
            files.retain(|older| older.number != file.number);
            files.push(file);
        }
        for file in files {
            let path = folder.join(format!("game-{:04}.pgn", file.number));
            if let Err(error) = replace(&path, file.text.as_bytes()) {
                warn!(board, path = %path.display(), %error, "the game's file was not written");
            }
        }
    }
}

/// Replaces a file as a whole: a reader sees the old one or the new one, never a part.
///
/// # Errors
/// Those of the file system.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = path.with_extension("tmp");
    let mut file = std::fs::File::create(&temporary)?;
    file.write_all(bytes)?;
    file.sync_data()?;
    std::fs::rename(&temporary, path)
}
