//! What is served to the network: the pages, and the interface of LiveChess.

use crate::table::defaults;
use serde::Deserialize;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};

defaults! {
    /// The web server.
    #[derive(Clone, Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct Http {
        /// Whether pages are served at all.
        pub enabled: bool = true,
        /// Where. Only this machine unless set otherwise.
        #[serde(deserialize_with = "listen_of")]
        pub listen: SocketAddr = SocketAddr::from(([127, 0, 0, 1], 8960)),
        /// Names under which the pages may be asked for, beside addresses and the machine's own.
        pub names: Vec<String>,
        /// Sites whose pages may have these in them; `*` is anybody's.
        pub embed: Vec<String>,
        /// Addresses to which `/metrics` tells of findings too, and of boards that the public is
        /// behind.
        pub metrics_to: Vec<IpAddr>,
    }
}

impl Http {
    /// What is wrong with it.
    pub(super) fn check(&self) -> Result<(), String> {
        let is_site = |site: &str| {
            let host = site.strip_prefix("https://").or_else(|| site.strip_prefix("http://"));
            let is_plain = |c: char| c.is_ascii_alphanumeric() || ".-:[]*".contains(c);
            site == "*" || host.is_some_and(|host| !host.is_empty() && host.chars().all(is_plain))
        };
        match self.embed.iter().find(|site| !is_site(site)) {
            Some(site) => Err(format!(
                "[http] embed = [{site:?}]: name a site, as in \"https://club.example.org\", or \
                 \"*\" for anybody's"
            )),
            None => Ok(()),
        }
    }
}

defaults! {
    /// The interface of LiveChess, for programs that know boards by it.
    #[derive(Clone, Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct LiveChess {
        /// Whether it is served at all.
        pub enabled: bool,
        /// Where. Programs look for it at port 1982 of their own machine.
        #[serde(deserialize_with = "listen_of")]
        pub listen: SocketAddr = SocketAddr::from(([127, 0, 0, 1], 1982)),
        /// Sites whose pages may ask beside those that are known, such as
        /// `https://chess.example.org`.
        pub origins: Vec<String>,
    }
}

impl LiveChess {
    /// Where it is served. Programs look for it at `localhost`, which has an address of either
    /// kind: the second one may not be there.
    pub(in crate::shell) fn addresses(&self) -> Vec<SocketAddr> {
        let mut all = vec![self.listen];
        if self.listen.ip() == Ipv4Addr::LOCALHOST {
            all.push((Ipv6Addr::LOCALHOST, self.listen.port()).into());
        }
        all.retain(|_| self.enabled);
        all
    }
}

/// The folder of LiveChess, for programs that watch it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Folder {
    /// Where it is; empty for none.
    pub path: PathBuf,
}

impl Folder {
    /// What is wrong with it, beside the records in `state_dir`, where there is a list of pairings
    /// or none.
    pub(super) fn check(&self, state_dir: &Path, has_list: bool) -> Result<(), String> {
        let path = &self.path;
        if path.as_os_str().is_empty() {
            return Ok(());
        }
        if !has_list {
            return Err(
                "[folder] holds the rounds of [event] pairings, and none are set; name the list of \
                 pairings there"
                    .to_owned(),
            );
        }
        if !path.is_absolute() {
            return Err(format!(
                "[folder] path = {path:?}: name the folder from the root on, as in \
                 \"/srv/broadcast\""
            ));
        }
        if path.starts_with(state_dir) || state_dir.starts_with(path) {
            return Err(format!(
                "[folder] path = {path:?} and state_dir = {state_dir:?} lie within each other; \
                 what is public belongs in a folder of its own"
            ));
        }
        Ok(())
    }
}

fn listen_of<'de, D: serde::Deserializer<'de>>(from: D) -> Result<SocketAddr, D::Error> {
    let text = String::deserialize(from)?;
    parse_listen(&text).map_err(|why| serde::de::Error::custom(format!("listen: {why}")))
}

/// An address to listen at: with a port, or a port alone, which is this machine's.
///
/// # Errors
/// It is neither, in one sentence.
pub fn parse_listen(text: &str) -> Result<SocketAddr, String> {
    let text = text.trim();
    if let Ok(port) = text.trim_start_matches(':').parse::<u16>() {
        return Ok(SocketAddr::from(([127, 0, 0, 1], port)));
    }
    let text =
        text.strip_prefix("localhost").map_or(text.to_owned(), |it| format!("127.0.0.1{it}"));
    let wrong = |_| {
        format!("{text:?} is not a socket address; write it as in 127.0.0.1:8960, or 8960 alone")
    };
    text.parse().map_err(wrong)
}
