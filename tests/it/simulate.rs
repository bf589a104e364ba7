//! Games from seeds, performed by hands, replayed and held against what was really played.
//!
//! The oracle: the record equals the intent, or something on it names the difference. Of calm hands
//! with a clock no game may differ; of the others at least so many must not, and no more than so
//! many may differ silently. `ROKADE_SEEDS` sets how many games are played, `ROKADE_SHRINK` names a
//! directory into which every failing script is written as small as it can be made. For more games
//! than that there is `rokade simulate --games`.

use crate::games::classics;
use rokade::sim::shrink::Symptom;
use rokade::sim::trial::{Choice, KnownGame, Recipe, Rows, Tally, Trial};
use rokade::sim::verdict::{self, Mark, Meant, TrialVerdict};
use rokade::sim::{Also, Manners, Replay, Script, TableKind, Truth};
use rokade::table::Sight;
use rokade::time::Mono;
use shakmaty::{Position, uci::UciMove};
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
/// these numbers only ever rise. A board that does not know its pieces is not held to any: where a
/// rook is promoted to, it sees no more than that something is there.
const FLOORS: [(&str, &str, usize); 10] = [
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
];

/// How many games of a thousand may be silently wrong: a record that is not what was played, and
/// nothing on it that tells. This number only ever falls. Of the usual seeds there is none.
const SILENT_PER_MILLE: usize = 4;

fn recipe(seed: u64) -> Recipe {
    let (n_profiles, n_kinds) = (Manners::NAMES.len() as u64, KINDS.len() as u64);
    let round = (seed / (n_profiles * n_kinds)) as usize;
    Recipe {
        seed,
        choice: match round % 6 {
            0 | 3 => Choice::Known(round / 3),
            1 => Choice::Chess960,
            _ => Choice::Invented,
        },
        profile: Manners::NAMES[(seed % n_profiles) as usize],
        also: Also::NONE,
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
    let known: Vec<KnownGame> = classics()
        .into_iter()
        .map(|game| KnownGame { moves: game.moves, outcome: game.outcome })
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
    let mut table = Rows::<Tally>::default();
    played.iter().for_each(|trial| table.row(&trial.recipe).add(&trial.verdict));
    println!("{table}");
    if let Ok(dir) = std::env::var("ROKADE_SHRINK") {
        for failed in played.iter().filter(|t| !t.verdict.is_exact) {
            explain(failed, Symptom::Wrong, Path::new(&dir));
        }
    }
    let silent: Vec<&Trial> = played.iter().filter(|t| t.verdict.is_silently_wrong()).collect();
    silent.iter().for_each(|trial| println!("{}: {}", trial.recipe, trial.verdict));
    if let Some(first) = silent.first() {
        explain(first, Symptom::Silent, Path::new(env!("CARGO_TARGET_TMPDIR")));
    }
    if let Some(first) = failing.first() {
        explain(first, Symptom::Wrong, Path::new(env!("CARGO_TARGET_TMPDIR")));
    }
    for (profile, column, floor) in FLOORS {
        let Some(tally) = table.get(profile, column) else { continue };
        let (n_exact, n_games) = (tally.n_exact, tally.n_games);
        // One game may be the unlucky one, however few are played.
        assert!(100 * (n_exact + 1) >= floor * n_games, "{profile} {column}: {n_exact} exact");
    }
    let n_silent = silent.len();
    assert!(1_000 * n_silent <= SILENT_PER_MILLE * played.len(), "{n_silent} silently wrong");
    assert!(failing.is_empty(), "{} games of clean and club went wrong", failing.len());
}

/// A short game with a clock, on a board of that sight.
fn short(sight: Sight) -> Trial {
    let table = TableKind { sight, has_clock: true };
    Trial::run(Recipe::invented(2, "clean", table, N_PLIES_MAX), &[])
}

#[test]
fn a_record_of_another_move_is_silently_wrong() {
    let trial = short(Sight::Pieces);
    let Trial { start, mut performance, replay, .. } = trial;
    let replay = replay.expect("no panic");
    let script = performance.script.clone();
    let judge = |truth: &Truth| TrialVerdict::new(&start, truth, &replay, &script);
    assert!(judge(&performance.truth).is_exact);
    // As if the players had meant something else by the last move than what they did.
    let (last, earlier) = performance.truth.plies.split_last_mut().expect("a game of some moves");
    let mut before = start.clone();
    earlier.iter().for_each(|ply| before.play_unchecked(ply.m));
    let other = before.legal_moves().into_iter().find(|m| *m != last.m).expect("another move");
    let recorded = std::mem::replace(&mut last.m, other);
    let verdict = judge(&performance.truth);
    assert_eq!(verdict.parting, Some((performance.truth.plies.len(), Some(other), Some(recorded))));
    assert!(verdict.is_silently_wrong(), "{verdict}");
}

#[test]
fn an_uncertain_move_and_a_finding_break_the_silence() {
    let replay_of = |name: &str| {
        let path = format!("{}/tests/traces/{name}.trace.jsonl", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
        Replay::run(&Script::parse(&text).unwrap())
    };
    let mark_of = |name: &str, intent: &[(&str, u64)]| {
        let replay = replay_of(name);
        let start = replay.game.play().expect("a game").sheet().start().clone();
        let mut pos = start.clone();
        let meant = intent.iter().map(|(uci, ms)| {
            let m = uci.parse::<UciMove>().unwrap().to_move(&pos).unwrap();
            pos.play_unchecked(m);
            Meant { m, made: Mono::from_millis(*ms) }
        });
        verdict::mark(&start, &meant.collect::<Vec<_>>(), &replay)
    };
    // Two captures fit, and the other one is on record.
    let captured = [("d5e7", 3_500), ("g8h8", 6_650)];
    assert_eq!(mark_of("17b-reed-victim-unseen", &captured), Some(Mark::Alternative));
    let neither = [("d5f4", 3_500), ("g8h8", 6_650)];
    assert_eq!(mark_of("17b-reed-victim-unseen", &neither), None);
    // A notice names f1 and e2: it tells of a bishop that is not on record, and of nothing else.
    let told = |third| {
        let moves = [("e2e4", 2_350), ("e7e5", 9_290), (third, 9_500)];
        mark_of("53-restored-wrongly", &moves)
    };
    let at = told("f1e2").map(|mark| match mark {
        Mark::Finding(at) => at.millis(),
        Mark::Alternative | Mark::Gap => 0,
    });
    assert_eq!(at, Some(10_845));
    assert_eq!(told("d2d3"), None);
}

/// Writes the failing script as small as it can be made, and says what was expected of it.
fn explain(failed: &Trial, failure: Symptom, dir: &Path) {
    println!("{}: {}", failed.recipe, failed.verdict);
    let Some(small) = failed.shrink(failure) else { return };
    let name = format!("{}.trace.jsonl", failed.recipe.to_string().replace(' ', "-"));
    let path: PathBuf = dir.join(name);
    std::fs::write(&path, small.script.to_text()).expect("a directory to write to");
    println!("  {}\n{small}", path.display());
}
