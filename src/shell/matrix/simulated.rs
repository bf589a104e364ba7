//! A simulated board of switches and what reads them, whose bus is a socket: for those who have no
//! board and no Pi. What goes over the socket stands in `remote.rs`.

use super::remote::bytes;
use crate::shell::config::{Matrix, SwitchReader};
use crate::shell::now::{Now, Speed};
use crate::shell::pty::{ActsToDo, TableTime};
use crate::sim::script::{Happening, Header};
use crate::sim::{ExpandersSim, HallsSim, ReaderSim, RegistersSim, RowsSim, Switches};
use crate::table::Reading;
use crate::time::Mono;
use shakmaty::{Board, Square};
use std::collections::{BTreeSet, VecDeque};
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::sleep_until;
use tracing::{debug, info};

/// The pin of a simulated board's interrupt lines.
pub const INTERRUPT: u8 = 21;
/// How fast the I2C bus of one is, in kHz.
const KHZ: u32 = 400;
/// A line of a host is shorter.
const LINE_MAX: usize = 256;
/// Chance in a board: bounces, noise.
const SEED: u64 = 1;

/// Why there is no simulated board.
#[derive(Debug, thiserror::Error)]
pub enum SimulatedError {
    /// Its socket cannot be had.
    #[error("{}: cannot make a socket there", path.display())]
    Socket {
        /// The path of the socket.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: io::Error,
    },
    /// It has been put away.
    #[error("the simulated board was removed")]
    Ended,
}

/// What is done to the board.
#[derive(Debug)]
enum SimulatedOrder {
    Play(Vec<(Mono, Happening)>, Speed, oneshot::Sender<()>),
    Power(bool),
    Hold(bool),
    Button(u8, bool),
}

/// Hands and supply of a simulated board. Once all its copies are dropped it is put away.
#[derive(Clone, Debug)]
pub struct SimulatedStub {
    orders: mpsc::UnboundedSender<SimulatedOrder>,
    is_scanned: watch::Receiver<bool>,
    has_played: watch::Receiver<bool>,
}

impl SimulatedStub {
    /// Lets hands do what `script` says, its times counted from now, so fast. A script that is
    /// still being played gives way. Returns once the hands have begun.
    ///
    /// # Errors
    /// The board has been put away.
    pub async fn play(
        &self,
        script: Vec<(Mono, Happening)>,
        speed: Speed,
    ) -> Result<(), SimulatedError> {
        let (begun_tx, begun_rx) = oneshot::channel();
        let order = SimulatedOrder::Play(script, speed, begun_tx);
        self.orders.send(order).map_err(|_| SimulatedError::Ended)?;
        begun_rx.await.map_err(|_| SimulatedError::Ended)
    }

    /// Takes the chips their supply, or gives it back.
    ///
    /// # Errors
    /// The board has been put away.
    pub fn power(&self, is_on: bool) -> Result<(), SimulatedError> {
        self.orders.send(SimulatedOrder::Power(is_on)).map_err(|_| SimulatedError::Ended)
    }

    /// A line of the bus is held low, so that nothing moves on it; or let go.
    ///
    /// # Errors
    /// The board has been put away.
    pub fn hold(&self, is_held: bool) -> Result<(), SimulatedError> {
        self.orders.send(SimulatedOrder::Hold(is_held)).map_err(|_| SimulatedError::Ended)
    }

    /// Somebody presses a button that pulls a pin of the host low, or lets it go.
    ///
    /// # Errors
    /// The board has been put away.
    pub fn button(&self, pin: u8, is_down: bool) -> Result<(), SimulatedError> {
        self.orders.send(SimulatedOrder::Button(pin, is_down)).map_err(|_| SimulatedError::Ended)
    }

    /// Waits until a host scans the board.
    ///
    /// # Errors
    /// The board has been put away.
    pub async fn scanned(&mut self) -> Result<(), SimulatedError> {
        self.is_scanned.wait_for(|is| *is).await.map(drop).map_err(|_| SimulatedError::Ended)
    }

    /// Waits until the script has been played.
    ///
    /// # Errors
    /// The board has been put away.
    pub async fn played(&mut self) -> Result<(), SimulatedError> {
        self.has_played.wait_for(|has| *has).await.map(drop).map_err(|_| SimulatedError::Ended)
    }
}

/// The simulated board itself.
#[derive(Debug)]
pub struct SimulatedActor {
    chips: Box<dyn ReaderSim>,
    /// How fast the bus is, in kHz.
    khz: u32,
    /// Nothing moves on the bus.
    is_held: bool,
    /// The pins that buttons pull low.
    down: BTreeSet<u8>,
    pace: TableTime,
    script: ActsToDo<Happening>,
    listener: UnixListener,
    path: PathBuf,
    orders: mpsc::UnboundedReceiver<SimulatedOrder>,
    is_scanned: watch::Sender<bool>,
    has_played: watch::Sender<bool>,
    /// Where hands go that reach for a clock beside the board.
    beside: Option<mpsc::UnboundedSender<Happening>>,
}

impl Drop for SimulatedActor {
    fn drop(&mut self) {
        // Who has taken it away has done our work.
        std::fs::remove_file(&self.path).ok();
    }
}

/// What reads these switches, wired as the settings have it unless they say otherwise.
pub fn reader(chips: SwitchReader, switches: Switches) -> Box<dyn ReaderSim> {
    let usual = Matrix { chips, ..Matrix::default() };
    let (rows, columns) = usual.lines();
    match chips.expander() {
        Some(kind) => Box::new(ExpandersSim::new(switches, kind, INTERRUPT)),
        None if chips == SwitchReader::Rows => Box::new(RowsSim::new(switches, rows, columns)),
        None if chips == SwitchReader::Mcp3008 => {
            Box::new(HallsSim::new(switches, usual.select_pins(), SEED))
        }
        None => Box::new(RegistersSim::new(switches)),
    }
}

/// Sets up a board as the header of a script says, read by such chips, and listens at `path`.
/// Nothing answers until the actor runs. Must be called inside a runtime.
///
/// # Errors
/// There is no socket to be had.
pub fn open(
    header: &Header,
    path: &Path,
    chips: SwitchReader,
) -> Result<(SimulatedStub, SimulatedActor), SimulatedError> {
    let failed = |source| SimulatedError::Socket { path: path.to_owned(), source };
    let listener = UnixListener::bind(path).map_err(failed)?;
    let start = header.start.clone().map(shakmaty::fen::Fen::into_setup);
    let board = start.map_or_else(Board::empty, |setup| setup.board);
    let mut chips = reader(chips, Switches::new(board.occupied(), SEED));
    for (sq, piece) in board {
        chips.put(Mono::default(), sq, Reading::Colored(piece.color));
    }
    let (orders_tx, orders_rx) = mpsc::unbounded_channel();
    let (is_scanned_tx, is_scanned_rx) = watch::channel(false);
    let (has_played_tx, has_played_rx) = watch::channel(true);
    let actor = SimulatedActor {
        chips,
        khz: KHZ,
        is_held: false,
        down: BTreeSet::new(),
        pace: TableTime::start(Now::start()),
        script: ActsToDo::new(VecDeque::new()),
        listener,
        path: path.to_owned(),
        orders: orders_rx,
        is_scanned: is_scanned_tx,
        has_played: has_played_tx,
        beside: None,
    };
    let (is_scanned, has_played) = (is_scanned_rx, has_played_rx);
    Ok((SimulatedStub { orders: orders_tx, is_scanned, has_played }, actor))
}

impl SimulatedActor {
    /// There is a clock beside the board: what hands do to it is told to `beside`.
    pub fn with_clock_beside(mut self, beside: mpsc::UnboundedSender<Happening>) -> Self {
        self.beside = Some(beside);
        self
    }

    /// The inputs of the chips lead to these squares.
    pub fn wired(mut self, inputs: [Square; 64]) -> Self {
        let switches = self.chips.switches();
        *switches = switches.clone().wired(inputs);
        self
    }

    /// What reads the switches is this.
    pub fn read_by(mut self, chips: Box<dyn ReaderSim>) -> Self {
        self.chips = chips;
        self
    }

    /// What a walk over the board would learn of its sensors, if there is anything to be learned:
    /// as the file that the settings name for it.
    pub fn learned(&self) -> Option<String> {
        self.chips.learned()
    }

    /// The I2C bus is so fast, in kHz.
    pub fn with_bus_at(mut self, khz: u32) -> Self {
        self.khz = khz;
        self
    }

    /// Serves one host after the other, until all stubs are dropped.
    pub async fn run(mut self) {
        info!(path = %self.path.display(), "simulated matrix set up");
        let mut host: Option<BufReader<UnixStream>> = None;
        let mut line = Vec::new();
        loop {
            let next = self.script.next_at();
            let wake = self.pace.instant(next.unwrap_or_default());
            tokio::select! {
                order = self.orders.recv() => match order {
                    Some(order) => self.obey(order),
                    None => break,
                },
                // Another host waits until this one has gone.
                Ok((stream, _)) = self.listener.accept(), if host.is_none() => {
                    host = Some(BufReader::new(stream));
                    line.clear();
                }
                is_whole = read_line(host.as_mut(), &mut line) => {
                    if !is_whole || !self.answer(host.as_mut(), &line).await {
                        host = None;
                    }
                    line.clear();
                }
                () = sleep_until(wake), if next.is_some() => {}
            }
            self.pass();
        }
        debug!("simulated matrix put away");
    }

    fn obey(&mut self, order: SimulatedOrder) {
        match order {
            SimulatedOrder::Power(is_on) => self.chips.power(is_on),
            SimulatedOrder::Hold(is_held) => self.is_held = is_held,
            SimulatedOrder::Button(pin, true) => _ = self.down.insert(pin),
            SimulatedOrder::Button(pin, false) => _ = self.down.remove(&pin),
            SimulatedOrder::Play(script, speed, begun) => {
                let now = self.pace.now();
                self.pace.set(speed);
                let later = |(at, what): (Mono, Happening)| (now + at.since(Mono::default()), what);
                self.script = ActsToDo::new(script.into_iter().map(later).collect());
                self.has_played.send_replace(false);
                // Who asked may have stopped waiting.
                begun.send(()).ok();
            }
        }
    }

    /// Everything that was due happens.
    fn pass(&mut self) {
        self.script.catch_up(&self.pace);
        let now = self.pace.now();
        while let Some((at, what)) = self.script.pop_due(now) {
            match &what {
                // A message can be lost, but no switch.
                Happening::Sensed { sq, reading, .. } => {
                    self.chips.put(at, *sq, *reading);
                }
                Happening::LineDown | Happening::PowerOff => self.chips.power(false),
                Happening::LineUp | Happening::PowerOn => self.chips.power(true),
                _ => {}
            }
            if let Some(beside) = &self.beside {
                // Nobody there, nobody to press.
                beside.send(what).ok();
            }
        }
        if self.script.is_empty() && !*self.has_played.borrow() {
            self.pace.set(Speed::REAL);
            self.has_played.send_replace(true);
        }
    }

    /// Does what a line of the host says. False if it says nothing that is known, or is gone.
    async fn answer(&mut self, host: Option<&mut BufReader<UnixStream>>, line: &[u8]) -> bool {
        let now = self.pace.now();
        let text = String::from_utf8_lossy(line);
        let mut words = text.split_whitespace();
        let (verb, rest): (_, Vec<&str>) = (words.next(), words.collect());
        let (Some(verb), Some(host)) = (verb, host) else { return false };
        let pins: Option<Vec<u8>> = rest.iter().map(|word| word.parse().ok()).collect();
        let answer = match (verb, pins, &rest[..]) {
            ("high" | "low", Some(pins), _) => {
                pins.into_iter().for_each(|pin| self.chips.drive(now, pin, verb == "high"));
                return true;
            }
            ("read", Some(pins), _) => {
                let mut is_high = |pin| !self.down.contains(&pin) && self.chips.level(now, pin);
                let level = |pin| if is_high(pin) { '1' } else { '0' };
                Some(pins.into_iter().map(level).collect())
            }
            ("speed", ..) => Some(self.khz.to_string()),
            ("transfer", _, [hex]) => {
                bytes(hex).map(|sent| hex_of(&self.chips.transfer(now, &sent)))
            }
            ("exchange", _, [to, sent @ .., n]) => self.exchange(now, to, sent.first(), n),
            _ => None,
        };
        let Some(answer) = answer else { return false };
        if self.is_held {
            return true;
        }
        self.is_scanned.send_if_modified(|was| !std::mem::replace(was, true));
        host.get_mut().write_all((answer + "\n").as_bytes()).await.is_ok()
    }

    /// What a chip on I2C answers to bytes that are sent to it.
    fn exchange(&mut self, now: Mono, to: &str, sent: Option<&&str>, n: &str) -> Option<String> {
        let to = u8::from_str_radix(to, 16).ok()?;
        let sent = bytes(sent.unwrap_or(&""))?;
        let got = self.chips.exchange(now, to, &sent, n.parse().ok()?);
        Some(got.map_or_else(|| "nack".to_owned(), |got| hex_of(&got)))
    }
}

fn hex_of(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes {
        write!(text, "{byte:02x}").ok();
    }
    text
}

/// Reads a line of the host; without a host none ever comes. False at its end, or where there is
/// none for too long. Safe to cancel.
async fn read_line(host: Option<&mut BufReader<UnixStream>>, line: &mut Vec<u8>) -> bool {
    let Some(host) = host else { return std::future::pending().await };
    loop {
        let Ok(buffer) = host.fill_buf().await else { return false };
        if buffer.is_empty() || line.len() > LINE_MAX {
            return false;
        }
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let n = end.map_or(buffer.len(), |idx| idx + 1);
        line.extend_from_slice(&buffer[..n]);
        host.consume(n);
        if end.is_some() {
            return true;
        }
    }
}
