//! How the switches of a board are wired to the pins of this machine: `[board.matrix]`.

use crate::board::Wiring;
use crate::shell::matrix::registers::Registers;
use crate::shell::pins;
use serde::Deserialize;
use std::path::PathBuf;
use std::time::Duration;

/// The port of a board whose switches are on the pins.
pub(super) const GPIO: &str = "gpio";

/// What reads the switches.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum SwitchReader {
    /// Eight shift registers 74HC165 in a row.
    #[default]
    #[serde(rename = "74hc165")]
    ShiftRegisters,
}

/// What an input reads while a piece stands on its square.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Occupied {
    /// The switch closes to ground.
    #[default]
    Low,
    /// The switch, or the sensor, pulls up.
    High,
}

/// The wiring of a matrix.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Matrix {
    /// What reads the switches.
    #[serde(deserialize_with = "super::word::one_of")]
    pub chips: SwitchReader,
    /// The bus: a device, or the socket of a simulated board.
    pub bus: String,
    /// How fast the bus is.
    pub speed_khz: u32,
    /// The pin that loads the registers, by its BCM number.
    pub load: u8,
    /// Whether what is sent comes back through the chips.
    pub loop_back: bool,
    /// What an input reads while a piece stands on its square.
    #[serde(deserialize_with = "super::word::one_of")]
    pub occupied: Occupied,
    /// How often all squares are read.
    pub scans_per_s: u32,
    /// How long a square must read the same before that is believed.
    pub debounce_ms: u64,
    /// The squares of the inputs: a text for each chip.
    pub inputs: Vec<String>,
}

impl Default for Matrix {
    fn default() -> Self {
        Self {
            chips: SwitchReader::default(),
            bus: "/dev/spidev0.0".to_owned(),
            speed_khz: 1_000,
            load: 25,
            loop_back: true,
            occupied: Occupied::default(),
            scans_per_s: 200,
            debounce_ms: 10,
            inputs: Wiring::default().groups(),
        }
    }
}

impl Matrix {
    /// Between two scans.
    pub(in crate::shell) fn period(&self) -> Duration {
        Duration::from_secs(1) / self.scans_per_s.max(1)
    }

    /// How long a square must read the same.
    pub(in crate::shell) fn debounce(&self) -> Duration {
        Duration::from_millis(self.debounce_ms)
    }

    /// Which square each input belongs to.
    pub(in crate::shell) fn wiring(&self) -> Wiring {
        // It was checked when the file was read.
        Wiring::parse(&self.inputs).unwrap_or_default()
    }

    /// The numbers of bus and chip select, if the bus is one of the kernel's.
    pub(in crate::shell) fn bus_numbers(&self) -> Option<(u8, u8)> {
        let (bus, select) = self.bus.strip_prefix("/dev/spidev")?.split_once('.')?;
        Some((bus.parse().ok()?, select.parse().ok()?))
    }

    /// How shift registers are used.
    pub(in crate::shell) fn registers(&self) -> Registers {
        Registers {
            bus: PathBuf::from(&self.bus),
            is_low_active: self.occupied == Occupied::Low,
            loops_back: self.loop_back,
        }
    }

    /// The pins that it takes, with what for.
    pub(super) fn pins(&self) -> Vec<(u8, String)> {
        let mut pins = vec![(self.load, "load".to_owned())];
        if let Some((bus, select)) = self.bus_numbers() {
            let of_bus = pins::of_spi(bus, select);
            pins.extend(of_bus.into_iter().map(|pin| (pin, format!("bus {}", self.bus))));
        }
        pins
    }

    /// What is wrong with it by itself, in one sentence.
    pub(super) fn check(&self) -> Result<(), String> {
        if let Err(why) = Wiring::parse(&self.inputs) {
            return Err(format!("inputs: {why}"));
        }
        if self.bus.is_empty() {
            return Err("bus is empty; name one, as in \"/dev/spidev0.0\"".to_owned());
        }
        for (key, value, least, most) in [
            ("speed_khz", u64::from(self.speed_khz), 50, 5_000),
            ("scans_per_s", u64::from(self.scans_per_s), 20, 500),
            ("debounce_ms", self.debounce_ms, 2, 200),
        ] {
            if !(least..=most).contains(&value) {
                return Err(format!("{key} = {value}: use {least} to {most}"));
            }
        }
        let pins = self.pins();
        for (idx, (pin, what)) in pins.iter().enumerate() {
            pins::check(*pin).map_err(|why| format!("{what} = {pin}: {why}"))?;
            if let Some((_, other)) = pins[..idx].iter().find(|(other, _)| other == pin) {
                return Err(format!(
                    "BCM {pin} is both {other} and a pin of {what}; each needs its own"
                ));
            }
        }
        Ok(())
    }
}
