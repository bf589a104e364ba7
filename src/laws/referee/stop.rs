//! Both clocks are stopped. All editions: Art. 6.12 (2005: 6.13, from 2018: 6.11), 7.3 (7.4).

use super::super::code::Code;
use super::super::picture::{disturbed, exact, partial};
use super::super::said::{ClockOrder, Ruling};
use super::Referee;
use super::clock::PausedBy;
use super::late::Presence;
use super::matter::{Case, MayAct};
use super::motion::displaced;
use shakmaty::san::SanPlus;
use shakmaty::{Color, Position};

impl Referee {
    /// A player stopped both clocks. 6.12b (6.13b, 6.11.2).
    pub(super) fn on_stopped(&mut self, by: Color) {
        if self.cx.is_over() {
            self.cx.out.say(Ruling::Ignored);
            return;
        }
        self.cx.order_clock(ClockOrder::Stop);
        if self.sitting.seals(by) && self.sitting.is_written() {
            self.sitting.seal_finally(&mut self.cx, by);
            self.late = Presence::default();
            return;
        }
        self.cx.clock.pause(PausedBy::Player(by));
        if self.claims.asks_without_arbiter(&mut self.cx, by) {
            return;
        }
        let fetches = self.awaits_promotion();
        self.cx.out.log(Code::ClockPaused, Some(by));
        if fetches {
            self.cx.out.log(Code::PieceNotAvailable, Some(by));
        }
        if self.is_misset() {
            self.cx.out.log(Code::ClockMisset, None);
        }
        self.secure();
        let is_reason_known =
            fetches || self.cx.matters.has(|case| matches!(case, Case::Displaced));
        if !is_reason_known {
            self.cx.open(Case::Reason, &["valid reason", "no valid reason"], MayAct::Yes);
        }
    }

    /// The arbiter stopped both clocks. If the board lies wrongly, the pieces are carried over now.
    /// 6.12 (6.13, 6.11).
    pub(super) fn on_arbiter_pause(&mut self) {
        self.cx.order_clock(ClockOrder::Stop);
        self.cx.clock.pause(PausedBy::Arbiter);
        self.cx.out.log_with(Code::ClockPaused, None, "by the arbiter".to_owned());
        if std::mem::take(&mut self.is_turned) {
            let placement = self.cx.game.last().board().board_fen().to_string();
            self.cx.out.say(Ruling::Transfer { placement });
        }
        self.secure();
    }

    /// A pawn is on the last rank, or on its way there, and no piece has taken its place yet.
    fn awaits_promotion(&self) -> bool {
        let ways = partial(self.cx.game.last(), self.cx.board.seen());
        let is_released = self.motion.promotes().is_some();
        is_released
            || self.cx.is_astray() && !ways.is_empty() && ways.iter().all(|m| m.is_promotion())
    }

    /// The clocks stand while the board shows neither the position nor the end of a move: it is to
    /// show the last one. What is in a hand was touched; what else is off or astray was displaced.
    /// 7.3 (7.4).
    fn secure(&mut self) {
        let is_other = self.cx.matters.iter().any(|matter| matter.case.holds_board());
        let is_decided = self.cx.is_over()
            || self.cx.matters.flag_seen().is_some()
            || self.cx.matters.demand().is_some();
        let is_correctable = self.motion.on_board().is_some() || self.motion.has_gone_beyond();
        if is_decided || is_other || is_correctable || !self.cx.is_astray() {
            return;
        }
        let pos = self.cx.game.last().clone();
        if !exact(&pos, self.cx.board.seen()).is_empty() || self.awaits_promotion() {
            return;
        }
        // What nobody has reached for on this turn is in no hand.
        let astray = self.cx.board.seen().differs(pos.board());
        let is_in_hand = (astray & self.motion.stirred()).any()
            && !partial(&pos, self.cx.board.seen()).is_empty();
        if !is_in_hand {
            // What lies about already is told once more: now it is to be put right.
            self.cx.matters.close(|case| matches!(case, Case::Displaced));
            displaced(&mut self.cx);
        }
        let carried_out = disturbed(&pos, self.cx.board.seen());
        let san = match carried_out {
            Some((m, _)) => Some(SanPlus::from_move(pos, m).to_string()),
            None => self.cx.game.last_ply().map(|ply| ply.san.clone()),
        };
        self.cx.out.say(Ruling::PositionDemanded { san });
    }
}
