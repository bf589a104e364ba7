//! What each player has to answer for.

use shakmaty::{ByColor, Color};

/// What each player has to answer for.
#[derive(Copy, Clone, Debug)]
pub(super) struct Faults {
    /// How many illegal moves were ruled upon.
    illegal: ByColor<u8>,
    /// Who is making his move with two hands and has not pressed yet.
    two_hands: ByColor<bool>,
    /// The half-move of each player, counted from 0, that was last dealt with as made by two hands.
    by_two_hands: ByColor<Option<usize>>,
}

impl Faults {
    pub(super) fn new(illegal: ByColor<u8>) -> Self {
        Self { illegal, two_hands: ByColor::default(), by_two_hands: ByColor::default() }
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

    /// Whether the half-move `idx` of `by` was dealt with as made by two hands.
    pub(super) fn is_by_two_hands(&self, by: Color, idx: usize) -> bool {
        self.by_two_hands[by] == Some(idx)
    }

    /// The half-move `idx` of `by` is dealt with as made by two hands.
    pub(super) fn set_by_two_hands(&mut self, by: Color, idx: usize) {
        self.by_two_hands[by] = Some(idx);
    }
}
