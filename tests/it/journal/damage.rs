//! One changed byte costs one line at the most, wherever it is; the program starts, and `verify`
//! tells of it as long as it is there.

use super::disk::MemStorage;
use super::{LONG, SMALL, assert_prefix, boot, disk_with, ends, entry, filled, hundred, n_lines};
use super::{open, reading};
use rokade::shell::journal::{
    BrokenBy, Damage, Flaw, Journal, JournalLine, JournalReader, Limits, salvage, verify,
};

/// Lines of the journal whose bytes are changed one by one, and how many of these bytes.
const LINES: u64 = 600;
const N_FLIPS: usize = 200;

fn opened(disk: &MemStorage, limits: Limits) -> (Vec<JournalLine>, Vec<Damage>, bool) {
    let mut lines = Vec::new();
    let (_, found) =
        Journal::open_with(disk.clone(), boot(), limits, &mut |line| lines.push(line)).unwrap();
    (lines, found.damage, found.torn.is_some())
}

/// Asserts that `lines` are entries of 1 to `n` in their order, and returns how many are missing.
fn missing(lines: &[JournalLine], n: u64) -> u64 {
    for line in lines {
        assert_eq!((&line.body, line.stamp), (&entry(line.seq).body, entry(line.seq).stamp));
    }
    assert!(lines.windows(2).all(|two| two[0].seq < two[1].seq));
    n - lines.len() as u64
}

#[test]
fn one_turned_bit_costs_nothing() {
    let whole = hundred();
    let ends = ends(&whole);
    let borders = ends.iter().flat_map(|end| [end - 1, *end, end + 1]);
    for at in (0..whole.len()).step_by(41).chain(borders).filter(|at| *at < whole.len()) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        let disk = disk_with(&bytes);
        let verdict = verify(&disk).unwrap();
        assert!(!verdict.is_sound(), "byte {at} unseen: {verdict}");
        assert_eq!(verdict.lines, 100, "byte {at}: {verdict}");
        assert_eq!(verdict.broken().unwrap().kind, BrokenBy::Damage);
        let seen = reading::all(&disk);
        assert_eq!(missing(&seen, 100), 0, "byte {at}");
        let (lines, damage, _) = opened(&disk, LONG);
        assert_eq!((missing(&lines, 100), damage.len()), (0, 1), "byte {at}");
        assert!(damage[0].is_mended && damage[0].n_lost() == 0);
        // Started or not, it is still there, and told of.
        assert!(!verify(&disk).unwrap().is_sound(), "byte {at}");
    }
}

/// Behind a newline that has turned into something else the next line is found all the same.
#[test]
fn a_turned_newline_costs_neither_line() {
    let whole = hundred();
    let ends = ends(&whole);
    for line in [1, 50, 99, 100] {
        let mut bytes = whole.clone();
        bytes[ends[line - 1] - 1] ^= 0x40;
        let verdict = verify(&disk_with(&bytes)).unwrap();
        assert_eq!((verdict.lines, verdict.last), (100, 100), "line {line}: {verdict}");
        let [found] = &verdict.damage[..] else { panic!("line {line}: {verdict}") };
        assert_eq!((found.first, found.n, found.n_lost()), (line as u64, 1, 0));
        assert!(found.is_mended && !verdict.is_sound());
    }
}

/// A journal of many lines over several segments.
struct Whole {
    n: u64,
    limits: Limits,
    files: Vec<(String, Vec<u8>)>,
}

/// What came of changed bytes.
#[derive(Copy, Clone, Debug, Default)]
struct Came {
    n_mended: usize,
    n_lost: usize,
    n_torn: usize,
}

/// Of the file of this index, the byte at this place, and what becomes of it.
#[derive(Copy, Clone, Debug)]
struct Change {
    file: usize,
    at: usize,
    turns: u8,
}

impl Whole {
    fn of(n: u64) -> Self {
        let limits = Limits { segment: 64 * 1_024, step: 16 * 1_024, waiting: 100_000 };
        let good = filled(n, limits);
        let names = (1..).map(|n| format!("{n:06}.journal"));
        let files = names.map_while(|name| good.bytes(&name).map(|bytes| (name, bytes)));
        Self { n, limits, files: files.collect() }
    }

    /// So many changes, evenly over all bytes that lines are in.
    fn changes(&self, n: usize) -> Vec<Change> {
        let used = |bytes: &[u8]| bytes.iter().rposition(|byte| *byte != 0).unwrap() + 1;
        let used: Vec<_> = self.files.iter().map(|(_, bytes)| used(bytes)).collect();
        let total: usize = used.iter().sum();
        let mut rng = fastrand::Rng::with_seed(7);
        let change = |nth: usize| {
            let (mut at, mut file) = (nth * total / n, 0);
            while at >= used[file] {
                at -= used[file];
                file += 1;
            }
            let turns = if nth.is_multiple_of(2) { 1 << rng.u8(0..8) } else { rng.u8(1..) };
            Change { file, at, turns }
        };
        (0..n).map(change).collect()
    }

    fn with(&self, change: Change) -> MemStorage {
        let disk = MemStorage::new();
        for (name, bytes) in &self.files {
            disk.put(name, bytes);
        }
        let (name, bytes) = &self.files[change.file];
        let mut bytes = bytes.clone();
        bytes[change.at] ^= change.turns;
        disk.put(name, &bytes);
        disk
    }

    /// Asserts that the change costs one line at the most and is told of; with `goes_on` also that
    /// the record goes on behind it, and is read the same the next time.
    fn holds(&self, change: Change, goes_on: bool) -> Came {
        let disk = self.with(change);
        let verdict = verify(&disk).unwrap();
        assert!(verdict.broken().is_some(), "{change:?}");
        let seen = reading::all(&disk);
        let (mut lines, damage, is_torn) = opened(&disk, self.limits);
        // The last commit is believed as a whole or not at all.
        let most = if is_torn { 3 } else { 1 };
        assert!(missing(&lines, self.n) <= most, "{change:?}: {verdict}");
        let came = Came {
            n_mended: (damage.iter().all(|damage| damage.is_mended) && !is_torn).into(),
            n_lost: damage.iter().any(|damage| damage.n_lost() > 0).into(),
            n_torn: is_torn.into(),
        };
        if is_torn {
            // The very end: nothing vouches for it, and it was set aside.
            assert_eq!(verify(&disk).unwrap().kept_aside.len(), 1);
            return came;
        }
        assert!(!verify(&disk).unwrap().is_sound());
        assert_eq!(seen, lines);
        if goes_on {
            let (mut journal, ..) = open(disk.clone(), self.limits).unwrap();
            journal.append(&[entry(self.n + 1)]).unwrap();
            journal.commit().unwrap();
            drop(journal);
            let (again, ..) = opened(&disk, self.limits);
            assert_eq!(again.last().map(|line| line.seq), Some(self.n + 1));
            lines.extend(again.last().cloned());
            assert_eq!((&again, reading::all(&disk)), (&lines, lines.clone()));
            assert_eq!(verify(&disk).unwrap().damage, verdict.damage);
        }
        came
    }
}

/// `ROKADE_DAMAGE_LINES` lines, and `ROKADE_DAMAGE_FLIPS` bytes of them that become something else,
/// one at a time.
#[test]
fn one_changed_byte_costs_one_line_at_the_most() {
    let env = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let n = env("ROKADE_DAMAGE_LINES").map_or(LINES, |n: usize| n as u64);
    let n_flips = env("ROKADE_DAMAGE_FLIPS").unwrap_or(N_FLIPS);
    let whole = Whole::of(n);
    let changes: Vec<_> = whole.changes(n_flips).into_iter().zip(0_usize..).collect();
    let n_threads = std::thread::available_parallelism().unwrap().get();
    let came = std::thread::scope(|scope| {
        let shares = changes.chunks(n_flips.div_ceil(n_threads));
        let threads = shares.map(|share| {
            let whole = &whole;
            let hold =
                move |(change, nth): &(Change, usize)| whole.holds(*change, nth.is_multiple_of(8));
            scope.spawn(move || share.iter().map(hold).collect::<Vec<_>>())
        });
        let threads: Vec<_> = threads.collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    let sum = |of: fn(&Came) -> usize| came.iter().map(of).sum::<usize>();
    let (n_mended, n_lost) = (sum(|came| came.n_mended), sum(|came| came.n_lost));
    let n_torn = sum(|came| came.n_torn);
    println!("{n_flips} bytes of {n} lines: {n_mended} mended, {n_lost} lost, {n_torn} torn");
    assert!(n_mended > n_flips / 3 && n_torn <= 2 + n_flips / 100);
}

/// A line that has its sum and makes no sense was never cut off by a power cut. What is written
/// behind it is found again, and no line before it is written into it.
#[test]
fn a_record_goes_on_behind_a_last_line_without_sense() {
    let sense = "nobody wrote this";
    let line = format!("{:08x} {sense}\n", crc32fast::hash(sense.as_bytes()));
    let whole = filled(3, LONG).bytes("000001.journal").unwrap();
    let whole = &whole[..ends(&whole)[2]];
    let before = [whole, line.as_bytes()].concat();
    let disk = disk_with(&before);
    for n in 4..6 {
        let (mut journal, found) = Journal::open(disk.clone(), boot()).unwrap();
        assert_eq!((missing(&found.lines, n - 1), found.torn), (0, None));
        journal.append(&[entry(n)]).unwrap();
        journal.commit().unwrap();
        drop(journal);
        let verdict = verify(&disk).unwrap();
        assert!(!verdict.is_sound() && verdict.torn.is_none(), "{verdict}");
        assert_eq!((verdict.lines, verdict.last), (n, n), "{verdict}");
        assert!(disk.bytes("000001.journal").unwrap().starts_with(&before), "{verdict}");
    }
}

/// The control: where a checksum agreed with whatever stands there, the tests above would fail, as
/// what they compare is read wrong.
#[test]
fn without_a_checksum_damage_is_read_as_if_it_were_the_record() {
    let whole = hundred();
    let ends = ends(&whole);
    let (mut n_unseen, mut n_wrong) = (0, 0);
    for line in [40, 98, 99] {
        let (start, end) = (ends[line - 1], ends[line]);
        let body = whole[start..end].windows(5).position(|word| word == b"d\":\"x").unwrap();
        let mut bytes = whole.clone();
        bytes[start + body + 4] ^= 1;
        let sum = format!("{:08x}", crc32fast::hash(&bytes[start + 9..end - 1]));
        bytes[start..start + 8].copy_from_slice(sum.as_bytes());
        let disk = disk_with(&bytes);
        n_unseen += usize::from(verify(&disk).unwrap().is_sound());
        let (lines, ..) = opened(&disk, LONG);
        let is_wrong = |seen: &JournalLine| seen.body != entry(seen.seq).body;
        n_wrong += lines.iter().filter(|line| is_wrong(line)).count();
    }
    // The hash of a line is in the next one; behind the last there is none.
    assert_eq!((n_unseen, n_wrong), (1, 3));
}

#[test]
fn a_lost_block_costs_the_lines_in_it() {
    let whole = hundred();
    let ends = ends(&whole);
    let mut n_told = 0;
    for from in (0..whole.len() - 2_000).step_by(199) {
        let mut bytes = whole.clone();
        bytes[from..from + 512].fill(0);
        let disk = disk_with(&bytes);
        let verdict = verify(&disk).unwrap();
        let touched = n_lines(&ends, from + 511) - n_lines(&ends, from) + 1;
        let (lines, damage, is_torn) = opened(&disk, LONG);
        assert!(!is_torn && !verdict.is_sound());
        assert!(missing(&lines, 100) <= touched as u64, "from {from}: {verdict}");
        assert_eq!(damage.iter().map(Damage::n_lost).sum::<u64>(), missing(&lines, 100));
        for damage in damage.iter().filter(|damage| damage.n > 1) {
            let (first, last) = (damage.first, damage.first + damage.n - 1);
            let words = format!(" (lines {first} to {last} cannot be read)");
            assert!(damage.to_string().ends_with(&words), "{damage}");
            n_told += 1;
        }
        assert_eq!(reading::all(&disk), lines);
    }
    assert!(n_told > 10);
}

/// How much of a line that was cut off is set aside is told to the byte.
#[test]
fn a_torn_end_is_told_with_its_length() {
    let whole = filled(3, LONG).bytes("000001.journal").unwrap();
    let ends = ends(&whole);
    for n in [1, 20] {
        let disk = disk_with(&whole[..ends[2] - n]);
        let (_, found) = Journal::open(disk, boot()).unwrap();
        let torn = found.torn.expect("an end that was cut off");
        let (offset, bytes) = (ends[1] as u64, (ends[2] - n - ends[1]) as u64);
        assert_eq!((torn.offset, torn.bytes), (offset, bytes));
    }
}

/// Where the power went as a segment was begun, the end of the one before and the beginning of it
/// are set aside, each under its own name and to the byte.
#[test]
fn a_segment_of_which_nothing_can_be_read_is_set_aside_with_the_end_before_it() {
    let good = filled(100, SMALL);
    let [first, second] = ["000001.journal", "000002.journal"];
    let (whole, begun) = (good.bytes(first).unwrap(), good.bytes(second).unwrap());
    let ends = ends(&whole);
    let (last, cut) = (ends[ends.len() - 2], ends[ends.len() - 1] - 9);
    let disk = MemStorage::new();
    disk.put(first, &whole[..cut]);
    disk.put(second, &begun[..20]);
    let (_, found) = Journal::open(disk.clone(), boot()).unwrap();
    let torn = found.torn.expect("an end that was cut off");
    assert_eq!(torn.kept_as, ["000001.journal.torn", "000002.journal.torn"]);
    assert_eq!((torn.offset, torn.bytes), (last as u64, (cut - last + 20) as u64));
    assert_eq!(disk.bytes("000001.journal.torn").unwrap(), whole[last..cut]);
    assert_eq!(disk.bytes("000002.journal.torn").unwrap(), begun[..20]);
    assert_eq!(disk.bytes(second), None);
}

#[test]
fn a_lost_segment_costs_its_own_lines() {
    let good = filled(100, SMALL);
    let names: Vec<String> = (1..)
        .map(|n| format!("{n:06}.journal"))
        .take_while(|name| good.bytes(name).is_some())
        .collect();
    for lost in 0..names.len() - 1 {
        let disk = MemStorage::new();
        for (idx, name) in names.iter().enumerate().filter(|(idx, _)| *idx != lost) {
            let bytes = good.bytes(name).unwrap();
            disk.put(name, &bytes);
            assert!(idx != lost);
        }
        let (lines, damage, is_torn) = opened(&disk, SMALL);
        let n_lost = good.bytes(&names[lost]).unwrap().split(|byte| *byte == b'\n').count() as u64;
        assert_eq!((missing(&lines, 100), is_torn, damage.len()), (n_lost - 1, false, 1));
        assert_eq!(reading::all(&disk), lines);
        assert_eq!(
            damage[0].flaw,
            Flaw::Sequence { expected: damage[0].first, found: damage[0].first + damage[0].n }
        );
    }
}

/// An earlier program put aside whatever came behind damage: `verify` must not call that sound.
#[test]
fn what_was_set_aside_is_read_and_judged() {
    let whole = hundred();
    let ends = ends(&whole);
    // Line 2 was damaged, and all from there on set aside; three other lines were written since.
    let disk = disk_with(&whole[..ends[0]]);
    let mut torn = whole[ends[0]..].to_vec();
    torn[40] ^= 1;
    disk.put("000001.journal.torn", &torn);
    let (mut journal, ..) = open(disk.clone(), LONG).unwrap();
    journal.append(&[entry(502), entry(503), entry(504)]).unwrap();
    journal.commit().unwrap();
    drop(journal);
    let verdict = verify(&disk).unwrap();
    assert!(!verdict.is_sound() && verdict.damage.is_empty(), "{verdict}");
    assert_eq!(verdict.kept_aside[0].lines.len(), 98);
    let salvaged = salvage(&disk).unwrap();
    let bodies: Vec<_> = salvaged[0].lines.iter().map(|line| line.body.clone()).collect();
    assert_eq!(bodies, (3..=100).map(|n| entry(n).body).collect::<Vec<_>>());
    // Even where one confirmed line alone was lost behind the damage.
    let disk = disk_with(&whole[..ends[97]]);
    let mut torn = whole[ends[97]..].to_vec();
    torn[40] ^= 1;
    disk.put("000001.journal.torn", &torn);
    let verdict = verify(&disk).unwrap();
    assert!(verdict.kept_aside[0].is_damage && !verdict.is_sound(), "{verdict}");
    // An end that was never confirmed is no damage.
    let disk = disk_with(&whole[..whole.len() - 9]);
    let (_, lines, torn) = open(disk.clone(), LONG).unwrap();
    assert_prefix(&lines);
    assert!(torn.is_some() && verify(&disk).unwrap().is_sound());
}

#[test]
fn a_reader_that_follows_passes_damage_too() {
    let disk = filled(50, LONG);
    let mut bytes = disk.bytes("000001.journal").unwrap();
    bytes[3_000] = b'~';
    bytes[3_001] = b'~';
    disk.put("000001.journal", &bytes);
    let mut reader = JournalReader::new(disk.clone());
    let mut seen = Vec::new();
    let (mut journal, ..) = open(disk, LONG).unwrap();
    let mut damage = Vec::new();
    for n in 51..=60 {
        journal.append(&[entry(n)]).unwrap();
        journal.commit().unwrap();
        loop {
            let more = reader.poll().unwrap();
            damage.extend(reader.take_damage());
            if more.is_empty() {
                break;
            }
            seen.extend(more);
        }
        assert_eq!(missing(&seen, n), 1);
    }
    assert_eq!(damage.len(), 1);
}
