//! What a time control means for the terms under which a game is refereed: its periods, what is
//! added for a move, and whether the game is rapid chess or blitz.

use crate::clock::{Period, TimeControl};
use crate::laws::terms;
use crate::laws::{Bonus, Edition, Pace, Terms, Variant};
use shakmaty::{ByColor, Color};
use std::num::NonZeroU16;
use std::time::Duration;

/// The number of moves by which the Laws reckon what an increment is worth. 2009: Art. A1. 2023:
/// Art. A.1, B.1.
const MOVES_RECKONED: u32 = 60;

/// The form of chess that is played at this control. 2005: Art. B1, C1. 2009: Art. A1, B1. From
/// 2018: Art. A.1, B.1; they speak of the time of each player, so the longer one counts.
///
/// Until 2009 standard chess whose last period is for all remaining moves, without time added for
/// them, is a quickplay finish (Art. 10.1). Later such claims exist only where they were announced.
///
/// ```
/// use rokade::game::terms::variant_of;
/// use rokade::laws::{Edition, Variant};
/// let of = |control: &str| variant_of(Edition::M2023, &control.parse().unwrap());
/// assert_eq!(of("3m+2s"), Variant::Blitz);
/// assert_eq!(of("15m+10s"), Variant::Rapid);
/// assert_eq!(of("90m+30s"), Variant::Standard);
/// ```
pub fn variant_of(edition: Edition, control: &TimeControl) -> Variant {
    let periods = Color::ALL.map(|color| control.periods(color));
    let Some(total) = periods.iter().flatten().map(|p| p.total(MOVES_RECKONED)).max() else {
        return Variant::Standard;
    };
    let ends_quickly = |last: &Period| last.moves.is_none() && last.per_move.span().is_zero();
    let has_finish =
        periods.iter().flatten().any(|p| p.as_slice().last().is_some_and(ends_quickly));
    match edition.classify(total, Duration::ZERO) {
        Pace::Blitz => Variant::Blitz,
        Pace::Rapid => Variant::Rapid,
        Pace::Standard if has_finish && !edition.is_modern() => Variant::Quickplay,
        Pace::Standard => Variant::Standard,
    }
}

/// The same terms at this time control. An hourglass, and a game without a clock, have no periods.
#[must_use]
pub fn at_control(terms: Terms, control: &TimeControl) -> Terms {
    let of = |color: Color| {
        let periods = control.periods(color).map_or(&[][..], |periods| periods.as_slice());
        periods.iter().map(period).collect()
    };
    Terms { periods: ByColor { white: of(Color::White), black: of(Color::Black) }, ..terms }
}

fn period(of: &Period) -> terms::AnnouncedPeriod {
    let span = of.per_move.span();
    let bonus = if span.is_zero() { Bonus::Nothing } else { Bonus::PerMove(span) };
    terms::AnnouncedPeriod {
        moves: of.moves.map(NonZeroU16::get),
        time: of.allotment,
        bonus: Some(bonus),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control(text: &str) -> TimeControl {
        text.parse().unwrap()
    }

    #[test]
    fn each_edition_draws_its_own_lines() {
        use Variant::{Blitz, Quickplay, Rapid, Standard};
        for (text, in_2009, in_2023) in [
            ("3m+2s", Blitz, Blitz),
            ("10m", Blitz, Blitz),
            ("12m", Blitz, Rapid),
            ("15m", Rapid, Rapid),
            ("60m", Quickplay, Standard),
            ("30m+30s", Standard, Standard),
            ("40/2h:1h", Quickplay, Standard),
            ("40/90m+30s:30m+30s", Standard, Standard),
            ("40/2h:20/1h", Standard, Standard),
            ("5m | 4m", Blitz, Blitz),
            ("15m | 8m", Rapid, Rapid),
            ("-", Standard, Standard),
        ] {
            assert_eq!(variant_of(Edition::Dk2009, &control(text)), in_2009, "2009 {text}");
            assert_eq!(variant_of(Edition::M2023, &control(text)), in_2023, "2023 {text}");
        }
        // 2005: one hour is rapid chess still.
        assert_eq!(variant_of(Edition::Hu2005, &control("60m")), Rapid);
    }

    #[test]
    fn periods_and_increments_are_the_terms() {
        let terms = at_control(Terms::default(), &control("40/90m:20/30m:15m+30s"));
        let white = Color::White;
        let required: Vec<_> = (1..=3).map(|n| terms.required(white, n)).collect();
        assert_eq!(required, [Some(40), Some(60), None]);
        let minutes = |n: u64| Some(Duration::from_secs(60 * n));
        assert_eq!([1, 2, 3].map(|n| terms.allotment(white, n)), [minutes(30), minutes(15), None]);
        assert_eq!(terms.bonus_in(white, 2), Bonus::Nothing);
        assert_eq!(terms.bonus_in(white, 3), Bonus::PerMove(Duration::from_secs(30)));
        let endless = at_control(Terms::default(), &control("40/2h:20/1h"));
        assert_eq!((endless.required(white, 4), endless.is_last(white, 4)), (Some(100), false));
        assert_eq!(endless.allotment(white, 4), minutes(60));
        assert_eq!(at_control(Terms::default(), &control("-")), Terms::default());
    }
}
