//! A DGT 3000 as the other master on an I2C bus.
//!
//! It obeys once it is in option 25, wakes when it is called, tells its time every second, and says
//! what it has to say on the address that the documents name, whether anybody listens there or not.
//! Protocol 6.

use super::works::Works;
use crate::table::{End, defaults};
use crate::time::Mono;
use crate::wire::Buttons;
use crate::wire::dgt3000::{
    Address, I2cAck, I2cCommand, I2cMessage, I2cSet, I2cTime, Keys, SideRun, WriteEnd,
};
use std::collections::VecDeque;
use std::time::Duration;

/// From a command to its answer; well inside the 10 ms of protocol 6.6. Made up.
const ANSWERS_AFTER: Duration = Duration::from_millis(1);
/// From waking to the hello (protocol 6.3: usually 5 ms).
const WAKES_AFTER: Duration = Duration::from_millis(5);
const TELLS_EVERY: Duration = Duration::from_secs(1);

/// What the clock does by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dgt3000State {
    /// Off: only the wake address is heard.
    Asleep,
    /// On, and free to be taken.
    Idle,
    /// On, with a game of its own, which nobody may take.
    OwnGame,
    /// A host has control; option 25 comes next.
    Controlled,
    /// In option 25: it obeys.
    Obeying,
}

defaults! {
    /// A clock on the bus.
    #[derive(Clone, Debug)]
    pub struct Dgt3000Sim {
        given {
            state: Dgt3000State,
            works: Works,
        }
        text: Option<[u8; 11]>,
        keys: Keys,
        says: VecDeque<(Mono, Vec<u8>)>,
        tells_at: Mono = Mono::default() + TELLS_EVERY,
        n_beeps: u32,
    }
}

impl Dgt3000Sim {
    /// A clock in this state, at time zero.
    pub fn new(state: Dgt3000State, drift_ppm: i32) -> Self {
        Self::begin(state, Works::new(drift_ppm))
    }

    /// A host writes a frame.
    pub fn write(&mut self, at: Mono, frame: &[u8]) -> WriteEnd {
        self.advance(at);
        let to = frame.first().and_then(|byte| Address::of_bits(byte >> 1));
        match (to, self.state) {
            (Some(Address::Wake), Dgt3000State::Asleep) => {
                if I2cCommand::decode(frame) == Ok(I2cCommand::Wake) {
                    self.state = Dgt3000State::Idle;
                    self.tells_at = at + TELLS_EVERY;
                    self.say(at + WAKES_AFTER, &I2cMessage::Hello);
                }
                WriteEnd::NoAnswer
            }
            (Some(Address::Clock), state) if state != Dgt3000State::Asleep => {
                // What makes no sense is taken from the bus and forgotten.
                if let Ok(command) = I2cCommand::decode(frame) {
                    self.obey(at, &command);
                }
                WriteEnd::Done
            }
            _ => WriteEnd::NoAnswer,
        }
    }

    fn obey(&mut self, at: Mono, command: &I2cCommand) {
        let is_ours = self.state == Dgt3000State::Obeying;
        let (mut on, mut status) = (Address::HostAck, 0x08);
        match *command {
            I2cCommand::Wake | I2cCommand::Silent => return,
            I2cCommand::SetCentralControl if self.state == Dgt3000State::OwnGame => status = 0,
            I2cCommand::SetCentralControl => self.state = self.state.max_controlled(),
            I2cCommand::Mode25
                if matches!(self.state, Dgt3000State::Idle | Dgt3000State::OwnGame) =>
            {
                status = 0
            }
            I2cCommand::Mode25 => self.state = Dgt3000State::Obeying,
            I2cCommand::Off => {
                self.sleep();
                return;
            }
            I2cCommand::SetAndRun(set) if is_ours => self.set(&set),
            I2cCommand::SetAndRun(_) => status = 0,
            I2cCommand::Display { text, beep, .. } => {
                on = Address::General;
                if !is_ours || self.text.is_some() {
                    status = 0x23;
                } else {
                    status = 0x20;
                    self.text = Some(text);
                    self.n_beeps += u32::from(beep > 0);
                }
            }
            I2cCommand::EndDisplay => {
                if self.text.take().is_some() {
                    (on, status) = (Address::General, 0x00);
                } else {
                    status = 0x05;
                }
            }
        }
        self.say(
            at + ANSWERS_AFTER,
            &I2cMessage::Ack(I2cAck { on, command: command.id(), status }),
        );
    }

    fn set(&mut self, set: &I2cSet) {
        self.works.set(End::Left, set.left, set.left_runs);
        self.works.set(End::Right, set.right, set.right_runs);
    }

    fn sleep(&mut self) {
        self.state = Dgt3000State::Asleep;
        self.works.forget();
        self.text = None;
        self.says.clear();
    }

    /// Says it after what is to be said already.
    fn say(&mut self, at: Mono, message: &I2cMessage) {
        let at = self.says.back().map_or(at, |(last, _)| at.max(*last));
        self.says.push_back((at, message.encode()));
    }

    /// The battery is jolted: the clock is off, and has forgotten everything.
    pub fn cut_power(&mut self, at: Mono) {
        self.advance(at);
        self.sleep();
    }

    /// Somebody switches it on and begins a game on it.
    pub fn begin_own_game(&mut self, at: Mono) {
        self.advance(at);
        self.works.set(End::Left, 300, SideRun::Stop);
        self.works.set(End::Right, 300, SideRun::Stop);
        self.state = Dgt3000State::OwnGame;
    }

    /// The game on the clock is over.
    pub fn end_own_game(&mut self, at: Mono) {
        self.advance(at);
        if self.state == Dgt3000State::OwnGame {
            self.state = Dgt3000State::Idle;
        }
    }

    /// A player pushes the `end` down. True if it was up.
    pub fn press(&mut self, at: Mono, end: End) -> bool {
        self.advance(at);
        if self.works.high() != end {
            return false;
        }
        self.works.turn(end.other());
        self.change(at, self.keys.with_high(end.other()));
        true
    }

    /// Somebody holds exactly these buttons.
    pub fn hold(&mut self, at: Mono, buttons: Buttons) {
        self.advance(at);
        self.change(at, self.keys.with_buttons(buttons));
    }

    /// The on/off key is pressed. Under control the clock stays on, but obeys no more and shows
    /// what it shows after being switched on; what exactly is not known.
    pub fn press_power(&mut self, at: Mono) {
        self.advance(at);
        let before = self.keys;
        self.change(at, Keys(before.0 | 0x20));
        self.change(at, before);
        match self.state {
            Dgt3000State::Obeying | Dgt3000State::Controlled | Dgt3000State::Asleep => {
                self.works.forget();
                self.text = None;
                self.state = Dgt3000State::Idle;
                self.tells_at = self.tells_at.max(at);
            }
            Dgt3000State::Idle | Dgt3000State::OwnGame => self.sleep(),
        }
    }

    fn change(&mut self, at: Mono, keys: Keys) {
        let before = std::mem::replace(&mut self.keys, keys);
        if self.state != Dgt3000State::Asleep && keys != before {
            self.say(at + ANSWERS_AFTER, &I2cMessage::Keys { now: keys, before });
            self.say(at + ANSWERS_AFTER, &I2cMessage::Empty);
        }
    }

    /// Lets the time pass.
    pub fn advance(&mut self, at: Mono) {
        while self.state != Dgt3000State::Asleep && self.tells_at <= at {
            let tells_at = self.tells_at;
            self.works.advance(tells_at);
            self.tells_at = tells_at + TELLS_EVERY;
            self.say(tells_at, &I2cMessage::Time(self.time()));
        }
        self.works.advance(at);
    }

    /// When it has something to say.
    pub fn next_at(&self) -> Option<Mono> {
        let tells = (self.state != Dgt3000State::Asleep).then_some(self.tells_at);
        self.says.front().map(|(at, _)| *at).into_iter().chain(tells).min()
    }

    /// The frames that it writes by `now`, in order, each with the address in its first byte.
    pub fn take(&mut self, now: Mono) -> Vec<Vec<u8>> {
        self.advance(now);
        let mut frames = Vec::new();
        while let Some((_, frame)) = self.says.pop_front_if(|(at, _)| *at <= now) {
            frames.push(frame);
        }
        frames
    }

    /// Whether it counts.
    pub fn is_running(&self) -> bool {
        self.works.is_running()
    }

    /// What its displays show.
    pub fn time(&self) -> I2cTime {
        I2cTime {
            left: self.works.seconds(End::Left),
            right: self.works.seconds(End::Right),
            high: self.works.high(),
            is_repeat: false,
        }
    }

    /// What a side does.
    pub const fn runs(&self, end: End) -> SideRun {
        self.works.runs(end)
    }

    /// The text over the times.
    pub const fn text(&self) -> Option<[u8; 11]> {
        self.text
    }

    /// What it does by itself.
    pub const fn state(&self) -> Dgt3000State {
        self.state
    }

    /// How often it has sounded.
    pub const fn n_beeps(&self) -> u32 {
        self.n_beeps
    }
}

impl Dgt3000State {
    /// Under control, and no less than before.
    const fn max_controlled(self) -> Self {
        match self {
            Self::Obeying => Self::Obeying,
            _ => Self::Controlled,
        }
    }
}
