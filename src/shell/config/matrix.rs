//! How the switches of a board are wired to the pins of this machine: `[board.matrix]`.

use crate::board::Wiring;
use crate::shell::matrix::expanders::ExpanderChips;
use crate::shell::matrix::registers::Registers;
use crate::shell::pins::{self, PinUse};
use crate::table::{Sight, defaults, words};
use crate::wire::expander::{ADDRESS, ADDRESS_LAST, Expander};
use serde::Deserialize;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// The port of a board whose switches are on the pins.
pub(super) const GPIO: &str = "gpio";

/// The bus of shift registers that is made of pins.
const PINS: &str = "pins";

/// An MCP3008 at 2.7 V takes 1.35 MHz (data sheet DS21295D).
const CONVERTER_KHZ: u32 = 1_350;

words! {
    /// What reads the switches.
    #[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
    pub enum SwitchReader {
        /// Eight shift registers 74HC165 in a row.
        #[default]
        ShiftRegisters = "74hc165",
        /// Nothing: the switches lie between eight rows and eight columns.
        Rows = "rows",
        /// Four PCF8575 on I2C.
        Pcf8575 = "pcf8575",
        /// Four PCA9555 or TCA9555 on I2C.
        Pca9555 = "pca9555",
        /// Five MCP23017 on I2C.
        Mcp23017 = "mcp23017",
        /// Four MCP23S17 on SPI.
        Mcp23s17 = "mcp23s17",
        /// A converter MCP3008 on SPI, and hall sensors that tell colors.
        Mcp3008 = "mcp3008",
    }
}

impl SwitchReader {
    /// The kind of expander, if it is one.
    pub const fn expander(self) -> Option<Expander> {
        match self {
            Self::ShiftRegisters | Self::Rows | Self::Mcp3008 => None,
            Self::Pcf8575 => Some(Expander::Pcf8575),
            Self::Pca9555 => Some(Expander::Pca9555),
            Self::Mcp23017 => Some(Expander::Mcp23017),
            Self::Mcp23s17 => Some(Expander::Mcp23s17),
        }
    }

    /// Whether it is on I2C, which several boards may share.
    pub const fn is_on_i2c(self) -> bool {
        matches!(self, Self::Pcf8575 | Self::Pca9555 | Self::Mcp23017)
    }

    /// The word by which `rokade simulate --board` knows it.
    pub const fn board_word(self) -> &'static str {
        match self {
            Self::ShiftRegisters => "reed",
            Self::Mcp3008 => "color",
            _ => self.word(),
        }
    }

    /// What it can tell of a piece.
    pub const fn sight(self) -> Sight {
        match self {
            Self::Mcp3008 => Sight::Colors,
            _ => Sight::Occupied,
        }
    }
}

words! {
    /// What an input reads while a piece stands on its square.
    #[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
    pub enum Occupied {
        /// The switch closes to ground.
        #[default]
        Low = "low",
        /// The switch, or the sensor, pulls up.
        High = "high",
    }
}

/// Who moves the pins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PinDriver {
    /// rppal, in the memory of a Pi.
    #[default]
    Rppal,
    /// The kernel, by the chip of this name, or by the one behind the header of a Pi.
    Kernel(Option<PathBuf>),
}

impl FromStr for PinDriver {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "rppal" => Ok(Self::Rppal),
            "gpiocdev" => Ok(Self::Kernel(None)),
            path if path.starts_with("/dev/gpiochip") => Ok(Self::Kernel(Some(path.into()))),
            _ => Err(format!(
                "{word:?} does not drive pins; use \"rppal\", \"gpiocdev\" or a chip such as \
                 \"/dev/gpiochip0\""
            )),
        }
    }
}

defaults! {
    /// The wiring of a matrix.
    #[derive(Clone, Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct Matrix {
        /// What reads the switches.
        #[serde(deserialize_with = "super::word::one_of")]
        pub chips: SwitchReader,
        /// The bus: a device, or the socket of a simulated board; empty for the usual one.
        pub bus: String,
        /// Who moves the pins.
        #[serde(deserialize_with = "super::word::parsed")]
        pub pins: PinDriver,
        /// How fast the bus is.
        pub speed_khz: u32 = 1_000,
        /// The pins of clock, data in and data out, where the bus is made of pins.
        pub bus_pins: Vec<u8> = vec![11, 9, 10],
        /// The pin that loads the registers, by its BCM number.
        pub load: u8 = 25,
        /// Whether what is sent comes back through the chips.
        pub loop_back: bool = true,
        /// The pins of the rows, by their BCM numbers.
        pub rows: Vec<u8> = vec![4, 17, 27, 22, 10, 9, 11, 26],
        /// The pins of the columns.
        pub columns: Vec<u8> = vec![18, 23, 24, 25, 8, 7, 16, 20],
        /// The pins that set the multiplexers of hall sensors, the lowest bit first.
        pub select: Vec<u8> = vec![17, 27, 22, 23],
        /// The file with what was learned of hall sensors.
        pub calibration: PathBuf,
        /// How long columns take to settle once a row is pulled low, or multiplexers once they are
        /// set, in microseconds.
        pub settle_us: u64 = 100,
        /// The addresses of expanders; empty for the first ones.
        pub addresses: Vec<u8>,
        /// The pin of their interrupt lines; 0 for none.
        pub interrupt: u8,
        /// The pins of buttons for a queen, a rook, a bishop and a knight; empty for none.
        pub promotion: Vec<u8>,
        /// What an input reads while a piece stands on its square.
        #[serde(deserialize_with = "super::word::one_of")]
        pub occupied: Occupied,
        /// How often all squares are read; 0 for as often as the chips can.
        pub scans_per_s: u32,
        /// How long a square must read the same before that is believed.
        pub debounce_ms: u64 = 10,
        /// The squares of the inputs: a text for each chip.
        pub inputs: Vec<String> = Wiring::default().groups(),
    }
}

impl Matrix {
    /// The bus: a device, or the socket of a simulated board.
    pub fn bus(&self) -> &str {
        match self.chips {
            _ if !self.bus.is_empty() => &self.bus,
            SwitchReader::ShiftRegisters | SwitchReader::Mcp23s17 | SwitchReader::Mcp3008 => {
                "/dev/spidev0.0"
            }
            SwitchReader::Rows => "/dev/gpiochip0",
            _ => "/dev/i2c-1",
        }
    }

    /// Whether its pins are this machine's, and not a simulated board's.
    pub(in crate::shell) fn is_real(&self) -> bool {
        self.bus().starts_with("/dev/") || self.bus() == PINS
    }

    /// The pins of clock, data in and data out, if they are the bus of shift registers.
    pub(in crate::shell) fn bit_banged(&self) -> Option<[u8; 3]> {
        let is_bus = self.chips == SwitchReader::ShiftRegisters && self.bus() == PINS;
        self.bus_pins.as_slice().try_into().ok().filter(|_| is_bus)
    }

    /// Between two scans.
    pub(in crate::shell) fn period(&self) -> Duration {
        let usual = match self.chips {
            SwitchReader::ShiftRegisters if self.bit_banged().is_none() => 200,
            SwitchReader::Mcp3008 => 50,
            _ => 100,
        };
        let rate = if self.scans_per_s == 0 { usual } else { self.scans_per_s };
        Duration::from_secs(1) / rate
    }

    /// How long a square must read the same.
    pub(in crate::shell) fn debounce(&self) -> Duration {
        Duration::from_millis(self.debounce_ms)
    }

    /// How long columns or multiplexers take to settle.
    pub(in crate::shell) fn settle(&self) -> Duration {
        Duration::from_micros(self.settle_us)
    }

    /// Which square each input belongs to.
    pub(in crate::shell) fn wiring(&self) -> Wiring {
        // It was checked when the file was read.
        Wiring::parse(&self.inputs).unwrap_or_default()
    }

    /// The pins of rows and columns.
    pub(in crate::shell) fn lines(&self) -> ([u8; 8], [u8; 8]) {
        let eight = |pins: &[u8]| pins.try_into().expect("eight, as was checked");
        (eight(&self.rows), eight(&self.columns))
    }

    /// The pins that set the multiplexers.
    pub(in crate::shell) fn select_pins(&self) -> [u8; 4] {
        self.select.as_slice().try_into().expect("four, as was checked")
    }

    /// The numbers of bus and chip select, if the bus is one of the kernel's for SPI.
    pub(in crate::shell) fn bus_numbers(&self) -> Option<(u8, u8)> {
        pins::spi_numbers(self.bus())
    }

    /// How shift registers are used.
    pub(in crate::shell) fn registers(&self) -> Registers {
        Registers {
            bus: PathBuf::from(self.bus()),
            is_low_active: self.is_low_active(),
            loops_back: self.loop_back,
        }
    }

    /// Where expanders are, and how they are used.
    pub(in crate::shell) fn expanders(&self, kind: Expander) -> ExpanderChips {
        ExpanderChips {
            bus: PathBuf::from(self.bus()),
            kind,
            addresses: self.addresses(),
            is_low_active: self.is_low_active(),
        }
    }

    /// Whether a switch that is closed pulls its input to ground.
    pub(in crate::shell) fn is_low_active(&self) -> bool {
        self.occupied == Occupied::Low
    }

    /// The addresses of expanders, which are none if it has no such.
    pub(super) fn addresses(&self) -> Vec<u8> {
        let n = self.chips.expander().map_or(0, Expander::n_chips);
        let first = (ADDRESS..).take(n);
        if self.addresses.is_empty() { first.collect() } else { self.addresses.clone() }
    }

    /// The pin of the interrupt lines, if there is one.
    pub(in crate::shell) fn interrupt(&self) -> Option<u8> {
        (self.interrupt != 0).then_some(self.interrupt)
    }

    /// The pins of buttons for a queen, a rook, a bishop and a knight, if there are any.
    pub(in crate::shell) fn promotion_pins(&self) -> Option<[u8; 4]> {
        self.promotion.as_slice().try_into().ok()
    }

    /// What an input is called where it is wired.
    pub(in crate::shell) fn input_name(&self, input: usize) -> String {
        let (group, in_group) = (input / 8, input % 8);
        match self.chips.expander() {
            Some(kind) => kind.pin_name(input),
            None if self.chips == SwitchReader::Mcp3008 => {
                format!("Y{} of multiplexer {}", input % 16, input / 16 + 1)
            }
            None if self.chips == SwitchReader::Rows => {
                format!("BCM {} x BCM {}", self.rows[group], self.columns[in_group])
            }
            None => {
                let letter = char::from(b'A' + u8::try_from(in_group).unwrap_or(0));
                format!("input {letter} of chip {}", group + 1)
            }
        }
    }

    /// The pins of its buttons.
    pub(in crate::shell) fn buttons(&self) -> Vec<PinUse> {
        self.promotion.iter().map(|pin| PinUse::new(*pin, "promotion")).collect()
    }

    /// The pins that it takes.
    pub(in crate::shell) fn pins(&self) -> Vec<PinUse> {
        let mut pins = Vec::new();
        if self.chips == SwitchReader::ShiftRegisters {
            pins.push(PinUse::new(self.load, "load"));
        }
        if self.bit_banged().is_some() {
            pins.extend(self.bus_pins.iter().map(|pin| PinUse::new(*pin, "bus_pins")));
        }
        if self.chips == SwitchReader::Rows {
            pins.extend(self.rows.iter().map(|pin| PinUse::new(*pin, "rows")));
            pins.extend(self.columns.iter().map(|pin| PinUse::new(*pin, "columns")));
        }
        if self.chips == SwitchReader::Mcp3008 {
            pins.extend(self.select.iter().map(|pin| PinUse::new(*pin, "select")));
        }
        pins.extend(self.buttons());
        if self.chips.is_on_i2c() {
            let interrupt = self.interrupt().map(|pin| PinUse::new(pin, "interrupt"));
            pins.extend(interrupt);
        }
        if self.bus() == "/dev/i2c-1" {
            pins.extend(pins::of_i2c("chips"));
        }
        if let Some((bus, select)) = self.bus_numbers() {
            let of_bus = pins::of_spi(bus, select).into_iter();
            pins.extend(of_bus.map(|pin| PinUse::new(pin, &format!("bus {}", self.bus()))));
        }
        pins
    }

    /// What is wrong with it by itself, in one sentence.
    pub(super) fn check(&self) -> Result<(), String> {
        if let Err(why) = Wiring::parse(&self.inputs) {
            return Err(format!("inputs: {why}"));
        }
        for (key, value, least, most) in [
            ("speed_khz", u64::from(self.speed_khz), 50, 5_000),
            ("debounce_ms", self.debounce_ms, 2, 200),
            ("settle_us", self.settle_us, 5, 5_000),
        ] {
            if !(least..=most).contains(&value) {
                return Err(format!("{key} = {value}: use {least} to {most}"));
            }
        }
        if self.scans_per_s != 0 && !(20..=500).contains(&self.scans_per_s) {
            return Err(format!("scans_per_s = {}: use 20 to 500", self.scans_per_s));
        }
        self.check_bus()?;
        self.check_rows()?;
        self.check_halls()?;
        self.check_buttons()?;
        self.check_addresses()?;
        each_its_own(&self.pins())
    }

    /// What is wrong with it beside a board whose squares are not read by this machine, in one
    /// sentence. All that is read then are buttons.
    pub(super) fn check_beside(&self) -> Result<(), String> {
        let Self { bus, pins, promotion, .. } = self.clone();
        if *self != (Self { bus, pins, promotion, ..Self::default() }) {
            return Err(
                "is for port = \"gpio\"; beside another board only promotion is read, and pins for \
                 it"
                    .to_owned(),
            );
        }
        let is_for_nothing = self.promotion.is_empty() && *self != Self::default();
        if is_for_nothing || !self.bus.is_empty() && self.is_real() {
            return Err("bus and pins: nothing is read by them here; leave them out".to_owned());
        }
        self.check_buttons()?;
        each_its_own(&self.buttons())
    }

    fn check_buttons(&self) -> Result<(), String> {
        if self.promotion.is_empty() || self.promotion_pins().is_some() {
            return Ok(());
        }
        Err(format!(
            "promotion names {} pins; there is one each for queen, rook, bishop and knight",
            self.promotion.len()
        ))
    }

    fn check_bus(&self) -> Result<(), String> {
        if self.bus == PINS && self.chips != SwitchReader::ShiftRegisters {
            return Err("bus = \"pins\": only shift registers are read by pins alone".to_owned());
        }
        if self.bus_pins.len() != 3 {
            return Err(format!(
                "bus_pins names {} pins; a bus has clock, data in and data out",
                self.bus_pins.len()
            ));
        }
        if self.bit_banged().is_none() && self.bus_pins != Self::default().bus_pins {
            return Err(
                "bus_pins are read with bus = \"pins\" alone; set that too, or leave them out"
                    .to_owned(),
            );
        }
        Ok(())
    }

    fn check_rows(&self) -> Result<(), String> {
        for (key, pins) in [("rows", &self.rows), ("columns", &self.columns)] {
            if pins.len() != 8 {
                return Err(format!("{key} names {} pins; a board has eight", pins.len()));
            }
        }
        if self.chips == SwitchReader::Rows && self.occupied == Occupied::High {
            return Err("occupied = \"high\": rows are pulled low; leave it out".to_owned());
        }
        Ok(())
    }

    fn check_halls(&self) -> Result<(), String> {
        if self.select.len() != 4 {
            return Err(format!(
                "select names {} pins; four set the multiplexers",
                self.select.len()
            ));
        }
        if self.chips != SwitchReader::Mcp3008 {
            return Ok(());
        }
        if self.speed_khz > CONVERTER_KHZ {
            return Err(format!(
                "speed_khz = {}: an MCP3008 at 3.3 V takes at most {CONVERTER_KHZ}",
                self.speed_khz
            ));
        }
        if !self.calibration.is_absolute() || self.calibration.file_name().is_none() {
            return Err(format!(
                "calibration = {:?}: name the file that `rokade doctor --calibrate` writes, as in \
                 \"/etc/rokade/table-1.halls\"",
                self.calibration
            ));
        }
        if self.inputs != Wiring::default().groups() {
            return Err(
                "inputs: those of hall sensors are in their calibration; leave it out".to_owned()
            );
        }
        Ok(())
    }

    fn check_addresses(&self) -> Result<(), String> {
        let Some(kind) = self.chips.expander() else { return Ok(()) };
        let (n, given) = (kind.n_chips(), self.addresses());
        if kind == Expander::Mcp23s17 && !self.addresses.is_empty() {
            return Err("addresses: those of MCP23S17 are 0x20 to 0x23; leave it out".to_owned());
        }
        if given.len() != n {
            let why = match kind {
                Expander::Mcp23017 => {
                    ", for GPA7 and GPB7 are outputs only since revision D of its data sheet"
                }
                _ => "",
            };
            return Err(format!(
                "addresses names {} chips; a board has {n} {kind}{why}",
                given.len()
            ));
        }
        for (idx, address) in given.iter().enumerate() {
            if !(ADDRESS..=ADDRESS_LAST).contains(address) {
                return Err(format!(
                    "addresses: a {kind} has none of {address:#04x}; use {ADDRESS:#04x} to \
                     {ADDRESS_LAST:#04x}"
                ));
            }
            if given[..idx].contains(address) {
                return Err(format!(
                    "addresses: {address:#04x} is there twice; each chip has its own"
                ));
            }
        }
        Ok(())
    }
}

/// Each of these pins is one of the header's, and is taken once.
fn each_its_own(pins: &[PinUse]) -> Result<(), String> {
    for (idx, part) in pins.iter().enumerate() {
        let PinUse { pin, what, .. } = part;
        pins::check(*pin).map_err(|why| format!("{what} = {pin}: {why}"))?;
        if let Some(other) = pins[..idx].iter().find(|other| other.excludes(part)) {
            let other = &other.what;
            return Err(if other == what {
                format!("BCM {pin} is there twice in {what}; each needs its own")
            } else {
                format!("BCM {pin} is both {other} and a pin of {what}; each needs its own")
            });
        }
    }
    Ok(())
}
