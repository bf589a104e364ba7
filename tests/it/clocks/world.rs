//! A board with a clock at the far end of a line, and a driver at the near end, in virtual time.

use super::faults::{Badness, FaultyLine};
use rokade::sim::{DgtClockSim, Glass, Obedience};
use rokade::table::End;
use rokade::time::Mono;
use rokade::wire::segments::segments;
use rokade::wire::{
    Ack, BoardCommand, Buttons, ClockDriver, ClockKind, ClockLine, ClockMessage, ClockNews,
    ClockTime, Difference, DriverOutput, LineInput, Runs, SideTime, Wanted, WantedTimes,
};
use std::time::Duration;

/// The board looks at its clock this often.
const POLL: Duration = Duration::from_millis(400);

/// What may happen to a clock, and what may be wanted of it.
#[derive(Clone, Debug)]
pub(super) enum Happens {
    Wait(Duration),
    Times(u32, u32, Runs),
    Text(Option<String>),
    /// This end is pushed down.
    Lever(End),
    Buttons(Buttons),
    /// It loses its memory without a word.
    Forget,
    /// It loses its memory and says that it is ready.
    Restart,
    Unplug,
    Plug,
}

#[derive(Debug)]
pub(super) struct World {
    pub(super) now: Mono,
    driver: ClockLine,
    wanted: Wanted,
    pub(super) clock: DgtClockSim,
    is_plugged: bool,
    /// To the board, and to the host.
    faults: [FaultyLine; 2],
    to_board: Vec<(Mono, BoardCommand)>,
    to_host: Vec<(Mono, ClockMessage)>,
    polled: Mono,
    /// What the board has sent last.
    sent: Option<ClockMessage>,
    pub(super) news: Vec<ClockNews>,
    pub(super) n_sent: usize,
    ids: Vec<u8>,
    /// The command last sent, until an answer to it has arrived or its time is over.
    in_flight: Option<(u8, Mono)>,
    pub(super) most_in_flight: usize,
}

pub(super) fn times(left: u32, right: u32, runs: Runs, since: Mono) -> WantedTimes {
    let time = |seconds: u32| Duration::from_secs(u64::from(seconds));
    WantedTimes { left: time(left), right: time(right), runs, turns_by_lever: false, since }
}

impl World {
    pub(super) fn new(kind: ClockKind, obedience: Obedience) -> Self {
        Self::of(DgtClockSim::new(kind, obedience, 0), Badness::NONE, 1)
    }

    pub(super) fn drifting(kind: ClockKind, ppm: i32) -> Self {
        let clock = DgtClockSim::new(kind, Obedience::Remote, ppm);
        Self::of(clock, Badness::NONE, 1)
    }

    pub(super) fn bad(kind: ClockKind, badness: Badness, drift_ppm: i32, seed: u64) -> Self {
        let clock = DgtClockSim::new(kind, Obedience::Remote, drift_ppm);
        Self::of(clock, badness, seed)
    }

    fn of(clock: DgtClockSim, badness: Badness, seed: u64) -> Self {
        let faults = [seed, !seed].map(|seed| FaultyLine::new(badness, seed));
        let mut world = Self {
            now: Mono::default(),
            driver: ClockLine::default(),
            wanted: Wanted::default(),
            clock,
            is_plugged: true,
            faults,
            to_board: Vec::new(),
            to_host: Vec::new(),
            polled: Mono::default(),
            sent: None,
            news: Vec::new(),
            n_sent: 0,
            ids: Vec::new(),
            in_flight: None,
            most_in_flight: 0,
        };
        world.drive(|driver, at, out| driver.handle(at, &LineInput::Up, out));
        world
    }

    fn drive(
        &mut self,
        act: impl FnOnce(&mut ClockLine, Mono, &mut Vec<DriverOutput<BoardCommand>>),
    ) {
        let mut out = Vec::new();
        act(&mut self.driver, self.now, &mut out);
        for act in out {
            match act {
                DriverOutput::Tell(news) => self.news.push(news),
                DriverOutput::Send(command) => self.send(command),
            }
        }
    }

    fn send(&mut self, command: BoardCommand) {
        if let BoardCommand::Clock(command) = &command {
            self.n_sent += 1;
            self.ids.push(command.id());
            let overlaps =
                self.in_flight.is_some_and(|(id, until)| id != command.id() && until > self.now);
            self.most_in_flight = self.most_in_flight.max(1 + usize::from(overlaps));
            self.in_flight = Some((command.id(), self.now + Duration::from_secs(2)));
        }
        let arrivals = self.faults[0].pass(self.now);
        self.to_board.extend(arrivals.into_iter().map(|at| (at, command.clone())));
    }

    fn say(&mut self, message: &ClockMessage) {
        let arrivals = self.faults[1].pass(self.now);
        self.to_host.extend(arrivals.into_iter().map(|at| (at, message.clone())));
    }

    pub(super) fn want(&mut self, wanted: Wanted) {
        self.wanted = wanted;
        self.drive(|driver, at, out| driver.want(at, wanted, out));
    }

    pub(super) fn beep(&mut self, units: u8) {
        self.drive(|driver, at, out| driver.beep(at, units, out));
    }

    pub(super) fn happen(&mut self, happening: Happens) {
        let now = self.now;
        match happening {
            Happens::Wait(span) => self.pass(span),
            Happens::Times(left, right, runs) => {
                let times = Some(times(left, right, runs, now));
                self.want(Wanted { times, ..self.wanted });
            }
            Happens::Text(words) => {
                let text = words.map(|words| rokade::wire::ClockText::plain(&words));
                self.want(Wanted { text, ..self.wanted });
            }
            Happens::Lever(end) => drop(self.clock.press(now, end)),
            Happens::Forget => self.clock.forget(now),
            Happens::Restart => {
                self.clock.forget(now);
                if self.is_plugged {
                    self.say(&ClockMessage::Ack(Ack([0x10, 0x81, 0, 0])));
                }
            }
            Happens::Unplug => self.is_plugged = false,
            Happens::Plug => {
                if !self.is_plugged {
                    self.clock.forget(now);
                }
                self.is_plugged = true;
            }
            Happens::Buttons(buttons) => {
                if let Some(ack) = self.clock.press_buttons(buttons).filter(|_| self.is_plugged) {
                    self.say(&ClockMessage::Ack(ack));
                }
            }
        }
    }

    pub(super) fn choose(&mut self, obedience: Obedience) {
        self.clock.choose(self.now, obedience);
    }

    pub(super) fn late(&mut self, late: Duration) {
        self.set(Badness { late, ..Badness::NONE });
    }

    pub(super) fn lose_everything(&mut self) {
        self.set(Badness { lost: 100, ..Badness::NONE });
    }

    /// From now on the line is in order, and what is still under way arrives.
    pub(super) fn repair(&mut self) {
        self.set(Badness::NONE);
    }

    fn set(&mut self, badness: Badness) {
        self.faults.iter_mut().for_each(|faults| faults.set(badness));
    }

    /// An answer comes out of nowhere.
    pub(super) fn hear_ack(&mut self, ack: Ack) {
        let message = ClockMessage::Ack(ack);
        self.drive(|driver, at, out| driver.handle(at, &LineInput::Clock(message), out));
    }

    /// A time comes that was shown before.
    pub(super) fn hear_old_time(&mut self, seconds: u32) {
        let side = SideTime::of_seconds(seconds);
        let time = ClockTime { left: side, right: side, ..self.clock.time() };
        let message = LineInput::Clock(ClockMessage::Time(time));
        self.drive(|driver, at, out| driver.handle(at, &message, out));
    }

    /// Lets the time pass.
    pub(super) fn pass(&mut self, span: Duration) {
        let until = self.now + span;
        loop {
            let board = self.to_board.iter().map(|(at, _)| *at).min();
            let host = self.to_host.iter().map(|(at, _)| *at).min();
            // A driver that asks to be woken at once, for ever, would stop the time.
            let driver = self.driver.wake_at().map(|at| at.max(Mono(self.now.0 + 1)));
            let poll = self.polled + POLL;
            let next = [board, host, driver, Some(poll)].into_iter().flatten().min();
            let Some(at) = next.filter(|at| *at <= until) else { break };
            self.now = self.now.max(at);
            self.step();
        }
        self.now = until;
        self.clock.advance(until);
    }

    fn step(&mut self) {
        let now = self.now;
        self.clock.advance(now);
        if let Some(idx) = earliest(&self.to_board, now) {
            let (_, command) = self.to_board.remove(idx);
            self.obey(&command);
        }
        if let Some(idx) = earliest(&self.to_host, now) {
            let (_, message) = self.to_host.remove(idx);
            let frees = match (&message, self.in_flight) {
                // A clock that starts anew, or is gone, answers nothing that was asked before.
                (ClockMessage::Ack(ack), Some((id, _))) => [id, 0x81].contains(&ack.0[1]),
                (ClockMessage::NoClock, _) => true,
                _ => false,
            };
            if frees {
                self.in_flight = None;
            }
            self.drive(|driver, at, out| driver.handle(at, &LineInput::Clock(message), out));
        }
        if self.polled + POLL <= now {
            self.polled = now;
            let message = self.reading();
            if self.sent.as_ref() != Some(&message) {
                self.say(&message);
                self.sent = Some(message);
            }
        }
        if self.driver.wake_at().is_some_and(|at| at <= now) {
            self.drive(|driver, at, out| driver.on_timeout(at, out));
            let next = self.driver.wake_at();
            assert!(next.is_none_or(|at| at > now), "woken, and did not do what was due");
        }
    }

    fn obey(&mut self, command: &BoardCommand) {
        match command {
            BoardCommand::SendClock => {
                let message = self.reading();
                self.say(&message);
            }
            BoardCommand::Clock(command) if self.is_plugged => {
                if let Some(ack) = self.clock.obey(self.now, command) {
                    self.say(&ClockMessage::Ack(ack));
                }
            }
            BoardCommand::Clock(_) => {}
            other => panic!("a driver of clocks sent {other:?}"),
        }
    }

    fn reading(&self) -> ClockMessage {
        if self.is_plugged { ClockMessage::Time(self.clock.time()) } else { ClockMessage::NoClock }
    }

    pub(super) fn driver_difference(&self) -> Option<Difference> {
        self.driver.difference()
    }

    pub(super) fn agrees(&self) -> bool {
        self.contradictions().is_empty()
    }

    /// The ids of the last commands for the clock.
    pub(super) fn ids_sent(&self, n: usize) -> &[u8] {
        &self.ids[self.ids.len() - n..]
    }

    /// What is not as wanted, by the clock's own truth and by the driver's word.
    pub(super) fn contradictions(&self) -> Vec<String> {
        let mut found = Vec::new();
        let time = self.clock.time();
        if let Some(wanted) = self.wanted.times {
            let (left, right) = wanted.shown(self.now);
            for (name, wanted, shown) in
                [("left", left, time.left.seconds), ("right", right, time.right.seconds)]
            {
                if wanted.abs_diff(shown) > 4 {
                    found.push(format!("{name}: {shown} s shown, {wanted} s wanted"));
                }
            }
            let is_over = left == 0 || right == 0;
            if time.running != (wanted.runs != Runs::Pause) && !is_over {
                found.push(format!("running: {}", time.running));
            }
        }
        let expected = match (self.wanted.text, self.clock.glass()) {
            (Some(text), Glass::Segments(_)) => {
                let words = String::from_utf8_lossy(&text.short).into_owned();
                Some(Glass::Segments(segments(&words)))
            }
            (Some(text), _) => Some(Glass::Letters(text.middle)),
            (None, _) => self.wanted.times.map(|_| Glass::Times),
        };
        if let Some(expected) = expected.filter(|expected| *expected != self.clock.glass()) {
            found.push(format!("{:?} seen, {expected:?} wanted", self.clock.glass()));
        }
        match self.driver.difference() {
            // The lever stands against the side that runs: nobody but a hand can mend that.
            None | Some(Difference::Lever) => {}
            Some(other) => found.push(format!("the driver says {other:?}")),
        }
        found
    }
}

fn earliest<T>(queue: &[(Mono, T)], now: Mono) -> Option<usize> {
    let due = queue.iter().enumerate().filter(|(_, (at, _))| *at <= now);
    due.min_by_key(|(idx, (at, _))| (*at, *idx)).map(|(idx, _)| idx)
}
