//! The line to one board: moves its bytes, and nothing else.
//!
//! Cables beside chess boards are kicked and pulled, and come back under another device. So a line
//! is never given up: it goes from absent over opening to up, is lost by any failure at all, and
//! is opened again by its path, ever less often up to a limit. What the bytes mean, and whether
//! the far end is a board, is for the core, which may ask for the line to be opened anew.
//!
//! Bytes are stamped when they are read. The task that hears them must not wait for a disk:
//! while its queue is full nothing is read, and what is read late is stamped late.

mod bluez;
mod error;
mod hid;
mod peer;
mod port;
mod radio;
mod stream;

pub(in crate::shell) use bluez::{look, near};
pub use error::{LineError, Operation, RadioTrouble};
pub use peer::{RadioPeer, RadioPort};
pub(in crate::shell) use port::hid_ports;
pub use port::{Port, SerialLine, board_ports};

use crate::shell::backoff::Backoff;
use crate::shell::heard::Heard;
use crate::shell::now::Now;
use port::Cursor;
use radio::RadioStream;
use std::convert::Infallible;
use std::io;
use std::path::{Path, PathBuf};
use std::task::{Context, Poll};
use std::time::Duration;
use stream::LineStream;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep, sleep_until};
use tracing::{debug, info, trace, warn};

/// Events that may wait for the core. A board sends some ten messages in a second at most.
const HEARD_MAX: usize = 256;
/// Commands that may wait for the line. The core leaves 100 ms between two.
const SENDS_MAX: usize = 32;
/// The most that is read at once: more than a board sends in a second at 9600 baud.
const READ_MAX: usize = 1_024;
/// A line that takes not one byte for this long is lost. A byte takes a millisecond.
const WRITE_WAIT: Duration = Duration::from_secs(1);
/// The same of a radio, which says things again that got lost.
const RADIO_WRITE_WAIT: Duration = Duration::from_secs(5);
/// How long to wait before the line is opened again; from the beginning once it has spoken. A board
/// that comes back during play is wanted within two seconds.
pub(super) const BACKOFF: Backoff =
    Backoff::new(Duration::from_millis(50), Duration::from_millis(500));
/// The same for a board on Bluetooth LE: to look for it disturbs the others.
const RADIO_BACKOFF: Backoff = Backoff::new(Duration::from_millis(200), Duration::from_secs(5));
/// How long the last bytes get to leave before the line is closed for good.
const LEAVE_WAIT: Duration = Duration::from_millis(500);
/// How often it is looked whether they have left.
const LEAVE_STEP: Duration = Duration::from_millis(5);

/// What a line may say.
#[derive(Debug)]
pub enum LineNews {
    /// The line is open. Whether a board is at its end is not known.
    Up,
    /// The line is down. Also said, once for each reason, of a line that cannot be opened.
    Down {
        /// The reason.
        why: LineError,
    },
    /// Bytes, at least one, in their order.
    Bytes(Vec<u8>),
}

/// What is wished of a line beside bytes. Never queues, so it is never lost.
#[derive(Copy, Clone, Debug, Default)]
struct Wishes {
    n_reopens: u64,
    is_closed: bool,
}

/// The core's end of a line. Dropping it closes the line at once.
#[derive(Debug)]
pub struct LineStub {
    heard: mpsc::Receiver<Heard<LineNews>>,
    sends: mpsc::Sender<Vec<u8>>,
    wishes: watch::Sender<Wishes>,
}

impl LineStub {
    /// The next thing the line has to say; `None` once it is closed. Safe to cancel.
    pub async fn heard(&mut self) -> Option<Heard<LineNews>> {
        self.heard.recv().await
    }

    /// How much has come and not been heard yet.
    pub fn n_waiting(&self) -> usize {
        self.heard.len()
    }

    /// Polls for the next thing the line has to say, as [`Self::heard`] waits for it.
    pub(super) fn poll_heard(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Heard<LineNews>>> {
        self.heard.poll_recv(context)
    }

    /// Sends bytes, without waiting. What is sent to a line that is down, or that takes nothing,
    /// is forgotten: the core asks again whatever is not answered.
    pub fn send(&self, bytes: Vec<u8>) {
        if let Err(e) = self.sends.try_send(bytes) {
            warn!(reason = %e, "bytes for the board were dropped");
        }
    }

    /// Closes the line and opens it again; in a search the next candidate is due. Does nothing to
    /// a line that is down.
    pub fn reopen(&self) {
        self.wishes.send_modify(|wishes| wishes.n_reopens += 1);
    }

    /// Lets what was sent leave, then closes the line for good. The actor ends.
    pub fn close(&self) {
        self.wishes.send_modify(|wishes| wishes.is_closed = true);
    }
}

/// The end of a serial line that reads and writes it.
#[derive(Debug)]
pub struct LineActor {
    line: SerialLine,
    now: Now,
    heard: mpsc::Sender<Heard<LineNews>>,
    sends: mpsc::Receiver<Vec<u8>>,
    wishes: watch::Receiver<Wishes>,
    cursor: Cursor,
    backoff: Backoff,
    /// The sentence said last, so that it is not said every two seconds.
    said: Option<String>,
}

/// The two ends of a line. Nothing happens until the actor runs.
pub fn channel(settings: SerialLine, now: Now) -> (LineStub, LineActor) {
    let (heard_tx, heard_rx) = mpsc::channel(HEARD_MAX);
    let (sends_tx, sends_rx) = mpsc::channel(SENDS_MAX);
    let (wishes_tx, wishes_rx) = watch::channel(Wishes::default());
    let stub = LineStub { heard: heard_rx, sends: sends_tx, wishes: wishes_tx };
    let is_radio = matches!(settings.port, Port::Radio(_));
    let actor = LineActor {
        line: settings,
        now,
        heard: heard_tx,
        sends: sends_rx,
        wishes: wishes_rx,
        cursor: Cursor::default(),
        backoff: if is_radio { RADIO_BACKOFF } else { BACKOFF },
        said: None,
    };
    (stub, actor)
}

/// The line is closed for good, or nobody listens any more.
struct Hangup;

/// A port that is open.
struct Opened {
    path: PathBuf,
    stream: LineStream,
    /// All bytes have left, as far as the system knows.
    is_empty: bool,
}

impl Drop for Opened {
    fn drop(&mut self) {
        if !self.is_empty {
            // A close would wait for bytes that nobody takes. If this fails the port is gone.
            self.stream.forget_unsent();
        }
    }
}

impl LineActor {
    /// Keeps the line up until it is closed.
    pub async fn run(mut self) {
        debug!(line = ?self.line, "line started");
        let Err(Hangup) = self.live().await;
        debug!(line = ?self.line, "line closed");
    }

    async fn live(&mut self) -> Result<Infallible, Hangup> {
        loop {
            let mut wishes = self.wishes.clone();
            let opened = tokio::select! {
                opened = self.open() => opened,
                // An error says that the stub is gone, which closes the line as well.
                _ = wishes.wait_for(|wishes| wishes.is_closed) => return Err(Hangup),
            };
            let why = match opened {
                Ok(mut opened) => {
                    let why = self.serve(&mut opened).await?;
                    if matches!(why, LineError::Reopened { .. } | LineError::Stuck { .. }) {
                        // Best effort.
                        tokio::time::timeout(LEAVE_WAIT, opened.stream.part()).await.ok();
                    }
                    why
                }
                Err(why) => why,
            };
            self.say_down(why).await?;
            self.rest().await?;
        }
    }

    /// A thread does it: setting up a device takes it as long as it likes, and other lines are
    /// read meanwhile.
    async fn open(&mut self) -> Result<Opened, LineError> {
        if let Port::Radio(radio) = &self.line.port {
            let path = radio.path();
            return match RadioStream::open(radio).await {
                Ok(stream) => {
                    Ok(Opened { path, stream: LineStream::Radio(stream.into()), is_empty: false })
                }
                Err(why) => Err(LineError::Radio { path, why }),
            };
        }
        let (line, cursor) = (self.line.clone(), self.cursor.clone());
        let opening = tokio::task::spawn_blocking(move || port::open(&line, &cursor));
        let (path, port) = opening.await.expect("opening a port does not panic")?;
        self.cursor = Cursor { last: Some(path.clone()), is_passed: false };
        match LineStream::new(port) {
            Ok(stream) => Ok(Opened { path, stream, is_empty: false }),
            Err(e) => Err(LineError::of(path, Operation::Opening, e)),
        }
    }

    /// Moves bytes until the line is lost.
    async fn serve(&mut self, opened: &mut Opened) -> Result<LineError, Hangup> {
        // What was meant for the line as it was before is of no concern to this one.
        while self.sends.try_recv().is_ok() {}
        let n_reopens = self.wishes.borrow_and_update().n_reopens;
        info!(path = %opened.path.display(), "line up");
        self.said = None;
        self.say(LineNews::Up).await?;

        let path = opened.path.clone();
        let (mut from_board, mut to_board) = tokio::io::split(&mut opened.stream);
        let mut buf = vec![0; READ_MAX];
        let wait = match self.line.port {
            Port::Radio(_) => RADIO_WRITE_WAIT,
            _ => WRITE_WAIT,
        };
        let mut sending = Sending::new(Vec::new(), wait);
        loop {
            let wishes = *self.wishes.borrow();
            if wishes.is_closed {
                return self.leave(opened, sending).await;
            }
            if wishes.n_reopens != n_reopens {
                self.cursor.is_passed = true;
                return Ok(LineError::Reopened(path));
            }
            tokio::select! {
                // Nothing is read that could not be handed on at once.
                (permit, n) = async {
                    (self.heard.reserve().await, from_board.read(&mut buf).await)
                } => {
                    let permit = permit.map_err(|_| Hangup)?;
                    let at = self.now.stamp();
                    match n {
                        Ok(0) => return Ok(LineError::Cut { path, operation: Operation::Reading }),
                        Ok(n) => {
                            trace!(path = %path.display(), bytes = ?&buf[..n], "read");
                            self.backoff.reset();
                            permit.send(Heard { at, what: LineNews::Bytes(buf[..n].to_vec()) });
                        }
                        Err(e) => return Ok(LineError::of(path, Operation::Reading, e)),
                    }
                }
                n = to_board.write(&sending.bytes), if !sending.is_over() => {
                    if let Err(why) = sending.advance(&path, n) {
                        return Ok(why);
                    }
                }
                () = sleep_until(sending.until), if !sending.is_over() => {
                    return Ok(LineError::Stuck(path));
                }
                bytes = self.sends.recv(), if sending.is_over() => {
                    sending = Sending::new(bytes.ok_or(Hangup)?, wait);
                }
                changed = self.wishes.changed() => changed.map_err(|_| Hangup)?,
            }
        }
    }

    /// Sends what is left to send, as far as the line takes it.
    async fn leave(&mut self, opened: &mut Opened, sending: Sending) -> Result<LineError, Hangup> {
        let mut bytes = sending.bytes;
        while let Ok(more) = self.sends.try_recv() {
            bytes.extend(more);
        }
        let leaving = async {
            opened.stream.write_all(&bytes).await?;
            while opened.stream.n_unsent()? > 0 {
                sleep(LEAVE_STEP).await;
            }
            opened.stream.part().await;
            io::Result::Ok(())
        };
        opened.is_empty = matches!(tokio::time::timeout(LEAVE_WAIT, leaving).await, Ok(Ok(())));
        if !opened.is_empty {
            debug!(path = %opened.path.display(), "the last bytes did not leave");
        }
        Err(Hangup)
    }

    /// Waits before the next attempt; to be closed ends it.
    async fn rest(&mut self) -> Result<(), Hangup> {
        let wait = self.backoff.wait();
        let until_closed = async {
            // An error says that the stub is gone, which closes the line as well.
            self.wishes.wait_for(|wishes| wishes.is_closed).await.is_ok()
        };
        match tokio::time::timeout(wait, until_closed).await {
            Ok(_) => Err(Hangup),
            Err(_) => Ok(()),
        }
    }

    async fn say_down(&mut self, why: LineError) -> Result<(), Hangup> {
        let sentence = why.to_string();
        if self.said.as_ref() == Some(&sentence) {
            return Ok(());
        }
        // Whoever hears of it says so, and knows whose line it is.
        debug!(reason = %sentence, "line down");
        self.said = Some(sentence);
        self.say(LineNews::Down { why }).await
    }

    async fn say(&self, what: LineNews) -> Result<(), Hangup> {
        let at = self.now.stamp();
        self.heard.send(Heard { at, what }).await.map_err(|_| Hangup)
    }
}

/// Bytes on their way out.
struct Sending {
    bytes: Vec<u8>,
    /// With not one byte taken for so long the line counts as stuck.
    wait: Duration,
    /// The line counts as stuck from then on.
    until: Instant,
}

impl Sending {
    fn new(bytes: Vec<u8>, wait: Duration) -> Self {
        Self { bytes, wait, until: Instant::now() + wait }
    }

    fn is_over(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Some bytes, or none, were taken.
    fn advance(&mut self, path: &Path, n: io::Result<usize>) -> Result<(), LineError> {
        match n {
            Ok(0) => Err(LineError::Cut { path: path.to_owned(), operation: Operation::Writing }),
            Ok(n) => {
                trace!(path = %path.display(), bytes = ?&self.bytes[..n], "written");
                self.bytes.drain(..n);
                self.until = Instant::now() + self.wait;
                Ok(())
            }
            Err(e) => Err(LineError::of(path.to_owned(), Operation::Writing, e)),
        }
    }
}
