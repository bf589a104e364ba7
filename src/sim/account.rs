//! A record that may begin late and have gaps, held against what was played.
//!
//! The record is laid along the game so that as little as possible is wrong: each move on record
//! was played where it stands, each position that was taken over stood on the board, and what lies
//! between is said to be unknown.

use super::hands::{Performed, Truth};
use super::trouble::Out;
use crate::game::score::{Gap, Scored};
use crate::game::{Entry, Fact, Recovered, ScoreSheet};
use crate::laws::{Ending, FindingKind};
use crate::time::Mono;
use shakmaty::{CastlingMode, Chess, Position};
use std::time::Duration;

/// From the line being up to the board being known: it is woken and asked for its picture.
const READ: Duration = Duration::from_millis(1_500);

/// What a record says that was not so, and what it does not say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Discrepancies {
    /// Half-moves and positions that were not played, without a mark that names what was.
    pub n_invented: usize,
    /// Half-moves that were not played, with such a mark.
    pub n_marked: usize,
    /// Half-moves that are missing without a word: between two that are on record, or at the end.
    pub n_missing: usize,
    /// Half-moves in gaps or before the beginning that were made while the line was up, but for
    /// the first after it was.
    pub n_late: usize,
    /// Stretches that are said to be unknown.
    pub n_gaps: usize,
    /// Half-moves in them.
    pub n_unknown: usize,
    /// No game is on record.
    pub is_nothing: bool,
    /// A position is said to have ended the game that is not the last on record.
    pub is_end_false: bool,
    /// The first half-move, from 1, on record that was not played.
    pub parting: Option<usize>,
}

/// How bad it is to have come to a half-move of the game; the order of the fields is that of
/// weight.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct PathCost {
    invented: usize,
    missing: usize,
    marked: usize,
    late: usize,
    unknown: usize,
    parting: usize,
}

impl PathCost {
    fn invent(self, ply: usize) -> Self {
        let parting = if self.parting == 0 { ply } else { self.parting };
        Self { invented: self.invented + 1, parting, ..self }
    }

    fn miss(self, n: usize) -> Self {
        Self { missing: self.missing + n, ..self }
    }
}

/// The game as it was played.
struct Played<'a> {
    plies: &'a [Performed],
    /// Before each half-move, and after the last.
    positions: Vec<Chess>,
    /// Whether a record can be expected to know the half-move.
    is_seen: Vec<bool>,
}

impl Played<'_> {
    /// Whether `pos` stood on the board after `n` half-moves.
    fn stood(&self, n: usize, pos: &Chess) -> bool {
        let real = &self.positions[n];
        real.board() == pos.board() && real.turn() == pos.turn()
    }

    fn n_seen(&self, from: usize, to: usize) -> usize {
        self.is_seen[from..to].iter().filter(|seen| **seen).count()
    }
}

impl Discrepancies {
    /// Holds what is on record against what was played from the usual start, where nobody heard the
    /// board in `outs`.
    pub fn new(truth: &Truth, entries: &[Entry], outs: &[Out]) -> Self {
        let (sheets, is_end_false) = sheets(entries, &truth.last);
        let Some((last, before)) = sheets.split_last() else {
            let n = truth.plies.len();
            let (n_late, n_missing) = if is_said(entries) { (n, 0) } else { (0, n) };
            return Self { is_nothing: true, n_missing, n_late, ..Self::default() };
        };
        let played = played(truth, outs);
        let mut account = account(&played, last, is_said(entries));
        // Moves of this game that are on record as those of another one were withdrawn from it.
        account.n_invented += before.iter().map(ScoreSheet::len).sum::<usize>();
        account.is_end_false = is_end_false;
        account
    }
}

/// The score sheets of all games on record, and whether one of them was ever said to be ended by a
/// position that it did not lead to, or that was not the last of the game.
fn sheets(entries: &[Entry], end: &Chess) -> (Vec<ScoreSheet>, bool) {
    let mut recovered = Recovered::default();
    let mut sheets = Vec::new();
    let mut is_end_false = false;
    for (idx, entry) in entries.iter().enumerate() {
        if matches!(entry.fact, Fact::GameStarted { .. }) {
            sheets.extend(recovered.sheet().cloned());
        }
        recovered.fold(idx, entry).expect("what was recorded can be recovered");
        // What is recorded at one moment belongs together.
        let is_whole = entries.get(idx + 1).is_none_or(|next| next.at.mono > entry.at.mono);
        if let Some(ending) = recovered.ending().filter(|said| is_whole && said.is_by_position()) {
            let is_of = |pos: &Chess| Ending::of(pos) == Some(ending);
            is_end_false |= !is_of(end) || !recovered.sheet().is_some_and(|it| is_of(it.last()));
        }
    }
    sheets.extend(recovered.sheet().cloned());
    (sheets, is_end_false)
}

fn played<'a>(truth: &'a Truth, outs: &[Out]) -> Played<'a> {
    let mut positions = vec![Chess::new()];
    for ply in &truth.plies {
        let mut pos = positions.last().expect("a start position").clone();
        pos.play_unchecked(ply.m);
        positions.push(pos);
    }
    // The first half-move after the line is up may have been under way.
    let first = |out: &Out| truth.plies.iter().position(|ply| ply.made >= out.until + READ);
    let firsts: Vec<Option<usize>> = outs.iter().map(first).collect();
    let is_out = |at: Mono| outs.iter().any(|out| out.from <= at && at < out.until + READ);
    let is_seen =
        |(idx, ply): (usize, &Performed)| !is_out(ply.made) && !firsts.contains(&Some(idx));
    let is_seen = truth.plies.iter().enumerate().map(is_seen).collect();
    Played { plies: &truth.plies, positions, is_seen }
}

/// Whether the last that is on record says that what comes after it is not known.
fn is_said(entries: &[Entry]) -> bool {
    let mut told = entries.iter().rev().filter_map(|entry| match &entry.fact {
        Fact::Found(finding) => matches!(
            finding.kind,
            FindingKind::LineHurt | FindingKind::PositionUnknown | FindingKind::NotTold
        )
        .then_some(true),
        Fact::GameStarted { .. }
        | Fact::Began { .. }
        | Fact::Gap { .. }
        | Fact::MoveMade { .. } => Some(false),
        _ => None,
    });
    told.next().unwrap_or_default()
}

fn account(played: &Played<'_>, sheet: &ScoreSheet, is_said: bool) -> Discrepancies {
    let n = played.plies.len();
    let mut costs: Vec<PathCost> = (0..=n)
        .map(|k| {
            let cost = PathCost { late: played.n_seen(0, k), ..PathCost::default() };
            if played.stood(k, sheet.start()) { cost } else { cost.invent(1) }
        })
        .collect();
    let is_open = |gap: &Gap| sheet.is_open_end(gap);
    let is_said = is_said || sheet.gaps().last().is_some_and(is_open);
    for idx in 0..=sheet.len() {
        if let Some(gap) = sheet.gaps().iter().find(|gap| gap.ply == idx && !is_open(gap)) {
            costs = after_gap(played, &costs, gap, sheet.position(idx));
        }
        let Some(scored) = sheet.moves().get(idx) else { break };
        costs = after_move(played, &costs, scored, idx + 1);
    }
    let missed = |k: usize| match is_said {
        true => PathCost { late: costs[k].late + played.n_seen(k, n), ..costs[k] },
        false => costs[k].miss(n - k),
    };
    let end = (0..=n).map(missed).min().unwrap_or_default();
    Discrepancies {
        n_invented: end.invented,
        n_marked: end.marked,
        n_missing: end.missing,
        n_late: end.late,
        n_gaps: sheet.gaps().len(),
        n_unknown: end.unknown,
        is_nothing: false,
        is_end_false: false,
        parting: (end.parting > 0).then_some(end.parting),
    }
}

/// The costs after a move on record, half-move `ply` of it.
fn after_move(
    played: &Played<'_>,
    before: &[PathCost],
    scored: &Scored,
    ply: usize,
) -> Vec<PathCost> {
    let mut reached: Vec<PathCost> = before.to_vec();
    for k in 1..reached.len() {
        reached[k] = reached[k].min(reached[k - 1].miss(1));
    }
    let mut after: Vec<PathCost> = reached.iter().map(|cost| cost.invent(ply)).collect();
    for (k, cost) in reached.iter().enumerate().take(played.plies.len()) {
        let m = played.plies[k].m;
        let is_named = scored.alternatives.contains(&m.to_uci(CastlingMode::Standard));
        // What a marked half-move brought to a square is moved or taken there under its name.
        let follows = cost.marked > 0 && scored.uci == m.to_uci(CastlingMode::Standard);
        let cost = match () {
            () if scored.m == m => *cost,
            () if is_named || follows => PathCost { marked: cost.marked + 1, ..*cost },
            () => cost.invent(ply),
        };
        after[k + 1] = after[k + 1].min(cost);
    }
    after
}

/// The costs after a gap, from which the record goes on in `adopted`.
fn after_gap(
    played: &Played<'_>,
    before: &[PathCost],
    gap: &Gap,
    adopted: &Chess,
) -> Vec<PathCost> {
    let is_said = |n: usize| n >= gap.n.at_least && gap.n.at_most.is_none_or(|most| n <= most);
    let to = |j: usize| {
        let from = (0..=j).map(|k| {
            let (late, n) = (played.n_seen(k, j), j - k);
            let cost = PathCost { late: before[k].late + late, ..before[k] };
            let cost = PathCost { unknown: cost.unknown + n, ..cost };
            let is_so = played.stood(j, adopted) && is_said(n);
            if is_so { cost } else { cost.invent(gap.ply + 1) }
        });
        from.min().unwrap_or_default()
    };
    (0..before.len()).map(to).collect()
}
