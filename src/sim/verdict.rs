//! A replayed game held against what was really played.
//!
//! The oracle: the record equals the intent, or something on it names the difference. Never
//! silently another move.

use super::blame::{self, Accusation};
use super::explain;
use super::hands::{Irregularity, Odd, Oddity, Truth};
use super::replay::Replay;
use super::script::Script;
use crate::game::{Entry, Fact, Recovered, ScoreSheet};
use crate::laws::{Ending, Stage};
use crate::table::Sight;
use crate::time::Mono;
use crate::track::line::CompletedBy;
use shakmaty::{Bitboard, Chess, Move, Position};
use std::fmt;
use std::time::Duration;

/// A finding may come this much after the board is in order again.
const GRACE: Duration = Duration::from_secs(2);

/// What came out right.
#[derive(Clone, Debug, Default)]
pub struct TrialVerdict {
    /// The record is what was played, move by move.
    pub is_exact: bool,
    /// The first half-move, from 1, that differs, with what was played and what is on record.
    pub parting: Option<(usize, Option<Move>, Option<Move>)>,
    /// What tells a reader of the record that it is not what was played.
    pub mark: Option<Mark>,
    /// The record is another game than what was played, but one that gives the very same readings
    /// and presses ([`explain::price`]); where it is marked as well, nothing better can be had.
    pub is_twin: bool,
    /// The record ends on another placement than the one that stood on the board in the end.
    pub ends_apart: bool,
    /// Times that the game was said to be over by a position that was not there.
    pub n_false_ends: usize,
    /// Of that, what still stands in the end.
    pub is_end_false: bool,
    /// Players who were named for something that nobody did.
    pub accusations: Vec<Accusation>,
    /// Half-moves on record that are marked as uncertain.
    pub n_uncertain: usize,
    /// Presses of the clock.
    pub n_presses: usize,
    /// Presses whose moves are on record as completed.
    pub n_completed: usize,
    /// Of those, completed by that press and not by something else.
    pub n_by_press: usize,
    /// Times that moves were withdrawn.
    pub n_retracted: usize,
    /// Findings about what no player did.
    pub n_false_alarms: usize,
    /// Completed illegal moves that no finding names.
    pub n_missed: usize,
    /// The result on record is that of the game.
    pub is_result_right: bool,
}

/// What tells that a record is not what was played.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The move that differs is marked as uncertain, and what was played is among its alternatives.
    Alternative,
    /// What was played from there on is said to be unknown.
    Gap,
    /// At this time a finding named squares on which record and board differed.
    Finding(Mono),
}

/// A half-move that was meant, and when it was made.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Meant {
    /// The move.
    pub m: Move,
    /// When its last piece was let go.
    pub made: Mono,
}

impl TrialVerdict {
    /// Holds `replay` of `script` against what was played from `start`.
    pub fn new(start: &Chess, truth: &Truth, replay: &Replay, script: &Script) -> Self {
        let sight = script.header.sight;
        let recorded = replay.game.play().map_or(&[][..], |play| play.sheet().moves());
        let intent: Vec<Meant> = truth.plies.iter().map(Meant::from).collect();
        let parting = parting(&intent, replay);
        let n_same = parting.map_or(recorded.len(), |(ply, ..)| ply - 1);
        let pressed = || truth.plies.iter().zip(recorded).take(n_same);
        let pressed = || pressed().filter(|(ply, _)| ply.completed.is_some());
        let is_by_press = |by| by == CompletedBy::Press;
        let by_position = truth.last.outcome().known();
        // A board that cannot tell a king from a pawn cannot read the kings either.
        let expected = truth.signalled.filter(|_| sight == Sight::Pieces).or(by_position);
        let ending = replay.game.play().and_then(|play| play.ending()).map(|end| end.outcome);
        let is_false =
            |ending: &Ending| ending.is_by_position() && Ending::of(&truth.last) != Some(*ending);
        let ended = replay.entries.iter().filter_map(|entry| match &entry.fact {
            Fact::Ended(ending) => Some(ending),
            _ => None,
        });
        let standing = replay.game.play().and_then(|play| play.ending());
        let last = replay.game.play().map_or(start, |play| play.sheet().last());
        let recorded_moves: Vec<Move> = recorded.iter().map(|scored| scored.m).collect();
        let alarms = replay.entries.iter().filter(|entry| entry.fact.alarm().is_some());
        Self {
            is_exact: parting.is_none(),
            parting,
            mark: mark(start, &intent, replay),
            is_twin: parting.is_some() && is_twin(start, &intent, &recorded_moves, script),
            ends_apart: sight.of_board(last.board()) != sight.of_board(truth.last.board()),
            n_false_ends: ended.filter(|ending| is_false(ending)).count(),
            is_end_false: standing.is_some_and(|ending| is_false(&ending)),
            accusations: blame::undeserved(truth, &replay.entries),
            n_uncertain: recorded.iter().filter(|scored| scored.is_uncertain()).count(),
            n_presses: n_presses(truth),
            n_completed: pressed().filter(|(_, scored)| scored.completed.is_some()).count(),
            n_by_press: pressed()
                .filter(|(_, scored)| scored.completed.is_some_and(|done| is_by_press(done.by)))
                .count(),
            n_retracted: replay
                .entries
                .iter()
                .filter(|entry| matches!(entry.fact, Fact::MoveRetracted { .. }))
                .count(),
            n_false_alarms: alarms.filter(|entry| !is_about_something(truth, entry)).count(),
            n_missed: n_missed(truth, &replay.entries),
            is_result_right: ending == expected,
        }
    }

    /// The core panicked: nothing is on record.
    pub fn of_panic(truth: &Truth) -> Self {
        Self {
            parting: Some((1, truth.plies.first().map(|ply| ply.m), None)),
            ends_apart: true,
            n_presses: n_presses(truth),
            ..Self::default()
        }
    }

    /// Nothing is left to wish for.
    pub fn is_perfect(&self) -> bool {
        self.is_exact && self.n_by_press == self.n_presses && self.is_result_right
    }

    /// The record is as good as the devices allow: what was played, or a game that cannot be told
    /// from it, marked where they part.
    pub fn is_right(&self) -> bool {
        self.is_exact || self.is_twin && self.mark.is_some()
    }

    /// The record is wrong, and nothing on it tells.
    pub fn is_silently_wrong(&self) -> bool {
        !self.is_exact && self.mark.is_none()
    }
}

impl fmt::Display for TrialVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((ply, intent, record)) = self.parting {
            let word = |m: Option<Move>| m.map_or("nothing".to_owned(), |m| m.to_string());
            write!(f, "ply {ply} was {} and is on record as {}; ", word(intent), word(record))?;
            match self.mark {
                Some(Mark::Alternative) => write!(f, "marked as uncertain; ")?,
                Some(Mark::Gap) => write!(f, "behind a gap; ")?,
                Some(Mark::Finding(at)) => write!(f, "told by a finding at {at}; ")?,
                None => write!(f, "SILENT; ")?,
            }
            if self.is_twin {
                write!(f, "the devices say the same of both; ")?;
            }
        }
        for (is_so, what) in [
            (self.ends_apart, "the record ends where the board does not; "),
            (self.is_end_false, "it ends by a position that was not there; "),
        ] {
            f.write_str(if is_so { what } else { "" })?;
        }
        if !self.accusations.is_empty() {
            write!(f, "{} accusations of innocents; ", self.accusations.len())?;
        }
        write!(
            f,
            "{} of {} presses, {} findings too many, {} too few, result {}",
            self.n_by_press,
            self.n_presses,
            self.n_false_alarms,
            self.n_missed,
            if self.is_result_right { "right" } else { "wrong" }
        )
    }
}

impl From<&super::hands::Performed> for Meant {
    fn from(performed: &super::hands::Performed) -> Self {
        Self { m: performed.m, made: performed.made }
    }
}

/// The first half-move, from 1, in which `intent` and the record differ, with both.
pub fn parting(intent: &[Meant], replay: &Replay) -> Option<(usize, Option<Move>, Option<Move>)> {
    let recorded = replay.game.play().map_or(&[][..], |play| play.sheet().moves());
    let n_same = recorded.iter().zip(intent).take_while(|(a, b)| a.m == b.m).count();
    let (meant, scored) = (intent.get(n_same), recorded.get(n_same));
    (meant.is_some() || scored.is_some())
        .then(|| (n_same + 1, meant.map(|ply| ply.m), scored.map(|scored| scored.m)))
}

/// What tells that the record of a game from `start` is not what was meant. `None` also where it
/// is.
pub fn mark(start: &Chess, intent: &[Meant], replay: &Replay) -> Option<Mark> {
    let (ply, meant, _) = parting(intent, replay)?;
    let sheet = replay.game.play().map(|play| play.sheet());
    let scored = sheet.and_then(|sheet| sheet.moves().get(ply - 1));
    let is_named = scored.zip(meant).is_some_and(|(scored, meant)| {
        let mode = sheet.map_or(shakmaty::CastlingMode::Standard, ScoreSheet::mode);
        scored.alternatives.contains(&meant.to_uci(mode))
    });
    if is_named {
        return Some(Mark::Alternative);
    }
    if sheet.is_some_and(|sheet| sheet.gaps().iter().any(|gap| gap.ply < ply)) {
        return Some(Mark::Gap);
    }
    let since = intent.get(ply - 1).or(intent.last()).map_or(Mono::default(), |ply| ply.made);
    let mut recorded = Recovered::default();
    for (idx, entry) in replay.entries.iter().enumerate() {
        recorded.fold(idx, entry).expect("what was recorded can be recovered");
        let alarm = entry.fact.alarm().filter(|_| entry.at.mono >= since);
        let (Some(finding), Some(sheet)) = (alarm, recorded.sheet()) else { continue };
        let differs = differing(&position(start, intent, entry.at.mono), sheet.last());
        if finding.squares().iter().any(|sq| differs.contains(*sq)) {
            return Some(Mark::Finding(entry.at.mono));
        }
    }
    None
}

/// What was on the board at `at`, as the players meant it.
fn position(start: &Chess, intent: &[Meant], at: Mono) -> Chess {
    let mut pos = start.clone();
    for ply in intent.iter().take_while(|ply| ply.made <= at) {
        pos.play_unchecked(ply.m);
    }
    pos
}

fn differing(a: &Chess, b: &Chess) -> Bitboard {
    shakmaty::Square::ALL
        .into_iter()
        .filter(|&sq| a.board().piece_at(sq) != b.board().piece_at(sq))
        .collect()
}

fn n_presses(truth: &Truth) -> usize {
    truth.plies.iter().filter(|ply| ply.completed.is_some()).count()
}

/// Whether the record is a game that the devices cannot tell from what was played.
fn is_twin(start: &Chess, intent: &[Meant], recorded: &[Move], script: &Script) -> bool {
    let played: Vec<Move> = intent.iter().map(|ply| ply.m).collect();
    let price = |moves: &[Move]| explain::price(script, start, moves);
    price(recorded).zip(price(&played)).is_some_and(|(recorded, played)| recorded <= played)
}

/// Whether something irregular was going on when the finding was recorded.
fn is_about_something(truth: &Truth, entry: &Entry) -> bool {
    let at = entry.at.mono;
    truth.irregularities.iter().any(|wrong| is_within(at, wrong.made, wrong.restored))
        || truth.oddities.iter().any(|odd| is_odd_enough(odd) && is_within(at, odd.from, odd.until))
}

/// To touch a piece is nothing that an alarm could be about.
const fn is_odd_enough(odd: &Oddity) -> bool {
    !matches!(odd.what, Odd::Touched(_))
}

fn is_within(at: Mono, from: Mono, to: Mono) -> bool {
    from <= at && at <= to + GRACE
}

fn n_missed(truth: &Truth, entries: &[Entry]) -> usize {
    let completed = truth.irregularities.iter().filter(|wrong| wrong.completed.is_some());
    let is_named = |wrong: &&Irregularity| {
        entries.iter().any(|entry| {
            let is_completed = matches!(
                entry.fact,
                Fact::IllegalMove { stage: Stage::Completed, by, .. } if by == wrong.by
            );
            is_completed && is_within(entry.at.mono, wrong.made, wrong.restored)
        })
    };
    completed.filter(|wrong| !is_named(wrong)).count()
}
