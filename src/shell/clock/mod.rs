//! The clock of one board in the daemon: read only, driven through the board, or our own.

#[cfg(feature = "pi")]
pub mod gpio;
#[cfg(feature = "pi")]
pub mod i2c;
pub mod own;
#[cfg(feature = "pi")]
pub mod pi;
mod port;

use super::config::{self, Source};
use super::now::Now;
use crate::clock::TimeControl;
use crate::drive::{ClockDesk, OwnOrder};
use crate::game::{Event, Fact, Kept};
use crate::laws;
use crate::time::{Mono, Stamp};
#[cfg(feature = "pi")]
use crate::wire::{self, contact::Shape};
use crate::wire::{Act, ClockNews, Command};
use own::OwnClockStub;
use port::PortClock;
use tracing::{info, warn};

/// What the daemon does about a board's clock.
#[derive(Debug)]
pub(super) enum BoardClock {
    /// It listens.
    Read,
    /// It drives the clock behind the board.
    Driven(Box<ClockDesk>),
    /// It is the clock.
    Own(OwnClockStub),
    /// It drives a clock on its own jack.
    Bridge(Box<PortClock>),
}

impl BoardClock {
    /// As the settings say, or the clock that is handed over.
    pub(super) fn new(settings: &config::Board, own: Option<OwnClockStub>, now: Now) -> Self {
        // The settings were checked when they were read.
        let control = settings.time_control().ok().flatten();
        match (own, settings.clock, control) {
            (Some(own), ..) => Self::Own(own),
            (None, Source::Board, Some(control)) if settings.drive_clock => {
                let desk = ClockDesk::new(control, settings.left_or_right());
                let desk = desk.calling_for(settings.calls()).started_by(settings.starter());
                let desk =
                    if settings.clock_turns_by_lever { desk.turned_by_lever() } else { desk };
                let desk = if settings.clock_shows_moves { desk.showing_moves() } else { desk };
                Self::Driven(Box::new(desk))
            }
            (None, Source::Bridge, Some(control)) => {
                Self::Bridge(Box::new(PortClock::open(settings, control, now)))
            }
            (None, Source::Board | Source::Bridge, _) => Self::Read,
            (None, Source::Gpio | Source::GpioLever, control) => {
                let control = control.unwrap_or(TimeControl::NoClock);
                pi_clock(settings, control, now).unwrap_or_else(|why| {
                    warn!(board = settings.name, "no clock on the pins: {why}");
                    Self::Read
                })
            }
        }
    }

    /// Whether the clock behind the board is none of the game's.
    pub(super) const fn is_own(&self) -> bool {
        matches!(self, Self::Own(_) | Self::Bridge(_))
    }

    /// A clock of our own stands as the record says, before it has shown anything.
    pub(super) fn take_up(&self, kept: Kept) {
        if let Self::Own(stub) = self {
            stub.order(OwnOrder::TakeUp(kept));
        }
    }

    /// When [`BoardClock::on_timeout`] is due.
    pub(super) fn wake_at(&self) -> Option<Mono> {
        match self {
            Self::Driven(desk) => desk.wake_at(),
            Self::Bridge(bridge) => bridge.wake_at(),
            Self::Read | Self::Own(_) => None,
        }
    }

    /// Something may be due.
    pub(super) fn on_timeout(&mut self, at: Stamp, out: &mut Vec<Act<Command>>) {
        match self {
            Self::Driven(desk) => desk.on_timeout(at.mono, out),
            Self::Bridge(bridge) => bridge.on_timeout(at),
            Self::Read | Self::Own(_) => {}
        }
    }

    /// The line to the board was opened or lost.
    pub(super) fn link_changed(&mut self, at: Stamp, out: &mut Vec<Act<Command>>) {
        if let Self::Driven(desk) = self {
            desk.link_changed(at.mono, out);
        }
    }

    /// The board has sent bytes.
    pub(super) fn hear(&mut self, at: Stamp, bytes: &[u8], out: &mut Vec<Act<Command>>) {
        if let Self::Driven(desk) = self {
            desk.hear(at.mono, bytes, out);
        }
    }

    /// Something was recorded that the clock should know.
    pub(super) fn note(&mut self, at: Stamp, fact: &Fact, out: &mut Vec<Act<Command>>) {
        match (self, fact) {
            (Self::Driven(desk), fact) => desk.note(at.mono, fact, out),
            (Self::Bridge(bridge), fact) => bridge.note(at, fact),
            (Self::Own(stub), Fact::GameStarted { .. }) => stub.order(OwnOrder::NewGame),
            (Self::Own(stub), Fact::Ended(_)) => stub.order(OwnOrder::Stop),
            _ => {}
        }
    }

    /// What the referee orders of the clock is done, if it is ours to do.
    pub(super) fn obey(&mut self, at: Stamp, order: laws::ClockOrder, out: &mut Vec<Act<Command>>) {
        match self {
            Self::Read => {}
            Self::Driven(desk) => desk.obey(at.mono, order, out),
            Self::Own(stub) => stub.order(OwnOrder::Obey(order)),
            Self::Bridge(bridge) => bridge.obey(at, order),
        }
    }

    /// What the game is to hear of how the clock behind the board is kept, before anything else.
    pub(super) fn take_kept(&mut self) -> Option<Event> {
        match self {
            Self::Driven(desk) => desk.take_kept(),
            Self::Read | Self::Own(_) | Self::Bridge(_) => None,
        }
    }

    /// What a clock has to say that does not speak through the board; nothing, ever, of another.
    /// Safe to cancel.
    pub(super) async fn event(&mut self) -> (Stamp, Event) {
        match self {
            Self::Own(stub) => {
                if let Some(event) = stub.event().await {
                    return event;
                }
            }
            Self::Bridge(bridge) => return bridge.event().await,
            Self::Read | Self::Driven(_) => {}
        }
        std::future::pending().await
    }
}

#[cfg(feature = "pi")]
fn pi_clock(
    settings: &config::Board,
    control: TimeControl,
    now: Now,
) -> Result<BoardClock, String> {
    let shape = match settings.clock {
        Source::GpioLever => Shape::Lever(wire::End::Left),
        _ => Shape::Buttons,
    };
    pi::open(control, shape, settings.left_or_right(), now).map(BoardClock::Own).map_err(|error| {
        match std::error::Error::source(&error) {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        }
    })
}

#[cfg(not(feature = "pi"))]
fn pi_clock(_: &config::Board, _: TimeControl, _: Now) -> Result<BoardClock, String> {
    Err("this program was built without the feature pi".to_owned())
}

/// Says for the log what a driver has to tell.
pub(super) fn tell(board: &str, news: &ClockNews) {
    match news {
        ClockNews::Silent(mend) | ClockNews::Refuses(mend) => warn!(board, "{mend}"),
        ClockNews::Differs(difference) => {
            warn!(board, ?difference, "the clock does not show what it is told");
        }
        ClockNews::Defies => warn!(
            board,
            "the clock does not do what it is told; unless it goes by itself, only its lever counts"
        ),
        ClockNews::Cable => warn!(board, "the clock's lines are held low; check its plug"),
        ClockNews::Unanswered(id) => info!(board, id, "the clock does not answer"),
        ClockNews::Found(kind) => info!(board, ?kind, "a clock answers"),
        ClockNews::Gone => info!(board, "the clock is gone"),
        ClockNews::Restarted => info!(board, "the clock has started anew"),
        ClockNews::PowerKey => info!(board, "somebody tried to switch the clock off"),
        ClockNews::HeldUp => {
            info!(board, "the line holds readings of the clock up; they are asked for more often");
        }
        ClockNews::Agrees => info!(board, "the clock shows what it is told"),
        ClockNews::Reading(_) | ClockNews::Lever(_) | ClockNews::Pressed(_) => {}
    }
}
