//! What is known of a stretch of play that nobody saw.

use super::Play;
use crate::table::Placement;
use crate::time::Mono;
use crate::track::Tracker;
use crate::track::bridge::{self, Shore, Unseen};
use crate::track::heard::HeardReadings;
use shakmaty::{Color, Position};

/// What is known of a stretch of play beside how the board stood before and stands now.
#[derive(Copy, Clone, Debug, Default)]
pub(in crate::game) struct GapEvidence {
    /// When the board was heard last before it.
    pub(in crate::game) since: Option<Mono>,
    /// When the clock was pressed last, or was found pressed.
    pub(in crate::game) turned: Option<Mono>,
    /// Whose piece was seen to be moved last.
    pub(in crate::game) moved: Option<Color>,
    /// The same, if it stands where it may have been moved to.
    pub(in crate::game) made: Option<Color>,
    /// Who is on move by the clock.
    pub(in crate::game) turn: Option<Color>,
    /// How often the clock was pressed, where it tells.
    pub(in crate::game) n_pressed: Option<usize>,
    /// More half-moves there was no time for.
    pub(in crate::game) n_max: usize,
    /// The clock stands: what is not forced may be no play.
    pub(in crate::game) is_stopped: bool,
    /// How the board stands is how it stood between two moves.
    pub(in crate::game) is_told: bool,
    /// It has stood so for long, and nobody has pressed the clock on it.
    pub(in crate::game) has_rested: bool,
    /// The clock was pressed since anything has stirred.
    pub(in crate::game) is_pressed: bool,
    /// Amid noise: pieces have moved since the clock was pressed, as far as that was heard.
    pub(in crate::game) is_stirred: bool,
    /// Whose move it was where the board was taken over is not known.
    pub(in crate::game) is_turn_open: bool,
    /// It is another board than that of the game.
    pub(in crate::game) is_other_board: bool,
}

impl Play {
    /// Whether anything that was played since `base` leads to what is `seen`.
    pub(in crate::game) fn is_bridged(
        &self,
        base: &Tracker,
        seen: &Placement,
        evidence: GapEvidence,
    ) -> bool {
        let shores = base.shores(evidence.since.unwrap_or_default(), seen);
        let is_joined = self.joins_at(base).is_some();
        is_joined && bridge::bridge(&unseen(base, &shores, (seen, None), evidence)).is_some()
    }
}

/// What is known of what was played since `base`, by what is `seen` now and what was `heard`.
pub(super) fn unseen<'a>(
    base: &Tracker,
    shores: &'a [Shore],
    (seen, heard): (&'a Placement, Option<&'a HeardReadings>),
    evidence: GapEvidence,
) -> Unseen<'a> {
    Unseen {
        shores,
        seen,
        untold: base.untold(),
        turn: evidence.turn,
        moved: evidence.moved,
        n_pressed: pressed_since_root(base, evidence),
        is_stirred: evidence.is_stirred,
        n_max: evidence.n_max,
        heard,
    }
}

/// How often the clock was pressed since `base` begins, where it tells. A press that was heard, and
/// for nothing that stands, was pressed back, or was for a move that came later: it does not tell
/// which.
pub(super) fn pressed_since_root(base: &Tracker, evidence: GapEvidence) -> Option<usize> {
    let n_done = base.best().n_completed().min(base.best().n_standing());
    let is_right = |n: &usize| {
        let is_even = n.is_multiple_of(2);
        evidence.turn.is_none_or(|turn| (turn == base.root().turn()) == is_even)
    };
    evidence.n_pressed.map(|n| n_done + n).filter(is_right)
}
