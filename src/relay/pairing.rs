//! The JSON of a pairing.

use crate::game::{Pairing, Player};
use serde::{Deserialize, Serialize};
use shakmaty::ByColor;

/// A player as he is written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PlayerBody {
    /// The name.
    pub name: String,
    /// The title.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The rating.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub rating: String,
    /// The number with FIDE.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub fide_id: String,
    /// The federation.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub federation: String,
    /// The team.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub team: String,
}

/// A pairing as it is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairingBody {
    /// The event.
    pub event: String,
    /// The place.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub site: String,
    /// The round.
    pub round: u16,
    /// The table.
    pub table: u16,
    /// White.
    pub white: PlayerBody,
    /// Black.
    pub black: PlayerBody,
    /// The time control of the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<String>,
}

impl From<&Pairing> for PairingBody {
    fn from(pairing: &Pairing) -> Self {
        Self {
            event: pairing.event.clone(),
            site: pairing.site.clone(),
            round: pairing.round,
            table: pairing.table,
            white: PlayerBody::from(&pairing.players.white),
            black: PlayerBody::from(&pairing.players.black),
            control: pairing.time_control.as_ref().map(ToString::to_string),
        }
    }
}

impl PairingBody {
    /// The pairing; `None` if its time control is none.
    pub(super) fn to_pairing(&self) -> Option<Pairing> {
        let time_control = match &self.control {
            Some(control) => Some(control.parse().ok()?),
            None => None,
        };
        Some(Pairing {
            event: self.event.clone(),
            site: self.site.clone(),
            round: self.round,
            table: self.table,
            players: ByColor { white: self.white.to_player(), black: self.black.to_player() },
            time_control,
        })
    }
}

impl From<&Player> for PlayerBody {
    fn from(player: &Player) -> Self {
        let Player { name, title, rating, fide_id, federation, team } = player.clone();
        Self { name, title, rating, fide_id, federation, team }
    }
}

impl PlayerBody {
    fn to_player(&self) -> Player {
        let Self { name, title, rating, fide_id, federation, team } = self.clone();
        Player { name, title, rating, fide_id, federation, team }
    }
}
