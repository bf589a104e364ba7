//! A board without a clock on which nobody knows what was played, and which may not rest for long:
//! the moves that follow each other now tell how it stood before them, and who was on move.

use super::{Cx, Recorder};
use crate::clock::ClockPresence;
use crate::game::play::GapEvidence;
use crate::table::{Placement, Reading};
use crate::time::Mono;
use crate::track::{bridge, legal};
use shakmaty::{Board, CastlingMode, Chess, Color, Position, Square};
use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::time::Duration;

/// Between two moves no hand is on the board for at least so long.
pub(super) const PAUSED: Duration = Duration::from_millis(200);
/// So many moves that follow each other tell where they began.
pub(super) const MOVES_TOLD: usize = 2;
/// What these may take: pieces are slid, and put right.
const STEPS_MAX: usize = 64;

/// How the board stood some moves ago.
pub(super) struct Begun {
    /// Since when.
    pub(super) at: Mono,
    pub(super) board: Board,
    /// Who moved next.
    pub(super) turn: Color,
    /// What the sensors have said since.
    pub(super) steps: Vec<(Mono, Square, Reading)>,
}

/// What the sensors have said of late, oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct LateSteps(VecDeque<(Mono, Square, Reading)>);

impl LateSteps {
    /// A sensor tells.
    pub(super) fn note(&mut self, now: Mono, sq: Square, reading: Reading) {
        if self.0.len() == STEPS_MAX {
            self.0.pop_front();
        }
        self.0.push_back((now, sq, reading));
    }

    /// What they said after what they said at `at`; `None` if that is forgotten.
    pub(super) fn since(&self, at: Mono) -> Option<Vec<(Mono, Square, Reading)>> {
        let reaches_back = self.0.front().is_some_and(|(first, ..)| *first <= at);
        reaches_back.then(|| self.0.iter().filter(|(then, ..)| *then > at).copied().collect())
    }
}

/// Whose legal move leads from `before` to `after`, if it is one player's only.
pub(super) fn step(
    before: &Board,
    after: &Board,
    turn: Option<Color>,
    mode: CastlingMode,
) -> Option<Color> {
    let moves = |color: &Color| {
        let is_his = turn.is_none_or(|turn| turn == *color);
        is_his && position(before, *color, mode).is_some_and(|pos| is_step(&pos, after))
    };
    let mut movers = Color::ALL.into_iter().filter(moves);
    movers.next().filter(|_| movers.next().is_none())
}

/// Whether a legal move leads from `before` to `after`.
pub(super) fn is_step(before: &Chess, after: &Board) -> bool {
    let seen = Placement::from(after.clone());
    // Castling changes four squares.
    seen.differs(before.board()).count() <= 4
        && legal::moves(before).any(|m| {
            let mut pos = before.clone();
            pos.play_unchecked(m);
            pos.board() == after
        })
}

/// The position of `board` with `turn` to move, if a game can be joined in it.
pub(super) fn position(board: &Board, turn: Color, mode: CastlingMode) -> Option<Chess> {
    bridge::standing(board, None, mode, turn, NonZeroU32::MIN)
}

impl Recorder {
    /// A square is about to read something else. Where no clock tells when a move is done, moves
    /// that follow each other end a silence, or make a game of what stands there.
    pub(super) fn note_pause(&mut self, cx: &mut Cx<'_>, now: Mono, sq: Square, reading: Reading) {
        let is_clocked = cx.clock.device() == ClockPresence::Present;
        let is_unknown = self.is_silent() || self.play.is_none();
        if is_clocked || !is_unknown || self.is_noise() || cx.board.is_noisy(now) {
            return;
        }
        let mode = self.joined_mode(cx.settings);
        let Some(begun) = self.joining.pause(now, (sq, reading), mode) else { return };
        if self.play.is_none() {
            let Some(pos) = position(&begun.board, begun.turn, mode) else { return };
            self.begin_joined(cx, now, pos);
        } else if !self.bridge_to(cx, now, &begun) {
            return;
        }
        self.follow_steps(cx, now, begun);
    }

    /// Tells what was played until the board stood so. False if it does not tell.
    fn bridge_to(&mut self, cx: &mut Cx<'_>, now: Mono, begun: &Begun) -> bool {
        let Some((silence, pictured)) =
            self.silence.as_ref().and_then(|known| Some((known, known.pictured?)))
        else {
            return false;
        };
        let (base, found) = (silence.base.clone(), silence.found.clone());
        let evidence = self.evidence(cx, silence, pictured);
        let evidence = GapEvidence { turn: Some(begun.turn), has_rested: true, ..evidence };
        let Some(play) = &mut self.play else { return false };
        let seen = Placement::from(begun.board.clone());
        let is_told = play.bridge(now, &base, (&seen, None), evidence, cx.facts);
        if is_told {
            self.found = found;
            self.is_turn_open = false;
            self.forget_silence();
            self.go_on_here(cx);
        }
        is_told
    }

    /// The record has the board as it stood before `begun`: what was said since is followed as if
    /// it were said now.
    pub(super) fn follow_steps(&mut self, cx: &mut Cx<'_>, now: Mono, begun: Begun) {
        if let Some(play) = &mut self.play {
            play.follow_from(begun.at, begun.board.into(), &begun.steps);
            self.go_on_joined(cx, now);
        }
    }
}
