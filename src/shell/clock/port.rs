//! A clock with a port to itself in the daemon: its line, and the desk that drives it.
//!
//! The line is of the same kind as a board's: locked, opened again whenever it is lost, and
//! searched for anew while the device that speaks for the clock does not answer.

use super::{TableClock, tell};
use crate::drive::{PortAct, PortDesk};
use crate::game::{Event, Fact};
use crate::laws::ClockOrder;
use crate::shell::heard::Heard;
use crate::shell::now::Now;
use crate::shell::serial::{self, LineNews, LineStub, SerialLine};
use crate::time::{Mono, Stamp};
use crate::wire::{BoardCommand, DriverOutput, PortDriver, PortInput};
use std::collections::VecDeque;
use std::fmt::Debug;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tracing::info;

/// A bridge answers within milliseconds; after the third greeting the line leads elsewhere.
const ANSWERS_WITHIN: Duration = Duration::from_secs(6);

/// The clock of one board.
#[derive(Debug)]
pub(super) struct PortClock<D> {
    board: String,
    line: LineStub,
    desk: PortDesk<D>,
    /// Until then the device at the line has to answer.
    answers_by: Option<Mono>,
    /// What the game has not heard yet.
    heard: VecDeque<(Stamp, Vec<Event>)>,
}

impl<D: PortDriver> PortClock<D> {
    /// Opens the line to the clock of this board. Must be called inside a runtime.
    pub(super) fn open(board: &str, line: SerialLine, desk: PortDesk<D>, now: Now) -> Self {
        let (line, actor) = serial::channel(line, now);
        tokio::spawn(actor.run());
        Self { board: board.to_owned(), line, desk, answers_by: None, heard: VecDeque::new() }
    }

    fn hear(&mut self, heard: Heard<LineNews>) {
        let Heard { at, what } = heard;
        let input = match what {
            LineNews::Up => {
                self.answers_by = Some(at.mono + ANSWERS_WITHIN);
                PortInput::Up
            }
            LineNews::Down { why } => {
                info!(board = self.board, "the clock's bridge: {why}");
                self.answers_by = None;
                PortInput::Down
            }
            LineNews::Bytes(bytes) => PortInput::Bytes(bytes),
        };
        self.drive(at, |desk, out| desk.handle(at.mono, &input, out));
        if self.desk.is_linked() {
            self.answers_by = None;
        }
    }

    fn drive(&mut self, at: Stamp, act: impl FnOnce(&mut PortDesk<D>, &mut Vec<PortAct>)) {
        let (mut out, mut events) = (Vec::new(), Vec::new());
        act(&mut self.desk, &mut out);
        for act in out {
            match act {
                PortAct::Send(bytes) => self.line.send(bytes),
                PortAct::Tell(news) => tell(&self.board, &news),
                PortAct::Hear(event) => events.push(event),
            }
        }
        if !events.is_empty() {
            self.heard.push_back((at, events));
        }
    }
}

impl<D: PortDriver + Debug + Send> TableClock for PortClock<D> {
    fn is_own(&self) -> bool {
        true
    }

    fn note(&mut self, at: Stamp, fact: &Fact, _out: &mut Vec<DriverOutput<BoardCommand>>) {
        self.drive(at, |desk, out| desk.note(at.mono, fact, out));
    }

    fn obey(&mut self, at: Stamp, order: ClockOrder, _out: &mut Vec<DriverOutput<BoardCommand>>) {
        self.drive(at, |desk, out| desk.obey(at.mono, order, out));
    }

    fn wake_at(&self) -> Option<Mono> {
        [self.desk.wake_at(), self.answers_by].into_iter().flatten().min()
    }

    fn on_timeout(&mut self, at: Stamp, _out: &mut Vec<DriverOutput<BoardCommand>>) {
        self.drive(at, |desk, out| desk.on_timeout(at.mono, out));
        if self.answers_by.take_if(|by| *by <= at.mono).is_some() {
            self.line.reopen();
        }
    }

    fn poll_events(&mut self, context: &mut Context<'_>) -> Poll<(Stamp, Vec<Event>)> {
        loop {
            if let Some(events) = self.heard.pop_front() {
                return Poll::Ready(events);
            }
            match ready!(self.line.poll_heard(context)) {
                Some(heard) => self.hear(heard),
                None => return Poll::Pending,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::ClockDesk;
    use crate::shell::pty::{PtyBridge, PtyBridgeStub};
    use crate::sim::script::Happening;
    use crate::table::End;
    use crate::wire::{BridgeLink, ClockMessage};
    use shakmaty::Color;
    use std::future::poll_fn;
    use tokio::time::{sleep_until, timeout};

    /// Nothing here takes this long unless it hangs.
    const LIMIT: Duration = Duration::from_secs(60);

    /// A clock on a simulated bridge.
    struct Room {
        bridge: PtyBridgeStub,
        clock: PortClock<BridgeLink>,
        now: Now,
        _folder: tempfile::TempDir,
    }

    impl Room {
        fn open() -> Self {
            let (folder, now) = (tempfile::tempdir().expect("a folder"), Now::start());
            let jack = folder.path().join("jack");
            let (bridge, works) = PtyBridge::open(now, Some(jack.clone())).expect("a bridge");
            tokio::spawn(works.run());
            let control = "3m+2s".parse().expect("a time control");
            let desk = ClockDesk::with_driver(BridgeLink::default(), control, End::Left);
            let clock = PortClock::open("table-1", SerialLine::at(jack), PortDesk::new(desk), now);
            Self { bridge, clock, now, _folder: folder }
        }

        fn hand(&self, happening: Happening) {
            self.bridge.hands().send(happening).expect("the bridge is there");
        }

        /// What is told in one breath with the first message that is such a one.
        async fn told(&mut self, is_it: impl Fn(&ClockMessage) -> bool) -> Vec<Event> {
            let Self { clock, now, .. } = self;
            let wait = async {
                loop {
                    let due = clock.wake_at().unwrap_or(Mono(u64::MAX / 2));
                    tokio::select! {
                        (_, events) = poll_fn(|context| clock.poll_events(context)) => {
                            let is = |event: &Event| {
                                matches!(event, Event::Clock(message) if is_it(message))
                            };
                            if events.iter().any(is) {
                                return events;
                            }
                        }
                        () = sleep_until(now.instant(due)) => {
                            clock.on_timeout(now.stamp(), &mut Vec::new());
                        }
                    }
                }
            };
            timeout(LIMIT, wait).await.expect("the clock says so in time")
        }
    }

    #[tokio::test]
    async fn how_a_clock_is_driven_is_told_in_one_breath_with_the_press() {
        let shows = |is_running, end| {
            move |message: &ClockMessage| match message {
                ClockMessage::Time(time) => (time.running, time.high) == (is_running, end),
                _ => false,
            }
        };
        let mut room = Room::open();
        room.told(shows(false, End::Left)).await;
        room.hand(Happening::Resume(Color::White));
        room.told(shows(true, End::Left)).await;
        for (by, up) in [(Color::White, End::Right), (Color::Black, End::Left)] {
            room.hand(Happening::Press(by));
            let told = room.told(shows(true, up)).await;
            assert!(matches!(told[..], [Event::Driven(_), Event::Clock(_)]), "{told:?}");
        }
    }
}
