//! The clock of one board in the daemon: a part of the board's loop, whatever kind of clock it is.
//!
//! `kind.rs` is the list of kinds; every other file is one way in which a clock is reached.

mod behind;
#[cfg(feature = "pi")]
pub mod gpio;
#[cfg(feature = "pi")]
pub mod i2c;
pub mod kind;
pub mod own;
#[cfg(feature = "pi")]
pub mod pi;
mod port;

use super::config;
use super::now::Now;
use crate::game::{ClockOnRecord, Event, Fact};
use crate::laws::ClockOrder;
use crate::time::{Mono, Stamp};
use crate::wire::{BoardCommand, BoardMessage, ClockNews, DriverOutput, LINES_LOW};
use own::OwnClockStub;
use std::fmt::Debug;
use std::task::{Context, Poll};
use tracing::{info, warn};

/// A clock as the loop of its board runs it. Of what a kind of clock has no use for it leaves the
/// method as it stands here, which does nothing.
///
/// What is put into `out` goes to the board: commands for the clock behind it, and news for the
/// log.
pub(super) trait TableClock: Debug + Send {
    /// Whether the game's clock is another than the one behind the board, so that nothing counts
    /// that the board tells of a clock.
    fn is_own(&self) -> bool {
        false
    }

    /// The game is taken up with a clock that [is its own](Self::is_own), which has shown nothing
    /// yet: it is to stand as the record says.
    fn take_up(&mut self, _clock: ClockOnRecord) {}

    /// The line to the board was opened or lost, or another board is at its end.
    fn link_changed(&mut self, _at: Stamp, _out: &mut Vec<DriverOutput<BoardCommand>>) {}

    /// The board has said something.
    fn hear(
        &mut self,
        _at: Stamp,
        _message: &BoardMessage,
        _out: &mut Vec<DriverOutput<BoardCommand>>,
    ) {
    }

    /// Something was recorded that the clock should know.
    fn note(&mut self, _at: Stamp, _fact: &Fact, _out: &mut Vec<DriverOutput<BoardCommand>>) {}

    /// The referee orders something of the clock. It is done if the clock is driven.
    fn obey(&mut self, _at: Stamp, _order: ClockOrder, _out: &mut Vec<DriverOutput<BoardCommand>>) {
    }

    /// When [`TableClock::on_timeout`] is due.
    fn wake_at(&self) -> Option<Mono> {
        None
    }

    /// Something may be due.
    fn on_timeout(&mut self, _at: Stamp, _out: &mut Vec<DriverOutput<BoardCommand>>) {}

    /// What the game is to hear of how the clock behind the board is driven, before anything else.
    fn take_driving(&mut self) -> Option<Event> {
        None
    }

    /// What a clock tells that does not speak through the board: all of one moment, between which
    /// nothing else may come. Nothing is lost if nobody waits for it any more.
    fn poll_events(&mut self, _context: &mut Context<'_>) -> Poll<(Stamp, Vec<Event>)> {
        Poll::Pending
    }
}

/// A clock that is only read, by the game itself.
#[derive(Debug)]
struct ReadClock;

impl TableClock for ReadClock {}

/// The clock of a board: the one that is handed over, or as the settings say. Must be called inside
/// a runtime.
pub(super) fn open(
    settings: &config::BoardConfig,
    own: Option<OwnClockStub>,
    now: Now,
) -> Box<dyn TableClock> {
    match own {
        Some(own) => Box::new(own),
        None => settings.clock.open(settings, now),
    }
}

/// Says for the log what a driver has to tell.
pub(super) fn tell(board: &str, news: &ClockNews) {
    match news {
        ClockNews::Silent(mend) | ClockNews::Refuses(mend) => warn!(board, "{mend}"),
        ClockNews::Differs(difference) => {
            warn!(board, ?difference, "the clock does not show what it is told");
        }
        ClockNews::Defies => {
            warn!(board, "the clock does not obey; unless it runs by itself, only its lever counts")
        }
        ClockNews::Cable => warn!(board, "{LINES_LOW}"),
        ClockNews::Unanswered(id) => info!(board, id, "the clock does not answer"),
        ClockNews::Found(kind) => info!(board, ?kind, "a clock answers"),
        ClockNews::Gone => info!(board, "the clock is gone"),
        ClockNews::Restarted => info!(board, "the clock has restarted"),
        ClockNews::PowerKey => info!(board, "somebody tried to switch the clock off"),
        ClockNews::HeldUp => {
            info!(board, "the line delays readings of the clock; they are requested more often");
        }
        ClockNews::Agrees => info!(board, "the clock shows what it is told"),
        ClockNews::Reading(_) | ClockNews::Lever(_) | ClockNews::Pressed(_) => {}
    }
}
