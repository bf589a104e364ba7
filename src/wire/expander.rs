//! Port expanders: chips with sixteen inputs on a bus.
//!
//! Sources: NXP, PCF8575 and PCA9555 data sheets; Texas Instruments, TCA9555; Microchip, MCP23017
//! and MCP23S17, DS20001952 revision D, since which GPA7 and GPB7 of an MCP23017 are outputs only.

use std::fmt;

/// A kind of expander.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Expander {
    /// PCF8575 on I2C: no registers, sixteen lines that are inputs while ones are written to them.
    Pcf8575,
    /// PCA9555 or TCA9555 on I2C: registers in pairs.
    Pca9555,
    /// MCP23017 on I2C: registers in pairs, seven inputs to a port.
    Mcp23017,
    /// MCP23S17 on SPI: the same, eight inputs to a port.
    Mcp23s17,
}

/// The first address of all of them; the rest follows by three pins.
pub const ADDRESS: u8 = 0x20;
/// The last address.
pub const ADDRESS_LAST: u8 = 0x27;

/// The registers of a PCA9555, the first of each pair.
pub mod pca9555 {
    /// What stands at the pins.
    pub const INPUT: u8 = 0x00;
    /// A one for each pin that is an input.
    pub const CONFIG: u8 = 0x06;
}

/// The registers of an MCP23017 and MCP23S17, the first of each pair, as they lie after a reset.
pub mod mcp23 {
    /// A one for each pin that is an input.
    pub const IODIR: u8 = 0x00;
    /// A one for each pin whose change is told by the interrupt line.
    pub const GPINTEN: u8 = 0x04;
    /// What holds for the whole chip; both of the pair are the same register.
    pub const IOCON: u8 = 0x0a;
    /// A one for each pin that is pulled up.
    pub const GPPU: u8 = 0x0c;
    /// What stands at the pins.
    pub const GPIO: u8 = 0x12;
    /// In [`IOCON`]: one interrupt line is both ports', an open output.
    pub const ONE_OPEN_LINE: u8 = 0x44;
    /// In [`IOCON`]: the address pins of a chip on SPI count.
    pub const BY_ADDRESS: u8 = 0x08;
    /// From here to [`GPIO`] both a scan and what shows a reset are read at once.
    pub const FIRST_READ: u8 = IOCON;
    /// Bytes from [`FIRST_READ`] to the end of [`GPIO`].
    pub const N_READ: usize = 10;
}

impl fmt::Display for Expander {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pcf8575 => "PCF8575",
            Self::Pca9555 => "PCA9555",
            Self::Mcp23017 => "MCP23017",
            Self::Mcp23s17 => "MCP23S17",
        })
    }
}

impl Expander {
    /// How many of them read a board.
    pub const fn n_chips(self) -> usize {
        match self {
            Self::Pcf8575 | Self::Pca9555 | Self::Mcp23s17 => 4,
            Self::Mcp23017 => 5,
        }
    }

    /// Where an input is: the chip, from 0, and the bit of what is read of it, port A or 0 in the
    /// lower half. Of the eight inputs of a group an MCP23017 takes seven at one port, and the
    /// fifth chip the eighth.
    pub const fn place(self, input: usize) -> (usize, usize) {
        let (group, in_group) = (input / 8, input % 8);
        match self {
            Self::Mcp23017 if in_group < 7 => (group / 2, group % 2 * 8 + in_group),
            // GPA7 of the fifth chip is no input either.
            Self::Mcp23017 if group < 7 => (4, group),
            Self::Mcp23017 => (4, 8),
            _ => (group / 2, group % 2 * 8 + in_group),
        }
    }

    /// The inputs that are high, bit `8 * group + input`, of what was read of each chip.
    pub fn gather(self, ports: &[u16]) -> u64 {
        let is_high = |input: usize| {
            let (chip, bit) = self.place(input);
            ports.get(chip).is_some_and(|port| port >> bit & 1 == 1)
        };
        (0..64).map(|input| u64::from(is_high(input)) << input).sum()
    }

    /// What an input is called on the chip.
    ///
    /// ```
    /// use rokade::wire::expander::Expander;
    /// assert_eq!(Expander::Mcp23017.pin_name(15), "GPA1 of chip 5");
    /// assert_eq!(Expander::Pcf8575.pin_name(15), "P17 of chip 1");
    /// ```
    pub fn pin_name(self, input: usize) -> String {
        let (chip, bit) = self.place(input);
        let (port, bit) = (bit / 8, bit % 8);
        let chip = chip + 1;
        match self {
            Self::Pcf8575 | Self::Pca9555 => format!("P{port}{bit} of chip {chip}"),
            _ => format!("GP{}{bit} of chip {chip}", if port == 0 { 'A' } else { 'B' }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_input_has_a_pin_of_its_own_that_can_be_one() {
        for kind in [Expander::Pcf8575, Expander::Pca9555, Expander::Mcp23017, Expander::Mcp23s17] {
            let places: BTreeSet<_> = (0..64).map(|input| kind.place(input)).collect();
            assert_eq!(places.len(), 64, "{kind}");
            assert!(places.iter().all(|(chip, bit)| *chip < kind.n_chips() && *bit < 16));
            let is_output = |(_, bit): &(usize, usize)| kind == Expander::Mcp23017 && bit % 8 == 7;
            assert!(!places.iter().any(is_output), "{kind}");
            for input in 0..64 {
                let mut ports = vec![0; kind.n_chips()];
                let (chip, bit) = kind.place(input);
                ports[chip] = 1 << bit;
                assert_eq!(kind.gather(&ports), 1 << input, "{kind} {input}");
            }
        }
    }
}
