//! Damaged bytes, failing calls, second openers.

use super::disk::{Call, Honesty, MemStorage, Survival};
use rokade::shell::journal::{
    DiskStorage, Flaw, Journal, JournalError, Limits, NewLine, Storage, verify,
};

use super::{
    LONG, SMALL, assert_prefix, boot, disk_with, ends, entry, filled, hundred, n_lines, open,
};

#[test]
fn a_cut_at_any_byte_leaves_exactly_the_lines_before_it() {
    let whole = hundred();
    let ends = ends(&whole);
    for cut in 0..=whole.len() {
        let disk = disk_with(&whole[..cut]);
        let (mut journal, lines, torn) = open(disk.clone(), LONG).unwrap();
        assert_eq!(lines.len(), n_lines(&ends, cut), "cut at {cut}");
        assert_prefix(&lines);
        let is_clean = cut == 0 || whole[cut - 1] == b'\n';
        assert_eq!(torn.is_none(), is_clean, "cut at {cut}");
        // And the journal goes on from there.
        if cut % 16 != 0 {
            continue;
        }
        let next = lines.len() as u64 + 1;
        journal.append(&[entry(next)]).unwrap();
        assert_eq!(journal.commit().unwrap().seq, next);
        let verdict = verify(&disk).unwrap();
        assert_eq!((verdict.lines, verdict.broken()), (next, None), "cut at {cut}");
    }
}

#[test]
fn a_file_that_ends_in_zeros_inside_a_line_is_cut_as_well() {
    let whole = hundred();
    let ends = ends(&whole);
    for cut in (0..whole.len()).step_by(7) {
        let mut bytes = whole.clone();
        bytes[cut..].fill(0);
        let (_, lines, _) = open(disk_with(&bytes), LONG).unwrap();
        assert_eq!(lines.len(), n_lines(&ends, cut), "zeros from {cut}");
        assert_prefix(&lines);
    }
}

#[test]
fn the_torn_end_is_kept_and_never_overwritten() {
    let whole = hundred();
    let disk = disk_with(&whole[..whole.len() - 5]);
    let earlier = b"an earlier accident";
    disk.put("000001.journal.torn", earlier);
    let (journal, lines, torn) = open(disk.clone(), LONG).unwrap();
    let torn = torn.unwrap();
    assert_eq!(lines.len(), 99);
    assert_eq!(torn.kept_as, ["000001.journal.torn.2"]);
    assert_eq!((torn.file.as_str(), torn.flaw), ("000001.journal", Flaw::Unfinished));
    let start = usize::try_from(torn.offset).unwrap();
    let kept = disk.bytes("000001.journal.torn.2").unwrap();
    assert_eq!(kept, whole[start..whole.len() - 5]);
    assert_eq!(torn.bytes as usize, kept.len());
    assert_eq!(disk.bytes("000001.journal.torn").unwrap(), earlier);
    assert_eq!(verify(&disk).unwrap().kept_aside.len(), 2);
    drop(journal);
    let (_, lines, torn) = open(disk, LONG).unwrap();
    assert_eq!((lines.len(), torn), (99, None));
}

#[test]
fn a_second_opener_is_refused_until_the_first_has_gone() {
    let folder = tempfile::tempdir().unwrap();
    let (mut first, _) = Journal::open(DiskStorage::new(folder.path()), boot()).unwrap();
    let error = Journal::open(DiskStorage::new(folder.path()), boot()).unwrap_err();
    assert!(matches!(error, JournalError::Busy { .. }));
    let text = error.to_string();
    assert!(text.contains(&folder.path().display().to_string()), "{text}");
    assert!(text.contains("systemctl stop rokade"), "{text}");
    first.append(&[entry(1)]).unwrap();
    first.commit().unwrap();
    drop(first);
    let (_, recovered) = Journal::open(DiskStorage::new(folder.path()), boot()).unwrap();
    assert_prefix(&recovered.lines);
    assert_eq!((recovered.lines.len(), recovered.torn), (1, None));
    let size = std::fs::metadata(folder.path().join("000001.journal")).unwrap().len();
    assert_eq!(size, 1 << 20);
}

#[test]
fn one_commit_is_one_sync() {
    let disk = MemStorage::new();
    let (mut journal, ..) = open(disk.clone(), LONG).unwrap();
    for n in 1..=50 {
        journal.append(&[entry(n)]).unwrap();
        journal.commit().unwrap();
        journal.commit().unwrap();
        assert_eq!((disk.n_calls(Call::SyncData), disk.n_calls(Call::SyncDir)), (n, 1));
    }
}

#[test]
fn a_failed_call_makes_a_new_segment_and_no_gap() {
    for call in [Call::SyncData, Call::Write] {
        let disk = MemStorage::new();
        let (mut journal, ..) = open(disk.clone(), LONG).unwrap();
        for n in 1..=30 {
            if n % 10 == 0 {
                disk.fail(call, 1, 1);
            }
            journal.append(&[entry(n)]).unwrap();
            let position = journal.commit().unwrap();
            assert_eq!((position.seq, position.segment), (n, 1 + n / 10));
            assert_eq!(journal.take_mishap().is_some(), n % 10 == 0);
        }
        drop(journal);
        for survival in [Survival::Nothing, Survival::Everything] {
            let image = disk.after_power_cut(survival);
            let verdict = verify(&image).unwrap();
            assert_eq!((verdict.lines, verdict.segments), (30, 4));
            assert!(verdict.broken().is_none(), "{verdict}");
            assert_prefix(&open(image, LONG).unwrap().1);
        }
    }
}

#[test]
fn lines_wait_for_a_disk_that_comes_back() {
    for call in [Call::SyncData, Call::Write, Call::Create, Call::SyncDir] {
        let disk = MemStorage::new();
        let (mut journal, ..) = open(disk.clone(), SMALL).unwrap();
        let mut acknowledged = 0;
        for n in 1..=200 {
            if n == 50 {
                disk.fail(call, 1, u64::MAX);
            }
            if n == 150 {
                disk.mend();
            }
            journal.append(&[entry(n)]).unwrap();
            match journal.commit() {
                Ok(position) => acknowledged = position.seq,
                Err(error) => assert!(matches!(error, JournalError::Io { .. })),
            }
            assert_eq!(journal.n_waiting() as u64, n - acknowledged);
        }
        assert_eq!(acknowledged, 200);
        drop(journal);
        let image = disk.after_power_cut(Survival::Nothing);
        let verdict = verify(&image).unwrap();
        assert_eq!((verdict.lines, verdict.broken()), (200, None), "{call:?}");
        let (_, lines, torn) = open(image, SMALL).unwrap();
        assert_prefix(&lines);
        assert_eq!((lines.len(), torn), (200, None));
    }
}

#[test]
fn failed_segments_that_cannot_be_removed_do_no_harm() {
    let disk = MemStorage::new();
    let (mut journal, ..) = open(disk.clone(), LONG).unwrap();
    journal.append(&[entry(1)]).unwrap();
    journal.commit().unwrap();
    for n in 2..=6 {
        // A new segment is written in part; an existing name stands in its way the next time.
        disk.fail(Call::Write, 1, 2);
        journal.append(&[entry(n)]).unwrap();
        assert!(journal.commit().is_err());
        disk.put(&format!("{n:06}.journal"), b"0000");
        disk.mend();
        assert!(journal.commit().is_err());
    }
    journal.append(&[entry(7)]).unwrap();
    assert_eq!(journal.commit().unwrap().seq, 7);
    let verdict = verify(&disk).unwrap();
    assert_eq!((verdict.lines, verdict.broken()), (7, None));
}

#[test]
fn a_line_that_only_the_kernel_remembers_is_written_again_at_the_start() {
    let disk = filled(3, LONG);
    {
        // The sync fails, and before a new segment can be made the process dies.
        let (mut journal, ..) = open(disk.clone(), LONG).unwrap();
        disk.fail(Call::SyncData, 1, 1);
        disk.fail(Call::Create, 1, u64::MAX);
        journal.append(&[entry(4)]).unwrap();
        assert!(journal.commit().is_err());
    }
    disk.mend();
    let (journal, lines, _) = open(disk.clone(), LONG).unwrap();
    assert_eq!((journal.n_waiting(), lines.len()), (0, 4));
    let image = disk.after_power_cut(Survival::Nothing);
    assert_eq!(verify(&image).unwrap().lines, lines.len() as u64);
}

#[test]
fn a_segment_that_could_not_be_made_leaves_no_gap_in_the_numbers() {
    let disk = MemStorage::new();
    let (mut journal, ..) = open(disk.clone(), LONG).unwrap();
    disk.fail(Call::Create, 1, 3);
    journal.append(&[entry(1)]).unwrap();
    while journal.commit().is_err() {}
    let names = disk.list().unwrap();
    assert!(names.contains(&"000001.journal".to_owned()), "{names:?}");
}

/// Whatever the reason for a new segment is, the numbers go on by one.
#[test]
fn segments_are_numbered_one_after_the_other() {
    let disk = MemStorage::new();
    for n in 1..=100 {
        // Each time by a program that has just been started.
        let (mut journal, ..) = open(disk.clone(), SMALL).unwrap();
        if n % 20 == 0 {
            disk.fail(Call::SyncData, 1, 1);
        }
        journal.append(&[entry(n)]).unwrap();
        assert_eq!(journal.commit().unwrap().seq, n);
    }
    let mut names = disk.list().unwrap();
    names.sort();
    let expected: Vec<_> = (1..=names.len()).map(|n| format!("{n:06}.journal")).collect();
    assert!(names.len() > 4, "{names:?}");
    assert_eq!(names, expected);
}

/// After a long time without a disk, what waits is written a step at a time; only a line that is
/// longer than that goes as a whole.
#[test]
fn a_backlog_is_synced_step_by_step() {
    let disk = MemStorage::new();
    let (mut journal, ..) = open(disk.clone(), LONG).unwrap();
    let long = NewLine { body: format!("{{\"n\":\"{}\"}}", "x".repeat(3_000)), ..entry(51) };
    journal.append(&(1..=50).map(entry).collect::<Vec<_>>()).unwrap();
    journal.append(&[long]).unwrap();
    assert_eq!(journal.commit().unwrap().seq, 51);
    let bytes = disk.bytes("000001.journal").unwrap();
    let lens: Vec<usize> = bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::len).collect();
    let (mut n_syncs, mut len) = (1, 0);
    for line in &lens[..51] {
        if len > 0 && len + line > 1_024 {
            (n_syncs, len) = (n_syncs + 1, 0);
        }
        len += line;
    }
    assert!(n_syncs > 10 && lens[50] > 3_000);
    assert_eq!(disk.n_calls(Call::SyncData), n_syncs);
}

#[test]
fn a_full_memory_refuses_and_says_so() {
    let disk = MemStorage::new();
    let limits = Limits { waiting: 5, ..LONG };
    let (mut journal, ..) = open(disk, limits).unwrap();
    journal.append(&[entry(1), entry(2), entry(3)]).unwrap();
    let three = [entry(4), entry(5), entry(6)];
    assert!(matches!(journal.append(&three), Err(JournalError::Full(5))));
    assert_eq!(journal.n_waiting(), 3);
    journal.append(&three[..2]).unwrap();
    assert!(matches!(journal.append(&three[2..]), Err(JournalError::Full(5))));
    assert_eq!(journal.n_waiting(), 5, "as many as may");
    journal.commit().unwrap();
    journal.append(&three[2..]).unwrap();
    assert_eq!(journal.commit().unwrap().seq, 6);
}

#[test]
fn a_body_that_is_no_object_is_refused_whole() {
    let (mut journal, ..) = open(MemStorage::new(), LONG).unwrap();
    let mut bad = entry(2);
    bad.body = "{\"a\":1}\n{}".to_owned();
    let error = journal.append(&[entry(1), bad]).unwrap_err();
    assert!(matches!(error, JournalError::Body { .. }));
    assert_eq!(journal.n_waiting(), 0);
}

#[test]
fn a_journal_of_a_newer_program_is_left_alone() {
    let json = "{\"v\":2,\"seq\":1}";
    let line = format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes()));
    let disk = disk_with(line.as_bytes());
    let error = open(disk.clone(), LONG).unwrap_err();
    assert!(matches!(error, JournalError::Version { version: 2, .. }));
    assert_eq!(disk.bytes("000001.journal").unwrap(), line.as_bytes());
}

#[test]
fn a_lying_disk_is_caught() {
    let disk = MemStorage::with_honesty(Honesty::Lying);
    let (mut journal, ..) = open(disk.clone(), LONG).unwrap();
    journal.append(&[entry(1)]).unwrap();
    assert_eq!(journal.commit().unwrap().seq, 1);
    let (_, lines, _) = open(disk.after_power_cut(Survival::Nothing), LONG).unwrap();
    assert!(lines.is_empty());
}
