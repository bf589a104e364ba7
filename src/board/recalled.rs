//! What a DGT board remembers, in the words of the tracker.

use crate::table::{End, Placement, Reading};
use crate::track::{Recalled, Step};
use crate::wire::{Dump, FieldCode, LogEvent, Orientation};
use shakmaty::{Board, Color};
use std::time::Duration;

/// The steps that the `events` of a board tell that lies so, oldest first. Who plays at which end
/// of the clock says `player_at`.
pub(super) fn recalled(
    events: &[LogEvent],
    lies: Orientation,
    player_at: &dyn Fn(End) -> Color,
) -> Vec<Recalled> {
    let mut steps: Vec<Recalled> = Vec::new();
    let mut scan = None;
    for event in events {
        if let (LogEvent::Change { field, code, .. }, Some(after)) = (event, scan)
            && *code != FieldCode::Empty
            && after < Some(field.index())
            && let Some(Recalled { step: Step::Found(placement), .. }) = steps.last_mut()
        {
            placement.set(lies.square(*field), reading_of(*code));
            scan = Some(Some(field.index()));
            continue;
        }
        let (step, is_fast) = match *event {
            LogEvent::Change { field, code, fast } => {
                (Step::Sensed { sq: lies.square(field), reading: reading_of(code) }, fast)
            }
            LogEvent::Time { end, seconds } => {
                let left = Some(Duration::from_secs(u64::from(seconds)));
                (Step::Pressed { by: player_at(end), left }, false)
            }
            LogEvent::PowerUp | LogEvent::Watchdog => {
                scan = Some(None);
                steps.push(Recalled { step: Step::Found(Placement::empty()), is_fast: false });
                continue;
            }
            LogEvent::EmptyBoard => (Step::Showed(Placement::empty()), true),
            LogEvent::Start(how) => {
                (Step::Showed(Dump::new(&Board::new(), how).placement(lies).into()), true)
            }
            _ => continue,
        };
        if !matches!(step, Step::Showed(_)) || scan.is_none() {
            scan = None;
            steps.push(Recalled { step, is_fast });
        }
    }
    steps
}

fn reading_of(code: FieldCode) -> Reading {
    code.piece().map_or(Reading::Empty, Reading::Piece)
}
