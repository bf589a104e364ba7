//! `rokade simulate --games --trouble`: games on lines that have their troubles, held against what
//! was played.

use super::{Failure, say};
use crate::game::Fact;
use crate::laws::Edition;
use crate::relay::log::Log;
use crate::sim::TableKind;
use crate::sim::account::Discrepancies;
use crate::sim::trial::{KnownGame, TableRow};
use crate::sim::trouble::{Toll, TroubleCase, TroubleKind, Troubled};
use crate::table::Reading;
use crate::time::Mono;
use shakmaty::Chess;
use shakmaty::san::SanPlus;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{fs, thread};

/// Games that are named and written, at the most.
const NAMED_MAX: usize = 20;

/// Which games are played, and where those go of which the record says what was not so.
pub(super) struct Troubles<'a> {
    pub(super) kinds: &'a [TroubleKind],
    pub(super) profiles: &'a [&'static str],
    pub(super) table: TableKind,
    pub(super) laws: Option<Edition>,
    pub(super) wrong: Option<&'a Path>,
}

impl Troubles<'_> {
    /// Plays a game for each seed in each row of the table, and prints it.
    pub(super) fn run(
        &self,
        seeds: std::ops::Range<u64>,
        known: &[KnownGame],
    ) -> Result<(), Failure> {
        say(format_args!("{:<32}{}", "line", Toll::HEADER))?;
        let mut named: Vec<(TroubleCase, String)> = Vec::new();
        for case in self.rows(seeds.start) {
            let (toll, wrong) = row(case, seeds.clone(), known);
            say(format_args!("{:<32}{toll}", case.to_string()))?;
            named.extend(wrong);
        }
        for (case, what) in named.iter().take(NAMED_MAX) {
            say(format_args!("seed {} {case}: {what}", case.seed))?;
            if let Some(folder) = self.wrong {
                let name = format!("{}-{case}.log", case.seed).replace([' ', ','], "-");
                let path = folder.join(name);
                fs::write(&path, story(&case.run(known)))
                    .map_err(Failure::io(format!("{}: cannot be written", path.display())))?;
            }
        }
        Ok(())
    }

    fn rows(&self, seed: u64) -> Vec<TroubleCase> {
        let memories = &[false, true][..];
        let laws = [None, self.laws];
        let n_laws = if self.laws.is_some() { 2 } else { 1 };
        let mut rows = Vec::new();
        for (profile, kind) in
            self.profiles.iter().flat_map(|profile| self.kinds.iter().map(move |k| (*profile, *k)))
        {
            for laws in &laws[..n_laws] {
                // Who was not there asks for no memory.
                let memories = if kind == TroubleKind::Join { &memories[..1] } else { memories };
                rows.extend(memories.iter().map(|is_forgetful| TroubleCase {
                    seed,
                    kind,
                    profile,
                    table: self.table,
                    laws: *laws,
                    is_forgetful: *is_forgetful,
                }));
            }
        }
        rows
    }
}

/// What the arbiter was told, and between that what was played and what became of the line.
fn story(troubled: &Troubled) -> String {
    let mut log = Log::default();
    let told = troubled.replay.entries.iter();
    let told = told.filter_map(|entry| {
        let sensed = match entry.fact {
            Fact::Sensed { sq, reading: Reading::Piece(piece) } => {
                Some(format!("    {sq} reads {}", piece.char()))
            }
            Fact::Sensed { sq, reading: Reading::Empty } => Some(format!("    {sq} reads nothing")),
            Fact::Sensed { sq, .. } => Some(format!("    {sq} reads something")),
            Fact::Pictured(ref seen) => {
                Some(format!("    the board reads {}", seen.known().board_fen()))
            }
            _ => None,
        };
        Some((entry.at.mono, sensed.or_else(|| log.line(&entry.fact))?))
    });
    let outs = troubled.trouble.outs.iter();
    let outs = outs.flat_map(|out| [(out.from, "  cable out"), (out.until, "  cable in")]);
    let mut lines: Vec<(Mono, String)> = told.collect();
    lines.extend(outs.map(|(at, what)| (at, what.to_owned())));
    let mut pos = Chess::new();
    for (idx, ply) in troubled.performance.truth.plies.iter().enumerate() {
        let san = SanPlus::from_move_and_play_unchecked(&mut pos, ply.m);
        lines.push((ply.made, format!("  played: half-move {}, {san}", idx + 1)));
        lines.extend(ply.completed.map(|at| (at, "  pressed".to_owned())));
    }
    lines.sort_by_key(|(at, _)| *at);
    lines.iter().map(|(at, line)| format!("{:>9}  {line}\n", at.to_string())).collect()
}

/// What the record of a game says that was not so, or does not say.
fn wrong_in(troubled: &Troubled) -> Option<String> {
    let Discrepancies { parting, n_missing, .. } = troubled.account;
    let whats = [
        parting.map(|ply| format!("half-move {ply} on record was not played")),
        (n_missing > 0).then(|| format!("half-moves are missing without a word: {n_missing}")),
        (troubled.n_accused > 0).then(|| "somebody is named for what nobody did".to_owned()),
    ];
    let whats: Vec<String> = whats.into_iter().flatten().collect();
    (!whats.is_empty()).then(|| whats.join("; "))
}

/// Plays one game for each seed, on as many processors as there are. Names those of which the
/// record says what was not so, or does not say what is not known.
fn row(
    case: TroubleCase,
    seeds: std::ops::Range<u64>,
    known: &[KnownGame],
) -> (Toll, Vec<(TroubleCase, String)>) {
    let n_workers = thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicU64::new(seeds.start);
    let told = Mutex::new((Toll::default(), Vec::new()));
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                return;
            }
            let case = TroubleCase { seed, ..case };
            let troubled = case.run(known);
            let mut told = told.lock().expect("no worker panics with the table in hand");
            told.0.add(&troubled.account, troubled.n_accused);
            told.1.extend(wrong_in(&troubled).map(|what| (case, what)));
        }
    };
    thread::scope(|scope| {
        for _ in 0..n_workers {
            scope.spawn(work);
        }
    });
    let (toll, mut wrong) = told.into_inner().expect("no worker panics with the table in hand");
    wrong.sort_by_key(|(case, _)| case.seed);
    (toll, wrong)
}
