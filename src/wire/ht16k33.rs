//! The HT16K33, which lights the four digits of a display on I2C, or a light for each square.
//!
//! Every frame begins with a command byte whose upper half says what it is; the memory holds two
//! bytes for each of eight columns, of which the usual modules of four digits wire up five. After
//! the maker's data sheet, revision 1.10, and the usual wiring of such modules.

use super::segments::{glyph, segments};

/// Digits of a module.
pub const N_DIGITS: usize = 4;

const OSCILLATOR_ON: u8 = 0x21;
const DISPLAY: u8 = 0x80;
const ON: u8 = 0x01;
/// Twice a second.
const BLINK: u8 = 0x02;
const DIMMING: u8 = 0xe0;
/// Bytes of memory, after the byte that says where to begin.
const N_BYTES: usize = 16;
/// Where the digits lie in memory; between them lies the colon.
const DIGITS: [usize; N_DIGITS] = [0, 2, 6, 8];
const COLON: usize = 4;
const COLON_ON: u8 = 0x02;
/// The dot behind a digit.
const DOT: u8 = 0x80;

/// What a display of four digits shows.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Default)]
pub struct FourDigits {
    digits: [u8; N_DIGITS],
    has_colon: bool,
    blinks: bool,
}

impl FourDigits {
    /// A time: hours and minutes from an hour on, else minutes and seconds. More than 99 hours show
    /// as that.
    pub fn of_seconds(seconds: u32) -> Self {
        let (high, low) = match seconds {
            0..3_600 => (seconds / 60, seconds % 60),
            _ => ((seconds / 3_600).min(99), seconds / 60 % 60),
        };
        let text = format!("{high:2}{low:02}");
        Self { has_colon: true, ..Self::of_text(&text) }
    }

    /// The first four letters of a text.
    pub fn of_text(text: &str) -> Self {
        let [a, b, c, d, ..] = segments(text);
        Self { digits: [a, b, c, d], has_colon: false, blinks: false }
    }

    /// The digits with a dot behind the last digit: this side's time runs.
    #[must_use]
    pub const fn running(mut self) -> Self {
        self.digits[N_DIGITS - 1] |= DOT;
        self
    }

    /// The digits blinking: the flag has fallen.
    #[must_use]
    pub const fn blinking(self) -> Self {
        Self { blinks: true, ..self }
    }

    /// Whether it blinks.
    pub const fn blinks(&self) -> bool {
        self.blinks
    }

    /// What wakes the chip: to be written once, each as a frame of its own. `brightness` goes from
    /// 0 to 15; more is the most.
    pub const fn start(brightness: u8) -> [u8; 2] {
        let brightness = if brightness > 15 { 15 } else { brightness };
        [OSCILLATOR_ON, DIMMING | brightness]
    }

    /// The two frames that show it: one for blinking, one for the digits.
    pub fn frames(&self) -> ([u8; 1], [u8; N_BYTES + 1]) {
        let mut memory = [0; N_BYTES + 1];
        for (at, digit) in DIGITS.iter().zip(self.digits) {
            memory[1 + at] = digit;
        }
        memory[1 + COLON] = if self.has_colon { COLON_ON } else { 0 };
        ([DISPLAY | ON | if self.blinks { BLINK } else { 0 }], memory)
    }

    /// What is read on a module with this memory, of which the first byte is an address: digits,
    /// the colon as `:`, the running dot as `.` at the end. What is no digit reads as `?`.
    pub fn read(memory: &[u8; N_BYTES + 1]) -> String {
        let letter = |segments: u8| match segments & !DOT {
            0 => ' ',
            lit => ('0'..='9').chain('a'..='z').find(|it| glyph(*it) == lit).unwrap_or('?'),
        };
        let digits = DIGITS.map(|at| memory[1 + at]);
        let mut text: String = digits.iter().map(|digit| letter(*digit)).collect();
        if memory[1 + COLON] & COLON_ON != 0 {
            text.insert(2, ':');
        }
        if digits[N_DIGITS - 1] & DOT != 0 {
            text.push('.');
        }
        text
    }
}

/// Lights in eight rows and eight columns: that of number 8 c + r lies between the chip's outputs
/// `COMc` and `ROWr`.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Default)]
pub struct LightMatrix {
    /// The lights that are lit, by their numbers.
    pub lit: u64,
    /// All of them blink.
    pub blinks: bool,
}

/// What a light takes while its column has its turn, in mA: the chip's typical current of a row.
const ROW_MA: u32 = 25;
/// Steps of brightness.
const N_STEPS: u32 = 16;

impl LightMatrix {
    /// What wakes the chip, each as a frame of its own, with the brightness that keeps lights that
    /// are all lit within so many mA.
    pub const fn start(limit_ma: u32) -> [u8; 2] {
        // Each column has an eighth of the time.
        let full_ma = 64 * ROW_MA / 8;
        let steps = limit_ma * N_STEPS / full_ma;
        let step = if steps > N_STEPS { N_STEPS } else { steps };
        [OSCILLATOR_ON, DIMMING | step.saturating_sub(1) as u8]
    }

    /// The two frames that show it: one for blinking, one for the lights.
    pub fn frames(&self) -> ([u8; 1], [u8; N_BYTES + 1]) {
        let mut memory = [0; N_BYTES + 1];
        for (column, rows) in self.lit.to_le_bytes().into_iter().enumerate() {
            memory[1 + 2 * column] = rows;
        }
        ([DISPLAY | ON | if self.blinks { BLINK } else { 0 }], memory)
    }
}
