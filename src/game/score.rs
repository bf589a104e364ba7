//! The score sheet: the moves as recorded, with their times.

use crate::clock::Times;
use crate::time::Mono;
use crate::track::line::CompletedBy;
use shakmaty::{CastlingMode, Chess, Move, san::SanPlus, uci::UciMove};
use std::time::Duration;

/// The completion of a recorded move.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Completed {
    /// When.
    pub at: Mono,
    /// By what.
    pub by: CompletedBy,
    /// Both clocks as shown at that moment.
    pub times: Option<Times>,
    /// Time since the completion before it; `None` for the first, and where it is not known.
    pub elapsed: Option<Duration>,
}

/// A recorded half-move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scored {
    /// The move.
    pub m: Move,
    /// It in PGN's notation, with its check or mate sign.
    pub san: SanPlus,
    /// It in UCI notation; Chess960 castling is king takes rook.
    pub uci: UciMove,
    /// Other moves explain the board about as well and lead to the same position.
    pub is_uncertain: bool,
    /// It was seen as it was made, so that its time is known.
    pub is_timed: bool,
    /// Set once it is completed.
    pub completed: Option<Completed>,
}

/// The moves of one game from its start position.
#[derive(Clone, Debug)]
pub struct ScoreSheet {
    start: Chess,
    mode: CastlingMode,
    moves: Vec<Scored>,
    positions: Vec<Chess>,
    /// Half-moves whose times belong to another run of the daemon.
    n_foreign: usize,
}

impl ScoreSheet {
    /// An empty sheet.
    pub fn new(start: Chess, mode: CastlingMode) -> Self {
        Self { positions: vec![start.clone()], start, mode, moves: Vec::new(), n_foreign: 0 }
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

    /// Adds a move that is legal in the last position.
    pub fn push(&mut self, m: Move, is_uncertain: bool) -> &Scored {
        let mut pos = self.last().clone();
        let uci = m.to_uci(self.mode);
        let san = SanPlus::from_move_and_play_unchecked(&mut pos, m);
        self.positions.push(pos);
        self.moves.push(Scored { m, san, uci, is_uncertain, is_timed: true, completed: None });
        self.moves.last().expect("a move was pushed")
    }

    /// The last half-move was not seen as it was made: its time is not known.
    pub fn forget_last_time(&mut self) {
        if let Some(last) = self.moves.last_mut() {
            last.is_timed = false;
        }
    }

    /// The daemon has been started anew: monotonic times recorded so far mean nothing beside those
    /// to come.
    pub fn forget_times(&mut self) {
        self.n_foreign = self.moves.len();
    }

    /// Withdraws all but the first `n` half-moves.
    pub fn truncate(&mut self, n: usize) {
        self.moves.truncate(n);
        self.n_foreign = self.n_foreign.min(n);
        self.positions.truncate(n + 1);
    }

    /// Completes half-move `ply`, counted from 1.
    pub fn complete(&mut self, ply: usize, at: Mono, by: CompletedBy, times: Option<Times>) {
        let before = ply.checked_sub(2).filter(|idx| *idx >= self.n_foreign);
        let is_timed = self.moves[ply - 1].is_timed;
        let before =
            before.map(|idx| &self.moves[idx]).filter(|scored| is_timed && scored.is_timed);
        let before = before.and_then(|scored| scored.completed);
        let elapsed = before.map(|before| at.since(before.at));
        self.moves[ply - 1].completed = Some(Completed { at, by, times, elapsed });
    }
}
