//! Sends the games to those who broadcast them: to Lichess, and as files to any server that takes
//! some.
//!
//! All of it is made from what the gates let out, so it is behind as all else is, and a server that
//! was away for a night has everything at once when it is back. Each server has a thread of its
//! own, on which nothing waits: one that hangs for an hour slows nobody.

mod client;
mod ftp;
mod parcel;

use crate::relay::push::{self, Upshot};
use crate::shell::apart::{Apart, Share};
use crate::shell::config::Config;
use crate::shell::http::Feed;
use crate::table::defaults;
use client::{Client, Secret, Upload};
use parcel::{Parcel, Target};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tracing::{info, warn};

/// What changes within this time goes out together, and no more often than this.
const TOGETHER: Duration = Duration::from_secs(1);
/// The first parcel waits for all boards to show what they have, and no longer than this.
const ALL_WITHIN: Duration = Duration::from_secs(3);
/// How long to wait before a server is asked again that will not have it as things are.
const SELDOM: Duration = Duration::from_secs(180);
/// How long to wait before a file is sent again to a server that does not show it.
const AGAIN: Duration = Duration::from_secs(20);
/// How often it is looked meanwhile whether there is another token.
const LOOK: Duration = Duration::from_secs(5);
/// Nothing is to be waited for.
const FAR: Duration = Duration::from_secs(3_600);
/// So many kinds of trouble are told of until a server has what it is to have.
const KINDS_MAX: usize = 20;

/// How it stands with one server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Pushed {
    /// Its host.
    pub to: String,
    /// What is wrong, if anything is.
    pub trouble: Option<String>,
    /// What it was sent last, and has taken.
    pub sent: Vec<PushedPart>,
}

/// What was sent in one request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PushedPart {
    /// What it is, such as `round 3`.
    pub what: String,
    /// What the server said of each game.
    pub games: Vec<PushedGame>,
}

/// What a server said of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PushedGame {
    /// The game.
    pub game: String,
    /// How many of its half-moves it has taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<u64>,
    /// Why it has taken none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Starts sending games to each server that is set, on a thread of its own each; with what tells
/// how it stands with them.
///
/// # Errors
/// The system gives no thread.
pub fn start(
    config: &Config,
    feeds: &[Feed],
) -> io::Result<(Vec<Apart>, Vec<watch::Receiver<Pushed>>)> {
    let start = |target| {
        let (tell, told) = watch::channel(Pushed::default());
        let feeds = feeds.to_vec();
        let work = move || keep(target, feeds, tell);
        Ok((Apart::start("push", Share::Spare, work)?, told))
    };
    Target::all(config).into_iter().map(start).collect()
}

/// Sends `target` what it is to have of the boards' `feeds`, until nothing more comes, and tells
/// how it stands.
async fn keep(target: Target, feeds: Vec<Feed>, told: watch::Sender<Pushed>) {
    let changed = Arc::new(Notify::new());
    let mut watches = JoinSet::new();
    for feed in feeds.clone() {
        let Feed { mut book, mut pgn, mut parts, .. } = feed;
        let changed = Arc::clone(&changed);
        watches.spawn(async move {
            loop {
                // A board without an event has a book to which nothing comes.
                tokio::select! {
                    Ok(()) = book.changed() => {}
                    Ok(()) = parts.changed() => {}
                    news = pgn.changed() => {
                        if news.is_err() {
                            return;
                        }
                    }
                }
                changed.notify_one();
            }
        });
    }
    if target.is_in_clear() {
        warn!(to = target.host(), "THE SECRET IS SENT UNENCRYPTED: write https or ftps in [push]");
    }
    let mut courier = Courier::new(target, told);
    // A server that is sent a part of a round takes it that the rest is gone.
    timeout(ALL_WITHIN, all_shown(&feeds)).await.ok();
    loop {
        let due = courier.send_all(&feeds).await;
        tokio::select! {
            () = changed.notified() => {}
            () = sleep_until(due.unwrap_or_else(|| Instant::now() + FAR)) => {}
            Some(_) = watches.join_next() => {
                if watches.is_empty() {
                    return;
                }
            }
        }
        sleep(TOGETHER).await;
    }
}

/// Waits until each board shows its games.
async fn all_shown(feeds: &[Feed]) {
    for Feed { book, pgn, .. } in feeds {
        let (mut book, mut pgn) = (book.clone(), pgn.clone());
        tokio::select! {
            Ok(_) = book.wait_for(|book| !book.is_empty()) => {}
            Ok(_) = pgn.wait_for(|pgn| !pgn.is_empty()) => {}
            // A board that has ended shows nothing more.
            else => {}
        }
    }
}

/// What a server has of a parcel.
#[derive(Debug, Default)]
struct ServerCopy {
    /// What it took last.
    body: Option<String>,
    /// What it said of the games in it.
    games: Vec<PushedGame>,
    /// It will not have it before then, or from somebody else.
    refused: Option<(Instant, Result<Secret, String>)>,
    /// Whether it has it is not known: it is sent once more then.
    doubted: Option<Instant>,
    why: Option<String>,
}

defaults! {
    /// Who brings a server what it is to have.
    #[derive(Debug)]
    struct Courier {
        given {
            target: Target,
            told: watch::Sender<Pushed>,
        }
        client: Client,
        /// By the words for each parcel.
        known: BTreeMap<String, ServerCopy>,
        /// Nothing goes out before then, and why.
        rests: Option<(Instant, String)>,
        n_failures: u32,
        /// The kinds of trouble that were told since all was well.
        said: BTreeSet<String>,
        /// Others on this machine can read the secret: that was said.
        has_said_open: bool,
    }
}

impl Courier {
    fn new(target: Target, told: watch::Sender<Pushed>) -> Self {
        Self::begin(target, told)
    }

    /// Sends what the server does not have; when there is something to be tried again.
    async fn send_all(&mut self, feeds: &[Feed]) -> Option<Instant> {
        if let Some((until, _)) = self.rests.as_ref().filter(|(until, _)| *until > Instant::now()) {
            return Some(*until);
        }
        self.rests = None;
        let parcels = self.target.parcels(feeds);
        self.known.retain(|name, _| parcels.iter().any(|parcel| parcel.name == *name));
        for parcel in parcels {
            let known = self.known.entry(parcel.name.clone()).or_default();
            let is_there = known.doubted.is_none_or(|until| until > Instant::now());
            if known.body.as_ref() == Some(&parcel.body) && is_there {
                continue;
            }
            let secret = self.secret();
            let known = self.known.entry(parcel.name.clone()).or_default();
            if let Some((until, from)) = &known.refused
                && *until > Instant::now()
                && *from == secret
            {
                continue;
            }
            self.send(parcel, secret).await;
            if self.rests.is_some() {
                break;
            }
        }
        self.tell();
        let is_open = |known: &ServerCopy| known.refused.is_some() || known.doubted.is_some();
        let is_any_open = self.known.values().any(is_open);
        let rests = self.rests.as_ref().map(|(until, _)| *until);
        rests.or_else(|| is_any_open.then(|| Instant::now() + LOOK))
    }

    /// What opens the server to us now.
    fn secret(&mut self) -> Result<Secret, String> {
        let settings = &self.target.settings;
        let (path, secret): (_, fn(String) -> Secret) = if self.target.takes_files() {
            (&settings.login_file, Secret::Basic)
        } else {
            (&settings.token_file, Secret::Bearer)
        };
        if path.as_os_str().is_empty() {
            return Ok(Secret::None);
        }
        let (line, is_open) = client::read_line(path)?;
        if is_open && !self.has_said_open {
            let path = path.display();
            warn!(%path, "EVERYBODY ON THIS MACHINE CAN READ THIS SECRET: chmod 640 it");
        }
        self.has_said_open = is_open;
        Ok(secret(line))
    }

    async fn send(&mut self, parcel: Parcel, secret: Result<Secret, String>) {
        let upshot = match secret.clone() {
            Ok(secret) => {
                let Parcel { how, address, body, .. } = parcel.clone();
                self.ask(Upload { how, address, secret, body }).await
            }
            Err(why) => Upshot::Refused(why),
        };
        let now = Instant::now();
        let name = parcel.name.clone();
        match upshot {
            Upshot::Done(games) => {
                self.n_failures = 0;
                self.done(parcel, games);
            }
            Upshot::Doubtful(why) => {
                self.n_failures = 0;
                let known = self.known.entry(name.clone()).or_default();
                known.body = Some(parcel.body);
                known.refused = None;
                known.doubted = Some(now + AGAIN);
                known.why = Some(format!("{name}: {why}; it is sent again three times a minute"));
            }
            Upshot::Refused(why) => {
                self.n_failures = 0;
                let known = self.known.entry(name.clone()).or_default();
                known.refused = Some((now + SELDOM, secret));
                known.why = Some(format!("{name}: {why}"));
            }
            Upshot::Busy(span) => {
                let why = "it wants fewer requests (429)".to_owned();
                self.rests = Some((now + span, why));
            }
            Upshot::Failed(why) => {
                self.n_failures += 1;
                let chance = RandomState::new().hash_one(self.n_failures);
                self.rests = Some((now + push::wait(self.n_failures, chance), why));
            }
        }
    }

    /// Asks the server, which may take its time: nothing else is done meanwhile, on this thread.
    async fn ask(&mut self, sending: Upload) -> Upshot {
        let mut client = std::mem::take(&mut self.client);
        let asked = spawn_blocking(move || {
            let upshot = client.send(&sending);
            (client, upshot)
        });
        match asked.await {
            Ok((client, upshot)) => {
                self.client = client;
                upshot
            }
            Err(error) => Upshot::Failed(error.to_string()),
        }
    }

    /// The server has taken it: what it says of each game is told where it has changed.
    fn done(&mut self, parcel: Parcel, games: Vec<Result<u64, String>>) {
        let (to, what) = (self.target.host(), &parcel.name);
        let known = self.known.entry(parcel.name.clone()).or_default();
        let heard: Vec<PushedGame> = parcel
            .games
            .into_iter()
            .zip(games)
            .map(|(game, said)| match said {
                Ok(moves) => PushedGame { game, moves: Some(moves), error: None },
                Err(why) => PushedGame { game, moves: None, error: Some(why) },
            })
            .collect();
        if known.body.is_none() || known.why.is_some() {
            let moves: u64 = heard.iter().filter_map(|game| game.moves).sum();
            match heard.len() {
                0 => info!(to, what, "sent"),
                games => info!(to, what, games, moves, "sent"),
            }
        }
        for PushedGame { game, error, .. } in &heard {
            let before = known.games.iter().find(|other| other.game == *game);
            let before = before.and_then(|it| it.error.as_ref());
            match error {
                Some(why) if before != Some(why) => {
                    warn!(to, what, game, why, "THE SERVER DOES NOT TAKE THIS GAME");
                }
                None if before.is_some() => info!(to, what, game, "it takes this game again"),
                _ => {}
            }
        }
        *known = ServerCopy { body: Some(parcel.body), games: heard, ..ServerCopy::default() };
    }

    /// Tells how it stands, and says what is wrong if that was not said yet.
    fn tell(&mut self) {
        let of_parcels = self.known.values().find_map(|known| known.why.clone());
        let trouble = self.rests.as_ref().map(|(_, why)| why.clone()).or(of_parcels);
        let to = self.target.host();
        match &trouble {
            Some(why) if self.said.len() < KINDS_MAX && self.said.insert(kind_of(why)) => {
                warn!(to, why, "GAMES ARE NOT SENT THERE; this is tried again");
            }
            None if !self.said.is_empty() => {
                self.said.clear();
                info!(to, "games are sent there again");
            }
            _ => {}
        }
        let taken = self.known.iter().filter(|(_, known)| known.body.is_some());
        let part = |(what, known): (&String, &ServerCopy)| PushedPart {
            what: what.clone(),
            games: known.games.clone(),
        };
        let sent = taken.map(part).collect();
        self.told.send_replace(Pushed { to: to.to_owned(), trouble, sent });
    }
}

/// What is the same in two troubles of one kind: not what a server says in its own words, which may
/// be something else each time.
fn kind_of(why: &str) -> String {
    match why.split_once(" (") {
        Some((words, status)) => {
            format!("{words} {}", status.split([':', ')']).next().unwrap_or_default())
        }
        None => why.to_owned(),
    }
}
