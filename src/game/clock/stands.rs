//! A clock that the host runs and that nobody has started: players who do not look at it would play
//! a whole game without time.

use crate::clock::{ClockPresence, Reader};
use crate::game::entry::Fact;
use crate::game::play::Play;
use crate::laws::{Finding, FindingKind};

/// Half-moves without a press after which the players have begun all the same.
const BEGUN: usize = 2;

/// What is known of such a clock in this game.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct ClockStands {
    /// The end that is up.
    high: Option<crate::table::End>,
    is_told: bool,
}

impl ClockStands {
    /// A new game begins at the same clock.
    pub(super) const fn new_game(self) -> Self {
        Self { is_told: false, ..self }
    }

    /// The end that is up now. True if it was the other one before.
    pub(super) fn note_high(&mut self, high: crate::table::End) -> bool {
        self.high.replace(high).is_some_and(|before| before != high)
    }

    /// A reading of the clock says that the lever `has_turned`. Whoever presses for a move while a
    /// driven clock stands has not seen that it does.
    pub(super) fn watch_lever(
        &mut self,
        has_turned: bool,
        reader: &Reader,
        play: Option<&Play>,
        facts: &mut Vec<Fact>,
    ) {
        let Some(play) = play.filter(|play| has_turned && may_stand(reader, play)) else { return };
        if has_begun_without(reader, play, 1) || play.shows_one_more_move() {
            self.tell(facts);
        }
    }

    /// Players may have begun who do not press at all.
    pub(super) fn watch_start(
        &mut self,
        reader: &Reader,
        play: Option<&Play>,
        facts: &mut Vec<Fact>,
    ) {
        let is_move = |fact: &Fact| matches!(fact, Fact::MoveMade { .. });
        let has_begun =
            |play: &Play| may_stand(reader, play) && has_begun_without(reader, play, BEGUN);
        if facts.iter().any(is_move) && play.is_some_and(has_begun) {
            self.tell(facts);
        }
    }

    fn tell(&mut self, facts: &mut Vec<Fact>) {
        if !std::mem::replace(&mut self.is_told, true) {
            facts.push(Fact::Found(Finding { kind: FindingKind::ClockStands, by: None }));
        }
    }
}

fn may_stand(reader: &Reader, play: &Play) -> bool {
    reader.device() == ClockPresence::Present && !reader.is_running() && !play.is_over()
}

/// Whether so many half-moves are on record while the clock has not run.
fn has_begun_without(reader: &Reader, play: &Play, n_plies: usize) -> bool {
    !reader.has_run() && play.sheet().len() >= n_plies
}
