//! `rokade doctor`: what is wrong with boards and ports, what that means and what to do.

use super::bus::Looked;
use super::probe::{self, Probes};
use super::{Failure, ask, chain, chips, lights, machine, runtime, say, switches};
use crate::relay::sensors::FaultySensors;
use crate::shell::config::{BoardConfig, Config, ConfigError, Maker};
use crate::shell::journal::{DiskStorage, JournalReader, Limits};
use crate::shell::record;
use crate::shell::serial::{self, LineError, RadioPeer};
use clap::Args;
use rustix::fs::statvfs;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::Path;

/// Looks at the boards of the configuration. Stop the daemon first: a bus is one program's.
#[derive(Debug, Args)]
pub(super) struct Doctor {
    /// Only this board
    #[arg(long, value_name = "NAME")]
    board: Option<String>,
    /// Learn how the switches of a board are wired, by putting a piece on each square once; or
    /// which chip is below which piece, from the start position
    #[arg(long, conflicts_with = "json")]
    calibrate: bool,
    /// Print one JSON object per finding
    #[arg(long)]
    json: bool,
}

/// With less room than this on its disk, in bytes, a board may not be recorded to the end of an
/// evening.
const LEAST: u64 = Limits::USUAL.segment;

/// Whose finding it is that the settings cannot be used.
const SETTINGS: &str = "settings";
/// What it means that something is wrong with the settings of one board.
const AT_FAULT: &str = "the daemon records the other boards and not this one: correct its \
                        settings, then `sudo systemctl reload rokade`";

/// What it means that another program has a line: most of the time that is the daemon.
const BY_ITSELF: &str = "if that is the daemon, `rokade status` tells how the board is; to test it \
                         here, `sudo systemctl stop rokade` first";

/// What was seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Diagnosis {
    /// Of which board.
    board: String,
    /// Whether all is well.
    is_good: bool,
    /// What was seen.
    saw: String,
    /// What it means, and what to do; nothing if all is well.
    #[serde(skip_serializing_if = "String::is_empty")]
    means: String,
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { board, is_good, saw, means } = self;
        let word = if *is_good { "good" } else { "BAD " };
        write!(f, "{word}  {board}: {saw}")?;
        if means.is_empty() { Ok(()) } else { write!(f, "\n      {means}") }
    }
}

impl Diagnosis {
    /// A finding of whatever has this name.
    pub(super) fn of(name: &str, is_good: bool, saw: &str, means: &str) -> Self {
        Self { board: name.to_owned(), is_good, saw: saw.to_owned(), means: means.to_owned() }
    }

    /// Whether all is well.
    pub(super) const fn is_good(&self) -> bool {
        self.is_good
    }

    /// All is well with this board.
    pub(super) fn good(board: &BoardConfig, saw: impl Into<String>) -> Self {
        Self { board: board.name.clone(), is_good: true, saw: saw.into(), means: String::new() }
    }

    /// The same, with what it means all the same.
    pub(super) fn with(self, means: &str) -> Self {
        Self { means: means.to_owned(), ..self }
    }

    /// Something is not.
    pub(super) fn bad(
        board: &BoardConfig,
        saw: impl Into<String>,
        means: impl Into<String>,
    ) -> Self {
        Self { board: board.name.clone(), is_good: false, saw: saw.into(), means: means.into() }
    }

    /// The line to a board cannot be opened.
    pub(super) fn unopened(board: &BoardConfig, why: &LineError) -> Self {
        let means = match why {
            LineError::Busy { .. } => BY_ITSELF,
            _ => "",
        };
        Self::bad(board, chain(why), means)
    }
}

impl Doctor {
    pub(super) fn run(&self, config: Result<Config, ConfigError>) -> Result<(), Failure> {
        let config = &match config {
            Ok(config) => config,
            Err(why) => {
                if self.json {
                    self.print(&Diagnosis::of(SETTINGS, false, &why.to_string(), ""))?;
                }
                return Err(why.into());
            }
        };
        let is_meant = |it: &&BoardConfig| self.board.as_ref().is_none_or(|name| *name == it.name);
        let meant: Vec<&BoardConfig> = config.boards.iter().filter(is_meant).collect();
        if let (Some(name), true) = (&self.board, meant.is_empty()) {
            return Err(Failure::Usage(format!("the configuration has no board {name:?}")));
        }
        let boards: Vec<&BoardConfig> =
            meant.iter().copied().filter(|it| it.fault.is_none()).collect();
        if self.calibrate {
            return calibrate(&meant);
        }
        let mut n_bad = 0;
        let mut tell = |finding: &Diagnosis| {
            n_bad += usize::from(!finding.is_good);
            self.print(finding)
        };
        machine::look(&boards, Path::new("/")).iter().try_for_each(&mut tell)?;
        let of_lines: BTreeMap<&str, Vec<Diagnosis>> = boards
            .iter()
            .filter(|it| probe::has_own_line(it))
            .map(|it| (it.name.as_str(), of_line(it, "/")))
            .collect();
        let is_in_order = |it: &BoardConfig| of_lines[it.name.as_str()].iter().all(|it| it.is_good);
        let mut probes = probe::all(config, &boards, is_in_order)?;
        let mut told = BTreeSet::new();
        for board in meant {
            let found = if let Some(why) = board.fault() {
                vec![Diagnosis::bad(board, why, AT_FAULT)]
            } else {
                let own = of_lines.get(board.name.as_str()).cloned().unwrap_or_default();
                self.of_board(board, config, own, &mut probes, &mut told)?
            };
            found.iter().try_for_each(&mut tell)?;
        }
        if n_bad == 0 {
            return Ok(());
        }
        let findings = if n_bad == 1 { "finding" } else { "findings" };
        Err(Failure::Device(format!("{n_bad} {findings} to be looked at")))
    }

    /// All that is to be said of a board, whose own line has said `own` of itself. The lines that
    /// boards share are `told` of once.
    fn of_board(
        &self,
        board: &BoardConfig,
        config: &Config,
        own: Vec<Diagnosis>,
        probes: &mut Probes,
        told: &mut BTreeSet<String>,
    ) -> Result<Vec<Diagnosis>, Failure> {
        let found = if board.is_on_pins() {
            switches::look(board)
        } else if board.is_on_bus() {
            let is_first = told.insert(board.port.clone());
            of_bus(board, config, &probes.lines[&board.port], is_first)
        } else if let Some(Ok(peer)) = RadioPeer::parse(&board.port) {
            vec![of_radio(board, &peer)?]
        } else if board.port == "auto" {
            search(board)?
        } else {
            let asked = probes.boards.remove(&board.name).unwrap_or_default();
            own.into_iter().chain(asked).collect()
        };
        let disk = of_disk(board, &config.folder(board), LEAST);
        let dead = of_sensors(board, &config.folder(board));
        let clock = match probes.bridges.remove(&board.name) {
            Some(bridge) => vec![bridge],
            None if board.clock.is_on_pins() => lights::of_clock(board),
            None => Vec::new(),
        };
        let found = disk.into_iter().chain(dead).chain(found).chain(switches::beside(board));
        let found = found.chain(clock);
        Ok(found.chain(lights::look(board)).collect())
    }

    fn print(&self, finding: &Diagnosis) -> Result<(), Failure> {
        let text = if self.json {
            serde_json::to_string(finding).expect("a finding is plain data")
        } else {
            finding.to_string()
        };
        say(&text)
    }
}

/// The disk of the board's record, which goes to `folder`: told if it has less room than `least`.
/// Where it cannot be asked, the daemon will say so.
fn of_disk(board: &BoardConfig, folder: &Path, least: u64) -> Option<Diagnosis> {
    let disk = folder.ancestors().find_map(|it| statvfs(it).ok())?;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    let kb = free / 1_000;
    let saw = format!("{kb} kB are free where its record goes, {}", folder.display());
    let means = "a game takes up to 600 kB, and 1 MB is kept for the one in progress; free some";
    (free < least).then(|| Diagnosis::bad(board, saw, means))
}

/// Sensors that did not tell what stood on them in the board's last games, by its record.
fn of_sensors(board: &BoardConfig, folder: &Path) -> Option<Diagnosis> {
    if !folder.is_dir() {
        return None;
    }
    let mut reader = JournalReader::new(DiskStorage::new(folder));
    let mut sensors = FaultySensors::default();
    // What is wrong with a record `rokade verify` says.
    while let Some(lines) = reader.poll().ok().filter(|lines| !lines.is_empty()) {
        lines.iter().filter_map(record::entry_of).for_each(|entry| sensors.take(&entry.fact));
    }
    let named: Vec<String> =
        sensors.named().into_iter().map(|(sq, n)| format!("{sq} ({n})")).collect();
    if named.is_empty() {
        return None;
    }
    let games = match sensors.n_games() {
        0 | 1 => "game".to_owned(),
        n => format!("{n} games"),
    };
    let saw = format!(
        "in its last {games} with moves sensors did not tell what stood on {}",
        named.join(", ")
    );
    let means = format!(
        "look at the switch, sensor or magnet of these squares; `rokade log --board {}` has when. \
         A square is named here until five games have passed without it",
        board.name
    );
    Some(Diagnosis::bad(board, saw, means))
}

/// A board that is looked for: it is asked for at each port that may be one.
fn search(board: &BoardConfig) -> Result<Vec<Diagnosis>, Failure> {
    let runtime = runtime()?;
    if board.maker == Maker::Chessnut {
        return Ok(runtime.block_on(ask::board(board, &board.port)));
    }
    let mut silent = Vec::new();
    for port in serial::board_ports() {
        let port = port.display().to_string();
        let asked = BoardConfig { port: port.clone(), ..board.clone() };
        let mut found = of_line(&asked, "/");
        if found.iter().all(|it| it.is_good) {
            found.extend(runtime.block_on(ask::board(&asked, &port)));
        }
        if found.iter().all(|it| it.is_good) {
            return Ok(found);
        }
        silent.extend(found);
    }
    if silent.is_empty() {
        let saw = "port = \"auto\", and no port of this machine looks like a board";
        let means = "plug in the board's cable; a port of the Pi's own must be named";
        silent.push(Diagnosis::bad(board, saw, means));
    }
    Ok(silent)
}

/// A serial line: what else may be on a port of the Pi's own. The system's files are below `root`.
fn of_line(board: &BoardConfig, root: &str) -> Vec<Diagnosis> {
    let root = Path::new(root);
    let finding =
        |is_good, saw: String, means: &str| Diagnosis::of(&board.name, is_good, &saw, means);
    let port = board.port.as_str();
    let path = root.join(port.trim_start_matches('/'));
    let Ok(device) = fs::canonicalize(&path) else {
        let means = "plug in the board's cable, or name the right port";
        return vec![finding(false, format!("{port} is not there"), means)];
    };
    let rights = machine::access(board, &device, root);
    let device = device.file_name().map_or_else(String::new, |it| it.to_string_lossy().into());
    let mut found: Vec<Diagnosis> =
        rights.into_iter().chain(machine::latency(board, &device, root)).collect();
    let console = fs::read_to_string(root.join("proc/cmdline")).unwrap_or_default();
    let is_console = |word: &str| {
        let of = word.strip_prefix("console=").and_then(|it| it.split(',').next());
        of.is_some_and(|name| name == device || name == "serial0" && port.ends_with("/serial0"))
    };
    if console.split_whitespace().any(is_console) {
        found.push(finding(
            false,
            format!("the system's console is on {port}"),
            "its text reaches the board as commands: `sudo raspi-config nonint do_serial_cons 1`, \
             and reboot",
        ));
    }
    if device == "ttyS0" && fs::exists(root.join("dev/serial1")).unwrap_or(false) {
        found.push(finding(
            false,
            format!("{port} is the mini-UART, because Bluetooth uses the full one"),
            "its speed follows the processor's: dtoverlay=disable-bt in config.txt, `sudo \
             systemctl disable hciuart`, and reboot",
        ));
    }
    if device == "ttyAMA10" {
        found.push(finding(
            false,
            format!("{port} is the debug socket of a Pi 5"),
            "dtparam=uart0=on in config.txt; then /dev/ttyAMA0 is on BCM 14 and 15",
        ));
    }
    if found.is_empty() {
        found.push(finding(true, format!("{port} is {device}"), ""));
    }
    found
}

/// A board on Bluetooth LE: whether there is a radio, and the board in its reach.
fn of_radio(board: &BoardConfig, peer: &RadioPeer) -> Result<Diagnosis, Failure> {
    let looked = runtime()?.block_on(serial::look(peer));
    let (is_good, saw) = match looked {
        Ok(saw) => (true, saw),
        Err(why) => (false, format!("{peer}: {why}")),
    };
    Ok(Diagnosis::of(&board.name, is_good, &saw, ""))
}

/// A board on a line that others share, which was looked at once for all of them: what is of the
/// line is told with the first.
fn of_bus(
    board: &BoardConfig,
    config: &Config,
    looked: &Result<Looked, LineError>,
    is_first: bool,
) -> Vec<Diagnosis> {
    let finding =
        |is_good, saw: String, means: &str| Diagnosis::of(&board.name, is_good, &saw, means);
    let addresses = probe::addresses(config, &board.port);
    let looked = match looked {
        Ok(looked) => looked,
        Err(why) if is_first => return vec![Diagnosis::unopened(board, why)],
        Err(_) => return Vec::new(),
    };
    let own = addresses.iter().zip(&looked.boards).find(|(it, _)| **it == board.bus_address);
    let mut found = Vec::new();
    if let Some((address, answer)) = own {
        found.push(match answer {
            Ok(()) => finding(true, format!("answers to bus_address {address}"), ""),
            Err(fault) => finding(false, fault.to_string(), ""),
        });
    }
    for address in looked.strangers.iter().filter(|_| is_first) {
        found.push(finding(
            false,
            format!("a board with the address {address} answers on its line"),
            "no [[board]] has that bus_address, and it is not recorded: add one, or unplug it",
        ));
    }
    found
}

/// Learns the wiring of the one board of switches that is meant, or the chips of its set.
fn calibrate(boards: &[&BoardConfig]) -> Result<(), Failure> {
    if let [BoardConfig { fault: Some(why), .. }] = boards {
        return Err(Failure::Usage(why.clone()));
    }
    let may_be = |it: &&&BoardConfig| it.is_on_pins() || it.maker == Maker::Certabo;
    let found: Vec<&&BoardConfig> = boards.iter().filter(may_be).collect();
    let [board] = found[..] else {
        let why = match found.len() {
            0 => "the configuration has no board with port = \"gpio\" or maker = \"certabo\"",
            _ => "several boards can be calibrated; name one with --board",
        };
        return Err(Failure::Usage(why.to_owned()));
    };
    if board.maker == Maker::Certabo {
        return chips::calibrate(board);
    }
    switches::calibrate(board)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// What is told of a port in a system with these files.
    fn told(port: &str, files: &[&str], links: &[(&str, &str)], cmdline: &str) -> String {
        let root = tempfile::tempdir().expect("a folder");
        let at = |name: &str| root.path().join(name);
        for folder in ["dev", "proc"] {
            fs::create_dir(at(folder)).expect("a folder in it");
        }
        fs::write(at("proc/cmdline"), cmdline).expect("a file");
        for file in files {
            fs::write(at(&format!("dev/{file}")), "").expect("a file");
        }
        for (link, to) in links {
            symlink(to, at(&format!("dev/{link}"))).expect("a link");
        }
        let board = BoardConfig { port: port.to_owned(), ..BoardConfig::default() };
        let found = of_line(&board, root.path().to_str().expect("a name"));
        found.iter().map(|it| format!("{} {}; ", it.is_good, it.saw)).collect()
    }

    #[test]
    fn a_disk_with_hardly_any_room_is_told_before_its_folder_is_made() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = root.path().join("state/table-1");
        let told = |least| of_disk(&BoardConfig::default(), &folder, least);
        assert_eq!(told(0), None);
        let found = told(u64::MAX).expect("a finding");
        assert!(!found.is_good && found.saw.contains("kB are free"), "{found:?}");
    }

    #[test]
    fn what_else_is_on_a_port_of_the_pi_is_said() {
        let links = [("serial0", "ttyS0"), ("serial1", "ttyAMA0")];
        let both = ["ttyS0", "ttyAMA0"];
        let said = told("/dev/serial0", &both, &links, "quiet console=ttyS0,115200 console=tty1");
        assert!(said.contains("false the system's console is on /dev/serial0"), "{said}");
        assert!(said.contains("false /dev/serial0 is the mini-UART"), "{said}");
        let said = told("/dev/serial0", &["ttyAMA10"], &[("serial0", "ttyAMA10")], "console=tty1");
        assert_eq!(said, "false /dev/serial0 is the debug socket of a Pi 5; ");
        let said = told("/dev/ttyUSB0", &["ttyUSB0"], &[], "console=ttyAMA0,115200");
        assert_eq!(said, "true /dev/ttyUSB0 is ttyUSB0; ");
        let said = told("/dev/ttyUSB1", &["ttyUSB0"], &[], "");
        assert_eq!(said, "false /dev/ttyUSB1 is not there; ");
    }
}
