//! Runs the clock whose works are the Pi: its contacts, displays and buzzer, and the game's ear.

use super::gpio::{Edge, GpioPins, Which};
use super::i2c::{DisplayError, Displays};
use super::now::Now;
use crate::game::{ClockOrder, OwnAct, OwnClock};
use crate::time::{Mono, Stamp};
use crate::wire::contact::Level;
use crate::wire::ht16k33::Face;
use crate::wire::{ClockMessage, End};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::sleep_until;
use tracing::{debug, warn};

/// Edges, readings and orders that may wait.
const QUEUE_MAX: usize = 64;
/// A display that was unplugged is tried again this often.
const REFRESH_EVERY: Duration = Duration::from_secs(2);

/// The things around the clock: real ones, or models.
pub trait Parts {
    /// How a contact stands now.
    fn level(&mut self, which: Which) -> Level;
    /// A display shows this.
    fn show(&mut self, end: End, face: Face);
    /// What a display did not take is tried again.
    fn refresh(&mut self);
    /// The buzzer sounds.
    fn sound(&mut self);
    /// The buzzer is silent.
    fn hush(&mut self);
}

/// A Pi's pins and displays.
#[derive(Debug)]
pub struct PiParts {
    pins: GpioPins,
    displays: Displays<rppal::i2c::I2c>,
    /// Said once, not every second.
    has_complained: bool,
}

impl PiParts {
    /// Puts the parts together.
    pub const fn new(pins: GpioPins, displays: Displays<rppal::i2c::I2c>) -> Self {
        Self { pins, displays, has_complained: false }
    }

    fn complain(&mut self, shown: Result<(), DisplayError>) {
        match shown {
            Ok(()) => self.has_complained = false,
            Err(error) if !std::mem::replace(&mut self.has_complained, true) => warn!("{error}"),
            Err(_) => {}
        }
    }
}

impl Parts for PiParts {
    fn level(&mut self, which: Which) -> Level {
        self.pins.level(which)
    }

    fn show(&mut self, end: End, face: Face) {
        let shown = self.displays.show(end, face);
        self.complain(shown);
    }

    fn refresh(&mut self) {
        let shown = self.displays.refresh();
        self.complain(shown);
    }

    fn sound(&mut self) {
        self.pins.sound();
    }

    fn hush(&mut self) {
        self.pins.hush();
    }
}

/// What others have of the clock.
#[derive(Debug)]
pub struct OwnClockStub {
    readings: mpsc::Receiver<(Stamp, ClockMessage)>,
    orders: mpsc::Sender<ClockOrder>,
}

impl OwnClockStub {
    /// The next reading, with the moment at which it was so; `None` once the clock is put away.
    /// Safe to cancel.
    pub async fn reading(&mut self) -> Option<(Stamp, ClockMessage)> {
        self.readings.recv().await
    }

    /// The arbiter does something to the clock.
    pub async fn order(&self, order: ClockOrder) {
        if self.orders.send(order).await.is_err() {
            warn!("the clock is put away and takes no orders");
        }
    }
}

/// The clock and its parts.
#[derive(Debug)]
pub struct OwnClockActor<P> {
    clock: OwnClock,
    parts: P,
    now: Now,
    edges: mpsc::Receiver<Edge>,
    orders: mpsc::Receiver<ClockOrder>,
    readings: mpsc::Sender<(Stamp, ClockMessage)>,
    /// When the buzzer falls silent.
    hush_at: Option<Mono>,
}

/// The channel on which the contacts tell their edges.
pub fn edges() -> (mpsc::Sender<Edge>, mpsc::Receiver<Edge>) {
    mpsc::channel(QUEUE_MAX)
}

/// The two ends of a clock. Nothing happens until the actor runs.
pub fn channel<P: Parts>(
    clock: OwnClock,
    parts: P,
    edges: mpsc::Receiver<Edge>,
    now: Now,
) -> (OwnClockStub, OwnClockActor<P>) {
    let (readings_tx, readings_rx) = mpsc::channel(QUEUE_MAX);
    let (orders_tx, orders_rx) = mpsc::channel(QUEUE_MAX);
    let stub = OwnClockStub { readings: readings_rx, orders: orders_tx };
    let actor = OwnClockActor {
        clock,
        parts,
        now,
        edges,
        orders: orders_rx,
        readings: readings_tx,
        hush_at: None,
    };
    (stub, actor)
}

impl<P: Parts> OwnClockActor<P> {
    /// Runs until the stub is dropped or the contacts are gone.
    pub async fn run(mut self) {
        let mut refresh = tokio::time::interval(REFRESH_EVERY);
        self.drive(|clock, at, out| clock.on_timeout(at, out));
        loop {
            let wake = [self.clock.wake_at(), self.hush_at].into_iter().flatten().min();
            let wake = wake.unwrap_or(Mono(u64::MAX));
            tokio::select! {
                biased;
                edge = self.edges.recv() => match edge {
                    Some(edge) => self.hear(edge),
                    None => break,
                },
                order = self.orders.recv() => match order {
                    Some(order) => self.drive(|clock, at, out| clock.order(at, order, out)),
                    None => break,
                },
                () = sleep_until(self.now.instant(wake)) => self.wake(),
                _ = refresh.tick() => self.parts.refresh(),
            }
        }
        self.parts.hush();
        debug!("the clock is put away");
    }

    fn hear(&mut self, edge: Edge) {
        let (at, level) = (edge.at.mono, edge.level);
        let mut out = Vec::new();
        match edge.which {
            Which::Left => self.clock.read(at, End::Left, level, &mut out),
            Which::Right => self.clock.read(at, End::Right, level, &mut out),
            Which::Middle => self.clock.read_middle(at, level, &mut out),
        }
        self.carry_out(out);
    }

    /// A contact has rested, a second is over, or a flag falls.
    fn wake(&mut self) {
        let at = self.now.stamp().mono;
        if self.hush_at.take_if(|hush| *hush <= at).is_some() {
            self.parts.hush();
        }
        let levels = [Which::Left, Which::Right, Which::Middle].map(|it| self.parts.level(it));
        self.drive(|clock, at, out| {
            clock.read(at, End::Left, levels[0], out);
            clock.read(at, End::Right, levels[1], out);
            clock.read_middle(at, levels[2], out);
            clock.on_timeout(at, out);
        });
    }

    fn drive(&mut self, act: impl FnOnce(&mut OwnClock, Mono, &mut Vec<OwnAct>)) {
        let mut out = Vec::new();
        act(&mut self.clock, self.now.stamp().mono, &mut out);
        self.carry_out(out);
    }

    fn carry_out(&mut self, acts: Vec<OwnAct>) {
        let now = self.now.stamp();
        // The game hears first: a display takes two milliseconds.
        for act in &acts {
            if let OwnAct::Reading(at, message) = act {
                let stamp = self.now.stamp_before(now.mono.since(*at));
                if self.readings.try_send((stamp, message.clone())).is_err() {
                    warn!("a reading of the clock was dropped");
                }
            }
        }
        for act in acts {
            match act {
                OwnAct::Reading(..) => {}
                OwnAct::Show(end, face) => self.parts.show(end, face),
                OwnAct::Sound(span) => {
                    self.parts.sound();
                    self.hush_at = Some(self.hush_at.unwrap_or_default().max(now.mono + span));
                }
            }
        }
    }
}
