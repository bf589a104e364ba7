//! The heart: a handful of lines, judged whenever a placement means something.
//!
//! A placement is sampled when a clock is pressed (the best moment there is: the mover has just
//! said that he is done) and when the board has been still. Each line is carried on by the legal
//! moves that the sample supports, or by none; what speaks against it is added up; the best few
//! live on. So a rook that rested on its way, or a reply that was begun before the press, needs no
//! rule of its own: some line explains it, and later samples decide which.

use super::line::{CompletedBy, Completion, Line, OpenPress, squares_of};
use super::mismatch::{self, Mismatch};
use super::placement::{Placement, Reading};
use super::{search, weigh};
use crate::time::Mono;
use shakmaty::{Bitboard, Chess, Color, Move, Position, Square};
use std::time::Duration;

/// Lines that live at once, at the most.
pub const LINES_MAX: usize = 12;
/// Plies that stay open to revision; older ones are history.
pub const TAIL_MAX: usize = 8;
/// Plies that one sample may add while the link is whole.
pub const STEP_MAX: usize = 3;
/// Plies that one sample may add after the link was down.
pub const GAP_STEP_MAX: usize = 6;
/// A press may come this much before its piece is seen to stand. Scan and line take up to 0.4 s
/// (protocol.md 1.10), a flying hand the rest.
pub const PRESS_AHEAD: Duration = Duration::from_millis(2_000);
/// A hand may go out this much before the opponent's release is seen.
pub const REPLY_AHEAD: Duration = Duration::from_millis(1_000);

/// Why a placement is sampled.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Cue {
    /// This player's end of the clock went down.
    Press(Color),
    /// Nothing has changed for a while.
    Quiet,
    /// The link was down: any number of moves may have been made meanwhile.
    Gap,
}

/// The lines that explain what one board has shown since the start of a game.
#[derive(Clone, Debug)]
pub struct Tracker {
    lines: Vec<Line>,
    n_settled: usize,
    seen: Placement,
    changed: [Mono; 64],
    last_change: Mono,
    last_sample: Option<Placement>,
}

impl Tracker {
    /// Starts at `start`, after `n_settled` plies that are beyond doubt.
    pub fn new(start: Chess, n_settled: usize) -> Self {
        let seen = Placement::from(start.board().clone());
        Self {
            lines: vec![Line::new(start)],
            n_settled,
            seen,
            changed: [Mono::default(); 64],
            last_change: Mono::default(),
            last_sample: None,
        }
    }

    /// What the sensors see now.
    pub fn seen(&self) -> &Placement {
        &self.seen
    }

    /// When a sensor last changed.
    pub fn last_change(&self) -> Mono {
        self.last_change
    }

    /// The line that explains the sensors best. Its plies follow the first [`Self::n_settled`].
    pub fn best(&self) -> &Line {
        &self.lines[0]
    }

    /// All living lines, best first.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Plies of the game that are no longer open to revision.
    pub fn n_settled(&self) -> usize {
        self.n_settled
    }

    /// What keeps the board from showing the position of the best line.
    pub fn mismatch(&self) -> Option<Mismatch> {
        mismatch::classify(&self.best().pos, &self.seen)
    }

    /// The sensor of `sq` reads `reading` from now on. True if that is a change.
    pub fn sense(&mut self, at: Mono, sq: Square, reading: Reading) -> bool {
        if self.seen.get(sq) == reading {
            return false;
        }
        self.seen.set(sq, reading);
        self.changed[usize::from(sq)] = at;
        self.last_change = at;
        true
    }

    /// The whole board at once. True if it differs from what was seen before: an update was lost.
    pub fn picture(&mut self, at: Mono, picture: &Placement) -> bool {
        let changes = self.seen.changes(picture);
        for sq in changes {
            self.sense(at, sq, picture.get(sq));
        }
        changes.any()
    }

    /// Judges the placement of this moment.
    pub fn sample(&mut self, at: Mono, cue: Cue) {
        if cue == Cue::Quiet && self.last_sample.as_ref() == Some(&self.seen) && self.is_closed() {
            return;
        }
        if let Cue::Press(by) = cue {
            self.note_press(OpenPress { by, at });
        }
        let step_max = if cue == Cue::Gap { GAP_STEP_MAX } else { STEP_MAX };
        let before = std::mem::take(&mut self.lines);
        let mut after: Vec<Line> = Vec::new();
        for line in &before {
            self.carry_on(line, 0, 0, at, &mut after);
            self.carry_on(line, 1, 2, at, &mut after);
        }
        for depth in 2..=step_max {
            let best = best_total(&after);
            if best <= weigh::POOR {
                break;
            }
            let slack = if depth == 2 { 1 } else { 0 };
            for line in before.iter().filter(|line| line.cost <= weigh::POOR) {
                self.carry_on(line, depth, slack, at, &mut after);
            }
        }
        self.lines = after;
        self.prune(at);
        self.last_sample = Some(self.seen.clone());
    }

    /// How many plies of the best line no living rival disputes.
    pub fn n_undisputed(&self) -> usize {
        let best = self.best();
        let limit = total(best) + weigh::CLEAR_LEAD;
        self.lines[1..]
            .iter()
            .filter(|rival| total(rival) < limit)
            .map(|rival| best.n_shared(rival))
            .fold(best.plies.len(), usize::min)
    }

    /// Completes every ply of the best line that another one answers, for want of a clock.
    /// 2023: Art. 6.2.1.2.
    pub fn complete_answered(&mut self, at: Mono) {
        let best = &mut self.lines[0];
        let n = best.plies.len().saturating_sub(1);
        for ply in &mut best.plies[..n] {
            ply.completion.get_or_insert(Completion { at, by: CompletedBy::Reply });
        }
    }

    /// Completes the last plies of the best line without a press, because the game is over.
    pub fn complete_at_game_end(&mut self, at: Mono) {
        let best = &mut self.lines[0];
        let n = best.plies.len();
        for (idx, ply) in best.plies.iter_mut().enumerate() {
            let by = if idx + 1 == n { CompletedBy::GameEnd } else { CompletedBy::Reply };
            ply.completion.get_or_insert(Completion { at, by });
        }
        self.lines.truncate(1);
    }

    /// Takes over a move that is on record but not completed; it stays open to revision.
    pub fn believe(&mut self, m: Move, released: Mono) {
        let mut line = self.lines[0].clone();
        line.push(m, released);
        self.seen = Placement::from(line.pos.board().clone());
        self.lines.insert(0, line);
    }

    /// Takes plies that can no longer change out of the lines: all but the last [`TAIL_MAX`], if
    /// they are completed, and no more than `n_max`.
    pub fn settle(&mut self, n_max: usize) {
        let best = self.lines[0].clone();
        let n = best.plies.len().saturating_sub(TAIL_MAX).min(best.n_completed()).min(n_max);
        if n == 0 {
            return;
        }
        self.lines.retain(|line| line.agrees(&best, n));
        for line in &mut self.lines {
            line.plies.drain(..n);
        }
        self.n_settled += n;
    }

    fn is_closed(&self) -> bool {
        self.lines.iter().all(|line| line.open.is_empty())
    }

    fn note_press(&mut self, press: OpenPress) {
        for line in &mut self.lines {
            let starts_the_clock = self.n_settled + line.plies.len() == 0
                && press.by != line.pos.turn()
                && line.open.is_empty();
            if !starts_the_clock {
                line.open.push(press);
            }
        }
    }

    /// Adds to `after` what becomes of `line` if exactly `depth` plies were played since.
    fn carry_on(&self, line: &Line, depth: usize, slack: usize, at: Mono, after: &mut Vec<Line>) {
        if depth == 0 {
            let mut child = line.clone();
            child.cost += weigh::residual(&self.seen, child.pos.board(), child.pos.turn());
            settle_presses(&mut child);
            after.push(child);
            return;
        }
        for moves in search::lines(&line.pos, &self.seen, depth, slack) {
            let mut child = line.clone();
            for m in moves {
                child.cost += self.untouched(&child, m) + weigh::EXTRA_PLY;
                let released = self.released(&child, m, at);
                child.push(m, released);
            }
            child.cost += weigh::residual(&self.seen, child.pos.board(), child.pos.turn());
            settle_presses(&mut child);
            after.push(child);
        }
    }

    /// What it speaks against `m` that some of its squares have not stirred since the move before.
    fn untouched(&self, line: &Line, m: Move) -> u32 {
        let Some(last) = line.plies.last() else { return 0 };
        let stirred = |sq: Square| {
            let changed = self.changed[usize::from(sq)];
            changed + REPLY_AHEAD >= last.released && changed != Mono::default()
        };
        let squares = squares_of(m, line.pos.turn());
        squares.into_iter().filter(|&sq| !stirred(sq)).count() as u32 * weigh::MISSING
    }

    /// The best guess of when the hand let go: the last change on a square of the move.
    fn released(&self, line: &Line, m: Move, at: Mono) -> Mono {
        let squares: Bitboard = squares_of(m, line.pos.turn());
        let last = squares.into_iter().map(|sq| self.changed[usize::from(sq)]).max();
        last.unwrap_or(at).min(at)
    }

    fn prune(&mut self, at: Mono) {
        for line in &mut self.lines {
            let (stale, open) =
                std::mem::take(&mut line.open).into_iter().partition(|p| at - p.at > PRESS_AHEAD);
            let stale: Vec<OpenPress> = stale;
            line.cost += weigh::OPEN_PRESS * stale.len() as u32;
            line.unexplained.extend(stale);
            line.open = open;
        }
        self.lines.sort_by_key(|line| (total(line), line.plies.len()));
        let mut kept: Vec<Line> = Vec::with_capacity(LINES_MAX);
        let limit = total(&self.lines[0]) + weigh::HOPELESS;
        for line in std::mem::take(&mut self.lines) {
            let is_known = kept.iter().any(|k| {
                k.plies.len() == line.plies.len() && k.agrees(&line, k.plies.len())
                    || k.pos == line.pos && k.open == line.open && k.plies.len() == line.plies.len()
            });
            if kept.len() < LINES_MAX && total(&line) <= limit && !is_known {
                kept.push(line);
            }
        }
        let least = kept.iter().map(|line| line.cost).min().unwrap_or(0);
        for line in &mut kept {
            line.cost -= least;
        }
        self.lines = kept;
    }
}

/// What speaks against a line, with the presses that still wait for their move.
fn total(line: &Line) -> u32 {
    line.cost + weigh::OPEN_PRESS * line.open.len() as u32
}

fn best_total(lines: &[Line]) -> u32 {
    lines.iter().map(total).min().unwrap_or(0)
}

/// Lets each open press complete the move that it belongs to. 2023: Art. 6.2.1; a move of the
/// opponent that is still uncompleted before it is completed by the reply, Art. 6.2.1.2.
fn settle_presses(line: &mut Line) {
    let presses = std::mem::take(&mut line.open);
    for press in presses {
        let first = line.n_completed();
        let fits = |idx: &usize| {
            line.mover(*idx) == press.by && line.plies[*idx].released <= press.at + PRESS_AHEAD
        };
        let Some(idx) = (first..line.plies.len()).find(fits) else {
            line.open.push(press);
            continue;
        };
        for ply in &mut line.plies[first..idx] {
            ply.completion = Some(Completion { at: press.at, by: CompletedBy::Reply });
            line.cost += weigh::UNPRESSED;
        }
        line.plies[idx].completion = Some(Completion { at: press.at, by: CompletedBy::Press });
    }
}
