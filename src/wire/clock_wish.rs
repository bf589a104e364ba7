//! What a clock shall show, and what a driver says about it: the words that all drivers share.
//!
//! A host does not send commands to a clock; it says what it wants, and a driver sends commands
//! until the clock agrees. So a lost answer, a clock that forgets and a plug that was pulled are
//! all mended alike.

use crate::table::End;
use std::time::Duration;

use super::clock::{Buttons, ClockTime};
use super::clock_command::{Icons, LONG_TEXT_LEN, Runs, SetAndRun, SetTime, TEXT_LEN, padded};
use super::segments::N_PLACES;
use crate::time::Mono;

/// What the clock shall show from now on.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Default)]
pub struct Wanted {
    /// Times and who runs; `None` leaves them as they are.
    pub times: Option<WantedTimes>,
    /// A text over the times; `None` for the times.
    pub text: Option<ClockText>,
    /// Icons, of which only an XL has any; `None` leaves them as they are.
    pub icons: Option<Icons>,
}

/// Times that run on while they are wanted.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct WantedTimes {
    /// Left at `since`, for the left display.
    pub left: Duration,
    /// Left at `since`, for the right display.
    pub right: Duration,
    /// Whose time runs.
    pub runs: Runs,
    /// The clock changes sides by itself when the lever turns. A press then counts at once, even
    /// while a command is under way; no public program is known to use it (protocol 3.3).
    pub turns_by_lever: bool,
    /// When these times were right.
    pub since: Mono,
}

impl WantedTimes {
    /// The times at `now`, in seconds as a display shows them: a second that has begun is shown
    /// until it is over, so that a display shows zero when the flag falls.
    pub fn shown(&self, now: Mono) -> (u32, u32) {
        let passed = now.since(self.since);
        let side = |left: Duration, runs: bool| {
            let left = if runs { left.saturating_sub(passed) } else { left };
            u32::try_from(left.as_millis().div_ceil(1_000)).unwrap_or(u32::MAX)
        };
        let left_runs = matches!(self.runs, Runs::Left | Runs::Both);
        let right_runs = matches!(self.runs, Runs::Right | Runs::Both);
        (side(self.left, left_runs), side(self.right, right_runs))
    }

    /// The command that sets them.
    pub fn command(&self, now: Mono) -> SetAndRun {
        let (left, right) = self.shown(now);
        SetAndRun {
            left: SetTime::of_seconds(left),
            right: SetTime::of_seconds(right),
            runs: self.runs,
            toggle: self.turns_by_lever && self.runs != Runs::Pause,
        }
    }

    /// When the side that runs alone has whole seconds left, at `at` or after; `None` once its time
    /// is over.
    pub(super) fn next_change(&self, at: Mono) -> Option<Mono> {
        let left = self.running()?.checked_sub(at.since(self.since))?;
        let rest = Duration::from_nanos(u64::from(left.subsec_nanos()));
        (!left.is_zero()).then(|| at + rest)
    }

    /// What the side that runs alone had left at `since`.
    fn running(&self) -> Option<Duration> {
        Some(match self.end()? {
            End::Left => self.left,
            End::Right => self.right,
        })
    }

    /// The end whose time runs, if it is one.
    pub const fn end(&self) -> Option<End> {
        match self.runs {
            Runs::Left => Some(End::Left),
            Runs::Right => Some(End::Right),
            Runs::Both | Runs::Pause => None,
        }
    }
}

/// A text in the three lengths that clocks show.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub struct ClockText {
    /// For the six places of an XL.
    pub short: [u8; N_PLACES],
    /// For a DGT3000 behind a board.
    pub middle: [u8; TEXT_LEN],
    /// For a DGT3000 on its jack.
    pub long: [u8; LONG_TEXT_LEN],
}

impl ClockText {
    /// What is shown when the arbiter is wanted at the board.
    pub fn call_arbiter() -> Self {
        Self::new("arbitr", "arbiter", "CallArbiter")
    }

    /// One text in three lengths; each is padded with spaces, or cut.
    pub fn new(short: &str, middle: &str, long: &str) -> Self {
        Self { short: padded(short), middle: padded(middle), long: padded(long) }
    }

    /// The same text for all, cut where it is too long: results, short words.
    ///
    /// ```
    /// use rokade::wire::ClockText;
    /// assert_eq!(&ClockText::plain("1-0").short, b"1-0   ");
    /// ```
    pub fn plain(text: &str) -> Self {
        Self::new(text, text, text)
    }

    /// A move: its squares where there is little room, else as it is written on a score sheet.
    pub fn for_move(squares: &str, written: &str) -> Self {
        Self::new(squares, written, written)
    }
}

/// What kind of clock hangs there.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum ClockKind {
    /// The XL family, version 1: six places of seven segments.
    Xl,
    /// The DGT3000 family, version 2: letters.
    Dgt3000,
    /// Another major version; treated like a DGT3000.
    Other(u8),
}

/// How the clock differs from what is wanted.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum Difference {
    /// There is no clock.
    Absent,
    /// The clock is there but has not answered yet.
    Silent,
    /// The clock does not obey; [`ClockNews::Refuses`] has said what to do.
    Refused,
    /// The times have not been confirmed, or others are shown.
    Times,
    /// The times stand though they should run, or the other way round.
    Running,
    /// The lever stands against the side that should run: some clocks then run nothing.
    Lever,
    /// No reading has come since the times were set.
    Unread,
    /// The text, or its absence, has not been confirmed.
    Text,
}

/// What a driver tells.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum ClockNews {
    /// A clock answers.
    Found(ClockKind),
    /// The clock that was there is gone.
    Gone,
    /// A clock is there and answers no command; the text says what to do.
    Silent(&'static str),
    /// The clock answers but will not be set; the text says what to do.
    Refuses(&'static str),
    /// The clock has started anew, and with it the forgetting.
    Restarted,
    /// A reading that may be believed.
    Reading(ClockTime),
    /// The lever turned; this end is up now.
    Lever(End),
    /// Buttons were pressed.
    Pressed(Buttons),
    /// The on/off key was pressed; the driver has taken the clock back.
    PowerKey,
    /// A command, by its id, was sent as often as is allowed and never answered.
    Unanswered(u8),
    /// The lines are held low: a plug half in, or a broken cable.
    Cable,
    /// The line has held up a reading, or another has overtaken it: from now on readings are asked
    /// for more often. Told once for each line.
    HeldUp,
    /// The clock does not show what is wanted, and has not for ten seconds.
    Differs(Difference),
    /// The clock was set several times in vain: it says nothing against it, or says that it did,
    /// and shows something else.
    Defies,
    /// The clock shows again what is wanted.
    Agrees,
}

/// What a driver asks of its surroundings, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DriverOutput<C> {
    /// Send this now.
    Send(C),
    /// The driver has this to say.
    Tell(ClockNews),
}

/// A driver of one clock. Pure: it is told the time, and times never go back.
pub trait ClockDriver {
    /// What the clock, or the line to it, has to say.
    type Input;
    /// What is sent to it.
    type Command;

    /// The clock shall show this from now on.
    fn want(&mut self, at: Mono, wanted: Wanted, out: &mut Vec<DriverOutput<Self::Command>>);

    /// The clock shall sound, for this many units of about 64 ms, 1..=47.
    fn beep(&mut self, at: Mono, units: u8, out: &mut Vec<DriverOutput<Self::Command>>);

    /// Something was heard.
    fn handle(&mut self, at: Mono, input: &Self::Input, out: &mut Vec<DriverOutput<Self::Command>>);

    /// The moment of [`ClockDriver::wake_at`] has come. Calling early does no harm.
    fn on_timeout(&mut self, at: Mono, out: &mut Vec<DriverOutput<Self::Command>>);

    /// When [`ClockDriver::on_timeout`] is due.
    fn wake_at(&self) -> Option<Mono>;

    /// How the clock differs from what is wanted, as far as the driver knows; `None` if it agrees.
    fn difference(&self) -> Option<Difference>;
}

/// What to do about a clock that is gone.
pub(super) const CLOCK_GONE: &str = "the clock was unplugged before it showed what it was told; \
                                     plug it in and give the order again";

/// What is heard of a port: a serial line, or whatever else carries bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PortInput {
    /// It is open.
    Up,
    /// It is gone.
    Down,
    /// Bytes, cut anyhow.
    Bytes(Vec<u8>),
}

/// A driver that has a port to itself: what it asks for are bytes. At the far end of the port is a
/// device that speaks for the clock, as a board or a bridge does.
pub trait PortDriver: ClockDriver<Input = PortInput, Command = Vec<u8>> {
    /// Whether the device answers.
    fn is_linked(&self) -> bool;

    /// What to do where no time of a clock has come for long.
    fn silence(&self) -> &'static str;

    /// What to do where the clock was there and is gone.
    fn loss(&self) -> &'static str {
        CLOCK_GONE
    }

    /// What is sent before the port is closed.
    fn leave(&mut self) -> Vec<Vec<u8>> {
        Vec::new()
    }
}
