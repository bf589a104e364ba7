//! Where games are sent by Rokade itself.

use crate::table::defaults;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What stands in an address for the number of a round.
pub const ROUND: &str = "{round}";
/// The letters and digits of a round's id at Lichess.
const ID_LEN: usize = 8;

defaults! {
    /// Where games are sent.
    #[derive(Clone, Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct Push {
        /// The file that holds the token of a Lichess account; empty for no broadcast there.
        pub token_file: PathBuf,
        /// The round of the broadcast, where no list of pairings is set.
        pub round: String,
        /// The rounds of the broadcast, by their numbers in the list of pairings.
        pub rounds: BTreeMap<String, String>,
        /// Lichess, or another server with its API.
        pub server: String = "https://lichess.org".to_owned(),
        /// Where else the games are put as a file of PGN, by HTTP or FTP; empty for nowhere.
        pub url: String,
        /// The file that holds `user:password` for that; empty for none.
        pub login_file: PathBuf,
    }
}

impl Push {
    /// Files are looked for beside the settings.
    pub(super) fn beside(&mut self, folder: &Path) {
        for file in [&mut self.token_file, &mut self.login_file] {
            if !file.as_os_str().is_empty() {
                *file = folder.join(&*file);
            }
        }
    }

    /// What is wrong with it, where there is a list of pairings or none.
    pub(super) fn check(&self, has_list: bool) -> Result<(), String> {
        let checked = self.check_rounds(has_list).and_then(|()| self.check_addresses(has_list));
        checked.map_err(|why| format!("[push] {why}"))
    }

    fn check_rounds(&self, has_list: bool) -> Result<(), String> {
        let wrong = |why: &str| Err(why.to_owned());
        let has_round = !self.round.is_empty() || !self.rounds.is_empty();
        if has_round && self.token_file.as_os_str().is_empty() {
            return wrong("token_file is missing: the file with the token of the account");
        }
        if !has_round && !self.token_file.as_os_str().is_empty() {
            return wrong("names no round; set round = \"...\", or rounds for pairings");
        }
        if has_list && !self.round.is_empty() {
            return wrong(
                "round is for boards without pairings; with [event] pairings write \
                 rounds = { 1 = \"...\", 2 = \"...\" }",
            );
        }
        if !has_list && !self.rounds.is_empty() {
            return wrong(
                "rounds are those of [event] pairings, and none are set; write round = \"...\"",
            );
        }
        for (number, id) in self.rounds.iter().chain(Some((&"1".to_owned(), &self.round))) {
            if !number.parse().is_ok_and(|number: u16| number > 0) {
                return Err(format!("rounds: {number:?} is not a round number"));
            }
            if !id.is_empty() && id_of(id).is_none() {
                return Err(format!(
                    "{id:?} is not a round: write the address of the round's page, or the eight \
                     letters and digits at its end"
                ));
            }
        }
        Ok(())
    }

    fn check_addresses(&self, has_list: bool) -> Result<(), String> {
        let is_bare = |host: &str| self.server.trim_end_matches('/').ends_with(host);
        if !self.server.starts_with("http") || !host_of(&self.server).is_some_and(is_bare) {
            return Err(format!(
                "server = {:?}: write it as in \"https://lichess.org\"",
                self.server
            ));
        }
        if !self.url.is_empty() && host_of(&self.url).is_none() {
            return Err(format!(
                "url = {:?}: write all of it, as in \"https://club.example.org/live/games.pgn\", \
                 or with ftps: or ftp: before it",
                self.url
            ));
        }
        if self.url.starts_with("ftp") && self.url.ends_with('/') {
            return Err(format!(
                "url = {:?}: name the file too, as in \".../games.pgn\"",
                self.url
            ));
        }
        if self.url.contains(ROUND) && !has_list {
            return Err(format!("url has {ROUND}, and no [event] pairings are set"));
        }
        if self.url.is_empty() && !self.login_file.as_os_str().is_empty() {
            return Err("login_file is for url, which is not set".to_owned());
        }
        Ok(())
    }

    /// The id of each round at the broadcast that has a page there.
    pub fn ids<'a>(&'a self) -> BTreeMap<u16, &'a str> {
        // They were checked when the file was read.
        let known = |(number, id): (&String, &'a String)| Some((number.parse().ok()?, id_of(id)?));
        self.rounds.iter().filter_map(known).collect()
    }

    /// The id of the only round, where there is no list.
    pub fn id(&self) -> Option<&str> {
        id_of(&self.round)
    }
}

/// The id at the end of the address of a round's page, or the id itself.
fn id_of(text: &str) -> Option<&str> {
    let path = text.trim().split(['?', '#']).next()?;
    let id = path.trim_end_matches('/').rsplit('/').next()?;
    let is_id = id.len() == ID_LEN && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_id.then_some(id)
}

/// The host of an address, with its port.
pub fn host_of(url: &str) -> Option<&str> {
    let (scheme, rest) = url.split_once("://")?;
    if !["https", "http", "ftps", "ftp"].contains(&scheme) {
        return None;
    }
    let host = rest.split(['/', '?', '#']).next()?;
    let is_host = |c: char| c.is_ascii_alphanumeric() || "-._:[]".contains(c);
    (!host.is_empty() && host.chars().all(is_host)).then_some(host)
}
