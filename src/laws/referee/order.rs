//! The arbiter's orders.

use super::super::code::Code;
use super::super::history::fen_of;
use super::super::order::{GoingOn, Order, Phrase, Where, Whose};
use super::super::order_words::{ClaimBasis, DeclaredFor, Paper};
use super::super::profile::{DeviceRule, Fault, HandlingWatch, ReversedColors};
use super::super::said::{ClockOrder, Ruling};
use super::super::score::Score;
use super::Referee;
use super::adjourn::Sealed;
use super::clock::PausedBy;
use super::context::Phase;
use super::life::cannot_mate;
use super::matter::{Case, MayAct, Then};
use super::motion::displaced;
use super::penalty::charge_hands_of_last;
use shakmaty::{Board, Color, Move, Position};

const BOTH: [Color; 2] = [Color::White, Color::Black];

impl Referee {
    pub(super) fn on_ordered(&mut self, order: &Order) {
        match order {
            Order::Start => self.on_start(),
            Order::Confirm(number) => self.on_confirm(*number),
            Order::Dismiss(number) => self.on_dismiss(*number),
            Order::Rule(judgment) => self.claims.on_judgment(&mut self.cx, *judgment),
            Order::Continue(going) => self.on_continue(*going),
            Order::Pause => self.on_arbiter_pause(),
            Order::Resume(side) => self.on_resume(*side),
            Order::SetTime(..) | Order::AddTime(..) | Order::SubTime(..) => self.on_time(order),
            Order::SetMoves(n) => self.on_set_moves(*n),
            Order::Renumber(no) => {
                self.cx.game.renumber(u32::from(*no));
                self.cx.out.log_with(Code::ArbiterNote, None, format!("the next move is {no}"));
            }
            Order::Restored => self.on_restored(),
            Order::Restore(place) => self.on_restore(*place),
            Order::Flag(side) => {
                let is_concluded = self.claims.is_concluded(&self.cx);
                self.flags.on_arbiter_flag(&mut self.cx, *side, is_concluded);
            }
            Order::Penalize(side, what) => {
                self.cx.out.log_with(Code::Penalty, Some(*side), what.clone());
            }
            Order::Points(side, change) => {
                let facts = format!("points {change}");
                self.cx.out.log_row(Code::Penalty, Some(*side), "L13.4e", facts);
            }
            Order::Result(_, score, reason) => self.on_result(*score, reason),
            Order::Displaced => self.on_arbiter_displaced(),
            Order::TouchedBy(side) => {
                self.motion.clear_touches();
                self.cx.out.note(&format!("touched by {side}"));
            }
            Order::Seal(side) => self.sitting.on_seal_requested(&mut self.cx, *side),
            Order::OpenEnvelope => self.on_open_envelope(),
            Order::EnvelopeMissing => self.on_envelope_missing(),
            Order::PositionLost => {
                self.cx.out.note("the position cannot be established");
                self.cx.open(Case::PositionLost, &["new game"], MayAct::Yes);
            }
            Order::Snapshot => self.on_snapshot(),
            Order::Export(what) => self.on_export(what),
            Order::SheetsOk => self.flags.sheets_ok(&mut self.cx),
            Order::SetProfile(name) => self.on_set_profile(name),
            _ => self.on_fact(order),
        }
    }

    /// Facts that only a person can see.
    fn on_fact(&mut self, order: &Order) {
        match order {
            Order::TwoHands(side) => self.on_two_hands(*side),
            Order::Device(side) => self.on_device(*side),
            Order::NoReason(side) => {
                self.cx.matters.close(|case| matches!(case, Case::Reason));
                self.cx.out.log(Code::PauseWithoutReason, Some(*side));
            }
            Order::Assistant(side) => {
                self.cx.out.log_with(Code::ArbiterNote, Some(*side), "an assistant".to_owned());
            }
            Order::ColorsReversed => self.on_colors_reversed(),
            Order::BoardTurned => {
                self.cx.out.log(Code::BoardRotated, None);
                self.is_turned = true;
            }
            Order::ClockDefect => self.cx.out.log(Code::ClockDefect, None),
            Order::SensorGap(span) => {
                self.cx.out.note(&format!("the sensors saw nothing for {} s", span.as_secs_f64()));
            }
            Order::Basis(what) => self.on_basis(what),
            Order::EnvelopeChecked => self.cx.out.note("the envelope was checked"),
            Order::AgreedCorrection => self.cx.out.note("both players agree to a correction"),
            Order::Note(text) | Order::Other(text) => {
                let mover = self.cx.mover().fold_wb("white", "black");
                self.cx.out.note(&format!("{text} ({mover} on move)"));
            }
            _ => {}
        }
    }

    fn on_start(&mut self) {
        if self.cx.phase == Phase::Setup {
            self.cx.out.refuse(None, "the pieces are not where they must be");
        } else if self.cx.phase == Phase::Running || self.cx.is_over() {
            self.cx.out.refuse(None, "the game has been started");
        } else {
            self.begin_play();
            let side = self.cx.mover();
            self.cx.order_clock(ClockOrder::Run(side));
        }
    }

    /// The result is withdrawn. What was claimed, signed or counted against a clock for it is over.
    pub(super) fn reopen(&mut self) {
        self.cx.end.withdraw();
        self.claims.take_final();
        for side in BOTH {
            self.flags.raise(&mut self.cx, side);
        }
        self.motion.begin_turn();
        self.cx.await_rest();
    }

    fn on_continue(&mut self, going: GoingOn) {
        if self.cx.matters.has(|case| matches!(case, Case::Late(_))) {
            self.late.all_present();
        }
        self.cx.matters.close(|case| !matches!(case, Case::Illegal(_)));
        self.cx.matters.forget_flag(None);
        match going {
            GoingOn::Finally => drop(self.claims.drop_open()),
            GoingOn::Provisionally => self.claims.put_off(),
        }
        self.cx.out.note(match going {
            GoingOn::Finally => "play goes on",
            GoingOn::Provisionally => "play goes on provisionally",
        });
    }

    fn on_resume(&mut self, side: Color) {
        if self.cx.is_over() {
            self.cx.out.refuse(None, "the game is over");
            return;
        }
        self.cx.clock.resume();
        self.claims.drop_open();
        self.cx.order_clock(ClockOrder::Run(side));
        self.cx.out.log(Code::ClockResumed, Some(side));
        self.cx.matters.close(|case| matches!(case, Case::Reason));
        if self.cx.phase == Phase::Ready || self.sitting.is_resuming() {
            self.cx.phase = Phase::Running;
            self.take_up_again(side);
        }
        if let Some(idx) = self.completes_on_resume.take()
            && idx < self.cx.game.len()
        {
            self.cx.complete(idx);
        }
    }

    /// A clock is started at the resumption of an adjourned game: as long as the envelope is closed
    /// that of the player who is to reply and is away, or the sealer's, if both are. Guidelines 7,
    /// 9.
    fn take_up_again(&mut self, side: Color) {
        let sealer = self.cx.mover();
        self.late.resume(self.cx.now);
        self.late.expect(side);
        if self.sitting.is_adjourned() && side != sealer {
            self.late.came(sealer);
        } else if self.sitting.is_resuming() {
            self.late.expect(!side);
        }
    }

    /// A move is written: for the envelope, or as read from it.
    pub(super) fn on_sealed(&mut self, by: Color, text: &str) {
        let is_resumed = self.late.is_resumed();
        match self.sitting.on_sealed(&mut self.cx, by, text, is_resumed) {
            Sealed::Nothing => {}
            Sealed::Binds(binding) => self.motion.carry(Some(binding)),
            Sealed::Awaits(side) => self.late.expect(side),
        }
    }

    fn on_open_envelope(&mut self) {
        let binding = self.sitting.on_open(&mut self.cx, &self.late);
        self.motion.carry(binding);
    }

    fn on_envelope_missing(&mut self) {
        self.sitting.on_missing(&mut self.cx);
        self.late.all_present();
    }

    fn on_time(&mut self, order: &Order) {
        let (whose, orders): (Whose, fn(Color, std::time::Duration) -> ClockOrder) = match order {
            Order::SetTime(whose, _) => (*whose, ClockOrder::Set),
            Order::AddTime(whose, _) => (*whose, ClockOrder::Add),
            Order::SubTime(whose, _) => (*whose, ClockOrder::Subtract),
            _ => return,
        };
        let (Order::SetTime(_, span) | Order::AddTime(_, span) | Order::SubTime(_, span)) = order
        else {
            return;
        };
        for side in BOTH.into_iter().filter(|side| whose.includes(*side)) {
            let before = self.cx.clock.left(side);
            self.cx.order_clock(orders(side, *span));
            let after = self.cx.clock.left(side);
            if !self.cx.is_over() && after > before {
                self.flags.raise(&mut self.cx, side);
                self.cx.matters.close(|case| matches!(case, Case::Flag(known) if *known == side));
            }
            let facts = format!("{} s, was {} s", after.as_secs_f64(), before.as_secs_f64());
            self.cx.out.log_with(Code::TimeAdjusted, Some(side), facts);
            if after.is_zero() && matches!(order, Order::SubTime(..)) {
                let is_concluded = self.claims.is_concluded(&self.cx);
                self.flags.on_flag(&mut self.cx, side, is_concluded);
            }
        }
        if matches!(order, Order::SetTime(..)) {
            self.cx.clock.note_set();
            self.cx.matters.close(|case| matches!(case, Case::Misset));
        }
    }

    /// The move counter. Times and counter are what a restoration ends with: an illegal move that
    /// waits for its ruling is thereby confirmed.
    fn on_set_moves(&mut self, n: u16) {
        self.cx.order_clock(ClockOrder::Moves(n));
        self.cx.out.log_with(Code::TimeAdjusted, None, format!("move counter {n}"));
        if self.cx.matters.illegal_case().is_some()
            && self.cx.clock.paused() == Some(PausedBy::Arbiter)
        {
            self.cx.matters.raise(|case| matches!(case, Case::Illegal(_)));
            self.on_confirm(None);
        }
    }

    /// Whether the arbiter's word that the pieces are where they must be would change anything.
    pub(super) fn may_be_restored(&self) -> bool {
        let is_it = |case: &Case| matches!(case, Case::OutOfTurn | Case::Displaced);
        self.cx.matters.demand().is_some()
            || self.motion.promoted_first(&self.cx).is_some()
            || self.cx.is_astray()
            || self.cx.matters.has(is_it)
    }

    fn on_restored(&mut self) {
        if let Some(demand) = self.cx.matters.demand() {
            self.cx.board.correct_to(demand.board.clone());
            self.restored();
            return;
        }
        let exchanged = self.motion.promoted_first(&self.cx);
        if let Some((idx, m)) = exchanged {
            self.cx.game.truncate(idx);
            self.cx.game.push(m, self.cx.now, false);
            self.motion.is_back(&mut self.cx, idx);
        }
        let board = self.cx.game.last().board().clone();
        let was_astray = exchanged.is_some()
            || self.cx.is_astray()
            || self.cx.matters.close(|case| matches!(case, Case::OutOfTurn | Case::Displaced));
        self.cx.board.correct_to(board);
        self.cx.board.judged();
        self.motion.clear_touches();
        if was_astray {
            self.cx.out.log(Code::Restored, None);
        }
    }

    fn on_restore(&mut self, place: Where) {
        match place {
            Where::LastIdentifiable => {
                let n = self.cx.matters.illegal_case().map_or(self.cx.game.len(), |case| case.ply);
                let fen = self.cx.game.fen(n);
                self.cx.out.say(Ruling::RestorePoint { fen });
            }
            Where::AgreedPly(n) if n <= self.cx.game.len() => {
                self.cx.game.truncate(n);
                self.cx.matters.close(|_| true);
                self.motion.begin_anew();
                self.demand_ply(n, Then::Nothing);
            }
            Where::AgreedPly(n) => {
                let why = format!("only {} half-moves are on record, not {n}", self.cx.game.len());
                self.cx.out.refuse(None, &why);
            }
        }
    }

    fn on_result(&mut self, score: Score, reason: &Phrase<DeclaredFor>) {
        let said = reason.as_str().replace('_', " ");
        let is_before = *reason == Phrase::Word(DeclaredFor::AgreementBeforeRound);
        if is_before && !self.cx.is_over() {
            let case = Case::Agreed(score, said);
            self.cx.open(case, &["approve", "refuse"], MayAct::Yes);
            return;
        }
        let code = match reason {
            Phrase::Word(DeclaredFor::Default) => Code::Default,
            _ => Code::ArbiterResult,
        };
        self.cx.finish(code, score, &said);
    }

    fn on_two_hands(&mut self, side: Color) {
        if self.has_two_hands_on_record(side) {
            self.cx.out.refuse(Some(side), "two hands have already been entered for this move");
            return;
        }
        self.cx.out.log(Code::TwoHands, Some(side));
        match self.cx.rules.two_hands {
            Fault::Handling => {
                self.cx.open(Case::TwoHands, &["warning", "time", "none"], MayAct::Yes);
            }
            Fault::IllegalMove if self.cx.matters.is_faulty(side, self.cx.game.len()) => {
                self.cx.out.note("one fault with that which waits");
            }
            Fault::IllegalMove if self.has_just_pressed(side) => {
                charge_hands_of_last(&mut self.cx, side);
            }
            Fault::IllegalMove => self.cx.faults.set_two_hands(side),
        }
    }

    /// Whether `side` has pressed on the move that he made last.
    fn has_just_pressed(&self, side: Color) -> bool {
        let last = self.cx.game.plies().iter().rev().find(|ply| ply.by == side);
        self.cx.game.last().turn() != side && last.is_some_and(|ply| ply.is_completed)
    }

    /// Whether the two hands of `side` wait for his press, or were dealt with in the move that he
    /// made last. One move is one fault, however often it is entered.
    fn has_two_hands_on_record(&self, side: Color) -> bool {
        let n = self.cx.game.len();
        let is_answered = self.cx.game.last().turn() == side;
        let was_charged = |idx| self.cx.faults.is_by_two_hands(side, idx);
        self.cx.faults.has_two_hands(side)
            || !is_answered && n.checked_sub(1).is_some_and(was_charged)
    }

    /// An electronic device: the game is lost. 2005: Art. 12.2(b). 2009: Art. 12.3b. From 2018:
    /// Art. 11.3.2.
    fn on_device(&mut self, side: Color) {
        let pos = self.cx.game.last().clone();
        let cannot_win = cannot_mate(&pos, !side);
        if self.cx.rules.device == DeviceRule::LossScoreByArbiter {
            let scores = [Score::win(!side), Score::loss_without_win(side), Score::NOBODY];
            let options = scores.map(|score| score.to_string());
            self.cx.order_clock(ClockOrder::Stop);
            self.cx.clock.pause(PausedBy::Arbiter);
            self.cx.open(Case::Device(side), &options.each_ref().map(String::as_str), MayAct::Yes);
        } else if self.cx.rules.device == DeviceRule::LossIfSounds && cannot_win {
            let reason = "electronic device, opponent cannot win";
            self.cx.finish(Code::ArbiterResult, Score::loss_without_win(side), reason);
        } else {
            self.cx.finish(Code::ArbiterResult, Score::win(!side), "electronic device");
        }
    }

    fn on_colors_reversed(&mut self) {
        self.cx.out.log(Code::ColorsReversed, None);
        match self.cx.rules.reversed_colors {
            ReversedColors::Continues => {
                self.cx.open(Case::Reversed, &["continue", "new game"], MayAct::Yes);
            }
            ReversedColors::NewGameBelow(n) => {
                let made = |side: Color| self.cx.made(side);
                let is_early = BOTH.into_iter().any(|side| made(side) < u32::from(n));
                if is_early {
                    self.cx.open(Case::Reversed, &["new game"], MayAct::Yes);
                } else {
                    self.cx.out.note("the game goes on");
                }
            }
        }
    }

    fn on_basis(&mut self, what: &Phrase<ClaimBasis>) {
        if *what == Phrase::Word(ClaimBasis::DisplayOnly) {
            let by = self.claims.drop_open().map(|open| open.by);
            self.cx.out.refuse(by, "a claim cannot rest on a display alone");
        } else {
            self.cx.out.note(&format!("the claim rests on {what}"));
        }
    }

    /// What looked like a move was none. 7.3, 7.5.
    fn on_arbiter_displaced(&mut self) {
        let last = self.cx.game.last_ply().filter(|ply| !ply.is_completed);
        if last.is_some() && !self.cx.is_astray() {
            let n = self.cx.game.len() - 1;
            self.cx.game.truncate(n);
            self.motion.drop_breaches_from(n);
        }
        self.motion.begin_turn();
        displaced(&mut self.cx);
        if !self.cx.shows(self.cx.game.last().board()) {
            // However often the board is read: what stands is no move.
            self.demand_ply(self.cx.game.len(), Then::Nothing);
        }
    }

    fn on_snapshot(&mut self) {
        let pos = self.cx.game.last();
        let n = BOTH.into_iter().map(|side| self.cx.completed(side)).min().unwrap_or(0);
        let snapshot = Ruling::Snapshot {
            fen: self.cx.game.fen(self.cx.game.len()),
            white: self.cx.clock.left(Color::White),
            black: self.cx.clock.left(Color::Black),
            turn: pos.turn(),
            moves: n,
        };
        self.cx.out.log_with(
            Code::Exported,
            None,
            "position, times, side to move, count".to_owned(),
        );
        self.cx.out.say(snapshot);
    }

    fn on_export(&mut self, what: &Phrase<Paper>) {
        self.cx.out.log_with(Code::Exported, None, what.to_string());
        if *what == Phrase::Word(Paper::Record) && self.flags.down_any() {
            self.cx.open(Case::Question, &["moves agreed", "reconstruct"], MayAct::Yes);
        }
    }

    fn on_set_profile(&mut self, name: &str) {
        if self.cx.phase == Phase::Running {
            self.cx.out.refuse(None, "the profile is fixed when the game starts");
            return;
        }
        if let Ok(edition) = name.parse() {
            self.cx.terms.profile.edition = edition;
            self.cx.rules = self.cx.terms.rules();
            self.cx.out.note(&format!("profile {}", self.cx.terms.profile));
        }
    }

    /// The board that the arbiter wants to see, if any.
    pub(super) fn demanded(&self) -> Option<(Board, String)> {
        if let Some(demand) = self.cx.matters.demand() {
            return Some((demand.board.clone(), demand.fen.clone()));
        }
        let n = self.cx.game.len();
        let at = |n: usize| (self.cx.game.position(n).board().clone(), self.cx.game.fen(n));
        let by_matter = self.cx.matters.iter().rev().find_map(|matter| match &matter.case {
            Case::OutOfTurn | Case::Displaced => Some(at(n)),
            Case::Second { first, .. } => Some(self.after_first(*first)),
            Case::Illegal(case) if matter.may_act == MayAct::Yes && !case.is_put_right => {
                Some(at(case.ply))
            }
            _ => None,
        });
        by_matter.or_else(|| self.demanded_piece())
    }

    /// The position after the first of two moves, which may be on record as one.
    fn after_first(&self, first: Move) -> (Board, String) {
        let game = &self.cx.game;
        let is_last = game.last_ply().is_none_or(|ply| ply.m == first);
        let other = || game.before_last().clone().play(first).ok();
        let after = if is_last { None } else { other() };
        let after = after.unwrap_or_else(|| game.last().clone());
        (after.board().clone(), fen_of(&after))
    }

    /// The position with the piece that a pawn has become, where another one stands in its place.
    fn demanded_piece(&self) -> Option<(Board, String)> {
        let is_watched = self.cx.rules.handling_watch == HandlingWatch::Arbiter;
        let (idx, m) = self.motion.promoted_first(&self.cx).filter(|_| is_watched)?;
        let mut after = self.cx.game.position(idx).clone();
        after.play_unchecked(m);
        Some((after.board().clone(), fen_of(&after)))
    }
}
