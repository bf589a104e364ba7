//! The pins of a Raspberry Pi: contacts that are read, and a buzzer that is switched.
//!
//! The kernel stamps each edge, so a press is as exact as if nobody else were busy. Pins are named
//! by their BCM numbers; inputs are pulled up, so a contact to ground reads as closed.

use super::own::{ClockContact, Edge};
use crate::shell::now::Now;
use crate::wire::contact::Level;
use rppal::gpio::{Gpio, InputPin, OutputPin, Trigger};
use tokio::sync::mpsc;
use tracing::warn;

/// Where the parts of a clock are wired to, by BCM number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pins {
    /// The contacts.
    pub contacts: Vec<(ClockContact, u8)>,
    /// The buzzer, through a transistor; high is loud.
    pub buzzer: Option<u8>,
}

/// What keeps the pins from being used.
#[derive(Debug, thiserror::Error)]
pub enum GpioError {
    /// The chip as a whole.
    #[error(
        "the pins of this machine cannot be used; is it a Raspberry Pi, and is this user in \
             the group gpio?"
    )]
    Chip(#[source] rppal::gpio::Error),
    /// One pin.
    #[error("BCM {pin} cannot be used; does another program hold it?")]
    Pin {
        /// Its BCM number.
        pin: u8,
        /// What was said.
        #[source]
        source: rppal::gpio::Error,
    },
}

/// The pins, while they are ours.
#[derive(Debug)]
pub struct GpioPins {
    contacts: Vec<(ClockContact, InputPin)>,
    buzzer: Option<OutputPin>,
}

impl GpioPins {
    /// Takes the pins. Edges go to `edges` from now on; what does not fit is told by the level, at
    /// the next reading.
    ///
    /// # Errors
    /// This is no Pi, or a pin is taken.
    pub fn open(pins: &Pins, now: Now, edges: &mpsc::Sender<Edge>) -> Result<Self, GpioError> {
        let chip = Gpio::new().map_err(GpioError::Chip)?;
        let pin_error = |pin| move |source| GpioError::Pin { pin, source };
        let mut contacts = Vec::new();
        for &(which, number) in &pins.contacts {
            let mut pin = chip.get(number).map_err(pin_error(number))?.into_input_pullup();
            let edges = edges.clone();
            pin.set_async_interrupt(Trigger::Both, None, move |event| {
                let level = match event.trigger {
                    Trigger::RisingEdge => Level::Open,
                    _ => Level::Closed,
                };
                let at = now.stamp_since_boot(event.timestamp);
                if edges.try_send(Edge { at, which, level }).is_err() {
                    warn!(?which, "an edge was dropped; the level will tell");
                }
            })
            .map_err(pin_error(number))?;
            contacts.push((which, pin));
        }
        let buzzer = pins.buzzer.map(|number| {
            chip.get(number).map(rppal::gpio::Pin::into_output_low).map_err(pin_error(number))
        });
        Ok(Self { contacts, buzzer: buzzer.transpose()? })
    }

    /// How a contact stands now; open if there is none.
    pub fn level(&self, which: ClockContact) -> Level {
        let pin = self.contacts.iter().find(|(known, _)| *known == which);
        match pin {
            Some((_, pin)) if pin.is_low() => Level::Closed,
            _ => Level::Open,
        }
    }

    /// The buzzer sounds from now on.
    pub fn sound(&mut self) {
        if let Some(buzzer) = &mut self.buzzer {
            buzzer.set_high();
        }
    }

    /// The buzzer is silent from now on.
    pub fn hush(&mut self) {
        if let Some(buzzer) = &mut self.buzzer {
            buzzer.set_low();
        }
    }
}
