//! A microcontroller between a serial line and the bus of a DGT 3000.

use super::dgt3000::{Dgt3000Sim, Dgt3000State};
use super::script::Happening;
use crate::table::End;
use crate::table::defaults;
use crate::time::Mono;
use crate::wire::bridge::{FromBridge, Lines, ToBridge, VERSION};
use crate::wire::dgt3000::{Address, WriteEnd};
use crate::wire::{Button, Buttons};
use shakmaty::Color;
use std::time::Duration;

const BEATS_EVERY: Duration = Duration::from_secs(1);
/// A finger stays on a button for so long.
const HOLD: Duration = Duration::from_millis(100);

defaults! {
    /// A bridge with a clock on its jack.
    #[derive(Clone, Debug)]
    pub struct BridgeSim {
        given {
            /// The clock.
            pub clock: Dgt3000Sim,
        }
        lines: Lines,
        listens: Option<Address>,
        is_plugged: bool = true,
        up_since: Mono,
        beats_at: Mono = Mono::default() + BEATS_EVERY,
        /// When the finger leaves the button.
        lets_go_at: Option<Mono>,
        out: Vec<u8>,
    }
}

impl BridgeSim {
    /// A bridge that was just switched on, at time zero.
    pub fn new(clock: Dgt3000Sim) -> Self {
        Self::begin(clock)
    }

    /// The bridge loses its power for a moment, and greets.
    pub fn power_cycle(&mut self, at: Mono) {
        self.lines = Lines::default();
        self.listens = None;
        self.up_since = at;
        self.beats_at = at + BEATS_EVERY;
        self.out.clear();
        self.say(&FromBridge::Hello(VERSION));
    }

    /// The jack of the clock is pulled out.
    pub fn unplug(&mut self) {
        self.is_plugged = false;
    }

    /// And put in again.
    pub fn plug(&mut self) {
        self.is_plugged = true;
    }

    /// Hands do something to the clock; White sits at its left end. What was the arbiter's hand at
    /// another clock is his hand at the button in the middle of this one.
    pub fn happen(&mut self, at: Mono, happening: &Happening) {
        let end = |color| if color == Color::White { End::Left } else { End::Right };
        match happening {
            Happening::Press(by) => {
                self.clock.press(at, end(*by));
            }
            Happening::ClockStopped => self.press_middle(at),
            Happening::Resume(turn) => {
                self.clock.press(at, end(!*turn));
                self.press_middle(at);
            }
            _ => {}
        }
    }

    fn press_middle(&mut self, at: Mono) {
        self.clock.hold(at, Buttons::of(&[Button::Run]));
        self.lets_go_at = Some(at + HOLD);
    }

    /// Whether the clock counts.
    pub fn is_running(&self) -> bool {
        self.clock.is_running()
    }

    /// Whether the clock obeys and shows times.
    pub fn is_set(&self) -> bool {
        let time = self.clock.time();
        self.clock.state() == Dgt3000State::Obeying && time.left > 0 && time.right > 0
    }

    /// The host sends bytes.
    pub fn host_bytes(&mut self, at: Mono, bytes: &[u8]) {
        self.advance(at);
        let mut bodies = Vec::new();
        self.lines.push(bytes, &mut bodies);
        for line in bodies.iter().filter_map(|body| ToBridge::parse(body)) {
            match line {
                ToBridge::Hello => self.say(&FromBridge::Hello(VERSION)),
                ToBridge::Listen(address) => self.listens = Some(address),
                ToBridge::Reset => self.listens = None,
                ToBridge::Write { number, frame } => {
                    let end = if self.is_plugged {
                        self.clock.write(at, &frame)
                    } else {
                        WriteEnd::NoAnswer
                    };
                    self.say(&FromBridge::End { number, end });
                }
            }
        }
    }

    fn say(&mut self, line: &FromBridge) {
        self.out.extend(line.encode());
    }

    /// Lets the time pass.
    pub fn advance(&mut self, at: Mono) {
        if let Some(due) = self.lets_go_at.take_if(|due| *due <= at) {
            self.clock.hold(due, Buttons::of(&[]));
        }
        for frame in self.clock.take(at) {
            // As the firmware does, it hears the general call whatever else it listens to.
            let heard = self.listens.map(|own| [Address::General, own]);
            let is_ours = heard.is_some_and(|it| it.iter().any(|it| it.bits() == frame[0] >> 1));
            if is_ours && self.is_plugged {
                let age = Duration::from_micros(200);
                self.say(&FromBridge::Got { age, frame });
            }
        }
        while self.beats_at <= at {
            let up = self.beats_at.since(self.up_since).as_secs();
            let up = u32::try_from(up).unwrap_or(u32::MAX);
            self.say(&FromBridge::Beat { up, lost: 0 });
            self.beats_at = self.beats_at + BEATS_EVERY;
        }
    }

    /// When it has something to say.
    pub fn next_at(&self) -> Mono {
        let dues = [self.clock.next_at(), self.lets_go_at].into_iter().flatten();
        dues.fold(self.beats_at, Mono::min)
    }

    /// The bytes that it has for the host.
    pub fn take(&mut self, at: Mono) -> Vec<u8> {
        self.advance(at);
        std::mem::take(&mut self.out)
    }
}
