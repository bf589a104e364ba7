//! WS2812 lights in a chain, written over the data output of an SPI bus.
//!
//! Each light takes the first 24 bits that come, green, red and blue, the highest bit first, and
//! passes the rest on. A bit is a pulse: short is 0, long is 1. Four bits of the bus make one of
//! theirs: at 3.2 MHz a short pulse lasts 0.31 us and a long one 0.63 us of 1.25 us, which is
//! within what the makers of WS2812B, its version 5 and SK6812 ask for (Worldsemi's data sheets of
//! WS2812B and WS2812B-V5). Each group ends low, so a bus that pauses between bytes only lengthens
//! what may be long.

/// Lights of a board.
pub const N_LIGHTS: usize = 64;
/// How fast the bus is.
pub const KHZ: u32 = 3_200;
/// Bytes that are low for 300 us: what came before counts, and the next is the first light's. The
/// newest lights want 280.
const N_REST: usize = 120;
/// Bytes of the bus for one light.
const N_PER_LIGHT: usize = 12;
/// Bytes of a whole picture.
pub const N_BYTES: usize = N_REST + N_LIGHTS * N_PER_LIGHT + N_REST;
/// What one color of a light takes at its brightest, in mA.
const COLOR_MA: u32 = 20;
/// What a light takes that is dark, in mA.
const DARK_MA: u32 = 1;
/// What a board takes that is dark, in mA.
pub const DARK_BOARD_MA: u32 = 64 * DARK_MA;
/// What a board takes that is all white, in mA.
pub const FULL_BOARD_MA: u32 = 64 * (3 * COLOR_MA + DARK_MA);

/// A color: red, green and blue, from 0 to 255.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Rgb(pub [u8; 3]);

/// The lights of a board, in their order in the chain.
pub type ChainColors = [Rgb; N_LIGHTS];

/// What lights of these colors take, in mA, rounded up.
pub fn current_ma(lights: &ChainColors) -> u32 {
    DARK_BOARD_MA + (levels(lights) * COLOR_MA).div_ceil(255)
}

fn levels(lights: &ChainColors) -> u32 {
    lights.iter().flat_map(|light| light.0).map(u32::from).sum()
}

/// The same colors, all of them as much darker as keeps the board within so many mA.
#[must_use]
pub fn within(lights: &ChainColors, limit_ma: u32) -> ChainColors {
    let most = limit_ma.saturating_sub(DARK_BOARD_MA) * 255 / COLOR_MA;
    let all = levels(lights);
    if all <= most {
        return *lights;
    }
    let dimmed = |level: u8| u8::try_from(u32::from(level) * most / all).unwrap_or(u8::MAX);
    lights.map(|Rgb(levels)| Rgb(levels.map(dimmed)))
}

/// The bytes for the bus.
pub fn encode(lights: &ChainColors) -> Vec<u8> {
    let mut bytes = vec![0; N_REST];
    for Rgb([red, green, blue]) in lights {
        for level in [green, red, blue] {
            let pairs = [6, 4, 2, 0].map(|shift| level >> shift & 3);
            bytes.extend(pairs.map(|pair| pulse(pair >> 1) << 4 | pulse(pair & 1)));
        }
    }
    bytes.resize(N_BYTES, 0);
    bytes
}

/// The four bits for one.
const fn pulse(bit: u8) -> u8 {
    if bit == 0 { 0b1000 } else { 0b1100 }
}
