//! Records that anything has happened to: they open, what they hold can be read, and what is
//! written behind it is there the next time.
#![no_main]

#[allow(dead_code, reason = "the tests of the journal use the rest")]
#[path = "../../it/journal/disk.rs"]
mod disk;

use disk::MemStorage;
use libfuzzer_sys::fuzz_target;
use rokade::game::Entry;
use rokade::game::recover::Recovered;
use rokade::relay::log::Log;
use rokade::relay::record::Record;
use rokade::shell::journal::{
    BootId, Journal, JournalError, JournalLine, JournalReader, NewLine, salvage, verify,
};
use rokade::time::Stamp;

fuzz_target!(|bytes: &[u8]| {
    let storage = MemStorage::new();
    match bytes.split_first() {
        // Two files, cut anywhere.
        Some((b'2', rest)) => {
            let (first, second) = rest.split_at(rest.len() / 2);
            storage.put("000001.journal", first);
            storage.put("000002.journal", second);
        }
        // Lines that say something else than they did, each with the sum that it should have.
        Some((b'+', rest)) => storage.put("000001.journal", &summed(rest)),
        _ => storage.put("000001.journal", bytes),
    }
    let boot = BootId::parse(&"5".repeat(32)).expect("digits");
    let added = r#"{"t":1,"kind":"noise"}"#;
    let (mut journal, found) = match Journal::open(storage.clone(), boot) {
        Ok(opened) => opened,
        // The way back is the newer program.
        Err(JournalError::Version { .. }) => return,
        Err(why) => panic!("a record that cannot be opened: {why}"),
    };
    fold(&found.lines);
    journal.append(&[NewLine { stamp: Stamp::default(), body: added.to_owned() }]).expect("a line");
    journal.commit().expect("memory takes everything");
    let last = journal.position();
    drop(journal);
    let verdict = verify(&storage).expect("it can be read");
    assert!(verdict.torn.is_none(), "{verdict}");
    salvage(&storage).expect("what was put aside can be read");
    let (again, lines) = Journal::open(storage.clone(), boot).expect("it opens again");
    assert_eq!(again.position(), last);
    assert_eq!(lines.lines.last().map(|line| &*line.body), Some(added));
    drop(again);
    let read = JournalReader::new(storage).poll().expect("it can be followed");
    assert!(!read.is_empty());
});

fn summed(lines: &[u8]) -> Vec<u8> {
    let lines = lines.split_inclusive(|byte| *byte == b'\n');
    let with_sum = |line: &[u8]| {
        let json = line.strip_suffix(b"\n").unwrap_or(line);
        [format!("{:08x} ", crc32fast::hash(json)).as_bytes(), json, b"\n"].concat()
    };
    lines.flat_map(with_sum).collect()
}

/// Folds what makes sense, and logs it.
fn fold(lines: &[JournalLine]) {
    let (mut game, mut log) = (Recovered::default(), Log::default());
    for (idx, line) in lines.iter().enumerate() {
        let Ok(record) = serde_json::from_str::<Record>(&line.body) else { continue };
        let fact = record.fact;
        log.line(&fact);
        game.fold(idx, &Entry { at: line.stamp, fact }).ok();
    }
    game.into_game(rokade::game::settings::Settings::default());
}
