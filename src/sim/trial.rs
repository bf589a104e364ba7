//! Whole games from seeds: performed by hands, replayed, and held against what was meant.

use super::blame::{self, Accusation};
use super::games::random_game_from;
use super::hands::{self, Also, Manners, Performance, TableKind};
use super::reach::{self, Why};
use super::replay::{Replay, settings_of};
use super::script::Happening;
use super::shrink::{self, Small, Symptom};
use super::still::Rule;
use super::verdict::TrialVerdict;
use crate::game::{Fact, ScoreSheet, Settings};
use crate::laws::{Edition, Ending, Profile, Reason, Terms};
use crate::table::Sight;
use crate::time::Mono;
use crate::track::line::CompletedBy;
use shakmaty::{Board, CastlingMode, Chess, Color, KnownOutcome, Move, Outcome, Position, Setup};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// An invented game is over after so many half-moves. Longer ones find no more, but take longer.
const RANDOM_PLIES_MAX: usize = 40;

/// A script ends this much later than the hands are done. The last move may have to wait until the
/// board is asked again, after 10 s, and a piece that seems to be held is reported after 30 s.
const LINGER: Duration = Duration::from_secs(40);

/// A game that hands may play, from the usual start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownGame {
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
    /// The game that is played.
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
    /// An invented game of at most so many half-moves, by hands without further habits.
    pub fn invented(
        seed: u64,
        profile: &'static str,
        table: TableKind,
        n_plies_max: usize,
    ) -> Self {
        Self { seed, choice: Choice::Invented, profile, also: Also::NONE, table, n_plies_max }
    }

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
    /// The game by its hands, before anybody records it, from which position on, and how castling
    /// is played.
    ///
    /// # Panics
    /// As [`Trial::run`].
    pub fn perform(&self, known: &[KnownGame]) -> (Chess, CastlingMode, Performance) {
        let Self { seed, profile, also, table, .. } = *self;
        let manners = Manners { also, ..Manners::named(profile).expect("a profile") };
        let PlannedGame { start, mode, moves, outcome } = PlannedGame::new(self, known);
        let mut performance = hands::perform(&start, mode, &moves, outcome, &manners, table, seed);
        if let Some((end, Happening::End)) = performance.script.happenings.last_mut() {
            *end = *end + LINGER;
        }
        (start, mode, performance)
    }

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
    pub verdict: TrialVerdict,
}

impl Trial {
    /// Plays a game.
    ///
    /// # Panics
    /// If there are no manners of the recipe's name, or no game is known where one is wanted.
    pub fn run(recipe: Recipe, known: &[KnownGame]) -> Self {
        let (start, mode, performance) = recipe.perform(known);
        let replay = shrink::replay(&performance.script);
        let verdict = match &replay {
            Some(replay) => {
                TrialVerdict::new(&start, &performance.truth, replay, &performance.script)
            }
            None => TrialVerdict::of_panic(&performance.truth),
        };
        Self { recipe, start, mode, performance, replay, verdict }
    }

    /// Whether a plain rule reads just what was played out of the same record.
    pub fn is_exact_by(&self, rule: Rule) -> bool {
        let read = self.replay.as_ref().and_then(|replay| rule.read(&replay.entries));
        let played = self.performance.truth.plies.iter().map(|ply| ply.m);
        read.is_some_and(|read| read.sheet.moves().iter().map(|scored| scored.m).eq(played))
    }

    /// The same game with a referee seated, held against this record.
    pub fn refereed(&self, edition: Edition) -> Refereed {
        let script = &self.performance.script;
        let profile = Profile { edition, ..Profile::default() };
        let terms = Some(Terms { profile, ..Terms::default() });
        let settings = Settings { terms, ..settings_of(&script.header) };
        let run = || Replay::run_with(script, settings);
        let seated = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).ok();
        let (Some(seated), Some(alone)) = (seated, &self.replay) else {
            return Refereed { is_same: false, has_same_result: false, accusations: Vec::new() };
        };
        Refereed {
            is_same: moves_of(&seated) == moves_of(alone),
            has_same_result: has_same_result(&seated, alone),
            accusations: blame::undeserved(&self.performance.truth, &seated.entries),
        }
    }

    /// How long after the release each move that is right was put on record as made, in the end.
    pub fn shown(&self) -> Vec<Duration> {
        let mut made: BTreeMap<usize, Mono> = BTreeMap::new();
        for entry in self.replay.iter().flat_map(|replay| &replay.entries) {
            match entry.fact {
                Fact::MoveMade { ply, .. } => drop(made.insert(ply, entry.at.mono)),
                Fact::MoveRetracted { ply } => drop(made.split_off(&ply)),
                _ => {}
            }
        }
        let n_right = self.verdict.parting.map_or(usize::MAX, |(ply, ..)| ply - 1);
        let right = self.performance.truth.plies.iter().zip(1..).take(n_right);
        right.filter_map(|(ply, n)| Some(made.get(&n)?.since(ply.made))).collect()
    }

    /// What the map of all reachable placements says against the record, if anything.
    pub fn off_the_map(&self) -> Option<Why> {
        let play = self.replay.as_ref().and_then(|replay| replay.game.play());
        let sheet = play.map_or_else(
            || ScoreSheet::new(self.start.clone(), self.mode),
            |play| play.sheet().clone(),
        );
        reach::disagreement(&self.performance.script, &sheet)
    }

    /// The script, as small as it can be made while it fails in this way.
    pub fn shrink(&self, failure: Symptom) -> Option<Small> {
        shrink::shrink(&self.start, self.mode, &self.performance, failure)
    }
}

/// What a seated referee changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refereed {
    /// The record has the same moves, completed by the same things.
    pub is_same: bool,
    /// And the same result, unless the Laws gave one that no position and no kings give.
    pub has_same_result: bool,
    /// Of players who did nothing of the kind.
    pub accusations: Vec<Accusation>,
}

fn moves_of(replay: &Replay) -> Vec<(Move, Option<CompletedBy>)> {
    let moves = replay.game.play().map_or(&[][..], |play| play.sheet().moves());
    moves.iter().map(|scored| (scored.m, scored.completed.map(|done| done.by))).collect()
}

fn has_same_result(seated: &Replay, alone: &Replay) -> bool {
    let ending = |replay: &Replay| replay.game.play().and_then(|play| play.ending());
    let is_of_laws = |ending: &Ending| {
        let reason = ending.reason;
        matches!(
            reason,
            Reason::IllegalMoves | Reason::Fivefold | Reason::SeventyFiveMoves | Reason::Time
        ) || reason == Reason::DeadPosition
    };
    let (with, without) = (ending(seated), ending(alone));
    with.as_ref().is_some_and(is_of_laws) || with == without
}

/// What hands are to play.
struct PlannedGame {
    start: Chess,
    mode: CastlingMode,
    moves: Vec<Move>,
    outcome: Option<KnownOutcome>,
}

impl PlannedGame {
    fn new(recipe: &Recipe, known: &[KnownGame]) -> Self {
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

/// The result that players of an invented game agree upon.
pub(super) fn agreed(seed: u64) -> KnownOutcome {
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
    n_missed: usize,
    n_results: usize,
    /// Games whose record is another game that the devices cannot tell from what was played, and
    /// says so.
    pub n_twins: usize,
    /// Times that a player was named for something that nobody did.
    pub n_accused: usize,
    /// Games whose record ends where the board does not.
    pub n_apart: usize,
    /// Times that a game was said to be over by a position that was not there.
    pub n_false_ends: usize,
}

impl TableRow for Tally {
    const HEADER: &'static str = concat!(
        " games exact twins silent apart  ends accused",
        "  uncertain       completed  retracted   alarms missed       results",
    );
}

impl Tally {
    /// Takes another game.
    pub fn add(&mut self, verdict: &TrialVerdict) {
        self.n_games += 1;
        self.n_exact += usize::from(verdict.is_exact);
        self.n_silent += usize::from(verdict.is_silently_wrong());
        self.n_uncertain += verdict.n_uncertain;
        self.n_completed += verdict.n_completed;
        self.n_presses += verdict.n_presses;
        self.n_retracted += verdict.n_retracted;
        self.n_false_alarms += verdict.n_false_alarms;
        self.n_missed += verdict.n_missed;
        self.n_results += usize::from(verdict.is_result_right);
        self.n_twins += usize::from(!verdict.is_exact && verdict.is_right());
        self.n_accused += verdict.accusations.len();
        self.n_apart += usize::from(verdict.ends_apart);
        self.n_false_ends += verdict.n_false_ends;
    }

    /// Games whose record is as good as the devices allow.
    pub fn n_right(&self) -> usize {
        self.n_exact + self.n_twins
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:>6}{:>6}{:>6}{:>7}{:>6}{:>6}{:>8}{:>11}{:>16}{:>11}{:>9}{:>7}{:>14}",
            self.n_games,
            self.n_exact,
            self.n_twins,
            self.n_silent,
            self.n_apart,
            self.n_false_ends,
            self.n_accused,
            self.n_uncertain,
            format!("{} of {}", self.n_completed, self.n_presses),
            self.n_retracted,
            self.n_false_alarms,
            self.n_missed,
            format!("{} of {}", self.n_results, self.n_games),
        )
    }
}

/// What seated referees change, game by game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RefereeTally {
    n_games: usize,
    /// Games whose moves and completions are the same.
    pub n_same: usize,
    /// Games whose result is.
    pub n_same_result: usize,
    /// Accusations of players who did nothing of the kind.
    pub n_accused: usize,
}

impl RefereeTally {
    /// Takes another game.
    pub fn add(&mut self, refereed: &Refereed) {
        self.n_games += 1;
        self.n_same += usize::from(refereed.is_same);
        self.n_same_result += usize::from(refereed.has_same_result);
        self.n_accused += refereed.accusations.len();
    }
}

impl TableRow for RefereeTally {
    const HEADER: &'static str = " games  same moves  same result  accused";
}

impl fmt::Display for RefereeTally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { n_games, n_same, n_same_result, n_accused } = self;
        write!(f, "{n_games:>6}{n_same:>12}{n_same_result:>13}{n_accused:>9}")
    }
}

/// What the map of all reachable placements says of records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Maps {
    n_games: usize,
    n_marked: usize,
    n_overlapped: usize,
    /// Games whose record no reading of the board led to, or that ends elsewhere, without a mark.
    pub n_contradicted: usize,
}

impl Maps {
    /// Takes another game.
    pub fn add(&mut self, why: Option<Why>) {
        self.n_games += 1;
        match why {
            None => {}
            Some(Why::Marked(_)) => self.n_marked += 1,
            Some(Why::Overlapped(_) | Why::Astray(_)) => self.n_overlapped += 1,
            Some(Why::OffTheMap(_) | Why::Elsewhere(_)) => self.n_contradicted += 1,
        }
    }
}

impl TableRow for Maps {
    const HEADER: &'static str = " games  agrees  overlapped  marked  contradicted";
}

impl fmt::Display for Maps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { n_games, n_marked, n_overlapped, n_contradicted } = self;
        let n_agrees = n_games - n_marked - n_overlapped - n_contradicted;
        write!(f, "{n_games:>6}{n_agrees:>8}{n_overlapped:>12}{n_marked:>8}{n_contradicted:>14}")
    }
}

/// How soon moves are on record after their release.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordDelays(Vec<Duration>);

impl RecordDelays {
    /// Takes the moves of another game.
    pub fn add(&mut self, shown: Vec<Duration>) {
        self.0.extend(shown);
        self.0.sort_unstable();
    }

    /// What `percent` of a hundred moves do not exceed.
    pub fn at(&self, percent: usize) -> Duration {
        let idx = self.0.len().saturating_sub(1) * percent / 100;
        self.0.get(idx).copied().unwrap_or_default()
    }
}

impl TableRow for RecordDelays {
    const HEADER: &'static str = "  moves  median ms  p99 ms";
}

impl fmt::Display for RecordDelays {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = |percent| self.at(percent).as_millis();
        write!(f, "{:>7}{:>11}{:>8}", self.0.len(), ms(50), ms(99))
    }
}

/// What came of many trials, row by row: one row for each kind of hands and table, in the order in
/// which they were begun.
#[derive(Clone, Debug, Default)]
pub struct Rows<T>(Vec<(String, T)>);

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
pub trait TableRow: fmt::Display {
    /// The names of its columns.
    const HEADER: &'static str;
}

impl<T: TableRow> fmt::Display for Rows<T> {
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

impl TableRow for Contest {
    const HEADER: &'static str = " games  rokade  still 100 ms  still 300 ms  at the press";
}

impl fmt::Display for Contest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>6}{:>8}", self.n_games, self.n_exact)?;
        self.n_by_rule.iter().try_for_each(|n| write!(f, "{n:>14}"))
    }
}
