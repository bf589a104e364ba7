//! The clock of `hardware/clock-gpio.md`: which pins, which bus, and what happens without them.

use super::gpio::{GpioError, GpioPins, Pins};
use super::i2c::{Brightness, DisplayError, Displays};
use super::own::{self, ClockContact, OwnClockStub, Parts};
use crate::clock::{ClockModel, Manner, TimeControl};
use crate::drive::OwnClock;
use crate::shell::now::Now;
use crate::shell::pins::{
    CLOCK_BUZZER as BUZZER, CLOCK_DISPLAYS, CLOCK_LEFT as LEFT, CLOCK_MIDDLE as MIDDLE,
    CLOCK_RIGHT as RIGHT,
};
use crate::table::End;
use crate::wire::contact::{Contacts, Level, Shape};
use crate::wire::ht16k33::FourDigits;
use tracing::warn;

/// Half of what is possible: enough for a hall.
const BRIGHTNESS: Brightness = Brightness(7);

/// What keeps the parts from being used.
#[derive(Debug, thiserror::Error)]
pub enum PiClockError {
    /// The pins.
    #[error(transparent)]
    Pins(#[from] GpioError),
    /// The bus.
    #[error(
        "the I2C bus cannot be used; is it switched on (raspi-config), and is this user in \
             the group i2c?"
    )]
    Bus(#[source] rppal::i2c::Error),
}

/// A Pi's pins and displays.
#[derive(Debug)]
pub struct PiParts {
    pins: GpioPins,
    displays: Displays<rppal::i2c::I2c>,
    /// Said once, not every second.
    has_complained: bool,
}

impl PiParts {
    /// Puts the parts together.
    pub const fn new(pins: GpioPins, displays: Displays<rppal::i2c::I2c>) -> Self {
        Self { pins, displays, has_complained: false }
    }

    fn complain(&mut self, shown: Result<(), DisplayError>) {
        match shown {
            Ok(()) => self.has_complained = false,
            Err(error) if !std::mem::replace(&mut self.has_complained, true) => warn!("{error}"),
            Err(_) => {}
        }
    }
}

impl Parts for PiParts {
    fn level(&mut self, which: ClockContact) -> Level {
        self.pins.level(which)
    }

    fn show(&mut self, end: End, face: FourDigits) {
        let shown = self.displays.show(end, face);
        self.complain(shown);
    }

    fn refresh(&mut self) {
        let shown = self.displays.refresh();
        self.complain(shown);
    }

    fn sound(&mut self) {
        self.pins.sound();
    }

    fn hush(&mut self) {
        self.pins.hush();
    }
}

/// Puts the clock together and starts it. Must be called inside a runtime.
///
/// # Errors
/// This is no Pi, or its pins or its bus are not to be had.
pub fn open(
    control: TimeControl,
    shape: Shape,
    white: End,
    now: Now,
) -> Result<OwnClockStub, PiClockError> {
    let (edges_tx, edges_rx) = own::edges();
    let contacts = match shape {
        Shape::Buttons => vec![
            (ClockContact::Left, LEFT),
            (ClockContact::Right, RIGHT),
            (ClockContact::Middle, MIDDLE),
        ],
        Shape::Lever(_) => vec![(ClockContact::Left, LEFT), (ClockContact::Middle, MIDDLE)],
    };
    let pins = GpioPins::open(&Pins { contacts, buzzer: Some(BUZZER) }, now, &edges_tx)?;
    let bus = rppal::i2c::I2c::new().map_err(PiClockError::Bus)?;
    let [left, right] = CLOCK_DISPLAYS;
    let displays = Displays::new(bus, left, right, BRIGHTNESS);
    let levels = [ClockContact::Left, ClockContact::Right].map(|which| pins.level(which));
    let contacts = Contacts::new(shape, levels[0], levels[1]);
    let clock = OwnClock::new(ClockModel::new(control, Manner::default()), white, contacts);
    let (stub, actor) = own::channel(clock, PiParts::new(pins, displays), edges_rx, now);
    tokio::spawn(async move {
        // The driver's threads hold copies of their own.
        let _edges = edges_tx;
        actor.run().await;
    });
    Ok(stub)
}
