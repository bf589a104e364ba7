//! What the referee orders of a clock, done to the model that it goes by.

use crate::clock::{Change, ClockModel, PerMove};
use crate::laws::ClockOrder;
use crate::time::Mono;
use shakmaty::Color;

/// Does to `model` what was ordered. `turn` says whose time runs, or will.
pub(super) fn obey(
    model: &mut ClockModel,
    at: Mono,
    turn: Color,
    order: ClockOrder,
) -> Vec<Change> {
    match order {
        ClockOrder::Stop => model.stop(at),
        ClockOrder::Run(side) => model.start(at, side),
        ClockOrder::Set(side, to) => model.set_time(at, side, to),
        ClockOrder::Add(side, span) => model.add(at, side, span),
        ClockOrder::Subtract(side, span) => model.subtract(at, side, span),
        // The model counts the moves and credits the next period itself.
        ClockOrder::Credit(..) => Vec::new(),
        ClockOrder::Increment(span) => model.set_per_move(at, PerMove::Increment(span)),
        ClockOrder::Moves(n) => {
            // Moves of both: whoever is not on move has made one more.
            let n = u32::from(n);
            model.set_completed(Color::White, n + u32::from(turn.is_black()));
            model.set_completed(Color::Black, n);
            Vec::new()
        }
    }
}
