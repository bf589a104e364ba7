//! Keeps one board recorded: opens its record, runs it, and when either fails says so and tries
//! again. What goes wrong at one board is none of the others' concern.

use super::backoff::Backoff;
use super::board::{BoardActor, Ended, OpenedRecord};
use super::bus::BusSeat;
use super::clock::own::OwnClockStub;
use super::config;
use super::copy::Original;
use super::counts::Counts;
use super::delays::Delays;
use super::disk::Disk;
use super::gate::{Gate, Public};
use super::http::{Feed, ShownView};
use super::journal::Position;
use super::now::Now;
use super::orders::{self, Answer, AnswerClass, Asked, Requests};
use super::publish::Echo;
use super::record::{Games, RecordError};
use super::status::{Recording, Status};
use crate::game::{Game, Lit, Pairing, RoundDelays, Settings};
use crate::relay::livechess::Live;
use crate::relay::pgn::{self, Tags};
use std::any::Any;
use std::future::{Future, pending, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep};
use tracing::{error, info};

/// How long to wait before a record is opened again.
const BACKOFF: Backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(30));
/// A record is not waited for any longer where the disk gives nothing for so long to any board:
/// a card that is merely slow gives something, and one that tidies up is back by then. The game in
/// progress would be cut in two by going on without its beginning.
const STALL: Duration = Duration::from_secs(15);
/// A board that has run for so long begins again with the shortest wait.
const CALM: Duration = Duration::from_secs(60);

/// What of a board lasts while its record is opened, lost and opened again.
#[derive(Debug)]
pub struct Outfit {
    /// Its settings.
    pub settings: config::BoardConfig,
    /// Its place on a line that other boards share, if it has one.
    pub(super) seat: Option<BusSeat>,
    /// A list of pairings is set: what is on record of them holds.
    pub has_list: bool,
    /// Who plays there, if nothing is on record of that.
    pub first: Option<Pairing>,
    /// The folder of its record.
    pub folder: PathBuf,
    /// Where its log goes.
    pub echo: Echo,
    /// The threads that write.
    pub disk: Arc<Disk>,
    /// The time.
    pub now: Now,
    /// The page's view document.
    pub view: watch::Sender<Arc<ShownView>>,
    /// How the recording stands.
    pub status: watch::Sender<Status>,
    /// What is lit for those who play.
    pub lit: watch::Sender<Lit>,
    /// How far the record is on the disk.
    pub safe: watch::Sender<Position>,
    /// How far the public is behind the board.
    pub delayed: watch::Receiver<RoundDelays>,
    /// How long records take.
    pub delays: Arc<Delays>,
    /// What happens.
    pub counts: Arc<Counts>,
    /// The last ping of the watchdog that the board's loop has seen.
    pub alive: watch::Sender<u64>,
}

impl Outfit {
    /// The settings as the core wants them, with who plays by what is on record.
    pub(super) fn known(&self, games: &Games) -> Settings {
        let mut known = self.settings.settings();
        if self.has_list {
            games.pair(&mut known);
        }
        known
    }
}

/// What others need of a board.
#[derive(Debug)]
pub struct Handle {
    /// For the pages.
    pub feed: Feed,
    /// What lets the record out.
    pub gate: Gate,
    /// For who copies the record.
    pub original: Original,
    /// The last ping that was seen.
    pub alive: watch::Receiver<u64>,
    /// For those who order something.
    pub orders: mpsc::Sender<Asked>,
    /// What is lit for those who play, for lights below the board.
    pub lit: watch::Receiver<Lit>,
    /// For who has new settings for the board.
    pub renew: watch::Sender<config::BoardConfig>,
    /// For who has another delay for it.
    pub delay: watch::Sender<RoundDelays>,
}

/// The keeper of one board.
#[derive(Debug)]
pub struct Keeper {
    stand: Outfit,
    clock: Option<OwnClockStub>,
    requests: Requests,
    /// The settings that are to be used from now on.
    renewed: watch::Receiver<config::BoardConfig>,
    /// The PGN of the game that is to come.
    awaited: watch::Sender<Arc<str>>,
    /// Why the board is not recorded, as it was said last.
    said: Option<String>,
}

/// What comes from the daemon: the wish to end, and the watchdog's pings.
#[derive(Clone, Debug)]
pub struct Calls {
    /// Turns true when all is to end.
    pub stop: watch::Receiver<bool>,
    /// The number of the watchdog's last ping.
    pub ping: watch::Receiver<u64>,
}

/// The gate of a board with these settings, by what it is told of another delay, and what tells of
/// the one that it keeps.
fn gate_of(
    settings: &config::BoardConfig,
    folder: &Path,
    safe: watch::Receiver<Position>,
    now: Now,
    public: Public,
) -> (Gate, watch::Sender<RoundDelays>, watch::Receiver<RoundDelays>) {
    let (tell, delay) = watch::channel(settings.delay.clone());
    let (kept, told) = watch::channel(settings.delay.clone());
    let (board, site) = (settings.name.clone(), settings.site.clone());
    let folder = folder.to_owned();
    (Gate { board, folder, site, safe, delay, kept, now, public }, tell, told)
}

/// Ready once the daemon is to stop, or is gone.
pub(super) async fn stopped(stop: &mut watch::Receiver<bool>) {
    drop(stop.wait_for(|stop| *stop).await);
}

impl Keeper {
    /// A keeper for the board of these settings, with a `clock` of our own instead of theirs.
    pub fn new(
        settings: &config::BoardConfig,
        folder: PathBuf,
        clock: Option<OwnClockStub>,
        echo: Echo,
        disk: Arc<Disk>,
        now: Now,
    ) -> (Self, Handle) {
        let empty = Game::new(settings.settings());
        let name = settings.name.clone();
        let is_behind = !settings.delay.is_none();
        let shown = ShownView { is_behind, ..ShownView::of(&name, &empty, now.stamp()) };
        let (view, views) = watch::channel(Arc::new(shown));
        let (pgn, pgns) = watch::channel(Arc::from(""));
        let (parts, lists) = watch::channel(Arc::default());
        let (live, lives) = watch::channel(Arc::new(Live::unknown(&name)));
        let (book, books) = watch::channel(Arc::default());
        let (past, pasts) = watch::channel(Arc::default());
        let (is_ready, readiness) = watch::channel(false);
        let (status, statuses) = watch::channel(Status::default());
        let (lit, lits) = watch::channel(Lit::default());
        let (alive, pings) = watch::channel(0);
        let (safe, keeps) = watch::channel(Position::default());
        let (orders, requests) = orders::channel();
        let (renew, renewed) = watch::channel(settings.clone());
        let (awaited, awaits) = watch::channel(awaited(settings));
        let settings = settings.clone();
        let (to_copy, of) = (status.clone(), name.clone());
        let original =
            Original { name: of, folder: folder.clone(), safe: keeps.clone(), status: to_copy };
        let public = Public { pgn, parts, book, past, live, view: view.clone(), is_ready };
        let (gate, delay, delayed) = gate_of(&settings, &folder, keeps, now, public);
        let (delays, counts) = (Arc::new(Delays::default()), Arc::new(Counts::default()));
        let feed = Feed {
            name,
            view: views,
            pgn: pgns,
            parts: lists,
            book: books,
            past: pasts,
            live: lives,
            awaited: awaits,
            is_ready: readiness,
            status: statuses,
            delays: Arc::clone(&delays),
            counts: Arc::clone(&counts),
        };
        let stand = Outfit {
            settings,
            seat: None,
            has_list: false,
            first: None,
            folder,
            echo,
            disk,
            now,
            view,
            status,
            lit,
            safe,
            delayed,
            delays,
            counts,
            alive,
        };
        let keeper = Self { stand, clock, requests, renewed, awaited, said: None };
        (keeper, Handle { feed, gate, original, alive: pings, orders, lit: lits, renew, delay })
    }

    /// Gives the board this place on a line that others share.
    pub(super) fn seated(mut self, seat: Option<BusSeat>) -> Self {
        self.stand.seat = seat;
        self
    }

    /// Makes the board part of an event with a list of pairings, which has this pairing for its
    /// `first` start.
    #[must_use]
    pub fn paired(mut self, first: Option<Pairing>) -> Self {
        (self.stand.has_list, self.stand.first) = (true, first);
        self
    }

    /// Keeps the board recorded until everything stops.
    pub async fn run(mut self, mut calls: Calls) {
        let mut backoff = BACKOFF;
        loop {
            let begun = Instant::now();
            let Some(()) = self.until_usable(&mut calls).await else { return };
            let Some(off) = self.record(&mut calls).await else { return };
            if begun.elapsed() > CALM {
                backoff.reset();
            }
            self.say_off(off);
            let Some(()) = self.meanwhile(sleep(backoff.wait()), &mut calls).await else { return };
        }
    }

    /// Waits until nothing is wrong with the settings. `None` at the end of all.
    async fn until_usable(&mut self, calls: &mut Calls) -> Option<()> {
        loop {
            self.renew();
            let Some(why) = self.stand.settings.fault() else { return Some(()) };
            self.say_off(failed(why));
            let mut renewed = self.renewed.clone();
            let others = async move {
                if renewed.changed().await.is_err() {
                    // Nobody will have any.
                    pending::<()>().await;
                }
            };
            self.meanwhile(others, calls).await?;
        }
    }

    /// Opens the record and runs the board. Why that has ended, or `None` at the end of all.
    async fn record(&mut self, calls: &mut Calls) -> Option<Recording> {
        loop {
            let off = self.record_once(calls).await?;
            if off.is_some() {
                return off;
            }
        }
    }

    /// As [`Keeper::record`]; the second is `None` if the record is to be opened again, with a past
    /// that could not be read before.
    async fn record_once(&mut self, calls: &mut Calls) -> Option<Option<Recording>> {
        self.renew();
        let (disk, folder) = (Arc::clone(&self.stand.disk), self.stand.folder.clone());
        let opening = read(disk, folder, self.stand.settings.name.clone());
        let opened = match self.meanwhile(opening, calls).await? {
            Some(Ok(opened)) => opened,
            Some(Err(error)) => {
                let is_taken = error.is_taken();
                return Some(Some(Recording::Off { why: error.sentence(), is_taken }));
            }
            None => return Some(Some(failed("the record cannot be read: its reader has failed"))),
        };
        // What is wrong with a record may show only when it is taken up.
        let (clock, trouble) = (self.clock.take(), opened.trouble.clone());
        let opening =
            catch_unwind(AssertUnwindSafe(|| BoardActor::open(opened, &self.stand, clock)));
        let board = match opening {
            Ok(board) => board,
            Err(panic) => return Some(Some(failed(&said_by(&*panic)))),
        };
        self.stand.status.send_modify(|status| {
            // What was said of the room, another writer said.
            (status.record, status.disk, status.room) = (Recording::On, trouble, None);
        });
        if self.said.take().is_some() {
            info!(board = self.stand.settings.name, "the board is recorded again");
        }
        match self.run_board(board, calls).await {
            Ok(Ended::Asked) if !*calls.stop.borrow() => Some(None),
            Ok(Ended::Asked) => None,
            Ok(Ended::Late) => Some(None),
            Ok(Ended::Lost(why)) => Some(Some(failed(why))),
            Err(panic) => Some(Some(failed(&said_by(&*panic)))),
        }
    }

    /// Runs the board until it ends; new settings end it in order.
    async fn run_board(&mut self, board: BoardActor, calls: &Calls) -> Result<Ended, Panic> {
        let (halt, halted) = watch::channel(false);
        let mut own = Calls { stop: halted, ping: calls.ping.clone() };
        let (mut stop, settings) = (calls.stop.clone(), self.stand.settings.clone());
        let mut running = pin!(caught(board.run(&mut own, &mut self.requests)));
        tokio::select! {
            ended = &mut running => return ended,
            () = stopped(&mut stop) => {}
            Ok(_) = self.renewed.wait_for(|renewed| settings.takes_opening(renewed)) => {}
        }
        halt.send_replace(true);
        running.await
    }

    /// Takes up the settings that are to be used from now on.
    fn renew(&mut self) {
        let renewed = self.renewed.borrow_and_update().clone();
        if renewed != self.stand.settings {
            info!(board = renewed.name, "the board uses its new settings");
            self.awaited.send_replace(awaited(&renewed));
            self.stand.settings = renewed;
        }
    }

    /// Waits for `what`; those who ask something meanwhile hear why that cannot be. `None` if
    /// everything is to stop.
    async fn meanwhile<T>(
        &mut self,
        what: impl Future<Output = T>,
        calls: &mut Calls,
    ) -> Option<T> {
        let mut what = pin!(what);
        loop {
            tokio::select! {
                biased;
                () = stopped(&mut calls.stop) => return None,
                done = &mut what => return Some(done),
                Ok(()) = calls.ping.changed() => {
                    self.stand.alive.send_replace(*calls.ping.borrow_and_update());
                }
                Some(Asked { reply, .. }) = self.requests.recv() => {
                    let status = self.stand.status.borrow().clone();
                    let why = status.fault().unwrap_or("its record is opened again").to_owned();
                    let why = format!("this board is not recorded now: {why}");
                    // Whoever asked may have gone.
                    reply.send(Answer::without_effect(AnswerClass::Busy, why)).ok();
                }
            }
        }
    }

    /// Said once for each reason. That another program has the record may be the end of this one:
    /// it is said if it is so again.
    fn say_off(&mut self, off: Recording) {
        let Recording::Off { why, is_taken } = &off else { return };
        let is_first = self.stand.status.borrow().record == Recording::Opening;
        if self.said.as_ref() != Some(why) && !(is_first && *is_taken) {
            let remedy = match self.stand.settings.fault {
                Some(_) => "correct its settings, then `sudo systemctl reload rokade`",
                None => "this is tried again",
            };
            error!(
                board = self.stand.settings.name,
                "THIS BOARD IS NOT RECORDED: {why}; the others are, and {remedy}"
            );
            self.said = Some(why.clone());
        }
        self.stand.status.send_modify(|status| {
            let copy = status.copy.take();
            *status = Status { record: off, copy, ..Status::default() };
        });
    }
}

/// The PGN of the game that is to come.
fn awaited(settings: &config::BoardConfig) -> Arc<str> {
    Arc::from(pgn::awaited(&tags_of(settings)))
}

/// What the settings say of the game that is to come.
fn tags_of(settings: &config::BoardConfig) -> Tags {
    Tags {
        event: settings.event.clone(),
        site: settings.site.clone(),
        date: String::new(),
        round: settings.round.clone(),
        white: settings.white.clone(),
        black: settings.black.clone(),
        time_control: settings.time_control().unwrap_or_default(),
        players: None,
    }
}

/// Reads the record in `folder`. A disk that gives nothing at all is not waited for.
async fn read(
    disk: Arc<Disk>,
    folder: PathBuf,
    board: String,
) -> Option<Result<OpenedRecord, RecordError>> {
    let (reader, path) = (Arc::clone(&disk), folder.clone());
    let reading = disk.run(move || BoardActor::read(&path, &|| reader.has_given()));
    tokio::select! {
        read = reading => {
            disk.has_given();
            read
        }
        () = disk.stalled(STALL) => {
            error!(
                board,
                "THE DISK DOES NOT ANSWER: the record cannot be read; what happens is in memory \
                 only, and will follow it"
            );
            Some(BoardActor::unread(&folder))
        }
    }
}

fn failed(why: &str) -> Recording {
    Recording::Off { why: why.to_owned(), is_taken: false }
}

type Panic = Box<dyn Any + Send>;

/// Runs `work` to its end or its panic.
async fn caught<T>(work: impl Future<Output = T>) -> Result<T, Panic> {
    let mut work = pin!(work);
    poll_fn(|cx| match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(cx))) {
        Ok(polled) => polled.map(Ok),
        Err(panic) => std::task::Poll::Ready(Err(panic)),
    })
    .await
}

fn said_by(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("its recorder has failed: {}", text.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_caught_and_quoted() {
        assert_eq!(caught(async { 7 }).await.ok(), Some(7));
        let panic = caught(async { assert_eq!(1, 2, "a fault") }).await.unwrap_err();
        assert!(said_by(&*panic).contains("a fault"), "{}", said_by(&*panic));
    }
}
