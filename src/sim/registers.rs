//! Eight shift registers 74HC165 in a row, with a switch at each of their 64 inputs.
//!
//! Source: 74HC165 data sheet (Nexperia, rev. 8): while the load input is low the registers take
//! what stands at their inputs; at each rising edge of the clock the row moves on by one, the last
//! input of the first chip first, and what stands at the serial input of the last chip follows.

use super::switches::{ReaderSim, Switches};
use crate::time::Mono;

/// The chips, and the switches at them: chips in their order, inputs A to H.
#[derive(Clone, Debug)]
pub struct RegistersSim {
    switches: Switches,
    /// The row of the registers, the next bit to leave in the highest place.
    row: u64,
    is_loading: bool,
    is_powered: bool,
    /// Whether the wires of the bus are high: clock, and data from the host.
    wires: (bool, bool),
}

/// The pins of a host whose bus is made of pins: clock, and data from the chips and to them.
const CLOCK: u8 = 11;
const DATA_IN: u8 = 9;
const DATA_OUT: u8 = 10;

impl RegistersSim {
    /// Chips with these switches at their inputs.
    pub fn new(switches: Switches) -> Self {
        Self { switches, row: 0, is_loading: false, is_powered: true, wires: (false, false) }
    }

    /// What is at the end of the chain, before all moves on and this comes in at its beginning.
    fn shift(&mut self, at: Mono, is_high: bool) -> bool {
        if self.is_loading {
            self.row = self.levels(at);
        }
        let out = self.row >> 63 == 1;
        if !self.is_loading {
            self.row = self.row << 1 | u64::from(is_high);
        }
        out
    }

    /// What stands at the inputs, in the order in which it leaves: high where no piece closes the
    /// switch to ground.
    fn levels(&self, at: Mono) -> u64 {
        u64::from_be_bytes((!self.switches.closed(at)).to_le_bytes())
    }
}

impl ReaderSim for RegistersSim {
    fn switches(&mut self) -> &mut Switches {
        &mut self.switches
    }

    /// Without power the data line reads as high.
    fn power(&mut self, is_on: bool) {
        self.is_powered = is_on;
    }

    /// A wire of the bus, or the load input, whichever other pin it is at. What stands at the
    /// inputs when that rises is what will be read.
    fn drive(&mut self, at: Mono, pin: u8, is_high: bool) {
        match pin {
            CLOCK => {
                if !std::mem::replace(&mut self.wires.0, is_high) && is_high {
                    self.shift(at, self.wires.1);
                }
                return;
            }
            DATA_OUT => {
                self.wires.1 = is_high;
                return;
            }
            _ => {}
        }
        if !is_high || self.is_loading {
            self.row = self.levels(at);
        }
        self.is_loading = !is_high;
    }

    fn level(&mut self, at: Mono, pin: u8) -> bool {
        if self.is_loading {
            self.row = self.levels(at);
        }
        pin != DATA_IN || !self.is_powered || self.row >> 63 == 1
    }

    /// Moves these bytes in at the far end, highest bit first. What comes out at the near end.
    fn transfer(&mut self, at: Mono, bytes: &[u8]) -> Vec<u8> {
        if !self.is_powered {
            return vec![0xff; bytes.len()];
        }
        let mut out = Vec::with_capacity(bytes.len());
        for byte in bytes {
            let mut read = 0;
            for bit in (0..8).rev() {
                read = read << 1 | u8::from(self.shift(at, byte >> bit & 1 == 1));
            }
            out.push(read);
        }
        out
    }
}
