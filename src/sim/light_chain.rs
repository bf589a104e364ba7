//! A chain of WS2812, which reads pulses as its makers say.

use crate::table::defaults;
use crate::wire::ws2812::{ChainColors, N_LIGHTS, Rgb};

/// What a light takes for a short pulse and for a long one, in ns, by the narrowest of the data
/// sheets (WS2812B-V5); and low for so long, it shows what it was told.
const SHORT: std::ops::RangeInclusive<u64> = 220..=380;
const LONG: std::ops::RangeInclusive<u64> = 580..=1_000;
const LATCH_NS: u64 = 280_000;

defaults! {
    /// The lights.
    #[derive(Clone, Debug)]
    pub struct LightChainSim {
        lights: ChainColors = [Rgb::default(); N_LIGHTS],
        /// Bits that have come since the last pause.
        bits: Vec<bool>,
        /// Pulses that are neither short nor long.
        n_wrong: usize,
    }
}

impl LightChainSim {
    /// What comes over the data output of a bus of so many kHz.
    pub fn take(&mut self, khz: u32, bytes: &[u8]) {
        let bit_ns = 1_000_000 / u64::from(khz);
        let (mut high, mut low) = (0, 0);
        for bit in bytes.iter().flat_map(|byte| (0..8).rev().map(move |at| byte >> at & 1 == 1)) {
            match (bit, high > 0) {
                (true, _) => (high, low) = (high + bit_ns, 0),
                (false, true) => {
                    self.pulse(high);
                    (high, low) = (0, bit_ns);
                }
                (false, false) => low += bit_ns,
            }
            if low >= LATCH_NS {
                self.show();
            }
        }
    }

    fn pulse(&mut self, ns: u64) {
        match ns {
            ns if SHORT.contains(&ns) => self.bits.push(false),
            ns if LONG.contains(&ns) => self.bits.push(true),
            _ => self.n_wrong += 1,
        }
    }

    /// The pause shows what was told; what is beyond the last light is lost.
    fn show(&mut self) {
        let level = |bits: &[bool]| bits.iter().fold(0, |level, bit| level << 1 | u8::from(*bit));
        for (light, bits) in self.lights.iter_mut().zip(self.bits.chunks_exact(24)) {
            let [green, red, blue] = [0, 8, 16].map(|at| level(&bits[at..at + 8]));
            *light = Rgb([red, green, blue]);
        }
        self.bits.clear();
    }

    /// What is lit.
    pub const fn lights(&self) -> &ChainColors {
        &self.lights
    }

    /// How many pulses were neither short nor long.
    pub const fn n_wrong(&self) -> usize {
        self.n_wrong
    }
}
