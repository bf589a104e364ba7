//! Finding a port, opening it for this process alone, and telling why that fails.

use super::error::{LineError, Operation};
use super::hid;
use super::peer::RadioPort;
use crate::shell::config::DGT_BAUD;
use rustix::fs::{Mode, OFlags};
use serialport::{ClearBuffer, ErrorKind, SerialPort, TTYPort};
use std::collections::HashSet;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// Which line to open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SerialLine {
    /// The path, or the search for one.
    pub port: Port,
    /// The folder that is searched; `/dev` except in tests.
    pub dev: PathBuf,
    /// Bits in a second; in any case bytes of eight bits without parity, and no flow control.
    pub baud: u32,
}

/// The port of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Port {
    /// The first that is there and free, in this order: `rokade/*`, `serial/by-id/*DGT*`,
    /// `ttyACM*`, `ttyUSB*`, `rfcomm*`; within each, by name. After [`super::LineStub::reopen`]
    /// comes the next one, after the last the first again.
    Auto,
    /// The first that is there and free, for a clock's bridge: `serial/by-id/*rokade*`, `ttyACM*`,
    /// `ttyUSB*`.
    AutoBridge,
    /// The first that is there and free of the boards that are HID devices of USB.
    AutoHid,
    /// A board on Bluetooth LE, which is no path.
    Radio(RadioPort),
    /// This one. Better a name that stays, such as one of `/dev/serial/by-id`.
    At(PathBuf),
}

impl SerialLine {
    /// The line that a setting names: a path, or `auto`.
    pub fn named(name: &str) -> Self {
        let port = if name == "auto" { Port::Auto } else { Port::At(PathBuf::from(name)) };
        Self { port, dev: PathBuf::from("/dev"), baud: DGT_BAUD }
    }

    /// The same line at another speed.
    #[must_use]
    pub fn at_baud(self, baud: u32) -> Self {
        Self { baud, ..self }
    }

    /// The same line to a board that is a HID device.
    #[must_use]
    pub fn on_hid(self) -> Self {
        let port = if self.port == Port::Auto { Port::AutoHid } else { self.port };
        Self { port, ..self }
    }

    /// The same line to a board on Bluetooth LE.
    #[must_use]
    pub fn on_radio(self, radio: RadioPort) -> Self {
        Self { port: Port::Radio(radio), ..self }
    }

    /// The line to a clock's bridge that a setting names: a path, or `auto`.
    pub fn bridge(name: &str) -> Self {
        let line = Self::named(name);
        let port = if line.port == Port::Auto { Port::AutoBridge } else { line.port };
        Self { port, ..line }
    }

    /// The line at `path`.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { port: Port::At(path.into()), dev: PathBuf::from("/dev"), baud: DGT_BAUD }
    }
}

/// Where the last attempt stands, so that the next goes on from there.
#[derive(Clone, Debug, Default)]
pub(super) struct Cursor {
    /// The port that was open last.
    pub(super) last: Option<PathBuf>,
    /// It did not answer: the next one is due.
    pub(super) is_passed: bool,
}

/// Opens the first port of `line` that can be opened. Blocks while the device is set up.
pub(super) fn open(line: &SerialLine, cursor: &Cursor) -> Result<(PathBuf, OpenPort), LineError> {
    let mut failed = None;
    for path in candidates(line, cursor) {
        match open_at(&path, line.baud) {
            Ok(port) => return Ok((path, port)),
            // That one is refused says more than that another is missing.
            Err(e) if e.is_refused() || failed.is_none() => failed = Some(e),
            Err(_) => {}
        }
    }
    Err(failed.unwrap_or_else(|| match line.port {
        Port::AutoHid => LineError::NoHid,
        _ => LineError::NoneFound(line.dev.clone()),
    }))
}

fn candidates(line: &SerialLine, cursor: &Cursor) -> Vec<PathBuf> {
    let mut paths = match &line.port {
        Port::At(path) => return vec![path.clone()],
        Port::Auto => search(&line.dev),
        Port::AutoBridge => search_bridge(&line.dev),
        Port::Radio(_) => Vec::new(),
        Port::AutoHid => hid::search(line.dev.parent().unwrap_or(Path::new("/")), &line.dev),
    };
    let idx = paths.iter().position(|path| Some(path) == cursor.last.as_ref());
    if let Some(idx) = idx {
        let first = (idx + usize::from(cursor.is_passed)) % paths.len();
        paths.rotate_left(first);
    }
    paths
}

/// All ports of this machine that may be a board's, in the order of [`Port::Auto`].
pub fn board_ports() -> Vec<PathBuf> {
    search(Path::new("/dev"))
}

/// The boards of this machine that are HID devices.
pub(in crate::shell) fn hid_ports() -> Vec<PathBuf> {
    hid::search(Path::new("/"), Path::new("/dev"))
}

/// All ports that may be a board's, each device once, under its steadiest name.
fn search(dev: &Path) -> Vec<PathBuf> {
    let is_dgt = |name: &str| name.to_ascii_uppercase().contains("DGT");
    let mut paths = list(&dev.join("rokade"), |_| true);
    paths.extend(list(&dev.join("serial/by-id"), is_dgt));
    for prefix in ["ttyACM", "ttyUSB", "rfcomm"] {
        paths.extend(list(dev, |name| name.starts_with(prefix)));
    }
    once(paths)
}

/// All ports that may be a bridge's, in the same way. A port that is named as a board's is none.
fn search_bridge(dev: &Path) -> Vec<PathBuf> {
    let has = |name: &str, word: &str| name.to_ascii_uppercase().contains(word);
    let mut paths = list(&dev.join("serial/by-id"), |name| has(name, "ROKADE"));
    for prefix in ["ttyACM", "ttyUSB"] {
        paths.extend(list(dev, |name| name.starts_with(prefix)));
    }
    let boards = list(&dev.join("serial/by-id"), |name| has(name, "DGT"));
    let boards: HashSet<_> = boards.iter().filter_map(|path| fs::canonicalize(path).ok()).collect();
    paths.retain(|path| fs::canonicalize(path).is_ok_and(|device| !boards.contains(&device)));
    once(paths)
}

/// Each device once, under the name that comes first.
fn once(mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut seen = HashSet::new();
    paths.retain(|path| fs::canonicalize(path).is_ok_and(|device| seen.insert(device)));
    paths
}

/// The entries of a folder whose names are wanted, `ttyUSB2` before `ttyUSB10`.
fn list(folder: &Path, is_wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    // A folder that cannot be read holds nothing for us.
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| is_wanted(name))
        .collect();
    names.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    names.into_iter().map(|name| folder.join(name)).collect()
}

/// A port that is open.
#[derive(Debug)]
pub(super) enum OpenPort {
    /// A serial one.
    Tty(TTYPort),
    /// A HID device.
    Hid(File),
}

fn open_at(path: &Path, baud: u32) -> Result<OpenPort, LineError> {
    let failed = |e| LineError::of(path.to_owned(), Operation::Opening, e);
    // Not even opened: to open a pipe, or somebody's tape drive, may do harm.
    if !fs::metadata(path).map_err(failed)?.file_type().is_char_device() {
        return Err(LineError::NotSerial(path.to_owned()));
    }
    if hid::is_hid(path) {
        return hid::open(path).map(OpenPort::Hid);
    }
    let name = path.to_string_lossy();
    let has_lines = has_control_lines(path);
    let mut builder = serialport::new(name, baud).exclusive(true);
    if has_lines {
        builder = builder.dtr_on_open(false);
    }
    let mut port = builder.open_native().map_err(|e| explain(path, &e))?;
    if has_lines {
        // Best effort: a pseudo-terminal, like some bridges, has no such line.
        port.write_request_to_send(false).ok();
    }
    // What was sent to nobody must not be taken for news.
    port.clear(ClearBuffer::All).map_err(|e| explain(path, &e))?;
    Ok(OpenPort::Tty(port))
}

/// Whether the port has the lines DTR and RTS of RS-232, which a board wants low (protocol 1.1).
/// On CDC and RFCOMM they are messages that tell the far end whether anybody listens; those
/// stay as they are.
fn has_control_lines(path: &Path) -> bool {
    let device = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let name = device.file_name().unwrap_or_default().to_string_lossy();
    !name.starts_with("ttyACM") && !name.starts_with("rfcomm")
}

/// The library keeps the system's word for a few failures only; for the rest it is asked again.
fn explain(path: &Path, e: &serialport::Error) -> LineError {
    let owned = path.to_owned();
    match e.kind() {
        ErrorKind::NoDevice => return LineError::Busy(owned),
        ErrorKind::Io(io::ErrorKind::NotFound) => return LineError::Missing(owned),
        ErrorKind::Io(io::ErrorKind::PermissionDenied) => {
            return LineError::Forbidden(owned);
        }
        _ => {}
    }
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let source = match rustix::fs::open(path, flags, Mode::empty()) {
        Err(errno) => errno.into(),
        Ok(fd) => match rustix::termios::tcgetattr(&fd) {
            Err(errno) => errno.into(),
            Ok(_) => io::Error::other(e.to_string()),
        },
    };
    LineError::of(owned, Operation::Opening, source)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// Links stand for devices; what they lead to exists.
    fn dev(names: &[(&str, &str)]) -> tempfile::TempDir {
        let dev = tempfile::tempdir().unwrap();
        for folder in ["rokade", "serial/by-id"] {
            fs::create_dir_all(dev.path().join(folder)).unwrap();
        }
        for (name, to) in names {
            let to = dev.path().join(to);
            if *name == to.file_name().unwrap().to_str().unwrap() {
                fs::write(to, "").unwrap();
            } else {
                symlink(to, dev.path().join(name)).unwrap();
            }
        }
        dev
    }

    fn names(dev: &Path, cursor: &Cursor) -> Vec<String> {
        let line = SerialLine { dev: dev.to_owned(), ..SerialLine::named("auto") };
        let relative = |path: PathBuf| path.strip_prefix(dev).unwrap().display().to_string();
        candidates(&line, cursor).into_iter().map(relative).collect()
    }

    #[test]
    fn the_search_has_an_order_and_names_each_device_once() {
        let dev = dev(&[
            ("ttyUSB10", "ttyUSB10"),
            ("ttyUSB2", "ttyUSB2"),
            ("ttyUSB3", "ttyUSB3"),
            ("ttyACM0", "ttyACM0"),
            ("ttyS0", "ttyS0"),
            ("rfcomm0", "rfcomm0"),
            ("rokade/board-1", "ttyUSB3"),
            ("rokade/gone", "ttyUSB9"),
            ("serial/by-id/usb-DGT_Projects-if00", "ttyUSB10"),
            ("serial/by-id/usb-Modem-if00", "ttyACM0"),
        ]);
        let expected = [
            "rokade/board-1",
            "serial/by-id/usb-DGT_Projects-if00",
            "ttyACM0",
            "ttyUSB2",
            "rfcomm0",
        ];
        assert_eq!(names(dev.path(), &Cursor::default()), expected);

        let last = Some(dev.path().join("ttyUSB2"));
        let stays = names(dev.path(), &Cursor { last: last.clone(), is_passed: false });
        assert_eq!((stays.len(), stays[0].as_str()), (5, "ttyUSB2"));
        let passed = names(dev.path(), &Cursor { last, is_passed: true });
        assert_eq!((passed.len(), passed[0].as_str()), (5, "rfcomm0"));
        let wraps = Cursor { last: Some(dev.path().join("rfcomm0")), is_passed: true };
        assert_eq!(names(dev.path(), &wraps)[0], "rokade/board-1");
        let gone = Cursor { last: Some(dev.path().join("ttyUSB7")), is_passed: true };
        assert_eq!(names(dev.path(), &gone), expected);
    }

    #[test]
    fn the_search_for_a_bridge_leaves_boards_alone() {
        let dev = dev(&[
            ("ttyACM0", "ttyACM0"),
            ("ttyACM1", "ttyACM1"),
            ("ttyUSB0", "ttyUSB0"),
            ("rfcomm0", "rfcomm0"),
            ("serial/by-id/usb-DGT_Projects-if00", "ttyACM0"),
            ("serial/by-id/usb-Rokade_bridge-if00", "ttyUSB0"),
        ]);
        let line = SerialLine { dev: dev.path().to_owned(), ..SerialLine::bridge("auto") };
        let found = candidates(&line, &Cursor::default());
        let expected = ["serial/by-id/usb-Rokade_bridge-if00", "ttyACM1"];
        assert_eq!(found, expected.map(|name| dev.path().join(name)));
        assert_eq!(SerialLine::bridge("auto").port, Port::AutoBridge);
        assert_eq!(SerialLine::bridge("/dev/ttyACM7"), SerialLine::at("/dev/ttyACM7"));
    }

    #[test]
    fn a_path_is_only_itself() {
        let line = SerialLine::at("/dev/ttyUSB7");
        let cursor = Cursor { last: Some("/dev/ttyUSB7".into()), is_passed: true };
        assert_eq!(candidates(&line, &cursor), [PathBuf::from("/dev/ttyUSB7")]);
        assert_eq!(SerialLine::named("/dev/ttyUSB7"), line);
        assert_eq!(SerialLine::named("auto").port, Port::Auto);
    }

    #[test]
    fn nothing_to_find_is_said_so() {
        let dev = dev(&[]);
        let line = SerialLine { dev: dev.path().to_owned(), ..SerialLine::named("auto") };
        let e = open(&line, &Cursor::default()).unwrap_err();
        assert!(matches!(e, LineError::NoneFound { .. }), "{e}");
        assert!(e.is_absent());
    }
}
