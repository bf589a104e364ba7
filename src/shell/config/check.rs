//! What is wrong with a configuration as a whole: found when it is read, before anything is opened.

use super::{BoardConfig, Config, LedChips, Maker};
use crate::game::Lights;
use crate::laws::Terms;
use crate::shell::clock::kind::Source;
use crate::shell::pins::{self, PinUse};
use crate::shell::serial::RadioPeer;
use crate::wire::bus::ADDRESS_MAX;
use crate::wire::certabo::parse_chips;
use crate::wire::pegasus::parse_key;
use std::fs;
use std::path::Path;

/// The longest name of a board; it is a folder's name as well.
const NAME_MAX: usize = 64;
/// The longest name of a player, an event, a place or a round, in characters.
const TEXT_MAX: usize = 200;

/// What keeps a board from being recorded; the others can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BoardFault {
    /// The board's name.
    pub(super) board: String,
    /// What is wrong, in one sentence.
    pub(super) why: String,
}

impl BoardFault {
    fn of(board: &BoardConfig, why: String) -> Self {
        Self { board: board.name.clone(), why }
    }
}

/// What boards have that only one can have. Of two it is the later one that is at fault.
pub(super) fn together(config: &Config) -> Result<(), BoardFault> {
    let boards: Vec<&BoardConfig> = config.usable().collect();
    tables(config)?;
    demo_boards(&boards)?;
    lines(&boards)
}

/// What of one board can be told without the others.
pub(super) fn alone(board: &BoardConfig) -> Result<(), String> {
    if board.name.len() > NAME_MAX {
        return Err(format!("board name {:?}: use at most {NAME_MAX} characters", board.name));
    }
    settings(board).map_err(|why| format!("board {:?}: {why}", board.name))
}

/// The same of all but its name.
fn settings(board: &BoardConfig) -> Result<(), String> {
    for (key, value) in [
        ("white", &board.white),
        ("black", &board.black),
        ("event", &board.event),
        ("site", &board.site),
        ("round", &board.round),
    ] {
        text(key, value)?;
    }
    board.profile().map_err(|e| e.to_string())?;
    let control = board.time_control().map_err(|e| e.to_string())?;
    board.terms.apply(Terms::default()).map_err(|e| format!("[board.terms] {e}"))?;
    if board.drive_clock && control.is_none() {
        return wrong("drive_clock needs a time_control, as in \"90m+30s\"");
    }
    if board.clock.has_port() {
        board.check_port(control)?;
    }
    matrix(board)?;
    lights(board)?;
    maker(board)?;
    bus(board).map_err(|why| format!("bus_address: {why}"))?;
    radio(board)?;
    let rests = [board.settle_with_clock_ms, board.settle_without_clock_ms];
    if rests.iter().any(|ms| !(50..=60_000).contains(ms)) {
        return wrong("the settle times are in milliseconds, from 50 to 60000");
    }
    Ok(())
}

fn wrong(why: &str) -> Result<(), String> {
    Err(why.to_owned())
}

/// The board's name can be that of a folder.
pub(super) fn name(board: &BoardConfig) -> Result<(), String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let name = &board.name;
    if name.is_empty() || name.starts_with('.') || !name.chars().all(is_plain) {
        return Err(format!(
            "board name {name:?}: use letters, digits, '-', '_' and '.', as in \"table-1\""
        ));
    }
    Ok(())
}

/// A text is not too long, and holds no character that cannot be seen.
pub(super) fn text(key: &str, value: &str) -> Result<(), String> {
    let n = value.chars().count();
    if n > TEXT_MAX {
        return Err(format!("{key} has {n} characters; use at most {TEXT_MAX}"));
    }
    if let Some((c, at)) = value.chars().zip(1..).find(|(c, _)| is_unseen(*c)) {
        return Err(format!(
            "character {at} of {key} is U+{:04X}, which cannot be seen; leave it out, or save the \
             file as UTF-8",
            u32::from(c)
        ));
    }
    Ok(())
}

/// Each demo board has a place of its own, which is no board's line.
fn demo_boards(boards: &[&BoardConfig]) -> Result<(), BoardFault> {
    for (idx, board) in boards.iter().enumerate() {
        let path = &board.demo_board;
        if path.as_os_str().is_empty() {
            continue;
        }
        let wrong = |why: String| {
            let why = format!("board {:?}: demo_board = {path:?}: {why}", board.name);
            Err(BoardFault::of(board, why))
        };
        if !path.is_absolute() || path.file_name().is_none() {
            return wrong("name it from the root on, as in \"/run/rokade/table-1.dgt\"".to_owned());
        }
        let before = boards[..idx].iter().find(|other| other.demo_board == *path);
        if let Some(other) = before {
            return wrong(format!("that is the demo board of {:?}; each has its own", other.name));
        }
        let line = boards.iter().find(|other| path.as_os_str() == other.port.as_str());
        if let Some(other) = line {
            return wrong(format!(
                "that is the line of board {:?}; choose another name",
                other.name
            ));
        }
    }
    Ok(())
}

/// Each board has a table of its own.
fn tables(config: &Config) -> Result<(), BoardFault> {
    let mut known: Vec<(u16, &BoardConfig)> = Vec::new();
    for (board, table) in config.boards.iter().zip(config.tables()) {
        if board.fault.is_some() {
            continue;
        }
        if let Some((_, other)) = known.iter().find(|(other, _)| *other == table) {
            let why = format!(
                "boards {:?} and {:?} are both at table {table}; set table in one of them",
                other.name, board.name
            );
            return Err(BoardFault::of(board, why));
        }
        known.push((table, board));
    }
    Ok(())
}

/// Whether a character moves the cursor, turns the direction of the line, or is no character.
pub(in crate::shell) fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// The second copy of the records is none of them.
pub(super) fn copy(config: &Config) -> Result<(), String> {
    let Some(folder) = config.copy() else { return Ok(()) };
    if !folder.is_absolute() {
        return Err(format!(
            "[journal] copy = {folder:?}: name the folder from the root on, as in \
             \"/media/stick/rokade\""
        ));
    }
    if folder.starts_with(&config.state_dir) || config.state_dir.starts_with(folder) {
        return Err(format!(
            "[journal] copy = {folder:?} and state_dir = {:?} lie within each other; the copy \
             belongs on another disk",
            config.state_dir
        ));
    }
    Ok(())
}

/// What is on the pins is wired so that it can work, and a board that is has no clock behind it.
fn matrix(board: &BoardConfig) -> Result<(), String> {
    let (matrix, is_on_pins) = (&board.matrix, board.is_on_pins());
    let checked = if is_on_pins { matrix.check() } else { matrix.check_beside() };
    checked.map_err(|why| format!("[board.matrix] {why}"))?;
    if is_on_pins && board.drive_clock && board.clock == Source::Board {
        return wrong(
            "drive_clock is for a clock behind a DGT board; with port = \"gpio\" set clock to \
             \"gpio\", \"gpio-lever\" or \"bridge\"",
        );
    }
    Ok(())
}

/// Lights of one's own can work, and are told what to show.
fn lights(board: &BoardConfig) -> Result<(), String> {
    for (section, leds) in board.lights_set() {
        leds.check().map_err(|why| format!("{section} {why}"))?;
    }
    if board.display.is_set() {
        board.display.check().map_err(|why| format!("[board.display] {why}"))?;
    }
    if board.leds.is_set() && board.lights == Lights::Off {
        return wrong(
            "[board.leds] shows what lights says, which is \"off\"; set lights = \"last-move\", or \
             write [board.wall] for lights that show the game",
        );
    }
    Ok(())
}

/// Of other makers' boards none is on the pins, and none has a clock behind it.
fn maker(board: &BoardConfig) -> Result<(), String> {
    parse_chips(&board.chips).map_err(|why| format!("chips: {why}"))?;
    if !board.chips.is_empty() && board.clock != Source::Board {
        return wrong(
            "a board that reads chips is a second late, and presses of the clock would come before \
             its moves; leave the clock out",
        );
    }
    if board.maker != Maker::Certabo && !board.chips.is_empty() {
        return wrong("only boards of maker = \"certabo\" have chips below their pieces");
    }
    let has_key = !board.developer_key.is_empty();
    if has_key != (board.maker == Maker::Pegasus) {
        return wrong(if has_key {
            "only boards of maker = \"pegasus\" need a developer_key; leave it out"
        } else {
            "a Pegasus stays silent without a key, which DGT gives to developers; set \
             developer_key to its six bytes, as in \"01 23 45 67 89 ab\""
        });
    }
    if has_key {
        parse_key(&board.developer_key).map_err(|why| format!("developer_key: {why}"))?;
    }
    if board.maker == Maker::Dgt {
        return match board.lights {
            Lights::Off => Ok(()),
            _ if board.leds.is_set() => Ok(()),
            _ => wrong(
                "lights are driven on boards of maker = \"millennium\", \"certabo\", \"chessnut\" \
                 and \"pegasus\", and on boards with lights of your own in [board.leds]",
            ),
        };
    }
    if board.maker == Maker::Novag && board.lights != Lights::Off && !board.leds.is_set() {
        return wrong(
            "a Novag board lights the moves to be played on it; leave lights out, or use lights of \
             your own in [board.leds]",
        );
    }
    if board.is_on_pins() {
        return wrong(
            "port = \"gpio\" is for switches of your own; leave maker out, or name a port",
        );
    }
    if board.drive_clock && board.clock == Source::Board {
        return wrong(
            "drive_clock is for a clock behind a DGT board; set clock to \"gpio\", \"gpio-lever\" \
             or \"bridge\"",
        );
    }
    Ok(())
}

/// A board on Bluetooth LE is named, and of a maker who has such.
fn radio(board: &BoardConfig) -> Result<(), String> {
    if RadioPeer::parse(&board.clock_port).is_some() {
        return wrong("clock_port is a serial line; no clock is on Bluetooth LE");
    }
    if board.maker == Maker::Pegasus && board.port == "auto" {
        // Whoever is found at a port would be told the key.
        return wrong(
            "a Pegasus is not found by itself; name it, as in port = \"bluetooth:DGT_PEGASUS\", or \
             by its address",
        );
    }
    let Some(peer) = RadioPeer::parse(&board.port) else { return Ok(()) };
    peer.map_err(|why| format!("port = {:?}: {why}", board.port))?;
    if board.maker.gatt().is_some() {
        return Ok(());
    }
    wrong(
        "port = \"bluetooth:...\" is for boards of maker = \"pegasus\", \"chessnut\", \
         \"millennium\" and \"certabo\"; other boards of DGT on Bluetooth are bound to \
         /dev/rfcomm0 first",
    )
}

/// What shares a line is of DGT, at a port that is named, with an address that can be.
fn bus(board: &BoardConfig) -> Result<(), String> {
    if !board.is_on_bus() {
        return Ok(());
    }
    if board.bus_address > ADDRESS_MAX {
        return wrong(
            "it is at most 16383; `rokade doctor` shows the address that a board answers to",
        );
    }
    if board.is_on_pins() || board.maker != Maker::Dgt {
        return wrong("only boards of DGT share a line; leave it out");
    }
    if board.port == "auto" {
        // A search asks what turns each board on a shared line to single mode (protocol 4.1).
        return wrong("name the port of the line; it is not found by itself");
    }
    if board.drive_clock && board.clock == Source::Board {
        return wrong(
            "a clock behind such a board can only be read; leave drive_clock out, or set clock to \
             \"gpio\", \"gpio-lever\" or \"bridge\"",
        );
    }
    Ok(())
}

/// Whether these share a line as they may: if one does, what is wrong with it.
fn shares(board: &BoardConfig, other: &BoardConfig) -> Option<Result<(), String>> {
    if !(board.is_on_bus() && other.is_on_bus()) {
        return None;
    }
    let ([name, of], address) = ([&other.name, &board.name], board.bus_address);
    Some(if board.port != other.port {
        Err(format!("boards {name:?} and {of:?} share a line; name its port by one name in both"))
    } else if address == other.bus_address {
        Err(format!(
            "boards {name:?} and {of:?} both have bus_address = {address}; each board on a line \
             has its own"
        ))
    } else {
        Ok(())
    })
}

/// Boards on the pins have a bus each, or chips of their own on an I2C bus.
fn buses(on_pins: &[&BoardConfig]) -> Result<(), BoardFault> {
    let wrong = |board: &BoardConfig, why: String| Err(BoardFault::of(board, why));
    for (idx, board) in on_pins.iter().enumerate() {
        let is_shared = |it: &&&BoardConfig| is_same(it.matrix.bus(), board.matrix.bus());
        for other in on_pins[..idx].iter().filter(is_shared) {
            let [name, of] = [&other.name, &board.name];
            if !(board.matrix.chips.is_on_i2c() && other.matrix.chips.is_on_i2c()) {
                let bus = board.matrix.bus();
                let why = format!(
                    "boards {name:?} and {of:?} have the same bus {bus:?}; only I2C is shared"
                );
                return wrong(board, why);
            }
            let taken = other.matrix.addresses();
            let twice = board.matrix.addresses().into_iter().find(|it| taken.contains(it));
            if let Some(address) = twice {
                let bus = board.matrix.bus();
                let why = format!(
                    "boards {name:?} and {of:?} both have a chip at {address:#04x} of {bus:?}; \
                     each has its own address"
                );
                return wrong(board, why);
            }
        }
    }
    Ok(())
}

/// An SPI bus or a place on an I2C bus that something has, and what that is, for what is said.
struct BusUse<'a> {
    board: &'a BoardConfig,
    bus: &'a str,
    /// The address on I2C.
    address: Option<u8>,
    what: String,
    /// Whoever is on the same SPI bus is spoken to by all that is sent over it.
    is_chain: bool,
}

/// Lights have a bus, or an address, of their own: a chain takes whatever is sent over its bus for
/// colors, whichever chip select is meant.
fn lights_buses(boards: &[&BoardConfig]) -> Result<(), BoardFault> {
    let uses: Vec<BusUse<'_>> = boards.iter().flat_map(|board| buses_used(board)).collect();
    for (idx, use_) in uses.iter().enumerate() {
        let is_same_bus = |other: &&BusUse<'_>| {
            let numbers = [use_.bus, other.bus].map(pins::spi_numbers);
            let is_same_spi =
                matches!(numbers, [Some((one, _)), Some((another, _))] if one == another);
            is_same(use_.bus, other.bus) || is_same_spi
        };
        for other in uses[..idx].iter().filter(is_same_bus) {
            let (bus, what, of) = (use_.bus, &use_.what, &other.what);
            let wrong = |why: String| Err(BoardFault::of(use_.board, why));
            if use_.is_chain || other.is_chain {
                return wrong(format!(
                    "{of} and {what} are on one bus, {bus:?}; a chain of lights takes everything \
                     sent over its bus for colors: put one of them on another, such as \
                     \"/dev/spidev1.0\""
                ));
            }
            if use_.address.is_some() && use_.address == other.address {
                let address = use_.address.unwrap_or_default();
                return wrong(format!(
                    "{of} and {what} both have the address {address:#04x} on {bus:?}; bridge \
                     another pad of one of them, and set its address"
                ));
            }
        }
    }
    Ok(())
}

/// The buses on which parts of a board are.
fn buses_used(board: &BoardConfig) -> Vec<BusUse<'_>> {
    let mut uses = Vec::new();
    let mut has = |bus, address, is_chain, what: &str| {
        let what = what.replace("{}", &format!("{:?}", board.name));
        uses.push(BusUse { board, bus, address, what, is_chain });
    };
    let matrix = &board.matrix;
    if board.is_on_pins() && !matrix.chips.is_on_i2c() {
        has(matrix.bus(), None, false, "the switches of board {}");
    }
    for address in pins::CLOCK_DISPLAYS.into_iter().filter(|_| board.clock.is_on_pins()) {
        has("/dev/i2c-1", Some(address), false, "a display of the clock of board {}");
    }
    for (section, leds) in board.lights_set() {
        let is_chain = leds.chips == LedChips::Ws2812;
        let address = (!is_chain).then_some(leds.address);
        has(leds.bus(), address, is_chain, &format!("the lights of board {{}} in {section}"));
    }
    let of_switches = board.is_on_pins() && matrix.chips.is_on_i2c();
    for address in matrix.addresses().into_iter().filter(|_| of_switches) {
        has(matrix.bus(), Some(address), false, "an expander of board {}");
    }
    if board.display.is_set() {
        let (bus, address) = (board.display.bus(), Some(board.display.address));
        has(bus, address, false, "the display of board {}");
    }
    uses
}

/// Each pin has one part of one board.
fn pins(boards: &[&BoardConfig]) -> Result<(), BoardFault> {
    let on_pins: Vec<&BoardConfig> = boards.iter().copied().filter(|it| it.is_on_pins()).collect();
    buses(&on_pins)?;
    lights_buses(boards)?;
    let mut taken: Vec<(PinUse, &str)> = Vec::new();
    for board in boards {
        for part in board.pins() {
            if let Some((other, name)) = taken.iter().find(|(other, _)| other.excludes(&part)) {
                let why = format!(
                    "board {:?}: BCM {} is taken twice, by {} and by {} of board {name:?}; each \
                     needs its own",
                    board.name, part.pin, part.what, other.what
                );
                return Err(BoardFault::of(board, why));
            }
            taken.push((part, &board.name));
        }
    }
    Ok(())
}

/// Each serial line belongs to one board only, or to several with an address each; and so do pins.
fn lines(boards: &[&BoardConfig]) -> Result<(), BoardFault> {
    for (idx, board) in boards.iter().enumerate() {
        let same = boards[..idx].iter().filter(|other| is_same(&other.port, &board.port));
        let shared = same.filter_map(|other| shares(board, other)).collect::<Result<(), String>>();
        shared.map_err(|why| BoardFault::of(board, why))?;
    }
    let mut taken: Vec<(&BoardConfig, &str, &str)> = Vec::new();
    for board in boards {
        let clock = board.clock.has_port().then_some(("clock_port", &board.clock_port));
        let port = (!board.is_on_pins()).then_some(("port", &board.port));
        for (key, port) in [port, clock].into_iter().flatten() {
            let other = taken.iter().find(|(of, other_key, other)| {
                let is_shared = key == "port" && board.is_on_bus() && of.is_on_bus();
                let is_other = *other_key != key || of.name != board.name && !is_shared;
                is_other && is_same(port, other) && (port != "auto" || *other_key == key)
            });
            if let Some((other, ..)) = other {
                let [name, of] = [&other.name, &board.name];
                let why = if port == "auto" {
                    format!(
                        "boards {name:?} and {of:?} both have {key} = \"auto\", and either could \
                         take the other's; name the {key} of each"
                    )
                } else {
                    format!(
                        "boards {name:?} and {of:?} have the same line {port:?}; each device has \
                         its own"
                    )
                };
                return Err(BoardFault::of(board, why));
            }
            taken.push((board, key, port));
        }
    }
    let mut on_pins = boards.iter().filter(|it| it.clock.is_on_pins());
    match (on_pins.next(), on_pins.next()) {
        (Some(first), Some(second)) => {
            let why = format!(
                "boards {:?} and {:?} both have a clock on the pins; a Pi has one such clock",
                first.name, second.name
            );
            Err(BoardFault::of(second, why))
        }
        _ => pins(boards),
    }
}

/// Whether two settings name the same device, as far as can be told now.
fn is_same(port: &str, other: &str) -> bool {
    if let (Some(port), Some(other)) = (RadioPeer::parse(port), RadioPeer::parse(other)) {
        return port == other;
    }
    let device = |port: &str| fs::canonicalize(Path::new(port)).ok();
    port == other || device(port).is_some_and(|it| device(other) == Some(it))
}
