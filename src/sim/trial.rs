//! Whole games from seeds: performed by hands, replayed, and held against what was meant.

use super::games::random_game_from;
use super::hands::{self, Also, Manners, Performance, TableKind};
use super::replay::Replay;
use super::script::Happening;
use super::shrink::{self, Failure, Small};
use super::still::Rule;
use super::verdict::Verdict;
use crate::track::Sight;
use shakmaty::{Board, CastlingMode, Chess, Color, KnownOutcome, Move, Outcome, Position, Setup};
use std::fmt;
use std::time::Duration;

/// An invented game is over after so many half-moves. Longer ones find no more, but take longer.
const RANDOM_PLIES_MAX: usize = 40;

/// A script ends this much later than the hands are done. The last move may have to wait until the
/// board is asked again, after 10 s, and a piece that seems to be held is reported after 30 s.
const LINGER: Duration = Duration::from_secs(40);

/// A game that hands may play, from the usual start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// The moves.
    pub moves: Vec<Move>,
    /// How it ended.
    pub outcome: Option<KnownOutcome>,
}

/// Which game the hands play.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Choice {
    /// One of those that are known; their number is counted round and round.
    Known(usize),
    /// One that is drawn, from the usual start.
    Invented,
    /// One that is drawn, from a start position of Chess960.
    Chess960,
}

/// What decides everything about a trial. The same recipe gives the same trial.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Recipe {
    /// Draws the moves of invented games and all that hands do.
    pub seed: u64,
    /// Which game.
    pub choice: Choice,
    /// The name of the hands' manners, one of [`Manners::NAMES`].
    pub profile: &'static str,
    /// What else happens.
    pub also: Also,
    /// What stands on the table.
    pub table: TableKind,
    /// Known games are cut after so many half-moves.
    pub n_plies_max: usize,
}

impl Recipe {
    /// What is on the table in a word or two: nothing for a DGT board with a clock.
    pub fn column(&self) -> &'static str {
        match (self.table.sight, self.table.has_clock) {
            (Sight::Pieces, true) => "",
            (Sight::Pieces, false) => "no clock",
            (Sight::Colors, true) => "color",
            (Sight::Colors, false) => "color, no clock",
            (Sight::Occupied, true) => "reed",
            (Sight::Occupied, false) => "reed, no clock",
        }
    }
}

impl Recipe {
    /// The hands in a word or two, such as `blitz` or `blitz+scan,lag`.
    pub fn hands(&self) -> String {
        if self.also == Also::NONE {
            return self.profile.to_owned();
        }
        format!("{}+{}", self.profile, self.also)
    }
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seed {} profile {}", self.seed, self.hands())?;
        let column = self.column();
        if column.is_empty() { Ok(()) } else { write!(f, " {column}") }
    }
}

/// A game that was played by hands, and what came of it.
#[derive(Clone, Debug)]
pub struct Trial {
    /// What it was made from.
    pub recipe: Recipe,
    /// The position before the first move.
    pub start: Chess,
    /// How castling is played.
    pub mode: CastlingMode,
    /// What was played, and what the devices said of it.
    pub performance: Performance,
    /// What the core put on record; nothing if it panicked.
    pub replay: Option<Replay>,
    /// That, held against what was played.
    pub verdict: Verdict,
}

impl Trial {
    /// Plays a game.
    ///
    /// # Panics
    /// If there are no manners of the recipe's name, or no game is known where one is wanted.
    pub fn run(recipe: Recipe, known: &[Known]) -> Self {
        let Recipe { seed, profile, also, table, .. } = recipe;
        let manners = Manners { also, ..Manners::named(profile).expect("a profile") };
        let Game { start, mode, moves, outcome } = Game::new(&recipe, known);
        let mut performance = hands::perform(&start, mode, &moves, outcome, &manners, table, seed);
        if let Some((end, Happening::End)) = performance.script.happenings.last_mut() {
            *end = *end + LINGER;
        }
        let replay = shrink::replay(&performance.script);
        let verdict = match &replay {
            Some(replay) => Verdict::new(&start, &performance.truth, replay, table.sight),
            None => Verdict::of_panic(&performance.truth),
        };
        Self { recipe, start, mode, performance, replay, verdict }
    }

    /// Whether a plain rule reads just what was played out of the same record.
    pub fn is_exact_by(&self, rule: Rule) -> bool {
        let read = self.replay.as_ref().and_then(|replay| rule.read(&replay.entries));
        let played = self.performance.truth.plies.iter().map(|ply| ply.m);
        read.is_some_and(|read| read.sheet.moves().iter().map(|scored| scored.m).eq(played))
    }

    /// The script, as small as it can be made while it fails in this way.
    pub fn shrink(&self, failure: Failure) -> Option<Small> {
        shrink::shrink(&self.start, self.mode, &self.performance, failure)
    }
}

/// What hands are to play.
struct Game {
    start: Chess,
    mode: CastlingMode,
    moves: Vec<Move>,
    outcome: Option<KnownOutcome>,
}

impl Game {
    fn new(recipe: &Recipe, known: &[Known]) -> Self {
        let Recipe { seed, choice, n_plies_max, .. } = *recipe;
        let (mut start, mut mode) = (Chess::default(), CastlingMode::Standard);
        if let Choice::Known(n) = choice {
            let game = &known[n % known.len()];
            let moves = game.moves[..game.moves.len().min(n_plies_max)].to_vec();
            let is_whole = moves.len() == game.moves.len();
            return Self { start, mode, moves, outcome: game.outcome.filter(|_| is_whole) };
        }
        if choice == Choice::Chess960 {
            (start, mode) = (chess960(seed), CastlingMode::Chess960);
        }
        let moves = random_game_from(&start, seed, RANDOM_PLIES_MAX);
        let end = moves.iter().fold(start.clone(), |pos, &m| pos.play(m).expect("a legal move"));
        let outcome = match end.outcome() {
            Outcome::Known(outcome) => outcome,
            Outcome::Unknown => agreed(seed),
        };
        Self { start, mode, moves, outcome: Some(outcome) }
    }
}

fn agreed(seed: u64) -> KnownOutcome {
    let all = [Some(Color::White), Some(Color::Black), None];
    KnownOutcome::from_winner(all[(seed / 6 % 3) as usize])
}

fn chess960(seed: u64) -> Chess {
    let board = Board::chess960((seed * 37 % 960) as u32);
    let mut setup = Setup::initial();
    setup.castling_rights = board.rooks();
    setup.board = board;
    setup.position(CastlingMode::Chess960).expect("a start position")
}

/// What came of many trials with the same hands at the same kind of table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Games played.
    pub n_games: usize,
    /// Games whose record is what was played.
    pub n_exact: usize,
    /// Games whose record is not, and nothing on it tells.
    pub n_silent: usize,
    /// Half-moves marked as uncertain.
    pub n_uncertain: usize,
    n_completed: usize,
    n_presses: usize,
    n_retracted: usize,
    n_false_alarms: usize,
    n_results: usize,
}

impl Row for Tally {
    const HEADER: &'static str =
        " games exact silent  uncertain       completed  retracted   alarms       results";
}

impl Tally {
    /// Takes another game.
    pub fn add(&mut self, verdict: &Verdict) {
        self.n_games += 1;
        self.n_exact += usize::from(verdict.is_exact);
        self.n_silent += usize::from(verdict.is_silently_wrong());
        self.n_uncertain += verdict.n_uncertain;
        self.n_completed += verdict.n_completed;
        self.n_presses += verdict.n_presses;
        self.n_retracted += verdict.n_retracted;
        self.n_false_alarms += verdict.n_false_alarms;
        self.n_results += usize::from(verdict.is_result_right);
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:>6}{:>6}{:>7}{:>11}{:>16}{:>11}{:>9}{:>14}",
            self.n_games,
            self.n_exact,
            self.n_silent,
            self.n_uncertain,
            format!("{} of {}", self.n_completed, self.n_presses),
            self.n_retracted,
            self.n_false_alarms,
            format!("{} of {}", self.n_results, self.n_games),
        )
    }
}

/// What came of many trials, row by row: one row for each kind of hands and table, in the order in
/// which they were begun.
#[derive(Clone, Debug)]
pub struct Rows<T>(Vec<(String, T)>);

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Default> Rows<T> {
    /// The row of such trials.
    pub fn row(&mut self, recipe: &Recipe) -> &mut T {
        let name = name(&recipe.hands(), recipe.column());
        let found = self.0.iter().position(|(known, _)| *known == name);
        let idx = found.unwrap_or_else(|| {
            self.0.push((name, T::default()));
            self.0.len() - 1
        });
        &mut self.0[idx].1
    }

    /// The row of these hands ([`Recipe::hands`]) at this kind of table, if any game was played so.
    pub fn get(&self, hands: &str, column: &str) -> Option<&T> {
        let name = name(hands, column);
        self.0.iter().find(|(known, _)| *known == name).map(|(_, row)| row)
    }
}

fn name(hands: &str, column: &str) -> String {
    format!("{hands} {column}").trim_end().to_owned()
}

/// A row of a table.
pub trait Row: fmt::Display {
    /// The names of its columns.
    const HEADER: &'static str;
}

impl<T: Row> fmt::Display for Rows<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<24}{}", "hands", T::HEADER)?;
        self.0.iter().try_for_each(|(name, row)| writeln!(f, "{name:<24}{row}"))
    }
}

/// The rules that [`Contest`] holds the record against.
const RULES: [Rule; 3] =
    [Rule::Still(Duration::from_millis(100)), Rule::Still(Duration::from_millis(300)), Rule::Press];

/// How many games of many the record and plain rules have exactly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contest {
    n_games: usize,
    n_exact: usize,
    n_by_rule: [usize; RULES.len()],
}

impl Contest {
    /// Takes another game.
    pub fn add(&mut self, trial: &Trial) {
        self.n_games += 1;
        self.n_exact += usize::from(trial.verdict.is_exact);
        for (n, rule) in self.n_by_rule.iter_mut().zip(RULES) {
            *n += usize::from(trial.is_exact_by(rule));
        }
    }

    /// Takes the games of another contest.
    pub fn join(&mut self, other: &Self) {
        self.n_games += other.n_games;
        self.n_exact += other.n_exact;
        for (n, more) in self.n_by_rule.iter_mut().zip(other.n_by_rule) {
            *n += more;
        }
    }
}

impl Row for Contest {
    const HEADER: &'static str = " games  rokade  still 100 ms  still 300 ms  at the press";
}

impl fmt::Display for Contest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>6}{:>8}", self.n_games, self.n_exact)?;
        self.n_by_rule.iter().try_for_each(|n| write!(f, "{n:>14}"))
    }
}
