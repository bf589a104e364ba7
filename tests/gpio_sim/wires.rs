//! The wires between the pins of a kernel that simulates them (`gpio-sim`) and a simulated board of
//! rows and columns: what a driver does to the rows is seen at the columns. For a guest, where
//! `tests/gpio_sim.sh` starts it: `gpio_wires CHIP SOCKET ROWS COLUMNS`, the chip as its folder in
//! `/sys`, the pins as numbers with commas between.

#![allow(clippy::disallowed_methods, reason = "wires know no time but the guest's")]

use std::env;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;
use std::time::Duration;

/// Between two looks at the board: a contact bounces for milliseconds.
const LOOK_EVERY: Duration = Duration::from_millis(3);
/// Between two looks at the pins: rows are low for ten times as long.
const FOLLOW_EVERY: Duration = Duration::from_micros(200);

fn main() -> io::Result<()> {
    let mut args = env::args().skip(1);
    let mut next = || args.next().ok_or(io::ErrorKind::InvalidInput);
    let (chip, socket) = (PathBuf::from(next()?), next()?);
    let (rows, columns) = (pins(&next()?)?, pins(&next()?)?);
    let closed: Arc<[AtomicU8; 8]> = Arc::default();
    let board = BoardLine { stream: BufReader::new(UnixStream::connect(socket)?), rows, columns };
    let shared = Arc::clone(&closed);
    thread::spawn(move || {
        let ended = board.follow(&shared);
        eprintln!("the simulated board is gone: {ended:?}");
        std::process::exit(1);
    });
    join(&chip, rows, columns, &closed)
}

fn pins(text: &str) -> io::Result<[u8; 8]> {
    let pins: Result<Vec<u8>, _> = text.split(',').map(str::parse).collect();
    let pins = pins.map_err(|_| io::ErrorKind::InvalidInput)?;
    Ok(pins.try_into().map_err(|_| io::ErrorKind::InvalidInput)?)
}

/// The way to the simulated board.
struct BoardLine {
    stream: BufReader<UnixStream>,
    rows: [u8; 8],
    columns: [u8; 8],
}

impl BoardLine {
    /// Keeps in `closed` which switches of each row are closed.
    fn follow(mut self, closed: &[AtomicU8; 8]) -> io::Result<()> {
        let names: Vec<String> = self.columns.iter().map(u8::to_string).collect();
        let mut answer = String::new();
        loop {
            for (row, pin) in self.rows.iter().enumerate() {
                let asked = format!("low {pin}\nread {}\nhigh {pin}\n", names.join(" "));
                self.stream.get_ref().write_all(asked.as_bytes())?;
                answer.clear();
                if self.stream.read_line(&mut answer)? == 0 {
                    return Ok(());
                }
                let levels = answer.trim_end().bytes().enumerate();
                let low = levels.map(|(bit, level)| u8::from(level == b'0') << bit).sum();
                closed[row].store(low, Ordering::Relaxed);
            }
            thread::sleep(LOOK_EVERY);
        }
    }
}

/// A pin of the simulated chip, from below.
struct SimulatedPin {
    value: File,
    pull: File,
}

impl SimulatedPin {
    fn open(chip: &Path, pin: u8) -> io::Result<Self> {
        let folder = chip.join(format!("sim_gpio{pin}"));
        let pull = OpenOptions::new().write(true).open(folder.join("pull"))?;
        Ok(Self { value: File::open(folder.join("value"))?, pull })
    }

    fn pull(&self, is_up: bool) -> io::Result<()> {
        let word: &[u8] = if is_up { b"pull-up" } else { b"pull-down" };
        self.pull.write_all_at(word, 0)
    }

    fn is_high(&self) -> io::Result<bool> {
        let mut level = [0];
        self.value.read_exact_at(&mut level, 0)?;
        Ok(level == *b"1")
    }

    /// Whether it is driven low. One that was let go keeps its level until it is pulled.
    fn is_driven_low(&self) -> io::Result<bool> {
        if self.is_high()? {
            return Ok(false);
        }
        self.pull(true)?;
        Ok(!self.is_high()?)
    }
}

/// Pulls the columns as the rows are driven and the switches between them are closed. There is a
/// diode at each switch, so no row pulls another.
fn join(chip: &Path, rows: [u8; 8], columns: [u8; 8], closed: &[AtomicU8; 8]) -> io::Result<()> {
    let open = |pin: &u8| SimulatedPin::open(chip, *pin);
    let rows: Vec<SimulatedPin> = rows.iter().map(open).collect::<Result<_, _>>()?;
    let columns: Vec<SimulatedPin> = columns.iter().map(open).collect::<Result<_, _>>()?;
    let mut pulled = 0u8;
    for pin in rows.iter().chain(&columns) {
        pin.pull(true)?;
    }
    loop {
        let mut low = 0;
        for (row, closed) in rows.iter().zip(closed) {
            if row.is_driven_low()? {
                low |= closed.load(Ordering::Relaxed);
            }
        }
        for (bit, column) in columns.iter().enumerate() {
            let is_low = low >> bit & 1 == 1;
            if is_low != (pulled >> bit & 1 == 1) {
                column.pull(!is_low)?;
            }
        }
        pulled = low;
        thread::sleep(FOLLOW_EVERY);
    }
}
