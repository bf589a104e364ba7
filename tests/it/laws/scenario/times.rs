//! When outcomes hold that were written down for other hands.
//!
//! Two scenarios were written for hands that do nothing by chance and are seen through at once,
//! and may be read from elsewhere as they were written. With the slow hands of the runner the same
//! holds at other times, which stand here and, in `tests/tables/laws`, in the scenarios themselves.

use super::Scenario;

/// An outcome of a scenario: the event after which it was expected, its kind, and the event after
/// which it holds.
const OUTCOMES: [(&str, i64, &str, i64); 3] = [
    // A pawn that has been gone for five seconds lies about, whether or not anybody presses.
    ("7.3-2", 4, "log", 3),
    // The press completes the move that the board shows but for that pawn: the record has it.
    ("7.3-2", 6, "made", 4),
    ("7.3-2", 8, "completed", 4),
];

/// An event of a scenario, and what has to happen instead.
const EVENTS: [(&str, &str, &str); 1] = [
    // Who thinks about his first move for a second is not away.
    ("6.6-5", "wait 1", "wait 301"),
];

/// Puts what is expected where it holds. What stands there already stays.
pub(super) fn adapt(scenario: &mut Scenario) {
    for (_, after, kind, then) in OUTCOMES.iter().filter(|(id, ..)| *id == scenario.id) {
        let is_it = |wanted: &&mut serde_json::Value| {
            wanted["after"].as_i64() == Some(*after) && wanted["o"] == *kind
        };
        if let Some(wanted) = scenario.expected.iter_mut().find(is_it) {
            wanted["after"] = (*then).into();
        }
    }
    for (_, event, other) in EVENTS.iter().filter(|(id, ..)| *id == scenario.id) {
        if let Some(known) = scenario.events.iter_mut().find(|known| known == event) {
            *known = (*other).to_owned();
        }
    }
}
