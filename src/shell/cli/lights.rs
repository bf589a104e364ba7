//! `rokade doctor` for lights and displays of one's own: whether they can be written, and what the
//! machine does to the pulses of lights.

use super::boot::BootSettings;
use super::doctor::Diagnosis;
use crate::relay::rows::FourRows;
#[cfg(feature = "pi")]
use crate::shell::clock::pi;
use crate::shell::config::{BoardConfig, LedChips};
use crate::shell::display;
use crate::shell::leds::{self, LightPicture};
use crate::wire::ws2812::{self, Rgb};
use shakmaty::Square;
use std::fs;
use std::path::Path;

/// What is lit to be looked at: five squares that lie in one way only.
const SHOWN: [Square; 5] = [Square::A1, Square::B1, Square::C1, Square::D1, Square::A2];

/// The lights of a board: five of them are lit, and stay so until the daemon is started.
pub(super) fn look(board: &BoardConfig) -> Vec<Diagnosis> {
    let mut found = Vec::new();
    for (section, settings) in board.lights_set() {
        let mut picture = LightPicture { lit: SHOWN.into_iter().collect(), ..Default::default() };
        for sq in SHOWN {
            picture.colors[usize::from(sq)] = Rgb([0, 0, 80]);
        }
        picture.colors[usize::from(Square::A1)] = Rgb([80, 0, 0]);
        let shown = leds::open(settings).and_then(|mut lights| lights.show(&picture));
        let a1 = if settings.chips == LedChips::Ws2812 { ", a1 in red" } else { "" };
        found.push(match shown {
            Ok(()) => Diagnosis::good(
                board,
                format!(
                    "{section}: a1 to d1 and a2 are lit now{a1}; if others are lit, set first, \
                     along and serpentine"
                ),
            ),
            Err(why) => Diagnosis::bad(board, format!("{section}: {why}"), ""),
        });
    }
    found.extend(board.display.is_set().then(|| of_display(board)));
    found
}

/// A display says where it is, and shows that until the daemon is started.
fn of_display(board: &BoardConfig) -> Diagnosis {
    let rows: FourRows = ["Rokade", board.name.as_str(), "3", "4"].map(deunicode::deunicode);
    let shown = display::open(&board.display).and_then(|mut display| display.show(&rows));
    let saw = "[board.display]: it shows \"Rokade\", the board's name, 3 and 4 now, a row each; if \
               nothing can be read, turn the screw of its contrast";
    match shown {
        Ok(()) => Diagnosis::good(board, saw),
        Err(why) => Diagnosis::bad(board, format!("[board.display]: {why}"), ""),
    }
}

/// A clock on the pins: whether its displays answer, and which of its contacts are closed.
#[cfg(feature = "pi")]
pub(super) fn of_clock(board: &BoardConfig) -> Vec<Diagnosis> {
    match pi::look(board.clock.shape()) {
        Ok(parts) => of_parts(board, &parts),
        Err(why) => {
            vec![Diagnosis::bad(board, format!("the clock: {}", super::chain(&why)), "")]
        }
    }
}

#[cfg(feature = "pi")]
fn of_parts(board: &BoardConfig, parts: &pi::ClockParts) -> Vec<Diagnosis> {
    let closed = parts.down.iter().map(|which| {
        Diagnosis::good(board, format!("the clock: {which} is down"))
            .with("if nobody holds it, its wire touches ground, or it is one that opens")
    });
    let mut found: Vec<Diagnosis> = closed.collect();
    if found.is_empty() {
        let saw = "the clock: no button is down; hold each down to try it";
        found.push(Diagnosis::good(board, saw));
    }
    found.push(match parts.displays {
        Ok(()) => Diagnosis::good(board, "the clock: both displays show 8888"),
        // Who hears the lever of another clock needs none.
        Err(why) if board.time_control.is_empty() => {
            Diagnosis::good(board, format!("the clock: {why}"))
        }
        Err(why) => Diagnosis::bad(board, format!("the clock: {why}"), ""),
    });
    found
}

/// A clock on the pins, which this program was built without.
#[cfg(not(feature = "pi"))]
pub(super) fn of_clock(board: &BoardConfig) -> Vec<Diagnosis> {
    let saw = "the clock: this program was built without the feature pi";
    vec![Diagnosis::bad(board, saw, "use the package for a Raspberry Pi")]
}

/// What a Pi of this model, with this `config.txt` and its system's files below `root`, does to the
/// pulses of a chain.
pub(super) fn pulses(
    board: &BoardConfig,
    model: &str,
    settings: &BootSettings<'_>,
    root: &Path,
) -> Vec<Diagnosis> {
    let is_chain = |(_, it): &(_, &crate::shell::config::LedSettings)| {
        it.chips == LedChips::Ws2812 && it.is_real()
    };
    if !board.lights_set().iter().any(is_chain) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let wanted: &[&str] = if model.contains("Pi 5") {
        let saw = "this is a Pi 5, and lights in a chain were never tried on one";
        let means = "what the bus does between bytes is not known there: look at a picture for a \
                     minute, and report what you see";
        found.push(Diagnosis::good(board, saw).with(means));
        &[]
    } else if model.contains("Pi 4") || model.contains("Compute Module 4") {
        &["core_freq=500", "core_freq_min=500"]
    } else {
        &["core_freq=250"]
    };
    let missing: Vec<&str> = wanted.iter().copied().filter(|it| !settings.has(it)).collect();
    if !missing.is_empty() {
        let saw = "the speed of the SPI bus follows the processor's, and colors flicker with it";
        let means = format!("{} at the end of config.txt, and reboot", missing.join(" and "));
        found.push(Diagnosis::bad(board, saw, means));
    }
    let file = root.join("sys/module/spidev/parameters/bufsiz");
    let room = fs::read_to_string(file).ok().and_then(|it| it.trim().parse::<usize>().ok());
    if let Some(room) = room.filter(|it| *it < ws2812::N_BYTES) {
        let saw = format!(
            "the SPI bus takes {room} bytes at once, but a picture has {}",
            ws2812::N_BYTES
        );
        let means = "spidev.bufsiz=4096 at the end of the line in /boot/firmware/cmdline.txt, and \
                     reboot";
        found.push(Diagnosis::bad(board, saw, means));
    }
    found
}

#[cfg(all(test, feature = "pi"))]
mod tests {
    use super::*;
    use crate::shell::clock::i2c::DisplayError;
    use embedded_hal::i2c::ErrorKind;

    fn told(down: Vec<&'static str>, displays: Result<(), DisplayError>, control: &str) -> String {
        let board = BoardConfig { time_control: control.to_owned(), ..BoardConfig::default() };
        let found = of_parts(&board, &pi::ClockParts { down, displays });
        found.iter().map(|it| format!("{it}\n")).collect()
    }

    #[test]
    fn a_clock_on_pins_is_told_by_its_parts() {
        let said = told(Vec::new(), Ok(()), "5m+3s");
        assert!(said.contains("the clock: no button is down; hold each down to try it"), "{said}");
        assert!(said.contains("good  table-1: the clock: both displays show 8888"), "{said}");
        let gone = DisplayError { address: 0x71, kind: ErrorKind::Bus };
        let said = told(vec!["the left button"], Err(gone), "5m+3s");
        assert!(said.contains("the clock: the left button is down"), "{said}");
        assert!(said.contains("BAD   table-1: the clock: the display at 0x71"), "{said}");
        // Who hears the lever of another clock needs no displays.
        assert!(!told(Vec::new(), Err(gone), "").contains("BAD"));
    }
}
