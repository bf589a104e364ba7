//! Wakes a board, keeps it awake, and says when it is gone.
//!
//! A board starts mute, in a mode from which the first byte may be lost, and acknowledges nothing;
//! a host can only ask, wait and ask again. What makes it dangerous: a board that lost its power
//! for a moment answers as before but sends no more changes, and a lost change leaves the mirror
//! wrong for ever. So a picture is asked for again and again. Protocol 1.14, for one board in
//! single mode. The clock's own discovery (protocol 3.7) is not part of it.

use crate::table::defaults;
use std::collections::VecDeque;
use std::time::Duration;

use crate::time::Mono;
use crate::wire::clock::ClockMessage;
use crate::wire::command::BoardCommand;
use crate::wire::message::BoardMessage;

/// From the first question for the version, which goes out as soon as the line is open, to the
/// second. A board that was reset by the opening, or lost the first byte, is asked again when it
/// has had its pause and what it was in the middle of is over (protocol 1.1, 1.14 steps 1 and 2);
/// who answers needs none, and a board that comes back during play is wanted soon. Ours.
pub const VERSION_AGAIN: Duration = Duration::from_millis(600);
/// From a later question for the version to the next (protocol 1.14 step 2).
pub const VERSION_WAIT: Duration = Duration::from_secs(2);
/// Questions for the version before the line is given up (protocol 1.14 step 2). The reset that
/// could go before the last is not sent: until a board has answered, the line may be anybody's, and
/// all that is written to it is this question.
pub const N_VERSION_TRIES: u32 = 5;
/// Between two commands that are not for the clock (protocol 1.2).
pub const COMMAND_GAP: Duration = Duration::from_millis(100);
/// Without a byte for this long the board is probed (protocol 1.14 step 6).
pub const QUIET: Duration = Duration::from_secs(1);
/// Without a byte for this long the board is lost (protocol 1.14 step 6).
pub const SILENCE: Duration = Duration::from_secs(5);
/// A dump that was asked for and has not come after this long is asked for again. A dump takes 70
/// ms (protocol 1.1); the limit is ours.
pub const DUMP_WAIT: Duration = Duration::from_secs(1);
/// While bytes flow, as during the 8 s of a log (protocol 1.5), a dump is not asked for again until
/// the line rests this long. Ours.
pub const REST: Duration = Duration::from_millis(100);
/// Without a dump for this long, the update mode is entered anew and a dump asked for: a board that
/// lost its power comes back in bus mode (protocol 1.3), answers the probe, and is otherwise mute.
/// Ours.
pub const REFRESH: Duration = Duration::from_secs(10);
/// A clock that stands tells nothing by itself, and a message that is lost is not said again
/// (protocol 1.3): it is asked for this often. Ours.
pub const CLOCK_EVERY: Duration = Duration::from_secs(10);
/// One that runs changes every second and is read two or three times in it (protocol 2.6): after
/// this silence it has perhaps been stopped and nobody heard, or the board has lost its mode. Ours.
pub const CLOCK_QUIET: Duration = Duration::from_millis(2_500);
/// A board that answers, and has told nothing of a running clock for so long, has perhaps lost its
/// mode. Ours.
pub const MODE_QUIET: Duration = Duration::from_millis(1_500);
/// A log that was asked for has come after this, or does not come (protocol 1.5). Ours.
const LOGS_WITHIN: Duration = Duration::from_secs(15);
/// A number that has not come after this long is asked for again, so often at this pace and then at
/// that of [`REFRESH`]: which board it is must be known. Ours.
pub const SERIAL_EVERY: Duration = Duration::from_millis(500);
/// See [`SERIAL_EVERY`].
pub const N_SERIAL_TRIES: u32 = 5;
/// Bytes come but no dump for this long, though asked for: whatever speaks, it does not answer us,
/// and nobody can vouch for the mirror. Leaves room for an unasked log (15 s, protocol 1.5). Ours.
pub const STARVED: Duration = Duration::from_secs(40);

/// Which changes the board is to send (protocol 1.3).
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum Streams {
    /// `4B`: fields and the clock. Also right when no clock is plugged in yet.
    BoardAndClock,
    /// `44`: fields only. No clock command is acknowledged then.
    BoardOnly,
}

/// [`REFRESH`] and [`STARVED`] on a line that forty boards share, of which one tells its dump in a
/// second (protocol 4.4). Ours.
pub const REFRESH_SHARED: Duration = Duration::from_secs(60);
/// See [`REFRESH_SHARED`].
pub const STARVED_SHARED: Duration = Duration::from_secs(240);

/// Where the conversation stands.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum SessionState {
    /// There is no line.
    Absent,
    /// The line is open; the board has not yet told its version.
    Opening,
    /// A board is there; its first dump has not come yet.
    Resync,
    /// A dump has come, and changes follow.
    Live,
    /// Given up for the reason of [`Session::failed`]; the shell closes and opens the line.
    Lost,
}

/// Why a session was given up.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum SessionFault {
    /// Nothing on the line told a version: a wrong device, or no power.
    NoAnswer,
    /// No byte for [`SILENCE`].
    Silent,
    /// No dump for [`STARVED`], though bytes came.
    NoDump,
}

defaults! {
    /// The conversation with one board. Pure: it is told the time and appends the commands to send,
    /// in order, each to be sent at once.
    #[derive(Debug, Clone)]
    pub struct Session {
        given {
            streams: Streams,
        }
        phase: SessionPhase = SessionPhase::Absent,
        /// Commands that wait for [`COMMAND_GAP`]; at most [`Session::QUEUE_MAX`].
        queue: VecDeque<BoardCommand>,
        /// When the next command may be sent.
        free_at: Mono,
        /// When the last byte came, or when the phase began.
        heard: Mono,
        /// When the last probe was sent.
        probed: Mono,
        /// How often the board's number was asked for in vain, and when it is next.
        unnamed: Option<(u32, Mono)>,
        /// The clock is asked for before the board.
        wants_clock: bool,
        /// The board was asked for its log, and may tell nothing else until then.
        logs_until: Mono,
        /// How the clock is watched.
        clock: ClockWatch = ClockWatch::Off,
        /// Without a dump for so long one is asked for, and for so long the board is lost.
        patience: Patience = Patience { refresh: REFRESH, starved: STARVED },
    }
}

/// How long a board may go without a dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Patience {
    refresh: Duration,
    starved: Duration,
}

/// Asks for the clock where it is silent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ClockWatch {
    /// Somebody else looks after it.
    Off,
    /// It was heard, or asked for, at that time, and is asked for again after that silence. Before
    /// that the mode of the board is in doubt, if it runs.
    On(Mono, Duration, Option<Duration>),
}

impl ClockWatch {
    fn due(self) -> Option<Mono> {
        match self {
            Self::Off => None,
            Self::On(since, silence, _) => Some(since + silence),
        }
    }

    /// When the mode is in doubt, of a board that was heard at `heard`.
    fn doubt_at(self, heard: Mono) -> Option<Mono> {
        match self {
            Self::On(since, _, Some(quiet)) if heard > since => Some(since + quiet),
            _ => None,
        }
    }

    fn doubted(&mut self) {
        if let Self::On(.., quiet) = self {
            *quiet = None;
        }
    }

    fn asked(&mut self, now: Mono) {
        if let Self::On(since, _, quiet) = self {
            (*since, *quiet) = (now, None);
        }
    }

    fn heard(&mut self, now: Mono, message: &ClockMessage) {
        if let Self::On(since, silence, quiet) = self {
            let is_running = message.lever().is_some_and(|lever| lever.running);
            *since = now;
            (*silence, *quiet) = match is_running {
                true => (CLOCK_QUIET, Some(MODE_QUIET)),
                false => (CLOCK_EVERY, None),
            };
        }
    }
}

#[derive(Debug, Copy, Clone, PartialEq, Eq)]
enum SessionPhase {
    Absent,
    /// The version was asked for this many times; the next step is due at the given moment.
    Asking(u32, Mono),
    Running {
        /// When a dump was asked for that has not come.
        asked: Option<Mono>,
        /// When the last dump came.
        dumped: Option<Mono>,
        /// When the board told its version.
        started: Mono,
        /// When the update mode was last entered.
        refreshed: Mono,
    },
    Failed(SessionFault),
}

impl Session {
    /// Identity, mode and dump, a probe, a refresh, a log: more never waits at once.
    const QUEUE_MAX: usize = 12;

    /// A session without a line.
    pub fn new(streams: Streams) -> Self {
        Self::begin(streams)
    }

    /// The same session for a board that shares its line with others: dumps take long to come, and
    /// are needed less, as no change is lost there.
    #[must_use]
    pub fn sharing_line(self) -> Self {
        let patience = Patience { refresh: REFRESH_SHARED, starved: STARVED_SHARED };
        Self { patience, ..self }
    }

    /// The same session, which asks for the clock where it is silent. Not for a clock with a
    /// driver, who must know what was asked (protocol 2.6).
    #[must_use]
    pub fn watching_clock(self) -> Self {
        Self { clock: ClockWatch::On(Mono::default(), CLOCK_EVERY, None), ..self }
    }

    /// The same before anything was heard.
    fn anew(&self) -> Self {
        let clock = match self.clock {
            ClockWatch::Off => ClockWatch::Off,
            ClockWatch::On(since, ..) => ClockWatch::On(since, CLOCK_EVERY, None),
        };
        Self { clock, patience: self.patience, ..Self::new(self.streams) }
    }

    /// Where the conversation stands.
    pub fn state(&self) -> SessionState {
        match self.phase {
            SessionPhase::Absent => SessionState::Absent,
            SessionPhase::Asking(..) => SessionState::Opening,
            SessionPhase::Running { dumped: None, .. } => SessionState::Resync,
            SessionPhase::Running { dumped: Some(_), .. } => SessionState::Live,
            SessionPhase::Failed(_) => SessionState::Lost,
        }
    }

    /// Why the shell must close and open the line; `None` while there is hope.
    pub fn failed(&self) -> Option<SessionFault> {
        match self.phase {
            SessionPhase::Failed(fault) => Some(fault),
            _ => None,
        }
    }

    /// The line was opened. Starts from the beginning, whatever was before.
    pub fn link_up(&mut self, now: Mono, out: &mut Vec<BoardCommand>) {
        *self = self.anew();
        self.heard = now;
        self.probed = now;
        self.ask_version(now, 1);
        self.send(now, out);
    }

    /// Once the board is awake, its clock is asked for before its picture. A clock that stands
    /// tells nothing by itself, and what is on the board means something else while it does.
    pub fn ask_clock(&mut self) {
        self.wants_clock = true;
    }

    /// The line is gone.
    pub fn link_down(&mut self) {
        *self = self.anew();
    }

    /// The line will be closed on purpose: the board is told to be quiet, lest the next to open it
    /// starts inside a message (protocol 1.14 step 7). Whoever has not told its version is told
    /// nothing.
    pub fn leave(&mut self, out: &mut Vec<BoardCommand>) {
        if matches!(self.phase, SessionPhase::Running { .. }) {
            out.push(BoardCommand::Reset);
        }
        self.link_down();
    }

    /// Bytes came, whether they made a message or not: the board is not silent.
    pub fn on_bytes(&mut self, now: Mono) {
        self.heard = self.heard.max(now);
    }

    /// A message came.
    pub fn on_message(&mut self, now: Mono, message: &BoardMessage, out: &mut Vec<BoardCommand>) {
        self.on_bytes(now);
        match (&mut self.phase, message) {
            (SessionPhase::Asking(..), BoardMessage::Version { .. }) => self.run(now),
            (SessionPhase::Running { asked, dumped, .. }, BoardMessage::Dump(_)) => {
                *asked = None;
                *dumped = Some(now);
            }
            (_, BoardMessage::Serial(_)) => self.unnamed = None,
            (_, BoardMessage::Clock(clock)) => self.clock.heard(now, clock),
            (_, BoardMessage::Log(_)) => self.logs_until = now,
            _ => {}
        }
        self.on_timeout(now, out);
    }

    /// A moment of [`Session::wake_at`] has come. Calling early does no harm.
    pub fn on_timeout(&mut self, now: Mono, out: &mut Vec<BoardCommand>) {
        match self.phase {
            SessionPhase::Absent | SessionPhase::Failed(_) => return,
            SessionPhase::Asking(n_asked, until) if now >= until => {
                self.ask_version(now, n_asked + 1)
            }
            SessionPhase::Asking(..) => {}
            SessionPhase::Running { .. } => self.watch(now),
        }
        self.send(now, out);
    }

    /// When [`Session::on_timeout`] is due.
    pub fn wake_at(&self) -> Option<Mono> {
        let phase = match self.phase {
            SessionPhase::Absent | SessionPhase::Failed(_) => return None,
            SessionPhase::Asking(_, until) => until,
            SessionPhase::Running { .. } => {
                let quiet = self.probe_at().min(self.heard + SILENCE);
                let dump = self.refresh_at().min(self.starved_at());
                let named = self.unnamed.map(|(_, due)| due);
                let clock = [self.clock_at(), self.doubt_at()].into_iter().flatten().min();
                let dues = [self.reask_at(), clock, named, Some(dump), Some(quiet)];
                dues.into_iter().flatten().min().unwrap_or(quiet)
            }
        };
        let queue = (!self.queue.is_empty()).then_some(self.free_at);
        Some(queue.map_or(phase, |at| at.min(phase)))
    }

    /// Asks for a dump, unless one is on its way: what that one shows is as new as what was heard
    /// before it. Does nothing before the board is awake, for then a dump is coming anyway.
    pub fn want_dump(&mut self, now: Mono, out: &mut Vec<BoardCommand>) {
        if let SessionPhase::Running { asked: None, .. } = self.phase {
            self.ask_dump(now);
            self.send(now, out);
        }
    }

    /// Asks once more for a number that was told and is in doubt, before anything else: all that
    /// comes is worth something only once it is known whose it is.
    pub fn ask_serial(&mut self, now: Mono, ask: BoardCommand, out: &mut Vec<BoardCommand>) {
        if !matches!(self.phase, SessionPhase::Running { .. }) {
            return;
        }
        self.queue.retain(|command| *command != ask);
        self.queue.push_front(ask);
        self.unnamed = Some((0, now + SERIAL_EVERY));
        self.send(now, out);
    }

    /// Asks for the clock, if it is watched: somebody else knows what a driven one was asked.
    pub fn want_clock(&mut self, now: Mono, out: &mut Vec<BoardCommand>) {
        if let (SessionPhase::Running { .. }, ClockWatch::On(..)) = (self.phase, self.clock) {
            self.clock.asked(now);
            self.enqueue(BoardCommand::SendClock);
            self.send(now, out);
        }
    }

    /// Asks for a dump, and for the board's own log after it: 8 s in which nothing else comes
    /// (protocol 5). False before the board is awake, for then nothing is asked.
    pub fn ask_log(&mut self, now: Mono, out: &mut Vec<BoardCommand>) -> bool {
        let SessionPhase::Running { dumped: Some(_), .. } = self.phase else { return false };
        self.ask_dump(now);
        self.enqueue(BoardCommand::SendLog);
        self.send(now, out);
        true
    }

    fn ask_version(&mut self, now: Mono, n_asked: u32) {
        if n_asked > N_VERSION_TRIES {
            return self.fail(SessionFault::NoAnswer);
        }
        self.enqueue(BoardCommand::SendVersion);
        let wait = if n_asked == 1 { VERSION_AGAIN } else { VERSION_WAIT };
        self.phase = SessionPhase::Asking(n_asked, now + wait);
    }

    /// A board is there: its identity, its stream, its picture.
    fn run(&mut self, now: Mono) {
        self.phase =
            SessionPhase::Running { asked: None, dumped: None, started: now, refreshed: now };
        self.queue.clear();
        self.clock.asked(now);
        self.enqueue(BoardCommand::ReturnSerial);
        // On a line that is shared the address tells boards apart.
        self.unnamed = self.has_line().then_some((0, now + SERIAL_EVERY));
        if std::mem::take(&mut self.wants_clock) {
            self.enqueue(BoardCommand::SendClock);
        }
        self.refresh(now);
        // What else it is can wait until its picture is there.
        self.enqueue(BoardCommand::ReturnLongSerial);
        self.enqueue(BoardCommand::SendTrademark);
    }

    fn watch(&mut self, now: Mono) {
        if now >= self.heard + SILENCE {
            return self.fail(SessionFault::Silent);
        }
        if now >= self.starved_at() {
            return self.fail(SessionFault::NoDump);
        }
        if self.reask_at().is_some_and(|at| now >= at) {
            self.ask_dump(now);
        }
        if now >= self.refresh_at() {
            self.refresh(now);
        }
        if self.clock_at().is_some_and(|at| now >= at) {
            self.clock.asked(now);
            // Perhaps the board has lost its power and with it its mode.
            self.enqueue(self.update());
            self.enqueue(BoardCommand::SendClock);
        } else if self.doubt_at().is_some_and(|at| now >= at) {
            self.clock.doubted();
            // How it stands is told before it tells changes again, which would hide those that it
            // has not told.
            self.ask_dump(now);
            self.enqueue(self.update());
        }
        if let Some((n, due)) = self.unnamed
            && now >= due
        {
            let wait = if n < N_SERIAL_TRIES { SERIAL_EVERY } else { REFRESH };
            self.unnamed = Some((n.saturating_add(1), now + wait));
            self.enqueue(BoardCommand::ReturnSerial);
        }
        if now >= self.probe_at() {
            self.probed = now;
            self.enqueue(BoardCommand::ReturnSerial);
        }
    }

    /// Enters the update mode, again or for the first time, and asks for a dump.
    fn refresh(&mut self, now: Mono) {
        self.enqueue(self.update());
        if let SessionPhase::Running { refreshed, .. } = &mut self.phase {
            *refreshed = now;
        }
        self.ask_dump(now);
    }

    /// The command that enters the update mode.
    const fn update(&self) -> BoardCommand {
        match self.streams {
            Streams::BoardAndClock => BoardCommand::UpdateNice,
            Streams::BoardOnly => BoardCommand::UpdateBoard,
        }
    }

    fn ask_dump(&mut self, now: Mono) {
        self.enqueue(BoardCommand::SendBoard);
        if let SessionPhase::Running { asked, .. } = &mut self.phase {
            *asked = Some(now);
        }
    }

    fn probe_at(&self) -> Mono {
        self.heard.max(self.probed) + QUIET
    }

    fn reask_at(&self) -> Option<Mono> {
        let SessionPhase::Running { asked: Some(asked), .. } = self.phase else {
            return None;
        };
        Some((asked + DUMP_WAIT).max(self.heard + REST))
    }

    fn refresh_at(&self) -> Mono {
        let SessionPhase::Running { dumped, refreshed, .. } = self.phase else {
            return Mono(u64::MAX);
        };
        let last = dumped.map_or(refreshed, |dumped| dumped.max(refreshed));
        (last + self.patience.refresh).max(self.heard + REST)
    }

    fn clock_at(&self) -> Option<Mono> {
        Some(self.clock.due()?.max(self.heard + REST))
    }

    /// Not on a line that is shared, on which a clock may well be told later.
    fn doubt_at(&self) -> Option<Mono> {
        let doubt = self.clock.doubt_at(self.heard).filter(|_| self.has_line())?;
        Some(doubt.max(self.heard + REST).max(self.logs_until))
    }

    /// Whether the board has a line to itself.
    fn has_line(&self) -> bool {
        self.patience.refresh == REFRESH
    }

    fn starved_at(&self) -> Mono {
        match self.phase {
            SessionPhase::Running { dumped, started, .. } => {
                dumped.unwrap_or(started) + self.patience.starved
            }
            _ => Mono(u64::MAX),
        }
    }

    /// Commands wait for nothing but the gap, so one that already waits need not wait twice.
    fn enqueue(&mut self, command: BoardCommand) {
        if !self.queue.contains(&command) {
            assert!(self.queue.len() < Self::QUEUE_MAX, "distinct commands are few");
            self.queue.push_back(command);
        }
    }

    fn send(&mut self, now: Mono, out: &mut Vec<BoardCommand>) {
        if now < self.free_at {
            return;
        }
        if let Some(command) = self.queue.pop_front() {
            self.free_at = now + COMMAND_GAP;
            // The wait for a dump begins when the question leaves, not when it queues.
            if let (BoardCommand::SendBoard, SessionPhase::Running { asked, .. }) =
                (&command, &mut self.phase)
            {
                *asked = Some(now);
            }
            if command == BoardCommand::SendLog {
                self.logs_until = now + LOGS_WITHIN;
            }
            out.push(command);
        }
    }

    fn fail(&mut self, fault: SessionFault) {
        self.queue.clear();
        self.phase = SessionPhase::Failed(fault);
    }
}
