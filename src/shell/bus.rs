//! Lines that many boards share. Each has a task of its own, which keeps it open, asks the boards
//! by turns, and tells each board's loop what that board would have said on a line of its own.

use super::config::Config;
use super::heard::Heard;
use super::link::LinkNews;
use super::now::Now;
use super::serial::{self, LineNews, LineStub, SerialLine};
use crate::game::Event;
use crate::time::Stamp;
use crate::wire::{BusLine, BusNews};
use std::collections::BTreeMap;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::sleep_until;
use tracing::{debug, warn};

/// Events that may wait for one board's loop, as on a line of its own.
const HEARD_MAX: usize = 256;

/// What boards' loops want of a shared line.
#[derive(Debug)]
enum Wish {
    /// Somebody listens to this board from now on.
    Join(usize, mpsc::Sender<Heard<LinkNews>>),
    /// Bytes for this board.
    Send(usize, Vec<u8>),
    /// This board does not answer as it should: its conversation begins anew.
    Reopen(usize),
}

/// A board's place on a shared line. It lasts as long as the line.
#[derive(Clone, Debug)]
pub(super) struct BusSeat {
    idx: usize,
    wishes: mpsc::UnboundedSender<Wish>,
}

/// A board's end of a shared line.
#[derive(Debug)]
pub(super) struct BusStub {
    seat: BusSeat,
    heard: mpsc::Receiver<Heard<LinkNews>>,
}

impl BusSeat {
    /// Whoever listened before does not any more.
    pub(super) fn join(&self) -> BusStub {
        let (heard_tx, heard) = mpsc::channel(HEARD_MAX);
        self.wish(Wish::Join(self.idx, heard_tx));
        BusStub { seat: self.clone(), heard }
    }

    fn wish(&self, wish: Wish) {
        // Without the line's task the board is about to end.
        self.wishes.send(wish).ok();
    }
}

impl BusStub {
    /// The next thing that comes; `None` once the line's task is gone. Safe to cancel.
    pub(super) async fn heard(&mut self) -> Option<Heard<LinkNews>> {
        self.heard.recv().await
    }

    /// How much has come and not been heard yet.
    pub(super) fn n_waiting(&self) -> usize {
        self.heard.len()
    }

    /// Bytes for the board, in the words of single mode.
    pub(super) fn send(&self, bytes: Vec<u8>) {
        self.seat.wish(Wish::Send(self.seat.idx, bytes));
    }

    /// The conversation with the board begins anew; that with the others goes on.
    pub(super) fn reopen(&self) {
        self.seat.wish(Wish::Reopen(self.seat.idx));
    }
}

/// A board on a shared line: its name and address.
pub(super) type Addressed<'a> = (&'a str, u16);

/// The shared lines of these settings, by their ports, each with its boards by their addresses.
pub(super) fn lines(config: &Config) -> BTreeMap<&str, Vec<Addressed<'_>>> {
    let mut lines: BTreeMap<&str, Vec<Addressed<'_>>> = BTreeMap::new();
    for board in config.boards.iter().filter(|board| board.is_on_bus()) {
        lines.entry(&board.port).or_default().push((&board.name, board.bus_address));
    }
    lines.values_mut().for_each(|boards| boards.sort_by_key(|(_, address)| *address));
    lines
}

/// Starts the line at `port` among the `tasks`, which end with the last of its `boards`: the places
/// on it by the names of these.
pub(super) fn start(
    port: &str,
    boards: &[Addressed<'_>],
    now: Now,
    tasks: &mut JoinSet<()>,
) -> BTreeMap<String, BusSeat> {
    let (wishes_tx, wishes) = mpsc::unbounded_channel();
    let addresses: Vec<u16> = boards.iter().map(|(_, address)| *address).collect();
    let seat = |(idx, (name, _)): (usize, &Addressed<'_>)| {
        ((*name).to_owned(), BusSeat { idx, wishes: wishes_tx.clone() })
    };
    let seats = boards.iter().enumerate().map(seat).collect();
    let (line, actor) = serial::channel(SerialLine::named(port), now);
    tasks.spawn(actor.run());
    let ears = boards.iter().map(|_| BusListener::default()).collect();
    let bus = BusLine::new(&addresses);
    tasks.spawn(BusActor { port: port.to_owned(), line, now, bus, ears, wishes }.run());
    seats
}

/// Who listens to a board.
#[derive(Debug, Default)]
struct BusListener {
    heard: Option<mpsc::Sender<Heard<LinkNews>>>,
    /// Why the board is not heard, as far as is known.
    why: Option<String>,
    /// Its loop was too busy to be told everything: it begins anew.
    is_behind: bool,
}

impl BusListener {
    fn tell(&mut self, at: Stamp, what: LinkNews) {
        let Some(heard) = &self.heard else { return };
        if self.is_behind && !matches!(what, LinkNews::Up | LinkNews::Down(_)) {
            return;
        }
        self.is_behind = heard.try_send(Heard { at, what }).is_err();
    }
}

/// The task of a shared line.
#[derive(Debug)]
struct BusActor {
    port: String,
    line: LineStub,
    now: Now,
    bus: BusLine,
    ears: Vec<BusListener>,
    wishes: mpsc::UnboundedReceiver<Wish>,
}

impl BusActor {
    /// Runs until the line's own task has ended, or all boards are gone.
    async fn run(mut self) {
        loop {
            let wake = self.bus.wake_at().map(|due| self.now.instant(due));
            let sleep = async {
                match wake {
                    Some(at) => sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            let at = tokio::select! {
                biased;
                heard = self.line.heard() => match heard {
                    Some(heard) => self.hear(heard),
                    None => return,
                },
                wish = self.wishes.recv() => match wish {
                    Some(wish) => self.grant(wish),
                    None => return self.line.close(),
                },
                () = sleep => {
                    let at = self.now.stamp();
                    self.bus.on_timeout(at.mono);
                    at
                }
            };
            self.carry_out(at);
        }
    }

    fn hear(&mut self, heard: Heard<LineNews>) -> Stamp {
        let Heard { at, what } = heard;
        match what {
            LineNews::Up => self.bus.link_up(at.mono),
            LineNews::Bytes(bytes) => self.bus.on_bytes(at.mono, &bytes),
            LineNews::Down { why } => {
                self.bus.link_down();
                for ear in &mut self.ears {
                    ear.why = Some(why.to_string());
                    ear.tell(at, LinkNews::Down(why.to_string()));
                }
            }
        }
        at
    }

    fn grant(&mut self, wish: Wish) -> Stamp {
        let at = self.now.stamp();
        match wish {
            Wish::Send(idx, bytes) => self.bus.order(at.mono, idx, &bytes),
            Wish::Join(idx, heard) => {
                let why = self.ears[idx].why.take();
                self.ears[idx] = BusListener { heard: Some(heard), ..BusListener::default() };
                self.begin_anew(at, idx, why);
            }
            Wish::Reopen(idx) => {
                self.begin_anew(
                    at,
                    idx,
                    Some("the board is queried from the beginning".to_owned()),
                );
            }
        }
        at
    }

    fn begin_anew(&mut self, at: Stamp, idx: usize, why: Option<String>) {
        let ear = &mut self.ears[idx];
        if let Some(why) = &why {
            ear.tell(at, LinkNews::Down(why.clone()));
        }
        if self.bus.is_up(idx) {
            ear.tell(at, LinkNews::Up);
        } else {
            ear.why = why;
        }
    }

    fn carry_out(&mut self, at: Stamp) {
        for bytes in self.bus.take_sent() {
            self.line.send(bytes);
        }
        while let Some((idx, news)) = self.bus.poll() {
            let ear = &mut self.ears[idx];
            let what = match news {
                BusNews::Up => {
                    ear.why = None;
                    LinkNews::Up
                }
                BusNews::Down(fault) => {
                    let why = format!("{}: {fault}", self.port);
                    ear.why = Some(why.clone());
                    LinkNews::Down(why)
                }
                BusNews::Said(message) => LinkNews::Bytes(message.encode()),
                BusNews::Noise => LinkNews::Saw(Event::Noise),
            };
            ear.tell(at, what);
        }
        for idx in 0..self.ears.len() {
            if std::mem::take(&mut self.ears[idx].is_behind) {
                debug!(port = self.port, idx, "a board's loop is behind");
                let why = "the board sent more than could be read".to_owned();
                self.begin_anew(at, idx, Some(why));
            }
        }
        for address in self.bus.take_strangers() {
            warn!(
                port = self.port,
                "a board with the address {address} answers, and no [[board]] has bus_address = \
                 {address}: it is not recorded"
            );
        }
    }
}
