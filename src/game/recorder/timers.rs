//! Named timers in one fixed table.

use crate::time::Mono;

/// What is waited for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Timer {
    /// The board has been still long enough to judge it.
    Rest,
    /// A piece has rested long enough to show that it was moved, while a clock runs.
    Shown,
    /// The board has been still long enough to ask for a picture of it.
    Verify,
    /// A press without a legal move has stood long enough to be reported.
    Suspect,
    /// A press without a move has stood so long that it was not to give back time.
    ForNothing,
    /// What stood at a press can be told from what a hand was still at.
    Stood,
    /// The board has differed from the record long enough to be reported.
    Displaced,
    /// Both kings have stood in the center long enough.
    Kings,
    /// A start position has stood long enough to begin a new game.
    Restart,
    /// The board may be asked for its memory.
    Memory,
    /// Pieces that were missing at a press may be back.
    Untidy,
    /// A piece that was in the hand at a press may have come down.
    InHand,
    /// A player who has made his move may have pressed.
    Unpressed,
    /// A position that ends the game has been scanned.
    End,
    /// The last move is beyond a second thought, and the referee waits for that.
    Final,
    /// What was played while nobody looked may be told from how the board stands.
    Bridge,
    /// The board may show a game that was not seen from its beginning.
    Join,
    /// The board has rested long enough to be held against the record.
    Repair,
    /// What stands on the board has not been known for long, because bytes are hurt.
    Unread,
    /// How pieces without names stand has not been explained for long.
    Unnamed,
}

const N_TIMERS: usize = 20;

/// When each timer is due.
#[derive(Clone, Debug, Default)]
pub(super) struct Timers {
    due: [Option<Mono>; N_TIMERS],
}

impl Timers {
    pub(super) fn set(&mut self, timer: Timer, due: Mono) {
        self.due[timer as usize] = Some(due);
    }

    pub(super) fn clear(&mut self, timer: Timer) {
        self.due[timer as usize] = None;
    }

    pub(super) fn is_set(&self, timer: Timer) -> bool {
        self.due[timer as usize].is_some()
    }

    /// Whether `timer` is due; if so it is cleared.
    pub(super) fn take(&mut self, timer: Timer, now: Mono) -> bool {
        let is_due = self.due[timer as usize].is_some_and(|due| due <= now);
        if is_due {
            self.clear(timer);
        }
        is_due
    }

    pub(super) fn next(&self) -> Option<Mono> {
        self.due.iter().flatten().min().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_due_before_it_was_set_is_due_once() {
        let mut timers = Timers::default();
        timers.set(Timer::Rest, Mono::from_millis(5));
        timers.set(Timer::End, Mono::from_millis(900));
        assert_eq!(timers.next(), Some(Mono::from_millis(5)));
        assert!(timers.take(Timer::Rest, Mono::from_millis(700)));
        assert!(!timers.take(Timer::Rest, Mono::from_millis(800)));
        assert_eq!(timers.next(), Some(Mono::from_millis(900)));
    }
}
