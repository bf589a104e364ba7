//! A disk that stands still: the loop of the boards answers the watchdog all the same, and a board
//! is recorded in memory although its record cannot even be read. And a time of day that jumps.

#![allow(clippy::unwrap_used)]

use std::future::Future;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use crate::journal::disk::MemStorage;
use rokade::game::Pairing;
use rokade::laws::Act;
use rokade::shell::config::BoardConfig;
use rokade::shell::disk::{Disk, THREADS};
use rokade::shell::journal::{
    BACKOFF, Batch, BootId, DiskStorage, Journal, JournalReader, Writer, WriterEvent,
};
use rokade::shell::keeper::{Calls, Handle, Keeper};
use rokade::shell::now::Now;
use rokade::shell::orders::{AnswerClass, Asked, BoardRequest};
use rokade::shell::pty::Speed;
use rokade::shell::publish::Echo;
use rokade::shell::status::{Recording, Status};
use rokade::sim::hands::Span;
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;

use crate::daemon::{game, has_moves};
use crate::program::{LIMIT, Place, is_live, moves_of, plug};

/// Keeps all threads of `disk` waiting, as a card does, until what is returned is dropped.
fn stall(disk: &Disk) -> Vec<mpsc::Sender<()>> {
    let (stands, stand) = mpsc::channel();
    let hold = |_| {
        let (held, let_go) = mpsc::channel::<()>();
        let stands = stands.clone();
        disk.spawn(async move {
            stands.send(()).unwrap();
            // Nothing is ever sent.
            let_go.recv().unwrap_err();
        });
        held
    };
    let held: Vec<_> = (0..THREADS).map(hold).collect();
    held.iter().for_each(|_| stand.recv_timeout(LIMIT).unwrap());
    held
}

/// The keeper of a board without a cable, at work, and what it hears.
struct Kept {
    handle: Handle,
    ping: watch::Sender<u64>,
    stop: watch::Sender<bool>,
    status: watch::Receiver<Status>,
    task: tokio::task::JoinHandle<()>,
}

impl Kept {
    fn start(folder: &Path, disk: &Arc<Disk>) -> Self {
        Self::paired(folder, disk, None)
    }

    /// The same of a board of an event, with who plays there at the first start.
    fn paired(folder: &Path, disk: &Arc<Disk>, first: Option<Pairing>) -> Self {
        let port = folder.join("no-cable").display().to_string();
        let settings = BoardConfig { port, ..BoardConfig::default() };
        let folder = folder.join("record");
        let (keeper, handle) =
            Keeper::new(&settings, folder, None, Echo::Tracing, Arc::clone(disk), Now::start());
        let keeper = if first.is_some() { keeper.paired(first) } else { keeper };
        let ((ping, pings), (stop, stops)) = (watch::channel(0), watch::channel(false));
        let status = handle.feed.status.clone();
        let task = tokio::spawn(keeper.run(Calls { stop: stops, ping: pings }));
        Self { handle, ping, stop, status, task }
    }

    async fn until(&mut self, is_so: impl FnMut(&Status) -> bool) -> Status {
        let status = timeout(LIMIT, self.status.wait_for(is_so)).await;
        status.expect("in time").unwrap().clone()
    }

    /// The watchdog asks, and the board's loop answers.
    async fn answer(&mut self) {
        self.ping.send_modify(|n| *n += 1);
        let n = *self.ping.borrow();
        self.handle.alive.wait_for(|answered| *answered >= n).await.unwrap();
    }

    async fn end(self) {
        self.stop.send_replace(true);
        timeout(LIMIT, self.task).await.expect("an end in time").unwrap();
    }
}

/// Whether the watchdog would be fed.
async fn is_fed(answer: impl Future<Output = ()>) -> bool {
    timeout(Duration::from_millis(500), answer).await.is_ok()
}

#[tokio::test]
async fn the_watchdog_is_fed_while_the_disk_stands_still() {
    let place = tempfile::tempdir().unwrap();
    let disk = Arc::new(Disk::start().unwrap());
    let mut kept = Kept::start(place.path(), &disk);
    kept.until(|status| status.record == Recording::On).await;
    let held = stall(&disk);
    for _ in 0..20 {
        assert!(is_fed(kept.answer()).await, "by the loop of a board that is recorded");
    }
    let mut other = Kept::start(&place.path().join("other"), &disk);
    for _ in 0..20 {
        assert!(is_fed(other.answer()).await, "by the keeper of one whose record is opened");
    }
    drop(held);
    other.until(|status| status.record == Recording::On).await;
    kept.end().await;
    other.end().await;
}

/// The control: a ping that goes through the journal, as it once did, is not answered by a disk
/// that stands still, and the test above would notice.
#[tokio::test]
async fn a_ping_through_the_journal_starves_the_watchdog() {
    let disk = Disk::start().unwrap();
    let boot = BootId::of_this_boot().unwrap();
    let (journal, _) = Journal::open(MemStorage::new(), boot).unwrap();
    let (writer, mut events) = Writer::start(&disk, journal, BACKOFF);
    let held = stall(&disk);
    let ping = async || {
        writer.send(Batch { lines: Vec::new(), after: () }).await.unwrap();
        while !matches!(events.recv().await, Some(WriterEvent::Written { .. })) {}
    };
    let mut ping = Box::pin(ping);
    assert!(!is_fed(ping()).await);
    drop(held);
    timeout(LIMIT, ping()).await.expect("an answer once the disk gives one");
}

/// Puts one note on record.
async fn note(kept: &Kept, words: &str) -> oneshot::Receiver<rokade::shell::orders::Answer> {
    let text = format!("note {words}");
    let (reply, replied) = oneshot::channel();
    let what = BoardRequest::Act(Act::read(&text, "arbiter", "").unwrap());
    let (author, reason) = ("arbiter".to_owned(), String::new());
    let asked = Asked { what, text, state: None, author, reason, reply };
    kept.handle.orders.send(asked).await.unwrap();
    replied
}

#[tokio::test]
async fn a_record_that_cannot_be_read_for_a_disk_that_stands_still_is_gone_on_from_later() {
    let place = tempfile::tempdir().unwrap();
    let disk = Arc::new(Disk::start().unwrap());
    let mut kept = Kept::start(place.path(), &disk);
    kept.until(|status| status.record == Recording::On).await;
    assert_eq!(note(&kept, "before").await.await.unwrap().class, AnswerClass::Done);
    kept.end().await;

    let held = stall(&disk);
    // What is waited for is a disk that gives nothing: nobody else has anything to do.
    tokio::time::pause();
    let mut kept = Kept::start(place.path(), &disk);
    let status = kept.until(|status| status.record != Recording::Opening).await;
    tokio::time::resume();
    assert_eq!(
        (status.record, status.disk),
        (Recording::On, Some("the disk does not answer".to_owned()))
    );
    let noted = note(&kept, "meanwhile").await;
    assert!(is_fed(kept.answer()).await);
    drop(held);
    let answer = noted.await.unwrap();
    assert!(matches!(answer.class, AnswerClass::Done | AnswerClass::Unkept), "{answer:?}");
    // It may be taken up again from what could not be read.
    kept.until(|status| status.is_recorded()).await;
    let has_both = || {
        let mut reader = JournalReader::new(DiskStorage::new(place.path().join("record")));
        let bodies: String = reader.poll().unwrap().into_iter().map(|line| line.body).collect();
        let at = |word: &str| bodies.find(word);
        at("before").is_some() && at("before") < at("meanwhile")
    };
    let read = async {
        while !has_both() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(LIMIT, read).await.expect("both notes, in their order");
    kept.end().await;
}

/// Who plays at the first start is not said before it is known whether this is the first start.
#[tokio::test]
async fn a_record_that_cannot_be_read_yet_keeps_the_round_that_is_on_it() {
    let place = tempfile::tempdir().unwrap();
    let disk = Arc::new(Disk::start().unwrap());
    let round = |round: u16| Some(Pairing { round, table: 1, ..Pairing::default() });
    let mut kept = Kept::paired(place.path(), &disk, round(5));
    kept.until(|status| status.round == Some(5)).await;
    kept.end().await;

    let held = stall(&disk);
    tokio::time::pause();
    let mut kept = Kept::paired(place.path(), &disk, round(1));
    let status = kept.until(|status| status.record != Recording::Opening).await;
    tokio::time::resume();
    assert_eq!(status.round, None);
    let noted = note(&kept, "meanwhile").await;
    drop(held);
    noted.await.unwrap();
    kept.until(|status| status.round.is_some() && status.is_recorded()).await;
    assert_eq!(kept.status.borrow().round, Some(5));
    kept.end().await;
    let mut reader = JournalReader::new(DiskStorage::new(place.path().join("record")));
    let bodies: Vec<String> = reader.poll().unwrap().into_iter().map(|line| line.body).collect();
    let n_paired = bodies.iter().filter(|body| body.contains("paired")).count();
    assert_eq!(n_paired, 1, "{bodies:?}");
}

/// The time of day falls behind by an hour: that is on record, with both times, before what comes
/// next.
#[tokio::test]
async fn a_jump_of_the_time_of_day_is_on_record() {
    let place = tempfile::tempdir().unwrap();
    let disk = Arc::new(Disk::start().unwrap());
    let mut kept = Kept::start(place.path(), &disk);
    kept.until(|status| status.record == Recording::On).await;
    assert_eq!(note(&kept, "before").await.await.unwrap().class, AnswerClass::Done);
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(3_600)).await;
    tokio::time::resume();
    let answer = note(&kept, "behind").await.await.unwrap();
    let is_told = |line: &String| line.contains("the time of day jumped");
    assert_eq!(answer.lines.iter().position(is_told), Some(0), "{answer:?}");
    kept.end().await;
    let mut reader = JournalReader::new(DiskStorage::new(place.path().join("record")));
    let bodies: Vec<_> = reader.poll().unwrap().into_iter().map(|line| line.body).collect();
    let jumps = bodies.iter().filter(|body| body.contains("WALL_CLOCK_JUMPED"));
    assert_eq!(jumps.count(), 1, "{bodies:?}");
}

/// What reads the log may stand still, as the disk below it may: the game goes on.
#[tokio::test]
async fn a_log_that_nobody_reads_holds_up_no_board() {
    let (_reader, mut log) = std::io::pipe().unwrap();
    let n_free = rustix::pipe::fcntl_getpipe_size(&log).unwrap();
    log.write_all(&vec![b'.'; n_free]).unwrap();
    let place = Place::new();
    let (intended, played) = game(4, Span::new(300, 600), 1);
    let mut board = plug(&played.script, &place.board());
    let mut daemon = place.command(&["run"]).stdout(Stdio::null()).stderr(log).spawn().unwrap();
    timeout(LIMIT, board.woken()).await.unwrap().unwrap();
    place.seen(is_live).await;
    board.play(played.script.happenings, Speed::REAL).await.unwrap();
    assert_eq!(moves_of(&place.seen(has_moves(4)).await), intended);
    daemon.kill().await.unwrap();
}
