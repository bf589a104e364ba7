//! `rokade simulate --games`: whole games by simulated hands, held against what was meant.

use super::replay::earlier_games;
use super::tools::SimulateOptions;
use super::troubles::Troubles;
use super::{Failure, say};
use crate::game::BoardKind;
use crate::laws::Edition;
use crate::relay::pgn::{self, Tags};
use crate::shell::config::SwitchReader;
use crate::sim::maker;
use crate::sim::reach::Why;
use crate::sim::shrink::Symptom;
use crate::sim::trial::{
    Choice, Contest, KnownGame, Maps, Recipe, RecordDelays, RefereeTally, Refereed, Rows, Tally,
    Trial,
};
use crate::sim::trouble::TroubleKind;
use crate::sim::verdict::TrialVerdict;
use crate::sim::{Also, Manners, TableKind};
use crate::table::{Sight, Word};
use clap::Args;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// Progress is told after so many games.
const TOLD_EVERY: u64 = 100;
/// Of invented games one in so many is of Chess960.
const CHESS960_EVERY: u64 = 5;
/// Silently wrong games that are named, at the most.
const NAMED_MAX: usize = 20;

/// Which games are played.
#[derive(Debug, Args)]
pub(super) struct GamesOptions {
    /// Play this many games with each kind of manners, with seeds from --seed on, and compare the
    /// record with what was meant. Plays the games of --game, or else invented ones
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["trace", "link", "speed"])]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) games: Option<u64>,
    /// What the board sees: dgt (every piece by name), color or reed (occupied squares). Boards
    /// that serve other programs can also be those of other makers: millennium, certabo, chessnut,
    /// sentio and pegasus (occupied squares), novag (moves); and switches that are read in other
    /// ways than reed: rows, pcf8575, pca9555, mcp23017, mcp23s17
    #[arg(long, value_name = "BOARD", default_value = "dgt", value_parser = model)]
    pub(super) board: Model,
    /// Play without a clock
    #[arg(long)]
    pub(super) no_clock: bool,
    /// Also say how many games plain rules get exactly: any position that is one legal move away
    /// counts once it has been still for some time, or when the clock is pressed
    #[arg(long, requires = "games")]
    compare: bool,
    /// More habits, separated by commas: scan, lag, lies, nowait, beside, early, recapture, tails,
    /// drags, back, after, takeback, push (on boards without names), or all. Repeat it for more
    /// rows of the table
    #[arg(long, value_name = "HABITS", requires = "games", value_parser = Also::parse)]
    also: Vec<Also>,
    /// Play on a line with this trouble: cable (out for 2 to 60 s), loose (out again and again, or
    /// the daemon is killed), exchange (the cable of another game's board is in its place), join
    /// (the daemon is started in the middle of the game), noise (0.1 to 5 % of the bytes are
    /// corrupted), kill (the daemon is killed and restarted after 2 to 60 s), late (it is back only
    /// after a mate), end (the cable is out until both kings stand in the center), held (readings
    /// arrive up to 0.7 s late, as over a radio) or power (the board loses power for a moment while
    /// its cable stays in). Repeat it for more
    #[arg(long, value_name = "KIND", requires = "games", value_parser = TroubleKind::parse)]
    #[arg(conflicts_with_all = ["compare", "also", "cross_check", "shown"])]
    trouble: Vec<TroubleKind>,
    /// Play each game again with a referee for this edition of the Laws, and say what that changes
    #[arg(long, value_name = "EDITION", requires = "games")]
    laws: Option<Edition>,
    /// Compare each record with a map of all placements that legal moves reach from any position
    /// seen so far
    #[arg(long, requires = "games")]
    cross_check: bool,
    /// Say how long after their release moves are on record
    #[arg(long, requires = "games")]
    shown: bool,
    /// Write all recorded games to this file, as PGN
    #[arg(long, value_name = "FILE", requires = "games", conflicts_with = "trouble")]
    pgn: Option<PathBuf>,
    /// A folder for games whose record is not what was played, as traces made small, and for games
    /// in which an innocent player is named or a referee changes the record, whole; at most 20
    #[arg(long, value_name = "FOLDER", requires = "games")]
    wrong: Option<PathBuf>,
    /// A folder for the first game whose record is silently wrong, as a trace made small
    #[arg(long, value_name = "FOLDER", default_value = ".", requires = "games")]
    failing: PathBuf,
}

/// A board that can be simulated.
#[derive(Copy, Clone, Debug)]
pub(super) struct Model {
    pub(super) sight: Sight,
    /// Whose it is, if not one of DGT.
    pub(super) maker: Option<BoardKind>,
    /// What reads its switches, if it has some.
    pub(super) chips: SwitchReader,
}

fn model(word: &str) -> Result<Model, String> {
    let chips = SwitchReader::ALL.into_iter().find(|chips| chips.board_word() == word);
    let (maker, usual) = (None, SwitchReader::default());
    if let Some(chips) = chips {
        return Ok(Model { sight: chips.sight(), maker, chips });
    }
    if let Some(sight) = Sight::parse(word) {
        return Ok(Model { sight, maker, chips: usual });
    }
    if word == "sentio" {
        let maker = Some(BoardKind::Certabo);
        return Ok(Model { sight: Sight::Occupied, maker, chips: usual });
    }
    let maker = maker::parse(word).ok_or_else(|| {
        let of_switches = SwitchReader::ALL.map(SwitchReader::board_word).join(", ");
        format!("known: dgt, sentio, {of_switches}, {}", maker::names())
    })?;
    let sight = if maker == BoardKind::Pegasus { Sight::Occupied } else { Sight::Pieces };
    Ok(Model { sight, maker: Some(maker), chips: usual })
}

impl GamesOptions {
    pub(super) fn run(&self, n_games: u64, options: &SimulateOptions) -> Result<(), Failure> {
        if self.board.maker.is_some() {
            let why = "a board of another maker is simulated on its line: use --link";
            return Err(Failure::Usage(why.to_owned()));
        }
        // What cannot be written is known before hours are played.
        for folder in self.wrong.iter().chain([&self.failing]) {
            std::fs::create_dir_all(folder)
                .map_err(Failure::io(format!("{}: cannot be made", folder.display())))?;
        }
        let known = options.known()?;
        let profiles = options.manners.map_or(Manners::NAMES.to_vec(), |name| vec![name]);
        if !self.trouble.is_empty() {
            let troubles = Troubles {
                kinds: &self.trouble,
                profiles: &profiles,
                table: TableKind { sight: self.board.sight, has_clock: !self.no_clock },
                laws: self.laws,
                wrong: self.wrong.as_deref(),
            };
            return troubles.run(options.seed..options.seed.saturating_add(n_games), &known);
        }
        let mut told = Totals::default();
        let also = if self.also.is_empty() { vec![Also::NONE] } else { self.also.clone() };
        let hands = profiles.iter().flat_map(|name| also.iter().map(|also| (*name, *also)));
        for hands in hands {
            let seeds = options.seed..options.seed.saturating_add(n_games);
            let of = |seed| self.recipe(seed, hands, !known.is_empty());
            self.play(seeds, of, &known).into_iter().for_each(|played| told.add(played));
        }
        if let Some(path) = &self.pgn {
            std::fs::write(path, &told.pgn)
                .map_err(Failure::io(format!("{}: cannot be written", path.display())))?;
        }
        self.print(&told)?;
        for recipe in told.wrong.iter().take(NAMED_MAX) {
            if let Some(folder) = &self.wrong {
                write_small(&Trial::run(*recipe, &known), folder, Symptom::Wrong)?;
            }
        }
        let silent = told.silent;
        let Some((first, _)) = silent.first() else { return Ok(()) };
        for (recipe, verdict) in silent.iter().take(NAMED_MAX) {
            say(format_args!("{recipe}: {verdict}"))?;
        }
        let path = write_small(&Trial::run(*first, &known), &self.failing, Symptom::Silent)?;
        Err(Failure::Other(format!(
            "{} games have a record that is silently wrong; the first, made small, is in {}",
            silent.len(),
            path.display()
        )))
    }

    fn print(&self, told: &Totals) -> Result<(), Failure> {
        let mut text = told.table.to_string();
        if self.compare {
            text += &format!("\nexact\n{}", told.contests);
        }
        if self.laws.is_some() {
            text += &format!("\nwith a referee\n{}", told.benches);
        }
        if self.shown {
            text += &format!("\nshown as made\n{}", told.delays);
        }
        if self.cross_check {
            text += &format!("\non the map\n{}", told.maps);
        }
        say(text.trim_end_matches('\n'))?;
        told.odd.iter().take(NAMED_MAX).try_for_each(say)
    }

    /// What there is to know of a game besides its verdict.
    fn look_closer(&self, trial: Trial) -> PlayedGame {
        let mut contest = Contest::default();
        if self.compare {
            contest.add(&trial);
        }
        let refereed = self.laws.map(|laws| trial.refereed(laws));
        let why = self.cross_check.then(|| trial.off_the_map());
        let shown = if self.shown { trial.shown() } else { Vec::new() };
        let wants_pgn = self.pgn.is_some();
        let pgn = if wants_pgn { pgn_of_trial(&trial) } else { String::new() };
        let Trial { recipe, verdict, .. } = trial;
        PlayedGame { recipe, verdict, contest, refereed, why, shown, pgn }
    }

    /// Plays one game for each seed, on as many processors as there are. The games come in the
    /// order of their seeds.
    fn play(
        &self,
        seeds: std::ops::Range<u64>,
        of: impl Fn(u64) -> Recipe + Sync,
        known: &[KnownGame],
    ) -> Vec<PlayedGame> {
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
                played.push(self.look_closer(trial));
            }
        };
        let mut played: Vec<PlayedGame> = thread::scope(|scope| {
            let workers: Vec<_> = (0..n_workers).map(|_| scope.spawn(work)).collect();
            workers.into_iter().flat_map(|worker| worker.join().expect("a worker ends")).collect()
        });
        played.sort_by_key(|played| played.recipe.seed);
        played
    }

    fn recipe(&self, seed: u64, (profile, also): (&'static str, Also), has_known: bool) -> Recipe {
        let table = TableKind { sight: self.board.sight, has_clock: !self.no_clock };
        let choice = match usize::try_from(seed) {
            Ok(idx) if has_known => Choice::Known(idx),
            _ if seed.is_multiple_of(CHESS960_EVERY) => Choice::Chess960,
            _ => Choice::Invented,
        };
        Recipe { seed, choice, profile, also, table, n_plies_max: usize::MAX }
    }
}

/// What is kept of a game that was played. The game itself can be had again from its recipe.
struct PlayedGame {
    recipe: Recipe,
    verdict: TrialVerdict,
    contest: Contest,
    refereed: Option<Refereed>,
    /// If it was held against the map: what that says against it.
    why: Option<Option<Why>>,
    shown: Vec<Duration>,
    /// The record as PGN, if that is wanted.
    pgn: String,
}

/// What came of all games.
#[derive(Default)]
struct Totals {
    table: Rows<Tally>,
    contests: Rows<Contest>,
    benches: Rows<RefereeTally>,
    maps: Rows<Maps>,
    delays: Rows<RecordDelays>,
    silent: Vec<(Recipe, TrialVerdict)>,
    wrong: Vec<Recipe>,
    /// A line about each game that a closer look found fault with.
    odd: Vec<String>,
    /// All of them, in their order.
    pgn: String,
}

impl Totals {
    fn add(&mut self, played: PlayedGame) {
        let PlayedGame { recipe, verdict, contest, refereed, why, shown, pgn } = played;
        self.pgn.push_str(&pgn);
        self.delays.row(&recipe).add(shown);
        self.table.row(&recipe).add(&verdict);
        self.contests.row(&recipe).join(&contest);
        let is_apt = |it: &Refereed| it.accusations.is_empty() && it.is_same;
        let is_bench_right = refereed.as_ref().is_none_or(is_apt);
        if let Some(refereed) = refereed {
            self.benches.row(&recipe).add(&refereed);
            if !refereed.is_same {
                self.odd.push(format!("{recipe}: a seated referee changes the record"));
            }
            let said = refereed.accusations.iter();
            self.odd
                .extend(said.map(|said| format!("{recipe}: {} {}, refereed", said.at, said.text)));
        }
        if let Some(why) = why {
            self.maps.row(&recipe).add(why);
            let against = why.filter(|why| why.is_contradiction());
            self.odd.extend(against.map(|why| format!("{recipe}: {why}")));
        }
        let said = verdict.accusations.iter();
        self.odd.extend(said.map(|said| format!("{recipe}: {} {}", said.at, said.text)));
        // Where the devices say the same of another game, its end is as good.
        let has_false_end = verdict.n_false_ends > 0 && !verdict.is_twin;
        if has_false_end {
            self.odd.push(format!("{recipe}: ended for a while by a position that was not there"));
        }
        let is_faultless = verdict.accusations.is_empty() && !has_false_end;
        if !verdict.is_right() || !is_faultless || !is_bench_right {
            self.wrong.push(recipe);
        }
        if verdict.is_silently_wrong() {
            self.silent.push((recipe, verdict));
        }
    }
}

/// What was recorded, as an export has it. The round is the seed, to find the game again by.
fn pgn_of_trial(trial: &Trial) -> String {
    let Some(replay) = &trial.replay else { return String::new() };
    let tags = Tags {
        event: trial.recipe.hands(),
        white: "White".to_owned(),
        black: "Black".to_owned(),
        round: trial.recipe.seed.to_string(),
        ..Tags::default()
    };
    let last = replay.game.play();
    let last = last.map(|play| (play.sheet().clone(), play.ending().map(|end| end.outcome)));
    let games = earlier_games(&replay.entries).into_iter().chain(last);
    games.map(|(sheet, outcome)| pgn::render(&tags, &sheet, sheet.len(), outcome)).collect()
}

/// Writes the script of a game that fails, as small as it can be made.
fn write_small(trial: &Trial, folder: &Path, failing: Symptom) -> Result<PathBuf, Failure> {
    let name = format!("{}.trace.jsonl", trial.recipe.to_string().replace(' ', "-"));
    let path = folder.join(name);
    let small = trial.shrink(failing);
    let script = small.map_or_else(|| trial.performance.script.clone(), |small| small.script);
    std::fs::write(&path, script.to_text())
        .map_err(Failure::io(format!("{}: cannot be written", path.display())))?;
    Ok(path)
}
