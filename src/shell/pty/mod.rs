//! A simulated board and its clock behind a real pseudo-terminal, for those who have no board.
//!
//! A host cannot tell it from a board on a cable, except that it says what it is: it is asleep
//! until it is woken, answers at the pace of its line, sees pieces moved by a script, and can be
//! unplugged. The wood and the clock go on whether anybody listens or not.

mod bridge;
mod pace;
mod pair;

pub use super::now::Speed;
pub use bridge::{PtyBridge, PtyBridgeActor, PtyBridgeStub};
pub use pair::{Pty, PtyError};

use super::now::Now;
use crate::sim::script::Happening;
use crate::sim::{BoardSim, Table};
use crate::time::Mono;
use pace::Pace;
use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;
use tokio::io::unix::AsyncFd;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::sleep_until;
use tracing::{debug, info, warn};

/// Orders that may wait for the board; whoever gives more waits.
const ORDERS_MAX: usize = 8;
/// The most that is taken from a host at once.
const READ_MAX: usize = 1_024;

/// What can be done to a simulated board.
#[derive(Debug)]
enum Order {
    Play(Vec<(Mono, Happening)>, Speed, oneshot::Sender<()>),
    Unplug(oneshot::Sender<()>),
    Plug(oneshot::Sender<Result<(), PtyError>>),
}

/// A simulated board behind a pseudo-terminal: where it begins.
#[derive(Debug)]
pub struct PtyBoard;

impl PtyBoard {
    /// Plugs in the board of `table`. With a `link` the host's end has that name as often as the
    /// board is plugged in. The table's time begins now; nothing answers until the actor runs.
    ///
    /// Must be called inside a runtime.
    ///
    /// # Errors
    /// The table has no board with a line, or there is no pseudo-terminal or no link.
    pub fn open(
        table: Table,
        link: Option<PathBuf>,
    ) -> Result<(PtyBoardStub, PtyBoardActor), PtyError> {
        if table.board().is_none() {
            return Err(PtyError::NoLine);
        }
        let pty = Pty::open(link.clone())?;
        let (path_tx, path_rx) = watch::channel(pty.path().to_owned());
        let (orders_tx, orders_rx) = mpsc::channel(ORDERS_MAX);
        let (played_tx, played_rx) = watch::channel(true);
        let (awake_tx, awake_rx) = watch::channel(false);
        let actor = PtyBoardActor {
            table,
            pace: Pace::start(Now::start()),
            script: VecDeque::new(),
            plugged: Some(register(pty)?),
            link,
            path: path_tx,
            orders: orders_rx,
            has_played: played_tx,
            is_awake: awake_tx,
            beside: None,
        };
        let stub = PtyBoardStub {
            path: path_rx,
            orders: orders_tx,
            has_played: played_rx,
            is_awake: awake_rx,
        };
        Ok((stub, actor))
    }
}

/// Hands and cable of a simulated board. Once all its copies are dropped the board is put away.
#[derive(Clone, Debug)]
pub struct PtyBoardStub {
    path: watch::Receiver<PathBuf>,
    orders: mpsc::Sender<Order>,
    has_played: watch::Receiver<bool>,
    is_awake: watch::Receiver<bool>,
}

impl PtyBoardStub {
    /// What a host opens. Without a link it changes whenever the board is plugged in.
    pub fn path(&self) -> PathBuf {
        self.path.borrow().clone()
    }

    /// Lets hands do what `script` says, its times counted from now. All that is on the table,
    /// its clock and its line as well, is as fast as `speed` says until the script ends; then the
    /// board keeps serving. A script that is still being played gives way. Returns once the hands
    /// have begun.
    ///
    /// # Errors
    /// The board has been put away.
    pub async fn play(&self, script: Vec<(Mono, Happening)>, speed: Speed) -> Result<(), PtyError> {
        let (begun_tx, begun_rx) = oneshot::channel();
        self.order(Order::Play(script, speed, begun_tx)).await?;
        begun_rx.await.map_err(|_| PtyError::Ended)
    }

    /// Waits until a host has woken the board, so that it hears of every change.
    ///
    /// # Errors
    /// The board has been put away.
    pub async fn woken(&mut self) -> Result<(), PtyError> {
        self.is_awake.wait_for(|is| *is).await.map_err(|_| PtyError::Ended)?;
        Ok(())
    }

    /// Waits until the script has been played.
    ///
    /// # Errors
    /// The board has been put away.
    pub async fn played(&mut self) -> Result<(), PtyError> {
        self.has_played.wait_for(|has| *has).await.map_err(|_| PtyError::Ended)?;
        Ok(())
    }

    /// Pulls the cable: the host's end vanishes, with all that was under way.
    ///
    /// # Errors
    /// The board has been put away.
    pub async fn unplug(&self) -> Result<(), PtyError> {
        let (done_tx, done_rx) = oneshot::channel();
        self.order(Order::Unplug(done_tx)).await?;
        done_rx.await.map_err(|_| PtyError::Ended)
    }

    /// Plugs it in again: a board that gets its power from the cable, so it has forgotten its
    /// mode.
    ///
    /// # Errors
    /// The board has been put away, or there is no pseudo-terminal or no link.
    pub async fn plug(&self) -> Result<(), PtyError> {
        let (done_tx, done_rx) = oneshot::channel();
        self.order(Order::Plug(done_tx)).await?;
        done_rx.await.map_err(|_| PtyError::Ended)?
    }

    async fn order(&self, order: Order) -> Result<(), PtyError> {
        self.orders.send(order).await.map_err(|_| PtyError::Ended)
    }
}

/// The simulated board itself.
#[derive(Debug)]
pub struct PtyBoardActor {
    table: Table,
    pace: Pace,
    /// What is yet to happen, in the table's time.
    script: VecDeque<(Mono, Happening)>,
    plugged: Option<AsyncFd<Pty>>,
    link: Option<PathBuf>,
    path: watch::Sender<PathBuf>,
    orders: mpsc::Receiver<Order>,
    has_played: watch::Sender<bool>,
    is_awake: watch::Sender<bool>,
    /// Where hands go that reach for a clock beside the table.
    beside: Option<mpsc::UnboundedSender<Happening>>,
}

impl PtyBoardActor {
    /// The clock is not on the table: what hands do to it is told to `beside`.
    pub fn with_clock_beside(mut self, beside: mpsc::UnboundedSender<Happening>) -> Self {
        self.beside = Some(beside);
        self
    }

    /// The table stands in a world whose time this is. Its own begins anew.
    pub fn in_time_of(mut self, now: Now) -> Self {
        self.pace = Pace::start(now);
        self
    }

    /// Serves until all stubs are dropped.
    pub async fn run(mut self) {
        info!(path = %self.path.borrow().display(), "simulated board plugged in");
        let mut buf = [0; READ_MAX];
        loop {
            let next = [self.table.next_at(), self.script.front().map(|(at, _)| *at)];
            let next = next.into_iter().flatten().min();
            let wake = self.pace.instant(next.unwrap_or_default());
            tokio::select! {
                order = self.orders.recv() => match order {
                    Some(order) => self.obey(order),
                    None => break,
                },
                n = read(self.plugged.as_ref(), &mut buf) => match n {
                    Ok(n) => {
                        let now = self.pace.now();
                        self.board().host_bytes(now, &buf[..n]);
                    }
                    Err(e) => {
                        warn!(error = %e, "the simulated board lost its cable");
                        self.plugged = None;
                    }
                },
                () = sleep_until(wake), if next.is_some() => {}
            }
            self.pass();
        }
        debug!("simulated board put away");
    }

    /// The board on the table.
    fn board(&mut self) -> &mut BoardSim {
        self.table.board_mut().expect("a table with a line")
    }

    /// Everything that was due happens, each at its own time, and is sent.
    fn pass(&mut self) {
        let now = self.pace.now();
        let mut bytes = Vec::new();
        loop {
            let acts_at = self.script.front().map(|(at, _)| *at).filter(|at| *at <= now);
            let ticks_at = self.table.next_at().filter(|at| *at <= now);
            match (acts_at, ticks_at) {
                (Some(acts_at), ticks_at) if ticks_at.is_none_or(|at| acts_at <= at) => {
                    let (at, what) = self.script.pop_front().expect("a happening was peeked");
                    self.table.happen(at, &what);
                    if let Some(beside) = &self.beside {
                        // Nobody there, nobody to press.
                        beside.send(what).ok();
                    }
                }
                (_, Some(at)) => {
                    self.table.tick(at);
                    self.board().take(at, &mut bytes);
                }
                (_, None) => break,
            }
        }
        let is_awake = self.board().mode().sends_fields();
        self.is_awake.send_if_modified(|was| std::mem::replace(was, is_awake) != is_awake);
        if self.script.is_empty() && !*self.has_played.borrow() {
            self.pace.set(Speed::REAL);
            self.has_played.send_replace(true);
        }
        if let Some(pty) = &self.plugged
            && let Err(e) = pty.get_ref().write(&bytes)
        {
            debug!(error = %e, "nobody hears the simulated board");
        }
    }

    fn obey(&mut self, order: Order) {
        match order {
            Order::Play(script, speed, begun) => {
                let now = self.pace.now();
                self.pace.set(speed);
                self.table.begin(now);
                let later = |(at, what): (Mono, Happening)| (now + at.since(Mono::default()), what);
                self.script = script.into_iter().map(later).collect();
                self.has_played.send_replace(false);
                // Who asked may have stopped waiting.
                begun.send(()).ok();
            }
            Order::Unplug(done) => {
                self.plugged = None;
                // Who asked may have stopped waiting.
                done.send(()).ok();
            }
            Order::Plug(done) => {
                let plugged = self.plug();
                done.send(plugged).ok();
            }
        }
    }

    fn plug(&mut self) -> Result<(), PtyError> {
        // First out, so that the link of the old cable is not taken for that of the new.
        self.plugged = None;
        let pty = Pty::open(self.link.clone())?;
        self.path.send_replace(pty.path().to_owned());
        self.plugged = Some(register(pty)?);
        let now = self.pace.now();
        self.board().power_cycle(now);
        Ok(())
    }
}

/// Lets the runtime watch over the board's end.
#[expect(deprecated, reason = "its successor is unsafe; a `Pty` keeps its one descriptor for life")]
fn register(pty: Pty) -> Result<AsyncFd<Pty>, PtyError> {
    AsyncFd::new(pty).map_err(PtyError::Open)
}

/// Takes what a host sends; without a cable nothing ever comes.
async fn read(plugged: Option<&AsyncFd<Pty>>, buf: &mut [u8]) -> io::Result<usize> {
    let Some(pty) = plugged else { return std::future::pending().await };
    loop {
        let mut ready = pty.readable().await?;
        if let Ok(n) = ready.try_io(|pty| pty.get_ref().read(buf)) {
            return n;
        }
    }
}
