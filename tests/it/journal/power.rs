//! The power goes at every call of a run of commits, and again at every call of the recovery.

use super::disk::{Call, Honesty, MemStorage, Survival};
use rokade::shell::journal::{Limits, NewLine, verify};
use rokade::shell::record;
use rokade::sim::hands::TableKind;
use rokade::sim::trial::{Recipe, Trial};
use rokade::table::Sight;

use super::{SMALL, assert_prefix, entry, open};

const N_ENTRIES: u64 = 60;

/// Writes commits of one to four lines until the power goes; returns the last acknowledged number.
fn record(disk: &MemStorage) -> u64 {
    let Ok((mut journal, lines, _)) = open(disk.clone(), SMALL) else { return 0 };
    let mut next = lines.len() as u64 + 1;
    let mut acknowledged = journal.position().seq;
    while next <= N_ENTRIES {
        let group: Vec<_> = (next..=next + next % 4).map(entry).collect();
        next += group.len() as u64;
        journal.append(&group).unwrap();
        if let Ok(position) = journal.commit() {
            acknowledged = position.seq;
        }
        if disk.is_off() {
            break;
        }
    }
    acknowledged
}

fn survivals() -> impl Iterator<Item = Survival> {
    let torn = (0..6).map(Survival::Torn);
    [Survival::Nothing, Survival::Everything].into_iter().chain(torn)
}

/// How many calls a whole run makes.
fn n_calls() -> u64 {
    let disk = MemStorage::new();
    assert!(record(&disk) >= N_ENTRIES);
    let kinds = [Call::Create, Call::Open, Call::Write, Call::SyncData, Call::SyncDir];
    kinds.map(|call| disk.n_calls(call)).iter().sum()
}

#[test]
fn nothing_acknowledged_is_lost_at_any_call() {
    for cut in 1..=n_calls() {
        let disk = MemStorage::new();
        disk.cut_power_at(cut);
        let acknowledged = record(&disk);
        for survival in survivals() {
            let image = disk.after_power_cut(survival);
            let sound = verify(&image).unwrap();
            assert!(sound.is_sound(), "cut {cut}, {survival:?}: {sound}");
            let (_, lines, _) = open(image.clone(), SMALL).unwrap();
            assert_prefix(&lines);
            assert!(lines.len() as u64 >= acknowledged, "cut {cut}, {survival:?}");
            assert!(record(&image) >= N_ENTRIES);
            assert!(verify(&image).unwrap().broken().is_none());
        }
    }
}

#[test]
fn nothing_is_lost_when_the_power_goes_again_during_recovery() {
    for cut in (1..=n_calls()).step_by(5) {
        let disk = MemStorage::new();
        disk.cut_power_at(cut);
        let acknowledged = record(&disk);
        for first in survivals() {
            for again in 1..12 {
                let image = disk.after_power_cut(first);
                image.cut_power_at(again);
                let more = record(&image).max(acknowledged);
                let image = image.after_power_cut(Survival::Torn(cut * 31 + again));
                let (_, lines, _) = open(image, SMALL).unwrap();
                assert_prefix(&lines);
                assert!(lines.len() as u64 >= more, "cut {cut}, {first:?}, again {again}");
            }
        }
    }
}

#[test]
fn nothing_is_lost_when_calls_fail_and_then_the_power_goes() {
    for call in [Call::SyncData, Call::Write, Call::SyncDir, Call::Create] {
        for nth in 1..8 {
            for cut in (1..=n_calls()).step_by(3) {
                let disk = MemStorage::new();
                disk.fail(call, nth, 1 + nth % 2);
                disk.cut_power_at(cut);
                let acknowledged = record(&disk);
                for survival in [Survival::Nothing, Survival::Torn(nth), Survival::Torn(cut)] {
                    let image = disk.after_power_cut(survival);
                    let verdict = verify(&image).unwrap();
                    assert!(verdict.is_sound(), "{call:?} {nth}, cut {cut}: {verdict}");
                    let (_, lines, _) = open(image, SMALL).unwrap();
                    assert_prefix(&lines);
                    assert!(lines.len() as u64 >= acknowledged, "{call:?} {nth}, cut {cut}");
                }
            }
        }
    }
}

/// What a game puts on record, in the groups in which it is committed.
fn whole_game(seed: u64, n_plies: usize) -> Vec<Vec<NewLine>> {
    let table = TableKind { sight: Sight::Pieces, has_clock: true };
    let trial = Trial::run(Recipe::invented(seed, "club", table, n_plies), &[]);
    let entries = trial.replay.expect("no panic").entries;
    let groups = entries.chunk_by(|one, next| one.at == next.at);
    groups.map(|group| group.iter().map(record::line_of).collect()).collect()
}

/// Writes commit after commit until the power goes; returns how many lines are acknowledged.
fn record_game(disk: &MemStorage, groups: &[Vec<NewLine>]) -> usize {
    let Ok((mut journal, ..)) = open(disk.clone(), Limits::USUAL) else { return 0 };
    let (mut n_written, mut n_acknowledged) = (0, 0);
    for group in groups {
        journal.append(group).unwrap();
        n_written += group.len();
        if journal.commit().is_ok() {
            n_acknowledged = n_written;
        }
        if disk.is_off() {
            break;
        }
    }
    n_acknowledged
}

/// The record of one short game, or of `ROKADE_GAMES` whole ones.
#[test]
fn nothing_of_a_game_is_lost_at_any_call() {
    let n_games = std::env::var("ROKADE_GAMES").ok().map(|n| n.parse::<u64>().unwrap());
    let n_plies = if n_games.is_some() { 200 } else { 6 };
    for seed in 1..=n_games.unwrap_or(1) {
        let groups = whole_game(seed, n_plies);
        let lines = groups.concat();
        let mut n_cuts = 0;
        loop {
            let disk = MemStorage::new();
            disk.cut_power_at(n_cuts + 1);
            let n_acknowledged = record_game(&disk, &groups);
            if !disk.is_off() {
                assert_eq!(n_acknowledged, lines.len());
                break;
            }
            n_cuts += 1;
            for survival in [Survival::Nothing, Survival::Everything, Survival::Torn(n_cuts)] {
                let image = disk.after_power_cut(survival);
                let (_, kept, _) = open(image, Limits::USUAL).unwrap();
                assert!(kept.len() >= n_acknowledged, "game {seed}, cut {n_cuts}, {survival:?}");
                let is_kept = kept.iter().zip(&lines).all(|(kept, line)| kept.body == line.body);
                assert!(is_kept, "game {seed}, cut {n_cuts}, {survival:?}");
            }
        }
        println!("cuts: game {seed}, {} lines, {n_cuts} cuts", lines.len());
    }
}

/// The negative control: a disk that does not keep what it acknowledges must fail the test above.
#[test]
fn a_disk_that_does_not_sync_loses_acknowledged_lines() {
    let mut n_lost = 0;
    for cut in 1..=n_calls() {
        let disk = MemStorage::with_honesty(Honesty::Lying);
        disk.cut_power_at(cut);
        let acknowledged = record(&disk);
        let (_, lines, _) = open(disk.after_power_cut(Survival::Nothing), SMALL).unwrap();
        n_lost += acknowledged - (lines.len() as u64).min(acknowledged);
    }
    assert!(n_lost > N_ENTRIES);
}
