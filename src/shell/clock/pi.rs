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

/// The pins of a clock of this shape.
fn pins_of(shape: Shape) -> Pins {
    let contacts = match shape {
        Shape::Buttons => vec![
            (ClockContact::Left, LEFT),
            (ClockContact::Right, RIGHT),
            (ClockContact::Middle, MIDDLE),
        ],
        Shape::Lever(_) => vec![(ClockContact::Left, LEFT), (ClockContact::Middle, MIDDLE)],
    };
    Pins { contacts, buzzer: Some(BUZZER) }
}

fn displays() -> Result<Displays<rppal::i2c::I2c>, PiClockError> {
    let bus = rppal::i2c::I2c::new().map_err(PiClockError::Bus)?;
    let [left, right] = CLOCK_DISPLAYS;
    Ok(Displays::new(bus, left, right, BRIGHTNESS))
}

/// What a clock's parts show when they are looked at.
#[derive(Debug)]
pub struct ClockParts {
    /// Its contacts that are closed, with the words for them.
    pub down: Vec<&'static str>,
    /// Whether both displays show what they are told.
    pub displays: Result<(), DisplayError>,
}

/// Looks at a clock of this shape, whose displays then show 8888.
///
/// # Errors
/// This is no Pi, or its pins or its bus are not to be had.
pub fn look(shape: Shape) -> Result<ClockParts, PiClockError> {
    let (edges_tx, _edges_rx) = own::edges();
    let wired = pins_of(shape);
    let pins = GpioPins::open(&wired, Now::start(), &edges_tx)?;
    let mut displays = displays()?;
    let word = |(which, _): &(ClockContact, u8)| {
        let word = match (which, shape) {
            (ClockContact::Left, Shape::Lever(_)) => "the contact of the lever",
            (ClockContact::Left, Shape::Buttons) => "the left button",
            (ClockContact::Right, _) => "the right button",
            (ClockContact::Middle, _) => "the button in the middle",
        };
        (pins.level(*which) == Level::Closed).then_some(word)
    };
    let eights = FourDigits::of_text("8888");
    let shown = displays.show(End::Left, eights).and_then(|()| displays.show(End::Right, eights));
    Ok(ClockParts { down: wired.contacts.iter().filter_map(word).collect(), displays: shown })
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
    let pins = GpioPins::open(&pins_of(shape), now, &edges_tx)?;
    let displays = displays()?;
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
