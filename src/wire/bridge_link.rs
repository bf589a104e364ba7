//! Drives a DGT3000 through a bridge: the driver of the jack, and lines of text below it.

use std::time::Duration;

use super::bridge::{FromBridge, Lines, ToBridge, VERSION};
use super::clock_wish::{
    ClockDriver, ClockNews, Difference, DriverOutput, PortDriver, PortInput, Wanted,
};
use super::dgt3000::{Dgt3000, I2cInput, I2cOp};
use crate::time::Mono;

/// From one greeting to the next, until the bridge answers. Ours.
pub const GREET_EVERY: Duration = Duration::from_secs(2);
/// A bridge beats every second; without a line for this long it is gone. Ours.
pub const SILENCE: Duration = Duration::from_millis(3_500);

/// What there is to say of [`ClockNews::Cable`].
pub const LINES_LOW: &str = "the clock's lines are held low; check its plug";
const NO_BRIDGE: &str =
    "no bridge answers at this port; is it the right port, and has it its firmware?";
const NO_CLOCK: &str = "the bridge answers, but no clock does; plug it in, switch it on and try \
                        again";

#[derive(Debug, Copy, Clone, Default, PartialEq, Eq)]
enum BridgePhase {
    #[default]
    Down,
    /// The next greeting is due then.
    Greeting(Mono),
    /// A line came last then.
    Up(Mono),
}

/// The driver of a DGT3000 behind a bridge, which begins without a line. Its commands are bytes
/// for the line.
#[derive(Debug, Clone, Default)]
pub struct BridgeLink {
    link: BridgePhase,
    lines: Lines,
    driver: Dgt3000,
    /// The number of the last write, by which its end is known.
    number: u8,
    /// The bridge speaks another version, which was said.
    has_other: bool,
    /// Its lines to the clock were held low when it last tried them.
    is_low: bool,
}

impl BridgeLink {
    /// Lines that were none and frames that were none: a measure of the wiring.
    pub fn n_faults(&self) -> (u64, u32) {
        (self.lines.n_skipped(), self.driver.n_faults())
    }

    fn on_line(&mut self, at: Mono, line: FromBridge, out: &mut Vec<DriverOutput<Vec<u8>>>) {
        match (line, self.link) {
            (FromBridge::Hello(VERSION), BridgePhase::Greeting(_)) => {
                self.link = BridgePhase::Up(at);
                self.drive(out, |driver, ops| driver.handle(at, &I2cInput::Up, ops));
            }
            // A bridge that greets has been switched on anew.
            (FromBridge::Hello(VERSION), BridgePhase::Up(_)) => {
                self.drive(out, |driver, ops| {
                    driver.handle(at, &I2cInput::Down, ops);
                    driver.handle(at, &I2cInput::Up, ops);
                });
            }
            (FromBridge::Hello(_), _) => {
                if !std::mem::replace(&mut self.has_other, true) {
                    out.push(DriverOutput::Tell(ClockNews::Silent(
                        "the bridge speaks another version: put the firmware on it that came with \
                         this program",
                    )));
                }
            }
            (_, BridgePhase::Greeting(_) | BridgePhase::Down) => {}
            (FromBridge::End { number, end }, _) if number == self.number => {
                let input = I2cInput::Written(end);
                self.drive(out, |driver, ops| driver.handle(at, &input, ops));
            }
            (FromBridge::Got { age, frame }, _) => {
                // The driver's answers are late by the age, its events are not.
                let micros = u64::try_from(age.as_micros()).unwrap_or(0);
                let then = Mono(at.0.saturating_sub(micros)).max(self.heard());
                let input = I2cInput::Frame(frame);
                self.drive(out, |driver, ops| driver.handle(then, &input, ops));
            }
            (FromBridge::End { .. } | FromBridge::Beat { .. }, _) => {}
        }
    }

    fn heard(&self) -> Mono {
        match self.link {
            BridgePhase::Up(heard) => heard,
            _ => Mono::default(),
        }
    }

    /// Lets the driver act, and puts into lines what it asks of the bus.
    fn drive(
        &mut self,
        out: &mut Vec<DriverOutput<Vec<u8>>>,
        act: impl FnOnce(&mut Dgt3000, &mut Vec<DriverOutput<I2cOp>>),
    ) {
        let mut ops = Vec::new();
        act(&mut self.driver, &mut ops);
        for op in ops {
            let line = match op {
                DriverOutput::Tell(news) => {
                    self.is_low = news == ClockNews::Cable;
                    out.push(DriverOutput::Tell(news));
                    continue;
                }
                DriverOutput::Send(I2cOp::Listen(address)) => ToBridge::Listen(address),
                DriverOutput::Send(I2cOp::Reset) => ToBridge::Reset,
                DriverOutput::Send(I2cOp::Write(frame)) => {
                    self.number = self.number.wrapping_add(1);
                    ToBridge::Write { number: self.number, frame }
                }
            };
            if self.is_linked() {
                out.push(DriverOutput::Send(line.encode()));
            }
        }
    }

    fn go_on(&mut self, at: Mono, out: &mut Vec<DriverOutput<Vec<u8>>>) {
        match self.link {
            BridgePhase::Up(heard) if at >= heard + SILENCE => {
                self.drive(out, |driver, ops| driver.handle(at, &I2cInput::Down, ops));
                self.link = BridgePhase::Greeting(at);
                self.go_on(at, out);
            }
            BridgePhase::Greeting(due) if at >= due => {
                self.link = BridgePhase::Greeting(at + GREET_EVERY);
                out.push(DriverOutput::Send(ToBridge::Hello.encode()));
            }
            _ => {}
        }
    }
}

impl ClockDriver for BridgeLink {
    type Input = PortInput;
    type Command = Vec<u8>;

    fn want(&mut self, at: Mono, wanted: Wanted, out: &mut Vec<DriverOutput<Vec<u8>>>) {
        self.drive(out, |driver, ops| driver.want(at, wanted, ops));
    }

    fn beep(&mut self, at: Mono, units: u8, out: &mut Vec<DriverOutput<Vec<u8>>>) {
        self.drive(out, |driver, ops| driver.beep(at, units, ops));
    }

    fn handle(&mut self, at: Mono, input: &PortInput, out: &mut Vec<DriverOutput<Vec<u8>>>) {
        match input {
            PortInput::Up => {
                self.lines = Lines::default();
                self.link = BridgePhase::Greeting(at);
            }
            PortInput::Down => {
                self.drive(out, |driver, ops| driver.handle(at, &I2cInput::Down, ops));
                self.link = BridgePhase::Down;
            }
            PortInput::Bytes(bytes) => {
                let mut bodies = Vec::new();
                self.lines.push(bytes, &mut bodies);
                for line in bodies.iter().filter_map(|body| FromBridge::parse(body)) {
                    self.on_line(at, line, out);
                    if let BridgePhase::Up(heard) = &mut self.link {
                        *heard = at;
                    }
                }
            }
        }
        self.go_on(at, out);
    }

    fn on_timeout(&mut self, at: Mono, out: &mut Vec<DriverOutput<Vec<u8>>>) {
        self.drive(out, |driver, ops| driver.on_timeout(at, ops));
        self.go_on(at, out);
    }

    fn wake_at(&self) -> Option<Mono> {
        let link = match self.link {
            BridgePhase::Down => None,
            BridgePhase::Greeting(due) => Some(due),
            BridgePhase::Up(heard) => Some(heard + SILENCE),
        };
        [link, self.driver.wake_at()].into_iter().flatten().min()
    }

    fn difference(&self) -> Option<Difference> {
        self.driver.difference()
    }
}

impl PortDriver for BridgeLink {
    fn is_linked(&self) -> bool {
        matches!(self.link, BridgePhase::Up(_))
    }

    fn silence(&self) -> &'static str {
        match self.is_linked() {
            true if self.is_low => LINES_LOW,
            true => NO_CLOCK,
            false => NO_BRIDGE,
        }
    }
}
