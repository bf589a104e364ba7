//! Which board to watch: those with the shortest time first. All editions: Art. 13.3 (from 2018:
//! 12.3).

use crate::game::entry::Fact;
use crate::table::Times;

/// What the clock of one board showed last in a game that goes on.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct LastTimes(Option<Times>);

impl LastTimes {
    /// Takes the next fact of the board's record.
    pub fn take(&mut self, fact: &Fact) {
        match fact {
            Fact::Clock { times: Some(times), .. } => self.0 = Some(*times),
            Fact::MoveCompleted { times: Some(times), .. } => self.0 = Some(*times),
            Fact::GameStarted { .. } | Fact::Ended(_) | Fact::GameClosed => self.0 = None,
            _ => {}
        }
    }

    /// Both times, if a game goes on.
    pub const fn times(self) -> Option<Times> {
        self.0
    }
}

/// The boards on which a game goes on, the shortest time first; of equal ones in their order.
pub fn shortest_first<T>(boards: impl IntoIterator<Item = (T, LastTimes)>) -> Vec<(T, Times)> {
    let playing = boards.into_iter().filter_map(|(name, shown)| Some((name, shown.times()?)));
    let mut playing: Vec<(T, Times)> = playing.collect();
    playing.sort_by_key(|(_, times)| times.white.min(times.black));
    playing
}
