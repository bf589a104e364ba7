//! `rokade doctor` for the machine itself, as far as the files of a Raspberry Pi's system tell.

use super::boot::{BootSettings, TakenPin};
use super::doctor::Diagnosis;
use super::lights;
use crate::shell::config::BoardConfig;
use crate::shell::host;
use rustix::fs::Access;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Whose findings these are.
const MACHINE: &str = "this machine";
/// In `get_throttled`: the supply was too weak since the start of the machine.
const WAS_UNDERVOLTED: u32 = 1 << 16;

/// Where the unit is: whose it is, and who has put another one in its place.
const UNITS: [&str; 3] = ["etc", "usr/lib", "lib"];
/// As this version has it.
const UNIT: &str = include_str!("../../../systemd/rokade.service");

/// What is to be said of a machine, most of it of a Pi, whose system has its files below `root`, on
/// which these boards are.
pub(super) fn look(boards: &[&BoardConfig], root: &Path) -> Vec<Diagnosis> {
    let mut found: Vec<Diagnosis> = unit(root).into_iter().collect();
    let model = fs::read_to_string(root.join("proc/device-tree/model")).unwrap_or_default();
    if !model.contains("Raspberry Pi") {
        return found;
    }
    found.extend(power(root).into_iter().chain(memory(root)));
    let files = ["boot/firmware/config.txt", "boot/config.txt"];
    let text = files.iter().find_map(|name| fs::read_to_string(root.join(name)).ok());
    let text = text.unwrap_or_default();
    let settings = BootSettings::read(&text, &model);
    found.extend(overlays(boards, &settings.taken()));
    found.extend(boards.iter().filter_map(|board| fast_bus(board, &settings)));
    let pulses = |board: &&BoardConfig| lights::pulses(board, &model, &settings, root);
    found.extend(boards.iter().flat_map(pulses));
    found
}

/// A unit that is not the one of this version: another version's, damaged, or changed by hand.
fn unit(root: &Path) -> Option<Diagnosis> {
    let paths = UNITS.map(|folder| format!("{folder}/systemd/system/rokade.service"));
    let read = |path: String| Some((fs::read_to_string(root.join(&path)).ok()?, path));
    let (text, path) = paths.into_iter().find_map(read)?;
    if text == UNIT {
        return None;
    }
    let saw = format!("the service is started by /{path}, which is not from this version");
    let means = "its rights and its watchdog are unknown: move that file away, install the package \
                 again with `sudo apt install --reinstall`, and make your own changes with `sudo \
                 systemctl edit rokade`";
    Some(Diagnosis::of(MACHINE, false, &saw, means))
}

/// A supply that is too weak, or was.
fn power(root: &Path) -> Option<Diagnosis> {
    let told = fs::read_to_string(root.join("sys/devices/platform/soc/soc:firmware/get_throttled"));
    let flags = told.ok().and_then(|it| u32::from_str_radix(it.trim(), 16).ok()).unwrap_or(0);
    let saw = if host::look(root).is_undervolted == Some(true) {
        "the power supply is too weak"
    } else if flags & WAS_UNDERVOLTED != 0 {
        "the power supply was too weak since the machine was started"
    } else {
        return None;
    };
    let means = "boards may drop out, and the card may be damaged: use the supply made for this \
                 Pi, and a short cable";
    Some(Diagnosis::of(MACHINE, false, saw, means))
}

/// A kernel that does not hold the service to its memory.
fn memory(root: &Path) -> Option<Diagnosis> {
    let controllers = fs::read_to_string(root.join("sys/fs/cgroup/cgroup.controllers")).ok()?;
    if controllers.split_whitespace().any(|word| word == "memory") {
        return None;
    }
    let saw = "the memory of services is not limited, and MemoryMax= in the unit does nothing";
    let means = "that is harmless; to change it, put cgroup_enable=memory at the end of the line \
                 in /boot/firmware/cmdline.txt, and reboot";
    Some(Diagnosis::of(MACHINE, true, saw, means))
}

/// Pins that the boards' parts have, and the system as well.
fn overlays(boards: &[&BoardConfig], taken: &[TakenPin]) -> Vec<Diagnosis> {
    let mut found = Vec::new();
    for board in boards {
        for part in board.pins() {
            // A bus is what its overlay is there for.
            let is_other = |of: &&TakenPin| {
                of.pin == part.pin
                    && !(of.is_spi && part.what.starts_with("bus "))
                    && !(of.is_first_i2c && part.is_shared())
            };
            if let Some(TakenPin { pin, line, .. }) = taken.iter().find(is_other) {
                let saw = format!("BCM {pin} is taken twice, by {} and by {line}", part.what);
                let means = "remove that line from config.txt and reboot, or give the board \
                             another pin";
                found.push(Diagnosis::bad(board, saw, means));
            }
        }
    }
    found
}

/// A display on the header's bus, which goes faster than its chip is made for.
fn fast_bus(board: &BoardConfig, settings: &BootSettings<'_>) -> Option<Diagnosis> {
    if !board.display.is_set() || board.display.bus() != "/dev/i2c-1" {
        return None;
    }
    let speed = settings.parameter(&["i2c_arm_baudrate", "i2c_baudrate", "i2c1_baudrate"])?;
    let speed: u32 = speed.parse().ok()?;
    let saw = format!(
        "/dev/i2c-1 runs at {} kHz, and the display's PCF8574 is made for 100",
        speed / 1_000
    );
    let means = "remove i2c_arm_baudrate from config.txt and reboot, or give the display a bus of \
                 its own (hardware/display.md)";
    (speed > 100_000).then(|| Diagnosis::bad(board, saw, means))
}

/// What keeps this user from a device, if something does.
pub(super) fn access(board: &BoardConfig, path: &Path, root: &Path) -> Option<Diagnosis> {
    let tried = rustix::fs::access(path, Access::READ_OK | Access::WRITE_OK);
    (tried == Err(rustix::io::Errno::ACCESS)).then(|| refused(board, path, root))
}

fn refused(board: &BoardConfig, path: &Path, root: &Path) -> Diagnosis {
    let saw = format!("this user may not open {}", path.display());
    let gid = fs::metadata(path).map_or(0, |it| it.gid());
    let groups = fs::read_to_string(root.join("etc/group")).unwrap_or_default();
    let name = groups.lines().find_map(|line| {
        let mut words = line.split(':');
        let (name, of) = (words.next()?, words.nth(1)?);
        (of.parse() == Ok(gid)).then_some(name)
    });
    let means = match name {
        Some(name) if gid != 0 => format!(
            "it belongs to the group {name}: `sudo usermod -aG {name} $USER`, then log in again"
        ),
        _ => "no group may open it: install udev/70-rokade.rules, and plug it in again".to_owned(),
    };
    Diagnosis::bad(board, saw, means)
}

/// A chip of FTDI that collects bytes before it sends them on; `device` is its name, such as
/// `ttyUSB0`.
pub(super) fn latency(board: &BoardConfig, device: &str, root: &Path) -> Option<Diagnosis> {
    let file = format!("sys/bus/usb-serial/devices/{device}/latency_timer");
    let ms: u32 = fs::read_to_string(root.join(&file)).ok()?.trim().parse().ok()?;
    (ms > 1).then(|| {
        Diagnosis::bad(
            board,
            format!("the cable of {device} collects bytes for {ms} ms before it sends them on"),
            format!(
                "install udev/70-rokade.rules and plug it in again, or for now: `echo 1 | sudo tee \
                 /{file}`"
            ),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::clock::kind::Source;
    use crate::shell::config::{
        DisplayChips, DisplaySettings, LedChips, LedSettings, Matrix, SwitchReader,
    };

    /// What is said of a Pi with these files, on which this board is.
    fn told(files: &[(&str, &str)], board: &BoardConfig) -> Vec<String> {
        let root = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
            fs::write(path, text).expect("a file");
        }
        look(&[board], root.path()).iter().map(ToString::to_string).collect()
    }

    const MODEL: (&str, &str) = ("proc/device-tree/model", "Raspberry Pi 4 Model B Rev 1.4\0");
    const CONFIG: &str = "boot/firmware/config.txt";

    fn switches(chips: SwitchReader) -> BoardConfig {
        let matrix = Matrix { chips, ..Matrix::default() };
        BoardConfig { port: "gpio".to_owned(), matrix, ..BoardConfig::default() }
    }

    #[test]
    fn a_machine_that_is_no_pi_is_left_alone() {
        let other = [("sys/fs/cgroup/cgroup.controllers", "cpu io"), (CONFIG, "dtparam=spi=on")];
        assert_eq!(told(&other, &switches(SwitchReader::Rows)), Vec::<String>::new());
    }

    #[test]
    fn a_unit_of_another_version_is_told() {
        let whole = UNIT.to_owned();
        let part = whole.replace("WatchdogSec=", "# WatchdogSec=");
        let [of_machine, _, of_package] =
            UNITS.map(|folder| format!("{folder}/systemd/system/rokade.service"));
        let of = |files: &[(&str, &str)]| told(files, &BoardConfig::default());
        assert_eq!(of(&[(&of_package, &whole)]), Vec::<String>::new());
        assert!(of(&[(&of_package, &part)])[0].contains("not from this version"));
        let said = of(&[(&of_package, &whole), (&of_machine, &part)]);
        assert!(said[0].contains("/etc/systemd/system/rokade.service"), "{said:?}");
    }

    #[test]
    fn a_weak_supply_and_missing_limits_are_told() {
        let throttled = "sys/devices/platform/soc/soc:firmware/get_throttled";
        let files =
            [MODEL, (throttled, "50000\n"), ("sys/fs/cgroup/cgroup.controllers", "cpu pids")];
        let said = told(&files, &BoardConfig::default());
        assert!(
            said[0].starts_with("BAD   this machine: the power supply was too weak"),
            "{said:?}"
        );
        assert!(said[1].starts_with("good  this machine: the memory of services"), "{said:?}");
        let files = [MODEL, (throttled, "0\n"), ("sys/fs/cgroup/cgroup.controllers", "cpu memory")];
        assert_eq!(told(&files, &BoardConfig::default()), Vec::<String>::new());
    }

    #[test]
    fn pins_that_overlays_take_are_told() {
        let rows = switches(SwitchReader::Rows);
        let said = told(&[MODEL, (CONFIG, "dtparam=spi=on\n")], &rows);
        assert_eq!(said.len(), 5, "{said:?}");
        assert!(
            said[0].contains("BCM 10 is taken twice, by rows and by dtparam=spi=on"),
            "{said:?}"
        );
        let said = told(&[MODEL, (CONFIG, "dtoverlay=w1-gpio\n#dtparam=spi=on\n")], &rows);
        assert!(said[0].contains("BCM 4 is taken twice, by rows and by dtoverlay=w1-gpio"));
        let moved = "dtoverlay=w1-gpio,gpiopin=21\n[pi5]\ndtoverlay=pwm\n[all]\ndtparam=audio=on";
        assert_eq!(told(&[MODEL, (CONFIG, moved)], &rows), Vec::<String>::new());
        // The bus of a board is there for it; a chip select beside it is not.
        let reed = switches(SwitchReader::ShiftRegisters);
        assert_eq!(told(&[MODEL, (CONFIG, "dtparam=spi=on\n")], &reed), Vec::<String>::new());
        let mut beside = reed;
        beside.matrix.load = 7;
        assert_eq!(told(&[MODEL, (CONFIG, "dtparam=spi=on\n")], &beside).len(), 1);
        let expanders = switches(SwitchReader::Pca9555);
        let on = "dtparam=i2c_arm=on,i2c_arm_baudrate=400000\n";
        assert_eq!(told(&[MODEL, (CONFIG, on)], &expanders), Vec::<String>::new());
        // What stands in the section of this Pi holds, and what stands with other words.
        let section = "[pi4]\ndtoverlay=w1-gpio\n[pi5]\ndtparam=spi=on\n";
        assert_eq!(told(&[MODEL, (CONFIG, section)], &rows).len(), 1);
        let joined = "dtparam=i2c_arm=on,spi=on\n";
        assert_eq!(told(&[MODEL, (CONFIG, joined)], &rows).len(), 5);
        let clock = BoardConfig { clock: Source::Gpio, ..BoardConfig::default() };
        let said = told(&[MODEL, (CONFIG, "dtoverlay=i2c3\n")], &clock);
        assert!(said[0].contains("BCM 5 is taken twice, by clock, left button"), "{said:?}");
        let off = "dtoverlay=gpio-shutdown\n";
        assert_eq!(told(&[MODEL, (CONFIG, off)], &expanders).len(), 1);
    }

    #[test]
    fn what_a_pi_does_to_the_pulses_of_lights_is_told() {
        let chain = LedSettings { chips: LedChips::Ws2812, ..LedSettings::default() };
        let board = BoardConfig { wall: chain, ..BoardConfig::default() };
        let on = "dtparam=spi=on\n";
        let said = told(&[MODEL, (CONFIG, on)], &board);
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].contains("core_freq=500 and core_freq_min=500 at the end"), "{said:?}");
        let fixed = "dtparam=spi=on\ncore_freq=500\ncore_freq_min=500\n";
        assert_eq!(told(&[MODEL, (CONFIG, fixed)], &board), Vec::<String>::new());
        let bufsiz = ("sys/module/spidev/parameters/bufsiz", "512\n");
        let said = told(&[MODEL, (CONFIG, fixed), bufsiz], &board);
        assert!(said[0].contains("takes 512 bytes at once, but a picture has 1008"), "{said:?}");
        assert!(said[0].contains("spidev.bufsiz=4096"), "{said:?}");
        let section = "[pi4]\ncore_freq=500\ncore_freq_min=500\n[pi5]\ncore_freq=1\n[all]\n";
        assert_eq!(told(&[MODEL, (CONFIG, section)], &board), Vec::<String>::new());
        let third = ("proc/device-tree/model", "Raspberry Pi 3 Model B Plus Rev 1.3\0");
        let said = told(&[third, (CONFIG, "core_freq=400\n")], &board);
        assert!(said[0].contains("core_freq=250 at the end"), "{said:?}");
        let fifth = ("proc/device-tree/model", "Raspberry Pi 5 Model B Rev 1.0\0");
        let said = told(&[fifth, (CONFIG, on)], &board);
        assert!(said.len() == 1 && said[0].starts_with("good"), "{said:?}");
        assert!(said[0].contains("never tried on one"), "{said:?}");
        // What has no chain is told nothing of it.
        assert_eq!(told(&[MODEL, (CONFIG, on)], &BoardConfig::default()), Vec::<String>::new());
        // Its bus is there for it, and no other part's.
        let moved = "dtoverlay=spi1-1cs\ncore_freq=500\ncore_freq_min=500\n";
        let mut beside = board.clone();
        beside.wall.bus = "/dev/spidev1.0".to_owned();
        assert_eq!(told(&[MODEL, (CONFIG, moved)], &beside), Vec::<String>::new());
    }

    #[test]
    fn a_bus_that_is_too_fast_for_a_display_is_told() {
        let shown = DisplaySettings { chips: DisplayChips::Hd44780, ..DisplaySettings::default() };
        let board = BoardConfig { display: shown, ..BoardConfig::default() };
        let fast = "dtparam=i2c_arm=on,i2c_arm_baudrate=400000\n";
        let said = told(&[MODEL, (CONFIG, fast)], &board);
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].contains("/dev/i2c-1 runs at 400 kHz, and the display's"), "{said:?}");
        let usual = "dtparam=i2c_arm=on,i2c_arm_baudrate=100000\n";
        assert_eq!(told(&[MODEL, (CONFIG, usual)], &board), Vec::<String>::new());
        assert_eq!(told(&[MODEL, (CONFIG, fast)], &BoardConfig::default()), Vec::<String>::new());
    }

    #[test]
    fn rights_and_latency_are_told_with_the_remedy() {
        let root = tempfile::tempdir().expect("a folder");
        let device = root.path().join("device");
        fs::write(&device, "").expect("a file");
        let gid = fs::metadata(&device).expect("a file").gid();
        fs::create_dir(root.path().join("etc")).expect("a folder");
        let group = format!("root:x:0:\ndialout:x:{}:\n", if gid == 0 { 1 } else { gid });
        fs::write(root.path().join("etc/group"), group).expect("a file");
        let board = BoardConfig::default();
        let said = refused(&board, &device, root.path()).to_string();
        let remedy = if gid == 0 { "udev/70-rokade.rules" } else { "usermod -aG dialout" };
        assert!(said.contains("this user may not open") && said.contains(remedy), "{said}");
        assert_eq!(access(&board, &device, root.path()), None);
        let timer = root.path().join("sys/bus/usb-serial/devices/ttyUSB0");
        fs::create_dir_all(&timer).expect("folders");
        fs::write(timer.join("latency_timer"), "16\n").expect("a file");
        let said = latency(&board, "ttyUSB0", root.path()).expect("a finding").to_string();
        assert!(said.contains("collects bytes for 16 ms"), "{said}");
        fs::write(timer.join("latency_timer"), "1\n").expect("a file");
        assert_eq!(latency(&board, "ttyUSB0", root.path()), None);
    }
}
