//! Games from seeds, performed by hands, replayed and held against what was really played.
//!
//! The oracle: the record equals the intent. Of calm hands with a clock no game may differ; of the
//! others at least so many must not, and the table says how many differ silently. `ROKADE_SEEDS`
//! sets how many games are played, `ROKADE_SHRINK` names a directory into which every failing
//! script is written as small as it can be made.

mod judge;
mod shrink;

use crate::games::{Classic, classics};
use judge::Verdict;
use rokade::sim::games::random_game_from;
use rokade::sim::{Manners, Performance, Replay, Script, TableKind, perform};
use shakmaty::{CastlingMode, Chess, KnownOutcome, Move, Outcome, Position};
use std::fmt;
use std::path::{Path, PathBuf};

const N_SEEDS: u64 = 200;
/// Longer games find no more, but take longer.
const N_PLIES_MAX: usize = 40;
const KINDS: [TableKind; 4] = [
    TableKind { names_pieces: true, has_clock: true },
    TableKind { names_pieces: true, has_clock: false },
    TableKind { names_pieces: true, has_clock: true },
    TableKind { names_pieces: false, has_clock: true },
];

/// How many games of a hundred are exact at least. What is missing to a hundred is work to do, and
/// these numbers only ever rise. A board that names no pieces is not held to any yet.
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

/// One game out of its seed.
struct Case {
    seed: u64,
    profile: &'static str,
    table: TableKind,
    start: Chess,
    mode: CastlingMode,
    moves: Vec<Move>,
    outcome: Option<KnownOutcome>,
}

/// A case with what came of it.
struct Played {
    case: Case,
    performance: Performance,
    verdict: Verdict,
}

impl Case {
    fn new(seed: u64, classics: &[Classic]) -> Self {
        let n_profiles = Manners::NAMES.len() as u64;
        let profile = Manners::NAMES[(seed % n_profiles) as usize];
        let table = KINDS[(seed / n_profiles % KINDS.len() as u64) as usize];
        let round = (seed / (n_profiles * KINDS.len() as u64)) as usize;
        let (mut start, mut mode) = (Chess::default(), CastlingMode::Standard);
        if round.is_multiple_of(3) {
            let game = &classics[round / 3 % classics.len()];
            let moves = game.moves[..game.moves.len().min(2 * N_PLIES_MAX)].to_vec();
            let is_whole = moves.len() == game.moves.len();
            let outcome = game.outcome.filter(|_| is_whole);
            return Self { seed, profile, table, start, mode, moves, outcome };
        }
        if round % 6 == 1 {
            (start, mode) = (chess960(seed), CastlingMode::Chess960);
        }
        let moves = random_game_from(&start, seed, N_PLIES_MAX);
        let end = moves.iter().fold(start.clone(), |pos, &m| pos.play(m).expect("a legal move"));
        let outcome = match end.outcome() {
            Outcome::Known(outcome) => outcome,
            Outcome::Unknown => agreed(seed),
        };
        Self { seed, profile, table, start, mode, moves, outcome: Some(outcome) }
    }

    fn run(self) -> Played {
        let manners = Manners::named(self.profile).expect("a profile");
        let Self { start, mode, moves, outcome, table, seed, .. } = &self;
        let performance = perform(start, *mode, moves, *outcome, &manners, *table, *seed);
        let verdict = match replay(&performance.script) {
            Some(replay) => Verdict::new(&performance.truth, &replay, table.names_pieces),
            None => Verdict::of_panic(&performance.truth),
        };
        Played { case: self, performance, verdict }
    }

    fn column(&self) -> &'static str {
        match (self.table.names_pieces, self.table.has_clock) {
            (true, true) => "",
            (true, false) => "no clock",
            (false, _) => "reed",
        }
    }

    /// What must be exact already; the rest is on its way there.
    fn is_held_to_account(&self) -> bool {
        let is_whole = self.table.names_pieces && self.table.has_clock;
        is_whole && ["clean", "club"].contains(&self.profile)
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seed {} profile {} {}", self.seed, self.profile, self.column())
    }
}

fn agreed(seed: u64) -> KnownOutcome {
    use shakmaty::Color::{Black, White};
    let all = [Some(White), Some(Black), None];
    KnownOutcome::from_winner(all[(seed / 6 % 3) as usize])
}

fn chess960(seed: u64) -> Chess {
    let board = shakmaty::Board::chess960((seed * 37 % 960) as u32);
    let mut setup = shakmaty::Setup::initial();
    setup.castling_rights = board.rooks();
    setup.board = board;
    setup.position(CastlingMode::Chess960).expect("a start position")
}

/// A replay, or nothing if the core panicked over the script.
fn replay(script: &Script) -> Option<Replay> {
    std::panic::catch_unwind(|| Replay::run(script)).ok()
}

/// Plays all seeds, on as many processors as there are, and returns them in order.
fn play_all(n_seeds: u64) -> Vec<Played> {
    let classics = classics();
    let n_workers = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let mut played: Vec<Played> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..n_workers)
            .map(|worker| {
                let seeds = (worker..n_seeds).step_by(n_workers as usize);
                let classics = &classics;
                scope.spawn(move || {
                    seeds.map(|seed| Case::new(seed, classics).run()).collect::<Vec<_>>()
                })
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no panic")).collect()
    });
    played.sort_by_key(|played| played.case.seed);
    played
}

#[test]
fn record_equals_intent() {
    let n_seeds = std::env::var("ROKADE_SEEDS").map_or(N_SEEDS, |n| n.parse().unwrap());
    let played = play_all(n_seeds);
    let failing: Vec<&Played> =
        played.iter().filter(|p| p.case.is_held_to_account() && !p.verdict.is_perfect()).collect();
    if let Some(first) = failing.first() {
        println!("{}", first.case);
    }
    println!("{}", table(&played));
    if let Ok(dir) = std::env::var("ROKADE_SHRINK") {
        for failed in played.iter().filter(|p| !p.verdict.is_exact) {
            explain(failed, Path::new(&dir));
        }
    }
    if let Some(first) = failing.first() {
        explain(first, Path::new(env!("CARGO_TARGET_TMPDIR")));
    }
    for (profile, column, floor) in FLOORS {
        let row: Vec<&Verdict> = row(&played, profile, column).collect();
        let n_exact = row.iter().filter(|verdict| verdict.is_exact).count();
        // One game may be the unlucky one, however few are played.
        assert!(100 * (n_exact + 1) >= floor * row.len(), "{profile} {column}: {n_exact} exact");
    }
    assert!(failing.is_empty(), "{} games of clean and club went wrong", failing.len());
}

/// Writes the failing script as small as it can be made, and says what was expected of it.
fn explain(failed: &Played, dir: &Path) {
    println!("{}: {}", failed.case, failed.verdict);
    let Case { start, mode, .. } = &failed.case;
    let Some(small) = shrink::shrink(start, *mode, &failed.performance) else { return };
    let name = format!("{}.trace.jsonl", failed.case.to_string().trim().replace(' ', "-"));
    let path: PathBuf = dir.join(name);
    std::fs::write(&path, small.script.to_text()).expect("a directory to write to");
    println!("  {}\n{small}", path.display());
}

fn row<'a>(
    played: &'a [Played],
    profile: &'a str,
    column: &'a str,
) -> impl Iterator<Item = &'a Verdict> {
    let is_meant = move |p: &&Played| p.case.profile == profile && p.case.column() == column;
    played.iter().filter(is_meant).map(|p| &p.verdict)
}

fn table(played: &[Played]) -> String {
    let mut text = format!(
        "{:<18}{:>6}{:>6}{:>8}{:>16}{:>11}{:>9}{:>14}\n",
        "profile", "games", "exact", "silent", "completed", "retracted", "alarms", "results"
    );
    for column in ["", "no clock", "reed"] {
        for profile in Manners::NAMES {
            let row: Vec<&Verdict> = row(played, profile, column).collect();
            let sum = |count: fn(&Verdict) -> usize| row.iter().map(|v| count(v)).sum::<usize>();
            text += &format!(
                "{:<18}{:>6}{:>6}{:>8}{:>16}{:>11}{:>9}{:>14}\n",
                format!("{profile} {column}"),
                row.len(),
                sum(|v| usize::from(v.is_exact)),
                sum(|v| usize::from(v.is_silently_wrong())),
                format!("{} of {}", sum(|v| v.n_completed), sum(|v| v.n_presses)),
                sum(|v| v.n_retracted),
                sum(|v| v.n_false_alarms),
                format!("{} of {}", sum(|v| usize::from(v.is_result_right)), row.len()),
            );
        }
    }
    text
}
