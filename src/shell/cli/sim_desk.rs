//! A clock of one's own for the demo: buttons and displays that are only simulated.

use crate::clock::{ClockModel, Manner, TimeControl};
use crate::drive::OwnClock;
use crate::laws::ClockOrder;
use crate::shell::clock::own::{self, ClockContact, ClockOrders, Edge, OwnClockStub, Parts};
use crate::shell::now::Now;
use crate::sim::DisplaySim;
use crate::sim::script::Happening;
use crate::table::End;
use crate::wire::contact::{Contacts, Level, Shape};
use crate::wire::ht16k33::FourDigits;
use shakmaty::Color;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;
use tracing::debug;

/// A finger stays on a button for so long.
const HOLD: Duration = Duration::from_millis(20);

/// A simulated clock on simulated pins.
pub(super) struct SimDesk {
    /// For the daemon.
    pub(super) stub: OwnClockStub,
    /// For the arbiter.
    pub(super) orders: ClockOrders,
    /// For the hands of the players.
    pub(super) hands: mpsc::UnboundedSender<Happening>,
}

impl SimDesk {
    /// A clock set for `control`, White at its left end; or only the lever of another clock, for no
    /// time control. Must be called inside a runtime.
    pub(super) fn open(control: TimeControl, shape: Shape, now: Now) -> Self {
        let model = ClockModel::new(control, Manner::default());
        let contacts = Contacts::new(shape, Level::Open, Level::Open);
        let clock = OwnClock::new(model, End::Left, contacts);
        let (edges_tx, edges_rx) = own::edges();
        let buttons = HeldButtons::default();
        let parts = SimParts { buttons: buttons.clone(), displays: Default::default() };
        let (stub, actor) = own::channel(clock, parts, edges_rx, now);
        tokio::spawn(actor.run());
        let (hands_tx, hands_rx) = mpsc::unbounded_channel();
        tokio::spawn(press(hands_rx, edges_tx, (shape, buttons), stub.orders(), now));
        Self { orders: stub.orders(), stub, hands: hands_tx }
    }
}

/// Which buttons are down: White's at the left, Black's at the right.
#[derive(Clone, Debug, Default)]
struct HeldButtons(Arc<[AtomicBool; 2]>);

/// Does with the buttons what the script says, until it ends.
async fn press(
    mut hands: mpsc::UnboundedReceiver<Happening>,
    edges: mpsc::Sender<Edge>,
    (shape, buttons): (Shape, HeldButtons),
    orders: ClockOrders,
    now: Now,
) {
    while let Some(happening) = hands.recv().await {
        let by = match happening {
            Happening::Press(by) => by,
            Happening::ClockStopped => {
                orders.give(ClockOrder::Stop).await;
                continue;
            }
            Happening::Resume(turn) => {
                orders.give(ClockOrder::Run(turn)).await;
                continue;
            }
            _ => continue,
        };
        if shape != Shape::Buttons {
            // The lever stays as it was pushed; its contact is below White's end.
            let level = if by == Color::White { Level::Closed } else { Level::Open };
            buttons.0[0].store(level == Level::Closed, Ordering::Relaxed);
            if edges.send(Edge { at: now.stamp(), which: ClockContact::Left, level }).await.is_err()
            {
                return;
            }
            continue;
        }
        let (idx, which) = match by {
            Color::White => (0, ClockContact::Left),
            Color::Black => (1, ClockContact::Right),
        };
        for level in [Level::Closed, Level::Open] {
            buttons.0[idx].store(level == Level::Closed, Ordering::Relaxed);
            let edge = Edge { at: now.stamp(), which, level };
            if edges.send(edge).await.is_err() {
                return;
            }
            now.sleep_until(now.stamp().mono + HOLD).await;
        }
    }
    // The buttons stay as long as the clock does.
    edges.closed().await;
}

#[derive(Debug)]
struct SimParts {
    buttons: HeldButtons,
    displays: [DisplaySim; 2],
}

impl Parts for SimParts {
    fn level(&mut self, which: ClockContact) -> Level {
        let is_down = match which {
            ClockContact::Left => self.buttons.0[0].load(Ordering::Relaxed),
            ClockContact::Right => self.buttons.0[1].load(Ordering::Relaxed),
            ClockContact::Middle => false,
        };
        if is_down { Level::Closed } else { Level::Open }
    }

    fn show(&mut self, end: End, face: FourDigits) {
        let display = &mut self.displays[usize::from(end == End::Right)];
        for byte in FourDigits::start(7) {
            display.write(&[byte]);
        }
        let (setup, digits) = face.frames();
        display.write(&setup);
        display.write(&digits);
        debug!(left = self.displays[0].shown(), right = self.displays[1].shown(), "displays");
    }

    fn refresh(&mut self) {}

    fn sound(&mut self) {
        debug!("the buzzer sounds");
    }

    fn hush(&mut self) {}
}
