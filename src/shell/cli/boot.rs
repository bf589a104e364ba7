//! `config.txt` of a Raspberry Pi: what of it holds for this one, and which pins it takes.
//!
//! Source: the `README` of the kernel's overlays, and the documentation of `config.txt` for its
//! sections.

use std::collections::BTreeMap;

/// Pins, each with the parameter that moves it, if one does.
type MovablePins = &'static [(u8, &'static str)];

/// Parameters of the base and the pins that they take where they are on.
const PARAMETERS: [(&str, &[u8]); 7] = [
    ("spi", &[7, 8, 9, 10, 11]),
    ("i2c_arm", &[2, 3]),
    ("i2c", &[2, 3]),
    ("i2c1", &[2, 3]),
    ("i2s", &[18, 19, 20, 21]),
    ("uart0", &[14, 15]),
    ("uart0_console", &[14, 15]),
];

/// Overlays and the pins that they take: those of a kind that take the same share a row. What a Pi
/// 5 has in the place of one ends with `-pi5`.
const OVERLAYS: [(&str, MovablePins); 41] = [
    ("spi0-0cs", &[(9, ""), (10, ""), (11, "")]),
    ("spi0-1cs spi0-1cs-inverted", &[(8, "cs0_pin"), (9, ""), (10, ""), (11, "")]),
    ("spi0-2cs spi0-cs", &[(8, "cs0_pin"), (7, "cs1_pin"), (9, ""), (10, ""), (11, "")]),
    ("spi1-1cs", &[(18, "cs0_pin"), (19, ""), (20, ""), (21, "")]),
    ("spi1-2cs", &[(18, "cs0_pin"), (17, "cs1_pin"), (19, ""), (20, ""), (21, "")]),
    (
        "spi1-3cs",
        &[(18, "cs0_pin"), (17, "cs1_pin"), (16, "cs2_pin"), (19, ""), (20, ""), (21, "")],
    ),
    ("spi2-1cs-pi5 spi3-1cs", &[(0, "cs0_pin"), (1, ""), (2, ""), (3, "")]),
    ("spi2-2cs-pi5 spi3-2cs", &[(0, "cs0_pin"), (24, "cs1_pin"), (1, ""), (2, ""), (3, "")]),
    ("spi3-1cs-pi5 spi4-1cs", &[(4, "cs0_pin"), (5, ""), (6, ""), (7, "")]),
    ("spi3-2cs-pi5 spi4-2cs", &[(4, "cs0_pin"), (25, "cs1_pin"), (5, ""), (6, ""), (7, "")]),
    ("spi5-1cs", &[(12, "cs0_pin"), (13, ""), (14, ""), (15, "")]),
    ("spi5-2cs", &[(12, "cs0_pin"), (26, "cs1_pin"), (13, ""), (14, ""), (15, "")]),
    ("i2c-gpio", &[(23, "i2c_gpio_sda"), (24, "i2c_gpio_scl")]),
    ("i2c0 i2c0-pi5", &[(0, ""), (1, "")]),
    ("i2c1 i2c1-pi5", &[(2, ""), (3, "")]),
    ("i2c2-pi5 i2c3", &[(4, ""), (5, "")]),
    ("i2c3-pi5", &[(6, ""), (7, "")]),
    ("i2c4", &[(8, ""), (9, "")]),
    ("i2c5", &[(12, ""), (13, "")]),
    ("i2c6", &[(22, ""), (23, "")]),
    ("i2s-dac", &[(18, ""), (19, ""), (20, ""), (21, "")]),
    ("hifiberry-dac hifiberry-dacplus hifiberry-amp", &[(18, ""), (19, ""), (20, ""), (21, "")]),
    ("audremap", &[(12, ""), (13, "")]),
    ("pwm", &[(18, "pin")]),
    ("pwm-2chan", &[(18, "pin"), (19, "pin2")]),
    ("pwm-gpio", &[(4, "gpio")]),
    ("pwm-gpio-fan", &[(18, "fan_gpio")]),
    ("pwm-ir-tx gpio-ir gpio-ir-tx", &[(18, "gpio_pin")]),
    ("w1-gpio dht11", &[(4, "gpiopin")]),
    ("w1-gpio-pullup", &[(4, "gpiopin"), (5, "extpullup")]),
    ("gpio-fan", &[(12, "gpiopin")]),
    ("gpio-shutdown", &[(3, "gpio_pin")]),
    ("gpio-poweroff", &[(26, "gpiopin")]),
    ("rotary-encoder", &[(4, "pin_a"), (17, "pin_b")]),
    ("uart0", &[(14, "txd0_pin"), (15, "rxd0_pin")]),
    ("uart1", &[(14, "txd1_pin"), (15, "rxd1_pin")]),
    ("uart2 uart1-pi5", &[(0, ""), (1, "")]),
    ("uart3 uart2-pi5", &[(4, ""), (5, "")]),
    ("uart4 uart3-pi5", &[(8, ""), (9, "")]),
    ("uart5 uart4-pi5", &[(12, ""), (13, "")]),
    ("uart0-pi5", &[(14, ""), (15, "")]),
];

/// What Pis call themselves, the longer names first, and the sections that are about them.
const KINDS: [(&str, &[&str]); 17] = [
    ("Pi 500", &["pi5", "pi500"]),
    ("Pi 5", &["pi5"]),
    ("Compute Module 5", &["pi5", "cm5"]),
    ("Pi 400", &["pi4", "pi400"]),
    ("Pi 4", &["pi4"]),
    ("Compute Module 4S", &["pi4", "cm4s"]),
    ("Compute Module 4", &["pi4", "cm4"]),
    ("Pi 3 Model B Plus", &["pi3", "pi3+"]),
    ("Pi 3 Model A Plus", &["pi3", "pi3+"]),
    ("Pi 3", &["pi3"]),
    ("Compute Module 3 Plus", &["pi3", "cm3+"]),
    ("Compute Module 3", &["pi3", "cm3"]),
    ("Pi 2", &["pi2"]),
    ("Zero 2", &["pi0", "pi02"]),
    ("Zero W", &["pi0", "pi0w"]),
    ("Zero", &["pi0"]),
    ("Raspberry Pi", &["pi1"]),
];

/// The other sections that are about a model.
const OTHER_MODELS: [&str; 3] = ["cm0", "cm1", "board-type"];

/// A pin that the system has, and by what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TakenPin {
    /// Its BCM number.
    pub(super) pin: u8,
    /// The line that takes it.
    pub(super) line: String,
    /// It is of a bus for chips on SPI.
    pub(super) is_spi: bool,
    /// It is of the header's I2C bus.
    pub(super) is_first_i2c: bool,
}

/// An overlay that is loaded.
#[derive(Clone, Debug)]
struct BootOverlay<'a> {
    line: &'a str,
    name: &'a str,
    parameters: Vec<(&'a str, &'a str)>,
}

/// What of a `config.txt` holds for one Pi.
#[derive(Clone, Debug, Default)]
pub(super) struct BootSettings<'a> {
    is_pi5: bool,
    /// The settings that are not of the device tree.
    plain: Vec<&'a str>,
    /// The base's parameters, with their lines. The last word counts.
    base: BTreeMap<&'a str, (&'a str, &'a str)>,
    overlays: Vec<BootOverlay<'a>>,
}

impl<'a> BootSettings<'a> {
    /// What of `text` holds for a Pi that calls itself `model`.
    pub(super) fn read(text: &'a str, model: &str) -> Self {
        let names = names(model);
        let mut it = Self { is_pi5: names.contains(&"pi5"), ..Self::default() };
        let (mut is_model, mut is_other) = (true, true);
        let mut is_open = false;
        for line in text.lines().map(str::trim) {
            let section = line.strip_prefix('[').and_then(|it| it.split(']').next());
            match section {
                Some("all") => (is_model, is_other) = (true, true),
                Some(word) if is_model_word(word) => is_model = names.contains(&word),
                // Whether it holds, such as with one screen alone, is not known here.
                Some(_) => is_other = false,
                None if !is_model || !is_other || line.is_empty() || line.starts_with('#') => {}
                None => it.take(line, &mut is_open),
            }
        }
        it
    }

    /// Takes a line that holds. What follows an overlay belongs to that, as long as it `is_open`.
    fn take(&mut self, line: &'a str, is_open: &mut bool) {
        if let Some(value) = line.strip_prefix("dtoverlay=") {
            let mut words = value.split(',').map(str::trim);
            let name = words.next().unwrap_or_default();
            *is_open = !name.is_empty();
            if *is_open {
                let parameters = words.map(parameter).collect();
                self.overlays.push(BootOverlay { line, name, parameters });
            }
        } else if let Some(value) = line.strip_prefix("dtparam=") {
            for (key, value) in value.split(',').map(str::trim).map(parameter) {
                let open = self.overlays.last_mut().filter(|_| *is_open);
                match open.filter(|_| !is_of_base(key)) {
                    Some(overlay) => overlay.parameters.push((key, value)),
                    None => {
                        self.base.insert(key, (value, line));
                    }
                }
            }
        } else {
            self.plain.push(line);
        }
    }

    /// Whether this line is there, and holds.
    pub(super) fn has(&self, line: &str) -> bool {
        self.plain.contains(&line)
    }

    /// The value of the first of these parameters of the base that is there.
    pub(super) fn parameter(&self, keys: &[&str]) -> Option<&'a str> {
        keys.iter().find_map(|key| self.base.get(key)).map(|(value, _)| *value)
    }

    /// The pins that are taken.
    pub(super) fn taken(&self) -> Vec<TakenPin> {
        let mut taken = Vec::new();
        let is_own = |overlay: &BootOverlay<'_>| overlay.name.starts_with("spi0-");
        let has_own_selects = self.overlays.iter().any(is_own);
        for (name, pins) in PARAMETERS {
            let Some((value, line)) = self.base.get(name) else { continue };
            if !is_on(value) || name == "spi" && has_own_selects {
                continue;
            }
            taken.extend(pins.iter().map(|pin| TakenPin {
                pin: *pin,
                line: (*line).to_owned(),
                is_spi: name == "spi",
                is_first_i2c: name.starts_with("i2c"),
            }));
        }
        if self.has("enable_uart=1") {
            taken.extend([14, 15].map(|pin| TakenPin {
                pin,
                line: "enable_uart=1".to_owned(),
                is_spi: false,
                is_first_i2c: false,
            }));
        }
        taken.extend(self.overlays.iter().flat_map(|overlay| overlay.taken(self.is_pi5)));
        taken
    }
}

impl BootOverlay<'_> {
    fn taken(&self, is_pi5: bool) -> Vec<TakenPin> {
        let row =
            |name: &str| OVERLAYS.iter().find(|(known, _)| known.split(' ').any(|it| it == name));
        let fifth = is_pi5.then(|| row(&format!("{}-pi5", self.name))).flatten();
        let Some((_, usual)) = fifth.or_else(|| row(self.name)) else { return Vec::new() };
        let value = |key: &str| {
            let mut given = self.parameters.iter().rev().filter(|(name, _)| *name == key);
            given.next().map(|(_, value)| *value)
        };
        let moved =
            |(pin, key): &(u8, &str)| value(key).and_then(|it| it.parse().ok()).unwrap_or(*pin);
        let mut pins: Vec<u8> = usual.iter().map(moved).collect();
        if let Some(chosen) = self.parameters.iter().rev().find_map(|(key, _)| pair(key)) {
            pins = chosen.to_vec();
        }
        let is_given = |key: &str| value(key).is_some_and(is_on);
        if self.name.starts_with("uart") && (is_given("ctsrts") || is_given("rs485")) {
            pins.extend([pins[0] + 2, pins[0] + 3]);
        }
        if is_given("no_miso") {
            pins.retain(|pin| *pin != 9);
        }
        let taken = |pin| TakenPin {
            pin,
            line: self.line.to_owned(),
            is_spi: self.name.starts_with("spi"),
            is_first_i2c: matches!(self.name, "i2c1" | "i2c1-pi5"),
        };
        pins.into_iter().map(taken).collect()
    }
}

/// The two pins that a parameter such as `pins_4_5` chooses.
fn pair(key: &str) -> Option<[u8; 2]> {
    let (first, second) = key.strip_prefix("pins_")?.split_once('_')?;
    Some([first.parse().ok()?, second.parse().ok()?])
}

/// A parameter and its value, which is empty if there is none.
fn parameter(word: &str) -> (&str, &str) {
    word.split_once('=').unwrap_or((word, ""))
}

/// Whether a parameter belongs to no overlay, also behind one.
fn is_of_base(key: &str) -> bool {
    PARAMETERS.iter().any(|(name, _)| key.strip_suffix("_baudrate").unwrap_or(key) == *name)
}

/// Whether a parameter with this value is on. One without a value is.
fn is_on(value: &str) -> bool {
    matches!(value, "" | "on" | "yes" | "true" | "okay" | "1")
}

/// Whether a section of this name is about a model.
fn is_model_word(word: &str) -> bool {
    let of_kinds = KINDS.iter().flat_map(|(_, names)| *names);
    of_kinds.chain(&OTHER_MODELS).any(|it| *it == word)
}

/// By which sections a Pi is meant that calls itself `model`.
fn names(model: &str) -> Vec<&'static str> {
    let known = KINDS.iter().find(|(words, _)| model.contains(words));
    known.map_or_else(Vec::new, |(_, names)| names.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOURTH: &str = "Raspberry Pi 4 Model B Rev 1.4\0";
    const FIFTH: &str = "Raspberry Pi 5 Model B Rev 1.0\0";

    fn pins(text: &str, model: &str) -> Vec<u8> {
        let mut pins: Vec<u8> =
            BootSettings::read(text, model).taken().iter().map(|it| it.pin).collect();
        pins.sort_unstable();
        pins
    }

    #[test]
    fn each_overlay_takes_its_pins() {
        for (text, on_fourth, on_fifth) in [
            (
                "dtparam=i2c_arm=on,spi=on",
                &[2, 3, 7, 8, 9, 10, 11][..],
                &[2, 3, 7, 8, 9, 10, 11][..],
            ),
            ("dtparam=spi=on\ndtparam=spi=off", &[], &[]),
            ("dtparam=i2c_arm", &[2, 3], &[2, 3]),
            ("dtoverlay=i2c3", &[4, 5], &[6, 7]),
            ("dtoverlay=i2c3,pins_2_3", &[2, 3], &[2, 3]),
            ("dtoverlay=i2c4", &[8, 9], &[8, 9]),
            ("dtoverlay=i2c5,baudrate=50000", &[12, 13], &[12, 13]),
            ("dtoverlay=i2c6", &[22, 23], &[22, 23]),
            ("dtoverlay=uart3,ctsrts", &[4, 5, 6, 7], &[8, 9, 10, 11]),
            ("dtoverlay=spi0-2cs,cs1_pin=25", &[8, 9, 10, 11, 25], &[8, 9, 10, 11, 25]),
            ("dtparam=spi=on\ndtoverlay=spi0-1cs", &[8, 9, 10, 11], &[8, 9, 10, 11]),
            ("dtoverlay=spi0-1cs,no_miso", &[8, 10, 11], &[8, 10, 11]),
            ("dtoverlay=spi1-2cs,cs0_pin=26", &[17, 19, 20, 21, 26], &[17, 19, 20, 21, 26]),
            ("dtoverlay=i2c-gpio,bus=5,i2c_gpio_sda=17,i2c_gpio_scl=27", &[17, 27], &[17, 27]),
            // A parameter may stand below its overlay; one of the base may, too.
            ("dtoverlay=w1-gpio\ndtparam=gpiopin=21", &[21], &[21]),
            ("dtoverlay=w1-gpio\ndtparam=i2c_arm=on", &[2, 3, 4], &[2, 3, 4]),
            ("dtoverlay=w1-gpio\ndtoverlay=\ndtparam=gpiopin=21", &[4], &[4]),
            ("dtoverlay=made-up", &[], &[]),
        ] {
            assert_eq!(pins(text, FOURTH), on_fourth, "{text}");
            assert_eq!(pins(text, FIFTH), on_fifth, "{text} on a Pi 5");
        }
    }

    #[test]
    fn sections_hold_for_the_pis_that_they_name() {
        let text = "[pi4]\ncore_freq=500\n[pi5]\ndtoverlay=pwm\n[pi3+]\ndtoverlay=uart0\n[none]\n\
                    dtoverlay=dht11\n[all]\ndtparam=spi=on\n[EDID=x]\ndtoverlay=gpio-fan\n[all]";
        let of = |model| BootSettings::read(text, model);
        assert!(of(FOURTH).has("core_freq=500") && !of(FIFTH).has("core_freq=500"));
        assert_eq!(pins(text, FOURTH), [7, 8, 9, 10, 11]);
        assert_eq!(pins(text, FIFTH), [7, 8, 9, 10, 11, 18]);
        assert_eq!(pins(text, "Raspberry Pi 3 Model B Plus Rev 1.3\0"), [7, 8, 9, 10, 11, 14, 15]);
        // One section of a screen and one of a model hold both.
        assert_eq!(pins("[EDID=x]\n[pi4]\ndtoverlay=dht11", FOURTH), Vec::<u8>::new());
        assert_eq!(names("Raspberry Pi Compute Module 4 Rev 1.0"), ["pi4", "cm4"]);
        assert_eq!(names("Raspberry Pi 400 Rev 1.0"), ["pi4", "pi400"]);
        assert_eq!(names("Raspberry Pi Zero 2 W Rev 1.0"), ["pi0", "pi02"]);
        assert_eq!(names("Raspberry Pi Model B Rev 2"), ["pi1"]);
    }
}
