//! What happens to a line while a game is played on its board: the cable is pulled, the daemon
//! comes too late, bytes are hurt. Drawn from seeds, played, and held against what was meant.

use super::account::Discrepancies;
use super::blame;
use super::games::{opera, random_game};
use super::hands::{self, Manners, Performance, TableKind};
use super::replay::{PLUGGED_IN, Replay, settings_of};
use super::script::{Happening, Script};
use super::trial::{KnownGame, TableRow, agreed};
use crate::game::Settings;
use crate::laws::{Edition, Profile, Terms};
use crate::table::{Sight, Word, words};
use crate::time::Mono;
use fastrand::Rng;
use shakmaty::{CastlingMode, Chess, Move};
use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;

/// An invented game is over after so many half-moves.
const PLIES_MAX: usize = 80;
/// For so long a cable is out.
const OUT_MS: RangeInclusive<u64> = 2_000..=60_000;
/// For so long a loose plug has contact, and has none.
const CONTACT_MS: RangeInclusive<u64> = 500..=20_000;
const NO_CONTACT_MS: RangeInclusive<u64> = 200..=8_000;
/// One of so many times it is the daemon that is killed instead.
const KILLED: u8 = 5;
/// So many of ten thousand bytes are hurt, from a bad line to a useless one.
const HURT: RangeInclusive<u32> = 10..=500;
/// So often a radio link holds up what a board reads, and for so long.
const FLOWS_MS: RangeInclusive<u64> = 500..=7_500;
const HELD_MS: RangeInclusive<u64> = 100..=700;
/// For so long a board is without power whose cable stays in.
const POWERLESS_MS: RangeInclusive<u64> = 50..=900;
/// Who comes too late for the mate comes so long after it.
const LATE_MS: RangeInclusive<u64> = 0..=10_000;
/// After the last move the line is left alone for so long, so that the record can come to its
/// conclusions.
const LINGER: Duration = Duration::from_secs(60);
/// Makes of a seed another one.
const OTHERWISE: u64 = 0x7e0_ab1e;

words! {
    /// What becomes of a line.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub enum TroubleKind {
        /// The cable is out for a while, in the middle of the game.
        Cable = "cable",
        /// The cable is out again and again, for moments, and at times the daemon is killed.
        Loose = "loose",
        /// The cable of another board, on which another game is played, is plugged in for a while.
        Exchange = "exchange",
        /// The daemon is started in the middle of the game.
        Join = "join",
        /// Some of the bytes are hurt, in both directions, all the time.
        Noise = "noise",
        /// The daemon is killed in the middle of the game, and started again after a while.
        Kill = "kill",
        /// The daemon is killed in the middle of the game, which is over by mate when it is back.
        Late = "late",
        /// The cable is out until the game is over, and both kings stand in the center.
        End = "end",
        /// What the board reads is held up for moments, as by a radio; what the clock says is not.
        Held = "held",
        /// The board is without power for a moment while its cable stays in: it answers then as
        /// before, and tells no changes until it is asked to again.
        Power = "power",
    }
}

impl TroubleKind {
    /// The kind of this word.
    ///
    /// # Errors
    /// There is none; which there are.
    pub fn parse(word: &str) -> Result<Self, String> {
        let known = || format!("known: {}", Self::ALL.map(Self::word).join(", "));
        Word::parse(word).ok_or_else(known)
    }
}

/// A stretch of time in which nobody hears the board.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Out {
    /// When it begins.
    pub from: Mono,
    /// When it is over.
    pub until: Mono,
    /// What is gone meanwhile.
    pub what: Away,
}

/// What is gone while nobody hears a board.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Away {
    /// The cable is out.
    Cable,
    /// The same; the board has its power from it, sees nothing meanwhile, and looks at its squares
    /// anew when that is back.
    Power,
    /// The daemon is killed, and goes on from what is on record.
    Daemon,
    /// The cable is out, and soon that of another board is in its place until then.
    Exchanged {
        /// When that one is pulled as well.
        until: Mono,
    },
}

/// Hurts bytes.
#[derive(Clone, Debug)]
pub struct Noise {
    rng: Rng,
    /// So many of ten thousand.
    hurt: u32,
}

impl Noise {
    /// Noise that hurts `hurt` of ten thousand bytes.
    pub fn new(hurt: u32, seed: u64) -> Self {
        Self { rng: Rng::with_seed(seed), hurt }
    }

    /// Changes, drops and adds bytes.
    pub fn spoil(&mut self, bytes: &mut Vec<u8>) {
        let mut heard = Vec::with_capacity(bytes.len());
        for byte in bytes.drain(..) {
            if self.rng.u32(0..10_000) >= self.hurt {
                heard.push(byte);
                continue;
            }
            match self.rng.u8(0..4) {
                0 => {}
                1 => heard.extend([byte, self.rng.u8(..)]),
                2 => heard.push(byte ^ 1 << self.rng.u8(0..8)),
                _ => heard.push(self.rng.u8(..)),
            }
        }
        *bytes = heard;
    }
}

/// What becomes of a line, in order.
#[derive(Clone, Debug, Default)]
pub struct Trouble {
    /// Stretches in which nobody hears the board, one after the other. One that begins with the
    /// script is a daemon that is started at its end.
    pub outs: Vec<Out>,
    /// What hurts the bytes.
    pub noise: Option<Noise>,
    /// The board does not tell what it remembers.
    pub is_forgetful: bool,
    /// What is played on the other board.
    pub other: Option<Script>,
}

/// What decides everything about a troubled game.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct TroubleCase {
    /// Draws all that is drawn.
    pub seed: u64,
    /// What becomes of the line.
    pub kind: TroubleKind,
    /// The name of the hands' manners, one of [`Manners::NAMES`].
    pub profile: &'static str,
    /// What stands on the table.
    pub table: TableKind,
    /// A referee is seated by these Laws.
    pub laws: Option<Edition>,
    /// The board does not tell what it remembers.
    pub is_forgetful: bool,
}

impl fmt::Display for TroubleCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.profile, self.kind.word())?;
        let has_names = self.table.sight == Sight::Pieces;
        let words = [
            (!has_names, ", no names"),
            (!self.table.has_clock, ", no clock"),
            (self.is_forgetful, ", no memory"),
            (self.laws.is_some(), ", referee"),
        ];
        words.into_iter().filter(|(is, _)| *is).try_for_each(|(_, word)| f.write_str(word))
    }
}

/// A game on a troubled line, and what came of it.
#[derive(Clone, Debug)]
pub struct Troubled {
    /// What it was made from.
    pub case: TroubleCase,
    /// What was played.
    pub performance: Performance,
    /// What became of the line.
    pub trouble: Trouble,
    /// What the core put on record.
    pub replay: Replay,
    /// That, held against what was played.
    pub account: Discrepancies,
    /// How many players were named for what nobody did.
    pub n_accused: usize,
}

impl TroubleCase {
    /// The hands that play the game, and what becomes of the line meanwhile. The game is a known
    /// one if there are any.
    ///
    /// # Panics
    /// If there are no manners of that name.
    pub fn prepare(&self, known: &[KnownGame]) -> (Performance, Trouble) {
        let manners = Manners::named(self.profile).expect("a profile");
        // The line has enough troubles; moves tried out after the game are no moves of it.
        let manners = match self.kind {
            // What is done on the board after the mate is what makes it hard.
            TroubleKind::Late => Manners { unplugged: 0.0, ..manners },
            TroubleKind::End => Manners { unplugged: 0.0, kings: 1.0, ..manners },
            _ => Manners { unplugged: 0.0, post_mortem: 0.0, kings: 0.0, ..manners },
        };
        let idx = usize::try_from(self.seed).unwrap_or_default();
        let moves: Vec<Move> = match known.len() {
            _ if self.kind == TroubleKind::Late => opera().1,
            0 => random_game(self.seed, PLIES_MAX),
            n => known[idx % n].moves.clone(),
        };
        let mode = CastlingMode::Standard;
        let start = Chess::new();
        let outcome = (self.kind == TroubleKind::End).then(|| agreed(self.seed));
        let mut played =
            hands::perform(&start, mode, &moves, outcome, &manners, self.table, self.seed);
        if let Some((end, _)) = played.script.happenings.last_mut() {
            *end = *end + LINGER;
        }
        // The start position is nothing that anybody has named.
        played.script.header.start = None;
        let trouble = self.trouble(&played);
        if self.kind == TroubleKind::Held {
            hold_up(&mut played.script, &mut Rng::with_seed(self.seed ^ OTHERWISE));
        }
        if self.kind == TroubleKind::Power {
            cut_power(&mut played, &mut Rng::with_seed(self.seed ^ OTHERWISE));
        }
        (played, trouble)
    }

    fn trouble(&self, played: &Performance) -> Trouble {
        let mut rng = Rng::with_seed(self.seed ^ OTHERWISE);
        let (first, last) = moved_between(played);
        let from = rng.u64(first..=last);
        let until = from + rng.u64(OUT_MS);
        let cable = if rng.bool() { Away::Power } else { Away::Cable };
        let (from, until) = (Mono::from_millis(from), Mono::from_millis(until));
        let outs = match self.kind {
            TroubleKind::Cable => vec![Out { from, until, what: cable }],
            TroubleKind::Loose => loose(first, last, cable, &mut rng),
            TroubleKind::Exchange => {
                let until = until + PLUGGED_IN;
                let what = Away::Exchanged { until };
                vec![Out { from, until: until + PLUGGED_IN, what }]
            }
            TroubleKind::Join => {
                vec![Out { from: Mono::default(), until: from, what: Away::Cable }]
            }
            TroubleKind::Noise | TroubleKind::Held | TroubleKind::Power => Vec::new(),
            TroubleKind::Kill => vec![Out { from, until, what: Away::Daemon }],
            TroubleKind::Late => {
                let until = Mono::from_millis(last) + Duration::from_millis(rng.u64(LATE_MS));
                vec![Out { from, until, what: Away::Daemon }]
            }
            TroubleKind::End => {
                let end = played.script.happenings.last().map_or(until, |(end, _)| *end);
                let until = Mono::from_millis(end.millis() - LINGER.as_millis() as u64);
                vec![Out { from: from.min(until), until, what: cable }]
            }
        };
        // As many games on lines that are nearly good as on those that are nearly useless.
        let (least, most) = (f64::from(*HURT.start()).ln(), f64::from(*HURT.end()).ln());
        let hurt = (least + rng.f64() * (most - least)).exp();
        let noise = (self.kind == TroubleKind::Noise).then(|| Noise::new(hurt as u32, rng.u64(..)));
        let other = (self.kind == TroubleKind::Exchange).then(|| self.played_beside());
        Trouble { outs, noise, is_forgetful: self.is_forgetful, other }
    }

    /// What the same hands play on another board at the same time.
    fn played_beside(&self) -> Script {
        let seed = self.seed ^ OTHERWISE;
        let manners = Manners::named(self.profile).expect("a profile");
        let moves = random_game(seed, PLIES_MAX);
        let (start, mode) = (Chess::new(), CastlingMode::Standard);
        hands::perform(&start, mode, &moves, None, &manners, self.table, seed).script
    }

    /// The settings of a program that knows nothing of the game but its Laws.
    pub fn settings(&self, played: &Performance) -> Settings {
        let of = |edition| Profile { edition, ..Profile::default() };
        let terms = self.laws.map(|laws| Terms { profile: of(laws), ..Terms::default() });
        Settings { terms, ..settings_of(&played.script.header) }
    }

    /// Plays a game.
    ///
    /// # Panics
    /// If there are no manners of that name.
    pub fn run(self, known: &[KnownGame]) -> Troubled {
        let (performance, trouble) = self.prepare(known);
        let replay = Replay::run_amid(&performance.script, self.settings(&performance), &trouble);
        let account = Discrepancies::new(&performance.truth, &replay.entries, &trouble.outs);
        let n_accused = blame::undeserved(&performance.truth, &replay.entries).len();
        Troubled { case: self, performance, trouble, replay, account, n_accused }
    }
}

/// Contact and none, from the first move to the last.
fn loose(first: u64, last: u64, cable: Away, rng: &mut Rng) -> Vec<Out> {
    let (mut at, mut outs) = (first, Vec::new());
    loop {
        let from = at + rng.u64(CONTACT_MS);
        let until = from + rng.u64(NO_CONTACT_MS);
        if from > last {
            return outs;
        }
        let what = if rng.u8(0..KILLED) == 0 { Away::Daemon } else { cable };
        outs.push(Out { from: Mono::from_millis(from), until: Mono::from_millis(until), what });
        at = until;
    }
}

/// Lets what the board reads come late for moments, again and again.
fn hold_up(script: &mut Script, rng: &mut Rng) {
    let mut held = 0..0;
    for (at, what) in &mut script.happenings {
        while held.end <= at.millis() {
            let from = held.end + rng.u64(FLOWS_MS);
            held = from..from + rng.u64(HELD_MS);
        }
        if matches!(what, Happening::Sensed { .. }) && held.contains(&at.millis()) {
            *at = Mono::from_millis(held.end);
        }
    }
    script.happenings.sort_by_key(|(at, _)| *at);
}

/// When the first move was made and when the last one was, in ms.
fn moved_between(played: &Performance) -> (u64, u64) {
    let made = |idx: usize| played.truth.plies.get(idx).map_or(0, |ply| ply.made.millis());
    let (first, last) = (made(0), made(played.truth.plies.len().saturating_sub(1)));
    (first, last.max(first))
}

/// Takes the power from the board for a moment, in the middle of the game.
fn cut_power(played: &mut Performance, rng: &mut Rng) {
    let (first, last) = moved_between(played);
    let off = rng.u64(first..=last);
    let on = off + rng.u64(POWERLESS_MS);
    let cut = [(off, Happening::PowerOff), (on, Happening::PowerOn)];
    let cut = cut.map(|(at, what)| (Mono::from_millis(at), what));
    played.script.happenings.extend(cut);
    played.script.happenings.sort_by_key(|(at, _)| *at);
}

/// What came of many games on troubled lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Toll {
    n_games: usize,
    /// Half-moves, or positions, on record that were not played, without a mark that names what
    /// was.
    pub n_invented: usize,
    /// Half-moves that were not played, with such a mark.
    pub n_marked: usize,
    /// Half-moves that are missing, and nothing says so.
    pub n_missing: usize,
    /// Half-moves that are not known although the line was up, but for the first.
    pub n_late: usize,
    n_gaps: usize,
    n_unknown: usize,
    /// Games of which nothing is on record.
    pub n_nothing: usize,
    /// Games that a position is said to have ended that is not on record, or never stood.
    pub n_false_ends: usize,
    /// Players who were named for what nobody did.
    pub n_accused: usize,
}

impl Toll {
    /// Takes another game.
    pub fn add(&mut self, account: &Discrepancies, n_accused: usize) {
        self.n_games += 1;
        self.n_invented += account.n_invented;
        self.n_marked += account.n_marked;
        self.n_missing += account.n_missing;
        self.n_late += account.n_late;
        self.n_gaps += account.n_gaps;
        self.n_unknown += account.n_unknown;
        self.n_nothing += usize::from(account.is_nothing);
        self.n_false_ends += usize::from(account.is_end_false);
        self.n_accused += n_accused;
    }
}

impl TableRow for Toll {
    const HEADER: &'static str =
        " games invented marked missing  late  gaps unknown nothing false ends accused";
}

impl fmt::Display for Toll {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:>6}{:>9}{:>7}{:>8}{:>6}{:>6}{:>8}{:>8}{:>11}{:>8}",
            self.n_games,
            self.n_invented,
            self.n_marked,
            self.n_missing,
            self.n_late,
            self.n_gaps,
            self.n_unknown,
            self.n_nothing,
            self.n_false_ends,
            self.n_accused,
        )
    }
}
