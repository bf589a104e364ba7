//! A board whose squares are read by this machine itself: a matrix of switches on its pins.
//!
//! A thread of its own scans it, at no higher priority than any other. Like a serial line it is
//! never given up: chips that do not answer are told of once, and tried again.

pub(super) mod beside;
pub mod bit_bang;
pub mod buttons;
#[cfg(feature = "pi")]
mod cdev;
pub mod expanders;
pub mod halls;
mod late;
mod machine;
#[cfg(feature = "pi")]
pub(super) mod pi;
pub mod registers;
pub mod remote;
pub mod rows;
pub mod simulated;
pub mod socket;
pub mod spi_expanders;

use self::halls::HallReader;
use self::late::Late;
use super::config::{BoardConfig, Matrix};
use super::heard::Heard;
use super::now::Now;
use super::pins;
use super::serial::BACKOFF;
use crate::board::hall::HallTable;
use crate::board::matrix::placement_of;
use crate::board::{Debounce, Wiring};
use crate::game::Event;
use crate::table::{Placement, Reading};
use crate::time::{Mono, Stamp};
use crate::wire::expander::Expander;
use shakmaty::{Color, Role};
use std::fmt::Debug;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;
use tokio::sync::mpsc;
use tracing::{debug, error, info, warn};

/// What may wait for the board's loop: more than two hands can do while it is busy.
const HEARD_MAX: usize = 256;
/// The whole board is told again after this, while nothing changes.
const PICTURE_EVERY: Duration = Duration::from_secs(2);
/// A button that bounces has come to rest after so many looks.
const N_LOOKS: u32 = 4;
/// A thread that waits looks so often whether it is still wanted.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Why a matrix cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MatrixError {
    /// There is no such bus.
    #[error("opening {}: there is no such bus; switch it on ({}) and reboot, or name the right one \
             in the settings", .0.display(), pins::switched_on_by(.0))]
    NoBus(PathBuf),
    /// There is no such socket, or nobody answers at it.
    #[error("opening {}: there is no simulated board; start `rokade simulate --board {board} \
             --link {}`, or name a bus of this machine under [board.matrix]",
            path.display(), path.display())]
    NoSocket {
        /// The path of the socket.
        path: PathBuf,
        /// The word by which such a board is simulated.
        board: &'static str,
    },
    /// This user may not.
    #[error("opening {}: permission denied; add this user to the groups spi, i2c and gpio \
             (`sudo usermod -aG spi,i2c,gpio $USER`), then log in again", .0.display())]
    Forbidden(PathBuf),
    /// Somebody else uses it.
    #[error("opening {}: another program uses it; stop that first (`systemctl stop rokade`)",
            .0.display())]
    Busy(PathBuf),
    /// The pins cannot be had.
    #[error(
        "the pins of this machine cannot be used ({0}); is it a Raspberry Pi, and is this user in \
         the group gpio?"
    )]
    NoPins(String),
    /// One pin cannot be had.
    #[error("BCM {pin} cannot be used ({why}); does another program hold it?")]
    Pin {
        /// Its number.
        pin: u8,
        /// What was said.
        why: String,
    },
    /// What was sent through the chips did not come out of them.
    #[error(
        "the shift registers do not answer: {sent:02x} was sent through them, and {got:02x} came \
         back; check their supply, their ground and the wires to load, clock and data"
    )]
    Silent {
        /// What was sent.
        sent: u8,
        /// What came.
        got: u8,
    },
    /// A chip on a bus does not answer.
    #[error("no {chip} answers at {address:#04x} of {}; check its supply, its address pins and the \
             wires of the bus, and the addresses under [board.matrix]", bus.display())]
    NoChip {
        /// The path of the bus.
        bus: PathBuf,
        /// What should be there.
        chip: Expander,
        /// Its address.
        address: u8,
    },
    /// A chip answers, and has forgotten what it was told.
    #[error("the {chip} at {address:#04x} of {} has restarted; its supply fails now and then, so \
             check its wires and the capacitor beside it", bus.display())]
    Forgot {
        /// The path of the bus.
        bus: PathBuf,
        /// What is there.
        chip: Expander,
        /// Its address.
        address: u8,
    },
    /// Nothing moves on a bus.
    #[error("{} is stuck: a chip without supply or a wire that touches another holds one of its \
             lines low; take the chips off one by one", .0.display())]
    Stuck(PathBuf),
    /// No converter answers, or it does not show what is wired to it.
    #[error("no MCP3008 answers at {}; check its supply, the wires of the bus, and that its \
             inputs CH6 and CH7 are at ground and at 3.3 V", .0.display())]
    NoConverter(PathBuf),
    /// The converter answers, and no sensor does.
    #[error(
        "no hall sensor shows anything; check their regulator, and the ground of the multiplexers"
    )]
    NoSensors,
    /// It was never learned what the sensors show.
    #[error("there is no {}, which says what the sensors of this board show; stop the service and \
             let `rokade doctor --calibrate` write it", .0.display())]
    Unlearned(PathBuf),
    /// What was learned cannot be read.
    #[error("{}: {why}; correct it, or let `rokade doctor --calibrate` write it \
             again", path.display())]
    Mislearned {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Columns are low with no row pulled low.
    #[error("columns at BCM {} are low with no row pulled low; they, or a row in which a piece \
             stands, touch ground", listed(.0))]
    Grounded(Vec<u8>),
    /// More squares are occupied than a set has pieces, as only a matrix without diodes shows.
    #[error(
        "{0} squares read as occupied, in full rectangles: squares without a piece are shown, \
         because there are no diodes; put one in series with every switch"
    )]
    NoDiodes(u32),
    /// The pins cannot be read.
    #[error("the pins of the matrix cannot be used ({0})")]
    Pins(String),
    /// The bus failed.
    #[error("reading {}: the bus failed ({why})", bus.display())]
    Bus {
        /// The path of the bus.
        bus: PathBuf,
        /// What was said.
        why: String,
    },
    /// This program knows no pins.
    #[error(
        "this program was built without the feature pi; build it with that feature to use pins"
    )]
    NotBuilt,
}

/// Pins in a sentence.
fn listed(pins: &[u8]) -> String {
    let names: Vec<String> = pins.iter().map(u8::to_string).collect();
    names.join(", ")
}

/// What reads all inputs at once.
pub trait Scanner: Debug {
    /// The inputs that are occupied: bit `8 * group + input`.
    ///
    /// # Errors
    /// The chips cannot be read.
    fn scan(&mut self) -> Result<u64, MatrixError>;

    /// Those of the last scan's occupied inputs that have a black piece, if it can tell.
    fn black(&self) -> Option<u64> {
        None
    }

    /// The piece for which a button beside the board was pressed, if there are such buttons.
    ///
    /// # Errors
    /// Their pins cannot be read.
    fn chosen(&mut self, _now: Mono) -> Result<Option<Role>, MatrixError> {
        Ok(None)
    }

    /// How fast its bus is, in kHz, if that is too slow for the rate that is wanted: then half of
    /// it is had.
    fn slow_khz(&self) -> Option<u32> {
        None
    }
}

/// Between two scans of this scanner, and what is to be said of that.
pub fn pace(settings: &Matrix, scanner: &dyn Scanner) -> (Duration, Option<String>) {
    let period = settings.period();
    let Some(khz) = scanner.slow_khz() else { return (period, None) };
    let period = period * 2;
    let rate = 1.0 / period.as_secs_f64();
    let told = format!(
        "{} runs at {khz} kHz, so the squares are read {rate:.0} times a second; \
         dtparam=i2c_arm_baudrate=400000 in config.txt doubles that",
        settings.bus()
    );
    (period, Some(told))
}

/// What a matrix may say.
#[derive(Debug)]
pub enum MatrixNews {
    /// It can be read.
    Up,
    /// It cannot be read, said once for each reason.
    Down(MatrixError),
    /// What its squares show.
    Saw(Event),
    /// A button beside it says which piece a pawn becomes.
    Chosen(Role),
}

/// The core's end of a matrix. Dropping it ends the scans.
#[derive(Debug)]
pub struct MatrixStub {
    heard: mpsc::Receiver<Heard<MatrixNews>>,
    is_wanted: Arc<AtomicBool>,
}

impl MatrixStub {
    /// The next thing it has to say; `None` once it has ended. Safe to cancel.
    pub async fn heard(&mut self) -> Option<Heard<MatrixNews>> {
        self.heard.recv().await
    }

    /// How much has come and not been heard yet.
    pub fn n_waiting(&self) -> usize {
        self.heard.len()
    }

    /// Ends the scans.
    pub fn close(&self) {
        self.is_wanted.store(false, Ordering::Relaxed);
    }
}

impl Drop for MatrixStub {
    fn drop(&mut self) {
        self.close();
    }
}

/// Starts scanning the matrix of a board with these settings.
pub fn start(board: &BoardConfig, now: Now) -> MatrixStub {
    let (stub, reader) = PinReader::of(board, now);
    let watch = ScanLoop { reader, is_told: true };
    // Without a thread nothing is heard, and the board ends and is opened again.
    if let Err(why) = thread::Builder::new().name("scan".to_owned()).spawn(|| watch.run()) {
        error!(board = board.name, "there is no thread to scan the matrix: {why}");
    }
    stub
}

/// The end of whoever reads pins.
#[derive(Debug)]
struct PinReader {
    board: String,
    settings: Matrix,
    now: Now,
    heard: mpsc::Sender<Heard<MatrixNews>>,
    is_wanted: Arc<AtomicBool>,
}

impl PinReader {
    /// Both ends.
    fn of(board: &BoardConfig, now: Now) -> (MatrixStub, Self) {
        let (heard, heard_rx) = mpsc::channel(HEARD_MAX);
        let is_wanted = Arc::new(AtomicBool::new(true));
        let stub = MatrixStub { heard: heard_rx, is_wanted: Arc::clone(&is_wanted) };
        let (name, settings) = (board.name.clone(), board.matrix.clone());
        (stub, Self { board: name, settings, now, heard, is_wanted })
    }

    fn is_wanted(&self) -> bool {
        self.is_wanted.load(Ordering::Relaxed) && !self.heard.is_closed()
    }

    /// Tells, and waits until there is room for it.
    fn tell(&mut self, at: Stamp, what: MatrixNews) {
        // Who does not listen any more wants to know nothing.
        self.heard.blocking_send(Heard { at, what }).ok();
    }

    fn rest(&self, wait: Duration) {
        let until = self.now.stamp().mono + wait;
        loop {
            let left = until.since(self.now.stamp().mono);
            if left.is_zero() || !self.is_wanted() {
                return;
            }
            thread::sleep(left.min(LOOK_EVERY));
        }
    }
}

/// The scanner's end.
#[derive(Debug)]
struct ScanLoop {
    reader: PinReader,
    /// Everything that was to be told could be.
    is_told: bool,
}

/// Nobody wants the scans any more.
struct Unwanted;

impl ScanLoop {
    fn run(mut self) {
        let mut backoff = BACKOFF;
        let mut said = None;
        while self.reader.is_wanted() {
            let opened = open(&self.reader.settings).and_then(|mut scanner| {
                scanner.scan()?;
                Ok(scanner)
            });
            let why = match opened {
                Ok(mut scanner) => {
                    (backoff, said) = (BACKOFF, None);
                    info!(board = self.reader.board, bus = self.reader.settings.bus(), "matrix up");
                    match self.follow(scanner.as_mut()) {
                        Ok(why) => why,
                        Err(Unwanted) => break,
                    }
                }
                Err(why) => why,
            };
            if said.as_ref() != Some(&why) {
                said = Some(why.clone());
                self.tell(self.reader.now.stamp(), MatrixNews::Down(why));
            }
            self.reader.rest(backoff.wait());
        }
        debug!(board = self.reader.board, "matrix put away");
    }

    /// Scans until the matrix fails.
    fn follow(&mut self, scanner: &mut dyn Scanner) -> Result<MatrixError, Unwanted> {
        let (period, slow) = pace(&self.reader.settings, scanner);
        if let Some(told) = slow {
            warn!(board = self.reader.board, "{told}");
        }
        let wiring = self.reader.settings.wiring();
        let mut scans = Scans::new(wiring, self.reader.settings.debounce());
        let mut late = Late::new(period);
        let mut due = self.reader.now.stamp().mono;
        self.tell(self.reader.now.stamp(), MatrixNews::Up);
        loop {
            if !self.reader.is_wanted() {
                return Err(Unwanted);
            }
            let at = self.reader.now.stamp();
            if let Some(told) = late.note(at.mono, due) {
                warn!(board = self.reader.board, "{told}");
            }
            let scan = match scanner.scan() {
                Ok(scan) => scan,
                Err(why) => return Ok(why),
            };
            let has_missed = !std::mem::replace(&mut self.is_told, true);
            for event in scans.scan(at.mono, scan, scanner.black(), has_missed) {
                self.tell(at, MatrixNews::Saw(event));
            }
            match scanner.chosen(at.mono) {
                Ok(Some(role)) => self.tell(at, MatrixNews::Chosen(role)),
                Ok(None) => {}
                Err(why) => return Ok(why),
            }
            due = at.mono.max(due) + period;
            thread::sleep(due.since(self.reader.now.stamp().mono));
        }
    }

    /// Whether the way is open is always told. What squares show is not waited for: the whole board
    /// follows if it was too much.
    fn tell(&mut self, at: Stamp, what: MatrixNews) {
        if matches!(what, MatrixNews::Saw(_)) {
            self.is_told &= self.reader.heard.try_send(Heard { at, what }).is_ok();
        } else {
            self.reader.tell(at, what);
        }
    }
}

/// What a game is told of scans.
#[derive(Clone, Debug)]
pub struct Scans {
    wiring: Wiring,
    debounce: Debounce,
    /// When the whole board was told.
    pictured: Option<Mono>,
}

impl Scans {
    /// Squares wired so, each of which is believed after it has read the same for so long.
    pub fn new(wiring: Wiring, debounce: Duration) -> Self {
        Self { wiring, debounce: Debounce::new(debounce), pictured: None }
    }

    /// What follows from a scan, and from those of its inputs that have a black piece, if that can
    /// be told. If something that was told before `has_missed` its hearer, the whole board is told.
    pub fn scan(
        &mut self,
        now: Mono,
        scan: u64,
        black: Option<u64>,
        has_missed: bool,
    ) -> Vec<Event> {
        let changed = self.debounce.scan(now, seen(&self.wiring, scan, black));
        let Some(known) = self.debounce.known() else { return Vec::new() };
        let is_old = |at: Mono| now.since(at) >= PICTURE_EVERY && self.debounce.is_still();
        let is_due = changed.is_empty() && self.pictured.is_none_or(is_old);
        if is_due || has_missed {
            self.pictured = Some(now);
            return vec![Event::Pictured(known.clone())];
        }
        // Before the first picture nothing has changed.
        changed.into_iter().map(|sq| Event::Sensed(sq, known.get(sq))).collect()
    }
}

/// What the squares of a board wired so show in a scan, with the inputs that have a black piece, if
/// that can be told.
pub fn seen(wiring: &Wiring, scan: u64, black: Option<u64>) -> Placement {
    let occupied = wiring.squares(scan);
    let Some(black) = black.map(|it| wiring.squares(it)) else { return placement_of(occupied) };
    let mut seen = Placement::empty();
    for sq in occupied {
        seen.set(sq, Reading::Colored(Color::from_white(!black.contains(sq))));
    }
    seen
}

/// Whether the settings name the socket of a simulated board. A bus of this machine is a device;
/// what is named elsewhere can only be a socket.
fn is_simulated(settings: &Matrix) -> bool {
    let path = Path::new(settings.bus());
    let is_socket = |found: fs::Metadata| found.file_type().is_socket();
    settings.bit_banged().is_none()
        && fs::metadata(path).map_or(!path.starts_with("/dev"), is_socket)
}

/// Opens something by the pins and buses that the settings name: a simulated board's, or ours.
macro_rules! by_machine {
    ($open:path, $settings:ident) => {{
        if is_simulated($settings) {
            return $open(&remote::connect($settings)?, $settings);
        }
        #[cfg(feature = "pi")]
        return match &$settings.pins {
            super::config::PinDriver::Rppal => $open(&pi::ByRppal, $settings),
            super::config::PinDriver::Kernel(chip) => {
                $open(&cdev::PinChip::find(chip.as_deref())?, $settings)
            }
        };
        #[cfg(not(feature = "pi"))]
        Err(MatrixError::NotBuilt)
    }};
}

/// Opens what the settings name: a bus of this machine, or a simulated one behind a socket.
///
/// # Errors
/// It is not there, or not ours to use; or it was never learned what its sensors show.
pub fn open(settings: &Matrix) -> Result<Box<dyn Scanner>, MatrixError> {
    by_machine!(machine::open, settings)
}

/// Opens the buttons for promotions alone.
fn open_buttons(settings: &Matrix) -> Result<Box<dyn Scanner>, MatrixError> {
    by_machine!(machine::open_buttons, settings)
}

/// The button for a promotion that is down at a board which is not on the pins, if one is.
///
/// # Errors
/// Their pins cannot be had.
pub(super) fn button_down(settings: &Matrix, now: Now) -> Result<Option<Role>, MatrixError> {
    let mut buttons = open_buttons(settings)?;
    let mut chosen = None;
    for _ in 0..N_LOOKS {
        chosen = buttons.chosen(now.stamp().mono)?.or(chosen);
        thread::sleep(LOOK_EVERY);
    }
    Ok(chosen)
}

/// Opens the hall sensors that the settings name.
///
/// # Errors
/// They are not there, or not ours to use.
pub fn open_halls(settings: &Matrix) -> Result<Box<dyn HallReader>, MatrixError> {
    by_machine!(machine::open_halls, settings)
}

/// What was learned of hall sensors, from its file.
fn learned(path: &Path) -> Result<HallTable, MatrixError> {
    let wrong = |why: String| MatrixError::Mislearned { path: path.to_owned(), why };
    let text = fs::read_to_string(path).map_err(|e| match e.kind() {
        ErrorKind::NotFound => MatrixError::Unlearned(path.to_owned()),
        _ => wrong(e.to_string()),
    })?;
    HallTable::parse(&text).map_err(|e| wrong(e.to_string()))
}
