//! The journal keeps what it acknowledged, whatever is done to it: every cut, every flipped bit,
//! every call at which the power can go or the disk can fail.

#![allow(clippy::unwrap_used)]

mod closed;
mod copy;
mod damage;
pub(crate) mod disk;
mod faults;
mod kept;
mod power;
mod reading;
mod schema;
mod space;
mod writing;

use self::disk::MemStorage;
use rokade::shell::journal::{
    BootId, Journal, JournalError, JournalLine, Limits, NewLine, Storage, TornTail,
};
use rokade::time::{Mono, Stamp, Wall};

/// Small, so that a hundred lines cross steps and segments.
const SMALL: Limits = Limits { segment: 4_096, step: 1_024, waiting: 1_000 };

/// One segment, however long.
const LONG: Limits = Limits { segment: 1 << 20, step: 1_024, waiting: 1_000 };

fn boot() -> BootId {
    BootId::parse("00112233-4455-6677-8899-aabbccddeeff").unwrap()
}

fn body(n: u64) -> String {
    format!("{{\"n\":{n},\"pad\":\"{}\"}}", "x".repeat(usize::try_from(n * 7 % 23).unwrap()))
}

fn entry(n: u64) -> NewLine {
    let stamp = Stamp { mono: Mono(n * 1_000), wall: Wall(1_700_000_000_000_000) };
    NewLine { stamp, body: body(n) }
}

type Opened<S> = (Journal<S>, Vec<JournalLine>, Option<TornTail>);

fn open<S: Storage>(storage: S, limits: Limits) -> Result<Opened<S>, JournalError> {
    let mut lines = Vec::new();
    let (journal, found) =
        Journal::open_with(storage, boot(), limits, &mut |line| lines.push(line))?;
    Ok((journal, lines, found.torn))
}

/// Asserts that `lines` are entries 1, 2, 3 ... with nothing missing and nothing else.
fn assert_prefix(lines: &[JournalLine]) {
    for (line, n) in lines.iter().zip(1..) {
        assert_eq!((line.seq, &line.body), (n, &body(n)));
        assert_eq!((line.stamp, line.boot), (entry(n).stamp, boot()));
    }
}

/// A journal with entries 1 to `n`, in commits of three.
fn filled(n: u64, limits: Limits) -> MemStorage {
    let disk = MemStorage::new();
    let (mut journal, ..) = open(disk.clone(), limits).unwrap();
    let entries: Vec<_> = (1..=n).map(entry).collect();
    for group in entries.chunks(3) {
        journal.append(group).unwrap();
        journal.commit().unwrap();
    }
    disk
}

/// The only segment of a journal of 100 lines, without its zeros.
fn hundred() -> Vec<u8> {
    let mut bytes = filled(100, LONG).bytes("000001.journal").unwrap();
    let end = bytes.iter().rposition(|byte| *byte != 0).unwrap() + 1;
    bytes.truncate(end);
    assert_eq!(bytes.iter().filter(|byte| **byte == b'\n').count(), 100);
    bytes
}

fn disk_with(bytes: &[u8]) -> MemStorage {
    let disk = MemStorage::new();
    disk.put("000001.journal", bytes);
    disk
}

/// Where the lines in `bytes` end.
fn ends(bytes: &[u8]) -> Vec<usize> {
    (1..=bytes.len()).filter(|end| bytes[end - 1] == b'\n').collect()
}

/// How many of the lines that end at `ends` are whole in the first `len` bytes.
fn n_lines(ends: &[usize], len: usize) -> usize {
    ends.partition_point(|end| *end <= len)
}
