//! Drives a DGT3000 over I2C: takes control of it, keeps it, and shows what is wanted.
//!
//! Unlike behind a board there is no doubt that the clock itself answers, answers come within
//! milliseconds, and the option is chosen from here. Instead the bus has faults of its own: the
//! clock sleeps, two masters speak at once, a plug is half in. Answers come on one of two
//! addresses, and the host listens on one at a time. Protocol 6.3 to 6.6.

use crate::table::End;
use std::time::Duration;

use super::{AckVerdict, Address, BEEP_MAX, I2cAck, I2cCommand, I2cMessage, I2cSet, I2cTime};
use super::{KeyEvent, Keys, SideRun};
use crate::time::Mono;
use crate::wire::agenda::{Job, Shown};
use crate::wire::clock_wish::{
    ClockDriver, ClockKind, ClockNews, Difference, DriverOutput, Wanted, WantedTimes,
};
use crate::wire::errand::{Errand, Errands, N_TRIES};
use crate::wire::{ClockTime, LONG_TEXT_LEN, Runs, SideTime};

/// An answer takes up to 10 ms by one program and 50 ms by another (protocol 6.6); the rest is for
/// a microcontroller between us and the bus.
const ANSWER_WAIT: Duration = Duration::from_millis(100);
/// After the clock has obeyed (protocol 6.5, step 2).
const AFTER_GOOD: Duration = Duration::from_millis(5);
/// After it has refused or was silent (protocol 6.5, step 3).
const AFTER_BAD: Duration = Duration::from_millis(10);
/// After all attempts to get control, before the next. Ours.
const TAKE_EVERY: Duration = Duration::from_secs(5);
/// A clock under control tells its time about once a second (protocol 6.4); silent for this long
/// it has been lost. Ours.
const SILENCE: Duration = Duration::from_secs(5);

const MEND_GAME: &str = "the DGT 3000 runs a game of its own and gives up no control: stop it with \
                         the middle button, or switch the clock off";

/// What is asked of the bus, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum I2cOp {
    /// From now on frames to this address are ours.
    Listen(Address),
    /// Write this frame, whose first byte is the address, once the bus has rested 50 us.
    Write(Vec<u8>),
    /// Set the bus up anew: the lines are held low.
    Reset,
}

/// What the bus has to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum I2cInput {
    /// There is a bus.
    Up,
    /// There is none any more.
    Down,
    /// How the last write ended.
    Written(WriteEnd),
    /// A frame for us, the address byte in front.
    Frame(Vec<u8>),
}

/// How a write ended.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum WriteEnd {
    /// All bytes were taken.
    Done,
    /// Nobody has this address, or nobody listens now.
    NoAnswer,
    /// Another master spoke at the same time, or the clock was held too long.
    Collision,
    /// A line is held low.
    Stuck,
}

/// Where the conversation stands.
#[derive(Debug, Copy, Clone, Default, PartialEq, Eq)]
enum Conversation {
    /// There is no bus.
    #[default]
    Down,
    /// Not under control.
    Taking(Taking),
    /// Nothing has helped; from the beginning then.
    Resting(Mono),
    /// The clock obeys.
    Ready,
}

/// How control is being taken.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
struct Taking {
    n_tried: u32,
    n_woken: u32,
    /// What is sent next, and when.
    next: I2cCommand,
    due: Mono,
}

/// A command to the clock.
#[derive(Debug, Copy, Clone)]
struct Sent {
    command: I2cCommand,
    /// The text that is believed to be shown, once more.
    is_again: bool,
}

/// The driver of a DGT3000 on its jack. It begins without a bus, and wants nothing.
#[derive(Debug, Clone, Default)]
pub struct Dgt3000 {
    phase: Conversation,
    errands: Errands<Sent>,
    /// The address on which the host listens.
    listens: Option<Address>,
    keys: Option<Keys>,
    /// Whether the clock has been found since the bus came up.
    is_found: bool,
    heard: Mono,
    n_faults: u32,
    /// Refusals in a row by a clock that had said that it obeys.
    n_refused: u32,
    has_reset: bool,
    /// Why control could not be taken, as it was told last.
    trouble: Option<ClockNews>,
}

impl Dgt3000 {
    /// Frames that were none, since the bus came up: a measure of the wiring.
    pub const fn n_faults(&self) -> u32 {
        self.n_faults
    }

    fn take(&mut self, due: Mono) {
        self.errands.flight = None;
        let next = I2cCommand::Mode25;
        self.phase = Conversation::Taking(Taking { n_tried: 0, n_woken: 0, next, due });
    }

    /// The attempts are used up: tells why, if that is news, and rests.
    fn rest(&mut self, at: Mono, why: ClockNews, out: &mut Vec<DriverOutput<I2cOp>>) {
        let was_found = std::mem::replace(&mut self.is_found, false);
        let is_news = self.trouble != Some(why) && (was_found || why != ClockNews::Gone);
        if is_news {
            out.push(DriverOutput::Tell(why));
        }
        self.trouble = Some(why);
        self.errands.flight = None;
        self.phase = Conversation::Resting(at + TAKE_EVERY);
    }

    fn on_frame(&mut self, at: Mono, frame: &[u8], out: &mut Vec<DriverOutput<I2cOp>>) {
        let Ok(message) = I2cMessage::decode(frame) else {
            self.n_faults = self.n_faults.saturating_add(1);
            return;
        };
        self.heard = at;
        match message {
            I2cMessage::Ack(ack) => self.on_ack(at, ack, out),
            I2cMessage::Hello => self.on_hello(at, out),
            I2cMessage::Time(time) => self.on_time(at, time, out),
            I2cMessage::Keys { now, before } => self.on_keys(at, now, before, out),
            I2cMessage::Empty | I2cMessage::Other(_) => {}
        }
    }

    /// The clock has woken: whether we did it or its key, it must be taken.
    fn on_hello(&mut self, at: Mono, out: &mut Vec<DriverOutput<I2cOp>>) {
        if self.phase == Conversation::Ready {
            out.push(DriverOutput::Tell(ClockNews::Restarted));
            self.errands.forget();
        }
        self.take(at + AFTER_GOOD);
    }

    fn on_time(&mut self, at: Mono, time: I2cTime, out: &mut Vec<DriverOutput<I2cOp>>) {
        // The first time tells where the lever stands; a later one, if a key message was lost.
        let keys = self.keys.unwrap_or_default().with_high(time.high);
        let before = self.keys.replace(keys);
        // What was pressed while it could not be heard is seen against what was wanted of it.
        let wanted = || self.errands.agenda.wanted().times.and_then(|times| times.end());
        let known = before.map(Keys::high).or_else(wanted);
        if known.is_some_and(|high| high != time.high) {
            out.push(DriverOutput::Tell(ClockNews::Lever(time.high)));
        }
        if self.phase != Conversation::Ready {
            return;
        }
        let I2cTime { left, right, high, .. } = time;
        self.errands.agenda.read(at, Shown { left, right, running: None, high });
        if self.errands.agenda.has_taken_effect(at) {
            out.push(DriverOutput::Tell(ClockNews::Reading(self.reading(time))));
        }
    }

    /// A reading as a board would give it. The clock does not say whether it runs, so it is taken
    /// to do what it has confirmed.
    fn reading(&self, time: I2cTime) -> ClockTime {
        let agenda = &self.errands.agenda;
        let times = agenda.wanted().times;
        ClockTime {
            left: SideTime::of_seconds(time.left),
            right: SideTime::of_seconds(time.right),
            running: times.is_some_and(|times| times.runs != Runs::Pause) && agenda.is_confirmed(),
            high: time.high,
            battery_low: false,
        }
    }

    fn on_keys(&mut self, at: Mono, now: Keys, before: Keys, out: &mut Vec<DriverOutput<I2cOp>>) {
        // What a lost message said is in the next one.
        let known = self.keys.replace(now).unwrap_or(before);
        for event in before.since(known).into_iter().chain(now.since(before)) {
            out.push(DriverOutput::Tell(match event {
                KeyEvent::Lever(high) => ClockNews::Lever(high),
                KeyEvent::Pressed(buttons) => ClockNews::Pressed(buttons),
                KeyEvent::PowerReleased => continue,
                KeyEvent::PowerPressed => {
                    // A clock under control cannot be switched off: it is taken back.
                    self.errands.forget();
                    self.take(at + AFTER_BAD);
                    ClockNews::PowerKey
                }
            }));
        }
    }

    fn on_ack(&mut self, at: Mono, ack: I2cAck, out: &mut Vec<DriverOutput<I2cOp>>) {
        let is_it = |flight: &mut Errand<Sent>| flight.command.command.id() == ack.command;
        let Some(flight) = self.errands.flight.take_if(is_it) else { return };
        let Sent { command, is_again } = flight.command;
        match (flight.job, ack.verdict()) {
            (None, AckVerdict::Refused) => self.step_failed(at, command, true, out),
            (None, _) => self.step_done(at, command, out),
            (Some(job), AckVerdict::Done) => self.job_done(at, job, flight),
            // It was to be said again, and need not be.
            (Some(Job::Text), AckVerdict::TextShown) if is_again => {
                self.errands.agenda.done(at, Job::Text, &flight.wanted);
            }
            // Another text is there, and must go first; unless that has been tried.
            (Some(_), AckVerdict::TextShown) if self.n_refused < N_TRIES => {
                self.n_refused += 1;
                self.errands.agenda.cover();
            }
            // It obeys no longer, and has not said so.
            (Some(_), AckVerdict::TextShown) => {
                self.n_refused = 0;
                self.phase = Conversation::Resting(at + TAKE_EVERY);
            }
            // It obeys no longer.
            (Some(Job::Set), AckVerdict::Refused) if self.n_refused < N_TRIES => {
                self.n_refused += 1;
                self.take(at + AFTER_BAD);
            }
            // It gives control each time, and will not be set all the same: it is told of once.
            (Some(Job::Set), AckVerdict::Refused) => {
                let why = ClockNews::Refuses(MEND_GAME);
                if std::mem::replace(&mut self.n_refused, N_TRIES + 1) == N_TRIES {
                    out.push(DriverOutput::Tell(why));
                }
                self.trouble = Some(why);
                self.phase = Conversation::Resting(at + TAKE_EVERY);
            }
            (Some(job), AckVerdict::Refused) => self.errands.agenda.failed(at, job),
        }
        if self.errands.flight.is_none() {
            self.listen(Address::General, out);
        }
    }

    fn job_done(&mut self, at: Mono, job: Job, flight: Errand<Sent>) {
        let Errand { command: Sent { command, .. }, wanted, .. } = flight;
        let agenda = &mut self.errands.agenda;
        match (job, command) {
            // The way is free for the text itself.
            (Job::Text | Job::Beep, I2cCommand::EndDisplay) => agenda.uncovered(),
            (Job::Beep, _) => {
                agenda.done(at, Job::Beep, &wanted);
                agenda.done(at, Job::Text, &wanted);
            }
            _ => agenda.done(at, job, &wanted),
        }
        if command != I2cCommand::EndDisplay {
            self.n_refused = 0;
        }
    }

    /// A step towards control has been taken.
    fn step_done(&mut self, at: Mono, step: I2cCommand, out: &mut Vec<DriverOutput<I2cOp>>) {
        let Conversation::Taking(taking) = self.phase else { return };
        if step == I2cCommand::Mode25 {
            self.phase = Conversation::Ready;
            self.heard = at;
            self.trouble = None;
            self.errands.forget();
            if !std::mem::replace(&mut self.is_found, true) {
                out.push(DriverOutput::Tell(ClockNews::Found(ClockKind::Dgt3000)));
            }
        } else {
            let next = I2cCommand::Mode25;
            self.phase = Conversation::Taking(Taking { next, due: at + AFTER_GOOD, ..taking });
        }
    }

    /// A step was refused, or nobody answered it though the frame was taken.
    fn step_failed(
        &mut self,
        at: Mono,
        step: I2cCommand,
        is_refused: bool,
        out: &mut Vec<DriverOutput<I2cOp>>,
    ) {
        let Conversation::Taking(taking) = self.phase else { return };
        if taking.n_tried >= N_TRIES {
            let why = if is_refused { ClockNews::Refuses(MEND_GAME) } else { ClockNews::Gone };
            self.rest(at, why, out);
            return;
        }
        let (n_tried, next) = match step {
            I2cCommand::Mode25 => (taking.n_tried + 1, I2cCommand::SetCentralControl),
            // Refused or not: the option may be to be had all the same.
            _ => (taking.n_tried, I2cCommand::Mode25),
        };
        self.phase = Conversation::Taking(Taking { n_tried, next, due: at + AFTER_BAD, ..taking });
    }

    fn on_written(&mut self, at: Mono, end: WriteEnd, out: &mut Vec<DriverOutput<I2cOp>>) {
        let Some(flight) = &mut self.errands.flight else { return };
        match end {
            WriteEnd::Done => {
                flight.due = at + ANSWER_WAIT;
                self.has_reset = false;
            }
            // The clock does not acknowledge that it is woken (protocol 6.3).
            WriteEnd::NoAnswer if flight.command.command == I2cCommand::Wake => {
                flight.due = at + ANSWER_WAIT;
            }
            WriteEnd::NoAnswer => self.nobody(at, out),
            // Retried at once (protocol 6.5, step 6), within the same limit.
            WriteEnd::Collision => flight.due = at,
            WriteEnd::Stuck => {
                if std::mem::replace(&mut self.has_reset, true) {
                    self.rest(at, ClockNews::Cable, out);
                } else {
                    out.push(DriverOutput::Send(I2cOp::Reset));
                    self.listens = None;
                    self.take(at + AFTER_BAD);
                }
            }
        }
    }

    /// Nobody has the clock's address: it sleeps, or is not there.
    fn nobody(&mut self, at: Mono, out: &mut Vec<DriverOutput<I2cOp>>) {
        self.errands.flight = None;
        let n_woken = match self.phase {
            Conversation::Taking(taking) => taking.n_woken,
            _ => 0,
        };
        if n_woken < N_TRIES {
            let (n_woken, next) = (n_woken + 1, I2cCommand::Wake);
            self.phase = Conversation::Taking(Taking { n_tried: 0, n_woken, next, due: at });
        } else {
            self.rest(at, ClockNews::Gone, out);
        }
    }

    fn overdue(&mut self, at: Mono, out: &mut Vec<DriverOutput<I2cOp>>) {
        let Some(flight) = self.errands.take_overdue(at) else { return };
        let step = flight.command.command;
        match flight.job {
            None if step == I2cCommand::Wake => {
                // No hello; perhaps it was awake all the same.
                if let Conversation::Taking(taking) = &mut self.phase {
                    (taking.next, taking.due) = (I2cCommand::Mode25, at);
                }
            }
            None => self.step_failed(at, step, false, out),
            Some(job) => {
                if self.errands.tries_again(at, job, step.id(), flight.n_sent, out)
                    && let Some(command) = self.command(at, job)
                {
                    self.launch(at, Some(job), command, flight.n_sent + 1, out);
                }
            }
        }
        if self.errands.flight.is_none() {
            self.listen(Address::General, out);
        }
    }

    fn listen(&mut self, address: Address, out: &mut Vec<DriverOutput<I2cOp>>) {
        if self.listens.replace(address) != Some(address) {
            out.push(DriverOutput::Send(I2cOp::Listen(address)));
        }
    }

    fn launch(
        &mut self,
        at: Mono,
        job: Option<Job>,
        command: I2cCommand,
        n_sent: u32,
        out: &mut Vec<DriverOutput<I2cOp>>,
    ) {
        let agenda = &mut self.errands.agenda;
        let is_again = job == Some(Job::Text) && agenda.shows_text();
        // The end of a text is answered where texts are, and where there was none, elsewhere
        // (protocol 6.3). After one attempt there is none, whether we heard of it or not.
        let on = match command {
            I2cCommand::EndDisplay if n_sent == 1 && agenda.knows_text() => Address::General,
            _ => command.answers_on(),
        };
        if matches!(command, I2cCommand::Display { .. }) {
            agenda.cover();
        }
        self.listen(on, out);
        self.errands.launch(at, job, Sent { command, is_again }, n_sent, ANSWER_WAIT);
        out.push(DriverOutput::Send(I2cOp::Write(command.encode())));
    }

    /// The command for a job as things stand; `None` if there is nothing to do any more.
    fn command(&self, at: Mono, job: Job) -> Option<I2cCommand> {
        let agenda = &self.errands.agenda;
        let wanted = agenda.wanted();
        let is_free = agenda.is_bare();
        match job {
            Job::Set | Job::Step => Some(I2cCommand::SetAndRun(set(&wanted.times?, at))),
            Job::EndText => wanted.text.is_none().then_some(I2cCommand::EndDisplay),
            Job::Text => {
                let text = wanted.text?.long;
                let is_free = is_free || agenda.shows_text();
                Some(if is_free { display(text, 0) } else { I2cCommand::EndDisplay })
            }
            Job::Beep => {
                // Only a text can sound; without one, the glass goes dark for a moment.
                let text = wanted.text.map_or([b' '; LONG_TEXT_LEN], |text| text.long);
                let beep = agenda.next_beep()?;
                Some(if is_free { display(text, beep) } else { I2cCommand::EndDisplay })
            }
            Job::Icons | Job::Look => None,
        }
    }

    fn allows(&self, job: Job) -> Option<Mono> {
        // Times come by themselves, and the icons lie in the text.
        (!matches!(job, Job::Icons | Job::Look)).then(|| self.errands.opens_at(Some(job)))
    }

    fn go_on(&mut self, at: Mono, out: &mut Vec<DriverOutput<I2cOp>>) {
        self.overdue(at, out);
        match self.phase {
            Conversation::Resting(due) if due <= at => self.take(at),
            Conversation::Ready if at >= self.heard + SILENCE => {
                // It may be off, or play a game of its own.
                self.take(at);
            }
            _ => {}
        }
        self.errands.agenda.go_on(at);
        match &mut self.phase {
            Conversation::Taking(taking) if taking.due <= at && self.errands.flight.is_none() => {
                let opens_at = self.errands.opens_at(None);
                if opens_at <= at {
                    let next = taking.next;
                    self.launch(at, None, next, 1, out);
                } else {
                    taking.due = opens_at;
                }
            }
            Conversation::Ready => {
                let job = self.errands.next(at, |job| self.allows(job));
                if let Some(command) = job.and_then(|job| self.command(at, job)) {
                    self.launch(at, job, command, 1, out);
                }
            }
            _ => {}
        }
        self.errands.watch(at, self.difference(), out);
    }
}

impl ClockDriver for Dgt3000 {
    type Input = I2cInput;
    type Command = I2cOp;

    fn want(&mut self, at: Mono, wanted: Wanted, out: &mut Vec<DriverOutput<I2cOp>>) {
        self.errands.want(wanted, self.difference());
        self.go_on(at, out);
    }

    fn beep(&mut self, at: Mono, units: u8, out: &mut Vec<DriverOutput<I2cOp>>) {
        self.errands.agenda.beep(units.min(BEEP_MAX));
        self.go_on(at, out);
    }

    fn handle(&mut self, at: Mono, input: &I2cInput, out: &mut Vec<DriverOutput<I2cOp>>) {
        match input {
            I2cInput::Up if self.phase == Conversation::Down => {
                self.listen(Address::General, out);
                self.take(at);
            }
            I2cInput::Up => {}
            I2cInput::Down => {
                if self.is_found {
                    out.push(DriverOutput::Tell(ClockNews::Gone));
                }
                let mut errands = std::mem::take(&mut self.errands);
                errands.forget();
                *self = Self { errands, ..Self::default() };
            }
            _ if self.phase == Conversation::Down => {}
            I2cInput::Written(end) => self.on_written(at, *end, out),
            I2cInput::Frame(frame) => self.on_frame(at, frame, out),
        }
        self.go_on(at, out);
    }

    fn on_timeout(&mut self, at: Mono, out: &mut Vec<DriverOutput<I2cOp>>) {
        self.go_on(at, out);
    }

    fn wake_at(&self) -> Option<Mono> {
        let (phase, job) = match self.phase {
            Conversation::Down => (None, None),
            Conversation::Taking(Taking { due, .. }) => {
                (self.errands.flight.is_none().then_some(due), None)
            }
            Conversation::Resting(due) => (Some(due), None),
            Conversation::Ready => {
                (Some(self.heard + SILENCE), self.errands.next_at(|job| self.allows(job)))
            }
        };
        [self.errands.wake_at(), phase, job].into_iter().flatten().min()
    }

    fn difference(&self) -> Option<Difference> {
        let agenda = &self.errands.agenda;
        let is_wanted = *agenda.wanted() != Wanted::default();
        match (self.phase, self.trouble) {
            (Conversation::Ready, _) => agenda.difference(),
            (_, Some(ClockNews::Refuses(_))) => is_wanted.then_some(Difference::Refused),
            _ => is_wanted.then_some(Difference::Absent),
        }
    }
}

fn set(times: &WantedTimes, at: Mono) -> I2cSet {
    let (left, right) = times.shown(at);
    let runs = |end| match (times.runs, end) {
        (Runs::Both, _) | (Runs::Left, End::Left) | (Runs::Right, End::Right) => SideRun::Down,
        _ => SideRun::Stop,
    };
    I2cSet { left, right, left_runs: runs(End::Left), right_runs: runs(End::Right) }
}

const fn display(text: [u8; LONG_TEXT_LEN], beep: u8) -> I2cCommand {
    I2cCommand::Display { text, beep, left_dots: 0, right_dots: 0 }
}
