//! The MCP3008: a converter with eight inputs on SPI, ten bits each.
//!
//! Source: Microchip, MCP3004/3008 data sheet DS21295D, section 6.1: a start bit, how the input is
//! measured, its number; the answer begins with a zero.

/// The highest value: what stands at its reference.
pub const MAX: u16 = 0x3ff;
/// Bytes of a transfer.
pub const N_TRANSFER: usize = 3;
/// A start bit, in the last place of the first byte.
const START: u8 = 0x01;
/// An input is measured against ground, and not against another one.
const SINGLE: u8 = 0x80;
/// In the second byte that comes back: zero before the value.
const NULL: u8 = 0x04;

/// What is sent to measure one input, from 0 to 7.
///
/// ```
/// use rokade::wire::mcp3008::request;
/// assert_eq!(request(5), [0x01, 0xd0, 0x00]);
/// ```
pub const fn request(input: u8) -> [u8; N_TRANSFER] {
    [START, SINGLE | (input & 0x07) << 4, 0]
}

/// The value in what came back, from 0 to [`MAX`]; `None` if no chip has answered.
///
/// ```
/// use rokade::wire::mcp3008::value;
/// assert_eq!(value([0xff, 0xfa, 0x01]), Some(0x201));
/// assert_eq!(value([0xff, 0xff, 0xff]), None);
/// ```
pub const fn value(got: [u8; N_TRANSFER]) -> Option<u16> {
    let [_, high, low] = got;
    if high & NULL != 0 {
        return None;
    }
    Some(u16::from_be_bytes([high, low]) & MAX)
}

/// The input that is asked for, if anything is: for who plays the chip.
pub const fn asked(sent: [u8; N_TRANSFER]) -> Option<u8> {
    let [start, how, _] = sent;
    if start != START || how & SINGLE == 0 {
        return None;
    }
    Some(how >> 4 & 0x07)
}

/// What the chip answers with a value.
pub const fn answer(value: u16) -> [u8; N_TRANSFER] {
    let [high, low] = (value & MAX).to_be_bytes();
    // What comes before the zero is not driven.
    [0xff, 0xf8 | high, low]
}
