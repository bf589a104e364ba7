//! The daemon: all boards, the pages, the watchdog, and an orderly end.

use super::board::{Board, Handle};
use super::config::Config;
use super::disk::Disk;
use super::http::{self, HttpError};
use super::now::Now;
use super::orders::{Asked, OrdersActor};
use super::own_clock::OwnClockStub;
use super::publish::Echo;
use super::record::RecordError;
use std::collections::BTreeMap;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tracing::{info, warn};

/// How long the boards have to write what is left after the first request to stop.
const GRACE: Duration = Duration::from_secs(2);

/// Why the daemon could not start, or stopped.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A board's record cannot be used.
    #[error("board {board:?}")]
    Record {
        /// The board's name.
        board: String,
        /// Why.
        #[source]
        source: RecordError,
    },
    /// The pages' address cannot be had.
    #[error("cannot serve pages at {address}; set another address, or enabled = false, in [http]")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The pages.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// The system gives no threads.
    #[error("cannot start the threads that write to the disk")]
    Threads(#[source] io::Error),
    /// The system gives no signals.
    #[error("cannot wait for signals")]
    Signals(#[source] io::Error),
}

/// Clocks of our own, by the name of their board.
pub type Clocks = BTreeMap<String, OwnClockStub>;

/// Runs every board of `config`, each with its clock of `clocks`, until SIGTERM, SIGINT or `stop`.
/// All count the time as `now` does. `ready` is told the pages' address once everything runs.
///
/// # Errors
/// A journal that cannot be used, an address that cannot be had. Boards that are not there are
/// waited for.
pub async fn run(
    config: &Config,
    now: Now,
    mut clocks: Clocks,
    echo: Echo,
    stop: impl Future<Output = ()>,
    ready: impl FnOnce(Option<SocketAddr>),
) -> Result<(), RunError> {
    let (stopping, stops) = watch::channel(false);
    let (ping, pings) = watch::channel(0_u64);
    let mut tasks = JoinSet::new();
    let mut boards = JoinSet::new();
    let mut feeds = Vec::new();
    let mut to_boards = Vec::new();
    let mut alive = Vec::new();
    let disk = Disk::start().map_err(RunError::Threads)?;
    for settings in &config.boards {
        let folder = config.folder(settings);
        let clock = clocks.remove(&settings.name);
        let (board, handle) = Board::open(settings, folder, clock, echo, &disk, now)
            .map_err(|source| RunError::Record { board: settings.name.clone(), source })?;
        let Handle { feed, alive: answers, orders } = handle;
        to_boards.push((settings.name.clone(), orders));
        feeds.push(feed);
        alive.push(answers);
        boards.spawn(board.run(stops.clone(), pings.clone()));
    }
    let mut address = None;
    if config.http.enabled {
        let listen = config.http.listen;
        let refused = |source| RunError::Listen { address: listen, source };
        let listener = TcpListener::bind(listen).await.map_err(refused)?;
        address = listener.local_addr().ok();
        let mut stops = stops.clone();
        tasks.spawn(async move {
            let stop = async move { drop(stops.wait_for(|stop| *stop).await) };
            if let Err(error) = http::serve(listener, feeds, stop).await {
                warn!(%error, "the pages are gone; recording goes on");
            }
        });
    }
    if config.orders.enabled {
        take_orders(config, to_boards, &mut tasks);
    }
    tasks.spawn(watchdog(ping, alive));
    notify(&[sd_notify::NotifyState::Ready]);
    ready(address);
    let ended = wait_for_end(stop, &mut boards).await;
    notify(&[sd_notify::NotifyState::Stopping]);
    stopping.send_replace(true);
    if timeout(GRACE, boards.join_all()).await.is_err() {
        warn!("the boards did not end in time");
    }
    tasks.shutdown().await;
    ended
}

/// Lets people give orders. Where that cannot be, the games are recorded all the same.
fn take_orders(
    config: &Config,
    boards: Vec<(String, mpsc::Sender<Asked>)>,
    tasks: &mut JoinSet<()>,
) {
    match OrdersActor::open(config.orders_from(), boards) {
        Ok(actor) => {
            info!(path = %actor.path().display(), "orders are taken");
            tasks.spawn(actor.run());
        }
        Err(error) => {
            let why = std::error::Error::source(&error).map(ToString::to_string);
            warn!(%error, why, "NO ORDERS CAN BE GIVEN; recording goes on");
        }
    }
}

/// Waits for a reason to stop: a signal, the caller's wish, or a board that ended by itself.
async fn wait_for_end(
    stop: impl Future<Output = ()>,
    boards: &mut JoinSet<()>,
) -> Result<(), RunError> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate()).map_err(RunError::Signals)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(RunError::Signals)?;
    tokio::select! {
        () = stop => {}
        _ = terminate.recv() => info!("asked to stop"),
        _ = interrupt.recv() => info!("interrupted"),
        Some(ended) = boards.join_next() => {
            // A panic must end the process: systemd starts it anew, the journal restores the game.
            if let Err(error) = ended && error.is_panic() {
                std::panic::resume_unwind(error.into_panic());
            }
        }
    }
    Ok(())
}

/// Feeds the system's watchdog as long as every board's loop, journal and publisher pass a ping on.
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

fn notify(states: &[sd_notify::NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(states) {
        warn!(%error, "the service manager cannot be told");
    }
}
