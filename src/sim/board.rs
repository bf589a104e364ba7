//! A DGT board with its clock at the other end of a slow cable.
//!
//! The truth about a game is what stands on the wood; what a host learns of it passes a line of
//! 9600 baud, may be lost, and is never sent twice unasked. The model keeps the two apart: methods
//! change the wood and the clock at any time, and bytes come out when they would. So the record
//! that a host makes can be held against the truth. Protocol 1 to 3 and 5; one board in single
//! mode, which in bus mode only waits to be woken.
//!
//! Every method that takes a time expects times that never go back.

mod bus;

use std::collections::VecDeque;
use std::time::Duration;

use shakmaty::{Board, Square};

use self::bus::OnBus;
use crate::sim::ring::Ring;
use crate::table::defaults;
use crate::time::Mono;
use crate::wire::bus::{BusRequest, REQUEST_LEN};
use crate::wire::message::N_HALF_FIELDS;
use crate::wire::{
    Ack, Battery, BoardCommand, BoardMessage, Buttons, ClockCommand, ClockMessage, ClockTime,
    CommandDecoder, Dump, FieldCode, HostItem, LogEvent, Orientation,
};

/// Bits on the line for a byte, and their rate (protocol 1.1: 9600 baud, 8N1).
const BITS_PER_BYTE: u64 = 10;
const BAUD: u64 = 9600;
/// Bytes that a board buffers while it is busy (protocol 1.2).
const INPUT_MAX: usize = 10;
/// How long a board is busy with a command. Made up: half of the pause that hosts leave.
const BUSY: Duration = Duration::from_millis(50);
/// In mode UPDATE the clock is sent at least this often (protocol 1.3).
const CLOCK_EVERY: Duration = Duration::from_secs(1);
/// From a clock command to its acknowledgement. Made up, well inside the 2 s of protocol 3.5.
const ACK_AFTER: Duration = Duration::from_millis(150);
/// Bytes of a long message that come out together: a host hears a log while it is being sent.
const CHUNK_MAX: usize = 128;
/// Bytes that may wait for the line before the board drops what it wants to say: a whole log and
/// then some. Made up, so that a host that keeps asking cannot exhaust us.
const OUTPUT_MAX: usize = 16_384;

/// What the model says of itself. Only a real DGT board may send the maker's trademark text
/// (protocol 1.8), so this one says what it is.
const TRADEMARK: &str = "Rokade simulated board\r\nnot a product of Digital Game Technology";
const SERIAL: &str = "01025";
/// The long number is made of this and the short one.
const MODEL: &str = "30000";
const VERSION: (u8, u8) = (1, 8);
/// The version that the clock answers: the DGT3000 family (protocol 3.7).
const CLOCK_VERSION: u8 = 0x20;

/// The byte of a request that only a Pegasus knows (protocol 1.4, `56`).
const PEGASUS_REQUEST: u8 = 0x56;

/// The color of a field.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
enum Shade {
    Light,
    Dark,
}

/// Whether a change of the wood is reported.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum Delivery {
    /// As by a board in order.
    Sent,
    /// The field changes but its message is lost; only a dump can tell.
    Lost,
}

/// The board's mode (protocol 1.3).
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum Mode {
    /// As after power-up.
    Bus,
    /// Sends nothing unasked.
    Idle,
    /// Sends fields as they change.
    UpdateBoard,
    /// Sends fields as they change, and the clock every second.
    Update,
    /// Sends fields and the clock as they change.
    UpdateNice,
}

impl Mode {
    /// Whether changes of the fields are sent without being asked for.
    pub const fn sends_fields(self) -> bool {
        matches!(self, Self::UpdateBoard | Self::Update | Self::UpdateNice)
    }

    /// The same modes return acknowledgements (protocol 1.3).
    fn sends_clock(self) -> bool {
        matches!(self, Self::Update | Self::UpdateNice)
    }
}

/// Who answers commands for the clock.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
enum Answers {
    /// The board, at once and always: it has a clock that does nothing but stand there.
    Board,
    /// Whoever calls [`BoardSim::answer`].
    Clock,
}

/// What a host orders.
#[derive(Debug, Clone, PartialEq, Eq)]
enum HostCommand {
    Single(BoardCommand),
    Bus(BusRequest),
    /// `56`, which we never send and know nothing of (protocol 1.4).
    PegasusRequest,
}

#[derive(Debug, Copy, Clone, PartialEq, Eq)]
enum LineState {
    Up,
    Down,
}

defaults! {
    /// A board, its clock, and the line to the host.
    #[derive(Debug, Clone)]
    pub struct BoardSim {
        given {
            dump: Dump,
            orientation: Orientation,
            clock: Option<ClockTime>,
            ring: Ring,
        }
        /// The clock message that the host knows.
        clock_sent: Option<ClockMessage>,
        clock_sent_at: Mono,
        mode: Mode = Mode::Bus,
        line: LineState = LineState::Up,
        is_powered: bool = true,
        serial: String = SERIAL.to_owned(),
        decoder: CommandDecoder,
        /// Commands with the moment of their last byte; at most [`INPUT_MAX`].
        inbox: VecDeque<(Mono, HostCommand)>,
        bus: OnBus,
        input_free_at: Mono,
        busy_until: Mono,
        acks: VecDeque<(Mono, Ack)>,
        /// Messages, or chunks of long ones, with the moment of their last byte.
        outbox: VecDeque<(Mono, Vec<u8>)>,
        output_free_at: Mono,
        clock_commands: Vec<ClockCommand>,
        answers: Answers = Answers::Board,
        /// It is silent when it is asked for its memory.
        is_forgetful: bool,
    }
}

impl BoardSim {
    /// A board that was just switched on, at time zero, in bus mode, with `clock` plugged in.
    pub fn new(placement: Board, orientation: Orientation, clock: Option<ClockTime>) -> Self {
        let dump = Dump::new(&placement, orientation);
        let mut ring = Ring::default();
        ring.power_up(Mono::default(), &dump);
        Self::begin(dump, orientation, clock, ring)
    }

    /// The same board without a memory: it does not answer the question for its log.
    pub fn that_forgets(mut self) -> Self {
        self.is_forgetful = true;
        self
    }

    /// The same board after years of use: other games fill its memory, up to when it was switched
    /// on. So a log is as long as it can be, and begins anywhere.
    pub fn well_used(mut self) -> Self {
        self.ring = Ring::of_years(self.orientation);
        self.ring.power_up(Mono::default(), &self.dump);
        self
    }

    /// The same board, already in mode UPDATE_NICE as a host has left it. The clock's first reading
    /// counts as sent.
    pub fn awake(mut self) -> Self {
        self.mode = Mode::UpdateNice;
        self.clock_sent = Some(self.clock_message());
        self
    }

    /// The same board with a clock that answers for itself: see [`BoardSim::answer`].
    pub fn with_answering_clock(mut self) -> Self {
        self.answers = Answers::Clock;
        self
    }

    /// The clock answers a command, or speaks of its own accord.
    pub fn answer(&mut self, at: Mono, ack: Ack) {
        self.advance(at);
        self.acks.push_back((at + ACK_AFTER, ack));
    }

    /// What stands on `square`, whether a host knows or not.
    pub fn code(&self, square: Square) -> FieldCode {
        self.dump.code(self.orientation.field(square))
    }

    /// The chess pieces on the wood, whether a host knows or not.
    pub fn placement(&self) -> Board {
        self.dump.placement(self.orientation)
    }

    /// What the clock shows; `None` if none is plugged in.
    pub fn shown(&self) -> Option<ClockTime> {
        self.clock
    }

    /// The board's mode.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// `square` reads `code` from now on. The scan of a real board takes up to 400 ms (protocol
    /// 1.10); who wants that delay calls later. Reading the same again is no change.
    pub fn set(&mut self, at: Mono, square: Square, code: FieldCode, delivery: Delivery) {
        self.advance(at);
        let field = self.orientation.field(square);
        let reads = &mut self.dump.0[usize::from(field.index())];
        if *reads == code {
            return;
        }
        *reads = code;
        if self.is_powered {
            self.ring.change(at, field, &self.dump);
        }
        if delivery == Delivery::Sent {
            self.report(at, square);
        }
    }

    /// Sends what `square` reads once more, as boards do when a figure wobbles (protocol 1.10).
    pub fn report(&mut self, at: Mono, square: Square) {
        self.advance(at);
        if self.mode.sends_fields() {
            let field = self.orientation.field(square);
            self.say(at, &BoardMessage::Field { field, code: self.dump.code(field) });
        }
    }

    /// The clock shows `time` from now on; a change of the lever is logged by the board. A real
    /// board looks at its clock two or three times a second (protocol 2.6); who wants that delay
    /// calls later.
    pub fn clock(&mut self, at: Mono, time: ClockTime) {
        self.advance(at);
        if let Some(before) = self.clock
            && before.high != time.high
            && self.is_powered
        {
            // The press halted the side whose end was up.
            self.ring.write(LogEvent::of_time(before.high, time.side(before.high)));
        }
        self.clock = Some(time);
        self.offer_clock(at);
    }

    /// The clock is unplugged.
    pub fn no_clock(&mut self, at: Mono) {
        self.advance(at);
        self.clock = None;
        self.acks.clear();
        self.offer_clock(at);
    }

    /// Somebody presses buttons of the clock (protocol 2.5).
    pub fn press(&mut self, at: Mono, buttons: Buttons) {
        self.advance(at);
        if self.clock.is_some() {
            self.acknowledge(at, Ack::pressed(buttons));
        }
    }

    /// The line breaks: nothing passes in either direction and what was under way is lost. The
    /// board keeps its power and mode.
    pub fn line_down(&mut self, at: Mono) {
        self.advance(at);
        self.line = LineState::Down;
        self.forget_traffic();
    }

    /// The line is whole again.
    pub fn line_up(&mut self, at: Mono) {
        self.advance(at);
        self.line = LineState::Up;
        self.clock_sent_at = at;
        self.input_free_at = at;
        self.output_free_at = at;
    }

    /// The board loses its power: everything unsent is lost, and what is moved from now on it
    /// neither sends nor remembers.
    pub fn power_off(&mut self, at: Mono) {
        self.advance(at);
        self.is_powered = false;
        self.mode = Mode::Bus;
        self.clock_sent = None;
        self.forget_traffic();
    }

    /// The power is back: bus mode, and a look at what stands on the board.
    pub fn power_on(&mut self, at: Mono) {
        self.advance(at);
        self.is_powered = true;
        self.input_free_at = at;
        self.output_free_at = at;
        self.busy_until = at;
        self.ring.power_up(at, &self.dump);
    }

    /// The board loses its power for a moment: back to bus mode, and everything unsent is lost.
    pub fn power_cycle(&mut self, at: Mono) {
        self.power_off(at);
        self.power_on(at);
    }

    /// Another board is put in its place, with the same pieces on it and a memory of its own.
    pub fn exchange(&mut self, at: Mono, serial: &str) {
        self.power_off(at);
        self.serial = serial.to_owned();
        self.ring = Ring::default();
        self.power_on(at);
    }

    /// The host sends `bytes`; the last is through after as many byte times.
    pub fn host_bytes(&mut self, at: Mono, bytes: &[u8]) {
        self.advance(at);
        if self.line == LineState::Down || !self.is_powered {
            return;
        }
        for byte in bytes {
            self.input_free_at = self.input_free_at.max(at) + byte_times(1);
            if self.bus.n_swallowed > 0 && byte & 0x80 == 0 {
                self.bus.n_swallowed -= 1;
                continue;
            }
            self.bus.n_swallowed = 0;
            if self.hear_bus(*byte) {
                continue;
            }
            let mut items = Vec::new();
            self.decoder.push(&[*byte], &mut items);
            for item in items {
                self.hear(item);
            }
        }
    }

    /// The commands for the clock that have reached it by `now`, oldest first, each told once. What
    /// they do to the clock is for the caller, by [`BoardSim::clock`].
    pub fn take_clock_commands(&mut self, now: Mono) -> Vec<ClockCommand> {
        self.advance(now);
        std::mem::take(&mut self.clock_commands)
    }

    /// When [`BoardSim::take`] may have something new. Calling it early, or in vain, does no harm.
    pub fn next_at(&self) -> Option<Mono> {
        let output = self.outbox.front().map(|(ready, _)| *ready);
        output.into_iter().chain(self.next_event_at()).min()
    }

    /// Appends the bytes of all messages, and chunks of long ones, whose last byte has passed the
    /// line by `now`.
    pub fn take(&mut self, now: Mono, out: &mut Vec<u8>) {
        self.advance(now);
        while let Some((_, bytes)) = self.outbox.pop_front_if(|(ready, _)| *ready <= now) {
            out.extend(bytes);
        }
    }

    /// When the board next does something by itself.
    fn next_event_at(&self) -> Option<Mono> {
        let command = self.inbox.front().map(|(heard, _)| (*heard).max(self.busy_until));
        let ack = self.acks.front().map(|(due, _)| *due);
        let is_ticking = self.mode == Mode::Update && self.line == LineState::Up;
        let tick = is_ticking.then(|| self.clock_sent_at + CLOCK_EVERY);
        command.into_iter().chain(ack).chain(tick).min()
    }

    /// Does all that was due by `now`, each at its own time.
    fn advance(&mut self, now: Mono) {
        while let Some(at) = self.next_event_at().filter(|at| *at <= now) {
            let is_idle = self.busy_until <= at;
            if let Some((_, ack)) = self.acks.pop_front_if(|(due, _)| *due <= at) {
                self.acknowledge(at, ack);
            } else if let Some((_, order)) =
                self.inbox.pop_front_if(|(heard, _)| is_idle && *heard <= at)
            {
                // In bus mode a host waits for the answer before it sends more.
                let is_bus = matches!(order, HostCommand::Bus(..));
                self.busy_until = at + if is_bus { Duration::ZERO } else { BUSY };
                match order {
                    HostCommand::Single(command) => self.obey(at, command),
                    HostCommand::Bus(request) => self.obey_bus(at, request),
                    HostCommand::PegasusRequest => {
                        self.say(at, &BoardMessage::PegasusAnswer(vec![0]));
                    }
                }
            } else {
                self.send_clock(at);
            }
        }
    }

    fn hear(&mut self, item: HostItem) {
        let order = match item {
            HostItem::Command(command) => HostCommand::Single(command),
            // Swallowed by the switch of mode (protocol 1.3), so it does no more than `4A`.
            HostItem::Bus(byte) if byte > 0x80 => {
                self.bus.n_swallowed = REQUEST_LEN - 1;
                HostCommand::Single(BoardCommand::ToBusMode)
            }
            HostItem::Ignored(bytes) if bytes == [PEGASUS_REQUEST] => HostCommand::PegasusRequest,
            HostItem::Bus(_) | HostItem::Ignored(_) => return,
        };
        self.queue(order);
    }

    fn queue(&mut self, order: HostCommand) {
        // A text for the clock is longer than the buffer, so arguments cannot all wait in it.
        if self.inbox.len() < INPUT_MAX {
            self.inbox.push_back((self.input_free_at, order));
        }
    }

    fn obey(&mut self, at: Mono, command: BoardCommand) {
        if self.mode == Mode::Bus {
            // Any command of single mode wakes the board and is carried out (protocol 1.3).
            self.mode = Mode::Idle;
        }
        match command {
            BoardCommand::Clock(command) => self.forward(at, command),
            BoardCommand::Reset => self.mode = Mode::Idle,
            BoardCommand::ToBusMode => self.mode = Mode::Bus,
            BoardCommand::UpdateBoard => self.mode = Mode::UpdateBoard,
            BoardCommand::Update => self.stream_clock(at, Mode::Update),
            BoardCommand::UpdateNice => self.stream_clock(at, Mode::UpdateNice),
            BoardCommand::SendClock => self.send_clock(at),
            BoardCommand::SendBoard => {
                self.say(at, &BoardMessage::Dump(Box::new(self.dump.clone())));
            }
            BoardCommand::SendBlackFields => {
                self.say(at, &BoardMessage::BlackFields(self.half_of_the_fields(Shade::Dark)));
            }
            BoardCommand::SendWhiteFields => {
                self.say(at, &BoardMessage::WhiteFields(self.half_of_the_fields(Shade::Light)));
            }
            BoardCommand::PegasusLockState => {
                self.say(at, &BoardMessage::LockState { unlocked: true });
            }
            BoardCommand::PegasusKeyState => {
                self.say(at, &BoardMessage::KeyState { accepted: true })
            }
            BoardCommand::SendLog if self.is_forgetful => {}
            BoardCommand::SendLog => {
                let log = self.ring.download();
                self.say(at, &BoardMessage::Log(log));
            }
            other => {
                if let Some(answer) = identity(&other, &self.serial, self.bus_address()) {
                    self.say(at, &answer);
                }
            }
        }
    }

    /// The 32 fields of one color in the board's order, and empty ones up to the fifty of a
    /// draughts board. Made up: nobody has said what a board of 64 fields answers (protocol 1.4).
    fn half_of_the_fields(&self, shade: Shade) -> Box<[u8; N_HALF_FIELDS]> {
        let is_dark = |n: usize| (n / 8 + n % 8) % 2 == 1;
        let mut half = [0; N_HALF_FIELDS];
        let fields = (0..64).filter(|n| is_dark(*n) == (shade == Shade::Dark));
        for (code, n) in half.iter_mut().zip(fields) {
            *code = self.dump.0[n].byte() & 0x0f;
        }
        Box::new(half)
    }

    /// Enters a mode that streams the clock; the first reading is news.
    fn stream_clock(&mut self, at: Mono, mode: Mode) {
        if self.mode != mode {
            self.mode = mode;
            self.clock_sent = None;
        }
        self.offer_clock(at);
    }

    /// Hands a command to the clock.
    fn forward(&mut self, at: Mono, command: ClockCommand) {
        if self.clock.is_none() {
            return;
        }
        if self.answers == Answers::Board {
            let ack2 = if command == ClockCommand::VersionQuery { CLOCK_VERSION } else { 0 };
            self.acks.push_back((at + ACK_AFTER, Ack([0x10, command.id(), ack2, 0])));
        }
        self.clock_commands.push(command);
    }

    fn acknowledge(&mut self, at: Mono, ack: Ack) {
        if self.mode.sends_clock() {
            self.say(at, &BoardMessage::Clock(ClockMessage::Ack(ack)));
        }
    }

    fn clock_message(&self) -> ClockMessage {
        self.clock.map_or(ClockMessage::NoClock, ClockMessage::Time)
    }

    /// Sends the clock if the mode streams it and the host does not know it yet.
    fn offer_clock(&mut self, at: Mono) {
        if self.mode.sends_clock() && self.clock_sent.as_ref() != Some(&self.clock_message()) {
            self.send_clock(at);
        }
    }

    fn send_clock(&mut self, at: Mono) {
        let message = self.clock_message();
        self.say(at, &BoardMessage::Clock(message.clone()));
        self.clock_sent = Some(message);
        self.clock_sent_at = at;
    }

    /// Puts a message on the line, after those that are on it.
    fn say(&mut self, at: Mono, message: &BoardMessage) {
        self.send(at, &message.encode());
    }

    fn send(&mut self, at: Mono, bytes: &[u8]) {
        let n_waiting: usize = self.outbox.iter().map(|(_, bytes)| bytes.len()).sum();
        if self.line == LineState::Down || n_waiting + bytes.len() > OUTPUT_MAX {
            return;
        }
        for chunk in bytes.chunks(CHUNK_MAX) {
            self.output_free_at = self.output_free_at.max(at) + byte_times(chunk.len());
            self.outbox.push_back((self.output_free_at, chunk.to_vec()));
        }
    }

    fn forget_traffic(&mut self) {
        self.decoder.reset();
        self.bus.partial.clear();
        self.inbox.clear();
        self.acks.clear();
        self.outbox.clear();
    }
}

/// What the board says about itself, for the commands that ask only that.
fn identity(command: &BoardCommand, serial: &str, address: u16) -> Option<BoardMessage> {
    let (major, minor) = VERSION;
    Some(match command {
        BoardCommand::SendVersion => BoardMessage::Version { major, minor },
        BoardCommand::ReturnSerial => BoardMessage::Serial(serial.to_owned()),
        BoardCommand::ReturnLongSerial => BoardMessage::LongSerial(format!("{MODEL}{serial}")),
        BoardCommand::ReturnBusAddress => BoardMessage::BusAddress(address),
        BoardCommand::SendTrademark => BoardMessage::Trademark(TRADEMARK.into()),
        BoardCommand::SendHardwareVersion => BoardMessage::HardwareVersion { major: 1, minor: 0 },
        BoardCommand::SendBattery => BoardMessage::Battery(Battery {
            percent: 84,
            left_min: None,
            on_min: Some(90),
            standby_min: Some(12 * 60),
            charging: false,
            discharging: true,
        }),
        _ => return None,
    })
}

/// The time that `n` bytes take on the line, rounded up to whole microseconds.
fn byte_times(n: usize) -> Duration {
    let bits = u64::try_from(n).expect("a message is short") * BITS_PER_BYTE;
    Duration::from_micros((bits * 1_000_000).div_ceil(BAUD))
}
