//! The daemon: all boards, the pages, the watchdog, and an orderly end.
//!
//! The boards share one thread and its event loop; pages and orders have threads of their own, with
//! nothing but channels between. Whatever fails at one board, at the pages or at the orders is said
//! and tried again, and recording goes on.

use super::boards::Boards;
use super::clock::own::OwnClockStub;
use super::config::Config;
use super::now::Now;
use super::publish::Echo;
use super::reload::{self, Changes};
use super::services::{self, Services};
use std::collections::BTreeMap;
use std::future::Future;
use std::io::{self, IsTerminal as _};
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tracing::{info, warn};

/// How often the loop that records shows that it runs.
const PULSE: Duration = Duration::from_millis(500);

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
    pub(super) const fn echo(self) -> Echo {
        match self {
            Self::Service => Echo::Tracing,
            Self::Demo => Echo::Stdout,
        }
    }
}

/// Clocks of our own, by the name of their board.
pub type OwnClocks = BTreeMap<String, OwnClockStub>;

/// Runs every board of `config`, each with its clock of `clocks`, until SIGTERM, SIGINT or `stop`.
/// All count the time as `now` does. A hangup has the settings read anew. `ready` is told the
/// pages' address, if it could be had, once everything runs.
///
/// # Errors
/// All journals are another daemon's. A demonstration also ends without its page or its record.
pub async fn run(
    config: &Config,
    now: Now,
    clocks: OwnClocks,
    manner: RunMode,
    stop: impl Future<Output = ()>,
    ready: impl FnOnce(Option<SocketAddr>),
) -> Result<(), RunError> {
    let mut signals = Signals::listen().map_err(RunError::Signals)?;
    let ((ping, pings), (pulse, pulses)) = (watch::channel(0_u64), watch::channel(Instant::now()));
    let (answers, answering) = watch::channel(Vec::new());
    let mut tasks = JoinSet::new();
    tasks.spawn(watchdog(ping, answering));
    tasks.spawn(beat(pulse));
    let mut config = config.clone();
    let mut boards = Boards::start((manner, now, clocks), pings, answers)?;
    boards.become_those_of(&config, &Changes::default()).await;
    boards.refused()?;
    let mut services = Services::start(&config, &boards, (manner, now), pulses.clone())?;
    notify(&[sd_notify::NotifyState::Ready]);
    ready(services.pages);
    let mut stop = pin!(stop);
    loop {
        tokio::select! {
            () = &mut stop => break,
            _ = signals.terminate.recv() => {
                info!("asked to stop");
                break;
            }
            _ = signals.interrupt.recv() => {
                info!("interrupted");
                break;
            }
            () = boards.failed() => {}
            () = hung_up(&mut signals.hangup) => {
                let Some((new, changes)) = reload::read_anew(&config) else { continue };
                config = new;
                if changes.are_for_boards_alone() {
                    boards.renew(&config, &changes);
                    continue;
                }
                boards.become_those_of(&config, &changes).await;
                services.end().await;
                services = Services::start(&config, &boards, (manner, now), pulses.clone())?;
            }
        }
    }
    notify(&[sd_notify::NotifyState::Stopping]);
    services.close();
    boards.end(services::GRACE).await;
    services.ended().await;
    tasks.shutdown().await;
    Ok(())
}

/// The signals that are heard: those that ask for an orderly end, which until they are listened to
/// are the end, and the hangup. Where a terminal is, that says that it is gone, and stays the end.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Option<Signal>,
}

impl Signals {
    fn listen() -> io::Result<Self> {
        let has_terminal = io::stdin().is_terminal();
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: if has_terminal { None } else { Some(signal(SignalKind::hangup())?) },
        })
    }
}

/// Waits for a hangup, where that is no end.
async fn hung_up(hangup: &mut Option<Signal>) {
    match hangup {
        // An error cannot be: the stream of a signal has no end.
        Some(hangup) => drop(hangup.recv().await),
        None => std::future::pending().await,
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
async fn watchdog(ping: watch::Sender<u64>, alive: watch::Receiver<Vec<watch::Receiver<u64>>>) {
    let Some(limit) = sd_notify::watchdog_enabled() else {
        return;
    };
    let mut beat = tokio::time::interval(limit / 3);
    loop {
        beat.tick().await;
        let n = *ping.borrow();
        if alive.borrow().iter().all(|answers| *answers.borrow() >= n) {
            notify(&[sd_notify::NotifyState::Watchdog]);
            ping.send_modify(|n| *n += 1);
        }
    }
}

/// Tells the service manager.
pub(super) fn notify(states: &[sd_notify::NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(states) {
        warn!(%error, "the service manager cannot be notified");
    }
}
