//! How the recording of each board stands, for those who look after a hall: in `/healthz`, on the
//! page, and for the service manager.

use crate::game::{Game, LinkState};
use serde::Serialize;

/// How the recording of one board stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Status {
    /// Whether its record is open.
    pub record: Recording,
    /// The line to the board.
    #[serde(serialize_with = "word_of")]
    pub link: LinkState,
    /// What the disk says, while it does not take the record: that is in memory only.
    pub disk: Option<String>,
    /// What will soon be wrong with it: the disk is full and the record in the room that was kept
    /// for that, or no such room is there.
    pub room: Option<String>,
    /// What is wrong with the second copy of it, if one is set.
    pub copy: Option<String>,
    /// The last line that is on the disk and its hash, of some seconds ago: a record of which
    /// somebody noted it can be neither cut nor rewritten unseen.
    pub head: Option<String>,
    /// The round that is paired there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u16>,
    /// The game of that round has a move, or a result.
    #[serde(skip)]
    pub has_begun: bool,
}

impl Status {
    /// Notes which round is paired, and whether its game has a move or a result; the next game has
    /// none. True if that is news.
    pub(super) fn note_round(&mut self, game: &Game) -> bool {
        let round = game.settings().due().map(|pairing| pairing.round);
        let play = game.play().filter(|_| game.settings().next.is_none());
        let has_begun = play.is_some_and(|play| !play.sheet().is_empty() || play.is_over());
        let before = (self.round, self.has_begun);
        (self.round, self.has_begun) = (round, has_begun);
        before != (round, has_begun)
    }
}

/// Whether a board's record is open.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Recording {
    /// It is being opened.
    #[default]
    Opening,
    /// The board is being recorded.
    On,
    /// It could not be opened, or its recorder has failed. This is tried again.
    Off {
        /// Why, in one sentence.
        why: String,
        /// Another program records there.
        #[serde(skip)]
        is_taken: bool,
    },
}

impl Status {
    /// What is wrong with the recording, if anything is. A line that is down is not.
    pub fn fault(&self) -> Option<&str> {
        match &self.record {
            Recording::Opening => Some("the record is being opened"),
            Recording::Off { why, .. } => Some(why),
            Recording::On => self.disk.as_deref(),
        }
    }

    /// What does not keep it from being recorded, and should be seen to.
    pub fn warning(&self) -> Option<String> {
        let all: Vec<_> = [&self.room, &self.copy].into_iter().flatten().cloned().collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    /// Whether its record is open and reaches the disk.
    pub fn is_recorded(&self) -> bool {
        self.fault().is_none()
    }

    /// Whether everything is as it should be while a game is played: it is recorded, the disk takes
    /// the record, the board answers.
    pub fn is_ready(&self) -> bool {
        self.fault().is_none() && self.warning().is_none() && self.link == LinkState::Live
    }
}

/// One line on all boards, for the service manager.
pub fn summary<'a>(boards: impl Iterator<Item = (&'a str, Status)>) -> String {
    let (mut n, mut n_live, mut n_recorded) = (0, 0, 0);
    // A disk that fails, fails many boards alike.
    let mut faults: Vec<(String, Vec<&str>)> = Vec::new();
    for (name, status) in boards {
        n += 1;
        n_live += usize::from(status.link == LinkState::Live);
        n_recorded += usize::from(status.fault().is_none());
        let Some(why) = status.fault().map(str::to_owned).or_else(|| status.warning()) else {
            continue;
        };
        match faults.iter_mut().find(|(other, _)| *other == why) {
            Some((_, names)) => names.push(name),
            None => faults.push((why, vec![name])),
        }
    }
    let mut line = format!("recording {n_recorded} of {n} boards, {n_live} connected");
    for (why, names) in faults {
        let boards = match names.as_slice() {
            [first, _, _, ..] => format!("{first} and {} more", names.len() - 1),
            few => few.join(", "),
        };
        line += &format!("; {boards}: {why}");
    }
    line
}

fn word_of<S: serde::Serializer>(link: &LinkState, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(link.word())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_names_what_is_wrong() {
        let on = Status { record: Recording::On, link: LinkState::Live, ..Status::default() };
        let full = Status { disk: Some("it is full".to_owned()), ..on.clone() };
        let why = "its folder is a file".to_owned();
        let off = Status { record: Recording::Off { why, is_taken: false }, ..Status::default() };
        assert!(on.is_ready() && !full.is_ready() && !off.is_ready());
        assert_eq!(
            summary([("a", on), ("b", full), ("c", off)].into_iter()),
            "recording 1 of 3 boards, 2 connected; b: it is full; c: its folder is a file"
        );
        let copy = Some("the stick is out".to_owned());
        let lone = Status { record: Recording::On, copy, ..Status::default() };
        assert!(lone.is_recorded() && !lone.is_ready());
        assert_eq!(
            summary(["a", "b", "c"].map(|name| (name, lone.clone())).into_iter()),
            "recording 3 of 3 boards, 0 connected; a and 2 more: the stick is out"
        );
    }
}
