//! The score sheet: the moves as recorded, with their times.

use crate::table::{Times, defaults};
use crate::time::Mono;
use crate::track::legal;
use crate::track::line::CompletedBy;
use shakmaty::san::{San, SanPlus};
use shakmaty::{CastlingMode, Chess, Color, Move, Position, Role, uci::UciMove};
use std::fmt;
use std::time::Duration;

/// The completion of a recorded move.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Completed {
    /// The time of the press or of the reply.
    pub at: Mono,
    /// What completed the move.
    pub by: CompletedBy,
    /// Both clocks as shown at that moment.
    pub times: Option<Times>,
    /// Time since the completion before it, of the first since its player's clock was set off;
    /// `None` where that is not known.
    pub elapsed: Option<Duration>,
}

/// A recorded half-move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scored {
    /// The move.
    pub m: Move,
    /// It in PGN's notation, with its check or mate sign.
    pub san: SanPlus,
    /// It in UCI notation; Chess960 castling is king takes rook, and so is any that is illegal.
    pub uci: UciMove,
    /// The Laws do not allow it; it stands all the same, and has been answered.
    pub is_illegal: bool,
    /// Other moves that explain the sensors about as well. Empty where nothing is in doubt.
    pub alternatives: Vec<UciMove>,
    /// It was seen as it was made, so that its time is known.
    pub is_timed: bool,
    /// It is only shown so far, because its piece rests: neither a press nor a longer rest vouches
    /// for it yet.
    pub is_only_shown: bool,
    /// Set once it is completed.
    pub completed: Option<Completed>,
}

impl Scored {
    /// Whether other moves explain the sensors about as well.
    pub fn is_uncertain(&self) -> bool {
        !self.alternatives.is_empty()
    }
}

/// A half-move, counted from 1, that cannot be played on a sheet that is changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unplayable {
    /// One of the new ones.
    New {
        /// Which, on the new sheet.
        ply: usize,
    },
    /// One that was recorded behind them.
    Later {
        /// Which, on the old sheet.
        ply: usize,
        /// It, in UCI notation.
        uci: String,
    },
}

/// Of so few half-moves no press was made too often.
const FEW: usize = 4;
/// Who has pressed for so many half-moves in a row presses for each.
const PRESSED_ALWAYS: usize = 40;
/// Of so many half-moves two presses may be missing more.
const MANY: usize = 10;

/// How many half-moves nobody knows.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// So many at the least.
    pub at_least: usize,
    /// So many at the most, if anything tells.
    pub at_most: Option<usize>,
}

impl Unknown {
    /// As many as `n` and more.
    pub const fn at_least(n: usize) -> Self {
        Self { at_least: n, at_most: None }
    }

    /// The same without `n` of them that are known by now. At least one is left.
    pub fn without(self, n: usize) -> Self {
        let left = |of: usize| of.saturating_sub(n);
        let at_most = self.at_most.map(left).filter(|left| *left > 0);
        Self { at_least: left(self.at_least).max(1), at_most }
    }

    /// As many as the clock was pressed, or so: quick hands press for two moves at once, or for
    /// none, so that two presses are lost in one half-move of some hundreds. Who is on move is
    /// known all the same.
    pub const fn by_presses(n: usize) -> Self {
        if n <= FEW {
            return Self { at_least: n, at_most: Some(n + 2) };
        }
        let off = 2 + 2 * (n / MANY);
        Self { at_least: n - off, at_most: Some(n + off) }
    }

    /// The same where an even number was played, or an odd one, which it was not said to be: one
    /// less, or one more.
    pub fn of_parity(self, is_even: bool) -> Self {
        if self.at_least.is_multiple_of(2) == is_even {
            return self;
        }
        let at_least = if self.at_least == 0 { 1 } else { self.at_least - 1 };
        Self { at_least, at_most: self.at_most.map(|most| most + 1) }
    }

    /// The likeliest number: the one in the middle, as far as it leaves the same player on move.
    pub const fn likely(self) -> usize {
        match self.at_most {
            Some(most) => self.at_least + (most - self.at_least) / 4 * 2,
            None => self.at_least,
        }
    }

    /// The same if `n_gone` known half-moves before them turn out to be `n_new` others: as many
    /// were played in all.
    fn beside(self, n_gone: usize, n_new: usize) -> Self {
        match n_new.checked_sub(n_gone) {
            Some(0) => self,
            Some(n_more) => self.without(n_more),
            None => self.plus(Self::exactly(n_gone - n_new)),
        }
    }

    /// As many as both together.
    pub(super) fn plus(self, other: Self) -> Self {
        let at_most = self.at_most.zip(other.at_most).map(|(one, more)| one + more);
        Self { at_least: self.at_least + other.at_least, at_most }
    }

    /// `n` and no other number.
    pub const fn exactly(n: usize) -> Self {
        Self { at_least: n, at_most: Some(n) }
    }
}

impl fmt::Display for Unknown {
    /// ```
    /// use rokade::game::Unknown;
    /// assert_eq!(Unknown::exactly(1).to_string(), "1 half-move");
    /// assert_eq!(Unknown::at_least(4).to_string(), "at least 4 half-moves");
    /// assert_eq!(Unknown::at_least(0).to_string(), "an unknown number of half-moves");
    /// ```
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |n: usize| if n == 1 { "half-move" } else { "half-moves" };
        match *self {
            Self { at_least: 0, at_most: None } => f.write_str("an unknown number of half-moves"),
            Self { at_least: n, at_most: None } => write!(f, "at least {n} {}", plural(n)),
            Self { at_least: n, at_most: Some(most) } if n == most => {
                write!(f, "{n} {}", plural(n))
            }
            Self { at_least: n, at_most: Some(most) } => write!(f, "{n} to {most} half-moves"),
        }
    }
}

/// A stretch of a game whose moves nobody knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Half-moves on record before it.
    pub ply: usize,
    /// The position after those, which was the last that is known before it.
    pub before: Chess,
    /// How long it is.
    pub n: Unknown,
}

defaults! {
    /// The moves of one game from its start position. Where nobody knows the moves there is a
    /// [`Gap`]: half-moves are counted as they are on record, and the position after the last one
    /// before the gap is that from which the record goes on.
    #[derive(Clone, Debug)]
    pub struct ScoreSheet {
        given {
            start: Chess,
            mode: CastlingMode,
            positions: Vec<Chess>,
        }
        moves: Vec<Scored>,
        /// In their order; at most one after the same half-move.
        gaps: Vec<Gap>,
        /// The game was not seen from its beginning.
        is_joined: bool,
        /// Half-moves whose times belong to another run of the daemon.
        n_foreign: usize,
        /// When the clock of whoever moves first was set off, and what it showed then.
        set_off: Option<(Mono, Duration)>,
    }
}

impl ScoreSheet {
    /// An empty sheet.
    pub fn new(start: Chess, mode: CastlingMode) -> Self {
        let positions = vec![start.clone()];
        Self::begin(start, mode, positions)
    }

    /// An empty sheet of a game whose beginning nobody saw: `start` is how it was found.
    pub fn joined(start: Chess, mode: CastlingMode) -> Self {
        Self { is_joined: true, ..Self::new(start, mode) }
    }

    /// Whether nobody saw the beginning of the game.
    pub fn is_joined(&self) -> bool {
        self.is_joined
    }

    /// The stretches whose moves nobody knows, in their order.
    pub fn gaps(&self) -> &[Gap] {
        &self.gaps
    }

    /// Whether the record does not go on behind `gap`, of which nobody knows where it leads: the
    /// game ended while nobody heard the board.
    pub fn is_open_end(&self, gap: &Gap) -> bool {
        let after = self.position(gap.ply);
        let is_same = after.board() == gap.before.board() && after.turn() == gap.before.turn();
        gap.ply == self.len() && is_same
    }

    /// How many half-moves are on record before the last gap; 0 without one.
    pub fn n_before_gap(&self) -> usize {
        self.gaps.last().map_or(0, |gap| gap.ply)
    }

    /// Whether the board was taken over as it stood after `n` half-moves.
    pub fn is_taken_over_at(&self, n: usize) -> bool {
        self.gaps.last().is_some_and(|gap| gap.ply == n) || self.is_joined && n == 0
    }

    /// Whether the players have shown that they press the clock for each half-move.
    pub fn is_always_pressed(&self) -> bool {
        let done = self.moves.iter().rev().filter_map(|scored| scored.completed);
        let last: Vec<CompletedBy> = done.map(|done| done.by).take(PRESSED_ALWAYS).collect();
        last.len() == PRESSED_ALWAYS && last.iter().all(|by| *by == CompletedBy::Press)
    }

    /// What comes after the last half-move nobody knows; the record goes on from `adopted`. Takes
    /// the place of a gap that is there already.
    pub fn open_gap(&mut self, adopted: Chess, n: Unknown) {
        let ply = self.len();
        let known = self.gaps.pop_if(|gap| gap.ply == ply);
        let before = known.map_or_else(|| self.last().clone(), |gap| gap.before);
        self.gaps.push(Gap { ply, before, n });
        self.positions[ply] = adopted;
    }

    /// Has the record go on from `adopted`, where there was a gap of `n` half-moves: there still is
    /// one, unless the moves before lead there by now. Two gaps with nothing between are one.
    fn bring_to(&mut self, adopted: &Chess, n: Unknown) {
        let (last, ply) = (self.last(), self.len());
        if last.board() != adopted.board() || last.turn() != adopted.turn() {
            let known = self.gaps.last().filter(|gap| gap.ply == ply).map(|gap| gap.n);
            self.open_gap(adopted.clone(), known.map_or(n, |known| known.plus(n)));
        }
    }

    /// Takes the gap after the last half-move away: what was played there is known. False if there
    /// is none.
    pub fn close_gap(&mut self) -> bool {
        let ply = self.len();
        let Some(gap) = self.gaps.pop_if(|gap| gap.ply == ply) else { return false };
        self.positions[ply] = gap.before;
        true
    }

    /// The position before the first move.
    pub fn start(&self) -> &Chess {
        &self.start
    }

    /// How castling is played and written.
    pub fn mode(&self) -> CastlingMode {
        self.mode
    }

    /// The recorded half-moves.
    pub fn moves(&self) -> &[Scored] {
        &self.moves
    }

    /// How many half-moves are recorded.
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// Whether no move is recorded yet.
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// The position after `n` half-moves.
    ///
    /// # Panics
    /// If fewer are recorded.
    pub fn position(&self, n: usize) -> &Chess {
        &self.positions[n]
    }

    /// The position after the last recorded half-move.
    pub fn last(&self) -> &Chess {
        self.positions.last().expect("a sheet has its start position")
    }

    /// How many half-moves from the start are completed.
    pub fn n_completed(&self) -> usize {
        self.moves.iter().take_while(|scored| scored.completed.is_some()).count()
    }

    /// Adds a move that is legal in the last position, with the moves that may have been played
    /// instead.
    pub fn push(&mut self, m: Move, alternatives: Vec<UciMove>) -> &Scored {
        let mut pos = self.last().clone();
        let uci = m.to_uci(self.mode);
        let san = SanPlus::from_move_and_play_unchecked(&mut pos, m);
        self.positions.push(pos);
        self.add(Scored {
            m,
            san,
            uci,
            is_illegal: false,
            alternatives,
            is_timed: true,
            is_only_shown: false,
            completed: None,
        })
    }

    /// Adds a move that the Laws do not allow, but that stands on the board. It is written with the
    /// square that it came from.
    pub fn push_illegal(&mut self, m: Move) -> &Scored {
        let mut pos = self.last().clone();
        let san = match m {
            Move::Normal { role, from, capture, to, promotion } => San::Normal {
                role,
                file: Some(from.file()),
                rank: Some(from.rank()),
                capture: capture.is_some(),
                to,
                promotion,
            },
            Move::Castle { .. } | Move::EnPassant { .. } | Move::Put { .. } => {
                San::from_move(self.last(), m)
            }
        };
        pos.play_unchecked(m);
        self.positions.push(pos);
        self.add(Scored {
            m,
            san: SanPlus { san, suffix: None },
            uci: m.to_uci(CastlingMode::Chess960),
            is_illegal: true,
            alternatives: Vec::new(),
            is_timed: true,
            is_only_shown: false,
            completed: None,
        })
    }

    /// The move that [`Self::push_illegal`] wrote as `uci`; `None` if no piece is there to make it.
    pub fn illegal_move(&self, uci: &UciMove) -> Option<Move> {
        let UciMove::Normal { from, to, promotion } = *uci else { return None };
        let board = self.last().board();
        let (piece, other) = (board.piece_at(from)?, board.piece_at(to));
        if other.is_some_and(|other| other.color == piece.color) {
            return Some(Move::Castle { king: from, rook: to });
        }
        let capture = other.map(|other| other.role);
        let takes_king = capture == Some(Role::King);
        (!takes_king).then_some(Move::Normal { role: piece.role, from, capture, to, promotion })
    }

    fn add(&mut self, scored: Scored) -> &Scored {
        self.moves.push(scored);
        self.moves.last().expect("a move was pushed")
    }

    /// The last half-move was not seen as it was made: its time is not known.
    pub fn forget_last_time(&mut self) {
        if let Some(last) = self.moves.last_mut() {
            last.is_timed = false;
        }
    }

    /// The half-moves after the first `n` are only shown: neither a press nor a longer rest vouches
    /// for them yet.
    pub fn only_show_from(&mut self, n: usize) {
        self.moves[n..].iter_mut().for_each(|scored| scored.is_only_shown = true);
    }

    /// Half-move `ply`, counted from 1, is more than shown from here on.
    pub fn vouch(&mut self, ply: usize) {
        self.moves[ply - 1].is_only_shown = false;
    }

    /// Names what half-move `ply`, counted from 1, may have been instead.
    pub fn mark(&mut self, ply: usize, alternatives: Vec<UciMove>) {
        self.moves[ply - 1].alternatives = alternatives;
    }

    /// Writes half-move `idx`, counted from 0, as `m`, and what follows as `later`. Completions
    /// stay as they are; `m` is no longer uncertain.
    ///
    /// # Panics
    /// If a move is not legal where it stands, or there are not as many later moves.
    pub fn rewrite(&mut self, idx: usize, m: Move, later: &[Move]) {
        assert_eq!(idx + 1 + later.len(), self.len(), "each later move is written anew");
        self.positions.truncate(idx + 1);
        self.moves[idx].alternatives.clear();
        for (scored, &m) in self.moves[idx..].iter_mut().zip(std::iter::once(&m).chain(later)) {
            let mut pos = self.positions.last().expect("a sheet has its start position").clone();
            assert!(legal::is_legal(&pos, m), "each move is legal where it stands");
            (scored.m, scored.uci, scored.is_illegal) = (m, m.to_uci(self.mode), false);
            scored.is_only_shown = false;
            scored.san = SanPlus::from_move_and_play_unchecked(&mut pos, m);
            self.positions.push(pos);
        }
    }

    /// Puts `moves` in the place of `n` half-moves from `idx` on, counted from 0. What was recorded
    /// behind them is played again, and stays completed; how long each of these moves took is not
    /// known any more. A move that takes the place of one is completed as that was, one that is
    /// inserted when the next is, by its reply.
    ///
    /// # Errors
    /// The first half-move, counted from 1 as on the new sheet and as on the old one, that cannot
    /// be played; the sheet is as before then.
    pub fn splice(&mut self, idx: usize, n: usize, moves: &[UciMove]) -> Result<(), Unplayable> {
        let mut new = self.clone();
        new.truncate(idx);
        // What is put in where there is a gap was played in it.
        let filled = self.gaps.iter().find(|gap| n == 0 && gap.ply == idx);
        if filled.is_some() {
            new.close_gap();
        }
        for (nth, uci) in moves.iter().enumerate() {
            let ply = idx + nth + 1;
            let m = legal::read(uci, new.last()).map_err(|_| Unplayable::New { ply })?;
            new.push(m, Vec::new());
        }
        for nth in idx + n..=self.len() {
            let gap = self.gaps.iter().find(|gap| gap.ply == nth);
            if let Some(gap) = gap.filter(|gap| self.is_open_end(gap)) {
                // Who says what was played to the end leaves nothing open.
                if nth > idx + n || moves.is_empty() {
                    new.open_gap(new.last().clone(), gap.n);
                }
            } else if let Some(gap) = gap.filter(|_| n == 0 || nth > idx) {
                let is_next = nth == idx + n;
                let unknown = if is_next { gap.n.beside(n, moves.len()) } else { gap.n };
                new.bring_to(self.position(nth), unknown);
            }
            let Some(old) = self.moves.get(nth) else { break };
            let unplayable = || Unplayable::Later { ply: nth + 1, uci: old.uci.to_string() };
            if old.is_illegal {
                let m = new.illegal_move(&old.uci).ok_or_else(unplayable)?;
                new.push_illegal(m);
            } else {
                let m = legal::read(&old.uci, new.last()).map_err(|_| unplayable())?;
                new.push(m, old.alternatives.clone());
            }
        }
        let timeless = |done: Completed| Completed { elapsed: None, ..done };
        for nth in (idx..new.len()).rev() {
            let old = match nth.checked_sub(idx + moves.len()) {
                Some(behind) => self.moves.get(idx + n + behind),
                None => self.moves.get(nth).filter(|_| nth - idx < n),
            };
            let reply = new.moves.get(nth + 1).and_then(|next| next.completed);
            let reply = reply.map(|next| Completed { by: CompletedBy::Reply, times: None, ..next });
            new.moves[nth].completed = match old {
                Some(old) => old.completed.map(timeless),
                None => reply,
            };
        }
        new.forget_times();
        *self = new;
        Ok(())
    }

    /// What half-move `idx`, counted from 0, may have been instead, in PGN's notation.
    pub fn alternatives(&self, idx: usize) -> Vec<String> {
        let before = self.position(idx);
        let san = |uci: &UciMove| match legal::read(uci, before) {
            Ok(m) => SanPlus::from_move(before.clone(), m).to_string(),
            Err(_) => uci.to_string(),
        };
        self.moves[idx].alternatives.iter().map(san).collect()
    }

    /// The daemon has been started anew: monotonic times recorded so far mean nothing beside those
    /// to come.
    pub fn forget_times(&mut self) {
        self.n_foreign = self.moves.len();
        self.set_off = None;
    }

    /// The clock shows this, and runs or stands. What it does before the first move is completed
    /// tells how long that one took; one that has been put back to where it began begins anew.
    pub fn hear_clock(&mut self, at: Mono, running: Option<Color>, times: Times) {
        let color = self.start.turn();
        let shown = *times.get(color);
        if self.is_joined || self.moves.first().is_some_and(|first| first.completed.is_some()) {
            return;
        }
        let is_unused = self.set_off.is_none_or(|(_, before)| shown > before);
        if running == Some(color) && is_unused {
            self.set_off = Some((at, shown));
        } else if running != Some(color) && self.set_off.is_some_and(|(_, it)| shown >= it) {
            self.set_off = None;
        }
    }

    /// How many half-moves those before [`Self::forget_times`] are.
    pub fn n_foreign(&self) -> usize {
        self.n_foreign
    }

    /// Withdraws all but the first `n` half-moves. A gap after these stays.
    pub fn truncate(&mut self, n: usize) {
        self.moves.truncate(n);
        self.n_foreign = self.n_foreign.min(n);
        self.positions.truncate(n + 1);
        self.gaps.retain(|gap| gap.ply <= n);
    }

    /// Completes half-move `ply`, counted from 1.
    pub fn complete(&mut self, ply: usize, at: Mono, by: CompletedBy, times: Option<Times>) {
        let is_after_gap = self.gaps.iter().any(|gap| gap.ply + 1 == ply);
        let before = ply.checked_sub(2).filter(|idx| *idx >= self.n_foreign && !is_after_gap);
        let is_timed = self.moves[ply - 1].is_timed;
        let before =
            before.map(|idx| &self.moves[idx]).filter(|scored| is_timed && scored.is_timed);
        let before = before.and_then(|scored| scored.completed).map(|before| before.at);
        let begun = self.set_off.filter(|(began, _)| ply == 1 && is_timed && *began <= at);
        let elapsed = before.or(begun.map(|(began, _)| began)).map(|it| at.since_on_record(it));
        self.vouch(ply);
        self.moves[ply - 1].completed = Some(Completed { at, by, times, elapsed });
    }
}
