//! `rokade simulate --games`: whole games by simulated hands, held against what was meant.

use super::Failure;
use super::tools::SimulateOptions;
use crate::relay::words::Word;
use crate::sim::shrink::Failure as Failing;
use crate::sim::trial::{Choice, Contest, Known, Recipe, Rows, Tally, Trial};
use crate::sim::verdict::Verdict;
use crate::sim::{Also, Manners, TableKind};
use crate::track::Sight;
use clap::Args;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// Progress is told after so many games.
const TOLD_EVERY: u64 = 100;
/// Of invented games one in so many is of Chess960.
const CHESS960_EVERY: u64 = 5;
/// Silently wrong games that are named, at the most.
const NAMED_MAX: usize = 20;

/// Which games are played.
#[derive(Debug, Args)]
pub(super) struct Games {
    /// Play so many games with each kind of manners, from the seed on, and hold the record against
    /// what was meant. The games of --game, or else invented ones
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["trace", "link", "speed"])]
    pub(super) games: Option<u64>,
    /// What the board sees: dgt (every piece by name), color or reed (occupied squares)
    #[arg(long, value_name = "BOARD", requires = "games")]
    #[arg(default_value = "dgt", value_parser = sight)]
    board: Sight,
    /// Play without a clock
    #[arg(long, requires = "games")]
    no_clock: bool,
    /// Say beside the record how many games plain rules have exactly: a position that is one legal
    /// move away is a move when it has been still for so long, or when the clock is pressed
    #[arg(long, requires = "games")]
    compare: bool,
    /// What else happens, of scan, lag, lies, nowait, beside, early, recapture, tails, drags, back,
    /// after and takeback, with commas between them, or all; once for each row of the table
    #[arg(long, value_name = "HABITS", requires = "games", value_parser = Also::parse)]
    also: Vec<Also>,
    /// Where the first game goes whose record is silently wrong, as a trace made small
    #[arg(long, value_name = "FOLDER", default_value = ".", requires = "games")]
    failing: PathBuf,
}

fn sight(word: &str) -> Result<Sight, String> {
    Sight::parse(word).ok_or_else(|| "there is dgt, color or reed".to_owned())
}

impl Games {
    pub(super) fn run(&self, n_games: u64, options: &SimulateOptions) -> Result<(), Failure> {
        let known = options.known()?;
        let profiles = options.manners.map_or(Manners::NAMES.to_vec(), |name| vec![name]);
        let mut silent: Vec<(Recipe, Verdict)> = Vec::new();
        let (mut table, mut contests) = (Rows::<Tally>::default(), Rows::<Contest>::default());
        let also = if self.also.is_empty() { vec![Also::NONE] } else { self.also.clone() };
        let hands = profiles.iter().flat_map(|name| also.iter().map(|also| (*name, *also)));
        for hands in hands {
            let seeds = options.seed..options.seed.saturating_add(n_games);
            let of = |seed| self.recipe(seed, hands, !known.is_empty());
            for Played { recipe, verdict, contest } in self.play(seeds, of, &known) {
                table.row(&recipe).add(&verdict);
                contests.row(&recipe).join(&contest);
                if verdict.is_silently_wrong() {
                    silent.push((recipe, verdict));
                }
            }
        }
        print!("{table}");
        if self.compare {
            print!("\nexact\n{contests}");
        }
        let Some((first, _)) = silent.first() else { return Ok(()) };
        for (recipe, verdict) in silent.iter().take(NAMED_MAX) {
            println!("{recipe}: {verdict}");
        }
        let path = write_small(&Trial::run(*first, &known), &self.failing)?;
        Err(Failure::Other(format!(
            "{} games have a record that is silently wrong; the first, made small, is in {}",
            silent.len(),
            path.display()
        )))
    }

    /// Plays one game for each seed, on as many processors as there are. The games come in the
    /// order of their seeds.
    fn play(
        &self,
        seeds: std::ops::Range<u64>,
        of: impl Fn(u64) -> Recipe + Sync,
        known: &[Known],
    ) -> Vec<Played> {
        let n_workers = thread::available_parallelism().map_or(1, |n| n.get() as u64);
        let (next, n_seeds) = (AtomicU64::new(seeds.start), seeds.end - seeds.start);
        let work = || {
            let mut played = Vec::new();
            loop {
                let seed = next.fetch_add(1, Ordering::Relaxed);
                if seed >= seeds.end {
                    return played;
                }
                let trial = Trial::run(of(seed), known);
                let n_done = seed - seeds.start + 1;
                if n_done.is_multiple_of(TOLD_EVERY) {
                    let hands = trial.recipe.hands();
                    // Progress that nobody reads is no loss.
                    writeln!(std::io::stderr(), "{hands}: {n_done} of {n_seeds} games").ok();
                }
                let mut contest = Contest::default();
                if self.compare {
                    contest.add(&trial);
                }
                let Trial { recipe, verdict, .. } = trial;
                played.push(Played { recipe, verdict, contest });
            }
        };
        let mut played: Vec<Played> = thread::scope(|scope| {
            let workers: Vec<_> = (0..n_workers).map(|_| scope.spawn(work)).collect();
            workers.into_iter().flat_map(|worker| worker.join().expect("a worker ends")).collect()
        });
        played.sort_by_key(|played| played.recipe.seed);
        played
    }

    fn recipe(&self, seed: u64, (profile, also): (&'static str, Also), has_known: bool) -> Recipe {
        let table = TableKind { sight: self.board, has_clock: !self.no_clock };
        let choice = match usize::try_from(seed) {
            Ok(idx) if has_known => Choice::Known(idx),
            _ if seed.is_multiple_of(CHESS960_EVERY) => Choice::Chess960,
            _ => Choice::Invented,
        };
        Recipe { seed, choice, profile, also, table, n_plies_max: usize::MAX }
    }
}

/// What is kept of a game that was played. The game itself can be had again from its recipe.
struct Played {
    recipe: Recipe,
    verdict: Verdict,
    contest: Contest,
}

/// Writes the script of a silently wrong game, as small as it can be made.
fn write_small(trial: &Trial, folder: &Path) -> Result<PathBuf, Failure> {
    let name = format!("{}.trace.jsonl", trial.recipe.to_string().replace(' ', "-"));
    let path = folder.join(name);
    let small = trial.shrink(Failing::Silent);
    let script = small.map_or_else(|| trial.performance.script.clone(), |small| small.script);
    std::fs::write(&path, script.to_text())
        .map_err(Failure::io(format!("{}: cannot be written", path.display())))?;
    Ok(path)
}
