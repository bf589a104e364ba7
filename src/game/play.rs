//! A game in progress: what the tracker believes, held against what is already on record.

use super::entry::{Basis, Fact};
use super::score::ScoreSheet;
use super::settings::Settings;
use super::watch::Haste;
use crate::clock::Times;
use crate::laws::Ending;
use crate::time::Mono;
use crate::track::line::CompletedBy;
use crate::track::tracker::STEP_MAX;
use crate::track::{Line, Mismatch, Placement, Reading, Tracker};
use shakmaty::{CastlingMode, Chess, Color, Move, Position, Role, Square};

/// Presses whose clock times are remembered until their moves are recorded.
const PRESSES_MAX: usize = 32;

/// One game at one board.
#[derive(Clone, Debug)]
pub struct Play {
    sheet: ScoreSheet,
    tracker: Tracker,
    presses: Vec<(Mono, Option<Times>)>,
    ending: Option<Ending>,
}

impl Play {
    /// A game from `start`.
    pub fn new(start: Chess, mode: CastlingMode) -> Self {
        let tracker = Tracker::new(start.clone(), 0);
        Self { sheet: ScoreSheet::new(start, mode), tracker, presses: Vec::new(), ending: None }
    }

    /// A game that is taken up again with what is on record of it.
    pub fn resumed(mut sheet: ScoreSheet, ending: Option<Ending>) -> Self {
        sheet.forget_times();
        let n_settled = sheet.n_completed();
        let mut tracker = Tracker::new(sheet.position(n_settled).clone(), n_settled);
        for scored in &sheet.moves()[n_settled..] {
            tracker.believe(scored.m, Mono::default());
        }
        Self { sheet, tracker, presses: Vec::new(), ending }
    }

    /// The record.
    pub fn sheet(&self) -> &ScoreSheet {
        &self.sheet
    }

    /// What the sensors see and the lines that explain it.
    pub fn tracker(&self) -> &Tracker {
        &self.tracker
    }

    /// How the game ended, if it has.
    pub fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// What keeps the board from showing the best line's position.
    pub fn mismatch(&self) -> Option<Mismatch> {
        self.tracker.mismatch()
    }

    pub(super) fn sense(&mut self, at: Mono, sq: Square, reading: Reading) -> bool {
        self.tracker.sense(at, sq, reading)
    }

    pub(super) fn picture(&mut self, at: Mono, picture: &Placement) -> bool {
        self.tracker.picture(at, picture)
    }

    pub(super) fn end(&mut self, ending: Ending, facts: &mut Vec<Fact>) {
        self.ending = Some(ending);
        facts.push(Fact::Ended(ending));
    }

    /// A press: the best moment to look.
    pub(super) fn press(
        &mut self,
        at: Mono,
        by: Color,
        times: Option<Times>,
        facts: &mut Vec<Fact>,
    ) {
        self.presses.push((at, times));
        if self.presses.len() > PRESSES_MAX {
            self.presses.remove(0);
        }
        self.tracker.press(at, by);
        self.bring_up(at, self.tracker.best().n_completed(), Basis::Press, facts);
    }

    /// Looks at the board while nothing moves, for up to `depth` moves that may have been missed,
    /// and brings the record up to what the tracker believes.
    pub(super) fn look(&mut self, at: Mono, depth: usize, haste: Haste, facts: &mut Vec<Fact>) {
        self.tracker.look(at, depth);
        let is_still =
            self.tracker.mismatch().is_none() && (haste.is_patient || !self.is_doubtful());
        if is_still && !haste.has_clock {
            self.tracker.complete_answered(at);
        }
        let best = self.tracker.best();
        let n_told = if is_still { best.plies.len() } else { best.n_completed() };
        let basis = if depth > STEP_MAX { Basis::Gap } else { Basis::Quiet };
        self.bring_up(at, n_told, basis, facts);
    }

    fn bring_up(&mut self, at: Mono, n_told: usize, basis: Basis, facts: &mut Vec<Fact>) {
        self.publish(at, n_told.min(self.tracker.n_undisputed()), basis, facts);
        if let Some(ending) = Ending::of(self.sheet.last()).filter(|_| self.ending.is_none()) {
            self.tracker.complete_at_game_end(at);
            self.complete(at, facts);
            self.end(ending, facts);
        }
        self.tracker.settle(self.n_agreed());
    }

    /// Ends the game by the kings in the center, and withdraws a king's move that was only the way
    /// there.
    pub(super) fn end_by_kings(&mut self, ending: Ending, facts: &mut Vec<Fact>) {
        let n = self.sheet.len();
        let was_the_way = self.sheet.moves().last().is_some_and(|last| {
            last.m.role() == Role::King && last.completed.is_none() && is_center(last.m.to())
        });
        if was_the_way {
            self.sheet.truncate(n - 1);
            facts.push(Fact::MoveRetracted { ply: n });
        }
        self.end(ending, facts);
    }

    /// Whether the best line has moves that are not on record yet.
    pub(super) fn has_more_to_tell(&self) -> bool {
        self.tracker.n_settled() + self.tracker.best().plies.len() > self.sheet.len()
    }

    /// Whether nothing is recorded yet and the board shows a legal first move.
    pub(super) fn shows_first_move(&self) -> bool {
        self.sheet.is_empty() && self.shows_one_more_move()
    }

    /// Whether the board shows exactly one legal move more than the best line has.
    pub(super) fn shows_one_more_move(&self) -> bool {
        self.tracker.shows_one_more_move()
    }

    /// Whether the press at `at` is not accounted for by a legal move.
    pub(super) fn has_open_press(&self, at: Mono) -> bool {
        let best = self.tracker.best();
        best.open.iter().chain(&best.unexplained).any(|press| press.at == at)
    }

    /// Whether the last move of the best line may be the beginning of another: a rook that has gone
    /// to where it stands after castling, with the king still at home.
    pub(super) fn is_doubtful(&self) -> bool {
        let line = self.tracker.best();
        let Some(ply) = line.plies.last() else { return false };
        let idx = self.tracker.n_settled() + line.plies.len() - 1;
        self.sheet_position(line, idx).is_some_and(|before| begins_castling(&before, ply.m))
    }

    fn sheet_position(&self, line: &Line, ply: usize) -> Option<Chess> {
        let base = self.tracker.n_settled();
        let mut pos = self.sheet.position(base).clone();
        for ply in line.plies.get(..ply.checked_sub(base)?)? {
            pos.play_unchecked(ply.m);
        }
        Some(pos)
    }

    fn publish(&mut self, at: Mono, n_told: usize, basis: Basis, facts: &mut Vec<Fact>) {
        let base = self.tracker.n_settled();
        let n_shared = self.n_agreed();
        if self.sheet.len() - base > n_shared && (n_told > n_shared || self.is_denied(n_shared)) {
            self.sheet.truncate(base + n_shared);
            facts.push(Fact::MoveRetracted { ply: base + n_shared + 1 });
        }
        let from = self.sheet.len() - base;
        if from <= n_shared {
            let new: Vec<_> =
                self.tracker.best().plies.iter().take(n_told).skip(from).copied().collect();
            let n_new = new.len();
            for (idx, ply) in new.into_iter().enumerate() {
                let others = self.tracker.alternatives(self.sheet.len() - base);
                let mode = self.sheet.mode();
                let alternatives: Vec<String> =
                    others.into_iter().map(|m| m.to_uci(mode).to_string()).collect();
                let scored = self.sheet.push(ply.m, at, !alternatives.is_empty());
                let (uci, san) = (scored.uci.to_string(), scored.san.to_string());
                let is_answered = idx + 1 < n_new && basis != Basis::Gap;
                let basis = match ply.completion.map(|done| done.by) {
                    Some(CompletedBy::Press) if basis != Basis::Gap => Basis::Press,
                    _ if is_answered => Basis::Reply,
                    _ => basis,
                };
                let released_before = at.since(ply.released);
                let ply = self.sheet.len();
                facts.push(Fact::MoveMade { ply, uci, san, basis, alternatives, released_before });
            }
        }
        self.complete(at, facts);
    }

    /// How many open plies the record shares with the best line.
    fn n_agreed(&self) -> usize {
        let recorded = &self.sheet.moves()[self.tracker.n_settled()..];
        let best = &self.tracker.best().plies;
        recorded.iter().zip(best).take_while(|(a, b)| a.m == b.m).count()
    }

    /// Whether no line in the running speaks for what is recorded after the first `n` open plies.
    fn is_denied(&self, n: usize) -> bool {
        let recorded = &self.sheet.moves()[self.tracker.n_settled()..];
        let speaks_for = |line: &Line| {
            line.plies.len() > n
                && line.plies.iter().zip(recorded).take_while(|(a, b)| a.m == b.m).count() > n
        };
        self.tracker.is_clear_of(speaks_for)
    }

    fn complete(&mut self, at: Mono, facts: &mut Vec<Fact>) {
        let base = self.tracker.n_settled();
        let plies = self.tracker.best().plies.clone();
        for (idx, ply) in plies.iter().enumerate() {
            let n = base + idx + 1;
            let Some(scored) = self.sheet.moves().get(n - 1) else { break };
            if scored.m != ply.m {
                break;
            }
            let (Some(done), None) = (ply.completion, scored.completed) else { continue };
            let times = match done.by {
                CompletedBy::Press => self.times_at(done.at),
                CompletedBy::Reply | CompletedBy::GameEnd => None,
            };
            self.sheet.complete(n, done.at, done.by, times);
            let pressed_before = at.since(done.at);
            facts.push(Fact::MoveCompleted { ply: n, by: done.by, pressed_before, times });
        }
    }

    fn times_at(&self, press: Mono) -> Option<Times> {
        self.presses.iter().rev().find(|(at, _)| *at == press).and_then(|(_, times)| *times)
    }
}

fn is_center(sq: Square) -> bool {
    [Square::D4, Square::E4, Square::D5, Square::E5].contains(&sq)
}

fn begins_castling(before: &Chess, m: Move) -> bool {
    let Move::Normal { role: Role::Rook, from, to, .. } = m else { return false };
    let turn = before.turn();
    shakmaty::CastlingSide::ALL
        .into_iter()
        .any(|side| before.castles().rook(turn, side) == Some(from) && side.rook_to(turn) == to)
}

/// The start position for `settings`, where they name one.
pub(super) fn start_of(settings: &Settings) -> Option<(Chess, CastlingMode)> {
    let setup = settings.start.clone()?.into_setup();
    let mode = if settings.is_chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard };
    match setup.position::<Chess>(mode) {
        Ok(pos) => Some((pos, mode)),
        Err(e) => e.ignore_too_much_material().ok().map(|pos| (pos, mode)),
    }
}
