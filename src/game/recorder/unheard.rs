//! How often the clock was pressed while nobody heard it.

use super::gap::LastRead;
use super::{Cx, Recorder};
use crate::clock::PerMove;
use crate::game::play::{SHOWN_OFF, millis, sum};
use crate::game::settings::TimeControl;
use shakmaty::Color;
use std::time::Duration;

impl Recorder {
    /// How often the clock was pressed in a silence, by what it has added to the times since it was
    /// read `before`: what both show has lost the time that passed and won one increment for each
    /// move. Who is on move now says `turn`.
    pub(super) fn n_pressed(&self, cx: &Cx<'_>, before: LastRead, turn: Color) -> Option<usize> {
        let (after, play) = (cx.clock.times()?, self.play.as_ref()?);
        let inc = millis(self.increment(cx).or_else(|| play.increment_shown())?);
        if !cx.clock.is_running() || inc == 0 {
            return None;
        }
        let passed = millis(cx.clock.read_at().since(before.at));
        let gained = millis(sum(after)) - millis(sum(before.times)) + passed;
        let parity = i64::from(turn != before.turn);
        let mut fits = (0..1_000_i64)
            .map(|n| 2 * n + parity)
            .filter(|n| (gained - n * inc).abs() <= SHOWN_OFF);
        let n = fits.next()?;
        let n = fits.next().is_none().then(|| usize::try_from(n).ok()).flatten()?;
        n.checked_sub(before.n_since)
    }

    /// The increment of the time control that the settings name, if it is the same all the time.
    fn increment(&self, cx: &Cx<'_>) -> Option<Duration> {
        let control: &TimeControl = cx.settings.time_control.as_ref()?;
        let mut periods = Color::ALL.into_iter().filter_map(|color| control.periods(color));
        let mut all = periods.by_ref().flat_map(|periods| periods.as_slice().iter());
        let first = all.next()?;
        let is_plain = control.periods(Color::White)?.as_slice().len() == 1;
        let is_same = all.all(|period| period.per_move == first.per_move);
        match first.per_move {
            PerMove::Increment(span) if is_plain && is_same => Some(span),
            PerMove::Nothing if is_plain && is_same => Some(Duration::ZERO),
            _ => None,
        }
    }
}
