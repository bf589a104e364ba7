//! Keeps the bytes of a line in a file, so that what happened at a board can be replayed.
//!
//! A thread of its own writes: nobody who moves bytes waits for a disk. Should the disk not keep
//! up, or the file grow beyond all reason, the tape ends there and says so; one with a hole in it
//! would be replayed as something that never happened.

use crate::sim::maker;
use crate::sim::script::Header;
use crate::time::{Mono, Stamp};
use serde::Serialize;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};
use tracing::{info, warn};

/// The version of the format, as `sim::Script` reads it.
const VERSION: u32 = 1;
/// Lines that may wait for the disk: a minute of a board that never rests.
const LINES_MAX: usize = 1_024;
/// The most that a tape may hold: days of a board that never rests.
const BYTES_MAX: u64 = 256 << 20;
/// How much of a tape a power cut may cost.
const FLUSH_EVERY: Duration = Duration::from_secs(1);

/// Why there is no tape, or why it is not whole.
#[derive(Debug, thiserror::Error)]
pub enum TapeError {
    /// A tape is never overwritten.
    #[error("creating {}: the file exists already; choose another name", .0.display())]
    Exists(PathBuf),
    /// The file cannot be made.
    #[error("creating {}: {source}", path.display())]
    Create {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file cannot be written to.
    #[error("writing {}: {source}; the tape ends before this", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The disk did not keep up.
    #[error("writing {}: the disk is too slow; the tape ends before this", .0.display())]
    Slow(PathBuf),
    /// The file has reached its limit.
    #[error("writing {}: the tape is full at {BYTES_MAX} bytes; start another", .0.display())]
    Full(PathBuf),
}

/// A tape that is being written.
#[derive(Debug)]
pub struct Tape {
    path: PathBuf,
    start: Mono,
    /// The time of the last line: lines are in the order of time, whatever is handed in.
    last_ms: u64,
    lines: Option<SyncSender<String>>,
    is_slow: bool,
    writer: Option<JoinHandle<Result<(), TapeError>>>,
}

#[derive(Serialize)]
struct TapeHeader<'a> {
    tape: u32,
    board: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    maker: Option<&'static str>,
    clock: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    chess960: bool,
    #[serde(skip_serializing_if = "str::is_empty")]
    white: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    black: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    event: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_control: Option<String>,
}

impl Tape {
    /// Begins a tape in a new file; its time counts from `at`.
    ///
    /// # Errors
    /// The file exists, or cannot be made.
    pub fn create(path: &Path, header: &Header, at: Stamp) -> Result<Self, TapeError> {
        let owned = || path.to_owned();
        let create = |source| TapeError::Create { path: owned(), source };
        let opened = OpenOptions::new().write(true).create_new(true).open(path);
        let file = opened.map_err(|e| match e.kind() {
            io::ErrorKind::AlreadyExists => TapeError::Exists(owned()),
            _ => create(e),
        })?;
        let (lines_tx, lines_rx) = sync_channel(LINES_MAX);
        let mut first =
            serde_json::to_string(&header_line(header)).expect("a header of plain text");
        first.push('\n');
        lines_tx.try_send(first).expect("an empty queue");
        let disk = TapeWriter { path: owned(), file: BufWriter::new(file), n_bytes: 0 };
        let writer = Builder::new().name("tape".to_owned()).spawn(move || disk.write(&lines_rx));
        let writer = writer.map_err(create)?;
        info!(path = %path.display(), "tape started");
        Ok(Self {
            path: owned(),
            start: at.mono,
            last_ms: 0,
            lines: Some(lines_tx),
            is_slow: false,
            writer: Some(writer),
        })
    }

    /// Bytes came from the board.
    pub fn received(&mut self, at: Stamp, bytes: &[u8]) {
        self.line(at, "rx", bytes);
    }

    /// Bytes were sent to it.
    pub fn sent(&mut self, at: Stamp, bytes: &[u8]) {
        self.line(at, "tx", bytes);
    }

    /// Ends the tape, and waits until it is written.
    ///
    /// # Errors
    /// The tape is not whole, and why.
    pub fn finish(mut self) -> Result<(), TapeError> {
        self.end()
    }

    fn line(&mut self, at: Stamp, direction: &str, bytes: &[u8]) {
        let Some(lines) = &self.lines else { return };
        let ms = at.mono.since(self.start).as_millis();
        self.last_ms = u64::try_from(ms).unwrap_or(u64::MAX).max(self.last_ms);
        let mut line = format!("{{\"t\":{},\"{direction}\":\"", self.last_ms);
        for byte in bytes {
            write!(line, "{byte:02x}").expect("a string takes everything");
        }
        line.push_str("\"}\n");
        match lines.try_send(line) {
            Ok(()) => return,
            Err(TrySendError::Full(_)) => {
                self.is_slow = true;
                warn!(path = %self.path.display(), "the disk is too slow; the tape ends");
            }
            // The writer has said why it ended.
            Err(TrySendError::Disconnected(_)) => {}
        }
        self.lines = None;
    }

    fn end(&mut self) -> Result<(), TapeError> {
        self.lines = None;
        let Some(writer) = self.writer.take() else { return Ok(()) };
        writer.join().expect("a writer that does not panic")?;
        if self.is_slow {
            return Err(TapeError::Slow(self.path.clone()));
        }
        Ok(())
    }
}

impl Drop for Tape {
    fn drop(&mut self) {
        // The writer has logged whatever there is to say.
        self.end().ok();
    }
}

fn header_line(header: &Header) -> TapeHeader<'_> {
    TapeHeader {
        tape: VERSION,
        board: header.sight.word(),
        maker: header.maker.map(maker::word),
        clock: header.has_clock,
        start: header.start.as_ref().map(ToString::to_string),
        chess960: header.is_chess960,
        white: &header.white,
        black: &header.black,
        event: &header.event,
        time_control: header.time_control.as_ref().map(ToString::to_string),
    }
}

/// The writer's end of a tape.
struct TapeWriter {
    path: PathBuf,
    file: BufWriter<File>,
    n_bytes: u64,
}

impl TapeWriter {
    fn write(mut self, lines: &Receiver<String>) -> Result<(), TapeError> {
        let written = self.write_all(lines);
        if let Err(e) = &written {
            warn!(error = %e, "tape ended");
        }
        written
    }

    fn write_all(&mut self, lines: &Receiver<String>) -> Result<(), TapeError> {
        let mut flush_at = Instant::now() + FLUSH_EVERY;
        loop {
            match lines.recv_timeout(flush_at.saturating_duration_since(Instant::now())) {
                Ok(line) => self.append(&line)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return self.flush(),
            }
            if Instant::now() >= flush_at {
                self.flush()?;
                flush_at = Instant::now() + FLUSH_EVERY;
            }
        }
    }

    fn append(&mut self, line: &str) -> Result<(), TapeError> {
        self.n_bytes += u64::try_from(line.len()).expect("a line is short");
        if self.n_bytes > BYTES_MAX {
            self.flush()?;
            return Err(TapeError::Full(self.path.clone()));
        }
        let written = self.file.write_all(line.as_bytes());
        written.map_err(|source| TapeError::Write { path: self.path.clone(), source })
    }

    fn flush(&mut self) -> Result<(), TapeError> {
        let flushed = self.file.flush();
        flushed.map_err(|source| TapeError::Write { path: self.path.clone(), source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Script;
    use crate::sim::script::Happening;
    use crate::table::Sight;
    use crate::time::Wall;

    fn at(ms: u64) -> Stamp {
        Stamp { mono: Mono::from_millis(ms), wall: Wall(0) }
    }

    fn header() -> Header {
        Header {
            sight: Sight::Pieces,
            maker: Some(crate::game::BoardKind::ChessLink),
            has_clock: true,
            start: Some("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1".parse().unwrap()),
            is_chess960: true,
            white: "Ann \"the\" Rook".to_owned(),
            black: String::new(),
            event: "Open \u{2116} 3".to_owned(),
            time_control: "40/90m+30s:30m d5s".parse().ok(),
        }
    }

    #[test]
    fn what_is_written_can_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.tape");
        let mut tape = Tape::create(&path, &header(), at(1_000)).unwrap();
        tape.sent(at(1_000), &[0x4d]);
        tape.received(at(1_250), &[0x93, 0x00, 0x05, 0x01, 0x08]);
        // A stamp out of order does not make the file unreadable.
        tape.received(at(1_100), &[0xff]);
        tape.finish().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let script = Script::parse(&text).unwrap();
        assert_eq!(script.header, header());
        assert!(script.is_tape());
        let expected = [
            (Mono::from_millis(0), Happening::Sent(vec![0x4d])),
            (Mono::from_millis(250), Happening::Received(vec![0x93, 0x00, 0x05, 0x01, 0x08])),
            (Mono::from_millis(250), Happening::Received(vec![0xff])),
        ];
        assert_eq!(script.happenings, expected);
        assert_eq!(text.lines().nth(1), Some(r#"{"t":0,"tx":"4d"}"#));
    }

    #[test]
    fn a_tape_is_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.tape");
        std::fs::write(&path, "precious").unwrap();
        let e = Tape::create(&path, &header(), at(0)).unwrap_err();
        let sentence = "the file exists already; choose another name";
        assert_eq!(e.to_string(), format!("creating {}: {sentence}", path.display()));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "precious");
    }

    #[test]
    fn a_tape_is_on_disk_before_it_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.tape");
        let mut tape = Tape::create(&path, &header(), at(0)).unwrap();
        tape.received(at(1), &[0x8e]);
        let limit = Instant::now() + FLUSH_EVERY * 10;
        while std::fs::read_to_string(&path).unwrap().lines().count() < 2 {
            assert!(Instant::now() < limit, "a tape is flushed every second");
            std::thread::sleep(Duration::from_millis(10));
        }
        tape.finish().unwrap();
    }

    #[test]
    fn a_full_disk_ends_the_tape() {
        let mut tape = Tape {
            path: "/dev/full".into(),
            start: Mono(0),
            last_ms: 0,
            lines: None,
            is_slow: false,
            writer: None,
        };
        let (lines_tx, lines_rx) = sync_channel(LINES_MAX);
        let file = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let disk = TapeWriter { path: "/dev/full".into(), file: BufWriter::new(file), n_bytes: 0 };
        tape.lines = Some(lines_tx);
        tape.writer = Some(std::thread::spawn(move || disk.write(&lines_rx)));
        tape.received(at(1), &[0x8e]);
        assert!(matches!(tape.finish(), Err(TapeError::Write { .. })));
    }
}
