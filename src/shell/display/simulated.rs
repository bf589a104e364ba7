//! A display that is none, at a [`BusSocket`].
//!
//! [`BusSocket`]: crate::shell::matrix::socket::BusSocket

use crate::relay::rows::FourRows;
use crate::shell::matrix::remote::bytes;
use crate::shell::matrix::socket::BusDevice;
use crate::sim::CharacterDisplaySim;

/// The simulated display.
#[derive(Debug)]
pub struct SimulatedDisplay {
    display: CharacterDisplaySim,
    address: u8,
}

impl SimulatedDisplay {
    /// Behind the chip of this address.
    pub fn at(address: u8) -> Self {
        Self { display: CharacterDisplaySim::default(), address }
    }
}

impl BusDevice for SimulatedDisplay {
    type Seen = FourRows;

    fn answer(&mut self, line: &str) -> Option<String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let ["exchange", to, hex, _] = words[..] else { return None };
        if u8::from_str_radix(to, 16) != Ok(self.address) {
            return Some("nack".to_owned());
        }
        self.display.write(&bytes(hex)?);
        Some(String::new())
    }

    fn seen(&self) -> FourRows {
        self.display.rows()
    }
}
