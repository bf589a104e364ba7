//! Blind and visually impaired players: moves are announced. 2009: Art. E2. From 2018: Guidelines
//! (2023: Art. D.2).

use super::super::super::code::Code;
use super::super::super::picture::exact;
use super::super::context::Context;
use super::super::matter::{Case, MayAct};
use super::Motion;
use shakmaty::{Chess, Color, Move, Position};

impl Motion {
    /// Whether `side` must announce his move and has not.
    pub(in super::super) fn is_unannounced(&self, cx: &Context, side: Color) -> bool {
        cx.is_impaired(side) && self.turn.announced.is_none() && side == cx.mover()
    }

    /// Whether the board shows another move than was announced.
    pub(in super::super) fn is_announced_otherwise(&self, cx: &Context) -> bool {
        let Some(announced) = self.turn.announced else { return false };
        let shown = exact(cx.game.last(), cx.board.seen());
        !shown.is_empty() && !shown.contains(&announced)
    }

    /// A move of the impaired player is made only when it is announced. E2.3 (D.2.3).
    pub(in super::super) fn waits_for_words(
        &mut self,
        cx: &mut Context,
        pos: &Chess,
        m: Move,
    ) -> bool {
        if !cx.is_impaired(pos.turn()) {
            return false;
        }
        match self.turn.announced {
            Some(announced) if announced == m => false,
            None => true,
            Some(_) => {
                if !cx.matters.has(|case| matches!(case, Case::BoardsDiffer)) {
                    cx.out.log(Code::BoardsDiffer, Some(pos.turn()));
                    let options = ["correct to the record", "retrace"];
                    cx.open(Case::BoardsDiffer, &options, MayAct::Yes);
                }
                true
            }
        }
    }
}
