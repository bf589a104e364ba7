//! Blind and visually impaired players: moves are announced. 2009: Art. E2. From 2018: Guidelines
//! (2023: Art. D.2).

use super::super::code::Code;
use super::super::notation::{Misread, read};
use super::super::said::Ruling;
use super::Referee;
use super::matter::{Case, MayAct};
use super::turn::Cause;
use shakmaty::{Chess, Color, Move, Position};

impl Referee {
    fn is_impaired(&self, side: Color) -> bool {
        self.cx.terms.impaired.is_some_and(|impaired| impaired.side == side)
    }

    /// Whether `side` must announce his move and has not.
    pub(super) fn is_unannounced(&self, side: Color) -> bool {
        self.is_impaired(side) && self.turn.announced.is_none() && side == self.cx.mover()
    }

    /// Whether the board shows another move than was announced.
    pub(super) fn is_announced_otherwise(&self) -> bool {
        let Some(announced) = self.turn.announced else { return false };
        let shown = super::super::picture::exact(self.cx.game.last(), self.cx.board.seen());
        !shown.is_empty() && !shown.contains(&announced)
    }

    /// A move of the impaired player is made only when it is announced. E2.3 (D.2.3).
    pub(super) fn waits_for_words(&mut self, pos: &Chess, m: Move) -> bool {
        if !self.is_impaired(pos.turn()) {
            return false;
        }
        match self.turn.announced {
            Some(announced) if announced == m => false,
            None => true,
            Some(_) => {
                if !self.cx.matters.has(|case| matches!(case, Case::BoardsDiffer)) {
                    self.cx.out.log(Code::BoardsDiffer, Some(pos.turn()));
                    let options = ["correct to the record", "retrace"];
                    self.cx.open(Case::BoardsDiffer, &options, MayAct::Yes);
                }
                true
            }
        }
    }

    /// A move is announced, or repeated by the opponent. The last words before the press count,
    /// E2.6 (D.2.8).
    pub(super) fn on_announced(&mut self, by: Color, words: &str) {
        if self.cx.is_over() {
            self.cx.out.say(Ruling::Ignored);
            return;
        }
        if by != self.cx.mover() {
            self.cx.out.note(&format!("{by} says {words}"));
            return;
        }
        self.cx.out.note(&format!("{by} announces {words}"));
        match read(self.cx.game.last(), words, self.cx.terms.spoken) {
            Ok(m) => {
                self.cx.matters.close(|case| matches!(case, Case::Question));
                self.turn.announced = Some(m);
                if super::super::picture::exact(self.cx.game.last(), self.cx.board.seen())
                    .contains(&m)
                {
                    self.cx.matters.close(|case| matches!(case, Case::BoardsDiffer));
                }
                self.judge(Cause::Rest);
            }
            Err(Misread::PieceMissing(_)) => {
                self.cx.open(Case::Question, &["piece?"], MayAct::Yes);
            }
            Err(why) => {
                self.turn.announced = None;
                self.cx.out.note(&why.to_string());
            }
        }
    }

    /// Moves and times, told to the impaired player alone and only when he asks. E2.9d (D.2.11).
    pub(super) fn on_ask_status(&mut self, by: Color) {
        if !self.is_impaired(by) {
            self.cx.out.refuse(Some(by), "only an impaired player may be told");
            return;
        }
        let left = |side: Color| self.cx.clock.left(side).as_secs();
        let text = format!(
            "{} moves, white {} s, black {} s",
            self.cx.completed(by),
            left(Color::White),
            left(Color::Black)
        );
        self.cx.out.say(Ruling::Speaks { to: by, text });
    }
}
