//! The kinds of clocks that settings and `rokade clock` can name: what each is called, what it
//! needs, and how it is opened. Nothing else in the shell knows them apart.

use super::behind::ClockBehind;
use super::port::PortClock;
use super::{ReadClock, TableClock};
use crate::clock::TimeControl;
use crate::drive::{ClockDesk, PortDesk};
use crate::game::ClockRole;
use crate::shell::config;
use crate::shell::now::Now;
use crate::shell::serial::SerialLine;
use crate::table::words;
#[cfg(feature = "pi")]
use crate::wire::contact::Shape;
use crate::wire::{BoardLink, BridgeLink, ClockDriver, ClockLine, PortDriver};
use clap::ValueEnum;
use tracing::warn;

words! {
    /// Where the clock is.
    #[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
    pub enum Source {
        /// Plugged into the board.
        #[default]
        Board = "board",
        /// On the pins of this Pi: two buttons and two displays (`hardware/clock-gpio.md`).
        Gpio = "gpio",
        /// On the pins: one contact below a rocker, or at the lever of another clock.
        GpioLever = "gpio-lever",
        /// A DGT 3000 on its own jack, through a microcontroller (`hardware/clock-bridge.md`).
        Bridge = "bridge",
    }
}

impl Source {
    /// Their words in the settings, and what `rokade setup` says of them.
    pub(in crate::shell) const OFFERED: [(&'static str, &'static str); 4] = [
        (Self::Board.word(), "plugged into the board, or beside it"),
        (Self::Bridge.word(), "a DGT 3000 on its own jack, through a microcontroller"),
        (Self::Gpio.word(), "buttons and displays on the pins of this Pi"),
        (Self::GpioLever.word(), "one contact on the pins of this Pi"),
    ];

    /// Whether the clock has a serial line of its own, which `clock_port` names. Such a clock is
    /// always driven, and needs a time control.
    pub(in crate::shell) const fn has_port(self) -> bool {
        matches!(self, Self::Bridge)
    }

    /// Whether the clock is plugged into the board.
    pub(in crate::shell) const fn is_behind_board(self) -> bool {
        matches!(self, Self::Board)
    }

    /// Whether the clock takes the pins of the Pi.
    pub(in crate::shell) const fn is_on_pins(self) -> bool {
        matches!(self, Self::Gpio | Self::GpioLever)
    }

    /// What the game may expect of the clock.
    pub(in crate::shell) fn role(
        self,
        is_driven: bool,
        control: Option<&TimeControl>,
    ) -> ClockRole {
        // A contact at the lever of another clock has no works, and no time control.
        let has_works = control.is_some_and(|it| *it != TimeControl::NoClock);
        match self {
            Self::Bridge => ClockRole::Driven,
            Self::Board if is_driven => ClockRole::Driven,
            Self::Gpio | Self::GpioLever if has_works => ClockRole::Own,
            Self::Board | Self::Gpio | Self::GpioLever => ClockRole::Read,
        }
    }

    /// The clock of a board with these settings. Must be called inside a runtime.
    pub(super) fn open(self, settings: &config::BoardConfig, now: Now) -> Box<dyn TableClock> {
        // The settings were checked when they were read.
        let control = settings.time_control().ok().flatten();
        match (self, control) {
            (Self::Board, Some(control)) if settings.drive_clock => {
                let desk = desk(settings, ClockLine::default(), control);
                let by_lever = settings.clock_turns_by_lever;
                Box::new(ClockBehind(if by_lever { desk.turned_by_lever() } else { desk }))
            }
            (Self::Bridge, Some(control)) => {
                let desk = PortDesk::new(desk(settings, BridgeLink::default(), control));
                let line = Through::Bridge.line(&settings.clock_port);
                Box::new(PortClock::open(&settings.name, line, desk, now))
            }
            (Self::Board | Self::Bridge, _) => Box::new(ReadClock),
            (Self::Gpio | Self::GpioLever, control) => {
                let control = control.unwrap_or(TimeControl::NoClock);
                self.open_pins(settings, control, now).unwrap_or_else(|why| {
                    warn!(board = settings.name, "no clock on the pins: {why}");
                    Box::new(ReadClock)
                })
            }
        }
    }

    /// The shape of a clock on the pins.
    #[cfg(feature = "pi")]
    pub(in crate::shell) const fn shape(self) -> Shape {
        match self {
            Self::GpioLever => Shape::Lever(crate::table::End::Left),
            _ => Shape::Buttons,
        }
    }

    #[cfg(feature = "pi")]
    fn open_pins(
        self,
        settings: &config::BoardConfig,
        control: TimeControl,
        now: Now,
    ) -> Result<Box<dyn TableClock>, String> {
        match super::pi::open(control, self.shape(), settings.left_or_right(), now) {
            Ok(stub) => Ok(Box::new(stub)),
            Err(error) => Err(match std::error::Error::source(&error) {
                Some(source) => format!("{error}: {source}"),
                None => error.to_string(),
            }),
        }
    }

    #[cfg(not(feature = "pi"))]
    fn open_pins(
        self,
        _: &config::BoardConfig,
        _: TimeControl,
        _: Now,
    ) -> Result<Box<dyn TableClock>, String> {
        Err("this program was built without the feature pi".to_owned())
    }
}

/// The desk of a driven clock, as the settings of its board say.
fn desk<D: ClockDriver>(
    settings: &config::BoardConfig,
    driver: D,
    control: TimeControl,
) -> ClockDesk<D> {
    let desk = ClockDesk::with_driver(driver, control, settings.left_or_right())
        .calling_for(settings.clock_stops_for)
        .started_by(settings.starter());
    if settings.clock_shows_moves { desk.showing_moves() } else { desk }
}

/// What a port leads to that `rokade clock` is given.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(in crate::shell) enum Through {
    /// A DGT board with a clock plugged in
    Board,
    /// A microcontroller on the jack of a DGT 3000
    Bridge,
}

impl Through {
    /// The port that the settings of a board name.
    pub(in crate::shell) fn port(self, settings: &config::BoardConfig) -> &str {
        match self {
            Self::Board => &settings.port,
            Self::Bridge => &settings.clock_port,
        }
    }

    /// The line of this name: a path, or `auto`.
    pub(in crate::shell) fn line(self, name: &str) -> SerialLine {
        match self {
            Self::Board => SerialLine::named(name),
            Self::Bridge => SerialLine::bridge(name),
        }
    }

    /// The driver of a clock behind such a port.
    pub(in crate::shell) fn driver(self) -> Box<dyn PortDriver> {
        match self {
            Self::Board => Box::new(BoardLink::default()),
            Self::Bridge => Box::new(BridgeLink::default()),
        }
    }
}
