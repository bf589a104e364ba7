//! The event whose rounds are played at the boards.

use crate::clock::TimeControl;
use serde::Deserialize;
use std::path::PathBuf;

/// The event.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EventSettings {
    /// Its name; empty for that of the list.
    pub name: String,
    /// The place; empty for that of the list.
    pub site: String,
    /// The federation of the place.
    pub federation: String,
    /// The round at the first start; 0 for the first one of the list that has not been played.
    pub round: u16,
    /// The time control, for the PGN of games that name none of their own.
    pub time_control: String,
    /// The list of pairings; empty for none.
    pub pairings: PathBuf,
}

impl EventSettings {
    /// What is wrong with them, if anything is.
    pub(super) fn check(&self) -> Result<(), String> {
        for (key, text) in
            [("name", &self.name), ("site", &self.site), ("federation", &self.federation)]
        {
            super::check::text(key, text).map_err(|why| format!("[event] {why}"))?;
        }
        let control = self.time_control.trim();
        if control.is_empty() {
            return Ok(());
        }
        control.parse::<TimeControl>().map(drop).map_err(|e| format!("[event] time_control: {e}"))
    }

    /// Whether the games are those of a list of pairings.
    pub fn has_list(&self) -> bool {
        !self.pairings.as_os_str().is_empty()
    }

    /// The place with its federation, as PGN has it; empty if none is set.
    pub fn place(&self) -> String {
        match (self.site.as_str(), self.federation.as_str()) {
            ("", _) => String::new(),
            (site, "") => site.to_owned(),
            (site, federation) => format!("{site} {federation}"),
        }
    }

    /// The time control, if one is set.
    pub fn time_control(&self) -> Option<TimeControl> {
        // It was checked when the file was read.
        self.time_control.trim().parse().ok()
    }
}
