//! The daemon: all boards, the pages, the watchdog, and an orderly end.
//!
//! The boards share one thread and its event loop; pages and orders have threads of their own, with
//! nothing but channels between. Whatever fails at one board, at the pages or at the orders is said
//! and tried again, and recording goes on.

use super::apart::{Apart, Share};
use super::backoff::Backoff;
use super::bus;
use super::clock::own::OwnClockStub;
use super::config::{Config, LiveChess};
use super::copy::{self, Original};
use super::disk::Disk;
use super::folder::{self, FolderBoard};
use super::gate::Gate;
use super::host;
use super::http::{self, Feed, Seats, Site, Speaks};
use super::keeper::{Calls, Handle, Keeper, stopped};
use super::now::Now;
use super::orders::{Asked, OrdersActor, Rounds};
use super::pairings::Roster;
use super::pty::demo_board;
use super::publish::Echo;
use super::push;
use super::reload;
use super::report::Outlook;
use super::sign;
use super::status::{Recording, Status, summary};
use crate::game::Pairing;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::collections::BTreeMap;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tracing::{info, warn};

/// How long the boards have to write what is left after the first request to stop.
const GRACE: Duration = Duration::from_secs(2);
/// How long pages and orders have for that, once the boards are done: less than pages give their
/// viewers.
const GRACE_APART: Duration = Duration::from_millis(500);
/// How long the daemon waits for the boards' records before it says that it runs.
const OPENING: Duration = Duration::from_secs(10);
/// How often the loop that records shows that it runs.
const PULSE: Duration = Duration::from_millis(500);
/// How much what writes the games' files gives way to the boards.
const GATES: Share = Share::Nice(5);
/// What is served on a thread of its own, and what is said of it.
#[derive(Copy, Clone, Debug)]
struct Served {
    thread: &'static str,
    not: &'static str,
    again: &'static str,
}

const PAGES: Served =
    Served { thread: "pages", not: "THE PAGES ARE NOT SERVED", again: "the pages are served" };
const LIVECHESS: Served = Served {
    thread: "livechess",
    not: "PROGRAMS CANNOT FOLLOW BOARDS BY LIVECHESS",
    again: "programs can follow boards by LiveChess",
};
/// How long to wait before an address or a socket is tried again.
const BACKOFF: Backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(30));

/// Why the daemon could not start, or stopped.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// No board can be recorded, as another program records them all.
    #[error("board {board:?}: {why}")]
    Taken {
        /// A board's name.
        board: String,
        /// Who has it.
        why: String,
    },
    /// A demonstration cannot be recorded.
    #[error("board {board:?}: {why}")]
    Record {
        /// The board's name.
        board: String,
        /// The reason, as a sentence.
        why: String,
    },
    /// The address of a demonstration's page cannot be had.
    #[error("cannot serve pages at {address}; set another address, or enabled = false, in [http]")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The system's reason.
        #[source]
        source: io::Error,
    },
    /// The system gives no threads.
    #[error("cannot start a thread")]
    Threads(#[source] io::Error),
    /// The system gives no signals.
    #[error("cannot wait for signals")]
    Signals(#[source] io::Error),
}

/// What the daemon is started for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum RunMode {
    /// To record. What cannot be had at the start is waited for.
    Service,
    /// To be looked at. Without its page or its record it ends.
    Demo,
}

impl RunMode {
    /// Where the lines of the log go.
    const fn echo(self) -> Echo {
        match self {
            Self::Service => Echo::Tracing,
            Self::Demo => Echo::Stdout,
        }
    }
}

/// Clocks of our own, by the name of their board.
pub type OwnClocks = BTreeMap<String, OwnClockStub>;

/// Runs every board of `config`, each with its clock of `clocks`, until SIGTERM, SIGINT or `stop`.
/// All count the time as `now` does. `ready` is told the pages' address, if it could be had, once
/// everything runs.
///
/// # Errors
/// All journals are another daemon's. A demonstration also ends without its page or its record.
pub async fn run(
    config: &Config,
    now: Now,
    mut clocks: OwnClocks,
    manner: RunMode,
    stop: impl Future<Output = ()>,
    ready: impl FnOnce(Option<SocketAddr>),
) -> Result<(), RunError> {
    let signals = Signals::listen().map_err(RunError::Signals)?;
    let (stopping, stops) = watch::channel(false);
    let ((ping, pings), (pulse, pulses)) = (watch::channel(0_u64), watch::channel(Instant::now()));
    let disk = Arc::new(Disk::start().map_err(RunError::Threads)?);
    let mut boards = JoinSet::new();
    let (mut feeds, mut gates, mut originals) = (Vec::new(), Vec::new(), Vec::new());
    let (mut to_boards, mut alive, mut lits, mut renewals) = (vec![], vec![], vec![], vec![]);
    let mut tasks = JoinSet::new();
    let mut seats = bus::start(config, now, &mut tasks);
    let roster = Roster::of(config);
    let firsts = first_round(roster.as_ref()).await;
    for settings in &config.boards {
        let folder = config.folder(settings);
        let clock = clocks.remove(&settings.name);
        let (keeper, handle) =
            Keeper::new(settings, folder, clock, manner.echo(), Arc::clone(&disk), now);
        let Handle { feed, gate, original, alive: answers, orders, lit, renew, delay } = handle;
        lits.push(lit);
        renewals.push(reload::Renewal { settings: renew, delay });
        gates.push(gate);
        originals.push(original);
        to_boards.push((settings.name.clone(), orders));
        feeds.push(if firsts.is_some() { feed } else { without_event(feed) });
        alive.push(answers);
        let mut keeper = keeper.seated(seats.remove(&settings.name));
        if let Some(firsts) = &firsts {
            keeper = keeper.paired(firsts.get(boards.len()).cloned());
        }
        boards.spawn(keeper.run(Calls { stop: stops.clone(), ping: pings.clone() }));
    }
    tasks.spawn(watchdog(ping, alive));
    tasks.spawn(beat(pulse));
    tasks.spawn(reload::keep(config.clone(), renewals).map_err(RunError::Signals)?);
    let mut apart = vec![let_out(gates)?];
    apart.extend(keep_copies(config, originals, &mut tasks)?);
    opened(&feeds, manner).await?;
    // What is written before all have told what is on record would lack what was there.
    apart.extend(keep_folder(config, &feeds)?.into_iter().chain(keep_walls(config, &feeds, now)?));
    apart.extend(sign::start(config, &feeds, &lits).map_err(RunError::Threads)?);
    let (threads, pushed) = push::start(config, &feeds).map_err(RunError::Threads)?;
    apart.extend(threads);
    let (thread, host) = host::start().map_err(RunError::Threads)?;
    apart.extend(thread);
    let outlook = Outlook { feeds: feeds.clone(), pulse: pulses, pushed, host, now };
    let (pages, address) = open_pages(config, manner, &outlook, &stops)?;
    apart.extend(pages);
    apart.extend(open_livechess(config, &outlook, &stops)?);
    if config.orders.enabled {
        let statuses = feeds.iter().map(|feed| feed.status.clone()).collect();
        let rounds = Rounds { roster, boards: statuses };
        let path = config.orders_from();
        apart.push(take_orders(path, to_boards, rounds, outlook, stops.clone())?);
    }
    notify(&[sd_notify::NotifyState::Ready]);
    tasks.spawn(tell_manager(feeds));
    ready(address);
    wait_for_end(stop, signals, &mut boards).await;
    notify(&[sd_notify::NotifyState::Stopping]);
    stopping.send_replace(true);
    end(boards, apart, tasks).await;
    Ok(())
}

/// The boards write what is left; then the others end.
async fn end(boards: JoinSet<()>, apart: Vec<Apart>, mut tasks: JoinSet<()>) {
    if timeout(GRACE, boards.join_all()).await.is_err() {
        warn!("the boards did not end in time");
    }
    for thread in apart {
        thread.ended(GRACE_APART).await;
    }
    tasks.shutdown().await;
}

/// Without a list, the rounds on record are those of an event that is over.
fn without_event(feed: Feed) -> Feed {
    Feed { book: watch::channel(Arc::default()).1, ..feed }
}

/// Who plays at each board at the first start; `None` if no list of pairings is set. One that
/// cannot be used is said, and the boards are recorded all the same.
async fn first_round(roster: Option<&Roster>) -> Option<Vec<Pairing>> {
    let roster = roster?;
    let paired = async {
        let list = roster.read().await?;
        let number = roster.first_round().or_else(|| list.first_open()).unwrap_or(1);
        let paired = roster.pair(&list, number)?;
        if list.is_latin {
            let path = roster.path().display();
            warn!(%path, "the pairings are no UTF-8, and were read as Latin-1; look at the names");
        }
        Ok::<_, String>(paired)
    };
    match paired.await {
        Ok(paired) => Some(paired),
        Err(why) => {
            warn!(why, "THE PAIRINGS ARE NOT USED; the boards go on with what they had");
            Some(Vec::new())
        }
    }
}

/// Starts serving the pages, if they are wanted; where, if the address could be had at once.
fn open_pages(
    config: &Config,
    manner: RunMode,
    outlook: &Outlook,
    stops: &watch::Receiver<bool>,
) -> Result<(Option<Apart>, Option<SocketAddr>), RunError> {
    if !config.http.enabled {
        return Ok((None, None));
    }
    let first = match listen(config.http.listen) {
        Err(source) if manner == RunMode::Demo => {
            return Err(RunError::Listen { address: config.http.listen, source });
        }
        first => first,
    };
    let address = first.as_ref().ok().and_then(|listener| listener.local_addr().ok());
    let site = site(Speaks::Pages, config, outlook);
    let thread = serve_pages(PAGES, first, config.http.listen, site, stops.clone())?;
    Ok((Some(thread), address))
}

/// Starts serving the interface of LiveChess, if it is wanted.
fn open_livechess(
    config: &Config,
    outlook: &Outlook,
    stops: &watch::Receiver<bool>,
) -> Result<Vec<Apart>, RunError> {
    let (LiveChess { origins, .. }, all) = (config.livechess.clone(), config.livechess.addresses());
    let site = site(Speaks::LiveChess { origins }, config, outlook);
    let is_there = |it: &SocketAddr| *it == config.livechess.listen || listen(*it).is_ok();
    let serve = |it| serve_pages(LIVECHESS, listen(it), it, site.clone(), stops.clone());
    all.into_iter().filter(is_there).map(serve).collect()
}

/// All boards, for those who may ask at one address.
fn site(speaks: Speaks, config: &Config, outlook: &Outlook) -> Site {
    let n_livechess = config.livechess.addresses().len() as u64;
    let n_servers = (u64::from(config.http.enabled) + n_livechess).max(1);
    Site {
        speaks,
        outlook: outlook.clone(),
        trusted: config.http.metrics_to.clone(),
        seats: Seats::within(n_files() / n_servers, config.boards.len()),
        names: names(&config.http.names),
        embed: config.http.embed.clone(),
    }
}

/// Starts writing the games' files, and telling the public what it may have.
fn let_out(gates: Vec<Gate>) -> Result<Apart, RunError> {
    // What cannot be let out of one record is no concern of the others'.
    let keep = |gate: Gate| async move {
        while let Err(error) = tokio::spawn(gate.clone().run()).await {
            warn!(
                board = gate.board,
                %error,
                "NOTHING MORE LEAVES THIS RECORD, NO FILE AND NO PGN; recording goes on, and this \
                 is tried again"
            );
            sleep(BACKOFF.longest()).await;
            if gate.safe.has_changed().is_err() {
                return;
            }
        }
    };
    let work = move || async move {
        gates.into_iter().map(keep).collect::<JoinSet<()>>().join_all().await;
    };
    Apart::start("gates", GATES, work).map_err(RunError::Threads)
}

/// Starts writing the folder that other programs watch, if that is set.
fn keep_folder(config: &Config, feeds: &[Feed]) -> Result<Option<Apart>, RunError> {
    let root = config.folder.path.clone();
    if root.as_os_str().is_empty() {
        return Ok(None);
    }
    let board = |feed: &Feed| FolderBoard { book: feed.book.clone(), live: feed.live.clone() };
    let mut boards: Vec<_> = feeds.iter().map(board).zip(config.tables()).collect();
    boards.sort_by_key(|(_, table)| *table);
    let boards = boards.into_iter().map(|(board, _)| board).collect();
    let work = move || folder::keep(root, boards);
    Apart::start("folder", Share::Spare, work).map(Some).map_err(RunError::Threads)
}

/// Starts the demo boards, if any are set.
fn keep_walls(config: &Config, feeds: &[Feed], now: Now) -> Result<Option<Apart>, RunError> {
    demo_board::start(config, feeds, now).map_err(RunError::Threads)
}

/// Starts copying the records to another disk, if that is set.
fn keep_copies(
    config: &Config,
    originals: Vec<Original>,
    tasks: &mut JoinSet<()>,
) -> Result<Option<Apart>, RunError> {
    let Some(root) = config.copy() else { return Ok(None) };
    let started = copy::start(root, &config.state_dir, originals);
    let (thread, look) = started.map_err(RunError::Threads)?;
    tasks.spawn(look);
    Ok(Some(thread))
}

/// Waits until each board's record is open or cannot be opened, but not for ever.
async fn opened(feeds: &[Feed], manner: RunMode) -> Result<(), RunError> {
    let is_known = |status: &Status| status.record != Recording::Opening;
    let all = async {
        for feed in feeds {
            // An error is the end of a board, which is noticed elsewhere.
            feed.status.clone().wait_for(is_known).await.ok();
            // What is on record is let out before anybody looks, unless the disk is in the way.
            let (mut is_ready, mut status) = (feed.is_ready.clone(), feed.status.clone());
            tokio::select! {
                _ = is_ready.wait_for(|is_ready| *is_ready) => {}
                _ = status.wait_for(|status| status.fault().is_some()) => {}
            }
        }
    };
    if timeout(OPENING, all).await.is_err() {
        warn!("the disk is slow; the records are being opened");
    }
    let off = |feed: &Feed| {
        let Status { record, disk, .. } = feed.status.borrow().clone();
        match (record, disk) {
            (Recording::Off { why, is_taken }, _) => Some((feed.name.clone(), why, is_taken)),
            (Recording::On, Some(why)) if manner == RunMode::Demo => {
                Some((feed.name.clone(), why, false))
            }
            (Recording::Opening | Recording::On, _) => None,
        }
    };
    let off: Vec<_> = feeds.iter().filter_map(off).collect();
    match off.first() {
        Some((board, why, _)) if manner == RunMode::Demo => {
            Err(RunError::Record { board: board.clone(), why: why.clone() })
        }
        Some((board, why, _))
            if off.len() == feeds.len() && off.iter().all(|(.., taken)| *taken) =>
        {
            Err(RunError::Taken { board: board.clone(), why: why.clone() })
        }
        _ => Ok(()),
    }
}

/// How many files this process may have open, once it has asked for all that it may ask for.
fn n_files() -> u64 {
    let limit = getrlimit(Resource::Nofile);
    let all = Rlimit { current: limit.maximum, maximum: limit.maximum };
    let granted = if setrlimit(Resource::Nofile, all).is_ok() { all } else { limit };
    granted.current.unwrap_or(u64::MAX)
}

/// The names under which the pages may be asked for: those that are set, and this machine's.
fn names(set: &[String]) -> Vec<String> {
    let own = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let mut names = set.to_vec();
    names.extend([format!("{own}.local"), own]);
    names
}

/// So many connections may wait to be let in: all that a hall and a flood open at once. Who comes
/// while the row is full is heard a second later, a health check too.
const BACKLOG: u32 = 4_096;

/// A listener that any event loop can take.
fn listen(address: SocketAddr) -> io::Result<std::net::TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)?.into_std()
}

/// Waits before the next attempt; `false` once all is to stop.
async fn rest(backoff: &mut Backoff, stops: &mut watch::Receiver<bool>) -> bool {
    tokio::select! {
        () = sleep(backoff.wait()) => true,
        () = stopped(stops) => false,
    }
}

/// Serves the pages on a thread of their own, again and again until all is to stop.
fn serve_pages(
    served: Served,
    first: io::Result<std::net::TcpListener>,
    address: SocketAddr,
    site: Site,
    mut stops: watch::Receiver<bool>,
) -> Result<Apart, RunError> {
    let work = move || async move {
        let mut first = Some(first);
        let mut backoff = BACKOFF;
        let mut said = None;
        loop {
            let listener = match first.take() {
                Some(listener) => listener,
                None => listen(address),
            };
            let listener = listener.and_then(TcpListener::from_std);
            let trouble = match listener {
                Ok(listener) => {
                    if said.take().is_some() {
                        info!(%address, "{}", served.again);
                    }
                    let (site, mut stops) = (site.clone(), stops.clone());
                    let stop = async move { stopped(&mut stops).await };
                    // A task, so that not even a panic ends more than this attempt.
                    let served = tokio::spawn(http::serve(listener, site, stop)).await;
                    match served
                        .map_err(io::Error::other)
                        .and_then(|it| it.map_err(io::Error::other))
                    {
                        Ok(()) => return,
                        Err(error) => error.to_string(),
                    }
                }
                Err(error) => error.to_string(),
            };
            if said.as_ref() != Some(&trouble) {
                warn!(%address, why = trouble, "{}; recording goes on", served.not);
                said = Some(trouble);
            }
            if !rest(&mut backoff, &mut stops).await {
                return;
            }
        }
    };
    Apart::start(served.thread, Share::Spare, work).map_err(RunError::Threads)
}

/// Lets people give orders, on a thread of their own. Where that cannot be, the games are recorded
/// all the same, and it is tried again.
fn take_orders(
    path: PathBuf,
    boards: Vec<(String, mpsc::Sender<Asked>)>,
    rounds: Rounds,
    outlook: Outlook,
    mut stops: watch::Receiver<bool>,
) -> Result<Apart, RunError> {
    let work = move || async move {
        let mut backoff = BACKOFF;
        let mut said = None;
        loop {
            let (boards, rounds, outlook) = (boards.clone(), rounds.clone(), outlook.clone());
            match OrdersActor::open(path.clone(), boards, rounds, outlook) {
                Ok(actor) => {
                    info!(path = %actor.path().display(), "orders are taken");
                    tokio::select! {
                        () = actor.run() => {}
                        () = stopped(&mut stops) => return,
                    }
                }
                Err(error) => {
                    let why = std::error::Error::source(&error).map(ToString::to_string);
                    let sentence = (error.to_string(), why);
                    if said.as_ref() != Some(&sentence) {
                        let (error, why) = &sentence;
                        warn!(error, why, "NO ORDERS CAN BE GIVEN; recording goes on");
                        said = Some(sentence);
                    }
                }
            }
            if !rest(&mut backoff, &mut stops).await {
                return;
            }
        }
    };
    Apart::start("orders", Share::Nice(0), work).map_err(RunError::Threads)
}

/// The signals that ask for an orderly end. Until they are listened to they are the end.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn listen() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }
}

/// Waits for a reason to stop: a signal, the caller's wish, or a keeper that failed.
async fn wait_for_end(
    stop: impl Future<Output = ()>,
    mut signals: Signals,
    boards: &mut JoinSet<()>,
) {
    tokio::select! {
        () = stop => {}
        _ = signals.terminate.recv() => info!("asked to stop"),
        _ = signals.interrupt.recv() => info!("interrupted"),
        Some(ended) = boards.join_next() => {
            // A panic must end the process: systemd starts it anew, the journal restores the game.
            if let Err(error) = ended && error.is_panic() {
                std::panic::resume_unwind(error.into_panic());
            }
        }
    }
}

/// Shows for ever that the loop that records runs.
async fn beat(pulse: watch::Sender<Instant>) {
    let mut beat = tokio::time::interval(PULSE);
    loop {
        beat.tick().await;
        pulse.send_replace(Instant::now());
    }
}

/// Feeds the system's watchdog as long as every board's loop answers. The disk has no part in it:
/// what it does not take is kept in memory, and would be lost if we were replaced.
async fn watchdog(ping: watch::Sender<u64>, alive: Vec<watch::Receiver<u64>>) {
    let Some(limit) = sd_notify::watchdog_enabled() else {
        return;
    };
    let mut beat = tokio::time::interval(limit / 3);
    loop {
        beat.tick().await;
        let n = *ping.borrow();
        if alive.iter().all(|answers| *answers.borrow() >= n) {
            notify(&[sd_notify::NotifyState::Watchdog]);
            ping.send_modify(|n| *n += 1);
        }
    }
}

/// Tells the service manager in one line how things stand, whenever that has changed.
async fn tell_manager(feeds: Vec<Feed>) {
    let mut beat = tokio::time::interval(PULSE);
    let mut told = String::new();
    loop {
        beat.tick().await;
        let boards = feeds.iter().map(|feed| (feed.name.as_str(), feed.status.borrow().clone()));
        let line = summary(boards);
        if line != told {
            notify(&[sd_notify::NotifyState::Status(&line)]);
            told = line;
        }
    }
}

fn notify(states: &[sd_notify::NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(states) {
        warn!(%error, "the service manager cannot be told");
    }
}
