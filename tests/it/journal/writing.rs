//! The task that writes: nothing comes out of it before it is durable.

use std::sync::mpsc;
use std::time::Duration;

use super::disk::{Call, MemStorage, Survival};
use rokade::shell::backoff::Backoff;
use rokade::shell::disk::Disk;
use rokade::shell::journal::{Batch, Limits, NewLine, Room, Writer, WriterEvent, verify};

use super::{LONG, assert_prefix, entry, open};

const AT_ONCE: Backoff = Backoff::new(Duration::ZERO, Duration::ZERO);

/// Longer than the test runs.
const NEVER: Backoff = Backoff::new(Duration::from_secs(86_400), Duration::from_secs(86_400));

fn batch(n: u64) -> Batch<u64> {
    Batch { lines: vec![entry(n)], after: n }
}

#[test]
fn what_comes_out_is_on_the_disk() {
    let disk = MemStorage::new();
    let (journal, ..) = open(disk.clone(), LONG).unwrap();
    let threads = Disk::start().unwrap();
    let (writer, mut events) = Writer::start(&threads, journal, AT_ONCE);
    for n in 1..=300 {
        writer.blocking_send(batch(n)).unwrap();
    }
    for n in 1..=300 {
        let Some(WriterEvent::Written { after, durable: true, .. }) = events.blocking_recv() else {
            panic!("something else than batch {n}");
        };
        assert_eq!(after, n);
        let image = disk.after_power_cut(Survival::Nothing);
        assert!(verify(&image).unwrap().lines >= n);
    }
    let journal = writer.blocking_finish().unwrap();
    assert_eq!((journal.position().seq, journal.n_waiting()), (300, 0));
    assert!(disk.n_calls(Call::SyncData) <= 300);
}

#[test]
fn waiting_batches_share_one_sync() {
    let disk = MemStorage::new();
    let (journal, ..) = open(disk.clone(), LONG).unwrap();
    let threads = Disk::start().unwrap();
    let (writer, mut events) = Writer::start(&threads, journal, AT_ONCE);
    let many: Vec<NewLine> = (1..=200).map(entry).collect();
    writer.blocking_send(Batch { lines: many, after: 0 }).unwrap();
    writer.blocking_send(Batch { lines: Vec::new(), after: 1 }).unwrap();
    drop(writer.blocking_finish().unwrap());
    for n in 0..=1 {
        let event = events.blocking_recv().unwrap();
        assert!(matches!(event, WriterEvent::Written { after, durable: true, .. } if after == n));
    }
    assert!(events.blocking_recv().is_none());
    let n_steps = disk.bytes("000001.journal").unwrap().len() as u64 / LONG.step;
    assert!(disk.n_calls(Call::SyncData) <= n_steps * 2);
}

#[test]
fn a_failing_disk_is_said_once_and_recording_goes_on() {
    let disk = MemStorage::new();
    let (journal, ..) = open(disk.clone(), LONG).unwrap();
    let threads = Disk::start().unwrap();
    let (writer, mut events) = Writer::start(&threads, journal, NEVER);
    disk.fail(Call::Create, 1, u64::MAX);
    writer.blocking_send(batch(1)).unwrap();
    assert!(matches!(events.blocking_recv(), Some(WriterEvent::Failing { .. })));
    for n in 1..=50 {
        if n > 1 {
            writer.blocking_send(batch(n)).unwrap();
        }
        let event = events.blocking_recv();
        assert!(
            matches!(event, Some(WriterEvent::Written { after, durable: false, .. }) if after == n)
        );
    }
    disk.mend();
    let journal = writer.blocking_finish().unwrap();
    assert_eq!((journal.position().seq, journal.n_waiting()), (50, 0));
    assert!(matches!(
        events.blocking_recv(),
        Some(WriterEvent::Recovered(position)) if position.seq == 50
    ));
    assert!(events.blocking_recv().is_none());
}

#[test]
fn the_writer_tries_again_by_itself() {
    let disk = MemStorage::new();
    let (journal, ..) = open(disk.clone(), LONG).unwrap();
    let threads = Disk::start().unwrap();
    let (writer, mut events) = Writer::start(&threads, journal, AT_ONCE);
    disk.fail(Call::Write, 1, 25);
    writer.blocking_send(batch(1)).unwrap();
    let mut n_failing = 0;
    loop {
        match events.blocking_recv().expect("a recovery") {
            WriterEvent::Failing { .. } => n_failing += 1,
            WriterEvent::Written { durable, .. } => assert!(!durable),
            WriterEvent::Recovered(position) => break assert_eq!(position.seq, 1),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(n_failing, 1);
    drop(writer.blocking_finish().unwrap());
    let (_, lines, _) = open(disk.after_power_cut(Survival::Nothing), LONG).unwrap();
    assert_prefix(&lines);
}

#[test]
fn a_mishap_and_a_refusal_are_told() {
    let disk = MemStorage::new();
    let (mut journal, ..) = open(disk.clone(), LONG).unwrap();
    // The writer keeps room as soon as it has nothing else to do: it must not meet the fault.
    journal.keep_reserve().unwrap();
    let threads = Disk::start().unwrap();
    let (writer, mut events) = Writer::start(&threads, journal, AT_ONCE);
    writer.blocking_send(batch(1)).unwrap();
    assert!(matches!(events.blocking_recv(), Some(WriterEvent::Written { durable: true, .. })));
    disk.fail(Call::SyncData, 1, 1);
    writer.blocking_send(batch(2)).unwrap();
    assert!(matches!(events.blocking_recv(), Some(WriterEvent::Mishap { .. })));
    assert!(matches!(events.blocking_recv(), Some(WriterEvent::Written { durable: true, .. })));
    let bad = NewLine { body: "no object".to_owned(), ..entry(3) };
    writer.blocking_send(Batch { lines: vec![bad], after: 3 }).unwrap();
    assert!(matches!(events.blocking_recv(), Some(WriterEvent::Refused { .. })));
    assert!(matches!(
        events.blocking_recv(),
        Some(WriterEvent::Written { after: 3, durable: false, .. })
    ));
    assert_eq!(writer.blocking_finish().unwrap().position().seq, 2);
}

/// Once the record is written to what was kept free, that is said, and not that there is no room
/// for another: there is some until it is used up.
#[test]
fn a_reserve_that_is_written_to_is_said_once() {
    let disk = MemStorage::new();
    let (mut journal, ..) = open(disk.clone(), LONG).unwrap();
    journal.keep_reserve().unwrap();
    disk.fill(true);
    let threads = Disk::start().unwrap();
    let (writer, mut events) = Writer::start(&threads, journal, AT_ONCE);
    writer.blocking_send(batch(1)).unwrap();
    assert!(matches!(events.blocking_recv(), Some(WriterEvent::Mishap { .. })));
    assert!(matches!(events.blocking_recv(), Some(WriterEvent::Room(Room::Used))));
    assert!(matches!(events.blocking_recv(), Some(WriterEvent::Written { durable: true, .. })));
    let n_tries = disk.n_calls(Call::Create);
    while disk.n_calls(Call::Create) < n_tries + 5 {
        std::thread::yield_now();
    }
    writer.blocking_send(batch(2)).unwrap();
    let event = events.blocking_recv();
    assert!(
        matches!(event, Some(WriterEvent::Written { after: 2, durable: true, .. })),
        "{event:?}"
    );
    disk.fill(false);
    assert!(matches!(events.blocking_recv(), Some(WriterEvent::Room(Room::Reserved))));
    assert_eq!(writer.blocking_finish().unwrap().position().seq, 2);
    assert!(events.blocking_recv().is_none());
}

#[tokio::test]
async fn the_async_side_only_waits_for_events() {
    let disk = MemStorage::new();
    let (journal, ..) = open(disk, LONG).unwrap();
    let threads = Disk::start().unwrap();
    let (writer, mut events) = Writer::start(&threads, journal, AT_ONCE);
    for n in 1..=20 {
        writer.send(batch(n)).await.unwrap();
    }
    for n in 1..=20 {
        let event = events.recv().await;
        let Some(WriterEvent::Written { after, durable: true, .. }) = event else {
            panic!("{event:?}");
        };
        assert_eq!(after, n);
    }
}

/// Batches that come together may be more than the memory holds: what is there is written, and the
/// rest goes in behind it.
#[test]
fn more_than_the_memory_holds_is_written_in_turns() {
    let disk = MemStorage::new();
    let (journal, ..) = open(disk.clone(), Limits { waiting: 5, ..LONG }).unwrap();
    let threads = Disk::start().unwrap();
    let (writer, mut events) = Writer::start(&threads, journal, AT_ONCE);
    // While its thread is busy they wait, and are then taken together.
    let (go, waits) = mpsc::channel();
    threads.spawn(async move { waits.recv().unwrap() });
    for first in [1, 5, 9] {
        let lines = (first..first + 4).map(entry).collect();
        writer.blocking_send(Batch { lines, after: first }).unwrap();
    }
    go.send(()).unwrap();
    for n in [1, 5, 9] {
        let event = events.blocking_recv().unwrap();
        assert!(
            matches!(event, WriterEvent::Written { after, durable: true, .. } if after == n),
            "{event:?}"
        );
    }
    assert_eq!(writer.blocking_finish().unwrap().position().seq, 12);
}
