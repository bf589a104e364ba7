//! What the parts of a referee share: the terms, the moves, the board, the clock, what waits for
//! the arbiter, how the game ended, and the outbox.

use super::super::code::Code;
use super::super::history::History;
use super::super::profile::{Impossible, Rules};
use super::super::said::{ClockOrder, GameResult, Ruling};
use super::super::score::Score;
use super::super::terms::{Bonus, PeriodCredit, Terms};
use super::board::BoardSeen;
use super::clock::ClockSeen;
use super::conclusion::Conclusion;
use super::faults::Faults;
use super::matter::{Case, Demand, Matters, MayAct, Then};
use super::outbox::Outbox;
use crate::table::defaults;
use crate::time::Mono;
use shakmaty::{Bitboard, Board, CastlingMode, Chess, Color, Position, Role};

/// How far the game is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// The pieces do not stand as they must.
    Setup,
    /// They do; the clock has not been started.
    Ready,
    /// It runs, or has run.
    Running,
}

defaults! {
    /// What every part may look at and act upon.
    #[derive(Clone, Debug)]
    pub(super) struct Context {
        given {
            pub terms: Terms,
            pub rules: Rules,
            pub game: History,
            pub board: BoardSeen,
            pub clock: ClockSeen,
            pub faults: Faults,
        }
        pub phase: Phase = Phase::Ready,
        pub matters: Matters,
        pub end: Conclusion,
        pub out: Outbox,
        pub now: Mono,
    }
}

impl Context {
    pub(super) fn new(terms: Terms, start: Chess, mode: CastlingMode, board: BoardSeen) -> Self {
        let (rules, clock) = (terms.rules(), ClockSeen::new(&terms));
        let faults = Faults::new(terms.illegal_before);
        Self::begin(terms, rules, History::new(start, mode), board, clock, faults)
    }

    /// The player who is to move.
    pub(super) fn mover(&self) -> Color {
        self.game.last().turn()
    }

    pub(super) fn is_over(&self) -> bool {
        self.end.result().is_some()
    }

    /// Whether moves of `side` are announced.
    pub(super) fn is_impaired(&self, side: Color) -> bool {
        self.terms.impaired.is_some_and(|impaired| impaired.side == side)
    }

    /// Whether the last move is made and not completed.
    pub(super) fn is_last_open(&self) -> bool {
        self.game.last_ply().is_some_and(|ply| !ply.is_completed && !ply.is_illegal)
    }

    /// Whether `m` makes a pawn what sensors cannot tell.
    pub(super) fn is_unnamed_promotion(&self, m: shakmaty::Move) -> bool {
        m.is_promotion() && self.board.seen().unnamed().contains(m.to())
    }

    /// Whether another piece than goes there stands where `m` leads: no sensor misread it.
    pub(super) fn shows_other(&self, m: shakmaty::Move) -> bool {
        let by = self.mover();
        let to = super::super::picture::target_of(m, by);
        let role = if m.is_castle() { Role::King } else { m.promotion().unwrap_or(m.role()) };
        let is_other = |piece: shakmaty::Piece| piece != role.of(by) && piece.color == by;
        let is_misread = self.board.misread().contains(to);
        self.board.seen().piece_at(to).is_some_and(is_other) && !is_misread
    }

    pub(super) fn shows(&self, board: &Board) -> bool {
        self.board.seen().differs(board).is_empty()
    }

    /// Whether the board does not show what is on record.
    pub(super) fn is_astray(&self) -> bool {
        !self.shows(self.game.last().board())
    }

    /// What lies on the board is judged once it has been at rest from now on.
    pub(super) fn await_rest(&mut self) {
        self.board.rest_at(self.now + self.terms.rest);
    }

    /// Of two moves of which one was to be chosen the record has neither any more.
    pub(super) fn forget_second(&mut self) {
        let last = self.game.last_ply().map(|ply| ply.m);
        self.matters.close(|case| match case {
            Case::Second { first, both, .. } => last != Some(*first) && last != *both,
            _ => false,
        });
    }

    /// Puts a case before the arbiter, with its choices.
    pub(super) fn open(&mut self, case: Case, options: &[&str], may_act: MayAct) {
        let options: Vec<String> = options.iter().map(|&option| option.to_owned()).collect();
        if !options.is_empty() {
            self.out.say(Ruling::Prompt { options: options.clone() });
        }
        self.matters.open(case, options, may_act);
    }

    /// From now on the board must show the position after `n` half-moves.
    pub(super) fn demand_ply(&mut self, n: usize, then: Then) {
        let board = self.game.position(n).board().clone();
        self.demand(board, self.game.fen(n), then);
    }

    /// From now on the board must show this.
    pub(super) fn demand(&mut self, board: Board, fen: String, then: Then) {
        self.matters.set_demand(Demand { board, fen, then });
        self.board.judged();
    }

    pub(super) fn order_clock(&mut self, order: ClockOrder) {
        self.clock.obey(order);
        self.out.order(order);
    }

    /// How many moves of `side` are completed in the whole game.
    pub(super) fn completed(&self, side: Color) -> u32 {
        self.terms.completed[side] + self.game.completed(side)
    }

    /// How many moves of `side` are made in the whole game.
    pub(super) fn made(&self, side: Color) -> u32 {
        self.terms.completed[side] + self.game.made(side)
    }

    /// Whether `side` is in the last period of a game in which nothing is added for a move.
    pub(super) fn is_quickplay(&self, side: Color) -> bool {
        let n = self.clock.period(side);
        self.terms.bonus_in(side, n) == Bonus::Nothing && self.terms.is_last(side, n)
    }

    /// Half-move `idx` is completed.
    pub(super) fn complete(&mut self, idx: usize) {
        self.complete_last(idx);
        let by = self.game.plies()[idx].by;
        let is_last = idx + 1 == self.game.len() && self.game.last().is_game_over();
        if !is_last {
            self.pass_periods(by);
        }
        self.watch_impossible();
    }

    /// `side` has met as many time controls as the moves that are known to be completed say: more
    /// than one may lie in a stretch that nobody saw.
    pub(super) fn pass_periods(&mut self, side: Color) {
        let is_met = |cx: &Self| {
            let required = cx.terms.required(side, cx.clock.period(side));
            required.is_some_and(|n| n <= cx.completed(side))
        };
        while self.terms.credit == PeriodCredit::OnMoves && is_met(self) {
            self.pass_period(side);
        }
    }

    /// A pawn that was left on the last rank still stands there after the opponent's next completed
    /// move. From 2018, few arbiters: Art. A.5.4.
    fn watch_impossible(&mut self) {
        let pawns = self.game.last().board().pawns();
        let is_left = (pawns & Bitboard::BACKRANKS).any();
        if is_left && self.rules.impossible == Impossible::WaitThenDraw {
            self.out.log(Code::PromotionIncomplete, Some(self.mover()));
            self.ask_about_impossible();
        }
    }

    /// An illegal position is still on the board.
    pub(super) fn ask_about_impossible(&mut self) {
        self.matters.set_may_act(MayAct::Yes);
        self.open(Case::StillImpossible, &["draw", "other"], MayAct::Yes);
    }

    /// Half-move `idx` is completed, and no period follows: it may have ended the game.
    pub(super) fn complete_last(&mut self, idx: usize) {
        self.game.complete(idx);
        let ply = &self.game.plies()[idx];
        let (by, san, no) = (ply.by, ply.san.clone(), ply.no);
        self.out.say(Ruling::Completed { by, san: san.clone(), no });
        self.out.log_with(Code::MoveCompleted, Some(by), format!("{no}. {san}"));
    }

    /// Who stops his clock has done so for every move that he made before, too. Until 2009 those on
    /// which he had not pressed are completed only now. 6.7a (2005: 6.8a).
    pub(super) fn complete_before(&mut self, by: Color, idx: usize) {
        while let Some(earlier) = self.game.first_open(by).filter(|earlier| *earlier < idx) {
            self.complete(earlier);
        }
    }

    /// `side` has met a time control: the next allotment is his. All editions: Art. 6.2b (6.3.2).
    pub(super) fn pass_period(&mut self, side: Color) {
        let Some(add) = self.terms.allotment(side, self.clock.period(side)) else { return };
        self.clock.next_period(side);
        self.out.say(Ruling::Period { side, add });
        self.out.log_with(Code::PeriodPassed, Some(side), format!("{} s", add.as_secs()));
        self.order_clock(ClockOrder::Credit(side, add));
    }

    /// The game is over.
    pub(super) fn finish(&mut self, code: Code, score: Score, reason: &str) {
        self.finish_flagged(code, score, reason, None);
    }

    pub(super) fn finish_flagged(
        &mut self,
        code: Code,
        score: Score,
        reason: &str,
        flagged: Option<Color>,
    ) {
        self.order_clock(ClockOrder::Stop);
        self.out.log_with(code, None, reason.to_owned());
        self.set_result(code, score, reason, flagged);
        if let Score::Halves(halves) = score {
            self.out.say(Ruling::Points(halves));
            self.end.score(halves);
        }
        self.matters.close_all();
    }

    /// The result is this, whatever it was before.
    pub(super) fn set_result(
        &mut self,
        code: Code,
        score: Score,
        reason: &str,
        flagged: Option<Color>,
    ) {
        let verdicted = GameResult { code, score, reason: reason.to_owned(), flagged };
        self.out.say(Ruling::Result(verdicted.clone()));
        self.end.set(verdicted);
    }
}
