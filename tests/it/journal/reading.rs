//! What `verify` finds, and what a reader sees while the journal is written.

use super::disk::{Call, MemStorage};
use rokade::shell::journal::{
    BrokenBy, Flaw, Follower, JournalLine, JournalReader, Position, Storage, verify,
};

use super::{
    LONG, SMALL, assert_prefix, body, disk_with, ends, entry, filled, hundred, n_lines, open,
};

/// The lines of a file, each with its newline.
fn lines_of(bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
}

/// How many of the lines cannot be read, and the first break.
fn broken_after(lines: &[Vec<u8>]) -> (u64, u64, Flaw, BrokenBy) {
    let verdict = verify(&disk_with(&lines.concat())).unwrap();
    let broken = verdict.broken().expect("a break");
    assert!(!verdict.is_sound());
    (100 - verdict.lines, broken.offset, broken.flaw, broken.kind)
}

/// All that a reader gets to see.
pub(super) fn all(disk: &MemStorage) -> Vec<JournalLine> {
    let mut reader = JournalReader::new(disk.clone());
    let mut seen = Vec::new();
    loop {
        let more = reader.poll().unwrap();
        if more.is_empty() {
            return seen;
        }
        seen.extend(more);
    }
}

#[test]
fn verify_finds_one_line_changed_removed_swapped_or_doubled() {
    let good = lines_of(&hundred());
    let start = |n: usize| good[..n].concat().len() as u64;
    let mut changed = good.clone();
    let at = changed[49].len() - 10;
    changed[49][at] ^= 1;
    // One bit: there is only one way to turn it back.
    assert_eq!(broken_after(&changed), (0, start(49), Flaw::Crc, BrokenBy::Damage));
    changed[49][at] ^= 6;
    assert_eq!(broken_after(&changed), (1, start(49), Flaw::Crc, BrokenBy::Damage));
    let mut removed = good.clone();
    removed.remove(49);
    let gap = Flaw::Sequence { expected: 50, found: 51 };
    assert_eq!(broken_after(&removed), (1, start(49), gap, BrokenBy::Damage));
    let mut swapped = good.clone();
    swapped.swap(49, 50);
    assert_eq!(broken_after(&swapped), (1, start(49), gap, BrokenBy::Damage));
    let mut doubled = good.clone();
    doubled.insert(50, good[49].clone());
    let twice = Flaw::Sequence { expected: 51, found: 50 };
    assert_eq!(broken_after(&doubled), (0, start(50), twice, BrokenBy::Damage));
}

#[test]
fn verify_finds_a_line_made_anew_with_a_right_checksum() {
    let mut lines = lines_of(&hundred());
    let text = String::from_utf8(lines[49].clone()).unwrap();
    let json = text[9..].trim_end().replace("\"n\":50", "\"n\":51");
    lines[49] = format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes())).into_bytes();
    let (n, _, flaw, kind) = broken_after(&lines);
    assert_eq!((n, flaw, kind), (0, Flaw::Chain, BrokenBy::Damage));
}

#[test]
fn verify_tells_the_same_for_every_line() {
    let good = lines_of(&hundred());
    for idx in 0..97 {
        let mut removed = good.clone();
        removed.remove(idx);
        let (n, _, flaw, kind) = broken_after(&removed);
        assert_eq!((n, kind), (1, BrokenBy::Damage), "line {idx}");
        assert!(matches!(flaw, Flaw::Sequence { .. }));
    }
}

#[test]
fn a_missing_segment_is_damage() {
    let disk = filled(100, SMALL);
    let other = MemStorage::new();
    for number in [1, 3, 4] {
        let name = format!("{number:06}.journal");
        other.put(&name, &disk.bytes(&name).unwrap());
    }
    let broken = verify(&other).unwrap().broken().unwrap();
    assert_eq!((broken.file.as_str(), broken.kind), ("000003.journal", BrokenBy::Damage));
    assert!(!verify(&other).unwrap().is_sound());
}

#[test]
fn the_verdict_is_a_sentence() {
    let whole = hundred();
    let text = verify(&disk_with(&whole)).unwrap().to_string();
    assert!(text.starts_with("100 lines in 1 segments, line 100 has the hash "), "{text}");
    let text = verify(&disk_with(&whole[..whole.len() - 1])).unwrap().to_string();
    assert!(text.contains("unfinished end: 000001.journal at byte "), "{text}");
}

#[test]
fn a_reader_follows_across_segments_and_failures() {
    let disk = MemStorage::new();
    let mut reader = JournalReader::new(disk.clone());
    assert!(reader.poll().unwrap().is_empty());
    let (mut journal, ..) = open(disk.clone(), SMALL).unwrap();
    let mut seen = Vec::new();
    for n in 1..=100 {
        if n % 17 == 0 {
            disk.fail(Call::SyncData, 1, 1);
        }
        journal.append(&[entry(n)]).unwrap();
        journal.commit().unwrap();
        seen.extend(reader.poll().unwrap());
        assert_eq!(seen.len() as u64, n);
        assert!(reader.poll().unwrap().is_empty());
    }
    assert_prefix(&seen);
    assert!(journal.position().segment > 5);
}

#[test]
fn a_late_reader_sees_everything() {
    for limits in [SMALL, LONG] {
        let disk = filled(400, limits);
        let mut reader = JournalReader::new(disk);
        let mut seen = Vec::new();
        loop {
            let more = reader.poll().unwrap();
            if more.is_empty() {
                break;
            }
            seen.extend(more);
        }
        assert_eq!(seen.len(), 400);
        assert_prefix(&seen);
    }
}

#[test]
fn a_reader_waits_for_the_other_half_of_a_line() {
    let whole = hundred();
    let disk = disk_with(&[]);
    let mut reader = JournalReader::new(disk.clone());
    let (mut seen, ends) = (Vec::new(), ends(&whole));
    for end in 0..=whole.len() {
        let mut bytes = whole[..end].to_vec();
        bytes.resize(whole.len() + 1_000, 0);
        disk.put("000001.journal", &bytes);
        seen.extend(reader.poll().unwrap());
        assert_eq!(seen.len(), n_lines(&ends, end));
    }
    assert_prefix(&seen);
}

#[test]
fn a_reader_takes_lines_longer_than_its_chunk() {
    let disk = MemStorage::new();
    let (mut journal, ..) = open(disk.clone(), LONG).unwrap();
    let mut reader = JournalReader::new(disk);
    for n in 1..=3 {
        let mut long = entry(n);
        long.body = format!("{{\"n\":\"{}\"}}", "x".repeat(200_000));
        journal.append(&[long.clone(), entry(n)]).unwrap();
        journal.commit().unwrap();
        let mut seen = Vec::new();
        while let [more, ..] = &reader.poll().unwrap()[..] {
            seen.push(more.body.clone());
        }
        assert_eq!(seen[0], long.body);
        assert!(seen.len() == 1 || seen[1] == body(n));
    }
}

/// A new segment that was begun and cut off by the power is set aside, and the record may go on in
/// the one before it.
#[test]
fn a_reader_at_a_segment_that_comes_to_nothing_is_not_lost() {
    let disk = filled(20, LONG);
    let whole = disk.bytes("000001.journal").unwrap();
    let mut reader = JournalReader::new(disk.clone());
    assert_eq!(reader.poll().unwrap().len(), 20);
    let starts: [&[u8]; 4] = [&whole[..40], &[0; 64], b"", b"nobody wrote this\n"];
    for (start, n) in starts.into_iter().zip(21..) {
        disk.put("000002.journal", start);
        assert_eq!(reader.poll().unwrap(), []);
        disk.remove("000002.journal").unwrap();
        let (mut journal, ..) = open(disk.clone(), LONG).unwrap();
        journal.append(&[entry(n)]).unwrap();
        assert_eq!(journal.commit().unwrap().segment, 1);
        let seen = reader.poll().unwrap();
        assert_eq!(seen.iter().map(|line| line.seq).collect::<Vec<_>>(), [n], "{start:?}");
    }
    assert!(reader.take_damage().is_empty());
}

fn upto(seq: u64) -> Position {
    Position { seq, ..Position::default() }
}

/// What is read and not safe is held back, and until that is given no more is read: a follower of a
/// long record would have all of it in memory.
#[test]
fn who_follows_reads_no_more_than_he_holds_back() {
    let disk = filled(30, LONG);
    let mut follower = Follower::new(disk.clone());
    assert!(follower.poll(upto(0)).unwrap().is_empty());
    assert_eq!(disk.n_calls(Call::Read), 0, "nothing is safe");
    let mut seen = follower.poll(upto(1)).unwrap();
    let n_read = disk.n_calls(Call::Read);
    for n in 2..=30 {
        assert!(!follower.has_read(upto(n)));
        seen.extend(follower.poll(upto(n)).unwrap());
        assert!(follower.has_read(upto(n)));
    }
    assert_eq!(disk.n_calls(Call::Read), n_read);
    assert_eq!(seen.len(), 30);
    assert_prefix(&seen);
}

/// A disk that cannot be read for a moment costs no line, nor is one given twice; not even one that
/// is damaged and can be mended.
#[test]
fn who_follows_goes_on_where_a_disk_could_not_be_read() {
    let disk = filled(100, SMALL);
    let mut bytes = disk.bytes("000002.journal").unwrap();
    bytes[700] ^= 1;
    disk.put("000002.journal", &bytes);
    let mut n_failed = 0;
    for nth in 1..20 {
        let mut follower = Follower::new(disk.clone());
        let mut seen = Vec::new();
        for _ in 0..200 {
            disk.fail(Call::Read, nth, 1);
            let to = upto(seen.len() as u64 + 7);
            match follower.poll(to) {
                Ok(lines) => seen.extend(lines),
                Err(_) => {
                    n_failed += 1;
                    disk.mend();
                    seen.extend(follower.poll(to).unwrap());
                }
            }
            disk.mend();
            assert!(seen.len() as u64 <= to.seq);
        }
        assert_eq!(seen.len(), 100, "read {nth} of each");
        assert_prefix(&seen);
    }
    assert!(n_failed > 20, "{n_failed}");
}
