//! How long it takes to replay a game of two hours.

#![allow(clippy::disallowed_methods, reason = "a bench measures time")]

mod figure;
mod game;

use criterion::{Criterion, criterion_group};
use figure::{Spread, Target};
use rokade::game::Game;
use rokade::sim::Replay;
use std::hint::black_box;
use std::time::Instant;

/// Games that are replayed.
const SEEDS: std::ops::Range<u64> = 1..9;
/// How often each is replayed.
const N_ROUNDS: usize = 5;
/// For one game.
const TARGET_MS: f64 = 50.0;
/// Copies whose memory is measured.
const N_COPIES: usize = 1_000;
/// For one game.
const MEMORY_KIB: f64 = 512.0;

criterion_group!(benches, two_hours);

fn main() {
    benches();
    Criterion::default().configure_from_args().final_summary();
    if figure::is_wanted() {
        figures();
    }
}

fn two_hours(criterion: &mut Criterion) {
    let script = game::of_two_hours(1).script;
    let minutes = script.happenings.last().map_or(0, |(at, _)| at.millis() / 60_000);
    let name = format!("replay/{minutes} minutes");
    criterion.bench_function(&name, |bencher| bencher.iter(|| Replay::run(black_box(&script))));
}

/// The median game, and the slowest one. Each counts with its median round.
fn figures() {
    let mut games = Vec::new();
    for seed in SEEDS {
        let script = game::of_two_hours(seed).script;
        let mut rounds = Vec::new();
        for _ in 0..N_ROUNDS {
            let start = Instant::now();
            black_box(Replay::run(&script));
            rounds.push(start.elapsed());
        }
        rounds.sort_unstable();
        games.push(rounds[N_ROUNDS / 2]);
    }
    let games = Spread::of(games);
    let (median, slowest) = (games.at_us(0.5) / 1e3, games.at_us(1.0) / 1e3);
    figure::print("replay.median", median, "ms", Target::Under(TARGET_MS));
    figure::print("replay.slowest", slowest, "ms", Target::Under(TARGET_MS));
    memory();
}

/// What a game of two hours takes when it is over, as the mean of many copies.
fn memory() {
    let game = Replay::run(&game::of_two_hours(1).script).game;
    let before = resident();
    let copies: Vec<Game> = (0..N_COPIES).map(|_| game.clone()).collect();
    let kib = (resident() - before) / copies.len() as f64 / 1024.0;
    figure::print("memory.game", kib, "KiB", Target::Under(MEMORY_KIB));
}

/// Bytes of this process that are in memory.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux tells");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a line");
    let kib: f64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
    kib * 1024.0
}
