//! Lights that are none, at a [`BusSocket`].
//!
//! [`BusSocket`]: crate::shell::matrix::socket::BusSocket

use crate::shell::matrix::remote::bytes;
use crate::shell::matrix::socket::BusDevice;
use crate::sim::{DisplaySim, LightChainSim};
use crate::wire::ws2812::{ChainColors, KHZ};

/// What is lit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LightsSeen {
    /// The chain, in its order.
    pub chain: ChainColors,
    /// The matrix behind an HT16K33, by the numbers of its lights.
    pub matrix: u64,
    /// The matrix blinks.
    pub blinks: bool,
    /// How bright it is, 0 to 15.
    pub brightness: u8,
}

/// The simulated lights: a chain, and a matrix at an address of an I2C bus.
#[derive(Debug)]
pub struct SimulatedLights {
    chain: LightChainSim,
    matrix: DisplaySim,
    /// The address of the matrix.
    address: u8,
}

impl SimulatedLights {
    /// With a matrix at this address.
    pub fn at(address: u8) -> Self {
        Self { chain: LightChainSim::default(), matrix: DisplaySim::default(), address }
    }
}

impl BusDevice for SimulatedLights {
    type Seen = LightsSeen;

    fn answer(&mut self, line: &str) -> Option<String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["transfer", hex] => {
                self.chain.take(KHZ, &bytes(hex)?);
                Some("00".repeat(hex.len() / 2))
            }
            ["exchange", to, hex, _] if u8::from_str_radix(to, 16) == Ok(self.address) => {
                self.matrix.write(&bytes(hex)?);
                Some(String::new())
            }
            ["exchange", ..] => Some("nack".to_owned()),
            _ => None,
        }
    }

    fn seen(&self) -> LightsSeen {
        LightsSeen {
            chain: *self.chain.lights(),
            matrix: self.matrix.lights(),
            blinks: self.matrix.blinks(),
            brightness: self.matrix.brightness(),
        }
    }
}
