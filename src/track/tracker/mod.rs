//! The heart: a handful of lines, each of which explains what the sensors have shown so far.
//!
//! Whenever the board shows a piece where a line does not expect it, the line branches: once for
//! every legal move that would put it there, and once for none. What a line leaves unexplained
//! counts against it for as long as it lasts, and again, heavily, when a clock is pressed: the
//! presser says that his move stands. The best few lines live on. So a rook that rested on its
//! way, a captured piece that was carried over the board or a reply that was begun before the press
//! needs no rule of its own: some line explains it, and time tells which.

pub mod amend;
pub mod fault;
pub mod grow;
pub mod press;
pub mod rivals;

use super::bridge::Shore;
use super::history::ReadingHistory;
use super::legal;
use super::line::{
    CompletedBy, Completion, Line, OpenPress, UNEXPLAINED_MAX, arrivals_of, squares_of,
};
use super::mismatch::{self, Mismatch};
use super::search;
use super::weigh::{self, AT_PRESS, Cost, PER_SECOND};
use crate::table::{Placement, Reading, defaults};
use crate::time::Mono;
use press::Closing;
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
/// A move that nobody has pressed for and that has stood for less may have been another one.
const SECOND_THOUGHT: Duration = Duration::from_secs(2);
/// Rivals whose positions count where play went on unseen.
const SHORES_MAX: usize = 4;
/// Plies that a closer look may add after the link was down.
pub const GAP_STEP_MAX: usize = 6;
/// A press may come this much before its piece is seen to stand. Scan and line take up to 0.4 s
/// (protocol 1.10), a flying hand the rest.
pub const PRESS_AHEAD: Duration = Duration::from_millis(2_000);
/// A press may come this much after its move although the opponent has answered meanwhile.
pub const PRESS_LATE: Duration = Duration::from_millis(3_000);
/// So soon after the answer a press may still come for the move that was answered, as it happens
/// where both are in a hurry.
pub const PRESS_SOON: Duration = Duration::from_secs(1);
/// A press this soon after a move is meant for it.
pub const PRESS_PROMPT: Duration = Duration::from_millis(300);
/// Whoever touched a piece of his this shortly before he pressed had not let go of it before.
pub const ADJUSTED: Duration = Duration::from_millis(150);
/// A press is heard so long after its piece was let go, at the most, where the hand hurries and the
/// clock's messages come 0.2 to 0.45 s late.
pub const HEARD_LATE: Duration = Duration::from_millis(700);
/// A move that is seen this much after a press stood when the clock was pressed, where changes are
/// told when they happen: the line takes that long.
pub const SCAN: Duration = Duration::from_millis(100);
/// A board that looks at one square after another comes back to each after this (200 to 250 ms,
/// protocol 1.10).
const ROUND: Duration = Duration::from_millis(250);
/// Such a board shows no reading for less than this.
const ROUND_MIN: Duration = Duration::from_millis(150);
/// What is shown for so long tells nothing of that.
const ROUND_STAY: Duration = Duration::from_secs(1);
/// After so many stays that are short, but not too short, a board is known to look in rounds.
const ROUND_STAYS: u32 = 6;
/// Of so many stays one may have been shorter: a reading that came late.
const ROUND_OF: u32 = 10;
/// What is read for less than this is no stay: a sensor let go of what had been there.
const FLICKER: Duration = Duration::from_millis(8);
/// A piece that moves again has rested at least this long: the opponent's hand has been there.
pub const REST_MIN: Duration = Duration::from_millis(150);
/// A piece may be seen on its new square this much before it is missed on its old one: it was
/// dragged. Anything earlier was there before.
pub const TWIN_AHEAD: Duration = Duration::from_millis(100);
/// Pieces that were put back rest at least this long before play goes on.
pub const RESTED: Duration = Duration::from_millis(500);
/// Lines that are this much worse than the best are not searched on.
pub(in crate::track) const SEARCH_WITHIN: Cost = 18 * weigh::POINT;
/// After this stillness what a line leaves unexplained counts no more.
pub const STILL_MAX: Duration = Duration::from_millis(1_500);
/// A hand may go out this much before the opponent's release is seen.
pub const REPLY_AHEAD: Duration = Duration::from_millis(1_000);

defaults! {
    /// The lines that explain what one board has shown since the start of a game.
    #[derive(Clone, Debug)]
    pub struct Tracker {
        given {
            /// The position that the lines begin from.
            pub(in crate::track) root: Chess,
            pub(in crate::track) lines: Vec<Line>,
            n_settled: usize,
            pub(in crate::track) seen: Placement,
        }
        /// The board was taken over as it stood, perhaps with a piece in a hand: what no legal move
        /// explains then is no illegal one.
        is_taken_over: bool,
        pub(in crate::track) history: ReadingHistory,
        pub(in crate::track) changed: [Mono; 64] = [Mono::default(); 64],
        last_change: Mono,
        now: Mono,
        /// What is looked for was played while the line was down.
        pub(in crate::track) is_gap: bool,
        /// When it was last told that a message had been lost.
        pub(in crate::track) missed: Option<Mono>,
        /// What every line has cost alike, and what is no longer counted.
        pub(in crate::track) forgiven: Cost,
        /// When the whole board was read last.
        pub(in crate::track) pictured: Mono,
        /// Searches that ended before they had looked at everything.
        pub(in crate::track) n_cut: u64,
        /// How often a square has shown a reading for a moment: too short for a board that looks in
        /// rounds, and longer.
        n_stays: (u32, u32),
        /// Presses at which not every square had been looked at.
        pub(in crate::track) closing: Vec<Closing>,
    }
}

impl Tracker {
    /// Starts at `start`, after `n_settled` plies that are beyond doubt.
    pub fn new(start: Chess, n_settled: usize) -> Self {
        let seen = Placement::from(start.board().clone());
        let lines = vec![Line::new(start.clone())];
        Self::begin(start, lines, n_settled, seen)
    }

    /// How late a change may be told: a board that looks at its squares in rounds misses what is
    /// shorter, and tells of what is not in the order of the rounds. How long readings last shows
    /// whether it does.
    pub fn round(&self) -> Duration {
        let (n_short, n_long) = self.n_stays;
        let is_in_rounds = n_long >= ROUND_STAYS && n_short * ROUND_OF <= n_long;
        if is_in_rounds { ROUND } else { Duration::ZERO }
    }

    /// As [`Self::round`], where it is not known yet whether it does.
    pub fn round_if_unknown(&self) -> Duration {
        let (n_short, _) = self.n_stays;
        if n_short == 0 { ROUND } else { self.round() }
    }

    /// What is seen so long after a press may have stood when the clock was pressed.
    pub fn scan(&self) -> Duration {
        SCAN.max(self.round())
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

    /// Whether a piece of `color`, or one without a name, has come or gone since `since`.
    pub fn has_stirred(&self, color: Color, since: Mono) -> bool {
        let may_be_his = self.seen.by_color(color) | self.seen.something();
        let has_come = |sq: Square| self.changed_at(sq) > since;
        may_be_his.into_iter().any(has_come) || self.history.has_left(color, since)
    }

    /// Where `piece`, of which there is but one, was last seen by its name and is no more.
    pub fn last_seen(&self, piece: Piece) -> Option<Square> {
        let sightings = self.history.sightings(piece, Mono::default());
        sightings.max_by_key(|(_, at)| *at).map(|(sq, _)| sq)
    }

    /// How long the piece of `m`, which was played from `before`, was on its way until it came to
    /// where it stands.
    pub fn carried(&self, before: &Chess, m: Move) -> Option<Duration> {
        let lifted = self.history.last_shown(m.from()?, m.role().of(before.turn()))?;
        let came = self.changed_at(m.to());
        (lifted <= came).then(|| came.since(lifted))
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
        let (pos, untold) = (self.best().standing(), self.untold());
        mismatch::classify(pos, &self.seen.trusting(pos.board(), untold))
    }

    /// The squares on which the board differs from the position of the best line.
    pub fn difference(&self) -> Bitboard {
        self.seen.differs(self.best().standing().board()) & !self.untold()
    }

    /// The same with those on which a piece lies that is knocked over, or half on another square.
    pub fn bare_difference(&self) -> Bitboard {
        let best = self.best();
        self.seen.differs(best.standing().board()) & !self.bare_untold()
    }

    /// The squares on which what is seen does not tell what stands there, whatever lies astray.
    pub fn bare_untold(&self) -> Bitboard {
        let best = self.best();
        self.untold() & (best.faulty | !best.strewn(&self.seen))
    }

    /// The squares on which what is seen does not tell what stands there, by the best line.
    pub fn untold(&self) -> Bitboard {
        self.best().untold(&self.seen)
    }

    /// Whether the board shows exactly one legal move more than the best line has.
    pub fn shows_one_more_move(&self) -> bool {
        let mut budget = search::NODES_MAX;
        let best = self.best();
        let (pos, untold) = (best.standing(), best.untold(&self.seen));
        !search::lines(pos, &self.seen, 1, 0, untold, &mut budget).is_empty()
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

    /// A search for what nobody saw was cut short.
    pub fn note_cut(&mut self) {
        self.n_cut += 1;
    }

    /// The position that the lines begin from.
    pub fn root(&self) -> &Chess {
        &self.root
    }

    /// The whole board after nobody saw it for a while: no line is carried on by it. True if it
    /// differs from what was seen before.
    pub fn witness(&mut self, at: Mono, picture: &Placement) -> bool {
        self.pictured = at;
        let changes = self.seen.changes(picture);
        for sq in changes {
            self.observe(at, sq, picture.get(sq));
        }
        changes.any()
    }

    /// The positions that play may have gone on from unseen: that of the best line, those of its
    /// rivals, and the one before the last move of each if nobody has pressed for that, and it was
    /// made shortly before `until`, its piece does not stand there any more, or the king has
    /// castled with it.
    pub fn shores(&self, until: Mono, then: &Placement) -> Vec<Shore> {
        let mut shores: Vec<Shore> = Vec::new();
        let explains = |line: &&Line| line.differs(&self.seen).is_empty();
        let rivals = self.rivals(weigh::SURE_LEAD).filter(explains).take(SHORES_MAX);
        for line in std::iter::once(self.best()).chain(rivals) {
            let n = line.n_standing();
            let last = n.checked_sub(1).map(|idx| line.plies[idx]);
            let gone = self.seen.differs(line.pos.board());
            let is_gone = |m: Move| (gone & arrivals_of(m, !line.pos.turn())).any();
            let moved = then.differs(line.pos.board());
            let stands_on = |m: Move| (moved & squares_of(m, !line.pos.turn())).is_empty();
            let after = |n: usize| {
                let moves: Vec<Move> = line.plies[..n].iter().map(|ply| ply.m).collect();
                let mut pos = self.root.clone();
                moves.iter().for_each(|m| pos.play_unchecked(*m));
                (moves, pos)
            };
            let is_half = |m: Move| legal::is_half_of_castling(&after(n - 1).1, m, then);
            let is_open = last.is_some_and(|ply| {
                let is_new = until.since(ply.released) < SECOND_THOUGHT && !stands_on(ply.m);
                ply.completion.is_none() && (is_new || is_gone(ply.m) || is_half(ply.m))
            });
            for n in (n - usize::from(is_open)..=n).rev() {
                let (moves, pos) = after(n);
                if shores.iter().all(|known| known.moves != moves) {
                    shores.push(Shore { moves, pos });
                }
            }
        }
        shores
    }

    /// Begins anew from `root`, after `n_settled` plies, with what the sensors see now.
    pub fn restart(&mut self, root: Chess, n_settled: usize) {
        let faulty = self.best().faulty;
        self.lines = vec![Line::new(root.clone())];
        self.lines[0].faulty = faulty;
        self.root = root;
        self.n_settled = n_settled;
        self.is_taken_over = false;
    }

    /// Nobody saw how the position came about that the lines begin from.
    pub fn note_taken_over(&mut self) {
        self.is_taken_over = true;
    }

    /// These sensors do not tell, as was found before.
    pub fn distrust(&mut self, faulty: Bitboard) {
        for line in &mut self.lines {
            line.faulty |= faulty;
        }
    }

    /// Every sensor tells, as far as is known.
    pub fn trust_sensors(&mut self) {
        for line in &mut self.lines {
            line.faulty = Bitboard::EMPTY;
        }
    }

    /// As [`Self::restart`], with every sensor believed to be right.
    pub fn restart_right(&mut self, root: Chess, n_settled: usize) {
        self.trust_sensors();
        self.restart(root, n_settled);
    }

    /// The clock was set going again for whoever had pressed at `at` for what stands illegally: he
    /// has not pressed for what takes its place.
    pub fn give_back_press(&mut self, at: Mono) {
        self.forget_press(at);
        for ply in self.lines.iter_mut().filter_map(|line| line.plies.last_mut()) {
            let is_for_it = ply.completion.is_some_and(|done| done.at == at) && ply.is_illegal;
            ply.completion = ply.completion.filter(|_| !is_for_it);
        }
    }

    /// The press at `at` was none.
    pub fn forget_press(&mut self, at: Mono) {
        for line in &mut self.lines {
            line.open.retain(|press| press.at != at);
        }
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
            self.missed = Some(at);
            self.branch(at);
            self.prune();
        }
        changes.any()
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

    /// Plies of the best line that can no longer change: all but the last [`TAIL_MAX`], if they
    /// are completed, and no more than `n_max`.
    pub fn n_ripe(&self, n_max: usize) -> usize {
        let best = self.best();
        let n = best.plies.len().saturating_sub(TAIL_MAX).min(best.n_completed()).min(n_max);
        n.min(self.n_beyond_faults())
    }

    /// Takes [`Self::n_ripe`] plies out of the lines.
    pub fn settle(&mut self, n_max: usize) {
        let best = self.lines[0].clone();
        let n = self.n_ripe(n_max);
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
        self.is_taken_over = false;
    }

    /// Lets the time pass: what a line leaves unexplained counts by the second, until the board has
    /// been still for [`STILL_MAX`]. A board that stays as it is tells nothing new.
    pub(in crate::track) fn pass(&mut self, at: Mono) {
        self.close_pictures(at);
        let until = at.min(self.last_change + STILL_MAX);
        let micros = weigh::micros(until.since(self.now));
        self.now = self.now.max(at);
        let mut lines = std::mem::take(&mut self.lines);
        for line in &mut lines {
            let disorder = weigh::disorder(&self.seen, line, line.pos.turn(), &PER_SECOND);
            let taken = if self.has_taken(line) { PER_SECOND.moving } else { 0 };
            line.cost += Cost::from(disorder + taken) * micros / 1_000;
        }
        self.lines = lines;
    }

    fn note(&mut self, at: Mono, sq: Square, reading: Reading) -> bool {
        if self.seen.get(sq) == reading {
            return false;
        }
        self.pass(at);
        self.go_back(at);
        let since = self.changed[usize::from(sq)];
        let stay = at.since(since);
        if since != Mono::default() && (FLICKER..ROUND_STAY).contains(&stay) {
            let (n_short, n_long) = &mut self.n_stays;
            let n = if stay < ROUND_MIN { n_short } else { n_long };
            *n = n.saturating_add(1);
        }
        self.history.note(since, at, sq, self.seen.get(sq));
        self.seen.set(sq, reading);
        self.closing.iter_mut().for_each(|closing| closing.later.push((sq, reading)));
        for line in &mut self.lines {
            line.masked.discard(sq);
            line.faulty.discard(sq);
            // It was set right, or has moved on.
            line.astray.retain(|astray| {
                let is_home = astray.home == sq && reading != Reading::Empty;
                !is_home && line.pos.board().piece_at(astray.home) == Some(astray.piece)
            });
        }
        self.changed[usize::from(sq)] = at;
        self.last_change = at;
        self.come_again(sq);
        true
    }

    /// What the board says against `line` at this moment, while `hand` may be moving.
    pub(in crate::track) fn contradicts(&self, line: &Line, hand: Color) -> Cost {
        Cost::from(weigh::disorder(&self.seen, line, hand, &AT_PRESS)) * 1_000
    }

    pub(in crate::track) fn prune(&mut self) {
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
        // What may still be forgiven makes no line hopeless.
        let bare =
            |line: &Line| total(line) - line.charged.iter().map(|(_, cost)| cost).sum::<Cost>();
        let limit = lines.iter().map(total).min().unwrap_or(0) + weigh::HOPELESS;
        let mut kept: Vec<Line> = Vec::with_capacity(LINES_MAX);
        for line in lines {
            let is_same = |known: &Line| known.astray == line.astray && known.has_moves_of(&line);
            match kept.iter().position(is_same) {
                Some(idx) if self.is_dearer(&kept[idx], &line) => kept[idx] = line,
                None if kept.len() < LINES_MAX && bare(&line) <= limit => kept.push(line),
                Some(_) | None => {}
            }
        }
        // An illegal move that is being corrected is not what stands, nor is a capture whose piece
        // stands elsewhere.
        let doubt = |line: &Line| {
            let gone = if self.has_gone(line) { weigh::CLEAR_LEAD } else { 0 };
            let is_elsewhere = self.went_elsewhere(line, !line.pos.turn());
            gone + if is_elsewhere { weigh::ELSEWHERE } else { 0 }
        };
        kept.sort_by_cached_key(|line| (total(line) + doubt(line), line.plies.len()));
        let least = kept.iter().map(|line| line.cost).min().unwrap_or(0);
        for line in &mut kept {
            line.cost -= least;
        }
        self.forgiven += least;
        self.lines = kept;
    }
}

/// What speaks against a line, with the presses that still wait for their move.
pub(in crate::track) fn total(line: &Line) -> Cost {
    line.cost + weigh::OPEN_PRESS * line.open.len() as Cost
}
