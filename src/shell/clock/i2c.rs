//! Displays on an I2C bus, by whatever driver of the bus speaks embedded-hal.
use crate::table::End;
use crate::wire::ht16k33::FourDigits;
use embedded_hal::i2c::{Error as _, ErrorKind, I2c};

/// How bright the displays are, 0 to 15.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Brightness(pub u8);

/// Two displays with an HT16K33 each.
#[derive(Debug)]
pub struct Displays<B> {
    bus: B,
    brightness: Brightness,
    /// Left and right.
    sides: [Side; 2],
}

#[derive(Clone, Copy, Debug)]
struct Side {
    address: u8,
    /// It has been switched on, and has taken everything since.
    is_on: bool,
    face: FourDigits,
}

/// A display did not take what it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the display at {address:#04x} does not answer ({kind}); check its plug and its address")]
pub struct DisplayError {
    /// Its address on the bus.
    pub address: u8,
    /// What the bus said.
    pub kind: ErrorKind,
}

impl<B: I2c> Displays<B> {
    /// Displays at these addresses, left and right. Nothing is sent yet.
    pub fn new(bus: B, left: u8, right: u8, brightness: Brightness) -> Self {
        let side = |address| Side { address, is_on: false, face: FourDigits::default() };
        Self { bus, brightness, sides: [side(left), side(right)] }
    }

    /// Shows a face. A display that was gone is switched on again first, and a face that it did not
    /// take is remembered for [`Displays::refresh`].
    ///
    /// # Errors
    /// It does not answer.
    pub fn show(&mut self, end: End, face: FourDigits) -> Result<(), DisplayError> {
        let side = &mut self.sides[usize::from(end == End::Right)];
        side.face = face;
        let brightness = self.brightness.0;
        let sent = send(&mut self.bus, side, brightness);
        side.is_on = sent.is_ok();
        sent.map_err(|error| DisplayError { address: side.address, kind: error.kind() })
    }

    /// Tries once more what a display did not take.
    ///
    /// # Errors
    /// One still does not answer.
    pub fn refresh(&mut self) -> Result<(), DisplayError> {
        for end in [End::Left, End::Right] {
            let side = self.sides[usize::from(end == End::Right)];
            if !side.is_on {
                self.show(end, side.face)?;
            }
        }
        Ok(())
    }
}

fn send<B: I2c>(bus: &mut B, side: &Side, brightness: u8) -> Result<(), B::Error> {
    if !side.is_on {
        for byte in FourDigits::start(brightness) {
            bus.write(side.address, &[byte])?;
        }
    }
    let (setup, digits) = side.face.frames();
    bus.write(side.address, &digits)?;
    bus.write(side.address, &setup)
}
