//! What waits for the arbiter: proposals, claims, questions.

use super::super::history::History;
use super::super::said::Binding;
use super::super::score::Score;
use super::super::touch::Touches;
use super::super::why::{Attempt, Wrong};
use crate::table::defaults;
use crate::table::{Placement, Times};
use shakmaty::san::SanPlus;
use shakmaty::{Board, Chess, Color, Move, Position, Square};

/// Whether the Laws let the arbiter step in unasked.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum MayAct {
    /// The arbiter may.
    Yes,
    /// Only when a player asks.
    OnRequest,
}

defaults! {
    /// A breach of Article 4 that the opponent may claim until he touches a piece.
    #[derive(Clone, Debug)]
    pub(super) struct Breach {
        given {
            /// By which it is named: matters have other numbers.
            pub number: u32,
            pub by: Color,
            /// The half-move, counted from 0, that breaks the rule.
            pub ply: usize,
            /// What the player was bound to.
            pub binding: Binding,
        }
        /// The first of two readings, where a released piece went on.
        pub first: Option<String>,
        /// The other move at whose end it stands since.
        pub other: Option<Move>,
        /// Where it went on to, if its move could not have gone there.
        pub beyond: Option<Beyond>,
        /// The clock was pressed, and the move is not completed while the readings are open.
        pub is_pressed: bool,
        /// A released piece went on: 4.6 (4.7), and not what was touched.
        pub is_release: bool = true,
        /// The opponent has touched a piece since, and may claim it even so. 2005: Art. 4.7.
        pub is_answered: bool,
        /// What binds was in a hand for so short a time that it may have been set right or knocked
        /// over. That is held against nobody unless the opponent claims it.
        pub is_doubtful: bool,
    }
}

/// Where a released piece stands that its move could not have gone to.
#[derive(Clone, Debug)]
pub(super) struct Beyond {
    pub at: Square,
    /// The illegal move that this would be; none if the piece is back where it came from.
    pub tried: Option<Attempt>,
}

impl Breach {
    /// Half-move `ply`, whose piece was released at the end of another move and went on.
    pub(super) fn by_release(number: u32, by: Color, ply: usize, binding: Binding) -> Self {
        Self::begin(number, by, ply, binding)
    }

    /// Whether something stands that counts as played once nobody may claim the breach.
    pub(super) fn may_lapse(&self) -> bool {
        let stands = |beyond: &Beyond| self.is_pressed && beyond.tried.is_some();
        self.beyond.as_ref().is_none_or(stands)
    }

    /// The move that was made before its piece went on, in the position before it.
    pub(super) fn first_move(&self, before: &Chess) -> Option<Move> {
        let san: SanPlus = self.first.as_ref()?.parse().ok()?;
        san.san.to_move(before).ok()
    }

    /// What a piece that went on would have played, where that is no legal move.
    pub(super) fn second(&self, before: &Chess) -> Option<String> {
        let san = |m: Move| SanPlus::from_move(before.clone(), m).to_string();
        let Some(beyond) = &self.beyond else { return self.other.map(san) };
        let text = |tried: Attempt| tried.san(before);
        Some(beyond.tried.map_or_else(|| "none".to_owned(), text))
    }
}

/// What happens when the demanded position stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// The game goes on from it.
    Nothing,
    /// The same, with a legal move in the place of an illegal one, which may come first. 7.4a
    /// (7.5.1).
    Replacing,
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
    pub why: Wrong,
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
    pub times: Option<Times>,
}

/// What is to be decided.
#[derive(Clone, Debug)]
pub(super) enum Case {
    OutOfTurn,
    Displaced,
    /// A further piece was moved; the first move stands if confirmed.
    Second {
        /// The move made first.
        first: Move,
        /// The one move that both together would be.
        both: Option<Move>,
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
    /// A player says that the clock was set otherwise than announced. 2009: Art. 6.10b. From
    /// 2018: Art. 6.10.2.
    Misset,
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

/// What waits for the arbiter.
#[derive(Clone, Debug, Default)]
pub(super) struct Matters {
    /// What came up last is ruled upon next.
    open: Vec<Matter>,
    /// How many matters and claims have come up.
    n_numbered: u32,
    /// Whether the arbiter may step in, in the matter that came up last.
    may_act: Option<MayAct>,
    /// The flag that has been seen or claimed.
    flag: Option<Color>,
    demand: Option<Demand>,
}

impl Matters {
    /// A case with its choices comes up. Nothing that comes up later is ruled upon before a flag
    /// that has been seen.
    pub(super) fn open(&mut self, case: Case, options: Vec<String>, may_act: MayAct) {
        let number = self.next_number();
        self.open.push(Matter { number, case, options, may_act });
        if let Some(first) = self.flag {
            self.raise_flag(first);
        }
    }

    /// The number of a matter that comes up.
    pub(super) fn next_number(&mut self) -> u32 {
        self.n_numbered += 1;
        self.n_numbered
    }

    /// The matters, in the order in which they came up.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &Matter> {
        self.open.iter()
    }

    /// The matter that is ruled upon next, which waits no more.
    pub(super) fn pop(&mut self) -> Option<Matter> {
        self.open.pop()
    }

    /// A matter that was taken out waits again.
    pub(super) fn put_back(&mut self, matter: Matter) {
        self.open.push(matter);
    }

    /// The matter of this number, which waits no more.
    pub(super) fn take(&mut self, number: Option<u32>) -> Option<Matter> {
        let idx = self.open.iter().position(|matter| Some(matter.number) == number)?;
        Some(self.open.remove(idx))
    }

    pub(super) fn close(&mut self, is_it: impl Fn(&Case) -> bool) -> bool {
        let before = self.open.len();
        self.open.retain(|matter| !is_it(&matter.case));
        self.open.len() < before
    }

    /// Nothing waits any more, and the board need not show anything.
    pub(super) fn close_all(&mut self) {
        self.open.clear();
        self.demand = None;
    }

    pub(super) fn has(&self, is_it: impl Fn(&Case) -> bool) -> bool {
        self.open.iter().any(|matter| is_it(&matter.case))
    }

    /// Puts these cases on top: they are the next to be confirmed.
    pub(super) fn raise(&mut self, is_it: impl Fn(&Case) -> bool) {
        self.open.sort_by_key(|matter| is_it(&matter.case));
    }

    /// Puts the flag of `side` on top.
    fn raise_flag(&mut self, side: Color) {
        self.raise(|case| matches!(case, Case::Flag(known) if *known == side));
    }

    /// Whether the Laws let the arbiter step in unasked, in the matter that came up last.
    pub(super) fn may_act(&self) -> Option<MayAct> {
        self.may_act
    }

    pub(super) fn set_may_act(&mut self, may_act: MayAct) {
        self.may_act = Some(may_act);
    }

    /// The flag that has been seen or claimed: what is moved from then on does not count until it
    /// is ruled upon.
    pub(super) fn flag_seen(&self) -> Option<Color> {
        self.flag
    }

    /// The flag of `side` is seen or claimed. Of two the first that was seen decides, and is ruled
    /// upon first.
    pub(super) fn see_flag(&mut self, side: Color) {
        self.flag.get_or_insert(side);
        if !self.has(|case| matches!(case, Case::Flag(known) if *known == side)) {
            self.open(Case::Flag(side), Vec::new(), MayAct::Yes);
        }
        self.raise_flag(self.flag.unwrap_or(side));
    }

    /// No flag has been seen, or none of this side.
    pub(super) fn forget_flag(&mut self, side: Option<Color>) {
        if side.is_none() || side == self.flag {
            self.flag = None;
        }
    }

    /// The illegal move that waits for a ruling.
    pub(super) fn illegal_case(&self) -> Option<&Illegal> {
        self.iter().rev().find_map(|matter| match &matter.case {
            Case::Illegal(illegal) => Some(illegal),
            _ => None,
        })
    }

    /// The illegal move that waits for a ruling, as long as its position has not been put right.
    pub(super) fn standing_illegal(&self) -> Option<&Illegal> {
        self.illegal_case().filter(|illegal| !illegal.is_put_right)
    }

    /// Whether the move that `by` has just pressed on, the last of `n` half-moves or none of them,
    /// is an illegal one or a press without a move already: two faults of one move count once. From
    /// 2018: Art. 7.5.5.
    pub(super) fn is_faulty(&self, by: Color, n: usize) -> bool {
        self.has(|case| match case {
            Case::Illegal(it) => {
                it.by == by && !it.is_put_right && it.ply + usize::from(it.has_shadow) == n
            }
            Case::EmptyPress { by: presser, ply } => *presser == by && *ply == n,
            _ => false,
        })
    }

    /// All illegal moves that wait for a ruling.
    pub(super) fn illegal_moves(&self) -> impl Iterator<Item = &Illegal> {
        self.open.iter().filter_map(|matter| match &matter.case {
            Case::Illegal(illegal) => Some(illegal),
            _ => None,
        })
    }

    /// All illegal moves that wait for a ruling, to be changed.
    pub(super) fn illegal_moves_mut(&mut self) -> impl Iterator<Item = &mut Illegal> {
        self.open.iter_mut().filter_map(|matter| match &mut matter.case {
            Case::Illegal(illegal) => Some(illegal),
            _ => None,
        })
    }

    /// The illegal moves are claimed by the opponent: the arbiter may rule on them, and does so
    /// next.
    pub(super) fn claim_illegal(&mut self) {
        for matter in &mut self.open {
            if let Case::Illegal(illegal) = &mut matter.case {
                illegal.is_claimed = true;
                matter.may_act = MayAct::Yes;
            }
        }
        self.may_act = Some(MayAct::Yes);
        self.raise(|case| matches!(case, Case::Illegal(_)));
    }

    /// The half-move on which the clock was pressed meanwhile, where a further piece was moved.
    pub(super) fn second_pressed(&self) -> Option<usize> {
        self.iter().find_map(|matter| match matter.case {
            Case::Second { pressed, .. } => pressed,
            _ => None,
        })
    }

    /// The one move that a further piece makes together with the move before it, once the clock was
    /// pressed on both.
    pub(super) fn pressed_both(&self) -> Option<Move> {
        self.iter().find_map(|matter| match matter.case {
            Case::Second { pressed: Some(_), both, .. } => both,
            _ => None,
        })
    }

    /// The first of two moves that are on record as one, and its half-move, where the board shows
    /// that one alone.
    pub(super) fn second_undone(&self, game: &History, seen: &Placement) -> Option<(Move, usize)> {
        let (first, both, idx) = self.iter().find_map(|matter| match matter.case {
            Case::Second { first, both: Some(both), pressed: Some(idx) } => {
                Some((first, both, idx))
            }
            _ => None,
        })?;
        let is_last = idx + 1 == game.len() && game.plies()[idx].m == both;
        let after = game.position(idx).clone().play(first).ok()?;
        (is_last && seen.differs(after.board()).is_empty()).then_some((first, idx))
    }

    /// The clock is pressed on half-move `idx`. True if a further piece was moved, so that it is
    /// not completed yet.
    pub(super) fn press_second(&mut self, idx: usize) -> bool {
        let mut cases = self.open.iter_mut().map(|matter| &mut matter.case);
        let second = cases.find_map(|case| match case {
            Case::Second { pressed, .. } => Some(pressed),
            _ => None,
        });
        second.map(|pressed| *pressed = Some(idx)).is_some()
    }

    /// The position that the board must show.
    pub(super) fn demand(&self) -> Option<&Demand> {
        self.demand.as_ref()
    }

    pub(super) fn set_demand(&mut self, demand: Demand) {
        self.demand = Some(demand);
    }

    /// The board need not show it any more.
    pub(super) fn take_demand(&mut self) -> Option<Demand> {
        self.demand.take()
    }
}
