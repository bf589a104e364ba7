//! A display of four rows with twenty letters each: an HD44780, or another that obeys as it does,
//! behind a PCF8574 on I2C.
//!
//! The expander's outputs are the display's pins: what is written to it is how they stand from then
//! on. The display takes half a byte each time its E falls, the upper half first. After Hitachi's
//! data sheet ADE-207-272(Z), figure 24 for its start, and the wiring of the usual modules.

use std::time::Duration;

/// Rows of the display.
pub const N_ROWS: usize = 4;
/// Letters of a row.
pub const N_COLUMNS: usize = 20;

/// The display is told a letter, and not a command.
pub const RS: u8 = 0x01;
/// It takes what stands at its data pins when this falls.
pub const ENABLE: u8 = 0x04;
/// The light behind it.
const LIT: u8 = 0x08;
/// Half a byte at a time, two lines of memory, letters of 5 x 8 dots.
const FUNCTION: u8 = 0x28;
/// On, without a cursor.
const ON: u8 = 0x0c;
/// From left to right.
const ENTRY: u8 = 0x06;
/// The command that names a place in memory.
const PLACE: u8 = 0x80;
/// Where each row begins in memory: the third goes on behind the first, the fourth behind the
/// second.
pub const ROWS_AT: [u8; N_ROWS] = [0x00, 0x40, 0x14, 0x54];

/// What brings the display to its senses, wherever in a byte it is: each is written as a whole, and
/// it has so much time then. What it shows stays.
pub fn start() -> [(Vec<u8>, Duration); 3] {
    let mut wake = PinStates::new(0);
    wake.half(0x3);
    let wake = wake.bytes;
    let mut last = PinStates::new(0);
    last.half(0x3);
    last.half(0x2);
    for command in [FUNCTION, ON, ENTRY] {
        last.byte(command);
    }
    // The data sheet's 4.1 ms, 0.1 ms and 37 us, at a clock of the display that may be slow.
    [
        (wake.clone(), Duration::from_millis(6)),
        (wake, Duration::from_millis(1)),
        (last.bytes, Duration::from_millis(1)),
    ]
}

/// What writes a row, from 0: what is behind its end stays away, what is too short is filled up.
///
/// A letter takes the bus four bytes. At the 100 kHz for which a PCF8574 is made those are 360 us,
/// ten times what the display takes to write it.
pub fn row(number: usize, text: &str) -> Vec<u8> {
    let mut command = PinStates::new(0);
    command.byte(PLACE | ROWS_AT[number % N_ROWS]);
    let mut letters = PinStates::new(RS);
    for letter in text.chars().chain(std::iter::repeat(' ')).take(N_COLUMNS) {
        letters.byte(code(letter));
    }
    [command.bytes, letters.bytes].concat()
}

/// The display's own number of a letter. Its memory of letters has two of ASCII's otherwise.
fn code(letter: char) -> u8 {
    match letter {
        '\\' => b'/',
        '~' => b'-',
        ' '..='}' => u8::try_from(u32::from(letter)).unwrap_or(b'?'),
        _ => b'?',
    }
}

/// How the pins stand, one after the other.
struct PinStates {
    base: u8,
    bytes: Vec<u8>,
}

impl PinStates {
    /// RS stands before E rises.
    fn new(rs: u8) -> Self {
        Self { base: LIT | rs, bytes: vec![LIT | rs] }
    }

    fn half(&mut self, half: u8) {
        let pins = self.base | half << 4;
        self.bytes.extend([pins | ENABLE, pins]);
    }

    fn byte(&mut self, byte: u8) {
        self.half(byte >> 4);
        self.half(byte & 0x0f);
    }
}
