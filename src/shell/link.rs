//! The way to a board, whichever it is: a serial line, or switches on the pins.

use super::bus::{BusSeat, BusStub};
use super::config::{BoardConfig, Maker};
use super::heard::Heard;
use super::matrix::{self, MatrixStub};
use super::now::Now;
use super::serial::{self, LineStub, RadioPeer, RadioPort};
use crate::game::Event;
use shakmaty::Role;
use tokio::task::JoinSet;

/// The core's end of the way to a board.
#[derive(Debug)]
pub(super) enum Link {
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
        if let Some(seat) = seat {
            return Self::Bus(seat.join());
        }
        if settings.is_on_pins() {
            return Self::Matrix(matrix::start(settings, now));
        }
        let (line, actor) = serial::channel(line_of(settings, &settings.port), now);
        tasks.spawn(actor.run());
        Self::Line(line)
    }

    /// The next thing that comes; `None` once it is closed. Safe to cancel.
    pub(super) async fn heard(&mut self) -> Option<Heard<LinkNews>> {
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
            Self::Matrix(matrix) => matrix.heard().await.map(|heard| {
                let what = match heard.what {
                    matrix::MatrixNews::Up => LinkNews::Up,
                    matrix::MatrixNews::Down(why) => LinkNews::Down(why.to_string()),
                    matrix::MatrixNews::Saw(event) => LinkNews::Saw(event),
                    matrix::MatrixNews::Chosen(role) => LinkNews::Chosen(role),
                };
                Heard { at: heard.at, what }
            }),
        }
    }

    /// How much has come and not been heard yet.
    pub(super) fn n_waiting(&self) -> usize {
        match self {
            Self::Line(line) => line.n_waiting(),
            Self::Bus(bus) => bus.n_waiting(),
            Self::Matrix(matrix) => matrix.n_waiting(),
        }
    }

    /// Sends bytes. Switches take none.
    pub(super) fn send(&self, bytes: Vec<u8>) {
        match self {
            Self::Line(line) => line.send(bytes),
            Self::Bus(bus) => bus.send(bytes),
            Self::Matrix(_) => {}
        }
    }

    /// Closes a line and opens it again; of one that others share only what concerns this board.
    pub(super) fn reopen(&self) {
        match self {
            Self::Line(line) => line.reopen(),
            Self::Bus(bus) => bus.reopen(),
            Self::Matrix(_) => {}
        }
    }

    /// Lets what was sent leave, then closes the way for good.
    pub(super) fn close(&self) {
        match self {
            Self::Line(line) => line.close(),
            // It stays open for the others.
            Self::Bus(_) => {}
            Self::Matrix(matrix) => matrix.close(),
        }
    }
}
