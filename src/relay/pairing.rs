//! The JSON of a pairing.

use crate::game::{Pairing, Player};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use shakmaty::ByColor;

/// A player as he is written.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Player")]
struct PlayerBody {
    #[serde(default)]
    name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    title: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    rating: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    fide_id: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    federation: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    team: String,
}

/// A pairing as it is written.
#[derive(Serialize, Deserialize)]
struct PairingBody {
    event: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    site: String,
    round: u16,
    table: u16,
    #[serde(with = "PlayerBody")]
    white: Player,
    #[serde(with = "PlayerBody")]
    black: Player,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    control: Option<String>,
}

pub(super) fn serialize<S: Serializer>(pairing: &Pairing, out: S) -> Result<S::Ok, S::Error> {
    let Pairing { event, site, round, table, players, time_control } = pairing.clone();
    let control = time_control.map(|control| control.to_string());
    let ByColor { white, black } = players;
    PairingBody { event, site, round, table, white, black, control }.serialize(out)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(read: D) -> Result<Box<Pairing>, D::Error> {
    let body = PairingBody::deserialize(read)?;
    let PairingBody { event, site, round, table, white, black, control } = body;
    let time_control = control.map(|it| it.parse()).transpose().map_err(D::Error::custom)?;
    let players = ByColor { white, black };
    Ok(Box::new(Pairing { event, site, round, table, players, time_control }))
}
