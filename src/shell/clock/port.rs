//! A DGT 3000 behind a bridge in the daemon: its line, and the desk that drives it.
//!
//! The line is of the same kind as a board's: locked, opened again whenever it is lost, and
//! searched for anew while nobody answers who is a bridge.

use super::tell;
use crate::clock::TimeControl;
use crate::drive::{PortAct, PortDesk};
use crate::game::{Event, Fact};
use crate::laws::ClockOrder;
use crate::shell::config;
use crate::shell::now::Now;
use crate::shell::serial::{self, Heard, LineStub, What};
use crate::time::{Mono, Stamp};
use crate::wire::PortInput;
use std::collections::VecDeque;
use std::time::Duration;
use tracing::info;

/// A bridge answers within milliseconds; after the third greeting the line leads elsewhere.
const ANSWERS_WITHIN: Duration = Duration::from_secs(6);

/// The clock of one board.
#[derive(Debug)]
pub(in crate::shell) struct PortClock {
    board: String,
    line: LineStub,
    desk: PortDesk,
    /// Whoever is at the line has until then to be a bridge.
    answers_by: Option<Mono>,
    /// What the game has not heard yet.
    heard: VecDeque<(Stamp, Event)>,
}

impl PortClock {
    /// Opens the line that the settings name. Must be called inside a runtime.
    pub(super) fn open(settings: &config::Board, control: TimeControl, now: Now) -> Self {
        let desk = PortDesk::new(control, settings.left_or_right())
            .calling_for(settings.calls())
            .started_by(settings.starter());
        let desk = if settings.clock_shows_moves { desk.showing_moves() } else { desk };
        let (line, actor) = serial::channel(serial::Line::bridge(&settings.clock_port), now);
        tokio::spawn(actor.run());
        let board = settings.name.clone();
        Self { board, line, desk, answers_by: None, heard: VecDeque::new() }
    }

    /// What the clock has to say. Safe to cancel.
    pub(super) async fn event(&mut self) -> (Stamp, Event) {
        loop {
            if let Some(event) = self.heard.pop_front() {
                return event;
            }
            match self.line.heard().await {
                Some(heard) => self.hear(heard),
                None => return std::future::pending().await,
            }
        }
    }

    fn hear(&mut self, heard: Heard) {
        let Heard { at, what } = heard;
        let input = match what {
            What::Up => {
                self.answers_by = Some(at.mono + ANSWERS_WITHIN);
                PortInput::Up
            }
            What::Down { why } => {
                info!(board = self.board, "the clock's bridge: {why}");
                self.answers_by = None;
                PortInput::Down
            }
            What::Bytes(bytes) => PortInput::Bytes(bytes),
        };
        self.drive(at, |desk, out| desk.handle(at.mono, &input, out));
        if self.desk.is_linked() {
            self.answers_by = None;
        }
    }

    /// When [`PortClock::on_timeout`] is due.
    pub(super) fn wake_at(&self) -> Option<Mono> {
        [self.desk.wake_at(), self.answers_by].into_iter().flatten().min()
    }

    /// Something may be due.
    pub(super) fn on_timeout(&mut self, at: Stamp) {
        self.drive(at, |desk, out| desk.on_timeout(at.mono, out));
        if self.answers_by.take_if(|by| *by <= at.mono).is_some() {
            self.line.reopen();
        }
    }

    /// Something was recorded that the clock should know.
    pub(super) fn note(&mut self, at: Stamp, fact: &Fact) {
        self.drive(at, |desk, out| desk.note(at.mono, fact, out));
    }

    /// What the referee orders is done.
    pub(super) fn obey(&mut self, at: Stamp, order: ClockOrder) {
        self.drive(at, |desk, out| desk.obey(at.mono, order, out));
    }

    fn drive(&mut self, at: Stamp, act: impl FnOnce(&mut PortDesk, &mut Vec<PortAct>)) {
        let mut out = Vec::new();
        act(&mut self.desk, &mut out);
        self.heard.extend(self.desk.take_kept().map(|kept| (at, kept)));
        for act in out {
            match act {
                PortAct::Send(bytes) => self.line.send(bytes),
                PortAct::Tell(news) => tell(&self.board, &news),
                PortAct::Hear(message) => self.heard.push_back((at, Event::Clock(message))),
            }
        }
    }
}
