//! The pins of a Raspberry Pi's header, by BCM number, and which of them our sheets give to what.

use std::path::Path;

/// The contacts and the buzzer of a clock of one's own (`hardware/clock-gpio.md`).
pub(super) const CLOCK_LEFT: u8 = 5;
/// The contact at the right end.
pub(super) const CLOCK_RIGHT: u8 = 6;
/// The button in the middle.
pub(super) const CLOCK_MIDDLE: u8 = 13;
/// The buzzer.
pub(super) const CLOCK_BUZZER: u8 = 12;
/// The addresses of its displays: no pad bridged, and the first.
pub(super) const CLOCK_DISPLAYS: [u8; 2] = [0x70, 0x71];
/// The I2C bus of the displays.
const I2C: [u8; 2] = [2, 3];
/// The last pin of the header.
const LAST: u8 = 27;

/// A pin, and what it is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PinUse {
    /// Its BCM number.
    pub(super) pin: u8,
    /// The part that has it, for what is said about it.
    pub(super) what: String,
    /// It is of a bus that parts share.
    is_shared: bool,
}

impl PinUse {
    /// A pin that one part has for itself.
    pub(super) fn new(pin: u8, what: &str) -> Self {
        Self { pin, what: what.to_owned(), is_shared: false }
    }

    /// Whether it is of a bus that parts share.
    pub(super) fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// Whether both cannot be had at once.
    pub(super) fn excludes(&self, other: &Self) -> bool {
        self.pin == other.pin && !(self.is_shared && other.is_shared)
    }
}

/// What the first I2C bus takes, for parts of this name.
pub(super) fn of_i2c(what: &str) -> Vec<PinUse> {
    let shared = |pin| PinUse { is_shared: true, ..PinUse::new(pin, what) };
    I2C.map(shared).to_vec()
}

/// What a clock on the pins takes.
pub(super) fn of_clock() -> Vec<PinUse> {
    let named = [
        (CLOCK_LEFT, "clock, left button"),
        (CLOCK_RIGHT, "clock, right button"),
        (CLOCK_MIDDLE, "clock, middle button"),
        (CLOCK_BUZZER, "clock, buzzer"),
    ];
    let mut pins = named.map(|(pin, what)| PinUse::new(pin, what)).to_vec();
    pins.extend(of_i2c("clock, displays"));
    pins
}

/// What an SPI bus with this chip select takes, as far as that is the same on all Pis: data in,
/// data out, clock and chip select.
pub(super) fn of_spi(bus: u8, select: u8) -> Vec<u8> {
    match (bus, select) {
        (0, 0) => vec![9, 10, 11, 8],
        (0, 1) => vec![9, 10, 11, 7],
        (1, 0) => vec![19, 20, 21, 18],
        (1, 1) => vec![19, 20, 21, 17],
        (1, 2) => vec![19, 20, 21, 16],
        _ => Vec::new(),
    }
}

/// The numbers of bus and chip select, if this is a device of the kernel's for SPI.
pub(super) fn spi_numbers(path: &str) -> Option<(u8, u8)> {
    let (bus, select) = path.strip_prefix("/dev/spidev")?.split_once('.')?;
    Some((bus.parse().ok()?, select.parse().ok()?))
}

/// Whether a part may be joined to this pin. If not, why not.
pub(super) fn check(pin: u8) -> Result<(), String> {
    match pin {
        0 | 1 => Err(format!("BCM {pin} is for the memory of an add-on board; use 2 to {LAST}")),
        2..=LAST => Ok(()),
        _ => Err(format!("there is no pin BCM {pin} on the header; use 2 to {LAST}")),
    }
}

/// What switches on a bus of a Pi, by the path of its device. Source: the `README` of the kernel's
/// overlays.
pub(super) fn switched_on_by(bus: &Path) -> String {
    let path = bus.to_string_lossy();
    match (spi_numbers(&path), path.strip_prefix("/dev/i2c-")) {
        (Some((bus @ 1.., select)), _) => {
            format!("dtoverlay=spi{bus}-{}cs in config.txt", select.saturating_add(1))
        }
        (_, Some("1")) => "`sudo raspi-config nonint do_i2c 0`".to_owned(),
        (_, Some(number)) => format!("dtoverlay=i2c{number} in config.txt"),
        _ => "`sudo raspi-config nonint do_spi 0`".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_bus_has_its_switch() {
        for (bus, switch) in [
            ("/dev/spidev0.1", "`sudo raspi-config nonint do_spi 0`"),
            ("/dev/spidev1.0", "dtoverlay=spi1-1cs in config.txt"),
            ("/dev/spidev1.2", "dtoverlay=spi1-3cs in config.txt"),
            ("/dev/i2c-1", "`sudo raspi-config nonint do_i2c 0`"),
            ("/dev/i2c-3", "dtoverlay=i2c3 in config.txt"),
        ] {
            assert_eq!(switched_on_by(Path::new(bus)), switch);
        }
    }
}
