//! What each player has to answer for.

use shakmaty::{ByColor, Color};

/// What each player has to answer for.
#[derive(Copy, Clone, Debug)]
pub(super) struct Faults {
    /// How many illegal moves were ruled upon.
    illegal: ByColor<u8>,
    /// Who is making his move with two hands and has not pressed yet.
    two_hands: ByColor<bool>,
}

impl Faults {
    pub(super) fn new(illegal: ByColor<u8>) -> Self {
        Self { illegal, two_hands: ByColor::default() }
    }

    /// Which illegal move of `by` the next one is.
    pub(super) fn next(&self, by: Color) -> u8 {
        self.illegal[by] + 1
    }

    /// One more illegal move of `by` is ruled upon; the answer is which.
    pub(super) fn count_illegal(&mut self, by: Color) -> u8 {
        self.illegal[by] += 1;
        self.illegal[by]
    }

    pub(super) fn has_two_hands(&self, by: Color) -> bool {
        self.two_hands[by]
    }

    pub(super) fn set_two_hands(&mut self, by: Color) {
        self.two_hands[by] = true;
    }

    /// Whether the move of `by` was made with two hands; that is answered once.
    pub(super) fn take_two_hands(&mut self, by: Color) -> bool {
        std::mem::take(&mut self.two_hands[by])
    }
}
