//! What the public may see. It has no room for a code, a touch, a claim or a prompt.

use super::super::history::PastPly;
use super::super::score::Score;
use super::Referee;
use super::context::Phase;
use super::matter::Case;
use std::fmt;

/// What a demonstration board shows. All editions: Art. 6.14 (2005: 6.15, from 2018: 6.12.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Display {
    /// The last completed move.
    Move(String),
    /// The position from which play begins.
    Position,
    /// What it showed before: something is being decided, or a press was forgotten.
    Hold,
    /// The result.
    Result(Score),
}

impl fmt::Display for Display {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Move(text) => write!(f, "move {text}"),
            Self::Position => f.write_str("position"),
            Self::Hold => f.write_str("hold"),
            Self::Result(score) => write!(f, "result {score}"),
        }
    }
}

impl Referee {
    /// What a demonstration board shows now.
    pub fn display(&self) -> Display {
        if let Some(result) = self.cx.end.result() {
            return Display::Result(result.score);
        }
        let is_held = self.cx.matters.iter().any(|matter| {
            matches!(
                matter.case,
                Case::OutOfTurn
                    | Case::Displaced
                    | Case::Second { .. }
                    | Case::Illegal(super::matter::Illegal { is_put_right: false, .. })
                    | Case::BoardsDiffer
                    | Case::StillImpossible
            )
        });
        let is_open = self.motion.breaches().any(|it| it.is_pressed && !it.is_answered);
        let is_astray = self.motion.on_board().is_some() || self.cx.matters.demand().is_some();
        let is_setup = self.cx.phase == Phase::Setup;
        let plies = self.cx.game.plies();
        let is_sealing = self.sitting.is_adjourned() || self.sitting.requested().is_some();
        // That his clock runs on is for nobody to see who could tell the player. 13.6 (12.6).
        let is_forgotten = self.motion.is_not_pressed_noted()
            && plies.last().is_some_and(|ply| !ply.is_completed && !ply.is_illegal);
        if is_held || is_open || is_astray || is_setup || is_sealing || is_forgotten {
            return Display::Hold;
        }
        // A move that was answered is known to all, whether or not the clock was pressed on it.
        let n_answered = plies.len().saturating_sub(1);
        let is_known = |(idx, ply): &(usize, &PastPly)| ply.is_completed || *idx < n_answered;
        let last = plies.iter().enumerate().rev().find(is_known).map(|(_, ply)| ply);
        last.map_or(Display::Position, |ply| {
            let castling = ply.san.replace('O', "0");
            let text = if ply.m.is_castle() { castling } else { ply.san.clone() };
            let suffix = if ply.m.is_en_passant() { " e.p." } else { "" };
            Display::Move(format!("{text}{suffix}"))
        })
    }
}
