//! Drives the clock behind a DGT board: one command at a time, each until it is answered.
//!
//! The board forwards commands and never says whether there is anyone to obey. Answers get lost,
//! come late, come twice, or come for the command before; the option that makes a clock obey can
//! not be asked for. So nothing is believed but the reading, and what cannot be read is said again.
//! Protocol 2.3 to 2.6 and 3.5 to 3.7.

use crate::table::End;
use std::time::Duration;

use super::agenda::{Job, LOOK_EVERY, PEACE, Shown};
use super::clock::{Ack, AckKind, AckOutcome, Buttons, ClockMessage, ClockTime};
use super::clock_command::ClockCommand;
use super::clock_wish::{ClockDriver, ClockKind, ClockNews, Difference, DriverOutput, Wanted};
use super::command::BoardCommand;
use super::errand::{Errand, Errands};
use super::lag::Lag;
use super::lever_watch::{LeverTurn, LeverWatch};
use super::segments::glyph;
use crate::time::Mono;

/// Without an answer for this long a command is sent again (protocol 3.5, rule 4).
pub const ACK_WAIT: Duration = Duration::from_secs(2);
/// The same where it only brought the display into step, and new times wait. Ours.
const STEP_WAIT: Duration = Duration::from_millis(500);
/// From one question for the version to the next (protocol 3.7).
pub const ASK_EVERY: Duration = Duration::from_secs(2);
/// Questions without an answer before the clock counts as one that does not listen. Ours.
pub const N_QUESTIONS: u32 = 5;
/// For this long the same answer may come once more (protocol 2.6).
pub const ECHO: Duration = Duration::from_secs(1);

/// A clock that has just been sent something, and says that it is ready, answers that. Ours.
const READY_ANSWERS: Duration = Duration::from_millis(2_500);
/// A clock that starts anew over and over is told of once in so long. Ours.
const RESTARTS_TOLD_EVERY: Duration = Duration::from_secs(600);
/// After a command of the board's own it hears no other for so long (protocol 1.2).
const BOARD_BUSY: Duration = Duration::from_millis(100);
/// A lever that comes to the side that was just set running was moved by the clock itself: some
/// follow each setting. Ours; seen of an emulator.
const FOLLOWS_WITHIN: Duration = Duration::from_millis(1_500);

/// Longest beep that the command takes in one.
const BEEP_MAX: u8 = 0x7f;
/// The mends of protocol 3.6.
const MEND_XL: &str = "the DGT XL must be in option 23: unplug it, choose option 23, plug it in";
const MEND_3000: &str =
    "the DGT 3000 must be in option 25: unplug it, choose option 25, plug it in";
const MEND_SILENT: &str = "the clock answers nothing and can only be read: a DGT XL needs option \
                           23, a DGT 3000 option 25; older clocks cannot be driven";

/// What is heard of the board and its clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineInput {
    /// The board streams its clock: it is in mode UPDATE or UPDATE_NICE. In others no answer would
    /// ever come (protocol 3.5, rule 2).
    Up,
    /// It does so no longer.
    Down,
    /// It sent this.
    Clock(ClockMessage),
}

/// A command to the clock.
#[derive(Debug, Copy, Clone)]
struct SentCommand {
    id: u8,
    /// Whether a reading can tell, and has told, that it was carried out.
    proof: Proof,
}

/// What readings say of a command that is under way.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
enum Proof {
    /// Nothing: the clock showed the same before.
    None,
    /// It will be seen.
    Awaited,
    /// It was seen. Only the answer is still to come, before which nothing else may go out.
    Seen,
}

#[derive(Debug, Copy, Clone, Default, PartialEq, Eq)]
enum ClockSearch {
    /// The board does not stream.
    #[default]
    Down,
    /// No clock, as far as is known; at the given moment the board is asked.
    Empty(Mono),
    /// A clock is there, and has been asked for its version this often in vain.
    Asking { n_asked: u32, due: Mono },
    /// A clock that answers.
    Found(ClockKind),
}

/// The driver of a clock behind a board. It begins with nothing heard, and wants nothing.
#[derive(Debug, Clone, Default)]
pub struct ClockLine {
    link: ClockSearch,
    errands: Errands<SentCommand>,
    /// The command last answered, until when its answer may come again.
    echo: Option<(u8, Mono)>,
    lever: LeverWatch,
    lag: Lag,
    /// When the lever last turned, as far as can be told.
    turned: Mono,
    pressed: Option<(Mono, Buttons)>,
    /// When a reading was last asked for.
    looked_at: Option<Mono>,
    /// When the last command was sent.
    sent_at: Option<Mono>,
    /// The side that was last set running, and when.
    set_running: Option<(Mono, End)>,
    /// When it was last told that the clock has restarted.
    restart_told: Option<Mono>,
}

impl ClockLine {
    /// The clock that answers.
    pub const fn kind(&self) -> Option<ClockKind> {
        match self.link {
            ClockSearch::Found(kind) => Some(kind),
            _ => None,
        }
    }

    /// The end of the lever that is up, as far as is known.
    pub const fn high(&self) -> Option<End> {
        self.lever.high()
    }

    /// When the lever turned of which [`ClockNews::Lever`] has told last, as far as can be told.
    pub const fn turned(&self) -> Mono {
        self.turned
    }

    fn on_message(
        &mut self,
        at: Mono,
        message: &ClockMessage,
        out: &mut Vec<DriverOutput<BoardCommand>>,
    ) {
        match message {
            ClockMessage::NoClock => self.lose(at, out),
            ClockMessage::Empty => {}
            ClockMessage::Ack(ack) if ack.is_spontaneous() => self.on_report(at, *ack, out),
            ClockMessage::Ack(ack) => self.on_ack(at, *ack, out),
            ClockMessage::Rejected { high, .. } => {
                self.is_there(at);
                self.on_lever(at, at, *high, out);
            }
            ClockMessage::Time(time) => {
                self.is_there(at);
                let seen = self.lag.read(at, time);
                if self.on_lever(at, seen, time.high, out) {
                    self.on_time(at, time, out);
                } else {
                    self.lag.is_overtaken();
                }
                if self.lag.has_news() {
                    out.push(DriverOutput::Tell(ClockNews::HeldUp));
                }
            }
        }
    }

    fn lose(&mut self, at: Mono, out: &mut Vec<DriverOutput<BoardCommand>>) {
        if matches!(self.link, ClockSearch::Asking { .. } | ClockSearch::Found(_)) {
            out.push(DriverOutput::Tell(ClockNews::Gone));
        }
        self.forget(ClockSearch::Empty(at + LOOK_EVERY));
    }

    fn forget(&mut self, link: ClockSearch) {
        self.link = link;
        self.errands.forget();
        self.echo = None;
        self.lever = LeverWatch::default();
        self.pressed = None;
    }

    fn is_there(&mut self, at: Mono) {
        if matches!(self.link, ClockSearch::Empty(_)) {
            self.link = ClockSearch::Asking { n_asked: 0, due: at };
        }
    }

    /// False if the reading is none of now.
    fn on_lever(
        &mut self,
        at: Mono,
        seen: Mono,
        high: End,
        out: &mut Vec<DriverOutput<BoardCommand>>,
    ) -> bool {
        let turn = self.lever.read(at, high);
        if let LeverTurn::To(_) = turn {
            self.turned = seen;
        }
        let follows = self
            .set_running
            .is_some_and(|(set, end)| end == high && at.since(set) < FOLLOWS_WITHIN);
        if let (LeverTurn::To(high), false) = (turn, follows) {
            out.push(DriverOutput::Tell(ClockNews::Lever(high)));
        }
        turn != LeverTurn::Overtaken
    }

    fn on_time(&mut self, at: Mono, time: &ClockTime, out: &mut Vec<DriverOutput<BoardCommand>>) {
        let shown = Shown {
            left: time.left.seconds,
            right: time.right.seconds,
            running: Some(time.running),
            high: time.high,
        };
        // The clock has done what it was told; its word for it may come two seconds later.
        let Errands { agenda, flight, .. } = &mut self.errands;
        if let Some(flight) = flight
            && flight.command.proof == Proof::Awaited
            && shown.shows(at, &flight.wanted)
        {
            flight.command.proof = Proof::Seen;
            agenda.done(at, Job::Set, &flight.wanted);
        }
        agenda.read(at, shown);
        if agenda.has_taken_effect(at) {
            out.push(DriverOutput::Tell(ClockNews::Reading(*time)));
        }
    }

    /// The clock speaks of its own accord.
    fn on_report(&mut self, at: Mono, ack: Ack, out: &mut Vec<DriverOutput<BoardCommand>>) {
        match ack.kind() {
            AckKind::Pressed(buttons) => {
                let has_looked = self.looked_at.is_some_and(|looked| at.since(looked) < ECHO);
                let is_echo = self.pressed.is_some_and(|(last, same)| {
                    // Whoever asks for a reading may get the last answer again (protocol 2.6).
                    same == buttons && has_looked && at.since(last) < ECHO
                });
                self.pressed = Some((at, buttons));
                if !is_echo {
                    out.push(DriverOutput::Tell(ClockNews::Pressed(buttons)));
                }
            }
            AckKind::Ready if matches!(self.link, ClockSearch::Found(_)) => self.on_ready(at, out),
            // What the others mean is uncertain (protocol 2.4).
            _ => {}
        }
    }

    /// The clock says that it is ready: it has started anew, and forgotten all. Some say the same
    /// to each command that sets times or ends a text; then it is the answer, or comes behind it.
    fn on_ready(&mut self, at: Mono, out: &mut Vec<DriverOutput<BoardCommand>>) {
        let is_answered = |flight: &mut Errand<SentCommand>| {
            matches!(flight.job, Some(Job::Set | Job::Step | Job::EndText))
        };
        if let Some(flight) = self.errands.flight.take_if(is_answered) {
            self.echo = Some((flight.command.id, at + ECHO));
            match flight.job {
                // The answer or not: nothing can be read of a text, so its end is said once more.
                Some(Job::EndText) if flight.n_sent == 1 => self.resend(at, flight, out),
                Some(job) => self.errands.agenda.done(at, job, &flight.wanted),
                None => {}
            }
            return;
        }
        if self.sent_at.is_some_and(|sent| at.since(sent) < READY_ANSWERS) {
            return;
        }
        let is_news = self.restart_told.is_none_or(|told| at.since(told) >= RESTARTS_TOLD_EVERY);
        if is_news {
            self.restart_told = Some(at);
            out.push(DriverOutput::Tell(ClockNews::Restarted));
        }
        self.errands.forget();
    }

    fn on_ack(&mut self, at: Mono, ack: Ack, out: &mut Vec<DriverOutput<BoardCommand>>) {
        let [_, id, ..] = ack.0;
        // An XL has been seen to name no command with an error; it means the one it was sent.
        let is_error = id == 0 && matches!(ack.outcome(), AckOutcome::Error(_));
        let is_it = |flight: &mut Errand<SentCommand>| is_error || flight.command.id == id;
        let Some(flight) = self.errands.flight.take_if(is_it) else { return };
        match (ack.outcome(), flight.job) {
            (AckOutcome::Normal, None) => {
                if let AckKind::Version { major, .. } = ack.kind() {
                    self.found(major, out);
                }
            }
            (AckOutcome::Normal, Some(job)) => {
                let again = if flight.n_sent > 1 { ACK_WAIT } else { ECHO };
                self.echo = Some((id, at + again));
                if flight.command.proof != Proof::Seen {
                    self.errands.agenda.done(at, job, &flight.wanted);
                }
            }
            (AckOutcome::NotRemote, Some(Job::Set)) => {
                if !self.errands.agenda.is_refused() {
                    out.push(DriverOutput::Tell(ClockNews::Refuses(self.mend())));
                }
                self.errands.agenda.refused(at, Job::Set);
            }
            // Once more may help, at once; then as if no answer had come (protocol 3.5, rule 5).
            _ => self.resend(at, flight, out),
        }
    }

    fn found(&mut self, major: u8, out: &mut Vec<DriverOutput<BoardCommand>>) {
        let kind = match major {
            1 => ClockKind::Xl,
            2 => ClockKind::Dgt3000,
            other => ClockKind::Other(other),
        };
        self.link = ClockSearch::Found(kind);
        out.push(DriverOutput::Tell(ClockNews::Found(kind)));
    }

    const fn mend(&self) -> &'static str {
        match self.link {
            ClockSearch::Found(ClockKind::Xl) => MEND_XL,
            _ => MEND_3000,
        }
    }

    /// Sends a command once more, made anew, for times pass; or gives it up.
    fn resend(
        &mut self,
        at: Mono,
        flight: Errand<SentCommand>,
        out: &mut Vec<DriverOutput<BoardCommand>>,
    ) {
        let SentCommand { id, proof } = flight.command;
        let Some(job) = flight.job.filter(|_| proof != Proof::Seen) else { return };
        if job == Job::Step {
            // Its moment is over; there will be another.
            self.errands.agenda.failed(at, job);
            return;
        }
        // What is no longer wanted is not insisted on.
        if self.errands.tries_again(at, job, id, flight.n_sent, out)
            && let Some(command) = self.command(at, job)
        {
            self.launch(at, Some(job), command, flight.n_sent + 1, out);
        }
    }

    fn launch(
        &mut self,
        at: Mono,
        job: Option<Job>,
        command: ClockCommand,
        n_sent: u32,
        out: &mut Vec<DriverOutput<BoardCommand>>,
    ) {
        let agenda = &mut self.errands.agenda;
        if job == Some(Job::Text) {
            agenda.cover();
        }
        let running = job.filter(|job| matches!(job, Job::Set | Job::Step));
        if let Some(times) = running.and(agenda.wanted().times) {
            let (left, right) = times.shown(at);
            let seconds = |end| if end == End::Left { left } else { right };
            self.lag.is_set(at, times.end().map(|end| (end, seconds(end))));
            self.set_running = times.end().map(|end| (at, end)).or(self.set_running);
        }
        let is_else = job == Some(Job::Set) && agenda.shows_else(at);
        let proof = if is_else { Proof::Awaited } else { Proof::None };
        self.sent_at = Some(at);
        self.errands.launch(at, job, SentCommand { id: command.id(), proof }, n_sent, ACK_WAIT);
        out.push(DriverOutput::Send(BoardCommand::Clock(command)));
    }

    /// The command for a job as things stand; `None` if there is nothing to do any more.
    fn command(&self, at: Mono, job: Job) -> Option<ClockCommand> {
        let agenda = &self.errands.agenda;
        let wanted = agenda.wanted();
        match job {
            Job::Set | Job::Step => Some(ClockCommand::SetAndRun(wanted.times?.command(at))),
            Job::Beep => Some(ClockCommand::Beep(agenda.next_beep()?.min(BEEP_MAX))),
            Job::EndText => wanted.text.is_none().then_some(ClockCommand::End),
            Job::Text => {
                let text = wanted.text?;
                Some(match self.kind() {
                    Some(ClockKind::Xl) => ClockCommand::Display {
                        places: text.short.map(|byte| glyph(char::from(byte))),
                        dots: 0,
                        beep: false,
                    },
                    _ => ClockCommand::Text { text: text.middle, beep: 0 },
                })
            }
            Job::Icons => Some(ClockCommand::Icons(wanted.icons?)),
            Job::Look => None,
        }
    }

    /// From when on a job may be sent; `None` if this clock has no such thing.
    fn allows(&self, job: Job) -> Option<Mono> {
        let listens_at = self.looked_at.map_or(Mono::default(), |looked| looked + BOARD_BUSY);
        let opens_at = self.errands.opens_at(Some(job)).max(listens_at);
        let id = match job {
            // A question to the board is none to the clock.
            Job::Look => return Some(Mono::default()),
            // What sets times is urgent, and its success is read, not believed.
            Job::Set | Job::Step => return Some(opens_at),
            Job::Icons if self.kind() != Some(ClockKind::Xl) => return None,
            Job::Icons => 0x02,
            Job::Beep => 0x0b,
            Job::EndText => 0x03,
            Job::Text if self.kind() == Some(ClockKind::Xl) => 0x01,
            Job::Text => 0x0c,
        };
        // An answer that comes late or twice must not be taken for that of the next of its kind.
        let echo = self.echo.filter(|(echoing, _)| *echoing == id);
        Some(echo.map_or(opens_at, |(_, until)| until.max(opens_at)))
    }

    /// Does what is due.
    fn go_on(&mut self, at: Mono, out: &mut Vec<DriverOutput<BoardCommand>>) {
        if let Some(flight) = self.errands.take_overdue(at) {
            self.resend(at, flight, out);
        }
        if let ClockSearch::Asking { n_asked, due } = self.link
            && due <= at
        {
            self.ask(at, n_asked, out);
        }
        self.errands.agenda.go_on(at);
        if self.overrules_at().is_some_and(|overrules| overrules <= at) {
            self.errands.flight = None;
        }
        while matches!(self.link, ClockSearch::Found(_)) {
            let Some(job) = self.errands.next(at, |job| self.allows(job)) else { break };
            if let Some(command) = self.command(at, job) {
                self.launch(at, Some(job), command, 1, out);
            } else {
                self.look(at, out);
                self.errands.agenda.done(at, Job::Look, &Wanted::default());
            }
        }
        if let ClockSearch::Empty(due) = self.link
            && due <= at
        {
            self.link = ClockSearch::Empty(at + LOOK_EVERY);
            self.look(at, out);
        }
        if self.question_at().is_some_and(|due| due <= at) {
            self.look(at, out);
        }
        self.errands.watch(at, self.difference(), out);
    }

    /// When the board is asked for a reading, to try the line or to see a press: not just before a
    /// command that has its moment.
    fn question_at(&self) -> Option<Mono> {
        let ClockSearch::Found(_) = self.link else { return None };
        let looked = self.looked_at.unwrap_or_default();
        let agenda = &self.errands.agenda;
        let is_running = agenda.wanted().times?.end().is_some();
        let mut due = looked + self.lag.asks_every(is_running)?;
        if !is_running {
            // Just behind a command the answer may be that to the command (protocol 2.6).
            due = due.max(self.sent_at? + ACK_WAIT + ECHO);
        } else if !agenda.runs_at(looked) {
            return None;
        }
        let step = agenda.moment(Job::Step, |_| Some(Mono::default()));
        let is_near = |step: &Mono| *step >= due && *step < due + BOARD_BUSY;
        Some(step.filter(is_near).map_or(due, |step| step + BOARD_BUSY))
    }

    /// New times do not wait for the answer to older ones that are seen, nor long for that to a
    /// command that only brought the display into step: it is the same command, and what it comes
    /// to is read.
    fn overrules_at(&self) -> Option<Mono> {
        let flight = self.errands.flight.as_ref()?;
        let wait = match (flight.job, flight.command.proof) {
            (_, Proof::Seen) => Duration::ZERO,
            (Some(Job::Step), _) => STEP_WAIT,
            _ => return None,
        };
        let set_at = self.errands.agenda.moment(Job::Set, |job| self.allows(job))?;
        Some(set_at.max(self.sent_at? + wait))
    }

    /// Asks the board for a reading.
    fn look(&mut self, at: Mono, out: &mut Vec<DriverOutput<BoardCommand>>) {
        self.looked_at = Some(at);
        self.lag.asked(at);
        out.push(DriverOutput::Send(BoardCommand::SendClock));
    }

    fn ask(&mut self, at: Mono, n_asked: u32, out: &mut Vec<DriverOutput<BoardCommand>>) {
        let opens_at = self.errands.opens_at(None);
        if opens_at > at {
            self.link = ClockSearch::Asking { n_asked, due: opens_at };
            return;
        }
        if n_asked == N_QUESTIONS {
            out.push(DriverOutput::Tell(ClockNews::Silent(MEND_SILENT)));
        }
        // A clock may be there and not listen yet, so the question is never given up.
        let wait = if n_asked < N_QUESTIONS { ASK_EVERY } else { PEACE };
        self.link = ClockSearch::Asking { n_asked: n_asked.saturating_add(1), due: at + wait };
        self.launch(at, None, ClockCommand::VersionQuery, 1, out);
    }
}

impl ClockDriver for ClockLine {
    type Input = LineInput;
    type Command = BoardCommand;

    fn want(&mut self, at: Mono, wanted: Wanted, out: &mut Vec<DriverOutput<BoardCommand>>) {
        self.errands.want(wanted, self.difference());
        self.go_on(at, out);
    }

    fn beep(&mut self, at: Mono, units: u8, out: &mut Vec<DriverOutput<BoardCommand>>) {
        self.errands.agenda.beep(units);
        self.go_on(at, out);
    }

    fn handle(&mut self, at: Mono, input: &LineInput, out: &mut Vec<DriverOutput<BoardCommand>>) {
        match input {
            // The board tells at once what it has; that may be lost.
            LineInput::Up if self.link == ClockSearch::Down => {
                self.link = ClockSearch::Empty(at + ASK_EVERY)
            }
            LineInput::Up => {}
            LineInput::Down => {
                if self.link != ClockSearch::Down {
                    self.lose(at, out);
                }
                self.forget(ClockSearch::Down);
                self.lag = Lag::default();
            }
            // What comes while the board is not up was under way before.
            LineInput::Clock(_) if self.link == ClockSearch::Down => {}
            LineInput::Clock(message) => self.on_message(at, message, out),
        }
        self.go_on(at, out);
    }

    fn on_timeout(&mut self, at: Mono, out: &mut Vec<DriverOutput<BoardCommand>>) {
        self.go_on(at, out);
    }

    fn wake_at(&self) -> Option<Mono> {
        let asking = match self.link {
            ClockSearch::Asking { due, .. } | ClockSearch::Empty(due) => Some(due),
            _ => None,
        };
        let job = match self.link {
            ClockSearch::Found(_) => self.errands.next_at(|job| self.allows(job)),
            _ => None,
        };
        [self.errands.wake_at(), self.overrules_at(), asking, job, self.question_at()]
            .into_iter()
            .flatten()
            .min()
    }

    fn difference(&self) -> Option<Difference> {
        let agenda = &self.errands.agenda;
        let is_wanted = *agenda.wanted() != Wanted::default();
        match self.link {
            ClockSearch::Found(_) => agenda.difference(),
            ClockSearch::Asking { .. } => is_wanted.then_some(Difference::Silent),
            ClockSearch::Empty(_) | ClockSearch::Down => is_wanted.then_some(Difference::Absent),
        }
    }
}
