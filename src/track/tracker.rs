//! The heart: a handful of lines, each of which explains what the sensors have shown so far.
//!
//! Whenever the board shows a piece where a line does not expect it, the line branches: once for
//! every legal move that would put it there, and once for none. What a line leaves unexplained
//! counts against it for as long as it lasts, and again, heavily, when a clock is pressed: the
//! presser says that his move stands. The best few lines live on. So a rook that rested on its
//! way, a captured piece that was carried over the board or a reply that was begun before the press
//! needs no rule of its own: some line explains it, and time tells which.

use super::history::History;
use super::line::{CompletedBy, Completion, Line, OpenPress, Ply, UNEXPLAINED_MAX};
use super::mismatch::{self, Mismatch};
use super::placement::{Placement, Reading};
use super::search;
use super::weigh::{self, AT_PRESS, Cost, PER_SECOND};
use crate::time::Mono;
use shakmaty::{Bitboard, Chess, Color, Move, Piece, Position, Square};
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
/// A press this soon after a move is meant for it.
pub const PRESS_PROMPT: Duration = Duration::from_millis(300);
/// Whoever touched a piece of his this shortly before he pressed had not let go of it before.
pub const ADJUSTED: Duration = Duration::from_millis(150);
/// A move that is seen this much after a press stood when the clock was pressed: the scan and the
/// line take that long.
pub const SCAN: Duration = Duration::from_millis(100);
/// A piece that moves again has rested at least this long: the opponent's hand has been there.
pub const REST_MIN: Duration = Duration::from_millis(150);
/// A piece may be seen on its new square this much before it is missed on its old one: it was
/// dragged. Anything earlier was there before.
pub const TWIN_AHEAD: Duration = Duration::from_millis(100);
/// Pieces that were put back rest at least this long before play goes on.
pub const RESTED: Duration = Duration::from_millis(500);
/// Lines that are this much worse than the best are not searched on.
pub(super) const SEARCH_WITHIN: Cost = 18 * weigh::POINT;
/// After this stillness what a line leaves unexplained counts no more.
pub const STILL_MAX: Duration = Duration::from_millis(1_500);
/// A hand may go out this much before the opponent's release is seen.
pub const REPLY_AHEAD: Duration = Duration::from_millis(1_000);

/// The lines that explain what one board has shown since the start of a game.
#[derive(Clone, Debug)]
pub struct Tracker {
    /// The position that the lines begin from.
    pub(super) root: Chess,
    pub(super) lines: Vec<Line>,
    n_settled: usize,
    pub(super) seen: Placement,
    pub(super) history: History,
    pub(super) changed: [Mono; 64],
    last_change: Mono,
    now: Mono,
    /// What is looked for was played while the line was down.
    pub(super) is_gap: bool,
    /// What every line has cost alike, and what is no longer counted.
    pub(super) forgiven: Cost,
    /// When the whole board was read last.
    pub(super) pictured: Mono,
    /// Searches that ended before they had looked at everything.
    pub(super) n_cut: u64,
}

impl Tracker {
    /// Starts at `start`, after `n_settled` plies that are beyond doubt.
    pub fn new(start: Chess, n_settled: usize) -> Self {
        let seen = Placement::from(start.board().clone());
        Self {
            lines: vec![Line::new(start.clone())],
            root: start,
            n_settled,
            seen,
            history: History::default(),
            changed: [Mono::default(); 64],
            last_change: Mono::default(),
            now: Mono::default(),
            is_gap: false,
            forgiven: 0,
            pictured: Mono::default(),
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

    /// How many lines live. At most [`LINES_MAX`].
    pub fn n_lines(&self) -> usize {
        self.lines.len()
    }

    /// Plies of the game that are no longer open to revision.
    pub fn n_settled(&self) -> usize {
        self.n_settled
    }

    /// What keeps the board from showing the position of the best line.
    pub fn mismatch(&self) -> Option<Mismatch> {
        let (pos, faulty) = (self.best().standing(), self.best().faulty);
        mismatch::classify(pos, &self.seen.trusting(pos.board(), faulty))
    }

    /// The squares on which the board differs from the position of the best line.
    pub fn difference(&self) -> Bitboard {
        self.seen.differs(self.best().standing().board()) & !self.best().faulty
    }

    /// Whether the board shows exactly one legal move more than the best line has.
    pub fn shows_one_more_move(&self) -> bool {
        let mut budget = search::NODES_MAX;
        let best = self.best();
        let (pos, faulty) = (best.standing(), best.faulty);
        !search::lines(pos, &self.seen, 1, 0, faulty, &mut budget).is_empty()
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
        let faulty = self.best().faulty;
        self.lines = vec![Line::new(root.clone())];
        self.lines[0].faulty = faulty;
        self.root = root;
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
        let pressed = Completion { at, by: CompletedBy::Press };
        let done = |ply: &Ply| !ply.is_illegal && ply.completion == Some(pressed);
        self.best().plies.iter().rev().skip(1).any(done)
    }

    /// Whether the press at `at` completed an illegal move, as the best line has it.
    pub fn is_illegal_press(&self, at: Mono) -> bool {
        let pressed = Completion { at, by: CompletedBy::Press };
        self.best().plies.iter().any(|ply| ply.is_illegal && ply.completion == Some(pressed))
    }

    /// Whether a piece of `color` was just put where the best line does not expect it while it is
    /// missed elsewhere: something else has been played than that line says. What stood astray
    /// before the opponent's last move says nothing of this one.
    pub fn is_astray(&self, color: Color) -> bool {
        let best = self.best();
        let board = best.standing().board();
        let diff = self.difference();
        let missing = diff & board.by_color(color) & !self.seen.occupied();
        let arrived = diff & (self.seen.by_color(color) | self.seen.something());
        let theirs = (0..best.plies.len()).rev().find(|idx| best.mover(*idx) != color);
        let since = theirs.map_or(Mono::default(), |idx| best.plies[idx].released);
        arrived.into_iter().any(|sq| {
            let is_missed = match self.seen.get(sq) {
                Reading::Piece(piece) => (missing & board.by_piece(piece)).any(),
                Reading::Colored(_) | Reading::Something => missing.any(),
                Reading::Empty => false,
            };
            is_missed && self.changed_at(sq) > since
        })
    }

    /// The whole board at once. True if it differs from what was seen before: an update was lost.
    pub fn picture(&mut self, at: Mono, picture: &Placement) -> bool {
        self.pictured = at;
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
        self.go_back(at);
        let press = OpenPress { by, at };
        let mut lines = std::mem::take(&mut self.lines);
        let (mut veiled, mut budget) = (Vec::new(), search::NODES_MAX);
        for line in &mut lines {
            let mut before = line.clone();
            if self.take_press(line, press) {
                before.open.push(press);
                veiled.extend(self.hidden(&before, at, &mut budget));
            }
        }
        lines.append(&mut veiled);
        self.lines = lines;
        self.search_on(at, STEP_MAX, weigh::POOR, budget);
        let against: Vec<Cost> =
            self.lines.iter().map(|line| self.contradicts_at(line, press)).collect();
        for (line, cost) in self.lines.iter_mut().zip(against) {
            line.cost += cost;
        }
        self.prune();
    }

    /// True if it was for a move that has been answered.
    fn take_press(&self, line: &mut Line, press: OpenPress) -> bool {
        let starts_the_clock = self.n_settled + line.plies.len() == 0
            && press.by != line.pos.turn()
            && line.open.is_empty();
        if starts_the_clock {
            return false;
        }
        line.open.push(press);
        settle_presses(line);
        let ours = self.seen.by_color(press.by);
        let arrived = line.differs(&self.seen) & ours;
        let is_prompt = |sq| press.at <= self.changed[usize::from(sq)] + PRESS_PROMPT;
        let is_meant_for_another = arrived.into_iter().any(is_prompt);
        let is_late = line.open.last() == Some(&press)
            && (!is_meant_for_another || self.is_late_for_adjusting(line, press))
            && settle_late(line, press);
        if is_late {
            line.open.pop();
        }
        is_late
    }

    /// Whether the presser's hand has only just left the piece that he moved before: that is what
    /// he presses for.
    fn is_late_for_adjusting(&self, line: &Line, press: OpenPress) -> bool {
        let Some(idx) = late_ply(line, press) else { return false };
        let m = line.plies[idx].m;
        let piece = m.role().of(press.by);
        let since = |at: Mono| at <= press.at && press.at.since(at) <= ADJUSTED;
        let touched = |sq: Square| self.history.last_shown(sq, piece).is_some_and(since);
        since(self.changed[usize::from(m.to())])
            || shakmaty::attacks::king_attacks(m.to()).into_iter().any(touched)
    }

    /// Looks closer where no line explains the board well: up to `depth` plies may have been played
    /// without their pieces having been seen one by one.
    pub fn look(&mut self, at: Mono, depth: usize) {
        self.pass(at);
        self.go_back(at);
        self.is_gap = depth > STEP_MAX;
        let content = if self.is_gap { weigh::PLY } else { weigh::POOR };
        self.search_on(at, depth, content, search::NODES_MAX);
        self.is_gap = false;
        self.prune();
    }

    /// How many plies of the best line no living rival disputes. A rival that leads to the same
    /// position does not count, nor does one that leads to what looks the same to these sensors:
    /// waiting will not tell the two apart ([`Self::alternatives`]).
    pub fn n_undisputed(&self) -> usize {
        self.n_shared_with(|_, _| true)
    }

    /// The same among lines that have got as far: one that only waits for the move disputes
    /// nothing.
    pub fn n_uncontradicted(&self) -> usize {
        self.n_shared_with(|best, rival| best.n_shared(rival) < rival.plies.len())
    }

    fn n_shared_with(&self, counts: impl Fn(&Line, &Line) -> bool) -> usize {
        let best = self.best();
        self.rivals(weigh::CLEAR_LEAD)
            .filter(|rival| rival.pos != best.pos && !self.is_twin(rival) && counts(best, rival))
            .map(|rival| best.n_shared(rival))
            .fold(best.n_standing(), usize::min)
    }

    /// Whether `rival` leads to another position that looks like the best line's to these sensors:
    /// they do not know which pawn was captured, or to what a pawn was promoted.
    fn is_twin(&self, rival: &Line) -> bool {
        let best = self.best();
        let (one, other) = (&best.pos, &rival.pos);
        one.turn() == other.turn()
            && one.board() != other.board()
            && !self.seen.tells_apart(one.board(), other.board(), best.faulty | rival.faulty)
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

    /// Lines that are worse than the best by less than `lead`. One that ends with an illegal move
    /// which the board does not show is none.
    pub(super) fn rivals(&self, lead: Cost) -> impl Iterator<Item = &Line> {
        let limit = total(self.best()) + lead;
        self.lines[1..].iter().filter(move |line| total(line) < limit && !self.has_gone(line))
    }

    /// Whether `line` ends with an illegal move that the board does not show.
    fn has_gone(&self, line: &Line) -> bool {
        line.n_standing() < line.plies.len() && line.differs(&self.seen).any()
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
        let n = best.n_standing().saturating_sub(1);
        for ply in &mut best.plies[..n] {
            ply.completion.get_or_insert(Completion { at, by: CompletedBy::Reply });
        }
    }

    /// Completes the last plies of the best line without a press, because the game is over.
    pub fn complete_at_game_end(&mut self, at: Mono) {
        let best = &mut self.lines[0];
        let n = best.n_standing();
        best.take_back(n, best.standing().clone());
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
        let n = n.min(self.n_beyond_faults());
        if n == 0 {
            return;
        }
        self.lines.retain(|line| line.agrees(&best, n));
        for line in &mut self.lines {
            line.plies.drain(..n);
        }
        for ply in &best.plies[..n] {
            self.root.play_unchecked(ply.m);
        }
        self.n_settled += n;
    }

    /// Lets the time pass: what a line leaves unexplained counts by the second, until the board has
    /// been still for [`STILL_MAX`]. A board that stays as it is tells nothing new.
    fn pass(&mut self, at: Mono) {
        let until = at.min(self.last_change + STILL_MAX);
        let micros = weigh::micros(until.since(self.now));
        self.now = self.now.max(at);
        for line in &mut self.lines {
            let rate = weigh::disorder(&self.seen, line, line.pos.turn(), &PER_SECOND);
            line.cost += Cost::from(rate) * micros / 1_000;
        }
    }

    fn note(&mut self, at: Mono, sq: Square, reading: Reading) -> bool {
        if self.seen.get(sq) == reading {
            return false;
        }
        self.pass(at);
        self.go_back(at);
        self.history.note(self.changed[usize::from(sq)], at, sq, self.seen.get(sq));
        self.seen.set(sq, reading);
        for line in &mut self.lines {
            line.masked.discard(sq);
            line.faulty.discard(sq);
        }
        self.changed[usize::from(sq)] = at;
        self.last_change = at;
        self.come_again(sq);
        true
    }

    /// What the board says against `line` at this moment, while `hand` may be moving.
    pub(super) fn contradicts(&self, line: &Line, hand: Color) -> Cost {
        Cost::from(weigh::disorder(&self.seen, line, hand, &AT_PRESS)) * 1_000
    }

    /// What the board says against `line` at `press`. The opponent may have a piece in the air, but
    /// where the press is for a move whose answer is completed already, the presser again. He may
    /// also have gone on with the piece that he presses for.
    fn contradicts_at(&self, line: &Line, press: OpenPress) -> Cost {
        let pressed = Completion { at: press.at, by: CompletedBy::Press };
        let Some(idx) = line.plies.iter().position(|ply| ply.completion == Some(pressed)) else {
            return self.contradicts(line, !press.by);
        };
        let usual = self.contradicts(line, !press.by) - self.wobbling(line, idx, press.at);
        let answer = line.plies.get(idx + 1);
        if answer.is_some_and(|answer| answer.completion.is_some()) {
            return usual.min(self.contradicts(line, press.by) + weigh::BEGUN);
        }
        let m = line.plies[idx].m;
        if self.has_left(m.to(), m.role().of(press.by), press.at) {
            usual.min(self.contradicts(line, press.by) + weigh::GONE_ON)
        } else {
            usual
        }
    }

    /// What it matters less that other pieces of the presser are not seen at `at`, because they
    /// have moved before and are not yet still. `idx` is the ply that he presses for.
    fn wobbling(&self, line: &Line, idx: usize, at: Mono) -> Cost {
        let board = line.pos.board();
        let by = line.mover(idx);
        let is_other = |other: &usize| *other != idx && line.mover(*other) == by;
        let others = (0..line.plies.len()).filter(is_other).map(|other| line.plies[other].m.to());
        let squares: Bitboard = others.collect();
        let wobbles = |sq: &Square| {
            board
                .piece_at(*sq)
                .is_some_and(|piece| piece.color == by && self.has_left(*sq, piece, at))
        };
        let n = squares.into_iter().filter(wobbles).count() as Cost;
        n * Cost::from(AT_PRESS.missing - AT_PRESS.lifted) * 1_000
    }

    /// Whether `piece` has just been taken from `sq` again.
    fn has_left(&self, sq: Square, piece: Piece, at: Mono) -> bool {
        let left = self.history.last_shown(sq, piece);
        self.seen.get(sq) == Reading::Empty && left.is_some_and(|left| at.since(left) <= ADJUSTED)
    }

    pub(super) fn prune(&mut self) {
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
        // An illegal move that is being corrected is not what stands.
        let doubt = |line: &Line| if self.has_gone(line) { weigh::CLEAR_LEAD } else { 0 };
        kept.sort_by_key(|line| (total(line) + doubt(line), line.plies.len()));
        let least = kept.iter().map(|line| line.cost).min().unwrap_or(0);
        for line in &mut kept {
            line.cost -= least;
        }
        self.forgiven += least;
        self.lines = kept;
    }
}

/// What speaks against a line, with the presses that still wait for their move.
pub(super) fn total(line: &Line) -> Cost {
    line.cost + weigh::OPEN_PRESS * line.open.len() as Cost
}

/// Lets each open press complete the move that it belongs to: the presser's last one that stood, or
/// the first one to be seen soon after. 2023: Art. 6.2.1. Moves before it that no press followed
/// are completed by the replies to them, Art. 6.2.1.2.
pub(super) fn settle_presses(line: &mut Line) {
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
pub(super) fn settle_late(line: &mut Line, press: OpenPress) -> bool {
    let Some(idx) = late_ply(line, press) else { return false };
    line.plies[idx].completion = Some(Completion { at: press.at, by: CompletedBy::Press });
    line.cost -= weigh::UNPRESSED;
    true
}

/// The answered move of `line` that `press` may still belong to.
fn late_ply(line: &Line, press: OpenPress) -> Option<usize> {
    let is_answered = |idx: &usize| {
        let done = line.plies[*idx].completion;
        let by_reply = done.is_some_and(|done| done.by == CompletedBy::Reply);
        let released = line.plies[*idx].released;
        by_reply && line.mover(*idx) == press.by && press.at.since(released) <= PRESS_LATE
    };
    (0..line.plies.len()).rev().find(is_answered)
}
