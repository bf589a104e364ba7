//! Runs the clock whose works are the Pi: its contacts, displays and buzzer, and the game's ear.

use super::TableClock;
use crate::drive::{OwnAct, OwnClock, OwnOrder};
use crate::game::{ClockOnRecord, Event, Fact};
use crate::laws::ClockOrder;
use crate::shell::now::Now;
use crate::table::End;
use crate::time::{Mono, Stamp};
use crate::wire::contact::Level;
use crate::wire::ht16k33::FourDigits;
use crate::wire::{BoardCommand, DriverOutput};
use std::task::{Context, Poll, ready};
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
    fn level(&mut self, which: ClockContact) -> Level;
    /// A display shows this.
    fn show(&mut self, end: End, face: FourDigits);
    /// What a display did not take is tried again.
    fn refresh(&mut self);
    /// The buzzer sounds.
    fn sound(&mut self);
    /// The buzzer is silent.
    fn hush(&mut self);
}

/// Which contact of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockContact {
    /// The button at the left end, or the contact below a rocker.
    Left,
    /// The button at the right end.
    Right,
    /// The button that stops the clock and lets it go on.
    Middle,
}

/// An edge of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// When, by the kernel.
    pub at: Stamp,
    /// Which contact it is an edge of.
    pub which: ClockContact,
    /// How the contact stood after it.
    pub level: Level,
}

/// The arbiter's end of a clock.
#[derive(Clone, Debug)]
pub struct ClockOrders(mpsc::Sender<OwnOrder>);

impl ClockOrders {
    /// The arbiter does something to the clock; nothing happens to one that is put away.
    pub async fn give(&self, order: ClockOrder) {
        if self.0.send(order.into()).await.is_err() {
            debug!("the clock was removed and takes no orders");
        }
    }
}

/// What others have of the clock.
#[derive(Debug)]
pub struct OwnClockStub {
    events: mpsc::Receiver<(Stamp, Event)>,
    orders: mpsc::Sender<OwnOrder>,
}

impl OwnClockStub {
    /// The next reading or press, with the moment at which it was so; `None` once the clock is put
    /// away. Safe to cancel.
    pub async fn event(&mut self) -> Option<(Stamp, Event)> {
        self.events.recv().await
    }

    /// The arbiter's end.
    pub fn orders(&self) -> ClockOrders {
        ClockOrders(self.orders.clone())
    }

    /// Orders something without waiting. Orders are few, so that there is room for them.
    pub fn order(&self, order: impl Into<OwnOrder>) {
        let order = order.into();
        if self.orders.try_send(order).is_err() {
            warn!(?order, "the clock took no order");
        }
    }
}

impl TableClock for OwnClockStub {
    fn is_own(&self) -> bool {
        true
    }

    fn take_up(&mut self, clock: ClockOnRecord) {
        self.order(OwnOrder::TakeUp(clock));
    }

    fn note(&mut self, _at: Stamp, fact: &Fact, _out: &mut Vec<DriverOutput<BoardCommand>>) {
        match fact {
            Fact::GameStarted { .. } => self.order(OwnOrder::NewGame),
            Fact::Ended(_) => self.order(ClockOrder::Stop),
            _ => {}
        }
    }

    fn obey(&mut self, _at: Stamp, order: ClockOrder, _out: &mut Vec<DriverOutput<BoardCommand>>) {
        self.order(order);
    }

    fn poll_events(&mut self, context: &mut Context<'_>) -> Poll<(Stamp, Vec<Event>)> {
        match ready!(self.events.poll_recv(context)) {
            Some((at, event)) => Poll::Ready((at, vec![event])),
            // It was put away.
            None => Poll::Pending,
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
    orders: mpsc::Receiver<OwnOrder>,
    events: mpsc::Sender<(Stamp, Event)>,
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
    let (events_tx, events_rx) = mpsc::channel(QUEUE_MAX);
    let (orders_tx, orders_rx) = mpsc::channel(QUEUE_MAX);
    let stub = OwnClockStub { events: events_rx, orders: orders_tx };
    let actor = OwnClockActor {
        clock,
        parts,
        now,
        edges,
        orders: orders_rx,
        events: events_tx,
        hush_at: None,
    };
    (stub, actor)
}

impl<P: Parts> OwnClockActor<P> {
    /// Runs until the stub is dropped or the contacts are gone.
    pub async fn run(mut self) {
        let mut refresh = tokio::time::interval(REFRESH_EVERY);
        // What is ordered before it shows anything is how it begins.
        while let Ok(order) = self.orders.try_recv() {
            self.drive(|clock, at, out| clock.order(at, order, out));
        }
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
        debug!("the clock was removed");
    }

    fn hear(&mut self, edge: Edge) {
        let (at, level) = (edge.at.mono, edge.level);
        let mut out = Vec::new();
        match edge.which {
            ClockContact::Left => self.clock.read(at, End::Left, level, &mut out),
            ClockContact::Right => self.clock.read(at, End::Right, level, &mut out),
            ClockContact::Middle => self.clock.read_middle(at, level, &mut out),
        }
        self.carry_out(out);
    }

    /// A contact has rested, a second is over, or a flag falls.
    fn wake(&mut self) {
        let at = self.now.stamp().mono;
        if self.hush_at.take_if(|hush| *hush <= at).is_some() {
            self.parts.hush();
        }
        let levels = [ClockContact::Left, ClockContact::Right, ClockContact::Middle]
            .map(|it| self.parts.level(it));
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
            let (at, event) = match act {
                OwnAct::Reading(at, message) => (at, Event::Clock(message.clone())),
                OwnAct::Pressed(at, by) => (at, Event::Pressed(*by)),
                OwnAct::Show(..) | OwnAct::Sound(_) => continue,
            };
            let stamp = self.now.stamp_before(now.mono.since(*at));
            if self.events.try_send((stamp, event)).is_err() {
                warn!("a reading of the clock was dropped");
            }
        }
        for act in acts {
            match act {
                OwnAct::Reading(..) | OwnAct::Pressed(..) => {}
                OwnAct::Show(end, face) => self.parts.show(end, face),
                OwnAct::Sound(span) => {
                    self.parts.sound();
                    self.hush_at = Some(self.hush_at.unwrap_or_default().max(now.mono + span));
                }
            }
        }
    }
}
