//! Who plays at a board, and in which round.

use crate::clock::TimeControl;
use crate::table::words;
use shakmaty::ByColor;
use std::fmt;

/// A player, as a list of pairings names him; what it does not tell is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Player {
    /// The name, "Last, First".
    pub name: String,
    /// The title, such as `GM`.
    pub title: String,
    /// The rating.
    pub rating: String,
    /// The number with FIDE.
    pub fide_id: String,
    /// The federation, such as `NOR`.
    pub federation: String,
    /// The team.
    pub team: String,
}

/// A game of a round, and the table at which it is played.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairing {
    /// The event.
    pub event: String,
    /// The place.
    pub site: String,
    /// The round, from 1.
    pub round: u16,
    /// The table, which is the number of the game in its round, from 1.
    pub table: u16,
    /// The players; without names where nobody plays at the table.
    pub players: ByColor<Player>,
    /// The time control of the event, for games that name none of their own.
    pub time_control: Option<TimeControl>,
}

/// A pairing as somebody gives it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paired {
    /// Who plays, and where.
    pub pairing: Pairing,
    /// It is that of the game that is on, too, whatever was played of it.
    pub is_current: bool,
    /// What was played of the round does not count: the next game does.
    pub is_anew: bool,
    /// The person who gives it; empty if it was read at the start.
    pub author: String,
    /// The reason that was given with it; may be empty.
    pub reason: String,
}

words! {
    /// For which game a pairing holds.
    #[derive(Copy, Clone, Debug, PartialEq, Eq)]
    pub enum PairedFor {
        /// For the next one; none is on.
        Next = "next",
        /// For the one that is on record already, and the next.
        Current = "current",
        /// For the next one; the one that is on stays as it is.
        Later = "later",
        /// For the next one, which counts in the place of what was played of the round.
        Anew = "anew",
    }
}

impl Pairing {
    /// Round and table as PGN's tag `Round` has them: `3.1`.
    pub fn round_tag(&self) -> String {
        format!("{}.{}", self.round, self.table)
    }

    /// Whether anybody plays at the table.
    pub fn is_played(&self) -> bool {
        !self.players.white.name.is_empty() || !self.players.black.name.is_empty()
    }

    /// Whether a game with these tags is the one that is paired here.
    pub fn is_of(&self, white: &str, black: &str, round: &str) -> bool {
        self.players.white.name == white
            && self.players.black.name == black
            && self.round_tag() == round
    }
}

impl fmt::Display for Player {
    /// ```
    /// use rokade::game::Player;
    /// let (name, title) = ("Carlsen, Magnus".to_owned(), "GM".to_owned());
    /// let player = Player { name, title, rating: "2839".to_owned(), ..Player::default() };
    /// assert_eq!(player.to_string(), "GM Carlsen, Magnus (2839)");
    /// assert_eq!(Player::default().to_string(), "nobody");
    /// ```
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.name.is_empty() {
            return f.write_str("nobody");
        }
        if !self.title.is_empty() {
            write!(f, "{} ", self.title)?;
        }
        f.write_str(&self.name)?;
        if self.rating.is_empty() { Ok(()) } else { write!(f, " ({})", self.rating) }
    }
}

impl fmt::Display for Pairing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ByColor { white, black } = &self.players;
        if !self.is_played() {
            return write!(f, "{}  nobody plays", self.round_tag());
        }
        write!(f, "{}  {white} - {black}", self.round_tag())
    }
}
