//! The way to a board, whichever it is: a serial line, or switches on the pins.

use super::bus::{BusSeat, BusStub};
use super::config::{BoardConfig, Maker};
use super::heard::Heard;
use super::matrix::{self, MatrixNews, MatrixStub};
use super::now::Now;
use super::serial::{self, LineStub, RadioPeer, RadioPort};
use crate::game::Event;
use shakmaty::Role;
use tokio::task::JoinSet;

/// The core's end of the way to a board.
#[derive(Debug)]
pub(super) struct Link {
    way: Way,
    /// Buttons beside a board that is not on the pins.
    buttons: Option<MatrixStub>,
}

#[derive(Debug)]
enum Way {
    /// A serial line.
    Line(LineStub),
    /// A line that other boards share.
    Bus(BusStub),
    /// Switches that this machine scans.
    Matrix(MatrixStub),
}

/// What may come from a board.
#[derive(Debug)]
pub(super) enum LinkNews {
    /// The way is open.
    Up,
    /// It is not, and why.
    Down(String),
    /// Bytes of a line.
    Bytes(Vec<u8>),
    /// What switches show.
    Saw(Event),
    /// A button beside them says which piece a pawn becomes.
    Chosen(Role),
}

/// The line to this port, at the speed of the board of these settings.
pub(super) fn line_of(settings: &BoardConfig, port: &str) -> serial::SerialLine {
    let line = serial::SerialLine::named(port).at_baud(settings.maker.baud());
    // Settings that are wrong about it were refused when they were read.
    if let (Some(Ok(peer)), Some(ports)) = (RadioPeer::parse(port), settings.maker.gatt()) {
        return line.on_radio(RadioPort { peer, ports });
    }
    if settings.maker == Maker::Chessnut { line.on_hid() } else { line }
}

impl Link {
    /// The way to the board of these settings, or to that at the `seat`. What keeps it open runs
    /// among the `tasks`.
    pub(super) fn open(
        settings: &BoardConfig,
        seat: Option<&BusSeat>,
        now: Now,
        tasks: &mut JoinSet<()>,
    ) -> Self {
        let way = if let Some(seat) = seat {
            Way::Bus(seat.join())
        } else if settings.is_on_pins() {
            Way::Matrix(matrix::start(settings, now))
        } else {
            let (line, actor) = serial::channel(line_of(settings, &settings.port), now);
            tasks.spawn(actor.run());
            Way::Line(line)
        };
        Self { way, buttons: matrix::beside::start(settings, now) }
    }

    /// The next thing that comes; `None` once it is closed. Safe to cancel.
    pub(super) async fn heard(&mut self) -> Option<Heard<LinkNews>> {
        let Some(buttons) = &mut self.buttons else { return self.way.heard().await };
        tokio::select! {
            heard = self.way.heard() => heard,
            Some(heard) = buttons.heard() => Some(of_matrix(heard)),
        }
    }

    /// How much has come and not been heard yet.
    pub(super) fn n_waiting(&self) -> usize {
        let n_pressed = self.buttons.as_ref().map_or(0, MatrixStub::n_waiting);
        n_pressed
            + match &self.way {
                Way::Line(line) => line.n_waiting(),
                Way::Bus(bus) => bus.n_waiting(),
                Way::Matrix(matrix) => matrix.n_waiting(),
            }
    }

    /// Sends bytes. Switches take none.
    pub(super) fn send(&self, bytes: Vec<u8>) {
        match &self.way {
            Way::Line(line) => line.send(bytes),
            Way::Bus(bus) => bus.send(bytes),
            Way::Matrix(_) => {}
        }
    }

    /// Closes a line and opens it again; of one that others share only what concerns this board.
    pub(super) fn reopen(&self) {
        match &self.way {
            Way::Line(line) => line.reopen(),
            Way::Bus(bus) => bus.reopen(),
            Way::Matrix(_) => {}
        }
    }

    /// Lets what was sent leave, then closes the way for good.
    pub(super) fn close(&self) {
        self.buttons.iter().for_each(MatrixStub::close);
        match &self.way {
            Way::Line(line) => line.close(),
            // It stays open for the others.
            Way::Bus(_) => {}
            Way::Matrix(matrix) => matrix.close(),
        }
    }
}

impl Way {
    async fn heard(&mut self) -> Option<Heard<LinkNews>> {
        match self {
            Self::Line(line) => line.heard().await.map(|heard| {
                let what = match heard.what {
                    serial::LineNews::Up => LinkNews::Up,
                    serial::LineNews::Down { why } => LinkNews::Down(why.to_string()),
                    serial::LineNews::Bytes(bytes) => LinkNews::Bytes(bytes),
                };
                Heard { at: heard.at, what }
            }),
            Self::Bus(bus) => bus.heard().await,
            Self::Matrix(matrix) => matrix.heard().await.map(of_matrix),
        }
    }
}

fn of_matrix(Heard { at, what }: Heard<MatrixNews>) -> Heard<LinkNews> {
    let what = match what {
        MatrixNews::Up => LinkNews::Up,
        MatrixNews::Down(why) => LinkNews::Down(why.to_string()),
        MatrixNews::Saw(event) => LinkNews::Saw(event),
        MatrixNews::Chosen(role) => LinkNews::Chosen(role),
    };
    Heard { at, what }
}
