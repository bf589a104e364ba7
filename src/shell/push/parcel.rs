//! What goes where: the games of each round, as the public may have them, in requests.

use super::client::How;
use crate::relay::push;
use crate::shell::book::Book;
use crate::shell::config::{Config, Push, ROUND, host_of};
use crate::shell::http::{Feed, of_event, of_others};
use std::collections::BTreeSet;
use std::sync::Arc;

/// How a server takes games.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// All games of a round in a body, as Lichess has it.
    Round,
    /// As a file.
    File,
}

/// Where games are sent.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) settings: Push,
    kind: Kind,
    /// The feeds' places in the order of tables.
    order: Vec<usize>,
}

/// What is sent in one request.
#[derive(Clone, Debug)]
pub(super) struct Parcel {
    /// What it is, in words.
    pub(super) name: String,
    pub(super) how: How,
    pub(super) address: String,
    /// Its games, in words, where the server answers for each.
    pub(super) games: Vec<String>,
    pub(super) body: String,
}

impl Target {
    /// All that are set.
    pub(super) fn all(config: &Config) -> Vec<Self> {
        let settings = &config.push;
        let mut order: Vec<(u16, usize)> = config.tables().into_iter().zip(0..).collect();
        order.sort_unstable();
        let order: Vec<usize> = order.into_iter().map(|(_, idx)| idx).collect();
        let of = |kind| Self { settings: settings.clone(), kind, order: order.clone() };
        let lichess = (!settings.token_file.as_os_str().is_empty()).then(|| of(Kind::Round));
        lichess.into_iter().chain((!settings.url.is_empty()).then(|| of(Kind::File))).collect()
    }

    /// Whether it takes files.
    pub(super) fn takes_files(&self) -> bool {
        self.kind == Kind::File
    }

    /// Whether what opens it to us can be read on the way.
    pub(super) fn is_in_clear(&self) -> bool {
        let (address, secret) = match self.kind {
            Kind::Round => (&self.settings.server, &self.settings.token_file),
            Kind::File => (&self.settings.url, &self.settings.login_file),
        };
        let host = self.host();
        let is_here = ["localhost", "127.", "[::1]"].iter().any(|name| host.starts_with(name));
        let is_open = ["http:", "ftp:"].iter().any(|scheme| address.starts_with(scheme));
        is_open && !secret.as_os_str().is_empty() && !is_here
    }

    /// Where it is, for people: addresses may have secrets in them.
    pub(super) fn host(&self) -> &str {
        let address = match self.kind {
            Kind::Round => &self.settings.server,
            Kind::File => &self.settings.url,
        };
        host_of(address).unwrap_or_default()
    }

    /// All that it is to have.
    pub(super) fn parcels(&self, feeds: &[Feed]) -> Vec<Parcel> {
        match self.kind {
            Kind::Round => self.rounds(feeds),
            Kind::File => self.files(feeds),
        }
    }

    fn rounds(&self, feeds: &[Feed]) -> Vec<Parcel> {
        let mut parcels = Vec::new();
        let feeds: Vec<&Feed> = self.order.iter().filter_map(|idx| feeds.get(*idx)).collect();
        if let Some(id) = self.settings.id() {
            let games: Vec<_> = feeds.iter().flat_map(|feed| lone(feed)).collect();
            parcels.extend(self.parts("the round", id, &games));
        }
        let books: Vec<Arc<Book>> = feeds.iter().map(|feed| feed.book.borrow().clone()).collect();
        for (number, id) in self.settings.ids() {
            let games: Vec<_> = books.iter().flat_map(|book| paired(book, number)).collect();
            parcels.extend(self.parts(&format!("round {number}"), id, &games));
        }
        parcels
    }

    fn parts(&self, name: &str, id: &str, games: &[(String, String)]) -> Vec<Parcel> {
        let server = self.settings.server.trim_end_matches('/');
        let address = format!("{server}/api/broadcast/round/{id}/push");
        let mut first = 1;
        let part = |part: &[(String, String)]| {
            let last = first + part.len() - 1;
            let is_whole = part.len() == games.len();
            let name =
                if is_whole { name.into() } else { format!("{name}, games {first} to {last}") };
            first = last + 1;
            let body = part.iter().map(|(_, pgn)| pgn.as_str()).collect();
            let games = part.iter().map(|(label, _)| label.clone()).collect();
            Parcel { name, how: How::Push(part.len()), address: address.clone(), games, body }
        };
        push::parts(games).map(part).collect()
    }

    fn files(&self, feeds: &[Feed]) -> Vec<Parcel> {
        let url = &self.settings.url;
        let how = if url.starts_with("ftp") { How::Store } else { How::Put };
        let file = |name: String, address: String, body: String| {
            (!body.is_empty()).then_some(Parcel { name, how, address, games: Vec::new(), body })
        };
        if !url.contains(ROUND) {
            let all = of_event(feeds.iter(), |_| true) + &of_others(feeds.iter());
            return file("all games".to_owned(), url.clone(), all).into_iter().collect();
        }
        let books = feeds.iter().map(|feed| feed.book.borrow().clone());
        let numbers: BTreeSet<u16> =
            books.flat_map(|book| book.pages().keys().copied().collect::<Vec<_>>()).collect();
        let of = |number: &u16| {
            let body = of_event(feeds.iter(), |round| round == *number);
            file(format!("round {number}"), url.replace(ROUND, &number.to_string()), body)
        };
        numbers.iter().filter_map(of).collect()
    }
}

/// The game that is on at a board where nothing is paired, in words and as PGN.
fn lone(feed: &Feed) -> Vec<(String, String)> {
    let games = feed.parts.borrow().clone();
    if games.is_empty() && feed.book.borrow().is_empty() {
        return vec![(feed.name.clone(), feed.awaited.borrow().to_string())];
    }
    named(&feed.name, games.to_vec())
}

/// The game of a round at a board.
fn paired(book: &Book, round: u16) -> Vec<(String, String)> {
    let Some(page) = book.pages().get(&round) else { return Vec::new() };
    let players = &page.pairing.players;
    let (white, black) = (&players.white.name, &players.black.name);
    named(&format!("{} {white} - {black}", page.pairing.round_tag()), page.parts())
}

/// The parts of a game, each with what it is.
fn named(name: &str, parts: Vec<String>) -> Vec<(String, String)> {
    let of = |(pgn, number): (String, usize)| match number {
        1 => (name.to_owned(), pgn),
        _ => (format!("{name} (part {number})"), pgn),
    };
    parts.into_iter().zip(1..).map(of).collect()
}
