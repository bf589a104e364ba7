//! Makes a failing script small: fewer half-moves after and before the failure, fewer disturbances.
//!
//! What is left must still be the same game. So nothing is dropped that changes what stands on the
//! wood at the moments when a move had come to rest.

use super::hands::Performance;
use super::replay::Replay;
use super::script::{Happening, Script};
use super::verdict::{self, Meant};
use crate::table::Placement;
use crate::time::Mono;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position};
use std::fmt;
use std::time::Duration;

/// When the first half-move of a shortened script begins.
const BEGIN: Duration = Duration::from_millis(2_500);
/// How long a shortened script goes on.
const AFTER: Duration = Duration::from_secs(6);

/// What a script must go on doing while it is made smaller.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Symptom {
    /// The record is not what was played.
    Wrong,
    /// Nor does anything tell that it is not.
    Silent,
}

/// A failing script that has been made small.
#[derive(Clone, Debug)]
pub struct Small {
    /// The script.
    pub script: Script,
    intent: Vec<Move>,
    record: Option<Vec<Move>>,
    mode: CastlingMode,
}

impl fmt::Display for Small {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = |moves: &[Move]| -> Vec<String> {
            moves.iter().map(|m| m.to_uci(self.mode).to_string()).collect()
        };
        writeln!(f, "  expected {:?}", words(&self.intent))?;
        match &self.record {
            Some(record) => writeln!(f, "  recorded {:?}", words(record))?,
            None => writeln!(f, "  panicked")?,
        }
        self.script.to_text().lines().try_for_each(|line| writeln!(f, "  {line}"))
    }
}

/// A half-move, and when the wood is looked at after it.
#[derive(Copy, Clone)]
struct MeantPly {
    meant: Meant,
    rests: Mono,
}

/// A stretch of a game that may or may not fail.
#[derive(Clone)]
struct ScriptStretch {
    script: Script,
    plies: Vec<MeantPly>,
    start: Chess,
    failure: Symptom,
    wrong: Misrecord,
}

/// What is on record where the record parts from what was played.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Misrecord {
    /// The core panics before there is a record.
    Panic,
    /// Another move.
    Other(Move),
    /// Nothing any more.
    Missing,
}

/// Where a record parts from what was played.
struct Parting {
    /// The half-move, from 1.
    ply: usize,
    wrong: Misrecord,
}

/// A replay of `script`, or nothing if the core panicked over it.
pub fn replay(script: &Script) -> Option<Replay> {
    std::panic::catch_unwind(|| Replay::run(script)).ok()
}

/// The smallest part of `performance` that is found to fail in this way. `None` if no part of it
/// fails by the moves alone.
pub fn shrink(
    start: &Chess,
    mode: CastlingMode,
    performance: &Performance,
    failure: Symptom,
) -> Option<Small> {
    let plies = performance.truth.plies.iter().map(|ply| MeantPly {
        meant: Meant::from(ply),
        rests: ply.completed.unwrap_or(ply.rested),
    });
    let (script, plies) = (performance.script.clone(), plies.collect());
    let mut whole =
        ScriptStretch { script, plies, start: start.clone(), failure, wrong: Misrecord::Panic };
    let Parting { ply: parting, wrong } = whole.parting()?;
    whole.wrong = wrong;
    let n_plies = whole.plies.len();
    // Half-moves before the parting may fail too if the game stops there; that is another failure.
    let cut = (parting..=n_plies).filter_map(|n| whole.until(n)).find(ScriptStretch::fails);
    let mut trial = cut.unwrap_or_else(|| whole.clone());
    let n_plies = trial.plies.len();
    let shorter = (1..n_plies).rev().filter_map(|n| trial.from(n)).find(|trial| trial.fails());
    trial = shorter.unwrap_or(trial);
    trial.drop_disturbances();
    trial.calm_line();
    let record = trial.record();
    let intent = trial.plies.iter().map(|ply| ply.meant.m).collect();
    Some(Small { script: trial.script, intent, record, mode })
}

impl ScriptStretch {
    /// `None` if the core panics.
    fn record(&self) -> Option<Vec<Move>> {
        let replay = replay(&self.script)?;
        let moves = replay.game.play().map_or(&[][..], |play| play.sheet().moves());
        Some(moves.iter().map(|scored| scored.m).collect())
    }

    /// The first half-move that is on record as something else, if that is a failure.
    fn parting(&self) -> Option<Parting> {
        let Some(replay) = replay(&self.script) else {
            return Some(Parting { ply: 1, wrong: Misrecord::Panic });
        };
        let intent: Vec<Meant> = self.plies.iter().map(|ply| ply.meant).collect();
        let (ply, _, recorded) = verdict::parting(&intent, &replay)?;
        let wrong = recorded.map_or(Misrecord::Missing, Misrecord::Other);
        let is_told = self.failure == Symptom::Silent
            && verdict::mark(&self.start, &intent, &replay).is_some();
        (!is_told).then(|| Parting { ply: self.plies.len().min(ply), wrong })
    }

    /// Whether it fails as the whole does: what is on record is wrong in the same way.
    fn fails(&self) -> bool {
        self.parting().is_some_and(|parting| parting.wrong == self.wrong)
    }

    fn position(&self, n: usize) -> Chess {
        self.plies[..n]
            .iter()
            .fold(self.start.clone(), |pos, ply| pos.play(ply.meant.m).expect("a legal move"))
    }

    /// The first `n` half-moves, if the board shows their position when the last has come to rest.
    fn until(&self, n: usize) -> Option<Self> {
        let end = self.plies[n - 1].rests;
        let mut trial = self.clone();
        trial.plies.truncate(n);
        // A cable that is out is put back in, or the failure would be no wonder.
        let stays = |at: Mono, what: &Happening| at <= end || matches!(what, Happening::LineUp);
        trial.script.happenings.retain(|(at, what)| stays(*at, what));
        let last = trial.script.happenings.last().map_or(end, |(at, _)| *at);
        trial.script.happenings.push((last.max(end) + AFTER, Happening::End));
        let last = trial.wood_at(end);
        last.differs(self.position(n).board()).is_empty().then_some(trial)
    }

    /// What follows the first `n` half-moves, if the board shows their position at that moment.
    fn from(&self, n: usize) -> Option<Self> {
        let cut = self.plies[n - 1].rests;
        let start = self.position(n);
        if self.wood_at(cut).differs(start.board()).any() {
            return None;
        }
        let mut trial = self.clone();
        trial.script.happenings.retain(|(at, _)| *at > cut);
        let first = trial.script.happenings.first()?.0;
        let shift = |at: Mono| Mono::default() + BEGIN + at.since(first);
        trial.script.happenings.iter_mut().for_each(|(at, _)| *at = shift(*at));
        trial.script.header.start = Some(Fen::from_position(&start, EnPassantMode::Legal));
        let moved = |ply: &MeantPly| {
            let meant = Meant { made: shift(ply.meant.made), ..ply.meant };
            MeantPly { meant, rests: shift(ply.rests) }
        };
        trial.plies = self.plies[n..].iter().map(moved).collect();
        trial.start = start;
        Some(trial)
    }

    fn wood_at(&self, until: Mono) -> Placement {
        let mut wood = self.script.header.sight.of_board(self.start.board());
        for (_, happening) in self.script.happenings.iter().take_while(|(at, _)| *at <= until) {
            if let Happening::Sensed { sq, reading, .. } = happening {
                wood.set(*sq, *reading);
            }
        }
        wood
    }

    fn is_same_game(&self, other: &Self) -> bool {
        self.plies.iter().all(|ply| self.wood_at(ply.rests) == other.wood_at(ply.rests))
    }

    /// Drops what can be dropped: single happenings, and two on the same square.
    fn drop_disturbances(&mut self) {
        let mut idx = 0;
        while idx < self.script.happenings.len() {
            let dropped = self
                .without(idx)
                .into_iter()
                .find(|trial| trial.is_same_game(self) && trial.fails());
            match dropped {
                Some(smaller) => *self = smaller,
                None => idx += 1,
            }
        }
    }

    /// The ways to do without what happens at `idx`, the most thorough first.
    fn without(&self, idx: usize) -> Vec<Self> {
        let of_line = |what: &Happening| matches!(what, Happening::LineDown | Happening::LineUp);
        let is_like = |what: &Happening| match (&self.script.happenings[idx].1, what) {
            (Happening::LineDown, other) => of_line(other),
            (Happening::Sensed { sq, .. }, Happening::Sensed { sq: other, .. }) => sq == other,
            _ => false,
        };
        let ahead = self.script.happenings.iter().enumerate().skip(idx + 1);
        let next = ahead.filter(|(_, (_, what))| is_like(what)).map(|(idx, _)| idx).next();
        let pair = next.map(|next| self.without_all(&[idx, next]));
        let is_sensed = matches!(self.script.happenings[idx].1, Happening::Sensed { .. });
        let alone = is_sensed.then(|| self.without_all(&[idx]));
        pair.into_iter().chain(alone).collect()
    }

    fn without_all(&self, drop: &[usize]) -> Self {
        let mut trial = self.clone();
        let mut idx = 0;
        trial.script.happenings.retain(|_| {
            idx += 1;
            !drop.contains(&(idx - 1))
        });
        trial
    }

    /// Lets messages through that need not be lost for the failure.
    fn calm_line(&mut self) {
        for idx in 0..self.script.happenings.len() {
            let mut trial = self.clone();
            if let Happening::Sensed { is_lost, .. } = &mut trial.script.happenings[idx].1
                && std::mem::take(is_lost)
                && trial.fails()
            {
                *self = trial;
            }
        }
    }
}
