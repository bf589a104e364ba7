//! A display of four rows behind an expander, as it reads its pins.

use crate::table::defaults;
use crate::wire::hd44780::{ENABLE, N_COLUMNS, N_ROWS, ROWS_AT, RS};

/// Places of memory, of which no row has all.
const N_PLACES: usize = 0x80;

defaults! {
    /// An HD44780 behind a PCF8574, from power-on: it is off, and takes whole bytes of which nobody
    /// sets the lower half.
    #[derive(Clone, Debug)]
    pub struct CharacterDisplaySim {
        pins: u8 = 0xff,
        memory: [u8; N_PLACES] = [b' '; N_PLACES],
        place: u8,
        is_on: bool,
        takes_bytes: bool = true,
        /// The upper half of a byte whose lower one is yet to come.
        half: Option<u8>,
    }
}

impl CharacterDisplaySim {
    /// What the host writes to the expander: how the pins stand, one after the other.
    pub fn write(&mut self, frame: &[u8]) {
        for &pins in frame {
            if self.pins & ENABLE != 0 && pins & ENABLE == 0 {
                self.take(pins & RS != 0, pins >> 4);
            }
            self.pins = pins;
        }
    }

    fn take(&mut self, is_letter: bool, half: u8) {
        if self.takes_bytes {
            // The display pulls up what is not connected.
            self.obey(is_letter, half << 4 | 0x0f);
        } else if let Some(upper) = self.half.take() {
            self.obey(is_letter, upper << 4 | half);
        } else {
            self.half = Some(half);
        }
    }

    fn obey(&mut self, is_letter: bool, byte: u8) {
        if is_letter {
            self.memory[usize::from(self.place)] = byte;
            // The first line of memory ends where the second begins.
            self.place = match self.place {
                0x27 => 0x40,
                0x67 => 0x00,
                place => (place + 1) % 0x80,
            };
            return;
        }
        match byte {
            0x80.. => self.place = byte & 0x7f,
            0x20..=0x3f => {
                self.takes_bytes = byte & 0x10 != 0;
                self.half = None;
            }
            0x08..=0x0f => self.is_on = byte & 0x04 != 0,
            0x02..=0x03 => self.place = 0,
            0x01 => (self.memory, self.place) = ([b' '; N_PLACES], 0),
            _ => {}
        }
    }

    /// What is read on it, without the blanks at the ends; nothing while it is off.
    pub fn rows(&self) -> [String; N_ROWS] {
        ROWS_AT.map(|at| {
            let row = &self.memory[usize::from(at)..][..N_COLUMNS];
            let text: String = row.iter().map(|byte| char::from(*byte)).collect();
            if self.is_on { text.trim_end().to_owned() } else { String::new() }
        })
    }
}
