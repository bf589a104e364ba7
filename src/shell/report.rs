//! How everything stands: for `/healthz`, `/metrics` and `rokade status`. It is read off what the
//! boards have published and counted, and waits for nothing.

use super::counts::Counted;
use super::delays::{Histogram, Summary};
use super::host::HostState;
use super::http::Feed;
use super::now::Now;
use super::push::Pushed;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// The loop that records shows every half second that it runs; one that did not for so long hangs.
const PULSE_MAX: Duration = Duration::from_secs(5);

/// For whom a report is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Audience {
    /// For everybody: nothing of findings, and of a board that the public is behind nothing that
    /// tells at once that somebody has moved.
    Public,
    /// For the arbiter, and those whom he trusts.
    Arbiter,
}

/// What reports are made from. All of it can be looked at only.
#[derive(Clone, Debug)]
pub struct Outlook {
    /// The boards.
    pub feeds: Vec<Feed>,
    /// When the loop that records has last shown that it runs.
    pub pulse: watch::Receiver<Instant>,
    /// How it stands with those to whom games are sent.
    pub pushed: Vec<watch::Receiver<Pushed>>,
    /// How the machine is.
    pub host: watch::Receiver<HostState>,
    /// The time, since the daemon was started.
    pub now: Now,
}

/// How everything stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    /// `ok`, or `stalled` if the loop that records hangs.
    pub status: String,
    /// Every board answers, and its record reaches the disk.
    pub ready: bool,
    /// The daemon's version.
    pub version: String,
    /// How long it has run, in seconds.
    pub up_s: u64,
    /// The boards.
    pub boards: Vec<BoardReport>,
    /// How it stands with those to whom games are sent.
    pub push: Vec<Value>,
    /// How many are connected to the pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connections: Option<usize>,
    /// How the machine is.
    pub host: HostState,
}

/// How one board stands. What is not for everybody is `null` in a report for everybody.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BoardReport {
    /// Its name.
    pub name: String,
    /// Its record is open, and reaches the disk.
    pub recorded: bool,
    /// The way to the board: `absent`, `live` or `lost`.
    pub link: String,
    /// Why it is not recorded.
    pub fault: Option<String>,
    /// What does not keep it from being recorded, and should be seen to.
    pub warning: Option<String>,
    /// The last line that is on the disk and its hash.
    pub head: Option<String>,
    /// How long records take from the bytes to the disk.
    pub durable_ms: Option<Summary>,
    /// How often the way to the board was opened.
    pub opened: u64,
    /// Runs of bytes that were no message, by the reason.
    pub skipped: BTreeMap<String, u64>,
    /// How many bytes that were.
    pub skipped_bytes: u64,
    /// What tells at once that somebody has moved.
    pub play: Option<PlayReport>,
    /// Findings by code.
    pub findings: Option<BTreeMap<String, u64>>,
    /// What the referee said, by code.
    pub rulings: Option<BTreeMap<String, u64>>,
    /// The delays that `durable_ms` sums up.
    #[serde(skip)]
    pub durable: Option<Histogram>,
}

/// What a board tells of play.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PlayReport {
    /// How long nothing was heard of the board, in seconds.
    pub silent_s: Option<f64>,
    /// How long no sensor has changed, in seconds.
    pub still_s: Option<f64>,
    /// How often the whole board was read, and was not as believed.
    pub resyncs: u64,
    /// Presses by player.
    pub presses: BTreeMap<String, u64>,
    /// Completed moves by what completed them.
    pub completions: BTreeMap<String, u64>,
    /// What waits: heard of the `board`, for the `journal`, and `orders`.
    pub waiting: BTreeMap<String, u64>,
}

impl Outlook {
    /// Whether the loop that records runs.
    pub fn is_live(&self) -> bool {
        self.pulse.borrow().elapsed() < PULSE_MAX
    }

    /// Whether every board answers, and its record reaches the disk.
    pub fn is_ready(&self) -> bool {
        self.feeds.iter().all(|feed| feed.status.borrow().is_ready())
    }

    /// How everything stands now, for whom.
    pub fn report(&self, audience: Audience) -> Report {
        let up = self.now.stamp().mono.since(crate::time::Mono::default());
        let push = self.pushed.iter().map(|it| serde_json::json!(it.borrow().clone()));
        Report {
            status: if self.is_live() { "ok" } else { "stalled" }.to_owned(),
            ready: self.is_ready(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            up_s: up.as_secs(),
            boards: self.feeds.iter().map(|feed| self.board(feed, audience)).collect(),
            push: push.collect(),
            connections: None,
            host: *self.host.borrow(),
        }
    }

    fn board(&self, feed: &Feed, audience: Audience) -> BoardReport {
        let status = feed.status.borrow().clone();
        let counted = feed.counts.read();
        let is_arbiters = audience == Audience::Arbiter;
        // All of these tell at once that somebody has moved.
        let now = is_arbiters || !feed.view.borrow().is_behind;
        BoardReport {
            name: feed.name.clone(),
            recorded: status.is_recorded(),
            link: status.link.word().to_owned(),
            fault: status.fault().map(str::to_owned),
            warning: status.warning(),
            head: status.head.filter(|_| now),
            durable_ms: now.then(|| feed.delays.summary()),
            opened: counted.opened,
            skipped: counted.skipped.clone(),
            skipped_bytes: counted.skipped_bytes,
            findings: is_arbiters.then(|| counted.findings.clone()),
            rulings: is_arbiters.then(|| counted.rulings.clone()),
            play: now.then(|| self.play(counted, feed.delays.waiting())),
            durable: now.then(|| feed.delays.histogram()),
        }
    }

    fn play(&self, counted: Counted, journal: u64) -> PlayReport {
        let now = self.now.stamp().mono;
        let waiting =
            [("board", counted.from_board), ("journal", journal), ("orders", counted.from_people)];
        PlayReport {
            silent_s: counted.heard.map(|at| now.since(at).as_secs_f64()),
            still_s: counted.sensed.map(|at| now.since(at).as_secs_f64()),
            resyncs: counted.resyncs,
            presses: counted.presses,
            completions: counted.completions,
            waiting: waiting.map(|(what, n)| (what.to_owned(), n)).into(),
        }
    }
}
