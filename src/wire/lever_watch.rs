//! Which end of a clock's lever is up, by readings of which some were overtaken on their way.

use crate::table::End;
use crate::time::Mono;
use std::time::Duration;

/// A lever that is back so soon after it was heard to turn was not turned: the reading is one from
/// before, which came late (protocol 2.6). Ours: a board looks at its clock two or three times a
/// second, and a reading that is held up comes one look late. A player who answers faster is heard
/// with the next reading.
const OVERTAKEN: Duration = Duration::from_millis(700);

/// What a reading says of the lever.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub(crate) enum LeverTurn {
    /// It is as it was, or is seen for the first time.
    None,
    /// It has turned: this end is up now.
    To(End),
    /// The reading is from before the last turn, and nothing in it is to be believed.
    Overtaken,
}

/// The lever of one clock.
#[derive(Debug, Copy, Clone, Default)]
pub(crate) struct LeverWatch {
    high: Option<End>,
    turned: Option<Mono>,
}

impl LeverWatch {
    /// The end that is up, as far as is known.
    pub(crate) const fn high(&self) -> Option<End> {
        self.high
    }

    /// A reading says that this end is up. The first one tells of no turn (protocol 2.5).
    pub(crate) fn read(&mut self, at: Mono, high: End) -> LeverTurn {
        let has_turned = self.high.is_some_and(|before| before != high);
        if has_turned && self.turned.is_some_and(|then| at.since(then) < OVERTAKEN) {
            return LeverTurn::Overtaken;
        }
        self.high = Some(high);
        if !has_turned {
            return LeverTurn::None;
        }
        self.turned = Some(at);
        LeverTurn::To(high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lever_that_is_back_at_once_was_not_turned() {
        let mut lever = LeverWatch::default();
        let mut read = |ms, high| lever.read(Mono::from_millis(ms), high);
        assert_eq!(read(0, End::Left), LeverTurn::None);
        assert_eq!(read(5_000, End::Right), LeverTurn::To(End::Right));
        assert_eq!(read(5_400, End::Left), LeverTurn::Overtaken);
        assert_eq!(read(5_450, End::Left), LeverTurn::Overtaken, "it may come twice");
        assert_eq!(read(5_500, End::Right), LeverTurn::None);
        assert_eq!(read(6_200, End::Left), LeverTurn::To(End::Left));
    }
}
