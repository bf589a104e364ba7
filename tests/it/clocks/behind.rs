//! A DGT 3000 behind a bridge, and the host that drives it, in virtual time.

use rokade::drive::{PortAct, PortDesk};
use rokade::game::Event;
use rokade::sim::dgt3000::Dgt3000State;
use rokade::sim::{BridgeSim, Dgt3000Sim};
use rokade::time::Mono;
use rokade::wire::{BridgeLink, ClockDriver, ClockMessage, ClockNews, DriverOutput, PortInput};
use std::time::Duration;

/// Whoever has the line to a bridge.
pub(super) trait Host {
    /// What it asks for.
    type Act: Into<PortAct>;

    fn handle(&mut self, at: Mono, input: &PortInput, out: &mut Vec<Self::Act>);
    fn on_timeout(&mut self, at: Mono, out: &mut Vec<Self::Act>);
    fn wake_at(&self) -> Option<Mono>;
}

impl Host for PortDesk<BridgeLink> {
    type Act = PortAct;

    fn handle(&mut self, at: Mono, input: &PortInput, out: &mut Vec<PortAct>) {
        self.handle(at, input, out);
    }

    fn on_timeout(&mut self, at: Mono, out: &mut Vec<PortAct>) {
        self.on_timeout(at, out);
    }

    fn wake_at(&self) -> Option<Mono> {
        self.wake_at()
    }
}

impl Host for BridgeLink {
    type Act = DriverOutput<Vec<u8>>;

    fn handle(&mut self, at: Mono, input: &PortInput, out: &mut Vec<Self::Act>) {
        ClockDriver::handle(self, at, input, out);
    }

    fn on_timeout(&mut self, at: Mono, out: &mut Vec<Self::Act>) {
        ClockDriver::on_timeout(self, at, out);
    }

    fn wake_at(&self) -> Option<Mono> {
        ClockDriver::wake_at(self)
    }
}

/// A host, a bridge and its clock.
pub(super) struct Room<H> {
    pub(super) now: Mono,
    pub(super) host: H,
    pub(super) bridge: BridgeSim,
    /// Nothing passes on the line.
    pub(super) is_mute: bool,
    pub(super) news: Vec<ClockNews>,
    /// What the game has heard.
    pub(super) heard: Vec<ClockMessage>,
}

impl<H: Host> Room<H> {
    /// The clock sleeps; the line is up.
    pub(super) fn open(host: H, drift_ppm: i32) -> Self {
        let bridge = BridgeSim::new(Dgt3000Sim::new(Dgt3000State::Asleep, drift_ppm));
        let (now, is_mute) = (Mono::default(), false);
        let (news, heard) = (Vec::new(), Vec::new());
        let mut room = Self { now, host, bridge, is_mute, news, heard };
        room.plug();
        room
    }

    pub(super) fn plug(&mut self) {
        self.drive(|host, at, out| host.handle(at, &PortInput::Up, out));
    }

    pub(super) fn drive(&mut self, act: impl FnOnce(&mut H, Mono, &mut Vec<H::Act>)) {
        let mut out = Vec::new();
        act(&mut self.host, self.now, &mut out);
        for act in out {
            match act.into() {
                PortAct::Send(bytes) if self.is_mute => drop(bytes),
                PortAct::Send(bytes) => self.bridge.host_bytes(self.now, &bytes),
                PortAct::Tell(news) => self.news.push(news),
                PortAct::Hear(Event::Clock(message)) => self.heard.push(message),
                PortAct::Hear(_) => {}
            }
        }
    }

    pub(super) fn pass(&mut self, span: Duration) {
        let until = self.now + span;
        loop {
            let bytes = self.bridge.take(self.now);
            if !bytes.is_empty() && !self.is_mute {
                let input = PortInput::Bytes(bytes);
                self.drive(|host, at, out| host.handle(at, &input, out));
                continue;
            }
            let due = self.host.wake_at().unwrap_or(until);
            let next = due.min(self.bridge.next_at()).max(Mono(self.now.0 + 1));
            if next > until {
                break;
            }
            self.now = next;
            self.drive(|host, at, out| host.on_timeout(at, out));
        }
        self.now = until;
        self.bridge.advance(until);
    }
}
