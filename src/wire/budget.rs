//! How many commands a clock gets in a minute, whatever it answers.
//!
//! Drivers are told by a clock when to send again: by a refusal, by silence, by "I have just been
//! switched on". A clock that says such a thing to each command would otherwise be sent commands as
//! fast as the line carries them, and its log would fill the disk.

use super::agenda::Job;
use crate::time::Mono;
use std::collections::VecDeque;
use std::time::Duration;

/// Commands that a clock gets in any minute, at the most. Ours: a press every 1.2 s, each with its
/// setting, leaves ten for the rest.
pub(super) const COMMANDS_PER_MINUTE: usize = 60;

const MINUTE: Duration = Duration::from_secs(60);

/// The commands of the last minute.
#[derive(Debug, Clone, Default)]
pub(super) struct Budget {
    sent: VecDeque<Mono>,
}

impl Budget {
    /// From when on a command for `job` may be sent; `None` for a job stands for a question of the
    /// driver's own. The less urgent a job, the more it leaves to the others: a text that comes
    /// late is no harm, a time is.
    pub(super) fn opens_at(&self, job: Option<Job>) -> Mono {
        let n_max = match job {
            Some(Job::Set) => COMMANDS_PER_MINUTE,
            None | Some(Job::Beep) => COMMANDS_PER_MINUTE - 4,
            Some(Job::Text | Job::EndText) => COMMANDS_PER_MINUTE - 10,
            Some(Job::Step | Job::Icons | Job::Look) => COMMANDS_PER_MINUTE / 2,
        };
        let idx = self.sent.len().checked_sub(n_max);
        idx.map_or(Mono::default(), |idx| self.sent[idx] + MINUTE)
    }

    /// A command is sent.
    pub(super) fn spend(&mut self, at: Mono) {
        if self.sent.len() == COMMANDS_PER_MINUTE {
            self.sent.pop_front();
        }
        self.sent.push_back(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minute_after_the_first_of_sixty_there_is_one_more() {
        let mut budget = Budget::default();
        for second in 0..60 {
            let at = Mono::from_millis(second * 500);
            assert!(budget.opens_at(Some(Job::Set)) <= at);
            budget.spend(at);
        }
        assert_eq!(budget.opens_at(Some(Job::Set)), Mono::from_millis(60_000));
        budget.spend(Mono::from_millis(60_000));
        assert_eq!(budget.opens_at(Some(Job::Set)), Mono::from_millis(60_500));
    }

    #[test]
    fn what_is_less_urgent_leaves_room() {
        let mut budget = Budget::default();
        for second in 0..30 {
            budget.spend(Mono::from_millis(second * 100));
        }
        assert_eq!(budget.opens_at(Some(Job::Step)), Mono::from_millis(60_000));
        assert_eq!(budget.opens_at(Some(Job::Text)), Mono::default());
    }
}
