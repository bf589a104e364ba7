//! Lights for the squares of a board: `[board.leds]` below the players' board, `[board.wall]` on a
//! wall.

use crate::shell::pins::{self, PinUse};
use crate::table::{defaults, words};
use crate::wire::led_order::{LedLines, LedOrder};
use crate::wire::ws2812;
use serde::Deserialize;
use shakmaty::Square;

/// The addresses that an HT16K33 can have.
const ADDRESSES: std::ops::RangeInclusive<u8> = 0x70..=0x77;
/// The least that lights can be held to, in mA: below it nothing could be seen.
const LIMIT_MIN_MA: u32 = 100;

words! {
    /// What drives the lights.
    #[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
    pub enum LedChips {
        /// There are none.
        #[default]
        None = "none",
        /// WS2812, or others that listen as they do, in a chain on an SPI bus.
        Ws2812 = "ws2812",
        /// One HT16K33 on I2C.
        Ht16k33 = "ht16k33",
    }
}

words! {
    /// A corner of the board.
    #[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
    pub enum Corner {
        /// White's left one.
        #[default]
        A1 = "a1",
        /// White's right one.
        H1 = "h1",
        /// Black's right one.
        A8 = "a8",
        /// Black's left one.
        H8 = "h8",
    }
}

defaults! {
    /// Lights of 64 squares.
    #[derive(Clone, Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct LedSettings {
        /// What drives them.
        #[serde(deserialize_with = "super::word::one_of")]
        pub chips: LedChips,
        /// The bus: a device, or the socket of simulated lights; empty for the usual one.
        pub bus: String,
        /// The address of an HT16K33.
        pub address: u8 = 0x72,
        /// So much current they may take, in mA.
        pub limit_ma: u32 = 500,
        /// The corner of the first light.
        #[serde(deserialize_with = "super::word::one_of")]
        pub first: Corner,
        /// The lines that they follow.
        #[serde(deserialize_with = "super::word::one_of")]
        pub along: LedLines,
        /// Whether the chain turns at the end of each line.
        pub serpentine: bool = true,
    }
}

impl LedSettings {
    /// Whether there are any.
    pub fn is_set(&self) -> bool {
        self.chips != LedChips::None
    }

    /// The bus: a device, or the socket of simulated lights.
    pub fn bus(&self) -> &str {
        match self.chips {
            _ if !self.bus.is_empty() => &self.bus,
            LedChips::Ht16k33 => "/dev/i2c-1",
            LedChips::None | LedChips::Ws2812 => "/dev/spidev0.0",
        }
    }

    /// Whether the bus is this machine's, and not the socket of simulated lights.
    pub(in crate::shell) fn is_real(&self) -> bool {
        self.bus().starts_with("/dev/")
    }

    /// The squares in the order of their lights.
    pub(in crate::shell) fn squares(&self) -> [Square; 64] {
        let first = match self.first {
            Corner::A1 => Square::A1,
            Corner::H1 => Square::H1,
            Corner::A8 => Square::A8,
            Corner::H8 => Square::H8,
        };
        // The rows of a matrix have no way back.
        let is_serpentine = self.serpentine && self.chips == LedChips::Ws2812;
        LedOrder { first, lines: self.along, is_serpentine }.squares()
    }

    /// The pins that they take.
    pub(in crate::shell) fn pins(&self) -> Vec<PinUse> {
        if !self.is_set() || !self.is_real() {
            return Vec::new();
        }
        if let Some((bus, select)) = pins::spi_numbers(self.bus()) {
            let name = format!("bus {} of lights", self.bus());
            return pins::of_spi(bus, select)
                .into_iter()
                .map(|it| PinUse::new(it, &name))
                .collect();
        }
        if self.bus() == "/dev/i2c-1" { pins::of_i2c("lights") } else { Vec::new() }
    }

    /// What is wrong with them by themselves, in one sentence.
    pub(super) fn check(&self) -> Result<(), String> {
        let most = ws2812::FULL_BOARD_MA;
        if !(LIMIT_MIN_MA..=most).contains(&self.limit_ma) {
            return Err(format!(
                "limit_ma = {}: use {LIMIT_MIN_MA} to {most}, and no more than their supply gives",
                self.limit_ma
            ));
        }
        match self.chips {
            LedChips::Ht16k33 if !ADDRESSES.contains(&self.address) => Err(format!(
                "address = {:#04x}: an HT16K33 has 0x70 to 0x77, by its pads",
                self.address
            )),
            LedChips::Ws2812 if self.is_real() && pins::spi_numbers(self.bus()).is_none() => {
                Err(format!(
                    "bus = {:?}: lights in a chain are on an SPI bus, such as \"/dev/spidev0.0\"",
                    self.bus()
                ))
            }
            LedChips::Ht16k33 if self.is_real() && !self.bus().starts_with("/dev/i2c-") => {
                Err(format!(
                    "bus = {:?}: an HT16K33 is on an I2C bus, such as \"/dev/i2c-1\"",
                    self.bus()
                ))
            }
            _ => Ok(()),
        }
    }
}
