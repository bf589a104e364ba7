//! Pins by the kernel's character devices, `/dev/gpiochip*`: the other way to them beside rppal. It
//! needs no memory of the machine's, works on any that has pins, and can be tried on a kernel that
//! simulates them (`gpio-sim`).

use super::MatrixError;
use super::machine::{HalError, Machine};
use super::pi::{Device, Pause, PiBus, i2c_of, spi_of};
use super::rows::Inputs;
use crate::shell::config::Matrix;
use embedded_hal::digital::{self, ErrorType, InputPin, OutputPin};
use gpiocdev::line::{Bias, Drive, Offset, Value, Values};
use gpiocdev::request::{Builder, Request};
use gpiocdev::{Chip, Error};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// What the chips behind the header of a Pi are called: 5, 4, and those before. Their numbers are
/// not always the same.
const LABELS: [&str; 3] = ["pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835"];

/// A chip with pins.
#[derive(Clone, Debug)]
pub(super) struct PinChip(PathBuf);

/// A pin of it. Where it is let go when set high, that is the kernel's doing.
#[derive(Debug)]
pub(super) struct CdevPin {
    request: Request,
    offset: Offset,
}

/// Pins of it that are read together.
#[derive(Debug)]
pub(super) struct CdevColumns {
    request: Request,
    offsets: [Offset; 8],
}

impl digital::Error for HalError<Error> {
    fn kind(&self) -> digital::ErrorKind {
        digital::ErrorKind::Other
    }
}

impl PinChip {
    /// The chip of this name, or the one behind a Pi's header.
    pub(super) fn find(named: Option<&Path>) -> Result<Self, MatrixError> {
        if let Some(path) = named {
            return label_of(path).map(|_| Self(path.to_owned()));
        }
        let none = |why: String| MatrixError::NoPins(why);
        let chips = gpiocdev::chip::chips().map_err(|e| none(e.to_string()))?;
        let mut seen = Vec::new();
        for path in chips {
            let label = label_of(&path)?;
            if LABELS.contains(&label.as_str()) {
                return Ok(Self(path));
            }
            seen.push(label);
        }
        Err(none(if seen.is_empty() {
            "it has none that this user may see".to_owned()
        } else {
            format!("its chips are {}, none that a Pi's header is at", seen.join(", "))
        }))
    }

    fn take(&self, pin: u8, how: impl FnOnce(&mut Builder)) -> Result<CdevPin, MatrixError> {
        let offset = Offset::from(pin);
        let mut builder = Request::builder();
        how(builder.on_chip(&self.0).with_consumer("rokade").with_line(offset));
        let request = builder.request().map_err(|e| refused(pin, &e))?;
        Ok(CdevPin { request, offset })
    }
}

/// The buses are the kernel's whoever opens them.
impl Machine for PinChip {
    type Spi = Device;
    type I2c = PiBus;
    type Input = CdevPin;
    type Output = CdevPin;
    type Drain = CdevPin;
    type Columns = CdevColumns;
    type Delay = Pause;

    fn spi(&self, settings: &Matrix) -> Result<Device, MatrixError> {
        spi_of(settings)
    }

    fn i2c(&self, settings: &Matrix) -> Result<(PiBus, Option<u32>), MatrixError> {
        i2c_of(settings)
    }

    fn input(&self, pin: u8) -> Result<CdevPin, MatrixError> {
        self.take(pin, |builder| {
            builder.as_input().with_bias(Bias::PullUp);
        })
    }

    fn output(&self, pin: u8) -> Result<CdevPin, MatrixError> {
        self.take(pin, |builder| {
            builder.as_output(Value::Inactive);
        })
    }

    fn drain(&self, pin: u8) -> Result<CdevPin, MatrixError> {
        self.take(pin, |builder| {
            builder.as_output(Value::Active).with_drive(Drive::OpenDrain);
        })
    }

    fn columns(&self, pins: [u8; 8]) -> Result<CdevColumns, MatrixError> {
        let offsets = pins.map(Offset::from);
        let mut builder = Request::builder();
        let asked = builder.on_chip(&self.0).with_consumer("rokade").with_lines(&offsets);
        let request = asked.as_input().with_bias(Bias::PullUp).request();
        // Which of them it was is not said.
        let request = request.map_err(|e| refused(pins[0], &e))?;
        Ok(CdevColumns { request, offsets })
    }

    fn delay(&self) -> Pause {
        Pause
    }
}

fn refused(pin: u8, why: &Error) -> MatrixError {
    MatrixError::Pin { pin, why: why.to_string() }
}

/// What a chip calls itself.
fn label_of(path: &Path) -> Result<String, MatrixError> {
    let told = |e: io::Error| match e.kind() {
        ErrorKind::PermissionDenied => MatrixError::Forbidden(path.to_owned()),
        _ => MatrixError::NoPins(format!("{}: {e}", path.display())),
    };
    File::open(path).map_err(told)?;
    let info = Chip::from_path(path).and_then(|chip| chip.info());
    info.map(|info| info.label).map_err(|e| MatrixError::NoPins(e.to_string()))
}

impl Inputs for CdevColumns {
    fn low(&mut self) -> Result<u8, String> {
        let mut values = Values::from_offsets(&self.offsets);
        self.request.values(&mut values).map_err(|e| e.to_string())?;
        let is_low = |offset: &Offset| values.get(*offset) == Some(Value::Inactive);
        let bits = self.offsets.iter().enumerate();
        Ok(bits.map(|(bit, offset)| u8::from(is_low(offset)) << bit).sum())
    }
}

impl ErrorType for CdevPin {
    type Error = HalError<Error>;
}

impl InputPin for CdevPin {
    fn is_high(&mut self) -> Result<bool, HalError<Error>> {
        let value = self.request.value(self.offset).map_err(HalError)?;
        Ok(value == Value::Active)
    }

    fn is_low(&mut self) -> Result<bool, HalError<Error>> {
        self.is_high().map(|is_high| !is_high)
    }
}

impl OutputPin for CdevPin {
    fn set_low(&mut self) -> Result<(), HalError<Error>> {
        self.request.set_value(self.offset, Value::Inactive).map(|_| ()).map_err(HalError)
    }

    fn set_high(&mut self) -> Result<(), HalError<Error>> {
        self.request.set_value(self.offset, Value::Active).map(|_| ()).map_err(HalError)
    }
}
