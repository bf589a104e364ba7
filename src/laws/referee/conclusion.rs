//! How the game ended, if it has.

use super::super::said::GameResult;
use super::super::score::Score;
use shakmaty::ByColor;

/// The result, and what the players signed.
#[derive(Clone, Debug, Default)]
pub(super) struct Conclusion {
    result: Option<GameResult>,
    points: Option<ByColor<u8>>,
    signed: Option<Score>,
}

impl Conclusion {
    pub(super) fn result(&self) -> Option<&GameResult> {
        self.result.as_ref()
    }

    pub(super) fn points(&self) -> Option<ByColor<u8>> {
        self.points
    }

    pub(super) fn signed(&self) -> Option<Score> {
        self.signed
    }

    /// The game is over, or its result is replaced by another one.
    pub(super) fn set(&mut self, result: GameResult) {
        self.result = Some(result);
    }

    pub(super) fn score(&mut self, points: ByColor<u8>) {
        self.points = Some(points);
    }

    pub(super) fn sign(&mut self, score: Score) {
        self.signed = Some(score);
    }

    /// The result is withdrawn, and what was signed with it.
    pub(super) fn withdraw(&mut self) {
        *self = Self::default();
    }
}
