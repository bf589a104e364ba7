//! The second copy: the same bytes, whatever happens to its disk, and nothing of anybody else's
//! written over.

use super::disk::{Call, MemStorage, Survival};
use rokade::shell::journal::{Journal, JournalCopy, JournalError, Position, Storage, verify};

use super::{LONG, SMALL, assert_prefix, disk_with, entry, filled, hundred, open};

/// The folders that copies may go into.
struct Stick(Vec<MemStorage>);

impl Stick {
    fn new() -> Self {
        Self(vec![MemStorage::new(), MemStorage::new(), MemStorage::new()])
    }

    fn mirror(&self) -> JournalCopy<impl Fn(usize) -> MemStorage + use<>> {
        let places = self.0.clone();
        JournalCopy::new(move |place| places[place - 1].clone())
    }

    fn first(&self) -> &MemStorage {
        &self.0[0]
    }
}

/// The segments of a journal, without their zeros.
fn segments(disk: &MemStorage) -> Vec<(String, Vec<u8>)> {
    let mut names = disk.list().unwrap();
    names.retain(|name| name.ends_with(".journal"));
    names.sort();
    let content = |name: &String| {
        let bytes = disk.bytes(name).unwrap();
        let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        (name.clone(), bytes[..end].to_vec())
    };
    names.iter().map(content).collect()
}

/// Puts three more lines on record.
fn go_on(journal: &mut Journal<MemStorage>) -> Position {
    let n = journal.position().seq;
    let lines: Vec<_> = (n + 1..=n + 3).map(entry).collect();
    journal.append(&lines).unwrap();
    journal.commit().unwrap()
}

#[test]
fn a_copy_is_the_same_bytes_after_each_line() {
    let (disk, stick) = (MemStorage::new(), Stick::new());
    let mut mirror = stick.mirror();
    let (mut journal, ..) = open(disk.clone(), SMALL).unwrap();
    for n in 0..100 {
        let to = go_on(&mut journal);
        if n % 7 == 3 {
            continue;
        }
        mirror.catch_up(&disk, to).unwrap();
        assert!(segments(stick.first()) == segments(&disk), "after {to:?}");
    }
    assert!(segments(&disk).len() > 3);
    assert_eq!(mirror.place(), Some(1));
    let verdict = verify(stick.first()).unwrap();
    assert!(verdict.is_sound() && verdict.torn.is_none(), "{verdict}");
    let (_, lines, _) = open(stick.first().clone(), SMALL).unwrap();
    assert_eq!(lines.len(), 300);
    assert_prefix(&lines);
}

/// Of a journal without a line there is nothing to copy, and no folder is taken for it.
#[test]
fn nothing_is_copied_of_a_journal_without_a_line() {
    let (disk, stick) = (MemStorage::new(), Stick::new());
    let mut mirror = stick.mirror();
    for to in [Position::default(), Position { segment: 1, ..Position::default() }] {
        mirror.catch_up(&disk, to).unwrap();
        assert_eq!(mirror.place(), None, "{to:?}");
    }
    assert!(stick.0.iter().all(|folder| folder.list().unwrap().is_empty()));
}

/// The stick is pulled out at any call, with any part of what was being written on it.
#[test]
fn a_stick_that_is_pulled_out_at_any_call_is_caught_up() {
    for nth in 1..120 {
        for survival in [Survival::Nothing, Survival::Everything, Survival::Torn(nth)] {
            let (disk, stick) = (MemStorage::new(), Stick::new());
            let mut mirror = stick.mirror();
            let (mut journal, ..) = open(disk.clone(), SMALL).unwrap();
            stick.first().cut_power_at(nth);
            let mut kept = 0;
            for _ in 0..20 {
                let to = go_on(&mut journal);
                kept = mirror.catch_up(&disk, to).map_or(kept, |()| to.seq);
            }
            assert!(stick.first().is_off() || nth > 60, "{nth}");
            let found = stick.first().after_power_cut(survival);
            let at_least = verify(&found).unwrap().lines;
            assert!(at_least >= kept, "{at_least} of {kept} lines at {nth}");
            let again = Stick(vec![found, MemStorage::new(), MemStorage::new()]);
            // It may have been pulled out in another machine, or while this one was off.
            let mut mirror = again.mirror();
            let to = go_on(&mut journal);
            mirror.catch_up(&disk, to).unwrap();
            // Of a first line that is not whole nobody can say whose it is.
            let place = mirror.place().unwrap();
            assert!(place == 1 || kept == 0, "{nth} {survival:?}");
            assert!(segments(&again.0[place - 1]) == segments(&disk), "{nth} {survival:?}");
        }
    }
}

#[test]
fn a_stick_that_fails_at_any_call_is_caught_up() {
    let calls = [Call::Lock, Call::Create, Call::Open, Call::SyncDir, Call::Write, Call::SyncData];
    for call in calls {
        for nth in 1..12 {
            let (disk, stick) = (MemStorage::new(), Stick::new());
            let mut mirror = stick.mirror();
            let (mut journal, ..) = open(disk.clone(), SMALL).unwrap();
            stick.first().fail(call, nth, 3);
            let mut to = Position::default();
            let mut n_failed = 0;
            for n in 0..40 {
                to = go_on(&mut journal);
                stick.first().fill(n % 9 == 8);
                n_failed += u32::from(mirror.catch_up(&disk, to).is_err());
            }
            assert!(n_failed > 0 || nth > 1, "{call:?}");
            mirror.catch_up(&disk, to).unwrap();
            assert_eq!(mirror.place(), Some(1), "{call:?} {nth}");
            assert!(segments(stick.first()) == segments(&disk), "{call:?} {nth}");
        }
    }
}

/// Another board's record, one of another machine, this one before it was written anew, and a
/// longer one: not one byte of them is touched.
#[test]
fn no_other_record_is_written_over() {
    let ours = filled(60, SMALL);
    let to = open(ours.clone(), SMALL).unwrap().0.position();
    let longer = filled(90, SMALL);
    let rewritten = {
        let mut bytes = hundred();
        let at = bytes.len() / 2;
        bytes[at] ^= 0x20;
        bytes
    };
    let mut text = b"dear diary\n".to_vec();
    text.resize(5_000, b'.');
    let mut newer = hundred();
    newer[14] = b'2';
    for (what, other) in [
        ("longer", segments(&longer)),
        ("one more segment", {
            let mut all = segments(&ours);
            all.push(("000077.journal".to_owned(), b"?".to_vec()));
            all
        }),
        ("another", vec![("000001.journal".to_owned(), rewritten)]),
        ("none at all", vec![("000001.journal".to_owned(), text)]),
        ("of a newer program", vec![("000001.journal".to_owned(), newer)]),
    ] {
        let stick = Stick::new();
        for (name, bytes) in &other {
            stick.first().put(name, bytes);
        }
        let mut mirror = stick.mirror();
        mirror.catch_up(&ours, to).unwrap();
        assert_eq!(mirror.place(), Some(2), "{what}");
        assert!(segments(stick.first()) == other, "{what}");
        assert!(segments(&stick.0[1]) == segments(&ours), "{what}");
    }
}

/// Bits turn on either disk. What the copy has lost is written again; of what the record has lost
/// the copy keeps the good one, whatever comes of the rest.
#[test]
fn a_turned_bit_on_one_disk_costs_nothing_on_the_other() {
    let whole = hundred();
    let to = Position { seq: 100, segment: 1, offset: whole.len() as u64 };
    let first_line = whole.iter().position(|byte| *byte == b'\n').unwrap();
    for at in (first_line + 1..whole.len()).step_by(41) {
        let mut bad = whole.clone();
        bad[at] ^= 1 << (at % 8);
        for (record, copy, place) in [(&whole, &bad, 1), (&bad, &whole, 2)] {
            let disk = disk_with(record);
            let stick = Stick(vec![disk_with(copy), MemStorage::new()]);
            let mut mirror = stick.mirror();
            mirror.catch_up(&disk, to).unwrap();
            assert_eq!(mirror.place(), Some(place), "at {at}");
            let is_whole = stick.first().bytes("000001.journal").unwrap() == whole;
            assert!(is_whole, "the good one is kept, at {at}");
        }
    }
}

/// The folder is taken away, cut or exchanged while the copying goes on.
#[test]
fn a_copy_that_is_taken_away_is_made_again() {
    let (disk, stick) = (MemStorage::new(), Stick::new());
    let mut mirror = stick.mirror();
    let (mut journal, ..) = open(disk.clone(), LONG).unwrap();
    for n in 0..30_usize {
        let to = go_on(&mut journal);
        mirror.catch_up(&disk, to).unwrap();
        assert!(segments(stick.first()) == segments(&disk));
        let bytes = stick.first().bytes("000001.journal").unwrap();
        match n % 4 {
            0 => stick.first().remove("000001.journal").unwrap(),
            1 => stick.first().put("000001.journal", &bytes[..bytes.len() / 2]),
            2 => stick.first().put("000001.journal", &[bytes, vec![0; 700]].concat()),
            _ => {}
        }
        // Also where nothing happens at the board.
        mirror.catch_up(&disk, to).unwrap();
        assert!(segments(stick.first()) == segments(&disk), "{n}");
    }
    let held = stick.first().clone();
    let mut other = held.clone();
    assert!(other.lock().unwrap());
    let to = go_on(&mut journal);
    assert!(matches!(mirror.catch_up(&disk, to), Err(JournalError::Busy { .. })));
    drop(other);
    mirror.catch_up(&disk, to).unwrap();
    assert!(segments(stick.first()) == segments(&disk));
}

/// What the copy has is on its disk, and not in the memory of a machine that is pulled out.
#[test]
fn what_is_copied_is_on_the_stick() {
    let (disk, stick) = (MemStorage::new(), Stick::new());
    let mut mirror = stick.mirror();
    let (mut journal, ..) = open(disk.clone(), SMALL).unwrap();
    for _ in 0..40 {
        let to = go_on(&mut journal);
        mirror.catch_up(&disk, to).unwrap();
        let found = stick.first().after_power_cut(Survival::Nothing);
        assert!(segments(&found) == segments(&disk));
    }
}
