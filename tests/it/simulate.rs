//! Games from seeds, performed by hands, replayed and held against what was really played.
//!
//! The oracle: the record equals the intent, or something on it names the difference. Of calm hands
//! with a clock no game may differ; of the others at least so many must not, and no more than so
//! many may differ silently. `ROKADE_SEEDS` sets how many games are played, `ROKADE_SHRINK` names a
//! directory into which every failing script is written as small as it can be made. For more games
//! than that there is `rokade simulate --games`.

use crate::games::classics;
use rokade::sim::shrink::Failure;
use rokade::sim::trial::{Known, Recipe, Table, Trial};
use rokade::sim::{Manners, TableKind};
use rokade::track::Sight;
use std::path::{Path, PathBuf};

const N_SEEDS: u64 = 200;
/// Longer games find no more, but take longer.
const N_PLIES_MAX: usize = 80;
const KINDS: [TableKind; 5] = [
    TableKind { sight: Sight::Pieces, has_clock: true },
    TableKind { sight: Sight::Pieces, has_clock: false },
    TableKind { sight: Sight::Pieces, has_clock: true },
    TableKind { sight: Sight::Occupied, has_clock: true },
    TableKind { sight: Sight::Colors, has_clock: true },
];

/// How many games of a hundred are exact at least. What is missing to a hundred is work to do, and
/// these numbers only ever rise.
const FLOORS: [(&str, &str, usize); 16] = [
    ("blitz", "", 98),
    ("school", "", 98),
    ("lossy", "", 95),
    ("scramble", "", 90),
    ("clean", "no clock", 98),
    ("club", "no clock", 98),
    ("school", "no clock", 95),
    ("lossy", "no clock", 95),
    ("blitz", "no clock", 95),
    ("scramble", "no clock", 80),
    ("clean", "color", 90),
    ("club", "color", 90),
    ("blitz", "color", 90),
    ("clean", "reed", 90),
    ("club", "reed", 90),
    ("blitz", "reed", 90),
];

fn recipe(seed: u64) -> Recipe {
    let (n_profiles, n_kinds) = (Manners::NAMES.len() as u64, KINDS.len() as u64);
    Recipe {
        seed,
        round: (seed / (n_profiles * n_kinds)) as usize,
        profile: Manners::NAMES[(seed % n_profiles) as usize],
        table: KINDS[(seed / n_profiles % n_kinds) as usize],
        n_plies_max: N_PLIES_MAX,
    }
}

/// What must be exact already; the rest is on its way there.
fn is_held_to_account(recipe: &Recipe) -> bool {
    recipe.column().is_empty() && ["clean", "club"].contains(&recipe.profile)
}

/// Plays all seeds, on as many processors as there are, and returns them in order.
fn play_all(n_seeds: u64) -> Vec<Trial> {
    let known: Vec<Known> = classics()
        .into_iter()
        .map(|game| Known { moves: game.moves, outcome: game.outcome })
        .collect();
    let n_workers = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let mut played: Vec<Trial> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..n_workers)
            .map(|worker| {
                let seeds = (worker..n_seeds).step_by(n_workers as usize);
                let known = &known;
                scope.spawn(move || {
                    seeds.map(|seed| Trial::run(recipe(seed), known)).collect::<Vec<_>>()
                })
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no panic")).collect()
    });
    played.sort_by_key(|trial| trial.recipe.seed);
    played
}

#[test]
fn record_equals_intent() {
    let n_seeds = std::env::var("ROKADE_SEEDS").map_or(N_SEEDS, |n| n.parse().unwrap());
    let played = play_all(n_seeds);
    let is_failing = |t: &&Trial| is_held_to_account(&t.recipe) && !t.verdict.is_perfect();
    let failing: Vec<&Trial> = played.iter().filter(is_failing).collect();
    if let Some(first) = failing.first() {
        println!("{}", first.recipe);
    }
    let mut table = Table::default();
    played.iter().for_each(|trial| table.add(&trial.recipe, &trial.verdict));
    println!("{table}");
    if let Ok(dir) = std::env::var("ROKADE_SHRINK") {
        for failed in played.iter().filter(|t| !t.verdict.is_exact) {
            explain(failed, Failure::Wrong, Path::new(&dir));
        }
    }
    for silent in played.iter().filter(|t| t.verdict.is_silently_wrong()) {
        println!("{}: {}", silent.recipe, silent.verdict);
    }
    if let Some(first) = failing.first() {
        explain(first, Failure::Wrong, Path::new(env!("CARGO_TARGET_TMPDIR")));
    }
    for (profile, column, floor) in FLOORS {
        let Some(tally) = table.get(profile, column) else { continue };
        let (n_exact, n_games) = (tally.n_exact, tally.n_games);
        // One game may be the unlucky one, however few are played.
        assert!(100 * (n_exact + 1) >= floor * n_games, "{profile} {column}: {n_exact} exact");
    }
    assert!(failing.is_empty(), "{} games of clean and club went wrong", failing.len());
}

/// Writes the failing script as small as it can be made, and says what was expected of it.
fn explain(failed: &Trial, failure: Failure, dir: &Path) {
    println!("{}: {}", failed.recipe, failed.verdict);
    let Some(small) = failed.shrink(failure) else { return };
    let name = format!("{}.trace.jsonl", failed.recipe.to_string().replace(' ', "-"));
    let path: PathBuf = dir.join(name);
    std::fs::write(&path, small.script.to_text()).expect("a directory to write to");
    println!("  {}\n{small}", path.display());
}
