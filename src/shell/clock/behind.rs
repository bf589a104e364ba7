//! A clock behind its board that the daemon drives: the board carries what both say.

use super::TableClock;
use crate::drive::ClockDesk;
use crate::game::{Event, Fact};
use crate::laws::ClockOrder;
use crate::time::{Mono, Stamp};
use crate::wire::{BoardCommand, BoardMessage, DriverOutput};

/// A driven clock that shares the line of its board.
#[derive(Debug)]
pub(super) struct ClockBehind(pub(super) ClockDesk);

impl TableClock for ClockBehind {
    fn link_changed(&mut self, at: Stamp, out: &mut Vec<DriverOutput<BoardCommand>>) {
        self.0.link_changed(at.mono, out);
    }

    fn hear(
        &mut self,
        at: Stamp,
        message: &BoardMessage,
        out: &mut Vec<DriverOutput<BoardCommand>>,
    ) {
        self.0.hear(at.mono, message, out);
    }

    fn note(&mut self, at: Stamp, fact: &Fact, out: &mut Vec<DriverOutput<BoardCommand>>) {
        self.0.note(at.mono, fact, out);
    }

    fn obey(&mut self, at: Stamp, order: ClockOrder, out: &mut Vec<DriverOutput<BoardCommand>>) {
        self.0.obey(at.mono, order, out);
    }

    fn wake_at(&self) -> Option<Mono> {
        self.0.wake_at()
    }

    fn on_timeout(&mut self, at: Stamp, out: &mut Vec<DriverOutput<BoardCommand>>) {
        self.0.on_timeout(at.mono, out);
    }

    fn take_driving(&mut self) -> Option<Event> {
        self.0.take_driving()
    }
}
