//! The one command that is under way to a clock, and what the drivers of all clocks share about it:
//! how often it is sent, when it is given up, and how many commands a clock gets in a minute.
//!
//! A driver knows how a job is said on its line and what an answer means. It launches a command
//! here, takes it back when the answer has come or is overdue, and asks whether to send it again.

use super::agenda::{Agenda, DifferenceWatch, Job};
use super::budget::Budget;
use super::clock_wish::{ClockNews, Difference, DriverOutput, Wanted};
use crate::time::Mono;
use std::time::Duration;

/// Times a command is sent before it is given up for a while (protocol 3.5, rule 4; 6.3).
pub(super) const N_TRIES: u32 = 3;

/// A command that waits for its answer.
#[derive(Debug, Copy, Clone)]
pub(super) struct Errand<C> {
    /// `None` if the driver tries to get hold of the clock.
    pub(super) job: Option<Job>,
    /// The command, and what the driver has to remember of it.
    pub(super) command: C,
    /// What was wanted when the command was made.
    pub(super) wanted: Wanted,
    /// How often it was sent.
    pub(super) n_sent: u32,
    /// Without an answer until then it is overdue.
    pub(super) due: Mono,
}

/// What is to be done, the command that is under way for it, and the limits that hold for all.
#[derive(Debug, Clone)]
pub(super) struct Errands<C> {
    pub(super) agenda: Agenda,
    /// The command that is under way. No other is sent before this one is over.
    pub(super) flight: Option<Errand<C>>,
    budget: Budget,
    watch: DifferenceWatch,
}

impl<C> Default for Errands<C> {
    fn default() -> Self {
        let (budget, watch) = (Budget::default(), DifferenceWatch::default());
        Self { agenda: Agenda::default(), flight: None, budget, watch }
    }
}

impl<C> Errands<C> {
    /// The clock shall show this from now on; until now it differed so.
    pub(super) fn want(&mut self, wanted: Wanted, difference: Option<Difference>) {
        self.watch.restart(difference);
        self.agenda.want(wanted);
    }

    /// Nothing is known of the clock any more, and no answer is waited for. How much it was sent
    /// lately is still known.
    pub(super) fn forget(&mut self) {
        self.agenda.forget();
        self.flight = None;
    }

    /// A command leaves, for the `n_sent`-th time.
    pub(super) fn launch(
        &mut self,
        at: Mono,
        job: Option<Job>,
        command: C,
        n_sent: u32,
        wait: Duration,
    ) {
        self.budget.spend(at);
        let (wanted, due) = (*self.agenda.wanted(), at + wait);
        self.flight = Some(Errand { job, command, wanted, n_sent, due });
    }

    /// The command under way, if it was waited for long enough. It is under way no longer.
    pub(super) fn take_overdue(&mut self, at: Mono) -> Option<Errand<C>> {
        self.flight.take_if(|flight| flight.due <= at)
    }

    /// Whether a job that has failed `n_sent` times is to be tried once more, at once. If not, the
    /// failure is told under the command's `id`, and the job waits.
    pub(super) fn tries_again<A>(
        &mut self,
        at: Mono,
        job: Job,
        id: u8,
        n_sent: u32,
        out: &mut Vec<DriverOutput<A>>,
    ) -> bool {
        let may = n_sent < N_TRIES && self.budget.opens_at(Some(job)) <= at;
        if !may {
            out.push(DriverOutput::Tell(ClockNews::Unanswered(id)));
            self.agenda.failed(at, job);
        }
        may
    }

    /// From when on the budget allows a command for this job.
    pub(super) fn opens_at(&self, job: Option<Job>) -> Mono {
        self.budget.opens_at(job)
    }

    /// The next job, unless a command is under way.
    pub(super) fn next(&self, at: Mono, allows: impl Fn(Job) -> Option<Mono>) -> Option<Job> {
        if self.flight.is_some() { None } else { self.agenda.next(at, allows) }
    }

    /// When [`Errands::next`] has something, as far as is known now.
    pub(super) fn next_at(&self, allows: impl Fn(Job) -> Option<Mono>) -> Option<Mono> {
        if self.flight.is_some() { None } else { self.agenda.wake_at(allows) }
    }

    /// Tells of a difference that has lasted, and of its end.
    pub(super) fn watch<A>(
        &mut self,
        at: Mono,
        difference: Option<Difference>,
        out: &mut Vec<DriverOutput<A>>,
    ) {
        self.watch.look(at, difference, self.agenda.is_defied(), out);
    }

    /// When the command under way is overdue, or a difference has lasted.
    pub(super) fn wake_at(&self) -> Option<Mono> {
        let flight = self.flight.as_ref().map(|flight| flight.due);
        flight.into_iter().chain(self.watch.wake_at()).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::ClockText;
    use crate::wire::budget::COMMANDS_PER_MINUTE;

    const ID: u8 = 0x0c;
    const WAIT: Duration = Duration::from_secs(2);

    /// A text is wanted, and was sent once.
    fn sent() -> Errands<()> {
        let mut errands = Errands::default();
        let text = Some(ClockText::plain("1-0"));
        errands.want(Wanted { text, ..Wanted::default() }, None);
        let job = errands.next(Mono::default(), |_| Some(Mono::default()));
        assert_eq!(job, Some(Job::Text));
        errands.launch(Mono::default(), job, (), 1, WAIT);
        errands
    }

    #[test]
    fn nothing_else_is_sent_before_an_answer_or_its_time() {
        let mut errands = sent();
        assert_eq!(errands.next(Mono::default(), |_| Some(Mono::default())), None);
        assert_eq!(errands.next_at(|_| Some(Mono::default())), None);
        assert_eq!(errands.wake_at(), Some(Mono::default() + WAIT));
        assert!(errands.take_overdue(Mono::from_millis(1_999)).is_none());
        let flight = errands.take_overdue(Mono::from_millis(2_000)).expect("it is overdue");
        assert_eq!((flight.job, flight.n_sent), (Some(Job::Text), 1));
        assert_eq!(flight.wanted, *errands.agenda.wanted());
        let next = errands.next(Mono::from_millis(2_000), |_| Some(Mono::default()));
        assert_eq!(next, Some(Job::Text), "it was not done");
    }

    #[test]
    fn a_command_is_sent_three_times_and_given_up_aloud() {
        let mut errands = sent();
        let (at, mut out) = (Mono::from_millis(2_000), Vec::<DriverOutput<()>>::new());
        errands.flight = None;
        assert!(errands.tries_again(at, Job::Text, ID, 1, &mut out) && out.is_empty());
        assert!(errands.tries_again(at, Job::Text, ID, 2, &mut out) && out.is_empty());
        assert!(!errands.tries_again(at, Job::Text, ID, N_TRIES, &mut out));
        assert_eq!(out, [DriverOutput::Tell(ClockNews::Unanswered(ID))]);
        let next = errands.next_at(|_| Some(Mono::default())).expect("it is still wanted");
        assert!(next > at, "the clock is left in peace for a while");
    }

    #[test]
    fn a_spent_budget_ends_an_errand_and_is_not_forgotten() {
        let mut errands = sent();
        for _ in 1..COMMANDS_PER_MINUTE {
            errands.launch(Mono::default(), None, (), 1, WAIT);
        }
        errands.forget();
        assert!(errands.flight.is_none());
        assert_eq!(errands.opens_at(Some(Job::Set)), Mono::from_millis(60_000));
        let mut out = Vec::<DriverOutput<()>>::new();
        assert!(!errands.tries_again(Mono::default(), Job::Text, ID, 1, &mut out));
        assert_eq!(out, [DriverOutput::Tell(ClockNews::Unanswered(ID))]);
    }
}
