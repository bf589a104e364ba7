//! The displays of a clock that anyone can build, and lights behind the same chip.

use crate::table::defaults;
use crate::wire::ht16k33::FourDigits;

defaults! {
    /// A module with an HT16K33: with four digits, or 64 lights.
    #[derive(Clone, Debug)]
    pub struct DisplaySim {
        memory: [u8; 17] = [0; 17],
        has_oscillator: bool,
        setup: u8 = 0x80,
        brightness: u8 = 15,
    }
}

impl DisplaySim {
    /// A frame that the host writes, without the address.
    pub fn write(&mut self, frame: &[u8]) {
        match *frame {
            [0x20 | 0x21] => self.has_oscillator = frame[0] & 1 != 0,
            [setup @ 0x80..=0x8f] => self.setup = setup,
            [dimming @ 0xe0..=0xef] => self.brightness = dimming & 0x0f,
            [begin @ 0..=0x0f, ref data @ ..] => {
                for (idx, byte) in data.iter().enumerate() {
                    self.memory[1 + (usize::from(begin) + idx) % 16] = *byte;
                }
            }
            _ => {}
        }
    }

    /// What is read on it: nothing while it is off.
    pub fn shown(&self) -> String {
        let is_on = self.has_oscillator && self.setup & 0x01 != 0;
        if is_on { FourDigits::read(&self.memory) } else { String::new() }
    }

    /// The lights that are lit, where it has those instead of digits: none while it is off.
    pub fn lights(&self) -> u64 {
        let is_on = self.has_oscillator && self.setup & 0x01 != 0;
        let column = |at: usize| if is_on { self.memory[1 + 2 * at] } else { 0 };
        u64::from_le_bytes(std::array::from_fn(column))
    }

    /// Whether it blinks.
    pub const fn blinks(&self) -> bool {
        self.setup & 0x06 != 0
    }

    /// 0 to 15.
    pub const fn brightness(&self) -> u8 {
        self.brightness
    }
}
