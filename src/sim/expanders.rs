//! Port expanders with a switch at each of their inputs, on I2C or on SPI.
//!
//! The registers are those of `wire/expander.rs`; what a chip does with them is from the same data
//! sheets. An input of an MCP23017 or MCP23S17 that is not pulled up reads as low.

use super::switches::{ReaderSim, Switches};
use crate::time::Mono;
use crate::wire::expander::{ADDRESS, Expander, mcp23, pca9555};

/// The chips, and the switches to ground at them.
#[derive(Clone, Debug)]
pub struct ExpandersSim {
    switches: Switches,
    kind: Expander,
    chips: Vec<ChipSim>,
    is_powered: bool,
    /// The pin of the host at which their interrupt lines are.
    interrupt: u8,
}

/// One of them.
#[derive(Clone, Debug)]
struct ChipSim {
    registers: [u8; 0x16],
    /// The register that is read or written next.
    pointer: u8,
    /// What was read of its ports last: the interrupt line is low while they read otherwise.
    told: u16,
}

impl ChipSim {
    /// After its supply has come: all pins are inputs.
    fn new(kind: Expander) -> Self {
        let mut registers = [0; 0x16];
        let inputs = match kind {
            Expander::Pcf8575 => 0,
            Expander::Pca9555 => pca9555::CONFIG,
            Expander::Mcp23017 | Expander::Mcp23s17 => mcp23::IODIR,
        };
        registers[usize::from(inputs)..][..2].fill(0xff);
        Self { registers, pointer: 0, told: 0xffff }
    }

    fn pair(&self, register: u8) -> u16 {
        let at = usize::from(register);
        u16::from_le_bytes([self.registers[at], self.registers[at + 1]])
    }
}

impl ExpandersSim {
    /// Chips of a kind, from the first address on, with these switches. Their interrupt lines are
    /// at this pin of the host.
    pub fn new(switches: Switches, kind: Expander, interrupt: u8) -> Self {
        let chips = vec![ChipSim::new(kind); kind.n_chips()];
        Self { switches, kind, chips, is_powered: true, interrupt }
    }

    /// What stands at the pins of a chip.
    fn port(&self, at: Mono, chip: usize) -> u16 {
        let closed = self.switches.closed(at);
        let mut low = 0;
        for input in (0..64).filter(|input| closed >> input & 1 == 1) {
            let (of, bit) = self.kind.place(input);
            if of == chip {
                low |= 1 << bit;
            }
        }
        let of = &self.chips[chip];
        match self.kind {
            Expander::Pcf8575 => of.pair(0) & !low,
            Expander::Pca9555 => of.pair(pca9555::CONFIG) & !low,
            Expander::Mcp23017 => {
                // GPA7 and GPB7 are outputs.
                of.pair(mcp23::IODIR) & of.pair(mcp23::GPPU) & !low & 0x7f7f
            }
            Expander::Mcp23s17 => of.pair(mcp23::IODIR) & of.pair(mcp23::GPPU) & !low,
        }
    }

    fn write(&mut self, chip: usize, sent: &[u8]) {
        let (kind, of) = (self.kind, &mut self.chips[chip]);
        if kind == Expander::Pcf8575 {
            for (to, byte) in of.registers.iter_mut().zip(sent) {
                *to = *byte;
            }
            return;
        }
        let Some((first, data)) = sent.split_first() else { return };
        of.pointer = *first;
        for byte in data {
            let at = usize::from(of.pointer);
            if let Some(register) = of.registers.get_mut(at) {
                *register = *byte;
            }
            // Both of that pair are one register.
            if matches!(at, 0x0a | 0x0b) && kind != Expander::Pca9555 {
                of.registers[0x0a..=0x0b].fill(*byte);
            }
            of.pointer = next(kind, of.pointer);
        }
    }

    fn read(&mut self, at: Mono, chip: usize, n: usize) -> Vec<u8> {
        let port = self.port(at, chip);
        let [first, second] = port.to_le_bytes();
        let (input, kind) = (self.input(), self.kind);
        let of = &mut self.chips[chip];
        if kind == Expander::Pcf8575 {
            of.told = port;
            return [first, second].into_iter().cycle().take(n).collect();
        }
        let mut read = Vec::with_capacity(n);
        for _ in 0..n {
            let register = of.pointer;
            if register == input {
                of.told = port;
            }
            read.push(match register {
                it if it == input => first,
                it if it == input + 1 => second,
                it => of.registers.get(usize::from(it)).copied().unwrap_or(0),
            });
            of.pointer = next(kind, register);
        }
        read
    }

    /// The first register of what stands at the pins.
    const fn input(&self) -> u8 {
        match self.kind {
            Expander::Pcf8575 | Expander::Pca9555 => pca9555::INPUT,
            Expander::Mcp23017 | Expander::Mcp23s17 => mcp23::GPIO,
        }
    }

    fn is_by_address(&self) -> bool {
        self.chips[0].registers[usize::from(mcp23::IOCON)] & mcp23::BY_ADDRESS != 0
    }
}

/// The register after this one: a PCA9555 goes to and fro between the two of a pair.
const fn next(kind: Expander, register: u8) -> u8 {
    match kind {
        Expander::Pca9555 => register ^ 1,
        _ if register == 0x15 => 0,
        _ => register + 1,
    }
}

impl ReaderSim for ExpandersSim {
    fn switches(&mut self) -> &mut Switches {
        &mut self.switches
    }

    /// With its supply a chip forgets all that it was told.
    fn power(&mut self, is_on: bool) {
        self.is_powered = is_on;
        self.chips.fill(ChipSim::new(self.kind));
    }

    fn level(&mut self, at: Mono, pin: u8) -> bool {
        let is_told = |chip: usize| {
            let asked = match self.kind {
                Expander::Pcf8575 | Expander::Pca9555 => 0xffff,
                _ => self.chips[chip].pair(mcp23::GPINTEN),
            };
            (self.port(at, chip) ^ self.chips[chip].told) & asked == 0
        };
        pin != self.interrupt || !self.is_powered || (0..self.chips.len()).all(is_told)
    }

    fn transfer(&mut self, at: Mono, bytes: &[u8]) -> Vec<u8> {
        let nothing = vec![0xff; bytes.len()];
        let [opcode, register, data @ ..] = bytes else { return nothing };
        if !self.is_powered || opcode & 0xf0 != 0x40 {
            return nothing;
        }
        let meant = usize::from(opcode >> 1 & 0x07);
        let all = 0..self.chips.len();
        // Until the address pins count all chips listen, to the first address alone.
        let meant = if self.is_by_address() { meant..meant + 1 } else { all.clone() };
        let mut read = nothing;
        for chip in meant.filter(|chip| all.contains(chip)) {
            if opcode & 1 == 0 {
                self.write(chip, &[&[*register], data].concat());
            } else {
                self.chips[chip].pointer = *register;
                let answer = self.read(at, chip, data.len());
                for (to, byte) in read[2..].iter_mut().zip(answer) {
                    *to &= byte;
                }
            }
        }
        read
    }

    fn exchange(&mut self, at: Mono, to: u8, sent: &[u8], n: usize) -> Option<Vec<u8>> {
        let chip = usize::from(to.checked_sub(ADDRESS)?);
        if !self.is_powered || chip >= self.chips.len() || self.kind == Expander::Mcp23s17 {
            return None;
        }
        if !sent.is_empty() {
            self.write(chip, sent);
        }
        Some(self.read(at, chip, n))
    }
}
