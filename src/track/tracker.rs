//! The heart: a handful of lines, each of which explains what the sensors have shown so far.
//!
//! Whenever the board shows a piece where a line does not expect it, the line branches: once for
//! every legal move that would put it there, and once for none. What a line leaves unexplained
//! counts against it for as long as it lasts, and again, heavily, when a clock is pressed: the
//! presser says that his move stands. The best few lines live on. So a rook that rested on its
//! way, a captured piece that was carried over the board or a reply that was begun before the press
//! needs no rule of its own: some line explains it, and time tells which.

use super::history::History;
use super::line::{CompletedBy, Completion, Line, OpenPress, Ply, UNEXPLAINED_MAX, squares_of};
use super::mismatch::{self, Mismatch};
use super::placement::{Placement, Reading};
use super::search;
use super::weigh::{self, AT_PRESS, Cost, PER_SECOND};
use crate::time::Mono;
use shakmaty::{Bitboard, Chess, Color, Move, Position, Role, Square};
use std::time::Duration;

/// Lines that live at once, at the most.
pub const LINES_MAX: usize = 32;
/// Plies that stay open to revision; older ones are history.
pub const TAIL_MAX: usize = 8;
/// Plies that one change of the board may add, at the most.
pub const BRANCH_MAX: usize = 2;
/// Plies that a closer look may add while the link is whole.
pub const STEP_MAX: usize = 3;
/// Plies that a closer look may add after the link was down.
pub const GAP_STEP_MAX: usize = 6;
/// A press may come this much before its piece is seen to stand. Scan and line take up to 0.4 s
/// (protocol 1.10), a flying hand the rest.
pub const PRESS_AHEAD: Duration = Duration::from_millis(2_000);
/// A press may come this much after its move although the opponent has answered meanwhile.
pub const PRESS_LATE: Duration = Duration::from_millis(3_000);
/// A move that is seen this much after a press stood when the clock was pressed: the scan and the
/// line take that long.
pub const SCAN: Duration = Duration::from_millis(100);
/// A piece that moves again has rested at least this long: the opponent's hand has been there.
pub const REST_MIN: Duration = Duration::from_millis(150);
/// Lines that are this much worse than the best are not searched on.
const SEARCH_WITHIN: Cost = 18 * weigh::POINT;
/// After this stillness what a line leaves unexplained counts no more.
pub const STILL_MAX: Duration = Duration::from_millis(1_500);
/// A hand may go out this much before the opponent's release is seen.
pub const REPLY_AHEAD: Duration = Duration::from_millis(1_000);

/// The lines that explain what one board has shown since the start of a game.
#[derive(Clone, Debug)]
pub struct Tracker {
    lines: Vec<Line>,
    n_settled: usize,
    seen: Placement,
    history: History,
    changed: [Mono; 64],
    last_change: Mono,
    now: Mono,
    /// What is looked for was played while the line was down.
    is_gap: bool,
    /// Searches that ended before they had looked at everything.
    n_cut: u64,
}

impl Tracker {
    /// Starts at `start`, after `n_settled` plies that are beyond doubt.
    pub fn new(start: Chess, n_settled: usize) -> Self {
        let seen = Placement::from(start.board().clone());
        Self {
            lines: vec![Line::new(start)],
            n_settled,
            seen,
            history: History::default(),
            changed: [Mono::default(); 64],
            last_change: Mono::default(),
            now: Mono::default(),
            is_gap: false,
            n_cut: 0,
        }
    }

    /// How many events made it search further than it may ([`search::NODES_MAX`],
    /// [`search::FOUND_MAX`]): what explains the board may have been overlooked then.
    pub fn n_cut(&self) -> u64 {
        self.n_cut
    }

    /// What the sensors see now.
    pub fn seen(&self) -> &Placement {
        &self.seen
    }

    /// When a sensor last changed.
    pub fn last_change(&self) -> Mono {
        self.last_change
    }

    /// When the sensor of `sq` last changed.
    pub fn changed_at(&self, sq: Square) -> Mono {
        self.changed[usize::from(sq)]
    }

    /// The line that explains the sensors best. Its plies follow the first [`Self::n_settled`].
    pub fn best(&self) -> &Line {
        &self.lines[0]
    }

    /// Plies of the game that are no longer open to revision.
    pub fn n_settled(&self) -> usize {
        self.n_settled
    }

    /// What keeps the board from showing the position of the best line.
    pub fn mismatch(&self) -> Option<Mismatch> {
        mismatch::classify(&self.best().pos, &self.seen)
    }

    /// Whether the board shows exactly one legal move more than the best line has.
    pub fn shows_one_more_move(&self) -> bool {
        let mut budget = search::NODES_MAX;
        !search::lines(&self.best().pos, &self.seen, 1, 0, &mut budget).is_empty()
    }

    /// The sensor of `sq` reads `reading` from now on. True if that is a change.
    pub fn sense(&mut self, at: Mono, sq: Square, reading: Reading) -> bool {
        if !self.note(at, sq, reading) {
            return false;
        }
        self.branch(at);
        self.prune();
        true
    }

    /// As [`Self::sense`], but what is seen is no play: no line is carried on by it, and the square
    /// counts as one that has not stirred.
    pub fn observe(&mut self, at: Mono, sq: Square, reading: Reading) -> bool {
        let has_changed = self.note(at, sq, reading);
        self.changed[usize::from(sq)] = Mono::default();
        has_changed
    }

    /// Begins anew from `root`, after `n_settled` plies, with what the sensors see now.
    pub fn restart(&mut self, root: Chess, n_settled: usize) {
        self.lines = vec![Line::new(root)];
        self.n_settled = n_settled;
    }

    /// The press at `at` was none.
    pub fn forget_press(&mut self, at: Mono) {
        for line in &mut self.lines {
            line.open.retain(|press| press.at != at);
        }
    }

    /// Whether the press at `at` belongs to a move that the opponent had already answered.
    pub fn is_late_press(&self, at: Mono) -> bool {
        let done = |ply: &Ply| ply.completion.is_some_and(|done| done.at == at);
        self.best().plies.iter().rev().skip(1).any(done)
    }

    /// Whether a piece of `color` was just put where the best line does not expect it while it is
    /// missed elsewhere: something else has been played than that line says. What stood astray
    /// before the opponent's last move says nothing of this one.
    pub fn is_astray(&self, color: Color) -> bool {
        let best = self.best();
        let diff = self.seen.differs(best.pos.board());
        let missing = diff & best.pos.board().by_color(color) & !self.seen.occupied();
        let arrived = diff & (self.seen.by_color(color) | self.seen.something());
        let theirs = (0..best.plies.len()).rev().find(|idx| best.mover(*idx) != color);
        let since = theirs.map_or(Mono::default(), |idx| best.plies[idx].released);
        arrived.into_iter().any(|sq| {
            let is_missed = match self.seen.get(sq) {
                Reading::Piece(piece) => (missing & best.pos.board().by_piece(piece)).any(),
                Reading::Colored(_) | Reading::Something => missing.any(),
                Reading::Empty => false,
            };
            is_missed && self.changed_at(sq) > since
        })
    }

    /// The whole board at once. True if it differs from what was seen before: an update was lost.
    pub fn picture(&mut self, at: Mono, picture: &Placement) -> bool {
        let changes = self.seen.changes(picture);
        for sq in changes {
            self.note(at, sq, picture.get(sq));
        }
        if changes.any() {
            self.branch(at);
            self.prune();
        }
        changes.any()
    }

    /// `by` has pressed the clock: the best moment there is to look.
    pub fn press(&mut self, at: Mono, by: Color) {
        self.pass(at);
        let press = OpenPress { by, at };
        for line in &mut self.lines {
            let starts_the_clock = self.n_settled + line.plies.len() == 0
                && by != line.pos.turn()
                && line.open.is_empty();
            if !starts_the_clock {
                line.open.push(press);
                settle_presses(line);
                let arrived = self.seen.differs(line.pos.board()) & self.seen.by_color(by);
                if line.open.last() == Some(&press)
                    && arrived.is_empty()
                    && settle_late(line, press)
                {
                    line.open.pop();
                }
            }
        }
        self.search_on(at, STEP_MAX, weigh::POOR);
        let against: Vec<Cost> =
            self.lines.iter().map(|line| self.contradicts(line, !by)).collect();
        for (line, cost) in self.lines.iter_mut().zip(against) {
            line.cost += cost;
        }
        self.prune();
    }

    /// Looks closer where no line explains the board well: up to `depth` plies may have been played
    /// without their pieces having been seen one by one.
    pub fn look(&mut self, at: Mono, depth: usize) {
        self.pass(at);
        self.is_gap = depth > STEP_MAX;
        let content = if self.is_gap { weigh::PLY } else { weigh::POOR };
        self.search_on(at, depth, content);
        self.is_gap = false;
        self.prune();
    }

    /// How many plies of the best line no living rival disputes. A rival that leads to the same
    /// position does not count, nor does one that leads to what looks the same to these sensors:
    /// waiting will not tell the two apart ([`Self::alternatives`]).
    pub fn n_undisputed(&self) -> usize {
        let best = self.best();
        self.rivals(weigh::CLEAR_LEAD)
            .filter(|rival| rival.pos != best.pos && !self.is_twin(rival))
            .map(|rival| best.n_shared(rival))
            .fold(best.plies.len(), usize::min)
    }

    /// Whether `rival` leads to another position that looks like the best line's to these sensors:
    /// they do not know which pawn was captured, or to what a pawn was promoted.
    fn is_twin(&self, rival: &Line) -> bool {
        let (one, other) = (&self.best().pos, &rival.pos);
        one.turn() == other.turn()
            && one.board() != other.board()
            && !self.seen.tells_apart(one.board(), other.board())
    }

    /// Other moves that may have been played as ply `idx` of the best line, by lines that are worse
    /// than it by less than `lead`.
    pub fn alternatives(&self, idx: usize, lead: Cost) -> Vec<Move> {
        let best = self.best();
        let mut others: Vec<Move> = Vec::new();
        for rival in self.rivals(lead) {
            let Some(ply) = rival.plies.get(idx) else { continue };
            if best.n_shared(rival) == idx && !others.contains(&ply.m) {
                others.push(ply.m);
            }
        }
        others
    }

    /// Lines that are worse than the best by less than `lead`.
    fn rivals(&self, lead: Cost) -> impl Iterator<Item = &Line> {
        let limit = total(self.best()) + lead;
        self.lines[1..].iter().filter(move |line| total(line) < limit)
    }

    /// Whether the best line leads clearly over every line that `speaks` for something else.
    pub fn is_clear_of(&self, speaks: impl Fn(&Line) -> bool) -> bool {
        let limit = total(self.best()) + weigh::CLEAR_LEAD;
        !self.lines.iter().any(|line| total(line) < limit && speaks(line))
    }

    /// Completes every ply of the best line that another one answers, for want of a press.
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
        line.push(m, released, false);
        self.lines.insert(0, line);
    }

    /// Begins anew from `root`, after `n_settled` plies, with `open` moves that are on record but
    /// not completed. The first `n_ruled` of these are no longer open to revision.
    pub fn rule(&mut self, root: Chess, n_settled: usize, open: &[Move], n_ruled: usize, at: Mono) {
        self.restart(root, n_settled);
        for m in open {
            self.believe(*m, at);
        }
        self.lines.retain(|line| line.plies.len() >= n_ruled);
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

    /// Lets the time pass: what a line leaves unexplained counts by the second, until the board has
    /// been still for [`STILL_MAX`]. A board that stays as it is tells nothing new.
    fn pass(&mut self, at: Mono) {
        let until = at.min(self.last_change + STILL_MAX);
        let micros = u64::try_from(until.since(self.now).as_micros()).unwrap_or(0);
        self.now = self.now.max(at);
        for line in &mut self.lines {
            let rate = weigh::disorder(&self.seen, line.pos.board(), line.pos.turn(), &PER_SECOND);
            line.cost += Cost::from(rate) * micros / 1_000;
        }
    }

    fn note(&mut self, at: Mono, sq: Square, reading: Reading) -> bool {
        if self.seen.get(sq) == reading {
            return false;
        }
        self.pass(at);
        self.history.note(at, sq, self.seen.get(sq));
        self.seen.set(sq, reading);
        self.changed[usize::from(sq)] = at;
        self.last_change = at;
        true
    }

    /// Branches every line that the board contradicts by the legal moves that would mend it.
    fn branch(&mut self, at: Mono) {
        let (mut budget, mut is_cut) = (search::NODES_MAX, false);
        let mut from = 0;
        for _ in 0..BRANCH_MAX {
            let until = self.lines.len();
            for idx in from..until {
                let children = self.children(&self.lines[idx], 1, usize::MAX, at, &mut budget);
                is_cut |= children.len() >= search::FOUND_MAX;
                self.lines.extend(children);
            }
            from = until;
        }
        self.n_cut += u64::from(is_cut || budget == 0);
    }

    /// Searches longer and longer lines until one explains the board to within `content`.
    fn search_on(&mut self, at: Mono, depth_max: usize, content: Cost) {
        let (mut budget, mut is_cut) = (search::NODES_MAX, false);
        for depth in 1..=depth_max {
            let least = self.lines.iter().map(total).min().unwrap_or(0);
            let bare = self.lines.iter().map(|line| line.cost).min().unwrap_or(0);
            let explained = |line: &Line| total(line) + self.contradicts(line, line.pos.turn());
            if self.lines.iter().map(explained).min().unwrap_or(0) < bare + content {
                break;
            }
            let slack = if depth <= 2 { 1 } else { 0 };
            for idx in 0..self.lines.len() {
                if total(&self.lines[idx]) <= least + SEARCH_WITHIN {
                    let children = self.children(&self.lines[idx], depth, slack, at, &mut budget);
                    is_cut |= children.len() >= search::FOUND_MAX;
                    self.lines.extend(children);
                }
            }
        }
        self.n_cut += u64::from(is_cut || budget == 0);
    }

    /// What the board says against `line` at this moment, while `hand` may be moving.
    fn contradicts(&self, line: &Line, hand: Color) -> Cost {
        Cost::from(weigh::disorder(&self.seen, line.pos.board(), hand, &AT_PRESS)) * 1_000
    }

    /// What becomes of `line` if exactly `depth` plies have been played since.
    fn children(
        &self,
        line: &Line,
        depth: usize,
        slack: usize,
        at: Mono,
        budget: &mut usize,
    ) -> Vec<Line> {
        if self.seen.differs(line.pos.board()).is_empty() {
            return Vec::new();
        }
        let mut children = Vec::new();
        for moves in search::lines(&line.pos, &self.seen, depth, slack, budget) {
            let mut child = line.clone();
            for m in moves {
                let released = self.released(&child, m, at);
                child.cost += weigh::PLY
                    + self.unstirred(&child, m)
                    + self.hurried(&child, m)
                    + self.stale(&child, m)
                    + self.doubled(&child, m)
                    + self.assumed(m)
                    + disordered(&child, released);
                child.push(m, released, self.is_gap);
            }
            settle_presses(&mut child);
            children.push(child);
        }
        children
    }

    /// What it speaks against `m` that some of its squares have not stirred since the move before.
    fn unstirred(&self, line: &Line, m: Move) -> Cost {
        let since = line.plies.last().map_or(Mono::default(), |last| last.released);
        let done = line.plies.last().and_then(|last| last.completion);
        // What wobbles until the press was put down, not taken.
        let pressed = done.filter(|done| done.by == CompletedBy::Press).map_or(since, |d| d.at);
        // Where pieces have no names, a capture is told by its square having stirred of its own,
        // after the last move that ended there.
        let is_told_by_touch = |sq: Square| {
            sq == m.to() && self.seen.something().contains(sq) && line.pos.them().contains(sq)
        };
        let stirred = |sq: Square| {
            let changed = self.changed[usize::from(sq)];
            let is_later = if is_told_by_touch(sq) {
                changed > since && changed + SCAN > pressed
            } else {
                changed + REPLY_AHEAD > since || since == Mono::default()
            };
            is_later && changed != Mono::default()
        };
        let squares = squares_of(m, line.pos.turn());
        squares.into_iter().filter(|&sq| !stirred(sq)).count() as Cost * weigh::UNSTIRRED
    }

    /// What it speaks against `m` that its piece had hardly come to rest where it goes on from. A
    /// piece that is dragged stops for a moment on squares where it would be legal; a piece that
    /// moves again has waited for the opponent's answer.
    fn hurried(&self, line: &Line, m: Move) -> Cost {
        let Some(from) = m.from() else { return 0 };
        let piece = m.role().of(line.pos.turn());
        let arrives = |ply: &&Ply| !ply.m.is_castle() && ply.m.to() == from;
        let before = line.plies.iter().rev().find(arrives);
        let lifted = self.history.last_shown(from, piece);
        let Some((before, lifted)) = before.zip(lifted) else { return 0 };
        let short = REST_MIN.saturating_sub(lifted.since(before.released));
        Cost::try_from(short.as_micros()).unwrap_or(0) * weigh::HURRIED_PER_MICRO
    }

    /// What it speaks against `m` that its piece stood there before the mover's last move.
    fn stale(&self, line: &Line, m: Move) -> Cost {
        let Some(idx) = line.plies.len().checked_sub(2) else { return 0 };
        let arrived = self.changed[usize::from(m.to())];
        let is_stale = !m.is_castle() && arrived < line.plies[idx].released;
        if is_stale { weigh::STALE } else { 0 }
    }

    /// What it speaks against `m` that its piece is seen on yet another square at the same time: it
    /// stands half there, and the square that it came to first is its own.
    fn doubled(&self, line: &Line, m: Move) -> Cost {
        let piece = m.role().of(line.pos.turn());
        let expected = line.pos.board().by_piece(piece);
        let twins = self.seen.known().by_piece(piece) & !expected;
        if twins.without(m.to()).any() && twins.contains(m.to()) { weigh::DOUBLED } else { 0 }
    }

    /// What it speaks against `m` that it promotes to something rare, where only the sensors could
    /// tell and cannot.
    fn assumed(&self, m: Move) -> Cost {
        let is_rare = m.promotion().is_some_and(|role| role != Role::Queen);
        let is_unnamed = self.seen.unnamed().contains(m.to());
        if is_rare && is_unnamed { weigh::UNDERPROMOTION } else { 0 }
    }

    /// The best guess of when the hand let go: the last change on a square of the move.
    fn released(&self, line: &Line, m: Move, at: Mono) -> Mono {
        let squares: Bitboard = squares_of(m, line.pos.turn());
        let last = squares.into_iter().map(|sq| self.changed[usize::from(sq)]).max();
        last.unwrap_or(at).min(at)
    }

    fn prune(&mut self) {
        for line in &mut self.lines {
            let (stale, open): (Vec<_>, Vec<_>) = std::mem::take(&mut line.open)
                .into_iter()
                .partition(|press: &OpenPress| self.now - press.at > PRESS_AHEAD);
            line.cost += weigh::OPEN_PRESS * stale.len() as Cost;
            line.unexplained.extend(stale);
            let n_old = line.unexplained.len().saturating_sub(UNEXPLAINED_MAX);
            line.unexplained.drain(..n_old);
            line.open = open;
        }
        // What contradicts the board at this moment goes first, however cheap it was so far.
        let mut lines = std::mem::take(&mut self.lines);
        lines.sort_by_cached_key(|line| {
            (total(line) + self.contradicts(line, line.pos.turn()), line.plies.len())
        });
        let limit = lines.iter().map(total).min().unwrap_or(0) + weigh::HOPELESS;
        let mut kept: Vec<Line> = Vec::with_capacity(LINES_MAX);
        for line in lines {
            let is_new = kept.iter().all(|known| {
                known.plies.len() != line.plies.len() || !known.agrees(&line, line.plies.len())
            });
            if kept.len() < LINES_MAX && total(&line) <= limit && is_new {
                kept.push(line);
            }
        }
        kept.sort_by_key(|line| (total(line), line.plies.len()));
        let least = kept.iter().map(|line| line.cost).min().unwrap_or(0);
        for line in &mut kept {
            line.cost -= least;
        }
        self.lines = kept;
    }
}

/// What it speaks against a move that it was released before the move that it follows.
fn disordered(line: &Line, released: Mono) -> Cost {
    let Some(last) = line.plies.last() else { return 0 };
    let early = last.released.since(released);
    Cost::try_from(early.as_micros()).unwrap_or(0) * weigh::EARLY_PER_MICRO
}

/// What speaks against a line, with the presses that still wait for their move.
fn total(line: &Line) -> Cost {
    line.cost + weigh::OPEN_PRESS * line.open.len() as Cost
}

/// Lets each open press complete the move that it belongs to: the presser's last one that stood, or
/// the first one to be seen soon after. 2023: Art. 6.2.1. Moves before it that no press followed
/// are completed by the replies to them, Art. 6.2.1.2.
fn settle_presses(line: &mut Line) {
    let presses = std::mem::take(&mut line.open);
    for press in presses {
        let first = line.n_completed();
        let is_his = |idx: &usize| line.mover(*idx) == press.by;
        let stands = |idx: &usize| line.plies[*idx].released <= press.at + SCAN;
        let follows = |idx: &usize| line.plies[*idx].released <= press.at + PRESS_AHEAD;
        let open = first..line.plies.len();
        let last = open.clone().rev().find(|idx| is_his(idx) && stands(idx));
        let Some(idx) = last.or_else(|| open.clone().find(|idx| is_his(idx) && follows(idx)))
        else {
            line.open.push(press);
            continue;
        };
        for ply in &mut line.plies[first..idx] {
            ply.completion = Some(Completion { at: press.at, by: CompletedBy::Reply });
            line.cost += if ply.is_unwatched { 0 } else { weigh::UNPRESSED };
        }
        line.plies[idx].completion = Some(Completion { at: press.at, by: CompletedBy::Press });
    }
}

/// A press that comes after the opponent's answer still belongs to the move that was answered.
fn settle_late(line: &mut Line, press: OpenPress) -> bool {
    let is_answered = |idx: &usize| {
        let done = line.plies[*idx].completion;
        let by_reply = done.is_some_and(|done| done.by == CompletedBy::Reply);
        let released = line.plies[*idx].released;
        by_reply && line.mover(*idx) == press.by && press.at.since(released) <= PRESS_LATE
    };
    let Some(idx) = (0..line.plies.len()).rev().find(is_answered) else { return false };
    line.plies[idx].completion = Some(Completion { at: press.at, by: CompletedBy::Press });
    line.cost = line.cost.saturating_sub(weigh::UNPRESSED);
    true
}
