//! A display of four rows: `[board.display]`.

use crate::laws::notation::Language;
use crate::shell::pins::{self, PinUse};
use crate::table::{defaults, words};
use serde::{Deserialize, Deserializer};

/// The addresses that a PCF8574 can have, and a PCF8574A.
const ADDRESSES: [std::ops::RangeInclusive<u8>; 2] = [0x20..=0x27, 0x38..=0x3f];

words! {
    /// What drives the display.
    #[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
    pub enum DisplayChips {
        /// There is none.
        #[default]
        None = "none",
        /// An HD44780, or another that obeys as it does, behind a PCF8574 on I2C.
        Hd44780 = "hd44780",
    }
}

defaults! {
    /// A display of four rows with twenty letters each.
    #[derive(Clone, Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct DisplaySettings {
        /// What drives it.
        #[serde(deserialize_with = "super::word::one_of")]
        pub chips: DisplayChips,
        /// The bus: a device, or the socket of a simulated display; empty for the usual one.
        pub bus: String,
        /// The address of its PCF8574.
        pub address: u8 = 0x27,
        /// The language of moves and words.
        #[serde(deserialize_with = "language")]
        pub language: Language,
    }
}

fn language<'de, D: Deserializer<'de>>(from: D) -> Result<Language, D::Error> {
    let word = String::deserialize(from)?;
    let unknown = |e| serde::de::Error::custom(format!("{}{word:?}; {e}", super::word::UNKNOWN));
    word.parse::<Language>().map_err(unknown)
}

impl DisplaySettings {
    /// Whether there is one.
    pub fn is_set(&self) -> bool {
        self.chips != DisplayChips::None
    }

    /// The bus: a device, or the socket of a simulated display.
    pub fn bus(&self) -> &str {
        if self.bus.is_empty() { "/dev/i2c-1" } else { &self.bus }
    }

    /// Whether the bus is this machine's, and not the socket of a simulated display.
    pub(in crate::shell) fn is_real(&self) -> bool {
        self.bus().starts_with("/dev/")
    }

    /// The pins that it takes.
    pub(in crate::shell) fn pins(&self) -> Vec<PinUse> {
        let is_on_header = self.is_set() && self.bus() == "/dev/i2c-1";
        if is_on_header { pins::of_i2c("display") } else { Vec::new() }
    }

    /// What is wrong with it by itself, in one sentence.
    pub(super) fn check(&self) -> Result<(), String> {
        if !ADDRESSES.iter().any(|of_chip| of_chip.contains(&self.address)) {
            return Err(format!(
                "address = {:#04x}: a PCF8574 has 0x20 to 0x27, a PCF8574A 0x38 to 0x3f, by its \
                 pads",
                self.address
            ));
        }
        if self.is_real() && !self.bus().starts_with("/dev/i2c-") {
            return Err(format!(
                "bus = {:?}: the display is on an I2C bus, such as \"/dev/i2c-1\"",
                self.bus()
            ));
        }
        Ok(())
    }
}
