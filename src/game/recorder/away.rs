//! Another board in the place of the one that a game is played on: cables that were exchanged, or a
//! board that takes the place of one that is broken. What it shows is no play of this game, until
//! it shows its position.

use super::{Cx, Recorder};
use crate::game::entry::Fact;
use crate::game::own_board::OwnBoard;
use crate::laws::{Finding, FindingKind};
use crate::time::Mono;
use crate::track::Step;

impl Recorder {
    /// Whose board was heard last, by what is on record.
    pub(in crate::game) fn set_own_board(&mut self, own_board: OwnBoard) {
        self.own_board = own_board;
    }

    /// A board tells a serial number that it has not told before.
    pub(in crate::game) fn on_identified(&mut self, cx: &mut Cx<'_>, now: Mono, serial: String) {
        let is_other = self.own_board.hear(&serial);
        cx.facts.push(Fact::Identified { serial });
        if !is_other {
            return;
        }
        if self.is_over() {
            self.memory.forget_board();
            return tell(cx, FindingKind::BoardExchanged);
        }
        if self.is_away() {
            self.memory.drop_missed();
            tell(cx, FindingKind::BoardExchanged);
        } else {
            tell(cx, FindingKind::BoardBack);
        }
        let is_empty = self.play.as_ref().is_none_or(|play| play.sheet().is_empty());
        if is_empty && !cx.clock.has_run() {
            // The pieces were set up on one board, and are played with on another.
            return self.go_on_here(cx);
        }
        // Nothing that was heard since the line was open is known to be of this game.
        self.begin_silence(cx, Some(now));
        self.note_line_up(cx, now);
        self.joining.link_down();
        cx.board.want_picture(now);
    }

    /// Whether a game is on, and another board than its own is heard.
    pub(in crate::game) fn is_away(&self) -> bool {
        self.own_board.is_away() && !self.is_over()
    }

    /// The game goes on on the board that is heard.
    pub(super) fn go_on_here(&mut self, cx: &mut Cx<'_>) {
        if self.is_away() {
            self.memory.forget_board();
            self.own_board.take_over();
            tell(cx, FindingKind::BoardBack);
        }
    }

    /// Keeps a change or a press until the board's memory is read.
    pub(super) fn keep_step(&mut self, now: Mono, step: Step) {
        if !self.is_away() {
            self.memory.hear(now, step);
        }
    }
}

fn tell(cx: &mut Cx<'_>, kind: FindingKind) {
    cx.facts.push(Fact::Found(Finding { kind, by: None }));
}
