//! A disk that cannot be used from the start, one that fills up, and what is kept free for that.

use super::disk::{Call, MemStorage, Survival};
use rokade::shell::journal::{Journal, JournalError, JournalLine, RESERVE, verify};

use super::{LONG, SMALL, assert_prefix, boot, disk_with, entry, filled, hundred, open};

/// A journal on a folder that cannot be had, with the lines that can be read of it.
fn detached(disk: &MemStorage) -> (Journal<MemStorage>, Vec<JournalLine>) {
    assert!(matches!(open(disk.clone(), SMALL), Err(JournalError::Io { .. })));
    let mut lines = Vec::new();
    let (journal, found) =
        Journal::detached(disk.clone(), boot(), SMALL, &mut |line| lines.push(line));
    assert!(found.unwrap().damage.is_empty());
    (journal, lines)
}

#[test]
fn a_folder_that_cannot_be_had_at_the_start_gets_everything_once_it_can() {
    for n_before in [0, 50] {
        let disk = filled(n_before, SMALL);
        disk.fail(Call::Lock, 1, u64::MAX);
        let (mut journal, lines) = detached(&disk);
        assert_eq!(lines.len() as u64, n_before);
        for n in n_before + 1..=n_before + 20 {
            journal.append(&[entry(n)]).unwrap();
            assert!(journal.commit().is_err());
        }
        assert_eq!(journal.n_waiting(), 20);
        assert_eq!(verify(&disk).unwrap().lines, n_before);
        disk.mend();
        assert_eq!(journal.commit().unwrap().seq, n_before + 20);
        assert_eq!(journal.take_joined().unwrap().late, None);
        assert_eq!(journal.n_waiting(), 0);
        drop(journal);
        let (_, lines, torn) = open(disk.after_power_cut(Survival::Nothing), SMALL).unwrap();
        assert_prefix(&lines);
        assert_eq!((lines.len() as u64, torn), (n_before + 20, None));
    }
}

/// An unfinished end is set aside once that can be done, and what was read before stays true.
#[test]
fn an_unfinished_end_waits_for_the_folder_as_well() {
    let whole = hundred();
    let disk = disk_with(&whole[..whole.len() - 5]);
    disk.fail(Call::Create, 1, u64::MAX);
    let (mut journal, lines) = detached(&disk);
    assert_eq!(lines.len(), 99);
    journal.append(&[entry(100)]).unwrap();
    assert!(journal.commit().is_err());
    disk.mend();
    journal.commit().unwrap();
    let joined = journal.take_joined().unwrap();
    assert_eq!((joined.late, joined.torn.is_some()), (None, true));
    drop(journal);
    let (_, lines, _) = open(disk, SMALL).unwrap();
    assert_prefix(&lines);
    assert_eq!(lines.len(), 100);
}

/// Another disk comes than the one that was there: what waited goes behind what is on it.
#[test]
fn what_waited_goes_behind_a_past_that_could_not_be_read() {
    let disk = MemStorage::new();
    disk.fail(Call::Lock, 1, u64::MAX);
    let (mut journal, _) = detached(&disk);
    let bodies: Vec<_> = (1..=10).map(|n| entry(n).body).collect();
    for n in 1..=10 {
        journal.append(&[entry(n)]).unwrap();
    }
    disk.put("000001.journal", &hundred());
    disk.mend();
    assert_eq!(journal.commit().unwrap().seq, 110);
    assert_eq!(journal.take_joined().unwrap().late, Some(101));
    drop(journal);
    assert!(verify(&disk).unwrap().is_sound());
    let (_, lines, _) = open(disk, SMALL).unwrap();
    assert_prefix(&lines[..100]);
    assert_eq!(lines[100..].iter().map(|line| line.body.clone()).collect::<Vec<_>>(), bodies);
}

#[test]
fn the_game_in_progress_fits_on_a_full_disk() {
    let disk = MemStorage::new();
    let (mut journal, ..) = open(disk.clone(), SMALL).unwrap();
    journal.append(&[entry(1)]).unwrap();
    journal.commit().unwrap();
    journal.keep_reserve().unwrap();
    assert_eq!(disk.bytes(RESERVE).unwrap(), vec![0; 1_024]);
    disk.fill(true);
    let mut n = 1;
    let mut n_bytes_reserved = 0;
    loop {
        journal.append(&[entry(n + 1)]).unwrap();
        if journal.commit().is_err() {
            break;
        }
        n += 1;
        if journal.is_on_reserve() {
            n_bytes_reserved = journal.position().offset;
        }
        // What was said to be kept is, whenever the power goes.
        let (_, lines, _) = open(disk.after_power_cut(Survival::Nothing), SMALL).unwrap();
        assert_eq!(lines.len() as u64, n);
    }
    assert!(journal.is_on_reserve() && n_bytes_reserved > 1_024 - 300, "{n_bytes_reserved}");
    assert!(journal.take_mishap().is_some());
    disk.fill(false);
    journal.commit().unwrap();
    journal.keep_reserve().unwrap();
    assert!(!journal.is_on_reserve());
    assert_eq!(disk.bytes(RESERVE).unwrap().len(), 1_024);
    drop(journal);
    assert!(verify(&disk).unwrap().is_sound());
    let (_, lines, _) = open(disk, SMALL).unwrap();
    assert_prefix(&lines);
    assert_eq!(lines.len() as u64, n + 1);
}

/// The power may go at any call while the reserve is made, used, and made again.
#[test]
fn the_reserve_survives_a_power_cut_at_any_call() {
    for nth in 1..60 {
        for survival in [Survival::Nothing, Survival::Everything, Survival::Torn(nth)] {
            let disk = MemStorage::new();
            let (mut journal, ..) = open(disk.clone(), SMALL).unwrap();
            disk.cut_power_at(nth);
            let mut kept = 0;
            for n in 1..=30 {
                // One that cannot be made is made later.
                journal.keep_reserve().ok();
                disk.fill(n % 10 > 3);
                journal.append(&[entry(n)]).unwrap();
                kept = journal.commit().map_or(kept, |position| position.seq);
            }
            let (mut journal, lines, _) = open(disk.after_power_cut(survival), LONG).unwrap();
            assert_prefix(&lines);
            assert!(lines.len() as u64 >= kept, "{} of {kept}", lines.len());
            journal.keep_reserve().unwrap();
        }
    }
}

/// Half a reserve is of no use, and takes the room that others lack.
#[test]
fn a_reserve_that_cannot_be_made_leaves_nothing_behind() {
    for call in [Call::Create, Call::Write, Call::SyncData, Call::SyncDir] {
        let disk = MemStorage::new();
        let (mut journal, ..) = open(disk.clone(), SMALL).unwrap();
        disk.fail(call, 1, 2);
        for _ in 0..2 {
            let error = journal.keep_reserve().unwrap_err().to_string();
            assert!(error.starts_with("cannot keep room in reserve: "), "{error}");
            assert_eq!(disk.bytes(RESERVE), None, "{call:?}");
        }
        journal.keep_reserve().unwrap();
        assert_eq!(disk.bytes(RESERVE).unwrap(), vec![0; 1_024], "{call:?}");
    }
}

/// What is there already is used, unless it is not what was made.
#[test]
fn a_reserve_of_before_is_kept_if_it_is_whole() {
    for (found, is_whole) in [
        (vec![0; 1_024], true),
        (vec![0; 1_023], false),
        (vec![0; 1_025], false),
        (vec![b'x'; 1_024], false),
        (Vec::new(), false),
    ] {
        let disk = MemStorage::new();
        disk.put(RESERVE, &found);
        let (mut journal, ..) = open(disk.clone(), SMALL).unwrap();
        journal.keep_reserve().unwrap();
        assert_eq!(disk.n_calls(Call::Create), u64::from(!is_whole), "{} bytes", found.len());
        journal.keep_reserve().unwrap();
        assert_eq!(disk.n_calls(Call::Create), u64::from(!is_whole), "it is made once");
        assert_eq!(disk.bytes(RESERVE).unwrap(), vec![0; 1_024]);
    }
}

/// The reserve is for a disk that is full: on one that fails it would be spent in vain.
#[test]
fn a_disk_that_fails_is_no_full_one() {
    for call in [Call::Create, Call::Write, Call::SyncData, Call::SyncDir] {
        let disk = MemStorage::new();
        let (mut journal, ..) = open(disk.clone(), SMALL).unwrap();
        journal.keep_reserve().unwrap();
        disk.fail(call, 1, u64::MAX);
        for n in 1..=3 {
            journal.append(&[entry(n)]).unwrap();
            assert!(journal.commit().is_err());
            assert!(!journal.is_on_reserve() && disk.bytes(RESERVE).is_some(), "{call:?}");
        }
        disk.mend();
        disk.fill(true);
        assert_eq!(journal.commit().unwrap().seq, 3, "{call:?}");
        assert!(journal.is_on_reserve() && disk.bytes(RESERVE).is_none());
    }
}

/// Of a backlog that is longer than the reserve, what fits is kept.
#[test]
fn a_long_backlog_goes_into_the_reserve_as_far_as_it_fits() {
    let disk = MemStorage::new();
    let (mut journal, ..) = open(disk.clone(), SMALL).unwrap();
    journal.keep_reserve().unwrap();
    disk.fill(true);
    journal.append(&(1..=20).map(entry).collect::<Vec<_>>()).unwrap();
    assert!(journal.commit().is_err());
    let kept = journal.position();
    assert!(journal.is_on_reserve() && kept.seq >= 3 && kept.offset <= 1_024, "{kept:?}");
    assert_eq!(journal.n_waiting() as u64, 20 - kept.seq);
    let (_, lines, _) = open(disk.after_power_cut(Survival::Nothing), SMALL).unwrap();
    assert_prefix(&lines);
    assert_eq!(lines.len() as u64, kept.seq);
    disk.fill(false);
    assert_eq!(journal.commit().unwrap().seq, 20);
    drop(journal);
    let (_, lines, _) = open(disk, SMALL).unwrap();
    assert_prefix(&lines);
    assert_eq!(lines.len(), 20);
}
