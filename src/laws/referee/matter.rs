//! What waits for the arbiter: proposals, claims, questions.

use super::super::said::{Binding, Ruling};
use super::super::score::Score;
use super::super::touch::Touches;
use super::super::why::Attempt;
use super::Referee;
use shakmaty::{Board, ByColor, Chess, Color, Move, Position, Square};
use std::time::Duration;

/// Whether the Laws let the arbiter step in unasked.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum MayAct {
    /// They do.
    Yes,
    /// Only when a player asks.
    OnRequest,
}

/// A breach of Article 4 that the opponent may claim until he touches a piece.
#[derive(Clone, Debug)]
pub(super) struct Breach {
    pub by: Color,
    /// The half-move, counted from 0, that breaks the rule.
    pub ply: usize,
    /// What the player was bound to.
    pub binding: Binding,
    /// The first of two readings, where a released piece went on.
    pub first: Option<String>,
    /// Where it went on to, if its move could not have gone there.
    pub beyond: Option<Beyond>,
    /// The clock was pressed, and the move is not completed while the readings are open.
    pub is_pressed: bool,
    /// A released piece went on: 4.6 (4.7), and not what was touched.
    pub is_release: bool,
    /// The opponent has touched a piece since, and may claim it even so. 2005: Art. 4.7.
    pub is_answered: bool,
    /// What binds was in a hand for so short a time that it may have been set right or knocked
    /// over. That is held against nobody unless the opponent claims it.
    pub is_doubtful: bool,
}

/// Where a released piece stands that its move could not have gone to.
#[derive(Clone, Debug)]
pub(super) struct Beyond {
    pub at: Square,
    /// The illegal move that this would be; none if the piece is back where it came from.
    pub tried: Option<Attempt>,
    /// The move by which the game may be followed from there.
    pub shadow: Option<Move>,
}

impl Breach {
    /// Half-move `ply`, whose piece was released at the end of another move and went on.
    pub(super) const fn by_release(by: Color, ply: usize, binding: Binding) -> Self {
        Self {
            by,
            ply,
            binding,
            first: None,
            beyond: None,
            is_pressed: false,
            is_release: true,
            is_answered: false,
            is_doubtful: false,
        }
    }

    /// Whether something stands that counts as played once nobody may claim the breach.
    pub(super) fn may_lapse(&self) -> bool {
        let stands = |beyond: &Beyond| self.is_pressed && beyond.tried.is_some();
        self.beyond.as_ref().is_none_or(stands)
    }

    /// What a piece that went on would have played, where that is no legal move.
    pub(super) fn second(&self, before: &Chess) -> Option<String> {
        let beyond = self.beyond.as_ref()?;
        let text = |tried: Attempt| tried.san(before);
        Some(beyond.tried.map_or_else(|| "none".to_owned(), text))
    }
}

/// What happens when the demanded position stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// The game goes on from it.
    Nothing,
    /// The move that had been pressed is completed.
    Complete,
    /// The pawn has become a queen: the move is made, completed and paid for. From 2018: 7.5.2.
    Promoted(Move),
}

/// A position that the board must show.
#[derive(Clone, Debug)]
pub(super) struct Demand {
    pub board: Board,
    pub fen: String,
    pub then: Then,
}

/// A completed illegal move that was not ruled upon yet.
#[derive(Clone, Debug)]
pub(super) struct Illegal {
    pub by: Color,
    /// Half-moves before it.
    pub ply: usize,
    pub why: &'static str,
    pub touches: Touches,
    pub released: Option<Binding>,
    /// The board after it is followed as a position.
    pub has_shadow: bool,
    /// A pawn was left on the last rank by this move.
    pub promotion: Option<Move>,
    /// The opponent has begun his own move, and may claim it no more. 2005: Art. B6.
    pub is_lapsed: bool,
    /// The opponent claimed it.
    pub is_claimed: bool,
    pub is_impossible: bool,
    /// The position before it has stood on the board again, or play went on while nobody looked.
    pub is_put_right: bool,
    /// What the clocks showed when the player's began to run for it.
    pub times: Option<ByColor<Duration>>,
}

/// What is to be decided.
#[derive(Clone, Debug)]
pub(super) enum Case {
    OutOfTurn,
    Displaced,
    /// A further piece was moved; the first move stands if confirmed.
    Second {
        /// The half-move that the clock was pressed on meanwhile, which is not completed yet.
        pressed: Option<usize>,
    },
    Illegal(Illegal),
    /// The clock was pressed without a move.
    EmptyPress {
        by: Color,
        /// Half-moves before it.
        ply: usize,
    },
    TwoHands,
    /// A flag fell with moves missing.
    Flag(Color),
    BothFlags,
    /// A telephone of this player has sounded: lost, and the arbiter decides what his opponent
    /// scores. 2005: Art. 12.2(b).
    Device(Color),
    /// A flag fell, and whether the opponent can mate is not proven.
    Undecided(Color),
    Late(ByAbsence),
    WrongArray,
    Reversed,
    /// Why did he stop the clocks?
    Reason,
    Envelope(Color),
    PositionLost,
    Agreed(Score, String),
    BoardsDiffer,
    StillImpossible,
    Touch(Breach),
    Question,
}

impl Case {
    /// Whether what stands on the board is ruled upon with this.
    pub(super) fn holds_board(&self) -> bool {
        match self {
            Self::OutOfTurn | Self::Second { .. } | Self::PositionLost | Self::BoardsDiffer => true,
            Self::Illegal(illegal) => !illegal.is_put_right,
            _ => false,
        }
    }
}

/// Who is absent beyond the default time.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum ByAbsence {
    One(Color),
    Both,
}

/// A case with the choices that the arbiter has.
#[derive(Clone, Debug)]
pub(super) struct Matter {
    /// By which it is named. No two of a game have the same.
    pub number: u32,
    pub case: Case,
    pub options: Vec<String>,
    pub may_act: MayAct,
}

impl Referee {
    /// Puts a case before the arbiter, with its choices.
    pub(super) fn open(&mut self, case: Case, options: &[&str], may_act: MayAct) {
        let options: Vec<String> = options.iter().map(|&option| option.to_owned()).collect();
        if !options.is_empty() {
            self.say(Ruling::Prompt { options: options.clone() });
        }
        let number = self.next_number();
        self.matters.push(Matter { number, case, options, may_act });
        // Nothing that comes up later is ruled upon before a flag that has been seen.
        if let Some(first) = self.flags.legal {
            self.raise(|case| matches!(case, Case::Flag(known) if *known == first));
        }
    }

    /// The number of a matter that comes up.
    pub(super) fn next_number(&mut self) -> u32 {
        self.n_matters += 1;
        self.n_matters
    }

    /// The matter of this number, which waits no more.
    pub(super) fn take_matter(&mut self, number: Option<u32>) -> Option<Matter> {
        let idx = self.matters.iter().position(|matter| Some(matter.number) == number)?;
        Some(self.matters.remove(idx))
    }

    pub(super) fn close(&mut self, is_it: impl Fn(&Case) -> bool) -> bool {
        let before = self.matters.len();
        self.matters.retain(|matter| !is_it(&matter.case));
        self.matters.len() < before
    }

    pub(super) fn has(&self, is_it: impl Fn(&Case) -> bool) -> bool {
        self.matters.iter().any(|matter| is_it(&matter.case))
    }

    /// The illegal move that waits for a ruling.
    pub(super) fn illegal_case(&self) -> Option<&Illegal> {
        self.matters.iter().rev().find_map(|matter| match &matter.case {
            Case::Illegal(illegal) => Some(illegal),
            _ => None,
        })
    }

    /// The same, as long as its position has not been put right.
    pub(super) fn standing_illegal(&self) -> Option<&Illegal> {
        self.illegal_case().filter(|illegal| !illegal.is_put_right)
    }

    /// From now on the board must show the position after `n` half-moves.
    pub(super) fn demand_ply(&mut self, n: usize, then: Then) {
        let pos = self.game.position(n);
        let board = pos.board().clone();
        self.demand_board(board, self.game.fen(n), then);
    }

    pub(super) fn demand_board(&mut self, board: Board, fen: String, then: Then) {
        self.demand = Some(Demand { board, fen, then });
        self.settle_at = None;
        if self.demand.as_ref().is_some_and(|demand| self.shows(&demand.board)) {
            self.restored();
        }
    }

    pub(super) fn shows(&self, board: &Board) -> bool {
        self.seen.differs(board).is_empty()
    }
}
