//! What others have of the boards: pages, files, broadcasts, signs, orders. All of it begins anew
//! when boards come or go, or when its own settings change, and the boards do not notice.

use super::apart::{Apart, Share};
use super::backoff::Backoff;
use super::boards::Boards;
use super::config::{Config, LiveChess};
use super::copy;
use super::folder::{self, FolderBoard};
use super::host;
use super::http::{self, Feed, Seats, Site, Speaks};
use super::keeper::stopped;
use super::now::Now;
use super::orders::{Asked, OrdersActor, Rounds};
use super::pairings::Roster;
use super::pty::demo_board;
use super::push;
use super::report::Outlook;
use super::run::{RunError, RunMode, notify};
use super::sign;
use super::status::summary;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, interval, sleep};
use tracing::{info, warn};

/// How long each has to end once it is to: less than pages give their viewers.
pub(super) const GRACE: Duration = Duration::from_millis(500);
/// How long lights and displays have to go dark, also where the machine is held up.
const DARK: Duration = Duration::from_secs(2);
/// How often the service manager is told how things stand, where that has changed.
const TELLING: Duration = Duration::from_millis(500);
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

/// All that runs beside the boards.
#[derive(Debug)]
pub(super) struct Services {
    /// Turns true when they are to end.
    stop: watch::Sender<bool>,
    /// Those that end when they are told to.
    told: Vec<Apart>,
    /// Lights and displays, which go dark when they are told to end.
    signs: Vec<Apart>,
    /// Those that end when nothing more comes from the boards.
    fed: Vec<Apart>,
    tasks: JoinSet<()>,
    /// Where the pages are, if the address could be had at once.
    pub(super) pages: Option<SocketAddr>,
}

impl Services {
    /// Starts those that are set for these boards. `pulse` shows that the boards' loop runs.
    ///
    /// # Errors
    /// The system gives no threads; a demonstration cannot have its address.
    pub(super) fn start(
        config: &Config,
        boards: &Boards,
        (manner, now): (RunMode, Now),
        pulse: watch::Receiver<Instant>,
    ) -> Result<Self, RunError> {
        let (stop, stops) = watch::channel(false);
        let (mut told, mut fed, mut tasks) = (Vec::new(), Vec::new(), JoinSet::new());
        let (feeds, lits) = (boards.feeds(), boards.lits());
        fed.extend(keep_copies(config, boards, &mut tasks)?);
        fed.extend(keep_folder(config, &feeds)?);
        fed.extend(demo_board::start(config, &feeds, now).map_err(RunError::Threads)?);
        let signs = sign::start(config, &feeds, &lits, &stops).map_err(RunError::Threads)?;
        let (threads, pushed) = push::start(config, &feeds).map_err(RunError::Threads)?;
        fed.extend(threads);
        let (thread, host) = host::start().map_err(RunError::Threads)?;
        fed.extend(thread);
        let outlook = Outlook { feeds: feeds.clone(), pulse, pushed, host, now };
        let (thread, pages) = open_pages(config, manner, &outlook, &stops)?;
        told.extend(thread);
        told.extend(open_livechess(config, &outlook, &stops)?);
        if config.orders.enabled {
            let statuses = feeds.iter().map(|feed| feed.status.clone()).collect();
            let rounds = Rounds { roster: Roster::of(config), boards: statuses };
            let path = config.orders_from();
            told.push(take_orders(path, boards.desks(), rounds, outlook, stops)?);
        }
        tasks.spawn(tell_manager(feeds));
        Ok(Self { stop, told, signs, fed, tasks, pages })
    }

    /// Nobody is asked or served any more; what is fed by the boards goes on.
    pub(super) fn close(&self) {
        self.stop.send_replace(true);
    }

    /// Waits for the end of all, once the boards have ended.
    pub(super) async fn ended(mut self) {
        for thread in self.signs {
            thread.ended(DARK).await;
        }
        for thread in self.told.into_iter().chain(self.fed) {
            thread.ended(GRACE).await;
        }
        self.tasks.shutdown().await;
    }

    /// Ends all while the boards go on.
    pub(super) async fn end(mut self) {
        self.close();
        for thread in self.signs {
            thread.ended(DARK).await;
        }
        for thread in self.told {
            thread.ended(GRACE).await;
        }
        for thread in self.fed {
            thread.cut(GRACE).await;
        }
        self.tasks.shutdown().await;
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

/// Starts copying the records to another disk, if that is set.
fn keep_copies(
    config: &Config,
    boards: &Boards,
    tasks: &mut JoinSet<()>,
) -> Result<Option<Apart>, RunError> {
    let originals = boards.originals();
    let Some(root) = config.copy() else {
        // What was wrong with copies that are not wanted any more is of no concern.
        originals.iter().for_each(|it| it.status.send_modify(|status| status.copy = None));
        return Ok(None);
    };
    let started = copy::start(root, &config.state_dir, originals);
    let (thread, look) = started.map_err(RunError::Threads)?;
    tasks.spawn(look);
    Ok(Some(thread))
}

/// How many files this process may have open, once it has asked for all that it may ask for.
fn n_files() -> u64 {
    let limit = getrlimit(Resource::Nofile);
    let all = Rlimit { current: limit.maximum, maximum: limit.maximum };
    let granted = if setrlimit(Resource::Nofile, all).is_ok() { all } else { limit };
    granted.current.unwrap_or(u64::MAX)
}

/// The names under which the pages may be asked for: those that are set, and this machine's.
pub(super) fn names(set: &[String]) -> Vec<String> {
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

/// Tells the service manager in one line how things stand, whenever that has changed.
async fn tell_manager(feeds: Vec<Feed>) {
    let mut beat = interval(TELLING);
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
